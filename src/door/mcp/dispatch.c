/* dispatch.c - from a message to its answer: read, answered where it is read or queued for a worker; see host.h. */
#include <assert.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "door/mcp/host.h"

void cv_mcp_refuse(cv_mcp_job *job, int status, int code, cv_str message, cv_str data)
{
    cv_buf_clear(&job->out);
    cv_rpc_error(&job->out, job->message.id, code, message, data);
    job->status = status;
    job->failed = true;
}

bool cv_mcp_fail(cv_mcp_request *r, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_mcp_refuse(r->job, 200, code, cv_arena_vprintf(r->arena, format, args), (cv_str){0});
    va_end(args);
    return false;
}

void cv_mcp_serve(cv_mcp_job *job, cv_arena *arena, void *worker)
{
    const cv_json *params = job->message.params;
    cv_mcp_request r = {.arena = arena,
                        .host = job->host,
                        .server = job->host->server,
                        .worker = worker,
                        .era = job->era,
                        .text = cv_buf_str(&job->text),
                        .bearer = job->bearer,
                        .cursor = cv_json_get_text(params, "cursor"),
                        .job = job};
    bool done = job->serve(&r, params);
    assert(job->asked.count == 0 || r.server->asking);
    assert(!done || !job->failed || job->cut);
    if (!done && !job->failed && job->asked.count > 0)
        r.server->asking->print(&r, params);
    else if (!done && !job->failed)
        cv_mcp_fail(&r, CV_RPC_INTERNAL, "the request was given up");
    else if (done && !cv_buf_ok(&job->out))
        cv_mcp_fail(&r, CV_RPC_INTERNAL, "the answer is too large");
    if (job->cut)
        cv_mcp_refuse(job, 503, CV_RPC_INTERNAL, CV_STR("the server ends: the call was given up"), (cv_str){0});
}

typedef struct {
    const cv_mcp_session *session;
    cv_str id;
} meant;

static bool is_meant(const cv_mcp_job *job, const void *ctx)
{
    const meant *m = ctx;
    return job->session == m->session && cv_str_eq(job->message.id, m->id);
}

/* Without a session nobody knows whose request is meant: there a client cancels by leaving. */
static void notified(cv_mcp_job *job)
{
    cv_buf id = {0};
    cv_json_writer w = {.out = &id};
    const cv_json *which = cv_json_get(job->message.params, CV_STR("requestId"));
    if (job->session && cv_str_eq(job->message.method, CV_STR("notifications/cancelled")) && which &&
        (which->type == CV_JSON_STRING || which->type == CV_JSON_NUMBER)) {
        cv_json_value(&w, which);
        cv_mcp_cancel(job->host, is_meant, &(meant){job->session, cv_buf_str(&id)});
        cv_buf_release(&id);
    }
}

/* What a legacy client has said about itself before. */
static void recall_client(cv_mcp_job *job)
{
    pthread_mutex_lock(&job->session->lock);
    job->capabilities = job->session->capabilities;
    job->level = job->session->level;
    pthread_mutex_unlock(&job->session->lock);
}

static void requested(cv_mcp_job *job)
{
    if (job->era == CV_MCP_LEGACY && job->session)
        recall_client(job);
    const cv_mcp_method *method = cv_mcp_find_method(job);
    if (!method) {
        cv_mcp_refuse(job, job->era == CV_MCP_MODERN ? 404 : 200, CV_RPC_METHOD,
                      cv_arena_printf(&job->arena, "Method not found: %.*s",
                                      CV_FMT(cv_utf8_excerpt(&job->arena, job->message.method, CV_MAX_EXCERPT))),
                      (cv_str){0});
        cv_mcp_finish(job);
        return;
    }
    if (method->recall && method->recall(job)) {
        cv_mcp_finish(job);
        return;
    }
    job->serve = method->serve;
    cv_mcp_activate(job);
    if (!method->quick) {
        cv_mcp_queue(job, &job->host->slow_at[cv_mcp_kind_of(job, method)]);
    } else if (method->serve) {
        cv_mcp_serve(job, &job->arena, NULL);
        if (job->subscribes)
            cv_mcp_await_look(job);
        else
            cv_mcp_finish(job);
    } else if (!cv_mcp_listen(job, job->message.params)) {
        cv_mcp_finish(job);
    }
}

bool cv_mcp_read(cv_mcp_job *job)
{
    cv_rpc_read(&job->arena, cv_buf_str(&job->text), &job->message);
    if (job->message.kind == CV_RPC_FAULTY)
        cv_mcp_refuse(job, 400, job->message.code, job->message.why, (cv_str){0});
    if (!job->failed && (job->message.kind == CV_RPC_ANSWER || cv_mcp_envelope(job)))
        return true;
    cv_mcp_finish(job);
    return false;
}

void cv_mcp_dispatch(cv_mcp_job *job)
{
    if (job->message.kind == CV_RPC_REQUEST) {
        requested(job);
        return;
    }
    job->status = 202;
    if (job->message.kind == CV_RPC_NOTIFICATION)
        notified(job);
    else if (job->host->server->asking)
        job->host->server->asking->answered(job);
    cv_mcp_finish(job);
}
