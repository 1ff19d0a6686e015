/* test_query.c - what a person types, as terms: every form, every odd one, ceilings, questions. */
#include "testing.h"

#include "base/buf.h"
#include "base/limits.h"
#include "dialogue/words/id.h"
#include "kit/query.h"

/* Terms as text: "+word", "-word", "|word"; * behind a prefix, {id} behind a local id. */
static cv_str terms_of(cv_arena *a, const cv_query *q)
{
    cv_buf out = {0};
    for (size_t i = 0; i < q->count; i++) {
        const cv_search_term *t = &q->items[i];
        cv_buf_printf(&out, "%s%c", i ? ", " : "", t->exclude ? '-' : t->either ? '|' : '+');
        cv_buf_add(&out, t->text);
        cv_buf_add_z(&out, t->prefix ? "*" : "");
        if (t->id.n)
            cv_buf_printf(&out, "{%.*s}", CV_FMT(t->id));
    }
    return cv_buf_take(&out, a);
}

static const struct {
    const char *query, *terms, *printed;
} cases[] = {
    {"", "", ""},
    {"collar", "+collar", "collar"},
    {"  income\t\ncollar ", "+income, +collar", "income collar"},
    {"\"phased entry\"", "+phased entry", "\"phased entry\""},
    {"\"phased entry\"*", "+phased entry*", "\"phased entry\"*"},
    {"a\"b c\"d", "+a, +b c, +d", "a \"b c\" d"},
    {"\"never closed", "+never closed", "\"never closed\""},
    {"\"one\"", "+one", "one"},
    {"hedg*", "+hedg*", "hedg*"},
    {"hedg**", "+hedg*", "hedg*"},
    {"he*dg", "+he*dg", "he*dg"},
    {"-tax income", "-tax, +income", "-tax income"},
    {"income -\"capital gains\"", "+income, -capital gains", "income -\"capital gains\""},
    {"income --tax", "+income, -tax", "income -tax"},
    {"income - tax", "+income, +tax", "income tax"},
    {"covered-call", "+covered-call", "covered-call"},
    {"NOT tax", "-tax", "-tax"},
    {"not tax", "+not, +tax", "not tax"},
    {"call OR put", "+call, |put", "call OR put"},
    {"call OR -put", "+call, -put", "call -put"},
    {"OR call", "+call", "call"},
    {"call OR", "+call", "call"},
    {"call OR OR put", "+call, |put", "call OR put"},
    {"-a OR b", "-a, +b", "-a b"},
    {"a AND b", "+a, +b", "a b"},
    {"AND OR NOT", "", ""},
    {"\"OR\" x", "+OR, +x", "\"OR\" x"},
    {"call or put", "+call, +or, +put", "call or put"},
    {"NEAR(a b)", "+NEAR(a, +b", "NEAR(a b"},
    {"title:collar", "+title:collar", "title:collar"},
    {"(collar) {fund} ^x +y", "+collar, +fund, +x, +y", "collar fund x y"},
    {"MUFFIN-P0101", "+MUFFIN-P0101{MUFFIN-P0101}", "MUFFIN-P0101"},
    {"eclair-2-t0003,", "+eclair-2-t0003{ECLAIR-2-T0003}", "eclair-2-t0003"},
    {"P0001 MUFFIN-P101", "+P0001, +MUFFIN-P101", "P0001 MUFFIN-P101"},
    {"🧁 ... -- \"\" \"🧁\" *", "", ""},
    {"🧁cake🧁", "+cake", "cake"},
    {"\x01"
     "bell\x1b\x7fring\x02",
     "+bell, +ring", "bell ring"},
    {"Zwölf Boxkämpfer", "+Zwölf, +Boxkämpfer", "Zwölf Boxkämpfer"},
    {"漢字 -кот", "+漢字, -кот", "漢字 -кот"},
    {"\xff\xfe \xc3", "", ""},
    {"ab\xff"
     "cd",
     "+ab\xff"
     "cd",
     "ab\xff"
     "cd"},
};

static void every_form_is_read(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_query q, again;
        cv_query_parse(&a, cv_str_of(cases[i].query), cv_id_local_of, &q);
        assert_str_eq(terms_of(&a, &q), cases[i].terms);
        assert_str_eq(cv_query_print(&a, &q), cases[i].printed);
        cv_query_parse(&a, cv_query_print(&a, &q), cv_id_local_of, &again);
        assert_view_eq(terms_of(&a, &again), terms_of(&a, &q));
    }
    cv_query q;
    cv_query_parse(&a, CV_STR("one\0two"), cv_id_local_of, &q);
    assert_str_eq(terms_of(&a, &q), "+one, +two");
    cv_arena_release(&a);
}

static void words_are_counted_and_cut(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf text = {0};
    cv_query q;
    for (int i = 0; i < 100; i++)
        cv_buf_printf(&text, "w%d ", i);
    cv_query_parse(&a, cv_buf_str(&text), cv_id_local_of, &q);
    assert_int_equal(q.count, CV_MAX_QUERY_WORDS);
    assert_int_equal(q.words, CV_MAX_QUERY_WORDS);
    assert_int_equal(q.left_out, 100 - CV_MAX_QUERY_WORDS);
    cv_str quoted = cv_arena_printf(&a, "first \"%.*s\"*", CV_FMT(cv_buf_str(&text)));
    cv_query_parse(&a, quoted, cv_id_local_of, &q);
    assert_int_equal(q.count, 2);
    assert_int_equal(q.words, CV_MAX_QUERY_WORDS);
    assert_true(cv_str_ends(q.items[1].text, CV_STR("w62")));
    assert_false(q.items[1].prefix); /* its last word is another one */
    cv_buf_clear(&text);
    for (int i = 0; i < 50000; i++)
        cv_buf_add_z(&text, "漢");
    cv_query_parse(&a, cv_buf_str(&text), cv_id_local_of, &q);
    assert_int_equal(q.count, 1);
    assert_int_equal(q.items[0].text.n, CV_MAX_QUERY_WORDS * strlen("漢"));
    assert_int_equal(q.left_out, 50000 - CV_MAX_QUERY_WORDS);
    cv_buf_release(&text);
    cv_arena_release(&a);
}

static const struct {
    const char *question, *terms;
} questions[] = {
    {"", ""},
    {"What is it?", ""},
    {"Should we hedge the fund's income? Hedge INCOME!", "+hedge, |fund, |income"},
    {"Soll die Bäckerei sonntags öffnen?", "+Bäckerei, |sonntags, |öffnen"},
    {"Faut-il changer de fournisseur ?", "+changer, |fournisseur"},
    {"C or D", ""}, /* single letters say nothing */
    {"数据库", "+数据, |据库"},
    {"用 SQLite 保存", "+用, |SQLite, |保存"},
    {"MUFFIN-P0101 and 2019", "+MUFFIN, |P0101, |2019"},
};

static void questions_give_their_words(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(questions); i++) {
        cv_query q;
        cv_query_of_question(&a, cv_str_of(questions[i].question), &q);
        assert_str_eq(terms_of(&a, &q), questions[i].terms);
        assert_int_equal(q.wanted, q.count);
    }
    cv_arena_release(&a);
}

static void questions_of_empty_words_are_told_so(void **state)
{
    (void)state;
    static const struct {
        const char *question, *said;
    } rows[] = {{"the should", "common"}, {"C or D", "common"}, {"?!", "letters or digits"}, {"", "letters or digits"}};
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        cv_query q;
        cv_notices warnings = {0};
        cv_query_of_question(&a, cv_str_of(rows[i].question), &q);
        cv_query_warn(&warnings, &a, &q, 0);
        assert_int_equal(warnings.count, 1);
        assert_true(cv_str_find(warnings.items[0].message, cv_str_of(rows[i].said)) != SIZE_MAX);
    }
    cv_arena_release(&a);
}

/* Where ids may be of any room, what has no blank in it and is more than one word may be one. */
static void test_any_id(void **state)
{
    (void)state;
    static const struct {
        const char *words, *id;
    } words_and_ids[] = {{"a-1", "a-1"},
                         {"1/muffin", "1/muffin"},
                         {"MUFFIN-P0101", "MUFFIN-P0101"},
                         {"muffin", ""},
                         {"two words", ""},
                         {"a-1 b", ""},
                         {"ü-1", ""},
                         {"", ""},
                         {"a.b.c-d_e", "a.b.c-d_e"}};
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(words_and_ids); i++)
        assert_str_eq(cv_query_any_id(&a, cv_str_of(words_and_ids[i].words)), words_and_ids[i].id);
    char *longer = cv_arena_alloc(&a, CV_MAX_QUERY_ID + 2);
    memset(longer, '-', CV_MAX_QUERY_ID + 1);
    assert_int_equal(cv_query_any_id(&a, (cv_str){longer, CV_MAX_QUERY_ID}).n, CV_MAX_QUERY_ID);
    assert_int_equal(cv_query_any_id(&a, (cv_str){longer, CV_MAX_QUERY_ID + 1}).n, 0);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(words_are_counted_and_cut),
        cmocka_unit_test(questions_give_their_words),
        cmocka_unit_test(questions_of_empty_words_are_told_so),
        cmocka_unit_test(test_any_id),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
