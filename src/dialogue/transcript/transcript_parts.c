/* transcript_parts.c - the pieces that a document is put together from; see parts.h. */
#include "dialogue/transcript/parts.h"

static const cv_str dash = CV_STR_INIT("—");

/* ---- tables ----------------------------------------------------------------------------------------------------- */

cv_part_table cv_part_table_begin(cv_arena *a)
{
    return (cv_part_table){.a = a, .table = CV_NEW(a, cv_table)};
}

void cv_part_cell(cv_part_table *t, cv_str text)
{
    cv_str line = cv_line_quote(t->a, cv_squeeze(t->a, text));
    *CV_PUSH(t->a, &t->cells) = line.n ? line : dash;
}

void cv_part_number(cv_part_table *t, int64_t number)
{
    cv_part_cell(t, number == CV_ABSENT ? dash : cv_arena_printf(t->a, "%lld", (long long)number));
}

void cv_part_cells(cv_part_table *t, const char *names)
{
    cv_str rest = cv_str_of(names), name;
    while (cv_str_split(&rest, '|', &name))
        cv_part_cell(t, name);
}

void cv_part_row(cv_part_table *t)
{
    cv_str *cells = cv_arena_dup(t->a, t->cells.items, t->cells.count * sizeof *cells);
    *CV_PUSH(t->a, t->table) = (cv_row){.cells = cells, .count = t->cells.count};
    t->cells.count = 0;
}

void cv_part_add_table(cv_part_table *t, cv_blocks *into)
{
    *CV_PUSH(t->a, into) = (cv_block){.kind = CV_BLOCK_TABLE, .table = t->table};
}

void cv_part_add_table_text(cv_part_table *t, cv_blocks *into)
{
    cv_buf text = {0};
    cv_table_render(t->table, &text);
    cv_part_add_own(t->a, into, cv_buf_take(&text, t->a));
}

/* ---- texts and marks -------------------------------------------------------------------------------------------- */

cv_str cv_part_text(cv_arena *a, cv_str text)
{
    return text.n ? cv_text_quote(a, cv_fence_closed(a, cv_text_tidy(a, text))) : text;
}

void cv_part_add_own(cv_arena *a, cv_blocks *into, cv_str text)
{
    text = cv_text_tidy(a, text);
    if (text.n > 0)
        *CV_PUSH(a, into) = (cv_block){.kind = CV_BLOCK_TEXT, .text = text};
}

void cv_part_add_text(cv_arena *a, cv_blocks *into, cv_str text)
{
    cv_part_add_own(a, into, cv_part_text(a, text));
}

cv_mark *cv_part_add_mark(cv_arena *a, cv_blocks *into, cv_mark_type type, int sub)
{
    cv_mark *mark = CV_NEW(a, cv_mark);
    *mark = (cv_mark){.type = type, .style = CV_STYLE_CLASSIC, .sub = sub};
    if (sub >= 0)
        mark->word = cv_mark_sub_words(type).items[sub];
    *CV_PUSH(a, into) = (cv_block){.kind = CV_BLOCK_MARK, .mark = mark};
    return mark;
}

cv_section *cv_part_add_section(cv_arena *a, cv_doc *doc, cv_section_kind kind)
{
    cv_section *section = CV_PUSH(a, &doc->sections);
    *section = (cv_section){.kind = kind, .round = -1};
    return section;
}

bool cv_part_add_meta(cv_arena *a, cv_doc *doc, const char *key, cv_str value)
{
    cv_str line = cv_squeeze(a, value);
    if (line.n == 0)
        return true;
    if (cv_str_find_char(value, '\n') != SIZE_MAX || !cv_meta_reads_back(a, cv_str_of(key), line))
        return false;
    *CV_PUSH(a, &doc->metadata) = (cv_meta){.key = cv_str_of(key), .value = line};
    return true;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

cv_str cv_part_title(cv_arena *a, cv_str word)
{
    char *title = cv_arena_copy_z(a, word);
    for (size_t i = 0; i < word.n; i++)
        title[i] = i == 0 ? cv_upper(title[i]) : title[i] == '_' ? ' ' : title[i];
    return (cv_str){title, word.n};
}

cv_str cv_part_join(cv_arena *a, cv_str text, const char *between, cv_str more)
{
    if (more.n == 0)
        return text;
    return text.n ? cv_arena_join(a, cv_arena_join(a, text, cv_str_of(between)), more) : more;
}

cv_str cv_part_list(cv_arena *a, cv_str json, const char *between)
{
    cv_json list;
    cv_err ignored = {.arena = a};
    cv_buf text = {0};
    if (json.n == 0 || !cv_json_parse(a, json, &list, &ignored) || list.type != CV_JSON_ARRAY)
        return (cv_str){NULL, 0};
    for (uint32_t i = 0; i < list.count; i++) {
        cv_buf_add_z(&text, i ? between : "");
        cv_buf_add(&text, cv_squeeze(a, list.items[i].type == CV_JSON_STRING ? list.items[i].text : dash));
    }
    return cv_buf_take(&text, a);
}
