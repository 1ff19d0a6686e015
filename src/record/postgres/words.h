/* words.h - texts as tsvectors and queries as tsqueries, made of the words that every other store finds.
 *
 *     ids, title, body   ->  'k001':1A 'hedg':3B,7 'incom':4B      words in their order; columns are parted by a gap
 *     "income collar"    ->  'incom' <-> 'collar' | MARK & 'incom' & 'collar'
 *     -tax               ->  & !'tax'
 *
 * The server's limits make no difference to what is found, only to who decides it:
 *
 *     a word above LONGEST bytes                  is as its beginning and its hash
 *     a position above 16383, a word 256 times    the text is marked UNPLACED: for a phrase all its words suffice
 *     a megabyte of words                         the text is marked CUT: it is always brought
 *
 * What is brought of a marked text, or by an inexact query, is decided by cv_postgres_meets(), which looks into the
 * text itself.
 */
#ifndef CV_RECORD_POSTGRES_WORDS_H
#define CV_RECORD_POSTGRES_WORDS_H

#include "record/search_index.h"
#include "record/sqlite/words.h"

/* The words of a text, to be cast to tsvector: ids weigh A, those of the title B, those of the body D. */
cv_str cv_postgres_words(cv_sqlite_tokenizer *t, cv_arena *a, const cv_search_entry *e);

typedef struct cv_postgres_phrase cv_postgres_phrase;

/* A query; all texts are to be cast to tsquery. */
typedef struct {
    cv_str query;    /* what is brought: all that is wanted, and little else */
    bool is_inexact; /* what is brought must be looked into, even where the text is not marked */
    cv_str ids;      /* a wanted word in the ids; absent: there is none */
    cv_str *ranked;  /* each wanted term: its words */
    size_t ranked_count;

    const cv_search_words *words;
    struct {
        cv_postgres_phrase *items;
        size_t count, capacity;
    } phrases;
    size_t longest; /* words of one */
} cv_postgres_question;

extern const cv_str cv_postgres_marked; /* a tsquery: is the text marked? */

/* False: nothing can be found. */
bool cv_postgres_question_of(cv_sqlite_tokenizer *t, cv_arena *a, const cv_search_words *words,
                             cv_postgres_question *ret);

/* Is it met by this text? Exactly as FTS5 would say. */
bool cv_postgres_meets(cv_sqlite_tokenizer *t, const cv_postgres_question *q, const cv_search_entry *e);

#endif
