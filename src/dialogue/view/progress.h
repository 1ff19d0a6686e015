/* progress.h - the state of a dialogue, for the person or agent who leads it: how it moved, what blocks it, who leads,
 * what comes next.
 *
 *     overview (overview.h)   what each round brought
 *     convergence             how far it is, and what is missing by name
 *     standings               who scored how much
 *     estimate                how many rounds are left, as far as the record can tell
 *     next step               one sentence and a command
 *
 * A pure function of the record; the text is for people, the JSON for programs and the dashboard.
 */
#ifndef CV_DIALOGUE_VIEW_PROGRESS_H
#define CV_DIALOGUE_VIEW_PROGRESS_H

#include "dialogue/view/chart.h"
#include "dialogue/view/standing.h"

typedef struct {
    int64_t rounds_left; /* CV_ABSENT: nothing can be said */
    cv_str reason;
} cv_estimate;

typedef struct {
    cv_str text;
    cv_str operation;    /* what to call: "dialogue draft" */
    cv_argument more[5]; /* … with what beside the dialogue; "…" stands for what the judge decides */
    size_t count;
    cv_str command; /* … as the caller calls it */
} cv_next_step;

typedef struct {
    cv_str id;
    const cv_rec_entity *tension;
} cv_blocker;

/* A response that an expert wrote into a file, and the record does not have. */
typedef struct {
    cv_str expert, path;
    cv_str command; /* the command that sends it, as the caller calls it */
} cv_unsent;

typedef struct {
    cv_overview overview;
    cv_convergence convergence;
    cv_standings standings;
    cv_estimate estimate;
    cv_next_step next;
    int64_t current_round, next_round;  /* CV_ABSENT: none */
    cv_str target;                      /* the share that is enough, a decimal */
    size_t closed;                      /* tensions */
    CV_STATE_LIST(cv_blocker) blockers; /* tensions that are open */
    CV_STATE_LIST(cv_str) unregistered; /* experts whose dissent is in a response and in no verdict */
    CV_STATE_LIST(cv_unsent) files;     /* of the next round; only `progress` looks for them */
    cv_str text;                        /* for people, if they have asked */
} cv_progress;

/* How many rounds are left.
 *
 *     decided, given up, or the target is reached         0
 *     enough tensions are closed, signals are missing     1
 *     the open tensions fell over the last rounds         as many as it takes to close the rest at that pace
 *     they did not, or there is one round only            nothing can be said
 *
 * The pace is that of the last three rounds, or of fewer when there are fewer. */
cv_estimate cv_progress_estimate(cv_arena *a, const cv_overview *c, const cv_convergence *convergence);

/* All of it but the text. `whole`: as in cv_overview_load(). */
bool cv_progress_load(cv_call *call, cv_str dialogue_id, uint32_t whole, cv_progress *ret, cv_err *err);

/* The parts of an answer that others have, too: what blocks it, and the next step. */
extern const cv_shape cv_progress_convergence[]; /* of a cv_progress */
extern const cv_shape cv_next_step_shape[];      /* of a cv_next_step */

/* A page for people. */
cv_str cv_progress_text(cv_chart paper, const cv_progress *p);

/* Its parts, for other pages: title and status; how far it is and what is missing; who was scored
 * and absent; the next step. */
void cv_progress_say_head(cv_chart *c, const cv_progress *p);
void cv_progress_say_blockers(cv_chart *c, const cv_progress *p);
void cv_progress_say_absent(cv_chart *c, const cv_progress *p);
void cv_progress_say_next(cv_chart *c, const cv_progress *p);

/* "5-0, unanimous, round 2": how a verdict came about. */
cv_str cv_verdict_facts(cv_arena *a, const cv_rec_verdict *verdict);

#endif
