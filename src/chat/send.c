/* send.c - a message into a chat, now or as soon as the lock is free.
 *
 *     the lock comes in time                 written, published, witnessed: "sent"
 *     it does not, or both files are there   kept in the record: "queued"; the next call of anybody delivers it
 *     op_id, or a person's override          kept in the record first, then delivered: it is done once, and the record
 *                                            knows who sent it even if this process dies in between
 *
 * Queued messages of a chat go before new ones, so the order of a sender's messages is that in which they were sent.
 */
#include "base/utf8.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/consult.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"
#include "kit/fault.h"
#include "kit/who.h"

typedef struct {
    cv_str chat_id, state, message; /* message: its id, once it has one */
    int64_t ticket;                 /* its place in the queue; absent: it did not wait */
    cv_notices warnings;
} answer;

static const cv_str state_list[] = {CV_STR_INIT("sent"), CV_STR_INIT("queued"), CV_STR_INIT("refused")};
static const cv_words states = {state_list, CV_COUNT(state_list)};

#define CV_THIS_TYPE answer
const cv_shape cv_chat_send_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_WORD(ALWAYS, "state", state, &states, "queued: the next call of anybody delivers it"),
    CV_FIELD(IF_ANY, message, "its id, when it is in the file"),
    CV_FIELD(IF_ANY, ticket, "its place in the queue"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings: the operation was done"),
    CV_WRITTEN_FROM(0, "chat"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* One send on its way. */
typedef struct {
    cv_chat_place place;
    cv_chat_policy policy;
    cv_chat_draft draft;
    cv_notices warnings;
    answer told;
} sending;

/* ---- what is to be sent ------------------------------------------------------------------------------------------ */

static void check_type(cv_call *call, sending *s)
{
    cv_str type = cv_str_trim(cv_json_get_text(call->input, "type"));
    bool control = cv_str_has_control(type), bar = cv_str_find_char(type, '|') != SIZE_MAX;
    s->draft.type = type;
    if (type.n == 0 || control || bar) {
        cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "type", type, "a type %s",
                                  type.n == 0 ? "must not be empty"
                                  : bar       ? "must not have '|': it would end there"
                                              : "must be on one line, without control characters");
        cv_err_suggest(fault, CV_STR("use a word like QUESTION or ANSWER"));
        return;
    }
    cv_chat_policy_type(call, &s->policy, type, &s->warnings);
    if (cv_str_eq(type, CV_STR("CLOSE_REQUEST")) || cv_str_eq(type, CV_STR("CLOSE_ACK"))) {
        cv_err *fault = cv_refuse(call, CV_ERR_CLOSE_ORDER, CV_STR(""), "type", type,
                                  "a %.*s is sent by closing the chat", CV_FMT(type));
        cv_err_operation(fault, CV_STR("chat close"));
        cv_err_suggest(fault, CV_STR("does it, with step request or ack"));
    }
    if (cv_str_eq(type, CV_STR("USER_OVERRIDE")))
        cv_call_needs_verified(call, "a USER_OVERRIDE");
}

static void check_body(cv_call *call, sending *s)
{
    cv_str body = cv_json_get_text(call->input, "body");
    s->draft.body = body;
    if (cv_str_trim(body).n == 0)
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "body", CV_STR(""), "'body' is empty");
    if (body.n > CV_MAX_CHAT_BODY)
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), "body", CV_STR(""), "the body has %zu bytes, at most %d are sent",
                  body.n, CV_MAX_CHAT_BODY);
}

static void check_reply(cv_call *call, sending *s, int64_t next)
{
    cv_str id = cv_json_get_text(call->input, "reply_to");
    if (!id.p)
        return;
    if (!cv_chat_number_parse(id, &s->draft.re) || s->draft.re >= next) {
        cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "reply_to", id,
                                  "'%.*s' is not a message of this chat", CV_FMT(cv_excerpt(call->arena, id)));
        cv_err_suggest(fault, CV_STR("name an earlier one, like M0001"));
    }
}

static void check_behalf(cv_call *call, sending *s)
{
    cv_str name = cv_json_get_text(call->input, "on_behalf_of");
    s->draft.behalf = name;
    if (name.n && (cv_str_has_control(name) || cv_str_find_char(name, '|') != SIZE_MAX))
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "on_behalf_of", name,
                  "a name must be on one line, without '|'");
}

static bool check_open(cv_call *call, const cv_chat_header *h, cv_str id)
{
    if (cv_chat_is_open(h))
        return true;
    cv_err *fault = cv_errs_add(call->errs, call->arena, CV_ERR_CHAT_CLOSED, "the chat '%.*s' is closed", CV_FMT(id));
    cv_err_operation(fault, CV_STR("chat open"));
    cv_err_suggest(fault, CV_STR("opens another one; name this chat in its purpose"));
    return false;
}

/* All faults at once; false: there are some. */
static bool prepare(cv_call *call, cv_chat_view *view, sending *s)
{
    const cv_chat_header *h = &view->header;
    size_t before = call->errs->count;
    check_open(call, h, s->place.id);
    cv_chat_person(call, h, "from", &s->draft.from);
    check_type(call, s);
    cv_chat_tags(call, h, &s->draft.tags);
    check_body(call, s);
    check_reply(call, s, cv_chat_next_number(view));
    check_behalf(call, s);
    s->draft.at = cv_call_now(call);
    if (s->draft.from.p && s->draft.body.p)
        cv_consult_check(call, &s->place, &s->policy, &s->draft, &s->warnings);
    s->draft.from = cv_arena_copy(call->arena, s->draft.from);
    return call->errs->count == before;
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static cv_str print(cv_call *call, const answer *told)
{
    return cv_shape_text(call->arena, cv_chat_send_shape, told);
}

/* AT is later than that of every message that waits: sender and AT name a message. */
static cv_str later_than(cv_arena *a, cv_str now, cv_str last)
{
    int64_t one, other;
    char text[CV_TIME_LEN + 1];
    if (!cv_time_parse(now, &one) || !cv_time_parse(last, &other) || one > other)
        return now;
    cv_time_print(other + 1, text);
    return cv_arena_copy(a, (cv_str){text, CV_TIME_LEN});
}

static bool enqueue(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    sending *s = ctx;
    cv_err err = {.arena = call->arena};
    cv_chat_queued_row row, last = {0};
    bool found;
    const cv_find find = {
        .type = &cv_chat_queued_row_type, .scope = w->scope, .descending = true, .limit = 1, .outline = true};
    if (!cv_record_first(call->record, call->arena, &find, &last, &found, &err))
        return cv_call_fail(call, &err);
    cv_row_clear(&cv_chat_queued_row_type, &row);
    row.seq = last.seq + 1;
    row.state = CV_STR("queued");
    row.sender = s->draft.from;
    row.type = s->draft.type;
    row.tags = s->draft.tags.n ? s->draft.tags : (cv_str){NULL, 0};
    row.reply_to = s->draft.re > 0 ? s->draft.re : CV_ABSENT;
    row.behalf = s->draft.behalf.n ? s->draft.behalf : (cv_str){NULL, 0};
    row.sent_at = s->draft.at = later_than(call->arena, s->draft.at, last.sent_at);
    row.standing = call->who.standing;
    row.body = s->draft.body;
    cv_writing_put(w, &cv_chat_queued_row_type, &row);
    cv_writing_event(w, CV_STR("chat"), s->place.id, CV_STR("queued"))->actors =
        cv_arena_printf(call->arena, "[\"%.*s\"]", CV_FMT(row.sender));
    s->told.ticket = row.seq;
    s->told.state = CV_STR("queued");
    *ret_result = print(call, &s->told);
    return true;
}

/* What has become of a message of the queue. */
static bool look_up(cv_call *call, const sending *s, int64_t ticket, cv_chat_queued_row *ret)
{
    cv_err err = {.arena = call->arena};
    bool found = false;
    *ret = (cv_chat_queued_row){.seq = ticket};
    return cv_record_get(call->record, call->arena, s->place.scope, &cv_chat_queued_row_type, ret, &found, &err) &&
           found;
}

static void tell_queued(cv_call *call, sending *s, int64_t rev, bool replayed)
{
    cv_chat_queued_row row;
    if (look_up(call, s, s->told.ticket, &row) && !cv_str_eq(row.state, CV_STR("queued"))) {
        bool sent = cv_str_eq(row.state, CV_STR("delivered"));
        s->told.state = sent ? CV_STR("sent") : CV_STR("refused");
        s->told.message = sent ? cv_chat_number_print(call->arena, row.number) : CV_STR("");
        s->told.ticket = sent ? CV_ABSENT : s->told.ticket;
        if (!sent)
            cv_notice_add(&s->warnings, call->arena, CV_STR("refused"), "%.*s", CV_FMT(row.reason));
    }
    s->told.warnings = s->warnings;
    cv_buf_clear(call->out);
    cv_request_answer(call, &(cv_outcome){.rev = rev, .replayed = replayed, .result = print(call, &s->told)});
}

/* Kept in the record first; then it is delivered, if that is possible now. */
static bool send_by_queue(cv_call *call, sending *s, int64_t wait_ms)
{
    cv_json reply;
    cv_err err = {.arena = call->arena};
    bool ok = cv_request_locked(call, CV_STR("chat send"), s->place.scope, enqueue, s);
    if (!ok || cv_json_get_true(call->input, "dry_run"))
        return ok;
    bool parsed = cv_json_parse(call->arena, cv_arena_copy(call->arena, cv_buf_str(call->out)), &reply, &err);
    assert(parsed);
    (void)parsed;
    if (wait_ms > 0)
        cv_chat_deliver(call, &s->place, wait_ms);
    s->told.ticket = cv_json_get_int(&reply, "ticket", CV_ABSENT);
    tell_queued(call, s, cv_json_get_int(&reply, "rev", 1), cv_json_get_true(&reply, "replayed"));
    return true;
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

static cv_str result_of(cv_chat_change *ch)
{
    sending *s = ch->ctx;
    answer told = s->told;
    told.state = CV_STR("sent");
    told.message = cv_chat_number_print(ch->call->arena, ch->sent.items[ch->sent.count - 1].number);
    told.warnings = ch->warnings;
    return print(ch->call, &told);
}

static void advise(cv_chat_change *ch)
{
    if ((size_t)ch->view.st.st_size > CV_LARGE_CHAT)
        cv_notice_add(&ch->warnings, ch->call->arena, CV_STR("large_chat"),
                      "the chat has %.1f MB, and every change copies it: close it and open a successor that names it",
                      (double)ch->view.st.st_size / (1 << 20));
}

/* The header may have changed since the first look: somebody has left, or closed the chat. */
static bool send_locked(cv_call *call, sending *s, cv_chat_change *ch)
{
    if (!prepare(call, &ch->view, s))
        return false;
    cv_chat_change_queue(ch);
    cv_chat_change_send(ch, &s->draft, call->who.standing);
    for (size_t i = 0; i < s->warnings.count; i++)
        *cv_notice_add(&ch->warnings, call->arena, s->warnings.items[i].type, "%s", "") = s->warnings.items[i];
    advise(ch);
    ch->result = result_of;
    ch->ctx = s;
    return cv_chat_change_commit(ch, CV_STR("chat send"));
}

static bool send_now(cv_call *call, sending *s)
{
    cv_chat_change ch;
    cv_err err = {.arena = call->arena};
    size_t faults = call->errs->count;
    cv_lock_result result = cv_chat_change_begin(call, &s->place, cv_chat_wait_ms(call), &ch, &err);
    s->warnings = (cv_notices){0};
    bool done = result == CV_LOCK_HELD && send_locked(call, s, &ch);
    bool conflict = !done && call->errs->count > faults && call->errs->items[faults].code == CV_ERR_CHAT_CONFLICT;
    cv_chat_change_end(&ch);
    if (result == CV_LOCK_FAILED)
        return cv_call_fail(call, &err);
    if (result == CV_LOCK_HELD && !conflict)
        return done;
    if (conflict)
        cv_err_copy(&err, &call->errs->items[faults]);
    call->errs->count = faults;
    cv_notice_add(&s->warnings, call->arena, result == CV_LOCK_BUSY ? CV_STR("chat_locked") : CV_STR("chat_conflict"),
                  "%.*s", CV_FMT(err.message));
    return send_by_queue(call, s, 0);
}

bool cv_chat_send(cv_call *call)
{
    sending s = {.told = {.ticket = CV_ABSENT}};
    cv_chat_view view;
    cv_notices ignored = {0};
    if (!cv_chat_find(call, &s.place) || !cv_chat_policy_load(call, &s.place.folder, &s.policy))
        return false;
    s.told.chat_id = s.place.id;
    bool once = cv_json_get(call->input, CV_STR("op_id"));
    if (once) {
        cv_outcome before;
        cv_err err = {.arena = call->arena};
        cv_request_begin(call, CV_STR("chat send"));
        if (!cv_request_replayed(call, s.place.scope, &before, &err))
            return cv_call_fail(call, &err);
        if (before.replayed)
            return send_by_queue(call, &s, 1);
    }
    if (!cv_chat_look(call, &s.place, &view, &ignored))
        return false;
    cv_err err = {.arena = call->arena};
    bool sound = (cv_chat_is_original(&view, &err) || cv_call_fail(call, &err)) && prepare(call, &view, &s);
    cv_chat_view_close(&view);
    if (!sound)
        return false;
    if (once || cv_str_eq(s.draft.type, CV_STR("USER_OVERRIDE")))
        return send_by_queue(call, &s, cv_chat_wait_ms(call) + 1);
    return send_now(call, &s);
}
