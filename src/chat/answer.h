/* answer.h - messages in answers, and a chat as people read it.
 *
 *     M0003  Implementer@claude -> @Validator   QUESTION   2026-11-16 17:23:45   re M0001   unread
 *       Is the reverse primer right?
 */
#ifndef CV_CHAT_ANSWER_H
#define CV_CHAT_ANSWER_H

#include "chat/chat.h"
#include "kit/shape.h"

typedef struct {
    cv_str id, from, type, at, reply_to, flag, on_behalf_of, body;
    cv_str *tags;
    size_t tag_count;
    bool verified; /* it is certain that a person sent it */
    bool mine;     /* for pages */
} cv_chat_shown;

typedef struct {
    cv_chat_shown *items;
    size_t count, capacity;
} cv_chat_tellings;

extern const cv_shape cv_chat_message_shape[];

void cv_chat_tell(cv_arena *a, cv_chat_tellings *list, const cv_chat_message *m);
void cv_chat_tell_row(cv_arena *a, cv_chat_tellings *list, const cv_chat_message_row *m);

/* The messages as a page; `width` 0: nothing is broken. */
void cv_chat_page(cv_buf *out, const cv_chat_tellings *list, size_t width);

/* "chat 261116_1723 (OPEN): primers for gene X" and who takes part. */
void cv_chat_page_head(cv_buf *out, cv_str id, const cv_chat_header *header);

/* Warnings, below a page. */
void cv_chat_page_warnings(cv_buf *out, const cv_notices *warnings, size_t width);

/* ---- who speaks -------------------------------------------------------------------------------------------------- */

/* The participant that `field` of the request names, Role@Identity or the identity alone, or that the caller is. False:
 * call->errs says why not. */
bool cv_chat_person(cv_call *call, const cv_chat_header *header, const char *field, cv_str *ret_who);

/* Is the caller allowed to speak as this participant? Its identity must be the caller's name, if the caller has one. */
bool cv_chat_may_speak(cv_call *call, const char *field, cv_str who);

/* Role@Identity, or a fault. */
bool cv_chat_person_form(cv_call *call, const char *field, cv_str who);

/* Nobody of these is called so: the error offers them, and the one that is nearest. */
void cv_chat_unknown(cv_err *err, cv_str who, cv_words people);

/* The tags of a request as they are written, "@A, @B"; each names somebody who takes part. */
bool cv_chat_tags(cv_call *call, const cv_chat_header *header, cv_str *ret_tags);

#endif
