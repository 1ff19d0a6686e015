/* all_chats.h - all chats of the folders that a request means. */
#ifndef CV_CHAT_ALL_CHATS_H
#define CV_CHAT_ALL_CHATS_H

#include "chat/place.h"

typedef struct {
    cv_chat_place place;
    cv_str foreign; /* a name that only looks like a chat's: then there is no place */
} cv_chat_entry;

typedef struct {
    cv_chat_entry *items; /* by folder, then by name */
    size_t count, capacity;
} cv_chat_entries;

/* Folders that are not there have none. False: call->errs says why. */
bool cv_chat_each(cv_call *call, cv_chat_entries *ret);
bool cv_chat_entries_in(cv_call *call, const cv_chat_folder *folder, cv_chat_entries *ret, cv_err *err);

/* The id of the only chat that is open; empty: none is, or several are (list.c). */
bool cv_chat_only(cv_call *call, cv_str *ret_id);

#endif
