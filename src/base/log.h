/* log.h - lines on stderr for the person who runs the program; never data. */
#ifndef CV_BASE_LOG_H
#define CV_BASE_LOG_H

#include "base/str.h"

/* One whole line "conclave: …", written with a single call so that lines of several threads and processes do not mix.
 * It may quote anything: no control character reaches the terminal. Allocates nothing. */
void cv_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a line that programs read: one JSON value without line breaks, and nothing before it. */
void cv_log_json(cv_str value);

#endif
