/* spelling.c - words and times in the wild; see spelling.h and spellings.def. */
#include "mail/text/spelling.h"

#include "base/clock.h"

static const cv_str status_words[] = {
#define TASK_STATUS(id, word) [CV_MTEXT_TASK_##id] = CV_STR_INIT(word),
#include "mail/text/spellings.def"
};
const cv_words cv_mtext_task_statuses = {status_words, CV_MTEXT_TASK_STATUS_COUNT};
_Static_assert(CV_COUNT(status_words) == CV_MTEXT_TASK_STATUS_COUNT, "a word for each");

typedef struct {
    int means;
    cv_str found;
} spelling;

static const spelling statuses[] = {
#define TASK_SPELLING(id, found) {CV_MTEXT_TASK_##id, CV_STR_INIT(found)},
#include "mail/text/spellings.def"
};

static const spelling priorities[] = {
#define PRIORITY_SPELLING(number, found) {number, CV_STR_INIT(found)},
#include "mail/text/spellings.def"
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool is_between(char c)
{
    return c == '_' || c == '-' || cv_is_space(c);
}

/* Does `found` begin with the word, letters only, and end there or at a mark between words? *ret_whole: it ends. */
static bool begins_with(cv_str found, cv_str wanted, bool *ret_whole)
{
    size_t i = 0, n = 0;
    for (; i < found.n && n < wanted.n; i++) {
        if (n > 0 && is_between(found.p[i]))
            continue;
        if (cv_lower(found.p[i]) != wanted.p[n++])
            return false;
    }
    if (n < wanted.n)
        return false;
    *ret_whole = i == found.n;
    return *ret_whole || is_between(found.p[i]);
}

static int means(const spelling *rows, size_t count, cv_str found)
{
    int by_beginning = -1;
    for (size_t i = 0; i < count; i++) {
        bool whole = false;
        if (!begins_with(found, rows[i].found, &whole))
            continue;
        if (whole)
            return rows[i].means;
        by_beginning = rows[i].means;
    }
    return by_beginning;
}

int cv_mtext_status_of(cv_str found, bool *ret_exact)
{
    cv_str s = cv_str_trim(found);
    int status = means(statuses, CV_COUNT(statuses), s);
    *ret_exact = status >= 0 && cv_str_eq(found, status_words[status]);
    return status;
}

int cv_mtext_priority_of(cv_str found, bool *ret_exact)
{
    int number;
    *ret_exact = cv_str_to_int(found, &number) && number > 0;
    if (*ret_exact)
        return number;
    number = means(priorities, CV_COUNT(priorities), cv_str_trim(found));
    return number > 0 ? number : 0;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* The parts of a time, each with as many digits as it has in RFC 3339: YYYY-MM-DDTHH:MM:SS, and its rest. */
static bool date_and_time(cv_str s, char to[20], cv_str *ret_rest)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd";
    size_t at = 0;
    for (size_t i = 0; shape[i]; i++) {
        char c = at < s.n ? s.p[at] : 0;
        if (shape[i] == 'd' && !cv_is_digit(c))
            return false;
        bool mark = shape[i] != 'd', there = c == shape[i] || (shape[i] == 'T' && (c == ' ' || c == 't' || c == '_'));
        bool may_lack = mark && cv_is_digit(c) && shape[i] != 'T'; /* 20250423T210759 */
        if (mark && !there && !may_lack)
            return false;
        at += !mark || there;
        to[i] = mark ? shape[i] : c;
    }
    *ret_rest = cv_str_from(s, at);
    return true;
}

/* ".8024209": milliseconds, the rest is cut. */
static int fraction(cv_str *s)
{
    int ms = 0, digits = 0;
    if (s->n < 2 || (s->p[0] != '.' && s->p[0] != ',') || !cv_is_digit(s->p[1]))
        return 0;
    for (*s = cv_str_from(*s, 1); s->n && cv_is_digit(s->p[0]); *s = cv_str_from(*s, 1), digits++)
        if (digits < 3)
            ms = ms * 10 + (s->p[0] - '0');
    for (; digits < 3; digits++)
        ms *= 10;
    return ms;
}

/* "", "Z", "+02:00", "+0200", "+02", and an offset with a Z behind it. */
static bool zone(cv_str s, int *ret_minutes)
{
    int hours, minutes = 0;
    *ret_minutes = 0;
    if (s.n == 0 || cv_str_eq_nocase(s, CV_STR("z")) || cv_str_eq_nocase(s, CV_STR(" utc")))
        return true;
    if (s.p[0] != '+' && s.p[0] != '-')
        return false;
    cv_str rest = cv_str_from(s, 3);
    if (s.n < 3 || !cv_str_to_int(cv_str_head(cv_str_from(s, 1), 2), &hours) || hours > 23)
        return false;
    if (rest.n && rest.p[0] == ':')
        rest = cv_str_from(rest, 1);
    if (rest.n >= 2 && cv_is_digit(rest.p[0])) {
        if (!cv_str_to_int(cv_str_head(rest, 2), &minutes) || minutes > 59)
            return false;
        rest = cv_str_from(rest, 2);
    }
    *ret_minutes = (s.p[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
    return rest.n == 0 || cv_str_eq_nocase(rest, CV_STR("z"));
}

bool cv_mtext_time_of(cv_str found, int64_t *ret_ms, bool *ret_exact)
{
    char plain[21];
    cv_str rest;
    int minutes;
    int64_t seconds;
    cv_str s = cv_str_trim(found);
    if (!date_and_time(s, plain, &rest))
        return false;
    plain[19] = 'Z';
    int ms = fraction(&rest);
    if (!cv_time_parse((cv_str){plain, 20}, &seconds) || !zone(rest, &minutes))
        return false;
    *ret_ms = seconds + ms - (int64_t)minutes * 60000;
    bool is_offset = rest.n == 6 && rest.p[3] == ':';
    *ret_exact = s.n == found.n && s.p[10] == 'T' && s.p[4] == '-' && s.p[13] == ':' &&
                 (is_offset || cv_str_eq(rest, CV_STR("Z")));
    return true;
}
