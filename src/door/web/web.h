/* web.h - the dashboard: pages that are part of the program, as a route of an HTTP server.
 *
 * The pages are static; what they show they ask the API for (door/api). They are made from web/ when the program is
 * built, and sent as they were compressed then. No page may run or load anything that does not come from this server.
 * They need no token: there a person enters one.
 */
#ifndef CV_DOOR_WEB_WEB_H
#define CV_DOOR_WEB_WEB_H

#include "door/http/http.h"

/* For everything that no other route takes. */
cv_http_route cv_web_route(void);

#endif
