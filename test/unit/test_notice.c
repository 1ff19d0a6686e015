/* test_notice.c - the warnings of an answer: their form, and that too many are counted. */
#include "testing.h"

#include "base/limits.h"
#include "dialogue/notices.h"

static cv_str printed(cv_arena *a, const cv_notices *warnings)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_notices_answer(warnings, &w);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

static void no_warnings_are_an_empty_list(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_notices warnings = {0};
    assert_str_eq(printed(&a, &warnings), "{\"warnings\":[]}");
    cv_arena_release(&a);
}

static void only_what_applies_is_told(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_notices warnings = {0};
    cv_notice_add(&warnings, &a, CV_STR("small_pool"), "%d experts", 2);
    cv_notice *one = cv_notice_add(&warnings, &a, CV_STR("missing_score"), "no \"score\"");
    cv_notice_expert(one, CV_STR("muffin"));
    one->id = CV_STR("P0001");
    one->field = CV_STR("score");
    one->ids = CV_STR("[\"P0001\"]");
    cv_notice_round(one, 0);
    assert_str_eq(printed(&a, &warnings),
                  "{\"warnings\":[{\"type\":\"small_pool\",\"message\":\"2 experts\"},"
                  "{\"type\":\"missing_score\",\"id\":\"P0001\",\"expert\":\"muffin\",\"field\":\"score\","
                  "\"round\":0,\"ids\":[\"P0001\"],\"message\":\"no \\\"score\\\"\"}]}");
    cv_arena_release(&a);
}

static void too_many_are_counted(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_notices warnings = {0};
    for (int i = 0; i < CV_MAX_WARNINGS + 7; i++)
        cv_notice_round(cv_notice_add(&warnings, &a, CV_STR("unsourced"), "number %d", i), i % 100);
    cv_str text = printed(&a, &warnings);
    assert_int_equal(warnings.count, CV_MAX_WARNINGS);
    assert_true(cv_str_ends(text, CV_STR("\"message\":\"number 999\"}],\"warnings_left_out\":7}")));
    cv_arena_release(&a);
}

#define CV_THIS_TYPE cv_answered
typedef struct {
    cv_notices warnings;
} cv_answered;
static const cv_shape answered_shape[] = {CV_PLAIN_WARNINGS(IF_ANY, warnings, ""), {0}};
#undef CV_THIS_TYPE

/* What every room's answers are made of. */
static void a_shape_has_them_all(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_answered answer = {0};
    assert_str_eq(cv_shape_text(&a, answered_shape, &answer), "{}");
    cv_notice *first = cv_notice_add(&answer.warnings, &a, CV_STR("late"), "too late");
    first->id = CV_STR("m1");
    first->field = CV_STR("expires_at");
    for (int i = 0; i < CV_MAX_WARNINGS + 6; i++)
        cv_notice_add(&answer.warnings, &a, CV_STR("late"), "number %d", i);
    cv_str text = cv_shape_text(&a, answered_shape, &answer);
    assert_true(cv_str_starts(text, CV_STR("{\"warnings\":[{\"type\":\"late\",\"id\":\"m1\",\"field\":\"expires_at\","
                                           "\"message\":\"too late\"}")));
    assert_true(cv_str_ends(text, CV_STR("],\"warnings_left_out\":7}")));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_warnings_are_an_empty_list),
        cmocka_unit_test(only_what_applies_is_told),
        cmocka_unit_test(too_many_are_counted),
        cmocka_unit_test(a_shape_has_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
