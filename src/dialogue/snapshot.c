/* snapshot.c - rows of a dialogue at one moment, and which dialogues there are; see snapshot.h. */
#include "dialogue/snapshot.h"

#include <assert.h>
#include <stdlib.h>

#include "dialogue/place.h"
#include "dialogue/words/id.h"

/* ---- one dialogue ------------------------------------------------------------------------------------------------ */

typedef struct reading reading;

/* One of the questions that a snapshot asks the record. */
typedef struct {
    reading *of;
    cv_rec_kind kind;
} asking;

/* All questions are asked at once. Rows of a kind that come in another order, or twice, are gathered and sorted first;
 * they are shown when those of the next kind come. */
struct reading {
    cv_arena *arena;
    cv_scope_id scope;
    const cv_wanted *wanted;
    bool whole; /* rows are asked for with all that they have, all of a kind at once: they may be kept (record.h) */
    cv_visit visit;
    void *ctx;
    struct {
        cv_lookup *items;
        size_t count, capacity;
    } lookups;
    cv_rec_kind kind;  /* whose rows come */
    uint32_t gathered; /* the kinds whose rows are gathered, a bit each */
    cv_arena rows_arena;
    struct {
        const void **items;
        size_t count, capacity;
    } rows;
};

/* Compares two rows of a kind in the order of a snapshot. */
static int compare_rows(cv_rec_kind kind, const void *x, const void *y)
{
    const cv_rec_entity *a = x, *b = y;
    if (kind == CV_REC_ENTITY && !cv_str_eq(a->kind, b->kind))
        return CV_ORDER(cv_place_of_entity(a), cv_place_of_entity(b));
    return cv_row_order(cv_kind_types[kind], x, y);
}

static int by_order(const void *x, const void *y, void *kind)
{
    return compare_rows(*(cv_rec_kind *)kind, *(const void *const *)x, *(const void *const *)y);
}

static bool show_gathered(reading *r, cv_err *err)
{
    bool ok = true;
    if (r->rows.count > 1)
        qsort_r(r->rows.items, r->rows.count, sizeof *r->rows.items, by_order, &r->kind);
    for (size_t i = 0; ok && i < r->rows.count; i++)
        if (i == 0 || compare_rows(r->kind, r->rows.items[i - 1], r->rows.items[i]) != 0)
            ok = r->visit(r->ctx, r->kind, r->rows.items[i], err);
    cv_arena_reset(&r->rows_arena);
    r->rows.items = NULL;
    r->rows.count = r->rows.capacity = 0;
    return ok;
}

static bool has_letter(const cv_wanted *wanted, const cv_rec_entity *row)
{
    return row->kind.n == 1 && row->kind.p[0] && strchr(wanted->letters, row->kind.p[0]);
}

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const asking *q = ctx;
    reading *r = q->of;
    (void)scope;
    if (q->kind != r->kind && !show_gathered(r, err))
        return false;
    r->kind = q->kind;
    if (!(r->gathered & 1u << r->kind))
        return r->visit(r->ctx, r->kind, row, err);
    if (r->kind == CV_REC_ENTITY && r->wanted->letters && !has_letter(r->wanted, row))
        return true;
    *CV_PUSH(&r->rows_arena, &r->rows) = cv_row_copy(&r->rows_arena, cv_kind_types[r->kind], row);
    return true;
}

static uint64_t proofs(void)
{
    return cv_type_bit(&cv_event_row_type, offsetof(cv_event_row, covers)) |
           cv_type_bit(&cv_event_row_type, offsetof(cv_event_row, hash));
}

static void ask(reading *r, cv_rec_kind kind, const cv_index *index, const void *like, size_t equal)
{
    bool textless = !r->whole && r->wanted->no_content && (kind == CV_REC_ENTITY || kind == CV_REC_RESPONSE);
    asking *q = CV_NEW(r->arena, asking);
    *q = (asking){r, kind};
    *CV_PUSH(r->arena, &r->lookups) =
        (cv_lookup){.find = {.type = cv_kind_types[kind],
                             .index = index,
                             .scope = r->scope,
                             .like = like ? cv_arena_dup(r->arena, like, cv_kind_types[kind]->size) : NULL,
                             .equal = equal,
                             .since_rev = r->wanted->since_rev,
                             .outline = textless || (!r->whole && r->wanted->outline & 1u << kind),
                             .without = r->wanted->no_proofs && kind == CV_REC_EVENT ? proofs() : 0},
                    .visit = see_row,
                    .ctx = q};
}

/* The entities of one letter after the other. */
static void ask_entities(reading *r)
{
    for (int i = 0; i < CV_KIND_COUNT; i++) {
        const cv_rec_entity like = {.kind = {&cv_kinds[i].letter, 1}};
        if (!r->wanted->letters || strchr(r->wanted->letters, cv_kinds[i].letter))
            ask(r, CV_REC_ENTITY, NULL, &like, 1);
    }
}

static void ask_about(reading *r, cv_rec_kind kind, cv_str id)
{
    cv_id entity;
    switch (kind) {
    case CV_REC_ENTITY:
        if (cv_id_parse(id, &entity) && entity.form == CV_ID_DISPLAY)
            ask(r, kind, NULL,
                &(cv_rec_entity){
                    .kind = {&cv_kinds[entity.kind].letter, 1}, .round = entity.round, .seq = entity.number},
                3);
        return;
    case CV_REC_ORIGIN:
        ask(r, kind, NULL, &(cv_rec_origin){.local_id = id}, 1);
        ask(r, kind, cv_origins_by_display, &(cv_rec_origin){.display_id = id}, 1);
        return;
    case CV_REC_REFERENCE:
        ask(r, kind, NULL, &(cv_rec_reference){.source_id = id}, 1);
        ask(r, kind, cv_references_by_target, &(cv_rec_reference){.target_id = id}, 1);
        return;
    default:
        assert(kind == CV_REC_EVENT);
        ask(r, kind, cv_events_by_subject, &(cv_event_row){.subject_id = id}, 1);
    }
}

static void ask_kind(reading *r, cv_rec_kind kind)
{
    const uint32_t named = CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(REFERENCE) | CV_REC_BIT(EVENT);
    const cv_index *by_rev = r->wanted->since_rev > 0 ? cv_type_index(cv_kind_types[kind], "rev") : NULL;
    bool about = r->wanted->about_count > 0 && named & 1u << kind;
    r->gathered |= about || by_rev || (r->whole && kind == CV_REC_ENTITY) ? 1u << kind : 0;
    for (size_t i = 0; about && i < r->wanted->about_count; i++)
        ask_about(r, kind, r->wanted->about[i]);
    if (!about && kind == CV_REC_ENTITY && !by_rev && !r->whole)
        ask_entities(r);
    else if (!about)
        ask(r, kind, by_rev, NULL, 0);
}

static bool see_imported(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)row, (void)err;
    *(bool *)ctx = true;
    return true;
}

static void ask_all(reading *r)
{
    if (r->wanted->imported)
        *CV_PUSH(r->arena, &r->lookups) = (cv_lookup){
            {.type = &cv_rec_imported_type, .scope = r->scope, .limit = 1}, see_imported, r->wanted->imported};
    for (cv_rec_kind kind = 0; kind < CV_REC_COUNT; kind++)
        if (!r->wanted->kinds || r->wanted->kinds & 1u << kind)
            ask_kind(r, kind);
}

bool cv_snapshot(const cv_call *call, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit, void *ctx,
                 cv_position *ret_position, bool *ret_found, cv_err *err)
{
    cv_record *record = call->record;
    reading r = {
        .arena = call->arena, .scope = cv_dialogue_scope(dialogue_id), .wanted = wanted, .visit = visit, .ctx = ctx};
    r.whole = record->to_write && record->calls->look && wanted->since_rev == 0;
    bool ok;
    ask_all(&r);
    if (call->holds) {
        *ret_position = *call->holds;
        ok = ret_position->rev == 0 || record->calls->find_all(record, r.lookups.items, r.lookups.count, err);
    } else {
        ok = cv_record_look(record, call->arena, r.scope, r.lookups.items, r.lookups.count, ret_position, err);
    }
    ok = ok && show_gathered(&r, err);
    *ret_found = ok && ret_position->rev > 0;
    cv_arena_release(&r.rows_arena);
    return ok;
}

bool cv_position_of(cv_record *record, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                    cv_err *err)
{
    if (!record->calls->begin(record, a, cv_dialogue_scope(dialogue_id), ret_position, err))
        return false;
    record->calls->end(record);
    *ret_found = ret_position->rev > 0;
    return true;
}

/* ---- all dialogues ----------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id;
    cv_rec_dialogue row;
    int64_t rev; /* 0: it has no row */
} listed;

typedef struct {
    cv_arena *arena;
    const cv_list_query *query;
    struct {
        listed *items;
        size_t count, capacity;
    } list;
} listing;

static bool take_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    listing *l = ctx;
    (void)err;
    *CV_PUSH(l->arena, &l->list) = (listed){.id = cv_arena_copy(l->arena, scope.name), .rev = at->rev};
    return true;
}

static bool take_dialogue(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    listing *l = ctx;
    const cv_rec_dialogue *d = row;
    (void)err;
    if (cv_str_order(d->created_at, l->query->since) < 0 || cv_str_order(scope.name, l->query->after) <= 0)
        return true;
    const cv_rec_dialogue *kept = cv_row_copy(l->arena, &cv_rec_dialogue_type, row);
    *CV_PUSH(l->arena, &l->list) = (listed){cv_arena_copy(l->arena, scope.name), *kept, 0};
    return true;
}

static int by_id(const void *x, const void *y)
{
    const listed *a = x, *b = y;
    return cv_str_order(a->id, b->id);
}

static bool read_listed(cv_record *record, cv_arena *a, listed *l, cv_err *err)
{
    const cv_find f = {.type = &cv_rec_dialogue_type, .scope = cv_dialogue_scope(l->id), .limit = 1, .outline = true};
    bool found;
    bool ok = cv_record_first(record, a, &f, &l->row, &found, err);
    l->rev = found ? l->rev : 0;
    return ok;
}

/* The row and the rev of one moment. */
static bool look(cv_record *record, cv_arena *a, listed *l, cv_err *err)
{
    cv_scope_position at;
    if (!record->calls->begin(record, a, cv_dialogue_scope(l->id), &at, err))
        return false;
    l->rev = at.rev;
    bool ok = read_listed(record, a, l, err);
    record->calls->end(record);
    return ok;
}

static bool name_scopes(cv_record *record, listing *l, cv_err *err)
{
    return record->calls->scopes(record, cv_dialogue_scope(CV_STR("")).room, l->query->after, l->query->limit,
                                 take_scope, l, err);
}

/* A page by name: all rows and revs of one moment. */
static bool look_by_name(cv_record *record, listing *l, cv_err *err)
{
    cv_scope_position at;
    if (!record->calls->begin(record, l->arena, cv_dialogue_scope(CV_STR("")), &at, err))
        return false;
    bool ok = name_scopes(record, l, err);
    for (size_t i = 0; ok && i < l->list.count; i++)
        ok = read_listed(record, l->arena, &l->list.items[i], err);
    record->calls->end(record);
    return ok;
}

/* Those of a status and archived ones come by id, so a page costs a page; the index by time has them in another order.
 */
static bool find_dialogues(cv_record *record, const cv_list_query *query, listing *l, cv_err *err)
{
    const cv_rec_dialogue like = {.status = query->status, .id = query->after, .archived = 1};
    const bool ordered = query->archived || query->status.n;
    const cv_find f = {.type = &cv_rec_dialogue_type,
                       .index = query->archived   ? cv_dialogues_archived
                                : query->status.n ? cv_dialogues_by_status
                                                  : cv_dialogues_by_time,
                       .scope = {.room = CV_STR("dialogue")},
                       .like = &like,
                       .equal = ordered ? 1 : 0,
                       .after = ordered && query->after.n ? &like : NULL,
                       .after_scope = query->after,
                       .limit = query->since.n ? 0 : query->limit,
                       .outline = true};
    if (!record->calls->find(record, &f, take_dialogue, l, err))
        return false;
    if (l->list.count > 1)
        qsort(l->list.items, l->list.count, sizeof *l->list.items, by_id);
    if (query->limit && l->list.count > query->limit)
        l->list.count = query->limit;
    bool ok = true;
    for (size_t i = 0; ok && !query->names && i < l->list.count; i++)
        ok = look(record, l->arena, &l->list.items[i], err);
    return ok;
}

bool cv_list_dialogues(cv_record *record, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx,
                       cv_err *err)
{
    listing l = {.arena = a, .query = query};
    bool by_name = !query->archived && !query->status.n && !query->since.n;
    bool ok = !by_name       ? find_dialogues(record, query, &l, err)
              : query->names ? name_scopes(record, &l, err)
                             : look_by_name(record, &l, err);
    for (size_t i = 0; ok && i < l.list.count; i++) {
        listed *one = &l.list.items[i];
        if (query->names)
            ok = visit(ctx, one->id, NULL, 0, err);
        else if (one->rev)
            ok = visit(ctx, one->id, &one->row, one->rev, err);
    }
    return ok;
}
