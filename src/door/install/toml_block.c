/* toml_block.c - our lines in somebody else's TOML file; see toml_block.h.
 *
 * The scanner goes from statement to statement: a header, an entry, a comment, nothing. Of values it knows where they
 * end: strings, and brackets with strings and comments in them.
 */
#include "door/install/toml_block.h"

#include <assert.h>

#include "base/buf.h"
#include "base/utf8.h"

typedef struct {
    cv_arena *a;
    cv_str text;
    size_t at;
    cv_err *err;
} scanner;

static bool bad(const scanner *s, size_t at, const char *what)
{
    return cv_edit_fail(s->err, CV_ERR_TOML, s->text, at, what);
}

static char peek(const scanner *s)
{
    return s->at < s->text.n ? s->text.p[s->at] : '\0';
}

static bool comes(const scanner *s, const char *word)
{
    return cv_str_starts(cv_str_from(s->text, s->at), cv_str_of(word));
}

static bool at_line_end(const scanner *s)
{
    return s->at >= s->text.n || cv_edit_break(s->text, s->at) > 0;
}

static void skip_blanks(scanner *s)
{
    while (peek(s) == ' ' || peek(s) == '\t')
        s->at++;
}

static void skip_comment(scanner *s)
{
    if (peek(s) == '#')
        while (!at_line_end(s) && peek(s) != '\r')
            s->at++;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* "…", '…' and both in three quotes, which may have line breaks, and quotes of their own before those that close. */
static bool skip_string(scanner *s)
{
    size_t start = s->at;
    char quote = peek(s);
    const char *triple = quote == '"' ? "\"\"\"" : "'''";
    bool lines = comes(s, triple);
    size_t length = lines ? 3 : 1;
    for (s->at += length; s->at < s->text.n && (lines || !at_line_end(s)); s->at++) {
        if (lines ? comes(s, triple) : peek(s) == quote) {
            s->at += length;
            for (int more = 0; lines && more < 2 && peek(s) == quote; more++)
                s->at++;
            return true;
        }
        if (quote == '"' && peek(s) == '\\' && s->at + 1 < s->text.n && !cv_edit_break(s->text, s->at + 1))
            s->at++;
    }
    return bad(s, start, "this string has no end");
}

/* \u0063 and its like, at s->at behind the backslash, as UTF-8. */
static bool read_escape(scanner *s, cv_buf *out)
{
    static const char names[] = "btnfre\"\\", values[] = "\b\t\n\f\r\033\"\\";
    char c = peek(s);
    size_t start = s->at, digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const char *at = c ? strchr(names, c) : NULL;
    uint32_t code = 0;
    s->at++;
    for (size_t i = 0; i < digits; i++, s->at++) {
        static const char hex[] = "0123456789abcdef";
        char d = peek(s);
        const char *value = d ? strchr(hex, d >= 'A' && d <= 'F' ? d - 'A' + 'a' : d) : NULL;
        if (!value)
            return bad(s, start, "no escape is written like this");
        code = code * 16 + (uint32_t)(value - hex);
    }
    char bytes[4];
    if (at)
        cv_buf_add_char(out, values[at - names]);
    else if (digits && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF))
        cv_buf_add(out, (cv_str){bytes, cv_utf8_put(code, bytes)});
    else
        return bad(s, start, "no escape is written like this");
    return true;
}

static bool read_quoted(scanner *s, cv_str *ret_part)
{
    size_t start = s->at;
    if (comes(s, "\"\"\"") || comes(s, "'''"))
        return bad(s, s->at, "a key is expected here");
    if (!skip_string(s))
        return false;
    scanner in = {s->a, cv_str_head(s->text, s->at - 1), start + 1, s->err};
    *ret_part = cv_str_from(in.text, in.at);
    if (s->text.p[start] == '\'' || cv_str_find_char(*ret_part, '\\') == SIZE_MAX)
        return true;
    cv_buf out = {0};
    bool ok = true;
    while (ok && in.at < in.text.n) {
        char c = in.text.p[in.at++];
        if (c == '\\')
            ok = read_escape(&in, &out);
        else
            cv_buf_add_char(&out, c);
    }
    *ret_part = cv_buf_take(&out, s->a);
    return ok;
}

static bool is_bare(char c)
{
    return cv_is_alnum(c) || c == '_' || c == '-';
}

/* a."b c".d; what is deeper than any configuration is refused. */
enum { MAX_PARTS = 32 };
typedef struct {
    cv_str parts[MAX_PARTS];
    size_t count;
} path;

static bool read_path(scanner *s, path *ret)
{
    for (;; s->at++) {
        skip_blanks(s);
        size_t start = s->at;
        if (ret->count == MAX_PARTS)
            return bad(s, s->at, "this key has too many parts");
        cv_str *part = &ret->parts[ret->count++];
        if (peek(s) == '"' || peek(s) == '\'') {
            if (!read_quoted(s, part))
                return false;
        } else {
            while (is_bare(peek(s)))
                s->at++;
            *part = cv_str_range(s->text.p + start, s->text.p + s->at);
            if (part->n == 0)
                return bad(s, s->at, "a key is expected here");
        }
        skip_blanks(s);
        if (peek(s) != '.')
            return true;
    }
}

static bool begins(const path *whole, const path *prefix)
{
    for (size_t i = 0; i < prefix->count; i++)
        if (i >= whole->count || !cv_str_eq(whole->parts[i], prefix->parts[i]))
            return false;
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Up to the bracket that closes the first one; which closes which is left to who reads the file. */
static bool skip_brackets(scanner *s)
{
    size_t start = s->at, depth = 0;
    assert(peek(s) == '[' || peek(s) == '{');
    while (s->at < s->text.n) {
        char c = peek(s);
        if (c == '"' || c == '\'') {
            if (!skip_string(s))
                return false;
            continue;
        }
        skip_comment(s);
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        s->at += c != '#';
        if (depth == 0)
            return true;
    }
    return bad(s, start, "this value has no end");
}

/* A number, a time, true or false. Between a date and its time a blank may stand. */
static bool skip_word(scanner *s)
{
    size_t start = s->at;
    for (;;) {
        while (is_bare(peek(s)) || (peek(s) && strchr("+.:", peek(s))))
            s->at++;
        bool date = s->at - start == strlen("0000-00-00") && s->text.p[start + 4] == '-';
        if (!date || peek(s) != ' ' || s->at + 1 >= s->text.n || !cv_is_digit(s->text.p[s->at + 1]))
            break;
        s->at++;
    }
    return s->at > start || bad(s, s->at, "a value is expected here");
}

static bool skip_value(scanner *s)
{
    switch (peek(s)) {
    case '[':
    case '{':
        return skip_brackets(s);
    case '"':
    case '\'':
        return skip_string(s);
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
    path path;
} statement;

static bool read_header(scanner *s, statement *ret)
{
    const char *close = ret->kind == LIST ? "]]" : "]";
    s->at += strlen(close);
    if (!read_path(s, &ret->path))
        return false;
    if (!comes(s, close))
        return bad(s, s->at, ret->kind == LIST ? "]] is expected here" : "] is expected here");
    s->at += strlen(close);
    return true;
}

static bool read_entry(scanner *s, statement *ret)
{
    if (!read_path(s, &ret->path))
        return false;
    if (peek(s) != '=')
        return bad(s, s->at, "an equals sign is expected here");
    s->at++;
    skip_blanks(s);
    return skip_value(s);
}

static bool read_statement(scanner *s, statement *ret)
{
    *ret = (statement){.start = s->at};
    skip_blanks(s);
    size_t text = s->at;
    if (comes(s, "["))
        ret->kind = comes(s, "[[") ? LIST : TABLE;
    else if (!at_line_end(s) && peek(s) != '#')
        ret->kind = ENTRY;
    if (ret->kind != NOTHING && !(ret->kind == ENTRY ? read_entry(s, ret) : read_header(s, ret)))
        return false;
    skip_blanks(s);
    skip_comment(s);
    if (!at_line_end(s))
        return bad(s, s->at, "the end of the line is expected here");
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
    path table;
    path current;        /* the table that entries belong to */
    bool opened, closed; /* the comments have been seen */
    bool inside;
    cv_edit_range whole, lines; /* from the first comment to the end of the last; between them */
} search;

static bool refuse(const scanner *s, size_t at, const char *what, cv_str todo)
{
    bad(s, at, what);
    cv_err_suggest(s->err, todo);
    return false;
}

static bool see_comment(const scanner *s, search *f, const statement *st)
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
static bool see_outside(const scanner *s, const search *f, const statement *st, const path *whole)
{
    bool ours = begins(whole, &f->table), above = begins(&f->table, whole);
    if (ours && st->kind == ENTRY && f->closed && begins(&f->current, &f->table))
        return refuse(s, st->start, "this stands behind our lines and so belongs to our table",
                      CV_STR("move it in front of them, or below a table of its own; nothing was changed"));
    if (ours)
        return refuse(s, st->start, "our entry is written here, outside of our lines", f->todo);
    if (above && st->kind != TABLE)
        return refuse(s, st->start, "this has no place for another table: it is a value or a list itself",
                      CV_STR("write its servers as tables, [mcp_servers.NAME]; nothing was changed"));
    return true;
}

static bool see(const scanner *s, search *f, const statement *st)
{
    path whole = st->kind == ENTRY ? f->current : (path){.count = 0};
    if (st->kind == NOTHING)
        return see_comment(s, f, st);
    for (size_t i = 0; i < st->path.count && whole.count < MAX_PARTS; i++)
        whole.parts[whole.count++] = st->path.parts[i];
    if (!f->inside && !see_outside(s, f, st, &whole))
        return false;
    if (st->kind != ENTRY)
        f->current = whole;
    return true;
}

static bool find(cv_arena *a, const cv_toml_block *block, cv_str text, search *ret, cv_err *err)
{
    scanner name = {a, block->table, 0, err}, s = {a, text, cv_edit_begin(text), err};
    statement st;
    *ret = (search){.first = cv_arena_printf(a, "# >>> %.*s", CV_FMT(block->name)),
                    .last = cv_arena_printf(a, "# <<< %.*s", CV_FMT(block->name)),
                    .todo = block->todo};
    if (!read_path(&name, &ret->table))
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
