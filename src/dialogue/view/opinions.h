/* opinions.h - how opinions moved in a dialogue: who changed theirs and why, what became of dissent, whether the panel
 * thought or only agreed, and how much experts say the same.
 *
 *     stance      of an expert after a round: undecided, objects (a tension, an opposition, a challenge), agrees
 *                 (stands by MOVE:CONVERGE), dissents (a dissent in force); see dialogue/dynamics.h
 *     change      another stance than before, or a concession. Its evidence is what the expert could not know when it
 *                 last said the other thing: evidence of others since then, up to the round before, and its own
 *     dissent     kept (a verdict has it), withdrawn (the expert agreed later), lost (it was written or meant, and the
 *                 final verdict came without it), pending (nothing is decided yet)
 *     collapse    a round in which at least two experts, and at least half of the panel, come to agree, most of them
 *                 without new evidence
 *     overlap     of two experts: words that both use in their items, of the words that either uses
 *
 * A pure function of the record. It does not say who is right.
 */
#ifndef CV_DIALOGUE_VIEW_OPINIONS_H
#define CV_DIALOGUE_VIEW_OPINIONS_H

#include "dialogue/dynamics.h"
#include "dialogue/view/chart.h"

typedef struct {
    int64_t round;
    cv_str expert, from, to;
    CV_STATE_LIST(cv_str) conceded; /* in favour of these */
    CV_STATE_LIST(cv_str) evidence; /* that is new to the expert */
    CV_STATE_LIST(cv_str) cited;    /* … and that it refers to, or brings itself */
    cv_str basis;                   /* cited, available, none */
} cv_opinion_change;

typedef struct {
    cv_str expert;
    int64_t round;
    cv_str form;    /* verdict, response, objection */
    cv_str outcome; /* kept, withdrawn, lost, pending */
    cv_str verdict_id;
} cv_opinion_dissent;

typedef struct {
    int64_t round;
    size_t panel, agree, dissent; /* after it */
    size_t evidence;              /* that is new in it */
    size_t came;                  /* who agree after it, and did not before */
    size_t without;               /* … those of them without new evidence */
    bool collapse;
} cv_opinion_round;

typedef struct {
    cv_str one, other;
    size_t shared_items; /* that both have contributed to */
    int overlap;         /* in a hundred */
} cv_opinion_pair;

typedef struct {
    cv_state s;
    CV_STATE_LIST(cv_opinion_round) rounds;
    CV_STATE_LIST(cv_opinion_change) changes; /* by round, then as experts sit */
    size_t with, citing, without;             /* of the changes */
    CV_STATE_LIST(cv_opinion_dissent) dissents;
    size_t kept, withdrawn, lost, pending;
    CV_STATE_LIST(cv_opinion_pair) pairs; /* the highest overlap first; the first CV_OPINION_PAIRS */
    size_t pair_count;
    int64_t mean_overlap; /* of all pairs, in a hundred; CV_ABSENT: there is none */
    CV_STATE_LIST(int64_t) collapses;
    cv_str text;
} cv_opinions;

enum { CV_OPINION_PAIRS = 20 }; /* those with the highest overlap say enough */

/* The overlap of every two experts who have items: opinions_overlap.c. */
void cv_opinions_overlap(cv_arena *a, cv_opinions *o);

/* A page for people. */
cv_str cv_opinions_text(cv_chart paper, const cv_opinions *o);

#endif
