/* findings.c - what was found wrong in a text; see findings.h. */
#include "kit/findings.h"

#include <assert.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/plain.h"
#include "base/utf8.h"

enum {
    WIDTH = 120,        /* columns of a source line that are shown */
    LEAST = 24,         /* … on the narrowest terminal */
    MARGIN = 8,         /* columns before such a line, and before what goes on in another line */
    WINDOW = 8 * WIDTH, /* bytes on each side that are looked at */
};

const cv_str cv_severity_words[] = {CV_STR_INIT("note"), CV_STR_INIT("warning"), CV_STR_INIT("error")};
_Static_assert(CV_COUNT(cv_severity_words) == CV_SEVERITY_COUNT, "a word per severity");

cv_finding *cv_finding_add(cv_findings *list, cv_arena *a, cv_str text, cv_str where, unsigned rule, const char *format,
                           ...)
{
    if (!list || list->count >= (list->ceiling ? list->ceiling : CV_MAX_FINDINGS)) {
        if (list)
            list->dropped++;
        return CV_NEW(a, cv_finding);
    }
    assert(where.p >= text.p && where.n <= text.n && where.p + where.n <= text.p + text.n);
    va_list args;
    va_start(args, format);
    cv_finding *f = CV_PUSH(a, list);
    *f = (cv_finding){.rule = rule,
                      .start = (size_t)(where.p - text.p),
                      .end = (size_t)(where.p - text.p) + where.n,
                      .message = cv_arena_vprintf(a, format, args)};
    va_end(args);
    return f;
}

static int by_place(const void *x, const void *y)
{
    const cv_finding *a = x, *b = y;
    int order = CV_ORDER(a->start, b->start);
    return order ? order : CV_ORDER(a->rule, b->rule);
}

void cv_findings_place(cv_findings *list, cv_str text)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_place);
    size_t line = 1, at = 0, column = 1;
    for (size_t i = 0; i < list->count; i++) {
        cv_finding *f = &list->items[i];
        assert(f->start <= f->end && f->end <= text.n);
        for (const char *nl; at < f->start && (nl = memchr(text.p + at, '\n', f->start - at));) {
            line++;
            at = (size_t)(nl - text.p) + 1;
            column = 1;
        }
        column += cv_utf8_count((cv_str){text.p + at, f->start - at});
        at = f->start;
        f->line = line;
        f->column = column;
    }
}

bool cv_finding_fixable(const cv_finding *f)
{
    return f->has_fix || f->fixed_at_once;
}

/* ---- for people and programs --------------------------------------------------------------------------------------
 */

static const char *paint(bool colour, const char *code)
{
    return colour ? code : "";
}

static const char *const bold = "\033[1m", *const reset = "\033[0m", *const green = "\033[1;32m";
static const char *const severity_colours[] = {"\033[1;36m", "\033[1;33m", "\033[1;31m"};
_Static_assert(CV_COUNT(severity_colours) == CV_SEVERITY_COUNT, "a colour per severity");

/* `s` without its first `columns` columns. */
static cv_str drop(cv_str s, size_t columns)
{
    return cv_str_from(s, cv_plain_fit(s, columns).n);
}

/* The line at `start`, or as much of it on each side as can be shown: lines may be megabytes long. */
static cv_str line_around(cv_str text, size_t start, bool *ret_begins)
{
    assert(start <= text.n);
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

/* Columns of a source line that fit beside the margin and two ellipses. */
static size_t shown_width(size_t terminal)
{
    size_t fits = terminal > MARGIN + 2 + LEAST ? terminal - MARGIN - 2 : LEAST;
    return terminal && fits < WIDTH ? fits : WIDTH;
}

void cv_finding_print_place(cv_buf *out, bool colour, size_t terminal, cv_str text, const cv_finding *f)
{
    const size_t width = shown_width(terminal), most_lead = width / 3;
    bool begins;
    cv_str line = line_around(text, f->start, &begins), before = cv_str_range(line.p, text.p + f->start);
    size_t lead = cv_plain_width(before), span = cv_plain_width(cv_str_head(marked(text, f), WINDOW));
    bool cut_left = lead > most_lead && (!begins || cv_plain_width(line) > width);
    if (cut_left) {
        line = drop(line, lead - most_lead);
        lead = cv_plain_width(cv_str_range(line.p, text.p + f->start)) + 1; /* the ellipsis */
    }
    bool cut_right = cv_plain_width(line) > width;
    line = cv_plain_fit(line, width);
    cv_buf_printf(out, "%5zu | %s", f->line, cut_left ? "…" : "");
    cv_plain_add(out, line);
    cv_buf_printf(out, "%s\n      | %s", cut_right ? "…" : "", paint(colour, green));
    for (size_t i = 0; i < lead; i++)
        cv_buf_add_char(out, ' ');
    cv_buf_add_char(out, '^');
    for (size_t i = 1; i < span && lead + i < width + 1; i++)
        cv_buf_add_char(out, '~');
    cv_buf_printf(out, "%s\n", paint(colour, reset));
}

void cv_finding_print_text(cv_buf *out, cv_str text, size_t terminal, size_t at)
{
    if (terminal)
        cv_plain_wrap(out, text, terminal, at, MARGIN);
    else
        cv_plain_add(out, text);
    cv_buf_add_char(out, '\n');
}

void cv_finding_print(const cv_rule_row *rules, cv_buf *out, bool colour, size_t terminal, const char *file,
                      cv_str text, const cv_finding *f)
{
    const cv_rule_row *rule = &rules[f->rule];
    const cv_str severity = cv_severity_words[rule->severity];
    cv_buf place = {0}, said = {0};
    cv_plain_add(&place, cv_str_of(file));
    cv_buf_printf(&place, ":%zu:%zu:", f->line, f->column);
    cv_plain_add(&said, f->message);
    cv_buf_printf(&said, " [%.*s]", CV_FMT(rule->word));
    cv_buf_printf(out, "%s%.*s%s %s%.*s:%s ", paint(colour, bold), CV_FMT(cv_buf_str(&place)), paint(colour, reset),
                  paint(colour, severity_colours[rule->severity]), CV_FMT(severity), paint(colour, reset));
    cv_finding_print_text(out, cv_buf_str(&said), terminal, cv_plain_width(cv_buf_str(&place)) + severity.n + 3);
    cv_buf_release(&place);
    cv_buf_release(&said);
    if (text.n > 0)
        cv_finding_print_place(out, colour, terminal, text, f);
    if (f->hint.n > 0) {
        cv_buf_add_z(out, "  hint: ");
        cv_finding_print_text(out, f->hint, terminal, MARGIN);
    }
}

void cv_finding_print_json(const cv_rule_row *rules, cv_str text, const cv_finding *f, cv_json_writer *w)
{
    const cv_rule_row *rule = &rules[f->rule];
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
