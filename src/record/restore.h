/* restore.h - putting a backup in the place of a record, while others may use it.
 *
 *     copy     the backup's bytes under a temporary name beside the record; all that follows is done with this copy
 *     begin    nobody can write to the present record any more; what it holds can be read
 *     commit   the present record is kept under another name, and then the copy takes its place
 *     end      the lock and the copy go
 *
 * A present record that is whole is kept as one database, and the copy's pages are written over it in one transaction:
 * who has the record open sees one more commit, and a write that waits for its turn finds the dialogue at another rev.
 * Killed at any moment, the record is the old one or the new one.
 *
 * A present record that is not whole (missing, damaged, not ours) is kept as the files that it was: the database under
 * a second name, its log under the same name with "-wal" behind it; then the copy is renamed into its place. Whoever
 * still has the old file open cannot write to it: every write asks first whether its file is still the one at its path.
 */
#ifndef CV_RECORD_RESTORE_H
#define CV_RECORD_RESTORE_H

#include "record/call.h"

typedef struct {
    cv_arena *arena;
    const char *path;  /* the record */
    const char *copy;  /* of the backup */
    cv_store *present; /* what is in the record now; NULL: that cannot be read, and `trouble` says why */
    cv_err trouble;
    bool as_files;           /* the present record is kept as the files that it was */
    void (*step)(void *ctx); /* called before each change of a file; NULL: nobody asks. A test ends the process there */
    void *ctx;
    struct cv_restore_lock *lock;
} cv_restore;

bool cv_restore_copy(cv_restore *r, const char *backup, cv_err *err);
bool cv_restore_begin(cv_restore *r, cv_err *err);

/* `kept`: a free name in the record's folder. *ret_kept: something is kept there; there may have been nothing. */
bool cv_restore_commit(cv_restore *r, const char *kept, bool *ret_kept, cv_err *err);

/* Ends it at any stage; safe after nothing but setting the first two members. */
void cv_restore_end(cv_restore *r);

#endif
