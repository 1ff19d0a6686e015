/* room.h - the chat room for everybody else: its descriptor, and the tables that it is put together from. */
#ifndef CV_CHAT_ROOM_H
#define CV_CHAT_ROOM_H

#include "chat/types.h"
#include "kit/room.h"

extern const cv_room cv_room_chat;

/* ---- its parts ---- */
extern const cv_operation cv_chat_ops[];
extern const cv_resource cv_chat_resources[];
extern const cv_condition cv_chat_conditions[];
cv_import_fit cv_chat_import_fit(cv_arena *a, cv_where path); /* transfer.c */
bool cv_chat_import_files(cv_import *import);
extern const cv_shape cv_chat_import_counts[];

#endif
