/* system.c - what an errno means; see system.h. */
#include "base/system.h"

#include <errno.h>
#include <string.h>

/* What is not here is rare: the system's own words, and to look at the disk. */
static const struct {
    int number;
    cv_err_code code;
    const char *reason; /* NULL: the system's own words */
    const char *advice;
} rows[] = {
    {ENOENT, CV_ERR_NOT_FOUND, NULL, "check the path"},
    {ENOTDIR, CV_ERR_NOT_FOUND, NULL, "a file is where a folder should be: move it away, or choose another path"},
    {EISDIR, CV_ERR_NOT_A_FILE, NULL, "name a file, not a folder"},
    {ENXIO, CV_ERR_NOT_A_FILE, "it is a pipe, socket or device", "name a file, not a pipe, socket or device"},
    {EACCES, CV_ERR_NO_ACCESS, NULL, "check the permissions of the file and its folders"},
    {EPERM, CV_ERR_NO_ACCESS, NULL, "check the permissions of the file and its folders"},
    {EROFS, CV_ERR_NO_ACCESS, NULL, "choose a place on a writable file system"},
    {EEXIST, CV_ERR_NO_ACCESS, NULL, "choose another name, or move away what is there"},
    {ELOOP, CV_ERR_NO_ACCESS, "it is a symbolic link, or leads through too many",
     "replace the symbolic link by a real file"},
    {ENAMETOOLONG, CV_ERR_NO_ACCESS, NULL, "choose a shorter name"},
    {ENOSPC, CV_ERR_IO, NULL, "make room on the disk and try again"},
    {EDQUOT, CV_ERR_IO, NULL, "remove files of yours, or ask for a larger quota, and try again"},
    {EFBIG, CV_ERR_IO, NULL, "raise the limit for the size of files (ulimit -f) and try again"},
    {EMFILE, CV_ERR_IO, NULL, "close other files or raise the limit (ulimit -n)"},
    {ENFILE, CV_ERR_IO, NULL, "end other programs or raise the limit of the whole system (sysctl fs.file-max)"},
    {ENOMEM, CV_ERR_IO, NULL, "end other programs, or give this one more memory, and try again"},
    {EAGAIN, CV_ERR_IO, NULL, "try again; if it stays so, raise the limit for processes (ulimit -u)"},
    {ESTALE, CV_ERR_IO, NULL, "the server of this file system has lost the file: try again, or mount it again"},
    {EIO, CV_ERR_IO, NULL, "check the disk and the system's log, then try again"},
    {0, CV_ERR_IO, NULL, "check the disk and try again"},
};

/* The last row stands for all others. */
static size_t row_of(int number)
{
    size_t i = 0;
    while (rows[i].number && rows[i].number != number)
        i++;
    return i;
}

cv_err_code cv_system_code(int number)
{
    return rows[row_of(number)].code;
}

const char *cv_system_reason(int number)
{
    const char *reason = rows[row_of(number)].reason;
    return reason ? reason : strerror(number);
}

const char *cv_system_advice(int number)
{
    return rows[row_of(number)].advice;
}

bool cv_system_fail(cv_err *err, const char *path, const char *what, int number)
{
    cv_err_set(err, cv_system_code(number), "cannot %s: %s", what, cv_system_reason(number));
    if (path)
        cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, cv_str_of(cv_system_advice(number)));
    return false;
}

bool cv_system_fail_unchanged(cv_err *err, const char *path, const char *what, int number)
{
    cv_system_fail(err, path, what, number);
    cv_err_suggest(err, cv_arena_printf(err->arena, "%s; nothing was changed", cv_system_advice(number)));
    return false;
}
