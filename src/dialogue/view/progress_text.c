/* progress_text.c - the state of a dialogue, as a page for people; see progress.h. */
#include "dialogue/labels.h"
#include "dialogue/people.h"
#include "dialogue/view/chart.h"
#include "dialogue/view/progress.h"

enum {
    NAME = 12,         /* columns of the names before sparklines and lists */
    MOST_ROUNDS = 12,  /* of the table; sparklines show all */
    MOST_LEADERS = 12, /* and as many blockers of a kind */
    NUMBERS = 55,      /* of a round */
    TITLE = CV_CHART_WIDTH - NUMBERS,
    LABEL = 40,
    ROLE = 36,
};

/* Columns that a page has more, or fewer, than the usual one. */
static size_t stretched(const cv_chart *c, size_t columns)
{
    size_t wide = columns + cv_chart_width(c);
    return wide > CV_CHART_WIDTH + 8 ? wide - CV_CHART_WIDTH : 8;
}

void cv_progress_say_head(cv_chart *c, const cv_progress *p)
{
    const cv_state *s = &p->overview.s;
    cv_str status = cv_overview_status(&p->overview);
    cv_chart_paint(c, CV_PAINT_BOLD);
    cv_chart_text(c, s->dialogue.title, cv_chart_width(c));
    cv_chart_paint(c, CV_PAINT_END);
    cv_chart_line(c);
    cv_chart_say(c, "%.*s: ", CV_FMT(s->id));
    cv_chart_status(c, status, status.n);
    cv_chart_say(c, ", ");
    if (p->overview.count == 0)
        cv_chart_say(c, "no round yet");
    else
        cv_chart_say(c, "%zu round%s, alignment %lld", p->overview.count, CV_PLURAL(p->overview.count),
                     (long long)s->dialogue.total_alignment);
    if (p->overview.responses > 0)
        cv_chart_say(c, ", %zu response%s waiting", p->overview.responses, CV_PLURAL(p->overview.responses));
    cv_chart_say(c, cv_dialogue_is_archived(&s->dialogue) ? ", archived" : "");
    cv_chart_line(c);
}

cv_str cv_verdict_facts(cv_arena *a, const cv_rec_verdict *v)
{
    cv_str round = v->round == CV_ABSENT ? CV_STR("") : cv_arena_printf(a, "round %lld", (long long)v->round);
    const cv_str facts[] = {v->vote, v->confidence, round};
    cv_str all = CV_STR("");
    for (size_t i = 0; i < CV_COUNT(facts); i++)
        if (facts[i].n > 0)
            all = cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(all), all.n ? ", " : "", CV_FMT(facts[i]));
    return all;
}

static void say_decision(cv_chart *c, const cv_progress *p)
{
    const cv_rec_verdict *final = cv_overview_final(&p->overview);
    if (!final)
        return;
    cv_str facts = cv_verdict_facts(c->arena, final);
    cv_chart_line(c);
    cv_chart_head(c, facts.n ? "Decision (%.*s)" : "Decision%.*s", CV_FMT(facts));
    cv_chart_prose(c, "  ", final->recommendation);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* A page that is too narrow for the titles of rounds has none: beside numbers they would be parts of words. */
static bool has_titles(const cv_chart *c)
{
    return NUMBERS + stretched(c, TITLE) <= cv_chart_width(c);
}

static void say_round(cv_chart *c, const cv_overview_round *r)
{
    cv_chart_int(c, r->row->round, 5);
    cv_chart_int(c, r->row->score, 7);
    cv_chart_signed(c, r->score_delta, 8);
    cv_chart_int(c, r->velocity, 10);
    cv_chart_int(c, r->open_tensions, 6);
    cv_chart_int(c, r->new_perspectives, 6);
    cv_chart_cell(c, cv_overview_converged(c->arena, r), CV_CONVERGED_COLUMNS, CV_CHART_RIGHT);
    if (has_titles(c)) {
        cv_chart_say(c, "  ");
        cv_chart_text(c, r->row->title, stretched(c, TITLE));
    }
    cv_chart_line(c);
}

static void say_rounds(cv_chart *c, const cv_overview *overview)
{
    size_t first = overview->count > MOST_ROUNDS ? overview->count - MOST_ROUNDS : 0;
    cv_chart_line(c);
    cv_chart_head(c, "round  score  change  velocity  open   new  converged%s", has_titles(c) ? "  title" : "");
    if (first > 0) {
        cv_chart_say(c, "    … %zu earlier round%s: 'conclave dialogue scoreboard' has all", first, CV_PLURAL(first));
        cv_chart_line(c);
    }
    for (size_t i = first; i < overview->count; i++)
        say_round(c, &overview->rounds[i]);
    cv_chart_line(c);
    cv_chart_trend(c, "score", NAME, cv_overview_series(c->arena, overview, cv_overview_score), overview->count);
    cv_chart_trend(c, "velocity", NAME, cv_overview_series(c->arena, overview, cv_overview_velocity), overview->count);
    cv_chart_trend(c, "open", NAME, cv_overview_series(c->arena, overview, cv_overview_open), overview->count);
}

/* ---- convergence ------------------------------------------------------------------------------------------------- */

static void say_open(cv_chart *c, const cv_progress *p)
{
    const cv_state *s = &p->overview.s;
    size_t said = 0;
    for (size_t i = 0; i < s->entities.count && said < MOST_LEADERS; i++) {
        const cv_rec_entity *tension = &s->entities.items[i];
        if (!cv_tension_is_open(tension))
            continue;
        cv_chart_say(c, "  %.*s  ", CV_FMT(cv_entity_id(c->arena, tension)));
        cv_chart_status(c, tension->status, 11);
        cv_chart_cell(c, tension->label, stretched(c, LABEL), CV_CHART_LEFT);
        cv_chart_say(c, "  ");
        cv_chart_text(c, cv_people_list(c->arena, tension->contributors), CV_CHART_WIDTH - LABEL - 22);
        cv_chart_line(c);
        said++;
    }
    if (p->convergence.open_count > said) {
        cv_chart_say(c, "  … %zu more open", p->convergence.open_count - said);
        cv_chart_line(c);
    }
}

void cv_progress_say_blockers(cv_chart *c, const cv_progress *p)
{
    const cv_convergence *now = &p->convergence;
    int target = cv_convergence_percentage(cv_convergence_target(&p->overview.s));
    cv_chart_say(c, "%s %d%% (target %d%%): %zu of %zu tension%s closed, %zu of %zu expert%s signalled",
                 now->before == CV_ABSENT ? "Convergence" : "Decided at", now->reached, target,
                 now->tensions - now->open_count, now->tensions, CV_PLURAL(now->tensions), now->signals, now->panel,
                 CV_PLURAL(now->panel));
    cv_chart_line(c);
    say_open(c, p);
    if (now->missing_count > 0)
        cv_chart_names(c, "  no signal:", now->missing, now->missing_count);
    if (now->dissenting_count > 0)
        cv_chart_names(c, "  dissent:", now->dissenting, now->dissenting_count);
    if (p->unregistered.count > 0)
        cv_chart_names(c, "  dissent, not registered:", p->unregistered.items, p->unregistered.count);
}

/* ---- people, and what comes -------------------------------------------------------------------------------------- */

static void say_leaders(cv_chart *c, const cv_progress *p)
{
    size_t shown = p->standings.count < MOST_LEADERS ? p->standings.count : MOST_LEADERS, last = p->overview.count - 1;
    size_t room = stretched(c, ROLE), role = room < ROLE ? room : ROLE;
    cv_chart_line(c);
    cv_chart_head(c, "rank  expert        %-*s    total   last", (int)role, "role");
    for (size_t i = 0; i < shown; i++) {
        const cv_standing *one = &p->standings.items[i];
        cv_chart_int(c, one->rank, 4);
        cv_chart_say(c, "  ");
        cv_chart_cell(c, one->expert->expert_slug, NAME, CV_CHART_LEFT);
        cv_chart_say(c, "  ");
        cv_chart_cell(c, one->expert->role, role, CV_CHART_LEFT);
        cv_chart_int(c, one->total, 9);
        cv_chart_int(c, one->scores[last], 7);
        cv_chart_line(c);
    }
    if (p->standings.count > shown) {
        cv_chart_say(c, "      … %zu more", p->standings.count - shown);
        cv_chart_line(c);
    }
}

void cv_progress_say_absent(cv_chart *c, const cv_progress *p)
{
    for (size_t i = 0; i < p->overview.notes.count; i++) {
        cv_chart_say(c, "! %.*s", CV_FMT(p->overview.notes.items[i].message));
        cv_chart_line(c);
    }
}

static void say_outlook(cv_chart *c, const cv_progress *p)
{
    const cv_estimate *e = &p->estimate;
    if (e->rounds_left == CV_ABSENT)
        cv_chart_say(c, "Rounds left: unknown (%.*s)", CV_FMT(e->reason));
    else
        cv_chart_say(c, "Rounds left: %lld (%.*s)", (long long)e->rounds_left, CV_FMT(e->reason));
    cv_chart_line(c);
    cv_progress_say_next(c, p);
}

void cv_progress_say_next(cv_chart *c, const cv_progress *p)
{
    cv_chart_prose(c, "Next: ", p->next.text);
    cv_chart_say(c, "  %.*s", CV_FMT(p->next.command));
    cv_chart_line(c);
}

static void say_files(cv_chart *c, const cv_progress *p)
{
    cv_str *names = CV_NEW_ARRAY(c->arena, p->files.count, cv_str);
    for (size_t i = 0; i < p->files.count; i++)
        names[i] = p->files.items[i].expert;
    if (p->files.count > 0)
        cv_chart_names(c, "Response files that were not sent:", names, p->files.count);
}

cv_str cv_progress_text(cv_chart c, const cv_progress *p)
{
    cv_progress_say_head(&c, p);
    say_decision(&c, p);
    if (p->overview.count > 0) {
        say_rounds(&c, &p->overview);
        cv_chart_line(&c);
        cv_progress_say_blockers(&c, p);
        say_leaders(&c, p);
        cv_progress_say_absent(&c, p);
    }
    cv_chart_line(&c);
    say_files(&c, p);
    say_outlook(&c, p);
    return cv_chart_take(&c);
}
