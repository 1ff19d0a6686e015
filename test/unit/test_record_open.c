/* test_record_open.c - opening a record, what is beside it, and what is noticed about it: the watermark, seals, the
 * schema, the search index, commits of others. */
#include "board.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/file.h"
#include "record/seal.h"
#include "record/sql.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path, *log, *watermark;
    cv_record *record;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    f.log = cv_sqlite_log_of(&f.arena, f.path);
    f.watermark = cv_watermark_path(&f.arena, f.path);
    f.record = board_open(&f.arena, f.path, &f.err);
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
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static bool open_again(fixture *f, cv_record_mode mode)
{
    close_record(f);
    f->err = (cv_err){.arena = &f->arena};
    return cv_record_open(&f->arena, f->path, mode, &all_types, board_schema_of(&f->arena, BOARD_SQL), &f->record,
                          &f->err);
}

static void write_some(fixture *f, const char *scope, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(board_write(f->record, &f->arena, (cv_scope_id){CV_STR("board"), cv_str_of(scope)},
                                     cv_arena_printf(&f->arena, "%s%d", scope, i).p, &f->err),
                         CV_WRITE_DONE);
}

/* Past all rules of the engine. */
static void run(fixture *f, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s\n%s", sql, message);
    sqlite3_close(db);
}

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

static void files_are_their_owners_alone(void **state)
{
    fixture *f = *state;
    struct stat st;
    write_some(f, "x", 1);
    const char *const names[] = {"", "-wal", "-shm", "-watermark", "-turn"};
    for (size_t i = 0; i < CV_COUNT(names); i++) {
        assert_int_equal(stat(cv_arena_printf(&f->arena, "%s%s", f->path, names[i]).p, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
}

static void a_copy_is_read_and_nothing_is_left_beside_it(void **state)
{
    fixture *f = *state;
    write_some(f, "x", 2);
    const char *copy = cv_arena_printf(&f->arena, "%s/copy/copy.db", f->folder).p;
    mkdir(cv_arena_printf(&f->arena, "%s/copy", f->folder).p, 0700);
    assert_ok(f->record->calls->backup(f->record, copy, &f->err), &f->err);
    assert_fails(f->record->calls->backup(f->record, copy, &f->err), &f->err, CV_ERR_NO_ACCESS);
    cv_str print = board_print(f->record, &f->arena, BOARD("x"), &f->err), bytes = cv_test_read(&f->arena, copy);
    f->path = copy;
    assert_ok(open_again(f, CV_RECORD_COPY), &f->err);
    assert_view_eq(board_print(f->record, &f->arena, BOARD("x"), &f->err), print);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "no", &f->err), CV_WRITE_FAILED);
    close_record(f);
    assert_view_eq(cv_test_read(&f->arena, copy), bytes);
    assert_int_equal(rmdir(cv_arena_printf(&f->arena, "%s/copy", f->folder).p), -1);
    unlink(copy);
    assert_int_equal(rmdir(cv_arena_printf(&f->arena, "%s/copy", f->folder).p), 0);
}

static void what_is_not_a_record_is_refused_and_left_alone(void **state)
{
    fixture *f = *state;
    char pages[8192] = "no database, but long enough to be one";
    const struct {
        cv_str database, log; /* absent: there is none */
        cv_err_code existing, create;
        const char *message;
    } cases[] = {
        {{NULL, 0}, {NULL, 0}, CV_ERR_NOT_FOUND, CV_ERR_NONE, "does not exist"},
        {CV_STR(""), {NULL, 0}, CV_ERR_NOT_FOUND, CV_ERR_NONE, "empty"},
        {{NULL, 0}, CV_STR("a log"), CV_ERR_NOT_FOUND, CV_ERR_NOT_FOUND, "a log of it is there"},
        {CV_STR(""), CV_STR("a log"), CV_ERR_NOT_FOUND, CV_ERR_NOT_FOUND, "a log of it is there"},
        {CV_STR("x"), {NULL, 0}, CV_ERR_CORRUPT, CV_ERR_CORRUPT, "not a database"},
        {CV_STR("x"), CV_STR("a log"), CV_ERR_CORRUPT, CV_ERR_CORRUPT, "a log of it is there"},
        {{pages, sizeof pages}, {NULL, 0}, CV_ERR_CORRUPT, CV_ERR_CORRUPT, "not a database"},
        {{pages, sizeof pages}, CV_STR("a log"), CV_ERR_CORRUPT, CV_ERR_CORRUPT, "a log of it is there"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        for (int create = 0; create < 2; create++) {
            cv_err_code expected = create ? cases[i].create : cases[i].existing;
            close_record(f);
            unlink(f->path);
            unlink(f->log);
            if (cases[i].database.p)
                assert_ok(cv_file_write(f->path, cases[i].database, &f->err), &f->err);
            if (cases[i].log.p)
                assert_ok(cv_file_write(f->log, cases[i].log, &f->err), &f->err);
            bool ok = open_again(f, create ? CV_RECORD_CREATE : CV_RECORD_EXISTING);
            assert_int_equal(ok, expected == CV_ERR_NONE);
            if (ok)
                continue;
            assert_int_equal(f->err.code, expected);
            assert_str_has(f->err.message, cases[i].message);
            assert_true(f->err.suggestion.n > 0);
            if (cases[i].database.p)
                assert_view_eq(cv_test_read(&f->arena, f->path), cases[i].database);
            if (cases[i].log.p)
                assert_view_eq(cv_test_read(&f->arena, f->log), cases[i].log);
        }
}

static void a_record_of_the_old_layout_is_told(void **state)
{
    fixture *f = *state;
    static const cv_sql_migration old[] = {
        {1, "001_schema",
         "CREATE TABLE schema_migrations (version INT PRIMARY KEY, name TEXT, checksum TEXT, program TEXT) STRICT;"
         "CREATE TABLE dialogues (dialogue_id TEXT) STRICT;",
         "of the old layout"}};
    const cv_sql_migrations schema = {old, 1};
    f->path = cv_arena_printf(&f->arena, "%s/old.db", f->folder).p;
    cv_sqlite *s = cv_sqlite_connect(&f->arena, f->path, CV_SQLITE_CREATE,
                                     (cv_sqlite_statements){cv_sql_sqlite_statements, cv_sql_sqlite_statement_count},
                                     &schema, &f->err);
    assert_non_null(s);
    cv_sqlite_disconnect(s);
    for (cv_record_mode mode = CV_RECORD_EXISTING; mode <= CV_RECORD_COPY; mode++) {
        assert_fails(open_again(f, mode), &f->err, CV_ERR_SCHEMA);
        assert_str_has(f->err.message, "another layout (001_schema)");
        assert_str_has(f->err.suggestion, "conclave init");
    }
}

static void newer_and_changed_schemas_are_refused(void **state)
{
    fixture *f = *state;
    cv_arena *a = &f->arena;
    close_record(f);
    const cv_sql_migrations *ours = board_schema_of(a, BOARD_SQL), only = {ours->items, 1};
    assert_fails(cv_record_open(a, f->path, CV_RECORD_EXISTING, &all_types, &only, &f->record, &f->err), &f->err,
                 CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "newer conclave");
    cv_sql_migration changed[2] = {ours->items[0], ours->items[1]};
    changed[1].checksum = "another";
    const cv_sql_migrations other = {changed, 2};
    assert_fails(cv_record_open(a, f->path, CV_RECORD_EXISTING, &all_types, &other, &f->record, &f->err), &f->err,
                 CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "002_board");
    f->record = NULL;
}

/* ---- the watermark ------------------------------------------------------------------------------------------------
 */

static bool is_acknowledged(fixture *f)
{
    cv_watermark_state state;
    return f->record->calls->acknowledged(f->record, &f->arena, &state, &f->err);
}

/* Commits of all rooms raise it. */
static void an_older_copy_is_noticed_until_it_is_accepted(void **state)
{
    fixture *f = *state;
    cv_commit last, mark;
    const char *older = cv_arena_printf(&f->arena, "%s/older.db", f->folder).p;
    write_some(f, "x", 2);
    assert_ok(f->record->calls->backup(f->record, older, &f->err), &f->err);
    write_some(f, "y", 3);
    assert_int_equal(cv_watermark_read(f->watermark, &mark, &f->err), CV_WATERMARK_THERE);
    assert_ok(f->record->calls->last_commit(f->record, &last, &f->err), &f->err);
    assert_int_equal(mark.number, 5);
    assert_memory_equal(&mark, &last, sizeof last);
    close_record(f);
    assert_int_equal(rename(older, f->path), 0);
    assert_ok(open_again(f, CV_RECORD_EXISTING), &f->err);
    assert_fails(is_acknowledged(f), &f->err, CV_ERR_REGRESSED);
    assert_str_has(f->err.message, "commit 5 was acknowledged, the record ends at commit 2");
    assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "more", &f->err), CV_WRITE_FAILED);
    assert_int_equal(f->err.code, CV_ERR_REGRESSED);
    assert_ok(f->record->calls->accept(f->record, &f->arena, &last, &f->err), &f->err);
    assert_int_equal(last.number, 2);
    assert_ok(is_acknowledged(f), &f->err);
    write_some(f, "z", 1);
    assert_ok(is_acknowledged(f), &f->err);
}

static void a_log_that_was_removed_or_cut_is_noticed(void **state)
{
    fixture *f = *state;
    for (int cut = 0; cut < 2; cut++) {
        cv_commit last;
        write_some(f, cut ? "b" : "a", 3);
        const char *path = cv_arena_printf(&f->arena, "%s/%d.db", f->folder, cut).p;
        /* As a power failure leaves it: the files, without the end of the one who used them. */
        assert_ok(cv_file_write(path, cv_test_read(&f->arena, f->path), &f->err), &f->err);
        assert_ok(cv_file_write(cv_watermark_path(&f->arena, path), cv_test_read(&f->arena, f->watermark), &f->err),
                  &f->err);
        cv_str log = cv_test_read(&f->arena, f->log);
        if (cut)
            assert_ok(cv_file_write(cv_sqlite_log_of(&f->arena, path), cv_str_head(log, log.n - 5000), &f->err),
                      &f->err);
        cv_record *other = board_open(&f->arena, path, &f->err);
        cv_watermark_state found;
        assert_fails(other->calls->acknowledged(other, &f->arena, &found, &f->err), &f->err, CV_ERR_REGRESSED);
        assert_ok(other->calls->last_commit(other, &last, &f->err), &f->err);
        assert_true(last.number < (cut ? 6 : 3));
        cv_record_close(other);
    }
}

static void a_damaged_watermark_is_not_a_missing_one(void **state)
{
    fixture *f = *state;
    cv_watermark_state found;
    write_some(f, "x", 1);
    cv_str whole = cv_test_read(&f->arena, f->watermark);
    for (size_t i = 0; i < whole.n; i += 7) {
        char *bad = cv_arena_dup(&f->arena, whole.p, whole.n);
        bad[i] ^= 1;
        assert_ok(cv_file_write(f->watermark, (cv_str){bad, whole.n}, &f->err), &f->err);
        assert_fails(is_acknowledged(f), &f->err, CV_ERR_REGRESSED);
        assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "more", &f->err), CV_WRITE_FAILED);
    }
    unlink(f->watermark);
    assert_ok(f->record->calls->acknowledged(f->record, &f->arena, &found, &f->err), &f->err);
    assert_int_equal(found, CV_WATERMARK_MISSING);
    write_some(f, "y", 1);
    assert_ok(f->record->calls->acknowledged(f->record, &f->arena, &found, &f->err), &f->err);
    assert_int_equal(found, CV_WATERMARK_THERE);
}

/* ---- seals --------------------------------------------------------------------------------------------------------
 */

static void a_seal_stands_for_all_rooms(void **state)
{
    fixture *f = *state;
    cv_seal none, first, second, read;
    assert_ok(cv_seal_record(f->record, NULL, &none, &f->err), &f->err);
    assert_int_equal(none.number, 0);
    write_some(f, "x", 2);
    write_some(f, "y", 1);
    assert_ok(cv_seal_record(f->record, NULL, &first, &f->err), &f->err);
    assert_int_equal(first.number, 3);
    cv_str sealed = cv_seal_print(&f->arena, &first);
    assert_ok(cv_seal_read(cv_arena_printf(&f->arena, "kept: %.*s\n", CV_FMT(sealed)), &read, &f->err), &f->err);
    assert_memory_equal(&read, &first, sizeof first);
    write_some(f, "z", 2);
    assert_ok(cv_seal_record(f->record, &first, &second, &f->err), &f->err);
    assert_int_equal(second.number, 5);
    close_record(f);
    run(f, "DROP TRIGGER commits_no_update; UPDATE commits SET head = replace(head, 'a', 'b') WHERE number = 2");
    assert_ok(open_again(f, CV_RECORD_EXISTING), &f->err);
    assert_fails(cv_seal_record(f->record, &first, &second, &f->err), &f->err, CV_ERR_VERIFY);
    assert_str_has(f->err.message, "something before the seal was changed");
    first.number = 9;
    assert_fails(cv_seal_record(f->record, &first, &second, &f->err), &f->err, CV_ERR_VERIFY);
    assert_str_has(f->err.message, "newer than the record");
    first.origin[0] ^= 1;
    assert_fails(cv_seal_record(f->record, &first, &second, &f->err), &f->err, CV_ERR_VERIFY);
    assert_str_has(f->err.message, "another project");
}

/* ---- what was done to the file ------------------------------------------------------------------------------------
 */

/* Is it noticed when the file is opened, or when it is checked? */
static void assert_noticed(fixture *f, cv_str bytes, const char *sql)
{
    assert_ok(cv_file_write(f->path, bytes, &f->err), &f->err);
    run(f, sql);
    if (open_again(f, CV_RECORD_EXISTING) && f->record->calls->check(f->record, &f->arena, &f->err))
        fail_msg("not noticed: %s", sql);
    assert_true(f->err.message.n > 0 && f->err.suggestion.n > 0);
    close_record(f);
}

static int add_change(void *ctx, int count, char **values, char **names)
{
    cv_buf *out = ctx;
    (void)count, (void)names;
    cv_buf_printf(out, "PRAGMA foreign_keys = OFF; DROP %s %s\n", values[0], values[1]);
    if (strcmp(values[0], "table") == 0 && strstr(values[2], "VIRTUAL") == NULL) {
        cv_buf_printf(out, "ALTER TABLE %s ADD COLUMN further TEXT\n", values[1]);
        cv_buf_printf(out, "CREATE INDEX further ON %s ((1))\n", values[1]);
        cv_buf_printf(out, "CREATE TRIGGER further AFTER INSERT ON %s BEGIN SELECT 1; END\n", values[1]);
    }
    return 0;
}

static void every_object_of_the_schema(void **state)
{
    static const char *const changes[] = {
        "CREATE TABLE further (x)",
        "CREATE VIEW further AS SELECT 1",
        "UPDATE schema_migrations SET checksum = 'x' WHERE version = 2",
        "UPDATE schema_migrations SET name = 'x' WHERE version = 2",
        "INSERT INTO search_index (search_index, rank) VALUES ('pgsz', 64)",
        "PRAGMA foreign_keys = OFF; INSERT INTO cursors (scope, reader) VALUES (99, 'nobody')",
        "DROP TRIGGER commits_no_delete; DELETE FROM commits WHERE number = 2;"
        "CREATE TRIGGER commits_no_delete BEFORE DELETE ON commits\n"
        "BEGIN SELECT RAISE(ABORT, 'commits are never deleted'); END",
    };
    fixture *f = *state;
    cv_buf made = {0};
    size_t count = CV_COUNT(changes);
    write_some(f, "x", 3);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    sqlite3_exec(((cv_sqlite_record *)f->record)->s->db,
                 "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'search_index_%'",
                 add_change, &made, NULL);
    close_record(f);
    cv_str bytes = cv_test_read(&f->arena, f->path), rest = cv_buf_take(&made, &f->arena), sql;
    for (size_t i = 0; i < CV_COUNT(changes); i++)
        assert_noticed(f, bytes, changes[i]);
    for (; cv_str_split(&rest, '\n', &sql); count++)
        if (sql.n)
            assert_noticed(f, bytes, cv_arena_copy_z(&f->arena, sql));
    print_message("# %zu changes\n", count);
    assert_true(count > 60);
}

static bool ignore_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    (void)hit, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static size_t search(fixture *f, const char *word)
{
    const cv_search_term term = {.text = cv_str_of(word)};
    const cv_word_query query = {.terms = &term, .count = 1, .limit = 100};
    size_t hits = 0, behind;
    assert_ok(f->record->calls->search(f->record, &f->arena, &query, ignore_hit, &hits, &behind, &f->err), &f->err);
    return hits;
}

static void every_part_of_the_search_index(void **state)
{
    static const char *const changes[] = {
        "DELETE FROM search_texts WHERE id = 1",
        "DELETE FROM search_index_idx",
        "UPDATE search_texts SET body = 'other' WHERE id = 1",
        "UPDATE search_texts SET status = 'other' WHERE id = 1",
        "UPDATE search_texts SET people = '[\"eve\"]' WHERE id = 1",
        "UPDATE search_texts SET more_ids = 'K999' WHERE id = 1",
        "UPDATE search_texts SET thing = 'K002' WHERE id = 1",
        ("INSERT INTO search_texts (scope, kind, thing, ids, more_ids, people, title, body)"
         " VALUES (1, 'card', 'K777', '', '', '[]', 'never written', '')"),
        "INSERT INTO search_index (search_index) VALUES ('delete-all')",
        "INSERT INTO search_index (search_index, rowid, ids, title, body) VALUES ('delete', 1, '', 'x1', '')",
        "UPDATE readers SET position = '999-000000000000' WHERE reader = 'search'",
        "UPDATE search_index_docsize SET sz = x'090909'",
    };
    fixture *f = *state;
    write_some(f, "x", 2);
    assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err); /* behind, and sound */
    search(f, "x1");
    assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err);
    write_some(f, "y", 2);
    board_write(f->record, &f->arena, BOARD("x"), "later", &f->err);
    cv_buf many = {0}; /* the index has several pages */
    for (int i = 0; i < 2000; i++)
        cv_buf_printf(&many, "%s%d", i ? " word" : "word", i);
    board_write(f->record, &f->arena, BOARD("y"), cv_buf_take(&many, &f->arena).p, &f->err);
    assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err);
    assert_true(search(f, "later") > 0);
    assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err);
    close_record(f);
    cv_str bytes = cv_test_read(&f->arena, f->path);
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        assert_ok(cv_file_write(f->path, bytes, &f->err), &f->err);
        run(f, changes[i]);
        assert_ok(open_again(f, CV_RECORD_EXISTING), &f->err);
        if (f->record->calls->search_check(f->record, &f->arena, &f->err))
            fail_msg("not noticed: %s", changes[i]);
        assert_ok(f->record->calls->search_rebuild(f->record, &f->arena, &f->err), &f->err);
        assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err);
    }
}

/* ---- commits of others --------------------------------------------------------------------------------------------
 */

/* Exact for commits of any process, and also when another file is there. */
static void changed_knows_the_file_that_is_there(void **state)
{
    fixture *f = *state;
    uint64_t seen = 0, same;
    const char *other_path = cv_arena_printf(&f->arena, "%s/other.db", f->folder).p;
    write_some(f, "x", 1);
    assert_ok(f->record->calls->backup(f->record, other_path, &f->err), &f->err);
    assert_true(f->record->calls->changed(f->record, &seen));
    assert_false(f->record->calls->changed(f->record, &seen));
    same = seen;
    assert_false(f->record->calls->changed(f->record, &seen));
    assert_true(same == seen && seen != 0);
    write_some(f, "y", 1);
    assert_true(f->record->calls->changed(f->record, &seen));
    cv_record *other = board_open(&f->arena, f->path, &f->err);
    assert_int_equal(board_write(other, &f->arena, BOARD("x"), "other", &f->err), CV_WRITE_DONE);
    assert_true(f->record->calls->changed(f->record, &seen));
    assert_false(f->record->calls->changed(f->record, &seen));
    cv_record_close(other);
    assert_int_equal(rename(other_path, f->path), 0);
    for (int i = 0; i < 3; i++) {
        assert_true(f->record->calls->changed(f->record, &seen));
        assert_true(seen == 0);
    }
    assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "lost", &f->err), CV_WRITE_BUSY);
    assert_str_has(f->err.message, "another file was put in the place of the record");
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "gone", &f->err), CV_WRITE_BUSY);
    assert_str_has(f->err.message, "the file of the record is not there any more");
}

enum { ASKERS = 4, COMMITS = 50 };

static void *ask_until_all_is_seen(void *ctx)
{
    cv_record *record = ctx;
    uint64_t seen = 0;
    for (int i = 0; i < 20000; i++)
        record->calls->changed(record, &seen);
    return NULL;
}

static void any_thread_may_ask(void **state)
{
    fixture *f = *state;
    pthread_t threads[ASKERS];
    for (size_t i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_until_all_is_seen, f->record), 0);
    uint64_t seen = 0;
    for (int i = 0; i < COMMITS; i++) {
        write_some(f, cv_arena_printf(&f->arena, "t%d-", i).p, 1);
        assert_true(f->record->calls->changed(f->record, &seen));
    }
    for (size_t i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- to try things on ---------------------------------------------------------------------------------------------
 */

static void a_scratch_record_is_empty_or_a_copy(void **state)
{
    fixture *f = *state;
    cv_record *copy, *empty;
    cv_commit last;
    write_some(f, "x", 2);
    assert_ok(f->record->calls->scratch(f->record, &f->arena, false, &copy, &f->err), &f->err);
    assert_ok(f->record->calls->scratch(f->record, &f->arena, true, &empty, &f->err), &f->err);
    assert_view_eq(board_print(copy, &f->arena, BOARD("x"), &f->err),
                   board_print(f->record, &f->arena, BOARD("x"), &f->err));
    assert_ok(empty->calls->last_commit(empty, &last, &f->err), &f->err);
    assert_int_equal(last.number, 0);
    assert_int_equal(board_write(copy, &f->arena, BOARD("x"), "tried", &f->err), CV_WRITE_DONE);
    assert_int_equal(board_write(empty, &f->arena, BOARD("x"), "tried", &f->err), CV_WRITE_DONE);
    assert_ok(f->record->calls->last_commit(f->record, &last, &f->err), &f->err);
    assert_int_equal(last.number, 2);
    cv_record_close(copy);
    cv_record_close(empty);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_are_their_owners_alone),
        TEST(a_copy_is_read_and_nothing_is_left_beside_it),
        TEST(what_is_not_a_record_is_refused_and_left_alone),
        TEST(a_record_of_the_old_layout_is_told),
        TEST(newer_and_changed_schemas_are_refused),
        TEST(an_older_copy_is_noticed_until_it_is_accepted),
        TEST(a_log_that_was_removed_or_cut_is_noticed),
        TEST(a_damaged_watermark_is_not_a_missing_one),
        TEST(a_seal_stands_for_all_rooms),
        TEST(every_object_of_the_schema),
        TEST(every_part_of_the_search_index),
        TEST(changed_knows_the_file_that_is_there),
        TEST(any_thread_may_ask),
        TEST(a_scratch_record_is_empty_or_a_copy),
    };
    return cmocka_run_group_tests_name("record_open", tests, NULL, NULL);
}
