/* log.h - the governance log: what matters, one line each, only ever added to.
 *
 *     {"event_id":"event-0000000042","timestamp":"…","event_type":"POLICY_CHANGED","agent_source":"…","details":{…},
 *      "prev":"SHA-256 of the line before"}
 *
 * Lines are rows of the record, numbered and chained under its lock; governance_memory.jsonl shows them. The file is
 * appended to and nothing else: the next writer adds what is missing, and completes a line that a killed writer left in
 * the middle.
 */
#ifndef CV_MAIL_LOG_H
#define CV_MAIL_LOG_H

#include "mail/prompt_types.h"
#include "mail/writing.h"

/* Adds to the file what it lacks. */
bool cv_mail_log_show(cv_call *call, cv_err *err);

/* What is significant is logged by itself: plans, outcomes of tasks, dead letters, and what was requeued. It is noted
 * while a write is made, and added to the log at its end, in the same write. A detail without a value is left out. */
typedef struct {
    const char *key;
    cv_str value;
} cv_mail_detail;
void cv_mail_significant_add(cv_mail_writing *o, const char *event_type, cv_str source, const cv_mail_detail *details,
                             size_t count);
bool cv_mail_log_significant(cv_mail_writing *o);

#endif
