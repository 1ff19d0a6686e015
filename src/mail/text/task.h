/* task.h - one task of a list, whatever its fields are called.
 *
 *     {"id": "t2", "assigned_to": "Agent-3", "status": "in_progress", "priority": "HIGH", "dependencies": "t1", …}
 *       -> task_id "t2", target_agent "Agent-3", RUNNING, 2, ["t1"], and the rest as it was written
 *
 * schemas/published/task_list.schema.json is the form that is written.
 */
#ifndef CV_MAIL_TEXT_TASK_H
#define CV_MAIL_TEXT_TASK_H

#include "mail/text/message.h"
#include "mail/text/spelling.h"

typedef struct {
    cv_str task_id, action, target_agent, parent; /* absent: not there */
    cv_str params;                                /* JSON as it was written */
    int status;                                   /* cv_mtext_task_status; -1: a word that nobody knows */
    cv_str status_found;                          /* as it was written */
    int priority;                                 /* 1 is the most urgent; 0: none, -1: a word that nobody knows */
    cv_words depends_on;
    const cv_str *called;      /* each field, as it was written */
    cv_mtext_members extra;    /* what belongs to no field */
    cv_mtext_members unread;   /* … of it: what has the name of a field that cannot hold the value */
    cv_mtext_members contrary; /* … what says something else than the name of the same field that counts */
} cv_mtext_task;

/* Reads one of them, in a value of this strict text. Other names and spellings are noted. False: it is not an object.
 */
bool cv_mtext_task_read(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_notes *notes, cv_mtext_task *ret,
                        cv_err *err);

/* A field of the specification, also with an index ("depends_on[0]"), under the name that it has there. */
cv_str cv_mtext_task_called(cv_arena *a, const cv_mtext_task *task, cv_str field);

/* The name of the same field that counts. */
cv_str cv_mtext_task_beside(const cv_mtext_task *task, cv_str name);

/* What the field of this name, or of another name for it, can hold. */
const char *cv_mtext_task_wanted(cv_str name);

/* Writes it with the names and words of the specification, then the rest. */
void cv_mtext_task_print(cv_buf *out, const cv_mtext_task *task);

#endif
