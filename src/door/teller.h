/* teller.h - how far a long command is, on one line of the terminal.
 *
 *     12 of 112: nvidia-decision
 *
 * Nothing is shown of what takes no time, and the line is gone before the answer comes: files and pipes never see it.
 */
#ifndef CV_DOOR_TELLER_H
#define CV_DOOR_TELLER_H

#include "base/buf.h"

typedef struct {
    size_t width;              /* columns of the terminal; 0: there is none */
    int64_t began_ms, last_ms; /* by a clock that nobody sets; last: of what is shown */
    bool shown;
} cv_teller;

/* For standard error: `width` is 0 when it is no terminal that can take a line back. */
void cv_teller_begin(cv_teller *teller);
void cv_teller_end(cv_teller *teller);

/* For cv_follower: shows it. Always true. */
bool cv_teller_tell(void *teller, size_t done, size_t total, cv_str what);

/* The bytes that show it now; none: it is too soon. */
void cv_teller_draw(cv_teller *teller, int64_t now_ms, size_t done, size_t total, cv_str what, cv_buf *out);

#endif
