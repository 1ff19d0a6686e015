/* stream.c - an answer that comes in pieces; see stream.h. */
#include "run/stream.h"

static void dispatch(cv_stream *s, cv_stream_visit visit, void *ctx)
{
    if (s->has_data)
        visit(ctx, cv_buf_str(&s->name), cv_buf_str(&s->data));
    s->has_data = false;
    cv_buf_clear(&s->data);
    cv_buf_clear(&s->name);
}

/* "data: {…}", "event: ping", ": a comment", "retry: 3000", or nothing, which ends an event. */
static void take_field(cv_stream *s, cv_str line)
{
    size_t colon = cv_str_find_char(line, ':');
    cv_str name = cv_str_head(line, colon), value = colon == SIZE_MAX ? CV_STR("") : cv_str_from(line, colon + 1);
    if (cv_str_starts(value, CV_STR(" ")))
        value = cv_str_from(value, 1);
    if (cv_str_eq(name, CV_STR("event"))) {
        cv_buf_clear(&s->name);
        cv_buf_add(&s->name, cv_str_head(value, 64));
    } else if (cv_str_eq(name, CV_STR("data"))) {
        if (s->has_data)
            cv_buf_add_char(&s->data, '\n');
        cv_buf_add(&s->data, value);
        s->has_data = true;
    }
}

static void take_line(cv_stream *s, cv_stream_visit visit, void *ctx)
{
    static const cv_str bom = CV_STR_INIT("\xEF\xBB\xBF");
    cv_str line = cv_buf_str(&s->line);
    if (!s->begun && cv_str_starts(line, bom))
        line = cv_str_from(line, bom.n);
    s->begun = true;
    if (!s->lines && line.n > 0)
        take_field(s, line);
    else if (!s->lines)
        dispatch(s, visit, ctx);
    else if (cv_str_trim(line).n > 0)
        visit(ctx, CV_STR(""), line);
    cv_buf_clear(&s->line);
}

static size_t line_end(cv_str bytes)
{
    size_t lf = cv_str_find_char(bytes, '\n'), end = lf == SIZE_MAX ? bytes.n : lf;
    size_t cr = cv_str_find_char(cv_str_head(bytes, end), '\r');
    return cr == SIZE_MAX ? end : cr;
}

bool cv_stream_add(cv_stream *s, cv_str bytes, cv_stream_visit visit, void *ctx)
{
    s->line.ceiling = s->data.ceiling = CV_STREAM_EVENT;
    while (bytes.n > 0) {
        if (s->after_cr && bytes.p[0] == '\n')
            bytes = cv_str_from(bytes, 1);
        s->after_cr = false;
        size_t end = line_end(bytes);
        cv_buf_add(&s->line, cv_str_head(bytes, end));
        if (!cv_buf_ok(&s->line) || !cv_buf_ok(&s->data))
            return false;
        if (end == bytes.n)
            return true;
        s->after_cr = bytes.p[end] == '\r';
        bytes = cv_str_from(bytes, end + 1);
        take_line(s, visit, ctx);
    }
    return true;
}

void cv_stream_end(cv_stream *s, cv_stream_visit visit, void *ctx)
{
    if (s->line.n > 0)
        take_line(s, visit, ctx);
    if (!s->lines)
        dispatch(s, visit, ctx);
}

void cv_stream_release(cv_stream *s)
{
    cv_buf_release(&s->line);
    cv_buf_release(&s->data);
    cv_buf_release(&s->name);
}
