/* stale.c - `notes stale`: files that were changed and whose header dialog was not.
 *
 *     git    files whose body differs from a commit (the last one, unless another is named), and whose dialog does not
 *     log    files whose body is another than when their header dialog was logged; needs no git
 */
#include "base/map.h"
#include "notes/found.h"
#include "notes/git.h"
#include "notes/ignore.h"
#include "notes/log.h"
#include "notes/operations.h"
#include "notes/words/errors.h"

/* git has it without being told: a tree with nothing in it. */
#define EMPTY_TREE "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

typedef struct {
    cv_str path, found_by, problem, speaker, message;
    size_t line;
} one;

typedef struct {
    cv_call *call;
    one *items;
    size_t count, capacity;
    size_t changed;
    cv_str since; /* a commit; absent: git was not asked */
    bool staged;  /* what will be committed, not the files as they are */
    cv_map told;
} answer;

#define CV_THIS_TYPE one
static const cv_shape one_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(IF_ANY, line, "of the header dialog"),
    CV_FIELD(ALWAYS, problem, "dialog_unchanged, dialog_missing"),
    CV_FIELD(ALWAYS, found_by, "git, log"),
    CV_FIELD(IF_ANY, speaker, "of the present dialog"),
    CV_BELOW(IF_ANY, message, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE answer
const cv_shape cv_notes_stale_shape[] = {
    CV_FIELD(IF_ANY, since, "the commit that files were compared with"),
    CV_FIELD(ALWAYS, changed, "files that differ from it, or from the log"),
    CV_LIST("stale", items, count, one_shape, "those without a new header dialog"),
    {0},
};
#undef CV_THIS_TYPE

static void tell(answer *ans, cv_str path, const cv_notes_file *now, const char *found_by, const char *problem)
{
    const cv_note *dialog = now ? cv_notes_header_dialog(now) : NULL;
    bool is_new;
    cv_map_put(&ans->told, ans->call->arena, path, &is_new);
    if (is_new)
        *CV_PUSH(ans->call->arena, ans) =
            (one){.path = path,
                  .found_by = cv_str_of(found_by),
                  .problem = cv_str_of(problem),
                  .line = dialog ? dialog->line : 0,
                  .speaker = dialog ? cv_note_value(dialog, CV_NOTE_SPEAKER) : CV_STR(""),
                  .message = dialog ? cv_note_value(dialog, CV_NOTE_MESSAGE) : CV_STR("")};
}

static cv_str digest_of_header(cv_arena *a, const cv_notes_file *file)
{
    cv_notes_file_found found = {0};
    if (!cv_notes_header_dialog(file))
        return CV_STR("");
    cv_notes_gather(a, file, &found);
    return cv_note_digest(a, &found.notes[0]);
}

/* ---- by git ------------------------------------------------------------------------------------------------------ */

static bool find_commit(answer *ans, cv_str since, cv_err *err)
{
    cv_call *call = ans->call;
    const char *name = cv_arena_printf(call->arena, "%.*s^{commit}", CV_FMT(since)).p;
    const char *const ask[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL};
    cv_str out;
    if (!cv_git_run(call, ask, &out, err)) {
        cv_err_set(err, CV_ERR_NOTES_GIT, "git does not know the commit '%.*s'", CV_FMT(cv_str_head(since, 100)));
        cv_err_field(err, CV_STR("since"));
        cv_err_suggest(err, CV_STR("name a commit, a branch or a tag of this repository, like HEAD~3"));
        return false;
    }
    ans->since = cv_str_of(cv_arena_copy_z(call->arena, cv_str_trim(out)));
    return true;
}

static bool read_blob(answer *ans, cv_str commit, cv_str path, cv_str *ret_text)
{
    cv_arena *a = ans->call->arena;
    const char *name = cv_arena_printf(a, "%.*s:./%.*s", CV_FMT(commit), CV_FMT(path)).p;
    const char *const ask[] = {"cat-file", "blob", name, NULL};
    cv_err none = {.arena = a};
    return cv_git_run(ans->call, ask, ret_text, &none) && !cv_notes_is_binary(*ret_text);
}

static bool read_now(answer *ans, cv_str path, cv_str *ret_text)
{
    cv_arena *a = ans->call->arena;
    cv_err none = {.arena = a};
    return ans->staged ? read_blob(ans, CV_STR(""), path, ret_text)
                       : cv_notes_load(a, (cv_where){ans->call->root, cv_arena_copy_z(a, path)}, ret_text, &none);
}

/* A new file of a language that we know must have a header, too; names that say nothing may be anything. */
static bool must_begin(const answer *ans, cv_str path)
{
    size_t slash = path.n, dot = SIZE_MAX;
    while (slash > 0 && path.p[slash - 1] != '/')
        slash--;
    cv_str name = cv_str_from(path, slash);
    for (size_t i = 1; i < name.n; i++)
        dot = name.p[i] == '.' ? i : dot;
    return ans->staged && dot != SIZE_MAX && !cv_ignores_vendored(name, false) &&
           cv_notes_listed(cv_notes_languages[cv_notes_language_of(path)].endings, cv_str_from(name, dot + 1));
}

static void compare_with_git(answer *ans, cv_str path)
{
    cv_arena *a = ans->call->arena;
    cv_str before, text;
    cv_notes_file old, now;
    cv_notes_language language = cv_notes_language_of(path);
    if (!read_now(ans, path, &text))
        return;
    if (!read_blob(ans, ans->since, path, &before)) {
        if (!must_begin(ans, path))
            return;
        before = CV_STR("");
    }
    cv_notes_read(a, before, language, 0, &old);
    cv_notes_read(a, text, language, 0, &now);
    bool has_header = cv_notes_header_dialog(&old) || cv_notes_header_dialog(&now);
    if ((cv_notes_languages[now.language].header == CV_IN_NONE && !has_header) ||
        cv_str_eq(cv_notes_body_digest(a, &old), cv_notes_body_digest(a, &now)))
        return;
    if (!cv_notes_header_dialog(&now))
        tell(ans, path, NULL, "git", "dialog_missing");
    else if (cv_str_eq(digest_of_header(a, &old), digest_of_header(a, &now)))
        tell(ans, path, &now, "git", "dialog_unchanged");
}

static bool ask_git(answer *ans, cv_str since, cv_err *err)
{
    cv_call *call = ans->call;
    cv_str out, path;
    bool named = since.p != NULL;
    cv_err none = {.arena = call->arena};
    if (!named && !cv_git_is_there(call))
        return true;
    if (!find_commit(ans, named ? since : CV_STR("HEAD"), named ? err : &none)) {
        if (named || !ans->staged)
            return !named;
        ans->since = CV_STR(EMPTY_TREE); /* the first commit */
    }
    const char *const ask[] = {
        "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--diff-filter=AM", "--relative", ans->since.p,
        "--",   ".",           NULL};
    const char *const ask_staged[] = {"diff",
                                      "--cached",
                                      "--name-only",
                                      "-z",
                                      "--no-ext-diff",
                                      "--no-renames",
                                      "--diff-filter=AM",
                                      "--relative",
                                      ans->since.p,
                                      "--",
                                      ".",
                                      NULL};
    if (!cv_git_run(call, ans->staged ? ask_staged : ask, &out, err))
        return false;
    while (cv_str_split(&out, '\0', &path)) {
        if (!path.n || cv_str_starts(path, CV_STR(".conclave/")))
            continue;
        ans->changed++;
        compare_with_git(ans, path);
    }
    return true;
}

/* ---- by the log -------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str digest;
    bool has;
} sought;

static bool sees_digest(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    sought *s = ctx;
    (void)scope, (void)err;
    s->has |= cv_str_eq(((const cv_note_row *)row)->digest, s->digest);
    return true;
}

/* The dialog that the log has as the file's current one is still there, and the rest is not what it was. */
static bool compare_with_log(answer *ans, const cv_note_file *row, cv_err *err)
{
    cv_arena *a = ans->call->arena;
    cv_err none = {.arena = a};
    cv_str text;
    cv_notes_file now;
    if (!row->body_sha256.p || !cv_notes_load(a, (cv_where){ans->call->root, row->path.p}, &text, &none))
        return true;
    cv_notes_read(a, text, cv_notes_language_of(row->path), 0, &now);
    if (!cv_notes_header_dialog(&now) || cv_str_eq(cv_notes_body_digest(a, &now), row->body_sha256))
        return true;
    const cv_note_row like = {.path = row->path, .status = cv_note_current};
    const cv_find find = {
        .type = &cv_note_row_type, .index = cv_notes_by_status, .scope = cv_notes_scope(), .like = &like, .equal = 2};
    sought wanted = {digest_of_header(a, &now), false};
    if (!ans->call->record->calls->find(ans->call->record, &find, sees_digest, &wanted, err))
        return false;
    ans->changed++;
    if (wanted.has)
        tell(ans, row->path, &now, "log", "dialog_unchanged");
    return true;
}

bool cv_notes_op_stale(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    answer ans = {.call = call};
    cv_row_list all = {0};
    cv_str since = cv_json_get_text(call->input, "since");
    ans.staged = cv_json_get_true(call->input, "staged");
    const cv_find find = {.type = &cv_note_file_type, .scope = cv_notes_scope()};
    bool ok = ask_git(&ans, since, &err);
    if (ok && !since.p && !ans.staged)
        ok = cv_record_rows(call->record, call->arena, &find, &all, &err);
    for (size_t i = 0; ok && i < all.count; i++)
        ok = compare_with_log(&ans, all.items[i], &err);
    if (!ok)
        return cv_call_fail(call, &err);
    call->unwell = ans.count > 0;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_stale_shape, &ans);
    return true;
}
