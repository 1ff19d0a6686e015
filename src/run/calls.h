/* calls.h - calling agents, many at the same time, in one loop.
 *
 *     cv_calls *calls = cv_calls_open(NULL);
 *     cv_calls_start(calls, &request) …                        returns at once; trouble becomes a result
 *     while (cv_calls_running(calls))
 *         if (cv_calls_step(calls, &arena, 1000, &result))     one that has ended; or nothing in that time
 *             …
 *     cv_calls_close(calls);                                   whatever still runs is ended
 *
 * A command runs without a shell, in its folder, in a group of its own, with a clean environment: the usual variables
 * (PATH, HOME and a few more), those that its reach names, and those of the request. It dies with this process, and
 * its whole group with it. An endpoint is asked with libcurl, which is loaded for the first one.
 *
 *     round-0/muffin-1.md     the answer, and behind it one line with what else is known: model, tokens …
 *
 * is written in one step, synced and renamed, once the answer is whole: if it is there, the call was answered. A caller
 * that was killed finds it, or nothing (cv_calls_recover). It is its owner's alone; while the answer comes it has no
 * name. What does not end in `answered` leaves no file.
 *
 * Values of the variables that hold keys appear nowhere: not in files, results or messages; where an answer or an error
 * has one in it, [NAME] is in its place.
 *
 * One thread at a time, always the same one: commands die with the thread that started them.
 */
#ifndef CV_RUN_CALLS_H
#define CV_RUN_CALLS_H

#include "base/buf.h"
#include "base/where.h"
#include "kit/reach/reach.h"

typedef enum {
#define OUTCOME(id, word, again, meaning) CV_CALL_##id,
#include "run/outcomes.def"
#undef OUTCOME
    CV_CALL_COUNT
} cv_calls_outcome;

extern const cv_words cv_outcome_words;

typedef struct {
    cv_str name, value;
} cv_variable;

/* All of it is copied by cv_calls_start, except `reach` and `tag`. */
typedef struct {
    const cv_reach *reach; /* a command or an endpoint; lives until the result is there */
    cv_str prompt;
    cv_str system;                /* instructions that are before it; empty: none */
    const char *output;           /* where the answer goes: a path in a folder that is there, and private */
    const char *root;             /* of the project: where commands run that name no folder */
    const cv_variable *variables; /* CONCLAVE_… for a command */
    size_t variable_count;
    int64_t timeout_ms; /* 0: the reach's own */
    void *tag;          /* the caller's: comes back in the result */
} cv_calls_request;

/* Numbers are CV_ABSENT when nobody reported them. Texts are in the arena of the step. */
typedef struct {
    void *tag;
    cv_calls_outcome outcome;
    cv_str answer;                   /* of an answered call */
    cv_str answer_hash, prompt_hash; /* SHA-256, hexadecimal */
    cv_str model;                    /* that answered, as far as it is reported; else the one that was asked for */
    cv_str message;                  /* why there is no answer, in one sentence */
    cv_str tail;                     /* the end of standard error; when that is empty, of what else came */
    int64_t exit_status;             /* of a command; 128 + signal when one ended it */
    int64_t http_status;             /* of an endpoint */
    int64_t tokens_in, tokens_out;   /* all that were counted, cached ones too */
    int64_t cost;                    /* millionths of a US dollar: reported, or from the prices of the reach */
    int64_t retry_after_ms;          /* that the server asked for */
    int64_t duration_ms;
    int64_t bytes; /* of answer that came */
} cv_calls_result;

typedef struct cv_calls cv_calls;

/* The world that it lives in; NULL, or a member that is NULL: the real one. */
typedef struct {
    const char *(*variable)(void *ctx, const char *name); /* getenv */
    void *ctx;
    int64_t kill_after_ms; /* between TERM and KILL; 0: CV_CALLS_KILL_AFTER_MS */
    int64_t stall_ms;      /* that a stream which has begun may be silent; 0: CV_CALLS_STALL_MS */
} cv_calls_world;

enum {
    CV_CALLS_KILL_AFTER_MS = 2000, /* enough to write a last line, short enough to wait for */
    CV_CALLS_STALL_MS = 90 * 1000, /* servers send something every few seconds once they have begun */
    CV_CALLS_CONNECT_MS = 20 * 1000,
    CV_CALLS_MOST_TOKENS = 1000000000, /* of one call: what reports more is wrong, and sums must not overflow */
    CV_CALLS_TAIL = 2048,              /* bytes of standard error that are kept: the message at its end */
    CV_CALLS_MOST = 180,               /* at the same time: each has five descriptors, and a process usually 1024 */
};

cv_calls *cv_calls_open(const cv_calls_world *world);
void cv_calls_close(cv_calls *calls);

/* Never fails: what cannot be started is the next result. At most CV_CALLS_MOST at the same time (asserted). */
void cv_calls_start(cv_calls *calls, const cv_calls_request *request);

size_t cv_calls_running(const cv_calls *calls); /* started, and its result not yet taken */

/* Waits for up to wait_ms (0: not at all), moving bytes; true: *ret_result is one that has ended. False: none has, the
 * time is over, or a signal came. */
bool cv_calls_step(cv_calls *calls, cv_arena *a, int wait_ms, cv_calls_result *ret_result);

/* Ends the call with this tag (all: NULL), TERM first; its result is `cancelled`, unless it has ended already. */
void cv_calls_cancel(cv_calls *calls, const void *tag);

/* After a restart: is there a whole answer at `output`? Then *ret_result is what the call had come to (without a tag),
 * and *ret_found true. Else whatever it left is removed. */
bool cv_calls_recover(cv_arena *a, const char *output, cv_calls_result *ret_result, bool *ret_found, cv_err *err);

/* Why the program of a command cannot be started from here, in a sentence; empty: it is there, or this is not a
 * command. `root`: as in a request. */
cv_str cv_calls_missing(cv_arena *a, const cv_reach *reach, const char *root);

#endif
