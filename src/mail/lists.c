/* lists.c - looking at mail from other sides: dead letters, an outbox, a thread, numbers of all mailboxes. */
#include "mail/answer.h"
#include "mail/operations.h"

/* ---- dead letters ------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_mail_shown told;
    cv_str agent;
} dead_letter;

typedef struct {
    struct {
        dead_letter *items;
        size_t count, capacity;
    } messages;
    cv_str next;
} dead_page;

#define CV_THIS_TYPE dead_letter
static const cv_shape dead_letter_shape[] = {
    CV_FIELD(ALWAYS, agent, "whose mailbox"),
    CV_SPREAD(told, cv_mail_shown_shape),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE dead_page
const cv_shape cv_mail_dead_shape[] = {
    CV_SUCCESS,
    CV_LIST("messages", messages.items, messages.count, dead_letter_shape, "by mailbox and number"),
    CV_FIELD_AS(ALWAYS, "count", messages.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    {0},
};
#undef CV_THIS_TYPE

/* "muffin/7" as a place in the index. */
static bool read_place(cv_call *call, cv_str after, cv_mail_delivery *ret)
{
    size_t at = cv_str_find_char(after, '/');
    int seq;
    if (!after.p)
        return true;
    if (at == SIZE_MAX || !cv_str_to_int(cv_str_from(after, at + 1), &seq)) {
        cv_err_suggest(
            cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "after", after, "this is not a position in the list"),
            CV_STR("give the `next` of the page before"));
        return false;
    }
    ret->mailbox = cv_str_head(after, at);
    ret->seq = seq;
    return true;
}

bool cv_mail_op_dead(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE);
    bool one = cv_json_get(call->input, CV_STR("agent"));
    cv_mail_agent agent = {0};
    cv_mail_delivery like;
    cv_row_list rows = {0};
    cv_mail_shown_list told = {0};
    dead_page p = {0};
    cv_row_clear(&cv_mail_delivery_type, &like);
    if (one && !cv_mail_whose(call, &agent))
        return false;
    like.dead = 1;
    like.mailbox = one ? agent.name : CV_STR("");
    like.seq = 0;
    if (!read_place(call, cv_json_get_text(call->input, "after"), &like))
        return false;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = cv_deliveries_dead,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .after = &like,
                          .limit = limit + 1};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    size_t count = 0;
    while (count < rows.count && count < limit &&
           (!one || cv_str_eq(((const cv_mail_delivery *)rows.items[count])->mailbox, agent.name)))
        count++;
    const cv_mail_delivery *after = count == limit && rows.count > limit ? rows.items[limit] : NULL;
    if (after && (!one || cv_str_eq(after->mailbox, agent.name))) {
        const cv_mail_delivery *last = rows.items[limit - 1];
        p.next = cv_arena_printf(call->arena, "%.*s/%lld", CV_FMT(last->mailbox), (long long)last->seq);
    }
    rows.count = count;
    if (!cv_mail_tell_all(call, &rows, cv_mail_now(call), &told, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < told.count; i++)
        *CV_PUSH(call->arena, &p.messages) = (dead_letter){told.items[i], told.items[i].delivery.mailbox};
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_dead_shape, &p);
    return true;
}

/* ---- outbox, thread ---------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str agent, thread_id;
    cv_mail_shown_list messages;
    cv_str next;
} sent_page;

#define CV_THIS_TYPE sent_page
const cv_shape cv_mail_outbox_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, agent, ""),
    CV_LIST("messages", messages.items, messages.count, cv_mail_sent_shape, "the newest first"),
    CV_FIELD_AS(ALWAYS, "count", messages.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    {0},
};
const cv_shape cv_mail_thread_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, thread_id, "its first message"),
    CV_LIST("messages", messages.items, messages.count, cv_mail_sent_shape, "the oldest first"),
    CV_FIELD_AS(ALWAYS, "count", messages.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    {0},
};
#undef CV_THIS_TYPE

/* Messages with what became of each. */
static bool tell_sent(cv_call *call, const cv_row_list *rows, cv_mail_shown_list *ret, cv_err *err)
{
    int64_t now = cv_mail_now(call);
    for (size_t i = 0; i < rows->count; i++) {
        const cv_mail_message *m = rows->items[i];
        cv_row_list deliveries;
        cv_mail_shown told = cv_mail_tell(call->arena, m, NULL, now, CV_MAIL_SHOWN_BYTES);
        if (!cv_mail_deliveries_of(call->record, call->arena, m->message_id, &deliveries, err) ||
            !cv_mail_add_receipts(call, &deliveries, now, &told, err))
            return false;
        *CV_PUSH(call->arena, ret) = told;
    }
    return cv_mail_name_senders(call, ret, err);
}

/* The page behind the message `after` of an index that ends with the rev. */
static bool find_sent(cv_call *call, cv_find find, sent_page *p)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE);
    cv_str after = cv_json_get_text(call->input, "after");
    cv_row_list rows = {0};
    cv_mail_message last;
    bool found = false;
    if (after.p && !cv_mail_message_get(call->record, call->arena, after, &last, &found, &err))
        return cv_call_fail(call, &err);
    if (after.p && !found) {
        cv_err_suggest(
            cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "after", after, "this is not a position in the list"),
            CV_STR("give the `next` of the page before"));
        return false;
    }
    find.type = &cv_mail_message_type;
    find.scope = cv_mail_scope();
    find.equal = 1;
    find.after = found && (!p->thread_id.p || last.thread_id.p) ? &last : NULL;
    find.limit = limit + 1;
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    if (rows.count > limit) {
        rows.count = limit;
        p->next = ((const cv_mail_message *)rows.items[limit - 1])->message_id;
    }
    return tell_sent(call, &rows, &p->messages, &err) || cv_call_fail(call, &err);
}

bool cv_mail_op_outbox(cv_call *call)
{
    cv_mail_agent agent;
    cv_mail_message like;
    if (!cv_mail_whose(call, &agent))
        return false;
    cv_row_clear(&cv_mail_message_type, &like);
    like.sender = agent.name;
    sent_page p = {.agent = agent.id};
    if (!find_sent(call, (cv_find){.index = cv_messages_by_sender, .like = &like, .descending = true}, &p))
        return false;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_outbox_shape, &p);
    return true;
}

/* The first message does not name its thread: it is before the others. */
bool cv_mail_op_thread(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str id = cv_json_get_text(call->input, "message_id");
    cv_mail_message m, like;
    cv_row_list first = {.arena = call->arena, .type = &cv_mail_message_type};
    bool found;
    if (!cv_mail_whole_id(call, "message_id", &id))
        return false;
    if (!cv_mail_message_get(call->record, call->arena, id, &m, &found, &err))
        return cv_call_fail(call, &err);
    cv_row_clear(&cv_mail_message_type, &like);
    like.thread_id = found && m.thread_id.p ? m.thread_id : id;
    sent_page p = {.thread_id = like.thread_id};
    if (!cv_json_get(call->input, CV_STR("after"))) {
        if (!cv_mail_message_get(call->record, call->arena, like.thread_id, &m, &found, &err))
            return cv_call_fail(call, &err);
        if (found && !m.thread_id.p)
            *CV_PUSH(call->arena, &first) = &m;
        if (!tell_sent(call, &first, &p.messages, &err))
            return cv_call_fail(call, &err);
    }
    if (!find_sent(call, (cv_find){.index = cv_messages_by_thread, .like = &like}, &p))
        return false;
    if (p.messages.count == 0)
        return cv_mail_refuse_unknown(call, id);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_thread_shape, &p);
    return true;
}

/* ---- stats ------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_mailbox row;
    cv_mail_life life;
    int64_t oldest_seconds; /* CV_ABSENT: nothing waits */
} mailbox_told;

typedef struct {
    struct {
        mailbox_told *items;
        size_t count, capacity;
    } mailboxes;
    int64_t waiting, done, dead, expired, superseded, sent;
} totals;

#define CV_THIS_TYPE mailbox_told
static const cv_shape mailbox_shape[] = {
    CV_FIELD_AS(ALWAYS, "agent", row.agent_id, ""),
    CV_FIELD_AS(IF_ANY, "slot", row.slot, ""),
    CV_WORD(ALWAYS, "status", life.status, &cv_mail_status_words, ""),
    CV_FIELD_AS(ALWAYS, "waiting", row.waiting, "new, claimed and failed ones"),
    CV_FIELD(OR_NULL, oldest_seconds, "the age of the oldest of them"),
    CV_FIELD_AS(ALWAYS, "done", row.done, ""),
    CV_FIELD_AS(ALWAYS, "dead", row.dead, ""),
    CV_FIELD_AS(ALWAYS, "sent", row.sent, ""),
    CV_FIELD_AS(OR_NULL, "last_seen", life.last_seen, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE totals
const cv_shape cv_mail_stats_shape[] = {
    CV_SUCCESS,
    CV_LIST("mailboxes", mailboxes.items, mailboxes.count, mailbox_shape, "by name"),
    CV_FIELD(ALWAYS, waiting, ""),
    CV_FIELD(ALWAYS, done, ""),
    CV_FIELD(ALWAYS, dead, ""),
    CV_FIELD(ALWAYS, expired, ""),
    CV_FIELD(ALWAYS, superseded, ""),
    CV_FIELD(ALWAYS, sent, ""),
    {0},
};
#undef CV_THIS_TYPE

bool cv_mail_op_stats(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    int64_t now = cv_mail_now(call);
    totals t = {0};
    cv_row_list rows = {0};
    const cv_find find = {.type = &cv_mail_mailbox_type, .scope = cv_mail_scope()};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < rows.count; i++) {
        mailbox_told *m = CV_PUSH(call->arena, &t.mailboxes);
        *m = (mailbox_told){.row = *(const cv_mail_mailbox *)rows.items[i]};
        int64_t stuck;
        m->oldest_seconds = CV_ABSENT;
        if (!cv_mail_life_of(call->record, call->arena, m->row.agent, now, &m->life, &err) ||
            !cv_mail_count_late(call->record, &m->row, now, &stuck, &err) ||
            (m->row.waiting > 0 &&
             !cv_mail_oldest_of(call->record, call->arena, m->row.agent, now, &m->oldest_seconds, &err)))
            return cv_call_fail(call, &err);
        t.waiting += m->row.waiting;
        t.done += m->row.done;
        t.dead += m->row.dead;
        t.expired += m->row.expired;
        t.superseded += m->row.superseded;
        t.sent += m->row.sent;
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_stats_shape, &t);
    return true;
}
