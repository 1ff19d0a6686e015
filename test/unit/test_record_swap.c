/* test_record_swap.c - backups put in the place of a record, in a bad world: processes that are killed at each step,
 * writers meanwhile, records of which a part is missing. */
#include "board.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/map.h"
#include "record/swap.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path, *log, *backup;
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
    f.log = cv_sqlite_log_of(&f.arena, f.path);
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

static bool swap(fixture *f, const char *from, void (*step)(void *ctx), void *ctx)
{
    cv_swap s = {.arena = &f->arena, .store.path = f->path, .types = &f->types, .step = step, .ctx = ctx};
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

/* Calls `visit` with each path in the folder whose name has `part` in it and does not end like a file of SQLite's. */
static size_t each_file(fixture *f, const char *part, void (*visit)(fixture *f, const char *path, void *ctx), void *ctx)
{
    size_t count = 0;
    DIR *folder = opendir(f->folder);
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (!strstr(e->d_name, part))
            continue;
        count++;
        if (visit)
            visit(f, cv_arena_printf(&f->arena, "%s/%s", f->folder, e->d_name).p, ctx);
    }
    closedir(folder);
    return count;
}

static void keep_path(fixture *f, const char *path, void *ctx)
{
    (void)f;
    if (strchr("0123456789", path[strlen(path) - 1]))
        *(const char **)ctx = path;
}

static void remove_file(fixture *f, const char *path, void *ctx)
{
    (void)f, (void)ctx;
    unlink(path);
}

/* ---- whole --------------------------------------------------------------------------------------------------------
 */

static void a_backup_is_put_back_and_that_is_undone(void **state)
{
    fixture *f = *state;
    const char *kept = NULL;
    struct stat st;
    cv_str before = cv_test_read(&f->arena, f->backup);
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "board/wine 1 0, ");
    assert_str_eq(scopes_in(f, f->path), "bread ");
    each_file(f, ".before-restore-", keep_path, &kept);
    assert_non_null(kept);
    assert_int_equal(stat(kept, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_view_eq(cv_test_read(&f->arena, f->backup), before);
    assert_ok(swap(f, kept, NULL, NULL), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "");
    assert_str_eq(scopes_in(f, f->path), "bread wine ");
    assert_int_equal(each_file(f, ".tmp", NULL, NULL), 0);
}

/* Another history of the same length, or of a shorter one, is lost like a longer one. */
static void what_went_another_way_is_told(void **state)
{
    fixture *f = *state;
    const char *kept = NULL;
    write_to(f, "bread", "b2");
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
    each_file(f, ".before-restore-", keep_path, &kept);
    write_to(f, "bread", "other");
    assert_ok(swap(f, kept, NULL, NULL), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "board/bread 2 2, ");
    write_to(f, "bread", "b3");
    kept = NULL;
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
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
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
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
        assert_false(swap(f, bad, NULL, NULL));
        assert_view_eq(cv_test_read(&f->arena, bad), texts[i]);
    }
    assert_fails(swap(f, "/no/such/file", NULL, NULL), &f->err, CV_ERR_NOT_FOUND);
    assert_view_eq(cv_test_read(&f->arena, f->path), before);
    assert_int_equal(each_file(f, ".before-restore-", NULL, NULL) + each_file(f, ".tmp", NULL, NULL), 0);
}

/* ---- killed at each step ------------------------------------------------------------------------------------------
 */

static void kill_at(void *ctx)
{
    int *left = ctx;
    if ((*left)-- == 0)
        kill(getpid(), SIGKILL);
}

/* True: it was killed before step n; false: it has fewer steps. */
static bool swap_and_kill(fixture *f, int n)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(swap(f, f->backup, kill_at, &n) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void killed_it_leaves_the_old_record_or_the_new_one(void **state)
{
    fixture *f = *state;
    size_t old = 0, new = 0;
    bool killed = true;
    for (int n = 0; killed; n++) {
        const char *kept = NULL;
        killed = swap_and_kill(f, n);
        each_file(f, ".before-restore-", keep_path, &kept);
        cv_str now = scopes_in(f, f->path);
        if (cv_str_eq(now, CV_STR("bread wine "))) {
            old++;
            each_file(f, ".before-restore-", remove_file, NULL);
            continue;
        }
        new ++;
        assert_str_eq(now, "bread ");
        assert_non_null(kept);
        assert_str_eq(scopes_in(f, kept), "bread wine ");
        write_to(f, "wine", "w1"); /* as before, for the next one */
        each_file(f, ".before-restore-", remove_file, NULL);
    }
    assert_true(old >= 4 && new >= 2);
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err); /* which sweeps */
    assert_int_equal(each_file(f, ".tmp", NULL, NULL), 0);
}

static void look_for(fixture *f, const char *path, void *ctx)
{
    cv_str *wanted = ctx;
    if (cv_str_eq(cv_test_read(&f->arena, path), *wanted))
        wanted->n = 0; /* found */
}

/* Every file in the folder, under any name. */
static void assert_somewhere(fixture *f, cv_str bytes)
{
    each_file(f, "conclave.db", look_for, &bytes);
    assert_int_equal(bytes.n, 0);
}

static void killed_it_loses_no_byte_of_a_damaged_record(void **state)
{
    fixture *f = *state;
    bool killed = true;
    cv_str database = CV_STR("damaged beyond all hope, but somebody may still want it"), log = CV_STR("and its log");
    for (int n = 0; killed; n++) {
        each_file(f, "conclave.db", remove_file, NULL);
        assert_ok(cv_file_write(f->path, database, &f->err), &f->err);
        assert_ok(cv_file_write(f->log, log, &f->err), &f->err);
        killed = swap_and_kill(f, n);
        assert_somewhere(f, database);
        assert_somewhere(f, log);
        if (!cv_str_eq(cv_test_read(&f->arena, f->path), database))
            assert_str_eq(scopes_in(f, f->path), "bread ");
        assert_ok(swap(f, f->backup, NULL, NULL), &f->err); /* from wherever it was left */
        assert_str_eq(scopes_in(f, f->path), "bread ");
        assert_somewhere(f, database);
        assert_somewhere(f, log);
    }
}

/* ---- writers meanwhile --------------------------------------------------------------------------------------------
 */

enum { WRITERS = 3, SWAPS = 6, SWAPS_SOAK = 100 };

/* Makes boards, each through a handle of its own and one that stays open, and tells those that were acknowledged. */
static _Noreturn void write_until_killed(fixture *f, int writer, int told)
{
    cv_arena long_lived = {0};
    cv_err first = {.arena = &long_lived};
    cv_record *kept_open = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!cv_record_open(&long_lived, f->path, CV_RECORD_EXISTING, &all_types, f->schema, &kept_open, &first))
        _exit(2);
    for (int i = 0;; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        char id[32] = {0};
        cv_record *record = kept_open;
        snprintf(id, sizeof id, "w%d-%d", writer, i);
        if (i % 2 == 0)
            while (!cv_record_open(&a, f->path, CV_RECORD_EXISTING, &all_types, f->schema, &record, &err))
                if (err.code != CV_ERR_BUSY && err.code != CV_ERR_NOT_FOUND)
                    _exit(3);
        cv_write_result done = board_write(record, &a, (cv_scope_id){CV_STR("board"), cv_str_of(id)}, id, &err);
        if (done == CV_WRITE_DONE && write(told, id, sizeof id) != sizeof id)
            _exit(4);
        if (done == CV_WRITE_FAILED)
            _exit(5);
        if (record != kept_open)
            cv_record_close(record);
        cv_arena_release(&a);
    }
}

static void note_scopes(fixture *f, const char *path, void *ctx)
{
    cv_map *found = ctx;
    if (!strchr("0123456789b", path[strlen(path) - 1]))
        return;
    cv_str all = scopes_in(f, path), name;
    while (cv_str_split(&all, ' ', &name))
        *cv_map_put(found, &f->arena, name, NULL) = 1;
}

/* Whatever was acknowledged is in the record or in one of those that were kept. */
static void no_write_that_was_acknowledged_is_lost(void **state)
{
    fixture *f = *state;
    int ends[2], status;
    pid_t writers[WRITERS];
    char id[32];
    size_t told = 0;
    cv_map found = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETPIPE_SZ, 1 << 20), 1 << 20);
    for (int i = 0; i < WRITERS; i++)
        if ((writers[i] = fork()) == 0)
            write_until_killed(f, i, ends[1]);
    close(ends[1]);
    for (int i = 0, n = cv_test_soak() ? SWAPS_SOAK : SWAPS; i < n; i++) {
        assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
        usleep(20000);
    }
    for (int i = 0; i < WRITERS; i++) {
        kill(writers[i], SIGKILL);
        waitpid(writers[i], &status, 0);
        assert_true(WIFSIGNALED(status));
    }
    each_file(f, ".before-restore-", note_scopes, &found);
    note_scopes(f, f->path, &found);
    for (; read(ends[0], id, sizeof id) == sizeof id; told++)
        if (!cv_map_get(&found, cv_str_of(id)))
            fail_msg("%s was acknowledged and is lost", id);
    close(ends[0]);
    assert_true(told > 0);
    print_message("# %zu writes acknowledged meanwhile\n", told);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_backup_is_put_back_and_that_is_undone),
        TEST(what_went_another_way_is_told),
        TEST(an_open_handle_goes_on),
        TEST(what_is_not_a_backup_changes_nothing),
        TEST(killed_it_leaves_the_old_record_or_the_new_one),
        TEST(killed_it_loses_no_byte_of_a_damaged_record),
        TEST(no_write_that_was_acknowledged_is_lost),
    };
    return cmocka_run_group_tests_name("record_swap", tests, NULL, NULL);
}
