/* guard.c - who may come in; see guard.h. */
#include "door/http/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

bool cv_guard_is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* "localhost:8080" -> "localhost", "[::1]:80" -> "[::1]"; false: it is neither. */
static bool name_of(cv_str host, cv_str *ret_name)
{
    size_t end = host.n && host.p[0] == '[' ? cv_str_find_char(host, ']') : cv_str_find_char(host, ':');
    if (host.n && host.p[0] == '[') {
        if (end == SIZE_MAX)
            return false;
        end++;
    }
    *ret_name = cv_str_head(host, end == SIZE_MAX ? host.n : end);
    cv_str port = cv_str_from(host, ret_name->n);
    int number;
    return ret_name->n > 0 && (port.n == 0 || (port.p[0] == ':' && cv_str_to_int(cv_str_from(port, 1), &number)));
}

/* Our own names: those of the loopback, and the address that we were told to listen on. One that stands for all
 * addresses has no name of its own: then the token alone decides. */
static bool is_ours(const cv_http_options *o, cv_str host)
{
    static const cv_str loopback[] = {CV_STR_INIT("localhost"), CV_STR_INIT("127.0.0.1"), CV_STR_INIT("[::1]")};
    cv_str name, address = cv_str_of(o->address);
    if (!name_of(host, &name))
        return false;
    for (size_t i = 0; i < CV_COUNT(loopback); i++)
        if (cv_str_eq_nocase(name, loopback[i]))
            return true;
    bool any = cv_str_eq(address, CV_STR("0.0.0.0")) || cv_str_eq(address, CV_STR("::"));
    if (name.p[0] == '[')
        name = cv_str_range(name.p + 1, cv_str_end(name) - 1);
    return o->token && (any || (name.n > 0 && cv_str_eq_nocase(name, address)));
}

static bool origin_is_ours(const cv_http_options *o, cv_str origin)
{
    size_t scheme = cv_str_find(origin, CV_STR("://"));
    return scheme != SIZE_MAX && is_ours(o, cv_str_from(origin, scheme + 3));
}

/* The digests are compared: the same length whatever was sent. */
static bool token_is(const char *wanted, cv_str given)
{
    uint8_t a[SHA256_DIGEST_SIZE], b[SHA256_DIGEST_SIZE];
    struct sha256_ctx ctx;
    sha256_init(&ctx);
    sha256_update(&ctx, strlen(wanted), (const uint8_t *)wanted);
    sha256_digest(&ctx, sizeof a, a);
    sha256_init(&ctx);
    sha256_update(&ctx, given.n, (const uint8_t *)given.p);
    sha256_digest(&ctx, sizeof b, b);
    return memeql_sec(a, b, sizeof a);
}

int cv_guard_check(const cv_http_options *o, cv_str host, cv_str origin, cv_str authorization, const char **ret_why)
{
    static const cv_str bearer = CV_STR_INIT("Bearer ");
    if (!host.p || !is_ours(o, host)) {
        *ret_why = "the name in the header Host is not that of this server";
        return 403;
    }
    if (origin.p && !origin_is_ours(o, origin)) {
        *ret_why = "pages of other origins may not use this server";
        return 403;
    }
    bool sent = authorization.p && cv_str_starts_nocase(authorization, bearer);
    bool known = sent && o->token && token_is(o->token, cv_str_trim(cv_str_from(authorization, bearer.n)));
    if (o->token && !known) {
        *ret_why = sent ? "the token is wrong: it is not the one that this server was started with"
                        : "a token is needed: send the header 'Authorization: Bearer TOKEN'";
        return 401;
    }
    return 0;
}
