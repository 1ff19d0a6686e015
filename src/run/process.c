/* process.c - a command: started, fed, read, ended; see parts.h.
 *
 *     prompt -> [stdin]  command  [stdout] -> spool     its own group, a clean environment, no shell
 *                                 [stderr] -> tail
 *
 * It is started like posix_spawn() does it, between vfork() and execve(), but with three steps more: it dies with us,
 * the guard hears of its group, and no descriptor of ours stays open in it. It has ended when the process has: what its
 * own children still write does not count, and they are ended with their group.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/heap.h"
#include "base/monotonic.h"
#include "base/os.h"
#include "base/utf8.h"
#include "kit/reach/presets.h"
#include "kit/reach/words.h"
#include "run/output.h"
#include "run/parts.h"

/* Without these most programs do not run at all; none of them holds a secret. */
static const char usual[] = "PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TZ TMPDIR";

/* Events of a program whose answer is in a file or in a JSON document: more than the answer itself. */
enum { EVENTS = 16 << 20, TICK_MS = 20 };

struct cv_process {
    pid_t pid; /* 0: it was never started, or has been reaped */
    int pidfd; /* readable at its end; -1: the system has none, so we look every TICK_MS */
    int in, out, err;
    size_t in_at, out_at, err_at, pidfd_at; /* among the polled ones */
    cv_str prompt;                          /* what is left of it */
    int64_t kill_at;                        /* when; 0: not at all */
    const char *prompt_file, *output_file;  /* NULL: it uses none */
    cv_preset_output form;
};

/* ---- what it is given -------------------------------------------------------------------------------------------- */

typedef struct {
    char **items;
    size_t count, capacity;
} strings;

static const char *variable(const cv_calls *calls, const char *name)
{
    return calls->world.variable(calls->world.ctx, name);
}

/* The first of a name counts. */
static void put_variable(cv_one *one, strings *env, cv_str name, cv_str value)
{
    for (size_t i = 0; i < env->count; i++)
        if (strncmp(env->items[i], name.p, name.n) == 0 && env->items[i][name.n] == '=')
            return;
    *CV_PUSH(&one->arena, env) =
        cv_arena_copy_z(&one->arena, cv_arena_printf(&one->arena, "%.*s=%.*s", CV_FMT(name), CV_FMT(value)));
}

static void add_variable(cv_calls *calls, cv_one *one, strings *env, cv_str name, bool is_key)
{
    const char *value = variable(calls, cv_arena_copy_z(&one->arena, name));
    if (!value)
        return;
    put_variable(one, env, name, cv_str_of(value));
    if (is_key || cv_secret_name(name) || cv_secret_value(cv_str_of(value)))
        cv_secrets_add(&one->arena, &one->secrets, name, cv_str_of(value));
}

static void add_variables(cv_calls *calls, cv_one *one, strings *env, cv_str names, bool are_keys)
{
    for (cv_str name; names.n > 0 && cv_str_split(&names, ' ', &name);)
        add_variable(calls, one, env, name, are_keys);
}

static char **environment(cv_calls *calls, cv_one *one)
{
    const cv_reach *reach = one->request.reach;
    strings env = {0};
    for (size_t i = 0; i < one->request.variable_count; i++)
        put_variable(one, &env, one->request.variables[i].name, one->request.variables[i].value);
    add_variables(calls, one, &env, CV_STR(usual), false);
    for (size_t i = 0; i < reach->env.count; i++)
        add_variable(calls, one, &env, reach->env.items[i], false);
    if (reach->preset) {
        add_variables(calls, one, &env, reach->preset->keys, true);
        add_variables(calls, one, &env, reach->preset->env, false);
    }
    *CV_PUSH(&one->arena, &env) = NULL;
    return env.items;
}

static char **words(cv_one *one, struct cv_process *p)
{
    const cv_reach *reach = one->request.reach;
    cv_arena *a = &one->arena;
    const char *prompt = cv_keep_beside(a, one->request.output, "prompt");
    const char *output = cv_keep_beside(a, one->request.output, "out");
    bool takes_prompt = false, gives_file = false;
    strings argv = {0};
    for (size_t i = 0; i < reach->argv.count; i++) {
        cv_str word =
            cv_command_fill(a, reach->argv.items[i], CV_STR("{prompt_file}"), cv_str_of(prompt), &takes_prompt);
        word = cv_command_fill(a, word, CV_STR("{output_file}"), cv_str_of(output), &gives_file);
        *CV_PUSH(a, &argv) = cv_arena_copy_z(a, word);
    }
    *CV_PUSH(a, &argv) = NULL;
    p->prompt_file = takes_prompt ? prompt : NULL;
    p->output_file = gives_file ? output : NULL;
    return argv.items;
}

static const char *whole_path(cv_arena *a, const char *name, const char *folder)
{
    return name[0] == '/' ? name : cv_arena_printf(a, "%s/%s", folder, name).p;
}

/* The program that a name stands for, as a shell in that folder would find it; NULL: there is none. */
static const char *find_program(cv_arena *a, const char *name, const char *folder, const char *path)
{
    cv_str rest = cv_str_of(path ? path : "/usr/local/bin:/usr/bin:/bin"), piece;
    if (strchr(name, '/')) {
        return access(whole_path(a, name, folder), F_OK) == 0 ? name : NULL;
    }
    while (cv_str_split(&rest, ':', &piece)) {
        if (piece.n == 0 || piece.p[0] != '/')
            continue; /* whatever lies in the current folder is not taken for a program */
        const char *whole = cv_arena_printf(a, "%.*s/%s", CV_FMT(piece), name).p;
        struct stat st;
        if (stat(whole, &st) == 0 && S_ISREG(st.st_mode) && access(whole, X_OK) == 0)
            return whole;
    }
    return NULL;
}

static cv_str tell_missing(cv_arena *a, const char *name, const char *folder)
{
    if (strstr(name, "://"))
        return cv_arena_printf(a, "'%s' is an address, not a program: name an agent with this endpoint (docs/reach.md)",
                               name);
    if (!strchr(name, '/'))
        return cv_arena_printf(a, "there is no program '%s' in the folders of PATH: install it, or give its whole path",
                               name);
    return name[0] == '/'
               ? cv_arena_printf(a, "there is no program '%s'", name)
               : cv_arena_printf(a, "there is no program '%s' in '%s', where it would run: give its whole path", name,
                                 folder);
}

static const char *folder_of(cv_arena *a, const cv_reach *reach, const char *root)
{
    root = root ? root : ".";
    if (!reach->folder.n)
        return root;
    return reach->folder.p[0] == '/' ? cv_arena_copy_z(a, reach->folder)
                                     : cv_arena_printf(a, "%s/%.*s", root, CV_FMT(reach->folder)).p;
}

cv_str cv_calls_missing(cv_arena *a, const cv_reach *reach, const char *root)
{
    if (reach->way != CV_REACH_COMMAND || reach->argv.count == 0)
        return CV_STR("");
    const char *name = cv_arena_copy_z(a, reach->argv.items[0]), *folder = folder_of(a, reach, root);
    const char *found = find_program(a, name, folder, getenv("PATH"));
    if (!found)
        return tell_missing(a, name, folder);
    struct stat st;
    const char *whole = whole_path(a, found, folder);
    bool is_file = stat(whole, &st) == 0 && S_ISREG(st.st_mode);
    if (is_file && access(whole, X_OK) == 0)
        return CV_STR("");
    return cv_arena_printf(a,
                           is_file ? "'%s' is not a file that may be executed: allow it with 'chmod +x'"
                                   : "'%s' is not a file, so it cannot be executed",
                           name);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *program, *folder;
    char **argv, **env;
    int in, out, err, guard;
    pid_t parent;
    volatile int error; /* of the step that failed */
    const char *volatile step;
} launch;

/* Between vfork and exec we share the memory of the parent, which waits: system calls only. */
static _Noreturn void become(launch *p)
{
    setpgid(0, 0);
    cv_os_end_with_parent();
    cv_guard_tell(p->guard, getpid(), true);
    p->step = "enter its folder";
    if (getppid() == p->parent && dup2(p->in, 0) == 0 && dup2(p->out, 1) == 1 && dup2(p->err, 2) == 2 &&
        chdir(p->folder) == 0) {
        p->step = "run";
        cv_child_close_from(3, true);
        cv_child_signals();
        execve(p->program, p->argv, p->env);
    }
    p->error = errno ? errno : ECHILD;
    _exit(127);
}

/* No signal may reach a child that still runs our handlers in our memory. */
static __attribute__((noinline)) pid_t spawn(launch *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): see the head of this file */
    if (pid == 0)
        become(p); /* NOLINT(clang-analyzer-unix.Vfork): it makes system calls only, and does not return */
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && p->error) {
        cv_guard_tell(p->guard, pid, false);
        waitpid(pid, NULL, 0);
        errno = p->error;
        return -1;
    }
    errno = error;
    return pid;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* [0] theirs, [1] ours; ours does not block. The three have numbers above 2, so that they can be put in their places.
 */
static bool make_pipe(int ends[2], bool to_child)
{
    int fds[2];
    ends[0] = ends[1] = -1;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    ends[0] = fcntl(fds[to_child ? 0 : 1], F_DUPFD_CLOEXEC, 3);
    ends[1] = fds[to_child ? 1 : 0];
    close(fds[to_child ? 0 : 1]);
    return ends[0] >= 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0;
}

static bool spawn_with_pipes(cv_calls *calls, struct cv_process *p, launch *plan)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    bool ok = make_pipe(in, true) && make_pipe(out, false) && make_pipe(err, false);
    if (ok) {
        plan->in = in[0], plan->out = out[0], plan->err = err[0];
        plan->guard = calls->guard.fd;
        plan->parent = getpid();
        p->pid = spawn(plan);
        ok = p->pid > 0;
    }
    int error = errno;
    close_fd(&in[0]), close_fd(&out[0]), close_fd(&err[0]);
    if (!ok)
        close_fd(&in[1]), close_fd(&out[1]), close_fd(&err[1]);
    p->in = in[1], p->out = out[1], p->err = err[1];
    p->pidfd = ok ? cv_os_child(p->pid) : -1;
    p->pid = ok ? p->pid : 0;
    errno = error;
    return ok;
}

static bool write_prompt(cv_one *one, const struct cv_process *p)
{
    cv_err err = {.arena = &one->arena};
    if (!p->prompt_file || cv_file_write_private(cv_where_named(p->prompt_file), p->prompt, &err))
        return true;
    cv_one_decide(one, CV_CALL_NOT_STARTED, "%.*s", CV_FMT(cv_err_text(&err)));
    return false;
}

/* The first line of a script; empty: it is none, or cannot be read. */
static cv_str script_line(cv_arena *a, const char *path)
{
    char head[256]; /* as much as the kernel looks at */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    close_fd(&fd);
    cv_str text = {head, n > 0 ? (size_t)n : 0}, line = CV_STR("");
    return cv_str_starts(text, CV_STR("#!")) && cv_str_split(&text, '\n', &line) ? cv_arena_copy(a, line) : CV_STR("");
}

/* The program is there and cannot be found: the kernel means what runs it. */
static const char *why_not_found(cv_arena *a, const launch *plan)
{
    cv_str line = script_line(a, whole_path(a, plan->program, plan->folder));
    if (cv_str_ends(line, CV_STR("\r")))
        return "its lines end as on Windows, with a carriage return, and so does the name of the interpreter in its "
               "'#!' line; end them with a line feed alone";
    return line.n ? cv_arena_printf(a, "the interpreter in its first line, '%.*s', is not there", CV_FMT(line)).p
                  : "the file, or what it needs to be run, is not there";
}

static const char *why_not(cv_arena *a, const launch *plan, int error)
{
    if (error == ENOEXEC)
        return "it is neither a program nor a script with a '#!' line";
    return error == ENOENT && plan->step && strcmp(plan->step, "run") == 0
               ? why_not_found(a, plan)
               : cv_arena_printf(a, "%s; %s", cv_system_reason(error), cv_system_advice(error)).p;
}

static void feed(struct cv_process *p)
{
    while (p->prompt.n > 0) {
        ssize_t n = write(p->in, p->prompt.p, p->prompt.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0)
            break; /* it does not read any more: that is its own affair */
        p->prompt = cv_str_from(p->prompt, (size_t)n);
    }
    close_fd(&p->in);
}

void cv_process_start(cv_calls *calls, cv_one *one)
{
    struct cv_process *p = one->process = CV_NEW(&one->arena, struct cv_process);
    *p = (struct cv_process){.pidfd = -1, .in = -1, .out = -1, .err = -1, .prompt = one->request.prompt};
    const cv_reach *reach = one->request.reach;
    p->form = reach->preset ? cv_preset_output_of(reach->preset, reach->argv) : CV_OUTPUT_TEXT;
    launch plan = {.folder = folder_of(&one->arena, reach, one->request.root),
                   .env = environment(calls, one),
                   .argv = words(one, p)};
    plan.program = find_program(&one->arena, plan.argv[0], plan.folder, variable(calls, "PATH"));
    if (calls->guard.fd < 0)
        cv_guard_start(&calls->guard);
    if (!plan.program) {
        cv_one_decide(one, CV_CALL_NOT_STARTED, "%.*s", CV_FMT(tell_missing(&one->arena, plan.argv[0], plan.folder)));
    } else if (write_prompt(one, p) && !spawn_with_pipes(calls, p, &plan)) {
        int error = errno;
        cv_one_decide(one, CV_CALL_NOT_STARTED, "cannot %s '%s': %s", plan.step ? plan.step : "start", plan.argv[0],
                      why_not(&one->arena, &plan, error));
    }
    one->ended = p->pid == 0;
    if (p->prompt_file)
        close_fd(&p->in);
    else if (p->in >= 0)
        feed(p);
    p->prompt = cv_arena_copy(&one->arena, p->in >= 0 ? p->prompt : CV_STR("")); /* most fit into the pipe at once */
}

/* ---- while it runs ----------------------------------------------------------------------------------------------- */

static size_t add_fd(cv_calls *calls, int fd, short events)
{
    *CV_PUSH(&calls->poll_arena, &calls->polled) = (struct pollfd){.fd = fd, .events = events};
    return calls->polled.count - 1;
}

void cv_process_poll(cv_calls *calls, cv_one *one)
{
    struct cv_process *p = one->process;
    p->in_at = add_fd(calls, p->in, POLLOUT);
    p->out_at = add_fd(calls, p->out, POLLIN);
    p->err_at = add_fd(calls, p->err, POLLIN);
    p->pidfd_at = add_fd(calls, p->pidfd, POLLIN);
}

int64_t cv_process_due(const cv_one *one)
{
    const struct cv_process *p = one->process;
    int64_t due = p->kill_at ? p->kill_at : one->deadline, tick = cv_monotonic_ms() + TICK_MS;
    return (p->pidfd < 0 || due < tick - TICK_MS) ? tick : due; /* after KILL: only the end is waited for */
}

/* Everything that is there; at its end the descriptor is closed. */
static void drain(cv_calls *calls, cv_one *one, int *fd, bool is_answer)
{
    const struct cv_process *p = one->process;
    bool plain = p->form == CV_OUTPUT_TEXT && !p->output_file;
    while (*fd >= 0) {
        ssize_t n = read(*fd, calls->page, CV_CALLS_PAGE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close_fd(fd);
            return;
        }
        cv_str bytes = {calls->page, (size_t)n};
        if (!is_answer)
            cv_tail_add(&one->tail, bytes);
        else if (plain || one->spool.bytes < EVENTS)
            cv_one_add(one, bytes, plain ? one->request.reach->max_output : INT64_MAX);
        if (one->result.outcome == CV_CALL_TOO_LARGE && is_answer)
            close_fd(fd); /* no more of it is wanted */
    }
}

static void signal_group(const struct cv_process *p, int number)
{
    if (p->pid > 0)
        kill(-p->pid, number);
}

void cv_process_stop(cv_calls *calls, cv_one *one)
{
    struct cv_process *p = one->process;
    if (p->pid <= 0 || p->kill_at)
        return;
    signal_group(p, SIGTERM);
    p->kill_at = cv_monotonic_ms() + calls->world.kill_after_ms;
}

/* Has the process ended? Its group is ended, too, while its number is still ours. */
static bool reap(cv_calls *calls, cv_one *one)
{
    struct cv_process *p = one->process;
    siginfo_t info = {0};
    int status = 0;
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD)
        status = -1; /* somebody else has waited for it */
    else if (info.si_pid != p->pid)
        return false;
    drain(calls, one, &p->out, true);
    drain(calls, one, &p->err, false);
    signal_group(p, SIGKILL);
    cv_guard_tell(calls->guard.fd, p->pid, false);
    if (status == 0)
        waitpid(p->pid, &status, 0);
    p->pid = 0;
    one->result.exit_status = status == -1          ? CV_ABSENT
                              : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                    : WEXITSTATUS(status);
    return true;
}

/* ---- its end ----------------------------------------------------------------------------------------------------- */

static void close_all(struct cv_process *p)
{
    close_fd(&p->in), close_fd(&p->out), close_fd(&p->err), close_fd(&p->pidfd);
    if (p->prompt_file)
        unlink(p->prompt_file);
    if (p->output_file)
        unlink(p->output_file);
}

/* What it wrote into {output_file}; absent: nothing, or it has no such file. */
static bool read_output_file(cv_one *one, cv_str *ret_text)
{
    const struct cv_process *p = one->process;
    cv_err err = {.arena = &one->arena};
    *ret_text = (cv_str){NULL, 0};
    struct stat st;
    if (!p->output_file || stat(p->output_file, &st) != 0)
        return true;
    if (st.st_size > one->request.reach->max_output)
        cv_one_decide(one, CV_CALL_TOO_LARGE, "the answer has %lld bytes, at most %lld are allowed",
                      (long long)st.st_size, (long long)one->request.reach->max_output);
    else if (cv_file_read(&one->arena, p->output_file, (size_t)one->request.reach->max_output, ret_text, &err))
        return true;
    else
        cv_one_decide(one, CV_CALL_GARBAGE, "%.*s", CV_FMT(cv_err_text(&err)));
    return false;
}

/* With the last line of standard error, which usually says why: ": quota exceeded". */
static void tell_status(cv_one *one)
{
    enum { MOST_SAID = 200 };
    int64_t status = one->result.exit_status;
    cv_str tail = cv_tail_text(&one->arena, &one->tail, &one->secrets), rest = tail, last = CV_STR("");
    while (rest.n > 0 && cv_str_split(&rest, '\n', &last)) {
    }
    cv_str why = last.n ? cv_arena_printf(&one->arena, ": %.*s", CV_FMT(cv_utf8_excerpt(&one->arena, last, MOST_SAID)))
                        : CV_STR("");
    cv_calls_outcome outcome = one->request.reach->preset ? cv_output_trouble(tail, CV_CALL_FAILED) : CV_CALL_FAILED;
    if (status == CV_ABSENT)
        cv_one_decide(one, outcome, "the command ended, but its status is not known%.*s", CV_FMT(why));
    else if (status > 128 && status < 128 + NSIG)
        cv_one_decide(one, outcome, "the command was ended by signal %d (%s)%.*s", (int)status - 128,
                      strsignal((int)status - 128), CV_FMT(why));
    else
        cv_one_decide(one, outcome, "the command ended with status %d%.*s", (int)status, CV_FMT(why));
}

/* The answer in what came, unless it is decided already that there is none. */
static void conclude(cv_one *one)
{
    const struct cv_process *p = one->process;
    cv_err err = {.arena = &one->arena};
    cv_str raw, file;
    if (one->decided)
        return;
    if (!cv_spool_read(&one->arena, &one->spool, &raw, &err)) {
        cv_one_decide(one, CV_CALL_FAILED, "%.*s", CV_FMT(cv_err_text(&err)));
        return;
    }
    if (!read_output_file(one, &file))
        return;
    cv_output_read(&one->arena, p->form, raw, file, one->result.exit_status == 0, &one->result);
    if (one->result.exit_status != 0 && !one->result.message.n)
        tell_status(one);
    else
        cv_one_decide(one, one->result.outcome, "%.*s", CV_FMT(one->result.message));
    if (one->tail.n == 0 && one->result.outcome != CV_CALL_ANSWERED)
        cv_tail_add(&one->tail, raw);
}

static bool is_ready(const cv_calls *calls, size_t at)
{
    return calls->polled.items[at].revents != 0;
}

void cv_process_serve(cv_calls *calls, cv_one *one, int64_t now)
{
    struct cv_process *p = one->process;
    if (p->in >= 0 && is_ready(calls, p->in_at))
        feed(p);
    if (p->out >= 0 && is_ready(calls, p->out_at))
        drain(calls, one, &p->out, true);
    if (p->err >= 0 && is_ready(calls, p->err_at))
        drain(calls, one, &p->err, false);
    if ((p->pidfd < 0 || is_ready(calls, p->pidfd_at)) && reap(calls, one)) {
        conclude(one);
        close_all(p);
        one->ended = true;
        return;
    }
    if (now >= one->deadline)
        cv_one_decide(one, CV_CALL_TIMEOUT, "there was no answer after %.*s",
                      CV_FMT(cv_one_seconds(one, one->deadline - one->began)));
    if (one->decided)
        cv_process_stop(calls, one);
    if (p->kill_at && now >= p->kill_at)
        signal_group(p, SIGKILL);
}

void cv_process_release(cv_calls *calls, cv_one *one)
{
    struct cv_process *p = one->process;
    if (!p)
        return;
    if (p->pid > 0) {
        signal_group(p, SIGKILL);
        cv_guard_tell(calls->guard.fd, p->pid, false);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    close_all(p);
}
