/* kept_answers.c - answers of cacheable tools, to be given again (base/answer_cache.h); see mcp.h.
 *
 *     tools/call  ->  the question: era, tool, bearer, arguments (printed again: blanks do not matter)
 *                 ->  its result as it was printed, at once
 *
 * Many agents who ask the same, and each again and again whether something has happened, cost next to nothing that way.
 */
#include <assert.h>

#include "door/mcp/host.h"

void cv_mcp_keep_init(cv_mcp_host *host)
{
    host->kept = cv_answer_cache_new();
}

void cv_mcp_keep_release(cv_mcp_host *host)
{
    cv_answer_cache_free(host->kept);
}

/* Empty: too long. */
static cv_str print_question(cv_mcp_job *job, const cv_mcp_tool *tool, const cv_json *arguments)
{
    size_t number = (size_t)(tool - job->host->server->tools);
    assert(number < job->host->server->tool_count && job->out.n == 0);
    cv_json_writer w = {.out = &job->out};
    cv_buf_add(&job->out, (cv_str){(const char *)&job->era, sizeof job->era});
    cv_buf_add(&job->out, (cv_str){(const char *)&number, sizeof number});
    cv_answer_cache_add_secret(&job->out, job->bearer);
    cv_json_value(&w, arguments);
    cv_str question =
        job->out.n <= CV_ANSWER_CACHE_MAX_QUESTION ? cv_arena_copy(&job->arena, cv_buf_str(&job->out)) : CV_STR("");
    cv_buf_clear(&job->out);
    return question;
}

static void give(void *ctx, cv_str result)
{
    cv_mcp_job *job = ctx;
    cv_json_writer w = {.out = &job->out};
    cv_rpc_begin_result(&w, job->message.id);
    cv_json_raw(&w, result);
    cv_rpc_end(&w);
}

/* Asked once for all messages of a moment. */
static bool ask_version(cv_mcp_job *job)
{
    cv_mcp_host *host = job->host;
    const cv_mcp_server *server = host->server;
    if (job->moment != 0 && job->moment == host->moment) {
        job->data_version = host->moment_version;
        return job->data_version > 0;
    }
    bool known = server->data_version(server->ctx, &job->data_version);
    if (job->moment != 0) {
        host->moment = job->moment;
        host->moment_version = known ? job->data_version : 0;
    }
    return known;
}

bool cv_mcp_recall(cv_mcp_job *job, const cv_mcp_tool *tool, const cv_json *arguments)
{
    if (!tool->cacheable || !job->host->server->data_version || !ask_version(job))
        return false;
    job->question = print_question(job, tool, arguments);
    return job->question.n > 0 &&
           cv_answer_cache_find(job->host->kept, job->data_version, job->moment, job->question, give, job);
}

void cv_mcp_keep(cv_mcp_job *job, cv_str result, const cv_seen *seen)
{
    if (job->question.n > 0)
        cv_answer_cache_add(job->host->kept, job->data_version, job->question, result, seen);
}
