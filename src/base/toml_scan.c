/* toml_scan.c - the parts that TOML is made of; see toml_scan.h. */
#include "base/toml_scan.h"

#include <assert.h>

#include "base/buf.h"
#include "base/utf8.h"

bool cv_toml_bad(const cv_toml_scan *s, size_t at, const char *what)
{
    assert(at <= s->text.n);
    static const cv_str mark = CV_STR_INIT("\xEF\xBB\xBF");
    size_t line = 1, column = 1, begin = cv_str_starts(s->text, mark) ? mark.n : 0;
    cv_utf8_advance(cv_str_from(cv_str_head(s->text, at), begin), &line, &column);
    return cv_err_at(s->err, CV_ERR_TOML, line, column, "%s", what);
}

bool cv_toml_comes(const cv_toml_scan *s, const char *word)
{
    return cv_str_starts(cv_str_from(s->text, s->at), cv_str_of(word));
}

size_t cv_toml_break(cv_str text, size_t at)
{
    cv_str rest = cv_str_from(text, at);
    return cv_str_starts(rest, CV_STR("\n")) ? 1 : cv_str_starts(rest, CV_STR("\r\n")) ? 2 : 0;
}

bool cv_toml_at_line_end(const cv_toml_scan *s)
{
    return s->at >= s->text.n || cv_toml_break(s->text, s->at) > 0;
}

void cv_toml_skip_blanks(cv_toml_scan *s)
{
    while (cv_toml_peek(s) == ' ' || cv_toml_peek(s) == '\t')
        s->at++;
}

void cv_toml_skip_comment(cv_toml_scan *s)
{
    if (cv_toml_peek(s) == '#')
        while (!cv_toml_at_line_end(s) && cv_toml_peek(s) != '\r')
            s->at++;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static bool is_long(const cv_toml_scan *s)
{
    return cv_toml_comes(s, cv_toml_peek(s) == '"' ? "\"\"\"" : "'''");
}

/* In three quotes there may be quotes of its own before those that close. */
bool cv_toml_skip_string(cv_toml_scan *s)
{
    assert((cv_toml_peek(s) == '"' || cv_toml_peek(s) == '\'') && "a string begins here");
    size_t start = s->at;
    char quote = cv_toml_peek(s);
    bool lines = is_long(s);
    size_t length = lines ? 3 : 1;
    for (s->at += length; s->at < s->text.n && (lines || !cv_toml_at_line_end(s)); s->at++) {
        if (lines ? cv_toml_peek(s) == quote && is_long(s) : cv_toml_peek(s) == quote) {
            s->at += length;
            for (int more = 0; lines && more < 2 && cv_toml_peek(s) == quote; more++)
                s->at++;
            return true;
        }
        if (quote == '"' && cv_toml_peek(s) == '\\' && s->at + 1 < s->text.n && !cv_toml_break(s->text, s->at + 1))
            s->at++;
    }
    return cv_toml_bad(s, start, "this string has no end");
}

/* \u0063 and its like, at s->at behind the backslash, as UTF-8. */
static bool read_escape(cv_toml_scan *s, cv_buf *out)
{
    static const char names[] = "btnfre\"\\", values[] = "\b\t\n\f\r\033\"\\";
    char c = cv_toml_peek(s);
    size_t start = s->at, digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const char *at = c ? strchr(names, c) : NULL;
    uint32_t code = 0;
    s->at++;
    for (size_t i = 0; i < digits; i++, s->at++) {
        static const char hex[] = "0123456789abcdef";
        char d = cv_toml_peek(s);
        const char *value = d ? strchr(hex, d >= 'A' && d <= 'F' ? d - 'A' + 'a' : d) : NULL;
        if (!value)
            return cv_toml_bad(s, start, "this is not a valid escape");
        code = code * 16 + (uint32_t)(value - hex);
    }
    char bytes[4];
    if (at)
        cv_buf_add_char(out, values[at - names]);
    else if (digits && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF))
        cv_buf_add(out, (cv_str){bytes, cv_utf8_put(code, bytes)});
    else
        return cv_toml_bad(s, start, "this is not a valid escape");
    return true;
}

/* A backslash at the end of a line in three quotes: the line goes on with the next word. True: there was one. */
static bool skip_line_end(cv_toml_scan *s)
{
    size_t start = s->at;
    cv_toml_skip_blanks(s);
    if (!cv_toml_break(s->text, s->at)) {
        s->at = start;
        return false;
    }
    while (s->at < s->text.n && cv_is_space(cv_toml_peek(s)))
        s->at++;
    return true;
}

/* What is between the quotes. */
static bool decode(cv_toml_scan *s, bool lines, cv_buf *out)
{
    while (s->at < s->text.n) {
        char c = s->text.p[s->at++];
        if (c == '\\' && lines && skip_line_end(s))
            continue;
        if (c == '\\' && !read_escape(s, out))
            return false;
        if (c != '\\')
            cv_buf_add_char(out, c);
    }
    return true;
}

bool cv_toml_read_string(cv_toml_scan *s, cv_str *ret_text)
{
    size_t start = s->at;
    bool lines = is_long(s), plain = cv_toml_peek(s) == '\'';
    if (!cv_toml_skip_string(s))
        return false;
    size_t length = lines ? 3 : 1;
    cv_toml_scan in = {s->arena, cv_str_head(s->text, s->at - length), start + length, s->err};
    if (lines)
        in.at += cv_toml_break(in.text, in.at); /* the line break behind the quotes is for the eye */
    *ret_text = cv_str_from(in.text, in.at);
    for (size_t i = 0; i < ret_text->n; i++) {
        unsigned char c = (unsigned char)ret_text->p[i];
        if (c == 0x7f || (c < ' ' && c != '\t' && c != '\n' && !cv_toml_break(in.text, in.at + i)))
            return cv_toml_bad(s, in.at + i, "a control character must be written as an escape");
    }
    if (plain || cv_str_find_char(*ret_text, '\\') == SIZE_MAX)
        return true;
    cv_buf out = {0};
    bool ok = decode(&in, lines, &out);
    *ret_text = out.n ? cv_buf_take(&out, s->arena) : CV_STR("");
    return ok;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

bool cv_toml_is_bare(char c)
{
    return cv_is_alnum(c) || c == '_' || c == '-';
}

bool cv_toml_read_path(cv_toml_scan *s, cv_toml_path *ret)
{
    for (ret->count = 0;; s->at++) {
        cv_toml_skip_blanks(s);
        size_t start = s->at;
        if (ret->count == CV_TOML_PARTS)
            return cv_toml_bad(s, s->at, "this key has too many parts");
        cv_str *part = &ret->parts[ret->count++];
        bool quoted = cv_toml_peek(s) == '"' || cv_toml_peek(s) == '\'';
        if (quoted && !is_long(s)) {
            if (!cv_toml_read_string(s, part))
                return false;
        } else {
            while (cv_toml_is_bare(cv_toml_peek(s)))
                s->at++;
            *part = cv_str_range(s->text.p + start, s->text.p + s->at);
            if (part->n == 0)
                return cv_toml_bad(s, s->at, "a key is expected here");
        }
        cv_toml_skip_blanks(s);
        if (cv_toml_peek(s) != '.')
            return true;
    }
}
