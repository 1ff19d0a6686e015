/* operations.h - what can be asked about runs: handlers and the forms of their answers. */
#ifndef CV_RUN_OPERATIONS_H
#define CV_RUN_OPERATIONS_H

#include "kit/room.h"

bool cv_run_op_run(cv_call *call);
bool cv_run_op_ask(cv_call *call);
bool cv_run_op_status(cv_call *call);
bool cv_run_op_stop(cv_call *call);

extern const cv_shape cv_status_shape[], cv_run_stop_shape[];

#endif
