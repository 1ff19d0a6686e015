/* stored.c - what the record keeps may have been damaged; see stored.h. */
#include "record/stored.h"

bool cv_stored_corrupt(cv_err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(err->arena, format, args);
    va_end(args);
    cv_err_set(err, CV_ERR_CORRUPT, "the record has %.*s", CV_FMT(message));
    cv_err_operation(err, CV_STR("verify"));
    cv_err_suggest(err, CV_STR("shows where it was changed"));
    return false;
}

bool cv_stored_json(cv_arena *a, cv_str text, const char *what, cv_json *ret_value, cv_err *err)
{
    cv_err why = {.arena = a};
    if (cv_json_parse(a, text, ret_value, &why))
        return true;
    return cv_stored_corrupt(err, "%s that is not JSON: %.*s", what, CV_FMT(why.message));
}
