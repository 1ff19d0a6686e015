/* room.h - runs: `run` and `ask` are at the top level, what is asked about a run in the room `run`. */
#ifndef CV_RUN_ROOM_H
#define CV_RUN_ROOM_H

#include "kit/room.h"

extern const cv_room cv_room_run, cv_room_running; /* `running` has the operations of the top level */
extern const cv_room_types cv_run_records;
extern const cv_condition cv_run_conditions[];

#endif
