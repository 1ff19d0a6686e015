/* show.h - the parts of what is written from the record: messages, outcomes, mailboxes, tasks. */
#ifndef CV_MAIL_FILES_SHOW_H
#define CV_MAIL_FILES_SHOW_H

#include "mail/files/door.h"
#include "mail/text/message.h"

/* What is remembered with the position of the files in the feed (kit/projection.h). */
typedef struct {
    int64_t completed; /* bytes of completed_tasks.json */
    cv_words late;     /* mailboxes whose file is behind */
    bool tasks_late;   /* task_list.json is */
    int64_t rev;       /* of the post office: so far the files show it; 0: that is not known */
    int64_t expired;   /* what has expired up to this time is not in an inbox any more */
} cv_door_kept;

/* ---- messages (show.c) ------------------------------------------------------------------------------------------- */

/* The message of a row as it is written for this recipient; CV_MTEXT_LOOSE: in its own writing. */
bool cv_door_print(cv_mail_door *door, const cv_mail_message *row, cv_str recipient, cv_mtext_writing writing,
                   int indent, cv_str *ret_text, cv_err *err);

/* The mailbox of an agent; the one that was read last while commits were shown is as it was in their moment. */
bool cv_door_mailbox_get(cv_mail_door *door, cv_str agent, cv_mail_mailbox *ret, bool *ret_found, cv_err *err);

/* A link, or something else that does not belong there, in the place of a folder or a file: it is reported, and does
 * not hold up others. When the place is free again, what is missing there is found. False: it is another error. */
bool cv_door_pass_over_place(cv_err *err);

/* Messages that have expired leave the inboxes and the views of these agents, in runtime/: an agent that only has files
 * must not take them for instructions that count. A look says only whether there are some. */
bool cv_door_expire(cv_mail_door *door, const cv_door_list *agents, cv_err *err);

/* Is a file of an outbox the view of a message that was sent, as it was written? Then it is not to be sent. */
bool cv_door_is_sent(cv_mail_door *door, const cv_door_agent *agent, const char *name);

/* Folders of agents that are not among these: somebody has removed them, so they and their inboxes are made again. */
bool cv_door_restore(cv_mail_door *door, const cv_door_list *folders, cv_err *err);

/* Are all files of an agent there that should be? What is missing is written again. */
bool cv_door_refill(cv_mail_door *door, cv_door_agent *agent, bool all, cv_err *err);

/* ---- completed_tasks.json (completed.c) -------------------------------------------------------------------------- */

/* One outcome of one delivery, as an event tells it. */
typedef struct {
    cv_str mailbox, state, at;
    int64_t seq;
} cv_door_outcome;

typedef struct {
    cv_door_outcome *items;
    size_t count, capacity;
} cv_door_outcomes;

/* The bytes behind the position; a file that somebody has written again counts from its beginning. */
bool cv_door_read_tail(cv_mail_door *door, cv_where where, int64_t *from, cv_str *ret_tail, cv_err *err);

/* Adds a line for each outcome that the file does not have behind `*completed`, nor as a line that was taken in. The
 * position moves on up to the first line that was not. */
bool cv_door_complete(cv_mail_door *door, const cv_door_outcomes *outcomes, int64_t *completed, cv_err *err);

/* The position moves on by so many bytes, if nothing else came behind it; what others have appended is read from there.
 * The mark says that nobody has since. */
void cv_door_complete_to(cv_mail_door *door, size_t added, int64_t *completed);

/* Up to where the lines of completed_tasks.json are known. False: that is not known (show.c). */
bool cv_door_completed_at(cv_mail_door *door, int64_t *ret_at);

/* ---- mailbox_N.json (mailbox.c) ---------------------------------------------------------------------------------- */

/* Writes the view of a mailbox. What somebody else has written there at this moment is taken in. *ret_late: it has many
 * rows, and was written a moment ago: it is to be written later. */
bool cv_door_mailbox_write(cv_mail_door *door, cv_str mailbox, bool *ret_late, cv_err *err);

/* A slot was claimed or released: the file of one that nobody has says so; *ret_mailbox: whose view is to be written.
 */
bool cv_door_slot_show(cv_mail_door *door, int64_t slot, cv_str *ret_mailbox, cv_err *err);

/* Takes in what others have written into mailbox_N.json. */
bool cv_door_mailboxes_take(cv_mail_door *door, cv_err *err);

/* ---- the registry (registry.c) ----------------------------------------------------------------------------------- */

/* Puts what was registered since into the governance log. */
bool cv_door_registry_log(cv_mail_door *door, cv_err *err);

/* ---- task_list.json (task_list.c) -------------------------------------------------------------------------------- */

/* Writes the tasks of all plans; without any there is no file. *ret_late: as of a mailbox. */
bool cv_door_task_list_write(cv_mail_door *door, bool *ret_late, cv_err *err);

#endif
