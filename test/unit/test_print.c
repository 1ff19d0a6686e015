/* test_print.c - replies for people: lines, lists, tables, widths, colours. */
#include "testing.h"

#include "door/cli_parts.h"

/* 64 characters, like a hash, and 56 blanks. */
#define LONG "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BLANKS "                                                        "

static const struct {
    const char *reply;
    size_t width;
    const char *text;
} cases[] = {
    {"{\"id\":\"a\",\"status\":\"open\",\"n\":3,\"yes\":true,\"none\":null,\"empty\":[],\"nothing\":{}}", 80,
     "id:      a\nstatus:  open\nn:       3\nyes:     yes\nempty:   none\nnothing: none\n"},
    {"{\"tags\":[\"a\",\"b\"],\"deep\":{\"k\":1,\"longer\":2}}", 80, "tags: a, b\ndeep:\n  k:      1\n  longer: 2\n"},
    {"{\"text\":\"one\\n\\ntwo\"}", 80, "text:\n  one\n\n  two\n"},
    {"{\"list\":[\"a rather long item\",\"another long item\"]}", 20,
     "list:\n  - a rather long item\n  - another long item\n"},
    {"{\"rows\":[{\"a\":\"x\",\"b\":1},{\"a\":\"longer\",\"c\":[1,2]}]}", 80,
     "rows:\n  a       b  c\n  x       1\n  longer     1, 2\n"},
    /* columns where nothing stands are left out */
    {"{\"rows\":[{\"a\":\"x\",\"b\":null,\"c\":[]},{\"a\":\"y\",\"b\":\"\",\"d\":1}]}", 80,
     "rows:\n  a  d\n  x\n  y  1\n"},
    {"{\"at\":\"2026-02-03T04:05:06.789Z\",\"not\":\"2026-02-33T04:05:06.789Z\"}", 80,
     "at:  2026-02-03 04:05:06\nnot: 2026-02-33T04:05:06.789Z\n"},
    {"{\"text\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\\n14\\n\"}", 80,
     "text:\n  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  10\n  11\n  12\n  … 2 more lines: --json has them\n"},
    /* wide characters take two columns */
    {"{\"rows\":[{\"a\":\"日本\",\"b\":1},{\"a\":\"é\",\"b\":2}]}", 80, "rows:\n  a     b\n  日本  1\n  é     2\n"},
    /* the widest column is cut */
    {"{\"rows\":[{\"id\":\"P0101\",\"text\":\"this is far too long for the terminal\",\"n\":1}]}", 24,
     "rows:\n  id     text          n\n  P0101  this is far…  1\n"},
    /* … unless it is an id or a time: a part of one says nothing */
    {"{\"rows\":[{\"message_id\":\"0123456789abcdef0123\",\"text\":\"this is far too long for the "
     "terminal\",\"at\":\"2026-02-03T04:05:06.789Z\"}]}",
     60,
     "rows:\n  message_id            text             at\n  0123456789abcdef0123  this is far to…  2026-02-03 "
     "04:05:06\n"},
    /* … but of two the second goes on below */
    {"{\"rows\":[{\"id\":\"P0101\",\"text\":\"this is far too long for the terminal\"}]}", 24,
     "rows:\n  id     text\n  P0101  this is far too\n         long for the\n         terminal\n"},
    /* … and what would be unreadably narrow is left out */
    {"{\"rows\":[{\"first\":\"aaaaaaaaaaaaaaaa\",\"second\":\"bbbbbbbbbbbbbbbb\",\"third\":\"c\"}]}", 32,
     "rows:\n  first         second         …\n  aaaaaaaaaaa…  bbbbbbbbbbbb…\n"},
    /* without a terminal nothing is cut */
    {"{\"rows\":[{\"first\":\"" LONG "\",\"second\":\"" LONG "\",\"third\":\"c\"},{\"first\":\"a\"}]}", 0,
     "rows:\n  first" BLANKS "     second" BLANKS "    third\n  " LONG "  " LONG "  c\n  a\n"},
    {"{\"text\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\"}", 0,
     "text:\n  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  10\n  11\n  12\n  13\n"},
    /* no reply can steer a terminal */
    {"{\"a\":\"x\\u001b[31my\"}", 80, "a: x?[31my\n"},
    {"{\"rows\":[{\"a\":\"x\\ny\\u001b\"}]}", 80, "rows:\n  a\n  x y?\n"},
    {"[1]", 80, "[\n  1\n]\n"},
};

static void test_members_below(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_json reply, schema;
    cv_err err = {.arena = &a};
    cv_buf out = {0};
    cv_str text =
        CV_STR("{\"rows\":[{\"id\":\"a\",\"part\":\"one ⟦two⟧ \\u001bthree⟦\",\"n\":1},{\"id\":\"b\",\"part\":\"\","
               "\"more\":[{\"k\":1}]}]}");
    cv_str kinds = CV_STR("{\"properties\":{\"rows\":{\"items\":{\"properties\":{\"part\":{\"x-below\":true},"
                          "\"more\":{\"x-below\":true}}}}}}");
    assert_ok(cv_json_parse(&a, text, &reply, &err) && cv_json_parse(&a, kinds, &schema, &err), &err);
    cv_cli_print_reply(&out, &a, &reply, &schema, false, 80);
    assert_str_eq(cv_buf_str(&out), "rows:\n  id  n\n  a   1\n      one ⟦two⟧ ?three⟦\n  b\n      more:\n        k\n"
                                    "        1\n");
    cv_buf_clear(&out);
    cv_cli_print_reply(&out, &a, &reply, &schema, true, 80);
    assert_str_has(cv_buf_str(&out), "      one \033[1mtwo\033[0m ?three⟦\n");
    cv_buf_release(&out);
    cv_arena_release(&a);
}

static void test_replies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_json reply;
        cv_err err = {.arena = &a};
        cv_buf out = {0};
        assert_ok(cv_json_parse(&a, cv_str_of(cases[i].reply), &reply, &err), &err);
        cv_cli_print_reply(&out, &a, &reply, NULL, false, cases[i].width);
        assert_str_eq(cv_buf_str(&out), cases[i].text);
        cv_buf_release(&out);
        cv_arena_release(&a);
    }
}

/* A cell that is longer than anything is whole in a pipe, without making the other rows as long. */
static void test_long_cells(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_json reply;
    cv_err err = {.arena = &a};
    cv_buf out = {0}, text = {0}, cell = {0};
    for (int i = 0; i < 5000; i++)
        cv_buf_add_z(&cell, "é");
    cv_str all = cv_buf_str(&cell);
    cv_buf_printf(&text, "{\"rows\":[{\"a\":\"%.*s\",\"b\":[\"%.*s\",1]},{\"a\":\"x\",\"b\":2}]}", CV_FMT(all),
                  CV_FMT(all));
    assert_ok(cv_json_parse(&a, cv_buf_str(&text), &reply, &err), &err);
    cv_cli_print_reply(&out, &a, &reply, NULL, false, 0);
    cv_buf_clear(&text);
    cv_buf_printf(&text, "rows:\n  a%81sb\n  %.*s  %.*s, 1\n  x%81s2\n", "", CV_FMT(all), CV_FMT(all), "");
    assert_true(cv_str_eq(cv_buf_str(&out), cv_buf_str(&text)));
    cv_buf_clear(&out);
    cv_buf_clear(&text);
    cv_buf_printf(&text, "{\"list\":[\"%.*s\"]}", CV_FMT(all));
    assert_ok(cv_json_parse(&a, cv_buf_str(&text), &reply, &err), &err);
    cv_cli_print_reply(&out, &a, &reply, NULL, false, 80);
    assert_str_has(cv_buf_str(&out), "é…\n");
    cv_buf_release(&out);
    cv_buf_release(&text);
    cv_buf_release(&cell);
    cv_arena_release(&a);
}

/* Also in an object within the reply; text of several lines stays in lines. */
static void test_long_members_below(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_json reply, schema;
    cv_err err = {.arena = &a};
    cv_buf out = {0};
    cv_str text = CV_STR("{\"in\":{\"rows\":[{\"id\":\"a\",\"why\":\"a text that is longer than the line\"},"
                         "{\"id\":\"b\",\"why\":\"one\\ntwo\"}]}}");
    cv_str kinds = CV_STR("{\"properties\":{\"in\":{\"properties\":{\"rows\":{\"items\":{\"properties\":"
                          "{\"why\":{\"x-below\":true}}}}}}}}");
    assert_ok(cv_json_parse(&a, text, &reply, &err), &err);
    assert_ok(cv_json_parse(&a, kinds, &schema, &err), &err);
    cv_cli_print_reply(&out, &a, &reply, &schema, false, 30);
    assert_str_eq(cv_buf_str(&out),
                  "in:\n  rows:\n    id\n    a\n        a text that is longer\n        than the line\n"
                  "    b\n        one\n        two\n");
    cv_buf_clear(&out);
    cv_cli_print_reply(&out, &a, &reply, &schema, false, 0);
    assert_str_has(cv_buf_str(&out), "        a text that is longer than the line\n");
    cv_buf_release(&out);
    cv_arena_release(&a);
}

static void test_colours(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_json reply;
    cv_err err = {.arena = &a};
    cv_buf out = {0};
    assert_ok(cv_json_parse(&a, CV_STR("{\"status\":\"resolved\",\"other\":\"resolved\"}"), &reply, &err), &err);
    cv_cli_print_reply(&out, &a, &reply, NULL, true, 80);
    assert_str_has(cv_buf_str(&out), "\033[32mresolved\033[0m\n");
    assert_str_has(cv_buf_str(&out), ":  resolved\n");
    cv_buf_release(&out);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_replies), cmocka_unit_test(test_members_below),
                                       cmocka_unit_test(test_long_members_below), cmocka_unit_test(test_long_cells),
                                       cmocka_unit_test(test_colours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
