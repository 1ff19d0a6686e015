/* test_postgres.c - a connection to a real PostgreSQL server: batches and what they cost, parameters, rows, errors,
 * lost connections, migrations, and the live schema against the types. */
#include "testing_postgres.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "kit/room.h"
#include "record/postgres/connection.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *server; /* its address, without parameters of ours */
    const char *more;   /* parameters of ours */
    cv_postgres *c;
} fixture;

/* ---- a server ------------------------------------------------------------------------------------------------------
 */

static cv_postgres *handle(fixture *f, const char *more)
{
    cv_postgres_address address;
    cv_str text = cv_arena_printf(&f->arena, "%s%s", f->server, more);
    assert_ok(cv_postgres_address_parse(&f->arena, text, &address, &f->err), &f->err);
    return cv_postgres_new(&f->arena, &address);
}

static fixture the_fixture;

static int set_up(void **state)
{
    the_fixture = (fixture){.err = {.arena = &the_fixture.arena}, .more = ""};
    *state = &the_fixture;
    return 0;
}

static int set_up_off(void **state)
{
    set_up(state);
    the_fixture.more = "&pipeline=off";
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_postgres_close(f->c);
    cv_arena_release(&f->arena);
    return 0;
}

static fixture *begin(void **state)
{
    fixture *f = *state;
    f->server = cv_test_postgres_run(&f->arena, "shared --owner %d", (int)getpid());
    f->c = handle(f, f->more);
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    return f;
}

/* One statement without parameters, for what a test needs. */
static cv_postgres_result does(fixture *f, cv_postgres *c, const char *text)
{
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_add(&batch, "test", text);
    return cv_postgres_run(c, &batch, &f->err);
}

static bool see_int(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(int64_t *)ctx = cv_postgres_column_int(row, 0);
    return true;
}

static int64_t number_of(fixture *f, const char *text)
{
    int64_t number = -1;
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_rows(cv_postgres_add(&batch, "test", text), see_int, &number);
    if (cv_postgres_run(f->c, &batch, &f->err) != CV_POSTGRES_OK)
        print_error("%.*s\n", CV_FMT(cv_err_text(&f->err)));
    return number;
}

/* ---- parameters and rows ------------------------------------------------------------------------------------------
 */

typedef struct {
    int64_t rev, number;
    cv_str text;
} line;

typedef struct {
    fixture *f;
    line *items;
    size_t count, capacity;
} lines;

static bool see_line(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    lines *seen = ctx;
    (void)err;
    *CV_PUSH(&seen->f->arena, seen) =
        (line){.number = cv_postgres_column_int(row, 0),
               .text = cv_postgres_column(row, 1).p ? cv_arena_copy(&seen->f->arena, cv_postgres_column(row, 1))
                                                    : (cv_str){NULL, 0}};
    return true;
}

static void values_come_back_as_they_went(void **state)
{
    fixture *f = begin(state);
    cv_postgres_batch batch = {.arena = &f->arena};
    const uint8_t uuid[16] = {0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255};
    lines seen = {.f = f};
    cv_str nothing = {NULL, 0};
    const struct {
        cv_str text;
        int64_t number;
    } cases[] = {{CV_STR("a'b\\\n\t{}\"\xc3\xa9"), INT64_MAX},
                 {CV_STR(""), -1},
                 {nothing, CV_ABSENT},
                 {CV_STR("x"), INT64_MIN + 1}};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_postgres_statement *st = cv_postgres_add(&batch, "test", "SELECT $1, $2, $3::text");
        cv_postgres_int(st, cases[i].number);
        cv_postgres_text(st, cases[i].text);
        cv_postgres_uuid(st, uuid);
        cv_postgres_rows(st, see_line, &seen);
    }
    int64_t same = 0;
    cv_postgres_statement *st =
        cv_postgres_add(&batch, "test", "SELECT $1 = 'deadbeef-0001-0203-0405-060708090aff'::uuid");
    cv_postgres_uuid(st, uuid);
    cv_postgres_rows(st, see_int, &same);
    uint64_t before = f->c->costs.trips;
    assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_OK);
    assert_int_equal(f->c->costs.trips - before, f->c->pipeline ? 1 : 5);
    assert_int_equal(seen.count, CV_COUNT(cases));
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        assert_int_equal(seen.items[i].number, cases[i].number);
        assert_view_eq(seen.items[i].text, cases[i].text);
        assert_int_equal(!seen.items[i].text.p, !cases[i].text.p);
    }
    assert_int_equal(same, 1);
}

/* Generated rows as two arrays, and back. */
static void columns_of_rows_come_back(void **state)
{
    fixture *f = begin(state);
    cv_test_random random = {cv_test_seed()};
    for (int round = 0; round < 20; round++) {
        size_t count = round == 0 ? 0 : cv_test_below(&random, 50);
        line *rows = CV_NEW_ARRAY(&f->arena, count, line);
        for (size_t i = 0; i < count; i++) {
            char *bytes = cv_arena_alloc(&f->arena, 64);
            size_t n = cv_test_below(&random, 64);
            for (size_t k = 0; k < n; k++)
                bytes[k] = (char)(1 + cv_test_below(&random, 127));
            rows[i].number = cv_test_below(&random, 4) ? (int64_t)cv_test_next(&random) : CV_ABSENT;
            rows[i].text = cv_test_below(&random, 4) ? (cv_str){bytes, n} : (cv_str){NULL, 0};
        }
        lines seen = {.f = f};
        cv_postgres_batch batch = {.arena = &f->arena};
        cv_postgres_statement *st = cv_postgres_add(
            &batch, "test", "SELECT n, t FROM unnest($1, $2) WITH ORDINALITY AS u (n, t, o) ORDER BY o");
        cv_postgres_ints(st, rows, count, sizeof *rows, offsetof(line, number));
        cv_postgres_texts(st, rows, count, sizeof *rows, offsetof(line, text));
        round % 2 ? cv_postgres_stream(st, see_line, &seen) : cv_postgres_rows(st, see_line, &seen);
        assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_OK);
        assert_int_equal(seen.count, count);
        assert_int_equal(st->rows, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(seen.items[i].number, rows[i].number);
            assert_view_eq(seen.items[i].text, rows[i].text);
            assert_int_equal(!seen.items[i].text.p, !rows[i].text.p);
        }
    }
}

/* ---- batches ------------------------------------------------------------------------------------------------------
 */

typedef struct {
    size_t rows, stop_at;
    int64_t sum;
    bool flat; /* each row is an answer of its own, which is gone before the next */
} counting;

static bool count_row(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    counting *k = ctx;
    k->sum += cv_postgres_column_int(row, 0);
    assert_true(!k->flat || row->number == 0);
    if (++k->rows == k->stop_at)
        return cv_err_set(err, CV_ERR_VERIFY, "enough");
    return true;
}

typedef struct {
    int64_t seen;
    int calls;
} later;

static void add_later(void *ctx, cv_postgres_batch *batch)
{
    later *l = ctx;
    cv_postgres_statement *st = cv_postgres_add(batch, "test", "SELECT $1 + 1");
    l->calls++;
    cv_postgres_int(st, 41);
    cv_postgres_rows(st, see_int, &l->seen);
}

static void count_call(void *ctx)
{
    ++*(int *)ctx;
}

/* What is made late belongs to the batch like all before it: once, in one round trip, and not done behind an error. */
static void the_rest_of_a_batch_is_made_late(void **state)
{
    fixture *f = begin(state);
    for (int fails = 0; fails < 2; fails++) {
        later l = {0};
        int meanwhile = 0;
        cv_postgres_batch batch = {.arena = &f->arena,
                                   .rest = add_later,
                                   .rest_ctx = &l,
                                   .meanwhile = count_call,
                                   .meanwhile_ctx = &meanwhile};
        uint64_t before = f->c->costs.trips;
        cv_postgres_add(&batch, "test", fails ? "SELECT 1 / 0" : "SELECT 1");
        assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), fails ? CV_POSTGRES_REFUSED : CV_POSTGRES_OK);
        assert_int_equal(l.seen, fails ? 0 : 42);
        assert_int_equal(l.calls, 1);
        assert_int_equal(batch.count, 2);
        assert_int_equal(meanwhile, f->c->pipeline);
        assert_int_equal(f->c->costs.trips - before, f->c->pipeline ? 1 : 2 - fails);
    }
}

/* Megabytes go out while megabytes come in: neither side waits for the other. */
static void large_batches_do_not_stand_still(void **state)
{
    fixture *f = begin(state);
    enum { STATEMENTS = 60, BYTES = 300000 };
    cv_postgres_batch batch = {.arena = &f->arena};
    char *bytes = cv_arena_alloc(&f->arena, BYTES);
    memset(bytes, 'x', BYTES);
    counting k = {0};
    for (int i = 0; i < STATEMENTS; i++) {
        cv_postgres_statement *st =
            cv_postgres_add(&batch, "test", "SELECT length($1), repeat($1, 2) FROM generate_series(1, 2)");
        cv_postgres_text(st, (cv_str){bytes, BYTES});
        (i % 3 == 0 ? cv_postgres_stream : cv_postgres_rows)(st, count_row, &k);
    }
    assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_OK);
    assert_int_equal(k.rows, 2 * STATEMENTS);
    assert_int_equal(k.sum, (int64_t)2 * STATEMENTS * BYTES);
    assert_true(f->c->costs.bytes > (uint64_t)STATEMENTS * BYTES);
}

static void a_visitor_can_stop(void **state)
{
    fixture *f = begin(state);
    for (int stream = 0; stream < 2; stream++) {
        cv_postgres_batch batch = {.arena = &f->arena};
        counting k = {.stop_at = 3, .flat = stream}, none = {0};
        cv_postgres_statement *st = cv_postgres_add(&batch, "test", "SELECT generate_series(1, 5000)");
        (stream ? cv_postgres_stream : cv_postgres_rows)(st, count_row, &k);
        cv_postgres_rows(cv_postgres_add(&batch, "test", "SELECT 1"), count_row, &none);
        assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_STOPPED);
        assert_str_eq(f->err.message, "enough");
        assert_ptr_equal(batch.failed, st);
        assert_int_equal(k.rows, 3);
        assert_int_equal(none.rows, 0);
        assert_int_equal(number_of(f, "SELECT 7"), 7);
    }
}

static void the_first_error_ends_a_batch(void **state)
{
    fixture *f = begin(state);
    int64_t one = 0, never = 0;
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_add(&batch, "begin", "BEGIN");
    cv_postgres_rows(cv_postgres_add(&batch, "count", "SELECT 1"), see_int, &one);
    cv_postgres_statement *bad = cv_postgres_add(&batch, "divide", "SELECT 1 / 0");
    cv_postgres_statement *after = cv_postgres_add(&batch, "count", "SELECT 2");
    cv_postgres_rows(after, see_int, &never);
    cv_postgres_statement *commit = cv_postgres_add(&batch, "commit", "COMMIT");
    assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_REFUSED);
    assert_ptr_equal(batch.failed, bad);
    assert_int_equal(one, 1);
    assert_int_equal(never, 0);
    assert_int_equal(after->result, CV_POSTGRES_UNANSWERED);
    assert_int_equal(commit->result, CV_POSTGRES_UNANSWERED);
    assert_str_has(f->err.message, "cannot divide: the database refused a row (division by zero)");
    assert_true(cv_postgres_in_transaction(f->c));
    /* A COMMIT that comes now takes everything back, and is not told as done. */
    assert_int_equal(does(f, f->c, "COMMIT"), CV_POSTGRES_OTHER);
    assert_false(cv_postgres_in_transaction(f->c));
}

static void rollback_costs_no_wait(void **state)
{
    fixture *f = begin(state);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(does(f, f->c, "BEGIN"), CV_POSTGRES_OK);
        assert_true(cv_postgres_in_transaction(f->c));
        uint64_t before = f->c->costs.trips;
        cv_postgres_rollback(f->c);
        cv_postgres_rollback(f->c); /* there is nothing to end any more */
        assert_int_equal(f->c->pending, 1);
        assert_int_equal(f->c->costs.trips, before);
        assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
        assert_int_equal(number_of(f, "SELECT 7"), 7);
        assert_int_equal(f->c->costs.trips, before + 1);
        assert_int_equal(f->c->pending, 0);
        assert_false(cv_postgres_in_transaction(f->c));
    }
    assert_int_equal(f->c->costs.connects, 1);
}

static void what_is_too_large_is_not_sent(void **state)
{
    fixture *f = begin(state);
    static const char byte[1];
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_text(cv_postgres_add(&batch, "write it", "SELECT length($1)"), (cv_str){byte, 1000000001});
    assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_REFUSED);
    assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_TOO_LARGE));
    assert_false(batch.sent);
    assert_int_equal(number_of(f, "SELECT 7"), 7);
}

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

static void states_are_classified(void **state)
{
    static const struct {
        const char *state;
        cv_postgres_result result;
        const cv_err_kind *code;
    } cases[] = {
        {"55P03", CV_POSTGRES_BUSY, CV_ERR_BUSY},
        {"53300", CV_POSTGRES_BUSY, CV_ERR_BUSY},
        {"40001", CV_POSTGRES_RETRY, CV_ERR_BUSY},
        {"40P01", CV_POSTGRES_RETRY, CV_ERR_BUSY},
        {"23505", CV_POSTGRES_DUPLICATE, CV_ERR_STORE},
        {"23514", CV_POSTGRES_REFUSED, CV_ERR_STORE},
        {"22P02", CV_POSTGRES_REFUSED, CV_ERR_STORE},
        {"P0001", CV_POSTGRES_REFUSED, CV_ERR_STORE},
        {"57P01", CV_POSTGRES_LOST, CV_ERR_STORE},
        {"08006", CV_POSTGRES_LOST, CV_ERR_STORE},
        {"40003", CV_POSTGRES_LOST, CV_ERR_STORE},
        {"25006", CV_POSTGRES_LOST, CV_ERR_STORE},
        {"", CV_POSTGRES_LOST, CV_ERR_STORE},
        {"42501", CV_POSTGRES_DENIED, CV_ERR_STORE},
        {"28P01", CV_POSTGRES_DENIED, CV_ERR_STORE},
        {"3F000", CV_POSTGRES_NO_SCHEMA, CV_ERR_NOT_FOUND},
        {"42P01", CV_POSTGRES_NO_SCHEMA, CV_ERR_NOT_FOUND},
        {"53100", CV_POSTGRES_FULL, CV_ERR_STORE},
        {"53200", CV_POSTGRES_FULL, CV_ERR_STORE},
        {"42601", CV_POSTGRES_OTHER, CV_ERR_STORE},
    };
    fixture *f = begin(state);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        assert_int_equal(cv_postgres_classify(cases[i].state), cases[i].result);
        cv_postgres_trouble(f->c, cases[i].result, "test", CV_STR("one\ntwo\n"), &f->err);
        assert_ptr_equal(f->err.code, cases[i].code);
        assert_str_has(f->err.message, "cannot test: ");
        assert_str_has(f->err.message, "(one; two)");
        if (!cases[i].state[0])
            continue;
        cv_postgres_batch batch = {.arena = &f->arena};
        cv_postgres_add(&batch, "test",
                        cv_arena_printf(&f->arena,
                                        "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '%s', MESSAGE = 'hm'; END $$",
                                        cases[i].state)
                            .p);
        assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), cases[i].result);
        assert_str_has(f->err.message, "hm");
        assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    }
}

/* ---- connections that are lost, or never made ---------------------------------------------------------------------
 */

static void kill_backend(fixture *f)
{
    cv_postgres *other = handle(f, "");
    assert_int_equal(cv_postgres_ready(other, &f->err), CV_POSTGRES_OK);
    cv_str text = cv_arena_printf(&f->arena, "SELECT pg_terminate_backend(%d, 5000)", cv_postgres_backend(f->c));
    assert_int_equal(does(f, other, text.p), CV_POSTGRES_OK);
    cv_postgres_close(other);
}

static void lost_connections_are_made_again(void **state)
{
    fixture *f = begin(state);
    /* Between transactions nobody notices. */
    kill_backend(f);
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    assert_int_equal(f->c->costs.connects, 2);
    assert_int_equal(number_of(f, "SELECT 7"), 7);
    /* … also when the end of the last one is still to be read. */
    assert_int_equal(does(f, f->c, "BEGIN"), CV_POSTGRES_OK);
    cv_postgres_rollback(f->c);
    kill_backend(f);
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    assert_int_equal(f->c->costs.connects, 3);

    /* Inside of one it is reported, in the server's words, and nothing is sent again. */
    assert_int_equal(does(f, f->c, "BEGIN"), CV_POSTGRES_OK);
    kill_backend(f);
    assert_int_equal(does(f, f->c, "SELECT 1"), CV_POSTGRES_LOST);
    assert_str_has(f->err.message, "administrator command");
    assert_null(f->c->conn);
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_add(&batch, "test", "SELECT 1");
    assert_int_equal(cv_postgres_run(f->c, &batch, &f->err), CV_POSTGRES_LOST);
    assert_false(batch.sent);

    /* What may be sent again is. */
    assert_int_equal(cv_postgres_run_again(f->c, &batch, &f->err), CV_POSTGRES_OK);
    assert_int_equal(f->c->costs.connects, 4);
    cv_postgres_batch deadly = {.arena = &f->arena};
    cv_postgres_add(&deadly, "test", "SELECT pg_terminate_backend(pg_backend_pid())");
    cv_postgres_add(&deadly, "test", "SELECT pg_sleep(5)");
    assert_int_equal(cv_postgres_run_again(f->c, &deadly, &f->err), CV_POSTGRES_LOST);
    assert_int_equal(f->c->costs.connects, 5);
    assert_true(deadly.sent);

    /* What went well in the end leaves no error. */
    const char *schema = cv_test_postgres_schema(&f->arena);
    cv_postgres_batch once = {.arena = &f->arena};
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    does(f, f->c, cv_arena_printf(&f->arena, "CREATE SCHEMA %s CREATE SEQUENCE tries", schema).p);
    cv_postgres_add(&once, "test",
                    cv_arena_printf(&f->arena,
                                    "SELECT CASE nextval('%s.tries') WHEN 1 THEN "
                                    "pg_terminate_backend(pg_backend_pid()) END",
                                    schema)
                        .p);
    f->err = (cv_err){.arena = &f->arena};
    assert_int_equal(cv_postgres_run_again(f->c, &once, &f->err), CV_POSTGRES_OK);
    assert_int_equal(f->c->costs.connects, 7);
    assert_true(f->err.code == CV_ERR_NONE);
    does(f, f->c, cv_arena_printf(&f->arena, "DROP SCHEMA %s CASCADE", schema).p);
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

static bool after_some(void *ctx)
{
    return ++*(int *)ctx > 3;
}

static void a_wait_can_be_cancelled(void **state)
{
    fixture *f = begin(state);
    int asked = 0;
    f->c->cancelled = after_some;
    f->c->cancelled_ctx = &asked;
    assert_int_equal(does(f, f->c, "SELECT pg_sleep(60)"), CV_POSTGRES_LOST);
    assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_CANCELLED));
    assert_null(f->c->conn);
    f->c->cancelled = always;
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_LOST);
    assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_CANCELLED));
    f->c->cancelled = NULL;
    assert_int_equal(does(f, f->c, "SELECT 7"), CV_POSTGRES_LOST);
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    assert_int_equal(number_of(f, "SELECT 7"), 7);
}

static void addresses_where_nobody_is_are_told(void **state)
{
    static const struct {
        const char *address;
        cv_postgres_result result;
        const char *says;
    } cases[] = {
        {"postgresql://127.0.0.1:1/none", CV_POSTGRES_LOST, "refused"},
        {"postgresql://127.0.0.1:1,127.0.0.1:2/none", CV_POSTGRES_LOST, "port 2"},
        {"postgresql:///none?host=/nowhere", CV_POSTGRES_LOST, "/nowhere"},
        {"postgresql:///none?service=none_of_this_name", CV_POSTGRES_LOST, "none_of_this_name"},
        {"postgresql://127.0.0.1:1/none?nonsense=1", CV_POSTGRES_LOST, "nonsense"},
        {"postgresql://127.0.0.1:1/none?sslmode=nonsense", CV_POSTGRES_LOST, "sslmode"},
    };
    fixture *f = begin(state);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_postgres_address address;
        assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(cases[i].address), &address, &f->err), &f->err);
        cv_postgres *c = cv_postgres_new(&f->arena, &address);
        assert_int_equal(cv_postgres_ready(c, &f->err), cases[i].result);
        assert_str_has(f->err.message, cases[i].says);
        cv_postgres_close(c);
    }
    cv_postgres *c = handle(f, "&user=nobody_here");
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_DENIED);
    assert_str_has(f->err.message, "nobody_here");
    assert_int_equal(cv_str_find(f->err.message, CV_STR("LOCATION")), SIZE_MAX);
    assert_int_equal(cv_str_find(f->err.message, CV_STR("28000")), SIZE_MAX);
    cv_postgres_close(c);
    c = handle(f, "&dbname=none_such");
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_OTHER);
    assert_str_has(f->err.message, "none_such");
    cv_postgres_close(c);
}

static void defaults_give_way(void **state)
{
    static const struct {
        const char *more, *variable, *value, *question;
    } cases[] = {
        {"", NULL, NULL, "SELECT current_setting('application_name') = 'conclave'"},
        {"&application_name=mine", NULL, NULL, "SELECT current_setting('application_name') = 'mine'"},
        {"", "PGAPPNAME", "theirs", "SELECT current_setting('application_name') = 'theirs'"},
        {"", NULL, NULL, "SELECT current_setting('client_encoding') = 'UTF8'"},
        {"", "PGCLIENTENCODING", "LATIN1", "SELECT current_setting('client_encoding') = 'UTF8'"},
    };
    fixture *f = begin(state);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_postgres_close(f->c);
        if (cases[i].variable)
            setenv(cases[i].variable, cases[i].value, 1);
        f->c = handle(f, cases[i].more);
        assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
        if (cases[i].variable)
            unsetenv(cases[i].variable);
        assert_int_equal(number_of(f, cases[i].question), 1);
    }
    /* A server that takes no writes will do for nobody who writes, unless the address says so. */
    const char *role = cv_arena_printf(&f->arena, "reader_%d", (int)getpid()).p;
    does(f, f->c, cv_arena_printf(&f->arena, "CREATE ROLE %s LOGIN", role).p);
    does(f, f->c, cv_arena_printf(&f->arena, "ALTER ROLE %s SET default_transaction_read_only = on", role).p);
    const char *more = cv_arena_printf(&f->arena, "&user=%s", role).p;
    cv_postgres *c = handle(f, more);
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_LOST);
    assert_str_has(f->err.message, "read-only");
    cv_postgres_close(c);
    c = handle(f, cv_arena_printf(&f->arena, "%s&target_session_attrs=any", more).p);
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_OK);
    assert_int_equal(does(f, c, "CREATE TABLE never (x int)"), CV_POSTGRES_LOST);
    cv_postgres_close(c);
    does(f, f->c, cv_arena_printf(&f->arena, "DROP ROLE %s", role).p);
}

/* A host that takes connections and says nothing is left for the next one. */
static void silent_hosts_are_left(void **state)
{
    fixture *f = begin(state);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(silent, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(silent, 4), 0);
    assert_int_equal(getsockname(silent, (struct sockaddr *)&at, &size), 0);
    int port = ntohs(at.sin_port);

    int64_t own = number_of(f, "SELECT current_setting('port')::bigint");
    cv_str socket_folder = cv_str_from(cv_str_of(f->server), cv_str_find(cv_str_of(f->server), CV_STR("host=")) + 5);
    socket_folder = cv_str_head(socket_folder, cv_str_find_char(socket_folder, '&'));
    cv_postgres_address address;
    char text[512];
    snprintf(text, sizeof text, "postgresql://conclave@/conclave?host=127.0.0.1,%.*s&port=%d,%d&connect_timeout=2",
             CV_FMT(socket_folder), port, (int)own);
    assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(text), &address, &f->err), &f->err);
    cv_postgres *c = cv_postgres_new(&f->arena, &address);
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_OK);
    assert_int_equal(does(f, c, "SELECT 1"), CV_POSTGRES_OK);
    cv_postgres_close(c);

    snprintf(text, sizeof text, "postgresql://conclave@127.0.0.1:%d/conclave?connect_timeout=2", port);
    assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(text), &address, &f->err), &f->err);
    c = cv_postgres_new(&f->arena, &address);
    assert_int_equal(cv_postgres_ready(c, &f->err), CV_POSTGRES_LOST);
    assert_str_has(f->err.message, "within 2 seconds");
    cv_postgres_close(c);
    close(silent);
}

/* The server is killed and started again: the handle waits for it, for some time. */
static void a_server_that_starts_again_is_waited_for(void **state)
{
    fixture *f = begin(state);
    const char *folder = cv_test_folder(&f->arena);
    cv_test_postgres_run(&f->arena, "start %s/one --memory --owner %d", folder, (int)getpid());
    f->server = cv_test_postgres_run(&f->arena, "address %s/one", folder);
    cv_postgres_close(f->c);
    f->c = handle(f, "");
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    cv_test_postgres_run(&f->arena, "kill %s/one", folder);
    pid_t starter = fork();
    if (starter == 0) {
        usleep(300000);
        execl("test/postgres/server", "server", "restart", cv_arena_printf(&f->arena, "%s/one", folder).p,
              (char *)NULL);
        _exit(127);
    }
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_add(&batch, "test", "SELECT 1");
    assert_int_equal(cv_postgres_run_again(f->c, &batch, &f->err), CV_POSTGRES_OK);
    assert_int_equal(f->c->costs.connects, 2);
    assert_int_equal(waitpid(starter, NULL, 0), starter);
    cv_test_postgres_run(&f->arena, "remove %s/one", folder);
}

/* ---- the schema ---------------------------------------------------------------------------------------------------
 */

/* A handle on a schema that is not there. */
static cv_postgres *fresh(fixture *f, const char *more)
{
    cv_postgres_close(f->c);
    cv_str rest = cv_arena_printf(&f->arena, "&schema=%s%s", cv_test_postgres_schema(&f->arena), more);
    f->c = handle(f, rest.p);
    assert_int_equal(cv_postgres_ready(f->c, &f->err), CV_POSTGRES_OK);
    return f->c;
}

static const char *in(fixture *f, const char *text)
{
    const cv_postgres_word words[] = {{"$schema", cv_str_of(f->c->address.schema)}};
    return cv_postgres_fill(&f->arena, text, words, 1);
}

static const cv_type *const *all_types(cv_arena *a, size_t *ret_count)
{
    const cv_type **all = CV_NEW_ARRAY(a, CV_MAX_TYPES, const cv_type *);
    size_t n = 0;
    all[n++] = &cv_event_row_type;
    all[n++] = &cv_commit_row_type;
    for (size_t i = 0; i < cv_program_types.count; i++)
        for (size_t k = 0; k < cv_program_types.rooms[i]->count; k++)
            all[n++] = cv_program_types.rooms[i]->types[k];
    *ret_count = n;
    return all;
}

static bool sound(fixture *f)
{
    size_t count;
    const cv_type *const *types = all_types(&f->arena, &count);
    return cv_postgres_check_schema(f->c, &f->arena, types, count, &f->err);
}

static void schemas_are_made_and_fit_the_types(void **state)
{
    static const char *const more[] = {"", "&partitions=3", "&pipeline=off"};
    fixture *f = begin(state);
    for (size_t i = 0; i < CV_COUNT(more); i++) {
        int64_t version = 0;
        cv_postgres *c = fresh(f, more[i]);
        assert_fails(cv_postgres_migrate(c, &cv_sql_postgres_schema, false, &version, &f->err), &f->err,
                     CV_ERR_NOT_FOUND);
        f->err = (cv_err){.arena = &f->arena};
        assert_ok(cv_postgres_migrate(c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err);
        assert_true(f->err.code == CV_ERR_NONE);
        assert_int_equal(version, cv_sql_postgres_schema.count);
        assert_ok(sound(f), &f->err);
        uint64_t trips = c->costs.trips;
        assert_ok(cv_postgres_migrate(c, &cv_sql_postgres_schema, false, &version, &f->err), &f->err);
        assert_int_equal(c->costs.trips - trips, c->pipeline ? 1 : 2);
        assert_int_equal(
            number_of(f, in(f, "SELECT count(*) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent "
                               "WHERE c.relnamespace = '$schema'::regnamespace AND c.relname = 'events'")),
            c->address.partitions);
        does(f, c, in(f, "DROP SCHEMA $schema CASCADE"));
    }
}

static void history_cannot_be_rewritten(void **state)
{
    static const struct {
        const char *text;
        cv_postgres_result result;
    } cases[] = {
        {"INSERT INTO $schema.scopes VALUES (gen_random_uuid(), 'r', 'n', 0, '', 0)", CV_POSTGRES_OK},
        {"UPDATE $schema.scopes SET rev = 7, head = 'h', event_count = 1", CV_POSTGRES_OK}, /* as it is restored */
        {"UPDATE $schema.scopes SET rev = 8", CV_POSTGRES_OK},
        {"UPDATE $schema.scopes SET rev = 10", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.scopes SET rev = 7", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.scopes SET name = 'm'", CV_POSTGRES_REFUSED},
        {"DELETE FROM $schema.scopes", CV_POSTGRES_REFUSED},
        {"INSERT INTO $schema.events (scope, seq, rev, subject_type, subject_id, event_type, created_at, hash, covers, "
         "reason) SELECT scope, 1, 1, 't', 'i', 'e', 'c', 'h', '[]', 'why' FROM $schema.scopes",
         CV_POSTGRES_OK},
        {"UPDATE $schema.events SET hash = 'x'", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.events SET reason = 'x'", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.events SET reason = NULL", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.events SET reason = '{\"redacted_sha256\":\"}'", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.events SET reason = '{\"redacted_sha256\":\"abc\"}'", CV_POSTGRES_OK},
        {"DELETE FROM $schema.events", CV_POSTGRES_REFUSED},
        {"INSERT INTO $schema.commits (scope, rev, op_id, created_at, head, era) SELECT scope, 1, 'o', 'c', 'h', 1 "
         "FROM "
         "$schema.scopes",
         CV_POSTGRES_OK},
        {"INSERT INTO $schema.commits (scope, rev, op_id, created_at, head, era) SELECT scope, 2, 'o', 'c', 'h', 1 "
         "FROM "
         "$schema.scopes",
         CV_POSTGRES_DUPLICATE},
        {"UPDATE $schema.commits SET xid = '5'", CV_POSTGRES_REFUSED},
        {"UPDATE $schema.commits SET result = 'x'", CV_POSTGRES_REFUSED},
        {"DELETE FROM $schema.commits", CV_POSTGRES_REFUSED},
        {"DELETE FROM $schema.schema_migrations", CV_POSTGRES_REFUSED},
    };
    static const char *const more[] = {"", "&partitions=2"};
    fixture *f = begin(state);
    for (size_t k = 0; k < CV_COUNT(more); k++) {
        int64_t version;
        fresh(f, more[k]);
        assert_ok(cv_postgres_migrate(f->c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err);
        for (size_t i = 0; i < CV_COUNT(cases); i++) {
            cv_postgres_result got = does(f, f->c, in(f, cases[i].text));
            if (got != cases[i].result)
                print_error("%s\n%.*s\n", cases[i].text, CV_FMT(cv_err_text(&f->err)));
            assert_int_equal(got, cases[i].result);
        }
        does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));
    }
}

static void other_schemas_are_refused(void **state)
{
    fixture *f = begin(state);
    int64_t version;
    const size_t own = cv_sql_postgres_schema.count;
    cv_sql_migration changed[32];
    assert_true(own < CV_COUNT(changed));
    for (size_t i = 0; i < own; i++)
        changed[i] = cv_sql_postgres_schema.items[i];
    changed[own] = (cv_sql_migration){(int)own + 1, "999_more", "CREATE TABLE $schema.more (x bigint);", "one more"};

    /* An older one is migrated, a newer one left alone. */
    fresh(f, "");
    assert_ok(cv_postgres_migrate(f->c, &(cv_sql_migrations){changed, 2}, true, &version, &f->err), &f->err);
    assert_ok(cv_postgres_migrate(f->c, &(cv_sql_migrations){changed, own + 1}, false, &version, &f->err), &f->err);
    assert_int_equal(version, own + 1);
    assert_fails(cv_postgres_migrate(f->c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err, CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "newer conclave");
    /* One whose past is another. */
    changed[1].checksum = "0123456789abcdef";
    assert_fails(cv_postgres_migrate(f->c, &(cv_sql_migrations){changed, own + 1}, true, &version, &f->err), &f->err,
                 CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "002_dialogue");
    changed[1] = cv_sql_postgres_schema.items[1];
    /* Another number of parts. */
    f->c->address.partitions = 5;
    assert_fails(cv_postgres_migrate(f->c, &(cv_sql_migrations){changed, own + 1}, true, &version, &f->err), &f->err,
                 CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "partitions=5");
    does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));

    /* Somebody else's. */
    fresh(f, "");
    does(f, f->c, in(f, "CREATE SCHEMA $schema"));
    does(f, f->c, in(f, "CREATE TABLE $schema.theirs (x int)"));
    assert_fails(cv_postgres_migrate(f->c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err, CV_ERR_SCHEMA);
    assert_str_has(f->err.message, "another program");
    does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));

    /* One that fails leaves nothing behind. */
    changed[own].text = "CREATE TABLE $schema.more (x bigint); CREATE TABLE $schema.most (x nonsense);";
    fresh(f, "");
    assert_fails(cv_postgres_migrate(f->c, &(cv_sql_migrations){changed, own + 1}, true, &version, &f->err), &f->err,
                 CV_ERR_STORE);
    assert_str_has(f->err.message, "999_more");
    assert_int_equal(number_of(f, in(f, "SELECT count(*) FROM $schema.schema_migrations")), own);
    assert_int_equal(number_of(f, in(f, "SELECT to_regclass('$schema.more') IS NULL")), 1);
    does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));
}

/* What libpq says of several hosts, or of one that it tried with and without TLS, has words of several kinds. */
static void the_hint_is_the_one_that_helps(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *said, *hint;
    } cases[] = {
        {"fe_sendauth: no password supplied", "libpq found none"},
        {"FATAL: password authentication failed for user \"ann\"\nno pg_hba.conf entry for host, SSL off",
         "the password in ~/.pgpass"},
        {"FATAL: no pg_hba.conf entry for host \"10.0.0.1\", user \"ann\", SSL off", "admit this user"},
        {"server does not support SSL, but SSL was required", "whether the server supports TLS"},
        {"definition of service \"x\" not found", "check service="},
        {"service file \"/x\" not found", "PGSERVICEFILE"},
        {"connection to a failed: Connection refused\nconnection to b failed: session is read-only",
         "promote the standby"},
        {"connection to a failed: session is read-only", "name the primary"},
        {"FATAL: database \"work\" does not exist", "createdb"},
        {"invalid connect_timeout value: \"abc\"", "correct the address"},
        {"Connection refused", "check that the server runs"},
    };
    cv_postgres_address address;
    assert_ok(cv_postgres_address_parse(&f->arena, CV_STR("postgresql://db/work"), &address, &f->err), &f->err);
    cv_postgres *c = cv_postgres_new(&f->arena, &address);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_err err = {.arena = &f->arena};
        cv_postgres_trouble(c, CV_POSTGRES_LOST, "connect", cv_str_of(cases[i].said), &err);
        assert_str_has(err.suggestion, cases[i].hint);
    }
    cv_postgres_close(c);
}

static void users_without_rights_are_told(void **state)
{
    fixture *f = begin(state);
    int64_t version;
    fresh(f, "");
    const char *schema = f->c->address.schema;
    const char *role = cv_arena_printf(&f->arena, "writer_%d", (int)getpid()).p;
    does(f, f->c, cv_arena_printf(&f->arena, "CREATE ROLE %s LOGIN", role).p);
    cv_postgres *c = handle(f, cv_arena_printf(&f->arena, "&user=%s&schema=%s", role, schema).p);
    assert_fails(cv_postgres_migrate(c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err, CV_ERR_STORE);
    assert_str_has(f->err.message, "permission denied");
    assert_str_has(f->err.suggestion, "owner");

    cv_sql_migrations older = {cv_sql_postgres_schema.items, 2};
    assert_ok(cv_postgres_migrate(f->c, &older, true, &version, &f->err), &f->err);
    assert_fails(cv_postgres_migrate(c, &older, false, &version, &f->err), &f->err, CV_ERR_STORE);
    assert_str_has(f->err.suggestion, "GRANT USAGE");
    does(f, f->c, cv_arena_printf(&f->arena, "GRANT USAGE ON SCHEMA %s TO %s", schema, role).p);
    does(f, f->c,
         cv_arena_printf(&f->arena, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s", schema,
                         role)
             .p);
    assert_ok(cv_postgres_migrate(c, &older, false, &version, &f->err), &f->err);
    assert_int_equal(version, 2);
    assert_fails(cv_postgres_migrate(c, &cv_sql_postgres_schema, false, &version, &f->err), &f->err, CV_ERR_STORE);
    assert_str_has(f->err.message, "003_project");
    assert_str_has(f->err.suggestion, "as the owner");
    assert_int_equal(does(f, c, in(f, "INSERT INTO $schema.scopes VALUES (gen_random_uuid(), 'r', 'n', 0, '', 0)")),
                     CV_POSTGRES_OK);
    cv_postgres_close(c);
    does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));
    does(f, f->c, cv_arena_printf(&f->arena, "DROP ROLE %s", role).p);
}

/* Several programs find an empty database at once. */
static void programs_migrate_at_once(void **state)
{
    fixture *f = begin(state);
    enum { ROUNDS = 3, PROGRAMS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        fresh(f, "");
        const char *schema = cv_arena_printf(&f->arena, "&schema=%s", f->c->address.schema).p;
        int failed = 0;
        for (int i = 0; i < PROGRAMS; i++) {
            if (fork() != 0)
                continue;
            int64_t version = 0;
            cv_postgres *c = handle(f, schema);
            bool ok = cv_postgres_migrate(c, &cv_sql_postgres_schema, true, &version, &f->err) &&
                      version == (int64_t)cv_sql_postgres_schema.count;
            if (!ok)
                print_error("%.*s\n", CV_FMT(cv_err_text(&f->err)));
            _exit(ok ? 0 : 1);
        }
        for (int i = 0, status; i < PROGRAMS; i++)
            failed += wait(&status) < 0 || status != 0;
        assert_int_equal(failed, 0);
        assert_int_equal(number_of(f, in(f, "SELECT count(*) FROM $schema.schema_migrations")),
                         cv_sql_postgres_schema.count);
        assert_ok(sound(f), &f->err);
        does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));
    }
}

static void changed_tables_are_found(void **state)
{
    static const struct {
        const char *change, *says;
    } cases[] = {
        {"ALTER TABLE $schema.events ADD COLUMN extra text", "extra"},
        {"ALTER TABLE $schema.experts DROP COLUMN focus", "focus"},
        {"ALTER TABLE $schema.experts ALTER COLUMN role TYPE varchar", "role"},
        {"ALTER TABLE $schema.experts ALTER COLUMN role TYPE text COLLATE \"default\"", "bytes"},
        {"ALTER TABLE $schema.refs ALTER COLUMN rev DROP NOT NULL", "may be NULL"},
        {"ALTER TABLE $schema.experts ALTER COLUMN position TYPE integer", "another type"},
        {"DROP INDEX $schema.verdicts_rev", "verdicts_rev"},
        {"CREATE INDEX refs_more ON $schema.refs (round)", "refs_more"},
        {"ALTER TABLE $schema.moves DROP CONSTRAINT moves_pkey", "key is not"},
        {"DROP TABLE $schema.tokens", "missing"},
        {"DROP INDEX $schema.aliases_agent; CREATE INDEX aliases_agent ON $schema.aliases (scope, agent, name)",
         "IS NOT NULL"},
        {"ALTER TABLE $schema.events DISABLE TRIGGER events_no_update", "switched off"},
        {"DROP FUNCTION $schema.end_write", "end_write"},
        {"CREATE OR REPLACE FUNCTION $schema.lock_scope_at(key uuid, read_rev bigint, read_head text) RETURNS void "
         "LANGUAGE sql AS 'SELECT'",
         "lock_scope_at"},
    };
    fixture *f = begin(state);
    int64_t version;
    fresh(f, "");
    assert_ok(cv_postgres_migrate(f->c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err);
    assert_ok(sound(f), &f->err);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_str rest = cv_str_of(in(f, cases[i].change)), one;
        assert_int_equal(does(f, f->c, "BEGIN"), CV_POSTGRES_OK);
        while (cv_str_split(&rest, ';', &one))
            assert_int_equal(does(f, f->c, cv_arena_copy_z(&f->arena, one)), CV_POSTGRES_OK);
        assert_int_equal(does(f, f->c, "COMMIT"), CV_POSTGRES_OK);
        assert_fails(sound(f), &f->err, CV_ERR_SCHEMA);
        assert_str_has(f->err.message, cases[i].says);
        does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));
        assert_ok(cv_postgres_migrate(f->c, &cv_sql_postgres_schema, true, &version, &f->err), &f->err);
    }
    does(f, f->c, in(f, "DROP SCHEMA $schema CASCADE"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define BOTH(name)                                                                                                     \
    TEST(name),                                                                                                        \
    {                                                                                                                  \
#name " (pipeline=off)", name, set_up_off, tear_down, NULL                                                     \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(values_come_back_as_they_went),
        BOTH(columns_of_rows_come_back),
        BOTH(large_batches_do_not_stand_still),
        BOTH(the_rest_of_a_batch_is_made_late),
        BOTH(a_visitor_can_stop),
        BOTH(the_first_error_ends_a_batch),
        BOTH(rollback_costs_no_wait),
        TEST(what_is_too_large_is_not_sent),
        BOTH(states_are_classified),
        BOTH(lost_connections_are_made_again),
        TEST(a_wait_can_be_cancelled),
        TEST(addresses_where_nobody_is_are_told),
        TEST(defaults_give_way),
        TEST(silent_hosts_are_left),
        TEST(a_server_that_starts_again_is_waited_for),
        TEST(schemas_are_made_and_fit_the_types),
        TEST(history_cannot_be_rewritten),
        TEST(other_schemas_are_refused),
        TEST(the_hint_is_the_one_that_helps),
        TEST(users_without_rights_are_told),
        TEST(programs_migrate_at_once),
        TEST(changed_tables_are_found),
    };
    return cmocka_run_group_tests_name("postgres", tests, NULL, NULL);
}
