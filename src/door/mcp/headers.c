/* headers.c - headers of a modern HTTP request repeat parts of its body, for those who only look at headers. They must
 * agree, or somebody on the way was told something else than we are; see host.h.
 *
 *     MCP-Protocol-Version   _meta                Mcp-Name         params.name or params.uri
 *     Mcp-Method             method               Mcp-Param-NAME   the argument whose schema says x-mcp-header: NAME
 *
 * A value that a header cannot carry is written =?base64?…?=.
 */
#include "base/base64.h"
#include "door/mcp/host.h"

static bool decode(cv_arena *a, cv_str value, cv_str *ret)
{
    static const cv_str prefix = CV_STR_INIT("=?base64?"), suffix = CV_STR_INIT("?=");
    *ret = value;
    if (!cv_str_starts(value, prefix) || !cv_str_ends(value, suffix) || value.n < prefix.n + suffix.n)
        return true;
    return cv_base64_decode(a, cv_str_range(value.p + prefix.n, cv_str_end(value) - suffix.n), ret);
}

/* An absent view stands for nothing: both sides may be. */
static bool agrees(cv_mcp_job *job, cv_str header, cv_str body)
{
    cv_str decoded;
    if (!header.p || !body.p)
        return !header.p && !body.p;
    return decode(&job->arena, header, &decoded) && cv_str_eq(decoded, body);
}

static bool refuse(cv_mcp_job *job, const char *header)
{
    cv_str why = cv_arena_printf(&job->arena, "the header %s is missing or differs from the body", header);
    cv_mcp_refuse(job, 400, CV_RPC_HEADER, why, (cv_str){0});
    return false;
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static void find_in_tool(cv_mcp_host *host, const cv_mcp_tool *tool)
{
    cv_arena *a = &host->arena;
    cv_json *definition = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    if (cv_str_find(tool->definition, CV_STR("x-mcp-header")) == SIZE_MAX ||
        !cv_json_parse(a, tool->definition, definition, &err))
        return;
    const cv_json *schema = cv_json_get(definition, CV_STR("inputSchema"));
    const cv_json *properties = schema ? cv_json_get(schema, CV_STR("properties")) : NULL;
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        cv_str name = cv_json_get_text(&properties->members[i].value, "x-mcp-header");
        if (name.n)
            *CV_PUSH(a, &host->mirrored) = (cv_mcp_mirrored){tool, properties->members[i].key,
                                                             cv_arena_printf(a, "Mcp-Param-%.*s", CV_FMT(name)).p};
    }
}

void cv_mcp_find_mirrored(cv_mcp_host *host)
{
    for (size_t i = 0; i < host->server->tool_count; i++)
        find_in_tool(host, &host->server->tools[i]);
}

/* The argument as a header would carry it; a NULL view: it is not there. */
static cv_str argument_text(cv_mcp_job *job, cv_str name)
{
    const cv_json *all = cv_json_get(job->message.params, CV_STR("arguments"));
    const cv_json *value = all ? cv_json_get(all, name) : NULL;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    if (!value || value->type == CV_JSON_NULL)
        return (cv_str){NULL, 0};
    if (value->type == CV_JSON_STRING)
        return value->text;
    cv_json_value(&w, value);
    return cv_buf_take(&out, &job->arena);
}

static bool check_arguments(cv_mcp_job *job)
{
    const cv_mcp_host *host = job->host;
    cv_str name = cv_json_get_text(job->message.params, "name");
    for (size_t i = 0; i < host->mirrored.count; i++) {
        const cv_mcp_mirrored *m = &host->mirrored.items[i];
        if (cv_str_eq(m->tool->name, name) &&
            !agrees(job, job->headers.other(job->transport_data, m->header), argument_text(job, m->argument)))
            return refuse(job, m->header);
    }
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

bool cv_mcp_check_headers(cv_mcp_job *job, cv_str version)
{
    const cv_rpc_message *m = &job->message;
    bool calls = cv_str_eq(m->method, CV_STR("tools/call"));
    bool named = calls || cv_str_eq(m->method, CV_STR("prompts/get")) || cv_str_eq(m->method, CV_STR("resources/read"));
    cv_str name = cv_json_get_text(m->params, "name");
    if (!name.p)
        name = cv_json_get_text(m->params, "uri");
    if (!agrees(job, job->headers.version, version))
        return refuse(job, "MCP-Protocol-Version");
    if (!agrees(job, job->headers.method, m->method))
        return refuse(job, "Mcp-Method");
    if (named && name.p && !agrees(job, job->headers.name, name))
        return refuse(job, "Mcp-Name");
    return !calls || check_arguments(job);
}
