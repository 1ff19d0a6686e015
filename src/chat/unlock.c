/* unlock.c - who holds the lock of a chat, and giving it back.
 *
 *     nobody, or a process of ours that lives    nothing is done
 *     a process of ours that is dead             recovered, as every call does
 *     a hand, or a process of another machine    only with force, and the record keeps who did it and why
 */
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/fault.h"
#include "kit/who.h"

typedef struct {
    cv_str chat_id, holder, since, kept;
    bool unlocked;
    const cv_chat_place *place;
    const cv_chat_holder *seen;
} answer;

#define CV_THIS_TYPE answer
const cv_shape cv_chat_unlock_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, unlocked, "this call released the lock"),
    CV_FIELD(ALWAYS, holder, "who held it"),
    CV_FIELD(IF_ANY, since, ""),
    CV_FIELD(IF_ANY, kept, "where the second of two files is kept"),
    CV_WRITTEN_FROM(0, "chat"),
    {0},
};
#undef CV_THIS_TYPE

static bool work(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    answer *a = ctx;
    cv_err err = {.arena = call->arena};
    const char *kept;
    bool editing = cv_str_eq(cv_json_get_text(call->input, "keep"), CV_STR("editing"));
    if (!cv_chat_lock_break(call, a->place, a->seen, editing, &kept, &err))
        return cv_call_fail(call, &err);
    a->unlocked = true;
    a->kept = cv_str_of(kept);
    cv_event_row *e = cv_writing_event(w, CV_STR("chat"), a->chat_id, CV_STR("unlocked"));
    e->reason = cv_json_get_text(call->input, "reason");
    cv_buf data = {0};
    cv_json_writer j = {.out = &data};
    cv_json_begin_object(&j);
    cv_json_key_str(&j, "holder", a->holder);
    cv_json_key_str_if(&j, "kept", a->kept);
    cv_json_end_object(&j);
    e->data = cv_buf_take(&data, call->arena);
    *ret_result = cv_shape_text(call->arena, cv_chat_unlock_shape, a);
    return true;
}

static bool refuse(cv_call *call, const cv_chat_holder *h, bool both)
{
    cv_err *fault = cv_refuse(
        call, both ? CV_ERR_CHAT_CONFLICT : CV_ERR_CHAT_LOCKED, CV_STR(""), both ? "keep" : "force", CV_STR(""),
        both ? "both files are there: one of them becomes the chat"
             : "the chat is locked by %.*s since %.*s, and it is not known whether the lock is still needed",
        CV_FMT(h->text), CV_FMT(h->since));
    cv_err_suggest(fault, both ? CV_STR("give force, and keep: file, or editing; the other one is kept in .wf")
                               : CV_STR("ask its owner; force releases it and leaves an entry in the record"));
    return false;
}

/* Agents do not force anything where people can be told from them. */
static bool may_force(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    bool any = false;
    if (!cv_agents_any(call->record, &any, &err))
        return cv_call_fail(call, &err);
    return !any || cv_call_needs_verified(call, "forcing a lock");
}

bool cv_chat_unlock(cv_call *call)
{
    cv_chat_place place;
    cv_chat_holder before, holder;
    cv_err err = {.arena = call->arena};
    bool force = cv_json_get_true(call->input, "force");
    if (!cv_chat_find(call, &place))
        return false;
    if (!cv_chat_lock_holder(call, &place, &before, &err))
        return cv_call_fail(call, &err);
    cv_chat_settle(call, &place); /* recovers what a dead process left */
    if (!cv_chat_lock_holder(call, &place, &holder, &err))
        return cv_call_fail(call, &err);
    answer a = {.chat_id = place.id, .holder = before.text, .since = before.since, .place = &place, .seen = &holder};
    if (holder.kind == CV_HOLDER_NONE) {
        a.unlocked = before.kind == CV_HOLDER_DEAD; /* a living one has finished by itself */
        cv_request_answer(call, &(cv_outcome){.result = cv_shape_text(call->arena, cv_chat_unlock_shape, &a)});
        return true;
    }
    bool both = holder.kind == CV_HOLDER_BOTH;
    if (!force || (both && !cv_json_get(call->input, CV_STR("keep"))))
        return refuse(call, &holder, both);
    if (!may_force(call))
        return false;
    bool ok = cv_request_locked(call, CV_STR("chat unlock"), place.scope, work, &a);
    if (ok)
        cv_chat_settle(call, &place);
    return ok;
}
