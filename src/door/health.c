/* health.c - can the record be read; see health.h. */
#include "door/health.h"

#include <assert.h>

#include "base/heap.h"
#include "base/monotonic.h"
#include "door/record_handle.h"

struct cv_health {
    char *root;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool runs;     /* there is a thread */
    bool asking;   /* it looks, or is to look, since: */
    int64_t since; /*   this moment */
    uint64_t answers;
    bool good;               /* the last one */
    bool ended, left;        /* left: nobody waits for the thread, it frees all this */
    cv_record_handle handle; /* the thread's */
};

static void free_health(cv_health *h)
{
    cv_record_handle_close(&h->handle);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    cv_heap_free(h->root);
    cv_heap_free(h);
}

static bool look(cv_health *h)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str position;
    bool ok = cv_record_handle_open(&h->handle, h->root, &err) &&
              h->handle.record->calls->reader_at(h->handle.record, &a, CV_STR("health"), &position, &err);
    cv_arena_release(&a);
    return ok;
}

static void *run(void *ctx)
{
    cv_health *h = ctx;
    pthread_mutex_lock(&h->lock);
    while (!h->ended) {
        if (!h->asking) {
            pthread_cond_wait(&h->changed, &h->lock);
            continue;
        }
        pthread_mutex_unlock(&h->lock);
        bool good = look(h);
        pthread_mutex_lock(&h->lock);
        h->good = good;
        h->answers++;
        h->asking = false;
        pthread_cond_broadcast(&h->changed);
    }
    bool left = h->left;
    pthread_mutex_unlock(&h->lock);
    if (left)
        free_health(h);
    return NULL;
}

cv_health *cv_health_new(const char *root)
{
    cv_health *h = CV_HEAP_NEW(cv_health);
    h->root = root ? cv_heap_copy(cv_str_of(root)) : NULL;
    pthread_mutex_init(&h->lock, NULL);
    cv_monotonic_cond_init(&h->changed);
    return h;
}

void cv_health_end(cv_health *h)
{
    pthread_mutex_lock(&h->lock);
    bool left = h->left = h->asking, runs = h->runs;
    h->ended = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    if (left) {
        pthread_detach(h->thread);
        return;
    }
    if (runs)
        pthread_join(h->thread, NULL);
    free_health(h);
}

bool cv_health_is_good(cv_health *h)
{
    pthread_mutex_lock(&h->lock);
    assert(!h->ended);
    h->runs = h->runs || pthread_create(&h->thread, NULL, run, h) == 0;
    if (h->runs && !h->asking) {
        h->asking = true;
        h->since = cv_monotonic_ms();
        pthread_cond_broadcast(&h->changed);
    }
    uint64_t before = h->answers;
    int64_t left = CV_HEALTH_MS;
    while (h->runs && h->answers == before && (left = h->since + CV_HEALTH_MS - cv_monotonic_ms()) > 0)
        cv_monotonic_wait(&h->changed, &h->lock, (int)left);
    bool good = h->answers != before && h->good;
    pthread_mutex_unlock(&h->lock);
    return good;
}
