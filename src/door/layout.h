/* layout.h - marked text as lines for a person: wrapped, in columns, painted where there are colours.
 *
 *     # Panel                             a line of its own, bold
 *       # expert <|> role <|> score       a table: lines with cells that are together; its head is bold
 *       muffin <|> Value Analyst <|> 32   columns line up, numbers are on the right
 *     A sentence that is longer           is broken at blanks and goes on below its beginning
 *     - an item                           … below its text
 *     <s>open</>, <b>T0001</>, <dim>…     a status in its colour, bold, faint
 *     2 message<+>, 1 task<+>             2 messages, 1 task
 *
 * Here the marks are control characters (below), which no text of the record has any more when it comes here, so none
 * can be mistaken for one. Nothing is ever cut: a cell that is too long is broken into lines, and a table that is too
 * wide for that becomes a list. A word that is longer than a line stays whole, and so does a command, so that they can
 * be copied. Several empty lines are one.
 */
#ifndef CV_DOOR_LAYOUT_H
#define CV_DOOR_LAYOUT_H

#include "base/buf.h"

#define CV_MARK_BREAK '\v'    /* a new line in a paragraph or a cell */
#define CV_MARK_CELL '\x1f'   /* between two cells */
#define CV_MARK_PLURAL '\x06' /* behind a noun: an "s", unless the number before it is 1 */

enum { CV_LAYOUT_LEAST = 20 };

void cv_layout_print(cv_buf *out, cv_arena *a, cv_str marked, size_t width, bool colour);

/* The colour of a word that is a status in some room; of six hex digits. NULL: none. */
const char *cv_layout_status(cv_arena *a, cv_str word);
const char *cv_layout_colour(cv_arena *a, cv_str digits);

/* Text that is in lines already, with those that are longer than `width` broken at blanks. */
cv_str cv_layout_wrapped(cv_arena *a, cv_str text, size_t width);

/* Text that is in lines already: its paint (base/plain.h) becomes colours; other control characters are made
 * harmless, except line breaks and tabs. */
cv_str cv_layout_painted(cv_arena *a, cv_str text);

#endif
