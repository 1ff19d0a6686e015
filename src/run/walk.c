/* walk.c - a run under way: the loop; see walk.h. */
#include "run/walk.h"

#include <assert.h>

#include "base/clock.h"
#include "base/monotonic.h"
#include "kit/fault.h"
#include "kit/request.h"

/* ---- shared --------------------------------------------------------------------------------------------------------
 */

bool cv_walk_fail(cv_walk *w, const cv_errs *errs)
{
    for (size_t i = 0; i < errs->count; i++)
        cv_errs_keep(w->call->errs, w->call->arena, &errs->items[i]);
    return false;
}

cv_str cv_walk_op(cv_walk *w, int64_t round, cv_str who, int64_t attempt, const char *what)
{
    return cv_arena_printf(&w->step, "run/%.*s/%lld/%.*s/%lld%s%s", CV_FMT(w->facts.dialogue_id), (long long)round,
                           CV_FMT(who), (long long)attempt, *what ? "/" : "", what);
}

cv_attempt_row *cv_walk_row(cv_walk *w, int64_t round, cv_str who, int64_t attempt)
{
    for (size_t i = 0; i < w->run_rows.attempts.count; i++) {
        cv_attempt_row *row = &w->run_rows.attempts.items[i];
        if (row->round == round && row->attempt == attempt && cv_str_eq(row->who, who))
            return row;
    }
    return NULL;
}

cv_str cv_walk_faults(cv_arena *a, const cv_errs *errs)
{
    cv_buf out = {0};
    for (size_t i = 0; i < errs->count; i++) {
        const cv_err *e = &errs->items[i];
        cv_buf_printf(&out, "- %.*s%s%.*s", CV_FMT(e->field), e->field.n ? ": " : "", CV_FMT(e->message));
        for (size_t k = 0; k < e->option_count; k++)
            cv_buf_printf(&out, "%s%.*s", k ? ", " : "; valid: ", CV_FMT(e->options[k]));
        cv_buf_printf(&out, "%s%.*s\n", e->suggestion.n ? "; " : "", CV_FMT(e->suggestion));
    }
    return cv_buf_take(&out, a);
}

/* ---- how it stands -------------------------------------------------------------------------------------------------
 */

/* One fault for all of them. A dialogue that was run before has a command that names its agents. */
static void refuse_unseated(cv_walk *w)
{
    cv_call *call = w->call;
    cv_buf names = {0};
    cv_run_rows before;
    cv_err err = {.arena = call->arena};
    size_t count = 0;
    if (!cv_run_rows_open(&before, call, call->arena, w->settings->dialogue_id, &err)) {
        cv_call_fail(call, &err);
        return;
    }
    for (size_t i = 0; i < w->facts.seat_count; i++)
        if (!w->seats[i].agent)
            cv_buf_printf(&names, "%s%.*s", count++ ? ", " : "", CV_FMT(w->facts.seats[i].slug));
    cv_str all = cv_buf_take(&names, call->arena);
    cv_err *fault = cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "agent", all,
                              "no agent answers for the expert%s %.*s", CV_PLURAL(count), CV_FMT(all));
    cv_str again = cv_call_name(call, CV_STR("run status"), w->settings->dialogue_id, NULL, 0);
    cv_str known = before.exists
                       ? cv_arena_printf(call->arena, "'%.*s' has the whole command that continues; or ", CV_FMT(again))
                       : CV_STR("");
    cv_err_suggest(fault, cv_arena_printf(call->arena,
                                          "%.*sgive --agent COMMAND for the whole panel, or --agents FILE with a seat "
                                          "for each (docs/run.md)",
                                          CV_FMT(known)));
}

static bool read_facts(cv_walk *w)
{
    bool seated = true;
    cv_arena old = w->facts_arena;
    size_t before = w->call->errs->count;
    w->facts_arena = (cv_arena){0};
    bool ok = cv_facts_read(w->call, &w->facts_arena, w->settings->dialogue_id, &w->facts, w->call->errs);
    w->seats = CV_NEW_ARRAY(&w->facts_arena, w->facts.seat_count, cv_walk_seat);
    w->folded = CV_NEW_ARRAY(&w->facts_arena, w->facts.seat_count, cv_seat);
    for (size_t i = 0; ok && i < w->facts.seat_count; i++) {
        const cv_fact_seat *fact = &w->facts.seats[i];
        w->seats[i] = (cv_walk_seat){fact, cv_setup_agent(w->settings, fact->slug, fact->role, fact->tier)};
        seated = seated && w->seats[i].agent;
    }
    if (!seated && w->call->errs->count == before)
        refuse_unseated(w);
    cv_arena_release(&old);
    w->stale = false;
    return ok && w->call->errs->count == before;
}

static cv_seat fold(cv_walk *w, int64_t round, cv_str who, cv_run_task task, const cv_run_agent *agent, bool done)
{
    cv_attempts all = cv_run_rows_of(&w->run_rows, round, who, task);
    int faulty = task == CV_TASK_RESPONSE || w->settings->judge_named ? CV_MOST_FAULTY : CV_MOST_UNREADABLE;
    cv_seat seat = cv_seat_fold(&w->step, all.items, all.count, &cv_retry_usual, faulty, w->settings->since_rev, done);
    seat.awaited = agent && (agent->reach.way == CV_REACH_HUMAN || agent->reach.way == CV_REACH_MAILBOX);
    return seat;
}

/* Why nothing can be decided, in the judge's words: then it is not asked again. Empty: it did not say so. */
static cv_str why_undecided(cv_walk *w)
{
    cv_json object;
    cv_err ignored = {.arena = &w->step};
    cv_attempts all = cv_run_rows_of(&w->run_rows, w->facts.next_round - 1, CV_STR("judge"), CV_TASK_VERDICT);
    const cv_attempt_row *last = all.count ? &all.items[all.count - 1] : NULL;
    bool answered = last && cv_str_eq(last->state, cv_attempt_words.items[CV_ATTEMPT_ANSWERED]) && last->answer.n;
    return answered && cv_json_parse(&w->step, last->answer, &object, &ignored) ? cv_json_get_text(&object, "undecided")
                                                                                : CV_STR("");
}

/* Was nobody of the last round understood, though all were asked again, and did no judge make anything of it? What was
 * so when somebody gave the command again is forgiven. */
static bool is_senseless(const cv_walk *w)
{
    bool unmarked = false;
    for (size_t i = 0; i < w->run_rows.attempts.count; i++) {
        const cv_attempt_row *row = &w->run_rows.attempts.items[i];
        if (row->round != w->facts.next_round - 1 || cv_str_eq(row->task, cv_task_words.items[CV_TASK_CONTROL]))
            continue;
        if (cv_str_eq(row->state, cv_attempt_words.items[CV_ATTEMPT_ANSWERED]))
            return false;
        unmarked = unmarked || (cv_str_eq(row->state, cv_attempt_words.items[CV_ATTEMPT_UNMARKED]) &&
                                row->rev > w->settings->since_rev);
    }
    return unmarked && w->settings->judge != CV_JUDGE_HUMAN;
}

static void make_plan(cv_walk *w)
{
    const cv_setup *s = w->settings;
    const cv_facts *f = &w->facts;
    const cv_str judge = CV_STR("judge");
    cv_spent spent = cv_spent_of(&w->run_rows.attempts, CV_SPENT_ALL);
    cv_part from_part = w->plan.from_part;
    int64_t from_round = w->plan.from_round, last = f->next_round - 1;
    for (size_t i = 0; i < f->seat_count; i++)
        w->folded[i] =
            fold(w, f->next_round, f->seats[i].slug, CV_TASK_RESPONSE, w->seats[i].agent, f->seats[i].responded);
    w->plan = (cv_plan){
        .rounds = s->rounds,
        .parallel = cv_budget_parallel(&s->budget, &spent, s->parallel),
        .quorum = s->quorum,
        .judge = s->judge,
        .judge_may_fail = !s->judge_named,
        .until = s->until,
        .step = s->step,
        .control = s->control,
        .next_round = f->next_round,
        .converged = f->converged,
        .decided = f->decided,
        .abandoned = f->abandoned,
        .senseless = is_senseless(w),
        .settled = w->run_rows.run.settled == CV_ABSENT ? f->next_round : w->run_rows.run.settled,
        .from_round = from_round,
        .from_part = from_part,
        .stopping = w->run_rows.run.stopping == 1,
        .interrupted = w->interrupted,
        .spent = cv_budget_spent(&s->budget, &spent, cv_monotonic_ms() - w->began_ms),
        .seats = w->folded,
        .seat_count = f->seat_count,
        .round = fold(w, f->next_round, judge, CV_TASK_ROUND, s->judge_agent, false),
        .verdict = fold(w, last, judge, CV_TASK_VERDICT, s->judge_agent, why_undecided(w).n > 0),
        .other = fold(w, 0, CV_STR("control"), CV_TASK_CONTROL, NULL, false),
        .running = w->calls ? cv_calls_running(w->calls) : 0,
        .now_ms = w->call->clock.now_ms(w->call->clock.ctx),
    };
}

static void begin_plan(cv_walk *w)
{
    make_plan(w);
    w->plan.from_round = w->plan.next_round;
    w->plan.from_part = cv_plan_part(&w->plan);
}

/* ---- the beginning -------------------------------------------------------------------------------------------------
 */

/* A run that stopped was given up by its runner: a user who gives the command again wants everybody to be asked again.
 * One whose runner was killed only goes on. */
static void choose_since(cv_walk *w)
{
    const cv_run_row *run = &w->run_rows.run;
    cv_setup *s = w->settings;
    bool killed = cv_str_eq(run->state, cv_run_words.items[CV_RUN_RUNNING]) ||
                  cv_str_eq(run->state, cv_run_words.items[CV_RUN_WAITING]);
    cv_json before;
    cv_err ignored = {.arena = w->arena};
    s->since_rev = 0;
    if (!killed)
        s->since_rev = w->run_rows.exists ? run->rev : 0;
    else if (run->settings.n && cv_json_parse(w->arena, run->settings, &before, &ignored))
        s->since_rev = cv_json_get_int(&before, "tries_since_rev", 0);
}

/* More answers than there are experts never come, and without a panel none. */
static bool check_panel(const cv_walk *w)
{
    const cv_facts *f = &w->facts;
    if (f->decided || f->abandoned || f->converged)
        return true;
    if (f->seat_count > 0)
        return cv_setup_check_quorum(w->call, w->settings->quorum, f->seat_count);
    cv_err *fault = cv_refuse(w->call, CV_ERR_INVALID_VALUE, CV_STR(""), "dialogue_id", f->dialogue_id,
                              "round %lld has no panel", (long long)f->next_round);
    cv_err_operation(fault, CV_STR("dialogue progress"));
    cv_err_suggest(fault, CV_STR("names the command that seats one"));
    return false;
}

/* Everything that is known before anything is written: facts, attempts, who answers for whom. */
static bool open_walk(cv_walk *w, cv_call *call, cv_setup *settings)
{
    cv_err err = {.arena = call->arena};
    *w = (cv_walk){
        .call = call, .settings = settings, .arena = call->arena, .prompt_round = -1, .run_rows = {.lock = -1}};
    w->began_ms = cv_monotonic_ms();
    if (!read_facts(w) || !check_panel(w))
        return false;
    if (!cv_run_rows_open(&w->run_rows, call, w->arena, settings->dialogue_id, &err))
        return cv_call_fail(call, &err);
    cv_setup_choose_judge(settings);
    if (!w->facts.decided && !w->facts.abandoned)
        cv_setup_warn(settings, w->facts.names, &w->warnings);
    choose_since(w);
    return true;
}

bool cv_walk_look(cv_walk *w, cv_call *call, cv_setup *settings, cv_step *ret_step)
{
    if (!open_walk(w, call, settings))
        return false;
    w->run_rows.run.stopping = 0;
    begin_plan(w);
    *ret_step = cv_plan_next(&w->plan);
    return true;
}

void cv_walk_close(cv_walk *w)
{
    if (w->calls)
        cv_calls_close(w->calls);
    cv_run_rows_release(&w->run_rows);
    cv_arena_release(&w->step);
    cv_arena_release(&w->facts_arena);
    cv_arena_release(&w->prompts_arena);
    w->calls = NULL;
}

static cv_str judge_text(const cv_setup *s)
{
    assert(s->judge != CV_JUDGE_AGENT || s->judge_agent);
    return s->judge == CV_JUDGE_AGENT ? s->judge_agent->name : cv_judge_words.items[s->judge];
}

/* Somebody else may have walked since everything was read: from here on nobody does. */
static bool lock(cv_walk *w)
{
    cv_err err = {.arena = w->call->arena};
    if (!cv_run_rows_lock(&w->run_rows, &err))
        return cv_call_fail(w->call, &err);
    choose_since(w);
    return read_facts(w);
}

static bool take(cv_walk *w)
{
    cv_run_row *run = &w->run_rows.run;
    cv_err err = {.arena = w->call->arena};
    run->state = cv_run_words.items[CV_RUN_RUNNING];
    run->reason = run->message = (cv_str){NULL, 0};
    run->stopping = 0;
    run->judge = judge_text(w->settings);
    run->settings = cv_setup_json(w->arena, w->settings);
    run->settled = w->run_rows.exists ? run->settled : w->facts.next_round;
    return cv_run_rows_take(&w->run_rows, &err) || cv_call_fail(w->call, &err);
}

/* ---- the end -------------------------------------------------------------------------------------------------------
 */

/* Calls that are under way are ended, and each is reported. */
static bool end_calls(cv_walk *w)
{
    bool ok = true;
    if (!w->calls)
        return true;
    cv_calls_cancel(w->calls, NULL);
    while (ok && cv_calls_running(w->calls)) {
        cv_arena_reset(&w->step);
        ok = cv_walk_take_results(w, 1000);
    }
    return ok;
}

static bool export_dialogue(cv_walk *w)
{
    cv_reply reply;
    cv_facts_ask(w->call, &w->step, "export", w->facts.dialogue_id, CV_STR(""), &reply);
    if (reply.done)
        w->exported = cv_arena_copy(w->arena, cv_json_get_text(&reply.json, "path"));
    return reply.done || cv_walk_fail(w, &reply.errs);
}

static cv_str absence(const cv_seat *seat)
{
    return seat->last && seat->last->message.n ? seat->last->message : seat->why;
}

/* "muffin, scone: there was no answer after 600 seconds", a line for each reason. */
static cv_str tell_absent(cv_walk *w)
{
    enum { NAMED = 4 };
    cv_buf out = {0};
    const cv_facts *f = &w->facts;
    bool *told = CV_NEW_ARRAY(&w->step, f->seat_count, bool);
    for (size_t i = 0; i < f->seat_count; i++) {
        size_t count = 0;
        cv_str why = absence(&w->folded[i]);
        if (w->folded[i].state != CV_SEAT_ABSENT || told[i])
            continue;
        cv_buf_add_z(&out, out.n ? "\n" : "");
        for (size_t k = i; k < f->seat_count; k++) {
            if (w->folded[k].state != CV_SEAT_ABSENT || !cv_str_eq(absence(&w->folded[k]), why))
                continue;
            told[k] = true;
            if (count++ < NAMED)
                cv_buf_printf(&out, "%s%.*s", count > 1 ? ", " : "", CV_FMT(f->seats[k].slug));
        }
        if (count > NAMED)
            cv_buf_printf(&out, " and %zu more", count - NAMED);
        cv_buf_printf(&out, ": %.*s", CV_FMT(why));
    }
    return cv_buf_take(&out, w->arena);
}

/* "judge: its answers were refused", and each fault of the last one. */
static cv_str tell_judge(cv_walk *w, const cv_seat *judge)
{
    cv_str faults = judge->last && judge->last->faults.n ? cv_str_trim(judge->last->faults) : CV_STR("");
    return cv_arena_printf(w->arena, "judge: %.*s%s%.*s",
                           CV_FMT(faults.n && judge->why.n ? judge->why : absence(judge)), faults.n ? "\n" : "",
                           CV_FMT(faults));
}

/* What to know beyond the reason; absent: nothing. */
static cv_str explain(cv_walk *w, cv_reason reason)
{
    int64_t last = w->facts.next_round - 1;
    switch (reason) {
    case CV_REASON_QUORUM:
        return tell_absent(w);
    case CV_REASON_JUDGE:
        return tell_judge(w, w->plan.round.state == CV_SEAT_ABSENT ? &w->plan.round : &w->plan.verdict);
    case CV_REASON_UNDECIDED:
        return cv_arena_printf(w->arena, "judge: %.*s", CV_FMT(why_undecided(w)));
    case CV_REASON_UNMARKED: {
        cv_seat judge = fold(w, last, CV_STR("judge"), CV_TASK_ROUND, w->settings->judge_agent, false);
        return judge.last ? tell_judge(w, &judge) : (cv_str){NULL, 0};
    }
    default:
        return (cv_str){NULL, 0};
    }
}

static bool finish(cv_walk *w, cv_reason reason)
{
    assert(reason < CV_REASON_COUNT && w->run_rows.lock >= 0);
    cv_run_row *run = &w->run_rows.run;
    const cv_reason_row *row = &cv_reasons[reason];
    cv_err err = {.arena = w->call->arena};
    cv_str message = explain(w, reason); /* while the plan stands */
    if (!end_calls(w) || (row->state == CV_RUN_ENDED && w->facts.next_round > 0 && !export_dialogue(w)))
        return false;
    run->state = cv_run_words.items[row->state];
    run->reason = row->word;
    run->message = message;
    run->stopping = 0;
    if (!cv_run_rows_change(&w->run_rows, row->state == CV_RUN_ENDED ? "ended" : "stopped", &err))
        return cv_call_fail(w->call, &err);
    cv_walk_tell_json(/* people read it in the answer, which follows */
                      w, "run_ended",
                      cv_arena_printf(&w->step, "\"state\":\"%.*s\",\"reason\":\"%.*s\"", CV_FMT(run->state),
                                      CV_FMT(run->reason)));
    return true;
}

/* What it could not go on with is kept in the run's row, if the record takes it. */
static bool break_off(cv_walk *w)
{
    const cv_errs *errs = w->call->errs;
    cv_run_row *run = &w->run_rows.run;
    cv_err ignored = {.arena = w->call->arena};
    if (w->run_rows.lock < 0)
        return false;
    if (w->calls)
        cv_calls_cancel(w->calls, NULL);
    run->state = cv_run_words.items[CV_RUN_STOPPED];
    run->reason = cv_reason_words.items[CV_REASON_REFUSED];
    run->message = errs->count ? cv_err_text(&errs->items[0]) : CV_STR("");
    cv_run_rows_change(&w->run_rows, "stopped", &ignored);
    return false;
}

/* ---- the loop ------------------------------------------------------------------------------------------------------
 */

static bool do_step(cv_walk *w, cv_step step)
{
    assert(step.kind != CV_STEP_END && w->run_rows.lock >= 0 && "only who holds the run does something");
    switch (step.kind) {
    case CV_STEP_SETTLE:
        return cv_walk_settle(w);
    case CV_STEP_ASK:
        return cv_walk_ask(w, step);
    case CV_STEP_HAND_IN:
        return cv_walk_hand_in(w, step.seat);
    case CV_STEP_JUDGE:
        return cv_walk_ask_one(w, CV_TASK_ROUND);
    case CV_STEP_REGISTER:
        return cv_walk_register(w);
    case CV_STEP_VERDICT:
        return cv_walk_ask_one(w, CV_TASK_VERDICT);
    case CV_STEP_DECIDE:
        return cv_walk_decide(w);
    case CV_STEP_CONTROL:
        return cv_walk_ask_one(w, CV_TASK_CONTROL);
    case CV_STEP_WAIT:
        return cv_walk_wait(w, &step);
    case CV_STEP_END:
        break;
    }
    return true;
}

static bool walk(cv_walk *w, cv_reason *ret_reason)
{
    for (;;) {
        cv_arena_reset(&w->step);
        if (w->stale && (!read_facts(w) || !cv_walk_look_around(w, false)))
            return false;
        make_plan(w);
        cv_step step = cv_plan_next(&w->plan);
        *ret_reason = step.reason;
        if (step.kind == CV_STEP_END)
            return finish(w, step.reason);
        if (!do_step(w, step))
            return false;
    }
}

/* Is there nothing to do, and the record says so already? Then nothing is written. */
static bool is_over(cv_walk *w, cv_reason *ret_reason)
{
    begin_plan(w);
    cv_step step = cv_plan_next(&w->plan);
    *ret_reason = step.reason;
    return step.kind == CV_STEP_END && w->run_rows.exists && cv_reasons[step.reason].state == CV_RUN_ENDED &&
           cv_str_eq(w->run_rows.run.reason, cv_reasons[step.reason].word);
}

bool cv_walk_run(cv_walk *w, cv_call *call, cv_setup *settings, cv_reason *ret_reason)
{
    if (!open_walk(w, call, settings))
        return false;
    if (is_over(w, ret_reason))
        return true;
    if (!cv_setup_approve(settings) || !lock(w))
        return false;
    if (is_over(w, ret_reason))
        return true;
    if (!take(w))
        return false;
    w->calls = cv_calls_open(NULL);
    cv_walk_tell(w, w->run_rows.attempts.count ? "run_resumed" : "run_started", CV_STR(""), "%.*s: %.*s",
                 CV_FMT(w->facts.dialogue_id), CV_FMT(w->facts.question.n ? w->facts.question : w->facts.title));
    for (size_t i = 0; i < w->warnings.count; i++)
        cv_walk_tell_warning(w, &w->warnings.items[i]);
    if (cv_walk_look_around(w, true)) {
        begin_plan(w);
        if (walk(w, ret_reason))
            return true;
    }
    return break_off(w);
}
