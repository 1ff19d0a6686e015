/* search.h - words that are looked for across dialogues, and what is found.
 *
 * Things that can be found have a kind, the letter of events: P R T E C, D dialogue, O round, S response, V verdict; a
 * title and a body:
 *
 *     P R T E C   label             content
 *     D           title             question, texts of the background
 *     O           title             summary
 *     S                             the response
 *     V           recommendation    description, conditions
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
    cv_str id;   /* "MUFFIN-P0101": also the entity with this local id; display ids are words like others */
} cv_search_term;

typedef struct {
    const cv_search_term *terms; /* at most CV_MAX_QUERY_WORDS words in all */
    size_t count;
    bool any;           /* one of the terms suffices; excluded ones stay excluded */
    cv_str kinds;       /* letters; empty: all */
    cv_str dialogue_id; /* empty: all */
    cv_str without;     /* JSON list of dialogue ids; empty: none */
    cv_str statuses;    /* JSON list; a verdict's is its type; empty: all */
    cv_str expert;      /* slug of a contributor, author or supporter; empty: all */
    size_t limit, offset;
} cv_search_query;

/* Where a term is met: bytes of the title or the body. */
typedef struct {
    size_t start, end;
    size_t term;
} cv_search_mark;

typedef struct {
    cv_search_mark *items; /* by their ends; they may overlap */
    size_t count, capacity;
} cv_search_marks;

typedef struct {
    cv_str dialogue_id, dialogue_title;
    char kind;
    int64_t round; /* 0 for a dialogue */
    int64_t seq;   /* entities: their number in the round */
    cv_str name;   /* the expert of a response, the id of a verdict */
    cv_str title, body;
    cv_str status; /* absent for a response */
    cv_str people; /* JSON list of slugs */
    double score;  /* above 0, higher is better; comparable within one answer only */
    cv_search_marks in_title, in_body;
} cv_search_hit;

/* Called for every hit, best first; it lives until the call returns. */
typedef bool (*cv_search_visit)(void *ctx, const cv_search_hit *hit, cv_err *err);

#endif
