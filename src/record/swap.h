/* swap.h - putting a backup in the place of a record, while others may use it.
 *
 *     copy     the backup's bytes under a temporary name in the project; all that follows is done with this copy
 *              (the caller opens it as an existing record, which migrates it, checks and verifies it, and closes it)
 *     begin    nobody can write to the present record any more; what it holds can be read
 *     lost     which scopes the present record has in a later or another form than the backup
 *     commit   the present record is kept under another name, and the backup takes its place
 *     end      the lock and the copy go
 *
 * A backup is a file of SQLite, wherever the record is kept. How the places are changed is the engine's business
 * (sqlite/swap.c, postgres/swap.c). Both promise: killed at any moment, the record is the old one or the new one;
 * a process that has it open continues with the new one, and a write that waits for its turn finds its scope at another
 * rev or with another head.
 */
#ifndef CV_RECORD_SWAP_H
#define CV_RECORD_SWAP_H

#include "record/store.h"

typedef struct cv_swap cv_swap;

/* What an engine does. */
typedef struct {
    bool (*begin)(cv_swap *s, cv_err *err);
    bool (*commit)(cv_swap *s, const char *stamp, cv_err *err);
    void (*end)(cv_swap *s);
} cv_swap_calls;

struct cv_swap {
    cv_arena *arena;
    cv_store store; /* of the record */
    const cv_types *types;

    const char *copy;   /* of the backup */
    cv_record *present; /* what is in the record now; NULL: that cannot be read, and `trouble` says why */
    cv_record *backup;  /* the copy; NULL: there is nothing to compare it with */
    cv_err trouble;
    size_t common;           /* scopes that began with the same commit in both; `lost` counts them */
    cv_str kept;             /* after commit: the file or the schema that the present record is now; empty: none was */
    cv_str kept_address;     /* … where it can be opened, on a server */
    cv_str missing;          /* … what this project has seen on the server and the backup lacks; empty: nothing */
    cv_err no_watermark;     /* … why the restored record has no watermark yet; no error: it has one */
    void (*step)(void *ctx); /* called before each change; NULL: nobody asks. A test ends the process there */
    void *ctx;
    const cv_swap_calls *calls; /* set by begin */
    void *engine;               /* what the engine needs */
};

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

/* `stamp`: the time, as a part of the name that the present record gets: "20260214T093000Z". */
bool cv_swap_commit(cv_swap *s, const char *stamp, cv_err *err);

/* Ends it at any stage; safe after nothing but setting the first three members. */
void cv_swap_end(cv_swap *s);

/* ---- for the engines ----------------------------------------------------------------------------------------------
 */

extern const cv_swap_calls cv_sqlite_swap, cv_postgres_swap;

static inline void cv_swap_step(const cv_swap *s)
{
    if (s->step)
        s->step(s->ctx);
}

#endif
