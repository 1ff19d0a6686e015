/* bench_views.c - what looking at a dialogue costs, in short and in long ones.
 *
 * Full rounds: 99 entities of each kind with contents of 480 bytes, each but those of the first round referring to one
 * of the round before. After 1, 20 and 99 of them the views are asked; their rivals read the same rows with SQLite
 * alone:
 *
 *     expand     three entities: the entities by their keys, what refers to them, their origins and events
 *     progress   the outline of the dialogue: the rows and fields that the operation reads, in the same order
 *
 * All run warm in the same process, in turn; the best of each counts.
 */
#include "bench_views.h"

#include <ftw.h>
#include <unistd.h>

#include "benching.h"
#include "dialogue/types.h"
#include "dialogue/words/limits.h"
#include "dialogue/words/words.h"
#include "kit/room.h"
#include "record/sql.h"

enum { ROUNDS = 99, EXPERTS = 12, CONTENT = 480, TURNS = 9 };

/* ---- the dialogue ------------------------------------------------------------------------------------------------ */

static void add_entity(cv_buf *b, cv_kind kind, int round, int number)
{
    static const char sentence[] = "Three of the five measured it, and the figures agree to within the noise. ";
    cv_str slug = cv_panel_names.items[number % EXPERTS];
    cv_buf_printf(b, "{\"local_id\":\"%.*s-%c%02d%02d\",\"label\":\"Rye rises slowly, %d\",\"contributors\":[\"%.*s\"]",
                  CV_FMT(slug), cv_kinds[kind].letter, round, number, number, CV_FMT(slug));
    cv_buf_printf(b, ",\"%s\":\"", kind == CV_KIND_TENSION ? "description" : "content");
    for (size_t i = 0; i < CONTENT; i++)
        cv_buf_add_char(b, sentence[i % (sizeof sentence - 1)]);
    cv_buf_add_z(b, "\",\"references\":[");
    if (round > 0)
        cv_buf_printf(b, "{\"type\":\"support\",\"target\":\"P%02d%02d\"}", round - 1, number);
    cv_buf_add_z(b, "]}");
}

static cv_str make_round(cv_arena *a, int round)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{\"dialogue_id\":\"long\",\"round\":%d,\"score\":50", round);
    for (size_t kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_buf_printf(&b, ",\"%.*s\":[", CV_FMT(cv_kinds[kind].plural));
        for (int number = 1; number <= CV_MAX_SEQ; number++) {
            cv_buf_add_z(&b, number > 1 ? "," : "");
            add_entity(&b, (cv_kind)kind, round, number);
        }
        cv_buf_add_char(&b, ']');
    }
    cv_buf_add_char(&b, '}');
    return cv_buf_take(&b, a);
}

static cv_str make_dialogue(cv_arena *a)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{\"title\":\"Long\",\"seed\":1,\"panel_size\":%d,\"expert_pool\":{\"domain\":\"Baking\",",
                  EXPERTS);
    cv_buf_add_z(&b, "\"experts\":[");
    for (int i = 0; i < EXPERTS; i++)
        cv_buf_printf(&b, "%s{\"role\":\"Baker %d\",\"tier\":\"Core\",\"relevance\":0.9}", i ? "," : "", i);
    cv_buf_add_z(&b, "]}}");
    return cv_buf_take(&b, a);
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

/* Runs a statement and takes every column as text; the number of rows. */
static size_t read_rows(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    size_t rows = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        fprintf(stderr, "bench_views: %s: %s\n", sql, sqlite3_errmsg(db));
        exit(1);
    }
    for (; sqlite3_step(st) == SQLITE_ROW; rows++)
        for (int column = 0; column < sqlite3_column_count(st); column++)
            sqlite3_column_text(st, column);
    sqlite3_finalize(st);
    return rows;
}

#define LONG_ONE "scope = (SELECT number FROM scopes WHERE room = 'dialogue' AND name = 'long')"
#define CITED "('P0001', 'P0002', 'T0001')"

static double read_cited(sqlite3 *db, size_t *ret_rows)
{
    static const char *const statements[] = {
        "SELECT * FROM entities WHERE " LONG_ONE " AND kind = 'P' AND round = 0 AND seq IN (1, 2)",
        "SELECT * FROM entities WHERE " LONG_ONE " AND kind = 'T' AND round = 0 AND seq = 1",
        "SELECT * FROM refs WHERE " LONG_ONE " AND (source_id IN " CITED " OR target_id IN " CITED ")",
        "SELECT * FROM origins WHERE " LONG_ONE " AND display_id IN " CITED,
        "SELECT * FROM events WHERE " LONG_ONE " AND subject_id IN " CITED,
    };
    double begin = cv_bench_seconds();
    *ret_rows = 0;
    for (size_t i = 0; i < CV_COUNT(statements); i++)
        *ret_rows += read_rows(db, statements[i]);
    return cv_bench_seconds() - begin;
}

/* The outline of a type's rows, in the order of the key: of entities only the tensions are wanted. */
static cv_str outline_of(cv_arena *a, const cv_type *type)
{
    cv_buf sql = {0};
    cv_buf_add_z(&sql, "SELECT rev");
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].role == CV_KEY || type->fields[i].role == CV_OUTLINE)
            cv_buf_printf(&sql, ", \"%.*s\"", CV_FMT(type->fields[i].name));
    cv_buf_printf(&sql, " FROM %s WHERE " LONG_ONE "%s ORDER BY ", type->table,
                  type == &cv_rec_entity_type ? " AND kind = 'T'" : "");
    for (size_t i = 0; i < type->key_count; i++)
        cv_buf_printf(&sql, "%s\"%.*s\"", i ? ", " : "", CV_FMT(type->fields[i].name));
    return cv_buf_take(&sql, a);
}

static double read_course(sqlite3 *db, size_t *ret_rows)
{
    static const cv_rec_kind kinds[] = {CV_REC_DIALOGUE, CV_REC_EXPERT, CV_REC_SEAT, CV_REC_ROUND,   CV_REC_SCORE,
                                        CV_REC_RESPONSE, CV_REC_ENTITY, CV_REC_MOVE, CV_REC_VERDICT, CV_REC_EVENT};
    const char *statements[CV_COUNT(kinds)];
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(kinds); i++)
        statements[i] = cv_arena_copy_z(&a, outline_of(&a, cv_kind_types[kinds[i]]));
    double begin = cv_bench_seconds();
    *ret_rows = 0;
    for (size_t i = 0; i < CV_COUNT(kinds); i++)
        *ret_rows += read_rows(db, statements[i]);
    double took = cv_bench_seconds() - begin;
    cv_arena_release(&a);
    return took;
}

static const struct {
    const char *verb, *request;
    double (*rival)(sqlite3 *db, size_t *ret_rows);
} views[] = {
    {"expand", "{\"dialogue_id\":\"long\",\"ids\":[\"P0001\",\"P0002\",\"T0001\"]}", read_cited},
    {"progress", "{\"dialogue_id\":\"long\"}", read_course},
};

static void compare(cv_record *record, sqlite3 *db, const char *folder, int rounds)
{
    for (size_t v = 0; v < CV_COUNT(views); v++) {
        double read = 1e9, view = 1e9;
        size_t rows = 0;
        for (int i = 0; i < TURNS; i++) {
            double one = views[v].rival(db, &rows),
                   other = cv_bench_call(record, folder, views[v].verb, cv_str_of(views[v].request));
            read = one < read ? one : read;
            view = other < view ? other : view;
        }
        printf("  %-10s after %2d full rounds  %7.2f ms  %5.1f times bare SQLite (%.2f ms for %zu rows)\n",
               views[v].verb, rounds, view * 1e3, view / read, read * 1e3, rows);
    }
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void bench_views(void)
{
    const char *tmp = getenv("TMPDIR");
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record;
    sqlite3 *db;
    char *folder = cv_arena_copy_z(&a, cv_arena_printf(&a, "%s/conclave-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
    if (!mkdtemp(folder))
        return;
    const char *path = cv_arena_printf(&a, "%s/long.db", folder).p;
    printf("views of a long dialogue\n");
    if (!cv_record_open(&a, path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &err) ||
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        exit(1);
    cv_bench_call(record, folder, "create", make_dialogue(&a));
    for (int round = 0; round < ROUNDS; round++) {
        cv_bench_call(record, folder, "round-register", make_round(&turn, round));
        cv_arena_reset(&turn);
        if (round == 0 || round == 19 || round == ROUNDS - 1)
            compare(record, db, folder, round + 1);
    }
    sqlite3_close(db);
    cv_record_close(record);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cv_arena_release(&turn);
    cv_arena_release(&a);
}
