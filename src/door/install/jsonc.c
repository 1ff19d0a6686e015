/* jsonc.c - one entry in somebody else's JSON file; see jsonc.h. */
#include "door/install/jsonc.h"

#include "base/json.h"
#include "base/limits.h"

typedef struct {
    cv_str text;
    size_t at;
    cv_err *err;
} scanner;

/* A member of an object, or where one would go. */
typedef struct {
    bool found;
    size_t key, value, end; /* of the member: its key, its value and behind it */
    size_t open, close;     /* the braces of the object */
    size_t last;            /* behind the last value, 0: there is no member */
    bool comma;             /* … a comma follows it */
    size_t first_key;       /* 0: there is none */
    size_t before;          /* behind the value before the member; 0: it is the first */
} spot;

/* ---- scanning --------------------------------------------------------------------------------------------------- */

static bool bad(scanner *s, const char *what)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < s->at && i < s->text.n; i++) {
        column = s->text.p[i] == '\n' ? 1 : column + 1;
        line += s->text.p[i] == '\n';
    }
    return cv_err_at(s->err, CV_ERR_JSON, line, column, "%s", what);
}

static char peek(const scanner *s)
{
    return s->at < s->text.n ? s->text.p[s->at] : '\0';
}

static bool comes(const scanner *s, const char *word)
{
    return cv_str_starts(cv_str_from(s->text, s->at), cv_str_of(word));
}

static void skip_until(scanner *s, const char *word)
{
    size_t end = cv_str_find(cv_str_from(s->text, s->at), cv_str_of(word));
    s->at = end == SIZE_MAX ? s->text.n : s->at + end + strlen(word);
}

/* White space and comments. */
static void skip_space(scanner *s)
{
    for (;;) {
        while (s->at < s->text.n && cv_is_space(s->text.p[s->at]))
            s->at++;
        if (comes(s, "//"))
            skip_until(s, "\n");
        else if (comes(s, "/*"))
            skip_until(s, "*/");
        else
            return;
    }
}

static bool skip_string(scanner *s)
{
    if (peek(s) != '"')
        return bad(s, "a string is expected here");
    for (s->at++; s->at < s->text.n; s->at++) {
        if (s->text.p[s->at] == '\\')
            s->at++;
        else if (s->text.p[s->at] == '"')
            return s->at++, true;
        else if (s->text.p[s->at] == '\n')
            break;
    }
    return bad(s, "this string has no end");
}

/* Brackets are counted, not nested calls: a file can be as deep as it likes. */
static bool skip_value(scanner *s)
{
    size_t depth = 0;
    do {
        skip_space(s);
        char c = peek(s);
        if (c == '"') {
            if (!skip_string(s))
                return false;
        } else if (c == '{' || c == '[') {
            depth++;
            s->at++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return bad(s, "a value is expected here");
            depth--;
            s->at++;
        } else if ((c == ',' || c == ':') && depth > 0) {
            s->at++;
        } else if (cv_is_alnum(c) || c == '-') {
            while (cv_is_alnum(peek(s)) || peek(s) == '-' || peek(s) == '+' || peek(s) == '.')
                s->at++;
        } else {
            return bad(s, "a value is expected here");
        }
    } while (depth > 0);
    return true;
}

/* The member `name` of the object at s->at. */
static bool find_member(scanner *s, cv_str name, spot *ret)
{
    *ret = (spot){.open = s->at};
    if (peek(s) != '{')
        return bad(s, "an object is expected here");
    s->at++;
    for (;;) {
        skip_space(s);
        if (peek(s) == '}')
            break;
        size_t key = s->at;
        if (!skip_string(s))
            return false;
        bool meant = cv_str_eq(cv_str_range(s->text.p + key + 1, s->text.p + s->at - 1), name);
        skip_space(s);
        if (peek(s) != ':')
            return bad(s, "a colon is expected here");
        s->at++;
        skip_space(s);
        size_t value = s->at;
        if (!skip_value(s))
            return false;
        if (meant && !ret->found) {
            ret->found = true;
            ret->before = ret->last;
            ret->key = key;
            ret->value = value;
            ret->end = s->at;
        }
        ret->first_key = ret->first_key ? ret->first_key : key;
        ret->last = s->at;
        skip_space(s);
        ret->comma = peek(s) == ',';
        if (ret->comma)
            s->at++;
        else if (peek(s) != '}')
            return bad(s, "a comma or a closing brace is expected here");
    }
    ret->close = s->at;
    return true;
}

/* Goes to the root object. */
static bool find_root(scanner *s)
{
    skip_space(s);
    size_t at = s->at;
    if (!skip_value(s))
        return false;
    skip_space(s);
    if (s->at < s->text.n)
        return bad(s, "nothing is expected behind the value");
    s->at = at;
    return true;
}

/* ---- changing --------------------------------------------------------------------------------------------------- */

static cv_str replace(cv_arena *a, cv_str text, size_t from, size_t to, cv_str with)
{
    return cv_arena_join(a, cv_arena_join(a, cv_str_head(text, from), with), cv_str_from(text, to));
}

/* The white space in front of `at` on its line; absent: something else stands there. */
static cv_str indent_of(cv_str text, size_t at)
{
    size_t start = at;
    while (start > 0 && (text.p[start - 1] == ' ' || text.p[start - 1] == '\t'))
        start--;
    bool alone = start == 0 || text.p[start - 1] == '\n';
    return alone ? cv_str_range(text.p + start, text.p + at) : (cv_str){NULL, 0};
}

static cv_str member_text(cv_arena *a, cv_str name, cv_str value)
{
    return cv_arena_printf(a, "\"%.*s\": %.*s", CV_FMT(name), CV_FMT(value));
}

/* The end of the line behind `at`, when nothing but a comment stands there; else `at`. */
static size_t rest_of_line(cv_str text, size_t at)
{
    scanner s = {text, at, NULL};
    while (peek(&s) == ' ' || peek(&s) == '\t')
        s.at++;
    if (comes(&s, "//"))
        while (s.at < text.n && peek(&s) != '\n')
            s.at++;
    return peek(&s) == '\n' ? s.at : at;
}

/* Behind the last member and what is said about it on its line. */
static cv_str insert_last(cv_arena *a, cv_str text, const spot *object, cv_str indent, cv_str member)
{
    scanner s = {text, object->last, NULL};
    if (object->comma)
        skip_space(&s);
    size_t line = rest_of_line(text, s.at + object->comma);
    text = replace(a, text, line, line,
                   cv_arena_printf(a, "\n%.*s%.*s%s", CV_FMT(indent), CV_FMT(member), object->comma ? "," : ""));
    return object->comma ? text : replace(a, text, object->last, object->last, CV_STR(","));
}

/* One more member at the end of the object; `depth` says how far it is in when it has no neighbours. */
static cv_str insert(cv_arena *a, cv_str text, const spot *object, size_t depth, cv_str member)
{
    static const cv_str blanks = CV_STR_INIT("        ");
    cv_str indent = object->first_key ? indent_of(text, object->first_key) : (cv_str){NULL, 0};
    if (!indent.p)
        indent = cv_str_head(blanks, 2 * depth);
    if (object->last)
        return insert_last(a, text, object, indent, member);
    cv_str outer = cv_str_head(blanks, 2 * (depth - 1));
    return replace(a, text, object->open + 1, object->close,
                   cv_arena_printf(a, "\n%.*s%.*s\n%.*s", CV_FMT(indent), CV_FMT(member), CV_FMT(outer)));
}

bool cv_jsonc_set(cv_arena *a, cv_str text, cv_str key, cv_str name, cv_str value, cv_str *ret_text, cv_err *err)
{
    if (cv_str_trim(text).n == 0)
        text = CV_STR("{}\n");
    scanner s = {text, 0, err};
    spot outer, inner;
    if (!find_root(&s) || !find_member(&s, key, &outer))
        return false;
    if (!outer.found) {
        cv_str servers = cv_arena_printf(a, "{\n    %.*s\n  }", CV_FMT(member_text(a, name, value)));
        *ret_text = insert(a, text, &outer, 1, member_text(a, key, servers));
        return true;
    }
    s.at = outer.value;
    if (!find_member(&s, name, &inner))
        return false;
    *ret_text = inner.found ? replace(a, text, inner.value, inner.end, value)
                            : insert(a, text, &inner, 2, member_text(a, name, value));
    return true;
}

/* With its line, when it has one, and the comma that nobody needs any more: its own, or that of the member before. */
static cv_str cut(cv_arena *a, cv_str text, const spot *m)
{
    bool last = m->end == m->last;
    size_t from = m->key, to = m->end;
    if (last && !m->before) /* it was alone: the braces close up */
        return replace(a, text, m->open + 1, m->close, (cv_str){NULL, 0});
    while (from > 0 && cv_is_space(text.p[from - 1]))
        from--;
    scanner s = {text, last && !m->comma ? m->before : to, NULL};
    skip_space(&s);
    if (last && !m->comma) {
        text = replace(a, text, from, to, (cv_str){NULL, 0});
        return replace(a, text, s.at, s.at + 1, (cv_str){NULL, 0});
    }
    return replace(a, text, from, s.at + 1, (cv_str){NULL, 0});
}

bool cv_jsonc_remove(cv_arena *a, cv_str text, cv_str key, cv_str name, cv_str *ret_text, cv_err *err)
{
    scanner s = {text, 0, err};
    spot outer, inner;
    *ret_text = text;
    if (cv_str_trim(text).n == 0)
        return true;
    if (!find_root(&s) || !find_member(&s, key, &outer))
        return false;
    if (!outer.found)
        return true;
    s.at = outer.value;
    if (!find_member(&s, name, &inner))
        return false;
    if (inner.found)
        *ret_text = !inner.before && inner.last == inner.end ? cut(a, text, &outer) : cut(a, text, &inner);
    return true;
}
