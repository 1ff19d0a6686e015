/* bench_run.c - calling agents, against xargs; see bench_run.h.
 *
 * The command reads its prompt and prints a line: as little as an agent can do, so that what is left is the overhead.
 */
#include "bench_run.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benching.h"
#include "run/calls.h"

enum { CALLS = 100, ROUNDS = 5, PROMPT = 20 * 1000, ANSWER = 50 * 1000 };

static char prompt[PROMPT];
static char program[PATH_MAX];

/* All of them at once, until each has answered. Ends the process when one does not. */
static void call_all(const char *folder, const cv_reach *reach)
{
    cv_arena a = {0};
    cv_calls *calls = cv_calls_open(NULL);
    cv_calls_result result;
    for (int i = 0; i < CALLS; i++)
        cv_calls_start(calls, &(cv_calls_request){.reach = reach,
                                                  .prompt = {prompt, sizeof prompt},
                                                  .output = cv_arena_printf(&a, "%s/%d", folder, i).p,
                                                  .root = folder});
    while (cv_calls_running(calls)) {
        cv_arena_reset(&a); /* as a runner does, once an answer is in the record */
        if (cv_calls_step(calls, &a, 1000, &result) && result.outcome != CV_CALL_ANSWERED) {
            fprintf(stderr, "a call failed: %.*s\n", CV_FMT(result.message));
            exit(1);
        }
    }
    cv_calls_close(calls);
    cv_arena_release(&a);
}

static double time_bare(const char *folder)
{
    char line[256];
    double begin = cv_bench_seconds();
    snprintf(line, sizeof line, "seq %d | xargs -P%d -n1 %s/agent >/dev/null", CALLS, CALLS, folder);
    if (system(line) != 0)
        exit(1);
    return cv_bench_seconds() - begin;
}

static void bench_commands(cv_arena *a, const char *folder)
{
    const char *agent = cv_arena_printf(a, "%s/agent", folder).p;
    FILE *f = fopen(agent, "w");
    cv_err err = {.arena = a};
    cv_reach reach;
    double ours = 1e9, bare = 1e9;
    fputs("#!/bin/sh\ncat >/dev/null\necho answered\n", f);
    fclose(f);
    chmod(agent, 0700);
    if (!cv_reach_of_command(a, cv_str_of(agent), &reach, &err))
        exit(1);
    for (int i = 0; i < ROUNDS; i++) {
        double bare_now = time_bare(folder), begin = cv_bench_seconds();
        call_all(folder, &reach);
        double now = cv_bench_seconds() - begin;
        ours = now < ours ? now : ours;
        bare = bare_now < bare ? bare_now : bare;
    }
    printf("run: %d commands at once: %.2f ms each, bare with xargs -P %.2f ms, overhead %.2f ms (goal 5)\n", CALLS,
           ours * 1e3 / CALLS, bare * 1e3 / CALLS, (ours - bare) * 1e3 / CALLS);
}

/* A whole run of a round with as many experts: prompts, calls, answers into the record, the registration. */
static double time_whole(const char *folder, int i)
{
    char line[3 * PATH_MAX];
    snprintf(line, sizeof line,
             "cd %s && rm -rf whole-%d && mkdir whole-%d && cd whole-%d && '%s' init >/dev/null && "
             "'%s' dialogue create --data @../many.json >/dev/null",
             folder, i, i, i, program, program);
    if (system(line) != 0)
        exit(1);
    snprintf(line, sizeof line,
             "cd %s/whole-%d && '%s' run many --agent ../speaker --judge mechanical --rounds 1 --parallel %d "
             ">/dev/null 2>&1",
             folder, i, program, CALLS);
    double begin = cv_bench_seconds();
    if (system(line) != 0)
        exit(1);
    return cv_bench_seconds() - begin;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0 || chmod(path, 0700) != 0)
        exit(1);
}

static void bench_run_whole(cv_arena *a, const char *folder)
{
    cv_buf pool = {0};
    double whole = 1e9, bare = 1e9;
    if (!realpath("build/conclave", program))
        exit(1);
    cv_buf_add_z(&pool, "{\"title\":\"Many\",\"expert_pool\":{\"domain\":\"d\",\"experts\":[");
    for (int i = 0; i < CALLS; i++)
        cv_buf_printf(&pool, "%s{\"role\":\"Role %d\",\"tier\":\"Core\",\"relevance\":0.5,\"slug\":\"e%c%c\"}",
                      i ? "," : "", i, 'a' + i / 10, 'a' + i % 10);
    cv_buf_printf(&pool, "]},\"panel_size\":%d}", CALLS);
    write_file(folder, "many.json", cv_arena_copy_z(a, cv_buf_take(&pool, a)));
    write_file(folder, "speaker",
               "#!/bin/sh\ncat >/dev/null\nprintf '[PERSPECTIVE P01: So]\\nYes.\\n\\n[MOVE:CONVERGE]\\n'\n");
    for (int i = 0; i < ROUNDS; i++) {
        double bare_now = time_bare(folder), now = time_whole(folder, i);
        whole = now < whole ? now : whole;
        bare = bare_now < bare ? bare_now : bare;
    }
    printf("run: a round of %d experts, prompts and registration included: %.2f ms each, overhead %.2f ms\n", CALLS,
           whole * 1e3 / CALLS, (whole - bare) * 1e3 / CALLS);
}

/* The most memory that this process has had so far, in MB. */
static double most_memory(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[128];
    double kb = 0;
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %lf", &kb);
    if (f)
        fclose(f);
    return kb / 1000;
}

/* Started with a pipe to its standard input: it ends when that is closed. */
static pid_t start_server(bool secure, int *ret_input, int *ret_port)
{
    int in[2], out[2];
    char line[16] = {0};
    if (pipe(in) != 0 || pipe(out) != 0)
        exit(1);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0), dup2(out[1], 1);
        close(in[1]), close(out[0]);
        execlp("node", "node", "test/run/models.mjs", secure ? "--tls" : NULL, "test/run/tls", (char *)NULL);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    for (size_t n = 0; n + 1 < sizeof line && !strchr(line, '\n') && read(out[0], line + n, 1) == 1; n++)
        continue;
    close(out[0]);
    *ret_input = in[1];
    *ret_port = atoi(line);
    return pid;
}

/* In a process of its own, which has done nothing else. */
static void measure(const char *folder, const cv_reach *reach, const char *scheme)
{
    pid_t pid = fork();
    if (pid == 0) {
        double before = most_memory();
        call_all(folder, reach);
        printf("run: %d streaming endpoints by %s, %d bytes each: %.1f MB at most, %.1f MB before (goal 32)\n", CALLS,
               scheme, ANSWER, most_memory(), before);
        fflush(stdout);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void bench_endpoints(cv_arena *a, const char *folder, bool secure)
{
    const char *scheme = secure ? "https" : "http";
    int port, input;
    cv_err err = {.arena = a};
    cv_agent_row row = {.id = CV_STR("x"), .reach = CV_STR("endpoint")};
    cv_reach reach;
    pid_t server = start_server(secure, &input, &port);
    row.reach_details =
        cv_arena_printf(a, "{\"endpoint\":\"%s://127.0.0.1:%d/big-%d/v1\",\"protocol\":\"openai\",\"model\":\"m\"}",
                        scheme, port, ANSWER);
    if (port == 0)
        printf("run: without node, endpoints are not measured\n");
    else if (cv_reach_of_agent(a, &row, &reach, &err))
        measure(folder, &reach, scheme);
    close(input);
    waitpid(server, NULL, 0);
}

void bench_run(void)
{
    cv_arena a = {0};
    char folder[] = "/tmp/conclave-bench-XXXXXX", line[64];
    memset(prompt, 'x', sizeof prompt);
    if (!mkdtemp(folder))
        exit(1);
    bench_commands(&a, folder);
    bench_endpoints(&a, folder, false);
    setenv("CURL_CA_BUNDLE", "test/run/tls/cert.pem", 1);
    bench_endpoints(&a, folder, true);
    unsetenv("CURL_CA_BUNDLE");
    bench_run_whole(&a, folder);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    if (system(line) != 0)
        exit(1);
    cv_arena_release(&a);
}
