/* traces.h - where a text is, apart from its own place: in rows, answers, events and files.
 *
 * A text is written in several ways: as it is, inside of a JSON string, inside of JSON that is in a JSON string
 * again. A text of at least CV_TRACE_SHORT bytes is found anywhere in another one; a shorter one would be found
 * everywhere, so it counts only where it is a whole text. What is around it (white space at its ends) does not
 * count. A line of it that is as long is a part of it.
 */
#ifndef CV_PROJECT_TRACES_H
#define CV_PROJECT_TRACES_H

#include "record/type.h"

enum {
    CV_TRACE_SHORT = 16, /* bytes: shorter words are in many texts by chance */
    CV_TRACE_LINES = 256 /* parts that are looked for: the longest */
};

typedef struct {
    cv_str forms[3]; /* as it is, in a JSON string, in JSON in a JSON string; equal ones once */
    size_t form_count;
} cv_trace_text;

typedef struct {
    bool is_json; /* the text is a JSON value */
    cv_trace_text whole;
    cv_trace_text *lines; /* and the texts of a JSON value */
    size_t line_count;
    cv_str *all; /* every line, the longest first: short ones and those above the ceiling, too */
    size_t all_count;
} cv_trace;

cv_trace cv_trace_of(cv_arena *a, const cv_type_field *field, cv_str text);

bool cv_trace_in(const cv_trace *t, cv_str bytes);      /* the whole text */
bool cv_trace_part_in(const cv_trace *t, cv_str bytes); /* the text, or a line of it */
bool cv_trace_has(const cv_trace *t, cv_str text);      /* `text`, which is long, is a part of it */

/* `bytes` with a mark in the place of the text and of its lines; the same view when they are not there. Where all of it
 * is the text, or a whole JSON value is, the mark is `whole` (hash.h), else "redacted-sha256-…": words that can be in
 * any text and in any string of JSON. */
cv_str cv_trace_replaced(cv_arena *a, const cv_trace *t, cv_str bytes, cv_str whole);

/* Lines of the text are in `bytes`, and not as the whole text: so those that are not looked for may be there, too. */
bool cv_trace_lines_in(cv_arena *a, const cv_trace *t, cv_str bytes);

#endif
