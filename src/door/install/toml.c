/* toml.c - one table in somebody else's TOML file; see toml.h. */
#include "door/install/toml.h"

#include "base/buf.h"
#include "base/json.h"
#include "door/install/edit.h"

typedef struct {
    cv_str text;
    size_t at;
    cv_err *err;
} scanner;

/* a."b c".d; what is deeper than any configuration is refused. */
enum { MAX_PARTS = 32 };
typedef struct {
    cv_str parts[MAX_PARTS];
    size_t count;
} path;

typedef enum { NOTHING, TABLE, LIST, ENTRY } kind; /* nothing: blank, or a comment */

/* One line, or the lines of one value. */
typedef struct {
    kind kind;
    size_t start, end;       /* its line break included */
    size_t value, value_end; /* of an entry */
    path path;
} statement;

/* ---- scanning --------------------------------------------------------------------------------------------------- */

static bool bad(const scanner *s, const char *what)
{
    return cv_edit_fail(s->err, CV_ERR_TOML, s->text, s->at, what);
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
        while (!at_line_end(s) && peek(s) != '\r') /* which is nothing without a line feed */
            s->at++;
}

/* Blanks, a comment and the line break. */
static bool skip_rest(scanner *s)
{
    skip_blanks(s);
    skip_comment(s);
    if (!at_line_end(s))
        return bad(s, "the end of the line is expected here");
    s->at += cv_edit_break(s->text, s->at);
    return true;
}

/* "…", '…' and both in three quotes, which may have line breaks, and quotes of their own before those that close. */
static bool skip_string(scanner *s)
{
    size_t start = s->at;
    char quote = peek(s);
    const char *triple = quote == '"' ? "\"\"\"" : "'''";
    bool lines = comes(s, triple);
    s->at += lines ? 3 : 1;
    while (s->at < s->text.n && (lines || !at_line_end(s))) {
        bool closes = lines ? comes(s, triple) : peek(s) == quote;
        if (closes) {
            s->at += lines ? 3 : 1;
            for (int more = 0; lines && more < 2 && peek(s) == quote; more++)
                s->at++;
            return true;
        }
        s->at += quote == '"' && peek(s) == '\\' ? 2 : 1;
    }
    s->at = start;
    return bad(s, "this string has no end");
}

/* To the end of its last line; ret_end stands behind the value itself. */
static bool skip_value(scanner *s, size_t *ret_end)
{
    size_t depth = 0, start = s->at;
    *ret_end = start;
    while (s->at < s->text.n && (depth > 0 || (!at_line_end(s) && peek(s) != '#'))) {
        char c = peek(s);
        if (c == '\r' && !at_line_end(s))
            return bad(s, "a line feed is missing here");
        if (c == '#') {
            skip_comment(s);
            continue;
        }
        if (c == '"' || c == '\'') {
            if (!skip_string(s))
                return false;
        } else if ((c == ']' || c == '}') && depth == 0) {
            return bad(s, "nothing is open that could be closed here");
        } else {
            depth += c == '[' || c == '{';
            depth -= c == ']' || c == '}';
            s->at++;
        }
        *ret_end = cv_is_space(c) ? *ret_end : s->at;
    }
    if (depth == 0 && *ret_end > start)
        return true;
    s->at = start;
    return bad(s, depth ? "this value has no end" : "a value is expected here");
}

static bool is_bare(char c)
{
    return cv_is_alnum(c) || c == '_' || c == '-';
}

static bool read_part(scanner *s, cv_str *ret_part)
{
    size_t start = s->at;
    cv_err err = {.arena = s->err->arena};
    cv_json text;
    if (peek(s) == '"' || peek(s) == '\'') {
        if (comes(s, "\"\"\"") || comes(s, "'''"))
            return bad(s, "a key is expected here");
        if (!skip_string(s))
            return false;
        cv_str written = cv_str_range(s->text.p + start, s->text.p + s->at);
        *ret_part = cv_str_range(written.p + 1, cv_str_end(written) - 1);
        if (written.p[0] == '"' && cv_json_parse(err.arena, written, &text, &err))
            *ret_part = text.text;
        return true;
    }
    while (is_bare(peek(s)))
        s->at++;
    *ret_part = cv_str_range(s->text.p + start, s->text.p + s->at);
    return ret_part->n > 0 || bad(s, "a key is expected here");
}

static bool read_path(scanner *s, path *ret)
{
    ret->count = 0;
    for (;; s->at++) {
        skip_blanks(s);
        if (ret->count == MAX_PARTS)
            return bad(s, "this key has too many parts");
        if (!read_part(s, &ret->parts[ret->count++]))
            return false;
        skip_blanks(s);
        if (peek(s) != '.')
            return true;
    }
}

static bool read_header(scanner *s, statement *ret)
{
    const char *close = ret->kind == LIST ? "]]" : "]";
    s->at += strlen(close);
    if (!read_path(s, &ret->path))
        return false;
    if (!comes(s, close))
        return bad(s, ret->kind == LIST ? "]] is expected here" : "] is expected here");
    s->at += strlen(close);
    return true;
}

static bool read_entry(scanner *s, statement *ret)
{
    if (!read_path(s, &ret->path))
        return false;
    if (peek(s) != '=')
        return bad(s, "an equals sign is expected here");
    s->at++;
    skip_blanks(s);
    ret->value = s->at;
    return skip_value(s, &ret->value_end);
}

static bool read_statement(scanner *s, statement *ret)
{
    *ret = (statement){.start = s->at};
    skip_blanks(s);
    bool nothing = at_line_end(s) || peek(s) == '#';
    ret->kind = nothing ? NOTHING : comes(s, "[[") ? LIST : peek(s) == '[' ? TABLE : ENTRY;
    bool ok = nothing || (ret->kind == ENTRY ? read_entry(s, ret) : read_header(s, ret));
    ok = ok && skip_rest(s);
    ret->end = s->at;
    return ok;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t start, end;
} range;

/* Where our table is: its header, the values of its keys, and all of it with the tables below. */
typedef struct {
    path table;
    bool found;
    size_t body; /* behind the header */
    struct {
        range *items;
        size_t count, capacity;
    } ranges;
    cv_str key; /* that is looked for in it */
    bool has_key;
    range value;
} search;

static bool begins(const path *whole, const path *prefix)
{
    for (size_t i = 0; i < prefix->count; i++)
        if (i >= whole->count || !cv_str_eq(whole->parts[i], prefix->parts[i]))
            return false;
    return true;
}

/* Our table written in a way that has no place for another key. */
static bool in_the_way(scanner *s, size_t at)
{
    s->at = at;
    bad(s, "the entry is written here in another form");
    s->err->suggestion = CV_STR("make it a table of its own, or remove it; nothing was changed");
    return false;
}

static bool see_header(scanner *s, cv_arena *a, const statement *st, search *ret, bool *inside)
{
    bool ours = begins(&st->path, &ret->table), same = ours && st->path.count == ret->table.count;
    if (st->kind == LIST && (ours ? same : begins(&ret->table, &st->path)))
        return in_the_way(s, st->start);
    if (same && ret->found) {
        s->at = st->start;
        return bad(s, "this table is there twice");
    }
    if (same) {
        ret->found = true;
        ret->body = st->end;
    }
    *inside = ours;
    if (ours)
        *CV_PUSH(a, &ret->ranges) = (range){st->start, st->end};
    return true;
}

static bool see_entry(scanner *s, const path *table, const statement *st, search *ret, bool inside)
{
    path whole = *table;
    for (size_t i = 0; i < st->path.count && whole.count < MAX_PARTS; i++)
        whole.parts[whole.count++] = st->path.parts[i];
    if (!inside && (begins(&whole, &ret->table) || begins(&ret->table, &whole)))
        return in_the_way(s, st->start);
    if (inside)
        ret->ranges.items[ret->ranges.count - 1].end = st->end;
    if (inside && table->count == ret->table.count && st->path.count == 1 && cv_str_eq(st->path.parts[0], ret->key)) {
        ret->has_key = true;
        ret->value = (range){st->value, st->value_end};
    }
    return true;
}

static bool find(cv_arena *a, cv_str text, cv_str table, cv_str key, search *ret, cv_err *err)
{
    scanner name = {table, 0, err}, s = {text, cv_edit_begin(text), err};
    path current = {.count = 0};
    bool inside = false, ok = true;
    statement st;
    *ret = (search){.key = key};
    if (!read_path(&name, &ret->table))
        return false;
    while (ok && s.at < text.n) {
        ok = read_statement(&s, &st);
        size_t next = s.at;
        if (ok && (st.kind == TABLE || st.kind == LIST)) {
            ok = see_header(&s, a, &st, ret, &inside);
            current = st.path;
        } else if (ok && st.kind == ENTRY) {
            ok = see_entry(&s, &current, &st, ret, inside);
        }
        s.at = ok ? next : s.at;
    }
    return ok;
}

/* ---- changing --------------------------------------------------------------------------------------------------- */

/* A file whose last line has no end keeps that. */
static cv_str append(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count)
{
    cv_str nl = cv_edit_line_break(text);
    bool open = text.n > cv_edit_begin(text) && text.p[text.n - 1] != '\n';
    cv_buf out = {0};
    cv_buf_add(&out, text);
    if (open)
        cv_buf_add(&out, nl);
    if (text.n > cv_edit_begin(text))
        cv_buf_add(&out, nl);
    cv_buf_printf(&out, "[%.*s]", CV_FMT(table));
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&out, "%.*s%.*s = %.*s", CV_FMT(nl), CV_FMT(entries[i].key), CV_FMT(entries[i].value));
    if (!open)
        cv_buf_add(&out, nl);
    return cv_buf_take(&out, a);
}

static cv_str add_entry(cv_arena *a, cv_str text, const search *found, const cv_toml_entry *e)
{
    cv_str nl = cv_edit_line_break(text);
    bool open = text.p[found->body - 1] != '\n'; /* the header is all there is */
    cv_str line = cv_arena_printf(a, "%.*s%.*s = %.*s%.*s", CV_FMT(open ? nl : CV_STR("")), CV_FMT(e->key),
                                  CV_FMT(e->value), CV_FMT(open ? CV_STR("") : nl));
    return cv_edit_replace(a, text, found->body, found->body, line);
}

bool cv_toml_set(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count, cv_str *ret_text,
                 cv_err *err)
{
    search found;
    if (!find(a, text, table, (cv_str){NULL, 0}, &found, err))
        return false;
    *ret_text = found.found ? text : append(a, text, table, entries, count);
    for (size_t i = count; i-- > 0 && found.found;) {
        if (!find(a, *ret_text, table, entries[i].key, &found, err))
            return false;
        *ret_text = found.has_key ? cv_edit_replace(a, *ret_text, found.value.start, found.value.end, entries[i].value)
                                  : add_entry(a, *ret_text, &found, &entries[i]);
    }
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
static cv_str cut(cv_arena *a, cv_str text, range r)
{
    size_t start = r.start, empty = break_before(text, start);
    size_t end = r.end < text.n ? r.end : text.n; /* its last line break may have gone with the table behind it */
    bool open = end == text.n && text.p[end - 1] != '\n';
    bool is_empty_line = empty && (start == empty + cv_edit_begin(text) || break_before(text, start - empty));
    if (is_empty_line)
        start -= empty;
    if (is_empty_line && open)
        start -= break_before(text, start);
    return cv_edit_replace(a, text, start, end, (cv_str){NULL, 0});
}

bool cv_toml_remove(cv_arena *a, cv_str text, cv_str table, cv_str *ret_text, cv_err *err)
{
    search found;
    if (!find(a, text, table, (cv_str){NULL, 0}, &found, err))
        return false;
    *ret_text = text;
    for (size_t i = found.ranges.count; i-- > 0;)
        *ret_text = cut(a, *ret_text, found.ranges.items[i]);
    return true;
}
