/* status.c - the state of a run; see status.h. */
#include "run/status.h"

/* ---- rounds --------------------------------------------------------------------------------------------------------
 */

static cv_status_round *round_at(cv_arena *a, cv_run_status *s, int64_t round, size_t most)
{
    for (size_t i = 0; i < s->rounds.count; i++)
        if (s->rounds.items[i].round == round)
            return &s->rounds.items[i];
    cv_status_round *fresh = CV_PUSH(a, &s->rounds);
    *fresh = (cv_status_round){.round = round, .seats = CV_NEW_ARRAY(a, most, cv_status_seat)};
    return fresh;
}

static cv_status_seat *seat_at(cv_status_round *r, const cv_attempt_row *row)
{
    for (size_t i = 0; i < r->seat_count; i++)
        if (cv_str_eq(r->seats[i].who, row->who) && cv_str_eq(r->seats[i].task, row->task))
            return &r->seats[i];
    r->seats[r->seat_count] = (cv_status_seat){.who = row->who, .task = row->task};
    return &r->seats[r->seat_count++];
}

static bool is_state(const cv_attempt_row *row, cv_attempt_state state)
{
    return cv_str_eq(row->state, cv_attempt_words.items[state]);
}

static bool is_for(const cv_attempt_row *row, cv_run_task task)
{
    return cv_str_eq(row->task, cv_task_words.items[task]);
}

/* The attempts for one task: how the last of each ended. */
static void list_task(cv_arena *a, const cv_run_rows *l, cv_run_task task, int64_t next_round, cv_run_status *s)
{
    for (size_t i = 0; i < l->attempts.count; i++) {
        const cv_attempt_row *row = &l->attempts.items[i];
        if (!is_for(row, task))
            continue;
        cv_status_round *r = round_at(a, s, row->round, l->attempts.count);
        cv_status_seat *seat = seat_at(r, row);
        *seat = (cv_status_seat){.who = row->who,
                                 .task = row->task,
                                 .agent = row->agent,
                                 .model = row->model,
                                 .state = row->state,
                                 .message = row->message,
                                 .attempts = seat->attempts + 1,
                                 .markers = row->markers,
                                 .duration_ms = row->duration_ms};
        r->registered = row->round < next_round;
    }
}

/* One line for everything that somebody was asked for in a round: the experts, then the judge. */
static void list_rounds(cv_arena *a, const cv_run_rows *l, int64_t next_round, cv_run_status *s)
{
    for (cv_run_task task = CV_TASK_RESPONSE; task < CV_TASK_CONTROL; task++)
        list_task(a, l, task, next_round, s);
    for (size_t i = 0; i < s->rounds.count; i++)
        for (size_t k = 0; k < s->rounds.items[i].seat_count; k++)
            s->rounds.items[i].answered +=
                cv_str_eq(s->rounds.items[i].seats[k].state, cv_attempt_words.items[CV_ATTEMPT_ANSWERED]) &&
                !cv_str_eq(s->rounds.items[i].seats[k].who, CV_STR("judge"));
}

/* The numbers of `dialogue dynamics`, without its lists. */
static cv_str count_dynamics(cv_call *call, cv_str dialogue_id)
{
    cv_reply reply;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_facts_ask(call, call->arena, "dynamics", dialogue_id, CV_STR(""), &reply);
    const cv_json *changes = cv_json_get(&reply.json, CV_STR("opinion_changes")),
                  *dissent = cv_json_get(&reply.json, CV_STR("dissent")),
                  *overlap = cv_json_get(&reply.json, CV_STR("overlap")),
                  *collapses = cv_json_get(&reply.json, CV_STR("collapses"));
    if (!reply.done)
        return (cv_str){NULL, 0};
    cv_json_begin_object(&w);
    cv_json_key_int(&w, "changes_with_new_evidence", cv_json_get_int(changes, "with_new_evidence", 0));
    cv_json_key_int(&w, "changes_without_new_evidence", cv_json_get_int(changes, "without_new_evidence", 0));
    cv_json_key_int(&w, "dissent_kept", cv_json_get_int(dissent, "kept", 0));
    cv_json_key_int(&w, "dissent_lost", cv_json_get_int(dissent, "lost", 0));
    cv_json_key_int(&w, "collapses", collapses ? collapses->count : 0);
    cv_json_key_int(&w, "mean_overlap", cv_json_get_int(overlap, "mean", 0));
    cv_json_end_object(&w);
    return cv_buf_take(&out, call->arena);
}

static const cv_status_control *find_control(cv_call *call, const cv_run_rows *l)
{
    const cv_attempt_row *last = NULL;
    for (size_t i = 0; i < l->attempts.count; i++)
        if (is_for(&l->attempts.items[i], CV_TASK_CONTROL))
            last = &l->attempts.items[i];
    if (!last)
        return NULL;
    cv_status_control *c = CV_NEW(call->arena, cv_status_control);
    *c = (cv_status_control){.agent = last->agent,
                             .model = last->model,
                             .state = last->state,
                             .message = last->message,
                             .answer = is_state(last, CV_ATTEMPT_ANSWERED) ? last->answer : (cv_str){NULL, 0},
                             .spent = cv_spent_of(&l->attempts, CV_SPENT_CONTROL),
                             .panel = cv_spent_of(&l->attempts, CV_SPENT_PANEL),
                             .dynamics = count_dynamics(call, l->dialogue_id)};
    return c;
}

/* ---- a dry run -----------------------------------------------------------------------------------------------------
 */

/* Everything that would be sent, as it would be sent. */
static cv_str dry_page(cv_arena *a, const cv_run_status *s)
{
    cv_buf out = {0};
    cv_buf_printf(&out, "Next: %.*s. Nothing is written or called.\n", CV_FMT(s->step));
    for (size_t i = 0; i < s->call_count; i++) {
        const cv_status_call *c = &s->calls[i];
        cv_buf_printf(&out, "\n== %.*s (%.*s): %.*s\n%.*s\n\n", CV_FMT(c->who), CV_FMT(c->task), CV_FMT(c->agent),
                      CV_FMT(c->call));
        cv_buf_add(&out, c->prompt);
    }
    return cv_buf_take(&out, a);
}

/* ---- the answer ----------------------------------------------------------------------------------------------------
 */

#define CV_THIS_TYPE cv_status_seat
static const cv_shape seat_shape[] = {
    CV_FIELD_AS(ALWAYS, "expert", who, "or judge"),
    CV_WORD(ALWAYS, "task", task, &cv_task_words, ""),
    CV_FIELD(ALWAYS, agent, ""),
    CV_FIELD(IF_ANY, model, ""),
    CV_WORD(ALWAYS, "state", state, &cv_attempt_words, "of the last attempt"),
    CV_FIELD(IF_ANY, message, ""),
    CV_FIELD(ALWAYS, attempts, ""),
    CV_FIELD(IF_ANY, markers, ""),
    CV_FIELD(IF_ANY, duration_ms, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_status_round
static const cv_shape round_shape[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD(ALWAYS, registered, ""),
    CV_FIELD(ALWAYS, answered, "experts"),
    CV_LIST("experts", seats, seat_count, seat_shape, "who was asked, the judge too"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_spent
static const cv_shape spent_shape[] = {
    CV_FIELD(ALWAYS, calls, "commands and endpoints"),
    CV_FIELD(ALWAYS, tokens_in, "that were reported"),
    CV_FIELD(ALWAYS, tokens_out, ""),
    CV_FIELD_AS(ALWAYS, "estimated_tokens", estimated, "of calls that reported none: a fourth of their bytes"),
    CV_FIELD(ALWAYS, cost, "millionths of a US dollar, as far as it is known"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_status_control
static const cv_shape control_shape[] = {
    CV_FIELD(ALWAYS, agent, ""),
    CV_FIELD(IF_ANY, model, ""),
    CV_WORD(ALWAYS, "state", state, &cv_attempt_words, ""),
    CV_FIELD(IF_ANY, message, "why there is no answer"),
    CV_FIELD(OR_NULL, answer, ""),
    CV_OBJECT(ALWAYS, "spent", spent, spent_shape, "by this agent"),
    CV_OBJECT(ALWAYS, "panel_spent", panel, spent_shape, "by the panel and its judge"),
    CV_JSON_AS(IF_ANY, MAP, "dynamics", dynamics, "of the panel, as dialogue dynamics counts"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_fact_dissent
static const cv_shape dissent_shape[] = {
    CV_FIELD_AS(ALWAYS, "verdict_type", type, "dissent or minority"),
    CV_FIELD(IF_ANY, expert, "its author"),
    CV_FIELD(ALWAYS, recommendation, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_status_call
static const cv_shape call_shape[] = {
    CV_FIELD_AS(ALWAYS, "expert", who, "or judge"),
    CV_WORD(ALWAYS, "task", task, &cv_task_words, ""),
    CV_FIELD(ALWAYS, agent, ""),
    CV_FIELD(ALWAYS, call, "the command, or the URL"),
    CV_FIELD(ALWAYS, prompt, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_run_status
const cv_shape cv_status_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, dialogue_id, ""),
    CV_FIELD(ALWAYS, title, ""),
    CV_FIELD(ALWAYS, question, ""),
    CV_FIELD(ALWAYS, state, "running, waiting, stopped, ended; interrupted: the runner is gone; new: never run"),
    CV_FIELD(IF_ANY, reason, "why it has stopped"),
    CV_FIELD_AS(IF_ANY, "why", meaning, "the same in a sentence"),
    CV_FIELD(IF_ANY, message, "the next command, or what was wrong"),
    CV_FIELD(IF_ANY, advice, "what to do about it"),
    CV_FIELD(IF_ANY, holder, "who runs it now"),
    CV_FIELD(IF_ANY, judge, ""),
    CV_JSON_AS(IF_ANY, MAP, "settings", settings, ""),
    CV_FIELD(IF_ANY, started_at, ""),
    CV_FIELD(IF_ANY, changed_at, ""),
    CV_LIST("rounds", rounds.items, rounds.count, round_shape, ""),
    CV_OBJECT(ALWAYS, "spent", spent, spent_shape, ""),
    CV_FIELD(ALWAYS, next_round, ""),
    CV_FIELD(ALWAYS, percentage, "of convergence"),
    CV_FIELD(ALWAYS, converged, ""),
    CV_FIELD(ALWAYS, decided, "the final verdict is registered"),
    CV_FIELD(IF_ANY, decision, "its recommendation"),
    CV_FIELD(IF_ANY, reasons, "its description"),
    CV_FIELD(IF_ANY, vote, "of the decision"),
    CV_FIELD(IF_ANY, confidence, ""),
    CV_JSON_AS(IF_ANY, NAMES, "conditions", conditions, ""),
    CV_LIST_WHEN(CV_IF_ANY, "dissents", dissents, dissent_count, dissent_shape, "who disagrees"),
    CV_OBJECT_AT(IF_ANY, "control", control, control_shape, "the answer of one agent alone"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "of this run"),
    CV_FIELD(IF_ANY, exported, "the file with everything"),
    CV_FIELD(IF_ANY, next, "what to call next"),
    CV_LIST_WHEN(CV_IF_ANY, "attempts", attempts.items, attempts.count, cv_attempt_shape, "all of them"),
    CV_FIELD(IF_ANY, dry_run, "nothing was written or called"),
    CV_FIELD(IF_ANY, step, "of a dry run: what would be next"),
    CV_LIST_WHEN(CV_IF_ANY, "calls", calls, call_count, call_shape, "of a dry run"),
    CV_PRINTED(text, "of a dry run, for people; not with --json"),
    {0},
};
#undef CV_THIS_TYPE

/* The command that goes on, with the options that were given. */
static cv_str same_again(cv_call *call, const cv_run_status *s)
{
    cv_json settings = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = call->arena};
    if (s->settings.n && !cv_json_parse(call->arena, s->settings, &settings, &ignored))
        settings = (cv_json){.type = CV_JSON_NULL};
    const cv_json *given = cv_json_get(&settings, CV_STR("given"));
    size_t count = given ? given->count : 0;
    cv_argument *all = CV_NEW_ARRAY(call->arena, count, cv_argument);
    for (size_t i = 0; i < count; i++) {
        const cv_json *value = &given->members[i].value;
        bool text = value->type == CV_JSON_STRING;
        const char *name = cv_arena_copy_z(call->arena, given->members[i].key);
        all[i] = (cv_argument){name, text ? value->text : cv_json_get_json(call->arena, given, name),
                               text ? CV_ARGUMENT_TEXT : CV_ARGUMENT_JSON};
    }
    return cv_call_name(call, CV_STR("run"), s->dialogue_id, all, count);
}

static cv_str say(cv_call *call, cv_str text)
{
    cv_buf out = {0};
    cv_reason_say(&out, text, !call->confined);
    return cv_buf_take(&out, call->arena);
}

/* Did the judge's last call end without any answer: its program or its endpoint failed? */
static bool is_judge_silent(const cv_run_rows *l)
{
    for (size_t i = l->attempts.count; i-- > 0;)
        if (cv_str_eq(l->attempts.items[i].who, CV_STR("judge")))
            return !l->attempts.items[i].faults.n;
    return false;
}

/* Other answers are asked of a judge that gave wrong ones, and nothing but to work of one that gave none. */
static cv_str advise(const cv_run_rows *l, int reason)
{
    return reason == CV_REASON_JUDGE && is_judge_silent(l)
               ? CV_STR("correct what failed, then the same command continues; or name another judge ({judge} NAME), "
                        "decide yourself ({judge} human), or go without a verdict ({judge} mechanical)")
               : cv_reasons[reason].advice;
}

static void find_state(cv_call *call, const cv_run_rows *l, cv_run_status *s)
{
    int reason = l->run.reason.p ? cv_words_find(cv_reason_words, l->run.reason) : -1;
    bool runs = cv_str_eq(l->run.state, cv_run_words.items[CV_RUN_RUNNING]) ||
                cv_str_eq(l->run.state, cv_run_words.items[CV_RUN_WAITING]);
    bool gone = runs && !s->holder.n && l->lock < 0;
    s->state = gone ? CV_STR("interrupted") : l->exists ? l->run.state : CV_STR("new");
    s->meaning = gone          ? CV_STR("its runner is gone; the same command continues")
                 : reason >= 0 ? say(call, cv_reasons[reason].meaning)
                               : CV_STR("");
    if (reason >= 0 && !gone && !runs)
        s->advice = say(call, advise(l, reason));
    bool ended = cv_str_eq(l->run.state, cv_run_words.items[CV_RUN_ENDED]);
    if (!s->holder.n && l->lock < 0)
        s->next = ended ? cv_call_name(call, CV_STR("dialogue show"), s->dialogue_id, NULL, 0) : same_again(call, s);
}

bool cv_status_answer(cv_call *call, cv_run_rows *run_rows, const cv_facts *facts, const cv_status_more *more)
{
    cv_arena *a = call->arena;
    const cv_run_row *run = &run_rows->run;
    cv_err err = {.arena = a};
    cv_run_status s = {.dialogue_id = facts->dialogue_id,
                       .title = facts->title,
                       .question = facts->question,
                       .reason = run->reason,
                       .message = run->message,
                       .judge = run->judge,
                       .settings = run->settings,
                       .started_at = run->started_at,
                       .changed_at = run->changed_at,
                       .spent = cv_spent_of(&run_rows->attempts, CV_SPENT_ALL),
                       .percentage = facts->percentage,
                       .next_round = facts->next_round,
                       .converged = facts->converged,
                       .decided = facts->decided,
                       .decision = facts->verdict,
                       .reasons = facts->reasons,
                       .vote = facts->vote,
                       .confidence = facts->confidence,
                       .conditions = facts->conditions,
                       .dissents = facts->dissents,
                       .dissent_count = facts->dissent_count,
                       .warnings = more->warnings,
                       .exported = more->exported,
                       .dry_run = more->dry_run,
                       .step = more->step,
                       .calls = more->calls,
                       .call_count = more->call_count};
    if (run_rows->lock < 0 && !cv_run_rows_holder(run_rows, &s.holder, &err))
        return cv_call_fail(call, &err);
    find_state(call, run_rows, &s);
    list_rounds(a, run_rows, facts->next_round, &s);
    s.control = find_control(call, run_rows);
    if (cv_json_get_true(call->input, "attempts"))
        s.attempts = run_rows->attempts;
    if (call->for_people && s.dry_run)
        s.text = dry_page(a, &s);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_status_shape, &s);
    return true;
}
