/* http.h - an HTTP server for routes: it knows connections, limits and who may come in, not what is asked.
 *
 *     connection -> one way to read it          or 400
 *                -> Host, Origin, token, size   or 403, 401, 413, 503 …
 *                -> route by path               or 404
 *                -> handle(exchange)            once the whole body is there, on the thread that has read it
 *                -> cv_http_answer, or a stream: begin, write …, end; from any thread, at any time later
 *
 * It listens on a loopback address unless told otherwise, and on others only with a token. Connections that say
 * nothing, or take too long to say it, are cut off; so is who does not read a stream. An exchange is held by the
 * connection and by the one that answers it: each gives up its share once, so an answer may come after the client
 * has gone. A request is refused as soon as it is known that it will be: the client need not have sent all of its body.
 * Every request has a number: it is in the answer (X-Request-Id) and in the log.
 */
#ifndef CV_DOOR_HTTP_HTTP_H
#define CV_DOOR_HTTP_HTTP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "door/workers.h"

typedef struct cv_http_server cv_http_server;
typedef struct cv_http_exchange cv_http_exchange;

/* `gone` may be NULL. */
typedef struct {
    const char *path; /* "/mcp"; one that ends in a slash stands for all below it */
    void (*handle)(cv_http_exchange *x, void *ctx);
    void (*gone)(cv_http_exchange *x, void *ctx); /* the client has left before the answer was whole */
    void *ctx;
    bool open;   /* it says nothing that is secret: no token is needed */
    bool prompt; /* it answers at once: what is slow or fails is reported in the log in any case */
} cv_http_route;

typedef struct {
    const char *address; /* or a name; NULL: 127.0.0.1 */
    uint16_t port;       /* 0: one that is free */
    const char *token;   /* NULL: none; then only loopback addresses */
    /* Others that may come in, beside those with the token: guard.h. NULL: nobody. From the thread that reads. */
    bool (*admits)(void *ctx, cv_str token, const char **ret_why);
    void *admits_ctx;
    const cv_http_route *routes;
    size_t route_count;
    size_t max_body;
    size_t max_bodies; /* bytes of all bodies that are not answered yet; 0: CV_MAX_BODIES_BYTES */
    unsigned max_connections;
    unsigned request_seconds; /* a request must be whole by then */
    unsigned idle_seconds;    /* between requests */
    unsigned beat_seconds;    /* after which silence a stream gets its beat; 0: never */
    bool log;                 /* every request is reported in the log */
    /* Who serves what the routes hand over: those without work move bytes instead, so that what they read nobody needs
     * to be called for. The server's own thread takes over from one that does not come back, and calls others when what
     * waits does not move. NULL: the server does it alone. */
    cv_workers *workers;
} cv_http_options;

/* ---- an exchange ------------------------------------------------------------------------------------------------ */

cv_str cv_http_method(const cv_http_exchange *x);                   /* "POST" */
cv_str cv_http_path(const cv_http_exchange *x);                     /* decoded, without what follows a question mark */
void cv_http_take_body(cv_http_exchange *x, cv_buf *to);            /* what it held is released */
cv_str cv_http_header(const cv_http_exchange *x, const char *name); /* a NULL view: absent. Until the answer begins */

/* The token of a request: in its header Authorization, or else in the cookie that a browser sends; a NULL view: none.
 */
#define CV_HTTP_COOKIE "conclave_token"
cv_str cv_http_bearer(const cv_http_exchange *x);

/* What follows the question mark, in its order: "a=1&b" are (a, 1) and (b, absent). Decoded; a fault names the
 * parameter (door/http/target.h). */
bool cv_http_each_parameter(const cv_http_exchange *x, cv_arena *a, void (*visit)(void *ctx, cv_str name, cv_str value),
                            void *ctx, cv_err *err);

/* Who has asked, for the log; before the answer. */
void cv_http_name_actor(cv_http_exchange *x, cv_str actor);

/* A header of the response; before it begins. */
void cv_http_add_header(cv_http_exchange *x, const char *name, cv_str value);

/* The whole response. */
void cv_http_answer(cv_http_exchange *x, int status, const char *type, cv_str body);

/* The whole response: a fault in the shape of every door (base/err_json.h). */
void cv_http_refuse(cv_http_exchange *x, int status, cv_err_code code, const char *message);
void cv_http_refuse_fault(cv_http_exchange *x, int status, const cv_err *err);

/* Does a client have what the tag stands for? Its header If-None-Match names one tag, several, or * for any. */
bool cv_http_has_tag(cv_str if_none_match, cv_str tag);

/* A stream of events. `beat` is written when nothing else was for a while, so that it is noticed when the client has
 * gone; NULL: nothing is. */
void cv_http_begin(cv_http_exchange *x, const char *beat);
bool cv_http_write(cv_http_exchange *x, cv_str bytes); /* false: the client has gone, or reads too slowly */
size_t cv_http_unsent(cv_http_exchange *x); /* bytes that wait: the client has not read enough to take them */
uint64_t cv_http_sent(cv_http_exchange *x); /* bytes that were sent so far */
void cv_http_end(cv_http_exchange *x);
bool cv_http_has_left(cv_http_exchange *x); /* the client has closed its side: nobody waits for the answer */
void cv_http_cut(cv_http_exchange *x); /* the same, but the client is not waited for: its connection is shut down */

/* The one that answers it is done with it. */
void cv_http_release(cv_http_exchange *x);

/* ---- the server ------------------------------------------------------------------------------------------------- */

/* Begins to serve, in a thread of its own. */
bool cv_http_start(cv_arena *a, const cv_http_options *options, cv_http_server **ret_server, cv_err *err);
cv_str cv_http_url(const cv_http_server *server, cv_arena *a); /* that leads there from this machine, without a path */
uint16_t cv_http_port(const cv_http_server *server);
bool cv_http_is_everywhere(const cv_http_server *server); /* it listens on all addresses of this machine */

/* From here on no route gets a request: new requests get the answer that the server ends. Nobody helps any more. */
void cv_http_close(cv_http_server *server);

/* What has been answered is sent, as far as its clients read it at once. Nothing else happens after it. */
void cv_http_drain(cv_http_server *server);

/* … and then: no new connections; those that are open are ended. Streams must have been ended before. */
void cv_http_stop(cv_http_server *server);

#endif
