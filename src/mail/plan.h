/* plan.h - lists of tasks on their way into the record.
 *
 *     a JSON list of tasks   ->  read     names and spellings of the wild; every fault of form
 *     under the lock         ->  check    ids, agents, dependencies, cycles; every fault
 *                            ->  store    rows; those that wait for nothing are delivered
 *
 * They come with `mail plan`, and as `results` of a TASK_COMPLETED that answers a GENERATE_TASK_SEQUENCE.
 */
#ifndef CV_MAIL_PLAN_H
#define CV_MAIL_PLAN_H

#include "mail/send.h"
#include "mail/text/task.h"

typedef struct {
    cv_mail_task row;
    cv_mail_agent target;
    cv_words needs;
    cv_spot at; /* of its faults */
    const cv_mtext_task *read;
    bool stands;    /* the plan has it already, as it is */
    int8_t visited; /* by the search for cycles */
} cv_mail_new_task;

typedef struct {
    cv_mail_new_task *items;
    size_t count, capacity;
    cv_map by_id; /* 1 + index */
    cv_mail_agent from;
    cv_str plan, parent_plan, parent, goal, request_id;
} cv_mail_tasks;

/* The message of a task that waits for nothing any more, into the mailbox of its agent. The row is changed. `is_owed`:
 * the task was taken before; neither a full mailbox nor an agent that was removed since stops an agent that completes
 * what it waited for. */
bool cv_mail_task_deliver(cv_mail_writing *o, cv_mail_task *task, bool is_owed, cv_mail_receipts *ret_receipts);

/* ---- the types of the specification ------------------------------------------------------------------------------ */

/* GENERATE_TASK_SEQUENCE has a goal, TASK_COMPLETED names its request and may have tasks as its results. */
typedef struct {
    bool asks;    /* for tasks */
    bool answers; /* such a request */
    cv_mail_tasks results;
    size_t result_count;
} cv_mail_special;

/* Faults of form go to call->errs. */
void cv_mail_special_read(cv_call *call, const cv_mail_draft *draft, cv_mail_special *ret);

/* In the write that delivers the message: warns of who cannot plan, looks for the request, stores the tasks. */
bool cv_mail_special_take(cv_mail_writing *o, const cv_mail_draft *draft, cv_mail_special *special);

#endif
