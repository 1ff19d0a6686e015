/* secrets.c - the values of variables that hold keys; see secrets.h. */
#include "run/secrets.h"

#include <unistd.h>

#include "base/buf.h"

enum { LEAST = 7 };

bool cv_secret_name(cv_str name)
{
    static const cv_str words[] = {CV_STR_INIT("KEY"),  CV_STR_INIT("TOKEN"),      CV_STR_INIT("SECRET"),
                                   CV_STR_INIT("PASS"), CV_STR_INIT("CREDENTIAL"), CV_STR_INIT("AUTH")};
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_find_nocase(name, words[i]) != SIZE_MAX)
            return true;
    return false;
}

void cv_secrets_add(cv_arena *a, cv_secrets *secrets, cv_str name, cv_str value)
{
    value = cv_str_trim(value);
    if (value.n < LEAST)
        return;
    CV_PUSH(a, secrets);
    secrets->items[secrets->count - 1].name = cv_arena_copy(a, name);
    secrets->items[secrets->count - 1].value = cv_arena_copy(a, value);
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
