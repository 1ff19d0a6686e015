/* test_projection.c - files that are made of the record: with processes killed meanwhile, they show what it has.
 *
 * The files of this test are one for each board, with the number of its last commit: FOLDER/NAME.
 */
#include "board.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/folder.h"
#include "kit/projection.h"

enum { BOARDS = 3, WRITERS = 5 };
static const char *const names[BOARDS] = {"x", "y", "z"};

typedef struct {
    cv_arena a;
    cv_err err;
    const char *folder, *path;
    cv_record *record;
    size_t written;        /* files */
    size_t anew, rebooted; /* how often everything was written, and why */
    int64_t kept;          /* what was remembered; -1: nothing */
    int told;              /* a pipe: what is to be written is known. Then it takes a while, and the process ends */
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

static bool write_file(fixture *f, cv_scope_id scope, cv_err *err)
{
    cv_arena a = {0};
    cv_str text = cv_arena_printf(&a, "%lld", (long long)rev_of(f, &a, scope));
    if (f->told > 0)
        usleep(write(f->told, "", 1) == 1 ? 200000 : 0);
    f->written++;
    bool ok = cv_file_write_at(cv_where_printf(&a, (cv_where){f->folder, "files"}, "%.*s", CV_FMT(scope.name)), text,
                               NULL, err);
    cv_arena_release(&a);
    if (f->told > 0)
        _exit(0);
    return ok;
}

static bool write_files(cv_projection *p, const cv_feed_entries *commits, cv_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < commits->count; i++)
        ok = write_file(p->ctx, commits->items[i].scope, err);
    return ok;
}

static bool write_all(cv_projection *p, bool anew, cv_err *err)
{
    fixture *f = p->ctx;
    cv_scope_list all;
    bool ok = cv_record_scopes(p->record, p->arena, CV_STR("board"), &all, err);
    f->anew += anew;
    f->rebooted += !anew;
    for (size_t i = 0; ok && i < all.count; i++)
        ok = write_file(f, all.items[i].scope, err);
    return ok;
}

static void keep(const cv_projection *p, cv_json_writer *w)
{
    const fixture *f = p->ctx;
    cv_json_key_int(w, "written", (int64_t)f->written);
}

static bool try_to_catch_up(fixture *f, const char *folder, cv_err *err)
{
    cv_arena a = {0};
    const cv_json *kept;
    cv_projection files = {.record = f->record,
                           .arena = &a,
                           .folder = {f->folder, folder},
                           .write = write_files,
                           .write_all = write_all,
                           .keep = keep,
                           .ctx = f};
    int lock;
    if (!cv_folder_lock(files.folder, false, true, &lock, err))
        return false;
    cv_projection_open(&files, &kept);
    f->kept = kept ? cv_json_get_int(kept, "written", -1) : -1;
    bool shown, ok = cv_projection_catch_up(&files, err);
    if (ok && !f->told)
        ok = cv_projection_is_new(&files, &shown, err);
    close(lock);
    cv_arena_release(&a);
    return ok;
}

static void catch_up(fixture *f, const char *folder)
{
    assert_ok(try_to_catch_up(f, folder, &f->err), &f->err);
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
    assert_int_equal(f->kept, 2); /* what the room remembers comes with the position */
    write_board(f, "x");
    write_board(f, "x");
    catch_up(f, "files");
    assert_int_equal(f->written, 4);
    compare(f);
    catch_up(f, ""); /* another folder has a position of its own, and nothing yet: what there is, not what was */
    assert_int_equal(f->written, 6);
    assert_int_equal(f->anew, 3);
    assert_int_equal(f->rebooted, 0);
}

static void replace_position(fixture *f, const char *text)
{
    cv_err err = {.arena = &f->a};
    assert_ok(cv_file_write_at((cv_where){f->folder, "files/.position"}, cv_str_of(text), NULL, &err), &err);
}

/* A position that is damaged, of another store, or of another boot: everything is written, once. */
static void what_is_not_known_is_written(void **state)
{
    static const char *const damaged[] = {"", "{", "[1]", "{\"position\":7}",
                                          "{\"position\":\"elsewhere\",\"boot\":\"x\"}"};
    fixture *f = *state;
    write_board(f, "x");
    write_board(f, "y");
    catch_up(f, "files");
    for (size_t i = 0; i < CV_COUNT(damaged); i++) {
        size_t before = f->written;
        replace_position(f, damaged[i]);
        assert_int_equal(unlink(cv_arena_printf(&f->a, "%s/files/x", f->folder).p), 0);
        catch_up(f, "files");
        assert_true(f->written >= before + 2);
        compare(f);
        before = f->written;
        catch_up(f, "files");
        assert_int_equal(f->written, before);
    }
    cv_str kept = cv_test_read(&f->a, cv_arena_printf(&f->a, "%s/files/.position", f->folder).p), left = kept;
    size_t boot = cv_str_find(kept, CV_STR("\"boot\":\"")) + 8, before = f->written, rebooted = f->rebooted;
    left = cv_arena_printf(&f->a, "%.*s%s", (int)boot, kept.p, "an earlier one\"}");
    replace_position(f, cv_arena_copy_z(&f->a, left));
    catch_up(f, "files");
    assert_int_equal(f->written, before + 2);
    assert_int_equal(f->rebooted, rebooted + 1);
}

static void nothing_new_costs_one_reading(void **state)
{
    fixture *f = *state;
    cv_record_tracing tracing = {0};
    write_board(f, "x");
    catch_up(f, "files");
    cv_record *own = f->record;
    f->record = cv_record_traced(&f->a, own, &tracing);
    catch_up(f, "files");
    assert_int_equal(tracing.calls, 2); /* one of them asks whether all is shown */
    f->record = own;
}

static void a_folder_that_is_gone_is_an_error(void **state)
{
    fixture *f = *state;
    assert_false(try_to_catch_up(f, "nowhere", &f->err));
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
        TEST(only_what_is_new_is_written),     TEST(what_is_not_known_is_written),
        TEST(nothing_new_costs_one_reading),   TEST(a_folder_that_is_gone_is_an_error),
        TEST(a_slow_writer_puts_nothing_back), TEST(killed_writers_leave_nothing_behind),
    };
    return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}
