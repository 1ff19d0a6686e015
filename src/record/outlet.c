/* outlet.c - where an operation may write a file; see outlet.h. */
#include "record/outlet.h"

#include "base/path.h"

bool cv_outlet_allowed(const cv_call *call, cv_str path, const char **ret_path, cv_err *err)
{
    if (!cv_path_allowed(call->arena, call->root, call->confined, path, ret_path, err))
        return false;
    const char *record = cv_arena_printf(call->arena, "%s/.conclave", call->root).p;
    const char *dialogues = cv_arena_printf(call->arena, "%s/dialogues", record).p;
    if (!cv_path_is_below(call->arena, *ret_path, record) || cv_path_is_below(call->arena, *ret_path, dialogues))
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the path lies in the record's own folder");
    err->value = cv_arena_copy(err->arena, path);
    err->suggestion = CV_STR("name a path outside .conclave, or one below .conclave/dialogues");
    return false;
}
