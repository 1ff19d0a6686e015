/* test_record_handle.c - a server's place at the record: what fails leaves nothing behind, what was replaced or freed
 * is noticed.
 */
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "dialogue/types.h"
#include "door/record_handle.h"
#include "door/tools.h"
#include "kit/destination.h"
#include "kit/room.h"
#include "kit/writing.h"
#include "project/project.h"
#include "record/sql.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *record, *path; /* the project, its .conclave, its database */
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = cv_test_folder(&f.arena);
    f.record = cv_record_path(&f.arena, f.folder, "");
    f.path = cv_record_path(&f.arena, f.folder, cv_record_database);
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

static void put(fixture *f, const char *path, const char *text)
{
    assert_ok(cv_file_write(path, cv_str_of(text), &f->err), &f->err);
}

static void make_record(fixture *f, const char *path)
{
    cv_record *record;
    assert_ok(
        cv_record_open(&f->arena, path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &f->err),
        &f->err);
    cv_record_close(record);
}

/* ---- opening that fails ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *database, *log; /* NULL: not there */
    bool project;
    int tries;
} failures[] = {
    {"no project", NULL, NULL, false, 10000},
    {"no database", NULL, NULL, true, 10000},
    {"an empty one with a log", "", "log", true, 10000},
    {"not a database", "no database, but a text that is long enough", NULL, true, 1000},
    {"not a database, with a log", "no database, but a text that is long enough", "log", true, 10000},
};

/* Bytes of memory that a desk has after so many tries, all of which fail. */
static size_t bytes_after(fixture *f, cv_record_handle *desk, int tries)
{
    for (int i = 0; i < tries; i++) {
        cv_arena turn = {0};
        cv_err err = {.arena = &turn};
        assert_false(cv_record_handle_open(desk, f->folder, &err));
        assert_true(err.message.n > 0 && cv_err_text(&err).n > 0); /* nothing of it is gone */
        cv_arena_release(&turn);
    }
    return desk->root_arena.bytes + desk->store_arena.bytes;
}

static void what_cannot_be_opened_keeps_no_memory(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < CV_COUNT(failures); i++) {
        cv_record_handle desk = {0};
        const char *log = cv_arena_printf(&f->arena, "%s-wal", f->path).p;
        unlink(f->path);
        unlink(log);
        if (failures[i].project)
            mkdir(f->record, 0700);
        if (failures[i].database)
            put(f, f->path, failures[i].database);
        if (failures[i].log)
            put(f, log, failures[i].log);
        size_t before = bytes_after(f, &desk, 10), after = bytes_after(f, &desk, failures[i].tries);
        if (after != before)
            print_error("%s: %zu bytes, then %zu\n", failures[i].name, before, after);
        assert_int_equal(after, before);
        cv_record_handle_close(&desk);
    }
}

/* ---- a record that changes --------------------------------------------------------------------------------------- */

static void a_record_put_in_its_place_is_opened(void **state)
{
    fixture *f = *state;
    cv_record_handle desk = {0};
    const char *other = cv_record_path(&f->arena, f->folder, "other.db");
    mkdir(f->record, 0700);
    make_record(f, f->path);
    make_record(f, other);
    assert_ok(cv_record_handle_open(&desk, f->folder, &f->err), &f->err);
    assert_ok(cv_record_handle_open(&desk, f->folder, &f->err), &f->err);
    assert_int_equal(desk.opened, 1);
    assert_int_equal(rename(other, f->path), 0);
    assert_ok(cv_record_handle_open(&desk, f->folder, &f->err), &f->err);
    assert_int_equal(desk.opened, 2);
    cv_record_handle_close(&desk);
}

static cv_write_result write_once(fixture *f, cv_record *record, cv_str op_id)
{
    cv_writing w;
    cv_written written;
    const cv_request request = {op_id, CV_STR("digest"), CV_STR("test")};
    if (!cv_writing_begin(&w, record, &f->arena, cv_dialogue_scope(CV_STR("d")), CV_STR(""), CV_STR("now"), &f->err))
        return CV_WRITE_FAILED;
    cv_writing_event(&w, CV_STR("D"), CV_STR("d"), CV_STR("created"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &written, &f->err);
    return written.how;
}

static cv_write_result write_something(fixture *f, cv_record *record)
{
    return write_once(f, record, CV_STR("op"));
}

static uint64_t version_of(const cv_mcp_server *server)
{
    uint64_t version = 0;
    assert_true(server->data_version(server->ctx, &version));
    assert_true(version > 0);
    return version;
}

/* Kept answers go by the version: it is another one as soon as another file is there, also when neither has a log. */
static void another_file_is_another_version(void **state)
{
    fixture *f = *state;
    cv_mcp_server server;
    uint64_t seen[12] = {0}, unknown;
    const char *other = cv_record_path(&f->arena, f->folder, "other.db");
    mkdir(f->record, 0700);
    make_record(f, f->path);
    assert_ok(cv_tools_server(&f->arena, &(cv_tools_options){.root = f->folder}, &server, &f->err), &f->err);
    seen[0] = version_of(&server);
    assert_int_equal(version_of(&server), seen[0]);
    for (size_t i = 1; i < CV_COUNT(seen); i++) { /* each a new version, and none that was there before */
        make_record(f, other);
        assert_int_equal(rename(other, f->path), 0);
        seen[i] = version_of(&server);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(seen[i], seen[k]);
        assert_int_equal(version_of(&server), seen[i]);
    }
    unlink(f->path);
    assert_false(server.data_version(server.ctx, &unknown));
    make_record(f, f->path);
    assert_true(version_of(&server) > seen[CV_COUNT(seen) - 1]);
    cv_tools_end(&server);
}

/* Another process that commits whenever it gets a byte, and answers with one. It begins before anything is open here.
 */
static pid_t begin_writer(fixture *f, int ends[2])
{
    int ask[2], answer[2];
    assert_true(pipe(ask) == 0 && pipe(answer) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(ask[1]);
        for (int i = 0; read(ask[0], &byte, 1) == 1; i++) {
            cv_record_handle desk = {0};
            bool ok = cv_record_handle_open(&desk, f->folder, &f->err) &&
                      write_once(f, desk.record, cv_arena_printf(&f->arena, "other-%d", i)) == CV_WRITE_DONE;
            cv_record_handle_close(&desk);
            if (!ok || write(answer[1], &byte, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(ask[0]);
    close(answer[1]);
    ends[0] = answer[0];
    ends[1] = ask[1];
    return child;
}

/* Commits of other handles and of other processes; nothing else is another version. */
static void every_commit_is_another_version(void **state)
{
    fixture *f = *state;
    cv_mcp_server server;
    cv_record_handle desk = {0};
    int ends[2], status;
    mkdir(f->record, 0700);
    make_record(f, f->path);
    pid_t child = begin_writer(f, ends);
    assert_ok(cv_tools_server(&f->arena, &(cv_tools_options){.root = f->folder}, &server, &f->err), &f->err);
    assert_ok(cv_record_handle_open(&desk, f->folder, &f->err), &f->err);
    uint64_t before = version_of(&server);
    for (int i = 0; i < 6; i++) {
        char byte = 0;
        if (i % 2)
            assert_true(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
        else
            assert_int_equal(write_once(f, desk.record, cv_arena_printf(&f->arena, "own-%d", i)), CV_WRITE_DONE);
        uint64_t now = version_of(&server);
        assert_true(now > before);
        assert_int_equal(version_of(&server), now);
        before = now;
    }
    close(ends[1]);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(ends[0]);
    cv_record_handle_close(&desk);
    cv_tools_end(&server);
}

/* Rights bind everybody but root: another user does it. */
static int write_when_allowed(fixture *f)
{
    cv_record_handle desk = {0};
    chmod(f->record, 0500);
    if (!cv_record_handle_open(&desk, f->folder, &f->err))
        return 1;
    if (write_something(f, desk.record) != CV_WRITE_FAILED)
        return 2;
    chmod(f->record, 0700);
    if (!cv_record_handle_open(&desk, f->folder, &f->err) || desk.opened != 2)
        return 3;
    if (write_something(f, desk.record) != CV_WRITE_DONE)
        return 4;
    cv_record_handle_close(&desk);
    return 0;
}

static const char *beside(fixture *f, const char *suffix)
{
    return cv_arena_printf(&f->arena, "%s%s", f->path, suffix).p;
}

static void a_record_that_could_only_be_read_is_written_as_soon_as_it_can_be(void **state)
{
    fixture *f = *state;
    int status;
    mkdir(f->record, 0700);
    make_record(f, f->path);
    pid_t child = fork();
    if (child == 0) {
        bool root = geteuid() == 0;
        if (root && (chown(f->folder, 65534, 65534) != 0 || chown(f->record, 65534, 65534) != 0 ||
                     chown(f->path, 65534, 65534) != 0 || chown(beside(f, "-watermark"), 65534, 65534) != 0 ||
                     chown(beside(f, "-turn"), 65534, 65534) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
            _exit(9);
        _exit(write_when_allowed(f));
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_opened_keeps_no_memory),
        TEST(a_record_put_in_its_place_is_opened),
        TEST(another_file_is_another_version),
        TEST(every_commit_is_another_version),
        TEST(a_record_that_could_only_be_read_is_written_as_soon_as_it_can_be),
    };
    return cmocka_run_group_tests_name("desk", tests, NULL, NULL);
}
