/* log.h - lines on stderr for the person who runs the program; never data. */
#ifndef CV_BASE_LOG_H
#define CV_BASE_LOG_H

#include <stdbool.h>

typedef enum { CV_LOG_ERROR, CV_LOG_WARN, CV_LOG_INFO, CV_LOG_DEBUG } cv_log_level;

/* One whole line "conclave: warning: …", written with a single call so that lines of several processes do not mix. */
typedef struct {
    cv_log_level most; /* the chattiest level that is printed */
} cv_log;

void cv_log_line(const cv_log *log, cv_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
