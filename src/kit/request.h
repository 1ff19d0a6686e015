/* request.h - what every operation that writes does alike, in any room: op_id, expect_rev, dry_run, replays, tries.
 *
 *     optimistic: cv_request_run(call, "board move", scope, work)
 *         was it done under this op_id?  -> answer as then
 *         work                           -> commit, or with dry_run only the answer; or it finds that what the request
 *                                           names was made by the same request, and stands: answer as then
 *         others came between            -> from the beginning, the first question included
 *         … too often                    -> once more while nobody else can write: a caller that gave no expect_rev
 *                                           always succeeds
 *         refused                        -> the first question once more: it may have been the same request
 *
 *         A store that is far away is first tried without the first question, and with rows that the handle has kept
 *         (record.h): the write itself finds out both. Any other outcome is not believed: from the beginning.
 *
 *     locked: cv_request_locked(call, "board move", scope, work, ctx)
 *         the lock, was it done, work, commit: there is nothing to repeat
 *
 * The digest of a request is that of its operation, its input, whatever the order of keys, and who acts. Without an
 * op_id nothing is a replay, unless the operation finds with cv_request_made() that the thing which the request names
 * was made by the same request, and that it is as it was made.
 */
#ifndef CV_KIT_REQUEST_H
#define CV_KIT_REQUEST_H

#include "kit/call.h"
#include "kit/writing.h"

typedef struct {
    bool replayed;
    bool conflict; /* the scope moved on and the caller gave no expect_rev: load again and try again */
    bool tried;    /* the write was tried, and the record has said what became of it */
    int64_t rev;
    cv_str result; /* the stored result: the caller's own, or that of the first time */
} cv_outcome;

/* Load, check, put rows, commit. False: call->errs says why. What it leaves in call->left is there afterwards only if
 * the answer is that of this try: not when the try was overtaken, nor when the answer is that of another time. */
typedef bool (*cv_work)(cv_call *call, cv_outcome *outcome);

/* Find, check, put rows; *ret_result is the answer as a JSON object. The caller commits. */
typedef bool (*cv_locked_work)(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result);

/* Does it and writes the answer. A try that was overtaken gives its memory back; the last one waits for the store as
 * long as any write (store_busy). What is refused because a rival made this request under the same op_id in the
 * meantime is answered as the rival was. */
bool cv_request_run(cv_call *call, cv_str operation, cv_scope_id scope, cv_work work);
bool cv_request_locked(cv_call *call, cv_str operation, cv_scope_id scope, cv_locked_work work, void *ctx);

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* One time for a whole write; absent: the clock shows one that cannot be written, and commit refuses. */
cv_str cv_call_now(const cv_call *call);

/* Says which operation is called, before anything below. */
void cv_request_begin(cv_call *call, cv_str operation);

/* Of the operation, its input without what only says how to send it, and who acts: what two agents ask for under one
 * op_id are two requests. How sure it is who acts does not count, and neither does the order of keys. It is computed
 * once per call, when it is first needed. */
cv_str cv_request_digest(cv_call *call);

/* With an op_id: was this request committed under it before? True and ret->replayed: answer ret->result. False only on
 * error (op_id_conflict, store errors). */
bool cv_request_replayed(cv_call *call, cv_scope_id scope, cv_outcome *ret, cv_err *err);

/* Was the write of this rev the same request? As above. */
bool cv_request_made(cv_call *call, cv_scope_id scope, int64_t rev, cv_outcome *ret, cv_err *err);

/* Commits if the scope is where the caller expects it, or with dry_run says what would have been. `result` is the JSON
 * object of the answer without rev and replayed. A write with nothing in it changes nothing: what was asked for is
 * there, and the answer says that it was done before, unless nothing was asked for (w->idle). False:
 * call->errs says why. */
bool cv_request_commit(cv_call *call, cv_writing *w, cv_str result, cv_outcome *ret);

/* The answer: the stored result's members plus "rev", and "replayed": true when it was. */
void cv_request_answer(cv_call *call, const cv_outcome *outcome);

#endif
