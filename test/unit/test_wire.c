/* test_wire.c - streams, protocols, outputs of programs, and when a call is tried again: what needs no network. */
#include "testing.h"

#include "run/output.h"
#include "run/retry.h"
#include "run/secrets.h"
#include "run/wire.h"

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void write_event(void *ctx, cv_str event, cv_str data)
{
    cv_buf_printf(ctx, "<%.*s|%.*s>", CV_FMT(event), CV_FMT(data));
}

static const struct {
    const char *text;
    bool lines;
    const char *events;
} streams[] = {
    {"data: a\n\ndata: b\n\n", false, "<|a><|b>"},
    {"event: x\ndata: a\ndata: b\n\n", false, "<x|a\nb>"},
    {"\xEF\xBB\xBF"
     "data:a\r\n\r\ndata:  b\r\rdata\n\n",
     false, "<|a><| b><|>"},
    {": comment\n\nevent: x\n\nid: 5\nretry: 1\ndata: a\n\n", false, "<|a>"},
    {"data: a\n", false, "<|a>"},
    {"data: whole but for its end", false, "<|whole but for its end>"},
    {"datum: a\n\n", false, ""},
    {"{\"a\":1}\n\n{\"b\":2}\r\n", true, "<|{\"a\":1}><|{\"b\":2}>"},
    {"{}", true, "<|{}>"},
    {"data: ä€😀\n\n", false, "<|ä€😀>"},
};

/* However a stream is cut, the same events come out of it. */
static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(streams); i++) {
        cv_str text = cv_str_of(streams[i].text);
        for (size_t first = 0; first <= text.n; first++)
            for (size_t step = 1; step <= 3; step++) {
                cv_stream s = {.lines = streams[i].lines};
                cv_buf out = {0};
                assert_true(cv_stream_add(&s, cv_str_head(text, first), write_event, &out));
                for (size_t at = first; at < text.n; at += step)
                    assert_true(cv_stream_add(&s, cv_str_head(cv_str_from(text, at), step), write_event, &out));
                cv_stream_end(&s, write_event, &out);
                assert_str_eq(cv_buf_str(&out), streams[i].events);
                cv_stream_release(&s);
                cv_buf_release(&out);
            }
    }
}

static void ignore_event(void *ctx, cv_str event, cv_str data)
{
    (void)event, (void)data;
    ++*(int *)ctx;
}

static void test_long_event(void **state)
{
    (void)state;
    static const char *const ways[] = {"x", "data: x\n"};
    for (size_t i = 0; i < CV_COUNT(ways); i++) {
        cv_stream s = {0};
        size_t bytes = 0;
        int events = 0;
        while (bytes < 100 << 20 && cv_stream_add(&s, cv_str_of(ways[i]), ignore_event, &events))
            bytes += strlen(ways[i]);
        assert_in_range(bytes, 1 << 20, 40 << 20); /* it does not grow for ever */
        assert_int_equal(events, 0);
        cv_stream_release(&s);
    }
}

/* ---- protocols --------------------------------------------------------------------------------------------------- */

static void add_text(void *ctx, cv_str piece)
{
    cv_buf_add(ctx, piece);
}

static void test_events(void **state)
{
    (void)state;
    static const struct {
        cv_reach_protocol protocol;
        bool whole;
        const char *events[4];
        cv_calls_outcome outcome;
        const char *text;
    } cases[] = {
        {CV_PROTOCOL_OPENAI,
         false,
         {"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", "[DONE]"},
         CV_CALL_ANSWERED,
         "a"},
        {CV_PROTOCOL_OPENAI,
         false,
         {"{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}"},
         CV_CALL_ANSWERED,
         "a"},
        {CV_PROTOCOL_OPENAI, false, {"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"}, CV_CALL_CUT, "a"},
        {CV_PROTOCOL_OPENAI, false, {"[DONE]"}, CV_CALL_GARBAGE, ""},
        {CV_PROTOCOL_OPENAI,
         false,
         {"{\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}"},
         CV_CALL_REFUSED,
         ""},
        {CV_PROTOCOL_OPENAI,
         false,
         {"{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}},{\"index\":0,\"delta\":{\"content\":\"a\"}}]}",
          "[DONE]"},
         CV_CALL_ANSWERED,
         "a"},
        {CV_PROTOCOL_OPENAI, false, {"{\"error\":{\"code\":429,\"message\":\"slow\"}}"}, CV_CALL_RATE_LIMITED, ""},
        {CV_PROTOCOL_OPENAI, false, {"{\"choices\":5,\"usage\":[],\"model\":{}}", "[DONE]"}, CV_CALL_ANSWERED, ""},
        {CV_PROTOCOL_OPENAI, false, {"[1]"}, CV_CALL_GARBAGE, ""},
        {CV_PROTOCOL_OPENAI,
         false,
         {"{\"choices\":[{\"delta\":{\"content\":[{\"type\":\"thinking\",\"text\":\"x\"},5,{\"type\":\"text\",\"text\":"
          "\"a\"}]}}]}",
          "[DONE]"},
         CV_CALL_ANSWERED,
         "a"},
        {CV_PROTOCOL_OPENAI, true, {"{\"choices\":[{\"message\":{\"content\":\"a\"}}]}"}, CV_CALL_ANSWERED, "a"},
        {CV_PROTOCOL_ANTHROPIC,
         false,
         {"{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"x\"}}",
          "{\"type\":\"message_stop\"}"},
         CV_CALL_ANSWERED,
         ""},
        {CV_PROTOCOL_ANTHROPIC,
         false,
         {"{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\"}}"},
         CV_CALL_RATE_LIMITED,
         ""},
        {CV_PROTOCOL_ANTHROPIC, false, {"{\"type\":\"ping\"}"}, CV_CALL_CUT, ""},
        {CV_PROTOCOL_OLLAMA, false, {"{\"error\":\"model 'x' not found\"}"}, CV_CALL_OVERLOADED, ""},
        {CV_PROTOCOL_OLLAMA, false, {"{\"message\":{\"content\":\"a\"},\"done\":true}"}, CV_CALL_ANSWERED, "a"},
        {CV_PROTOCOL_OLLAMA,
         false,
         {"{\"message\":{\"content\":\"a\"},\"done\":true,\"done_reason\":\"length\"}"},
         CV_CALL_LENGTH,
         "a"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0}, scratch = {0};
        cv_buf text = {0};
        cv_calls_result result = {.tokens_in = CV_ABSENT, .tokens_out = CV_ABSENT};
        cv_wire w = {.protocol = cases[i].protocol,
                     .arena = &a,
                     .scratch = &scratch,
                     .text = add_text,
                     .ctx = &text,
                     .result = &result};
        cv_str message;
        for (size_t k = 0; k < 4 && cases[i].events[k]; k++)
            if (cases[i].whole)
                cv_wire_document(&w, cv_str_of(cases[i].events[k]));
            else
                cv_wire_event(&w, CV_STR(""), cv_str_of(cases[i].events[k]));
        cv_calls_outcome outcome = cv_wire_conclude(&w, &message);
        if (outcome != cases[i].outcome)
            print_error("%s\n", cases[i].events[0]);
        assert_int_equal(outcome, cases[i].outcome);
        assert_str_eq(cv_buf_str(&text), cases[i].text);
        assert_int_equal(message.n == 0, outcome == CV_CALL_ANSWERED);
        cv_buf_release(&text);
        cv_arena_release(&a), cv_arena_release(&scratch);
    }
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

static void test_outputs(void **state)
{
    (void)state;
    static const struct {
        cv_preset_output form;
        const char *raw, *file;
        bool ok;
        cv_calls_outcome outcome;
        const char *text, *model;
        int64_t in, out, cost;
    } cases[] = {
        {CV_OUTPUT_TEXT, "a\n", NULL, true, CV_CALL_ANSWERED, "a\n", "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_TEXT, "a\n", "b", true, CV_CALL_ANSWERED, "b", "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_TEXT, "a\n", NULL, false, CV_CALL_FAILED, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE,
         "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"a\",\"total_cost_usd\":0."
         "0123456,"
         "\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":4,\"cache_read_input_tokens\":5,\"output_"
         "tokens\":6},"
         "\"modelUsage\":{\"small\":{\"outputTokens\":1},\"large\":{\"outputTokens\":6}}}\n",
         NULL, true, CV_CALL_ANSWERED, "a", "large", 12, 6, 12346},
        {CV_OUTPUT_CLAUDE, "{\"type\":\"system\"}\n{\"type\":\"result\",\"result\":\"a\"}\n", NULL, true,
         CV_CALL_ANSWERED, "a", "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE, "[{\"type\":\"system\"},{\"type\":\"result\",\"result\":\"a\"}]", NULL, true,
         CV_CALL_ANSWERED, "a", "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE, "{\"is_error\":true,\"result\":\"API Error: 429 rate_limit_error\"}", NULL, false,
         CV_CALL_RATE_LIMITED, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE, "{\"is_error\":true,\"result\":\"Invalid API key\"}", NULL, true, CV_CALL_FAILED, NULL, "",
         CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE, "{\"subtype\":\"error_max_turns\"}", NULL, true, CV_CALL_FAILED, NULL, "", CV_ABSENT,
         CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE, "plain text", NULL, true, CV_CALL_GARBAGE, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CLAUDE, "{}", NULL, true, CV_CALL_GARBAGE, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CODEX,
         "{\"type\":\"thread.started\"}\nnoise\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","
         "\"text\":\"said\"}}\n"
         "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":7,\"cached_input_tokens\":2,\"output_tokens\":8}}\n",
         "filed", true, CV_CALL_ANSWERED, "filed", "", 7, 8, CV_ABSENT},
        {CV_OUTPUT_CODEX, "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"said\"}}\n",
         NULL, true, CV_CALL_ANSWERED, "said", "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CODEX, "{\"type\":\"turn.failed\",\"error\":{\"message\":\"stream disconnected\"}}\n", NULL, false,
         CV_CALL_FAILED, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_CODEX, "", NULL, true, CV_CALL_GARBAGE, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_GEMINI,
         "Loaded.\n{\"response\":\"a\",\"stats\":{\"models\":{\"pro\":{\"tokens\":{\"prompt\":1,\"candidates\":2,"
         "\"thoughts\":3}}}}}",
         NULL, true, CV_CALL_ANSWERED, "a", "pro", 1, 5, CV_ABSENT},
        {CV_OUTPUT_GEMINI, "{\"error\":{\"message\":\"RESOURCE_EXHAUSTED\"}}", NULL, false, CV_CALL_RATE_LIMITED, NULL,
         "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
        {CV_OUTPUT_GEMINI, "no", NULL, true, CV_CALL_GARBAGE, NULL, "", CV_ABSENT, CV_ABSENT, CV_ABSENT},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_calls_result r = {.tokens_in = CV_ABSENT, .tokens_out = CV_ABSENT, .cost = CV_ABSENT};
        cv_output_read(&a, cases[i].form, cv_str_of(cases[i].raw), cv_str_of(cases[i].file), cases[i].ok, &r);
        if (r.outcome != cases[i].outcome)
            print_error("%s\n", cases[i].raw);
        assert_int_equal(r.outcome, cases[i].outcome);
        if (cases[i].text)
            assert_str_eq(r.answer, cases[i].text);
        assert_str_eq(r.model, cases[i].model);
        assert_int_equal(r.tokens_in, cases[i].in);
        assert_int_equal(r.tokens_out, cases[i].out);
        assert_int_equal(r.cost, cases[i].cost);
        cv_arena_release(&a);
    }
}

/* ---- trying again ------------------------------------------------------------------------------------------------ */

static void test_retry(void **state)
{
    (void)state;
    const cv_retry_policy policy = {.tries = 4, .first_ms = 100, .most_ms = 300, .patience_ms = 5000};
    cv_calls_result r = {.outcome = CV_CALL_RATE_LIMITED, .retry_after_ms = CV_ABSENT};
    static const int64_t most[] = {100, 200, 300};
    int64_t pause;
    cv_str why;
    for (int tried = 1; tried <= 3; tried++)
        for (uint64_t random = 0; random < 1000; random++) {
            assert_true(cv_retry_next(&policy, tried, &r, random * 0x9e3779b97f4a7c15u, &pause, &why));
            assert_in_range(pause, most[tried - 1] / 2, most[tried - 1]);
        }
    assert_false(cv_retry_next(&policy, 4, &r, 1, &pause, &why));
    assert_str_has(why, "often enough");
    r.retry_after_ms = 5000;
    assert_true(cv_retry_next(&policy, 1, &r, 1, &pause, &why));
    assert_in_range(pause, 5050, 5100);
    r.retry_after_ms = 5001;
    assert_false(cv_retry_next(&policy, 1, &r, 1, &pause, &why));
    assert_str_has(why, "longer pause");
    for (int outcome = 0; outcome < CV_CALL_COUNT; outcome++) {
        r = (cv_calls_result){.outcome = (cv_calls_outcome)outcome, .retry_after_ms = CV_ABSENT};
        bool again = cv_retry_next(&cv_retry_usual, 1, &r, 1, &pause, &why);
        static const cv_calls_outcome never[] = {CV_CALL_ANSWERED,  CV_CALL_REFUSED,     CV_CALL_LENGTH,
                                                 CV_CALL_TOO_LARGE, CV_CALL_NOT_STARTED, CV_CALL_DENIED,
                                                 CV_CALL_CANCELLED};
        bool wanted = true;
        for (size_t i = 0; i < CV_COUNT(never); i++)
            wanted = wanted && (int)never[i] != outcome;
        assert_int_equal(again, wanted);
    }
}

static void test_retry_after(void **state)
{
    (void)state;
    int64_t now = 1445412480000; /* Wed, 21 Oct 2015 07:28:00 GMT */
    static const struct {
        const char *value;
        int64_t ms;
    } cases[] = {
        {"0", 0},
        {" 120 ", 120000},
        {"1.5", 2000},
        {"Wed, 21 Oct 2015 07:28:30 GMT", 30000},
        {"Wed, 21 Oct 2015 07:27:30 GMT", 0},
        {"Wednesday, 21-Oct-15 07:28:30 GMT", 30000},
        {"Wed Oct 21 07:28:30 2015", 30000},
        {"Fri Nov  6 07:28:00 2015", INT64_C(16) * 86400 * 1000},
        {"-5", CV_ABSENT},
        {"5 minutes", CV_ABSENT},
        {"1.x", CV_ABSENT},
        {"4000000000", INT64_C(4000000000000)},
        {"Wed, 41 Oct 2015 07:28:30 GMT", CV_ABSENT},
        {"Wed, 21 Okt 2015 07:28:30 GMT", CV_ABSENT},
        {"soon", CV_ABSENT},
        {"", CV_ABSENT},
        {"99999999999", INT64_C(9999999999000)},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_int_equal(cv_retry_after(cv_str_of(cases[i].value), now), cases[i].ms);
}

static void test_secrets(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_secrets s = {0};
    cv_secrets_add(&a, &s, CV_STR("A_KEY"), CV_STR("12345678\n"));
    cv_secrets_add(&a, &s, CV_STR("SHORT"), CV_STR("abc"));
    assert_str_eq(cv_secrets_hide(&a, &s, CV_STR("12345678x12345678 abc 1234567")), "[A_KEY]x[A_KEY] abc 1234567");
    assert_true(cv_secret_name(CV_STR("MY_API_KEY")) && cv_secret_name(CV_STR("gh_token")));
    assert_false(cv_secret_name(CV_STR("OLLAMA_HOST")));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_long_event), cmocka_unit_test(test_events),
        cmocka_unit_test(test_outputs), cmocka_unit_test(test_retry),      cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
