/* room.h - the dialogue room for everybody else: its descriptor, and the tables that it is put together from. */
#ifndef CV_DIALOGUE_ROOM_H
#define CV_DIALOGUE_ROOM_H

#include "dialogue/types.h"
#include "kit/room.h"

extern const cv_room cv_room_dialogue;

/* ---- its parts: ops.c, resources.c, prompts.c ---- */
extern const cv_operation cv_dialogue_ops[];
extern const cv_resource cv_dialogue_resources[];
extern const cv_room_prompt cv_dialogue_prompts[];
bool cv_dialogue_in_use(cv_record *record, cv_arena *a, const char *root);

#endif
