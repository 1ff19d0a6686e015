/* full_dialogue.h - a dialogue that a file has in full: every item with its id, text, references and status.
 *
 *     transcript (x.dialogue.md)   ->  full dialogue  ->  requests, as a judge would have made them
 *     dialogue.json                ->
 *
 * Other files are heard (script.h): what they mean has to be found out. These say it, so nothing is found out: what
 * they say is registered as it is, and what the record then derives otherwise is a difference.
 */
#ifndef CV_DIALOGUE_IMPORT_FULL_DIALOGUE_H
#define CV_DIALOGUE_IMPORT_FULL_DIALOGUE_H

#include "dialogue/import/importing.h"
#include "dialogue/people.h"
#include "dialogue/text/doc.h"

/* What an item had become at the end of a round, and how. */
typedef struct {
    int round;
    cv_status status;
    cv_people by;
    cv_str via, result, reason;
} cv_full_turn;

typedef struct {
    cv_ref type;
    cv_str target; /* as the file says it: P0001, @muffin */
    cv_str reason; /* what is said of it, or absent */
} cv_full_ref;

/* That a text is not its experts' own any more. */
typedef struct {
    bool told;
    cv_people by;
    cv_str reason;
} cv_full_correction;

typedef struct {
    cv_str id; /* as the file calls it; `known`: as the record does */
    cv_str known, local_id;
    cv_kind kind;
    int round, number;
    cv_str label, content, parameters; /* parameters: JSON, or empty */
    cv_people by;
    int status; /* as the file says; -1: it does not */
    CV_STATE_LIST(cv_full_ref) refs;
    CV_STATE_LIST(cv_full_turn) turns; /* by round, one for each */
    cv_full_correction correction;
    size_t line;
} cv_full_item;

typedef struct {
    int round;
    cv_str expert;
    cv_full_ref ref;
    size_t line;
} cv_full_link; /* a reference whose source is an expert */

typedef struct {
    int round;
    cv_str expert, context;
    cv_move type;
    CV_STATE_LIST(cv_str) targets;
    size_t line;
} cv_full_move;

typedef struct {
    cv_str slug, role, tier, relevance, source, focus, reason, color;
    bool sits[CV_MAX_ROUND + 1];
    bool sits_somewhere;
    size_t line;
} cv_full_expert;

typedef struct {
    cv_str expert, text;
} cv_full_speech;

typedef struct {
    bool told;
    cv_str title, summary;
    cv_points points;             /* total CV_ABSENT: not said */
    CV_STATE_LIST(cv_str) spoke;  /* slugs, in the order of the seats */
    CV_STATE_LIST(cv_str) silent; /* … those who sat and said nothing */
    CV_STATE_LIST(cv_full_speech) responses;
    CV_STATE_LIST(cv_full_speech) positions; /* what was said under no mark */
} cv_full_round;

typedef struct {
    int round;
    cv_str expert;
    cv_points points;
} cv_full_score;

typedef struct {
    cv_rec_verdict row; /* lists as JSON */
    bool done;
    size_t line;
} cv_full_verdict;

typedef struct {
    cv_script *s; /* of the report; title, question, status, date, pool */
    size_t sheet;
    bool exact;     /* it says how everything came about: a transcript */
    bool positions; /* it says what is under no mark; otherwise the responses do */
    cv_str id;      /* what the dialogue was called */
    cv_str background;
    CV_STATE_LIST(cv_full_expert) experts;
    cv_full_round rounds[CV_MAX_ROUND + 1];
    size_t round_count;
    CV_STATE_LIST(cv_full_item) items; /* in the order of the record after cv_full_settle */
    cv_map item_at;                    /* id of the file -> index + 1 */
    CV_STATE_LIST(cv_full_link) links;
    CV_STATE_LIST(cv_full_move) moves;
    CV_STATE_LIST(cv_full_score) scores;
    CV_STATE_LIST(cv_full_verdict) verdicts;
} cv_full_dialogue;

/* ---- readers ----------------------------------------------------------------------------------------------------- */

/* Is the document a transcript of ours, and of a whole dialogue? Then it is read into `ret`, whose script is set. */
bool cv_full_is_transcript(cv_arena *a, cv_str text);
void cv_full_read_transcript(cv_full_dialogue *ret, cv_str text);

/* The two shapes of dialogue.json that the specification prints, and plain exports (full_json.c). */
bool cv_full_is_json(const cv_json *document);
void cv_full_read_json(cv_full_dialogue *ret, const cv_json *document);

/* The round with this number, made when it is new; NULL above the ceiling, which is reported. */
cv_full_round *cv_full_round_at(cv_full_dialogue *t, int64_t round, size_t line);
cv_full_expert *cv_full_expert_at(cv_full_dialogue *t, cv_str slug);
cv_full_item *cv_full_find(const cv_full_dialogue *t, cv_str id);

/* Adds what became of an item: the last word of each round counts. */
void cv_full_turn_add(cv_full_dialogue *t, cv_full_item *item, const cv_full_turn *turn);

/* ---- the record -------------------------------------------------------------------------------------------------- */

/* As cv_script_import: false when nothing of it could be recorded. */
bool cv_full_import(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_imported *ret_imported);

/* A transcript against the one that the record gives now: every line that differs is reported. */
bool cv_full_compare(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_str text, cv_imported *imported);

/* A dialogue.json against the record: totals, scores, statuses. */
bool cv_full_compare_json(const cv_call *call, cv_record *record, cv_full_dialogue *t, cv_imported *imported);

/* What a transcript does not hold, for the report. */
void cv_full_tell_limits(cv_full_dialogue *t);

#endif
