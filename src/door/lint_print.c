/* lint_print.c - findings as text and JSON; see lint_print.h. */
#include "door/lint_print.h"

#include "base/plain.h"
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

void cv_print_count(cv_buf *out, size_t count, const char *noun)
{
    cv_buf_printf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

/* ---- the place -------------------------------------------------------------------------------------------------- */

/* `s` without its first `columns` columns. */
static cv_str drop(cv_str s, size_t columns)
{
    return cv_str_from(s, cv_plain_fit(s, columns).n);
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
    size_t lead = cv_plain_width(before), span = cv_plain_width(cv_str_head(marked(text, f), WINDOW));
    bool cut_left = lead > LEAD && (!begins || cv_plain_width(line) > WIDTH);
    if (cut_left) {
        line = drop(line, lead - LEAD);
        lead = cv_plain_width(cv_str_range(line.p, text.p + f->start)) + 1; /* the ellipsis */
    }
    bool cut_right = cv_plain_width(line) > WIDTH;
    line = cv_plain_fit(line, WIDTH);
    cv_buf_printf(out, "%5zu | %s", f->line, cut_left ? "…" : "");
    cv_plain_add(out, line);
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
    cv_plain_add(out, cv_str_of(file));
    cv_buf_printf(out, ":%zu:%zu:%s %s%.*s:%s ", f->line, f->column, paint(colour, reset),
                  paint(colour, severity_colours[rule->severity]), CV_FMT(cv_severity_words[rule->severity]),
                  paint(colour, reset));
    cv_plain_add(out, f->message);
    cv_buf_printf(out, " [%.*s]\n", CV_FMT(rule->word));
    if (text.n > 0)
        cv_print_place(out, colour, text, f);
    if (f->hint.n > 0) {
        cv_buf_add_z(out, "  hint: ");
        cv_plain_add(out, f->hint);
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
