/* fuzz_jsonc.c - any bytes as a client's configuration: our entry is set and removed, and nothing else changes. */
#include <stdlib.h>

#include "base/json.h"
#include "door/install/jsonc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cv_str key = CV_STR_INIT("s"), name = CV_STR_INIT("c"), entry = CV_STR_INIT("{\"a\":[1]}");

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* The same without comments and without commas that nothing follows: strict JSON, when it is JSON at all. */
static cv_str strip(cv_arena *a, cv_str text)
{
    char *to = cv_arena_alloc(a, text.n + 1);
    size_t n = 0, comma = SIZE_MAX;
    bool quoted = false;
    char last = ',';
    for (size_t i = cv_str_starts(text, CV_STR("\xEF\xBB\xBF")) ? 3 : 0; i < text.n; i++) {
        char c = text.p[i];
        cv_str rest = cv_str_from(text, i);
        bool line = !quoted && cv_str_starts(rest, CV_STR("//")), block = !quoted && cv_str_starts(rest, CV_STR("/*"));
        if (line || block) {
            size_t end = cv_str_find(cv_str_from(rest, 2), line ? CV_STR("\n") : CV_STR("*/"));
            i = end == SIZE_MAX ? text.n : i + 2 + end + (line ? 0 : 1);
            to[n++] = ' ';
            continue;
        }
        if (!quoted && (c == '}' || c == ']') && comma != SIZE_MAX)
            to[comma] = ' ';
        if (!cv_is_space(c)) {
            comma = !quoted && c == ',' && !strchr("{[,:", last) ? n : SIZE_MAX;
            last = c;
        }
        to[n++] = c == '\v' || c == '\f' ? (quoted ? c : ' ') : c;
        if (quoted && c == '\\' && i + 1 < text.n)
            to[n++] = text.p[++i];
        else if (c == '"')
            quoted = !quoted;
    }
    return (cv_str){to, n};
}

static bool parse(cv_arena *a, cv_str text, cv_json *ret)
{
    cv_err err = {.arena = a};
    return cv_json_parse(a, strip(a, text), ret, &err) && ret->type == CV_JSON_OBJECT;
}

static cv_str print(cv_arena *a, const cv_json *value)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, value);
    return cv_buf_take(&out, a);
}

/* All members of `x` but the one called `but` are those of `y`, in the same order. */
static void check_others(cv_arena *a, const cv_json *x, const cv_json *y, cv_str but)
{
    uint32_t i = 0, j = 0;
    for (;; i++, j++) {
        while (x && i < x->count && cv_str_eq(x->members[i].key, but))
            i++;
        while (j < y->count && cv_str_eq(y->members[j].key, but))
            j++;
        if (!x || i == x->count || j == y->count)
            break;
        need(cv_str_eq(x->members[i].key, y->members[j].key) &&
             cv_str_eq(print(a, &x->members[i].value), print(a, &y->members[j].value)));
    }
    need((!x || i == x->count) && j == y->count);
}

static void check_meaning(cv_arena *a, const cv_json *before, cv_str after)
{
    cv_json now;
    need(parse(a, after, &now));
    const cv_json *servers = cv_json_get(&now, key), *was = cv_json_get(before, key);
    need(servers && cv_json_get(servers, name) && cv_str_eq(print(a, cv_json_get(servers, name)), entry));
    check_others(a, before, &now, key);
    check_others(a, was, servers, name);
}

/* Whether all bytes come back depends on what was there: an object of servers that was missing stays, as an empty one.
 */
static void check_bytes(cv_arena *a, cv_str text, cv_str removed, const cv_json *before)
{
    const cv_json *servers = before ? cv_json_get(before, key) : NULL;
    cv_str without;
    cv_err err = {.arena = a};
    need(cv_jsonc_remove(a, text, key, name, &without, &err));
    bool had = !cv_str_eq(without, text);
    if (had || (servers && servers->count > 0))
        need(cv_str_eq(removed, without));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size}, set, again, removed;
    cv_json before;
    bool known = parse(&a, text, &before);
    const cv_json *servers = known ? cv_json_get(&before, key) : NULL;
    if (cv_jsonc_set(&a, text, key, name, entry, &set, &err)) {
        need(cv_jsonc_set(&a, set, key, name, entry, &again, &err) && cv_str_eq(set, again));
        need(cv_jsonc_remove(&a, set, key, name, &removed, &err));
        if (known)
            check_meaning(&a, &before, set);
        check_bytes(&a, text, removed, known ? &before : NULL);
        need(cv_jsonc_set(&a, removed, key, name, entry, &again, &err));
    } else {
        need(err.message.n > 0 && err.line > 0 && err.column > 0);
        need(!known || (servers && servers->type != CV_JSON_OBJECT));
    }
    cv_arena_release(&a);
    return 0;
}
