/* report.c - a dialogue as one page; see report.h. */
#include "dialogue/export/report.h"

#include <assert.h>
#include <nettle/sha2.h>

#include "base/base64.h"
#include "base/embedded.h"
#include "base/json.h"

static const char head[] = "<!doctype html>\n<!-- conclave-report 1 -->\n";

static cv_str file(const char *name)
{
    for (size_t i = 0; i < cv_web_files_count; i++)
        if (strcmp(cv_web_files[i].name, name) == 0)
            return cv_web_files[i].text;
    return (cv_str){NULL, 0};
}

bool cv_report_possible(cv_err *err)
{
    if (file("app.js").p && file("app.css").p)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "this program was built without npm, and has no pages to make a report of");
    cv_err_suggest(err, CV_STR("build it where npm is installed, or take the transcript: it is markdown"));
    return false;
}

bool cv_report_is_one(cv_str bytes)
{
    return cv_str_starts(bytes, cv_str_of(head));
}

/* 'sha256-…=': of an element with this text, and of no other. */
static cv_str source_of(cv_arena *a, cv_str text)
{
    uint8_t hash[SHA256_DIGEST_SIZE];
    struct sha256_ctx ctx;
    sha256_init(&ctx);
    sha256_update(&ctx, text.n, (const uint8_t *)text.p);
    sha256_digest(&ctx, sizeof hash, hash);
    cv_str digits = cv_base64_url(a, (cv_str){(const char *)hash, sizeof hash});
    return cv_arena_printf(a, "'sha256-%.*s='", CV_FMT(digits));
}

static void print_text(cv_buf *out, cv_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '<')
            cv_buf_add_z(out, "&lt;");
        else if (c == '&')
            cv_buf_add_z(out, "&amp;");
        else
            cv_buf_add_char(out, c);
    }
}

/* In JSON a '<' stands only in texts, where it can be written otherwise: then nothing in it looks like an end. */
static void print_json(cv_buf *out, cv_str json)
{
    while (json.n > 0) {
        size_t at = cv_str_find_char(json, '<');
        cv_buf_add(out, cv_str_head(json, at == SIZE_MAX ? json.n : at));
        if (at == SIZE_MAX)
            return;
        cv_buf_add_z(out, "\\u003c");
        json = cv_str_from(json, at + 1);
    }
}

void cv_report_print(cv_arena *a, cv_str dialogue_id, cv_str title, cv_str document, cv_buf *out)
{
    cv_str script = file("app.js"), style = file("app.css");
    cv_buf id = {0};
    assert(script.p && style.p && "cv_report_possible has been asked");
    cv_json_str(&(cv_json_writer){.out = &id}, dialogue_id);
    cv_buf_add_z(out, head);
    cv_buf_add_z(out, "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    cv_buf_printf(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %.*s; style-src "
        "%.*s; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n",
        CV_FMT(source_of(a, script)), CV_FMT(source_of(a, style)));
    cv_buf_add_z(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
                      "content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    print_text(out, title);
    cv_buf_add_z(out, "</title>\n<style>");
    cv_buf_add(out, style);
    cv_buf_add_z(
        out, "</style>\n</head>\n<body>\n<div id=\"app\"></div>\n<noscript>This report needs JavaScript.</noscript>\n"
             "<script type=\"application/json\" id=\"report\">{\"scope\":");
    print_json(out, cv_buf_str(&id));
    cv_buf_add_z(out, ",\"answers\":{\"dialogue/export\":");
    print_json(out, document);
    cv_buf_add_z(out, "}}</script>\n<script type=\"module\">");
    cv_buf_add(out, script);
    cv_buf_add_z(out, "</script>\n</body>\n</html>\n");
    cv_buf_release(&id);
}
