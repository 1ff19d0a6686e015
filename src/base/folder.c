/* folder.c - making folders, and what is in them; see folder.h. */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool fail(cv_err *err, const char *path, const char *what, int number)
{
    cv_err_set(err, number == ENOENT ? CV_ERR_NOT_FOUND : CV_ERR_IO, "cannot %s: %s", what, strerror(number));
    cv_err_file(err, cv_str_of(path));
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

const char *cv_folder_of(cv_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : cv_arena_copy_z(a, cv_str_range(path, slash));
}

/* What the umask has taken away of the owner's own rights is given back. */
bool cv_folder_make_private(const char *path, cv_err *err)
{
    if (mkdir(path, 0700) == 0)
        return chmod(path, 0700) == 0 || fail(err, path, "set the permissions of the folder", errno);
    int number = errno;
    return cv_file_is_folder(path) || fail(err, path, "make the folder", number);
}

void cv_folder_sweep(cv_arena *a, const char *path)
{
    cv_folder_entries entries;
    cv_err ignored = {.arena = a};
    if (!cv_folder_list(a, path, &entries, &ignored))
        return;
    for (size_t i = 0; i < entries.count; i++)
        if (!entries.items[i].is_folder && cv_file_is_leftover(entries.items[i].name))
            unlink(cv_arena_printf(a, "%s/%s", path, entries.items[i].name).p);
}

bool cv_folder_real(cv_arena *a, const char *path, const char **ret_path, cv_err *err)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return fail(err, path, "find the folder", errno);
    *ret_path = cv_arena_copy_z(a, cv_str_of(real));
    return true;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const cv_folder_entry *)x)->name, ((const cv_folder_entry *)y)->name);
}

bool cv_folder_list(cv_arena *a, const char *path, cv_folder_entries *ret_entries, cv_err *err)
{
    DIR *folder = opendir(path);
    cv_folder_entries found = {0};
    if (!folder)
        return fail(err, path, "look into the folder", errno);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        bool known = fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
        *CV_PUSH(a, &found) =
            (cv_folder_entry){cv_arena_copy_z(a, cv_str_of(entry->d_name)), known && S_ISDIR(st.st_mode)};
    }
    closedir(folder);
    if (found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, by_name);
    *ret_entries = found;
    return true;
}
