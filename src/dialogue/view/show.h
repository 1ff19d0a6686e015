/* show.h - one dialogue as the page to look at: what was asked, what was decided, and how it came about.
 *
 *     progress (progress.h)   rounds, convergence, what blocks the decision, the next step
 *     opinions                the verdicts beside the decision: dissent, minority, interim
 *     sitters                 who sat, in which rounds, with what score
 *     tensions                each with its status, since which round, by what
 *
 * A pure function of the record.
 */
#ifndef CV_DIALOGUE_VIEW_SHOW_H
#define CV_DIALOGUE_VIEW_SHOW_H

#include "dialogue/view/progress.h"

typedef struct {
    const cv_standing *standing;
    int64_t *rounds; /* in which the expert sat */
    size_t round_count;
} cv_sitter;

typedef struct {
    cv_str id;
    const cv_rec_entity *row;
    int64_t since; /* the round of its status; CV_ABSENT: of none */
    cv_str via;    /* the entity or verdict that gave it; absent: none */
} cv_tension_status;

typedef struct {
    cv_progress progress;
    const cv_rec_verdict *decision;               /* NULL: there is none yet */
    CV_STATE_LIST(const cv_rec_verdict *) others; /* the other verdicts, in their order */
    CV_STATE_LIST(cv_sitter) sitters;             /* by total, then by name */
    CV_STATE_LIST(cv_tension_status) tensions;
    bool archived;
    cv_str text;
} cv_show;

/* A page for people. */
cv_str cv_show_text(cv_chart paper, const cv_show *s);

#endif
