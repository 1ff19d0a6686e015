/* notify.c - waiting for a change in a folder; see notify.h. */
#include "base/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/os.h"

/* Watches have limits of their own, under the same numbers as a full disk and too many files. */
static bool fail(cv_err *err, cv_where folder, int number)
{
    cv_system_fail(err, folder.path, "watch the folder", number);
    if (number == ENOSPC)
        cv_err_suggest(err, CV_STR("raise the limit for watches (sysctl fs.inotify.max_user_watches)"));
    else if (number == EMFILE)
        cv_err_suggest(err, CV_STR("close other files or raise the limits (ulimit -n, and sysctl "
                                   "fs.inotify.max_user_instances)"));
    return false;
}

static bool watch(int fd, cv_where folder, cv_err *err)
{
    int handle = cv_where_open(folder, CV_OS_HANDLE | O_DIRECTORY | O_CLOEXEC, "watch the folder", err);
    if (handle < 0)
        return false;
    bool ok = cv_os_watch_folder(fd, handle);
    if (!ok)
        fail(err, folder, errno);
    close(handle);
    return ok;
}

bool cv_notify_add(cv_notify *n, cv_where folder, cv_err *err)
{
    if (n->fd <= 0)
        n->fd = cv_os_watch() + 1;
    bool ok = n->fd > 0 ? watch(n->fd - 1, folder, err) : fail(err, folder, errno);
    n->blind |= !ok;
    return ok;
}

/* What happened does not matter, only that it did. */
static void drain(int fd)
{
    char events[4096];
    while (read(fd, events, sizeof events) > 0)
        ;
}

bool cv_notify_wait_also(cv_notify *n, int64_t until, int fd)
{
    int64_t left = until - cv_monotonic_ms();
    if (left <= 0)
        return false;
    int64_t most = n->blind || n->fd <= 0 ? CV_NOTIFY_SCAN_MS : CV_NOTIFY_LOOK_MS;
    struct pollfd ends[] = {{.fd = n->fd > 0 ? n->fd - 1 : -1, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    int ready = poll(ends, 2, (int)(left < most ? left : most));
    if (ends[0].revents)
        drain(ends[0].fd);
    return ready != 0 || cv_monotonic_ms() < until;
}

bool cv_notify_wait(cv_notify *n, int64_t until)
{
    return cv_notify_wait_also(n, until, -1);
}

void cv_notify_close(cv_notify *n)
{
    if (n->fd > 0)
        close(n->fd - 1);
    *n = (cv_notify){0};
}
