/* scopes.h - the scopes of all rooms: walking along them, verifying one, and what people call them.
 *
 *     room        scope               for people
 *     dialogue    nvidia-decision     "dialogue 'nvidia-decision'", "2 dialogues"
 *
 * What is done to the record as a whole (verify, restore, doctor) goes by this header and knows no room by name.
 */
#ifndef CV_KIT_SCOPES_H
#define CV_KIT_SCOPES_H

#include "kit/room.h"

typedef bool (*cv_scopes_visit)(void *ctx, cv_scope_id scope, cv_err *err);

/* Calls `visit` for each scope of a room (empty: of every room), rooms in the order of the record's types, scopes by
 * name. False ends the walk with the visitor's error. The visitor may use the record; the call's follower hears how far
 * it is. */
bool cv_scopes_each(const cv_call *call, cv_str room, cv_scopes_visit visit, void *ctx, cv_err *err);

/* A number that differs after every change of anything in this room; 0: there is nothing in it. Below zero: it is not
 * known. */
int64_t cv_scopes_rev(cv_record *record, cv_arena *a, cv_str room);

/* The rev of one scope; 0: there is none. Below zero: it is not known. */
int64_t cv_scope_rev(cv_record *record, cv_arena *a, cv_scope_id scope);

/* Does the scope agree with its own history (record/verify.h), and with what its room says that events imply? */
bool cv_scopes_verify(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err);

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* "dialogue", or for any other number than one "dialogues". */
cv_str cv_scopes_noun(cv_str room, size_t count);

/* How many there are of each room. */
typedef struct {
    struct {
        cv_str room;
        size_t count;
    } * items;
    size_t count, capacity;
    size_t total;
} cv_scopes_tally;

void cv_scopes_count(cv_scopes_tally *tally, cv_arena *a, cv_str room);
cv_str cv_scopes_counted(cv_arena *a, const cv_scopes_tally *tally); /* "2 dialogues, 1 board" */

/* "dialogues, boards": what all rooms of the program keep. */
cv_str cv_scopes_nouns(cv_arena *a);

#endif
