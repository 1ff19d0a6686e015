/* test_frozen.c - reading a record where nothing can be written: what is read, what is refused, and what happens when
 * somebody else writes all the same. */
#include "sqlite_testing.h"

#include <fcntl.h>
#include <sys/stat.h>

static void make_record(fixture *f, const char *id)
{
    open_store(f);
    assert_int_equal(write_next(f, id, 0), CV_STORE_DONE);
    close_store(f);
}

static void open_frozen(fixture *f)
{
    assert_ok(cv_sqlite_open_frozen(&f->arena, f->path, NULL, &f->store, &f->err), &f->err);
}

/* What the owner does meanwhile: a whole visit, after which no log is left. */
static void write_beside(fixture *f, int64_t expect)
{
    cv_store *owner;
    int64_t rev;
    assert_ok(cv_sqlite_open(&f->arena, f->path, false, &owner, &f->err), &f->err);
    assert_int_equal(write_batch(owner, &f->arena, "d", expect,
                                 cv_arena_printf(&f->arena, "beside-%lld", (long long)expect), &rev, &f->err),
                     CV_STORE_DONE);
    cv_store_close(owner);
}

static void writing_is_refused_and_says_why(void **state)
{
    fixture *f = *state;
    int64_t seq;
    make_record(f, "d");
    open_frozen(f);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 1);
    assert_int_equal(write_next(f, "d", 1), CV_STORE_FAILED);
    assert_int_equal(f->err.code, CV_ERR_STORE);
    assert_str_has(f->err.message, f->folder);
    assert_str_has(f->err.suggestion, "permission");
    assert_false(f->store->calls->search_rebuild(f->store, &f->arena, &f->err));
    assert_false(f->store->calls->cursor_advance(f->store, CV_STR("s"), CV_STR("r"), 1, CV_STR("now"), &f->err));
    assert_int_equal(f->store->calls->stream_append(f->store, &f->arena, CV_STR("s"), CV_STR(""), &CV_STR("m"), 1,
                                                    CV_STR("now"), &seq, &f->err),
                     CV_STORE_FAILED);
    assert_int_equal(access(cv_arena_printf(&f->arena, "%s-wal", f->path).p, F_OK), -1);
    assert_int_equal(access(cv_arena_printf(&f->arena, "%s-shm", f->path).p, F_OK), -1);
}

static bool count_list(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    (void)id, (void)row, (void)rev, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static bool count_tally(void *ctx, const cv_tallied *tally, cv_err *err)
{
    (void)tally, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static bool count_message(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err)
{
    (void)seq, (void)message, (void)created_at, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static bool count_hit(void *ctx, const cv_search_hit *hit, cv_err *err)
{
    (void)hit, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static void every_way_of_reading_reads(void **state)
{
    fixture *f = *state;
    cv_str digest, result;
    int64_t rev = 0, seq = 7;
    bool found = false;
    size_t listed = 0, tallied = 0, messages = 0;
    cv_store_about about;
    cv_store *copy;
    make_record(f, "d");
    open_frozen(f);
    const cv_store_calls *calls = f->store->calls;
    assert_ok(
        calls->op_result(f->store, &f->arena, CV_STR("d"), CV_STR("op-0"), &rev, &digest, &result, &found, &f->err),
        &f->err);
    assert_true(found && rev == 1);
    assert_ok(calls->list(f->store, &f->arena, &(cv_list_query){0}, count_list, &listed, &f->err), &f->err);
    assert_int_equal(listed, 1);
    assert_ok(calls->tally(f->store, &f->arena, &(cv_tally_query){0}, count_tally, &tallied, &f->err), &f->err);
    assert_true(tallied > 0);
    assert_ok(calls->stream_read(f->store, &f->arena, CV_STR("s"), 0, 0, count_message, &messages, &f->err), &f->err);
    assert_int_equal(messages, 0);
    assert_ok(calls->cursor_get(f->store, CV_STR("s"), CV_STR("r"), &seq, &f->err), &f->err);
    assert_int_equal(seq, 0);
    calls->about(f->store, &f->arena, &about);
    assert_true(about.schema > 0 && about.engine.n > 0);
    assert_ok(calls->check(f->store, &f->arena, &f->err), &f->err);
    assert_ok(calls->scratch(f->store, &f->arena, false, &copy, &f->err), &f->err);
    assert_int_equal(whole_rev(copy, &f->arena, "d", &f->err), 1);
    cv_store_close(copy);
    const char *backup = cv_arena_printf(&f->arena, "%s/copy.db", f->folder).p;
    assert_ok(calls->backup(f->store, backup, &f->err), &f->err);
    assert_int_equal(access(backup, F_OK), 0);
}

/* The index was never made, and cannot be made in the file. */
static void searching_sees_everything(void **state)
{
    fixture *f = *state;
    cv_search_term word = {.text = CV_STR("written")};
    cv_search_query query = {.terms = &word, .count = 1, .limit = 100};
    size_t hits = 0, behind = 9;
    make_record(f, "d");
    open_frozen(f);
    for (size_t expected = ROWS + 1, i = 1; i <= 2; i++) {
        assert_ok(f->store->calls->search(f->store, &f->arena, &query, count_hit, &hits, &behind, &f->err), &f->err);
        assert_int_equal(hits, expected * i); /* every entity, and the question */
        assert_int_equal(behind, 0);
    }
}

static void changes_of_others_are_seen(void **state)
{
    fixture *f = *state;
    make_record(f, "d");
    open_frozen(f);
    for (int64_t rev = 1; rev < 4; rev++) {
        assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), rev);
        write_beside(f, rev);
    }
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 4);
}

/* A log that comes while we are there is read by SQLite, with its locks. */
static void a_log_that_comes_is_read(void **state)
{
    fixture *f = *state;
    cv_store *owner;
    int64_t rev;
    make_record(f, "d");
    open_frozen(f);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 1);
    assert_ok(cv_sqlite_open(&f->arena, f->path, false, &owner, &f->err), &f->err);
    assert_int_equal(write_batch(owner, &f->arena, "d", 1, CV_STR("in the log"), &rev, &f->err), CV_STORE_DONE);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 2);
    cv_store_close(owner);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 2);
}

typedef struct {
    fixture *f;
    bool done;
} interrupting;

static bool write_at_the_first_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    interrupting *i = ctx;
    (void)kind, (void)row, (void)err;
    if (!i->done)
        write_beside(i->f, 1);
    i->done = true;
    return true;
}

static void what_changes_while_it_is_read_is_not_believed(void **state)
{
    fixture *f = *state;
    interrupting i = {.f = f};
    cv_position at;
    bool found;
    make_record(f, "d");
    open_frozen(f);
    assert_fails(f->store->calls->snapshot(f->store, &f->arena, CV_STR("d"), &(cv_wanted){0}, write_at_the_first_row,
                                           &i, &at, &found, &f->err),
                 &f->err, CV_ERR_BUSY);
    assert_str_has(f->err.suggestion, "again");
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 2); /* … and the next time it is */
}

/* Characters that mean something in the URI by which the file is opened. */
static void names_are_taken_as_they_are(void **state)
{
    static const char *const names[] = {"a?mode=memory", "b#c", "100%41", "d e", "ü&immutable=0"};
    fixture *f = *state;
    for (size_t i = 0; i < COUNT(names); i++) {
        f->path = cv_arena_printf(&f->arena, "%s/%s", f->folder, names[i]).p;
        make_record(f, "d");
        open_frozen(f);
        assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 1);
        close_store(f);
    }
}

static void what_is_no_record_is_refused(void **state)
{
    fixture *f = *state;
    int fd = open(f->path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "no database, but long enough to be one", 38), 38);
    close(fd);
    assert_fails(cv_sqlite_open_frozen(&f->arena, f->path, NULL, &f->store, &f->err), &f->err, CV_ERR_CORRUPT);
    f->path = cv_arena_printf(&f->arena, "%s/missing", f->folder).p;
    assert_fails(cv_sqlite_open_frozen(&f->arena, f->path, NULL, &f->store, &f->err), &f->err, CV_ERR_NOT_FOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writing_is_refused_and_says_why), TEST(every_way_of_reading_reads),
        TEST(searching_sees_everything),       TEST(changes_of_others_are_seen),
        TEST(a_log_that_comes_is_read),        TEST(what_changes_while_it_is_read_is_not_believed),
        TEST(names_are_taken_as_they_are),     TEST(what_is_no_record_is_refused),
    };
    return cmocka_run_group_tests_name("frozen", tests, NULL, NULL);
}
