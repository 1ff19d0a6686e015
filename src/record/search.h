/* search.h - words that are looked for in all rooms, and where they are met.
 *
 * Things that can be found have a kind, an id, a title and a body, as their record type says (type.h).
 *
 * Words meet when their stems do, without regard to case and marks ("hedging", "Hedges"). Scripts that are written
 * without spaces are compared by the character. How an engine keeps its index is its own business; it never makes a
 * write slower, and an engine that cannot bring it up to date says by how much it lags.
 */
#ifndef CV_RECORD_SEARCH_H
#define CV_RECORD_SEARCH_H

#include "base/err.h"

typedef struct {
    cv_str text; /* a word; several are a phrase */
    bool prefix; /* the last word may go on */
    bool exclude;
    bool either; /* an alternative to the term before it */
    cv_str id;   /* "MUFFIN-P0101": also what has this as another id; ids themselves are words like others */
} cv_search_term;

/* Terms of one query. */
typedef struct {
    const cv_search_term *terms; /* at most CV_MAX_QUERY_WORDS words in all */
    size_t count;
    bool any; /* one of the terms suffices; excluded ones stay excluded */
} cv_search_words;

/* Where a term is met: bytes of the title or the body. */
typedef struct {
    size_t start, end;
    size_t term;
} cv_search_mark;

typedef struct {
    cv_search_mark *items; /* by their ends; they may overlap */
    size_t count, capacity;
} cv_search_marks;

#endif
