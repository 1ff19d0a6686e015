/* call.h - what one call of an operation gets, whichever door it came through.
 *
 * The input has been checked against the operation's schema before the handler sees it: required fields are there,
 * types are right, unknown fields are refused. (In a dry run for the valid part of a faulty request a required text,
 * list or object may be empty, and a number missing: valid_part.h.) The handler writes one JSON object to `out` and
 * returns true, or adds every fault to `errs` and returns false; then whatever it wrote is thrown away.
 */
#ifndef CV_KIT_CALL_H
#define CV_KIT_CALL_H

#include "base/clock.h"
#include "base/json.h"
#include "base/naming.h"
#include "base/seen.h"
#include "record/record.h"

/* Who wants to know how far a long operation is; NULL: nobody. False: nobody waits for the answer any more. */
typedef struct {
    bool (*tell)(void *ctx, size_t done, size_t total, cv_str what);
    void *ctx;
    /* What has just happened in an operation that takes minutes or days: a JSON object, and the same in a line for
     * people (empty: it is not news to them). `drawn`: a reader who sees the lines of `draw` knows it from them. NULL:
     * nobody needs to know. */
    void (*event)(void *ctx, cv_str json, cv_str line, bool drawn);
    /* The state of everything that is under way, a line each; the next call takes the place of this one, unless it
     * `stays`. */
    void (*draw)(void *ctx, const cv_str *lines, size_t count, bool stays);
} cv_follower;

/* Who acts: what a door knows, and what has become of it once the call is admitted (who.h). */
typedef struct {
    cv_str name;      /* that was given, then the agent's id; absent: nobody is named */
    cv_str token;     /* a secret that came with the call, and decides who acts; absent: none */
    bool at_terminal; /* standard input and output are a terminal: a person sits there */
    cv_str standing;  /* "verified" or "claimed"; absent: nobody is named, or it is not admitted yet */
    bool is_human;    /* the registry says so */
} cv_who;

typedef struct cv_call cv_call;
struct cv_call {
    cv_arena *arena;
    cv_who who;
    cv_record *record;              /* NULL for operations that keep nothing */
    const cv_scope_position *holds; /* its turn to write: the scope as it is, and stays until the write; NULL: none */
    cv_clock clock;
    const char *root; /* the project's folder, which holds .conclave */
    bool confined;    /* paths must stay below the root: callers other than the command line */
    bool looks_on;    /* a request that can only look: whom it asks about need not be who asks */
    const cv_json *input;
    const cv_json *schema; /* that it was compared with */
    cv_str input_text;     /* the text it was read from, for the places of faults */
    cv_str operation;      /* "dialogue update": set by what writes, for it is a part of the request */
    cv_str digest;         /* of the request; request.c makes it once per call */
    void *left;            /* by the work of a write, for who began it; NULL: the answer is not of this work */
    cv_buf *out;
    cv_follower follower;
    size_t most;     /* bytes of an answer that reaches the caller whole; 0: any */
    bool for_people; /* the answer is read by a person: texts (x-print), not only data */
    size_t width;    /* columns that such texts have; 0: no terminal, nothing is broken */
    bool painted;    /* … and they may have paint (base/plain.h) */
    cv_buf *aside;   /* lines that people read beside a document of its own; NULL: nobody does */
    bool verbatim;   /* set by the handler: `out` is a document of its own, to be passed on as it is */
    bool unwell;     /* set by the handler: the answer is whole, but it reports errors (exit status 1) */
    int exit;        /* set by the handler: the exit status of the command line, instead of the usual one; 0: none */
    cv_errs *errs;
    cv_seen *seen;  /* folders that the answer is made from: added before they are looked into; NULL: nobody keeps it */
    bool taking_in; /* an intake calls (room.h): there is none before what it calls */
    cv_naming name; /* how the caller calls operations; NULL: by their words */
    bool (*invoke)(cv_call *call, cv_str room, cv_str verb); /* runs another operation with this call; invoke.h */
};

/* What an answer tells the caller to call. */
static inline cv_str cv_call_name(const cv_call *call, cv_str operation, cv_str first, const cv_argument *arguments,
                                  size_t count)
{
    return cv_name_call(call->name, call->arena, operation, first, arguments, count);
}

/* Passes on an error that a function below reported. Always false. */
static inline bool cv_call_fail(cv_call *call, const cv_err *err)
{
    cv_errs_keep(call->errs, call->arena, err);
    return false;
}

/* So many are done, and `what` comes next. False, with an error: it is not to be begun. */
static inline bool cv_call_tell(const cv_call *call, size_t done, size_t total, cv_str what, cv_err *err)
{
    if (!call->follower.tell || call->follower.tell(call->follower.ctx, done, total, what))
        return true;
    cv_err_set(err, CV_ERR_CANCELLED, "cancelled: %zu of %zu were done", done, total);
    return false;
}

typedef bool (*cv_handler)(cv_call *call);

#endif
