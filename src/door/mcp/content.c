/* content.c - what a handler says besides its answer: content, progress; see mcp.h. */
#include "door/mcp/host.h"

void cv_mcp_text(cv_mcp_request *r, cv_str text)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "type", CV_STR("text"));
    cv_json_key_str(&r->w, "text", text);
    cv_json_end_object(&r->w);
}

bool cv_mcp_cancelled(const cv_mcp_request *r)
{
    if (atomic_load(&r->host->ending))
        r->job->cut = true;
    if (r->job->transport->has_left && r->job->transport->has_left(r->job))
        atomic_store(&r->job->cancelled, true);
    return r->job->cut || atomic_load(&r->job->cancelled);
}

static void send(cv_mcp_request *r, cv_buf *message)
{
    if (!atomic_load(&r->job->cancelled))
        r->job->transport->send(r->job, cv_buf_str(message));
    cv_buf_release(message);
}

void cv_mcp_progress(cv_mcp_request *r, int64_t done, int64_t total, cv_str message)
{
    if (r->job->progress_token.n == 0)
        return;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_rpc_begin_call(&w, (cv_str){0}, CV_STR("notifications/progress"));
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("progressToken"));
    cv_json_raw(&w, r->job->progress_token);
    cv_json_key_int(&w, "progress", done);
    if (total >= 0)
        cv_json_key_int(&w, "total", total);
    if (message.n)
        cv_json_key_str(&w, "message", message);
    cv_json_end_object(&w);
    cv_rpc_end(&w);
    send(r, &out);
}
