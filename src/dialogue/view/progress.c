/* progress.c - where a dialogue stands; see progress.h. */
#include "dialogue/view/progress.h"

#include "dialogue/answer.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/protocol.h"
#include "dialogue/words/limits.h"

enum { PACE = 3 }; /* rounds that the estimate looks back */

static bool is_given_up(const cv_state *s)
{
    return cv_str_eq(s->dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_ABANDONED]);
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

/* Tensions that must still be closed for the target; a target below 1 leaves some open. */
static int64_t to_close(const cv_course *c, const cv_convergence *convergence)
{
    double spared = (1 - cv_convergence_target(&c->s)) * (double)convergence->tensions;
    return (int64_t)convergence->open_count - (int64_t)(spared + 1e-9);
}

static cv_estimate by_pace(cv_arena *a, const cv_course *c, int64_t left)
{
    int64_t last = c->rounds[c->count - 1].row->round, back = c->count > PACE ? PACE : (int64_t)c->count - 1;
    if (back == 0)
        return (cv_estimate){CV_ABSENT, CV_STR("one round shows no trend")};
    int64_t fell = c->rounds[c->count - 1 - (size_t)back].open_tensions - c->rounds[c->count - 1].open_tensions;
    if (fell <= 0)
        return (cv_estimate){CV_ABSENT, CV_STR("open tensions did not become fewer")};
    int64_t rounds = (left * back + fell - 1) / fell;
    if (last + rounds > CV_MAX_ROUND)
        return (cv_estimate){CV_ABSENT, cv_arena_printf(a, "at this pace not before round %d", CV_MAX_ROUND)};
    int64_t now = c->rounds[c->count - 1].open_tensions, before = now + fell;
    cv_str since = back == 1 ? CV_STR("the last round") : cv_arena_printf(a, "the last %lld rounds", (long long)back);
    return (cv_estimate){rounds, cv_arena_printf(a, "open tensions fell from %lld to %lld in %.*s", (long long)before,
                                                 (long long)now, CV_FMT(since))};
}

cv_estimate cv_progress_estimate(cv_arena *a, const cv_course *c, const cv_convergence *convergence)
{
    if (is_given_up(&c->s))
        return (cv_estimate){0, CV_STR("the dialogue was abandoned")};
    if (cv_state_is_closed(&c->s))
        return (cv_estimate){0, CV_STR("the dialogue is decided")};
    if (c->count == 0)
        return (cv_estimate){CV_ABSENT, CV_STR("no round is registered")};
    if (convergence->converged)
        return (cv_estimate){0, CV_STR("the target is reached")};
    int64_t left = to_close(c, convergence);
    if (left <= 0)
        return (cv_estimate){1, CV_STR("enough tensions are closed; signals are missing")};
    return by_pace(a, c, left);
}

/* ---- the next step ----------------------------------------------------------------------------------------------- */

static cv_next_step call_next(cv_str text, cv_str operation)
{
    return (cv_next_step){.text = text, .operation = operation};
}

/* A command line takes a request from a file; a tool is given its fields. */
static void with(cv_next_step *step, const char *name, cv_argument_form form, cv_str value)
{
    step->more[step->count++] = (cv_argument){name, value, form};
}

static cv_next_step decide(cv_arena *a, cv_str why)
{
    cv_next_step step = call_next(cv_arena_printf(a, "%.*s: register the final verdict.", CV_FMT(why)),
                                  CV_STR("dialogue verdict-register"));
    with(&step, "data", CV_ARGUMENT_COMMAND, CV_STR("@verdict.json"));
    with(&step, "verdict_id", CV_ARGUMENT_TOOL, CV_STR("\"final\""));
    with(&step, "verdict_type", CV_ARGUMENT_TOOL, CV_STR("\"final\""));
    with(&step, "recommendation", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    with(&step, "description", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    return step;
}

static cv_next_step recruit(void)
{
    cv_next_step step =
        call_next(CV_STR("Nobody takes part: add experts, then seat them."), CV_STR("dialogue expert-create"));
    with(&step, "data", CV_ARGUMENT_COMMAND, CV_STR("@expert.json"));
    with(&step, "role", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    with(&step, "tier", CV_ARGUMENT_TOOL, CV_STR("\"Core\""));
    with(&step, "reason", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    return step;
}

static cv_next_step seat(cv_arena *a, const cv_state *s)
{
    cv_next_step step = call_next(CV_STR("Nobody sits: seat the panel."), CV_STR("dialogue evolve-panel"));
    long long round = (long long)cv_state_next_round(s);
    with(&step, "data", CV_ARGUMENT_COMMAND, CV_STR("@panel.json"));
    with(&step, "round", CV_ARGUMENT_TOOL, cv_arena_printf(a, "%lld", round));
    with(&step, "panel", CV_ARGUMENT_TOOL, CV_STR("[{\"slug\":\"…\",\"source\":\"created\"}]"));
    return step;
}

/* Prompts, responses, a draft of what they say, the round. */
static cv_next_step next_round(cv_arena *a, const cv_course *c, size_t panel)
{
    long long round = (long long)cv_state_next_round(&c->s);
    if (c->responses == 0)
        return call_next(cv_arena_printf(a, "Write the prompts of round %lld and ask the panel.", round),
                         CV_STR("dialogue round-prompts"));
    if (c->responses < panel)
        return call_next(cv_arena_printf(a, "%zu of %zu experts have answered round %lld: see who is missing.",
                                         c->responses, panel, round),
                         CV_STR("dialogue round-verify"));
    cv_next_step step =
        call_next(cv_arena_printf(a, "All experts have answered: draft round %lld, score it, register it.", round),
                  CV_STR("dialogue draft"));
    with(&step, "payload_only", CV_ARGUMENT_COMMAND, CV_STR("true"));
    return step;
}

static cv_next_step next_step(cv_arena *a, const cv_course *c, const cv_convergence *convergence)
{
    const cv_state *s = &c->s;
    const cv_rec_seat *seats;
    size_t panel = cv_state_panel(s, CV_MAX_ROUND, &seats);
    if (is_given_up(s) || cv_state_is_closed(s))
        return call_next(is_given_up(s) ? CV_STR("The dialogue was abandoned; what was said can be exported.")
                                        : CV_STR("The final verdict stands: export the decision."),
                         CV_STR("dialogue export"));
    if (s->experts.count == 0)
        return recruit();
    if (panel == 0)
        return seat(a, s);
    if (c->count > 0 && convergence->converged)
        return decide(a, CV_STR("The target is reached"));
    if (cv_state_next_round(s) > CV_MAX_ROUND)
        return decide(a, cv_arena_printf(a, "There can be no round after %d", CV_MAX_ROUND));
    if (c->count >= CV_PROTOCOL_ROUNDS)
        return decide(a, cv_arena_printf(a, "%zu rounds are enough", c->count));
    return next_round(a, c, panel);
}

/* From the course, which is there already, to the rest. */
static void judge(cv_arena *a, cv_progress *p)
{
    cv_convergence_of(a, &p->course.s, &p->convergence);
    cv_standings_of(a, &p->course, p->course.count, &p->standings);
    p->estimate = cv_progress_estimate(a, &p->course, &p->convergence);
    p->next = next_step(a, &p->course, &p->convergence);
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static void write_rounds(cv_json_writer *w, const cv_course *c)
{
    cv_json_key(w, CV_STR("rounds"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < c->count; i++) {
        const cv_course_round *r = &c->rounds[i];
        cv_json_begin_object(w);
        cv_json_key_int(w, "round", r->row->round);
        cv_answer_text(w, "title", r->row->title);
        cv_json_key_int(w, "score", r->row->score);
        cv_answer_int(w, "score_delta", r->score_delta);
        cv_course_print_round(r, w);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_blockers(cv_json_writer *w, cv_arena *a, const cv_progress *p)
{
    const cv_state *s = &p->course.s;
    cv_json_key(w, CV_STR("blockers"));
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("tensions"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *tension = &s->entities.items[i];
        if (!cv_tension_is_open(tension))
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", cv_entity_id(a, tension));
        cv_json_key_str(w, "label", tension->label);
        cv_json_key_str(w, "status", tension->status);
        cv_json_key(w, CV_STR("raised_by"));
        cv_json_raw(w, tension->contributors);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("experts"));
    cv_json_raw(w, cv_json_texts(a, p->convergence.missing, p->convergence.missing_count));
    cv_json_end_object(w);
}

static void write_convergence(cv_json_writer *w, cv_arena *a, const cv_progress *p)
{
    const cv_convergence *c = &p->convergence;
    cv_str target = p->course.s.dialogue.convergence_target;
    cv_json_key(w, CV_STR("convergence"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "percentage", c->percentage);
    cv_json_key(w, CV_STR("target"));
    cv_json_raw(w, target.n ? target : CV_STR("1"));
    cv_json_key_bool(w, "converged", c->converged);
    cv_json_key_int(w, "tensions", (int64_t)c->tensions);
    cv_json_key_int(w, "closed_tensions", (int64_t)(c->tensions - c->open_count));
    cv_json_key_int(w, "panel_size", (int64_t)c->panel);
    cv_json_key_int(w, "converge_signals", (int64_t)(c->panel - c->missing_count));
    write_blockers(w, a, p);
    cv_json_end_object(w);
}

static void write_leaders(cv_json_writer *w, const cv_progress *p)
{
    cv_json_key(w, CV_STR("leaderboard"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < p->standings.count; i++) {
        const cv_standing *one = &p->standings.items[i];
        cv_json_begin_object(w);
        cv_standing_print(one, w);
        cv_answer_int(w, "last_score", p->course.count ? one->scores[p->course.count - 1] : CV_ABSENT);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_outlook(cv_json_writer *w, const cv_progress *p)
{
    cv_json_key(w, CV_STR("estimate"));
    cv_json_begin_object(w);
    cv_answer_int(w, "rounds_left", p->estimate.rounds_left);
    cv_json_key_str(w, "reason", p->estimate.reason);
    cv_json_end_object(w);
    cv_json_key(w, CV_STR("next_step"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "text", p->next.text);
    cv_json_key_str(w, "command", p->next.command);
    cv_json_end_object(w);
}

static void write_progress(cv_call *call, const cv_progress *p)
{
    const cv_state *s = &p->course.s;
    int64_t next = cv_state_next_round(s);
    bool over = is_given_up(s) || cv_state_is_closed(s) || next > CV_MAX_ROUND;
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_course_print_head(&p->course, &w);
    cv_answer_int(&w, "current_round", next ? next - 1 : CV_ABSENT);
    cv_answer_int(&w, "next_round", over ? CV_ABSENT : next);
    cv_json_key_int(&w, "responses_waiting", (int64_t)p->course.responses);
    cv_json_key_int(&w, "total_alignment", s->dialogue.total_alignment == CV_ABSENT ? 0 : s->dialogue.total_alignment);
    write_rounds(&w, &p->course);
    write_convergence(&w, call->arena, p);
    write_leaders(&w, p);
    write_outlook(&w, p);
    if (call->for_people)
        cv_json_key_str(&w, "text", cv_progress_text(call->arena, p));
    cv_json_end_object(&w);
}

bool cv_dialogue_progress(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_progress *p = CV_NEW(call->arena, cv_progress);
    if (!cv_course_load(call, cv_json_get_text(call->input, "dialogue_id"), false, &p->course, &err))
        return cv_call_fail(call, &err);
    judge(call->arena, p);
    p->next.command = cv_call_name(call, p->next.operation, p->course.s.id, p->next.more, p->next.count);
    write_progress(call, p);
    return true;
}
