/* plain_parts.h - what the files of plain.h share: the lines of a response while it is read. */
#ifndef CV_DIALOGUE_INTAKE_PLAIN_PARTS_H
#define CV_DIALOGUE_INTAKE_PLAIN_PARTS_H

#include "dialogue/intake/opening.h"
#include "dialogue/intake/plain.h"

typedef struct {
    cv_str text;  /* without its end */
    size_t next;  /* where the next one begins in the source */
    bool dropped; /* not in the text */
    bool fenced;  /* code */
    bool mark;    /* it begins with a mark, seen from the outside */
    bool own;     /* … of the expert's own */
} cv_plain_row;

typedef struct {
    const cv_speaker *who;
    cv_plain *plain;
    CV_STATE_LIST(cv_plain_row) rows;
    size_t first, last; /* the answer, without its frame */
    cv_map made;
    cv_buf out;
    size_t at; /* the row that is put */
} cv_plain_reader;

void cv_plain_tell(cv_plain_reader *r, cv_fate fate, cv_str type, size_t first, size_t last, cv_str message,
                   cv_str suggestion);
cv_str cv_plain_row_text(const cv_plain_reader *r, size_t i);

static inline cv_opening_reader cv_plain_opening(const cv_plain_reader *r)
{
    return (cv_opening_reader){r->who, &r->made};
}

/* plain_frame.c: what a client put around the answer, its common indent, and the fences in it. */
void cv_plain_frame(cv_plain_reader *r);
void cv_plain_fences(cv_plain_reader *r);

#endif
