/* guard.h - who may come in: Host, Origin and token of a request, before anything else is looked at.
 *
 * A page in a browser can make it send requests here, under any name that it has bound to this address. So the names
 * in Host and Origin must be ours. An address is not a name: nobody can bind it to another one. A token is compared
 * without telling by its time how much of it was right.
 */
#ifndef CV_DOOR_HTTP_GUARD_H
#define CV_DOOR_HTTP_GUARD_H

#include "door/http/endpoint.h"

typedef struct {
    cv_endpoint address; /* that the server listens on */
    const char *name;    /* as the user wrote it; NULL: the usual one */
    const char *token;   /* NULL: none */
} cv_guard;

/* A token must survive the way through a header: visible ASCII characters, without blanks. */
bool cv_guard_check_token(const char *token, cv_err *err);

/* 0, or the status to answer with and why. Absent headers are NULL views. */
int cv_guard_check(const cv_guard *guard, cv_str host, cv_str origin, cv_str authorization, const char **ret_why);

#endif
