/* retry.h - which calls are tried again, and when: a policy as data, and pure functions of it.
 *
 *     tries    at most so many for one answer, the first included
 *     pause    first_ms, doubled after each try, at most most_ms; of that a random part between a half and all, so that
 *              many who failed together do not come back together
 *     server   a Retry-After is respected, and the pause comes on top of it; more than patience_ms is not waited for
 */
#ifndef CV_RUN_RETRY_H
#define CV_RUN_RETRY_H

#include "base/clock.h"
#include "run/calls.h"

typedef struct {
    int tries;
    int64_t first_ms, most_ms, patience_ms;
} cv_retry_policy;

extern const cv_retry_policy cv_retry_usual; /* 3 tries; 1 s, 60 s; 10 minutes */

/* The value of a Retry-After header, seconds or a date, as milliseconds from now; CV_ABSENT: it is neither. */
int64_t cv_retry_after(cv_str value, int64_t now_ms);

/* After `tried` calls, the last of which ended like this: is there to be another one, and after which pause? `random`
 * is any number. False: no; then *ret_why says so in a clause ("it would end the same way"). */
bool cv_retry_next(const cv_retry_policy *policy, int tried, const cv_calls_result *last, uint64_t random,
                   int64_t *ret_pause_ms, cv_str *ret_why);

#endif
