/* fuzz_toml.c - any bytes as TOML. Read: a tree that is valid JSON, or an error with its place. As a client's
 * configuration: our block is set and removed, and nothing else changes. */
#include <stdlib.h>

#include "base/limits.h"
#include "base/toml.h"
#include "door/install/toml_block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cv_toml_block block = {CV_STR_INIT("c"), CV_STR_INIT("s.c"), CV_STR_INIT("mend it")};

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void read(cv_arena *a, cv_str text)
{
    cv_err err = {.arena = a};
    cv_json tree, again;
    cv_buf out = {0};
    if (!cv_toml_parse(a, text, &tree, &err)) {
        need(err.message.n > 0 && err.line > 0 && err.column > 0);
        return;
    }
    cv_json_value(&(cv_json_writer){.out = &out}, &tree);
    need(cv_json_is_valid(cv_buf_str(&out), CV_MAX_JSON_DEPTH) &&
         cv_json_parse(a, cv_buf_take(&out, a), &again, &err) && again.count == tree.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    read(&a, (cv_str){(const char *)data, size});
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
