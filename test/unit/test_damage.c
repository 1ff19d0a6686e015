/* test_damage.c - a record whose columns hold anything: every operation answers with JSON or says what is wrong.
 *
 * Tables and columns come from the live schema, which stays as it is. One value is put into one row, past everything
 * that protects the tables; then every operation is asked in a process of its own. What counts is that it lives, that
 * its answer is JSON, and that a refusal has its reasons. `verify` is asked twice, the second time as if the engine had
 * found nothing: its own steps must live with such rows as well. The seed of the run chooses the row of each column and
 * the value, or the next one that the table takes; CV_SOAK puts every value into every row.
 */
#include "sample.h"

#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/err_json.h"
#include "base/file.h"
#include "base/utf8.h"
#include "kit/room.h"
#include "ops/op.h"
#include "record/sql.h"

/* What is where something else is expected, as SQL. */
static const char *const values[] = {
    "NULL",
    "''",
    "'x'",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "1e300",
    "x'ff00fe'",
    "CAST(x'61ff62' AS TEXT)",
    "'{'",
    "'[1,'",
    "'[]'",
    "'{}'",
    "'[[[1]]]'",
    "'\"x\"'",
    "'[\"x\",1,null]'",
    "'9999-99-99'",
    "printf('%.5000c', 'x')",
    "'null'",
    "0",
};

/* Requests with the words of the sample; those who write insist on a rev that will not come. */
static const struct {
    const char *room, *verb, *input;
} requests[] = {
#define ID "{\"dialogue_id\":\"nvidia-decision\""
    {"dialogue", "list", "{}"},
    {"dialogue", "get", ID "}"},
    {"dialogue", "progress", ID "}"},
    {"dialogue", "scoreboard", ID "}"},
    {"dialogue", "expand", ID ",\"ids\":[\"P0001\",\"T0001\",\"R0001\",\"E0001\",\"C0001\",\"P0101\"]}"},
    {"dialogue", "history", ID "}"},
    {"dialogue", "graph", ID "}"},
    {"dialogue", "compare", "{\"dialogue_ids\":[\"nvidia-decision\",\"nvidia-decision\"]}"},
    {"dialogue", "stats", "{}"},
    {"dialogue", "search", "{\"query\":\"collar\"}"},
    {"dialogue", "similar", "{\"question\":\"Is the income collar right?\"}"},
    {"dialogue", "transcript", ID "}"},
    {"dialogue", "round-context", ID "}"},
    {"dialogue", "round-prompts", ID ",\"write\":false}"},
    {"dialogue", "round-verify", ID "}"},
    {"dialogue", "draft", ID "}"},
    {"dialogue", "panel-sample", ID "}"},
    {"dialogue", "export", ID ",\"output_path\":\"-\"}"},
    {"", "verify", "{}"},
    {"dialogue", "respond", ID ",\"round\":3,\"expert_slug\":\"muffin\",\"content\":\"x\",\"expect_rev\":99}"},
    {"dialogue", "round-register", ID ",\"round\":3,\"score\":1,\"expect_rev\":99}"},
    {"dialogue", "update", ID ",\"updates\":[{\"id\":\"R0001\",\"label\":\"x\",\"reason\":\"y\"}],\"expect_rev\":99}"},
    {"dialogue", "verdict-register",
     ID ",\"verdict_id\":\"late\",\"verdict_type\":\"dissent\",\"author_expert\":\"muffin\",\"recommendation\":\"r\","
        "\"description\":\"d\",\"expect_rev\":99}"},
    {"dialogue", "expert-create",
     ID ",\"expert_slug\":\"zebra\",\"role\":\"r\",\"tier\":\"Adjacent\",\"reason\":\"r\",\"expect_rev\":99}"},
    {"dialogue", "abandon", ID ",\"reason\":\"r\",\"expect_rev\":99}"},
};

enum { DOING = 4096 };

typedef struct {
    cv_str table, column;
    cv_str key; /* "scope", "seq": the columns of the table's key */
} place;

/* Shared with the child. */
typedef struct {
    char doing[DOING];    /* what it was about when it ended */
    size_t damaged, told; /* values that were put into a row; those of them that verify told by their dialogue */
} shared;

typedef struct {
    cv_arena arena;
    const char *folder, *path;
    shared *child;
    cv_str bytes; /* of the database, sound */
    sqlite3 *db;
    uint64_t seed; /* of the column whose turn it is */
    struct {
        place *items;
        size_t count, capacity;
    } columns;
} fixture;

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* Nothing protects the tables from this connection. */
static sqlite3 *open_raw(const fixture *f)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    run(db, "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF");
    return db;
}

static int keep_column(void *ctx, int count, char **texts, char **names)
{
    (void)count, (void)names;
    fixture *f = ctx;
    *CV_PUSH(&f->arena, &f->columns) =
        (place){cv_arena_printf(&f->arena, "\"%s\"", texts[0]), cv_arena_printf(&f->arena, "\"%s\"", texts[1]),
                cv_arena_printf(&f->arena, "%s", texts[2])};
    return 0;
}

/* Every column of every table with rows, except for those that keep the words of the search index. */
static void list_columns(fixture *f)
{
    f->db = open_raw(f);
    sqlite3_exec(f->db,
                 "SELECT m.name, c.name, (SELECT group_concat('\"' || k.name || '\"') FROM pragma_table_info(m.name) k "
                 "WHERE k.pk > 0) FROM pragma_table_list m, pragma_table_info(m.name) c WHERE m.schema = 'main' AND "
                 "m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid",
                 keep_column, f, NULL);
    assert_true(f->columns.count > 100);
    assert_int_equal(sqlite3_close(f->db), SQLITE_OK);
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){0};
    cv_sample s;
    cv_sample_make(&s);
    cv_record_close(s.record);
    s.record = NULL;
    f.folder = cv_test_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/damaged.db", f.folder).p;
    cv_err err = {.arena = &f.arena};
    assert_ok(cv_file_write(f.path, cv_test_read(&f.arena, s.path), &err), &err);
    cv_sample_close(&s);
    f.child = mmap(NULL, sizeof *f.child, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    list_columns(&f);
    f.bytes = cv_test_read(&f.arena, f.path);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    munmap(f->child, sizeof *f->child);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1767323045678;
}

static bool all_is_well(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)record, (void)a, (void)err;
    return true;
}

/* In the child: true when all that was said is JSON in UTF-8. `unchecked`: the engine is not asked whether the database
 * is whole. */
static bool ask(const fixture *f, cv_record *record, size_t i, bool unchecked)
{
    cv_arena a = {0};
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_err err = {.arena = &a};
    cv_json input, answer;
    cv_call call = {.arena = &a,
                    .record = record,
                    .clock = {noon, NULL},
                    .root = f->folder,
                    .for_people = true,
                    .input = &input,
                    .input_text = cv_str_of(requests[i].input),
                    .out = &out,
                    .errs = &errs,
                    .name = cv_op_command};
    assert_ok(cv_json_parse(&a, call.input_text, &input, &err), &err);
    const cv_operation *op = cv_op_find(cv_str_of(requests[i].room), cv_str_of(requests[i].verb));
    cv_record_calls calls = *record->calls;
    const cv_record_calls *real = record->calls;
    calls.check = unchecked ? all_is_well : calls.check;
    record->calls = &calls;
    bool done = cv_op_call(op, &call);
    record->calls = real;
    if (!done && unchecked && cv_str_starts(errs.items[0].message, CV_STR("dialogue '")))
        f->child->told++;
    if (!done) {
        cv_json_writer w = {.out = &out};
        cv_errs_print_json(errs.items, errs.count, op->flags & CV_OP_BATCH, &w);
    }
    cv_str text = cv_buf_str(&out);
    bool ok = cv_utf8_valid(text) == text.n && cv_json_parse(&a, text, &answer, &err);
    if (!ok)
        print_error("%s\n%s %s is no JSON: %.*s\n%.*s\n", f->child->doing, done ? "the answer of" : "the refusal of",
                    requests[i].verb, CV_FMT(cv_err_text(&err)), CV_FMT(cv_str_head(text, 2000)));
    cv_buf_release(&out);
    cv_arena_release(&a);
    return ok;
}

/* In the child: one value in one row of a column, and the table as it was again. False in *ret_changed: the table does
 * not take the value. */
static bool damage(const fixture *f, cv_record *record, const place *p, const char *value, size_t row,
                   bool *ret_changed)
{
    char *doing = f->child->doing;
    bool ok = true;
    snprintf(doing, DOING,
             "UPDATE OR IGNORE main.%.*s SET %.*s = %s WHERE (%.*s) = (SELECT %.*s FROM kept ORDER BY %.*s LIMIT 1 "
             "OFFSET %zu)",
             CV_FMT(p->table), CV_FMT(p->column), value, CV_FMT(p->key), CV_FMT(p->key), CV_FMT(p->key), row);
    *ret_changed = sqlite3_exec(f->db, doing, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(f->db) > 0;
    if (!*ret_changed)
        return true;
    f->child->damaged++;
    size_t said = strlen(doing);
    for (size_t r = 0; r < CV_COUNT(requests); r++) {
        snprintf(doing + said, DOING - said, ": %s", requests[r].verb);
        ok = ask(f, record, r, false) && ok;
        if (strcmp(requests[r].verb, "verify") == 0)
            ok = ask(f, record, r, true) && ok;
    }
    char sql[512];
    snprintf(sql, sizeof sql, "BEGIN; DELETE FROM main.%.*s; INSERT INTO main.%.*s SELECT * FROM kept; COMMIT",
             CV_FMT(p->table), CV_FMT(p->table));
    return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK && ok;
}

static int count_of(sqlite3 *db)
{
    sqlite3_stmt *st;
    sqlite3_prepare_v2(db, "SELECT count(*) FROM kept", -1, &st, NULL);
    int count = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int(st, 0) : 0;
    sqlite3_finalize(st);
    return count;
}

static int in_child(fixture *f, const place *p)
{
    cv_record *record;
    cv_err err = {.arena = &f->arena};
    bool ok = true, changed = false;
    f->db = open_raw(f);
    run(f->db, cv_arena_printf(&f->arena, "CREATE TEMP TABLE kept AS SELECT * FROM main.%.*s", CV_FMT(p->table)).p);
    size_t rows = (size_t)count_of(f->db), drawn = rows ? f->seed % rows : 0;
    if (!cv_record_open(&f->arena, f->path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record,
                        &err))
        return 3;
    for (size_t i = 0; rows && i < CV_COUNT(values) && (cv_test_soak() || !changed); i++)
        for (size_t row = cv_test_soak() ? 0 : drawn; row < (cv_test_soak() ? rows : drawn + 1); row++)
            ok = damage(f, record, p, values[(f->seed + i) % CV_COUNT(values)], row, &changed) && ok;
    cv_record_close(record);
    sqlite3_close(f->db);
    return ok ? 0 : 1;
}

/* A child that died has left its damage behind. */
static void restore(const fixture *f)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    unlink(cv_arena_printf(&a, "%s-wal", f->path).p);
    unlink(cv_arena_printf(&a, "%s-shm", f->path).p);
    assert_ok(cv_file_write(f->path, f->bytes, &err), &err);
    cv_arena_release(&a);
}

/* In a process of its own; f->seed chooses. True when it lived, and all its answers were JSON. */
static bool lives_with(fixture *f, const place *p)
{
    int status;
    restore(f);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(in_child(f, p));
    waitpid(child, &status, 0);
    bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ok)
        print_error("%.*s.%.*s: status %#x after %s\n", CV_FMT(p->table), CV_FMT(p->column), (unsigned)status,
                    f->child->doing);
    return ok;
}

static void every_operation_lives_with_damaged_rows(void **state)
{
    fixture *f = *state;
    size_t bad = 0;
    cv_test_random random = {cv_test_seed()};
    setenv("CV_CHECK_REPLIES", "", 1);              /* damaged values need not fit the schemas of answers */
    for (size_t i = 0; i < f->columns.count; i++) { /* every column in the soak, else each third time */
        f->seed = cv_test_next(&random) >> 1;
        if (!cv_test_soak() && f->seed % 3)
            continue;
        bad += !lives_with(f, &f->columns.items[i]);
    }
    print_message("# %zu columns, %zu values, %zu told by their dialogue\n", f->columns.count, f->child->damaged,
                  f->child->told);
    assert_int_equal(bad, 0);
    assert_true(f->child->damaged > (cv_test_soak() ? 130 : 25));
    assert_true(f->child->told > (cv_test_soak() ? 100 : 15));
}

/* Revs are counted on from: the first and the last number that there is are the ones that a sample meets seldom. */
static void every_operation_lives_with_any_rev(void **state)
{
    fixture *f = *state;
    size_t bad = 0, revs = 0;
    setenv("CV_CHECK_REPLIES", "", 1);
    for (size_t i = 0; i < f->columns.count; i++) {
        const place *p = &f->columns.items[i];
        if (!cv_str_eq(p->column, CV_STR("\"rev\"")) ||
            !(cv_str_eq(p->table, CV_STR("\"commits\"")) || cv_str_eq(p->table, CV_STR("\"scopes\""))))
            continue;
        revs++;
        for (f->seed = 0; f->seed < CV_COUNT(values); f->seed++)
            bad += !lives_with(f, p);
    }
    assert_int_equal(revs, 2);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operation_lives_with_damaged_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_operation_lives_with_any_rev, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
