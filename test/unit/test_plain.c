/* test_plain.c - text as it may be shown: nothing steers, columns are counted. */
#include "testing.h"

#include "base/plain.h"

static const struct {
    const char *text, *plain;
    size_t width;
} cases[] = {
    {"", "", 0},
    {"plain", "plain", 5},
    {"a\tb\nc", "a b?c", 5},
    {"\033[31mred\x7f", "?[31mred?", 9},
    {"\xc2\x9b"
     "0m",
     "?0m", 3}, /* a control sequence in one character */
    {"\xe2\x80\xae"
     "evil\xe2\x81\xa6",
     "?evil?", 6}, /* turns the direction of writing */
    {"日本", "日本", 4},
    {"e\xcc\x81", "e\xcc\x81", 1}, /* combining */
    {"🧁!", "🧁!", 3},
};

static void text_is_shown_without_what_steers(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_buf out = {0};
        cv_plain_add(&out, cv_str_of(cases[i].text));
        assert_str_eq(cv_buf_str(&out), cases[i].plain);
        assert_int_equal(cv_plain_width(cv_str_of(cases[i].text)), cases[i].width);
        cv_buf_release(&out);
    }
}

static bool collect(void *to, cv_str bytes)
{
    cv_buf_add(to, bytes);
    return true;
}

/* Whatever the pieces are, what comes out is the same; every control character is escaped or replaced, all else stays.
 */
static void what_flows_in_pieces_is_harmless(void **state)
{
    static const char text[] =
        "{\"a\": \"\033\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6 \xc3\xa9\xf0\x9f\xa7\x81\xff\xe2\x82\"}\n";
    static const struct {
        bool json;
        const char *shown;
    } forms[] = {
        {true, "{\"a\": \"\\u001b\\u007f\\u009b\\u202e\\u2066 "
               "\xc3\xa9\xf0\x9f\xa7\x81\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}\n"},
        {false, "{\"a\": \"????? \xc3\xa9\xf0\x9f\xa7\x81\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}\n"},
    };
    (void)state;
    for (size_t form = 0; form < CV_COUNT(forms); form++)
        for (size_t size = 1; size < sizeof text; size++) {
            cv_buf out = {0};
            cv_plain_flow flow = {.json = forms[form].json, .sink = collect, .to = &out};
            for (cv_str rest = CV_STR(text); rest.n > 0; rest = cv_str_from(rest, size))
                assert_true(cv_plain_sink(&flow, cv_str_head(rest, size)));
            assert_str_eq(cv_buf_str(&out), forms[form].shown);
            cv_buf_release(&out);
        }
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    assert_str_eq(cv_plain_fit(CV_STR("plain"), 3), "pla");
    assert_str_eq(cv_plain_fit(CV_STR("plain"), 5), "plain");
    assert_str_eq(cv_plain_fit(CV_STR("日本"), 3), "日");
    assert_str_eq(cv_plain_fit(CV_STR("e\xcc\x81x"), 1), "e\xcc\x81");
    assert_str_eq(cv_plain_fit(CV_STR("🧁"), 1), "");
}

static void text_is_broken_at_blanks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width, at, hang;
        const char *lines;
    } rows[] = {
        {"one two three", 80, 0, 4, "one two three"},
        {"one two three", 8, 0, 2, "one two\n  three"},
        {"one two three", 7, 0, 0, "one two\nthree"},
        {"one two three", 8, 4, 4, "one\n    two\n    three"},
        {"  12  one two", 8, 0, 4, "  12\n    one\n    two"},
        {"日本 日本", 5, 0, 1, "日本\n 日本"},
        {"日本語の文です", 6, 0, 2, "日本語\n  の文\n  です"},
        {"日本、語", 5, 0, 0, "日\n本、\n語"},
        {"ab日本cd ef", 6, 0, 0, "ab日本\ncd ef"},
        {"see /a/very/long/path now", 8, 0, 2, "see\n  /a/very/long/path\n  now"},
        {"word", 2, 9, 9, "word"},
        {"", 8, 0, 2, ""},
        {"a\033b", 8, 0, 2, "a?b"},
    };
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        cv_buf out = {0};
        cv_plain_wrap(&out, cv_str_of(rows[i].text), rows[i].width, rows[i].at, rows[i].hang);
        assert_str_eq(cv_buf_str(&out), rows[i].lines);
        cv_buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_shown_without_what_steers),
        cmocka_unit_test(what_flows_in_pieces_is_harmless),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(text_is_broken_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
