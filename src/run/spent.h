/* spent.h - what the calls of a run have used, and whether more may be made: pure functions of its attempts.
 *
 *     reported      tokens and cost as agents tell them, or cost from the prices of the agent
 *     estimated     a fourth of the bytes of prompt and answer, where nobody counts tokens
 *     reserved      for calls under way: as much as a call has used on average
 *
 * A budget holds to the call: another one begins only while what was used and what is reserved lie below it. Before the
 * first call has ended nothing is known about what calls use, so that one is made alone.
 */
#ifndef CV_RUN_SPENT_H
#define CV_RUN_SPENT_H

#include "run/plan.h"
#include "run/run_rows.h"

typedef struct {
    int64_t calls, tokens_in, tokens_out, cost; /* cost in millionths of a US dollar */
    int64_t estimated;                          /* tokens */
    int64_t ended, running;                     /* calls */
    int64_t reserved_tokens, reserved_cost;
} cv_spent;

/* Whose calls: everybody's, those of the panel and its judge, that of the control. People and mailboxes cost nothing,
 * nor does what could not be started. */
typedef enum { CV_SPENT_ALL, CV_SPENT_PANEL, CV_SPENT_CONTROL } cv_spent_part;
cv_spent cv_spent_of(const cv_attempts *attempts, cv_spent_part part);

/* The limits; CV_ABSENT: none. */
typedef struct {
    int64_t cost, tokens, time_ms;
} cv_budget;

/* Which of them is used up; CV_REASON_COUNT: none. */
cv_reason cv_budget_spent(const cv_budget *budget, const cv_spent *spent, int64_t elapsed_ms);

/* How many calls may run at the same time, of `most`. */
size_t cv_budget_parallel(const cv_budget *budget, const cv_spent *spent, size_t most);

#endif
