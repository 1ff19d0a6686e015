/* test_record_rivals.c - many processes at one record of any room.
 *
 * Locked writes of 32 processes to one scope: none starves, none fails, numbers and revs have no gaps. The end of a
 * write wakes the one whose turn it is, and not all who wait. One that was stopped is skipped. The feed beside 16
 * writing processes: every commit once and in one order, for readers that begin at any time, and for one that is
 * killed and goes on.
 */
#include "board.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "record/sqlite/engine.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = cv_test_folder(&f.arena); /* on a disk: writers shall wait for it */
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static cv_record *reopen(cv_arena *a, const char *path, cv_err *err)
{
    cv_record *record = NULL;
    if (!cv_record_open(a, path, CV_RECORD_CREATE, &all_types, board_schema_of(a, BOARD_SQL), &record, err))
        return NULL;
    return record;
}

/* ---- one locked write
 * ------------------------------------------------------------------------------------------------ */

static bool take_last(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)err;
    *(int64_t *)ctx = ((const line *)row)->seq;
    return true;
}

/* Adds the next line of a thread: the number comes from what is there, under the lock. */
static cv_write_result add_line(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_str author,
                                int64_t *ret_rev, cv_err *err)
{
    cv_writing w;
    cv_written done = {0};
    int64_t last = 0;
    const line thread = {.thread = CV_STR("main")};
    const cv_find find = {
        .type = &line_type, .scope = scope, .like = &thread, .equal = 1, .limit = 1, .descending = true};
    const cv_request request = {op_id, CV_STR("digest"), CV_STR("board say")};
    if (!cv_writing_begin(&w, record, a, scope, CV_STR(""), NOW, err))
        return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
    if (!record->calls->find(record, &find, take_last, &last, err)) {
        cv_writing_end(&w);
        return CV_WRITE_FAILED;
    }
    const line row = {.thread = CV_STR("main"), .seq = last + 1, .author = author, .text = op_id};
    cv_writing_put(&w, &line_type, &row);
    cv_writing_event(&w, CV_STR("line"), author, CV_STR("said"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, err);
    *ret_rev = done.rev;
    return done.how;
}

/* ---- 32 writers
 * ------------------------------------------------------------------------------------------------------- */

enum { WRITERS = 32 };

typedef struct {
    int64_t writes, failed, longest_ms;
    int64_t passed; /* the most writes of others between asking for a turn and having it */
} tally;

static int64_t rev_of(cv_record *record, cv_arena *a, cv_scope_id scope, cv_err *err)
{
    cv_scope_position at = {0};
    record->calls->begin(record, a, scope, &at, err);
    record->calls->end(record);
    return at.rev;
}

static void write_for(const char *path, int me, int64_t until, tally *t)
{
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record = reopen(&a, path, &err);
    if (!record)
        t->failed++;
    for (int64_t n = 0; record && milliseconds() < until; n++) {
        int64_t rev = 0;
        cv_err trouble = {.arena = &turn};
        cv_str op = cv_arena_printf(&turn, "op-%d-%lld", me, (long long)n), who = cv_arena_printf(&turn, "w%d", me);
        int64_t before = rev_of(record, &turn, BOARD("shared"), &trouble), begin = milliseconds();
        cv_write_result how = add_line(record, &turn, BOARD("shared"), op, who, &rev, &trouble);
        int64_t took = milliseconds() - begin;
        if (how != CV_WRITE_DONE)
            fprintf(stderr, "writer %d: %.*s\n", me, CV_FMT(cv_err_text(&trouble)));
        t->failed += how != CV_WRITE_DONE;
        t->writes += how == CV_WRITE_DONE;
        t->passed = rev - before - 1 > t->passed ? rev - before - 1 : t->passed;
        t->longest_ms = took > t->longest_ms ? took : t->longest_ms;
        cv_arena_reset(&turn);
    }
    cv_record_close(record);
    cv_arena_release(&turn);
    cv_arena_release(&a);
}

typedef struct {
    int64_t count;
    bool wrong;
} numbers;

static bool check_number(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    numbers *n = ctx;
    const line *l = row;
    (void)scope, (void)err;
    n->count++;
    n->wrong = n->wrong || l->seq != n->count || l->rev != n->count;
    return true;
}

static void locked_writers_take_turns(void **state)
{
    fixture *f = *state;
    tally *tallies = mmap(NULL, sizeof *tallies * WRITERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cv_record *record = board_open(&f->arena, f->path, &f->err);
    int64_t until = milliseconds() + (cv_test_soak() ? 60000 : 4000), total = 0, longest = 0, least = INT64_MAX,
            passed = 0;
    pid_t pids[WRITERS];
    cv_record_close(record);
    for (int i = 0; i < WRITERS; i++)
        if ((pids[i] = fork()) == 0) {
            write_for(f->path, i, until, &tallies[i]);
            _exit(0);
        }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
        assert_int_equal(tallies[i].failed, 0);
        total += tallies[i].writes;
        longest = tallies[i].longest_ms > longest ? tallies[i].longest_ms : longest;
        passed = tallies[i].passed > passed ? tallies[i].passed : passed;
        least = tallies[i].writes < least ? tallies[i].writes : least;
    }
    print_message("# %d writers: %lld writes, the least busy one %lld, the longest turn %lld ms, %lld went before\n",
                  WRITERS, (long long)total, (long long)least, (long long)longest, (long long)passed);
    assert_true(least >= 1); /* nobody was left out */
    /* In turn, 31 others go before; more only of a process that the system did not let run when it was about to ask. */
    assert_true(passed <= 10 * WRITERS);
    record = board_open(&f->arena, f->path, &f->err);
    numbers n = {0};
    cv_scope_position at;
    const cv_find find = {.type = &line_type, .scope = BOARD("shared")};
    assert_ok(record->calls->find(record, &find, check_number, &n, &f->err), &f->err);
    assert_int_equal(n.count, total);
    assert_false(n.wrong);
    assert_ok(cv_scope_verify(record, &f->arena, BOARD("shared"), NULL, &at, &f->err), &f->err);
    assert_int_equal(at.rev, total);
    cv_record_close(record);
    munmap(tallies, sizeof *tallies * WRITERS);
}

/* ---- who is woken
 * -------------------------------------------------------------------------------------------------------- */

enum { QUEUE = 8 };

typedef struct {
    atomic_int drawn, had, wakes;
    int order[QUEUE];
} queue;

/* Draws a ticket when those before have theirs; has its turn once it was woken and is the first. */
static void queue_up(const char *path, int me, queue *q)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_sqlite_record *r = (cv_sqlite_record *)reopen(&a, path, &err);
    alarm(60);
    while (r && atomic_load(&q->drawn) < me)
        usleep(100);
    if (!r)
        _exit(1);
    cv_sqlite_turns_draw(r);
    atomic_fetch_add(&q->drawn, 1);
    do {
        if (!cv_sqlite_turns_wait(r, INT64_C(60000000)))
            _exit(2);
        atomic_fetch_add(&q->wakes, 1);
    } while (cv_sqlite_turns_waiting(r, r->ticket));
    q->order[atomic_fetch_add(&q->had, 1)] = me;
    cv_sqlite_turns_give(r);
    cv_sqlite_turns_freed(r);
    cv_record_close(&r->base);
    _exit(0);
}

static void the_end_of_a_write_wakes_one(void **state)
{
    fixture *f = *state;
    queue *q = mmap(NULL, sizeof *q, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cv_record *record = board_open(&f->arena, f->path, &f->err);
    pid_t pids[QUEUE];
    for (int i = 0; i < QUEUE; i++)
        if ((pids[i] = fork()) == 0)
            queue_up(f->path, i, q);
    while (atomic_load(&q->drawn) < QUEUE)
        usleep(1000);
    cv_sqlite_turns_freed((cv_sqlite_record *)record);
    for (int i = 0; i < QUEUE; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < QUEUE; i++)
        assert_int_equal(q->order[i], i);
    assert_in_range(atomic_load(&q->wakes), QUEUE, 2 * QUEUE - 1); /* two tickets may share a number */
    cv_record_close(record);
    munmap(q, sizeof *q);
}

/* Somebody has the first ticket and was stopped: who comes then finds out once, and does not wait for it again. */
static void who_was_stopped_is_skipped(void **state)
{
    fixture *f = *state;
    int64_t rev;
    cv_sqlite_record *stopped = (cv_sqlite_record *)board_open(&f->arena, f->path, &f->err);
    cv_record *record = reopen(&f->arena, f->path, &f->err);
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    cv_sqlite_turns_draw(stopped);
    assert_true(stopped->ticket > 0);
    for (int i = 1; i <= 3; i++) {
        cv_str op = cv_arena_printf(&f->arena, "op-%d", i);
        cv_write_result how = add_line(record, &f->arena, BOARD("shared"), op, CV_STR("w"), &rev, &f->err);
        assert_int_equal(how, CV_WRITE_DONE);
        assert_true(i == 1 ? r->waited_us > 0 : r->waited_us == 0);
    }
    assert_int_equal(r->skipped, stopped->ticket);
    cv_sqlite_turns_give(stopped);
    cv_record_close(record);
    cv_record_close(&stopped->base);
}

/* ---- the watermark
 * ------------------------------------------------------------------------------------------------------- */

/* Who has committed keeps the lock of the watermark while it brings the log into the database, and a disk may be slow. */
static void who_has_the_watermark_is_waited_for(void **state)
{
    fixture *f = *state;
    cv_record *record = board_open(&f->arena, f->path, &f->err);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int64_t rev;
    int ends[2], status;
    char byte;
    assert_int_equal(add_line(record, &f->arena, BOARD("slow"), CV_STR("op-1"), CV_STR("w"), &rev, &f->err),
                     CV_WRITE_DONE);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(cv_watermark_path(&f->arena, f->path), O_RDWR);
        if (fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) != 0 || write(ends[1], "x", 1) != 1)
            _exit(1);
        usleep(2500000);
        _exit(0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_ok(add_line(record, &f->arena, BOARD("slow"), CV_STR("op-2"), CV_STR("w"), &rev, &f->err) == CV_WRITE_DONE,
              &f->err);
    assert_int_equal(rev, 2);
    assert_true(waitpid(pid, &status, 0) == pid && status == 0);
    close(ends[0]);
    close(ends[1]);
    cv_record_close(record);
}

/* ---- the feed
 * ---------------------------------------------------------------------------------------------------------- */

enum { FEEDERS = 16, READERS = 4 };

static void feed_writer(const char *path, int me, int64_t until)
{
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record = reopen(&a, path, &err);
    int64_t rev;
    for (int n = 0; record && milliseconds() < until; n++) {
        cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&turn, "s%d", (me + n) % 5)};
        if (add_line(record, &turn, scope, cv_arena_printf(&turn, "op-%d-%d", me, n), CV_STR("w"), &rev, &err) !=
            CV_WRITE_DONE) {
            fprintf(stderr, "writer %d: %.*s\n", me, CV_FMT(cv_err_text(&err)));
            _exit(1);
        }
        cv_arena_reset(&turn);
    }
    cv_record_close(record);
    _exit(record ? 0 : 1);
}

typedef struct {
    cv_arena *arena;
    FILE *to;
    cv_str position;
    size_t count;
} following;

static bool follow_entry(void *ctx, const cv_feed_entry *e, cv_err *err)
{
    following *x = ctx;
    (void)err;
    fprintf(x->to, "%.*s %lld %.*s\n", CV_FMT(e->scope.name), (long long)e->rev, CV_FMT(e->op_id));
    x->position = cv_arena_copy(x->arena, e->position);
    x->count++;
    return true;
}

static bool follow_batch(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    following *x = ctx;
    for (size_t i = 0; i < count; i++)
        follow_entry(x, &entries[i], err);
    fflush(x->to); /* before the position moves on: at least once */
    return true;
}

/* Follows the feed from its beginning, with or without a kept position, and writes down what comes. */
static void feed_reader(const char *path, const char *to, const char *name, int64_t until)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record = reopen(&a, path, &err);
    following x = {.arena = &a, .to = fopen(to, "a")};
    const cv_feed_reader reader = {.name = cv_str_of(name), .batch = 3, .take = follow_batch, .ctx = &x};
    uint64_t seen = 0;
    if (!record || !x.to)
        _exit(1);
    for (bool last = false; !last;) {
        last = milliseconds() >= until;
        if (!record->calls->changed(record, &seen) && !last) {
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
            continue;
        }
        if (name[0] ? !cv_feed_catch_up(record, &a, &reader, &err)
                    : !record->calls->feed(record, x.position, 0, follow_entry, &x, &err))
            _exit(1);
    }
    fclose(x.to);
    cv_record_close(record);
    _exit(0);
}

static pid_t start_reader(fixture *f, const char *to, const char *name, int64_t until)
{
    pid_t pid = fork();
    if (pid == 0)
        feed_reader(f->path, to, name, until);
    return pid;
}

/* Lines that are there twice in a row of batches count once: a killed reader sees its last batch again. */
static cv_str without_repeats(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_map seen = {0};
    cv_str one;
    bool is_new;
    while (cv_str_split(&text, '\n', &one)) {
        if (one.n == 0)
            continue;
        cv_map_put(&seen, a, one, &is_new);
        if (is_new) {
            cv_buf_add(&out, one);
            cv_buf_add_char(&out, '\n');
        }
    }
    return cv_buf_take(&out, a);
}

static void every_reader_sees_every_commit_once(void **state)
{
    fixture *f = *state;
    cv_record *record = board_open(&f->arena, f->path, &f->err);
    cv_record_close(record);
    int64_t begin = milliseconds(), length = cv_test_soak() ? 30000 : 3000;
    pid_t writers[FEEDERS], readers[READERS];
    const char *outputs[READERS + 1];
    int status;
    for (int i = 0; i < FEEDERS; i++)
        if ((writers[i] = fork()) == 0)
            feed_writer(f->path, i, begin + length);
    const char *kept = outputs[READERS] = cv_arena_printf(&f->arena, "%s/kept", f->folder).p;
    pid_t victim = start_reader(f, kept, "victim", begin + length + 1000);
    for (int i = 0; i < READERS; i++) { /* one after the other, while all the others write */
        outputs[i] = cv_arena_printf(&f->arena, "%s/r%d", f->folder, i).p;
        readers[i] = start_reader(f, outputs[i], "", begin + length + 1000);
        nanosleep(&(struct timespec){.tv_nsec = 150000000 + 50000000 * i}, NULL);
        kill(victim, SIGKILL); /* and one is killed again and again */
        waitpid(victim, &status, 0);
        victim = start_reader(f, kept, "victim", begin + length + 1000);
    }
    for (int i = 0; i < FEEDERS; i++)
        assert_true(waitpid(writers[i], &status, 0) == writers[i] && status == 0);
    for (int i = 0; i < READERS; i++)
        assert_true(waitpid(readers[i], &status, 0) == readers[i] && status == 0);
    assert_true(waitpid(victim, &status, 0) == victim && status == 0);

    record = board_open(&f->arena, f->path, &f->err);
    char *all;
    size_t size;
    following x = {.arena = &f->arena, .to = open_memstream(&all, &size)};
    assert_ok(record->calls->feed(record, CV_STR(""), 0, follow_entry, &x, &f->err), &f->err);
    fclose(x.to);
    print_message("# %d writers: %zu commits\n", FEEDERS, x.count);
    for (int i = 0; i < READERS; i++)
        assert_true(cv_str_eq(cv_test_read(&f->arena, outputs[i]), (cv_str){all, size}));
    assert_true(cv_str_eq(without_repeats(&f->arena, cv_test_read(&f->arena, kept)), (cv_str){all, size}));
    free(all);
    cv_record_close(record);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(locked_writers_take_turns),           TEST(the_end_of_a_write_wakes_one),
        TEST(who_was_stopped_is_skipped),          TEST(who_has_the_watermark_is_waited_for),
        TEST(every_reader_sees_every_commit_once),
    };
    return cmocka_run_group_tests_name("record_rivals", tests, NULL, NULL);
}
