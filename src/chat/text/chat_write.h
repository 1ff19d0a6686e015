/* chat_write.h - what is written into a chat file: headers, messages, and changes of a few bytes.
 *
 *     cv_chat_message_print(out, 7, &draft)     [M0007] FROM:… | TYPE:… | FLAG:UNREAD | TAG:@A, @B | AT:… | RE:M0003
 *                                               the body, a line break at the end
 *     cv_chat_edit_*                            a change of some bytes; all others stay
 *
 * A line of a body that somebody could take for a head or for a line of the header gets one blank in front of it, so
 * that neither this reader nor a hand with grep and sed is misled. Written are LF and no byte order mark.
 */
#ifndef CV_CHAT_TEXT_CHAT_WRITE_H
#define CV_CHAT_TEXT_CHAT_WRITE_H

#include "base/buf.h"
#include "chat/text/chat_file.h"

/* A message that has no number yet. */
typedef struct {
    cv_str from, type, tags, at, behalf; /* tags: "@A, @B"; those that are empty are left out */
    int64_t re;                          /* 0: none */
    cv_str body;
} cv_chat_draft;

void cv_chat_message_print(cv_buf *out, int64_t number, const cv_chat_draft *draft);

void cv_chat_header_print(cv_buf *out, cv_str id, cv_str purpose, const cv_str *people, size_t count);

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* `n` bytes at `at` become `with`. */
typedef struct {
    size_t at, n;
    cv_str with;
} cv_chat_edit;

typedef struct {
    cv_chat_edit *items; /* in the order of their places, without overlap */
    size_t count, capacity;
} cv_chat_edits;

/* Keeps them in order; two at one place stay in the order in which they came. */
void cv_chat_edit_add(cv_chat_edits *edits, cv_arena *a, size_t at, size_t n, cv_str with);

/* `part` of `text`, a view into it, becomes `with`. */
void cv_chat_edit_view(cv_chat_edits *edits, cv_arena *a, cv_str text, cv_str part, cv_str with);

/* Where a byte that was at `at` is afterwards: after what was put there. */
size_t cv_chat_edit_moved(const cv_chat_edits *edits, size_t at);

cv_str cv_chat_edit_apply(cv_arena *a, const cv_chat_edits *edits, cv_str text);

#endif
