/* prompt_files.h - the files between the prompt slot and the program that runs a model.
 *
 *     .conclave/mail/
 *       templates/NAME.j2            templates, by their names
 *       temp/cursor_input.txt        the prompt that is staged: its text and nothing else
 *       temp/cursor_input.id         its request id
 *       temp/cursor_output.json      the answer, from outside
 *       temp/.input-ID               a prompt on its way to cursor_input.txt
 *       temp/.answer-UNIQUE          an answer on its way into the record
 *       archive/                     prompts that were read, answers that were taken in
 *       quarantine/                  what is not an answer, and why
 *
 * The record is the truth. A prompt is committed first and shown then: private file, id, one rename. A process that is
 * killed in between is followed by somebody who finishes that: a private file, or an id of another prompt, says that
 * the text was not shown yet. An id without text says that a reader has taken it away.
 *
 * One process at a time works on these files, under a lock on temp/.
 */
#ifndef CV_MAIL_PROMPT_FILES_H
#define CV_MAIL_PROMPT_FILES_H

#include "base/file.h"
#include "kit/call.h"
#include "mail/prompt_types.h"

typedef struct {
    cv_call *call;
    cv_where root; /* .conclave/mail */
    int lock;      /* temp/, open and locked */
} cv_prompt_door;

bool cv_prompt_open(cv_prompt_door *door, cv_call *call, cv_err *err);
void cv_prompt_close(cv_prompt_door *door);

/* A file in the folder of the mail root. */
cv_where cv_mail_file(const cv_call *call, const char *path);

typedef struct {
    bool taken_away; /* the staged text was shown, and is not there any more */
    bool foreign;    /* a text is there that nobody staged */
} cv_prompt_shown;

/* Makes the files say what the record says; `current` is the prompt that has the slot, or NULL. */
bool cv_prompt_show(cv_prompt_door *door, const cv_mail_prompt *current, cv_prompt_shown *ret, cv_err *err);

/* An answer that lies there, taken under a private name: *ret_name; NULL: there is none, or it is still being written.
 * One that cannot be read goes to the quarantine, and is an error. */
bool cv_prompt_take_answer(cv_prompt_door *door, const char **ret_name, cv_str *ret_text, cv_str *ret_notes,
                           cv_err *err);

/* The answer is in the record: its file goes to the archive. */
bool cv_prompt_archive_answer(cv_prompt_door *door, const char *name, cv_str request_id, cv_err *err);

#endif
