/* mcp.h - a server of the Model Context Protocol, for whatever it offers.
 *
 * The library knows the protocol and nothing of what is served. The caller describes tools, resources and prompts as
 * tables and functions (cv_mcp_server) and runs them on a transport:
 *
 *     standard input, HTTP  ->  rpc       one message
 *                           ->  era       which protocol it speaks, and what its envelope says
 *                           ->  server    method -> handler; quick ones at once, others on a worker
 *                           ->  answer    on the stream that the request came from
 *
 * Two eras are spoken on both transports, chosen per request: "modern" (2026-07-28; every request describes itself)
 * and "legacy" (2025-11-25 back to 2024-11-05; initialize, sessions). A handler is written once for both: it writes its
 * content and may tell progress. One that asks the client needs cv_mcp_asking; no tool of the program does.
 */
#ifndef CV_DOOR_MCP_MCP_H
#define CV_DOOR_MCP_MCP_H

#include "base/seen.h"
#include "door/mcp/rpc.h"
#include "door/workers.h"

typedef enum { CV_MCP_LEGACY, CV_MCP_MODERN } cv_mcp_era;

typedef struct cv_mcp_server cv_mcp_server;
typedef struct cv_mcp_host cv_mcp_host;
typedef struct cv_mcp_tool cv_mcp_tool;
typedef struct cv_mcp_prompt cv_mcp_prompt;

/* One request while it is served. The writer is inside the list that the handler fills: `content` of a tool,
 * `contents` of a resource, `messages` of a prompt, the items of a list, the values of a completion. */
typedef struct {
    cv_arena *arena; /* lives until the answer is sent */
    cv_mcp_host *host;
    const cv_mcp_server *server;
    void *worker; /* what the worker has as its own */
    cv_mcp_era era;
    cv_str text;   /* the message as it came */
    cv_str bearer; /* the token that came with it (HTTP); absent: none */
    cv_json_writer w;
    bool is_error;      /* tools: the content says what went wrong */
    cv_str structured;  /* tools: structuredContent as JSON, or empty */
    cv_str description; /* prompts, or empty */
    cv_str cursor;      /* lists: where to go on; empty: from the beginning */
    cv_str next;        /* lists: set by the handler when there is more */
    cv_str state;       /* what the handler kept from the round before (cv_mcp_asking); it may set another */
    cv_seen seen;       /* tools: folders that the answer was made from, beside what server->data_version counts */
    struct cv_mcp_job *job;
} cv_mcp_request;

/* A handler returns true when its content is whole; false after cv_mcp_fail, or when it has asked the client. */
struct cv_mcp_tool {
    cv_str name;
    cv_str definition; /* the item of tools/list: JSON */
    bool (*call)(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments);
    const void *data;
    bool cacheable; /* what it answers follows from its arguments, from what server->data_version counts and from the
                     * folders in request->seen: for one bearer always the same */
};

struct cv_mcp_prompt {
    cv_str name;
    cv_str definition; /* the item of prompts/list: JSON */
    bool (*get)(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments);
    const void *data;
};

typedef enum {
    CV_MCP_TOOLS_CHANGED,
    CV_MCP_PROMPTS_CHANGED,
    CV_MCP_RESOURCES_CHANGED,
    CV_MCP_RESOURCE_UPDATED
} cv_mcp_change;

/* How handlers ask the client in the middle of a request: they put questions into job->asked and return false. */
typedef struct {
    /* Fills r->state from what the client has carried; false: it was not given out for this request. */
    bool (*open)(cv_mcp_request *r, const cv_json *params, cv_str sealed);
    void (*print)(cv_mcp_request *r, const cv_json *params); /* the questions, in the place of a result */
    void (*answered)(struct cv_mcp_job *job);                /* an answer of the client to a question of ours */
} cv_mcp_asking;

struct cv_mcp_server {
    cv_str name, title, version;
    cv_str instructions; /* for the model; empty: none */
    const cv_mcp_tool *tools;
    size_t tool_count;
    /* What to say of a tool that is not among them, beside that; a NULL view, or no function: nothing. */
    cv_str (*tool_missing)(void *ctx, cv_arena *a, cv_str name);
    const cv_mcp_prompt *prompts;
    size_t prompt_count;
    const cv_str *templates; /* the items of resources/templates/list: JSON */
    size_t template_count;
    bool (*list_resources)(cv_mcp_request *r); /* NULL: there are no resources */
    bool (*read_resource)(cv_mcp_request *r, cv_str uri);
    bool (*complete)(cv_mcp_request *r, const cv_json *params, cv_str argument, cv_str value); /* NULL: none */
    bool lists_change;           /* tools, prompts and resources may change while the server runs (cv_mcp_changed) */
    bool logs;                   /* handlers log to the client */
    const cv_mcp_asking *asking; /* NULL: handlers ask the client nothing */
    cv_workers_own own;          /* what workers that serve its calls begin and end with */
    /* Called about four times a second, always from the same thread, while somebody has subscribed to these resources:
     * calls cv_mcp_changed for what has changed since. NULL: nothing changes from outside. */
    void (*watch)(void *ctx, cv_mcp_host *host, const cv_str *uris, size_t count);
    /* May a client with this bearer not hear of this resource, now? From any thread. NULL: all may hear of all. */
    bool (*refuses)(void *ctx, cv_str bearer, cv_str uri);
    /* As long as this number is the same, cacheable tools are not called again for what they have answered before. It
     * is above 0. From any thread; false: it is not known. NULL: all tools are always called. */
    bool (*data_version)(void *ctx, uint64_t *ret_version);
    void *ctx;
};

/* ---- for handlers ----------------------------------------------------------------------------------------------- */

/* One item of content: {"type":"text","text":…}. */
void cv_mcp_text(cv_mcp_request *r, cv_str text);

/* The request fails with a code of rpc.h. Always false. */
bool cv_mcp_fail(cv_mcp_request *r, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* How far it is, for those who asked to know; `total` below zero: unknown. */
void cv_mcp_progress(cv_mcp_request *r, int64_t done, int64_t total, cv_str message);

typedef enum {
    CV_MCP_DEBUG,
    CV_MCP_INFO,
    CV_MCP_NOTICE,
    CV_MCP_WARNING,
    CV_MCP_ERROR,
    CV_MCP_CRITICAL,
    CV_MCP_ALERT,
    CV_MCP_EMERGENCY,
    CV_MCP_LEVELS
} cv_mcp_level;

/* Nobody waits for the answer any more, or the server ends. What a handler returns after that is not sent. */
bool cv_mcp_cancelled(const cv_mcp_request *r);

/* Something that may be subscribed to has changed; from any thread. `uri` of a resource that was updated. */
void cv_mcp_changed(cv_mcp_host *host, cv_mcp_change change, cv_str uri);

/* ---- running it ------------------------------------------------------------------------------------------------- */

/* Serves standard input and output until end of input or a signal; the exit status. */
int cv_mcp_serve_stdio(const cv_mcp_server *server);

#endif
