/* fuzz_config.c - any bytes as a project's config: what is read is written back as the same choice, what is not says
 * the line.
 */
#include <stdint.h>
#include <stdlib.h>

#include "project/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_config config, again;
    cv_str text = {(const char *)data, size};
    if (!cv_config_parse(&a, text, &config, &err)) {
        must(cv_str_starts(err.message, CV_STR("line ")) && err.suggestion.n > 0);
    } else if (config.store.n > 0) {
        cv_str printed = cv_config_print(&a, &config);
        must(cv_config_parse(&a, printed, &again, &err) && cv_str_eq(again.store, config.store));
    }
    cv_arena_release(&a);
    return 0;
}
