/* notice.c - the warnings of an answer; see notice.h. */
#include "dialogue/notice.h"

cv_notice *cv_notice_add(cv_notices *warnings, cv_arena *a, cv_str type, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_notice *warning = CV_PUSH(a, warnings);
    *warning = (cv_notice){.type = type, .message = cv_arena_vprintf(a, format, args), .round = CV_ABSENT};
    va_end(args);
    return warning;
}

void cv_notices_print(const cv_notices *warnings, cv_json_writer *w)
{
    cv_json_begin_array(w);
    for (size_t i = 0; i < warnings->count; i++) {
        const cv_notice *warning = &warnings->items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", warning->type);
        if (warning->expert.n)
            cv_json_key_str(w, "expert", warning->expert);
        if (warning->id.n)
            cv_json_key_str(w, "id", warning->id);
        if (warning->field.n)
            cv_json_key_str(w, "field", warning->field);
        if (warning->round != CV_ABSENT)
            cv_json_key_int(w, "round", warning->round);
        if (warning->ids.n) {
            cv_json_key(w, CV_STR("ids"));
            cv_json_raw(w, warning->ids);
        }
        cv_json_key_str(w, "message", warning->message);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}
