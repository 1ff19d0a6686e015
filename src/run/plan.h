/* plan.h - what is next in a run: a pure function of what the record says.
 *
 *      evolve           ask, send               judge, register          decide           end
 *     ┌──────┐  panel  ┌────────────┐  quorum  ┌───────────────┐  over  ┌─────────┐      ┌─────┐
 *     │SETTLE│ ──────> │ASK, HAND_IN│ ───────> │JUDGE, REGISTER│ ─────> │VERDICT, │ ───> │END  │
 *     └──────┘         └────────────┘          └───────────────┘        │DECIDE   │      └─────┘
 *        ^                                             │ not converged   └─────────┘
 *        └─────────────────────────────────────────────┘
 *
 * Nothing here reads, writes or waits: the process that walks (walk.h) makes a cv_plan from the record, does the one
 * step that the plan names, and asks again. So a run that was killed anywhere goes on: what was done is in the record,
 * and what is next follows from it.
 *
 * A seat is folded from its attempts: which of them count as tries, when the next may come, which answer is the one to
 * send. Attempts that were lost with the runner, or ended from here, are not tries.
 */
#ifndef CV_RUN_PLAN_H
#define CV_RUN_PLAN_H

#include "run/retry.h"
#include "run/types.h"

/* ---- one who is asked ----------------------------------------------------------------------------------------------
 */

typedef enum {
    CV_SEAT_OPEN,     /* to be asked, not before `from_ms` */
    CV_SEAT_RUNNING,  /* an attempt is under way */
    CV_SEAT_ANSWERED, /* attempt `answer` has what is to be sent, or carried out */
    CV_SEAT_DONE,     /* that is done */
    CV_SEAT_ABSENT    /* nothing came, and it is not asked again: `why` */
} cv_seat_state;

typedef struct {
    cv_seat_state state;
    int attempts;    /* that there are: the next has the number after it */
    int answer;      /* number of the attempt with the answer; 0: none */
    int64_t from_ms; /* OPEN: the time from which on it may be asked */
    bool awaited;    /* a person or a mailbox: costs no call, and takes no place among those that run */
    cv_str why;
    const cv_attempt_row *last; /* NULL: none */
} cv_seat;

enum {
    CV_MOST_UNREADABLE = 2, /* answers that are empty or without marks: asked again once */
    CV_MOST_FAULTY = 3,     /* answers that are refused: what does not fit then will not fit */
};

/* The attempts of one (round, who, task), in their order. `most_faulty`: so many refused answers are the end of it;
 * `done`: what they were for is in the record. What ended without an answer up to `since_rev` (0: none) is forgiven:
 * somebody has given the command again after that. A rev, because clocks can be set back. Texts are in the arena. */
cv_seat cv_seat_fold(cv_arena *a, const cv_attempt_row *attempts, size_t count, const cv_retry_policy *policy,
                     int most_faulty, int64_t since_rev, bool done);

/* ---- the whole run -------------------------------------------------------------------------------------------------
 */

typedef enum { CV_JUDGE_MECHANICAL, CV_JUDGE_HUMAN, CV_JUDGE_AGENT } cv_judge;
extern const cv_words cv_judge_words; /* of judges that are not agents */
typedef enum { CV_UNTIL_RESPONSES, CV_UNTIL_REGISTERED, CV_UNTIL_CONVERGED, CV_UNTIL_VERDICT, CV_UNTIL_COUNT } cv_until;
extern const cv_words cv_until_words;

typedef enum {
#define REASON(id, word, state, fine, meaning, advice) CV_REASON_##id,
#include "run/reasons.def"
#undef REASON
    CV_REASON_COUNT
} cv_reason;

typedef struct {
    cv_str word;
    cv_run_state state;
    bool fine;
    cv_str meaning;
    cv_str advice; /* empty: none is needed */
} cv_reason_row;
extern const cv_reason_row cv_reasons[CV_REASON_COUNT];

/* A text of such a row: {max_cost} becomes --max-cost where the caller types options, else max_cost. */
void cv_reason_say(cv_buf *out, cv_str text, bool options);
extern const cv_words cv_reason_words;

/* Parts of a walk: --step does one of them. */
typedef enum { CV_PART_ASKING, CV_PART_JUDGING, CV_PART_DECIDING, CV_PART_OVER } cv_part;

typedef struct {
    /* what was asked for */
    int64_t rounds;  /* the dialogue is to have at most so many */
    size_t parallel; /* calls at the same time */
    size_t quorum;   /* experts who must have answered; 0: all */
    cv_judge judge;
    bool judge_may_fail; /* nobody named the judge: without an answer of it the round is registered as it is drafted */
    cv_until until;
    bool step;
    bool control; /* one answer to compare with */
    /* what is in the dialogue */
    int64_t next_round;
    bool converged, decided, abandoned;
    bool senseless; /* the last round brought no mark and no judgement, and nobody has given the command again since */
    /* what is in the run */
    int64_t settled;    /* rounds whose decisions are carried out */
    int64_t from_round; /* where this walk began, */
    cv_part from_part;  /* … and with which part: for `step` and `until` */
    bool stopping, interrupted;
    cv_reason spent; /* the budget that is used up; CV_REASON_COUNT: none */
    const cv_seat *seats;
    size_t seat_count;
    cv_seat round;   /* the judge, about the next round */
    cv_seat verdict; /* the judge, about the verdicts */
    cv_seat other;   /* the control */
    size_t running;  /* calls under way */
    int64_t now_ms;
} cv_plan;

typedef enum {
    CV_STEP_SETTLE,   /* carry out what was decided with the last registered round */
    CV_STEP_ASK,      /* the expert of `seat` */
    CV_STEP_HAND_IN,  /* the answer of `seat` */
    CV_STEP_JUDGE,    /* ask the judge about the round */
    CV_STEP_REGISTER, /* the round: with the judge's answer, or as it is drafted */
    CV_STEP_VERDICT,  /* ask the judge for the verdicts */
    CV_STEP_DECIDE,   /* register them */
    CV_STEP_CONTROL,  /* ask for the answer to compare with */
    CV_STEP_WAIT,     /* until `until_ms` (INT64_MAX: any time), or until something has changed */
    CV_STEP_END       /* with `reason` */
} cv_step_kind;

typedef struct {
    cv_step_kind kind;
    size_t seat;
    int64_t until_ms;
    cv_reason reason;
    bool for_human; /* WAIT: only a person can go on */
} cv_step;

cv_step cv_plan_next(const cv_plan *p);
cv_part cv_plan_part(const cv_plan *p);

#endif
