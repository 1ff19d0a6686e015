/* send.c - mail send: what is to be sent, and the one write that puts it into every mailbox; see send.h.
 *
 * A send is one transaction, whatever the number of recipients: a message, a delivery in each mailbox, one event. What
 * it costs does not depend on what is in the mailboxes. The same message_id with the same content is answered as the
 * first time; with other content it is refused.
 */
#include "mail/send.h"

#include <assert.h>

#include "mail/answer.h"
#include "mail/log.h"
#include "mail/operations.h"
#include "mail/plan.h"
#include "mail/text/spelling.h"
#include "record/hash.h"

/* ---- what is to be sent ------------------------------------------------------------------------------------------ */

static const cv_str priority_words[] = {CV_STR_INIT("critical"), CV_STR_INIT("urgent"), CV_STR_INIT("high"),
                                        CV_STR_INIT("medium"),   CV_STR_INIT("normal"), CV_STR_INIT("low")};
const cv_words cv_mail_priority_words = {priority_words, CV_COUNT(priority_words)};

/* 1 is the most urgent; words as people write them. False: it is neither. */
static bool priority_of(const cv_json *value, int64_t *ret)
{
    bool exact;
    if (value->type != CV_JSON_NUMBER && value->type != CV_JSON_STRING)
        return false;
    *ret = cv_mtext_priority_of(cv_str_trim(value->text), &exact);
    return *ret > 0;
}

static void read_priority(cv_call *call, cv_mail_message *m)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("priority"));
    m->priority = 3;
    if (given && !priority_of(given, &m->priority))
        cv_refuse_words(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "priority", given->text,
                                  "the priority is a number (1 is the most urgent), or a word"),
                        cv_mail_priority_words.items, cv_mail_priority_words.count);
}

static bool read_time(cv_call *call, const char *field, cv_str *ret_text, int64_t *ret_ms)
{
    cv_str given = cv_json_get_text(call->input, field);
    if (!given.p)
        return false;
    if (cv_time_parse(given, ret_ms)) {
        *ret_text = cv_mail_time(call->arena, *ret_ms);
        return true;
    }
    cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, given, "%s is not a time in UTC", field),
                   CV_STR("write it like 2026-02-03T04:05:06Z"));
    return false;
}

static void read_times(cv_call *call, cv_mail_draft *d)
{
    cv_mail_message *m = &d->message;
    int64_t sent, seconds = cv_json_get_int(call->input, "expires_in", CV_ABSENT);
    d->expires_ms = CV_ABSENT;
    d->expires_in = seconds;
    read_time(call, "sent_at", &m->sent_at, &sent);
    if (!read_time(call, "expires_at", &m->expires_at, &d->expires_ms) && seconds != CV_ABSENT) {
        d->expires_ms = cv_mail_now(call) + seconds * 1000;
        m->expires_at = cv_mail_time(call->arena, d->expires_ms);
    } else if (m->expires_at.p && seconds != CV_ABSENT) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "expires_in", CV_STR(""),
                  "'expires_at' and 'expires_in' exclude each other");
    }
}

/* {"body": text} */
static cv_str body_object(cv_arena *a, cv_str body)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "body", body);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

/* {"params": {…}}: of an envelope that was given its params alone. */
static cv_str in_data(cv_call *call, const cv_json *params)
{
    return cv_arena_printf(call->arena, "{\"params\":%.*s}", CV_FMT(cv_mail_raw(call, params)));
}

/* Which of two writings it is, and the object that it carries. */
static void read_content(cv_call *call, cv_mail_message *m)
{
    cv_str command = cv_json_get_text(call->input, "command"), type = cv_json_get_text(call->input, "type");
    cv_str body = cv_json_get_text(call->input, "body");
    const cv_json *params = cv_json_get(call->input, CV_STR("params")),
                  *data = cv_json_get(call->input, CV_STR("data"));
    bool envelope = type.p || data;
    if (command.p && envelope)
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), type.p ? "type" : "data", type,
                  "'command' and 'params', or 'type' and 'data': use one of the two forms");
    if (body.p && (params || data))
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "body", CV_STR(""),
                  "'body' is the same as params.body: give it there, or leave 'params' and 'data' out");
    if (body.p && !cv_str_trim(body).n)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "body", CV_STR(""), "the message is empty"),
                       CV_STR("write a text, or leave 'body' out and give a 'command'"));
    if (params && data)
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "params", CV_STR(""),
                  "with 'type' and 'data', the params are in data.params");
    if (envelope && !type.p)
        cv_fault_missing(&(cv_spot){.call = call, .field = CV_STR("type")});
    else if (envelope && !data && !params && !body.p)
        cv_fault_missing(&(cv_spot){.call = call, .field = CV_STR("data")});
    else if (!envelope && !command.p && !body.p)
        cv_err_suggest(cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "command", CV_STR(""),
                                 "there is nothing to send: 'command', 'type' and 'body' are missing"),
                       CV_STR("give a 'command' (one word, like test), or a text as 'body'"));
    m->writing = envelope ? CV_STR("envelope") : CV_STR("mailbox");
    m->command = envelope ? type : command.p ? command : CV_STR("message");
    m->content = body.p   ? body_object(call->arena, body)
                 : data   ? cv_mail_raw(call, data)
                 : params ? (envelope ? in_data(call, params) : cv_mail_raw(call, params))
                          : CV_STR("{}");
}

/* Links may be beside the content or, in an envelope, in it. */
static cv_str link_of(const cv_call *call, const char *name)
{
    const cv_json *data = cv_json_get(call->input, CV_STR("data"));
    cv_str given = cv_json_get_text(call->input, name);
    return given.p || !data ? given : cv_json_get_text(data, name);
}

static void read_links(cv_call *call, cv_mail_message *m)
{
    m->message_id = cv_json_get_text(call->input, "message_id");
    m->task_id = link_of(call, "task_id");
    m->correlation_id = link_of(call, "correlation_id");
    m->reply_to = link_of(call, "reply_to");
    m->thread_id = link_of(call, "thread_id");
    m->plan = link_of(call, "plan");
    m->supersedes = cv_json_get_text(call->input, "supersedes");
    cv_mail_whole_id(call, "reply_to", &m->reply_to);
    cv_mail_whole_id(call, "supersedes", &m->supersedes);
}

/* What the schema does not know is kept. */
static void read_extra(cv_call *call, cv_mail_message *m)
{
    const cv_json *known = cv_json_get(call->schema, CV_STR("properties"));
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    size_t count = 0;
    cv_json_begin_object(&w);
    for (uint32_t i = 0; i < call->input->count; i++) {
        const cv_json_member *member = &call->input->members[i];
        if (known && cv_json_get(known, member->key))
            continue;
        cv_json_key(&w, member->key);
        cv_json_raw(&w, cv_mail_compact(call->arena, cv_mail_raw(call, &member->value)));
        count++;
    }
    cv_json_end_object(&w);
    cv_str all = cv_buf_take(&text, call->arena);
    if (count > 0)
        m->extra = all;
}

static const cv_str limits_operation = CV_STR_INIT("agent limit");

bool cv_mail_check_size(cv_call *call, const cv_mail_draft *d, const char *field)
{
    int64_t most =
        d->sender.is_word ? CV_MAIL_SIZE : cv_agent_limit(call->arena, &d->sender.row, CV_STR("size"), CV_MAIL_SIZE);
    most = most > CV_MAIL_MAX_SIZE ? CV_MAIL_MAX_SIZE : most;
    if (d->message.size <= most)
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), field, CV_STR(""),
                              "the message has %lld bytes, '%.*s' may send %lld", (long long)d->message.size,
                              CV_FMT(d->sender.id), (long long)most);
    cv_err_operation(fault, limits_operation);
    cv_err_suggest(fault, CV_STR("raises the limit; or put what is large into a file and send its path"));
    return false;
}

/* All that is equal when the same message is sent again: of its expiry, what its sender wrote. */
cv_str cv_mail_digest(cv_arena *a, const cv_mail_draft *d)
{
    const cv_mail_message *m = &d->message;
    cv_str expires =
        d->expires_in == CV_ABSENT ? m->expires_at : cv_arena_printf(a, "in %lld s", (long long)d->expires_in);
    cv_hash hash;
    cv_buf text = {.sink = cv_hash_add, .sink_to = &hash};
    cv_json_writer w = {.out = &text};
    const cv_str parts[] = {m->sender,   m->addressed, m->command, m->writing,   cv_mail_compact(a, m->content),
                            m->extra,    m->thread_id, m->plan,    m->task_id,   m->correlation_id,
                            m->reply_to, m->sent_at,   expires,    m->supersedes};
    cv_hash_begin(&hash);
    cv_json_begin_array(&w);
    cv_json_strs(&w, parts, CV_COUNT(parts));
    cv_json_int(&w, m->priority);
    cv_json_end_array(&w);
    cv_buf_flush(&text);
    cv_buf_release(&text);
    return cv_hash_end(&hash, a);
}

/* The whole draft, with all faults. */
static bool read_draft(cv_call *call, cv_mail_draft *d, cv_mail_special *special)
{
    const cv_json *to = cv_json_get(call->input, CV_STR("to"));
    cv_mail_message *m = &d->message;
    *d = (cv_mail_draft){0};
    cv_row_clear(&cv_mail_message_type, m);
    bool known = cv_mail_actor(call, "from", &d->sender);
    m->sender = d->sender.name;
    m->standing = call->who.standing;
    m->addressed = cv_json_get_json(call->arena, call->input, "to");
    cv_mail_address(call, "to", to, &d->sender, &d->to);
    read_content(call, m);
    read_links(call, m);
    read_priority(call, m);
    read_times(call, d);
    read_extra(call, m);
    m->size = (int64_t)(m->content.n + m->extra.n);
    const char *field = cv_json_get(call->input, CV_STR("body"))   ? "body"
                        : cv_json_get(call->input, CV_STR("data")) ? "data"
                                                                   : "params";
    if (known)
        cv_mail_check_size(call, d, field);
    cv_mail_special_read(call, d, special);
    m->digest = cv_mail_digest(call->arena, d);
    return call->errs->count == 0;
}

/* ---- under the lock ---------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_mail_receipt
const cv_shape cv_mail_receipt_shape[] = {
    CV_FIELD(ALWAYS, to, "the agent"),
    CV_WORD(ALWAYS, "state", state, &cv_mail_receipt_words, ""),
    CV_FIELD(ALWAYS, seq, "its number in the mailbox"),
    CV_FIELD(IF_ANY, reason, "why it was given up"),
    CV_JSON_AS(IF_ANY, ANY, "error_details", error, "of the last failure; left out when it is long"),
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    cv_mail_draft *draft;
    cv_mail_special special;
    cv_str message_id, thread_id, accepted_at;
    bool stopped;
    cv_mail_receipts receipts;
    cv_notices warnings;
} sending;

#define CV_THIS_TYPE sending
const cv_shape cv_mail_send_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, message_id, ""),
    CV_FIELD(ALWAYS, thread_id, "its first message"),
    CV_FIELD(ALWAYS, accepted_at, "from now on it is not lost"),
    CV_LIST("receipts", receipts.items, receipts.count, cv_mail_receipt_shape, "one for each recipient"),
    CV_FIELD(IF_ANY, stopped, "it was not delivered: a chain of answers is too long"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* The receipts of a message that is there. */
static bool receipts_of(cv_mail_writing *o, const cv_mail_message *m, cv_mail_receipts *ret)
{
    cv_row_list rows;
    if (!cv_mail_deliveries_of(o->record, o->arena, m->message_id, &rows, &o->err))
        return cv_mail_fail(o);
    for (size_t i = 0; i < rows.count; i++) {
        const cv_mail_delivery *d = rows.items[i];
        cv_mail_mailbox mailbox;
        bool found;
        if (!cv_mail_mailbox_get(o->record, o->arena, d->mailbox, &mailbox, &found, &o->err))
            return cv_mail_fail(o);
        *CV_PUSH(o->arena, ret) = (cv_mail_receipt){.to = found ? mailbox.agent_id : d->mailbox,
                                                    .state = cv_mail_receipt_of(d, &mailbox, o->now_ms),
                                                    .seq = d->seq};
    }
    return true;
}

bool cv_mail_sent_before(cv_mail_writing *o, cv_mail_draft *draft, cv_mail_message *ret_old,
                         cv_mail_receipts *ret_receipts, bool *ret_before)
{
    cv_mail_message *m = &draft->message;
    *ret_before = false;
    if (!m->message_id.p)
        return cv_mail_new_id(o->arena, o->now_ms, &m->message_id, &o->err) || cv_mail_fail(o);
    if (!cv_mail_message_get(o->record, o->arena, m->message_id, ret_old, ret_before, &o->err))
        return cv_mail_fail(o);
    if (!*ret_before)
        return true;
    if (!cv_str_eq(ret_old->digest, m->digest)) {
        cv_err_suggest(
            cv_refuse(o->call, CV_ERR_MESSAGE_CONFLICT, CV_STR(""), "message_id", m->message_id,
                      "the message '%.*s' was sent at %.*s with other content", CV_FMT(m->message_id),
                      CV_FMT(ret_old->accepted_at)),
            CV_STR("leave message_id out for a new message; a correction names the old one in 'supersedes'"));
        return false;
    }
    return receipts_of(o, ret_old, ret_receipts);
}

/* The message of the recipient that the sender works on now, the last of a chain: without a link it is answered all the
 * same. The newest leases are looked at. */
static bool find_worked_on(cv_mail_writing *o, const cv_mail_draft *d, cv_mail_message *ret, bool *ret_found)
{
    enum { LEASES = 8 };
    cv_row_list held = {0};
    cv_mail_delivery like;
    if (d->to.count != 1)
        return true;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = d->sender.name;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = cv_deliveries_by_lease,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .descending = true,
                          .limit = LEASES,
                          .outline = true};
    if (!cv_record_rows(o->record, o->arena, &find, &held, &o->err))
        return cv_mail_fail(o);
    for (size_t i = 0; i < held.count; i++) {
        cv_mail_message m;
        bool found;
        if (!cv_mail_message_get(o->record, o->arena, ((const cv_mail_delivery *)held.items[i])->message_id, &m, &found,
                                 &o->err))
            return cv_mail_fail(o);
        if (!found || !cv_str_eq(m.sender, d->to.items[0].name) || (*ret_found && m.hops <= ret->hops))
            continue;
        *ret = m;
        *ret_found = true;
    }
    return true;
}

/* The message that this one goes on from: what it answers, or the request it belongs to, or the last of its thread, or
 * what its sender works on for the recipient. */
static bool find_before(cv_mail_writing *o, const cv_mail_draft *draft, cv_mail_message *ret, bool *ret_found)
{
    const cv_mail_message *m = &draft->message;
    cv_str names[] = {m->reply_to, m->correlation_id};
    *ret_found = false;
    for (size_t i = 0; i < CV_COUNT(names) && !*ret_found; i++)
        if (names[i].p && !cv_mail_message_get(o->record, o->arena, names[i], ret, ret_found, &o->err))
            return cv_mail_fail(o);
    if (m->reply_to.p && !*ret_found)
        cv_notice_add(&o->warnings, o->arena, CV_STR("unknown_reply_to"),
                      "reply_to names no message: '%.*s'; it is kept as it is", CV_FMT(m->reply_to));
    if (*ret_found || !m->thread_id.p)
        return *ret_found || find_worked_on(o, draft, ret, ret_found);
    cv_row_list last = {0};
    const cv_find find = {.type = &cv_mail_message_type,
                          .index = cv_messages_by_thread,
                          .scope = cv_mail_scope(),
                          .like = m,
                          .equal = 1,
                          .descending = true,
                          .limit = 1,
                          .outline = true};
    if (!cv_record_rows(o->record, o->arena, &find, &last, &o->err))
        return cv_mail_fail(o);
    *ret_found = last.count > 0;
    if (last.count > 0)
        *ret = *(const cv_mail_message *)last.items[0];
    return true;
}

/* Thread and hops. Two agents that answer each other for ever are stopped. */
static bool follow_links(cv_mail_writing *o, cv_mail_draft *draft)
{
    cv_mail_message *m = &draft->message, before;
    bool found;
    if (!find_before(o, draft, &before, &found))
        return false;
    m->hops = found ? before.hops + 1 : 0;
    if (!m->thread_id.p && found && m->reply_to.p)
        m->thread_id = before.thread_id.p ? before.thread_id : before.message_id;
    int64_t most = draft->sender.is_word
                       ? INT64_MAX
                       : cv_agent_limit(o->arena, &draft->sender.row, CV_STR("hops"), CV_MAIL_MAX_HOPS);
    if (m->hops > most)
        draft->dead_reason = cv_arena_printf(o->arena, "stopped: answer number %lld in a chain, %lld are allowed",
                                             (long long)m->hops, (long long)most);
    return true;
}

/* Has the sender sent as much in this minute as it may? */
static bool within_rate(cv_mail_writing *o, const cv_mail_agent *sender, cv_mail_mailbox *own)
{
    int64_t minute = o->now_ms / 60000, most;
    most = sender->is_word ? INT64_MAX : cv_agent_limit(o->arena, &sender->row, CV_STR("send_rate"), INT64_MAX);
    own->in_minute = own->minute == minute ? own->in_minute + 1 : 1;
    own->minute = minute;
    if (own->in_minute <= most)
        return true;
    cv_err *fault =
        cv_refuse(o->call, CV_ERR_RATE_EXCEEDED, CV_STR(""), "from", sender->id,
                  "'%.*s' may send %lld message%s in a minute", CV_FMT(sender->id), (long long)most, CV_PLURAL(most));
    int64_t left = 60 - o->now_ms / 1000 % 60;
    cv_err_operation(fault, limits_operation);
    cv_err_suggest(fault, most == 0 ? CV_STR("changes that")
                                    : cv_arena_printf(o->arena, "changes that; or send it again in %lld second%s",
                                                      (long long)left, CV_PLURAL(left)));
    return false;
}

static bool within_quota(cv_mail_writing *o, const cv_mail_agent *agent, const cv_mail_mailbox *mailbox)
{
    int64_t most = cv_agent_limit(o->arena, &agent->row, CV_STR("quota"), INT64_MAX);
    int64_t waiting;
    if (mailbox->waiting < most)
        return true;
    if (!cv_mail_waiting_of(o->record, mailbox, o->now_ms, &waiting, &o->err))
        return cv_mail_fail(o);
    if (waiting < most)
        return true;
    cv_err *fault = cv_refuse(o->call, CV_ERR_MAILBOX_FULL, CV_STR(""), "to", agent->id,
                              "'%.*s' has %lld message%s waiting, which is the limit", CV_FMT(agent->id),
                              (long long)waiting, CV_PLURAL(waiting));
    cv_err_operation(fault, limits_operation);
    cv_err_suggest(fault,
                   most == 0 ? CV_STR("changes that") : CV_STR("changes that; or send it again when some are done"));
    return false;
}

bool cv_mail_admit(cv_mail_writing *o, cv_mail_draft *draft)
{
    cv_mail_mailbox *own = cv_mail_mailbox_of(o, &draft->sender);
    if (!own)
        return cv_mail_fail(o);
    if (!follow_links(o, draft) || !within_rate(o, &draft->sender, own))
        return false;
    for (size_t i = 0; i < draft->to.count; i++) {
        const cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &draft->to.items[i]);
        if (!mailbox)
            return cv_mail_fail(o);
        within_quota(o, &draft->to.items[i], mailbox);
    }
    return o->call->errs->count == 0;
}

bool cv_mail_post(cv_mail_writing *o, cv_mail_draft *draft, cv_mail_receipts *ret)
{
    cv_mail_message *m = &draft->message;
    bool late = draft->expires_ms != CV_ABSENT && draft->expires_ms <= o->now_ms;
    cv_mail_state state = draft->dead_reason.p ? CV_MAIL_DEAD : late ? CV_MAIL_EXPIRED : CV_MAIL_NEW;
    m->accepted_at = o->now;
    m->sent_at = m->sent_at.p ? m->sent_at : o->now;
    m->hops = m->hops == CV_ABSENT ? 0 : m->hops;
    cv_writing_put(o->w, &cv_mail_message_type, m);
    cv_event_row *event = cv_mail_event(o, CV_STR("message"), m->message_id, draft->dead_reason.p ? "stopped" : "sent");
    event->reason = draft->dead_reason;
    if (draft->dead_reason.p)
        cv_mail_significant_add(o, "DEAD_LETTER", draft->sender.id,
                                (cv_mail_detail[]){{"message_id", m->message_id}, {"reason", draft->dead_reason}}, 2);
    for (size_t i = 0; i < draft->to.count; i++) {
        cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &draft->to.items[i]);
        if (!mailbox)
            return cv_mail_fail(o);
        if (!draft->is_owed)
            within_quota(o, &draft->to.items[i], mailbox);
        cv_mail_delivery *d = cv_mail_deliver(o, mailbox, m, draft->expires_ms, state);
        d->reason = draft->dead_reason;
        cv_mail_change(o, d);
        *CV_PUSH(o->arena, ret) = (cv_mail_receipt){
            .to = draft->to.items[i].id, .state = cv_mail_receipt_of(d, mailbox, o->now_ms), .seq = d->seq};
    }
    cv_mail_mailbox *own = cv_mail_mailbox_of(o, &draft->sender);
    if (!own)
        return cv_mail_fail(o);
    own->sent++;
    return o->call->errs->count == 0;
}

bool cv_mail_supersede(cv_mail_writing *o, const cv_mail_draft *draft)
{
    cv_str old_id = draft->message.supersedes;
    cv_mail_message old;
    cv_row_list rows;
    bool found;
    if (!old_id.p)
        return true;
    if (!cv_mail_message_get(o->record, o->arena, old_id, &old, &found, &o->err))
        return cv_mail_fail(o);
    if (!found || !cv_str_eq(old.sender, draft->sender.name)) {
        cv_refuse(o->call, found ? CV_ERR_NOT_ALLOWED : CV_ERR_MESSAGE_NOT_FOUND, CV_STR(""), "supersedes", old_id,
                  found ? "the message '%.*s' is from somebody else: only its sender supersedes it"
                        : "there is no message '%.*s'",
                  CV_FMT(cv_excerpt(o->arena, old_id)));
        return false;
    }
    if (!cv_mail_deliveries_of(o->record, o->arena, old_id, &rows, &o->err))
        return cv_mail_fail(o);
    cv_mail_event(o, CV_STR("message"), old_id, "superseded")->result_id = draft->message.message_id;
    for (size_t i = 0; i < rows.count; i++) {
        cv_mail_delivery d = *(const cv_mail_delivery *)rows.items[i];
        cv_mail_state state = cv_mail_state_of(d.state);
        const cv_mail_agent agent = {.name = d.mailbox};
        if (!cv_mail_states[state].open)
            continue;
        cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &agent);
        if (!mailbox)
            return cv_mail_fail(o);
        d.superseded_by = draft->message.message_id; /* the agent that works on it gets a warning when it finishes */
        cv_mail_change(o, state == CV_MAIL_CLAIMED ? cv_writing_put(o->w, &cv_mail_delivery_type, &d)
                                                   : cv_mail_settle(o, mailbox, &d, CV_MAIL_SUPERSEDED));
    }
    return true;
}

/* A recipient who is offline, or a time that is over, refuses nothing; the sender gets a warning. */
static bool warn_of_silence(cv_mail_writing *o, const cv_mail_draft *draft)
{
    enum { MOST = 10 };
    if (draft->expires_ms != CV_ABSENT && draft->expires_ms <= o->now_ms) {
        cv_notice_add(&o->warnings, o->arena, CV_STR("expired"), "it has expired at %.*s: nobody can claim it",
                      CV_FMT(draft->message.expires_at));
        return true;
    }
    for (size_t i = 0; i < draft->to.count && draft->to.count <= MOST; i++) {
        cv_mail_life life;
        if (!cv_mail_life_of(o->record, o->arena, draft->to.items[i].name, o->now_ms, &life, &o->err))
            return cv_mail_fail(o);
        if (!cv_str_eq(life.status, CV_STR("offline")))
            continue;
        cv_str id = draft->to.items[i].id;
        cv_notice_add(&o->warnings, o->arena, CV_STR("no_reader"),
                      life.last_seen.p ? "'%.*s' has not been seen since %.*s: the message waits"
                                       : "'%.*s' has never been seen here: the message waits%.*s",
                      CV_FMT(id), CV_FMT(life.last_seen.p ? life.last_seen : CV_STR("")));
    }
    return true;
}

static void warn_of_equal(cv_mail_writing *o, const cv_mail_draft *draft)
{
    cv_mail_mailbox *own = cv_mail_mailbox_of(o, &draft->sender);
    assert(own && "the message was posted for it");
    if (cv_str_eq(own->last_digest, draft->message.digest))
        cv_notice_add(&o->warnings, o->arena, CV_STR("equal_message"),
                      "the last message of '%.*s' was the same: this is a second one", CV_FMT(draft->sender.id));
    own->last_digest = draft->message.digest;
}

static bool send(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    sending *s = ctx;
    cv_mail_message old;
    bool before;
    if (!cv_mail_sent_before(o, s->draft, &old, &s->receipts, &before))
        return false;
    s->message_id = s->draft->message.message_id;
    if (!before) {
        if (!cv_mail_admit(o, s->draft) || !warn_of_silence(o, s->draft) || !cv_mail_supersede(o, s->draft) ||
            !cv_mail_post(o, s->draft, &s->receipts) || !cv_mail_special_take(o, s->draft, &s->special))
            return false;
        warn_of_equal(o, s->draft);
        cv_mail_sign(o, &s->draft->sender, "send");
        s->stopped = s->draft->dead_reason.p != NULL;
    }
    const cv_mail_message *m = before ? &old : &s->draft->message;
    s->thread_id = m->thread_id.p ? m->thread_id : m->message_id;
    s->accepted_at = m->accepted_at;
    s->warnings = o->warnings;
    *ret_result = cv_shape_text(o->arena, cv_mail_send_shape, s);
    return true;
}

/* Kept, and refused: the sender must not take it for delivered. */
static bool refuse_stopped(cv_call *call, const cv_json *answer)
{
    cv_str id = cv_arena_copy(call->arena, cv_json_get_text(answer, "message_id"));
    cv_buf_clear(call->out);
    cv_err *fault = cv_refuse(call, CV_ERR_TOO_MANY_HOPS, CV_STR(""), "reply_to", CV_STR(""),
                              "this chain of answers is too long: it is stopped, and the message kept as the dead "
                              "letter '%.*s'",
                              CV_FMT(id));
    cv_err_operation(fault, CV_STR("mail dead"));
    cv_err_suggest(fault, CV_STR("lists it; a message without reply_to begins a new chain"));
    return false;
}

bool cv_mail_op_send(cv_call *call)
{
    cv_mail_draft draft;
    sending s = {.draft = &draft};
    cv_json answer;
    cv_err err = {.arena = call->arena};
    if (!read_draft(call, &draft, &s.special) || !cv_mail_write(call, "mail send", send, &s))
        return false;
    cv_str text = cv_arena_copy(call->arena, cv_buf_str(call->out));
    if (cv_str_find(text, CV_STR("\"stopped\":true")) == SIZE_MAX || cv_json_get_true(call->input, "dry_run"))
        return true;
    return !cv_json_parse(call->arena, text, &answer, &err) || !cv_json_get_true(&answer, "stopped") ||
           refuse_stopped(call, &answer);
}
