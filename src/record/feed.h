/* feed.h - reading the feed: a page of it, and catching up with it.
 *
 * A page is what a caller asks for who keeps the position: cv_feed_read. A reader with a name has its position kept by
 * the store, may be killed at any time, and goes on:
 *
 *     position of the reader -> some commits behind it -> take() -> the position moves on -> …
 *
 * take() is called with a batch; when it returns true the position moves behind the batch. A reader that is killed in
 * between sees the batch again, so it is at least once; a reader that needs exactly once lets `begin` open a
 * transaction of the same store and `end` commit it: then the position moves with the work.
 */
#ifndef CV_RECORD_FEED_H
#define CV_RECORD_FEED_H

#include "record/record.h"

/* What callers write for the beginning, which has no position: "start". */
extern const cv_str cv_feed_start;

typedef struct {
    cv_feed_entry *items; /* copies, in the arena */
    size_t count, capacity;
    cv_str position; /* behind the last commit that was looked at; `after` when there was none */
    bool more;       /* there is another one that is wanted */
} cv_feed_entries;

/* At most `limit` commits behind `after` that are wanted (`wanted` NULL: all are); limit 0: all of them. What is passed
 * over costs next to no memory. */
bool cv_feed_read(cv_record *record, cv_arena *a, cv_str after, size_t limit,
                  bool (*wanted)(void *ctx, const cv_feed_entry *entry), void *ctx, cv_feed_entries *ret, cv_err *err);

typedef struct {
    cv_str name;                           /* of the reader: under it the position is kept */
    size_t batch;                          /* commits at once */
    bool (*begin)(void *ctx, cv_err *err); /* NULL: nothing to do */
    bool (*take)(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err);
    bool (*end)(void *ctx, bool ok, cv_err *err); /* after every begin: commit, or take back */
    void *ctx;
} cv_feed_reader;

/* Reads until nothing is left, or something fails. */
bool cv_feed_catch_up(cv_record *record, cv_arena *a, const cv_feed_reader *reader, cv_err *err);

#endif
