/* notice.c - the warnings of an answer; see notice.h. */
#include "kit/notice.h"

#include <assert.h>

#include "base/limits.h"
#include "record/type.h"

#define CV_THIS_TYPE cv_notice
const cv_shape cv_plain_notice_shape[] = {
    CV_FIELD(ALWAYS, type, ""),
    CV_FIELD(IF_ANY, id, ""),
    CV_FIELD(IF_ANY, field, ""),
    CV_FIELD(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE

cv_notice *cv_notice_add(cv_notices *warnings, cv_arena *a, cv_str type, const char *format, ...)
{
    assert(type.n > 0 && (warnings->left_out == 0 || warnings->count == CV_MAX_WARNINGS));
    if (warnings->count >= CV_MAX_WARNINGS) {
        warnings->left_out++;
        return &warnings->aside;
    }
    va_list args;
    va_start(args, format);
    cv_notice *warning = CV_PUSH(a, warnings);
    *warning = (cv_notice){.type = type, .message = cv_arena_vprintf(a, format, args), .step.number = CV_ABSENT};
    va_end(args);
    return warning;
}

static void print(const cv_notice *warning, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "type", warning->type);
    cv_json_key_str_if(w, "id", warning->id);
    if (warning->who.key)
        cv_json_key_str_if(w, warning->who.key, warning->who.text);
    cv_json_key_str_if(w, "field", warning->field);
    if (warning->step.key)
        cv_json_key_int(w, warning->step.key, warning->step.number);
    cv_json_key_raw_if(w, "ids", warning->ids);
    cv_json_key_str(w, "message", warning->message);
    cv_json_end_object(w);
}

void cv_notices_answer(const cv_notices *warnings, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("warnings"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < warnings->count; i++)
        print(&warnings->items[i], w);
    cv_json_end_array(w);
    if (warnings->left_out > 0)
        cv_json_key_int(w, "warnings_left_out", (int64_t)warnings->left_out);
}
