/* folder.c - making folders, and what is in them; see folder.h. */
#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/monotonic.h"
#include "base/os.h"

bool cv_folder_make_at(cv_where where, cv_err *err)
{
    int fd = cv_where_open_folder(where, CV_OS_HANDLE, true, "make the folder", err);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool cv_folder_make(const char *path, cv_err *err)
{
    return cv_folder_make_at(cv_where_named(path), err);
}

const char *cv_folder_of(cv_arena *a, const char *path)
{
    return cv_where_folder(a, cv_where_named(path)).path;
}

/* What the umask has taken away of the owner's own rights is given back. */
bool cv_folder_make_private(cv_where where, cv_err *err)
{
    const char *name = cv_where_name(where), *path = cv_where_path(err->arena, where);
    cv_where holder = cv_where_folder(err->arena, where);
    int above = cv_where_open_folder(holder, O_RDONLY, false, "open the folder that holds it", err);
    if (above < 0)
        return false;
    bool made = mkdirat(above, name, 0700) == 0, there = !made && errno == EEXIST;
    bool ok = there || (made && fchmodat(above, name, 0700, 0) == 0 && cv_where_sync(above)) ||
              cv_system_fail(err, path, "make the folder", errno);
    close(above);
    return ok && (!there || cv_folder_make_at(where, err)); /* it must be a folder */
}

/* Between two tries; most have the lock for a few milliseconds. */
static bool pause_until(int64_t until_us, int64_t *us)
{
    enum { STEP_US = 100, MOST_US = 2000 };
    *us = *us < MOST_US ? *us + STEP_US : MOST_US;
    nanosleep(&(struct timespec){.tv_nsec = (long)*us * 1000}, NULL);
    return cv_monotonic_us() < until_us;
}

bool cv_folder_lock_open(int fd, const char *path, bool wait, bool *ret_locked, cv_err *err)
{
    int64_t until_us = cv_monotonic_us() + (int64_t)CV_FOLDER_WAIT_MS * 1000, us = 0;
    while (!(*ret_locked = flock(fd, LOCK_EX | LOCK_NB) == 0)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return cv_system_fail(err, path, "lock it", errno);
        if (!wait)
            return true;
        if (pause_until(until_us, &us))
            continue;
        cv_err_set(err, CV_ERR_BUSY, "another process has kept it locked for %d seconds", CV_FOLDER_WAIT_MS / 1000);
        cv_err_file(err, cv_str_of(path));
        cv_err_suggest(err, CV_STR("find that process ('lslocks', 'fuser -v'), continue or end it, and try again"));
        return false;
    }
    return true;
}

bool cv_folder_lock(cv_where where, bool make, bool wait, int *ret_fd, cv_err *err)
{
    bool locked;
    int fd = cv_where_open_folder(where, O_RDONLY, make, "open the folder", err);
    *ret_fd = -1;
    if (fd < 0)
        return false;
    bool ok = cv_folder_lock_open(fd, cv_where_path(err->arena, where), wait, &locked, err);
    if (locked)
        *ret_fd = fd;
    else
        close(fd);
    return ok;
}

void cv_folder_sweep(cv_arena *a, const char *path)
{
    cv_folder_entries entries = {0};
    cv_err ignored = {.arena = a};
    cv_where folder = cv_where_named(path);
    if (!cv_folder_list(a, folder, &entries, &ignored))
        return;
    for (size_t i = 0; i < entries.count; i++)
        if (!entries.items[i].is_folder && cv_file_is_leftover(entries.items[i].name))
            cv_where_unlink(cv_where_in(a, folder, entries.items[i].name));
}

bool cv_folder_real(cv_arena *a, const char *path, const char **ret_path, cv_err *err)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return cv_system_fail(err, path, "find the folder", errno);
    *ret_path = cv_arena_copy_z(a, cv_str_of(real));
    return true;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const cv_folder_entry *)x)->name, ((const cv_folder_entry *)y)->name);
}

DIR *cv_folder_open(cv_where where, const char *what, cv_err *err)
{
    int fd = cv_where_open_folder(where, O_RDONLY, false, what, err);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder && fd >= 0) {
        cv_system_fail(err, cv_where_path(err->arena, where), what, errno);
        close(fd);
    }
    return folder;
}

bool cv_folder_list(cv_arena *a, cv_where where, cv_folder_entries *ret_entries, cv_err *err)
{
    static const char doing[] = "look into the folder";
    DIR *folder = cv_folder_open(where, doing, err);
    cv_folder_entries found = {0};
    if (!folder)
        return false;
    for (struct dirent *entry; (errno = 0, entry = readdir(folder)) != NULL;) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT)
                continue; /* gone since */
            break;
        }
        *CV_PUSH(a, &found) = (cv_folder_entry){.name = cv_arena_copy_z(a, cv_str_of(entry->d_name)),
                                                .is_folder = S_ISDIR(st.st_mode),
                                                .is_regular = S_ISREG(st.st_mode),
                                                .is_link = S_ISLNK(st.st_mode),
                                                .size = st.st_size,
                                                .modified_ns = cv_timespec_ns(st.st_mtim),
                                                .changed_ns = cv_timespec_ns(st.st_ctim),
                                                .inode = st.st_ino};
    }
    int number = errno;
    closedir(folder);
    if (number != 0)
        return cv_system_fail(err, cv_where_path(err->arena, where), doing, number);
    if (found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, by_name);
    *ret_entries = found;
    return true;
}
