/* live.c - what a command reports while it is under way; see live.h. */
#include "door/live.h"

#include <stdio.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/plain.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "door/cli_parts.h"

enum { BEAT_MS = 100, LEAST_ROWS = 4, HANG = 2 };

static void show(cv_buf *bytes)
{
    if (bytes->n > 0 && write(STDERR_FILENO, bytes->p, bytes->n) < 0)
        bytes->n = 0; /* who cannot be shown it does without */
    cv_buf_release(bytes);
}

/* Rows of a terminal that these lines take: it wraps those that are too wide since it was made narrower. */
static size_t rows_of(cv_str lines, size_t width)
{
    size_t rows = 0;
    for (cv_str line; lines.n > 0 && cv_str_split(&lines, '\n', &line);) {
        size_t columns = cv_plain_width(line);
        rows += columns > width ? (columns + width - 1) / width : 1;
    }
    return rows;
}

/* Takes back what was drawn: goes to its first row, and clears that and everything below it. */
static void take_back(cv_live *live, cv_buf *out)
{
    size_t rows = rows_of(cv_buf_str(&live->drawn), live->line.width);
    if (rows)
        cv_buf_printf(out, "\r\033[%zuA", rows);
    cv_buf_add_z(out, "\033[J");
    cv_buf_clear(&live->drawn);
}

/* A window may have another size now than at the last look. */
static void look_at_width(cv_live *live)
{
    if (live->line.width > 0)
        live->line.width = cv_terminal_width(STDERR_FILENO);
}

static void add_line(cv_buf *out, cv_str line, size_t width)
{
    cv_buf text = {0};
    cv_plain_add(&text, line);
    cv_buf_add(out, cv_plain_fit(cv_buf_str(&text), width - 1));
    cv_buf_add_char(out, '\n');
    cv_buf_release(&text);
}

/* Only what is on the screen can be drawn again: of more lines the first, and how many follow. */
static void draw(void *ctx, const cv_str *lines, size_t count, bool stays)
{
    cv_live *live = ctx;
    cv_buf out = {0};
    int64_t now = cv_monotonic_ms();
    if (live->line.width == 0 || live->cli->json || (!stays && live->drawn.n && now - live->drawn_ms < BEAT_MS))
        return;
    size_t rows = cv_terminal_height(STDERR_FILENO), most = stays || rows < LEAST_ROWS ? count : rows - 2;
    size_t shown = count > most ? most : count;
    look_at_width(live);
    take_back(live, &out);
    for (size_t i = 0; i < shown; i++)
        add_line(&live->drawn, lines[i], live->line.width);
    if (shown < count)
        cv_buf_printf(&live->drawn, "  … and %zu more\n", count - shown);
    cv_buf_add(&out, cv_buf_str(&live->drawn));
    if (stays)
        cv_buf_clear(&live->drawn);
    live->drawn_ms = now;
    show(&out);
}

static void wipe(cv_live *live)
{
    cv_buf out = {0};
    look_at_width(live);
    if (live->drawn.n)
        take_back(live, &out);
    show(&out);
}

static void print_event(void *ctx, cv_str json, cv_str line, bool drawn)
{
    cv_live *live = ctx;
    if (live->cli->json) {
        cv_buf out = cv_cli_stdout_json(live->cli);
        cv_buf_add(&out, json);
        cv_buf_add_char(&out, '\n');
        cv_cli_flush(&out);
        return;
    }
    if ((drawn && live->line.width > 0) || line.n == 0)
        return;
    wipe(live);
    cv_buf out = {0};
    for (cv_str rest = line, part; cv_str_split(&rest, '\n', &part);) {
        if (live->line.width > 0)
            cv_plain_wrap(&out, part, live->line.width, 0, HANG);
        else
            cv_plain_add(&out, part);
        cv_buf_add_char(&out, '\n');
    }
    show(&out);
}

static bool tell(void *ctx, size_t done, size_t total, cv_str what)
{
    cv_live *live = ctx;
    if (live->catches)
        return !cv_signals_came();
    return cv_progress_line_show(&live->line, done, total, what);
}

cv_follower cv_live_begin(cv_live *live, cv_cli *cli, unsigned flags)
{
    *live = (cv_live){.cli = cli, .catches = flags & CV_OP_STARTS};
    cv_progress_line_begin(&live->line);
    if (!live->catches)
        return (cv_follower){tell, live, NULL, NULL};
    cv_signals_note();
    return (cv_follower){tell, live, print_event, draw};
}

void cv_live_end(cv_live *live)
{
    cv_progress_line_end(&live->line);
    wipe(live);
    cv_buf_release(&live->drawn);
}
