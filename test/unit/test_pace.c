/* test_pace.c - how a dialogue moved: the fold of one pass against recomputing every round from all events. */
#include "slow.h"

#include "dialogue/pace.h"
#include "dialogue/words/limits.h"

enum { ROUNDS = 12, TENSIONS = 20, EVENTS = 400 };

static const char *const types[] = {"open", "addressed", "resolved", "reopened", "accepted", "commented", "refined"};

static void add_event(cv_arena *a, cv_state *s, cv_str id, const char *type, int64_t round)
{
    *CV_PUSH(a, &s->events) = (cv_rec_event){.subject_id = id, .event_type = cv_str_of(type), .step = round};
}

static void add_entity(cv_arena *a, cv_state *s, const char *kind, int64_t round, int64_t seq)
{
    cv_rec_entity *entity = CV_PUSH(a, &s->entities);
    *entity = (cv_rec_entity){.kind = cv_str_of(kind), .round = round, .seq = seq};
    add_event(a, s, cv_entity_id(a, entity), "created", round);
}

static cv_pace *fold(cv_arena *a, const cv_state *s)
{
    cv_pace *t = CV_NEW(a, cv_pace);
    cv_pace_begin(t, a);
    for (size_t i = 0; i < s->events.count; i++) {
        const cv_rec_event *e = &s->events.items[i];
        cv_pace_tell(t, cv_place_of(e->subject_id), e->event_type, e->step);
    }
    cv_pace_end(t);
    return t;
}

static void assert_agrees(cv_arena *a, const cv_state *s)
{
    cv_pace *t = fold(a, s);
    for (int64_t round = 0; round <= CV_MAX_ROUND; round += round < ROUNDS ? 1 : 29) {
        const cv_pace_round *r = cv_pace_at(t, round);
        assert_int_equal(r->open_tensions, cv_slow_open(a, s, round));
        assert_int_equal(r->new_perspectives, cv_slow_perspectives(s, round));
        assert_int_equal(cv_pace_velocity(r), cv_slow_velocity(a, s, round));
        for (int status = 0; status < CV_STATUS_COUNT; status++) {
            const char *word = cv_arena_printf(a, " %.*s ", CV_FMT(cv_statuses[status].word)).p;
            bool of_tensions = cv_statuses[status].kind == CV_KIND_TENSION;
            assert_int_equal(r->tensions[status], of_tensions ? cv_slow_tensions(a, s, round, word) : 0);
        }
    }
}

/* Rounds go forward as in a real dialogue, with now and then an event about an earlier one; or in any order. */
static void random_dialogue(cv_arena *a, cv_test_random *r, bool any_order, cv_state *s)
{
    *s = (cv_state){0};
    for (int i = 0; i < TENSIONS; i++)
        add_entity(a, s, i % 3 ? "T" : "P", (int64_t)cv_test_below(r, ROUNDS), i + 1);
    for (size_t i = 0; i < EVENTS; i++) {
        const cv_rec_entity *entity = &s->entities.items[cv_test_below(r, s->entities.count)];
        int64_t round =
            any_order || cv_test_below(r, 5) == 0 ? (int64_t)cv_test_below(r, ROUNDS) : (int64_t)(i * ROUNDS / EVENTS);
        if (cv_test_below(r, 40) == 0)
            round = CV_ABSENT;
        add_event(a, s, cv_entity_id(a, entity), types[cv_test_below(r, CV_COUNT(types))], round);
    }
}

static void the_fold_agrees_with_the_slow_way(void **state)
{
    (void)state;
    cv_test_random r = {11};
    for (int i = 0; i < (cv_test_soak() ? 2000 : 40); i++) {
        cv_arena a = {0};
        cv_state s;
        random_dialogue(&a, &r, i % 2, &s);
        assert_agrees(&a, &s);
        cv_arena_release(&a);
    }
}

static void what_is_no_entity_is_passed_over(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_pace t;
    cv_pace_begin(&t, &a);
    cv_pace_tell(&t, CV_NO_PLACE, CV_STR("created"), 0);
    cv_pace_tell(&t, cv_place_of(CV_STR("T0001")), CV_STR("created"), CV_MAX_ROUND + 1);
    cv_pace_tell(&t, cv_place_of(CV_STR("T0001")), CV_STR("created"), CV_ABSENT);
    cv_pace_tell(&t, cv_place_of(CV_STR("R0001")), CV_STR("created"), 0);
    cv_pace_end(&t);
    assert_int_equal(cv_pace_velocity(cv_pace_at(&t, 0)), 0);
    assert_int_equal(cv_pace_velocity(cv_pace_at(&t, CV_MAX_ROUND)), 0);
    assert_int_equal(t.rounds.count, 1);
    cv_arena_release(&a);
}

/* What a fold costs goes with the rounds that were told of, not with those that there could be. */
static void a_short_history_takes_little_memory(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_pace t;
    cv_pace_begin(&t, &a);
    cv_pace_tell(&t, cv_place_of(CV_STR("T0001")), CV_STR("created"), 0);
    cv_pace_tell(&t, cv_place_of(CV_STR("P0201")), CV_STR("created"), 2);
    cv_pace_end(&t);
    assert_int_equal(t.rounds.count, 4);
    assert_int_equal(a.chunks, 1);
    assert_int_equal(cv_pace_velocity(cv_pace_at(&t, 2)), 2);
    assert_int_equal(cv_pace_velocity(cv_pace_at(&t, 3)), 1);
    assert_int_equal(cv_pace_velocity(cv_pace_at(&t, CV_MAX_ROUND)), 1);
    cv_arena_release(&a);
}

/* Every step is put once and cut at most once: as many steps as events, whatever their rounds. */
static void a_long_history_makes_no_more_steps_than_events(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_pace t;
    uint32_t place = cv_place_of(CV_STR("T9999"));
    cv_pace_begin(&t, &a);
    for (int64_t i = 0; i < 100000; i++)
        cv_pace_tell(&t, place, i % 2 ? CV_STR("resolved") : CV_STR("reopened"), i % 100);
    assert_int_equal(t.steps.count, 100000);
    cv_pace_end(&t);
    assert_int_equal(cv_pace_at(&t, 99)->open_tensions, 0);
    assert_int_equal(cv_pace_at(&t, 98)->open_tensions, 1);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fold_agrees_with_the_slow_way),
        cmocka_unit_test(a_short_history_takes_little_memory),
        cmocka_unit_test(what_is_no_entity_is_passed_over),
        cmocka_unit_test(a_long_history_makes_no_more_steps_than_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
