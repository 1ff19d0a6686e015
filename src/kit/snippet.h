/* snippet.h - the part of a text that shows why it was found.
 *
 *     … most of the ⟦supply⟧ comes from one island, and the ⟦supplier⟧ …
 *
 * The lines where the most different terms are met, on one line: white space is made one space, control characters go,
 * cuts are made between words where there are any, always between characters. The signs ⟦ and ⟧ are around hits and
 * nowhere else: where the text itself has them, the snippet has [ and ].
 */
#ifndef CV_KIT_SNIPPET_H
#define CV_KIT_SNIPPET_H

#include "record/search.h"

/* Bytes of the text that a snippet shows, about. */
enum { CV_SNIPPET = 240 };

/* Without marks: the beginning of the text. */
cv_str cv_snippet(cv_arena *a, cv_str text, const cv_search_marks *marks);

#endif
