/* test_panel.c - tier splits, seeded draws, rotations and names. */
#include "testing.h"

#include "dialogue/panel/panel.h"

/* ---- tier split -------------------------------------------------------------------------------------------------- */

static void test_split(void **state)
{
    static const struct {
        size_t size, core, adjacent, wildcard;
    } rows[] = {
        {0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 0, 0}, {3, 1, 1, 1},  {4, 1, 2, 1},  {5, 1, 3, 1},  {6, 2, 3, 1},
        {7, 2, 4, 1}, {8, 2, 4, 2}, {9, 3, 4, 2}, {10, 3, 5, 2}, {11, 3, 6, 2}, {12, 4, 5, 3}, {24, 8, 10, 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cv_tier_split split = cv_panel_split(rows[i].size);
        assert_int_equal(split.of[CV_TIER_CORE], rows[i].core);
        assert_int_equal(split.of[CV_TIER_ADJACENT], rows[i].adjacent);
        assert_int_equal(split.of[CV_TIER_WILDCARD], rows[i].wildcard);
    }
    for (size_t size = 0; size < 600; size++) {
        cv_tier_split split = cv_panel_split(size);
        assert_int_equal(split.of[0] + split.of[1] + split.of[2], size);
    }
}

/* ---- chance ------------------------------------------------------------------------------------------------------ */

/* The first numbers of splitmix64 for the seed 1234567, as its author's program prints them. */
static void test_generator(void **state)
{
    static const uint64_t wanted[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                      4593380528125082431u, 16408922859458223821u};
    cv_random r = {1234567};
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_true(cv_random_next(&r) == wanted[i]);
}

static void test_below(void **state)
{
    cv_random r = {7};
    size_t counts[6] = {0};
    (void)state;
    for (int i = 0; i < 60000; i++)
        counts[cv_random_below(&r, 6)]++;
    for (size_t i = 0; i < 6; i++)
        assert_in_range(counts[i], 9600, 10400);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(cv_random_below(&r, 1), 0);
    /* A limit just above half of all numbers refuses nearly every second one. */
    uint64_t huge = (UINT64_C(1) << 63) + 1;
    for (int i = 0; i < 1000; i++)
        assert_true(cv_random_below(&r, huge) < huge);
}

static void test_seeds(void **state)
{
    (void)state;
    int64_t seed = cv_panel_seed(CV_STR("nvidia-analysis"));
    assert_true(seed >= 0 && seed < CV_SEED_MAX);
    assert_true(seed == cv_panel_seed(CV_STR("nvidia-analysis")));
    assert_true(seed != cv_panel_seed(CV_STR("nvidia-analysis-2")));
    assert_true(cv_panel_round_seed(seed, 0) == seed % CV_SEED_MAX);
    assert_true(cv_panel_round_seed(CV_SEED_MAX, 99) == 99);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *role;
    cv_tier tier;
    uint32_t percent;
} someone;

static const someone pool[] = {
    {"Value Analyst", CV_TIER_CORE, 95},      {"Risk Manager", CV_TIER_CORE, 90},   {"Economist", CV_TIER_CORE, 80},
    {"Options Trader", CV_TIER_ADJACENT, 70}, {"Tax Lawyer", CV_TIER_ADJACENT, 60}, {"Auditor", CV_TIER_ADJACENT, 50},
    {"Engineer", CV_TIER_ADJACENT, 45},       {"Historian", CV_TIER_WILDCARD, 30},  {"Poet", CV_TIER_WILDCARD, 25},
    {"Biologist", CV_TIER_WILDCARD, 20},
};
enum { POOL = sizeof pool / sizeof *pool };

static cv_candidates candidates(cv_arena *a, const someone *people, size_t count)
{
    cv_candidates list = {0};
    for (size_t i = 0; i < count; i++)
        *CV_PUSH(a, &list) = (cv_candidate){
            .role = cv_str_of(people[i].role), .tier = people[i].tier, .weight = people[i].percent * 10000};
    return list;
}

/* "Risk Manager, Engineer, …" in the order of the panel. */
static cv_str seated(cv_arena *a, const cv_candidates *list, const cv_draws *draws)
{
    size_t *order, count = cv_panel_order(a, list, draws, &order);
    cv_str all = CV_STR("");
    for (size_t i = 0; i < count; i++)
        all = cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(all), i ? ", " : "", CV_FMT(list->items[order[i]].role));
    return all;
}

static size_t in_tier(const cv_candidates *list, cv_tier tier)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++)
        n += list->items[i].seated && list->items[i].tier == tier;
    return n;
}

static cv_str opened(cv_arena *a, size_t size, int64_t seed)
{
    cv_candidates list = candidates(a, pool, POOL);
    cv_draws draws = {0};
    cv_panel_open(a, &list, size, seed, &draws);
    return seated(a, &list, &draws);
}

static void test_golden(void **state)
{
    cv_arena a = {0};
    (void)state;
    assert_str_eq(opened(&a, 6, 42), "Economist, Risk Manager, Engineer, Options Trader, Auditor, Biologist");
    assert_str_eq(opened(&a, 6, 43), "Value Analyst, Risk Manager, Engineer, Options Trader, Tax Lawyer, Poet");
    assert_str_eq(opened(&a, 3, 0), "Economist, Options Trader, Historian");
    assert_view_eq(opened(&a, 6, 42), opened(&a, 6, 42));
    cv_arena_release(&a);
}

/* Where everybody sits, chance decides nothing, and a user who names experts knows what they are called. */
static void test_everybody(void **state)
{
    static const someone people[] = {
        {"Third", CV_TIER_WILDCARD, 10}, {"First", CV_TIER_CORE, 20}, {"Second", CV_TIER_CORE, 90}};
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < 20; seed++) {
        cv_candidates list = candidates(&a, people, CV_COUNT(people));
        cv_draws draws = {0};
        cv_panel_open(&a, &list, CV_COUNT(people), seed, &draws);
        assert_str_eq(seated(&a, &list, &draws), "First, Second, Third");
        assert_int_equal(draws.count, CV_COUNT(people));
    }
    cv_arena_release(&a);
}

static void test_tiers_are_kept(void **state)
{
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < 500; seed++) {
        size_t size = (size_t)(seed % 9) + 1; /* ten would want five of four Adjacents */
        cv_candidates list = candidates(&a, pool, POOL);
        cv_draws draws = {0};
        cv_panel_open(&a, &list, size, seed, &draws);
        cv_tier_split split = cv_panel_split(size);
        assert_int_equal(draws.count, size);
        for (int tier = 0; tier < CV_TIER_COUNT; tier++)
            assert_int_equal(in_tier(&list, (cv_tier)tier), split.of[tier]);
        cv_arena_reset(&a);
    }
    cv_arena_release(&a);
}

/* Four standard deviations of a binomial count on both sides: one false alarm in 15,000, and the seeds are fixed. */
static void test_frequencies(void **state)
{
    static const someone four[] = {
        {"a", CV_TIER_CORE, 10}, {"b", CV_TIER_CORE, 20}, {"c", CV_TIER_CORE, 30}, {"d", CV_TIER_CORE, 40}};
    static const size_t spread[] = {380, 506, 580, 620};
    enum { DRAWS = 100000 };
    size_t counts[4] = {0};
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < DRAWS; seed++) {
        cv_candidates list = candidates(&a, four, 4);
        cv_draws draws = {0};
        cv_panel_open(&a, &list, 1, seed, &draws);
        assert_int_equal(draws.count, 1);
        assert_int_equal(draws.items[0].chance, four[draws.items[0].candidate].percent * 10000);
        counts[draws.items[0].candidate]++;
        cv_arena_reset(&a);
    }
    for (size_t i = 0; i < 4; i++) {
        size_t wanted = (i + 1) * DRAWS / 10;
        assert_in_range(counts[i], wanted - spread[i], wanted + spread[i]);
    }
    cv_arena_release(&a);
}

/* Without replacement: the second draw is among those who are left, and the chances say so. */
static void test_chances(void **state)
{
    static const someone three[] = {{"a", CV_TIER_CORE, 50}, {"b", CV_TIER_CORE, 30}, {"c", CV_TIER_CORE, 20}};
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < 50; seed++) {
        cv_candidates list = candidates(&a, three, 3);
        cv_draws draws = {0};
        uint32_t left = 100;
        cv_panel_draw(&a, &list, CV_ROTATION_FULL, 3, seed, &draws);
        assert_int_equal(draws.count, 3);
        for (size_t i = 0; i < 3; i++) {
            uint32_t percent = three[draws.items[i].candidate].percent;
            assert_int_equal(draws.items[i].among, 3 - i);
            assert_in_range(draws.items[i].chance, percent * 1000000u / left, percent * 1000000u / left + 1);
            left -= percent;
        }
    }
    cv_arena_release(&a);
}

static void test_no_weight(void **state)
{
    static const someone nobody[] = {{"a", CV_TIER_CORE, 0}, {"b", CV_TIER_CORE, 0}, {"c", CV_TIER_CORE, 0}};
    static const someone one[] = {{"a", CV_TIER_CORE, 0}, {"b", CV_TIER_CORE, 1}, {"c", CV_TIER_CORE, 0}};
    size_t counts[3] = {0};
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < 3000; seed++) {
        cv_candidates same = candidates(&a, nobody, 3), weighted = candidates(&a, one, 3);
        cv_draws draws = {0}, always = {0};
        cv_panel_open(&a, &same, 1, seed, &draws);
        counts[draws.items[0].candidate]++;
        cv_panel_open(&a, &weighted, 1, seed, &always);
        assert_int_equal(always.items[0].candidate, 1);
        cv_arena_reset(&a);
    }
    for (size_t i = 0; i < 3; i++)
        assert_in_range(counts[i], 890, 1110);
    cv_arena_release(&a);
}

/* A tier that is too small is made up for from the others; a pool that is too small is seated whole. */
static void test_shortfall(void **state)
{
    static const someone few[] = {{"a", CV_TIER_CORE, 50}, {"b", CV_TIER_CORE, 30}, {"c", CV_TIER_CORE, 20},
                                  {"d", CV_TIER_CORE, 20}, {"e", CV_TIER_CORE, 20}, {"f", CV_TIER_ADJACENT, 20}};
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < 50; seed++) {
        cv_candidates list = candidates(&a, few, 6), whole = candidates(&a, few, 6);
        cv_draws draws = {0}, all = {0};
        cv_panel_open(&a, &list, 5, seed, &draws);
        assert_int_equal(draws.count, 5);
        assert_int_equal(in_tier(&list, CV_TIER_ADJACENT), 1);
        assert_int_equal(in_tier(&list, CV_TIER_CORE), 4);
        cv_panel_open(&a, &whole, 12, seed, &all);
        assert_int_equal(all.count, 6);
    }
    cv_draws none = {0};
    cv_panel_open(&a, &(cv_candidates){0}, 3, 1, &none);
    assert_int_equal(none.count, 0);
    cv_arena_release(&a);
}

/* ---- rotation ---------------------------------------------------------------------------------------------------- */

/* A dialogue whose first panel was Value Analyst, Options Trader, Tax Lawyer, Historian; in round 1 the Poet came for
 * the Historian. */
static cv_candidates after_two_rounds(cv_arena *a)
{
    static const size_t first[] = {0, 3, 4, 7}, last[] = {0, 3, 4, 8};
    cv_candidates list = candidates(a, pool, POOL);
    for (size_t i = 0; i < 4; i++) {
        list.items[first[i]].opened = list.items[first[i]].heard = true;
        list.items[last[i]].sits = list.items[last[i]].heard = true;
    }
    return list;
}

static cv_str rotated(cv_arena *a, cv_candidates *list, cv_rotation rotation, size_t size, int64_t seed)
{
    cv_draws draws = {0};
    cv_panel_keep(list, rotation);
    cv_panel_draw(a, list, rotation, size, seed, &draws);
    return seated(a, list, &draws);
}

static void test_rotation_none(void **state)
{
    cv_arena a = {0};
    cv_candidates list = after_two_rounds(&a);
    (void)state;
    assert_str_eq(rotated(&a, &list, CV_ROTATION_NONE, 4, 5), "Value Analyst, Options Trader, Tax Lawyer, Historian");
    cv_arena_release(&a);
}

static void test_rotation_wildcards(void **state)
{
    cv_arena a = {0};
    (void)state;
    for (int64_t seed = 0; seed < 20; seed++) { /* the Biologist is the only one who has not been heard */
        cv_candidates list = after_two_rounds(&a);
        assert_str_eq(rotated(&a, &list, CV_ROTATION_WILDCARDS, 4, seed),
                      "Value Analyst, Options Trader, Tax Lawyer, Biologist");
    }
    cv_candidates used = after_two_rounds(&a); /* nobody new: one of the others comes back */
    used.items[9].barred = true;
    rotated(&a, &used, CV_ROTATION_WILDCARDS, 4, 3);
    assert_int_equal(in_tier(&used, CV_TIER_WILDCARD), 1);
    cv_arena_release(&a);
}

static void test_rotation_full(void **state)
{
    cv_arena a = {0};
    size_t cores = 0;
    (void)state;
    for (int64_t seed = 0; seed < 300; seed++) {
        cv_candidates list = after_two_rounds(&a);
        rotated(&a, &list, CV_ROTATION_FULL, 4, seed);
        cores += in_tier(&list, CV_TIER_CORE);
        assert_int_equal(
            in_tier(&list, CV_TIER_CORE) + in_tier(&list, CV_TIER_ADJACENT) + in_tier(&list, CV_TIER_WILDCARD), 4);
    }
    assert_in_range(cores, 420, 600); /* by relevance alone, about 1.7 of 4: the split would give exactly 1 */
    cv_arena_release(&a);
}

static void test_rotation_graduated(void **state)
{
    cv_arena a = {0};
    cv_candidates stands = after_two_rounds(&a), asked = after_two_rounds(&a), barred = after_two_rounds(&a);
    (void)state;
    assert_str_eq(rotated(&a, &stands, CV_ROTATION_GRADUATED, 4, 1), "Value Analyst, Options Trader, Tax Lawyer, Poet");
    asked.items[4].asked = true;
    rotated(&a, &asked, CV_ROTATION_GRADUATED, 4, 1);
    assert_true(asked.items[4].kept);
    assert_int_equal(in_tier(&asked, CV_TIER_CORE), 1);
    assert_int_equal(in_tier(&asked, CV_TIER_ADJACENT), 2);
    assert_int_equal(in_tier(&asked, CV_TIER_WILDCARD), 1);
    barred.items[8].barred = true;
    rotated(&a, &barred, CV_ROTATION_GRADUATED, 4, 1);
    assert_false(barred.items[8].seated);
    assert_int_equal(in_tier(&barred, CV_TIER_WILDCARD), 1);
    cv_arena_release(&a);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    cv_arena a = {0};
    cv_map taken = {0};
    (void)state;
    assert_str_eq(cv_panel_name(&a, 0), "muffin");
    assert_str_eq(cv_panel_name(&a, 19), "religieuse");
    assert_str_eq(cv_panel_name(&a, 20), "pastry21");
    assert_str_eq(cv_panel_name(&a, 499), "pastry500");
    cv_map_put(&taken, &a, CV_STR("cupcake"), NULL);
    cv_map_put(&taken, &a, CV_STR("pastry21"), NULL);
    assert_str_eq(cv_panel_deal(&a, &taken), "muffin");
    assert_str_eq(cv_panel_deal(&a, &taken), "scone");
    for (int i = 0; i < 17; i++)
        cv_panel_deal(&a, &taken);
    assert_str_eq(cv_panel_deal(&a, &taken), "pastry22");
    assert_str_eq(cv_panel_display_name(&a, CV_STR("muffin")), "Muffin");
    assert_str_eq(cv_panel_display_name(&a, CV_STR("pastry21")), "Pastry21");
    cv_arena_release(&a);
}

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(cv_words_find(cv_rotation_words, CV_STR("Graduated")), CV_ROTATION_GRADUATED);
    assert_int_equal(cv_words_find(cv_rotation_words, CV_STR("sometimes")), -1);
    for (size_t i = 0; i < CV_ROTATION_COUNT; i++)
        assert_true(cv_rotation_words.items[i].n > 0 && cv_rotation_meanings[i].n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),         cmocka_unit_test(test_generator),
        cmocka_unit_test(test_below),         cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_golden),        cmocka_unit_test(test_tiers_are_kept),
        cmocka_unit_test(test_frequencies),   cmocka_unit_test(test_chances),
        cmocka_unit_test(test_no_weight),     cmocka_unit_test(test_shortfall),
        cmocka_unit_test(test_rotation_none), cmocka_unit_test(test_rotation_wildcards),
        cmocka_unit_test(test_rotation_full), cmocka_unit_test(test_rotation_graduated),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_words),
        cmocka_unit_test(test_everybody),
    };
    return cmocka_run_group_tests_name("panel", tests, NULL, NULL);
}
