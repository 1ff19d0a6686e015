/* test_sqlite_faults.c - the SQLite engine in a bad world: a disk that fails, many processes, some of them killed. */
#include "sqlite_testing.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* ---- a disk that fails --------------------------------------------------------------------------- */

/* A layer below SQLite whose n-th write, sync or truncation fails. */
static struct {
    size_t calls, fail_at;
    bool full;             /* the disk is full from then on; otherwise it fails once */
    bool after;            /* it fails after having done it */
    size_t reads, busy_at; /* the n-th read finds that others hold the file */
    sqlite3_vfs vfs, *real;
} disk;

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
} disk_file;

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((disk_file *)file)->real;
}

static bool fails_now(void)
{
    disk.calls++;
    return disk.fail_at && (disk.full ? disk.calls >= disk.fail_at : disk.calls == disk.fail_at);
}

static int disk_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    bool fails = fails_now();
    if (fails && !disk.after)
        return disk.full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    int rc = real_of(file)->pMethods->xWrite(real_of(file), bytes, n, at);
    return fails ? (disk.full ? SQLITE_FULL : SQLITE_IOERR_WRITE) : rc;
}

static int disk_sync(sqlite3_file *file, int flags)
{
    if (fails_now() && !disk.full)
        return SQLITE_IOERR_FSYNC;
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (fails_now() && !disk.full)
        return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int disk_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}
static int disk_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    if (++disk.reads == disk.busy_at)
        return SQLITE_BUSY;
    return real_of(file)->pMethods->xRead(real_of(file), bytes, n, at);
}
static int disk_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}
static int disk_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}
static int disk_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int disk_reserved(sqlite3_file *file, int *ret_locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_locked);
}
static int disk_control(sqlite3_file *file, int what, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, arg);
}
static int disk_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}
static int disk_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
static int disk_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret_at)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, ret_at);
}
static int disk_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}
static void disk_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}
static int disk_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods disk_methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_reserved,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_traits,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
    (void)vfs;
    disk_file *d = (disk_file *)file;
    d->real = (sqlite3_file *)(d + 1);
    int rc = disk.real->xOpen(disk.real, name, d->real, flags, ret_flags);
    d->base.pMethods = rc == SQLITE_OK ? &disk_methods : NULL;
    return rc;
}

static void use_failing_disk(bool on)
{
    if (!disk.real) {
        disk.real = sqlite3_vfs_find(NULL);
        disk.vfs = *disk.real;
        disk.vfs.zName = "failing";
        disk.vfs.szOsFile += (int)sizeof(disk_file);
        disk.vfs.xOpen = disk_open;
    }
    disk.fail_at = 0;
    sqlite3_vfs_register(on ? &disk.vfs : disk.real, 1);
}

/* Rev 2 is written while the n-th call fails. Whatever the store says of it must be true, now and after reopening. */
static bool fail_at(fixture *f, const char *id, size_t n)
{
    assert_int_equal(write_next(f, id, 0), CV_STORE_DONE);
    disk.calls = 0;
    disk.fail_at = n;
    cv_store_result result = write_next(f, id, 1);
    size_t calls = disk.calls;
    disk.fail_at = 0;
    assert_true(result == CV_STORE_DONE || result == CV_STORE_FAILED || result == CV_STORE_UNKNOWN);
    if (result != CV_STORE_DONE)
        assert_true(f->err.message.n > 0 && f->err.suggestion.n > 0);
    if (disk.full && result != CV_STORE_DONE) {
        assert_int_equal(result, CV_STORE_FAILED);
        assert_str_has(f->err.message, "disk is full");
    }
    if (n % 2) {
        close_store(f);
        open_store(f);
    }
    int64_t rev = whole_rev(f->store, &f->arena, id, &f->err);
    assert_true(rev == 2 || (rev == 1 && result != CV_STORE_DONE));
    assert_false(rev == 2 && result == CV_STORE_FAILED);
    cv_store_result again = write_next(f, id, 1); /* the same op_id: at most once */
    assert_int_equal(again, rev == 2 ? CV_STORE_REPLAYED : CV_STORE_DONE);
    assert_int_equal(whole_rev(f->store, &f->arena, id, &f->err), 2);
    assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
    return calls >= n;
}

static void fail_everywhere(fixture *f, bool full, bool after)
{
    use_failing_disk(true);
    disk.full = full;
    disk.after = after;
    open_store(f);
    size_t n = 1;
    while (fail_at(f, cv_arena_printf(&f->arena, "d%zu", n).p, n))
        n++;
    assert_true(n > 10);
    close_store(f);
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

/* A write that is much larger than the place left: refused with a reason, and readable before and after. */
static void fill_up(fixture *f, bool limited)
{
    open_store(f);
    int64_t rev = 0;
    cv_store_result result;
    if (limited)
        sqlite3_exec(inside(f)->db, "PRAGMA max_page_count = 120", NULL, NULL, NULL);
    while ((result = write_next(f, "d", rev)) == CV_STORE_DONE && rev < 5000)
        rev++;
    assert_int_equal(result, CV_STORE_FAILED);
    assert_str_has(f->err.message, "disk is full");
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), rev);
    close_store(f);
    open_store(f);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), rev);
    close_store(f);
}

static void a_small_disk_fills_up(void **state)
{
    fixture *f = *state;
    const char *small = cv_arena_printf(&f->arena, "%s/small", f->folder).p;
    mkdir(small, 0700);
    bool mounted = mount("none", small, "tmpfs", 0, "size=2m") == 0;
    if (mounted)
        f->path = cv_arena_printf(&f->arena, "%s/conclave.db", small).p;
    fill_up(f, !mounted); /* no small disk to be had: a small file instead */
    if (mounted)
        assert_int_equal(umount(small), 0);
}

/* ---- failing calls ------------------------------------------------------------------------------- */

/* A small program against the store; each call may fail and is then made once more. Returns false if one failed. */
static bool run_program(fixture *f, cv_store *store)
{
    bool clean = true;
    for (int64_t rev = 0; rev < 4; rev++) {
        cv_str op_id = cv_arena_printf(&f->arena, "op-%lld", (long long)rev);
        int64_t got, first;
        cv_store_result result = write_batch(store, &f->arena, "d", rev, op_id, &got, &f->err);
        if (result != CV_STORE_DONE) {
            clean = false;
            assert_str_has(f->err.message, "on purpose");
            assert_int_equal(write_batch(store, &f->arena, "d", rev, op_id, &got, &f->err), CV_STORE_DONE);
        }
        cv_str message = CV_STR("m");
        result = store->calls->stream_append(store, &f->arena, CV_STR("s"), op_id, &message, 1, CV_STR("now"), &first,
                                             &f->err);
        if (result != CV_STORE_DONE) {
            clean = false;
            assert_int_equal(store->calls->stream_append(store, &f->arena, CV_STR("s"), op_id, &message, 1,
                                                         CV_STR("now"), &first, &f->err),
                             CV_STORE_DONE);
        }
        assert_int_equal(first, rev + 1);
        if (whole_rev(store, &f->arena, "d", &f->err) != rev + 1) {
            clean = false;
            assert_int_equal(whole_rev(store, &f->arena, "d", &f->err), rev + 1);
        }
    }
    return clean;
}

static void count_calls(void *ctx, const char *call, cv_str dialogue_id, size_t rows, cv_store_result result)
{
    (void)dialogue_id, (void)rows;
    size_t *counts = ctx;
    counts[result]++;
    counts[10] += strcmp(call, "commit") == 0 ? rows : 0;
}

static void every_call_may_fail(void **state)
{
    fixture *f = *state;
    for (size_t n = 1;; n++) {
        f->path = cv_arena_printf(&f->arena, "%s/%zu.db", f->folder, n).p;
        open_store(f);
        size_t counts[11] = {0};
        cv_tracing tracing = {.trace = count_calls, .ctx = counts, .fail_at = n};
        bool clean = run_program(f, cv_store_traced(&f->arena, f->store, &tracing));
        close_store(f);
        assert_int_equal(counts[CV_STORE_FAILED], clean ? 0 : 1);
        if (!clean)
            continue;
        assert_int_equal(tracing.calls, 12);
        assert_int_equal(n, 13);
        assert_int_equal(counts[10], 4 * (2 * ROWS + 1));
        return;
    }
}

/* What a write asks of the disk and of SQLite, once the store is warm. */
static void count_write(fixture *f, bool marked, size_t *ret_disk, size_t *ret_steps)
{
    const char *path = cv_arena_printf(&f->arena, "%s/counted-%d.db", f->folder, marked).p;
    assert_ok((marked ? cv_sqlite_open_marked : cv_sqlite_open)(&f->arena, path, true, &f->store, &f->err), &f->err);
    for (int64_t rev = 0; rev < 3; rev++) {
        *ret_steps = 0;
        disk.calls = 0;
        assert_int_equal(write_next(f, "d", rev), CV_STORE_DONE);
        *ret_disk = disk.calls;
        for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(inside(f)->db, st));)
            *ret_steps += (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    }
    close_store(f);
}

/* The watermark is one small write of its own: no sync, no statement. */
static void a_watermark_costs_no_sync_and_no_statement(void **state)
{
    fixture *f = *state;
    size_t disk_calls[2], steps[2];
    use_failing_disk(true);
    count_write(f, false, &disk_calls[0], &steps[0]);
    count_write(f, true, &disk_calls[1], &steps[1]);
    use_failing_disk(false);
    printf("# a write: %zu writes and syncs, %zu steps of SQLite; with a watermark %zu and %zu\n", disk_calls[0],
           steps[0], disk_calls[1], steps[1]);
    assert_int_equal(disk_calls[0], disk_calls[1]);
    assert_int_equal(steps[0], steps[1]);
    cv_commit mark;
    const char *path = cv_arena_printf(&f->arena, "%s/counted-1.db-watermark", f->folder).p;
    assert_int_equal(cv_watermark_read(path, &mark, &f->err), CV_WATERMARK_THERE);
    assert_int_equal(mark.number, 3);
    assert_int_not_equal(access(cv_arena_printf(&f->arena, "%s/counted-0.db-watermark", f->folder).p, F_OK), 0);
}

/* ---- many processes ------------------------------------------------------------------------------ */

enum { PROCESSES = 16, WRITES = 6 };

/* Writes WRITES revs; when others were faster it looks where the dialogue is and tries again. Nobody is told to come
 * back: that waiting has an end is another test's, and a machine with much to do must not bring it near. */
static _Noreturn void write_many(fixture *f, const char *id, int who)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_store *store;
    if (!cv_sqlite_open(&a, f->path, false, &store, &err))
        _exit(1);
    ((cv_sqlite *)store)->wait_us = (int64_t)300 * 1000000;
    for (int done = 0; done < WRITES;) {
        cv_position at = {0};
        bool found;
        if (!store->calls->position(store, &a, cv_str_of(id), &at, &found, &err))
            _exit(2);
        int64_t rev;
        cv_store_result result =
            write_batch(store, &a, id, at.rev, cv_arena_printf(&a, "%d-%d", who, done), &rev, &err);
        if (result == CV_STORE_DONE && rev == at.rev + 1)
            done++;
        else if (result != CV_STORE_CONFLICT)
            _exit(3 + (int)result);
    }
    cv_store_close(store);
    _exit(0);
}

static void run_writers(fixture *f, bool same_dialogue)
{
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0)
            write_many(f, same_dialogue ? "d" : cv_arena_printf(&f->arena, "d%d", i).p, i);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
}

static void many_processes_write_one_dialogue(void **state)
{
    fixture *f = *state;
    open_store(f);
    run_writers(f, true);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), PROCESSES * WRITES);
    open_raw(f);
    assert_int_equal(number(f, "SELECT count(DISTINCT rev) FROM ops"), PROCESSES * WRITES);
    assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
}

static void many_processes_write_their_own(void **state)
{
    fixture *f = *state;
    open_store(f);
    run_writers(f, false);
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(whole_rev(f->store, &f->arena, cv_arena_printf(&f->arena, "d%d", i).p, &f->err), WRITES);
    assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
}

static void waiting_has_an_end(void **state)
{
    fixture *f = *state;
    open_store(f);
    inside(f)->wait_us = 20000;
    open_raw(f);
    assert_runs(f, "BEGIN IMMEDIATE");
    assert_int_equal(write_next(f, "d", 0), CV_STORE_BUSY);
    assert_view_eq(cv_err_word(f->err.code), CV_STR("store_busy"));
    assert_str_has(f->err.suggestion, "try again");
    assert_true(inside(f)->waited_us >= 20000);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 0); /* readers do not wait */
    assert_runs(f, "ROLLBACK");
    assert_int_equal(write_next(f, "d", 0), CV_STORE_DONE);
}

/* Whatever a write reads, its op, its position or the tables themselves: BUSY is not FAILED. */
static void busy_while_reading_is_busy(void **state)
{
    fixture *f = *state;
    size_t busy = 0;
    use_failing_disk(true);
    open_store(f);
    assert_int_equal(write_next(f, "d", 0), CV_STORE_DONE);
    for (size_t n = 1;; n++) {
        close_store(f); /* nothing of the file is known any more */
        open_store(f);
        disk.reads = 0;
        disk.busy_at = n;
        cv_store_result result = write_next(f, "d", 1);
        size_t reads = disk.reads;
        disk.busy_at = 0;
        if (result == CV_STORE_BUSY) {
            assert_view_eq(cv_err_word(f->err.code), CV_STR("store_busy"));
            assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 1);
            busy++;
            continue;
        }
        if (result != CV_STORE_DONE)
            print_error("read %zu of %zu: %.*s\n", n, reads, CV_FMT(cv_err_text(&f->err)));
        assert_int_equal(result, CV_STORE_DONE);
        break;
    }
    assert_true(busy > 2);
    use_failing_disk(false);
}

/* ---- processes that die ---------------------------------------------------------------------------- */

/* Tells every rev that was acknowledged through the pipe. */
static _Noreturn void write_until_killed(fixture *f, const char *id, int pipe_end, int64_t rev)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_store *store;
    if (!cv_sqlite_open(&a, f->path, false, &store, &err))
        _exit(1);
    for (;; rev++) {
        int64_t got;
        cv_str op_id = cv_arena_printf(&a, "op-%lld", (long long)rev);
        cv_store_result result = write_batch(store, &a, id, rev, op_id, &got, &err);
        if (result != CV_STORE_DONE || write(pipe_end, &got, sizeof got) != sizeof got)
            _exit(2);
    }
}

/* Lets it write a few times, and ends it at some moment of the next. */
static int64_t kill_one_writer(fixture *f, cv_test_random *r, const char *id, int64_t rev)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        write_until_killed(f, id, ends[1], rev);
    close(ends[1]);
    int64_t acknowledged = rev, got;
    for (size_t writes = cv_test_below(r, 4); writes > 0; writes--) {
        assert_int_equal(read(ends[0], &got, sizeof got), sizeof got);
        acknowledged = got;
        assert_true(whole_rev(f->store, &f->arena, id, &f->err) >= acknowledged);
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)cv_test_below(r, 6000000)}, NULL);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    while (read(ends[0], &got, sizeof got) == sizeof got)
        acknowledged = got;
    close(ends[0]);
    int64_t found = whole_rev(f->store, &f->arena, id, &f->err);
    assert_true(found == acknowledged || found == acknowledged + 1);
    return found;
}

static void killed_writers_lose_nothing(void **state)
{
    fixture *f = *state;
    cv_test_random r = {11};
    open_store(f);
    int64_t rev = 0, written = 0;
    int rounds = cv_test_soak() ? 1000 : 48;
    for (int i = 0; i < rounds; i++) {
        const char *id = cv_arena_printf(&f->arena, "d%d", i / 16).p;
        int64_t before = i % 16 ? rev : 0;
        rev = kill_one_writer(f, &r, id, before);
        written += rev - before;
        if (i % 8 == 0) { /* the only one left reads the log that a dead process wrote */
            close_store(f);
            open_store(f);
            assert_int_equal(whole_rev(f->store, &f->arena, id, &f->err), rev);
            assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
        }
    }
    assert_true(written > rounds);
    assert_ok(f->store->calls->check(f->store, &f->arena, &f->err), &f->err);
}

/* ---- beginning together -------------------------------------------------------------------------- */

enum { OPENERS = 12 };

/* All of them make the same new database at once; each then writes a dialogue of its own. */
static void many_may_create_at_once(void **state)
{
    fixture *f = *state;
    for (int round = 0; round < (cv_test_soak() ? 100 : 2); round++) {
        pid_t children[OPENERS];
        for (int i = 0; i < OPENERS; i++)
            if ((children[i] = fork()) == 0) {
                bool ok = cv_sqlite_open(&f->arena, f->path, true, &f->store, &f->err) &&
                          write_next(f, cv_arena_printf(&f->arena, "d%d", i).p, 0) == CV_STORE_DONE;
                if (!ok)
                    fprintf(stderr, "# %.*s\n", CV_FMT(cv_err_text(&f->err)));
                if (ok)
                    close_store(f);
                _exit(ok ? 0 : 1);
            }
        for (int i = 0; i < OPENERS; i++) {
            int status;
            waitpid(children[i], &status, 0);
            assert_int_equal(status, 0);
        }
        open_store(f);
        for (int i = 0; i < OPENERS; i++)
            assert_int_equal(whole_rev(f->store, &f->arena, cv_arena_printf(&f->arena, "d%d", i).p, &f->err), 1);
        close_store(f);
        cv_test_remove(f->folder);
        mkdir(f->folder, 0700);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failing_disk_never_lies),
        TEST(a_disk_that_fails_after_writing_never_lies),
        TEST(a_full_disk_certainly_does_not_write),
        TEST(a_small_disk_fills_up),
        TEST(every_call_may_fail),
        TEST(a_watermark_costs_no_sync_and_no_statement),
        TEST(many_processes_write_one_dialogue),
        TEST(many_processes_write_their_own),
        TEST(waiting_has_an_end),
        TEST(busy_while_reading_is_busy),
        TEST(killed_writers_lose_nothing),
        TEST(many_may_create_at_once),
    };
    return cmocka_run_group_tests_name("sqlite_faults", tests, NULL, NULL);
}
