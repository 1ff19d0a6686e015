/* show_text.c - one dialogue as a page for people; see show.h.
 *
 *     NVIDIA Decision
 *     nvidia-decision: converged, 3 rounds, alignment 147
 *
 *     Question       as it was asked
 *     Decision       or what blocks it; conditions, what it rests on
 *     Dissent        and minority and interim verdicts, each with its author
 *     Panel          who sat in which rounds
 *     Tensions       each with its status
 *     Rounds         with their scores
 */
#include "dialogue/people.h"
#include "dialogue/view/show.h"

enum {
    SLUG = 14,
    ROUNDS = 14,
    TOTAL = 7,
    SINCE = 26, /* "round 12, by verdict-final" */
    STATUS = 11,
    ID = 7,
    ROUND_NUMBERS = 36, /* columns of a round before its title */
};

static void say_title(cv_chart *c, const char *title, cv_str facts)
{
    cv_chart_line(c);
    cv_chart_head(c, facts.n ? "%s (%.*s)" : "%s%.*s", title, CV_FMT(facts));
}

/* ---- what was asked and decided ---------------------------------------------------------------------------------- */

static void say_list(cv_chart *c, const char *name, cv_str json)
{
    cv_str list = cv_people_list(c->arena, json);
    if (list.n > 0)
        cv_chart_prose(c, cv_arena_printf(c->arena, "  %s: ", name).p, list);
}

static void say_decision(cv_chart *c, const cv_rec_verdict *v)
{
    cv_words conditions = cv_json_list(c->arena, v->conditions);
    say_title(c, "Decision", cv_verdict_facts(c->arena, v));
    cv_chart_prose(c, "  ", v->recommendation);
    if (v->description.n > 0) {
        cv_chart_line(c);
        cv_chart_prose(c, "  ", v->description);
    }
    if (conditions.count > 0)
        say_title(c, "Conditions", CV_STR(""));
    for (size_t i = 0; i < conditions.count; i++)
        cv_chart_prose(c, cv_arena_printf(c->arena, "  %zu. ", i + 1).p, conditions.items[i]);
    if (v->recommendations_adopted.n + v->key_evidence.n + v->key_claims.n > 0) {
        say_title(c, "It rests on", CV_STR(""));
        say_list(c, "recommendations", v->recommendations_adopted);
        say_list(c, "evidence", v->key_evidence);
        say_list(c, "claims", v->key_claims);
    }
}

static void say_undecided(cv_chart *c, const cv_progress *p)
{
    say_title(c, "No decision yet", CV_STR(""));
    if (p->overview.count > 0)
        cv_progress_say_blockers(c, p);
    cv_progress_say_next(c, p);
}

/* "Dissent of scone (round 2)" */
static void say_other(cv_chart *c, const cv_rec_verdict *v)
{
    cv_str type = v->verdict_type, author = v->author_expert;
    cv_str supporters = cv_people_list(c->arena, v->supporting_experts);
    cv_str title = cv_arena_printf(c->arena, "%c%.*s%s%.*s", cv_upper(type.p[0]), CV_FMT(cv_str_from(type, 1)),
                                   author.n ? " of " : " verdict", CV_FMT(author));
    say_title(c, title.p, cv_verdict_facts(c->arena, v));
    cv_chart_prose(c, "  ", v->recommendation);
    if (v->description.n > 0)
        cv_chart_prose(c, "  ", v->description);
    if (supporters.n > 0)
        cv_chart_prose(c, "  supported by ", supporters);
}

/* ---- how it came about ------------------------------------------------------------------------------------------- */

/* "0-2, 4" */
static cv_str ranges(cv_arena *a, const int64_t *rounds, size_t count)
{
    cv_str all = CV_STR("");
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && rounds[to] == rounds[to - 1] + 1; to++)
            ;
        const char *comma = from ? ", " : "";
        if (to - from == 1)
            all = cv_arena_printf(a, "%.*s%s%lld", CV_FMT(all), comma, (long long)rounds[from]);
        else
            all = cv_arena_printf(a, "%.*s%s%lld-%lld", CV_FMT(all), comma, (long long)rounds[from],
                                  (long long)rounds[to - 1]);
    }
    return all;
}

static void say_panel(cv_chart *c, const cv_show *s)
{
    size_t role = cv_chart_width(c) - 2 - SLUG - ROUNDS - TOTAL - 2;
    say_title(c, "Panel", CV_STR(""));
    cv_chart_say(c, "  ");
    cv_chart_cell(c, CV_STR("expert"), SLUG, CV_CHART_LEFT);
    cv_chart_cell(c, CV_STR("role"), role, CV_CHART_LEFT);
    cv_chart_say(c, "  ");
    cv_chart_cell(c, CV_STR("rounds"), ROUNDS, CV_CHART_LEFT);
    cv_chart_cell(c, CV_STR("score"), TOTAL, CV_CHART_RIGHT);
    cv_chart_line(c);
    for (size_t i = 0; i < s->sitters.count; i++) {
        const cv_sitter *one = &s->sitters.items[i];
        cv_chart_say(c, "  ");
        cv_chart_cell(c, one->standing->expert->expert_slug, SLUG - 1, CV_CHART_LEFT);
        cv_chart_say(c, " ");
        cv_chart_cell(c, one->standing->expert->role, role, CV_CHART_LEFT);
        cv_chart_say(c, "  ");
        cv_chart_cell(c, ranges(c->arena, one->rounds, one->round_count), ROUNDS, CV_CHART_LEFT);
        cv_chart_int(c, one->standing->total, TOTAL);
        cv_chart_line(c);
    }
}

static cv_str status_text(cv_arena *a, const cv_tension_status *tension)
{
    cv_str since =
        tension->since == CV_ABSENT ? CV_STR("") : cv_arena_printf(a, "round %lld", (long long)tension->since);
    return cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(since), tension->via.n ? ", by " : "", CV_FMT(tension->via));
}

static void say_tensions(cv_chart *c, const cv_show *s)
{
    size_t label = cv_chart_width(c) - 2 - ID - STATUS - SINCE - 2;
    say_title(c, "Tensions", CV_STR(""));
    for (size_t i = 0; i < s->tensions.count; i++) {
        const cv_tension_status *tension = &s->tensions.items[i];
        cv_chart_say(c, "  ");
        cv_chart_cell(c, tension->id, ID, CV_CHART_LEFT);
        cv_chart_status(c, tension->row->status, STATUS);
        cv_chart_cell(c, tension->row->label, label, CV_CHART_LEFT);
        cv_chart_say(c, "  ");
        cv_chart_text(c, status_text(c->arena, tension), SINCE);
        cv_chart_line(c);
    }
}

static void say_rounds(cv_chart *c, const cv_overview *o)
{
    say_title(c, "Rounds", CV_STR(""));
    cv_chart_say(c, "  round  score  open  converged  title");
    cv_chart_line(c);
    for (size_t i = 0; i < o->count; i++) {
        const cv_overview_round *r = &o->rounds[i];
        cv_chart_int(c, r->row->round, 7);
        cv_chart_int(c, r->row->score, 7);
        cv_chart_int(c, r->open_tensions, 6);
        cv_chart_cell(c, cv_overview_converged(c->arena, r), CV_CONVERGED_COLUMNS, CV_CHART_RIGHT);
        cv_chart_say(c, "  ");
        cv_chart_text(c, r->row->title, cv_chart_width(c) - ROUND_NUMBERS);
        cv_chart_line(c);
    }
}

static void say_tags(cv_chart *c, cv_str tags)
{
    cv_str list = cv_people_list(c->arena, tags);
    if (list.n > 0)
        cv_chart_prose(c, "tags: ", list);
}

cv_str cv_show_text(cv_chart c, const cv_show *s)
{
    cv_progress_say_head(&c, &s->progress);
    say_tags(&c, s->progress.overview.s.dialogue.tags);
    if (s->progress.overview.s.dialogue.question.n > 0) {
        say_title(&c, "Question", CV_STR(""));
        cv_chart_prose(&c, "  ", s->progress.overview.s.dialogue.question);
    }
    if (s->decision)
        say_decision(&c, s->decision);
    else
        say_undecided(&c, &s->progress);
    for (size_t i = 0; i < s->others.count; i++)
        say_other(&c, s->others.items[i]);
    if (s->sitters.count > 0)
        say_panel(&c, s);
    cv_progress_say_absent(&c, &s->progress);
    if (s->tensions.count > 0)
        say_tensions(&c, s);
    if (s->progress.overview.count > 0)
        say_rounds(&c, &s->progress.overview);
    return cv_chart_take(&c);
}
