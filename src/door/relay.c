/* relay.c - passes on what happened; see relay.h. */
#include "door/relay.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/heap.h"
#include "base/system.h"

typedef struct item item;
struct item {
    item *next;
    cv_str json, line;
    cv_arena arena; /* that has both */
};

struct cv_relay {
    pthread_t thread;
    bool runs;            /* the thread */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t more, fewer;
    item *first, **last;
    size_t waiting;
    bool ends;
    bool (*pass)(const void *ctx, cv_str json, cv_str line);
    const void *ctx;
};

/* NULL: it ends, and nothing is left. */
static item *next_of(cv_relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    while (!relay->first && !relay->ends)
        pthread_cond_wait(&relay->more, &relay->lock);
    item *one = relay->first;
    if (one) {
        relay->first = one->next;
        relay->last = relay->first ? relay->last : &relay->first;
        relay->waiting--;
        pthread_cond_signal(&relay->fewer);
    }
    pthread_mutex_unlock(&relay->lock);
    return one;
}

static void *work(void *ctx)
{
    cv_relay *relay = ctx;
    for (item *one; (one = next_of(relay)) != NULL;) {
        relay->pass(relay->ctx, one->json, one->line);
        cv_arena_release(&one->arena);
        cv_heap_free(one);
    }
    return NULL;
}

cv_relay *cv_relay_new(bool (*pass)(const void *ctx, cv_str json, cv_str line), const void *ctx, cv_err *err)
{
    cv_relay *relay = CV_HEAP_NEW(cv_relay);
    relay->pass = pass;
    relay->ctx = ctx;
    relay->last = &relay->first;
    pthread_mutex_init(&relay->lock, NULL);
    pthread_cond_init(&relay->more, NULL);
    pthread_cond_init(&relay->fewer, NULL);
    int failed = pthread_create(&relay->thread, NULL, work, relay);
    relay->runs = failed == 0;
    if (relay->runs)
        return relay;
    cv_system_fail(err, NULL, "start a thread", failed);
    cv_relay_end(relay);
    return NULL;
}

void cv_relay_add(cv_relay *relay, cv_str json, cv_str line)
{
    item *one = CV_HEAP_NEW(item);
    one->json = cv_arena_copy(&one->arena, json);
    one->line = cv_arena_copy(&one->arena, line);
    pthread_mutex_lock(&relay->lock);
    assert(!relay->ends && "nothing is added to one that ends");
    while (relay->waiting >= CV_RELAY_MAX)
        pthread_cond_wait(&relay->fewer, &relay->lock);
    *relay->last = one;
    relay->last = &one->next;
    relay->waiting++;
    pthread_cond_signal(&relay->more);
    pthread_mutex_unlock(&relay->lock);
}

void cv_relay_end(cv_relay *relay)
{
    if (!relay)
        return;
    pthread_mutex_lock(&relay->lock);
    relay->ends = true;
    pthread_cond_signal(&relay->more);
    pthread_mutex_unlock(&relay->lock);
    if (relay->runs)
        pthread_join(relay->thread, NULL);
    assert(!relay->first && relay->waiting == 0 && "everything was passed on");
    pthread_cond_destroy(&relay->fewer);
    pthread_cond_destroy(&relay->more);
    pthread_mutex_destroy(&relay->lock);
    cv_heap_free(relay);
}
