/* compare.c - what boards and trackers say against what the record derives; see play.h.
 *
 * Nothing is mended: the record keeps what was said and done, and a board that was added up wrongly, or left behind,
 * stays what it is. Every difference is told with both figures and the reason when it is known.
 */
#include "base/utf8.h"
#include "dialogue/dynamics.h"
#include "dialogue/import/play.h"
#include "dialogue/pace.h"

typedef struct {
    cv_script *s;
    const cv_played *played;
    cv_state state;
    cv_pace pace;
    size_t own_tensions; /* that experts raised, besides the tracker's */
} comparing;

static void differ(comparing *c, size_t sheet, size_t line, cv_str what, int64_t says, int64_t derives, cv_str why)
{
    if (says == CV_ABSENT || says == derives)
        return;
    cv_difference *d = cv_script_differ(c->s, sheet, line, what);
    d->says = cv_arena_printf(c->s->arena, "%lld", (long long)says);
    d->derives = cv_arena_printf(c->s->arena, "%lld", (long long)derives);
    d->why = why;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static int64_t signals_in(const cv_state *s, int64_t round)
{
    cv_map signalled = {0};
    cv_arena a = {0};
    for (size_t i = 0; i < s->moves.count; i++)
        if (s->moves.items[i].round == round && cv_move_signals(&s->moves.items[i]))
            cv_map_put(&signalled, &a, s->moves.items[i].expert_slug, NULL);
    int64_t count = (int64_t)signalled.count;
    cv_arena_release(&a);
    return count;
}

static int64_t converge_percent(const cv_state *s, int64_t round)
{
    const cv_rec_seat *seats;
    size_t panel = cv_state_panel(s, round, &seats);
    return panel ? signals_in(s, round) * 100 / (int64_t)panel : 0;
}

static cv_str why_open(const comparing *c)
{
    if (c->played->threads.threads.count && c->own_tensions)
        return cv_arena_printf(c->s->arena,
                               "the board counts the tracker's tensions; the experts raised %zu of their own",
                               c->own_tensions);
    return (cv_str){NULL, 0};
}

static void compare_round(comparing *c, size_t round, int64_t *sum)
{
    const cv_act *act = &c->s->acts[round];
    const cv_rec_round *row = cv_state_round(&c->state, (int64_t)round);
    const cv_pace_round *pace = cv_pace_at(&c->pace, (int64_t)round);
    const cv_board_row *said = &act->said;
    cv_arena *a = c->s->arena;
    int64_t of_experts = 0;
    if (!row)
        return;
    *sum += row->score;
    for (size_t i = 0; i < act->scores.count; i++)
        of_experts += act->scores.items[i].points.total;
    if (said->line == 0)
        return;
#define WHAT(text) cv_arena_printf(a, "round %zu: " text, round)
    differ(c, act->said_sheet, said->line, WHAT("score"), said->points.total, row->score,
           CV_STR("it was recorded before"));
    if (act->scores.count)
        differ(c, act->said_sheet, said->line, WHAT("sum of the experts"), said->points.total, of_experts,
               cv_arena_printf(a, "the scores of the experts add up to %lld, the board says %lld",
                               (long long)of_experts, (long long)said->points.total));
    differ(c, act->said_sheet, said->line, WHAT("score so far"), said->sum, *sum, (cv_str){NULL, 0});
    differ(c, act->said_sheet, said->line, WHAT("open tensions"), said->open, pace->open_tensions, why_open(c));
    differ(c, act->said_sheet, said->line, WHAT("new perspectives"), said->fresh, pace->new_perspectives,
           CV_STR("the record counts every marked perspective, refinements included"));
    differ(c, act->said_sheet, said->line, WHAT("velocity"), said->velocity, cv_pace_velocity(pace),
           CV_STR("open tensions plus new perspectives"));
    differ(c, act->said_sheet, said->line, WHAT("convergence in percent"), said->converge,
           converge_percent(&c->state, (int64_t)round), CV_STR("experts of the panel with MOVE:CONVERGE"));
#undef WHAT
}

/* ---- agents ------------------------------------------------------------------------------------------------------ */

static bool has_round_scores(const cv_script *s)
{
    for (size_t i = 0; i < s->act_count; i++)
        if (s->acts[i].scores.count)
            return true;
    return false;
}

static void compare_sums(comparing *c)
{
    cv_script *s = c->s;
    int64_t sum = 0;
    if (s->sums.count == 0)
        return;
    for (size_t i = 0; i < s->sums.count; i++) {
        const cv_part_score *score = &s->sums.items[i];
        const cv_rec_expert *expert = cv_state_expert(&c->state, s->players.items[score->player].slug);
        sum += score->points.total;
        if (expert && (has_round_scores(s) || s->act_count == 1))
            differ(c, score->sheet, score->line,
                   cv_arena_printf(s->arena, "score of %.*s", CV_FMT(expert->expert_slug)), score->points.total,
                   expert->total_score == CV_ABSENT ? 0 : expert->total_score, (cv_str){NULL, 0});
    }
    if (!has_round_scores(s) && s->act_count > 1)
        differ(c, s->sums.items[0].sheet, s->sums.items[0].line, CV_STR("scores of the agents"), sum,
               c->state.dialogue.total_alignment == CV_ABSENT ? 0 : c->state.dialogue.total_alignment,
               CV_STR("the board gives sums over all rounds; to which rounds they belong is not said"));
}

/* ---- tensions ---------------------------------------------------------------------------------------------------- */

static void compare_thread(comparing *c, const cv_thread *thread)
{
    const cv_rec_origin *origin = cv_state_origin(&c->state, thread->local_id);
    const cv_rec_entity *row = origin ? cv_state_entity(&c->state, origin->display_id) : NULL;
    const cv_tracked *said = &thread->from->row;
    if (said->status < 0) {
        if (said->word.n)
            cv_script_misunderstand(c->s, thread->from->sheet, said->line, said->word,
                                    "%.*s: this is not a known status", CV_FMT(said->id));
        return;
    }
    if (!row || cv_str_eq(row->status, cv_statuses[said->status].word))
        return;
    cv_difference *d =
        cv_script_differ(c->s, thread->from->sheet, said->line,
                         cv_arena_printf(c->s->arena, "%.*s (%.*s)", CV_FMT(said->id), CV_FMT(origin->display_id)));
    d->says = cv_statuses[said->status].word;
    d->derives = row->status;
    d->why = CV_STR("what the experts and later rounds say about it decides");
}

static void compare_status(comparing *c)
{
    bool says = cv_str_starts_nocase(c->s->status, CV_STR("converge")) ||
                cv_str_starts_nocase(c->s->status, CV_STR("complete"));
    if (!says || cv_str_eq(c->state.dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_CONVERGED]))
        return;
    cv_difference *d = cv_script_differ(c->s, CV_NO_SHEET, 0, CV_STR("status"));
    d->says = cv_excerpt(c->s->arena, c->s->status);
    d->derives = c->state.dialogue.status;
    d->why = CV_STR("a dialogue is converged by its final verdict, and no section is one");
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void tell_tempo(comparing *c)
{
    cv_pace_begin(&c->pace, c->s->arena);
    for (size_t i = 0; i < c->state.events.count; i++) {
        const cv_rec_event *event = &c->state.events.items[i];
        uint32_t place = cv_place_of(event->subject_id);
        if (place != CV_NO_PLACE && cv_kind_of_letter(event->subject_type.p[0]) >= 0)
            cv_pace_tell(&c->pace, place, event->event_type, event->step);
    }
    cv_pace_end(&c->pace);
}

bool cv_play_compare(const cv_call *call, cv_record *record, cv_script *s, cv_played *played)
{
    const cv_wanted wanted = {.no_content = true};
    comparing *c = CV_NEW(s->arena, comparing);
    cv_call own = *call;
    cv_err err = {.arena = s->arena};
    int64_t sum = 0;
    own.arena = s->arena;
    own.record = record;
    c->s = s;
    c->played = played;
    if (!cv_state_load(&own, played->dialogue_id, &wanted, &c->state, &err)) {
        *CV_PUSH(s->arena, &played->failures) = (cv_remark){CV_NO_SHEET, 0, CV_STR("compare"), cv_err_text(&err)};
        return false;
    }
    played->rev = c->state.position.rev;
    for (size_t i = 0; i < c->state.entities.count; i++)
        c->own_tensions += c->state.entities.items[i].kind.p[0] == cv_kinds[CV_KIND_TENSION].letter;
    for (size_t i = 0; i < played->threads.threads.count && c->own_tensions > 0; i++)
        c->own_tensions--;
    tell_tempo(c);
    for (size_t round = 0; round < s->act_count; round++)
        compare_round(c, round, &sum);
    compare_sums(c);
    for (size_t i = 0; i < played->threads.threads.count; i++)
        compare_thread(c, &played->threads.threads.items[i]);
    compare_status(c);
    return true;
}
