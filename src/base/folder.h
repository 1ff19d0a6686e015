/* folder.h - making folders. */
#ifndef CV_BASE_FOLDER_H
#define CV_BASE_FOLDER_H

#include "base/err.h"

/* Makes `path` and whatever is missing above it; one that is there already is fine. */
bool cv_folder_make(const char *path, cv_err *err);

/* The absolute path without links, dots and doubled slashes, in the arena; the folder exists. */
bool cv_folder_real(cv_arena *a, const char *path, const char **ret_path, cv_err *err);

#endif
