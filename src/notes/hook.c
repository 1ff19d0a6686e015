/* hook.c - `notes install-hook`: git asks 'notes stale --staged' before every commit.
 *
 * The hook is a file of ours and says so in its second line. Another file of that name is somebody's own: it is neither
 * changed nor removed; the answer says which line to put into it.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/os.h"
#include "notes/git.h"
#include "notes/operations.h"
#include "notes/words/errors.h"

#define MARK "# conclave notes: a new header dialog with every change ('conclave notes install-hook' made this file)"
#define LINE "conclave notes stale --staged"
#define MOST_HOOK ((size_t)1 << 20)

typedef struct {
    cv_str outcome, path;
} answer;

static const cv_str outcome_list[] = {CV_STR_INIT("installed"), CV_STR_INIT("unchanged"), CV_STR_INIT("removed"),
                                      CV_STR_INIT("absent")};
static const cv_words outcomes = {outcome_list, CV_COUNT(outcome_list)};

#define CV_THIS_TYPE answer
const cv_shape cv_notes_install_hook_shape[] = {
    CV_SUCCESS,
    CV_WORD(ALWAYS, "outcome", outcome, &outcomes, ""),
    CV_FIELD(ALWAYS, path, "the hook"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* The program that was asked, in case there is none in the path of the user who commits. */
static cv_str program(cv_arena *a)
{
    cv_str path = cv_os_program(a);
    return path.n ? path : CV_STR("conclave");
}

static void add_quoted(cv_buf *out, cv_str word)
{
    cv_buf_add_char(out, '\'');
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] == '\'')
            cv_buf_add_z(out, "'\\''");
        else
            cv_buf_add_char(out, word.p[i]);
    cv_buf_add_char(out, '\'');
}

static cv_str hook_text(cv_call *call, const char *root)
{
    cv_buf out = {0};
    cv_buf_add_z(&out, "#!/bin/sh\n" MARK "\n");
    cv_buf_add_z(&out, "conclave=$(command -v conclave) || conclave=");
    add_quoted(&out, program(call->arena));
    cv_buf_add_z(&out, "\nif [ ! -x \"$conclave\" ]; then\n"
                       "    echo 'conclave was not found, so the header dialogs were not checked;' >&2\n"
                       "    echo 'git commit --no-verify commits anyway' >&2\n"
                       "    exit 1\n"
                       "fi\n"
                       "\"$conclave\" notes stale --staged --root ");
    add_quoted(&out, cv_str_of(root));
    cv_buf_add_z(&out, " >&2 && exit 0\n"
                       "echo \"Say in each header what you changed ('conclave notes header'), and add the\" >&2\n"
                       "echo 'file again; git commit --no-verify commits anyway' >&2\n"
                       "exit 1\n");
    return cv_buf_take(&out, call->arena);
}

static bool is_ours(void *ctx, cv_str bytes, bool unmarked)
{
    (void)ctx, (void)unmarked;
    return cv_str_find(cv_str_head(bytes, 200), CV_STR(MARK)) != SIZE_MAX;
}

/* Where git looks for it: its own folder, or the one that this repository has configured. */
static bool find_place(cv_call *call, cv_where *ret, cv_err *err)
{
    static const char *const common[] = {"rev-parse", "--git-common-dir", NULL};
    static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
    static const char *const configured[] = {"config", "--local", "--type=path", "--get", "core.hooksPath", NULL};
    cv_arena *a = call->arena;
    cv_str said, folder, base = cv_str_of(call->root);
    cv_err none = {.arena = a};
    if (!cv_git_run(call, common, &said, err)) {
        cv_err_set(err, CV_ERR_NOTES_GIT, "the project is not in a git repository, or git is missing");
        cv_err_suggest(err, CV_STR("'git init' makes a repository"));
        return false;
    }
    folder = cv_arena_printf(a, "%.*s/hooks", CV_FMT(cv_str_trim(said)));
    if (cv_git_run(call, configured, &said, &none) && cv_str_trim(said).n) {
        folder = cv_arena_copy(a, cv_str_trim(said));
        if (cv_git_run(call, top, &said, &none))
            base = cv_arena_copy(a, cv_str_trim(said));
    }
    if (folder.p[0] != '/')
        folder = cv_arena_printf(a, "%.*s/%.*s", CV_FMT(base), CV_FMT(folder));
    *ret = cv_where_named(cv_arena_printf(a, "%.*s/pre-commit", CV_FMT(folder)).p);
    return true;
}

static bool refuse_foreign(cv_call *call, cv_where where, cv_err *err)
{
    cv_err_set(err, CV_ERR_NOTES_EXISTS, "there is a pre-commit hook already, and it is not ours: it stays as it is");
    cv_err_file(err, cv_str_of(cv_where_path(call->arena, where)));
    cv_err_suggest(err, CV_STR("put the line '" LINE " || exit 1' into it"));
    return false;
}

static bool make_executable(cv_where where, cv_err *err)
{
    int fd = cv_where_open(where, O_RDONLY, "open the hook", err);
    if (fd < 0)
        return false;
    bool ok = fchmod(fd, 0755) == 0;
    close(fd);
    return ok || cv_err_set(err, CV_ERR_IO, "the hook cannot be made executable");
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

static bool install(cv_call *call, cv_where where, bool is_there, cv_str found, answer *ans, cv_err *err)
{
    const char *root;
    cv_file_rules rules = {.arena = call->arena, .is_ours = is_ours, .gives_way = true};
    if (!cv_folder_real(call->arena, call->root, &root, err))
        return false;
    cv_str text = hook_text(call, root);
    bool same = is_there && cv_str_eq(found, text) && access(where.path, X_OK) == 0;
    ans->outcome = same ? outcomes.items[1] : outcomes.items[0];
    if (same)
        return true;
    if (!cv_folder_make(cv_folder_of(call->arena, where.path), err))
        return false;
    if (!cv_file_write_at(where, text, &rules, err))
        return err->code == CV_ERR_FILE_CHANGED ? refuse_foreign(call, where, err) : false;
    return make_executable(where, err);
}

bool cv_notes_op_install_hook(cv_call *call)
{
    cv_err err = {.arena = call->arena}, none = {.arena = call->arena};
    cv_where where;
    cv_str found = CV_STR("");
    struct stat st;
    answer ans = {.outcome = outcomes.items[3]};
    if (call->confined) {
        cv_err_set(&err, CV_ERR_USAGE, "hooks are programs: they are installed at the command line only");
        cv_err_suggest(&err, CV_STR("ask a person to run 'conclave notes install-hook' in the project's folder"));
        return cv_call_fail(call, &err);
    }
    if (!find_place(call, &where, &err))
        return cv_call_fail(call, &err);
    ans.path = cv_str_of(where.path);
    bool is_there = lstat(where.path, &st) == 0;
    if (is_there &&
        (!cv_file_read(call->arena, where.path, MOST_HOOK, &found, &none) || !is_ours(NULL, found, false))) {
        refuse_foreign(call, where, &err);
        return cv_call_fail(call, &err);
    }
    bool ok = true;
    if (!cv_json_get_true(call->input, "remove")) {
        ok = install(call, where, is_there, found, &ans, &err);
    } else if (is_there) {
        ok = cv_where_unlink(where) || cv_err_set(&err, CV_ERR_IO, "the hook cannot be removed");
        ans.outcome = outcomes.items[2];
    }
    if (!ok)
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_install_hook_shape, &ans);
    return true;
}
