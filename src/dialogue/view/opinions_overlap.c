/* opinions_overlap.c - how much experts say the same; see opinions.h.
 *
 *     words of each expert's items, each once, as sorted numbers -> two lists merged for each pair
 *
 * Words of fewer than LEAST bytes are left out: articles and the like would make everybody alike.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/people.h"
#include "dialogue/view/opinions.h"

enum { LEAST = 4 };

typedef struct {
    cv_str slug;
    CV_STATE_LIST(uint32_t) words; /* sorted, each once */
} speaker;

static int by_number(const void *x, const void *y)
{
    return CV_ORDER(*(const uint32_t *)x, *(const uint32_t *)y);
}

static void add_words(cv_arena *a, cv_map *numbers, speaker *to, cv_str text)
{
    cv_str word;
    bool alone, is_new;
    while (cv_utf8_next_word(&text, &word, &alone)) {
        if (word.n < LEAST)
            continue;
        uintptr_t *at = cv_map_put(numbers, a, cv_arena_lower(a, word), &is_new);
        if (is_new)
            *at = numbers->count;
        *CV_PUSH(a, &to->words) = (uint32_t)*at;
    }
}

static void settle(speaker *s)
{
    size_t kept = 0;
    if (s->words.count > 1)
        qsort(s->words.items, s->words.count, sizeof *s->words.items, by_number);
    for (size_t i = 0; i < s->words.count; i++)
        if (kept == 0 || s->words.items[kept - 1] != s->words.items[i])
            s->words.items[kept++] = s->words.items[i];
    s->words.count = kept;
}

static int overlap_of(const speaker *x, const speaker *y)
{
    size_t shared = 0, i = 0, k = 0;
    while (i < x->words.count && k < y->words.count) {
        uint32_t one = x->words.items[i], other = y->words.items[k];
        shared += one == other;
        i += one <= other;
        k += other <= one;
    }
    size_t all = x->words.count + y->words.count - shared;
    return all ? (int)(100 * shared / all) : 0;
}

static size_t shared_items(const cv_state *s, cv_str one, cv_str other)
{
    size_t n = 0;
    for (size_t i = 0; i < s->entities.count; i++)
        n += cv_people_json_has(s->entities.items[i].contributors, one) &&
             cv_people_json_has(s->entities.items[i].contributors, other);
    return n;
}

static int by_overlap(const void *x, const void *y)
{
    const cv_opinion_pair *a = x, *b = y;
    int order = CV_ORDER(b->overlap, a->overlap);
    order = order ? order : cv_str_order(a->one, b->one);
    return order ? order : cv_str_order(a->other, b->other);
}

void cv_opinions_overlap(cv_arena *a, cv_opinions *o)
{
    const cv_state *s = &o->s;
    speaker *speakers = CV_NEW_ARRAY(a, s->experts.count, speaker);
    cv_map numbers = {0};
    int64_t sum = 0;
    for (size_t i = 0; i < s->experts.count; i++)
        speakers[i].slug = s->experts.items[i].expert_slug;
    for (size_t i = 0; i < s->entities.count; i++) {
        cv_words by = cv_json_list(a, s->entities.items[i].contributors);
        for (size_t k = 0; k < by.count; k++) {
            const uintptr_t *at = cv_map_get(&s->expert_at, by.items[k]);
            if (!at)
                continue;
            add_words(a, &numbers, &speakers[*at - 1], s->entities.items[i].label);
            add_words(a, &numbers, &speakers[*at - 1], s->entities.items[i].content);
        }
    }
    for (size_t i = 0; i < s->experts.count; i++)
        settle(&speakers[i]);
    for (size_t i = 0; i < s->experts.count; i++)
        for (size_t k = i + 1; k < s->experts.count; k++) {
            if (!speakers[i].words.count || !speakers[k].words.count)
                continue;
            int overlap = overlap_of(&speakers[i], &speakers[k]);
            *CV_PUSH(a, &o->pairs) =
                (cv_opinion_pair){.one = speakers[i].slug, .other = speakers[k].slug, .overlap = overlap};
            sum += overlap;
        }
    o->pair_count = o->pairs.count;
    o->mean_overlap = o->pair_count ? sum / (int64_t)o->pair_count : CV_ABSENT;
    if (o->pair_count > 1)
        qsort(o->pairs.items, o->pair_count, sizeof *o->pairs.items, by_overlap);
    if (o->pairs.count > CV_OPINION_PAIRS)
        o->pairs.count = CV_OPINION_PAIRS;
    for (size_t i = 0; i < o->pairs.count; i++)
        o->pairs.items[i].shared_items = shared_items(s, o->pairs.items[i].one, o->pairs.items[i].other);
}
