/* keep.c - answers of steady tools, to be given again; see mcp.h.
 *
 *     tools/call  ->  the question: era, tool, bearer, arguments (printed anew: blanks do not matter)
 *                 ->  asked before, and the version is the same: its result as it was printed, at once
 *
 * Who acts decides what may be seen, so a bearer is a part of the question; its digest, for it is a secret. Many agents
 * who ask the same, and each again and again whether something has happened, cost next to nothing that way.
 * An answer is kept under the version that was read before its tool was called: what has changed meanwhile has another
 * one, so that no answer is older than the question. Another version, or too much: everything is forgotten.
 */
#include <assert.h>
#include <nettle/sha2.h>

#include "base/heap.h"
#include "base/map.h"
#include "door/mcp/host.h"

enum {
    MAX_QUESTION = 1 << 10, /* bytes: longer ones are hardly asked twice */
    MAX_RESULT = 1 << 19,
    MAX_KEPT = 1 << 21, /* all of them */
};

_Static_assert(MAX_RESULT <= MAX_KEPT, "one result fits");

struct cv_mcp_kept {
    pthread_mutex_t lock;
    uint64_t data_version; /* 0: nothing is kept yet */
    cv_arena arena;
    size_t bytes;
    cv_map results; /* question -> cv_str * */
};

void cv_mcp_keep_init(cv_mcp_host *host)
{
    host->kept = CV_HEAP_NEW(cv_mcp_kept);
    pthread_mutex_init(&host->kept->lock, NULL);
}

void cv_mcp_keep_release(cv_mcp_host *host)
{
    pthread_mutex_destroy(&host->kept->lock);
    cv_arena_release(&host->kept->arena);
    cv_heap_free(host->kept);
}

static void add_bearer(cv_buf *out, cv_str bearer)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx ctx;
    if (!bearer.p)
        return;
    sha256_init(&ctx);
    sha256_update(&ctx, bearer.n, (const uint8_t *)bearer.p);
    sha256_digest(&ctx, sizeof digest, digest);
    cv_buf_add(out, (cv_str){(const char *)digest, sizeof digest});
}

/* Empty: too long. */
static cv_str print_question(cv_mcp_job *job, const cv_mcp_tool *tool, const cv_json *arguments)
{
    size_t number = (size_t)(tool - job->host->server->tools);
    assert(number < job->host->server->tool_count && job->out.n == 0);
    cv_json_writer w = {.out = &job->out};
    cv_buf_add(&job->out, (cv_str){(const char *)&job->era, sizeof job->era});
    cv_buf_add(&job->out, (cv_str){(const char *)&number, sizeof number});
    add_bearer(&job->out, job->bearer);
    cv_json_value(&w, arguments);
    cv_str question = job->out.n <= MAX_QUESTION ? cv_arena_copy(&job->arena, cv_buf_str(&job->out)) : CV_STR("");
    cv_buf_clear(&job->out);
    return question;
}

/* The answer to the job's question, if it is kept and its version still true. */
static bool find(cv_mcp_job *job)
{
    cv_mcp_kept *kept = job->host->kept;
    pthread_mutex_lock(&kept->lock);
    const uintptr_t *place = kept->data_version == job->data_version ? cv_map_get(&kept->results, job->question) : NULL;
    if (place) {
        cv_json_writer w = {.out = &job->out};
        cv_rpc_begin_result(&w, job->message.id);
        cv_json_raw(&w, *(const cv_str *)*place);
        cv_rpc_end(&w);
    }
    pthread_mutex_unlock(&kept->lock);
    return place;
}

bool cv_mcp_recall(cv_mcp_job *job, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_mcp_server *server = job->host->server;
    if (!tool->steady || !server->data_version || !server->data_version(server->ctx, &job->data_version))
        return false;
    job->question = print_question(job, tool, arguments);
    return job->question.n > 0 && find(job);
}

void cv_mcp_keep(cv_mcp_job *job, cv_str result)
{
    cv_mcp_kept *kept = job->host->kept;
    if (job->question.n == 0 || result.n > MAX_RESULT)
        return;
    pthread_mutex_lock(&kept->lock);
    if (kept->data_version != job->data_version || kept->bytes > MAX_KEPT - MAX_RESULT) {
        cv_arena_reset(&kept->arena);
        kept->results = (cv_map){0};
        kept->data_version = job->data_version;
        kept->bytes = 0;
    }
    kept->bytes += job->question.n + result.n;
    cv_str *copy = CV_NEW(&kept->arena, cv_str);
    *copy = cv_arena_copy(&kept->arena, result);
    *cv_map_put(&kept->results, &kept->arena, cv_arena_copy(&kept->arena, job->question), NULL) = (uintptr_t)copy;
    pthread_mutex_unlock(&kept->lock);
}
