/* dynamics.h - the state of a dialogue: how much is open, how fast it moves, who has yet to agree.
 *
 *     velocity      tensions still open once a round is registered + perspectives new in it
 *     score delta   a round's score minus the one before
 *     convergence   the smaller of two shares: closed tensions, and experts of the last panel who stand by their
 *                   MOVE:CONVERGE
 *
 * A signal holds until its expert speaks against it in a later round: raises a tension, opposes, challenges; or
 * dissents, in the same round, too. Saying nothing keeps it.
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

/* What everybody said for and against a conclusion, by expert and round. */
typedef struct {
    const cv_state *s;
    size_t rounds;
    unsigned char *said; /* experts * rounds */
    cv_map at;           /* expert -> place + 1 */
} cv_stances;

/* Needs moves, verdicts, references and all entities of the state: their outlines. */
cv_stances cv_stances_of(cv_arena *a, const cv_state *s);
bool cv_stands_by_signal(const cv_stances *st, cv_str expert, int64_t round); /* has no dissent in force, either */
bool cv_dissent_stands(const cv_stances *st, cv_str expert, int64_t round);

/* What an expert thinks of a conclusion after a round. */
typedef enum {
    CV_STANCE_UNDECIDED, /* nothing was said for or against one */
    CV_STANCE_OBJECTS,
    CV_STANCE_AGREES, /* stands by the signal */
    CV_STANCE_DISSENTS,
    CV_STANCE_COUNT
} cv_stance;

/* *ret_since: the round in which that was said last; 0 for those who are undecided. */
cv_stance cv_stance_in(const cv_stances *st, cv_str expert, int64_t round, int64_t *ret_since);

/* A panel, how many of it stand by the signal, and how many others have a dissent in force. Without any panel
 * everybody has to agree. */
typedef struct {
    const cv_rec_seat *seats;
    size_t seated, panel, signals, outside;
} cv_agreement;
cv_agreement cv_agreement_in(const cv_stances *st, int64_t round);
cv_str cv_panel_member(const cv_stances *st, const cv_agreement *g, size_t i);

typedef struct {
    size_t tensions, panel, signals;
    cv_str *open; /* display ids of the tensions that are open */
    size_t open_count;
    cv_str *missing; /* slugs of the experts who do not stand by a signal */
    size_t missing_count;
    cv_str *dissenting; /* slugs of the experts who dissent */
    size_t dissenting_count;
    int reached;    /* the measure in percent, rounded down */
    bool enough;    /* it is the dialogue's target: everything, unless it has another one; nothing is never enough */
    int percentage; /* the same, but a final verdict makes it 100 and converged, as it makes the dialogue's status */
    bool converged; /* … and what was abandoned has not */
    int64_t before; /* CV_ABSENT, unless that verdict came earlier than the target: what was reached */
} cv_convergence;

/* The parts of that measure, for callers that count otherwise: the smaller share, in percent, and whether it is
 * enough. */
double cv_convergence_reached(size_t closed, size_t tensions, size_t signals, size_t panel);
int cv_convergence_percentage(double reached);
bool cv_convergence_enough(double reached, double target);
double cv_convergence_target(const cv_state *s); /* 0 … 1 */
bool cv_move_signals(const cv_rec_move *move);   /* MOVE:CONVERGE */

/* Does a position hold a dissent or minority verdict, and the record has no verdict of that expert? */
bool cv_holds_dissent(cv_str position);
bool cv_dissent_unregistered(const cv_state *s, const cv_rec_position *position);

void cv_convergence_of(cv_arena *a, const cv_state *s, cv_convergence *ret);
void cv_convergence_by(cv_arena *a, const cv_state *s, const cv_stances *st, cv_convergence *ret);
extern const cv_shape cv_convergence_shape[];

/* Has the dialogue its final verdict? */
bool cv_state_is_closed(const cv_state *s);

bool cv_state_is_abandoned(const cv_state *s);

#endif
