/* test_mail_crowd.c - many processes at one mailbox, and what an act costs beside a million messages.
 *
 * Senders and claimers are processes with handles of their own. Some claimers die with a lease in their hands, some
 * sleep until it is over. Beside them four shells have nothing but files (test/mail_hand.sh). What was acknowledged is
 * there exactly once, in the order in which each sender was answered; everything is done exactly once, by any of them;
 * and a late agent is refused.
 */
#include "mail.h"

#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "record/sqlite/engine.h"

enum { SENDERS = 32, CLAIMERS = 8, MORTALS = 3, HANDS = 4, CHILDREN = SENDERS + CLAIMERS + HANDS };
/* Of those who let their lease run out; and of the others, who shall never lose it three times on a slow machine. */
enum { LEASE_S = 2, LONG_S = 600 };
static const char *const hands[HANDS] = {"move_files", "drop_whole", "drop_slowly", "edit_box"};

/* ---- the crowd --------------------------------------------------------------------------------------------------- */

typedef struct {
    volatile int done, late, busy; /* outcomes that were acknowledged, that were refused; "try again" */
    volatile bool stop;
    volatile int acknowledged[SENDERS];
} counts;

typedef struct {
    cv_world *w;
    counts *l;
    const char *log;
    int each, drops;
    pid_t children[CHILDREN];
} crowd;

/* A child never comes back into the test: its failure is its exit status. */
static _Noreturn void leave(const crowd *c, int status)
{
    cv_record_close(c->w->record);
    _exit(status);
}

/* What a busy record refuses is asked again. False: it was refused for another reason. */
static bool ask(const crowd *c, const char *operation, const char *input)
{
    for (int tries = 0;; tries++) {
        if (actor_call(c->w, NOBODY, false, operation, input))
            return true;
        if (c->w->errs.items[0].code != CV_ERR_BUSY || tries == 10)
            return false;
        __sync_fetch_and_add(&c->l->busy, 1);
    }
}

static _Noreturn void give_up(const crowd *c, const char *operation)
{
    actor_complain(c->w, operation);
    leave(c, 1);
}

static _Noreturn void send_all(const crowd *c, int who)
{
    for (int i = 0; i < c->each; i++) {
        cv_str input = cv_arena_printf(&c->w->a, "{'from': 's%d', 'to': 'hub', 'command': 'c', 'message_id': 's%d-%d'}",
                                       who, who, i);
        if (!ask(c, "mail send", input.p))
            give_up(c, "mail send");
        c->l->acknowledged[who]++;
    }
    leave(c, 0);
}

/* The outcome of what was claimed. An agent that slept until the lease was over is refused. */
static void finish(const crowd *c, cv_str id, int64_t token, bool asleep)
{
    if (asleep)
        usleep(LEASE_S * 1000000 + 300000);
    cv_str input = cv_arena_printf(&c->w->a, "{'agent': 'hub', 'message_id': '%.*s', 'token': %lld}", CV_FMT(id),
                                   (long long)token);
    bool done = ask(c, "mail done", input.p);
    cv_err_code code = done ? NULL : c->w->errs.items[0].code;
    if (done && !asleep)
        __sync_fetch_and_add(&c->l->done, 1);
    else if (code == CV_ERR_LEASE_LOST || code == CV_ERR_MESSAGE_SETTLED || code == CV_ERR_NOT_CLAIMED)
        __sync_fetch_and_add(&c->l->late, 1);
    else
        give_up(c, "mail done");
}

static _Noreturn void claim_until_stopped(const crowd *c, int who)
{
    for (int turn = 0; !c->l->stop; turn++) {
        bool dies = who < MORTALS && turn == 3 + who, sleeps = turn % 97 == 16;
        cv_str input =
            cv_arena_printf(&c->w->a, "{'agent': 'hub', 'lease_seconds': %d}", dies || sleeps ? LEASE_S : LONG_S);
        cv_json reply;
        cv_err err = {.arena = &c->w->turn};
        if (!ask(c, "mail claim", input.p) ||
            !cv_json_parse(&c->w->turn, cv_arena_copy(&c->w->turn, cv_buf_str(&c->w->out)), &reply, &err))
            give_up(c, "mail claim");
        const cv_json *message = cv_json_get(&reply, CV_STR("message"));
        if (message->type == CV_JSON_NULL) {
            usleep(20000);
            continue;
        }
        if (dies)
            kill(getpid(), SIGKILL);
        finish(c, cv_arena_copy(&c->w->a, cv_json_get_text(message, "message_id")), cv_json_get_int(&reply, "token", 0),
               sleeps);
    }
    leave(c, 0);
}

/* No assertion: it would end in the clean-up of the test, which takes the folder away from all others. */
static void open_record(const crowd *c)
{
    cv_err err = {.arena = &c->w->a};
    const char *path = cv_arena_printf(&c->w->a, "%s/conclave.db", c->w->folder).p;
    if (cv_record_open(&c->w->a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &c->w->record,
                       &err))
        return;
    print_error("%.*s\n", CV_FMT(cv_err_text(&err)));
    _exit(1);
}

static _Noreturn void play(const crowd *c, int who)
{
    if (who >= SENDERS + CLAIMERS) {
        const char *what = hands[who - SENDERS - CLAIMERS];
        execl("test/mail_hand.sh", "mail_hand.sh", what, cv_arena_printf(&c->w->a, "%s/.conclave/mail", c->w->folder).p,
              c->log, cv_arena_printf(&c->w->a, "%d", c->drops).p, (char *)NULL);
        _exit(1);
    }
    open_record(c);
    if (who < SENDERS)
        send_all(c, who);
    claim_until_stopped(c, who - SENDERS);
}

/* Nobody is left behind: a process that still runs would find the folder gone. */
static void end_all(crowd *c)
{
    for (int i = 0; i < CHILDREN; i++)
        if (c->children[i] > 0)
            kill(c->children[i], SIGKILL);
    for (int i = 0; i < CHILDREN; i++)
        if (c->children[i] > 0)
            waitpid(c->children[i], NULL, 0);
}

/* Waits for a child; *ret_deaths counts those that killed themselves. */
static void wait_for(crowd *c, int who, int *ret_deaths)
{
    int status;
    waitpid(c->children[who], &status, 0);
    c->children[who] = 0;
    bool mortal = who >= SENDERS && who < SENDERS + MORTALS;
    if (mortal && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        ++*ret_deaths;
    } else if (status != 0) {
        end_all(c);
        fail_msg("child %d ended with status %x", who, (unsigned)status);
    }
}

static int count_lines(crowd *c, const char *name)
{
    cv_str text;
    cv_err err = {.arena = &c->w->turn};
    const char *path = cv_arena_printf(&c->w->turn, "%s/%s", c->log, name).p;
    int lines = 0;
    if (access(path, F_OK) == 0 && cv_file_read(&c->w->turn, path, 16 << 20, &text, &err))
        for (size_t i = 0; i < text.n; i++)
            lines += text.p[i] == '\n';
    return lines;
}

/* Until everything that was sent is there and settled, by whomever. */
static void settle(crowd *c, int total)
{
    for (int tries = 0;; tries++) {
        cv_mail_mailbox box;
        bool found;
        cv_err err = {.arena = &c->w->a};
        actor_call(c->w, NOBODY, false, "mail watch", "{'seconds': 0}");
        if (cv_mail_mailbox_get(c->w->record, &c->w->turn, CV_STR("hub"), &box, &found, &err) && found &&
            box.next_seq == total + 1 && box.waiting == 0 &&
            count_lines(c, "../.conclave/mail/completed_tasks.json") == total)
            return;
        if (tries == 3000) {
            end_all(c);
            fail_msg("%lld of %d messages came, %lld of them wait", (long long)box.next_seq - 1, total,
                     (long long)box.waiting);
        }
        usleep(200000);
    }
}

/* Each message once, all done, those of a sender in its order; ret: how many were claimed more than once. */
static int look_at_the_mailbox(crowd *c, int total)
{
    int last[128] = {0}, next[SENDERS] = {0}, again = 0;
    cv_err err = {.arena = &c->w->a};
    for (int seq = 1; seq <= total; seq++) {
        cv_mail_delivery d;
        bool found;
        int sender, number;
        cv_arena_reset(&c->w->turn);
        assert_ok(cv_mail_delivery_get(c->w->record, &c->w->turn, CV_STR("hub"), seq, &d, &found, &err), &err);
        assert_true(found);
        assert_str_eq(d.state, "done");
        again += d.attempts > 1;
        const char *id = cv_arena_copy_z(&c->w->turn, d.message_id);
        if (sscanf(id, "s%d-%d", &sender, &number) == 2) {
            assert_int_equal(number, next[sender]++);
        } else { /* of a shell: its own numbers, some of which were never finished */
            assert_int_equal(sscanf(id, "%*c-%d", &number), 1);
            assert_true(number > last[(unsigned char)id[0] & 127]);
            last[(unsigned char)id[0] & 127] = number;
        }
    }
    for (int i = 0; i < SENDERS; i++)
        assert_int_equal(next[i], c->each);
    return again;
}

static void begin(crowd *c, cv_world *w)
{
    bool soak = cv_test_soak();
    *c = (crowd){.w = w, .each = soak ? 900 : 8, .drops = soak ? 1000 : 4};
    c->l = mmap(NULL, sizeof *c->l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(c->l != MAP_FAILED);
    c->log = cv_arena_printf(&w->a, "%s/log", w->folder).p;
    assert_int_equal(mkdir(c->log, 0700), 0);
    static const char *const agents[] = {"hub", "dropper", "slow"};
    mail_agents(w, agents, CV_COUNT(agents));
    for (int i = 0; i < SENDERS; i++)
        actor_do(w, NOBODY, "agent add", cv_arena_printf(&w->a, "{'agent_id': 's%d'}", i).p);
    actor_do(w, NOBODY, "mail watch", "{'seconds': 0}");
    cv_world_leave(w);
    for (int i = 0; i < CHILDREN; i++)
        if ((c->children[i] = fork()) == 0) {
            alarm(soak ? 3600 : 540);
            play(c, i);
        }
    cv_world_return(w);
}

static void nothing_is_lost_and_nothing_done_twice(void **state)
{
    crowd c;
    int deaths = 0, mover = SENDERS + CLAIMERS;
    begin(&c, *state);
    cv_err err = {.arena = &c.w->a};
    for (int i = 0; i < SENDERS; i++)
        wait_for(&c, i, &deaths);
    for (int i = mover + 1; i < CHILDREN; i++)
        wait_for(&c, i, &deaths);
    int files = count_lines(&c, "sent.d") + count_lines(&c, "sent.w") + count_lines(&c, "sent.e");
    int dead = count_lines(&c, "dead"), total = c.each * SENDERS + files;
    settle(&c, total);
    c.l->stop = true;
    assert_ok(cv_file_write(cv_arena_printf(&c.w->a, "%s/stop", c.log).p, CV_STR("now\n"), &err), &err);
    for (int i = SENDERS; i <= mover; i++)
        wait_for(&c, i, &deaths);
    for (int i = 0; i < SENDERS; i++)
        assert_int_equal(c.l->acknowledged[i], c.each);
    int again = look_at_the_mailbox(&c, total);
    mail_verify(c.w);
    print_message(
        "# %d messages: %d of %d processes, %d of shells (%d files never finished); done: %d by commands, %d by "
        "mv; %d claimers died, %d messages were claimed again, %d late outcomes were refused, %d times busy\n",
        total, c.each * SENDERS, SENDERS, files, dead, c.l->done, total - c.l->done, deaths, again, c.l->late,
        c.l->busy);
    assert_true(deaths > 0 && again >= deaths && files > 0 && dead > 0);
    assert_true(c.l->done <= total && total - c.l->done > 0);
    munmap(c.l, sizeof *c.l);
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

/* The first turn warms statements up. Of the others the cheapest counts: once in a second the folders are looked at. */
static void do_chores(cv_world *w, work *ret_costs)
{
    enum { TURNS = 4 };
    cv_json reply = {0};
    for (size_t turn = 0; turn < TURNS; turn++) {
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
            const work cost = taken(w);
            if (turn < 2 || cost.steps < ret_costs[i].steps)
                ret_costs[i] = cost;
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
