/* fuzz_guard.c - any bytes as Host, Origin and Authorization: who is let in has one of our names, and the token.
 *
 *     address | Host | Origin | Authorization      a hyphen: absent; with an Authorization there is a token
 */
#include <stdlib.h>

#include "door/http/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static bool is_port(cv_str text)
{
    if (text.n == 0)
        return true;
    if (text.p[0] != ':' || text.n < 2)
        return false;
    for (size_t i = 1; i < text.n; i++)
        if (!cv_is_digit(text.p[i]))
            return false;
    return true;
}

static bool is_host(cv_str text, cv_str name)
{
    return name.n > 0 && cv_str_starts_nocase(text, name) && is_port(cv_str_from(text, name.n));
}

/* One of the names of the loopback; with a token also the address itself, with brackets around it or not. */
static bool is_ours(cv_arena *a, cv_str host, cv_str address, bool token)
{
    bool any = cv_str_eq(address, CV_STR("0.0.0.0")) || cv_str_eq(address, CV_STR("::"));
    return is_host(host, CV_STR("localhost")) || is_host(host, CV_STR("127.0.0.1")) || is_host(host, CV_STR("[::1]")) ||
           (token && (any || is_host(host, address) ||
                      (address.n && is_host(host, cv_arena_printf(a, "[%.*s]", CV_FMT(address))))));
}

static cv_str part(cv_str *rest)
{
    cv_str piece;
    return cv_str_split(rest, '|', &piece) && !cv_str_eq(piece, CV_STR("-")) ? piece : (cv_str){NULL, 0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_str rest = {(const char *)data, size};
    cv_str address = part(&rest), host = part(&rest), origin = part(&rest), authorization = part(&rest);
    const char *why = NULL;
    if (address.p && memchr(address.p, '\0', address.n))
        address = (cv_str){NULL, 0};
    cv_http_options options = {.address = address.p ? cv_arena_copy_z(&a, address) : NULL,
                               .token = authorization.p ? "secret" : NULL};
    int status = cv_guard_check(&options, host, origin, authorization, &why);
    need(status == 0 ? why == NULL : why != NULL && (status == 401 || status == 403));
    if (status != 403) {
        size_t scheme = cv_str_find(origin, CV_STR("://"));
        need(host.p && is_ours(&a, host, address, options.token));
        need(!origin.p || (scheme != SIZE_MAX && is_ours(&a, cv_str_from(origin, scheme + 3), address, options.token)));
    }
    bool knows = authorization.p && cv_str_eq(cv_str_trim(cv_str_from(authorization, 7)), CV_STR("secret")) &&
                 cv_str_starts_nocase(authorization, CV_STR("bearer "));
    need(status == 403 || (status == 0) == (!options.token || knows));
    cv_arena_release(&a);
    return 0;
}
