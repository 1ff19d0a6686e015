/* test_map.c - the hash map against a plain list. */
#include "testing.h"

#include "base/map.h"

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    cv_map m = {0};
    assert_null(cv_map_get(&m, CV_STR("a")));
    assert_null(cv_map_get(&m, CV_STR("")));
}

static void values_start_at_zero_and_stay(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_map m = {0};
    bool is_new = false;
    uintptr_t *value = cv_map_put(&m, &a, CV_STR("key"), &is_new);
    assert_true(is_new);
    assert_int_equal(*value, 0);
    *value = 42;
    assert_int_equal(*cv_map_put(&m, &a, CV_STR("key"), &is_new), 42);
    assert_false(is_new);
    assert_int_equal(*cv_map_put(&m, &a, CV_STR("key"), NULL), 42);
    assert_int_equal(m.count, 1);
    assert_null(cv_map_get(&m, CV_STR("ke")));
    cv_arena_release(&a);
}

static void the_empty_key_is_a_key(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_map m = {0};
    *cv_map_put(&m, &a, (cv_str){NULL, 0}, NULL) = 7;
    bool is_new = true;
    assert_int_equal(*cv_map_put(&m, &a, CV_STR(""), &is_new), 7);
    assert_false(is_new);
    assert_int_equal(*cv_map_get(&m, (cv_str){NULL, 0}), 7);
    cv_arena_release(&a);
}

static void keys_may_hold_any_bytes(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_map m = {0};
    *cv_map_put(&m, &a, CV_STR("a\0b"), NULL) = 1;
    *cv_map_put(&m, &a, CV_STR("a\0c"), NULL) = 2;
    assert_int_equal(*cv_map_get(&m, CV_STR("a\0b")), 1);
    assert_int_equal(*cv_map_get(&m, CV_STR("a\0c")), 2);
    assert_null(cv_map_get(&m, CV_STR("a")));
    cv_arena_release(&a);
}

/* Keys 0 … count - 1 in random order, many of them more than once, against an array. */
static void random_puts_agree_with_an_array(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    cv_arena a = {0};
    cv_map m = {0};
    cv_test_random r = {11};
    uintptr_t *expected = CV_NEW_ARRAY(&a, COUNT, uintptr_t);
    size_t distinct = 0;
    for (int i = 0; i < 3 * COUNT; i++) {
        size_t k = cv_test_below(&r, COUNT);
        bool is_new;
        uintptr_t *value = cv_map_put(&m, &a, cv_arena_printf(&a, "key-%zu", k), &is_new);
        assert_int_equal(is_new, expected[k] == 0);
        assert_int_equal(*value, expected[k]);
        distinct += is_new;
        *value = expected[k] = (uintptr_t)i + 1;
    }
    assert_int_equal(m.count, distinct);
    for (size_t k = 0; k < COUNT; k++) {
        uintptr_t *value = cv_map_get(&m, cv_arena_printf(&a, "key-%zu", k));
        assert_int_equal(value ? *value : 0, expected[k]);
    }
    assert_true(m.capacity >= m.count && m.capacity <= 4 * m.count);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),        cmocka_unit_test(values_start_at_zero_and_stay),
        cmocka_unit_test(the_empty_key_is_a_key),          cmocka_unit_test(keys_may_hold_any_bytes),
        cmocka_unit_test(random_puts_agree_with_an_array),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
