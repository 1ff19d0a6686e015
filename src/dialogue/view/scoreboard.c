/* scoreboard.c - who scored what in which round; see scoreboard.h. */
#include "dialogue/view/scoreboard.h"

#include "dialogue/answer.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static void count_rounds(cv_arena *a, cv_scoreboard *b)
{
    cv_components cumulative = cv_no_components;
    int64_t total = 0;
    b->rounds = CV_NEW_ARRAY(a, b->end, cv_board_round);
    for (size_t i = 0; i < b->end; i++) {
        const cv_rec_round *row = b->course.rounds[i].row;
        cv_components components = cv_components_parse(a, row->score_components);
        cv_components_add(&cumulative, &components);
        total += row->score;
        b->rounds[i] = (cv_board_round){components, cumulative, total, CV_ABSENT};
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
    const cv_rec_round *row = b->course.rounds[i].row;
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
    int64_t round = b->course.rounds[i].row->round, sum = one->components[i].sum;
    if (sum == CV_ABSENT || sum == one->scores[i])
        return;
    cv_str slug = one->expert->expert_slug;
    cv_notice *note = cv_notice_add(&b->notes, a, CV_STR("score_mismatch"),
                                    "round %lld, %.*s: the score is %lld, its components add up to %lld",
                                    (long long)round, CV_FMT(slug), (long long)one->scores[i], (long long)sum);
    cv_notice_expert(note, slug);
    cv_notice_round(note, round);
}

/* From the course and the choice of rounds, which are there already, to the rest. */
static void count_board(cv_arena *a, cv_scoreboard *b)
{
    cv_standings_of(a, &b->course, b->end, &b->standings);
    count_rounds(a, b);
    for (size_t i = b->begin; i < b->end; i++) {
        note_round(a, b, i);
        for (size_t e = 0; e < b->standings.count; e++)
            note_expert(a, b, &b->standings.items[e], i);
    }
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static void key_components(cv_json_writer *w, const char *key, const cv_components *components)
{
    cv_json_key(w, cv_str_of(key));
    cv_components_print(components, w);
}

static void write_rounds(cv_json_writer *w, const cv_scoreboard *b)
{
    cv_json_key(w, CV_STR("rounds"));
    cv_json_begin_array(w);
    for (size_t i = b->begin; i < b->end; i++) {
        const cv_course_round *r = &b->course.rounds[i];
        cv_json_begin_object(w);
        cv_json_key_int(w, "round", r->row->round);
        cv_answer_text(w, "title", r->row->title);
        cv_json_key_int(w, "score", r->row->score);
        key_components(w, "components", &b->rounds[i].components);
        cv_json_key_int(w, "cumulative_score", b->rounds[i].total);
        key_components(w, "cumulative_components", &b->rounds[i].cumulative);
        cv_answer_int(w, "expert_scores", b->rounds[i].of_experts);
        cv_shape_write_members(w, cv_course_measures, r);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_scores(cv_json_writer *w, const cv_scoreboard *b, const cv_standing *one)
{
    cv_json_key(w, CV_STR("scores"));
    cv_json_begin_array(w);
    for (size_t i = b->begin; i < b->end; i++) {
        cv_json_begin_object(w);
        cv_json_key_int(w, "round", b->course.rounds[i].row->round);
        cv_answer_int(w, "score", one->scores[i]);
        key_components(w, "components", &one->components[i]);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_experts(cv_json_writer *w, const cv_scoreboard *b)
{
    cv_json_key(w, CV_STR("experts"));
    cv_json_begin_array(w);
    for (size_t e = 0; e < b->standings.count; e++) {
        const cv_standing *one = &b->standings.items[e];
        cv_json_begin_object(w);
        cv_shape_write_members(w, cv_standing_shape, one);
        key_components(w, "total_components", &one->total_components);
        write_scores(w, b, one);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_board(cv_call *call, const cv_scoreboard *b)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_shape_write_members(&w, cv_course_head, &b->course);
    cv_json_key_int(&w, "total_alignment", b->end ? b->rounds[b->end - 1].total : 0);
    write_rounds(&w, b);
    write_experts(&w, b);
    cv_notices_answer(&b->notes, &w);
    if (call->for_people)
        cv_json_key_str(&w, "text", cv_scoreboard_text(call->arena, b));
    cv_json_end_object(&w);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

/* All rounds, or the one that was asked for. */
static bool choose_rounds(cv_call *call, cv_scoreboard *b)
{
    int64_t wanted = cv_json_get_int(call->input, "round", CV_ABSENT);
    b->end = b->course.count;
    if (wanted == CV_ABSENT)
        return true;
    for (size_t i = 0; i < b->course.count; i++)
        if (b->course.rounds[i].row->round == wanted) {
            b->begin = i;
            b->end = i + 1;
            return true;
        }
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "round",
                              cv_arena_printf(call->arena, "%lld", (long long)wanted), "round %lld is not registered",
                              (long long)wanted);
    cv_err_suggest(fault, b->course.count ? cv_arena_printf(call->arena, "the last round is %lld",
                                                            (long long)cv_state_next_round(&b->course.s) - 1)
                                          : CV_STR("no round is registered yet"));
    return false;
}

bool cv_dialogue_scoreboard(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_scoreboard *b = CV_NEW(call->arena, cv_scoreboard);
    if (!cv_course_load(call, cv_json_get_text(call->input, "dialogue_id"), false, &b->course, &err))
        return cv_call_fail(call, &err);
    if (!choose_rounds(call, b))
        return false;
    count_board(call->arena, b);
    write_board(call, b);
    return true;
}
