/* test_reach.c - how agents are reached: commands as words, addresses, presets, fields and their faults, files of
 * agents, approval. */
#include "testing.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/json.h"
#include "base/utf8.h"
#include "kit/reach/agents_file.h"
#include "kit/reach/approval.h"
#include "kit/reach/form.h"
#include "kit/reach/presets.h"
#include "kit/reach/url.h"
#include "kit/reach/words.h"

/* ---- words ------------------------------------------------------------------------------------------------------- */

static cv_str joined(cv_arena *a, cv_words words)
{
    cv_buf out = {0};
    for (size_t i = 0; i < words.count; i++)
        cv_buf_printf(&out, "%s%.*s", i ? "|" : "", CV_FMT(words.items[i]));
    return cv_buf_take(&out, a);
}

static void test_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"claude -p", "claude|-p"},
        {"  a \t b\n", "a|b"},
        {"a 'b c' \"d e\"", "a|b c|d e"},
        {"a b'c'\"d\"\\ e", "a|bcd e"},
        {"a '' \"\"", "a||"},
        {"a \"\\\"\\\\\\$\\`\\n\"", "a|\"\\$`\\n"},
        {"a '$HOME | \"x\"'", "a|$HOME | \"x\""},
        {"a \\| \\$x \\* \\'", "a|||$x|*|'"},
        {"a $ 5$ \"$ \" \"a$\"", "a|$|5$|$ |a$"},
        {"a \"b\\\nc\" d\\\ne", "a|bc|de"},
        {"a 'b\nc'", "a|b\nc"},
        {"a b#c b~ x=~ {prompt_file} {a,b} !", "a|b#c|b~|x=~|{prompt_file}|{a,b}|!"},
        {"env A=b ~x'", NULL},
        {"./x --o='é ö'", "./x|--o=é ö"},
        {"a \\ ", "a| "},
        {"'a b'/c", "a b/c"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_words words, again;
        bool ok = cv_command_split(&a, cv_str_of(cases[i][0]), &words, &err);
        assert_int_equal(ok, cases[i][1] != NULL);
        if (ok) {
            assert_str_eq(joined(&a, words), cases[i][1]);
            assert_true(cv_command_split(&a, cv_command_join(&a, words), &again, &err));
            assert_view_eq(joined(&a, again), joined(&a, words));
        }
        cv_arena_release(&a);
    }
}

static void test_shells(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t column;
        const char *message;
    } cases[] = {
        {"", 1, "no command"},
        {"  ", 1, "no command"},
        {"''", 1, "no command"},
        {"a | b", 3, "pipe"},
        {"a|b", 2, "pipe"},
        {"a && b", 3, "'&'"},
        {"a;b", 2, "several commands"},
        {"a\nb", 2, "several commands"},
        {"a >x", 3, "redirection"},
        {"a 2>&1", 4, "redirection"},
        {"a <x", 3, "redirection"},
        {"(a)", 1, "brackets"},
        {"a $HOME", 3, "variable"},
        {"a \"$HOME\"", 4, "variable"},
        {"a ${X}", 3, "variable"},
        {"a $(b)", 3, "variable"},
        {"a $'x'", 3, "variable"},
        {"a `b`", 3, "output of a command"},
        {"a \"`b`\"", 4, "output of a command"},
        {"a *.md", 3, "pattern"},
        {"a x?", 4, "pattern"},
        {"a [b]", 3, "pattern"},
        {"~/bin/a", 1, "home folder"},
        {"a ~", 3, "home folder"},
        {"a # b", 3, "comment"},
        {"A=b c", 1, "setting a variable"},
        {"a 'b", 3, "not closed"},
        {"ä \"b", 3, "not closed"},
        {"a \\", 3, "backslash"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_words words;
        if (cv_command_split(&a, cv_str_of(cases[i].line), &words, &err))
            fail_msg("was split: %s", cases[i].line);
        assert_str_has(err.message, cases[i].message);
        assert_int_equal(err.column, cases[i].column);
        cv_arena_release(&a);
    }
}

static cv_str shell_says(cv_arena *a, cv_str script)
{
    const char *folder = cv_test_folder(a), *path = cv_arena_printf(a, "%s/script", folder).p;
    FILE *f = fopen(path, "wb");
    fwrite(script.p, 1, script.n, f);
    fclose(f);
    FILE *shell = popen(cv_arena_printf(a, "sh %s", path).p, "r");
    cv_buf all = {0};
    for (int c; (c = fgetc(shell)) != EOF;)
        cv_buf_add_char(&all, (char)c);
    pclose(shell);
    cv_test_remove(folder);
    return cv_buf_take(&all, a);
}

/* Whatever words there are, their line gives them back; and so does a real shell. */
static void test_words_back(void **state)
{
    (void)state;
    static const char pieces[] = "ab '\"\\$|*~#=-{}[]()<>&;`!?\t\nä/.";
    cv_test_random random = {.state = cv_test_seed()};
    cv_arena a = {0};
    cv_buf script = {0}, wanted = {0};
    for (int i = 0; i < 2000; i++) {
        cv_err err = {.arena = &a};
        cv_str items[4];
        cv_words words = {items, 1 + cv_test_below(&random, CV_COUNT(items))}, again;
        for (size_t k = 0; k < words.count; k++) {
            cv_buf word = {0};
            for (size_t n = cv_test_below(&random, 6) + (k == 0); n > 0; n--) {
                cv_str rest = cv_str_from(CV_STR(pieces), cv_test_below(&random, sizeof pieces - 1));
                while (cv_utf8_first(rest) == 0)
                    rest = cv_str_from(rest, 1);
                cv_buf_add(&word, cv_str_head(rest, cv_utf8_first(rest)));
            }
            items[k] = cv_buf_take(&word, &a);
        }
        cv_str line = cv_command_join(&a, words);
        if (!cv_command_split(&a, line, &again, &err))
            fail_msg("%s\n%s", line.p, err.message.p);
        assert_view_eq(joined(&a, again), joined(&a, words));
        if (i < 200) {
            cv_buf_printf(&script, "printf '%%s|' %.*s; printf '\\n.\\n'\n", CV_FMT(line));
            for (size_t k = 0; k < words.count; k++)
                cv_buf_printf(&wanted, "%.*s|", CV_FMT(words.items[k]));
            cv_buf_add_z(&wanted, "\n.\n");
        }
    }
    assert_view_eq(shell_says(&a, cv_buf_str(&script)), cv_buf_str(&wanted));
    cv_buf_release(&script), cv_buf_release(&wanted);
    cv_arena_release(&a);
}

/* Any line that is taken has the words that a real shell finds in it. */
static void test_lines(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",   "b",  "'",   "\"",     "\\",  " ",    "\t",      "\\\n", "$",
                                         "=",   "~",  "#",   "{",      "}",   ",",    "!",       "^",    "%",
                                         "ä",   "-",  ":",   "/",      "\\'", "\\\"", "]",       "+",    "\\\\",
                                         "a=~", "\r", "'c'", "\"d \"", "\\ ", "$%",   "\"\\a\"", "@",    ".."};
    cv_test_random random = {.state = cv_test_seed()};
    cv_arena a = {0};
    cv_buf script = {0};
    cv_str lines[3000], all[3000];
    size_t taken = 0;
    for (size_t i = 0; i < CV_COUNT(lines); i++) {
        cv_err err = {.arena = &a};
        cv_buf line = {0};
        cv_words words;
        for (size_t n = 1 + cv_test_below(&random, 9); n > 0; n--)
            cv_buf_add_z(&line, pieces[cv_test_below(&random, CV_COUNT(pieces))]);
        cv_str text = cv_buf_take(&line, &a);
        if (!cv_command_split(&a, text, &words, &err))
            continue;
        cv_buf wanted = {0};
        for (size_t k = 0; k < words.count; k++)
            cv_buf_printf(&wanted, "%.*s|", CV_FMT(words.items[k]));
        lines[taken] = text;
        all[taken++] = cv_buf_take(&wanted, &a);
        cv_buf_printf(&script, "printf '%%s|' %.*s\nprintf '\\n.\\n'\n", CV_FMT(text));
    }
    assert_true(taken > 500);
    cv_str told = shell_says(&a, cv_buf_str(&script));
    for (size_t i = 0; i < taken; i++) {
        size_t end = cv_str_find(told, CV_STR("\n.\n"));
        if (end == SIZE_MAX || !cv_str_eq(cv_str_head(told, end), all[i]))
            fail_msg("%.*s\nis %.*s\nto a shell, not %.*s", CV_FMT(lines[i]), CV_FMT(cv_str_head(told, end)),
                     CV_FMT(all[i]));
        told = cv_str_from(told, end + strlen("\n.\n"));
    }
    cv_buf_release(&script);
    cv_arena_release(&a);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static void test_urls(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        cv_reach_protocol protocol;
        const char *whole, *message; /* one of them */
    } cases[] = {
        {"https://api.openai.com/v1", CV_PROTOCOL_OPENAI, "https://api.openai.com/v1/chat/completions", NULL},
        {"https://api.openai.com", CV_PROTOCOL_OPENAI, "https://api.openai.com/v1/chat/completions", NULL},
        {"https://x/a/b/", CV_PROTOCOL_OPENAI, "https://x/a/b/chat/completions", NULL},
        {"https://x/v1/chat/completions?api-version=1", CV_PROTOCOL_OPENAI,
         "https://x/v1/chat/completions?api-version=1", NULL},
        {"https://x/o?api-version=1", CV_PROTOCOL_OPENAI, "https://x/o/chat/completions?api-version=1", NULL},
        {"https://api.anthropic.com", CV_PROTOCOL_ANTHROPIC, "https://api.anthropic.com/v1/messages", NULL},
        {"https://x/v1/", CV_PROTOCOL_ANTHROPIC, "https://x/v1/messages", NULL},
        {"https://x/anthropic", CV_PROTOCOL_ANTHROPIC, "https://x/anthropic/v1/messages", NULL},
        {"http://127.0.0.1:11434", CV_PROTOCOL_OLLAMA, "http://127.0.0.1:11434/api/chat", NULL},
        {"HTTP://localhost:1/api/chat", CV_PROTOCOL_OLLAMA, "http://localhost:1/api/chat", NULL},
        {"http://[::1]:8080/", CV_PROTOCOL_OLLAMA, "http://[::1]:8080/api/chat", NULL},
        {"http://example.com", CV_PROTOCOL_OPENAI, NULL, "in the clear"},
        {"http://127.0.0.1.evil.com", CV_PROTOCOL_OPENAI, NULL, "in the clear"},
        {"http://localhost.evil.com", CV_PROTOCOL_OPENAI, NULL, "in the clear"},
        {"https://user:secret@example.com", CV_PROTOCOL_OPENAI, NULL, "a password"},
        {"https://x/v1?api_key=secret", CV_PROTOCOL_OPENAI, NULL, "a key in it"},
        {"https://x/v1?a=b&KEY=secret", CV_PROTOCOL_OPENAI, NULL, "a key in it"},
        {"ftp://x", CV_PROTOCOL_OPENAI, NULL, "neither https://"},
        {"x", CV_PROTOCOL_OPENAI, NULL, "neither https://"},
        {"https://", CV_PROTOCOL_OPENAI, NULL, "no host"},
        {"https://:80", CV_PROTOCOL_OPENAI, NULL, "no host"},
        {"https://x:0", CV_PROTOCOL_OPENAI, NULL, "a port"},
        {"https://x:70000", CV_PROTOCOL_OPENAI, NULL, "a port"},
        {"https://x:", CV_PROTOCOL_OPENAI, NULL, "a port"},
        {"https://[::1", CV_PROTOCOL_OPENAI, NULL, "no host"},
        {"https://x y", CV_PROTOCOL_OPENAI, NULL, "an invalid character"},
        {"https://x/\\@evil.com", CV_PROTOCOL_OPENAI, NULL, "an invalid character"},
        {"https://x/#a", CV_PROTOCOL_OPENAI, NULL, "an invalid character"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str whole;
        bool ok = cv_url_complete(&a, cv_str_of(cases[i].url), cases[i].protocol, false, &whole, &err);
        if (ok != (cases[i].whole != NULL))
            print_error("%s\n", cases[i].url);
        assert_int_equal(ok, cases[i].whole != NULL);
        if (ok)
            assert_str_eq(whole, cases[i].whole);
        else {
            assert_str_has(err.message, cases[i].message);
            assert_int_equal(cv_str_find(cv_err_text(&err), CV_STR("secret")), SIZE_MAX);
        }
        cv_arena_release(&a);
    }
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str whole;
    static const char *const local[] = {"http://127.0.0.1:1/v1", "https://127.0.0.1", "http://LOCALHOST:8080/api/chat",
                                        "https://[::1]:9/v1"};
    static const char *const others[] = {"http://127.example.com/v1", "http://localhost.example.com",
                                         "https://api.example.com/?127.0.0.1", "localhost"};
    for (size_t i = 0; i < CV_COUNT(local); i++)
        assert_true(cv_url_is_local(cv_str_of(local[i])) && !cv_url_is_local(cv_str_of(others[i])));
    assert_true(cv_url_complete(&a, CV_STR("http://gpu.lan:8000"), CV_PROTOCOL_OPENAI, true, &whole, &err));
    cv_arena_release(&a);
}

/* ---- presets ----------------------------------------------------------------------------------------------------- */

static void test_presets(void **state)
{
    (void)state;
    static const struct {
        const char *details, *argv, *preset;
        cv_preset_output reads;
    } cases[] = {
        {"{\"command\":\"claude -p\"}", "claude -p --output-format json", "claude", CV_OUTPUT_CLAUDE},
        {"{\"preset\":\"claude\"}", "claude -p --output-format json", "claude", CV_OUTPUT_CLAUDE},
        {"{\"preset\":\"claude\",\"model\":\"opus\"}", "claude -p --model opus --output-format json", "claude",
         CV_OUTPUT_CLAUDE},
        {"{\"command\":\"/usr/bin/claude --print --model=x\",\"model\":\"opus\"}",
         "/usr/bin/claude --print --model=x --output-format json", "claude", CV_OUTPUT_CLAUDE},
        {"{\"command\":\"claude -p --output-format text\"}", "claude -p --output-format text", "claude",
         CV_OUTPUT_TEXT},
        {"{\"command\":\"claude -p --output-format=stream-json\"}", "claude -p --output-format=stream-json", "claude",
         CV_OUTPUT_CLAUDE},
        {"{\"command\":\"claude\"}", "claude", NULL, CV_OUTPUT_TEXT},
        {"{\"command\":\"echo --use={model} {model}{model}\",\"model\":\"m\"}", "echo --use=m mm", NULL,
         CV_OUTPUT_TEXT},
        {"{\"command\":\"codex exec\"}", "codex exec --output-last-message {output_file} --json --skip-git-repo-check",
         "codex", CV_OUTPUT_CODEX},
        {"{\"command\":\"codex e -o {output_file}\",\"model\":\"m\"}",
         "codex e -o {output_file} --model m --json --skip-git-repo-check", "codex", CV_OUTPUT_CODEX},
        {"{\"preset\":\"gemini\",\"model\":\"m\"}", "gemini --model m --output-format json", "gemini",
         CV_OUTPUT_GEMINI},
        {"{\"preset\":\"ollama\",\"model\":\"llama3.2\"}", "ollama run llama3.2", "ollama", CV_OUTPUT_TEXT},
        {"{\"command\":\"ollama run llama3.2\",\"model\":\"llama3.2\"}", "ollama run llama3.2", "ollama",
         CV_OUTPUT_TEXT},
        {"{\"preset\":\"llm\",\"model\":\"m\"}", "llm --model m", "llm", CV_OUTPUT_TEXT},
        {"{\"argv\":[\"my agent\",\"-p\"]}", "'my agent' -p", NULL, CV_OUTPUT_TEXT},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_agent_row row = {
            .id = CV_STR("x"), .reach = CV_STR("command"), .reach_details = cv_str_of(cases[i].details)};
        cv_reach reach;
        if (!cv_reach_of_agent(&a, &row, &reach, &err))
            fail_msg("%s: %s", cases[i].details, cv_err_text(&err).p);
        assert_str_eq(cv_reach_text(&a, &reach), cases[i].argv);
        assert_int_equal(reach.preset != NULL, cases[i].preset != NULL);
        if (reach.preset) {
            assert_str_eq(reach.preset->name, cases[i].preset);
            assert_int_equal(cv_preset_output_of(reach.preset, reach.argv), cases[i].reads);
        }
        cv_arena_release(&a);
    }
}

/* The schema names the presets and protocols that there are. */
static void test_schema(void **state)
{
    (void)state;
    cv_arena a = {0};
    const cv_json *all = cv_json_get(cv_form_of_adding(&a), CV_STR("properties"));
    static const char *const names[] = {"preset", "protocol", "reach"};
    const cv_words words[] = {cv_preset_names, cv_protocol_words, cv_reach_words};
    for (size_t i = 0; i < CV_COUNT(names); i++) {
        const cv_json *listed = cv_json_get(cv_json_get(all, cv_str_of(names[i])), CV_STR("enum"));
        assert_int_equal(listed->count, words[i].count);
        for (uint32_t k = 0; k < listed->count; k++)
            assert_view_eq(listed->items[k].text, words[i].items[k]);
    }
    cv_arena_release(&a);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* "code field; code field; …" of the faults of an input. */
static cv_str faults_of(cv_arena *a, const char *input)
{
    cv_errs errs = {0};
    cv_err err = {.arena = a};
    const cv_reach_faults faults = {.arena = a, .errs = &errs};
    cv_json json;
    cv_reach reach;
    cv_str way;
    cv_buf out = {0};
    if (!cv_json_parse(a, cv_str_of(input), &json, &err))
        fail_msg("%s", input);
    const cv_json *details = cv_reach_gather(&faults, &json, false, &way);
    cv_reach_read(&faults, way, details, &reach);
    for (size_t i = 0; i < errs.count; i++) {
        cv_buf_printf(&out, "%s%.*s %.*s", i ? "; " : "", CV_FMT(cv_err_word(errs.items[i].code)),
                      CV_FMT(errs.items[i].field));
        assert_int_equal(cv_str_find(cv_err_text(&errs.items[i]), CV_STR("sk-secret")), SIZE_MAX);
    }
    return cv_buf_take(&out, a);
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{}", ""},
        {"{\"command\":\"a b\"}", ""},
        {"{\"reach_details\":{\"command\":\"a b\"}}", ""},
        {"{\"reach\":\"human\",\"timeout\":60}", ""},
        {"{\"reach\":\"command\"}", "missing_field command"},
        {"{\"command\":\"a | b\"}", "invalid_value command"},
        {"{\"command\":\"a\",\"preset\":\"claude\"}", "invalid_value command"},
        {"{\"command\":\"a\",\"reach_details\":{\"command\":\"b\"}}", "invalid_value command"},
        {"{\"command\":\"a {promt_file}\"}", "invalid_value command"},
        {"{\"argv\":[\"\"]}", "invalid_value argv"},
        {"{\"preset\":\"cloud\"}", "invalid_value preset"},
        {"{\"preset\":\"ollama\"}", "missing_field model"},
        {"{\"command\":\"x --with={model}\"}", "missing_field model"},
        {"{\"command\":\"a\",\"env\":[\"KEY=sk-secret\",\"B C\"]}", "invalid_value env; invalid_value env"},
        {"{\"command\":\"a\",\"timeout\":0,\"max_output\":\"x\",\"model\":5}",
         "invalid_value timeout; invalid_value max_output; invalid_value model"},
        {"{\"command\":\"a\",\"reach_details\":{\"comand\":1}}", "unknown_field comand"},
        {"{\"command\":\"a\",\"key_env\":\"X\",\"protocol\":\"openai\"}",
         "invalid_value key_env; invalid_value protocol"},
        {"{\"reach\":\"endpoint\"}", "missing_field protocol; missing_field endpoint; missing_field model"},
        {"{\"endpoint\":\"http://evil.com\",\"key_env\":\"sk-secret\"}",
         "missing_field protocol; invalid_value endpoint; missing_field model; invalid_value key_env"},
        {"{\"endpoint\":\"https://a/v1\",\"protocol\":\"openai\",\"model\":\"m\",\"price_in\":-1}",
         "invalid_value price_in"},
        {"{\"reach\":\"mailbox\",\"command\":\"a\"}", "invalid_value command"},
        {"{\"model\":\"m\"}", "invalid_value model"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_str found = faults_of(&a, cases[i][0]);
        if (!cv_str_eq(found, cv_str_of(cases[i][1])))
            print_error("%s\n", cases[i][0]);
        assert_str_eq(found, cases[i][1]);
        cv_arena_release(&a);
    }
}

/* ---- a file of agents -------------------------------------------------------------------------------------------- */

static void test_file(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_agents_file file;
    cv_str text = CV_STR("[agents.opus]\n"
                         "command = \"claude -p\"\n"
                         "summary = 'thinks'\n"
                         "aliases = ['big']\n"
                         "[agents.ada]\n"
                         "kind = 'human'\n"
                         "[agents.local]\n"
                         "endpoint = 'http://127.0.0.1:11434'\n"
                         "protocol = 'ollama'\n"
                         "model = 'm'\n"
                         "price_in = 0.5\n"
                         "[seats]\n"
                         "Muffin = 'opus'\n"
                         "\"*\" = 'local'\n"
                         "judge = 'ada'\n");
    if (!cv_agents_file_parse(&a, text, CV_STR("a.toml"), &file, &errs))
        fail_msg("%s", cv_err_text(&errs.items[0]).p);
    assert_int_equal(file.agents.count, 3);
    assert_str_eq(cv_json_get_text(&file.agents.items[0].fields, "agent_id"), "opus");
    assert_int_equal(file.agents.items[0].reach.way, CV_REACH_COMMAND);
    assert_int_equal(cv_agents_file_find(&file, CV_STR("ADA"))->reach.way, CV_REACH_HUMAN);
    assert_true(cv_agents_file_find(&file, CV_STR("local"))->reach.price_in == 0.5);
    assert_null(cv_agents_file_find(&file, CV_STR("nobody")));
    assert_str_eq(cv_agents_file_place(&file, CV_STR("muffin")), "opus");
    assert_str_eq(cv_agents_file_place(&file, CV_STR("*")), "local");
    assert_int_equal(cv_agents_file_place(&file, CV_STR("scone")).n, 0);
    assert_int_equal(file.seats.items[1].line, 14);
    cv_arena_release(&a);
}

static void test_file_faults(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_agents_file file;
    cv_buf told = {0};
    cv_str text = CV_STR("agent = 1\n"
                         "[agents.one]\n"
                         "comand = \"x\"\n"
                         "timeout = \"5\"\n"
                         "[agents.two]\n"
                         "  command = \"a | b\"\n"
                         "  key_env = \"X\"\n"
                         "[agents.\"a b\"]\n"
                         "[agents]\n"
                         "three = 5\n"
                         "[agents.four]\n"
                         "id = 'five'\n"
                         "[seats]\n"
                         "core = 1\n");
    assert_false(cv_agents_file_parse(&a, text, CV_STR("a.toml"), &file, &errs));
    for (size_t i = 0; i < errs.count; i++)
        cv_buf_printf(&told, "%.*s:%zu:%zu %.*s %.*s\n", CV_FMT(errs.items[i].file), errs.items[i].line,
                      errs.items[i].column, CV_FMT(cv_err_word(errs.items[i].code)), CV_FMT(errs.items[i].field));
    assert_str_eq(cv_buf_str(&told), "a.toml:1:9 unknown_field agent\n"
                                     "a.toml:3:10 unknown_field agents.one.comand\n"
                                     "a.toml:4:11 invalid_value agents.one.timeout\n"
                                     "a.toml:7:13 invalid_value agents.two.key_env\n"
                                     "a.toml:6:13 invalid_value agents.two.command\n"
                                     "a.toml:8:1 invalid_value agents.a b\n"
                                     "a.toml:10:9 invalid_value agents.three\n"
                                     "a.toml:11:1 invalid_value agents.four\n"
                                     "a.toml:14:8 invalid_value seats.core\n");
    cv_buf_release(&told);
    errs.count = 0;
    assert_false(cv_agents_file_parse(&a, CV_STR("[agents.x]\ncommand = \"a"), CV_STR("a.toml"), &file, &errs));
    assert_str_has(cv_err_text(&errs.items[0]), "a.toml:2:11: this string has no end");
    cv_arena_release(&a);
}

/* ---- approval ---------------------------------------------------------------------------------------------------- */

static void write_text(cv_arena *a, const char *folder, const char *name, const char *text)
{
    FILE *f = fopen(cv_arena_printf(a, "%s/%s", folder, name).p, "w");
    fputs(text, f);
    fclose(f);
}

static bool approved(cv_arena *a, const char *root, const char *command, bool yes, cv_str *ret_text)
{
    cv_err err = {.arena = a};
    cv_reach *reach = CV_NEW(a, cv_reach);
    assert_true(cv_reach_of_command(a, cv_str_of(command), reach, &err));
    const cv_approval items[] = {{CV_STR("kim"), reach}, {CV_STR("twin"), reach}};
    bool ok = cv_approval_check(a, &(cv_approval_way){.root = root, .yes = yes}, items, 2, &err);
    *ret_text = ok ? (cv_str){NULL, 0} : cv_err_text(&err);
    return ok;
}

static void keep(cv_arena *a, const char *root, const char *command)
{
    cv_err err = {.arena = a};
    cv_reach reach;
    assert_true(cv_reach_of_command(a, cv_str_of(command), &reach, &err));
    if (!cv_approval_keep(a, root, &reach, &err))
        fail_msg("%s", cv_err_text(&err).p);
}

static void test_approval(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_str text;
    struct stat st;
    const char *root = cv_test_folder(&a), *config = cv_test_folder(&a);
    setenv("XDG_CONFIG_HOME", config, 1);
    write_text(&a, root, "agent.sh", "echo one\n");
    assert_false(approved(&a, root, "sh ./agent.sh 'x\033[2J'", false, &text));
    assert_str_has(text, "kim: sh ./agent.sh");
    assert_str_has(text, "--yes");
    assert_int_equal(cv_str_find(text, CV_STR("\033")), SIZE_MAX);
    assert_int_equal(cv_str_find(text, CV_STR("twin")), SIZE_MAX); /* the same again */
    assert_true(approved(&a, root, "sh ./agent.sh", true, &text));
    assert_false(approved(&a, root, "sh ./agent.sh", false, &text)); /* that was for once */
    keep(&a, root, "sh ./agent.sh");
    keep(&a, root, "claude -p");
    keep(&a, root, "claude -p");
    assert_true(approved(&a, root, "sh ./agent.sh", false, &text));
    assert_true(approved(&a, root, "claude -p", false, &text));
    assert_false(approved(&a, root, "claude -p --dangerously-skip-permissions", false, &text));
    const char *kept = cv_arena_printf(&a, "%s/conclave/approved", config).p;
    assert_int_equal(stat(kept, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    cv_str lines = cv_test_read(&a, kept), line;
    int count = 0;
    while (lines.n > 0 && cv_str_split(&lines, '\n', &line))
        count++;
    assert_int_equal(count, 2);
    /* Another content of the script is another command. */
    write_text(&a, root, "agent.sh", "rm -rf /\n");
    assert_false(approved(&a, root, "sh ./agent.sh", false, &text));
    write_text(&a, root, "agent.sh", "echo one\n");
    assert_true(approved(&a, root, "sh ./agent.sh", false, &text));
    /* … also where only a part of a word names the file. */
    static const char *const inside[] = {"sh -c 'cat - | ./agent.sh --fast'", "python3 --script=agent.sh",
                                         "x 'a;$(agent.sh)'"};
    for (size_t i = 0; i < CV_COUNT(inside); i++)
        keep(&a, root, inside[i]);
    for (size_t i = 0; i < CV_COUNT(inside); i++)
        assert_true(approved(&a, root, inside[i], false, &text));
    write_text(&a, root, "agent.sh", "echo two\n");
    for (size_t i = 0; i < CV_COUNT(inside); i++)
        assert_false(approved(&a, root, inside[i], false, &text));
    cv_test_remove(root), cv_test_remove(config);
    cv_arena_release(&a);
}

/* Where a key goes, and which variables a command gets, is a part of it. */
static void test_approval_of_keys(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    const char *config = cv_test_folder(&a);
    static const char *const rows[][2] = {
        {"endpoint", "{\"endpoint\":\"https://a/v1\",\"protocol\":\"openai\",\"model\":\"m\",\"key_env\":\"A\"}"},
        {"endpoint", "{\"endpoint\":\"https://b/v1\",\"protocol\":\"openai\",\"model\":\"m\",\"key_env\":\"A\"}"},
        {"endpoint", "{\"endpoint\":\"https://a/v1\",\"protocol\":\"openai\",\"model\":\"m\",\"key_env\":\"B\"}"},
        {"command", "{\"command\":\"x\"}"},
        {"command", "{\"command\":\"x\",\"env\":[\"A\"]}"},
        {"command", "{\"command\":\"x\",\"folder\":\"/tmp\"}"},
        {"command", "{\"argv\":[\"x\",\"A\"]}"},
        {"command", "{\"argv\":[\"sh\",\"-c\",\"{model}\"],\"model\":\"echo\"}"},
        {"command", "{\"argv\":[\"sh\",\"-c\",\"{model}\"],\"model\":\"rm\"}"},
    };
    setenv("XDG_CONFIG_HOME", config, 1);
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        cv_agent_row row = {.id = CV_STR("x"), .reach = cv_str_of(rows[i][0]), .reach_details = cv_str_of(rows[i][1])};
        cv_reach reach;
        assert_true(cv_reach_of_agent(&a, &row, &reach, &err));
        const cv_approval item = {row.id, &reach};
        assert_false(cv_approval_check(&a, &(cv_approval_way){.root = "/"}, &item, 1, &err));
        assert_true(err.code == CV_ERR_NOT_APPROVED);
        cv_err_clear(&err);
        assert_true(cv_approval_keep(&a, "/", &reach, &err));
        assert_true(cv_approval_check(&a, &(cv_approval_way){.root = "/"}, &item, 1, &err));
    }
    cv_test_remove(config);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),       cmocka_unit_test(test_shells),   cmocka_unit_test(test_words_back),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_urls),     cmocka_unit_test(test_presets),
        cmocka_unit_test(test_schema),      cmocka_unit_test(test_faults),   cmocka_unit_test(test_file),
        cmocka_unit_test(test_file_faults), cmocka_unit_test(test_approval), cmocka_unit_test(test_approval_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
