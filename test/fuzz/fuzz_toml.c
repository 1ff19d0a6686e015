/* fuzz_toml.c - any bytes as a client's configuration: our table is set and removed, and nothing else changes. */
#include <stdlib.h>

#include "door/install/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cv_str table = CV_STR_INIT("s.c");
static const cv_toml_entry entries[] = {{CV_STR_INIT("a"), CV_STR_INIT("\"x\"")},
                                        {CV_STR_INIT("b"), CV_STR_INIT("[1]")}};

static void need(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size}, without, set, again, removed;
    if (cv_toml_remove(&a, text, table, &without, &err)) {
        need(cv_toml_set(&a, text, table, entries, CV_COUNT(entries), &set, &err));
        need(cv_toml_set(&a, set, table, entries, CV_COUNT(entries), &again, &err) && cv_str_eq(set, again));
        need(cv_str_find(set, CV_STR("a = \"x\"")) != SIZE_MAX || !cv_str_eq(without, text));
        need(cv_toml_remove(&a, set, table, &removed, &err) && removed.n < set.n);
        need(cv_str_eq(removed, without));
        need(cv_toml_remove(&a, removed, table, &again, &err) && cv_str_eq(removed, again));
    } else {
        need(err.message.n > 0 && err.line > 0 && err.column > 0);
        need(!cv_toml_set(&a, text, table, entries, CV_COUNT(entries), &set, &err));
    }
    cv_arena_release(&a);
    return 0;
}
