/* kept_watch.c - one watch on folders for a handle of the record; see kept_watch.h. */
#include "kit/kept_watch.h"

#include "base/heap.h"

typedef struct {
    cv_record_companion companion;
    cv_notify notify;
} kept_watch;

static void close_watch(cv_record_companion *c)
{
    kept_watch *w = (kept_watch *)c;
    cv_notify_close(&w->notify);
    cv_heap_free(w);
}

cv_notify *cv_kept_watch(cv_record *record)
{
    kept_watch *w = (kept_watch *)cv_record_companion_of(record, close_watch);
    if (!w) {
        w = CV_HEAP_NEW(kept_watch);
        w->companion.close = close_watch;
        cv_record_join(record, &w->companion);
    }
    w->notify.blind = false; /* what cannot be watched is found out again */
    return &w->notify;
}
