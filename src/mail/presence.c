/* presence.c - signs of life: who is there, derived from when an agent was last seen and what it does; see writing.h.
 *
 *     offline   no sign of life for five minutes, or never one
 *     busy      it holds a lease that is not over
 *     idle      its last act was to wait, and nothing is waiting for it
 *     online    else
 *
 * Whatever an agent does in this room is a sign of life; not so a request that can only look and names nobody: a person
 * opens all mailboxes in a browser. It is kept in a volatile row: with the write where there is one, else by itself, at
 * most every ten seconds.
 */
#include "mail/room.h"
#include "mail/writing.h"

static bool presence_get(cv_record *record, cv_arena *a, cv_str agent, cv_mail_presence *ret, bool *ret_found,
                         cv_err *err)
{
    cv_row_clear(&cv_mail_presence_type, ret);
    ret->agent = agent;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_presence_type, ret, ret_found, err);
}

/* Two programs that act as one agent take each other's messages: the second one should know. */
static void warn_of_second(cv_mail_writing *o, const cv_mail_agent *agent)
{
    cv_str session = cv_json_get_text(o->call->input, "session");
    cv_mail_presence last;
    cv_err ignored = {.arena = o->arena};
    bool found;
    if (!session.p || !presence_get(o->record, o->arena, agent->name, &last, &found, &ignored) || !found ||
        !last.session.p || cv_str_eq(last.session, session) ||
        last.last_seen + (int64_t)CV_MAIL_SILENCE_SECONDS * 1000 < o->now_ms)
        return;
    cv_notice_add(
        &o->warnings, o->arena, CV_STR("second_session"),
        "'%.*s' is also at work in the session '%.*s', last seen at %.*s: each message goes to one of the two",
        CV_FMT(agent->id), CV_FMT(last.session), CV_FMT(cv_mail_time(o->arena, last.last_seen)));
}

void cv_mail_acts(cv_mail_writing *o, cv_str id)
{
    if (o->call->who.name.p || !id.p)
        return;
    o->w->agent = id;
    o->w->standing = CV_STR("claimed");
}

void cv_mail_sign(cv_mail_writing *o, const cv_mail_agent *agent, const char *act)
{
    warn_of_second(o, agent);
    cv_mail_acts(o, agent->id);
    o->alive = agent;
    o->act = act;
}

/* A record that cannot be written is read anyway, and a post office that nobody has written to yet has no place for a
 * sign. */
void cv_mail_sign_alone(cv_call *call, const cv_mail_agent *agent, const char *act)
{
    cv_mail_presence last;
    cv_err ignored = {.arena = call->arena};
    bool found, is_other = call->who.name.p && !cv_str_eq_nocase(call->who.name, agent->name);
    int64_t now = cv_mail_now(call);
    if (agent->is_word || is_other || (call->looks_on && !call->who.name.p) || cv_agent_is_removed(&agent->row) ||
        !presence_get(call->record, call->arena, agent->name, &last, &found, &ignored) ||
        (found && cv_str_eq(last.act, cv_str_of(act)) && last.last_seen + CV_MAIL_SIGN_SECONDS * 1000 > now))
        return;
    const cv_mail_presence sign = {.agent = agent->name,
                                   .last_seen = now,
                                   .session = cv_json_get_text(call->input, "session"),
                                   .act = cv_str_of(act)};
    const cv_rows rows = {&cv_mail_presence_type, &sign, 1};
    call->record->calls->keep(call->record, cv_mail_scope(), &rows, &ignored);
}

typedef struct {
    cv_str agent;
    size_t count;
} planning;

static bool count_task(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    planning *p = ctx;
    const cv_mail_task *t = row;
    (void)scope, (void)err;
    p->count +=
        !t->message_id.p && cv_str_eq(t->status, CV_STR("PENDING")) && cv_str_eq_nocase(t->target_agent, p->agent);
    return true;
}

bool cv_mail_undone(const cv_call *call, cv_str agent, cv_str *ret_what, cv_err *err)
{
    cv_mail_mailbox mailbox;
    bool found;
    planning p = {.agent = agent};
    const cv_find find = {.type = &cv_mail_task_type, .scope = cv_mail_scope(), .outline = true};
    if (!cv_mail_mailbox_get(call->record, call->arena, agent, &mailbox, &found, err) ||
        !call->record->calls->find(call->record, &find, count_task, &p, err))
        return false;
    int64_t waiting = 0;
    cv_buf text = {0};
    if (found && !cv_mail_waiting_of(call->record, &mailbox, cv_mail_now(call), &waiting, err))
        return false;
    if (waiting > 0)
        cv_buf_printf(&text, "%lld message%s in its mailbox %s not finished", (long long)waiting,
                      waiting == 1 ? "" : "s", waiting == 1 ? "is" : "are");
    if (p.count > 0)
        cv_buf_printf(&text, "%s%zu task%s for it wait%s for others", text.n ? ", and " : "", p.count,
                      p.count == 1 ? "" : "s", p.count == 1 ? "s" : "");
    *ret_what = cv_buf_take(&text, call->arena);
    return true;
}

/* A lease of this mailbox that is over later than now. */
static bool holds_lease(cv_record *record, cv_arena *a, cv_str agent, int64_t now_ms, bool *ret_holds, cv_err *err)
{
    cv_row_list found = {0};
    cv_mail_delivery like;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = agent;
    like.lease_until = now_ms;
    like.seq = INT64_MAX >> 11;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = cv_deliveries_by_lease,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1,
                          .after = &like,
                          .limit = 1,
                          .outline = true};
    if (!cv_record_rows(record, a, &find, &found, err))
        return false;
    *ret_holds = found.count > 0;
    return true;
}

bool cv_mail_life_of(cv_record *record, cv_arena *a, cv_str agent, int64_t now_ms, cv_mail_life *ret, cv_err *err)
{
    cv_mail_presence last;
    cv_mail_mailbox mailbox;
    bool found, has_mailbox, holds = false;
    *ret = (cv_mail_life){.status = CV_STR("offline")};
    if (!presence_get(record, a, agent, &last, &found, err))
        return false;
    if (!found)
        return true;
    ret->last_seen = cv_mail_time(a, last.last_seen);
    if (last.last_seen + (int64_t)CV_MAIL_SILENCE_SECONDS * 1000 < now_ms)
        return true;
    if (!holds_lease(record, a, agent, now_ms, &holds, err) ||
        !cv_mail_mailbox_get(record, a, agent, &mailbox, &has_mailbox, err))
        return false;
    int64_t waiting = 0;
    bool waits = cv_str_eq(last.act, CV_STR("wait"));
    if (waits && has_mailbox && !cv_mail_waiting_of(record, &mailbox, now_ms, &waiting, err))
        return false;
    waits = waits && waiting == 0;
    ret->status = holds ? CV_STR("busy") : waits ? CV_STR("idle") : CV_STR("online");
    return true;
}
