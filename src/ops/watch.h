/* watch.h - what the test suite sees of every call, whichever door it comes through.
 *
 *     CV_CALL_LOG=FILE      names of commands that run and of operations that succeed are appended to FILE:
 *                           the suite fails when one of them is missing
 *     CV_CHECK_REPLIES=1    every reply is compared with its output schema: one that does not fit ends the process
 *
 * Without these variables nothing happens. tools/test sets both.
 */
#ifndef CV_OPS_WATCH_H
#define CV_OPS_WATCH_H

#include "ops/op.h"

/* A command that is not an operation; `room` may be "". */
void cv_watch_call(const char *room, const char *verb);

/* An operation that has succeeded, with its reply in call->out. */
void cv_watch_reply(const cv_operation *op, const cv_call *call);

#endif
