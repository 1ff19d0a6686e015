/* rpc.c - JSON-RPC 2.0: one message, read and written; see rpc.h. */
#include "door/mcp/rpc.h"

static const cv_json nothing = {.type = CV_JSON_OBJECT};

/* The id as it is written back; false: neither an integer nor a string. */
static bool print_id(cv_arena *a, const cv_json *id, cv_str *ret_id)
{
    int64_t number;
    if (id->type == CV_JSON_NUMBER && cv_json_to_int(id, &number)) {
        *ret_id = id->text;
        return true;
    }
    if (id->type != CV_JSON_STRING)
        return false;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_str(&w, id->text);
    *ret_id = cv_buf_take(&out, a);
    return true;
}

static void faulty(cv_rpc_message *m, int code, cv_str why)
{
    m->kind = CV_RPC_FAULTY;
    m->code = code;
    m->why = why;
}

static void read_call(const cv_json *tree, cv_rpc_message *m)
{
    const cv_json *params = cv_json_get(tree, CV_STR("params"));
    if (params && params->type == CV_JSON_OBJECT)
        m->params = params;
    else if (params && m->kind == CV_RPC_REQUEST)
        faulty(m, CV_RPC_PARAMS, CV_STR("params must be an object"));
}

static void read_answer(cv_rpc_message *m)
{
    if (!m->id.n || !m->result == !m->error)
        faulty(m, CV_RPC_INVALID, CV_STR("this is not a request, a notification or an answer"));
    else
        m->kind = CV_RPC_ANSWER;
}

static void read_object(cv_arena *a, const cv_json *tree, cv_rpc_message *m)
{
    const cv_json *id = cv_json_get(tree, CV_STR("id")), *method = cv_json_get(tree, CV_STR("method"));
    m->method = cv_json_get_text(tree, "method");
    m->result = cv_json_get(tree, CV_STR("result"));
    m->error = cv_json_get(tree, CV_STR("error"));
    if (id && !print_id(a, id, &m->id))
        faulty(m, CV_RPC_INVALID, CV_STR("the id must be a string or an integer"));
    else if (!cv_str_eq(cv_json_get_text(tree, "jsonrpc"), CV_STR("2.0")))
        faulty(m, CV_RPC_INVALID, CV_STR("\"jsonrpc\" must be \"2.0\""));
    else if (!method)
        read_answer(m);
    else if (method->type != CV_JSON_STRING)
        faulty(m, CV_RPC_INVALID, CV_STR("the method must be a string"));
    else {
        m->kind = id ? CV_RPC_REQUEST : CV_RPC_NOTIFICATION;
        read_call(tree, m);
    }
}

void cv_rpc_read(cv_arena *a, cv_str text, cv_rpc_message *ret_message)
{
    cv_json *tree = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    *ret_message = (cv_rpc_message){.params = &nothing};
    if (!cv_json_parse(a, text, tree, &err))
        faulty(ret_message, CV_RPC_PARSE,
               cv_arena_printf(a, "not JSON: line %zu, column %zu: %.*s", err.line, err.column, CV_FMT(err.message)));
    else if (tree->type == CV_JSON_ARRAY)
        faulty(ret_message, CV_RPC_INVALID, CV_STR("batches are not supported: send one message at a time"));
    else if (tree->type != CV_JSON_OBJECT)
        faulty(ret_message, CV_RPC_INVALID, CV_STR("a message is a JSON object"));
    else
        read_object(a, tree, ret_message);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void begin(cv_json_writer *w, cv_str id)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "jsonrpc", CV_STR("2.0"));
    if (id.n) {
        cv_json_key(w, CV_STR("id"));
        cv_json_raw(w, id);
    }
}

void cv_rpc_begin_result(cv_json_writer *w, cv_str id)
{
    begin(w, id);
    cv_json_key(w, CV_STR("result"));
}

void cv_rpc_begin_call(cv_json_writer *w, cv_str id, cv_str method)
{
    begin(w, id);
    cv_json_key_str(w, "method", method);
    cv_json_key(w, CV_STR("params"));
}

void cv_rpc_end(cv_json_writer *w)
{
    cv_json_end_object(w);
}

void cv_rpc_error(cv_buf *out, cv_str id, int code, cv_str message, cv_str data)
{
    cv_json_writer w = {.out = out};
    begin(&w, id.n ? id : CV_STR("null"));
    cv_json_key(&w, CV_STR("error"));
    cv_json_begin_object(&w);
    cv_json_key_int(&w, "code", code);
    cv_json_key_str(&w, "message", message);
    if (data.n) {
        cv_json_key(&w, CV_STR("data"));
        cv_json_raw(&w, data);
    }
    cv_json_end_object(&w);
    cv_rpc_end(&w);
}

/* ---- the id of a message that cannot be read --------------------------------------------------------------------- */

/* Half an emoji, a byte that is no UTF-8, one bracket too many: the message is no JSON, but somebody waits for its
 * answer. So it is looked at token by token, as far as they are some, for the two keys of a request:
 *
 *     {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { … whatever it is
 *      ^ depth 1
 */

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

/* A number or a string, as it is there, if it is one that could be an id. */
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
    return cv_json_parse(a, id, &value, &err) && print_id(a, &value, &read) ? read : (cv_str){NULL, 0};
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
