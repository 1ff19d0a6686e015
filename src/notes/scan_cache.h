/* scan_cache.h - which files of the project were read before, and what they had: a file that is as it was need not be
 * read.
 *
 *     .conclave/notes.seen     one line per file: inode, size, times, notes, digest, path
 *
 * A file is as it was when its inode, its size and both of its times are. One that was changed less than two seconds
 * before it was read is not remembered: another change could have the same time. The file is derived and may be removed
 * at any time; what cannot be read or written of it is as if it were not there.
 */
#ifndef CV_NOTES_SCAN_CACHE_H
#define CV_NOTES_SCAN_CACHE_H

#include "base/map.h"
#include "kit/call.h"

typedef struct {
    int64_t inode, size, modified, changed; /* times in nanoseconds */
} cv_scan_cache_stamp;

typedef struct {
    cv_scan_cache_stamp stamp;
    cv_str path, sha256; /* absent: it has neither header nor notes */
    size_t counted;      /* its notes */
} cv_scan_cache_file;

typedef struct {
    cv_arena *arena;
    cv_scan_cache_file *items;
    size_t count, capacity;
    cv_map by_path; /* index + 1 */
    int64_t began;  /* when this search began, in nanoseconds */
    bool changed;
} cv_scan_cache;

void cv_scan_cache_load(cv_call *call, cv_scan_cache *ret);
const cv_scan_cache_file *cv_scan_cache_find(const cv_scan_cache *seen, cv_str path, const cv_scan_cache_stamp *stamp);
void cv_scan_cache_put(cv_scan_cache *seen, cv_str path, const cv_scan_cache_stamp *stamp, cv_str sha256,
                       size_t counted);
void cv_scan_cache_save(cv_call *call, cv_scan_cache *seen);

#endif
