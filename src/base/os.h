/* os.h - what only some systems have, each behind one function.
 *
 *     os_linux.c      with Linux's own calls
 *     os_portable.c   with POSIX alone; what POSIX cannot do fails with ENOSYS, and callers have another way
 *
 * Which of the two is compiled says CV_OS_PORTABLE, which is set where the system is not Linux.
 */
#ifndef CV_BASE_OS_H
#define CV_BASE_OS_H

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/arena.h"

#if !defined(__linux__) && !defined(CV_OS_PORTABLE)
#define CV_OS_PORTABLE 1
#endif

/* A handle of a folder or a file that is only passed on to calls ending in "at", or looked at. */
#ifdef CV_OS_PORTABLE
#define CV_OS_HANDLE O_RDONLY
#else
#define CV_OS_HANDLE O_PATH
#endif

/* How a rename treats what has the new name already; 0: it replaces it. */
enum { CV_OS_NOREPLACE = 1, CV_OS_EXCHANGE = 2 };
int cv_os_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned how);

/* Opens a path below `root` in one step, without following a link. */
int cv_os_open_below(int root, const char *path, int flags);

/* Copies bytes from one file to another within the kernel. Returns how many; 0 or -1: copy them by hand. */
ssize_t cv_os_copy(int from, off_t at, int to, size_t n);

/* Begins to write a part of a file to the disk; a later sync waits for less. */
void cv_os_begin_sync(int fd, off_t at, off_t n);

/* A short text that stays with a file. False: the file system keeps none, or this file has another length of it. */
bool cv_os_set_mark(int fd, const char *name, const char *text, size_t n);
bool cv_os_get_mark(int fd, const char *name, char *ret_text, size_t n);

/* Reading this file does not change when it was read last, which costs a change of the file. Of somebody else's file it
 * does. */
void cv_os_read_quietly(int fd);

/* Random bytes for secrets and names. False: the system has none to give yet. */
bool cv_os_random(void *bytes, size_t n);

/* The path of the running program, with a NUL behind it; absent: the system does not say. */
cv_str cv_os_program(cv_arena *a);

/* A text that is another one after every start of the machine; absent: the system does not say. */
cv_str cv_os_boot(cv_arena *a);

/* Closes every descriptor from `first` on, or has exec do it. False: one has to go through them. */
bool cv_os_close_from(int first, bool by_exec);

/* A file without a name, which goes when it is closed: in `folder`, or in memory where the file system has none. */
int cv_os_open_unnamed(const char *folder);

/* The same in an open folder, and only there; -1: the file system has none. When it is whole it can get a name, unless
 * there is something of that name: then -1 with EEXIST. Nobody sees it before. */
int cv_os_open_unnamed_in(int folder, unsigned mode);
int cv_os_give_name(int fd, int folder, const char *name);

/* The name of the network file system that a folder is on; NULL: it is on none that is known. The second one knows it
 * by the number that Linux gives it. */
const char *cv_os_network(int folder);
const char *cv_os_network_of(unsigned long magic);

/* One thread waits for `in` to become readable; any other wakes it up. Being woken twice counts once. */
typedef struct {
    int in, out;
} cv_os_wake;
bool cv_os_wake_open(cv_os_wake *ret);
void cv_os_wake_up(const cv_os_wake *wake);
void cv_os_wake_clear(const cv_os_wake *wake); /* before the next wait */
void cv_os_wake_close(cv_os_wake *wake);

/* A number in memory that processes share. One waits until it is not `seen` any more; false: so long has passed.
 * Another one changes it, then wakes all. Where the system cannot wake them, they wait to the end. Only the system
 * looks at the number here: memory that has lost its file is a wait to the end, too. */
bool cv_os_number_wait(_Atomic uint32_t *number, uint32_t seen, int64_t us);
void cv_os_number_wake(_Atomic uint32_t *number);

/* Does a process have this file open for writing? False as well where the system does not say. */
bool cv_os_is_written(int fd);

/* Of a child, in it: it is killed when the thread that started it ends. Where the system cannot do that, nothing. */
void cv_os_end_with_parent(void);

/* Becomes readable when a child ends; -1: the system cannot say it, look from time to time. */
int cv_os_child(pid_t pid);

/* Is this process on its way out: killed, or ended and not yet waited for? It may hold locks for a moment. Where the
 * system cannot say it, false. */
bool cv_os_is_ending(pid_t pid);

/* A descriptor that can be read when something changes in a folder that was added to it; -1: folders must be scanned.
 */
int cv_os_watch(void);
bool cv_os_watch_folder(int watch, int folder);

/* The same for a caller that needs to know what changed: the number of the folder; below 0: it cannot be watched. Then
 * what has changed since the last time. */
typedef struct {
    int folder;       /* its number; below 0: changes were lost, or a folder has gone */
    const char *name; /* what has changed in it */
    bool is_folder;
    bool came;      /* it was put or written there; else it has gone */
    bool whole;     /* … at once: it had no name before. False as well where that cannot be told */
    uint32_t moved; /* the same number where it comes from and where it goes to; 0: it was not moved */
} cv_os_change;
int cv_os_watch_names(int watch, int folder);
void cv_os_watch_read(int watch, void (*tell)(void *ctx, const cv_os_change *change), void *ctx);

#endif
