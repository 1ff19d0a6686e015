/* retry.c - which calls are tried again, and when; see retry.h. */
#include "run/retry.h"

#include <assert.h>
#include <stdio.h>

const cv_retry_policy cv_retry_usual = {
    .tries = 3, .first_ms = 1000, .most_ms = 60 * 1000, .patience_ms = 10 * 60 * 1000};

typedef enum { NO, YES, LATER } again;
static const again outcomes[] = {
#define OUTCOME(id, word, again, meaning) [CV_CALL_##id] = again,
#include "run/outcomes.def"
#undef OUTCOME
};
_Static_assert(CV_COUNT(outcomes) == CV_CALL_COUNT, "a rule for each");

int64_t cv_retry_pause(const cv_retry_policy *policy, int tried, uint64_t random)
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
    *ret_pause_ms = asked + cv_retry_pause(policy, tried, random);
    return true;
}

/* ---- Retry-After ------------------------------------------------------------------------------------------------- */

/* "Wed, 21 Oct 2015 07:28:00 GMT": the one form that servers may write, turned into ours. */
static bool read_date(cv_str text, int64_t *ret_ms)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char iso[32];
    int month = 0;
    if (text.n != 29 || !cv_str_ends(text, CV_STR(" GMT")))
        return false;
    while (month < 12 && memcmp(months + 3 * (size_t)month, text.p + 8, 3) != 0)
        month++;
    int n = snprintf(iso, sizeof iso, "%.4s-%02d-%.2sT%.8sZ", text.p + 12, month + 1, text.p + 5, text.p + 17);
    return n > 0 && cv_time_parse((cv_str){iso, (size_t)n}, ret_ms);
}

int64_t cv_retry_after(cv_str value, int64_t now_ms)
{
    int64_t at;
    int seconds;
    value = cv_str_trim(value);
    size_t point = cv_str_find_char(value, '.'); /* seconds with a fraction are rounded up */
    if (cv_str_to_int(cv_str_head(value, point), &seconds))
        return ((int64_t)seconds + (point < value.n)) * 1000;
    if (read_date(value, &at))
        return at > now_ms ? at - now_ms : 0;
    return CV_ABSENT;
}
