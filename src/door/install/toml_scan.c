/* toml_scan.c - the statements of a TOML file; see toml_scan.h. */
#include "door/install/toml_scan.h"

#include "base/json.h"
#include "base/limits.h"
#include "door/install/edit.h"
#include "door/install/toml_word.h"

typedef cv_toml_scanner scanner;

bool cv_toml_bad(const scanner *s, const char *what)
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

/* Which may stand nowhere: only tabs and the ends of lines do; and a carriage return is none without its line feed. */
static bool is_control(char c)
{
    return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
}

static void skip_comment(scanner *s)
{
    if (peek(s) == '#')
        while (!at_line_end(s) && !is_control(peek(s)))
            s->at++;
}

/* Blanks, a comment and the line break. */
static bool skip_rest(scanner *s)
{
    skip_blanks(s);
    skip_comment(s);
    if (!at_line_end(s))
        return cv_toml_bad(s, "the end of the line is expected here");
    s->at += cv_edit_break(s->text, s->at);
    return true;
}

/* Inside brackets and braces lines may end anywhere. */
static void skip_lines(scanner *s)
{
    for (size_t line_break = 1; line_break; s->at += line_break) {
        skip_blanks(s);
        skip_comment(s);
        line_break = cv_edit_break(s->text, s->at);
    }
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* How many of the next characters are hexadecimal digits, at most `most`. */
static size_t count_hex(const scanner *s, size_t most)
{
    size_t n = 0;
    while (n < most && s->at + n < s->text.n && cv_toml_is_digit(s->text.p[s->at + n], 16))
        n++;
    return n;
}

/* \n, \u00e9; in three quotes also a backslash that ends its line. */
static bool skip_escape(scanner *s, bool lines)
{
    s->at++;
    char c = peek(s);
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (c && strchr("btnfre\"\\", c))
        return s->at++, true;
    if (digits) {
        s->at++;
        if (count_hex(s, digits) == digits)
            return s->at += digits, true;
    } else if (lines) {
        skip_blanks(s);
        if (cv_edit_break(s->text, s->at))
            return true;
    }
    return cv_toml_bad(s, "no escape is written like this");
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
        size_t line_break = cv_edit_break(s->text, s->at);
        if (quote == '"' && peek(s) == '\\') {
            if (!skip_escape(s, lines))
                return false;
        } else if (!line_break && is_control(peek(s))) {
            return cv_toml_bad(s, "a control character cannot stand in a string");
        } else {
            s->at += line_break ? line_break : 1;
        }
    }
    s->at = start;
    return cv_toml_bad(s, "this string has no end");
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

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
            return cv_toml_bad(s, "a key is expected here");
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
    return ret_part->n > 0 || cv_toml_bad(s, "a key is expected here");
}

bool cv_toml_read_path(scanner *s, cv_toml_path *ret)
{
    ret->count = 0;
    for (;; s->at++) {
        skip_blanks(s);
        if (ret->count == CV_TOML_MAX_PARTS)
            return cv_toml_bad(s, "this key has too many parts");
        if (!read_part(s, &ret->parts[ret->count++]))
            return false;
        skip_blanks(s);
        if (peek(s) != '.')
            return true;
    }
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static bool skip_value(scanner *s, size_t depth);

static size_t end_of_word(cv_str text, size_t at)
{
    while (at < text.n && (is_bare(text.p[at]) || text.p[at] == '+' || text.p[at] == '.' || text.p[at] == ':'))
        at++;
    return at;
}

/* A number, a time, true or false. Between a date and its time a blank may stand. */
static bool skip_word(scanner *s)
{
    size_t end = end_of_word(s->text, s->at);
    cv_str rest = cv_str_from(s->text, end);
    if (cv_toml_is_date(cv_str_range(s->text.p + s->at, rest.p)) && rest.n > 1 && rest.p[0] == ' ' &&
        cv_is_digit(rest.p[1]))
        end = end_of_word(s->text, end + 1);
    if (!cv_toml_is_word(cv_str_range(s->text.p + s->at, s->text.p + end)))
        return cv_toml_bad(s, "a value is expected here");
    s->at = end;
    return true;
}

/* key = value in braces; an array has the value alone. */
static bool skip_item(scanner *s, char close, size_t depth)
{
    cv_toml_path key;
    if (close == '}') {
        if (!cv_toml_read_path(s, &key))
            return false;
        if (peek(s) != '=')
            return cv_toml_bad(s, "an equals sign is expected here");
        s->at++;
        skip_blanks(s);
    }
    return skip_value(s, depth + 1);
}

/* [1, 2] or {a = 1, b = 2}; a comma may stand behind the last one. */
static bool skip_items(scanner *s, char close, size_t depth)
{
    size_t start = s->at++;
    skip_lines(s);
    while (peek(s) != close && s->at < s->text.n) {
        if (!skip_item(s, close, depth))
            return false;
        skip_lines(s);
        if (peek(s) == ',')
            s->at++;
        else if (s->at < s->text.n && peek(s) != close)
            return cv_toml_bad(s, close == ']' ? "a comma or ] is expected here" : "a comma or } is expected here");
        skip_lines(s);
    }
    bool closed = peek(s) == close;
    s->at = closed ? s->at + 1 : start;
    return closed || cv_toml_bad(s, "this value has no end");
}

static bool skip_value(scanner *s, size_t depth)
{
    if (depth > CV_MAX_JSON_DEPTH)
        return cv_toml_bad(s, "this is nested too deeply");
    switch (peek(s)) {
    case '[':
        return skip_items(s, ']', depth);
    case '{':
        return skip_items(s, '}', depth);
    case '"':
    case '\'':
        return skip_string(s);
    default:
        return skip_word(s);
    }
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static bool read_header(scanner *s, cv_toml_statement *ret)
{
    const char *close = ret->kind == CV_TOML_LIST ? "]]" : "]";
    s->at += strlen(close);
    if (!cv_toml_read_path(s, &ret->path))
        return false;
    if (!comes(s, close))
        return cv_toml_bad(s, ret->kind == CV_TOML_LIST ? "]] is expected here" : "] is expected here");
    s->at += strlen(close);
    return true;
}

static bool read_entry(scanner *s, cv_toml_statement *ret)
{
    if (!cv_toml_read_path(s, &ret->path))
        return false;
    if (peek(s) != '=')
        return cv_toml_bad(s, "an equals sign is expected here");
    s->at++;
    skip_blanks(s);
    ret->value = s->at;
    bool ok = skip_value(s, 0);
    ret->value_end = s->at;
    return ok;
}

bool cv_toml_read(scanner *s, cv_toml_statement *ret)
{
    *ret = (cv_toml_statement){.start = s->at};
    skip_blanks(s);
    bool nothing = at_line_end(s) || peek(s) == '#';
    ret->kind = nothing          ? CV_TOML_NOTHING
                : comes(s, "[[") ? CV_TOML_LIST
                : peek(s) == '[' ? CV_TOML_TABLE
                                 : CV_TOML_ENTRY;
    bool ok = nothing || (ret->kind == CV_TOML_ENTRY ? read_entry(s, ret) : read_header(s, ret));
    ok = ok && skip_rest(s);
    ret->end = s->at;
    return ok;
}
