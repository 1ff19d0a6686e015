/* show.c - one dialogue as the page to look at; see show.h. */
#include "dialogue/view/show.h"

#include "dialogue/labels.h"
#include "dialogue/operations.h"
#include "dialogue/view/timeline.h"

/* ---- gathering --------------------------------------------------------------------------------------------------- */

static void find_verdicts(cv_arena *a, cv_show *s)
{
    const cv_state *state = &s->progress.overview.s;
    s->decision = cv_overview_final(&s->progress.overview);
    for (size_t i = 0; i < state->verdicts.count; i++)
        if (&state->verdicts.items[i] != s->decision)
            *CV_PUSH(a, &s->others) = &state->verdicts.items[i];
}

/* Without a panel everybody takes part. */
static bool sits(const cv_overview_round *r, cv_str slug)
{
    for (size_t i = 0; i < r->seat_count; i++)
        if (cv_str_eq(r->seats[i].expert_slug, slug))
            return true;
    return r->seat_count == 0;
}

/* Those who never sat are not told. */
static void find_sitters(cv_arena *a, cv_show *s)
{
    const cv_overview *o = &s->progress.overview;
    for (size_t i = 0; i < s->progress.standings.count; i++) {
        const cv_standing *standing = &s->progress.standings.items[i];
        cv_sitter one = {.standing = standing, .rounds = CV_NEW_ARRAY(a, o->count, int64_t)};
        for (size_t k = 0; k < o->count; k++)
            if (sits(&o->rounds[k], standing->expert->expert_slug))
                one.rounds[one.round_count++] = o->rounds[k].row->round;
        if (one.round_count > 0)
            *CV_PUSH(a, &s->sitters) = one;
    }
}

/* The last event of a tension that changed its status gave the one that it has. */
static void find_tension_statuses(cv_arena *a, cv_show *s)
{
    const cv_state *state = &s->progress.overview.s;
    cv_timeline *line = CV_NEW(a, cv_timeline);
    for (size_t i = 0; i < state->entities.count; i++) {
        const cv_rec_entity *row = &state->entities.items[i];
        *CV_PUSH(a, &s->tensions) = (cv_tension_status){.id = cv_entity_id(a, row), .row = row, .since = row->round};
    }
    for (size_t i = 0; i < state->events.count; i++) {
        const cv_rec_event *event = &state->events.items[i];
        const cv_rec_entity *row = cv_state_entity(state, event->subject_id);
        cv_moment moment = cv_timeline_next(line, event);
        if (!row || !moment.from.n || cv_str_eq(moment.from, moment.to))
            continue;
        cv_tension_status *tension = &s->tensions.items[row - state->entities.items];
        tension->since = event->step;
        tension->via = event->reference;
    }
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_rec_verdict
static const cv_shape decision_shape[] = {
    CV_FIELD(ALWAYS, verdict_id, ""),
    CV_FIELD(OR_NULL, round, ""),
    CV_FIELD(ALWAYS, recommendation, "what was decided"),
    CV_FIELD(ALWAYS, description, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "conditions", conditions, ""),
    CV_FIELD(OR_NULL, vote, ""),
    CV_FIELD(OR_NULL, confidence, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "recommendations_adopted", recommendations_adopted, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "key_evidence", key_evidence, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "key_claims", key_claims, ""),
    CV_FIELD(ALWAYS, created_at, ""),
    {0},
};

static const cv_shape other_shape[] = {
    CV_FIELD(ALWAYS, verdict_id, ""),
    CV_FIELD(ALWAYS, verdict_type, "dissent, minority, interim"),
    CV_FIELD(OR_NULL, author_expert, ""),
    CV_FIELD(OR_NULL, round, ""),
    CV_FIELD(ALWAYS, recommendation, ""),
    CV_FIELD(ALWAYS, description, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "supporting_experts", supporting_experts, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_sitter
static const cv_shape sitter_shape[] = {
    CV_SPREAD_AT(standing, cv_standing_shape),
    CV_INTS("rounds", rounds, round_count, "in which the expert sat"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_tension_status
static const cv_shape tension_shape[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD_OF(ALWAYS, row, label, ""),
    CV_FIELD_OF(ALWAYS, row, status, ""),
    CV_FIELD(OR_NULL, since, "the round of that status"),
    CV_FIELD(IF_ANY, via, "the entity or verdict that gave it"),
    CV_JSON_OF_AS(OR_EMPTY, NAMES, "raised_by", row, contributors, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_overview_round
static const cv_shape round_shape[] = {
    CV_NUMBER_OF(ALWAYS, "round", row, round, 0, CV_NO_LIMIT, ""),
    CV_FIELD_OF(OR_NULL, row, title, ""),
    CV_FIELD_OF(ALWAYS, row, score, ""),
    CV_FIELD(ALWAYS, open_tensions, "once the round was registered"),
    CV_FIELD_AS(ALWAYS, "converge_percentage", percentage, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_show
const cv_shape cv_show_shape[] = {
    CV_SUCCESS,
    CV_SPREAD(progress.overview, cv_overview_head),
    CV_FIELD_AS(OR_NULL, "question", progress.overview.s.dialogue.question, ""),
    CV_FIELD_AS(OR_ZERO, "total_alignment", progress.overview.s.dialogue.total_alignment, ""),
    CV_FIELD(IF_ANY, archived, "lists leave it out"),
    CV_JSON_AS(IF_ANY, NAMES, "tags", progress.overview.s.dialogue.tags, ""),
    CV_OBJECT_AT(OR_NULL, "decision", decision, decision_shape, "the final verdict; null: there is none yet"),
    CV_LIST_AT("verdicts", others.items, others.count, other_shape, "the others, dissent and minority among them"),
    CV_LIST("experts", sitters.items, sitters.count, sitter_shape, "who sat, by total, then by name"),
    CV_WARNINGS_IF_ANY(progress.overview.notes, "scores of experts who were absent"),
    CV_LIST("tensions", tensions.items, tensions.count, tension_shape, "all of them, with their status"),
    CV_LIST("rounds", progress.overview.rounds, progress.overview.count, round_shape, ""),
    CV_OBJECT(ALWAYS, "convergence", progress, cv_progress_convergence, "how far it is, and what blocks the decision"),
    CV_OBJECT(ALWAYS, "next_step", progress.next, cv_next_step_shape, ""),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_dialogue_show(cv_call *call)
{
    const uint32_t whole = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(VERDICT) | CV_REC_BIT(EVENT);
    cv_err err = {.arena = call->arena};
    cv_show *s = CV_NEW(call->arena, cv_show);
    cv_json_writer w = {.out = call->out};
    if (!cv_progress_load(call, cv_json_get_text(call->input, "dialogue_id"), whole, &s->progress, &err))
        return cv_call_fail(call, &err);
    s->archived = cv_dialogue_is_archived(&s->progress.overview.s.dialogue);
    find_verdicts(call->arena, s);
    find_sitters(call->arena, s);
    find_tension_statuses(call->arena, s);
    if (call->for_people)
        s->text = cv_show_text(cv_chart_for(call), s);
    cv_shape_write(&w, cv_show_shape, s);
    return true;
}
