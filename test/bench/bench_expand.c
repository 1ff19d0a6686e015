/* bench_expand.c - what one citation costs, in short and in long dialogues.
 *
 * Full rounds: 99 entities of each kind with contents of 480 bytes, each but those of the first round referring to one
 * of the round before. After 1, 20 and 99 of them three entities are expanded. The rival reads the same rows with
 * SQLite alone: the entities by their keys, what refers to them, their origins and events. Both run warm in the same
 * process, in turn; the best of each counts.
 */
#include "bench_expand.h"

#include <ftw.h>
#include <unistd.h>

#include "base/limits.h"
#include "benching.h"
#include "vocab/vocab.h"

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

static double read_rows(sqlite3 *db, size_t *ret_rows)
{
    static const char *const statements[] = {
        "SELECT * FROM perspectives WHERE dialogue_id = 'long' AND round = 0 AND seq IN (1, 2)",
        "SELECT * FROM tensions WHERE dialogue_id = 'long' AND round = 0 AND seq = 1",
        "SELECT * FROM refs WHERE dialogue_id = 'long'"
        " AND (source_id IN ('P0001', 'P0002', 'T0001') OR target_id IN ('P0001', 'P0002', 'T0001'))",
        "SELECT * FROM origins WHERE dialogue_id = 'long' AND display_id IN ('P0001', 'P0002', 'T0001')",
        "SELECT * FROM events WHERE dialogue_id = 'long' AND subject_id IN ('P0001', 'P0002', 'T0001')",
    };
    double begin = cv_bench_seconds();
    *ret_rows = 0;
    for (size_t i = 0; i < CV_COUNT(statements); i++) {
        sqlite3_stmt *st;
        if (sqlite3_prepare_v2(db, statements[i], -1, &st, NULL) != SQLITE_OK)
            exit(1);
        for (; sqlite3_step(st) == SQLITE_ROW; ++*ret_rows)
            for (int column = 0; column < sqlite3_column_count(st); column++)
                sqlite3_column_text(st, column);
        sqlite3_finalize(st);
    }
    return cv_bench_seconds() - begin;
}

static void compare(cv_store *store, sqlite3 *db, const char *folder, int rounds)
{
    double read = 1e9, expand = 1e9;
    size_t rows = 0;
    for (int i = 0; i < TURNS; i++) {
        double one = read_rows(db, &rows),
               other = cv_bench_call(store, folder, "expand",
                                     CV_STR("{\"dialogue_id\":\"long\",\"ids\":[\"P0001\",\"P0002\",\"T0001\"]}"));
        read = one < read ? one : read;
        expand = other < expand ? other : expand;
    }
    printf("  after %2d full rounds         %7.2f ms  %5.1f times bare SQLite (%.2f ms for %zu rows)\n", rounds,
           expand * 1e3, expand / read, read * 1e3, rows);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void bench_expand(void)
{
    const char *tmp = getenv("TMPDIR");
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_store *store;
    sqlite3 *db;
    char *folder = cv_arena_copy_z(&a, cv_arena_printf(&a, "%s/conclave-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
    if (!mkdtemp(folder))
        return;
    const char *path = cv_arena_printf(&a, "%s/long.db", folder).p;
    printf("expanding three ids\n");
    if (!cv_sqlite_open(&a, path, true, &store, &err) ||
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        exit(1);
    cv_bench_call(store, folder, "create", make_dialogue(&a));
    for (int round = 0; round < ROUNDS; round++) {
        cv_bench_call(store, folder, "round-register", make_round(&turn, round));
        cv_arena_reset(&turn);
        if (round == 0 || round == 19 || round == ROUNDS - 1)
            compare(store, db, folder, round + 1);
    }
    sqlite3_close(db);
    cv_store_close(store);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cv_arena_release(&turn);
    cv_arena_release(&a);
}
