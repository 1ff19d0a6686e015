/* unmarked.h - what a response says under no mark: prose before the first one, below headings, tables.
 *
 *     # Muffin (Round 1)                    says nothing: a name and a number
 *     I like rye.                           a piece: line 3
 *     [MUFFIN-P0101: Cheap]  …
 *     ## What would change my mind          a piece: lines 7 to 9
 *     A better price.
 *
 * Together they are the expert's position of the round. Headings are kept with it, unless they only name the expert,
 * the round or what marks are about.
 */
#ifndef CV_DIALOGUE_INTAKE_UNMARKED_H
#define CV_DIALOGUE_INTAKE_UNMARKED_H

#include "dialogue/intake/plain.h"
#include "dialogue/text/doc.h"

typedef struct {
    cv_str text;       /* without the escapes of the text */
    size_t line, last; /* in the text that was parsed */
    size_t paragraphs; /* with words in them, headings aside */
} cv_unmarked_piece;

typedef CV_STATE_LIST(cv_unmarked_piece) cv_unmarked_pieces;

/* In the order of the text. `in_round`: it is a part of a dialogue file, where headings of agents have a backslash. */
void cv_unmarked_find(const cv_speaker *who, const cv_doc *doc, bool in_round, cv_unmarked_pieces *ret_pieces);

/* Pieces one below the other, in the order of their lines; absent: there are none. */
cv_str cv_unmarked_join(cv_arena *a, cv_unmarked_pieces *pieces);

#endif
