/* log.h - what a file says, entered into the log: new messages are added, what vanished is marked, nothing goes.
 *
 *     in the file            in the log
 *     header A               current header A: nothing to do
 *     header B               A becomes replaced, B is added; when A comes back it is another occurrence of A
 *     two equal notes        two occurrences
 *     a note less            the last occurrence is gone, and since when
 *
 * It works inside of a locked write and asks only for the rows of the file that are in it now.
 */
#ifndef CV_NOTES_LOG_H
#define CV_NOTES_LOG_H

#include "kit/notice.h"
#include "kit/writing.h"
#include "notes/found.h"
#include "notes/types.h"

typedef struct {
    cv_call *call;
    cv_writing *w;
    int64_t last_number, ymdhis; /* of messages so far; the time of the write */
    int64_t thread;              /* that new messages are given to; CV_ABSENT: none */
    int64_t node;                /* node_id of new messages */
    cv_str withdrawn;            /* messages of this content never reached the file; absent: none */
    bool body_moves;             /* what changed besides the messages is not a modification of the file */
    size_t found, logged, replaced, gone;
    cv_notices warnings;
} cv_notes_log;

bool cv_notes_log_begin(cv_notes_log *log, cv_call *call, cv_writing *w, cv_err *err);

/* Enters what a file says now. */
bool cv_notes_log_file(cv_notes_log *log, const cv_notes_file_found *file, cv_err *err);

/* The same for a file that is about to be changed: the header dialog that it had `before` (NULL: none) is archived when
 * the log does not have it yet. */
bool cv_notes_log_edit(cv_notes_log *log, const cv_found_note *before, const cv_notes_file_found *file, cv_err *err);

/* The file is not there any more, or has no notes. */
bool cv_notes_log_gone(cv_notes_log *log, cv_str path, cv_err *err);

/* The row of a file, if it was ever logged. */
bool cv_notes_file_row(cv_record *record, cv_arena *a, cv_str path, cv_note_file *ret, bool *ret_found, cv_err *err);

/* A digest of what makes a message. */
cv_str cv_note_digest(cv_arena *a, const cv_found_note *note);

/* Names that a target addresses, in lower case and without '@'. */
typedef cv_texts cv_note_names;
void cv_note_addressees(cv_arena *a, cv_str target, cv_note_names *ret);
bool cv_note_is_broadcast(cv_arena *a, cv_str target);

/* The time as YYYYMMDDHHMMSS. */
int64_t cv_notes_ymdhis(cv_str time);

#endif
