/* guard.c - who may come in; see guard.h. */
#include "door/http/guard.h"

#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <string.h>

#include "base/limits.h"

bool cv_guard_check_token(const char *token, cv_err *err)
{
    size_t length = strlen(token), at = 0;
    while (at < length && token[at] > ' ' && token[at] <= '~')
        at++;
    if (length > 0 && length <= CV_MAX_TOKEN && at == length)
        return true;
    if (length == 0)
        cv_err_set(err, CV_ERR_USAGE, "the token is empty");
    else if (length > CV_MAX_TOKEN)
        cv_err_set(err, CV_ERR_USAGE, "the token has %zu characters, at most %d are allowed", length, CV_MAX_TOKEN);
    else
        cv_err_set(err, CV_ERR_USAGE, "byte %zu of the token is %s", at + 1,
                   token[at] == ' ' || (token[at] >= '\t' && token[at] <= '\r') ? "white space"
                                                                                : "not a visible ASCII character");
    cv_err_suggest(
        err, CV_STR("a token has letters, digits and visible ASCII signs, without blanks: try 'openssl rand -hex 32'"));
    return false;
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

/* Our own names: localhost, every address of the loopback, and what we were told to listen on, as it was written or in
 * another spelling. Who listens on all addresses has no name of its own: then the token alone decides. */
static bool is_ours(const cv_guard *g, cv_str host)
{
    cv_endpoint literal;
    cv_str name;
    if (!name_of(host, &name))
        return false;
    if (cv_str_eq_nocase(name, CV_STR("localhost")) || (g->name && cv_str_eq_nocase(name, cv_str_of(g->name))))
        return true;
    if (g->token && cv_endpoint_is_any(&g->address))
        return true;
    return cv_endpoint_read(name, &literal) &&
           (cv_endpoint_is_loopback(&literal) || cv_endpoint_eq(&literal, &g->address));
}

static bool origin_is_ours(const cv_guard *g, cv_str origin)
{
    size_t scheme = cv_str_find(origin, CV_STR("://"));
    return scheme != SIZE_MAX && is_ours(g, cv_str_from(origin, scheme + 3));
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

cv_str cv_guard_bearer(cv_str authorization)
{
    static const cv_str bearer = CV_STR_INIT("Bearer ");
    bool sent = authorization.p && cv_str_starts_nocase(authorization, bearer);
    return sent ? cv_str_trim(cv_str_from(authorization, bearer.n)) : (cv_str){NULL, 0};
}

/* Why a token does not open; NULL: it is the server's own, or another one that does, or none is needed. */
static const char *why_closed(const cv_guard *g, cv_str token)
{
    const char *why = NULL;
    if (!token.p)
        return g->token ? "a token is needed: send the header 'Authorization: Bearer TOKEN'" : NULL;
    if ((g->token && token_is(g->token, token)) || (g->admits && g->admits(g->admits_ctx, token, &why)))
        return NULL;
    if (why)
        return why;
    return g->token ? "the token is wrong: it is not the one that this server was started with"
                    : "the token is not known here: send that of an agent, or none";
}

int cv_guard_check(const cv_guard *g, const cv_guarded *r, const char **ret_why)
{
    if (!r->host.p || !is_ours(g, r->host)) {
        *ret_why = "the name in the header Host is not that of this server";
        return 403;
    }
    if (r->origin.p && !origin_is_ours(g, r->origin)) {
        *ret_why = "pages of other origins may not use this server";
        return 403;
    }
    cv_str bearer = r->authorization.p ? cv_guard_bearer(r->authorization) : r->cookie;
    const char *why = r->authorization.p && !bearer.p && !g->token
                          ? "the header Authorization is not understood: send 'Bearer TOKEN', or leave it out"
                          : why_closed(g, bearer);
    if (!why)
        return 0;
    *ret_why = why;
    return 401;
}
