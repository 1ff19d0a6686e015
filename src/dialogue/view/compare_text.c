/* compare_text.c - dialogues side by side, as a page for people; see compare.h. */
#include "dialogue/view/chart.h"
#include "dialogue/view/compare.h"
#include "dialogue/words/limits.h"

enum {
    NAME = 17,   /* columns of the names of rows */
    COLUMN = 20, /* of a dialogue */
    GAP = 1,
    ABREAST = (CV_CHART_WIDTH - NAME) / (COLUMN + GAP),
};

typedef void (*row_printer)(cv_chart *c, const cv_compared *d);

/* The scale of a row of sparklines, the same for all dialogues. */
static cv_chart_scale scale_of(cv_chart *c, const cv_comparison *all, cv_overview_number number)
{
    cv_chart_scale scale = {0};
    for (size_t d = 0; d < all->count; d++) {
        const cv_overview *o = &all->items[d]->overview;
        cv_chart_measure(&scale, cv_overview_series(c->arena, o, number), o->count);
    }
    return scale;
}

static void say_number(cv_chart *c, int64_t value)
{
    cv_str text = value == CV_ABSENT ? CV_STR("—") : cv_arena_printf(c->arena, "%lld", (long long)value);
    cv_chart_cell(c, text, COLUMN, CV_CHART_LEFT);
}

static void say_text(cv_chart *c, cv_str text)
{
    cv_chart_cell(c, text.n ? text : CV_STR("—"), COLUMN, CV_CHART_LEFT);
}

static void say_spark(cv_chart *c, cv_chart_scale scale, const cv_overview *overview, cv_overview_number number)
{
    if (overview->count == 0) {
        say_text(c, (cv_str){NULL, 0});
        return;
    }
    cv_chart_spark(c, scale, cv_overview_series(c->arena, overview, number), overview->count, COLUMN);
    for (size_t i = overview->count; i < COLUMN; i++)
        cv_chart_say(c, " ");
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static void say_title(cv_chart *c, const cv_compared *d)
{
    say_text(c, d->overview.s.dialogue.title);
}
static void say_status(cv_chart *c, const cv_compared *d)
{
    say_text(c, cv_overview_status(&d->overview));
}
static void say_rounds(cv_chart *c, const cv_compared *d)
{
    say_number(c, (int64_t)d->overview.count);
}
static void say_panel(cv_chart *c, const cv_compared *d)
{
    const cv_rec_seat *seats;
    size_t panel = cv_state_panel(&d->overview.s, CV_MAX_ROUND, &seats);
    say_text(c, cv_arena_printf(c->arena, "%zu of %zu expert%s", panel, d->overview.s.experts.count,
                                CV_PLURAL(d->overview.s.experts.count)));
}
static void say_alignment(cv_chart *c, const cv_compared *d)
{
    say_number(c, d->overview.s.dialogue.total_alignment);
}
static void say_tensions(cv_chart *c, const cv_compared *d)
{
    say_text(c, cv_arena_printf(c->arena, "%zu, %lld still open", d->overview.s.entities.count, (long long)d->open));
}
static void say_convergence(cv_chart *c, const cv_compared *d)
{
    say_text(c, cv_arena_printf(c->arena, "%d%%%s", d->percentage, d->decided_earlier ? ", by verdict" : ""));
}
static void say_converged(cv_chart *c, const cv_compared *d)
{
    if (d->decided_earlier)
        say_text(c, cv_arena_printf(c->arena, "%lld, by verdict", (long long)d->converged_after));
    else
        say_number(c, d->converged_after);
}
static void say_verdict(cv_chart *c, const cv_compared *d)
{
    say_text(c, d->verdict ? d->verdict->recommendation : (cv_str){NULL, 0});
}
static void say_confidence(cv_chart *c, const cv_compared *d)
{
    say_text(c, d->verdict ? d->verdict->confidence : (cv_str){NULL, 0});
}
static void say_vote(cv_chart *c, const cv_compared *d)
{
    say_text(c, d->verdict ? d->verdict->vote : (cv_str){NULL, 0});
}

static const struct {
    const char *name;
    row_printer say;
    cv_overview_number number; /* a row of sparklines of it, without a printer */
} rows[] = {
    {"title", say_title, NULL},
    {"status", say_status, NULL},
    {"rounds", say_rounds, NULL},
    {"panel", say_panel, NULL},
    {"alignment", say_alignment, NULL},
    {"scores", NULL, cv_overview_score},
    {"velocity", NULL, cv_overview_velocity},
    {"open tensions", NULL, cv_overview_open},
    {"tensions", say_tensions, NULL},
    {"convergence", say_convergence, NULL},
    {"converged after", say_converged, NULL},
    {"verdict", say_verdict, NULL},
    {"confidence", say_confidence, NULL},
    {"vote", say_vote, NULL},
};

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void say_entities(cv_chart *c, const cv_comparison *all, size_t from, size_t to)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        if (kind == CV_KIND_TENSION)
            continue;
        cv_chart_cell(c, cv_kinds[kind].plural, NAME, CV_CHART_LEFT);
        for (size_t d = from; d < to; d++) {
            say_number(c, (int64_t)all->items[d]->overview.entities[kind]);
            cv_chart_say(c, "%*s", GAP, "");
        }
        cv_chart_line(c);
    }
}

static void say_block(cv_chart *c, const cv_comparison *all, size_t from, size_t to)
{
    cv_chart_cell(c, CV_STR(""), NAME, CV_CHART_LEFT);
    for (size_t d = from; d < to; d++) {
        say_text(c, all->items[d]->overview.s.id);
        cv_chart_say(c, "%*s", GAP, "");
    }
    cv_chart_line(c);
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        cv_chart_cell(c, cv_str_of(rows[i].name), NAME, CV_CHART_LEFT);
        cv_chart_scale scale = rows[i].number ? scale_of(c, all, rows[i].number) : (cv_chart_scale){0};
        for (size_t d = from; d < to; d++) {
            if (rows[i].number)
                say_spark(c, scale, &all->items[d]->overview, rows[i].number);
            else
                rows[i].say(c, all->items[d]);
            cv_chart_say(c, "%*s", GAP, "");
        }
        cv_chart_line(c);
    }
    say_entities(c, all, from, to);
}

/* Those of equally many dialogues together. */
static void say_shared(cv_chart *c, const cv_comparison *all)
{
    cv_str *names = CV_NEW_ARRAY(c->arena, all->shared.count, cv_str);
    for (size_t from = 0, to; from < all->shared.count; from = to) {
        size_t in = all->shared.items[from].count;
        for (to = from; to < all->shared.count && all->shared.items[to].count == in; to++)
            names[to - from] = all->shared.items[to].slug;
        cv_chart_say(c, "%s", from ? "" : "\n");
        cv_chart_names(c, in == all->count ? "in all:" : cv_arena_printf(c->arena, "in %zu of %zu:", in, all->count).p,
                       names, to - from);
    }
}

cv_str cv_comparison_text(cv_chart c, const cv_comparison *all)
{
    for (size_t from = 0; from < all->count; from += ABREAST) {
        cv_chart_say(&c, "%s", from ? "\n" : "");
        say_block(&c, all, from, from + ABREAST < all->count ? from + ABREAST : all->count);
    }
    say_shared(&c, all);
    return cv_chart_take(&c);
}
