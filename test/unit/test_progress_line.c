/* test_progress_line.c - the line that shows how far a command is: when it is shown, and how. */
#include "door/progress_line.h"
#include "testing.h"

static cv_buf out;

static cv_str draw(cv_progress_line *teller, int64_t now_ms, size_t done, const char *what)
{
    cv_buf_clear(&out);
    cv_progress_line_draw(teller, now_ms, done, 12, cv_str_of(what), &out);
    return cv_buf_str(&out);
}

static void what_takes_no_time_is_not_shown(void **state)
{
    (void)state;
    cv_progress_line teller = {.width = 80, .began_ms = 1000};
    assert_int_equal(draw(&teller, 1000, 0, "rye").n, 0);
    assert_int_equal(draw(&teller, 1499, 1, "rye").n, 0);
    assert_str_eq(draw(&teller, 1500, 2, "rye"), "\r\033[K2 of 12: rye");
    assert_int_equal(draw(&teller, 1599, 3, "rye").n, 0);
    assert_str_eq(draw(&teller, 1600, 4, "rye"), "\r\033[K4 of 12: rye");
}

static void only_terminals_see_it(void **state)
{
    (void)state;
    cv_progress_line teller = {.width = 0, .began_ms = 1000};
    assert_int_equal(draw(&teller, 9000, 5, "rye").n, 0);
    assert_false(teller.shown);
}

/* It never wraps, which could not be taken back, and nothing in a name steers the terminal. */
static void it_stays_on_its_line(void **state)
{
    (void)state;
    cv_progress_line teller = {.width = 14};
    assert_str_eq(draw(&teller, 1000, 5, "a\nb\033[2J and more"), "\r\033[K5 of 12: a?b?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_takes_no_time_is_not_shown),
        cmocka_unit_test(only_terminals_see_it),
        cmocka_unit_test(it_stays_on_its_line),
    };
    int failed = cmocka_run_group_tests_name("teller", tests, NULL, NULL);
    cv_buf_release(&out);
    return failed;
}
