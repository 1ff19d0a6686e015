/* plain.c - text as it may be shown; see plain.h. */
#include "base/plain.h"

#include <errno.h>

#include "base/utf8.h"

bool cv_plain_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* One code point as it is shown. */
static size_t shown(cv_buf *out, cv_str point, uint32_t code)
{
    char stand_in = code == '\t' ? ' ' : '?';
    if (cv_plain_is_control(code))
        point = (cv_str){&stand_in, 1};
    else if (cv_utf8_first(point) == 0)
        point = CV_STR("\xEF\xBF\xBD");
    if (out)
        cv_buf_add(out, point);
    return cv_utf8_width(point);
}

static bool next_point(cv_str *rest, cv_str *ret_point, uint32_t *ret_code)
{
    const char *from = rest->p;
    if (!cv_utf8_next(rest, ret_code))
        return false;
    *ret_point = cv_str_range(from, rest->p);
    return true;
}

void cv_plain_add(cv_buf *out, cv_str s)
{
    cv_str point;
    for (uint32_t code; next_point(&s, &point, &code);)
        shown(out, point, code);
}

/* ---- in pieces --------------------------------------------------------------------------------------------------- */

/* How many bytes `s` ends with that begin a character and do not end it. */
static size_t unfinished(cv_str s)
{
    for (size_t back = 1; back <= 3 && back <= s.n; back++) {
        unsigned char c = (unsigned char)s.p[s.n - back];
        if (cv_utf8_continues((char)c))
            continue;
        return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : c >= 0xc2 ? 2u : 1u) > back ? back : 0;
    }
    return 0;
}

static void add_harmless(cv_buf *out, cv_str s, bool json)
{
    const char *from = s.p; /* what is harmless since then goes out in one piece */
    cv_str point;
    for (uint32_t code; next_point(&s, &point, &code);) {
        bool control = cv_plain_is_control(code) && code != '\n' && (code != '\t' || json);
        if (!control && cv_utf8_first(point) > 0)
            continue;
        cv_buf_add(out, cv_str_range(from, point.p));
        if (control && json)
            cv_buf_printf(out, "\\u%04x", (unsigned)code);
        else
            shown(out, point, code);
        from = s.p;
    }
    cv_buf_add(out, cv_str_range(from, s.p));
}

bool cv_plain_sink(void *ctx, cv_str bytes)
{
    cv_plain_flow *flow = ctx;
    cv_buf out = {.sink = flow->sink, .sink_to = flow->to};
    if (flow->held_count > 0) {
        for (; bytes.n > 0 && flow->held_count < 4 && cv_utf8_continues(bytes.p[0]); bytes = cv_str_from(bytes, 1))
            flow->held[flow->held_count++] = bytes.p[0];
        cv_str held = {flow->held, flow->held_count};
        if (bytes.n == 0 && unfinished(held) == held.n)
            return true;
        add_harmless(&out, held, flow->json);
        flow->held_count = 0;
    }
    size_t rest = unfinished(bytes);
    add_harmless(&out, cv_str_head(bytes, bytes.n - rest), flow->json);
    if (rest > 0)
        memcpy(flow->held, bytes.p + bytes.n - rest, rest);
    flow->held_count = rest;
    bool ok = cv_buf_flush(&out);
    cv_buf_release(&out);
    if (!ok)
        errno = out.error;
    return ok;
}

/* ---- in columns -------------------------------------------------------------------------------------------------- */

size_t cv_plain_width(cv_str s)
{
    size_t width = 0;
    cv_str point;
    for (uint32_t code; next_point(&s, &point, &code);)
        width += shown(NULL, point, code);
    return width;
}

cv_str cv_plain_fit(cv_str s, size_t columns)
{
    size_t width = 0;
    cv_str rest = s, point;
    for (uint32_t code; next_point(&rest, &point, &code);) {
        width += shown(NULL, point, code);
        if (width > columns)
            return cv_str_range(s.p, point.p);
    }
    return s;
}

static bool is_unspaced(cv_str text, size_t at)
{
    cv_str rest = cv_str_from(text, at), point;
    uint32_t code;
    return next_point(&rest, &point, &code) && cv_utf8_is_unspaced(code) && cv_utf8_width(point) > 0;
}

bool cv_plain_may_break(cv_str text, size_t at)
{
    if (at >= text.n || cv_utf8_continues(text.p[at]))
        return false;
    if (text.p[at] == ' ' || (at > 0 && is_unspaced(text, at)))
        return true;
    if (at == 0 || !(cv_is_alpha(text.p[at]) || cv_is_digit(text.p[at])))
        return false; /* a mark stays with what it follows */
    do
        at--;
    while (at > 0 && cv_utf8_continues(text.p[at]));
    return is_unspaced(text, at);
}

/* The next piece of `rest` that takes at most `columns`, without the blanks at its end; at least a word. */
static cv_str take_line(cv_str *rest, size_t columns)
{
    size_t end = cv_plain_fit(*rest, columns).n, from = rest->n - cv_str_trim_left(*rest).n;
    while (end < rest->n && end > from && !cv_plain_may_break(*rest, end))
        end--;
    if (end <= from)
        for (end = from + 1; end < rest->n && !cv_plain_may_break(*rest, end);)
            end++;
    cv_str line = cv_str_trim_right(cv_str_head(*rest, end));
    *rest = cv_str_trim_left(cv_str_from(*rest, end));
    return line;
}

void cv_plain_wrap(cv_buf *out, cv_str text, size_t width, size_t at, size_t hang)
{
    for (size_t column = at; text.n > 0; column = hang) {
        cv_plain_add(out, take_line(&text, width > column ? width - column : 1));
        if (text.n == 0)
            return;
        cv_buf_add_char(out, '\n');
        for (size_t i = 0; i < hang; i++)
            cv_buf_add_char(out, ' ');
    }
}
