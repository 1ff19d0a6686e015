/* progress_line.c - how far a long command is; see progress_line.h. */
#include "door/progress_line.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/plain.h"
#include "base/terminal.h"

enum { PATIENCE_MS = 500, BEAT_MS = 100 };

#define WIPE "\r\033[K"

static void show(cv_str bytes)
{
    if (bytes.n > 0 && write(STDERR_FILENO, bytes.p, bytes.n) < 0)
        return; /* who cannot be shown it does without */
}

void cv_progress_line_begin(cv_progress_line *line)
{
    const char *term = getenv("TERM");
    *line = (cv_progress_line){.began_ms = cv_monotonic_ms()};
    if (term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO)) /* whatever COLUMNS says */
        line->width = cv_terminal_width(STDERR_FILENO);
}

void cv_progress_line_draw(cv_progress_line *line, int64_t now, size_t done, size_t total, cv_str what, cv_buf *out)
{
    bool soon = now - line->began_ms < PATIENCE_MS || (line->shown && now - line->last_ms < BEAT_MS);
    if (line->width == 0 || soon)
        return;
    cv_buf text = {0};
    cv_buf_printf(&text, "%zu of %zu: ", done, total);
    cv_plain_add(&text, what);
    cv_buf_add_z(out, WIPE);
    cv_buf_add(out, cv_plain_fit(cv_buf_str(&text), line->width - 1));
    cv_buf_release(&text);
    line->last_ms = now;
    line->shown = true;
}

bool cv_progress_line_show(void *line, size_t done, size_t total, cv_str what)
{
    cv_buf out = {0};
    cv_progress_line_draw(line, cv_monotonic_ms(), done, total, what, &out);
    show(cv_buf_str(&out));
    cv_buf_release(&out);
    return true;
}

void cv_progress_line_end(cv_progress_line *line)
{
    if (line->shown)
        show(CV_STR(WIPE));
    line->shown = false;
}
