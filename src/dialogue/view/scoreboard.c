/* scoreboard.c - who scored what in which round; see scoreboard.h. */
#include "dialogue/view/scoreboard.h"

#include "dialogue/answer.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"
#include "dialogue/words/limits.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static void count_rounds(cv_arena *a, cv_scoreboard *b)
{
    cv_components cumulative = cv_no_components;
    int64_t total = 0;
    b->rounds = CV_NEW_ARRAY(a, b->end, cv_board_round);
    for (size_t i = 0; i < b->end; i++) {
        const cv_overview_round *round = &b->overview.rounds[i];
        cv_components components = cv_components_parse(a, round->row->score_components);
        cv_components_add(&cumulative, &components);
        total += round->row->score;
        b->rounds[i] = (cv_board_round){round, round->row, components, cumulative, total, CV_ABSENT};
    }
    for (size_t e = 0; e < b->standings.count; e++)
        for (size_t i = b->begin; i < b->end; i++) {
            int64_t score = b->standings.items[e].scores[i], *sum = &b->rounds[i].of_experts;
            if (score != CV_ABSENT)
                *sum = score + (*sum == CV_ABSENT ? 0 : *sum);
        }
}

/* ---- what does not add up ---------------------------------------------------------------------------------------- */

static void note_round(cv_arena *a, cv_scoreboard *b, size_t i)
{
    const cv_rec_round *row = b->overview.rounds[i].row;
    const cv_board_round *r = &b->rounds[i];
    if (r->of_experts != CV_ABSENT && r->of_experts != row->score)
        cv_notice_round(cv_notice_add(&b->notes, a, CV_STR("round_score_mismatch"),
                                      "round %lld: the score is %lld, the experts' scores add up to %lld",
                                      (long long)row->round, (long long)row->score, (long long)r->of_experts),
                        row->round);
    if (r->components.sum != CV_ABSENT && r->components.sum != row->score)
        cv_notice_round(cv_notice_add(&b->notes, a, CV_STR("round_score_mismatch"),
                                      "round %lld: the score is %lld, its components add up to %lld",
                                      (long long)row->round, (long long)row->score, (long long)r->components.sum),
                        row->round);
}

static void note_expert(cv_arena *a, cv_scoreboard *b, const cv_standing *one, size_t i)
{
    int64_t round = b->overview.rounds[i].row->round, sum = one->components[i].sum;
    if (sum == CV_ABSENT || sum == one->scores[i])
        return;
    cv_str slug = one->expert->expert_slug;
    cv_notice *note = cv_notice_add(&b->notes, a, CV_STR("score_mismatch"),
                                    "round %lld, %.*s: the score is %lld, its components add up to %lld",
                                    (long long)round, CV_FMT(slug), (long long)one->scores[i], (long long)sum);
    cv_notice_expert(note, slug);
    cv_notice_round(note, round);
}

/* From the overview and the choice of rounds, which are there already, to the rest. */
static void count_board(cv_arena *a, cv_scoreboard *b)
{
    cv_standings_of(a, &b->overview, b->end, &b->standings);
    count_rounds(a, b);
    for (size_t i = b->begin; i < b->end; i++) {
        note_round(a, b, i);
        for (size_t e = 0; e < b->standings.count; e++)
            note_expert(a, b, &b->standings.items[e], i);
    }
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static void write_components(cv_json_writer *w, const void *components)
{
    cv_components_print(components, w);
}

#define COMPONENTS(name, member, about)                                                                                \
    CV_BY_HAND_AT(name, member, write_components,                                                                      \
                  "{\"type\":[\"object\",\"null\"],\"properties\":{\"W\":{\"type\":\"integer\"},"                      \
                  "\"C\":{\"type\":\"integer\"},\"T\":{\"type\":\"integer\"},\"R\":{\"type\":\"integer\"}},"           \
                  "\"additionalProperties\":false,\"description\":\"" about "\"}")

#define CV_THIS_TYPE cv_board_round
static const cv_shape round_shape[] = {
    CV_NUMBER_OF(ALWAYS, "round", row, round, 0, CV_MAX_ROUND, ""),
    CV_FIELD_OF(OR_NULL, row, title, ""),
    CV_FIELD_OF(ALWAYS, row, score, ""),
    COMPONENTS("components", components, "null: none given"),
    CV_FIELD_AS(ALWAYS, "cumulative_score", total, "of the rounds up to this one"),
    COMPONENTS("cumulative_components", cumulative, "those that were given"),
    CV_FIELD_AS(OR_NULL, "expert_scores", of_experts, "their sum; null: no expert was scored"),
    CV_SPREAD_AT(overview, cv_overview_measures),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_board_score
static const cv_shape score_shape[] = {
    CV_NUMBER(ALWAYS, "round", round, 0, CV_MAX_ROUND, ""),
    CV_FIELD(OR_NULL, score, "null: not scored"),
    COMPONENTS("components", components, "null: none given"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_board_expert
static const cv_shape expert_shape[] = {
    CV_SPREAD(standing, cv_standing_shape),
    COMPONENTS("total_components", standing.total_components, "those that were given"),
    CV_LIST("scores", scores.items, scores.count, score_shape, "one for every round shown"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_scoreboard
const cv_shape cv_scoreboard_shape[] = {
    CV_SUCCESS,
    CV_SPREAD(overview, cv_overview_head),
    CV_FIELD(ALWAYS, total_alignment, "of the rounds up to the last one shown"),
    CV_LIST("rounds", shown, shown_count, round_shape, ""),
    CV_LIST("experts", experts.items, experts.count, expert_shape, "by total, then by name"),
    CV_WARNINGS(notes, "scores that do not add up, or of experts who were absent"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

static void write_board(cv_call *call, cv_scoreboard *b)
{
    cv_arena *a = call->arena;
    cv_json_writer w = {.out = call->out};
    b->total_alignment = b->end ? b->rounds[b->end - 1].total : 0;
    b->shown = b->rounds + b->begin;
    b->shown_count = b->end - b->begin;
    for (size_t e = 0; e < b->standings.count; e++) {
        const cv_standing *one = &b->standings.items[e];
        cv_board_expert *expert = CV_PUSH(a, &b->experts);
        *expert = (cv_board_expert){.standing = *one};
        for (size_t i = b->begin; i < b->end; i++)
            *CV_PUSH(a, &expert->scores) =
                (cv_board_score){b->rounds[i].row->round, one->scores[i], one->components[i]};
    }
    if (call->for_people)
        b->text = cv_scoreboard_text(cv_chart_for(call), b);
    cv_shape_write(&w, cv_scoreboard_shape, b);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

/* All rounds, or the one that was asked for. */
static bool choose_rounds(cv_call *call, cv_scoreboard *b)
{
    int64_t wanted = cv_json_get_int(call->input, "round", CV_ABSENT);
    b->end = b->overview.count;
    if (wanted == CV_ABSENT)
        return true;
    for (size_t i = 0; i < b->overview.count; i++)
        if (b->overview.rounds[i].row->round == wanted) {
            b->begin = i;
            b->end = i + 1;
            return true;
        }
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "round",
                              cv_arena_printf(call->arena, "%lld", (long long)wanted), "round %lld is not registered",
                              (long long)wanted);
    cv_err_suggest(fault, b->overview.count ? cv_arena_printf(call->arena, "the last round is %lld",
                                                              (long long)cv_state_next_round(&b->overview.s) - 1)
                                            : CV_STR("no round is registered yet"));
    return false;
}

bool cv_dialogue_scoreboard(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_scoreboard *b = CV_NEW(call->arena, cv_scoreboard);
    if (!cv_overview_load(call, cv_json_get_text(call->input, "dialogue_id"), 0, &b->overview, &err))
        return cv_call_fail(call, &err);
    if (!choose_rounds(call, b))
        return false;
    b->notes = b->overview.notes;
    count_board(call->arena, b);
    write_board(call, b);
    return true;
}
