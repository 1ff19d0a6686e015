/* test_postgres_swap.c - backups put in the place of a record on a server, in a bad world: processes that are killed at
 * each step, writers meanwhile, two restores at once, schemas that are not ours. */
#include "board.h"
#include "testing_postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/map.h"
#include "record/copy.h"
#include "record/swap.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *address, *schema, *seen, *backup;
    cv_types types; /* with both schemas */
    cv_postgres *c; /* to look and to do things by hand */
    int swaps;
    cv_str kept;
    cv_buf lost; /* of the last swap: "board/wine 2 0, " */
} fixture;

/* ---- by hand -------------------------------------------------------------------------------------------------------
 */

static bool see_texts(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    cv_buf_printf(ctx, "%.*s ", CV_FMT(cv_postgres_column(row, 0)));
    return true;
}

/* The first column of what a statement answers. @ in it is the schema. */
static cv_str sql(fixture *f, const char *text)
{
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_buf filled = {0}, seen = {0};
    for (const char *p = text; *p; p++)
        cv_buf_printf(&filled, "%.*s", *p == '@' ? (int)strlen(f->schema) : 1, *p == '@' ? f->schema : p);
    const char *statement = cv_arena_copy_z(&f->arena, cv_buf_take(&filled, &f->arena));
    cv_postgres_rows(cv_postgres_add(&batch, "test", statement), see_texts, &seen);
    assert_int_equal(cv_postgres_run_again(f->c, &batch, &f->err), CV_POSTGRES_OK);
    return cv_buf_take(&seen, &f->arena);
}

static cv_record *open_it(fixture *f)
{
    return board_postgres(&f->arena, f->address, f->seen, &f->err);
}

static void write_to(fixture *f, const char *scope, const char *op_id)
{
    cv_record *record = open_it(f);
    assert_int_equal(board_write(record, &f->arena, (cv_scope_id){CV_STR("board"), cv_str_of(scope)}, op_id, &f->err),
                     CV_WRITE_DONE);
    cv_record_close(record);
}

static void back_up(fixture *f, const char *address, const char *path)
{
    cv_record *record = board_postgres(&f->arena, address, NULL, &f->err);
    record->types = &f->types;
    assert_ok(record->calls->backup(record, path, &f->err), &f->err);
    cv_record_close(record);
}

/* A record with the board "bread", a backup of it, and then the board "wine". */
static int set_up_on(void **state, const char *more)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}, .types = all_types};
    const char *server = cv_test_postgres_run(&f.arena, "shared --owner %d", (int)getpid());
    cv_postgres_address address;
    f.folder = board_folder(&f.arena);
    f.schema = cv_test_postgres_schema(&f.arena);
    f.address = cv_arena_printf(&f.arena, "%s&schema=%s%s", server, f.schema, more).p;
    f.seen = cv_arena_printf(&f.arena, "%s/seen", f.folder).p;
    f.backup = cv_arena_printf(&f.arena, "%s/monday", f.folder).p;
    f.types.sqlite = board_schema_of(&f.arena, BOARD_SQL);
    f.types.postgres = board_postgres_schema();
    assert_ok(cv_postgres_address_parse(&f.arena, cv_str_of(f.address), &address, &f.err), &f.err);
    f.c = cv_postgres_new(&f.arena, &address);
    write_to(&f, "bread", "b1");
    back_up(&f, f.address, f.backup);
    write_to(&f, "wine", "w1");
    *state = &f;
    return 0;
}

static int set_up(void **state)
{
    return set_up_on(state, "");
}

static int set_up_parts(void **state)
{
    return set_up_on(state, "&partitions=3&pipeline=off");
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_postgres_close(f->c);
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

static bool swap(fixture *f, const char *from, void (*step)(void *ctx), void *ctx)
{
    const char *path = cv_arena_printf(&f->arena, "%s/conclave.db", f->folder).p;
    cv_swap s = {.arena = &f->arena,
                 .store = {.address = cv_str_of(f->address), .path = path, .seen = f->seen},
                 .types = &f->types,
                 .step = step,
                 .ctx = ctx};
    const char *stamp = cv_arena_printf(&f->arena, "20260214T093000Z-%d-%d", (int)getpid(), f->swaps++).p;
    cv_buf_release(&f->lost);
    f->lost = (cv_buf){0};
    f->err = (cv_err){.arena = &f->arena};
    bool ok = cv_swap_copy(&s, from, &f->err) && cv_swap_begin(&s, &f->err);
    if (ok && s.present)
        ok = cv_swap_lost(&s, tell_loss, &f->lost, &f->err);
    ok = ok && cv_swap_commit(&s, stamp, &f->err);
    f->kept = s.kept_address;
    cv_swap_end(&s);
    return ok;
}

static bool add_name(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    (void)at, (void)err;
    cv_buf_printf(ctx, "%.*s ", CV_FMT(scope.name));
    return true;
}

/* "bread wine ": the scopes of a record that is whole. */
static cv_str scopes_at(fixture *f, const char *address)
{
    cv_buf names = {0};
    cv_record *record = board_postgres(&f->arena, address, NULL, &f->err);
    assert_ok(record->calls->check(record, &f->arena, &f->err), &f->err);
    assert_ok(record->calls->scopes(record, CV_STR("board"), CV_STR(""), 0, add_name, &names, &f->err), &f->err);
    cv_record_close(record);
    return cv_buf_take(&names, &f->arena);
}

static cv_str restoring(fixture *f)
{
    return sql(f, "SELECT nspname::text FROM pg_namespace WHERE nspname = '@_restoring'");
}

/* ---- whole ---------------------------------------------------------------------------------------------------------
 */

static void a_backup_is_put_back_and_that_is_undone(void **state)
{
    fixture *f = *state;
    cv_watermark_state mark;
    const char *other = cv_arena_printf(&f->arena, "%s/kept", f->folder).p;
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "board/wine 1 0, ");
    assert_str_eq(scopes_at(f, f->address), "bread ");
    assert_str_eq(restoring(f), "");
    cv_record *record = open_it(f); /* what was seen before is not missed */
    assert_ok(record->calls->acknowledged(record, &f->arena, &mark, &f->err), &f->err);
    assert_int_equal(mark, CV_WATERMARK_THERE);
    cv_record_close(record);
    write_to(f, "bread", "b2");
    assert_str_eq(scopes_at(f, cv_arena_copy_z(&f->arena, f->kept)), "bread wine ");
    back_up(f, cv_arena_copy_z(&f->arena, f->kept), other);
    assert_ok(swap(f, other, NULL, NULL), &f->err);
    assert_str_eq(cv_buf_str(&f->lost), "board/bread 2 1, ");
    assert_str_eq(scopes_at(f, f->address), "bread wine ");
}

static void a_record_in_parts_stays_in_parts(void **state)
{
    fixture *f = *state;
    const char *parts = "SELECT count(*)::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent "
                        "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                        "WHERE n.nspname = '@' AND c.relname = 'events'";
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
    assert_str_eq(sql(f, parts), "3 ");
    assert_str_eq(scopes_at(f, f->address), "bread ");
}

/* A schema that is gone leaves nothing to keep, and what was seen of it is missing. */
static void a_record_that_is_gone_is_there_again(void **state)
{
    fixture *f = *state;
    sql(f, "DROP SCHEMA @ CASCADE");
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err);
    assert_int_equal(f->kept.n, 0);
    assert_str_eq(scopes_at(f, f->address), "bread ");
}

/* ---- what is not ours ----------------------------------------------------------------------------------------------
 */

static void nobody_elses_schema_is_touched(void **state)
{
    fixture *f = *state;
    sql(f, "CREATE SCHEMA @_restoring");
    sql(f, "CREATE TABLE @_restoring.things (a int)");
    assert_fails(swap(f, f->backup, NULL, NULL), &f->err, CV_ERR_STORE);
    assert_str_has(f->err.message, "no restore has made it");
    assert_str_eq(sql(f, "SELECT count(*)::text FROM @_restoring.things"), "0 ");
    sql(f, "ALTER SCHEMA @_restoring RENAME TO @_other");
    sql(f, "DROP SCHEMA @ CASCADE");
    sql(f, "ALTER SCHEMA @_other RENAME TO @");
    assert_fails(swap(f, f->backup, NULL, NULL), &f->err, CV_ERR_SCHEMA);
    assert_str_eq(sql(f, "SELECT count(*)::text FROM @.things"), "0 ");
    assert_str_eq(restoring(f), "");
}

static void try_another(void *ctx)
{
    static int calls;
    static bool inside;
    fixture *f = ctx;
    fixture other = *f;
    if (inside || ++calls != 4) /* the schema is filled and held */
        return;
    inside = true;
    other.lost = (cv_buf){0};
    other.arena = (cv_arena){0};
    assert_fails(swap(&other, f->backup, NULL, NULL), &other.err, CV_ERR_BUSY);
    assert_str_has(other.err.message, "another restore of this record is under way");
    cv_buf_release(&other.lost);
    cv_arena_release(&other.arena);
}

static void of_two_restores_at_once_one_waits_and_is_refused(void **state)
{
    fixture *f = *state;
    assert_ok(swap(f, f->backup, try_another, f), &f->err);
    assert_str_eq(scopes_at(f, f->address), "bread ");
    assert_str_eq(restoring(f), "");
}

/* ---- killed at each step -------------------------------------------------------------------------------------------
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
        killed = swap_and_kill(f, n);
        cv_str now = scopes_at(f, f->address);
        cv_str kept =
            sql(f, "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE left('@', 16) || '%_before_restore_%'");
        if (cv_str_eq(now, CV_STR("bread wine "))) {
            old++;
            assert_str_eq(kept, "");
            continue;
        }
        new ++;
        assert_str_eq(now, "bread ");
        kept = cv_str_trim(kept);
        cv_postgres_address address = f->c->address;
        const char *of_kept = cv_arena_copy_z(
            &f->arena, cv_postgres_address_of_schema(&f->arena, &address, cv_arena_copy_z(&f->arena, kept)));
        assert_str_eq(scopes_at(f, of_kept), "bread wine ");
        sql(f, cv_arena_printf(&f->arena, "DROP SCHEMA %.*s CASCADE", CV_FMT(kept)).p);
        unlink(f->seen);
        write_to(f, "wine", "w1"); /* as before, for the next one */
    }
    assert_true(old >= 4 && new >= 3);
    assert_ok(swap(f, f->backup, NULL, NULL), &f->err); /* which removes what was left */
    assert_str_eq(restoring(f), "");
}

/* ---- writers meanwhile ---------------------------------------------------------------------------------------------
 */

enum { WRITERS = 3, SWAPS = 4, SWAPS_SOAK = 60 };

/* Makes boards through a handle that stays open, and tells those that were acknowledged. */
static _Noreturn void write_until_killed(fixture *f, int writer, int told)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cv_record *record = board_postgres(&a, f->address, NULL, &err);
    for (int i = 0;; i++) {
        char id[32] = {0};
        snprintf(id, sizeof id, "w%d-%d", writer, i);
        cv_arena turn = {0};
        cv_err why = {.arena = &turn};
        cv_write_result done = board_write(record, &turn, (cv_scope_id){CV_STR("board"), cv_str_of(id)}, id, &why);
        if (done == CV_WRITE_DONE && write(told, id, sizeof id) != sizeof id)
            _exit(4);
        if (done == CV_WRITE_FAILED) {
            print_error("%.*s\n", CV_FMT(cv_err_text(&why)));
            _exit(5);
        }
        cv_arena_release(&turn);
    }
}

static void note_scopes(fixture *f, const char *address, cv_map *found)
{
    cv_str all = scopes_at(f, address), name;
    while (cv_str_split(&all, ' ', &name))
        *cv_map_put(found, &f->arena, name, NULL) = 1;
}

/* The row that a writer has made to lock it is gone when it comes to lock it: the record was replaced between the two.
 */
static void what_cannot_be_locked_is_not_written(void **state)
{
    fixture *f = *state;
    sql(f, "CREATE FUNCTION @.leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
    sql(f, "CREATE TRIGGER leave_out BEFORE INSERT ON @.scopes FOR EACH ROW EXECUTE FUNCTION @.leave_out()");
    cv_record *record = open_it(f);
    assert_int_equal(board_write(record, &f->arena, BOARD("beer"), "o", &f->err), CV_WRITE_BUSY);
    assert_str_eq(sql(f, "SELECT count(*)::text FROM @.commits WHERE op_id = 'o'"), "0 ");
    sql(f, "DROP TRIGGER leave_out ON @.scopes");
    assert_int_equal(board_write(record, &f->arena, BOARD("beer"), "o", &f->err), CV_WRITE_DONE);
    cv_record_close(record);
    assert_str_eq(scopes_at(f, f->address), "beer bread wine ");
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
        note_scopes(f, cv_arena_copy_z(&f->arena, f->kept), &found);
    }
    for (int i = 0; i < WRITERS; i++) {
        kill(writers[i], SIGKILL);
        waitpid(writers[i], &status, 0);
        assert_true(WIFSIGNALED(status));
    }
    note_scopes(f, f->address, &found);
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
        cmocka_unit_test_setup_teardown(a_record_in_parts_stays_in_parts, set_up_parts, tear_down),
        TEST(a_record_that_is_gone_is_there_again),
        TEST(nobody_elses_schema_is_touched),
        TEST(of_two_restores_at_once_one_waits_and_is_refused),
        TEST(killed_it_leaves_the_old_record_or_the_new_one),
        TEST(what_cannot_be_locked_is_not_written),
        TEST(no_write_that_was_acknowledged_is_lost),
    };
    return cmocka_run_group_tests_name("postgres_swap", tests, NULL, NULL);
}
