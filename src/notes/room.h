/* room.h - the notes room: dialogs in the headers and margins of files, checked, set and logged; see kit/room.h. */
#ifndef CV_NOTES_ROOM_H
#define CV_NOTES_ROOM_H

#include "kit/room.h"

extern const cv_room cv_room_notes;
extern const cv_room_types cv_notes_records;
extern const cv_operation cv_notes_ops[];

#endif
