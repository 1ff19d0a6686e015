/* duplicates.c - items that seem to say the same; see duplicates.h. */
#include "dialogue/intake/duplicates.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/words/limits.h"

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
    CV_STATE_LIST(const cv_extracted_entity *) items;
    size_t *words;    /* how many different ones each has */
    uint32_t *label;  /* the number of its label's words, taken as one; 0: it has none */
    uint32_t *shared; /* words of each with each: items.count rows of as many */
    CV_STATE_LIST(posting) index;
} kin;

static int by_word(const void *x, const void *y)
{
    const posting *a = x, *b = y;
    int order = CV_ORDER(a->word, b->word);
    return order ? order : CV_ORDER(a->item, b->item);
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
                k->shared[k->index.items[m].item * k->items.count + k->index.items[end].item]++;
    }
}

/* In a hundred; 0: no duplicates. */
static int similarity(const kin *k, size_t i, size_t m, bool *ret_label)
{
    size_t shared = k->shared[i * k->items.count + m], all = k->words[i] + k->words[m] - shared;
    int percent = all ? (int)(100 * shared / all) : 0;
    *ret_label = k->label[i] && k->label[i] == k->label[m];
    if (cv_str_eq(k->items.items[i]->expert, k->items.items[m]->expert))
        return 0;
    if (*ret_label)
        return percent ? percent : 1;
    bool enough = k->words[i] >= CV_DUPLICATE_WORDS && k->words[m] >= CV_DUPLICATE_WORDS;
    return enough && percent >= CV_DUPLICATE_PERCENT ? percent : 0;
}

static void group(cv_arena *a, const kin *k, cv_duplicate_groups *groups)
{
    size_t count = k->items.count;
    bool *taken = CV_NEW_ARRAY(a, count, bool);
    for (size_t i = 0; i < count; i++) {
        cv_duplicates duplicates = {.items = CV_NEW_ARRAY(a, count, const cv_extracted_entity *), .same_label = true};
        duplicates.items[duplicates.count++] = k->items.items[i];
        duplicates.similarity = 100;
        for (size_t m = i + 1; m < count && !taken[i]; m++) {
            bool label;
            int percent = taken[m] ? 0 : similarity(k, i, m, &label);
            if (percent == 0)
                continue;
            taken[m] = true;
            duplicates.items[duplicates.count++] = k->items.items[m];
            duplicates.same_label = duplicates.same_label && label;
            duplicates.similarity = percent < duplicates.similarity ? percent : duplicates.similarity;
        }
        if (duplicates.count > 1)
            *CV_PUSH(a, groups) = duplicates;
    }
}

static kin gather(cv_arena *a, const cv_extract *h, cv_kind kind)
{
    kin k = {0};
    lexicon words = {.a = a}, labels = {.a = a};
    for (size_t i = 0; i < h->entities.count; i++)
        if (h->entities.items[i].kind == kind)
            *CV_PUSH(a, &k.items) = &h->entities.items[i];
    k.words = CV_NEW_ARRAY(a, k.items.count, size_t);
    k.label = CV_NEW_ARRAY(a, k.items.count, uint32_t);
    k.shared = CV_NEW_ARRAY(a, k.items.count * k.items.count, uint32_t);
    for (size_t i = 0; i < k.items.count; i++) {
        k.label[i] = label_number(&words, &labels, k.items.items[i]->label);
        add_words(&words, &k, i, k.items.items[i]->label);
        add_words(&words, &k, i, k.items.items[i]->content);
    }
    return k;
}

void cv_duplicates_find(cv_arena *a, const cv_extract *h, cv_duplicate_groups *ret_groups)
{
    *ret_groups = (cv_duplicate_groups){0};
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        kin k = gather(a, h, (cv_kind)kind);
        settle_index(&k);
        count_shared(&k);
        group(a, &k, ret_groups);
    }
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void print_list(const cv_duplicates *duplicates, const char *key, size_t from, bool experts, cv_json_writer *w)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = from; i < duplicates->count; i++)
        cv_json_str(w, experts ? duplicates->items[i]->expert : duplicates->items[i]->local_id);
    cv_json_end_array(w);
}

void cv_duplicates_print(const cv_duplicates *duplicates, cv_json_writer *w)
{
    cv_json_begin_object(w);
    print_list(duplicates, "ids", 0, false, w);
    cv_json_key_str(w, "why", duplicates->same_label ? CV_STR("same label") : CV_STR("similar words"));
    cv_json_key_int(w, "similarity", duplicates->similarity);
    cv_json_key(w, CV_STR("merge"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "local_id", duplicates->items[0]->local_id);
    print_list(duplicates, "also", 1, false, w);
    print_list(duplicates, "contributors", 0, true, w);
    cv_json_end_object(w);
    cv_json_end_object(w);
}
