/* verify_facts.c - what rows say about each other; see verifier.h.
 *
 *     statuses     an entity's status is what its events say, folded in order
 *     totals       rounds and alignment of the dialogue, the score of each expert
 *     numbers      rounds and the entities of each round are numbered without gaps
 *     references   sources, targets, origins, moves and verdicts name what exists
 *     responses    their SHA-256 is that of their content
 *
 * Digests prove that nothing was changed; these prove that what was written made sense. Types come in their
 * order (types.h), so that what is referred to has been seen before.
 */
#include "dialogue/verifier.h"

#include "record/hash.h"

/* Notes the first fact that does not agree. */
#define FACT(v, place, ...)                                                                                            \
    ((v)->fact.code == CV_ERR_NONE ? (void)cv_verify_disagree(scope, (place), &(v)->fact, __VA_ARGS__) : (void)0)

static int64_t or_zero(int64_t n)
{
    return n == CV_ABSENT ? 0 : n;
}

static cv_expert_sum *expert_of(const cv_verify *v, cv_str slug)
{
    const uintptr_t *at = cv_map_get(&v->expert_at, slug);
    return at ? &v->experts.items[*at - 1] : NULL;
}

static bool exists(const cv_verify *v, cv_str name)
{
    uint32_t place = cv_place_of(name);
    if (place != CV_NO_PLACE)
        return v->statuses[place] != 0;
    return name.n > 1 && name.p[0] == '@' && expert_of(v, cv_str_from(name, 1));
}

/* A list of ids: each of them exists. */
static void check_ids(cv_verify *v, const cv_scope_verifier *scope, const cv_type *type, const void *row,
                      const char *field, cv_str list)
{
    cv_json ids;
    cv_err broken = {.arena = v->scratch};
    if (list.n == 0)
        return;
    cv_str place = cv_row_name(v->scratch, type, row);
    if (!cv_json_parse(v->scratch, list, &ids, &broken) || ids.type != CV_JSON_ARRAY) {
        FACT(v, place, "%s: expected a JSON list, found other text", field);
        return;
    }
    for (uint32_t i = 0; i < ids.count; i++)
        if (ids.items[i].type != CV_JSON_STRING || !exists(v, ids.items[i].text))
            FACT(v, place, "%s: expected ids that exist, found '%.*s'", field,
                 CV_FMT(ids.items[i].type == CV_JSON_STRING ? ids.items[i].text : CV_STR("something else")));
}

/* ---- one row ----------------------------------------------------------------------------------------------------- */

static void see_expert(cv_verify *v, const cv_rec_expert *row)
{
    cv_str slug = cv_arena_copy(v->arena, row->expert_slug);
    *CV_PUSH(v->arena, &v->experts) = (cv_expert_sum){slug, or_zero(row->total_score), 0};
    *cv_map_put(&v->expert_at, v->arena, slug, NULL) = v->experts.count;
}

static void see_round(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_round *row)
{
    if (row->round != v->rounds)
        FACT(v, cv_row_name(v->scratch, &cv_rec_round_type, row), "expected round %lld", (long long)v->rounds);
    v->rounds++;
    v->alignment += or_zero(row->score);
}

static void see_score(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_score *row)
{
    cv_expert_sum *expert = expert_of(v, row->expert_slug);
    if (expert)
        expert->sum += or_zero(row->score);
    else
        FACT(v, cv_row_name(v->scratch, &cv_rec_score_type, row), "expected an expert of the dialogue, found none");
}

static void see_response(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_response *row)
{
    cv_str found = {NULL, 0};
    if (row->content.p && !cv_is_redacted(row->content, &found))
        found = cv_hash_text(v->scratch, row->content);
    if (row->sha256.p && row->content.p && !cv_str_eq(found, row->sha256))
        FACT(v, cv_row_name(v->scratch, &cv_rec_response_type, row), "sha256: expected %.*s, found %.*s",
             CV_FMT(row->sha256), CV_FMT(found));
}

/* The first of its round has number 1, the others follow. */
static void see_entity(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_entity *row)
{
    uint32_t place = cv_place_of_entity(row);
    int status = place == CV_NO_PLACE ? -1 : cv_status_find(cv_place_kind(place), row->status);
    if (status < 0) {
        FACT(v, cv_row_name(v->scratch, &cv_rec_entity_type, row), "expected a status of its kind, found '%.*s'",
             CV_FMT(row->status));
        return;
    }
    if (place % 100 != 1 && place != v->last_place + 1)
        FACT(v, cv_row_name(v->scratch, &cv_rec_entity_type, row),
             "expected numbers without gaps, found %lld after %lld", (long long)row->seq,
             (long long)(v->last_place / 100 == place / 100 ? v->last_place % 100 : 0));
    v->last_place = place;
    v->statuses[place] = (uint8_t)(status + 1);
}

static void see_origin(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_origin *row)
{
    if (!exists(v, row->display_id))
        FACT(v, cv_row_name(v->scratch, &cv_rec_origin_type, row), "expected an id that exists, found '%.*s'",
             CV_FMT(row->display_id));
}

static void see_reference(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_reference *row)
{
    cv_str missing = !exists(v, row->source_id) ? row->source_id : row->target_id;
    if (!exists(v, missing))
        FACT(v, cv_row_name(v->scratch, &cv_rec_reference_type, row), "expected ids that exist, found '%.*s'",
             CV_FMT(missing));
}

static void see_verdict(cv_verify *v, const cv_scope_verifier *scope, const cv_rec_verdict *row)
{
    check_ids(v, scope, &cv_rec_verdict_type, row, "tensions_resolved", row->tensions_resolved);
    check_ids(v, scope, &cv_rec_verdict_type, row, "tensions_accepted", row->tensions_accepted);
    check_ids(v, scope, &cv_rec_verdict_type, row, "recommendations_adopted", row->recommendations_adopted);
    check_ids(v, scope, &cv_rec_verdict_type, row, "key_evidence", row->key_evidence);
    check_ids(v, scope, &cv_rec_verdict_type, row, "key_claims", row->key_claims);
}

static bool see_row(void *ctx, const cv_scope_verifier *scope, const cv_type *type, const void *row, cv_err *err)
{
    cv_verify *v = ctx;
    (void)err;
    if (type == &cv_rec_dialogue_type) {
        v->total_rounds = or_zero(((const cv_rec_dialogue *)row)->total_rounds);
        v->total_alignment = or_zero(((const cv_rec_dialogue *)row)->total_alignment);
    } else if (type == &cv_rec_expert_type) {
        see_expert(v, row);
    } else if (type == &cv_rec_round_type) {
        see_round(v, scope, row);
    } else if (type == &cv_rec_score_type) {
        see_score(v, scope, row);
    } else if (type == &cv_rec_response_type) {
        see_response(v, scope, row);
    } else if (type == &cv_rec_entity_type) {
        see_entity(v, scope, row);
    } else if (type == &cv_rec_origin_type) {
        see_origin(v, scope, row);
    } else if (type == &cv_rec_reference_type) {
        see_reference(v, scope, row);
    } else if (type == &cv_rec_move_type) {
        check_ids(v, scope, type, row, "targets", ((const cv_rec_move *)row)->targets);
    } else if (type == &cv_rec_verdict_type) {
        see_verdict(v, scope, row);
    }
    cv_arena_reset(v->scratch);
    return true;
}

static bool see_event(void *ctx, const cv_scope_verifier *scope, const cv_event_row *event, cv_err *err)
{
    cv_verify *v = ctx;
    (void)scope, (void)err;
    cv_place_fold(v->folded, event);
    return true;
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

static bool check_status(const cv_verify *v, const cv_scope_verifier *scope, uint32_t place, cv_err *err)
{
    char id[6];
    cv_str name = cv_place_print(place, id);
    uint8_t row = v->statuses[place], events = v->folded[place];
    if (row == events)
        return true;
    if (!row || !events)
        return cv_verify_disagree(scope, name, err, "expected %s, found none", row ? "events about it" : "a row");
    return cv_verify_disagree(scope, name, err, "status: expected '%.*s' as its events say, found '%.*s'",
                              CV_FMT(cv_statuses[events - 1].word), CV_FMT(cv_statuses[row - 1].word));
}

static bool check_facts(void *ctx, const cv_scope_verifier *scope, cv_err *err)
{
    cv_verify *v = ctx;
    if (v->fact.code != CV_ERR_NONE) {
        cv_err_copy(err, &v->fact);
        return false;
    }
    for (uint32_t place = 0; place < CV_PLACES; place++)
        if (!check_status(v, scope, place, err))
            return false;
    for (size_t i = 0; i < v->experts.count; i++) {
        const cv_expert_sum *e = &v->experts.items[i];
        if (e->total != e->sum)
            return cv_verify_disagree(scope, cv_arena_printf(v->scratch, "expert/%.*s", CV_FMT(e->slug)), err,
                                      "total_score: expected %lld as the scores add up, found %lld", (long long)e->sum,
                                      (long long)e->total);
    }
    if (v->total_rounds != v->rounds)
        return cv_verify_disagree(scope, CV_STR("dialogue"), err, "total_rounds: expected %lld rounds, found %lld",
                                  (long long)v->rounds, (long long)v->total_rounds);
    if (v->total_alignment != v->alignment)
        return cv_verify_disagree(scope, CV_STR("dialogue"), err,
                                  "total_alignment: expected %lld as the rounds add up, found %lld",
                                  (long long)v->alignment, (long long)v->total_alignment);
    return true;
}

cv_room_verify cv_verify_facts(cv_arena *a, cv_arena *scratch)
{
    cv_verify *v = CV_NEW(a, cv_verify);
    v->arena = v->fact.arena = a;
    v->scratch = scratch;
    return (cv_room_verify){.event = see_event, .row = see_row, .end = check_facts, .ctx = v};
}
