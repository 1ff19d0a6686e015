/* test_damage.c - a record whose columns hold anything: every operation answers with JSON or says what is wrong.
 *
 * Tables and columns come from the live schema. One value is put into one row, past everything that protects the
 * tables; then every operation is asked in a process of its own. What counts is that it lives, that its answer is JSON,
 * and that a refusal has its reasons. The seed of the run chooses the value and the row of each column; CV_SOAK puts
 * every value into every row.
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

/* What stands where something else is expected, as SQL. */
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

typedef struct {
    cv_arena arena;
    const char *folder, *path;
    char *doing;  /* shared with the child: what it was about when it ended */
    cv_str bytes; /* of the database, sound but unprotected */
    sqlite3 *db;
    uint64_t seed; /* of the column whose turn it is */
    struct {
        cv_str *items; /* "table.column" */
        size_t count, capacity;
    } columns;
} fixture;

enum { DOING = 4096 };

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

static int keep_column(void *ctx, int count, char **texts, char **names)
{
    (void)count, (void)names;
    fixture *f = ctx;
    *CV_PUSH(&f->arena, &f->columns) = cv_arena_printf(&f->arena, "%s.%s", texts[0], texts[1]);
    return 0;
}

static int keep_statement(void *ctx, int count, char **texts, char **names)
{
    (void)count, (void)names;
    cv_buf_printf(ctx, "%s;", texts[0]);
    return 0;
}

/* Every row gets a number, by which it is found again whatever becomes of its key. */
static void number_rows(fixture *f)
{
    cv_buf sql = {0};
    sqlite3_exec(
        f->db,
        "SELECT 'ALTER TABLE \"' || m.name || '\" ADD COLUMN row_number INT; UPDATE \"' || m.name || '\" SET "
        "row_number = (SELECT count(*) FROM \"' || m.name || '\" u WHERE (' || group_concat('u.' || c.name) || "
        "') <= (' || group_concat('\"' || m.name || '\".' || c.name) || '))' FROM sqlite_schema m, "
        "pragma_table_info(m.name) c WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE "
        "'sqlite_%' AND m.name NOT LIKE "
        "'search_index%' AND c.pk > 0 GROUP BY m.name",
        keep_statement, &sql, NULL);
    cv_buf_add_char(&sql, '\0');
    run(f->db, sql.p);
    cv_buf_release(&sql);
}

/* Nothing protects the tables any more. */
static void unprotect(fixture *f)
{
    cv_buf drops = {0};
    assert_int_equal(sqlite3_open(f->path, &f->db), SQLITE_OK);
    sqlite3_exec(f->db, "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'", keep_statement,
                 &drops, NULL);
    cv_buf_add_char(&drops, '\0');
    run(f->db, drops.p);
    cv_buf_release(&drops);
    run(f->db, "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
    sqlite3_exec(f->db,
                 "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND "
                 "m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'search_index%' "
                 "ORDER BY m.name, c.cid",
                 keep_column, f, NULL);
    assert_true(f->columns.count > 100);
    number_rows(f);
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
    f.doing = mmap(NULL, DOING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unprotect(&f);
    assert_int_equal(sqlite3_close(f.db), SQLITE_OK);
    f.bytes = cv_test_read(&f.arena, f.path);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    munmap(f->doing, DOING);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1767323045678;
}

/* In the child: true when all that was said is JSON in UTF-8. */
static bool ask(const fixture *f, cv_record *record, size_t i)
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
    bool done = cv_op_call(op, &call);
    if (!done) {
        cv_json_writer w = {.out = &out};
        cv_errs_print_json(errs.items, errs.count, op->flags & CV_OP_BATCH, &w);
    }
    cv_str text = cv_buf_str(&out);
    bool ok = cv_utf8_valid(text) == text.n && cv_json_parse(&a, text, &answer, &err);
    if (!ok)
        print_error("%s\n%s %s is no JSON: %.*s\n%.*s\n", f->doing, done ? "the answer of" : "the refusal of",
                    requests[i].verb, CV_FMT(cv_err_text(&err)), CV_FMT(cv_str_head(text, 2000)));
    cv_buf_release(&out);
    cv_arena_release(&a);
    return ok;
}

/* The values of a column, in the order of row_number. */
static size_t keep_values(const fixture *f, cv_arena *a, cv_str table, cv_str column, sqlite3_value ***ret_values)
{
    struct {
        sqlite3_value **items;
        size_t count, capacity;
    } kept = {0};
    sqlite3_stmt *st;
    cv_str sql = cv_arena_printf(a, "SELECT \"%.*s\" FROM \"%.*s\" ORDER BY row_number", CV_FMT(column), CV_FMT(table));
    assert_int_equal(sqlite3_prepare_v2(f->db, sql.p, -1, &st, NULL), SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        *CV_PUSH(a, &kept) = sqlite3_value_dup(sqlite3_column_value(st, 0));
    sqlite3_finalize(st);
    *ret_values = kept.items;
    return kept.count;
}

/* In the child: one value in the rows of a column, one after the other, and back again. */
static bool damage(const fixture *f, cv_record *record, cv_str table, cv_str column, const char *value)
{
    cv_arena a = {0};
    sqlite3_value **kept;
    bool ok = true;
    size_t count = keep_values(f, &a, table, column, &kept);
    for (size_t i = 0; i < count; i++) {
        bool meant = cv_test_soak() || i == f->seed % count;
        snprintf(f->doing, DOING, "UPDATE OR IGNORE \"%.*s\" SET \"%.*s\" = %s WHERE row_number = %zu", CV_FMT(table),
                 CV_FMT(column), value, i + 1);
        bool changed =
            meant && sqlite3_exec(f->db, f->doing, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(f->db) > 0;
        size_t said = strlen(f->doing);
        for (size_t r = 0; changed && r < CV_COUNT(requests); r++) {
            snprintf(f->doing + said, DOING - said, ": %s", requests[r].verb);
            ok = ask(f, record, r) && ok;
        }
        sqlite3_stmt *st;
        cv_str sql = cv_arena_printf(&a, "UPDATE \"%.*s\" SET \"%.*s\" = ? WHERE row_number = %zu", CV_FMT(table),
                                     CV_FMT(column), i + 1);
        if (changed && sqlite3_prepare_v2(f->db, sql.p, -1, &st, NULL) == SQLITE_OK) {
            sqlite3_bind_value(st, 1, kept[i]);
            ok = sqlite3_step(st) == SQLITE_DONE && ok;
            sqlite3_finalize(st);
        }
        sqlite3_value_free(kept[i]);
    }
    cv_arena_release(&a);
    return ok;
}

static int in_child(fixture *f, cv_str place)
{
    cv_str table = place, column;
    cv_str_split(&table, '.', &column);
    cv_str swap = table;
    table = column, column = swap;
    cv_record *record;
    cv_err err = {.arena = &f->arena};
    bool ok = true;
    sqlite3_open(f->path, &f->db);
    sqlite3_exec(f->db, "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (!cv_record_open(&f->arena, f->path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record,
                        &err))
        return 3;
    for (size_t i = 0; i < CV_COUNT(values); i++)
        if (cv_test_soak() || i == f->seed % CV_COUNT(values))
            ok = damage(f, record, table, column, values[i]) && ok;
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

static void every_operation_lives_with_damaged_rows(void **state)
{
    fixture *f = *state;
    size_t bad = 0;
    cv_test_random random = {cv_test_seed()};
    setenv("CV_CHECK_REPLIES", "", 1); /* damaged values need not fit the schemas of answers */
    for (size_t i = 0; i < f->columns.count; i++) {
        cv_str place = f->columns.items[i];
        int status;
        f->seed = cv_test_next(&random) >> 1;
        restore(f);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(in_child(f, place));
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            print_error("%.*s: status %#x after %s\n", CV_FMT(place), (unsigned)status, f->doing);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operation_lives_with_damaged_rows, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
