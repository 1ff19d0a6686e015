/* test_tamper.c - whatever is changed behind the program's back is noticed.
 *
 * A record with several dialogues, one of them restored from an export, and a search index that is a little behind.
 * Each case puts its files back, changes one thing and asks `conclave verify`. The tables and columns come from the
 * live schema: a new column is attacked without being named here. Triggers, foreign keys and CHECKs are off while a row
 * is changed, and the schema stays as it is, so that nothing but the change itself can be seen.
 *
 *     noticed     by opening the record, or by verify
 *     sealed      not by verify alone, but with the seal: what docs/record.md says only a seal proves
 *     nothing     the index answers as before; the log had been taken into the database: nothing was lost
 *
 * A change that is none of these fails the test. Every column, table and object of the schema is attacked in every run,
 * in one of the ways that there are: the seed of the run says in which. CV_SOAK takes all of them.
 */
#include "rounds.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "kit/room.h"
#include "record/hash.h"
#include "record/sql.h"
#include "record/watermark.h"

enum { FILES = 3 };
static const char *const endings[FILES] = {"", "-wal", "-watermark"};

/* The files of a record; a view without bytes: there is none. */
typedef struct {
    cv_str files[FILES];
} copy;

static struct {
    cv_arena a, turn;
    const char *folder, *path;
    copy now, before, logged, unlogged; /* at the end; half a history before; the end, with a log; without it */
    cv_str seal;                        /* of the end */
    cv_str index, hits;                 /* what the search index has; what a search answers */
    size_t noticed, sealed, nothing;
    cv_test_random random;
} t;

/* ---- files --------------------------------------------------------------------------------------- */

static copy keep(const char *path)
{
    copy c = {0};
    for (size_t i = 0; i < FILES; i++) {
        const char *file = cv_arena_printf(&t.a, "%s%s", path, endings[i]).p;
        if (access(file, F_OK) == 0)
            c.files[i] = cv_test_read(&t.a, file);
    }
    return c;
}

static void put_file(const char *ending, cv_str bytes)
{
    const char *path = cv_arena_printf(&t.turn, "%s%s", t.path, ending).p;
    unlink(path);
    if (!bytes.p)
        return;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
    assert_int_equal(fclose(file), 0);
}

static void put_back(const copy *c)
{
    cv_arena_reset(&t.turn);
    put_file("-shm", (cv_str){NULL, 0});
    for (size_t i = 0; i < FILES; i++)
        put_file(endings[i], c->files[i]);
}

/* ---- the program ----------------------------------------------------------------------------------- */

static void use_marked(cv_world *w, const char *path)
{
    cv_err err = {.arena = &w->a};
    assert_ok(cv_record_open(&w->a, path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &w->record, &err),
              &err);
}

/* Calls an operation on the files as they are. False: the record does not open, or it fails. */
static bool ask_room(const char *room, const char *verb, cv_str input, cv_buf *out, cv_errs *errs)
{
    cv_arena a = {0};
    cv_err err = {.arena = &t.turn};
    cv_record *record;
    if (!cv_record_open(&a, t.path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err)) {
        *CV_PUSH(&t.turn, errs) = err;
        cv_arena_release(&a);
        return false;
    }
    cv_json json;
    assert_ok(cv_json_parse(&t.turn, input, &json, &err), &err);
    cv_call call = {.arena = &t.turn,
                    .record = record,
                    .clock = cv_clock_system(),
                    .root = t.folder,
                    .input = &json,
                    .input_text = input,
                    .out = out,
                    .errs = errs};
    bool ok = cv_op_call(cv_op_find(cv_str_of(room), cv_str_of(verb)), &call);
    cv_record_close(record);
    cv_arena_release(&a);
    return ok;
}

static bool ask(const char *verb, cv_str input, cv_buf *out, cv_errs *errs)
{
    return ask_room("", verb, input, out, errs);
}

/* What a search answers; it brings the index up to date. */
static cv_str hits_of(cv_arena *a)
{
    cv_buf out = {0};
    cv_errs errs = {0};
    bool ok = ask_room("dialogue", "search", CV_STR("{\"query\":\"muffin or better or bake\"}"), &out, &errs);
    if (!ok)
        fail_msg("search: %.*s", CV_FMT(cv_err_text(&errs.items[0])));
    return cv_buf_take(&out, a);
}

static bool verifies(cv_str seal)
{
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_str input = seal.n ? cv_arena_printf(&t.turn, "{\"seal\":\"%.*s\"}", CV_FMT(seal)) : CV_STR("{}");
    bool ok = ask("verify", input, &out, &errs);
    cv_buf_release(&out);
    return ok;
}

/* ---- plain SQLite ----------------------------------------------------------------------------------- */

/* redacted(text): what stands for a redacted text, with the right hash; NULL: NULL. */
static void sql_redacted(sqlite3_context *context, int count, sqlite3_value **values)
{
    cv_arena a = {0};
    (void)count;
    cv_str text = {(const char *)sqlite3_value_text(values[0]), (size_t)sqlite3_value_bytes(values[0])};
    cv_str made = text.p ? cv_redacted(&a, text) : text;
    sqlite3_result_text(context, made.p, (int)made.n, SQLITE_TRANSIENT);
    cv_arena_release(&a);
}

static sqlite3 *open_raw(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(t.path, &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
    sqlite3_create_function(db, "redacted", 1, SQLITE_UTF8, NULL, sql_redacted, NULL, NULL);
    sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    return db;
}

/* False: SQLite itself refuses it. */
static bool run(sqlite3 *db, const char *sql)
{
    bool ok = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    if (!ok && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

static int add_line(void *ctx, int columns, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < columns; i++)
        cv_buf_printf(ctx, "%s%c", values[i] ? values[i] : "-", i + 1 < columns ? '\t' : '\n');
    return 0;
}

/* The answer as lines with tabs. */
static cv_str lines_of(sqlite3 *db, cv_arena *a, const char *sql)
{
    cv_buf out = {0};
    if (sqlite3_exec(db, sql, add_line, &out, NULL) != SQLITE_OK)
        cv_buf_printf(&out, "error: %s", sqlite3_errmsg(db));
    return cv_buf_take(&out, a);
}

/* All that the search index has. */
static cv_str index_of(cv_arena *a)
{
    sqlite3 *db = open_raw();
    cv_str words = lines_of(db, a,
                            "SELECT * FROM search_words ORDER BY 1, 2, 3, 4; SELECT id, hex(sz) FROM "
                            "search_index_docsize ORDER BY id; SELECT hex(block) FROM search_index_data WHERE id = 1");
    sqlite3_close(db);
    return words;
}

/* ---- judging ------------------------------------------------------------------------------------------ */

typedef enum { MUST_BE_NOTICED, ONLY_BY_SEAL, MAY_CHANGE_NOTHING } verdict;

static void judge(verdict expected, const char *what)
{
    if (!verifies((cv_str){NULL, 0})) {
        t.noticed++;
        return;
    }
    if (!verifies(t.seal)) {
        if (expected != ONLY_BY_SEAL)
            fail_msg("only the seal notices, but verify should: %s", what);
        t.sealed++;
        return;
    }
    if (expected != MAY_CHANGE_NOTHING || !cv_str_eq(index_of(&t.turn), t.index))
        fail_msg("not noticed: %s", what);
    if (!cv_str_eq(hits_of(&t.turn), t.hits) || !verifies((cv_str){NULL, 0}))
        fail_msg("a search does not mend: %s", what);
    t.nothing++;
}

/* Runs SQL on the record; a change that SQLite itself refuses is not a case. */
static bool attack(verdict expected, const char *sql)
{
    put_back(&t.now);
    sqlite3 *db = open_raw();
    bool done = run(db, sql) && sqlite3_total_changes(db) > 0;
    sqlite3_close(db);
    if (done)
        judge(expected, sql);
    return done;
}

/* ---- the record ------------------------------------------------------------------------------------------ */

static void add_dialogue(cv_world *w, const char *id, int rounds)
{
    cv_world_dialogue(w, id, cv_rounds_bakers, false);
    for (int round = 0; round < rounds; round++)
        if (!cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, id, round, "test", "")))
            fail_msg("round %d of %s: %.*s", round, id, CV_FMT(cv_err_text(&w->errs.items[0])));
}

/* A panel of the next round that others replace. */
static void add_panels(cv_world *w, const char *id, int round)
{
    for (size_t i = 0; i < 3; i++)
        cv_world_do(w, "evolve-panel",
                    cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'round': %d, 'panel': [{'slug': '%s'}]}", id, round,
                                    cv_rounds_bakers[i % 2])
                        .p);
}

static void add_verdict(cv_world *w, const char *id, int number)
{
    cv_world_do(w, "verdict-register",
                cv_arena_printf(&w->a,
                                "{'dialogue_id': '%s', 'verdict_id': 'v%d', 'verdict_type': 'interim', 'round': 0, "
                                "'recommendation': 'Bake %d', 'description': 'It is time.', 'conditions': ['now'], "
                                "'tensions_accepted': ['T0002'], 'key_evidence': ['E0001']}",
                                id, number, number)
                    .p);
}

/* A dialogue of another record, taken over whole. */
static void restore_one(cv_world *w)
{
    cv_world other;
    cv_world_open(&other);
    add_dialogue(&other, "wine", 1);
    cv_str document = cv_world_do(&other, "export", "{'dialogue_id': 'wine', 'output_path': '-'}");
    const char *path = cv_arena_printf(&w->a, "%s/wine.json", w->folder).p;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_file_write(path, document, &err), &err);
    cv_world_close(&other);
    cv_call call = cv_world_begin(w);
    cv_json input;
    call.input_text = cv_arena_printf(&w->turn, "{\"path\":\"%s\"}", path);
    assert_ok(cv_json_parse(&w->turn, call.input_text, &input, &err), &err);
    call.input = &input;
    if (!cv_op_call(cv_op_find(CV_STR(""), CV_STR("import")), &call))
        fail_msg("%.*s", CV_FMT(cv_err_text(&w->errs.items[0])));
    assert_str_has(cv_buf_str(&w->out), "\"imported\":1");
}

static int make_record(void **state)
{
    cv_world w;
    (void)state;
    t.random.state = cv_test_seed();
    cv_world_open(&w);
    const char *path = cv_arena_printf(&w.a, "%s/conclave.db", w.folder).p;
    t.folder = cv_test_folder(&t.a);
    t.path = cv_arena_printf(&t.a, "%s/conclave.db", t.folder).p;
    add_dialogue(&w, "bread", 2);
    add_dialogue(&w, "cake", 1);
    restore_one(&w);
    cv_world_do(&w, "search", "{'query': 'muffin'}");
    cv_world_leave(&w);
    t.before = keep(path);
    cv_world_return(&w);
    add_verdict(&w, "bread", 1);
    add_dialogue(&w, "tart", 1);
    add_panels(&w, "tart", 1);
    cv_world_do(&w, "search", "{'query': 'muffin'}");
    cv_world_do(&w, "update",
                "{'dialogue_id': 'cake', 'updates': [{'id': 'P0001', 'label': 'Better', 'reason': 'clearer'}]}");
    cv_world_leave(&w);
    t.unlogged = keep(path);
    cv_world_return(&w);
    for (int i = 1; i <= 10; i++)
        add_verdict(&w, "cake", i);
    t.logged = keep(path);
    cv_world_leave(&w);
    t.now = keep(path);
    cv_world_close(&w);
    assert_null(t.now.files[1].p); /* the last one to leave takes the log along */
    assert_true(t.logged.files[1].n > 40000);

    cv_buf out = {0};
    cv_errs errs = {0};
    put_back(&t.now);
    t.index = index_of(&t.a);
    assert_true(ask("seal", CV_STR("{}"), &out, &errs));
    cv_json reply;
    cv_err err = {.arena = &t.a};
    assert_ok(cv_json_parse(&t.a, cv_buf_str(&out), &reply, &err), &err);
    t.seal = cv_arena_copy(&t.a, cv_json_get_text(&reply, "seal"));
    cv_buf_release(&out);
    t.hits = hits_of(&t.a);
    assert_str_has(t.hits, "Better");
    return 0;
}

static int forget_record(void **state)
{
    (void)state;
    cv_test_remove(t.folder);
    cv_arena_release(&t.turn);
    cv_arena_release(&t.a);
    return 0;
}

static int count_from_zero(void **state)
{
    (void)state;
    t.noticed = t.sealed = t.nothing = 0;
    return 0;
}

static void report(const char *what, size_t floor)
{
    size_t all = t.noticed + t.sealed + t.nothing;
    printf("# %s: %zu changes, %zu noticed, %zu by the seal only, %zu that change nothing\n", what, all, t.noticed,
           t.sealed, t.nothing);
    assert_true(all >= floor);
}

static void the_record_is_sound(void **state)
{
    (void)state;
    put_back(&t.now);
    assert_true(verifies((cv_str){NULL, 0}));
    assert_true(verifies(t.seal));
    put_back(&t.logged);
    assert_true(verifies(t.seal));
}

/* ---- every table, column and row ------------------------------------------------------------------------ */

/* The state of the search index and how far its reader has come are derived: some changes only make the index catch up
 * again. When and from which file a dialogue was restored is a note that no event covers. docs/record.md says the
 * same. */
static verdict expected_of(cv_str table)
{
    bool derived = cv_str_starts(table, CV_STR("search_index_")) || cv_str_eq(table, CV_STR("readers"));
    return derived || cv_str_eq(table, CV_STR("imports")) ? MAY_CHANGE_NOTHING : MUST_BE_NOTICED;
}

/* The version that the row of a migration names is a word in a message, and proves nothing. */
static bool is_a_note(cv_str table, cv_str column)
{
    return cv_str_eq(table, CV_STR("schema_migrations")) && cv_str_eq(column, CV_STR("program"));
}

typedef struct {
    cv_str name, type;
} column;

typedef struct {
    cv_str name;
    cv_str key; /* "a, b": the columns of its primary key */
    column columns[40];
    size_t count;
    long rows;
} table;

static cv_str word_of(cv_str *line)
{
    cv_str word;
    cv_str_split(line, '\t', &word);
    return word;
}

static void read_table(sqlite3 *db, cv_str name, table *ret)
{
    *ret = (table){.name = name};
    cv_str rest = lines_of(
               db, &t.a, cv_arena_printf(&t.a, "SELECT name, type, pk FROM pragma_table_info('%.*s')", CV_FMT(name)).p),
           line;
    cv_str keys[8] = {0};
    size_t key_count = 0;
    while (cv_str_split(&rest, '\n', &line) && line.n > 0) {
        column *c = &ret->columns[ret->count++];
        c->name = word_of(&line);
        c->type = word_of(&line);
        int place = atoi(cv_arena_copy_z(&t.a, line));
        if (place > 0) {
            keys[place - 1] = c->name;
            key_count++;
        }
        assert_true(ret->count < CV_COUNT(ret->columns));
    }
    for (size_t i = 0; i < key_count; i++)
        ret->key = cv_arena_printf(&t.a, "%.*s%s%.*s", CV_FMT(ret->key), i ? ", " : "", CV_FMT(keys[i]));
    assert_true(key_count > 0);
    cv_str count = lines_of(db, &t.a, cv_arena_printf(&t.a, "SELECT count(*) FROM %.*s", CV_FMT(name)).p);
    ret->rows = strtol(cv_arena_copy_z(&t.a, count), NULL, 10);
}

/* "(key) = (the key of the n-th row)" */
static const char *row_number(const table *tab, long n)
{
    return cv_arena_printf(&t.turn, "(%.*s) = (SELECT %.*s FROM %.*s ORDER BY %.*s LIMIT 1 OFFSET %ld)",
                           CV_FMT(tab->key), CV_FMT(tab->key), CV_FMT(tab->name), CV_FMT(tab->key), n)
        .p;
}

enum { VALUES = 6 };

/* Another value for a column: what is there and something more; something else; what the program might take for what is
 * there: its absent number, a text with a zero in it, a text that stands for a redacted one. */
static const char *other_value(const column *c, size_t which)
{
    bool number = cv_str_starts(c->type, CV_STR("INT")), text = cv_str_eq(c->type, CV_STR("TEXT"));
    static const char *const numbers[VALUES] = {"coalesce(%.*s, 0) + 50",   "NULL",
                                                "coalesce(%.*s, 0) - 1",    "0",
                                                "-9223372036854775807 - 1", "coalesce(%.*s, 0) + 4294967296"};
    static const char *const texts[VALUES] = {"coalesce(%.*s, '') || 'x'",
                                              "NULL",
                                              "''",
                                              "redacted(%.*s)",
                                              "coalesce(%.*s, '') || char(0) || 'x'",
                                              "upper(%.*s)"};
    static const char *const bytes[VALUES] = {
        "CAST(%.*s || 'x' AS BLOB)",  "substr(%.*s, 2)", "x''", "x'00'", "zeroblob(length(%.*s))",
        "CAST(%.*s || x'00' AS BLOB)"};
    cv_str form = cv_str_of(number ? numbers[which] : text ? texts[which] : bytes[which]);
    size_t at = cv_str_find(form, CV_STR("%.*s"));
    if (at == SIZE_MAX)
        return form.p;
    return cv_arena_printf(&t.turn, "%.*s%.*s%.*s", (int)at, form.p, CV_FMT(c->name), CV_FMT(cv_str_from(form, at + 4)))
        .p;
}

/* Another value in the first, the last or the middle row. */
static bool change_column(const table *tab, const column *c, size_t row, size_t which)
{
    const long rows[] = {0, tab->rows - 1, tab->rows / 2};
    const char *other = other_value(c, which);
    return attack(expected_of(tab->name),
                  cv_arena_printf(&t.a, "UPDATE %.*s SET %.*s = %s WHERE %s AND %.*s IS NOT %s", CV_FMT(tab->name),
                                  CV_FMT(c->name), other, row_number(tab, rows[row]), CV_FMT(c->name), other)
                      .p);
}

/* All ways, or from one that is drawn on until one has changed something; a table without rows has nothing to
 * change. */
static void change_columns(const table *tab)
{
    enum { ROWS_OF_EACH = 3, WAYS = ROWS_OF_EACH * VALUES };
    for (size_t i = 0; i < tab->count && tab->rows > 0; i++) {
        size_t first = cv_test_below(&t.random, WAYS), wanted = cv_test_soak() ? WAYS : 1;
        if (is_a_note(tab->name, tab->columns[i].name))
            continue;
        for (size_t n = first; n < first + WAYS && wanted > 0; n++)
            wanted -= change_column(tab, &tab->columns[i], n % ROWS_OF_EACH, n / ROWS_OF_EACH % VALUES);
    }
}

/* The next program that opens the record makes the last migration again, and may find nothing to change. */
static verdict expected_without(const table *tab, long row)
{
    bool is_made_again = cv_str_eq(tab->name, CV_STR("schema_migrations")) && row == tab->rows - 1;
    return is_made_again ? MAY_CHANGE_NOTHING : expected_of(tab->name);
}

static void remove_rows(const table *tab)
{
    long step = tab->rows > 3 ? tab->rows / 3 : 1,
         drawn = tab->rows ? (long)cv_test_below(&t.random, (size_t)tab->rows) : 0;
    for (long n = cv_test_soak() ? 0 : drawn; n < tab->rows; n += cv_test_soak() ? step : tab->rows)
        attack(expected_without(tab, n),
               cv_arena_printf(&t.a, "DELETE FROM %.*s WHERE %s", CV_FMT(tab->name), row_number(tab, n)).p);
    if (tab->rows > 0)
        attack(expected_of(tab->name), cv_arena_printf(&t.a, "DELETE FROM %.*s", CV_FMT(tab->name)).p);
}

/* "INSERT INTO table SELECT a, b || 'x', c FROM table …": the first row again, except for one column. */
static const char *copied_row(const table *tab, size_t changed)
{
    cv_buf list = {0};
    for (size_t i = 0; i < tab->count; i++)
        cv_buf_printf(&list, "%s%s", i ? ", " : "",
                      i == changed ? other_value(&tab->columns[i], 0) : cv_arena_copy_z(&t.turn, tab->columns[i].name));
    cv_str sql = cv_arena_printf(&t.a, "INSERT INTO %.*s SELECT %.*s FROM %.*s WHERE %s", CV_FMT(tab->name),
                                 CV_FMT(cv_buf_str(&list)), CV_FMT(tab->name), row_number(tab, 0));
    cv_buf_release(&list);
    return sql.p;
}

/* A copy of a row with one column changed, wherever that makes a row that the table takes; and one of our own. Of the
 * columns all, or from one that is drawn on until there was such a row. */
static void add_rows(const table *tab)
{
    verdict expected = expected_of(tab->name);
    cv_buf own = {0};
    size_t added = 0, first = cv_test_below(&t.random, tab->count);
    for (size_t i = 0; i < tab->count; i++)
        cv_buf_printf(&own, "%s%s", i ? ", " : "", cv_str_eq(tab->columns[i].type, CV_STR("TEXT")) ? "'x'" : "77");
    for (size_t i = first; i < first + tab->count && tab->rows > 0 && (cv_test_soak() || added == 0); i++)
        added += attack(expected, copied_row(tab, i % tab->count));
    added +=
        attack(expected,
               cv_arena_printf(&t.a, "INSERT INTO %.*s VALUES (%.*s)", CV_FMT(tab->name), CV_FMT(cv_buf_str(&own))).p);
    cv_buf_release(&own);
    if (added == 0)
        print_message("# no row could be added to %.*s\n", CV_FMT(tab->name));
}

static void every_table_and_column(void **state)
{
    (void)state;
    put_back(&t.now);
    sqlite3 *db = open_raw();
    cv_str names = lines_of(db, &t.a,
                            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"),
           name;
    size_t tables = 0;
    table *all = CV_NEW_ARRAY(&t.a, 64, table);
    while (cv_str_split(&names, '\n', &name) && name.n > 0)
        read_table(db, name, &all[tables++]);
    sqlite3_close(db);
    assert_true(tables >= 22);
    for (size_t i = 0; i < tables; i++) {
        if (!cv_test_soak() && cv_test_below(&t.random, 3) > 0)
            continue; /* half of them each time */
        change_columns(&all[i]);
        remove_rows(&all[i]);
        add_rows(&all[i]);
    }
    report("rows", cv_test_soak() ? 2000 : 20);
}

/* The commits of a dialogue that was restored are those of its own record: its events cover them. */
static void a_restored_write(void **state)
{
    static const char *const changes[] = {
        "digest = replace(digest, 'a', 'b')",
        "result = '{\"forged\":1}'",
        "created_at = '2020'",
        "op_id = op_id || 'x'",
        "operation = 'dialogue forge'",
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(changes); i++)
        for (int rev = 1; rev <= 2; rev++)
            attack(MUST_BE_NOTICED, cv_arena_printf(&t.a,
                                                    "UPDATE commits SET %s WHERE rev = %d AND scope = "
                                                    "(SELECT number FROM scopes WHERE name = 'wine')",
                                                    changes[i], rev)
                                        .p);
    assert_int_equal(t.noticed, 2 * CV_COUNT(changes));
    report("restored", 2 * CV_COUNT(changes));
}

/* Seats that were lost, and the panels that others replaced. */
static void a_replaced_panel(void **state)
{
    static const char *const changes[] = {
        "UPDATE panels SET position = 1 WHERE position IS NULL",
        "UPDATE panels SET position = NULL WHERE position = 1 AND rev = (SELECT max(rev) FROM panels)",
        "UPDATE panels SET rev = rev - 1 WHERE position IS NULL",
        "UPDATE panels SET rev = rev - 1 WHERE rev = (SELECT max(rev) FROM panels)",
        "DELETE FROM panels WHERE position IS NULL",
        "DELETE FROM panels WHERE rev = (SELECT max(rev) FROM panels)",
        "DELETE FROM panels WHERE rev = 1",
        ("INSERT INTO panels (scope, round, expert_slug, rev, position, source) "
         "SELECT scope, round, 'ghost', rev - 1, 9, source FROM panels WHERE position IS NULL"),
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(changes); i++)
        assert_true(attack(MUST_BE_NOTICED, changes[i]));
    assert_int_equal(t.noticed, CV_COUNT(changes));
    report("panels", CV_COUNT(changes));
}

/* What the program might take for what was there. */
static void values_that_look_like_others(void **state)
{
    static const char *const changes[] = {
        "UPDATE dialogues SET seed = -9223372036854775807 - 1 WHERE seed IS NULL",
        "UPDATE origins SET range_start = -9223372036854775807 - 1 WHERE range_start IS NULL",
        "UPDATE entities SET content = redacted(content) WHERE kind = 'P'",
        "UPDATE verdicts SET description = redacted(description)",
        "UPDATE events SET reason = redacted(reason) WHERE reason IS NOT NULL",
        "UPDATE commits SET result = redacted(result) WHERE rev = 2",
        "UPDATE entities SET label = label || char(0) || 'x'",
        "UPDATE readers SET position = position || char(0)",
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(changes); i++)
        assert_true(attack(MUST_BE_NOTICED, changes[i]));
    report("look alike", CV_COUNT(changes));
}

/* The events of a scope do not know the numbers of its commits. */
static void commits_in_another_order(void **state)
{
    static const struct {
        const char *one, *other;
        verdict expected;
    } swaps[] = {
        {"name = 'cake' AND c.rev = 2", "name = 'cake' AND c.rev = 3", MUST_BE_NOTICED},
        {"name = 'wine' AND c.rev = 1", "name = 'wine' AND c.rev = 2", MUST_BE_NOTICED},
        {"name = 'bread' AND c.rev = 1", "name = 'cake' AND c.rev = 9", MUST_BE_NOTICED},
        {"name = 'bread' AND c.rev = 3", "name = 'cake' AND c.rev = 1", ONLY_BY_SEAL},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(swaps); i++) {
        const char *of = "(SELECT c.number FROM was AS c JOIN scopes AS s ON s.number = c.scope WHERE s.";
        attack(swaps[i].expected,
               cv_arena_printf(&t.a,
                               "CREATE TEMP TABLE was AS SELECT * FROM commits;"
                               "UPDATE commits SET number = 1000 WHERE number = %s%s);"
                               "UPDATE commits SET number = %s%s) WHERE number = %s%s);"
                               "UPDATE commits SET number = %s%s) WHERE number = 1000",
                               of, swaps[i].one, of, swaps[i].one, of, swaps[i].other, of, swaps[i].other)
                   .p);
    }
    assert_int_equal(t.noticed, 3);
    assert_int_equal(t.sealed, 1);
    report("order", CV_COUNT(swaps));
}

/* ---- the schema ------------------------------------------------------------------------------------------- */

static void attack_schema(const char *sql)
{
    put_back(&t.now);
    sqlite3 *db = open_raw();
    bool done = run(db, sql);
    sqlite3_close(db);
    if (!done)
        fail_msg("SQLite refuses: %s", sql);
    judge(MUST_BE_NOTICED, sql);
}

static void every_object_of_the_schema(void **state)
{
    static const char *const ways[] = {"DELETE FROM sqlite_schema", "UPDATE sqlite_schema SET sql = sql || ' /* */'"};
    static const char *const others[] = {
        "CREATE TABLE more (a)",
        "CREATE INDEX more ON events (created_at)",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN SELECT 1; END",
        "CREATE TRIGGER more BEFORE UPDATE ON verdicts BEGIN SELECT RAISE(IGNORE); END",
        "DROP TRIGGER events_no_update; CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT 1; END",
        "ALTER TABLE events ADD COLUMN more TEXT",
        "ALTER TABLE verdicts RENAME COLUMN warning TO warned",
        "PRAGMA application_id = 7",
        "ANALYZE",
    };
    (void)state;
    put_back(&t.now);
    sqlite3 *db = open_raw();
    cv_str names = lines_of(db, &t.a, "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL"), name;
    sqlite3_close(db);
    size_t objects = 0, tried = 0, each = cv_test_soak() ? CV_COUNT(ways) : 1;
    for (; cv_str_split(&names, '\n', &name) && name.n > 0; objects++)
        for (size_t i = cv_test_below(&t.random, CV_COUNT(ways)), n = each; n > 0; n--, i++, tried++) {
            if (!cv_test_soak() && cv_test_below(&t.random, 4) > 0)
                break;
            attack_schema(cv_arena_printf(&t.a, "%s WHERE name = '%.*s'", ways[i % CV_COUNT(ways)], CV_FMT(name)).p);
        }
    for (size_t i = 0; i < CV_COUNT(others); i++)
        attack_schema(others[i]);
    assert_true(objects > 70 && tried > 5);
    report("schema", tried + CV_COUNT(others));
}

/* ---- the log ----------------------------------------------------------------------------------------------- */

static void with_log(cv_str log, const char *what)
{
    copy c = t.logged;
    put_back(&c);
    put_file("-wal", log);
    judge(MAY_CHANGE_NOTHING, what);
}

static void the_log_removed_cut_or_damaged(void **state)
{
    enum { HEADER = 32, FRAME = 24 + 4096 };
    cv_str log = t.logged.files[1];
    (void)state;
    with_log((cv_str){NULL, 0}, "the log removed");
    assert_int_equal(t.noticed, 1);
    size_t frames = cv_test_soak() ? 1 : 10, first = cv_test_below(&t.random, frames) * FRAME;
    for (size_t n = 0; n < log.n; n += n < HEADER ? HEADER + first : frames * FRAME) {
        with_log(cv_str_head(log, n), "the log cut at a frame");
        with_log(cv_str_head(log, n + 1000 < log.n ? n + 1000 : n + 1), "the log cut in a frame");
    }
    size_t step = cv_test_soak() ? 97 : 17971;
    for (size_t n = 0; n < log.n; n += n < HEADER ? 1 : n == HEADER ? 1 + cv_test_below(&t.random, step) : step) {
        char *bytes = cv_arena_copy_z(&t.turn, log);
        bytes[n] = (char)(bytes[n] ^ 0x40);
        cv_str damaged = cv_arena_copy(&t.a, (cv_str){bytes, log.n});
        with_log(damaged, "a byte of the log changed");
    }
    assert_true(t.noticed > 40);
    report("log", 60);
}

/* ---- older copies, and dialogues that go -------------------------------------------------------------------- */

static void put_files(const copy *database, const copy *log, const copy *watermark, verdict expected, const char *what)
{
    copy c = {{database->files[0], log ? log->files[1] : (cv_str){NULL, 0},
               watermark ? watermark->files[2] : (cv_str){NULL, 0}}};
    put_back(&c);
    judge(expected, what);
}

static void an_older_copy(void **state)
{
    (void)state;
    put_files(&t.before, NULL, &t.now, MUST_BE_NOTICED, "an older database");
    put_files(&t.unlogged, NULL, &t.now, MUST_BE_NOTICED, "the database before the last ten writes");
    put_files(&t.before, &t.logged, &t.now, MAY_CHANGE_NOTHING, "an older database under a newer log");
    put_files(&t.now, &t.logged, &t.now, MAY_CHANGE_NOTHING, "a log that is in the database already");
    put_files(&t.before, NULL, &t.before, ONLY_BY_SEAL, "an older database with its watermark");
    put_files(&t.before, NULL, NULL, ONLY_BY_SEAL, "an older database without a watermark");
    put_files(&t.now, NULL, NULL, MAY_CHANGE_NOTHING, "the watermark removed");
    assert_int_equal(t.sealed, 2);
    report("copies", 7);
}

/* A file there instead of a watermark is never taken for one, nor for none. */
static void damaged_watermark(cv_str bytes, bool whole_way)
{
    cv_commit commit;
    cv_err err = {.arena = &t.turn};
    put_file("-watermark", bytes);
    const char *path = cv_watermark_path(&t.turn, t.path);
    assert_int_equal(cv_watermark_read(path, &commit, &err), CV_WATERMARK_UNREADABLE);
    assert_int_equal(err.code, CV_ERR_REGRESSED);
    if (whole_way)
        judge(MUST_BE_NOTICED, "the watermark damaged");
    else
        t.noticed++;
}

static void the_watermark_damaged(void **state)
{
    cv_str mark = t.now.files[2];
    (void)state;
    put_back(&t.now);
    for (size_t n = 0; n < mark.n; n++) {
        char *bytes = cv_arena_copy_z(&t.turn, mark);
        bytes[n] = (char)(bytes[n] ^ 1);
        damaged_watermark((cv_str){bytes, mark.n}, n % 16 == 0);
        damaged_watermark(cv_str_head(mark, n), n % 16 == 0);
    }
    damaged_watermark(cv_arena_join(&t.turn, mark, CV_STR("\n")), true);
    report("watermark", 240);
}

/* How thorough someone is: the rows alone; the numbers of commits as well; the watermark, too. */
typedef enum { ROWS, NUMBERS, WATERMARK, THOROUGH } care;

static void finish(sqlite3 *db, care how)
{
    /* An index that has seen nothing is sound. */
    assert_true(run(db, "INSERT INTO search_index (search_index) VALUES ('delete-all'); DELETE FROM search_texts;"
                        "DELETE FROM readers"));
    if (how >= NUMBERS)
        assert_true(run(db, "CREATE TEMP TABLE again AS SELECT row_number() OVER (ORDER BY number) AS n, scope, rev, "
                            "op_id, operation, digest, created_at, head, result FROM commits; DELETE FROM commits;"
                            "INSERT INTO commits SELECT * FROM again"));
    cv_str last = lines_of(db, &t.turn, "SELECT max(number) FROM commits");
    sqlite3_close(db);
    if (how < WATERMARK)
        return;
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_str input = cv_arena_printf(&t.turn, "{\"commit\":%.*s}", CV_FMT(cv_str_trim(last)));
    assert_true(ask("accept", input, &out, &errs));
    cv_buf_release(&out);
}

/* Runs the statements that `sql` makes of every table with rows of scopes, the search index left out: `$` is its name.
 */
static void in_each_table(sqlite3 *db, const char *sql)
{
    cv_str names = lines_of(db, &t.turn,
                            "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' "
                            "AND c.name = 'scope' AND m.name NOT LIKE 'search_%'"),
           name;
    size_t count = 0;
    for (; cv_str_split(&names, '\n', &name) && name.n > 0; count++) {
        cv_str rest = cv_str_of(sql), piece;
        cv_buf made = {0};
        for (bool first = true; cv_str_split(&rest, '$', &piece); first = false) {
            cv_buf_add(&made, first ? CV_STR("") : name);
            cv_buf_add(&made, piece);
        }
        cv_buf_add_char(&made, '\0');
        if (!run(db, made.p))
            fail_msg("%s: %s", made.p, sqlite3_errmsg(db));
        cv_buf_release(&made);
    }
    assert_true(count >= 14);
}

/* The number of a dialogue's scope, as SQL. */
static const char *scope_of(const char *id)
{
    return cv_arena_printf(&t.turn, "(SELECT number FROM main.scopes WHERE name = '%s')", id).p;
}

static void remove_scope(sqlite3 *db, const char *id)
{
    in_each_table(db, cv_arena_printf(&t.turn, "DELETE FROM $ WHERE scope = %s", scope_of(id)).p);
    assert_true(run(db, cv_arena_printf(&t.turn, "DELETE FROM scopes WHERE name = '%s'", id).p));
}

static void dialogues_that_go(void **state)
{
    static const char *const ids[] = {"bread", "cake", "wine", "tart"};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(ids); i++)
        for (care how = ROWS; how < THOROUGH; how++) {
            put_back(&t.now);
            sqlite3 *db = open_raw();
            remove_scope(db, ids[i]);
            finish(db, how);
            judge(how == WATERMARK ? ONLY_BY_SEAL : MUST_BE_NOTICED, "a dialogue removed");

            put_back(&t.now);
            db = open_raw();
            assert_true(run(
                db,
                cv_arena_printf(&t.turn, "UPDATE scopes SET name = 'other' WHERE number = %s", scope_of(ids[i])).p));
            finish(db, how);
            judge(MUST_BE_NOTICED, "a dialogue renamed");
        }
    assert_int_equal(t.sealed, CV_COUNT(ids));
    report("dialogues", 24);
}

/* A dialogue as it was in the older copy: all its rows, its position, its commits. */
static void the_end_of_a_dialogue_cut_off(void **state)
{
    static const char *const ids[] = {"bread", "cake"};
    (void)state;
    put_back(&t.before);
    const char *older = cv_arena_printf(&t.a, "%s/older.db", t.folder).p;
    assert_int_equal(rename(t.path, older), 0);
    for (size_t i = 0; i < CV_COUNT(ids); i++)
        for (care how = ROWS; how < THOROUGH; how++) {
            put_back(&t.now);
            sqlite3 *db = open_raw();
            assert_true(run(db, cv_arena_printf(&t.turn, "ATTACH '%s' AS older", older).p));
            remove_scope(db, ids[i]);
            assert_true(
                run(db, cv_arena_printf(&t.turn, "INSERT INTO main.scopes SELECT * FROM older.scopes WHERE name = '%s'",
                                        ids[i])
                            .p));
            in_each_table(db, cv_arena_printf(&t.turn, "INSERT INTO main.$ SELECT * FROM older.$ WHERE scope = %s",
                                              scope_of(ids[i]))
                                  .p);
            assert_true(run(db, "DETACH older"));
            finish(db, how);
            judge(how == WATERMARK ? ONLY_BY_SEAL : MUST_BE_NOTICED, "the end of a dialogue cut off");
        }
    assert_int_equal(t.sealed, CV_COUNT(ids));
    report("ends", 6);
}

/* ---- using such a record ------------------------------------------------------------------------------------- */

static void a_record_that_has_lost_writes_is_refused(void **state)
{
    static const char *const refused[] = {"seal", "import"};
    (void)state;
    put_files(&t.unlogged, NULL, &t.now, MUST_BE_NOTICED, "the database before the last ten writes");
    for (size_t i = 0; i < CV_COUNT(refused); i++) {
        cv_buf out = {0};
        cv_errs errs = {0};
        assert_false(ask(refused[i], i ? CV_STR("{\"path\":\"x\"}") : CV_STR("{}"), &out, &errs));
        assert_int_equal(errs.items[0].code, CV_ERR_REGRESSED);
        assert_str_has(errs.items[0].message, "was acknowledged, the record ends at commit");
        cv_buf_release(&out);
    }
    /* A writer that did not ask is refused as well, and nothing is written. */
    cv_world w = {.now = 1767400000000, .folder = t.folder};
    use_marked(&w, t.path);
    cv_call call = cv_world_begin(&w);
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_state fresh = {.id = CV_STR("new")};
    cv_rec_dialogue row = {.title = fresh.id,
                           .status = CV_STR("open"),
                           .created_at = CV_STR("x"),
                           .panel_size = CV_ABSENT,
                           .seed = CV_ABSENT};
    cv_journal j;
    cv_outcome outcome;
    cv_err err = {.arena = &w.turn};
    call.input = &input;
    cv_journal_begin(&j, &call, &fresh);
    cv_rec_event *event = cv_journal_event(&j, 'D', fresh.id, CV_STR("created"), 0, CV_STR("[]"));
    cv_journal_covers(&j, event, CV_REC_DIALOGUE, cv_journal_put(&j, CV_REC_DIALOGUE, &row));
    assert_false(cv_journal_commit(&j, CV_STR("{}"), &outcome));
    assert_ptr_equal(call.errs->items[call.errs->count - 1].code, CV_ERR_REGRESSED);
    cv_position position;
    bool found = true;
    assert_ok(cv_position_of(w.record, &w.a, fresh.id, &position, &found, &err), &err);
    assert_false(found);
    cv_world_leave(&w);
    cv_arena_release(&w.turn);
    cv_arena_release(&w.a);
}

static bool accept(const char *input, cv_err_code expected)
{
    cv_buf out = {0};
    cv_errs errs = {0};
    bool ok = ask("accept", cv_str_of(input), &out, &errs);
    if (!ok)
        assert_int_equal(errs.items[0].code, expected);
    cv_buf_release(&out);
    return ok;
}

static void what_is_left_is_accepted_by_name(void **state)
{
    (void)state;
    put_files(&t.unlogged, NULL, &t.now, MUST_BE_NOTICED, "the database before the last ten writes");
    assert_false(accept("{}", CV_ERR_REGRESSED));
    assert_false(accept("{\"commit\":3}", CV_ERR_INVALID_VALUE));
    assert_false(verifies((cv_str){NULL, 0}));
    sqlite3 *db = open_raw();
    cv_str last = lines_of(db, &t.turn, "SELECT max(number) FROM commits");
    sqlite3_close(db);
    assert_true(accept(cv_arena_printf(&t.turn, "{\"commit\":%.*s}", CV_FMT(cv_str_trim(last))).p, CV_ERR_NONE));
    assert_true(verifies((cv_str){NULL, 0}));
    assert_false(verifies(t.seal));
}

int main(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0); /* thousands of copies: the disk is not what is tested here */
#define COUNTED(name) cmocka_unit_test_setup(name, count_from_zero)
    const struct CMUnitTest tests[] = {
        COUNTED(the_record_is_sound),
        COUNTED(every_table_and_column),
        COUNTED(a_restored_write),
        COUNTED(a_replaced_panel),
        COUNTED(values_that_look_like_others),
        COUNTED(commits_in_another_order),
        COUNTED(every_object_of_the_schema),
        COUNTED(the_log_removed_cut_or_damaged),
        COUNTED(an_older_copy),
        COUNTED(the_watermark_damaged),
        COUNTED(dialogues_that_go),
        COUNTED(the_end_of_a_dialogue_cut_off),
        COUNTED(a_record_that_has_lost_writes_is_refused),
        COUNTED(what_is_left_is_accepted_by_name),
    };
#undef COUNTED
    return cmocka_run_group_tests_name("tamper", tests, make_record, forget_record);
}
