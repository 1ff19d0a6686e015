/* writers.h - processes that write to a board on PostgreSQL, the answers that they got, and whether the record agrees.
 *
 *     writer w = writer_start(&setting);          a process that writes, and says which answer it got: "done op-3 7"
 *     writer_wait(&w, 20);                        until it was told 20 times that a write is done
 *     writer_kill(&w), writer_finish(&w)          now; when it has done its part
 *     check_record(a, address, &told, &err);      everything that was told is there, all of it, once
 *
 * A write has several rows of two types and an event. Whatever is not done is asked for again with the same op_id, as
 * every caller may. A write that was certainly not done and then is found done before is a lie, and so is one that is
 * done twice.
 */
#ifndef CV_TEST_WRITERS_H
#define CV_TEST_WRITERS_H

#include "board.h"
#include "testing_postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

enum { WRITER_LINES = 4, WRITER_CARDS = 3, WRITER_PATIENCE_MS = 60000 };

static inline int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- one write ---------------------------------------------------------------------------------------------------
 */

/* Locked, or from what was read before. *ret_rev: of the write that was done, now or before. */
static inline cv_write_result write_op(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op, bool locked,
                                       int64_t *ret_rev, cv_err *err)
{
    cv_writing w;
    cv_written done = {.how = CV_WRITE_FAILED};
    cv_scope_position at;
    const cv_request request = {op, CV_STR("digest"), CV_STR("board write")};
    *ret_rev = 0;
    if (locked ? !cv_writing_begin(&w, record, a, scope, op, NOW, err)
               : !record->calls->begin(record, a, scope, &at, err))
        return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
    if (locked && (!cv_writing_done_before(&w, &request, &done, err) || done.how == CV_WRITE_REPLAYED)) {
        cv_writing_end(&w);
        *ret_rev = done.rev;
        return done.how;
    }
    if (!locked) {
        record->calls->end(record);
        cv_writing_from(&w, record, a, scope, &at, NOW);
    }
    for (int64_t i = 0; i < WRITER_LINES; i++)
        cv_writing_put(&w, &line_type, &(line){.thread = op, .seq = i, .author = CV_STR("ann"), .text = op});
    for (int64_t i = 0; i < WRITER_CARDS; i++) {
        card c;
        cv_row_clear(&card_type, &c);
        c.number = i, c.title = c.body = op;
        cv_writing_put(&w, &card_type, &c);
    }
    cv_writing_event(&w, CV_STR("card"), op, CV_STR("written"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, err);
    *ret_rev = done.rev;
    return done.how;
}

/* ---- writing processes -------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *address, *seen; /* seen NULL: nothing is remembered */
    const char *name;           /* begins its op_ids */
    int scopes;                 /* it writes to s0, s1 … in turn */
    int writes;                 /* how many, then it ends; 0: until it is killed */
    int locked;                 /* 1: all are; 0: none; -1: every second one */
} writer_setting;

typedef struct {
    pid_t pid;
    FILE *from;
} writer;

/* What all writers were told. */
typedef struct {
    cv_str scope, op;
    int64_t rev;
} told_one;

typedef struct {
    cv_arena *arena;
    told_one *items;
    size_t count, capacity;
    size_t conflicts, busy, failed, unknown, lies; /* how the other tries ended */
} told;

/* The record, however long it takes: a server may be starting. */
static inline cv_record *open_patiently(cv_arena *a, const char *address, const char *seen, cv_err *err)
{
    cv_record *record = NULL;
    int64_t deadline = now_ms() + WRITER_PATIENCE_MS;
    while (!cv_postgres_open(a, cv_str_of(address), seen, CV_RECORD_CREATE, &all_types, board_postgres_schema(),
                             &record, err)) {
        if (now_ms() > deadline)
            return NULL;
        pause_ms(50);
    }
    return record;
}

static inline void write_until_done(const writer_setting *s, cv_record *record, cv_arena *turn, int n, FILE *to)
{
    static const char *const words[] = {"done", "done", "conflict", "busy", "failed", "unknown"};
    cv_str op = cv_arena_printf(turn, "%s-%d", s->name, n), name = cv_arena_printf(turn, "s%d", n % s->scopes);
    bool locked = s->locked < 0 ? n % 2 : s->locked, certain = true; /* certain: it is not there yet */
    int64_t deadline = now_ms() + WRITER_PATIENCE_MS, rev;
    for (;;) {
        cv_err err = {.arena = turn};
        cv_write_result how = write_op(record, turn, (cv_scope_id){CV_STR("board"), name}, op, locked, &rev, &err);
        if (how == CV_WRITE_REPLAYED && certain)
            fprintf(to, "lie\n");
        certain = certain && how != CV_WRITE_UNKNOWN;
        fprintf(to, "%s %.*s %.*s %lld\n", words[how], CV_FMT(name), CV_FMT(op), (long long)rev);
        fflush(to);
        if (how == CV_WRITE_DONE || how == CV_WRITE_REPLAYED)
            return;
        if (now_ms() > deadline) {
            fprintf(stderr, "%.*s: %.*s\n", CV_FMT(op), CV_FMT(cv_err_text(&err)));
            _exit(1);
        }
        if (how != CV_WRITE_CONFLICT)
            pause_ms(20);
    }
}

static inline void writer_work(const writer_setting *s, FILE *to)
{
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record = open_patiently(&a, s->address, s->seen, &err);
    if (!record) {
        fprintf(stderr, "%.*s\n", CV_FMT(cv_err_text(&err)));
        _exit(1);
    }
    for (int n = 0; s->writes == 0 || n < s->writes; n++) {
        write_until_done(s, record, &turn, n, to);
        cv_arena_reset(&turn);
    }
    cv_record_close(record);
    fclose(to);
    _exit(0);
}

static inline writer writer_start(const writer_setting *s)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        writer_work(s, fdopen(ends[1], "w"));
    }
    assert_true(pid > 0);
    close(ends[1]);
    writer w = {pid, fdopen(ends[0], "r")};
    setvbuf(w.from, NULL, _IONBF, 0); /* what is not read yet is in the pipe */
    return w;
}

/* One line of what a writer says. False: there is no more. */
static inline bool writer_hear(const writer *w, told *t, bool *ret_done)
{
    char text[256], what[16], scope[64], op[64];
    long long rev = 0;
    *ret_done = false;
    if (!fgets(text, sizeof text, w->from) || !strchr(text, '\n')) /* killed in the middle of a line */
        return false;
    if (strcmp(text, "lie\n") == 0) {
        t->lies++;
        return true;
    }
    assert_int_equal(sscanf(text, "%15s %63s %63s %lld", what, scope, op, &rev), 4);
    *ret_done = strcmp(what, "done") == 0;
    if (*ret_done)
        *CV_PUSH(t->arena, t) =
            (told_one){cv_arena_copy(t->arena, cv_str_of(scope)), cv_arena_copy(t->arena, cv_str_of(op)), rev};
    t->conflicts += strcmp(what, "conflict") == 0;
    t->busy += strcmp(what, "busy") == 0;
    t->failed += strcmp(what, "failed") == 0;
    t->unknown += strcmp(what, "unknown") == 0;
    return true;
}

/* Until it was told so often that a write is done. */
static inline void writer_wait(const writer *w, told *t, int times)
{
    for (bool done; times > 0; times -= done)
        assert_true(writer_hear(w, t, &done));
}

/* Everything that it still says, and how it ended. */
static inline int writer_end(writer *w, told *t)
{
    int status;
    bool done;
    while (writer_hear(w, t, &done))
        ;
    fclose(w->from);
    assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
    return status;
}

static inline void writer_finish(writer *w, told *t)
{
    assert_int_equal(writer_end(w, t), 0);
}

static inline void writer_kill(writer *w, told *t)
{
    kill(w->pid, SIGKILL);
    assert_int_equal(writer_end(w, t), SIGKILL);
}

/* ---- does the record agree? --------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str op;
    int64_t rev, lines, events;
} stored_op;

typedef struct {
    cv_arena *arena;
    stored_op *items; /* by rev */
    size_t count, capacity;
    cv_map places; /* op -> number in items, from 1 */
    bool wrong;
} stored;

static inline bool see_stored_commit(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    stored *s = ctx;
    const cv_commit_row *c = row;
    (void)scope, (void)err;
    cv_str op = cv_arena_copy(s->arena, c->op_id);
    *CV_PUSH(s->arena, s) = (stored_op){op, c->rev, 0, 0};
    *cv_map_put(&s->places, s->arena, op, NULL) = s->count;
    s->wrong = s->wrong || c->rev != (int64_t)s->count;
    return true;
}

static inline stored_op *stored_of(stored *s, cv_str op)
{
    const uintptr_t *place = cv_map_get(&s->places, op);
    return place ? &s->items[*place - 1] : NULL;
}

static inline bool see_stored_line(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    stored *s = ctx;
    const line *l = row;
    stored_op *op = stored_of(s, l->thread);
    (void)scope, (void)err;
    s->wrong = s->wrong || !op || op->rev != l->rev || l->seq != op->lines;
    if (op)
        op->lines++;
    return true;
}

static inline bool see_stored_event(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    stored *s = ctx;
    const cv_event_row *e = row;
    stored_op *op = stored_of(s, e->subject_id);
    (void)scope, (void)err;
    s->wrong = s->wrong || !op || op->rev != e->rev || e->seq != op->rev;
    if (op)
        op->events++;
    return true;
}

/* Revs are dense, every write has all of its rows and its event, and the hashes agree. Returns the scope's rev. */
static inline int64_t check_scope(cv_record *record, cv_arena *a, cv_scope_id scope, stored *s, cv_err *err)
{
    const cv_find commits = {.type = &cv_commit_row_type, .index = cv_commits_by_rev, .scope = scope};
    const cv_find lines = {.type = &line_type, .scope = scope}, events = {.type = &cv_event_row_type, .scope = scope};
    cv_scope_position at;
    *s = (stored){.arena = a};
    assert_ok(record->calls->find(record, &commits, see_stored_commit, s, err), err);
    assert_ok(record->calls->find(record, &lines, see_stored_line, s, err), err);
    assert_ok(record->calls->find(record, &events, see_stored_event, s, err), err);
    assert_false(s->wrong);
    for (size_t i = 0; i < s->count; i++) {
        assert_int_equal(s->items[i].lines, WRITER_LINES);
        assert_int_equal(s->items[i].events, 1);
    }
    if (s->count > 0)
        assert_ok(cv_scope_verify(record, a, scope, NULL, &at, err), err);
    return (int64_t)s->count;
}

/* All that was told is stored, and the last ones are replayed. *ret_stored: all writes that are there. */
static inline void check_record(cv_arena *a, const char *address, const told *t, size_t *ret_stored, cv_err *err)
{
    cv_record *record = open_patiently(a, address, NULL, err);
    cv_map scopes = {0};
    *ret_stored = 0;
    assert_non_null(record);
    assert_int_equal(t->lies, 0);
    for (size_t i = 0; i < t->count; i++) {
        bool is_new;
        uintptr_t *place = cv_map_put(&scopes, a, t->items[i].scope, &is_new);
        cv_scope_id scope = {CV_STR("board"), t->items[i].scope};
        if (is_new) {
            stored *s = CV_NEW(a, stored);
            *ret_stored += (size_t)check_scope(record, a, scope, s, err);
            *place = (uintptr_t)s;
        }
        const stored_op *op = stored_of((stored *)*place, t->items[i].op);
        assert_non_null(op);
        assert_int_equal(op->rev, t->items[i].rev);
        int64_t rev = 0;
        if (i + 5 > t->count) {
            assert_int_equal(write_op(record, a, scope, t->items[i].op, i % 2, &rev, err), CV_WRITE_REPLAYED);
            assert_int_equal(rev, t->items[i].rev);
        }
    }
    assert_true(t->count <= *ret_stored);
    assert_ok(record->calls->check(record, a, err), err);
    cv_record_close(record);
}

#endif
