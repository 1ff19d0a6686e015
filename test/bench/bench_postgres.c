/* bench_postgres.c - what the record on PostgreSQL costs, against the same record in SQLite in the same run.
 *
 *     near     a server on a socket of this machine
 *     far      the same server behind a proxy that lets every byte wait: a round trip takes 1.4 ms
 *
 * Both keep their files on the same disk and wait for it at every commit. The operations are called as a door does it,
 * in turns; the median of each counts. Round trips are those that the handle has counted. Times of the processor stand
 * beside those on the wall: a busy machine disturbs them less.
 *
 * A handle that stays has the rows that it has written, and need not read them to write (kept_scopes.h). A full round
 * is measured twice: with them, as in a server, and without, as in a command of its own.
 *
 * Below a full round stands its floor: what the operation computes here, and the server copying the same rows into the
 * same tables by itself. No client has a part in that, so nobody who writes these rows comes below it.
 *
 * Then eight processes write small writes to scopes of their own for two seconds, on each engine.
 */
#include "bench_postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_round.h"
#include "benching.h"
#include "kit/room.h"
#include "kit/writing.h"
#include "record/postgres/engine.h"
#include "record/store.h"

enum { REPETITIONS = 21, WRITERS = 8, SECONDS = 2, ENGINES = 3 };

typedef struct {
    const char *name;
    cv_store store;
    cv_record *record;
    bool forgets;              /* what its handle has kept */
    double times[REPETITIONS]; /* on the wall, in milliseconds */
    double here[REPETITIONS];  /* of the processor, in this process */
    double there[REPETITIONS]; /* and in the server's */
    uint64_t trips;
} engine;

/* ---- servers ------------------------------------------------------------------------------------------------------
 */

/* The first line that a command prints; NULL: it failed. */
static const char *line_of(cv_arena *a, const char *command)
{
    char text[1024] = "";
    FILE *out = popen(command, "r");
    bool ok = out && fgets(text, sizeof text, out);
    ok = out && pclose(out) == 0 && ok;
    text[strcspn(text, "\n")] = '\0';
    return ok ? cv_arena_copy_z(a, cv_str_of(text)) : NULL;
}

/* With the memory that a server has which nobody has set up. */
static const char *start_server(cv_arena *a, const char *folder)
{
    return line_of(a, cv_arena_printf(a,
                                      "test/postgres/server start %s/server --owner %d -c shared_buffers=128MB "
                                      "-c max_wal_size=1GB >/dev/null 2>&1 && "
                                      "test/postgres/server address %s/server",
                                      folder, (int)getpid(), folder)
                          .p);
}

/* Lives as long as its standard input is open. */
static FILE *start_proxy(cv_arena *a, const char *folder, const char *address)
{
    const char *host = strstr(address, "host=");
    if (!host)
        return NULL;
    cv_str at = cv_str_head(cv_str_of(host + 5), strcspn(host + 5, "&"));
    const char *command =
        cv_arena_printf(a, "build/postgres/proxy %s/.s.PGSQL.5432 %.*s/.s.PGSQL.5432 'delay 0.7' >/dev/null", folder,
                        CV_FMT(at))
            .p;
    FILE *proxy = popen(command, "w");
    for (int tries = 0; proxy && tries < 200 && access(cv_arena_printf(a, "%s/.s.PGSQL.5432", folder).p, F_OK) != 0;
         tries++)
        usleep(10000);
    return proxy;
}

/* ---- one operation after the other ---------------------------------------------------------------------------------
 */

static int by_value(const void *x, const void *y)
{
    return CV_ORDER(*(const double *)x, *(const double *)y);
}

static double median(double *times)
{
    qsort(times, REPETITIONS, sizeof *times, by_value);
    return times[REPETITIONS / 2];
}

static uint64_t trips_of(const engine *e)
{
    return e->store.address.n ? ((cv_postgres_record *)e->record)->c->costs.trips : 0;
}

/* Milliseconds of the processor that the server's process has used; the server is on this machine. */
static double used_there(const engine *e)
{
    char path[64];
    unsigned long long ns = 0;
    if (!e->store.address.n)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", cv_postgres_backend(((cv_postgres_record *)e->record)->c));
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%llu", &ns) != 1)
        ns = 0;
    if (file)
        fclose(file);
    return (double)ns / 1e6;
}

static void time_once(engine *e, const char *folder, const char *verb, cv_str text, int turn)
{
    if (e->forgets && e->store.address.n)
        cv_kept_scopes_close(&((cv_postgres_record *)e->record)->kept);
    uint64_t trips = trips_of(e);
    double there = used_there(e);
    cv_bench_cost begin = cv_bench_now();
    cv_bench_call(e->record, folder, verb, text);
    cv_bench_cost cost = cv_bench_since(begin);
    e->times[turn] = cost.wall;
    e->here[turn] = cost.cpu;
    e->there[turn] = used_there(e) - there;
    e->trips = trips_of(e) - trips;
}

static void report(engine *engines, size_t count, const char *what, const char *const *goals)
{
    double floor = median(engines[0].times), computing = median(engines[0].here);
    printf("postgres: %-22s SQLite %8.2f ms", what, floor);
    for (size_t i = 1; i < count; i++) {
        double ours = median(engines[i].times);
        printf("   %s %8.2f ms, %llu round trips, ratio %.2f%s", engines[i].name, ours,
               (unsigned long long)engines[i].trips, ours / floor, goals[i]);
    }
    printf("\n          of it computing        SQLite %8.2f ms", computing);
    for (size_t i = 1; i < count; i++) {
        double here = median(engines[i].here), there = median(engines[i].there);
        printf("   %s %.2f ms here, %.2f in the server, ratio %.2f", engines[i].name, here, there,
               (here + there) / computing);
    }
    printf("\n");
}

typedef cv_str (*making)(cv_arena *a, int number);

static cv_str progress_request(cv_arena *a, int number)
{
    return cv_arena_printf(a, "{\"dialogue_id\":\"d%d\"}", number);
}

/* Dialogues beside the first ones. */
static cv_str second_dialogue(cv_arena *a, int number)
{
    return cv_bench_dialogue(a, REPETITIONS + number);
}

static cv_str second_round(cv_arena *a, int number)
{
    return cv_bench_round(a, REPETITIONS + number);
}

/* Without goals nothing is said. */
static void time_all(engine *engines, size_t count, const char *folder, const char *verb, const char *what, making make,
                     const char *const *goals)
{
    for (int turn = 0; turn < REPETITIONS; turn++) {
        cv_arena a = {0};
        cv_str text = make(&a, turn);
        for (size_t i = 0; i < count; i++)
            time_once(&engines[(i + (size_t)turn) % count], folder, verb, text, turn);
        cv_arena_release(&a);
    }
    if (goals)
        report(engines, count, what, goals);
}

/* ---- the server alone ----------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    const char *texts[8];
    size_t count;
} copies;

static bool see_copy(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    copies *c = ctx;
    (void)err;
    c->texts[c->count++] = cv_arena_copy_z(c->arena, cv_postgres_column(row, 0));
    return true;
}

/* The rows of a full round once more, under another scope, by the server itself: no client has a part in it. */
static double copy_round(cv_postgres *c, const copies *all, int number)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_postgres_batch batch = {.arena = &a};
    const cv_postgres_scope from = cv_postgres_scope_key((cv_scope_id){CV_STR("dialogue"), CV_STR("d0")}),
                            to = cv_postgres_scope_key(
                                (cv_scope_id){CV_STR("dialogue"), cv_arena_printf(&a, "bare %d", number)});
    cv_postgres_add(&batch, "begin", "BEGIN");
    for (size_t i = 0; i < all->count; i++) {
        cv_postgres_statement *st = cv_postgres_add(&batch, "copy the rows", all->texts[i]);
        cv_postgres_uuid(st, to.bytes);
        cv_postgres_uuid(st, from.bytes);
    }
    cv_postgres_add(&batch, "commit", "COMMIT");
    double begin = cv_bench_seconds();
    if (cv_postgres_run(c, &batch, &err) != CV_POSTGRES_OK)
        fprintf(stderr, "bench_postgres: %.*s\n", CV_FMT(cv_err_text(&err)));
    double took = (cv_bench_seconds() - begin) * 1e3;
    cv_arena_release(&a);
    return took;
}

/* Of a full round, which was timed before. */
static void report_floor(engine *sqlite, engine *near)
{
    static const char *const ask =
        "SELECT 'INSERT INTO near.' || table_name || ' SELECT $1, ' || string_agg(quote_ident(column_name), ', ' "
        "ORDER BY ordinal_position) || ' FROM near.' || table_name || ' WHERE scope = $2' FROM "
        "information_schema.columns "
        "WHERE table_schema = 'near' AND column_name <> 'scope' AND table_name IN ('refs', 'origins', 'entities', "
        "'events') GROUP BY table_name";
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_postgres_batch batch = {.arena = &a};
    copies all = {.arena = &a};
    cv_postgres *c = ((cv_postgres_record *)near->record)->c;
    double here = median(near->here), wall = median(sqlite->times), computing = median(sqlite->here);
    cv_postgres_rows(cv_postgres_add(&batch, "ask for the columns", ask), see_copy, &all);
    if (cv_postgres_run_again(c, &batch, &err) == CV_POSTGRES_OK) {
        for (int i = 0; i < REPETITIONS; i++) {
            double before = used_there(near);
            near->times[i] = copy_round(c, &all, i);
            near->there[i] = used_there(near) - before;
        }
        double copied = median(near->times), there = median(near->there);
        printf(
            "          the floor              near %.2f ms computed here and %.2f ms for the same rows, copied by the "
            "server itself: ratio %.2f; of it computing %.2f\n",
            here, copied, (here + copied) / wall, (here + there) / computing);
    }
    cv_arena_release(&a);
}

/* ---- eight writers -------------------------------------------------------------------------------------------------
 */

static bool write_small(cv_record *record, cv_arena *a, int writer, size_t number, cv_err *err)
{
    const cv_scope_id scope = {CV_STR("project"), cv_arena_printf(a, "w%d", writer)};
    const cv_request request = {cv_arena_printf(a, "%zu", number), CV_STR("digest"), CV_STR("bench")};
    cv_writing w;
    cv_written done;
    if (!cv_writing_begin(&w, record, a, scope, request.op_id, CV_STR("2026-02-03T04:05:06.789Z"), err))
        return false;
    for (int i = 0; i < 40; i++)
        cv_writing_event(&w, CV_STR("thing"), CV_STR("x"), CV_STR("changed"))->reason = CV_STR("because it was so");
    return cv_writing_commit(&w, &request, CV_STR("{}"), &done, err);
}

/* What one writer has done, and milliseconds of the processor that it took. */
typedef struct {
    size_t writes;
    double here, there;
} written;

/* Each writer has a scope of its own. */
static void write_until(const engine *e, int writer, double end, written *ret)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record;
    bool ok = cv_store_open(&a, &e->store, CV_RECORD_EXISTING, &cv_program_types, &record, &err);
    engine own = *e;
    own.record = record;
    double there = ok ? used_there(&own) : 0;
    cv_bench_cost begin = cv_bench_now();
    while (ok && cv_bench_seconds() < end) {
        cv_arena one = {0};
        ok = write_small(record, &one, writer, ++ret->writes, &err);
        cv_arena_release(&one);
    }
    ret->here = cv_bench_since(begin).cpu;
    ret->there = ok ? used_there(&own) - there : 0;
    if (!ok)
        fprintf(stderr, "bench_postgres: %.*s\n", CV_FMT(cv_err_text(&err)));
    _exit(!ok);
}

static written write_all(const engine *e)
{
    written *each = mmap(NULL, sizeof *each * WRITERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    written all = {0};
    double end = cv_bench_seconds() + SECONDS;
    fflush(stdout);
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0)
            write_until(e, i, end, &each[i]);
    for (int i = 0; i < WRITERS; i++)
        wait(NULL);
    for (int i = 0; i < WRITERS; i++) {
        all.writes += each[i].writes;
        all.here += each[i].here;
        all.there += each[i].there;
    }
    munmap(each, sizeof *each * WRITERS);
    return all;
}

static void compare_writers(const engine *sqlite, const engine *near)
{
    written one = write_all(sqlite), other = write_all(near);
    printf("postgres: %d writers, own scopes   SQLite %8zu writes/s   near %8zu writes/s   ratio %.2f (goal: at least "
           "1.3)\n          of it computing        SQLite %8.2f ms   near %.2f ms here, %.2f in the server\n",
           WRITERS, one.writes / SECONDS, other.writes / SECONDS, (double)other.writes / (double)one.writes,
           one.here / (double)one.writes, other.here / (double)other.writes, other.there / (double)other.writes);
}

/* ---- all of it -----------------------------------------------------------------------------------------------------
 */

static bool open_all(cv_arena *a, engine *engines, size_t count)
{
    cv_err err = {.arena = a};
    for (size_t i = 0; i < count; i++)
        if (!cv_store_open(a, &engines[i].store, CV_RECORD_CREATE, &cv_program_types, &engines[i].record, &err)) {
            fprintf(stderr, "bench_postgres: %.*s\n", CV_FMT(cv_err_text(&err)));
            return false;
        }
    return true;
}

static void measure(engine *engines, const char *folder)
{
    static const char *const none[ENGINES] = {"", "", ""}, *const full[ENGINES] = {"", " (goal: at most 1.3)",
                                                                                   " (goal: at most 1.5)"};
    time_all(engines, ENGINES, folder, "create", "create", cv_bench_dialogue, none);
    time_all(engines, ENGINES, folder, "round-register", "a full round", cv_bench_round, full);
    report_floor(&engines[0], &engines[1]);
    time_all(engines, ENGINES, folder, "progress", "progress", progress_request, none);
    time_all(engines, ENGINES, folder, "create", NULL, second_dialogue, NULL);
    for (size_t i = 0; i < ENGINES; i++)
        engines[i].forgets = true;
    time_all(engines, ENGINES, folder, "round-register", "a round, read before", second_round, none);
    compare_writers(&engines[0], &engines[1]);
}

void bench_postgres(void)
{
    cv_arena a = {0};
    char folder[] = "/tmp/conclave-bench-XXXXXX";
    const char *address = mkdtemp(folder) ? start_server(&a, folder) : NULL;
    FILE *proxy = address ? start_proxy(&a, folder, address) : NULL;
    if (proxy) {
        engine engines[ENGINES] = {
            {.name = "SQLite", .store = {.path = cv_arena_printf(&a, "%s/conclave.db", folder).p}},
            {.name = "near",
             .store = {.address = cv_arena_printf(&a, "%s&schema=near", address),
                       .seen = cv_arena_printf(&a, "%s/seen-near", folder).p}},
            {.name = "far",
             .store = {.address = cv_arena_printf(&a, "postgresql://conclave@/conclave?host=%s&schema=far", folder),
                       .seen = cv_arena_printf(&a, "%s/seen-far", folder).p}}};
        if (open_all(&a, engines, ENGINES))
            measure(engines, folder);
        for (size_t i = 0; i < ENGINES; i++)
            cv_record_close(engines[i].record);
        pclose(proxy);
    } else {
        printf("postgres: skipped: there is no PostgreSQL (tools/need postgres)\n");
    }
    if (system(cv_arena_printf(&a, "test/postgres/server remove %s/server >/dev/null 2>&1; rm -rf %s", folder, folder)
                   .p) != 0)
        fprintf(stderr, "bench_postgres: %s is still there\n", folder);
    cv_arena_release(&a);
}
