/* judge.h - what a judge that is an agent is asked, and what becomes of its answer.
 *
 *     draft, progress, earlier rounds  ->  cv_judge_prompt_…      markdown; what experts said is in a frame
 *     the answer, a text               ->  cv_judge_extract       its one JSON object: alone, in a fence, in prose
 *     the object                       ->  cv_judge_read          the parts, as requests of the dialogue's operations
 *
 *     {"expert_scores": {"muffin": 7}, "summary": "…",            round-register, with use_draft
 *      "merges": [["MUFFIN-P0101", "SCONE-P0101"]],               … as `also` of the first
 *      "remove": […], "tension_updates": […], …                   … its members as they are
 *      "panel": {"add": […], "drop": […], "create": [{…}]},       expert-create, evolve-panel
 *      "mandate": "…", "mandates": {"muffin": "…"},               round-prompts of the next round
 *      "verdicts": [{…}], "undecided": "why"}                     verdict-register
 *
 * Nothing is guessed: two objects, a comma too many, a member of the wrong type are faults that go back to the judge.
 * What the members mean is checked by the operations that take them, as for everybody.
 */
#ifndef CV_RUN_JUDGE_H
#define CV_RUN_JUDGE_H

#include "base/json.h"

/* The one JSON object in a text. The error says what is wrong with it, with its place in the text. */
bool cv_judge_extract(cv_arena *a, cv_str text, cv_json *ret_object, cv_err *err);

typedef cv_texts cv_requests; /* JSON objects */

typedef struct {
    cv_str round;         /* members of a request to round-register, without braces; empty: none */
    cv_str summary;       /* of the round; empty: none */
    bool scores;          /* it has a score, or scores */
    cv_requests verdicts; /* members of requests to verdict-register */
    bool final;           /* one of them is final */
    cv_str undecided;     /* why there is none, as the judge says; empty: it does not say so */
    cv_requests experts;  /* members of requests to expert-create */
    cv_str add, drop;     /* JSON lists of names; empty: nobody */
    cv_str mandate;       /* for all; empty: none */
    cv_json mandates;     /* by expert; an object, perhaps empty */
} cv_judgement;

/* The parts of the object; every fault goes to errs, with its field. False: there are some. */
bool cv_judge_read(cv_arena *a, const cv_json *object, cv_judgement *ret, cv_errs *errs);

/* ---- the prompts ---------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str so_far;        /* the dialogue up to here, as markdown */
    const cv_json *draft; /* what `draft` answers; NULL: not asked */
    cv_str blockers;      /* what keeps it from convergence, as JSON; empty: nothing */
    int64_t round, last;  /* which, and the last that there will be */
    cv_str faults;        /* what was wrong with the answer before; empty: this is the first */
    cv_str answer;        /* … and that answer */
} cv_judge_matter;

cv_str cv_judge_prompt_round(cv_arena *a, const cv_judge_matter *m);
cv_str cv_judge_prompt_verdict(cv_arena *a, const cv_judge_matter *m);

#endif
