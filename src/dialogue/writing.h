/* writing.h - what all writing operations on a dialogue do alike.
 *
 *     was it done before?  -> answer as then
 *     work                 -> commit, or with dry_run only the answer
 *     others came between  -> from the beginning, the first question included: it may have been the same request
 *     refused              -> the first question once more, for the same reason
 */
#ifndef CV_DIALOGUE_WRITING_H
#define CV_DIALOGUE_WRITING_H

#include "dialogue/journal.h"

/* Load, check, journal, commit. False: call->errs says why. */
typedef bool (*cv_work)(cv_call *call, cv_outcome *outcome);

/* Does it and writes the answer; rev_conflict when others came in between too often. What is refused because a rival
 * made this very request in the meantime is answered as the rival was. */
bool cv_write_run(cv_call *call, cv_work work);

/* Commits, or with dry_run says what would have been. `result` is the answer as a JSON object. */
bool cv_write_commit(cv_journal *journal, cv_str result, cv_outcome *outcome);

/* May something be written: the dialogue was not abandoned, and it has no final verdict (unless that is `fine`). */
bool cv_write_open(cv_call *call, const cv_state *state, bool final_is_fine);

#endif
