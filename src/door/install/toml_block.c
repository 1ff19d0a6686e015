/* toml_block.c - our lines in somebody else's TOML file; see toml_block.h.
 *
 * The cv_toml_scan goes from statement to statement: a header, an entry, a comment, nothing. Of values it knows where
 * they end: strings, and brackets with strings and comments in them.
 */
#include "door/install/toml_block.h"

#include <assert.h>

#include "base/buf.h"
#include "base/toml_scan.h"

static bool begins(const cv_toml_path *whole, const cv_toml_path *prefix)
{
    for (size_t i = 0; i < prefix->count; i++)
        if (i >= whole->count || !cv_str_eq(whole->parts[i], prefix->parts[i]))
            return false;
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Up to the bracket that closes the first one; which closes which is left to who reads the file. */
static bool skip_brackets(cv_toml_scan *s)
{
    size_t start = s->at, depth = 0;
    assert(cv_toml_peek(s) == '[' || cv_toml_peek(s) == '{');
    while (s->at < s->text.n) {
        char c = cv_toml_peek(s);
        if (c == '"' || c == '\'') {
            if (!cv_toml_skip_string(s))
                return false;
            continue;
        }
        cv_toml_skip_comment(s);
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        s->at += c != '#';
        if (depth == 0)
            return true;
    }
    return cv_toml_bad(s, start, "this value has no end");
}

/* A number, a time, true or false. Between a date and its time a blank may stand. */
static bool skip_word(cv_toml_scan *s)
{
    size_t start = s->at;
    for (;;) {
        while (cv_toml_is_bare(cv_toml_peek(s)) || (cv_toml_peek(s) && strchr("+.:", cv_toml_peek(s))))
            s->at++;
        bool date = s->at - start == strlen("0000-00-00") && s->text.p[start + 4] == '-';
        if (!date || cv_toml_peek(s) != ' ' || s->at + 1 >= s->text.n || !cv_is_digit(s->text.p[s->at + 1]))
            break;
        s->at++;
    }
    return s->at > start || cv_toml_bad(s, s->at, "a value is expected here");
}

static bool skip_value(cv_toml_scan *s)
{
    switch (cv_toml_peek(s)) {
    case '[':
    case '{':
        return skip_brackets(s);
    case '"':
    case '\'':
        return cv_toml_skip_string(s);
    default:
        return skip_word(s);
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

typedef enum { NOTHING, TABLE, LIST, ENTRY } kind;

/* One line, or the lines of one value. */
typedef struct {
    kind kind;
    size_t start, end; /* without its line break */
    cv_str comment;    /* all of a line that is one */
    cv_toml_path path;
} statement;

static bool read_header(cv_toml_scan *s, statement *ret)
{
    const char *close = ret->kind == LIST ? "]]" : "]";
    s->at += strlen(close);
    if (!cv_toml_read_path(s, &ret->path))
        return false;
    if (!cv_toml_comes(s, close))
        return cv_toml_bad(s, s->at, ret->kind == LIST ? "]] is expected here" : "] is expected here");
    s->at += strlen(close);
    return true;
}

static bool read_entry(cv_toml_scan *s, statement *ret)
{
    if (!cv_toml_read_path(s, &ret->path))
        return false;
    if (cv_toml_peek(s) != '=')
        return cv_toml_bad(s, s->at, "an equals sign is expected here");
    s->at++;
    cv_toml_skip_blanks(s);
    return skip_value(s);
}

static bool read_statement(cv_toml_scan *s, statement *ret)
{
    *ret = (statement){.start = s->at};
    cv_toml_skip_blanks(s);
    size_t text = s->at;
    if (cv_toml_comes(s, "["))
        ret->kind = cv_toml_comes(s, "[[") ? LIST : TABLE;
    else if (!cv_toml_at_line_end(s) && cv_toml_peek(s) != '#')
        ret->kind = ENTRY;
    if (ret->kind != NOTHING && !(ret->kind == ENTRY ? read_entry(s, ret) : read_header(s, ret)))
        return false;
    cv_toml_skip_blanks(s);
    cv_toml_skip_comment(s);
    if (!cv_toml_at_line_end(s))
        return cv_toml_bad(s, s->at, "the end of the line is expected here");
    if (ret->kind == NOTHING)
        ret->comment = cv_str_trim(cv_str_range(s->text.p + text, s->text.p + s->at));
    ret->end = s->at;
    s->at += cv_edit_break(s->text, s->at);
    return true;
}

/* ---- the block --------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str first, last; /* the two comments */
    cv_str todo;
    cv_toml_path table;
    cv_toml_path current; /* the table that entries belong to */
    bool opened, closed;  /* the comments have been seen */
    bool inside;
    cv_edit_range whole, lines; /* from the first comment to the end of the last; between them */
} search;

static bool refuse(const cv_toml_scan *s, size_t at, const char *what, cv_str todo)
{
    cv_toml_bad(s, at, what);
    cv_err_suggest(s->err, todo);
    return false;
}

static bool see_comment(const cv_toml_scan *s, search *f, const statement *st)
{
    bool first = cv_str_eq(st->comment, f->first), last = cv_str_eq(st->comment, f->last);
    if (!first && !last)
        return true;
    if (first ? f->opened : f->closed)
        return refuse(s, st->start, "this comment is there twice: it is not clear which lines are ours",
                      CV_STR("remove one block with both of its comments; nothing was changed"));
    if (last && !f->opened)
        return refuse(s, st->start, "our lines end here, but the comment at their beginning is missing",
                      CV_STR("remove our lines and this comment, and install again; nothing was changed"));
    if (first) {
        f->whole.start = st->start;
        f->lines.start = s->at;
    } else {
        f->lines.end = st->start;
        f->whole.end = st->end;
    }
    f->opened = true;
    f->closed = last;
    f->inside = first;
    return true;
}

/* Outside of the block nothing may have the place of our table: not itself, not a value or a list above it. */
static bool see_outside(const cv_toml_scan *s, const search *f, const statement *st, const cv_toml_path *whole)
{
    bool ours = begins(whole, &f->table), above = begins(&f->table, whole);
    if (ours && st->kind == ENTRY && f->closed && begins(&f->current, &f->table))
        return refuse(s, st->start, "this is after our lines and so belongs to our table",
                      CV_STR("move it before them, or below a table of its own; nothing was changed"));
    if (ours)
        return refuse(s, st->start, "our entry is written here, outside of our lines", f->todo);
    if (above && st->kind != TABLE)
        return refuse(s, st->start, "this has no place for another table: it is a value or a list itself",
                      CV_STR("write its servers as tables, [mcp_servers.NAME]; nothing was changed"));
    return true;
}

static bool see(const cv_toml_scan *s, search *f, const statement *st)
{
    cv_toml_path whole = st->kind == ENTRY ? f->current : (cv_toml_path){.count = 0};
    if (st->kind == NOTHING)
        return see_comment(s, f, st);
    for (size_t i = 0; i < st->path.count && whole.count < CV_TOML_PARTS; i++)
        whole.parts[whole.count++] = st->path.parts[i];
    if (!f->inside && !see_outside(s, f, st, &whole))
        return false;
    if (st->kind != ENTRY)
        f->current = whole;
    return true;
}

static bool find(cv_arena *a, const cv_toml_block *block, cv_str text, search *ret, cv_err *err)
{
    cv_toml_scan name = {a, block->table, 0, err}, s = {a, text, cv_edit_begin(text), err};
    statement st;
    *ret = (search){.first = cv_arena_printf(a, "# >>> %.*s", CV_FMT(block->name)),
                    .last = cv_arena_printf(a, "# <<< %.*s", CV_FMT(block->name)),
                    .todo = block->todo};
    if (!cv_toml_read_path(&name, &ret->table))
        return false;
    while (s.at < text.n)
        if (!read_statement(&s, &st) || !see(&s, ret, &st))
            return false;
    return !ret->inside || refuse(&s, ret->whole.start, "our lines begin here, but the comment at their end is missing",
                                  CV_STR("remove our lines and this comment, and install again; nothing was changed"));
}

bool cv_toml_block_find(cv_arena *a, const cv_toml_block *block, cv_str text, bool *ret_found, cv_str *ret_lines,
                        cv_err *err)
{
    search f;
    if (!find(a, block, text, &f, err))
        return false;
    *ret_found = f.closed;
    *ret_lines = f.closed ? cv_str_range(text.p + f.lines.start, text.p + f.lines.end) : (cv_str){NULL, 0};
    return true;
}

cv_str cv_toml_block_lines(cv_arena *a, cv_str text, cv_str lines)
{
    cv_str nl = cv_edit_line_break(text), line;
    cv_buf out = {0};
    for (cv_str rest = lines; rest.n > 0 && cv_str_split(&rest, '\n', &line);) {
        cv_buf_add(&out, cv_str_ends(line, CV_STR("\r")) ? cv_str_head(line, line.n - 1) : line);
        cv_buf_add(&out, nl);
    }
    return cv_buf_take(&out, a);
}

bool cv_toml_block_set(cv_arena *a, const cv_toml_block *block, cv_str text, cv_str lines, cv_str *ret_text,
                       cv_err *err)
{
    search f;
    if (!find(a, block, text, &f, err))
        return false;
    assert(!f.closed || (f.whole.start < f.lines.start && f.lines.start <= f.lines.end && f.lines.end < f.whole.end));
    lines = cv_toml_block_lines(a, text, lines);
    if (f.closed) {
        *ret_text = cv_edit_replace(a, text, f.lines.start, f.lines.end, lines);
        return true;
    }
    cv_str nl = cv_edit_line_break(text);
    bool has_text = text.n > cv_edit_begin(text);
    bool open = has_text && text.p[text.n - 1] != '\n'; /* a file whose last line has no end keeps that */
    cv_buf out = {0};
    cv_buf_add(&out, text);
    for (int breaks = (int)has_text + (int)open; breaks > 0; breaks--)
        cv_buf_add(&out, nl);
    cv_buf_printf(&out, "%.*s%.*s%.*s%.*s", CV_FMT(f.first), CV_FMT(nl), CV_FMT(lines), CV_FMT(f.last));
    if (!open)
        cv_buf_add(&out, nl);
    *ret_text = cv_buf_take(&out, a);
    return true;
}

/* How long the line break that ends at `at` is. */
static size_t break_before(cv_str text, size_t at)
{
    if (at == 0 || text.p[at - 1] != '\n')
        return 0;
    return at > 1 && text.p[at - 2] == '\r' ? 2 : 1;
}

/* With the empty line in front of it, and the end of the line before that when it was the last without one: what set
 * has put there. */
bool cv_toml_block_remove(cv_arena *a, const cv_toml_block *block, cv_str text, cv_str *ret_text, cv_err *err)
{
    search f;
    *ret_text = text;
    if (!find(a, block, text, &f, err))
        return false;
    if (!f.closed)
        return true;
    size_t start = f.whole.start, end = f.whole.end + cv_edit_break(text, f.whole.end);
    size_t empty = break_before(text, start);
    bool is_empty_line = empty && (start == empty + cv_edit_begin(text) || break_before(text, start - empty));
    if (is_empty_line)
        start -= empty;
    if (is_empty_line && end == f.whole.end)
        start -= break_before(text, start);
    *ret_text = cv_edit_replace(a, text, start, end, (cv_str){NULL, 0});
    return true;
}
