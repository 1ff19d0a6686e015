/* kept_scopes.h - rows of scopes that this handle has written or read, so that the next write need not read them again.
 *
 *     a request that writes:   the rows   ->   what it computes   ->   the write, against the rev of the rows
 *                              kept here                               refused when the scope has moved on: then it is
 *                                                                      computed again from a reading
 *
 * Kept rows are used for nothing else: an answer that does not come from a write that was done is computed again from a
 * reading, too (kit/request.h). A scope is used while it is where this project has seen it last.
 *
 * A type is kept when all of its rows are known: the scope was made by this handle, or all of them were read. Events,
 * commits and volatile rows that change are not kept. A write adds its rows while its answer is waited for.
 */
#ifndef CV_RECORD_POSTGRES_KEPT_SCOPES_H
#define CV_RECORD_POSTGRES_KEPT_SCOPES_H

#include "record/postgres/known_revs.h"
#include "record/record.h"

enum {
    CV_KEPT_SCOPES = 64,
    CV_KEPT_SCOPE_BYTES = 4 << 20, /* of one: some rounds of the largest size, hundreds of usual ones */
    CV_KEPT_BYTES = 8 << 20        /* of all */
};

typedef struct cv_kept_scope cv_kept_scope;

typedef struct {
    cv_kept_scope *items[CV_KEPT_SCOPES];
    size_t count;
    uint64_t uses;
} cv_kept_scopes;

void cv_kept_scopes_close(cv_kept_scopes *k);

/* The scope, if it is kept as it was seen last (NULL: it was not seen) and has the rows of all these lookups. */
const cv_kept_scope *cv_kept_scopes_get(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS],
                                        const cv_known_rev *seen, const cv_lookup *lookups, size_t count);

/* Its rows, as the record would show them; false: a visitor has ended it. */
bool cv_kept_scope_show(const cv_kept_scope *s, const cv_lookup *lookups, size_t count, cv_err *err);

const cv_scope_position *cv_kept_scope_at(const cv_kept_scope *s);

/* Is it kept as it is at this position? */
bool cv_kept_scopes_has(const cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS], const cv_scope_position *at);

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

/* A scope that is being read: the rows of those lookups that show all of a type. */
cv_kept_scope *cv_kept_scope_begin(const char key[CV_KNOWN_REV_KEY_DIGITS]);
void cv_kept_scope_see(cv_kept_scope *s, const cv_find *find, const void *row);

/* It was read, at this position, and is kept unless what is there knows more of it. `at` NULL: it could not be read. */
void cv_kept_scopes_add(cv_kept_scopes *k, cv_kept_scope *s, const cv_lookup *lookups, size_t count,
                        const cv_scope_position *at);

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

/* A finished write is under way, from this position; then it was done, or not. */
void cv_kept_scopes_write(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS], const cv_scope_position *before,
                          const cv_write *write);
void cv_kept_scopes_end(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS], bool done);

#endif
