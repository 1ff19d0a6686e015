/* invoke.c - operations that are called on behalf of a larger one; see invoke.h. */
#include "kit/invoke.h"

static int64_t stands_still(void *ctx)
{
    return *(const int64_t *)ctx;
}

/* What is to be run, with the input that was read. */
typedef struct {
    cv_handler run; /* NULL: the operation of these words */
    cv_str room, verb;
} callee;

static void run(cv_call own, callee it, cv_str input, cv_reply *ret_reply)
{
    cv_arena *a = own.arena;
    cv_buf out = {0};
    cv_json tree;
    cv_err err = {.arena = a};
    *ret_reply = (cv_reply){0};
    own.input = &tree;
    own.input_text = input;
    own.operation = own.digest = (cv_str){NULL, 0};
    own.out = &out;
    own.verbatim = own.for_people = false;
    own.errs = &ret_reply->errs;
    if (!cv_json_parse(a, input, &tree, &err))
        ret_reply->done = cv_call_fail(&own, &err);
    else
        ret_reply->done = it.run ? it.run(&own) : own.invoke(&own, it.room, it.verb);
    ret_reply->text = cv_buf_take(&out, a);
    if (ret_reply->done && !cv_json_parse(a, ret_reply->text, &ret_reply->json, &err))
        ret_reply->done = cv_call_fail(&own, &err);
}

void cv_invoke_handler(const cv_call *call, cv_arena *a, cv_record *record, int64_t at_ms, cv_handler handler,
                       cv_str input, cv_reply *ret_reply)
{
    cv_call own = *call;
    own.arena = a;
    own.record = record;
    own.holds = NULL;
    if (at_ms != CV_ABSENT)
        own.clock = (cv_clock){stands_still, &at_ms};
    run(own, (callee){.run = handler}, input, ret_reply);
}

void cv_invoke(const cv_call *call, cv_str room, cv_str verb, cv_str input, cv_reply *ret_reply)
{
    run(*call, (callee){.room = room, .verb = verb}, input, ret_reply);
}
