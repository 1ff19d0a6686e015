/* prompts.c - the prompts of the rooms as prompts of an MCP server; see tools.h. */
#include "door/tools.h"

static void say(cv_mcp_request *r, cv_str text)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "role", CV_STR("user"));
    cv_json_key(&r->w, CV_STR("content"));
    cv_mcp_text(r, text);
    cv_json_end_object(&r->w);
}

/* "the arguments a and b are needed", when one of them is not there. */
static bool check_arguments(cv_mcp_request *r, const cv_room_prompt *prompt, const cv_json *arguments)
{
    cv_str names = {NULL, 0};
    size_t count = 0;
    bool missing = false;
    for (const cv_prompt_argument *argument = prompt->arguments; argument && argument->name; argument++)
        if (argument->required) {
            missing = missing || cv_json_get_text(arguments, argument->name).n == 0;
            names = cv_arena_printf(r->arena, "%.*s%s%s", CV_FMT(names), count++ ? " and " : "", argument->name);
        }
    return !missing || cv_mcp_fail(r, CV_RPC_PARAMS, "the argument%s %.*s %s needed", count > 1 ? "s" : "",
                                   CV_FMT(names), count > 1 ? "are" : "is");
}

/* A prompt that cannot be made is not a text to begin with: the client's user gets the reason. */
static bool get(cv_mcp_request *r, const cv_mcp_prompt *mcp, const cv_json *arguments)
{
    const cv_room_prompt *prompt = mcp->data;
    cv_asker asker = cv_tools_asker(r);
    cv_prompt_texts texts = {0};
    cv_err err = {.arena = r->arena};
    if (!check_arguments(r, prompt, arguments))
        return false;
    if (!prompt->begin(&asker, arguments, &texts, &err))
        return cv_mcp_fail(r, CV_RPC_PARAMS, "%.*s%s%.*s", CV_FMT(err.message), err.suggestion.n ? "; " : "",
                           CV_FMT(err.suggestion));
    for (size_t i = 0; i < texts.count; i++)
        say(r, texts.items[i]);
    return true;
}

static cv_str define(cv_arena *a, const cv_room_prompt *prompt)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "name", cv_str_of(prompt->name));
    cv_json_key_str(&w, "title", cv_str_of(prompt->title));
    cv_json_key_str(&w, "description", cv_str_of(prompt->about));
    cv_json_key(&w, CV_STR("arguments"));
    cv_json_begin_array(&w);
    for (const cv_prompt_argument *argument = prompt->arguments; argument && argument->name; argument++) {
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "name", cv_str_of(argument->name));
        cv_json_key_str(&w, "description", cv_str_of(argument->about));
        cv_json_key_bool(&w, "required", argument->required);
        cv_json_end_object(&w);
    }
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

void cv_prompts_offer(cv_arena *a, const cv_tools *tools, cv_mcp_server *server)
{
    struct {
        cv_mcp_prompt *items;
        size_t count, capacity;
    } all = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_room_prompt *p = cv_rooms[i]->prompts; p && p->name && cv_tools_offers(tools, cv_rooms[i]->name);
             p++)
            *CV_PUSH(a, &all) = (cv_mcp_prompt){cv_str_of(p->name), define(a, p), get, p};
    server->prompts = all.items;
    server->prompt_count = all.count;
}
