/* child.h - programs that this one starts: whatever it does with signals itself, they begin like any program.
 *
 * Every signal has its default meaning in them and none is blocked. Only a hangup that was
 * ignored when this program was started (nohup) stays ignored.
 */
#ifndef CV_BASE_CHILD_H
#define CV_BASE_CHILD_H

#include <spawn.h>
#include <stdbool.h>
#include <sys/types.h>

/* posix_spawnp() with these signals: 0, or the number of the error. */
int cv_child_spawn(pid_t *ret_child, const char *program, const posix_spawn_file_actions_t *actions, char *const argv[],
                   char *const env[]);

/* The same for those who fork by themselves, right before exec: system calls only. */
void cv_child_signals(void);

/* Every descriptor from `first` on is closed, or will be by exec. */
void cv_child_close_from(int first, bool by_exec);

#endif
