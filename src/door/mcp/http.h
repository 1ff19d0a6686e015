/* http.h - MCP as a route of an HTTP server: Streamable HTTP in both eras; see mcp.h.
 *
 *     POST     one message; its answer as JSON, or as a stream of events when something is said before the answer
 *     GET      legacy: what no request asked for, or the rest of a stream that broke off (Last-Event-ID)
 *     DELETE   legacy: the end of a session
 */
#ifndef CV_DOOR_MCP_HTTP_H
#define CV_DOOR_MCP_HTTP_H

#include "door/http/http.h"
#include "door/mcp/mcp.h"

typedef struct cv_mcp_http cv_mcp_http;

/* Calls are served by these workers, which have what the server wants as their own (server->own). */
cv_mcp_http *cv_mcp_http_new(const cv_mcp_server *server, cv_workers *workers);
cv_http_route cv_mcp_http_route(cv_mcp_http *http, const char *path);

/* Ends subscriptions, streams and workers and waits shortly for what is under way; between cv_http_close and
 * cv_http_stop. False: a call is still under way. Then nothing may be stopped or freed: cv_http_drain, and the process
 * ends. */
bool cv_mcp_http_end(cv_mcp_http *http);
void cv_mcp_http_free(cv_mcp_http *http); /* after it has stopped */

#endif
