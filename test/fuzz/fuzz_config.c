/* fuzz_config.c - any bytes as a project's config: what is read is written back as the same choice, what is not says
 * the line.
 */
#include <stdint.h>
#include <stdlib.h>

#include "kit/settings.h"

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
    cv_settings config, again;
    cv_str text = {(const char *)data, size};
    if (!cv_settings_parse(&a, text, &config, &err)) {
        must(cv_str_starts(err.message, CV_STR("line ")) && err.suggestion.n > 0);
    } else {
        cv_str printed = cv_settings_print(&a, &config);
        must(cv_settings_parse(&a, printed, &again, &err) && again.count == config.count);
        for (size_t i = 0; i < config.count; i++)
            must(cv_str_eq(again.items[i].name, config.items[i].name) &&
                 cv_str_eq(again.items[i].value, config.items[i].value));
    }
    cv_arena_release(&a);
    return 0;
}
