/* guard.h - who may come in: Host, Origin and token of a request, before anything else is looked at.
 *
 * A page in a browser can make it send requests here, under any name that it has bound to this address. So the names
 * in Host and Origin must be ours. A token is compared without telling by its time how much of it was right.
 */
#ifndef CV_DOOR_HTTP_GUARD_H
#define CV_DOOR_HTTP_GUARD_H

#include <sys/socket.h>

#include "base/json.h"
#include "door/http/http.h"

bool cv_guard_is_loopback(const struct sockaddr *address);

/* 0, or the status to answer with and why. Absent headers are NULL views. */
int cv_guard_check(const cv_http_options *options, cv_str host, cv_str origin, cv_str authorization,
                   const char **ret_why);

#endif
