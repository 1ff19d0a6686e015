/* test_vocab.c - the tables, the lifecycle as a golden file, ids in all forms, slugs. */
#include "testing.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "dialogue/words/id.h"
#include "dialogue/words/limits.h"

#define LIFECYCLE "test/golden/vocab/lifecycle.txt"

/* ---- tables ------------------------------------------------------------------------------------ */

static void check_words(cv_words words, size_t count)
{
    assert_int_equal(words.count, count);
    for (size_t i = 0; i < words.count; i++) {
        assert_true(words.items[i].n > 0);
        assert_int_equal(cv_words_find(words, words.items[i]), (int)i);
    }
    assert_int_equal(cv_words_find(words, CV_STR("")), -1);
    assert_int_equal(cv_words_find(words, CV_STR("nothing")), -1);
}

static void test_words(void **state)
{
    (void)state;
    check_words(cv_ref_words, CV_REF_COUNT);
    check_words(cv_move_words, CV_MOVE_COUNT);
    check_words(cv_tier_words, CV_TIER_COUNT);
    check_words(cv_source_words, CV_SOURCE_COUNT);
    check_words(cv_verdict_words, CV_VERDICT_COUNT);
    check_words(cv_confidence_words, CV_CONFIDENCE_COUNT);
    check_words(cv_event_words, CV_EVENT_COUNT);
    check_words(cv_mark_names, CV_MARK_COUNT);
    check_words(cv_panel_names, 20);
    assert_int_equal(cv_words_find(cv_ref_words, CV_STR("SUPPORT")), CV_REF_SUPPORT);
    assert_int_equal(cv_words_find(cv_tier_words, CV_STR("wildcard")), CV_TIER_WILDCARD);
    for (size_t i = 0; i < CV_REF_COUNT; i++)
        assert_true(cv_refs[i].purpose.n > 0);
    for (size_t i = 0; i < CV_MOVE_COUNT; i++)
        assert_true(cv_moves[i].purpose.n > 0);
    for (size_t i = 0; i < CV_VERDICT_COUNT; i++)
        assert_true(cv_verdict_purposes[i].n > 0);
    for (size_t i = 0; i < cv_panel_names.count; i++)
        assert_true(cv_slug_ok(cv_panel_names.items[i]));
}

static void test_kinds(void **state)
{
    (void)state;
    static const char letters[] = "PRTEC";
    assert_int_equal(CV_KIND_COUNT, 5);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        assert_int_equal(cv_kinds[kind].letter, letters[kind]);
        assert_int_equal(cv_kind_of_letter(letters[kind]), kind);
        assert_true(cv_kinds[kind].word.n && cv_kinds[kind].plural.n && cv_kinds[kind].purpose.n);
        assert_view_eq(cv_kinds[kind].word, cv_mark_names.items[kind]); /* the first marks are the kinds */
        assert_int_equal(cv_marks_table[kind].shape, CV_SHAPE_ENTITY);
    }
    for (int c = -128; c < 128; c++)
        assert_int_equal(cv_kind_of_letter((char)c) >= 0, c > 0 && strchr(letters, c) != NULL);
}

/* Every word is found as itself, whole, also with a rest behind it. */
static void test_mark_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int type;
        size_t length;
        bool alias;
    } cases[] = {
        {"PERSPECTIVE P01", CV_MARK_PERSPECTIVE, 11, false},
        {"RE:SUPPORT", CV_MARK_REFERENCE, 2, false},
        {"RESOLVED T01", CV_MARK_RESOLVED, 8, false},
        {"REFINED RESOLUTION T01", CV_MARK_RESOLVED, 18, true},
        {"REFINED: x", CV_MARK_REFINEMENT, 7, true},
        {"RESOLUTION T03", CV_MARK_RESOLVED, 10, true},
        {"MINORITY VERDICT: x", CV_MARK_MINORITY_VERDICT, 16, false},
        {"VERDICT:FINAL", CV_MARK_VERDICT, 7, false},
        {"ACCEPTED UNRESOLVED", CV_MARK_ACCEPTED_UNRESOLVED, 19, false},
        {"ACCEPT] T03", CV_MARK_ACCEPT, 6, false},
        {"DESIGN CONVERGENCE CONFIRMED", CV_MARK_CONVERGENCE_CONFIRMED, 28, true},
        {"CONFIRM P01", CV_MARK_CONFIRM, 7, false},
        {"CONCEDED: x", CV_MARK_CONCESSION, 8, true},
        {"perspective P01", -1, 0, false},
        {"REMARK", -1, 0, false},
        {"X", -1, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = 0;
        bool alias = false;
        int type = cv_mark_word_at(cv_str_of(cases[i].text), &length, &alias);
        assert_int_equal(type, cases[i].type);
        if (type >= 0) {
            assert_int_equal(length, cases[i].length);
            assert_int_equal(alias, cases[i].alias);
        }
    }
    for (size_t i = 0; i < CV_MARK_COUNT; i++) {
        size_t length;
        bool alias;
        if (cv_marks_table[i].word.n == 0)
            continue;
        assert_int_equal(cv_mark_word_at(cv_marks_table[i].word, &length, &alias), (int)i);
        assert_int_equal(length, cv_marks_table[i].word.n);
        assert_false(alias);
    }
    assert_str_eq(cv_mark_word_nearest(CV_STR("PERSPECTVE")), "PERSPECTIVE");
    assert_str_eq(cv_mark_word_nearest(CV_STR("tention")), "TENSION");
    assert_str_eq(cv_mark_word_nearest(CV_STR("elephant")), "");
}

/* ---- the lifecycle ------------------------------------------------------------------------------ */

static void print_matrix(cv_buf *out, cv_kind kind)
{
    cv_buf_printf(out, "%.*s (%c)\n", CV_FMT(cv_kinds[kind].word), cv_kinds[kind].letter);
    for (int from = 0; from < CV_STATUS_COUNT; from++) {
        if (cv_statuses[from].kind != kind)
            continue;
        bool first = cv_status_first(kind) == (cv_status)from, any = false;
        cv_buf_printf(out, "  %c %-11.*s ->", first ? '*' : ' ', CV_FMT(cv_statuses[from].word));
        for (int to = 0; to < CV_STATUS_COUNT; to++)
            if (to != from && cv_status_may_become((cv_status)from, (cv_status)to)) {
                cv_buf_printf(out, "%s %.*s", any ? "," : "", CV_FMT(cv_statuses[to].word));
                any = true;
            }
        cv_buf_add_z(out, any ? "\n" : " (stays)\n");
    }
}

static void print_references(cv_buf *out)
{
    cv_buf_add_z(out, "references: which kinds (columns: source) may point to which (letters)\n           ");
    for (int source = 0; source < CV_KIND_COUNT; source++)
        cv_buf_printf(out, " %-6c", cv_kinds[source].letter);
    cv_buf_add_char(out, '\n');
    for (int ref = 0; ref < CV_REF_COUNT; ref++) {
        cv_buf_printf(out, "  %-9.*s", CV_FMT(cv_ref_words.items[ref]));
        for (int source = 0; source < CV_KIND_COUNT; source++) {
            cv_buf_add_char(out, ' ');
            for (int target = 0; target < CV_KIND_COUNT; target++)
                cv_buf_add_char(
                    out, cv_ref_fits((cv_ref)ref, (cv_kind)source, (cv_kind)target) ? cv_kinds[target].letter : '.');
            cv_buf_add_char(out, ' ');
        }
        cv_buf_add_char(out, '\n');
    }
}

static void test_lifecycle(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf out = {0};
    cv_buf_add_z(&out, "What may become of an entity (* its first status), and which references go where.\n\n");
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        print_matrix(&out, (cv_kind)kind);
        cv_buf_add_char(&out, '\n');
    }
    print_references(&out);
    if (cv_test_update()) {
        FILE *f = fopen(LIFECYCLE, "wb");
        assert_non_null(f);
        fwrite(out.p, 1, out.n, f);
        fclose(f);
    }
    assert_view_eq(cv_buf_str(&out), cv_test_read(&a, LIFECYCLE));
    cv_buf_release(&out);
    cv_arena_release(&a);
}

static void test_statuses(void **state)
{
    (void)state;
    for (int i = 0; i < CV_STATUS_COUNT; i++) {
        assert_int_equal(cv_status_find(cv_statuses[i].kind, cv_statuses[i].word), i);
        assert_true(cv_status_may_become((cv_status)i, (cv_status)i));
        for (int to = 0; to < CV_STATUS_COUNT; to++) /* no way leads to another kind */
            assert_true(cv_statuses[i].kind == cv_statuses[to].kind ||
                        !cv_status_may_become((cv_status)i, (cv_status)to));
    }
    assert_int_equal(cv_status_find(CV_KIND_TENSION, CV_STR("REOPENED")), CV_STATUS_TENSION_REOPENED);
    assert_int_equal(cv_status_find(CV_KIND_TENSION, CV_STR("refined")), -1);
    assert_int_equal(cv_status_find(CV_KIND_CLAIM, CV_STR("")), -1);
    assert_int_equal(cv_status_first(CV_KIND_CLAIM), CV_STATUS_CLAIM_ASSERTED);
}

/* ---- ids --------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *printed;
    cv_id_form form;
    cv_kind kind;
    int round, number;
} accepted[] = {
    {"P0102", "P0102", CV_ID_DISPLAY, CV_KIND_PERSPECTIVE, 1, 2},
    {"T0000", "T0000", CV_ID_DISPLAY, CV_KIND_TENSION, 0, 0},
    {"C9999", "C9999", CV_ID_DISPLAY, CV_KIND_CLAIM, 99, 99},
    {"MUFFIN-P0101", "MUFFIN-P0101", CV_ID_LOCAL, CV_KIND_PERSPECTIVE, 1, 1},
    {"muffin-e0203", "", CV_ID_NONE, CV_KIND_EVIDENCE, 0, 0}, /* the letter is a capital one */
    {"muffin-E0203", "MUFFIN-E0203", CV_ID_LOCAL, CV_KIND_EVIDENCE, 2, 3},
    {"Pain-au-chocolat-R0001", "PAIN-AU-CHOCOLAT-R0001", CV_ID_LOCAL, CV_KIND_RECOMMENDATION, 0, 1},
    {"PASTRY21-T0101", "PASTRY21-T0101", CV_ID_LOCAL, CV_KIND_TENSION, 1, 1},
    {"7-T0101", "7-T0101", CV_ID_LOCAL, CV_KIND_TENSION, 1, 1},
    {"P1", "P01", CV_ID_SHORT, CV_KIND_PERSPECTIVE, -1, 1},
    {"P01", "P01", CV_ID_SHORT, CV_KIND_PERSPECTIVE, -1, 1},
    {"P001", "P01", CV_ID_SHORT, CV_KIND_PERSPECTIVE, -1, 1},
    {"T012", "T12", CV_ID_SHORT, CV_KIND_TENSION, -1, 12},
    {"T100", "T100", CV_ID_SHORT, CV_KIND_TENSION, -1, 100},
    {"T0", "T00", CV_ID_SHORT, CV_KIND_TENSION, -1, 0},
    {"T1.1", "T01.1", CV_ID_SHORT, CV_KIND_TENSION, -1, 1},
    {"T1-S", "T01-S", CV_ID_SHORT, CV_KIND_TENSION, -1, 1},
    {"T04-R1", "T04-R1", CV_ID_SHORT, CV_KIND_TENSION, -1, 4},
    {"T01-RESPONSE", "T01-RESPONSE", CV_ID_SHORT, CV_KIND_TENSION, -1, 1},
    {"T-NEW", "T-NEW", CV_ID_SHORT, CV_KIND_TENSION, -1, -1},
    {"P01-M", "P01-M", CV_ID_SHORT, CV_KIND_PERSPECTIVE, -1, 1},
    {"MUFFIN R1-T01", "MUFFIN-T0101", CV_ID_LOCAL, CV_KIND_TENSION, 1, 1},
    {"STRUDEL R12-P3", "STRUDEL-P1203", CV_ID_LOCAL, CV_KIND_PERSPECTIVE, 12, 3},
    {"@muffin", "@muffin", CV_ID_EXPERT, CV_KIND_PERSPECTIVE, -1, -1},
    {"@Pastry-21", "@pastry-21", CV_ID_EXPERT, CV_KIND_PERSPECTIVE, -1, -1},
};

/* The word that stands first counts: "unresolved" and "not resolved" hold another one. */
static void test_cells_of_trackers(void **state)
{
    static const struct {
        const char *cell;
        int status;
        size_t at;
        bool is_clear;
    } cells[] = {
        {"Open", CV_STATUS_TENSION_OPEN, 0, true},
        {"unresolved", CV_STATUS_TENSION_OPEN, 0, true},
        {"Not resolved", CV_STATUS_TENSION_OPEN, 0, true},
        {"Re-opened (R2)", CV_STATUS_TENSION_REOPENED, 0, true},
        {"partially resolved", CV_STATUS_TENSION_ADDRESSED, 0, true},
        {"✅ RESOLVED, new facts", CV_STATUS_TENSION_RESOLVED, sizeof "✅ " - 1, true},
        {"Deferred until opened", CV_STATUS_TENSION_ACCEPTED, 0, true},
        {"Narrowed", CV_STATUS_TENSION_ADDRESSED, 0, false},
    };
    size_t at;
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cells); i++) {
        const cv_tracked_word *word = cv_tracked_find(cv_str_of(cells[i].cell), &at);
        assert_non_null(word);
        assert_int_equal(word->status, cells[i].status);
        assert_int_equal(word->is_clear, cells[i].is_clear);
        assert_int_equal(at, cells[i].at);
    }
    assert_null(cv_tracked_find(CV_STR("see below"), &at));
    assert_null(cv_tracked_find((cv_str){NULL, 0}, &at));
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == CV_KIND_TENSION)
            assert_int_equal(cv_tracked_find(cv_statuses[status].word, &at)->status, status);
}

static void test_ids_accepted(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        cv_id id = {0}, again = {0};
        cv_str text = cv_str_of(accepted[i].text);
        if (accepted[i].form == CV_ID_NONE) {
            assert_false(cv_id_parse(text, &id));
            continue;
        }
        if (!cv_id_parse(text, &id))
            fail_msg("%s is refused", accepted[i].text);
        assert_int_equal(id.form, accepted[i].form);
        assert_int_equal(id.kind, accepted[i].kind);
        assert_int_equal(id.number, accepted[i].number);
        if (id.form != CV_ID_SHORT && id.form != CV_ID_EXPERT)
            assert_int_equal(id.round, accepted[i].round);
        cv_str printed = cv_id_print(&a, &id);
        assert_str_eq(printed, accepted[i].printed);
        assert_str_eq(cv_id_normal(&a, text), accepted[i].printed);
        /* One spelling: printed, read and printed again it stays. */
        assert_true(cv_id_parse(printed, &again) && again.form == id.form && again.number == id.number);
        assert_view_eq(cv_id_normal(&a, printed), printed);
    }
    cv_arena_release(&a);
}

/* An id ends at punctuation, and not inside a word. */
static void test_ids_in_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"P01: label", 3},   {"P01]", 3},           {"P01.", 3},
        {"T1.1.", 4},        {"T01, T02", 3},       {"T0101-X", 5},
        {"P0102)", 5},       {"MUFFIN-P0101:", 12}, {"MUFFIN R1-T01 (x)", 13},
        {"@muffin's", 7},    {"@muffin-", 7},       {"T04-R1/T05", 6},
        {"T01-response", 3}, {"T01—x", 3},          {"T01\u00e9", 0},
        {"P0102x", 0},       {"P01_2", 0},          {"MUFFIN-P0101x", 0},
        {"P01a", 0},         {"T-new", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_id id;
        size_t length = 0;
        bool found = cv_id_at(cv_str_of(cases[i].text), &id, &length);
        if (found != (cases[i].length > 0) || (found && length != cases[i].length))
            fail_msg("%s: found %d, length %zu", cases[i].text, found, length);
    }
}

static void test_ids_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "",
        "P",
        "p01",
        "P+1+1",
        "P-1-1",
        "P01+1",
        "P 01",
        "O0001",
        "P00001",
        "P01100",
        "é0101",
        "日01",
        "P010\xc3",
        "T-",
        "T-new",
        "P.1",
        "P01-",
        "P01.",
        "-P0101",
        "MUFFIN-",
        "MUFFIN-P01",
        "MUFFIN-P010",
        "MUFFIN-O0101",
        "MUFFIN-P01011",
        "MUFFIN P0101",
        "MUFFIN R1-",
        "MUFFIN R1-T",
        "MUFFIN R-T01",
        "MUFFIN R100-T01",
        "MUFFIN R1-T100",
        "MUFFIN R1-T1.1",
        "muffin R1-T01",
        "@",
        "@-x",
        "@é",
        "@ muffin",
        "P01 ",
        " P01",
        "1234",
        "PP01",
        "ABCDEFGHIJABCDEFGHIJABCDEFGHIJABC-P0101",
        "@abcdefghijabcdefghijabcdefghijabc",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cv_id id;
        if (cv_id_parse(cv_str_of(refused[i]), &id))
            fail_msg("'%s' is accepted as an id of form %d", refused[i], (int)id.form);
    }
    cv_arena a = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_str_eq(cv_id_normal(&a, cv_str_of(refused[i])), refused[i]);
    cv_arena_release(&a);
}

/* Five bytes of anything: an id only if it is a letter of a kind and four digits, or one of the longer short forms. */
static void test_ids_random(void **state)
{
    (void)state;
    static const char bytes[] = "PRTEC0123456789+-. \xc3\xa9\xe6\x97\xa5@MUFFINR1_:";
    cv_test_random random = {11};
    cv_arena a = {0};
    for (size_t i = 0; i < 200000; i++) {
        char text[14];
        size_t n = 1 + cv_test_below(&random, sizeof text - 1);
        for (size_t k = 0; k < n; k++)
            text[k] = bytes[cv_test_below(&random, sizeof bytes - 1)];
        cv_id id = {0};
        cv_str s = {text, n};
        if (!cv_id_parse(s, &id))
            continue;
        assert_true(id.form != CV_ID_NONE && id.number <= 999 && id.round <= CV_MAX_ROUND);
        cv_str printed = cv_id_print(&a, &id);
        cv_id again = {0};
        assert_true(cv_id_parse(printed, &again));
        assert_view_eq(cv_id_print(&a, &again), printed);
        assert_view_eq(cv_id_normal(&a, s), printed);
        if (i % 1000 == 0)
            cv_arena_release(&a);
    }
    cv_arena_release(&a);
}

/* ---- slugs ------------------------------------------------------------------------------------- */

static void test_slugs(void **state)
{
    (void)state;
    static const char *const good[] = {
        "muffin", "Muffin", "a", "7", "pastry-21", "a-", "abcdefghijabcdefghijabcdefghijab"};
    static const char *const bad[] = {"", "-a", "a b", "é", "a_b", "a.b", "abcdefghijabcdefghijabcdefghijabc", "a\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(cv_slug_ok(cv_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(cv_slug_ok(cv_str_of(bad[i])));
}

static const struct {
    const char *title, *slug;
} titles[] = {
    {"NVIDIA Investment Decision", "nvidia-investment-decision"},
    {"Décision", "decision"},
    {"De\u0301cision", "decision"},
    {"  --Hello,   World!-- ", "hello-world"},
    {"Ångström & Øresund", "angstrom-øresund"},
    {"Straße", "strasse"},
    {"İstanbul", "istanbul"},
    {"Łódź", "łodz"},
    {"Привет Мир", "привет-мир"},
    {"Йод и й", "йод-и-й"},         /* composed й stays composed */
    {"И\u0306од", "йод"},           /* … and becomes composed */
    {"한국어 제목", "한국어-제목"}, /* syllables are not taken apart */
    {"日本語のタイトル", "日本語のタイトル"},
    {"がぎ", "がぎ"},
    {"Ελληνικά", "ελληνικά"},
    {"हिन्दी", "हिन्दी"},
    {"RFC 0051: v2.0", "rfc-0051-v2-0"},
    {"a_b/c\\d", "a-b-c-d"},
    {"🧁 Muffin 🧁", "muffin"},
    {"", "dialogue"},
    {"🧁", "dialogue"},
    {"!!!", "dialogue"},
    {"\u0301", "dialogue"},
    {"...a...", "a"},
};

static void test_titles(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        cv_str slug = cv_slug_of_title(&a, cv_str_of(titles[i].title));
        assert_str_eq(slug, titles[i].slug);
        assert_view_eq(cv_slug_of_title(&a, slug), slug);
    }
    cv_arena_release(&a);
}

/* At most 80 bytes, cut at a character, and not ending in a dash. */
static void test_long_titles(void **state)
{
    (void)state;
    cv_arena a = {0};
    static const char *const pieces[] = {"abc ", "é", "日本", "한", "а-", "x", "\U00020000"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        cv_buf b = {0};
        for (size_t n = 0; n < 130; n++) {
            cv_buf_add_z(&b, pieces[i]);
            cv_str slug = cv_slug_of_title(&a, cv_buf_str(&b));
            assert_true(slug.n > 0 && slug.n <= CV_MAX_DIALOGUE_ID);
            assert_int_equal(cv_utf8_valid(slug), slug.n);
            assert_true(slug.p[0] != '-' && slug.p[slug.n - 1] != '-');
        }
        cv_str longest = cv_slug_of_title(&a, cv_buf_str(&b));
        assert_true(longest.n > CV_MAX_DIALOGUE_ID - 4);
        cv_buf_release(&b);
    }
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_mark_words),
        cmocka_unit_test(test_lifecycle),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_ids_accepted),
        cmocka_unit_test(test_ids_in_text),
        cmocka_unit_test(test_ids_refused),
        cmocka_unit_test(test_ids_random),
        cmocka_unit_test(test_slugs),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_long_titles),
        cmocka_unit_test(test_cells_of_trackers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
