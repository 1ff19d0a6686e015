/* bench_search.c - what searching costs, and that writing costs nothing more.
 *
 * 200 dialogues of 500 entities, 100,000 in all, with words drawn as language does it: the n-th word of the vocabulary
 * is n times as rare as the first. The first search takes all of it into the index; the rival puts the same texts into
 * a table of FTS5, in one transaction. Then queries through the record (the best 20 with texts, statuses and marks)
 * against the bare query for 20 row numbers on the same index, and against a scan with LIKE. Last, the same rounds are
 * written to a record with the index and to one whose index was dropped.
 */
#include "bench_search.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dialogue/types.h"
#include "kit/room.h"
#include "record/sql.h"
#include "record/sqlite/engine.h"

enum {
    DIALOGUES = 200,
    PER_KIND = 99,
    KINDS = 5,
    ENTITIES = PER_KIND * KINDS + 5, /* 495 of round 0 and five of round 1 */
    VOCABULARY = 20000,
    CONTENT = 480,
    LABEL = 24,
    READS = 9,
    WRITES = 25,
    PAGE = 20
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void die(const char *what, const cv_err *err)
{
    cv_str text = err ? cv_err_text(err) : CV_STR("");
    fprintf(stderr, "bench_search: %s: %.*s\n", what, CV_FMT(text));
    exit(1);
}

/* ---- texts ------------------------------------------------------------------------------------- */

static uint64_t random_state;
static double weights[VOCABULARY]; /* added up */

static double next_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / (double)(UINT64_C(1) << 53);
}

static void make_vocabulary(void)
{
    random_state = 1;
    double sum = 0;
    for (size_t i = 0; i < VOCABULARY; i++)
        weights[i] = sum += 1.0 / (double)(i + 1);
    for (size_t i = 0; i < VOCABULARY; i++)
        weights[i] /= sum;
}

/* Syllables that spell the number: each word is its own stem. */
static size_t add_word(char *to, size_t number)
{
    static const char consonants[] = "bdfgklmnprtvz", vowels[] = "aiou";
    size_t n = 0;
    for (size_t rest = number + 60; rest > 0; rest /= 52) {
        to[n++] = consonants[rest % 52 / 4];
        to[n++] = vowels[rest % 4];
    }
    to[n++] = 'k';
    return n;
}

static size_t draw(void)
{
    double at = next_random();
    size_t low = 0, high = VOCABULARY - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (weights[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static cv_str make_text(cv_arena *a, size_t length)
{
    char *text = cv_arena_alloc(a, length + 32);
    size_t n = 0;
    while (n < length) {
        n += add_word(text + n, draw());
        text[n++] = ' ';
    }
    return (cv_str){text, n - 1};
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void make_entity(cv_arena *a, cv_rec_entity *e, size_t i)
{
    static const char *const statuses[KINDS] = {"open", "proposed", "open", "cited", "asserted"};
    static const char letters[] = "PRTEC";
    size_t kind = i < PER_KIND * KINDS ? i / PER_KIND : i % KINDS;
    *e = (cv_rec_entity){.kind = {&letters[kind], 1},
                         .round = i < PER_KIND * KINDS ? 0 : 1,
                         .seq = i < PER_KIND * KINDS ? (int64_t)(i % PER_KIND) + 1 : 1,
                         .label = make_text(a, LABEL),
                         .content = make_text(a, CONTENT),
                         .contributors = i % 3 ? CV_STR("[\"muffin\"]") : CV_STR("[\"cupcake\",\"scone\"]"),
                         .status = cv_str_of(statuses[kind]),
                         .created_at = CV_STR("2026-02-02T10:00:00.000Z")};
}

/* A dialogue with all its entities in one write; what the commit took. */
static double write_dialogue(cv_record *record, const char *prefix, int number, const cv_rec_entity *entities)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    const cv_str id = cv_arena_printf(&a, "%s-%03d", prefix, number), time = CV_STR("2026-02-02T10:00:00.000Z");
    const cv_str head = CV_STR("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    cv_rec_dialogue dialogue = {.id = id, .title = id, .status = CV_STR("open"), .created_at = time};
    cv_event_row event = {.seq = 1,
                          .subject_type = CV_STR("D"),
                          .subject_id = id,
                          .event_type = CV_STR("created"),
                          .covers = CV_STR("{}"),
                          .created_at = time,
                          .hash = head};
    const cv_rows rows[] = {{&cv_rec_dialogue_type, &dialogue, 1},
                            {&cv_rec_entity_type, entities, ENTITIES},
                            {&cv_event_row_type, &event, 1}};
    const cv_write write = {
        .commit = {.op_id = id, .digest = id, .created_at = time, .result = CV_STR("{}"), .head = head},
        .at = {.rev = 1, .head = head, .event_count = 1},
        .rows = rows,
        .count = CV_COUNT(rows)};
    cv_scope_position at;
    double begin = now();
    if (!record->calls->lock(record, &a, cv_dialogue_scope(id), CV_STR(""), &at, &err) ||
        record->calls->commit(record, &a, &write, &err) != CV_WRITE_DONE)
        die("commit", &err);
    double took = now() - begin;
    cv_arena_release(&a);
    return took;
}

static size_t fill(cv_record *record)
{
    size_t bytes = 0;
    for (int i = 0; i < DIALOGUES; i++) {
        cv_arena a = {0};
        cv_rec_entity *entities = CV_NEW_ARRAY(&a, ENTITIES, cv_rec_entity);
        for (size_t k = 0; k < ENTITIES; k++) {
            make_entity(&a, &entities[k], k);
            bytes += entities[k].label.n + entities[k].content.n;
        }
        write_dialogue(record, "d", i, entities);
        cv_arena_release(&a);
    }
    return bytes;
}

/* ---- searching --------------------------------------------------------------------------------- */

static bool count_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    (void)hit, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static double search(cv_record *record, const cv_word_query *query, size_t *ret_hits)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    size_t behind;
    *ret_hits = 0;
    double begin = now();
    if (!record->calls->search(record, &a, query, count_hit, ret_hits, &behind, &err))
        die("search", &err);
    double took = now() - begin;
    cv_arena_release(&a);
    return took;
}

static double run(sqlite3 *db, const char *sql, const char *text)
{
    sqlite3_stmt *st;
    double begin = now();
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(db), NULL);
    if (text)
        sqlite3_bind_text(st, 1, text, -1, SQLITE_STATIC);
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW)
        ;
    if (rc != SQLITE_DONE)
        die(sqlite3_errmsg(db), NULL);
    sqlite3_finalize(st);
    return now() - begin;
}

static int64_t number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW)
        die(sqlite3_errmsg(db), NULL);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static const char all_texts[] = "SELECT label, content FROM entities";

/* The same texts into a table of FTS5 beside the record. */
static double index_bare(sqlite3 *db, const char *path)
{
    char *attach = sqlite3_mprintf("ATTACH %Q AS bare", path);
    char *copy = sqlite3_mprintf("INSERT INTO bare.words (title, body) %s", all_texts);
    run(db, attach, NULL);
    run(db, "PRAGMA bare.journal_mode = WAL", NULL);
    run(db,
        "CREATE VIRTUAL TABLE bare.words USING fts5 (title, body, content = '', tokenize ="
        " 'porter unicode61 remove_diacritics 2')",
        NULL);
    double took = run(db, copy, NULL);
    run(db, "DETACH bare", NULL);
    sqlite3_free(attach);
    sqlite3_free(copy);
    return took;
}

static void bench_index(cv_record *record, const char *folder, size_t bytes)
{
    sqlite3 *db = ((cv_sqlite_record *)record)->s->db;
    cv_arena a = {0};
    cv_search_term term = {.text = CV_STR("word")};
    size_t hits;
    const char *bare_path = cv_arena_printf(&a, "%s/bare.db", folder).p;
    int64_t before = number(db, "PRAGMA page_count");
    double ours = search(record, &(cv_word_query){.terms = &term, .count = 1, .limit = PAGE}, &hits);
    int64_t size = (number(db, "PRAGMA page_count") - before) * number(db, "PRAGMA page_size");
    double bare = index_bare(db, bare_path);
    double entities = (double)DIALOGUES * ENTITIES;
    printf("search:   first, takes in 100,000  %7.0f ms   bare FTS5   %7.0f ms   ratio %.2f   %.1f us per entity\n",
           ours, bare, ours / bare, ours * 1e3 / entities);
    printf("          size of the index        %7.1f MB   of the text %7.1f MB   ratio %.2f\n", (double)size / 1e6,
           (double)bytes / 1e6, (double)size / (double)bytes);
    unlink(bare_path);
    cv_arena_release(&a);
}

static void bench_query(cv_record *record, const char *name, const cv_word_query *query, const char *like)
{
    sqlite3 *db = ((cv_sqlite_record *)record)->s->db;
    cv_arena a = {0};
    double ours = 1e9, bare = 1e9, scan = 1e9;
    size_t hits = 0;
    cv_search_words plain = {.terms = query->terms, .count = query->count};
    const char *scan_sql =
        cv_arena_printf(&a, "SELECT * FROM (%s) WHERE label LIKE ?1 OR content LIKE ?1", all_texts).p;
    const char *expression = cv_arena_copy_z(&a, cv_sqlite_expression(&a, &plain));
    for (int i = 0; i < READS; i++) {
        double one = search(record, query, &hits);
        double two =
            run(db, "SELECT rowid FROM search_index WHERE search_index MATCH ?1 ORDER BY rank LIMIT 20", expression);
        double three = i < 2 ? run(db, scan_sql, like) : scan;
        ours = one < ours ? one : ours;
        bare = two < bare ? two : bare;
        scan = three < scan ? three : scan;
    }
    printf("          %-22s   %7.2f ms   bare FTS5   %7.2f ms   ratio %.2f   LIKE %.0f ms, ratio %.3f\n", name, ours,
           bare, ours / bare, scan, ours / scan);
    cv_arena_release(&a);
}

static void bench_queries(cv_record *record)
{
    char words[4][32] = {{0}}, two[80], like[4][40];
    const size_t numbers[4] = {2, 300, 12000, 3}; /* common, usual, rare, common */
    cv_search_term terms[4];
    for (size_t i = 0; i < 4; i++) {
        size_t n = add_word(words[i], numbers[i]);
        terms[i] = (cv_search_term){.text = {words[i], n}};
        snprintf(like[i], sizeof like[i], "%%%s%%", words[i]);
    }
    int n = snprintf(two, sizeof two, "%s %s", words[0], words[3]);
    cv_search_term phrase = {.text = {two, (size_t)n}};
    char like_two[88];
    snprintf(like_two, sizeof like_two, "%%%s%%", two);
    bench_query(record, "a common word", &(cv_word_query){.terms = &terms[0], .count = 1, .limit = PAGE}, like[0]);
    bench_query(record, "a usual word", &(cv_word_query){.terms = &terms[1], .count = 1, .limit = PAGE}, like[1]);
    bench_query(record, "a rare word", &(cv_word_query){.terms = &terms[2], .count = 1, .limit = PAGE}, like[2]);
    bench_query(record, "a phrase", &(cv_word_query){.terms = &phrase, .count = 1, .limit = PAGE}, like_two);
    bench_query(record, "common, open tensions",
                &(cv_word_query){.terms = &terms[0],
                                 .count = 1,
                                 .kinds = CV_STR("[\"tension\"]"),
                                 .statuses = CV_STR("[\"open\"]"),
                                 .limit = PAGE},
                like[0]);
    bench_query(record, "usual, of one expert",
                &(cv_word_query){.terms = &terms[1], .count = 1, .person = CV_STR("scone"), .limit = PAGE}, like[1]);
}

/* ---- writing with and without the index ------------------------------------------------------- */

static void bench_writes(cv_record *with, cv_record *without)
{
    cv_arena a = {0};
    cv_rec_entity *entities = CV_NEW_ARRAY(&a, ENTITIES, cv_rec_entity);
    double best[2] = {1e9, 1e9};
    for (size_t k = 0; k < ENTITIES; k++)
        make_entity(&a, &entities[k], k);
    for (int i = 0; i < WRITES; i++)
        for (int k = 0; k < 2; k++) {
            cv_record *record = k ? without : with;
            run(((cv_sqlite_record *)record)->s->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL);
            double one = write_dialogue(record, "w", i, entities);
            best[k] = one < best[k] ? one : best[k];
        }
    printf("          writing 500 entities     %7.2f ms   no index    %7.2f ms   ratio %.2f\n", best[0], best[1],
           best[0] / best[1]);
    cv_arena_release(&a);
}

static void drop_index(cv_record *record)
{
    static const char *const tables[] = {"search_words", "search_index", "search_texts"};
    for (size_t i = 0; i < CV_COUNT(tables); i++) {
        char sql[80];
        snprintf(sql, sizeof sql, "DROP TABLE %s", tables[i]);
        run(((cv_sqlite_record *)record)->s->db, sql, NULL);
    }
}

static void remove_store(cv_arena *a, const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-watermark", "-turn"};
    for (size_t i = 0; i < CV_COUNT(endings); i++)
        unlink(cv_arena_printf(a, "%s%s", path, endings[i]).p);
}

void bench_search(void)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    char folder[] = "/tmp/conclave-bench-XXXXXX";
    cv_record *record, *plain;
    if (!mkdtemp(folder))
        return;
    const char *path = cv_arena_printf(&a, "%s/conclave.db", folder).p,
               *plain_path = cv_arena_printf(&a, "%s/plain.db", folder).p;
    if (!cv_record_open(&a, path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &err) ||
        !cv_record_open(&a, plain_path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &plain, &err))
        die("open", &err);
    drop_index(plain);
    make_vocabulary();
    size_t bytes = fill(record);
    fill(plain);
    bench_index(record, folder, bytes);
    bench_queries(record);
    bench_writes(record, plain);
    cv_record_close(record);
    cv_record_close(plain);
    remove_store(&a, path);
    remove_store(&a, plain_path);
    rmdir(folder);
    cv_arena_release(&a);
}
