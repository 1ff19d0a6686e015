/* plain.h - text as it may be shown: without control characters, measured in columns.
 *
 * A tab becomes a blank, every other control character (and those that turn the direction of writing) a question mark:
 * no text can steer a terminal or leave its cell. A byte that is not UTF-8 becomes U+FFFD. Columns are those of a
 * terminal: wide characters take two.
 */
#ifndef CV_BASE_PLAIN_H
#define CV_BASE_PLAIN_H

#include "base/buf.h"

/* Characters that steer a terminal: C0, DEL, C1, and what turns the direction of writing. */
bool cv_plain_is_control(uint32_t code);

void cv_plain_add(cv_buf *out, cv_str s);

/* What flows to a terminal in pieces, made harmless on its way to another sink. In JSON such characters are in
 * strings only and are escaped (\\u009b): it stays the same JSON. In a document they become question marks, except line
 * breaks and tabs. */
typedef struct {
    bool json;
    bool (*sink)(void *to, cv_str bytes);
    void *to;
    char held[4]; /* the beginning of a character whose end has not come yet */
    size_t held_count;
} cv_plain_flow;
bool cv_plain_sink(void *flow, cv_str bytes);
size_t cv_plain_width(cv_str s);

/* The longest beginning of `s` that takes at most `columns`. */
cv_str cv_plain_fit(cv_str s, size_t columns);

/* May a line end before this byte: at a blank, and between characters of scripts that are written without spaces? */
bool cv_plain_may_break(cv_str text, size_t at);

/* Text that begins in column `at` (from 0), broken before column `width` where a line may end; the next lines begin in
 * column `hang`. A word that is longer than a line stays whole: the terminal breaks it, and a path can be copied. */
void cv_plain_wrap(cv_buf *out, cv_str text, size_t width, size_t at, size_t hang);

/* Paint: what the text between such a mark and CV_PAINT_END is. Pages for people may have marks where the caller has
 * colours (kit/call.h); the door makes colours of them. They are control characters, so text that was made plain has
 * none, and they take no column. */
#define CV_PAINT_BOLD "\x01"
#define CV_PAINT_STATUS "\x02" /* a status, in the colour that the rooms give it */
#define CV_PAINT_DIM "\x03"
#define CV_PAINT_COLOUR "\x04" /* six hex digits, in the colour that they are */
#define CV_PAINT_END "\x05"

static inline bool cv_plain_is_paint(char c)
{
    return c >= CV_PAINT_BOLD[0] && c <= CV_PAINT_END[0];
}

#endif
