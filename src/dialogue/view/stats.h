/* stats.h - all dialogues of a project in numbers: how many, how far, by whom, decided how.
 *
 * Each dialogue is read once, at one moment, without its long texts. Experts are the same across dialogues when they
 * have the same name.
 */
#ifndef CV_DIALOGUE_VIEW_STATS_H
#define CV_DIALOGUE_VIEW_STATS_H

#include "dialogue/state.h"
#include "dialogue/view/chart.h"

typedef struct {
    cv_str slug;
    int64_t dialogues, score, rank; /* rank: from 1 */
} cv_stats_expert;

typedef struct {
    cv_str id;
    cv_rec_dialogue row; /* its short members */
} cv_stats_dialogue;

typedef struct {
    cv_str status, since;                 /* what was asked for; may be empty */
    int64_t dialogues[CV_DIALOGUE_COUNT]; /* by status */
    int64_t total, begun, rounds, score;  /* of all of them; begun: have a round */
    int64_t entities[CV_STATUS_COUNT];    /* by status, which implies the kind */
    int64_t verdicts[CV_VERDICT_COUNT];   /* by type */
    int64_t confidence[CV_CONFIDENCE_COUNT];
    int64_t no_confidence; /* none given */
    CV_STATE_LIST(cv_stats_expert) experts;
    CV_STATE_LIST(cv_stats_dialogue) recent;
} cv_stats;

int64_t cv_stats_of_kind(const cv_stats *s, cv_kind kind);

/* A page for people. */
cv_str cv_stats_text(cv_chart paper, const cv_stats *s);

#endif
