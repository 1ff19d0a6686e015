/* streams.c - sessions and streams of legacy HTTP clients; see streams.h. */
#include "door/mcp/streams.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/monotonic.h"
#include "base/os.h"

enum {
    IDLE_MS = 60 * 60 * 1000, /* after which an unused session goes */
    QUIET_MS = 5 * 60 * 1000, /* … when there are too many */
    UNUSED_MS = 30 * 1000,    /* … and nothing was asked in it since it was opened */
    KEPT_STREAMS = 8,         /* per session */
    KEPT_BYTES = 4 << 20,     /* per stream */
    RETRY_MS = 500,           /* when a client whose stream broke shall come back */
};

/* ---- streams ---------------------------------------------------------------------------------------------------- */

static void free_stream(cv_mcp_stream *stream)
{
    if (stream->x)
        cv_http_release(stream->x);
    cv_buf_release(&stream->kept);
    cv_arena_release(&stream->arena);
    cv_heap_free(stream);
}

/* With the session's lock held: nobody reads it any more. */
static void detach(cv_mcp_stream *stream, bool end)
{
    if (!stream->x)
        return;
    if (end)
        cv_http_end(stream->x);
    cv_http_release(stream->x);
    stream->x = NULL;
}

/* With the lock held: only the latest are kept, and whatever is not finished. */
static void forget_old(cv_mcp_http_session *session)
{
    size_t count = 0;
    for (cv_mcp_stream **at = &session->streams; *at;) {
        cv_mcp_stream *stream = *at;
        if (++count > KEPT_STREAMS && stream->finished && !stream->x) {
            *at = stream->next;
            free_stream(stream);
        } else {
            at = &stream->next;
        }
    }
}

/* With the lock held. What nobody reads yet is kept whatever its size. */
static void keep(cv_mcp_stream *stream, cv_str event)
{
    assert(stream->ends.count < stream->events);
    if (stream->cut)
        return;
    stream->kept.ceiling = stream->x ? KEPT_BYTES : 0;
    cv_buf_add(&stream->kept, event);
    stream->cut = !cv_buf_ok(&stream->kept);
    if (stream->cut)
        cv_buf_release(&stream->kept);
    else
        *CV_PUSH(&stream->arena, &stream->ends) = stream->kept.n;
}

/* With the lock held. The first event is empty: it tells the client where to go on. */
static void put(cv_mcp_stream *stream, cv_str message)
{
    assert(!stream->finished && "the last message was the last");
    cv_buf event = {0};
    cv_buf_printf(&event, "id: %" PRIu64 ":%zu\n", stream->number, stream->events);
    if (stream->events++ == 0)
        cv_buf_printf(&event, "retry: %d\n", RETRY_MS);
    else
        cv_buf_add_z(&event, "event: message\n");
    cv_buf_add_z(&event, "data: ");
    cv_buf_add(&event, message);
    cv_buf_add_z(&event, "\n\n");
    keep(stream, cv_buf_str(&event));
    if (stream->x && !cv_http_write(stream->x, cv_buf_str(&event)))
        detach(stream, true);
    cv_buf_release(&event);
}

cv_mcp_stream *cv_mcp_stream_begin(cv_mcp_http_session *session, cv_http_exchange *x)
{
    cv_mcp_stream *stream = CV_HEAP_NEW(cv_mcp_stream);
    pthread_mutex_lock(&session->lock);
    stream->number = ++session->last_stream;
    stream->x = x;
    stream->next = session->streams;
    session->streams = stream;
    forget_old(session);
    put(stream, CV_STR(""));
    pthread_mutex_unlock(&session->lock);
    return stream;
}

void cv_mcp_stream_put(cv_mcp_http_session *session, cv_mcp_stream *stream, cv_str message, bool last)
{
    pthread_mutex_lock(&session->lock);
    if (message.n) /* what was cancelled has no answer */
        put(stream, message);
    if (last) {
        stream->finished = true;
        detach(stream, true);
    }
    pthread_mutex_unlock(&session->lock);
}

void cv_mcp_stream_hang_up(cv_mcp_http_session *session, cv_mcp_stream *stream)
{
    pthread_mutex_lock(&session->lock);
    detach(stream, true);
    pthread_mutex_unlock(&session->lock);
}

static bool read_event(cv_str text, uint64_t *ret_stream, size_t *ret_event)
{
    int stream, event;
    size_t colon = cv_str_find_char(text, ':');
    if (colon == SIZE_MAX || !cv_str_to_int(cv_str_head(text, colon), &stream) ||
        !cv_str_to_int(cv_str_from(text, colon + 1), &event))
        return false;
    *ret_stream = (uint64_t)stream;
    *ret_event = (size_t)event;
    return true;
}

bool cv_mcp_stream_resume(cv_mcp_http_session *session, cv_str last_event, cv_http_exchange *x)
{
    uint64_t number;
    size_t event;
    if (!read_event(last_event, &number, &event))
        return false;
    pthread_mutex_lock(&session->lock);
    cv_mcp_stream *stream = session->streams;
    while (stream && stream->number != number)
        stream = stream->next;
    bool found = stream && !stream->cut && event < stream->ends.count;
    if (found) {
        detach(stream, true);
        assert(!stream->x && stream->ends.items[event] <= stream->kept.n);
        stream->x = x;
        cv_http_begin(x, CV_MCP_STREAM_BEAT);
        cv_http_write(x, cv_str_from(cv_buf_str(&stream->kept), stream->ends.items[event]));
        if (stream->finished)
            detach(stream, true);
    }
    pthread_mutex_unlock(&session->lock);
    return found;
}

/* ---- news that no request asked for ------------------------------------------------------------------------------ */

/* With the lock held: nobody waits for news any more. */
static void close_open(cv_mcp_http_session *session)
{
    if (!session->open)
        return;
    cv_http_end(session->open);
    cv_http_release(session->open);
    session->open = NULL;
}

static void notify(cv_mcp_session *base, cv_str message)
{
    cv_mcp_http_session *session = (cv_mcp_http_session *)base;
    pthread_mutex_lock(&session->lock);
    if (session->open) {
        cv_buf event = {0};
        cv_buf_add_z(&event, "event: message\ndata: ");
        cv_buf_add(&event, message);
        cv_buf_add_z(&event, "\n\n");
        if (!cv_http_write(session->open, cv_buf_str(&event)))
            close_open(session);
        cv_buf_release(&event);
    }
    pthread_mutex_unlock(&session->lock);
}

static void hang_up(cv_mcp_session *base)
{
    cv_mcp_http_session *session = (cv_mcp_http_session *)base;
    pthread_mutex_lock(&session->lock);
    close_open(session);
    pthread_mutex_unlock(&session->lock);
}

bool cv_mcp_session_open(cv_mcp_http_session *session, cv_http_exchange *x)
{
    pthread_mutex_lock(&session->lock);
    bool free = !session->open;
    if (free) {
        session->open = x;
        cv_http_begin(x, CV_MCP_STREAM_BEAT);
        cv_http_write(x, CV_STR(": open\n\n"));
    }
    pthread_mutex_unlock(&session->lock);
    return free;
}

/* ---- sessions --------------------------------------------------------------------------------------------------- */

void cv_mcp_sessions_let_go(cv_mcp_http_session *session)
{
    unsigned holders = atomic_fetch_sub(&session->holders, 1);
    assert(holders > 0);
    if (holders != 1)
        return;
    while (session->streams) {
        cv_mcp_stream *stream = session->streams;
        session->streams = stream->next;
        free_stream(stream);
    }
    cv_mcp_session_release(&session->base);
    pthread_mutex_destroy(&session->lock);
    cv_heap_free(session);
}

/* Nobody finds it any more; its streams end. The list's share of it is given up. */
static void end_session(cv_mcp_sessions *all, cv_mcp_http_session *session)
{
    cv_mcp_session_end(&session->base, all->host);
    pthread_mutex_lock(&session->lock);
    for (cv_mcp_stream *stream = session->streams; stream; stream = stream->next)
        detach(stream, true);
    close_open(session);
    pthread_mutex_unlock(&session->lock);
    cv_mcp_sessions_let_go(session);
}

void cv_mcp_sessions_remove(cv_mcp_sessions *all, cv_mcp_http_session *session)
{
    bool found = false;
    pthread_mutex_lock(&all->lock);
    for (cv_mcp_http_session **at = &all->first; *at && !found; at = &(*at)->next)
        if (*at == session) {
            assert(all->count > 0);
            *at = session->next;
            all->count--;
            found = true;
            break;
        }
    pthread_mutex_unlock(&all->lock);
    if (found)
        end_session(all, session);
}

/* With the lock of the list held: how long it has its place, in milliseconds. Who waits for news or for an answer uses
 * the session without a word. */
static int64_t stays(cv_mcp_http_session *session, int64_t now, bool crowded)
{
    pthread_mutex_lock(&session->lock);
    bool open = session->open;
    pthread_mutex_unlock(&session->lock);
    if (open || atomic_load(&session->holders) > 1) /* more than the list's */
        session->used_ms = now;
    return session->used_ms - now + (!crowded ? IDLE_MS : session->found ? QUIET_MS : UNUSED_MS);
}

/* One that must go, held; NULL: none. */
static cv_mcp_http_session *stale(cv_mcp_sessions *all, int64_t now, int64_t *ret_wait_ms)
{
    cv_mcp_http_session *first = NULL;
    pthread_mutex_lock(&all->lock);
    bool crowded = all->count >= CV_MCP_MAX_SESSIONS;
    *ret_wait_ms = INT64_MAX;
    for (cv_mcp_http_session *s = all->first; s; s = s->next) {
        int64_t wait_ms = stays(s, now, crowded);
        if (wait_ms < *ret_wait_ms) {
            first = s;
            *ret_wait_ms = wait_ms;
        }
    }
    if (first && *ret_wait_ms > 0)
        first = NULL;
    if (first)
        atomic_fetch_add(&first->holders, 1);
    pthread_mutex_unlock(&all->lock);
    return first;
}

static void name_session(cv_mcp_http_session *session)
{
    uint8_t bytes[16];
    if (!cv_os_random(bytes, sizeof bytes))
        abort(); /* 16 bytes are given whole once the system has booted */
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(session->id + 2 * i, 3, "%02x", bytes[i]);
}

cv_mcp_http_session *cv_mcp_sessions_new(cv_mcp_sessions *all, cv_str bearer, int64_t *ret_wait_ms)
{
    cv_mcp_http_session *session, *old;
    while ((old = stale(all, cv_monotonic_ms(), ret_wait_ms))) {
        cv_mcp_sessions_remove(all, old);
        cv_mcp_sessions_let_go(old);
    }
    if (all->count >= CV_MCP_MAX_SESSIONS)
        return NULL;
    session = CV_HEAP_NEW(cv_mcp_http_session);
    cv_mcp_session_init(&session->base, all->host);
    session->base.bearer = bearer.p ? cv_arena_copy(&session->base.arena, bearer) : bearer;
    session->base.notify = notify;
    session->base.hang_up = hang_up;
    name_session(session);
    atomic_store(&session->holders, 2); /* the list's and the caller's */
    pthread_mutex_init(&session->lock, NULL);
    session->used_ms = cv_monotonic_ms();
    pthread_mutex_lock(&all->lock);
    session->next = all->first;
    all->first = session;
    all->count++;
    pthread_mutex_unlock(&all->lock);
    return session;
}

cv_mcp_http_session *cv_mcp_sessions_find(cv_mcp_sessions *all, cv_str id, cv_str bearer)
{
    pthread_mutex_lock(&all->lock);
    cv_mcp_http_session *session = all->first;
    while (session && !cv_str_eq(cv_str_of(session->id), id))
        session = session->next;
    if (session && !cv_str_eq(session->base.bearer, bearer))
        session = NULL;
    if (session) {
        atomic_fetch_add(&session->holders, 1);
        session->used_ms = cv_monotonic_ms();
        session->found = true;
    }
    pthread_mutex_unlock(&all->lock);
    return session;
}

static void detach_from(cv_mcp_http_session *session, const cv_http_exchange *x)
{
    pthread_mutex_lock(&session->lock);
    for (cv_mcp_stream *stream = session->streams; stream; stream = stream->next)
        if (stream->x == x)
            detach(stream, false);
    if (session->open == x)
        close_open(session);
    pthread_mutex_unlock(&session->lock);
}

void cv_mcp_sessions_detach(cv_mcp_sessions *all, const cv_http_exchange *x)
{
    pthread_mutex_lock(&all->lock);
    for (cv_mcp_http_session *session = all->first; session; session = session->next)
        detach_from(session, x);
    pthread_mutex_unlock(&all->lock);
}

void cv_mcp_sessions_end(cv_mcp_sessions *all)
{
    while (all->first)
        cv_mcp_sessions_remove(all, all->first);
}
