/* writing.h - what all writing operations on a dialogue do alike.
 *
 *     was it done under this op_id?  -> answer as then
 *     work                           -> commit, or with dry_run only the answer; or it finds that what the request
 *                                       names was made by the same request, and stands: answer as then
 *     others came between            -> from the beginning, the first question included
 *     … too often                    -> once more while nobody else can write: who gave no expect_rev always succeeds
 *     refused                        -> the first question once more: it may have been the same request
 */
#ifndef CV_DIALOGUE_WRITING_H
#define CV_DIALOGUE_WRITING_H

#include "dialogue/journal.h"

/* Load, check, journal, commit. False: call->errs says why. */
typedef bool (*cv_work)(cv_call *call, cv_outcome *outcome);

/* Does it and writes the answer. `operation` is its name, like "dialogue update". A try that was overtaken gives its
 * memory back; the last one waits for the store as long as any write (store_busy). What is refused because a rival made
 * this request under the same op_id in the meantime is answered as the rival was. */
bool cv_write_run(cv_call *call, cv_str operation, cv_work work);

/* Commits, or with dry_run says what would have been. `result` is the answer as a JSON object. */
bool cv_write_commit(cv_journal *journal, cv_str result, cv_outcome *outcome);

/* May something be written: the dialogue was not abandoned, and it has no final verdict (unless that is `fine`). */
bool cv_write_open(cv_call *call, const cv_state *state, bool final_is_fine);

#endif
