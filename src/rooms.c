/* rooms.c - the rooms of this program: one line each. Every door is made from them (kit/room.h). */
#include "dialogue/room.h"
#include "ops/op.h"
#include "project/room.h"

const cv_room *const cv_rooms[] = {
    &cv_room_dialogue,
    &cv_room_project,
    NULL,
};
