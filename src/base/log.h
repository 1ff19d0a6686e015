/* log.h - lines on stderr for the person who runs the program; never data. */
#ifndef CV_BASE_LOG_H
#define CV_BASE_LOG_H

/* One whole line "conclave: …", written with a single call so that lines of several threads and processes do not mix.
 * It may quote anything: no control character reaches the terminal. Allocates nothing. */
void cv_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
