/* claim.c - working on mail: claim, done, fail, requeue.
 *
 *     claim    the most urgent message that can be claimed; or a certain one. The lease has a token: a number that
 *              grows with every claim, so that a late agent is known to be late
 *     done     only with the token of a lease that is not over
 *     fail     the same; the message can be claimed again, until it was claimed three times: then it is a dead letter
 *     requeue  a dead, failed or expired one is new again
 *
 * Whether a lease is over is judged by the store's clock, under the lock: of two who claim at the same time one gets
 * the message. What claim finds expired or used up on its way is settled in the same write: each delivery once.
 */
#include <assert.h>

#include "mail/answer.h"
#include "mail/log.h"
#include "mail/operations.h"
#include "mail/tasks.h"

enum { ROWS_AT_ONCE = 16 };

/* ---- what can be claimed ----------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_agent agent;
    cv_str wanted;           /* a certain message; absent: whichever comes first */
    cv_mail_delivery picked; /* message_id absent: none */
    bool telling;            /* of deliveries that were settled on the way */
    size_t settled;
    bool more; /* there may be more than were looked at */
    /* the answer */
    cv_str message_id, expires_at;
    int64_t seq, token;
    cv_mail_shown *told;
    cv_notices warnings;
} claiming;

static const char *settled_reason(cv_mail_state state)
{
    return state == CV_MAIL_DEAD ? "its lease ran out each time it was claimed" : NULL;
}

/* Time has settled it: it is written now. */
static bool settle_late(cv_mail_writing *o, claiming *c, const cv_mail_delivery *found, cv_mail_state state)
{
    assert(!cv_mail_states[state].claimable && "only time has settled it");
    cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &c->agent);
    cv_mail_delivery d = *found;
    if (!mailbox)
        return cv_mail_fail(o);
    if (!c->telling)
        cv_mail_event(o, CV_STR("mailbox"), c->agent.id, "settled");
    c->telling = true;
    c->settled++;
    d.reason = settled_reason(state) ? cv_str_of(settled_reason(state)) : d.reason;
    if (cv_mail_state_of(d.state) == CV_MAIL_CLAIMED)
        d.token = CV_ABSENT; /* the agent that held it did not finish it, and cannot any more */
    cv_mail_delivery *put = cv_mail_settle(o, mailbox, &d, state);
    cv_mail_change(o, put);
    return cv_mail_task_follow(o, put, NULL);
}

static bool comes_first(const cv_mail_delivery *x, const cv_mail_delivery *y)
{
    return !y->message_id.p || x->priority < y->priority || (x->priority == y->priority && x->seq < y->seq);
}

/* Those that are new or failed, in their order: the first that has not expired. Or those whose lease is over, the
 * oldest lease first. */
static bool pick_by(cv_mail_writing *o, claiming *c, const cv_index *index)
{
    bool by_lease = index == cv_deliveries_by_lease;
    assert(by_lease || index == cv_deliveries_by_turn);
    cv_mail_delivery like;
    const cv_mail_delivery *last = NULL;
    cv_row_list rows;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = c->agent.name;
    do {
        const cv_find find = {.type = &cv_mail_delivery_type,
                              .index = index,
                              .scope = cv_mail_scope(),
                              .like = &like,
                              .equal = 1,
                              .after = last,
                              .limit = last ? ROWS_AT_ONCE : 1};
        if (!cv_record_rows(o->record, o->arena, &find, &rows, &o->err))
            return cv_mail_fail(o);
        for (size_t i = 0; i < rows.count; i++) {
            last = rows.items[i];
            if (by_lease && last->lease_until > o->now_ms)
                return true;
            cv_mail_state state = cv_mail_state_at(last, o->now_ms);
            if (cv_mail_states[state].claimable) {
                c->picked = comes_first(last, &c->picked) ? *last : c->picked;
                return true;
            }
            if (!settle_late(o, c, last, state))
                return false;
        }
        c->more = c->settled >= CV_MAIL_MAX_SETTLED;
    } while (rows.count > 0 && !c->more);
    return true;
}

/* ---- a certain message ------------------------------------------------------------------------------------------- */

static bool refuse_unknown(cv_call *call, cv_str id, cv_str agent)
{
    cv_err *fault =
        cv_refuse(call, CV_ERR_MESSAGE_NOT_FOUND, CV_STR(""), "message_id", id,
                  "the mailbox of '%.*s' has no message '%.*s'", CV_FMT(agent), CV_FMT(cv_excerpt(call->arena, id)));
    if (cv_mail_has_task(call, id)) {
        cv_err_suggest(fault, CV_STR("this is the id of a task: give it as task_id"));
        return false;
    }
    cv_err_operation(fault, CV_STR("mail inbox"));
    cv_err_suggest(fault, CV_STR("lists the messages of an agent"));
    return false;
}

static bool refuse_settled(cv_mail_writing *o, const cv_mail_delivery *d, cv_mail_state state)
{
    assert(!cv_mail_states[state].open);
    cv_err *fault = cv_refuse(o->call, CV_ERR_MESSAGE_SETTLED, CV_STR(""), "message_id", d->message_id,
                              "the message '%.*s' is %.*s", CV_FMT(d->message_id), CV_FMT(cv_mail_states[state].word));
    if (state == CV_MAIL_SUPERSEDED)
        cv_err_suggest(fault, cv_arena_printf(o->arena, "do '%.*s' instead", CV_FMT(d->superseded_by)));
    else if (state == CV_MAIL_DONE)
        cv_err_suggest(fault, CV_STR("its output does not change: send a message with the addition"));
    else {
        cv_err_operation(fault, CV_STR("mail requeue"));
        cv_err_suggest(fault, CV_STR("makes it new again"));
    }
    return false;
}

static bool pick_named(cv_mail_writing *o, claiming *c, cv_str id)
{
    bool found;
    if (!cv_mail_delivery_find(o->record, o->arena, c->agent.name, id, &c->picked, &found, &o->err))
        return cv_mail_fail(o);
    if (!found)
        return refuse_unknown(o->call, id, c->agent.id);
    cv_mail_state state = cv_mail_state_at(&c->picked, o->now_ms);
    if (cv_mail_states[state].claimable)
        return true;
    if (state != CV_MAIL_CLAIMED)
        return refuse_settled(o, &c->picked, state);
    cv_err_suggest(cv_refuse(o->call, CV_ERR_MESSAGE_CLAIMED, CV_STR(""), "message_id", id,
                             "the message '%.*s' is claimed until %.*s", CV_FMT(id),
                             CV_FMT(cv_mail_time(o->arena, c->picked.lease_until))),
                   CV_STR("finish it with the token of that claim, or wait until the lease is over"));
    return false;
}

/* ---- claim ------------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE claiming
static const cv_shape claimed_shape[] = {
    CV_FIELD_AS(ALWAYS, "agent", agent.name, ""),
    CV_FIELD(ALWAYS, seq, ""),
    CV_FIELD(ALWAYS, token, ""),
    CV_FIELD(ALWAYS, expires_at, ""),
    CV_FIELD(IF_ANY, settled, ""),
    CV_FIELD(IF_ANY, more, ""),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    {0},
};
#undef CV_THIS_TYPE

static bool take_lease(cv_mail_writing *o, claiming *c)
{
    assert(c->picked.message_id.p && "there is something to claim");
    int64_t lease = cv_json_get_int(o->call->input, "lease_seconds", CV_MAIL_LEASE_SECONDS);
    cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &c->agent);
    cv_mail_delivery d = c->picked;
    if (!mailbox)
        return cv_mail_fail(o);
    d.attempts++;
    d.token = o->w->at.rev + 1; /* grows with every write: no two claims have the same */
    d.lease_until = o->now_ms + lease * 1000;
    d.session = cv_json_get_text(o->call->input, "session");
    cv_mail_event(o, CV_STR("message"), d.message_id, "claimed");
    cv_mail_delivery *put = cv_mail_settle(o, mailbox, &d, CV_MAIL_CLAIMED);
    cv_mail_change(o, put);
    c->picked = *put;
    c->message_id = d.message_id;
    c->seq = d.seq;
    c->token = d.token;
    c->expires_at = cv_mail_time(o->arena, d.lease_until);
    return cv_mail_task_follow(o, put, NULL);
}

/* The message as it is handed out, by the clock of the store or, of a request that was done before, of this machine. */
static bool tell_claimed(cv_call *call, const cv_mail_delivery *d, int64_t now_ms, cv_mail_shown **ret, cv_err *err)
{
    cv_mail_message m;
    cv_agent_row sender;
    bool found, known;
    if (!cv_mail_message_get(call->record, call->arena, d->message_id, &m, &found, err) ||
        !cv_agent_find(call->record, call->arena, m.sender, &sender, &known, err))
        return false;
    *ret = CV_NEW(call->arena, cv_mail_shown);
    **ret = cv_mail_tell(call->arena, &m, d, now_ms, 0);
    (*ret)->from = known ? sender.id : (*ret)->from;
    return true;
}

/* The stored answer has no message in it: it would be kept twice, and a redaction would have to find it. But it is read
 * before the commit: who has a lease must not learn of it too late. */
static bool claim(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    claiming *c = ctx;
    if (c->wanted.p ? !pick_named(o, c, c->wanted)
                    : !pick_by(o, c, cv_deliveries_by_turn) || !pick_by(o, c, cv_deliveries_by_lease))
        return false;
    cv_mail_sign(o, &c->agent, "claim");
    if (c->picked.message_id.p && !take_lease(o, c))
        return false;
    if (c->picked.message_id.p && !tell_claimed(o->call, &c->picked, o->now_ms, &c->told, &o->err))
        return cv_mail_fail(o);
    c->warnings = o->warnings;
    *ret_result = cv_shape_text(o->arena, claimed_shape, c);
    return true;
}

typedef struct {
    cv_mail_shown *message; /* NULL: there was nothing to claim */
    int64_t token, settled, rev;
    cv_str agent, expires_at, warnings;
    bool more, replayed, dry_run;
} claimed;

#define CV_THIS_TYPE claimed
const cv_shape cv_mail_claim_shape[] = {
    CV_SUCCESS,
    CV_OBJECT_AT(OR_NULL, "message", message, cv_mail_whole_shape, "null: there is nothing to claim"),
    CV_FIELD(IF_ANY, agent, "whose mailbox"),
    CV_FIELD(IF_ANY, token, "to be given to done and fail"),
    CV_FIELD(IF_ANY, expires_at, "when the lease is over"),
    CV_FIELD(IF_ANY, settled, "expired messages that were set aside"),
    CV_FIELD(IF_ANY, more, "there are more expired messages: claim again"),
    CV_JSON_AS(IF_ANY, ANY, "warnings", warnings, ""),
    CV_NUMBER(ALWAYS, "rev", rev, 0, CV_NO_LIMIT, "of the post office"),
    CV_FIELD(IF_ANY, replayed, "the same request was done before: its answer again"),
    CV_FIELD(IF_ANY, dry_run, "nothing was written"),
    {0},
};
#undef CV_THIS_TYPE

/* The answer with the message that was claimed: as the write returned it, or, of a request that was done before, as
 * it is now. */
static bool answer_claim(cv_call *call, cv_str stored, cv_str agent, cv_mail_shown *told)
{
    cv_err err = {.arena = call->arena};
    cv_json s;
    cv_mail_delivery d;
    bool found;
    if (!cv_json_parse(call->arena, stored, &s, &err))
        return cv_call_fail(call, &err);
    claimed answer = {.message = told,
                      .token = cv_json_get_int(&s, "token", 0),
                      .settled = cv_json_get_int(&s, "settled", CV_ABSENT),
                      .rev = cv_json_get_int(&s, "rev", 0),
                      .more = cv_json_get_true(&s, "more"),
                      .warnings = cv_json_get_json(call->arena, &s, "warnings"),
                      .dry_run = cv_json_get_true(&s, "dry_run")};
    if (answer.token > 0 && !told &&
        (!cv_mail_delivery_get(call->record, call->arena, cv_json_get_text(&s, "agent"), cv_json_get_int(&s, "seq", 0),
                               &d, &found, &err) ||
         !tell_claimed(call, &d, cv_mail_now(call), &answer.message, &err)))
        return cv_call_fail(call, &err);
    if (answer.token > 0) {
        answer.agent = agent;
        answer.expires_at = cv_json_get_text(&s, "expires_at");
        answer.replayed = cv_json_get_true(&s, "replayed");
    } else {
        answer.token = CV_ABSENT;
    }
    cv_buf_clear(call->out);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_claim_shape, &answer);
    return true;
}

bool cv_mail_op_claim(cv_call *call)
{
    claiming c = {0};
    return cv_mail_actor(call, "agent", &c.agent) && cv_mail_named_message(call, &c.wanted) &&
           cv_mail_write(call, "mail claim", claim, &c) &&
           answer_claim(call, cv_arena_copy(call->arena, cv_buf_str(call->out)), c.agent.id, c.told);
}

/* ---- done, fail -------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_agent agent;
    bool failed;        /* `fail`, not `done` */
    cv_str wanted;      /* the message */
    cv_str text;        /* output or error, JSON; absent: none */
    cv_mail_delivery d; /* as it is told */
    cv_str message_id, state;
    int64_t attempts_left;
    cv_mail_receipts delivered;
    cv_notices warnings;
} finishing;

#define CV_THIS_TYPE finishing
const cv_shape cv_mail_settled_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, message_id, ""),
    CV_FIELD_AS(ALWAYS, "agent", agent.id, ""),
    CV_FIELD_AS(ALWAYS, "seq", d.seq, ""),
    CV_WORD(ALWAYS, "state", state, &cv_mail_state_words, ""),
    CV_FIELD(IF_ANY, attempts_left, "how often it can be claimed again"),
    CV_LIST_WHEN(CV_IF_ANY, "delivered", delivered.items, delivered.count, cv_mail_receipt_shape,
                 "tasks that waited for this one"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static bool refuse_late(cv_mail_writing *o, const cv_mail_delivery *d, const char *why)
{
    cv_err *fault = cv_refuse(o->call, CV_ERR_LEASE_LOST, CV_STR(""), "token", CV_STR(""), "%s", why);
    cv_err_suggest(fault, cv_arena_printf(o->arena, "this result was not recorded: claim the message '%.*s' again",
                                          CV_FMT(d->message_id)));
    return false;
}

/* A token is the rev of its claim, so it tells which one could be meant: a later number, or any other one of a message
 * that was claimed once, never was a token of this message. */
static bool refuse_token(cv_mail_writing *o, const cv_mail_delivery *d, int64_t token)
{
    if (token < d->token && d->attempts > 1)
        return refuse_late(o, d, "the token is not that of the lease: somebody has claimed the message since");
    cv_err *fault =
        cv_refuse(o->call, CV_ERR_LEASE_LOST, CV_STR(""), "token", cv_arena_printf(o->arena, "%lld", (long long)token),
                  "%lld is not a token of the message '%.*s', which is claimed until %.*s", (long long)token,
                  CV_FMT(d->message_id), CV_FMT(cv_mail_time(o->arena, d->lease_until)));
    cv_err_suggest(fault, CV_STR("give the token that the claim answered; nothing is recorded"));
    return false;
}

/* May the holder of this token finish it? */
static bool holds(cv_mail_writing *o, const cv_mail_delivery *d, int64_t token)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    if (state == CV_MAIL_CLAIMED && d->token != token)
        return refuse_token(o, d, token);
    if (state == CV_MAIL_CLAIMED && d->lease_until <= o->now_ms)
        return refuse_late(
            o, d,
            cv_arena_printf(o->arena, "the lease was over at %.*s", CV_FMT(cv_mail_time(o->arena, d->lease_until))).p);
    if (state == CV_MAIL_CLAIMED)
        return true;
    if (!cv_mail_states[state].open)
        return refuse_settled(o, d, state);
    cv_err *fault = cv_refuse(o->call, CV_ERR_NOT_CLAIMED, CV_STR(""), "message_id", d->message_id,
                              "the message '%.*s' is %.*s, not claimed", CV_FMT(d->message_id), CV_FMT(d->state));
    cv_err_operation(fault, CV_STR("mail claim"));
    cv_err_suggest(fault, CV_STR("gives you a lease and its token"));
    return false;
}

/* The same outcome under the same token: it stands. */
static bool stands(const finishing *f, const cv_mail_delivery *d, int64_t token)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    bool ended = f->failed ? state == CV_MAIL_FAILED || state == CV_MAIL_DEAD : state == CV_MAIL_DONE;
    return ended && d->token == token && cv_str_eq(f->failed ? d->error : d->output, f->text);
}

/* A task that failed is not tried again by itself: its planner decides. */
static bool is_last(cv_mail_writing *o, cv_mail_delivery *d, bool *ret_last)
{
    bool is_task, final = cv_json_get_true(o->call->input, "final");
    if (!cv_mail_is_task(o, d, &is_task))
        return false;
    *ret_last = final || is_task || d->attempts >= CV_MAIL_MAX_ATTEMPTS;
    if (*ret_last)
        d->reason = final     ? CV_STR("it failed, and is not to be tried again")
                    : is_task ? CV_STR("the task failed")
                              : CV_STR("it failed each time it was claimed");
    return true;
}

static bool finish_held(cv_mail_writing *o, finishing *f, cv_mail_delivery *d)
{
    assert(cv_mail_state_of(d->state) == CV_MAIL_CLAIMED && "only what is claimed is finished");
    bool last = false;
    cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &f->agent);
    if (!mailbox)
        return cv_mail_fail(o);
    if (f->failed && !is_last(o, d, &last))
        return false;
    d->error = f->failed ? f->text : (cv_str){NULL, 0};
    d->output = f->failed ? d->output : f->text;
    cv_mail_event(o, CV_STR("message"), d->message_id, f->failed ? "failed" : "done");
    *d = *cv_mail_settle(o, mailbox, d, !f->failed ? CV_MAIL_DONE : last ? CV_MAIL_DEAD : CV_MAIL_FAILED);
    cv_mail_change(o, d);
    if (d->superseded_by.p)
        cv_notice_add(&o->warnings, o->arena, CV_STR("superseded"), "the message was superseded by '%.*s' meanwhile",
                      CV_FMT(d->superseded_by));
    return cv_mail_task_follow(o, d, &f->delivered);
}

static bool finish(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    finishing *f = ctx;
    int64_t token = cv_json_get_int(o->call->input, "token", 0);
    bool found;
    if (!cv_mail_delivery_find(o->record, o->arena, f->agent.name, f->wanted, &f->d, &found, &o->err))
        return cv_mail_fail(o);
    if (!found)
        return refuse_unknown(o->call, f->wanted, f->agent.id);
    if (!stands(f, &f->d, token) && (!holds(o, &f->d, token) || !finish_held(o, f, &f->d)))
        return false;
    cv_mail_sign(o, &f->agent, f->failed ? "fail" : "done");
    f->message_id = f->d.message_id;
    f->state = f->d.state;
    f->attempts_left = cv_str_eq(f->state, CV_STR("failed")) ? CV_MAIL_MAX_ATTEMPTS - f->d.attempts : CV_ABSENT;
    f->warnings = o->warnings;
    *ret_result = cv_shape_text(o->arena, cv_mail_settled_shape, f);
    return true;
}

static bool finish_named(cv_call *call, const char *operation, finishing *f)
{
    if (!cv_mail_actor(call, "agent", &f->agent) || !cv_mail_named_message(call, &f->wanted) || call->errs->count > 0)
        return false;
    if (f->wanted.p)
        return cv_mail_write(call, operation, finish, f);
    cv_err *fault = cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "message_id", CV_STR(""),
                              "neither 'message_id' nor 'task_id' is given");
    cv_err_operation(fault, CV_STR("mail claim"));
    cv_err_suggest(fault, CV_STR("answers with both: give one of them"));
    return false;
}

bool cv_mail_op_done(cv_call *call)
{
    const cv_json *output = cv_json_get(call->input, CV_STR("output"));
    finishing f = {.failed = false};
    if (output && output->type == CV_JSON_OBJECT)
        f.text = cv_mail_raw(call, output);
    cv_mail_check_length(call, "output", f.text, CV_MAIL_SIZE);
    return finish_named(call, "mail done", &f);
}

/* It takes no message_id: who has one is sent to the operation that does. */
bool cv_mail_op_complete(cv_call *call)
{
    bool done = cv_mail_op_done(call);
    for (size_t i = 0; i < call->errs->count; i++) {
        cv_err *fault = &call->errs->items[i];
        if (fault->code == CV_ERR_TASK_NOT_FOUND && !fault->operation.n) {
            cv_err_operation(fault, CV_STR("mail done"));
            cv_err_suggest(fault, CV_STR("finishes a message by its message_id"));
        }
    }
    return done;
}

/* A text is {"message": text}, unless it is an object itself: a command line has texts only. */
static cv_str error_object(cv_call *call, const cv_json *given)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json inside;
    cv_err ignored = {.arena = call->arena};
    if (!given || given->type != CV_JSON_STRING)
        return given ? cv_mail_raw(call, given) : (cv_str){NULL, 0};
    if (cv_json_parse(call->arena, given->text, &inside, &ignored) && inside.type == CV_JSON_OBJECT)
        return given->text;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "message", given->text);
    cv_json_end_object(&w);
    return cv_buf_take(&text, call->arena);
}

bool cv_mail_op_fail(cv_call *call)
{
    finishing f = {.failed = true, .text = error_object(call, cv_json_get(call->input, CV_STR("error_details")))};
    cv_mail_check_length(call, "error_details", f.text, CV_MAIL_SIZE);
    return finish_named(call, "mail fail", &f);
}

/* ---- requeue ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str message_id;
    cv_str only; /* the mailbox; absent: all that have the message */
    cv_mail_receipts receipts;
} requeueing;

#define CV_THIS_TYPE requeueing
const cv_shape cv_mail_requeue_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, message_id, ""),
    CV_LIST("receipts", receipts.items, receipts.count, cv_mail_receipt_shape, "where it is new again"),
    CV_WRITTEN("post office"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* It begins again: nothing is counted against it, and it does not expire unless it is told to. */
static bool renew(cv_mail_writing *o, requeueing *r, const cv_mail_delivery *found)
{
    static const cv_str absent = {NULL, 0};
    int64_t seconds = cv_json_get_int(o->call->input, "expires_in", CV_ABSENT);
    const cv_mail_agent agent = {.name = found->mailbox};
    cv_mail_mailbox *mailbox = cv_mail_mailbox_of(o, &agent);
    cv_mail_delivery d = *found;
    if (!mailbox)
        return cv_mail_fail(o);
    d.attempts = 0;
    d.expires_ms = seconds == CV_ABSENT ? CV_ABSENT : o->now_ms + seconds * 1000;
    d.settled_at = d.claimed_at = d.reason = d.session = absent;
    if (r->receipts.count == 0)
        cv_mail_event(o, CV_STR("message"), d.message_id, "requeued")->reason =
            cv_json_get_text(o->call->input, "reason");
    cv_mail_delivery *put = cv_mail_settle(o, mailbox, &d, CV_MAIL_NEW);
    cv_mail_change(o, put);
    *CV_PUSH(o->arena, &r->receipts) = (cv_mail_receipt){
        .to = mailbox->agent_id, .state = cv_mail_receipt_of(put, mailbox, o->now_ms), .seq = put->seq};
    return cv_mail_task_follow(o, put, NULL);
}

/* No mailbox has it; the name of an agent in the place of the id is reported as such. */
static bool refuse_requeue(cv_call *call, cv_str id)
{
    cv_agent_row agent;
    cv_err ignored = {.arena = call->arena};
    bool is_agent = false;
    if (cv_agent_id_valid(id) && !cv_agent_find(call->record, call->arena, id, &agent, &is_agent, &ignored))
        is_agent = false;
    cv_err *fault = cv_refuse(call, CV_ERR_MESSAGE_NOT_FOUND, CV_STR(""), "message_id", id,
                              is_agent ? "'%.*s' is an agent, not a message" : "there is no message '%.*s'",
                              CV_FMT(cv_excerpt(call->arena, id)));
    cv_err_operation(fault, CV_STR("mail dead"));
    cv_err_suggest(fault, CV_STR("lists the messages that were given up, with their ids"));
    return false;
}

static bool requeue(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    requeueing *r = ctx;
    const cv_mail_delivery *other = NULL;
    cv_row_list rows;
    if (!cv_mail_deliveries_of(o->record, o->arena, r->message_id, &rows, &o->err))
        return cv_mail_fail(o);
    for (size_t i = 0; i < rows.count; i++) {
        const cv_mail_delivery *d = rows.items[i];
        if (r->only.p && !cv_str_eq(d->mailbox, r->only))
            continue;
        cv_mail_state state = cv_mail_state_at(d, o->now_ms);
        other = d;
        if ((state == CV_MAIL_DEAD || state == CV_MAIL_FAILED || state == CV_MAIL_EXPIRED) && !renew(o, r, d))
            return false;
    }
    if (!other && !r->only.p)
        return refuse_requeue(o->call, r->message_id);
    if (!other)
        return refuse_unknown(o->call, r->message_id, r->only);
    if (r->receipts.count == 0) {
        cv_refuse(o->call, CV_ERR_MESSAGE_SETTLED, CV_STR(""), "message_id", r->message_id,
                  "the message '%.*s' is %.*s: only dead, failed and expired messages can be new again",
                  CV_FMT(r->message_id), CV_FMT(cv_mail_states[cv_mail_state_at(other, o->now_ms)].word));
        return false;
    }
    cv_mail_significant_add(o, "OVERRIDE", o->call->who.name,
                            (cv_mail_detail[]){{"act", CV_STR("requeue")},
                                               {"message_id", r->message_id},
                                               {"reason", cv_json_get_text(o->call->input, "reason")}},
                            3);
    *ret_result = cv_shape_text(o->arena, cv_mail_requeue_shape, r);
    return true;
}

bool cv_mail_op_requeue(cv_call *call)
{
    requeueing r = {.message_id = cv_json_get_text(call->input, "message_id")};
    cv_mail_agent agent;
    if (cv_json_get(call->input, CV_STR("agent"))) {
        if (!cv_mail_whose(call, &agent))
            return false;
        r.only = agent.name;
    }
    return cv_mail_whole_id(call, "message_id", &r.message_id) && cv_mail_write(call, "mail requeue", requeue, &r);
}
