/* records.h - what is kept about a dialogue: its rows, as tables of fields.
 *
 * Each kind of row is a list of fields. The struct, the binding to statements, the reading of rows, the canonical bytes
 * that hashes cover and the conformance tests all come from that list, so a new column is one line here and one in
 * the migration. Engines store and return these rows and know nothing else about dialogues.
 *
 *     TEXT   UTF-8 without NUL; a NULL view is absent
 *     JSON   compact canonical JSON text; absent as above
 *     INT    64 bits; CV_ABSENT is absent
 *
 * Every row belongs to one dialogue (the partition) and carries the `rev` of the write that made or last changed it.
 */
#ifndef CV_RECORD_RECORDS_H
#define CV_RECORD_RECORDS_H

#include "base/str.h"

#define CV_ABSENT INT64_MIN

/* clang-format off */

/* F(type, name) and O(type, name): the key fields first, in the order of the table's primary key behind dialogue_id.
 * Those with O are the outline of a row: enough for lists and for whatever looks at a dialogue from above. */
#define CV_DIALOGUE_FIELDS(F, O)                                                                                       \
    O(TEXT, title) F(TEXT, question) O(TEXT, status) O(TEXT, created_at) F(TEXT, converged_at)                         \
    O(INT, total_rounds) O(INT, total_alignment) F(TEXT, output_dir) F(INT, calibrated) F(TEXT, domain_id)             \
    F(TEXT, ethos_id) F(JSON, calibration) F(JSON, background) F(JSON, expert_pool) F(INT, panel_size)                 \
    F(TEXT, rotation) F(INT, seed) O(TEXT, convergence_target) F(INT, strict_convergence)

#define CV_EXPERT_FIELDS(F, O)                                                                                         \
    O(TEXT, expert_slug) O(INT, position) O(TEXT, role) F(TEXT, description) F(TEXT, focus) F(TEXT, tier)              \
    F(TEXT, source) F(TEXT, relevance) F(TEXT, creation_reason) F(TEXT, color) F(INT, total_score)                     \
    F(INT, first_round) F(TEXT, created_at)

#define CV_SEAT_FIELDS(F, O) O(INT, round) O(TEXT, expert_slug) O(INT, position) F(TEXT, source) F(TEXT, focus)

#define CV_ROUND_FIELDS(F, O)                                                                                          \
    O(INT, round) O(TEXT, title) O(INT, score) O(JSON, score_components) F(TEXT, summary) F(TEXT, status)              \
    F(TEXT, created_at) F(TEXT, completed_at)

#define CV_SCORE_FIELDS(F, O) O(INT, round) O(TEXT, expert_slug) O(INT, score) O(JSON, score_components)

/* content absent: the expert said that there is no contribution. */
#define CV_RESPONSE_FIELDS(F, O) O(INT, round) O(TEXT, expert_slug) F(TEXT, content) F(TEXT, sha256) F(TEXT, created_at)

/* The five kinds of entities share one shape: `kind` is the letter and chooses the table. */
#define CV_ENTITY_FIELDS(F, O)                                                                                         \
    O(TEXT, kind) O(INT, round) O(INT, seq) O(TEXT, label) F(TEXT, content) O(JSON, contributors)                      \
    O(TEXT, status) F(JSON, parameters) F(TEXT, adopted_in_verdict) F(TEXT, created_at)

/* Where an entity came from: a local id, and its bytes in the expert's response when they were found there. */
#define CV_ORIGIN_FIELDS(F, O)                                                                                         \
    O(TEXT, local_id) O(TEXT, display_id) O(TEXT, expert_slug) O(INT, round) O(TEXT, response_sha256)                  \
    O(INT, range_start) O(INT, range_end)

#define CV_REFERENCE_FIELDS(F, O)                                                                                      \
    O(TEXT, source_id) O(TEXT, ref_type) O(TEXT, target_id) O(TEXT, source_type) O(TEXT, target_type)                  \
    O(INT, round) O(INT, position) O(TEXT, created_at)

#define CV_MOVE_FIELDS(F, O)                                                                                           \
    O(INT, round) O(TEXT, expert_slug) O(INT, seq) F(INT, position) O(TEXT, move_type) F(JSON, targets)                \
    F(TEXT, context) F(TEXT, created_at)

#define CV_VERDICT_FIELDS(F, O)                                                                                        \
    O(TEXT, verdict_id) O(INT, position) O(TEXT, verdict_type) O(INT, round) F(TEXT, author_expert)                    \
    O(TEXT, recommendation) F(TEXT, description) F(JSON, conditions) O(TEXT, vote) O(TEXT, confidence)                 \
    F(JSON, tensions_resolved) F(JSON, tensions_accepted) F(JSON, recommendations_adopted) F(JSON, key_evidence)       \
    F(JSON, key_claims) F(JSON, supporting_experts) F(JSON, ethos_compliance) F(TEXT, warning)                         \
    F(TEXT, created_at)

/* One append-only history for everything. `subject_type`: P R T E C, or D dialogue, X expert, N panel, O round, S
 * response, V verdict. `covers` vouches for rows: an object from row keys (chain.h) to the SHA-256 of the row as the
 * write left it. `hash` covers the hash before it and all other fields. */
#define CV_EVENT_FIELDS(F, O)                                                                                          \
    F(INT, event_seq) F(TEXT, subject_type) O(TEXT, subject_id) O(TEXT, event_type) O(INT, event_round)                \
    F(JSON, actors) F(TEXT, reason) F(TEXT, result_id) F(TEXT, reference) F(JSON, data) F(JSON, covers)                \
    F(TEXT, created_at) F(TEXT, hash)

/* X(id, name, fields): all kinds of rows in the order in which a snapshot returns them. */
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
    X(EVENT, event, CV_EVENT_FIELDS)

/* clang-format on */

typedef enum {
#define X(id, name, fields) CV_REC_##id,
    CV_RECORDS(X)
#undef X
        CV_REC_COUNT
} cv_rec_kind;

#define CV_CTYPE_TEXT cv_str
#define CV_CTYPE_JSON cv_str
#define CV_CTYPE_INT int64_t
#define CV_MEMBER(type, name) CV_CTYPE_##type name;
#define X(id, name, fields)                                                                                            \
    typedef struct {                                                                                                   \
        int64_t rev;                                                                                                   \
        fields(CV_MEMBER, CV_MEMBER)                                                                                   \
    } cv_rec_##name;
CV_RECORDS(X)
#undef X

typedef enum { CV_FIELD_TEXT, CV_FIELD_JSON, CV_FIELD_INT } cv_field_type;

typedef struct {
    cv_str name;
    cv_field_type type;
    size_t offset; /* in the struct */
} cv_field;

typedef struct {
    cv_str name;                      /* "expert" */
    const cv_field *fields, *outline; /* all of them, and the outline's */
    size_t field_count, outline_count;
    size_t size; /* of the struct */
} cv_rec_type;

extern const cv_rec_type cv_rec_types[CV_REC_COUNT];

#endif
