/* relevance.c - what concerns an expert who is new; see relevance.h. */
#include "dialogue/brief/relevance.h"

#include "base/utf8.h"

enum { LEAST_WORD = 4 }; /* bytes; shorter words say nothing about a field */

typedef struct {
    const cv_view *v;
    cv_relevance *r;
    bool *taken; /* by item */
} search;

/* Cuts the next word off. Where words are not spaced, each character and the next one are taken for a word. */
static bool next_word(cv_str *rest, cv_str *ret_word)
{
    bool alone;
    if (!cv_utf8_next_word(rest, ret_word, &alone))
        return false;
    cv_str after = *rest, second;
    if (alone && cv_utf8_next_word(&after, &second, &alone) && alone && second.p == rest->p)
        *ret_word = cv_str_range(ret_word->p, cv_str_end(second));
    return true;
}

static void take_subject(search *x, uint32_t item)
{
    if (item == CV_NO_ITEM || x->taken[item])
        return;
    x->taken[item] = true;
    *CV_PUSH(x->v->a, &x->r->subjects) = item;
}

static void take_named(search *x, cv_str text)
{
    cv_str word;
    while (next_word(&text, &word))
        take_subject(x, cv_view_find(x->v, word));
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void learn_words(const cv_view *v, cv_str text, cv_map *words)
{
    cv_str word;
    while (next_word(&text, &word))
        if (word.n >= LEAST_WORD)
            cv_map_put(words, v->a, cv_arena_lower(v->a, word), NULL);
}

static bool shares_word(const cv_view *v, cv_str label, const cv_map *words)
{
    cv_str word;
    while (next_word(&label, &word))
        if (word.n >= LEAST_WORD && cv_map_get(words, cv_arena_lower(v->a, word)))
            return true;
    return false;
}

/* Tensions first, each in the order of the items. */
static void take_matching(search *x, const cv_map *words)
{
    const cv_view *v = x->v;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < v->items.count; i++)
            if ((v->items.items[i].kind == CV_KIND_TENSION) == (pass == 0) &&
                shares_word(v, v->items.items[i].row->label, words))
                take_subject(x, i);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void take_open(search *x)
{
    for (uint32_t i = 0; i < x->v->items.count; i++)
        if (x->v->items.items[i].kind == CV_KIND_TENSION && cv_view_is_open(&x->v->items.items[i]))
            take_subject(x, i);
}

static void mark_related(search *x, bool *related)
{
    const cv_view *v = x->v;
    for (size_t i = 0; i < x->r->subjects.count; i++) {
        uint32_t item = x->r->subjects.items[i];
        for (const uint32_t *k = cv_group_begin(&v->ties_to, item); k < cv_group_end(&v->ties_to, item); k++)
            if (v->ties.items[*k].from != CV_NO_ITEM)
                related[v->ties.items[*k].from] = true;
        for (const uint32_t *k = cv_group_begin(&v->ties_from, item); k < cv_group_end(&v->ties_from, item); k++)
            if (v->ties.items[*k].to != CV_NO_ITEM)
                related[v->ties.items[*k].to] = true;
    }
}

void cv_relevance_find(const cv_view *v, const cv_view_member *member, cv_relevance *r)
{
    *r = (cv_relevance){.why = CV_RELEVANT_NAMED};
    search x = {v, r, CV_NEW_ARRAY(v->a, v->items.count, bool)};
    take_named(&x, member->expert->creation_reason);
    take_named(&x, member->focus);
    if (r->subjects.count == 0) {
        cv_map words = {0};
        learn_words(v, member->expert->role, &words);
        learn_words(v, member->focus, &words);
        take_matching(&x, &words);
        r->why = CV_RELEVANT_BY_WORDS;
    }
    if (r->subjects.count == 0) {
        take_open(&x);
        r->why = CV_RELEVANT_OPEN;
    }
    bool *related = CV_NEW_ARRAY(v->a, v->items.count, bool);
    mark_related(&x, related);
    for (uint32_t i = 0; i < v->items.count; i++)
        if (related[i] && !x.taken[i])
            *CV_PUSH(v->a, &r->related) = i;
}
