/* fetch.c - the answer to a prompt, once; see prompt.h.
 *
 *     temp/cursor_output.json  ->  a private name  ->  one write  ->  the archive
 *
 *     the write   the prompt that the answer names (request_id), or that has the slot, is answered and fetched;
 *                 a command in it is sent to its target; the next prompt of the queue is staged
 *
 * A process that is killed before the write leaves the answer under its private name. One that is killed after it
 * leaves a row that names that file. In both cases the next fetch returns the answer, because nobody can have got it.
 * An answer that was returned and archived is returned again only by its request id.
 */
#include "base/monotonic.h"
#include "kit/destination.h"
#include "kit/kept_watch.h"
#include "mail/operations.h"
#include "mail/plan.h"
#include "mail/prompt.h"
#include "mail/text/message.h"
#include "mail/text/spelling.h"

enum { ASK_MS = 1000 /* whether the caller still waits */ };

typedef struct {
    const char *name; /* private name of the file; NULL: the answer is in the record */
    cv_str given_id;  /* that the answer names */
    bool taken_away;
    cv_mail_draft draft; /* a command in the answer */
    cv_mail_special special;
    bool routes;
    bool route_refused; /* in the write: it is made again without the command */
    /* the answer */
    cv_str state, request_id, template, answer, waits_for, repaired;
    cv_str message_id;
    cv_mail_receipts receipts;
    cv_notices warnings;
} fetching;

#define CV_THIS_TYPE fetching
static const cv_shape routed_shape[] = {
    CV_FIELD(ALWAYS, message_id, ""),
    CV_LIST("receipts", receipts.items, receipts.count, cv_mail_receipt_shape, ""),
    {0},
};
const cv_shape cv_mail_fetch_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, state, "answered, or nothing: there is no answer yet"),
    CV_FIELD(IF_ANY, request_id, "of the prompt"),
    CV_FIELD(IF_ANY, template, ""),
    CV_JSON_AS(IF_ANY, ANY, "answer", answer, ""),
    CV_FIELD(IF_ANY, repaired, "what was wrong with the JSON, and was repaired"),
    CV_GROUP_IF(message_id, "routed", routed_shape, "the command in the answer, as it was sent to its target"),
    CV_FIELD(IF_ANY, waits_for, "request_id of the prompt that has the slot"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_PROMPT_WRITTEN,
    {0},
};
#undef CV_THIS_TYPE

/* ---- a command in the answer ------------------------------------------------------------------------------------- */

static cv_str object_or(cv_str raw)
{
    return raw.n > 0 && raw.p[0] == '{' ? raw : CV_STR("{}");
}

/* The sender that the answer names, else the agent that staged the prompt, else System. */
static void find_sender(cv_call *call, cv_str named, cv_str staged_by, cv_mail_agent *ret)
{
    const cv_str tries[] = {named, staged_by};
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        cv_err ignored = {.arena = call->arena};
        *ret = (cv_mail_agent){0};
        if (tries[i].n > 0 && cv_agent_get(call->record, call->arena, tries[i], &ret->row, &ignored)) {
            ret->name = ret->row.name;
            ret->id = ret->row.id;
            return;
        }
    }
    *ret =
        (cv_mail_agent){.name = cv_agent_name(call->arena, CV_STR("System")), .id = CV_STR("System"), .is_word = true};
}

/* What speaks against sending the command is a warning here: the answer itself is good. */
static void not_routed(cv_call *call, fetching *x, size_t before)
{
    for (size_t i = before; i < call->errs->count; i++)
        cv_notice_add(&x->warnings, call->arena, CV_STR("not_routed"), "the command in the answer was not sent: %.*s",
                      CV_FMT(cv_err_text(&call->errs->items[i])));
    call->errs->count = before;
    x->routes = false;
}

static cv_str text_or_none(cv_arena *a, const cv_mtext_message *m, cv_mtext_field field)
{
    cv_str text = cv_mtext_field_text(a, m, field);
    return text.n > 0 ? text : (cv_str){NULL, 0};
}

/* For how many seconds it is valid. */
static void read_seconds(cv_call *call, cv_mail_draft *d, const cv_mtext_message *m)
{
    cv_json v;
    cv_err ignored = {.arena = call->arena};
    cv_str raw = m->fields[CV_MTEXT_EXPIRES_IN];
    if (!raw.p || !cv_json_parse(call->arena, raw, &v, &ignored) || v.type == CV_JSON_NULL)
        return;
    if (d->message.expires_at.p) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "expires_in", raw,
                  "'expires_at' and 'expires_in' exclude each other");
    } else if (!cv_json_to_int(&v, &d->expires_in) || d->expires_in < 1 || d->expires_in > CV_MAIL_MAX_SECONDS) {
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "expires_in", raw, "expires_in is not a number of seconds");
    } else {
        d->expires_ms = cv_mail_now(call) + d->expires_in * 1000;
        d->message.expires_at = cv_mail_time(call->arena, d->expires_ms);
    }
}

/* How urgent it is, and until when it is valid. */
static void read_validity(cv_call *call, cv_mail_draft *d, const cv_mtext_message *m)
{
    bool exact;
    cv_str priority = cv_mtext_field_text(call->arena, m, CV_MTEXT_PRIORITY),
           expires = cv_mtext_field_text(call->arena, m, CV_MTEXT_EXPIRES), raw = m->fields[CV_MTEXT_EXPIRES];
    bool is_none = expires.p ? cv_str_trim(expires).n == 0 : !raw.p || cv_str_eq(raw, CV_STR("null"));
    int known = priority.n > 0 ? cv_mtext_priority_of(priority, &exact) : 0;
    d->message.priority = known > 0 ? known : 3;
    if (priority.n > 0 && known <= 0)
        cv_refuse_words(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "priority", priority,
                                  "the priority is a number (1 is the most urgent), or a word"),
                        cv_mail_priority_words.items, cv_mail_priority_words.count);
    d->expires_ms = d->expires_in = CV_ABSENT;
    if (expires.p && cv_mtext_time_of(expires, &d->expires_ms, &exact))
        d->message.expires_at = cv_mail_time(call->arena, d->expires_ms);
    else if (!is_none)
        cv_err_suggest(
            cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "expires_at", expires, "expires_at is not a time in UTC"),
            CV_STR("write it like 2026-02-03T04:05:06Z"));
    read_seconds(call, d, m);
}

/* When it was sent, and under which id: one that nobody filled in is none. */
static void read_origin(cv_call *call, cv_mail_draft *d, const cv_mtext_message *m)
{
    bool exact;
    int64_t ms;
    cv_str id = text_or_none(call->arena, m, CV_MTEXT_MESSAGE_ID), sent = text_or_none(call->arena, m, CV_MTEXT_TIME);
    d->message.message_id = id.p && !cv_mtext_has_placeholder(id) ? id : (cv_str){NULL, 0};
    if (sent.p && cv_mtext_time_of(sent, &ms, &exact))
        d->message.sent_at = cv_mail_time(call->arena, ms);
}

/* `mail send` has the same ceiling in its schema. */
static void check_links(cv_call *call, const cv_mail_message *m)
{
    enum { MOST = 200 };
    const struct {
        const char *field;
        cv_str text;
    } links[] = {{"message_id", m->message_id}, {"command", m->command},     {"task_id", m->task_id},
                 {"reply_to", m->reply_to},     {"thread_id", m->thread_id}, {"correlation_id", m->correlation_id},
                 {"supersedes", m->supersedes}};
    for (size_t i = 0; i < CV_COUNT(links); i++)
        if (cv_utf8_count(links[i].text) > MOST)
            cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), links[i].field, CV_STR(""), "%s has more than %d characters",
                      links[i].field, MOST);
}

/* Its recipients, its size, the tasks that it brings: what `mail send` refuses is refused here. */
static void check(cv_call *call, fetching *x, const cv_json *target, const cv_mtext_message *m)
{
    size_t before = call->errs->count;
    bool envelope = cv_str_eq(x->draft.message.writing, CV_STR("envelope"));
    read_origin(call, &x->draft, m);
    read_validity(call, &x->draft, m);
    x->draft.message.digest = cv_mail_digest(call->arena, &x->draft);
    check_links(call, &x->draft.message);
    if (target->type == CV_JSON_STRING || target->type == CV_JSON_ARRAY)
        cv_mail_address(call, "target_id", target, &x->draft.sender, &x->draft.to);
    else
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "target_id", CV_STR(""),
                  "target_id is neither the name of an agent nor a list of names");
    cv_mail_check_size(call, &x->draft, envelope ? "data" : "params");
    cv_mail_special_read(call, &x->draft, &x->special);
    x->routes = call->errs->count == before;
    if (!x->routes)
        not_routed(call, x, before);
}

/* Is it an object with a command and a target? */
static bool is_command(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_message *ret, cv_json *ret_target)
{
    cv_err ignored = {.arena = a};
    cv_mtext_notes notes = {0};
    return value->type == CV_JSON_OBJECT && cv_mtext_message_read(a, text, value, &notes, ret, &ignored) &&
           cv_mtext_field_text(a, ret, CV_MTEXT_COMMAND).n > 0 && ret->fields[CV_MTEXT_TARGET].p &&
           cv_json_parse(a, ret->fields[CV_MTEXT_TARGET], ret_target, &ignored) && ret_target->type != CV_JSON_NULL &&
           (ret_target->type != CV_JSON_STRING || ret_target->text.n > 0);
}

/* Several commands are for the caller to send. */
static void warn_of_list(cv_call *call, fetching *x, const cv_mtext *text)
{
    cv_mtext_message m;
    cv_json target;
    size_t count = 0;
    for (uint32_t i = 0; text->value.type == CV_JSON_ARRAY && i < text->value.count; i++)
        count += is_command(call->arena, text->text, &text->value.items[i], &m, &target);
    if (count > 0)
        cv_notice_add(&x->warnings, call->arena, CV_STR("not_routed"),
                      "the answer is a list with %zu command%s, and nothing of it was sent: an answer is one command",
                      count, CV_PLURAL(count));
}

/* An answer with a command and a target is a message, in the form that the answer has. Like a file, it may be in a list
 * of its own or in a string. */
static void read_command(cv_call *call, fetching *x, cv_str staged_by)
{
    cv_arena *a = call->arena;
    size_t before = call->errs->count;
    cv_err err = {.arena = a};
    cv_json target;
    cv_mtext text = {.text = x->answer};
    cv_mtext_message m;
    if (!cv_json_parse(a, x->answer, &text.value, &err))
        return;
    cv_mtext_message_unwrap(a, &text);
    warn_of_list(call, x, &text);
    if (!is_command(a, text.text, &text.value, &m, &target))
        return;
    if (!cv_mtext_message_settle(a, &m, &err)) {
        cv_call_fail(call, &err);
        not_routed(call, x, before);
        return;
    }
    cv_str command = cv_mtext_field_text(a, &m, CV_MTEXT_COMMAND), to = m.fields[CV_MTEXT_TARGET];
    cv_mail_message *row = &x->draft.message;
    x->draft = (cv_mail_draft){0};
    cv_row_clear(&cv_mail_message_type, row);
    find_sender(call, cv_mtext_field_text(a, &m, CV_MTEXT_SENDER), staged_by, &x->draft.sender);
    bool envelope = m.writing == CV_MTEXT_ENVELOPE && m.data_whole.p && !m.data_raw.p;
    if (envelope)
        m.data.count = 0; /* it is in the content */
    row->sender = x->draft.sender.name;
    row->addressed = cv_mail_compact(a, to);
    row->command = command;
    row->writing = envelope ? CV_STR("envelope") : CV_STR("mailbox");
    row->task_id = text_or_none(a, &m, CV_MTEXT_TASK);
    row->correlation_id = text_or_none(a, &m, CV_MTEXT_CORRELATION);
    row->reply_to = text_or_none(a, &m, CV_MTEXT_REPLY);
    row->thread_id = text_or_none(a, &m, CV_MTEXT_THREAD);
    row->supersedes = text_or_none(a, &m, CV_MTEXT_SUPERSEDES);
    row->content = object_or(envelope ? m.data_whole : m.fields[CV_MTEXT_PARAMS]);
    row->extra = cv_mtext_extra_print(a, &m);
    row->size = (int64_t)(row->content.n + row->extra.n);
    check(call, x, &target, &m);
}

static bool post(cv_mail_writing *o, fetching *x)
{
    return cv_mail_admit(o, &x->draft) && cv_mail_supersede(o, &x->draft) && cv_mail_post(o, &x->draft, &x->receipts) &&
           cv_mail_special_take(o, &x->draft, &x->special);
}

static bool route(cv_mail_writing *o, fetching *x)
{
    cv_mail_message old;
    bool before;
    if (!x->routes)
        return true;
    if (!cv_mail_sent_before(o, &x->draft, &old, &x->receipts, &before) || (!before && !post(o, x))) {
        x->route_refused = o->err.code == CV_ERR_NONE;
        return false;
    }
    x->message_id = x->draft.message.message_id;
    if (x->draft.dead_reason.p)
        cv_notice_add(&x->warnings, o->arena, CV_STR("not_routed"), "the command in the answer is a dead letter: %.*s",
                      CV_FMT(x->draft.dead_reason));
    return true;
}

/* ---- the write --------------------------------------------------------------------------------------------------- */

/* The prompt that the answer belongs to; one that nobody asked for gets a row of its own. *ret_again: a fetch that was
 * killed has written it. */
static bool find_prompt(cv_mail_writing *o, fetching *x, cv_mail_prompt *ret, bool *ret_again)
{
    bool found = false;
    if (!cv_prompt_of_file(o->record, o->arena, x->name, ret, ret_again, &o->err))
        return cv_mail_fail(o);
    if (*ret_again)
        return true;
    if (!(x->given_id.n > 0 ? cv_prompt_get(o->record, o->arena, x->given_id, ret, &found, &o->err)
                            : cv_prompt_current(o->record, o->arena, ret, &found, &o->err)))
        return cv_mail_fail(o);
    if (found)
        return true;
    if (x->given_id.n > 0)
        cv_notice_add(&x->warnings, o->arena, CV_STR("unknown_request_id"),
                      "the answer names the request '%.*s', but this project has no such prompt",
                      CV_FMT(cv_excerpt(o->arena, x->given_id)));
    cv_mail_prompt *added =
        cv_prompt_add(o, cv_str_from(cv_str_of(x->name), strlen("temp/.answer-")), (cv_str){NULL, 0}, "answered");
    if (added)
        *ret = *added;
    return added != NULL;
}

static void tell(fetching *x, const cv_mail_prompt *prompt)
{
    x->state = CV_STR("answered");
    x->request_id = prompt->request_id;
    x->template = prompt->template;
    x->answer = prompt->answer;
}

static bool fetch(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    fetching *x = ctx;
    cv_mail_prompt prompt;
    bool current = false, again = false;
    x->state = CV_STR("nothing");
    if (x->name) {
        if (!find_prompt(o, x, &prompt, &again))
            return false;
    } else if (!cv_prompt_current(o->record, o->arena, &prompt, &current, &o->err))
        return cv_mail_fail(o);
    bool ready = x->name ? !again : current && cv_str_eq(prompt.state, CV_STR("answered"));
    if (x->name && ready && cv_str_eq(prompt.state, CV_STR("fetched")))
        cv_notice_add(&x->warnings, o->arena, CV_STR("second_answer"),
                      "the prompt was answered before: this is another answer");
    bool had_slot = prompt.current == 1;
    if (ready) {
        prompt.answer = x->name ? x->answer : prompt.answer;
        prompt.answered_at = prompt.answered_at.p ? prompt.answered_at : o->now;
        prompt.fetched_at = o->now;
        prompt.source = x->name ? cv_str_of(x->name) : prompt.source;
        if (!route(o, x))
            return false;
        prompt.message_id = x->message_id.p ? x->message_id : prompt.message_id;
        cv_prompt_put(o, &prompt, "fetched");
        if (had_slot && !cv_prompt_advance(o))
            return false;
    }
    if (ready || again)
        tell(x, &prompt);
    *ret_result = cv_shape_text(o->arena, cv_mail_fetch_shape, x);
    return true;
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

/* An answer that lies there, or is in the record; *ret_there false: neither. */
static bool look(cv_prompt_door *door, fetching *x, bool *ret_there, cv_err *err)
{
    cv_call *call = door->call;
    cv_mail_prompt current;
    cv_prompt_shown shown;
    cv_str text;
    cv_json value;
    *x = (fetching){.state = CV_STR("nothing")};
    if (!cv_prompt_settle(door, &current, &shown, err) ||
        !cv_prompt_take_answer(door, &x->name, &text, &x->repaired, err))
        return false;
    x->waits_for = current.request_id;
    *ret_there = x->name || (current.request_id.p && cv_str_eq(current.state, CV_STR("answered")));
    if (x->name) {
        x->answer = cv_mail_compact(call->arena, text);
        if (!cv_json_parse(call->arena, x->answer, &value, err))
            return false;
        x->given_id = value.type == CV_JSON_OBJECT ? cv_json_get_text(&value, "request_id") : CV_STR("");
    } else if (*ret_there)
        x->answer = current.answer;
    if (*ret_there)
        read_command(call, x, current.staged_by);
    return true;
}

/* The write, then the archive, then the next prompt. A command that is refused takes the whole write back: it is made
 * again without it. */
static bool hand_out(cv_prompt_door *door, fetching *x, cv_err *err)
{
    cv_call *call = door->call;
    size_t before = call->errs->count;
    x->waits_for = (cv_str){NULL, 0};
    bool done = cv_mail_write(call, "mail fetch", fetch, x);
    if (!done && x->route_refused) {
        x->warnings = (cv_notices){0};
        x->receipts = (cv_mail_receipts){0};
        not_routed(call, x, before);
        done = cv_mail_write(call, "mail fetch", fetch, x);
    }
    if (!done)
        return false;
    if (cv_json_get_true(call->input, "dry_run"))
        return true;
    if (x->name && !cv_prompt_archive_answer(door, x->name, x->request_id, err))
        return cv_call_fail(call, err);
    cv_prompt_settle_after(door, &x->warnings);
    return true;
}

/* An answer that was fetched before, asked for by its request id. */
static bool tell_again(cv_call *call, cv_str id)
{
    cv_err err = {.arena = call->arena};
    fetching x = {.state = CV_STR("nothing")};
    cv_mail_prompt prompt;
    bool found;
    if (!cv_prompt_get(call->record, call->arena, id, &prompt, &found, &err))
        return cv_call_fail(call, &err);
    if (!found) {
        cv_refuse(call, CV_ERR_PROMPT_NOT_FOUND, CV_STR(""), "request_id", id,
                  "there is no prompt with this request id");
        return false;
    }
    if (prompt.answer.p)
        tell(&x, &prompt);
    x.request_id = id;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_fetch_shape, &x);
    return true;
}

/* Asked before and after each sleep: an answer is not handed out to a caller who has left. */
static bool is_awaited(cv_call *call, int64_t begin, int64_t until, cv_err *err)
{
    return cv_call_tell(call, (size_t)((cv_monotonic_ms() - begin) / 1000), (size_t)((until - begin) / 1000),
                        CV_STR("waiting for an answer"), err);
}

static bool sleep_on(cv_call *call, cv_notify *n, int64_t begin, int64_t until, cv_err *err)
{
    while (cv_monotonic_ms() < until && is_awaited(call, begin, until, err)) {
        int64_t ask = cv_monotonic_ms() + ASK_MS;
        if (cv_notify_wait(n, ask < until ? ask : until) || cv_monotonic_ms() >= until)
            return is_awaited(call, begin, until, err);
    }
    return false;
}

static bool wait_for_answer(cv_call *call, cv_notify *n, fetching *x, cv_err *err)
{
    /* A trial does not wait: it finds the faults of a request, and the caller learns of them at once. */
    int64_t seconds = cv_json_get_true(call->input, "dry_run") ? 0 : cv_json_get_int(call->input, "timeout_seconds", 0);
    int64_t begin = cv_monotonic_ms(), until = begin + seconds * 1000;
    bool there = false, ok;
    do {
        cv_prompt_door door;
        if (!cv_prompt_open(&door, call, err))
            return false;
        ok = look(&door, x, &there, err) && (!there || hand_out(&door, x, err));
        cv_prompt_close(&door);
    } while (ok && !there && sleep_on(call, n, begin, until, err));
    if (ok && !there && err->code == CV_ERR_NONE)
        cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_fetch_shape, x);
    return ok && err->code == CV_ERR_NONE;
}

bool cv_mail_op_fetch(cv_call *call)
{
    cv_err err = {.arena = call->arena}, blind = {.arena = call->arena};
    cv_str id = cv_json_get_text(call->input, "request_id");
    fetching x;
    if (id.p)
        return tell_again(call, id);
    cv_notify *n = cv_kept_watch(call->record);
    if (cv_json_get_int(call->input, "timeout_seconds", 0) > 0) {
        cv_notify_add(n, cv_mail_file(call, "temp"), &blind);
        cv_notify_add(n, (cv_where){call->root, cv_record_path(call->arena, "", "")}, &blind);
    }
    bool ok = wait_for_answer(call, n, &x, &err);
    return ok || (call->errs->count > 0 ? false : cv_call_fail(call, &err));
}
