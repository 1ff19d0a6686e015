/* test_clock.c - times to text and back. */
#include "testing.h"

#include <time.h>

#include "base/clock.h"

static const int64_t FIRST_MS = -62167219200000; /* 0000-01-01T00:00:00.000Z */
static const int64_t LAST_MS = 253402300799999;  /* 9999-12-31T23:59:59.999Z */

static void assert_prints(int64_t ms, const char *expected)
{
    char text[CV_TIME_LEN + 1];
    int64_t back = -1;
    assert_true(cv_time_print(ms, text));
    assert_string_equal(text, expected);
    assert_true(cv_time_parse(cv_str_of(text), &back));
    assert_true(back == ms);
}

static void known_times_print(void **state)
{
    (void)state;
    assert_prints(0, "1970-01-01T00:00:00.000Z");
    assert_prints(-1, "1969-12-31T23:59:59.999Z");
    assert_prints(951782400000, "2000-02-29T00:00:00.000Z");
    assert_prints(1709251199999, "2024-02-29T23:59:59.999Z");
    assert_prints(1770091506789, "2026-02-03T04:05:06.789Z");
    assert_prints(FIRST_MS, "0000-01-01T00:00:00.000Z");
    assert_prints(LAST_MS, "9999-12-31T23:59:59.999Z");
}

/* A clock may show anything; the nearest time that can be written is written, and the caller told. */
static void a_time_beyond_the_calendar_is_told(void **state)
{
    (void)state;
    const struct {
        int64_t ms;
        const char *nearest;
    } cases[] = {
        {LAST_MS + 1, "9999-12-31T23:59:59.999Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z"},
        {FIRST_MS - 1, "0000-01-01T00:00:00.000Z"},
        {INT64_MIN, "0000-01-01T00:00:00.000Z"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        char text[CV_TIME_LEN + 1];
        assert_false(cv_time_print(cases[i].ms, text));
        assert_string_equal(text, cases[i].nearest);
    }
}

static void random_times_agree_with_libc_and_come_back(void **state)
{
    (void)state;
    cv_test_random r = {21};
    for (int i = 0; i < (cv_test_soak() ? 20000000 : 200000); i++) {
        int64_t ms = FIRST_MS + (int64_t)(cv_test_next(&r) % (uint64_t)(LAST_MS - FIRST_MS + 1));
        int64_t part = ((ms % 1000) + 1000) % 1000;
        time_t seconds = (time_t)((ms - part) / 1000);
        struct tm tm;
        gmtime_r(&seconds, &tm);
        char expected[80];
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)part);
        assert_prints(ms, expected);
    }
}

/* The last day of every February and the first of every March, of all years there are. */
static void every_leap_day_is_known(void **state)
{
    (void)state;
    for (int year = 0; year <= 9999; year++) {
        char text[40];
        int64_t last, first;
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        snprintf(text, sizeof text, "%04d-02-29T00:00:00Z", year);
        assert_int_equal(cv_time_parse(cv_str_of(text), &last), leap);
        snprintf(text, sizeof text, "%04d-02-28T00:00:00Z", year);
        assert_true(cv_time_parse(cv_str_of(text), &last));
        snprintf(text, sizeof text, "%04d-03-01T00:00:00Z", year);
        assert_true(cv_time_parse(cv_str_of(text), &first));
        assert_true(first - last == (leap ? 2 : 1) * 86400000LL);
    }
}

static void the_fraction_may_be_absent(void **state)
{
    (void)state;
    int64_t ms;
    assert_true(cv_time_parse(CV_STR("2026-02-03T04:05:06Z"), &ms));
    assert_true(ms == 1770091506000);
}

static void what_is_no_such_time_is_refused(void **state)
{
    (void)state;
    const char *bad[] = {
        "",
        "2026",
        "2026-02-03",
        "2026-02-03T04:05Z",
        "2026-02-03 04:05:06Z",
        "2026-02-03T04:05:06",
        "2026-02-03T04:05:06z",
        "2026-02-03t04:05:06Z",
        "2026-02-03T04:05:06+00:00",
        "2026-02-03T04:05:06.7Z",
        "2026-02-03T04:05:06.7890Z",
        "2026-02-03T04:05:06,789Z",
        "2026-02-03T04:05:06.-89Z",
        "2026-02-03T04:05:06.789Z ",
        " 2026-02-03T04:05:06.78Z",
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "-026-01-01T00:00:00Z",
        "+026-01-01T00:00:00Z",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t ms = 77;
        if (cv_time_parse(cv_str_of(bad[i]), &ms))
            fail_msg("accepted \"%s\"", bad[i]);
        assert_true(ms == 77);
    }
}

/* One byte of a good time changed: refused, or another good time that prints as it was written. */
static void changed_bytes_never_slip_through(void **state)
{
    (void)state;
    const char good[] = "2024-02-29T23:59:59.999Z";
    for (size_t at = 0; at < CV_TIME_LEN; at++)
        for (int byte = 0; byte < 256; byte++) {
            char text[sizeof good], again[CV_TIME_LEN + 1];
            int64_t ms;
            memcpy(text, good, sizeof good);
            text[at] = (char)byte;
            if (!cv_time_parse((cv_str){text, CV_TIME_LEN}, &ms))
                continue;
            cv_time_print(ms, again);
            assert_string_equal(again, text);
        }
}

static int64_t standing_still(void *ctx)
{
    return *(const int64_t *)ctx;
}

static void clocks_are_passed_in(void **state)
{
    (void)state;
    int64_t noon = 1770120000000;
    cv_clock still = {standing_still, &noon};
    assert_true(still.now_ms(still.ctx) == noon);
    cv_clock real = cv_clock_system();
    int64_t now = real.now_ms(real.ctx), libc = (int64_t)time(NULL) * 1000;
    assert_true(now > libc - 5000 && now < libc + 5000);
}

static void times_of_files_are_bounded(void **state)
{
    static const struct {
        struct timespec time;
        int64_t ns;
    } cases[] = {
        {{0, 7}, 7},
        {{-1, 999999999}, -1},
        {{1700000000, 5}, INT64_C(1700000000000000005)},
        {{INT64_C(13569465600), 0}, INT64_MAX}, /* 2400 */
        {{INT64_MAX, 999999999}, INT64_MAX},
        {{INT64_C(-13569465600), 0}, INT64_MIN},
        {{INT64_MIN, 0}, INT64_MIN},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_int_equal(cv_timespec_ns(cases[i].time), cases[i].ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_files_are_bounded),
        cmocka_unit_test(known_times_print),
        cmocka_unit_test(a_time_beyond_the_calendar_is_told),
        cmocka_unit_test(random_times_agree_with_libc_and_come_back),
        cmocka_unit_test(every_leap_day_is_known),
        cmocka_unit_test(the_fraction_may_be_absent),
        cmocka_unit_test(what_is_no_such_time_is_refused),
        cmocka_unit_test(changed_bytes_never_slip_through),
        cmocka_unit_test(clocks_are_passed_in),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
