/* words.h - the words of the domain.
 *
 * Each vocabulary is a table in a .def file; the enums, the words, the parsers' keywords, the schema enums and the
 * texts of the specification all come from its rows. A new word is a new row.
 *
 *     cv_ref_words.items[CV_REF_SUPPORT]     "support"
 *     cv_words_find(cv_ref_words, text)      CV_REF_SUPPORT for "SUPPORT", -1 for any other word
 */
#ifndef CV_DIALOGUE_WORDS_WORDS_H
#define CV_DIALOGUE_WORDS_WORDS_H

#include "base/str.h"

/* ---- kinds ---------------------------------------------------------------------------------- */

typedef enum {
#define KIND(id, letter, word, plural, purpose) CV_KIND_##id,
#include "dialogue/words/kinds.def"
#undef KIND
    CV_KIND_COUNT
} cv_kind;

typedef struct {
    char letter;
    cv_str word, plural, purpose;
} cv_kind_row;

extern const cv_kind_row cv_kinds[CV_KIND_COUNT];

int cv_kind_of_letter(char letter); /* a cv_kind for P R T E C, else -1 */

/* ---- statuses ------------------------------------------------------------------------------- */

/* All statuses of all kinds; the same word in two kinds is two statuses. */
typedef enum {
#define STATUS(kind, id, word) CV_STATUS_##kind##_##id,
#define TRANSITION(kind, from, to)
#include "dialogue/words/lifecycle.def"
#undef STATUS
#undef TRANSITION
    CV_STATUS_COUNT
} cv_status;

typedef struct {
    cv_kind kind;
    cv_str word;
} cv_status_row;

extern const cv_status_row cv_statuses[CV_STATUS_COUNT];

cv_status cv_status_first(cv_kind kind);
int cv_status_find(cv_kind kind, cv_str word);             /* a cv_status, or -1 */
size_t cv_status_words(cv_str ret_words[CV_STATUS_COUNT]); /* each once, though several kinds may have it */
bool cv_status_may_become(cv_status from, cv_status to);

/* Is a tension with this status still open (open, addressed, reopened)? */
bool cv_tension_status_is_open(cv_status status);

/* What people write into the status column of a tracker. */
typedef struct {
    cv_str word;
    cv_status status; /* of a tension */
    bool is_clear;    /* else it says how the tension moved, and only suggests the status */
} cv_tracked_word;

/* The first known word in a cell, and where it is; NULL: there is none. */
const cv_tracked_word *cv_tracked_find(cv_str cell, size_t *ret_at);

/* ---- references, moves and the small vocabularies ---------------------------------------------- */

typedef enum { CV_TARGETS_ANY, CV_TARGETS_TENSION, CV_TARGETS_SAME } cv_ref_targets;

typedef enum {
#define REF(id, word, targets, purpose) CV_REF_##id,
#include "dialogue/words/words.def"
#undef REF
    CV_REF_COUNT
} cv_ref;

typedef struct {
    cv_ref_targets targets;
    cv_str purpose;
} cv_ref_row;

extern const cv_words cv_ref_words;
extern const cv_ref_row cv_refs[CV_REF_COUNT];

/* May a `ref` go from an entity of kind `source` to one of kind `target`? */
bool cv_ref_fits(cv_ref ref, cv_kind source, cv_kind target);

/* The same for letters, where '@' is an expert's position: it can be supported, opposed, questioned and depended on,
 * like anything, and it can address, resolve and reopen tensions. */
bool cv_ref_joins(cv_ref ref, char source, char target);

typedef enum {
#define MOVE(id, word, argument, purpose) CV_MOVE_##id,
#include "dialogue/words/words.def"
#undef MOVE
    CV_MOVE_COUNT
} cv_move;

typedef struct {
    cv_str argument, purpose;
} cv_move_row;

extern const cv_words cv_move_words;
extern const cv_move_row cv_moves[CV_MOVE_COUNT];

#define TIER(id, word, purpose) CV_TIER_##id,
typedef enum {
#include "dialogue/words/words.def"
    CV_TIER_COUNT
} cv_tier;
#undef TIER
extern const cv_words cv_tier_words;

#define SOURCE(id, word, purpose) CV_SOURCE_##id,
typedef enum {
#include "dialogue/words/words.def"
    CV_SOURCE_COUNT
} cv_source;
#undef SOURCE
extern const cv_words cv_source_words;

#define VERDICT(id, word, purpose) CV_VERDICT_##id,
typedef enum {
#include "dialogue/words/words.def"
    CV_VERDICT_COUNT
} cv_verdict;
#undef VERDICT
extern const cv_words cv_verdict_words;
extern const cv_str cv_verdict_purposes[CV_VERDICT_COUNT];

#define CONFIDENCE(id, word, purpose) CV_CONFIDENCE_##id,
typedef enum {
#include "dialogue/words/words.def"
    CV_CONFIDENCE_COUNT
} cv_confidence;
#undef CONFIDENCE
extern const cv_words cv_confidence_words;

#define DIALOGUE(id, word, purpose) CV_DIALOGUE_##id,
typedef enum {
#include "dialogue/words/words.def"
    CV_DIALOGUE_COUNT
} cv_dialogue_status;
#undef DIALOGUE
extern const cv_words cv_dialogue_words;
extern const cv_str cv_round_completed; /* the status of every round that is registered */

#define EVENT(id, word) CV_EVENT_##id,
typedef enum {
#include "dialogue/words/words.def"
    CV_EVENT_COUNT
} cv_event;
#undef EVENT
extern const cv_words cv_event_words;

/* ---- marks ----------------------------------------------------------------------------------- */

typedef enum {
    CV_SHAPE_ENTITY,
    CV_SHAPE_TARGETS,
    CV_SHAPE_LABEL,
    CV_SHAPE_REF,
    CV_SHAPE_MOVE,
    CV_SHAPE_VERDICT
} cv_mark_shape;

typedef enum {
#define MARK(id, word, json, shape, purpose) CV_MARK_##id,
#include "dialogue/words/marks.def"
#undef MARK
    CV_MARK_COUNT
} cv_mark_type;

typedef struct {
    cv_str word;
    cv_mark_shape shape;
    cv_str purpose;
} cv_mark_row;

extern const cv_mark_row cv_marks_table[CV_MARK_COUNT];
extern const cv_words cv_mark_names; /* "perspective", "reference", …: the marks in JSON */

/* The mark word that the non-empty `s` begins with: its type and length, *ret_alias when it is another spelling.
 * -1 when there is none. The first five types are the kinds, in the same order. */
int cv_mark_word_at(cv_str s, size_t *ret_length, bool *ret_alias);

/* The mark word nearest to a misspelt one, or an empty view. */
cv_str cv_mark_word_nearest(cv_str word);

/* The names that panels are dealt in order, and the emoji that experts and the judge carry. */
extern const cv_words cv_panel_names;
extern const cv_str cv_expert_emoji, cv_judge_emoji, cv_judge_name;

#endif
