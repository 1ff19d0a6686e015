/* api.h - every operation over HTTP, as routes of an HTTP server.
 *
 *     POST /api/ROOM/VERB        one operation: its input as JSON in the body, its answer as JSON
 *     GET  /api/ROOM/VERB?a=1    the same for operations that change nothing
 *     GET  /api/events           every commit, as it happens, as server-sent events          (events.c)
 *     GET  /api/openapi.json     all of it, described                                        (openapi.c)
 *     POST, DELETE /api/session  a browser exchanges its token for a cookie
 *     GET  /healthz, /metrics    is it alive; how much it does                               (metrics.c)
 *
 * Operations at the top level have no room: /api/verify. Answers and faults are those of every other door; the status
 * comes from the code of the fault (status.c). Who may come in is the HTTP server's business; who acts, the token's.
 * Calls run on the workers that all doors of the server share.
 */
#ifndef CV_DOOR_API_API_H
#define CV_DOOR_API_API_H

#include "door/http/http.h"
#include "door/service.h"

typedef struct cv_api cv_api;

enum { CV_API_ROUTES = 4 };

/* The workers have cv_service_own as their own. `patience_seconds`: who listens to events and reads nothing for so long
 * is cut off. */
cv_api *cv_api_new(cv_service *service, cv_workers *workers, unsigned patience_seconds);
void cv_api_routes(cv_api *api, cv_http_route ret_routes[CV_API_ROUTES]);

/* Answers what waits, and ends the streams; once the workers are closed. */
void cv_api_end(cv_api *api);
void cv_api_free(cv_api *api); /* once the HTTP server has stopped and the workers have ended */

#endif
