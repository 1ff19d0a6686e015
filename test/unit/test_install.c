/* test_install.c - one entry in somebody else's configuration: every form that such a file has, and what becomes of it.
 */
#include "base/buf.h"
#include "door/install/client.h"
#include "door/install/jsonc.h"
#include "door/install/toml_block.h"
#include "testing.h"

static const cv_str servers = CV_STR_INIT("mcpServers"), name = CV_STR_INIT("conclave"),
                    entry = CV_STR_INIT("{\"x\":1}");

/* ---- JSON with comments ------------------------------------------------------------------------------------------ */

#define NEW "\"conclave\": {\"x\":1}"

/* With our entry set and, when it is another text than before, with it removed again. */
static const struct {
    const char *before, *set, *removed;
} json[] = {
    {"", "{\n  \"mcpServers\": {\n    " NEW "\n  }\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
    {" \n", "{\n  \"mcpServers\": {\n    " NEW "\n  }\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
    {"{}", "{\n  \"mcpServers\": {\n    " NEW "\n  }\n}", "{\n  \"mcpServers\": {}\n}"},
    {"{\r\n}\r\n", "{\r\n  \"mcpServers\": {\r\n    " NEW "\r\n  }\r\n}\r\n", "{\r\n  \"mcpServers\": {}\r\n}\r\n"},
    {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t" NEW "\n\t}\n}",
     "{\n\t\"a\": 1,\n\t\"mcpServers\": {}\n}"},
    {"{\"a\": 1}", "{\"a\": 1, \"mcpServers\": {" NEW "}}", "{\"a\": 1, \"mcpServers\": {}}"},
    {"{\"a\": 1,}", "{\"a\": 1, \"mcpServers\": {" NEW "},}", "{\"a\": 1, \"mcpServers\": {},}"},
    {"{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n    " NEW "\n  }\n}", NULL},
    {"{\"mcpServers\": {\"o\": {\"e\": \"}{\\\"\"}}}", "{\"mcpServers\": {\"o\": {\"e\": \"}{\\\"\"}, " NEW "}}", NULL},
    {"{\n  \"mcpServers\": {\n    \"o\": 1\n  }\n}", "{\n  \"mcpServers\": {\n    \"o\": 1,\n    " NEW "\n  }\n}",
     NULL},
    {"{\r\n\t\"mcpServers\": {\r\n\t\t\"o\": 1\r\n\t}\r\n}",
     "{\r\n\t\"mcpServers\": {\r\n\t\t\"o\": 1,\r\n\t\t" NEW "\r\n\t}\r\n}", NULL},
    {"{\n \"mcpServers\": {\n  \"o\": 1, // why\n }\n}", "{\n \"mcpServers\": {\n  \"o\": 1, // why\n  " NEW ",\n }\n}",
     NULL},
    {"{\n \"mcpServers\": {\n  \"o\": 1 // why\n }\n}", "{\n \"mcpServers\": {\n  \"o\": 1, // why\n  " NEW "\n }\n}",
     NULL},
    {"{\n \"mcpServers\": {\n  \"o\": 1   \n }\n}", "{\n \"mcpServers\": {\n  \"o\": 1,   \n  " NEW "\n }\n}", NULL},
    {"{\n \"mcpServers\": {\n  \"o\": 1, \"p\": 2 }\n}", "{\n \"mcpServers\": {\n  \"o\": 1, \"p\": 2,\n  " NEW " }\n}",
     NULL},
    {"{\"mcpServers\": { /* none */ }}", "{\"mcpServers\": { /* none */\n    " NEW " }}", NULL},
    {"\xEF\xBB\xBF{\"mcpServers\": {\"o\": 1}}", "\xEF\xBB\xBF{\"mcpServers\": {\"o\": 1, " NEW "}}", NULL},
    {"{\"mcpServers\": {\"conclave\": {\"old\": [1, 2]}, \"o\": 1}}", "{\"mcpServers\": {" NEW ", \"o\": 1}}",
     "{\"mcpServers\": { \"o\": 1}}"},
    {"{\"mcpServers\": {\"o\": 1, \"conclave\": 2}}", "{\"mcpServers\": {\"o\": 1, " NEW "}}",
     "{\"mcpServers\": {\"o\": 1}}"},
    {"{\"mcpServers\": {\"conclave\": 1, \"conclave\": 2}}", "{\"mcpServers\": {\"conclave\": 1, " NEW "}}",
     "{\"mcpServers\": {\"conclave\": 1}}"},
    {"{\"mcpServers\": {\"\\u0063onclave\": 1}}", "{\"mcpServers\": {\"\\u0063onclave\": {\"x\":1}}}",
     "{\"mcpServers\": {}}"},
    {"{\"mcpServers\": {\n // c\n \"conclave\": 1, \"o\": 2}}", "{\"mcpServers\": {\n // c\n " NEW ", \"o\": 2}}",
     "{\"mcpServers\": {\n // c\n \"o\": 2}}"},
    {"{\"mcpServers\": {\n // c\n \"conclave\": 1 }}", "{\"mcpServers\": {\n // c\n " NEW " }}",
     "{\"mcpServers\": {\n // c\n }}"},
    {"{\"mcpServers\": {\n // c\n \"conclave\": 1\n}}", "{\"mcpServers\": {\n // c\n " NEW "\n}}",
     "{\"mcpServers\": {\n // c\n}}"},
    {"// first\n{ /*/ \"mcpServers\": 7, */ } // last",
     "// first\n{ /*/ \"mcpServers\": 7, */\n  \"mcpServers\": {\n    " NEW "\n  } } // last",
     "// first\n{ /*/ \"mcpServers\": 7, */\n  \"mcpServers\": {} } // last"},
};

static void test_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(json); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str before = cv_str_of(json[i].before), set, again, removed;
        print_message("# %s\n", json[i].before);
        assert_true(cv_jsonc_set(&a, before, servers, name, entry, &set, &err));
        assert_str_eq(set, json[i].set);
        assert_true(cv_jsonc_set(&a, set, servers, name, entry, &again, &err));
        assert_str_eq(again, json[i].set);
        assert_true(cv_jsonc_remove(&a, set, servers, name, &removed, &err));
        assert_str_eq(removed, json[i].removed ? json[i].removed : json[i].before);
        cv_arena_release(&a);
    }
}

static const struct {
    const char *text;
    size_t line, column;
} broken_json[] = {
    {"[]", 1, 1},
    {"7", 1, 1},
    {"{\"a\": 1", 1, 8},
    {"{\"a\" 1}", 1, 6},
    {"{\"a\": }", 1, 7},
    {"{\"a\": tru}", 1, 7},
    {"{\"a\": 01}", 1, 7},
    {"{\"a\": [}, 1}", 1, 8},
    {"{\"a\": {\"b\" 1}}", 1, 12},
    {"{\n  \"a\": \"b\n}", 2, 8},
    {"{\n  \"é\": \"b\" \"c\": 1\n}", 2, 12},
    {"{,}", 1, 2},
    {"{\"a\": 1,,}", 1, 9},
    {"{} {}", 1, 4},
    {"{\"mcpServers\": []}", 1, 16},
    {"{\"mcpServers\": null}", 1, 16},
    {"// nothing but a comment", 1, 25},
};

/* Blanks, comments and line breaks of every form, in one and in two places of a file that has a server: whatever stands
 * there, undoing what was set gives the same bytes again. A file with neither a server nor a comment in their place is
 * the same after the second time. */
static void test_undone_json(void **state)
{
    static const char *const fillers[] = {
        "",
        " ",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\r\r\n",
        " \n",
        "\n  ",
        "// c\n",
        "// c \r\n",
        "// c \r\r\n",
        "// c \r x\r\n",
        "//\r\n\r\r\n",
        "/* c */",
        "/*\r\r\n*/",
        "/* c */\r\r\n",
        "// a\n// b\r\n",
    };
    enum { PLACES = 11, FILLERS = sizeof fillers / sizeof *fillers };
    static const char *const shapes[][PLACES] = {
        {"{", "\"mcpServers\"", ":", "{", "\"b\"", ":", "1", "", "}", "}", ""},
        {"{", "\"mcpServers\"", ":", "{", "\n  \"b\"", ":", "1", "", "}", "}", ""},
        {"{", "\"mcpServers\"", ":", "{", "\r\n\t\"b\"", ":", "1", ",", "}", ",", "}"},
        {"{", "\"mcpServers\"", ":", "{", "", "", "", "", "}", "}", ""},
        {"{", "\n \"a\"", ":", "[", "", "1", "]", "", ",", "", "}"},
        {"\xEF\xBB\xBF{", "\"mcpServers\"", ":", "{", "\n\"b\"", ":", "1", "", "}", "", "}"},
    };
    (void)state;
    cv_arena a = {0};
    size_t tried = 0;
    for (size_t shape = 0; shape < CV_COUNT(shapes); shape++)
        for (size_t x = 0; x < PLACES; x++)
            for (size_t y = x + 1; y < PLACES; y++)
                for (size_t i = 0; i < (size_t)FILLERS * FILLERS; i++) {
                    cv_buf text = {0};
                    cv_str set, again, removed, twice;
                    cv_err err = {.arena = &a};
                    for (size_t place = 0; place < PLACES; place++) {
                        cv_buf_add_z(&text, shapes[shape][place]);
                        cv_buf_add_z(&text, place == x ? fillers[i / FILLERS] : place == y ? fillers[i % FILLERS] : "");
                    }
                    cv_str before = cv_buf_take(&text, &a);
                    bool said = (x >= 3 && x < 8 && strchr(fillers[i / FILLERS], '/')) ||
                                (y >= 3 && y < 8 && strchr(fillers[i % FILLERS], '/')); /* … between the braces */
                    bool there = cv_str_find(before, CV_STR("\"b\"")) != SIZE_MAX || (shape == 3 && said);
                    if (cv_jsonc_set(&a, before, servers, name, entry, &set, &err)) {
                        tried++;
                        assert_true(cv_jsonc_set(&a, set, servers, name, entry, &again, &err));
                        assert_str_eq(again, set.p);
                        assert_true(cv_jsonc_remove(&a, set, servers, name, &removed, &err));
                        if (there)
                            assert_str_eq(removed, before.p);
                        assert_true(cv_jsonc_set(&a, removed, servers, name, entry, &again, &err));
                        assert_true(cv_jsonc_remove(&a, again, servers, name, &twice, &err));
                        assert_str_eq(twice, removed.p);
                    }
                    cv_arena_reset(&a);
                }
    assert_true(tried > 50000);
    cv_arena_release(&a);
}

static void test_broken_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(broken_json); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str text = cv_str_of(broken_json[i].text), to;
        print_message("# %s\n", broken_json[i].text);
        assert_false(cv_jsonc_remove(&a, text, servers, name, &to, &err));
        assert_false(cv_jsonc_set(&a, text, servers, name, entry, &to, &err));
        assert_int_equal(err.code, CV_ERR_JSON);
        assert_int_equal(err.line, broken_json[i].line);
        assert_int_equal(err.column, broken_json[i].column);
        cv_arena_release(&a);
    }
}

static void test_deep_json(void **state)
{
    enum { DEPTH = 100000 };
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    char *text = cv_arena_alloc(&a, DEPTH + 5);
    cv_str to;
    (void)state;
    memset(text, '[', DEPTH + 5);
    memcpy(text, "{\"a\":", 5);
    assert_false(cv_jsonc_set(&a, (cv_str){text, DEPTH + 5}, servers, name, entry, &to, &err));
    assert_int_equal(err.code, CV_ERR_JSON);
    cv_arena_release(&a);
}

/* ---- TOML -------------------------------------------------------------------------------------------------------- */

static const cv_toml_block block = {CV_STR_INIT("conclave"), CV_STR_INIT("mcp_servers.conclave"),
                                    CV_STR_INIT("mend it")};

#define LINES "[mcp_servers.conclave]\ncommand = \"c\"\nargs = [\"mcp\"]\n"
#define OURS "# >>> conclave\n" LINES "# <<< conclave"

/* `set` NULL: the block is behind an empty line at the end; `removed` NULL: what was there before. */
static const struct {
    const char *before, *set, *removed;
} toml[] = {
    {"", OURS "\n", NULL},
    {"\n", "\n\n" OURS "\n", NULL},
    {"a = 1\n", NULL, NULL},
    {"a = 1", "a = 1\n\n" OURS, NULL},
    {"a = 1\n\n\n", NULL, NULL},
    {"a = 1\r\n",
     "a = 1\r\n\r\n# >>> conclave\r\n[mcp_servers.conclave]\r\ncommand = \"c\"\r\nargs = [\"mcp\"]\r\n# <<< "
     "conclave\r\n",
     NULL},
    {"a = 1\r\nb = 2",
     "a = 1\r\nb = 2\r\n\r\n# >>> conclave\r\n[mcp_servers.conclave]\r\ncommand = \"c\"\r\nargs = [\"mcp\"]\r\n# <<< "
     "conclave",
     NULL},
    {"\xEF\xBB\xBF", "\xEF\xBB\xBF" OURS "\n", NULL},
    {"\xEF\xBB\xBF[a]\n", NULL, NULL},
    {"[mcp_servers]\nother = {command = \"x\"}\n", NULL, NULL},
    {"[mcp_servers.other]\ncommand = \"x\"\n# end\n", NULL, NULL},
    {"[[other]]\na = 1\n[[other]]\na = 2\n", NULL, NULL},
    {"[mcp_servers.conclave_two]\na = 1\n", NULL, NULL},
    {"[other.mcp_servers.conclave]\na = 1\n", NULL, NULL},
    {"[mcp_servers.\"conclave \"]\na = 1\n", NULL, NULL},
    {"[mcp_servers.'\\u0063onclave']\na = 1\n", NULL, NULL},
    /* strings and comments hold neither tables nor blocks */
    {"x = \"\"\"\n[mcp_servers.conclave]\n\"\"\"\"\ny = '''\n#'''\n", NULL, NULL},
    {"x = '''\n# >>> conclave\n# <<< conclave\n'''\n", NULL, NULL},
    {"x = \"\"\"\\\"\"\"\n# >>> conclave\n\\\\\"\"\"\n", NULL, NULL},
    {"\"a=b\" = [ # ]\n  \"[mcp_servers.conclave]\",\n# >>> conclave\n]\n", NULL, NULL},
    {"# [mcp_servers.conclave]\n# >>> conclave, as an example\n#>>> conclave\na = 1 # >>> conclave\n", NULL, NULL},
    {"a = \"mcp_servers.conclave = 1\" # mcp_servers.conclave = 1\n", NULL, NULL},
    {"a = {b.c = \"\\u00e9\\t\", d = [{}, {e = ''},],}\nb = \"\"\"x \\  \n y\"\"\"\n", NULL, NULL},
    {"a = [1, -1_000, +0, 0xDEAD_beef, 0o7, 0b1, 1.5, 6.6e-3, 1E6, inf, -nan, true]\n", NULL, NULL},
    {"a = 2026-07-28\nb = 2026-07-28 09:30:00.5+02:00 # c\nc = 09:30\nd = 2026-07-28t09:30:00z\n", NULL, NULL},
    /* a block that is there: its lines are replaced, wherever it stands, and nothing else */
    {"# >>> conclave\n# <<< conclave\n", OURS "\n", ""},
    {"a = 1\n\n# >>> conclave\nanything = 1\n[mcp_servers.conclave.env]\n# <<< conclave\n\n# next\n[next]\nb = 2",
     "a = 1\n\n" OURS "\n\n# next\n[next]\nb = 2", "a = 1\n\n# next\n[next]\nb = 2"},
    {"a = 1\n  # >>> conclave  \n" LINES "\t# <<< conclave\n[next]\n",
     "a = 1\n  # >>> conclave  \n" LINES "\t# <<< conclave\n[next]\n", "a = 1\n[next]\n"},
};

static void test_toml(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(toml); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str before = cv_str_of(toml[i].before), set, again, removed, lines;
        cv_str expected =
            toml[i].set ? cv_str_of(toml[i].set) : cv_arena_printf(&a, "%.*s\n" OURS "\n", CV_FMT(before));
        bool found;
        print_message("# %s\n", toml[i].before);
        assert_true(cv_toml_block_set(&a, &block, before, CV_STR(LINES), &set, &err));
        assert_str_eq(set, expected.p);
        assert_true(cv_toml_block_set(&a, &block, set, CV_STR(LINES), &again, &err));
        assert_str_eq(again, expected.p);
        assert_true(cv_toml_block_find(&a, &block, set, &found, &lines, &err));
        assert_true(found && cv_str_eq(lines, cv_toml_block_lines(&a, before, CV_STR(LINES))));
        assert_true(cv_toml_block_remove(&a, &block, set, &removed, &err));
        assert_str_eq(removed, toml[i].removed ? toml[i].removed : toml[i].before);
        assert_true(cv_toml_block_remove(&a, &block, removed, &again, &err));
        assert_true(cv_str_eq(removed, again));
        cv_arena_release(&a);
    }
}

static const struct {
    const char *text;
    size_t line, column;
    const char *todo; /* part of the suggestion; NULL: none */
} refused_toml[] = {
    /* our table outside of the block, in every form */
    {"[mcp_servers.conclave]\ncommand = \"x\"\n", 1, 1, "mend it"},
    {"a = 1\n  [ mcp_servers . \"conclave\" ] # c\n", 2, 1, "mend it"},
    {"[mcp_servers.\"\\u0063onclave\"]\n", 1, 1, "mend it"},
    {"[mcp_servers.\"\\x63onclave\"]\n", 1, 1, "mend it"},
    {"[\"\\U0000006dcp_servers\".'conclave']\n", 1, 1, "mend it"},
    {"[mcp_servers.conclave.env]\nA = \"1\"\n", 1, 1, "mend it"},
    {"[mcp_servers]\nconclave = {command = \"x\"}\n", 2, 1, "mend it"},
    {"[mcp_servers]\nconclave.command = \"x\"\n", 2, 1, "mend it"},
    {"[mcp_servers]\n'conclave'.\"command\" = \"x\"\n", 2, 1, "mend it"},
    {"mcp_servers.conclave.command = \"x\"\n", 1, 1, "mend it"},
    {"mcp_servers.conclave = \"\"\"\n\"\"\"\n", 1, 1, "mend it"},
    {"[[mcp_servers.conclave]]\n", 1, 1, "mend it"},
    {"x = '''\n'''\n[mcp_servers.conclave]\n", 3, 1, "mend it"},
    {OURS "\n[mcp_servers.\"conclave\"]\n", 6, 1, "mend it"},
    {"[mcp_servers.conclave]\n\n" OURS "\n", 1, 1, "mend it"},
    /* what has no place for it */
    {"a = 1\nmcp_servers = {}\n", 2, 1, "as tables"},
    {"mcp_servers = {conclave = {command = \"x\"}}\n", 1, 1, "as tables"},
    {"[[mcp_servers]]\n", 1, 1, "as tables"},
    /* entries that would belong to it */
    {OURS "\nmodel = \"m\"\n", 6, 1, "move it"},
    {OURS "\n# c\n\na.b = 1\n", 8, 1, "move it"},
    /* comments that are damaged or there twice */
    {"a = 1\n# >>> conclave\n" LINES, 2, 1, "install again"},
    {LINES "# <<< conclave\n", 1, 1, "mend it"},
    {"# <<< conclave\n", 1, 1, "install again"},
    {"# <<< conclave\n# >>> conclave\n", 1, 1, "install again"},
    {"# >>> conclave\n# >>> conclave\n# <<< conclave\n", 2, 1, "remove one block"},
    {"# >>> conclave\n# <<< conclave\n# <<< conclave\n", 3, 1, "remove one block"},
    {OURS "\n" OURS "\n", 6, 1, "remove one block"},
    {"# >>> conclave\nx = '''\n# <<< conclave\n'''\n", 1, 1, "install again"},
    /* statements that cannot be told apart */
    {"a = \"x\nb = 1\n", 1, 5, NULL},
    {"a = '''\n", 1, 5, NULL},
    {"a = \"\\\n", 1, 5, NULL},
    {"a = [1,\n", 1, 5, NULL},
    {"a = {b = 1\n", 1, 5, NULL},
    {"a = [\"x\n]\n", 1, 6, NULL},
    {"a = 1 ]\n", 1, 7, NULL},
    {"a =\n", 1, 4, NULL},
    {"a\n", 1, 2, NULL},
    {"[a\n", 1, 3, NULL},
    {"[[a]\n", 1, 4, NULL},
    {"[a] b\n", 1, 5, NULL},
    {"[]\n", 1, 2, NULL},
    {"= 1\n", 1, 1, NULL},
    {"\"\"\"a\"\"\" = 1\n", 1, 1, NULL},
    {"\"\\q\" = 1\n", 1, 3, NULL},
    {"\"\\ud800\" = 1\n", 1, 3, NULL},
    {"a = 1\rb = 2", 1, 6, NULL},
    {"a = 1 # \rb = 2", 1, 9, NULL},
    {"broken = = \n", 1, 10, NULL},
    {"a = 1 2\n", 1, 7, NULL},
};

static void test_refused_toml(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(refused_toml); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a}, other = {.arena = &a};
        cv_str text = cv_str_of(refused_toml[i].text), to, lines;
        bool found;
        print_message("# %s\n", refused_toml[i].text);
        assert_false(cv_toml_block_remove(&a, &block, text, &to, &other));
        assert_false(cv_toml_block_find(&a, &block, text, &found, &lines, &other));
        assert_false(cv_toml_block_set(&a, &block, text, CV_STR(LINES), &to, &err));
        assert_int_equal(err.code, CV_ERR_TOML);
        assert_int_equal(err.line, refused_toml[i].line);
        assert_int_equal(err.column, refused_toml[i].column);
        if (refused_toml[i].todo)
            assert_true(cv_str_find(err.suggestion, cv_str_of(refused_toml[i].todo)) != SIZE_MAX);
        else
            assert_int_equal(err.suggestion.n, 0);
        cv_arena_release(&a);
    }
}

/* ---- the clients ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *client;
    cv_scope scope;
    const char *config;
} clients[] = {
    {"claude", CV_SCOPE_PROJECT,
     "{\n  \"mcpServers\": {\n    \"conclave\": {\"command\":\"/a \\\"b\\\"/c\",\"args\":[\"mcp\"]}\n  }\n}\n"},
    {"claude", CV_SCOPE_USER,
     "{\n  \"mcpServers\": {\n    \"conclave\": {\"command\":\"/a \\\"b\\\"/c\",\"args\":[\"mcp\"]}\n  }\n}\n"},
    {"cursor", CV_SCOPE_PROJECT,
     "{\n  \"mcpServers\": {\n    \"conclave\": {\"command\":\"/a \\\"b\\\"/"
     "c\",\"args\":[\"mcp\",\"--root\",\"${workspaceFolder}\"]}\n  }\n}\n"},
    {"vscode", CV_SCOPE_USER,
     "{\n  \"servers\": {\n    \"conclave\": {\"type\":\"stdio\",\"command\":\"/a \\\"b\\\"/c\",\"args\":[\"mcp\"]}\n  "
     "}\n}\n"},
    {"codex", CV_SCOPE_USER,
     "# >>> conclave\n[mcp_servers.conclave]\ncommand = \"/a \\\"b\\\"/c\"\nargs = [\"mcp\"]\n# <<< conclave\n"},
};

static void test_clients(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(clients); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        const cv_client *client = cv_client_find(cv_str_of(clients[i].client));
        cv_client_job job = {.scope = clients[i].scope, .command = CV_STR("/a \"b\"/c")};
        cv_client_edited edited;
        assert_non_null(client);
        assert_true(cv_client_edit(&a, client, &job, CV_STR(""), &edited, &err));
        assert_str_eq(edited.config, clients[i].config);
        assert_false(edited.customised);
        cv_arena_release(&a);
    }
    assert_null(cv_client_find(CV_STR("emacs")));
}

/* An entry that is there already: what somebody has made of it stays; NULL: nothing changes. */
static const struct {
    const char *client, *before, *after;
    bool customised;
} entries_there[] = {
    {"claude", "{\"mcpServers\": {\"conclave\": {\"command\": \"conclave\", \"args\": [\"mcp\"]}}}",
     "{\"mcpServers\": {\"conclave\": {\"command\": \"/new/conclave\", \"args\": [\"mcp\"]}}}", false},
    {"claude",
     "{\"mcpServers\": {\"conclave\": {\"env\": {\"A\": \"1\"}, \"args\": [\"mcp\"], \"command\": \"/old/conclave\"}}}",
     "{\"mcpServers\": {\"conclave\": {\"env\": {\"A\": \"1\"}, \"args\": [\"mcp\"], \"command\": \"/new/conclave\"}}}",
     false},
    {"claude",
     "{\"mcpServers\": {\"conclave\": {\"command\": \"/new/conclave\", \"args\": [\"mcp\"], \"disabled\": true}}}",
     NULL, false},
    {"claude",
     "{\"mcpServers\": {\"conclave\": {\"command\": \"conclave\", \"args\": [\"mcp\", \"--tools\", \"all\"], \"env\": "
     "{}}}}",
     NULL, true},
    {"claude", "{\"mcpServers\": {\"conclave\": {\"command\": \"wrapper\", \"args\": [\"mcp\"]}}}", NULL, true},
    {"claude", "{\"mcpServers\": {\"conclave\": {\"command\": \"/x/notconclave\", \"args\": [\"mcp\"]}}}", NULL, true},
    {"claude", "{\"mcpServers\": {\"conclave\": {\"url\": \"http://h/mcp\"}}}", NULL, true},
    {"claude", "{\"mcpServers\": {\"conclave\": null}}", NULL, true},
#define BLOCK(lines) "# >>> conclave\n[mcp_servers.conclave]\n" lines "# <<< conclave"
    {"codex", "a = 1\n" BLOCK("command = \"conclave\"\nargs = [\"mcp\"]\n") "\n[b]",
     "a = 1\n" BLOCK("command = \"/new/conclave\"\nargs = [\"mcp\"]\n") "\n[b]", false},
    {"codex", BLOCK("command = \"/new/conclave\"\nargs = [\"mcp\"]\n"), NULL, false},
    {"codex", BLOCK("command = \"conclave\"\nargs = [\"mcp\"]\nenabled = false\n"), NULL, true},
    {"codex", BLOCK("command = \"conclave\"\nargs = [\"mcp\", \"--tools\", \"all\"]\n"), NULL, true},
    {"codex", BLOCK("command = \"/x/notconclave\"\nargs = [\"mcp\"]\n"), NULL, true},
    {"codex", BLOCK("url = \"http://h/mcp\"\n"), NULL, true},
    {"codex", "# >>> conclave\n# <<< conclave\n", NULL, true},
};

static void test_entries_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(entries_there); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        const cv_client *client = cv_client_find(cv_str_of(entries_there[i].client));
        cv_client_job job = {.scope = CV_SCOPE_PROJECT, .command = CV_STR("/new/conclave")};
        cv_client_edited edited;
        cv_str before = cv_str_of(entries_there[i].before);
        print_message("# %s\n", entries_there[i].before);
        assert_true(cv_client_edit(&a, client, &job, before, &edited, &err));
        assert_str_eq(edited.config, entries_there[i].after ? entries_there[i].after : entries_there[i].before);
        assert_int_equal(edited.customised, entries_there[i].customised);
        job.force = true;
        assert_true(cv_client_edit(&a, client, &job, before, &edited, &err));
        assert_false(edited.customised);
        job.force = false;
        assert_true(cv_client_edit(&a, client, &job, edited.config, &edited, &err));
        assert_false(edited.customised);
        cv_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),          cmocka_unit_test(test_broken_json),  cmocka_unit_test(test_deep_json),
        cmocka_unit_test(test_toml),          cmocka_unit_test(test_refused_toml), cmocka_unit_test(test_clients),
        cmocka_unit_test(test_entries_there), cmocka_unit_test(test_undone_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
