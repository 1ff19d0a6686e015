/* invoke.h - operations that are called on behalf of a larger one.
 *
 * An import makes the same requests that a judge would make, one after the other, and each is checked and recorded in
 * the same way. Time is the document's, not ours: it stands still at the moment that the caller names.
 *
 * A room runs its own handlers directly. What belongs to another room is called by its words, as every door calls it:
 * cv_invoke(call, "mail", "send", input, &reply) checks the input against the schema. No room includes another.
 */
#ifndef CV_KIT_INVOKE_H
#define CV_KIT_INVOKE_H

#include "kit/call.h"

typedef struct {
    bool done;
    cv_str text; /* the answer as it was written */
    cv_json json;
    cv_errs errs; /* why not */
} cv_reply;

/* Runs the handler with this input on `record`; `at_ms` CV_ABSENT: the caller's clock. The answer lives in `a`. */
void cv_invoke_handler(const cv_call *call, cv_arena *a, cv_record *record, int64_t at_ms, cv_handler run, cv_str input,
                       cv_reply *ret_reply);

/* Calls the operation of any room, in the caller's name and project. */
void cv_invoke(const cv_call *call, cv_str room, cv_str verb, cv_str input, cv_reply *ret_reply);

#endif
