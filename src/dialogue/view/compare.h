/* compare.h - dialogues side by side: how they went, what they raised and closed, what was decided, who took part.
 *
 *                    nvidia-decision  rye-or-wheat
 *     status         converged        open
 *     scores         ▁▁█              █▁
 *
 * A dialogue converged in the round after which its target was reached; or, when it was decided earlier, in that of
 * its final verdict.
 */
#ifndef CV_DIALOGUE_VIEW_COMPARE_H
#define CV_DIALOGUE_VIEW_COMPARE_H

#include "dialogue/view/chart.h"
#include "dialogue/view/overview.h"

typedef struct {
    cv_overview overview;
    int64_t tensions[CV_STATUS_COUNT], open; /* by their present status */
    const cv_rec_verdict *verdict;           /* the final one, or NULL */
    int64_t converged_after;                 /* rounds until it converged; CV_ABSENT: not yet */
    bool decided_earlier;                    /* … by its verdict, before the target was reached */
    size_t panel_size;                       /* who sits now */
    int64_t *scores, *velocities, *opens;    /* of each round */
    int percentage;                          /* of convergence, after the last round; decided: 100 */
} cv_compared;

/* An expert of several of them; the same name is the same expert. */
typedef struct {
    cv_str slug;
    cv_str *ids; /* of the dialogues */
    size_t count;
} cv_compared_expert;

typedef struct {
    cv_compared **items;
    size_t count;
    CV_STATE_LIST(cv_compared_expert) shared; /* those of most dialogues first, then by name */
    cv_str text;                              /* for people; may be empty */
} cv_comparison;

/* A page for people: so many dialogues side by side as there is room for. */
cv_str cv_comparison_text(cv_chart paper, const cv_comparison *c);

#endif
