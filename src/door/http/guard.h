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
    /* Is this another token that opens? Asked of every token but the server's own. False with *ret_why set: it looks
     * like one, but is refused; without: it is none, and a server without a token of its own lets it pass as if it were
     * not there. NULL: there are no others. */
    bool (*admits)(void *ctx, cv_str token, const char **ret_why);
    void *admits_ctx;
} cv_guard;

/* The token of a header Authorization; a NULL view: it has none. */
cv_str cv_guard_bearer(cv_str authorization);

/* A token must survive the way through a header: visible ASCII characters, without blanks. */
bool cv_guard_check_token(const char *token, cv_err *err);

/* What a request says about itself; absent headers are NULL views. */
typedef struct {
    cv_str host, origin, authorization;
    cv_str cookie; /* a token that a browser sends by itself: counts when there is no header Authorization */
} cv_guarded;

/* 0, or the status to answer with and why. */
int cv_guard_check(const cv_guard *guard, const cv_guarded *request, const char **ret_why);

#endif
