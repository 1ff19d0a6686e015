/* types.h - what the chat room keeps: the witness of what chat files said.
 *
 *     ("chat", ".conclave/chat/temp_chat_261116_1723.txt")     one chat file is one scope, named by its path
 *       chat         what the header says, and a hash over all messages            one row, changes
 *       message      a message as it was first seen: text, hash, sender            only added
 *       queued       a message that waits for the lock                             changes: queued, delivered, refused
 *       alteration   what was done to history, and what is there instead           changes: open, restored, gone
 *       seen         which file that was: inode, size, times                       volatile
 *       pointer      where in the file a participant's `Last read` is              volatile
 *
 * The file is the truth. What is volatile can be made again from it; what is kept can be compared with it.
 *
 *     chain = SHA-256(chain before, hash of the message)     "" before the first one
 */
#ifndef CV_CHAT_TYPES_H
#define CV_CHAT_TYPES_H

#include "kit/intent.h"
#include "record/record.h"

/* clang-format off */

#define CV_CHAT_FIELDS(F)                                                                                              \
    F(TEXT, KEY, chat_id) F(TEXT, OUTLINE, status) F(TEXT, OUTLINE, purpose) F(JSON, OUTLINE, participants)            \
    F(INT, OUTLINE, messages) F(TEXT, PLAIN, chain) F(TEXT, OUTLINE, created_at) F(TEXT, OUTLINE, closed_at)

#define CV_CHAT_MESSAGE_FIELDS(F)                                                                                      \
    F(INT, KEY, number) F(TEXT, OUTLINE, sender) F(TEXT, OUTLINE, type) F(TEXT, OUTLINE, tags)                         \
    F(TEXT, OUTLINE, sent_at) F(INT, OUTLINE, reply_to) F(TEXT, OUTLINE, behalf) F(TEXT, OUTLINE, sha256)              \
    F(TEXT, OUTLINE, chain) F(TEXT, OUTLINE, origin) F(TEXT, OUTLINE, standing) F(TEXT, OUTLINE, seen_at)              \
    F(TEXT, PLAIN, head) F(TEXT, LONG, body)

#define CV_CHAT_QUEUED_FIELDS(F)                                                                                       \
    F(INT, KEY, seq) F(TEXT, OUTLINE, state) F(TEXT, OUTLINE, sender) F(TEXT, OUTLINE, type) F(TEXT, OUTLINE, tags)    \
    F(INT, OUTLINE, reply_to) F(TEXT, OUTLINE, behalf) F(TEXT, OUTLINE, sent_at) F(TEXT, OUTLINE, standing)            \
    F(INT, OUTLINE, number) F(TEXT, OUTLINE, reason) F(TEXT, LONG, body)

#define CV_CHAT_ALTERATION_FIELDS(F)                                                                                   \
    F(INT, KEY, number) F(TEXT, OUTLINE, kind) F(TEXT, OUTLINE, state) F(TEXT, OUTLINE, found_at)                      \
    F(TEXT, PLAIN, head) F(TEXT, LONG, body)

#define CV_CHAT_SEEN_FIELDS(F) F(TEXT, KEY, chat_id) F(TEXT, PLAIN, file)

#define CV_CHAT_POINTER_FIELDS(F)                                                                                      \
    F(TEXT, KEY, participant) F(INT, PLAIN, line) F(INT, PLAIN, place) F(INT, PLAIN, number)

/* clang-format on */

CV_TYPE_STRUCT(cv_chat_row, CV_CHAT_FIELDS)
CV_TYPE_STRUCT(cv_chat_message_row, CV_CHAT_MESSAGE_FIELDS)
CV_TYPE_STRUCT(cv_chat_queued_row, CV_CHAT_QUEUED_FIELDS)
CV_TYPE_STRUCT(cv_chat_alteration_row, CV_CHAT_ALTERATION_FIELDS)
CV_TYPE_STRUCT(cv_chat_seen_row, CV_CHAT_SEEN_FIELDS)
CV_TYPE_STRUCT(cv_chat_pointer_row, CV_CHAT_POINTER_FIELDS)
typedef cv_intent cv_chat_intent;
extern const cv_type cv_chat_intent_type;

extern const cv_index *const cv_chat_messages_by_type, *const cv_chat_queued_by_state;

extern const cv_room_types cv_chat_records;

#endif
