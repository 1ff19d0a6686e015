/* bench_export.c - how fast and in how little memory the largest dialogue is exported.
 *
 * 99 full rounds: 99 entities of each kind in every round, 49,005 in all, with contents of 480 bytes, a reference and
 * an event each, and a response per expert and round. It is written once into a database of its own, through
 * the store and with honest digests, like a real one.
 *
 * The rival steps over the same rows with SQLite alone and takes every column as text; it writes nothing. Both run in
 * the same process, warm, several times in turn; the best counts. Peak memory is what a process of its own needs for
 * one export, the database's cache included.
 */
#include "bench_export.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benching.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/place.h"
#include "dialogue/words/limits.h"
#include "kit/room.h"
#include "record/sql.h"

enum { ROUNDS = 99, EXPERTS = 12, CONTENT = 480, REPETITIONS = 7 };

static void die(const cv_err *err)
{
    cv_str text = cv_err_text(err);
    fprintf(stderr, "bench_export: %.*s\n", CV_FMT(text));
    exit(1);
}

/* ---- the dialogue ---------------------------------------------------------------------------- */

typedef struct {
    cv_arena arena;
    cv_call call;
    cv_errs errs;
    cv_json input;
    cv_state state;
    cv_journal journal;
    cv_str content;
} writer;

static void begin(writer *w, cv_record *record, int number)
{
    cv_err err = {.arena = &w->arena};
    cv_wanted lean = {.kinds = 1u << CV_REC_DIALOGUE | 1u << CV_REC_EXPERT};
    w->call = (cv_call){
        .arena = &w->arena, .record = record, .clock = {cv_bench_still, NULL}, .input = &w->input, .errs = &w->errs};
    cv_str input = cv_arena_printf(&w->arena, "{\"op_id\":\"op-%d\"}", number);
    if (!cv_json_parse(&w->arena, input, &w->input, &err))
        die(&err);
    w->state = (cv_state){.id = CV_STR("large")};
    if (number > 0 && !cv_state_load(&w->call, w->state.id, &lean, &w->state, &err))
        die(&err);
    cv_journal_begin(&w->journal, &w->call, &w->state);
}

static void commit(writer *w)
{
    cv_outcome outcome;
    if (!cv_journal_commit(&w->journal, CV_STR("{}"), &outcome))
        die(&w->call.errs->items[0]);
    cv_arena_reset(&w->arena);
}

static void put(writer *w, cv_rec_event *event, cv_rec_kind kind, const void *row)
{
    cv_journal_covers(&w->journal, event, kind, cv_journal_put(&w->journal, kind, row));
}

static void create(writer *w, cv_record *record)
{
    begin(w, record, 0);
    cv_rec_dialogue dialogue = {.title = CV_STR("Large"), .status = CV_STR("open"), .created_at = w->journal.now};
    cv_rec_event *event =
        cv_journal_event(&w->journal, 'D', CV_STR("large"), CV_STR("created"), 0, CV_STR("[\"judge\"]"));
    put(w, event, CV_REC_DIALOGUE, &dialogue);
    for (int i = 0; i < EXPERTS; i++) {
        cv_rec_expert expert = {.expert_slug = cv_panel_names.items[i],
                                .position = i,
                                .role = CV_STR("Analyst"),
                                .tier = CV_STR("Core"),
                                .source = CV_STR("pool"),
                                .created_at = w->journal.now};
        put(w, event, CV_REC_EXPERT, &expert);
        cv_rec_seat seat = {.round = 0, .expert_slug = expert.expert_slug, .position = i, .source = CV_STR("pool")};
        cv_journal_put(&w->journal, CV_REC_SEAT, &seat);
    }
    commit(w);
}

static void add_entity(writer *w, cv_kind kind, int round, int seq)
{
    cv_arena *a = &w->arena;
    char text[6];
    uint32_t place = (uint32_t)((int)kind * CV_PLACES_PER_KIND + round * 100 + seq);
    cv_str id = cv_arena_copy(a, cv_place_print(place, text)), slug = cv_panel_names.items[seq % EXPERTS];
    cv_str by = cv_arena_printf(a, "[\"%.*s\"]", CV_FMT(slug));
    cv_rec_entity row = {.kind = cv_str_head(id, 1),
                         .round = round,
                         .seq = seq,
                         .label = CV_STR("Options viability confirmed by the premium data"),
                         .content = w->content,
                         .contributors = by,
                         .status = cv_statuses[cv_status_first(kind)].word,
                         .created_at = w->journal.now};
    cv_rec_event *event = cv_journal_event(&w->journal, id.p[0], id, CV_STR("created"), round, by);
    put(w, event, CV_REC_ENTITY, &row);
    cv_rec_reference reference = {.source_id = id,
                                  .ref_type = CV_STR("support"),
                                  .target_id = CV_STR("P0001"),
                                  .source_type = row.kind,
                                  .target_type = CV_STR("P"),
                                  .round = round,
                                  .position = seq,
                                  .created_at = w->journal.now};
    reference.target_id = cv_arena_copy(a, cv_place_print((uint32_t)(round * 100 + 1 + seq % 7), text));
    cv_journal_put(&w->journal, CV_REC_REFERENCE, &reference);
    cv_rec_origin origin = {.local_id = cv_arena_printf(a, "%.*s-%.*s", CV_FMT(slug), CV_FMT(id)),
                            .display_id = id,
                            .expert_slug = slug,
                            .round = round,
                            .response_sha256 =
                                CV_STR("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
                            .range_start = 10,
                            .range_end = 500};
    cv_journal_put(&w->journal, CV_REC_ORIGIN, &origin);
}

static void add_round(writer *w, cv_record *record, int round)
{
    begin(w, record, round + 1);
    char *content = cv_arena_alloc(&w->arena, CONTENT);
    for (int i = 0; i < CONTENT; i++)
        content[i] = "The premium covers \"it\"\n"[i % 24];
    w->content = (cv_str){content, CONTENT};
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        for (int seq = 1; seq <= CV_MAX_SEQ; seq++)
            add_entity(w, (cv_kind)kind, round, seq);
    cv_rec_event *event = cv_journal_event(&w->journal, 'O', cv_arena_printf(&w->arena, "%d", round),
                                           CV_STR("registered"), round, CV_STR("[\"judge\"]"));
    cv_rec_round row = {.round = round,
                        .title = CV_STR("Round"),
                        .score = EXPERTS,
                        .summary = w->content,
                        .status = CV_STR("completed"),
                        .created_at = w->journal.now};
    put(w, event, CV_REC_ROUND, &row);
    cv_rec_dialogue dialogue = w->state.dialogue;
    dialogue.total_rounds = round + 1;
    dialogue.total_alignment += row.score;
    put(w, event, CV_REC_DIALOGUE, &dialogue);
    for (int i = 0; i < EXPERTS; i++) {
        cv_rec_score score = {.round = round, .expert_slug = cv_panel_names.items[i], .score = 1};
        put(w, event, CV_REC_SCORE, &score);
        cv_rec_expert expert = w->state.experts.items[i];
        expert.total_score++;
        put(w, event, CV_REC_EXPERT, &expert);
        cv_rec_response response = {.round = round,
                                    .expert_slug = cv_panel_names.items[i],
                                    .content = w->content,
                                    .created_at = w->journal.now};
        put(w, event, CV_REC_RESPONSE, &response);
    }
    commit(w);
}

static cv_record *make_large(cv_arena *a, const char *path)
{
    cv_record *record;
    cv_err err = {.arena = a};
    if (!cv_record_open(a, path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &err))
        die(&err);
    writer *w = CV_NEW(a, writer);
    create(w, record);
    for (int round = 0; round < ROUNDS; round++)
        add_round(w, record, round);
    cv_arena_release(&w->arena);
    return record;
}

/* ---- both sides ------------------------------------------------------------------------------ */

static cv_bench_cost export_once(cv_record *record, const char *folder)
{
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_buf out = {0};
    cv_json input;
    cv_err err = {.arena = &a};
    cv_str text =
        cv_arena_printf(&a, "{\"dialogue_id\":\"large\",\"plain\":true,\"output_path\":\"%s/large.json\"}", folder);
    if (!cv_json_parse(&a, text, &input, &err))
        die(&err);
    cv_call call = {.arena = &a,
                    .record = record,
                    .clock = {cv_bench_still, NULL},
                    .root = folder,
                    .input = &input,
                    .input_text = text,
                    .out = &out,
                    .errs = &errs};
    cv_bench_cost start = cv_bench_now();
    if (!cv_dialogue_export(&call))
        die(&errs.items[0]);
    cv_bench_cost took = cv_bench_since(start);
    cv_buf_release(&out);
    cv_arena_release(&a);
    return took;
}

static cv_bench_cost read_once(sqlite3 *db, size_t *ret_bytes)
{
    static const char *const tables[] = {"dialogues", "experts", "panels", "rounds", "scores",   "responses",
                                         "entities",  "origins", "refs",   "moves",  "verdicts", "events"};
    cv_bench_cost start = cv_bench_now();
    *ret_bytes = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        *ret_bytes += cv_bench_read(db, tables[i], "large");
    return cv_bench_since(start);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Runs `work` in a process of its own and returns what it returns. */
static long in_child(long (*work)(const char *path, const char *folder), const char *path, const char *folder)
{
    int ends[2];
    long result = -1;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        result = work(path, folder);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &result, sizeof result) != sizeof result)
        result = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return result;
}

static long make_in_child(const char *path, const char *folder)
{
    cv_arena a = {0};
    (void)folder;
    cv_record_close(make_large(&a, path));
    cv_arena_release(&a);
    return 0;
}

/* The most memory that was resident so far, in kilobytes. */
static long high_water(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

/* What the process inherits from the benchmarks before this one does not count: the mark is set again first. */
static long export_in_child(const char *path, const char *folder)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record;
    malloc_trim(0);
    FILE *marks = fopen("/proc/self/clear_refs", "w");
    if (marks) {
        fputs("5", marks);
        fclose(marks);
    }
    long before = high_water();
    if (!cv_record_open(&a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err))
        die(&err);
    export_once(record, folder);
    long peak = high_water() - before;
    cv_record_close(record);
    cv_arena_release(&a);
    return peak;
}

/* ---- both in turn ---------------------------------------------------------------------------- */

static void compare(const char *path, const char *folder)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record;
    sqlite3 *db;
    size_t bytes = 0;
    cv_bench_cost read = {1e9, 1e9}, exported = {1e9, 1e9};
    if (!cv_record_open(&a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err))
        die(&err);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        exit(1);
    for (int i = 0; i < REPETITIONS; i++) {
        cv_bench_keep_best(&read, read_once(db, &bytes));
        cv_bench_keep_best(&exported, export_once(record, folder));
    }
    struct stat st;
    char file[600];
    snprintf(file, sizeof file, "%s/large.json", folder);
    printf("  bare SQLite reads the rows   %6.3f s   (%.1f MB of values)\n", read.wall / 1e3, (double)bytes / 1e6);
    printf("  export, on disk              %6.3f s   (%.1f MB of JSON)\n", exported.wall / 1e3,
           stat(file, &st) == 0 ? (double)st.st_size / 1e6 : 0.0);
    printf("  rate against bare reading    %6.2f     (goal: at least 0.6); of it computing %.2f\n",
           read.wall / exported.wall, read.cpu / exported.cpu);
    sqlite3_close(db);
    cv_record_close(record);
    cv_arena_release(&a);
}

void bench_export(void)
{
    const char *tmp = getenv("TMPDIR");
    char folder[400], path[500], file[600];
    snprintf(folder, sizeof folder, "%s/conclave-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return;
    snprintf(path, sizeof path, "%s/large.db", folder);
    printf("export of %d full rounds (%d entities)\n", ROUNDS, ROUNDS * CV_MAX_SEQ * CV_KIND_COUNT);
    if (in_child(make_in_child, path, folder) == 0) {
        long peak = in_child(export_in_child, path, folder);
        compare(path, folder);
        printf("  peak memory of an export     %6.1f MB  (goal: at most 12)\n", (double)peak / 1024);
    }
    static const char *const files[] = {"large.json",   "large.db",           "large.db-wal",
                                        "large.db-shm", "large.db-watermark", "large.db-turn"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, files[i]);
        unlink(file);
    }
    rmdir(folder);
}
