/* dynamics.h - where a dialogue stands: how much is open, how fast it moves, who has yet to agree.
 *
 *     velocity      tensions still open once a round is registered + perspectives new in it
 *     score delta   a round's score minus the one before
 *     convergence   the smaller of two shares: closed tensions, and experts of the last panel who signalled
 *                   MOVE:CONVERGE in the last round and have no dissent on record from then on
 *
 * Pure functions over a state; all of it is derived from the record, never taken from the caller.
 */
#ifndef CV_DIALOGUE_DYNAMICS_H
#define CV_DIALOGUE_DYNAMICS_H

#include "dialogue/state.h"
#include "kit/shape.h"

/* Of the last round, by the present statuses; pace.h has those of all rounds. */
int64_t cv_state_velocity(const cv_state *s);

/* CV_ABSENT for the first round. */
int64_t cv_round_score_delta(const cv_state *s, int64_t round);

typedef struct {
    size_t tensions, panel;
    cv_str *open; /* display ids of the tensions that are open */
    size_t open_count;
    cv_str *missing; /* slugs of the experts who have not signalled */
    size_t missing_count;
    cv_str *dissenting; /* slugs of the experts whose dissent stands */
    size_t dissenting_count;
    int percentage; /* rounded down */
    bool converged; /* the dialogue's target is reached: everything, unless it has another one */
} cv_convergence;

/* The parts of that measure, for whoever counts otherwise: the smaller share, in percent, and whether it is enough. */
double cv_convergence_reached(size_t closed, size_t tensions, size_t signals, size_t panel);
int cv_convergence_percentage(double reached);
bool cv_convergence_enough(double reached, double target);
double cv_convergence_target(const cv_state *s); /* 0 … 1 */
bool cv_move_signals(const cv_rec_move *move);   /* MOVE:CONVERGE */

/* Is there a dissent of the expert that counts in this round? One of an earlier round is over with a later signal.
 * `last`: it is the last one, so that what came after it counts, too. */
bool cv_expert_dissents(const cv_state *s, cv_str expert, int64_t round, bool last);

/* Does a position hold a dissent or minority verdict, and the record has no verdict of that expert? */
bool cv_holds_dissent(cv_str position);
bool cv_dissent_unregistered(const cv_state *s, const cv_rec_position *position);

void cv_convergence_of(cv_arena *a, const cv_state *s, cv_convergence *ret);
extern const cv_shape cv_convergence_shape[];

/* Has the dialogue its final verdict? */
bool cv_state_is_closed(const cv_state *s);

#endif
