/* room.h - what is at the top level: operations on the project, on its record as a whole, and on who can act. */
#ifndef CV_PROJECT_ROOM_H
#define CV_PROJECT_ROOM_H

#include "kit/room.h"

extern const cv_room cv_room_project;
extern const cv_room cv_room_agent, cv_room_token; /* actors.c */
extern const cv_room_types cv_project_records;

#endif
