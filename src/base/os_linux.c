/* os_linux.c - what only some systems have, on Linux; see os.h. */
#include "base/os.h"

#ifndef CV_OS_PORTABLE

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#ifdef SYS_openat2
#include <linux/futex.h>
#include <linux/openat2.h>
#endif

_Static_assert(CV_OS_NOREPLACE == RENAME_NOREPLACE && CV_OS_EXCHANGE == RENAME_EXCHANGE, "they are handed on");

int cv_os_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned how)
{
    return how ? renameat2(from_folder, from, to_folder, to, how) : renameat(from_folder, from, to_folder, to);
}

bool cv_os_close_from(int first, bool by_exec)
{
    enum { BY_EXEC = 4 }; /* CLOSE_RANGE_CLOEXEC, which older headers do not have */
    return syscall(SYS_close_range, (unsigned)first, ~0U, by_exec ? BY_EXEC : 0U) == 0;
}

int cv_os_open_below(int root, const char *path, int flags)
{
#ifdef SYS_openat2
    struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
#else
    (void)root, (void)path, (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

ssize_t cv_os_copy(int from, off_t at, int to, size_t n)
{
    ssize_t copied;
    do
        copied = copy_file_range(from, &at, to, NULL, n, 0);
    while (copied < 0 && errno == EINTR);
    return copied;
}

void cv_os_begin_sync(int fd, off_t at, off_t n)
{
    sync_file_range(fd, at, n, SYNC_FILE_RANGE_WRITE);
}

bool cv_os_set_mark(int fd, const char *name, const char *text, size_t n)
{
    return fsetxattr(fd, name, text, n, 0) == 0;
}

bool cv_os_get_mark(int fd, const char *name, char *ret_text, size_t n)
{
    return fgetxattr(fd, name, ret_text, n) == (ssize_t)n;
}

void cv_os_read_quietly(int fd)
{
    (void)fcntl(fd, F_SETFL, O_NOATIME);
}

bool cv_os_random(void *bytes, size_t n)
{
    return getrandom(bytes, n, GRND_NONBLOCK) == (ssize_t)n;
}

cv_str cv_os_program(cv_arena *a)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return n > 0 && (size_t)n < sizeof path ? cv_str_of(cv_arena_copy_z(a, (cv_str){path, (size_t)n})) : (cv_str){0};
}

cv_str cv_os_boot(cv_arena *a)
{
    static _Thread_local char id[64]; /* it does not change while a program runs */
    static _Thread_local ssize_t n = 0;
    int fd = n > 0 ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, id, sizeof id);
        close(fd);
    }
    return n > 0 ? cv_arena_copy(a, cv_str_trim((cv_str){id, (size_t)n})) : (cv_str){0};
}

int cv_os_watch(void)
{
    return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

/* The folder is reached through its handle: what is under its name meanwhile does not matter. */
static int add_watch(int watch, int folder, uint32_t events)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
    return inotify_add_watch(watch, path, events | IN_ONLYDIR);
}

bool cv_os_watch_folder(int watch, int folder)
{
    return add_watch(watch, folder, IN_CREATE | IN_DELETE | IN_MOVE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB) >= 0;
}

int cv_os_watch_names(int watch, int folder)
{
    return add_watch(watch, folder, IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE | IN_MOVE_SELF);
}

/* While a file has no name, its changes are told of "#" and its number. */
static bool is_unnamed(const struct inotify_event *e)
{
    return e->mask & IN_CLOSE_WRITE && e->len && e->name[0] == '#' && e->name[1] &&
           e->name[1 + strspn(e->name + 1, "0123456789")] == '\0';
}

void cv_os_watch_read(int watch, void (*tell)(void *ctx, const cv_os_change *change), void *ctx)
{
    _Alignas(struct inotify_event) char events[64 << 10];
    const struct inotify_event *e;
    enum { MOST = sizeof *e + NAME_MAX + 1 }; /* with less room than that left, there may be more */
    ssize_t n;
    do {
        n = read(watch, events, sizeof events);
        for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof *e + e->len)) {
            e = (const struct inotify_event *)(const void *)(events + at);
            if (is_unnamed(e))
                continue;
            ssize_t behind = at + (ssize_t)(sizeof *e + e->len);
            const struct inotify_event *next =
                behind < n ? (const struct inotify_event *)(const void *)(events + behind) : NULL;
            const cv_os_change change = {.folder = e->len ? e->wd : -1,
                                         .name = e->len ? e->name : "",
                                         .is_folder = e->mask & IN_ISDIR,
                                         .came = e->mask & (IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE),
                                         .whole = e->mask & IN_CREATE && next && next->wd == e->wd && is_unnamed(next),
                                         .moved = e->cookie};
            tell(ctx, &change);
        }
    } while (n > (ssize_t)(sizeof events - MOST));
}

int cv_os_open_unnamed(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) ? memfd_create("unnamed", MFD_CLOEXEC)
                                                                                 : fd;
}

int cv_os_open_unnamed_in(int folder, unsigned mode)
{
    return openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, (mode_t)mode);
}

int cv_os_give_name(int fd, int folder, const char *name)
{
    char path[32];
    int result = linkat(fd, "", folder, name, AT_EMPTY_PATH);
    if (result == 0 || errno != ENOENT)
        return result;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd); /* older kernels let only an administrator do it without */
    return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW);
}

const char *cv_os_network_of(unsigned long magic)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = {{0x6969, "NFS"},      {0x517b, "SMB"},          {0xff534d42, "CIFS"}, {0xfe534d42, "SMB2"},
                 {0x65735546, "FUSE"}, {0x5346414f, "AFS"},      {0x00c36400, "Ceph"}, {0x01021997, "9P"},
                 {0x73757245, "Coda"}, {0x013661f6, "GlusterFS"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((magic & 0xffffffffUL) == known[i].magic)
            return known[i].name;
    return NULL;
}

const char *cv_os_network(int folder)
{
    struct statfs fs;
    return fstatfs(folder, &fs) == 0 ? cv_os_network_of((unsigned long)fs.f_type) : NULL;
}

bool cv_os_wake_open(cv_os_wake *ret)
{
    ret->in = ret->out = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return ret->in >= 0;
}

void cv_os_wake_up(const cv_os_wake *wake)
{
    eventfd_write(wake->out, 1); /* fails only when it is readable already */
}

void cv_os_wake_clear(const cv_os_wake *wake)
{
    eventfd_t times;
    eventfd_read(wake->in, &times);
}

void cv_os_wake_close(cv_os_wake *wake)
{
    if (wake->in >= 0)
        close(wake->in);
    wake->in = wake->out = -1;
}

bool cv_os_number_wait(_Atomic uint32_t *number, uint32_t seen, int64_t us)
{
    const struct timespec most = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    if (syscall(SYS_futex, number, FUTEX_WAIT, seen, &most, NULL, 0) == 0)
        return true;
    if (errno != EFAULT)
        return errno != ETIMEDOUT;
    nanosleep(&most, NULL);
    return false;
}

void cv_os_number_wake(_Atomic uint32_t *number)
{
    (void)syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A lease is only to be had when nobody has it open for writing. A signal that reports its end must not end us. */
bool cv_os_is_written(int fd)
{
    fcntl(fd, F_SETSIG, SIGURG);
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}

void cv_os_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int cv_os_child(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0U);
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* proc(5): "PID (name) state …", with the flags of the kernel as the ninth field, and what waits to be delivered as the
 * thirty-first. */
bool cv_os_is_ending(pid_t pid)
{
    enum { STATE = 3, FLAGS = 9, PENDING = 31, PF_EXITING = 0x4, PF_SIGNALED = 0x400 };
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *behind = strrchr(text, ')'); /* the name may have anything in it */
    cv_str rest = cv_str_of(behind && behind[1] ? behind + 2 : ""), field;
    for (int number = STATE; number <= PENDING && cv_str_split(&rest, ' ', &field); number++) {
        unsigned long value = number == STATE ? 0UL : strtoul(field.p, NULL, 10);
        if ((number == STATE && field.n && strchr("ZXx", field.p[0])) ||
            (number == FLAGS && value & (PF_EXITING | PF_SIGNALED)) ||
            (number == PENDING && value >> (SIGKILL - 1) & 1))
            return true;
    }
    return false;
}

#endif
