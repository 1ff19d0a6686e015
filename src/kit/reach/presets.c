/* presets.c - programs that we know how to call; see presets.h. */
#include "kit/reach/presets.h"

/* Companies put proxies and certificates of their own between a program and the network. */
#define NETWORK                                                                                                        \
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_DIR SSL_CERT_FILE "  \
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME"

const cv_preset cv_presets[] = {
#define PRESET(name_, with_, words_, adds_, model_, reads_, keys_, env_)                                               \
    {.name = CV_STR_INIT(name_),                                                                                       \
     .with = CV_STR_INIT(with_),                                                                                       \
     .words = CV_STR_INIT(words_),                                                                                     \
     .adds = CV_STR_INIT(adds_),                                                                                       \
     .model = CV_STR_INIT(model_),                                                                                     \
     .reads = CV_OUTPUT_##reads_,                                                                                      \
     .keys = CV_STR_INIT(keys_),                                                                                       \
     .env = CV_STR_INIT(env_)},
#include "kit/reach/presets.def"
#undef PRESET
};

static const cv_str names[] = {
#define PRESET(name_, with_, words_, adds_, model_, reads_, keys_, env_) CV_STR_INIT(name_),
#include "kit/reach/presets.def"
#undef PRESET
};
const cv_words cv_preset_names = {names, CV_COUNT(names)};

/* An option as it is written, and its other spelling. */
static const struct {
    cv_str option, also;
} spellings[] = {
    {CV_STR_INIT("-p"), CV_STR_INIT("--print")},
    {CV_STR_INIT("exec"), CV_STR_INIT("e")},
    {CV_STR_INIT("--output-last-message"), CV_STR_INIT("-o")},
    {CV_STR_INIT("--output-format"), CV_STR_INIT("-o")},
    {CV_STR_INIT("--json"), CV_STR_INIT("--experimental-json")},
};

/* `--option`, or `--option=value`. */
static bool is_option(cv_str word, cv_str option)
{
    return cv_str_eq(word, option) ||
           (cv_str_starts(option, CV_STR("--")) && cv_str_starts(word, option) && word.p[option.n] == '=');
}

/* Where the option, or its other spelling, stands among the words behind the first; SIZE_MAX: nowhere. */
static size_t find_option(cv_words argv, cv_str option)
{
    for (size_t i = 1; i < argv.count; i++) {
        if (is_option(argv.items[i], option))
            return i;
        for (size_t k = 0; k < CV_COUNT(spellings); k++)
            if (cv_str_eq(spellings[k].option, option) && is_option(argv.items[i], spellings[k].also))
                return i;
    }
    return SIZE_MAX;
}

const cv_preset *cv_preset_of(cv_words argv)
{
    cv_str program = argv.items[0];
    while (cv_str_find_char(program, '/') != SIZE_MAX)
        program = cv_str_from(program, cv_str_find_char(program, '/') + 1);
    for (size_t i = 0; i < CV_COUNT(cv_presets); i++)
        if (cv_str_eq(program, cv_presets[i].name) &&
            (!cv_presets[i].with.n || find_option(argv, cv_presets[i].with) != SIZE_MAX))
            return &cv_presets[i];
    return NULL;
}

cv_words cv_preset_complete(cv_arena *a, const cv_preset *preset, cv_words argv)
{
    cv_texts all = {0};
    cv_str rest = preset->adds, word;
    bool wanted = false;
    for (size_t i = 0; i < argv.count; i++)
        *CV_PUSH(a, &all) = argv.items[i];
    while (rest.n > 0 && cv_str_split(&rest, ' ', &word)) {
        if (word.p[0] == '-')
            wanted = find_option(argv, word) == SIZE_MAX;
        if (wanted)
            *CV_PUSH(a, &all) = word;
    }
    return (cv_words){all.items, all.count};
}

cv_preset_output cv_preset_output_of(const cv_preset *preset, cv_words argv)
{
    static const cv_str format = CV_STR_INIT("--output-format");
    size_t at = find_option(argv, format);
    if ((preset->reads != CV_OUTPUT_CLAUDE && preset->reads != CV_OUTPUT_GEMINI) || at == SIZE_MAX)
        return preset->reads;
    size_t equal = cv_str_find_char(argv.items[at], '=');
    cv_str value = equal != SIZE_MAX     ? cv_str_from(argv.items[at], equal + 1)
                   : at + 1 < argv.count ? argv.items[at + 1]
                                         : CV_STR("");
    return cv_str_eq(value, CV_STR("text")) ? CV_OUTPUT_TEXT : preset->reads;
}
