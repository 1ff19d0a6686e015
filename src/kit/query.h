/* query.h - what a person types, as terms to look for.
 *
 *     income collar           both words, anywhere
 *     "phased entry"          a phrase: these words in this order
 *     hedg*                   words that begin so
 *     -tax  NOT tax           without this one
 *     call OR put             one of the two suffices
 *     MUFFIN-P0101            the thing with this id, and where it is mentioned
 *
 * Any bytes are a query: what has no letter or digit in it is skipped, an open quote ends with the text, everything
 * else is a word. Words beyond CV_MAX_QUERY_WORDS are counted and left out.
 */
#ifndef CV_KIT_QUERY_H
#define CV_KIT_QUERY_H

#include "kit/notice.h"
#include "record/search.h"

enum { CV_MAX_QUERY_ID = 128 }; /* bytes of what may be an id: far above those of any room */

/* The id that the words are, as rows have it; absent: they are none. */
typedef cv_str (*cv_query_id)(cv_arena *a, cv_str words);

typedef struct {
    cv_query_id id_of;     /* NULL: nothing is an id */
    cv_search_term *items; /* views into the text */
    size_t count, capacity;
    size_t words;    /* of all terms */
    size_t left_out; /* words beyond the ceiling */
    size_t wanted;   /* terms that are not excluded */
    size_t empty;    /* words of a question that say nothing, or are one letter: nobody looks for them */
} cv_query;

void cv_query_parse(cv_arena *a, cv_str text, cv_query_id id_of, cv_query *ret_query);

/* Where ids may be of any room: what has no blank in it and is more than one word, like "a-1" or "1/muffin". */
cv_str cv_query_any_id(cv_arena *a, cv_str words);

/* The words of a question, each once and without those that say nothing ("the", "und"); one of them suffices. Scripts
 * without spaces give pairs of characters. */
void cv_query_of_question(cv_arena *a, cv_str text, cv_query *ret_query);

/* The query as it was understood; parsing that gives the same terms. */
cv_str cv_query_print(cv_arena *a, const cv_query *query);

/* "all" of the words, or "any" of them. */
extern const cv_words cv_match_words;

/* Warns of what was left out of the query, and of commits that the index has not seen. */
void cv_query_warn(cv_notices *warnings, cv_arena *a, const cv_query *query, size_t behind);

/* "tension (open)": what a hit is, for the warning below; a status that is absent or empty is not named. */
cv_str cv_query_hit(cv_arena *a, cv_str kind, cv_str status);

/* Which of these filters does the request have? */
size_t cv_query_filters(cv_arena *a, const cv_json *input, const char *const *names, size_t count, cv_str *ret_given);

/* Warns that nothing was found with these filters, but these hits without them. */
void cv_query_warn_filtered(cv_notices *warnings, cv_arena *a, const cv_str *filters, size_t filter_count,
                            const cv_str *hits, size_t hit_count);

/* These warnings in an answer, kept as cv_notices in `member`. */
extern const cv_shape cv_query_warning_shape[];
#define CV_QUERY_WARNINGS(member) CV_LIST("warnings", member.items, member.count, cv_query_warning_shape, "")

#endif
