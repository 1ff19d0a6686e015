/* facts.h - the state of a dialogue, as its own operations report it.
 *
 * Nothing of the dialogue's record is read here: `get`, `progress` and `round-verify` are asked, as any caller would.
 */
#ifndef CV_RUN_FACTS_H
#define CV_RUN_FACTS_H

#include "kit/invoke.h"

typedef struct {
    cv_str slug, name, role, tier;
    bool responded; /* sent for the next round, or said that there is nothing to say */
} cv_fact_seat;

/* A verdict beside the final one. */
typedef struct {
    cv_str type, expert; /* absent: no expert wrote it */
    cv_str recommendation;
} cv_fact_dissent;

typedef struct {
    cv_str dialogue_id, title, question, status;
    int64_t next_round;
    bool converged, decided, abandoned;
    int64_t percentage;
    cv_str blockers; /* JSON; empty: none */
    cv_str verdict;  /* the recommendation of the final verdict; empty: there is none */
    cv_str reasons;  /* … and its description */
    cv_str vote, confidence;
    cv_str conditions; /* a JSON list */
    cv_fact_dissent *dissents;
    size_t dissent_count;
    cv_words names;      /* slugs and roles of all experts, seated or not */
    cv_words undecided;  /* experts whose dissent is in no verdict yet */
    cv_fact_seat *seats; /* the panel of the next round, in its order */
    size_t seat_count;
} cv_facts;

/* The dialogue now; texts are in the arena. False: call->errs says why. */
bool cv_facts_read(const cv_call *call, cv_arena *a, cv_str dialogue_id, cv_facts *ret, cv_errs *errs);

/* Another operation, with its own arena: `members` is a JSON object without braces that goes with the dialogue's id.
 * The reply lives in `a`. */
void cv_facts_ask(const cv_call *call, cv_arena *a, const char *verb, cv_str dialogue_id, cv_str members,
                  cv_reply *ret_reply);

#endif
