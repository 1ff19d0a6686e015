/* test_layout.c - marked text as lines: paragraphs, tables, widths, paint; nothing is cut, whatever the width. */
#include "testing.h"

#include "base/plain.h"
#include "base/utf8.h"
#include "door/layout.h"

#define C "\x1f" /* a cell */
#define B "\v"   /* a break */

static cv_str laid_out(cv_arena *a, cv_str text, size_t width, bool colour)
{
    cv_buf out = {0};
    cv_layout_print(&out, a, text, width, colour);
    return cv_buf_take(&out, a);
}

static const struct {
    size_t width;
    const char *text, *lines;
} cases[] = {
    {40, "\n\n# Title\n\n\n  text\n\n", "Title\n\n  text\n"},
    {20, "  one two three four five six", "  one two three four\n  five six\n"},
    {20, "- one two three four five six", "- one two three four\n  five six\n"},
    {20, "12. one two three four five", "12. one two three\n    four five\n"},
    /* a word stays whole, and so does a command */
    {20, "at /a/path/that/is/longer/than/a/line is", "at\n/a/path/that/is/longer/than/a/line\nis\n"},
    {20, "  conclave room verb --option value", "  conclave room verb --option value\n"},
    {20, "Next: conclave room verb --option", "Next: conclave room verb --option\n"},
    {20, "Next: ask the panel, and wait", "Next: ask the panel,\nand wait\n"},
    /* line breaks of a text, and how far in it begins them */
    {40, "  one" B "  two" B B "three", "  one\n    two\n\n  three\n"},
    /* columns */
    {40, "# id" C "label" C "n\na" C "first" C "1\nbcd" C "" C "12",
     "id   label   n\na    first   1\nbcd         12\n"},
    {40, "a" C "" C "c\nd" C "" C "f", "a  c\nd  f\n"},
    {24, "T1" C "open" C "one two three four five", "T1  open  one two three\n          four five\n"},
    {40, "日本" C "1\né" C "2", "日本  1\né     2\n"},
    {40, "a" C "one" B "two\nb" C "three", "a  one\n   two\nb  three\n"},
    /* too wide for columns: a list */
    {20, "# id" C "path\nfirst" C "/a/long/path/of/a/file", "first\n  path:\n  /a/long/path/of/a/file\n"},
    /* no text steers the terminal */
    {40, "a\x1b[31mb\x7f", "a?[31mb?\n"},
    {40, "", ""},
};

static void test_cases(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_str_eq(laid_out(&a, cv_str_of(cases[i].text), cases[i].width, false), cases[i].lines);
    cv_arena_release(&a);
}

static void test_paint(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_str text = CV_STR("# Head\n" CV_PAINT_BOLD "T1" CV_PAINT_END C CV_PAINT_STATUS "resolved" CV_PAINT_END
                         ", so\n" CV_PAINT_COLOUR "00CC88" CV_PAINT_END " " CV_PAINT_DIM "x y" CV_PAINT_END);
    assert_str_eq(laid_out(&a, text, 40, true), "\033[1mHead\033[0m\n"
                                                "\033[1mT1\033[0m  \033[32mresolved\033[0m, so\n"
                                                "\033[38;2;0;204;136m00CC88\033[0m \033[2mx y\033[0m\n");
    assert_str_eq(laid_out(&a, text, 40, false), "Head\nT1  resolved, so\n00CC88 x y\n");
    /* text that is in lines already */
    cv_str page = CV_STR("is " CV_PAINT_STATUS "open" CV_PAINT_END " now\n" CV_PAINT_BOLD "b");
    assert_str_eq(cv_layout_painted(&a, page), "is \033[33mopen\033[0m now\n\033[1mb\033[0m");
    assert_str_eq(cv_layout_painted(&a, CV_STR("a\x1b[2Jb\tc\n")), "a?[2Jb\tc\n");
    assert_null(cv_layout_status(&a, CV_STR("sideways")));
    assert_null(cv_layout_colour(&a, CV_STR("00CC8")));
    cv_arena_release(&a);
}

static void test_wrapped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } texts[] = {
        {"short\n\nlines\n", "short\n\nlines\n"},
        {"one two three four five six", "one two three four\n  five six\n"},
        {"  one two three four five", "  one two three four\n    five\n"},
        {"✓ disk  one two three four", "✓ disk  one two\n        three four\n"}, /* below the last column */
        {"  日本語の文です。日本語の文です", "  日本語の文です。日\n    本語の文です\n"},
        {"one two three  four five six", "one two three  four\n  five six\n"},
        {"  conclave verb --option value", "  conclave verb --option value\n"},
        {"next:   conclave verb --option", "next:   conclave verb --option\n"},
        {CV_PAINT_BOLD "one two three four" CV_PAINT_END " five",
         CV_PAINT_BOLD "one two three four" CV_PAINT_END "\n  five\n"},
    };
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        assert_str_eq(cv_layout_wrapped(&a, cv_str_of(texts[i].text), 20), texts[i].lines);
    cv_arena_release(&a);
}

/* ---- generated text ---------------------------------------------------------------------------------------------- */

/* A word that no other one of the text is equal to, so that it can be found again. */
static void add_word(cv_test_random *r, cv_buf *out, size_t number)
{
    static const char *const tails[] = {"", "x", "日本語", "é", "-long-word-of-some-length", "/p/a/t/h", "1", "…"};
    cv_buf_printf(out, "w%zu%s", number, tails[cv_test_below(r, CV_COUNT(tails))]);
}

static cv_str generated(cv_test_random *r, cv_arena *a, cv_str **ret_words, size_t *ret_count)
{
    static const char *const betweens[] = {" ",  " ",    " ",    " ",    "  ",   B,       B "  ",     C,  C " ",
                                           "\n", "\n\n", "\n  ", "\n# ", "\n- ", "\n3. ", "\n      ", C C};
    static const char *const paints[] = {CV_PAINT_BOLD, CV_PAINT_DIM, CV_PAINT_STATUS, CV_PAINT_COLOUR, CV_PAINT_END};
    cv_texts words = {0};
    cv_buf out = {0};
    bool in_head = false; /* a list names no columns that are empty */
    for (size_t i = 0, n = cv_test_below(r, 60); i < n; i++) {
        if (cv_test_below(r, 4) == 0)
            cv_buf_add_z(&out, paints[cv_test_below(r, CV_COUNT(paints))]);
        size_t begin = out.n;
        add_word(r, &out, i);
        cv_str word = cv_arena_copy(a, cv_str_from(cv_buf_str(&out), begin));
        for (size_t from = 0, end; !in_head && from < word.n; from = end) { /* what stays together */
            for (end = from + 1; end < word.n && !cv_plain_may_break(word, end);)
                end++;
            *CV_PUSH(a, &words) = cv_str_from(cv_str_head(word, end), from);
        }
        if (cv_test_below(r, 4) == 0)
            cv_buf_add_z(&out, CV_PAINT_END);
        const char *between = betweens[cv_test_below(r, CV_COUNT(betweens))];
        cv_buf_add_z(&out, between);
        in_head = strchr(between, '#') || (in_head && between[0] != '\n');
    }
    *ret_words = words.items;
    *ret_count = words.count;
    return cv_buf_take(&out, a);
}

static cv_str without_colours(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\033')
            while (text.p[i] != 'm')
                i++;
        else
            cv_buf_add_char(&out, text.p[i]);
    return cv_buf_take(&out, a);
}

/* Is each line as narrow as it was asked for, unless one word is wider? */
static void check_lines(cv_str page, size_t width, cv_str text)
{
    cv_str line;
    while (page.n > 0 && cv_str_split(&page, '\n', &line)) {
        bool many = cv_str_find_char(cv_str_trim(line), ' ') != SIZE_MAX;
        bool ends_well = line.n == 0 || line.p[line.n - 1] != ' ';
        if ((cv_plain_width(line) > width && many) || !ends_well) {
            print_error("width %zu: \"%.*s\"\nof: %.*s\n", width, CV_FMT(line), CV_FMT(text));
            fail();
        }
        for (size_t i = 0; i < line.n; i++)
            assert_true((unsigned char)line.p[i] >= ' ');
    }
}

static void test_nothing_is_cut(void **state)
{
    (void)state;
    cv_test_random r = {cv_test_seed()};
    cv_arena a = {0};
    for (size_t i = 0, n = cv_test_soak() ? 200000 : 3000; i < n; i++) {
        size_t count, width = 36 + cv_test_below(&r, 90);
        cv_str *words, text = generated(&r, &a, &words, &count);
        cv_str page = laid_out(&a, text, width, false);
        for (size_t k = 0; k < count; k++)
            if (cv_str_find(page, words[k]) == SIZE_MAX) {
                print_error("\"%.*s\" is not in it, width %zu:\n%.*s\nof: %.*s\n", CV_FMT(words[k]), width,
                            CV_FMT(page), CV_FMT(text));
                fail();
            }
        check_lines(page, width, text);
        assert_view_eq(without_colours(&a, laid_out(&a, text, width, true)), page);
        cv_arena_reset(&a);
    }
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_paint),
        cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_nothing_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
