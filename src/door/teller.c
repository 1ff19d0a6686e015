/* teller.c - how far a long command is; see teller.h. */
#include "door/teller.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/steady.h"
#include "door/terminal.h"

enum { PATIENCE_MS = 500, BEAT_MS = 100 };

#define WIPE "\r\033[K"

static void show(cv_str bytes)
{
    if (bytes.n > 0 && write(STDERR_FILENO, bytes.p, bytes.n) < 0)
        return; /* who cannot be shown it does without */
}

void cv_teller_begin(cv_teller *teller)
{
    const char *term = getenv("TERM");
    *teller = (cv_teller){.began_ms = cv_steady_ms()};
    if (term && strcmp(term, "dumb") != 0)
        teller->width = cv_terminal_width(STDERR_FILENO);
}

void cv_teller_draw(cv_teller *teller, int64_t now, size_t done, size_t total, cv_str what, cv_buf *out)
{
    bool soon = now - teller->began_ms < PATIENCE_MS || (teller->shown && now - teller->last_ms < BEAT_MS);
    if (teller->width == 0 || soon)
        return;
    cv_buf line = {0};
    cv_buf_printf(&line, "%zu of %zu: ", done, total);
    cv_plain_add(&line, what);
    cv_buf_add_z(out, WIPE);
    cv_buf_add(out, cv_plain_fit(cv_buf_str(&line), teller->width - 1));
    cv_buf_release(&line);
    teller->last_ms = now;
    teller->shown = true;
}

bool cv_teller_tell(void *teller, size_t done, size_t total, cv_str what)
{
    cv_buf out = {0};
    cv_teller_draw(teller, cv_steady_ms(), done, total, what, &out);
    show(cv_buf_str(&out));
    cv_buf_release(&out);
    return true;
}

void cv_teller_end(cv_teller *teller)
{
    if (teller->shown)
        show(CV_STR(WIPE));
    teller->shown = false;
}
