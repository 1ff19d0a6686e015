/* test_projection.c - files that are made of the record: whoever is killed meanwhile, they show what it has.
 *
 * The files of this test are one for each board, with the number of its last commit: FOLDER/NAME.
 */
#include "board.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "kit/projection.h"

enum { BOARDS = 3, WRITERS = 5 };
static const char *const names[BOARDS] = {"x", "y", "z"};

typedef struct {
    cv_arena a;
    cv_err err;
    const char *folder, *path;
    cv_record *record;
    size_t written; /* files */
    int told;       /* a pipe: what is to be written is known. Then it takes a while, and the process ends */
} fixture;

static int set_up(void **state)
{
    fixture *f = test_calloc(1, sizeof *f);
    f->err = (cv_err){.arena = &f->a};
    f->folder = board_folder(&f->a);
    f->path = cv_arena_printf(&f->a, "%s/conclave.db", f->folder).p;
    assert_int_equal(mkdir(cv_arena_printf(&f->a, "%s/files", f->folder).p, 0700), 0);
    f->record = board_open(&f->a, f->path, &f->err);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_test_remove(f->folder);
    cv_arena_release(&f->a);
    test_free(f);
    return 0;
}

static cv_scope_id scope_of(const char *name)
{
    return (cv_scope_id){CV_STR("board"), cv_str_of(name)};
}

static int64_t rev_of(fixture *f, cv_arena *a, cv_scope_id scope)
{
    cv_scope_position at;
    cv_err err = {.arena = a};
    assert_ok(f->record->calls->begin(f->record, a, scope, &at, &err), &err);
    f->record->calls->end(f->record);
    return at.rev;
}

static bool write_files(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    fixture *f = ctx;
    cv_arena a = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++, f->written++) {
        cv_str text = cv_arena_printf(&a, "%lld", (long long)rev_of(f, &a, entries[i].scope));
        if (f->told > 0)
            usleep(write(f->told, "", 1) == 1 ? 200000 : 0);
        ok =
            cv_file_write_at(cv_where_printf(&a, (cv_where){f->folder, "files"}, "%.*s", CV_FMT(entries[i].scope.name)),
                             text, NULL, err);
    }
    cv_arena_release(&a);
    if (f->told > 0)
        _exit(0);
    return ok;
}

static void catch_up(fixture *f, const char *folder)
{
    cv_arena a = {0};
    const cv_projection files = {"files", {f->folder, folder}, write_files, f};
    assert_ok(cv_projection_catch_up(f->record, &a, &files, &f->err), &f->err);
    cv_arena_release(&a);
}

static void write_board(fixture *f, const char *name)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    assert_int_equal(board_write(f->record, &a, scope_of(name), cv_file_unique(&a), &err), CV_WRITE_DONE);
    cv_arena_release(&a);
}

static void compare(fixture *f)
{
    for (size_t i = 0; i < BOARDS; i++) {
        int64_t rev = rev_of(f, &f->a, scope_of(names[i]));
        const char *file = cv_arena_printf(&f->a, "%s/files/%s", f->folder, names[i]).p;
        if (rev > 0)
            assert_view_eq(cv_test_read(&f->a, file), cv_arena_printf(&f->a, "%lld", (long long)rev));
    }
}

static void only_what_is_new_is_written(void **state)
{
    fixture *f = *state;
    catch_up(f, "files");
    assert_int_equal(f->written, 0);
    write_board(f, "x");
    write_board(f, "y");
    catch_up(f, "files");
    assert_int_equal(f->written, 2);
    catch_up(f, "files");
    assert_int_equal(f->written, 2);
    write_board(f, "x");
    catch_up(f, "files");
    assert_int_equal(f->written, 3);
    compare(f);
    catch_up(f, ""); /* another folder has a position of its own */
    assert_int_equal(f->written, 6);
}

static void nothing_new_costs_two_readings(void **state)
{
    fixture *f = *state;
    cv_record_tracing tracing = {0};
    write_board(f, "x");
    catch_up(f, "files");
    cv_record *own = f->record;
    f->record = cv_record_traced(&f->a, own, &tracing);
    catch_up(f, "files");
    assert_int_equal(tracing.calls, 2);
    f->record = own;
}

static void a_folder_that_is_gone_is_an_error(void **state)
{
    fixture *f = *state;
    const cv_projection files = {"files", {f->folder, "nowhere"}, write_files, f};
    assert_false(cv_projection_catch_up(f->record, &f->a, &files, &f->err));
    assert_ptr_equal(f->err.code, CV_ERR_NOT_FOUND);
    assert_int_equal(f->written, 0);
}

/* One has read what the record had, and writes it when another has committed and caught up: it has to wait. */
static void a_slow_writer_puts_nothing_back(void **state)
{
    fixture *f = *state;
    int ends[2];
    char byte;
    write_board(f, "x");
    assert_int_equal(pipe(ends), 0);
    pid_t slow = fork();
    assert_true(slow >= 0);
    if (slow == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        f->record = board_open(&f->a, f->path, &f->err);
        f->told = ends[1];
        catch_up(f, "files");
        _exit(1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    write_board(f, "x");
    catch_up(f, "files");
    waitpid(slow, NULL, 0);
    compare(f);
    close(ends[0]);
    close(ends[1]);
}

static _Noreturn void write_for_ever(fixture *f, uint64_t seed)
{
    cv_test_random random = {seed};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    f->record = board_open(&f->a, f->path, &f->err);
    for (;;) {
        write_board(f, names[cv_test_below(&random, BOARDS)]);
        catch_up(f, "files");
    }
}

/* Some at a time write and catch up, and are killed at any moment; what the last one left is caught up with. */
static void killed_writers_leave_nothing_behind(void **state)
{
    fixture *f = *state;
    cv_test_random random = {cv_test_seed()};
    cv_record_close(f->record);
    f->record = NULL;
    for (int round = 0; round < (cv_test_soak() ? 300 : 6); round++) {
        pid_t writers[WRITERS];
        for (size_t i = 0; i < WRITERS; i++) {
            uint64_t seed = cv_test_next(&random);
            writers[i] = fork();
            assert_true(writers[i] >= 0);
            if (writers[i] == 0)
                write_for_ever(f, seed);
        }
        for (size_t i = 0; i < WRITERS; i++) {
            usleep((useconds_t)cv_test_below(&random, 60000));
            kill(writers[i], SIGKILL);
            waitpid(writers[i], NULL, 0);
        }
        f->record = board_open(&f->a, f->path, &f->err);
        catch_up(f, "files");
        compare(f);
        cv_record_close(f->record);
        f->record = NULL;
    }
    f->record = board_open(&f->a, f->path, &f->err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_what_is_new_is_written),         TEST(nothing_new_costs_two_readings),
        TEST(a_folder_that_is_gone_is_an_error),   TEST(a_slow_writer_puts_nothing_back),
        TEST(killed_writers_leave_nothing_behind),
    };
    return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}
