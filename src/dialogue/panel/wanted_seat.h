/* wanted_seat.h - one place of the next panel: who the judge wants to sit there.
 *
 *     retained   sat before: found by name or role
 *     pool       a member of the pool: found by role or name; gets a name and a row when it joins for the first time
 *     created    made with expert-create before, or here with role, tier and reason
 */
#ifndef CV_DIALOGUE_PANEL_WANTED_SEAT_H
#define CV_DIALOGUE_PANEL_WANTED_SEAT_H

#include "dialogue/answer.h"
#include "dialogue/notices.h"
#include "dialogue/panel/pool.h"

typedef struct {
    cv_str at;        /* "panel[2]" */
    cv_person person; /* as asked */
    cv_source source;
    cv_rec_expert row; /* as it will be */
    bool fresh;        /* the row is new */
} cv_wanted_seat;

typedef struct {
    cv_call *call;
    cv_state s;
    cv_pool pool;
    int64_t round;
    cv_wanted_seat *seats_wanted;
    size_t count;
    cv_notices warnings;
} cv_evolution;

/* Reads the i-th place and finds out who is meant; adds every fault to the call. */
void cv_wanted_seat_read(cv_evolution *e, const cv_json *from, size_t i);

/* A fault of this place. */
cv_err *cv_wanted_seat_refuse(const cv_evolution *e, const cv_wanted_seat *c, cv_err_code code, const char *field,
                              cv_str value, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
