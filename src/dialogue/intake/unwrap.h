/* unwrap.h - an answer that a client passed as JSON, and the text in it.
 *
 *     {"type": "result", "result": "[MUFFIN-P0101: Cheap]\nIt is.", "session_id": "4711"}
 *
 *     [MUFFIN-P0101: Cheap]
 *     It is.
 *
 * One value, alone or in a code fence, or one value on each line. The text is every string with more than one word, in
 * order and once; what a user, a system or a tool says is not the answer's. Without a mark in it the JSON is the answer
 * itself. Places in the text lead back to places in the JSON. Pure, and linear.
 */
#ifndef CV_DIALOGUE_INTAKE_UNWRAP_H
#define CV_DIALOGUE_INTAKE_UNWRAP_H

#include "dialogue/intake/spelling.h"

/* From here on the text is the JSON, byte for byte, up to the next one. */
typedef struct {
    size_t at, source;
} cv_unwrapped_run;

typedef struct {
    cv_str source, text;
    CV_STATE_LIST(cv_unwrapped_run) runs;
    CV_STATE_LIST(size_t) lines; /* of the source, for each line of the text */
} cv_unwrapped;

typedef enum {
    CV_UNWRAP_NOTHING, /* the source is the answer */
    CV_UNWRAP_TEXT,
    CV_UNWRAP_BROKEN /* it begins like JSON, and cannot be parsed */
} cv_unwrap_result;

cv_unwrap_result cv_unwrap(const cv_speaker *who, cv_str source, cv_unwrapped *ret);

size_t cv_unwrapped_place(const cv_unwrapped *u, size_t at);
size_t cv_unwrapped_line(const cv_unwrapped *u, size_t line);

#endif
