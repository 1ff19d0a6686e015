/* test_endpoints.c - endpoints that are asked: a server of three protocols that does everything servers do
 * (test/run/models.mjs), and what becomes of it here. */
#include "calling.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/file.h"

/* ---- the server -------------------------------------------------------------------------------------------------- */

static struct {
    pid_t pid;
    int input, port;
    char log[64];
} server;

static const char key[] = "sk-very-secret-1234"; /* of MY_API_KEY */

static int start_server(void **state)
{
    (void)state;
    int in[2], out[2];
    char line[16] = {0};
    snprintf(server.log, sizeof server.log, "/tmp/conclave-models-%d.log", getpid());
    assert_true(pipe(in) == 0 && pipe(out) == 0);
    server.pid = fork();
    if (server.pid == 0) {
        dup2(in[0], 0), dup2(out[1], 1);
        close(in[1]), close(out[0]);
        execlp("node", "node", "test/run/models.mjs", "--key", key, "--log", server.log, (char *)NULL);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    server.input = in[1];
    for (size_t n = 0; n < sizeof line - 1 && !strchr(line, '\n'); n++)
        if (read(out[0], line + n, 1) != 1)
            break;
    close(out[0]);
    server.port = atoi(line);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    close(server.input);
    waitpid(server.pid, NULL, 0);
    unlink(server.log);
    return 0;
}

static const char *const protocol_words[] = {"openai", "anthropic", "ollama"};

static cv_reach *endpoint(place *p, const char *behaviour, int protocol)
{
    if (server.port == 0)
        cv_test_skip("no node");
    cv_err err = {.arena = &p->arena};
    cv_agent_row row = {.id = CV_STR("x"), .reach = CV_STR("endpoint")};
    cv_reach *reach = CV_NEW(&p->arena, cv_reach);
    row.reach_details = cv_arena_printf(&p->arena,
                                        "{\"endpoint\":\"http://127.0.0.1:%d/%s%s\",\"protocol\":\"%s\","
                                        "\"model\":\"m\",\"key_env\":\"MY_API_KEY\",\"price_in\":2,\"price_out\":10}",
                                        server.port, behaviour, protocol == 2 ? "" : "/v1", protocol_words[protocol]);
    if (!cv_reach_of_agent(&p->arena, &row, reach, &err))
        fail_msg("%s", cv_err_text(&err).p);
    return reach;
}

static cv_calls_result ask(place *p, const char *behaviour, int protocol)
{
    return call_reach(p, endpoint(p, behaviour, protocol), "Which \"bread\"?\nMore.");
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void test_answers(void **state)
{
    place *p = *state;
    static const char *const ways[] = {"ok", "bytes", "document", "open", "mistyped", "mistyped"};
    static const char *const models[] = {"m-0613", "m-20250101", "m"};
    for (size_t way = 0; way < CV_COUNT(ways); way++)
        for (int protocol = 0; protocol < 3; protocol++) {
            cv_err err = {.arena = &p->arena};
            cv_calls_result r = ask(p, ways[way], protocol), again;
            bool found;
            assert_outcome(r, CV_CALL_ANSWERED);
            assert_str_eq(r.answer, "You said: Which \"bread\"? ✓");
            assert_str_eq(r.model, models[protocol]);
            assert_int_equal(r.tokens_in, 11);
            assert_int_equal(r.tokens_out, 7);
            assert_int_equal(r.cost, 11 * 2 + 7 * 10); /* millionths of a dollar */
            assert_int_equal(r.http_status, 200);
            assert_true(cv_calls_recover(&p->arena, output(p, "answer"), &again, &found, &err) && found);
            assert_view_eq(again.answer, r.answer);
            assert_view_eq(again.model, r.model);
            assert_int_equal(again.cost, r.cost);
        }
}

static void test_request(void **state)
{
    place *p = *state;
    static const char *const parts[][2] = {
        {"\"stream_options\":{\"include_usage\":true}", "Bearer sk-very"},
        {"\"max_tokens\":16384", "\"x-api-key\":\"sk-very"},
        {"\"num_ctx\":16384", "Bearer sk-very"},
    };
    for (int protocol = 0; protocol < 3; protocol++) {
        unlink(server.log);
        const cv_reach *reach = endpoint(p, "ok", protocol);
        char *prompt = cv_arena_alloc(&p->arena, 20001);
        memset(prompt, 'x', 20000);
        cv_calls_start(p->calls, &(cv_calls_request){.reach = reach,
                                                     .prompt = {prompt, 20000},
                                                     .system = CV_STR("Be short."),
                                                     .output = output(p, "answer")});
        memset(prompt, 'y', 20000); /* it was copied */
        cv_calls_result r = finish(p);
        assert_outcome(r, CV_CALL_ANSWERED);
        cv_str log = cv_test_read(&p->arena, server.log);
        assert_str_has(log, parts[protocol][0]);
        assert_str_has(log, parts[protocol][1]);
        assert_str_has(log, "\"model\":\"m\"");
        assert_str_has(log, "\"stream\":true");
        assert_str_has(log, "Be short.");
        assert_str_has(log, "xxxxx\"");
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void test_failures(void **state)
{
    place *p = *state;
    static const struct {
        const char *behaviour;
        cv_calls_outcome outcome;
        int64_t status;
        const char *message;
    } cases[] = {
        {"429", CV_CALL_RATE_LIMITED, 429, "status 429: status 429 was asked for"},
        {"503", CV_CALL_OVERLOADED, 503, "status 503"},
        {"529", CV_CALL_OVERLOADED, 529, "status 529"},
        {"500", CV_CALL_OVERLOADED, 500, "status 500"},
        {"400", CV_CALL_DENIED, 400, "status 400"},
        {"404", CV_CALL_DENIED, 404, "status 404"},
        {"301", CV_CALL_DENIED, 301, "another address"},
        {"stall", CV_CALL_TIMEOUT, CV_ABSENT, "silent for 0.3 seconds"},
        {"cut", CV_CALL_CUT, 200, "ended before"},
        {"end", CV_CALL_CUT, 200, "ended before"},
        {"half", CV_CALL_CUT, 200, "ended before"},
        {"drop", CV_CALL_CUT, CV_ABSENT, ""},
        {"broken", CV_CALL_GARBAGE, 200, "{not json}"},
        {"not-text", CV_CALL_GARBAGE, 200, "not a JSON object"},
        {"html", CV_CALL_GARBAGE, 200, "neither a stream nor JSON"},
        {"error", CV_CALL_OVERLOADED, 200, "Overloaded"},
        {"refuse", CV_CALL_REFUSED, 200, "declined"},
        {"length", CV_CALL_LENGTH, 200, "max_tokens"},
        {"empty", CV_CALL_EMPTY, 200, "empty"},
        {"nothing-of-the-sort", CV_CALL_DENIED, 404, "no behaviour"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        for (int protocol = 0; protocol < 3; protocol++) {
            cv_calls_result r = ask(p, cases[i].behaviour, protocol);
            if (r.outcome != cases[i].outcome)
                print_error("%s, %s\n", cases[i].behaviour, protocol_words[protocol]);
            assert_outcome(r, cases[i].outcome);
            assert_int_equal(r.http_status, cases[i].status);
            assert_str_has(r.message, cases[i].message);
            assert_null(r.answer.p);
            assert_int_equal(count_files(p->folder), 0);
        }
}

static void test_retry_after(void **state)
{
    place *p = *state;
    assert_int_equal(ask(p, "429", 0).retry_after_ms, 2000);
    assert_int_equal(ask(p, "429-ms", 1).retry_after_ms, 1500);
    int64_t ms = ask(p, "429-date", 1).retry_after_ms;
    assert_in_range(ms, 1000, 5000);
    assert_int_equal(ask(p, "ok", 1).retry_after_ms, CV_ABSENT);
    cv_calls_result r = ask(p, "quota", 0);
    assert_outcome(r, CV_CALL_DENIED); /* waiting does not help */
    r = ask(p, "503x1", 0);
    assert_outcome(r, CV_CALL_OVERLOADED);
    r = ask(p, "503x1", 0);
    assert_outcome(r, CV_CALL_ANSWERED);
}

static void test_times(void **state)
{
    place *p = *state;
    cv_reach *reach = endpoint(p, "hang", 0);
    reach->timeout_ms = 300;
    cv_calls_result r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_TIMEOUT);
    assert_str_has(r.message, "0.3 seconds");
    start(p, endpoint(p, "hang", 1), CV_STR(""), "one");
    cv_calls_step(p->calls, &p->arena, 50, &r);
    cv_calls_cancel(p->calls, NULL);
    r = finish(p);
    assert_outcome(r, CV_CALL_CANCELLED);
    /* A model that thinks before it begins is not stalled. */
    r = ask(p, "wait-600", 0);
    assert_outcome(r, CV_CALL_ANSWERED);
    start(p, endpoint(p, "hang", 1), CV_STR(""), "two"); /* ended when the calls are closed */
    cv_calls_step(p->calls, &p->arena, 50, &r);
}

static void test_large(void **state)
{
    place *p = *state;
    for (int protocol = 0; protocol < 3; protocol++) {
        cv_reach *reach = endpoint(p, "big-20000", protocol);
        cv_calls_result r = call_reach(p, reach, "");
        assert_outcome(r, CV_CALL_ANSWERED);
        assert_int_equal(r.answer.n, 20000);
        reach->max_output = 19999;
        r = call_reach(p, reach, "");
        assert_outcome(r, CV_CALL_TOO_LARGE);
    }
}

static void test_unreachable(void **state)
{
    place *p = *state;
    cv_reach *reach = endpoint(p, "ok", 0);
    reach->url = CV_STR("http://127.0.0.1:1/v1/chat/completions");
    cv_calls_result r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_UNREACHABLE);
    assert_str_has(r.message, "127.0.0.1");
    reach->url = CV_STR("https://127.0.0.1:1/");
    r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_UNREACHABLE);
    reach->url = cv_arena_printf(&p->arena, "https://127.0.0.1:%d/", server.port); /* no TLS is spoken there */
    r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_UNREACHABLE);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void test_keys(void **state)
{
    place *p = *state;
    for (int protocol = 0; protocol < 3; protocol++) {
        cv_reach *reach = endpoint(p, "key", protocol);
        cv_calls_result r = call_reach(p, reach, "");
        assert_outcome(r, CV_CALL_ANSWERED);
        assert_str_eq(r.answer, "Your key is [MY_API_KEY].");
        cv_str file = cv_test_read(&p->arena, output(p, "answer"));
        assert_int_equal(cv_str_find(file, CV_STR("sk-")), SIZE_MAX);
        unlink(output(p, "answer"));
        /* Another variable with another key, which the server repeats in its refusal. */
        reach->key_env = CV_STR("SECRET_OF_OTHERS");
        r = call_reach(p, reach, "");
        assert_outcome(r, CV_CALL_DENIED);
        assert_str_has(r.message, "Incorrect API key provided: [SECRET_OF_OTHERS]");
        reach->key_env = CV_STR("NOT_SET");
        r = call_reach(p, reach, "");
        assert_outcome(r, CV_CALL_NOT_STARTED);
        assert_str_has(r.message, "NOT_SET");
    }
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

/* Commands and endpoints together, in one loop. */
static void test_many(void **state)
{
    place *p = *state;
    enum { MANY = 60 };
    const cv_reach *all[] = {endpoint(p, "ok", 0), endpoint(p, "wait-20", 1), endpoint(p, "bytes", 2),
                             reach_of(p, "tr a-z A-Z"), endpoint(p, "503", 0)};
    size_t answered = 0, failed = 0;
    for (int i = 0; i < MANY; i++) {
        cv_str name = cv_arena_printf(&p->arena, "%d", i);
        start(p, all[(size_t)i % CV_COUNT(all)], CV_STR("hello"), name.p);
    }
    for (int i = 0; i < MANY; i++) {
        cv_calls_result r = finish(p);
        answered += r.outcome == CV_CALL_ANSWERED;
        failed += r.outcome == CV_CALL_OVERLOADED;
        if (r.outcome == CV_CALL_ANSWERED)
            assert_str_eq(r.answer, atoi(r.tag) % 5 == 3 ? "HELLO" : "You said: hello ✓");
    }
    assert_int_equal(failed, MANY / 5);
    assert_int_equal(answered, MANY - MANY / 5);
    assert_int_equal(count_files(p->folder), answered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(test_answers), TEST(test_request),     TEST(test_failures), TEST(test_retry_after), TEST(test_times),
        TEST(test_large),   TEST(test_unreachable), TEST(test_keys),     TEST(test_many),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
