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
        if (!cv_writing_begin(&w, record, a, scope, CV_STR(""), NOW, err))
            return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
        if (!cv_writing_done_before(&w, &request, &done, err) || done.how == CV_WRITE_REPLAYED) {
            cv_writing_end(&w);
            return done.how;
        }
    } else {
        if (!record->calls->begin(record, a, scope, &at, err))
            return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
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
    assert_ok(f->record->calls->begin(f->record, &f->arena, scope, &at, &f->err), &f->err);
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

/* What the third write to a record of its own costs. */
static void count_write(fixture *f, bool marked, size_t *ret_disk, size_t *ret_steps)
{
    const char *path = cv_arena_printf(&f->arena, "%s/counted-%d.db", f->folder, marked).p;
    if (marked)
        f->record = board_open(&f->arena, path, &f->err);
    else
        f->record = &cv_sqlite_record_open(&f->arena, path, CV_SQLITE_CREATE, &all_types,
                                           board_schema_of(&f->arena, BOARD_SQL), &f->err)
                         ->base;
    for (int64_t rev = 1; rev <= 3; rev++) {
        *ret_steps = disk.calls = 0;
        assert_int_equal(write_rev(f->record, &f->arena, BOARD("x"), rev, true, &f->err), CV_WRITE_DONE);
        *ret_disk = disk.calls;
        for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(((cv_sqlite_record *)f->record)->s->db, st));)
            *ret_steps += (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    }
    cv_record_close(f->record);
    f->record = NULL;
}

/* The watermark is one small write of its own: no write, no sync, no statement of the database more. */
static void a_watermark_costs_no_sync_and_no_statement(void **state)
{
    fixture *f = *state;
    size_t calls[2], steps[2];
    use_failing_disk(true);
    count_write(f, false, &calls[0], &steps[0]);
    count_write(f, true, &calls[1], &steps[1]);
    use_failing_disk(false);
    print_message("# a write: %zu writes and syncs, %zu steps of SQLite; with a watermark %zu and %zu\n", calls[0],
                  steps[0], calls[1], steps[1]);
    assert_true(calls[0] > 1 && steps[0] > 0);
    assert_int_equal(calls[0], calls[1]);
    assert_int_equal(steps[0], steps[1]);
    cv_commit mark;
    const char *path = cv_arena_printf(&f->arena, "%s/counted-1.db-watermark", f->folder).p;
    assert_int_equal(cv_watermark_read(path, &mark, &f->err), CV_WATERMARK_THERE);
    assert_int_equal(mark.number, 3);
    assert_int_not_equal(access(cv_arena_printf(&f->arena, "%s/counted-0.db-watermark", f->folder).p, F_OK), 0);
}

/* A disk that has room for some writes, and then for none: the last one is not there, all others are. */
static void a_small_disk_fills_up(void **state)
{
    fixture *f = *state;
    cv_write_result result;
    int64_t rev = 0;
    f->record = board_open(&f->arena, f->path, &f->err);
    sqlite3_exec(((cv_sqlite_record *)f->record)->s->db, "PRAGMA max_page_count = 160", NULL, NULL, NULL);
    while ((result = write_rev(f->record, &f->arena, BOARD("x"), rev + 1, true, &f->err)) == CV_WRITE_DONE)
        rev++;
    assert_int_equal(result, CV_WRITE_FAILED);
    assert_str_has(f->err.message, "disk is full");
    assert_true(rev > 5);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(whole_rev(f, BOARD("x")), rev);
        cv_record_close(f->record);
        f->record = board_open(&f->arena, f->path, &f->err);
    }
}

/* What a process finds that opens the files as they are now on the disk: every commit that was acknowledged. */
static void find_in_copy(fixture *f, cv_scope_id scope, int64_t rev)
{
    cv_record *open = f->record;
    const char *folder = cv_arena_printf(&f->arena, "%s/copy", f->folder).p;
    const char *copy = cv_arena_printf(&f->arena, "mkdir -p '%s' && rm -f '%s'/* && cp '%s' '%s-wal' '%s'", folder,
                                       folder, f->path, f->path, folder)
                           .p;
    assert_int_equal(system(copy), 0);
    f->record = board_open(&f->arena, cv_arena_printf(&f->arena, "%s/conclave.db", folder).p, &f->err);
    assert_int_equal(whole_rev(f, scope), rev);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    cv_record_close(f->record);
    f->record = open;
}

/* However many pages it has, and however many of them SQLite had to move out of its memory before. */
static void a_commit_of_any_size_is_in_the_log(void **state)
{
    fixture *f = *state;
    int spilled, highest;
    cv_str text = cv_str_of(memset(CV_NEW_ARRAY(&f->arena, 100001, char), 'x', 100000));
    f->record = board_open(&f->arena, f->path, &f->err);
    sqlite3 *db = ((cv_sqlite_record *)f->record)->s->db;
    for (int64_t rev = 1; rev <= 12; rev++) {
        if (rev == 7)
            sqlite3_exec(db, "PRAGMA cache_size = 3", NULL, NULL, NULL);
        assert_int_equal(write_rev(f->record, &f->arena, BOARD("x"), rev, true, &f->err), CV_WRITE_DONE);
        find_in_copy(f, BOARD("x"), rev);
    }
    for (int64_t rev = 1; rev <= 8; rev++) {
        cv_writing w;
        cv_written done;
        const cv_request request = {cv_arena_printf(&f->arena, "op-%lld", (long long)rev), CV_STR("d"), CV_STR("b x")};
        assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("large"), CV_STR(""), NOW, &f->err), &f->err);
        for (int64_t i = 0; i < rev; i++)
            cv_writing_put(&w, &card_type, &(card){.number = i, .title = CV_STR("t"), .body = text});
        cv_writing_event(&w, CV_STR("x"), CV_STR("x"), CV_STR("written"));
        cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err);
        assert_int_equal(done.how, CV_WRITE_DONE);
        if (rev == 4)
            sqlite3_exec(db, "PRAGMA cache_size = 1000", NULL, NULL, NULL);
        find_in_copy(f, BOARD("large"), rev);
    }
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_SPILL, &spilled, &highest, 0);
    assert_true(spilled > 0);
}

/* FTS5 writes its words within COMMIT, and reads pages again that SQLite has moved to the log since COMMIT began. What
 * was in that place of the log before is no page of theirs. */
static void words_are_read_again_within_a_commit(void **state)
{
    fixture *f = *state;
    f->record = board_open(&f->arena, f->path, &f->err);
    sqlite3 *db = ((cv_sqlite_record *)f->record)->s->db;
    assert_int_equal(sqlite3_exec(db, "PRAGMA cache_size = 3", NULL, NULL, NULL), SQLITE_OK);
    for (int64_t rev = 1; rev <= 12; rev++) {
        cv_buf words = {0};
        for (int64_t i = 0; i < 4000; i++)
            cv_buf_printf(&words, "w%llx ", (long long)(rev * 4000 + i) * 2654435761 % 1000003);
        cv_writing w;
        cv_written done;
        const cv_request request = {cv_arena_printf(&f->arena, "op-%lld", (long long)rev), CV_STR("d"), CV_STR("b x")};
        assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("x"), CV_STR(""), NOW, &f->err), &f->err);
        cv_writing_put(&w, &card_type,
                       &(card){.number = rev, .title = CV_STR("t"), .body = cv_buf_take(&words, &f->arena)});
        cv_writing_event(&w, CV_STR("x"), CV_STR("x"), CV_STR("written"));
        cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err);
        assert_int_equal(done.how, CV_WRITE_DONE);
        assert_ok(f->record->calls->search_rebuild(f->record, &f->arena, &f->err), &f->err);
        assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err);
        assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    }
}

/* Whatever a write reads, its op, its position or the tables themselves: BUSY is not FAILED, and nothing is written. */
static void be_busy_everywhere(fixture *f, cv_scope_id scope, bool locked)
{
    size_t n = 1;
    assert_int_equal(write_rev(f->record, &f->arena, scope, 1, true, &f->err), CV_WRITE_DONE);
    for (;; n++) {
        cv_record_close(f->record); /* nothing of the file is known any more */
        f->record = board_open(&f->arena, f->path, &f->err);
        disk.reads = 0;
        disk.busy_at = n;
        cv_write_result result = write_rev(f->record, &f->arena, scope, 2, locked, &f->err);
        disk.busy_at = 0;
        if (result == CV_WRITE_DONE)
            break;
        if (result != CV_WRITE_BUSY)
            print_error("read %zu: %.*s\n", n, CV_FMT(cv_err_text(&f->err)));
        assert_int_equal(result, CV_WRITE_BUSY);
        assert_int_equal(f->err.code, CV_ERR_BUSY);
        assert_int_equal(whole_rev(f, scope), 1);
    }
    assert_true(n > 3);
    assert_int_equal(whole_rev(f, scope), 2);
}

static void busy_while_reading_is_busy(void **state)
{
    fixture *f = *state;
    use_failing_disk(true);
    f->record = board_open(&f->arena, f->path, &f->err);
    be_busy_everywhere(f, BOARD("locked"), true);
    be_busy_everywhere(f, BOARD("optimistic"), false);
    use_failing_disk(false);
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
        assert_ok(f->record->calls->begin(f->record, &f->arena, scope, &at, &f->err), &f->err);
        assert_int_equal(at.rev, rev);
        assert_int_equal(write_rev(other, &f->arena, scope, rev + 1, false, &f->err), CV_WRITE_DONE);
        assert_ok(f->record->calls->find(f->record, &find, see_card, &m, &f->err), &f->err);
        assert_true(m.count == 20 && !m.torn);
        f->record->calls->end(f->record);
    }
    /* A caller that waits too long learns that nothing was written. */
    cv_scope_position at;
    assert_ok(f->record->calls->lock(f->record, &f->arena, scope, CV_STR(""), &at, &f->err), &f->err);
    ((cv_sqlite_record *)other)->s->wait_us = 5000;
    assert_int_equal(write_rev(other, &f->arena, scope, 99, true, &f->err), CV_WRITE_BUSY);
    assert_int_equal(write_rev(other, &f->arena, scope, 99, false, &f->err), CV_WRITE_BUSY);
    f->record->calls->end(f->record);
    assert_int_equal(write_rev(other, &f->arena, scope, 99, true, &f->err), CV_WRITE_DONE);
    cv_record_close(other);
}

/* ---- waiting and opening
 * ------------------------------------------------------------------------------------------------ */

static void waiting_has_an_end(void **state)
{
    fixture *f = *state;
    sqlite3 *rival;
    f->record = board_open(&f->arena, f->path, &f->err);
    cv_sqlite_record *inside = (cv_sqlite_record *)f->record;
    inside->s->wait_us = 20000;
    assert_int_equal(sqlite3_open(f->path, &rival), SQLITE_OK);
    assert_int_equal(sqlite3_exec(rival, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(write_rev(f->record, &f->arena, BOARD("x"), 1, true, &f->err), CV_WRITE_BUSY);
    assert_view_eq(cv_err_word(f->err.code), CV_STR("store_busy"));
    assert_str_has(f->err.suggestion, "try again");
    assert_true(inside->waited_us >= 20000);
    assert_int_equal(whole_rev(f, BOARD("x")), 0); /* readers do not wait */
    assert_int_equal(sqlite3_exec(rival, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(write_rev(f->record, &f->arena, BOARD("x"), 1, true, &f->err), CV_WRITE_DONE);
    sqlite3_close(rival);
}

enum { OPENERS = 12 };

static void many_may_create_at_once(void **state)
{
    fixture *f = *state;
    for (int round = 0; round < (cv_test_soak() ? 100 : 2); round++) {
        pid_t children[OPENERS];
        int status, failed = 0;
        f->path = cv_arena_printf(&f->arena, "%s/many-%d.db", f->folder, round).p;
        for (int i = 0; i < OPENERS; i++)
            if ((children[i] = fork()) == 0) {
                cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&f->arena, "s%d", i)};
                bool ok = cv_record_open(&f->arena, f->path, CV_RECORD_CREATE, &all_types,
                                         board_schema_of(&f->arena, BOARD_SQL), &f->record, &f->err) &&
                          write_rev(f->record, &f->arena, scope, 1, true, &f->err) == CV_WRITE_DONE;
                if (!ok)
                    fprintf(stderr, "# %.*s\n", CV_FMT(cv_err_text(&f->err)));
                if (ok)
                    cv_record_close(f->record);
                _exit(ok ? 0 : 1);
            }
        for (int i = 0; i < OPENERS; i++) {
            waitpid(children[i], &status, 0);
            failed += status != 0;
        }
        assert_int_equal(failed, 0);
        f->record = board_open(&f->arena, f->path, &f->err);
        for (int i = 0; i < OPENERS; i++)
            assert_int_equal(whole_rev(f, (cv_scope_id){CV_STR("board"), cv_arena_printf(&f->arena, "s%d", i)}), 1);
        cv_record_close(f->record);
        f->record = NULL;
    }
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
        TEST(a_small_disk_fills_up),
        TEST(a_commit_of_any_size_is_in_the_log),
        TEST(words_are_read_again_within_a_commit),
        TEST(a_watermark_costs_no_sync_and_no_statement),
        TEST(busy_while_reading_is_busy),
        TEST(waiting_has_an_end),
        TEST(many_may_create_at_once),
        TEST(every_call_may_fail),
        TEST(a_transaction_sees_one_moment),
        TEST(killed_writers_lose_nothing),
    };
    return cmocka_run_group_tests_name("record_faults", tests, NULL, NULL);
}
