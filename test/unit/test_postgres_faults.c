/* test_postgres_faults.c - the record on PostgreSQL in a bad world: killed clients, sessions and servers, connections
 * that are cut around COMMIT, failovers, a full disk.
 *
 * After each of them: what was acknowledged is there, nothing is there in part, revs are dense, the hashes agree, and
 * the same op_id is replayed (writers.h).
 */
#include "writers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *server, *address; /* a server that stays for all tests; an address with a schema of its own */
    told told;
    cv_record *record;
    cv_postgres *admin;
    pid_t proxy;
    FILE *to_proxy, *from_proxy;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}, .told = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_postgres_close(f->admin);
    if (f->proxy) {
        fclose(f->to_proxy);
        fclose(f->from_proxy);
        waitpid(f->proxy, NULL, 0);
    }
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

/* ---- servers ------------------------------------------------------------------------------------------------------
 */

static char the_server[64]; /* of all tests that leave it as it was */

static int remove_server(void **state)
{
    (void)state;
    cv_arena a = {0};
    if (the_server[0])
        cv_test_postgres_run(&a, "remove %s", the_server);
    cv_arena_release(&a);
    return 0;
}

static const char *home_of(fixture *f, const char *server)
{
    char *path = realpath(server, NULL);
    const char *home = cv_arena_copy_z(&f->arena, cv_str_of(path));
    free(path);
    return home;
}

static const char *address_at(fixture *f, const char *hosts, const char *more)
{
    return cv_arena_printf(&f->arena, "postgresql://conclave@/conclave?host=%s&schema=%s%s", hosts,
                           cv_test_postgres_schema(&f->arena), more)
        .p;
}

static cv_postgres *connect_to(fixture *f, const char *address)
{
    cv_postgres_address parsed;
    assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(address), &parsed, &f->err), &f->err);
    cv_postgres *c = cv_postgres_new(&f->arena, &parsed);
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_OK);
    return c;
}

static fixture *begin(void **state)
{
    fixture *f = *state;
    if (!the_server[0]) {
        char name[sizeof the_server];
        snprintf(name, sizeof name, "/tmp/cvpg-faults-%d", (int)getpid());
        cv_test_postgres_run(&f->arena, "start %s --memory", name);
        memcpy(the_server, name, sizeof name);
    }
    f->server = the_server;
    f->address = address_at(f, home_of(f, f->server), "");
    f->admin = connect_to(f, f->address);
    return f;
}

static bool see_number(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(int64_t *)ctx = cv_postgres_column_int(row, 0);
    return true;
}

/* The number that a statement of the test's own returns; 0: none. */
static int64_t ask(fixture *f, const char *text)
{
    int64_t number = 0;
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_rows(cv_postgres_add(&batch, "test", text), see_number, &number);
    assert_ok(cv_postgres_run_again(f->admin, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
    return number;
}

/* A session of a writer. */
static int64_t ask_session(fixture *f)
{
    return ask(f, "SELECT pid FROM pg_stat_activity WHERE application_name = 'conclave' AND pid <> pg_backend_pid()");
}

static void check(fixture *f, const char *address, const char *what)
{
    size_t there;
    check_record(&f->arena, address, &f->told, &there, &f->err);
    print_message("# %s: %zu acknowledged, %zu stored; tries that were not: %zu conflicts, %zu busy, %zu failed, "
                  "%zu unknown\n",
                  what, f->told.count, there, f->told.conflicts, f->told.busy, f->told.failed, f->told.unknown);
}

/* ---- kill -9 ------------------------------------------------------------------------------------------------------
 */

static void clients_are_killed(void **state)
{
    fixture *f = begin(state);
    cv_test_random random = {cv_test_seed()};
    int rounds = cv_test_soak() ? 200 : 8;
    for (int i = 0; i < rounds; i++) {
        const writer_setting setting = {
            .address = f->address, .name = cv_arena_printf(&f->arena, "w%d", i).p, .scopes = 2, .locked = i % 3 - 1};
        writer w = writer_start(&setting);
        writer_wait(&w, &f->told, 1 + (int)cv_test_below(&random, 8));
        writer_kill(&w, &f->told);
    }
    check(f, f->address, "killed clients");
}

/* Every few writes something is done to the sessions of a writer. */
static void hurt_sessions(fixture *f, int writes, int every, void (*hurt)(fixture *f), const char *what)
{
    const writer_setting setting = {.address = f->address, .name = "w", .scopes = 2, .writes = writes, .locked = -1};
    writer w = writer_start(&setting);
    for (int i = 0; i < writes / every; i++) {
        writer_wait(&w, &f->told, every);
        hurt(f);
    }
    writer_finish(&w, &f->told);
    assert_int_equal(f->told.count, writes);
    check(f, f->address, what);
}

static void end_sessions(fixture *f)
{
    ask(f, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
           " WHERE application_name = 'conclave' AND pid <> pg_backend_pid()");
}

static void sessions_are_ended(void **state)
{
    hurt_sessions(begin(state), cv_test_soak() ? 5000 : 150, 3, end_sessions, "ended sessions");
}

/* The server takes all others down with it, and recovers. A writer that has just finished ends its session itself. */
static void kill_session(fixture *f)
{
    int64_t pid = ask_session(f);
    if (pid > 0)
        assert_true(kill((pid_t)pid, SIGKILL) == 0 || errno == ESRCH);
}

static void sessions_are_killed(void **state)
{
    hurt_sessions(begin(state), cv_test_soak() ? 1000 : 40, 13, kill_session, "killed sessions");
}

static void kill_server(fixture *f)
{
    cv_test_postgres_run(&f->arena, "kill %s", f->server);
    cv_test_postgres_run(&f->arena, "restart %s", f->server);
}

static void servers_are_killed(void **state)
{
    hurt_sessions(begin(state), cv_test_soak() ? 1000 : 40, 18, kill_server, "killed servers");
}

/* A pooler tells its client of a lost session in its own words. */
static void sessions_behind_a_pooler_are_ended(void **state)
{
    fixture *f = begin(state);
    const char *pooler = cv_arena_printf(&f->arena, "%s/pooler", f->folder).p;
    cv_test_postgres_run(&f->arena, "pgbouncer %s %s", pooler, f->server);
    f->address = address_at(f, home_of(f, pooler), "");
    hurt_sessions(f, cv_test_soak() ? 5000 : 90, 3, end_sessions, "ended sessions behind a pooler");
    cv_test_postgres_run(&f->arena, "remove %s", pooler);
}

/* What is sent while the end of a transaction is still to be answered. */
typedef struct {
    fixture *f;
    cv_postgres *other; /* another client of the same pooler */
    int64_t first, last, others, deadline;
} crossing;

static bool is_late(void *ctx)
{
    const crossing *x = ctx;
    return now_ms() > x->deadline;
}

static void add_one(void *ctx, cv_postgres_batch *batch)
{
    crossing *x = ctx;
    cv_postgres_batch between = {.arena = &x->f->arena};
    pause_ms(100); /* what was sent is with the server */
    cv_postgres_rows(cv_postgres_add(&between, "test", "SELECT pg_backend_pid()"), see_number, &x->others);
    assert_int_equal(cv_postgres_run(x->other, &between, &x->f->err), CV_POSTGRES_OK);
    cv_postgres_rows(cv_postgres_add(batch, "test", "SELECT pg_backend_pid()"), see_number, &x->last);
    cv_postgres_add(batch, "test", "ROLLBACK");
}

static pid_t resume_later(int64_t process)
{
    pid_t child = fork();
    if (child == 0) {
        pause_ms(100);
        _exit(kill((pid_t)process, SIGCONT) != 0);
    }
    return child;
}

/* A pooler takes a session back when it says that its transaction has ended, whatever has come for it meanwhile
 * (pgbouncer 1.18). So nothing comes: else the next client would have a session with a transaction of ours in it, and
 * we another one in the middle of a write. */
static void a_pooler_gives_no_session_away_that_is_in_use(void **state)
{
    fixture *f = begin(state);
    const char *pooler = cv_arena_printf(&f->arena, "%s/pooler", f->folder).p;
    cv_test_postgres_run(&f->arena, "pgbouncer %s %s", pooler, f->server);
    f->address = address_at(f, home_of(f, pooler), "");
    cv_postgres *c = connect_to(f, f->address);
    crossing x = {f, connect_to(f, f->address), .deadline = now_ms() + WRITER_PATIENCE_MS};
    cv_postgres_batch begins = {.arena = &f->arena}, crosses = {.arena = &f->arena, .rest = add_one, .rest_ctx = &x};
    cv_postgres_add(&begins, "test", "BEGIN");
    cv_postgres_rows(cv_postgres_add(&begins, "test", "SELECT pg_backend_pid()"), see_number, &x.first);
    assert_int_equal(cv_postgres_run(c, &begins, &f->err), CV_POSTGRES_OK);
    assert_int_equal(kill((pid_t)x.first, SIGSTOP), 0);
    pid_t child = resume_later(x.first);
    cv_postgres_rollback(c);
    cv_postgres_add(&crosses, "test", "BEGIN");
    cv_postgres_rows(cv_postgres_add(&crosses, "test", "SELECT pg_backend_pid()"), see_number, &x.first);
    c->cancelled = is_late; /* the answers of the other session are not enough */
    c->cancelled_ctx = &x;
    assert_int_equal(cv_postgres_run(c, &crosses, &f->err), CV_POSTGRES_OK);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(cv_postgres_in_transaction(x.other));
    assert_int_equal(x.last, x.first);
    assert_int_not_equal(x.others, x.first);
    cv_postgres_close(x.other);
    cv_postgres_close(c);
    cv_test_postgres_run(&f->arena, "remove %s", pooler);
}

/* ---- cut connections ----------------------------------------------------------------------------------------------
 */

/* A proxy in front of a server; returns the folder of its socket. */
static const char *start_proxy(fixture *f, const char *server)
{
    const char *folder = cv_arena_printf(&f->arena, "%s/p", f->folder).p;
    const char *at = cv_arena_printf(&f->arena, "%s/.s.PGSQL.5432", folder).p;
    const char *to = cv_arena_printf(&f->arena, "%s/.s.PGSQL.5432", home_of(f, server)).p;
    int in[2], out[2];
    char said[256];
    mkdir(folder, 0755);
    assert_true(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    f->proxy = fork();
    if (f->proxy == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execl("build/postgres/proxy", "proxy", at, to, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    f->to_proxy = fdopen(in[1], "w");
    f->from_proxy = fdopen(out[0], "r");
    assert_non_null(fgets(said, sizeof said, f->from_proxy));
    return folder;
}

/* Tells it a command; how many cuts it has made so far. */
static int64_t proxy(fixture *f, const char *command)
{
    char said[256];
    long long cuts = 0;
    fprintf(f->to_proxy, "%s\ncount\n", command);
    fflush(f->to_proxy);
    assert_non_null(fgets(said, sizeof said, f->from_proxy));
    assert_memory_equal(said, "ok", 2);
    assert_non_null(fgets(said, sizeof said, f->from_proxy));
    assert_non_null(strstr(said, " cuts "));
    assert_int_equal(sscanf(strstr(said, " cuts "), " cuts %lld", &cuts), 1);
    return cuts;
}

static cv_write_result write_now(fixture *f, const char *scope, cv_str op, bool locked, int64_t *ret_rev)
{
    f->err = (cv_err){.arena = &f->arena};
    return write_op(f->record, &f->arena, (cv_scope_id){CV_STR("board"), cv_str_of(scope)}, op, locked, ret_rev,
                    &f->err);
}

/* The first COMMIT of a locked write to something that was not seen before makes the row to lock, the second one is its
 * own. */
static void cut_around_commit(fixture *f, const char *folder, const char *more, bool seen)
{
    static const char *const hows[] = {"before", "at", "after"};
    const char *address = address_at(f, folder, more);
    f->record =
        board_postgres(&f->arena, address, seen ? cv_arena_printf(&f->arena, "%s/seen", f->folder).p : NULL, &f->err);
    int64_t rev, expected = 1;
    assert_int_equal(write_now(f, "s0", CV_STR("first"), true, &rev), CV_WRITE_DONE);
    f->told.count = 0;
    for (size_t how = 0; how < CV_COUNT(hows); how++)
        for (int locked = 0; locked < 2; locked++)
            for (int which = 1; which <= (seen || !locked ? 1 : 2); which++) {
                cv_str op = cv_arena_printf(&f->arena, "%s-%d-%d", hows[how], which, locked);
                int64_t cuts = proxy(f, cv_arena_printf(&f->arena, "cut %s commit %d", hows[how], which).p);
                assert_int_equal(write_now(f, "s0", op, locked, &rev), CV_WRITE_DONE);
                assert_true(f->err.code == CV_ERR_NONE);
                assert_int_equal(proxy(f, "cut never"), cuts + 1);
                assert_int_equal(rev, ++expected);
                assert_int_equal(write_now(f, "s0", op, !locked, &rev), CV_WRITE_REPLAYED);
                assert_int_equal(rev, expected);
                *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s0"), op, rev};
            }
    cv_record_close(f->record);
    f->record = NULL;
    check(f, address, cv_arena_printf(&f->arena, "cuts around COMMIT (%s%s)", more, seen ? ", seen" : "").p);
}

/* The same of a request that was done before: it is answered as then. */
static void cut_each_message_of_a_replay(fixture *f, const char *folder)
{
    const char *address = address_at(f, folder, "");
    int64_t rev, cuts = 0, n = 0;
    f->record = board_postgres(&f->arena, address, NULL, &f->err);
    assert_int_equal(write_now(f, "s2", CV_STR("first"), true, &rev), CV_WRITE_DONE);
    assert_int_equal(write_now(f, "s2", CV_STR("second"), true, &rev), CV_WRITE_DONE);
    for (bool is_cut = true; is_cut; cuts += is_cut) {
        int64_t before = proxy(f, cv_arena_printf(&f->arena, "cut message %lld", (long long)++n).p);
        assert_ok(write_now(f, "s2", CV_STR("first"), false, &rev) == CV_WRITE_REPLAYED, &f->err);
        is_cut = proxy(f, "cut never") > before;
        assert_int_equal(rev, 1);
    }
    assert_true(cuts > 10);
    cv_record_close(f->record);
    f->record = NULL;
}

/* Before each message of a write in turn, until one is through without a cut. */
static void cut_each_message(fixture *f, const char *folder, const char *more)
{
    const char *address = address_at(f, folder, more);
    int64_t rev, cuts = 0, n = 0, expected = 1;
    f->record = board_postgres(&f->arena, address, NULL, &f->err);
    assert_int_equal(write_now(f, "s1", CV_STR("first"), true, &rev), CV_WRITE_DONE);
    f->told.count = 0;
    for (bool is_cut = true; is_cut; cuts += is_cut) {
        cv_str op = cv_arena_printf(&f->arena, "message-%lld", (long long)++n);
        int64_t before = proxy(f, cv_arena_printf(&f->arena, "cut message %lld", (long long)n).p);
        assert_ok(write_now(f, "s1", op, false, &rev) == CV_WRITE_DONE, &f->err);
        is_cut = proxy(f, "cut never") > before;
        assert_int_equal(rev, ++expected);
        *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s1"), op, rev};
    }
    assert_true(cuts > 10);
    cv_record_close(f->record);
    f->record = NULL;
    check(f, address, cv_arena_printf(&f->arena, "cuts before each of %lld messages (%s)", (long long)cuts, more).p);
}

static void connections_are_cut_before_each_message(void **state)
{
    fixture *f = begin(state);
    const char *folder = start_proxy(f, f->server);
    cut_each_message(f, folder, "");
    cut_each_message(f, folder, "&pipeline=off");
    cut_each_message_of_a_replay(f, folder);
}

static void cut_in_all_ways(fixture *f, const char *server)
{
    const char *folder = start_proxy(f, server);
    cut_around_commit(f, folder, "", false);
    cut_around_commit(f, folder, "", true);
    cut_around_commit(f, folder, "&pipeline=off", false);
    unlink(cv_arena_printf(&f->arena, "%s/seen", f->folder).p);
    cut_around_commit(f, folder, "&pipeline=off", true);
}

static void connections_are_cut_around_commit(void **state)
{
    fixture *f = begin(state);
    cut_in_all_ways(f, f->server);
}

static void connections_to_a_pooler_are_cut_around_commit(void **state)
{
    fixture *f = begin(state);
    const char *pooler = cv_arena_printf(&f->arena, "%s/pooler", f->folder).p;
    cv_test_postgres_run(&f->arena, "pgbouncer %s %s", pooler, f->server);
    cut_in_all_ways(f, pooler);
    cv_test_postgres_run(&f->arena, "remove %s", pooler);
}

static bool is_lost(void *ctx)
{
    const cv_postgres *c = ctx;
    return !c->conn;
}

/* Nobody can be asked: the answer is that nobody knows. The same op_id finds out. */
static void without_a_server_nobody_knows(void **state)
{
    fixture *f = begin(state);
    static const char *const hows[] = {"before", "after"};
    const char *address = address_at(f, start_proxy(f, f->server), "");
    int64_t rev;
    f->record = board_postgres(&f->arena, address, cv_arena_printf(&f->arena, "%s/seen", f->folder).p, &f->err);
    cv_postgres *c = ((cv_postgres_record *)f->record)->c;
    assert_int_equal(write_now(f, "s0", CV_STR("first"), true, &rev), CV_WRITE_DONE);
    c->cancelled_ctx = c;
    for (size_t how = 0; how < CV_COUNT(hows); how++) {
        cv_str op = cv_str_of(hows[how]);
        proxy(f, cv_arena_printf(&f->arena, "cut %s commit", hows[how]).p);
        c->cancelled = is_lost;
        assert_int_equal(write_now(f, "s0", op, true, &rev), CV_WRITE_UNKNOWN);
        assert_true(f->err.message.n > 0);
        c->cancelled = NULL;
        assert_int_equal(write_now(f, "s0", op, true, &rev), how ? CV_WRITE_REPLAYED : CV_WRITE_DONE);
        assert_int_equal(rev, how + 2);
    }
}

/* A write whose COMMIT was not made yet when its connection was lost is certainly not there. */
static void what_was_not_sent_was_not_written(void **state)
{
    fixture *f = begin(state);
    const char *address = address_at(f, start_proxy(f, f->server), "&pipeline=off");
    int64_t rev;
    f->record = board_postgres(&f->arena, address, NULL, &f->err);
    cv_postgres *c = ((cv_postgres_record *)f->record)->c;
    assert_int_equal(write_now(f, "s0", CV_STR("first"), true, &rev), CV_WRITE_DONE);
    c->cancelled_ctx = c;
    for (int n = 1; n <= 41; n += 10) {
        cv_str op = cv_arena_printf(&f->arena, "op-%d", n);
        int64_t cuts = proxy(f, cv_arena_printf(&f->arena, "cut message %d", n).p);
        c->cancelled = is_lost;
        assert_int_equal(write_now(f, "s0", op, false, &rev), CV_WRITE_FAILED);
        c->cancelled = NULL;
        assert_int_equal(proxy(f, "cut never"), cuts + 1);
        assert_int_equal(write_now(f, "s0", op, false, &rev), CV_WRITE_DONE);
    }
}

static void connections_are_cut_by_chance(void **state)
{
    fixture *f = begin(state);
    const char *address = address_at(f, start_proxy(f, f->server), "");
    cv_record_close(board_postgres(&f->arena, address, NULL, &f->err));
    uint64_t seed = cv_test_seed();
    for (int round = 0; round < (cv_test_soak() ? 40 : 2); round++) {
        const writer_setting setting = {.address = round % 2 ? cv_arena_printf(&f->arena, "%s&pipeline=off", address).p
                                                             : address,
                                        .name = cv_arena_printf(&f->arena, "w%d", round).p,
                                        .scopes = 2,
                                        .writes = 60,
                                        .locked = -1};
        proxy(f, cv_arena_printf(&f->arena, "cut random %llu 8", (unsigned long long)(seed + (uint64_t)round)).p);
        writer w = writer_start(&setting);
        writer_finish(&w, &f->told);
    }
    print_message("# %lld cuts\n", (long long)proxy(f, "cut never"));
    check(f, address, "cuts by chance");
}

/* ---- failover -----------------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *primary, *standby, *address;
} pair;

static pair start_pair(fixture *f, const char *how)
{
    pair p = {cv_arena_printf(&f->arena, "%s/primary", f->folder).p,
              cv_arena_printf(&f->arena, "%s/standby", f->folder).p, NULL};
    cv_test_postgres_run(&f->arena, "start %s --memory", p.primary);
    cv_test_postgres_run(&f->arena, "standby %s %s %s --memory", p.standby, p.primary, how);
    const char *hosts = cv_arena_printf(&f->arena, "%s,%s", home_of(f, p.primary), home_of(f, p.standby)).p;
    p.address = address_at(f, hosts, "&target_session_attrs=read-write");
    f->admin = connect_to(f, p.address);
    return p;
}

static void fail_over(fixture *f, const pair *p)
{
    cv_test_postgres_run(&f->arena, "kill %s", p->primary);
    cv_test_postgres_run(&f->arena, "promote %s", p->standby);
}

static void remove_pair(fixture *f, const pair *p)
{
    cv_postgres_close(f->admin);
    f->admin = NULL;
    cv_test_postgres_run(&f->arena, "remove %s", p->standby);
    cv_test_postgres_run(&f->arena, "remove %s", p->primary);
}

static int64_t await_session(fixture *f, const char *condition, int64_t but)
{
    const char *text = cv_arena_printf(&f->arena,
                                       "SELECT pid FROM pg_stat_activity WHERE application_name = 'conclave'"
                                       " AND pid <> pg_backend_pid() AND pid <> %lld AND %s",
                                       (long long)but, condition)
                           .p;
    int64_t pid = 0, deadline = now_ms() + WRITER_PATIENCE_MS;
    while ((pid = ask(f, text)) == 0) {
        assert_true(now_ms() < deadline);
        pause_ms(10);
    }
    return pid;
}

static bool has_more(const writer *w)
{
    return poll(&(struct pollfd){fileno(w->from), POLLIN, 0}, 1, 0) > 0;
}

/* The standby does not answer, and the session that waits for it, or its wait alone, is ended: the write is on one
 * server only. A caller that asks for it learns that it is done when the standby has it, too. */
static void wait_for_the_standby(fixture *f, const pair *p, const char *end)
{
    const writer_setting setting = {.address = p->address, .name = end, .scopes = 1, .locked = 1};
    static const char waits[] = "wait_event = 'SyncRep'";
    writer w = writer_start(&setting);
    bool done;
    writer_wait(&w, &f->told, 1);
    cv_test_postgres_run(&f->arena, "stall %s", p->standby);
    int64_t first = await_session(f, waits, 0);
    while (has_more(&w))
        assert_true(writer_hear(&w, &f->told, &done));
    ask(f, cv_arena_printf(&f->arena, "SELECT %s(%lld)::int", end, (long long)first).p);
    await_session(f, waits, first);
    assert_false(has_more(&w));
    cv_test_postgres_run(&f->arena, "resume %s", p->standby);
    writer_wait(&w, &f->told, 1);
    writer_kill(&w, &f->told);
}

typedef struct {
    const char *address;
    atomic_bool ended;
    cv_write_result result;
} restoring;

static void *restore_scope(void *ctx)
{
    restoring *r = ctx;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_scope_rows rows;
    cv_record *from = board_memory(&a, &err), *to = board_postgres(&a, r->address, NULL, &err);
    r->result = board_write(from, &a, BOARD("restored"), "first", &err);
    if (r->result == CV_WRITE_DONE && cv_scope_load(from, &a, BOARD("restored"), &rows, &err))
        r->result = cv_scope_restore(to, &a, &rows, false, &err);
    atomic_store(&r->ended, true);
    cv_record_close(from);
    cv_record_close(to);
    cv_arena_release(&a);
    return NULL;
}

/* The same for a scope that comes whole from another store, and has no op_id of its own. */
static void restore_while_the_standby_stalls(fixture *f, const pair *p)
{
    static const char waits[] = "wait_event = 'SyncRep'";
    restoring r = {.address = p->address};
    pthread_t thread;
    cv_record *record = board_postgres(&f->arena, p->address, NULL, &f->err);
    cv_scope_position at; /* there is something to lock: nothing but the write itself waits */
    assert_ok(record->calls->lock(record, &f->arena, BOARD("restored"), CV_STR(""), &at, &f->err), &f->err);
    record->calls->end(record);
    cv_record_close(record);
    cv_test_postgres_run(&f->arena, "stall %s", p->standby);
    assert_int_equal(pthread_create(&thread, NULL, restore_scope, &r), 0);
    int64_t first = await_session(f, waits, 0);
    ask(f, cv_arena_printf(&f->arena, "SELECT pg_terminate_backend(%lld)::int", (long long)first).p);
    await_session(f, waits, first);
    assert_false(atomic_load(&r.ended));
    cv_test_postgres_run(&f->arena, "resume %s", p->standby);
    pthread_join(thread, NULL);
    assert_int_equal(r.result, CV_WRITE_DONE);
}

static void a_synchronous_standby_has_all_that_was_acknowledged(void **state)
{
    fixture *f = *state;
    enum { WRITERS = 4 };
    pair p = start_pair(f, "sync");
    writer writers[WRITERS];
    int writes = cv_test_soak() ? 3000 : 60;
    cv_record_close(board_postgres(&f->arena, p.address, NULL, &f->err));
    wait_for_the_standby(f, &p, "pg_terminate_backend");
    wait_for_the_standby(f, &p, "pg_cancel_backend");
    restore_while_the_standby_stalls(f, &p);
    size_t early = f->told.count;
    for (int i = 0; i < WRITERS; i++) {
        const writer_setting setting = {.address = p.address,
                                        .name = cv_arena_printf(&f->arena, "w%d", i).p,
                                        .scopes = 3,
                                        .writes = writes,
                                        .locked = i % 2};
        writers[i] = writer_start(&setting);
    }
    for (int i = 0; i < WRITERS; i++)
        writer_wait(&writers[i], &f->told, writes / 3);
    fail_over(f, &p);
    for (int i = 0; i < WRITERS; i++)
        writer_finish(&writers[i], &f->told);
    assert_int_equal(f->told.count, early + (size_t)(WRITERS * writes));
    check(f, p.address, "synchronous failover");
    remove_pair(f, &p);
}

static int64_t rev_without_memory(fixture *f, const char *address, const char *scope)
{
    cv_record *record = board_postgres(&f->arena, address, NULL, &f->err);
    cv_scope_position at;
    cv_scope_id id = {CV_STR("board"), cv_str_of(scope)};
    assert_ok(record->calls->begin(record, &f->arena, id, &at, &f->err), &f->err);
    record->calls->end(record);
    cv_record_close(record);
    return at.rev;
}

/* Neither reads nor writes what is less than was seen. */
static void refuse_all(fixture *f)
{
    cv_watermark_state how;
    cv_scope_position at;
    int64_t rev;
    static const char *const scopes[] = {"s0", "late"};
    for (int locked = 0; locked < 2; locked++) { /* nor what nobody has seen yet */
        assert_int_equal(write_now(f, "new", CV_STR("more"), locked, &rev), CV_WRITE_FAILED);
        assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_REGRESSED));
    }
    for (size_t i = 0; i < CV_COUNT(scopes); i++) {
        for (int locked = 0; locked < 2; locked++) {
            assert_int_equal(write_now(f, scopes[i], CV_STR("more"), locked, &rev), CV_WRITE_FAILED);
            assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_REGRESSED));
        }
        cv_scope_id id = {CV_STR("board"), cv_str_of(scopes[i])};
        assert_fails(f->record->calls->begin(f->record, &f->arena, id, &at, &f->err), &f->err, CV_ERR_REGRESSED);
        assert_str_has(f->err.suggestion, "conclave accept");
    }
    assert_fails(f->record->calls->acknowledged(f->record, &f->arena, &how, &f->err), &f->err, CV_ERR_REGRESSED);
}

static void a_stale_standby_is_found_out(void **state)
{
    fixture *f = *state;
    pair p = start_pair(f, "async");
    const char *seen = cv_arena_printf(&f->arena, "%s/seen", f->folder).p;
    cv_watermark_state how;
    cv_commit commit;
    int64_t rev;
    f->record = board_postgres(&f->arena, p.address, seen, &f->err);
    for (int i = 0; i < 5; i++)
        assert_int_equal(write_now(f, "s0", cv_arena_printf(&f->arena, "o%d", i), true, &rev), CV_WRITE_DONE);
    while (ask(f, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()") != 1)
        pause_ms(10);
    cv_test_postgres_run(&f->arena, "stall %s", p.standby);
    for (int i = 5; i < 9; i++)
        assert_int_equal(write_now(f, "s0", cv_arena_printf(&f->arena, "o%d", i), true, &rev), CV_WRITE_DONE);
    assert_int_equal(write_now(f, "late", CV_STR("made"), true, &rev), CV_WRITE_DONE);
    assert_ok(f->record->calls->acknowledged(f->record, &f->arena, &how, &f->err), &f->err);
    fail_over(f, &p);
    assert_int_equal(rev_without_memory(f, p.address, "s0"), 5);
    for (int again = 0; again < 2; again++) { /* this handle, and a new one that has the same memory */
        refuse_all(f);
        cv_record_close(f->record);
        f->record = board_postgres(&f->arena, p.address, seen, &f->err);
    }
    assert_int_equal(rev_without_memory(f, p.address, "s0"), 5);
    assert_int_equal(rev_without_memory(f, p.address, "late"), 0);
    const char *count = cv_arena_printf(&f->arena, "SELECT count(*) FROM %s.scopes", f->admin->address.schema).p;
    assert_int_equal(ask(f, count), 1); /* not even a row to lock */
    /* The decision of a person. */
    assert_ok(f->record->calls->accept(f->record, &f->arena, &commit, &f->err), &f->err);
    assert_int_equal(commit.number, 5);
    assert_ok(f->record->calls->acknowledged(f->record, &f->arena, &how, &f->err), &f->err);
    for (int i = 5; i < 9; i++) {
        cv_str op = cv_arena_printf(&f->arena, "o%d", i);
        assert_int_equal(write_now(f, "s0", op, true, &rev), CV_WRITE_DONE);
        *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s0"), op, rev};
    }
    assert_int_equal(rev, 9);
    assert_int_equal(write_now(f, "late", CV_STR("made"), true, &rev), CV_WRITE_DONE);
    check(f, p.address, "stale standby, accepted");
    remove_pair(f, &p);
}

/* ---- no room ------------------------------------------------------------------------------------------------------
 */

static cv_str large_text(fixture *f, cv_test_random *random, size_t n)
{
    char *text = cv_arena_alloc(&f->arena, n);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('0' + cv_test_below(random, 64));
    return (cv_str){text, n};
}

/* Some small rows, a large one behind them, and an event. */
static cv_write_result write_large(fixture *f, cv_str op, cv_str text)
{
    cv_writing w;
    cv_written done = {.how = CV_WRITE_FAILED};
    const cv_request request = {op, CV_STR("digest"), CV_STR("board write")};
    f->err = (cv_err){.arena = &f->arena};
    if (!cv_writing_begin(&w, f->record, &f->arena, BOARD("s0"), op, NOW, &f->err))
        return CV_WRITE_FAILED;
    for (int64_t i = 0; i < WRITER_LINES; i++)
        cv_writing_put(&w, &line_type,
                       &(line){.thread = op, .seq = i, .author = CV_STR("ann"), .text = i == 2 ? text : op});
    cv_writing_event(&w, CV_STR("card"), op, CV_STR("written"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err);
    return done.how;
}

/* No file of the server can grow beyond 16 MB, which its log has from the start: any user can set such a limit, and the
 * server meets it where it would meet a full disk. */
static void a_full_disk_writes_nothing(void **state)
{
    fixture *f = *state;
    const char *server = cv_arena_printf(&f->arena, "%s/small", f->folder).p;
    struct rlimit before, small;
    cv_test_random random = {1};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 16 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    cv_test_postgres_run(&f->arena, "start %s --memory", server);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    const char *address = address_at(f, home_of(f, server), "");
    f->record = board_postgres(&f->arena, address, NULL, &f->err);
    cv_str op = {0}, text = {0};
    cv_write_result how = CV_WRITE_DONE;
    int64_t rev = 0;
    while (rev < 40 && how == CV_WRITE_DONE) {
        rev++;
        op = cv_arena_printf(&f->arena, "o%lld", (long long)rev);
        text = large_text(f, &random, 1 << 20);
        how = write_large(f, op, text);
        if (how == CV_WRITE_DONE)
            *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s0"), op, rev};
    }
    assert_int_equal(how, CV_WRITE_FAILED);
    assert_str_has(f->err.message, "could not extend file");
    assert_true(f->told.count > 5);
    check(f, address, "a full disk");
    cv_test_postgres_run(&f->arena, "restart %s", server); /* there is room again */
    assert_int_equal(write_large(f, op, text), CV_WRITE_DONE);
    *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s0"), op, rev};
    check(f, address, "room again");
    cv_test_postgres_run(&f->arena, "remove %s", server);
}

/* A file system that is really full: tables, log and all. The mount is seen by this process and those that it starts,
 * and goes with them. */
static void a_file_system_without_room_loses_nothing(void **state)
{
    fixture *f = *state;
    const char *place = cv_arena_printf(&f->arena, "%s/small", f->folder).p;
    const char *server = cv_arena_printf(&f->arena, "%s/full", f->folder).p;
    cv_test_random random = {2};
    cv_str op = {0}, text = large_text(f, &random, 256 << 10);
    cv_write_result how = CV_WRITE_DONE;
    int64_t rev = 0;
    assert_int_equal(mkdir(place, 0755), 0);
    assert_int_equal(chmod(f->folder, 0711), 0); /* the server's user comes through */
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", place, "tmpfs", 0, "size=96m,mode=755") != 0)
        cv_test_skip("no right to mount a file system");
    setenv("TMPDIR", place, 1);
    cv_test_postgres_run(&f->arena, "start %s", server);
    unsetenv("TMPDIR");
    const char *address = address_at(f, home_of(f, server), "");
    f->record = board_postgres(&f->arena, address, NULL, &f->err);
    while (rev < 400 && how == CV_WRITE_DONE) {
        rev++;
        op = cv_arena_printf(&f->arena, "o%lld", (long long)rev);
        how = write_large(f, op, text);
        if (how == CV_WRITE_DONE)
            *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s0"), op, rev};
    }
    print_message("# full after %zu writes: %.*s\n", f->told.count, CV_FMT(f->err.message));
    assert_true(f->told.count > 5 && (how == CV_WRITE_FAILED || how == CV_WRITE_UNKNOWN));
    assert_int_equal(mount("tmpfs", place, "tmpfs", MS_REMOUNT, "size=512m,mode=755"), 0);
    cv_test_postgres_run(&f->arena, "restart %s", server); /* without room for its log it has ended by itself */
    cv_write_result again = write_large(f, op, text);
    if (how == CV_WRITE_UNKNOWN && again != CV_WRITE_DONE) /* it was there: its rows are not new */
        assert_int_equal(rev_without_memory(f, address, "s0"), rev);
    else
        assert_int_equal(again, CV_WRITE_DONE);
    *CV_PUSH(&f->arena, &f->told) = (told_one){CV_STR("s0"), op, rev};
    check(f, address, "a full file system");
    cv_test_postgres_run(&f->arena, "remove %s", server);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clients_are_killed),
        TEST(sessions_are_ended),
        TEST(sessions_behind_a_pooler_are_ended),
        TEST(a_pooler_gives_no_session_away_that_is_in_use),
        TEST(sessions_are_killed),
        TEST(servers_are_killed),
        TEST(connections_are_cut_before_each_message),
        TEST(connections_are_cut_around_commit),
        TEST(connections_to_a_pooler_are_cut_around_commit),
        TEST(without_a_server_nobody_knows),
        TEST(what_was_not_sent_was_not_written),
        TEST(connections_are_cut_by_chance),
        TEST(a_synchronous_standby_has_all_that_was_acknowledged),
        TEST(a_stale_standby_is_found_out),
        TEST(a_full_disk_writes_nothing),
        TEST(a_file_system_without_room_loses_nothing),
    };
    return cmocka_run_group_tests_name("postgres_faults", tests, NULL, remove_server);
}
