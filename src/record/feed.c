/* feed.c - catching up with the feed; see feed.h. */
#include "record/feed.h"

typedef struct {
    cv_arena *arena;
    cv_feed_entry *items;
    size_t count, capacity;
} entries;

static bool keep_entry(void *ctx, const cv_feed_entry *entry, cv_err *err)
{
    entries *list = ctx;
    (void)err;
    cv_feed_entry *copy = CV_PUSH(list->arena, list);
    *copy = *entry;
    cv_str *const texts[] = {&copy->position,  &copy->scope.room, &copy->scope.name, &copy->op_id,
                             &copy->operation, &copy->created_at, &copy->head};
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        *texts[i] = cv_arena_copy(list->arena, *texts[i]);
    return true;
}

/* One batch. *ret_more: there may be another one. */
static bool take_some(cv_record *record, cv_arena *a, const cv_feed_reader *reader, bool *ret_more, cv_err *err)
{
    entries list = {.arena = a};
    cv_str from;
    bool moved = true;
    bool ok = record->calls->reader_at(record, a, reader->name, &from, err) &&
              record->calls->feed(record, from, reader->batch, keep_entry, &list, err);
    if (ok && list.count > 0)
        ok = reader->take(reader->ctx, list.items, list.count, err) &&
             record->calls->reader_move(record, reader->name, from, list.items[list.count - 1].position, &moved, err);
    *ret_more = list.count > 0; /* also when another has moved the position meanwhile: then from there */
    return ok;
}

bool cv_feed_catch_up(cv_record *record, cv_arena *a, const cv_feed_reader *reader, cv_err *err)
{
    bool more = true, ok = true;
    cv_str at, last;
    if (!record->calls->reader_at(record, a, reader->name, &at, err) || !record->calls->newest(record, a, &last, err))
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
