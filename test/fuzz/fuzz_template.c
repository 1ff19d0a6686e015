/* fuzz_template.c - any bytes as a template: a text within the limits, or an error with a place; the same one again; in
 * strict mode names that are in the template. A template that includes itself ends, too. */
#include <stdlib.h>

#include "base/utf8.h"
#include "kit/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static bool load(void *ctx, cv_arena *a, cv_str name, cv_str *ret_source, cv_err *err)
{
    (void)a;
    if (name.n > 4)
        return cv_err_set(err, CV_ERR_NOT_FOUND, "there is no such template");
    *ret_source = *(const cv_str *)ctx;
    return true;
}

static bool render(cv_arena *a, cv_str source, const cv_json *context, bool strict, cv_template_made *ret, cv_err *err)
{
    static const cv_template_limits limits = {.steps = 20000, .depth = 8, .output = 1 << 18, .memory = 1 << 24};
    cv_template_rules rules = {
        .load = load, .load_ctx = &source, .strict = strict, .now_ms = 1800000000123, .limits = &limits};
    return cv_template_render(a, CV_STR("main"), source, context, &rules, ret, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] =
        "{\"n\": 3, \"f\": 2.5, \"s\": \"a <b> \\u00e9\\n c\", \"l\": [3, 1, \"x\", null, [1]], \"d\":"
        " {\"a\": 1, \"b\": {\"c\": true}}, \"r\": [{\"id\": 2, \"k\": \"B\"}, {\"id\": 1, \"k\": \"a\"}]}";
    cv_arena a = {0};
    cv_err err = {.arena = &a}, again = {.arena = &a};
    cv_json context;
    cv_str source = {(const char *)data, size};
    cv_template_made made, second;
    need(cv_json_parse(&a, cv_str_of(text), &context, &err));
    bool good = render(&a, source, &context, false, &made, &err);
    need(render(&a, source, &context, false, &second, &again) == good && made.steps == second.steps);
    if (good) {
        need(cv_str_eq(made.text, second.text) && made.text.n <= (1 << 18));
        need(cv_utf8_valid(made.text) == made.text.n);
    } else {
        need(err.code != CV_ERR_NONE && err.message.n > 0 && cv_utf8_valid(err.message) == err.message.n);
        need(cv_utf8_valid(source) != size || memchr(data, '\0', size) || err.line > 0);
    }
    if (!render(&a, source, &context, true, &second, &again))
        for (size_t i = 0; i < second.missing_count; i++)
            need(second.missing[i].line > 0 && second.missing[i].name.n > 0);
    cv_arena_release(&a);
    return 0;
}
