/* test_record_swap.c - backups put in the place of a record: what is lost by it, handles that stay open, files that are
 * not backups. test_restore.c kills a restore at each step, and writes meanwhile. */
#include "board.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/file.h"
#include "record/swap.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path, *backup;
    const cv_sql_migrations *schema;
    cv_types types; /* with it */
    int kept;
    cv_buf lost; /* of the last swap: "board/wine 2 0, " */
} fixture;

static void write_to(fixture *f, const char *scope, const char *op_id)
{
    cv_record *record = board_open(&f->arena, f->path, &f->err);
    assert_int_equal(board_write(record, &f->arena, (cv_scope_id){CV_STR("board"), cv_str_of(scope)}, op_id, &f->err),
                     CV_WRITE_DONE);
    cv_record_close(record);
}

/* A record with the board "bread", a backup of it, and then the board "wine". */
static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    f.backup = cv_arena_printf(&f.arena, "%s/monday", f.folder).p;
    f.schema = board_schema_of(&f.arena, BOARD_SQL);
    f.types = all_types;
    f.types.sqlite = f.schema;
    write_to(&f, "bread", "b1");
    cv_record *record = board_open(&f.arena, f.path, &f.err);
    assert_ok(record->calls->backup(record, f.backup, &f.err), &f.err);
    cv_record_close(record);
    write_to(&f, "wine", "w1");
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_buf_release(&f->lost);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static bool tell_loss(void *ctx, const cv_swap_loss *loss, cv_err *err)
{
    (void)err;
    cv_buf_printf(ctx, "%.*s/%.*s %lld %lld, ", CV_FMT(loss->scope.room), CV_FMT(loss->scope.name),
                  (long long)loss->rev, (long long)loss->restored_rev);
    return true;
}

static bool check_copy(fixture *f, cv_swap *s)
{
    cv_record *copy;
    if (!cv_record_open(&f->arena, s->copy, CV_RECORD_EXISTING, &all_types, f->schema, &copy, &f->err))
        return false;
    bool ok = copy->calls->check(copy, &f->arena, &f->err);
    cv_record_close(copy);
    return ok;
}

static bool swap(fixture *f, const char *from)
{
    cv_swap s = {.arena = &f->arena, .store.path = f->path, .types = &f->types};
    const char *stamp = cv_arena_printf(&f->arena, "%d-%d", (int)getpid(), f->kept++).p;
    cv_buf_release(&f->lost);
    f->lost = (cv_buf){0};
    f->err = (cv_err){.arena = &f->arena};
    bool ok = cv_swap_copy(&s, from, &f->err) && check_copy(f, &s) && cv_swap_begin(&s, &f->err);
    if (ok && s.present)
        ok = cv_swap_lost(&s, tell_loss, &f->lost, &f->err);
    ok = ok && cv_swap_commit(&s, stamp, &f->err);
    cv_swap_end(&s);
    return ok;
}

static bool add_name(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    (void)at, (void)err;
    cv_buf_printf(ctx, "%.*s ", CV_FMT(scope.name));
    return true;
}

/* "bread wine ": the scopes of a record that is whole and acknowledged. */
static cv_str scopes_in(fixture *f, const char *path)
{
    cv_record *record;
    cv_watermark_state mark;
    cv_buf names = {0};
    assert_ok(cv_record_open(&f->arena, path, CV_RECORD_EXISTING, &all_types, f->schema, &record, &f->err), &f->err);
    assert_ok(record->calls->check(record, &f->arena, &f->err), &f->err);
    assert_ok(record->calls->acknowledged(record, &f->arena, &mark, &f->err), &f->err);
    assert_ok(record->calls->scopes(record, CV_STR("board"), CV_STR(""), 0, add_name, &names, &f->err), &f->err);
    cv_record_close(record);
    return cv_buf_take(&names, &f->arena);
}

/* How many files of the folder have `part` in their names. *ret_record: the last of them that is a record, not a file
 * of SQLite's beside it. */
static size_t count_files(fixture *f, const char *part, const char **ret_record)
{
    size_t count = 0;
    DIR *folder = opendir(f->folder);
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (!strstr(e->d_name, part))
            continue;
        count++;
        if (ret_record && strchr("0123456789", e->d_name[strlen(e->d_name) - 1]))
            *ret_record = cv_arena_printf(&f->arena, "%s/%s", f->folder, e->d_name).p;
    }
    closedir(folder);
    return count;
}

/* Another history of the same length, or of a shorter one, is lost like a longer one. */
static void what_went_another_way_is_told(void **state)
{
    fixture *f = *state;
    const char *kept = NULL;
    write_to(f, "bread", "b2");
    assert_ok(swap(f, f->backup), &f->err);
    count_files(f, ".before-restore-", &kept);
    write_to(f, "bread", "other");
    assert_ok(swap(f, kept), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "board/bread 2 2, ");
    write_to(f, "bread", "b3");
    assert_ok(swap(f, f->backup), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "board/bread 3 1, board/wine 1 0, ");
}

/* A process that has it open sees a commit like any other; what it computed from the record before is refused. */
static void an_open_handle_goes_on(void **state)
{
    fixture *f = *state;
    cv_record *mine = board_open(&f->arena, f->path, &f->err);
    cv_scope_position at;
    uint64_t seen = 0;
    cv_writing w;
    cv_written done;
    cv_scope_id bread = BOARD("bread");
    assert_int_equal(board_write(mine, &f->arena, bread, "b2", &f->err), CV_WRITE_DONE);
    assert_ok(mine->calls->begin(mine, &f->arena, bread, &at, &f->err), &f->err);
    mine->calls->end(mine);
    mine->calls->changed(mine, &seen);
    assert_ok(swap(f, f->backup), &f->err);
    assert_true(mine->calls->changed(mine, &seen));
    write_to(f, "bread", "another b2"); /* as long as the history that was read */
    cv_writing_from(&w, mine, &f->arena, bread, &at, NOW);
    cv_writing_event(&w, CV_STR("card"), CV_STR("1"), CV_STR("written"));
    const cv_request request = {CV_STR("b3"), CV_STR("digest"), CV_STR("board write")};
    assert_true(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err));
    assert_int_equal(done.how, CV_WRITE_CONFLICT);
    assert_str_has(f->err.message, "another history");
    assert_int_equal(board_write(mine, &f->arena, BOARD("beer"), "b", &f->err), CV_WRITE_DONE);
    cv_record_close(mine);
    assert_str_eq(scopes_in(f, f->path), "beer bread ");
}

static void what_is_not_a_backup_changes_nothing(void **state)
{
    fixture *f = *state;
    cv_str good = cv_test_read(&f->arena, f->backup), before = cv_test_read(&f->arena, f->path);
    const char *bad = cv_arena_printf(&f->arena, "%s/bad", f->folder).p;
    const cv_str texts[] = {CV_STR(""), CV_STR("x"), CV_STR("This is not a database, however long it may be."),
                            cv_str_head(good, 100), cv_str_head(good, 5000)};
    for (size_t i = 0; i < CV_COUNT(texts); i++) {
        assert_ok(cv_file_write(bad, texts[i], &f->err), &f->err);
        assert_false(swap(f, bad));
        assert_view_eq(cv_test_read(&f->arena, bad), texts[i]);
    }
    assert_fails(swap(f, "/no/such/file"), &f->err, CV_ERR_NOT_FOUND);
    assert_view_eq(cv_test_read(&f->arena, f->path), before);
    assert_int_equal(count_files(f, ".before-restore-", NULL) + count_files(f, ".tmp", NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* The log has no room for all pages: what was there stays, with its watermark, and nothing more takes room. */
static void without_room_nothing_is_left(void **state)
{
    fixture *f = *state;
    struct stat st;
    struct rlimit before, few;
    assert_int_equal(stat(f->backup, &st), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = (struct rlimit){.rlim_cur = (rlim_t)st.st_size, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    bool done = swap(f, f->backup);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(done);
    assert_non_null(strstr(cv_err_text(&f->err).p, "write the backup over the record"));
    assert_int_equal(count_files(f, "before-restore", NULL), 0);
    assert_int_equal(count_files(f, "watermark", NULL), 1);
    assert_str_eq(scopes_in(f, f->path), "bread wine ");
    assert_ok(swap(f, f->backup), &f->err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_went_another_way_is_told),
        TEST(an_open_handle_goes_on),
        TEST(what_is_not_a_backup_changes_nothing),
        TEST(without_room_nothing_is_left),
    };
    return cmocka_run_group_tests_name("record_swap", tests, NULL, NULL);
}
