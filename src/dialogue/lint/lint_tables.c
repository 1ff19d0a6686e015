/* lint_tables.c - the tables and marks of a document, gathered for the rules; see linter.h. */
#include "base/utf8.h"
#include "dialogue/lint/linter.h"

const cv_section *cv_section_at(const cv_doc *doc, size_t at, size_t *walk)
{
    const cv_sections *s = &doc->sections;
    while (*walk + 1 < s->count && (size_t)(s->items[*walk + 1].heading.p - doc->text.p) <= at)
        ++*walk; /* SIZE_MAX + 1 is the first */
    return *walk == SIZE_MAX ? NULL : &s->items[*walk];
}

static void add_row(cv_arena *a, cv_lint_table *table, cv_str line)
{
    cv_lint_row *row = CV_PUSH(a, table);
    row->where = line;
    row->cells = cv_row_cells(a, line, &row->count);
}

cv_lint_tables cv_lint_read_tables(cv_arena *a, const cv_doc *doc)
{
    cv_lint_tables tables = {0};
    cv_lint_table *open = NULL;
    size_t walk = SIZE_MAX;
    cv_lines lines = {.text = doc->text, .agents = &doc->agents};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        if (line.kind != CV_LINE_TABLE_ROW) {
            open = NULL;
            continue;
        }
        if (!open) {
            const cv_section *section = cv_section_at(doc, (size_t)(line.text.p - doc->text.p), &walk);
            open = CV_PUSH(a, &tables);
            *open = (cv_lint_table){.section = section};
        }
        if (open->count != 1 || !cv_row_is_separator(line.trimmed))
            add_row(a, open, line.trimmed);
    }
    return tables;
}

/* ---- marks ------------------------------------------------------------------------------------------------------ */

static void gather(cv_arena *a, const cv_blocks *blocks, cv_str agent, int round, cv_lint_marks *marks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const cv_block *b = &blocks->items[i];
        if (b->kind == CV_BLOCK_MARK)
            *CV_PUSH(a, marks) = (cv_lint_mark){b->mark, agent, round, true};
        for (size_t k = 0; k < b->inline_marks.count; k++)
            *CV_PUSH(a, marks) = (cv_lint_mark){&b->inline_marks.items[k], agent, round, false};
    }
}

cv_lint_marks cv_lint_read_marks(cv_arena *a, const cv_doc *doc)
{
    static const cv_str nobody = CV_STR_INIT("");
    cv_lint_marks marks = {0};
    gather(a, &doc->intro, nobody, -1, &marks);
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *s = &doc->sections.items[i];
        int round = s->kind == CV_SECTION_ROUND ? s->round : -1;
        gather(a, &s->content, nobody, round, &marks);
        for (size_t k = 0; k < s->agents.count; k++)
            gather(a, &s->agents.items[k].content, cv_lint_agent(a, s->agents.items[k].name), round, &marks);
    }
    return marks;
}

cv_str cv_lint_agent(cv_arena *a, cv_str name)
{
    enum { MOST = 64 };
    cv_str key = cv_agent_key(a, name);
    if (key.n <= MOST)
        return key;
    return cv_arena_printf(a, "%.*s %016llx", CV_FMT(cv_str_head(key, MOST)), (unsigned long long)cv_str_hash(key));
}

cv_str cv_mark_where(const cv_linter *l, const cv_mark *m)
{
    return cv_str_range(l->doc->text.p + m->start, l->doc->text.p + m->end);
}

cv_str cv_lint_key(cv_arena *a, cv_str agent, cv_str id)
{
    char *p = cv_arena_alloc(a, agent.n + 1 + id.n);
    memcpy(p, agent.p, agent.n);
    p[agent.n] = ' ';
    memcpy(p + agent.n + 1, id.p, id.n);
    return (cv_str){p, agent.n + 1 + id.n};
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static bool is_dressing(uint32_t code)
{
    return code == '*' || code == '_' || code == '`' || code == '~' || code == ' ' || code == '\t' ||
           cv_utf8_is_emoji(code);
}

cv_str cv_cell_plain(cv_str cell)
{
    uint32_t code;
    for (cv_str rest = cell; cv_utf8_next(&rest, &code) && is_dressing(code);)
        cell = rest;
    while (cell.n > 0) {
        size_t n = 1; /* bytes of the last code point */
        while (n < cell.n && cv_utf8_continues(cell.p[cell.n - n]))
            n++;
        cv_str last = cv_str_from(cell, cell.n - n);
        if (!cv_utf8_next(&last, &code) || !is_dressing(code))
            break;
        cell.n -= n;
    }
    return cell;
}

cv_str cv_row_cell(const cv_lint_row *row, int column)
{
    return column >= 0 && (size_t)column < row->count ? row->cells[column] : (cv_str){cv_str_end(row->where), 0};
}

int cv_lint_column(const cv_lint_table *table, const cv_str *names, size_t count)
{
    const cv_lint_row *header = &table->items[0];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < header->count; k++)
            if (cv_str_eq_nocase(cv_cell_plain(header->cells[k]), names[i]))
                return (int)k;
    return -1;
}
