/* http.c - an HTTP server for routes, on libmicrohttpd; see http.h.
 *
 * Bytes are moved in turns (turns.h), by threads that serve requests or by the server's own. A request that has been
 * read stays with the library until the next turn; most often it has been answered by then. Only if not its connection
 * is suspended, so that waiting costs nothing; the answer resumes it.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/heap.h"
#include "base/monotonic.h"
#include "base/system.h"
#include "door/http/framing.h"
#include "door/http/parts.h"
#include "door/http/target.h"

enum {
    CONNECTION_MEMORY = 20480, /* of the library for one: what has_room says */
    ITEM_MEMORY = 64,          /* … for each parameter, header and cookie */
    READ_MEMORY = 1024,        /* … that it takes at a time when it reads */
    ANSWER_MEMORY = 2048,      /* … for the headers of an answer and a piece of a stream */
    BLOCK = 1024, /* of a stream without chunks (HTTP/1.0); chunks are made in the memory of the connection */
    REFUSED_BYTES = 64 << 20, /* that a refused client may go on to send while it reads why */
    HELP_MS = 10000,          /* that somebody who helps waits for bytes at a time */
    LAST_WORDS_MS = 200,      /* for answers that are not yet sent when the server ends */
};

/* ---- what the library calls ------------------------------------------------------------------------------------- */

static void drop_sent(cv_http_exchange *x)
{
    memmove(x->out.p, x->out.p + x->sent, x->out.n - x->sent);
    x->out.n -= x->sent;
    x->sent = 0;
}

/* More of a stream; with nothing to give the connection is put aside. */
static ssize_t read_stream(void *cls, uint64_t position, char *to, size_t max)
{
    cv_http_exchange *x = cls;
    (void)position;
    pthread_mutex_lock(&x->lock);
    cv_str rest = cv_str_from(cv_buf_str(&x->out), x->sent);
    ssize_t result = 0;
    if (rest.n > 0) {
        size_t n = rest.n < max ? rest.n : max;
        memcpy(to, rest.p, n);
        x->sent += n;
        x->sent_in_all += n;
        if (x->sent == x->out.n || x->sent > CV_HTTP_MAX_PENDING)
            drop_sent(x);
        result = (ssize_t)n;
    } else if (x->ended) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        x->suspended = true;
        MHD_suspend_connection(x->connection);
    }
    pthread_mutex_unlock(&x->lock);
    return result;
}

static const char policy[] = "Content-Security-Policy";

static struct MHD_Response *make_response(cv_http_exchange *x)
{
    struct MHD_Response *response =
        x->stream ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, x, NULL)
                  : MHD_create_response_from_buffer(x->out.n, x->out.n ? x->out.p : (void *)(uintptr_t) "",
                                                    MHD_RESPMEM_PERSISTENT); /* the exchange outlives the response */
    char id[24];
    if (!response)
        return NULL;
    if (x->type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, x->type);
    bool has_policy = false;
    for (size_t i = 0; i < x->header_count; i++) {
        MHD_add_response_header(response, x->headers[i].name, x->headers[i].value);
        has_policy |= strcmp(x->headers[i].name, policy) == 0;
    }
    if (!has_policy) /* whatever opens it as a page runs nothing of it */
        MHD_add_response_header(response, policy, "default-src 'none'; frame-ancestors 'none'");
    snprintf(id, sizeof id, "%" PRIu64, x->id);
    MHD_add_response_header(response, "X-Request-Id", id);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    return response;
}

/* Hands the answer to the library, whose own lock is held when it calls read_stream: so not with the exchange's. What a
 * response is made of does not change any more once it is ready. */
static enum MHD_Result queue_answer(cv_http_exchange *x)
{
    struct MHD_Response *response = make_response(x);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_queue_response(x->connection, (unsigned)x->status, response);
    MHD_destroy_response(response);
    return result;
}

static const cv_http_route *find_route(const cv_http_options *options, const char *path)
{
    cv_str asked = cv_str_of(path),
           bare = cv_str_head(asked, asked.n > 1 && cv_str_ends(asked, CV_STR("/")) ? asked.n - 1 : asked.n);
    for (size_t i = 0; i < options->route_count; i++) {
        cv_str route = cv_str_of(options->routes[i].path);
        bool below = cv_str_ends(route, CV_STR("/")) && cv_str_starts(asked, route);
        if (below || cv_str_eq(route, bare))
            return &options->routes[i];
    }
    return NULL;
}

/* ---- refusing --------------------------------------------------------------------------------------------------- */

static cv_err_code code_of(int status)
{
    switch (status) {
    case MHD_HTTP_UNAUTHORIZED:
        return CV_ERR_TOKEN;
    case MHD_HTTP_FORBIDDEN:
        return CV_ERR_NOT_ALLOWED;
    case MHD_HTTP_NOT_FOUND:
        return CV_ERR_NOT_FOUND;
    case MHD_HTTP_CONTENT_TOO_LARGE:
    case MHD_HTTP_URI_TOO_LONG:
    case MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE:
        return CV_ERR_TOO_LARGE;
    case MHD_HTTP_SERVICE_UNAVAILABLE:
        return CV_ERR_CANCELLED;
    default:
        return CV_ERR_USAGE;
    }
}

static void refuse(cv_http_exchange *x, int status, const char *why)
{
    if (status == MHD_HTTP_UNAUTHORIZED)
        cv_http_add_header(x, "WWW-Authenticate", CV_STR("Bearer"));
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        cv_http_add_header(x, "Retry-After", CV_STR("1"));
    if (status == MHD_HTTP_BAD_REQUEST)
        cv_http_add_header(x, "Connection", CV_STR("close"));
    cv_http_refuse(x, status, code_of(status), why);
}

/* Answers although the body is still on its way. The library cannot: it would close the connection, and what the client
 * goes on to send would reset it before the client has read the answer. So it is written here; what still comes is
 * thrown away for a while (take_body), and then the connection is closed. */
static void refuse_early(cv_http_exchange *x, int status, const char *why)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    cv_buf response = {0};
    refuse(x, status, why);
    cv_buf_printf(&response,
                  "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/json\r\nX-Request-Id: %" PRIu64
                  "\r\n",
                  status, MHD_get_reason_phrase_for((unsigned)status), x->id);
    for (size_t i = 0; i < x->header_count; i++)
        if (strcmp(x->headers[i].name, "Connection") != 0)
            cv_buf_printf(&response, "%s: %s\r\n", x->headers[i].name, x->headers[i].value);
    cv_buf_printf(&response, "Content-Length: %zu\r\n\r\n%.*s", x->out.n, CV_FMT(cv_buf_str(&x->out)));
    send(info->connect_fd, response.p, response.n, MSG_NOSIGNAL | MSG_DONTWAIT); /* to a client who left: to nobody */
    shutdown(info->connect_fd, SHUT_WR);
    cv_buf_release(&response);
    cv_http_drop_body(x);
    cv_http_watch_refused(x->server, x->connection);
    x->refused = true;
}

static bool has_body(const cv_http_exchange *x)
{
    cv_str length = cv_http_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return (length.p && !cv_str_eq(length, CV_STR("0"))) || cv_http_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING).p;
}

/* A client that waits to be told to go on has not sent its body yet, and will not. */
static enum MHD_Result refuse_at_once(cv_http_exchange *x, int status, const char *why)
{
    if (has_body(x) && !cv_http_header(x, MHD_HTTP_HEADER_EXPECT).p) {
        refuse_early(x, status, why);
        return MHD_YES;
    }
    refuse(x, status, why);
    return queue_answer(x);
}

/* ---- the request ------------------------------------------------------------------------------------------------ */

/* The library keeps all of a request in one piece of memory. When that is used up it closes the connection, answers
 * twice, or waits for nothing, so what would need more is refused before. What it reads may take half of the memory at
 * once. */
static bool has_room(size_t bytes, size_t items, size_t cookies)
{
    size_t read = bytes + READ_MEMORY > CONNECTION_MEMORY / 2 ? bytes + READ_MEMORY : CONNECTION_MEMORY / 2;
    return read + items * ITEM_MEMORY + cookies + ANSWER_MEMORY <= CONNECTION_MEMORY;
}

static bool has_room_for_headers(const cv_http_exchange *x)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    int items = MHD_get_connection_values_n(x->connection, MHD_HEADER_KIND | MHD_COOKIE_KIND | MHD_GET_ARGUMENT_KIND,
                                            NULL, NULL);
    return has_room(info ? info->header_size : 0, (size_t)items, cv_http_header(x, MHD_HTTP_HEADER_COOKIE).n);
}

/* What can be said before the body is there. */
static enum MHD_Result admit(cv_http_exchange *x, const char *method, const char *version)
{
    const cv_http_options *o = &x->server->options;
    const char *why = NULL;
    char served[128];
    uint64_t length = 0;
    const cv_framed framed = {
        .method = method, .version = version, .target = x->whole, .target_size = strlen(x->target)};
    cv_http_watch_body(x->server, x->connection);
    if (!has_room_for_headers(x)) {
        refuse_early(x, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, "the first line and the headers are too large");
        return MHD_YES;
    }
    if (!cv_framing_check(x->connection, &framed, &why))
        return refuse_at_once(x, MHD_HTTP_BAD_REQUEST, why);
    if (x->bad_path)
        return refuse_at_once(x, MHD_HTTP_BAD_REQUEST, x->bad_path);
    const cv_guarded request = {.host = cv_http_header(x, "Host"),
                                .origin = cv_http_header(x, "Origin"),
                                .authorization = cv_http_header(x, "Authorization"),
                                .cookie = cv_http_cookie(x)};
    x->route = find_route(o, x->path);
    int status = cv_guard_check(&x->server->guard, &request, &why);
    if (status && !(status == MHD_HTTP_UNAUTHORIZED && x->route && x->route->open))
        return refuse_at_once(x, status, why);
    if (!x->route) {
        snprintf(served, sizeof served, "nothing is served at this path; %s is", o->routes[0].path);
        return refuse_at_once(x, MHD_HTTP_NOT_FOUND, served);
    }
    cv_str announced = cv_http_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH); /* digits: the library has seen to it */
    for (size_t i = 0; i < announced.n && length <= o->max_body; i++)
        length = length * 10 + (uint64_t)(announced.p[i] - '0');
    if (length > o->max_body)
        return refuse_at_once(x, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large");
    return MHD_YES;
}

static enum MHD_Result take_body(cv_http_exchange *x, const char *bytes, size_t *size)
{
    cv_str piece = {bytes, *size};
    *size = 0;
    if (x->refused) {
        x->thrown += piece.n;
        return x->thrown <= REFUSED_BYTES ? MHD_YES : MHD_NO;
    }
    if (piece.n > x->server->options.max_body - x->body.n)
        refuse_early(x, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large");
    else if (!cv_http_count_body(x, piece.n))
        refuse_early(x, MHD_HTTP_SERVICE_UNAVAILABLE, "too many large bodies are being sent: try again later");
    else
        cv_buf_add(&x->body, piece);
    return MHD_YES;
}

static void hand_over(cv_http_exchange *x)
{
    cv_http_server *server = x->server;
    cv_http_watch_served(server, x->connection);
    pthread_mutex_lock(&server->gate);
    if (server->closed) {
        refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is ending");
    } else {
        x->handed = true;
        x->since_us = cv_monotonic_us();
        server->exchanges++;
        atomic_fetch_add(&x->holders, 1);
        x->route->handle(x, x->route->ctx);
    }
    pthread_mutex_unlock(&server->gate);
}

/* The whole request is there: the route gets it, or has answered it meanwhile. */
static enum MHD_Result proceed(cv_http_exchange *x)
{
    cv_http_server *server = x->server;
    bool fresh = !x->handed;
    if (fresh)
        hand_over(x);
    pthread_mutex_lock(&x->lock);
    bool ready = x->ready;
    if (!ready && !fresh && server->settles) {
        x->suspended = true;
        MHD_suspend_connection(x->connection);
    }
    pthread_mutex_unlock(&x->lock);
    if (!ready) {
        server->opened |= fresh;
        return MHD_YES;
    }
    if (x->stream)
        cv_http_watch_stream(server, x->connection, x);
    return queue_answer(x);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    cv_http_exchange *x = *state;
    (void)cls, (void)connection, (void)url;
    if (!x->method) {
        x->method = cv_heap_copy(cv_str_of(method));
        return x->refused ? MHD_YES : admit(x, method, version);
    }
    if (*upload_size > 0)
        return take_body(x, upload, upload_size);
    return x->refused ? MHD_NO : proceed(x); /* what was refused ends with its connection */
}

static void on_end(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
    cv_http_exchange *x = *state;
    cv_http_server *server = cls;
    if (!x)
        return;
    *state = NULL;
    *cv_http_begun(connection) = NULL;
    server->exchanges -= x->handed;
    cv_http_watch_next(server, connection);
    pthread_mutex_lock(&x->lock);
    bool early = x->handed && code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    x->left = true;
    pthread_mutex_unlock(&x->lock);
    if (early && x->route->gone)
        x->route->gone(x, x->route->ctx);
    cv_http_release(x);
}

/* The library does not tell the end of a request that was refused with its first line, and whose client leaves before
 * the headers are there. */
static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        cv_http_watch(cls, connection, context);
    } else if (*context) {
        void *begun = *cv_http_begun(connection);
        on_end(cls, connection, &begun, MHD_REQUEST_TERMINATED_CLIENT_ABORT);
        cv_http_unwatch(cls, context);
    }
}

/* The first line is there; what this returns becomes the state of the request. One that has begun before on the same
 * connection is over; if it was refused, what else the client sends there is, too. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    cv_http_exchange **begun = cv_http_begun(connection);
    void *before = *begun;
    if (before && (*begun)->refused)
        return before;
    on_end(cls, connection, &before, MHD_REQUEST_TERMINATED_WITH_ERROR);
    cv_http_exchange *x = *begun = cv_http_exchange_new(cls, connection, target ? target : "");
    if (!has_room(strlen(x->target), cv_target_count(cv_str_of(x->target)), 0))
        refuse_early(x, MHD_HTTP_URI_TOO_LONG,
                     "the path with its query is too long: send the input as JSON, with POST");
    return x;
}

/* ---- turns ------------------------------------------------------------------------------------------------------ */

/* Until there are bytes to move, somebody pokes, or so many milliseconds have passed. */
static void wait_for_bytes(const cv_http_server *server, int ms)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd fds[] = {{.fd = info->epoll_fd, .events = POLLIN}, {.fd = server->turns.poke.in, .events = POLLIN}};
    MHD_UNSIGNED_LONG_LONG most;
    if (MHD_get_timeout(server->daemon, &most) == MHD_YES && most < (unsigned)ms)
        ms = (int)most;
    if (ms == 0)
        return;
    poll(fds, CV_COUNT(fds), ms);
    if (fds[1].revents)
        cv_os_wake_clear(&server->turns.poke);
}

static void resume_all(cv_http_server *server)
{
    pthread_mutex_lock(&server->resumed_lock);
    cv_http_exchange *x = server->resumed;
    server->resumed = NULL;
    pthread_mutex_unlock(&server->resumed_lock);
    for (cv_http_exchange *next; x; x = next) {
        next = x->next_resumed;
        MHD_resume_connection(x->connection);
    }
}

static void move(void *ctx, int ms)
{
    cv_http_server *server = ctx;
    if (ms > 0)
        wait_for_bytes(server, ms);
    resume_all(server);
    server->settles = ms > 0;
    server->opened = false;
    MHD_run_wait(server->daemon, 0);
}

/* What a worker without work does. */
static bool help(void *ctx, bool wait)
{
    cv_http_server *server = ctx;
    cv_turn turn = cv_turns_take(&server->turns, wait);
    if (turn == CV_TURN_MINE) {
        move(server, wait ? HELP_MS : 0);
        cv_turns_give(&server->turns, server->opened);
    }
    return turn != CV_TURN_CLOSED;
}

static void look(void *ctx)
{
    cv_http_look(ctx);
}

static bool hurry(void *ctx, bool now)
{
    cv_workers *workers = ((cv_http_server *)ctx)->options.workers;
    if (workers && now)
        cv_workers_hurry(workers);
    return workers && atomic_load(&workers->queued) > 0;
}

static void *keep(void *argument)
{
    cv_http_server *server = argument;
    const cv_turns_server own = {.move = move, .look = look, .hurry = hurry, .ctx = server};
    cv_turns_keep(&server->turns, &own);
    return NULL;
}

/* ---- the server ------------------------------------------------------------------------------------------------- */

/* Every connection is a descriptor, and the record needs some. */
static void raise_descriptors(unsigned connections)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < connections + 64) {
        limit.rlim_cur = limit.rlim_max < connections + 64 ? limit.rlim_max : connections + 64;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool start_daemon(cv_http_server *server, cv_err *err)
{
    const cv_http_options *o = &server->options;
    const cv_endpoint *address = &server->guard.address;
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    if (address->any.sa_family == AF_INET6) /* :: stands for all addresses, those of IPv4 too */
        flags |= cv_endpoint_is_any(address) ? MHD_USE_DUAL_STACK : MHD_USE_IPv6;
    server->daemon =
        MHD_start_daemon(flags, o->port, NULL, NULL, on_request, server, MHD_OPTION_SOCK_ADDR, &address->any,
                         MHD_OPTION_NOTIFY_COMPLETED, on_end, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
                         server, MHD_OPTION_CONNECTION_LIMIT, o->max_connections, MHD_OPTION_CONNECTION_TIMEOUT,
                         o->idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
                         MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_STRICT_FOR_CLIENT, cv_framing_strictness(),
                         MHD_OPTION_URI_LOG_CALLBACK, on_target, server, MHD_OPTION_END);
    if (server->daemon)
        return true;
    int failed = errno;
    cv_system_fail(err, NULL,
                   cv_arena_printf(err->arena, "listen on %s:%u", o->address ? o->address : "127.0.0.1", o->port).p,
                   failed);
    if (failed == EADDRNOTAVAIL)
        cv_err_suggest(err, CV_STR("give an address of this machine, like 127.0.0.1 or 0.0.0.0"));
    else if (failed == EADDRINUSE || failed == EACCES)
        cv_err_suggest(err, CV_STR("choose another port, or 0 for one that is free"));
    return false;
}

static bool start_keeper(cv_http_server *server, cv_err *err)
{
    int failed = pthread_create(&server->own_thread, NULL, keep, server);
    if (failed)
        cv_system_fail(err, NULL, "start a thread", failed);
    return failed == 0;
}

static void release(cv_http_server *server)
{
    if (server->daemon) {
        resume_all(server); /* the library ends no connection that is suspended */
        MHD_stop_daemon(server->daemon);
    }
    cv_turns_release(&server->turns);
    pthread_mutex_destroy(&server->lock);
    pthread_mutex_destroy(&server->gate);
    pthread_mutex_destroy(&server->resumed_lock);
}

static bool start(cv_http_server *server, cv_err *err)
{
    pthread_mutex_init(&server->lock, NULL);
    pthread_mutex_init(&server->gate, NULL);
    pthread_mutex_init(&server->resumed_lock, NULL);
    if (!cv_turns_init(&server->turns))
        cv_system_fail(err, NULL, "make an event descriptor", errno);
    else if (start_daemon(server, err) && start_keeper(server, err))
        return true;
    release(server);
    return false;
}

bool cv_http_start(cv_arena *a, const cv_http_options *options, cv_http_server **ret_server, cv_err *err)
{
    cv_http_server *server = CV_NEW(a, cv_http_server);
    server->options = *options;
    server->guard = (cv_guard){.name = options->address,
                               .token = options->token,
                               .admits = options->admits,
                               .admits_ctx = options->admits_ctx};
    if ((options->token && !cv_guard_check_token(options->token, err)) ||
        !cv_endpoint_find(options->address, options->port, &server->guard.address, err))
        return false;
    if (!options->token && !cv_endpoint_is_loopback(&server->guard.address)) {
        cv_err_set(err, CV_ERR_USAGE, "an address that others can reach needs a token");
        cv_err_suggest(err, CV_STR("set CONCLAVE_TOKEN (or --token), or listen on 127.0.0.1"));
        return false;
    }
    raise_descriptors(options->max_connections);
    if (!cv_http_library_load(err) || !start(server, err))
        return false;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info ? info->port : options->port;
    if (options->workers)
        cv_workers_lend(options->workers, help, server);
    *ret_server = server;
    return true;
}

uint16_t cv_http_port(const cv_http_server *server)
{
    return server->port;
}

cv_str cv_http_url(const cv_http_server *server, cv_arena *a)
{
    return cv_arena_printf(a, "http://%.*s:%u", CV_FMT(cv_endpoint_print(a, &server->guard.address)), server->port);
}

bool cv_http_is_everywhere(const cv_http_server *server)
{
    return cv_endpoint_is_any(&server->guard.address);
}

void cv_http_close(cv_http_server *server)
{
    pthread_mutex_lock(&server->gate);
    server->closed = true;
    pthread_mutex_unlock(&server->gate);
    cv_turns_close(&server->turns);
}

void cv_http_drain(cv_http_server *server)
{
    int64_t until = cv_monotonic_ms() + LAST_WORDS_MS;
    cv_turns_end(&server->turns);
    pthread_join(server->own_thread, NULL);
    while (server->exchanges > 0 && cv_monotonic_ms() < until)
        move(server, CV_TURN_BEAT_MS);
}

void cv_http_stop(cv_http_server *server)
{
    cv_http_drain(server);
    release(server);
}
