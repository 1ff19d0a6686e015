/* opinions_text.c - how opinions moved, as a page for people; see opinions.h. */
#include "dialogue/view/opinions.h"

enum { NAME = 14, STANCE = 11, FORM = 11, FIRST = 5 };

static void say_head(cv_chart *c, const cv_opinions *o)
{
    cv_chart_paint(c, CV_PAINT_BOLD);
    cv_chart_text(c, o->s.dialogue.title, cv_chart_width(c));
    cv_chart_paint(c, CV_PAINT_END);
    cv_chart_line(c);
    cv_chart_say(c, "%.*s: ", CV_FMT(o->s.id));
    cv_chart_status(c, o->s.dialogue.status, o->s.dialogue.status.n);
    cv_chart_say(c, ", %zu round%s", o->rounds.count, CV_PLURAL(o->rounds.count));
    cv_chart_line(c);
}

static void say_rounds(cv_chart *c, const cv_opinions *o)
{
    cv_chart_line(c);
    cv_chart_head(c, "round  panel  agree  dissent  came to agree  without evidence  new evidence");
    for (size_t i = 0; i < o->rounds.count; i++) {
        const cv_opinion_round *r = &o->rounds.items[i];
        cv_chart_int(c, r->round, FIRST);
        cv_chart_int(c, (int64_t)r->panel, 7);
        cv_chart_int(c, (int64_t)r->agree, 7);
        cv_chart_int(c, (int64_t)r->dissent, 9);
        cv_chart_int(c, (int64_t)r->came, 15);
        cv_chart_int(c, (int64_t)r->without, 18);
        cv_chart_int(c, (int64_t)r->evidence, 14);
        cv_chart_line(c);
    }
    for (size_t i = 0; i < o->collapses.count; i++) {
        cv_chart_say(c, "! round %lld: the panel collapsed into agreement, most of it without new evidence",
                     (long long)o->collapses.items[i]);
        cv_chart_line(c);
    }
}

/* "E0001, E0003 (cited)": what the expert refers to, or else what it could have known. */
static void say_basis(cv_chart *c, const cv_opinion_change *change)
{
    bool cited = change->cited.count > 0;
    const cv_str *ids = cited ? change->cited.items : change->evidence.items;
    size_t count = cited ? change->cited.count : change->evidence.count;
    enum { SHOWN = 3 };
    if (count == 0)
        cv_chart_say(c, "no new evidence");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        cv_chart_say(c, "%s%.*s", i ? ", " : "", CV_FMT(ids[i]));
    if (count > SHOWN)
        cv_chart_say(c, " and %zu more", count - SHOWN);
    if (count)
        cv_chart_say(c, cited ? " (cited)" : " (available)");
}

static void say_changes(cv_chart *c, const cv_opinions *o)
{
    cv_chart_line(c);
    cv_chart_head(c, "Opinion changes: %zu", o->changes.count);
    if (o->changes.count == 0)
        return;
    cv_chart_say(c, "  %zu with new evidence, %zu of them citing it; %zu without", o->with, o->citing, o->without);
    cv_chart_line(c);
    for (size_t i = 0; i < o->changes.count; i++) {
        const cv_opinion_change *change = &o->changes.items[i];
        cv_chart_int(c, change->round, FIRST);
        cv_chart_say(c, "  ");
        cv_chart_cell(c, change->expert, NAME, CV_CHART_LEFT);
        cv_chart_cell(c, change->from, STANCE, CV_CHART_LEFT);
        cv_chart_cell(c, change->conceded.count ? CV_STR("concedes") : change->to, STANCE, CV_CHART_LEFT);
        say_basis(c, change);
        cv_chart_line(c);
    }
}

static void say_dissent(cv_chart *c, const cv_opinions *o)
{
    cv_chart_line(c);
    cv_chart_head(c, "Dissent: %zu kept, %zu withdrawn, %zu lost, %zu pending", o->kept, o->withdrawn, o->lost,
                  o->pending);
    for (size_t i = 0; i < o->dissents.count; i++) {
        const cv_opinion_dissent *d = &o->dissents.items[i];
        cv_chart_int(c, d->round, FIRST);
        cv_chart_say(c, "  ");
        cv_chart_cell(c, d->expert, NAME, CV_CHART_LEFT);
        cv_chart_cell(c, d->outcome, STANCE, CV_CHART_LEFT);
        cv_chart_cell(c, d->form, FORM, CV_CHART_LEFT);
        cv_chart_text(c, d->verdict_id, cv_chart_width(c) - FIRST - 2 - NAME - STANCE - FORM);
        cv_chart_line(c);
    }
}

static void say_overlap(cv_chart *c, const cv_opinions *o)
{
    if (!o->pair_count)
        return;
    cv_chart_line(c);
    cv_chart_head(c, "Overlap of contributions: %lld%% of the words on average, of %zu pair%s",
                  (long long)o->mean_overlap, o->pair_count, CV_PLURAL(o->pair_count));
    for (size_t i = 0; i < o->pairs.count; i++) {
        const cv_opinion_pair *p = &o->pairs.items[i];
        cv_chart_int(c, p->overlap, FIRST - 1);
        cv_chart_say(c, "%%  ");
        cv_chart_cell(c, p->one, NAME, CV_CHART_LEFT);
        cv_chart_cell(c, p->other, NAME, CV_CHART_LEFT);
        if (p->shared_items)
            cv_chart_say(c, "%zu item%s together", p->shared_items, CV_PLURAL(p->shared_items));
        cv_chart_line(c);
    }
}

cv_str cv_opinions_text(cv_chart c, const cv_opinions *o)
{
    say_head(&c, o);
    if (o->rounds.count) {
        say_rounds(&c, o);
        say_changes(&c, o);
    }
    say_dissent(&c, o);
    say_overlap(&c, o);
    return cv_chart_take(&c);
}
