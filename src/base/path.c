/* path.c - where a caller may make the program read and write; see path.h. */
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The real path of the longest part of `path` that exists; a link that leads nowhere does not count as existing and is
 * refused, because writing would follow it. */
static bool real_beginning(char *path, char real[PATH_MAX])
{
    struct stat st;
    for (;;) {
        if (realpath(path, real))
            return true;
        if (errno != ENOENT || (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)))
            return false;
        char *slash = strrchr(path, '/');
        if (!slash)
            return realpath(".", real) != NULL;
        slash[slash == path] = '\0';
    }
}

static bool is_below(cv_str real, cv_str root)
{
    return cv_str_eq(root, CV_STR("/")) || cv_str_eq(real, root) ||
           (cv_str_starts(real, root) && real.p[root.n] == '/');
}

bool cv_path_allowed(cv_arena *a, const char *root, bool confined, cv_str path, cv_where *ret_where, cv_err *err)
{
    if (confined)
        return cv_where_below(a, root, path, ret_where, err) && cv_where_check(*ret_where, err);
    if (path.n == 0 || memchr(path.p, '\0', path.n)) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "the path is empty or has a NUL byte");
        cv_err_value(err, path);
        return false;
    }
    *ret_where = cv_where_named(cv_arena_copy_z(a, path));
    return true;
}

/* The real path of what exists of `path`, and the rest as it is written. */
static cv_str real_path(cv_arena *a, const char *path)
{
    char real[PATH_MAX];
    char *beginning = cv_arena_copy_z(a, cv_str_of(path));
    if (!real_beginning(beginning, real))
        return cv_str_of(path);
    size_t known = strchr(beginning, '/') || strcmp(beginning, path) == 0 ? strlen(beginning) : 0;
    cv_str rest = cv_str_from(cv_str_of(path), known);
    while (rest.n > 0 && rest.p[0] == '/')
        rest = cv_str_from(rest, 1);
    return cv_arena_printf(a, "%s%s%.*s", real, rest.n ? "/" : "", CV_FMT(rest));
}

bool cv_path_is_below(cv_arena *a, const char *path, const char *folder)
{
    return is_below(real_path(a, path), real_path(a, folder));
}
