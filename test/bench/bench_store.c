/* bench_store.c - what the record costs on top of SQLite.
 *
 * 99 full rounds are registered, each in one commit: 495 entities, 495 origins, 1,485 references, 500 events. The rival
 * is SQLite alone, in a second file with the same schema and settings: the same rows, one transaction, prepared
 * statements bound by hand. Rounds alternate between the two; the median of each counts. Then all 49,005 entities are
 * read back, by snapshot() and by plain SELECTs that fetch every column; the best of several rounds counts.
 */
#include "bench_store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "record/sql.h"
#include "record/store.h"

enum {
    ROUNDS = 99,
    KINDS = 5,
    PER_KIND = 99,
    ENTITIES = KINDS * PER_KIND,
    REFS = 3 * ENTITIES,
    EVENTS = 500,
    READS = 7
};

static const char letters[] = "PRTEC";
static const char *const tables[KINDS] = {"perspectives", "recommendations", "tensions", "evidence", "claims"};
static const char *const statuses[KINDS] = {"open", "proposed", "open", "cited", "asserted"};
static const char now[] = "2026-02-03T04:05:06.789Z";
static const char hash[] = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

static struct {
    cv_rec_dialogue dialogue;
    cv_rec_entity entities[ENTITIES];
    cv_rec_origin origins[ENTITIES];
    cv_rec_reference refs[REFS];
    cv_rec_event events[EVENTS];
    char ids[ENTITIES][8], local_ids[ENTITIES][32];
    char content[600];
} rows;

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *x, const void *y)
{
    const double *m = x, *n = y;
    return *m < *n ? -1 : *m > *n;
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return values[n / 2];
}

/* ---- the rows of one round --------------------------------------------------------------------- */

static cv_str id_of(size_t i)
{
    return cv_str_of(rows.ids[i]);
}

static void make_entity(size_t i, int round)
{
    size_t kind = i / PER_KIND, seq = i % PER_KIND + 1;
    snprintf(rows.ids[i], sizeof rows.ids[i], "%c%02d%02zu", letters[kind], round % 100, seq % 100);
    snprintf(rows.local_ids[i], sizeof rows.local_ids[i], "MUFFIN-%s", rows.ids[i]);
    rows.entities[i] = (cv_rec_entity){.kind = {&letters[kind], 1},
                                       .round = round,
                                       .seq = (int64_t)seq,
                                       .label = CV_STR("Income mandate mismatch"),
                                       .content = {rows.content, sizeof rows.content},
                                       .contributors = CV_STR("[\"muffin\",\"cupcake\"]"),
                                       .status = cv_str_of(statuses[kind]),
                                       .created_at = CV_STR(now)};
    rows.origins[i] = (cv_rec_origin){.local_id = cv_str_of(rows.local_ids[i]),
                                      .display_id = id_of(i),
                                      .expert_slug = CV_STR("muffin"),
                                      .round = round,
                                      .response_sha256 = CV_STR(hash),
                                      .range_start = (int64_t)i * 100,
                                      .range_end = (int64_t)i * 100 + 90};
}

static void make_round(int round)
{
    static const char *const types[3] = {"support", "depend", "question"};
    for (size_t i = 0; i < ENTITIES; i++)
        make_entity(i, round);
    for (size_t i = 0; i < REFS; i++) {
        size_t source = i / 3, target = (source * 7 + i) % ENTITIES;
        rows.refs[i] = (cv_rec_reference){.source_id = id_of(source),
                                          .ref_type = cv_str_of(types[i % 3]),
                                          .target_id = id_of(target),
                                          .source_type = cv_str_head(id_of(source), 1),
                                          .target_type = cv_str_head(id_of(target), 1),
                                          .round = round,
                                          .position = (int64_t)i,
                                          .created_at = CV_STR(now)};
    }
    for (size_t i = 0; i < EVENTS; i++)
        rows.events[i] = (cv_rec_event){.event_seq = (int64_t)round * EVENTS + (int64_t)i + 1,
                                        .subject_type = cv_str_head(id_of(i % ENTITIES), 1),
                                        .subject_id = id_of(i % ENTITIES),
                                        .event_type = CV_STR("created"),
                                        .event_round = round,
                                        .actors = CV_STR("[\"muffin\"]"),
                                        .covers = CV_STR("{\"entity/P/1/3\":\"9f86d081884c7d659a2feaa0c55ad015\"}"),
                                        .created_at = CV_STR(now),
                                        .hash = CV_STR(hash)};
}

/* ---- through the store ------------------------------------------------------------------------- */

static cv_changes changes_of(int round)
{
    cv_changes c = {0};
    rows.dialogue = (cv_rec_dialogue){.title = CV_STR("t"), .status = CV_STR("open"), .created_at = CV_STR(now)};
    c.items[CV_REC_DIALOGUE] = &rows.dialogue;
    c.counts[CV_REC_DIALOGUE] = round == 0;
    c.items[CV_REC_ENTITY] = rows.entities;
    c.counts[CV_REC_ENTITY] = ENTITIES;
    c.items[CV_REC_ORIGIN] = rows.origins;
    c.counts[CV_REC_ORIGIN] = ENTITIES;
    c.items[CV_REC_REFERENCE] = rows.refs;
    c.counts[CV_REC_REFERENCE] = REFS;
    c.items[CV_REC_EVENT] = rows.events;
    c.counts[CV_REC_EVENT] = EVENTS;
    return c;
}

static double commit_round(cv_store *store, int round, cv_err *err)
{
    double begin = milliseconds();
    char op_id[16];
    snprintf(op_id, sizeof op_id, "op-%d", round);
    cv_changes c = changes_of(round);
    cv_op op = {.dialogue_id = CV_STR("nvidia-investment-decision"),
                .op_id = cv_str_of(op_id),
                .op_digest = CV_STR(hash),
                .expect_rev = round,
                .now = CV_STR(now),
                .result = CV_STR("{}"),
                .head = CV_STR(hash),
                .event_count = (int64_t)(round + 1) * EVENTS};
    int64_t rev;
    cv_str result;
    if (store->calls->commit(store, err->arena, &op, &c, &rev, &result, err) != CV_STORE_DONE)
        printf("  store: %.*s\n", CV_FMT(cv_err_text(err)));
    return milliseconds() - begin;
}

typedef struct {
    size_t count, bytes;
} tally;

static bool count_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)kind, (void)err;
    const cv_rec_entity *e = row;
    tally *t = ctx;
    t->count++;
    t->bytes += e->label.n + e->content.n + e->contributors.n + e->status.n + e->created_at.n;
    return true;
}

static double read_store(cv_store *store, tally *t, cv_err *err)
{
    double begin = milliseconds();
    cv_position at;
    bool found;
    *t = (tally){0};
    store->calls->snapshot(store, err->arena, CV_STR("nvidia-investment-decision"),
                           &(cv_wanted){.kinds = 1u << CV_REC_ENTITY}, count_row, t, &at, &found, err);
    return milliseconds() - begin;
}

/* ---- bare SQLite ------------------------------------------------------------------------------- */

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *entity[KINDS], *origin, *ref, *event, *read[KINDS];
} bare;

static void run(bare *b, const char *sql)
{
    if (sqlite3_exec(b->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        printf("  bare: %s\n", sqlite3_errmsg(b->db));
}

static sqlite3_stmt *prepare(bare *b, const char *format, const char *table, const char *content)
{
    char sql[600];
    sqlite3_stmt *st = NULL;
    snprintf(sql, sizeof sql, format, content, table);
    if (sqlite3_prepare_v2(b->db, sql, -1, &st, NULL) != SQLITE_OK)
        printf("  bare: %s\n", sqlite3_errmsg(b->db));
    return st;
}

static void open_bare(bare *b, const char *path)
{
    sqlite3_open(path, &b->db);
    run(b, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    run(b, cv_sql_schema.items[0].text);
    run(b, "INSERT INTO dialogues (dialogue_id, rev, title, created_at)"
           " VALUES ('nvidia-investment-decision', 1, 't', 'now')");
    for (size_t k = 0; k < KINDS; k++) {
        const char *content = k == 2 ? "description" : "content";
        b->entity[k] = prepare(b,
                               "INSERT INTO %2$s (dialogue_id, rev, round, seq, label, %1$s, contributors, status,"
                               " created_at) VALUES ('nvidia-investment-decision', ?, ?, ?, ?, ?, ?, ?, ?)",
                               tables[k], content);
        b->read[k] =
            prepare(b,
                    "SELECT rev, round, seq, label, %1$s, contributors, status, parameters, adopted_in_verdict,"
                    " created_at FROM %2$s WHERE dialogue_id = 'nvidia-investment-decision' ORDER BY round, seq",
                    tables[k], content);
    }
    b->origin = prepare(b,
                        "INSERT INTO origins (dialogue_id, rev, local_id, display_id, expert_slug, round,"
                        " response_sha256, range_start, range_end)"
                        " VALUES ('nvidia-investment-decision', ?, ?, ?, ?, ?, ?, ?, ?)",
                        "", "");
    b->ref = prepare(b,
                     "INSERT INTO refs (dialogue_id, rev, source_id, ref_type, target_id, source_type, target_type,"
                     " round, position, created_at)"
                     " VALUES ('nvidia-investment-decision', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     "", "");
    b->event = prepare(b,
                       "INSERT INTO events (dialogue_id, rev, event_seq, subject_type, subject_id, event_type,"
                       " event_round, actors, covers, created_at, hash)"
                       " VALUES ('nvidia-investment-decision', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       "", "");
}

static void close_bare(bare *b)
{
    for (size_t k = 0; k < KINDS; k++) {
        sqlite3_finalize(b->entity[k]);
        sqlite3_finalize(b->read[k]);
    }
    sqlite3_finalize(b->origin);
    sqlite3_finalize(b->ref);
    sqlite3_finalize(b->event);
    sqlite3_close(b->db);
}

static void text(sqlite3_stmt *st, int i, cv_str s)
{
    sqlite3_bind_text(st, i, s.p, (int)s.n, SQLITE_STATIC);
}

static void step(bare *b, sqlite3_stmt *st)
{
    if (sqlite3_step(st) != SQLITE_DONE)
        printf("  bare: %s\n", sqlite3_errmsg(b->db));
    sqlite3_reset(st);
}

static void put_entity(bare *b, const cv_rec_entity *e, sqlite3_stmt *st, int round)
{
    sqlite3_bind_int64(st, 1, round + 1);
    sqlite3_bind_int64(st, 2, e->round);
    sqlite3_bind_int64(st, 3, e->seq);
    text(st, 4, e->label);
    text(st, 5, e->content);
    text(st, 6, e->contributors);
    text(st, 7, e->status);
    text(st, 8, e->created_at);
    step(b, st);
}

static void put_origin(bare *b, const cv_rec_origin *o, int round)
{
    sqlite3_bind_int64(b->origin, 1, round + 1);
    text(b->origin, 2, o->local_id);
    text(b->origin, 3, o->display_id);
    text(b->origin, 4, o->expert_slug);
    sqlite3_bind_int64(b->origin, 5, o->round);
    text(b->origin, 6, o->response_sha256);
    sqlite3_bind_int64(b->origin, 7, o->range_start);
    sqlite3_bind_int64(b->origin, 8, o->range_end);
    step(b, b->origin);
}

static void put_ref(bare *b, const cv_rec_reference *r, int round)
{
    sqlite3_bind_int64(b->ref, 1, round + 1);
    text(b->ref, 2, r->source_id);
    text(b->ref, 3, r->ref_type);
    text(b->ref, 4, r->target_id);
    text(b->ref, 5, r->source_type);
    text(b->ref, 6, r->target_type);
    sqlite3_bind_int64(b->ref, 7, r->round);
    sqlite3_bind_int64(b->ref, 8, r->position);
    text(b->ref, 9, r->created_at);
    step(b, b->ref);
}

static void put_event(bare *b, const cv_rec_event *e, int round)
{
    sqlite3_bind_int64(b->event, 1, round + 1);
    sqlite3_bind_int64(b->event, 2, e->event_seq);
    text(b->event, 3, e->subject_type);
    text(b->event, 4, e->subject_id);
    text(b->event, 5, e->event_type);
    sqlite3_bind_int64(b->event, 6, e->event_round);
    text(b->event, 7, e->actors);
    text(b->event, 8, e->covers);
    text(b->event, 9, e->created_at);
    text(b->event, 10, e->hash);
    step(b, b->event);
}

static double insert_round(bare *b, int round)
{
    double begin = milliseconds();
    run(b, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < ENTITIES; i++)
        put_entity(b, &rows.entities[i], b->entity[i / PER_KIND], round);
    for (size_t i = 0; i < ENTITIES; i++)
        put_origin(b, &rows.origins[i], round);
    for (size_t i = 0; i < REFS; i++)
        put_ref(b, &rows.refs[i], round);
    for (size_t i = 0; i < EVENTS; i++)
        put_event(b, &rows.events[i], round);
    run(b, "COMMIT");
    return milliseconds() - begin;
}

static double read_bare(bare *b, tally *t)
{
    double begin = milliseconds();
    *t = (tally){0};
    for (size_t k = 0; k < KINDS; k++) {
        sqlite3_stmt *st = b->read[k];
        while (sqlite3_step(st) == SQLITE_ROW) {
            t->count++;
            for (int column = 0; column < 3; column++)
                (void)sqlite3_column_int64(st, column);
            for (int column = 3; column < 10; column++)
                if (sqlite3_column_text(st, column))
                    t->bytes += (size_t)sqlite3_column_bytes(st, column);
        }
        sqlite3_reset(st);
    }
    return milliseconds() - begin;
}

/* ---- both --------------------------------------------------------------------------------------- */

static void compare_writing(cv_store *store, bare *b, cv_err *err)
{
    static double through[ROUNDS], alone[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        make_round(round);
        if (round % 2)
            alone[round] = insert_round(b, round);
        through[round] = commit_round(store, round, err);
        if (round % 2 == 0)
            alone[round] = insert_round(b, round);
    }
    double x = median(through, ROUNDS), y = median(alone, ROUNDS);
    printf("store: commit of %d rows      %7.2f ms   bare SQLite %7.2f ms   ratio %.2f\n", 2 * ENTITIES + REFS + EVENTS,
           x, y, x / y);
}

static void compare_reading(cv_store *store, bare *b, cv_err *err)
{
    double x = 1e9, y = 1e9;
    tally s, t;
    for (int i = 0; i < READS; i++) {
        double took = read_store(store, &s, err), rival = read_bare(b, &t);
        x = took < x ? took : x;
        y = rival < y ? rival : y;
    }
    if (s.count != t.count || s.bytes != t.bytes)
        printf("  store and bare SQLite read different rows\n");
    printf("store: snapshot of %zu rows   %7.2f ms   bare SQLite %7.2f ms   ratio %.2f   (%.2f million rows/s)\n",
           s.count, x, y, x / y, (double)s.count / x / 1e3);
}

void bench_store(void)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    char folder[] = "/tmp/conclave-bench-XXXXXX";
    if (!mkdtemp(folder))
        return;
    memset(rows.content, 'x', sizeof rows.content);
    const char *one = cv_arena_printf(&a, "%s/store.db", folder).p, *two = cv_arena_printf(&a, "%s/bare.db", folder).p;
    cv_store *store;
    bare b = {0};
    if (cv_sqlite_open(&a, one, true, &store, &err)) {
        open_bare(&b, two);
        compare_writing(store, &b, &err);
        compare_reading(store, &b, &err);
        close_bare(&b);
        cv_store_close(store);
    }
    unlink(one);
    unlink(two);
    rmdir(folder);
    cv_arena_release(&a);
}
