/* test_record_frozen.c - reading a record where nothing can be written: what is read, what is refused, and what happens
 * when somebody else writes meanwhile. */
#include "board.h"

#include <fcntl.h>
#include <sys/stat.h>

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

/* What the owner does: a whole visit, after which no log is left. */
static void write_beside(fixture *f, const char *op_id)
{
    cv_record *owner = board_open(&f->arena, f->path, &f->err);
    assert_int_equal(board_write(owner, &f->arena, BOARD("x"), op_id, &f->err), CV_WRITE_DONE);
    cv_record_close(owner);
}

static bool try_frozen(fixture *f)
{
    return cv_sqlite_open_frozen_record(&f->arena, f->path, &all_types, board_schema_of(&f->arena, BOARD_SQL),
                                        &f->record, &f->err);
}

static void open_frozen(fixture *f)
{
    assert_ok(try_frozen(f), &f->err);
}

/* The rev of a scope that verifies. */
static int64_t whole_rev(fixture *f, cv_record *record)
{
    cv_scope_position at = {0};
    assert_ok(cv_scope_verify(record, &f->arena, BOARD("x"), NULL, &at, &f->err), &f->err);
    return at.rev;
}

static void writing_is_refused_and_says_why(void **state)
{
    fixture *f = *state;
    bool moved;
    cv_commit last;
    const cursor row = {.reader = CV_STR("ann")};
    const cv_rows rows = {&cursor_type, &row, 1};
    write_beside(f, "a");
    open_frozen(f);
    const cv_record_calls *calls = f->record->calls;
    assert_int_equal(whole_rev(f, f->record), 1);
    assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "no", &f->err), CV_WRITE_FAILED);
    assert_int_equal(f->err.code, CV_ERR_STORE);
    assert_str_has(f->err.message, f->folder);
    assert_str_has(f->err.suggestion, "permission");
    assert_false(calls->search_rebuild(f->record, &f->arena, &f->err));
    assert_false(calls->scrub(f->record, &f->arena, &f->err));
    assert_false(calls->keep(f->record, BOARD("x"), &rows, &f->err));
    assert_false(calls->drop(f->record, BOARD("x"), &rows, &f->err));
    assert_false(calls->accept(f->record, &f->arena, &last, &f->err));
    assert_false(calls->reader_move(f->record, CV_STR("r"), CV_STR(""), CV_STR("1"), &moved, &f->err));
    assert_int_equal(access(cv_arena_printf(&f->arena, "%s-wal", f->path).p, F_OK), -1);
    assert_int_equal(access(cv_arena_printf(&f->arena, "%s-shm", f->path).p, F_OK), -1);
}

static bool count_entry(void *ctx, const cv_feed_entry *entry, cv_err *err)
{
    (void)entry, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static bool count_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    (void)scope, (void)at, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static bool count_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    (void)hit, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static void every_way_of_reading_reads(void **state)
{
    fixture *f = *state;
    size_t entries = 0, scopes = 0;
    uint64_t seen = 7;
    cv_commit last;
    cv_watermark_state mark;
    cv_record_about about;
    cv_record *copy;
    cv_str position;
    write_beside(f, "a");
    open_frozen(f);
    const cv_record_calls *calls = f->record->calls;
    assert_ok(calls->feed(f->record, CV_STR(""), 0, count_entry, &entries, &f->err), &f->err);
    assert_ok(calls->scopes(f->record, CV_STR("board"), CV_STR(""), 0, count_scope, &scopes, &f->err), &f->err);
    assert_int_equal(entries, 1);
    assert_int_equal(scopes, 1);
    assert_ok(calls->newest(f->record, &f->arena, 0, &position, &f->err), &f->err);
    assert_true(position.n > 0);
    assert_ok(calls->reader_at(f->record, &f->arena, CV_STR("r"), &position, &f->err), &f->err);
    assert_ok(calls->last_commit(f->record, &last, &f->err), &f->err);
    assert_int_equal(last.number, 1);
    assert_ok(calls->acknowledged(f->record, &f->arena, &mark, &f->err), &f->err);
    assert_int_equal(mark, CV_WATERMARK_THERE);
    assert_true(calls->changed(f->record, &seen) && seen == 0);
    calls->about(f->record, &f->arena, &about);
    assert_true(about.schema == 2 && about.engine.n > 0);
    assert_ok(calls->check(f->record, &f->arena, &f->err), &f->err);
    assert_ok(calls->search_check(f->record, &f->arena, &f->err), &f->err);
    assert_ok(calls->scratch(f->record, &f->arena, false, &copy, &f->err), &f->err);
    assert_int_equal(whole_rev(f, copy), 1);
    cv_record_close(copy);
    const char *backup = cv_arena_printf(&f->arena, "%s/copy.db", f->folder).p;
    assert_ok(calls->backup(f->record, backup, &f->err), &f->err);
    assert_int_equal(access(backup, F_OK), 0);
}

/* The index was never made, and cannot be made in the file. */
static void searching_sees_everything(void **state)
{
    fixture *f = *state;
    const cv_search_term word = {.text = CV_STR("bread")};
    const cv_word_query query = {.terms = &word, .count = 1, .limit = 100};
    size_t hits = 0, behind = 9;
    write_beside(f, "bread");
    open_frozen(f);
    for (size_t i = 1; i <= 2; i++) {
        assert_ok(f->record->calls->search(f->record, &f->arena, &query, count_hit, &hits, &behind, &f->err), &f->err);
        assert_int_equal(hits, i);
        assert_int_equal(behind, 0);
    }
}

static void changes_of_others_are_seen(void **state)
{
    static const char *const ops[] = {"a", "b", "c", "d"};
    fixture *f = *state;
    write_beside(f, "first");
    open_frozen(f);
    for (size_t i = 0; i < CV_COUNT(ops); i++) {
        assert_int_equal(whole_rev(f, f->record), (int64_t)i + 1);
        write_beside(f, ops[i]);
    }
    assert_int_equal(whole_rev(f, f->record), CV_COUNT(ops) + 1);
}

/* A log that comes while we are there is read by SQLite, with its locks. */
static void a_log_that_comes_is_read(void **state)
{
    fixture *f = *state;
    write_beside(f, "a");
    open_frozen(f);
    assert_int_equal(whole_rev(f, f->record), 1);
    cv_record *owner = board_open(&f->arena, f->path, &f->err);
    assert_int_equal(board_write(owner, &f->arena, BOARD("x"), "in the log", &f->err), CV_WRITE_DONE);
    assert_int_equal(whole_rev(f, f->record), 2);
    cv_record_close(owner);
    assert_int_equal(whole_rev(f, f->record), 2);
}

static bool write_at_the_first_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)row, (void)err;
    write_beside(ctx, "meanwhile");
    return false;
}

static void what_changes_while_it_is_read_is_not_believed(void **state)
{
    fixture *f = *state;
    cv_scope_position at;
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    write_beside(f, "a");
    open_frozen(f);
    assert_fails(f->record->calls->find(f->record, &find, write_at_the_first_row, f, &f->err), &f->err, CV_ERR_BUSY);
    assert_str_has(f->err.suggestion, "again");
    assert_int_equal(whole_rev(f, f->record), 2); /* … and the next time it is */
    /* Between two readings of one moment, too. */
    assert_ok(f->record->calls->begin(f->record, &f->arena, BOARD("x"), &at, &f->err), &f->err);
    write_beside(f, "between");
    assert_fails(f->record->calls->find(f->record, &find, NULL, NULL, &f->err), &f->err, CV_ERR_BUSY);
    f->record->calls->end(f->record);
    assert_int_equal(whole_rev(f, f->record), 3);
}

/* Characters that mean something in the URI by which the file is opened. */
static void names_are_taken_as_they_are(void **state)
{
    static const char *const names[] = {"a?mode=memory", "b#c", "100%41", "d e", "ü&immutable=0"};
    fixture *f = *state;
    for (size_t i = 0; i < CV_COUNT(names); i++) {
        f->path = cv_arena_printf(&f->arena, "%s/%s", f->folder, names[i]).p;
        write_beside(f, "a");
        open_frozen(f);
        assert_int_equal(whole_rev(f, f->record), 1);
        cv_record_close(f->record);
        f->record = NULL;
    }
}

static void what_is_not_a_record_is_refused(void **state)
{
    fixture *f = *state;
    int fd = open(f->path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "no database, but long enough to be one", 38), 38);
    close(fd);
    assert_fails(try_frozen(f), &f->err, CV_ERR_CORRUPT);
    f->path = cv_arena_printf(&f->arena, "%s/missing", f->folder).p;
    assert_fails(try_frozen(f), &f->err, CV_ERR_NOT_FOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writing_is_refused_and_says_why), TEST(every_way_of_reading_reads),
        TEST(searching_sees_everything),       TEST(changes_of_others_are_seen),
        TEST(a_log_that_comes_is_read),        TEST(what_changes_while_it_is_read_is_not_believed),
        TEST(names_are_taken_as_they_are),     TEST(what_is_not_a_record_is_refused),
    };
    return cmocka_run_group_tests_name("record_frozen", tests, NULL, NULL);
}
