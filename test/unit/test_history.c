/* test_history.c - what the tables of a record refuse to every writer: history is only added to, keys stay, and
 * nothing goes. Every column of every type is tried, on a dialogue that has rows of all of them. */
#include "sample.h"

#include "kit/room.h"
#include "ops/op.h"
#include "record/sqlite/engine.h"

typedef struct {
    cv_sample sample;
    sqlite3 *db; /* with the settings of the record */
    size_t tried;
} fixture;

/* Something of the project's own. */
static void ask(cv_sample *s, const char *operation, const char *input)
{
    cv_err err = {.arena = &s->arena};
    cv_json tree;
    cv_buf out = {0};
    cv_call call = s->call;
    call.input = &tree;
    call.input_text = cv_str_of(input);
    call.out = &out;
    assert_ok(cv_json_parse(&s->arena, call.input_text, &tree, &err), &err);
    assert_true(cv_op_call(cv_op_called(cv_str_of(operation)), &call));
    cv_buf_release(&out);
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){0};
    cv_sample_make(&f.sample);
    f.db = ((cv_sqlite_record *)f.sample.record)->s->db;
    ask(&f.sample, "agent add", "{\"agent_id\":\"Muffin\"}");
    ask(&f.sample, "agent alias", "{\"agent_id\":\"Muffin\",\"aliases\":[\"baker\"]}");
    ask(&f.sample, "token add", "{\"agent_id\":\"Muffin\"}");
    ask(&f.sample, "agent commands", "{\"agent_id\":\"Muffin\",\"set\":[{\"command\":\"run_test\"}]}");
    ask(&f.sample, "mail plan",
        "{\"from\":\"Muffin\",\"plan\":\"p\",\"tasks\":[{\"task_id\":\"a\",\"action\":\"A\",\"target_agent\":"
        "\"Muffin\"},"
        "{\"task_id\":\"b\",\"action\":\"B\",\"target_agent\":\"Muffin\",\"depends_on\":[\"a\"]}]}");
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_sample_close(&f->sample);
    return 0;
}

/* Runs it and takes it back; NULL: it was done, and changed something. */
static const char *attempt(fixture *f, const char *sql)
{
    const char *refused = NULL;
    f->tried++;
    assert_int_equal(sqlite3_exec(f->db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        refused = cv_arena_copy_z(&f->sample.arena, cv_str_of(sqlite3_errmsg(f->db)));
    else if (sqlite3_changes(f->db) == 0)
        fail_msg("there is no such row: %s", sql);
    sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
    return refused;
}

/* By a rule of ours: it has a sentence. */
static void assert_kept(fixture *f, const char *sql)
{
    const char *why = attempt(f, sql);
    if (!why || (!strstr(why, "never") && !strstr(why, "rises by one")))
        fail_msg("%s: %s", sql, why ? why : "was done");
}

static void assert_done(fixture *f, const char *sql)
{
    const char *why = attempt(f, sql);
    if (why)
        fail_msg("%s: %s", sql, why);
}

static const char *update(fixture *f, const cv_type *type, cv_str column, const char *value)
{
    return cv_arena_printf(&f->sample.arena, "UPDATE %s SET \"%.*s\" = %s", type->table, CV_FMT(column), value).p;
}

/* A verdict has events of its own, like what may change, and does not change. */
static bool is_fixed(const cv_type *type)
{
    return type->life == CV_ADDED || type == &cv_rec_verdict_type;
}

static void try_column(fixture *f, const cv_type *type, const cv_type_field *field, bool key)
{
    const char *other = cv_field_is_int(field) ? "1000" : "'another text'";
    if (key || is_fixed(type))
        assert_kept(f, update(f, type, field->name, other));
    else
        assert_done(f, update(f, type, field->name, other));
    if (!is_fixed(type) || field->role != CV_LONG)
        return;
    assert_kept(f, update(f, type, field->name, "'{\"redacted_sha256\":'"));
    assert_done(f, update(f, type, field->name, "'{\"redacted_sha256\":\"00\"}'"));
}

static int64_t count(fixture *f, const char *sql)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(f->db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t found = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return found;
}

/* A table without a row in the sample cannot be tried: it has the rules as well. */
static void try_type(fixture *f, const cv_type *type)
{
    cv_arena *a = &f->sample.arena;
    if (count(f, cv_arena_printf(a, "SELECT count(*) FROM %s", type->table).p) == 0) {
        assert_true(
            count(f, cv_arena_printf(a, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '%s'",
                                     type->table)
                         .p) > 0);
        return;
    }
    assert_kept(f, cv_arena_printf(a, "DELETE FROM %s", type->table).p);
    assert_kept(f,
                cv_arena_printf(a, "INSERT OR REPLACE INTO %s SELECT * FROM %s LIMIT 1", type->table, type->table).p);
    assert_kept(f, update(f, type, CV_STR("scope"), "99"));
    if (is_fixed(type))
        assert_kept(f, update(f, type, CV_STR("rev"), "99"));
    for (size_t i = 0; i < type->field_count; i++)
        try_column(f, type, &type->fields[i], i < type->key_count);
}

static void history_is_only_added_to(void **state)
{
    fixture *f = *state;
    try_type(f, &cv_event_row_type);
    try_type(f, &cv_commit_row_type);
    for (size_t i = 0; i < cv_program_types.count; i++)
        for (size_t k = 0; k < cv_program_types.rooms[i]->count; k++)
            if (cv_program_types.rooms[i]->types[k]->life != CV_VOLATILE)
                try_type(f, cv_program_types.rooms[i]->types[k]);
    assert_true(f->tried > 180);
}

static void scopes_go_on(void **state)
{
    fixture *f = *state;
    static const char *const kept[] = {
        "DELETE FROM scopes",
        "INSERT OR REPLACE INTO scopes SELECT * FROM scopes",
        "UPDATE scopes SET number = 99",
        "UPDATE scopes SET room = 'x'",
        "UPDATE scopes SET name = 'x'",
        "UPDATE scopes SET rev = rev + 2",
        "UPDATE scopes SET rev = rev",
        "UPDATE scopes SET rev = rev - 1",
        "UPDATE commits SET number = 99",
        "DELETE FROM schema_migrations",
        "INSERT OR REPLACE INTO schema_migrations SELECT * FROM schema_migrations",
    };
    for (size_t i = 0; i < CV_COUNT(kept); i++)
        assert_kept(f, kept[i]);
    assert_done(f, "UPDATE scopes SET rev = rev + 1, head = 'x', event_count = event_count + 1");
}

/* What must be there, what must be one of a kind, and that a row belongs to a scope. */
static void rows_are_whole(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *sql, *why;
    } cases[] = {
        {"UPDATE rounds SET rev = 0", "CHECK"},
        {"UPDATE rounds SET status = NULL", "NOT NULL"},
        {"UPDATE rounds SET score = 'much'", "cannot store TEXT"},
        {"UPDATE entities SET label = NULL", "NOT NULL"},
        {"INSERT INTO rounds SELECT 99, round, rev, title, score, score_components, status, created_at, completed_at,"
         " summary FROM rounds LIMIT 1",
         "FOREIGN KEY"},
        {"INSERT INTO rounds SELECT * FROM rounds LIMIT 1", "UNIQUE"},
        {"INSERT INTO events SELECT * FROM events LIMIT 1", "UNIQUE"},
        {"INSERT INTO commits SELECT 99, scope, rev, 'other', operation, digest, created_at, head, result FROM commits"
         " LIMIT 1",
         "UNIQUE"}, /* a second write of the same rev */
        {"INSERT INTO commits SELECT 99, scope, 99, op_id, operation, digest, created_at, head, result FROM commits"
         " LIMIT 1",
         "UNIQUE"}, /* … with the same op_id */
        {"INSERT INTO scopes SELECT 99, room, name, rev, head, event_count FROM scopes", "UNIQUE"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        const char *why = attempt(f, cases[i].sql);
        if (!why || !strstr(why, cases[i].why))
            fail_msg("%s: %s", cases[i].sql, why ? why : "was done");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(history_is_only_added_to), TEST(scopes_go_on), TEST(rows_are_whole)};
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
