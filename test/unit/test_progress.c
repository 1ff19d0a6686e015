/* test_progress.c - the progress of a dialogue, compared with recomputing everything from all events, rows and
 * moves. */
#include "slow.h"
#include "world.h"

#include "dialogue/people.h"
#include "dialogue/view/chart.h"
#include "dialogue/view/progress.h"
#include "dialogue/view/scoreboard.h"
#include "dialogue/words/limits.h"

static int set_up(void **state)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return cv_world_set_up(state);
}

static const char *const bakers[] = {"muffin", "cupcake", "scone", "eclair", "donut", NULL};
enum { BAKERS = 5 };

/* ---- a dialogue that nobody planned ------------------------------------------------------------------------------ */

static void add_tensions(cv_buf *b, cv_test_random *r, int round)
{
    cv_buf_add_z(b, ", 'tensions': [");
    for (size_t i = 0, n = cv_test_below(r, 4); i < n; i++)
        cv_buf_printf(b, "%s{'local_id': 'SCONE-T%02d%02zu', 'label': 'T', 'content': 'c', 'contributors': ['scone']}",
                      i ? "," : "", round, i + 1);
    cv_buf_add_z(b, "], 'perspectives': [");
    for (size_t i = 0, n = cv_test_below(r, 4); i < n; i++)
        cv_buf_printf(b,
                      "%s{'local_id': 'MUFFIN-P%02d%02zu', 'label': 'P', 'content': 'c', 'contributors': ['muffin']}",
                      i ? "," : "", round, i + 1);
    cv_buf_add_z(b, "]");
}

/* Each tension so far may be changed to what its status allows. */
static void add_updates(cv_buf *b, cv_test_random *r, const cv_state *s, cv_arena *a)
{
    static const char *const next[][2] = {{"open", "addressed"},
                                          {"addressed", "resolved"},
                                          {"resolved", "reopened"},
                                          {"reopened", "resolved"},
                                          {"accepted", "reopened"}};
    bool any = false;
    cv_buf_add_z(b, ", 'tension_updates': [");
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        if (entity->kind.p[0] != 'T' || cv_test_below(r, 3) == 0)
            continue;
        for (size_t k = 0; k < CV_COUNT(next); k++)
            if (cv_str_eq(entity->status, cv_str_of(next[k][0]))) {
                cv_buf_printf(b, "%s{'id': '%.*s', 'status': '%s', 'reason': 'r', 'by': ['judge']}", any ? "," : "",
                              CV_FMT(cv_entity_id(a, entity)), next[k][1]);
                any = true;
            }
    }
    cv_buf_add_z(b, "]");
}

static void add_people(cv_buf *b, cv_test_random *r)
{
    bool any = false;
    cv_buf_add_z(b, ", 'moves': [");
    for (size_t i = 0; i < BAKERS; i++)
        if (cv_test_below(r, 2)) {
            cv_buf_printf(b, "%s{'expert': '%s', 'type': 'converge'}", any ? "," : "", bakers[i]);
            any = true;
        }
    cv_buf_add_z(b, "], 'expert_scores': {");
    any = false;
    for (size_t i = 0; i < BAKERS - 1; i++)
        if (cv_test_below(r, 3)) {
            cv_buf_printf(b, "%s'%s': %zu", any ? "," : "", bakers[i], cv_test_below(r, 20));
            any = true;
        }
    cv_buf_add_z(b, "}");
}

static void register_round(cv_world *w, cv_test_random *r, const char *id, int round)
{
    cv_buf b = {0};
    cv_state s = cv_world_state(w, id);
    cv_buf_printf(&b, "{'dialogue_id': '%s', 'round': %d, 'score': %zu", id, round, cv_test_below(r, 60));
    add_tensions(&b, r, round);
    add_updates(&b, r, &s, &w->turn);
    add_people(&b, r);
    cv_buf_add_char(&b, '}');
    cv_buf_add_char(&b, '\0');
    cv_world_do(w, "round-register", cv_arena_copy_z(&w->a, (cv_str){b.p, b.n - 1}));
    cv_buf_release(&b);
}

/* An interim verdict about an earlier round accepts a tension: it holds from that round on. */
static void look_back(cv_world *w, cv_test_random *r, const char *id, int round)
{
    cv_state s = cv_world_state(w, id);
    for (size_t i = 0; i < s.entities.count; i++) {
        const cv_rec_entity *t = &s.entities.items[i];
        if (t->kind.p[0] == 'T' && cv_str_eq(t->status, CV_STR("open"))) {
            cv_world_do(
                w, "verdict-register",
                cv_arena_printf(&w->a,
                                "{'dialogue_id': '%s', 'verdict_id': 'V%d', 'verdict_type': 'interim', 'round': %zu,"
                                "'recommendation': 'r', 'description': 'd', 'tensions_accepted': ['%.*s']}",
                                id, round, cv_test_below(r, (size_t)round + 1), CV_FMT(cv_entity_id(&w->turn, t)))
                    .p);
            return;
        }
    }
}

static void new_panel(cv_world *w, cv_test_random *r, const char *id, int round)
{
    size_t out = cv_test_below(r, BAKERS);
    cv_buf b = {0};
    cv_buf_printf(&b, "{'dialogue_id': '%s', 'round': %d, 'panel': [", id, round);
    for (size_t i = 0; i < BAKERS; i++)
        if (i != out)
            cv_buf_printf(&b, "%s{'slug': '%s', 'source': 'retained'}", i == (out == 0) ? "" : ",", bakers[i]);
    cv_buf_add_z(&b, "]}");
    cv_world_do(w, "evolve-panel", cv_arena_copy_z(&w->a, cv_buf_str(&b)));
    cv_buf_release(&b);
}

static void random_rounds(cv_world *w, cv_test_random *r, const char *id, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        register_round(w, r, id, round);
        if (cv_test_below(r, 3) == 0)
            look_back(w, r, id, round);
        if (cv_test_below(r, 4) == 0 && round + 1 < rounds)
            new_panel(w, r, id, round + 1);
    }
}

static void random_dialogue(cv_world *w, cv_test_random *r, const char *id, int rounds)
{
    cv_world_dialogue(w, id, bakers, false);
    random_rounds(w, r, id, rounds);
}

/* ---- the slow way ------------------------------------------------------------------------------------------------ */

static bool slow_signalled(const cv_state *s, cv_str slug, int64_t round)
{
    for (size_t i = 0; i < s->moves.count; i++)
        if (s->moves.items[i].round == round && cv_str_eq(s->moves.items[i].expert_slug, slug) &&
            cv_str_eq(s->moves.items[i].move_type, CV_STR("converge")))
            return true;
    return false;
}

/* Of a later round: a tension, something that opposes, a challenge. */
static bool slow_against(cv_arena *a, const cv_state *s, cv_str slug, int64_t round)
{
    for (size_t i = 0; i < s->moves.count; i++)
        if (s->moves.items[i].round == round && cv_str_eq(s->moves.items[i].expert_slug, slug) &&
            cv_str_eq(s->moves.items[i].move_type, CV_STR("challenge")))
            return true;
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *e = &s->entities.items[i];
        bool against = e->kind.p[0] == 'T';
        for (size_t k = 0; k < s->references.count; k++)
            against = against || (cv_str_eq(s->references.items[k].ref_type, CV_STR("oppose")) &&
                                  cv_str_eq(s->references.items[k].source_id, cv_entity_id(a, e)));
        if (against && e->round == round && cv_people_json_has(e->contributors, slug))
            return true;
    }
    return false;
}

static bool slow_stands(cv_arena *a, const cv_state *s, cv_str slug, int64_t round)
{
    for (; round >= 0; round--)
        if (slow_signalled(s, slug, round) || slow_against(a, s, slug, round))
            return slow_signalled(s, slug, round);
    return false;
}

static int64_t slow_percentage(cv_arena *a, const cv_state *s, int64_t round, int64_t *ret_signals, int64_t *ret_panel)
{
    int64_t of_round = -1, all = cv_slow_tensions(a, s, round, " open addressed reopened resolved accepted ");
    *ret_signals = *ret_panel = 0;
    for (size_t i = 0; i < s->seats.count; i++)
        if (s->seats.items[i].round <= round && s->seats.items[i].round > of_round)
            of_round = s->seats.items[i].round;
    for (size_t i = 0; i < s->seats.count; i++)
        if (s->seats.items[i].round == of_round) {
            ++*ret_panel;
            *ret_signals += slow_stands(a, s, s->seats.items[i].expert_slug, round);
        }
    int64_t closed = all ? (all - cv_slow_open(a, s, round)) * 100 / all : 100;
    int64_t agreed = *ret_panel ? *ret_signals * 100 / *ret_panel : 0;
    return closed < agreed ? closed : agreed;
}

static int64_t slow_total(const cv_state *s, cv_str slug)
{
    int64_t sum = CV_ABSENT;
    for (size_t i = 0; i < s->scores.count; i++)
        if (cv_str_eq(s->scores.items[i].expert_slug, slug))
            sum = s->scores.items[i].score + (sum == CV_ABSENT ? 0 : sum);
    return sum;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void assert_member(const cv_json *object, const char *key, int64_t expected)
{
    int64_t found = CV_ABSENT;
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    assert_non_null(value);
    if (value->type != CV_JSON_NULL)
        assert_true(cv_json_to_int(value, &found));
    if (found != expected)
        print_error("%s: %lld, not %lld\n", key, (long long)found, (long long)expected);
    assert_int_equal(found, expected);
}

static void assert_round(cv_arena *a, const cv_state *s, const cv_json *row, int64_t round)
{
    static const char *const statuses[] = {"open", "addressed", "resolved", "reopened", "accepted"};
    int64_t signals, panel, percentage = slow_percentage(a, s, round, &signals, &panel);
    const cv_rec_round *now = cv_state_round(s, round), *before = cv_state_round(s, round - 1);
    assert_member(row, "round", round);
    assert_member(row, "score", now->score);
    assert_member(row, "score_delta", before ? now->score - before->score : CV_ABSENT);
    assert_member(row, "velocity", cv_slow_velocity(a, s, round));
    assert_member(row, "open_tensions", cv_slow_open(a, s, round));
    assert_member(row, "new_perspectives", cv_slow_perspectives(s, round));
    assert_member(row, "converge_signals", signals);
    assert_member(row, "panel_size", panel);
    assert_member(row, "converge_percentage", percentage);
    for (size_t i = 0; i < CV_COUNT(statuses); i++)
        assert_member(cv_json_get(row, CV_STR("tensions")), statuses[i],
                      cv_slow_tensions(a, s, round, cv_arena_printf(a, " %s ", statuses[i]).p));
}

static cv_json ask(cv_world *w, const char *verb, const char *request)
{
    cv_json answer;
    cv_err err = {.arena = &w->a};
    w->for_people = true;
    cv_str text = cv_arena_copy(&w->a, cv_world_do(w, verb, request));
    assert_ok(cv_json_parse(&w->a, text, &answer, &err), &err);
    return answer;
}

static const cv_json *member(const cv_json *object, const char *key)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    assert_non_null(value);
    return value;
}

/* Progress and scoreboard of a dialogue against its rows. */
static void assert_agrees(cv_world *w, const char *id)
{
    const char *request = cv_arena_printf(&w->a, "{'dialogue_id': '%s'}", id).p;
    cv_json progress = ask(w, "progress", request), board = ask(w, "scoreboard", request);
    cv_state s = cv_world_state(w, id);
    const cv_json *rounds = member(&progress, "rounds"), *leaders = member(&progress, "leaderboard");
    const cv_json *shown = member(&board, "rounds"), *experts = member(&board, "experts");
    int64_t total = 0, before = INT64_MAX;
    assert_int_equal(rounds->count, s.rounds.count);
    for (uint32_t i = 0; i < rounds->count; i++) {
        assert_round(&w->turn, &s, &rounds->items[i], i);
        total += s.rounds.items[i].score;
        assert_member(&shown->items[i], "cumulative_score", total);
        assert_member(&shown->items[i], "velocity", cv_slow_velocity(&w->turn, &s, i));
    }
    assert_member(&progress, "total_alignment", total);
    assert_int_equal(leaders->count, s.experts.count);
    for (uint32_t i = 0; i < leaders->count; i++) {
        int64_t sum = slow_total(&s, member(&leaders->items[i], "expert_slug")->text);
        assert_true(sum <= before);
        if (sum == before)
            assert_true(cv_str_order(member(&leaders->items[i - 1], "expert_slug")->text,
                                     member(&leaders->items[i], "expert_slug")->text) < 0);
        assert_member(&leaders->items[i], "total_score", sum);
        assert_member(&leaders->items[i], "rank", sum == CV_ABSENT ? CV_ABSENT : (int64_t)i + 1);
        assert_member(&experts->items[i], "total_score", sum);
        before = sum;
    }
}

static void any_dialogue_agrees_with_the_slow_way(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {5};
    for (int i = 0; i < (cv_test_soak() ? 100 : 8); i++) {
        const char *id = cv_arena_printf(&w->a, "bread-%d", i).p;
        random_dialogue(w, &r, id, i);
        assert_agrees(w, id);
    }
}

static void the_longest_dialogue_agrees_too(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "long", bakers, false);
    for (int round = 0; round <= CV_MAX_ROUND; round++)
        cv_world_do(w, "round-register",
                    cv_arena_printf(&w->a,
                                    "{'dialogue_id': 'long', 'round': %d, 'score': %d, 'tensions': [{'local_id':"
                                    "'SCONE-T%02d01', 'label': 'T', 'content': 'c', 'contributors': ['scone']}]}",
                                    round, round % 7, round)
                        .p);
    assert_agrees(w, "long");
    cv_json progress = ask(w, "progress", "{'dialogue_id': 'long'}");
    assert_member(&progress, "current_round", CV_MAX_ROUND);
    assert_member(&progress, "next_round", CV_ABSENT);
    assert_str_has(member(&progress, "text")->text, "There can be no round after 99");
    assert_str_has(member(&progress, "text")->text, "88 earlier rounds");
}

static void a_dialogue_without_rounds_has_its_next_step(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "new", bakers, false);
    assert_agrees(w, "new");
    cv_json progress = ask(w, "progress", "{'dialogue_id': 'new'}");
    assert_member(&progress, "current_round", CV_ABSENT);
    assert_member(&progress, "next_round", 0);
    assert_member(member(&progress, "estimate"), "rounds_left", CV_ABSENT);
    assert_member(member(&progress, "convergence"), "percentage", 0);
    assert_str_eq(member(member(&progress, "next_step"), "command")->text, "conclave dialogue round-prompts new");
    cv_json board = ask(w, "scoreboard", "{'dialogue_id': 'new'}");
    assert_str_has(member(&board, "text")->text, "no round yet");
}

static void a_dialogue_without_people_has_one_too(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "empty", (const char *[]){NULL}, false);
    cv_json progress = ask(w, "progress", "{'dialogue_id': 'empty'}");
    assert_str_has(member(member(&progress, "next_step"), "command")->text, "expert-create empty");
    ask(w, "scoreboard", "{'dialogue_id': 'empty'}");
}

/* ---- the course of a small one, in detail ------------------------------------------------------------------------ */

static void convergence_is_seen(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", "cupcake", NULL}, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 3, 'tensions': [{'local_id': 'MUFFIN-T0001',"
                "'label': 'Rye or wheat', 'content': 'c', 'contributors': ['muffin']}],"
                "'moves': [{'expert': 'muffin', 'type': 'converge'}, {'expert': 'muffin', 'type': 'converge'}]}");
    cv_json progress = ask(w, "progress", "{'dialogue_id': 'bread'}");
    const cv_json *now = member(&progress, "convergence"), *blockers = member(now, "blockers");
    assert_member(now, "percentage", 0);
    assert_int_equal(member(now, "converged")->type, CV_JSON_FALSE);
    assert_str_eq(member(&member(blockers, "tensions")->items[0], "id")->text, "T0001");
    assert_str_eq(member(&member(blockers, "tensions")->items[0], "raised_by")->items[0].text, "muffin");
    assert_int_equal(member(blockers, "experts")->count, 1);
    assert_str_eq(member(blockers, "experts")->items[0].text, "cupcake");
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 1, 'score': 3, 'tension_updates': [{'id': 'T0001', 'status':"
                "'resolved', 'by': ['muffin']}], 'moves': [{'expert': 'muffin', 'type': 'converge'},"
                "{'expert': 'cupcake', 'type': 'converge'}]}");
    progress = ask(w, "progress", "{'dialogue_id': 'bread'}");
    now = member(&progress, "convergence");
    assert_member(now, "percentage", 100);
    assert_int_equal(member(now, "converged")->type, CV_JSON_TRUE);
    assert_member(member(&progress, "estimate"), "rounds_left", 0);
    assert_str_has(member(member(&progress, "next_step"), "command")->text, "verdict-register bread");
    assert_member(&member(&progress, "rounds")->items[0], "converge_percentage", 0);
}

static void responses_wait_for_their_round(void **state)
{
    cv_world *w = *state;
    static const char *const slugs[] = {"muffin", "cupcake"},
                             *const texts[] = {"1 of 2 experts has answered", "All experts have answered"},
                             *const commands[] = {"round-verify bread", "draft bread"};
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", "cupcake", NULL}, false);
    for (int64_t i = 0; i < 2; i++) {
        cv_world_do(w, "respond",
                    cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'expert': '%s', 'content': 'Rye.'}", slugs[i]).p);
        cv_json progress = ask(w, "progress", "{'dialogue_id': 'bread'}");
        assert_member(&progress, "responses_waiting", i + 1);
        assert_str_has(member(member(&progress, "next_step"), "text")->text, texts[i]);
        assert_str_has(member(member(&progress, "next_step"), "command")->text, commands[i]);
    }
    cv_world_do(w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 1}");
    cv_json progress = ask(w, "progress", "{'dialogue_id': 'bread'}");
    assert_member(&progress, "responses_waiting", 0);
}

/* Nobody was scored, or somebody got 0: these are different things. */
static void no_score_is_no_zero(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", "cupcake", NULL}, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 7, 'score_components': {'W': 5, 'truth': 1},"
                "'expert_scores': {'muffin': {'score': 0, 'score_components': {'R': 2}}}}");
    cv_json board = ask(w, "scoreboard", "{'dialogue_id': 'bread', 'round': 0}");
    const cv_json *experts = member(&board, "experts"), *warnings = member(&board, "warnings");
    assert_member(&experts->items[0], "total_score", 0);
    assert_member(&experts->items[0], "rank", 1);
    assert_member(&experts->items[1], "total_score", CV_ABSENT);
    assert_member(&member(&experts->items[1], "scores")->items[0], "score", CV_ABSENT);
    assert_member(member(&member(&board, "rounds")->items[0], "components"), "T", 1);
    assert_int_equal(warnings->count, 3);
    assert_str_eq(member(&warnings->items[0], "message")->text,
                  "round 0: the score is 7, the experts' scores add up to 0");
    assert_str_eq(member(&warnings->items[1], "message")->text, "round 0: the score is 7, its components add up to 6");
    assert_str_eq(member(&warnings->items[2], "message")->text,
                  "round 0, muffin: the score is 0, its components add up to 2");
    assert_str_has(member(&board, "text")->text, "   —  cupcake        —    —    —    —    —       —\n");
}

static void one_round_has_the_totals_up_to_it(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", NULL}, false);
    for (int round = 0; round < 3; round++)
        cv_world_do(w, "round-register",
                    cv_arena_printf(&w->a,
                                    "{'dialogue_id': 'bread', 'round': %d, 'score': 4, 'expert_scores': {'muffin': 4}}",
                                    round)
                        .p);
    cv_json board = ask(w, "scoreboard", "{'dialogue_id': 'bread', 'round': 1}");
    assert_int_equal(member(&board, "rounds")->count, 1);
    assert_member(&member(&board, "rounds")->items[0], "round", 1);
    assert_member(&board, "total_alignment", 8);
    assert_member(&member(&board, "experts")->items[0], "total_score", 8);
    assert_int_equal(member(&member(&board, "experts")->items[0], "scores")->count, 1);
    assert_false(cv_world_call(w, "scoreboard", "{'dialogue_id': 'bread', 'round': 3}"));
    assert_str_eq(w->errs.items[0].suggestion, "the last round is 2");
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

static const struct {
    int64_t open[6]; /* after each round, -1: the end */
    size_t tensions;
    const char *target;
    bool reached;
    int64_t left;
    const char *reason;
} estimates[] = {
    {{-1}, 0, "", false, CV_ABSENT, "no round is registered"},
    {{4, -1}, 4, "", false, CV_ABSENT, "one round shows no trend"},
    {{0, -1}, 4, "", false, 1, "enough tensions are closed; signals are missing"},
    {{0, -1}, 4, "", true, 0, "the target is reached"},
    {{4, 2, -1}, 5, "", false, 1, "open tensions fell from 4 to 2 in the last round"},
    {{6, 4, 5, -1}, 9, "", false, 10, "open tensions fell from 6 to 5 in the last 2 rounds"},
    {{9, 8, 6, 5, 3, -1}, 9, "", false, 2, "open tensions fell from 8 to 3 in the last 3 rounds"},
    {{9, 2, 2, 3, 3, -1}, 9, "", false, CV_ABSENT, "open tensions did not become fewer"},
    {{90, 90, 90, 89, -1}, 95, "", false, CV_ABSENT, "at this pace not before round 99"},
    {{8, 5, -1}, 10, "0.5", false, 1, "enough tensions are closed; signals are missing"},
    {{8, 6, -1}, 10, "0.6", false, 1, "open tensions fell from 8 to 6 in the last round"},
};

static void the_estimate_follows_its_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(estimates); i++) {
        cv_arena a = {0};
        cv_overview_round rounds[6] = {0};
        cv_rec_round rows[6] = {0};
        cv_overview *c = CV_NEW(&a, cv_overview);
        c->rounds = rounds;
        c->s.dialogue.convergence_target = cv_str_of(estimates[i].target);
        for (; estimates[i].open[c->count] >= 0; c->count++) {
            rows[c->count].round = (int64_t)c->count;
            rounds[c->count].row = &rows[c->count];
            rounds[c->count].open_tensions = estimates[i].open[c->count];
        }
        cv_convergence now = {.tensions = estimates[i].tensions,
                              .open_count = c->count ? (size_t)estimates[i].open[c->count - 1] : 0,
                              .converged = estimates[i].reached};
        cv_estimate e = cv_progress_estimate(&a, c, &now);
        assert_str_eq(e.reason, estimates[i].reason);
        assert_int_equal(e.rounds_left, estimates[i].left);
        cv_arena_release(&a);
    }
}

static void what_is_over_has_no_rounds_left(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", bakers, false);
    cv_world_do(w, "abandon", "{'dialogue_id': 'bread', 'reason': 'r'}");
    cv_json progress = ask(w, "progress", "{'dialogue_id': 'bread'}");
    assert_member(&progress, "next_round", CV_ABSENT);
    assert_member(member(&progress, "estimate"), "rounds_left", 0);
    assert_str_eq(member(member(&progress, "next_step"), "command")->text, "conclave dialogue export bread");
}

/* ---- what it costs ----------------------------------------------------------------------------------------------- */

typedef struct {
    size_t begun, finds, rows;
    size_t others; /* but the ends of readings, and the watermark, which is asked once */
} counted;

static void count_call(void *ctx, const char *call, cv_scope_id dialogue_id, size_t rows, cv_write_result result)
{
    static const char *const known[] = {"begin", "find", "end", "acknowledged"};
    counted *c = ctx;
    size_t i = 0;
    (void)dialogue_id, (void)result;
    while (i < CV_COUNT(known) && strcmp(call, known[i]) != 0)
        i++;
    c->begun += i == 0;
    c->finds += i == 1;
    c->others += i == CV_COUNT(known);
    c->rows += rows;
}

/* The n-th call of the record fails, for n = 1, 2, 3 …: each time that is reported. */
static void fail_each_call(cv_world *w, cv_record_tracing *tracing, const char *verb, const char *request)
{
    for (tracing->fail_at = 1;; tracing->fail_at++) {
        tracing->calls = 0;
        bool ok = cv_world_call(w, verb, request);
        if (tracing->calls < tracing->fail_at) {
            assert_true(ok);
            break;
        }
        assert_false(ok);
        assert_int_equal(w->errs.items[0].code, CV_ERR_STORE);
    }
    tracing->fail_at = 0;
}

static void one_reading_is_enough(void **state)
{
    cv_world *w = *state;
    counted c = {0};
    cv_record_tracing tracing = {.trace = count_call, .ctx = &c};
    cv_test_random r = {3};
    random_dialogue(w, &r, "bread", 3);
    cv_record *inner = w->record;
    w->record = cv_record_traced(&w->a, inner, &tracing);
    static const struct {
        const char *verb;
        size_t finds; /* one of each kind of rows, of each kind of entities, and whether it was imported */
    } cases[] = {{"progress", 17}, {"scoreboard", 17}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        c = (counted){0};
        cv_world_do(w, cases[i].verb, "{'dialogue_id': 'bread'}");
        assert_int_equal(c.begun, 1);
        assert_int_equal(c.finds, cases[i].finds);
        assert_int_equal(c.others, 0);
        fail_each_call(w, &tracing, cases[i].verb, "{'dialogue_id': 'bread'}");
    }
    w->record = inner;
}

/* ---- across dialogues -------------------------------------------------------------------------------------------- */

static void several_dialogues_are_counted(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {8};
    cv_json empty = ask(w, "stats", "{}");
    assert_member(member(&empty, "dialogues"), "total", 0);
    assert_int_equal(member(member(&empty, "dialogues"), "average_rounds")->type, CV_JSON_NULL);
    for (int i = 0; i < 4; i++)
        random_dialogue(w, &r, cv_arena_printf(&w->a, "bread-%d", i).p, i);
    cv_world_do(w, "abandon", "{'dialogue_id': 'bread-1', 'reason': 'r'}");
    cv_json stats = ask(w, "stats", "{'limit': 3}");
    int64_t open = 0, tensions = 0, perspectives = 0, alignment = 0, muffin = 0;
    for (int i = 0; i < 4; i++) {
        cv_state s = cv_world_state(w, cv_arena_printf(&w->a, "bread-%d", i).p);
        for (size_t k = 0; k < s.entities.count; k++) {
            tensions += s.entities.items[k].kind.p[0] == 'T';
            perspectives += s.entities.items[k].kind.p[0] == 'P';
            open += s.entities.items[k].kind.p[0] == 'T' && cv_tension_is_open(&s.entities.items[k]);
        }
        alignment += s.dialogue.total_alignment;
        int64_t total = slow_total(&s, CV_STR("muffin"));
        muffin += total == CV_ABSENT ? 0 : total;
    }
    assert_member(member(&stats, "dialogues"), "total", 4);
    assert_member(member(&stats, "dialogues"), "with_rounds", 3);
    assert_member(member(&stats, "dialogues"), "rounds", 6);
    assert_member(member(&stats, "dialogues"), "alignment", alignment);
    assert_str_eq(member(member(&stats, "dialogues"), "average_rounds")->text, "2.0");
    assert_member(member(member(&stats, "dialogues"), "by_status"), "abandoned", 1);
    assert_member(member(member(&stats, "entities"), "tensions"), "total", tensions);
    assert_member(member(member(&stats, "entities"), "perspectives"), "total", perspectives);
    assert_member(&stats, "open_tensions", open);
    assert_member(&stats, "closed_tensions", tensions - open);
    assert_int_equal(member(&stats, "recent")->count, 3);
    assert_str_eq(member(&member(&stats, "recent")->items[0], "dialogue_id")->text, "bread-3");
    const cv_json *experts = member(&stats, "top_experts");
    assert_int_equal(experts->count, 3);
    for (uint32_t i = 0; i < experts->count; i++)
        if (cv_str_eq(member(&experts->items[i], "expert_slug")->text, CV_STR("muffin")))
            assert_member(&experts->items[i], "total_score", muffin);
    cv_json one = ask(w, "stats", "{'status': 'abandoned'}");
    assert_member(member(&one, "dialogues"), "total", 1);
    assert_false(cv_world_call(w, "stats", "{'since': '2026-02-30'}"));
    assert_str_eq(w->errs.items[0].field, "since");
}

static void dialogues_stand_side_by_side(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {9};
    random_dialogue(w, &r, "one", 3);
    random_dialogue(w, &r, "two", 5);
    cv_world_dialogue(w, "three", (const char *[]){"muffin", "guest", NULL}, false);
    cv_json c = ask(w, "compare", "{'dialogue_ids': ['two', 'one', 'three']}");
    static const char *const ids[] = {"two", "one", "three"};
    for (uint32_t i = 0; i < 3; i++) {
        const cv_json *d = &member(&c, "dialogues")->items[i];
        cv_state s = cv_world_state(w, ids[i]);
        int64_t last = (int64_t)s.rounds.count - 1, first = CV_ABSENT, signals, panel;
        assert_str_eq(member(d, "dialogue_id")->text, ids[i]);
        assert_member(d, "rounds", last + 1);
        for (int64_t round = 0; round <= last; round++) {
            int64_t velocity;
            assert_true(cv_json_to_int(&member(d, "velocities")->items[round], &velocity));
            assert_int_equal(velocity, cv_slow_velocity(&w->turn, &s, round));
            if (first == CV_ABSENT && slow_percentage(&w->turn, &s, round, &signals, &panel) == 100)
                first = round + 1;
        }
        assert_member(d, "rounds_to_convergence", first);
        assert_member(member(d, "tensions"), "open", last < 0 ? 0 : cv_slow_open(&w->turn, &s, CV_MAX_ROUND));
        assert_int_equal(member(d, "verdict")->type, CV_JSON_NULL);
    }
    const cv_json *shared = member(&c, "shared_experts");
    assert_int_equal(shared->count, BAKERS);
    assert_str_eq(member(&shared->items[0], "expert_slug")->text, "muffin");
    assert_int_equal(member(&shared->items[0], "dialogue_ids")->count, 3);
    assert_str_eq(member(&shared->items[1], "expert_slug")->text, "cupcake");
    assert_str_has(member(&c, "text")->text, "in all: muffin\nin 2 of 3: cupcake, donut, eclair, scone\n");
}

/* The verdict decides before everybody agrees. */
static void a_verdict_may_end_it_earlier(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "one", bakers, false);
    cv_world_dialogue(w, "two", bakers, false);
    cv_world_do(w, "round-register", "{'dialogue_id': 'one', 'round': 0, 'score': 1}");
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'one', 'verdict_id': 'final', 'verdict_type': 'final', 'recommendation': 'Rye',"
                "'description': 'd', 'confidence': 'strong', 'vote': '3-2'}");
    cv_json c = ask(w, "compare", "{'dialogue_ids': ['one', 'two']}");
    const cv_json *d = &member(&c, "dialogues")->items[0];
    assert_member(d, "rounds_to_convergence", 1);
    assert_int_equal(member(d, "decided_earlier")->type, CV_JSON_TRUE);
    assert_str_eq(member(member(d, "verdict"), "vote")->text, "3-2");
    assert_str_has(member(&c, "text")->text, "1, by verdict");
}

/* ---- one truth, wherever it stands ------------------------------------------------------------------------------- */

/* What an answer says: its status, how far it is, and whether that is enough. */
typedef struct {
    cv_str status;
    int64_t percentage;
    bool converged;
} standing;

static standing standing_of(const cv_json *answer, const cv_json *status)
{
    const cv_json *convergence = member(answer, "convergence");
    standing s = {.status = status->text, .converged = member(convergence, "converged")->type == CV_JSON_TRUE};
    assert_true(cv_json_to_int(member(convergence, "percentage"), &s.percentage));
    return s;
}

static void assert_same(standing a, standing b)
{
    assert_true(cv_str_eq(a.status, b.status));
    assert_int_equal(a.percentage, b.percentage);
    assert_int_equal(a.converged, b.converged);
}

/* The law: decided is 100 % and converged; what is open or abandoned is never converged; on the way it is the target
 * that counts. */
static void assert_consistent(standing s, double target)
{
    bool decided = cv_str_eq(s.status, CV_STR("converged")), on_the_way = cv_str_eq(s.status, CV_STR("converging"));
    if (decided)
        assert_true(s.converged && s.percentage == 100);
    else if (on_the_way)
        assert_int_equal(s.converged, s.percentage > 0 && (double)s.percentage / 100 + 0.01 > target);
    else
        assert_false(s.converged);
    if (cv_str_eq(s.status, CV_STR("open")))
        assert_int_equal(s.percentage, 0);
}

/* The last round of a list of rounds. */
static void assert_last(const cv_json *rounds, int64_t percentage)
{
    if (rounds->count > 0)
        assert_member(&rounds->items[rounds->count - 1], "converge_percentage", percentage);
}

static const cv_json *listed(const cv_json *list, const char *id)
{
    const cv_json *rows = member(list, "dialogues");
    for (uint32_t i = 0; i < rows->count; i++)
        if (cv_str_eq(member(&rows->items[i], "dialogue_id")->text, cv_str_of(id)))
            return &rows->items[i];
    fail_msg("%s is not listed", id);
    return NULL;
}

static void assert_one_truth(cv_world *w, const char *id, double target)
{
    const char *request = cv_arena_printf(&w->a, "{'dialogue_id': '%s'}", id).p;
    cv_json progress = ask(w, "progress", request), show = ask(w, "show", request), got = ask(w, "get", request);
    cv_json board = ask(w, "scoreboard", request), list = ask(w, "list", "{'limit': 1000}");
    cv_json both = ask(w, "compare", cv_arena_printf(&w->a, "{'dialogue_ids': ['%s', 'other']}", id).p);
    cv_json file = ask(w, "export", cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'output_path': '-'}", id).p);
    const cv_json *compared = &member(&both, "dialogues")->items[0];
    standing s = standing_of(&progress, member(&progress, "dialogue_status"));
    assert_consistent(s, target);
    assert_same(s, standing_of(&show, member(&show, "dialogue_status")));
    assert_same(s, standing_of(&got, member(member(&got, "dialogue"), "status")));
    const char *status = cv_arena_copy_z(&w->a, s.status);
    assert_str_eq(member(&board, "dialogue_status")->text, status);
    assert_str_eq(member(compared, "dialogue_status")->text, status);
    assert_str_eq(member(listed(&list, id), "status")->text, status);
    assert_str_eq(member(&file, "status")->text, status);
    assert_member(compared, "converge_percentage", s.percentage);
    assert_last(member(&progress, "rounds"), s.percentage);
    assert_last(member(&show, "rounds"), s.percentage);
    assert_last(member(&board, "rounds"), s.percentage);
    bool decided = cv_str_eq(s.status, CV_STR("converged"));
    assert_int_equal(member(&show, "decision")->type == CV_JSON_OBJECT, decided);
    if (decided)
        assert_true(member(compared, "rounds_to_convergence")->type == CV_JSON_NUMBER);
}

static void end_somehow(cv_world *w, cv_test_random *r, const char *id)
{
    static const char *const ends[][2] = {
        {NULL, NULL},
        {"verdict-register", "'verdict_id': 'final', 'verdict_type': 'final', 'recommendation': 'r',"
                             "'description': 'd', 'force': true, 'warning': 'w'"},
        {"abandon", "'reason': 'r'"},
        {"verdict-register", "'verdict_id': 'no', 'verdict_type': 'dissent', 'author_expert': 'scone',"
                             "'recommendation': 'r', 'description': 'd'"},
    };
    for (size_t times = cv_test_below(r, 3); times > 0; times--) {
        const char *const *end = ends[cv_test_below(r, CV_COUNT(ends))];
        if (end[0])
            cv_world_call(w, end[0], cv_arena_printf(&w->a, "{'dialogue_id': '%s', %s}", id, end[1]).p);
    }
}

static void no_answer_contradicts_the_status(void **state)
{
    static const char *const targets[] = {"0", "0.5", "1"};
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    cv_world_dialogue(w, "other", bakers, false);
    for (int i = 0; i < (cv_test_soak() ? 400 : 24); i++) {
        const char *id = cv_arena_printf(&w->a, "bread-%d", i).p, *target = targets[cv_test_below(&r, 3)];
        cv_world_do(w, "create",
                    cv_arena_printf(&w->a,
                                    "{'title': '%s', 'convergence_target': %s, 'expert': ['A', 'B', 'C', 'D', 'E']}",
                                    id, target)
                        .p);
        random_rounds(w, &r, id, (int)cv_test_below(&r, 4));
        end_somehow(w, &r, id);
        assert_one_truth(w, id, strtod(target, NULL));
    }
}

static void every_fault_of_a_comparison_is_told(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", bakers, false);
    assert_false(cv_world_call(w, "compare", "{'dialogue_ids': ['cake', 'bread', 'bred', 'bread']}"));
    assert_int_equal(w->errs.count, 3);
    assert_str_eq(w->errs.items[0].field, "dialogue_ids[0]");
    assert_str_eq(w->errs.items[1].suggestion, "did you mean 'bread'?");
    assert_str_eq(w->errs.items[2].message, "'bread' is named twice");
    assert_false(cv_world_call(w, "compare", "{'dialogue_ids': ['bread']}"));
}

/* Its row and the outlines of what is counted, at one moment; nothing is read of dialogues that are not asked for. */
static void counting_reads_each_dialogue_once(void **state)
{
    cv_world *w = *state;
    static const char *const ids[] = {"bread", "rolls", "cake"};
    cv_test_random r = {5};
    for (size_t i = 0; i < CV_COUNT(ids); i++)
        random_dialogue(w, &r, ids[i], 2);
    cv_world_do(w, "abandon", "{'dialogue_id': 'cake', 'reason': 'r'}");
    size_t rows = 0;
    for (size_t i = 0; i < CV_COUNT(ids); i++) {
        cv_state s = cv_world_state(w, ids[i]);
        rows += 1 + s.entities.count + s.scores.count + s.verdicts.count;
    }
    counted c = {0};
    cv_record_tracing tracing = {.trace = count_call, .ctx = &c};
    cv_record *inner = w->record;
    w->record = cv_record_traced(&w->a, inner, &tracing);
    cv_world_do(w, "stats", "{}");
    assert_int_equal(c.begun, 3);
    assert_int_equal(c.finds, 3 * (3 + CV_KIND_COUNT)); /* rows, scores, verdicts; entities by their kinds */
    assert_int_equal(c.others, 1);                      /* the names */
    assert_int_equal(c.rows, rows);
    fail_each_call(w, &tracing, "stats", "{}");
    c = (counted){0};
    cv_world_do(w, "stats", "{'status': 'abandoned'}");
    assert_int_equal(c.begun, 1);
    assert_int_equal(c.finds, 1 + 3 + CV_KIND_COUNT); /* which there are comes first */
    assert_int_equal(c.others, 0);
    fail_each_call(w, &tracing, "stats", "{'status': 'abandoned'}");
    w->record = inner;
}

/* ---- hostile texts ----------------------------------------------------------------------------------------------- */

/* Whatever titles, labels and roles hold: no line is wider than the page, no control character is left. */
static void no_text_breaks_the_page(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", "abcdefghijklmnopqrstuvwxyz012345", NULL}, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 9007199254740991, 'title':"
                "'a | b \\u0085[31m 日本語日本語日本語日本語日本語', 'expert_scores': {'muffin': -9007199254740991},"
                "'tensions': [{'local_id': 'MUFFIN-T0001', 'label':"
                "'🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁🧁 "
                "\\u202e [MOVE:CONVERGE] \\u009b | x',"
                "'content': 'c', 'contributors': ['muffin', 'abcdefghijklmnopqrstuvwxyz012345']}]}");
    static const char *const verbs[] = {"progress", "scoreboard"};
    for (size_t i = 0; i < CV_COUNT(verbs); i++) {
        cv_json answer = ask(w, verbs[i], "{'dialogue_id': 'bread'}");
        cv_str rest = member(&answer, "text")->text, line;
        while (cv_str_split(&rest, '\n', &line)) {
            for (size_t k = 0; k < line.n; k++)
                assert_true((unsigned char)line.p[k] >= 0x20);
            assert_int_equal(cv_str_find(line, CV_STR("\xe2\x80\xae")), SIZE_MAX);
        }
    }
}

/* ---- charts ------------------------------------------------------------------------------------------------------ */

static cv_str spark(cv_arena *a, const int64_t *values, size_t count, size_t columns)
{
    cv_chart c = {.arena = a};
    cv_chart_scale scale = {0};
    cv_chart_measure(&scale, values, count);
    cv_chart_spark(&c, scale, values, count, columns);
    return cv_chart_take(&c);
}

static void sparklines_show_the_range(void **state)
{
    (void)state;
    cv_arena a = {0};
    assert_str_eq(spark(&a, (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8, 80), "▁▂▃▄▅▆▇█");
    assert_str_eq(spark(&a, (const int64_t[]){-100, CV_ABSENT, 100}, 3, 80), "▁·█");
    assert_str_eq(spark(&a, (const int64_t[]){5, 5}, 2, 80), "██");
    assert_str_eq(spark(&a, (const int64_t[]){45, 45, 57}, 3, 80), "▇▇█");
    assert_str_eq(spark(&a, (const int64_t[]){-4, 0}, 2, 80), "▁█");
    cv_chart c = {.arena = &a};
    cv_chart_spark(&c, (cv_chart_scale){0, 14}, (const int64_t[]){7, 2}, 2, 80);
    assert_str_eq(cv_chart_take(&c), "▅▂");
    assert_str_eq(spark(&a, (const int64_t[]){0, 0}, 2, 80), "▁▁");
    assert_str_eq(spark(&a, (const int64_t[]){0, 0, CV_ABSENT, 8, CV_ABSENT, CV_ABSENT}, 6, 3), "▁█·");
    assert_str_eq(spark(&a, NULL, 0, 80), "");
    assert_str_eq(spark(&a, (const int64_t[]){INT64_MAX / 2, INT64_MIN / 2}, 2, 80), "█▁");
    cv_arena_release(&a);
}

static void cells_have_their_width(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_chart c = {.arena = &a};
    cv_chart_cell(&c, CV_STR("a\nb  c"), 8, CV_CHART_LEFT);
    cv_chart_cell(&c, CV_STR("日本語"), 4, CV_CHART_RIGHT);
    cv_chart_int(&c, CV_ABSENT, 3);
    cv_chart_int(&c, 123456, 3);
    cv_chart_signed(&c, 0, 3);
    cv_chart_cell(&c, CV_STR(""), 3, CV_CHART_LEFT);
    cv_chart_line(&c);
    assert_str_eq(cv_chart_take(&c), "a b c    日…  —123456 +0\n");
    cv_arena_release(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, cv_world_tear_down)

/* A dissent that is in a response and in no verdict is named until it is registered; then it is a registered one.
 */
static void dissent_is_named(void **state)
{
    static const char *const two[] = {"muffin", "cupcake", NULL};
    cv_world w;
    (void)state;
    cv_world_open(&w);
    cv_world_dialogue(&w, "bread", two, false);
    cv_world_do(&w, "respond",
                "{'dialogue_id': 'bread', 'round': 0, 'expert': 'muffin', 'content': '[DISSENT]\\nNever.'}");
    cv_world_do(&w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'use_draft': true, 'score': 1}");
    w.for_people = true;
    cv_str text = cv_world_do(&w, "progress", "{'dialogue_id': 'bread'}");
    assert_str_has(text, "\"dissent_not_registered\":[\"muffin\"]");
    assert_str_has(text, "dissent, not registered: muffin");
    cv_world_do(&w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'no', 'verdict_type': 'dissent', 'author_expert': 'muffin', "
                "'recommendation': 'No', 'description': 'Never.'}");
    text = cv_world_do(&w, "progress", "{'dialogue_id': 'bread'}");
    assert_str_has(text, "\"dissenting\":[\"muffin\"]");
    assert_true(cv_str_find(text, CV_STR("dissent_not_registered")) == SIZE_MAX);
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dissent_is_named),          TEST(any_dialogue_agrees_with_the_slow_way),
        TEST(the_longest_dialogue_agrees_too),       TEST(a_dialogue_without_rounds_has_its_next_step),
        TEST(a_dialogue_without_people_has_one_too), TEST(convergence_is_seen),
        TEST(responses_wait_for_their_round),        TEST(no_score_is_no_zero),
        TEST(one_round_has_the_totals_up_to_it),     cmocka_unit_test(the_estimate_follows_its_rule),
        TEST(what_is_over_has_no_rounds_left),       TEST(one_reading_is_enough),
        TEST(several_dialogues_are_counted),         TEST(dialogues_stand_side_by_side),
        TEST(a_verdict_may_end_it_earlier),          TEST(every_fault_of_a_comparison_is_told),
        TEST(counting_reads_each_dialogue_once),     TEST(no_text_breaks_the_page),
        TEST(no_answer_contradicts_the_status),      cmocka_unit_test(sparklines_show_the_range),
        cmocka_unit_test(cells_have_their_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
