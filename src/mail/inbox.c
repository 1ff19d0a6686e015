/* inbox.c - looking at mail without changing anything: inbox, read. */
#include "mail/answer.h"
#include "mail/operations.h"

/* ---- inbox ------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str agent;
    cv_mail_shown_list messages;
    int64_t waiting;
    int64_t next; /* CV_ABSENT: there is no next page */
} page;

#define CV_THIS_TYPE page
const cv_shape cv_mail_inbox_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, agent, ""),
    CV_LIST("messages", messages.items, messages.count, cv_mail_shown_shape, "by number: the oldest first"),
    CV_FIELD_AS(ALWAYS, "count", messages.count, ""),
    CV_FIELD(ALWAYS, waiting, "messages that are not settled"),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    {0},
};
#undef CV_THIS_TYPE

/* Those that are open by their index; all of them by the key. One row more than wanted tells that there is a next page.
 */
static bool find_page(cv_call *call, cv_str agent, size_t limit, cv_row_list *ret, cv_err *err)
{
    bool all = cv_json_get_true(call->input, "all");
    cv_mail_delivery like;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = agent;
    like.open = 1;
    like.seq = cv_json_get_int(call->input, "after", 0);
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = all ? NULL : cv_deliveries_open,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = all ? 1 : 2,
                          .after = &like,
                          .limit = limit + 1,
                          .without = cv_type_bit(&cv_mail_delivery_type, offsetof(cv_mail_delivery, output))};
    return cv_record_rows(call->record, call->arena, &find, ret, err);
}

bool cv_mail_op_inbox(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE);
    cv_mail_agent agent;
    cv_mail_mailbox mailbox;
    cv_row_list rows;
    bool found;
    if (!cv_mail_whose(call, &agent))
        return false;
    page p = {.agent = agent.id, .next = CV_ABSENT};
    if (!cv_mail_mailbox_get(call->record, call->arena, agent.name, &mailbox, &found, &err) ||
        !find_page(call, agent.name, limit, &rows, &err))
        return cv_call_fail(call, &err);
    if (rows.count > limit) {
        rows.count = limit;
        p.next = ((const cv_mail_delivery *)rows.items[limit - 1])->seq;
    }
    if ((found && !cv_mail_waiting_of(call->record, &mailbox, cv_mail_now(call), &p.waiting, &err)) ||
        !cv_mail_tell_all(call, &rows, cv_mail_now(call), &p.messages, &err))
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_inbox_shape, &p);
    cv_mail_sign_alone(call, &agent, "inbox");
    return true;
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_shown message;
} reading;

#define CV_THIS_TYPE reading
const cv_shape cv_mail_read_shape[] = {
    CV_SUCCESS,
    CV_OBJECT(ALWAYS, "message", message, cv_mail_whole_shape, ""),
    {0},
};
#undef CV_THIS_TYPE

/* The delivery of the caller, if it is one of the recipients; of the only recipient otherwise. */
static const cv_mail_delivery *own_delivery(const cv_row_list *rows, cv_str name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (cv_str_eq(((const cv_mail_delivery *)rows->items[i])->mailbox, name))
            return rows->items[i];
    return rows->count == 1 ? rows->items[0] : NULL;
}

bool cv_mail_op_read(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str id = cv_json_get_text(call->input, "message_id");
    bool named = cv_json_get(call->input, CV_STR("agent")) || call->who.name.p, found, known;
    cv_mail_agent agent = {0};
    cv_mail_message m;
    cv_row_list rows;
    cv_agent_row sender;
    if ((named && !cv_mail_whose(call, &agent)) || !cv_mail_whole_id(call, "message_id", &id))
        return false;
    if (!cv_mail_message_get(call->record, call->arena, id, &m, &found, &err))
        return cv_call_fail(call, &err);
    if (!found)
        return cv_mail_refuse_unknown(call, id);
    if (!cv_mail_deliveries_of(call->record, call->arena, id, &rows, &err))
        return cv_call_fail(call, &err);
    reading r = {cv_mail_tell(call->arena, &m, own_delivery(&rows, agent.name), cv_mail_now(call), 0)};
    if (!cv_mail_add_receipts(call, &rows, cv_mail_now(call), &r.message, &err) ||
        !cv_agent_find(call->record, call->arena, m.sender, &sender, &known, &err))
        return cv_call_fail(call, &err);
    r.message.from = known ? sender.id : r.message.from;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_read_shape, &r);
    if (named)
        cv_mail_sign_alone(call, &agent, "read");
    return true;
}
