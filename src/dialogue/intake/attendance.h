/* attendance.h - who is asked in a round and who has answered.
 *
 *     the panel, in its order:   muffin    responded
 *                                cupcake   no contribution
 *                                donut     nothing yet
 *     then experts who responded without a seat, in the order of the experts
 */
#ifndef CV_DIALOGUE_INTAKE_ATTENDANCE_H
#define CV_DIALOGUE_INTAKE_ATTENDANCE_H

#include "dialogue/intake/extract.h"
#include "dialogue/notices.h"
#include "dialogue/state.h"

typedef struct {
    cv_str expert;
    bool seated;
    const cv_rec_response *response; /* NULL: nothing yet */
} cv_attendee;

typedef CV_STATE_LIST(cv_attendee) cv_attendance;

/* The state needs experts, seats and responses. */
void cv_attendance_of(cv_arena *a, const cv_state *s, int64_t round, cv_attendance *ret_attendance);

/* Said, or said that there is nothing to say? A response without a hash is the latter. */
bool cv_response_speaks(const cv_rec_response *response);

/* The round that the request means: the next one to be registered, unless it names one. One that has not begun is a
 * fault. */
bool cv_attendance_round(cv_call *call, const cv_state *s, int64_t *ret_round);

/* Hears all who have spoken, in this order; the responses must have their contents. */
void cv_attendance_extract(cv_arena *a, const cv_state *s, int64_t round, const cv_attendance *attendance,
                           cv_extract *ret_extract);

/* Warns of everybody who responded without a seat. A dialogue without any panel has no seats to miss. */
void cv_attendance_warn(cv_arena *a, const cv_attendance *attendance, int64_t round, cv_notices *warnings);

#endif
