/* tasks.h - tasks that exist: what becomes of one when its message is claimed, done, failed, or put back.
 *
 *     PENDING ──claim──> RUNNING ──done──> COMPLETED     those that waited for it alone are delivered in the same write
 *        ^                  │
 *        └──requeue── FAILED <──fail
 *
 * A task has a message once it waits for nothing; from then on its delivery says what it is, and the task follows.
 */
#ifndef CV_MAIL_TASKS_H
#define CV_MAIL_TASKS_H

#include "mail/send.h"

/* The delivery went to its present state in this write: its task, if it has one, follows. Tasks that waited for it are
 * delivered; they are added to *ret_delivered, which may be NULL. */
bool cv_mail_task_follow(cv_mail_writing *o, const cv_mail_delivery *delivery, cv_mail_receipts *ret_delivered);

/* Is the delivery that of a task? */
bool cv_mail_is_task(cv_mail_writing *o, const cv_mail_delivery *delivery, bool *ret_is);

/* The message that the input names: by message_id, or by task_id and plan. Faults go to call->errs: an id that tasks of
 * several plans have, a task that waits for others. An absent view: neither is given. */
bool cv_mail_named_message(cv_call *call, cv_str *ret_message_id);

/* Has a plan a task with this id? For a better error: what cannot be read is none. */
bool cv_mail_has_task(cv_call *call, cv_str id);

#endif
