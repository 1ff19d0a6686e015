/* writing.c - one write of any room; see writing.h. */
#include "kit/writing.h"

#include <assert.h>
#include <stdlib.h>

#include "base/json.h"
#include "record/hash.h"

/* A row of the write; it stands for itself, so that pointers to it stay good. */
typedef struct {
    void *row;
    size_t number; /* in the order of putting */
    cv_str name;   /* of a row that may change */
    bool covered;  /* an event covers it */
    bool is_new;   /* of a row that may change: it is not stored yet */
} kept_row;

/* Rows of one type. */
typedef struct {
    const cv_type *type;
    kept_row **items;
    size_t count, capacity;
    size_t fresh; /* of them, not stored yet */
} row_list;

typedef struct {
    cv_event_row *event;
    cv_str key, digest; /* no digest: that of the row with this key at commit */
    const cv_type *type;
} cover;

struct cv_writing_rows {
    struct {
        row_list *items;
        size_t count, capacity;
    } lists;
    struct {
        cv_event_row **items;
        size_t count, capacity;
    } events;
    cv_event_row *told; /* the same side by side, for the engine */
    cv_map by_name;     /* rows that may change -> kept_row */
    struct {
        cover *items;
        size_t count, capacity;
    } covers;
    struct {
        cv_redaction *items;
        size_t count, capacity;
    } redactions;
};

/* ---- beginning ----------------------------------------------------------------------------------------------------
 */

void cv_writing_from(cv_writing *w, cv_record *record, cv_arena *a, cv_scope_id scope, const cv_scope_position *at,
                     cv_str now)
{
    *w = (cv_writing){.record = record, .arena = a, .scope = scope, .at = *at, .now = now};
    w->rows = CV_NEW(a, struct cv_writing_rows);
}

bool cv_writing_begin(cv_writing *w, cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_str now,
                      cv_err *err)
{
    cv_scope_position at;
    if (!record->calls->lock(record, a, scope, op_id, &at, err))
        return false;
    cv_writing_from(w, record, a, scope, &at, now);
    w->locked = true;
    return true;
}

void cv_writing_end(cv_writing *w)
{
    if (w->locked)
        w->record->calls->end(w->record);
    w->locked = false;
}

bool cv_writing_done_before(cv_writing *w, const cv_request *request, cv_written *ret, cv_err *err)
{
    cv_commit_row row = {0};
    ret->how = cv_record_replayed(w->record, w->arena, w->scope, &w->at, request->op_id, request->digest, &row, err);
    ret->rev = row.rev;
    ret->result = row.result;
    return ret->how == CV_WRITE_DONE || ret->how == CV_WRITE_REPLAYED;
}

/* ---- rows and events ----------------------------------------------------------------------------------------------
 */

static row_list *list_of(cv_writing *w, const cv_type *type)
{
    for (size_t i = 0; i < w->rows->lists.count; i++)
        if (w->rows->lists.items[i].type == type)
            return &w->rows->lists.items[i];
    row_list *list = CV_PUSH(w->arena, &w->rows->lists);
    *list = (row_list){.type = type};
    return list;
}

static void *put(cv_writing *w, const cv_type *type, const void *row, bool is_new)
{
    assert(w->rows && "a write is committed once");
    assert(type != &cv_event_row_type && type != &cv_commit_row_type);
    bool may_change = type->life == CV_REPLACED;
    cv_str name = may_change ? cv_row_name(w->arena, type, row) : CV_STR("");
    uintptr_t *known = may_change ? cv_map_put(&w->rows->by_name, w->arena, name, NULL) : NULL;
    if (known && *known)
        return memmove(((kept_row *)*known)->row, row, type->size);
    row_list *list = list_of(w, type);
    kept_row *kept = CV_NEW(w->arena, kept_row);
    *kept = (kept_row){
        .row = cv_arena_dup(w->arena, row, type->size), .number = list->count, .name = name, .is_new = is_new};
    *CV_PUSH(w->arena, list) = kept;
    list->fresh += is_new;
    if (known)
        *known = (uintptr_t)kept;
    return kept->row;
}

void *cv_writing_put(cv_writing *w, const cv_type *type, const void *row)
{
    return put(w, type, row, false);
}

void *cv_writing_add(cv_writing *w, const cv_type *type, const void *row)
{
    assert(type->life == CV_REPLACED);
    return put(w, type, row, true);
}

cv_event_row *cv_writing_event(cv_writing *w, cv_str subject_type, cv_str subject_id, cv_str event_type)
{
    assert(w->rows && event_type.n > 0);
    cv_event_row *event = CV_NEW(w->arena, cv_event_row);
    cv_row_clear(&cv_event_row_type, event);
    *CV_PUSH(w->arena, &w->rows->events) = event;
    event->seq = w->at.event_count + (int64_t)w->rows->events.count;
    event->subject_type = subject_type;
    event->subject_id = subject_id;
    event->event_type = event_type;
    event->created_at = w->now;
    return event;
}

void cv_writing_covers(cv_writing *w, cv_event_row *event, const cv_type *type, const void *row)
{
    assert(type->life == CV_REPLACED && event->seq > w->at.event_count);
    *CV_PUSH(w->arena, &w->rows->covers) =
        (cover){.event = event, .key = cv_row_name(w->arena, type, row), .type = type};
}

void cv_writing_replaces(cv_writing *w, cv_event_row *event, const cv_type *type, const void *rows, size_t count)
{
    assert(type->life == CV_GROUPED && count > 0 && event->seq > w->at.event_count);
    cv_hash hash;
    cv_hash_begin(&hash);
    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * type->size;
        assert(cv_row_rev(row) == cv_row_rev(rows) && "one write has put them");
        assert(i == 0 || cv_row_order(type, row - type->size, row) < 0);
        cv_hash_row(&hash, type, row);
    }
    *CV_PUSH(w->arena, &w->rows->covers) =
        (cover){.event = event,
                .key = cv_arena_printf(w->arena, "replaced/%.*s/%lld", CV_FMT(type->name), (long long)cv_row_rev(rows)),
                .digest = cv_hash_end(&hash, w->arena)};
}

void cv_writing_redact(cv_writing *w, cv_event_row *event, const cv_type *type, const void *row, cv_str field)
{
    const cv_type_field *f = cv_type_field_named(type, field);
    assert(f && f->role == CV_LONG && type->life != CV_VOLATILE);
    assert(event->seq > w->at.event_count && "the event is one of this write");
    cv_str text = cv_row_text(row, f->offset);
    if (!text.p || cv_is_redacted(text, NULL))
        return;
    const void *kept = cv_row_copy(w->arena, type, row);
    *CV_PUSH(w->arena, &w->rows->redactions) = (cv_redaction){type, kept, f, cv_redacted(w->arena, text)};
    *CV_PUSH(w->arena, &w->rows->covers) = (cover){
        .event = event, .key = cv_redacted_name(w->arena, type, row, f), .digest = cv_hash_text(w->arena, text)};
}

/* ---- what the events cover --------------------------------------------------------------------------------------- */

static int by_key(const void *x, const void *y, void *type)
{
    const kept_row *a = *(kept_row *const *)x, *b = *(kept_row *const *)y;
    int order = cv_row_order(type, a->row, b->row);
    return order ? order : CV_ORDER(a->number, b->number);
}

/* In the order of their keys; of several with one key the last one counts. */
static void sort_added(row_list *list)
{
    size_t kept = 0;
    qsort_r(list->items, list->count, sizeof *list->items, by_key, (void *)list->type);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && cv_row_order(list->type, list->items[kept - 1]->row, list->items[i]->row) == 0)
            kept--;
        list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static void sort_all_added(cv_writing *w)
{
    for (size_t i = 0; i < w->rows->lists.count; i++)
        if (cv_life_in_groups(w->rows->lists.items[i].type->life))
            sort_added(&w->rows->lists.items[i]);
}

/* "added/line": one digest for all rows of a type that has one for each write, in the order of their keys. */
static void cover_added(cv_writing *w, cv_event_row *last)
{
    for (size_t i = 0; i < w->rows->lists.count; i++) {
        row_list *list = &w->rows->lists.items[i];
        if (!cv_life_in_groups(list->type->life))
            continue;
        cv_hash hash;
        cv_hash_begin(&hash);
        for (size_t k = 0; k < list->count; k++)
            cv_hash_row(&hash, list->type, list->items[k]->row);
        *CV_PUSH(w->arena, &w->rows->covers) =
            (cover){.event = last,
                    .key = cv_arena_printf(w->arena, "added/%.*s", CV_FMT(list->type->name)),
                    .digest = cv_hash_end(&hash, w->arena)};
    }
}

/* Rows that no event covers yet. */
static void cover_rest(cv_writing *w, cv_event_row *last)
{
    for (size_t i = 0; i < w->rows->lists.count; i++) {
        const row_list *list = &w->rows->lists.items[i];
        for (size_t k = 0; list->type->life == CV_REPLACED && k < list->count; k++)
            if (!list->items[k]->covered)
                *CV_PUSH(w->arena, &w->rows->covers) =
                    (cover){.event = last, .key = list->items[k]->name, .type = list->type};
    }
}

static int by_event(const void *x, const void *y)
{
    const cover *a = x, *b = y;
    int order = CV_ORDER(a->event->seq, b->event->seq);
    return order ? order : cv_str_order(a->key, b->key);
}

static kept_row *row_of(cv_writing *w, const cover *c)
{
    const uintptr_t *kept = cv_map_get(&w->rows->by_name, c->key);
    assert(kept); /* only rows of this write can be covered */
    return (kept_row *)*kept;
}

static cv_str digest_of(cv_writing *w, const cover *c)
{
    return c->digest.p ? c->digest : cv_hash_one(w->arena, c->type, row_of(w, c)->row);
}

/* Events come in their order and mostly cover rows as they come: there is often nothing to sort. */
static void sort_covers(cv_writing *w)
{
    cover *covers = w->rows->covers.items;
    size_t count = w->rows->covers.count, sorted = 1;
    while (sorted < count && by_event(&covers[sorted - 1], &covers[sorted]) <= 0)
        sorted++;
    if (sorted < count)
        qsort(covers, count, sizeof *covers, by_event);
}

/* Fills in the `covers` of every event. */
static void cover_all(cv_writing *w, const cv_commit_row *commit)
{
    cv_event_row *last = w->rows->events.items[w->rows->events.count - 1];
    for (size_t i = 0; i < w->rows->covers.count; i++)
        if (!w->rows->covers.items[i].digest.p)
            row_of(w, &w->rows->covers.items[i])->covered = true;
    cover_added(w, last);
    cover_rest(w, last);
    *CV_PUSH(w->arena, &w->rows->covers) =
        (cover){.event = last, .key = CV_STR("commit"), .digest = cv_hash_commit(w->arena, commit)};
    sort_covers(w);
    const cover *covers = w->rows->covers.items;
    size_t count = w->rows->covers.count, next = 0;
    cv_buf text = {0};
    for (size_t i = 0; i < w->rows->events.count; i++) {
        cv_event_row *event = w->rows->events.items[i];
        cv_json_writer json = {.out = &text};
        cv_json_begin_object(&json);
        for (; next < count && covers[next].event == event; next++) {
            if (next > 0 && covers[next - 1].event == event && cv_str_eq(covers[next - 1].key, covers[next].key))
                continue; /* twice */
            cv_json_key(&json, covers[next].key);
            cv_json_str(&json, digest_of(w, &covers[next]));
        }
        cv_json_end_object(&json);
        event->covers = cv_arena_copy(w->arena, cv_buf_str(&text));
        cv_buf_clear(&text);
    }
    cv_buf_release(&text);
    assert(next == count);
}

/* Hashes the events one after the other; returns the head. */
static cv_str chain(cv_writing *w)
{
    cv_str head = w->at.rev ? w->at.head : cv_hash_scope(w->arena, w->scope.room, w->scope.name);
    for (size_t i = 0; i < w->rows->events.count; i++)
        w->rows->events.items[i]->hash = head = cv_hash_event(w->arena, head, w->rows->events.items[i]);
    return head;
}

/* Who acts is known of the whole write. */
static void sign(cv_writing *w)
{
    for (size_t i = 0; i < w->rows->events.count; i++) {
        w->rows->events.items[i]->agent = w->agent;
        w->rows->events.items[i]->standing = w->standing;
    }
}

/* ---- commit -------------------------------------------------------------------------------------------------------
 */

/* Is it a row as it may be written? A redacted text may stay where it is stored. */
static bool is_valid(cv_writing *w, const cv_type *type, const void *row, cv_err *err)
{
    void *rest = NULL, *stored = NULL;
    bool found = false;
    for (size_t i = 0; type->life == CV_REPLACED && i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        const cv_str absent = {NULL, 0};
        if (field->role != CV_LONG || !cv_is_redacted(cv_row_text(row, field->offset), NULL))
            continue;
        if (!rest) {
            rest = cv_arena_dup(w->arena, row, type->size);
            stored = cv_arena_dup(w->arena, row, type->size);
            if (!cv_record_get(w->record, w->arena, w->scope, type, stored, &found, err))
                return false;
        }
        if (found && cv_row_compare_field(field, row, stored) == 0)
            memcpy((char *)rest + field->offset, &absent, sizeof absent);
    }
    return cv_row_valid(type, rest ? rest : row, err);
}

/* An op_id that is made later is valid. */
static bool all_valid(cv_writing *w, const cv_commit_row *commit, cv_err *err)
{
    cv_commit_row known = *commit;
    if (w->complete && !known.op_id.p)
        known.op_id = CV_STR("later");
    bool ok = cv_row_valid(&cv_commit_row_type, &known, err);
    for (size_t i = 0; ok && i < w->rows->lists.count; i++) {
        const row_list *list = &w->rows->lists.items[i];
        for (size_t k = 0; ok && k < list->count; k++)
            ok = is_valid(w, list->type, list->items[k]->row, err);
    }
    for (size_t i = 0; ok && i < w->rows->events.count; i++)
        ok = cv_row_valid(&cv_event_row_type, w->rows->events.items[i], err);
    return ok;
}

/* What the events cover, and their hashes. */
static void finish(void *ctx, cv_write *write)
{
    cv_writing *w = ctx;
    cv_request *request = &w->request;
    if (w->complete)
        w->complete(w->complete_ctx, request, write->at.rev);
    write->commit.op_id = request->op_id;
    write->commit.digest = request->digest;
    cover_all(w, &write->commit);
    write->commit.head = write->at.head = chain(w);
    for (size_t i = 0; i < w->rows->events.count; i++)
        w->rows->told[i] = *w->rows->events.items[i];
}

/* Those of a list that are stored, or may be, or those that are new. */
static cv_rows rows_of(cv_arena *a, const row_list *list, bool is_new)
{
    size_t size = list->type->size, count = is_new ? list->fresh : list->count - list->fresh;
    char *rows = cv_arena_array(a, count, size), *to = rows;
    for (size_t i = 0; count > 0 && i < list->count; i++)
        if (list->items[i]->is_new == is_new) {
            memcpy(to, list->items[i]->row, size);
            to += size;
        }
    assert(to == rows + count * size);
    return (cv_rows){list->type, rows, count};
}

/* Rows side by side, as the engine wants them; those of the events are filled in when it is finished. */
static cv_write write_of(cv_writing *w, const cv_commit_row *commit)
{
    size_t lists = w->rows->lists.count, events = w->rows->events.count, count = 0;
    uint64_t fresh = 0;
    cv_rows *rows = CV_NEW_ARRAY(w->arena, 2 * lists + 1, cv_rows);
    for (size_t i = 0; i < 2 * lists; i++) {
        bool is_new = i % 2;
        rows[count] = rows_of(w->arena, &w->rows->lists.items[i / 2], is_new);
        fresh |= (uint64_t)(is_new && count < 64 && rows[count].count > 0) << count % 64;
        count += rows[count].count > 0;
    }
    w->rows->told = CV_NEW_ARRAY(w->arena, events, cv_event_row);
    rows[count++] = (cv_rows){&cv_event_row_type, w->rows->told, events};
    return (cv_write){.commit = *commit,
                      .at = {.rev = w->at.rev + 1, .event_count = w->at.event_count + (int64_t)events},
                      .rows = rows,
                      .count = count,
                      .fresh = fresh,
                      .redactions = w->rows->redactions.items,
                      .redaction_count = w->rows->redactions.count,
                      .finish = finish,
                      .finish_ctx = w};
}

bool cv_writing_is_empty(const cv_writing *w)
{
    return w->rows->lists.count + w->rows->events.count + w->rows->redactions.count == 0;
}

bool cv_writing_commit(cv_writing *w, const cv_request *request, cv_str result, cv_written *ret, cv_err *err)
{
    cv_commit_row commit = {.op_id = request->op_id,
                            .operation = request->operation,
                            .digest = request->digest,
                            .created_at = w->now,
                            .result = result};
    assert(w->rows && w->rows->events.count > 0);
    *ret = (cv_written){.how = CV_WRITE_FAILED, .result = result};
    w->request = *request;
    sign(w);
    if (!all_valid(w, &commit, err)) {
        cv_writing_end(w);
        return false;
    }
    sort_all_added(w);
    cv_write write = write_of(w, &commit);
    cv_commit_row stored = commit;
    stored.rev = write.at.rev;
    if (w->locked)
        cv_write_finish(&write);
    ret->how = w->locked ? w->record->calls->commit(w->record, w->arena, &write, err)
                         : cv_record_write(w->record, w->arena, w->scope, &w->at, &write, &stored, err);
    cv_writing_end(w);
    w->rows = NULL;
    ret->rev = stored.rev;
    ret->result = stored.result;
    return ret->how == CV_WRITE_DONE || ret->how == CV_WRITE_REPLAYED || ret->how == CV_WRITE_CONFLICT;
}
