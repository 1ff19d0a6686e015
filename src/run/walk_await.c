/* walk_await.c - people and mailboxes, what an earlier runner left, and waiting; see walk.h.
 *
 * A mailbox agent gets a message `respond` with the prompt; its answer is any of
 *
 *     a reply to that message                          mail send --reply-to ID
 *     the outcome of the message, with a text in it    mail done … --output '{"body": "…"}'
 *     a response that it sends itself                  dialogue respond
 *
 * The message's id follows from the attempt, so it is sent once however often the runner is killed. What was killed
 * before it could send it is lost: another attempt follows. A message that its agent gives up brings no answer.
 */
#include <poll.h>

#include "base/monotonic.h"
#include "kit/request.h"
#include "record/hash.h"
#include "run/keep.h"
#include "run/walk.h"

enum { TICK_MS = 100 }; /* between two looks at the record and at signals */

#define RUNNER "conclave-run"

/* ---- mail ----------------------------------------------------------------------------------------------------------
 */

static void ask_room(cv_walk *w, const char *room, const char *verb, cv_str input, cv_reply *ret)
{
    cv_call own = *w->call;
    own.arena = &w->step;
    own.most = 0;
    own.follower = (cv_follower){0};
    cv_invoke(&own, cv_str_of(room), cv_str_of(verb), input, ret);
}

/* An agent that gets mail must be able to reply: without an identity the runner has a mailbox of its own. */
static bool be_addressable(cv_walk *w, cv_str *ret_from)
{
    cv_reply reply;
    *ret_from = w->call->who.name;
    if (ret_from->p)
        return true;
    *ret_from = CV_STR(RUNNER);
    ask_room(w, "agent", "add",
             CV_STR("{\"agent_id\":\"" RUNNER "\",\"summary\":\"mails prompts and awaits replies\",\"files\":false}"),
             &reply);
    return reply.done || cv_walk_fail(w, &reply.errs);
}

bool cv_walk_mail(cv_walk *w, cv_attempt_row *row, const cv_walk_call *asked)
{
    cv_buf out = {0};
    cv_json_writer json = {.out = &out};
    cv_str from;
    cv_reply reply;
    cv_calls_result failed = {.outcome = CV_CALL_NOT_STARTED, .exit_status = CV_ABSENT, .http_status = CV_ABSENT};
    if (asked->agent->reach.way == CV_REACH_HUMAN)
        return true;
    if (!be_addressable(w, &from))
        return false;
    cv_json_begin_object(&json);
    cv_json_key_str(&json, "from", from);
    cv_json_key_str(&json, "to", asked->agent->name);
    cv_json_key_str(&json, "message_id", row->message_id);
    cv_json_key_str(&json, "command", CV_STR("respond"));
    cv_json_key(&json, CV_STR("params"));
    cv_json_begin_object(&json);
    cv_json_key_str(&json, "body", asked->prompt);
    cv_json_key_str(&json, "dialogue_id", w->facts.dialogue_id);
    cv_json_key_int(&json, "round", row->round);
    cv_json_key_str(&json, "expert", row->who);
    cv_json_key_str(&json, "task", row->task);
    cv_json_end_object(&json);
    cv_json_end_object(&json);
    ask_room(w, "mail", "send", cv_buf_take(&out, &w->step), &reply);
    if (reply.done)
        return true;
    if (!cv_err_is_refusal(reply.errs.items[0].code))
        return cv_walk_fail(w, &reply.errs);
    failed.message = reply.errs.items[0].message;
    failed.tokens_in = failed.tokens_out = failed.cost = failed.retry_after_ms = failed.bytes = CV_ABSENT;
    return cv_walk_finish(w, row, &failed);
}

/* The text of a message or of an outcome: {"body": "…"}, or under another name that people use. */
static cv_str text_in(const cv_json *object)
{
    static const char *const names[] = {"body", "answer", "content", "response", "text"};
    for (size_t i = 0; i < CV_COUNT(names); i++)
        if (cv_json_get_text(object, names[i]).n)
            return cv_json_get_text(object, names[i]);
    return (cv_str){NULL, 0};
}

static cv_str message_input(cv_walk *w, cv_str message_id)
{
    cv_buf out = {0};
    cv_json_writer json = {.out = &out};
    cv_json_begin_object(&json);
    cv_json_key_str(&json, "message_id", message_id);
    cv_json_end_object(&json);
    return cv_buf_take(&out, &w->step);
}

/* What became of a message: the text that came for it, or why none will. */
typedef struct {
    bool sent;       /* false: the runner was killed before it could mail it */
    cv_str text;     /* empty: nothing came so far */
    cv_str given_up; /* why its agent does not answer; empty: it may still do so */
} mailed;

/* A text in a reply to this message; absent: there is none. */
static cv_str text_of_reply(cv_walk *w, cv_str message_id)
{
    cv_reply thread, message;
    ask_room(w, "mail", "thread", message_input(w, message_id), &thread);
    const cv_json *all = thread.done ? cv_json_get(&thread.json, CV_STR("messages")) : NULL;
    for (uint32_t i = 0; all && i < all->count; i++) {
        if (!cv_str_eq(cv_json_get_text(&all->items[i], "reply_to"), message_id))
            continue;
        ask_room(w, "mail", "read", message_input(w, cv_json_get_text(&all->items[i], "message_id")), &message);
        cv_str text = text_in(cv_json_get(cv_json_get(&message.json, CV_STR("message")), CV_STR("params")));
        if (message.done && text.n)
            return text;
    }
    return (cv_str){NULL, 0};
}

/* "dead: it failed, and is not to be tried again: no idea" */
static cv_str why_given_up(cv_walk *w, const cv_json *message)
{
    static const cv_str over[] = {CV_STR_INIT("dead"), CV_STR_INIT("expired"), CV_STR_INIT("superseded")};
    cv_str state = cv_json_get_text(message, "state"), reason = cv_json_get_text(message, "reason"),
           details = cv_json_get_text(cv_json_get(message, CV_STR("error_details")), "message");
    if (cv_words_find((cv_words){over, CV_COUNT(over)}, state) < 0)
        return CV_STR("");
    return cv_arena_printf(&w->step, "the message to it is %.*s%s%.*s%s%.*s", CV_FMT(state), reason.n ? ": " : "",
                           CV_FMT(reason), details.n ? ": " : "", CV_FMT(details));
}

static bool look_for_mail(cv_walk *w, const cv_attempt_row *row, mailed *ret)
{
    cv_reply reply;
    ask_room(w, "mail", "read", message_input(w, row->message_id), &reply);
    const cv_json *message = cv_json_get(&reply.json, CV_STR("message"));
    *ret = (mailed){.sent = reply.done};
    if (!reply.done)
        return cv_err_is_refusal(reply.errs.items[0].code) || cv_walk_fail(w, &reply.errs);
    ret->text = text_of_reply(w, row->message_id);
    ret->text = ret->text.n ? ret->text : text_in(cv_json_get(message, CV_STR("output")));
    ret->given_up = why_given_up(w, message);
    return true;
}

/* ---- those who are awaited -----------------------------------------------------------------------------------------
 */

static int64_t waited_ms(const cv_walk *w, const cv_attempt_row *row)
{
    int64_t began;
    return cv_time_parse(row->started_at, &began) ? w->call->clock.now_ms(w->call->clock.ctx) - began : 0;
}

static bool is_started(const cv_attempt_row *row)
{
    return cv_str_eq(row->state, cv_attempt_words.items[CV_ATTEMPT_STARTED]);
}

static bool is_reach(const cv_attempt_row *row, cv_reach_way way)
{
    return cv_str_eq(row->reach, cv_reach_words.items[way]);
}

/* An attempt that ended without a call of ours. */
static cv_calls_result ended(const cv_walk *w, const cv_attempt_row *row, cv_calls_outcome outcome, cv_str answer)
{
    return (cv_calls_result){.outcome = outcome,
                             .answer = answer,
                             .exit_status = CV_ABSENT,
                             .http_status = CV_ABSENT,
                             .tokens_in = CV_ABSENT,
                             .tokens_out = CV_ABSENT,
                             .cost = CV_ABSENT,
                             .retry_after_ms = CV_ABSENT,
                             .duration_ms = waited_ms(w, row),
                             .bytes = answer.p ? (int64_t)answer.n : CV_ABSENT};
}

/* The text goes to the file of the attempt first, as that of a call does. */
static bool take_reply(cv_walk *w, cv_attempt_row *row, cv_str text)
{
    cv_err err = {.arena = w->call->arena};
    cv_calls_result result = ended(w, row, CV_CALL_ANSWERED, text);
    result.answer_hash = cv_hash_text(&w->step, text);
    if (!cv_keep_answer(&w->step, cv_walk_path(w, row), &result, &err))
        return cv_call_fail(w->call, &err);
    return cv_walk_finish(w, row, &result);
}

static bool has_responded(const cv_walk *w, const cv_attempt_row *row)
{
    if (row->round < w->facts.next_round)
        return true;
    for (size_t i = 0; i < w->facts.seat_count; i++)
        if (cv_str_eq(w->facts.seats[i].slug, row->who))
            return w->facts.seats[i].responded;
    return false;
}

/* It is in the record already: sent from elsewhere, or the round went on without it. */
static bool end_elsewhere(cv_walk *w, cv_attempt_row *row)
{
    bool late = row->round < w->facts.next_round;
    row->state = cv_attempt_words.items[late ? CV_ATTEMPT_LOST : CV_ATTEMPT_ANSWERED];
    row->message = late ? CV_STR("the round was registered without it") : CV_STR("it was sent");
    row->duration_ms = waited_ms(w, row);
    row->output = (cv_str){NULL, 0};
    return cv_walk_end_attempts(w, &row, 1);
}

static int64_t patience_of(const cv_walk *w, const cv_attempt_row *row)
{
    if (w->settings->timeout_ms)
        return w->settings->timeout_ms;
    for (size_t i = 0; i < w->settings->agents.count; i++)
        if (cv_str_eq(w->settings->agents.items[i]->name, row->agent))
            return w->settings->agents.items[i]->reach.timeout_ms;
    return 0;
}

/* Its call is gone with its runner: another attempt follows. */
static bool lose(cv_walk *w, cv_attempt_row *row, cv_str message)
{
    row->state = cv_attempt_words.items[CV_ATTEMPT_LOST];
    row->message = message;
    return cv_walk_end_attempts(w, &row, 1);
}

static bool end_without_answer(cv_walk *w, cv_attempt_row *row, cv_calls_outcome outcome, cv_str message)
{
    cv_calls_result result = ended(w, row, outcome, (cv_str){NULL, 0});
    result.message = message;
    return cv_walk_finish(w, row, &result);
}

/* `first`: an earlier runner may have left it. */
static bool look_at(cv_walk *w, cv_attempt_row *row, bool first)
{
    bool response = cv_str_eq(row->task, cv_task_words.items[CV_TASK_RESPONSE]);
    mailed mail = {.sent = true};
    if (response && has_responded(w, row))
        return end_elsewhere(w, row);
    if (is_reach(row, CV_REACH_MAILBOX) && !look_for_mail(w, row, &mail))
        return false;
    if (mail.text.n)
        return take_reply(w, row, mail.text);
    if (!mail.sent && first)
        return lose(w, row, CV_STR("the runner ended before the prompt was mailed"));
    if (mail.given_up.n)
        return end_without_answer(w, row, CV_CALL_REFUSED, mail.given_up);
    int64_t patience = patience_of(w, row);
    return patience == 0 || waited_ms(w, row) < patience ||
           end_without_answer(w, row, CV_CALL_TIMEOUT, CV_STR("there was no answer in time"));
}

/* ---- what an earlier runner left -----------------------------------------------------------------------------------
 */

/* A whole answer is taken in, anything else is lost. */
static bool recover(cv_walk *w, cv_attempt_row *row)
{
    cv_err err = {.arena = w->call->arena};
    cv_calls_result result;
    bool found = false;
    if (!cv_calls_recover(&w->step, cv_walk_path(w, row), &result, &found, &err))
        return cv_call_fail(w->call, &err);
    return found ? cv_walk_finish(w, row, &result)
                 : lose(w, row, CV_STR("the runner ended before the answer was whole"));
}

bool cv_walk_look_around(cv_walk *w, bool first)
{
    for (size_t i = 0; i < w->run_rows.attempts.count; i++) {
        cv_attempt_row *row = &w->run_rows.attempts.items[i];
        bool awaited = is_reach(row, CV_REACH_MAILBOX) || is_reach(row, CV_REACH_HUMAN);
        if (!is_started(row))
            continue;
        if (awaited ? !look_at(w, row, first) : first && !recover(w, row))
            return false;
    }
    return true;
}

/* ---- waiting -------------------------------------------------------------------------------------------------------
 */

/* Only somebody at a terminal or in the dashboard can go on: what is there to type? */
static void say_what_to_type(cv_walk *w)
{
    cv_call *call = w->call;
    cv_str id = w->facts.dialogue_id, round = cv_arena_printf(&w->step, "%lld", (long long)w->facts.next_round), line;
    cv_err ignored = {.arena = call->arena};
    cv_buf all = {0};
    for (size_t i = 0; i < w->facts.seat_count; i++) {
        const cv_argument arguments[] = {{"round", round, CV_ARGUMENT_JSON},
                                         {"expert", w->facts.seats[i].slug, CV_ARGUMENT_TEXT},
                                         {"content", CV_STR("@FILE"), CV_ARGUMENT_COMMAND},
                                         {"content", CV_STR("\"…\""), CV_ARGUMENT_TOOL}};
        if (w->folded[i].state != CV_SEAT_RUNNING || !w->folded[i].awaited)
            continue;
        line = cv_call_name(call, CV_STR("dialogue respond"), id, arguments, CV_COUNT(arguments));
        cv_buf_printf(&all, "%s%.*s", all.n ? "\n" : "", CV_FMT(line));
    }
    if (!all.n && cv_plan_part(&w->plan) == CV_PART_JUDGING) {
        const cv_argument arguments[] = {{"round", round, CV_ARGUMENT_JSON},
                                         {"use_draft", CV_STR("true"), CV_ARGUMENT_JSON},
                                         {"expert_scores", CV_STR("'{\"SLUG\": N}'"), CV_ARGUMENT_COMMAND},
                                         {"summary", CV_STR("TEXT"), CV_ARGUMENT_COMMAND}};
        cv_buf_add(&all, cv_call_name(call, CV_STR("dialogue round-register"), id, arguments, CV_COUNT(arguments)));
    } else if (!all.n) {
        const cv_argument arguments[] = {{"verdict_id", CV_STR("final"), CV_ARGUMENT_TEXT},
                                         {"verdict_type", CV_STR("final"), CV_ARGUMENT_TEXT}};
        cv_buf_add(&all, cv_call_name(call, CV_STR("dialogue verdict-register"), id, arguments, CV_COUNT(arguments)));
    }
    w->run_rows.run.state = cv_run_words.items[CV_RUN_WAITING];
    w->run_rows.run.message = cv_buf_take(&all, w->arena);
    cv_run_rows_change(&w->run_rows, "waiting", &ignored);
    cv_str quoted = cv_walk_json_text(w, w->run_rows.run.message);
    cv_walk_tell(w, "waiting", cv_arena_printf(&w->step, "\"type\":%.*s", CV_FMT(quoted)),
                 "waiting; to continue, type:\n%.*s", CV_FMT(w->run_rows.run.message));
}

/* Has somebody committed something? Then the facts may be others, and somebody may want the run to stop. */
static bool hear_changes(cv_walk *w)
{
    cv_err err = {.arena = w->call->arena};
    bool awaits = w->settings->judge == CV_JUDGE_HUMAN;
    if (!cv_run_rows_renew(&w->run_rows, &err))
        return cv_call_fail(w->call, &err);
    for (size_t i = 0; i < w->facts.seat_count; i++)
        awaits = awaits || (w->folded[i].awaited && w->folded[i].state == CV_SEAT_RUNNING);
    if (!w->call->record->calls->changed(w->call->record, &w->seen) && w->seen)
        return true;
    if (!cv_run_rows_look(&w->run_rows, &err))
        return cv_call_fail(w->call, &err);
    w->stale = w->stale || awaits;
    return true;
}

static bool one_tick(cv_walk *w, int64_t left)
{
    int wait = left < TICK_MS ? left < 0 ? 0 : (int)left : TICK_MS;
    if (cv_calls_running(w->calls))
        return cv_walk_take_results(w, wait);
    poll(NULL, 0, wait);
    return true;
}

bool cv_walk_wait(cv_walk *w, const cv_step *step)
{
    cv_err err = {.arena = w->call->arena};
    size_t done = 0;
    int64_t now = w->call->clock.now_ms(w->call->clock.ctx), left = step->until_ms - now;
    for (size_t i = 0; i < w->facts.seat_count; i++)
        done += w->folded[i].state == CV_SEAT_DONE;
    if (step->for_human && !w->said_waiting) {
        say_what_to_type(w);
        w->said_waiting = true;
    } else if (!step->for_human) {
        w->said_waiting = false;
    }
    cv_walk_draw(w, false);
    if (!cv_call_tell(w->call, done, w->facts.seat_count, CV_STR("answers"), &err)) {
        w->interrupted = true;
        return true;
    }
    return one_tick(w, step->until_ms == INT64_MAX ? TICK_MS : left) && hear_changes(w) &&
           cv_walk_look_around(w, false);
}
