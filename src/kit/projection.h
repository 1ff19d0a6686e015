/* projection.h - files that are made of the record, brought up to date from the feed.
 *
 *     FOLDER/.position  ->  commits behind it  ->  write()  ->  FOLDER/.position moves on  ->  …
 *
 * For rooms whose record is the truth and whose files show it: each call first writes what lies between (`intake` of
 * the room's descriptor), so that a crash, or a write by another host, needs no repair. One that is killed leaves its
 * commits to the next: write() may see a commit twice.
 *
 * The position is beside the files, so hosts and projects that share a record have files of their own, and each
 * catches up by itself. Where it is not known (a new folder, a position of another store) write_all() shows everything
 * there is. Files need no sync: the position names the boot of the machine that it belongs to, and after another boot
 * write_all() looks for what was lost.
 *
 * The caller holds the lock on the folder (cv_folder_lock), so that no file is ever put back to what the record had
 * before.
 */
#ifndef CV_KIT_PROJECTION_H
#define CV_KIT_PROJECTION_H

#include "base/json.h"
#include "base/where.h"
#include "record/feed.h"

typedef struct cv_projection {
    cv_record *record;
    cv_arena *arena;
    cv_where folder; /* it is there */
    /* Writes the files of what was committed, as the record has it now. */
    bool (*write)(struct cv_projection *p, const cv_feed_entries *commits, cv_err *err);
    /* Writes the files of everything. `from_nothing`: the position was not known. */
    bool (*write_all)(struct cv_projection *p, bool from_nothing, cv_err *err);
    /* What the room remembers with the position: members of a JSON object. NULL: nothing. */
    void (*keep)(const struct cv_projection *p, cv_json_writer *w);
    void *ctx;
    cv_str since; /* where the position is not known: commits from here on are written one by one, too; empty: none */
    cv_str position; /* how far the files are; empty: that is not known */
    cv_str boot;     /* … since which start of the machine */
    bool again;      /* for write() to set: it has committed something itself */
} cv_projection;

/* Reads position and boot. *ret_kept: what the room remembers besides; NULL: nothing is known. */
void cv_projection_open(cv_projection *p, const cv_json **ret_kept);

/* Writes what lies between. Costs one short reading of the record when nothing was committed since. */
bool cv_projection_catch_up(cv_projection *p, cv_err *err);

/* Keeps the position, and what the room remembers with it: done after each batch of commits, and for the room to do
 * when it has more to remember. */
bool cv_projection_keep(cv_projection *p, cv_err *err);

/* Do the files show everything that was committed, since this start of the machine? */
bool cv_projection_is_new(const cv_projection *p, bool *ret_new, cv_err *err);

#endif
