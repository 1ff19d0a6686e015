/* protocol.h - what a judge has to know to lead a dialogue, as text and as data.
 *
 * `create` hands it out, so that a model needs no other instructions: the steps of a round, the files, the scores, when
 * a dialogue has converged, how its panel rotates, and the marks that experts write (from the same tables that read
 * them).
 */
#ifndef CV_DIALOGUE_PROTOCOL_H
#define CV_DIALOGUE_PROTOCOL_H

#include "dialogue/panel/pool.h"

enum { CV_PROTOCOL_ROUNDS = 10 }; /* what a judge is advised to stay below */

/* Writes the value of "judge_protocol". */
void cv_protocol_write(const cv_call *call, cv_json_writer *w, const cv_rec_dialogue *dialogue, const cv_pool *pool);

#endif
