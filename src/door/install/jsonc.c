/* jsonc.c - one entry in somebody else's JSON file; see jsonc.h. */
#include "door/install/jsonc.h"

#include "base/json.h"
#include "base/limits.h"
#include "door/install/edit.h"

typedef struct {
    cv_str text;
    size_t at;
    size_t guard; /* the line break that ends the last comment to the end of a line; SIZE_MAX: none so far */
    cv_err *err;
} scanner;

/* An object, and the member of it that is looked for: of several with the name the last, as readers of JSON do. Places
 * are bytes of the text; 0 stands for none, there is a brace in front of all of them. */
typedef struct {
    size_t open, close; /* its braces */
    size_t count;       /* members */
    size_t first_key;
    size_t last;  /* behind the last value */
    size_t comma; /* behind the last value, or none */
    bool found;
    size_t key, value, end;      /* of the member: its key, its value and behind it */
    size_t before, after, guard; /* the commas around it, and what the scanner saw before its key */
} object;

/* ---- scanning --------------------------------------------------------------------------------------------------- */

static bool bad(const scanner *s, const char *what)
{
    return cv_edit_fail(s->err, s->text, s->at, what);
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
        if (comes(s, "//")) {
            skip_until(s, "\n");
            s->guard = s->at - 1;
        } else if (comes(s, "/*")) {
            s->at += 2;
            skip_until(s, "*/");
        } else {
            return;
        }
    }
}

static bool skip_string(scanner *s)
{
    size_t start = s->at;
    if (peek(s) != '"')
        return bad(s, "a string is expected here");
    for (s->at++; s->at < s->text.n && s->text.p[s->at] != '\n'; s->at++) {
        if (s->text.p[s->at] == '"')
            return s->at++, true;
        if (s->text.p[s->at] == '\\')
            s->at++;
    }
    s->at = start;
    return bad(s, "this string has no end");
}

/* A number, or true, false, null. */
static bool skip_word(scanner *s)
{
    size_t start = s->at;
    cv_err err = {.arena = s->err->arena};
    cv_json word;
    while (cv_is_alnum(peek(s)) || peek(s) == '-' || peek(s) == '+' || peek(s) == '.')
        s->at++;
    if (cv_json_parse(err.arena, cv_str_range(s->text.p + start, s->text.p + s->at), &word, &err))
        return true;
    s->at = start;
    return bad(s, "a value is expected here");
}

static bool skip_object(scanner *s, size_t depth, cv_str name, object *ret);

static bool skip_array(scanner *s, size_t depth);

static bool skip_value(scanner *s, size_t depth)
{
    object ignored;
    if (depth > CV_MAX_JSON_DEPTH)
        return bad(s, "the nesting is too deep");
    switch (peek(s)) {
    case '{':
        return skip_object(s, depth, (cv_str){NULL, 0}, &ignored);
    case '[':
        return skip_array(s, depth);
    case '"':
        return skip_string(s);
    default:
        return skip_word(s);
    }
}

/* What follows a value: a comma, or what closes the list. */
static bool skip_comma(scanner *s, char close, size_t *ret_comma)
{
    skip_space(s);
    *ret_comma = peek(s) == ',' ? s->at : 0;
    if (*ret_comma)
        s->at++;
    else if (peek(s) != close)
        return bad(s, close == '}' ? "a comma or } is expected here" : "a comma or ] is expected here");
    skip_space(s);
    return true;
}

static bool skip_array(scanner *s, size_t depth)
{
    size_t comma;
    s->at++;
    skip_space(s);
    while (peek(s) != ']')
        if (!skip_value(s, depth + 1) || !skip_comma(s, ']', &comma))
            return false;
    s->at++;
    return true;
}

/* The key may be written with escapes. */
static bool is_named(const scanner *s, size_t from, size_t to, cv_str name)
{
    cv_str written = cv_str_range(s->text.p + from, s->text.p + to);
    cv_err err = {.arena = s->err->arena};
    cv_json key;
    if (cv_str_find_char(written, '\\') == SIZE_MAX)
        return cv_str_eq(cv_str_range(written.p + 1, cv_str_end(written) - 1), name);
    return cv_json_parse(err.arena, written, &key, &err) && cv_str_eq(key.text, name);
}

static bool skip_member(scanner *s, size_t depth, cv_str name, object *o)
{
    size_t key = s->at, guard = s->guard, before = o->comma;
    if (!skip_string(s))
        return false;
    bool meant = name.p && is_named(s, key, s->at, name);
    skip_space(s);
    if (peek(s) != ':')
        return bad(s, "a colon is expected here");
    s->at++;
    skip_space(s);
    size_t value = s->at;
    if (!skip_value(s, depth + 1))
        return false;
    o->last = s->at;
    if (!skip_comma(s, '}', &o->comma))
        return false;
    o->first_key = o->count++ ? o->first_key : key;
    if (meant) {
        o->found = true;
        o->key = key;
        o->value = value;
        o->end = o->last;
        o->before = before;
        o->after = o->comma;
        o->guard = guard;
    }
    return true;
}

static bool skip_object(scanner *s, size_t depth, cv_str name, object *ret)
{
    *ret = (object){.open = s->at};
    if (peek(s) != '{')
        return bad(s, "an object is expected here");
    s->at++;
    skip_space(s);
    while (peek(s) != '}')
        if (!skip_member(s, depth, name, ret))
            return false;
    ret->close = s->at++;
    return true;
}

/* The object of the whole text and the one at `key` in it, the members looked for in both. */
static bool scan(cv_str text, cv_str key, cv_str name, object *ret_root, object *ret_servers, cv_err *err)
{
    scanner s = {text, cv_edit_begin(text), SIZE_MAX, err};
    *ret_servers = (object){0};
    skip_space(&s);
    if (!skip_object(&s, 0, key, ret_root))
        return false;
    skip_space(&s);
    if (s.at < text.n)
        return bad(&s, "expected nothing after the object");
    if (!ret_root->found)
        return true;
    s.at = ret_root->value;
    s.guard = SIZE_MAX;
    return skip_object(&s, 1, name, ret_servers);
}

bool cv_jsonc_find(cv_str text, cv_str key, cv_str name, cv_str member, cv_edit_found *ret, cv_err *err)
{
    object root, servers, entry;
    *ret = (cv_edit_found){.has_entry = false};
    if (cv_str_trim(text).n == 0)
        return true;
    if (!scan(text, key, name, &root, &servers, err))
        return false;
    ret->has_entry = servers.found;
    if (!servers.found || text.p[servers.value] != '{')
        return true;
    scanner s = {text, servers.value, SIZE_MAX, err};
    if (!skip_object(&s, 2, member, &entry))
        return false;
    ret->has_member = entry.found;
    ret->value = (cv_edit_range){entry.value, entry.end};
    return true;
}

bool cv_jsonc_value(cv_str text, cv_str key, cv_str name, bool *ret_found, cv_edit_range *ret, cv_err *err)
{
    object root, outer;
    *ret_found = false;
    if (cv_str_trim(text).n == 0)
        return true;
    if (!scan(text, key, name, &root, &outer, err))
        return false;
    *ret_found = outer.found;
    *ret = (cv_edit_range){outer.value, outer.end};
    return true;
}

/* ---- setting ---------------------------------------------------------------------------------------------------- */

/* The white space in front of `at` on its line; absent: something else is there too. */
static cv_str indent_of(cv_str text, size_t at)
{
    size_t start = at;
    while (start > 0 && (text.p[start - 1] == ' ' || text.p[start - 1] == '\t'))
        start--;
    bool alone = start > 0 && text.p[start - 1] == '\n';
    return alone ? cv_str_range(text.p + start, text.p + at) : (cv_str){NULL, 0};
}

/* How long the line break at `at` is, with all carriage returns before it; 0: there is none. What is put in front of a
 * break is in front of all of it: our own break behind a carriage return would be taken for one with it. */
static size_t break_at(cv_str text, size_t at)
{
    size_t end = at;
    while (end < text.n && text.p[end] == '\r')
        end++;
    return end < text.n && text.p[end] == '\n' ? end + 1 - at : 0;
}

/* Behind what is said about the value at `at` on the rest of its line; `at` when more than that is there. */
static size_t rest_of_line(cv_str text, size_t at)
{
    scanner s = {text, at, SIZE_MAX, NULL};
    while (peek(&s) == ' ' || peek(&s) == '\t')
        s.at++;
    if (comes(&s, "//"))
        while (s.at < text.n && !break_at(text, s.at))
            s.at++;
    return break_at(text, s.at) ? s.at : at;
}

/* One more member behind the others: on a line of its own, indented like the first, or beside them. */
static cv_str add_last(cv_arena *a, cv_str text, const object *o, cv_str member)
{
    cv_str indent = indent_of(text, o->first_key);
    size_t at = o->comma ? o->comma + 1 : o->last;
    cv_str space = CV_STR(" ");
    if (indent.p) {
        at = rest_of_line(text, at);
        space = cv_arena_join(a, cv_edit_line_break(text), indent);
    }
    text = cv_edit_replace(a, text, at, at,
                           cv_arena_printf(a, "%.*s%.*s%s", CV_FMT(space), CV_FMT(member), o->comma ? "," : ""));
    return o->comma ? text : cv_edit_replace(a, text, o->last, o->last, CV_STR(","));
}

/* The only member, on a line of its own, `indent` deep in an object that closes `outer` deep. Comments stay, and what
 * follows the last of them follows the member: cut() finds the same bytes again. */
static cv_str add_only(cv_arena *a, cv_str text, const object *o, cv_str indent, cv_str outer, cv_str member)
{
    cv_str nl = cv_edit_line_break(text), inside = cv_str_range(text.p + o->open + 1, text.p + o->close);
    size_t last = o->open + 1 + cv_str_trim_right(inside).n;
    if (last > o->open + 1)
        return cv_edit_replace(a, text, last, last,
                               cv_arena_printf(a, "%.*s%.*s%.*s", CV_FMT(nl), CV_FMT(indent), CV_FMT(member)));
    cv_str lines = cv_arena_printf(a, "%.*s%.*s%.*s%.*s%.*s", CV_FMT(nl), CV_FMT(indent), CV_FMT(member), CV_FMT(nl),
                                   CV_FMT(outer));
    return cv_edit_replace(a, text, o->open + 1, o->close, lines);
}

static cv_str print_member(cv_arena *a, cv_str name, cv_str value)
{
    return cv_arena_printf(a, "\"%.*s\": %.*s", CV_FMT(name), CV_FMT(value));
}

/* The object of servers with ours in it; on one line in a file that is one. */
static cv_str add_servers(cv_arena *a, cv_str text, const object *root, cv_str key, cv_str member)
{
    cv_str nl = cv_edit_line_break(text), unit = CV_STR("  ");
    if (root->count && !indent_of(text, root->first_key).p)
        return add_last(a, text, root, print_member(a, key, cv_arena_printf(a, "{%.*s}", CV_FMT(member))));
    if (root->count)
        unit = indent_of(text, root->first_key);
    cv_str servers = cv_arena_printf(a, "{%.*s%.*s%.*s%.*s%.*s%.*s}", CV_FMT(nl), CV_FMT(unit), CV_FMT(unit),
                                     CV_FMT(member), CV_FMT(nl), CV_FMT(unit));
    return root->count ? add_last(a, text, root, print_member(a, key, servers))
                       : add_only(a, text, root, unit, (cv_str){NULL, 0}, print_member(a, key, servers));
}

bool cv_jsonc_set(cv_arena *a, cv_str text, cv_str key, cv_str name, cv_str value, cv_str *ret_text, cv_err *err)
{
    if (cv_str_trim(text).n == 0)
        text = CV_STR("{}\n");
    object root, servers;
    if (!scan(text, key, name, &root, &servers, err))
        return false;
    cv_str member = print_member(a, name, value), outer = indent_of(text, root.key);
    if (!root.found)
        *ret_text = add_servers(a, text, &root, key, member);
    else if (servers.found)
        *ret_text = cv_edit_replace(a, text, servers.value, servers.end, value);
    else if (servers.count)
        *ret_text = add_last(a, text, &servers, member);
    else
        *ret_text =
            add_only(a, text, &servers, cv_arena_join(a, outer, outer.n ? outer : CV_STR("    ")), outer, member);
    return true;
}

/* ---- removing --------------------------------------------------------------------------------------------------- */

static bool is_blank(cv_str text, size_t from, size_t to)
{
    return cv_str_trim(cv_str_range(text.p + from, text.p + to)).n == 0;
}

/* Nothing else is in the object, not even a comment. */
static bool is_alone(cv_str text, const object *o)
{
    return o->count == 1 && is_blank(text, o->open + 1, o->key) &&
           is_blank(text, o->after ? o->after + 1 : o->end, o->close) &&
           (!o->after || is_blank(text, o->end, o->after));
}

/* With the white space in front of it, its line break included, and the comma that nobody needs any more: its own, or
 * the one before. A line break that ends a comment stays, unless another takes its place. */
static cv_str cut(cv_arena *a, cv_str text, const object *o)
{
    size_t from = o->key, to = o->after ? o->after + 1 : o->end;
    if (is_alone(text, o))
        return cv_edit_replace(a, text, o->open + 1, o->close, (cv_str){NULL, 0});
    while (text.p[from - 1] == ' ' || text.p[from - 1] == '\t')
        from--;
    bool breaks =
        text.p[from - 1] == '\n' && (from - 1 != o->guard || rest_of_line(text, to) != to || break_at(text, to));
    if (breaks)
        from -= from > 1 && text.p[from - 2] == '\r' ? 2 : 1;
    text = cv_edit_replace(a, text, from, to, (cv_str){NULL, 0});
    return o->after || !o->before ? text : cv_edit_replace(a, text, o->before, o->before + 1, (cv_str){NULL, 0});
}

bool cv_jsonc_remove(cv_arena *a, cv_str text, cv_str key, cv_str name, cv_str *ret_text, cv_err *err)
{
    object root, servers;
    *ret_text = text;
    if (cv_str_trim(text).n == 0)
        return true;
    if (!scan(text, key, name, &root, &servers, err))
        return false;
    if (servers.found)
        *ret_text = cut(a, text, &servers);
    return true;
}
