/* parts.h - the pieces that a document is put together from: cells, texts, marks.
 *
 *     what the record holds         as the document keeps it
 *     " a label\nin two lines"      "a label in two lines"
 *     an absent score               "—"
 *     a text with an open fence     the same, closed
 *     "so [RE:OPPOSE P0001] it is"  "so \[RE:OPPOSE P0001] it is": only our own marks are marks
 *
 * A document of such pieces is canonical: what is written is read back as the same document (dialogue/text/doc.h).
 */
#ifndef CV_DIALOGUE_TRANSCRIPT_PARTS_H
#define CV_DIALOGUE_TRANSCRIPT_PARTS_H

#include "dialogue/text/doc.h"
#include "dialogue/types.h"

/* A table that grows row by row: the first one is its header. A row is ended by cv_part_row(). */
typedef struct {
    cv_arena *a;
    cv_table *table;
    cv_texts cells;
} cv_part_table;

cv_part_table cv_part_table_begin(cv_arena *a);
void cv_part_cell(cv_part_table *t, cv_str text);        /* absent or blank: a dash */
void cv_part_number(cv_part_table *t, int64_t number);   /* CV_ABSENT: a dash */
void cv_part_cells(cv_part_table *t, const char *names); /* "ID|Tension|Status": those of a header */
void cv_part_row(cv_part_table *t);

/* The table as a block, in the sections that are about one; or as text, anywhere else. */
void cv_part_add_table(cv_part_table *t, cv_blocks *into);
void cv_part_add_table_text(cv_part_table *t, cv_blocks *into);

/* A text of the record, quoted; one of ours, as it is. Blank texts add nothing. */
void cv_part_add_text(cv_arena *a, cv_blocks *into, cv_str text);
void cv_part_add_own(cv_arena *a, cv_blocks *into, cv_str text);
cv_str cv_part_text(cv_arena *a, cv_str text);

/* A mark to be filled in further, of the classic style; `sub` is its cv_ref, cv_move or cv_verdict, or -1. */
cv_mark *cv_part_add_mark(cv_arena *a, cv_blocks *into, cv_mark_type type, int sub);

cv_section *cv_part_add_section(cv_arena *a, cv_doc *doc, cv_section_kind kind);

/* "key: value" in the head; blank values add nothing. False: it cannot be said in one line. */
bool cv_part_add_meta(cv_arena *a, cv_doc *doc, const char *key, cv_str value);

/* "resolved" is "Resolved", "tensions_resolved" is "Tensions resolved". */
cv_str cv_part_title(cv_arena *a, cv_str word);

/* A stored list as "T0001, T0002"; empty when there is none. */
cv_str cv_part_list(cv_arena *a, cv_str json, const char *between);

/* "a, b": `more` behind `text`, with `between` when there is something before. */
cv_str cv_part_join(cv_arena *a, cv_str text, const char *between, cv_str more);

#endif
