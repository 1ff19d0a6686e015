/* sqlite_testing.h - what the tests of the SQLite engine share: a store with a raw connection beside it, and one write.
 */
#ifndef CV_TEST_SQLITE_TESTING_H
#define CV_TEST_SQLITE_TESTING_H

#include "testing.h"

#include "base/buf.h"
#include "record/sqlite_engine.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path;
    cv_store *store; /* open while a test has it so */
    sqlite3 *raw;    /* a connection of its own, for what the store would never do */
} fixture;

static inline int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = cv_test_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    *state = &f;
    return 0;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    sqlite3_close(f->raw);
    cv_store_close(f->store);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static inline void open_store(fixture *f)
{
    assert_ok(cv_sqlite_open(&f->arena, f->path, true, &f->store, &f->err), &f->err);
}

static inline void close_store(fixture *f)
{
    cv_store_close(f->store);
    f->store = NULL;
}

static inline cv_sqlite *inside(fixture *f)
{
    return (cv_sqlite *)f->store;
}

/* Opens the file by the shortest way, with the settings that the engine has. */
static inline void open_raw(fixture *f)
{
    assert_int_equal(sqlite3_open(f->path, &f->raw), SQLITE_OK);
    assert_int_equal(sqlite3_exec(f->raw, "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON", NULL, NULL, NULL),
                     SQLITE_OK);
}

static inline int run(fixture *f, const char *sql)
{
    return sqlite3_exec(f->raw, sql, NULL, NULL, NULL);
}

static inline void assert_runs(fixture *f, const char *sql)
{
    if (run(f, sql) != SQLITE_OK)
        print_error("%s\n%s\n", sql, sqlite3_errmsg(f->raw));
    assert_int_equal(sqlite3_errcode(f->raw), SQLITE_OK);
}

static inline int64_t number(fixture *f, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(f->raw, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

/* ---- one write for the tests below ----------------------------------------------------------------- */

/* Entities, references and events of one write; all texts tell the rev, so halves of two writes would show. */
enum { ROWS = 20 };
typedef struct {
    cv_rec_dialogue dialogue;
    cv_rec_entity entities[ROWS];
    cv_rec_event events[ROWS];
    char texts[2][64];
} batch;

static inline cv_changes make_batch(batch *b, int64_t rev)
{
    cv_changes c = {0};
    cv_str text = {b->texts[0],
                   (size_t)snprintf(b->texts[0], sizeof b->texts[0], "written at rev %lld", (long long)rev)};
    b->dialogue =
        (cv_rec_dialogue){.title = CV_STR("t"), .question = text, .status = CV_STR("open"), .created_at = text};
    for (int64_t i = 0; i < ROWS; i++) {
        b->entities[i] = (cv_rec_entity){.kind = CV_STR("T"),
                                         .round = 1,
                                         .seq = i + 1,
                                         .label = text,
                                         .content = text,
                                         .contributors = CV_STR("[]"),
                                         .status = CV_STR("open"),
                                         .created_at = text};
        b->events[i] = (cv_rec_event){.event_seq = (rev - 1) * ROWS + i + 1,
                                      .subject_type = CV_STR("T"),
                                      .subject_id = CV_STR("T0101"),
                                      .event_type = CV_STR("created"),
                                      .event_round = 1,
                                      .created_at = text};
    }
    c.items[CV_REC_DIALOGUE] = &b->dialogue;
    c.counts[CV_REC_DIALOGUE] = 1;
    c.items[CV_REC_ENTITY] = b->entities;
    c.items[CV_REC_EVENT] = b->events;
    c.counts[CV_REC_ENTITY] = c.counts[CV_REC_EVENT] = ROWS;
    return c;
}

/* Writes rev `expect` + 1 of the dialogue as operation `op_id`. */
static inline cv_store_result write_batch(cv_store *store, cv_arena *a, const char *id, int64_t expect, cv_str op_id,
                                          int64_t *ret_rev, cv_err *err)
{
    batch *b = CV_NEW(a, batch);
    cv_changes c = make_batch(b, expect + 1);
    cv_op op = {.dialogue_id = cv_str_of(id),
                .op_id = op_id,
                .op_digest = CV_STR("digest"),
                .expect_rev = expect,
                .now = CV_STR("now"),
                .result = CV_STR("{}"),
                .head = CV_STR("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
                .event_count = (expect + 1) * ROWS};
    cv_str result;
    return store->calls->commit(store, a, &op, &c, ret_rev, &result, err);
}

static inline cv_store_result write_next(fixture *f, const char *id, int64_t expect)
{
    int64_t rev;
    return write_batch(f->store, &f->arena, id, expect, cv_arena_printf(&f->arena, "op-%lld", (long long)expect), &rev,
                       &f->err);
}

typedef struct {
    size_t entities, events;
    int64_t highest;
    bool torn;
} seen_rows;

static inline bool note_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)err;
    seen_rows *seen = ctx;
    int64_t rev = ((const cv_rec_dialogue *)row)->rev;
    cv_str text = kind == CV_REC_ENTITY  ? ((const cv_rec_entity *)row)->content
                  : kind == CV_REC_EVENT ? ((const cv_rec_event *)row)->created_at
                                         : ((const cv_rec_dialogue *)row)->question;
    char expected[64];
    int n = snprintf(expected, sizeof expected, "written at rev %lld", (long long)rev);
    seen->torn = seen->torn || !cv_str_eq(text, (cv_str){expected, (size_t)n});
    seen->entities += kind == CV_REC_ENTITY;
    seen->events += kind == CV_REC_EVENT;
    if (kind == CV_REC_EVENT && ((const cv_rec_event *)row)->event_seq != (int64_t)seen->events)
        seen->torn = true;
    if (kind == CV_REC_ENTITY)
        seen->highest = rev;
    return true;
}

/* The dialogue's rev; whatever it is, all rows must be of whole writes. -1: it is torn; -2: an error. */
static inline int64_t whole_rev(cv_store *store, cv_arena *a, const char *id, cv_err *err)
{
    seen_rows seen = {0};
    cv_position at = {0};
    bool found = false;
    if (!store->calls->snapshot(store, a, cv_str_of(id), &(cv_wanted){0}, note_row, &seen, &at, &found, err))
        return -2;
    if (!found)
        return seen.events == 0 ? 0 : -1;
    bool whole = !seen.torn && seen.entities == ROWS && seen.events == (size_t)at.rev * ROWS &&
                 seen.highest == at.rev && at.event_count == at.rev * ROWS;
    return whole ? at.rev : -1;
}

#endif
