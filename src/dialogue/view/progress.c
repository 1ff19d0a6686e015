/* progress.c - the state of a dialogue; see progress.h. */
#include "dialogue/view/progress.h"

#include "dialogue/answer.h"
#include "dialogue/intake/response_files.h"
#include "dialogue/operations.h"
#include "dialogue/panel/pool.h"
#include "dialogue/people.h"
#include "dialogue/protocol.h"
#include "dialogue/words/limits.h"

enum { PACE = 3 }; /* rounds that the estimate looks back */

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

/* Tensions that must still be closed for the target; a target below 1 leaves some open. */
static int64_t to_close(const cv_overview *c, const cv_convergence *convergence)
{
    double spared = (1 - cv_convergence_target(&c->s)) * (double)convergence->tensions;
    return (int64_t)convergence->open_count - (int64_t)(spared + 1e-9);
}

static cv_estimate by_pace(cv_arena *a, const cv_overview *c, int64_t left)
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

cv_estimate cv_progress_estimate(cv_arena *a, const cv_overview *c, const cv_convergence *convergence)
{
    if (cv_state_is_abandoned(&c->s))
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

/* What only the judge knows is left out of a command line, which then names each option that is missing; a tool
 * gets its fields. */
static void with(cv_next_step *step, const char *name, cv_argument_form form, cv_str value)
{
    step->more[step->count++] = (cv_argument){name, value, form};
}

static cv_next_step decide(cv_arena *a, cv_str why)
{
    cv_next_step step = call_next(cv_arena_printf(a, "%.*s: register the final verdict.", CV_FMT(why)),
                                  CV_STR("dialogue verdict-register"));
    with(&step, "verdict_id", CV_ARGUMENT_TEXT, CV_STR("final"));
    with(&step, "verdict_type", CV_ARGUMENT_TEXT, CV_STR("final"));
    with(&step, "recommendation", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    with(&step, "description", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    return step;
}

static cv_next_step recruit(void)
{
    cv_next_step step =
        call_next(CV_STR("There are no experts: add some, then seat them."), CV_STR("dialogue expert-create"));
    with(&step, "role", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    with(&step, "tier", CV_ARGUMENT_TEXT, CV_STR("Core"));
    with(&step, "reason", CV_ARGUMENT_TOOL, CV_STR("\"…\""));
    return step;
}

/* Who can be seated: those who have joined, or, before anybody has, the roles of the pool. */
static cv_str candidates(cv_arena *a, const cv_state *s)
{
    cv_str *slugs;
    cv_json pool;
    cv_err none = {.arena = a};
    size_t count = cv_state_slugs(a, s, &slugs);
    cv_buf names = {0};
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&names, "%s%.*s", i ? "," : "", CV_FMT(slugs[i]));
    if (count == 0 && s->dialogue.expert_pool.n && cv_json_parse(a, s->dialogue.expert_pool, &pool, &none))
        return cv_pool_roles(a, cv_json_get(&pool, CV_STR("experts")));
    return cv_buf_take(&names, a);
}

static cv_next_step seat(cv_arena *a, const cv_state *s, cv_str who)
{
    cv_next_step step = call_next(CV_STR("There is no panel: seat it."), CV_STR("dialogue evolve-panel"));
    with(&step, "round", CV_ARGUMENT_JSON, cv_arena_printf(a, "%lld", (long long)cv_state_next_round(s)));
    with(&step, "add", CV_ARGUMENT_COMMAND, who);
    with(&step, "panel", CV_ARGUMENT_TOOL,
         s->experts.count ? CV_STR("[{\"slug\":\"…\",\"source\":\"created\"}]")
                          : CV_STR("[{\"role\":\"…\",\"source\":\"pool\"}]"));
    return step;
}

/* Prompts, responses, a draft of what they say, the round. */
static cv_next_step next_round(cv_arena *a, const cv_overview *c, size_t panel)
{
    long long round = (long long)cv_state_next_round(&c->s);
    if (c->responses == 0)
        return call_next(cv_arena_printf(a, "Write the prompts of round %lld and ask the panel.", round),
                         CV_STR("dialogue round-prompts"));
    if (c->responses < panel)
        return call_next(cv_arena_printf(a, "%zu of %zu experts %s answered round %lld: see who is missing.",
                                         c->responses, panel, c->responses == 1 ? "has" : "have", round),
                         CV_STR("dialogue round-verify"));
    cv_next_step step =
        call_next(cv_arena_printf(a, "All experts have answered: draft round %lld, score it, register it.", round),
                  CV_STR("dialogue draft"));
    with(&step, "payload_only", CV_ARGUMENT_COMMAND, CV_STR("true"));
    return step;
}

static cv_next_step next_step(cv_arena *a, const cv_overview *c, const cv_convergence *convergence)
{
    const cv_state *s = &c->s;
    const cv_rec_seat *seats;
    size_t panel = cv_state_panel(s, CV_MAX_ROUND, &seats);
    if (cv_state_is_abandoned(s) || cv_state_is_closed(s))
        return call_next(cv_state_is_abandoned(s) ? CV_STR("The dialogue was abandoned; what was said can be exported.")
                                                  : CV_STR("There is a final verdict: export the decision."),
                         CV_STR("dialogue export"));
    if (panel == 0) {
        cv_str who = candidates(a, s);
        return who.n ? seat(a, s, who) : recruit();
    }
    if (c->count > 0 && convergence->converged)
        return decide(a, CV_STR("The target is reached"));
    if (cv_state_next_round(s) > CV_MAX_ROUND)
        return decide(a, cv_arena_printf(a, "There can be no round after %d", CV_MAX_ROUND));
    if (c->count >= CV_PROTOCOL_ROUNDS)
        return decide(a, cv_arena_printf(a, "%zu rounds are enough", c->count));
    return next_round(a, c, panel);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void find_blockers(cv_arena *a, cv_progress *p)
{
    const cv_state *s = &p->overview.s;
    for (size_t i = 0; i < s->entities.count; i++)
        if (cv_tension_is_open(&s->entities.items[i]))
            *CV_PUSH(a, &p->blockers) = (cv_blocker){cv_entity_id(a, &s->entities.items[i]), &s->entities.items[i]};
}

static void find_unregistered(cv_arena *a, cv_progress *p)
{
    const cv_state *s = &p->overview.s;
    for (size_t i = 0; i < s->positions.count; i++) {
        bool again = false;
        for (size_t k = 0; k < p->unregistered.count; k++)
            again = again || cv_str_eq(p->unregistered.items[k], s->positions.items[i].expert_slug);
        if (!again && cv_dissent_unregistered(s, &s->positions.items[i]))
            *CV_PUSH(a, &p->unregistered) = s->positions.items[i].expert_slug;
    }
}

/* From the overview, which is there already, to the rest. */
static void judge(cv_arena *a, cv_progress *p)
{
    const cv_state *s = &p->overview.s;
    cv_convergence *c = &p->convergence;
    int64_t next = cv_state_next_round(s);
    cv_convergence_by(a, s, &p->overview.stances, c);
    cv_standings_of(a, &p->overview, p->overview.count, &p->standings);
    find_blockers(a, p);
    find_unregistered(a, p);
    p->estimate = cv_progress_estimate(a, &p->overview, c);
    p->next = next_step(a, &p->overview, c);
    p->current_round = next ? next - 1 : CV_ABSENT;
    p->next_round = cv_state_is_abandoned(s) || cv_state_is_closed(s) || next > CV_MAX_ROUND ? CV_ABSENT : next;
    p->target = s->dialogue.convergence_target.n ? s->dialogue.convergence_target : CV_STR("1");
    p->closed = c->tensions - c->open_count;
}

bool cv_progress_load(cv_call *call, cv_str dialogue_id, uint32_t whole, cv_progress *ret, cv_err *err)
{
    *ret = (cv_progress){0};
    if (!cv_overview_load(call, dialogue_id, whole | CV_REC_BIT(DIALOGUE), &ret->overview, err))
        return false;
    judge(call->arena, ret);
    cv_next_step *next = &ret->next;
    next->command = cv_call_name(call, next->operation, ret->overview.s.id, next->more, next->count);
    return true;
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_overview_round
static const cv_shape round_shape[] = {
    CV_NUMBER_OF(ALWAYS, "round", row, round, 0, CV_MAX_ROUND, ""),
    CV_FIELD_OF(OR_NULL, row, title, ""),
    CV_FIELD_OF(ALWAYS, row, score, ""),
    CV_FIELD(OR_NULL, score_delta, "since the round before"),
    CV_SPREAD_SAME(cv_overview_measures),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_blocker
static const cv_shape blocker[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD_OF(ALWAYS, tension, label, ""),
    CV_FIELD_OF(ALWAYS, tension, status, ""),
    CV_JSON_OF_AS(OR_EMPTY, NAMES, "raised_by", tension, contributors, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_standing
static const cv_shape leader[] = {
    CV_SPREAD_SAME(cv_standing_shape),
    CV_FIELD(OR_NULL, last_score, "of the last round"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_unsent
static const cv_shape file_shape[] = {
    CV_FIELD(ALWAYS, expert, ""),
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(IF_ANY, command, "the command that sends it"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_estimate
static const cv_shape estimate[] = {
    CV_FIELD(OR_NULL, rounds_left, "null: unknown"),
    CV_FIELD(ALWAYS, reason, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_next_step
const cv_shape cv_next_step_shape[] = {
    CV_FIELD(ALWAYS, text, ""),
    CV_FIELD(ALWAYS, command, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_progress
static const cv_shape blockers[] = {
    CV_LIST("tensions", blockers.items, blockers.count, blocker, "those that are open"),
    CV_TEXTS("experts", convergence.missing, convergence.missing_count, "experts without a signal in force"),
    CV_LIST_(TEXTS, CV_IF_ANY, false, "dissenting", convergence.dissenting, convergence.dissenting_count, NULL,
             "experts who dissent"),
    CV_LIST_(TEXTS, CV_IF_ANY, false, "dissent_not_registered", unregistered.items, unregistered.count, NULL,
             "experts whose response has a dissent that is in no verdict"),
    {0},
};

const cv_shape cv_progress_convergence[] = {
    CV_NUMBER(ALWAYS, "percentage", convergence.percentage, 0, 100, "the smaller share, of tensions or of experts"),
    CV_JSON_AS(ALWAYS, NUMBER, "target", target, "1: everything"),
    CV_FIELD_AS(ALWAYS, "converged", convergence.converged, "the target is reached, or there is a final verdict"),
    CV_FIELD_AS(IF_ANY, "percentage_before_verdict", convergence.before,
                "when the final verdict came before the target"),
    CV_FIELD_AS(ALWAYS, "tensions", convergence.tensions, ""),
    CV_FIELD_AS(ALWAYS, "closed_tensions", closed, ""),
    CV_FIELD_AS(ALWAYS, "panel_size", convergence.panel, ""),
    CV_FIELD_AS(ALWAYS, "converge_signals", convergence.signals, ""),
    CV_GROUP("blockers", blockers, ""),
    {0},
};

const cv_shape cv_progress_shape[] = {
    CV_SUCCESS,
    CV_SPREAD(overview, cv_overview_head),
    CV_FIELD(OR_NULL, current_round, "the last that is registered"),
    CV_FIELD(OR_NULL, next_round, "null: there will be none"),
    CV_FIELD_AS(ALWAYS, "responses_waiting", overview.responses, "of experts, for the next round"),
    CV_LIST_(LIST, CV_IF_ANY, false, "files_not_handed_in", files.items, files.count, file_shape,
             "responses to the next round that the record does not have"),
    CV_FIELD_AS(OR_ZERO, "total_alignment", overview.s.dialogue.total_alignment, ""),
    CV_LIST("rounds", overview.rounds, overview.count, round_shape, ""),
    CV_GROUP("convergence", cv_progress_convergence, "as it is now"),
    CV_LIST("leaderboard", standings.items, standings.count, leader, "by total, then by name"),
    CV_WARNINGS_IF_ANY(overview.notes, "scores of experts who were absent"),
    CV_OBJECT(ALWAYS, "estimate", estimate, estimate, ""),
    CV_OBJECT(ALWAYS, "next_step", next, cv_next_step_shape, ""),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

/* Responses that experts wrote into files and nobody handed in: they are the next step, before anybody is asked again.
 * A folder that cannot be read is left out here; round-verify says why. */
static void find_files(cv_call *call, cv_progress *p)
{
    cv_attendance attendance;
    cv_response_files all = {0};
    cv_err ignored = {.arena = call->arena};
    const cv_state *s = &p->overview.s;
    if (p->next_round == CV_ABSENT)
        return;
    cv_attendance_of(call->arena, s, p->next_round, &attendance);
    if (!cv_response_files_look(call, s, p->next_round, &attendance, &all, &ignored))
        return;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].state == CV_RESPONSE_FILE_NOT_IN_RECORD || all.items[i].state == CV_RESPONSE_FILE_DIFFERS)
            *CV_PUSH(call->arena, &p->files) =
                (cv_unsent){all.items[i].expert, all.items[i].path, all.items[i].command};
    if (p->files.count == 0 || cv_str_eq(p->next.operation, CV_STR("dialogue verdict-register")))
        return;
    p->next = call_next(cv_arena_printf(call->arena, "%zu response file%s of round %lld %s not sent: see which.",
                                        p->files.count, CV_PLURAL(p->files.count), (long long)p->next_round,
                                        p->files.count == 1 ? "was" : "were"),
                        CV_STR("dialogue round-verify"));
    p->next.command = cv_call_name(call, p->next.operation, s->id, NULL, 0);
}

bool cv_dialogue_progress(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_progress *p = CV_NEW(call->arena, cv_progress);
    cv_json_writer w = {.out = call->out};
    if (!cv_progress_load(call, cv_json_get_text(call->input, "dialogue_id"), 0, p, &err))
        return cv_call_fail(call, &err);
    find_files(call, p);
    if (call->for_people)
        p->text = cv_progress_text(cv_chart_for(call), p);
    cv_shape_write(&w, cv_progress_shape, p);
    return true;
}
