/* dates.c - when a dialogue took place; see dates.h. */
#include "dialogue/import/dates.h"

#include "base/clock.h"
#include "dialogue/types.h"

/* Matches digits (0) and every other character of the pattern. */
static bool fits(cv_str s, const char *pattern)
{
    size_t n = strlen(pattern);
    if (s.n < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (pattern[i] == '0'   ? !cv_is_digit(s.p[i])
            : pattern[i] == ' ' ? s.p[i] != ' ' && s.p[i] != 'T'
                                : s.p[i] != pattern[i])
            return false;
    return true;
}

static int64_t date_at(cv_arena *a, cv_str s)
{
    int64_t ms;
    cv_str text;
    if (fits(s, "0000-00-00 00:00:00"))
        text = cv_arena_printf(a, "%.10sT%.8sZ", s.p, s.p + 11);
    else if (fits(s, "0000-00-00 00:00"))
        text = cv_arena_printf(a, "%.10sT%.5s:00Z", s.p, s.p + 11);
    else if (fits(s, "0000-00-00 0000"))
        text = cv_arena_printf(a, "%.10sT%.2s:%.2s:00Z", s.p, s.p + 11, s.p + 13);
    else if (fits(s, "0000-00-00"))
        text = cv_arena_printf(a, "%.10sT00:00:00Z", s.p);
    else
        return CV_ABSENT;
    return cv_time_parse(text, &ms) ? ms : CV_ABSENT;
}

int64_t cv_date_find(cv_arena *a, cv_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        int64_t ms = cv_is_digit(text.p[i]) && (i == 0 || !cv_is_digit(text.p[i - 1]))
                         ? date_at(a, cv_str_from(text, i))
                         : CV_ABSENT;
        if (ms != CV_ABSENT)
            return ms;
    }
    return CV_ABSENT;
}

size_t cv_date_prefix(cv_str name)
{
    static const char *const forms[] = {"0000-00-00 0000Z-", "0000-00-00-"};
    for (size_t i = 0; i < CV_COUNT(forms); i++)
        if (fits(name, forms[i]))
            return strlen(forms[i]);
    return 0;
}
