/* folder.c - making folders; see folder.h. */
#include "base/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"

static bool fail(cv_err *err, const char *path, const char *what, int number)
{
    cv_err_set(err, number == ENOENT ? CV_ERR_NOT_FOUND : CV_ERR_IO, "cannot %s: %s", what, strerror(number));
    err->file = cv_arena_copy(err->arena, cv_str_of(path));
    return false;
}

static bool make_one(const char *path, cv_err *err)
{
    if (mkdir(path, 0777) == 0)
        return true;
    int number = errno;
    return cv_file_is_folder(path) || fail(err, path, "make the folder", number);
}

bool cv_folder_make(const char *path, cv_err *err)
{
    if (cv_file_is_folder(path))
        return true;
    cv_str whole = cv_str_of(path);
    for (size_t i = 1; i < whole.n; i++)
        if (path[i] == '/' && !make_one(cv_arena_copy_z(err->arena, cv_str_head(whole, i)), err))
            return false;
    return make_one(path, err);
}

bool cv_folder_real(cv_arena *a, const char *path, const char **ret_path, cv_err *err)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return fail(err, path, "find the folder", errno);
    *ret_path = cv_arena_copy_z(a, cv_str_of(real));
    return true;
}
