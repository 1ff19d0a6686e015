/* seal.c - a seal for what was committed so far; see record/seal.h. */
#include "record/seal.h"

#include "project/operations.h"

typedef struct {
    cv_str seal, text;
    int64_t commit;
} sealed;

#define CV_THIS_TYPE sealed
const cv_shape cv_seal_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, seal, "the line to keep; 'verify' takes it as 'seal'"),
    CV_NUMBER(ALWAYS, "commit", commit, 1, CV_NO_LIMIT, "the last write that it stands for"),
    CV_DOCUMENT(text, "the line for people; not with --json"),
    {0},
};
#undef CV_THIS_TYPE

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
    sealed s = {.seal = cv_seal_print(call->arena, &seal), .commit = seal.number};
    if (call->for_people)
        s.text = cv_arena_join(call->arena, s.seal, CV_STR("\n"));
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_seal_shape, &s);
    return true;
}
