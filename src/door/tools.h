/* tools.h - the operations as tools of an MCP server, and what else such a server shows of a project.
 *
 *     operation       ->  tool            name, short schema, annotations; answers as compact JSON text
 *     its resources   ->  resources       what can be read under a URI, and whether it has changed    (resources.c)
 *     its prompts     ->  prompts         how to begin                                                (prompts.c)
 *
 * Answers have no structured content beside their text: clients that get both show the model only one. Faults are
 * answers that say so (isError), in the one shape that all doors share (err_json.h).
 */
#ifndef CV_DOOR_TOOLS_H
#define CV_DOOR_TOOLS_H

#include "base/map.h"
#include "door/mcp/mcp.h"
#include "door/service.h"

typedef struct {
    const char *root;  /* where to look for the project; NULL: from the current folder upwards */
    const char *rooms; /* with commas between, or all; NULL: those in use, or all when none is */
    bool all;          /* every operation, not only those that are offered unasked */
    bool starts;       /* those that start programs are offered, too */
    const char *as;    /* who acts in calls that have no token of an agent; NULL: nobody is named */
} cv_tools_options;

/* ctx of the server. */
typedef struct {
    cv_tools_options options;
    const char *rooms; /* that are offered; NULL: all */
    cv_service service;
    cv_record_handle watcher; /* of the thread that looks for changes */
    cv_arena seen_arena;      /* … and what it saw last: URI -> rev */
    cv_map seen;
    cv_buf complaint; /* … and why a room could not take its files in, if it could not */
} cv_tools;
void cv_tools_end(cv_mcp_server *server); /* once nothing is served any more */

/* A server that offers them; everything lives in the arena. An unknown room is an error. */
bool cv_tools_server(cv_arena *a, const cv_tools_options *options, cv_mcp_server *ret_server, cv_err *err);

/* ---- shared by tools.c, resources.c and prompts.c ---- */

/* Is this one of the rooms that the server offers? */
bool cv_tools_offers(const cv_tools *tools, const char *room);

/* Runs operations for what is asked here. */
cv_asker cv_tools_asker(cv_mcp_request *r);

/* ---- resources.c ---- */
void cv_resources_offer(cv_arena *a, const cv_tools *tools, cv_mcp_server *server);
void cv_resources_watch(void *ctx, cv_mcp_host *host, const cv_str *uris, size_t count);

/* ---- prompts.c ---- */
void cv_prompts_offer(cv_arena *a, const cv_tools *tools, cv_mcp_server *server);

#endif
