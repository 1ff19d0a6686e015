/* outlet.c - where an operation may write a file; see outlet.h. */
#include "record/outlet.h"

#include "base/path.h"

const char *const cv_record_database = "conclave.db";

const char *cv_record_path(cv_arena *a, const char *root, const char *name)
{
    bool slash = root[strlen(root) - 1] == '/';
    return cv_arena_copy_z(a, cv_arena_printf(a, "%s%s.conclave%s%s", root, slash ? "" : "/", *name ? "/" : "", name));
}

bool cv_outlet_allowed(const cv_call *call, cv_str path, const char **ret_path, cv_err *err)
{
    if (!cv_path_allowed(call->arena, call->root, call->confined, path, ret_path, err))
        return false;
    const char *record = cv_record_path(call->arena, call->root, "");
    const char *dialogues = cv_record_path(call->arena, call->root, "dialogues");
    if (!cv_path_is_below(call->arena, *ret_path, record) || cv_path_is_below(call->arena, *ret_path, dialogues))
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the path lies in the record's own folder");
    cv_err_value(err, path);
    cv_err_suggest(err, CV_STR("name a path outside .conclave, or one below .conclave/dialogues"));
    return false;
}

bool cv_outlet_forced(const cv_call *call)
{
    return !call->confined && cv_json_get_true(call->input, "force");
}

cv_str cv_outlet_advice(const cv_call *call)
{
    return call->confined ? CV_STR("choose another name; only the command line replaces what conclave did not write")
                          : CV_STR("choose another name, or replace it with force");
}
