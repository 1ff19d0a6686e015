/* lint_placeholders.c - what a scaffold left behind and nobody replaced.
 *
 *     [Awaiting response]     a whole line, list item or table cell, anywhere outside of fences
 *     TBD                     only where a scaffold puts it: all that an agent says, or a cell of a known table
 */
#include "base/utf8.h"
#include "dialogue/lint/linter.h"

/* Inside the brackets, in lower case; a star stands for any text. */
static const cv_str bracketed[] = {
    CV_STR_INIT("awaiting *"),
    CV_STR_INIT("topic"),
    CV_STR_INIT("outcome"),
    CV_STR_INIT("key insight from this dialogue"),
    CV_STR_INIT("* to be added"),
    CV_STR_INIT("* to be written"),
    CV_STR_INIT("* to be determined"),
    CV_STR_INIT("to be *"),
    CV_STR_INIT("insert *"),
    CV_STR_INIT("fill in *"),
    CV_STR_INIT("* goes here"),
    CV_STR_INIT("placeholder"),
    CV_STR_INIT("tbd"),
    CV_STR_INIT("tba"),
    CV_STR_INIT("todo"),
    CV_STR_INIT("..."),
};

static const cv_str bare[] = {CV_STR_INIT("tbd"),         CV_STR_INIT("tba"),
                              CV_STR_INIT("todo"),        CV_STR_INIT("..."),
                              CV_STR_INIT("…"),           CV_STR_INIT("to be determined"),
                              CV_STR_INIT("to be added"), CV_STR_INIT("to be written"),
                              CV_STR_INIT("placeholder")};

static bool ends_nocase(cv_str s, cv_str suffix)
{
    return s.n >= suffix.n && cv_str_eq_nocase(cv_str_from(s, s.n - suffix.n), suffix);
}

static bool fits(cv_str s, cv_str pattern)
{
    if (pattern.p[0] == '*')
        return ends_nocase(s, cv_str_from(pattern, 1));
    if (pattern.p[pattern.n - 1] == '*')
        return cv_str_starts_nocase(s, cv_str_head(pattern, pattern.n - 1));
    return cv_str_eq_nocase(s, pattern);
}

static bool is_bracketed(cv_str s)
{
    if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return false;
    cv_str inside = cv_str_trim((cv_str){s.p + 1, s.n - 2});
    if (cv_str_find_char(inside, ']') != SIZE_MAX)
        return false;
    for (size_t i = 0; i < CV_COUNT(bracketed); i++)
        if (fits(inside, bracketed[i]))
            return true;
    return false;
}

static bool is_bare(cv_str s)
{
    while (s.n > 0 && s.p[s.n - 1] == '.' && !cv_str_ends(s, CV_STR("...")))
        s.n--;
    for (size_t i = 0; i < CV_COUNT(bare); i++)
        if (cv_str_eq_nocase(s, bare[i]))
            return true;
    return false;
}

static void report(cv_linter *l, cv_str where)
{
    CV_LINT(l, where, CV_RULE_PLACEHOLDER, "'%.*s' was never replaced", CV_FMT(cv_excerpt(l->a, where)))->hint =
        CV_STR("write what belongs there, or remove the part");
}

/* Bullets, numbers, quotation marks and emphasis around a line's text. */
static cv_str line_core(cv_str s)
{
    for (bool again = true; again;) {
        again = s.n > 1 && strchr("-+>#", s.p[0]) && (cv_is_blank(s.p[1]) || s.p[1] == '#');
        if (again)
            s = cv_str_trim_left(cv_str_from(s, 1));
    }
    while (s.n > 2 && (s.p[0] == '*' || s.p[0] == '_')) /* bold, italic, or the bullet * */
        s = cv_str_trim_left(cv_str_from(s, 1));
    while (s.n > 0 && (s.p[s.n - 1] == '*' || s.p[s.n - 1] == '_'))
        s.n--;
    return cv_str_trim(s);
}

static void check_row(cv_linter *l, const cv_line *line, size_t *walk)
{
    const cv_section *section = cv_section_at(l->doc, (size_t)(line->text.p - l->doc->text.p), walk);
    bool known = section && section->kind <= CV_SECTION_TENSIONS;
    cv_str rest = cv_row_inside(line->trimmed), cell;
    while (cv_cell_next(&rest, &cell)) {
        cv_str core = cv_cell_plain(cell);
        if (is_bracketed(core) || (known && is_bare(core)))
            report(l, core);
    }
}

static void check_lines(cv_linter *l)
{
    const cv_sections *sections = &l->doc->sections;
    size_t walk = SIZE_MAX, head = sections->count ? (size_t)(sections->items[0].heading.p - l->doc->text.p) : SIZE_MAX;
    cv_lines lines = {.text = l->doc->text, .agents = &l->doc->agents};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        if (line.kind == CV_LINE_TABLE_ROW) {
            check_row(l, &line, &walk);
        } else if (line.kind == CV_LINE_METADATA && (size_t)(line.text.p - l->doc->text.p) < head) {
            if (is_bracketed(line.value) || is_bare(line.value))
                report(l, line.value);
        } else if (line.brackets && !line.fenced) {
            cv_str core = line_core(line.trimmed);
            if (is_bracketed(core))
                report(l, core);
        }
    }
}

bool cv_is_placeholder(cv_str text)
{
    cv_str core = line_core(cv_str_trim(text));
    return cv_str_find_char(core, '\n') == SIZE_MAX && (is_bracketed(core) || is_bare(core));
}

/* All that the agent says is one word that stands for nothing. */
static void check_agent(cv_linter *l, const cv_agent *agent)
{
    cv_str text = l->doc->text;
    const cv_block *only = agent->content.count == 1 ? &agent->content.items[0] : NULL;
    if (!only || only->kind != CV_BLOCK_TEXT)
        return;
    cv_str core = line_core(cv_str_trim(only->text));
    if (core.n == 0 || !is_bare(core))
        return;
    bool inside = (uintptr_t)core.p >= (uintptr_t)text.p && (uintptr_t)core.p < (uintptr_t)cv_str_end(text);
    report(l, inside ? core : agent->heading); /* texts with carriage returns are copies */
}

void cv_lint_placeholders(cv_linter *l)
{
    check_lines(l);
    for (size_t i = 0; i < l->doc->sections.count; i++)
        for (size_t k = 0; k < l->doc->sections.items[i].agents.count; k++)
            check_agent(l, &l->doc->sections.items[i].agents.items[k]);
}
