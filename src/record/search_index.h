/* search_index.h - the search index of an engine: made from the record, brought up to date from the feed.
 *
 *     commits behind the reader's position -> rows that they wrote -> what a search sees of each -> things
 *     things: what the index has (read) and is to have (write), a page of them at a time
 *
 * So a search pays for the index, and a write does not. What is in the index is kept as text beside its words, so a
 * text that changes is taken back and entered again. Several processes may do this at once: the position in the feed
 * moves in the transaction that indexes. Where the store cannot be written, the search runs on what is indexed and
 * says how many commits are behind. The index is made from the record alone; one that is damaged is made again from
 * nothing.
 *
 * What is the same for every engine is here; an engine gives the calls below.
 */
#ifndef CV_RECORD_SEARCH_INDEX_H
#define CV_RECORD_SEARCH_INDEX_H

#include "record/record.h"

#define CV_SEARCH_READER CV_STR("search") /* of the feed */

/* How long a search waits for others before it answers with what is indexed. */
enum { CV_SEARCH_WAIT_MS = 500 };

/* What the index has, or is to have, of one thing. Ids are letters, digits and spaces. */
typedef struct {
    cv_str ids, more_ids, title, body;
    cv_str status; /* absent: it has none */
    cv_str people;
} cv_search_entry;

typedef struct {
    cv_scope_id scope;
    cv_str kind, id;
    int64_t number; /* of what the index has, as the engine counts; 0: it has nothing */
    cv_search_entry old, now;
} cv_search_thing;

typedef struct cv_search_index cv_search_index;

/* Called for each text of a scope that the index has. */
typedef bool (*cv_search_visit)(void *ctx, cv_str kind, cv_str id, const cv_search_entry *entry, cv_err *err);

typedef struct {
    /* A transaction that indexes: alone. With x->soon it waits CV_SEARCH_WAIT_MS at most. */
    bool (*begin)(cv_search_index *x, cv_err *err);
    bool (*end)(cv_search_index *x, bool ok, cv_err *err);
    /* `number` and `old` of each; then what is `now`, of those that differ. x->damaged: the index is, not the record.
     */
    bool (*read)(cv_search_index *x, cv_arena *a, cv_search_thing *things, size_t count, cv_err *err);
    bool (*write)(cv_search_index *x, cv_arena *a, const cv_search_thing *things, size_t count, cv_err *err);
    /* Everything goes, the reader's position too. */
    bool (*clear)(cv_search_index *x, cv_err *err);
    /* Is there something to be taken from the feed? NULL: the feed is asked. */
    bool (*is_behind)(cv_search_index *x);
    /* The hits of one moment, and how many commits are behind it. */
    bool (*ask)(cv_search_index *x, cv_arena *a, size_t *ret_behind, cv_err *err);

    /* For the check, all of one moment: the rev of a scope at this position of the feed; the texts of a scope in the
     * order of kind and id; are the words those of the texts? */
    bool (*seen_rev)(cv_search_index *x, cv_scope_id scope, cv_str position, int64_t *ret_rev, cv_err *err);
    bool (*texts_of)(cv_search_index *x, cv_scope_id scope, cv_search_visit visit, void *ctx, cv_err *err);
    bool (*check_words)(cv_search_index *x, cv_arena *a, cv_err *err);
} cv_search_calls;

/* Engines put this first in a struct of their own. */
struct cv_search_index {
    cv_record *record;
    const cv_search_calls *calls;
    cv_str place; /* of the store, for people */
    bool soon;
    bool damaged;
    bool visited; /* somebody has seen a hit: it is too late to begin again */
};

/* The index is brought up to date, as far as that can be done soon, and asked. */
bool cv_search_run(cv_search_index *x, cv_arena *a, size_t *ret_behind, cv_err *err);

/* From nothing again. */
bool cv_search_make_again(cv_search_index *x, cv_arena *a, cv_err *err);

/* One row as it is now, in the transaction that is open. */
bool cv_search_take_row(cv_search_index *x, cv_scope_id scope, const cv_type *type, const void *row, cv_err *err);

/* Does the index have what the rows say that it has seen? In the moment that the engine has begun. */
bool cv_search_check(cv_search_index *x, cv_arena *a, cv_err *err);
/* It does not. Always false. */
bool cv_search_disagrees(const cv_search_index *x, cv_str what, cv_err *err);

bool cv_search_same_words(const cv_search_entry *x, const cv_search_entry *y);
cv_str cv_search_copy(cv_arena *a, cv_str text); /* absent stays absent, empty stays empty */

/* What is shown of a hit, however it was found. */
static inline cv_str cv_search_text_or_empty(cv_str text)
{
    return text.p ? text : CV_STR("");
}

#endif
