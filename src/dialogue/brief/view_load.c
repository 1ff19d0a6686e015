/* view_load.c - reading what a view is made of; see view.h. */
#include "dialogue/brief/view.h"

#include "dialogue/faults.h"

/* Events are only added: those that came after the state was read are left out. */
static bool load_events(cv_call *call, cv_state *s, cv_err *err)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(EVENT)};
    cv_state past;
    if (!cv_state_load(call, s->id, &wanted, &past, err))
        return false;
    while (past.events.count > 0 && past.events.items[past.events.count - 1].seq > s->position.event_count)
        past.events.count--;
    s->events.items = past.events.items;
    s->events.count = past.events.count;
    return true;
}

bool cv_view_load(cv_call *call, cv_view *ret_view)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                           CV_REC_BIT(SCORE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(REFERENCE) | CV_REC_BIT(MOVE) |
                           CV_REC_BIT(VERDICT);
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &(cv_wanted){.kinds = kinds}, &s, &err))
        return cv_call_fail(call, &err);
    int64_t next = cv_state_next_round(&s), round = cv_json_get_int(call->input, "round", next);
    if (round > next) {
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "round",
                                 cv_arena_printf(call->arena, "%lld", (long long)round),
                                 "round %lld cannot be prepared yet", (long long)round),
                       cv_arena_printf(call->arena, "the next round is %lld", (long long)next));
        return false;
    }
    if (round < next && !load_events(call, &s, &err))
        return cv_call_fail(call, &err);
    cv_view_make(call->arena, &s, round, ret_view);
    ret_view->name = call->name;
    return true;
}
