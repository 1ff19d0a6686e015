/* escape.c - texts as the document keeps them, and which of their lines and brackets would be read as structure; see
 * doc.h.
 *
 * The renderer writes a backslash in front of such a line, the parser takes one away. Both ask the same question
 * about the line without its backslashes, so any number of them survives. The same holds for a bracket that would begin
 * a mark: n backslashes in front of it are quoted as 2n + 1, which leaves it text, and read back as n.
 */
#include "dialogue/text/doc.h"

#include "dialogue/words/limits.h"

/* `| **Key** | value |` before the first section is metadata, and so is the empty header above it. */
static bool is_metadata_row(cv_str row)
{
    cv_str rest = cv_row_inside(row), first, second;
    if (!cv_cell_next(&rest, &first) || !cv_cell_next(&rest, &second) || rest.p)
        return false;
    return (first.n == 0 && second.n == 0) || (first.n > 4 && cv_str_starts(first, CV_STR("**")));
}

bool cv_line_is_structure(cv_str line, unsigned where, bool edge, const cv_map *agents)
{
    cv_str s = cv_str_trim(line);
    while (s.n > 0 && s.p[0] == '\\')
        s = cv_str_from(s, 1);
    if (s.n == 0 || cv_is_alpha(s.p[0]) || cv_is_space(s.p[0])) /* a backslash before a blank is just one */
        return false;
    cv_line l;
    cv_line_classify(s, agents, &l);
    switch (l.kind) {
    case CV_LINE_MARKER:
    case CV_LINE_SECTION:
    case CV_LINE_ROUND:
        return true;
    case CV_LINE_HEADING1:
        return where & (CV_IN_BODY | CV_UNTITLED | CV_QUOTED);
    case CV_LINE_AGENT:
        return where & (CV_IN_BODY | CV_IN_ROUND | CV_QUOTED);
    case CV_LINE_METADATA:
        return where & CV_IN_INTRO;
    case CV_LINE_TABLE_ROW:
        return (where & CV_IN_TABLES) || ((where & CV_IN_INTRO) && is_metadata_row(s));
    case CV_LINE_CONTENT:
    case CV_LINE_KIND_COUNT:
        break;
    }
    if (where & CV_QUOTED)
        return l.level > 0 || l.rule;
    return (l.level == 3 && (where & CV_IN_BODY)) || (l.rule && (edge || (where & CV_IN_BODY)));
}

/* ---- quotation --------------------------------------------------------------------------------------------------- */

static size_t ticks_at(cv_str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] == '`')
        n++;
    return n;
}

size_t cv_span_end(cv_str line, size_t at, uint32_t *missing)
{
    size_t n = ticks_at(line, at), behind = at + n;
    if (n == 0 || n > CV_MAX_TICKS || (*missing & (1u << (n - 1))))
        return behind;
    for (size_t i = behind; i < line.n;) {
        const char *hit = memchr(line.p + i, '`', line.n - i);
        if (!hit)
            break;
        i = (size_t)(hit - line.p);
        size_t run = ticks_at(line, i);
        i += run;
        if (run == n)
            return i;
    }
    *missing |= 1u << (n - 1);
    return behind;
}

/* Could s.p[0] == '[' begin a mark, or nearly one? Only what stands right behind it is looked at, so that quoting a
 * bracket behind it changes nothing. [P0001] without a colon cites. */
static bool is_markish(cv_str s)
{
    cv_str in = cv_str_from(s, 1);
    cv_id id;
    size_t length;
    if (cv_mark_begins(s)) {
        if (!cv_id_at(in, &id, &length) || (id.form != CV_ID_LOCAL && id.form != CV_ID_DISPLAY))
            return true;
        in = cv_str_trim_left(cv_str_from(in, length));
        return in.n > 0 && in.p[0] == ':';
    }
    cv_arena scratch = {0};
    cv_near near;
    bool nearly = cv_mark_near(&scratch, s, true, &near);
    cv_arena_release(&scratch);
    return nearly;
}

/* One line with the backslashes in front of its brackets counted again: 2n + 1 for n, or back. `spans`: what is in
 * backticks is text already. `from`: what is before it is left alone. */
static void requote_line(cv_buf *out, cv_str line, size_t from, bool spans, bool back)
{
    uint32_t missing = 0;
    size_t i = from;
    cv_buf_add(out, cv_str_head(line, from));
    while (i < line.n) {
        size_t slashes = 0, end = i + 1;
        while (i + slashes < line.n && line.p[i + slashes] == '\\')
            slashes++;
        size_t at = i + slashes, count = slashes;
        if (at < line.n && line.p[at] == '[' && is_markish(cv_str_from(line, at))) {
            end = at + 1;
            count = !back ? 2 * slashes + 1 : slashes % 2 ? slashes / 2 : slashes;
        } else if (slashes) {
            end = at + (slashes % 2 && at < line.n);
        } else if (spans && line.p[i] == '`') {
            end = cv_span_end(line, i, &missing);
        }
        for (size_t k = 0; k < count; k++)
            cv_buf_add_char(out, '\\');
        cv_buf_add(out, cv_str_range(line.p + at, line.p + end));
        i = end;
    }
}

static cv_str requote(cv_arena *a, cv_str text, bool back)
{
    cv_buf out = {0};
    cv_str rest = text, line;
    char fence = 0;
    size_t fence_length = 0, length;
    if (cv_str_find_char(text, '[') == SIZE_MAX)
        return text;
    while (cv_str_split(&rest, '\n', &line)) {
        cv_str trimmed = cv_str_trim(line), bare = trimmed;
        size_t from = 0;
        if (fence) {
            if (cv_line_fence(trimmed, true, &length) == fence && length >= fence_length)
                fence = 0;
            from = line.n;
        } else if ((fence = cv_line_fence(trimmed, false, &length)) != 0) {
            fence_length = length;
            from = line.n;
        }
        while (bare.n > 0 && bare.p[0] == '\\')
            bare = cv_str_from(bare, 1);
        if (!fence && from == 0 && bare.n > 0 && bare.p[0] == '[' && cv_line_is_structure(bare, 0, false, NULL))
            from = (size_t)(bare.p - line.p) + 1; /* the renderer's business */
        requote_line(&out, line, from, true, back);
        if (rest.p)
            cv_buf_add_char(&out, '\n');
    }
    return cv_buf_take(&out, a);
}

cv_str cv_text_quote(cv_arena *a, cv_str text)
{
    return requote(a, text, false);
}

cv_str cv_text_unquote(cv_arena *a, cv_str text)
{
    return requote(a, text, true);
}

static cv_str requote_alone(cv_arena *a, cv_str line, bool back)
{
    cv_buf out = {0};
    if (cv_str_find_char(line, '[') == SIZE_MAX)
        return line;
    requote_line(&out, line, 0, false, back);
    return cv_buf_take(&out, a);
}

cv_str cv_line_quote(cv_arena *a, cv_str line)
{
    return requote_alone(a, line, false);
}

cv_str cv_line_unquote(cv_arena *a, cv_str line)
{
    return requote_alone(a, line, true);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

cv_str cv_text_tidy(cv_arena *a, cv_str s)
{
    s = cv_str_trim_right(s);
    cv_str lead = cv_str_trim_left(s);
    while (lead.p > s.p && lead.p[-1] != '\n') /* the first line keeps its indentation */
        lead = (cv_str){lead.p - 1, lead.n + 1};
    if (cv_str_find_char(lead, '\r') == SIZE_MAX)
        return lead;
    char *p = cv_arena_alloc(a, lead.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < lead.n; i++) {
        while (lead.p[i] == '\n' && n > 0 && p[n - 1] == '\r')
            n--;
        p[n++] = lead.p[i];
    }
    return (cv_str){p, n};
}

cv_str cv_fence_closed(cv_arena *a, cv_str text)
{
    cv_lines lines = {.text = text};
    cv_line line;
    while (cv_lines_next(&lines, &line))
        ;
    if (!lines.fence)
        return text;
    char *p = cv_arena_alloc(a, text.n + 1 + lines.fence_length);
    memcpy(p, text.p, text.n);
    p[text.n] = '\n';
    memset(p + text.n + 1, lines.fence, lines.fence_length);
    return (cv_str){p, text.n + 1 + lines.fence_length};
}

bool cv_meta_reads_back(cv_arena *a, cv_str key, cv_str value)
{
    cv_line line;
    if (key.n == 0)
        return false;
    cv_line_classify(cv_arena_printf(a, "**%.*s**: %.*s", CV_FMT(key), CV_FMT(value)), NULL, &line);
    return line.kind == CV_LINE_METADATA && cv_str_eq(line.name, key) && cv_str_eq(line.value, value);
}

/* The texts items[from..to) and their marks as one block. */
static cv_block joined(cv_arena *a, const cv_block *items, size_t from, size_t to)
{
    cv_block all = items[from];
    size_t size = 0;
    for (size_t i = from; i < to; i++)
        size += items[i].text.n + 2;
    char *p = cv_arena_alloc(a, size + 1);
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        if (i > from) {
            memcpy(p + n, "\n\n", 2);
            n += 2;
            for (size_t k = 0; k < items[i].inline_marks.count; k++)
                *CV_PUSH(a, &all.inline_marks) = items[i].inline_marks.items[k];
        }
        memcpy(p + n, items[i].text.p, items[i].text.n);
        n += items[i].text.n;
    }
    all.text = (cv_str){p, n};
    return all;
}

void cv_blocks_merge(cv_arena *a, cv_blocks *blocks)
{
    size_t count = 0;
    for (size_t i = 0; i < blocks->count;) {
        size_t end = i + 1;
        while (blocks->items[i].kind == CV_BLOCK_TEXT && end < blocks->count &&
               blocks->items[end].kind == CV_BLOCK_TEXT)
            end++;
        blocks->items[count++] = end - i > 1 ? joined(a, blocks->items, i, end) : blocks->items[i];
        i = end;
    }
    blocks->count = count;
}
