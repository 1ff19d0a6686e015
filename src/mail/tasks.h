/* tasks.h - what becomes of a task when its message is claimed, done, failed, or put back. */
#ifndef CV_MAIL_TASKS_H
#define CV_MAIL_TASKS_H

#include "mail/send.h"

/* The delivery went to its present state in this write: its task, if it has one, follows. Tasks that waited for it are
 * delivered; they are added to *ret_delivered (JSON list of task ids as text), which may be NULL. */
bool cv_mail_task_follow(cv_mail_office *o, const cv_mail_delivery *delivery, cv_mail_receipts *ret_delivered);

#endif
