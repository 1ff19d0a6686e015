/* test_mail_crowd.c - many processes at one mailbox, and what an act costs beside a million messages.
 *
 * Senders and claimers are processes with handles of their own. Some claimers die with a lease in their hands. What was
 * acknowledged is there exactly once, in the order in which each sender was answered; everything is done exactly once,
 * whoever did it; and whoever comes late is told so.
 */
#include "mail.h"

#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "record/sqlite/engine.h"

enum { SENDERS = 32, CLAIMERS = 8, MORTALS = 3 };

/* ---- the crowd --------------------------------------------------------------------------------------------------- */

typedef struct {
    volatile int done, lost; /* by claimers: outcomes that were acknowledged, that came late */
    volatile int acknowledged[SENDERS];
} ledger;

static void leave(cv_world *w, int status)
{
    cv_record_close(w->record);
    _exit(status);
}

static void send_all(cv_world *w, int who, int count, ledger *l)
{
    cv_world_return(w);
    for (int i = 0; i < count; i++) {
        cv_str input = cv_arena_printf(&w->a, "{'from': 's%d', 'to': 'target', 'command': 'c', 'message_id': 's%d-%d'}",
                                       who, who, i);
        if (!actor_call(w, NOBODY, false, "mail send", input.p)) {
            actor_complain(w, "mail send");
            leave(w, 1);
        }
        l->acknowledged[who]++;
    }
    leave(w, 0);
}

static void claim_until_done(cv_world *w, int who, int total, ledger *l)
{
    cv_world_return(w);
    for (int turn = 0; l->done < total; turn++) {
        cv_json reply = actor_do(w, NOBODY, "mail claim", "{'agent': 'target', 'lease_seconds': 2}");
        const cv_json *message = cv_json_get(&reply, CV_STR("message"));
        if (message->type == CV_JSON_NULL) {
            usleep(20000);
            continue;
        }
        if (who < MORTALS && turn == 3 + who)
            kill(getpid(), SIGKILL);
        int64_t token = cv_json_get_int(&reply, "token", 0);
        cv_str id = cv_arena_copy(&w->a, cv_json_get_text(message, "message_id"));
        if (turn % 97 == 96)
            usleep(2300000); /* asleep until the lease is over */
        cv_str input = cv_arena_printf(&w->a, "{'agent': 'target', 'message_id': '%.*s', 'token': %lld}", CV_FMT(id),
                                       (long long)token);
        if (actor_call(w, NOBODY, false, "mail done", input.p)) {
            __sync_fetch_and_add(&l->done, 1);
        } else if (w->errs.items[0].code == CV_ERR_LEASE_LOST || w->errs.items[0].code == CV_ERR_MESSAGE_SETTLED ||
                   w->errs.items[0].code == CV_ERR_NOT_CLAIMED) {
            __sync_fetch_and_add(&l->lost, 1);
        } else {
            actor_complain(w, "mail done");
            leave(w, 1);
        }
    }
    leave(w, 0);
}

/* Each message once, all done, those of a sender in its order. */
static void look_at_the_mailbox(cv_world *w, int total, int each)
{
    int next[SENDERS] = {0};
    cv_err err = {.arena = &w->a};
    for (int seq = 1; seq <= total; seq++) {
        cv_mail_delivery d;
        bool found;
        int sender, number;
        assert_ok(cv_mail_delivery_get(w->record, &w->a, CV_STR("target"), seq, &d, &found, &err), &err);
        assert_true(found);
        assert_str_eq(d.state, "done");
        assert_int_equal(sscanf(cv_arena_copy_z(&w->a, d.message_id), "s%d-%d", &sender, &number), 2);
        assert_int_equal(number, next[sender]++);
    }
    for (int i = 0; i < SENDERS; i++)
        assert_int_equal(next[i], each);
}

static void nothing_is_lost_and_nothing_done_twice(void **state)
{
    cv_world *w = *state;
    int each = cv_test_soak() ? 700 : 8, total = each * SENDERS, status, deaths = 0;
    pid_t children[SENDERS + CLAIMERS];
    ledger *l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(l != MAP_FAILED);
    actor_do(w, NOBODY, "agent add", "{'agent_id': 'target'}");
    for (int i = 0; i < SENDERS; i++)
        actor_do(w, NOBODY, "agent add", cv_arena_printf(&w->a, "{'agent_id': 's%d'}", i).p);
    cv_world_leave(w);
    for (int i = 0; i < SENDERS + CLAIMERS; i++)
        if ((children[i] = fork()) == 0) {
            alarm(cv_test_soak() ? 3600 : 540);
            if (i < SENDERS)
                send_all(w, i, each, l);
            claim_until_done(w, i - SENDERS, total, l);
        }
    for (int i = 0; i < SENDERS + CLAIMERS; i++) {
        waitpid(children[i], &status, 0);
        bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        deaths += died;
        assert_true(died || status == 0);
    }
    cv_world_return(w);
    for (int i = 0; i < SENDERS; i++)
        assert_int_equal(l->acknowledged[i], each);
    assert_int_equal(l->done, total);
    look_at_the_mailbox(w, total, each);
    mail_verify(w);
    print_message("# %d messages of %d senders, %d claimers, %d died, %d came late\n", total, SENDERS, CLAIMERS, deaths,
                  l->lost);
    assert_true(deaths > 0);
    munmap(l, sizeof *l);
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t steps, pages;
} work;

/* What SQLite has done since the last time: steps of its machine, pages looked at. */
static work taken(cv_world *w)
{
    sqlite3 *db = ((cv_sqlite_record *)w->record)->s->db;
    static const int counters[] = {SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS};
    work done = {0};
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(db, st));)
        done.steps += (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    for (size_t i = 0; i < 2; i++) {
        int now, high;
        sqlite3_db_status(db, counters[i], &now, &high, 1);
        done.pages += (size_t)now;
    }
    return done;
}

static void run(sqlite3 *db, char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_free(sql);
}

/* Copies of the first message until there are so many: a third is new, a third done, a third dead. */
static void fill(cv_world *w, long count)
{
    sqlite3 *db;
    cv_world_leave(w);
    assert_int_equal(sqlite3_open(cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, &db), SQLITE_OK);
    run(db, sqlite3_mprintf("PRAGMA synchronous = OFF; BEGIN"));
    run(db,
        sqlite3_mprintf(
            "CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM c WHERE i < %ld) "
            "SELECT i FROM c",
            count + 99));
    run(db, sqlite3_mprintf("INSERT INTO mail_messages (scope, message_id, rev, sender, addressed, command, writing, "
                            "priority, hops, sent_at, accepted_at, size, digest, content, task_id, thread_id) "
                            "SELECT scope, 'copy-' || i, rev, sender, addressed, command, writing, priority, hops, "
                            "sent_at, accepted_at, size, digest, content, 'task-' || i, 'm0' FROM mail_messages, n "
                            "WHERE message_id = 'm0'"));
    run(db, sqlite3_mprintf(
                "INSERT INTO mail_deliveries (scope, mailbox, seq, rev, message_id, state, open, dead, turn, priority, "
                "attempts) SELECT scope, mailbox, i, rev, 'copy-' || i, CASE i %% 3 WHEN 0 THEN 'new' WHEN 1 THEN "
                "'done' ELSE 'dead' END, iif(i %% 3 = 0, 1, NULL), iif(i %% 3 = 2, 1, NULL), iif(i %% 3 = 0, 3, NULL), "
                "3, 0 FROM mail_deliveries, n WHERE message_id = 'm0' AND mailbox = 'cupcake'"));
    run(db, sqlite3_mprintf("UPDATE mail_mailboxes SET next_seq = %ld, waiting = waiting + %ld WHERE agent = 'cupcake'",
                            count + 100, count / 3));
    run(db, sqlite3_mprintf("COMMIT"));
    sqlite3_close(db);
    cv_world_return(w);
}

/* Each costs the same beside any number of messages. `claim` and `done` go together. */
static const char *const chores[][2] = {
    {"mail send", "{'from': 'muffin', 'to': 'cupcake', 'command': 'c', 'params': {'a': 1}, 'reply_to': 'm0'}"},
    {"mail send", "{'from': 'muffin', 'to': ['cupcake', 'donut'], 'body': 'Hello', 'priority': 1}"},
    {"mail inbox", "{'agent': 'cupcake', 'limit': 10}"},
    {"mail inbox", "{'agent': 'cupcake', 'limit': 2, 'after': 50}"},
    {"mail wait", "{'agent': 'cupcake', 'timeout_seconds': 0, 'limit': 2}"},
    {"mail claim", "{'agent': 'cupcake'}"},
    {"mail done", NULL},
    {"mail read", "{'message_id': 'm0'}"},
    {"mail dead", "{'limit': 2}"},
    {"mail outbox", "{'agent': 'muffin', 'limit': 5}"},
    {"mail thread", "{'message_id': 'm0', 'limit': 5}"},
    {"mail stats", "{}"},
};

static void do_chores(cv_world *w, work *ret_costs)
{
    cv_json reply = {0};
    for (size_t turn = 0; turn < 2; turn++) { /* the first one warms statements up */
        for (size_t i = 0; i < CV_COUNT(chores); i++) {
            const char *input = chores[i][1];
            if (!input) {
                const cv_json *m = cv_json_get(&reply, CV_STR("message"));
                cv_str id = cv_arena_copy(&w->a, cv_json_get_text(m, "message_id"));
                input = cv_arena_printf(&w->a, "{'agent': 'cupcake', 'message_id': '%.*s', 'token': %lld}", CV_FMT(id),
                                        (long long)cv_json_get_int(&reply, "token", 0))
                            .p;
            }
            taken(w);
            reply = actor_do(w, NOBODY, chores[i][0], input);
            ret_costs[i] = taken(w);
        }
    }
}

static void an_act_costs_the_same_beside_any_number(void **state)
{
    static const char *const agents[] = {"muffin", "cupcake", "donut"};
    const long sizes[] = {10, 1000, cv_test_soak() ? 100000 : 20000, 1000000};
    size_t count = cv_test_soak() ? 4 : 3;
    work costs[4][CV_COUNT(chores)];
    (void)state;
    for (size_t s = 0; s < count; s++) {
        cv_world w;
        cv_world_open(&w);
        mail_agents(&w, agents, CV_COUNT(agents));
        for (int i = 0; i < 10; i++)
            actor_do(
                &w, NOBODY, "mail send",
                cv_arena_printf(&w.a, "{'from': 'muffin', 'to': 'cupcake', 'command': 'c', 'message_id': 'm%d'}", i).p);
        fill(&w, sizes[s]);
        do_chores(&w, costs[s]);
        cv_world_close(&w);
    }
    for (size_t i = 0; i < CV_COUNT(chores); i++) {
        for (size_t s = 1; s < count; s++) {
            bool same = costs[s][i].steps <= costs[0][i].steps + costs[0][i].steps / 10 + 100 &&
                        costs[s][i].pages <= costs[0][i].pages * 2 + 40; /* trees become a little higher */
            if (!same || s + 1 == count)
                print_message("# %-11s %6zu steps, %4zu pages beside 10; %6zu, %4zu beside %ld\n", chores[i][0],
                              costs[0][i].steps, costs[0][i].pages, costs[s][i].steps, costs[s][i].pages, sizes[s]);
            assert_true(same);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_act_costs_the_same_beside_any_number),
        cmocka_unit_test_setup_teardown(nothing_is_lost_and_nothing_done_twice, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
