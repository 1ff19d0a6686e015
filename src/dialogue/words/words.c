/* words.c - the words of the domain, made from the tables; see words.h. */
#include "dialogue/words/words.h"

#include <assert.h>

/* ---- kinds and statuses ---------------------------------------------------------------------- */

const cv_kind_row cv_kinds[] = {
#define KIND(id, letter, word, plural, purpose) {letter, CV_STR_INIT(word), CV_STR_INIT(plural), CV_STR_INIT(purpose)},
#include "dialogue/words/kinds.def"
#undef KIND
};
_Static_assert(CV_COUNT(cv_kinds) == CV_KIND_COUNT, "a row per value");

int cv_kind_of_letter(char letter)
{
    static const signed char kinds[26] = {
#define KIND(id, letter, word, plural, purpose) [(letter) - 'A'] = CV_KIND_##id + 1,
#include "dialogue/words/kinds.def"
#undef KIND
    };
    return cv_is_upper(letter) ? kinds[letter - 'A'] - 1 : -1;
}

const cv_status_row cv_statuses[] = {
#define STATUS(kind, id, word) {CV_KIND_##kind, CV_STR_INIT(word)},
#define TRANSITION(kind, from, to)
#include "dialogue/words/lifecycle.def"
#undef STATUS
#undef TRANSITION
};
_Static_assert(CV_COUNT(cv_statuses) == CV_STATUS_COUNT, "a row per value");

static const struct {
    cv_status from, to;
} transitions[] = {
#define STATUS(kind, id, word)
#define TRANSITION(kind, from, to) {CV_STATUS_##kind##_##from, CV_STATUS_##kind##_##to},
#include "dialogue/words/lifecycle.def"
#undef STATUS
#undef TRANSITION
};

cv_status cv_status_first(cv_kind kind)
{
    int status = 0;
    while (cv_statuses[status].kind != kind)
        status++;
    return (cv_status)status;
}

int cv_status_find(cv_kind kind, cv_str word)
{
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == kind && cv_str_eq_nocase(cv_statuses[status].word, word))
            return status;
    return -1;
}

size_t cv_status_words(cv_str ret_words[CV_STATUS_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < CV_STATUS_COUNT; i++)
        if (cv_words_find((cv_words){ret_words, count}, cv_statuses[i].word) < 0)
            ret_words[count++] = cv_statuses[i].word;
    return count;
}

bool cv_status_may_become(cv_status from, cv_status to)
{
    assert(from < CV_STATUS_COUNT && to < CV_STATUS_COUNT);
    for (size_t i = 0; i < CV_COUNT(transitions); i++)
        if (transitions[i].from == from && transitions[i].to == to)
            return true;
    return from == to;
}

bool cv_tension_status_is_open(cv_status status)
{
    return status == CV_STATUS_TENSION_OPEN || status == CV_STATUS_TENSION_ADDRESSED ||
           status == CV_STATUS_TENSION_REOPENED;
}

static const cv_tracked_word tracked[] = {
#define TRACKED(word, status, clear) {CV_STR_INIT(word), CV_STATUS_TENSION_##status, clear},
#include "dialogue/words/words.def"
#undef TRACKED
};

const cv_tracked_word *cv_tracked_find(cv_str cell, size_t *ret_at)
{
    for (*ret_at = 0; *ret_at < cell.n; ++*ret_at)
        for (size_t i = 0; i < CV_COUNT(tracked); i++)
            if (cv_str_starts_nocase(cv_str_from(cell, *ret_at), tracked[i].word))
                return &tracked[i];
    return NULL;
}

/* ---- references, moves and the small vocabularies ---------------------------------------------- */

static const cv_str ref_words[] = {
#define REF(id, word, targets, purpose) CV_STR_INIT(word),
#include "dialogue/words/words.def"
#undef REF
};
_Static_assert(CV_COUNT(ref_words) == CV_REF_COUNT, "a row per value");
const cv_words cv_ref_words = {ref_words, CV_REF_COUNT};
const cv_ref_row cv_refs[] = {
#define REF(id, word, targets, purpose) {CV_TARGETS_##targets, CV_STR_INIT(purpose)},
#include "dialogue/words/words.def"
#undef REF
};
_Static_assert(CV_COUNT(cv_refs) == CV_REF_COUNT, "a row per value");

bool cv_ref_fits(cv_ref ref, cv_kind source, cv_kind target)
{
    switch (cv_refs[ref].targets) {
    case CV_TARGETS_TENSION:
        return target == CV_KIND_TENSION;
    case CV_TARGETS_SAME:
        return target == source;
    case CV_TARGETS_ANY:
        break;
    }
    return true;
}

bool cv_ref_joins(cv_ref ref, char source, char target)
{
    int from = cv_kind_of_letter(source), to = cv_kind_of_letter(target);
    if (from < 0 || to < 0)
        return cv_refs[ref].targets == CV_TARGETS_ANY || (cv_refs[ref].targets == CV_TARGETS_TENSION && target == 'T');
    return cv_ref_fits(ref, (cv_kind)from, (cv_kind)to);
}

static const cv_str move_words[] = {
#define MOVE(id, word, argument, purpose) CV_STR_INIT(word),
#include "dialogue/words/words.def"
#undef MOVE
};
_Static_assert(CV_COUNT(move_words) == CV_MOVE_COUNT, "a row per value");
const cv_words cv_move_words = {move_words, CV_MOVE_COUNT};
const cv_move_row cv_moves[] = {
#define MOVE(id, word, argument, purpose) {CV_STR_INIT(argument), CV_STR_INIT(purpose)},
#include "dialogue/words/words.def"
#undef MOVE
};
_Static_assert(CV_COUNT(cv_moves) == CV_MOVE_COUNT, "a row per value");

#define TIER(id, word, purpose) CV_STR_INIT(word),
static const cv_str tier_words[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(tier_words) == CV_TIER_COUNT, "a row per value");
#undef TIER
const cv_words cv_tier_words = {tier_words, CV_TIER_COUNT};

#define SOURCE(id, word, purpose) CV_STR_INIT(word),
static const cv_str source_words[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(source_words) == CV_SOURCE_COUNT, "a row per value");
#undef SOURCE
const cv_words cv_source_words = {source_words, CV_SOURCE_COUNT};

#define VERDICT(id, word, purpose) CV_STR_INIT(word),
static const cv_str verdict_words[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(verdict_words) == CV_VERDICT_COUNT, "a row per value");
#undef VERDICT
const cv_words cv_verdict_words = {verdict_words, CV_VERDICT_COUNT};
#define VERDICT(id, word, purpose) CV_STR_INIT(purpose),
const cv_str cv_verdict_purposes[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(cv_verdict_purposes) == CV_VERDICT_COUNT, "a row per value");
#undef VERDICT

#define CONFIDENCE(id, word, purpose) CV_STR_INIT(word),
static const cv_str confidence_words[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(confidence_words) == CV_CONFIDENCE_COUNT, "a row per value");
#undef CONFIDENCE
const cv_words cv_confidence_words = {confidence_words, CV_CONFIDENCE_COUNT};

#define DIALOGUE(id, word, purpose) CV_STR_INIT(word),
static const cv_str dialogue_words[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(dialogue_words) == CV_DIALOGUE_COUNT, "a row per value");
#undef DIALOGUE
const cv_words cv_dialogue_words = {dialogue_words, CV_DIALOGUE_COUNT};
const cv_str cv_round_completed = CV_STR_INIT("completed");

#define EVENT(id, word) CV_STR_INIT(word),
static const cv_str event_words[] = {
#include "dialogue/words/words.def"
};
_Static_assert(CV_COUNT(event_words) == CV_EVENT_COUNT, "a row per value");
#undef EVENT
const cv_words cv_event_words = {event_words, CV_EVENT_COUNT};

/* ---- marks ----------------------------------------------------------------------------------- */

const cv_mark_row cv_marks_table[] = {
#define MARK(id, word, json, shape, purpose) {CV_STR_INIT(word), CV_SHAPE_##shape, CV_STR_INIT(purpose)},
#include "dialogue/words/marks.def"
#undef MARK
};
_Static_assert(CV_COUNT(cv_marks_table) == CV_MARK_COUNT, "a row per value");

#define MARK(id, word, json, shape, purpose) CV_STR_INIT(json),
static const cv_str mark_names[] = {
#include "dialogue/words/marks.def"
};
_Static_assert(CV_COUNT(mark_names) == CV_MARK_COUNT, "a row per value");
#undef MARK
const cv_words cv_mark_names = {mark_names, CV_MARK_COUNT};

static const struct {
    cv_str word;
    cv_mark_type type;
} spellings[] = {
#define MARK(id, word, json, shape, purpose) {CV_STR_INIT(word), CV_MARK_##id},
#include "dialogue/words/marks.def"
#undef MARK
#define ALIAS(word, id) {CV_STR_INIT(word), CV_MARK_##id},
#include "dialogue/words/marks.def"
#undef ALIAS
};

int cv_mark_word_at(cv_str s, size_t *ret_length, bool *ret_alias)
{
    for (size_t i = 0; i < CV_COUNT(spellings); i++) {
        cv_str word = spellings[i].word;
        if (word.p[0] != s.p[0] || !cv_str_starts(s, word))
            continue;
        char next = s.n > word.n ? s.p[word.n] : ']';
        if (cv_is_alnum(next) || next == '-' || next == '_')
            continue; /* the beginning of a longer word */
        *ret_length = word.n;
        *ret_alias = i >= CV_MARK_COUNT;
        return (int)spellings[i].type;
    }
    return -1;
}

cv_str cv_mark_word_nearest(cv_str word)
{
    cv_str words[CV_MARK_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < CV_MARK_COUNT; i++)
        if (cv_marks_table[i].purpose.n > 0 && cv_marks_table[i].word.n > 4)
            words[count++] = cv_marks_table[i].word;
    return cv_str_nearest(word, words, count);
}

static const cv_str panel_names[] = {
    CV_STR_INIT("muffin"),      CV_STR_INIT("cupcake"),      CV_STR_INIT("scone"),     CV_STR_INIT("eclair"),
    CV_STR_INIT("donut"),       CV_STR_INIT("brioche"),      CV_STR_INIT("croissant"), CV_STR_INIT("macaron"),
    CV_STR_INIT("cannoli"),     CV_STR_INIT("strudel"),      CV_STR_INIT("beignet"),   CV_STR_INIT("churro"),
    CV_STR_INIT("profiterole"), CV_STR_INIT("tartlet"),      CV_STR_INIT("galette"),   CV_STR_INIT("palmier"),
    CV_STR_INIT("kouign"),      CV_STR_INIT("sfogliatella"), CV_STR_INIT("financier"), CV_STR_INIT("religieuse"),
};
const cv_words cv_panel_names = {panel_names, CV_COUNT(panel_names)};
const cv_str cv_expert_emoji = CV_STR_INIT("🧁"), cv_judge_emoji = CV_STR_INIT("💙"),
             cv_judge_name = CV_STR_INIT("Judge");
