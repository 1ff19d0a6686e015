/* message.h - the two writings of one message, and everything that is meant as one of them.
 *
 *     envelope                                     mailbox message
 *     {"type": "run_test",                         {"sender_agent_id": "A",
 *      "source_id": "A",                            "command": "run_test",
 *      "target_id": "B",                   <->      "params": {"file": "x.py"},
 *      "data": {"task_id": "t1",                    "task_id": "t1",
 *               "params": {"file": "x.py"},         "target_id": "B",
 *               "why": "red"},                      "data": {"why": "red"},
 *      "colour": 7}                                 "colour": 7}
 *
 * A message is its fields (fields.def) and whatever else was there, each value in the bytes that it was written in.
 * So one writing becomes the other and back without a byte of difference, unknown fields included: a name that means
 * something in the other writing only is written there with a prefix ("mailbox:type", "envelope:command"). The order of
 * members is the writing's own.
 *
 * What is neither is read by the names that were found in the wild (fields.def), and each such name is noted.
 */
#ifndef CV_MAIL_TEXT_MESSAGE_H
#define CV_MAIL_TEXT_MESSAGE_H

#include "mail/text/repair.h"

typedef enum {
#define FIELD(id, mailbox, place, envelope) CV_MTEXT_##id,
#include "mail/text/fields.def"
    CV_MTEXT_FIELD_COUNT,
    CV_MTEXT_BODY = CV_MTEXT_FIELD_COUNT /* the names of what becomes the params */
} cv_mtext_field;

typedef enum { CV_MTEXT_ENVELOPE, CV_MTEXT_MAILBOX, CV_MTEXT_LOOSE } cv_mtext_writing;

/* A member as it was written; `key` is with its quotes. */
typedef struct {
    cv_str key, raw;
    cv_str name; /* the key, decoded */
} cv_mtext_member;

typedef struct {
    cv_mtext_member *items;
    size_t count, capacity;
} cv_mtext_members;

typedef struct {
    cv_mtext_writing writing;            /* that it was read from */
    cv_str fields[CV_MTEXT_FIELD_COUNT]; /* JSON as it was written; absent: not there */
    cv_str called[CV_MTEXT_FIELD_COUNT]; /* the name that each of them had */
    cv_mtext_members data;               /* what else was in `data` … */
    cv_str data_raw;                     /* … which was not an object */
    cv_str data_whole;                   /* all of `data` as it was written, of an envelope */
    cv_mtext_members extra;              /* what else was beside it */
} cv_mtext_message;

/* Letters and digits count, without their case: "targetId", "target-id" and "Target_ID " are one name. */
bool cv_mtext_is_same_name(cv_str x, cv_str y);

/* The members of an object of this strict text. */
void cv_mtext_members_of(cv_arena *a, cv_str text, const cv_json *object, cv_mtext_members *ret);

/* A message that is in a list of its own, or in a string, is taken out of it, and that is noted. */
void cv_mtext_message_unwrap(cv_arena *a, cv_mtext *text);

/* Reads an object of this strict text as a message. Names of the wild are noted. False: it is not an object, or has
 * nothing of a message in it. */
bool cv_mtext_message_read(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_notes *notes, cv_mtext_message *ret,
                           cv_err *err);

/* Until when a message is valid, and, if it has none of the two writings, who sends it and to whom, may be said under
 * several names. False: two of them say different things. What only another name says about its expiry becomes the
 * field. */
bool cv_mtext_message_settle(cv_arena *a, cv_mtext_message *message, cv_err *err);

/* Writes it as an ENVELOPE or as a MAILBOX message: with `indent` on lines of its own members, else on one line as far
 * as the values allow. */
void cv_mtext_message_print(cv_buf *out, const cv_mtext_message *message, cv_mtext_writing writing, int indent);

/* A field as text: a string decoded, a number as it was written; absent for null and whatever else. */
cv_str cv_mtext_field_text(cv_arena *a, const cv_mtext_message *message, cv_mtext_field field);

/* What is not a field, as an object {"data": {…}, "name": …} on one line; absent: nothing. */
cv_str cv_mtext_extra_print(cv_arena *a, const cv_mtext_message *message);
bool cv_mtext_extra_read(cv_arena *a, cv_str json, cv_mtext_message *message, cv_err *err);

/* The same JSON on one line, values as they were written. */
cv_str cv_mtext_one_line(cv_arena *a, cv_str json);

#endif
