/* host.c - jobs, workers and sessions; see host.h. */
#include <stdlib.h>
#include <sys/random.h>

#include "base/heap.h"
#include "base/steady.h"
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

size_t cv_mcp_open(cv_mcp_host *host, size_t *ret_queued)
{
    size_t count = 0;
    pthread_mutex_lock(&host->lock);
    *ret_queued = host->queued;
    for (const cv_mcp_job *job = host->active; job; job = job->next_active)
        count += job->wants == 0;
    pthread_mutex_unlock(&host->lock);
    return count;
}

/* ---- workers ---------------------------------------------------------------------------------------------------- */

enum { BREATH_US = 250 }; /* that a worker serves before it looks for bytes */

/* All with the lock held. */

static void doze(cv_mcp_host *host)
{
    host->awake--;
    host->asleep++;
    pthread_cond_wait(&host->work, &host->lock);
    host->asleep--;
    host->awake++;
    host->called -= host->called > 0;
}

/* False: another worker helps, or nobody is to. */
static bool lend_hand(cv_mcp_host *host, bool wait)
{
    if (!host->help || host->helps)
        return false;
    host->helps = true;
    pthread_mutex_unlock(&host->lock);
    bool again = host->help(host->help_ctx, wait);
    pthread_mutex_lock(&host->lock);
    host->helps = false;
    if (!again)
        host->help = NULL;
    return true;
}

/* Since when a worker has done nothing else than serve, in microseconds. */
typedef struct {
    int64_t breathed, called; /* … since it has looked for bytes; and for others, to whom the queue is too long */
} pace;

static pace begin_pace(void)
{
    int64_t now = cv_steady_us();
    return (pace){now, now};
}

/* There is more to serve. Meanwhile answers are sent and requests read, so that clients are at work too; and when it
 * lasts, others join. */
static void breathe(cv_mcp_host *host, pace *p)
{
    int64_t now = cv_steady_us();
    if (now < p->breathed + BREATH_US)
        return;
    if (now >= p->called + CV_MCP_BEAT_MS * 1000) {
        pthread_mutex_unlock(&host->lock);
        cv_mcp_hurry(host);
        pthread_mutex_lock(&host->lock);
        p->called = now;
    }
    lend_hand(host, false);
    p->breathed = cv_steady_us();
}

/* The next job; NULL: it is over. Takes the lock itself. */
static cv_mcp_job *take(cv_mcp_host *host, pace *p)
{
    pthread_mutex_lock(&host->lock);
    if (host->first && host->help)
        breathe(host, p);
    while (!host->first && !host->ending) {
        if (!lend_hand(host, true))
            doze(host);
        *p = begin_pace();
    }
    cv_mcp_job *job = host->ending ? NULL : host->first;
    if (job) {
        host->first = job->next;
        host->last = host->first ? host->last : NULL;
        host->queued--;
    }
    pthread_mutex_unlock(&host->lock);
    return job;
}

static void *work(void *argument)
{
    cv_mcp_host *host = argument;
    const cv_mcp_server *server = host->server;
    void *worker = server->enter ? server->enter(server->ctx) : NULL;
    cv_arena arena = {0}; /* used again and again: what calls need is kept once for each worker, not for each job */
    pace p = begin_pace();
    cv_mcp_job *job;
    while ((job = take(host, &p))) {
        if (!atomic_load(&job->cancelled))
            cv_mcp_serve(job, &arena, worker);
        cv_mcp_finish(job);
        cv_arena_reset(&arena);
    }
    if (server->leave)
        server->leave(server->ctx, worker);
    cv_arena_release(&arena);
    return NULL;
}

/* With the lock held. Every worker costs memory and a handle of the record, and the first call of each takes longer
 * than others: so each is awaited four times as long as the one before. */
static void add_worker(cv_mcp_host *host)
{
    int64_t now = cv_steady_ms(), patience = host->worker_count ? CV_MCP_BEAT_MS << 2 * (host->worker_count - 1) : 0;
    if (host->worker_count == CV_MCP_WORKERS || now < host->added + patience ||
        pthread_create(&host->workers[host->worker_count], NULL, work, host) != 0)
        return;
    host->added = now;
    host->worker_count++;
    host->awake++;
}

/* With the lock held: one more worker shall look at the queue. True: one that sleeps, to be told without the lock,
 * which it needs at once. */
static bool call_worker(cv_mcp_host *host)
{
    if (host->asleep > host->called) {
        host->called++;
        return true;
    }
    add_worker(host);
    return false;
}

void cv_mcp_queue(cv_mcp_job *job)
{
    cv_mcp_host *host = job->host;
    pthread_mutex_lock(&host->lock);
    job->next = NULL;
    if (host->last)
        host->last->next = job;
    else
        host->first = job;
    host->last = job;
    host->queued++;
    bool sleeps = host->awake + host->called == 0 && call_worker(host);
    pthread_mutex_unlock(&host->lock);
    if (sleeps)
        pthread_cond_signal(&host->work);
}

void cv_mcp_hurry(cv_mcp_host *host)
{
    pthread_mutex_lock(&host->lock);
    bool sleeps = host->queued > 0 && call_worker(host);
    pthread_mutex_unlock(&host->lock);
    if (sleeps)
        pthread_cond_signal(&host->work);
}

void cv_mcp_host_lend(cv_mcp_host *host, bool (*help)(void *ctx, bool wait), void *ctx)
{
    pthread_mutex_lock(&host->lock);
    host->help = help;
    host->help_ctx = ctx;
    pthread_mutex_unlock(&host->lock);
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
        if (session->uris.items[i].p)
            host->watching--;
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

void cv_mcp_host_init(cv_mcp_host *host, const cv_mcp_server *server)
{
    *host = (cv_mcp_host){.server = server};
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->work, NULL);
    cv_steady_cond_init(&host->look);
    if (getrandom(host->key, sizeof host->key, 0) != (ssize_t)sizeof host->key)
        abort(); /* 32 bytes are given whole once the system has booted */
    host->identity = print_identity(&host->arena, server);
    cv_mcp_find_mirrored(host);
    cv_mcp_keep_init(host);
}

/* One that is queued, or a subscription; NULL: there is none. A client that leaves may take one too. */
static cv_mcp_job *take_left_over(cv_mcp_host *host)
{
    pthread_mutex_lock(&host->lock);
    cv_mcp_job *job = host->active;
    if (job) {
        atomic_store(&job->cancelled, true);
        deactivate(job);
    }
    pthread_mutex_unlock(&host->lock);
    return job;
}

void cv_mcp_host_end(cv_mcp_host *host)
{
    cv_mcp_job *job;
    pthread_mutex_lock(&host->lock);
    host->ending = true;
    pthread_cond_broadcast(&host->work);
    pthread_cond_broadcast(&host->look);
    pthread_mutex_unlock(&host->lock);
    for (size_t i = 0; i < host->worker_count; i++)
        pthread_join(host->workers[i], NULL);
    if (host->watcher_runs)
        pthread_join(host->watcher, NULL);
    while ((job = take_left_over(host)))
        hand_back(job);
}

void cv_mcp_host_release(cv_mcp_host *host)
{
    free_jobs(host->spare);
    cv_mcp_keep_release(host);
    cv_arena_release(&host->arena);
    pthread_mutex_destroy(&host->lock);
    pthread_cond_destroy(&host->work);
    pthread_cond_destroy(&host->look);
}
