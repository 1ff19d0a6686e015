/* parts.h - what the parts of the HTTP server share; see http.h.
 *
 *     http.c          the server, and what the library calls
 *     guard.c         who may come in
 *     framing.c       is it certain what the request says?
 *     target.c        its path and its parameters
 *     exchange.c      one request and its answer
 *     request_log.c   … in the log
 *     timeouts.c      who takes too long
 *     turns.c         who moves the bytes
 *     library.c       libmicrohttpd, loaded when the server starts
 *
 * Locks: a server's `lock` guards its list of connections, an exchange's its answer, `resumed_lock` the exchanges that
 * go on: taken in this order. What is under "in the turn" belongs to the one who moves bytes, and so does the
 * library: nobody else calls it.
 */
#ifndef CV_DOOR_HTTP_PARTS_H
#define CV_DOOR_HTTP_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "door/http/guard.h"
#include "door/http/http.h"
#include "door/http/library.h"
#include "door/http/turns.h"

enum {
    CV_HTTP_MAX_HEADERS = 8,       /* that a response adds */
    CV_HTTP_MAX_PENDING = 8 << 20, /* bytes of a stream that wait for a client who does not read */
};

typedef struct {
    const char *name;
    char *value;
} cv_http_header_line;

struct cv_http_exchange {
    pthread_mutex_t lock;
    atomic_uint holders;
    cv_http_server *server;
    struct MHD_Connection *connection;
    const cv_http_route *route;
    char *target;      /* as it was sent: "/a%20b?c=d" */
    const char *whole; /* … where the library has it: for its place alone, the bytes change */
    char *path;        /* decoded; as it was sent if that is impossible */
    char *bad_path;    /* … and why; NULL: it is possible */
    char *method;      /* NULL: not known yet */
    uint64_t id;
    int64_t since_us; /* when it came; once the whole of it was there: since then */
    char *actor;      /* who has asked; NULL: nobody is named */
    cv_buf body;
    size_t counted; /* bytes of it that are counted in server->bodies */
    bool refused;   /* answered before its body was whole: what still comes is thrown away */
    size_t thrown;  /* … so many bytes */
    cv_http_header_line headers[CV_HTTP_MAX_HEADERS];
    size_t header_count;
    /* ---- the answer ---- */
    bool handed;    /* the route has it */
    bool suspended; /* the connection waits */
    bool ready;     /* there is an answer, or the beginning of a stream */
    bool stream, ended, left;
    bool cut; /* the connection is to be shut down */
    int status;
    const char *type, *beat;
    int64_t said;         /* when something was last written to the stream */
    cv_buf out;           /* the whole body, or what of the stream has not been sent */
    size_t sent;          /* of these */
    uint64_t sent_in_all; /* of the whole stream */
    cv_http_exchange *next_resumed;
};

/* A connection, for the one who looks at the clock. */
typedef struct cv_http_watched {
    int fd;
    int64_t deadline;         /* for the next whole request; 0: there is one, and it waits for us */
    cv_http_exchange *stream; /* that is open on it; NULL: none */
    cv_http_exchange *begun;  /* whose end the library has not told yet; NULL: none */
    struct cv_http_watched *prev, *next;
} cv_http_watched;

struct cv_http_server {
    cv_http_options options;
    cv_guard guard;
    struct MHD_Daemon *daemon;
    atomic_size_t bodies; /* bytes of bodies that are not answered yet */
    atomic_uint_least64_t last_id;
    uint16_t port;
    pthread_mutex_t gate; /* held while a route gets a request */
    bool closed;
    pthread_mutex_t lock; /* of the list */
    cv_http_watched *connections;
    int64_t looked;               /* when the server's own thread last did */
    pthread_mutex_t resumed_lock; /* of the list that follows */
    cv_http_exchange *resumed;    /* whose connections are to go on */
    pthread_t own_thread;
    cv_turns turns;
    /* ---- in the turn ---- */
    bool settles;     /* what is not answered by now is put aside */
    bool opened;      /* something has been read that awaits its answer */
    size_t exchanges; /* that a route has got, and whose answers are not all sent */
};

/* ---- exchange.c ------------------------------------------------------------------------------------------------- */

cv_http_exchange *cv_http_exchange_new(cv_http_server *server, struct MHD_Connection *connection, const char *target);
cv_str cv_http_cookie(const cv_http_exchange *x);          /* the token in it; a NULL view: none */
bool cv_http_count_body(cv_http_exchange *x, size_t more); /* false: it would be too much for the server */
void cv_http_drop_body(cv_http_exchange *x);
void cv_http_exchange_beat(cv_http_exchange *x, int64_t now); /* if it was silent for long */
bool cv_http_exchange_is_cut(cv_http_exchange *x);

/* ---- request_log.c ---------------------------------------------------------------------------------------------- */

void cv_http_log(const cv_http_exchange *x, int status); /* if it is to be reported */

/* ---- timeouts.c ------------------------------------------------------------------------------------------------- */

void cv_http_watch(cv_http_server *server, struct MHD_Connection *connection, void **context); /* of the connection */
void cv_http_unwatch(cv_http_server *server, void **context);

/* Where the request is that has begun on the connection: the library forgets some that it ends by itself. */
cv_http_exchange **cv_http_begun(struct MHD_Connection *connection);

/* All headers are there; it has been refused, and its client shall read why. */
void cv_http_watch_body(cv_http_server *server, struct MHD_Connection *connection);
void cv_http_watch_refused(cv_http_server *server, struct MHD_Connection *connection);

/* A whole request is there; its stream has begun; or it is over, and the next one has its time. */
void cv_http_watch_served(cv_http_server *server, struct MHD_Connection *connection);
void cv_http_watch_stream(cv_http_server *server, struct MHD_Connection *connection, cv_http_exchange *x);
void cv_http_watch_next(cv_http_server *server, struct MHD_Connection *connection);

void cv_http_look(cv_http_server *server); /* at the clock: cuts off, and beats */

#endif
