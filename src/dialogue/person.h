/* person.h - an expert as a request describes it, and the faults such descriptions have.
 *
 *     {"role": "Value Analyst", "tier": "core", "relevance": 0.95, "slug": "Muffin"}
 *
 * The pool of a new dialogue, expert-create and evolve-panel describe experts with the same words; this is the one
 * place that reads and checks them. Every fault is added to the call, with its field, what would be valid and the
 * nearest word.
 */
#ifndef CV_DIALOGUE_PERSON_H
#define CV_DIALOGUE_PERSON_H

#include "dialogue/state.h"

typedef struct {
    cv_str slug; /* lower case; absent: not named yet */
    cv_str role, description, focus, color, reason;
    cv_str relevance; /* the number as written */
    int tier;         /* a cv_tier, or -1 */
} cv_person;

/* Reads the members slug (or expert_slug, or name), role, tier, relevance, focus, description, color, reason of an
 * object that stands at `at` ("panel[2]", empty: the request itself). False when any of them is faulty. */
bool cv_person_read(cv_call *call, const cv_json *from, cv_str at, cv_person *ret_person);

/* The weight of a relevance in draws; experts without one count as 0.75. */
uint32_t cv_person_weight(cv_str relevance);

/* Who has been seated in rounds before `round`. */
bool cv_person_sat_before(const cv_state *s, cv_str slug, int64_t round);

/* ---- faults ---------------------------------------------------------------------------------------------------------
 */

/* Adds a fault about `field` of the thing at `at`; returns it for suggestion and options. */
cv_err *cv_refuse(cv_call *call, cv_err_code code, cv_str at, const char *field, cv_str value, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Offers `words`, and the nearest of them to the fault's value. */
void cv_refuse_words(cv_err *fault, const cv_str *words, size_t count);

/* The text of a member, absent when it is not given. It must have something in it and at most `most` characters; a
 * single line has no control characters. */
typedef enum { CV_TEXT_LINE, CV_TEXT_PROSE } cv_text_shape;
cv_str cv_text_read(cv_call *call, const cv_json *from, cv_str at, const char *key, size_t most, cv_text_shape shape);

/* Rounds, experts and panels are refused once a dialogue has its final verdict or was abandoned. */
bool cv_require_open(cv_call *call, const cv_state *s);

/* A round that a panel can still be made for: the next one. */
bool cv_require_next_round(cv_call *call, const cv_state *s, int64_t round);

/* The slugs of all experts, for suggestions. */
size_t cv_person_slugs(cv_arena *a, const cv_state *s, cv_str **ret_slugs);

#endif
