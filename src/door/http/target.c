/* target.c - the path and the parameters of a request; see target.h. */
#include "door/http/target.h"

#include "base/file.h"
#include "base/utf8.h"

static int digit_of(char c)
{
    char lower = (char)(c | 0x20);
    return cv_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Forms write a blank as a sign '+'. Two digits become one byte, so the bytes fit where the text was. */
static bool unescape(cv_str text, bool is_form, char *to, size_t *ret_n, cv_str *ret_wrong)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        int high = i + 2 < text.n ? digit_of(text.p[i + 1]) : -1, low = high >= 0 ? digit_of(text.p[i + 2]) : -1;
        if (text.p[i] != '%') {
            to[n++] = is_form && text.p[i] == '+' ? ' ' : text.p[i];
        } else if (low >= 0) {
            to[n++] = (char)(high << 4 | low);
            i += 2;
        } else {
            *ret_wrong = cv_utf8_head(cv_str_from(text, i), 3);
            return false;
        }
    }
    *ret_n = n;
    return true;
}

static bool decode(cv_arena *a, cv_str text, bool is_form, const char *whose, cv_str *ret_text, cv_err *err)
{
    cv_str wrong;
    size_t n;
    char *to = cv_arena_alloc(a, text.n + 1);
    if (!unescape(text, is_form, to, &n, &wrong)) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "%s has '%.*s': two hexadecimal digits follow a sign %%", whose,
                   CV_FMT(wrong));
        cv_err_suggest(err, CV_STR("write %25 for the sign itself"));
        return false;
    }
    *ret_text = (cv_str){to, n};
    size_t valid = cv_utf8_valid(*ret_text);
    if (cv_str_find_char(cv_str_head(*ret_text, valid), '\0') != SIZE_MAX)
        return cv_err_set(err, CV_ERR_NOT_TEXT, "%s has a NUL (%%00): this is not text", whose);
    if (valid < n)
        return cv_err_set(err, CV_ERR_NOT_UTF8, "%s is not valid UTF-8 from the byte %%%02x on", whose,
                          (unsigned char)to[valid]);
    return true;
}

static cv_str until(cv_str text, char end)
{
    size_t at = cv_str_find_char(text, end);
    return cv_str_head(text, at == SIZE_MAX ? text.n : at);
}

static cv_str query_of(cv_str target)
{
    size_t at = cv_str_find_char(target, '?');
    return at == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(target, at + 1);
}

bool cv_target_path(cv_arena *a, cv_str target, cv_str *ret_path, cv_err *err)
{
    return decode(a, until(target, '?'), false, "the path", ret_path, err);
}

static bool decode_parameter(cv_arena *a, cv_str pair, cv_str *ret_name, cv_str *ret_value, cv_err *err)
{
    cv_str name = until(pair, '='), shown = cv_excerpt(a, cv_str_head(name, cv_utf8_valid(name)));
    bool ok =
        decode(a, name, true, cv_arena_printf(a, "the name of the parameter '%.*s'", CV_FMT(shown)).p, ret_name, err);
    *ret_value = (cv_str){NULL, 0};
    if (ok && name.n < pair.n) {
        shown = cv_excerpt(a, *ret_name);
        ok = decode(a, cv_str_from(pair, name.n + 1), true, cv_arena_printf(a, "the parameter '%.*s'", CV_FMT(shown)).p,
                    ret_value, err);
    }
    if (!ok)
        cv_err_field(err, shown);
    return ok;
}

bool cv_target_each(cv_arena *a, cv_str target, void (*visit)(void *ctx, cv_str name, cv_str value), void *ctx,
                    cv_err *err)
{
    cv_str rest = query_of(target), pair, name, value;
    while (cv_str_split(&rest, '&', &pair)) {
        if (!pair.n)
            continue; /* "&&" */
        if (!decode_parameter(a, pair, &name, &value, err))
            return false;
        visit(ctx, name, value);
    }
    return true;
}

size_t cv_target_count(cv_str target)
{
    cv_str query = query_of(target);
    size_t count = query.p ? 1 : 0;
    for (size_t i = 0; i < query.n; i++)
        count += query.p[i] == '&';
    return count;
}
