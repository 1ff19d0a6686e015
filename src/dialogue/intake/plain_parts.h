/* plain_parts.h - what the files of plain.h share: the lines of a response while it is read. */
#ifndef CV_DIALOGUE_INTAKE_PLAIN_PARTS_H
#define CV_DIALOGUE_INTAKE_PLAIN_PARTS_H

#include "dialogue/intake/opening.h"
#include "dialogue/intake/plain.h"

typedef struct {
    cv_str text;  /* without its end */
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
    size_t at;       /* the row that is put */
    bool sections;   /* one has begun: keys in bold are text from here on */
    bool below_mark; /* what is put belongs to a mark */
} cv_plain_reader;

void cv_plain_tell(cv_plain_reader *r, cv_diagnosis_severity severity, cv_str type, size_t first, size_t last,
                   cv_str message, cv_str suggestion);
cv_str cv_plain_row_text(const cv_plain_reader *r, size_t i);

static inline cv_opening_reader cv_plain_opening(const cv_plain_reader *r)
{
    return (cv_opening_reader){r->who, &r->made};
}

bool cv_plain_opens(const cv_plain_reader *r, cv_str s, cv_opening *ret);
bool cv_plain_made(const cv_plain_reader *r, cv_str id);            /* some row makes it */
bool cv_plain_made_short(const cv_plain_reader *r, cv_str written); /* … T08 */
bool cv_plain_is_row(const cv_plain_reader *r, size_t i);

/* A piece of the source; something that stands for one; the end of a line; a row with the marks in it. */
void cv_plain_put_source(cv_plain_reader *r, cv_str s);
void cv_plain_put_text(cv_plain_reader *r, cv_str text, cv_str source);
void cv_plain_put_line_end(cv_plain_reader *r, cv_str source);
void cv_plain_put_row(cv_plain_reader *r, cv_str s);
cv_str cv_plain_bracketed(cv_plain_reader *r, const cv_opening *st); /* the mark in its one spelling */

/* plain_frame.c: what a client put around the answer, and its common indent. */
void cv_plain_frame(cv_plain_reader *r);
void cv_plain_tell_frame(cv_plain_reader *r, size_t first, size_t last);
cv_str cv_plain_tag(cv_str s, bool closing); /* the name of a tag that is all of `s`, or none */

/* plain_fence.c: the fences in it. `fence`: the row that opens one; does it say that prose follows? */
void cv_plain_fences(cv_plain_reader *r);
bool cv_plain_is_info(cv_str fence);

/* plain_table.c: rows from r->at to `end`. */
bool cv_plain_is_table_row(const cv_plain_reader *r, size_t i);
bool cv_plain_table_has_marks(const cv_plain_reader *r, size_t first, size_t end);
void cv_plain_put_table(cv_plain_reader *r, size_t end);

#endif
