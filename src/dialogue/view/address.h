/* address.h - what can be cited of a dialogue, and how it is written.
 *
 *     P0101   p0101          an entity
 *     MUFFIN-P0101           the entity that this local id became
 *     @muffin                an expert
 *     final   verdict-final  a verdict; with "verdict-" before it as the events write it
 *     round-1                a round
 *     panel-1                the panel that was set for a round
 *     response-1-muffin      what an expert said in a round
 *     dialogue               the dialogue as such
 *
 * The forms exclude each other: a verdict whose own name has one of the others is reached with "verdict-" before it.
 * Reading says what is meant, not whether it is there; that takes a state with the names (cv_address_find).
 */
#ifndef CV_DIALOGUE_ADDRESS_H
#define CV_DIALOGUE_ADDRESS_H

#include "dialogue/state.h"

typedef enum {
    CV_THING_ENTITY,
    CV_THING_EXPERT,
    CV_THING_VERDICT,
    CV_THING_ROUND,
    CV_THING_PANEL,
    CV_THING_RESPONSE,
    CV_THING_DIALOGUE,
    CV_THING_COUNT
} cv_thing;

typedef struct {
    cv_thing thing;
    cv_str id;         /* in its one spelling, which reads as itself: "P0101", "@muffin", "verdict-final" */
    cv_str subject_id; /* as events name it: "P0101", "muffin", "final", "1"; of a local id, the local id until found */
    char subject_type; /* … and its letter */
    bool is_local;     /* an entity, but only its local id is known */
    int64_t round;     /* of a round, a panel, a response */
    cv_str expert;     /* of a response */
} cv_address;

/* "perspective", "expert", "round" … */
cv_str cv_address_kind(const cv_address *address);

/* False: the text has none of the forms. */
bool cv_address_parse(cv_arena *a, cv_str text, cv_address *ret_address);

/* The id of what an event is about. */
cv_str cv_address_of_subject(cv_arena *a, const cv_rec_event *event);

/* The kinds of rows that cv_address_find looks into, except the entities. */
#define CV_ADDRESS_NAMES (CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) | CV_REC_BIT(VERDICT))

/* Completes the address by what is there: a local id becomes the entity's id, names get their spelling. `names` has the
 * rows above, and the origins when the id is local. False, with an error that offers what is near: there is no such
 * thing. Entities are not looked for: cv_address_missing describes those that turn out not to be there. */
bool cv_address_find(cv_arena *a, const cv_state *names, cv_address *address, cv_err *err);

/* The error about an entity that is not there; `all` has the entities of the dialogue. Always false. */
bool cv_address_missing(const cv_state *all, const cv_address *address, cv_err *err);

/* The error about a text that is not an id. Always false. */
bool cv_address_invalid(const cv_state *names, cv_str text, cv_err *err);

#endif
