/* render.c - a document as canonical markdown; see doc.h.
 *
 * One blank line between any two parts, tables with single blanks, one way to write each heading and mark. A line of
 * text that would be read as structure where it is gets a backslash in front.
 */
#include "dialogue/text/doc.h"

typedef struct {
    cv_arena *a;
    const cv_doc *doc;
    cv_buf *out;
    unsigned where;
    bool begun;    /* something has been written: a blank line goes before the next part */
    cv_map agents; /* who is known so far, as the parser will know them */
} renderer;

static void blank_line(renderer *r)
{
    if (r->begun)
        cv_buf_add_char(r->out, '\n');
    r->begun = true;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static void escaped_line(cv_buf *out, cv_str line)
{
    cv_str trimmed = cv_str_trim_left(line);
    cv_buf_add(out, cv_str_range(line.p, trimmed.p));
    cv_buf_add_char(out, '\\');
    cv_buf_add(out, trimmed);
}

void cv_text_print(cv_buf *out, cv_str text, unsigned where, const cv_map *agents)
{
    cv_str rest = text, line;
    char fence = 0;
    size_t fence_length = 0, length;
    for (bool first = true; cv_str_split(&rest, '\n', &line); first = false) {
        cv_str trimmed = cv_str_trim(line);
        if (fence) {
            if (cv_line_fence(trimmed, true, &length) == fence && length >= fence_length)
                fence = 0;
            cv_buf_add(out, line);
        } else if ((fence = cv_line_fence(trimmed, false, &length)) != 0) {
            fence_length = length;
            cv_buf_add(out, line);
        } else if (cv_line_is_structure(line, where, first || !rest.p, agents)) {
            escaped_line(out, line);
        } else {
            cv_buf_add(out, line);
        }
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; fence && i < fence_length; i++)
        cv_buf_add_char(out, fence);
    if (fence)
        cv_buf_add_char(out, '\n');
}

/* ---- tables --------------------------------------------------------------------------------------------------- */

void cv_cell_print(cv_buf *out, cv_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : '|';
        if (c == '|' || (c == '\\' && (next == '|' || next == '\\')))
            cv_buf_add_char(out, '\\');
        cv_buf_add_char(out, c);
    }
}

void cv_table_render(const cv_table *t, cv_buf *out)
{
    for (size_t i = 0; i < t->count; i++) {
        const cv_row *row = &t->items[i];
        for (size_t k = 0; k < row->count; k++) {
            cv_buf_add_z(out, k ? " " : "| ");
            cv_cell_print(out, row->cells[k]);
            cv_buf_add_z(out, " |");
        }
        cv_buf_add_char(out, '\n');
        for (size_t k = 0; i == 0 && k < row->count; k++)
            cv_buf_add_z(out, k ? "---|" : "|---|");
        if (i == 0)
            cv_buf_add_char(out, '\n');
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Does this text end the body of a mark before it by itself, with a heading? */
static bool begins_with_heading(renderer *r, cv_str s)
{
    cv_line line;
    cv_str first = cv_str_head(s, cv_str_find_char(s, '\n'));
    cv_line_classify(first, &r->agents, &line);
    return (line.level == 1 || line.level == 3) && !cv_line_is_structure(first, r->where, true, &r->agents);
}

static void blocks(renderer *r, const cv_blocks *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const cv_block *b = &list->items[i];
        blank_line(r);
        switch (b->kind) {
        case CV_BLOCK_TEXT:
            if (i > 0 && b[-1].kind == CV_BLOCK_MARK && !begins_with_heading(r, b->text))
                cv_buf_add_z(r->out, "---\n\n");
            cv_text_print(r->out, b->text, r->where, &r->agents);
            break;
        case CV_BLOCK_MARK:
            cv_mark_print(r->out, b->mark);
            cv_buf_add_char(r->out, '\n');
            if (b->mark->body.n > 0)
                cv_text_print(r->out, b->mark->body, r->where | CV_IN_BODY, &r->agents);
            break;
        case CV_BLOCK_TABLE:
            cv_table_render(b->table, r->out);
            break;
        }
    }
}

/* ---- headings ---------------------------------------------------------------------------------------------------- */

static cv_str heading_line(renderer *r, const char *marks, cv_str s)
{
    return cv_arena_printf(r->a, "%s %.*s", marks, CV_FMT(s));
}

/* A title, or the heading of another section: guarded when it would be read as something else. */
static void plain_heading(renderer *r, const char *marks, cv_str s)
{
    cv_line line;
    int round;
    cv_str label;
    cv_line_classify(heading_line(r, marks, s), &r->agents, &line);
    bool other = line.kind == CV_LINE_HEADING1 ||
                 (line.kind == CV_LINE_SECTION && cv_section_read(r->a, s, &round, &label) == CV_SECTION_OTHER);
    cv_buf_add_z(r->out, marks);
    cv_buf_add_char(r->out, ' ');
    if (!other || s.p[0] == '\\')
        cv_buf_add_char(r->out, '\\');
    cv_buf_add(r->out, s);
    cv_buf_add_char(r->out, '\n');
}

/* ## 💙 Judge: Round 0 Assessment; a label is guarded when it would not come back as it is. */
static void judge_heading(renderer *r, const cv_section *s)
{
    cv_buf_printf(r->out, "## %.*s %.*s", CV_FMT(cv_judge_emoji), CV_FMT(cv_judge_name));
    cv_str known = cv_arena_printf(r->a, "%.*s", CV_FMT(cv_judge_name)), label;
    cv_str tail = s->round >= 0 ? cv_arena_printf(r->a, ": Round %d", s->round) : (cv_str){NULL, 0};
    if (s->label.n > 0)
        tail = cv_arena_printf(r->a, "%.*s%s%.*s", CV_FMT(tail), s->round >= 0 ? " " : ": ", CV_FMT(s->label));
    int round;
    cv_section_read(r->a, cv_arena_join(r->a, known, tail), &round, &label);
    if (round != s->round || !cv_str_eq(label, s->label))
        tail = s->round >= 0 ? cv_arena_printf(r->a, ": Round %d \\%.*s", s->round, CV_FMT(s->label))
                             : cv_arena_printf(r->a, ": \\%.*s", CV_FMT(s->label));
    cv_buf_add(r->out, tail);
    cv_buf_add_char(r->out, '\n');
}

static void section_heading(renderer *r, const cv_section *s)
{
    blank_line(r);
    switch (s->kind) {
    case CV_SECTION_OTHER:
        plain_heading(r, "##", s->label);
        break;
    case CV_SECTION_JUDGE:
        judge_heading(r, s);
        break;
    case CV_SECTION_ROUND:
        cv_buf_printf(r->out, "## Round %d%s", s->round, s->label.n ? ": " : "");
        cv_buf_add(r->out, s->label);
        cv_buf_add_char(r->out, '\n');
        break;
    default:
        cv_buf_add_z(r->out, "## ");
        cv_buf_add(r->out, cv_section_titles.items[s->kind]);
        if (s->label.n) {
            cv_buf_add_z(r->out, " (");
            cv_buf_add(r->out, s->label);
            cv_buf_add_char(r->out, ')');
        }
        cv_buf_add_char(r->out, '\n');
        break;
    }
}

static void agent(renderer *r, const cv_agent *a)
{
    blank_line(r);
    cv_buf_add_z(r->out, "### ");
    cv_buf_add(r->out, a->name);
    cv_buf_add_char(r->out, ' ');
    cv_buf_add(r->out, a->emoji);
    if (a->role.n) {
        cv_buf_add_z(r->out, " (");
        cv_buf_add(r->out, a->role);
        cv_buf_add_char(r->out, ')');
    }
    cv_buf_add_char(r->out, '\n');
    blocks(r, &a->content);
}

void cv_doc_render(cv_arena *a, const cv_doc *doc, cv_buf *out)
{
    renderer r = {.a = a, .doc = doc, .out = out};
    r.where = CV_IN_INTRO | (doc->title.n ? 0 : CV_UNTITLED);
    if (doc->title.n) {
        blank_line(&r);
        plain_heading(&r, "#", doc->title);
    }
    if (doc->metadata.count)
        blank_line(&r);
    for (size_t i = 0; i < doc->metadata.count; i++) {
        const cv_meta *m = &doc->metadata.items[i];
        cv_buf_add_z(out, "**");
        cv_buf_add(out, m->key);
        cv_buf_add_z(out, m->value.n ? "**: " : "**:");
        cv_buf_add(out, m->value);
        cv_buf_add_char(out, '\n');
    }
    /* A byte order mark that is text: a blank line keeps it from standing at the very beginning. */
    if (!r.begun && doc->intro.count && cv_str_starts(doc->intro.items[0].text, CV_STR("\xEF\xBB\xBF")))
        cv_buf_add_char(out, '\n');
    blocks(&r, &doc->intro);
    cv_agents_learn(a, doc, NULL, &r.agents);
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *s = &doc->sections.items[i];
        r.where = s->kind == CV_SECTION_ROUND ? CV_IN_ROUND : s->kind <= CV_SECTION_TENSIONS ? CV_IN_TABLES : 0;
        section_heading(&r, s);
        blocks(&r, &s->content);
        for (size_t k = 0; k < s->agents.count; k++)
            agent(&r, &s->agents.items[k]);
        cv_agents_learn(a, doc, s, &r.agents);
    }
}
