/* test_opinions.c - how opinions move: scenes with known answers, and generated dialogues compared with `progress`. */
#include "world.h"

static const char *const bakers[] = {"muffin", "cupcake", "scone", "donut", NULL};
static const char *const names[] = {"MUFFIN", "CUPCAKE", "SCONE", "DONUT"};
enum { BAKERS = 4 };

/* Members of a request; ' stands for ". */
#define EVIDENCE(id, who)                                                                                              \
    "'evidence': [{'local_id': '" id "', 'label': 'E', 'content': 'c', 'contributors': ['" who "']}]"
#define TENSIONS(list) "'tensions': [" list "]"
#define TENSION(id, who) "{'local_id': '" id "', 'label': 'T', 'content': 'c', 'contributors': ['" who "']}"
#define MOVES(list) "'moves': [" list "]"
#define CONVERGE(who) "{'expert': '" who "', 'type': 'converge'}"
#define ALL_OBJECT                                                                                                     \
    TENSIONS(TENSION("MUFFIN-T0001", "muffin") "," TENSION("CUPCAKE-T0001", "cupcake") "," TENSION(                    \
        "SCONE-T0001", "scone") "," TENSION("DONUT-T0001", "donut"))
#define ALL_AGREE MOVES(CONVERGE("muffin") "," CONVERGE("cupcake") "," CONVERGE("scone") "," CONVERGE("donut"))

typedef struct {
    const char *name;
    const char *rounds[3];   /* members of each round; NULL: there is none */
    const char *verdicts[3]; /* members of each verdict */
    const char
        *expected; /* changes: total with citing without; dissent: kept withdrawn lost pending; collapses; agree */
} scene;

#define FINAL "'verdict_id': 'final', 'verdict_type': 'final', 'recommendation': 'r', 'description': 'd'"
#define DISSENT                                                                                                        \
    "'verdict_id': 'no', 'verdict_type': 'dissent', 'author_expert': 'scone', 'recommendation': 'r', 'description': "  \
    "'d'"
#define MINORITY                                                                                                       \
    "'verdict_id': 'other', 'verdict_type': 'minority', 'author_expert': 'scone', 'recommendation': 'r', "             \
    "'description': 'd'"

static const scene scenes[] = {
    {"nothing was said", {"'score': 0"}, {NULL}, "0 0 0 0; 0 0 0 0; []; [0]"},
    {"all agree at once, each alone", {ALL_AGREE}, {NULL}, "0 0 0 0; 0 0 0 0; []; [4]"},
    {"all agree after nothing", {"'score': 0", ALL_AGREE}, {NULL}, "0 0 0 0; 0 0 0 0; [1]; [0,4]"},
    {"all give in without evidence", {ALL_OBJECT, ALL_AGREE}, {NULL}, "4 0 0 4; 0 0 0 0; [1]; [0,4]"},
    {"… to evidence that one of them brought before: it is not new to that one",
     {ALL_OBJECT "," EVIDENCE("MUFFIN-E0001", "muffin"), ALL_AGREE},
     {NULL},
     "4 3 0 1; 0 0 0 0; []; [0,4]"},
    {"evidence of the same round is not known to others",
     {ALL_OBJECT, ALL_AGREE "," EVIDENCE("MUFFIN-E0101", "muffin")},
     {NULL},
     "4 1 1 3; 0 0 0 0; [1]; [0,4]"},
    {"evidence from before the objection is not new",
     {EVIDENCE("MUFFIN-E0001", "muffin"), TENSIONS(TENSION("SCONE-T0101", "scone")), MOVES(CONVERGE("scone"))},
     {NULL},
     "1 0 0 1; 0 0 0 0; []; [0,0,1]"},
    {"evidence that came in between is",
     {TENSIONS(TENSION("SCONE-T0001", "scone")), EVIDENCE("MUFFIN-E0101", "muffin"), MOVES(CONVERGE("scone"))},
     {NULL},
     "1 1 0 0; 0 0 0 0; []; [0,0,1]"},
    {"… and it is cited",
     {TENSIONS(TENSION("SCONE-T0001", "scone")), EVIDENCE("MUFFIN-E0101", "muffin"),
      MOVES(CONVERGE("scone")) ", 'perspectives': [{'local_id': 'SCONE-P0201', 'label': 'P', 'content': 'c', "
                               "'contributors': ['scone'], "
                               "'references': [{'type': 'support', 'target': 'E0101'}]}]"},
     {NULL},
     "1 1 1 0; 0 0 0 0; []; [0,0,1]"},
    {"an agreement is taken back",
     {MOVES(CONVERGE("scone")), TENSIONS(TENSION("SCONE-T0101", "scone"))},
     {NULL},
     "1 0 0 1; 0 0 0 0; []; [1,0]"},
    {"half of the panel, two of them, is a collapse",
     {ALL_OBJECT, MOVES(CONVERGE("muffin") "," CONVERGE("donut"))},
     {NULL},
     "2 0 0 2; 0 0 0 0; [1]; [0,2]"},
    {"one alone is none", {ALL_OBJECT, MOVES(CONVERGE("muffin"))}, {NULL}, "1 0 0 1; 0 0 0 0; []; [0,1]"},
    {"a concession is a change",
     {"'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': 'P', 'content': 'c', 'contributors': ['muffin']}]",
      MOVES("{'expert': 'scone', 'type': 'concede', 'targets': ['P0001']}")},
     {NULL},
     "1 0 0 1; 0 0 0 0; []; [0,0]"},
    {"a dissent in a verdict is kept", {ALL_OBJECT, ALL_AGREE}, {DISSENT, FINAL}, "4 0 0 4; 1 0 0 0; [1]; [0,3]"},
    {"a minority, too", {ALL_AGREE}, {MINORITY, FINAL}, "0 0 0 0; 1 0 0 0; []; [4]"},
    {"an objection that the final verdict passes over is lost",
     {TENSIONS(TENSION("SCONE-T0001", "scone"))},
     {FINAL},
     "0 0 0 0; 0 0 1 0; []; [0]"},
    {"without a decision nothing is lost",
     {TENSIONS(TENSION("SCONE-T0001", "scone"))},
     {NULL},
     "0 0 0 0; 0 0 0 0; []; [0]"},
};

static cv_json ask(cv_world *w, const char *verb, const char *id)
{
    cv_json json;
    cv_err err = {.arena = &w->a};
    cv_str answer = cv_world_do(w, verb, cv_arena_printf(&w->a, "{'dialogue_id': '%s'}", id).p);
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, answer), &json, &err), &err);
    return json;
}

static long long number(const cv_json *of, const char *name)
{
    return (long long)cv_json_get_int(of, name, -1);
}

/* The answer in the form of scene.expected. */
static const char *summary(cv_arena *a, const cv_json *answer)
{
    const cv_json *changes = cv_json_get(answer, CV_STR("opinion_changes")),
                  *dissent = cv_json_get(answer, CV_STR("dissent"));
    const cv_json *rounds = cv_json_get(answer, CV_STR("rounds"));
    cv_buf out = {0};
    cv_buf_printf(&out, "%lld %lld %lld %lld; %lld %lld %lld %lld; %.*s; [", number(changes, "total"),
                  number(changes, "with_new_evidence"), number(changes, "citing_it"),
                  number(changes, "without_new_evidence"), number(dissent, "kept"), number(dissent, "withdrawn"),
                  number(dissent, "lost"), number(dissent, "pending"),
                  CV_FMT(cv_json_get_json(a, answer, "collapses")));
    for (uint32_t i = 0; i < rounds->count; i++)
        cv_buf_printf(&out, "%s%lld", i ? "," : "", number(&rounds->items[i], "agree"));
    cv_buf_add_char(&out, ']');
    return cv_arena_copy_z(a, cv_buf_take(&out, a));
}

static void scenes_have_known_answers(void **state)
{
    cv_world *w = *state;
    for (size_t i = 0; i < CV_COUNT(scenes); i++) {
        const char *id = cv_arena_printf(&w->a, "scene-%zu", i).p;
        cv_world_dialogue(w, id, bakers, false);
        for (int round = 0; round < 3 && scenes[i].rounds[round]; round++) {
            const char *members = scenes[i].rounds[round];
            cv_world_do(w, "round-register",
                        cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'round': %d%s, %s}", id, round,
                                        strstr(members, "'score'") ? "" : ", 'score': 1", members)
                            .p);
        }
        for (int k = 0; k < 3 && scenes[i].verdicts[k]; k++)
            cv_world_do(w, "verdict-register",
                        cv_arena_printf(&w->a, "{'dialogue_id': '%s', %s}", id, scenes[i].verdicts[k]).p);
        cv_json answer = ask(w, "dynamics", id);
        const char *found = summary(&w->a, &answer);
        if (strcmp(found, scenes[i].expected) != 0)
            fail_msg("%s: expected %s, found %s", scenes[i].name, scenes[i].expected, found);
    }
}

/* A dissent that an expert has written, and that the judge did or did not register, or that the expert took back. */
static void written_dissent_is_followed(void **state)
{
    cv_world *w = *state;
    static const char respond[] = "{'dialogue_id': '%s', 'round': %d, 'expert': 'scone', 'content': '%s'}";
    static const struct {
        const char *id;
        bool takes_back, final;
        const char *expected;
    } cases[] = {
        {"pending", false, false, "0 0 0 1"}, {"lost", false, true, "0 0 1 0"}, {"withdrawn", true, true, "0 1 0 0"}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        const char *id = cases[i].id;
        cv_world_dialogue(w, id, bakers, false);
        cv_world_do(w, "respond",
                    cv_arena_printf(&w->a, respond, id, 0, "[DISSENT: No]\\n**Reasoning:** Rye is sour.\\n").p);
        cv_world_do(w, "round-register",
                    cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'round': 0, 'use_draft': true, 'score': 1}", id).p);
        if (cases[i].takes_back)
            cv_world_do(w, "round-register",
                        cv_arena_printf(
                            &w->a, "{'dialogue_id': '%s', 'round': 1, 'score': 1, " MOVES(CONVERGE("scone")) "}", id)
                            .p);
        if (cases[i].final)
            cv_world_do(w, "verdict-register", cv_arena_printf(&w->a, "{'dialogue_id': '%s', " FINAL "}", id).p);
        cv_json answer = ask(w, "dynamics", id);
        cv_str found = cv_str_of(summary(&w->a, &answer));
        if (cv_str_find(found, cv_str_of(cases[i].expected)) == SIZE_MAX)
            fail_msg("%s: expected %s, found %.*s", id, cases[i].expected, CV_FMT(found));
    }
}

/* ---- who says the same ------------------------------------------------------------------------------------------- */

static void overlap_counts_words(void **state)
{
    cv_world *w = *state;
    static const char item[] = "{'local_id': '%s-P0001', 'label': '%s', 'content': '%s', 'contributors': [%s]}";
    cv_world_dialogue(w, "bread", bakers, false);
    cv_str one = cv_arena_printf(&w->a, item, "MUFFIN", "Rye keeps", "the crumb stays moist", "'muffin'");
    cv_str two = cv_arena_printf(&w->a, item, "SCONE", "Crumb", "Moist, it keeps and stays. Cheap!", "'scone'");
    cv_str both = cv_arena_printf(&w->a, item, "DONUT", "Price", "Costs money", "'donut', 'cupcake'");
    cv_world_do(w, "round-register",
                cv_arena_printf(&w->a,
                                "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'perspectives': [%.*s,%.*s,%.*s]}",
                                CV_FMT(one), CV_FMT(two), CV_FMT(both))
                    .p);
    cv_json answer = ask(w, "dynamics", "bread");
    const cv_json *overlap = cv_json_get(&answer, CV_STR("overlap")), *pairs = cv_json_get(overlap, CV_STR("pairs"));
    assert_int_equal(number(overlap, "pair_count"), 6);
    assert_str_eq(cv_json_get_text(&pairs->items[0], "expert"), "cupcake");
    assert_int_equal(number(&pairs->items[0], "overlap"), 100);
    assert_int_equal(number(&pairs->items[0], "shared_items"), 1);
    /* keeps, crumb, stays, moist of these and of cheap; "rye" and "the" are too short to say anything */
    assert_int_equal(number(&pairs->items[1], "overlap"), 80);
    assert_int_equal(number(&pairs->items[1], "shared_items"), 0);
    assert_int_equal(number(&pairs->items[2], "overlap"), 0);
    assert_int_equal(number(overlap, "mean"), 180 / 6);
}

/* ---- dialogues that nobody planned ------------------------------------------------------------------------------- */

static void register_any(cv_world *w, cv_test_random *r, const char *id, int round)
{
    cv_buf tensions = {0}, evidence = {0}, moves = {0};
    for (size_t i = 0; i < BAKERS; i++) {
        const char *name = names[i];
        static const char item[] =
            "%s{'local_id': '%s-%c%02d01', 'label': 'l', 'content': 'some words', 'contributors': ['%s']}";
        if (cv_test_below(r, 4) == 0)
            cv_buf_printf(&tensions, item, tensions.n ? "," : "", name, 'T', round, bakers[i]);
        if (cv_test_below(r, 5) == 0)
            cv_buf_printf(&evidence, item, evidence.n ? "," : "", name, 'E', round, bakers[i]);
        if (cv_test_below(r, 2) == 0)
            cv_buf_printf(&moves, "%s" CONVERGE("%s"), moves.n ? "," : "", bakers[i]);
    }
    cv_world_do(
        w, "round-register",
        cv_arena_printf(
            &w->a,
            "{'dialogue_id': '%s', 'round': %d, 'score': 1, 'tensions': [%.*s], 'evidence': [%.*s], 'moves': [%.*s]}",
            id, round, CV_FMT(cv_buf_str(&tensions)), CV_FMT(cv_buf_str(&evidence)), CV_FMT(cv_buf_str(&moves)))
            .p);
    cv_buf_release(&tensions), cv_buf_release(&evidence), cv_buf_release(&moves);
}

static void numbers_agree_with_progress(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    for (int n = 0; n < 12; n++) {
        const char *id = cv_arena_printf(&w->a, "any-%d", n).p;
        int count = 1 + (int)cv_test_below(&r, 5);
        cv_world_dialogue(w, id, bakers, false);
        for (int round = 0; round < count; round++)
            register_any(w, &r, id, round);
        cv_json answer = ask(w, "dynamics", id), progress = ask(w, "progress", id);
        const cv_json *rounds = cv_json_get(&answer, CV_STR("rounds")),
                      *others = cv_json_get(&progress, CV_STR("rounds"));
        const cv_json *changes = cv_json_get(&answer, CV_STR("opinion_changes")),
                      *list = cv_json_get(changes, CV_STR("changes"));
        long long came = 0, agreed = 0;
        assert_int_equal(rounds->count, count);
        for (uint32_t i = 0; i < rounds->count; i++) {
            assert_int_equal(number(&rounds->items[i], "agree"), number(&others->items[i], "converge_signals"));
            came += number(&rounds->items[i], "came_to_agree");
        }
        for (uint32_t i = 0; i < list->count; i++)
            agreed += cv_str_eq(cv_json_get_text(&list->items[i], "to"), CV_STR("agrees"));
        assert_true(agreed <= came);
        assert_int_equal(number(changes, "total"), list->count);
        assert_int_equal(number(changes, "total"),
                         number(changes, "with_new_evidence") + number(changes, "without_new_evidence"));
        assert_true(number(changes, "citing_it") <= number(changes, "with_new_evidence"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scenes_have_known_answers, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(written_dissent_is_followed, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(overlap_counts_words, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(numbers_agree_with_progress, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
