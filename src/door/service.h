/* service.h - a project as servers have it: operations that run on any worker, for any client.
 *
 *     worker     a handle of the record of its own, opened again when the record was replaced   (record_handle.h)
 *     window     one more handle, through which all threads see whether anybody has committed
 *
 * Every door of a server (MCP, the HTTP API) runs operations through cv_service_run.
 */
#ifndef CV_DOOR_SERVICE_H
#define CV_DOOR_SERVICE_H

#include "door/health.h"
#include "door/record_handle.h"
#include "door/workers.h"
#include "ops/op.h"

typedef struct {
    const char *root; /* where to look for the project; NULL: from the current folder upwards */
    const char *as;   /* who acts in calls that have no token of an agent; NULL: nobody is named */
    bool starts;      /* operations that start programs are served, too (CV_OP_STARTS) */
    pthread_mutex_t window_lock;
    cv_record_handle window; /* through which all threads see whether anybody has committed, */
    uint64_t window_seen;    /*   what was seen there last, */
    uint64_t data_version;   /*   and how often it was something new */
    cv_health *health;
} cv_service;

void cv_service_init(cv_service *service, const char *root, const char *as);
void cv_service_end(cv_service *service); /* once nothing is served any more */

/* What a worker has for itself: made and released by cv_service_own. */
typedef struct {
    cv_record_handle handle;
    cv_buf out; /* where operations write, one after the other */
} cv_service_worker;
extern const cv_workers_own cv_service_own;

typedef struct {
    const cv_operation *op;
    cv_arena *arena;
    const cv_json *input;
    cv_str input_text; /* the text it was read from, for the places of faults */
    cv_str bearer;     /* the token that came with it; absent: none */
    cv_str as;         /* who says to act, without a token of an agent; absent: nobody */
    size_t most;       /* see cv_call */
    bool looks_on;     /* see cv_call */
    cv_follower follower;
    cv_naming name;
    cv_seen *ret_seen; /* folders that the answer was made from, in the arena; NULL: nobody keeps it */
    cv_str *ret_who;   /* who acted, once that is settled; NULL: nobody wants to know */
} cv_service_call;

/* False: `errs` says why. */
bool cv_service_run(cv_service *service, cv_service_worker *mine, const cv_service_call *asked, cv_errs *errs,
                    cv_str *ret_reply);

/* Lets every room bring its files and the record together (kit/room.h): files that others have put there are changes,
 * too. For a caller that looks for changes; the handle is open. What goes wrong is reported when it is not what was
 * `told` before. */
void cv_service_take_in(const cv_record_handle *handle, cv_buf *told);

/* The answer to a call that was refused. */
cv_str cv_service_faults(cv_arena *a, const cv_operation *op, const cv_errs *errs);

/* May a client with this token come in? An agent's token is one that the project knows; of others the server decides.
 * For cv_http_options: `ctx` is the service. */
bool cv_service_admits(void *ctx, cv_str token, const char **ret_why);

/* May a client with this token read nothing in this room, or, without one, in the project as a whole? Its token may
 * have been revoked or limited since it came in. What cannot be found out is not a refusal. From any thread. */
bool cv_service_refuses(cv_service *service, cv_str bearer, cv_str room);

/* As long as this number is the same, nobody has committed, and the record is the same. It is above 0. From any thread;
 * false: it is not known. */
bool cv_service_data_version(cv_service *service, uint64_t *ret_version);

/* Can the record be read now? From any thread; within CV_HEALTH_MS. */
static inline bool cv_service_is_readable(cv_service *service)
{
    return cv_health_is_good(service->health);
}

#endif
