/* http.c - an HTTP server for routes, on libmicrohttpd; see http.h.
 *
 * One thread of the library moves bytes. While an exchange waits for its answer its connection is suspended, so that
 * waiting costs nothing; whoever answers resumes it. A second thread cuts off who takes too long.
 */
#include "door/http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "base/heap.h"
#include "door/http/guard.h"

enum {
    MAX_HEADERS = 8,           /* that a response adds */
    CONNECTION_MEMORY = 32768, /* request line and headers; more is answered 431 */
    MAX_PENDING = 8 << 20,     /* bytes of a stream that wait for a client who does not read */
    BLOCK = 16384,
};

typedef struct {
    const char *name;
    char *value;
} header;

struct cv_http_exchange {
    pthread_mutex_t lock;
    atomic_uint holders;
    cv_http_server *server;
    struct MHD_Connection *connection;
    const cv_http_route *route;
    char *method, *path;
    cv_buf body;
    header headers[MAX_HEADERS];
    size_t header_count;
    /* ---- the answer ---- */
    bool handed;    /* the route has it */
    bool suspended; /* the connection waits */
    bool ready;     /* there is an answer, or the beginning of a stream */
    bool stream, ended, left;
    int status;
    const char *type, *beat;
    time_t said; /* when something was last written to the stream */
    cv_buf out;  /* the whole body, or what of the stream has not been sent */
    size_t sent;
};

/* A connection, for the one who looks at the clock. */
typedef struct watched {
    int fd;
    time_t deadline;          /* for the next whole request; 0: there is one, and it waits for us */
    cv_http_exchange *stream; /* that is open on it; NULL: none */
    struct watched *prev, *next;
} watched;

struct cv_http_server {
    cv_http_options options;
    struct MHD_Daemon *daemon;
    uint16_t port;
    pthread_mutex_t gate; /* held while a route gets a request */
    bool closed;
    pthread_mutex_t lock; /* of the list; before the lock of an exchange */
    watched *connections;
    pthread_t timekeeper;
    bool timekeeper_runs;
    atomic_bool ending;
};

/* ---- exchanges -------------------------------------------------------------------------------------------------- */

static time_t now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static cv_http_exchange *new_exchange(cv_http_server *server, struct MHD_Connection *connection, const char *method,
                                      const char *path)
{
    cv_http_exchange *x = CV_HEAP_NEW(cv_http_exchange);
    pthread_mutex_init(&x->lock, NULL);
    atomic_store(&x->holders, 1);
    x->server = server;
    x->connection = connection;
    x->method = cv_heap_copy(cv_str_of(method));
    x->path = cv_heap_copy(cv_str_of(path));
    x->body.ceiling = server->options.max_body;
    return x;
}

/* Until when the connection must have sent its next request; 0: it has. */
static void set_deadline(cv_http_server *server, struct MHD_Connection *connection, time_t deadline)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    watched *w = info ? info->socket_context : NULL;
    pthread_mutex_lock(&server->lock);
    if (w)
        w->deadline = deadline;
    pthread_mutex_unlock(&server->lock);
}

static void set_stream(cv_http_server *server, struct MHD_Connection *connection, cv_http_exchange *x)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    watched *w = info ? info->socket_context : NULL;
    pthread_mutex_lock(&server->lock);
    if (w)
        w->stream = x;
    pthread_mutex_unlock(&server->lock);
}

static void let_go(cv_http_exchange *x)
{
    if (atomic_fetch_sub(&x->holders, 1) != 1)
        return;
    for (size_t i = 0; i < x->header_count; i++)
        cv_heap_free(x->headers[i].value);
    cv_buf_release(&x->body);
    cv_buf_release(&x->out);
    pthread_mutex_destroy(&x->lock);
    cv_heap_free(x->method);
    cv_heap_free(x->path);
    cv_heap_free(x);
}

void cv_http_release(cv_http_exchange *x)
{
    let_go(x);
}

cv_str cv_http_method(const cv_http_exchange *x)
{
    return cv_str_of(x->method);
}

cv_str cv_http_body(const cv_http_exchange *x)
{
    return cv_buf_str(&x->body);
}

cv_str cv_http_header(const cv_http_exchange *x, const char *name)
{
    return cv_str_of(MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name));
}

void cv_http_add_header(cv_http_exchange *x, const char *name, cv_str value)
{
    if (x->header_count == MAX_HEADERS)
        return;
    x->headers[x->header_count++] = (header){name, cv_heap_copy(value)};
}

/* ---- answers, from any thread ----------------------------------------------------------------------------------- */

/* With the exchange's lock held: the connection has something to do. */
static void resume(cv_http_exchange *x)
{
    if (!x->suspended)
        return;
    x->suspended = false;
    MHD_resume_connection(x->connection);
}

void cv_http_answer(cv_http_exchange *x, int status, const char *type, cv_str body)
{
    pthread_mutex_lock(&x->lock);
    x->status = status;
    x->type = type;
    x->ready = true;
    cv_buf_add(&x->out, body);
    resume(x);
    pthread_mutex_unlock(&x->lock);
}

void cv_http_begin(cv_http_exchange *x, int status, const char *type, const char *beat)
{
    pthread_mutex_lock(&x->lock);
    x->status = status;
    x->type = type;
    x->beat = beat;
    x->said = now_s();
    x->ready = x->stream = true;
    resume(x);
    pthread_mutex_unlock(&x->lock);
}

bool cv_http_write(cv_http_exchange *x, cv_str bytes)
{
    pthread_mutex_lock(&x->lock);
    bool reads = x->out.n - x->sent <= MAX_PENDING; /* beside which one message may be of any size */
    if (!x->left && reads)
        cv_buf_add(&x->out, bytes);
    if (!x->left && (!reads || !cv_buf_ok(&x->out)))
        x->left = x->ended = true; /* who does not read is cut off */
    bool written = !x->left;
    x->said = now_s();
    resume(x);
    pthread_mutex_unlock(&x->lock);
    return written;
}

/* Who reads nothing gets nothing: the beat is no more than something that can fail. */
static void beat(cv_http_exchange *x, time_t now)
{
    pthread_mutex_lock(&x->lock);
    bool silent = x->said + (time_t)x->server->options.beat_seconds <= now;
    if (silent && x->beat && !x->left && !x->ended && x->sent == x->out.n) {
        cv_buf_add_z(&x->out, x->beat);
        x->said = now;
        resume(x);
    }
    pthread_mutex_unlock(&x->lock);
}

void cv_http_end(cv_http_exchange *x)
{
    pthread_mutex_lock(&x->lock);
    x->ended = true;
    resume(x);
    pthread_mutex_unlock(&x->lock);
}

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
        if (x->sent == x->out.n || x->sent > MAX_PENDING)
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

static struct MHD_Response *make_response(cv_http_exchange *x)
{
    struct MHD_Response *response =
        x->stream ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, x, NULL)
                  : MHD_create_response_from_buffer(x->out.n, x->out.n ? x->out.p : (void *)(uintptr_t) "",
                                                    MHD_RESPMEM_PERSISTENT); /* the exchange outlives the response */
    if (!response)
        return NULL;
    if (x->type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, x->type);
    for (size_t i = 0; i < x->header_count; i++)
        MHD_add_response_header(response, x->headers[i].name, x->headers[i].value);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
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
    for (size_t i = 0; i < options->route_count; i++) {
        cv_str route = cv_str_of(options->routes[i].path), asked = cv_str_of(path);
        bool below = cv_str_ends(route, CV_STR("/")) && cv_str_starts(asked, route);
        if (below || cv_str_eq(route, asked))
            return &options->routes[i];
    }
    return NULL;
}

static void refuse(cv_http_exchange *x, int status, const char *why)
{
    cv_buf body = {0};
    cv_json_writer w = {.out = &body};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("error"));
    cv_json_key_str(&w, "message", cv_str_of(why));
    cv_json_end_object(&w);
    if (status == MHD_HTTP_UNAUTHORIZED)
        cv_http_add_header(x, "WWW-Authenticate", CV_STR("Bearer"));
    cv_http_answer(x, status, "application/json", cv_buf_str(&body));
    cv_buf_release(&body);
}

/* What can be said before the body is there. */
static bool admit(cv_http_exchange *x)
{
    const cv_http_options *o = &x->server->options;
    cv_str length = cv_http_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *why = NULL;
    char served[128];
    int status = cv_guard_check(o, cv_http_header(x, "Host"), cv_http_header(x, "Origin"),
                                cv_http_header(x, "Authorization"), &why);
    x->route = find_route(o, x->path);
    if (!status && !x->route) {
        status = MHD_HTTP_NOT_FOUND;
        snprintf(served, sizeof served, "nothing is served at this path; %s is", o->routes[0].path);
        why = served;
    }
    if (!status && length.p && strtoull(length.p, NULL, 10) > o->max_body) {
        status = MHD_HTTP_CONTENT_TOO_LARGE;
        why = "the body is too large";
    }
    if (status)
        refuse(x, status, why);
    return status == 0;
}

static enum MHD_Result take_body(cv_http_exchange *x, const char *bytes, size_t *size)
{
    cv_buf_add(&x->body, (cv_str){bytes, *size});
    *size = 0;
    if (cv_buf_ok(&x->body))
        return MHD_YES;
    return MHD_NO; /* more than was announced or allowed: the connection is cut */
}

static void hand_over(cv_http_exchange *x)
{
    cv_http_server *server = x->server;
    set_deadline(server, x->connection, 0);
    pthread_mutex_lock(&server->gate);
    if (server->closed) {
        refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is ending");
    } else {
        x->handed = true;
        atomic_fetch_add(&x->holders, 1);
        x->route->handle(x, x->route->ctx);
    }
    pthread_mutex_unlock(&server->gate);
}

/* The whole request is there: the route gets it, or has answered it meanwhile. */
static enum MHD_Result proceed(cv_http_exchange *x)
{
    if (!x->handed)
        hand_over(x);
    pthread_mutex_lock(&x->lock);
    bool ready = x->ready;
    if (!ready) {
        x->suspended = true;
        MHD_suspend_connection(x->connection);
    }
    pthread_mutex_unlock(&x->lock);
    if (!ready)
        return MHD_YES;
    if (x->stream)
        set_stream(x->server, x->connection, x);
    return queue_answer(x);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    cv_http_exchange *x = *state;
    (void)version;
    if (!x) {
        x = *state = new_exchange(cls, connection, method, url);
        return admit(x) ? MHD_YES : queue_answer(x);
    }
    return *upload_size > 0 ? take_body(x, upload, upload_size) : proceed(x);
}

static void on_end(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code)
{
    cv_http_exchange *x = *state;
    cv_http_server *server = cls;
    if (!x)
        return;
    *state = NULL;
    set_stream(server, connection, NULL);
    set_deadline(server, connection,
                 now_s() + (time_t)(server->options.idle_seconds + server->options.request_seconds));
    pthread_mutex_lock(&x->lock);
    bool early = x->handed && code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    x->left = true;
    pthread_mutex_unlock(&x->lock);
    if (early && x->route->gone)
        x->route->gone(x, x->route->ctx);
    let_go(x);
}

/* ---- who takes too long ----------------------------------------------------------------------------------------- */

static void begin_watching(cv_http_server *server, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    watched *w = CV_HEAP_NEW(watched);
    w->fd = info ? info->connect_fd : -1;
    w->deadline = now_s() + (time_t)server->options.request_seconds;
    pthread_mutex_lock(&server->lock);
    w->next = server->connections;
    if (w->next)
        w->next->prev = w;
    server->connections = w;
    pthread_mutex_unlock(&server->lock);
    *context = w;
}

static void end_watching(cv_http_server *server, void **context)
{
    watched *w = *context;
    *context = NULL;
    pthread_mutex_lock(&server->lock);
    if (w->prev)
        w->prev->next = w->next;
    else
        server->connections = w->next;
    if (w->next)
        w->next->prev = w->prev;
    pthread_mutex_unlock(&server->lock);
    cv_heap_free(w);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        begin_watching(cls, connection, context);
    else if (*context)
        end_watching(cls, context);
}

static void look_at(const cv_http_server *server, const watched *w, time_t now)
{
    if (w->deadline && w->deadline <= now && w->fd >= 0)
        shutdown(w->fd, SHUT_RDWR);
    if (w->stream && server->options.beat_seconds > 0)
        beat(w->stream, now);
}

static void *keep_time(void *argument)
{
    cv_http_server *server = argument;
    const struct timespec beat = {.tv_nsec = 200000000L};
    while (!atomic_load(&server->ending)) {
        time_t now = now_s();
        pthread_mutex_lock(&server->lock);
        for (watched *w = server->connections; w; w = w->next)
            look_at(server, w, now);
        pthread_mutex_unlock(&server->lock);
        nanosleep(&beat, NULL);
    }
    return NULL;
}

/* ---- the server ------------------------------------------------------------------------------------------------- */

static bool parse_address(const cv_http_options *o, struct sockaddr_storage *to, socklen_t *ret_length, cv_err *err)
{
    const char *address = o->address ? o->address : "127.0.0.1";
    struct sockaddr_in *v4 = (struct sockaddr_in *)to;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
    memset(to, 0, sizeof *to);
    if (strcmp(address, "localhost") == 0)
        address = "127.0.0.1";
    if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(o->port);
        *ret_length = sizeof *v4;
        return true;
    }
    if (inet_pton(AF_INET6, address, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(o->port);
        *ret_length = sizeof *v6;
        return true;
    }
    cv_err_set(err, CV_ERR_USAGE, "'%s' is no address to listen on", address);
    err->suggestion = CV_STR("give an address like 127.0.0.1, ::1 or 0.0.0.0");
    return false;
}

/* Every connection is a descriptor, and the record needs some. */
static void raise_descriptors(unsigned connections)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < connections + 64) {
        limit.rlim_cur = limit.rlim_max < connections + 64 ? limit.rlim_max : connections + 64;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool start_daemon(cv_http_server *server, const struct sockaddr *address, cv_err *err)
{
    const cv_http_options *o = &server->options;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (address->sa_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    server->daemon = MHD_start_daemon(
        flags, o->port, NULL, NULL, on_request, server, MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_NOTIFY_COMPLETED,
        on_end, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_CONNECTION_LIMIT,
        o->max_connections, MHD_OPTION_CONNECTION_TIMEOUT, o->idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_END);
    if (server->daemon)
        return true;
    cv_err_set(err, CV_ERR_IO, "cannot listen on %s:%u: %s", o->address ? o->address : "127.0.0.1", o->port,
               strerror(errno));
    err->suggestion = CV_STR("choose another port, or 0 for one that is free");
    return false;
}

bool cv_http_start(cv_arena *a, const cv_http_options *options, cv_http_server **ret_server, cv_err *err)
{
    struct sockaddr_storage address;
    socklen_t length;
    cv_http_server *server = CV_NEW(a, cv_http_server);
    server->options = *options;
    if (!parse_address(options, &address, &length, err))
        return false;
    if (!options->token && !cv_guard_is_loopback((const struct sockaddr *)&address)) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "an address that others can reach needs a token");
        err->suggestion = CV_STR("set a token, or listen on 127.0.0.1");
        return false;
    }
    pthread_mutex_init(&server->lock, NULL);
    pthread_mutex_init(&server->gate, NULL);
    raise_descriptors(options->max_connections);
    if (!start_daemon(server, (const struct sockaddr *)&address, err))
        return false;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info ? info->port : options->port;
    server->timekeeper_runs = pthread_create(&server->timekeeper, NULL, keep_time, server) == 0;
    *ret_server = server;
    return true;
}

uint16_t cv_http_port(const cv_http_server *server)
{
    return server->port;
}

void cv_http_close(cv_http_server *server)
{
    pthread_mutex_lock(&server->gate);
    server->closed = true;
    pthread_mutex_unlock(&server->gate);
}

void cv_http_stop(cv_http_server *server)
{
    atomic_store(&server->ending, true);
    if (server->timekeeper_runs)
        pthread_join(server->timekeeper, NULL);
    MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    pthread_mutex_destroy(&server->gate);
}
