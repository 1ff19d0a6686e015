/* test_rpc.c - JSON-RPC messages: every form that comes, and what is answered to it. */
#include "mcp/ask.h"
#include "testing.h"

static const struct {
    const char *text;
    cv_rpc_kind kind;
    const char *id, *method;
    int code;
} cases[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", CV_RPC_REQUEST, "1", "ping", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\",\"params\":{}}", CV_RPC_REQUEST, "0", "ping", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"ping\"}", CV_RPC_REQUEST, "-7", "ping", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\\u00e9\",\"method\":\"ping\"}", CV_RPC_REQUEST, "\"a\\\"bé\"", "ping", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}", CV_RPC_REQUEST, "\"\"", "ping", 0},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", CV_RPC_NOTIFICATION, "",
     "notifications/initialized", 0},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":[1]}", CV_RPC_NOTIFICATION, "", "notifications/x",
     0},
    {"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}", CV_RPC_ANSWER, "3", "", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"no\"}}", CV_RPC_ANSWER, "3", "", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{},\"error\":{}}", CV_RPC_FAULTY, "3", "", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"result\":{}}", CV_RPC_FAULTY, "", "", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", CV_RPC_FAULTY, "", "ping", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", CV_RPC_FAULTY, "", "ping", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}", CV_RPC_FAULTY, "", "ping", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", CV_RPC_FAULTY, "", "ping", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"ping\"}", CV_RPC_FAULTY, "", "ping",
     CV_RPC_INVALID},
    {"{\"id\":1,\"method\":\"ping\"}", CV_RPC_FAULTY, "1", "ping", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", CV_RPC_FAULTY, "1", "ping", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", CV_RPC_FAULTY, "1", "", CV_RPC_INVALID},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", CV_RPC_FAULTY, "1", "ping", CV_RPC_PARAMS},
    {"[]", CV_RPC_FAULTY, "", "", CV_RPC_INVALID},
    {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", CV_RPC_FAULTY, "", "", CV_RPC_INVALID},
    {"7", CV_RPC_FAULTY, "", "", CV_RPC_INVALID},
    {"", CV_RPC_FAULTY, "", "", CV_RPC_PARSE},
    {"{\"jsonrpc\":", CV_RPC_FAULTY, "", "", CV_RPC_PARSE},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", CV_RPC_FAULTY, "", "", CV_RPC_PARSE},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", CV_RPC_FAULTY, "", "", CV_RPC_PARSE},
};

static void test_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_rpc_message m;
        cv_rpc_read(&a, cv_str_of(cases[i].text), &m);
        print_message("# %s\n", cases[i].text);
        assert_int_equal(m.kind, cases[i].kind);
        assert_str_eq(m.id, cases[i].id);
        assert_str_eq(m.method, cases[i].method);
        assert_int_equal(m.code, cases[i].code);
        assert_int_equal(m.params->type, CV_JSON_OBJECT);
        assert_true(m.kind != CV_RPC_FAULTY || m.why.n > 0);
        cv_arena_release(&a);
    }
}

static void test_find_id(void **state)
{
    static const struct {
        const char *text, *id;
    } found[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{\"a\":\"\\ud83e\"}}", "7"},
        {"{\"method\":\"x\",\"id\": \"a\\\"b\" ,\"params\":\xff", "\"a\\\"b\""},
        {"{\"id\":-3,\"method\":\"x\",\"params\":[[[[", "-3"},
        {"{\"params\":{\"id\":1,\"method\":2},\"id\":8,\"method\":\"x\",}", "8"},
        {"{\"id\":5,\"method\":\"never ends", "5"},
        {"{\"params\":{\"id\":1,\"method\":\"x\"},", ""},
        {"{\"id\":7,\"result\":\"\\ud83e\"}", ""},
        {"{\"id\":1.5,\"method\":\"x\",", ""},
        {"{\"id\":{},\"method\":\"x\",", ""},
        {"{\"id\":\"\\ud83e\",\"method\":\"x\"}", ""},
        {"{\"text\":\"\\\"id\\\":1\",\"method\":\"x\",", ""},
        {"{\"id\":", ""},
        {"\"\\", ""},
        {"", ""},
    };
    cv_arena a = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(found); i++)
        assert_str_eq(cv_rpc_find_id(&a, cv_str_of(found[i].text)), found[i].id);
    cv_arena_release(&a);
}

static void test_write(void **state)
{
    (void)state;
    cv_buf out = {0};
    cv_rpc_error(&out, CV_STR("\"x\""), CV_RPC_VERSION, CV_STR("no \"such\" version"), CV_STR("{\"supported\":[]}"));
    assert_str_eq(cv_buf_str(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32022,\"message\":\"no "
                                    "\\\"such\\\" version\",\"data\":{\"supported\":[]}}}");
    cv_buf_clear(&out);
    cv_rpc_error(&out, (cv_str){0}, CV_RPC_PARSE, CV_STR("not JSON"), (cv_str){0});
    assert_str_eq(cv_buf_str(&out),
                  "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"not JSON\"}}");
    cv_buf_release(&out);
}

/* A state comes back as it was, only for the request and the process it was made for, only for a while, and unchanged.
 */
static void test_seal(void **state)
{
    (void)state;
    static const uint8_t ours[SEAL_KEY] = {1, 2, 3}, other[SEAL_KEY] = {1, 2, 4};
    cv_arena a = {0};
    cv_str text, sealed;
    sealed = seal_state(ours, &a, 1000, CV_STR("round 2"), CV_STR("tools/call x"));
    assert_true(unseal_state(ours, &a, 2000, sealed, CV_STR("tools/call x"), &text));
    assert_str_eq(text, "round 2");
    assert_false(unseal_state(ours, &a, 2000, sealed, CV_STR("tools/call y"), &text));
    assert_false(unseal_state(other, &a, 2000, sealed, CV_STR("tools/call x"), &text));
    assert_false(unseal_state(ours, &a, 1000 + 60 * 60 * 1000, sealed, CV_STR("tools/call x"), &text));
    for (size_t i = 0; i < sealed.n; i++) {
        char *bent = cv_arena_copy_z(&a, sealed);
        bent[i] = bent[i] == 'A' ? 'Q' : 'A'; /* differs in the upper bits: never only in those that are not decoded */
        assert_false(unseal_state(ours, &a, 2000, cv_str_of(bent), CV_STR("tools/call x"), &text));
    }
    assert_false(unseal_state(ours, &a, 2000, CV_STR(""), CV_STR("tools/call x"), &text));
    assert_false(unseal_state(ours, &a, 2000, CV_STR("."), CV_STR("tools/call x"), &text));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_find_id),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_seal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
