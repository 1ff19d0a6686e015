/* wait.c - mail wait: until something new is in the mailbox, or the time is over.
 *
 * The mailbox remembers how far it was given out (`seen`), durably: what one wait has returned no other returns, after
 * a restart neither. A wait looks once, then sleeps until a file of the record is written, by whatever process, and
 * looks again if something was committed; where the engine cannot know that, it looks four times a second. Finding
 * something new is one write: it reads the messages and moves `seen` on, so of two who wait for one mailbox each gets
 * other messages.
 */
#include "base/monotonic.h"
#include "kit/destination.h"
#include "kit/kept_watch.h"
#include "mail/answer.h"
#include "mail/files.h"
#include "mail/operations.h"

enum { ROWS_AT_ONCE = 100, POLL_MS = 250, ASK_MS = 1000 /* whether the caller still waits */ };

typedef struct {
    cv_mail_agent agent;
    size_t limit;
    cv_row_list found; /* deliveries, new ones */
    int64_t after;     /* all up to here were seen, or looked at now */
    bool moved;        /* by this write */
    cv_mail_shown_list told;
} waiting;

typedef struct {
    cv_str agent;
    cv_mail_shown_list messages;
    int64_t cursor, claimable;
    bool timed_out;
} answer;

#define CV_THIS_TYPE answer
const cv_shape cv_mail_wait_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, agent, ""),
    CV_LIST("messages", messages.items, messages.count, cv_mail_shown_shape, "those that no wait has returned before"),
    CV_FIELD_AS(ALWAYS, "count", messages.count, ""),
    CV_FIELD(ALWAYS, cursor, "the last number that a wait has returned"),
    CV_FIELD(ALWAYS, claimable, "messages that can be claimed now, also those that a wait has returned before"),
    CV_FIELD(IF_ANY, timed_out, "nothing came"),
    {0},
};
#undef CV_THIS_TYPE

/* What is new behind `seen`. Expired and superseded ones are skipped. */
static bool look(cv_record *record, cv_arena *a, waiting *x, int64_t seen, int64_t now_ms, cv_err *err)
{
    cv_row_list rows;
    size_t wanted;
    x->found = (cv_row_list){.arena = a, .type = &cv_mail_delivery_type};
    x->after = seen;
    do {
        cv_mail_delivery like;
        wanted = x->limit - x->found.count < ROWS_AT_ONCE ? x->limit - x->found.count : ROWS_AT_ONCE;
        cv_row_clear(&cv_mail_delivery_type, &like);
        like.mailbox = x->agent.name;
        like.open = 1;
        like.seq = x->after;
        const cv_find find = {.type = &cv_mail_delivery_type,
                              .index = cv_deliveries_open,
                              .scope = cv_mail_scope(),
                              .like = &like,
                              .equal = 2,
                              .after = &like,
                              .limit = wanted};
        if (!cv_record_rows(record, a, &find, &rows, err))
            return false;
        for (size_t i = 0; i < rows.count; i++) {
            const cv_mail_delivery *d = rows.items[i];
            x->after = d->seq;
            if (cv_mail_state_at(d, now_ms) == CV_MAIL_NEW)
                *CV_PUSH(a, &x->found) = rows.items[i];
        }
    } while (rows.count == wanted && x->found.count < x->limit);
    return true;
}

/* Is there something new? Without a lock: nothing is promised yet. */
static bool peek(cv_call *call, waiting *x, int64_t *ret_seen, cv_err *err)
{
    cv_mail_mailbox mailbox;
    bool found;
    if (!cv_mail_mailbox_get(call->record, call->arena, x->agent.name, &mailbox, &found, err))
        return false;
    *ret_seen = found ? mailbox.seen : 0;
    return look(call->record, call->arena, x, *ret_seen, cv_mail_now(call), err);
}

/* Hands it out: the mailbox has seen it from now on. */
static bool hand_out(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    waiting *x = ctx;
    cv_mail_mailbox stored;
    bool found;
    if (!cv_mail_mailbox_get(o->record, o->arena, x->agent.name, &stored, &found, &o->err) ||
        !look(o->record, o->arena, x, found ? stored.seen : 0, o->now_ms, &o->err))
        return cv_mail_fail(o);
    x->moved = x->found.count > 0;
    if (x->moved) {
        cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &x->agent);
        if (!mailbox)
            return cv_mail_fail(o);
        if (!cv_mail_tell_all(o->call, &x->found, o->now_ms, &x->told, &o->err))
            return cv_mail_fail(o); /* what is handed out is read before that is written */
        mailbox->seen = x->after;
        cv_mail_event(o, CV_STR("mailbox"), x->agent.id, "seen")->step = x->after;
        cv_mail_sign(o, &x->agent, "wait");
    }
    *ret_result = cv_arena_printf(o->arena, "{\"cursor\":%lld}", (long long)x->after);
    return true;
}

/* Sleeps until the record may have changed. False: the time is over, or nobody waits for the answer any more. */
static bool sleep_on(cv_call *call, cv_notify *n, uint64_t *seen, int64_t begin, int64_t until, cv_err *err)
{
    cv_record *record = call->record;
    bool changed = false;
    for (;;) {
        int64_t now = cv_monotonic_ms(), poll = now + (*seen == 0 ? POLL_MS : ASK_MS);
        if (now >= until && !changed)
            return false;
        if (!cv_call_tell(call, (size_t)((now - begin) / 1000), (size_t)((until - begin) / 1000),
                          CV_STR("waiting for mail"), err))
            return false; /* asked after each sleep, too: what comes now would be handed out to nobody */
        if (changed)
            return true;
        if (cv_notify_wait(n, poll < until ? poll : until) || *seen == 0)
            cv_mail_files_take(call);
        changed = record->calls->changed(record, seen);
    }
}

/* What was returned before and can be claimed again (a lease that is over, a failure, a requeue) is not new: a worker
 * learns of it by the number. */
static bool tell(cv_call *call, waiting *x, answer *a, cv_err *err)
{
    cv_mail_mailbox mailbox;
    bool found;
    if (!cv_mail_mailbox_get(call->record, call->arena, x->agent.name, &mailbox, &found, err) ||
        (found && !cv_mail_claimable_of(call->record, &mailbox, cv_mail_now(call), &a->claimable, err)))
        return cv_call_fail(call, err);
    a->messages = x->told;
    a->agent = x->agent.id;
    a->cursor = x->after;
    a->timed_out = x->told.count == 0;
    cv_buf_clear(call->out);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_wait_shape, a);
    return true;
}

/* `changed` is asked before the mailbox is looked at, so that a commit in between is not missed. */
static bool wait_for_mail(cv_call *call, waiting *x, cv_notify *n, cv_err *err)
{
    int64_t begin = cv_monotonic_ms(), seen_seq;
    int64_t until = begin + cv_json_get_int(call->input, "timeout_seconds", CV_MAIL_WAIT_SECONDS) * 1000;
    uint64_t seen = 0;
    call->record->calls->changed(call->record, &seen);
    const cv_arena mark = *call->arena;
    do {
        cv_arena_rewind(call->arena, mark);
        if (!peek(call, x, &seen_seq, err))
            return false;
        if (x->found.count == 0)
            continue;
        cv_buf_clear(call->out);
        if (!cv_mail_write(call, "mail wait", hand_out, x) || x->moved)
            return call->errs->count == 0;
    } while (sleep_on(call, n, &seen, begin, until, err));
    return err->code == CV_ERR_NONE;
}

bool cv_mail_op_wait(cv_call *call)
{
    cv_err err = {.arena = call->arena}, blind = {.arena = call->arena};
    waiting x = {.limit = (size_t)cv_json_get_int(call->input, "limit", CV_MAIL_PAGE)};
    answer a = {0};
    if (!cv_mail_actor(call, "agent", &x.agent))
        return false;
    cv_mail_sign_alone(call, &x.agent, "wait");
    cv_notify *n = cv_kept_watch(call->record);
    if (call->root)
        cv_notify_add(n, (cv_where){call->root, cv_record_path(call->arena, "", "")}, &blind);
    cv_mail_files_watch(call, n);
    bool ok = wait_for_mail(call, &x, n, &err);
    if (!ok)
        return call->errs->count > 0 ? false : cv_call_fail(call, &err);
    return tell(call, &x, &a, &err);
}
