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
    return cv_utf8_limit(cv_mark_headline(a, source->said->mark), CV_MAX_LABEL);
}

/* What has no words at all, only signs, is the same when its signs are. */
static bool same_words(cv_arena *a, cv_str x, cv_str y)
{
    cv_str words = words_of(a, x);
    return cv_str_eq(cv_squeeze(a, x), cv_squeeze(a, y)) || (words.n > 1 && cv_str_eq(words, words_of(a, y)));
}

static bool agrees(cv_arena *a, const cv_draft *draft, const cv_receipt *source)
{
    if (same_words(a, draft->label, label_of(a, source)))
        return true;
    cv_str words = words_of(a, draft->content), said = words_of(a, cv_said_text(source->speech, source->said));
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

void cv_agreement_warn(cv_batch *b, const cv_map *sources)
{
    cv_arena *a = b->call->arena;
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        const cv_receipt *source = contradicted(a, draft, sources);
        if (!source)
            continue;
        cv_notice *warning =
            cv_notice_add(&b->warnings, a, CV_STR("differs_from_response"),
                          "%.*s is registered as '%.*s'; in the response of %.*s it is '%.*s', and the text is another "
                          "one, too",
                          CV_FMT(draft->local_id), CV_FMT(cv_excerpt(a, draft->label)), CV_FMT(source->speech->expert),
                          CV_FMT(cv_excerpt(a, label_of(a, source))));
        warning->id = draft->local_id;
        cv_notice_expert(warning, source->speech->expert);
    }
}

/* ---- what is left out -------------------------------------------------------------------------------------------- */

static cv_str move_key(cv_arena *a, cv_str expert, int type)
{
    return cv_arena_printf(a, "%d/%.*s", type, CV_FMT(expert));
}

/* Which targets a move has is the judge's to say; that somebody made one is not. */
static size_t count_moves_left_out(cv_batch *b, const cv_hearing *heard)
{
    cv_arena *a = b->call->arena;
    cv_map given = {0};
    size_t count = 0;
    for (size_t i = 0; i < b->moves.count; i++)
        ++*cv_map_put(&given, a, move_key(a, b->moves.items[i].expert, b->moves.items[i].type), NULL);
    for (size_t i = 0; i < heard->moves.count; i++) {
        uintptr_t *left =
            cv_map_put(&given, a, move_key(a, heard->moves.items[i].expert, (int)heard->moves.items[i].type), NULL);
        if (*left)
            --*left;
        else
            count++;
    }
    return count;
}

void cv_agreement_warn_left_out(cv_batch *b, const cv_hearing *heard)
{
    cv_arena *a = b->call->arena;
    CV_STATE_LIST(cv_str) ids = {0};
    for (size_t i = 0; i < heard->entities.count; i++)
        if (!cv_map_get(&b->local_at, heard->entities.items[i].local_id))
            *CV_PUSH(a, &ids) = heard->entities.items[i].local_id;
    size_t moves = count_moves_left_out(b, heard);
    if (ids.count + moves == 0)
        return;
    cv_notice *warning = cv_notice_add(&b->warnings, a, CV_STR("not_registered"),
                                       "responses of round %lld have more than is registered: items: %zu, moves: %zu",
                                       (long long)b->round, ids.count, moves);
    cv_notice_round(warning, b->round);
    if (ids.count)
        warning->ids = cv_json_texts(a, ids.items, ids.count);
}
