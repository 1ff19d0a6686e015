/* test_sessions.c - who has to go when there are too many sessions: nobody who is in use. The clock is not waited for:
 * when a session was last used is set.
 */
#include "testing.h"

#include "base/monotonic.h"
#include "door/mcp/streams.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

typedef struct {
    cv_workers workers;
    cv_mcp_host host;
    cv_mcp_sessions all;
} world;

static const cv_mcp_server server = {.name = CV_STR_INIT("test")};
static const cv_str mine = CV_STR_INIT("token");

static cv_mcp_http_session *open_one(world *w)
{
    int64_t wait_ms;
    cv_mcp_http_session *session = cv_mcp_sessions_new(&w->all, mine, &wait_ms);
    if (session)
        cv_mcp_sessions_let_go(session); /* the list's share is left */
    return session;
}

/* As many sessions as there may be; the first one is the oldest. */
static cv_mcp_http_session *begin(world *w)
{
    *w = (world){0};
    cv_workers_init(&w->workers, &server.own);
    cv_mcp_host_init(&w->host, &server, &w->workers);
    w->all.host = &w->host;
    pthread_mutex_init(&w->all.lock, NULL);
    cv_mcp_http_session *first = open_one(w);
    for (size_t i = 1; i < CV_MCP_MAX_SESSIONS; i++)
        assert_non_null(open_one(w));
    return first;
}

static void end(world *w)
{
    cv_mcp_sessions_end(&w->all);
    assert_true(cv_mcp_host_end(&w->host));
    cv_mcp_host_release(&w->host);
    cv_workers_release(&w->workers);
    pthread_mutex_destroy(&w->all.lock);
}

static bool is_there(world *w, const char *id)
{
    cv_mcp_http_session *session = cv_mcp_sessions_find(&w->all, cv_str_of(id), mine);
    if (session)
        cv_mcp_sessions_let_go(session);
    return session;
}

static void unused_since(cv_mcp_http_session *session, int64_t ms, bool found)
{
    session->used_ms = cv_monotonic_ms() - ms;
    session->found = found;
}

static void who_is_in_use_stays(void **state)
{
    (void)state;
    world w;
    int64_t wait_ms;
    cv_mcp_http_session *first = begin(&w);
    assert_null(cv_mcp_sessions_new(&w.all, mine, &wait_ms));
    assert_true(wait_ms > 0 && wait_ms <= 30 * SECOND); /* nothing was asked in any of them */
    for (cv_mcp_http_session *s = w.all.first; s; s = s->next)
        unused_since(s, 4 * MINUTE, true);
    assert_null(cv_mcp_sessions_new(&w.all, mine, &wait_ms));
    assert_true(wait_ms > 0 && wait_ms <= MINUTE);
    assert_int_equal(w.all.count, CV_MCP_MAX_SESSIONS);
    assert_true(is_there(&w, first->id));
    end(&w);
}

static void one_that_is_quiet_gives_up_its_place(void **state)
{
    static const struct {
        int64_t unused;
        bool found, goes;
    } cases[] = {{29 * SECOND, false, false}, {31 * SECOND, false, true}, {31 * SECOND, true, false},
                 {4 * MINUTE, true, false},   {6 * MINUTE, true, true},   {2 * HOUR, true, true}};
    (void)state;
    world w;
    cv_mcp_http_session *quiet = begin(&w);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        char id[sizeof quiet->id];
        memcpy(id, quiet->id, sizeof id);
        unused_since(quiet, cases[i].unused, cases[i].found);
        cv_mcp_http_session *session = open_one(&w);
        assert_int_equal(session != NULL, cases[i].goes);
        assert_int_equal(is_there(&w, id), !cases[i].goes);
        assert_int_equal(w.all.count, CV_MCP_MAX_SESSIONS);
        if (session)
            quiet = session;
    }
    end(&w);
}

static void with_another_token_it_is_not_found(void **state)
{
    (void)state;
    world w;
    const char *id = begin(&w)->id;
    assert_true(is_there(&w, id));
    assert_null(cv_mcp_sessions_find(&w.all, cv_str_of(id), CV_STR("other")));
    assert_null(cv_mcp_sessions_find(&w.all, cv_str_of(id), (cv_str){NULL, 0}));
    end(&w);
}

static void a_call_under_way_keeps_its_session(void **state)
{
    (void)state;
    world w;
    int64_t wait_ms;
    cv_mcp_http_session *busy = begin(&w);
    assert_ptr_equal(cv_mcp_sessions_find(&w.all, cv_str_of(busy->id), mine), busy); /* held, as by a call */
    unused_since(busy, 2 * HOUR, true);
    assert_null(cv_mcp_sessions_new(&w.all, mine, &wait_ms));
    unused_since(busy, 2 * HOUR, true);
    cv_mcp_sessions_let_go(busy);
    assert_non_null(open_one(&w));
    end(&w);
}

static void without_a_crowd_an_hour_is_the_end(void **state)
{
    (void)state;
    world w;
    begin(&w);
    cv_mcp_sessions_remove(&w.all, w.all.first);
    cv_mcp_sessions_remove(&w.all, w.all.first);
    cv_mcp_http_session *old = w.all.first, *older = old->next;
    unused_since(old, 59 * MINUTE, true);
    unused_since(older, 61 * MINUTE, true);
    assert_non_null(open_one(&w));
    assert_int_equal(w.all.count, CV_MCP_MAX_SESSIONS - 2);
    assert_true(is_there(&w, old->id));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_in_use_stays),
        cmocka_unit_test(one_that_is_quiet_gives_up_its_place),
        cmocka_unit_test(with_another_token_it_is_not_found),
        cmocka_unit_test(a_call_under_way_keeps_its_session),
        cmocka_unit_test(without_a_crowd_an_hour_is_the_end),
    };
    return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
