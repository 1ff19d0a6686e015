/* parts.h - one call while it runs: what calls.c, process.c and endpoint.c share.
 *
 *     calls.c      the loop: waits for all descriptors and times, and makes results
 *     process.c    a command: its pipes, its group, its end
 *     endpoint.c   an exchange over HTTP
 *
 * A call is decided once (cv_one_decide): the first reason counts. It has ended when nothing of it runs any more; then
 * calls.c makes its result.
 */
#ifndef CV_RUN_PARTS_H
#define CV_RUN_PARTS_H

#include <poll.h>
#include <sys/types.h>

#include "run/calls.h"
#include "run/guard.h"
#include "run/keep.h"
#include "run/secrets.h"

/* The end of what flows by. */
typedef struct {
    char bytes[CV_CALLS_TAIL];
    size_t n; /* all that came */
} cv_tail;
void cv_tail_add(cv_tail *tail, cv_str bytes);

/* Valid UTF-8, without secrets and without what steers a terminal. */
cv_str cv_tail_text(cv_arena *a, const cv_tail *tail, const cv_secrets *secrets);

typedef struct cv_one cv_one;
struct cv_one {
    cv_one *next;
    cv_arena arena; /* lives as long as the call */
    cv_calls_request request;
    cv_secrets secrets;
    int64_t began, deadline;
    bool decided, ended;
    cv_calls_result result; /* as far as it is known */
    cv_spool spool;         /* the answer so far */
    cv_tail tail;           /* of standard error */
    struct cv_process *process;
    struct cv_endpoint *endpoint;
};

struct cv_calls {
    cv_calls_world world;
    cv_one *first;
    size_t count;
    cv_run_guard guard;
    void *multi;      /* of libcurl; NULL: there was no endpoint yet */
    cv_arena scratch; /* for one event of a stream */
    char *page;       /* for what is read from pipes */
    struct {
        struct pollfd *items;
        size_t count, capacity;
    } polled;
    cv_arena poll_arena;
};

enum { CV_CALLS_PAGE = 64 << 10 };

/* How it ended, with a sentence for people; later ones do not count. */
void cv_one_decide(cv_one *one, cv_calls_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "1 second", "0.3 seconds", "1800 seconds". */
cv_str cv_one_seconds(cv_one *one, int64_t ms);

/* More of the answer. Above max_output the call is decided. */
void cv_one_add(cv_one *one, cv_str bytes, int64_t most);

/* ---- process.c --------------------------------------------------------------------------------------------------- */

void cv_process_start(cv_calls *calls, cv_one *one);
void cv_process_poll(cv_calls *calls, cv_one *one); /* adds its descriptors */
int64_t cv_process_due(const cv_one *one);          /* when it wants to be served at the latest */
void cv_process_serve(cv_calls *calls, cv_one *one, int64_t now);
void cv_process_stop(cv_calls *calls, cv_one *one);    /* TERM, then KILL */
void cv_process_release(cv_calls *calls, cv_one *one); /* at once, whatever it does */

/* ---- endpoint.c -------------------------------------------------------------------------------------------------- */

void cv_endpoint_start(cv_calls *calls, cv_one *one);
int64_t cv_endpoint_due(const cv_calls *calls, const cv_one *one);
void cv_endpoint_serve(cv_calls *calls);                           /* all of them */
void cv_endpoint_check(cv_calls *calls, cv_one *one, int64_t now); /* its times */
void cv_endpoint_answer(cv_one *one); /* of one that has ended: all of it comes into memory only now */
void cv_endpoint_release(cv_calls *calls, cv_one *one);
void cv_endpoints_end(cv_calls *calls);
/* Waits for the sockets of all endpoints and the given descriptors. */
void cv_endpoint_wait(cv_calls *calls, struct pollfd *fds, size_t count, int ms);

#endif
