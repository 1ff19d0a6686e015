/* words.h - texts and queries as FTS5's tokenizer sees them.
 *
 *     "income collar" -tax   ->   ("income collar") NOT ("tax")     an expression in which every word is quoted
 *     "漢字 and 12"          ->   "漢 字 and 12"                     characters of scripts without spaces are alone
 *     text, terms            ->   marks                             where in a text a query's terms are met
 *
 * The expression never holds anything of the user's outside of quotes, so no input is a syntax error. Prefixes are
 * compared with stems, which may be shorter than the prefix itself (operat* and the stem oper of "operation"): the
 * beginnings of a prefix count as met, down to half of it.
 */
#ifndef CV_RECORD_SQLITE_WORDS_H
#define CV_RECORD_SQLITE_WORDS_H

#include <sqlite3.h>

#include "base/buf.h"
#include "record/search.h"

/* The SQL function spaced(text), for one connection. */
bool cv_sqlite_words_define(sqlite3 *db);

/* The query as an FTS5 expression; empty when nothing is looked for. */
cv_str cv_sqlite_expression(cv_arena *a, const cv_search_words *query);

/* What a term is met by, one of these: a phrase; the last word of one with `prefix` may go on; with `id` it is a word
 * of the ids alone. */
typedef struct {
    cv_str text;
    bool prefix, id;
} cv_sqlite_alternative;

typedef struct {
    cv_sqlite_alternative *items;
    size_t count, capacity;
} cv_sqlite_alternatives;

void cv_sqlite_alternatives_of(cv_arena *a, const cv_search_term *term, cv_sqlite_alternatives *ret);

/* The tokenizer of search_index (sql/sqlite/001_record.sql), for marks. */
typedef struct {
    fts5_tokenizer calls;
    Fts5Tokenizer *handle;
} cv_sqlite_tokenizer;

bool cv_sqlite_tokenizer_open(fts5_api *api, cv_sqlite_tokenizer *ret_tokenizer);
void cv_sqlite_tokenizer_close(cv_sqlite_tokenizer *tokenizer);

/* Calls `visit` for every word of a text as the index has it: its stem. A text for the index is spaced before. */
typedef void (*cv_sqlite_see_word)(void *ctx, cv_str stem);
void cv_sqlite_words_of(cv_sqlite_tokenizer *t, cv_str text, cv_sqlite_see_word see, void *ctx);

/* The stems of the terms that are looked for. */
typedef struct cv_sqlite_pattern cv_sqlite_pattern;
typedef struct {
    cv_sqlite_pattern *items;
    size_t count, capacity;
} cv_sqlite_patterns;

void cv_sqlite_patterns_of(cv_sqlite_tokenizer *t, cv_arena *a, const cv_search_words *query,
                           cv_sqlite_patterns *ret_patterns);

/* Where they are met in `text`: the first CV_MAX_MARKS of them. */
void cv_sqlite_marks(cv_sqlite_tokenizer *t, cv_arena *a, const cv_sqlite_patterns *patterns, cv_str text,
                     cv_search_marks *ret_marks);

#endif
