/* clock.c - time as UTC ISO-8601; see clock.h. Days are counted from 0000-01-01 in the Gregorian calendar. */
#include "base/clock.h"

#include <assert.h>
#include <time.h>

enum { EPOCH_DAY = 719528, MAX_YEAR = 9999 }; /* 1970-01-01 */

static const int64_t MS_PER_DAY = 86400000;

static int64_t system_now_ms(void *ctx)
{
    (void)ctx;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

cv_clock cv_clock_system(void)
{
    return (cv_clock){system_now_ms, NULL};
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
    assert(month >= 1 && month <= 12);
    static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days of all years before `year`: of the years 0 … year - 1, every fourth but not every hundredth is a leap year. */
static int days_before_year(int year)
{
    return 365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
}

/* `value` as exactly `width` digits; returns the end. */
static char *put_digits(char *to, int width, int value)
{
    assert(value >= 0);
    for (int i = width - 1; i >= 0; i--) {
        to[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return to + width;
}

static char *put_date(char *to, int day)
{
    int year = day / 366; /* at or before the right one, never past it */
    while (days_before_year(year + 1) <= day)
        year++;
    day -= days_before_year(year);
    int month = 1;
    for (; day >= days_in_month(year, month); month++)
        day -= days_in_month(year, month);
    to = put_digits(to, 4, year);
    *to++ = '-';
    to = put_digits(to, 2, month);
    *to++ = '-';
    return put_digits(to, 2, day + 1);
}

static char *put_time(char *to, int ms)
{
    to = put_digits(to, 2, ms / 3600000);
    *to++ = ':';
    to = put_digits(to, 2, ms / 60000 % 60);
    *to++ = ':';
    to = put_digits(to, 2, ms / 1000 % 60);
    *to++ = '.';
    return put_digits(to, 3, ms % 1000);
}

bool cv_time_print(int64_t ms, char to[CV_TIME_LEN + 1])
{
    const int64_t first = -EPOCH_DAY * MS_PER_DAY;
    const int64_t last = first + days_before_year(MAX_YEAR + 1) * MS_PER_DAY - 1;
    int64_t nearest = ms < first ? first : ms > last ? last : ms, since_year_0 = nearest - first;
    to = put_date(to, (int)(since_year_0 / MS_PER_DAY));
    *to++ = 'T';
    to = put_time(to, (int)(since_year_0 % MS_PER_DAY));
    *to++ = 'Z';
    *to = '\0';
    return nearest == ms;
}

bool cv_clock_fail(cv_err *err)
{
    cv_err_set(err, CV_ERR_IO, "the clock of this machine shows a time outside the years 0000 to 9999");
    cv_err_suggest(err, CV_STR("set the clock and ask again; the record was not changed"));
    return false;
}

/* `n` digits at `at`: a number from `least` to `most`. */
static bool number(cv_str s, size_t at, size_t n, int least, int most, int *ret_value)
{
    return cv_str_to_int(cv_str_head(cv_str_from(s, at), n), ret_value) && *ret_value >= least && *ret_value <= most;
}

bool cv_time_parse(cv_str s, int64_t *ret_ms)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    bool fraction = s.n == CV_TIME_LEN;
    if (!fraction && s.n != CV_TIME_LEN - 4)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char wanted = i == s.n - 1 ? 'Z' : shape[i];
        if (wanted == 'd' ? !cv_is_digit(s.p[i]) : s.p[i] != wanted)
            return false;
    }
    int year, month, day, hour, minute, second, ms = 0;
    if (!number(s, 0, 4, 0, MAX_YEAR, &year) || !number(s, 5, 2, 1, 12, &month) ||
        !number(s, 8, 2, 1, days_in_month(year, month), &day) || !number(s, 11, 2, 0, 23, &hour) ||
        !number(s, 14, 2, 0, 59, &minute) || !number(s, 17, 2, 0, 59, &second) ||
        (fraction && !number(s, 20, 3, 0, 999, &ms)))
        return false;
    int days = days_before_year(year) + day - 1 - EPOCH_DAY;
    for (int m = 1; m < month; m++)
        days += days_in_month(year, m);
    *ret_ms = days * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * (int64_t)1000 + ms;
    return true;
}

cv_str cv_time_short(cv_arena *a, cv_str time)
{
    int64_t ms;
    if (time.n != CV_TIME_LEN || !cv_time_parse(time, &ms))
        return time;
    return cv_arena_printf(a, "%.10s %.8s", time.p, time.p + 11);
}

int64_t cv_timespec_ns(struct timespec t)
{
    const int64_t second = 1000000000, most = INT64_MAX / second;
    if (t.tv_sec >= most)
        return INT64_MAX;
    return t.tv_sec <= -most ? INT64_MIN : t.tv_sec * second + t.tv_nsec;
}
