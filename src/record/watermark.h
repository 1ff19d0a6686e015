/* watermark.h - the last commit that was acknowledged, in a small file beside the database.
 *
 *     conclave.db-watermark     conclave-watermark-1 00000000000000000042 HEAD CHECK
 *
 *         number    of the commit, in 20 digits
 *         HEAD      the head that the commit gave its scope, in 64 hex digits
 *         CHECK     the first 16 hex digits of SHA-256 over all that is before it
 *
 * A database is whole in itself after its log was removed, or after an older copy was put in its place: only something
 * outside of it can say that it was further already. The engine raises the watermark after each commit, with one write
 * of 124 bytes and without a sync of its own: a watermark that is behind says less, but nothing wrong. A process that
 * uses the record asks `acknowledged` (record.h): the record must have the commit of the watermark, with the same head.
 *
 *     missing       an older project, or somebody removed it: the next write makes it; nothing is compared until
 *                   then, and verify says so
 *     unreadable    never taken for a missing one: refused like a record that has lost something, until somebody
 *                   decides (`conclave accept`, `conclave restore`)
 *
 * Writing: cv_watermark_begin() takes the file's lock (released when the process ends) and cv_watermark_end() writes.
 * Writers hold the database's write lock already, so they wait for each other for one small write at most, and commits
 * come in order: the watermark is never lowered. cv_watermark_set() alone may lower it, for who puts another record in
 * its place:
 *
 *     restore:   unlink(watermark); put the database there; open it; record->calls->accept(record, a, &now, err);
 *
 * `accept` sets the watermark to the last commit of the record as it is. A crash in between leaves a record without
 * a watermark, as a new project has.
 */
#ifndef CV_RECORD_WATERMARK_H
#define CV_RECORD_WATERMARK_H

#include "base/err.h"
#include "record/hash.h"

/* A commit of a record: the first has number 1. Number 0: there is none yet, and the head is all zeros. */
typedef struct {
    int64_t number;
    char head[CV_HASH_DIGITS];
} cv_commit;

/* The watermark of this database: "….db-watermark". */
const char *cv_watermark_path(cv_arena *a, const char *database);

typedef enum {
    CV_WATERMARK_MISSING,
    CV_WATERMARK_THERE,
    CV_WATERMARK_UNREADABLE /* err says what is there instead */
} cv_watermark_state;

cv_watermark_state cv_watermark_read(const char *path, cv_commit *ret_commit, cv_err *err);

/* Makes or replaces the watermark, durably, whatever it was. */
bool cv_watermark_set(const char *path, const cv_commit *commit, cv_err *err);

/* A watermark that is locked, and what it says. */
typedef struct {
    int fd;
    cv_commit commit;
} cv_watermark;

/* Locks the watermark and reads it; makes it when it is missing. False: it cannot be written, or is unreadable. */
bool cv_watermark_begin(const char *path, cv_watermark *ret_mark, cv_err *err);

/* Raises the watermark to `commit` (NULL: leaves it) and gives the lock up. False with errno: it could not be written.
 */
bool cv_watermark_end(cv_watermark *watermark, const cv_commit *commit);

#endif
