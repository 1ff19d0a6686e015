/* git.c - asking git; see git.h. */
#include "notes/git.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/limits.h"
#include "base/where.h"
#include "notes/words/errors.h"

enum { MOST_ARGUMENTS = 40 };
#define MOST_OUTPUT ((size_t)256 << 20)

/* Nothing of the caller's environment that could lead git elsewhere or make it run something. */
static const char *const environment[] = {"GIT_CONFIG_NOSYSTEM=1",
                                          "GIT_CONFIG_GLOBAL=/dev/null",
                                          "GIT_TERMINAL_PROMPT=0",
                                          "GIT_OPTIONAL_LOCKS=0",
                                          "GIT_PAGER=cat",
                                          "GIT_ASKPASS=true",
                                          "LC_ALL=C"};
static const char *const options[] = {"--no-pager", "--literal-pathspecs",      "-c", "core.fsmonitor=false",
                                      "-c",         "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
                                      "-c",         "diff.external=",           "-c", "safe.directory=*"};

static char **arguments_of(cv_arena *a, const char *root, const char *const *arguments)
{
    char **all = CV_NEW_ARRAY(a, MOST_ARGUMENTS + CV_COUNT(options) + 4, char *);
    size_t n = 0;
    all[n++] = cv_arena_copy_z(a, CV_STR("git"));
    all[n++] = cv_arena_copy_z(a, CV_STR("-C"));
    all[n++] = cv_arena_copy_z(a, cv_str_of(root));
    for (size_t i = 0; i < CV_COUNT(options); i++)
        all[n++] = cv_arena_copy_z(a, cv_str_of(options[i]));
    for (size_t i = 0; arguments[i]; i++) {
        assert(i < MOST_ARGUMENTS);
        all[n++] = cv_arena_copy_z(a, cv_str_of(arguments[i]));
    }
    return all;
}

/* A hook is told which index will be committed; nobody but the command line runs as one. */
static char **environment_of(cv_arena *a, bool confined)
{
    char **all = CV_NEW_ARRAY(a, CV_COUNT(environment) + 4, char *);
    size_t n = 0;
    const char *path = getenv("PATH"), *home = getenv("HOME"), *index = confined ? NULL : getenv("GIT_INDEX_FILE");
    if (index)
        all[n++] = cv_arena_copy_z(a, cv_arena_printf(a, "GIT_INDEX_FILE=%s", index));
    for (size_t i = 0; i < CV_COUNT(environment); i++)
        all[n++] = cv_arena_copy_z(a, cv_str_of(environment[i]));
    all[n++] = cv_arena_copy_z(a, cv_arena_printf(a, "PATH=%s", path ? path : "/usr/bin:/bin"));
    if (home)
        all[n++] = cv_arena_copy_z(a, cv_arena_printf(a, "HOME=%s", home));
    return all;
}

static bool fail(cv_err *err, const char *what, cv_str said)
{
    cv_err_set(err, CV_ERR_NOTES_GIT, "%s%s%.*s", what, said.n ? ": " : "",
               CV_FMT(cv_str_trim(cv_str_head(said, 300))));
    cv_err_suggest(err, CV_STR("is git installed, and is the project in a git repository?"));
    return false;
}

static bool read_all(int fd, cv_buf *out)
{
    char page[65536];
    ssize_t n;
    while ((n = read(fd, page, sizeof page)) != 0) {
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            cv_buf_add(out, (cv_str){page, (size_t)n});
    }
    return cv_buf_ok(out);
}

/* The child has nothing to read, one pipe to write to, and its complaints go nowhere. */
static bool start(cv_call *call, const char *const *arguments, int output, pid_t *ret_child)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool ok = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 &&
              posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
              cv_child_spawn(ret_child, "git", &actions, arguments_of(call->arena, call->root, arguments),
                             environment_of(call->arena, call->confined)) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

static bool run(cv_call *call, const char *const *arguments, cv_str *ret_output, int *ret_status)
{
    int ends[2], status = 0;
    pid_t child;
    cv_buf out = {.ceiling = MOST_OUTPUT};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    bool ok = start(call, arguments, ends[1], &child);
    close(ends[1]);
    bool whole = ok && read_all(ends[0], &out);
    close(ends[0]);
    while (ok && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *ret_output = cv_buf_take(&out, call->arena);
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ok && whole;
}

bool cv_git_run(cv_call *call, const char *const *arguments, cv_str *ret_output, cv_err *err)
{
    int status;
    if (!run(call, arguments, ret_output, &status) || status == 127)
        return fail(err, "git cannot be started", CV_STR(""));
    return status == 0 || fail(err, cv_arena_printf(call->arena, "git %s failed", arguments[0]).p, *ret_output);
}

/* Has the project's folder, or one above it, a .git? Without one no program is started. */
static bool has_repository(cv_call *call)
{
    char real[PATH_MAX];
    struct stat st;
    if (!realpath(call->root, real))
        return false;
    for (size_t n = strlen(real);; n--) {
        if (n > 0 && real[n] != '/' && real[n] != '\0')
            continue;
        cv_str folder = {real, n};
        if (stat(cv_arena_printf(call->arena, "%.*s/.git", CV_FMT(folder)).p, &st) == 0)
            return true;
        if (n == 0)
            return false;
    }
}

bool cv_git_is_there(cv_call *call)
{
    static const char *const ask[] = {"rev-parse", "--is-inside-work-tree", NULL};
    cv_err none = {.arena = call->arena};
    cv_str said;
    return has_repository(call) && cv_git_run(call, ask, &said, &none) && cv_str_eq(cv_str_trim(said), CV_STR("true"));
}

bool cv_git_is_modified(cv_call *call, cv_str path, bool *ret_modified)
{
    const char *const known[] = {"ls-files", "--error-unmatch", "--", cv_arena_copy_z(call->arena, path), NULL};
    const char *const differs[] = {"diff", "--quiet", "--no-ext-diff", "HEAD", "--", cv_arena_copy_z(call->arena, path),
                                   NULL};
    cv_str said;
    int status;
    if (!has_repository(call) || !run(call, known, &said, &status) || status != 0 ||
        !run(call, differs, &said, &status) || status > 1 || status < 0)
        return false;
    *ret_modified = status == 1;
    return true;
}
