/* web.c - the pages of the dashboard; see web.h. */
#include "door/web/web.h"

#include <stdio.h>

#include "base/embedded.h"

static const struct {
    const char *suffix, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
};

static const char *type_of(cv_str name)
{
    for (size_t i = 0; i < CV_COUNT(types); i++)
        if (cv_str_ends(name, cv_str_of(types[i].suffix)))
            return types[i].type;
    return "application/octet-stream";
}

/* A file of that name, and compressed: "app.js.gz". NULL: there is none. */
static const cv_embedded *find(cv_str name, const char *suffix)
{
    for (size_t i = 0; i < cv_web_files_count; i++) {
        cv_str file = cv_str_of(cv_web_files[i].name);
        if (file.n == name.n + strlen(suffix) && cv_str_starts(file, name) && cv_str_ends(file, cv_str_of(suffix)))
            return &cv_web_files[i];
    }
    return NULL;
}

/* "gzip;q=0" is a client that does not want it. */
static bool refuses(cv_str coding)
{
    size_t at = cv_str_find(coding, CV_STR("q=0"));
    cv_str rest = at == SIZE_MAX ? CV_STR("1") : cv_str_from(coding, at + strlen("q=0"));
    for (size_t i = 0; i < rest.n; i++)
        if (rest.p[i] != '.' && rest.p[i] != '0' && rest.p[i] != ' ')
            return false;
    return true;
}

static bool accepts_gzip(const cv_http_exchange *x)
{
    cv_str rest = cv_http_header(x, "Accept-Encoding"), coding;
    while (rest.p && cv_str_split(&rest, ',', &coding))
        if (cv_str_starts_nocase(cv_str_trim(coding), CV_STR("gzip")))
            return !refuses(coding);
    return false;
}

static void send_file(cv_http_exchange *x, cv_str name)
{
    const cv_embedded *plain = find(name, ""), *packed = accepts_gzip(x) ? find(name, ".gz") : NULL;
    cv_http_add_header(x, "Content-Security-Policy",
                       CV_STR("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                              "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"));
    cv_http_add_header(x, "Cache-Control", CV_STR("no-cache"));
    cv_http_add_header(x, "Vary", CV_STR("Accept-Encoding"));
    const cv_embedded *sent = packed ? packed : plain;
    char tag[20];
    snprintf(tag, sizeof tag, "\"%.16s\"", sent->digest);
    cv_http_add_header(x, "ETag", cv_str_of(tag));
    if (cv_http_has_tag(cv_http_header(x, "If-None-Match"), cv_str_of(tag))) {
        cv_http_answer(x, 304, NULL, CV_STR(""));
    } else {
        if (packed)
            cv_http_add_header(x, "Content-Encoding", CV_STR("gzip"));
        cv_http_answer(x, 200, type_of(name), sent->text);
    }
    cv_http_release(x);
}

/* The path of a page is the name of a file; the first page is the whole program. */
static void handle(cv_http_exchange *x, void *ctx)
{
    cv_str method = cv_http_method(x), name = cv_str_from(cv_http_path(x), 1);
    (void)ctx;
    if (name.n == 0)
        name = CV_STR("index.html");
    if (!find(name, "")) {
        cv_http_refuse(x, 404, CV_ERR_NOT_FOUND,
                       "nothing is served at this path; / is the dashboard, /api/openapi.json describes the rest");
        cv_http_release(x);
    } else if (!cv_str_eq(method, CV_STR("GET")) && !cv_str_eq(method, CV_STR("HEAD"))) {
        cv_http_add_header(x, "Allow", CV_STR("GET, HEAD"));
        cv_http_refuse(x, 405, CV_ERR_USAGE, "pages are read with GET or HEAD");
        cv_http_release(x);
    } else {
        send_file(x, name);
    }
}

cv_http_route cv_web_route(void)
{
    return (cv_http_route){.path = "/", .handle = handle, .open = true};
}
