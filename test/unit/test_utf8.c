/* test_utf8.c - UTF-8 against a second decoder that is written from the table in the Unicode standard. */
#include "testing.h"

#include "base/utf8.h"

/* Well-formed byte sequences, table 3-7: first byte, second byte; all further ones are 80 - BF. */
static const struct {
    unsigned char first_low, first_high, second_low, second_high;
    size_t length;
} well_formed[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static size_t reference_length(const unsigned char *p, size_t n)
{
    for (size_t row = 0; row < sizeof well_formed / sizeof well_formed[0]; row++) {
        if (p[0] < well_formed[row].first_low || p[0] > well_formed[row].first_high)
            continue;
        size_t length = well_formed[row].length;
        if (length > n)
            return 0;
        if (length > 1 && (p[1] < well_formed[row].second_low || p[1] > well_formed[row].second_high))
            return 0;
        for (size_t i = 2; i < length; i++)
            if (p[i] < 0x80 || p[i] > 0xbf)
                return 0;
        return length;
    }
    return 0;
}

static size_t reference_valid(cv_str s)
{
    size_t i = 0;
    for (size_t length; i < s.n; i += length) {
        length = reference_length((const unsigned char *)s.p + i, s.n - i);
        if (length == 0)
            break;
    }
    return i;
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code >= 0xd800 && code <= 0xdfff)
            continue;
        char bytes[4];
        uint32_t back = 0;
        cv_str s = {bytes, cv_utf8_put(code, bytes)};
        assert_int_equal(s.n, code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
        assert_int_equal(reference_length((const unsigned char *)bytes, s.n), s.n);
        assert_int_equal(cv_utf8_valid(s), s.n);
        assert_int_equal(cv_utf8_count(s), 1);
        assert_true(cv_utf8_next(&s, &back));
        assert_int_equal(back, code);
        assert_int_equal(s.n, 0);
        assert_false(cv_utf8_next(&s, &back));
    }
}

/* All first and second bytes; the third and fourth at the edges of what they may be. */
static void every_sequence_agrees_with_the_reference(void **state)
{
    (void)state;
    static const unsigned char edges[] = {0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
    for (unsigned i = 0; i < 256 * 256; i++)
        for (unsigned k = 0; k < sizeof edges * sizeof edges; k++) {
            char bytes[4] = {(char)(i >> 8), (char)i, (char)edges[k / sizeof edges], (char)edges[k % sizeof edges]};
            for (size_t n = 1; n <= 4; n++) {
                cv_str s = {bytes, n};
                if (cv_utf8_valid(s) != reference_valid(s))
                    fail_msg("%02x %04x, %zu bytes", i, k, n);
            }
        }
}

typedef struct {
    const char *what;
    cv_str bytes;
    size_t valid;
} invalid_case;

static void every_invalid_class_is_refused(void **state)
{
    (void)state;
    static const invalid_case cases[] = {
        {"a continuation alone", CV_STR_INIT("ab\x80"), 2},
        {"overlong slash, 2 bytes", CV_STR_INIT("\xc0\xaf"), 0},
        {"overlong, C1", CV_STR_INIT("\xc1\xbf"), 0},
        {"overlong, 3 bytes", CV_STR_INIT("\xe0\x9f\xbf"), 0},
        {"overlong, 4 bytes", CV_STR_INIT("\xf0\x8f\xbf\xbf"), 0},
        {"first surrogate", CV_STR_INIT("x\xed\xa0\x80"), 1},
        {"last surrogate", CV_STR_INIT("\xed\xbf\xbf"), 0},
        {"a surrogate pair", CV_STR_INIT("\xed\xa0\xbd\xed\xb8\x80"), 0},
        {"U+110000", CV_STR_INIT("\xf4\x90\x80\x80"), 0},
        {"F5", CV_STR_INIT("\xf5\x80\x80\x80"), 0},
        {"5 bytes", CV_STR_INIT("\xf8\x88\x80\x80\x80"), 0},
        {"6 bytes", CV_STR_INIT("\xfc\x84\x80\x80\x80\x80"), 0},
        {"FE", CV_STR_INIT("\xfe"), 0},
        {"FF", CV_STR_INIT("\xff"), 0},
        {"cut after 1 of 2", CV_STR_INIT("\xc3"), 0},
        {"cut after 2 of 3", CV_STR_INIT("a\xe2\x82"), 1},
        {"cut after 3 of 4", CV_STR_INIT("\xf0\x9f\x98"), 0},
        {"broken by ASCII", CV_STR_INIT("\xe2\x82z"), 0},
        {"Latin-1",
         CV_STR_INIT("Gr\xfc\xdf"
                     "e"),
         2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t pad = 0; pad < 70; pad++) { /* at every place of a word, before and behind the long stride */
            char text[120];
            memset(text, 'x', sizeof text);
            memcpy(text + pad, cases[i].bytes.p, cases[i].bytes.n);
            cv_str s = {text, pad + cases[i].bytes.n};
            if (cv_utf8_valid(s) != pad + cases[i].valid)
                fail_msg("%s after %zu bytes", cases[i].what, pad);
            s.n += 40;
            if (cv_utf8_valid(s) != pad + cases[i].valid)
                fail_msg("%s after %zu bytes, in the middle", cases[i].what, pad);
        }
}

/* Text of all sorts with a few bytes spoiled, so that the valid part has every length. */
static size_t random_text(cv_test_random *r, char *to, size_t n)
{
    static const uint32_t tops[] = {0x80, 0x80, 0x80, 0x800, 0xd800, 0x110000};
    size_t at = 0, kind = cv_test_below(r, 6);
    while (at + 4 <= n) {
        uint32_t code = (uint32_t)cv_test_below(r, tops[cv_test_below(r, kind + 1)]);
        at += cv_utf8_put(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code, to + at);
    }
    if (cv_test_below(r, 2))
        to[cv_test_below(r, at)] = (char)cv_test_next(r);
    return at;
}

static void random_text_agrees_with_the_reference(void **state)
{
    (void)state;
    cv_test_random r = {31};
    for (int round = 0; round < (cv_test_soak() ? 5000000 : 50000); round++) {
        char text[200];
        cv_str s = {text, random_text(&r, text, 8 + cv_test_below(&r, sizeof text - 8))};
        size_t valid = cv_utf8_valid(s);
        assert_int_equal(valid, reference_valid(s));
        cv_str good = cv_str_head(s, valid), rest = good;
        size_t count = 0;
        for (uint32_t code; cv_utf8_next(&rest, &code); count++)
            assert_true(code <= 0x10ffff);
        assert_int_equal(cv_utf8_count(good), count);
    }
}

static void random_bytes_agree_with_the_reference(void **state)
{
    (void)state;
    cv_test_random r = {32};
    for (int round = 0; round < (cv_test_soak() ? 5000000 : 50000); round++) {
        char text[40];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (char)(cv_test_next(&r) >> 13);
        cv_str s = {text, cv_test_below(&r, sizeof text + 1)};
        assert_int_equal(cv_utf8_valid(s), reference_valid(s));
        uint32_t code;
        size_t steps = 0;
        for (cv_str rest = s; cv_utf8_next(&rest, &code); steps++) /* not valid, but never out of bounds */
            assert_true(steps < s.n);
    }
}

static void nothing_is_valid_and_has_no_width(void **state)
{
    (void)state;
    cv_str none = {NULL, 0};
    uint32_t code;
    assert_int_equal(cv_utf8_valid(none), 0);
    assert_int_equal(cv_utf8_count(none), 0);
    assert_int_equal(cv_utf8_width(none), 0);
    assert_false(cv_utf8_next(&none, &code));
}

/* Every length of a text with characters of one to four bytes: as much as fits, never a part of a character. */
static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    cv_arena a = {0};
    const cv_str text = CV_STR("a\xc3\xa4\xe4\xba\xba\xf0\x9f\xa7\x81z"); /* a, a with diaeresis, person, cupcake, z */
    static const size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t most = 0; most < CV_COUNT(kept); most++) {
        assert_int_equal(cv_utf8_head(text, most).n, kept[most]);
        cv_str shown = cv_utf8_excerpt(&a, text, most);
        assert_view_eq(cv_str_head(shown, kept[most]), cv_str_head(text, kept[most]));
        assert_view_eq(cv_str_from(shown, kept[most]), kept[most] < text.n ? CV_STR("…") : CV_STR(""));
    }
    assert_int_equal(cv_utf8_head((cv_str){NULL, 0}, 5).n, 0);
    assert_int_equal(cv_utf8_limit((cv_str){NULL, 0}, 5).n, 0);
    assert_int_equal(cv_utf8_limit(CV_STR("aü€😀b"), 0).n, 0);
    assert_int_equal(cv_utf8_limit(CV_STR("aü€😀b"), 2).n, 3);
    assert_int_equal(cv_utf8_limit(CV_STR("aü€😀b"), 4).n, 10);
    assert_int_equal(cv_utf8_limit(CV_STR("aü€😀b"), 5).n, 11);
    assert_int_equal(cv_utf8_head(CV_STR("\x80\x80\x80"), 2).n, 0); /* not valid, but never out of bounds */
    cv_arena_release(&a);
}

static void places_are_counted_in_characters(void **state)
{
    (void)state;
    size_t line = 3, column = 7;
    cv_utf8_advance(CV_STR("\xc3\xa4\xf0\x9f\xa7\x81"), &line, &column);
    assert_int_equal(line, 3);
    assert_int_equal(column, 9);
    cv_utf8_advance(CV_STR("x\n\ny\xc3\xa4"), &line, &column);
    assert_int_equal(line, 5);
    assert_int_equal(column, 3);
}

static void width_is_what_a_terminal_shows(void **state)
{
    (void)state;
    assert_int_equal(cv_utf8_width(CV_STR("Muffin")), 6);
    assert_int_equal(cv_utf8_width(CV_STR("a\tb\x7f\n")), 2);
    assert_int_equal(cv_utf8_width(CV_STR("\xc3\xa4")), 1);                 /* a with diaeresis */
    assert_int_equal(cv_utf8_width(CV_STR("a\xcc\x88")), 1);                /* the same, combined */
    assert_int_equal(cv_utf8_width(CV_STR("\xe4\xba\xba\xe5\x8f\xa3")), 4); /* two ideographs */
    assert_int_equal(cv_utf8_width(CV_STR("\xf0\x9f\xa7\x81")), 2);         /* cupcake */
    assert_int_equal(cv_utf8_width(CV_STR("\xe2\x80\x8d")), 0);             /* joiner */
    assert_int_equal(cv_utf8_width(CV_STR("\xc2\x85")), 0);                 /* control, second block */
}

static void emoji_are_known(void **state)
{
    (void)state;
    const uint32_t emoji[] = {0x1f9c1, 0x2696, 0x2705, 0x274c, 0x26a0, 0xfe0f, 0x200d, 0x1f3fb, 0x1f1e9,
                              0x2b50,  0x23f3, 0x25b6, 0x2139, 0x20e3, 0x2600, 0x27bf, 0x1faff};
    const uint32_t others[] = {0,      'a',    '#',    '*',     '9',     0xa9,    0xe4,    0x2013, 0x2014,
                               0x2026, 0x2022, 0x2192, 0x2265,  0x2500,  0x25cf,  0x27c0,  0x3042, 0x4eba,
                               0xfeff, 0xfe0d, 0xfffd, 0x1efff, 0x1fb00, 0x20000, 0x10ffff};
    for (size_t i = 0; i < sizeof emoji / sizeof emoji[0]; i++)
        if (!cv_utf8_is_emoji(emoji[i]))
            fail_msg("U+%04X is an emoji", emoji[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (cv_utf8_is_emoji(others[i]))
            fail_msg("U+%04X is no emoji", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(every_sequence_agrees_with_the_reference),
        cmocka_unit_test(every_invalid_class_is_refused),
        cmocka_unit_test(random_text_agrees_with_the_reference),
        cmocka_unit_test(random_bytes_agree_with_the_reference),
        cmocka_unit_test(nothing_is_valid_and_has_no_width),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(places_are_counted_in_characters),
        cmocka_unit_test(width_is_what_a_terminal_shows),
        cmocka_unit_test(emoji_are_known),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
