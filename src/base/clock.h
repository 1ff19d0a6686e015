/* clock.h - time as UTC ISO-8601, through a clock that is passed in.
 *
 * Nothing asks the system for the time but the clock made by cv_clock_system(); tests pass one that stands still.
 */
#ifndef CV_BASE_CLOCK_H
#define CV_BASE_CLOCK_H

#include <time.h>

#include "base/err.h"

typedef struct {
    int64_t (*now_ms)(void *ctx); /* milliseconds since 1970-01-01T00:00:00Z */
    void *ctx;
} cv_clock;

enum { CV_TIME_LEN = 24 }; /* 2026-02-03T04:05:06.789Z */

cv_clock cv_clock_system(void);

/* Exactly CV_TIME_LEN characters and a terminator; years 0000-9999. False: the time is outside of them, and the nearest
 * one was written. */
bool cv_time_print(int64_t ms, char to[CV_TIME_LEN + 1]);

/* Tells that the time of a clock cannot be written. Always false. */
bool cv_clock_fail(cv_err *err);

/* The same form back, strictly; the fraction may be absent. False for anything that is not such a date (Feb 30 …). */
bool cv_time_parse(cv_str s, int64_t *ret_ms);

/* Nanoseconds since 1970; the nearest number for a time that they do not reach: anybody can give a file any time. */
int64_t cv_timespec_ns(struct timespec t);

/* For people: "2026-02-03 04:05:06", in the arena; what is not a time as above stays as it is. */
cv_str cv_time_short(cv_arena *a, cv_str time);

#endif
