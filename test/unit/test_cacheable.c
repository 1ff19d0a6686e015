/* test_cacheable.c - operations that are called cacheable: the record and the input alone decide what they answer. */
#include "world.h"

/* One question for each of them. */
static const struct {
    const char *verb, *input;
} questions[] = {
    {"list", "{}"},
    {"get", "{'dialogue_id': 'bread'}"},
    {"round-context", "{'dialogue_id': 'bread', 'round': 1}"},
    {"progress", "{'dialogue_id': 'bread'}"},
    {"scoreboard", "{'dialogue_id': 'bread'}"},
    {"dynamics", "{'dialogue_id': 'bread'}"},
    {"expand", "{'dialogue_id': 'bread', 'ids': ['T0001']}"},
    {"history", "{'dialogue_id': 'bread', 'id': 'T0001'}"},
    {"graph", "{'dialogue_id': 'bread'}"},
    {"compare", "{'dialogue_ids': ['bread', 'rye']}"},
    {"stats", "{}"},
    {"experts", "{}"},
    {"show", "{'dialogue_id': 'bread'}"},
    {"agent list", "{}"},
    {"agent show", "{'agent_id': 'Muffin'}"},
    {"token list", "{}"},
    {"notes threads", "{}"},
};

static const char *question(const char *verb)
{
    for (size_t i = 0; i < CV_COUNT(questions); i++)
        if (strcmp(questions[i].verb, verb) == 0)
            return questions[i].input;
    fail_msg("%s is cacheable, but no question shows it", verb);
    return NULL;
}

/* In another folder, a day later: the same, and nobody has asked what time it is. */
static void assert_steady(cv_world *w, const char *verb)
{
    const char *input = question(verb), *folder = w->folder;
    cv_arena a = {0};
    cv_str answer = cv_arena_copy(&a, cv_world_do(w, verb, input));
    int64_t later = w->now += 86400000;
    w->folder = "/nowhere";
    assert_string_equal(cv_arena_copy_z(&a, cv_world_do(w, verb, input)), answer.p);
    assert_int_equal(w->now, later);
    w->folder = folder;
    cv_arena_release(&a);
}

static void answers_follow_from_the_record(void **state)
{
    static const char *const bakers[] = {"muffin", "scone", NULL};
    cv_world *w = *state;
    size_t count = 0;
    cv_world_dialogue(w, "bread", bakers, false);
    cv_world_dialogue(w, "rye", bakers, false);
    cv_world_do(
        w, "round-register",
        "{'dialogue_id': 'bread', 'round': 0, 'score': 3, 'tensions': [{'local_id': 'SCONE-T0001', 'label': 'T', "
        "'content': 'c', 'contributors': ['scone']}]}");
    cv_world_do(w, "agent add", "{'agent_id': 'Muffin'}");
    cv_world_do(w, "token add", "{'agent_id': 'Muffin'}");
    for (size_t i = 0; i < cv_op_count(); i++)
        if (cv_op_at(i)->flags & CV_OP_CACHEABLE) {
            assert_false(cv_op_at(i)->flags & (CV_OP_WRITES | CV_OP_FILES));
            const char *room = cv_op_at(i)->room, *verb = cv_op_at(i)->verb;
            bool own = strcmp(room, "dialogue") == 0;
            assert_steady(w, own ? verb : cv_arena_printf(&w->a, "%s %s", room, verb).p);
            count++;
        }
    assert_int_equal(count, CV_COUNT(questions));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_follow_from_the_record, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests_name("cacheable", tests, NULL, NULL);
}
