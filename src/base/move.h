/* move.h - moving and copying files in open folders, for those who share a file with others by its names.
 *
 * Nothing here overwrites: a name that is taken is an error (EEXIST). What a file system cannot do in one step is done
 * by a second link. All functions return false with errno.
 */
#ifndef CV_BASE_MOVE_H
#define CV_BASE_MOVE_H

#include <sys/types.h>

#include "base/str.h"

/* Renames `from` to `to`, which nobody may have. */
bool cv_move_new(int folder, const char *from, int to_folder, const char *to);

/* The two files take each other's place. */
bool cv_move_exchange(int folder, const char *one, int other_folder, const char *other);

/* Appends `n` bytes of a file, from `at` on, to another one; false with ENODATA: the file ends before. */
bool cv_copy_bytes(int from, off_t at, size_t n, int to);

bool cv_write_bytes(int fd, cv_str bytes);

/* At most `n` bytes from `at` on, fewer only at the end of the file; -1 with errno. */
ssize_t cv_read_bytes(int fd, off_t at, char *to, size_t n);

#endif
