/* http.c - MCP as a route of an HTTP server; see http.h.
 *
 * The answer of a POST begins when there is something to say: the answer itself, as JSON; or what comes before it, and
 * then it is a stream. In the modern era a client that leaves has cancelled; in the legacy one it may come back.
 */
#include "door/mcp/http.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/heap.h"
#include "door/mcp/streams.h"

struct cv_mcp_http {
    cv_mcp_host host;
    cv_mcp_sessions sessions;
};

/* One POST between its message and its answer: transport_data of the job. */
typedef struct {
    cv_mcp_http *http;
    cv_http_exchange *x;
    cv_mcp_http_session *session; /* held; NULL: modern */
    cv_mcp_stream *stream;        /* legacy, once it has begun: it holds the exchange */
    bool accepts_stream, streaming;
} post;

/* ---- answering -------------------------------------------------------------------------------------------------- */

static void begin_stream(post *p)
{
    p->streaming = true;
    cv_http_add_header(p->x, "Cache-Control", CV_STR("no-cache"));
    cv_http_add_header(p->x, "X-Accel-Buffering", CV_STR("no"));
    cv_http_begin(p->x, CV_MCP_STREAM_BEAT);
    if (p->session)
        p->stream = cv_mcp_stream_begin(p->session, p->x);
}

static void write_event(post *p, cv_str message)
{
    cv_buf event = {0};
    cv_buf_add_z(&event, "event: message\ndata: ");
    cv_buf_add(&event, message);
    cv_buf_add_z(&event, "\n\n");
    cv_http_write(p->x, cv_buf_str(&event));
    cv_buf_release(&event);
}

static bool send_message(cv_mcp_job *job, cv_str message)
{
    post *p = job->transport_data;
    if (!p->accepts_stream)
        return false;
    if (!p->streaming)
        begin_stream(p);
    if (p->stream)
        cv_mcp_stream_put(p->session, p->stream, message, false);
    else
        write_event(p, message);
    return true;
}

static void end_stream(post *p, cv_str answer)
{
    if (p->stream) { /* it gives the exchange up itself */
        cv_mcp_stream_put(p->session, p->stream, answer, true);
        return;
    }
    if (answer.n)
        write_event(p, answer);
    cv_http_end(p->x);
    cv_http_release(p->x);
}

static void finish(cv_mcp_job *job)
{
    post *p = job->transport_data;
    if (p->streaming) {
        end_stream(p, cv_buf_str(&job->out));
    } else {
        bool empty = job->out.n == 0;
        cv_http_answer(p->x, empty ? 202 : job->status, empty ? NULL : "application/json", cv_buf_str(&job->out));
        cv_http_release(p->x);
    }
    if (p->session)
        cv_mcp_sessions_let_go(p->session);
    cv_mcp_job_free(job);
}

static void hang_up(cv_mcp_job *job)
{
    post *p = job->transport_data;
    if (!p->session || !p->accepts_stream)
        return;
    if (!p->streaming)
        begin_stream(p);
    cv_mcp_stream_hang_up(p->session, p->stream);
}

/* A legacy client may come back for its answer. */
static bool has_left(const cv_mcp_job *job)
{
    const post *p = job->transport_data;
    return job->era == CV_MCP_MODERN && cv_http_has_left(p->x);
}

static const cv_mcp_transport transport = {
    .send = send_message, .finish = finish, .hang_up = hang_up, .has_left = has_left};

/* ---- refusing --------------------------------------------------------------------------------------------------- */

static void refuse(cv_http_exchange *x, int status, int code, const char *why)
{
    cv_buf body = {0};
    cv_rpc_error(&body, (cv_str){0}, code, cv_str_of(why), (cv_str){0});
    if (status == 405)
        cv_http_add_header(x, "Allow", CV_STR("POST, GET, DELETE"));
    cv_http_answer(x, status, "application/json", cv_buf_str(&body));
    cv_buf_release(&body);
    cv_http_release(x);
}

static cv_str header(const cv_http_exchange *x, const char *name)
{
    cv_str value = cv_http_header(x, name);
    return value.p ? cv_str_trim(value) : value;
}

/* The session that the request names, held; NULL: it has been refused. */
static cv_mcp_http_session *session_of(cv_mcp_http *http, cv_http_exchange *x)
{
    cv_str id = header(x, "Mcp-Session-Id");
    cv_mcp_http_session *session = id.p ? cv_mcp_sessions_find(&http->sessions, id, cv_http_bearer(x)) : NULL;
    if (!id.p)
        refuse(x, 400, CV_RPC_LEGACY, "Mcp-Session-Id is missing: begin with initialize");
    else if (!session)
        refuse(x, 404, CV_RPC_SESSION, "there is no such session: begin with initialize");
    return session;
}

/* ---- POST ------------------------------------------------------------------------------------------------------- */

static cv_str other_header(void *data, const char *name)
{
    return header(((post *)data)->x, name);
}

/* A new session, held; NULL: refused, for there is no place. */
static cv_mcp_http_session *open_session(cv_mcp_http *http, cv_http_exchange *x)
{
    int64_t wait_ms;
    cv_mcp_http_session *session = cv_mcp_sessions_new(&http->sessions, cv_http_bearer(x), &wait_ms);
    if (session) {
        cv_http_add_header(x, "Mcp-Session-Id", cv_str_of(session->id));
        return session;
    }
    char seconds[24];
    int length = snprintf(seconds, sizeof seconds, "%" PRId64, wait_ms / 1000 + 1);
    cv_http_add_header(x, "Retry-After", (cv_str){seconds, (size_t)length});
    refuse(x, 503, CV_RPC_LEGACY,
           "there are too many sessions, and all of them are in use: end one with DELETE, or try again later");
    return NULL;
}

/* Legacy messages belong to a session: the one they name, or a new one. False: refused. */
static bool enter_session(post *p, cv_mcp_job *job)
{
    bool opens = job->message.kind == CV_RPC_REQUEST && cv_str_eq(job->message.method, CV_STR("initialize"));
    if (job->message.kind != CV_RPC_ANSWER && job->era == CV_MCP_MODERN)
        return true;
    p->session = opens ? open_session(p->http, p->x) : session_of(p->http, p->x);
    if (!p->session)
        return false;
    job->session = &p->session->base;
    return true;
}

static void handle_post(cv_mcp_http *http, cv_http_exchange *x)
{
    cv_str type = header(x, "Content-Type"), accept = header(x, "Accept");
    if (!type.p || !cv_str_starts_nocase(type, CV_STR("application/json"))) {
        refuse(x, 415, CV_RPC_LEGACY, "Content-Type must be application/json");
        return;
    }
    cv_mcp_job *job = cv_mcp_job_new(&http->host);
    post *p = CV_NEW(&job->arena, post);
    *p = (post){.http = http, .x = x};
    p->accepts_stream = !accept.p || cv_str_find_nocase(accept, CV_STR("text/event-stream")) != SIZE_MAX ||
                        cv_str_find(accept, CV_STR("*/*")) != SIZE_MAX;
    cv_http_take_body(x, &job->text);
    job->transport = &transport;
    job->transport_data = p;
    job->headers = (cv_mcp_headers){.version = header(x, "MCP-Protocol-Version"),
                                    .method = header(x, "Mcp-Method"),
                                    .name = header(x, "Mcp-Name"),
                                    .other = other_header};
    cv_str bearer = cv_http_bearer(x);
    if (bearer.p)
        job->bearer = cv_arena_copy(&job->arena, bearer);
    if (!cv_mcp_read(job))
        return;
    if (!enter_session(p, job)) {
        cv_mcp_job_free(job);
        return;
    }
    cv_mcp_dispatch(job);
}

/* ---- GET, DELETE ------------------------------------------------------------------------------------------------ */

static bool is_modern(const cv_http_exchange *x)
{
    return cv_str_eq(header(x, "MCP-Protocol-Version"), cv_mcp_modern);
}

static void handle_get(cv_mcp_http *http, cv_http_exchange *x)
{
    cv_str last = header(x, "Last-Event-ID");
    cv_mcp_http_session *session = session_of(http, x);
    if (!session)
        return;
    cv_http_add_header(x, "Cache-Control", CV_STR("no-cache"));
    bool begun = last.p ? cv_mcp_stream_resume(session, last, x) : cv_mcp_session_open(session, x);
    cv_mcp_sessions_let_go(session);
    if (!begun)
        refuse(x, last.p ? 404 : 409, CV_RPC_LEGACY,
               last.p ? "there is no such event" : "the session has a stream already");
}

static void handle_delete(cv_mcp_http *http, cv_http_exchange *x)
{
    cv_mcp_http_session *session = session_of(http, x);
    if (!session)
        return;
    cv_mcp_sessions_remove(&http->sessions, session);
    cv_mcp_sessions_let_go(session);
    cv_http_answer(x, 200, NULL, CV_STR(""));
    cv_http_release(x);
}

static void handle(cv_http_exchange *x, void *ctx)
{
    cv_str method = cv_http_method(x);
    if (cv_str_eq(method, CV_STR("POST")))
        handle_post(ctx, x);
    else if (is_modern(x))
        refuse(x, 405, CV_RPC_LEGACY, "this protocol version has POST only");
    else if (cv_str_eq(method, CV_STR("GET")))
        handle_get(ctx, x);
    else if (cv_str_eq(method, CV_STR("DELETE")))
        handle_delete(ctx, x);
    else
        refuse(x, 405, CV_RPC_LEGACY, "POST, GET or DELETE");
}

/* ---- who has left ----------------------------------------------------------------------------------------------- */

static bool is_of(const cv_mcp_job *job, const void *ctx)
{
    const post *p = job->transport_data;
    return job->era == CV_MCP_MODERN && p->x == ctx;
}

static void gone(cv_http_exchange *x, void *ctx)
{
    cv_mcp_http *http = ctx;
    cv_mcp_sessions_detach(&http->sessions, x);
    cv_mcp_cancel(&http->host, is_of, x);
}

/* ---- the route -------------------------------------------------------------------------------------------------- */

cv_mcp_http *cv_mcp_http_new(const cv_mcp_server *server, cv_workers *workers)
{
    cv_mcp_http *http = CV_HEAP_NEW(cv_mcp_http);
    cv_mcp_host_init(&http->host, server, workers);
    http->sessions.host = &http->host;
    pthread_mutex_init(&http->sessions.lock, NULL);
    return http;
}

cv_http_route cv_mcp_http_route(cv_mcp_http *http, const char *path)
{
    return (cv_http_route){.path = path, .handle = handle, .gone = gone, .ctx = http};
}

bool cv_mcp_http_end(cv_mcp_http *http)
{
    cv_mcp_sessions_end(&http->sessions);
    return cv_mcp_host_end(&http->host);
}

void cv_mcp_http_free(cv_mcp_http *http)
{
    cv_mcp_host_release(&http->host);
    pthread_mutex_destroy(&http->sessions.lock);
    cv_heap_free(http);
}
