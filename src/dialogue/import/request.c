/* request.c - the room's own operations, called on behalf of a larger one; see request.h. */
#include "dialogue/import/request.h"

static int64_t stands_still(void *ctx)
{
    return *(const int64_t *)ctx;
}

void cv_request(const cv_call *call, cv_arena *a, cv_record *record, int64_t at_ms, cv_handler run, cv_str input,
                cv_reply *ret_reply)
{
    cv_buf out = {0};
    cv_json tree;
    cv_err err = {.arena = a};
    *ret_reply = (cv_reply){0};
    cv_call own = *call;
    own.arena = a;
    own.record = record;
    own.holds = NULL;
    if (at_ms != CV_ABSENT)
        own.clock = (cv_clock){stands_still, &at_ms};
    own.input = &tree;
    own.input_text = input;
    own.operation = own.digest = (cv_str){NULL, 0};
    own.out = &out;
    own.verbatim = own.for_people = false;
    own.errs = &ret_reply->errs;
    ret_reply->done = cv_json_parse(a, input, &tree, &err) ? run(&own) : cv_call_fail(&own, &err);
    ret_reply->text = cv_buf_take(&out, a);
    if (ret_reply->done && !cv_json_parse(a, ret_reply->text, &ret_reply->json, &err))
        ret_reply->done = cv_call_fail(&own, &err);
}
