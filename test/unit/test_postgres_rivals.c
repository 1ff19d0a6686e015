/* test_postgres_rivals.c - many who use one record on PostgreSQL at the same time.
 *
 * 64 writers over 8 processes, in one scope and in several, locked and optimistic: no update is lost, locked writes
 * take turns. Readers of the feed that begin at any time, and one that is killed and goes on, see each commit once and
 * in the same order. Scopes that several make at once. Tables that come to a server whose transactions have smaller
 * numbers.
 */
#include "writers.h"

#include <pthread.h>
#include <sys/mman.h>

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *address;
    cv_record *record;
    cv_postgres *admin;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_postgres_close(f->admin);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static cv_postgres *connect_to(fixture *f, const char *address)
{
    cv_postgres_address parsed;
    assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(address), &parsed, &f->err), &f->err);
    cv_postgres *c = cv_postgres_new(&f->arena, &parsed);
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_OK);
    return c;
}

static char the_server[64];

static int remove_server(void **state)
{
    (void)state;
    cv_arena a = {0};
    if (the_server[0])
        cv_test_postgres_run(&a, "remove %s", the_server);
    cv_arena_release(&a);
    return 0;
}

/* A server for these tests alone: a transaction that another test has open would delay the feed. */
static fixture *begin(void **state)
{
    fixture *f = *state;
    if (!the_server[0]) {
        char name[sizeof the_server];
        snprintf(name, sizeof name, "/tmp/cvpg-rivals-%d", (int)getpid());
        cv_test_postgres_run(&f->arena, "start %s --memory", name);
        memcpy(the_server, name, sizeof name);
    }
    f->address = cv_arena_printf(&f->arena, "%s&schema=%s", cv_test_postgres_run(&f->arena, "address %s", the_server),
                                 cv_test_postgres_schema(&f->arena))
                     .p;
    f->admin = connect_to(f, f->address);
    return f;
}

static bool see_number(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(int64_t *)ctx = cv_postgres_column_int(row, 0);
    return true;
}

/* The number that a statement of the test's own returns, if it returns one; $schema is the record's. */
static int64_t ask(fixture *f, cv_postgres *c, const char *text)
{
    int64_t number = 0;
    const cv_postgres_word schema = {"$schema", cv_str_of(c->address.schema)};
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_statement *st = cv_postgres_add(&batch, "test", cv_postgres_fill(&f->arena, text, &schema, 1));
    cv_postgres_rows(st, see_number, &number);
    assert_ok(cv_postgres_run(c, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
    return number;
}

static cv_write_result write_x(fixture *f, cv_record *record, const char *scope, const char *op)
{
    int64_t rev;
    f->err = (cv_err){.arena = &f->arena};
    return write_op(record, &f->arena, (cv_scope_id){CV_STR("board"), cv_str_of(scope)}, cv_str_of(op), true, &rev,
                    &f->err);
}

/* ---- 64 writers ---------------------------------------------------------------------------------------------------
 */

enum { PROCESSES = 8, THREADS = 8, RIVALS = PROCESSES * THREADS, SCOPES = 8 };

typedef struct {
    const char *address;
    int number, writes;
    int scopes;   /* it writes to one of so many */
    int patience; /* optimistic tries of a write, before it takes the lock: as callers do */
} rival_setting;

typedef struct {
    int64_t writes, conflicts, failed;
    int64_t trips; /* all that it waited for after it had begun */
} tally;

typedef struct {
    rival_setting setting;
    tally *tally;
} rival;

static bool take_rank(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)err;
    *(int64_t *)ctx = ((const card *)row)->rank;
    return true;
}

/* Adds one to the number on a card: an update is lost when two have read the same number. */
static cv_write_result add_one(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op, bool locked, cv_err *err)
{
    cv_writing w;
    cv_written done = {0};
    cv_scope_position at;
    int64_t number = 0;
    const card first = {.number = 1};
    const cv_find find = {.type = &card_type, .scope = scope, .like = &first, .equal = 1, .limit = 1};
    const cv_request request = {op, CV_STR("digest"), CV_STR("board add")};
    if (locked ? !cv_writing_begin(&w, record, a, scope, op, NOW, err)
               : !record->calls->begin(record, a, scope, &at, err))
        return CV_WRITE_FAILED;
    bool ok = record->calls->find(record, &find, take_rank, &number, err);
    if (!locked) {
        record->calls->end(record);
        cv_writing_from(&w, record, a, scope, &at, NOW);
    }
    if (!ok) {
        cv_writing_end(&w);
        return CV_WRITE_FAILED;
    }
    card c;
    cv_row_clear(&card_type, &c);
    c.number = 1, c.rank = number + 1, c.title = c.body = op;
    cv_writing_put(&w, &card_type, &c);
    for (int64_t i = 0; i < WRITER_LINES; i++)
        cv_writing_put(&w, &line_type, &(line){.thread = op, .seq = i, .author = CV_STR("ann")});
    cv_writing_event(&w, CV_STR("card"), op, CV_STR("counted"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, err);
    return done.how;
}

static void rival_write(const rival *r, cv_record *record, cv_arena *a, int n)
{
    const rival_setting *s = &r->setting;
    cv_scope_id scope = {CV_STR("board"), cv_arena_printf(a, "s%d", s->number % s->scopes)};
    cv_str op = cv_arena_printf(a, "op-%d-%d", s->number, n);
    for (int tries = 0;; tries++) {
        cv_err err = {.arena = a};
        cv_write_result how = add_one(record, a, scope, op, tries >= s->patience, &err);
        r->tally->writes += how == CV_WRITE_DONE;
        r->tally->conflicts += how == CV_WRITE_CONFLICT;
        r->tally->failed += how != CV_WRITE_DONE && how != CV_WRITE_CONFLICT;
        if (how != CV_WRITE_DONE && how != CV_WRITE_CONFLICT)
            fprintf(stderr, "%.*s: %.*s\n", CV_FMT(op), CV_FMT(cv_err_text(&err)));
        if (how != CV_WRITE_CONFLICT)
            return;
    }
}

static void *rival_thread(void *ctx)
{
    const rival *r = ctx;
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record = open_patiently(&a, r->setting.address, NULL, &err);
    if (!record) {
        r->tally->failed++;
        return NULL;
    }
    const cv_postgres *c = ((cv_postgres_record *)record)->c;
    uint64_t before = c->costs.trips;
    for (int n = 0; n < r->setting.writes; n++) {
        rival_write(r, record, &turn, n);
        cv_arena_reset(&turn);
    }
    r->tally->trips = (int64_t)(c->costs.trips - before);
    cv_record_close(record);
    cv_arena_release(&turn);
    cv_arena_release(&a);
    return NULL;
}

static void rival_process(const rival_setting *setting, int first, tally *tallies)
{
    pthread_t threads[THREADS];
    rival rivals[THREADS];
    for (int i = 0; i < THREADS; i++) {
        rivals[i] = (rival){*setting, &tallies[first + i]};
        rivals[i].setting.number = first + i;
        if (pthread_create(&threads[i], NULL, rival_thread, &rivals[i]) != 0)
            _exit(1);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

/* Dense revs, all rows, and a number that has counted every write. Returns how many there were. */
static int64_t check_counted(fixture *f, cv_str name)
{
    cv_scope_id scope = {CV_STR("board"), name};
    const cv_find find = {.type = &card_type, .scope = scope};
    int64_t number = 0;
    stored there;
    int64_t rev = check_scope(f->record, &f->arena, scope, &there, &f->err);
    assert_ok(f->record->calls->find(f->record, &find, take_rank, &number, &f->err), &f->err);
    assert_int_equal(number, rev);
    return rev;
}

static tally run_rivals(fixture *f, rival_setting setting, const char *what)
{
    tally *tallies = mmap(NULL, sizeof *tallies * RIVALS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pids[PROCESSES];
    tally all = {0};
    int64_t counted = 0;
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    setting.address = f->address;
    for (int i = 0; i < PROCESSES; i++)
        if ((pids[i] = fork()) == 0)
            rival_process(&setting, i * THREADS, tallies);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < RIVALS; i++) {
        all.writes += tallies[i].writes;
        all.conflicts += tallies[i].conflicts;
        all.failed += tallies[i].failed;
        all.trips += tallies[i].trips;
    }
    munmap(tallies, sizeof *tallies * RIVALS);
    for (int i = 0; i < setting.scopes; i++)
        counted += check_counted(f, cv_arena_printf(&f->arena, "s%d", i));
    print_message("# %d writers, %s: %lld writes, %lld conflicts, %lld round trips\n", RIVALS, what,
                  (long long)all.writes, (long long)all.conflicts, (long long)all.trips);
    assert_int_equal(all.failed, 0);
    assert_int_equal(all.writes, RIVALS * setting.writes);
    assert_int_equal(counted, all.writes);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    assert_int_equal(ask(f, f->admin, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), 0);
    return all;
}

static int writes_each(int few)
{
    return cv_test_soak() ? few * 50 : few;
}

/* The lock, a find, the commit: nobody had to ask for the lock twice. */
static void locked_writers_of_one_scope_take_turns(void **state)
{
    tally all = run_rivals(begin(state), (rival_setting){.writes = writes_each(4), .scopes = 1}, "locked, one scope");
    assert_int_equal(all.conflicts, 0);
    assert_int_equal(all.trips, 3 * all.writes);
}

static void optimistic_writers_of_one_scope_lose_nothing(void **state)
{
    run_rivals(begin(state), (rival_setting){.writes = writes_each(2), .scopes = 1, .patience = 3},
               "optimistic, one scope");
}

static void writers_of_some_scopes_lose_nothing(void **state)
{
    run_rivals(begin(state), (rival_setting){.writes = writes_each(4), .scopes = SCOPES, .patience = 1},
               "optimistic, then locked, 8 scopes");
}

/* Begin, a find, all of the write; that which makes the scope takes the lock before. */
static void writers_of_different_scopes_do_not_meet(void **state)
{
    const rival_setting setting = {.writes = writes_each(4), .scopes = RIVALS, .patience = 100};
    tally all = run_rivals(begin(state), setting, "optimistic, 64 scopes");
    assert_int_equal(all.conflicts, 0);
    assert_int_equal(all.trips, 3 * all.writes + RIVALS);
}

/* ---- the same thing at once ---------------------------------------------------------------------------------------
 */

/* Several processes open a record whose schema is not there yet, and make the same scopes. `same`: with the same
 * op_ids, as callers do who repeat a request. */
static void make_at_once(fixture *f, bool same)
{
    enum { MAKERS = 4, MADE = 6 };
    int64_t(*done)[5] = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pids[MAKERS];
    for (int i = 0; i < MAKERS; i++)
        if ((pids[i] = fork()) == 0) {
            cv_arena a = {0};
            cv_err err = {.arena = &a};
            cv_record *record = board_postgres(&a, f->address, NULL, &err);
            for (int n = 0; n < MADE; n++) {
                const cv_scope_position nothing = {0};
                cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&a, "s%d", n)};
                const cv_request request = {cv_arena_printf(&a, "make-%d-%d", n, same ? 0 : i), CV_STR("digest"),
                                            CV_STR("board make")};
                cv_writing w;
                cv_written how;
                cv_writing_from(&w, record, &a, scope, &nothing, NOW);
                cv_writing_event(&w, CV_STR("board"), request.op_id, CV_STR("made"));
                cv_writing_commit(&w, &request, CV_STR("{}"), &how, &err);
                __atomic_fetch_add(&(*done)[how.how < 4 ? how.how : 4], 1, __ATOMIC_SEQ_CST);
            }
            cv_record_close(record);
            _exit(0);
        }
    for (int i = 0; i < MAKERS; i++) {
        int status;
        assert_true(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
    }
    assert_int_equal((*done)[CV_WRITE_DONE], MADE);
    assert_int_equal((*done)[same ? CV_WRITE_REPLAYED : CV_WRITE_CONFLICT], (MAKERS - 1) * MADE);
    munmap(done, sizeof *done);
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_int_equal(ask(f, f->admin, "SELECT count(*) FROM $schema.commits"), MADE);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
}

static void one_of_several_makes_a_scope(void **state)
{
    make_at_once(begin(state), false);
}

static void a_scope_that_is_asked_for_twice_is_made_once(void **state)
{
    make_at_once(begin(state), true);
}

/* ---- volatile rows ------------------------------------------------------------------------------------------------
 */

/* Puts both rows in their order, or removes them in the other one. */
static void change_cursors(const char *address, bool removes, int times)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    const cursor ab[] = {{.reader = CV_STR("a"), .seen = 1}, {.reader = CV_STR("b"), .seen = 1}}, ba[] = {ab[1], ab[0]};
    const cv_rows puts = {&cursor_type, ab, 2}, removals = {&cursor_type, ba, 2};
    cv_record *record = board_postgres(&a, address, NULL, &err);
    for (int i = 0; i < times; i++)
        if (removes ? !record->calls->drop(record, BOARD("a"), &removals, &err)
                    : !record->calls->keep(record, BOARD("a"), &puts, &err)) {
            fprintf(stderr, "%.*s\n", CV_FMT(cv_err_text(&err)));
            _exit(1);
        }
    cv_record_close(record);
    _exit(0);
}

static void volatile_rows_are_changed_in_any_order(void **state)
{
    fixture *f = begin(state);
    enum { CHANGERS = 4 };
    pid_t pids[CHANGERS];
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_int_equal(write_x(f, f->record, "a", "made"), CV_WRITE_DONE);
    cv_test_postgres_run(&f->arena, "set %s deadlock_timeout=5ms", the_server);
    for (int i = 0; i < CHANGERS; i++)
        if ((pids[i] = fork()) == 0)
            change_cursors(f->address, i % 2, cv_test_soak() ? 5000 : 150);
    for (int i = 0; i < CHANGERS; i++) {
        int status;
        assert_true(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
    }
    assert_int_equal(ask(f, f->admin, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), 0);
}

/* ---- the feed -----------------------------------------------------------------------------------------------------
 */

enum { FEEDERS = 8, READERS = 4 };

typedef struct {
    cv_arena *arena;
    FILE *to;
    cv_str position;
    size_t count;
} following;

static bool follow_entry(void *ctx, const cv_feed_entry *e, cv_err *err)
{
    following *x = ctx;
    (void)err;
    fprintf(x->to, "%.*s %lld %.*s\n", CV_FMT(e->scope.name), (long long)e->rev, CV_FMT(e->op_id));
    x->position = cv_arena_copy(x->arena, e->position);
    x->count++;
    return true;
}

static bool follow_batch(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    following *x = ctx;
    for (size_t i = 0; i < count; i++)
        follow_entry(x, &entries[i], err);
    fflush(x->to); /* before the position moves on: at least once */
    return true;
}

/* Follows the feed from its beginning, with or without a position that the record keeps, and writes down what comes,
 * until the last op_id has come. */
static void feed_reader(const char *address, const char *to, const char *name)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record = open_patiently(&a, address, NULL, &err);
    following x = {.arena = &a, .to = fopen(to, "a")};
    const cv_feed_reader reader = {.name = cv_str_of(name), .batch = 3, .take = follow_batch, .ctx = &x};
    int64_t deadline = now_ms() + WRITER_PATIENCE_MS;
    cv_scope_position last = {0};
    if (!record || !x.to)
        _exit(1);
    while (last.rev == 0 && now_ms() < deadline) { /* nothing has come for so long */
        size_t before = x.count;
        if (!record->calls->begin(record, &a, BOARD("last"), &last, &err))
            _exit(1);
        record->calls->end(record);
        if (name[0] ? !cv_feed_catch_up(record, &a, &reader, &err)
                    : !record->calls->feed(record, x.position, 0, follow_entry, &x, &err)) {
            fprintf(stderr, "%.*s\n", CV_FMT(cv_err_text(&err)));
            _exit(1);
        }
        if (x.count > before)
            deadline = now_ms() + WRITER_PATIENCE_MS;
        pause_ms(3);
    }
    fclose(x.to);
    cv_record_close(record);
    _exit(last.rev == 0);
}

static pid_t start_reader(fixture *f, const char *to, const char *name)
{
    pid_t pid = fork();
    if (pid == 0)
        feed_reader(f->address, to, name);
    return pid;
}

/* A killed reader sees its last batch again, and may have written half of it. */
static cv_str without_repeats(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_map seen = {0};
    cv_str one;
    bool is_new;
    while (cv_str_split(&text, '\n', &one)) {
        if (one.n == 0)
            continue;
        cv_map_put(&seen, a, one, &is_new);
        if (is_new)
            cv_buf_printf(&out, "%.*s\n", CV_FMT(one));
    }
    return cv_buf_take(&out, a);
}

static cv_str all_of_the_feed(fixture *f, cv_record *record, cv_str after, size_t *ret_count)
{
    char *all;
    size_t size;
    following x = {.arena = &f->arena, .to = open_memstream(&all, &size)};
    assert_ok(record->calls->feed(record, after, 0, follow_entry, &x, &f->err), &f->err);
    fclose(x.to);
    cv_str text = cv_arena_copy(&f->arena, (cv_str){all, size});
    free(all);
    *ret_count = x.count;
    return text;
}

static void every_reader_sees_every_commit_once(void **state)
{
    fixture *f = begin(state);
    writer writers[FEEDERS];
    pid_t readers[READERS];
    const char *outputs[READERS];
    const char *kept = cv_arena_printf(&f->arena, "%s/kept", f->folder).p;
    told t = {.arena = &f->arena};
    int status, writes = cv_test_soak() ? 2000 : 60;
    size_t count;
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    pid_t victim = start_reader(f, kept, "victim");
    for (int i = 0; i < FEEDERS; i++)
        writers[i] = writer_start(&(writer_setting){.address = f->address,
                                                    .name = cv_arena_printf(&f->arena, "w%d", i).p,
                                                    .scopes = 5,
                                                    .writes = writes,
                                                    .locked = i % 4 != 0});
    for (int i = 0; i < READERS; i++) { /* one after the other, while all the others write; the last one behind them */
        outputs[i] = cv_arena_printf(&f->arena, "%s/r%d", f->folder, i).p;
        if (i < READERS - 1)
            readers[i] = start_reader(f, outputs[i], "");
        for (int k = 0; k < FEEDERS; k++)
            writer_wait(&writers[k], &t, writes / (READERS + 1));
        kill(victim, SIGKILL); /* and one is killed again and again */
        waitpid(victim, &status, 0);
        victim = start_reader(f, kept, "victim");
    }
    for (int i = 0; i < FEEDERS; i++)
        writer_finish(&writers[i], &t);
    readers[READERS - 1] = start_reader(f, outputs[READERS - 1], "");
    assert_int_equal(write_x(f, f->record, "last", "last"), CV_WRITE_DONE);
    for (int i = 0; i < READERS; i++)
        assert_true(waitpid(readers[i], &status, 0) == readers[i] && status == 0);
    assert_true(waitpid(victim, &status, 0) == victim && status == 0);
    cv_str all = all_of_the_feed(f, f->record, CV_STR(""), &count);
    print_message("# %d writers: %zu commits\n", FEEDERS, count);
    assert_int_equal(count, FEEDERS * writes + 1);
    for (int i = 0; i < READERS; i++)
        assert_view_eq(cv_test_read(&f->arena, outputs[i]), all);
    assert_view_eq(without_repeats(&f->arena, cv_test_read(&f->arena, kept)), all);
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
}

/* Somebody has begun something on the server and not ended it: what is committed meanwhile waits in the feed, and comes
 * in its order when that has ended. */
static void an_open_transaction_delays_the_feed(void **state)
{
    fixture *f = begin(state);
    size_t count;
    cv_str newest;
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_int_equal(write_x(f, f->record, "a", "before"), CV_WRITE_DONE);
    ask(f, f->admin, "BEGIN");
    ask(f, f->admin, "SELECT pg_current_xact_id()::text::bigint");
    for (int i = 0; i < 3; i++)
        assert_int_equal(write_x(f, f->record, i % 2 ? "a" : "b", cv_arena_printf(&f->arena, "o%d", i).p),
                         CV_WRITE_DONE);
    assert_str_eq(all_of_the_feed(f, f->record, CV_STR(""), &count), "a 1 before\n");
    assert_ok(f->record->calls->newest(f->record, &f->arena, 0, &newest, &f->err), &f->err);
    assert_str_eq(all_of_the_feed(f, f->record, newest, &count), "");
    ask(f, f->admin, "ROLLBACK");
    assert_str_eq(all_of_the_feed(f, f->record, newest, &count), "b 1 o0\na 2 o1\nb 2 o2\n");
}

/* A writer that has its lock for long: what others commit meanwhile comes behind it. */
static void a_slow_writer_keeps_its_place_in_the_feed(void **state)
{
    fixture *f = begin(state);
    size_t count;
    cv_writing w;
    cv_written done;
    const cv_request request = {CV_STR("slow"), CV_STR("digest"), CV_STR("board write")};
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err);
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("a"), request.op_id, NOW, &f->err), &f->err);
    cv_writing_event(&w, CV_STR("card"), CV_STR("slow"), CV_STR("written"));
    assert_int_equal(write_x(f, other, "b", "quick"), CV_WRITE_DONE);
    assert_str_eq(all_of_the_feed(f, other, CV_STR(""), &count), "");
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
    assert_str_eq(all_of_the_feed(f, other, CV_STR(""), &count), "a 1 slow\nb 1 quick\n");
    cv_record_close(other);
}

/* ---- another server -----------------------------------------------------------------------------------------------
 */

static void move_to(fixture *f, const char *to)
{
    const char *command = cv_arena_printf(&f->arena,
                                          "PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' ':');"
                                          "pg_dump -n %s '%s' | psql -q -X -v ON_ERROR_STOP=1 '%s' >/dev/null",
                                          f->admin->address.schema, f->admin->address.libpq, to)
                              .p;
    assert_int_equal(system(command), 0);
}

/* What users without all rights can do: read in any case, write only when no new era has to be begun. */
static void use_without_rights(fixture *f, cv_postgres *owner, const char *address, cv_str old)
{
    static const char *const roles[] = {"reader", "writer"};
    size_t count;
    for (size_t i = 0; i < CV_COUNT(roles); i++) {
        const char *role = roles[i];
        ask(f, owner, cv_arena_printf(&f->arena, "CREATE ROLE %s LOGIN", role).p);
        ask(f, owner, cv_arena_printf(&f->arena, "GRANT USAGE ON SCHEMA $schema TO %s", role).p);
        ask(f, owner,
            cv_arena_printf(&f->arena, "GRANT SELECT%s ON ALL TABLES IN SCHEMA $schema TO %s",
                            i ? ", INSERT, UPDATE, DELETE" : "", role)
                .p);
        ask(f, owner, cv_arena_printf(&f->arena, "REVOKE INSERT ON $schema.eras FROM %s", role).p);
        const char *theirs = cv_arena_printf(&f->arena, "%s&user=%s", address, role).p;
        cv_record *record = board_postgres(&f->arena, theirs, NULL, &f->err);
        cv_scope_position at;
        cv_str some = all_of_the_feed(f, record, CV_STR(""), &count); /* the beginning of it */
        assert_true(cv_str_starts(old, some));
        assert_ok(record->calls->begin(record, &f->arena, BOARD("a"), &at, &f->err), &f->err);
        record->calls->end(record);
        assert_int_equal(at.rev, 2);
        assert_int_equal(write_x(f, record, "a", "refused"), CV_WRITE_FAILED);
        assert_str_has(f->err.message, "permission denied");
        cv_record_close(record);
    }
    assert_int_equal(ask(f, owner, "SELECT count(*) FROM $schema.commits"), 3);
}

static void tables_that_come_to_another_server_begin_an_era(void **state)
{
    fixture *f = begin(state);
    size_t count;
    const char *server = cv_arena_printf(&f->arena, "%s/other", f->folder).p;
    cv_str position;
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    ask(f, f->admin, "DO $$ BEGIN FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");
    assert_int_equal(write_x(f, f->record, "a", "o1"), CV_WRITE_DONE);
    assert_int_equal(write_x(f, f->record, "b", "o2"), CV_WRITE_DONE);
    assert_int_equal(write_x(f, f->record, "a", "o3"), CV_WRITE_DONE);
    cv_str old = all_of_the_feed(f, f->record, CV_STR(""), &count);
    assert_str_eq(old, "a 1 o1\nb 1 o2\na 2 o3\n");
    assert_ok(f->record->calls->newest(f->record, &f->arena, 0, &position, &f->err), &f->err);
    cv_record_close(f->record);

    cv_test_postgres_run(&f->arena, "start %s --memory", server);
    const char *to = cv_test_postgres_run(&f->arena, "address %s", server);
    const char *address = cv_arena_printf(&f->arena, "%s&schema=%s", to, f->admin->address.schema).p;
    move_to(f, to);
    cv_postgres *owner = connect_to(f, address);
    use_without_rights(f, owner, address, old);
    for (int again = 0; again < 2; again++) {
        f->record = board_postgres(&f->arena, address, NULL, &f->err);
        assert_int_equal(ask(f, owner, "SELECT max(era) FROM $schema.eras"), 2);
        if (!again) {
            assert_view_eq(all_of_the_feed(f, f->record, CV_STR(""), &count), old);
            assert_int_equal(write_x(f, f->record, "a", "o4"), CV_WRITE_DONE);
            assert_int_equal(write_x(f, f->record, "c", "o5"), CV_WRITE_DONE);
        }
        assert_str_eq(all_of_the_feed(f, f->record, position, &count), "a 3 o4\nc 1 o5\n");
        assert_str_eq(all_of_the_feed(f, f->record, CV_STR(""), &count), "a 1 o1\nb 1 o2\na 2 o3\na 3 o4\nc 1 o5\n");
        assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
        cv_record_close(f->record);
        f->record = NULL;
    }
    cv_postgres_close(owner);
    cv_test_postgres_run(&f->arena, "remove %s", server);
}

/* A handle that stays open while the tables move: the address leads to another server when it connects again. */
static void a_handle_that_meets_another_server_begins_an_era(void **state)
{
    fixture *f = begin(state);
    size_t count;
    const char *from = cv_arena_printf(&f->arena, "%s/from", f->folder).p;
    const char *to = cv_arena_printf(&f->arena, "%s/to", f->folder).p;
    cv_test_postgres_run(&f->arena, "start %s --memory", from);
    cv_test_postgres_run(&f->arena, "start %s --memory", to);
    char *first = realpath(from, NULL), *second = realpath(to, NULL);
    cv_postgres_close(f->admin);
    f->address = cv_arena_printf(&f->arena, "postgresql://conclave@/conclave?host=%s,%s", first, second).p;
    f->admin = connect_to(f, f->address);
    ask(f, f->admin, "DO $$ BEGIN FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");
    f->record = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_int_equal(write_x(f, f->record, "a", "o1"), CV_WRITE_DONE);
    move_to(f, cv_test_postgres_run(&f->arena, "address %s", to));
    cv_test_postgres_run(&f->arena, "stop %s", from);
    assert_int_equal(write_x(f, f->record, "a", "o2"), CV_WRITE_DONE);
    assert_int_equal(write_x(f, f->record, "b", "o3"), CV_WRITE_DONE);
    assert_str_eq(all_of_the_feed(f, f->record, CV_STR(""), &count), "a 1 o1\na 2 o2\nb 1 o3\n");
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    free(first);
    free(second);
    cv_test_postgres_run(&f->arena, "remove %s", from);
    cv_test_postgres_run(&f->arena, "remove %s", to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(locked_writers_of_one_scope_take_turns),
        TEST(optimistic_writers_of_one_scope_lose_nothing),
        TEST(writers_of_some_scopes_lose_nothing),
        TEST(writers_of_different_scopes_do_not_meet),
        TEST(one_of_several_makes_a_scope),
        TEST(a_scope_that_is_asked_for_twice_is_made_once),
        TEST(every_reader_sees_every_commit_once),
        TEST(an_open_transaction_delays_the_feed),
        TEST(a_slow_writer_keeps_its_place_in_the_feed),
        TEST(tables_that_come_to_another_server_begin_an_era),
        TEST(a_handle_that_meets_another_server_begins_an_era),
        TEST(volatile_rows_are_changed_in_any_order),
    };
    return cmocka_run_group_tests_name("postgres_rivals", tests, NULL, remove_server);
}
