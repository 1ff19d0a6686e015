/* request.h - the room's own operations, called on behalf of a larger one.
 *
 * An import makes the same requests that a judge would make, one after the other, and each is checked and recorded in
 * the same way. Time is the document's, not ours: it stands still at the moment that the caller names.
 */
#ifndef CV_DIALOGUE_IMPORT_REQUEST_H
#define CV_DIALOGUE_IMPORT_REQUEST_H

#include "record/call.h"

typedef struct {
    bool done;
    cv_str text; /* the answer as it was written */
    cv_json json;
    cv_errs errs; /* why not */
} cv_reply;

/* Runs the operation with this input on `store`; `at_ms` CV_ABSENT: the caller's clock. The answer lives in `a`. */
void cv_request(const cv_call *call, cv_arena *a, cv_record *record, int64_t at_ms, cv_handler run, cv_str input,
                cv_reply *ret_reply);

#endif
