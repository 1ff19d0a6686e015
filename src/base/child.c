/* child.c - programs that this one starts; see child.h. */
#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/os.h"
#include "base/signals.h"

int cv_child_spawn(pid_t *ret_child, const char *program, const posix_spawn_file_actions_t *actions, char *const argv[],
                   char *const env[])
{
    posix_spawnattr_t how;
    sigset_t usual, none;
    int number = posix_spawnattr_init(&how);
    if (number != 0)
        return number;
    sigemptyset(&none);
    sigfillset(&usual);
    if (cv_signals_ignored(SIGHUP))
        sigdelset(&usual, SIGHUP);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    number = posix_spawnp(ret_child, program, actions, &how, argv, env);
    posix_spawnattr_destroy(&how);
    return number;
}

void cv_child_signals(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        if (i != SIGHUP || !cv_signals_ignored(i))
            signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void cv_child_close_from(int first, bool by_exec)
{
    if (cv_os_close_from(first, by_exec))
        return;
    enum { MOST = 65536 }; /* a container may allow a thousand million, which would take minutes */
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (most > 0 && most < MOST ? most : MOST); fd++)
        if (by_exec)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
        else
            close(fd);
}
