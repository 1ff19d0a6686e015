/* found.c - hits of a search as operations answer them; see found.h. */
#include "dialogue/search/found.h"

#include <stdio.h>

#include "base/limits.h"
#include "dialogue/search/snippet.h"

/* What can be found besides entities. */
static const struct {
    char letter;
    cv_str word;
} others[] = {
    {'D', CV_STR_INIT("dialogue")},
    {'O', CV_STR_INIT("round")},
    {'S', CV_STR_INIT("response")},
    {'V', CV_STR_INIT("verdict")},
};

static cv_str word_of(char letter)
{
    int kind = cv_kind_of_letter(letter);
    if (kind >= 0)
        return cv_kinds[kind].word;
    size_t i = 0;
    while (others[i].letter != letter)
        i++;
    return others[i].word;
}

/* 0: there is no such kind. */
static char letter_of(cv_str word)
{
    for (size_t i = 0; i < CV_KIND_COUNT; i++)
        if (cv_str_eq_nocase(word, cv_kinds[i].word) || cv_str_eq_nocase(word, (cv_str){&cv_kinds[i].letter, 1}))
            return cv_kinds[i].letter;
    for (size_t i = 0; i < CV_COUNT(others); i++)
        if (cv_str_eq_nocase(word, others[i].word))
            return others[i].letter;
    return 0;
}

cv_str cv_found_letters(cv_arena *a, const cv_json *kinds)
{
    uint32_t count = kinds ? kinds->count : 0;
    char *letters = cv_arena_alloc(a, count + 1);
    for (uint32_t i = 0; i < count; i++)
        letters[i] = letter_of(kinds->items[i].text);
    return (cv_str){letters, count};
}

static cv_str id_of(cv_arena *a, const cv_search_hit *hit)
{
    int kind = cv_kind_of_letter(hit->kind);
    if (kind >= 0) {
        cv_id id = {.form = CV_ID_DISPLAY, .kind = (cv_kind)kind, .round = (int)hit->round, .number = (int)hit->seq};
        return cv_id_print(a, &id);
    }
    if (hit->name.n)
        return cv_arena_copy(a, hit->name);
    return hit->kind == 'D' ? cv_arena_copy(a, hit->dialogue_id) : cv_arena_printf(a, "%lld", (long long)hit->round);
}

static uint64_t terms_of(const cv_search_marks *marks)
{
    uint64_t terms = 0;
    for (size_t i = 0; i < marks->count; i++)
        terms |= UINT64_C(1) << marks->items[i].term;
    return terms;
}
_Static_assert(CV_MAX_QUERY_WORDS <= 64, "a term has a bit in cv_found.terms");

typedef struct {
    cv_arena *a;
    cv_founds *founds;
} gathering;

static bool keep(void *ctx, const cv_search_hit *hit, cv_err *err)
{
    gathering *g = ctx;
    cv_arena *a = g->a;
    cv_json tree;
    if (!cv_json_is_valid(hit->people, 1) && !cv_stored_json(a, hit->people, "a list of experts", &tree, err))
        return false;
    *CV_PUSH(a, g->founds) = (cv_found){.dialogue_id = cv_arena_copy(a, hit->dialogue_id),
                                        .dialogue_title = cv_arena_copy(a, hit->dialogue_title),
                                        .letter = hit->kind,
                                        .kind = word_of(hit->kind),
                                        .id = id_of(a, hit),
                                        .round = hit->kind == 'D' ? CV_ABSENT : hit->round,
                                        .label = cv_arena_copy(a, hit->title),
                                        .status = hit->status.p ? cv_arena_copy(a, hit->status) : hit->status,
                                        .experts = cv_arena_copy(a, hit->people),
                                        .score = hit->score,
                                        .terms = terms_of(&hit->in_title) | terms_of(&hit->in_body),
                                        .snippet = cv_snippet(a, hit->body, &hit->in_body)};
    return true;
}

bool cv_found_search(cv_call *call, const cv_search_query *query, cv_founds *ret_founds, cv_err *err)
{
    *ret_founds = (cv_founds){0};
    gathering g = {call->arena, ret_founds};
    return call->store->calls->search(call->store, call->arena, query, keep, &g, &ret_founds->behind, err);
}

void cv_found_warn(cv_notices *warnings, cv_arena *a, const cv_query *query, const cv_founds *founds)
{
    if (query->wanted == 0)
        cv_notice_add(warnings, a, CV_STR("nothing_to_search"), "%s",
                      query->count ? "all words are excluded: name one to look for"
                                   : "there is no word to look for: letters or digits are needed");
    if (query->left_out > 0)
        cv_notice_add(warnings, a, CV_STR("query_shortened"),
                      "only the first %d words are looked for; %zu more are left out", CV_MAX_QUERY_WORDS,
                      query->left_out);
    if (founds->behind > 0)
        cv_notice_add(warnings, a, CV_STR("index_behind"),
                      "the record cannot be written now, so what is new in %zu dialogue%s was not searched",
                      founds->behind, founds->behind == 1 ? "" : "s");
}

void cv_found_print_score(cv_json_writer *w, double score)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.3f", score);
    cv_json_key(w, CV_STR("score"));
    cv_json_raw(w, (cv_str){text, (size_t)n});
}
