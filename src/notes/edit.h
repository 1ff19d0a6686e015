/* edit.h - one change of a file and of the log, so that both agree whatever happens in between.
 *
 *     under the lock of the log     a change that somebody was killed in is finished first
 *                                   the file is read; the operation makes its new text
 *                                   previous and new dialogs are logged, the new bytes are kept as an intent: commit
 *     under the lock, once more     the file is replaced, if it still is what was read; the intent is forgotten: commit
 *
 * Killed anywhere: before the first commit nothing has happened; after it the next call that meets the file, or
 * `notes repair`, replaces it. When somebody else has changed the file meanwhile, the file stays as it is, the
 * messages that never reached it are marked `withdrawn`, and the caller gets an error.
 */
#ifndef CV_NOTES_EDIT_H
#define CV_NOTES_EDIT_H

#include "kit/request.h"
#include "notes/log.h"
#include "notes/text/write.h"

typedef struct cv_notes_edit cv_notes_edit;
struct cv_notes_edit {
    cv_call *call;
    cv_where where;
    cv_str path; /* below the root: its name in the log */
    bool exists;
    cv_str before; /* its text; empty: there is no file */
    cv_notes_file file;
    cv_str after;   /* what it becomes; the same text: nothing is changed */
    cv_str what;    /* the event: "header", "note", "created" */
    bool is_note;   /* the body is not modified by it */
    bool describes; /* after this change the header dialog describes the text */
    cv_str thread;  /* a name or number that the new messages are given to; absent: none */
    /* Makes `after`, or says what is wrong; under the lock. */
    bool (*make)(cv_notes_edit *edit, cv_err *err);
    void *own;
    cv_notices own_warnings;  /* that `make` has */
    cv_notices name_warnings; /* of the names in the request */
    /* Of the answer. */
    bool changed;
    size_t logged, archived;
    int64_t first_number, last_number, thread_number;
    cv_notices warnings;
};

/* The operation as a whole, with its answer. */
bool cv_edit_run(cv_call *call, cv_str operation, cv_notes_edit *edit);

/* Finishes the change of this path that is under way, if there is one: our `own`, or that of somebody who was killed.
 * *ret_changed: somebody else has changed the file, and the change was withdrawn. */
bool cv_edit_finish(cv_call *call, cv_str path, bool own, bool *ret_found, bool *ret_changed, cv_err *err);

#endif
