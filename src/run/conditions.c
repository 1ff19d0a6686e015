/* conditions.c - what people want to hear of a run; see kit/room.h. */
#include "run/room.h"

/* A run that stands still before its end: it waits for a person, was stopped, or its runner is gone. */
static bool look_blocked(const cv_asker *asker, cv_str scope, cv_held_list *ret, cv_err *err)
{
    static const cv_str stands[] = {CV_STR_INIT("waiting"), CV_STR_INIT("stopped"), CV_STR_INIT("interrupted")};
    cv_arena *a = asker->arena;
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_json status;
    cv_str reply;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", scope);
    cv_json_end_object(&w);
    if (!cv_ask(asker, "run status", cv_buf_take(&input, a), &reply, err) || !cv_json_parse(a, reply, &status, err))
        return false;
    cv_str state = cv_json_get_text(&status, "state"), why = cv_json_get_text(&status, "why"),
           message = cv_json_get_text(&status, "message");
    for (size_t i = 0; i < CV_COUNT(stands); i++)
        if (cv_str_eq(state, stands[i]))
            *CV_PUSH(a, ret) =
                (cv_held){.key = cv_arena_printf(a, "%.*s %.*s", CV_FMT(state), CV_FMT(why)),
                          .text = cv_arena_printf(a, "the run is %.*s%s%.*s%s%.*s", CV_FMT(state), why.n ? ": " : "",
                                                  CV_FMT(why), message.n ? "; " : "", CV_FMT(message))};
    return true;
}

const cv_condition cv_run_conditions[] = {
    {"blocked", "a run has stopped before its end", look_blocked, false},
    {0},
};
