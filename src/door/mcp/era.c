/* era.c - which protocol a request speaks, and what its envelope says; see host.h.
 *
 *     _meta has a protocolVersion, or the header names the modern one    modern: checked against each other
 *     otherwise                                                          legacy: the session knows the rest
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "door/mcp/host.h"

#define META "io.modelcontextprotocol/"

const cv_str cv_mcp_modern = CV_STR_INIT("2026-07-28");

static const cv_str legacy_versions[] = {CV_STR_INIT("2025-11-25"), CV_STR_INIT("2025-06-18"),
                                         CV_STR_INIT("2025-03-26"), CV_STR_INIT("2024-11-05"),
                                         CV_STR_INIT("2024-10-07")};

const cv_str cv_mcp_level_words[CV_MCP_LEVELS] = {
    CV_STR_INIT("debug"), CV_STR_INIT("info"),     CV_STR_INIT("notice"), CV_STR_INIT("warning"),
    CV_STR_INIT("error"), CV_STR_INIT("critical"), CV_STR_INIT("alert"),  CV_STR_INIT("emergency")};

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
    if (job->headers.other && !cv_mcp_check_headers(job, version->text))
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
