/* spelling.h - statuses, priorities and times as people and programs spell them.
 *
 *     "in_progress", "WORKING", "claimed"       -> RUNNING
 *     "CRITICAL", "urgent", 1                   -> 1
 *     "2025-04-23T21:07:59.8024209+00:00Z"      -> milliseconds, and that it was not RFC 3339
 */
#ifndef CV_MAIL_TEXT_SPELLING_H
#define CV_MAIL_TEXT_SPELLING_H

#include "base/str.h"

typedef enum {
#define TASK_STATUS(id, word) CV_MTEXT_TASK_##id,
#include "mail/text/spellings.def"
    CV_MTEXT_TASK_STATUS_COUNT
} cv_mtext_task_status;
extern const cv_words cv_mtext_task_statuses;

/* The status that this word means, or -1. *ret_exact: it is written as the specification writes it. A known word with
 * more behind it ("in_progress_since_monday") counts as that word. */
int cv_mtext_status_of(cv_str found, bool *ret_exact);

/* A priority in digits or as a word: 0 when it is neither. */
int cv_mtext_priority_of(cv_str found, bool *ret_exact);

/* A time in any form that was seen: RFC 3339; with an offset and a Z; without a zone (then it is UTC); with a blank for
 * the T; with any number of digits behind the point; 20250423T210759Z. *ret_exact: it is RFC 3339. */
bool cv_mtext_time_of(cv_str found, int64_t *ret_ms, bool *ret_exact);

#endif
