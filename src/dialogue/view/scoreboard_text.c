/* scoreboard_text.c - the scoreboard as a page for people; see scoreboard.h.
 *
 * Three tables, each not wider than a terminal: what every round was worth, what every expert has in all, and the
 * scores of every expert in every round, so many rounds side by side as there is room for.
 */
#include "dialogue/view/chart.h"
#include "dialogue/view/scoreboard.h"

enum {
    RANK = 6,
    LEAST_NAME = 8,
    MOST_NAME = 20,
    SCORE = 5,     /* columns of a score that is beside others */
    COMPONENT = 5, /* and of a component */
    TOTAL = 8,
    ROUNDS = 73,  /* of the table of rounds with their components */
    ABREAST = 10, /* rounds side by side: they fit beside the longest name */
};

typedef struct {
    cv_chart chart;
    const cv_scoreboard *board;
    size_t name;                          /* columns of an expert's name */
    bool round_components, of_components; /* there are any: of rounds, of experts */
} page;

static void measure(page *p)
{
    const cv_scoreboard *b = p->board;
    p->name = LEAST_NAME;
    for (size_t e = 0; e < b->standings.count; e++) {
        size_t width = b->standings.items[e].expert->expert_slug.n;
        p->name = width > p->name ? width : p->name;
        p->of_components = p->of_components || b->standings.items[e].total_components.sum != CV_ABSENT;
    }
    p->name = p->name < MOST_NAME ? p->name : MOST_NAME;
    for (size_t i = b->begin; i < b->end; i++)
        p->round_components = p->round_components || b->rounds[i].components.sum != CV_ABSENT;
}

static void say_components(page *p, bool any, const cv_components *components)
{
    for (size_t i = 0; any && i < CV_COMPONENT_COUNT; i++)
        if (components)
            cv_chart_int(&p->chart, components->of[i], COMPONENT);
        else
            cv_chart_cell(&p->chart, cv_component_letters[i], COMPONENT, CV_CHART_RIGHT);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* On a narrow page velocity and new perspectives give way to components, which no other page has. */
static void say_rounds(page *p)
{
    const cv_scoreboard *b = p->board;
    cv_chart *c = &p->chart;
    bool whole = !p->round_components || cv_chart_width(c) >= ROUNDS;
    cv_chart_say(c, "\nround  score");
    say_components(p, p->round_components, NULL);
    cv_chart_say(c, whole ? "   total  velocity  open   new  converged" : "   total  open  converged");
    cv_chart_line(c);
    for (size_t i = b->begin; i < b->end; i++) {
        const cv_overview_round *r = &b->overview.rounds[i];
        cv_chart_int(c, r->row->round, 5);
        cv_chart_int(c, r->row->score, 7);
        say_components(p, p->round_components, &b->rounds[i].components);
        cv_chart_int(c, b->rounds[i].total, TOTAL);
        if (whole)
            cv_chart_int(c, r->velocity, 10);
        cv_chart_int(c, r->open_tensions, 6);
        if (whole)
            cv_chart_int(c, r->new_perspectives, 6);
        cv_chart_cell(c, cv_overview_converged(c->arena, r), CV_CONVERGED_COLUMNS, CV_CHART_RIGHT);
        cv_chart_line(c);
    }
    if (p->round_components) {
        cv_chart_say(c, "  all%7s", "");
        say_components(p, true, &b->rounds[b->end - 1].cumulative);
        cv_chart_int(c, b->rounds[b->end - 1].total, TOTAL);
        cv_chart_line(c);
    }
}

/* ---- experts ----------------------------------------------------------------------------------------------------- */

static void say_name(page *p, const cv_standing *s)
{
    cv_chart_int(&p->chart, s->rank, RANK - 2);
    cv_chart_say(&p->chart, "  ");
    cv_chart_cell(&p->chart, s->expert->expert_slug, p->name, CV_CHART_LEFT);
}

/* Of one round: its scores and components beside the totals. */
static void say_one(page *p)
{
    const cv_scoreboard *b = p->board;
    cv_chart *c = &p->chart;
    cv_chart_say(c, "\nrank  ");
    cv_chart_cell(c, CV_STR("expert"), p->name, CV_CHART_LEFT);
    cv_chart_cell(c, CV_STR("score"), TOTAL, CV_CHART_RIGHT);
    say_components(p, p->of_components, NULL);
    cv_chart_cell(c, CV_STR("total"), TOTAL, CV_CHART_RIGHT);
    cv_chart_line(c);
    for (size_t e = 0; e < b->standings.count; e++) {
        const cv_standing *s = &b->standings.items[e];
        say_name(p, s);
        cv_chart_int(c, s->scores[b->begin], TOTAL);
        say_components(p, p->of_components, &s->components[b->begin]);
        cv_chart_int(c, s->total, TOTAL);
        cv_chart_line(c);
    }
}

/* Totals, and all rounds as one line. */
static void say_totals(page *p)
{
    const cv_scoreboard *b = p->board;
    cv_chart *c = &p->chart;
    size_t taken = RANK + p->name + TOTAL + (p->of_components ? CV_COMPONENT_COUNT * COMPONENT : 0) + 2;
    cv_chart_say(c, "\nrank  ");
    cv_chart_cell(c, CV_STR("expert"), p->name, CV_CHART_LEFT);
    cv_chart_cell(c, CV_STR("total"), TOTAL, CV_CHART_RIGHT);
    say_components(p, p->of_components, NULL);
    cv_chart_say(c, "  scores");
    cv_chart_line(c);
    cv_chart_scale scale = {0};
    for (size_t e = 0; e < b->standings.count; e++)
        cv_chart_measure(&scale, b->standings.items[e].scores, b->end);
    for (size_t e = 0; e < b->standings.count; e++) {
        const cv_standing *s = &b->standings.items[e];
        say_name(p, s);
        cv_chart_int(c, s->total, TOTAL);
        say_components(p, p->of_components, &s->total_components);
        cv_chart_say(c, "  ");
        cv_chart_spark(c, scale, s->scores, b->end, CV_CHART_WIDTH - taken);
        cv_chart_line(c);
    }
}

/* Some rounds side by side. */
static void say_block(page *p, size_t from, size_t to)
{
    const cv_scoreboard *b = p->board;
    cv_chart *c = &p->chart;
    cv_chart_say(c, "\n");
    cv_chart_cell(c, CV_STR("expert"), p->name, CV_CHART_LEFT);
    for (size_t i = from; i < to; i++)
        cv_chart_cell(c, cv_arena_printf(c->arena, "R%lld", (long long)b->overview.rounds[i].row->round), SCORE,
                      CV_CHART_RIGHT);
    cv_chart_line(c);
    for (size_t e = 0; e < b->standings.count; e++) {
        const cv_standing *s = &b->standings.items[e];
        cv_chart_cell(c, s->expert->expert_slug, p->name, CV_CHART_LEFT);
        for (size_t i = from; i < to; i++)
            cv_chart_int(c, s->scores[i], SCORE);
        cv_chart_line(c);
    }
}

static void say_experts(page *p)
{
    const cv_scoreboard *b = p->board;
    if (b->standings.count == 0 || b->begin == b->end)
        return;
    if (b->end - b->begin == 1) {
        say_one(p);
        return;
    }
    say_totals(p);
    for (size_t from = b->begin; from < b->end; from += ABREAST)
        say_block(p, from, from + ABREAST < b->end ? from + ABREAST : b->end);
}

cv_str cv_scoreboard_text(cv_chart paper, const cv_scoreboard *b)
{
    page p = {.chart = paper, .board = b};
    const cv_state *s = &b->overview.s;
    cv_str status = cv_overview_status(&b->overview);
    measure(&p);
    cv_chart_paint(&p.chart, CV_PAINT_BOLD);
    cv_chart_text(&p.chart, s->dialogue.title, cv_chart_width(&p.chart));
    cv_chart_paint(&p.chart, CV_PAINT_END);
    cv_chart_line(&p.chart);
    cv_chart_say(&p.chart, "%.*s: ", CV_FMT(s->id));
    cv_chart_status(&p.chart, status, status.n);
    cv_chart_say(&p.chart, b->end ? "" : ", no round yet");
    cv_chart_line(&p.chart);
    if (b->end)
        say_rounds(&p);
    say_experts(&p);
    for (size_t i = 0; i < b->notes.count; i++) {
        cv_chart_say(&p.chart, i ? "" : "\n");
        cv_chart_say(&p.chart, "! %.*s", CV_FMT(b->notes.items[i].message));
        cv_chart_line(&p.chart);
    }
    return cv_chart_take(&p.chart);
}
