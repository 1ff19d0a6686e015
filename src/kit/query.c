/* query.c - what a person types, as terms to look for; see query.h. */
#include "kit/query.h"

#include <assert.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/utf8.h"

/* ---- words --------------------------------------------------------------------------------------- */

/* From the first word of `text` to its last, at most `most` of them. */
static cv_str words_only(cv_str text, size_t most, size_t *ret_kept, size_t *ret_left_out)
{
    cv_str rest = text, word, kept = {text.p, 0};
    bool alone;
    *ret_kept = *ret_left_out = 0;
    while (cv_utf8_next_word(&rest, &word, &alone)) {
        if (*ret_kept == most) {
            ++*ret_left_out;
            continue;
        }
        kept = cv_str_range(*ret_kept ? kept.p : word.p, cv_str_end(word));
        ++*ret_kept;
    }
    return kept;
}

/* ---- terms --------------------------------------------------------------------------------------- */

/* What was said before a term. */
typedef struct {
    bool exclude, either;
} manner;

/* Words with something other than letters and digits between them. */
cv_str cv_query_any_id(cv_arena *a, cv_str words)
{
    size_t joints = 0;
    (void)a;
    for (size_t i = 0; i < words.n; i++) {
        if ((unsigned char)words.p[i] <= ' ' || (unsigned char)words.p[i] >= 0x7f)
            return (cv_str){NULL, 0};
        joints += !cv_is_alnum(words.p[i]);
    }
    return joints > 0 && words.n <= CV_MAX_QUERY_ID ? words : (cv_str){NULL, 0};
}

static void add_term(cv_arena *a, cv_query *q, cv_str text, bool prefix, manner how)
{
    assert(q->words <= CV_MAX_QUERY_WORDS);
    size_t kept, left_out;
    cv_str words = words_only(text, CV_MAX_QUERY_WORDS - q->words, &kept, &left_out);
    q->words += kept;
    q->left_out += left_out;
    if (kept == 0)
        return;
    cv_search_term term = {.text = words,
                           .prefix = prefix && left_out == 0,
                           .exclude = how.exclude,
                           .either = how.either && !how.exclude && q->wanted > 0};
    term.id = q->id_of ? q->id_of(a, words) : (cv_str){NULL, 0};
    q->wanted += !term.exclude;
    *CV_PUSH(a, q) = term;
}

static bool is_gap(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f;
}

/* The piece up to the next gap or quote. */
static cv_str take_word(cv_str *rest)
{
    size_t n = 0;
    while (n < rest->n && !is_gap(rest->p[n]) && rest->p[n] != '"')
        n++;
    cv_str word = cv_str_head(*rest, n);
    *rest = cv_str_from(*rest, n);
    return word;
}

static void read_phrase(cv_arena *a, cv_query *q, cv_str *rest, manner how)
{
    assert(rest->n > 0 && rest->p[0] == '"');
    *rest = cv_str_from(*rest, 1);
    size_t end = cv_str_find_char(*rest, '"');
    cv_str phrase = cv_str_head(*rest, end);
    *rest = end == SIZE_MAX ? (cv_str){cv_str_end(*rest), 0} : cv_str_from(*rest, end + 1);
    add_term(a, q, phrase, rest->n > 0 && rest->p[0] == '*', how);
}

/* OR, AND and NOT are said in capitals; AND is meant anyway. */
static bool read_operator(cv_str word, manner *how)
{
    if (cv_str_eq(word, CV_STR("OR")))
        how->either = true;
    else if (cv_str_eq(word, CV_STR("NOT")))
        how->exclude = true;
    else
        return cv_str_eq(word, CV_STR("AND"));
    return true;
}

void cv_query_parse(cv_arena *a, cv_str text, cv_query_id id_of, cv_query *ret_query)
{
    *ret_query = (cv_query){.id_of = id_of};
    manner how = {0};
    while (text.n > 0) {
        char c = text.p[0];
        if (is_gap(c)) {
            text = cv_str_from(text, 1);
            continue;
        }
        if (c == '-') {
            text = cv_str_from(text, 1);
            how.exclude = text.n > 0 && !is_gap(text.p[0]);
            continue;
        }
        if (c == '"') {
            read_phrase(a, ret_query, &text, how);
        } else {
            cv_str word = take_word(&text);
            if (read_operator(word, &how))
                continue;
            add_term(a, ret_query, word, word.n > 0 && word.p[word.n - 1] == '*', how);
        }
        how = (manner){0};
    }
}

/* ---- questions ----------------------------------------------------------------------------------- */

/* Words that questions are full of, in the languages that most of them are asked in. */
static const char empty_words[] =
    "a about above after again all also am an and any are as at be because been before being below between both but by "
    "can could did do does doing down during each few for from further had has have having he her here hers him his "
    "how i if in into is it its itself just like me more most my no nor not now of off on once only or other our ours "
    "out over own same she should so some such than that the their theirs them then there these they this those "
    "through to too under until up us very was we were what when where which while who whom why will with would you "
    "your yours "
    "aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine einem einen einer eines "
    "er es für hat haben ich ihr im in ist ja kann man mit nach nicht noch nur oder ob sein sich sie sind so soll "
    "sollen sollte sollten um und uns vom von vor war was wenn wer werden wie wir wird wo zu zum zur über "
    "au aux avec ce ces cette dans de des du elle en est et faut il ils je la le les leur lui mais ne nous on ou où "
    "par pas plus pour qu que quel quelle qui sa se ses son sont sur un une vous y "
    "al como con cual cuál de del el ella en es esta este la las lo los más no nos o para pero por qué que se ser si "
    "sin son su sus un una y";

static void note_empty_words(cv_arena *a, cv_map *ret_map)
{
    cv_str rest = CV_STR(empty_words), word;
    while (cv_str_split(&rest, ' ', &word))
        *cv_map_put(ret_map, a, word, NULL) = 1;
}

/* Is it new? Words are told apart without regard to ASCII case. */
static bool is_new(cv_arena *a, cv_map *seen, cv_str word)
{
    bool fresh;
    cv_map_put(seen, a, cv_arena_lower(a, word), &fresh);
    return fresh;
}

static void add_question_word(cv_arena *a, cv_query *q, cv_map *seen, cv_str word, size_t words)
{
    if (!is_new(a, seen, word)) {
        q->empty++;
        return;
    }
    if (q->words + words > CV_MAX_QUERY_WORDS) {
        q->left_out++;
        return;
    }
    cv_search_term term = {.text = word, .either = q->wanted > 0};
    q->words += words;
    q->wanted++;
    *CV_PUSH(a, q) = term;
}

void cv_query_of_question(cv_arena *a, cv_str text, cv_query *ret_query)
{
    *ret_query = (cv_query){0};
    cv_map seen = {0};
    cv_str word, before = {0};
    bool alone, paired = false;
    note_empty_words(a, &seen);
    while (cv_utf8_next_word(&text, &word, &alone)) {
        bool touches = alone && before.p && cv_str_end(before) == word.p;
        if (touches)
            add_question_word(a, ret_query, &seen, cv_str_range(before.p, cv_str_end(word)), 2);
        else if (before.p && !paired)
            add_question_word(a, ret_query, &seen, before, 1);
        if (!alone && word.n > 1)
            add_question_word(a, ret_query, &seen, word, 1);
        else
            ret_query->empty += !alone;
        before = alone ? word : (cv_str){0};
        paired = touches;
    }
    if (before.p && !paired)
        add_question_word(a, ret_query, &seen, before, 1);
}

/* ---- printing ------------------------------------------------------------------------------------ */

cv_str cv_query_print(cv_arena *a, const cv_query *query)
{
    cv_buf out = {0};
    for (size_t i = 0; i < query->count; i++) {
        const cv_search_term *term = &query->items[i];
        bool quoted = false;
        for (size_t k = 0; k < term->text.n; k++)
            quoted = quoted || is_gap(term->text.p[k]);
        quoted = quoted || term->text.p[0] == '-' || read_operator(term->text, &(manner){0});
        cv_buf_add_z(&out, i == 0 ? "" : term->either ? " OR " : " ");
        cv_buf_add_z(&out, term->exclude ? "-" : "");
        cv_buf_add_z(&out, quoted ? "\"" : "");
        cv_buf_add(&out, term->text);
        cv_buf_add_z(&out, quoted ? "\"" : "");
        cv_buf_add_z(&out, term->prefix ? "*" : "");
    }
    return cv_buf_take(&out, a);
}

/* ---- what to tell --------------------------------------------------------------------------------- */

void cv_query_warn(cv_notices *warnings, cv_arena *a, const cv_query *query, size_t behind)
{
    if (query->wanted == 0)
        cv_notice_add(warnings, a, CV_STR("nothing_to_search"), "%s",
                      query->count   ? "all words are excluded: name one to search for"
                      : query->empty ? "the words are too common or too short to search for: name what it is about"
                                     : "there is no word to search for: use letters or digits");
    if (query->left_out > 0)
        cv_notice_add(warnings, a, CV_STR("query_shortened"),
                      "only the first %d words are searched; %zu more are left out", CV_MAX_QUERY_WORDS,
                      query->left_out);
    if (behind > 0)
        cv_notice_add(warnings, a, CV_STR("index_behind"),
                      "the record cannot be written now, so what %zu commit%s made was not searched", behind,
                      CV_PLURAL(behind));
}

cv_str cv_query_hit(cv_arena *a, cv_str kind, cv_str status)
{
    return status.n ? cv_arena_printf(a, "%.*s (%.*s)", CV_FMT(kind), CV_FMT(status)) : kind;
}

size_t cv_query_filters(cv_arena *a, const cv_json *input, const char *const *names, size_t count, cv_str *ret_given)
{
    size_t given = 0;
    for (size_t i = 0; i < count; i++)
        if (cv_json_get(input, cv_str_of(names[i])))
            ret_given[given++] = cv_arena_printf(a, "'%s'", names[i]);
    return given;
}

void cv_query_warn_filtered(cv_notices *warnings, cv_arena *a, const cv_str *filters, size_t filter_count,
                            const cv_str *hits, size_t hit_count)
{
    cv_str *kinds = CV_NEW_ARRAY(a, hit_count, cv_str);
    size_t count = 0;
    for (size_t i = 0; i < hit_count; i++)
        if (cv_words_find((cv_words){kinds, count}, hits[i]) < 0)
            kinds[count++] = hits[i];
    cv_notice_add(warnings, a, CV_STR("filtered_out"), "without %.*s there are hits: %.*s",
                  CV_FMT(cv_arena_list(a, filters, filter_count)), CV_FMT(cv_arena_list(a, kinds, count)));
}

static const cv_str match_words[] = {CV_STR_INIT("all"), CV_STR_INIT("any")};
const cv_words cv_match_words = {match_words, CV_COUNT(match_words)};

static const cv_str warning_words[] = {CV_STR_INIT("nothing_to_search"), CV_STR_INIT("query_shortened"),
                                       CV_STR_INIT("index_behind"), CV_STR_INIT("filtered_out")};
static const cv_words warning_types = {warning_words, CV_COUNT(warning_words)};

#define CV_THIS_TYPE cv_notice
const cv_shape cv_query_warning_shape[] = {
    CV_WORD(ALWAYS, "type", type, &warning_types, ""),
    CV_FIELD(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE
