/* lock.h - the write lock of a chat file: it is renamed while somebody writes, and renamed back.
 *
 *     hands        mv temp_chat_X.txt temp_chat_X_editing.txt;  edit;  mv back
 *     this program the same names, but the file is never edited in place:
 *
 *     flock(.wf/X.lock)                    our own processes take turns; the kernel releases it when one dies
 *     .wf/X.lock: "taking"                 who, and when: before the rename, so that no lock is without an owner
 *     X.txt -> X_editing.txt               without overwriting; who loses waits
 *     .wf/X.lock: "taken"
 *     .wf/X.new                            the new version, private, on disk
 *     .wf/X.new <-> X_editing.txt          exchanged; if somebody wrote to the old version meanwhile, it is kept
 *     .wf/X.lock: "releasing"
 *     X_editing.txt -> X.txt               without overwriting; if there is a file, both are kept
 *     .wf/X.lock: empty
 *
 * A process that gets the flock and finds an owner in .wf/X.lock knows that this owner is dead, and undoes what it
 * left:
 *
 *     "taken"       X_editing.txt is its own: renamed back. It is the old version or the new one, each of them whole
 *     "taking"      its own if the file was renamed within a second of the word
 *     "releasing"   its own unless the file was renamed after the word: then a hand has taken it since
 *
 * A lock without an owner of ours is a hand's, and one of another machine is not ours to judge: both stay, until
 * somebody forces them. Waiting is bounded.
 */
#ifndef CV_CHAT_LOCK_H
#define CV_CHAT_LOCK_H

#include <pthread.h>

#include "chat/place.h"
#include "chat/text/chat_write.h"

typedef enum {
    CV_LOCK_HELD,
    CV_LOCK_BUSY,     /* err: chat_locked, by whom */
    CV_LOCK_CONFLICT, /* err: chat_conflict: both files are there */
    CV_LOCK_FAILED    /* err: anything else */
} cv_lock_result;

typedef struct {
    const cv_chat_place *place;
    cv_arena *arena;
    cv_str boot, host;    /* where we are: what an owner says about itself */
    int folder, wf, lock; /* open folders, and the lock file; -1: not open */
    int file;             /* the chat, open for reading */
    struct stat st;       /* of it */
    struct stat before;   /* of it, before our own rename changed a time of it */
    int fresh;            /* the new version; -1: there is none */
    bool held;            /* X_editing.txt is ours */
    bool exchanged;       /* the new version has the locked name; what is in .wf is the old one */
    bool published;
    bool syncing;     /* a thread brings the names to disk */
    pthread_t syncer; /* that one */
    int sync_errno;   /* what became of it; 0: they are there */
    const char *late; /* where the old version is kept, because somebody wrote to it after all; NULL: nobody did */
} cv_chat_lock;

/* Takes the lock, waiting at most so long. Whatever comes of it, cv_chat_lock_end() is called at the end. */
cv_lock_result cv_chat_lock_take(cv_call *call, const cv_chat_place *place, int64_t wait_ms, cv_chat_lock *lock,
                                 cv_err *err);

/* Takes the turn among our own processes, waiting at most so long, and recovers what a dead one left; the file stays
 * where it is. BUSY: another one has it. */
cv_lock_result cv_chat_lock_turn(cv_call *call, const cv_chat_place *place, int64_t wait_ms, cv_chat_lock *lock,
                                 cv_err *err);

/* Writes the new version: the old one with these changes, then `tail`. It is on disk when this returns. */
bool cv_chat_lock_write(cv_chat_lock *lock, const cv_chat_edits *edits, cv_str tail, cv_err *err);

/* Publishes it, and begins to bring its new name to disk. HELD: it is the chat now, and st its stat. */
cv_lock_result cv_chat_lock_publish(cv_chat_lock *lock, cv_err *err);

/* The names are on disk when this returns: before anything is acknowledged. The disk has been at it since they were
 * given, while the record committed. */
bool cv_chat_lock_sync(cv_chat_lock *lock, cv_err *err);

/* Gives back what is held; nothing is published by it. */
void cv_chat_lock_end(cv_chat_lock *lock);

/* ---- about a lock ------------------------------------------------------------------------------------------------ */

typedef enum {
    CV_HOLDER_NONE,
    CV_HOLDER_OURS,
    CV_HOLDER_DEAD,
    CV_HOLDER_OTHER_HOST,
    CV_HOLDER_HAND,
    CV_HOLDER_BOTH
} cv_holder;

typedef struct {
    cv_holder kind;
    cv_str text;  /* for people: "process 4711 since 2026-…" */
    cv_str since; /* when the file was renamed; absent: it is not */
    struct stat st;
} cv_chat_holder;

/* Who holds the lock now; nothing is changed. */
bool cv_chat_lock_holder(cv_call *call, const cv_chat_place *place, cv_chat_holder *ret, cv_err *err);

/* Renames the file back from the holder that was seen, but not from a living process of ours. `keep_editing`: when both
 * are there the locked one becomes the chat, else the other; the one that does not is kept in .wf, *ret_kept. */
bool cv_chat_lock_break(cv_call *call, const cv_chat_place *place, const cv_chat_holder *seen, bool keep_editing,
                        const char **ret_kept, cv_err *err);

/* ID.late-1.txt in .wf: a version to which somebody wrote without the lock. */
extern const char cv_chat_late_mark[];

/* Which file it is, and in which state: equal texts mean that nobody has written to it. */
cv_str cv_chat_fingerprint(cv_arena *a, const struct stat *st);

#endif
