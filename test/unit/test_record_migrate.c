/* test_record_migrate.c - files of all kinds under a record's name: older and newer schemas, migrations that fail or
 * are killed, damage, another program's database, files that can only be read. */
#include "board.h"
#include "record/sql.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path;
    cv_record *record;
    cv_sql_migration steps[4];
    cv_sql_migrations schema;
} fixture;

/* The first `count` migrations of a program that has four. */
static void use_schema(fixture *f, size_t count)
{
    const cv_sql_migrations *board = board_schema_of(&f->arena, BOARD_SQL);
    f->steps[0] = board->items[0];
    f->steps[1] = board->items[1];
    f->steps[2] = (cv_sql_migration){3, "003_more",
                                     "CREATE TABLE more (x INT) STRICT; CREATE TABLE most (x INT) STRICT;", "three"};
    f->steps[3] = (cv_sql_migration){4, "004_rest", "ALTER TABLE more ADD COLUMN y TEXT;", "four"};
    f->schema = (cv_sql_migrations){f->steps, count};
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    use_schema(&f, 2);
    *state = &f;
    return 0;
}

static void close_record(fixture *f)
{
    cv_record_close(f->record);
    f->record = NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    close_record(f);
    chmod(f->folder, 0700);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static bool try_existing(fixture *f)
{
    return cv_record_open(&f->arena, f->path, CV_RECORD_EXISTING, &all_types, &f->schema, &f->record, &f->err);
}

/* Every refusal says what is wrong, where, and what to do. */
static bool opens(fixture *f, cv_record_mode mode)
{
    close_record(f);
    f->err = (cv_err){.arena = &f->arena};
    bool ok = cv_record_open(&f->arena, f->path, mode, &all_types, &f->schema, &f->record, &f->err);
    if (!ok) {
        f->record = NULL;
        assert_true(f->err.message.n > 0 && f->err.suggestion.n > 0 && f->err.file.n > 0);
    }
    return ok;
}

static cv_write_result write_one(fixture *f, const char *op_id)
{
    return board_write(f->record, &f->arena, BOARD("x"), op_id, &f->err);
}

/* -1: it does not verify. */
static int64_t whole_rev(fixture *f)
{
    cv_scope_position at;
    return cv_scope_verify(f->record, &f->arena, BOARD("x"), NULL, &at, &f->err) ? at.rev : -1;
}

/* One number, or nothing for a statement that returns no row. */
static int64_t ask(fixture *f, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    int64_t number = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
    assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
    sqlite3_close(db);
    return number;
}

/* ---- migrations ---------------------------------------------------------------------------------------------------
 */

static void older_schemas_are_migrated(void **state)
{
    fixture *f = *state;
    for (size_t count = 2; count <= 4; count++) {
        use_schema(f, count);
        assert_ok(opens(f, count == 2 ? CV_RECORD_CREATE : CV_RECORD_EXISTING), &f->err);
        if (count == 2)
            assert_int_equal(write_one(f, "a"), CV_WRITE_DONE);
        assert_int_equal(whole_rev(f), 1);
        assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
        close_record(f);
        assert_int_equal(ask(f, "SELECT count(*) FROM schema_migrations WHERE program = '" CV_VERSION "'"), count);
    }
    use_schema(f, 2);
    for (cv_record_mode mode = CV_RECORD_EXISTING; mode <= CV_RECORD_COPY; mode++) {
        assert_fails(opens(f, mode), &f->err, CV_ERR_SCHEMA);
        assert_str_has(f->err.message, "made by a newer conclave (schema 4");
    }
}

static void a_failing_migration_leaves_the_old_schema(void **state)
{
    fixture *f = *state;
    assert_ok(opens(f, CV_RECORD_CREATE), &f->err);
    assert_int_equal(write_one(f, "a"), CV_WRITE_DONE);
    use_schema(f, 4);
    f->steps[3].text = "CREATE TABLE half (x INT); ALTER TABLE nowhere ADD COLUMN y TEXT;";
    close_record(f);
    assert_fails(try_existing(f), &f->err, CV_ERR_STORE);
    assert_int_equal(ask(f, "SELECT count(*) FROM sqlite_schema WHERE name IN ('more', 'most', 'half')"), 0);
    assert_int_equal(ask(f, "SELECT count(*) FROM schema_migrations"), 2);
    use_schema(f, 4);
    assert_ok(opens(f, CV_RECORD_EXISTING), &f->err);
    assert_int_equal(whole_rev(f), 1);
}

static void killed_migrations_leave_the_old_schema(void **state)
{
    fixture *f = *state;
    cv_test_random r = {5};
    use_schema(f, 4);
    for (int i = 0; i < (cv_test_soak() ? 300 : 25); i++) {
        pid_t child = fork();
        if (child == 0) {
            cv_record_open(&f->arena, f->path, CV_RECORD_CREATE, &all_types, &f->schema, &f->record, &f->err);
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)cv_test_below(&r, 12000000)}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (access(f->path, F_OK) == 0) {
            int64_t tables = ask(f, "SELECT count(*) FROM sqlite_schema WHERE name IN ('more', 'most', 'scopes')");
            assert_true(tables == 0 || tables == 3);
        }
        if (i % 2) {
            cv_test_remove(f->folder);
            mkdir(f->folder, 0700);
        }
    }
    assert_ok(opens(f, CV_RECORD_CREATE), &f->err);
    assert_int_equal(write_one(f, "a"), CV_WRITE_DONE);
}

/* ---- other files --------------------------------------------------------------------------------------------------
 */

static void another_program_s_database_is_left_alone(void **state)
{
    fixture *f = *state;
    ask(f, "CREATE TABLE theirs (x)");
    assert_fails(opens(f, CV_RECORD_CREATE), &f->err, CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "another program");
    ask(f, "PRAGMA application_id = 1129270851");
    assert_fails(opens(f, CV_RECORD_CREATE), &f->err, CV_ERR_SCHEMA);
    assert_int_equal(ask(f, "SELECT count(*) FROM pragma_journal_mode() WHERE journal_mode = 'delete'"), 1);
    f->path = f->folder;
    assert_fails(opens(f, CV_RECORD_CREATE), &f->err, CV_ERR_NOT_A_FILE);
    f->path = cv_arena_printf(&f->arena, "%s/no/folder.db", f->folder).p;
    assert_fails(opens(f, CV_RECORD_CREATE), &f->err, CV_ERR_STORE);
    assert_str_has(f->err.message, "No such file or directory");
    assert_str_has(f->err.suggestion, "folder exists");
}

static void settings_are_in_force(void **state)
{
    fixture *f = *state;
    static const char *const settings[][2] = {
        {"PRAGMA journal_mode", "wal"}, {"PRAGMA synchronous", "2"},        {"PRAGMA foreign_keys", "1"},
        {"PRAGMA trusted_schema", "0"}, {"PRAGMA recursive_triggers", "1"}, {"PRAGMA application_id", "1129270851"},
    };
    assert_ok(opens(f, CV_RECORD_CREATE), &f->err);
    for (size_t i = 0; i < CV_COUNT(settings); i++) {
        sqlite3_stmt *st;
        sqlite3 *db = ((cv_sqlite_record *)f->record)->s->db;
        assert_int_equal(sqlite3_prepare_v2(db, settings[i][0], -1, &st, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(st, 0), settings[i][1]);
        sqlite3_finalize(st);
    }
}

static void damage_is_told(void **state)
{
    fixture *f = *state;
    struct stat st;
    char junk[4096];
    assert_ok(opens(f, CV_RECORD_CREATE), &f->err);
    for (int i = 0; i < 40; i++)
        assert_int_equal(write_one(f, cv_arena_printf(&f->arena, "op %d", i).p), CV_WRITE_DONE);
    close_record(f); /* everything is in the main file now */
    assert_int_equal(stat(f->path, &st), 0);
    memset(junk, 0xa5, sizeof junk);
    int fd = open(f->path, O_WRONLY);
    for (off_t page = 1; page * 4096 < st.st_size; page++)
        if (page % 3)
            assert_int_equal(pwrite(fd, junk, sizeof junk, page * 4096), sizeof junk);
    close(fd);
    if (opens(f, CV_RECORD_EXISTING))
        assert_false(f->record->calls->check(f->record, &f->arena, &f->err));
    assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_CORRUPT));
    assert_str_has(f->err.suggestion, "conclave restore");
    assert_int_equal(truncate(f->path, st.st_size / 2), 0);
    if (opens(f, CV_RECORD_EXISTING))
        assert_fails(f->record->calls->check(f->record, &f->arena, &f->err), &f->err, CV_ERR_CORRUPT);
}

/* ---- without rights -----------------------------------------------------------------------------------------------
 */

/* Runs `check` as a user without rights; root may write everywhere. */
static bool as_nobody(bool (*check)(fixture *f), fixture *f)
{
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        _exit(check(f) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    return status == 0;
}

static bool reads_but_does_not_write(fixture *f)
{
    uint64_t seen = 0;
    if (!try_existing(f) || whole_rev(f) != 1 || !f->record->calls->changed(f->record, &seen))
        return false;
    return write_one(f, "b") == CV_WRITE_FAILED && f->err.code == CV_ERR_STORE &&
           cv_str_find(f->err.message, CV_STR("read-only")) != SIZE_MAX &&
           cv_str_find(f->err.suggestion, CV_STR("permission")) != SIZE_MAX;
}

static bool refuses_to_open(fixture *f)
{
    bool ok = try_existing(f) && whole_rev(f) == 1;
    return !ok && (f->err.code == CV_ERR_STORE || f->err.code == CV_ERR_NO_ACCESS) && f->err.suggestion.n > 0;
}

static void files_that_can_only_be_read_are_told(void **state)
{
    fixture *f = *state;
    assert_ok(opens(f, CV_RECORD_CREATE), &f->err);
    assert_int_equal(write_one(f, "a"), CV_WRITE_DONE);
    chmod(f->folder, 0777);
    static const char *const names[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < CV_COUNT(names); i++)
        chmod(cv_arena_printf(&f->arena, "%s%s", f->path, names[i]).p, 0444);
    assert_true(as_nobody(reads_but_does_not_write, f)); /* beside a running process that may write */
    close_record(f);
    chmod(f->folder, 0555);
    assert_true(as_nobody(reads_but_does_not_write, f)); /* a log cannot even be begun */
    assert_int_equal(access(cv_sqlite_log_of(&f->arena, f->path), F_OK), -1);
    chmod(f->folder, 0700);
    assert_true(as_nobody(refuses_to_open, f));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(older_schemas_are_migrated),
        TEST(a_failing_migration_leaves_the_old_schema),
        TEST(killed_migrations_leave_the_old_schema),
        TEST(another_program_s_database_is_left_alone),
        TEST(settings_are_in_force),
        TEST(damage_is_told),
        TEST(files_that_can_only_be_read_are_told),
    };
    return cmocka_run_group_tests_name("record_migrate", tests, NULL, NULL);
}
