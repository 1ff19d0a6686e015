/* naming.c - operations as command lines and as tools; see base/naming.h. */
#include <assert.h>

#include "kit/schema.h"
#include "ops/op.h"

const cv_operation *cv_op_called(cv_str words)
{
    size_t blank = cv_str_find_char(words, ' ');
    cv_str room = blank == SIZE_MAX ? CV_STR("") : cv_str_head(words, blank);
    const cv_operation *op = cv_op_find(room, cv_str_from(words, room.n + (room.n > 0)));
    assert(op);
    return op;
}

cv_op_prefixes cv_op_tool_prefixes(cv_arena *a, unsigned flags)
{
    cv_op_prefixes all = {0};
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        cv_str prefix = op->tool ? cv_str_head(cv_str_of(op->tool), strlen(op->tool) - strlen(op->verb)) : CV_STR("");
        bool known = prefix.n == 0 || (op->flags & flags) != flags;
        for (size_t k = 0; k < all.count && !known; k++)
            known = cv_str_eq(all.items[k], prefix);
        if (!known)
            *CV_PUSH(a, &all) = prefix;
    }
    return all;
}

/* ---- a command line --------------------------------------------------------------------------------------------- */

/* A word for a shell: in quotes, unless it has only letters that mean nothing there. */
static void add_word(cv_buf *line, const char *before, cv_str word)
{
    bool plain = true;
    for (size_t i = 0; i < word.n && plain; i++)
        plain = cv_is_alnum(word.p[i]) || strchr("@%_+=:,./-", word.p[i]) || (unsigned char)word.p[i] >= 0x80;
    cv_buf_add_z(line, plain ? "" : "'");
    cv_buf_add_z(line, before);
    for (size_t i = 0; i < word.n; i++)
        cv_buf_add(line, word.p[i] == '\'' ? CV_STR("'\\''") : (cv_str){&word.p[i], 1});
    cv_buf_add_z(line, plain ? "" : "'");
}

/* "no_contribution": true is --no-contribution. */
static void add_flag(cv_buf *line, const cv_argument *argument)
{
    if (argument->form == CV_ARGUMENT_TOOL)
        return;
    cv_buf_add_z(line, argument->name ? " --" : "");
    for (const char *p = argument->name; p && *p; p++)
        cv_buf_add_char(line, *p == '_' ? '-' : *p);
    if (argument->form != CV_ARGUMENT_TEXT && cv_str_eq(argument->value, CV_STR("true")))
        return;
    cv_buf_add_char(line, ' ');
    add_word(line, argument->form == CV_ARGUMENT_FILE ? "@" : "", argument->value);
}

cv_str cv_op_command(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count)
{
    const cv_operation *op = cv_op_called(operation);
    cv_buf line = {0};
    cv_buf_printf(&line, "conclave %s%s%s%s", op->room, *op->room ? " " : "", op->verb, first.n ? " " : "");
    add_word(&line, "", first);
    for (size_t i = 0; i < count; i++)
        add_flag(&line, &arguments[i]);
    return cv_buf_take(&line, a);
}

/* ---- a tool ----------------------------------------------------------------------------------------------------- */

static void add_member(cv_arena *a, cv_json_writer *w, const cv_argument *argument)
{
    cv_str name = cv_str_of(argument->name);
    switch (argument->form) {
    case CV_ARGUMENT_COMMAND:
        return;
    case CV_ARGUMENT_FILE:
        cv_json_key(w, cv_arena_join(a, name, CV_STR("_path")));
        cv_json_str(w, argument->value);
        return;
    case CV_ARGUMENT_TEXT:
        cv_json_key(w, name);
        cv_json_str(w, argument->value);
        return;
    default:
        cv_json_key(w, name);
        cv_json_raw(w, argument->value);
    }
}

cv_str cv_op_tool(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count)
{
    const cv_operation *op = cv_op_called(operation);
    if (!op->tool)
        return cv_op_command(a, operation, first, arguments, count);
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_buf_add_z(&text, op->tool);
    if (first.n + count > 0) {
        cv_buf_add_char(&text, ' ');
        cv_json_begin_object(&w);
        if (first.n) {
            cv_json_key(&w, cv_schema_argument(cv_op_schema(op).input));
            cv_json_str(&w, first);
        }
        for (size_t i = 0; i < count; i++)
            add_member(a, &w, &arguments[i]);
        cv_json_end_object(&w);
    }
    return cv_buf_take(&text, a);
}

cv_str cv_op_usual_tool(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count)
{
    bool usual = cv_op_called(operation)->flags & CV_OP_UNASKED;
    return (usual ? cv_op_tool : cv_op_command)(a, operation, first, arguments, count);
}
