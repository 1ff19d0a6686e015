/* projection.h - files that are made of the record, brought up to date from the feed.
 *
 *     position of this folder  ->  commits behind it  ->  write()  ->  the position moves on  ->  …
 *
 * For rooms whose record is the truth and whose files show it: each call first writes what lies between (`intake` of
 * the room's descriptor), so that a crash, or a write by another host, needs no repair. The position belongs to the
 * folder: hosts and projects that share a record have files of their own, and each catches up by itself. Of the
 * processes that use the folder one at a time writes, under a lock on it; so no file is ever put back to what the
 * record had before. One that is killed leaves its commits to the next: write() may see a commit twice.
 */
#ifndef CV_KIT_PROJECTION_H
#define CV_KIT_PROJECTION_H

#include "base/where.h"
#include "record/feed.h"

typedef struct {
    const char *name; /* "jar labels" */
    cv_where folder;  /* it is there */
    /* Writes the files of what was committed, as the record has it now. */
    bool (*write)(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err);
    void *ctx;
} cv_projection;

/* Costs two short readings of the record when nothing was committed since. */
bool cv_projection_catch_up(cv_record *record, cv_arena *a, const cv_projection *projection, cv_err *err);

#endif
