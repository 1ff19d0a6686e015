/* dynamics.h - where a dialogue stands: how much is open, how fast it moves, who has yet to agree.
 *
 *     velocity      tensions still open once a round is registered + perspectives new in it
 *     score delta   a round's score minus the one before
 *     convergence   the smaller of two shares: closed tensions, and experts of the last panel who signalled
 *                   MOVE:CONVERGE in the last round
 *
 * Pure functions over a state; all of it is derived from the record, never taken from the caller.
 */
#ifndef CV_DIALOGUE_DYNAMICS_H
#define CV_DIALOGUE_DYNAMICS_H

#include "dialogue/state.h"

/* Tensions that were open once the round was registered: by the events when the state has them (any round), otherwise
 * by the present statuses (right for the last round). */
int64_t cv_round_open_tensions(cv_arena *a, const cv_state *s, int64_t round);
int64_t cv_round_new_perspectives(const cv_state *s, int64_t round);
int64_t cv_round_velocity(cv_arena *a, const cv_state *s, int64_t round);

/* CV_ABSENT for the first round. */
int64_t cv_round_score_delta(const cv_state *s, int64_t round);

typedef struct {
    size_t tensions, panel;
    cv_str *open; /* display ids of the tensions that are open */
    size_t open_count;
    cv_str *missing; /* slugs of the experts who have not signalled */
    size_t missing_count;
    int percentage; /* rounded down */
    bool converged; /* the dialogue's target is reached: everything, unless it has another one */
} cv_convergence;

void cv_convergence_of(cv_arena *a, const cv_state *s, cv_convergence *ret);
void cv_convergence_print(const cv_convergence *convergence, cv_json_writer *w); /* an object */

/* Has the dialogue its final verdict? */
bool cv_state_is_closed(const cv_state *s);

#endif
