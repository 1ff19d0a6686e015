/* doc.c - a dialogue document, parsed in one walk over its lines; see doc.h.
 *
 * The parser holds one open block. Each line either goes on with it, or closes it and opens another; headings also
 * say where the next blocks belong. Blocks are slices of the text from their first to their last line, so nothing
 * is copied unless a slice holds escapes or carriage returns.
 *
 *     line -> goes on with the open block      content, table rows, text inside fences
 *          -> opens a block                    marker line, first content, first row of a table
 *          -> opens a section or an agent      ##, ###
 *
 * Findings here are about what had to be read leniently: what is nearly a mark, a fence without an end, the form of
 * headings and metadata. What marks say is judged by the linter (lint/lint_marks.c).
 */
#include "dialogue/text/doc.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialogue/words/limits.h"

typedef enum { NONE, TEXT, MARK, TABLE } open_kind;

typedef struct {
    cv_arena *a;
    cv_str text;
    cv_doc *doc;
    cv_findings *findings;
    cv_lines lines;
    cv_blocks *into; /* where closed blocks go */
    unsigned where;  /* CV_IN_… */

    open_kind open;
    cv_block block;
    size_t start, end; /* the open block's text so far; end == 0: none yet */
    bool partial;      /* it began behind a mark on the same line */
    bool escapes;      /* one of its lines begins with a backslash */
    bool separated;    /* a table whose |---| has been seen: a later row of dashes is a row */

    cv_texts cells;              /* of the last table row */
    size_t columns;              /* cells in the header of the table that the last line belonged to; 0: none */
    bool empty_header;           /* the last line was the empty header of a metadata table */
    size_t list_start, list_end; /* list items that continue an empty metadata value */
} parser;

static size_t offset(const parser *p, const char *at)
{
    return (size_t)(at - p->text.p);
}

static cv_finding *find(parser *p, cv_str where, unsigned rule, const char *message)
{
    return cv_finding_add(p->findings, p->a, p->text, where, rule, "%s", message);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* A slice with one backslash taken from the lines that need it to be text, and without carriage returns. */
static cv_str clean(parser *p, cv_str slice)
{
    unsigned where = p->where | (p->open == MARK ? CV_IN_BODY : 0);
    char *to = cv_arena_alloc(p->a, slice.n + 1);
    size_t n = 0, fence_length = 0, length;
    char fence = 0;
    cv_str rest = slice, line;
    for (bool first = true; cv_str_split(&rest, '\n', &line); first = false) {
        while (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        cv_str trimmed = cv_str_trim(line);
        bool edge = first || !rest.p, partial = first && p->partial;
        size_t indent = (size_t)(trimmed.p - line.p);
        if (fence) {
            if (cv_line_fence(trimmed, true, &length) == fence && length >= fence_length)
                fence = 0;
        } else if (!partial && trimmed.n > 0 && trimmed.p[0] == '\\' &&
                   cv_line_is_structure(trimmed, where, edge, &p->doc->agents)) {
            memcpy(to + n, line.p, indent);
            n += indent;
            line = cv_str_from(line, indent + 1);
        } else if ((fence = cv_line_fence(trimmed, false, &length)) != 0) {
            fence_length = length;
        }
        if (line.n)
            memcpy(to + n, line.p, line.n);
        n += line.n;
        if (rest.p)
            to[n++] = '\n';
    }
    return (cv_str){to, n};
}

static void close_block(parser *p)
{
    cv_str text = {NULL, 0};
    assert(p->into && p->start <= p->text.n && p->end <= p->text.n);
    if (p->open == NONE)
        return;
    if (p->open != TABLE && p->end > p->start) {
        text = cv_str_trim_right(cv_str_range(p->text.p + p->start, p->text.p + p->end));
        p->end = p->start + text.n;
        if (p->escapes || p->lines.carriage_returns)
            text = clean(p, text);
        /* A fence may be open at the end of the text, or between two marks of a line. */
        size_t length;
        if (p->lines.fence || (p->partial && cv_line_fence(text, false, &length)))
            text = cv_fence_closed(p->a, text);
    }
    if (p->open == MARK) {
        p->block.mark->body = text;
        p->block.mark->body_start = p->end > p->start ? p->start : p->block.mark->end;
        p->block.mark->body_end = p->end > p->start ? p->end : p->block.mark->end;
    }
    p->block.text = p->open == TEXT ? text : (cv_str){NULL, 0};
    if (p->open != TEXT || text.n > 0)
        *CV_PUSH(p->a, p->into) = p->block;
    p->open = NONE;
}

static void open_block(parser *p, open_kind kind, size_t line)
{
    static const cv_block_kind kinds[] = {CV_BLOCK_TEXT, CV_BLOCK_TEXT, CV_BLOCK_MARK, CV_BLOCK_TABLE};
    close_block(p);
    assert(kind != NONE && p->open == NONE);
    p->open = kind;
    p->block = (cv_block){.kind = kinds[kind], .line = line};
    p->start = p->end = 0;
    p->partial = p->escapes = p->separated = false;
}

/* ---- marks ------------------------------------------------------------------------------------------- */

static void report_near(parser *p, const cv_near *near)
{
    cv_finding *f = cv_finding_add(p->findings, p->a, p->text, near->where, CV_RULE_MARKER_SPELLING,
                                   "'%.*s' is nearly a marker", CV_FMT(near->where));
    f->hint =
        near->fix.n
            ? cv_arena_printf(p->a, "write '%.*s', or put it in backticks if it is meant as text", CV_FMT(near->fix))
            : CV_STR("a local id has four digits, two for the round and two for the number: MUFFIN-P0101");
    f->has_fix = near->fix.n > 0;
    f->fix = near->fix;
}

/* A walk over the marks of one line that passes over code spans. Each length of backticks is looked for in vain at
 * most once per line. */
typedef struct {
    cv_str line;
    size_t at;
    size_t lead;      /* where the line's text begins */
    uint32_t missing; /* bit n - 1: no run of n backticks closes a span from here on */
} mark_walk;

/* Moves behind the code span that begins at w->at, or behind its backticks when it does not close. */
static void skip_span(mark_walk *w)
{
    w->at = cv_span_end(w->line, w->at, &w->missing);
}

/* Is the bracket at `at` text: inside a code span, or behind a backslash? Moves w->at up to it, or behind the span. */
static bool is_quoted(mark_walk *w, size_t at)
{
    while (w->at < at) {
        char c = w->line.p[w->at];
        if (c == '`')
            skip_span(w);
        else
            w->at += c == '\\' ? 2 : 1;
    }
    return w->at > at;
}

static bool is_near(const parser *p, const mark_walk *w, size_t at, cv_near *ret_near)
{
    return p->findings && cv_mark_near(p->a, cv_str_from(w->line, at), at == w->lead, ret_near);
}

/* From bracket to bracket: only what begins like a mark is worth the question whether it is quoted, and only what is
 * not quoted is read up to its end. Quoted openers do not count as nested in a label, so nothing but this order bounds
 * what they would cost. The mark's place is given within w->line. */
static bool next_mark(parser *p, mark_walk *w, cv_mark *m)
{
    for (size_t from = w->at; from < w->line.n;) {
        const char *hit = memchr(w->line.p + from, '[', w->line.n - from);
        if (!hit)
            break;
        size_t at = (size_t)(hit - w->line.p);
        cv_str here = cv_str_from(w->line, at);
        cv_near near;
        bool begins = cv_mark_begins(here);
        if (!begins && !is_near(p, w, at, &near)) {
            from = at + 1;
        } else if (is_quoted(w, at)) {
            from = w->at;
        } else if (begins && cv_mark_at(here, false, m)) {
            m->start = at;
            m->end += at;
            w->at = m->end;
            return true;
        } else {
            if (!begins || is_near(p, w, at, &near))
                report_near(p, &near);
            from = at + 1;
        }
    }
    w->at = w->line.n;
    return false;
}

/* A piece of the text with marks in it, and where its bytes lie in the text. A table cell may have lost white space
 * and backslashes on its way from `raw`. */
typedef struct {
    cv_str s, raw;
    size_t at, raw_at;
} piece;

/* The offset in the text of the byte `at` of the piece. Asked in ascending order. */
static size_t place_of(const parser *p, piece *in, size_t at)
{
    if (in->s.p == in->raw.p)
        return offset(p, in->raw.p) + at;
    for (; in->at < at && in->raw_at < in->raw.n; in->at++) {
        cv_str rest = {in->raw.p + in->raw_at, in->raw.n - in->raw_at};
        bool escape = rest.n > 1 && rest.p[0] == '\\' && (rest.p[1] == '|' || rest.p[1] == '\\');
        in->raw_at += cv_is_space(rest.p[0]) ? (size_t)(cv_str_trim_left(rest).p - rest.p) : escape ? 2 : 1;
    }
    return offset(p, in->raw.p) + in->raw_at;
}

/* The body of an inline mark is the rest of its line or cell, up to the next mark. */
static void end_inline(const parser *p, piece *in, cv_mark *m, size_t from, size_t to)
{
    m->body = cv_str_trim(cv_str_range(in->s.p + from, in->s.p + to));
    m->body_end = place_of(p, in, to);
}

static void inline_marks(parser *p, piece in, size_t skip, size_t line)
{
    mark_walk w = {.line = in.s, .at = skip, .lead = in.s.n - cv_str_trim_left(in.s).n};
    cv_mark m;
    cv_marks *list = &p->block.inline_marks;
    size_t first = list->count, behind = 0;
    cv_findings *findings = p->findings;
    if (in.s.p != in.raw.p)
        p->findings = NULL; /* they would point into the copy */
    while (next_mark(p, &w, &m)) {
        size_t start = m.start, end = m.end;
        if (list->count > first)
            end_inline(p, &in, &list->items[list->count - 1], behind, start);
        m.line = line;
        m.inlined = true;
        m.start = place_of(p, &in, start);
        m.end = m.body_start = place_of(p, &in, end);
        cv_mark_settle(p->a, &m);
        *CV_PUSH(p->a, list) = m;
        p->doc->mark_count++;
        behind = end;
    }
    if (list->count > first)
        end_inline(p, &in, &list->items[list->count - 1], behind, in.s.n);
    p->findings = findings;
}

/* The marks of a line of text. An escaped line begins with no mark, however many backslashes there are. */
static void inline_line(parser *p, const cv_line *line)
{
    cv_str s = line->trimmed;
    size_t skip = 0;
    unsigned where = p->where | (p->open == MARK ? CV_IN_BODY : 0);
    if (s.p[0] == '\\' && cv_line_is_structure(s, where, false, &p->doc->agents)) {
        while (skip < s.n && s.p[skip] == '\\')
            skip++;
        skip++;
    }
    inline_marks(p, (piece){s, s, 0, 0}, skip, line->number);
}

/* What is between a mark and its text on the same line: the end of bold, a colon, a dash. */
static cv_str behind_mark(cv_str s)
{
    static const cv_str joints[] = {CV_STR_INIT(":"), CV_STR_INIT("-- "), CV_STR_INIT("— "), CV_STR_INIT("– "),
                                    CV_STR_INIT("- ")};
    while (s.n > 0 && (s.p[0] == '*' || s.p[0] == '_'))
        s = cv_str_from(s, 1);
    s = cv_str_trim_left(s);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        if (cv_str_starts(s, joints[i]))
            return cv_str_trim_left(cv_str_from(s, joints[i].n));
    return s;
}

static bool only_punctuation(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (cv_is_alnum(s.p[i]) || (unsigned char)s.p[i] >= 0x80 || s.p[i] == '`')
            return false;
    return true;
}

/* `m` is filled in and kept. */
static void open_mark(parser *p, cv_mark *m, size_t line)
{
    open_block(p, MARK, line);
    m->line = line;
    cv_mark_settle(p->a, m);
    p->block.mark = cv_arena_dup(p->a, m, sizeof *m);
    p->doc->mark_count++;
}

/* The body that a mark has on its own line: from behind it to `end`. */
static void same_line_body(parser *p, const char *from, const char *end, bool last)
{
    cv_str body = cv_str_trim_right(behind_mark(cv_str_range(from, end)));
    if (body.n == 0 || (!last && only_punctuation(body)))
        return;
    if (last)
        cv_lines_open_fence(&p->lines, body);
    p->start = offset(p, body.p);
    p->end = p->start + body.n;
    p->partial = true;
}

/* A marker line: all its marks open blocks, the last one goes on over the next lines. */
static void marker_line(parser *p, const cv_line *line)
{
    cv_mark m = line->mark;
    mark_walk w = {.line = line->text, .lead = line->mark_at};
    size_t base = offset(p, line->text.p);
    m.start = line->mark_at;
    m.end += m.start;
    for (bool more = true; more;) {
        const char *behind = line->text.p + m.end;
        w.at = m.end;
        m.start += base;
        m.end += base;
        open_mark(p, &m, line->number);
        more = next_mark(p, &w, &m);
        same_line_body(p, behind, more ? line->text.p + m.start : cv_str_end(line->text), !more);
    }
}

/* ---- text and tables ----------------------------------------------------------------------------------- */

/* The line goes on with the open text or mark, or begins a text. */
static void append(parser *p, const cv_line *line)
{
    if (p->open != TEXT && p->open != MARK)
        open_block(p, TEXT, line->number);
    size_t start = offset(p, line->text.p);
    if (p->end == 0)
        p->start = start;
    p->end = start + line->text.n;
    if (line->trimmed.p[0] == '\\')
        p->escapes = true;
    if (line->brackets && !line->fenced)
        inline_line(p, line);
}

/* A heading of level 1 or 3, or a thematic break, ends a mark's body. */
static void end_body(parser *p)
{
    if (p->open == MARK)
        close_block(p);
}

cv_str cv_cell_text(cv_arena *a, cv_str cell)
{
    cell = cv_squeeze(a, cell);
    if (cv_str_find_char(cell, '\\') == SIZE_MAX)
        return cell;
    char *to = cv_arena_alloc(a, cell.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < cell.n; i++) {
        bool escape = cell.p[i] == '\\' && i + 1 < cell.n && (cell.p[i + 1] == '|' || cell.p[i + 1] == '\\');
        to[n++] = cell.p[escape ? ++i : i];
    }
    return (cv_str){to, n};
}

/* Splits the row into p->cells and compares their number with the header's. */
static void split_row(parser *p, const cv_line *line)
{
    cv_str rest = cv_row_inside(line->trimmed), cell;
    p->cells.count = 0;
    while (cv_cell_next(&rest, &cell))
        *CV_PUSH(p->a, &p->cells) = cell;
    size_t cells = p->cells.count;
    if (p->columns == 0) {
        p->columns = cells;
    } else if (cells != p->columns) {
        cv_finding *f = cv_finding_add(p->findings, p->a, p->text, line->trimmed, CV_RULE_TABLE_COLUMNS,
                                       "the row has %zu cells, its header %zu", cells, p->columns);
        f->hint = CV_STR("add or remove cells; write | inside a cell as \\|");
    }
}

/* The cells of the row are in p->cells. */
static void table_row(parser *p, const cv_line *line)
{
    if (p->open != TABLE) {
        open_block(p, TABLE, line->number);
        p->block.table = CV_NEW(p->a, cv_table);
    }
    cv_table *table = p->block.table;
    assert(table && p->open == TABLE);
    cv_row *row = CV_PUSH(p->a, table);
    *row = (cv_row){CV_NEW_ARRAY(p->a, p->cells.count, cv_str), p->cells.count, offset(p, line->trimmed.p),
                    offset(p, cv_str_end(line->trimmed))};
    for (size_t i = 0; i < row->count; i++) {
        row->cells[i] = cv_cell_text(p->a, p->cells.items[i]);
        if (line->brackets)
            inline_marks(p, (piece){row->cells[i], p->cells.items[i], 0, 0}, 0, line->number);
    }
}

/* ---- metadata ------------------------------------------------------------------------------------------- */

static void add_metadata(parser *p, cv_str key, cv_str value, const cv_line *line)
{
    *CV_PUSH(p->a, &p->doc->metadata) =
        (cv_meta){cv_squeeze(p->a, key), cv_squeeze(p->a, value), line->number, line->trimmed};
}

/* `| **Key** | value |`, and the empty header with its separator that are above such rows. */
static bool metadata_row(parser *p, const cv_line *line)
{
    cv_str rest = cv_row_inside(line->trimmed), key, value;
    if (p->empty_header && cv_row_is_separator(line->trimmed)) {
        p->empty_header = false;
        return true;
    }
    if (!cv_cell_next(&rest, &key) || !cv_cell_next(&rest, &value) || rest.p)
        return false;
    if (key.n == 0 && value.n == 0) {
        p->empty_header = true;
        return true;
    }
    if (key.n <= 4 || !cv_str_starts(key, CV_STR("**")) || !cv_str_ends(key, CV_STR("**")))
        return false;
    key = cv_str_trim((cv_str){key.p + 2, key.n - 4});
    if (key.n > 0 && key.p[key.n - 1] == ':')
        key.n--;
    key = cv_squeeze(p->a, key);
    value = cv_cell_text(p->a, value);
    if (!cv_meta_reads_back(p->a, key, value))
        return false;
    add_metadata(p, key, value, line);
    cv_finding *f = find(p, line->trimmed, CV_RULE_METADATA_STYLE, "metadata is in a table");
    f->hint = CV_STR("write **Key**: value on a line of its own");
    return true;
}

static void metadata_line(parser *p, const cv_line *line)
{
    close_block(p);
    add_metadata(p, line->name, line->value, line);
    if (line->value.n == 0)
        p->list_start = p->list_end = p->lines.at;
    if (line->deviant) {
        cv_finding *f =
            find(p, cv_str_range(line->trimmed.p, line->value.n ? line->value.p : cv_str_end(line->trimmed)),
                 CV_RULE_METADATA_STYLE, "the colon is inside the bold text");
        f->fix = cv_arena_printf(p->a, "**%.*s**:%s", CV_FMT(line->name), line->value.n ? " " : "");
        f->hint = cv_arena_printf(p->a, "write **%.*s**: value", CV_FMT(line->name));
        f->has_fix = true;
    }
}

/* "**Participants**:" and a list below it: the items become the value, with commas. */
static void finish_list(parser *p)
{
    const char *list_end = p->text.p + p->list_end;
    cv_str rest = cv_str_range(p->text.p + p->list_start, list_end), line;
    p->list_start = 0;
    if (rest.n == 0)
        return;
    char *to = cv_arena_alloc(p->a, rest.n + 1);
    size_t n = 0;
    while (cv_str_split(&rest, '\n', &line)) {
        line = cv_str_trim(line);
        cv_str item = cv_str_trim(cv_str_from(line, 2));
        if (item.n == 0)
            continue;
        if (n > 0) {
            memcpy(to + n, ", ", 2);
            n += 2;
        }
        memcpy(to + n, item.p, item.n);
        n += item.n;
    }
    assert(p->doc->metadata.count > 0 && "a list continues a value");
    cv_meta *last = &p->doc->metadata.items[p->doc->metadata.count - 1];
    last->value = cv_squeeze(p->a, (cv_str){to, n});
    last->written = cv_str_range(last->written.p, list_end);
}

/* True when the line was taken as part of a list that continues metadata. */
static bool list_item(parser *p, const cv_line *line)
{
    if (p->list_start == 0)
        return false;
    bool item = line->kind == CV_LINE_CONTENT && line->trimmed.n > 2 &&
                (line->trimmed.p[0] == '-' || line->trimmed.p[0] == '*') && cv_is_blank(line->trimmed.p[1]) &&
                !line->rule;
    if (item)
        p->list_end = offset(p, cv_str_end(line->text));
    else
        finish_list(p);
    return item;
}

/* ---- sections and agents ---------------------------------------------------------------------------------- */

/* Called when a section ends: what it says about names serves the rest of the document. */
static void close_section(parser *p)
{
    close_block(p);
    cv_doc *doc = p->doc;
    const cv_section *last = doc->sections.count ? &doc->sections.items[doc->sections.count - 1] : NULL;
    cv_agents_learn(p->a, doc, last, &doc->agents);
}

static void open_section(parser *p, const cv_line *line)
{
    close_section(p);
    cv_section *s = CV_PUSH(p->a, &p->doc->sections);
    *s = (cv_section){.line = line->number, .heading = line->trimmed};
    if (line->kind == CV_LINE_ROUND) {
        s->kind = CV_SECTION_ROUND;
        s->round = line->round;
        s->label = cv_squeeze(p->a, line->name);
    } else {
        s->kind = cv_section_read(p->a, line->name, &s->round, &s->label);
    }
    p->into = &s->content;
    p->where = s->kind == CV_SECTION_ROUND ? CV_IN_ROUND : s->kind <= CV_SECTION_TENSIONS ? CV_IN_TABLES : 0;
}

static void open_agent(parser *p, const cv_line *line)
{
    close_block(p);
    assert(p->doc->sections.count > 0 && "agents speak in rounds");
    cv_section *s = &p->doc->sections.items[p->doc->sections.count - 1];
    cv_agent *agent = CV_PUSH(p->a, &s->agents);
    bool judge = cv_str_starts_nocase(line->name, cv_judge_name);
    *agent = (cv_agent){.name = cv_squeeze(p->a, line->name),
                        .emoji = line->value.n ? line->value
                                 : judge       ? cv_judge_emoji
                                               : cv_expert_emoji,
                        .role = cv_squeeze(p->a, line->role),
                        .heading = line->trimmed,
                        .line = line->number};
    agent->known = judge || cv_map_get(&p->doc->agents, cv_agent_key(p->a, agent->name));
    p->into = &agent->content;
    if (line->deviant) {
        cv_finding *f = find(p, line->trimmed, CV_RULE_AGENT_HEADING, "the agent heading has an unusual form");
        f->fix = cv_arena_printf(p->a, "### %.*s %.*s%s%.*s%s", CV_FMT(agent->name), CV_FMT(agent->emoji),
                                 agent->role.n ? " (" : "", CV_FMT(agent->role), agent->role.n ? ")" : "");
        f->has_fix = true;
        f->hint = cv_arena_printf(p->a, "write '%.*s'", CV_FMT(cv_excerpt(p->a, f->fix)));
    }
}

static cv_str heading_text(cv_arena *a, cv_str s)
{
    return cv_squeeze(a, s.n > 1 && s.p[0] == '\\' ? cv_str_from(s, 1) : s);
}

/* ---- the walk ------------------------------------------------------------------------------------------------ */

static void content_line(parser *p, const cv_line *line)
{
    if (line->rule && !line->fenced) {
        end_body(p);
        return; /* kept only when it is inside a text: append() then includes it in the slice */
    }
    if (line->level == 1 || line->level == 3)
        end_body(p);
    append(p, line);
}

static void table_line(parser *p, const cv_line *line)
{
    if ((p->where & CV_IN_INTRO) && metadata_row(p, line)) {
        close_block(p);
        return;
    }
    split_row(p, line);
    bool below_header = p->open == TABLE && p->block.table->count == 1 && !p->separated;
    if (!(p->where & CV_IN_TABLES)) {
        append(p, line);
    } else if (below_header && cv_row_is_separator(line->trimmed)) {
        p->separated = true;
    } else {
        table_row(p, line);
    }
}

static void line_in(parser *p, const cv_line *line)
{
    if (line->trimmed.n == 0) {
        if (p->open == TABLE)
            close_block(p);
        if (p->list_start)
            finish_list(p);
        p->columns = 0;
        return;
    }
    if (list_item(p, line))
        return;
    if (line->kind != CV_LINE_TABLE_ROW) {
        p->columns = 0;
        p->empty_header = false;
    }
    switch (line->kind) {
    case CV_LINE_SECTION:
    case CV_LINE_ROUND:
        open_section(p, line);
        break;
    case CV_LINE_HEADING1:
        if (p->where & CV_UNTITLED) {
            close_block(p);
            p->doc->title = heading_text(p->a, line->name);
            p->where &= ~(unsigned)CV_UNTITLED;
        } else {
            content_line(p, line);
        }
        break;
    case CV_LINE_AGENT:
        if (p->where & CV_IN_ROUND)
            open_agent(p, line);
        else
            content_line(p, line);
        break;
    case CV_LINE_METADATA:
        if (p->where & CV_IN_INTRO)
            metadata_line(p, line);
        else
            append(p, line);
        break;
    case CV_LINE_TABLE_ROW:
        table_line(p, line);
        break;
    case CV_LINE_MARKER:
        marker_line(p, line);
        break;
    case CV_LINE_CONTENT:
    case CV_LINE_KIND_COUNT:
        content_line(p, line);
        break;
    }
}

/* The open text or body goes on over all lines that can be nothing else. */
static void pass_content(parser *p)
{
    size_t start, end, line = p->lines.number;
    if ((p->open != TEXT && p->open != MARK) || p->list_start)
        return;
    if (cv_lines_pass(&p->lines, &start, &end)) {
        if (p->end == 0)
            p->start = start;
        p->end = end;
    }
    if (p->lines.number != line)
        p->columns = 0;
}

static cv_str skip_byte_order_mark(parser *p)
{
    static const cv_str mark = CV_STR_INIT("\xEF\xBB\xBF");
    if (!cv_str_starts(p->text, mark))
        return p->text;
    cv_str rest = p->text;
    while (cv_str_starts(rest, mark))
        rest = cv_str_from(rest, mark.n);
    cv_finding *f =
        find(p, cv_str_range(p->text.p, rest.p), CV_RULE_BYTE_ORDER_MARK, "the file begins with a byte order mark");
    f->hint = CV_STR("save it as plain UTF-8");
    f->has_fix = true;
    return rest;
}

void cv_doc_parse(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings)
{
    cv_doc_parse_apart(a, text, ret_doc, findings);
    cv_blocks_merge(a, &ret_doc->intro); /* metadata may have been between texts */
}

void cv_doc_parse_apart(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings)
{
    *ret_doc = (cv_doc){.text = text};
    parser p = {.a = a, .text = text, .doc = ret_doc, .findings = findings};
    p.into = &ret_doc->intro;
    p.where = CV_IN_INTRO | CV_UNTITLED;
    p.lines = (cv_lines){.text = text, .agents = &ret_doc->agents};
    p.lines.at = (size_t)(skip_byte_order_mark(&p).p - text.p);
    for (cv_line line; pass_content(&p), cv_lines_next(&p.lines, &line);)
        line_in(&p, &line);
    if (p.list_start)
        finish_list(&p);
    close_section(&p);
    assert(p.open == NONE && !p.list_start);
    const cv_section *first = cv_rounds_rebase(ret_doc);
    if (first)
        find(&p, first->heading, CV_RULE_ROUND_BASE, "the first round has number 1")->hint =
            CV_STR("number rounds from 0; they are read as if they were");
    ret_doc->lines = p.lines.number;
    size_t cr = p.lines.carriage_returns ? cv_str_find(text, CV_STR("\r\n")) : SIZE_MAX;
    if (cr != SIZE_MAX) {
        cv_finding *f = find(&p, (cv_str){text.p + cr, 2}, CV_RULE_CARRIAGE_RETURN, "lines end in CR LF");
        f->hint = CV_STR("end lines with LF alone");
        f->fixed_at_once = true;
    }
    if (p.lines.fence)
        find(&p, cv_str_head(cv_str_from(text, p.lines.fence_at), p.lines.fence_length), CV_RULE_UNCLOSED_FENCE,
             "the code fence is never closed; everything after it is read as code")
            ->hint = CV_STR("close it with a line of the same characters");
    if (findings)
        cv_findings_place(findings, text);
}
