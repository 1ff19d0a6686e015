/* notice.h - what is done all the same, but should be known: the warnings of an answer.
 *
 *     "warnings": [{"type": "unsourced", "expert": "donut", "ids": ["DONUT-P0001"], "message": "…"}]
 */
#ifndef CV_DIALOGUE_NOTICE_H
#define CV_DIALOGUE_NOTICE_H

#include "base/json.h"
#include "dialogue/state.h"

typedef struct {
    cv_str type; /* "unsourced" */
    cv_str message;
    cv_str expert, id, field; /* may be empty */
    cv_str ids;               /* a JSON list, or empty */
    int64_t round;            /* CV_ABSENT: not about one */
} cv_notice;
typedef CV_STATE_LIST(cv_notice) cv_notices;

cv_notice *cv_notice_add(cv_notices *warnings, cv_arena *a, cv_str type, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cv_notices_print(const cv_notices *warnings, cv_json_writer *w); /* a list */

#endif
