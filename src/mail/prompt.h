/* prompt.h - the prompt slot: one prompt at a time is staged for a model, read, answered and fetched.
 *
 *     stage    a text takes the slot; while another has it, it is refused, or waits in the queue
 *     take     the process that runs the model gets the text: one reader, once
 *     answer   what the model said, under the request id of its prompt
 *     fetch    the answer, once; a command in it goes to its target; the slot is free, the next prompt is staged
 *
 * A reader without the program reads temp/cursor_input.txt and writes temp/cursor_output.json (prompt_files.h).
 */
#ifndef CV_MAIL_PROMPT_H
#define CV_MAIL_PROMPT_H

#include "mail/prompt_files.h"
#include "mail/writing.h"

/* Members of an answer that may have written nothing. */
#define CV_PROMPT_WRITTEN                                                                                              \
    CV_LATER(IF_ANY, "rev", INT, 1, "of the post office after this write"),                                            \
        CV_LATER(IF_ANY, "replayed", BOOL, CV_NO_LIMIT, "the same request was done before: its answer again"),         \
        CV_LATER(IF_ANY, "dry_run", BOOL, CV_NO_LIMIT, "nothing was written; rev is the present one")

/* The prompt that has the slot, the first in the queue, the one with this id; *ret_found false: none. */
bool cv_prompt_current(cv_record *record, cv_arena *a, cv_mail_prompt *ret, bool *ret_found, cv_err *err);
bool cv_prompt_get(cv_record *record, cv_arena *a, cv_str request_id, cv_mail_prompt *ret, bool *ret_found,
                   cv_err *err);

/* The prompt whose answer came in this file. */
bool cv_prompt_of_file(cv_record *record, cv_arena *a, const char *name, cv_mail_prompt *ret, bool *ret_found,
                       cv_err *err);

/* Brings the files to what the record says. `ret_current` is the prompt that has the slot, or request_id is absent. */
bool cv_prompt_settle(cv_prompt_door *door, cv_mail_prompt *ret_current, cv_prompt_shown *ret_shown, cv_err *err);

/* The same after a write whose answer is there already: what could not be done becomes a warning of it. */
void cv_prompt_settle_after(cv_prompt_door *door, cv_notices *warnings);

/* Changes the state of a prompt, in this write, with an event. The row is that of the write. */
cv_mail_prompt *cv_prompt_put(cv_mail_writing *o, const cv_mail_prompt *prompt, const char *state);

/* A new prompt: staged if `free`, else the last of the queue. */
cv_mail_prompt *cv_prompt_add(cv_mail_writing *o, cv_str request_id, cv_str text, const char *state);

/* The slot is free: the first of the queue is staged. */
bool cv_prompt_advance(cv_mail_writing *o);

#endif
