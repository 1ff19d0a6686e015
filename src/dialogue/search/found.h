/* found.h - hits of a search as operations answer them.
 *
 * Things that can be found have a kind, the letter of events: P R T E C, D dialogue, O round, S response, N position, V
 * verdict; a title and a body:
 *
 *     P R T E C   label             content
 *     D           title             question, texts of the background
 *     O           title             summary
 *     S                             the response
 *     N                             what is under no mark in it
 *     V           recommendation    description, conditions
 *
 * Letters become words, keys become ids, bodies become snippets. Both search and similar ask through here, so that a
 * hit looks the same wherever it is shown.
 */
#ifndef CV_DIALOGUE_SEARCH_FOUND_H
#define CV_DIALOGUE_SEARCH_FOUND_H

#include "dialogue/notices.h"
#include "dialogue/state.h"
#include "kit/query.h"
#include "kit/room.h"

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

typedef struct {
    cv_str dialogue_id, dialogue_title;
    char letter;
    cv_str kind;    /* "tension", "response" */
    cv_str id;      /* "T0001"; of a dialogue its id, of a round its number, of a response or position its expert */
    int64_t round;  /* CV_ABSENT for a dialogue */
    cv_str label;   /* may be empty */
    cv_str status;  /* may be absent */
    cv_str experts; /* JSON list */
    double score;
    cv_str score_text; /* … as it is shown */
    uint64_t terms;    /* one bit for each term of the query that is met */
    cv_str snippet;
    cv_str correction; /* JSON; absent: the text is as it was registered */
} cv_found;

typedef struct {
    cv_found *items;
    size_t count, capacity;
    size_t behind; /* commits that the search could not see */
} cv_founds;

/* Runs a query; its hits, the best first. */
bool cv_found_search(cv_call *call, const cv_search_query *query, cv_founds *ret_founds, cv_err *err);

/* Which texts are not those of their experts any more: all items in one look. */
bool cv_found_corrections(cv_call *call, cv_founds *founds, cv_err *err);
bool cv_found_corrected(cv_call *call, cv_room_hit *hits, size_t count, cv_err *err); /* of a search in all rooms */

/* The letters of kinds that are given as words or letters, for a query. */
cv_str cv_found_letters(cv_arena *a, const cv_json *kinds);

/* A score as it is shown, short: a number of JSON. */
cv_str cv_found_score(cv_arena *a, double score);

#endif
