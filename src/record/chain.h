/* chain.h - the hashes that make the history tamper-evident.
 *
 *     row digest   SHA-256 over the canonical bytes of a row as a write left it
 *     event hash   SHA-256 over the hash before it and the event's canonical bytes (its own hash left out)
 *
 * Every row is vouched for by an event of the write that made or last changed it, in the event's `covers`:
 *
 *     {"entity/P/1/3": digest, "expert/muffin": digest}        rows that may change: one entry each
 *     {"added": digest}                                        all rows of the write that never change (seats,
 * origins, references, moves), in the order of a snapshot
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

/* The hash of an event whose other fields are set; `before` is empty for the first. */
cv_str cv_event_hash(cv_arena *a, cv_str before, const cv_rec_event *event);

#endif
