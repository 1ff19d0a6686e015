/* kill_at.c - runs a command and kills it, with all its threads and children, right before one of its system calls.
 *
 *     build/kill_at N COMMAND [ARGUMENT]...      kill -9 before the N-th call that changes something; 0: never
 *     build/kill_at -a N COMMAND [ARGUMENT]...   before the N-th call of any kind
 *     build/kill_at -o FILE …                    the number of calls that were seen is written to FILE
 *     build/kill_at -1 …                         the command alone: its children are neither counted nor killed
 *     build/kill_at -l FILE …                    the name of each call that counts goes to FILE, a line each
 *     build/kill_at -r SCRIPT …                  right before the N-th call a shell runs SCRIPT
 *     build/kill_at -k M …                       and M calls later it is killed; 0: never
 *
 * Calls are counted from the start of the command itself, over all its threads and children together. Exit status: 137
 * when it was killed, else its own: a script counts up until the command ends by itself (kills_everywhere in
 * test/e2e/lib.sh). With threads the number of a call may differ a little from run to run.
 *
 * It uses ptrace, so the command must not: LeakSanitizer does (ASAN_OPTIONS=detect_leaks=0). The kernel stops the command
 * only at the calls that count (seccomp); with -a and -1 at every call, twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>

/* What changes a file, a folder or the other end of a connection. Those that not every kernel has are named if known.
 */
static const struct {
    long number;
    const char *name;
} changing[] = {
#define CALL(name)                                                                                                     \
    {                                                                                                                  \
        SYS_##name, #name                                                                                              \
    }
    CALL(write),     CALL(pwrite64),  CALL(writev),          CALL(pwritev),         CALL(fsync),
    CALL(fdatasync), CALL(ftruncate), CALL(fallocate),       CALL(openat),          CALL(mkdirat),
    CALL(unlinkat),  CALL(linkat),    CALL(symlinkat),       CALL(renameat2),       CALL(fchmod),
    CALL(fchmodat),  CALL(flock),     CALL(sendto),          CALL(sendmsg),         CALL(sendfile),
    CALL(utimensat), CALL(msync),     CALL(copy_file_range), CALL(sync_file_range), CALL(fsetxattr),
#ifdef SYS_openat2
    CALL(openat2),
#endif
#ifdef SYS_open
    CALL(open),      CALL(creat),     CALL(mkdir),           CALL(unlink),          CALL(link),
    CALL(symlink),   CALL(rename),    CALL(rmdir),           CALL(chmod),           CALL(truncate),
#endif
#ifdef SYS_renameat
    CALL(renameat),
#endif
#undef CALL
};

/* NULL: it changes nothing. */
static const char *name_of(long number)
{
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (changing[i].number == number)
            return changing[i].name;
    return NULL;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "kill_at: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* This process and its children stop at the calls above, and go on by themselves at all others. */
static void filter_calls(void)
{
    enum { CALLS = sizeof changing / sizeof *changing };
    struct sock_filter code[2 * CALLS + 2];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALLS; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)changing[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fail("seccomp");
}

static pid_t start(char **command, bool alone, bool filtered)
{
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            fail("ptrace");
        if (filtered)
            filter_calls();
        execvp(*command, command);
        fail(*command);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid)
        fail("waitpid");
    if (WIFEXITED(status))
        exit(WEXITSTATUS(status));
    long options = (filtered ? PTRACE_O_TRACESECCOMP : PTRACE_O_TRACESYSGOOD) | PTRACE_O_TRACECLONE |
                   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | (alone ? 0 : PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK);
    if (ptrace(PTRACE_SETOPTIONS, pid, NULL, options) != 0 ||
        ptrace(filtered ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL, NULL) != 0)
        fail("ptrace");
    return pid;
}

/* A file that is opened to be read does not change. */
static bool only_reads(const struct ptrace_syscall_info *info)
{
    return info->entry.nr == SYS_openat && (info->entry.args[2] & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

/* The number of the call right before which this one stands; -1: it stands elsewhere, or that call does not count. */
static long standing_before(pid_t pid, bool any)
{
    struct ptrace_syscall_info info = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
        (info.op != PTRACE_SYSCALL_INFO_ENTRY && info.op != PTRACE_SYSCALL_INFO_SECCOMP))
        return -1; /* number and arguments are in the same place in both */
    return any || (name_of((long)info.entry.nr) && !only_reads(&info)) ? (long)info.entry.nr : -1;
}

/* The signal that a stopped one goes on with. */
static int signal_of(int status)
{
    int number = WSTOPSIG(status);
    bool ours = number == (SIGTRAP | 0x80) || status >> 16 != 0 || number == SIGSTOP || number == SIGTRAP;
    return ours ? 0 : number;
}

/* What somebody else does at this moment. */
static void run_script(const char *script)
{
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        fail(script);
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
    bool any = false, alone = false;
    const char *out = NULL, *script = NULL;
    FILE *list = NULL;
    long later = 0;
    bool is_later = false;
    int option;
    while ((option = getopt(argc, argv, "+a1k:o:l:r:")) != -1) {
        any |= option == 'a';
        alone |= option == '1';
        later = option == 'k' ? strtol(optarg, NULL, 10) : later;
        is_later |= option == 'k';
        out = option == 'o' ? optarg : out;
        script = option == 'r' ? optarg : script;
        if (option == 'l' && !(list = fopen(optarg, "we")))
            fail(optarg);
        if (option == '?')
            return 125;
    }
    if (argc - optind < 2) {
        fprintf(stderr, "usage: kill_at [-a1] [-o FILE] [-l FILE] [-r SCRIPT] [-k M] N COMMAND [ARGUMENT]...\n");
        return 125;
    }
    long at = strtol(argv[optind], NULL, 10), seen = 0, call;
    bool filtered = !any && !alone; /* children that nobody traces could not make the calls */
    int stop = filtered ? SIGTRAP | PTRACE_EVENT_SECCOMP << 8 : SIGTRAP | 0x80;
    pid_t first = start(argv + optind + 1, alone, filtered), pid;
    int status, result = 125;
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (pid == first && WIFEXITED(status))
            result = WEXITSTATUS(status);
        if (pid == first && WIFSIGNALED(status))
            result = 128 + WTERMSIG(status);
        if (!WIFSTOPPED(status))
            continue;
        if (status >> 8 == stop && (call = standing_before(pid, any)) >= 0) {
            if (list)
                fprintf(list, "%s\n", name_of(call) ? name_of(call) : "another");
            if (++seen == at && script)
                run_script(script);
            if (seen == at + later && (later > 0 || !is_later))
                kill_all(first, pid);
        }
        ptrace(filtered ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL, signal_of(status));
    }
    tell(out, seen);
    if (list && fclose(list) != 0)
        fail("the list of calls");
    return result;
}
