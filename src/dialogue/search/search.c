/* search.c - words in all dialogues: the operation.
 *
 * All words must occur in a hit. When nothing has them all, hits that have any of them are better than none: the answer
 * says which it was ("match").
 */
#include "base/limits.h"
#include "dialogue/faults.h"
#include "dialogue/labels.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/person.h"
#include "dialogue/search/found.h"
#include "dialogue/words/errors.h"

enum { USUAL_PAGE = 20 };

/* One more than the page is asked for: is there another one? */
typedef struct {
    cv_query terms;
    cv_search_query query;
    cv_founds founds;
    size_t limit;
    int64_t next; /* CV_ABSENT: there is no next page */
    cv_str understood, match;
    cv_notices warnings;
} searching;

#define CV_THIS_TYPE cv_found
static const cv_shape found_shape[] = {
    CV_FIELD(ALWAYS, dialogue_id, ""),
    CV_FIELD(ALWAYS, id, "of the entity, dialogue or verdict; a round's number; the expert of a response or position"),
    CV_FIELD(ALWAYS, kind, ""),
    CV_FIELD(IF_ANY, status, "a verdict's is its type"),
    CV_FIELD(IF_ANY, label, "label, title or recommendation"),
    CV_FIELD(IF_ANY, round, ""),
    CV_JSON_AS(ALWAYS, NAMES, "experts", experts, ""),
    CV_JSON_AS(ALWAYS, NUMBER, "score", score_text, "higher is better, within one answer"),
    CV_FIELD(ALWAYS, dialogue_title, ""),
    CV_JSON_AS(IF_ANY, MAP, "correction", correction, "who changed label or content since, and why"),
    CV_BELOW(ALWAYS, snippet, "the best part of the text, hits as ⟦hit⟧"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE searching
const cv_shape cv_dialogue_search_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "query", understood, "as it was understood"),
    CV_WORD(ALWAYS, "match", match, &cv_match_words, "any: nothing has all the words"),
    CV_LIST("results", founds.items, founds.count, found_shape, "the best first"),
    CV_FIELD_AS(ALWAYS, "count", founds.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    CV_QUERY_WARNINGS(warnings),
    {0},
};
#undef CV_THIS_TYPE

static cv_str list_or_none(cv_arena *a, const cv_json *input, const char *key)
{
    const cv_json *list = cv_json_get(input, cv_str_of(key));
    return list && list->count ? cv_json_get_json(a, input, key) : (cv_str){NULL, 0};
}

/* In one dialogue, both the dialogue and the expert must be there. */
static bool check_place(cv_call *call, const cv_search_query *query)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT), .no_content = true};
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (query->dialogue_id.n == 0)
        return true;
    if (!cv_state_load(call, query->dialogue_id, &wanted, &s, &err))
        return cv_call_fail(call, &err);
    if (query->expert.n == 0 || cv_str_eq(query->expert, cv_judge_slug) || cv_state_expert(&s, query->expert))
        return true;
    cv_str *slugs;
    size_t count = cv_state_slugs(call->arena, &s, &slugs);
    cv_err *fault = cv_refuse(call, CV_ERR_UNKNOWN_EXPERT, CV_STR(""), "expert", query->expert,
                              "'%.*s' does not take part in the dialogue", CV_FMT(query->expert));
    cv_refuse_words(fault, slugs, count);
    cv_suggest_expert(fault, &s, query->expert, "");
    return false;
}

/* Of entities, dialogues, rounds and verdicts. */
static void check_statuses(cv_call *call, const cv_json *given)
{
    cv_str known[CV_STATUS_COUNT + CV_DIALOGUE_COUNT + CV_VERDICT_COUNT + 1];
    size_t count = cv_status_words(known);
    const cv_words others[] = {cv_dialogue_words, cv_verdict_words, {&cv_round_completed, 1}};
    for (size_t i = 0; i < CV_COUNT(others); i++)
        for (size_t k = 0; k < others[i].count; k++)
            if (cv_words_find((cv_words){known, count}, others[i].items[k]) < 0)
                known[count++] = others[i].items[k];
    for (uint32_t i = 0; given && i < given->count; i++)
        cv_refuse_unless_status(call, "statuses", given->items[i].text, (cv_words){known, count});
}

static void read_input(cv_call *call, searching *s)
{
    cv_arena *a = call->arena;
    const cv_json *in = call->input;
    check_statuses(call, cv_json_get(in, CV_STR("statuses")));
    cv_query_parse(a, cv_json_get_text(in, "query"), cv_id_local_of, &s->terms);
    s->limit = (size_t)cv_json_get_int(in, "limit", USUAL_PAGE);
    s->query = (cv_search_query){.terms = s->terms.items,
                                 .count = s->terms.count,
                                 .kinds = cv_found_letters(a, cv_json_get(in, CV_STR("kinds"))),
                                 .dialogue_id = cv_json_get_text(in, "dialogue_id"),
                                 .statuses = list_or_none(a, in, "statuses"),
                                 .expert = cv_arena_lower(a, cv_json_get_text(in, "expert")),
                                 .limit = s->limit + 1,
                                 .offset = (size_t)cv_json_get_int(in, "after", 0)};
}

/* Has anything all the words? */
static bool some_match(cv_call *call, const searching *s, bool *ret_some, cv_err *err)
{
    cv_search_query first = s->query;
    cv_founds founds;
    first.limit = 1;
    first.offset = 0;
    if (!cv_found_search(call, &first, &founds, err))
        return false;
    *ret_some = founds.count > 0;
    return true;
}

static bool ask(cv_call *call, searching *s, cv_err *err)
{
    bool all = true;
    if (!cv_found_search(call, &s->query, &s->founds, err))
        return false;
    if (s->founds.count > 0 || s->terms.wanted < 2)
        return true;
    if (s->query.offset > 0 && !some_match(call, s, &all, err))
        return false;
    s->query.any = s->query.offset == 0 || !all;
    return !s->query.any || cv_found_search(call, &s->query, &s->founds, err);
}

/* Nothing was found of these kinds, with these statuses or of this expert: then the answer says what there is without
 * them. */
static bool warn_of_filters(cv_call *call, searching *s, cv_err *err)
{
    static const char *const filters[] = {"kinds", "statuses", "expert"};
    cv_arena *a = call->arena;
    cv_search_query wide = s->query;
    cv_str given[CV_COUNT(filters)];
    cv_founds founds;
    size_t count = cv_query_filters(a, call->input, filters, CV_COUNT(filters), given);
    if (s->founds.count > 0 || count == 0 || wide.offset > 0)
        return true;
    wide.kinds = wide.statuses = wide.expert = (cv_str){NULL, 0};
    wide.any = false;
    if (!cv_found_search(call, &wide, &founds, err))
        return false;
    cv_str *hits = CV_NEW_ARRAY(a, founds.count, cv_str);
    for (size_t i = 0; i < founds.count; i++)
        hits[i] = cv_query_hit(a, founds.items[i].kind, founds.items[i].status);
    if (founds.count > 0)
        cv_query_warn_filtered(&s->warnings, a, given, count, hits, founds.count);
    return true;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

static bool answer(cv_call *call, searching *s, cv_err *err)
{
    s->next = CV_ABSENT;
    if (s->founds.count > s->limit) {
        s->founds.count = s->limit;
        s->next = (int64_t)(s->query.offset + s->limit);
    }
    if (!cv_found_corrections(call, &s->founds, err))
        return false;
    s->understood = cv_query_print(call->arena, &s->terms);
    s->match = cv_match_words.items[s->query.any];
    cv_query_warn(&s->warnings, call->arena, &s->terms, s->founds.behind);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_dialogue_search_shape, s);
    return true;
}

bool cv_dialogue_search(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    searching s = {0};
    read_input(call, &s);
    if (!check_place(call, &s.query) || call->errs->count > 0)
        return false;
    bool ok =
        (s.query.dialogue_id.n || cv_archived_left_out(call, NULL, &s.query.without, &err)) && ask(call, &s, &err);
    if (!ok)
        return cv_call_fail(call, &err);
    if (s.founds.count == 0 && s.query.expert.n && !cv_require_known(call, s.query.expert))
        return false;
    return (warn_of_filters(call, &s, &err) && answer(call, &s, &err)) || cv_call_fail(call, &err);
}
