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

static void refuse(cv_http_exchange *x, int status, const char *why)
{
    cv_buf body = {0};
    cv_buf_printf(&body, "{\"status\":\"error\",\"message\":\"%s\"}", why);
    cv_http_answer(x, status, "application/json", cv_buf_str(&body));
    cv_http_release(x);
    cv_buf_release(&body);
}

static void send_file(cv_http_exchange *x, cv_str name)
{
    cv_str accepts = cv_http_header(x, "Accept-Encoding");
    const cv_embedded *plain = find(name, ""), *packed = accepts.p && cv_str_find(accepts, CV_STR("gzip")) != SIZE_MAX
                                                             ? find(name, ".gz")
                                                             : NULL;
    cv_http_add_header(x, "Content-Security-Policy",
                       CV_STR("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                              "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"));
    cv_http_add_header(x, "Referrer-Policy", CV_STR("no-referrer"));
    cv_http_add_header(x, "Cache-Control", CV_STR("no-cache"));
    cv_http_add_header(x, "Vary", CV_STR("Accept-Encoding"));
    const cv_embedded *sent = packed ? packed : plain;
    char tag[20];
    snprintf(tag, sizeof tag, "\"%.16s\"", sent->digest);
    cv_http_add_header(x, "ETag", cv_str_of(tag));
    cv_str has = cv_http_header(x, "If-None-Match");
    if (has.p && cv_str_find(has, cv_str_of(tag)) != SIZE_MAX) {
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
        refuse(x, 404, "nothing is served at this path; / is the dashboard, /api/openapi.json tells the rest");
    } else if (!cv_str_eq(method, CV_STR("GET")) && !cv_str_eq(method, CV_STR("HEAD"))) {
        cv_http_add_header(x, "Allow", CV_STR("GET, HEAD"));
        refuse(x, 405, "GET");
    } else {
        send_file(x, name);
    }
}

cv_http_route cv_web_route(void)
{
    return (cv_http_route){.path = "/", .handle = handle, .open = true};
}
