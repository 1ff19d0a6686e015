/* operations.h - the handlers of the mail room's operations and the forms of their answers; ops.c has the rows. */
#ifndef CV_MAIL_OPERATIONS_H
#define CV_MAIL_OPERATIONS_H

#include "kit/call.h"
#include "kit/shape.h"

bool cv_mail_op_send(cv_call *call);
bool cv_mail_op_inbox(cv_call *call);
bool cv_mail_op_read(cv_call *call);
bool cv_mail_op_wait(cv_call *call);
bool cv_mail_op_claim(cv_call *call);
bool cv_mail_op_done(cv_call *call);
bool cv_mail_op_fail(cv_call *call);
bool cv_mail_op_complete(cv_call *call);
bool cv_mail_op_requeue(cv_call *call);
bool cv_mail_op_dead(cv_call *call);
bool cv_mail_op_outbox(cv_call *call);
bool cv_mail_op_thread(cv_call *call);
bool cv_mail_op_stats(cv_call *call);
bool cv_mail_op_slot(cv_call *call);
bool cv_mail_op_plan(cv_call *call);
bool cv_mail_op_ready(cv_call *call);
bool cv_mail_op_graph(cv_call *call);

/* prompts, the governance log, reports, states */
bool cv_mail_op_render(cv_call *call);
bool cv_mail_op_stage(cv_call *call);
bool cv_mail_op_take(cv_call *call);
bool cv_mail_op_answer(cv_call *call);
bool cv_mail_op_fetch(cv_call *call);
bool cv_mail_op_log(cv_call *call);
bool cv_mail_op_governance(cv_call *call);
bool cv_mail_op_report(cv_call *call);
bool cv_mail_op_reflect(cv_call *call);
bool cv_mail_op_reports(cv_call *call);
bool cv_mail_op_state(cv_call *call);

extern const cv_shape cv_mail_render_shape[], cv_mail_stage_shape[], cv_mail_take_shape[], cv_mail_answer_shape[];
extern const cv_shape cv_mail_fetch_shape[], cv_mail_log_shape[], cv_mail_governance_shape[], cv_mail_report_shape[];
extern const cv_shape cv_mail_reports_shape[], cv_mail_state_shape[];

extern const cv_shape cv_mail_send_shape[], cv_mail_inbox_shape[], cv_mail_read_shape[], cv_mail_wait_shape[];
extern const cv_shape cv_mail_claim_shape[], cv_mail_settled_shape[], cv_mail_requeue_shape[];
extern const cv_shape cv_mail_dead_shape[], cv_mail_outbox_shape[], cv_mail_thread_shape[], cv_mail_stats_shape[],
    cv_mail_slot_shape[];
extern const cv_shape cv_mail_plan_shape[], cv_mail_ready_shape[], cv_mail_graph_shape[];

/* Of the files. */
bool cv_mail_op_watch(cv_call *call);
extern const cv_shape cv_mail_watch_shape[];

#endif
