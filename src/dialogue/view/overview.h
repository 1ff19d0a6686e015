/* overview.h - the overview of a dialogue: what each round brought and where it left things.
 *
 *     record -> one reading, nothing long: events are folded, entities counted, tensions and people kept
 *            -> per round: score, velocity, tensions by status, who sat, who signalled, convergence
 *
 * Everything that looks at a dialogue from above (progress, scoreboard, compare) begins here. Derived from the record
 * only, and in one pass over it.
 */
#ifndef CV_DIALOGUE_VIEW_OVERVIEW_H
#define CV_DIALOGUE_VIEW_OVERVIEW_H

#include "base/map.h"
#include "dialogue/dynamics.h"
#include "dialogue/notices.h"
#include "dialogue/pace.h"
#include "kit/shape.h"

/* One round as it was once it was registered, with what was corrected and decided before the next. */
typedef struct {
    const cv_rec_round *row;
    int64_t score_delta; /* CV_ABSENT for the first */
    int64_t velocity, open_tensions, new_perspectives;
    const int64_t *tensions;  /* by cv_status */
    const cv_rec_seat *seats; /* its panel; none: everybody takes part */
    size_t seat_count;
    size_t panel, signals; /* experts who had to signal convergence, and how many of them stood by it */
    size_t outside;        /* others who dissented */
    int reached;           /* the measure of convergence, in percent */
    bool enough;           /* the dialogue's target was reached */
    bool decided;          /* it was not, but the final verdict ended this round: it is converged, too */
    int percentage;
} cv_overview_round;

typedef struct {
    cv_state s; /* of its entities only the tensions, of its responses those that wait; no events, unless asked for */
    bool keeps_events;
    cv_arena *arena;
    cv_map heard;     /* "1/muffin": a response or a contribution of round 1; "1": the round has responses */
    cv_notices notes; /* scores of experts who were absent */
    cv_pace pace;
    cv_stances stances;
    size_t entities[CV_KIND_COUNT];
    size_t responses; /* that wait for the next round to be registered */
    cv_overview_round *rounds;
    size_t count;
} cv_overview;

/* Rows are outlines (types.h), but those of the kinds in `whole` have all their fields; with EVENT among them the
 * events about tensions are kept. A missing dialogue is an error, as in cv_state_load. The overview must stay where it
 * is. */
bool cv_overview_load(cv_call *call, cv_str dialogue_id, uint32_t whole, cv_overview *ret_course, cv_err *err);

/* After the last round: 100 when the dialogue is decided, as its status says. */
int cv_overview_percentage(const cv_overview *c);

/* "66%", or "decided" where the verdict did not wait for the target: a cell of tables, so wide. */
enum { CV_CONVERGED_COLUMNS = 11 };
cv_str cv_overview_converged(cv_arena *a, const cv_overview_round *round);

/* The status of the dialogue for people: "decided" instead of "converged" where the verdict did not wait. */
extern const cv_str cv_status_decided;
cv_str cv_overview_status(const cv_overview *c);

/* The verdict that decided, or NULL. */
const cv_rec_verdict *cv_overview_final(const cv_overview *c);

/* One number of every round, for sparklines. */
typedef int64_t (*cv_overview_number)(const cv_overview_round *round);
int64_t *cv_overview_series(cv_arena *a, const cv_overview *c, cv_overview_number number);
int64_t cv_overview_score(const cv_overview_round *round);
int64_t cv_overview_velocity(const cv_overview_round *round);
int64_t cv_overview_open(const cv_overview_round *round);

/* The members that answers about one dialogue begin with: dialogue_id, rev, title, dialogue_status; and those that all
 * of them are about a round. */
extern const cv_shape cv_overview_head[];     /* of a cv_overview */
extern const cv_shape cv_overview_measures[]; /* of a cv_overview_round */

#endif
