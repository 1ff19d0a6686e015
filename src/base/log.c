/* log.c - lines on stderr; see log.h. */
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const words[] = {"error", "warning", "info", "debug"};
_Static_assert(sizeof words / sizeof words[0] == CV_LOG_DEBUG + 1, "a word per level");

enum { LINE = PIPE_BUF }; /* the most that one write() to a pipe puts there in one piece */

/* A message may quote file names and other people's text: no control character reaches the terminal. */
static void tame(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = ' ';
}

void cv_log_line(const cv_log *log, cv_log_level level, const char *format, ...)
{
    static const char cut[] = " [cut]";
    if (level > log->most)
        return;
    char line[LINE + 1]; /* one more: snprintf's terminator, which is not written */
    size_t n = (size_t)snprintf(line, sizeof line, "conclave: %s: ", words[level]);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(line + n, LINE - n, format, args);
    va_end(args);
    if (more < 0)
        return;
    if ((size_t)more < LINE - n) {
        n += (size_t)more;
    } else {
        n = LINE - 1;
        memcpy(line + n - (sizeof cut - 1), cut, sizeof cut - 1);
    }
    tame(line, n);
    line[n++] = '\n';
    while (write(STDERR_FILENO, line, n) < 0 && errno == EINTR)
        continue;
}
