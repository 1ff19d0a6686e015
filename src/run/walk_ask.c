/* walk_ask.c - attempts: rows, prompts, calls, and what came of them; see walk.h. */
#include <assert.h>

#include "base/folder.h"
#include "kit/frame.h"
#include "kit/request.h"
#include "record/hash.h"
#include "run/keep.h"
#include "run/walk.h"

/* ---- prompts -------------------------------------------------------------------------------------------------------
 */

/* What the judge wants everybody, or somebody, to do in this round. */
static void write_mandates(cv_walk *w, cv_json_writer *json)
{
    cv_attempts all = cv_run_rows_of(&w->run_rows, w->facts.next_round - 1, CV_STR("judge"), CV_TASK_ROUND);
    cv_json object;
    cv_judgement judgement;
    cv_errs errs = {0};
    cv_err ignored = {.arena = &w->step};
    const cv_attempt_row *last = all.count ? &all.items[all.count - 1] : NULL;
    if (!last || !last->answer.n || !cv_json_parse(&w->step, last->answer, &object, &ignored) ||
        !cv_judge_read(&w->step, &object, &judgement, &errs))
        return;
    cv_json_key(json, CV_STR("overrides"));
    cv_json_begin_object(json);
    for (size_t i = 0; i < w->facts.seat_count; i++) {
        const cv_json *own = cv_json_get(&judgement.mandates, w->facts.seats[i].slug);
        cv_str mandate = own ? own->text : judgement.mandate;
        if (!mandate.n)
            continue;
        cv_json_key(json, w->facts.seats[i].slug);
        cv_json_begin_object(json);
        cv_json_key_str(json, "mandate", mandate);
        cv_json_end_object(json);
    }
    cv_json_end_object(json);
}

/* All prompts of the round, once. With `write` false no file is made. */
static bool read_prompts(cv_walk *w, bool write)
{
    cv_buf members = {0};
    cv_json_writer json = {.out = &members};
    cv_reply reply;
    if (w->prompt_round == w->facts.next_round)
        return true;
    cv_arena_reset(&w->prompts_arena);
    cv_json_begin_object(&json);
    cv_json_key_int(&json, "round", w->facts.next_round);
    cv_json_key_bool(&json, "include_prompts", true);
    cv_json_key_bool(&json, "write", write);
    cv_json_key_bool(&json, "answer_only", true);
    if (w->settings->blind)
        cv_json_key_bool(&json, "anonymous", true);
    cv_json_key_str(&json, "spec", w->settings->spec);
    write_mandates(w, &json);
    cv_json_end_object(&json);
    cv_str all = cv_buf_take(&members, &w->step);
    cv_facts_ask(w->call, &w->prompts_arena, "round-prompts", w->facts.dialogue_id,
                 cv_str_head(cv_str_from(all, 1), all.n - 2), &reply);
    w->prompts = reply.json;
    w->prompt_round = reply.done ? w->facts.next_round : -1;
    return reply.done || cv_walk_fail(w, &reply.errs);
}

const char *cv_walk_path(cv_walk *w, const cv_attempt_row *row)
{
    return cv_where_path(&w->step, (cv_where){w->call->root, cv_arena_copy_z(&w->step, row->output)});
}

cv_str cv_walk_output(cv_walk *w, const cv_attempt_row *row)
{
    cv_calls_result result;
    cv_err none = {.arena = &w->step};
    bool found = false;
    if (row->output.n && !cv_keep_read(&w->step, cv_walk_path(w, row), &result, &found, &none))
        found = false;
    return found ? result.answer : (cv_str){NULL, 0};
}

/* What was wrong with the answer before is said behind the prompt. */
static cv_str with_faults(cv_walk *w, cv_str prompt, const cv_attempt_row *last)
{
    cv_buf out = {0};
    if (!last || !last->faults.n)
        return prompt;
    cv_str text = cv_walk_output(w, last);
    cv_buf_add(&out, prompt);
    cv_buf_add_z(&out, "\n---\n\n## Your last answer could not be used\n\n");
    cv_buf_add(&out, last->faults);
    if (text.n) {
        cv_buf_add_z(&out, "\nThis was your answer:\n\n");
        cv_frame_add(&out, text);
    }
    cv_buf_add_z(&out, "\nAnswer again, with the markers that the instructions above name.\n");
    return cv_buf_take(&out, &w->step);
}

static cv_str prompt_of(cv_walk *w, cv_str slug)
{
    const cv_json *all = cv_json_get(&w->prompts, CV_STR("prompts"));
    for (uint32_t i = 0; all && i < all->count; i++)
        if (cv_str_eq(cv_json_get_text(&all->items[i], "slug"), slug))
            return cv_json_get_text(&all->items[i], "prompt");
    return CV_STR("");
}

/* The agent that alone is to do what the panel did: the one with the best expert, else the judge's, else the first. */
static const cv_run_agent *best_agent(cv_walk *w)
{
    const cv_setup *s = w->settings;
    cv_reply reply;
    cv_facts_ask(w->call, &w->step, "progress", w->facts.dialogue_id, CV_STR(""), &reply);
    const cv_json *board = cv_json_get(&reply.json, CV_STR("leaderboard"));
    for (uint32_t i = 0; reply.done && board && i < board->count; i++) {
        cv_str slug = cv_json_get_text(&board->items[i], "expert_slug");
        if (cv_json_get_int(&board->items[i], "total_score", 0) <= 0)
            break;
        for (size_t k = w->run_rows.attempts.count; k > 0; k--) {
            const cv_attempt_row *row = &w->run_rows.attempts.items[k - 1];
            for (size_t j = 0; cv_str_eq(row->who, slug) && j < s->agents.count; j++)
                if (cv_str_eq(s->agents.items[j]->name, row->agent) &&
                    s->agents.items[j]->reach.way <= CV_REACH_ENDPOINT)
                    return s->agents.items[j];
        }
    }
    if (s->judge_agent && s->judge_agent->reach.way <= CV_REACH_ENDPOINT)
        return s->judge_agent;
    for (size_t j = 0; j < s->agents.count; j++)
        if (s->agents.items[j]->reach.way <= CV_REACH_ENDPOINT)
            return s->agents.items[j];
    return NULL;
}

bool cv_walk_prepare(cv_walk *w, cv_run_task task, size_t seat, cv_walk_call *ret)
{
    const cv_setup *s = w->settings;
    const cv_seat *judge = task == CV_TASK_ROUND ? &w->plan.round : &w->plan.verdict;
    *ret = (cv_walk_call){.task = task, .who = CV_STR("judge"), .role = CV_STR("judge"), .agent = s->judge_agent};
    assert(task < CV_TASK_COUNT && (task != CV_TASK_RESPONSE || seat < w->facts.seat_count));
    switch (task) {
    case CV_TASK_RESPONSE: {
        const cv_walk_seat *one = &w->seats[seat];
        bool writes = w->run_rows.lock >= 0;
        if (!read_prompts(w, writes))
            return false;
        ret->who = cv_arena_copy(w->arena, one->fact->slug);
        ret->role = one->fact->role;
        ret->agent = one->agent;
        ret->round = w->facts.next_round;
        ret->prompt = with_faults(w, prompt_of(w, one->fact->slug), w->folded[seat].last);
        return true;
    }
    case CV_TASK_ROUND:
    case CV_TASK_VERDICT:
        ret->round = task == CV_TASK_ROUND ? w->facts.next_round : w->facts.next_round - 1;
        ret->prompt = cv_walk_judge_prompt(w, task, judge->last);
        return ret->prompt.p;
    case CV_TASK_CONTROL:
        ret->who = ret->role = CV_STR("control");
        ret->agent = best_agent(w);
        ret->prompt = cv_walk_control_prompt(w);
        return ret->prompt.p;
    case CV_TASK_COUNT:
        break;
    }
    return false;
}

/* ---- beginning -----------------------------------------------------------------------------------------------------
 */

static cv_attempt_row row_of(cv_walk *w, const cv_walk_call *asked, int attempts)
{
    assert(asked->agent && asked->prompt.p && attempts >= 0);
    cv_attempt_row row;
    const cv_reach *reach = &asked->agent->reach;
    cv_row_clear(&cv_attempt_row_type, &row);
    row.round = asked->round;
    row.who = asked->who;
    row.attempt = attempts + 1;
    row.task = cv_task_words.items[asked->task];
    row.agent = asked->agent->name;
    row.reach = cv_reach_words.items[reach->way];
    row.model = reach->model.n ? reach->model : (cv_str){NULL, 0};
    row.state = cv_attempt_words.items[CV_ATTEMPT_STARTED];
    row.started_at = cv_call_now(w->call);
    row.prompt_bytes = (int64_t)asked->prompt.n;
    row.prompt_sha256 = cv_hash_text(w->arena, asked->prompt);
    if (reach->way != CV_REACH_HUMAN)
        row.output =
            cv_str_of(cv_run_rows_where(w->arena, w->call->root, w->facts.dialogue_id,
                                        cv_arena_printf(w->arena, "round-%lld/%.*s-%lld.md", (long long)row.round,
                                                        CV_FMT(row.who), (long long)row.attempt)
                                            .p)
                          .path);
    if (reach->way == CV_REACH_MAILBOX)
        row.message_id = cv_arena_copy(w->arena, cv_walk_op(w, row.round, row.who, row.attempt, ""));
    return row;
}

static bool make_folder(cv_walk *w, int64_t round)
{
    cv_err err = {.arena = w->call->arena};
    cv_where where = cv_run_rows_where(&w->step, w->call->root, w->facts.dialogue_id,
                                       cv_arena_printf(&w->step, "round-%lld", (long long)round).p);
    return cv_folder_make_private(where, &err) || cv_call_fail(w->call, &err);
}

static void call_agent(cv_walk *w, const cv_attempt_row *row, const cv_walk_call *asked)
{
    assert(row->output.n > 0 && "its answer has a place");
    const cv_variable variables[] = {
        {CV_STR("CONCLAVE_DIALOGUE"), w->facts.dialogue_id},
        {CV_STR("CONCLAVE_ROUND"), cv_arena_printf(&w->step, "%lld", (long long)row->round)},
        {CV_STR("CONCLAVE_EXPERT"), row->who},
        {CV_STR("CONCLAVE_ROLE"), asked->role},
        {CV_STR("CONCLAVE_TASK"), row->task},
        {CV_STR("CONCLAVE_ATTEMPT"), cv_arena_printf(&w->step, "%lld", (long long)row->attempt)},
    };
    const cv_calls_request request = {.reach = &asked->agent->reach,
                                      .prompt = asked->prompt,
                                      .output = cv_walk_path(w, row),
                                      .root = w->call->root,
                                      .variables = variables,
                                      .variable_count = CV_COUNT(variables),
                                      .timeout_ms = w->settings->timeout_ms,
                                      .tag = cv_arena_dup(w->arena, row, sizeof *row)};
    cv_calls_start(w->calls, &request);
}

/* The rows are in the record before anybody is called. */
static bool start(cv_walk *w, const cv_walk_call *asked, const cv_attempt_row *rows, size_t count)
{
    cv_err err = {.arena = w->call->arena};
    for (size_t i = 0; i < count; i++)
        if (!make_folder(w, rows[i].round))
            return false;
    if (!cv_run_rows_begin(&w->run_rows, rows, count, &err))
        return cv_call_fail(w->call, &err);
    for (size_t i = 0; i < count; i++) {
        cv_walk_tell_attempt(w, &rows[i]);
        if (asked[i].agent->reach.way <= CV_REACH_ENDPOINT)
            call_agent(w, &rows[i], &asked[i]);
        else if (!cv_walk_mail(w, cv_walk_row(w, rows[i].round, rows[i].who, rows[i].attempt), &asked[i]))
            return false;
    }
    return true;
}

bool cv_walk_ask(cv_walk *w, cv_step step)
{
    size_t most = w->facts.seat_count, count = 0;
    cv_walk_call *asked = CV_NEW_ARRAY(&w->step, most, cv_walk_call);
    cv_attempt_row *rows = CV_NEW_ARRAY(&w->step, most, cv_attempt_row);
    while (step.kind == CV_STEP_ASK) { /* all of them in one write, as far as the plan goes */
        cv_seat *seat = &w->folded[step.seat];
        assert(count < most);
        if (!cv_walk_prepare(w, CV_TASK_RESPONSE, step.seat, &asked[count]))
            return false;
        rows[count] = row_of(w, &asked[count], seat->attempts);
        seat->state = CV_SEAT_RUNNING;
        if (!seat->awaited) {
            w->plan.running++;
            if (w->settings->budget.tokens != CV_ABSENT || w->settings->budget.cost != CV_ABSENT)
                step.kind = CV_STEP_WAIT; /* the next one only when this one is counted in */
        }
        count++;
        if (step.kind == CV_STEP_ASK)
            step = cv_plan_next(&w->plan);
    }
    return start(w, asked, rows, count);
}

bool cv_walk_ask_one(cv_walk *w, cv_run_task task)
{
    cv_walk_call asked;
    const cv_seat *seat = task == CV_TASK_ROUND     ? &w->plan.round
                          : task == CV_TASK_VERDICT ? &w->plan.verdict
                                                    : &w->plan.other;
    if (!cv_walk_prepare(w, task, 0, &asked))
        return false;
    if (!asked.agent) { /* a control without anybody who could be called */
        w->settings->control = false;
        return true;
    }
    /* The judge's attempts of a round are counted through, whatever they are for. */
    int attempts = seat->attempts;
    for (size_t i = 0; i < w->run_rows.attempts.count; i++) {
        const cv_attempt_row *other = &w->run_rows.attempts.items[i];
        if (other->round == asked.round && cv_str_eq(other->who, asked.who) && other->attempt > attempts)
            attempts = (int)other->attempt;
    }
    cv_attempt_row row = row_of(w, &asked, attempts);
    return start(w, &asked, &row, 1);
}

/* ---- what came of it -----------------------------------------------------------------------------------------------
 */

static bool says_nothing(cv_str answer)
{
    cv_str text = cv_str_trim(answer);
    while (text.n && strchr("`*_.[]\"", text.p[0]))
        text = cv_str_from(text, 1);
    while (text.n && strchr("`*_.[]\"", text.p[text.n - 1]))
        text.n--;
    return cv_str_eq_nocase(text, CV_STR("NO CONTRIBUTION"));
}

static int64_t count_markers(const cv_json *summary)
{
    int64_t n = 0;
    for (uint32_t i = 0; summary && i < summary->count; i++)
        if (summary->members[i].value.type == CV_JSON_ARRAY)
            n += summary->members[i].value.count;
    return n;
}

/* What the dialogue did not understand, in lines for its author. */
static cv_str diagnostics_text(cv_arena *a, const cv_json *reply)
{
    const cv_json *all = cv_json_get(reply, CV_STR("diagnostics"));
    cv_buf out = {0};
    for (uint32_t i = 0; all && i < all->count; i++) {
        const cv_json *one = &all->items[i];
        cv_str suggestion = cv_json_get_text(one, "suggestion");
        cv_buf_printf(&out, "- line %lld: %.*s%s%.*s\n", (long long)cv_json_get_int(one, "line", 0),
                      CV_FMT(cv_json_get_text(one, "message")), suggestion.n ? "; " : "", CV_FMT(suggestion));
    }
    return cv_buf_take(&out, a);
}

static cv_str respond_members(cv_walk *w, const cv_attempt_row *row, cv_str answer, const char *how)
{
    cv_buf out = {0};
    cv_json_writer json = {.out = &out};
    cv_json_begin_object(&json);
    cv_json_key_int(&json, "round", row->round);
    cv_json_key_str(&json, "expert", row->who);
    if (says_nothing(answer))
        cv_json_key_bool(&json, "no_contribution", true);
    else
        cv_json_key_str(&json, "content", answer);
    if (*how)
        cv_json_key_bool(&json, how, true);
    cv_json_key_str(&json, "op_id", cv_walk_op(w, row->round, row->who, row->attempt, how));
    cv_json_end_object(&json);
    cv_str all = cv_buf_take(&out, &w->step);
    return cv_str_head(cv_str_from(all, 1), all.n - 2);
}

static void set_state(cv_attempt_row *row, cv_attempt_state state)
{
    assert(state < CV_ATTEMPT_STATE_COUNT && state != CV_ATTEMPT_STARTED);
    row->state = cv_attempt_words.items[state];
}

/* Would the dialogue take it, and understand something of it? */
static void check_response(cv_walk *w, cv_attempt_row *row, cv_str answer)
{
    cv_reply reply;
    cv_facts_ask(w->call, &w->step, "respond", w->facts.dialogue_id, respond_members(w, row, answer, "dry_run"),
                 &reply);
    if (!reply.done) {
        bool is_there =
            reply.errs.items[0].code && cv_str_eq(cv_err_word(reply.errs.items[0].code), CV_STR("response_exists"));
        row->message =
            is_there ? CV_STR("it has sent its answer itself") : cv_arena_copy(w->arena, reply.errs.items[0].message);
        row->faults = is_there ? (cv_str){NULL, 0} : cv_walk_faults(w->arena, &reply.errs);
        set_state(row, is_there ? CV_ATTEMPT_ANSWERED : CV_ATTEMPT_FAULTY);
        w->stale = w->stale || is_there;
        return;
    }
    row->markers = count_markers(cv_json_get(&reply.json, CV_STR("summary")));
    if (row->markers > 0 || says_nothing(answer))
        return;
    row->faults = diagnostics_text(w->arena, &reply.json);
    row->message = CV_STR("the answer has no marks");
    set_state(row, CV_ATTEMPT_UNMARKED);
}

static void check_answer(cv_walk *w, cv_attempt_row *row, cv_str answer)
{
    int task = cv_words_find(cv_task_words, row->task);
    cv_str json, faults;
    if (task == CV_TASK_RESPONSE) {
        check_response(w, row, answer);
    } else if (task == CV_TASK_CONTROL) {
        row->answer = cv_arena_copy(w->arena, answer);
    } else if (cv_walk_judge_check(w, (cv_run_task)task, answer, &json, &faults)) {
        row->answer = cv_arena_copy(w->arena, json);
    } else {
        row->faults = cv_arena_copy(w->arena, faults);
        cv_str first = cv_str_head(faults, cv_str_find_char(faults, '\n'));
        row->message = cv_arena_printf(w->arena, "refused: %.*s", CV_FMT(cv_str_from(first, strlen("- "))));
        set_state(row, CV_ATTEMPT_FAULTY);
    }
}

static cv_str copy_if(cv_arena *a, cv_str text)
{
    return text.n ? cv_arena_copy(a, text) : (cv_str){NULL, 0};
}

/* A limit of cost that nothing counts towards would be believed in: it is said once. */
static void warn_of_cost(cv_walk *w, const cv_attempt_row *row)
{
    bool is_call = cv_words_find(cv_reach_words, row->reach) <= CV_REACH_ENDPOINT;
    if (w->said_unpriced || w->settings->budget.cost == CV_ABSENT || row->cost != CV_ABSENT || !is_call)
        return;
    w->said_unpriced = true;
    cv_notice_add(&w->warnings, w->arena, CV_STR("cost_unknown"),
                  "%.*s reports no cost and has no prices (price_in, price_out): its calls do not count towards %s",
                  CV_FMT(row->agent), w->call->confined ? "max_cost" : "--max-cost");
    cv_walk_tell_warning(w, &w->warnings.items[w->warnings.count - 1]);
}

static void conclude(cv_walk *w, cv_attempt_row *row, const cv_calls_result *result)
{
    set_state(row, (cv_attempt_state)(CV_ATTEMPT_ANSWERED + (int)result->outcome));
    row->model = result->model.n ? cv_arena_copy(w->arena, result->model) : row->model;
    row->message = copy_if(w->arena, result->message);
    row->tail = copy_if(w->arena, result->tail);
    row->answer_sha256 = copy_if(w->arena, result->answer_hash);
    row->duration_ms = result->duration_ms;
    row->exit_status = result->exit_status;
    row->http_status = result->http_status;
    row->retry_after_ms = result->retry_after_ms;
    row->tokens_in = result->tokens_in;
    row->tokens_out = result->tokens_out;
    row->cost = result->cost;
    row->answer_bytes = result->bytes;
    if (result->outcome == CV_CALL_ANSWERED) {
        warn_of_cost(w, row);
        check_answer(w, row, result->answer);
    } else if (result->outcome == CV_CALL_EMPTY) {
        row->faults = CV_STR("- your answer was empty\n");
    }
}

bool cv_walk_end_attempts(cv_walk *w, cv_attempt_row *const *rows, size_t count)
{
    cv_err err = {.arena = w->call->arena};
    if (count && !cv_run_rows_end(&w->run_rows, rows, count, &err))
        return cv_call_fail(w->call, &err);
    for (size_t i = 0; i < count; i++)
        cv_walk_tell_attempt(w, rows[i]);
    return true;
}

bool cv_walk_finish(cv_walk *w, cv_attempt_row *row, const cv_calls_result *result)
{
    conclude(w, row, result);
    return cv_walk_end_attempts(w, &row, 1);
}

enum { MOST_TOGETHER = 4 << 20 }; /* bytes of answers that are in memory for one write */

bool cv_walk_take_results(cv_walk *w, int wait_ms)
{
    cv_attempt_row *rows[CV_CALLS_MOST];
    cv_calls_result result;
    size_t count = 0, bytes = 0;
    while (count < CV_COUNT(rows) && bytes < MOST_TOGETHER &&
           cv_calls_step(w->calls, &w->step, count ? 0 : wait_ms, &result)) {
        const cv_attempt_row *tag = result.tag;
        rows[count] = cv_walk_row(w, tag->round, tag->who, tag->attempt);
        bytes += result.answer.n;
        conclude(w, rows[count++], &result);
    }
    return cv_walk_end_attempts(w, rows, count);
}

/* ---- handing in ----------------------------------------------------------------------------------------------------
 */

/* The answer is gone, or the dialogue does not take it: the attempt was none, or it is told what was wrong. */
static bool take_back(cv_walk *w, cv_attempt_row *row, cv_attempt_state state, cv_str message, cv_str faults)
{
    row->message = cv_arena_copy(w->arena, message);
    row->faults = copy_if(w->arena, faults);
    set_state(row, state);
    return cv_walk_end_attempts(w, &row, 1);
}

static bool response_exists(const cv_reply *reply)
{
    return !reply->done && reply->errs.count &&
           cv_str_eq(cv_err_word(reply->errs.items[0].code), CV_STR("response_exists"));
}

/* A file that the agent has written beside its answer is in the way: it is kept beside it. */
static bool only_file_is_there(cv_walk *w, const cv_reply *reply, cv_str slug)
{
    cv_reply answer;
    if (!response_exists(reply))
        return false;
    cv_facts_ask(w->call, &w->step, "round-verify", w->facts.dialogue_id, CV_STR(""), &answer);
    const cv_json *missing = answer.done ? cv_json_get(&answer.json, CV_STR("missing")) : NULL;
    for (uint32_t i = 0; missing && i < missing->count; i++)
        if (cv_str_eq(missing->items[i].text, slug))
            return true;
    return false;
}

bool cv_walk_hand_in(cv_walk *w, size_t seat)
{
    cv_str slug = w->facts.seats[seat].slug;
    cv_attempt_row *row = cv_walk_row(w, w->facts.next_round, slug, w->folded[seat].answer);
    cv_str text = cv_walk_output(w, row);
    cv_reply reply;
    if (!text.p)
        return take_back(w, row, CV_ATTEMPT_LOST, CV_STR("the file with the answer cannot be read"), CV_STR(""));
    cv_facts_ask(w->call, &w->step, "respond", w->facts.dialogue_id, respond_members(w, row, text, ""), &reply);
    if (only_file_is_there(w, &reply, slug))
        cv_facts_ask(w->call, &w->step, "respond", w->facts.dialogue_id, respond_members(w, row, text, "replace"),
                     &reply);
    if (response_exists(&reply)) {
        w->stale = true; /* it has sent its response itself: the facts will say so */
        return true;
    }
    if (!reply.done && !cv_err_is_refusal(reply.errs.items[0].code))
        return cv_walk_fail(w, &reply.errs);
    if (!reply.done) {
        w->stale = true;
        return take_back(w, row, CV_ATTEMPT_FAULTY, reply.errs.items[0].message, cv_walk_faults(&w->step, &reply.errs));
    }
    w->facts.seats[seat].responded = true;
    cv_walk_tell_response(w, row);
    return true;
}
