/* url.c - the address of an endpoint; see url.h. */
#include "kit/reach/url.h"

enum { MAX_URL = 2000 };

/* By protocol: where its paths end, and what is before that: always, or in an address that has no path at all. */
static const struct {
    cv_str end, base;
    bool always;
} paths[] = {
    [CV_PROTOCOL_OPENAI] = {CV_STR_INIT("/chat/completions"), CV_STR_INIT("/v1"), .always = false},
    [CV_PROTOCOL_ANTHROPIC] = {CV_STR_INIT("/messages"), CV_STR_INIT("/v1"), .always = true},
    [CV_PROTOCOL_OLLAMA] = {CV_STR_INIT("/api/chat"), CV_STR_INIT(""), .always = false},
};

typedef struct {
    bool secure;
    cv_str host, port, path, query; /* the query with its '?' */
} parts;

static bool refuse(cv_err *err, const char *what, const char *instead)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "%s", what);
    cv_err_suggest(err, cv_str_of(instead));
    return false;
}

/* host, host:port, [::1]:port */
static bool read_authority(cv_str authority, parts *ret)
{
    size_t end = authority.n && authority.p[0] == '[' ? cv_str_find_char(authority, ']') : 0;
    if (end == SIZE_MAX)
        return false;
    size_t colon = cv_str_find_char(cv_str_from(authority, end), ':');
    ret->host = cv_str_head(authority, colon == SIZE_MAX ? authority.n : end + colon);
    ret->port = colon == SIZE_MAX ? CV_STR("") : cv_str_from(authority, end + colon + 1);
    int number;
    return ret->host.n && (colon == SIZE_MAX || (cv_str_to_int(ret->port, &number) && number > 0 && number < 65536));
}

/* 127.0.0.1, not a name that begins like it. */
static bool is_address(cv_str host)
{
    for (size_t i = 0; i < host.n; i++)
        if (!cv_is_digit(host.p[i]) && host.p[i] != '.')
            return false;
    return true;
}

static bool is_loopback(cv_str host)
{
    return cv_str_eq_nocase(host, CV_STR("localhost")) || cv_str_eq(host, CV_STR("[::1]")) ||
           (cv_str_starts(host, CV_STR("127.")) && is_address(host));
}

/* ?key=…, ?api_key=…, ?access_token=… */
static bool has_secret(cv_str query)
{
    cv_str pair;
    for (cv_str rest = cv_str_from(query, 1); rest.n > 0 && cv_str_split(&rest, '&', &pair);) {
        cv_str name = cv_str_head(pair, cv_str_find_char(pair, '='));
        if (cv_str_find_nocase(name, CV_STR("key")) != SIZE_MAX ||
            cv_str_find_nocase(name, CV_STR("token")) != SIZE_MAX ||
            cv_str_find_nocase(name, CV_STR("secret")) != SIZE_MAX ||
            cv_str_find_nocase(name, CV_STR("password")) != SIZE_MAX)
            return true;
    }
    return false;
}

static bool read_url(cv_str url, parts *ret, cv_err *err)
{
    static const char form[] = "write it like https://api.example.com/v1";
    if (url.n > MAX_URL)
        return refuse(err, "the address is longer than 2000 bytes", form);
    for (size_t i = 0; i < url.n; i++)
        if ((unsigned char)url.p[i] <= ' ' || (unsigned char)url.p[i] >= 0x7f || strchr("\\\"<>^`{|}#", url.p[i]))
            return refuse(err, "the address has an invalid character", form);
    bool secure = cv_str_starts_nocase(url, CV_STR("https://"));
    if (!secure && !cv_str_starts_nocase(url, CV_STR("http://")))
        return refuse(err, "the address begins with neither https:// nor http://", form);
    cv_str rest = cv_str_from(url, secure ? 8 : 7);
    size_t query = cv_str_find_char(rest, '?');
    *ret = (parts){.secure = secure, .query = query == SIZE_MAX ? CV_STR("") : cv_str_from(rest, query)};
    rest = cv_str_head(rest, query);
    size_t slash = cv_str_find_char(rest, '/');
    cv_str authority = cv_str_head(rest, slash);
    ret->path = slash == SIZE_MAX ? CV_STR("") : cv_str_from(rest, slash);
    while (cv_str_ends(ret->path, CV_STR("/")))
        ret->path.n--;
    if (cv_str_find_char(authority, '@') != SIZE_MAX)
        return refuse(err, "the address has a user name or a password in it, which would be stored",
                      "leave it out, and name the variable that holds the key: 'key_env'");
    if (!read_authority(authority, ret))
        return refuse(err, "the address has no host, or a port that is not one of 1 to 65535", form);
    return !has_secret(ret->query) || refuse(err, "the address has a key in it, which would be stored",
                                             "leave it out, and name the variable that holds the key: 'key_env'");
}

bool cv_url_complete(cv_arena *a, cv_str url, cv_reach_protocol protocol, bool plain_http, cv_str *ret_url, cv_err *err)
{
    parts p = {0};
    if (!read_url(url, &p, err))
        return false;
    if (!p.secure && !plain_http && !is_loopback(p.host))
        return refuse(err, "http:// to another machine: prompts and keys would be sent in the clear",
                      "use https://, or allow it with 'plain_http'");
    bool whole = cv_str_ends(p.path, paths[protocol].end);
    bool based = whole || (paths[protocol].always ? cv_str_ends(p.path, paths[protocol].base) : p.path.n > 0);
    cv_str base = based ? CV_STR("") : paths[protocol].base;
    cv_str end = whole ? CV_STR("") : paths[protocol].end;
    *ret_url = cv_arena_printf(a, "%s://%.*s%s%.*s%.*s%.*s%.*s%.*s", p.secure ? "https" : "http", CV_FMT(p.host),
                               p.port.n ? ":" : "", CV_FMT(p.port), CV_FMT(p.path), CV_FMT(base), CV_FMT(end),
                               CV_FMT(p.query));
    return true;
}

bool cv_url_is_local(cv_str url)
{
    parts p;
    cv_arena a = {0};
    cv_err ignored = {.arena = &a};
    bool local = read_url(url, &p, &ignored) && is_loopback(p.host);
    cv_arena_release(&a);
    return local;
}
