/* era.c - which protocol a request speaks, and what its envelope says; see host.h.
 *
 *     _meta has a protocolVersion, or the header names the modern one    modern: checked against each other
 *     otherwise                                                          legacy: the session knows the rest
 */
#include "base/base64.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "door/mcp/host.h"

#define META "io.modelcontextprotocol/"

const cv_str cv_mcp_modern = CV_STR_INIT("2026-07-28");

static const cv_str legacy_versions[] = {CV_STR_INIT("2025-11-25"), CV_STR_INIT("2025-06-18"),
                                         CV_STR_INIT("2025-03-26"), CV_STR_INIT("2024-11-05"),
                                         CV_STR_INIT("2024-10-07")};

const cv_str cv_mcp_level_words[] = {CV_STR_INIT("debug"),   CV_STR_INIT("info"),     CV_STR_INIT("notice"),
                                     CV_STR_INIT("warning"), CV_STR_INIT("error"),    CV_STR_INIT("critical"),
                                     CV_STR_INIT("alert"),   CV_STR_INIT("emergency")};
_Static_assert(CV_COUNT(cv_mcp_level_words) == CV_MCP_LEVELS, "a word per level");

static bool is_legacy(cv_str version)
{
    for (size_t i = 0; i < CV_COUNT(legacy_versions); i++)
        if (cv_str_eq(version, legacy_versions[i]))
            return true;
    return false;
}

cv_str cv_mcp_negotiate(cv_str asked)
{
    for (size_t i = 0; i < CV_COUNT(legacy_versions); i++)
        if (cv_str_eq(asked, legacy_versions[i]))
            return legacy_versions[i];
    return legacy_versions[0];
}

void cv_mcp_print_versions(cv_json_writer *w)
{
    cv_json_begin_array(w);
    cv_json_str(w, cv_mcp_modern);
    for (size_t i = 0; i < CV_COUNT(legacy_versions); i++)
        cv_json_str(w, legacy_versions[i]);
    cv_json_end_array(w);
}

int cv_mcp_level_of(cv_str word)
{
    for (int i = 0; i < CV_MCP_LEVELS; i++)
        if (cv_str_eq(word, cv_mcp_level_words[i]))
            return i;
    return -1;
}

/* ---- what all requests may say ---------------------------------------------------------------------------------- */

static void read_progress_token(cv_mcp_job *job, const cv_json *meta)
{
    const cv_json *token = meta ? cv_json_get(meta, CV_STR("progressToken")) : NULL;
    if (!token || (token->type != CV_JSON_STRING && token->type != CV_JSON_NUMBER))
        return;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, token);
    job->progress_token = cv_buf_take(&out, &job->arena);
}

/* ---- headers of a modern HTTP request ---------------------------------------------------------------------------- */

/* They repeat parts of its body, for those who only look at headers, and must agree with it: or somebody on the way was
 * told something else than we are.
 *
 *     MCP-Protocol-Version   _meta                Mcp-Name         params.name or params.uri
 *     Mcp-Method             method               Mcp-Param-NAME   the argument whose schema says x-mcp-header: NAME
 *
 * A value that a header cannot carry is written =?base64?…?=. */

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

static bool check_headers(cv_mcp_job *job, cv_str version)
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

/* ---- modern ----------------------------------------------------------------------------------------------------- */

static bool bad_meta(cv_mcp_job *job, const char *why)
{
    cv_mcp_refuse(job, 400, CV_RPC_PARAMS, cv_str_of(why), (cv_str){0});
    return false;
}

static bool bad_version(cv_mcp_job *job, cv_str version)
{
    cv_buf data = {0};
    cv_json_writer w = {.out = &data};
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("supported"));
    cv_mcp_print_versions(&w);
    cv_json_key_str(&w, "requested", version);
    cv_json_end_object(&w);
    cv_mcp_refuse(job, 400, CV_RPC_VERSION, CV_STR("unsupported protocol version"), cv_buf_take(&data, &job->arena));
    return false;
}

static bool modern_envelope(cv_mcp_job *job, const cv_json *meta)
{
    const cv_json *version = meta ? cv_json_get(meta, CV_STR(META "protocolVersion")) : NULL;
    const cv_json *capabilities = meta ? cv_json_get(meta, CV_STR(META "clientCapabilities")) : NULL;
    const cv_json *level = meta ? cv_json_get(meta, CV_STR(META "logLevel")) : NULL;
    job->era = CV_MCP_MODERN;
    if (!version || version->type != CV_JSON_STRING)
        return bad_meta(job, "params._meta must have " META "protocolVersion, a string");
    if (job->headers.other && !check_headers(job, version->text))
        return false;
    if (!cv_str_eq(version->text, cv_mcp_modern))
        return bad_version(job, version->text);
    if (!capabilities || capabilities->type != CV_JSON_OBJECT)
        return bad_meta(job, "params._meta must have " META "clientCapabilities, an object");
    if (level && (level->type != CV_JSON_STRING || cv_mcp_level_of(level->text) < 0))
        return bad_meta(job, META "logLevel must be one of debug, info, notice, warning, error, critical, alert, "
                                  "emergency");
    job->capabilities = capabilities;
    job->level = level ? cv_mcp_level_of(level->text) : -1;
    read_progress_token(job, meta);
    return true;
}

/* ---- either ----------------------------------------------------------------------------------------------------- */

static bool legacy_envelope(cv_mcp_job *job, const cv_json *meta)
{
    job->era = CV_MCP_LEGACY;
    job->level = -1;
    if (job->headers.version.p && !is_legacy(job->headers.version)) {
        cv_str text =
            cv_str_head(job->headers.version, cv_utf8_valid(job->headers.version)); /* a header may be no text */
        cv_mcp_refuse(job, 400, CV_RPC_LEGACY,
                      cv_arena_printf(&job->arena, "unsupported protocol version '%.*s'",
                                      CV_FMT(cv_utf8_excerpt(&job->arena, text, CV_MAX_EXCERPT))),
                      (cv_str){0});
        return false;
    }
    read_progress_token(job, meta);
    return true;
}

bool cv_mcp_envelope(cv_mcp_job *job)
{
    const cv_json *meta = cv_json_get(job->message.params, CV_STR("_meta"));
    if (meta && meta->type != CV_JSON_OBJECT)
        meta = NULL;
    bool modern =
        (meta && cv_json_get(meta, CV_STR(META "protocolVersion"))) || cv_str_eq(job->headers.version, cv_mcp_modern);
    if (modern && job->message.kind == CV_RPC_NOTIFICATION) { /* nothing is answered to it: it is not held to account */
        job->era = CV_MCP_MODERN;
        return true;
    }
    return modern ? modern_envelope(job, meta) : legacy_envelope(job, meta);
}
