/* exchange.c - one request and its answer, which comes from any thread; see http.h. */
#include <assert.h>
#include <errno.h>
#include <sys/socket.h>

#include "base/err_json.h"
#include "base/heap.h"
#include "base/limits.h"
#include "base/monotonic.h"
#include "door/http/parts.h"
#include "door/http/target.h"

/* ---- exchanges -------------------------------------------------------------------------------------------------- */

cv_http_exchange *cv_http_exchange_new(cv_http_server *server, struct MHD_Connection *connection, const char *target)
{
    cv_http_exchange *x = CV_HEAP_NEW(cv_http_exchange);
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str path;
    pthread_mutex_init(&x->lock, NULL);
    atomic_store(&x->holders, 1);
    x->server = server;
    x->connection = connection;
    x->whole = target;
    x->target = cv_heap_copy(cv_str_of(target));
    if (!cv_target_path(&a, cv_str_of(target), &path, &err)) {
        x->bad_path = cv_heap_copy(err.message);
        path = cv_str_head(cv_str_of(target), strcspn(target, "?"));
    }
    x->path = cv_heap_copy(path);
    cv_arena_release(&a);
    x->id = atomic_fetch_add(&server->last_id, 1) + 1;
    x->since_us = cv_monotonic_us();
    x->body.ceiling = server->options.max_body;
    return x;
}

void cv_http_release(cv_http_exchange *x)
{
    unsigned holders = atomic_fetch_sub(&x->holders, 1);
    assert(holders > 0);
    if (holders != 1)
        return;
    for (size_t i = 0; i < x->header_count; i++)
        cv_heap_free(x->headers[i].value);
    cv_http_drop_body(x);
    cv_heap_free(x->target);
    cv_heap_free(x->bad_path);
    cv_heap_free(x->path);
    cv_heap_free(x->method);
    cv_heap_free(x->actor);
    cv_buf_release(&x->out);
    pthread_mutex_destroy(&x->lock);
    cv_heap_free(x);
}

cv_str cv_http_method(const cv_http_exchange *x)
{
    return cv_str_of(x->method);
}

cv_str cv_http_path(const cv_http_exchange *x)
{
    return cv_str_of(x->path);
}

bool cv_http_each_parameter(const cv_http_exchange *x, cv_arena *a, void (*visit)(void *ctx, cv_str name, cv_str value),
                            void *ctx, cv_err *err)
{
    return cv_target_each(a, cv_str_of(x->target), visit, ctx, err);
}

void cv_http_take_body(cv_http_exchange *x, cv_buf *to)
{
    cv_buf_release(to);
    *to = x->body;
    x->body = (cv_buf){0};
}

cv_str cv_http_header(const cv_http_exchange *x, const char *name)
{
    return cv_str_of(MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name));
}

cv_str cv_http_cookie(const cv_http_exchange *x)
{
    const char *value = MHD_lookup_connection_value(x->connection, MHD_COOKIE_KIND, CV_HTTP_COOKIE);
    return value && *value ? cv_str_of(value) : (cv_str){NULL, 0};
}

cv_str cv_http_bearer(const cv_http_exchange *x)
{
    cv_str authorization = cv_http_header(x, "Authorization");
    return authorization.p ? cv_guard_bearer(authorization) : cv_http_cookie(x);
}

void cv_http_name_actor(cv_http_exchange *x, cv_str actor)
{
    assert(!x->actor && !x->ready);
    x->actor = cv_heap_copy(actor);
}

bool cv_http_has_tag(cv_str if_none_match, cv_str tag)
{
    return if_none_match.p &&
           (cv_str_find(if_none_match, tag) != SIZE_MAX || cv_str_eq(cv_str_trim(if_none_match), CV_STR("*")));
}

void cv_http_add_header(cv_http_exchange *x, const char *name, cv_str value)
{
    assert(x->header_count < CV_HTTP_MAX_HEADERS && !x->ready);
    x->headers[x->header_count++] = (cv_http_header_line){name, cv_heap_copy(value)};
}

/* ---- the body --------------------------------------------------------------------------------------------------- */

/* Small ones are not counted: there are at most as many as connections, and they pass while large ones have to wait. */
bool cv_http_count_body(cv_http_exchange *x, size_t more)
{
    cv_http_server *server = x->server;
    size_t most = server->options.max_bodies ? server->options.max_bodies : CV_MAX_BODIES_BYTES;
    size_t rise = x->body.n + more > CV_SMALL_BODY_BYTES ? x->body.n + more - x->counted : 0;
    if (atomic_fetch_add(&server->bodies, rise) + rise > most && rise > 0) {
        atomic_fetch_sub(&server->bodies, rise);
        return false;
    }
    x->counted += rise;
    return true;
}

/* It counts until its request has been answered, wherever its bytes are by then. */
void cv_http_drop_body(cv_http_exchange *x)
{
    cv_buf_release(&x->body);
    assert(atomic_load(&x->server->bodies) >= x->counted);
    atomic_fetch_sub(&x->server->bodies, x->counted);
    x->counted = 0;
}

/* ---- answers, from any thread ----------------------------------------------------------------------------------- */

/* With the exchange's lock held: its connection has something to do. Who is in the turn will see to it: only there the
 * library is touched, and one poke is enough for many. */
static void resume(cv_http_exchange *x)
{
    cv_http_server *server = x->server;
    if (!x->suspended)
        return;
    x->suspended = false;
    pthread_mutex_lock(&server->resumed_lock);
    bool first = !server->resumed;
    x->next_resumed = server->resumed;
    server->resumed = x;
    pthread_mutex_unlock(&server->resumed_lock);
    if (first)
        cv_turns_poke(&server->turns);
}

void cv_http_answer(cv_http_exchange *x, int status, const char *type, cv_str body)
{
    cv_http_log(x, status);
    pthread_mutex_lock(&x->lock);
    assert(!x->ready && "a request has one answer");
    x->status = status;
    x->type = type;
    x->ready = true;
    cv_buf_add(&x->out, body);
    resume(x);
    pthread_mutex_unlock(&x->lock);
}

void cv_http_refuse_fault(cv_http_exchange *x, int status, const cv_err *err)
{
    cv_buf body = {0};
    cv_errs_print_json(err, 1, false, &(cv_json_writer){.out = &body});
    cv_http_answer(x, status, "application/json", cv_buf_str(&body));
    cv_buf_release(&body);
}

void cv_http_refuse(cv_http_exchange *x, int status, cv_err_code code, const char *message)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_err_set(&err, code, "%s", message);
    cv_http_refuse_fault(x, status, &err);
    cv_arena_release(&a);
}

void cv_http_begin(cv_http_exchange *x, const char *beat)
{
    cv_http_log(x, MHD_HTTP_OK);
    pthread_mutex_lock(&x->lock);
    assert(!x->ready && !x->stream && "a request has one answer");
    x->status = MHD_HTTP_OK;
    x->type = "text/event-stream";
    x->beat = beat;
    x->said = cv_monotonic_ms();
    x->ready = x->stream = true;
    resume(x);
    pthread_mutex_unlock(&x->lock);
}

bool cv_http_write(cv_http_exchange *x, cv_str bytes)
{
    pthread_mutex_lock(&x->lock);
    assert(x->stream && x->sent <= x->out.n);
    bool reads = x->out.n - x->sent <= CV_HTTP_MAX_PENDING; /* beside which one message may be of any size */
    if (!x->left && reads)
        cv_buf_add(&x->out, bytes);
    if (!x->left && (!reads || !cv_buf_ok(&x->out)))
        x->left = x->ended = x->cut = true; /* who does not read is cut off */
    bool written = !x->left;
    x->said = cv_monotonic_ms();
    resume(x);
    pthread_mutex_unlock(&x->lock);
    return written;
}

size_t cv_http_unsent(cv_http_exchange *x)
{
    pthread_mutex_lock(&x->lock);
    size_t unsent = x->out.n - x->sent;
    pthread_mutex_unlock(&x->lock);
    return unsent;
}

uint64_t cv_http_sent(cv_http_exchange *x)
{
    pthread_mutex_lock(&x->lock);
    uint64_t sent = x->sent_in_all;
    pthread_mutex_unlock(&x->lock);
    return sent;
}

/* A client that reads nothing gets nothing: the beat is only a write that can fail. */
void cv_http_exchange_beat(cv_http_exchange *x, int64_t now)
{
    pthread_mutex_lock(&x->lock);
    bool silent = x->said + (int64_t)x->server->options.beat_seconds * 1000 <= now;
    if (silent && x->beat && !x->left && !x->ended && x->sent == x->out.n) {
        cv_buf_add_z(&x->out, x->beat);
        x->said = now;
        resume(x);
    }
    pthread_mutex_unlock(&x->lock);
}

bool cv_http_exchange_is_cut(cv_http_exchange *x)
{
    pthread_mutex_lock(&x->lock);
    bool cut = x->cut;
    pthread_mutex_unlock(&x->lock);
    return cut;
}

/* A connection that waits for its answer is suspended: nobody else looks whether its client is still there. */
bool cv_http_has_left(cv_http_exchange *x)
{
    char next;
    pthread_mutex_lock(&x->lock);
    bool left = x->left;
    if (!left) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        ssize_t n = recv(info->connect_fd, &next, 1, MSG_PEEK | MSG_DONTWAIT);
        left = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
    }
    pthread_mutex_unlock(&x->lock);
    return left;
}

void cv_http_cut(cv_http_exchange *x)
{
    pthread_mutex_lock(&x->lock);
    x->cut = true;
    pthread_mutex_unlock(&x->lock);
    cv_http_end(x);
}

void cv_http_end(cv_http_exchange *x)
{
    pthread_mutex_lock(&x->lock);
    assert(x->stream);
    x->ended = true;
    resume(x);
    pthread_mutex_unlock(&x->lock);
}
