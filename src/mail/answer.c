/* answer.c - messages in answers; see answer.h. */
#include "mail/answer.h"

#include "base/limits.h"

static const cv_str absent = {NULL, 0};

/* ---- forms ------------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_mail_shown
static const cv_shape head_shape[] = {
    CV_FIELD_AS(ALWAYS, "message_id", row.message_id, ""),
    CV_FIELD(ALWAYS, from, ""),
    CV_FIELD_AS(ALWAYS, "command", row.command, "or the type of an envelope"),
    {0},
};
static const cv_shape link_shape[] = {
    CV_FIELD_AS(ALWAYS, "priority", row.priority, "1 is the most urgent"),
    CV_FIELD_AS(IF_ANY, "task_id", row.task_id, ""),
    CV_FIELD_AS(IF_ANY, "plan", row.plan, ""),
    CV_FIELD_AS(IF_ANY, "reply_to", row.reply_to, ""),
    CV_FIELD_AS(IF_ANY, "thread_id", row.thread_id, "the first message of its thread; absent: this one"),
    CV_FIELD_AS(IF_ANY, "correlation_id", row.correlation_id, ""),
    CV_FIELD_AS(IF_ANY, "supersedes", row.supersedes, ""),
    CV_FIELD_AS(IF_ANY, "expires_at", row.expires_at, ""),
    CV_FIELD_AS(ALWAYS, "accepted_at", row.accepted_at, ""),
    {0},
};
static const cv_shape delivered_shape[] = {
    CV_FIELD(IF_ANY, superseded_by, "do that one instead"),
    CV_FIELD(IF_ANY, attempts, "how often it was claimed"),
    CV_FIELD(IF_ANY, lease_until, ""),
    CV_FIELD(IF_ANY, claimed_at, ""),
    CV_FIELD(IF_ANY, settled_at, ""),
    CV_FIELD(IF_ANY, reason, "why it is where it is"),
    CV_JSON_AS(IF_ANY, ANY, "error_details", error, "of the last failure"),
    {0},
};
static const cv_shape content_shape[] = {
    CV_JSON_AS(IF_ANY, MAP, "params", params, "left out of a list when it is long"),
    CV_FIELD_AS(IF_ANY, "cut", is_cut, "params are too long for a list: 'mail read' shows them"),
    {0},
};

const cv_shape cv_mail_shown_shape[] = {
    CV_FIELD(ALWAYS, seq, "its number in the mailbox"),
    CV_WORD(ALWAYS, "state", state, &cv_mail_state_words, ""),
    CV_SPREAD_SAME(head_shape),
    CV_FIELD(ALWAYS, age_seconds, "since it was sent, as the sender says, or accepted; the longer of the two"),
    CV_FIELD(IF_ANY, sent_at, "of one that came late: when it was sent, as the sender says"),
    CV_SPREAD_SAME(link_shape),
    CV_SPREAD_SAME(delivered_shape),
    CV_SPREAD_SAME(content_shape),
    {0},
};

const cv_shape cv_mail_sent_shape[] = {
    CV_SPREAD_SAME(head_shape),
    CV_JSON_AS(IF_ANY, ANY, "to", to, "as it was addressed"),
    CV_FIELD(ALWAYS, age_seconds, "since it was sent, as the sender says, or accepted; the longer of the two"),
    CV_SPREAD_SAME(link_shape),
    CV_SPREAD_SAME(content_shape),
    CV_LIST_WHEN(CV_IF_ANY, "receipts", receipts.items, receipts.count, cv_mail_receipt_shape,
                 "one for each recipient"),
    {0},
};

const cv_shape cv_mail_whole_shape[] = {
    CV_SPREAD_SAME(head_shape),
    CV_JSON_AS(IF_ANY, ANY, "to", to, "as it was addressed"),
    CV_FIELD(IF_ANY, seq, "its number in the mailbox of the caller"),
    CV_WORD(IF_ANY, "state", state, &cv_mail_state_words, "in that mailbox"),
    CV_FIELD(ALWAYS, age_seconds, "since it was sent, as the sender says, or accepted; the longer of the two"),
    CV_SPREAD_SAME(link_shape),
    CV_FIELD_AS(ALWAYS, "sent_at", row.sent_at, "as the sender says"),
    CV_FIELD_AS(ALWAYS, "hops", row.hops, "answers before it in its chain"),
    CV_FIELD_AS(IF_ANY, "standing", row.standing, "how certain the sender is"),
    CV_WORD(ALWAYS, "writing", row.writing, &cv_mail_writing_words, "how it was sent"),
    CV_SPREAD_SAME(delivered_shape),
    CV_JSON_AS(IF_ANY, ANY, "output", output, "the output given with 'done'"),
    CV_JSON_AS(IF_ANY, MAP, "params", params, ""),
    CV_JSON_AS(IF_ANY, MAP, "data", data, "of an envelope"),
    CV_JSON_AS(IF_ANY, MAP, "extra", extra, "members that mail does not know"),
    CV_LIST_WHEN(CV_IF_ANY, "receipts", receipts.items, receipts.count, cv_mail_receipt_shape,
                 "one for each recipient"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- one message ------------------------------------------------------------------------------------------------- */

/* What `params` of a message is: the object itself, or that of an envelope's data. */
static cv_str params_of(cv_arena *a, const cv_mail_message *m)
{
    cv_json data;
    cv_err ignored = {.arena = a};
    if (!cv_str_eq(m->writing, CV_STR("envelope")) || !m->content.p)
        return m->content;
    if (!cv_json_parse(a, m->content, &data, &ignored))
        return m->content;
    const cv_json *params = cv_json_get(&data, CV_STR("params"));
    if (!params || params->type != CV_JSON_OBJECT)
        return m->content;
    cv_call here = {.arena = a, .input_text = m->content};
    return cv_mail_raw(&here, params);
}

static cv_str sender_id(cv_str name)
{
    if (cv_str_eq(name, CV_STR("system")))
        return CV_STR("System");
    return cv_str_eq(name, CV_STR("user")) ? CV_STR("User") : name;
}

static cv_str json_or_none(cv_arena *a, cv_str text)
{
    return text.p ? cv_mail_compact(a, text) : absent;
}

static void tell_delivery(cv_arena *a, const cv_mail_delivery *d, int64_t now_ms, cv_mail_shown *t)
{
    cv_mail_state state = cv_mail_state_at(d, now_ms);
    t->delivery = *d;
    t->state = cv_mail_states[state].word;
    t->seq = d->seq;
    t->attempts = d->attempts > 0 ? d->attempts : CV_ABSENT;
    t->superseded_by = d->superseded_by;
    t->claimed_at = d->claimed_at;
    t->settled_at = d->settled_at;
    t->reason = d->reason;
    t->output = json_or_none(a, d->output);
    t->error = json_or_none(a, d->error);
    if (state == CV_MAIL_CLAIMED)
        t->lease_until = cv_mail_time(a, d->lease_until);
}

/* What was dropped or handed on late is as old as its sender says. */
static void tell_age(cv_mail_shown *t, int64_t now_ms)
{
    enum { LATE_MS = 1000 };
    int64_t accepted, sent;
    if (!cv_time_parse(t->row.accepted_at, &accepted))
        accepted = now_ms;
    if (!cv_time_parse(t->row.sent_at, &sent) || sent > accepted)
        sent = accepted;
    if (accepted - sent > LATE_MS)
        t->sent_at = t->row.sent_at;
    t->age_seconds = now_ms > sent ? (now_ms - sent) / 1000 : 0;
}

cv_mail_shown cv_mail_tell(cv_arena *a, const cv_mail_message *m, const cv_mail_delivery *d, int64_t now_ms,
                           size_t most)
{
    cv_mail_shown t = {.row = *m, .seq = CV_ABSENT, .attempts = CV_ABSENT, .from = sender_id(m->sender)};
    tell_age(&t, now_ms);
    t.to = m->addressed;
    if (d)
        tell_delivery(a, d, now_ms, &t);
    t.is_cut = most && m->content.n > most;
    if (t.is_cut || !m->content.p)
        return t;
    t.params = json_or_none(a, params_of(a, m));
    if (cv_str_eq(m->writing, CV_STR("envelope")))
        t.data = json_or_none(a, m->content);
    t.extra = json_or_none(a, m->extra);
    return t;
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

/* Senders are told as they are written; a registry of a few agents is asked once for each. */
bool cv_mail_name_senders(cv_call *call, cv_mail_shown_list *all, cv_err *err)
{
    cv_map known = {0};
    for (size_t i = 0; i < all->count; i++) {
        bool is_new, found;
        cv_agent_row agent;
        cv_str *id;
        uintptr_t *slot = cv_map_put(&known, call->arena, all->items[i].row.sender, &is_new);
        if (is_new) {
            id = CV_NEW(call->arena, cv_str);
            *id = all->items[i].from;
            *slot = (uintptr_t)id;
            if (!cv_agent_find(call->record, call->arena, all->items[i].row.sender, &agent, &found, err))
                return false;
            *id = found ? agent.id : *id;
        }
        all->items[i].from = *(const cv_str *)*slot;
    }
    return true;
}

bool cv_mail_tell_all(cv_call *call, const cv_row_list *deliveries, int64_t now_ms, cv_mail_shown_list *ret,
                      cv_err *err)
{
    cv_arena *a = call->arena;
    cv_lookup *lookups = CV_NEW_ARRAY(a, deliveries->count, cv_lookup);
    cv_mail_message *like = CV_NEW_ARRAY(a, deliveries->count, cv_mail_message);
    cv_row_list *found = CV_NEW_ARRAY(a, deliveries->count, cv_row_list);
    for (size_t i = 0; i < deliveries->count; i++) {
        cv_row_clear(&cv_mail_message_type, &like[i]);
        like[i].message_id = ((const cv_mail_delivery *)deliveries->items[i])->message_id;
        found[i] = (cv_row_list){.arena = a, .type = &cv_mail_message_type};
        lookups[i] = (cv_lookup){
            {.type = &cv_mail_message_type, .scope = cv_mail_scope(), .like = &like[i], .equal = 1, .limit = 1},
            cv_row_list_add,
            &found[i]};
    }
    if (deliveries->count > 0 && !call->record->calls->find_all(call->record, lookups, deliveries->count, err))
        return false;
    for (size_t i = 0; i < deliveries->count; i++) {
        if (found[i].count == 0)
            return cv_err_set(err, CV_ERR_CORRUPT, "the message '%.*s' of a delivery is not there",
                              CV_FMT(like[i].message_id));
        *CV_PUSH(a, ret) = cv_mail_tell(a, found[i].items[0], deliveries->items[i], now_ms, CV_MAIL_SHOWN_BYTES);
    }
    return cv_mail_name_senders(call, ret, err);
}

/* What became of it in every mailbox. */
bool cv_mail_add_receipts(cv_call *call, const cv_row_list *rows, int64_t now, cv_mail_shown *t, cv_err *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        const cv_mail_delivery *d = rows->items[i];
        cv_mail_mailbox mailbox;
        bool found;
        if (!cv_mail_mailbox_get(call->record, call->arena, d->mailbox, &mailbox, &found, err))
            return false;
        cv_mail_state state = cv_mail_state_at(d, now);
        cv_mail_receipt *r = CV_PUSH(call->arena, &t->receipts);
        *r = (cv_mail_receipt){.to = found ? mailbox.agent_id : d->mailbox,
                               .state = found ? cv_mail_receipt_of(d, &mailbox, now) : d->state,
                               .seq = d->seq};
        if (state != CV_MAIL_DEAD && state != CV_MAIL_FAILED)
            continue;
        r->reason = d->reason;
        r->error = d->error.n <= CV_MAIL_SHOWN_BYTES ? json_or_none(call->arena, d->error) : absent;
    }
    return true;
}

/* The ids that begin with it follow it in the order of the key, so that others cost nothing. */
static bool find_whole_id(cv_call *call, const char *field, cv_str *id, cv_err *err)
{
    enum { MOST_NAMED = 8 };
    cv_mail_message like;
    cv_row_list rows = {0};
    cv_buf names = {0};
    size_t count = 0;
    cv_row_clear(&cv_mail_message_type, &like);
    like.message_id = *id;
    const cv_find find = {.type = &cv_mail_message_type,
                          .scope = cv_mail_scope(),
                          .after = &like,
                          .limit = MOST_NAMED + 1,
                          .outline = true};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, err))
        return false;
    for (; count < rows.count; count++) {
        cv_str one = ((const cv_mail_message *)rows.items[count])->message_id;
        if (!cv_str_starts(one, *id))
            break;
        if (count < MOST_NAMED)
            cv_buf_printf(&names, "%s%.*s", count ? ", " : "", CV_FMT(one));
    }
    cv_str all = cv_buf_take(&names, call->arena);
    if (count < 2) {
        *id = count ? all : *id;
        return true;
    }
    cv_err_set(err, CV_ERR_INVALID_VALUE, "several messages begin with '%.*s': %.*s%s", CV_FMT(*id), CV_FMT(all),
               count > MOST_NAMED ? ", …" : "");
    cv_err_field(err, cv_str_of(field));
    cv_err_value(err, *id);
    cv_err_suggest(err, CV_STR("write more of the id"));
    return false;
}

bool cv_mail_whole_id(cv_call *call, const char *field, cv_str *id)
{
    cv_err err = {.arena = call->arena};
    cv_mail_message m;
    bool found;
    if (call->confined || call->taking_in || !id->n)
        return true;
    if (!cv_mail_message_get(call->record, call->arena, *id, &m, &found, &err))
        return cv_call_fail(call, &err);
    return found || find_whole_id(call, field, id, &err) || cv_call_fail(call, &err);
}

bool cv_mail_refuse_unknown(cv_call *call, cv_str id)
{
    cv_err *fault = cv_refuse(call, CV_ERR_MESSAGE_NOT_FOUND, CV_STR(""), "message_id", id,
                              "there is no message '%.*s'", CV_FMT(cv_excerpt(call->arena, id)));
    cv_err_operation(fault, CV_STR("mail inbox"));
    cv_err_suggest(fault, CV_STR("lists the messages of an agent"));
    return false;
}
