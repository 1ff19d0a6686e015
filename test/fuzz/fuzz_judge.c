/* fuzz_judge.c - any bytes as a judge's answer: an object or an error, and requests that are JSON. */
#include <stdlib.h>

#include "base/file.h"
#include "kit/frame.h"
#include "run/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void need_object(cv_arena *a, cv_str members)
{
    cv_json object;
    cv_err err = {.arena = a};
    bool twice = !cv_json_parse(a, cv_arena_printf(a, "{%.*s}", CV_FMT(members)), &object, &err);
    need(!twice || err.code == CV_ERR_DUPLICATE_KEY || err.code == CV_ERR_TOO_LARGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_errs errs = {0};
    cv_json object;
    cv_judgement judgement;
    cv_str text = {(const char *)data, size};
    cv_buf out = {0};
    cv_frame_add(&out, text);
    need(cv_buf_ok(&out) && cv_str_starts(cv_buf_str(&out), CV_STR("=== BEGIN")));
    cv_buf_release(&out);
    if (!cv_text_check(text, &err)) {
        cv_arena_release(&a);
        return 0;
    }
    if (!cv_judge_extract(&a, text, &object, &err)) {
        need(err.message.n > 0);
    } else if (cv_judge_read(&a, &object, &judgement, &errs)) {
        need_object(&a, judgement.round);
        for (size_t i = 0; i < judgement.verdicts.count; i++)
            need_object(&a, judgement.verdicts.items[i]);
        for (size_t i = 0; i < judgement.experts.count; i++)
            need_object(&a, judgement.experts.items[i]);
    } else {
        need(errs.count > 0 && errs.items[0].message.n > 0);
    }
    cv_arena_release(&a);
    return 0;
}
