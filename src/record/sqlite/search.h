/* search.h - one use of the search index in SQLite. */
#ifndef CV_RECORD_SQLITE_SEARCH_H
#define CV_RECORD_SQLITE_SEARCH_H

#include "record/search_index.h"
#include "record/sqlite/engine.h"

typedef struct {
    cv_search_index base;
    cv_sqlite_record *r;
    cv_scope_id scope; /* whose number is known */
    int64_t number;

    /* A question: */
    const cv_word_query *query;
    cv_search_words words; /* the terms alone, for the tokenizer */
    cv_sqlite_patterns patterns;
    cv_arena scratch; /* for one hit */
    cv_word_visit visit;
    void *ctx;
    bool stopped; /* the visitor's error is the answer */
} cv_sqlite_search;

cv_sqlite_search cv_sqlite_search_of(cv_sqlite_record *r);

/* The words of the index against the texts (search_check.c). */
bool cv_sqlite_check_words(cv_search_index *base, cv_arena *a, cv_err *err);

#endif
