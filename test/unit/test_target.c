/* test_target.c - what a request asks for: every byte, every escape, nothing that is cut or mended. */
#include "testing.h"

#include "base/utf8.h"
#include "door/http/target.h"

typedef struct {
    cv_arena *arena;
    cv_str text; /* "name=value;name;" */
} listing;

static void list(void *ctx, cv_str name, cv_str value)
{
    listing *l = ctx;
    l->text =
        cv_arena_printf(l->arena, "%.*s%.*s%s%.*s;", CV_FMT(l->text), CV_FMT(name), value.p ? "=" : "", CV_FMT(value));
}

static bool parameters(cv_arena *a, const char *target, cv_str *ret_listing, cv_err *ret_err)
{
    listing l = {.arena = a, .text = CV_STR("")};
    *ret_err = (cv_err){.arena = a};
    bool ok = cv_target_each(a, cv_str_of(target), list, &l, ret_err);
    *ret_listing = l.text;
    assert_int_equal(ok, ret_err->message.n == 0);
    return ok;
}

static void parameters_are_what_is_behind_the_question_mark(void **state)
{
    static const struct {
        const char *target, *listing;
        size_t count;
    } cases[] = {
        {"/a", "", 0},
        {"/a?", "", 1},
        {"/a?&&", "", 3},
        {"/a?b=c&d", "b=c;d;", 2},
        {"/a?b=&=c", "b=;=c;", 2},
        {"/a?b=c=d?e", "b=c=d?e;", 1},
        {"/a?b+c=d+e%2Bf", "b c=d e+f;", 1},
        {"/a%3Fb?%26=%3d%26", "&==&;", 1},
        {"/a?b=%e2%82%AC", "b=\u20ac;", 1},
        {"/a?b=%0a%09%01", "b=\n\t\x01;", 1},
    };
    (void)state;
    cv_arena a = {0};
    cv_err err;
    cv_str text;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        assert_true(parameters(&a, cases[i].target, &text, &err));
        assert_str_eq(text, cases[i].listing);
        assert_int_equal(cv_target_count(cv_str_of(cases[i].target)), cases[i].count);
    }
    cv_arena_release(&a);
}

static void a_fault_names_the_parameter(void **state)
{
    static const struct {
        const char *target, *field, *message;
        cv_err_code code;
    } cases[] = {
        {"/a?b=c&title=x%00y", "title", "the parameter 'title' has a NUL (%00): this is not text", CV_ERR_NOT_TEXT},
        {"/a?ti%00tle=x", "ti%00tle", "the name of the parameter 'ti%00tle' has a NUL (%00): this is not text",
         CV_ERR_NOT_TEXT},
        {"/a?b=%", "b", "the parameter 'b' has '%': two hexadecimal digits follow a sign %", CV_ERR_INVALID_VALUE},
        {"/a?b=%4", "b", "the parameter 'b' has '%4': two hexadecimal digits follow a sign %", CV_ERR_INVALID_VALUE},
        {"/a?b=100%zzx", "b", "the parameter 'b' has '%zz': two hexadecimal digits follow a sign %",
         CV_ERR_INVALID_VALUE},
        {"/a?b=%%41", "b", "the parameter 'b' has '%%4': two hexadecimal digits follow a sign %", CV_ERR_INVALID_VALUE},
        {"/a?b=%+1", "b", "the parameter 'b' has '%+1': two hexadecimal digits follow a sign %", CV_ERR_INVALID_VALUE},
        {"/a?b=%ff", "b", "the parameter 'b' is not valid UTF-8 from the byte %ff on", CV_ERR_NOT_UTF8},
        {"/a?b=ok%c0%af", "b", "the parameter 'b' is not valid UTF-8 from the byte %c0 on", CV_ERR_NOT_UTF8},
        {"/a?b=%ed%a0%80", "b", "the parameter 'b' is not valid UTF-8 from the byte %ed on", CV_ERR_NOT_UTF8},
        {"/a?b=%e2%82", "b", "the parameter 'b' is not valid UTF-8 from the byte %e2 on", CV_ERR_NOT_UTF8},
        {"/a?%c3%a4=%ff", "\u00e4", "the parameter '\u00e4' is not valid UTF-8 from the byte %ff on", CV_ERR_NOT_UTF8},
    };
    (void)state;
    cv_arena a = {0};
    cv_err err;
    cv_str text;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        assert_false(parameters(&a, cases[i].target, &text, &err));
        assert_str_eq(err.field, cases[i].field);
        assert_str_eq(err.message, cases[i].message);
        assert_ptr_equal(err.code, cases[i].code);
    }
    cv_arena_release(&a);
}

static void a_path_is_whole_or_a_fault(void **state)
{
    static const char *const bad[] = {"/a%00", "/a%00/b", "/%", "/%z1", "/%1", "/%ff", "/%c0%ae", "/%f4%90%80%80"};
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str path;
    assert_true(cv_target_path(&a, CV_STR("/a+b%20c%2Fd?e=%"), &path, &err));
    assert_str_eq(path, "/a+b c/d");
    assert_true(cv_target_path(&a, CV_STR(""), &path, &err));
    assert_int_equal(path.n, 0);
    for (size_t i = 0; i < CV_COUNT(bad); i++) {
        err = (cv_err){.arena = &a};
        assert_false(cv_target_path(&a, cv_str_of(bad[i]), &path, &err));
        assert_true(cv_str_starts(err.message, CV_STR("the path ")));
    }
    cv_arena_release(&a);
}

/* All texts of one and two bytes, each byte escaped: what is UTF-8 without a NUL comes back, the rest is refused. */
static void every_byte_comes_back_or_is_refused(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        char bytes[2] = {(char)(pair >> 8), (char)(pair & 0xff)}, escaped[8];
        cv_str text = {bytes, 2}, path;
        cv_err err = {.arena = &a};
        snprintf(escaped, sizeof escaped, "%%%02x%%%02X", pair >> 8, pair & 0xff);
        bool good = cv_utf8_valid(text) == 2 && bytes[0] && bytes[1];
        assert_int_equal(cv_target_path(&a, cv_str_of(escaped), &path, &err), good);
        assert_true(!good || cv_str_eq(path, text));
        if ((pair & 0xff) == 0)
            cv_arena_reset(&a);
    }
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_what_is_behind_the_question_mark),
        cmocka_unit_test(a_fault_names_the_parameter),
        cmocka_unit_test(a_path_is_whole_or_a_fault),
        cmocka_unit_test(every_byte_comes_back_or_is_refused),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
