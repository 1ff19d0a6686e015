/* host.h - what the parts of the library share: jobs, sessions, workers; see mcp.h.
 *
 *     transport  ->  read, dispatch  ->  answered at once, or queued for a worker, or open (a subscription)
 *                ->  job->transport->send      what comes before the answer: progress, log, questions
 *                ->  job->transport->finish    the answer, in job->out; then the job goes back to the host
 *
 * A job is one message from the client with all that belongs to it. It is owned by the transport until it is accepted,
 * by the host until `finish`, and is used again afterwards: its memory stays. A session is what a legacy client has
 * said about itself: one for standard input, one per Mcp-Session-Id for HTTP.
 *
 * Locks: host->lock guards the list of active jobs, subscriptions and sessions; a session's lock its questions; a
 * thread that needs both takes the host's first. `send` and `finish` are called without either, except for
 * subscriptions, whose jobs must not go away while something is sent to them: so a transport's `send` must not call
 * back into the host.
 */
#ifndef CV_DOOR_MCP_HOST_H
#define CV_DOOR_MCP_HOST_H

#include "base/answer_cache.h"
#include "door/mcp/mcp.h"

enum {
    CV_MCP_GRACE_MS = 250,         /* for calls under way when the server ends */
    CV_MCP_MAX_QUEUED = 1024,      /* waiting calls on standard input: more are not yet read */
    CV_MCP_MAX_SUBSCRIPTIONS = 256 /* resources that one client may subscribe to */
};

typedef struct cv_mcp_job cv_mcp_job;
typedef struct cv_mcp_session cv_mcp_session;

/* A subscription is acknowledged once its resources have been looked at: what changes from then on is reported. */
typedef enum { CV_MCP_NO_LOOK, CV_MCP_AWAITS_LOOK, CV_MCP_IN_LOOK } cv_mcp_look;

typedef struct {
    bool (*send)(cv_mcp_job *job, cv_str message); /* false: the client hears nothing before the answer */
    void (*finish)(cv_mcp_job *job);               /* no bytes in job->out: there is no answer */
    void (*hang_up)(cv_mcp_job *job);              /* NULL: the transport has no streams that end */
    bool (*has_left)(const cv_mcp_job *job);       /* nobody waits for the answer, nor comes back; NULL: not known */
} cv_mcp_transport;

/* The headers of an HTTP request that the protocol looks at; absent ones are NULL views. */
typedef struct {
    cv_str version, method, name;
    cv_str (*other)(void *transport_data, const char *name); /* Mcp-Param-…; NULL: not HTTP */
} cv_mcp_headers;

/* What an asking handler has left to ask (modern). */
typedef struct {
    cv_str key, method, params;
} cv_mcp_asked;

struct cv_mcp_job {
    cv_arena arena;
    cv_buf text; /* the message as it came */
    cv_buf out;  /* the answer */
    cv_mcp_host *host;
    cv_mcp_session *session; /* legacy; NULL: none */
    const cv_mcp_transport *transport;
    void *transport_data;
    cv_mcp_headers headers;
    cv_str bearer; /* absent: none came */
    cv_rpc_message message;
    atomic_bool cancelled;
    int status; /* of the HTTP response */
    /* ---- the envelope (era.c) ---- */
    cv_mcp_era era;
    const cv_json *capabilities; /* of the client; NULL: none */
    cv_str progress_token;       /* as JSON; empty: no progress wanted */
    int level;                   /* a cv_mcp_level; below zero: no log wanted */
    /* ---- what is known of its answer (kept_answers.c) ---- */
    uint64_t moment; /* messages of one had all come before the first was looked at; 0: one of its own */
    uint64_t data_version;
    cv_str question; /* empty: the answer is not kept */
    /* ---- while it is served ---- */
    const cv_mcp_tool *tool; /* that it calls; NULL: none, or an unknown one */
    cv_work work;
    bool cut; /* its handler has ended early because the server ends */
    bool (*serve)(cv_mcp_request *r, const cv_json *params);
    bool failed;
    size_t result_at; /* where the result begins in `out` */
    struct {
        cv_mcp_asked *items;
        size_t count, capacity;
    } asked;
    /* ---- a subscription (listen.c) ---- */
    unsigned wishes; /* one bit per cv_mcp_change; 0: it is none */
    unsigned wants;  /* … since it has been acknowledged */
    const cv_str *uris;
    size_t uri_count;
    bool subscribes; /* its answer waits for a look at what it has subscribed to */
    bool watched;    /* it is one of host->watching */
    cv_mcp_look look;
    /* ---- lists of the host ---- */
    cv_mcp_job *next; /* among the spare ones, or those that are answered together */
    bool active;      /* between accept and finish */
    cv_mcp_job *prev_active, *next_active;
};

/* A question of ours that waits for its answer (legacy). */
typedef struct cv_mcp_question {
    int64_t id;
    bool answered;
    cv_arena *arena;
    cv_json result; /* in the arena; null type with `refused` */
    bool refused;
    struct cv_mcp_question *next;
} cv_mcp_question;

struct cv_mcp_session {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    cv_arena arena;
    cv_str version; /* empty: not initialised */
    const cv_json *capabilities;
    int level;
    cv_mcp_question *questions;
    int64_t last_question;
    cv_texts uris; /* subscribed to, on the heap; an absent view is a free place */
    bool over;
    cv_str bearer;                                           /* whose it is; absent: there is no token */
    void (*notify)(cv_mcp_session *session, cv_str message); /* what no request asked for */
    void (*hang_up)(cv_mcp_session *session);                /* ends the stream of these; NULL: there is none */
    void *transport_data;
    cv_mcp_session *next;
};

/* An argument of a tool that is in a header too (x-mcp-header). */
typedef struct {
    const cv_mcp_tool *tool;
    cv_str argument;
    const char *header;
} cv_mcp_mirrored;

struct cv_mcp_host {
    const cv_mcp_server *server;
    struct {
        cv_mcp_mirrored *items;
        size_t count, capacity;
    } mirrored;
    pthread_mutex_t lock;
    cv_workers *workers; /* which others may use, too */
    int64_t *slow_at;    /* per kind of call (cv_mcp_kind_of) */
    atomic_bool ending;
    pthread_cond_t over; /* the watcher has ended */
    cv_mcp_job *active, *spare;
    size_t spare_count;
    cv_mcp_session *sessions;
    size_t watching;     /* subscriptions to resources */
    bool awaited;        /* somebody waits for the watcher to look */
    pthread_cond_t look; /* … or it is over */
    pthread_t watcher;
    bool watcher_runs, watcher_ended;
    cv_answer_cache *kept; /* answers to give again (kept_answers.c) */
    uint64_t moment;       /* the last one that was asked about, by the thread that reads; 0: none */
    uint64_t moment_version;
    cv_str identity; /* {"io.modelcontextprotocol/serverInfo":…} */
    cv_arena arena;  /* of the host itself */
};

/* ---- host.c ----------------------------------------------------------------------------------------------------- */

void cv_mcp_host_init(cv_mcp_host *host, const cv_mcp_server *server, cv_workers *workers);

/* Ends the workers and the watcher: what is queued is refused, what is being served has a short time to be finished.
 * Nothing may be dispatched any more. False: something is still being served, and nothing of the host may be released.
 */
bool cv_mcp_host_end(cv_mcp_host *host);
void cv_mcp_host_release(cv_mcp_host *host); /* once no job is left */

/* A job to fill: text, transport, session, headers. */
cv_mcp_job *cv_mcp_job_new(cv_mcp_host *host);
void cv_mcp_job_free(cv_mcp_job *job); /* at the end of `finish`; never twice */

void cv_mcp_queue(cv_mcp_job *job, int64_t *slow_at); /* for a worker */

/* Jobs between accept and finish, subscriptions left out. */
size_t cv_mcp_open(cv_mcp_host *host);

/* Nobody waits any more for the active job that is meant: it gets no answer; a subscription ends at once. */
void cv_mcp_cancel(cv_mcp_host *host, bool (*is_meant)(const cv_mcp_job *job, const void *ctx), const void *ctx);
void cv_mcp_activate(cv_mcp_job *job); /* from here on it can be cancelled */

void cv_mcp_session_init(cv_mcp_session *session, cv_mcp_host *host);
void cv_mcp_session_hush(cv_mcp_session *session); /* the client answers no more questions */
void cv_mcp_session_end(cv_mcp_session *session, cv_mcp_host *host);
void cv_mcp_session_release(cv_mcp_session *session); /* its memory, once nobody knows it any more */

/* ---- server.c --------------------------------------------------------------------------------------------------- */

typedef struct {
    bool (*serve)(cv_mcp_request *r, const cv_json *params); /* NULL: it listens, see listen.c */
    bool (*recall)(cv_mcp_job *job);                         /* true: answered as before, without a worker; or NULL */
    bool quick; /* answered where it is read, beside whatever else is under way */
} cv_mcp_method;

/* The method that a request names; NULL: its era has none of that name, or the server does not offer it. */
const cv_mcp_method *cv_mcp_find_method(const cv_mcp_job *job);

/* Calls of one kind take about as long as each other: a number per tool, and per method for what is not a tool's. */
size_t cv_mcp_kinds(const cv_mcp_server *server);
size_t cv_mcp_kind_of(const cv_mcp_job *job, const cv_mcp_method *method);

/* {…,"resultType":"complete","_meta":…}: what every result ends with. */
void cv_mcp_end_result(cv_mcp_request *r, bool cacheable);

/* ---- dispatch.c ------------------------------------------------------------------------------------------------- */

/* Reads the message and its envelope. False: it is finished already. */
bool cv_mcp_read(cv_mcp_job *job);

/* Answers it, or queues it. */
void cv_mcp_dispatch(cv_mcp_job *job);
void cv_mcp_serve(cv_mcp_job *job, cv_arena *arena, void *worker); /* the arena is for what goes with the answer */
void cv_mcp_refuse(cv_mcp_job *job, int status, int code, cv_str message, cv_str data);
void cv_mcp_finish(cv_mcp_job *job); /* takes it off the active ones and hands it to the transport */

/* ---- kept_answers.c --------------------------------------------------------------------------------------------- */

void cv_mcp_keep_init(cv_mcp_host *host);
void cv_mcp_keep_release(cv_mcp_host *host);

/* Has the same been answered before, and is it still true? Then the answer is in job->out; otherwise the job remembers
 * its question, so that the result can be kept. */
bool cv_mcp_recall(cv_mcp_job *job, const cv_mcp_tool *tool, const cv_json *arguments);
void cv_mcp_keep(cv_mcp_job *job, cv_str result, const cv_seen *seen);

/* ---- era.c ------------------------------------------------------------------------------------------------------ */

/* Which era the request belongs to, and what its envelope says; false: it has been refused. */
bool cv_mcp_envelope(cv_mcp_job *job);

extern const cv_str cv_mcp_modern;             /* 2026-07-28 */
cv_str cv_mcp_negotiate(cv_str asked);         /* legacy: the same, or the newest one */
void cv_mcp_print_versions(cv_json_writer *w); /* a list: all that is spoken */
extern const cv_str cv_mcp_level_words[CV_MCP_LEVELS];
int cv_mcp_level_of(cv_str word); /* below zero: none */

/* The arguments of all tools that must be in headers, too. */
void cv_mcp_find_mirrored(cv_mcp_host *host);

/* ---- listen.c --------------------------------------------------------------------------------------------------- */

bool cv_mcp_listen(cv_mcp_job *job, const cv_json *params); /* false: refused */
void cv_mcp_await_look(cv_mcp_job *job);                    /* … and then it is answered */
bool cv_mcp_subscribe(cv_mcp_request *r, const cv_json *params);
bool cv_mcp_unsubscribe(cv_mcp_request *r, const cv_json *params);

#endif
