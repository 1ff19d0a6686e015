/* limits.h - the ceilings of the chat room, with their reasons. */
#ifndef CV_CHAT_WORDS_LIMITS_H
#define CV_CHAT_WORDS_LIMITS_H

#include <stddef.h>

enum {
    /* An id is a part of a file name: temp_chat_ID_editing.txt stays far below NAME_MAX. */
    CV_MAX_CHAT_ID = 64,
    /* Role and identity, as they are on one line of the header with a number behind them. */
    CV_MAX_PERSON = 130,
    CV_MAX_PEOPLE = 64,
    /* A message type, a purpose: one line that people read. */
    CV_MAX_PURPOSE = 300,
    /* A message; longer texts belong into a file that the message names. */
    CV_MAX_CHAT_BODY = 1 << 20,
    /* A header is read in one go: 64 participants take 20 KB. */
    CV_HEADER_GUESS = 16 << 10,
    CV_MAX_CHAT_HEADER = 1 << 20,
    /* Seconds that a call waits for the lock at most, and by default: longer than a hand takes for rename, edit,
     * rename.
     */
    CV_CHAT_WAIT = 5,
    /* Chat files in one folder, and workflows in a project, that are looked at. */
    CV_MAX_CHATS = 10000,
};

/* Above this a send advises to open a successor: every change copies the file. */
#define CV_LARGE_CHAT ((size_t)8 << 20)

#endif
