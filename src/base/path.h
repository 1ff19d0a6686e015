/* path.h - where a caller may make the program read and write.
 *
 * The command line may name any path, relative to the current folder. All other callers are confined to the project's
 * root: their relative paths begin there, and a path that leads out of it, be it by dots or by links, is refused.
 */
#ifndef CV_BASE_PATH_H
#define CV_BASE_PATH_H

#include "base/where.h"

/* `path` as this caller means it; neither it nor the folders above it need exist. */
bool cv_path_allowed(cv_arena *a, const char *root, bool confined, cv_str path, cv_where *ret_where, cv_err *err);

/* Would writing to `path` write into `folder` or below it? Links are followed as far as the path exists; a folder that
 * does not exist yet is compared by its name. */
bool cv_path_is_below(cv_arena *a, const char *path, const char *folder);

#endif
