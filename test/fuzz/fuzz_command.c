/* fuzz_command.c - any bytes as a command, an address and a file of agents: words that give the same words again, or
 * errors with their place. */
#include <stdlib.h>

#include "kit/reach/agents_file.h"
#include "kit/reach/url.h"
#include "kit/reach/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void split(cv_arena *a, cv_str text)
{
    cv_err err = {.arena = a};
    cv_words words, again;
    if (!cv_command_split(a, text, &words, &err)) {
        need(err.message.n > 0);
        return;
    }
    cv_str line = cv_command_join(a, words);
    if (line.n > 8000)
        return; /* quotes have made it too long */
    need(words.count > 0 && cv_command_split(a, line, &again, &err) && again.count == words.count);
    for (size_t i = 0; i < words.count; i++)
        need(cv_str_eq(words.items[i], again.items[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_str text = {(const char *)data, size}, url, again;
    cv_err err = {.arena = &a};
    cv_errs errs = {0};
    cv_agents_file file;
    split(&a, text);
    for (int protocol = CV_PROTOCOL_OPENAI; protocol <= CV_PROTOCOL_OLLAMA; protocol++)
        if (cv_url_complete(&a, text, (cv_reach_protocol)protocol, false, &url, &err))
            need(cv_url_complete(&a, url, (cv_reach_protocol)protocol, false, &again, &err) && cv_str_eq(url, again));
    if (!cv_agents_file_parse(&a, text, CV_STR("f"), &file, &errs))
        need(errs.count > 0 && errs.items[0].line > 0);
    cv_arena_release(&a);
    return 0;
}
