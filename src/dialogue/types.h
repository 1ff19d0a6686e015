/* types.h - what is kept about a dialogue: its rows, as record types (record/type.h).
 *
 * A dialogue is the scope ("dialogue", id). Its rows are of these types; its history is in the common events, whose
 * `step` is a round and whose subject types are letters: P R T E C, or D dialogue, X expert, N panel, O round, S
 * response, V verdict.
 */
#ifndef CV_DIALOGUE_TYPES_H
#define CV_DIALOGUE_TYPES_H

#include "record/record.h"

/* clang-format off */

#define CV_DIALOGUE_FIELDS(F)                                                                                          \
    F(TEXT, KEY, id) F(TEXT, OUTLINE, title) F(TEXT, LONG, question) F(TEXT, OUTLINE, status)                          \
    F(TEXT, OUTLINE, created_at) F(TEXT, PLAIN, converged_at) F(INT, OUTLINE, total_rounds)                            \
    F(INT, OUTLINE, total_alignment) F(TEXT, PLAIN, output_dir) F(FLAG, PLAIN, calibrated) F(TEXT, PLAIN, domain_id)   \
    F(TEXT, PLAIN, ethos_id) F(JSON, PLAIN, calibration) F(JSON, LONG, background) F(JSON, PLAIN, expert_pool)         \
    F(INT, PLAIN, panel_size) F(TEXT, PLAIN, rotation) F(INT, PLAIN, seed) F(DECIMAL, OUTLINE, convergence_target)     \
    F(FLAG, PLAIN, strict_convergence) F(FLAG, OUTLINE, archived) F(JSON, OUTLINE, tags)

#define CV_EXPERT_FIELDS(F)                                                                                            \
    F(TEXT, KEY, expert_slug) F(INT, OUTLINE, position) F(TEXT, OUTLINE, role) F(TEXT, LONG, description)              \
    F(TEXT, PLAIN, focus) F(TEXT, PLAIN, tier) F(TEXT, PLAIN, source) F(DECIMAL, PLAIN, relevance)                     \
    F(TEXT, PLAIN, creation_reason) F(TEXT, PLAIN, color) F(INT, PLAIN, total_score) F(INT, PLAIN, first_round)        \
    F(TEXT, PLAIN, created_at)

/* A panel that replaces another one of its round puts all seats of the round again. Those who lose theirs have no
 * position. */
#define CV_SEAT_FIELDS(F)                                                                                              \
    F(INT, KEY, round) F(TEXT, KEY, expert_slug) F(INT, OUTLINE, position) F(TEXT, PLAIN, source) F(TEXT, PLAIN, focus)

#define CV_ROUND_FIELDS(F)                                                                                             \
    F(INT, KEY, round) F(TEXT, OUTLINE, title) F(INT, OUTLINE, score) F(JSON, OUTLINE, score_components)               \
    F(TEXT, LONG, summary) F(TEXT, PLAIN, status) F(TEXT, PLAIN, created_at) F(TEXT, PLAIN, completed_at)

#define CV_SCORE_FIELDS(F)                                                                                             \
    F(INT, KEY, round) F(TEXT, KEY, expert_slug) F(INT, OUTLINE, score) F(JSON, OUTLINE, score_components)

/* content absent: the expert said that there is no contribution. The outline is all but the content. */
#define CV_RESPONSE_FIELDS(F)                                                                                          \
    F(INT, KEY, round) F(TEXT, KEY, expert_slug) F(TEXT, LONG, content) F(TEXT, OUTLINE, sha256)                       \
    F(TEXT, OUTLINE, created_at)

/* The five kinds of entities share one shape: `kind` is the letter. The outline is all but the content. A text that was
 * changed since it was registered has a correction: {"by": ["judge"], "reason": …}, the last one. */
#define CV_ENTITY_FIELDS(F)                                                                                            \
    F(TEXT, KEY, kind) F(INT, KEY, round) F(INT, KEY, seq) F(TEXT, OUTLINE, label) F(TEXT, LONG, content)              \
    F(JSON, OUTLINE, contributors) F(TEXT, OUTLINE, status) F(JSON, OUTLINE, parameters)                               \
    F(TEXT, OUTLINE, adopted_in_verdict) F(TEXT, OUTLINE, created_at) F(JSON, LONG, correction)

/* Where an entity came from: a local id, and its bytes in the expert's response when they were found there. */
#define CV_ORIGIN_FIELDS(F)                                                                                            \
    F(TEXT, KEY, local_id) F(TEXT, OUTLINE, display_id) F(TEXT, OUTLINE, expert_slug) F(INT, OUTLINE, round)           \
    F(TEXT, OUTLINE, response_sha256) F(INT, OUTLINE, range_start) F(INT, OUTLINE, range_end)

#define CV_REFERENCE_FIELDS(F)                                                                                         \
    F(TEXT, KEY, source_id) F(TEXT, KEY, ref_type) F(TEXT, KEY, target_id) F(TEXT, OUTLINE, source_type)               \
    F(TEXT, OUTLINE, target_type) F(INT, OUTLINE, round) F(INT, OUTLINE, position) F(TEXT, OUTLINE, created_at)        \
    F(TEXT, LONG, reason)

#define CV_MOVE_FIELDS(F)                                                                                              \
    F(INT, KEY, round) F(TEXT, KEY, expert_slug) F(INT, KEY, seq) F(INT, PLAIN, position) F(TEXT, OUTLINE, move_type)  \
    F(JSON, PLAIN, targets) F(TEXT, LONG, context) F(TEXT, PLAIN, created_at)

#define CV_VERDICT_FIELDS(F)                                                                                           \
    F(TEXT, KEY, verdict_id) F(INT, OUTLINE, position) F(TEXT, OUTLINE, verdict_type) F(INT, OUTLINE, round)           \
    F(TEXT, OUTLINE, author_expert) F(TEXT, OUTLINE, recommendation) F(TEXT, LONG, description)                        \
    F(JSON, PLAIN, conditions) F(TEXT, OUTLINE, vote) F(TEXT, OUTLINE, confidence) F(JSON, PLAIN, tensions_resolved)   \
    F(JSON, PLAIN, tensions_accepted) F(JSON, PLAIN, recommendations_adopted) F(JSON, PLAIN, key_evidence)             \
    F(JSON, PLAIN, key_claims) F(JSON, PLAIN, supporting_experts) F(JSON, PLAIN, ethos_compliance)                     \
    F(TEXT, PLAIN, warning) F(TEXT, PLAIN, created_at)

/* What an expert said in a round besides items, references and moves. */
#define CV_POSITION_FIELDS(F)                                                                                          \
    F(INT, KEY, round) F(TEXT, KEY, expert_slug) F(TEXT, LONG, content) F(TEXT, OUTLINE, created_at)

/* Volatile: this dialogue was put here from an export; its folders are those of another project. */
#define CV_IMPORTED_FIELDS(F) F(TEXT, KEY, digest) F(TEXT, PLAIN, created_at)

/* X(id, name, fields): all kinds of rows in the order in which they are read; events come last. */
#define CV_RECORDS(X)                                                                                                  \
    X(DIALOGUE, dialogue, CV_DIALOGUE_FIELDS)                                                                          \
    X(EXPERT, expert, CV_EXPERT_FIELDS)                                                                                \
    X(SEAT, seat, CV_SEAT_FIELDS)                                                                                      \
    X(ROUND, round, CV_ROUND_FIELDS)                                                                                   \
    X(SCORE, score, CV_SCORE_FIELDS)                                                                                   \
    X(RESPONSE, response, CV_RESPONSE_FIELDS)                                                                          \
    X(ENTITY, entity, CV_ENTITY_FIELDS)                                                                                \
    X(ORIGIN, origin, CV_ORIGIN_FIELDS)                                                                                \
    X(REFERENCE, reference, CV_REFERENCE_FIELDS)                                                                       \
    X(MOVE, move, CV_MOVE_FIELDS)                                                                                      \
    X(VERDICT, verdict, CV_VERDICT_FIELDS)                                                                             \
    X(POSITION, position, CV_POSITION_FIELDS)

/* clang-format on */

typedef enum {
#define X(id, name, fields) CV_REC_##id,
    CV_RECORDS(X)
#undef X
        CV_REC_EVENT,
    CV_REC_COUNT
} cv_rec_kind;

#define X(id, name, fields) CV_TYPE_STRUCT(cv_rec_##name, fields)
CV_RECORDS(X)
#undef X
CV_TYPE_STRUCT(cv_rec_imported, CV_IMPORTED_FIELDS)
typedef cv_event_row cv_rec_event;

extern const cv_type *const cv_kind_types[CV_REC_COUNT];

/* The indexes that are asked for by name. */
extern const cv_index *const cv_dialogues_by_status, *const cv_dialogues_by_time,
                                                         *const cv_dialogues_archived; /* across dialogues */
extern const cv_index *const cv_origins_by_display, *const cv_references_by_target;

/* All of them, and where a dialogue is kept. */
extern const cv_room_types cv_dialogue_records;
static inline cv_scope_id cv_dialogue_scope(cv_str id)
{
    return (cv_scope_id){CV_STR("dialogue"), id};
}

#endif
