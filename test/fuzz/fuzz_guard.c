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

/* localhost, an address of the loopback or the one that is listened on; with a token and all addresses anything. */
static bool is_ours(const cv_guard *g, cv_str host)
{
    cv_endpoint literal;
    size_t end = cv_str_find_char(host, ']');
    cv_str name = cv_str_head(host, end != SIZE_MAX ? end + 1 : cv_str_find_char(host, ':'));
    return is_host(host, CV_STR("localhost")) || (g->name && is_host(host, cv_str_of(g->name))) ||
           (g->token && cv_endpoint_is_any(&g->address)) ||
           (is_host(host, name) && cv_endpoint_read(name, &literal) &&
            (cv_endpoint_is_loopback(&literal) || cv_endpoint_eq(&literal, &g->address)));
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
    cv_guard guard = {.token = authorization.p ? "secret" : NULL};
    if (!cv_endpoint_read(address, &guard.address)) /* names are looked up in the world: not here */
        cv_endpoint_read(CV_STR("127.0.0.1"), &guard.address);
    else
        guard.name = cv_arena_copy_z(&a, address);
    const cv_guarded request = {.host = host, .origin = origin, .authorization = authorization};
    int status = cv_guard_check(&guard, &request, &why);
    need(status == 0 ? why == NULL : why != NULL && (status == 401 || status == 403));
    if (status != 403) {
        size_t scheme = cv_str_find(origin, CV_STR("://"));
        need(host.p && is_ours(&guard, host));
        need(!origin.p || (scheme != SIZE_MAX && is_ours(&guard, cv_str_from(origin, scheme + 3))));
    }
    bool knows = authorization.p && cv_str_eq(cv_str_trim(cv_str_from(authorization, 7)), CV_STR("secret")) &&
                 cv_str_starts_nocase(authorization, CV_STR("bearer "));
    need(status == 403 || (status == 0) == (!guard.token || knows));
    cv_arena_release(&a);
    return 0;
}
