/* os_portable.c - what only some systems have, where POSIX is all there is; see os.h. */
#include "base/os.h"

#ifdef CV_OS_PORTABLE

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
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

void cv_os_read_quietly(int fd)
{
    (void)fd;
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

int cv_os_open_unnamed(const char *folder)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/.unnamed-XXXXXX", folder) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

int cv_os_open_unnamed_in(int folder, unsigned mode)
{
    (void)folder, (void)mode;
    return cannot();
}

int cv_os_give_name(int fd, int folder, const char *name)
{
    (void)fd, (void)folder, (void)name;
    return cannot();
}

const char *cv_os_network_of(unsigned long magic)
{
    (void)magic;
    return NULL;
}

const char *cv_os_network(int folder)
{
    (void)folder;
    return NULL;
}

bool cv_os_wake_open(cv_os_wake *ret)
{
    int ends[2];
    *ret = (cv_os_wake){-1, -1};
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    *ret = (cv_os_wake){ends[0], ends[1]};
    return true;
}

void cv_os_wake_up(const cv_os_wake *wake)
{
    ssize_t n = write(wake->out, "", 1); /* a full pipe is readable already */
    (void)n;
}

void cv_os_wake_clear(const cv_os_wake *wake)
{
    char times[256];
    while (read(wake->in, times, sizeof times) > 0)
        ;
}

void cv_os_wake_close(cv_os_wake *wake)
{
    if (wake->in >= 0)
        close(wake->in), close(wake->out);
    *wake = (cv_os_wake){-1, -1};
}

bool cv_os_number_wait(_Atomic uint32_t *number, uint32_t seen, int64_t us)
{
    (void)number, (void)seen;
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
    return false;
}

void cv_os_number_wake(_Atomic uint32_t *number)
{
    (void)number;
}

bool cv_os_is_written(int fd)
{
    (void)fd;
    return false;
}

void cv_os_end_with_parent(void)
{
}

int cv_os_child(pid_t pid)
{
    (void)pid;
    return cannot();
}

bool cv_os_is_ending(pid_t pid)
{
    (void)pid;
    return false;
}

#endif
