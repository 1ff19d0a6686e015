/* verifier.h - one dialogue being verified: what it adds to the verification of its scope (record/verify.h).
 *
 *     the scope     chain of events, commits, rows as the events say         record/verify.h
 *     its facts     statuses, totals, numbers, references                    verify_facts.c
 *
 * Facts are noted while rows are read and told at the end: first it must be known that nothing was changed.
 */
#ifndef CV_DIALOGUE_VERIFIER_H
#define CV_DIALOGUE_VERIFIER_H

#include "dialogue/place.h"
#include "dialogue/state.h"
#include "record/verify.h"

typedef struct {
    cv_str slug;
    int64_t total, sum; /* as the row says, and as the scores add up */
} cv_expert_sum;

typedef struct {
    cv_arena *arena;             /* lives as long as the dialogue is looked at */
    cv_arena *scratch;           /* … as one row */
    uint8_t statuses[CV_PLACES]; /* cv_status + 1 as the row says; 0: no such entity */
    uint8_t folded[CV_PLACES];   /* … as the events say */
    uint32_t last_place;
    CV_STATE_LIST(cv_expert_sum) experts;
    cv_map expert_at; /* slug -> index + 1 */
    int64_t rounds, alignment;
    int64_t total_rounds, total_alignment;
    cv_err fact; /* the first fact that does not agree; code NONE: none */
} cv_verify;

/* What the dialogue room looks at (`verify` of its descriptor). */
cv_room_verify cv_verify_facts(cv_arena *a, cv_arena *scratch);

#endif
