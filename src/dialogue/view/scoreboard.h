/* scoreboard.h - who scored what in which round, and what each round was worth.
 *
 *     all rounds      every round and every expert, totals over all of them
 *     one round       that round alone; totals as they were after it
 *
 * A score is the judge's, and so are its components; the board only says when they do not add up. What was not scored
 * is null or a dash, never 0.
 */
#ifndef CV_DIALOGUE_VIEW_SCOREBOARD_H
#define CV_DIALOGUE_VIEW_SCOREBOARD_H

#include "dialogue/notices.h"
#include "dialogue/view/chart.h"
#include "dialogue/view/standing.h"

typedef struct {
    const cv_overview_round *overview;
    const cv_rec_round *row;
    cv_components components, cumulative; /* of the round, and of all up to it */
    int64_t total;                        /* of the scores up to it */
    int64_t of_experts;                   /* the sum of its experts' scores; CV_ABSENT: none was scored */
} cv_board_round;

typedef struct {
    int64_t round, score; /* CV_ABSENT: not scored */
    cv_components components;
} cv_board_score;

typedef struct {
    cv_standing standing;
    CV_STATE_LIST(cv_board_score) scores; /* of the rounds that are shown */
} cv_board_expert;

typedef struct {
    cv_overview overview;
    cv_standings standings; /* of the rounds below `end` */
    cv_board_round *rounds; /* likewise */
    size_t begin, end;      /* the rounds of the overview that are shown */
    cv_notices notes;
    /* for the answer */
    int64_t total_alignment;
    const cv_board_round *shown;
    size_t shown_count;
    CV_STATE_LIST(cv_board_expert) experts;
    cv_str text;
} cv_scoreboard;

/* A page for people. */
cv_str cv_scoreboard_text(cv_chart paper, const cv_scoreboard *b);

#endif
