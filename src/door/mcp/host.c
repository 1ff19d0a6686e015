/* host.c - jobs, workers and sessions; see host.h. */
#include <assert.h>
#include <stdlib.h>

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
    assert(host->awake > 0);
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
    assert(host->helps && "one worker helps at a time");
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

/* ---- which call is next, with the lock held ---- */

enum {
    SLOW_MS = 50,           /* a call that takes longer is slow */
    SLOW_FOR_MS = 60 * 1000 /* and so is its kind, for so long */
};

static void append(cv_mcp_line *line, cv_mcp_job *job)
{
    assert(!line->first == !line->last);
    job->next = NULL;
    if (line->last)
        line->last->next = job;
    else
        line->first = job;
    line->last = job;
}

static cv_mcp_job *pop(cv_mcp_line *line)
{
    cv_mcp_job *job = line->first;
    assert(job);
    line->first = job->next;
    line->last = line->first ? line->last : NULL;
    return job;
}

static bool is_slow(const cv_mcp_host *host, const cv_mcp_job *job)
{
    int64_t at = host->slow_at[job->kind];
    return at && cv_steady_ms() < at + SLOW_FOR_MS;
}

/* The line whose first call is next: as they came, but for slow kinds that have all their workers. NULL: none is. */
static cv_mcp_line *next_line(cv_mcp_host *host)
{
    while (host->quick.first && is_slow(host, host->quick.first))
        append(&host->slow, pop(&host->quick)); /* it has turned out to be slow while it waited */
    const cv_mcp_job *quick = host->quick.first,
                     *slow = host->slow_workers < CV_MCP_SLOW_WORKERS ? host->slow.first : NULL;
    if (slow && (!quick || slow->number < quick->number))
        return &host->slow;
    return quick ? &host->quick : NULL;
}

static void mark_slow(cv_mcp_host *host, cv_mcp_worker *w, int64_t now)
{
    assert(w->busy);
    host->slow_at[w->kind] = now;
    host->slow_workers += !w->slow;
    w->slow = true;
}

/* Who has served one call for long will not be back soon. */
static void look_for_slow(cv_mcp_host *host)
{
    int64_t now = cv_steady_ms();
    for (size_t i = 0; i < host->worker_count; i++)
        if (host->workers[i].busy && now >= host->workers[i].since + SLOW_MS)
            mark_slow(host, &host->workers[i], now);
}

static void begin_call(cv_mcp_host *host, cv_mcp_worker *w, cv_mcp_line *line, cv_mcp_job *job)
{
    assert(host->queued > 0 && !w->busy && !w->slow && !job->served);
    host->queued--;
    job->served = true;
    w->busy = true;
    w->kind = job->kind;
    w->since = cv_steady_ms();
    w->slow = line == &host->slow;
    host->slow_workers += w->slow;
}

static void end_call(cv_mcp_host *host, cv_mcp_worker *w)
{
    int64_t now = cv_steady_ms();
    if (w->busy && now >= w->since + SLOW_MS)
        mark_slow(host, w, now);
    assert(host->slow_workers >= (size_t)w->slow && (w->busy || !w->slow));
    host->slow_workers -= w->slow;
    w->busy = w->slow = false;
}

/* The next job; NULL: it is over. Takes the lock itself. */
static cv_mcp_job *take(cv_mcp_host *host, cv_mcp_worker *w, pace *p)
{
    cv_mcp_line *line;
    cv_mcp_job *job = NULL;
    pthread_mutex_lock(&host->lock);
    end_call(host, w);
    if (host->queued > 0 && host->help)
        breathe(host, p);
    while (!(line = next_line(host)) && !host->ending) {
        if (!lend_hand(host, true))
            doze(host);
        *p = begin_pace();
    }
    if (line && !host->ending) {
        job = pop(line);
        begin_call(host, w, line, job);
    }
    pthread_mutex_unlock(&host->lock);
    return job;
}

static void *work(void *argument)
{
    cv_mcp_worker *w = argument;
    cv_mcp_host *host = w->host;
    const cv_mcp_server *server = host->server;
    void *worker = server->enter ? server->enter(server->ctx) : NULL;
    cv_arena arena = {0}; /* used again and again: what calls need is kept once for each worker, not for each job */
    pace p = begin_pace();
    cv_mcp_job *job;
    while ((job = take(host, w, &p))) {
        if (!atomic_load(&job->cancelled))
            cv_mcp_serve(job, &arena, worker);
        cv_mcp_finish(job);
        cv_arena_reset(&arena);
    }
    if (server->leave)
        server->leave(server->ctx, worker);
    cv_arena_release(&arena);
    cv_mcp_thread_ends(host, &w->ended);
    return NULL;
}

/* With the lock held. Every worker costs memory and a handle of the record, and the first call of each takes longer
 * than others: so each is awaited four times as long as the one before. */
static void add_worker(cv_mcp_host *host)
{
    assert(host->slow_workers <= host->worker_count && host->worker_count <= CV_MCP_WORKERS);
    size_t ready = host->worker_count - host->slow_workers;
    if (host->worker_count == CV_MCP_WORKERS || ready >= CV_MCP_READY_WORKERS)
        return;
    int64_t now = cv_steady_ms(), patience = ready ? CV_MCP_BEAT_MS << 2 * (ready - 1) : 0;
    cv_mcp_worker *w = &host->workers[host->worker_count];
    w->host = host;
    if (now < host->added + patience || pthread_create(&w->thread, NULL, work, w) != 0)
        return;
    host->added = now;
    host->threads++;
    host->worker_count++;
    host->awake++;
}

/* With the lock held: one more worker shall look at the queue. True: one that sleeps, to be told without the lock,
 * which it needs at once. */
static bool call_worker(cv_mcp_host *host)
{
    if (host->awake + host->called >= host->slow_workers + CV_MCP_READY_WORKERS)
        return false;
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
    job->number = ++host->last_number;
    append(&host->quick, job);
    host->queued++;
    bool sleeps = host->awake + host->called == 0 && call_worker(host);
    pthread_mutex_unlock(&host->lock);
    if (sleeps)
        pthread_cond_signal(&host->work);
}

void cv_mcp_hurry(cv_mcp_host *host)
{
    pthread_mutex_lock(&host->lock);
    if (host->queued > 0)
        look_for_slow(host);
    bool sleeps = next_line(host) && call_worker(host);
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

void cv_mcp_host_init(cv_mcp_host *host, const cv_mcp_server *server)
{
    *host = (cv_mcp_host){.server = server};
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->work, NULL);
    cv_steady_cond_init(&host->look);
    cv_steady_cond_init(&host->over);
    host->slow_at = CV_NEW_ARRAY(&host->arena, cv_mcp_kinds(server), int64_t);
    host->identity = print_identity(&host->arena, server);
    cv_mcp_find_mirrored(host);
    cv_mcp_keep_init(host);
}

void cv_mcp_thread_ends(cv_mcp_host *host, bool *ended)
{
    pthread_mutex_lock(&host->lock);
    *ended = true;
    host->threads--;
    pthread_cond_signal(&host->over);
    pthread_mutex_unlock(&host->lock);
}

/* One that no thread has: it is queued, or a subscription; NULL: there is none. A client that leaves may take one too.
 */
static cv_mcp_job *take_left_over(cv_mcp_host *host)
{
    pthread_mutex_lock(&host->lock);
    cv_mcp_job *job = host->active;
    while (job && host->threads > 0 && (job->served || job->look != CV_MCP_NO_LOOK))
        job = job->next_active;
    if (job)
        deactivate(job);
    pthread_mutex_unlock(&host->lock);
    return job;
}

static void hand_back_left_over(cv_mcp_host *host)
{
    cv_mcp_job *job;
    while ((job = take_left_over(host))) {
        if (job->wants)
            cv_buf_clear(&job->out);
        else
            cv_mcp_refuse(job, 503, CV_RPC_INTERNAL, CV_STR("the server ends: the call was not begun"), (cv_str){0});
        hand_back(job);
    }
}

static void join_ended(cv_mcp_host *host)
{
    for (size_t i = 0; i < host->worker_count; i++) {
        pthread_mutex_lock(&host->lock);
        bool ended = host->workers[i].ended;
        pthread_mutex_unlock(&host->lock);
        if (ended)
            pthread_join(host->workers[i].thread, NULL);
    }
    pthread_mutex_lock(&host->lock);
    bool ended = host->watcher_ended;
    pthread_mutex_unlock(&host->lock);
    if (ended)
        pthread_join(host->watcher, NULL);
}

bool cv_mcp_host_end(cv_mcp_host *host)
{
    int64_t until = cv_steady_ms() + CV_MCP_GRACE_MS;
    pthread_mutex_lock(&host->lock);
    host->ending = true;
    host->quick = host->slow = (cv_mcp_line){0};
    host->queued = 0;
    pthread_cond_broadcast(&host->work);
    pthread_cond_broadcast(&host->look);
    pthread_mutex_unlock(&host->lock);
    hand_back_left_over(host);
    pthread_mutex_lock(&host->lock);
    while (host->threads > 0 && cv_steady_ms() < until)
        cv_steady_wait(&host->over, &host->lock, (int)(until - cv_steady_ms()));
    bool over = host->threads == 0;
    pthread_mutex_unlock(&host->lock);
    join_ended(host);
    if (over)
        hand_back_left_over(host); /* what waited for the watcher */
    return over;
}

void cv_mcp_host_release(cv_mcp_host *host)
{
    free_jobs(host->spare);
    cv_mcp_keep_release(host);
    cv_arena_release(&host->arena);
    pthread_mutex_destroy(&host->lock);
    pthread_cond_destroy(&host->work);
    pthread_cond_destroy(&host->look);
    pthread_cond_destroy(&host->over);
}
