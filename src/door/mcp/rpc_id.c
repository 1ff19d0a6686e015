/* rpc_id.c - the id of a message that cannot be read; see rpc.h.
 *
 * Half an emoji, a byte that is no UTF-8, one bracket too many: the message is no JSON, but somebody waits for its
 * answer. So it is looked at token by token, as far as they are some, for the two keys of a request:
 *
 *     {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { … whatever it is
 *      ^ depth 1
 */
#include "door/mcp/rpc.h"

typedef struct {
    cv_str text;
    size_t at;
} scan;

static void skip_blanks(scan *s)
{
    while (s->at < s->text.n && cv_is_blank(s->text.p[s->at]))
        s->at++;
}

static bool next_is(const scan *s, char c)
{
    return s->at < s->text.n && s->text.p[s->at] == c;
}

/* The string that begins here, quotes and all; it may hold anything. False: it has no end. */
static bool take_string(scan *s, cv_str *ret_string)
{
    size_t from = s->at++;
    while (s->at < s->text.n && s->text.p[s->at] != '"')
        s->at += s->text.p[s->at] == '\\' ? 2 : 1;
    if (s->at >= s->text.n)
        return false;
    *ret_string = cv_str_head(cv_str_from(s->text, from), ++s->at - from);
    return true;
}

/* A number or a string, as it stands there, if it is one that could be an id. */
static cv_str take_id(cv_arena *a, scan *s)
{
    cv_str id = {NULL, 0};
    size_t from = s->at;
    if (next_is(s, '"')) {
        take_string(s, &id);
    } else {
        while (s->at < s->text.n && !strchr(" \t\r,}", s->text.p[s->at]))
            s->at++;
        id = cv_str_head(cv_str_from(s->text, from), s->at - from);
    }
    cv_json value;
    cv_err err = {.arena = a};
    cv_str read = {NULL, 0};
    return cv_json_parse(a, id, &value, &err) && cv_rpc_print_id(a, &value, &read) ? read : (cv_str){NULL, 0};
}

cv_str cv_rpc_find_id(cv_arena *a, cv_str text)
{
    scan s = {.text = text};
    cv_str id = {NULL, 0}, string;
    bool calls = false;
    for (size_t depth = 0; s.at < text.n && !(id.n && calls);) {
        char c = text.p[s.at];
        if (c == '"') {
            if (!take_string(&s, &string))
                break;
            skip_blanks(&s);
            bool key = depth == 1 && next_is(&s, ':');
            s.at += key;
            skip_blanks(&s);
            calls |= key && cv_str_eq(string, CV_STR("\"method\""));
            if (key && cv_str_eq(string, CV_STR("\"id\"")))
                id = take_id(a, &s);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth > 0;
        s.at++;
    }
    return calls ? id : (cv_str){NULL, 0};
}
