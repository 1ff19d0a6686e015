/* fuzz_toml.c - any bytes as a client's configuration: our block is set and removed, and nothing else changes. */
#include <stdlib.h>

#include "door/install/toml_block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cv_toml_block block = {CV_STR_INIT("c"), CV_STR_INIT("s.c"), CV_STR_INIT("mend it")};

static void need(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size}, lines = CV_STR("[s.c]\na = \"x\"\n"), there, without, set, again, removed;
    bool found;
    if (cv_toml_block_find(&a, &block, text, &found, &there, &err)) {
        need(cv_toml_block_set(&a, &block, text, lines, &set, &err));
        need(cv_toml_block_set(&a, &block, set, lines, &again, &err) && cv_str_eq(set, again));
        need(cv_toml_block_remove(&a, &block, text, &without, &err) && (found || cv_str_eq(without, text)));
        need(cv_toml_block_remove(&a, &block, set, &removed, &err) && cv_str_eq(removed, without));
        need(cv_toml_block_find(&a, &block, set, &found, &there, &err) && found);
        need(cv_str_eq(there, cv_toml_block_lines(&a, text, lines)));
    } else {
        need(err.message.n > 0 && err.line > 0 && err.column > 0);
        need(!cv_toml_block_set(&a, &block, text, lines, &set, &err) &&
             !cv_toml_block_remove(&a, &block, text, &set, &err));
    }
    cv_arena_release(&a);
    return 0;
}
