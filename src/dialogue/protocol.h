/* protocol.h - what a judge has to know to lead a dialogue, as text and as data.
 *
 * `create` hands it out, so that a model needs no other instructions: the steps of a round, the files, the scores, when
 * a dialogue has converged, how its panel rotates, and the marks that experts write (from the same tables that read
 * them).
 */
#ifndef CV_DIALOGUE_PROTOCOL_H
#define CV_DIALOGUE_PROTOCOL_H

#include "dialogue/panel/pool.h"
#include "kit/shape.h"

enum { CV_PROTOCOL_ROUNDS = 10 }; /* what a judge is advised to stay below */

/* The value of "judge_protocol". */
typedef struct {
    cv_str instructions;
    cv_str target; /* a number of JSON */
    bool strict;
    int64_t max_rounds;
    bool tension_gate;
    cv_str output_dir, rotation;
    struct {
        cv_str prompt, context, response;
    } files;
    const cv_pool *pool;
} cv_protocol;
cv_protocol cv_protocol_of(const cv_call *call, const cv_rec_dialogue *dialogue, const cv_pool *pool);
extern const cv_shape cv_protocol_shape[];

#endif
