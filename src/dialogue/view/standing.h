/* standing.h - who scored what: every expert's scores round by round, and the order they are in.
 *
 *     rank  expert   R0  R1  R2  total
 *        1  muffin   12   9   —     21       the second round was not scored: that is no 0
 *        2  scone     8   8   4     20
 *        —  donut     —   —   —      —       never scored: no rank
 *
 * Totals are the sums of the scores in the record. Higher totals come first, equal ones by name.
 */
#ifndef CV_DIALOGUE_VIEW_STANDING_H
#define CV_DIALOGUE_VIEW_STANDING_H

#include "dialogue/components.h"
#include "dialogue/view/overview.h"

typedef struct {
    const cv_rec_expert *expert;
    int64_t rank;              /* CV_ABSENT: never scored */
    int64_t total;             /* CV_ABSENT: likewise */
    int64_t *scores;           /* per round of the overview; CV_ABSENT: none */
    int64_t last_score;        /* of the last of these rounds; CV_ABSENT: none */
    cv_components *components; /* likewise; sum CV_ABSENT: none given */
    cv_components total_components;
} cv_standing;

typedef struct {
    cv_standing *items;
    size_t count;
} cv_standings;

/* Of the rounds up to and including the `upto`-th of the overview. */
void cv_standings_of(cv_arena *a, const cv_overview *c, size_t upto, cv_standings *ret);

/* The members of an expert that all answers share: rank, expert_slug, role, total_score. */
extern const cv_shape cv_standing_shape[];

#endif
