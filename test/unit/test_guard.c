/* test_guard.c - who may come in: tokens, and the names that a server has by the address it listens on. */
#include "testing.h"

#include "base/limits.h"
#include "door/http/guard.h"

static int check(const cv_guard *guard, cv_str host, cv_str origin, cv_str authorization, const char **ret_why)
{
    return cv_guard_check(guard, &(cv_guarded){.host = host, .origin = origin, .authorization = authorization},
                          ret_why);
}

static bool is_token(cv_arena *a, const char *token, cv_err *ret_err)
{
    *ret_err = (cv_err){.arena = a};
    bool is = cv_guard_check_token(token, ret_err);
    assert_int_equal(is, ret_err->message.n == 0);
    assert_int_equal(is, ret_err->suggestion.n == 0);
    return is;
}

static void a_token_is_visible_ascii(void **state)
{
    static const char *const good[] = {"secret", "a", "abc-DEF.123_~+/==", "p@ss!word,\"'\\", "0"};
    static const char *const bad[] = {"",        " ",        "   ",           "\t",       "\n",       "\r\n",
                                      " secret", "secret ",  "se cret",       "a\tb",     "secret\n", "\x01",
                                      "a\x7f",   "\xc3\xa9", "s\xe2\x80\x8b", "\xc2\xa0", "\x0b",     "\xff"};
    (void)state;
    cv_arena a = {0};
    cv_err err;
    for (size_t i = 0; i < CV_COUNT(good); i++)
        assert_true(is_token(&a, good[i], &err));
    for (size_t i = 0; i < CV_COUNT(bad); i++)
        assert_false(is_token(&a, bad[i], &err));
    assert_false(is_token(&a, "abc def", &err));
    assert_str_eq(err.message, "byte 4 of the token is white space");
    for (int c = 1; c < 256; c++) { /* every byte, at every place */
        for (size_t place = 0; place < 3; place++) {
            char token[] = "abc";
            token[place] = (char)c;
            assert_int_equal(is_token(&a, token, &err), c > ' ' && c < 0x7f);
        }
    }
    char *longest = cv_arena_alloc(&a, CV_MAX_TOKEN + 2);
    memset(longest, 'x', CV_MAX_TOKEN + 1);
    longest[CV_MAX_TOKEN + 1] = '\0';
    assert_false(is_token(&a, longest, &err));
    longest[CV_MAX_TOKEN] = '\0';
    assert_true(is_token(&a, longest, &err));
    cv_arena_release(&a);
}

static void only_the_token_itself_opens(void **state)
{
    static const char *const wrong[] = {"Bearer",        "Bearer ",        "Bearer secre",   "Bearer secrets",
                                        "Bearer SECRET", "Basic secret",   "secret",         "Bearer  s ecret",
                                        "Bearersecret",  "Bearer secret,", "Bearer\tsecret", ""};
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_guard guard = {.token = "secret"};
    const char *why = NULL;
    assert_true(cv_endpoint_find(NULL, 0, &guard.address, &err));
    assert_int_equal(check(&guard, CV_STR("localhost"), (cv_str){0}, CV_STR("bearer  secret "), &why), 0);
    assert_int_equal(check(&guard, CV_STR("localhost"), (cv_str){0}, (cv_str){0}, &why), 401);
    for (size_t i = 0; i < CV_COUNT(wrong); i++)
        assert_int_equal(check(&guard, CV_STR("localhost"), (cv_str){0}, cv_str_of(wrong[i]), &why), 401);
    cv_arena_release(&a);
}

/* What is printed leads there, and is let in; foreign names are not. */
static void what_is_printed_is_let_in(void **state)
{
    static const struct {
        const char *address, *printed;
        bool token;
    } cases[] = {
        {NULL, "127.0.0.1", false},
        {"127.0.0.1", "127.0.0.1", false},
        {"127.0.0.2", "127.0.0.2", false},
        {"127.255.255.254", "127.255.255.254", false},
        {"127.1", "127.0.0.1", false},
        {"0x7f.0.0.3", "127.0.0.3", false},
        {"localhost", "127.0.0.1", false},
        {"LOCALHOST", "127.0.0.1", false},
        {"::1", "[::1]", false},
        {"[::1]", "[::1]", false},
        {"0:0:0:0:0:0:0:1", "[::1]", false},
        {"::ffff:127.0.0.1", "127.0.0.1", false},
        {"::ffff:7f00:2", "127.0.0.2", false},
        {"0.0.0.0", "127.0.0.1", true},
        {"0", "127.0.0.1", true},
        {"::", "[::1]", true},
        {"::ffff:0.0.0.0", "127.0.0.1", true},
        {"192.0.2.7", "192.0.2.7", true},
        {"2001:DB8::0:7", "[2001:db8::7]", true},
    };
    static const char *const foreign[] = {"evil.example.com",
                                          "localhost.evil.example.com",
                                          "127.0.0.1.evil.example.com",
                                          "evil",
                                          "",
                                          "[::1",
                                          "[]",
                                          "[::2]",
                                          "127.0.0.1@evil",
                                          "198.51.100.1",
                                          "localhost:x",
                                          "2130706433"};
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_err err = {.arena = &a};
        cv_guard guard = {.name = cases[i].address, .token = cases[i].token ? "secret" : NULL};
        cv_str bearer = cases[i].token ? CV_STR("Bearer secret") : (cv_str){0};
        const char *why = NULL;
        assert_true(cv_endpoint_find(cases[i].address, 8417, &guard.address, &err));
        assert_int_equal(cv_endpoint_is_loopback(&guard.address), !cases[i].token);
        cv_str host = cv_endpoint_print(&a, &guard.address);
        assert_str_eq(host, cases[i].printed);
        const cv_str names[] = {host,
                                cv_arena_printf(&a, "%.*s:8417", CV_FMT(host)),
                                CV_STR("localhost:8417"),
                                CV_STR("127.0.0.1"),
                                CV_STR("[::1]:1"),
                                CV_STR("[::ffff:127.0.0.1]")};
        for (size_t j = 0; j < CV_COUNT(names); j++) {
            cv_str origin = cv_arena_printf(&a, "http://%.*s", CV_FMT(names[j]));
            assert_int_equal(check(&guard, names[j], (cv_str){0}, bearer, &why), 0);
            assert_int_equal(check(&guard, names[j], origin, bearer, &why), 0);
        }
        for (size_t j = 0; j < CV_COUNT(foreign) && !cv_endpoint_is_any(&guard.address); j++) {
            cv_str origin = cv_arena_printf(&a, "http://%s", foreign[j]);
            assert_int_equal(check(&guard, cv_str_of(foreign[j]), (cv_str){0}, bearer, &why), 403);
            assert_int_equal(check(&guard, host, origin, bearer, &why), 403);
        }
    }
    cv_arena_release(&a);
}

static void what_is_not_an_address_is_said(void **state)
{
    static const char *const bad[] = {"", " ", "127.0.0.1:80", "http://127.0.0.1", "300.1.1.1", "::g", "no such name"};
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(bad); i++) {
        cv_err err = {.arena = &a};
        cv_endpoint found;
        assert_false(cv_endpoint_find(bad[i], 0, &found, &err));
        assert_true(cv_str_find(err.message, CV_STR("is not an address to listen on")) != SIZE_MAX);
    }
    cv_arena_release(&a);
}

/* Opens for "agent-good", knows "agent-…" by its look. */
static bool admits(void *ctx, cv_str token, const char **ret_why)
{
    ++*(int *)ctx;
    if (cv_str_starts(token, CV_STR("agent-")) && !cv_str_eq(token, CV_STR("agent-good")))
        *ret_why = "not this one";
    return cv_str_eq(token, CV_STR("agent-good"));
}

/* Tokens of others open beside the server's own; one that nobody knows is refused also where none is needed. */
static void others_may_have_tokens(void **state)
{
    static const struct {
        const char *authorization;
        int with, without; /* a token of the server's own */
        int asked;         /* how often others were asked about, with one */
    } cases[] = {
        {NULL, 401, 0, 0},
        {"Bearer secret", 0, 401, 0},
        {"Bearer agent-good", 0, 0, 1},
        {"bearer   agent-good ", 0, 0, 1},
        {"Bearer agent-bad", 401, 401, 1},
        {"Bearer agent-goodx", 401, 401, 1},
        {"Bearer other", 401, 401, 1},
        {"Basic agent-good", 401, 401, 0},
        {"Token agent-good", 401, 401, 0},
        {"Bearer ", 401, 401, 1},
    };
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        int asked = 0;
        const char *why = NULL;
        cv_guard guard = {.token = "secret", .admits = admits, .admits_ctx = &asked};
        assert_true(cv_endpoint_find(NULL, 0, &guard.address, &err));
        cv_str sent = cv_str_of(cases[i].authorization);
        assert_int_equal(check(&guard, CV_STR("localhost"), (cv_str){0}, sent, &why), cases[i].with);
        assert_int_equal(why != NULL, cases[i].with != 0);
        assert_int_equal(asked, cases[i].asked);
        guard.token = NULL;
        why = NULL;
        assert_int_equal(check(&guard, CV_STR("localhost"), (cv_str){0}, sent, &why), cases[i].without);
        assert_int_equal(why != NULL, cases[i].without != 0);
        asked = 0; /* another Host or Origin is refused before any token is looked at */
        assert_int_equal(check(&guard, CV_STR("evil.example"), (cv_str){0}, sent, &why), 403);
        assert_int_equal(asked, 0);
    }
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_may_have_tokens),         cmocka_unit_test(a_token_is_visible_ascii),
        cmocka_unit_test(only_the_token_itself_opens),    cmocka_unit_test(what_is_printed_is_let_in),
        cmocka_unit_test(what_is_not_an_address_is_said),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
