/* kill_at.c - runs a command and kills it, with all its threads and children, right before one of its system calls.
 *
 *     build/kill_at N COMMAND [ARGUMENT]...      kill -9 before the N-th call that changes something; 0: never
 *     build/kill_at -a N COMMAND [ARGUMENT]...   before the N-th call of any kind
 *     build/kill_at -o FILE …                    the number of calls that were seen is written to FILE
 *
 * Calls are counted from the start of the command itself, over all its threads and children together. Exit status: 137
 * when it was killed, else its own: a script counts up until the command ends by itself (kills_everywhere in
 * test/e2e/lib.sh). With threads the number of a call may differ a little from run to run.
 *
 * It uses ptrace, so the command must not: LeakSanitizer does (ASAN_OPTIONS=detect_leaks=0).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

/* What changes a file, a folder or the other end of a connection. Those that not every kernel has are named if known.
 */
static const long changing[] = {
    SYS_write,     SYS_pwrite64, SYS_writev,          SYS_pwritev,         SYS_fsync,   SYS_fdatasync, SYS_ftruncate,
    SYS_fallocate, SYS_openat,   SYS_mkdirat,         SYS_unlinkat,        SYS_linkat,  SYS_symlinkat, SYS_renameat2,
    SYS_fchmod,    SYS_fchmodat, SYS_flock,           SYS_sendto,          SYS_sendmsg, SYS_sendfile,  SYS_utimensat,
    SYS_fsetxattr, SYS_msync,    SYS_copy_file_range, SYS_sync_file_range,
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef SYS_open
    SYS_open,      SYS_creat,    SYS_mkdir,           SYS_unlink,          SYS_link,    SYS_symlink,   SYS_rename,
    SYS_rmdir,     SYS_chmod,    SYS_truncate,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
};

static bool is_changing(long number)
{
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (changing[i] == number)
            return true;
    return false;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "kill_at: %s: %s\n", what, strerror(errno));
    exit(125);
}

static pid_t start(char **command)
{
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            fail("ptrace");
        execvp(*command, command);
        fail(*command);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid)
        fail("waitpid");
    if (WIFEXITED(status))
        exit(WEXITSTATUS(status));
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, pid, NULL, options) != 0 || ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0)
        fail("ptrace");
    return pid;
}

/* A file that is opened to be read does not change. */
static bool only_reads(const struct ptrace_syscall_info *info)
{
    return info->entry.nr == SYS_openat && (info->entry.args[2] & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

/* Stands this one right before a call that counts? */
static bool counts(pid_t pid, bool any)
{
    struct ptrace_syscall_info info = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    return any || (is_changing((long)info.entry.nr) && !only_reads(&info));
}

/* The signal that a stopped one goes on with. */
static int signal_of(int status)
{
    int number = WSTOPSIG(status);
    bool ours = number == (SIGTRAP | 0x80) || status >> 16 != 0 || number == SIGSTOP || number == SIGTRAP;
    return ours ? 0 : number;
}

/* All that is traced ends with this process; the call on which it stands is never made. */
static _Noreturn void kill_all(pid_t first, pid_t standing)
{
    kill(first, SIGKILL);
    kill(standing, SIGKILL); /* it has been heard of: it does not stop once more */
    pid_t pid;
    int status;
    while ((pid = waitpid(-1, &status, __WALL)) > 0)
        if (WIFSTOPPED(status))
            kill(pid, SIGKILL);
    exit(137);
}

static void tell(const char *path, long seen)
{
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && (!file || fprintf(file, "%ld\n", seen) < 0 || fclose(file) != 0))
        fail(path);
}

int main(int argc, char **argv)
{
    bool any = false;
    const char *out = NULL;
    int option;
    while ((option = getopt(argc, argv, "+ao:")) != -1) {
        any |= option == 'a';
        out = option == 'o' ? optarg : out;
        if (option == '?')
            return 125;
    }
    if (argc - optind < 2) {
        fprintf(stderr, "usage: kill_at [-a] [-o FILE] N COMMAND [ARGUMENT]...\n");
        return 125;
    }
    long at = strtol(argv[optind], NULL, 10), seen = 0;
    pid_t first = start(argv + optind + 1), pid;
    int status, result = 125;
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (pid == first && WIFEXITED(status))
            result = WEXITSTATUS(status);
        if (pid == first && WIFSIGNALED(status))
            result = 128 + WTERMSIG(status);
        if (!WIFSTOPPED(status))
            continue;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && counts(pid, any) && ++seen == at)
            kill_all(first, pid);
        ptrace(PTRACE_SYSCALL, pid, NULL, signal_of(status));
    }
    tell(out, seen);
    return result;
}
