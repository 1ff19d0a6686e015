/* verifier.h - one dialogue being verified: what the parts of it share.
 *
 * One snapshot, in its own order: rows first, then the events that vouch for them.
 *
 *     row that may change     its digest now        <->  the last event that covers its key       (verify_rows.c)
 *     rows that never change  one digest per write  <->  "added" of that write
 *     event                   hash of the one before, number, rev, time                          (verify_events.c)
 *     row of a write in ops   its digest            <->  "op" of that write                       (verify_ops.c)
 *     facts                   statuses, totals, numbers, references                               (verify_facts.c)
 *
 * Rows of ops are read after the snapshot; writes that came in between are left out.
 *
 * The chain is judged while it is read; what the rows say is judged when all of it is known: first the position, then
 * the rows, the facts, and what was added. The first thing that does not agree is the answer.
 */
#ifndef CV_DIALOGUE_VERIFY_VERIFIER_H
#define CV_DIALOGUE_VERIFY_VERIFIER_H

#include "dialogue/place.h"
#include "dialogue/state.h"
#include "record/chain.h"

/* A row that may change, and what the last event about it says. */
typedef struct {
    cv_str key;
    int64_t rev;
    int64_t event_seq; /* 0: no event covers it */
    int64_t event_rev;
    char digest[CV_HASH_LEN], expected[CV_HASH_LEN];
} cv_row_proof;

/* All rows of one write that never change. */
typedef struct {
    int64_t rev;
    cv_digest *digest;
    size_t counts[CV_REC_COUNT];
    int64_t event_seq; /* 0: no event vouches for them */
    char expected[CV_HASH_LEN];
} cv_added_proof;

/* What the events say about the row of a write in ops. */
typedef struct {
    char expected[CV_HASH_LEN];
} cv_op_proof;

typedef struct {
    cv_str slug;
    int64_t total, sum; /* as the row says, and as the scores add up */
} cv_expert_sum;

typedef struct {
    cv_arena arena;   /* lives as long as the dialogue is looked at */
    cv_arena scratch; /* … as one row */
    cv_str id;
    CV_STATE_LIST(cv_row_proof) rows;
    cv_map row_at; /* key -> index + 1 */
    CV_STATE_LIST(cv_added_proof) added;
    cv_map added_at; /* rev in decimal -> index + 1 */

    CV_STATE_LIST(cv_op_proof) ops; /* of rev 1, 2, 3 … */

    int64_t events, last_rev;
    char last_hash[CV_HASH_LEN], last_time[CV_TIME_LEN];

    uint8_t statuses[CV_PLACES]; /* cv_status + 1 as the row says; 0: no such entity */
    uint8_t folded[CV_PLACES];   /* … as the events say */
    uint32_t last_place;
    CV_STATE_LIST(cv_expert_sum) experts;
    cv_map expert_at; /* slug -> index + 1 */
    int64_t rounds, alignment;
    int64_t total_rounds, total_alignment;
    cv_err fact; /* the first fact that does not agree; code NONE: none */
} cv_verify;

/* Verifies one dialogue; `v` is only room to work in. */
bool cv_verify_dialogue(cv_call *call, cv_verify *v, cv_str id, cv_position *ret_position, cv_err *err);

/* "dialogue 'x': PLACE: message", with the place as value. Always false. */
bool cv_verify_fail(const cv_verify *v, cv_str place, cv_err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void cv_verify_row(cv_verify *v, cv_rec_kind kind, const void *row);
bool cv_verify_covers(cv_verify *v, const cv_rec_event *event, cv_err *err);
bool cv_verify_rows(cv_verify *v, cv_err *err);
bool cv_verify_added(cv_verify *v, cv_err *err);

bool cv_verify_event(cv_verify *v, const cv_rec_event *event, cv_err *err);
bool cv_verify_position(cv_verify *v, const cv_position *position, cv_err *err);

bool cv_verify_cover_op(cv_verify *v, const cv_rec_event *event, cv_str digest, cv_err *err);
bool cv_verify_ops(cv_call *call, cv_verify *v, cv_err *err);

void cv_verify_fact(cv_verify *v, cv_rec_kind kind, const void *row);
bool cv_verify_facts(cv_verify *v, cv_err *err);

#endif
