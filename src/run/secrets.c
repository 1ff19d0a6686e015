/* secrets.c - the values of variables that hold keys; see secrets.h. */
#include "run/secrets.h"

#include <unistd.h>

#include "base/buf.h"

/* Bytes: of a value, of a line in one with several, of a value whose variable has an ordinary name. */
enum { LEAST = 7, LEAST_LINE = 16, LEAST_KEY = 16 };

bool cv_secret_name(cv_str name)
{
    static const cv_str words[] = {CV_STR_INIT("KEY"),  CV_STR_INIT("TOKEN"),      CV_STR_INIT("SECRET"),
                                   CV_STR_INIT("PASS"), CV_STR_INIT("CREDENTIAL"), CV_STR_INIT("AUTH")};
    if (cv_str_find_nocase(name, CV_STR("AUTHOR")) != SIZE_MAX)
        return false;
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_find_nocase(name, words[i]) != SIZE_MAX)
            return true;
    return false;
}

/* One long word of letters and digits: neither a text, nor a path, nor a number. */
bool cv_secret_value(cv_str value)
{
    bool letter = false, digit = false;
    for (size_t i = 0; i < value.n; i++) {
        char c = value.p[i];
        if (!cv_is_alnum(c) && !strchr("-_.+=", c))
            return false;
        letter = letter || cv_is_alpha(c);
        digit = digit || cv_is_digit(c);
    }
    return value.n >= LEAST_KEY && letter && digit;
}

/* Longer ones stand first: one may begin like another. */
static void add(cv_arena *a, cv_secrets *secrets, cv_str name, cv_str value)
{
    CV_PUSH(a, secrets);
    size_t at = secrets->count - 1;
    for (; at > 0 && secrets->items[at - 1].value.n < value.n; at--)
        secrets->items[at] = secrets->items[at - 1];
    secrets->items[at].name = cv_arena_copy(a, name);
    secrets->items[at].value = cv_arena_copy(a, value);
}

void cv_secrets_add(cv_arena *a, cv_secrets *secrets, cv_str name, cv_str value)
{
    value = cv_str_trim(value);
    if (value.n < LEAST)
        return;
    add(a, secrets, name, value);
    if (cv_str_find_char(value, '\n') == SIZE_MAX)
        return;
    for (cv_str line; cv_str_split(&value, '\n', &line);)
        if (cv_str_trim(line).n >= LEAST_LINE)
            add(a, secrets, name, cv_str_trim(line));
}

void cv_secrets_of_environment(cv_arena *a, cv_secrets *secrets)
{
    for (char **at = environ; at && *at; at++) {
        cv_str all = cv_str_of(*at), name = cv_str_head(all, cv_str_find_char(all, '='));
        if (name.n < all.n && cv_secret_name(name))
            cv_secrets_add(a, secrets, name, cv_str_from(all, name.n + 1));
    }
}

static cv_str hide_one(cv_arena *a, cv_str name, cv_str value, cv_str text)
{
    size_t at = cv_str_find(text, value);
    if (at == SIZE_MAX)
        return text;
    cv_buf out = {0};
    for (; at != SIZE_MAX; at = cv_str_find(text, value)) {
        cv_buf_add(&out, cv_str_head(text, at));
        cv_buf_printf(&out, "[%.*s]", CV_FMT(name));
        text = cv_str_from(text, at + value.n);
    }
    cv_buf_add(&out, text);
    return cv_buf_take(&out, a);
}

cv_str cv_secrets_hide(cv_arena *a, const cv_secrets *secrets, cv_str text)
{
    for (size_t i = 0; i < secrets->count; i++)
        text = hide_one(a, secrets->items[i].name, secrets->items[i].value, text);
    return text;
}

cv_str cv_secrets_hide_end(cv_arena *a, const cv_secrets *secrets, cv_str text)
{
    for (size_t i = 0; i < secrets->count; i++) {
        cv_str value = secrets->items[i].value;
        for (size_t n = value.n - 1; n > 0; n--)
            if (cv_str_starts(text, cv_str_from(value, value.n - n)))
                return cv_secrets_hide(a, secrets, cv_str_from(text, n));
    }
    return cv_secrets_hide(a, secrets, text);
}
