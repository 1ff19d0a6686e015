/* twins.c - items that seem to say the same; see twins.h. */
#include "dialogue/intake/twins.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"

/* ---- words ------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *a;
    cv_map numbers; /* word -> its number + 1 */
} lexicon;

/* The next word, in lower case as far as ASCII goes; false at the end. */
static bool next_word(cv_arena *a, cv_str *rest, cv_str *ret_word)
{
    bool alone;
    if (!cv_utf8_next_word(rest, ret_word, &alone))
        return false;
    *ret_word = cv_arena_lower(a, *ret_word);
    return true;
}

static uint32_t number_of(lexicon *l, cv_str word)
{
    bool is_new;
    uintptr_t *at = cv_map_put(&l->numbers, l->a, word, &is_new);
    if (is_new)
        *at = l->numbers.count;
    return (uint32_t)*at - 1;
}

/* ---- one kind ---------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t word;
    uint32_t item;
} posting;

typedef struct {
    const cv_heard_entity *items[CV_MAX_SEQ];
    size_t count;
    size_t words[CV_MAX_SEQ];   /* how many different ones */
    uint32_t label[CV_MAX_SEQ]; /* the number of its label's words, taken as one; 0: it has none */
    uint32_t shared[CV_MAX_SEQ][CV_MAX_SEQ];
    CV_STATE_LIST(posting) index;
} kin;

static int by_word(const void *x, const void *y)
{
    const posting *a = x, *b = y;
    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static void add_words(lexicon *l, kin *k, size_t item, cv_str text)
{
    cv_str word;
    for (size_t n = 0; n < CV_MAX_TWIN_WORDS && next_word(l->a, &text, &word); n++)
        *CV_PUSH(l->a, &k->index) = (posting){number_of(l, word), (uint32_t)item};
}

static uint32_t label_number(lexicon *l, lexicon *labels, cv_str label)
{
    cv_buf text = {0};
    for (cv_str word; next_word(l->a, &label, &word);) {
        cv_buf_add(&text, word);
        cv_buf_add_char(&text, ' ');
    }
    return text.n ? number_of(labels, cv_buf_take(&text, l->a)) + 1 : 0;
}

/* Sorted, and each word of an item once. */
static void settle_index(kin *k)
{
    size_t kept = 0;
    if (k->index.count > 1)
        qsort(k->index.items, k->index.count, sizeof *k->index.items, by_word);
    for (size_t i = 0; i < k->index.count; i++) {
        posting p = k->index.items[i];
        if (kept > 0 && by_word(&p, &k->index.items[kept - 1]) == 0)
            continue;
        k->index.items[kept++] = p;
        k->words[p.item]++;
    }
    k->index.count = kept;
}

static void count_shared(kin *k)
{
    for (size_t i = 0, end; i < k->index.count; i = end) {
        for (end = i; end < k->index.count && k->index.items[end].word == k->index.items[i].word; end++)
            for (size_t m = i; m < end; m++)
                k->shared[k->index.items[m].item][k->index.items[end].item]++;
    }
}

/* In a hundred; 0: no twins. */
static int similarity(const kin *k, size_t i, size_t m, bool *ret_label)
{
    size_t shared = k->shared[i][m], all = k->words[i] + k->words[m] - shared;
    int percent = all ? (int)(100 * shared / all) : 0;
    *ret_label = k->label[i] && k->label[i] == k->label[m];
    if (cv_str_eq(k->items[i]->expert, k->items[m]->expert))
        return 0;
    if (*ret_label)
        return percent ? percent : 1;
    bool enough = k->words[i] >= CV_TWIN_WORDS && k->words[m] >= CV_TWIN_WORDS;
    return enough && percent >= CV_TWIN_PERCENT ? percent : 0;
}

static void group(cv_arena *a, const kin *k, cv_twin_groups *groups)
{
    bool taken[CV_MAX_SEQ] = {false};
    for (size_t i = 0; i < k->count; i++) {
        cv_twins twins = {.items = CV_NEW_ARRAY(a, k->count, const cv_heard_entity *), .same_label = true};
        twins.items[twins.count++] = k->items[i];
        twins.similarity = 100;
        for (size_t m = i + 1; m < k->count && !taken[i]; m++) {
            bool label;
            int percent = taken[m] ? 0 : similarity(k, i, m, &label);
            if (percent == 0)
                continue;
            taken[m] = true;
            twins.items[twins.count++] = k->items[m];
            twins.same_label = twins.same_label && label;
            twins.similarity = percent < twins.similarity ? percent : twins.similarity;
        }
        if (twins.count > 1)
            *CV_PUSH(a, groups) = twins;
    }
}

void cv_twins_find(cv_arena *a, const cv_hearing *h, cv_twin_groups *ret_groups)
{
    *ret_groups = (cv_twin_groups){0};
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        kin *k = CV_NEW(a, kin);
        lexicon words = {.a = a}, labels = {.a = a};
        for (size_t i = 0; i < h->entities.count && k->count < CV_MAX_SEQ; i++) {
            const cv_heard_entity *entity = &h->entities.items[i];
            if ((int)entity->kind != kind)
                continue;
            k->label[k->count] = label_number(&words, &labels, entity->label);
            add_words(&words, k, k->count, entity->label);
            add_words(&words, k, k->count, entity->content);
            k->items[k->count++] = entity;
        }
        settle_index(k);
        count_shared(k);
        group(a, k, ret_groups);
    }
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void print_list(const cv_twins *twins, const char *key, size_t from, bool experts, cv_json_writer *w)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = from; i < twins->count; i++)
        cv_json_str(w, experts ? twins->items[i]->expert : twins->items[i]->local_id);
    cv_json_end_array(w);
}

void cv_twins_print(const cv_twins *twins, cv_json_writer *w)
{
    cv_json_begin_object(w);
    print_list(twins, "ids", 0, false, w);
    cv_json_key_str(w, "why", twins->same_label ? CV_STR("same label") : CV_STR("similar words"));
    cv_json_key_int(w, "similarity", twins->similarity);
    cv_json_key(w, CV_STR("merge"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "local_id", twins->items[0]->local_id);
    print_list(twins, "also", 1, false, w);
    print_list(twins, "contributors", 0, true, w);
    cv_json_end_object(w);
    cv_json_end_object(w);
}
