/* guard.c - a process that ends our commands when this one was killed; see guard.h. */
#include "run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "run/calls.h"

enum { MOST = 1024 }; /* groups */
_Static_assert((int)MOST > (int)CV_CALLS_MOST, "every call has its place");

/* Behind fork() in a process that may have threads: system calls only. */
static _Noreturn void watch(int fd)
{
    static pid_t groups[MOST];
    size_t count = 0;
    sigset_t all;
    pid_t told;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setpgid(0, 0);
    if (fd != 0)
        dup2(fd, 0);
    cv_child_close_from(1, false);
    for (ssize_t n; (n = read(0, &told, sizeof told)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof told)
            break;
        if (told > 0 && count < MOST)
            groups[count++] = told;
        for (size_t i = 0; told < 0 && i < count; i++)
            if (groups[i] == -told)
                groups[i--] = groups[--count];
    }
    for (size_t i = 0; i < count; i++)
        kill(-groups[i], SIGKILL);
    _exit(0);
}

void cv_guard_start(cv_run_guard *guard)
{
    int fds[2];
    *guard = (cv_run_guard){.fd = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        watch(fds[0]);
    close(fds[0]);
    if (pid < 0)
        close(fds[1]);
    else
        *guard = (cv_run_guard){.fd = fds[1], .pid = pid};
}

void cv_guard_tell(int fd, pid_t group, bool runs)
{
    pid_t told = runs ? group : -group;
    if (fd >= 0)
        while (write(fd, &told, sizeof told) < 0 && errno == EINTR)
            continue;
}

void cv_guard_end(cv_run_guard *guard)
{
    if (guard->fd < 0)
        return;
    close(guard->fd);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    guard->fd = -1;
}
