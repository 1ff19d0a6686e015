/* parts.h - what the files of the API share with each other; see api.h. */
#ifndef CV_DOOR_API_PARTS_H
#define CV_DOOR_API_PARTS_H

#include <stdatomic.h>

#include "base/answer_cache.h"
#include "door/api/api.h"

enum { CV_API_LATENCIES = 7 }; /* parts of the histogram */

/* The header in which a client without a token says who acts: what --as is on the command line. */
#define CV_API_AS "Conclave-As"

typedef struct cv_api_call cv_api_call;
typedef struct cv_api_events cv_api_events;

/* What became of calls of one operation. */
typedef struct {
    atomic_uint_least64_t done, refused, failed;
    atomic_uint_least64_t microseconds; /* of all of them, from the request to the answer */
} cv_api_count;

struct cv_api {
    cv_service *service;
    cv_workers *workers;
    int64_t started_ms;
    int64_t *slow_at;                                  /* per operation */
    cv_api_count *counts;                              /* per operation */
    atomic_uint_least64_t latencies[CV_API_LATENCIES]; /* answers, by how long they took */
    pthread_mutex_t lock;                              /* of the list */
    cv_api_call *first;                                /* that are not answered yet */
    cv_api_events *events;
    cv_answer_cache *kept; /* reads that were answered before (cached_reads.c) */
    cv_arena arena;
};

/* One request that waits for a worker, or is served. */
struct cv_api_call {
    cv_work work;
    cv_api *api;
    cv_http_exchange *x;
    const cv_operation *op;
    size_t number;  /* of the operation */
    bool has_query; /* the input is in `text` already, made of the parameters */
    int64_t since_us;
    atomic_bool gone; /* the client has left */
    cv_arena arena;
    cv_buf text;
    cv_str bearer;      /* absent: none came */
    cv_str as;          /* who says to act; absent: nobody does */
    cv_str actor;       /* whom it is of, once it was run; absent: nobody is named */
    uint64_t version;   /* of the record, before it was asked; */
    cv_str question;    /*   under which the answer is kept; absent: it is not; */
    cv_seen seen;       /*   folders that the answer was made from */
    cv_str tag;         /* that the client has (If-None-Match); absent: none */
    cv_str after;       /* events: where to begin; absent: now */
    cv_str room, scope; /* events: only these; absent: all */
    cv_str stranger;    /* events: a parameter that nobody knows; absent: none came */
    cv_api_call *prev, *next;
};

/* ---- api.c ------------------------------------------------------------------------------------------------------- */

/* The answer of a call, counted. */
void cv_api_answer(cv_api_call *call, int status, cv_str body);

/* ---- cached_reads.c ---------------------------------------------------------------------------------------------- */

/* Has the same been answered before, and is it still true? Then it is answered again; otherwise the call remembers its
 * question, so that what is answered can be kept. */
bool cv_api_recall(cv_api_call *call);
void cv_api_answer_read(cv_api_call *call, cv_str reply);

/* What changes with the program only: with a tag, and not at all to a client that has it. */
void cv_api_answer_tagged(cv_http_exchange *x, cv_str reply);

/* ---- query.c ----------------------------------------------------------------------------------------------------- */

/* The parameters as the input of the operation: one JSON object. False: they are not text. */
bool cv_api_query(const cv_http_exchange *x, const cv_json *schema, cv_arena *a, cv_buf *to, cv_err *err);

/* ---- status.c ---------------------------------------------------------------------------------------------------- */

int cv_api_status(cv_err_code code);
/* The same for all faults of a call with this input. */
int cv_api_faults_status(const cv_json *input, const cv_errs *errs);

/* ---- openapi.c ----------------------------------------------------------------------------------------------------
 */

cv_str cv_api_describe(cv_arena *a);

/* ---- events.c -----------------------------------------------------------------------------------------------------
 */

cv_api_events *cv_api_events_new(cv_service *service, unsigned patience_seconds);
void cv_api_events_add(cv_api_call *call, cv_str position); /* takes the exchange over; from a worker */
void cv_api_events_gone(cv_api_events *events, cv_http_exchange *x);

/* Clients that listen; those of them that may not have heard everything yet; how late the last commit was reported. */
typedef struct {
    size_t streams, behind;
    int64_t lag_ms;
} cv_api_events_state;
cv_api_events_state cv_api_events_look(cv_api_events *events);

void cv_api_events_end(cv_api_events *events);
void cv_api_events_free(cv_api_events *events);

/* ---- metrics.c ----------------------------------------------------------------------------------------------------
 */

void cv_api_count_call(const cv_api_call *call, int status);
/* With those of the rooms, as far as the record can be read; from a worker. */
void cv_api_print_metrics(cv_api *api, cv_service_worker *mine, cv_arena *a, cv_buf *out);

#endif
