/* test_kept_answers.c - answers that are given again: when a tool is called, and when it need not be. */
#include "door/mcp/host.h"
#include "testing.h"

/* ---- a small server ---------------------------------------------------------------------------------------------- */

static struct {
    int calls;
    bool knows; /* the version */
    uint64_t version;
    int asked;    /* … for it */
    size_t bytes; /* of filling in each answer */
    const char *folder;
    cv_where looks_at; /* a folder, which each answer is made from; path NULL: none */
} world;

/* Says how often it was called, so that an old answer shows. */
static bool count(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    char *filling = cv_arena_alloc(r->arena, world.bytes);
    memset(filling, 'x', world.bytes);
    r->is_error = cv_json_get_true(arguments, "wrong");
    if (world.looks_at.path)
        cv_seen_add(&r->seen, r->arena, world.looks_at);
    cv_mcp_text(r, cv_arena_printf(r->arena, "call %d%.*s", ++world.calls, (int)world.bytes, filling));
    return true;
}

static bool data_version(void *ctx, uint64_t *ret_version)
{
    (void)ctx;
    world.asked++;
    *ret_version = world.version;
    return world.knows;
}

static const cv_mcp_tool tools[] = {
    {.name = CV_STR_INIT("other"), .definition = CV_STR_INIT("{}"), .call = count},
    {.name = CV_STR_INIT("cacheable"), .definition = CV_STR_INIT("{}"), .call = count, .cacheable = true},
    {.name = CV_STR_INIT("second"), .definition = CV_STR_INIT("{}"), .call = count, .cacheable = true},
};
static const cv_mcp_server server = {.name = CV_STR_INIT("test"),
                                     .version = CV_STR_INIT("1"),
                                     .tools = tools,
                                     .tool_count = CV_COUNT(tools),
                                     .data_version = data_version};

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static struct {
    cv_workers workers;
    cv_mcp_host host;
    cv_mcp_session session;
    cv_arena arena;
    cv_str answer;
    cv_str bearer; /* that the next questions come with */
    uint64_t moment;
} it;

static void finish(cv_mcp_job *job)
{
    it.answer = cv_arena_copy(&it.arena, cv_buf_str(&job->out));
    cv_mcp_job_free(job);
}

/* There are no threads: what would wait for a worker is served here. */
static cv_str ask(const char *tool, const char *arguments, const char *meta)
{
    static const cv_mcp_transport transport = {.finish = finish};
    cv_mcp_job *job = cv_mcp_job_new(&it.host);
    cv_buf_printf(&job->text,
                  "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"%s%s}}", tool,
                  arguments, meta);
    job->transport = &transport;
    job->session = &it.session;
    job->bearer = it.bearer;
    job->moment = it.moment;
    it.answer = (cv_str){NULL, 0};
    assert_true(cv_mcp_read(job));
    cv_mcp_dispatch(job);
    cv_work *work = it.workers.quick.first;
    if (work) {
        cv_arena arena = {0};
        it.workers.quick = (cv_work_line){0};
        it.workers.queued--;
        work->serve(work, &arena, NULL);
        cv_arena_release(&arena);
    }
    return it.answer;
}

static void expect(const char *tool, const char *arguments, int call)
{
    char text[32];
    snprintf(text, sizeof text, "\"text\":\"call %d", call);
    cv_str answer = ask(tool, arguments, "");
    assert_str_has(answer, text);
    assert_true(cv_str_starts(answer, CV_STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[")));
    assert_true(cv_str_ends(answer, CV_STR("]}}")));
}

static int set_up(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    memset(&it, 0, sizeof it);
    world.knows = true;
    world.version = 1;
    world.folder = cv_test_folder(&it.arena);
    cv_workers_init(&it.workers, &server.own);
    cv_mcp_host_init(&it.host, &server, &it.workers);
    cv_mcp_session_init(&it.session, &it.host);
    it.workers.count = CV_WORKERS_ALL; /* none is called */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    it.workers.count = 0;
    cv_mcp_session_end(&it.session, &it.host);
    cv_mcp_host_end(&it.host);
    cv_mcp_host_release(&it.host);
    cv_workers_release(&it.workers);
    cv_mcp_session_release(&it.session);
    cv_test_remove(world.folder);
    cv_arena_release(&it.arena);
    return 0;
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void the_same_question_is_answered_again(void **state)
{
    (void)state;
    expect("cacheable", "", 1);
    expect("cacheable", "", 1);
    expect("cacheable", ",\"arguments\":{}", 1);
    expect("cacheable", ",\"arguments\":{\"a\":1}", 2);
    expect("cacheable", ",\"arguments\": { \"a\" : 1 }", 2);
    expect("cacheable", ",\"arguments\":{\"a\":\"1\"}", 3);
    expect("cacheable", ",\"arguments\":{\"a\":1.0}", 4);
    expect("second", ",\"arguments\":{\"a\":1}", 5);
    expect("second", ",\"arguments\":{\"a\":1}", 5);
    expect("cacheable", "", 1);
    assert_int_equal(world.calls, 5);
}

static void each_era_has_its_own_answer(void **state)
{
    static const char meta[] = ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                               "\"io.modelcontextprotocol/clientCapabilities\":{}}";
    (void)state;
    expect("cacheable", "", 1);
    assert_str_has(ask("cacheable", "", meta), "call 2");
    assert_str_has(ask("cacheable", "", meta), "call 2");
    assert_str_has(it.answer, "\"resultType\":\"complete\"");
    expect("cacheable", "", 1);
}

static void a_change_makes_every_answer_old(void **state)
{
    (void)state;
    expect("cacheable", "", 1);
    expect("second", "", 2);
    world.version++;
    expect("second", "", 3);
    expect("cacheable", "", 4);
    expect("second", "", 3);
}

static void what_is_not_steady_is_called(void **state)
{
    (void)state;
    expect("other", "", 1);
    expect("other", "", 2);
    world.knows = false;
    expect("cacheable", "", 3);
    expect("cacheable", "", 4);
    assert_int_equal(world.calls, 4);
}

static void faults_are_not_kept(void **state)
{
    (void)state;
    assert_str_has(ask("cacheable", ",\"arguments\":{\"wrong\":true}", ""), "call 1");
    assert_str_has(it.answer, "\"isError\":true");
    assert_str_has(ask("cacheable", ",\"arguments\":{\"wrong\":true}", ""), "call 2");
    assert_str_has(ask("cacheable", ",\"arguments\":[]", ""), "must be an object");
    assert_str_has(ask("cacheable", ",\"arguments\":[]", ""), "must be an object");
    assert_int_equal(world.calls, 2);
}

/* Much is kept, too much is not: neither of one answer nor of all. */
static void memory_is_bounded(void **state)
{
    (void)state;
    world.bytes = 1 << 19;
    expect("cacheable", "", 1);
    expect("cacheable", "", 2);
    world.bytes = 100000;
    for (int i = 0; i < 100; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, ",\"arguments\":{\"a\":%d}", i);
        expect("cacheable", arguments, 3 + i);
        expect("cacheable", arguments, 3 + i);
        cv_arena_reset(&it.arena);
    }
    expect("cacheable", ",\"arguments\":{\"a\":0}", 103); /* forgotten */
    char question[3000], *end = question + sizeof question - 3;
    snprintf(question, sizeof question, ",\"arguments\":{\"a\":\"");
    memset(question + strlen(question), 'q', (size_t)(end - question) - strlen(question));
    memcpy(end, "\"}", 3);
    expect("cacheable", question, 104);
    expect("cacheable", question, 105);
}

/* What one may see another may not: nobody gets the answer to somebody else. */
static void each_bearer_has_its_own_answer(void **state)
{
    static const cv_str bearers[] = {
        {NULL, 0}, CV_STR_INIT(""), CV_STR_INIT("one"), CV_STR_INIT("two"), CV_STR_INIT("on")};
    (void)state;
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < (int)CV_COUNT(bearers); i++) {
            it.bearer = bearers[i];
            expect("cacheable", "", i + 1);
        }
    it.bearer = bearers[0];
}

/* ---- answers made from folders ----------------------------------------------------------------------------------- */

/* What happens in a folder that has the files "a" and "b", and the empty folder "c". */
static const char *const changes[] = {
    "printf xy >a", /* the same size */
    "printf xyz >>a",
    "printf xy >d && touch -d '2020-01-01' d && mv d a", /* another file of the same size, and an old time */
    "cp -p a d && printf xy >a && touch -r d a && rm d", /* the same size and time */
    "printf x >d",
    "rm b",
    "mv b d",
    "ln -sf a b",
    "chmod 600 b",
    "mkdir d",
    "rmdir c",
    "touch c/e",
    "cd .. && rm -r now",
    "cd .. && mv now d && mkdir now && touch now/a now/b && mkdir now/c",
};

static void in_folder(const char *folder, const char *command)
{
    char line[512];
    assert_true((size_t)snprintf(line, sizeof line, "cd %s && %s", folder, command) < sizeof line);
    assert_int_equal(system(line), 0);
}

static cv_str one_folder(size_t i)
{
    return cv_arena_printf(&it.arena, "%s/%zu", world.folder, i);
}

static void changes_in_folders_show(void **state)
{
    cv_seen seen[CV_COUNT(changes)] = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        in_folder(
            world.folder,
            cv_arena_printf(&it.arena, "mkdir -p %zu/now/c && printf ab >%zu/now/a && touch %zu/now/b", i, i, i).p);
        cv_seen_add(&seen[i], &it.arena, (cv_where){one_folder(i).p, "now"});
        assert_false(cv_seen_is_current(&seen[i])); /* another change at this time would not show */
    }
    for (size_t i = 0; i < CV_COUNT(changes); i++)
        while (!cv_seen_is_current(&seen[i])) {
            usleep(50000);
            seen[i] = (cv_seen){0};
            cv_seen_add(&seen[i], &it.arena, (cv_where){one_folder(i).p, "now"});
        }
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        in_folder(cv_arena_join(&it.arena, one_folder(i), CV_STR("/now")).p, changes[i]);
        if (cv_seen_is_current(&seen[i]))
            fail_msg("nobody sees: %s", changes[i]);
    }
}

static void what_was_made_from_a_folder_is_kept_until_it_changes(void **state)
{
    (void)state;
    world.looks_at = (cv_where){world.folder, "missing"};
    expect("cacheable", "", 1);
    expect("cacheable", "", 1);
    in_folder(world.folder, "mkdir missing");
    expect("cacheable", "", 2);
    expect("cacheable", "", 3); /* it has changed just now: the next change might not show */
    in_folder(world.folder, "rmdir missing");
    expect("cacheable", "", 1);                      /* as it was then */
    world.looks_at = (cv_where){NULL, world.folder}; /* links are followed there */
    world.version++;
    expect("cacheable", "", 4);
    expect("cacheable", "", 5);
}

/* Messages that are read at once had all come before the first of them is answered. */
static void one_moment_is_looked_at_once(void **state)
{
    (void)state;
    world.looks_at = (cv_where){world.folder, "missing"};
    it.moment = 1;
    expect("cacheable", "", 1);
    expect("cacheable", "", 1);
    in_folder(world.folder, "mkdir missing");
    world.version++;
    expect("cacheable", "", 1);
    assert_int_equal(world.asked, 1);
    it.moment = 2;
    expect("cacheable", "", 2);
    assert_int_equal(world.asked, 2);
    it.moment = 0;
    expect("cacheable", "", 3); /* it has changed just now */
    expect("cacheable", "", 4);
    assert_int_equal(world.asked, 4);
    world.knows = false;
    it.moment = 3;
    expect("cacheable", "", 5);
    expect("cacheable", "", 6);
    assert_int_equal(world.asked, 5);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_same_question_is_answered_again),
        CASE(each_era_has_its_own_answer),
        CASE(a_change_makes_every_answer_old),
        CASE(what_is_not_steady_is_called),
        CASE(faults_are_not_kept),
        CASE(each_bearer_has_its_own_answer),
        CASE(memory_is_bounded),
        CASE(changes_in_folders_show),
        CASE(what_was_made_from_a_folder_is_kept_until_it_changes),
        CASE(one_moment_is_looked_at_once),
    };
    return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
