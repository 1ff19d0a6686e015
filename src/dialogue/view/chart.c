/* chart.c - numbers and names as lines of text; see chart.h. */
#include "dialogue/view/chart.h"

#include "base/plain.h"
#include "base/utf8.h"
#include "dialogue/text/mark.h"
#include "dialogue/types.h"

enum {
    DIGITS = 24, /* of an int64_t, with sign and terminator */
    BYTES = 16,  /* that are looked at per column: more than any character with its accents has */
    LEVELS = 8,
};

static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
_Static_assert(CV_COUNT(levels) == LEVELS, "a block per level");

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void pad(cv_chart *c, size_t columns)
{
    while (columns-- > 0)
        cv_buf_add_char(&c->out, ' ');
}

/* Columns of a page for a terminal of so many, 0: there is none. Wider lines than CV_CHART_MOST are not read well; in
 * fewer than CV_CHART_LEAST there is no table. */
static size_t columns_for(size_t terminal)
{
    size_t columns = terminal ? terminal : CV_CHART_WIDTH;
    return columns < CV_CHART_LEAST ? CV_CHART_LEAST : columns > CV_CHART_MOST ? CV_CHART_MOST : columns;
}

cv_chart cv_chart_for(const cv_call *call)
{
    return (cv_chart){.arena = call->arena,
                      .width = columns_for(call->width),
                      .lines = call->width < CV_CHART_LEAST ? call->width : 0,
                      .painted = call->painted};
}

void cv_chart_paint(cv_chart *c, const char *paint)
{
    cv_buf_add_z(&c->out, c->painted ? paint : "");
}

void cv_chart_head(cv_chart *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_chart_paint(c, CV_PAINT_BOLD);
    cv_buf_add(&c->out, cv_arena_vprintf(c->arena, format, args));
    cv_chart_paint(c, CV_PAINT_END);
    cv_chart_line(c);
    va_end(args);
}

void cv_chart_status(cv_chart *c, cv_str status, size_t columns)
{
    cv_chart_paint(c, CV_PAINT_STATUS);
    cv_chart_cell(c, status, columns, CV_CHART_LEFT);
    cv_chart_paint(c, CV_PAINT_END);
}

/* The text on one line in at most `columns`; *ret_width is what it takes. */
static cv_str fitted(cv_chart *c, cv_str text, size_t columns, size_t *ret_width)
{
    cv_str head = cv_utf8_head(text, (columns + 1) * BYTES), line = cv_squeeze(c->arena, head);
    size_t width = cv_plain_width(line);
    if (width > columns || head.n < text.n) {
        line = cv_arena_join(c->arena, cv_plain_fit(line, columns > 0 ? columns - 1 : 0), CV_STR("…"));
        width = cv_plain_width(line);
    }
    *ret_width = width;
    return line;
}

void cv_chart_cell(cv_chart *c, cv_str text, size_t columns, cv_chart_side side)
{
    size_t width;
    cv_str line = fitted(c, text, columns, &width);
    if (side == CV_CHART_RIGHT)
        pad(c, columns - width);
    cv_plain_add(&c->out, line);
    if (side == CV_CHART_LEFT)
        pad(c, columns - width);
}

void cv_chart_text(cv_chart *c, cv_str text, size_t columns)
{
    size_t width;
    cv_plain_add(&c->out, fitted(c, text, columns, &width));
}

/* Never cut: a part of a number is another number. */
static void add_number(cv_chart *c, const char *format, int64_t value, size_t columns)
{
    cv_str text = value == CV_ABSENT ? CV_STR("—") : cv_arena_printf(c->arena, format, (long long)value);
    size_t width = cv_plain_width(text);
    pad(c, width < columns ? columns - width : 0);
    cv_buf_add(&c->out, text);
}

void cv_chart_int(cv_chart *c, int64_t value, size_t columns)
{
    add_number(c, "%lld", value, columns);
}

void cv_chart_signed(cv_chart *c, int64_t value, size_t columns)
{
    add_number(c, "%+lld", value, columns);
}

size_t cv_chart_width(const cv_chart *c)
{
    return c->width ? c->width : CV_CHART_WIDTH;
}

size_t cv_chart_line_width(const cv_chart *c)
{
    return c->lines ? c->lines : cv_chart_width(c);
}

void cv_chart_prose(cv_chart *c, const char *before, cv_str text)
{
    size_t indent = cv_plain_width(cv_str_of(before));
    bool any = false;
    cv_str line;
    cv_buf_add_z(&c->out, before);
    while (cv_str_split(&text, '\n', &line)) {
        cv_str squeezed = cv_squeeze(c->arena, line);
        if (squeezed.n == 0)
            continue;
        pad(c, any ? indent : 0);
        cv_plain_wrap(&c->out, squeezed, cv_chart_line_width(c), indent, indent);
        cv_chart_line(c);
        any = true;
    }
    if (!any)
        cv_chart_line(c);
}

void cv_chart_names(cv_chart *c, const char *before, const cv_str *names, size_t count)
{
    size_t indent = cv_plain_width(cv_str_of(before)), at = indent;
    cv_buf_add_z(&c->out, before);
    for (size_t i = 0; i < count; i++) {
        size_t width = cv_plain_width(names[i]) + 2;
        if (at > indent && at + width > cv_chart_line_width(c)) {
            cv_chart_line(c);
            pad(c, at = indent);
        }
        cv_buf_add_char(&c->out, ' ');
        cv_plain_add(&c->out, names[i]);
        cv_buf_add_z(&c->out, i + 1 < count ? "," : "");
        at += width;
    }
    cv_chart_line(c);
}

void cv_chart_say(cv_chart *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_buf_add(&c->out, cv_arena_vprintf(c->arena, format, args));
    va_end(args);
}

void cv_chart_line(cv_chart *c)
{
    while (c->out.n > 0 && c->out.p[c->out.n - 1] == ' ')
        c->out.n--;
    cv_buf_add_char(&c->out, '\n');
}

cv_str cv_chart_take(cv_chart *c)
{
    return cv_buf_take(&c->out, c->arena);
}

/* ---- sparklines -------------------------------------------------------------------------------------------------- */

/* The mean of those that are there, CV_ABSENT when none is. */
static int64_t mean(const int64_t *values, size_t count)
{
    double sum = 0;
    size_t there = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] != CV_ABSENT) {
            sum += (double)values[i];
            there++;
        }
    return there ? (int64_t)(sum / (double)there) : CV_ABSENT;
}

/* False: there are none. */
static bool range(const int64_t *values, size_t count, int64_t *ret_low, int64_t *ret_high)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (values[i] == CV_ABSENT)
            continue;
        *ret_low = !any || values[i] < *ret_low ? values[i] : *ret_low;
        *ret_high = !any || values[i] > *ret_high ? values[i] : *ret_high;
        any = true;
    }
    return any;
}

void cv_chart_measure(cv_chart_scale *scale, const int64_t *values, size_t count)
{
    int64_t low, high;
    if (!range(values, count, &low, &high))
        return;
    scale->low = low < scale->low ? low : scale->low;
    scale->high = high > scale->high ? high : scale->high;
}

static const char *level_of(int64_t value, cv_chart_scale scale)
{
    if (value == CV_ABSENT)
        return "·";
    if (scale.low == scale.high)
        return levels[0];
    double height = ((double)value - (double)scale.low) / ((double)scale.high - (double)scale.low);
    return levels[(int)(height * (LEVELS - 1) + 0.5)];
}

void cv_chart_spark(cv_chart *c, cv_chart_scale scale, const int64_t *values, size_t count, size_t columns)
{
    size_t shown = count < columns ? count : columns;
    int64_t *heights = CV_NEW_ARRAY(c->arena, shown, int64_t);
    for (size_t i = 0; i < shown; i++) {
        size_t from = i * count / shown, to = (i + 1) * count / shown;
        heights[i] = mean(values + from, to - from);
    }
    for (size_t i = 0; i < shown; i++)
        cv_buf_add_z(&c->out, level_of(heights[i], scale));
}

void cv_chart_trend(cv_chart *c, const char *name, size_t name_columns, const int64_t *values, size_t count)
{
    int64_t low, high;
    cv_chart_scale scale = {0};
    if (!range(values, count, &low, &high))
        return;
    cv_chart_measure(&scale, values, count);
    cv_chart_cell(c, cv_str_of(name), name_columns, CV_CHART_LEFT);
    cv_chart_spark(c, scale, values, count, cv_chart_width(c) - name_columns - DIGITS);
    if (low == high)
        cv_chart_say(c, "  %lld", (long long)low);
    else
        cv_chart_say(c, "  %lld to %lld", (long long)low, (long long)high);
    cv_chart_line(c);
}
