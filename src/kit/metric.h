/* metric.h - figures about a room for the operator of a server: what waits, what is stuck.
 *
 *     {"mail_oldest_unread_seconds", "Age of …", 18}  ->  conclave_mail_oldest_unread_seconds 18   (/metrics)
 *
 * They are read when somebody asks. A metric is a total of its room, never one for each of many things: a collector
 * keeps every series that it ever saw.
 */
#ifndef CV_KIT_METRIC_H
#define CV_KIT_METRIC_H

#include "base/arena.h"

typedef struct {
    const char *name;  /* begins with that of its room */
    const char *about; /* a sentence */
    int64_t value;
} cv_metric;

typedef struct {
    cv_metric *items;
    size_t count, capacity;
} cv_metrics;

#endif
