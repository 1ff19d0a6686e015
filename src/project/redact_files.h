/* redact_files.h - the files beside the record that hold a text which is redacted.
 *
 *     .conclave/dialogues/ID/round-1/response-muffin.md     its text is replaced by what stands for it
 *     the folder of the scope, where that is elsewhere      so is it there
 *     a file that the room names (kit/room.h)               so is it there, or the file is only named
 *     .conclave/chat/…                                      files that are the truth of other scopes are only named
 *     .conclave/conclave.db.before-restore-…, *.db          whole records: they are named, and not touched
 *
 * Where a phrase of the text (phrases.h) is in a form that cannot be replaced (broken into lines, escaped, cut,
 * parted by what another redaction replaced), the file is named, and its owner decides. The record's own files are not
 * looked at: the record does that itself.
 */
#ifndef CV_PROJECT_REDACT_FILES_H
#define CV_PROJECT_REDACT_FILES_H

#include "base/where.h"
#include "kit/call.h"
#include "kit/room.h"
#include "project/phrases.h"
#include "project/traces.h"

typedef cv_texts cv_redact_names;

typedef struct {
    cv_call *call;
    const cv_trace *trace;
    cv_str mark;                 /* what is in its place; JSON */
    bool change;                 /* false: only look */
    const cv_room_files *single; /* looked into one by one */
    cv_redact_names replaced, left, backups;
    cv_phrases strong, weak; /* of the text; the walk makes them */
} cv_redact_files;

/* Looks below .conclave and below `folder` (path NULL: there is none). */
bool cv_redact_files_walk(cv_redact_files *f, cv_where folder, cv_err *err);

/* Then into a single file elsewhere, if it is there. */
bool cv_redact_files_look(cv_redact_files *f, const cv_room_file *file, cv_err *err);

#endif
