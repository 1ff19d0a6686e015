/* plan.h - tasks: what the messages of the specification's types do besides being delivered. */
#ifndef CV_MAIL_PLAN_H
#define CV_MAIL_PLAN_H

#include "mail/send.h"

/* GENERATE_TASK_SEQUENCE has a goal, TASK_COMPLETED names its request: faults go to call->errs. */
void cv_mail_check_types(cv_call *call, const cv_mail_draft *draft);

/* … and in the write that delivers it: warns of who cannot plan, takes the tasks that came as results. */
bool cv_mail_take_types(cv_mail_office *o, const cv_mail_draft *draft);

#endif
