/* workers.h - threads that serve calls: a few of them, and nobody waits behind a call that takes long.
 *
 *     cv_workers_queue(work)  ->  quick line  ->  a worker: work->serve()
 *                             ->  slow line   ->  never on all workers
 *
 * Whether a call takes long shows when it does. From then on, for a while, its kind is slow: calls of slow kinds have a
 * line of their own and never all workers, and there is always a worker for the others. One worker is kept busy; others
 * are called when the lines do not move (cv_workers_hurry). A worker without work may do something else meanwhile
 * (cv_workers_lend). Several doors may share one set of workers.
 */
#ifndef CV_DOOR_WORKERS_H
#define CV_DOOR_WORKERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"

enum {
    CV_WORKERS_BEAT_MS = 2, /* that a line may stand still before another worker is called */
    CV_WORKERS_READY = 4,   /* that serve at the same time, beside those whose call takes long */
    CV_WORKERS_SLOW = 8,    /* calls of slow kinds at the same time: the rest of these waits */
    CV_WORKERS_ALL = 16,
};

typedef struct cv_work cv_work;
typedef struct cv_workers cv_workers;

/* One call. The caller that queues it owns it again once `serve` has begun, which may free it. */
struct cv_work {
    void (*serve)(cv_work *work, cv_arena *arena, void *mine); /* the arena lasts until it returns */
    int64_t *slow_at; /* of its kind: when a call of it last took long; 0: never. Read and written here alone */
    bool served;      /* a worker has it */
    uint64_t number;  /* in the order in which calls were queued */
    cv_work *next;
};

/* Calls that wait, in the order in which they came. */
typedef struct {
    cv_work *first, *last;
} cv_work_line;

/* A thread, and what it serves. */
typedef struct {
    cv_workers *all;
    pthread_t thread;
    bool ended;
    bool busy, slow; /* slow: its call takes long, or is of a kind that does */
    int64_t *slow_at;
    int64_t since;
} cv_worker;

/* What every worker begins and ends with; both may be NULL. `mine` is what enter returned. */
typedef struct {
    void *(*enter)(void *ctx);
    void (*leave)(void *ctx, void *mine);
    void *ctx;
} cv_workers_own;

struct cv_workers {
    cv_workers_own own;
    pthread_mutex_t lock;
    pthread_cond_t work; /* there is something in a line */
    pthread_cond_t over; /* a worker has ended */
    cv_work_line quick, slow;
    uint64_t last_number;
    size_t slow_workers;                /* that are slow */
    atomic_size_t queued;               /* in both lines */
    size_t awake, asleep, called;       /* workers; called: asleep, but told to wake up */
    bool (*help)(void *ctx, bool wait); /* what one worker does when the lines are empty; NULL: it sleeps */
    void *help_ctx;
    bool helps; /* one does */
    bool closed;
    cv_worker workers[CV_WORKERS_ALL];
    size_t count, running;
    int64_t added; /* when the last one was */
};

void cv_workers_init(cv_workers *all, const cv_workers_own *own);

void cv_workers_queue(cv_workers *all, cv_work *work);
void cv_workers_hurry(cv_workers *all); /* the lines do not move: another worker */

/* One worker without work does this instead of sleeping, and shortly in between while there is much: it returns false
 * when it shall not be asked again. With `wait` it waits for something to do. */
void cv_workers_lend(cv_workers *all, bool (*help)(void *ctx, bool wait), void *ctx);

/* No call is begun any more: those that wait are forgotten, and the callers that queued them answer them. May be called
 * again. From then on nothing may be queued. */
void cv_workers_close(cv_workers *all);

/* Waits for the workers until cv_monotonic_ms() is `until`. False: one still serves a call, and nothing that it may use
 * may be released. */
bool cv_workers_end(cv_workers *all, int64_t until);
void cv_workers_release(cv_workers *all); /* once all have ended */

#endif
