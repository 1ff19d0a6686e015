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

#include "dialogue/labels.h"
#include "dialogue/operations.h"
#include "dialogue/search/found.h"
#include "dialogue/view/overview.h"
#include "dialogue/words/limits.h"

enum { USUAL_COUNT = 5, FEW_WORDS = 2, MOST_TENSIONS = 5 };

typedef struct {
    cv_str id, title;
    double score, share; /* share: what the next hit counts */
    uint64_t terms;
    CV_STATE_LIST(const cv_found *) hits; /* the best first */

    /* of the answer */
    cv_str status, score_text;
    int64_t total_alignment;
    CV_STATE_LIST(cv_str) words;
    CV_STATE_LIST(const cv_found *) tensions;
    const cv_rec_verdict *verdict; /* NULL: none */
} likeness;

typedef struct {
    likeness *items;
    size_t count, capacity;
    CV_STATE_LIST(cv_str) words;
    cv_notices warnings;
} likenesses;

#define CV_THIS_TYPE cv_found
static const cv_shape tension_shape[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD(ALWAYS, label, ""),
    CV_FIELD(ALWAYS, status, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_rec_verdict
static const cv_shape verdict_shape[] = {
    CV_FIELD(ALWAYS, verdict_id, ""),
    CV_FIELD(ALWAYS, verdict_type, ""),
    CV_FIELD(ALWAYS, recommendation, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE likeness
static const cv_shape reasons[] = {
    CV_TEXTS("words", words.items, words.count, "those that it shares"),
    CV_LIST_AT("tensions", tensions.items, tensions.count, tension_shape, "with words of the question; the best five"),
    CV_OBJECT_AT(IF_ANY, "verdict", verdict, verdict_shape, "the final one, or the last interim one"),
    {0},
};
static const cv_shape likeness_shape[] = {
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_FIELD(ALWAYS, title, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(OR_ZERO, total_alignment, ""),
    CV_JSON_AS(ALWAYS, NUMBER, "score", score_text, "higher is more similar, within one answer"),
    CV_ALL_BELOW(reasons),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE likenesses
const cv_shape cv_similar_shape[] = {
    CV_SUCCESS,
    CV_TEXTS("words", words.items, words.count, "what was looked for"),
    CV_LIST("dialogues", items, count, likeness_shape, "the most similar first"),
    CV_FIELD(ALWAYS, count, ""),
    CV_QUERY_WARNINGS(warnings),
    {0},
};
#undef CV_THIS_TYPE

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

static void find_tensions(cv_arena *a, likeness *like)
{
    for (size_t i = 0; i < like->hits.count && like->tensions.count < MOST_TENSIONS; i++)
        if (cv_kind_of_letter(like->hits.items[i]->letter) == CV_KIND_TENSION)
            *CV_PUSH(a, &like->tensions) = like->hits.items[i];
}

static bool complete(cv_call *call, const cv_query *query, likeness *like, cv_err *err)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(VERDICT), .no_content = true};
    cv_state s;
    if (!cv_state_load(call, like->id, &wanted, &s, err))
        return false;
    like->status = s.dialogue.status;
    if (call->for_people) {
        cv_overview *overview = CV_NEW(call->arena, cv_overview);
        if (!cv_overview_load(call, like->id, 0, overview, err))
            return false;
        like->status = cv_overview_status(overview);
    }
    like->total_alignment = s.dialogue.total_alignment;
    like->score_text = cv_found_score(call->arena, like->score);
    for (size_t i = 0; i < query->count; i++)
        if (like->terms >> i & 1)
            *CV_PUSH(call->arena, &like->words) = query->items[i].text;
    find_tensions(call->arena, like);
    like->verdict = verdict_of(&s);
    return true;
}

static bool answer(cv_call *call, const cv_query *query, const cv_founds *founds, likenesses *all)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", USUAL_COUNT);
    if (all->count > limit)
        all->count = limit;
    for (size_t i = 0; i < all->count; i++)
        if (!complete(call, query, &all->items[i], &err))
            return cv_call_fail(call, &err);
    for (size_t i = 0; i < query->count; i++)
        *CV_PUSH(call->arena, &all->words) = query->items[i].text;
    cv_query_warn(&all->warnings, call->arena, query, founds->behind);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_similar_shape, all);
    return true;
}

bool cv_dialogue_similar(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    const cv_json *exclude = cv_json_get(call->input, CV_STR("exclude"));
    cv_query words;
    cv_founds founds;
    cv_query_of_question(call->arena, cv_json_get_text(call->input, "question"), &words);
    cv_search_query query = {
        .terms = words.items, .count = words.count, .any = true, .kinds = CV_STR("DTV"), .limit = CV_MAX_SIMILAR_HITS};
    if (!cv_archived_left_out(call, exclude, &query.without, &err) || !cv_found_search(call, &query, &founds, &err))
        return cv_call_fail(call, &err);
    likenesses all = group(call->arena, &founds, words.count);
    return answer(call, &words, &founds, &all);
}
