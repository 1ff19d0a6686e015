/* compare.c - dialogues side by side; see compare.h. */
#include "dialogue/view/compare.h"

#include <stdlib.h>

#include "dialogue/answer.h"
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
        if (d->overview.rounds[i].converged)
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
    *expert = (cv_compared_expert){slug, CV_NEW_ARRAY(a, dialogues, size_t), 0};
    return expert;
}

static void find_shared(cv_arena *a, cv_comparison *c)
{
    everybody all = {0};
    for (size_t d = 0; d < c->count; d++)
        for (size_t e = 0; e < c->items[d]->overview.s.experts.count; e++) {
            cv_str slug = c->items[d]->overview.s.experts.items[e].expert_slug;
            cv_compared_expert *expert = expert_of(a, &all, slug, c->count);
            expert->in[expert->count++] = d;
        }
    for (size_t i = 0; i < all.list.count; i++)
        if (all.list.items[i].count > 1)
            *CV_PUSH(a, &c->shared) = all.list.items[i];
    if (c->shared.count > 1)
        qsort(c->shared.items, c->shared.count, sizeof *c->shared.items, by_number_and_name);
}

/* From the courses, which are there already, to the rest. */
static void compare(cv_arena *a, cv_comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        count_tensions(c->items[i]);
        find_end(c->items[i]);
    }
    find_shared(a, c);
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static void write_series(cv_json_writer *w, const char *key, const cv_overview *c, cv_overview_number number)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < c->count; i++)
        cv_json_int(w, number(&c->rounds[i]));
    cv_json_end_array(w);
}

static void write_tensions(cv_json_writer *w, const cv_compared *d)
{
    cv_json_key(w, CV_STR("tensions"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "raised", (int64_t)d->overview.s.entities.count);
    cv_json_key_int(w, "resolved", d->tensions[CV_STATUS_TENSION_RESOLVED]);
    cv_json_key_int(w, "accepted", d->tensions[CV_STATUS_TENSION_ACCEPTED]);
    cv_json_key_int(w, "open", d->open);
    cv_json_end_object(w);
}

static void write_entities(cv_json_writer *w, const cv_overview *c)
{
    cv_json_key(w, CV_STR("entities"));
    cv_json_begin_object(w);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_int(w, (int64_t)c->entities[kind]);
    }
    cv_json_end_object(w);
}

static void write_verdict(cv_json_writer *w, const cv_rec_verdict *v)
{
    cv_json_key(w, CV_STR("verdict"));
    if (!v) {
        cv_json_null(w);
        return;
    }
    cv_json_begin_object(w);
    cv_json_key_str(w, "verdict_id", v->verdict_id);
    cv_json_key_int(w, "round", v->round);
    cv_json_key_str(w, "recommendation", v->recommendation);
    cv_answer_text(w, "confidence", v->confidence);
    cv_answer_text(w, "vote", v->vote);
    cv_json_end_object(w);
}

static void write_dialogue(cv_json_writer *w, const cv_compared *d)
{
    const cv_overview *c = &d->overview;
    const cv_rec_seat *seats;
    cv_json_begin_object(w);
    cv_shape_write_members(w, cv_overview_head, c);
    cv_json_key_int(w, "rounds", (int64_t)c->count);
    cv_json_key_int(w, "experts", (int64_t)c->s.experts.count);
    cv_json_key_int(w, "panel_size", (int64_t)cv_state_panel(&c->s, CV_MAX_ROUND, &seats));
    cv_json_key_int(w, "total_alignment",
                    c->s.dialogue.total_alignment == CV_ABSENT ? 0 : c->s.dialogue.total_alignment);
    write_series(w, "scores", c, cv_overview_score);
    write_series(w, "velocities", c, cv_overview_velocity);
    write_series(w, "open_tensions", c, cv_overview_open);
    write_tensions(w, d);
    write_entities(w, c);
    cv_json_key_int(w, "converge_percentage", c->count ? c->rounds[c->count - 1].percentage : 0);
    cv_answer_int(w, "rounds_to_convergence", d->converged_after);
    cv_json_key_bool(w, "decided_earlier", d->decided_earlier);
    write_verdict(w, d->verdict);
    cv_json_end_object(w);
}

static void write_shared(cv_json_writer *w, const cv_comparison *c)
{
    cv_json_key(w, CV_STR("shared_experts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < c->shared.count; i++) {
        const cv_compared_expert *expert = &c->shared.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "expert_slug", expert->slug);
        cv_json_key(w, CV_STR("dialogue_ids"));
        cv_json_begin_array(w);
        for (size_t k = 0; k < expert->count; k++)
            cv_json_str(w, c->items[expert->in[k]]->overview.s.id);
        cv_json_end_array(w);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_comparison(cv_call *call, const cv_comparison *c)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key(&w, CV_STR("dialogues"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < c->count; i++)
        write_dialogue(&w, c->items[i]);
    cv_json_end_array(&w);
    write_shared(&w, c);
    if (call->for_people)
        cv_json_key_str(&w, "text", cv_comparison_text(call->arena, c));
    cv_json_end_object(&w);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

/* Every dialogue that is not there, or there twice, is told. */
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
        if (cv_overview_load(call, id, true, &d->overview, &err)) {
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
    write_comparison(call, &c);
    return true;
}
