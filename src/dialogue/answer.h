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

/* A member of a panel: {"slug", "name", "role", "tier", "relevance", "emoji", "source", "focus"}. It can be sent back
 * in evolve-panel as it is. */
typedef struct {
    const cv_rec_expert *expert;
    cv_str name, emoji, source, focus;
} cv_shown_seat;
cv_shown_seat cv_seat_shown(cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat);
extern const cv_shape cv_seat_shape[];

/* How a panel came about: seed, algorithm, tier split, the candidates, the draws in their order with the chance that
 * each had. A candidate's probability is that of being drawn first in its tier; with `full` rotation, of all. Those who
 * are kept or excluded have none. */
typedef struct {
    cv_str role, tier;
    cv_str relevance, probability; /* numbers of JSON */
    bool kept, excluded, selected;
} cv_shown_candidate;
typedef struct {
    cv_str role, probability;
    size_t among;
} cv_shown_draw;
typedef struct {
    int64_t seed;
    cv_tier_split split;
    cv_shown_candidate *candidates;
    cv_shown_draw *draws;
    size_t candidate_count, draw_count;
} cv_selection;
cv_selection cv_selection_shown(cv_arena *a, int64_t seed, size_t size, cv_rotation rotation,
                                const cv_candidates *candidates, const cv_draws *draws);
extern const cv_shape cv_selection_shape[];

#endif
