/* server.c - the methods of both eras, each from its parameters to its result; see host.h. */
#include "base/limits.h"
#include "base/utf8.h"
#include "door/mcp/host.h"

enum { LEGACY = 1, MODERN = 2, BOTH = 3, TTL_MS = 60000 };

/* ---- results ---------------------------------------------------------------------------------------------------- */

static void begin_result(cv_mcp_request *r)
{
    cv_buf_clear(&r->job->out);
    r->w = (cv_json_writer){.out = &r->job->out};
    cv_rpc_begin_result(&r->w, r->job->message.id);
    r->job->result_at = r->job->out.n;
    cv_json_begin_object(&r->w);
}

void cv_mcp_end_result(cv_mcp_request *r, bool cacheable)
{
    if (r->era == CV_MCP_MODERN) {
        cv_json_key_str(&r->w, "resultType", CV_STR("complete"));
        if (cacheable) {
            cv_json_key_int(&r->w, "ttlMs", r->server->lists_change ? 0 : TTL_MS);
            cv_json_key_str(&r->w, "cacheScope", CV_STR("private"));
        }
        cv_json_key(&r->w, CV_STR("_meta"));
        cv_json_raw(&r->w, r->host->identity);
    }
    cv_json_end_object(&r->w);
    cv_rpc_end(&r->w);
}

static void begin_list(cv_mcp_request *r, cv_str key)
{
    begin_result(r);
    cv_json_key(&r->w, key);
    cv_json_begin_array(&r->w);
}

static void end_list(cv_mcp_request *r)
{
    cv_json_end_array(&r->w);
    if (r->next.n)
        cv_json_key_str(&r->w, "nextCursor", r->next);
    cv_mcp_end_result(r, true);
}

/* Lists that are one page have no cursors. */
static bool one_page(cv_mcp_request *r)
{
    return r->cursor.n == 0 || cv_mcp_fail(r, CV_RPC_PARAMS, "there is no page at this cursor");
}

/* ---- capabilities ----------------------------------------------------------------------------------------------- */

static bool has_tools(const cv_mcp_server *s)
{
    return s->tool_count > 0;
}
static bool has_prompts(const cv_mcp_server *s)
{
    return s->prompt_count > 0;
}
static bool has_resources(const cv_mcp_server *s)
{
    return s->list_resources != NULL;
}
static bool has_completion(const cv_mcp_server *s)
{
    return s->complete != NULL;
}
static bool has_log(const cv_mcp_server *s)
{
    return s->logs;
}
static bool has_subscriptions(const cv_mcp_server *s)
{
    return s->watch || s->lists_change;
}

static void print_offer(cv_json_writer *w, const char *key, bool offered, bool changes, bool subscribe)
{
    if (!offered)
        return;
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_object(w);
    if (changes)
        cv_json_key_bool(w, "listChanged", true);
    if (subscribe)
        cv_json_key_bool(w, "subscribe", true);
    cv_json_end_object(w);
}

static void print_capabilities(cv_mcp_request *r)
{
    const cv_mcp_server *s = r->server;
    cv_json_key(&r->w, CV_STR("capabilities"));
    cv_json_begin_object(&r->w);
    print_offer(&r->w, "tools", has_tools(s), s->lists_change, false);
    print_offer(&r->w, "resources", has_resources(s), s->lists_change, has_subscriptions(s));
    print_offer(&r->w, "prompts", has_prompts(s), s->lists_change, false);
    print_offer(&r->w, "completions", has_completion(s), false, false);
    print_offer(&r->w, "logging", has_log(s), false, false);
    cv_json_end_object(&r->w);
}

static void print_instructions(cv_mcp_request *r)
{
    if (r->server->instructions.n)
        cv_json_key_str(&r->w, "instructions", r->server->instructions);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* The session keeps what the client says about itself; the request's arena goes with its answer. */
static void remember_client(cv_mcp_session *session, cv_str version, const cv_json *capabilities)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_err err = {.arena = &session->arena};
    pthread_mutex_lock(&session->lock);
    session->version = version;
    session->capabilities = NULL;
    if (capabilities && capabilities->type == CV_JSON_OBJECT) {
        cv_json *kept = CV_NEW(&session->arena, cv_json);
        cv_json_value(&w, capabilities);
        if (cv_json_parse(&session->arena, cv_buf_take(&text, &session->arena), kept, &err))
            session->capabilities = kept;
    }
    pthread_mutex_unlock(&session->lock);
}

static bool initialize(cv_mcp_request *r, const cv_json *params)
{
    const cv_mcp_server *s = r->server;
    cv_str version = cv_mcp_negotiate(cv_json_get_text(params, "protocolVersion"));
    if (r->job->session)
        remember_client(r->job->session, version, cv_json_get(params, CV_STR("capabilities")));
    begin_result(r);
    cv_json_key_str(&r->w, "protocolVersion", version);
    print_capabilities(r);
    cv_json_key(&r->w, CV_STR("serverInfo"));
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "name", s->name);
    if (s->title.n)
        cv_json_key_str(&r->w, "title", s->title);
    cv_json_key_str(&r->w, "version", s->version);
    cv_json_end_object(&r->w);
    print_instructions(r);
    cv_mcp_end_result(r, false);
    return true;
}

static bool discover(cv_mcp_request *r, const cv_json *params)
{
    (void)params;
    begin_result(r);
    cv_json_key(&r->w, CV_STR("supportedVersions"));
    cv_mcp_print_versions(&r->w);
    print_capabilities(r);
    print_instructions(r);
    cv_mcp_end_result(r, true);
    return true;
}

static bool nothing_to_say(cv_mcp_request *r, const cv_json *params)
{
    (void)params;
    begin_result(r);
    cv_mcp_end_result(r, false);
    return true;
}

static bool set_level(cv_mcp_request *r, const cv_json *params)
{
    int level = cv_mcp_level_of(cv_json_get_text(params, "level"));
    if (level < 0)
        return cv_mcp_fail(r, CV_RPC_PARAMS,
                           "level must be one of debug, info, notice, warning, error, critical, "
                           "alert, emergency");
    if (r->job->session) {
        pthread_mutex_lock(&r->job->session->lock);
        r->job->session->level = level;
        pthread_mutex_unlock(&r->job->session->lock);
    }
    return nothing_to_say(r, params);
}

/* ---- tools ------------------------------------------------------------------------------------------------------ */

static bool list_tools(cv_mcp_request *r, const cv_json *params)
{
    (void)params;
    if (!one_page(r))
        return false;
    begin_list(r, CV_STR("tools"));
    for (size_t i = 0; i < r->server->tool_count; i++)
        cv_json_raw(&r->w, r->server->tools[i].definition);
    end_list(r);
    return true;
}

static const cv_mcp_tool *find_tool(const cv_mcp_server *server, cv_str name)
{
    for (size_t i = 0; i < server->tool_count; i++)
        if (cv_str_eq(name, server->tools[i].name))
            return &server->tools[i];
    return NULL;
}

static const cv_json no_arguments = {.type = CV_JSON_OBJECT};

/* The arguments, an empty object when there are none; NULL: refused. */
static const cv_json *arguments_of(cv_mcp_request *r, const cv_json *params)
{
    const cv_json *arguments = cv_json_get(params, CV_STR("arguments"));
    if (!arguments)
        return &no_arguments;
    if (arguments->type == CV_JSON_OBJECT)
        return arguments;
    cv_mcp_fail(r, CV_RPC_PARAMS, "arguments must be an object");
    return NULL;
}

static bool refuse_tool(cv_mcp_request *r, cv_str name)
{
    const cv_mcp_server *server = r->server;
    cv_str more = server->tool_missing ? server->tool_missing(server->ctx, r->arena, name) : (cv_str){NULL, 0};
    return cv_mcp_fail(r, CV_RPC_PARAMS, "Tool %.*s not found%s%.*s",
                       CV_FMT(cv_utf8_excerpt(r->arena, name, CV_MAX_EXCERPT)), more.n ? ": " : "", CV_FMT(more));
}

/* What a handler left with the client the round before, when it asked something. */
static bool open_state(cv_mcp_request *r, const cv_json *params)
{
    const cv_json *state = r->era == CV_MCP_MODERN ? cv_json_get(params, CV_STR("requestState")) : NULL;
    const cv_mcp_asking *asking = r->server->asking;
    if (!state || (state->type == CV_JSON_STRING && asking && asking->open(r, params, state->text)))
        return true;
    cv_mcp_refuse(r->job, 200, CV_RPC_PARAMS,
                  CV_STR("requestState is not the one that this server gave out for this request"), (cv_str){0});
    return false;
}

static bool call_tool(cv_mcp_request *r, const cv_json *params)
{
    cv_str name = cv_json_get_text(params, "name");
    const cv_mcp_tool *tool = find_tool(r->server, name);
    if (!name.p)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "params.name, the tool's name, is missing");
    if (!tool)
        return refuse_tool(r, name);
    const cv_json *arguments = arguments_of(r, params);
    if (!arguments || !open_state(r, params))
        return false;
    begin_list(r, CV_STR("content"));
    if (!tool->call(r, tool, arguments))
        return false;
    cv_json_end_array(&r->w);
    if (r->structured.n) {
        cv_json_key(&r->w, CV_STR("structuredContent"));
        cv_json_raw(&r->w, r->structured);
    }
    if (r->is_error)
        cv_json_key_bool(&r->w, "isError", true);
    cv_mcp_end_result(r, false);
    if (!r->is_error && cv_buf_ok(r->w.out)) { /* without the brace that ends the message */
        cv_str result = cv_str_from(cv_buf_str(r->w.out), r->job->result_at);
        cv_mcp_keep(r->job, cv_str_head(result, result.n - 1), &r->seen);
    }
    return true;
}

/* What was answered before, if it is still true, needs no worker. */
static bool recall_tool(cv_mcp_job *job)
{
    const cv_json *params = job->message.params, *arguments = cv_json_get(params, CV_STR("arguments"));
    job->tool = find_tool(job->host->server, cv_json_get_text(params, "name"));
    return job->tool && cv_mcp_recall(job, job->tool, arguments ? arguments : &no_arguments);
}

/* ---- resources -------------------------------------------------------------------------------------------------- */

static bool list_resources(cv_mcp_request *r, const cv_json *params)
{
    (void)params;
    begin_list(r, CV_STR("resources"));
    if (!r->server->list_resources(r))
        return false;
    end_list(r);
    return true;
}

static bool list_templates(cv_mcp_request *r, const cv_json *params)
{
    (void)params;
    if (!one_page(r))
        return false;
    begin_list(r, CV_STR("resourceTemplates"));
    for (size_t i = 0; i < r->server->template_count; i++)
        cv_json_raw(&r->w, r->server->templates[i]);
    end_list(r);
    return true;
}

static bool read_resource(cv_mcp_request *r, const cv_json *params)
{
    cv_str uri = cv_json_get_text(params, "uri");
    if (!uri.p)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "params.uri is missing");
    if (!open_state(r, params))
        return false;
    begin_list(r, CV_STR("contents"));
    if (!r->server->read_resource(r, uri))
        return false;
    cv_json_end_array(&r->w);
    cv_mcp_end_result(r, true);
    return true;
}

/* ---- prompts ---------------------------------------------------------------------------------------------------- */

static bool list_prompts(cv_mcp_request *r, const cv_json *params)
{
    (void)params;
    if (!one_page(r))
        return false;
    begin_list(r, CV_STR("prompts"));
    for (size_t i = 0; i < r->server->prompt_count; i++)
        cv_json_raw(&r->w, r->server->prompts[i].definition);
    end_list(r);
    return true;
}

static bool get_prompt(cv_mcp_request *r, const cv_json *params)
{
    cv_str name = cv_json_get_text(params, "name");
    const cv_mcp_prompt *prompt = NULL;
    for (size_t i = 0; i < r->server->prompt_count && !prompt; i++)
        if (cv_str_eq(name, r->server->prompts[i].name))
            prompt = &r->server->prompts[i];
    if (!name.p)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "params.name, the prompt's name, is missing");
    if (!prompt)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "Prompt %.*s not found",
                           CV_FMT(cv_utf8_excerpt(r->arena, name, CV_MAX_EXCERPT)));
    const cv_json *arguments = arguments_of(r, params);
    if (!arguments || !open_state(r, params))
        return false;
    begin_list(r, CV_STR("messages"));
    if (!prompt->get(r, prompt, arguments))
        return false;
    cv_json_end_array(&r->w);
    if (r->description.n)
        cv_json_key_str(&r->w, "description", r->description);
    cv_mcp_end_result(r, false);
    return true;
}

static bool complete(cv_mcp_request *r, const cv_json *params)
{
    const cv_json *ref = cv_json_get(params, CV_STR("ref")), *argument = cv_json_get(params, CV_STR("argument"));
    if (!ref || ref->type != CV_JSON_OBJECT || !argument || argument->type != CV_JSON_OBJECT)
        return cv_mcp_fail(r, CV_RPC_PARAMS, "params must have ref and argument, both objects");
    begin_result(r);
    cv_json_key(&r->w, CV_STR("completion"));
    cv_json_begin_object(&r->w);
    cv_json_key(&r->w, CV_STR("values"));
    cv_json_begin_array(&r->w);
    if (!r->server->complete(r, params, cv_json_get_text(argument, "name"), cv_json_get_text(argument, "value")))
        return false;
    cv_json_end_array(&r->w);
    cv_json_key_bool(&r->w, "hasMore", false);
    cv_json_end_object(&r->w);
    cv_mcp_end_result(r, false);
    return true;
}

/* ---- the methods ------------------------------------------------------------------------------------------------ */

static const struct row {
    const char *name;
    unsigned eras;
    bool (*offered)(const cv_mcp_server *server);
    cv_mcp_method method;
} methods[] = {
    {"tools/call", BOTH, has_tools, {.serve = call_tool, .recall = recall_tool}},
    {"resources/read", BOTH, has_resources, {.serve = read_resource}},
    {"prompts/get", BOTH, has_prompts, {.serve = get_prompt}},
    {"tools/list", BOTH, has_tools, {.serve = list_tools, .quick = true}},
    {"resources/list", BOTH, has_resources, {.serve = list_resources}},
    {"resources/templates/list", BOTH, has_resources, {.serve = list_templates, .quick = true}},
    {"prompts/list", BOTH, has_prompts, {.serve = list_prompts, .quick = true}},
    {"completion/complete", BOTH, has_completion, {.serve = complete}},
    {"server/discover", MODERN, NULL, {.serve = discover, .quick = true}},
    {"subscriptions/listen", MODERN, has_subscriptions, {.quick = true}},
    {"initialize", LEGACY, NULL, {.serve = initialize, .quick = true}},
    {"ping", LEGACY, NULL, {.serve = nothing_to_say, .quick = true}},
    {"logging/setLevel", LEGACY, has_log, {.serve = set_level, .quick = true}},
    {"resources/subscribe", LEGACY, has_subscriptions, {.serve = cv_mcp_subscribe, .quick = true}},
    {"resources/unsubscribe", LEGACY, has_subscriptions, {.serve = cv_mcp_unsubscribe, .quick = true}},
};

size_t cv_mcp_kinds(const cv_mcp_server *server)
{
    return server->tool_count + CV_COUNT(methods);
}

size_t cv_mcp_kind_of(const cv_mcp_job *job, const cv_mcp_method *method)
{
    const cv_mcp_server *server = job->host->server;
    size_t row = 0;
    while (&methods[row].method != method)
        row++;
    return job->tool ? (size_t)(job->tool - server->tools) : server->tool_count + row;
}

const cv_mcp_method *cv_mcp_find_method(const cv_mcp_job *job)
{
    for (size_t i = 0; i < CV_COUNT(methods); i++)
        if (cv_str_eq(job->message.method, cv_str_of(methods[i].name)))
            return methods[i].eras & (job->era == CV_MCP_MODERN ? MODERN : LEGACY) &&
                           (!methods[i].offered || methods[i].offered(job->host->server))
                       ? &methods[i].method
                       : NULL;
    return NULL;
}
