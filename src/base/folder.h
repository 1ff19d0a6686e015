/* folder.h - making folders, and what is in them. */
#ifndef CV_BASE_FOLDER_H
#define CV_BASE_FOLDER_H

#include <dirent.h>

#include "base/where.h"

/* Makes the folder and whatever is missing above it; one that is there already is fine. New folders are on disk when
 * this returns. */
bool cv_folder_make_at(cv_where where, cv_err *err);
bool cv_folder_make(const char *path, cv_err *err);

/* The folder that the file `path` is in. */
const char *cv_folder_of(cv_arena *a, const char *path);

/* The last folder of `path` alone, with the permissions 0700, whatever the umask; one that is there keeps its own. */
bool cv_folder_make_private(cv_where where, cv_err *err);

/* How long somebody waits for a lock: the process that has it may have been stopped. */
enum { CV_FOLDER_WAIT_MS = 10000 };

/* Opens the folder and takes the lock on it, which works among callers of this function; close() gives it back. *ret_fd
 * -1: another process has it, and `wait` is false. `make`: a folder that is not there is made. */
bool cv_folder_lock(cv_where where, bool make, bool wait, int *ret_fd, cv_err *err);

/* The same of a folder, or a file, that is open; `path` is for the error. */
bool cv_folder_lock_open(int fd, const char *path, bool wait, bool *ret_locked, cv_err *err);

/* Removes what killed writers have left in the folder (cv_file_is_leftover). What cannot be removed stays. */
void cv_folder_sweep(cv_arena *a, const char *path);

/* The absolute path without links, dots and doubled slashes, in the arena; the folder (or file) exists. */
bool cv_folder_real(cv_arena *a, const char *path, const char **ret_path, cv_err *err);

typedef struct {
    const char *name;
    bool is_folder;  /* not a link to one */
    bool is_regular; /* a file, not a link to one */
    bool is_link;
    int64_t size, modified_ns, changed_ns; /* of a file */
    uint64_t inode;
} cv_folder_entry;

typedef struct {
    cv_folder_entry *items;
    size_t count, capacity;
} cv_folder_entries;

/* The folder as a stream to read names from; NULL with an error that says it could not `what`. */
DIR *cv_folder_open(cv_where where, const char *what, cv_err *err);

/* Everything in the folder itself, hidden names too, in byte order. */
bool cv_folder_list(cv_arena *a, cv_where where, cv_folder_entries *ret_entries, cv_err *err);

#endif
