/* test_toml.c - TOML as JSON: what is read, and what is refused at which place. */
#include "testing.h"

#include "base/toml.h"

static cv_str as_json(cv_arena *a, cv_str text, cv_err *err)
{
    cv_json tree;
    cv_buf out = {0};
    if (!cv_toml_parse(a, text, &tree, err))
        return (cv_str){NULL, 0};
    cv_json_value(&(cv_json_writer){.out = &out}, &tree);
    return cv_buf_take(&out, a);
}

static void test_read(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "{}"},
        {"\xEF\xBB\xBF# only a comment", "{}"},
        {"a = 1\r\nb = \"x\" # c\r\n", "{\"a\":1,\"b\":\"x\"}"},
        {"a=+1_000\nb=-0.5\nc=1e6\nd=0xFF\ne=0o17\nf=0b101\ng=0",
         "{\"a\":1000,\"b\":-0.5,\"c\":1e6,\"d\":255,\"e\":15,\"f\":5,\"g\":0}"},
        {"a = true\nb = false", "{\"a\":true,\"b\":false}"},
        {"a = 'C:\\x'\nb = \"\\u00e4\\t\\\\\\\"\"", "{\"a\":\"C:\\\\x\",\"b\":\"ä\\t\\\\\\\"\"}"},
        {"a = \"\"\"\nx\\\n   y\n\"\"\"", "{\"a\":\"xy\\n\"}"},
        {"a = '''\nx\\\n'' y'''", "{\"a\":\"x\\\\\\n'' y\"}"},
        {"a = \"\"\"\"q\"\"\"\"", "{\"a\":\"\\\"q\\\"\"}"},
        {"a = \"\"\nb = ''", "{\"a\":\"\",\"b\":\"\"}"},
        {"a = []\nb = [1, 'x', [true], {c = 1}]", "{\"a\":[],\"b\":[1,\"x\",[true],{\"c\":1}]}"},
        {"a = [ # one\n 1,\n\n 2, # two\n]", "{\"a\":[1,2]}"},
        {"a = {}\nb = { x.y = 1, x.z = 2, 'q r' = 3 }", "{\"a\":{},\"b\":{\"x\":{\"y\":1,\"z\":2},\"q r\":3}}"},
        {"a.b = 1\na.c = 2\n\"*\" = 3", "{\"a\":{\"b\":1,\"c\":2},\"*\":3}"},
        {"[a.b]\nx = 1\n[a]\ny = 2\n[a.c.d]\n", "{\"a\":{\"b\":{\"x\":1},\"y\":2,\"c\":{\"d\":{}}}}"},
        {"[[a]]\nx = 1\n[[a]]\nx = 2\n[a.b]\ny = 3", "{\"a\":[{\"x\":1},{\"x\":2,\"b\":{\"y\":3}}]}"},
        {"[ a . \"b\" ]\n'' = 1", "{\"a\":{\"b\":{\"\":1}}}"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str json = as_json(&a, cv_str_of(cases[i][0]), &err);
        if (!json.p)
            print_error("%s\n%s\n", cases[i][0], cv_err_text(&err).p);
        assert_str_eq(json, cases[i][1]);
        cv_arena_release(&a);
    }
}

static void test_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line, column;
        const char *message;
    } cases[] = {
        {"a", 1, 2, "an equals sign"},
        {"a =", 1, 4, "a value"},
        {"a = b", 1, 5, "put texts in quotes"},
        {"a = 1 2", 1, 7, "the end of the line"},
        {"= 1", 1, 1, "a key"},
        {"\na = \"x", 2, 5, "no end"},
        {"a = 'x\ny'", 1, 5, "no end"},
        {"a = \"\"\"x", 1, 5, "no end"},
        {"a = \"\\q\"", 1, 7, "not a valid escape"},
        {"a = \"\\ud800\"", 1, 7, "not a valid escape"},
        {"a = \"x\001\"", 1, 7, "control character"},
        {"ä = 1", 1, 1, "a key"},
        {"a = 1\na = 2", 2, 1, "twice"},
        {"[a]\n[a]", 2, 1, "twice"},
        {"a = 1\n[a]", 2, 1, "twice"},
        {"a = 1\n[a.b]", 2, 1, "a value, not a table"},
        {"a.b = 1\n[a]", 2, 1, "twice"},
        {"[a]\nb.c = 1\n[a.b]", 3, 1, "twice"},
        {"[a.b]\n[a]\nb.c = 1", 3, 1, "twice"},
        {"a = {}\na.b = 1", 2, 1, "twice"},
        {"a = {}\n[a.b]", 2, 1, "a value, not a table"},
        {"a = [1]\n[[a]]", 2, 1, "twice"},
        {"[a]\n[[a]]", 2, 1, "twice"},
        {"[[a]]\n[a]", 2, 1, "twice"},
        {"a = {x = 1, x = 2}", 1, 13, "twice"},
        {"a = {x = 1,\n}", 1, 12, "a key"},
        {"a = {x = 1\n}", 1, 11, "on the same line"},
        {"a = [1 2]", 1, 8, "a comma"},
        {"a = [1", 1, 5, "no end"},
        {"[a", 1, 3, "] is expected"},
        {"[[a]", 1, 4, "]] is expected"},
        {"a = 2026-01-02", 1, 5, "dates and times"},
        {"a = 07:32:00", 1, 5, "dates and times"},
        {"a = 01", 1, 5, "neither a number"},
        {"a = 1__0", 1, 5, "neither a number"},
        {"a = _1", 1, 5, "neither a number"},
        {"a = 0x", 1, 5, "neither a number"},
        {"a = 0xffffffffffffffff", 1, 5, "neither a number"},
        {"a = nan", 1, 5, "neither a number"},
        {"a = 1.", 1, 5, "neither a number"},
        {"a = \"\377\"", 1, 6, "not valid UTF-8"},
        {"a = 1 \r b", 1, 7, "the end of the line"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str json = as_json(&a, cv_str_of(cases[i].text), &err);
        if (json.p)
            fail_msg("was read: %s", cases[i].text);
        if (err.line != cases[i].line || err.column != cases[i].column)
            print_error("%s\n", cases[i].text);
        assert_str_has(err.message, cases[i].message);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        cv_arena_release(&a);
    }
}

/* Every value knows where it stands. */
static void test_places(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = CV_STR("[a]\nx = 'one'\ny = [2, { z = 3 }]\n");
    cv_json tree;
    assert_true(cv_toml_parse(&a, text, &tree, &err));
    const cv_json *table = cv_json_get(&tree, CV_STR("a")), *list = cv_json_get(table, CV_STR("y"));
    assert_int_equal(table->offset, 0);
    assert_true(cv_str_starts(cv_str_from(text, cv_json_get(table, CV_STR("x"))->offset), CV_STR("'one'")));
    assert_true(cv_str_starts(cv_str_from(text, list->offset), CV_STR("[2")));
    assert_true(cv_str_starts(cv_str_from(text, list->items[1].offset), CV_STR("{")));
    assert_true(cv_str_starts(cv_str_from(text, cv_json_get(&list->items[1], CV_STR("z"))->offset), CV_STR("3")));
    cv_arena_release(&a);
}

/* What is deeper than a JSON document may be is refused, in whichever way it is made. */
static void test_deep(void **state)
{
    (void)state;
    static const struct {
        const char *open, *middle, *close;
    } ways[] = {{"[", "", "]"}, {"{a=", "1", "}"}, {"{a.b.c.d.e.f.g=", "1", "}"}, {"[{a=", "1", "}]"}};
    for (size_t i = 0; i < CV_COUNT(ways); i++)
        for (int n = 10; n <= 100000; n *= 100) {
            cv_arena a = {0};
            cv_err err = {.arena = &a};
            cv_buf text = {0};
            cv_buf_add_z(&text, "x=");
            for (int k = 0; k < n; k++)
                cv_buf_add_z(&text, ways[i].open);
            cv_buf_add_z(&text, ways[i].middle);
            for (int k = 0; k < n; k++)
                cv_buf_add_z(&text, ways[i].close);
            cv_str json = as_json(&a, cv_buf_str(&text), &err);
            assert_int_equal(json.p != NULL, n == 10);
            if (json.p)
                assert_true(cv_json_is_valid(json, 128));
            else
                assert_str_has(err.message, "too deep");
            cv_buf_release(&text);
            cv_arena_release(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refuse),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
