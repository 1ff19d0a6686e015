/* answer.h - rows and selections as JSON: what the answers of the room's operations are made of. */
#ifndef CV_DIALOGUE_ANSWER_H
#define CV_DIALOGUE_ANSWER_H

#include "dialogue/panel/panel.h"
#include "dialogue/state.h"
#include "kit/shape.h"

/* Rows as they are kept: an expert; a dialogue with its id before it, with and without its JSON. */
extern const cv_shape cv_expert_shape[];   /* of a cv_rec_expert */
extern const cv_shape cv_dialogue_shape[]; /* of a cv_state */
extern const cv_shape cv_dialogue_brief[];

/* A member that is null when the value is absent. */

/* A member of a panel: {"slug", "name", "role", "tier", "relevance", "emoji", "source", "focus"}. It can be sent back
 * in evolve-panel as it is. */
typedef struct {
    const cv_rec_expert *expert;
    cv_str name, emoji, source, focus;
} cv_shown_seat;
cv_shown_seat cv_seat_shown(cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat);
extern const cv_shape cv_seat_shape[];
void cv_answer_seat(cv_json_writer *w, cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat);

/* How a panel came about: seed, algorithm, tier split, the candidates, the draws in their order with the chance that
 * each had. A candidate's probability is that of being drawn first in its tier; with `full` rotation, of all. */
void cv_answer_selection(cv_json_writer *w, int64_t seed, size_t size, cv_rotation rotation,
                         const cv_candidates *candidates, const cv_draws *draws);

#endif
