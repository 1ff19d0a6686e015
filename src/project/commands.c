/* commands.c - agent commands: what an agent understands, for those who write to it; see registry.h.
 *
 * The vocabulary of commands is free; this list is for people and programs who want to know which of them an agent
 * takes, and with what.
 */
#include <stdlib.h>

#include "project/registry.h"

enum { MAX_COMMANDS = 1000 };

typedef struct {
    cv_str agent_id;
    cv_commands commands;
} told;

#define CV_THIS_TYPE cv_command_row
static const cv_shape command_shape[] = {
    CV_FIELD(ALWAYS, command, ""),
    CV_FIELD(IF_ANY, summary, "what it does"),
    CV_JSON_AS(IF_ANY, MAP, "params", params, "what it takes"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE told
const cv_shape cv_agent_commands_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, agent_id, ""),
    CV_LIST("commands", commands.items, commands.count, command_shape, "by name"),
    CV_FIELD_AS(ALWAYS, "count", commands.count, ""),
    CV_LATER(IF_ANY, "rev", INT, 0, "of the registry after this write"),
    CV_LATER(IF_ANY, "replayed", BOOL, CV_NO_LIMIT, "it was like this before"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static cv_command_row *find(cv_commands *all, cv_str command)
{
    for (size_t i = 0; i < all->count; i++)
        if (cv_str_eq(all->items[i].command, command))
            return &all->items[i];
    return NULL;
}

/* One command of the request, in the list and in the write; unchanged: nothing. */
static void set(cv_call *call, cv_writing *w, cv_commands *all, const cv_agent_row *agent, const cv_json *given)
{
    cv_command_row row;
    cv_row_clear(&cv_command_row_type, &row);
    row.agent = agent->name;
    row.command = cv_str_trim(cv_json_get_text(given, "command"));
    row.summary = cv_json_get_text(given, "summary");
    row.params = cv_json_get_json(call->arena, given, "params");
    row.changed_at = w->now;
    cv_command_row *old = find(all, row.command);
    if (old && cv_str_eq(old->summary, row.summary) && cv_str_eq(old->params, row.params))
        return;
    if (old)
        *old = row;
    else
        *CV_PUSH(call->arena, all) = row;
    cv_event_row *event = cv_writing_event(w, CV_STR("agent"), agent->id, CV_STR("command_set"));
    event->reference = row.command;
    cv_writing_covers(w, event, &cv_command_row_type, cv_writing_put(w, &cv_command_row_type, &row));
}

static void take_away(cv_call *call, cv_writing *w, cv_commands *all, const cv_agent_row *agent, cv_str command,
                      size_t index)
{
    cv_command_row *old = find(all, command);
    if (!old) {
        cv_str *known = CV_NEW_ARRAY(call->arena, all->count, cv_str);
        for (size_t i = 0; i < all->count; i++)
            known[i] = all->items[i].command;
        const char *field = cv_arena_printf(call->arena, "remove[%zu]", index).p;
        cv_refuse_words(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, command,
                                  "'%.*s' has no command '%.*s'", CV_FMT(agent->id),
                                  CV_FMT(cv_excerpt(call->arena, command))),
                        known, all->count);
        return;
    }
    cv_command_row row = *old;
    row.removed = 1;
    row.changed_at = w->now;
    *old = all->items[--all->count];
    cv_event_row *event = cv_writing_event(w, CV_STR("agent"), agent->id, CV_STR("command_removed"));
    event->reference = row.command;
    cv_writing_covers(w, event, &cv_command_row_type, cv_writing_put(w, &cv_command_row_type, &row));
}

static int by_name(const void *x, const void *y)
{
    return cv_str_order(((const cv_command_row *)x)->command, ((const cv_command_row *)y)->command);
}

static bool change(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    cv_err err = {.arena = call->arena};
    const cv_json *given = cv_json_get(call->input, CV_STR("set")), *gone = cv_json_get(call->input, CV_STR("remove"));
    cv_agent_row agent;
    told t;
    if (!cv_registry_agent(call, &agent))
        return false;
    if (!cv_agent_commands(call->record, call->arena, agent.name, &t.commands, &err))
        return cv_call_fail(call, &err);
    for (uint32_t i = 0; gone && i < gone->count; i++)
        take_away(call, w, &t.commands, &agent, gone->items[i].text, i);
    for (uint32_t i = 0; given && i < given->count; i++)
        set(call, w, &t.commands, &agent, &given->items[i]);
    if (t.commands.count > MAX_COMMANDS)
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), "set", CV_STR(""), "an agent has at most %d commands, not %zu",
                  MAX_COMMANDS, t.commands.count);
    if (call->errs->count > 0)
        return false;
    if (t.commands.count > 1)
        qsort(t.commands.items, t.commands.count, sizeof *t.commands.items, by_name);
    t.agent_id = agent.id;
    *ret_result = cv_shape_text(call->arena, cv_agent_commands_shape, &t);
    return true;
}

bool cv_agent_op_commands(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_agent_row agent;
    told t;
    if (cv_json_get(call->input, CV_STR("set")) || cv_json_get(call->input, CV_STR("remove")))
        return cv_request_locked(call, CV_STR("agent commands"), cv_agents_scope(), change, NULL);
    if (!cv_registry_agent(call, &agent))
        return false;
    if (!cv_agent_commands(call->record, call->arena, agent.name, &t.commands, &err))
        return cv_call_fail(call, &err);
    t.agent_id = agent.id;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_agent_commands_shape, &t);
    return true;
}
