/* test_record_faults.c - the record of any room in a bad world: a disk that fails, calls that fail, killed writers. */
#include "board.h"
#include "failing_disk.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path;
    cv_record *record;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

/* One write to a scope: cards that change, lines that are added, both telling the rev. */
static cv_write_result write_rev(cv_record *record, cv_arena *a, cv_scope_id scope, int64_t rev, bool locked,
                                 cv_err *err)
{
    cv_writing w;
    cv_written done = {.how = CV_WRITE_FAILED};
    cv_scope_position at;
    const cv_request request = {cv_arena_printf(a, "op-%lld", (long long)rev), CV_STR("digest"), CV_STR("board x")};
    cv_str text = cv_arena_printf(a, "%lld", (long long)rev);
    if (locked) {
        if (!cv_writing_begin(&w, record, a, scope, NOW, err))
            return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
        if (!cv_writing_done_before(&w, &request, &done, err) || done.how == CV_WRITE_REPLAYED) {
            cv_writing_end(&w);
            return done.how;
        }
    } else {
        if (!record->calls->begin(record, a, scope, CV_READ, &at, err))
            return CV_WRITE_FAILED;
        record->calls->end(record);
        cv_writing_from(&w, record, a, scope, &at, NOW);
    }
    for (int64_t i = 0; i < 20; i++) {
        cv_writing_put(&w, &card_type, &(card){.number = i, .title = text, .rank = rev, .body = text});
        cv_writing_put(&w, &line_type, &(line){.thread = text, .seq = i, .author = text});
    }
    cv_writing_event(&w, CV_STR("x"), text, CV_STR("written"));
    cv_writing_commit(&w, &request, text, &done, err);
    return done.how;
}

/* The scope's rev; whatever it is, it must be whole. 0: there is none. */
static int64_t whole_rev(fixture *f, cv_scope_id scope)
{
    cv_scope_position at;
    assert_ok(f->record->calls->begin(f->record, &f->arena, scope, CV_READ, &at, &f->err), &f->err);
    f->record->calls->end(f->record);
    if (at.rev > 0)
        assert_ok(cv_scope_verify(f->record, &f->arena, scope, NULL, &at, &f->err), &f->err);
    return at.rev;
}

/* Rev 2 is written while the n-th call fails. Whatever the record says of it must be true, now and after reopening. */
static bool fail_at(fixture *f, size_t n)
{
    cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&f->arena, "s%zu", n)};
    assert_int_equal(write_rev(f->record, &f->arena, scope, 1, true, &f->err), CV_WRITE_DONE);
    disk.calls = 0;
    disk.fail_at = n;
    cv_write_result result = write_rev(f->record, &f->arena, scope, 2, n % 3, &f->err);
    size_t calls = disk.calls;
    disk.fail_at = 0;
    assert_true(result == CV_WRITE_DONE || result == CV_WRITE_FAILED || result == CV_WRITE_UNKNOWN);
    if (result != CV_WRITE_DONE)
        assert_true(f->err.message.n > 0 && f->err.suggestion.n > 0);
    if (disk.full && result != CV_WRITE_DONE)
        assert_int_equal(result, CV_WRITE_FAILED);
    if (n % 2) {
        cv_record_close(f->record);
        f->record = board_open(&f->arena, f->path, &f->err);
    }
    int64_t rev = whole_rev(f, scope);
    assert_true(rev == 2 || (rev == 1 && result != CV_WRITE_DONE));
    assert_false(rev == 2 && result == CV_WRITE_FAILED);
    /* The same op_id: at most once. */
    assert_int_equal(write_rev(f->record, &f->arena, scope, 2, true, &f->err),
                     rev == 2 ? CV_WRITE_REPLAYED : CV_WRITE_DONE);
    assert_int_equal(whole_rev(f, scope), 2);
    return calls >= n;
}

static void fail_everywhere(fixture *f, bool full, bool after)
{
    use_failing_disk(true);
    disk.full = full;
    disk.after = after;
    f->record = board_open(&f->arena, f->path, &f->err);
    size_t n = 1;
    while (fail_at(f, n))
        n++;
    assert_true(n > 10);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    cv_record_close(f->record);
    f->record = NULL;
    use_failing_disk(false);
}

static void a_failing_disk_never_lies(void **state)
{
    fail_everywhere(*state, false, false);
}

static void a_disk_that_fails_after_writing_never_lies(void **state)
{
    fail_everywhere(*state, false, true);
}

static void a_full_disk_certainly_does_not_write(void **state)
{
    fail_everywhere(*state, true, false);
}

/* ---- calls that fail
 * ------------------------------------------------------------------------------------------------- */

/* The watermark is one small write of its own: no write, no sync of the database more. */
static void a_watermark_costs_no_sync(void **state)
{
    fixture *f = *state;
    size_t calls[2];
    cv_commit mark, last;
    f->record = board_open(&f->arena, f->path, &f->err);
    for (int64_t rev = 1; rev <= 2; rev++)
        assert_int_equal(write_rev(f->record, &f->arena, BOARD("x"), rev, true, &f->err), CV_WRITE_DONE);
    for (int64_t i = 0; i < 2; i++) {
        disk.calls = 0;
        assert_int_equal(write_rev(f->record, &f->arena, BOARD("x"), 3 + i, true, &f->err), CV_WRITE_DONE);
        calls[i] = disk.calls;
        assert_int_equal(cv_watermark_read(cv_watermark_path(&f->arena, f->path), &mark, &f->err), CV_WATERMARK_THERE);
        assert_ok(f->record->calls->last_commit(f->record, &last, &f->err), &f->err);
        assert_int_equal(mark.number, 3);
        assert_int_equal(last.number, 3 + i);
        ((cv_sqlite_record *)f->record)->s->watermark = NULL;
    }
    assert_true(calls[0] <= calls[1] + 2); /* as many pages, give or take */
}

static void every_call_may_fail(void **state)
{
    fixture *f = *state;
    f->record = board_open(&f->arena, f->path, &f->err);
    size_t reached = 0;
    for (int locked = 0; locked < 2; locked++) {
        bool failed = true;
        for (size_t n = 1; failed; n++, reached++) {
            cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&f->arena, "c%d-%zu", locked, n)};
            cv_record_tracing tracing = {.fail_at = n};
            cv_record *traced = cv_record_traced(&f->arena, f->record, &tracing);
            cv_write_result result = write_rev(traced, &f->arena, scope, 1, locked, &f->err);
            failed = tracing.calls >= n;
            assert_int_equal(result, failed ? CV_WRITE_FAILED : CV_WRITE_DONE);
            assert_int_equal(whole_rev(f, scope), failed ? 0 : 1);
            assert_int_equal(write_rev(f->record, &f->arena, scope, 1, locked, &f->err),
                             failed ? CV_WRITE_DONE : CV_WRITE_REPLAYED);
        }
    }
    assert_true(reached > 5);
    /* A store in memory to try things on, and a whole copy. */
    cv_record *scratch, *copy;
    cv_scope_position at;
    cv_scope_id scope = {CV_STR("board"), CV_STR("c1-1")};
    assert_ok(f->record->calls->scratch(f->record, &f->arena, false, &scratch, &f->err), &f->err);
    assert_ok(cv_scope_verify(scratch, &f->arena, scope, NULL, &at, &f->err), &f->err);
    assert_int_equal(write_rev(scratch, &f->arena, scope, 2, true, &f->err), CV_WRITE_DONE);
    assert_int_equal(whole_rev(f, scope), 1);
    cv_record_close(scratch);
    const char *path = cv_arena_printf(&f->arena, "%s/copy.db", f->folder).p;
    assert_ok(f->record->calls->backup(f->record, path, &f->err), &f->err);
    copy = board_open(&f->arena, path, &f->err);
    assert_ok(cv_scope_verify(copy, &f->arena, scope, NULL, &at, &f->err), &f->err);
    cv_record_close(copy);
}

/* ---- one moment
 * --------------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t rev;
    size_t count;
    bool torn;
} moment;

static bool see_card(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    moment *m = ctx;
    (void)scope, (void)err;
    m->count++;
    m->torn = m->torn || cv_row_rev(row) != m->rev;
    return true;
}

/* What others write between begin and end is not seen, and does not make a locked write fail. */
static void a_transaction_sees_one_moment(void **state)
{
    fixture *f = *state;
    cv_scope_id scope = BOARD("x");
    f->record = board_open(&f->arena, f->path, &f->err);
    cv_record *other = board_open(&f->arena, f->path, &f->err);
    const cv_find find = {.type = &card_type, .scope = scope};
    for (int64_t rev = 1; rev < 4; rev += 2) {
        assert_int_equal(write_rev(other, &f->arena, scope, rev, true, &f->err), CV_WRITE_DONE);
        cv_scope_position at;
        moment m = {.rev = rev};
        assert_ok(f->record->calls->begin(f->record, &f->arena, scope, CV_READ, &at, &f->err), &f->err);
        assert_int_equal(at.rev, rev);
        assert_int_equal(write_rev(other, &f->arena, scope, rev + 1, false, &f->err), CV_WRITE_DONE);
        assert_ok(f->record->calls->find(f->record, &find, see_card, &m, &f->err), &f->err);
        assert_true(m.count == 20 && !m.torn);
        f->record->calls->end(f->record);
    }
    /* Whoever waits too long is told: certainly not written. */
    cv_scope_position at;
    assert_ok(f->record->calls->begin(f->record, &f->arena, scope, CV_WRITE, &at, &f->err), &f->err);
    ((cv_sqlite_record *)other)->s->wait_us = 5000;
    assert_int_equal(write_rev(other, &f->arena, scope, 99, true, &f->err), CV_WRITE_BUSY);
    assert_int_equal(write_rev(other, &f->arena, scope, 99, false, &f->err), CV_WRITE_BUSY);
    f->record->calls->end(f->record);
    assert_int_equal(write_rev(other, &f->arena, scope, 99, true, &f->err), CV_WRITE_DONE);
    cv_record_close(other);
}

/* ---- killed writers
 * ------------------------------------------------------------------------------------------------------ */

/* What was answered is there; what was not is whole or absent; the next one finds the store open. */
static void killed_writers_lose_nothing(void **state)
{
    fixture *f = *state;
    cv_test_random random = {42};
    int64_t answered = 0;
    f->record = board_open(&f->arena, f->path, &f->err);
    for (int round = 0; round < (cv_test_soak() ? 300 : 15); round++) {
        int fds[2], status;
        int64_t told;
        assert_int_equal(pipe(fds), 0);
        int64_t from = whole_rev(f, BOARD("x"));
        cv_record_close(f->record);
        pid_t pid = fork();
        if (pid == 0) {
            cv_record *record = board_open(&f->arena, f->path, &f->err);
            for (int64_t rev = from + 1;; rev++)
                if (write_rev(record, &f->arena, BOARD("x"), rev, true, &f->err) != CV_WRITE_DONE ||
                    write(fds[1], &rev, sizeof rev) != sizeof rev)
                    _exit(1);
        }
        close(fds[1]);
        nanosleep(&(struct timespec){.tv_nsec = 20000000 + (long)cv_test_below(&random, 60000000)}, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status));
        while (read(fds[0], &told, sizeof told) == sizeof told)
            answered = told;
        close(fds[0]);
        f->record = board_open(&f->arena, f->path, &f->err);
        int64_t rev = whole_rev(f, BOARD("x"));
        assert_true(rev == answered || rev == answered + 1);
        answered = rev;
    }
    print_message("# %lld writes answered\n", (long long)answered);
    assert_true(answered > 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failing_disk_never_lies),
        TEST(a_disk_that_fails_after_writing_never_lies),
        TEST(a_full_disk_certainly_does_not_write),
        TEST(a_watermark_costs_no_sync),
        TEST(every_call_may_fail),
        TEST(a_transaction_sees_one_moment),
        TEST(killed_writers_lose_nothing),
    };
    return cmocka_run_group_tests_name("record_faults", tests, NULL, NULL);
}
