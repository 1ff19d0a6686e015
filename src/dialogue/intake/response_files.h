/* response_files.h - the response files of a round, compared with the record.
 *
 *     round-1/response-muffin.md     same
 *     round-1/cupcake.md             not_in_record: an agent wrote it and nobody sent it
 *     round-1/response-kettle.md     unknown_expert
 *
 * Files are looked at, never changed.
 */
#ifndef CV_DIALOGUE_INTAKE_RESPONSE_FILES_H
#define CV_DIALOGUE_INTAKE_RESPONSE_FILES_H

#include "dialogue/intake/attendance.h"

typedef enum {
    CV_RESPONSE_FILE_SAME,
    CV_RESPONSE_FILE_NOT_IN_RECORD,
    CV_RESPONSE_FILE_DIFFERS,
    CV_RESPONSE_FILE_UNKNOWN_EXPERT,
    CV_RESPONSE_FILE_UNREADABLE,
    CV_RESPONSE_FILE_STATE_COUNT
} cv_response_file_state;

extern const cv_words cv_response_file_words;
extern const cv_words cv_response_file_faults; /* all but SAME */

typedef struct {
    cv_str path, expert;
    cv_response_file_state state;
    cv_str message; /* UNREADABLE: why */
    cv_str command; /* the command that sends it, as the caller calls it; empty: there is nothing to send */
} cv_response_file;

typedef CV_STATE_LIST(cv_response_file) cv_response_files;

/* The files of the round, by name. Without a folder there are none. Of two attendances of one expert the last counts.
 */
bool cv_response_files_look(cv_call *call, const cv_state *s, int64_t round, const cv_attendance *attendance,
                            cv_response_files *ret_files, cv_err *err);

/* Warns of files that are not what the record has: who goes on without them would call their experts silent. A folder
 * that cannot be read is left out; round-verify says why. `registering`: the round is over with this. */
void cv_response_files_warn(cv_call *call, const cv_state *s, int64_t round, const cv_attendance *attendance,
                            bool registering, cv_notices *warnings);

/* What hands a file in as an expert's response, as the caller calls it; `replace`: in the place of another one. */
cv_str cv_response_hand_in(const cv_call *call, cv_str dialogue_id, int64_t round, cv_str expert, cv_str path,
                           bool replace);

#endif
