/* created.c - a new dialogue for people; see created.h. */
#include "dialogue/created.h"

#include "dialogue/text/mark.h"

/* The answer may be one of the first time, as the record kept it. */
static uint32_t count_of(const cv_json *list)
{
    return list && list->type == CV_JSON_ARRAY ? list->count : 0;
}

static void print_panel(cv_buf *out, cv_arena *a, const cv_json *panel)
{
    for (uint32_t i = 0; i < count_of(panel); i++) {
        const cv_json *seat = &panel->items[i];
        cv_str slug = cv_json_get_text(seat, "slug"), role = cv_squeeze(a, cv_json_get_text(seat, "role"));
        cv_str tier = cv_json_get_text(seat, "tier");
        cv_buf_printf(out, "%s%.*s, %.*s (%.*s)\n", i ? "          " : "panel:    ", CV_FMT(slug), CV_FMT(role),
                      CV_FMT(tier));
    }
}

static void print_warnings(cv_buf *out, cv_arena *a, const cv_json *warnings)
{
    for (uint32_t i = 0; i < count_of(warnings); i++)
        cv_buf_printf(out, "note:     %.*s\n", CV_FMT(cv_squeeze(a, cv_json_get_text(&warnings->items[i], "message"))));
}

cv_str cv_created_text(const cv_call *call, const cv_json *answer)
{
    cv_arena *a = call->arena;
    const cv_json *panel = cv_json_get(answer, CV_STR("panel"));
    cv_str id = cv_json_get_text(answer, "dialogue_id");
    cv_str question = cv_json_get_text(cv_json_get(answer, CV_STR("dialogue")), "question");
    cv_str title = cv_json_get_text(answer, "title");
    static const cv_argument whom[] = {{"data", CV_STR_INIT("@expert.json"), CV_ARGUMENT_COMMAND}};
    cv_str next = count_of(panel) ? cv_call_name(call, CV_STR("dialogue round-prompts"), id, NULL, 0)
                                  : cv_call_name(call, CV_STR("dialogue expert-create"), id, whom, CV_COUNT(whom));
    cv_buf out = {0};
    cv_buf_printf(&out, "dialogue: %.*s\ntitle:    %.*s\n", CV_FMT(id), CV_FMT(title));
    if (question.n)
        cv_buf_printf(&out, "question: %.*s\n", CV_FMT(cv_squeeze(a, question)));
    print_panel(&out, a, panel);
    print_warnings(&out, a, cv_json_get(answer, CV_STR("warnings")));
    cv_buf_printf(&out, "next:     %.*s\n", CV_FMT(next));
    return cv_buf_take(&out, a);
}
