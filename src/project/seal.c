/* seal.c - a seal for what was committed so far; see record/seal.h. */
#include "record/seal.h"

#include "project/operations.h"

bool cv_record_seal(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_seal seal;
    if (!cv_seal_record(call->record, NULL, &seal, &err))
        return cv_call_fail(call, &err);
    if (seal.number == 0) {
        cv_err_set(&err, CV_ERR_INVALID_VALUE, "there is nothing to seal yet: the record is empty");
        return cv_call_fail(call, &err);
    }
    cv_json_writer w = {.out = call->out};
    cv_str line = cv_seal_print(call->arena, &seal);
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "seal", line);
    cv_json_key_int(&w, "commit", seal.number);
    if (call->for_people)
        cv_json_key_str(&w, "text", cv_arena_join(call->arena, line, CV_STR("\n")));
    cv_json_end_object(&w);
    return true;
}
