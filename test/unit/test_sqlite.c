/* test_sqlite.c - what is SQLite's own: statements, constraints, triggers, opening, migrations, the cost of reading. */
#include "sqlite_testing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "vocab/vocab.h"

/* ---- statements -------------------------------------------------------------------------------- */

static void every_statement_prepares(void **state)
{
    fixture *f = *state;
    open_store(f);
    assert_true(cv_sql_statement_count > 50);
    for (size_t i = 0; i < cv_sql_statement_count; i++) {
        if (!cv_sqlite_use(inside(f), cv_sql_statements[i].name))
            print_error("%s: %s\n", cv_sql_statements[i].name, sqlite3_errmsg(inside(f)->db));
        assert_non_null(inside(f)->cached[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(cv_sql_statements[i].name, cv_sql_statements[k].name);
    }
}

static void assert_parameters(sqlite3_stmt *st, const cv_rec_type *type, size_t first)
{
    assert_int_equal(sqlite3_bind_parameter_count(st), type->field_count - first + 2);
    assert_string_equal(sqlite3_bind_parameter_name(st, 1), ":dialogue_id");
    assert_string_equal(sqlite3_bind_parameter_name(st, 2), ":rev");
    for (size_t i = first; i < type->field_count; i++)
        assert_str_eq(type->fields[i].name, sqlite3_bind_parameter_name(st, (int)(i - first) + 3) + 1);
}

static void assert_columns(sqlite3_stmt *st, const cv_field *fields, size_t count)
{
    assert_int_equal(sqlite3_column_count(st), count + 1);
    assert_string_equal(sqlite3_column_name(st, 0), "rev");
    for (size_t i = 0; i < count; i++)
        assert_str_eq(fields[i].name, sqlite3_column_name(st, (int)i + 1));
}

static void statements_follow_the_field_tables(void **state)
{
    fixture *f = *state;
    open_store(f);
    for (size_t i = 0; i < CV_SQLITE_TABLES; i++) {
        const cv_sqlite_table *t = &cv_sqlite_tables[i];
        const cv_rec_type *type = &cv_rec_types[t->kind];
        assert_true(i == 0 || t->kind >= cv_sqlite_tables[i - 1].kind); /* the order of snapshots */
        assert_parameters(cv_sqlite_use(inside(f), t->put), type, t->letter ? 1 : 0);
        const char *const whole[] = {t->all, t->since, t->about};
        for (size_t k = 0; k < CV_COUNT(whole); k++)
            if (whole[k])
                assert_columns(cv_sqlite_use(inside(f), whole[k]), type->fields, type->field_count);
        assert_int_equal(t->outline != NULL, type->outline_count < type->field_count);
        if (t->outline)
            assert_columns(cv_sqlite_use(inside(f), t->outline), type->outline, type->outline_count);
    }
}

/* An index that no statement asks costs every write and helps nobody. Unique ones are rules. */
static void every_index_is_used(void **state)
{
    fixture *f = *state;
    open_store(f);
    open_raw(f);
    cv_buf plans = {0};
    for (size_t i = 0; i < cv_sql_statement_count; i++) {
        const char *text = cv_sql_statements[i].text;
        if (strncmp(text, "SELECT", 6) != 0)
            continue;
        sqlite3_stmt *st;
        const char *explain = cv_arena_printf(&f->arena, "EXPLAIN QUERY PLAN %s", text).p;
        assert_int_equal(sqlite3_prepare_v2(f->raw, explain, -1, &st, NULL), SQLITE_OK);
        while (sqlite3_step(st) == SQLITE_ROW)
            cv_buf_printf(&plans, "%s: %s\n", cv_sql_statements[i].name, sqlite3_column_text(st, 3));
        sqlite3_finalize(st);
    }
    sqlite3_stmt *st;
    assert_int_equal(
        sqlite3_prepare_v2(f->raw, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'",
                           -1, &st, NULL),
        SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        assert_str_has(cv_buf_str(&plans), (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    /* Whole snapshots walk along the key: only the few rows of a part, the hits of a search, counts,
     * the newest and the schema are sorted in memory. */
    cv_str rest = cv_buf_str(&plans), line;
    while (cv_str_split(&rest, '\n', &line))
        if (!cv_str_starts(line, CV_STR("since_")) && !cv_str_starts(line, CV_STR("about_")) &&
            !cv_str_starts(line, CV_STR("search")) && !cv_str_starts(line, CV_STR("tally_")) &&
            !cv_str_starts(line, CV_STR("list_newest")) && !cv_str_starts(line, CV_STR("schema_")) &&
            cv_str_find(line, CV_STR("TEMP B-TREE")) != SIZE_MAX)
            fail_msg("%.*s", CV_FMT(line));
    /* What is about some ids is found by them, however long the dialogue is. */
    for (rest = cv_buf_str(&plans); cv_str_split(&rest, '\n', &line);)
        if (cv_str_starts(line, CV_STR("about_")) && cv_str_find(line, CV_STR("(dialogue_id=?)")) != SIZE_MAX)
            fail_msg("%.*s", CV_FMT(line));
    cv_buf_release(&plans);
}

/* ---- constraints -------------------------------------------------------------------------------- */

/* One valid row per table, as column=literal. The dialogue 'd', its expert and its round 0 exist. */
static const struct {
    const char *table, *row;
} valid[] = {
    {"dialogues", "dialogue_id='new'|rev=1|title='t'|status='open'|created_at='c'"},
    {"experts", "dialogue_id='d'|expert_slug='scone'|rev=1|role='r'|tier='Core'|source='pool'|created_at='c'"},
    {"panels", "dialogue_id='d'|round=0|expert_slug='muffin'|rev=1|source='retained'"},
    {"rounds", "dialogue_id='d'|round=1|rev=1|score=5|status='open'|created_at='c'"},
    {"scores", "dialogue_id='d'|round=0|expert_slug='muffin'|rev=1|score=5"},
    {"responses", "dialogue_id='d'|round=0|expert_slug='muffin'|rev=1|created_at='c'"},
    {"perspectives",
     "dialogue_id='d'|round=0|seq=1|rev=1|label='l'|contributors='[]'|status='open'|created_at='c'|content=''"},
    {"recommendations",
     "dialogue_id='d'|round=0|seq=1|rev=1|label='l'|contributors='[]'|status='proposed'|created_at='c'|content=''"},
    {"tensions",
     "dialogue_id='d'|round=0|seq=1|rev=1|label='l'|contributors='[]'|status='accepted'|created_at='c'|description=''"},
    {"evidence",
     "dialogue_id='d'|round=0|seq=1|rev=1|label='l'|contributors='[]'|status='cited'|created_at='c'|content=''"},
    {"claims",
     "dialogue_id='d'|round=0|seq=1|rev=1|label='l'|contributors='[]'|status='asserted'|created_at='c'|content=''"},
    {"origins", "dialogue_id='d'|local_id='M-P0001'|rev=1|display_id='P0001'|round=0|range_start=3|range_end=9"},
    {"refs",
     "dialogue_id='d'|source_id='P0001'|ref_type='support'|target_id='T0001'|rev=1|source_type='P'|target_type='T'|"
     "round=0|created_at='c'"},
    {"moves", "dialogue_id='d'|round=0|expert_slug='judge'|seq=1|rev=1|move_type='bridge'|targets='[]'|created_at='c'"},
    {"verdicts", "dialogue_id='d'|verdict_id='v'|rev=1|verdict_type='final'|round=0|recommendation='r'|description='d'|"
                 "created_at='c'"},
    {"events",
     "dialogue_id='d'|event_seq=1|rev=1|subject_type='P'|subject_id='P0001'|event_type='created'|created_at='c'"},
    {"ops", "dialogue_id='d'|op_id='o'|rev=1"},
    {"streams", "stream='other'|last_seq=0"},
    {"stream_messages", "stream='s'|seq=1|message='m'"},
    {"cursors", "stream='s'|reader='r'|seq=0"},
    {"schema_migrations", "version=99|name='n'|checksum='c'|program='p'"},
};

/* Each of these replaces values of the valid row, and the database must refuse the row for this reason. */
static const struct {
    const char *table, *change, *reason;
} violations[] = {
    {"dialogues", "status='closed'", "CHECK"},
    {"dialogues", "calibrated=2", "CHECK"},
    {"dialogues", "strict_convergence=-1", "CHECK"},
    {"dialogues", "dialogue_id=''", "CHECK"},
    {"dialogues", "dialogue_id=printf('%081d', 1)", "CHECK"},
    {"dialogues", "dialogue_id='d'", "UNIQUE"},
    {"dialogues", "title=x'00'", "cannot store BLOB"},
    {"experts", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"experts", "tier='core'", "CHECK"},
    {"experts", "source='retained'", "CHECK"},
    {"experts", "expert_slug='Scone'", "CHECK"},
    {"experts", "expert_slug='-scone'", "CHECK"},
    {"experts", "expert_slug='judge'", "CHECK"},
    {"experts", "expert_slug=printf('%033d', 1)", "CHECK"},
    {"experts", "first_round=100", "CHECK"},
    {"panels", "source='borrowed'", "CHECK"},
    {"panels", "expert_slug='nobody'", "FOREIGN KEY"},
    {"panels", "round=100", "CHECK"},
    {"rounds", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"rounds", "status='done'", "CHECK"},
    {"rounds", "round=100", "CHECK"},
    {"rounds", "round=-1", "CHECK"},
    {"rounds", "score='many'", "cannot store TEXT"},
    {"scores", "round=7", "FOREIGN KEY"},
    {"scores", "expert_slug='nobody'", "FOREIGN KEY"},
    {"responses", "expert_slug='nobody'", "FOREIGN KEY"},
    {"responses", "round=-1", "CHECK"},
    {"origins", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"origins", "display_id='P001'", "CHECK"},
    {"origins", "display_id='P0100'", "CHECK"},
    {"origins", "display_id='X0101'", "CHECK"},
    {"origins", "round=100", "CHECK"},
    {"origins", "range_start=-1", "CHECK"},
    {"origins", "range_end=2", "CHECK"},
    {"refs", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"refs", "source_type='X'|source_id='X0001'", "CHECK"},
    {"refs", "target_type='X'|target_id='X0001'", "CHECK"},
    {"refs", "source_type='R'", "CHECK"},
    {"refs", "target_type='P'", "CHECK"},
    {"refs", "source_id='P1'", "CHECK"},
    {"refs", "source_id='P0000'", "CHECK"},
    {"refs", "target_id='T00001'", "CHECK"},
    {"refs", "source_type='@'|source_id='@'", "CHECK"},
    {"refs", "target_type='@'|target_id='@Muffin'", "CHECK"},
    {"refs", "ref_type='admire'", "CHECK"},
    {"refs", "ref_type='resolve'|target_type='P'|target_id='P0002'", "CHECK"},
    {"refs", "ref_type='reopen'|target_type='@'|target_id='@muffin'", "CHECK"},
    {"refs", "ref_type='address'|target_type='C'|target_id='C0002'", "CHECK"},
    {"refs", "ref_type='refine'", "CHECK"},
    {"refs", "ref_type='refine'|source_type='@'|source_id='@a'|target_type='@'|target_id='@b'", "CHECK"},
    {"refs", "round=100", "CHECK"},
    {"moves", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"moves", "move_type='sing'", "CHECK"},
    {"moves", "round=100", "CHECK"},
    {"moves", "seq=0", "CHECK"},
    {"verdicts", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"verdicts", "verdict_type='last'", "CHECK"},
    {"verdicts", "round=100", "CHECK"},
    {"events", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"events", "event_seq=0", "CHECK"},
    {"events", "subject_type='Q'", "CHECK"},
    {"events", "event_type=''", "CHECK"},
    {"events", "event_type='Created'", "CHECK"},
    {"events", "event_round=100", "CHECK"},
    {"ops", "dialogue_id='nobody'", "FOREIGN KEY"},
    {"streams", "last_seq=-1", "CHECK"},
    {"stream_messages", "stream='none'", "FOREIGN KEY"},
    {"stream_messages", "seq=0", "CHECK"},
    {"cursors", "seq=-1", "CHECK"},
};
static const char *const entities[] = {"perspectives", "recommendations", "tensions", "evidence", "claims"};
static const char *const of_entities[][2] = {
    {"dialogue_id='nobody'", "FOREIGN KEY"},
    {"round=100", "CHECK"},
    {"round=-1", "CHECK"},
    {"seq=0", "CHECK"},
    {"seq=100", "CHECK"},
    {"status='gone'", "CHECK"},
};

static void make_parents(fixture *f)
{
    open_store(f);
    open_raw(f);
    assert_runs(f, "INSERT INTO dialogues (dialogue_id, rev, title, created_at) VALUES ('d', 1, 't', 'c');"
                   "INSERT INTO experts (dialogue_id, expert_slug, rev, role, tier, source, created_at)"
                   " VALUES ('d', 'muffin', 1, 'r', 'Core', 'pool', 'c');"
                   "INSERT INTO rounds (dialogue_id, round, rev, score, created_at) VALUES ('d', 0, 1, 5, 'c');"
                   "INSERT INTO streams VALUES ('s', 1)");
}

static const char *valid_row(const char *table)
{
    for (size_t i = 0; i < COUNT(valid); i++)
        if (strcmp(valid[i].table, table) == 0)
            return valid[i].row;
    fail_msg("no valid row for %s", table);
    return NULL;
}

/* The value of `column` in "a=1|b=2", or an empty view. */
static cv_str value_in(const char *row, cv_str column)
{
    cv_str rest = cv_str_of(row), pair;
    while (cv_str_split(&rest, '|', &pair)) {
        size_t at = cv_str_find_char(pair, '=');
        if (cv_str_eq(cv_str_head(pair, at), column))
            return cv_str_from(pair, at + 1);
    }
    return (cv_str){"", 0};
}

/* INSERT of the valid row with some values changed or added. */
static const char *insert_sql(fixture *f, const char *verb, const char *table, const char *row, const char *change)
{
    cv_buf columns = {0}, values = {0};
    const char *parts[] = {row, change};
    for (size_t p = 0; p < 2; p++) {
        cv_str rest = cv_str_of(parts[p]), pair;
        while (rest.n && cv_str_split(&rest, '|', &pair)) {
            size_t at = cv_str_find_char(pair, '=');
            cv_str column = cv_str_head(pair, at), other = value_in(parts[1 - p], column);
            if (p == 1 && other.n)
                continue;
            cv_str value = other.n ? other : cv_str_from(pair, at + 1);
            cv_buf_printf(&columns, "%s%.*s", columns.n ? ", " : "", CV_FMT(column));
            cv_buf_printf(&values, "%s%.*s", values.n ? ", " : "", CV_FMT(value));
        }
    }
    const char *sql = cv_arena_printf(&f->arena, "%s INTO %s (%.*s) VALUES (%.*s)", verb, table,
                                      CV_FMT(cv_buf_str(&columns)), CV_FMT(cv_buf_str(&values)))
                          .p;
    cv_buf_release(&columns);
    cv_buf_release(&values);
    return sql;
}

static void assert_violates(fixture *f, const char *table, const char *change, const char *reason)
{
    const char *sql = insert_sql(f, "INSERT", table, valid_row(table), change);
    int rc = run(f, sql);
    const char *message = sqlite3_errmsg(f->raw);
    if ((rc & 0xff) != SQLITE_CONSTRAINT || !strstr(message, reason))
        fail_msg("%s\n  %s", sql, message);
}

static void constraints_are_in_force(void **state)
{
    fixture *f = *state;
    make_parents(f);
    for (size_t i = 0; i < COUNT(violations); i++)
        assert_violates(f, violations[i].table, violations[i].change, violations[i].reason);
    for (size_t i = 0; i < COUNT(entities); i++)
        for (size_t k = 0; k < COUNT(of_entities); k++)
            assert_violates(f, entities[i], of_entities[k][0], of_entities[k][1]);
    for (size_t i = 0; i < COUNT(valid); i++) {
        if (value_in(valid[i].row, CV_STR("rev")).n)
            assert_violates(f, valid[i].table, "rev=0", "CHECK");
        cv_str rest = cv_str_of(valid[i].row), pair; /* the columns of a minimal row are those that must be there */
        while (cv_str_split(&rest, '|', &pair)) {
            cv_str column = cv_str_head(pair, cv_str_find_char(pair, '='));
            if (!cv_str_starts(column, CV_STR("range_")))
                assert_violates(f, valid[i].table, cv_arena_printf(&f->arena, "%.*s=NULL", CV_FMT(column)).p,
                                "NOT NULL");
        }
        assert_runs(f, insert_sql(f, "INSERT", valid[i].table, valid[i].row, ""));
    }
    assert_violates(f, "verdicts", "verdict_id='w'", "UNIQUE"); /* a second final one */
    assert_violates(f, "ops", "op_id='p'", "UNIQUE");           /* a second op of the same rev */
    assert_runs(f, insert_sql(f, "INSERT", "verdicts", valid_row("verdicts"), "verdict_id='w'|verdict_type='dissent'"));
    assert_runs(f, insert_sql(f, "INSERT", "refs", valid_row("refs"), "source_type='@'|source_id='@muffin'"));
    /* All of them are sound rows; but migration 99 is not ours, and the check says so. */
    assert_fails(f->store->calls->check(f->store, &f->arena, &f->err), &f->err, CV_ERR_VERIFY);
    assert_str_has(f->err.message, "schema_migrations 99 was added");
}

static void assert_takes(fixture *f, const char *table, const char *format, int n, cv_str word)
{
    char change[100];
    snprintf(change, sizeof change, format, n, (int)word.n, word.p);
    assert_runs(f, insert_sql(f, "INSERT", table, valid_row(table), change));
}

/* The lists in the schema against the tables in src/vocab: what the program may say, the record takes. */
static void words_of_the_vocabulary_are_taken(void **state)
{
    static const struct {
        const char *table, *format;
        const cv_words *words;
    } lists[] = {
        {"moves", "seq=%d|move_type='%.*s'", &cv_move_words},
        {"experts", "expert_slug='e%d'|tier='%.*s'", &cv_tier_words},
        {"panels", "round=%d|source='%.*s'", &cv_source_words},
        {"verdicts", "verdict_id='v%d'|verdict_type='%.*s'", &cv_verdict_words},
        {"events", "event_seq=%d|event_type='%.*s'", &cv_event_words},
        {"refs", "source_id='T%04d'|source_type='T'|ref_type='%.*s'", &cv_ref_words},
    };
    fixture *f = *state;
    make_parents(f);
    for (int i = 0; i < CV_STATUS_COUNT; i++)
        assert_takes(f, cv_kinds[cv_statuses[i].kind].plural.p, "seq=%d|status='%.*s'", i + 1, cv_statuses[i].word);
    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t k = 0; k < lists[i].words->count; k++)
            assert_takes(f, lists[i].table, lists[i].format, (int)k + 1, lists[i].words->items[k]);
}

/* ---- nothing is rewritten ------------------------------------------------------------------------ */

static void assert_kept(fixture *f, const char *sql)
{
    int rc = run(f, sql);
    if (rc != SQLITE_CONSTRAINT_TRIGGER && (rc & 0xff) != SQLITE_CONSTRAINT)
        fail_msg("%s\n  %s", sql, sqlite3_errmsg(f->raw));
    assert_int_equal(sqlite3_extended_errcode(f->raw), SQLITE_CONSTRAINT_TRIGGER);
}

static void history_refuses_changes(void **state)
{
    static const char *const only_added[] = {"panels",   "origins", "refs", "moves",
                                             "verdicts", "events",  "ops",  "stream_messages"};
    fixture *f = *state;
    make_parents(f);
    for (size_t i = 0; i < COUNT(valid); i++) {
        const char *table = valid[i].table;
        assert_runs(f, insert_sql(f, "INSERT", table, valid[i].row, ""));
        assert_kept(f, cv_arena_printf(&f->arena, "DELETE FROM %s", table).p);
        assert_kept(f, insert_sql(f, "INSERT OR REPLACE", table, valid[i].row, ""));
    }
    for (size_t i = 0; i < COUNT(only_added); i++) {
        const char *column = strcmp(only_added[i], "stream_messages") == 0 ? "message" : "rev";
        assert_kept(f, cv_arena_printf(&f->arena, "UPDATE %s SET %s = %s", only_added[i], column, column).p);
    }
    static const char *const keys[] = {
        "UPDATE dialogues SET dialogue_id = 'e' WHERE dialogue_id = 'new'",
        "UPDATE experts SET expert_slug = 'x'",
        "UPDATE rounds SET round = 9",
        "UPDATE scores SET expert_slug = 'scone'",
        "UPDATE responses SET expert_slug = 'scone'",
        "UPDATE responses SET round = 9",
        "UPDATE perspectives SET seq = 9",
        "UPDATE recommendations SET round = 9",
        "UPDATE tensions SET seq = 9",
        "UPDATE evidence SET dialogue_id = 'new'",
        "UPDATE claims SET seq = 9",
        "UPDATE streams SET stream = 'x'",
        "UPDATE streams SET last_seq = 0 WHERE stream = 's'",
        "UPDATE cursors SET seq = seq - 1",
        "UPDATE cursors SET reader = 'x'",
        "UPDATE dialogues SET last_rev = last_rev + 2",
        "UPDATE dialogues SET last_rev = last_rev",
    };
    for (size_t i = 0; i < COUNT(keys); i++)
        assert_kept(f, keys[i]);
    assert_runs(f, "UPDATE tensions SET status = 'resolved'; UPDATE scores SET score = 6; UPDATE rounds SET score = 6;"
                   "UPDATE dialogues SET last_rev = last_rev + 1; UPDATE cursors SET seq = 5");
    assert_int_equal(number(f, "SELECT count(*) FROM tensions"), 1);
}

/* ---- opening ----------------------------------------------------------------------------------- */

static bool opens(fixture *f, bool create)
{
    bool ok = cv_sqlite_open(&f->arena, f->path, create, &f->store, &f->err);
    if (!ok)
        assert_true(f->err.message.n > 0 && f->err.suggestion.n > 0 && f->err.file.n > 0);
    return ok;
}

static void missing_databases_name_the_remedy(void **state)
{
    fixture *f = *state;
    assert_fails(opens(f, false), &f->err, CV_ERR_NOT_FOUND);
    assert_str_has(f->err.suggestion, "conclave init");
    assert_int_equal(access(f->path, F_OK), -1);
    close(open(f->path, O_CREAT | O_WRONLY, 0600)); /* an interrupted init */
    assert_fails(opens(f, false), &f->err, CV_ERR_NOT_FOUND);
    assert_str_has(f->err.suggestion, "conclave init");
    assert_ok(opens(f, true), &f->err);
    close_store(f);
    assert_ok(opens(f, false), &f->err);
    close_store(f);
    f->path = f->folder;
    assert_fails(opens(f, true), &f->err, CV_ERR_NOT_A_FILE);
    f->path = cv_arena_printf(&f->arena, "%s/no/folder.db", f->folder).p;
    assert_fails(opens(f, true), &f->err, CV_ERR_STORE);
    assert_str_has(f->err.suggestion, "folder exists");
}

static void settings_are_in_force(void **state)
{
    fixture *f = *state;
    static const char *const settings[][2] = {
        {"PRAGMA journal_mode", "wal"}, {"PRAGMA synchronous", "2"},        {"PRAGMA foreign_keys", "1"},
        {"PRAGMA trusted_schema", "0"}, {"PRAGMA recursive_triggers", "1"}, {"PRAGMA application_id", "1129270851"},
    };
    open_store(f);
    for (size_t i = 0; i < COUNT(settings); i++) {
        sqlite3_stmt *st;
        assert_int_equal(sqlite3_prepare_v2(inside(f)->db, settings[i][0], -1, &st, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(st, 0), settings[i][1]);
        sqlite3_finalize(st);
    }
}

static void overwrite(fixture *f, const char *path, long at, const char *bytes, size_t n)
{
    (void)f;
    FILE *file = fopen(path, at ? "r+b" : "wb");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static void what_is_no_record_is_refused(void **state)
{
    fixture *f = *state;
    char text[5000];
    memset(text, 'x', sizeof text);
    overwrite(f, f->path, 0, text, sizeof text);
    assert_fails(opens(f, false), &f->err, CV_ERR_CORRUPT);
    assert_str_has(f->err.message, "not a database");
    unlink(f->path);
    open_raw(f); /* somebody else's database: refused, and not even switched to WAL */
    assert_runs(f, "CREATE TABLE theirs (x)");
    assert_fails(opens(f, true), &f->err, CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "another program");
    assert_runs(f, "PRAGMA application_id = 1129270851");
    assert_fails(opens(f, true), &f->err, CV_ERR_SCHEMA);
    assert_int_equal(number(f, "SELECT count(*) FROM pragma_journal_mode() WHERE journal_mode = 'delete'"), 1);
}

static void damage_is_told(void **state)
{
    fixture *f = *state;
    open_store(f);
    for (int64_t rev = 0; rev < 20; rev++)
        assert_int_equal(write_next(f, "d", rev), CV_STORE_DONE);
    close_store(f); /* everything is in the main file now */
    struct stat st;
    assert_int_equal(stat(f->path, &st), 0);
    char junk[4096];
    memset(junk, 0xa5, sizeof junk);
    for (long page = 1; page * 4096 < st.st_size; page++)
        if (page % 3)
            overwrite(f, f->path, page * 4096, junk, sizeof junk);
    bool ok = opens(f, false);
    if (ok) {
        ok = whole_rev(f->store, &f->arena, "d", &f->err) == 20;
        assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_CORRUPT));
        assert_fails(f->store->calls->check(f->store, &f->arena, &f->err), &f->err, CV_ERR_CORRUPT);
    }
    assert_false(ok);
    assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_CORRUPT));
    assert_str_has(f->err.suggestion, "backup");
    if (f->store)
        close_store(f);
    assert_int_equal(truncate(f->path, st.st_size / 2), 0);
    if (opens(f, false)) {
        assert_fails(f->store->calls->check(f->store, &f->arena, &f->err), &f->err, CV_ERR_CORRUPT);
        close_store(f);
    }
    f->store = NULL;
}

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
    if (!cv_sqlite_open(&f->arena, f->path, false, &f->store, &f->err))
        return false;
    bool reads = whole_rev(f->store, &f->arena, "d", &f->err) == 1;
    bool refused = write_next(f, "d", 1) == CV_STORE_FAILED && f->err.code == CV_ERR_STORE;
    return reads && refused && cv_str_find(f->err.message, CV_STR("can only be read")) != SIZE_MAX &&
           cv_str_find(f->err.suggestion, CV_STR("permission")) != SIZE_MAX;
}

static bool refuses_to_open(fixture *f)
{
    bool ok = cv_sqlite_open(&f->arena, f->path, false, &f->store, &f->err) &&
              whole_rev(f->store, &f->arena, "d", &f->err) == 1;
    return !ok && (f->err.code == CV_ERR_STORE || f->err.code == CV_ERR_IO) && f->err.suggestion.n > 0;
}

static void read_only_files_are_told(void **state)
{
    fixture *f = *state;
    open_store(f);
    assert_int_equal(write_next(f, "d", 0), CV_STORE_DONE);
    chmod(f->folder, 0777);
    chmod(f->path, 0444);
    chmod(cv_arena_printf(&f->arena, "%s-wal", f->path).p, 0444);
    chmod(cv_arena_printf(&f->arena, "%s-shm", f->path).p, 0444);
    assert_true(as_nobody(reads_but_does_not_write, f)); /* beside a running process that may write */
    close_store(f);
    chmod(f->folder, 0555);
    assert_true(as_nobody(reads_but_does_not_write, f)); /* a log cannot even be begun */
    chmod(f->folder, 0700);
    assert_true(as_nobody(refuses_to_open, f));
}

/* ---- migrations -------------------------------------------------------------------------------- */

static cv_sql_migration steps[3];
static cv_sql_migrations schema_of(size_t count)
{
    steps[0] = cv_sql_schema.items[0];
    steps[1] =
        (cv_sql_migration){2, "002_more", "CREATE TABLE more (x INT) STRICT; CREATE TABLE most (x INT) STRICT;", "two"};
    steps[2] = (cv_sql_migration){3, "003_rest", "ALTER TABLE more ADD COLUMN y TEXT;", "three"};
    return (cv_sql_migrations){steps, count};
}

static bool opens_with(fixture *f, const cv_sql_migrations *schema, bool create)
{
    f->store = NULL;
    return cv_sqlite_open_with(&f->arena, f->path, create, schema, &f->store, &f->err);
}

static void older_schemas_are_migrated(void **state)
{
    fixture *f = *state;
    for (size_t count = 1; count <= 3; count++) {
        cv_sql_migrations schema = schema_of(count);
        assert_ok(opens_with(f, &schema, count == 1), &f->err);
        if (count == 1)
            assert_int_equal(write_next(f, "d", 0), CV_STORE_DONE);
        assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 1);
        close_store(f);
        open_raw(f);
        assert_int_equal(number(f, "SELECT count(*) FROM schema_migrations WHERE program = '" CV_VERSION "'"), count);
        assert_int_equal(number(f, "SELECT max(version) FROM schema_migrations"), count);
        sqlite3_close(f->raw);
        f->raw = NULL;
    }
}

static void newer_schemas_are_refused(void **state)
{
    fixture *f = *state;
    cv_sql_migrations three = schema_of(3);
    assert_ok(opens_with(f, &three, true), &f->err);
    close_store(f);
    open_raw(f);
    assert_runs(
        f,
        "DROP TRIGGER schema_migrations_no_delete; UPDATE schema_migrations SET program = '9.8.7' WHERE version = 3");
    cv_sql_migrations one = schema_of(1);
    assert_fails(opens_with(f, &one, true), &f->err, CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "made by a newer conclave");
    assert_str_has(f->err.message, "schema 3 by version 9.8.7");
    assert_str_has(f->err.suggestion, "9.8.7");
}

static void changed_migrations_are_refused(void **state)
{
    fixture *f = *state;
    cv_sql_migrations three = schema_of(3);
    assert_ok(opens_with(f, &three, true), &f->err);
    close_store(f);
    three = schema_of(3);
    steps[1].checksum = "edited";
    assert_fails(opens_with(f, &three, false), &f->err, CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "002_more");
    three = schema_of(3);
    assert_ok(opens_with(f, &three, false), &f->err);
}

static void a_failing_migration_leaves_the_old_schema(void **state)
{
    fixture *f = *state;
    cv_sql_migrations one = schema_of(1);
    assert_ok(opens_with(f, &one, true), &f->err);
    assert_int_equal(write_next(f, "d", 0), CV_STORE_DONE);
    close_store(f);
    cv_sql_migrations three = schema_of(3);
    steps[2].text = "CREATE TABLE half (x INT); ALTER TABLE nowhere ADD COLUMN y TEXT;";
    assert_fails(opens_with(f, &three, false), &f->err, CV_ERR_STORE);
    open_raw(f);
    assert_int_equal(number(f, "SELECT count(*) FROM sqlite_schema WHERE name IN ('more', 'most', 'half')"), 0);
    assert_int_equal(number(f, "SELECT count(*) FROM schema_migrations"), 1);
    three = schema_of(3);
    assert_ok(opens_with(f, &three, false), &f->err);
    assert_int_equal(whole_rev(f->store, &f->arena, "d", &f->err), 1);
}

static void killed_migrations_leave_the_old_schema(void **state)
{
    fixture *f = *state;
    cv_test_random r = {5};
    cv_sql_migrations three = schema_of(3);
    for (int i = 0; i < (cv_test_soak() ? 300 : 25); i++) {
        pid_t child = fork();
        if (child == 0) {
            opens_with(f, &three, true);
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)cv_test_below(&r, 12000000)}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (access(f->path, F_OK) == 0) {
            open_raw(f);
            int64_t tables =
                number(f, "SELECT count(*) FROM sqlite_schema WHERE name IN ('more', 'most', 'dialogues')");
            assert_true(tables == 0 || tables == 3);
            sqlite3_close(f->raw);
            f->raw = NULL;
        }
        if (i % 2) {
            cv_test_remove(f->folder);
            mkdir(f->folder, 0700);
        }
    }
    assert_ok(opens_with(f, &three, true), &f->err);
    assert_int_equal(write_next(f, "d", 0), CV_STORE_DONE);
}

/* ---- what reading costs ----------------------------------------------------------------------------- */

static size_t pages_read(fixture *f, const cv_wanted *wanted)
{
    close_store(f);
    open_store(f); /* with nothing in memory */
    seen_rows seen = {0};
    cv_position at;
    bool found;
    int now, high;
    sqlite3_db_status(inside(f)->db, SQLITE_DBSTATUS_CACHE_MISS, &now, &high, 1);
    assert_ok(
        f->store->calls->snapshot(f->store, &f->arena, CV_STR("d"), wanted, note_row, &seen, &at, &found, &f->err),
        &f->err);
    sqlite3_db_status(inside(f)->db, SQLITE_DBSTATUS_CACHE_MISS, &now, &high, 1);
    return (size_t)now;
}

static void write_large(fixture *f, int64_t expect, int64_t round)
{
    static cv_rec_entity rows[50];
    static char text[40000];
    memset(text, 'x', sizeof text);
    for (int64_t i = 0; i < 50; i++)
        rows[i] = (cv_rec_entity){.kind = CV_STR("P"),
                                  .round = round,
                                  .seq = i + 1,
                                  .label = CV_STR("l"),
                                  .content = {text, sizeof text},
                                  .contributors = CV_STR("[]"),
                                  .status = CV_STR("open"),
                                  .created_at = CV_STR("c"),
                                  .parameters = CV_STR("{}")};
    cv_rec_dialogue dialogue = {.title = CV_STR("t"), .status = CV_STR("open"), .created_at = CV_STR("c")};
    cv_changes c = {0};
    c.items[CV_REC_ENTITY] = rows;
    c.counts[CV_REC_ENTITY] = 50;
    c.items[CV_REC_DIALOGUE] = &dialogue;
    c.counts[CV_REC_DIALOGUE] = expect == 0;
    cv_op op = {.dialogue_id = CV_STR("d"),
                .op_id = cv_arena_printf(&f->arena, "%lld", (long long)expect),
                .expect_rev = expect};
    int64_t rev;
    cv_str result;
    assert_int_equal(f->store->calls->commit(f->store, &f->arena, &op, &c, &rev, &result, &f->err), CV_STORE_DONE);
}

static void reading_costs_what_is_asked_for(void **state)
{
    fixture *f = *state;
    open_store(f);
    for (int64_t rev = 0; rev < 10; rev++)
        write_large(f, rev, rev);
    size_t all = pages_read(f, &(cv_wanted){0});
    size_t lean = pages_read(f, &(cv_wanted){.no_content = true});
    size_t last = pages_read(f, &(cv_wanted){.since_rev = 9});
    size_t last_lean = pages_read(f, &(cv_wanted){.since_rev = 9, .no_content = true});
    size_t nothing = pages_read(f, &(cv_wanted){.since_rev = 10});
    size_t outline = pages_read(f, &(cv_wanted){.outline = CV_REC_BIT(ENTITY)});
    size_t others = pages_read(f, &(cv_wanted){.letters = "RTEC"});
    const cv_str ids[] = {CV_STR("P0001"), CV_STR("P0950")};
    size_t two = pages_read(f, &(cv_wanted){.kinds = CV_REC_BIT(ENTITY), .about = ids, .about_count = 2});
    assert_true(all > 4800); /* 500 texts of ten pages each */
    assert_true(lean < 650); /* a row each */
    assert_true(outline <= lean);
    assert_true(others < 60);
    assert_true(last < 650); /* a tenth */
    assert_true(last_lean < 150);
    assert_true(nothing < 60);
    assert_true(two > 20 && two < 80); /* two texts of ten pages, and the way to them */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_statement_prepares),
        TEST(statements_follow_the_field_tables),
        TEST(every_index_is_used),
        TEST(constraints_are_in_force),
        TEST(words_of_the_vocabulary_are_taken),
        TEST(history_refuses_changes),
        TEST(missing_databases_name_the_remedy),
        TEST(settings_are_in_force),
        TEST(what_is_no_record_is_refused),
        TEST(damage_is_told),
        TEST(read_only_files_are_told),
        TEST(older_schemas_are_migrated),
        TEST(newer_schemas_are_refused),
        TEST(changed_migrations_are_refused),
        TEST(a_failing_migration_leaves_the_old_schema),
        TEST(killed_migrations_leave_the_old_schema),
        TEST(reading_costs_what_is_asked_for),
    };
    return cmocka_run_group_tests_name("sqlite", tests, NULL, NULL);
}
