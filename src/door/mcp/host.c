/* host.c - jobs, workers and sessions; see host.h. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/monotonic.h"
#include "door/mcp/host.h"

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

enum {
    KEPT_BYTES = 1 << 16, /* of memory that is used again: a large piece goes */
    MAX_SPARE = 64,       /* jobs that are used again: after a rush the others go */
};

cv_mcp_job *cv_mcp_job_new(cv_mcp_host *host)
{
    pthread_mutex_lock(&host->lock);
    cv_mcp_job *job = host->spare;
    if (job) {
        host->spare = job->next;
        host->spare_count--;
    }
    pthread_mutex_unlock(&host->lock);
    if (!job)
        job = CV_HEAP_NEW(cv_mcp_job);
    job->host = host;
    job->status = 200;
    job->level = -1;
    return job;
}

static void empty(cv_buf *buf)
{
    if (buf->capacity > KEPT_BYTES)
        cv_buf_release(buf);
    cv_buf kept = {.p = buf->p, .capacity = buf->capacity};
    *buf = kept;
}

static void free_jobs(cv_mcp_job *job)
{
    while (job) {
        cv_mcp_job *next = job->next;
        cv_arena_release(&job->arena);
        cv_buf_release(&job->text);
        cv_buf_release(&job->out);
        cv_heap_free(job);
        job = next;
    }
}

void cv_mcp_job_free(cv_mcp_job *job)
{
    cv_mcp_host *host = job->host;
    assert(!job->active && !job->watched);
    if (job->arena.bytes > KEPT_BYTES)
        cv_arena_release(&job->arena);
    else
        cv_arena_reset(&job->arena);
    empty(&job->text);
    empty(&job->out);
    cv_mcp_job clean = {.arena = job->arena, .text = job->text, .out = job->out};
    *job = clean;
    pthread_mutex_lock(&host->lock);
    bool kept = host->spare_count < MAX_SPARE;
    if (kept) {
        job->next = host->spare;
        host->spare = job;
        host->spare_count++;
    }
    pthread_mutex_unlock(&host->lock);
    if (!kept)
        free_jobs(job);
}

/* Takes it off the active ones, with the lock held. */
static void deactivate(cv_mcp_job *job)
{
    cv_mcp_host *host = job->host;
    if (!job->active)
        return;
    if (job->prev_active)
        job->prev_active->next_active = job->next_active;
    else
        host->active = job->next_active;
    if (job->next_active)
        job->next_active->prev_active = job->prev_active;
    job->active = false;
    assert(host->watching >= (size_t)job->watched);
    host->watching -= job->watched;
    job->watched = false;
}

static void hand_back(cv_mcp_job *job)
{
    if (atomic_load(&job->cancelled))
        cv_buf_clear(&job->out);
    job->transport->finish(job);
}

void cv_mcp_activate(cv_mcp_job *job)
{
    cv_mcp_host *host = job->host;
    pthread_mutex_lock(&host->lock);
    assert(!job->active);
    job->active = true;
    job->prev_active = NULL;
    job->next_active = host->active;
    if (host->active)
        host->active->prev_active = job;
    host->active = job;
    pthread_mutex_unlock(&host->lock);
}

void cv_mcp_finish(cv_mcp_job *job)
{
    pthread_mutex_lock(&job->host->lock);
    deactivate(job);
    pthread_mutex_unlock(&job->host->lock);
    hand_back(job);
}

size_t cv_mcp_open(cv_mcp_host *host)
{
    size_t count = 0;
    pthread_mutex_lock(&host->lock);
    for (const cv_mcp_job *job = host->active; job; job = job->next_active)
        count += job->wants == 0;
    pthread_mutex_unlock(&host->lock);
    return count;
}

/* ---- workers ---------------------------------------------------------------------------------------------------- */

static void serve(cv_work *work, cv_arena *arena, void *mine)
{
    cv_mcp_job *job = (cv_mcp_job *)((char *)work - offsetof(cv_mcp_job, work));
    if (!atomic_load(&job->cancelled))
        cv_mcp_serve(job, arena, mine);
    cv_mcp_finish(job);
}

void cv_mcp_queue(cv_mcp_job *job, int64_t *slow_at)
{
    job->work = (cv_work){.serve = serve, .slow_at = slow_at};
    cv_workers_queue(job->host->workers, &job->work);
}

/* ---- cancelling ------------------------------------------------------------------------------------------------- */

/* Who waits for an answer of the client looks again whether it should. */
static void wake(cv_mcp_session *session)
{
    if (!session)
        return;
    pthread_mutex_lock(&session->lock);
    pthread_cond_broadcast(&session->answered);
    pthread_mutex_unlock(&session->lock);
}

void cv_mcp_cancel(cv_mcp_host *host, bool (*is_meant)(const cv_mcp_job *job, const void *ctx), const void *ctx)
{
    cv_mcp_job *ended = NULL;
    pthread_mutex_lock(&host->lock);
    for (cv_mcp_job *job = host->active; job; job = job->next_active)
        if (is_meant(job, ctx)) {
            atomic_store(&job->cancelled, true);
            ended = job->wants ? job : NULL;
            wake(job->session);
            break;
        }
    if (ended)
        deactivate(ended); /* from here on it is ours alone */
    pthread_mutex_unlock(&host->lock);
    if (ended)
        hand_back(ended);
}

/* ---- sessions --------------------------------------------------------------------------------------------------- */

void cv_mcp_session_init(cv_mcp_session *session, cv_mcp_host *host)
{
    *session = (cv_mcp_session){.level = CV_MCP_DEBUG};
    pthread_mutex_init(&session->lock, NULL);
    pthread_cond_init(&session->answered, NULL);
    pthread_mutex_lock(&host->lock);
    session->next = host->sessions;
    host->sessions = session;
    pthread_mutex_unlock(&host->lock);
}

void cv_mcp_session_hush(cv_mcp_session *session)
{
    pthread_mutex_lock(&session->lock);
    session->over = true;
    pthread_cond_broadcast(&session->answered);
    pthread_mutex_unlock(&session->lock);
}

void cv_mcp_session_end(cv_mcp_session *session, cv_mcp_host *host)
{
    pthread_mutex_lock(&host->lock);
    for (cv_mcp_session **at = &host->sessions; *at; at = &(*at)->next)
        if (*at == session) {
            *at = session->next;
            break;
        }
    for (size_t i = 0; i < session->uris.count; i++)
        if (session->uris.items[i].p) {
            assert(host->watching > 0);
            host->watching--;
        }
    pthread_mutex_unlock(&host->lock);
    cv_mcp_session_hush(session);
}

void cv_mcp_session_release(cv_mcp_session *session)
{
    for (size_t i = 0; i < session->uris.count; i++)
        cv_heap_free((char *)(uintptr_t)session->uris.items[i].p);
    cv_arena_release(&session->arena);
    pthread_mutex_destroy(&session->lock);
    pthread_cond_destroy(&session->answered);
}

/* ---- the host --------------------------------------------------------------------------------------------------- */

static cv_str print_identity(cv_arena *a, const cv_mcp_server *server)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("io.modelcontextprotocol/serverInfo"));
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "name", server->name);
    if (server->title.n)
        cv_json_key_str(&w, "title", server->title);
    cv_json_key_str(&w, "version", server->version);
    cv_json_end_object(&w);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

void cv_mcp_host_init(cv_mcp_host *host, const cv_mcp_server *server, cv_workers *workers)
{
    *host = (cv_mcp_host){.server = server, .workers = workers};
    pthread_mutex_init(&host->lock, NULL);
    cv_monotonic_cond_init(&host->look);
    cv_monotonic_cond_init(&host->over);
    host->slow_at = CV_NEW_ARRAY(&host->arena, cv_mcp_kinds(server), int64_t);
    host->identity = print_identity(&host->arena, server);
    cv_mcp_find_mirrored(host);
    cv_mcp_keep_init(host);
}

/* One that no thread has: it is queued, or a subscription; NULL: there is none. A client that leaves may take one too.
 * With `all`, no thread is left. */
static cv_mcp_job *take_left_over(cv_mcp_host *host, bool all)
{
    pthread_mutex_lock(&host->lock);
    cv_mcp_job *job = host->active;
    while (job && !all && (job->work.served || job->look != CV_MCP_NO_LOOK))
        job = job->next_active;
    if (job)
        deactivate(job);
    pthread_mutex_unlock(&host->lock);
    return job;
}

static void hand_back_left_over(cv_mcp_host *host, bool all)
{
    cv_mcp_job *job;
    while ((job = take_left_over(host, all))) {
        if (job->wants)
            cv_buf_clear(&job->out);
        else
            cv_mcp_refuse(job, 503, CV_RPC_INTERNAL, CV_STR("the server ends: the call was not begun"), (cv_str){0});
        hand_back(job);
    }
}

static bool end_watcher(cv_mcp_host *host, int64_t until)
{
    pthread_mutex_lock(&host->lock);
    while (host->watcher_runs && !host->watcher_ended && cv_monotonic_ms() < until)
        cv_monotonic_wait(&host->over, &host->lock, (int)(until - cv_monotonic_ms()));
    bool runs = host->watcher_runs, ended = host->watcher_ended;
    pthread_mutex_unlock(&host->lock);
    if (ended)
        pthread_join(host->watcher, NULL);
    return !runs || ended;
}

bool cv_mcp_host_end(cv_mcp_host *host)
{
    int64_t until = cv_monotonic_ms() + CV_MCP_GRACE_MS;
    cv_workers_close(host->workers); /* from here on no other call is served */
    pthread_mutex_lock(&host->lock);
    host->ending = true;
    pthread_cond_broadcast(&host->look);
    pthread_mutex_unlock(&host->lock);
    hand_back_left_over(host, false);
    bool over = cv_workers_end(host->workers, until);
    over = end_watcher(host, until) && over;
    if (over)
        hand_back_left_over(host, true); /* what waited for the watcher */
    return over;
}

void cv_mcp_host_release(cv_mcp_host *host)
{
    free_jobs(host->spare);
    cv_mcp_keep_release(host);
    cv_arena_release(&host->arena);
    pthread_mutex_destroy(&host->lock);
    pthread_cond_destroy(&host->look);
    pthread_cond_destroy(&host->over);
}
