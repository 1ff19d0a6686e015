/* fuzz_json.c - any bytes: refused with a place inside the text, or a tree that survives being written and read. */
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void check_equal(const cv_json *x, const cv_json *y)
{
    need(x->type == y->type && x->count == y->count);
    if (x->type == CV_JSON_NUMBER || x->type == CV_JSON_STRING)
        need(cv_str_eq(x->text, y->text));
    for (uint32_t i = 0; x->type == CV_JSON_ARRAY && i < x->count; i++)
        check_equal(&x->items[i], &y->items[i]);
    for (uint32_t i = 0; x->type == CV_JSON_OBJECT && i < x->count; i++) {
        need(cv_str_eq(x->members[i].key, y->members[i].key));
        check_equal(&x->members[i].value, &y->members[i].value);
    }
}

/* Line and column lie inside the text or just behind it. */
static void check_place(cv_str text, size_t line, size_t column)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    need(line >= 1 && line <= lines && column >= 1 && column <= text.n + 1);
}

static void check_places(cv_str text, const cv_json *value)
{
    size_t line = 1, column = 1;
    need(value->offset < text.n);
    cv_utf8_advance(cv_str_head(text, value->offset), &line, &column);
    check_place(text, line, column);
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && i < value->count; i++)
        check_places(text, &value->items[i]);
    for (uint32_t i = 0; value->type == CV_JSON_OBJECT && i < value->count; i++) {
        need(cv_json_get(value, value->members[i].key) == &value->members[i].value);
        check_places(text, &value->members[i].value);
    }
}

static void check_round_trip(cv_arena *a, const cv_json *value, int indent)
{
    cv_err err = {.arena = a};
    cv_buf out = {0};
    cv_json_writer w = {.out = &out, .indent = indent};
    cv_json again;
    cv_json_value(&w, value);
    need(cv_buf_ok(&out) && cv_json_parse(a, cv_buf_str(&out), &again, &err));
    check_equal(value, &again);
    cv_buf_release(&out);
}

/* Both readings agree; only keys that come twice are the tree's business. */
static void check_validity(cv_str text, bool parsed, const cv_err *err)
{
    if (parsed || (err->code != CV_ERR_DUPLICATE_KEY && err->code != CV_ERR_TOO_LARGE))
        need(cv_json_is_valid(text, 128) == parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size};
    cv_json value;
    bool parsed = cv_json_parse(&a, text, &value, &err);
    check_validity(text, parsed, &err);
    if (parsed) {
        check_places(text, &value);
        check_round_trip(&a, &value, 0);
        check_round_trip(&a, &value, 2);
    } else {
        need(err.code != CV_ERR_NONE && err.message.n > 0);
        check_place(text, err.line, err.column);
    }
    cv_arena_release(&a);
    return 0;
}
