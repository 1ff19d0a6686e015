/* test_calls.c - commands that are called: what they get, how they end, what is left of them. */
#include "calling.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/monotonic.h"
#include "record/hash.h"
#include "run/parts.h"

static cv_calls_result call(place *p, const char *command, const char *prompt)
{
    return call_reach(p, reach_of(p, command), prompt);
}

static size_t count_descriptors(void)
{
    return count_files("/proc/self/fd");
}

static bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}

/* Waits for what another process does, at most ten seconds. */
#define eventually(condition)                                                                                          \
    do {                                                                                                               \
        for (int i_ = 0; i_ < 1000 && !(condition); i_++)                                                              \
            usleep(10000);                                                                                             \
        assert_true(condition);                                                                                        \
    } while (0)

/* ---- what it gets, what it gives --------------------------------------------------------------------------------- */

static void test_answer(void **state)
{
    place *p = *state;
    cv_calls_result r = call(p, "tr a-z A-Z", "hello\n");
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_str_eq(r.answer, "HELLO\n");
    assert_string_equal(r.tag, "answer");
    assert_int_equal(r.exit_status, 0);
    assert_int_equal(r.bytes, 6);
    assert_view_eq(r.answer_hash, cv_hash_text(&p->arena, CV_STR("HELLO\n")));
    assert_view_eq(r.prompt_hash, cv_hash_text(&p->arena, CV_STR("hello\n")));
    assert_int_equal(r.tokens_in, CV_ABSENT);
    assert_int_equal(cv_calls_running(p->calls), 0);
}

static void test_file(void **state)
{
    place *p = *state;
    cv_err err = {.arena = &p->arena};
    cv_calls_result r = call(p, "sh -c 'cat; echo oops >&2'", "# An answer\n<!-- conclave: {} -->\n"), again;
    struct stat st;
    bool found;
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_str_eq(r.tail, "oops");
    assert_int_equal(stat(output(p, "answer"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(cv_calls_recover(&p->arena, output(p, "answer"), &again, &found, &err));
    assert_true(found);
    assert_view_eq(again.answer, r.answer);
    assert_view_eq(again.answer_hash, r.answer_hash);
    assert_view_eq(again.tail, r.tail);
    assert_int_equal(again.duration_ms, r.duration_ms);
    assert_int_equal(count_files(p->folder), 1);
    /* What is not whole is no answer, and goes. */
    cv_str whole = cv_test_read(&p->arena, output(p, "answer"));
    for (size_t n = 0; n < whole.n; n++) {
        FILE *f = fopen(output(p, "cut"), "wb");
        fwrite(whole.p, 1, n, f);
        fclose(f);
        assert_true(cv_calls_recover(&p->arena, output(p, "cut"), &again, &found, &err));
        assert_false(found);
        assert_int_equal(access(output(p, "cut"), F_OK), -1);
    }
    assert_true(cv_calls_recover(&p->arena, output(p, "cut"), &again, &found, &err));
    assert_false(found);
}

static void test_environment(void **state)
{
    place *p = *state;
    cv_reach *reach = reach_of(p, "env");
    static const cv_str names[] = {CV_STR_INIT("MY_SETTING"), CV_STR_INIT("CONCLAVE_EXPERT"), CV_STR_INIT("NOT_SET")};
    setenv("CONCLAVE_OF_US", "x", 1);
    reach->env = (cv_words){names, CV_COUNT(names)};
    cv_calls_result r = call_reach(p, reach, "");
    assert_str_eq(r.answer,
                  "CONCLAVE_EXPERT=muffin\nPATH=/usr/local/bin:/usr/bin:/bin\nHOME=/nowhere\nMY_SETTING=blue\n");
}

static void test_folder(void **state)
{
    place *p = *state;
    cv_reach *reach = reach_of(p, "pwd");
    cv_calls_result r = call_reach(p, reach, "");
    assert_view_eq(cv_str_trim(r.answer), cv_str_of(p->folder));
    mkdir(output(p, "below"), 0700);
    reach->folder = CV_STR("below");
    r = call_reach(p, reach, "");
    assert_str_eq(cv_str_trim(r.answer), output(p, "below"));
    reach->folder = CV_STR("nowhere");
    r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_NOT_STARTED);
    assert_str_has(r.message, "enter its folder");
}

static void test_files(void **state)
{
    place *p = *state;
    cv_calls_result r = call(p, "cp {prompt_file} {output_file}", "by file");
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_str_eq(r.answer, "by file");
    r = call(p, "sh -c 'cat; cat \"$1\"' - {prompt_file}", "once");
    assert_str_eq(r.answer, "once"); /* standard input is empty then */
    assert_int_equal(count_files(p->folder), 1);
}

/* A prompt and an answer that do not fit into pipes; and prompts that nobody reads. */
static void test_large(void **state)
{
    place *p = *state;
    enum { LARGE = 900 * 1000 };
    char *text = malloc(LARGE + 1);
    memset(text, 'x', LARGE);
    text[LARGE] = '\0';
    cv_calls_result r = call(p, "cat", text);
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_int_equal(r.answer.n, LARGE);
    r = call(p, "echo not read", text);
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_str_eq(r.answer, "not read\n");
    cv_reach *reach = reach_of(p, "cat");
    reach->max_output = LARGE - 1;
    r = call_reach(p, reach, text);
    assert_outcome(r, CV_CALL_TOO_LARGE);
    assert_null(r.answer.p);
    assert_int_equal(count_files(p->folder), 1); /* the last answer but one */
    r = call_reach(p, reach_of(p, "sh -c 'cat; cat /dev/zero'"), text);
    assert_outcome(r, CV_CALL_TOO_LARGE);
    free(text);
}

/* ---- how it ends ------------------------------------------------------------------------------------------------- */

static void test_failures(void **state)
{
    place *p = *state;
    static const struct {
        const char *command;
        cv_calls_outcome outcome;
        int64_t status;
        const char *message, *tail;
    } cases[] = {
        {"sh -c 'echo bad >&2; exit 3'", CV_CALL_FAILED, 3, "status 3: bad", "bad"},
        {"sh -c 'echo on stdout; exit 1'", CV_CALL_FAILED, 1, "status 1", "on stdout"},
        {"sh -c 'kill -9 $$'", CV_CALL_FAILED, 137, "signal 9 (Killed)", ""},
        {"true", CV_CALL_EMPTY, 0, "empty", ""},
        {"echo", CV_CALL_EMPTY, 0, "empty", ""},
        {"printf '\\377'", CV_CALL_NOT_TEXT, 0, "UTF-8", ""},
        {"printf 'a\\0b'", CV_CALL_NOT_TEXT, 0, "NUL", ""},
        {"no-such-program-at-all", CV_CALL_NOT_STARTED, CV_ABSENT, "no program 'no-such-program-at-all' in", ""},
        {"./nowhere", CV_CALL_NOT_STARTED, CV_ABSENT, "no program './nowhere'", ""},
        {"/", CV_CALL_NOT_STARTED, CV_ABSENT, "cannot run '/'", ""},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_calls_result r = call(p, cases[i].command, "");
        assert_outcome(r, cases[i].outcome);
        assert_int_equal(r.exit_status, cases[i].status);
        assert_str_has(r.message, cases[i].message);
        assert_str_eq(r.tail, cases[i].tail);
        assert_null(r.answer.p);
        assert_int_equal(count_files(p->folder), 0);
    }
}

static void test_scripts(void **state)
{
    place *p = *state;
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"echo no interpreter is named\n", "it is neither a program nor a script with a '#!' line"},
        {"#!/nowhere/sh\necho\n", "the interpreter in its first line, '#!/nowhere/sh', is not there"},
        {"#!/nowhere/sh", "the interpreter in its first line, '#!/nowhere/sh', is not there"},
        {"#!/bin/sh\r\necho\r\n", "its lines end as on Windows, with a carriage return, and so does the name of the "
                                  "interpreter in its '#!' line; end them with a line feed alone"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        FILE *f = fopen(output(p, "script"), "w");
        fputs(cases[i].body, f);
        fclose(f);
        chmod(output(p, "script"), 0700);
        cv_calls_result r = call(p, "./script", "");
        assert_outcome(r, CV_CALL_NOT_STARTED);
        assert_str_has(r.message, cases[i].message);
    }
}

static void test_seconds(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *words;
    } cases[] = {{50, "0.05 seconds"}, {1000, "1 second"}, {1800000, "1800 seconds"}, {86400000, "86400 seconds"}};
    cv_one one = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_str_eq(cv_one_seconds(&one, cases[i].ms), cases[i].words);
    cv_arena_release(&one.arena);
}

static void test_timeout(void **state)
{
    place *p = *state;
    cv_reach *reach = reach_of(p, "sleep 60");
    reach->timeout_ms = 50;
    cv_calls_result r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_TIMEOUT);
    assert_int_equal(r.exit_status, 128 + SIGTERM);
    /* One that does not want to go, and has not said anything useful. */
    reach = reach_of(p, "sh -c 'trap \"echo ignored >&2\" TERM; echo begun; while :; do sleep 0.05; done'");
    reach->timeout_ms = 200;
    r = call_reach(p, reach, "");
    assert_outcome(r, CV_CALL_TIMEOUT);
    assert_int_equal(r.exit_status, 128 + SIGKILL);
    assert_str_has(r.tail, "ignored");
    assert_int_equal(count_files(p->folder), 0);
}

static void test_cancel(void **state)
{
    place *p = *state;
    const cv_reach *reach = reach_of(p, "sleep 60");
    const char *two = "two";
    start(p, reach, CV_STR(""), "one");
    start(p, reach, CV_STR(""), two);
    start(p, reach_of(p, "echo done"), CV_STR(""), "three");
    cv_calls_result r = finish(p);
    assert_string_equal(r.tag, "three");
    cv_calls_cancel(p->calls, two);
    r = finish(p);
    assert_string_equal(r.tag, "two");
    assert_outcome(r, CV_CALL_CANCELLED);
    assert_int_equal(cv_calls_running(p->calls), 1);
    cv_calls_cancel(p->calls, NULL);
    r = finish(p);
    assert_outcome(r, CV_CALL_CANCELLED);
}

/* Descriptors of ours, and what we do with signals, are nothing to it. */
static void test_clean(void **state)
{
    place *p = *state;
    int kept = open("/dev/null", O_RDONLY); /* not closed on exec */
    cv_calls_result r =
        call(p, "sh -c 'ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status; ps -o pgid= -p $$; echo $$'", "");
    close(kept);
    cv_str rest = r.answer, line;
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_true(cv_str_split(&rest, '\n', &line));
    assert_str_eq(line, "4"); /* three, and the one that ls has for the folder */
    assert_true(cv_str_split(&rest, '\n', &line));
    assert_int_equal(strtoull(line.p + strlen("SigIgn:"), NULL, 16) & 1ULL << (SIGPIPE - 1), 0);
    cv_str group, self;
    assert_true(cv_str_split(&rest, '\n', &group));
    assert_true(cv_str_split(&rest, '\n', &self));
    assert_view_eq(cv_str_trim(group), self);
}

/* ---- what is left of it ------------------------------------------------------------------------------------------ */

static pid_t read_pid(place *p, const char *name)
{
    int pid = 0;
    for (int i = 0; i < 1000 && pid == 0; i++) {
        FILE *f = fopen(output(p, name), "r");
        if (!f || fscanf(f, "%d", &pid) != 1)
            pid = 0;
        if (f)
            fclose(f);
        if (!pid)
            usleep(10000);
    }
    return pid;
}

/* What a command has started goes with it, whether it answers, fails or takes too long. */
static void test_group(void **state)
{
    place *p = *state;
    static const char *const ends[] = {"echo answered", "exit 1", "sleep 60"};
    for (size_t i = 0; i < CV_COUNT(ends); i++) {
        cv_reach *reach = reach_of(p, cv_arena_printf(&p->arena, "sh -c 'sleep 61 & echo $! >pid; %s'", ends[i]).p);
        reach->timeout_ms = 1000;
        call_reach(p, reach, "");
        pid_t pid = read_pid(p, "pid");
        assert_true(pid > 0);
        eventually(!is_alive(pid));
        unlink(output(p, "pid"));
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* the guard is our only child */
}

/* When we are killed, so are commands and what they have started. */
static void test_killed(void **state)
{
    place *p = *state;
    pid_t runner = fork();
    if (runner == 0) {
        start(p, reach_of(p, "sh -c 'sleep 62 & echo $! >child; echo $$ >self; wait'"), CV_STR(""), "answer");
        for (;;) {
            cv_calls_result r;
            cv_calls_step(p->calls, &p->arena, 1000, &r);
        }
    }
    pid_t self = read_pid(p, "self"), child = read_pid(p, "child");
    assert_true(self > 0 && child > 0 && is_alive(self) && is_alive(child));
    kill(runner, SIGKILL);
    waitpid(runner, NULL, 0);
    eventually(!is_alive(self));
    eventually(!is_alive(child));
    assert_int_equal(access(output(p, "answer"), F_OK), -1);
}

static void test_descriptors(void **state)
{
    place *p = *state;
    call(p, "true", ""); /* the guard's pipe stays */
    size_t before = count_descriptors();
    for (int i = 0; i < 5; i++) {
        call(p, "cat", "x");
        call(p, "no-such-program-at-all", "x");
    }
    assert_int_equal(count_descriptors(), before);
}

static void test_secrets(void **state)
{
    place *p = *state;
    static const cv_str names[] = {CV_STR_INIT("MY_API_KEY")};
    cv_reach *reach = reach_of(p, "sh -c 'echo key $MY_API_KEY; echo $MY_API_KEY >&2'");
    reach->env = (cv_words){names, 1};
    cv_calls_result r = call_reach(p, reach, "");
    assert_str_eq(r.answer, "key [MY_API_KEY]\n");
    assert_str_eq(r.tail, "[MY_API_KEY]");
    cv_str file = cv_test_read(&p->arena, output(p, "answer"));
    assert_int_equal(cv_str_find(file, CV_STR("sk-very-secret")), SIZE_MAX);
}

/* A key may lie anywhere: at the place where the end of standard error begins, behind a longer one that begins like it,
 * in lines of its own. No piece of it is left. */
static void test_secrets_in_pieces(void **state)
{
    place *p = *state;
    cv_arena *a = &p->arena;
    static const char value[] = "sk-0123456789abcdefXYZ";
    cv_secrets secrets = {0};
    cv_secrets_add(a, &secrets, CV_STR("SHORT"), CV_STR("sk-0123456789"));
    cv_secrets_add(a, &secrets, CV_STR("LONG"), CV_STR(value));
    assert_str_eq(cv_secrets_hide(a, &secrets, CV_STR("sk-0123456789abcdefXYZ sk-0123456789")), "[LONG] [SHORT]");
    for (size_t behind = CV_CALLS_TAIL - sizeof value - 4; behind < CV_CALLS_TAIL + 4; behind++) {
        cv_tail *tail = CV_NEW(a, cv_tail);
        cv_tail_add(tail, CV_STR(value));
        for (size_t i = 0; i < behind; i++)
            cv_tail_add(tail, CV_STR("."));
        cv_str text = cv_tail_text(a, tail, &secrets);
        for (size_t i = 0; i < text.n; i++)
            assert_true(strchr(".[]LONGSHRT", text.p[i]));
    }
    cv_secrets lines = {0};
    cv_secrets_add(a, &lines, CV_STR("PEM"), CV_STR("-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END KEY-----\n"));
    cv_str hidden = cv_secrets_hide(a, &lines, CV_STR("bad line 2: MIIEvQIBADANBgkqhkiG\\n"));
    assert_str_eq(hidden, "bad line 2: [PEM]\\n");
}

/* What a variable is called does not matter if its value looks like a key; ordinary values are left alone. */
static void test_secret_words(void **state)
{
    static const struct {
        const char *text;
        bool secret;
    } names[] = {{"OPENAI_API_KEY", true},
                 {"my_token", true},
                 {"DB_PASSWORD", true},
                 {"GIT_AUTHOR_NAME", false},
                 {"LANGUAGE", false}},
      values[] = {{"sk-0123456789abcdef", true},
                  {"ghp_16C7e42F292c6912E7710c838347Ae178B4a", true},
                  {"/usr/lib/jvm/java-17-openjdk", false},
                  {"1234567890123456", false},
                  {"http://localhost:8080/path", false},
                  {"a text with 16 or more", false},
                  {"en_US.UTF-8", false}};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(names); i++)
        assert_int_equal(cv_secret_name(cv_str_of(names[i].text)), names[i].secret);
    for (size_t i = 0; i < CV_COUNT(values); i++)
        assert_int_equal(cv_secret_value(cv_str_of(values[i].text)), values[i].secret);
}

static void test_placeholders(void **state)
{
    place *p = *state;
    cv_calls_result r =
        call(p, "sh -c 'cat \"$0\" {prompt_file} {prompt_file}; echo {prompt_file}{prompt_file}' {prompt_file}", "x");
    assert_outcome(r, CV_CALL_ANSWERED);
    assert_true(cv_str_starts(r.answer, CV_STR("xxx")));
    assert_int_equal(cv_str_find(r.answer, CV_STR("{")), SIZE_MAX);
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

static void test_many(void **state)
{
    place *p = *state;
    enum { MANY = 100 };
    const cv_reach *reach = reach_of(p, "sh -c 'cat; echo $CONCLAVE_EXPERT'");
    bool seen[MANY] = {0};
    for (int i = 0; i < MANY; i++) {
        cv_str name = cv_arena_printf(&p->arena, "%d", i);
        start(p, reach, name, name.p);
    }
    for (int i = 0; i < MANY; i++) {
        cv_calls_result r = finish(p);
        assert_outcome(r, CV_CALL_ANSWERED);
        assert_view_eq(r.answer, cv_arena_printf(&p->arena, "%smuffin\n", (const char *)r.tag));
        assert_false(seen[atoi(r.tag)]);
        seen[atoi(r.tag)] = true;
    }
    assert_int_equal(cv_calls_running(p->calls), 0);
    assert_int_equal(count_files(p->folder), MANY);
}

static void test_left_running(void **state)
{
    place *p = *state;
    cv_calls_result r;
    start(p, reach_of(p, "sh -c 'echo begun; sleep 60'"), CV_STR(""), "slow");
    assert_false(cv_calls_step(p->calls, &p->arena, 100, &r));
    assert_int_equal(cv_calls_running(p->calls), 1);
    /* It is ended when the calls are closed. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(test_answer),       TEST(test_left_running), TEST(test_file),
        TEST(test_environment),  TEST(test_folder),       TEST(test_files),
        TEST(test_large),        TEST(test_failures),     TEST(test_scripts),
        TEST(test_seconds),      TEST(test_timeout),      TEST(test_cancel),
        TEST(test_clean),        TEST(test_group),        TEST(test_killed),
        TEST(test_descriptors),  TEST(test_secrets),      TEST(test_secrets_in_pieces),
        TEST(test_secret_words), TEST(test_placeholders), TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
