/* wire.h - what is said to a model's server and what it answers, in its own protocol: bytes and meaning, no network.
 *
 *     openai      POST …/chat/completions   data: {"choices":[{"delta":{"content":"Hel"}}]} … data: [DONE]
 *     anthropic   POST …/messages           event: content_block_delta … event: message_stop
 *     ollama      POST …/api/chat           {"message":{"content":"Hel"},"done":false} … {"done":true}
 *
 * An answer is whole only when the server has said that it ends: a stream without its end event was cut. Servers that
 * do not stream, though they were asked to, answer with one document, which is understood as well.
 */
#ifndef CV_RUN_WIRE_H
#define CV_RUN_WIRE_H

#include "run/calls.h"
#include "run/stream.h"

/* The body of the request. */
cv_str cv_wire_request(cv_arena *a, const cv_reach *reach, cv_str system, cv_str prompt);

typedef struct {
    cv_reach_protocol protocol;
    cv_arena *arena;   /* for what is kept: the model, a message */
    cv_arena *scratch; /* for one event; reset after each */
    void (*text)(void *ctx, cv_str piece);
    void *ctx;
    cv_calls_result *result; /* model, tokens */
    size_t events, bytes;    /* that were understood, and of text in them */
    bool ended, refused, at_limit;
    bool over; /* its last event has come: nothing follows that counts, though the connection may stay open */
    cv_calls_outcome trouble; /* CV_CALL_ANSWERED: none */
    cv_str message;
} cv_wire;

/* One event of a stream; ctx is a cv_wire. */
void cv_wire_event(void *ctx, cv_str event, cv_str data);

/* The answer as one document. */
void cv_wire_document(cv_wire *wire, cv_str body);

/* What it has come to, once the stream has ended; *ret_message in the arena. */
cv_calls_outcome cv_wire_conclude(cv_wire *wire, cv_str *ret_message);

/* What a status other than 200 means, and what the server says about it. */
cv_calls_outcome cv_wire_refusal(cv_arena *a, int64_t status, cv_str body, cv_str *ret_message);

#endif
