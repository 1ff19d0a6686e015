/* similar.c - past dialogues like a question: the operation.
 *
 *     question -> words -> hits in titles, questions, tensions and verdicts -> one row per dialogue
 *
 * A dialogue's score is that of its best hit, plus half of the next, plus a quarter of the one after …: many weak hits
 * never outweigh a good one. One word in common is chance when the question has more than two: such dialogues are left
 * out.
 */
#include <assert.h>
#include <stdlib.h>

#include "dialogue/operations.h"
#include "dialogue/search/found.h"
#include "dialogue/words/limits.h"

enum { USUAL_COUNT = 5, FEW_WORDS = 2, MOST_TENSIONS = 5 };

typedef struct {
    cv_str id, title;
    double score, share; /* share: what the next hit counts */
    uint64_t terms;
    CV_STATE_LIST(const cv_found *) hits; /* the best first */
} likeness;

typedef struct {
    likeness *items;
    size_t count, capacity;
} likenesses;

static void add_hit(cv_arena *a, likenesses *all, cv_map *at, const cv_found *hit)
{
    bool fresh;
    uintptr_t *place = cv_map_put(at, a, hit->dialogue_id, &fresh);
    if (fresh) {
        *CV_PUSH(a, all) = (likeness){.id = hit->dialogue_id, .title = hit->dialogue_title, .share = 1};
        *place = all->count - 1;
    }
    assert(*place < all->count && all->items);
    likeness *like = &all->items[*place];
    like->score += hit->score * like->share;
    like->share /= 2;
    like->terms |= hit->terms;
    *CV_PUSH(a, &like->hits) = hit;
}

static int by_score(const void *x, const void *y)
{
    const likeness *a = x, *b = y;
    int order = CV_ORDER(b->score, a->score);
    return order ? order : cv_str_order(a->id, b->id);
}

/* The dialogues behind the hits, the likest first. */
static likenesses group(cv_arena *a, const cv_founds *founds, size_t words)
{
    likenesses all = {0};
    cv_map at = {0};
    for (size_t i = 0; i < founds->count; i++)
        add_hit(a, &all, &at, &founds->items[i]);
    size_t kept = 0;
    for (size_t i = 0; i < all.count; i++)
        if (words <= FEW_WORDS || __builtin_popcountll(all.items[i].terms) >= FEW_WORDS)
            all.items[kept++] = all.items[i];
    all.count = kept;
    if (kept > 1)
        qsort(all.items, kept, sizeof *all.items, by_score);
    return all;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

/* The final verdict, or the last one before it. */
static const cv_rec_verdict *verdict_of(const cv_state *s)
{
    const cv_rec_verdict *best = NULL;
    for (size_t i = 0; i < s->verdicts.count; i++) {
        const cv_rec_verdict *v = &s->verdicts.items[i];
        if (cv_str_eq(v->verdict_type, cv_verdict_words.items[CV_VERDICT_FINAL]))
            return v;
        if (cv_str_eq(v->verdict_type, cv_verdict_words.items[CV_VERDICT_INTERIM]) &&
            (!best || v->position > best->position))
            best = v;
    }
    return best;
}

static void print_verdict(cv_json_writer *w, const cv_rec_verdict *verdict)
{
    if (!verdict)
        return;
    cv_json_key(w, CV_STR("verdict"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "verdict_id", verdict->verdict_id);
    cv_json_key_str(w, "verdict_type", verdict->verdict_type);
    cv_json_key_str(w, "recommendation", verdict->recommendation);
    cv_json_end_object(w);
}

static void print_tensions(cv_json_writer *w, const likeness *like)
{
    size_t count = 0;
    cv_json_key(w, CV_STR("tensions"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < like->hits.count && count < MOST_TENSIONS; i++) {
        const cv_found *hit = like->hits.items[i];
        if (cv_kind_of_letter(hit->letter) != CV_KIND_TENSION)
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", hit->id);
        cv_json_key_str(w, "label", hit->label);
        cv_json_key_str(w, "status", hit->status);
        cv_json_end_object(w);
        count++;
    }
    cv_json_end_array(w);
}

static void print_words(cv_json_writer *w, const cv_query *query, uint64_t terms)
{
    cv_json_begin_array(w);
    for (size_t i = 0; i < query->count; i++)
        if (terms >> i & 1)
            cv_json_str(w, query->items[i].text);
    cv_json_end_array(w);
}

static bool print_likeness(cv_call *call, cv_json_writer *w, const cv_query *query, const likeness *like)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(VERDICT), .no_content = true};
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (!cv_state_load(call, like->id, &wanted, &s, &err))
        return cv_call_fail(call, &err);
    cv_json_begin_object(w);
    cv_json_key_str(w, "dialogue_id", like->id);
    cv_json_key_str(w, "title", like->title);
    cv_json_key_str(w, "status", s.dialogue.status);
    cv_json_key_int(w, "total_alignment", s.dialogue.total_alignment == CV_ABSENT ? 0 : s.dialogue.total_alignment);
    cv_found_print_score(w, like->score);
    cv_json_key(w, CV_STR("words"));
    print_words(w, query, like->terms);
    print_tensions(w, like);
    print_verdict(w, verdict_of(&s));
    cv_json_end_object(w);
    return true;
}

static bool print_answer(cv_call *call, const cv_query *query, const cv_founds *founds, const likenesses *all)
{
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", USUAL_COUNT);
    size_t count = all->count < limit ? all->count : limit;
    cv_notices warnings = {0};
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key(&w, CV_STR("words"));
    print_words(&w, query, UINT64_MAX);
    cv_json_key(&w, CV_STR("dialogues"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < count; i++)
        if (!print_likeness(call, &w, query, &all->items[i]))
            return false;
    cv_json_end_array(&w);
    cv_json_key_int(&w, "count", (int64_t)count);
    cv_query_warn(&warnings, call->arena, query, founds->behind);
    cv_notices_answer(&warnings, &w);
    cv_json_end_object(&w);
    return true;
}

bool cv_dialogue_similar(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    const cv_json *exclude = cv_json_get(call->input, CV_STR("exclude"));
    cv_query words;
    cv_founds founds;
    cv_query_of_question(call->arena, cv_json_get_text(call->input, "question"), &words);
    cv_search_query query = {.terms = words.items,
                             .count = words.count,
                             .any = true,
                             .kinds = CV_STR("DTV"),
                             .without = exclude && exclude->count
                                            ? cv_json_get_json(call->arena, call->input, "exclude")
                                            : (cv_str){NULL, 0},
                             .limit = CV_MAX_SIMILAR_HITS};
    if (!cv_found_search(call, &query, &founds, &err))
        return cv_call_fail(call, &err);
    likenesses all = group(call->arena, &founds, words.count);
    return print_answer(call, &words, &founds, &all);
}
