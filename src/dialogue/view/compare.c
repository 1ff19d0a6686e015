/* compare.c - dialogues side by side; see compare.h. */
#include "dialogue/view/compare.h"

#include <stdlib.h>

#include "dialogue/faults.h"
#include "dialogue/operations.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static void find_end(cv_compared *d)
{
    d->verdict = cv_overview_final(&d->overview);
    d->converged_after = CV_ABSENT;
    for (size_t i = 0; i < d->overview.count && d->converged_after == CV_ABSENT; i++)
        if (d->overview.rounds[i].enough)
            d->converged_after = (int64_t)i + 1;
    d->decided_earlier = d->verdict && (d->converged_after == CV_ABSENT || d->verdict->round + 1 < d->converged_after);
    if (d->decided_earlier)
        d->converged_after =
            d->verdict->round < (int64_t)d->overview.count ? d->verdict->round + 1 : (int64_t)d->overview.count;
}

static void count_tensions(cv_compared *d)
{
    for (size_t i = 0; i < d->overview.s.entities.count; i++) {
        int status = cv_status_find(CV_KIND_TENSION, d->overview.s.entities.items[i].status);
        if (status < 0)
            continue;
        d->tensions[status]++;
        d->open += cv_tension_status_is_open((cv_status)status);
    }
}

static int by_number_and_name(const void *x, const void *y)
{
    const cv_compared_expert *a = x, *b = y;
    int order = CV_ORDER(b->count, a->count);
    return order ? order : cv_str_order(a->slug, b->slug);
}

typedef struct {
    CV_STATE_LIST(cv_compared_expert) list;
    cv_map at; /* slug -> index in the list */
} everybody;

/* The place of an expert in the list, made when the name is new. */
static cv_compared_expert *expert_of(cv_arena *a, everybody *all, cv_str slug, size_t dialogues)
{
    bool is_new;
    uintptr_t *place = cv_map_put(&all->at, a, slug, &is_new);
    if (!is_new)
        return &all->list.items[*place];
    *place = all->list.count;
    cv_compared_expert *expert = CV_PUSH(a, &all->list);
    *expert = (cv_compared_expert){slug, CV_NEW_ARRAY(a, dialogues, cv_str), 0};
    return expert;
}

static void find_shared(cv_arena *a, cv_comparison *c)
{
    everybody all = {0};
    for (size_t d = 0; d < c->count; d++)
        for (size_t e = 0; e < c->items[d]->overview.s.experts.count; e++) {
            cv_str slug = c->items[d]->overview.s.experts.items[e].expert_slug;
            cv_compared_expert *expert = expert_of(a, &all, slug, c->count);
            expert->ids[expert->count++] = c->items[d]->overview.s.id;
        }
    for (size_t i = 0; i < all.list.count; i++)
        if (all.list.items[i].count > 1)
            *CV_PUSH(a, &c->shared) = all.list.items[i];
    if (c->shared.count > 1)
        qsort(c->shared.items, c->shared.count, sizeof *c->shared.items, by_number_and_name);
}

static void follow_rounds(cv_arena *a, cv_compared *d)
{
    const cv_overview *c = &d->overview;
    const cv_rec_seat *seats;
    d->panel_size = cv_state_panel(&c->s, CV_MAX_ROUND, &seats);
    d->scores = cv_overview_series(a, c, cv_overview_score);
    d->velocities = cv_overview_series(a, c, cv_overview_velocity);
    d->opens = cv_overview_series(a, c, cv_overview_open);
    d->percentage = cv_overview_percentage(c);
}

/* From the courses, which are there already, to the rest. */
static void compare(cv_arena *a, cv_comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        count_tensions(c->items[i]);
        find_end(c->items[i]);
        follow_rounds(a, c->items[i]);
    }
    find_shared(a, c);
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_rec_verdict
static const cv_shape verdict_shape[] = {
    CV_FIELD(ALWAYS, verdict_id, ""),  CV_FIELD(ALWAYS, round, ""), CV_FIELD(ALWAYS, recommendation, ""),
    CV_FIELD(OR_NULL, confidence, ""), CV_FIELD(OR_NULL, vote, ""), {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_compared
static const cv_shape tensions_shape[] = {
    CV_FIELD_AS(ALWAYS, "raised", overview.s.entities.count, ""),
    CV_NUMBER(ALWAYS, "resolved", tensions[CV_STATUS_TENSION_RESOLVED], 0, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "accepted", tensions[CV_STATUS_TENSION_ACCEPTED], 0, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "open", open, 0, CV_NO_LIMIT, ""),
    {0},
};
static const cv_shape entities_shape[] = {
#define KIND(id, letter, word, plural, purpose) CV_FIELD_AS(ALWAYS, plural, overview.entities[CV_KIND_##id], ""),
#include "dialogue/words/kinds.def"
#undef KIND
    {0},
};
static const cv_shape dialogue_shape[] = {
    CV_SPREAD(overview, cv_overview_head),
    CV_FIELD_AS(ALWAYS, "rounds", overview.count, ""),
    CV_FIELD_AS(ALWAYS, "experts", overview.s.experts.count, ""),
    CV_FIELD(ALWAYS, panel_size, "who sits now"),
    CV_FIELD_AS(OR_ZERO, "total_alignment", overview.s.dialogue.total_alignment, ""),
    CV_INTS("scores", scores, overview.count, "of each round"),
    CV_INTS("velocities", velocities, overview.count, "of each round"),
    CV_INTS("open_tensions", opens, overview.count, "after each round"),
    CV_GROUP("tensions", tensions_shape, "as they are now"),
    CV_GROUP("entities", entities_shape, "by kind"),
    CV_NUMBER(ALWAYS, "converge_percentage", percentage, 0, 100, "after the last round; decided: 100"),
    CV_FIELD_AS(OR_NULL, "rounds_to_convergence", converged_after, "null: not yet"),
    CV_FIELD(ALWAYS, decided_earlier, "by a final verdict, before the target was reached"),
    CV_OBJECT_AT(OR_NULL, "verdict", verdict, verdict_shape, "the final one"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_compared_expert
static const cv_shape expert_shape[] = {
    CV_FIELD_AS(ALWAYS, "expert_slug", slug, ""),
    CV_TEXTS("dialogue_ids", ids, count, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_comparison
const cv_shape cv_compare_shape[] = {
    CV_SUCCESS,
    CV_LIST_AT("dialogues", items, count, dialogue_shape, "in the order asked for"),
    CV_LIST("shared_experts", shared.items, shared.count, expert_shape,
            "those of at least two; the same name is the same expert"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- the operation ----------------------------------------------------------------------------------------------- */

/* Every dialogue that is not there, or there twice, is reported. */
static bool load_all(cv_call *call, const cv_json *ids, cv_comparison *c)
{
    cv_map seen = {0};
    c->items = CV_NEW_ARRAY(call->arena, ids->count, cv_compared *);
    for (uint32_t i = 0; i < ids->count; i++) {
        cv_err err = {.arena = call->arena};
        cv_str id = ids->items[i].text, at = cv_arena_printf(call->arena, "dialogue_ids[%u]", (unsigned)i);
        bool is_new;
        cv_map_put(&seen, call->arena, id, &is_new);
        if (!is_new) {
            cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "dialogue_ids", id,
                                      "'%.*s' is named twice", CV_FMT(id));
            cv_err_field(fault, at);
            continue;
        }
        cv_compared *d = CV_NEW(call->arena, cv_compared);
        if (cv_overview_load(call, id, 0, &d->overview, &err)) {
            c->items[c->count++] = d;
            continue;
        }
        if (err.code == CV_ERR_DIALOGUE_NOT_FOUND)
            cv_err_field(&err, at);
        cv_call_fail(call, &err);
    }
    return call->errs->count == 0;
}

bool cv_dialogue_compare(cv_call *call)
{
    cv_comparison c = {0};
    if (!load_all(call, cv_json_get(call->input, CV_STR("dialogue_ids")), &c))
        return false;
    compare(call->arena, &c);
    if (call->for_people)
        c.text = cv_comparison_text(cv_chart_for(call), &c);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_compare_shape, &c);
    return true;
}
