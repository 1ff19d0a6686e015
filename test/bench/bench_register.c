/* bench_register.c - what a full round costs from the request's text to the answer.
 *
 * 495 entities with contents of 480 bytes and 1,485 references are registered as a door does it: the JSON text is
 * parsed, checked against the schema and handed to the operation, which resolves ids, applies the cascades, makes
 * events and hashes and commits.
 *
 * The floor is SQLite alone: every row that the operation has written, in all tables, is read back and inserted into
 * a second database with the same schema, indexes and settings, by prepared statements in one transaction. Rounds of
 * new dialogues alternate between the two; the best of each counts, and in the end both databases have the same rows.
 */
#include "bench_register.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench_round.h"
#include "benching.h"

#include "dialogue/types.h"
#include "kit/room.h"
#include "record/sql.h"
#include "record/sqlite/engine.h"

enum { REPETITIONS = 25, MOST_TABLES = 32 };

/* ---- through the operation ---------------------------------------------------------------------- */

/* From text to answer, in memory that is given back. */
static cv_bench_cost call(cv_record *record, const char *folder, const char *verb, cv_str text)
{
    cv_bench_cost begin = cv_bench_now();
    cv_bench_call(record, folder, verb, text);
    return cv_bench_since(begin);
}

/* ---- bare SQLite -------------------------------------------------------------------------------- */

/* A table with a scope, or that of scopes: how its rows of one write are read from the one side and put into the other.
 */
typedef struct {
    char name[40];
    sqlite3_stmt *read, *put, *count[2];
    int columns;
    sqlite3_value **rows; /* columns of row 0, columns of row 1, … */
    size_t row_count, capacity;
} table;

typedef struct {
    sqlite3 *from, *to;
    sqlite3_stmt *begin, *commit;
    table tables[MOST_TABLES];
    size_t count, rows;
} bare;

static void die(sqlite3 *db, const char *what)
{
    fprintf(stderr, "bench_register: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static sqlite3 *open_bare(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                     "PRAGMA recursive_triggers = ON",
                     NULL, NULL, NULL) != SQLITE_OK)
        die(db, path);
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, char *sql)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK)
        die(db, sql);
    sqlite3_free(sql);
    return st;
}

/* Rows of dialogues and experts exist already and are replaced; all others are new. */
static void prepare_table(bare *b, table *t, const char *columns, const char *marks, const char *key, const char *sets)
{
    bool scopes = strcmp(t->name, "scopes") == 0;
    bool replaces = scopes || strcmp(t->name, "dialogues") == 0 || strcmp(t->name, "experts") == 0;
    t->read =
        prepare(b->from, sqlite3_mprintf(scopes ? "SELECT %s FROM %s WHERE name = ? AND rev = ?"
                                                : "SELECT %s FROM %s WHERE scope = (SELECT number FROM scopes WHERE "
                                                  "name = ?) AND rev = ?",
                                         columns, t->name));
    t->columns = sqlite3_column_count(t->read);
    t->put =
        prepare(b->to, sqlite3_mprintf(replaces ? "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s"
                                                : "INSERT INTO %s (%s) VALUES (%s)",
                                       t->name, columns, marks, key,
                                       scopes ? "rev = excluded.rev, head = excluded.head, event_count = "
                                                "excluded.event_count"
                                              : sets));
    for (int i = 0; i < 2; i++)
        t->count[i] = prepare(i ? b->to : b->from, sqlite3_mprintf("SELECT count(*) FROM %s", t->name));
}

static void prepare_tables(bare *b)
{
    sqlite3_stmt *st = prepare(
        b->to,
        sqlite3_mprintf("SELECT m.name, group_concat(c.name), group_concat('?'),"
                        " group_concat(c.name) FILTER (WHERE c.pk), group_concat(c.name || ' = excluded.' || c.name)"
                        " FILTER (WHERE NOT c.pk) FROM sqlite_schema m, pragma_table_info(m.name) c"
                        " WHERE m.type = 'table' GROUP BY m.name HAVING sum(c.name = 'scope') AND sum(c.name = 'rev')"
                        " OR m.name = 'scopes' ORDER BY m.name <> 'scopes', m.name"));
    while (sqlite3_step(st) == SQLITE_ROW && b->count < MOST_TABLES) {
        const char *text[5];
        for (int i = 0; i < 5; i++)
            text[i] = (const char *)sqlite3_column_text(st, i);
        table *t = &b->tables[b->count++];
        snprintf(t->name, sizeof t->name, "%s", text[0]);
        prepare_table(b, t, text[1], text[2], text[3], text[4]);
    }
    sqlite3_finalize(st);
    b->begin = prepare(b->to, sqlite3_mprintf("BEGIN IMMEDIATE"));
    b->commit = prepare(b->to, sqlite3_mprintf("COMMIT"));
}

static void forget_rows(table *t)
{
    for (size_t i = 0; i < t->row_count * (size_t)t->columns; i++)
        sqlite3_value_free(t->rows[i]);
    t->row_count = 0;
}

/* The rows of one write of a dialogue, into memory. */
static void fetch(bare *b, int number, int rev)
{
    char id[16];
    snprintf(id, sizeof id, "d%d", number);
    b->rows = 0;
    for (size_t i = 0; i < b->count; i++) {
        table *t = &b->tables[i];
        forget_rows(t);
        sqlite3_bind_text(t->read, 1, id, -1, SQLITE_STATIC);
        sqlite3_bind_int(t->read, 2, rev);
        while (sqlite3_step(t->read) == SQLITE_ROW) {
            if (t->row_count == t->capacity) {
                t->capacity = t->capacity ? 2 * t->capacity : 64;
                t->rows = realloc(t->rows, t->capacity * (size_t)t->columns * sizeof *t->rows);
            }
            for (int c = 0; c < t->columns; c++)
                t->rows[t->row_count * (size_t)t->columns + (size_t)c] =
                    sqlite3_value_dup(sqlite3_column_value(t->read, c));
            t->row_count++;
        }
        sqlite3_reset(t->read);
        b->rows += t->row_count;
    }
}

static void run(bare *b, sqlite3_stmt *st)
{
    if (sqlite3_step(st) != SQLITE_DONE)
        die(b->to, sqlite3_sql(st));
    sqlite3_reset(st);
}

/* What was fetched, in one transaction. */
static cv_bench_cost insert(bare *b)
{
    cv_bench_cost begin = cv_bench_now();
    run(b, b->begin);
    for (size_t i = 0; i < b->count; i++) {
        table *t = &b->tables[i];
        for (size_t row = 0; row < t->row_count; row++) {
            for (int c = 0; c < t->columns; c++) {
                sqlite3_value *value = t->rows[row * (size_t)t->columns + (size_t)c];
                if (sqlite3_value_type(value) == SQLITE_TEXT)
                    sqlite3_bind_text(t->put, c + 1, (const char *)sqlite3_value_text(value),
                                      sqlite3_value_bytes(value), SQLITE_STATIC);
                else
                    sqlite3_bind_value(t->put, c + 1, value);
            }
            run(b, t->put);
        }
    }
    run(b, b->commit);
    return cv_bench_since(begin);
}

static void close_tables(bare *b)
{
    for (size_t i = 0; i < b->count; i++) {
        table *t = &b->tables[i];
        int64_t counts[2];
        for (int k = 0; k < 2; k++) {
            sqlite3_step(t->count[k]);
            counts[k] = sqlite3_column_int64(t->count[k], 0);
            sqlite3_finalize(t->count[k]);
        }
        if (counts[0] != counts[1])
            printf("  %s: %lld rows through the operation, %lld bare\n", t->name, (long long)counts[0],
                   (long long)counts[1]);
        forget_rows(t);
        free(t->rows);
        sqlite3_finalize(t->read);
        sqlite3_finalize(t->put);
    }
    sqlite3_finalize(b->begin);
    sqlite3_finalize(b->commit);
    sqlite3_close(b->from);
    sqlite3_close(b->to);
}

/* ---- both ---------------------------------------------------------------------------------------- */

/* Neither pays for what the rounds before it have left in the log. */
static void empty_logs(cv_record *record, bare *b)
{
    sqlite3_exec(((cv_sqlite_record *)record)->s->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    sqlite3_exec(b->to, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
}

static void compare(cv_record *record, const char *folder, bare *b)
{
    cv_bench_cost ours = {1e9, 1e9}, floor = {1e9, 1e9};
    cv_arena a = {0};
    for (int i = 0; i < REPETITIONS; i++) {
        call(record, folder, "create", cv_bench_dialogue(&a, i));
        fetch(b, i, 1);
        insert(b);
        cv_str text = cv_bench_round(&a, i);
        empty_logs(record, b);
        cv_bench_keep_best(&ours, call(record, folder, "round-register", text));
        fetch(b, i, 2);
        cv_bench_keep_best(&floor, insert(b));
        cv_arena_reset(&a);
    }
    printf("register: a full round, %zu rows   %7.2f ms   bare SQLite %7.2f ms   ratio %.2f (goal: at most 1.4)\n",
           b->rows, ours.wall, floor.wall, ours.wall / floor.wall);
    printf("          of it computing            %7.2f ms               %7.2f ms   ratio %.2f\n", ours.cpu, floor.cpu,
           ours.cpu / floor.cpu);
    cv_arena_release(&a);
}

void bench_register(void)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    char folder[] = "/tmp/conclave-bench-XXXXXX";
    if (!mkdtemp(folder))
        return;
    const char *one = cv_arena_printf(&a, "%s/conclave.db", folder).p,
               *two = cv_arena_printf(&a, "%s/bare.db", folder).p;
    cv_record *record;
    if (cv_record_open(&a, one, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &err)) {
        bare b = {.from = open_bare(one), .to = open_bare(two)};
        for (size_t i = 0; i < cv_sql_sqlite_schema.count; i++)
            if (sqlite3_exec(b.to, cv_sql_sqlite_schema.items[i].text, NULL, NULL, NULL) != SQLITE_OK)
                die(b.to, "schema");
        prepare_tables(&b);
        compare(record, folder, &b);
        close_tables(&b);
        cv_record_close(record);
    }
    static const char *const files[] = {"conclave.db", "conclave.db-watermark", "conclave.db-turn", "bare.db"};
    for (size_t i = 0; i < CV_COUNT(files); i++)
        unlink(cv_arena_printf(&a, "%s/%s", folder, files[i]).p);
    rmdir(folder);
    cv_arena_release(&a);
}
