/* state.c - a dialogue in memory; see state.h. */
#include "dialogue/state.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/place.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_arena *a;
    cv_state *s;
    cv_keep keep; /* NULL: everything */
    void *ctx;
} loading;

static void index_row(cv_arena *a, cv_map *map, cv_str key, size_t count)
{
    *cv_map_put(map, a, key, NULL) = count;
}

#define KEEP(KIND, name, list)                                                                                         \
    case CV_REC_##KIND: {                                                                                              \
        cv_rec_##name *kept = CV_PUSH(l->a, &s->list);                                                                 \
        *kept = *(const cv_rec_##name *)cv_row_copy(l->a, cv_kind_types[kind], row);                                   \
        break;                                                                                                         \
    }

static void keep_seat(loading *l, const cv_rec_seat *row)
{
    cv_rec_seat *kept = row->position == CV_ABSENT ? CV_PUSH(l->a, &l->s->lost) : CV_PUSH(l->a, &l->s->seats);
    *kept = *(const cv_rec_seat *)cv_row_copy(l->a, cv_kind_types[CV_REC_SEAT], row);
}

static bool keep_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    loading *l = ctx;
    cv_state *s = l->s;
    if (!cv_row_check(kind, row, err))
        return false;
    if (l->keep && !l->keep(l->ctx, kind, row))
        return true;
    switch (kind) {
    case CV_REC_DIALOGUE:
        s->dialogue = *(const cv_rec_dialogue *)cv_row_copy(l->a, cv_kind_types[kind], row);
        break;
    case CV_REC_SEAT:
        keep_seat(l, row);
        break;
        KEEP(EXPERT, expert, experts)
        KEEP(ROUND, round, rounds)
        KEEP(SCORE, score, scores)
        KEEP(RESPONSE, response, responses)
        KEEP(ENTITY, entity, entities)
        KEEP(ORIGIN, origin, origins)
        KEEP(REFERENCE, reference, references)
        KEEP(MOVE, move, moves)
        KEEP(POSITION, position, positions)
        KEEP(VERDICT, verdict, verdicts)
        KEEP(EVENT, event, events)
    case CV_REC_COUNT:
        break;
    }
    return true;
}

/* Numbers that every row of every kind has that has them at all, and that outlines have, too. */
static bool is_required(cv_str field)
{
    return cv_str_eq(field, CV_STR("round")) || cv_str_eq(field, CV_STR("score")) || cv_str_eq(field, CV_STR("seq"));
}

/* NULL: the field is what it should be; else what it is not. */
static const char *fault_of(const cv_type_field *field, const void *row)
{
    const char *at = (const char *)row + field->offset;
    if (cv_field_is_int(field)) {
        int64_t number;
        memcpy(&number, at, sizeof number);
        bool is_round = cv_str_ends(field->name, CV_STR("round"));
        if (number == CV_ABSENT)
            return is_required(field->name) ? "absent" : NULL;
        int64_t least = is_round ? 0 : -CV_ROW_MOST, most = is_round ? CV_MAX_ROUND : CV_ROW_MOST;
        return number < least || number > most ? "out of range" : NULL;
    }
    cv_str text;
    memcpy(&text, at, sizeof text);
    if (!text.p)
        return NULL;
    if (field->type == CV_JSON || field->type == CV_DECIMAL) /* printed as they are */
        return cv_json_is_valid(text, CV_MAX_JSON_DEPTH / 2) ? NULL : "not JSON";
    return cv_utf8_valid(text) == text.n ? NULL : "not UTF-8";
}

static bool is_in_lifecycle(const cv_rec_entity *entity)
{
    return cv_status_find((cv_kind)cv_kind_of_letter(entity->kind.p[0]), entity->status) >= 0;
}

/* Everything above trusts the rows: what other programs, or a failing disk, have put into the tables is found here. */
bool cv_row_check(cv_rec_kind kind, const void *row, cv_err *err)
{
    assert(kind < CV_REC_COUNT);
    const cv_type *type = cv_kind_types[kind];
    if (kind == CV_REC_ENTITY && cv_place_of_entity(row) == CV_NO_PLACE)
        return cv_stored_corrupt(err, "an entity whose number is out of range");
    if (kind == CV_REC_ENTITY && !is_in_lifecycle(row))
        return cv_stored_corrupt(err, "an entity whose status is none of its kind");
    for (size_t i = 0; i < type->field_count; i++) {
        const char *fault = fault_of(&type->fields[i], row);
        if (fault)
            return cv_stored_corrupt(err, "a row (%.*s) whose %.*s is %s", CV_FMT(type->name),
                                     CV_FMT(type->fields[i].name), fault);
    }
    return true;
}

/* Seats are of experts. They are looked for only where all of both were read. */
static bool check_seats(const cv_state *s, const cv_wanted *wanted, cv_err *err)
{
    const uint32_t both = CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT);
    if (wanted->since_rev > 0 || (wanted->kinds && (wanted->kinds & both) != both))
        return true;
    for (size_t i = 0; i < s->seats.count; i++)
        if (!cv_state_expert(s, s->seats.items[i].expert_slug))
            return cv_stored_corrupt(err, "a seat of '%.*s', who is not an expert of the dialogue",
                                     CV_FMT(s->seats.items[i].expert_slug));
    return true;
}

static int by_position(const void *x, const void *y)
{
    const cv_rec_expert *a = x, *b = y;
    return CV_ORDER(a->position, b->position);
}

static int by_round_and_position(const void *x, const void *y)
{
    const cv_rec_seat *a = x, *b = y;
    int order = CV_ORDER(a->round, b->round);
    return order ? order : CV_ORDER(a->position, b->position);
}

void cv_state_index(cv_arena *a, cv_state *s)
{
    s->expert_at = s->entity_at = s->origin_at = s->verdict_at = (cv_map){0};
    if (s->experts.count > 1)
        qsort(s->experts.items, s->experts.count, sizeof *s->experts.items, by_position);
    if (s->seats.count > 1)
        qsort(s->seats.items, s->seats.count, sizeof *s->seats.items, by_round_and_position);
    for (size_t i = 0; i < s->experts.count; i++)
        index_row(a, &s->expert_at, s->experts.items[i].expert_slug, i + 1);
    for (size_t i = 0; i < s->entities.count; i++)
        index_row(a, &s->entity_at, cv_entity_id(a, &s->entities.items[i]), i + 1);
    for (size_t i = 0; i < s->origins.count; i++)
        index_row(a, &s->origin_at, s->origins.items[i].local_id, i + 1);
    for (size_t i = 0; i < s->verdicts.count; i++)
        index_row(a, &s->verdict_at, s->verdicts.items[i].verdict_id, i + 1);
}

/* ---- all dialogues ----------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} id_list;

static bool keep_id(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    id_list *ids = ctx;
    (void)at, (void)err;
    *CV_PUSH(ids->arena, ids) = cv_arena_copy(ids->arena, scope.name);
    return true;
}

/* The ids of all dialogues, in their order. `limit` 0: all. */
static bool all_ids(const cv_call *call, size_t limit, id_list *ret, cv_err *err)
{
    *ret = (id_list){.arena = call->arena};
    return call->record->calls->scopes(call->record, CV_STR("dialogue"), CV_STR(""), limit, keep_id, ret, err);
}

bool cv_state_each(cv_call *call, bool (*visit)(void *ctx, cv_str id, cv_err *err), void *ctx, cv_err *err)
{
    id_list all;
    bool ok = all_ids(call, 0, &all, err);
    for (size_t i = 0; i < all.count && ok; i++)
        ok = cv_call_tell(call, i, all.count, all.items[i], err) && visit(ctx, all.items[i], err);
    return ok;
}

/* ---- a dialogue that is not there -------------------------------------------------------------------------------- */

static bool not_found(cv_call *call, cv_str dialogue_id, cv_err *err)
{
    id_list known;
    cv_err ignored = {.arena = call->arena}; /* the answer has no suggestion */
    all_ids(call, CV_MAX_PAGE, &known, &ignored);
    cv_err_set(err, CV_ERR_DIALOGUE_NOT_FOUND, "there is no dialogue '%.*s'", CV_FMT(dialogue_id));
    cv_err_field(err, CV_STR("dialogue_id"));
    cv_err_value(err, dialogue_id);
    if (!cv_err_nearest(err, dialogue_id, known.items, known.count)) {
        cv_err_operation(err, CV_STR("dialogue list"));
        cv_err_suggest(err, CV_STR("shows all dialogues"));
    }
    return false;
}

bool cv_state_load_some(cv_call *call, cv_str dialogue_id, const cv_wanted *wanted, cv_keep keep, void *ctx,
                        cv_state *ret_state, cv_err *err)
{
    bool found;
    *ret_state = (cv_state){.id = dialogue_id};
    loading l = {call->arena, ret_state, keep, ctx};
    cv_wanted asked = *wanted;
    if (!wanted->kinds || wanted->kinds & CV_REC_BIT(DIALOGUE))
        asked.imported = &ret_state->imported;
    if (!cv_snapshot(call, dialogue_id, &asked, keep_row, &l, &ret_state->position, &found, err))
        return false;
    if (!found)
        return not_found(call, dialogue_id, err);
    if (ret_state->position.rev < 0 || ret_state->position.rev > CV_ROW_MOST || ret_state->position.event_count < 0 ||
        ret_state->position.event_count > CV_ROW_MOST)
        return cv_stored_corrupt(err, "a dialogue whose rev or number of events is out of range");
    cv_state_index(call->arena, ret_state);
    return keep || check_seats(ret_state, wanted, err);
}

bool cv_state_load(cv_call *call, cv_str dialogue_id, const cv_wanted *wanted, cv_state *ret_state, cv_err *err)
{
    return cv_state_load_some(call, dialogue_id, wanted, NULL, NULL, ret_state, err);
}

bool cv_state_kept_moving(cv_call *call)
{
    cv_err_suggest(cv_errs_add(call->errs, call->arena, CV_ERR_REV_CONFLICT,
                               "others kept changing the dialogue (%d tries)", CV_MAX_READINGS),
                   CV_STR("try again"));
    return false;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

static size_t place(const cv_map *map, cv_str key)
{
    const uintptr_t *at = cv_map_get(map, key);
    return at ? (size_t)*at : 0;
}

cv_rec_expert *cv_state_expert(const cv_state *s, cv_str slug)
{
    char lower[64];
    if (slug.n > sizeof lower)
        return NULL;
    for (size_t i = 0; i < slug.n; i++)
        lower[i] = cv_lower(slug.p[i]);
    size_t at = place(&s->expert_at, (cv_str){lower, slug.n});
    assert(at <= s->experts.count);
    return at ? &s->experts.items[at - 1] : NULL;
}

cv_rec_entity *cv_state_entity(const cv_state *s, cv_str display_id)
{
    size_t at = place(&s->entity_at, display_id);
    assert(at <= s->entities.count);
    return at ? &s->entities.items[at - 1] : NULL;
}

const cv_rec_origin *cv_state_origin(const cv_state *s, cv_str local_id)
{
    char upper[64];
    if (local_id.n > sizeof upper)
        return NULL;
    for (size_t i = 0; i < local_id.n; i++)
        upper[i] = cv_upper(local_id.p[i]);
    size_t at = place(&s->origin_at, (cv_str){upper, local_id.n});
    assert(at <= s->origins.count);
    return at ? &s->origins.items[at - 1] : NULL;
}

const cv_rec_verdict *cv_state_verdict(const cv_state *s, cv_str verdict_id)
{
    size_t at = place(&s->verdict_at, verdict_id);
    assert(at <= s->verdicts.count);
    return at ? &s->verdicts.items[at - 1] : NULL;
}

const cv_rec_round *cv_state_round(const cv_state *s, int64_t round)
{
    for (size_t i = 0; i < s->rounds.count; i++)
        if (s->rounds.items[i].round == round)
            return &s->rounds.items[i];
    return NULL;
}

size_t cv_state_panel(const cv_state *s, int64_t round, const cv_rec_seat **ret_seats)
{
    size_t end = s->seats.count;
    while (end > 0 && s->seats.items[end - 1].round > round)
        end--;
    size_t start = end;
    while (start > 0 && s->seats.items[start - 1].round == s->seats.items[end - 1].round)
        start--;
    *ret_seats = start < end ? &s->seats.items[start] : NULL;
    return end - start;
}

size_t cv_state_slugs(cv_arena *a, const cv_state *s, cv_str **ret_slugs)
{
    *ret_slugs = CV_NEW_ARRAY(a, s->experts.count, cv_str);
    for (size_t i = 0; i < s->experts.count; i++)
        (*ret_slugs)[i] = s->experts.items[i].expert_slug;
    return s->experts.count;
}

int64_t cv_state_next_round(const cv_state *s)
{
    return s->rounds.count ? s->rounds.items[s->rounds.count - 1].round + 1 : 0;
}

cv_str cv_entity_id(cv_arena *a, const cv_rec_entity *entity)
{
    cv_id id = {.form = CV_ID_DISPLAY,
                .kind = (cv_kind)cv_kind_of_letter(entity->kind.p[0]),
                .round = (int)entity->round,
                .number = (int)entity->seq};
    return cv_id_print(a, &id);
}

cv_str cv_correction_text(cv_arena *a, const cv_rec_entity *entity)
{
    cv_json json;
    cv_err ignored = {.arena = a};
    cv_buf text = {0};
    if (!entity->correction.n || !cv_json_parse(a, entity->correction, &json, &ignored))
        return (cv_str){NULL, 0};
    const cv_json *by = cv_json_get(&json, CV_STR("by"));
    cv_str reason = cv_str_trim(cv_json_get_text(&json, "reason"));
    cv_buf_add_z(&text, "corrected");
    for (uint32_t i = 0; by && by->type == CV_JSON_ARRAY && i < by->count; i++)
        cv_buf_printf(&text, "%s%.*s", i ? ", " : " by ", CV_FMT(by->items[i].text));
    if (reason.n)
        cv_buf_add_z(&text, ": ");
    cv_buf_add(&text, reason);
    return cv_buf_take(&text, a);
}

cv_str cv_turn_key(cv_arena *a, int64_t round, cv_str expert_slug)
{
    return cv_arena_printf(a, "%lld/%.*s", (long long)round, CV_FMT(expert_slug));
}

bool cv_tension_is_open(const cv_rec_entity *entity)
{
    int status = cv_status_find(CV_KIND_TENSION, entity->status);
    return status >= 0 && cv_tension_status_is_open((cv_status)status);
}
