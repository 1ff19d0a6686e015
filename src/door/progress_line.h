/* progress_line.h - how far a long command is, on one line of the terminal.
 *
 *     12 of 112: nvidia-decision
 *
 * Nothing is shown of what takes no time, and the line is gone before the answer comes: files and pipes never see it.
 */
#ifndef CV_DOOR_PROGRESS_LINE_H
#define CV_DOOR_PROGRESS_LINE_H

#include "base/buf.h"

typedef struct {
    size_t width;              /* columns of the terminal; 0: there is none */
    int64_t began_ms, last_ms; /* by a clock that nobody sets; last: of what is shown */
    bool shown;
} cv_progress_line;

/* For standard error: `width` is 0 when it is not a terminal that can take a line back. */
void cv_progress_line_begin(cv_progress_line *line);
void cv_progress_line_end(cv_progress_line *line);

/* For cv_follower: shows it. Always true. */
bool cv_progress_line_show(void *line, size_t done, size_t total, cv_str what);

/* The bytes that show it now; none: it is too soon. */
void cv_progress_line_draw(cv_progress_line *line, int64_t now_ms, size_t done, size_t total, cv_str what, cv_buf *out);

#endif
