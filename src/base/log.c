/* log.c - lines on stderr; see log.h. */
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = PIPE_BUF }; /* the most that one write() to a pipe puts there in one piece */

static void tame(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = ' ';
}

void cv_log_line(const char *format, ...)
{
    static const char begin[] = "conclave: ", cut[] = " [cut]";
    char line[LINE + 1]; /* one more: vsnprintf's terminator, which is not written */
    size_t n = sizeof begin - 1;
    memcpy(line, begin, n);
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
