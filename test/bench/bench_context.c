/* bench_context.c - what it costs to prepare the next round of a long dialogue.
 *
 * 20 rounds with 12 experts, each of whom says six things a round with contents of 480 bytes, refers to three others
 * and makes a move: 1,440 entities, 4,104 references. The rival steps over the rows that the operations need with
 * SQLite alone and takes every column as text. All run warm in the same process, in turn; the best of each counts.
 * Files are written durably and again in every turn: a new rev of the dialogue changes every prompt.
 */
#include "bench_context.h"

#include <ftw.h>
#include <unistd.h>

#include "benching.h"

#include "dialogue/types.h"
#include "dialogue/words/words.h"
#include "kit/room.h"
#include "record/sql.h"

enum { ROUNDS = 20, EXPERTS = 12, CONTENT = 480, TURNS = 9 };

/* ---- the dialogue ------------------------------------------------------------------------------------------------ */

static void add_reference(cv_buf *b, int round, int number, int step)
{
    int target = (number * 7 + step * 5) % EXPERTS + 1;
    cv_buf_printf(b, "%s{\"type\":\"%s\",\"target\":\"P%02d%02d\"}", step ? "," : "", step ? "support" : "depend",
                  round - 1 - (round > 1 ? step % 2 : 0), target);
}

static void add_entity(cv_buf *b, cv_kind kind, int round, int expert, int number)
{
    static const char sentence[] = "Three of the five measured it, and the figures agree to within the noise. ";
    cv_str slug = cv_panel_names.items[expert];
    cv_buf_printf(b,
                  "{\"local_id\":\"%.*s-%c%02d%02d\",\"label\":\"Ownership of fields, %d\",\"contributors\":[\"%.*s\"]",
                  CV_FMT(slug), cv_kinds[kind].letter, round, number, number, CV_FMT(slug));
    cv_buf_printf(b, ",\"%s\":\"", kind == CV_KIND_TENSION ? "description" : "content");
    for (size_t i = 0; i < CONTENT; i++)
        cv_buf_add_char(b, sentence[i % (sizeof sentence - 1)]);
    cv_buf_add_z(b, "\",\"references\":[");
    for (int i = 0; round > 0 && i < 3; i++)
        add_reference(b, round, number, i);
    cv_buf_add_z(b, "]}");
}

static cv_str make_round(cv_arena *a, int round)
{
    cv_buf b = {0};
    cv_buf_printf(
        &b, "{\"dialogue_id\":\"long\",\"round\":%d,\"score\":50,\"title\":\"Round\",\"summary\":\"It moved.\"", round);
    for (size_t kind = 0; kind < CV_KIND_COUNT; kind++) {
        int each = kind == CV_KIND_PERSPECTIVE ? 2 : 1;
        cv_buf_printf(&b, ",\"%.*s\":[", CV_FMT(cv_kinds[kind].plural));
        for (int i = 0; i < EXPERTS * each; i++) {
            cv_buf_add_z(&b, i ? "," : "");
            add_entity(&b, (cv_kind)kind, round, i % EXPERTS, i / EXPERTS + 1);
        }
        cv_buf_add_char(&b, ']');
    }
    cv_buf_add_z(&b, ",\"moves\":[");
    for (int i = 0; i < EXPERTS; i++)
        cv_buf_printf(&b, "%s{\"expert\":\"%.*s\",\"type\":\"defend\",\"targets\":[\"P%02d01\"]}", i ? "," : "",
                      CV_FMT(cv_panel_names.items[i]), round);
    cv_buf_add_z(&b, "]}");
    return cv_buf_take(&b, a);
}

static cv_str make_dialogue(cv_arena *a)
{
    cv_buf b = {0};
    cv_buf_printf(&b,
                  "{\"title\":\"Long\",\"question\":\"Which?\",\"seed\":1,\"panel_size\":%d,\"expert_pool\":", EXPERTS);
    cv_buf_add_z(&b, "{\"domain\":\"Baking\",\"experts\":[");
    for (int i = 0; i < EXPERTS; i++)
        cv_buf_printf(&b, "%s{\"role\":\"Baker %d\",\"tier\":\"Core\",\"relevance\":0.9}", i ? "," : "", i);
    cv_buf_add_z(&b, "]}}");
    return cv_buf_take(&b, a);
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

static double read_rows(sqlite3 *db, size_t *ret_bytes)
{
    static const char *const tables[] = {"dialogues", "experts",  "panels", "rounds",
                                         "scores",    "entities", "refs",   "moves"};
    double begin = cv_bench_seconds();
    *ret_bytes = 0;
    for (size_t i = 0; i < CV_COUNT(tables); i++)
        *ret_bytes += cv_bench_read(db, tables[i], "long");
    return cv_bench_seconds() - begin;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void keep_best(double *best, double one)
{
    *best = one < *best ? one : *best;
}

static void compare(cv_arena *a, cv_record *record, sqlite3 *db, const char *folder)
{
    double read = 1e9, context = 1e9, prompts = 1e9, files = 1e9;
    size_t bytes = 0;
    cv_str written = cv_arena_printf(a, "%s/.conclave/dialogues", folder);
    for (int i = 0; i < TURNS; i++) {
        keep_best(&read, read_rows(db, &bytes));
        keep_best(&context, cv_bench_call(record, folder, "round-context", CV_STR("{\"dialogue_id\":\"long\"}")));
        keep_best(&prompts,
                  cv_bench_call(record, folder, "round-prompts",
                                CV_STR("{\"dialogue_id\":\"long\",\"write\":false,\"include_prompts\":false}")));
        keep_best(&files, cv_bench_call(record, folder, "round-prompts", CV_STR("{\"dialogue_id\":\"long\"}")));
        nftw(written.p, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
    printf("  bare SQLite reads the rows   %7.2f ms  (%.2f MB of values)\n", read * 1e3, (double)bytes / 1e6);
    printf("  round-context                %7.2f ms  %5.1f times the reading\n", context * 1e3, context / read);
    printf("  %d prompts, in memory        %7.2f ms  %5.1f times, %.2f each\n", EXPERTS, prompts * 1e3, prompts / read,
           prompts / read / EXPERTS);
    printf("  %d prompts, %d durable files %7.2f ms  %5.1f times, %.2f each\n", EXPERTS, 2 * EXPERTS, files * 1e3,
           files / read, files / read / EXPERTS);
}

void bench_context(void)
{
    const char *tmp = getenv("TMPDIR");
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record;
    sqlite3 *db;
    char *folder = cv_arena_copy_z(&a, cv_arena_printf(&a, "%s/conclave-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
    if (!mkdtemp(folder))
        return;
    const char *path = cv_arena_printf(&a, "%s/long.db", folder).p;
    printf("preparing round %d of a dialogue with %d experts (%d entities)\n", ROUNDS, EXPERTS, ROUNDS * EXPERTS * 6);
    if (!cv_record_open(&a, path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &err))
        exit(1);
    cv_bench_call(record, folder, "create", make_dialogue(&a));
    for (int round = 0; round < ROUNDS; round++)
        cv_bench_call(record, folder, "round-register", make_round(&a, round));
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        exit(1);
    compare(&a, record, db, folder);
    sqlite3_close(db);
    cv_record_close(record);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cv_arena_release(&a);
}
