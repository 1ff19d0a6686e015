/* lint_print.c - findings as text and JSON; see lint_print.h. */
#include "door/lint_print.h"

#include "base/utf8.h"

enum {
    WIDTH = 120,        /* columns of a source line that are shown */
    LEAD = 40,          /* of them before the place, when the line is cut */
    WINDOW = 8 * WIDTH, /* bytes on each side that are looked at */
};

/* ---- small things ----------------------------------------------------------------------------------------------- */

static const char *paint(bool colour, const char *code)
{
    return colour ? code : "";
}

static const char *const bold = "\033[1m", *const reset = "\033[0m", *const green = "\033[1;32m";
static const char *const severity_colours[3] = {"\033[1;36m", "\033[1;33m", "\033[1;31m"};

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* One code point as it is shown: tabs and control characters become one column. */
static size_t shown(cv_buf *out, cv_str point, uint32_t code)
{
    char stand_in = code == '\t' ? ' ' : '?';
    if (is_control(code))
        point = (cv_str){&stand_in, 1};
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

void cv_print_clean(cv_buf *out, cv_str s)
{
    cv_str point;
    for (uint32_t code; next_point(&s, &point, &code);)
        shown(out, point, code);
}

void cv_print_count(cv_buf *out, size_t count, const char *noun)
{
    cv_buf_printf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

/* ---- the place -------------------------------------------------------------------------------------------------- */

static size_t width_of(cv_str s)
{
    size_t width = 0;
    cv_str point;
    for (uint32_t code; next_point(&s, &point, &code);)
        width += shown(NULL, point, code);
    return width;
}

/* The longest beginning of `s` that takes at most `columns`. */
static cv_str fit(cv_str s, size_t columns)
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

/* `s` without its first `columns` columns. */
static cv_str drop(cv_str s, size_t columns)
{
    return cv_str_from(s, fit(s, columns).n);
}

/* The line at `start`, or as much of it on each side as can be shown: lines may be megabytes long. */
static cv_str line_around(cv_str text, size_t start, bool *ret_begins)
{
    const char *at = text.p + start, *from = at;
    while (from > text.p && from[-1] != '\n' && at - from < WINDOW)
        from--;
    *ret_begins = from == text.p || from[-1] == '\n';
    while (!*ret_begins && from < at && cv_utf8_continues(*from))
        from++;
    cv_str rest = cv_str_from(text, start);
    rest = cv_str_head(rest, cv_str_find_char(cv_str_head(rest, WINDOW), '\n'));
    rest = cv_utf8_head(rest, WINDOW);
    cv_str line = cv_str_range(from, cv_str_end(rest));
    return cv_str_ends(line, CV_STR("\r")) && rest.n > 0 ? cv_str_head(line, line.n - 1) : line;
}

static cv_str marked(cv_str text, const cv_finding *f)
{
    cv_str where = cv_str_range(text.p + f->start, text.p + f->end);
    return cv_str_head(where, cv_str_find_char(where, '\n'));
}

size_t cv_finding_width(cv_str text, const cv_finding *f)
{
    return cv_utf8_count(marked(text, f));
}

void cv_print_place(cv_buf *out, bool colour, cv_str text, const cv_finding *f)
{
    bool begins;
    cv_str line = line_around(text, f->start, &begins), before = cv_str_range(line.p, text.p + f->start);
    size_t lead = width_of(before), span = width_of(cv_str_head(marked(text, f), WINDOW));
    bool cut_left = lead > LEAD && (!begins || width_of(line) > WIDTH);
    if (cut_left) {
        line = drop(line, lead - LEAD);
        lead = width_of(cv_str_range(line.p, text.p + f->start)) + 1; /* the ellipsis */
    }
    bool cut_right = width_of(line) > WIDTH;
    line = fit(line, WIDTH);
    cv_buf_printf(out, "%5zu | %s", f->line, cut_left ? "…" : "");
    cv_print_clean(out, line);
    cv_buf_printf(out, "%s\n      | %s", cut_right ? "…" : "", paint(colour, green));
    for (size_t i = 0; i < lead; i++)
        cv_buf_add_char(out, ' ');
    cv_buf_add_char(out, '^');
    for (size_t i = 1; i < span && lead + i < WIDTH + 1; i++)
        cv_buf_add_char(out, '~');
    cv_buf_printf(out, "%s\n", paint(colour, reset));
}

void cv_print_finding(cv_buf *out, bool colour, const char *file, cv_str text, const cv_finding *f)
{
    const cv_rule_row *rule = &cv_rules[f->rule];
    cv_buf_add_z(out, paint(colour, bold));
    cv_print_clean(out, cv_str_of(file));
    cv_buf_printf(out, ":%zu:%zu:%s %s%.*s:%s ", f->line, f->column, paint(colour, reset),
                  paint(colour, severity_colours[rule->severity]), CV_FMT(cv_severity_words[rule->severity]),
                  paint(colour, reset));
    cv_print_clean(out, f->message);
    cv_buf_printf(out, " [%.*s]\n", CV_FMT(rule->word));
    if (text.n > 0)
        cv_print_place(out, colour, text, f);
    if (f->hint.n > 0) {
        cv_buf_add_z(out, "  hint: ");
        cv_print_clean(out, f->hint);
        cv_buf_add_char(out, '\n');
    }
}

void cv_print_finding_json(cv_str text, const cv_finding *f, cv_json_writer *w)
{
    const cv_rule_row *rule = &cv_rules[f->rule];
    cv_json_begin_object(w);
    cv_json_key_str(w, "rule", rule->word);
    cv_json_key_str(w, "severity", cv_severity_words[rule->severity]);
    cv_json_key_int(w, "line", (int64_t)f->line);
    cv_json_key_int(w, "column", (int64_t)f->column);
    cv_json_key_int(w, "end_column", (int64_t)(f->column + cv_finding_width(text, f)));
    cv_json_key_str(w, "message", f->message);
    cv_json_key_str_if(w, "hint", f->hint);
    cv_json_key_bool(w, "fixable", cv_finding_fixable(f));
    cv_json_end_object(w);
}
