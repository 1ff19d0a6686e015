/* tools.h - the operations as tools of an MCP server, and what else such a server shows of a project.
 *
 *     operation           ->  tool        name, short schema, annotations; answers as compact JSON text
 *     conclave://…        ->  resource    dialogues, transcripts, rounds, citations, the format   (shelf.c)
 *     judge, expert, …    ->  prompt      how to begin                                            (prompts.c)
 *
 * Answers have no structured content beside their text: clients that get both show the model only one. Faults are
 * answers that say so (isError), in the one shape that all doors share (err_json.h).
 */
#ifndef CV_DOOR_TOOLS_H
#define CV_DOOR_TOOLS_H

#include <pthread.h>

#include "base/map.h"
#include "door/desk.h"
#include "door/mcp/mcp.h"
#include "ops/op.h"

typedef struct {
    const char *root;  /* where to look for the project; NULL: from the current folder upwards */
    const char *rooms; /* "dialogue,mail"; NULL: all */
    bool all;          /* every operation, not only those of every round */
} cv_tools_options;

/* What a worker has for itself. */
typedef struct {
    cv_desk desk;
    cv_buf out; /* where operations write, one after the other */
} cv_tools_worker;

/* ctx of the server. */
typedef struct {
    cv_tools_options options;
    pthread_mutex_t window_lock;
    cv_desk window;      /* through which all threads see whether anybody has committed */
    cv_desk watcher;     /* of the thread that looks for changes */
    cv_arena seen_arena; /* … and what it saw last: URI -> rev */
    cv_map seen;
} cv_tools;
void cv_tools_end(cv_mcp_server *server); /* once nothing is served any more */

/* A server that offers them; everything lives in the arena. An unknown room is an error. */
bool cv_tools_server(cv_arena *a, const cv_tools_options *options, cv_mcp_server *ret_server, cv_err *err);

/* ---- shared by tools.c, shelf.c and prompts.c ---- */

/* Runs an operation for this request; `input_text` is JSON. The reply, or with ret_failed the fault, as JSON text. */
cv_str cv_tools_run_named(cv_mcp_request *r, const char *room, const char *verb, cv_str input_text, bool *ret_failed);

/* {"dialogue_id": ID, MORE: VALUE}: the input of an operation; `more` may be NULL, `value` is JSON. */
cv_str cv_tools_input(cv_arena *a, cv_str id, const char *more, cv_str value);

/* The text at reply.member, or at reply.list[0].member; the whole reply when there is none. */
cv_str cv_tools_text(cv_arena *a, cv_str reply, const char *list, const char *member);

/* ---- shelf.c ---- */
extern const cv_str cv_shelf_templates[];
extern const size_t cv_shelf_template_count;
bool cv_shelf_list(cv_mcp_request *r);
bool cv_shelf_read(cv_mcp_request *r, cv_str uri);
void cv_shelf_watch(void *ctx, cv_mcp_host *host, const cv_str *uris, size_t count);
bool cv_shelf_complete(cv_mcp_request *r, const cv_json *params, cv_str argument, cv_str value);

/* ---- prompts.c ---- */
extern const cv_mcp_prompt cv_prompts[];
extern const size_t cv_prompt_count;

#endif
