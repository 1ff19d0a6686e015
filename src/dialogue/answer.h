/* answer.h - rows and selections as JSON: what the answers of the room's operations are made of. */
#ifndef CV_DIALOGUE_ANSWER_H
#define CV_DIALOGUE_ANSWER_H

#include "dialogue/panel/panel.h"
#include "dialogue/state.h"

/* The members of a row, in the order of types.h: absent values are null, flags are booleans, decimals are numbers.
 * Without `whole` the long members (those that are JSON themselves) are left out. */
void cv_answer_row(cv_json_writer *w, cv_rec_kind kind, const void *row, bool whole);

/* {"dialogue_id": …, and the row} */
void cv_answer_dialogue(cv_json_writer *w, cv_str id, const cv_rec_dialogue *row, bool whole);

/* A member that is null when the value is absent. */
void cv_answer_int(cv_json_writer *w, const char *key, int64_t value);
void cv_answer_text(cv_json_writer *w, const char *key, cv_str text);

/* A member of a panel: {"slug", "name", "role", "tier", "relevance", "emoji", "source", "focus"}. It can be sent back
 * in evolve-panel as it is. */
void cv_answer_seat(cv_json_writer *w, cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat);

/* How a panel came about: seed, algorithm, tier split, the candidates, the draws in their order with the chance that
 * each had. A candidate's probability is that of being drawn first in its tier; with `full` rotation, of all. */
void cv_answer_selection(cv_json_writer *w, int64_t seed, size_t size, cv_rotation rotation,
                         const cv_candidates *candidates, const cv_draws *draws);

#endif
