/* hash.h - the hashes that make the history of a scope tamper-evident.
 *
 *     row digest   SHA-256 over the canonical bytes of a row
 *     event hash   SHA-256 over the hash before it and the event's canonical bytes (its own hash left out)
 *     the start    the hash before the first event: SHA-256 over room and name of the scope
 *
 * Canonical bytes of a row: the type's name, then every field that is there, in the order of the type's table: name,
 * type, length, bytes. A LONG text enters by its own SHA-256. `rev` is not covered: it is the store's, and events say
 * which it must be.
 *
 * The events of a write cover, in `covers`, all that the write did:
 *
 *     {"card/3": digest}             a row that may change: one entry each, as the write left it
 *     {"added/line": digest}         all rows of an added or grouped type, in the order of their keys
 *     {"replaced/line/7": digest}    all rows of a grouped type that write 7 put, as they were: this puts them again
 *     {"commit": digest}             the row of the write itself, without its head; always in the last event
 *     {"redacted/line/7/text": hash} from now on the text is there by its hash alone
 *
 * A redacted text is stored as {"redacted_sha256":"…"}, which is valid JSON and valid text. It stands for the hash in
 * it, so rows and events verify as before. Nobody can write such a text as an ordinary value (cv_row_valid), and
 * verification wants a redaction in `covers` for each.
 *
 * Hashes are 64 lower-case hex digits.
 */
#ifndef CV_RECORD_HASH_H
#define CV_RECORD_HASH_H

#include <nettle/sha2.h>

#include "record/type.h"

enum { CV_HASH_DIGITS = 64, CV_REDACTED_LEN = CV_HASH_DIGITS + 22 };

/* Short pieces are gathered: a row has a dozen of them. */
typedef struct {
    struct sha256_ctx sha;
    size_t waiting;
    char bytes[512];
} cv_hash;

void cv_hash_begin(cv_hash *h);
void cv_hash_row(cv_hash *h, const cv_type *type, const void *row);
cv_str cv_hash_end(cv_hash *h, cv_arena *a);
bool cv_hash_add(void *hash, cv_str bytes); /* as the sink of a buffer: what flows through it is hashed, never kept */

/* Of some bytes; of one row; of a commit row without its head. */
cv_str cv_hash_text(cv_arena *a, cv_str bytes);
cv_str cv_hash_one(cv_arena *a, const cv_type *type, const void *row);
cv_str cv_hash_commit(cv_arena *a, const cv_commit_row *row);

/* The hash before the first event of a scope. */
cv_str cv_hash_scope(cv_arena *a, cv_str room, cv_str name);

/* The hash of an event whose other fields are set. */
cv_str cv_hash_event(cv_arena *a, cv_str before, const cv_event_row *event);

/* What is in the place of a text; is this such a text, and with which hash? ret_hash may be NULL. */
cv_str cv_redacted(cv_arena *a, cv_str text);
bool cv_is_redacted(cv_str text, cv_str *ret_hash);

/* … and what stands for it within another text, with the hash behind it: a word that can stand anywhere. */
#define CV_REDACTED_WORD "redacted-sha256-"

/* "redacted/line/7/text": the entry of `covers`. */
cv_str cv_redacted_name(cv_arena *a, const cv_type *type, const void *row, const cv_type_field *field);

#endif
