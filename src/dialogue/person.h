/* person.h - an expert as a request describes it.
 *
 *     {"role": "Value Analyst", "tier": "core", "relevance": 0.95, "slug": "Muffin"}
 *
 * The pool of a new dialogue, expert-create and evolve-panel describe experts with the same words; this is the one
 * place that reads and checks them. Every fault is added to the call, with its field, what would be valid and the
 * nearest word.
 */
#ifndef CV_DIALOGUE_PERSON_H
#define CV_DIALOGUE_PERSON_H

#include "dialogue/faults.h"

typedef struct {
    cv_str slug; /* lower case; absent: not named yet */
    cv_str role, description, focus, color, reason;
    cv_str relevance; /* the number as written */
    int tier;         /* a cv_tier, or -1 */
} cv_person;

/* Reads the members slug (or expert_slug, or name), role, tier, relevance, focus, description, color, reason of an
 * object that is at `at` ("panel[2]", empty: the request itself). False when any of them is faulty. */
bool cv_person_read(cv_call *call, const cv_json *from, cv_str at, cv_person *ret_person);

/* The weight of a relevance in draws; experts without one count as 0.75. */
uint32_t cv_person_weight(cv_str relevance);

/* Who has been seated in rounds before `round`. */
bool cv_person_sat_before(const cv_state *s, cv_str slug, int64_t round);

/* The text of a member, absent when it is not given. It must have something in it and at most `most` characters; a
 * single line has no control characters. */
typedef enum { CV_TEXT_LINE, CV_TEXT_PROSE } cv_text_shape;
cv_str cv_text_read(cv_call *call, const cv_json *from, cv_str at, const char *key, size_t most, cv_text_shape shape);

/* A round that a panel can still be made for: the next one. */
bool cv_require_next_round(cv_call *call, const cv_state *s, int64_t round);

#endif
