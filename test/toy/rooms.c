/* rooms.c - the rooms of the test program: those of src/rooms.c, and one line for the toy. */
#include "dialogue/room.h"
#include "ops/op.h"
#include "project/room.h"
#include "toy/toy.h"

const cv_room *const cv_rooms[] = {
    &cv_room_dialogue,
    &cv_room_toy,
    &cv_room_project,
    NULL,
};
