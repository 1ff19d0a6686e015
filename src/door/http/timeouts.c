/* timeouts.c - who takes too long is cut off, and silent streams get their beat; see http.h. */
#include <assert.h>
#include <sys/socket.h>

#include "base/heap.h"
#include "base/monotonic.h"
#include "door/http/parts.h"

enum { REFUSED_SECONDS = 2 }; /* that a refused client has to read why, while it sends on */

static int64_t in_seconds(unsigned seconds)
{
    return cv_monotonic_ms() + (int64_t)seconds * 1000;
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

void cv_http_watch(cv_http_server *server, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    cv_http_watched *w = CV_HEAP_NEW(cv_http_watched);
    w->fd = info ? info->connect_fd : -1;
    w->deadline = in_seconds(server->options.request_seconds);
    pthread_mutex_lock(&server->lock);
    w->next = server->connections;
    if (w->next)
        w->next->prev = w;
    server->connections = w;
    pthread_mutex_unlock(&server->lock);
    *context = w;
}

void cv_http_unwatch(cv_http_server *server, void **context)
{
    cv_http_watched *w = *context;
    assert(w && "a connection is watched from its beginning to its end");
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

static cv_http_watched *watched(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

cv_http_exchange **cv_http_begun(struct MHD_Connection *connection)
{
    cv_http_watched *w = watched(connection);
    assert(w && "a connection is watched from its beginning to its end");
    return &w->begun;
}

static void set(cv_http_server *server, struct MHD_Connection *connection, int64_t deadline, cv_http_exchange *stream)
{
    cv_http_watched *w = watched(connection);
    if (!w)
        return;
    pthread_mutex_lock(&server->lock);
    w->deadline = deadline;
    w->stream = stream;
    pthread_mutex_unlock(&server->lock);
}

void cv_http_watch_body(cv_http_server *server, struct MHD_Connection *connection)
{
    set(server, connection, in_seconds(server->options.request_seconds), NULL);
}

void cv_http_watch_refused(cv_http_server *server, struct MHD_Connection *connection)
{
    set(server, connection, in_seconds(REFUSED_SECONDS), NULL);
}

void cv_http_watch_served(cv_http_server *server, struct MHD_Connection *connection)
{
    set(server, connection, 0, NULL);
}

void cv_http_watch_stream(cv_http_server *server, struct MHD_Connection *connection, cv_http_exchange *x)
{
    set(server, connection, 0, x);
}

void cv_http_watch_next(cv_http_server *server, struct MHD_Connection *connection)
{
    set(server, connection, in_seconds(server->options.idle_seconds + server->options.request_seconds), NULL);
}

/* ---- the clock -------------------------------------------------------------------------------------------------- */

static void look_at(const cv_http_server *server, const cv_http_watched *w, int64_t now)
{
    bool late = w->deadline && w->deadline <= now;
    if (w->fd >= 0 && (late || (w->stream && cv_http_exchange_is_cut(w->stream))))
        shutdown(w->fd, SHUT_RDWR);
    if (w->stream && server->options.beat_seconds > 0)
        cv_http_exchange_beat(w->stream, now);
}

void cv_http_look(cv_http_server *server)
{
    int64_t now = cv_monotonic_ms();
    if (now < server->looked + CV_TURN_LOOK_MS)
        return;
    server->looked = now;
    pthread_mutex_lock(&server->lock);
    for (const cv_http_watched *w = server->connections; w; w = w->next)
        look_at(server, w, now);
    pthread_mutex_unlock(&server->lock);
}
