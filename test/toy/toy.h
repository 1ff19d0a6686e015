/* toy.h - a room for the tests; see toy.c. */
#ifndef CV_TEST_TOY_H
#define CV_TEST_TOY_H

#include "kit/room.h"

extern const cv_room cv_room_toy;
extern const cv_room_types cv_toy_records;

#endif
