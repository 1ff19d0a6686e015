/* test_base.c - views, arena, buffer, errors and log lines. */
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "base/buf.h"
#include "base/log.h"

/* ---- views ----------------------------------------------------------------------------------- */

static void views_are_cut_inside_their_bounds(void **state)
{
    (void)state;
    cv_str s = CV_STR("abcdef");
    assert_str_eq(cv_str_from(s, 2), "cdef");
    assert_str_eq(cv_str_from(s, 6), "");
    assert_str_eq(cv_str_from(s, SIZE_MAX), "");
    assert_ptr_equal(cv_str_from(s, 99).p, s.p + 6);
    assert_str_eq(cv_str_head(s, 2), "ab");
    assert_str_eq(cv_str_head(s, 99), "abcdef");
    assert_str_eq(cv_str_range(s.p + 1, s.p + 3), "bc");
    cv_str none = {NULL, 0};
    assert_null(cv_str_end(none));
    assert_str_eq(cv_str_from(none, 3), "");
    assert_true(cv_str_eq(none, CV_STR("")));
    assert_int_equal(cv_str_of(NULL).n, 0);
}

static void views_compare(void **state)
{
    (void)state;
    assert_true(cv_str_eq(CV_STR("a\0b"), CV_STR("a\0b")));
    assert_false(cv_str_eq(CV_STR("a\0b"), CV_STR("a\0c")));
    assert_false(cv_str_eq(CV_STR("ab"), CV_STR("abc")));
    assert_true(cv_str_starts(CV_STR("abc"), CV_STR("ab")));
    assert_true(cv_str_starts(CV_STR("abc"), CV_STR("")));
    assert_false(cv_str_starts(CV_STR("a"), CV_STR("ab")));
    assert_true(cv_str_ends(CV_STR("abc"), CV_STR("bc")));
    assert_true(cv_str_ends(CV_STR("abc"), CV_STR("")));
    assert_false(cv_str_ends(CV_STR("c"), CV_STR("bc")));
    assert_true(cv_str_eq_nocase(CV_STR("MuFFin"), CV_STR("mUffIN")));
    assert_false(cv_str_eq_nocase(CV_STR("muffin"), CV_STR("muffins")));
    assert_true(cv_str_starts_nocase(CV_STR("Muffin"), CV_STR("mUF")));
    assert_false(cv_str_eq_nocase(CV_STR("\xc3\x84"), CV_STR("\xc3\xa4"))); /* only ASCII has case here */
    assert_false(cv_str_eq_nocase(CV_STR("[@"), CV_STR("{`")));
}

static void trimming_takes_white_space_only(void **state)
{
    (void)state;
    assert_str_eq(cv_str_trim(CV_STR(" \t\r\n\v\fa b \n")), "a b");
    assert_str_eq(cv_str_trim(CV_STR(" \n ")), "");
    assert_str_eq(cv_str_trim(CV_STR("")), "");
    assert_str_eq(cv_str_trim_left(CV_STR("  a ")), "a ");
    assert_str_eq(cv_str_trim_right(CV_STR(" a  ")), " a");
    assert_str_eq(cv_str_trim(CV_STR("\xc2\xa0")), "\xc2\xa0");
}

static void characters_have_classes(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        bool upper = i >= 'A' && i <= 'Z', lower = i >= 'a' && i <= 'z', digit = i >= '0' && i <= '9';
        assert_int_equal(cv_is_upper(c), upper);
        assert_int_equal(cv_is_lower(c), lower);
        assert_int_equal(cv_is_digit(c), digit);
        assert_int_equal(cv_is_alpha(c), upper || lower);
        assert_int_equal(cv_is_alnum(c), upper || lower || digit);
        assert_int_equal(cv_is_space(c), i == ' ' || (i >= 9 && i <= 13));
        assert_int_equal(cv_is_blank(c), i == ' ' || (i >= 9 && i <= 13 && i != 10));
        assert_int_equal((unsigned char)cv_lower(c), upper ? i + 32 : i);
        assert_int_equal((unsigned char)cv_upper(c), lower ? i - 32 : i);
    }
}

static size_t slow_find(cv_str s, cv_str needle)
{
    for (size_t i = 0; i + needle.n <= s.n; i++)
        if (cv_str_starts(cv_str_from(s, i), needle))
            return i;
    return SIZE_MAX;
}

static void finding_agrees_with_the_slow_way(void **state)
{
    (void)state;
    assert_int_equal(cv_str_find(CV_STR("aab"), CV_STR("ab")), 1);
    assert_int_equal(cv_str_find(CV_STR("aa"), CV_STR("aaa")), SIZE_MAX);
    assert_int_equal(cv_str_find(CV_STR(""), CV_STR("")), 0);
    assert_int_equal(cv_str_find((cv_str){NULL, 0}, CV_STR("a")), SIZE_MAX);
    assert_int_equal(cv_str_find_nocase(CV_STR("Score Bonus"), CV_STR("bONUS")), 6);
    assert_int_equal(cv_str_find_nocase(CV_STR("bon"), CV_STR("bonus")), SIZE_MAX);
    assert_int_equal(cv_str_find_nocase((cv_str){NULL, 0}, CV_STR("a")), SIZE_MAX);
    assert_int_equal(cv_str_find_char((cv_str){NULL, 0}, 'a'), SIZE_MAX);
    assert_int_equal(cv_str_find_char(CV_STR("abca"), 'c'), 2);
    cv_test_random r = {1};
    for (int round = 0; round < 20000; round++) {
        char hay[24], pin[5];
        for (size_t i = 0; i < sizeof hay; i++)
            hay[i] = "ab"[cv_test_below(&r, 2)];
        for (size_t i = 0; i < sizeof pin; i++)
            pin[i] = "ab"[cv_test_below(&r, 2)];
        cv_str s = {hay, cv_test_below(&r, sizeof hay + 1)}, needle = {pin, cv_test_below(&r, sizeof pin + 1)};
        assert_int_equal(cv_str_find(s, needle), slow_find(s, needle));
    }
}

static void splitting_keeps_empty_pieces(void **state)
{
    (void)state;
    cv_str rest = CV_STR(",a,,b,"), piece;
    const char *expected[] = {"", "a", "", "b", ""};
    for (size_t i = 0; i < 5; i++) {
        assert_true(cv_str_split(&rest, ',', &piece));
        assert_str_eq(piece, expected[i]);
    }
    assert_false(cv_str_split(&rest, ',', &piece));
    rest = CV_STR("");
    assert_true(cv_str_split(&rest, ',', &piece));
    assert_str_eq(piece, "");
    assert_false(cv_str_split(&rest, ',', &piece));
}

static void numbers_become_digits(void **state)
{
    static const int64_t numbers[] = {0, 1, -1, 9, 10, -10, 99, 1234567890, INT64_MAX, INT64_MIN};
    char room[CV_INT_DIGITS], expected[32];
    (void)state;
    for (size_t i = 0; i < CV_COUNT(numbers); i++) {
        snprintf(expected, sizeof expected, "%lld", (long long)numbers[i]);
        assert_str_eq(cv_str_of_int(numbers[i], room), expected);
    }
}

static void integers_are_digits_only(void **state)
{
    (void)state;
    int value = -1;
    assert_true(cv_str_to_int(CV_STR("0"), &value));
    assert_int_equal(value, 0);
    assert_true(cv_str_to_int(CV_STR("007"), &value));
    assert_int_equal(value, 7);
    assert_true(cv_str_to_int(CV_STR("999999999"), &value));
    assert_int_equal(value, 999999999);
    const char *bad[] = {"", "1000000000", "-1", "+1", " 1", "1 ", "1a", "0x1", "1.0", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cv_str_to_int(cv_str_of(bad[i]), &value));
    assert_int_equal(value, 999999999); /* untouched by failures */
}

static void hashes_are_stable_and_spread(void **state)
{
    (void)state;
    assert_true(cv_str_hash(CV_STR("")) == cv_str_hash((cv_str){NULL, 0}));
    assert_true(cv_str_hash(CV_STR("P0101")) != cv_str_hash(CV_STR("P0102")));
    size_t used[256] = {0};
    for (int i = 0; i < 25600; i++) {
        char key[16];
        int n = snprintf(key, sizeof key, "P%04d", i);
        used[cv_str_hash((cv_str){key, (size_t)n}) & 255]++;
    }
    for (size_t i = 0; i < 256; i++)
        assert_in_range(used[i], 40, 200); /* 100 expected in each */
}

/* Optimal string alignment, straight from its definition. */
static size_t slow_distance(cv_str a, cv_str b)
{
    if (a.n == 0 || b.n == 0)
        return a.n + b.n;
    cv_str a1 = cv_str_head(a, a.n - 1), b1 = cv_str_head(b, b.n - 1);
    char x = cv_lower(a.p[a.n - 1]), y = cv_lower(b.p[b.n - 1]);
    size_t best = slow_distance(a1, b1) + (x != y);
    size_t gap = slow_distance(a1, b) + 1, hole = slow_distance(a, b1) + 1;
    best = gap < best ? gap : best;
    best = hole < best ? hole : best;
    if (a.n > 1 && b.n > 1 && x == cv_lower(b.p[b.n - 2]) && y == cv_lower(a.p[a.n - 2])) {
        size_t swap = slow_distance(cv_str_head(a, a.n - 2), cv_str_head(b, b.n - 2)) + 1;
        best = swap < best ? swap : best;
    }
    return best;
}

static void distance_agrees_with_its_definition(void **state)
{
    (void)state;
    assert_int_equal(cv_str_distance(CV_STR("tension"), CV_STR("Tesnion"), 3), 1);
    assert_int_equal(cv_str_distance(CV_STR("claim"), CV_STR("claims"), 3), 1);
    assert_int_equal(cv_str_distance(CV_STR(""), CV_STR("ab"), 3), 2);
    assert_int_equal(cv_str_distance(CV_STR("abc"), CV_STR("xyz"), 2), 3);
    cv_test_random r = {2};
    for (int round = 0; round < 3000; round++) {
        char x[5], y[5];
        for (size_t i = 0; i < sizeof x; i++) {
            x[i] = "abB"[cv_test_below(&r, 3)];
            y[i] = "abA"[cv_test_below(&r, 3)];
        }
        cv_str a = {x, cv_test_below(&r, sizeof x + 1)}, b = {y, cv_test_below(&r, sizeof y + 1)};
        size_t max = cv_test_below(&r, 7), d = slow_distance(a, b);
        assert_int_equal(cv_str_distance(a, b, max), d <= max ? d : max + 1);
    }
}

static void distance_has_a_ceiling(void **state)
{
    (void)state;
    char text[80];
    memset(text, 'x', sizeof text);
    assert_int_equal(cv_str_distance((cv_str){text, 64}, (cv_str){text, 64}, 2), 0);
    assert_int_equal(cv_str_distance((cv_str){text, 64}, (cv_str){text, 62}, 2), 2);
    assert_int_equal(cv_str_distance((cv_str){text, 65}, (cv_str){text, 65}, 2), 3);
}

static void nearest_is_near_or_nothing(void **state)
{
    (void)state;
    const cv_str words[] = {CV_STR_INIT("support"), CV_STR_INIT("oppose"), CV_STR_INIT("refine"),
                            CV_STR_INIT("resolve"), CV_STR_INIT("define")};
    size_t n = sizeof words / sizeof words[0];
    assert_str_eq(cv_str_nearest(CV_STR("suport"), words, n), "support");
    assert_str_eq(cv_str_nearest(CV_STR("OPPOSES"), words, n), "oppose");
    assert_str_eq(cv_str_nearest(CV_STR("define"), words, n), "define");
    assert_str_eq(cv_str_nearest(CV_STR("refines"), words, n), "refine");
    assert_null(cv_str_nearest(CV_STR("banana"), words, n).p);
    assert_null(cv_str_nearest(CV_STR("support"), words, 0).p);
}

/* ---- arena ----------------------------------------------------------------------------------- */

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_test_random r = {3};
    for (int i = 0; i < 2000; i++) {
        size_t n = cv_test_below(&r, 400);
        unsigned char *p = cv_arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(p[k], 0);
        if (n)
            memset(p, 0xff, n);
    }
    unsigned char *large = cv_arena_alloc(&a, 20 << 20);
    assert_int_equal(large[0] | large[(20 << 20) - 1], 0);
    assert_true(a.chunks < 20);
    assert_true(a.bytes >= (20 << 20));
    cv_arena_release(&a);
    assert_int_equal(a.bytes, 0);
    cv_arena_release(&a);
}

static void arena_gives_back_what_came_after_a_mark(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (int begun = 0; begun < 2; begun++) { /* from nothing, and behind something */
        cv_str kept = begun ? cv_arena_copy(&a, CV_STR("kept")) : CV_STR("kept");
        const cv_arena mark = a;
        for (size_t n = 1; n < 10 << 20; n *= 3) {
            memset(cv_arena_alloc(&a, n), 0xff, n);
            assert_true(a.bytes >= mark.bytes);
        }
        size_t chunks = a.chunks;
        cv_arena_rewind(&a, mark);
        assert_int_equal(a.bytes, mark.bytes);
        assert_int_equal(a.chunks, chunks);
        const unsigned char *p = cv_arena_alloc(&a, 1000);
        for (size_t i = 0; i < 1000; i++)
            assert_int_equal(p[i], 0);
        assert_str_eq(kept, "kept");
    }
    cv_arena_release(&a);
}

/* The sanitizer sees code that touches what was given back, or what is behind the end. */
static void arena_guards_what_is_not_taken(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    cv_arena a = {0};
    char *kept = cv_arena_alloc(&a, 13);
    assert_false(__asan_address_is_poisoned(kept + 12));
    assert_true(__asan_address_is_poisoned(kept + 13));
    const cv_arena mark = a;
    char *gone = cv_arena_alloc(&a, 100);
    assert_false(__asan_address_is_poisoned(gone));
    cv_arena_rewind(&a, mark);
    assert_true(__asan_address_is_poisoned(gone));
    assert_ptr_equal(cv_arena_alloc(&a, 50), gone);
    assert_false(__asan_address_is_poisoned(gone + 49));
    assert_true(__asan_address_is_poisoned(gone + 50));
    cv_arena_reset(&a);
    assert_true(__asan_address_is_poisoned(kept));
    cv_arena_release(&a);
#else
    cv_test_skip("only with AddressSanitizer");
#endif
}

static void arena_copies_and_joins(void **state)
{
    (void)state;
    cv_arena a = {0};
    assert_str_eq(cv_arena_copy(&a, CV_STR("abc")), "abc");
    assert_string_equal(cv_arena_copy_z(&a, cv_str_head(CV_STR("abc"), 2)), "ab");
    assert_string_equal(cv_arena_copy_z(&a, (cv_str){NULL, 0}), "");
    assert_str_eq(cv_arena_join(&a, CV_STR("ab"), CV_STR("cd")), "abcd");
    assert_str_eq(cv_arena_join(&a, (cv_str){NULL, 0}, (cv_str){NULL, 0}), "");
    assert_string_equal(cv_arena_join(&a, CV_STR("ab"), CV_STR("")).p, "ab");
    assert_str_eq(cv_arena_printf(&a, "%s-%d", "x", 7), "x-7");
    assert_str_eq(cv_arena_printf(&a, "%s", ""), "");
    cv_arena_release(&a);
}

static void arena_lists_grow(void **state)
{
    (void)state;
    cv_arena a = {0};
    struct {
        int *items;
        size_t count, capacity;
    } list = {0};
    for (int i = 0; i < 10000; i++)
        *CV_PUSH(&a, &list) = i;
    assert_int_equal(list.count, 10000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(list.items[i], i);
    cv_arena_release(&a);
}

/* Lists that grow in turn, blocks between them, and copies of a list: nobody writes into what another one has. */
static void arena_lists_grow_beside_each_other(void **state)
{
    typedef struct {
        uint32_t *items;
        size_t count, capacity;
    } list;
    enum { LISTS = 4, STEPS = 30000 };
    cv_arena a = {0};
    cv_test_random random = {cv_test_seed()};
    list lists[LISTS] = {0}, copy = {0};
    (void)state;
    for (uint32_t i = 0; i < STEPS; i++) {
        size_t at = cv_test_below(&random, LISTS);
        if (cv_test_below(&random, 50) == 0)
            cv_arena_alloc(&a, cv_test_below(&random, 100));
        if (i == STEPS / 3)
            copy = lists[0];
        if (i > STEPS / 3 && cv_test_below(&random, 3) == 0)
            *CV_PUSH(&a, &copy) = 7;
        list *l = &lists[at];
        uint32_t value = (uint32_t)(at * STEPS + l->count);
        *CV_PUSH(&a, l) = value;
        if (i == STEPS / 3) /* the copy and the list part here */
            copy.items = cv_arena_dup(&a, copy.items, copy.capacity * sizeof *copy.items);
    }
    for (size_t at = 0; at < LISTS; at++)
        for (size_t i = 0; i < lists[at].count; i++)
            assert_int_equal(lists[at].items[i], at * STEPS + i);
    list alone = {0};
    cv_arena one = {0};
    *CV_PUSH(&one, &alone) = 1;
    const uint32_t *first = alone.items;
    for (uint32_t i = 0; i < 1000; i++)
        *CV_PUSH(&one, &alone) = i;
    assert_ptr_equal(alone.items, first); /* it came last, and there was room */
    cv_arena_release(&one);
    cv_arena_release(&a);
}

/* ---- buffer ---------------------------------------------------------------------------------- */

static void buffer_grows(void **state)
{
    (void)state;
    cv_buf b = {0};
    cv_buf_add(&b, (cv_str){NULL, 0});
    assert_int_equal(b.n, 0);
    cv_buf_add_z(&b, "a");
    cv_buf_add_char(&b, 'b');
    cv_buf_printf(&b, "%d%s", 12, "c");
    cv_buf_printf(&b, "%s", "");
    assert_str_eq(cv_buf_str(&b), "ab12c");
    for (int i = 0; i < 100000; i++)
        cv_buf_add_char(&b, 'x');
    assert_int_equal(b.n, 100005);
    assert_true(cv_buf_ok(&b));
    cv_buf_clear(&b);
    assert_str_eq(cv_buf_str(&b), "");
    cv_buf_release(&b);
    cv_buf_release(&b);
}

static void buffer_stops_at_its_ceiling(void **state)
{
    (void)state;
    cv_buf b = {.ceiling = 1000};
    for (int i = 0; i < 1000; i++)
        cv_buf_add_char(&b, 'x');
    assert_true(cv_buf_ok(&b));
    cv_buf_add_char(&b, 'y');
    assert_false(cv_buf_ok(&b));
    cv_buf_clear(&b);
    assert_true(cv_buf_ok(&b));
    char large[2000];
    memset(large, 'z', sizeof large);
    cv_buf_add(&b, (cv_str){large, sizeof large}); /* whole or not at all */
    assert_false(cv_buf_ok(&b));
    assert_int_equal(b.n, 0);
    cv_buf_add_z(&b, "after the failure nothing is added");
    assert_int_equal(b.n, 0);
    cv_buf_clear(&b);
    cv_buf_printf(&b, "%.*s", (int)sizeof large, large);
    assert_false(cv_buf_ok(&b));
    cv_buf_release(&b);
}

/* A sink that counts and checks the bytes 0, 1, 2 … and fails at the n-th call. */
typedef struct {
    size_t calls, fail_at, bytes;
    bool wrong;
} counting_sink;

static bool count_bytes(void *to, cv_str bytes)
{
    counting_sink *sink = to;
    if (++sink->calls == sink->fail_at)
        return false;
    for (size_t i = 0; i < bytes.n; i++)
        if ((unsigned char)bytes.p[i] != (sink->bytes + i) % 251)
            sink->wrong = true;
    sink->bytes += bytes.n;
    return true;
}

/* Pieces of every size, from one byte to several pages. */
static size_t pour(cv_buf *b, uint64_t seed, int pieces)
{
    cv_test_random r = {seed};
    cv_arena a = {0};
    size_t total = 0;
    for (int i = 0; i < pieces; i++) {
        size_t n = cv_test_below(&r, i % 10 == 0 ? 200000 : 2000);
        char *piece = cv_arena_alloc(&a, n);
        for (size_t k = 0; k < n; k++)
            piece[k] = (char)((total + k) % 251);
        cv_buf_add(b, (cv_str){piece, n});
        total += n;
    }
    cv_arena_release(&a);
    return total;
}

static void buffer_flows_into_its_sink(void **state)
{
    (void)state;
    counting_sink sink = {0};
    cv_buf b = {.sink = count_bytes, .sink_to = &sink};
    size_t total = pour(&b, 4, 100);
    assert_true(cv_buf_flush(&b));
    assert_int_equal(sink.bytes, total);
    assert_false(sink.wrong);
    assert_true(b.capacity <= 128 << 10); /* a page, not the whole output */
    cv_buf_release(&b);
}

static void buffer_remembers_a_failing_sink(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        counting_sink sink = {.fail_at = n};
        cv_buf b = {.sink = count_bytes, .sink_to = &sink};
        pour(&b, 5, 30);
        bool ok = cv_buf_flush(&b);
        assert_int_equal(ok, cv_buf_ok(&b));
        cv_buf_release(&b);
        if (ok) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(sink.calls, n); /* never called again */
    }
}

static void buffer_writes_to_a_stream(void **state)
{
    (void)state;
    char text[8] = "";
    FILE *f = fmemopen(text, sizeof text, "w");
    setbuf(f, NULL);
    assert_true(cv_buf_to_stream(f, CV_STR("abc")));
    fclose(f);
    assert_string_equal(text, "abc");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setbuf(full, NULL);
        assert_false(cv_buf_to_stream(full, CV_STR("abc")));
        fclose(full);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void error_codes_have_words(void **state)
{
    (void)state;
    assert_true(cv_err_word(CV_ERR_NONE).n > 0 && cv_err_meaning(CV_ERR_NONE).n > 0 && cv_err_exit(CV_ERR_NONE) == 0);
    for (size_t i = 0; cv_err_codes[i]; i++) {
        cv_str word = cv_err_word(cv_err_codes[i]);
        assert_true(word.n > 0 && cv_err_meaning(cv_err_codes[i]).n > 0);
        assert_int_not_equal(cv_err_exit(cv_err_codes[i]), 0);
        assert_false(cv_str_eq(word, cv_err_word(CV_ERR_NONE)));
        for (size_t k = 0; k < i; k++)
            assert_false(cv_str_eq(word, cv_err_word(cv_err_codes[k])));
    }
    assert_str_eq(cv_err_word(CV_ERR_JSON), "invalid_json");
}

static void error_texts_tell_the_whole_story(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    assert_false(cv_err_set(&err, CV_ERR_USAGE, "no such %s", "command"));
    assert_str_eq(cv_err_text(&err), "no such command");
    const cv_str options[] = {CV_STR_INIT("lint"), CV_STR_INIT("help")};
    cv_err_options(&err, options, 2);
    cv_err_suggest(&err, CV_STR("try help"));
    assert_str_eq(cv_err_text(&err), "no such command (valid: lint, help); try help");
    assert_false(cv_err_set(&err, CV_ERR_USAGE, "must be one of: lint, help"));
    cv_err_options(&err, options, 2);
    assert_str_eq(cv_err_text(&err), "must be one of: lint, help"); /* they are named once */
    assert_false(cv_err_at(&err, CV_ERR_JSON, 3, 14, "unexpected %c", '}'));
    assert_int_equal(err.option_count, 0); /* a new error forgets the old one … */
    assert_ptr_equal(err.arena, &a);       /* … but not where to live */
    assert_str_eq(cv_err_text(&err), "line 3:14: unexpected }");
    cv_err_file(&err, CV_STR("a.json"));
    cv_err_field(&err, CV_STR("claims[0]"));
    assert_str_eq(cv_err_text(&err), "a.json:3:14: claims[0]: unexpected }");
    cv_err_set(&err, CV_ERR_USAGE, "claims[0] is missing"); /* it is named once */
    cv_err_field(&err, CV_STR("claims[0]"));
    assert_str_eq(cv_err_text(&err), "claims[0] is missing");
    cv_err_field(&err, CV_STR("claim"));
    assert_str_eq(cv_err_text(&err), "claim: claims[0] is missing");
    cv_arena_release(&a);
}

/* ---- log ------------------------------------------------------------------------------------- */

/* What one log line puts on stderr. */
static cv_str logged(cv_arena *a, const char *text)
{
    int ends[2], saved = dup(STDERR_FILENO);
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    cv_log_line("%s", text);
    dup2(saved, STDERR_FILENO);
    char *bytes = cv_arena_alloc(a, 8192);
    ssize_t n = read(ends[0], bytes, 8192);
    close(saved);
    close(ends[0]);
    close(ends[1]);
    return (cv_str){bytes, n > 0 ? (size_t)n : 0};
}

static void log_lines_are_whole_and_tame(void **state)
{
    (void)state;
    cv_arena a = {0};
    assert_str_eq(logged(&a, "gone"), "conclave: gone\n");
    assert_str_eq(logged(&a, "a\nb\033[2J\xc3\xa4"), "conclave: a b [2J\xc3\xa4\n");
    char text[4200];
    memset(text, 'x', sizeof text);
    size_t head = strlen("conclave: ");
    text[4095 - head] = '\0'; /* the longest line that fits */
    cv_str line = logged(&a, text);
    assert_int_equal(line.n, 4096);
    assert_true(cv_str_ends(line, CV_STR("xxx\n")));
    text[4095 - head] = 'x';
    text[4199] = '\0';
    line = logged(&a, text);
    assert_int_equal(line.n, 4096);
    assert_true(cv_str_ends(line, CV_STR("xxx [cut]\n")));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_cut_inside_their_bounds),
        cmocka_unit_test(views_compare),
        cmocka_unit_test(trimming_takes_white_space_only),
        cmocka_unit_test(characters_have_classes),
        cmocka_unit_test(finding_agrees_with_the_slow_way),
        cmocka_unit_test(splitting_keeps_empty_pieces),
        cmocka_unit_test(numbers_become_digits),
        cmocka_unit_test(integers_are_digits_only),
        cmocka_unit_test(hashes_are_stable_and_spread),
        cmocka_unit_test(distance_agrees_with_its_definition),
        cmocka_unit_test(distance_has_a_ceiling),
        cmocka_unit_test(nearest_is_near_or_nothing),
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(arena_gives_back_what_came_after_a_mark),
        cmocka_unit_test(arena_guards_what_is_not_taken),
        cmocka_unit_test(arena_copies_and_joins),
        cmocka_unit_test(arena_lists_grow),
        cmocka_unit_test(arena_lists_grow_beside_each_other),
        cmocka_unit_test(buffer_grows),
        cmocka_unit_test(buffer_stops_at_its_ceiling),
        cmocka_unit_test(buffer_flows_into_its_sink),
        cmocka_unit_test(buffer_remembers_a_failing_sink),
        cmocka_unit_test(buffer_writes_to_a_stream),
        cmocka_unit_test(error_codes_have_words),
        cmocka_unit_test(error_texts_tell_the_whole_story),
        cmocka_unit_test(log_lines_are_whole_and_tame),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
