/* toy.h - a room for the tests; see toy.c. */
#ifndef CV_TEST_TOY_H
#define CV_TEST_TOY_H

#include "kit/room.h"

extern const cv_room cv_room_toy;
extern const cv_room_types cv_toy_records;

bool toy_fill(cv_call *call);
bool toy_look(cv_call *call);

/* What is in more.c. */
cv_import_fit toy_fits(cv_arena *a, cv_where path);
bool toy_import(cv_import *im);
bool toy_intake(cv_call *call, cv_err *err);
void toy_examine(cv_doctor *d);
extern const cv_shape toy_counts[];
extern const cv_room_prompt toy_prompts[];
extern const cv_topic toy_topics[];
extern const cv_cli_command *const toy_commands[];

#endif
