/* mcp_client.c - a client of the Model Context Protocol that measures; see mcp_client.h. */
#include "mcp_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benching.h"

extern char **environ;

enum { CHUNK = 1 << 16, PATIENCE_MS = 30000, MAX_WIDTH = 64 };

#define META                                                                                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                           \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"                                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static _Noreturn void give_up(const cv_peer *peer, const char *what, cv_str shown)
{
    fprintf(stderr, "bench: %s: %s %.*s\n", peer->options.name, what, CV_FMT(cv_str_head(shown, 400)));
    exit(1);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static void wait_for(const cv_peer *peer, struct pollfd *fds, nfds_t count)
{
    int ready;
    while ((ready = poll(fds, count, PATIENCE_MS)) < 0 && errno == EINTR)
        ;
    if (ready <= 0)
        give_up(peer, "says nothing any more", cv_buf_str(&peer->in));
}

static void send_all(const cv_peer *peer, int fd, cv_str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            give_up(peer, "does not listen:", cv_str_of(strerror(errno)));
        if (n > 0)
            bytes = cv_str_from(bytes, (size_t)n);
    }
}

static void receive(const cv_peer *peer, int fd, cv_buf *in)
{
    static char chunk[CHUNK];
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n == 0 || (n < 0 && errno != EINTR))
        give_up(peer, "has ended; the last it said:", cv_buf_str(in));
    if (n > 0)
        cv_buf_add(in, (cv_str){chunk, (size_t)n});
}

/* What is looked at goes; most often that is all of it. */
static void drop(cv_buf *in, size_t n)
{
    memmove(in->p, in->p + n, in->n - n);
    in->n -= n;
}

/* Quotes within texts are escaped: what is here unescaped is the message's own. */
static void check(const cv_peer *peer, cv_str message)
{
    static const char result[] = "\"result\":", fault[] = "\"isError\":true";
    if (!memmem(message.p, message.n, result, sizeof result - 1) ||
        memmem(message.p, message.n, fault, sizeof fault - 1))
        give_up(peer, "answers", message);
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static void write_opening(const cv_peer *peer, cv_buf *to)
{
    cv_buf_add_z(to,
                 peer->options.modern
                     ? "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{" META "}}"
                     : "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                       "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}");
}

static void write_call(cv_peer *peer, cv_buf *to)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)++peer->last_id);
    cv_str input = cv_str_of(peer->options.input);
    size_t mark = cv_str_find_char(input, '#');
    cv_buf_add_z(to, "{\"jsonrpc\":\"2.0\",\"id\":");
    cv_buf_add_z(to, number);
    cv_buf_add_z(to, ",\"method\":\"tools/call\",\"params\":{\"name\":\"");
    cv_buf_add_z(to, peer->options.tool);
    cv_buf_add_z(to, "\",\"arguments\":");
    cv_buf_add(to, cv_str_head(input, mark));
    if (mark != SIZE_MAX) {
        cv_buf_add_z(to, number);
        cv_buf_add(to, cv_str_from(input, mark + 1));
    }
    cv_buf_add_z(to, peer->options.modern ? "," META "}}" : "}}");
}

static const char initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

/* ---- standard input --------------------------------------------------------------------------------------------- */

/* The next line, which stays in peer->in; `at` is where it begins. False: there is none yet. */
static bool next_line(const cv_peer *peer, size_t at, cv_str *ret_line)
{
    cv_str rest = cv_str_from(cv_buf_str(&peer->in), at);
    size_t end = cv_str_find_char(rest, '\n');
    *ret_line = cv_str_head(rest, end);
    return end != SIZE_MAX;
}

/* Looks at all whole lines: how many. */
static int64_t take_lines(cv_peer *peer)
{
    int64_t count = 0;
    size_t at = 0;
    cv_str line;
    for (; next_line(peer, at, &line); at += line.n + 1, count++)
        check(peer, line);
    drop(&peer->in, at);
    return count;
}

static void open_stdio(cv_peer *peer)
{
    cv_buf opening = {0};
    struct pollfd from = {.fd = peer->from, .events = POLLIN};
    write_opening(peer, &opening);
    cv_buf_add_char(&opening, '\n');
    send_all(peer, peer->to, cv_buf_str(&opening));
    cv_buf_release(&opening);
    do {
        wait_for(peer, &from, 1);
        receive(peer, peer->from, &peer->in);
    } while (take_lines(peer) == 0);
}

static double call_stdio(cv_peer *peer, int width, double seconds, int64_t calls)
{
    double begin = cv_bench_seconds();
    cv_buf out = {0};
    struct pollfd from = {.fd = peer->from, .events = POLLIN};
    int64_t sent = 0, got = 0;
    do {
        bool more = calls ? sent < calls : cv_bench_seconds() < begin + seconds;
        cv_buf_clear(&out);
        for (; more && sent - got < width; sent++) {
            write_call(peer, &out);
            cv_buf_add_char(&out, '\n');
        }
        send_all(peer, peer->to, cv_buf_str(&out));
        wait_for(peer, &from, 1);
        receive(peer, peer->from, &peer->in);
        got += take_lines(peer);
    } while (got < sent);
    cv_buf_release(&out);
    return (double)got / (cv_bench_seconds() - begin);
}

/* ---- HTTP ------------------------------------------------------------------------------------------------------- */

static int dial(const cv_peer *peer)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(peer->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        give_up(peer, "cannot be reached:", cv_str_of(strerror(errno)));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

static void post(const cv_peer *peer, int fd, const char *method, cv_str body)
{
    static cv_buf out;
    cv_buf_clear(&out);
    cv_buf_printf(&out,
                  "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Type: application/json\r\n"
                  "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\nMCP-Protocol-Version: %s\r\n",
                  peer->port, body.n, peer->options.modern ? "2026-07-28" : "2025-11-25");
    if (peer->options.modern)
        cv_buf_printf(&out, "Mcp-Method: %s\r\n", method);
    if (peer->options.modern && strcmp(method, "tools/call") == 0)
        cv_buf_printf(&out, "Mcp-Name: %s\r\n", peer->options.tool);
    if (*peer->session)
        cv_buf_printf(&out, "Mcp-Session-Id: %s\r\n", peer->session);
    cv_buf_add_z(&out, "\r\n");
    cv_buf_add(&out, body);
    send_all(peer, fd, cv_buf_str(&out));
}

/* The value of a header, whose name is given as "\r\nname: " in either usual spelling; a NULL view: it is not there. */
static cv_str find_header(cv_str head, cv_str lower, cv_str upper)
{
    size_t at = cv_str_find(head, lower);
    if (at == SIZE_MAX)
        at = cv_str_find(head, upper);
    if (at == SIZE_MAX)
        return (cv_str){NULL, 0};
    cv_str rest = cv_str_from(head, at + lower.n);
    return cv_str_head(rest, cv_str_find_char(rest, '\r'));
}

/* Is there a whole response? There is never more than one. */
static bool is_whole(cv_str in)
{
    size_t end = cv_str_find(in, CV_STR("\r\n\r\n"));
    int length;
    if (end == SIZE_MAX)
        return false;
    cv_str value =
        find_header(cv_str_head(in, end + 2), CV_STR("\r\ncontent-length: "), CV_STR("\r\nContent-Length: "));
    if (cv_str_to_int(value, &length))
        return in.n >= end + 4 + (size_t)length;
    return cv_str_starts(in, CV_STR("HTTP/1.1 202")) || cv_str_ends(in, CV_STR("\r\n0\r\n\r\n"));
}

static void ask_http(cv_peer *peer, int fd, const char *method, cv_str body)
{
    struct pollfd from = {.fd = fd, .events = POLLIN};
    cv_buf_clear(&peer->in);
    post(peer, fd, method, body);
    do {
        wait_for(peer, &from, 1);
        receive(peer, fd, &peer->in);
    } while (!is_whole(cv_buf_str(&peer->in)));
}

static void open_http(cv_peer *peer)
{
    cv_buf opening = {0};
    int fd = dial(peer);
    write_opening(peer, &opening);
    ask_http(peer, fd, peer->options.modern ? "server/discover" : "initialize", cv_buf_str(&opening));
    check(peer, cv_buf_str(&peer->in));
    cv_str session = find_header(cv_buf_str(&peer->in), CV_STR("\r\nmcp-session-id: "), CV_STR("\r\nMcp-Session-Id: "));
    snprintf(peer->session, sizeof peer->session, "%.*s", CV_FMT(session));
    if (!peer->options.modern)
        ask_http(peer, fd, "notifications/initialized", cv_str_of(initialized));
    cv_buf_release(&opening);
    close(fd);
}

static void call_next(cv_peer *peer, int fd)
{
    static cv_buf body;
    cv_buf_clear(&body);
    write_call(peer, &body);
    post(peer, fd, "tools/call", cv_buf_str(&body));
}

/* Reads what has come on one connection: true when that is a whole response. */
static bool hear(cv_peer *peer, int fd, cv_buf *in)
{
    receive(peer, fd, in);
    if (!is_whole(cv_buf_str(in)))
        return false;
    check(peer, cv_buf_str(in));
    cv_buf_clear(in);
    return true;
}

/* The time runs from the first request, when all connections stand. */
static double call_http(cv_peer *peer, int width, double seconds, int64_t calls)
{
    struct pollfd fds[MAX_WIDTH];
    static cv_buf in[MAX_WIDTH];
    int64_t sent = 0, got = 0;
    for (int i = 0; i < width; i++)
        fds[i] = (struct pollfd){.fd = dial(peer), .events = POLLIN};
    double begin = cv_bench_seconds();
    for (; sent < width; sent++)
        call_next(peer, fds[sent].fd);
    while (got < sent) {
        wait_for(peer, fds, (nfds_t)width);
        bool more = calls ? sent < calls : cv_bench_seconds() < begin + seconds;
        for (int i = 0; i < width; i++) {
            if (!fds[i].revents || !hear(peer, fds[i].fd, &in[i]))
                continue;
            got++;
            if (more) {
                call_next(peer, fds[i].fd);
                sent++;
            }
        }
    }
    double spent = cv_bench_seconds() - begin;
    for (int i = 0; i < width; i++)
        close(fds[i].fd);
    return (double)got / spent;
}

/* It has printed a line that says where it listens. */
static void find_port(cv_peer *peer)
{
    static const cv_str begin = CV_STR_INIT("http://127.0.0.1:");
    struct pollfd from = {.fd = peer->from, .events = POLLIN};
    cv_str line;
    while (!next_line(peer, 0, &line)) {
        wait_for(peer, &from, 1);
        receive(peer, peer->from, &peer->in);
    }
    size_t at = cv_str_find(line, begin);
    if (at == SIZE_MAX)
        give_up(peer, "does not say where it listens:", line);
    peer->port = (uint16_t)strtoul(line.p + at + begin.n, NULL, 10);
}

/* ---- the server's process --------------------------------------------------------------------------------------- */

typedef enum { ANYWHERE, FIRST, LAST } place;

/* On which processors this thread runs, and what it starts: the first is the client's, the last the server's. */
static void stay(place where)
{
    static cpu_set_t allowed;
    cpu_set_t one;
    size_t chosen = SIZE_MAX;
    if (CPU_COUNT(&allowed) == 0)
        sched_getaffinity(0, sizeof allowed, &allowed);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &allowed) && (where == LAST || chosen == SIZE_MAX))
            chosen = i;
    CPU_ZERO(&one);
    CPU_SET(chosen, &one);
    sched_setaffinity(0, sizeof one, where == ANYWHERE ? &allowed : &one);
}

static void spawn(cv_peer *peer)
{
    int to[2], from[2];
    char *argv[CV_PEER_MAX_ARGUMENTS + 2] = {(char *)(uintptr_t)peer->options.program};
    for (size_t i = 0; i < CV_PEER_MAX_ARGUMENTS; i++)
        argv[i + 1] = (char *)(uintptr_t)peer->options.arguments[i];
    posix_spawn_file_actions_t actions;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        give_up(peer, "cannot be started:", cv_str_of(strerror(errno)));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    stay(LAST);
    int failed = posix_spawnp(&peer->pid, peer->options.program, &actions, NULL, argv, environ);
    stay(FIRST);
    if (failed)
        give_up(peer, "cannot be started:", cv_str_of(strerror(failed)));
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    peer->to = to[1];
    peer->from = from[0];
}

double cv_peer_start(cv_peer *peer, const cv_peer_options *options)
{
    double begin = cv_bench_seconds();
    *peer = (cv_peer){.options = *options};
    signal(SIGPIPE, SIG_IGN);
    spawn(peer);
    if (options->http) {
        find_port(peer);
        open_http(peer);
    } else {
        open_stdio(peer);
    }
    double spent = cv_bench_seconds() - begin;
    stay(ANYWHERE);
    if (!options->http && !options->modern) {
        send_all(peer, peer->to, cv_str_of(initialized));
        send_all(peer, peer->to, CV_STR("\n"));
    }
    return spent;
}

double cv_peer_call(cv_peer *peer, int width, double seconds, int64_t calls)
{
    stay(FIRST);
    double rate = (peer->options.http ? call_http : call_stdio)(peer, width, seconds, calls);
    stay(ANYWHERE);
    return rate;
}

double cv_peer_cpu(const cv_peer *peer)
{
    struct timespec used;
    clockid_t clock;
    if (clock_getcpuclockid(peer->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        give_up(peer, "has no clock", CV_STR(""));
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

double cv_peer_memory(const cv_peer *peer)
{
    char path[40];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)peer->pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        give_up(peer, "does not show its memory", CV_STR(""));
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

double cv_peer_stop(cv_peer *peer)
{
    int status;
    double begin = cv_bench_seconds();
    close(peer->to);
    if (peer->options.http)
        kill(peer->pid, SIGTERM);
    waitpid(peer->pid, &status, 0);
    double spent = cv_bench_seconds() - begin;
    close(peer->from);
    cv_buf_release(&peer->in);
    return spent;
}
