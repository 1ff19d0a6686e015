/* retry.c - which calls are tried again, and when; see retry.h. */
#include "run/retry.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

const cv_retry_policy cv_retry_usual = {
    .tries = 3, .first_ms = 1000, .most_ms = 60 * 1000, .patience_ms = 10 * 60 * 1000};

typedef enum { NO, YES, LATER } again;
static const again outcomes[] = {
#define OUTCOME(id, word, again, meaning) [CV_CALL_##id] = again,
#include "run/outcomes.def"
#undef OUTCOME
};
_Static_assert(CV_COUNT(outcomes) == CV_CALL_COUNT, "a rule for each");

/* The pause after so many calls, without what a server asked for. */
static int64_t pause_after(const cv_retry_policy *policy, int tried, uint64_t random)
{
    int64_t pause = policy->first_ms;
    assert(tried > 0);
    for (int i = 1; i < tried && pause < policy->most_ms; i++)
        pause *= 2;
    pause = pause < policy->most_ms ? pause : policy->most_ms;
    return pause / 2 + (int64_t)(random % (uint64_t)(pause - pause / 2 + 1));
}

bool cv_retry_next(const cv_retry_policy *policy, int tried, const cv_calls_result *last, uint64_t random,
                   int64_t *ret_pause_ms, cv_str *ret_why)
{
    int64_t asked = last->retry_after_ms == CV_ABSENT ? 0 : last->retry_after_ms;
    assert(last->outcome < CV_CALL_COUNT && policy->tries > 0);
    *ret_why = outcomes[last->outcome] == NO ? CV_STR("it would end the same way")
               : tried >= policy->tries      ? CV_STR("it was tried often enough")
               : asked > policy->patience_ms ? CV_STR("the server asks for a longer pause than allowed")
                                             : (cv_str){NULL, 0};
    if (ret_why->p)
        return false;
    *ret_pause_ms = asked + pause_after(policy, tried, random);
    return true;
}

/* ---- Retry-After ------------------------------------------------------------------------------------------------- */

/* The form that servers write, and the two old ones that everybody has to understand (RFC 9110, 5.6.7). */
static bool read_date(cv_str text, int64_t *ret_ms)
{
    static const char *const forms[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                        "%a %b %e %H:%M:%S %Y"};
    char date[64];
    if (text.n >= sizeof date)
        return false;
    snprintf(date, sizeof date, "%.*s", CV_FMT(text));
    for (size_t i = 0; i < CV_COUNT(forms); i++) {
        struct tm when = {0};
        const char *end = strptime(date, forms[i], &when);
        if (end && !*end) {
            *ret_ms = (int64_t)timegm(&when) * 1000;
            return true;
        }
    }
    return false;
}

/* "120"; with a fraction it is rounded up. So many that they do not fit are as good as for ever. */
static bool read_seconds(cv_str text, int64_t *ret_ms)
{
    int64_t seconds = 0;
    size_t digits = 0;
    for (; digits < text.n && cv_is_digit(text.p[digits]); digits++)
        seconds = seconds < INT32_MAX ? seconds * 10 + (text.p[digits] - '0') : seconds;
    bool fraction = digits < text.n && text.p[digits] == '.';
    for (size_t i = digits + 1; fraction && i < text.n; i++)
        if (!cv_is_digit(text.p[i]))
            return false;
    *ret_ms = (seconds + fraction) * 1000;
    return digits > 0 && (fraction || digits == text.n);
}

int64_t cv_retry_after(cv_str value, int64_t now_ms)
{
    int64_t at;
    value = cv_str_trim(value);
    if (read_seconds(value, &at))
        return at;
    return read_date(value, &at) ? at > now_ms ? at - now_ms : 0 : CV_ABSENT;
}
