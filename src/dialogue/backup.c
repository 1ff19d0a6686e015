/* backup.c - a whole copy of the record under another name.
 *
 * The engine makes the copy, consistent and on disk, and never over an existing file. With `force` the copy is made
 * beside the old one, opened, and only then put in its place: at no moment is there no backup.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "dialogue/operations.h"
#include "record/outlet.h"

/* A copy that does not open is no backup. Opening also checks that its schema is ours. */
static bool opens(cv_call *call, const char *path, cv_err *err)
{
    cv_store *copy;
    if (!cv_sqlite_open(call->arena, path, false, &copy, err))
        return false;
    bool ok = copy->calls->check(copy, call->arena, err);
    cv_store_close(copy);
    return ok;
}

static bool make_copy(cv_call *call, const char *path, cv_err *err)
{
    if (!call->store->calls->backup(call->store, path, err))
        return false;
    if (opens(call, path, err))
        return true;
    unlink(path);
    return false;
}

static bool replace_copy(cv_call *call, const char *path, cv_err *err)
{
    const char *fresh = cv_arena_printf(call->arena, "%s.%ld.new", path, (long)getpid()).p;
    if (!make_copy(call, fresh, err))
        return false;
    if (cv_file_replace(fresh, path, err))
        return true;
    unlink(fresh);
    return false;
}

static bool back_up(cv_call *call, cv_str given, bool force, const char **ret_path, cv_err *err)
{
    struct stat st;
    if (!cv_outlet_allowed(call, given, ret_path, err)) {
        cv_err_field(err, CV_STR("path"));
        return false;
    }
    bool there = lstat(*ret_path, &st) == 0;
    if (there && (!force || !S_ISREG(st.st_mode))) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "there is %s of this name already",
                   S_ISREG(st.st_mode) ? "a file" : "something");
        cv_err_field(err, CV_STR("path"));
        cv_err_value(err, given);
        cv_err_suggest(err, S_ISREG(st.st_mode) ? cv_outlet_advice(call) : CV_STR("choose another name"));
        return false;
    }
    return there ? replace_copy(call, *ret_path, err) : make_copy(call, *ret_path, err);
}

bool cv_record_backup(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    bool force = cv_outlet_forced(call);
    const char *written;
    struct stat st;
    if (!back_up(call, cv_json_get_text(call->input, "path"), force, &written, &err))
        return cv_call_fail(call, &err);
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "path", cv_str_of(written));
    cv_json_key_int(&w, "bytes", stat(written, &st) == 0 ? (int64_t)st.st_size : 0);
    cv_json_end_object(&w);
    return true;
}
