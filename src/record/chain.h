/* chain.h - the hashes that make the history tamper-evident.
 *
 *     row digest   SHA-256 over the canonical bytes of a row as a write left it
 *     event hash   SHA-256 over the hash before it and the event's canonical bytes (its own hash left out); before the
 *                  first event stands the dialogue's id
 *     seal         SHA-256 over the seal of the commit before it and the commit: number, dialogue, rev, head, op digest
 *
 * Every row is vouched for by an event of the write that made or last changed it, in the event's `covers`:
 *
 *     {"entity/P/1/3": digest, "expert/muffin": digest}        rows that may change: one entry each
 *     {"added": digest}                                        all rows of the write that never change (seats,
 * origins, references, moves), in the order of a snapshot
 *     {"op": digest}                                           the row of the write in ops: its key and its answer
 *
 * Canonical bytes of a row: its kind, then every field in the order of records.h: name, type, length, bytes; absent
 * values are told from empty ones. `rev` is not covered: it is the store's. Hashes are 64 lower-case hex digits.
 */
#ifndef CV_RECORD_CHAIN_H
#define CV_RECORD_CHAIN_H

#include "base/arena.h"
#include "record/records.h"

enum { CV_HASH_LEN = 64 };

/* SHA-256 of some bytes, in hex. */
cv_str cv_sha256(cv_arena *a, cv_str bytes);

/* "entity/P/1/3": the kind and the key fields of a row. */
cv_str cv_row_key(cv_arena *a, cv_rec_kind kind, const void *row);

/* Rows of this kind are only added, never changed: they are vouched for together. */
bool cv_rec_is_fixed(cv_rec_kind kind);

/* Compares two rows of a kind in the order of a snapshot. */
int cv_row_compare(cv_rec_kind kind, const void *x, const void *y);

/* A digest over several rows in the order in which they are added. */
typedef struct cv_digest cv_digest;
cv_digest *cv_digest_begin(cv_arena *a);
void cv_digest_row(cv_digest *d, cv_rec_kind kind, const void *row);
cv_str cv_digest_end(cv_digest *d);

/* The hash of an event whose other fields are set; `before` is cv_chain_root() for the first. */
cv_str cv_event_hash(cv_arena *a, cv_str before, const cv_rec_event *event);
cv_str cv_chain_root(cv_arena *a, cv_str dialogue_id);

/* One write as the store keeps it: by which key it happens once, and what a replay answers. */
typedef struct {
    int64_t number; /* of the commit, in the whole store */
    cv_str dialogue_id;
    cv_str op_id;
    int64_t rev;
    cv_str digest, created_at, result;
    cv_str head; /* hash of its last event */
} cv_op_row;

cv_str cv_op_row_digest(cv_arena *a, const cv_op_row *op); /* of op_id, rev, digest, created_at and result */

/* The write that put a whole dialogue of another store here has no event of its own: the events are those of the other
 * store. Its op_id is this word and its digest, its result an empty object. */
#define CV_RESTORE_OP "restore-"
bool cv_op_row_is_restore(const cv_op_row *op);

/* The seal of a commit; `before` is that of the commit before it, empty for the first. */
cv_str cv_seal_hash(cv_arena *a, cv_str before, const cv_op_row *op);

#endif
