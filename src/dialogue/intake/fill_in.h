/* fill_in.h - the draft of a round with what the judge fills in, for the person who edits it (kit/room.h,
 * cv_room_edit). */
#ifndef CV_DIALOGUE_INTAKE_FILL_IN_H
#define CV_DIALOGUE_INTAKE_FILL_IN_H

#include "kit/room.h"

extern const cv_room_edit cv_dialogue_edits[];

#endif
