/* log.c - lines on stderr; see log.h. */
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/utf8.h"

enum { LINE = PIPE_BUF }; /* the most that one write() to a pipe puts there in one piece */

/* In place: what steers a terminal, and what is not UTF-8. */
static void tame(char *text, size_t n)
{
    cv_str rest = {text, n};
    uint32_t code;
    for (size_t at = 0; at < n; at = n - rest.n) {
        bool valid = cv_utf8_first(rest) > 0;
        if (!cv_utf8_next(&rest, &code))
            return;
        if (!valid || cv_plain_is_control(code))
            memset(text + at, code < 0x20 ? ' ' : '?', n - rest.n - at);
    }
}

/* There is room for one more byte. */
static void write_line(char *line, size_t n)
{
    tame(line, n);
    line[n++] = '\n';
    while (write(STDERR_FILENO, line, n) < 0 && errno == EINTR)
        continue;
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
    write_line(line, n);
}

void cv_log_json(cv_str value)
{
    char line[LINE];
    assert(value.n < LINE && "a line that is cut is not JSON");
    memcpy(line, value.p, value.n);
    write_line(line, value.n);
}
