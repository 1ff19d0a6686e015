/* os_portable.c - what only some systems have, where POSIX is all there is; see os.h. */
#include "base/os.h"

#ifdef CV_OS_PORTABLE

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int cannot(void)
{
    errno = ENOSYS;
    return -1;
}

int cv_os_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned how)
{
    return how ? cannot() : renameat(from_folder, from, to_folder, to);
}

bool cv_os_close_from(int first, bool by_exec)
{
    (void)first, (void)by_exec;
    return false;
}

int cv_os_open_below(int root, const char *path, int flags)
{
    (void)root, (void)path, (void)flags;
    return cannot();
}

ssize_t cv_os_copy(int from, off_t at, int to, size_t n)
{
    (void)from, (void)at, (void)to, (void)n;
    return cannot();
}

void cv_os_begin_sync(int fd, off_t at, off_t n)
{
    (void)fd, (void)at, (void)n;
}

bool cv_os_set_mark(int fd, const char *name, const char *text, size_t n)
{
    (void)fd, (void)name, (void)text, (void)n;
    return false;
}

bool cv_os_get_mark(int fd, const char *name, char *ret_text, size_t n)
{
    (void)fd, (void)name, (void)ret_text, (void)n;
    return false;
}

bool cv_os_random(void *bytes, size_t n)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, bytes, n) : -1;
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)n;
}

cv_str cv_os_program(cv_arena *a)
{
    (void)a;
    return (cv_str){0};
}

cv_str cv_os_boot(cv_arena *a)
{
    (void)a;
    return (cv_str){0};
}

int cv_os_watch(void)
{
    return cannot();
}

int cv_os_watch_names(int watch, int folder)
{
    (void)watch, (void)folder;
    return -1;
}

void cv_os_watch_read(int watch, void (*tell)(void *ctx, const cv_os_change *change), void *ctx)
{
    (void)watch, (void)tell, (void)ctx;
}

bool cv_os_watch_folder(int watch, int folder)
{
    (void)watch, (void)folder;
    return false;
}

#endif
