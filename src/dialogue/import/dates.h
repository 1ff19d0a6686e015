/* dates.h - when a dialogue took place, as its files say. */
#ifndef CV_DIALOGUE_IMPORT_DATES_H
#define CV_DIALOGUE_IMPORT_DATES_H

#include "base/arena.h"

/* The first date in a text: 2026-01-26, 2026-01-26 10:10, 2026-01-26T1010Z, 2026-01-26T10:10:30Z. Milliseconds since
 * 1970 in UTC; without a time the beginning of the day; CV_ABSENT (record/type.h): there is none. */
int64_t cv_date_find(cv_arena *a, cv_str text);

/* Does a name begin with such a date and time, as those of dialogues do? How many bytes it takes, its dash included. */
size_t cv_date_prefix(cv_str name);

#endif
