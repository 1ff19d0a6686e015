/* take.h - taking in what others have put into the folders.
 *
 *     outbox/note.json    whole?   .taking/7-UNIQUE~o~note.json   sent with op_id 7-UNIQUE   archive/note.json
 *
 * A file is taken by renaming it, durably, to a name that nobody else has. That name is the op_id of what is done with
 * it: a process that is killed leaves the file where the next one finds it, and what was done is not done again. A file
 * that another process has open for writing waits; so does one that cannot be read as it is, or only with repairs,
 * until nobody has changed it for two seconds.
 *
 * Files of one folder are done in the order in which they were finished. One that was taken and could not be done,
 * since the record had no time for it, holds up those behind it: the number says which was taken first.
 */
#ifndef CV_MAIL_FILES_TAKE_H
#define CV_MAIL_FILES_TAKE_H

#include "mail/files/door.h"
#include "mail/text/message.h"

/* Is it whole: closed, and either JSON as it is or not changed for a while? If not, *ret_why says why it waits. */
typedef enum {
    CV_DOOR_WHOLE,
    CV_DOOR_OPEN,       /* a program has it open for writing */
    CV_DOOR_REPAIRABLE, /* it can be read with repairs */
    CV_DOOR_UNREADABLE  /* it will be refused, if it stays as it is */
} cv_door_state;
cv_door_state cv_door_look(cv_mail_door *door, cv_where file, cv_str *ret_why);

/* Is there a file? Anything else, like a link or a pipe, goes to the agent's quarantine. */
bool cv_door_check_file(cv_mail_door *door, const cv_door_agent *agent, cv_where file, const char *name,
                        bool *ret_is_file, cv_err *err);

/* The place of a file says what it is: a message for others, a message for this agent, an edited mailbox. */
typedef enum { CV_DOOR_FROM_OUTBOX = 'o', CV_DOOR_FROM_INBOX = 'i', CV_DOOR_FROM_MAILBOX = 'm' } cv_door_kind;

/* Takes the file and does what it asks for, after all that were taken before it. *ret_waits: one of this kind could not
 * be done yet; none behind it may be. */
bool cv_door_take(cv_mail_door *door, cv_door_agent *agent, cv_door_kind kind, cv_where file, const char *name,
                  bool *ret_waits, cv_err *err);

/* Runs an operation of this room in nobody's name. False: it was refused, or could not be done: *ret_again says which,
 * reply->errs why. */
bool cv_door_call(cv_mail_door *door, const char *verb, cv_str input, cv_json *ret_answer, bool *ret_again,
                  cv_str *ret_why);

/* What was moved between the folders of an agent: claimed, done, failed (moved.c). */
bool cv_door_take_moves(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, cv_err *err);

/* States that were written by hand, general ones and those of these folders in runtime/ (states.c). */
bool cv_door_states_take(cv_mail_door *door, const cv_door_list *agents, cv_err *err);

/* Outcomes that were appended to completed_tasks.json (reported.c). */
bool cv_door_reports_take(cv_mail_door *door, cv_err *err);

/* Finishes a message that the agent has in its mailbox, by its id (moved.c). op_id absent: it needs none. */
bool cv_door_finish(cv_mail_door *door, const cv_door_agent *agent, const cv_mail_delivery *d, bool failed,
                    cv_str output, cv_str op_id, bool *ret_again, cv_str *ret_why);

/* What a hand has added to a message: "output" or "error_details", an object; a text becomes one. Absent: nothing. */
cv_str cv_door_added(cv_arena *a, const cv_mtext *text, bool failed);

#endif
