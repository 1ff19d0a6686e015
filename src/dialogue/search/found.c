/* found.c - hits of a search as operations answer them; see found.h. */
#include "dialogue/search/found.h"

#include "base/limits.h"
#include "kit/snippet.h"

/* What can be found besides entities. */
static const struct {
    char letter;
    cv_str word;
} others[] = {
    {'D', CV_STR_INIT("dialogue")}, {'O', CV_STR_INIT("round")},   {'S', CV_STR_INIT("response")},
    {'N', CV_STR_INIT("position")}, {'V', CV_STR_INIT("verdict")},
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

static uint64_t terms_of(const cv_search_marks *marks)
{
    uint64_t terms = 0;
    for (size_t i = 0; i < marks->count; i++)
        terms |= UINT64_C(1) << marks->items[i].term;
    return terms;
}
_Static_assert(CV_MAX_QUERY_WORDS <= 64, "a term has a bit in cv_found.terms");

cv_str cv_found_score(cv_arena *a, double score)
{
    return cv_arena_printf(a, "%.3f", score);
}

typedef struct {
    cv_arena *a;
    cv_founds *founds;
} gathering;

/* "P0102": round 1; a round is its number, a response or position "1/muffin"; a verdict's is in its row. */
static int64_t round_of(char letter, cv_str id)
{
    int64_t round = 0;
    size_t from = cv_kind_of_letter(letter) >= 0 ? 1 : 0, digits = from ? 2 : SIZE_MAX;
    if (letter == 'D' || letter == 'V')
        return CV_ABSENT;
    for (size_t i = from; i < id.n && i - from < digits && cv_is_digit(id.p[i]); i++)
        round = round * 10 + (id.p[i] - '0');
    return round;
}

static bool keep(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    gathering *g = ctx;
    cv_arena *a = g->a;
    cv_json tree;
    char letter = letter_of(hit->kind);
    cv_str id = hit->id;
    if (!letter ||
        (!cv_json_is_valid(hit->people, 1) && !cv_stored_json(a, hit->people, "a list of experts", &tree, err)))
        return !letter;
    if (letter == 'S' || letter == 'N') {
        size_t slash = cv_str_find(id, CV_STR("/"));
        id = slash == SIZE_MAX ? id : cv_str_from(id, slash + 1);
    }
    *CV_PUSH(a, g->founds) = (cv_found){.dialogue_id = cv_arena_copy(a, hit->scope.name),
                                        .letter = letter,
                                        .kind = word_of(letter),
                                        .id = cv_arena_copy(a, id),
                                        .round = round_of(letter, hit->id),
                                        .label = cv_arena_copy(a, hit->title),
                                        .status = hit->status.p ? cv_arena_copy(a, hit->status) : hit->status,
                                        .experts = cv_arena_copy(a, hit->people),
                                        .score = hit->score,
                                        .score_text = cv_found_score(a, hit->score),
                                        .terms = terms_of(&hit->in_title) | terms_of(&hit->in_body),
                                        .snippet = cv_snippet(a, hit->body, &hit->in_body)};
    return true;
}

/* What is in rows: the title of the dialogue, the round of a verdict. */
static bool complete(cv_call *call, cv_found *f, cv_map *titles, cv_err *err)
{
    cv_scope_id scope = cv_dialogue_scope(f->dialogue_id);
    cv_rec_dialogue dialogue = {.id = f->dialogue_id};
    cv_rec_verdict verdict = {.verdict_id = f->id, .round = CV_ABSENT};
    bool is_new, found;
    uintptr_t *known = cv_map_put(titles, call->arena, f->dialogue_id, &is_new);
    if (is_new) {
        cv_str *title = CV_NEW(call->arena, cv_str);
        if (!cv_record_get(call->record, call->arena, scope, &cv_rec_dialogue_type, &dialogue, &found, err))
            return false;
        *title = found ? dialogue.title : CV_STR("");
        *known = (uintptr_t)title;
    }
    f->dialogue_title = *(const cv_str *)*known;
    if (f->letter != 'V')
        return true;
    if (!cv_record_get(call->record, call->arena, scope, &cv_rec_verdict_type, &verdict, &found, err))
        return false;
    f->round = verdict.round;
    return true;
}

typedef struct {
    cv_arena *a;
    cv_found *found;
} correcting;

static bool see_correction(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    correcting *c = ctx;
    cv_str correction = ((const cv_rec_entity *)row)->correction;
    (void)scope, (void)err;
    if (correction.p)
        c->found->correction = cv_arena_copy(c->a, correction);
    return true;
}

bool cv_found_corrections(cv_call *call, cv_founds *founds, cv_err *err)
{
    cv_lookup *lookups = CV_NEW_ARRAY(call->arena, founds->count, cv_lookup);
    size_t count = 0;
    for (size_t i = 0; i < founds->count; i++) {
        cv_found *f = &founds->items[i];
        cv_rec_entity *key = CV_NEW(call->arena, cv_rec_entity);
        correcting *c = CV_NEW(call->arena, correcting);
        cv_id id;
        if (cv_kind_of_letter(f->letter) < 0 || !cv_id_parse(f->id, &id))
            continue;
        *c = (correcting){call->arena, f};
        *key = (cv_rec_entity){.kind = cv_str_head(f->id, 1), .round = id.round, .seq = id.number};
        lookups[count++] =
            (cv_lookup){.find = {.type = &cv_rec_entity_type,
                                 .scope = cv_dialogue_scope(f->dialogue_id),
                                 .like = key,
                                 .equal = cv_rec_entity_type.key_count,
                                 .limit = 1,
                                 .without = cv_type_bit(&cv_rec_entity_type, offsetof(cv_rec_entity, content))},
                        .visit = see_correction,
                        .ctx = c};
    }
    return count == 0 || call->record->calls->find_all(call->record, lookups, count, err);
}

bool cv_found_corrected(cv_call *call, cv_room_hit *hits, size_t count, cv_err *err)
{
    cv_founds founds = {.items = CV_NEW_ARRAY(call->arena, count, cv_found), .count = count};
    for (size_t i = 0; i < count; i++)
        founds.items[i] = (cv_found){.dialogue_id = hits[i].scope, .letter = letter_of(hits[i].kind), .id = hits[i].id};
    if (!cv_found_corrections(call, &founds, err))
        return false;
    for (size_t i = 0; i < count; i++)
        hits[i].changed = founds.items[i].correction;
    return true;
}

/* Letters as a JSON list of words. */
static cv_str words_of(cv_arena *a, cv_str letters)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    if (!letters.n)
        return (cv_str){NULL, 0};
    cv_json_begin_array(&w);
    for (size_t i = 0; i < letters.n; i++)
        cv_json_str(&w, word_of(letters.p[i]));
    cv_json_end_array(&w);
    return cv_buf_take(&out, a);
}

bool cv_found_search(cv_call *call, const cv_search_query *query, cv_founds *ret_founds, cv_err *err)
{
    cv_map titles = {0};
    gathering g = {call->arena, ret_founds};
    const cv_word_query words = {.terms = query->terms,
                                 .count = query->count,
                                 .any = query->any,
                                 .room = CV_STR("dialogue"),
                                 .scope = query->dialogue_id,
                                 .without = query->without,
                                 .kinds = words_of(call->arena, query->kinds),
                                 .statuses = query->statuses,
                                 .person = query->expert,
                                 .limit = query->limit,
                                 .offset = query->offset};
    *ret_founds = (cv_founds){0};
    if (!call->record->calls->search(call->record, call->arena, &words, keep, &g, &ret_founds->behind, err))
        return false;
    for (size_t i = 0; i < ret_founds->count; i++)
        if (!complete(call, &ret_founds->items[i], &titles, err))
            return false;
    return true;
}
