/* agreement.c - does the judge register what the experts said? See agreement.h. */
#include "dialogue/register/agreement.h"

#include "base/utf8.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

/* ---- one item ---------------------------------------------------------------------------------------------------- */

/* " do not deploy ": each word with a space on both sides, so that a part of a word is not found. */
static cv_str words_of(cv_arena *a, cv_str text)
{
    cv_buf words = {0};
    bool alone;
    cv_buf_add_char(&words, ' ');
    for (cv_str word; cv_utf8_next_word(&text, &word, &alone);) {
        cv_buf_add(&words, cv_arena_lower(a, word));
        cv_buf_add_char(&words, ' ');
    }
    return cv_buf_take(&words, a);
}

static cv_str label_of(cv_arena *a, const cv_receipt *source)
{
    return cv_utf8_limit(cv_mark_headline(a, source->item->mark), CV_MAX_LABEL);
}

/* What has no words at all, only signs, is the same when its signs are. */
bool cv_same_words(cv_arena *a, cv_str x, cv_str y)
{
    cv_str words = words_of(a, x);
    return cv_str_eq(cv_squeeze(a, x), cv_squeeze(a, y)) || (words.n > 1 && cv_str_eq(words, words_of(a, y)));
}

static bool agrees(cv_arena *a, const cv_draft *draft, const cv_receipt *source)
{
    if (cv_same_words(a, draft->label, label_of(a, source)))
        return true;
    cv_str words = words_of(a, draft->content), said = words_of(a, source->item->text);
    return words.n > 1 && memmem(said.p, said.n, words.p, words.n);
}

static const cv_receipt *source_of(const cv_map *sources, cv_str local_id)
{
    const uintptr_t *place = cv_map_get(sources, local_id);
    return place ? (const cv_receipt *)*place : NULL;
}

/* The first source when the draft agrees with none of them; NULL: all is well, or nothing is known. */
static const cv_receipt *contradicted(cv_arena *a, const cv_draft *draft, const cv_map *sources)
{
    const cv_receipt *first = source_of(sources, draft->local_id);
    if (first && agrees(a, draft, first))
        return NULL;
    for (size_t i = 0; i < draft->also_count; i++) {
        const cv_receipt *other = source_of(sources, draft->also[i]);
        if (other && agrees(a, draft, other))
            return NULL;
        first = first ? first : other;
    }
    return first;
}

void cv_agreement_warn(cv_batch *b, const cv_map *sources, cv_map *ret_differing)
{
    cv_arena *a = b->call->arena;
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        const cv_receipt *source = contradicted(a, draft, sources);
        if (!source)
            continue;
        cv_map_put(ret_differing, a, draft->local_id, NULL);
        cv_notice *warning =
            cv_notice_add(&b->warnings, a, CV_STR("differs_from_response"),
                          "%.*s is registered as '%.*s'; in the response of %.*s it is '%.*s', and the text is another "
                          "one, too",
                          CV_FMT(draft->local_id), CV_FMT(cv_excerpt(a, draft->label)),
                          CV_FMT(source->response->expert), CV_FMT(cv_excerpt(a, label_of(a, source))));
        warning->id = draft->local_id;
        cv_notice_expert(warning, source->response->expert);
    }
}

/* ---- what is left out -------------------------------------------------------------------------------------------- */

static cv_str move_key(cv_arena *a, cv_str expert, int type)
{
    return cv_arena_printf(a, "%d/%.*s", type, CV_FMT(expert));
}

/* Which targets a move has is the judge's to say; that somebody made one is not. */
static size_t count_moves_left_out(cv_batch *b, const cv_extract *extract)
{
    cv_arena *a = b->call->arena;
    cv_map given = {0};
    size_t count = 0;
    for (size_t i = 0; i < b->moves.count; i++)
        ++*cv_map_put(&given, a, move_key(a, b->moves.items[i].expert, b->moves.items[i].type), NULL);
    for (size_t i = 0; i < extract->moves.count; i++) {
        uintptr_t *left =
            cv_map_put(&given, a, move_key(a, extract->moves.items[i].expert, (int)extract->moves.items[i].type), NULL);
        if (*left)
            --*left;
        else
            count++;
    }
    return count;
}

static void warn_of_items(cv_batch *b, const cv_extract *extract)
{
    cv_arena *a = b->call->arena;
    CV_STATE_LIST(cv_str) ids = {0};
    for (size_t i = 0; i < extract->entities.count; i++)
        if (!cv_map_get(&b->local_at, extract->entities.items[i].local_id))
            *CV_PUSH(a, &ids) = extract->entities.items[i].local_id;
    size_t moves = count_moves_left_out(b, extract);
    if (ids.count + moves == 0)
        return;
    cv_notice *warning = cv_notice_add(&b->warnings, a, CV_STR("not_registered"),
                                       "responses of round %lld have more than is registered: items: %zu, moves: %zu",
                                       (long long)b->round, ids.count, moves);
    cv_notice_round(warning, b->round);
    if (ids.count)
        warning->ids = cv_json_texts(a, ids.items, ids.count);
}

/* "P0101 4 T0001": who, how, what, as the record would have it. */
static cv_str reference_key(cv_arena *a, cv_str source, int type, cv_str target)
{
    return cv_arena_printf(a, "%.*s %d %.*s", CV_FMT(source), type, CV_FMT(target));
}

typedef struct {
    cv_batch *batch;
    cv_map given; /* references of the request */
    cv_buf names; /* of those that are left out */
    size_t count;
} left_out;

static void see_reference(left_out *l, cv_str source, cv_str name, const cv_extracted_ref *ref)
{
    enum { NAMED = 10 };
    cv_target target = {.text = ref->target};
    cv_target_resolve(l->batch, &target);
    if (ref->pending || !source.n || !target.id.n ||
        cv_map_get(&l->given, reference_key(l->batch->call->arena, source, (int)ref->type, target.id)))
        return;
    if (l->count++ < NAMED)
        cv_buf_printf(&l->names, "%s%.*s %.*s %.*s", l->names.n ? ", " : "", CV_FMT(name),
                      CV_FMT(cv_ref_words.items[ref->type]), CV_FMT(ref->target));
}

static void gather_given(left_out *l)
{
    const cv_batch *b = l->batch;
    cv_arena *a = b->call->arena;
    for (size_t i = 0; i < b->drafts.count; i++)
        for (size_t k = 0; k < b->drafts.items[i].ref_count; k++)
            cv_map_put(&l->given, a,
                       reference_key(a, b->drafts.items[i].subject->id, b->drafts.items[i].refs[k].type,
                                     b->drafts.items[i].refs[k].target.id),
                       NULL);
    for (size_t i = 0; i < b->links.count; i++)
        cv_map_put(
            &l->given, a,
            reference_key(a, b->links.items[i].source.id, b->links.items[i].ref.type, b->links.items[i].ref.target.id),
            NULL);
}

/* References that the responses make and the request does not; those of items that are left out go with them. */
static void warn_of_references(cv_batch *b, const cv_extract *extract)
{
    cv_arena *a = b->call->arena;
    left_out l = {.batch = b};
    gather_given(&l);
    for (size_t i = 0; i < extract->entities.count; i++) {
        const cv_extracted_entity *entity = &extract->entities.items[i];
        const uintptr_t *draft = cv_map_get(&b->local_at, entity->local_id);
        for (size_t k = 0; draft && k < entity->refs.count; k++)
            see_reference(&l, ((const cv_draft *)*draft)->subject->id, entity->local_id, &entity->refs.items[k]);
    }
    for (size_t i = 0; i < extract->links.count; i++) {
        cv_str expert = cv_arena_join(a, CV_STR("@"), extract->links.items[i].expert);
        see_reference(&l, expert, expert, &extract->links.items[i].ref);
    }
    if (l.count)
        cv_notice_round(cv_notice_add(&b->warnings, a, CV_STR("references_not_registered"),
                                      "responses of round %lld make references that are not registered: %zu (%.*s%s)",
                                      (long long)b->round, l.count, CV_FMT(cv_buf_str(&l.names)),
                                      l.count > 10 ? ", …" : ""),
                        b->round);
    cv_buf_release(&l.names);
}

/* ---- who is missing ---------------------------------------------------------------------------------------------- */

static bool has_row(const cv_batch *b, cv_str expert)
{
    for (size_t i = 0; i < b->state->responses.count; i++)
        if (b->state->responses.items[i].round == b->round &&
            cv_str_eq(b->state->responses.items[i].expert_slug, expert))
            return true;
    return false;
}

/* An expert with an item or a move in the request was heard by the judge. A reference from an expert does not count. */
static void gather_speakers(const cv_batch *b, cv_map *ret)
{
    cv_arena *a = b->call->arena;
    for (size_t i = 0; i < b->drafts.count; i++)
        for (size_t k = 0; k < b->drafts.items[i].by.count; k++)
            cv_map_put(ret, a, b->drafts.items[i].by.items[k], NULL);
    for (size_t i = 0; i < b->moves.count; i++)
        cv_map_put(ret, a, b->moves.items[i].expert, NULL);
}

static void warn_of_silent(cv_batch *b, const cv_map *responded)
{
    cv_arena *a = b->call->arena;
    cv_map speakers = {0};
    CV_STATE_LIST(cv_str) silent = {0};
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(b->state, b->round, &seats);
    gather_speakers(b, &speakers);
    for (size_t i = 0; i < count; i++) {
        cv_str expert = seats[i].expert_slug;
        if (!cv_map_get(responded, expert) && !cv_map_get(&speakers, expert) && !has_row(b, expert))
            *CV_PUSH(a, &silent) = expert;
    }
    if (silent.count) {
        cv_notice *warning = cv_notice_add(&b->warnings, a, CV_STR("no_response"),
                                           "members of the panel who never responded in round %lld: %zu",
                                           (long long)b->round, silent.count);
        warning->ids = cv_json_texts(a, silent.items, silent.count);
        cv_notice_round(warning, b->round);
    }
    for (size_t i = 0; i < b->scores.count; i++) {
        cv_str expert = b->scores.items[i].expert;
        if (!cv_map_get(responded, expert) && !cv_map_get(&speakers, expert))
            cv_notice_expert(cv_notice_add(&b->warnings, a, CV_STR("score_without_response"),
                                           "%.*s has a score of %lld in round %lld and no response", CV_FMT(expert),
                                           (long long)b->scores.items[i].score, (long long)b->round),
                             expert);
    }
}

static void warn_of_dissent(cv_batch *b, const cv_extract *extract)
{
    for (size_t i = 0; i < extract->verdicts.count; i++) {
        const cv_extracted_verdict *verdict = &extract->verdicts.items[i];
        const cv_rec_verdict *stored = cv_state_verdict(b->state, verdict->verdict_id);
        if (stored)
            continue; /* the extract gives a stored one its own id */
        cv_notice *warning =
            cv_notice_add(&b->warnings, b->call->arena, CV_STR("dissent_not_registered"),
                          "%.*s has a %.*s verdict in the response of round %lld, and no verdict of the record "
                          "mentions it: register it "
                          "with verdict-register, as draft prints it",
                          CV_FMT(verdict->expert), CV_FMT(cv_verdict_words.items[verdict->type]), (long long)b->round);
        warning->id = verdict->verdict_id;
        cv_notice_expert(warning, verdict->expert);
    }
}

void cv_agreement_warn_left_out(cv_batch *b, const cv_extract *extract, const cv_map *responded)
{
    warn_of_items(b, extract);
    warn_of_references(b, extract);
    warn_of_silent(b, responded);
    warn_of_dissent(b, extract);
}
