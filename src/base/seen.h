/* seen.h - folders that an answer was made from, so that a later change in one of them shows.
 *
 *     cv_seen seen = {0};
 *     cv_seen_add(&seen, arena, folder);      before anybody looks into it
 *     look into the folder, make an answer
 *     cv_seen_is_current(&seen)               later: nothing in it has changed, the answer is still right
 *
 * A folder is known by its own numbers and those of everything in it: name, inode, size and the times that the kernel
 * sets. Two changes within one tick of the clock leave the same times. So a folder in which something has changed just
 * now is not known: what was made from it is never current. The same holds where links are followed, and where the
 * folder cannot be read. A folder that does not exist is known as such.
 */
#ifndef CV_BASE_SEEN_H
#define CV_BASE_SEEN_H

#include "base/where.h"

typedef struct {
    cv_where where;
    uint64_t sign; /* another one after every change */
} cv_seen_folder;

typedef struct {
    cv_seen_folder *items;
    size_t count, capacity;
    bool unknown; /* something was looked at whose changes would not show */
} cv_seen;

void cv_seen_add(cv_seen *seen, cv_arena *a, cv_where folder);
bool cv_seen_is_current(const cv_seen *seen);
cv_seen cv_seen_copy(cv_arena *a, const cv_seen *seen);

#endif
