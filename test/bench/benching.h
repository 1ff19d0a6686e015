/* benching.h - what the benchmarks of the record share: a clock, operations called as a door does, and bare reading. */
#ifndef CV_BENCH_BENCHING_H
#define CV_BENCH_BENCHING_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ops/op.h"

static inline double cv_bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Milliseconds on the wall, and in this process: a busy machine disturbs the second ones less. */
typedef struct {
    double wall, cpu;
} cv_bench_cost;

static inline double cv_bench_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline cv_bench_cost cv_bench_now(void)
{
    return (cv_bench_cost){cv_bench_clock(CLOCK_MONOTONIC), cv_bench_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static inline cv_bench_cost cv_bench_since(cv_bench_cost begin)
{
    cv_bench_cost end = cv_bench_now();
    return (cv_bench_cost){end.wall - begin.wall, end.cpu - begin.cpu};
}

static inline void cv_bench_keep_best(cv_bench_cost *best, cv_bench_cost one)
{
    best->wall = one.wall < best->wall ? one.wall : best->wall;
    best->cpu = one.cpu < best->cpu ? one.cpu : best->cpu;
}

/* The time that records are written with: it stands still. */
static inline int64_t cv_bench_still(void *ctx)
{
    (void)ctx;
    return INT64_C(1770026400000);
}

/* From the request's text to the answer, in memory that is given back: seconds. Ends the process when it is refused. */
static inline double cv_bench_call(cv_record *record, const char *folder, const char *verb, cv_str text)
{
    double begin = cv_bench_seconds();
    cv_arena a = {0};
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_err err = {.arena = &a};
    cv_json input;
    cv_call call = {.arena = &a,
                    .record = record,
                    .clock = {cv_bench_still, NULL},
                    .root = folder,
                    .input = &input,
                    .input_text = text,
                    .out = &out,
                    .errs = &errs};
    if (!cv_json_parse(&a, text, &input, &err))
        cv_errs_keep(&errs, &a, &err);
    if (errs.count || !cv_op_call(cv_op_find(CV_STR("dialogue"), cv_str_of(verb)), &call)) {
        cv_str why = cv_err_text(&errs.items[0]);
        fprintf(stderr, "bench: %s: %.*s\n", verb, CV_FMT(why));
        exit(1);
    }
    cv_buf_release(&out);
    cv_arena_release(&a);
    return cv_bench_seconds() - begin;
}

/* Steps over all rows of a dialogue in one table and takes every column as text; the bytes. */
static inline size_t cv_bench_read(sqlite3 *db, const char *table, const char *dialogue)
{
    char sql[200];
    size_t bytes = 0;
    sqlite3_stmt *st;
    snprintf(sql, sizeof sql,
             "SELECT * FROM %s WHERE scope = (SELECT number FROM scopes WHERE room = 'dialogue' AND name = '%s')",
             table, dialogue);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        fprintf(stderr, "bench: %s: %s\n", sql, sqlite3_errmsg(db));
        exit(1);
    }
    int columns = sqlite3_column_count(st);
    while (sqlite3_step(st) == SQLITE_ROW)
        for (int i = 0; i < columns; i++)
            if (sqlite3_column_text(st, i))
                bytes += (size_t)sqlite3_column_bytes(st, i);
    sqlite3_finalize(st);
    return bytes;
}

#endif
