/* workers.c - threads that serve calls; see workers.h. */
#include "door/workers.h"

#include <assert.h>

#include "base/monotonic.h"

enum {
    BREATH_US = 250,        /* that a worker serves before it looks for something else to do */
    SLOW_MS = 50,           /* a call that takes longer is slow */
    SLOW_FOR_MS = 60 * 1000 /* and so is its kind, for so long */
};

void cv_workers_init(cv_workers *all, const cv_workers_own *own)
{
    *all = (cv_workers){.own = *own};
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->work, NULL);
    cv_monotonic_cond_init(&all->over);
}

/* ---- without work, with the lock held ---------------------------------------------------------------------------- */

static void doze(cv_workers *all)
{
    assert(all->awake > 0);
    all->awake--;
    all->asleep++;
    pthread_cond_wait(&all->work, &all->lock);
    all->asleep--;
    all->awake++;
    all->called -= all->called > 0;
}

/* False: another worker helps, or nobody is to. */
static bool lend_hand(cv_workers *all, bool wait)
{
    if (!all->help || all->helps)
        return false;
    all->helps = true;
    pthread_mutex_unlock(&all->lock);
    bool again = all->help(all->help_ctx, wait);
    pthread_mutex_lock(&all->lock);
    assert(all->helps && "one worker helps at a time");
    all->helps = false;
    if (!again)
        all->help = NULL;
    return true;
}

/* Since when a worker has done nothing else than serve, in microseconds. */
typedef struct {
    int64_t breathed, called; /* … since it has helped; and for others, to whom the lines are too long */
} pace;

static pace begin_pace(void)
{
    int64_t now = cv_monotonic_us();
    return (pace){now, now};
}

/* There is more to serve. Meanwhile answers are sent and requests read, so that clients are at work too; and when it
 * lasts, others join. */
static void breathe(cv_workers *all, pace *p)
{
    int64_t now = cv_monotonic_us();
    if (now < p->breathed + BREATH_US)
        return;
    if (now >= p->called + CV_WORKERS_BEAT_MS * 1000) {
        pthread_mutex_unlock(&all->lock);
        cv_workers_hurry(all);
        pthread_mutex_lock(&all->lock);
        p->called = now;
    }
    lend_hand(all, false);
    p->breathed = cv_monotonic_us();
}

/* ---- which call is next, with the lock held ---------------------------------------------------------------------- */

static void append(cv_work_line *line, cv_work *work)
{
    assert(!line->first == !line->last);
    work->next = NULL;
    if (line->last)
        line->last->next = work;
    else
        line->first = work;
    line->last = work;
}

static cv_work *pop(cv_work_line *line)
{
    cv_work *work = line->first;
    assert(work);
    line->first = work->next;
    line->last = line->first ? line->last : NULL;
    return work;
}

static bool is_slow(const cv_work *work)
{
    return *work->slow_at && cv_monotonic_ms() < *work->slow_at + SLOW_FOR_MS;
}

/* The line whose first call is next: as they came, except for slow kinds that have all their workers. NULL: none is. */
static cv_work_line *next_line(cv_workers *all)
{
    while (all->quick.first && is_slow(all->quick.first))
        append(&all->slow, pop(&all->quick)); /* it has turned out to be slow while it waited */
    const cv_work *quick = all->quick.first, *slow = all->slow_workers < CV_WORKERS_SLOW ? all->slow.first : NULL;
    if (slow && (!quick || slow->number < quick->number))
        return &all->slow;
    return quick ? &all->quick : NULL;
}

static void mark_slow(cv_workers *all, cv_worker *w, int64_t now)
{
    assert(w->busy);
    *w->slow_at = now;
    all->slow_workers += !w->slow;
    w->slow = true;
}

/* Who has served one call for long will not be back soon. */
static void look_for_slow(cv_workers *all)
{
    int64_t now = cv_monotonic_ms();
    for (size_t i = 0; i < all->count; i++)
        if (all->workers[i].busy && now >= all->workers[i].since + SLOW_MS)
            mark_slow(all, &all->workers[i], now);
}

static void begin_call(cv_workers *all, cv_worker *w, const cv_work_line *line, cv_work *work)
{
    assert(all->queued > 0 && !w->busy && !w->slow && !work->served);
    all->queued--;
    work->served = true;
    w->busy = true;
    w->slow_at = work->slow_at;
    w->since = cv_monotonic_ms();
    w->slow = line == &all->slow;
    all->slow_workers += w->slow;
}

static void end_call(cv_workers *all, cv_worker *w)
{
    int64_t now = cv_monotonic_ms();
    if (w->busy && now >= w->since + SLOW_MS)
        mark_slow(all, w, now);
    assert(all->slow_workers >= (size_t)w->slow && (w->busy || !w->slow));
    all->slow_workers -= w->slow;
    w->busy = w->slow = false;
}

/* ---- a worker ---------------------------------------------------------------------------------------------------- */

/* The next call; NULL: it is over. */
static cv_work *take(cv_worker *w, pace *p)
{
    cv_workers *all = w->all;
    cv_work_line *line;
    cv_work *work = NULL;
    pthread_mutex_lock(&all->lock);
    end_call(all, w);
    if (all->queued > 0 && all->help)
        breathe(all, p);
    while (!(line = next_line(all)) && !all->closed) {
        if (!lend_hand(all, true))
            doze(all);
        *p = begin_pace();
    }
    if (line && !all->closed) {
        work = pop(line);
        begin_call(all, w, line, work);
    }
    pthread_mutex_unlock(&all->lock);
    return work;
}

static void *run(void *argument)
{
    cv_worker *w = argument;
    cv_workers *all = w->all;
    void *mine = all->own.enter ? all->own.enter(all->own.ctx) : NULL;
    cv_arena arena = {0}; /* used again and again: what calls need is kept once for each worker, not for each call */
    pace p = begin_pace();
    cv_work *work;
    while ((work = take(w, &p))) {
        work->serve(work, &arena, mine);
        cv_arena_reset(&arena);
    }
    if (all->own.leave)
        all->own.leave(all->own.ctx, mine);
    cv_arena_release(&arena);
    pthread_mutex_lock(&all->lock);
    w->ended = true;
    all->running--;
    pthread_cond_signal(&all->over);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* With the lock held. Every worker costs memory and a handle of the record, and the first call of each takes longer
 * than others: so each is awaited four times as long as the one before. */
static void add_worker(cv_workers *all)
{
    assert(all->slow_workers <= all->count && all->count <= CV_WORKERS_ALL);
    size_t ready = all->count - all->slow_workers;
    if (all->count == CV_WORKERS_ALL || ready >= CV_WORKERS_READY)
        return;
    int64_t now = cv_monotonic_ms(), patience = ready ? CV_WORKERS_BEAT_MS << 2 * (ready - 1) : 0;
    cv_worker *w = &all->workers[all->count];
    w->all = all;
    if (now < all->added + patience || pthread_create(&w->thread, NULL, run, w) != 0)
        return;
    all->added = now;
    all->count++;
    all->running++;
    all->awake++;
}

/* With the lock held: one more worker shall look at the lines. True: one that sleeps, to be told without the lock,
 * which it needs at once. */
static bool call_worker(cv_workers *all)
{
    if (all->awake + all->called >= all->slow_workers + CV_WORKERS_READY)
        return false;
    if (all->asleep > all->called) {
        all->called++;
        return true;
    }
    add_worker(all);
    return false;
}

/* ---- the callers ------------------------------------------------------------------------------------------------- */

void cv_workers_queue(cv_workers *all, cv_work *work)
{
    pthread_mutex_lock(&all->lock);
    assert(!work->served && work->slow_at);
    bool sleeps = false;
    if (!all->closed) {
        work->number = ++all->last_number;
        append(&all->quick, work);
        all->queued++;
        sleeps = all->awake + all->called == 0 && call_worker(all);
    }
    pthread_mutex_unlock(&all->lock);
    if (sleeps)
        pthread_cond_signal(&all->work);
}

void cv_workers_hurry(cv_workers *all)
{
    pthread_mutex_lock(&all->lock);
    if (all->queued > 0)
        look_for_slow(all);
    bool sleeps = next_line(all) && call_worker(all);
    pthread_mutex_unlock(&all->lock);
    if (sleeps)
        pthread_cond_signal(&all->work);
}

void cv_workers_lend(cv_workers *all, bool (*help)(void *ctx, bool wait), void *ctx)
{
    pthread_mutex_lock(&all->lock);
    all->help = help;
    all->help_ctx = ctx;
    pthread_mutex_unlock(&all->lock);
}

void cv_workers_close(cv_workers *all)
{
    pthread_mutex_lock(&all->lock);
    all->closed = true;
    all->quick = all->slow = (cv_work_line){0};
    all->queued = 0;
    pthread_cond_broadcast(&all->work);
    pthread_mutex_unlock(&all->lock);
}

static void join_ended(cv_workers *all)
{
    for (size_t i = 0; i < all->count; i++) {
        pthread_mutex_lock(&all->lock);
        bool ended = all->workers[i].ended;
        all->workers[i].ended = false;
        pthread_mutex_unlock(&all->lock);
        if (ended)
            pthread_join(all->workers[i].thread, NULL);
    }
}

bool cv_workers_end(cv_workers *all, int64_t until)
{
    pthread_mutex_lock(&all->lock);
    assert(all->closed);
    while (all->running > 0 && cv_monotonic_ms() < until)
        cv_monotonic_wait(&all->over, &all->lock, (int)(until - cv_monotonic_ms()));
    bool over = all->running == 0;
    pthread_mutex_unlock(&all->lock);
    join_ended(all);
    return over;
}

void cv_workers_release(cv_workers *all)
{
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->work);
    pthread_cond_destroy(&all->over);
}
