/* guard.h - a process that ends our commands when this one was killed.
 *
 * A command gets SIGKILL when its parent dies (PR_SET_PDEATHSIG), but what the command has started does not. So beside
 * the first command a guard is started: it knows the groups of all commands that run, and when the pipe to it closes,
 * for whatever reason, it ends them and itself. It shares nothing else with us: no descriptor, no group, no memory that
 * it would write to.
 */
#ifndef CV_RUN_GUARD_H
#define CV_RUN_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
    int fd; /* the pipe to it; -1: there is none */
    pid_t pid;
} cv_run_guard;

void cv_guard_start(cv_run_guard *guard);           /* once; without one, commands die with us anyway */
void cv_guard_tell(int fd, pid_t group, bool runs); /* may be called between vfork and exec */
void cv_guard_end(cv_run_guard *guard);

#endif
