/* swap.h - putting a backup in the place of a record, while others may use it.
 *
 *     copy     the backup's bytes under a temporary name beside the record; all that follows is done with this copy
 *              (the caller opens it as an existing record, which migrates it, checks and verifies it, and closes it)
 *     begin    nobody can write to the present record any more; what it holds can be read
 *     lost     which scopes the present record has in a later or another form than the backup
 *     commit   the present record is kept under another name, and then the copy takes its place
 *     end      the lock and the copy go
 *
 * A present record that is whole is kept as one database, and the copy's pages are written over it in one transaction:
 * whoever has the record open sees one more commit, and a write that waits for its turn finds its scope at another rev
 * or with another head. Killed at any moment, the record is the old one or the new one.
 *
 * A present record that is not whole (missing, damaged, not ours) is kept as the files that it was: the database under
 * a second name, its log under the same name with "-wal" behind it; then the copy is renamed into its place. Whoever
 * still has the old file open cannot write to it: every write asks first whether its file is still the one at its path.
 */
#ifndef CV_RECORD_SWAP_H
#define CV_RECORD_SWAP_H

#include "record/record.h"
#include "record/sql.h"

typedef struct {
    cv_arena *arena;
    const char *path; /* the record */
    const cv_types *types;
    const cv_sql_migrations *schema;

    const char *copy;   /* of the backup */
    cv_record *present; /* what is in the record now; NULL: that cannot be read, and `trouble` says why */
    cv_err trouble;
    bool as_files;           /* the present record is kept as the files that it was */
    void (*step)(void *ctx); /* called before each change of a file; NULL: nobody asks. A test ends the process there */
    void *ctx;
    struct cv_swap_lock *lock;
} cv_swap;

/* A scope of which the present record has more than the backup, or something else. */
typedef struct {
    cv_scope_id scope;
    int64_t rev, restored_rev; /* restored_rev 0: the backup has none of this name */
} cv_swap_loss;

typedef bool (*cv_swap_visit)(void *ctx, const cv_swap_loss *loss, cv_err *err);

bool cv_swap_copy(cv_swap *s, const char *backup, cv_err *err);
bool cv_swap_begin(cv_swap *s, cv_err *err);

/* By room, in the order of the types, and name. False: the present record cannot be read. */
bool cv_swap_lost(cv_swap *s, cv_swap_visit visit, void *ctx, cv_err *err);

/* `kept`: a free name in the record's folder. *ret_kept: something is kept there; there may have been nothing. */
bool cv_swap_commit(cv_swap *s, const char *kept, bool *ret_kept, cv_err *err);

/* Ends it at any stage; safe after nothing but setting the first four members. */
void cv_swap_end(cv_swap *s);

#endif
