/* bench_import.c - how fast dialogues come in from files.
 *
 * The files are those of CONCLAVE_CORPUS, or when there is none, made here: folders with three rounds of eight experts.
 * Each run imports all of them into a new database on disk, every dialogue with its own durable writes. The floor reads
 * and parses the same files and keeps nothing. Both in the same process, in turn; the best of several counts.
 */
#include "bench_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "dialogue/text/doc.h"
#include "dialogue/types.h"
#include "kit/room.h"
#include "project/operations.h"
#include "record/sql.h"

enum { REPETITIONS = 3, DIALOGUES = 12, ROUNDS = 3 };

static const char *const speakers[] = {"muffin", "cupcake", "scone",     "eclair",
                                       "donut",  "brioche", "croissant", "macaron"};

static void die(const cv_err *err)
{
    cv_str text = cv_err_text(err);
    fprintf(stderr, "bench_import: %.*s\n", CV_FMT(text));
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void make_response(cv_buf *text, size_t who, int round)
{
    cv_buf_printf(text, "# %s - Round %d\n\n", speakers[who], round);
    for (int i = 1; i <= 3; i++) {
        cv_buf_printf(text, "[PERSPECTIVE P%02d: What %s sees, part %d of round %d]\n", i, speakers[who], i, round);
        for (int line = 0; line < 6; line++)
            cv_buf_add_z(
                text, "Three of the seven measured it, two of them twice, and the figures agree within the noise.\n");
        cv_buf_add_char(text, '\n');
    }
    cv_buf_printf(text, "[TENSION T01: What %s doubts in round %d]\nIt is dear.\n\n[MOVE:CONVERGE]\n", speakers[who],
                  round);
}

static void make_files(cv_arena *a, const char *folder)
{
    cv_err err = {.arena = a};
    for (int d = 0; d < DIALOGUES; d++)
        for (int round = 0; round < ROUNDS; round++)
            for (size_t who = 0; who < CV_COUNT(speakers); who++) {
                cv_buf text = {0};
                const char *in = cv_arena_printf(a, "%s/dialogue-%d/round-%d", folder, d, round).p;
                make_response(&text, who, round);
                if (!cv_folder_make(in, &err) ||
                    !cv_file_write(cv_arena_printf(a, "%s/%s.md", in, speakers[who]).p, cv_buf_str(&text), &err))
                    die(&err);
                cv_buf_release(&text);
            }
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

static bool parse_one(void *ctx, const char *path, cv_err *err)
{
    size_t *bytes = ctx;
    cv_arena a = {0};
    cv_str text;
    cv_doc doc;
    cv_err own = {.arena = &a};
    (void)err;
    if (cv_file_read_text(&a, path, &text, &own)) {
        cv_doc_parse(&a, text, &doc, NULL);
        *bytes += text.n;
    }
    cv_arena_release(&a);
    return true;
}

static double parse_all(cv_arena *a, const char *folder, size_t *ret_bytes)
{
    cv_err err = {.arena = a};
    double begin = seconds();
    *ret_bytes = 0;
    if (!cv_file_walk(a, folder, CV_STR(".md"), parse_one, ret_bytes, &err))
        die(&err);
    return seconds() - begin;
}

/* ---- the import -------------------------------------------------------------------------------------------------- */

static double import_all(cv_arena *a, const char *work, const char *folder, int run)
{
    cv_err err = {.arena = a};
    cv_errs errs = {0};
    cv_buf out = {0};
    cv_record *record;
    cv_json path = {.type = CV_JSON_STRING, .text = cv_str_of(folder)};
    cv_json_member member = {CV_STR("path"), path};
    cv_json input = {.type = CV_JSON_OBJECT, .count = 1, .members = &member};
    if (!cv_record_open(a, cv_arena_printf(a, "%s/%d.db", work, run).p, CV_RECORD_CREATE, &cv_program_types,
                        &cv_sql_sqlite_schema, &record, &err))
        die(&err);
    cv_call call = {.arena = a,
                    .record = record,
                    .clock = cv_clock_system(),
                    .root = work,
                    .input = &input,
                    .out = &out,
                    .errs = &errs};
    double begin = seconds();
    if (!cv_project_import(&call))
        die(&errs.items[0]);
    double took = seconds() - begin;
    cv_record_close(record);
    cv_buf_release(&out);
    return took;
}

void bench_import(void)
{
    cv_arena a = {0};
    char work[] = "/tmp/conclave-bench-XXXXXX";
    const char *folder = getenv("CONCLAVE_CORPUS");
    double parsed = 1e9, imported = 1e9;
    size_t bytes = 0;
    if (!mkdtemp(work))
        return;
    bool real = folder && *folder;
    if (!real) {
        folder = cv_arena_printf(&a, "%s/files", work).p;
        make_files(&a, folder);
    }
    for (int i = 0; i < REPETITIONS; i++) {
        double floor = parse_all(&a, folder, &bytes), took = import_all(&a, work, folder, i);
        parsed = floor < parsed ? floor : parsed;
        imported = took < imported ? took : imported;
    }
    printf("import: %s, %.2f MB of markdown\n", real ? "the corpus" : "made files", (double)bytes / 1e6);
    printf("  read and parse only %8.1f MB/s\n", (double)bytes / 1e6 / parsed);
    printf("  import              %8.1f MB/s, %.0f times as long: heard, checked, hashed and synced\n",
           (double)bytes / 1e6 / imported, imported / parsed);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", work);
    if (system(command) != 0)
        fprintf(stderr, "bench_import: cannot remove %s\n", work);
    cv_arena_release(&a);
}
