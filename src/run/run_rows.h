/* run_rows.h - the rows of one run: read whole, and written one step at a time.
 *
 *     cv_run_rows_open      the run as it is; attempts in the order of round, who, number
 *     cv_run_rows_take      the lease: nobody else walks this dialogue until cv_run_rows_release
 *     cv_run_rows_begin     attempts, before their calls: one write for all that begin together
 *     cv_run_rows_end       … those that have ended, likewise
 *     cv_run_rows_change    the run's own row
 *
 * The lease has two halves. A lock on .conclave/runs/ID/lock, which the kernel gives back when its process ends,
 * however it ends; and a row in the record with a time, for those on other machines. A process that has the lock and
 * finds a row of its own machine knows that it was left by a process that is gone.
 */
#ifndef CV_RUN_RUN_ROWS_H
#define CV_RUN_RUN_ROWS_H

#include "base/where.h"
#include "kit/call.h"
#include "kit/shape.h"
#include "run/types.h"

#define ERR(id, word, exit, meaning) extern const cv_err_kind CV_ERR_##id[1];
#include "run/err.def"
#undef ERR
extern const cv_err_code cv_run_codes[];

enum {
    CV_LEASE_MS = 60 * 1000, /* of the row: longer than any step of a walk takes without renewing it */
    CV_LEASE_RENEWED_MS = 15 * 1000,
    CV_LOCK_MS = 5 * 1000, /* how long a lock is waited for that nobody alive holds */
    CV_LOCK_HELD_MS = 300, /* … that a process holds: it may be about to end */
    CV_LOCK_LOOK_MS = 5
};

typedef struct {
    cv_attempt_row *items;
    size_t count, capacity;
} cv_attempts;

typedef struct {
    const cv_call *call;
    cv_arena *arena; /* rows live in it */
    cv_str dialogue_id;
    bool exists;
    cv_run_row run;
    cv_attempts attempts;
    int lock;           /* descriptor; -1: not taken */
    int64_t renewed_ms; /* by the monotonic clock */
} cv_run_rows;

extern const cv_shape cv_attempt_shape[];

/* The run of a dialogue; `exists` false: it has none, and everything is empty. */
bool cv_run_rows_open(cv_run_rows *l, const cv_call *call, cv_arena *a, cv_str dialogue_id, cv_err *err);

/* The attempts of one who was asked for one thing, in their order: a part of l->attempts, or none. Pointers into the
 * list are good until the next attempt begins. */
cv_attempts cv_run_rows_of(const cv_run_rows *l, int64_t round, cv_str who, cv_run_task task);

/* Which attempt at the same thing this row is, from 1. The judge's attempts of a round are numbered through: those for
 * the round, then those for the verdicts. */
size_t cv_run_rows_tried(const cv_run_rows *l, const cv_attempt_row *row);

/* Nobody else on this machine walks from here on, and the rows are read again. CV_ERR_RUN_BUSY: somebody does. */
bool cv_run_rows_lock(cv_run_rows *l, cv_err *err);

/* Takes the lease, and writes the run's row as l->run has it. CV_ERR_RUN_BUSY: another machine has it. */
bool cv_run_rows_take(cv_run_rows *l, cv_err *err);
bool cv_run_rows_renew(cv_run_rows *l, cv_err *err); /* if it is time for that */
void cv_run_rows_release(cv_run_rows *l);

/* Has this process of this machine the lease? */
bool cv_run_rows_is_of(cv_run_rows *l, int64_t pid, bool *ret_is, cv_err *err);

/* Who holds it now, for people; empty: nobody. */
bool cv_run_rows_holder(cv_run_rows *l, cv_str *ret_holder, cv_err *err);
bool cv_run_rows_check_free(cv_run_rows *l, cv_err *err); /* CV_ERR_RUN_BUSY: somebody does */

/* l->run as it is now, with an event of this type. */
bool cv_run_rows_change(cv_run_rows *l, const char *event, cv_err *err);

/* Reads the run's own row again: has somebody asked it to stop? */
bool cv_run_rows_look(cv_run_rows *l, cv_err *err);

/* New attempts; they are added to the list. */
bool cv_run_rows_begin(cv_run_rows *l, const cv_attempt_row *rows, size_t count, cv_err *err);
bool cv_run_rows_end(cv_run_rows *l, cv_attempt_row *const *rows, size_t count, cv_err *err);

/* Where files of a run are: .conclave/runs/ID, or NAME in it. */
cv_where cv_run_rows_where(cv_arena *a, const char *root, cv_str dialogue_id, const char *name);

#endif
