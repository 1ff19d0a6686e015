/* feed.c - reading the feed; see feed.h. */
#include "record/feed.h"

#include <assert.h>

const cv_str cv_feed_start = CV_STR_INIT("start");

/* ---- a page -------------------------------------------------------------------------------------------------------
 */

enum { PASSED_OVER = 256 }; /* commits that are looked at before it is asked whether the page is full */

typedef struct {
    cv_arena *arena;
    size_t limit;
    bool (*wanted)(void *ctx, const cv_feed_entry *entry);
    void *ctx;
    size_t seen;     /* of this reading of the feed */
    cv_buf position; /* of the last one that was looked at */
    cv_feed_entries *list;
} reading;

static void keep(cv_arena *a, cv_feed_entries *list, const cv_feed_entry *entry)
{
    cv_feed_entry *copy = CV_PUSH(a, list);
    *copy = *entry;
    cv_str *const texts[] = {&copy->position,  &copy->scope.room, &copy->scope.name, &copy->op_id,
                             &copy->operation, &copy->created_at, &copy->head};
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        *texts[i] = cv_arena_copy(a, *texts[i]);
}

/* What comes behind a full page is left for the next one. */
static bool see(void *ctx, const cv_feed_entry *entry, cv_err *err)
{
    reading *r = ctx;
    (void)err;
    r->seen++;
    assert(!r->limit || r->list->count <= r->limit);
    bool wanted = !r->list->more && (!r->wanted || r->wanted(r->ctx, entry));
    if (wanted && r->limit && r->list->count == r->limit)
        r->list->more = true;
    if (r->list->more)
        return true;
    cv_buf_clear(&r->position);
    cv_buf_add(&r->position, entry->position);
    if (wanted)
        keep(r->arena, r->list, entry);
    return true;
}

bool cv_feed_read(cv_record *record, cv_arena *a, cv_str after, size_t limit,
                  bool (*wanted)(void *ctx, const cv_feed_entry *entry), void *ctx, cv_feed_entries *ret, cv_err *err)
{
    reading r = {.arena = a, .limit = limit, .wanted = wanted, .ctx = ctx, .list = ret};
    size_t batch = !limit ? 0 : wanted ? PASSED_OVER : limit + 1;
    bool ok = true, end = false;
    *ret = (cv_feed_entries){.position = after};
    while (ok && !end) {
        r.seen = 0;
        ok = record->calls->feed(record, ret->position, batch, see, &r, err);
        end = ret->more || !wanted || r.seen < batch || !batch;
        ret->position = r.position.n ? cv_arena_copy(a, cv_buf_str(&r.position)) : after;
        assert(!ret->more || ret->count == limit);
    }
    cv_buf_release(&r.position);
    return ok;
}

/* ---- catching up --------------------------------------------------------------------------------------------------
 */

/* One batch. *ret_more: there may be another one. */
static bool take_some(cv_record *record, cv_arena *a, const cv_feed_reader *reader, bool *ret_more, cv_err *err)
{
    cv_feed_entries list;
    cv_str from;
    bool moved = true;
    bool ok = record->calls->reader_at(record, a, reader->name, &from, err) &&
              cv_feed_read(record, a, from, reader->batch, NULL, NULL, &list, err);
    if (ok && list.count > 0)
        ok = reader->take(reader->ctx, list.items, list.count, err) &&
             record->calls->reader_move(record, reader->name, from, list.position, &moved, err);
    *ret_more = ok && list.count > 0; /* also when another has moved the position meanwhile: then from there */
    return ok;
}

bool cv_feed_catch_up(cv_record *record, cv_arena *a, const cv_feed_reader *reader, cv_err *err)
{
    bool more = true, ok = true;
    cv_str at, last;
    if (!record->calls->reader_at(record, a, reader->name, &at, err) ||
        !record->calls->newest(record, a, 0, &last, err))
        return false;
    more = !cv_str_eq(at, last);
    while (ok && more) {
        cv_arena batch = {0};
        ok = !reader->begin || reader->begin(reader->ctx, err);
        if (ok) {
            ok = take_some(record, &batch, reader, &more, err);
            ok = reader->end ? reader->end(reader->ctx, ok, err) && ok : ok;
        }
        cv_arena_release(&batch);
    }
    return ok;
}
