/* test_postgres_engine.c - the record on PostgreSQL: round trips, counted; and what goes wrong between begin and end:
 * errors, sessions that the server has ended, others who were quicker. */
#include "base/file.h"
#include "kit/room.h"
#include "ops/op.h"
#include "writers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *address, *seen;
    cv_record *record;
    cv_postgres *admin; /* another connection to the same schema */
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    f.seen = cv_arena_printf(&f.arena, "%s/seen", f.folder).p;
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

static fixture *begin(void **state, const char *more)
{
    fixture *f = *state;
    cv_postgres_address address;
    f->address = cv_arena_printf(&f->arena, "%s%s", cv_test_postgres(&f->arena), more).p;
    f->record = board_postgres(&f->arena, f->address, f->seen, &f->err);
    assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(f->address), &address, &f->err), &f->err);
    f->admin = cv_postgres_new(&f->arena, &address);
    assert_int_equal(cv_postgres_ready(f->admin, &f->err), CV_POSTGRES_OK);
    return f;
}

static cv_postgres_record *engine(const fixture *f)
{
    return (cv_postgres_record *)f->record;
}

/* A statement of the test's own, with $schema in it. */
static void does(fixture *f, const char *text)
{
    const cv_postgres_word schema = {"$schema", cv_str_of(f->admin->address.schema)};
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_add(&batch, "test", cv_postgres_fill(&f->arena, text, &schema, 1));
    assert_ok(cv_postgres_run(f->admin, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
}

/* The server ends the session of the record, and has done so when this returns. */
static void end_session(fixture *f)
{
    int pid = cv_postgres_backend(engine(f)->c);
    does(f, cv_arena_printf(&f->arena, "SELECT pg_terminate_backend(%d, 10000)", pid).p);
}

static int64_t rev_of(fixture *f, cv_scope_id scope)
{
    cv_scope_position at;
    assert_ok(f->record->calls->begin(f->record, &f->arena, scope, &at, &f->err), &f->err);
    f->record->calls->end(f->record);
    assert_int_equal(at.clock_ms, 0);
    return at.rev;
}

static cv_write_result write_now(fixture *f, const char *op, bool locked)
{
    int64_t rev;
    f->err = (cv_err){.arena = &f->arena};
    cv_write_result how = write_op(f->record, &f->arena, BOARD("x"), cv_str_of(op), locked, &rev, &f->err);
    assert_int_equal(how == CV_WRITE_DONE || how == CV_WRITE_REPLAYED, f->err.code == CV_ERR_NONE);
    return how;
}

/* ---- round trips --------------------------------------------------------------------------------------------------
 */

static uint64_t trips(const fixture *f)
{
    return engine(f)->c->costs.trips;
}

static bool see_nothing(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)ctx, (void)scope, (void)row, (void)err;
    return true;
}

/* A write from a position that was read before. */
static void write_optimistic(fixture *f, cv_scope_position *at, const char *op)
{
    cv_writing w;
    cv_written done;
    const cv_request request = {cv_str_of(op), CV_STR("digest"), CV_STR("board write")};
    cv_writing_from(&w, f->record, &f->arena, BOARD("x"), at, NOW);
    cv_writing_event(&w, CV_STR("card"), request.op_id, CV_STR("written"));
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
    assert_int_equal(done.how, CV_WRITE_DONE);
}

static void count_trips(fixture *f)
{
    const cv_record_calls *calls = f->record->calls;
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    const cv_lookup all[] = {{find, see_nothing, NULL}, {{.type = &line_type, .scope = BOARD("x")}, see_nothing, NULL}};
    cv_scope_position at;
    uint64_t before = trips(f);
    assert_int_equal(write_now(f, "made", true), CV_WRITE_DONE);
    assert_int_equal(trips(f) - before, 2);
    before = trips(f);
    assert_int_equal(write_now(f, "locked", true), CV_WRITE_DONE);
    assert_int_equal(trips(f) - before, 2);
    before = trips(f);
    assert_int_equal(write_now(f, "locked", true), CV_WRITE_REPLAYED);
    assert_int_equal(trips(f) - before, 2);
    before = trips(f);
    assert_ok(calls->begin(f->record, &f->arena, BOARD("x"), &at, &f->err), &f->err);
    assert_ok(calls->find_all(f->record, all, CV_COUNT(all), &f->err), &f->err);
    assert_int_equal(trips(f) - before, 2);
    calls->end(f->record);
    assert_int_equal(trips(f) - before, 2);
    before = trips(f);
    assert_ok(cv_record_look(f->record, &f->arena, BOARD("x"), all, CV_COUNT(all), &at, &f->err), &f->err);
    assert_int_equal(trips(f) - before, 1);
    assert_int_equal(at.rev, 2);
    before = trips(f);
    write_optimistic(f, &at, "optimistic");
    assert_int_equal(trips(f) - before, 1);
    before = trips(f);
    assert_ok(calls->find(f->record, &find, see_nothing, NULL, &f->err), &f->err);
    assert_int_equal(trips(f) - before, 1);
    assert_int_equal(engine(f)->c->costs.connects, 1);
}

static void round_trips_are_few(void **state)
{
    count_trips(begin(state, ""));
}

static void round_trips_are_few_in_parts(void **state)
{
    count_trips(begin(state, "&partitions=4"));
}

/* ---- events of one rev ------------------------------------------------------------------------------------------------
 */

static bool see_event_of(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const cv_event_row *event = row;
    int64_t *expected = ctx; /* the rev, the next number, how many */
    (void)scope, (void)err;
    assert_int_equal(event->rev, expected[0]);
    assert_int_equal(event->seq, expected[1]++);
    expected[2]++;
    return true;
}

/* They have no index: the first and the last one are found by halving. */
static void events_of_a_rev_are_found(void **state)
{
    fixture *f = begin(state, "");
    enum { REVS = 9 };
    int64_t first[REVS + 2] = {1, 1};
    for (int64_t rev = 1; rev <= REVS; rev++) {
        cv_writing w;
        cv_written done;
        cv_str op = cv_arena_printf(&f->arena, "o%lld", (long long)rev);
        assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("x"), op, NOW, &f->err), &f->err);
        for (int64_t i = 0; i < rev * 5 % 7 + 1; i++)
            cv_writing_event(&w, CV_STR("card"), op, CV_STR("written"));
        assert_ok(cv_writing_commit(&w, &(cv_request){op, CV_STR("digest"), CV_STR("board write")}, CV_STR("{}"), &done,
                                    &f->err),
                  &f->err);
        first[rev + 1] = first[rev] + rev * 5 % 7 + 1;
    }
    for (int64_t rev = 0; rev <= REVS + 1; rev++) {
        const cv_event_row like = {.rev = rev};
        const cv_find find = {
            .type = &cv_event_row_type, .index = cv_events_by_rev, .scope = BOARD("x"), .like = &like, .equal = 1};
        int64_t expected[3] = {rev, rev <= REVS ? first[rev] : 0, 0};
        assert_ok(f->record->calls->find(f->record, &find, see_event_of, expected, &f->err), &f->err);
        assert_int_equal(expected[2], rev >= 1 && rev <= REVS ? first[rev + 1] - first[rev] : 0);
    }
}

/* ---- a write in one round trip ------------------------------------------------------------------------------------
 */

static bool count_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)row, (void)err;
    ++*(size_t *)ctx;
    return true;
}

typedef struct {
    cv_str op_id, digest;
    cv_scope_position at;
    cv_write_result how;
    cv_err_code code;
    size_t lines; /* of this op_id, in the end */
} attempt;

/* Whatever is in the way is found out as if the lock had been taken before, and nothing of the write is left. */
static void try_at_once(fixture *f, cv_record *record, const attempt *try)
{
    cv_writing w;
    cv_written done;
    size_t lines = 0;
    const cv_request request = {try->op_id, try->digest, CV_STR("board write")};
    const cv_find find = {.type = &line_type, .scope = BOARD("x"), .like = &(line){.thread = try->op_id}, .equal = 1};
    f->err = (cv_err){.arena = &f->arena};
    cv_writing_from(&w, record, &f->arena, BOARD("x"), &try->at, NOW);
    cv_writing_put(&w, &line_type, &(line){.thread = try->op_id, .seq = 99, .author = CV_STR("ann")});
    cv_writing_event(&w, CV_STR("card"), try->op_id, CV_STR("written"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err);
    assert_int_equal(done.how, try->how);
    assert_ptr_equal(f->err.code, try->code);
    assert_false(cv_postgres_in_transaction(((cv_postgres_record *)record)->c));
    assert_ok(record->calls->find(record, &find, count_row, &lines, &f->err), &f->err);
    assert_int_equal(lines, try->lines);
}

static void refuse_at_once(fixture *f)
{
    cv_scope_position first, second, now;
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err); /* it remembers nothing */
    const cv_str same = CV_STR("digest");
    assert_int_equal(write_now(f, "one", true), CV_WRITE_DONE);
    assert_ok(cv_record_look(other, &f->arena, BOARD("x"), NULL, 0, &first, &f->err), &f->err);
    assert_int_equal(write_now(f, "two", true), CV_WRITE_DONE);
    assert_ok(cv_record_look(other, &f->arena, BOARD("x"), NULL, 0, &second, &f->err), &f->err);
    const cv_scope_position forged = {.rev = second.rev, .head = first.head, .event_count = second.event_count};
    const attempt tries[] = {
        {CV_STR("behind"), same, first, CV_WRITE_CONFLICT, CV_ERR_REV_CONFLICT, 0},
        {CV_STR("another history"), same, forged, CV_WRITE_CONFLICT, CV_ERR_REV_CONFLICT, 0},
        {CV_STR("three"), same, second, CV_WRITE_DONE, CV_ERR_NONE, 1},
    };
    for (size_t i = 0; i < CV_COUNT(tries); i++)
        try_at_once(f, other, &tries[i]);
    assert_ok(cv_record_look(other, &f->arena, BOARD("x"), NULL, 0, &now, &f->err), &f->err);
    assert_int_equal(now.rev, 3);
    try_at_once(f, other, &(attempt){CV_STR("two"), same, now, CV_WRITE_REPLAYED, CV_ERR_NONE, WRITER_LINES});
    try_at_once(f, other,
                &(attempt){CV_STR("two"), CV_STR("another"), now, CV_WRITE_FAILED, CV_ERR_OP_CONFLICT, WRITER_LINES});
    does(f, "INSERT INTO $schema.readers VALUES ('moved to', 'elsewhere')");
    try_at_once(f, other, &(attempt){CV_STR("moved"), same, now, CV_WRITE_FAILED, CV_ERR_MOVED, 0});
    does(f, "DELETE FROM $schema.readers");
    assert_int_equal(rev_of(f, BOARD("x")), 3);
    cv_record_close(other);
}

static void a_write_at_once_is_refused(void **state)
{
    refuse_at_once(begin(state, ""));
}

static void a_write_at_once_is_refused_in_parts(void **state)
{
    refuse_at_once(begin(state, "&partitions=4"));
}

static void a_write_at_once_is_refused_without_pipeline(void **state)
{
    refuse_at_once(begin(state, "&pipeline=off"));
}

/* ---- statements of all types --------------------------------------------------------------------------------------
 */

/* INSERT of no rows: the server takes the statement. */
static void put_none(fixture *f, const cv_type *type, size_t count, bool fresh)
{
    cv_postgres_batch batch = {.arena = &f->arena};
    const char *text =
        cv_postgres_put(engine(f), &f->arena, &(cv_rows){type, NULL, count}, fresh, (cv_postgres_shape){0});
    cv_postgres_statement *st = cv_postgres_add(&batch, "test", text);
    cv_postgres_uuid(st, cv_postgres_scope_key(BOARD("x")).bytes);
    cv_postgres_int(st, 1);
    for (size_t i = 0; i < type->field_count; i++)
        cv_postgres_field(st, type, &type->fields[i], NULL, 0);
    assert_ok(cv_postgres_run_again(engine(f)->c, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
}

/* Volatile rows of a scope that is not there: the server takes the statement, and writes nothing. */
static void keep_none(fixture *f, const cv_type *type)
{
    void *row = cv_arena_alloc(&f->arena, type->size);
    cv_row_clear(type, row);
    for (size_t i = 0; i < type->field_count; i++)
        if (!cv_field_is_int(&type->fields[i]))
            memcpy((char *)row + type->fields[i].offset, &CV_STR("x"), sizeof(cv_str));
    const cv_rows rows = {type, row, 1};
    for (int drop = 0; drop < 2; drop++) {
        cv_err err = {.arena = &f->arena};
        assert_false((drop ? f->record->calls->drop : f->record->calls->keep)(f->record, BOARD("x"), &rows, &err));
        assert_str_has(err.message, "there is no board 'x' yet");
    }
}

/* The record of the program, with all rooms. */
static void open_program(fixture *f)
{
    cv_postgres_address address;
    f->address = cv_test_postgres(&f->arena);
    assert_ok(cv_postgres_open(&f->arena, cv_str_of(f->address), NULL, CV_RECORD_CREATE, &cv_program_types,
                               &cv_sql_postgres_schema, &f->record, &f->err),
              &f->err);
    assert_ok(cv_postgres_address_parse(&f->arena, cv_str_of(f->address), &address, &f->err), &f->err);
    f->admin = cv_postgres_new(&f->arena, &address);
    assert_int_equal(cv_postgres_ready(f->admin, &f->err), CV_POSTGRES_OK);
}

/* Fields may have any name, also one that a statement uses itself. */
static void the_server_takes_the_statements_of_every_type(void **state)
{
    fixture *f = *state;
    open_program(f);
    size_t types = 0;
    for (size_t i = 0; i < cv_program_types.count; i++)
        for (size_t k = 0; k < cv_program_types.rooms[i]->count; k++, types++) {
            const cv_type *type = cv_program_types.rooms[i]->types[k];
            if (type->life == CV_VOLATILE)
                keep_none(f, type);
            for (size_t way = 0; type->life != CV_VOLATILE && way < 3; way++)
                put_none(f, type, way == 1 ? 1 : 100, way == 2);
        }
    assert_true(types > 20);
}

/* ---- clocks -------------------------------------------------------------------------------------------------------
 */

/* How far the clock of a client is ahead of the right time. */
static int64_t wrong_clock(void *ctx)
{
    return cv_clock_system().now_ms(NULL) + *(int64_t *)ctx;
}

static bool call_with_clock(fixture *f, int64_t ahead_ms, const char *room, const char *verb, const char *input)
{
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_json tree;
    cv_str text = cv_str_of(input);
    assert_ok(cv_json_parse(&f->arena, text, &tree, &f->err), &f->err);
    cv_call call = {.arena = &f->arena,
                    .record = f->record,
                    .clock = {wrong_clock, &ahead_ms},
                    .root = f->folder,
                    .input = &tree,
                    .input_text = text,
                    .out = &out,
                    .errs = &errs};
    bool ok = cv_op_call(cv_op_find(cv_str_of(room), cv_str_of(verb)), &call);
    bool got = ok && cv_str_find(cv_buf_str(&out), CV_STR("\"token\"")) != SIZE_MAX;
    if (!ok)
        print_message("# %s %s: %.*s\n", room, verb, CV_FMT(cv_err_text(&errs.items[0])));
    assert_true(ok);
    cv_buf_release(&out);
    return got;
}

/* Whose clock is hours off takes no lease that is not over, and gets one that is: by some seconds, for the clock of a
 * virtual machine may be set back a little at any time. */
static void a_lease_is_judged_by_the_servers_clock(void **state)
{
    static const int64_t hour = 3600 * 1000, ahead[] = {0, 5 * hour, -5 * hour};
    static const char claim[] = "{\"agent\":\"hub\",\"lease_seconds\":600}";
    fixture *f = *state;
    open_program(f);
    call_with_clock(f, 0, "agent", "add", "{\"agent_id\":\"hub\"}");
    for (size_t i = 0; i < CV_COUNT(ahead); i++)
        for (size_t k = 0; k < CV_COUNT(ahead); k++) {
            call_with_clock(f, 0, "mail", "send", "{\"from\":\"User\",\"to\":\"hub\",\"body\":\"x\"}");
            assert_true(call_with_clock(f, ahead[i], "mail", "claim", claim));
            assert_false(call_with_clock(f, ahead[k], "mail", "claim", claim));
            does(f, "UPDATE $schema.mail_deliveries SET lease_until = lease_until - 610000");
            assert_true(call_with_clock(f, ahead[k], "mail", "claim", claim));
            does(f, "UPDATE $schema.mail_deliveries SET lease_until = lease_until + 1000000000"); /* never again */
        }
}

/* ---- many rows at once --------------------------------------------------------------------------------------------
 */

enum { MANY = 40 };

typedef struct {
    size_t count;
    bool wrong;
} cards_seen;

/* Numbers from 0; those from MANY / 2 on are of the second write. Every third has an owner, none a rank. */
static bool see_card(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cards_seen *s = ctx;
    const card *c = row;
    bool is_second = s->count >= MANY / 2, has_owner = s->count % 3 == 0;
    (void)scope, (void)err;
    s->wrong = s->wrong || c->number != (int64_t)s->count || c->rev != (is_second ? 2 : 1) ||
               !cv_str_eq(c->title, is_second ? CV_STR("second") : CV_STR("first")) ||
               (c->owner.p != NULL) != has_owner || c->rank != CV_ABSENT ||
               !cv_str_eq(c->body, is_second ? CV_STR("") : CV_STR("the same"));
    s->count++;
    return true;
}

static void put_cards(fixture *f, int from, int to, cv_str title, cv_str body)
{
    cv_writing w;
    cv_written done;
    const cv_request request = {title, CV_STR("digest"), CV_STR("board write")};
    assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("x"), title, NOW, &f->err), &f->err);
    cv_writing_event(&w, CV_STR("card"), title, CV_STR("written"));
    for (int i = from; i < to; i++) {
        card c;
        cv_row_clear(&card_type, &c);
        c.number = i;
        c.title = title;
        c.status = CV_STR("open");
        c.owner = i % 3 == 0 ? CV_STR("ann") : (cv_str){NULL, 0};
        c.body = body;
        cv_writing_put(&w, &card_type, &c);
    }
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
    assert_int_equal(done.how, CV_WRITE_DONE);
}

/* Of the rows of the second write some are there already; columns are the same in all rows, absent, or neither. */
static void put_many(fixture *f)
{
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    cards_seen seen = {0};
    put_cards(f, 0, MANY, CV_STR("first"), CV_STR("the same"));
    uint64_t before = trips(f);
    put_cards(f, MANY / 2, MANY * 2, CV_STR("second"), CV_STR(""));
    assert_true(!engine(f)->c->pipeline || trips(f) - before == 2);
    assert_ok(f->record->calls->find(f->record, &find, see_card, &seen, &f->err), &f->err);
    assert_int_equal(seen.count, MANY * 2);
    assert_false(seen.wrong);
}

static void many_rows_are_put_and_replaced(void **state)
{
    put_many(begin(state, ""));
}

static void many_rows_are_put_and_replaced_in_parts(void **state)
{
    put_many(begin(state, "&partitions=4"));
}

static void many_rows_are_put_and_replaced_without_pipeline(void **state)
{
    put_many(begin(state, "&pipeline=off"));
}

/* ---- the session ends ---------------------------------------------------------------------------------------------
 */

/* A writer that has the lock, with one event put. */
static void lock_x(fixture *f, cv_writing *w, const char *op)
{
    assert_ok(cv_writing_begin(w, f->record, &f->arena, BOARD("x"), cv_str_of(op), NOW, &f->err), &f->err);
    cv_writing_event(w, CV_STR("card"), cv_str_of(op), CV_STR("written"));
}

static cv_write_result commit_x(fixture *f, cv_writing *w, const char *op)
{
    cv_written done;
    const cv_request request = {cv_str_of(op), CV_STR("digest"), CV_STR("board write")};
    f->err = (cv_err){.arena = &f->arena};
    cv_writing_commit(w, &request, CV_STR("{}"), &done, &f->err);
    return done.how;
}

static void a_session_that_ended_under_the_lock_is_made_again(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    for (int made = 0; made < 2; made++) { /* of a scope that is not there yet, and of one that is */
        const char *op = made ? "b" : "a";
        lock_x(f, &w, op);
        end_session(f);
        assert_int_equal(commit_x(f, &w, op), CV_WRITE_DONE);
        assert_true(f->err.code == CV_ERR_NONE);
        assert_int_equal(rev_of(f, BOARD("x")), made + 1);
        assert_int_equal(write_now(f, op, true), CV_WRITE_REPLAYED);
    }
}

static void a_session_that_stood_still_is_made_again(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    engine(f)->idle_ms = 1;
    lock_x(f, &w, "second");
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    do
        pause_ms(20);
    while (f->record->calls->find(f->record, &find, see_nothing, NULL, &f->err));
    assert_str_has(f->err.message, "idle-in-transaction timeout");
    engine(f)->idle_ms = 60000;
    assert_int_equal(commit_x(f, &w, "second"), CV_WRITE_DONE);
    assert_int_equal(rev_of(f, BOARD("x")), 2);
}

static void who_was_overtaken_is_told(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    int64_t rev;
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    lock_x(f, &w, "second");
    end_session(f);
    assert_int_equal(write_op(other, &f->arena, BOARD("x"), CV_STR("third"), true, &rev, &f->err), CV_WRITE_DONE);
    assert_int_equal(commit_x(f, &w, "second"), CV_WRITE_BUSY);
    assert_true(f->err.code == CV_ERR_BUSY);
    assert_str_has(f->err.message, "somebody else has written");
    assert_int_equal(rev_of(f, BOARD("x")), 2);
    assert_int_equal(write_now(f, "second", true), CV_WRITE_DONE);
    cv_record_close(other);
}

/* Somebody else has the same op_id: it was done by them, not by this write. */
static void who_was_overtaken_by_the_same_request_is_told(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    int64_t rev;
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err);
    lock_x(f, &w, "same");
    end_session(f);
    assert_int_equal(write_op(other, &f->arena, BOARD("x"), CV_STR("same"), true, &rev, &f->err), CV_WRITE_DONE);
    assert_int_equal(commit_x(f, &w, "same"), CV_WRITE_BUSY);
    assert_int_equal(write_now(f, "same", true), CV_WRITE_REPLAYED);
    assert_int_equal(rev_of(f, BOARD("x")), 1);
    cv_record_close(other);
}

/* What was kept under the lock is part of the write: it is not done without it. */
static void what_was_kept_under_the_lock_is_not_forgotten(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    size_t kept = 0;
    const cursor mark = {.reader = CV_STR("ann"), .seen = 1};
    const cv_rows rows = {&cursor_type, &mark, 1};
    const cv_find find = {.type = &cursor_type, .scope = BOARD("x")};
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    for (int lost = 1; lost >= 0; lost--) {
        lock_x(f, &w, "second");
        assert_ok(f->record->calls->keep(f->record, BOARD("x"), &rows, &f->err), &f->err);
        if (lost)
            end_session(f);
        assert_int_equal(commit_x(f, &w, "second"), lost ? CV_WRITE_BUSY : CV_WRITE_DONE);
        assert_int_equal(rev_of(f, BOARD("x")), lost ? 1 : 2);
    }
    assert_ok(f->record->calls->find(f->record, &find, count_row, &kept, &f->err), &f->err);
    assert_int_equal(kept, 1);
}

/* Volatile rows are kept where there is a scope; the write that makes it may bring some. */
static void a_write_makes_its_scope_and_its_volatile_rows(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    size_t kept = 0;
    const cursor mark = {.reader = CV_STR("ann"), .seen = 1};
    const cv_find find = {.type = &cursor_type, .scope = BOARD("x")};
    lock_x(f, &w, "first");
    cv_writing_put(&w, &cursor_type, &mark);
    assert_int_equal(commit_x(f, &w, "first"), CV_WRITE_DONE);
    assert_ok(f->record->calls->find(f->record, &find, count_row, &kept, &f->err), &f->err);
    assert_int_equal(kept, 1);
}

static void a_reading_that_lost_its_session_says_so(void **state)
{
    fixture *f = begin(state, "");
    cv_scope_position at;
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    assert_ok(f->record->calls->begin(f->record, &f->arena, BOARD("x"), &at, &f->err), &f->err);
    end_session(f);
    for (int i = 0; i < 2; i++) /* another moment would be another reading */
        assert_fails(f->record->calls->find(f->record, &find, see_nothing, NULL, &f->err), &f->err, CV_ERR_STORE);
    f->record->calls->end(f->record);
    f->err = (cv_err){.arena = &f->arena};
    assert_ok(f->record->calls->find(f->record, &find, see_nothing, NULL, &f->err), &f->err);
    assert_true(f->err.code == CV_ERR_NONE); /* a connection was made meanwhile */
}

/* ---- errors of the server -----------------------------------------------------------------------------------------
 */

/* An error in the first round trip leaves no transaction behind. */
static void fail_to_begin(fixture *f)
{
    cv_scope_position at;
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    for (int locked = 0; locked < 2; locked++) {
        does(f, "ALTER TABLE $schema.commits RENAME TO gone");
        assert_false(locked ? f->record->calls->lock(f->record, &f->arena, BOARD("x"), CV_STR("o"), &at, &f->err)
                            : f->record->calls->begin(f->record, &f->arena, BOARD("x"), &at, &f->err));
        assert_str_has(f->err.message, "commits");
        assert_ok(f->record->calls->find(f->record, &find, see_nothing, NULL, &f->err), &f->err);
        does(f, "ALTER TABLE $schema.gone RENAME TO commits");
        assert_int_equal(rev_of(f, BOARD("x")), 1);
    }
    assert_int_equal(write_now(f, "second", true), CV_WRITE_DONE);
}

static void an_error_leaves_no_transaction_open(void **state)
{
    fail_to_begin(begin(state, ""));
}

static void an_error_leaves_no_transaction_open_without_pipeline(void **state)
{
    fail_to_begin(begin(state, "&pipeline=off"));
}

static void who_waits_in_vain_is_told(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err);
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    ((cv_postgres_record *)other)->wait_ms = 50;
    lock_x(f, &w, "second");
    int64_t rev;
    assert_int_equal(write_op(other, &f->arena, BOARD("x"), CV_STR("third"), true, &rev, &f->err), CV_WRITE_BUSY);
    /* A reading and the write: it waits once. */
    uint64_t before = ((cv_postgres_record *)other)->c->costs.trips;
    assert_int_equal(write_op(other, &f->arena, BOARD("x"), CV_STR("third"), false, &rev, &f->err), CV_WRITE_BUSY);
    assert_int_equal(((cv_postgres_record *)other)->c->costs.trips, before + 2);
    assert_int_equal(commit_x(f, &w, "second"), CV_WRITE_DONE);
    assert_int_equal(write_op(other, &f->arena, BOARD("x"), CV_STR("third"), true, &rev, &f->err), CV_WRITE_DONE);
    assert_int_equal(rev, 3);
    cv_record_close(other);
}

/* Volatile rows that a write has changed are its own until it ends. */
static void who_waits_in_vain_for_volatile_rows_is_told(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err);
    const cursor mark = {.reader = CV_STR("ann"), .seen = 1};
    const cv_rows rows = {&cursor_type, &mark, 1};
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    ((cv_postgres_record *)other)->wait_ms = 50;
    assert_ok(other->calls->keep(other, BOARD("x"), &rows, &f->err), &f->err);
    lock_x(f, &w, "second");
    assert_ok(f->record->calls->keep(f->record, BOARD("x"), &rows, &f->err), &f->err);
    assert_fails(other->calls->keep(other, BOARD("x"), &rows, &f->err), &f->err, CV_ERR_BUSY);
    assert_fails(other->calls->drop(other, BOARD("x"), &rows, &f->err), &f->err, CV_ERR_BUSY);
    assert_int_equal(commit_x(f, &w, "second"), CV_WRITE_DONE);
    f->err = (cv_err){.arena = &f->arena};
    assert_ok(other->calls->drop(other, BOARD("x"), &rows, &f->err), &f->err);
    cv_record_close(other);
}

/* ---- what was seen ------------------------------------------------------------------------------------------------
 */

/* The connection stands, but another server answers, as behind a pooler: one that has less. */
static void a_loss_behind_a_standing_connection_is_found(void **state)
{
    fixture *f = begin(state, "");
    int64_t rev;
    cv_scope_position at;
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    assert_int_equal(write_now(f, "second", true), CV_WRITE_DONE);
    assert_int_equal(write_op(f->record, &f->arena, BOARD("y"), CV_STR("o"), true, &rev, &f->err), CV_WRITE_DONE);
    assert_int_equal(write_now(f, "third", true), CV_WRITE_DONE);
    does(f, "ALTER TABLE $schema.commits DISABLE TRIGGER ALL");
    does(f, "DELETE FROM $schema.commits WHERE op_id = 'third'");
    size_t shown = 0;
    const cv_lookup events = {{.type = &cv_event_row_type, .scope = BOARD("x")}, count_row, &shown};
    assert_fails(cv_record_look(f->record, &f->arena, BOARD("x"), &events, 1, &at, &f->err), &f->err, CV_ERR_REGRESSED);
    assert_int_equal(shown, 0);
    engine(f)->told = 0; /* as if nobody had been told yet */
    f->err = (cv_err){.arena = &f->arena};
    assert_fails(f->record->calls->begin(f->record, &f->arena, BOARD("new"), &at, &f->err), &f->err, CV_ERR_REGRESSED);
    assert_int_equal(write_op(f->record, &f->arena, BOARD("new"), CV_STR("o"), true, &rev, &f->err), CV_WRITE_FAILED);
    assert_view_eq(cv_err_word(f->err.code), cv_err_word(CV_ERR_REGRESSED));
    assert_str_has(f->err.message, "rev 3 of the board 'x' was seen");
    assert_int_equal(engine(f)->c->costs.connects, 1);
}

/* Two who write at once note their revs in any order: the higher one counts. */
static void the_highest_rev_was_seen(void **state)
{
    fixture *f = *state;
    cv_known_revs a, b;
    char key[CV_KNOWN_REV_KEY_DIGITS + 1] = "00112233445566778899aabbccddeeff";
    cv_str head = cv_hash_text(&f->arena, CV_STR("x"));
    cv_known_revs_open(&a, f->seen);
    cv_known_revs_open(&b, f->seen);
    cv_known_revs_raise(&a, key, 8, head);
    cv_known_revs_raise(&b, key, 7, head);
    for (int again = 0; again < 2; again++) {
        assert_ok(cv_known_revs_refresh(&b, &f->err), &f->err);
        assert_int_equal(cv_known_revs_get(&b, key)->rev, 8);
        cv_known_revs_close(&b);
        cv_known_revs_open(&b, f->seen);
    }
    cv_known_revs_close(&a);
    cv_known_revs_close(&b);
}

/* The file is written again when most of its lines are old ones: nothing is forgotten, not even what is noted right
 * behind that. */
static void nothing_is_forgotten_when_the_file_is_written_anew(void **state)
{
    fixture *f = *state;
    cv_known_revs s, other, again;
    struct stat there;
    off_t size = 0;
    size_t anew = 0;
    char key[CV_KNOWN_REV_KEY_DIGITS + 1] = "00112233445566778899aabbccddeeff";
    char theirs[CV_KNOWN_REV_KEY_DIGITS + 1] = "ff112233445566778899aabbccddeeff";
    cv_str head = cv_hash_text(&f->arena, CV_STR("x"));
    cv_known_revs_open(&s, f->seen);
    cv_known_revs_open(&other, f->seen);
    for (int64_t rev = 1; anew < 2; rev += 2) {
        assert_ok(cv_known_revs_refresh(&s, &f->err), &f->err);
        assert_ok(cv_known_revs_refresh(&other, &f->err), &f->err);
        cv_known_revs_raise(&other, theirs, rev, head);
        cv_known_revs_raise(&s, key, rev, head);
        cv_known_revs_raise(&s, key, rev + 1, head);
        assert_int_equal(stat(f->seen, &there), 0);
        if (there.st_size < size) {
            anew++;
            cv_known_revs_open(&again, f->seen);
            assert_ok(cv_known_revs_refresh(&again, &f->err), &f->err);
            assert_int_equal(cv_known_revs_get(&again, key)->rev, rev + 1);
            assert_int_equal(cv_known_revs_get(&again, theirs)->rev, rev);
            cv_known_revs_close(&again);
        }
        size = there.st_size;
    }
    cv_known_revs_close(&s);
    cv_known_revs_close(&other);
}

/* A line for which there is no room is left out; nothing of it makes the others unreadable. */
static void a_full_disk_leaves_no_part_of_a_line(void **state)
{
    fixture *f = *state;
    enum { LINE = 124 };
    cv_known_revs s;
    struct rlimit before, small;
    struct stat there;
    char key[CV_KNOWN_REV_KEY_DIGITS + 1] = "00112233445566778899aabbccddeeff";
    cv_str head = cv_hash_text(&f->arena, CV_STR("x"));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 2 * LINE + 50;
    cv_known_revs_open(&s, f->seen);
    for (int64_t rev = 1; rev <= 4; rev++) {
        assert_int_equal(setrlimit(RLIMIT_FSIZE, rev == 3 ? &small : &before), 0);
        cv_known_revs_raise(&s, key, rev, head);
        assert_int_equal(stat(f->seen, &there), 0);
        assert_int_equal(there.st_size, LINE * (rev < 3 ? rev : rev - 1));
    }
    cv_known_revs_close(&s);
    cv_known_revs_open(&s, f->seen);
    assert_ok(cv_known_revs_refresh(&s, &f->err), &f->err);
    assert_int_equal(cv_known_revs_get(&s, key)->rev, 4);
    cv_known_revs_close(&s);
}

static void put_file(const char *path, cv_str bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
    assert_int_equal(fclose(file), 0);
}

/* What a crash may leave of a line is cut off, wherever it was cut; anything else is refused, however short it is. */
static void the_rest_of_a_line_is_cut_off(void **state)
{
    fixture *f = *state;
    enum { LINE = 124 };
    static const char *const junk[] = {"x", "\n", "0011g", "00112233445566778899aabbccddeeff-",
                                       "00112233445566778899aabbccddeeff 000a"};
    cv_known_revs s;
    struct stat there;
    char key[CV_KNOWN_REV_KEY_DIGITS + 1] = "00112233445566778899aabbccddeeff";
    cv_str head = cv_hash_text(&f->arena, CV_STR("x")), first;
    cv_known_revs_open(&s, f->seen);
    cv_known_revs_raise(&s, key, 7, head);
    cv_known_revs_close(&s);
    assert_ok(cv_file_read_text(&f->arena, f->seen, &first, &f->err), &f->err);
    assert_int_equal(first.n, LINE);
    for (size_t n = 0; n < LINE; n++) {
        put_file(f->seen, cv_arena_printf(&f->arena, "%.*s%.*s", CV_FMT(first), (int)n, first.p));
        cv_known_revs_open(&s, f->seen);
        assert_ok(cv_known_revs_refresh(&s, &f->err), &f->err);
        cv_known_revs_raise(&s, key, 8, head);
        assert_int_equal(stat(f->seen, &there), 0);
        assert_int_equal(there.st_size, 2 * LINE);
        cv_known_revs_close(&s);
    }
    for (size_t i = 0; i < 2 * CV_COUNT(junk); i++) {
        cv_err err = {.arena = &f->arena};
        cv_str before = i % 2 ? first : CV_STR("");
        put_file(f->seen, cv_arena_printf(&f->arena, "%.*s%s", CV_FMT(before), junk[i / 2]));
        cv_known_revs_open(&s, f->seen);
        assert_fails(cv_known_revs_refresh(&s, &err), &err, CV_ERR_REGRESSED);
        assert_str_has(cv_err_text(&err), i % 2 ? "line 2 is invalid" : "line 1 is invalid");
        cv_known_revs_close(&s);
    }
}

/* Processes that note and write the file again at the same time take no line from each other. */
static void nobody_takes_a_line_from_another(void **state)
{
    fixture *f = *state;
    enum { PROCESSES = 4 };
    const int64_t revs = cv_test_soak() ? 40000 : 4000;
    char keys[PROCESSES][CV_KNOWN_REV_KEY_DIGITS + 1];
    cv_str head = cv_hash_text(&f->arena, CV_STR("x"));
    pid_t processes[PROCESSES];
    cv_known_revs s;
    for (int i = 0; i < PROCESSES; i++) {
        snprintf(keys[i], sizeof keys[i], "%032d", i);
        processes[i] = fork();
        if (processes[i] == 0) {
            cv_err err = {.arena = &f->arena};
            cv_known_revs_open(&s, f->seen);
            for (int64_t rev = 1; rev <= revs; rev++) {
                if (!cv_known_revs_refresh(&s, &err) || (rev > 1 && cv_known_revs_get(&s, keys[i])->rev != rev - 1))
                    _exit(1);
                cv_known_revs_raise(&s, keys[i], rev, head);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(processes[i], &status, 0), processes[i]);
        assert_int_equal(status, 0);
    }
    cv_known_revs_open(&s, f->seen);
    assert_ok(cv_known_revs_refresh(&s, &f->err), &f->err);
    assert_in_range(s.lines, 1, revs); /* it was written again */
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(cv_known_revs_get(&s, keys[i])->rev, revs);
    cv_known_revs_close(&s);
}

/* A new connection asks about the scopes that were noted last, however many were seen; a check asks about all. */
static void the_latest_are_compared(void **state)
{
    fixture *f = begin(state, "");
    enum { OTHERS = 2500, MOST_BYTES = 1000 * 128 + 4096 };
    cv_known_revs s;
    cv_scope_position at;
    cv_arena turn = {0};
    char key[CV_KNOWN_REV_KEY_DIGITS + 1];
    cv_str head = cv_hash_text(&f->arena, CV_STR("x"));
    cv_known_revs_open(&s, f->seen);
    for (int i = 0; i < OTHERS; i++) {
        snprintf(key, sizeof key, "%032d", i); /* of scopes that are not there */
        cv_known_revs_raise(&s, key, 1, head);
    }
    cv_known_revs_close(&s);
    assert_fails(f->record->calls->begin(f->record, &f->arena, BOARD("x"), &at, &f->err), &f->err, CV_ERR_REGRESSED);
    for (int i = 0; i < 1000; i++) { /* in front of them, as many that are there */
        const cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&f->arena, "s%d", i)};
        does(f, cv_arena_printf(&f->arena,
                                "INSERT INTO $schema.commits (scope, rev, op_id, created_at, head, era) VALUES "
                                "('%.*s', 1, 'o', '', '%.*s', 1)",
                                CV_KNOWN_REV_KEY_DIGITS, cv_postgres_scope_key(scope).digits, CV_FMT(head))
                    .p);
        cv_known_revs_raise(&engine(f)->seen, cv_postgres_scope_key(scope).digits, 1, head);
    }
    end_session(f);
    uint64_t bytes = engine(f)->c->costs.bytes;
    assert_int_equal(board_write(f->record, &turn, BOARD("x"), "first", &f->err), CV_WRITE_DONE);
    assert_in_range(engine(f)->c->costs.bytes - bytes, 1, MOST_BYTES);
    f->err = (cv_err){.arena = &f->arena};
    assert_false(f->record->calls->check(f->record, &turn, &f->err));
    cv_arena_release(&turn);
}

/* ---- what the lock brings along -----------------------------------------------------------------------------------
 */

static bool take_number(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(int64_t *)ctx = cv_postgres_column_int(row, 0);
    return true;
}

/* The number that a statement of the test's own returns, with $schema in it. */
static int64_t number_from(fixture *f, cv_postgres *c, const char *text)
{
    int64_t number = CV_ABSENT;
    const cv_postgres_word schema = {"$schema", cv_str_of(f->admin->address.schema)};
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_statement *st = cv_postgres_add(&batch, "test", cv_postgres_fill(&f->arena, text, &schema, 1));
    cv_postgres_rows(st, take_number, &number);
    assert_ok(cv_postgres_run(c, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
    return number;
}

static int64_t number_of(fixture *f, const char *text)
{
    return number_from(f, f->admin, text);
}

/* A pooler gives the session to others: no setting, statement, lock or table of ours stays in it. */
static void nothing_stays_in_a_session(void **state)
{
    fixture *f = begin(state, "");
    const cursor mark = {.reader = CV_STR("ann"), .seen = 1};
    const cv_rows rows = {&cursor_type, &mark, 1};
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    assert_int_equal(write_now(f, "second", false), CV_WRITE_DONE);
    assert_ok(f->record->calls->keep(f->record, BOARD("x"), &rows, &f->err), &f->err);
    assert_ok(cv_postgres_stand_still(engine(f), &f->err), &f->err);
    cv_postgres_go_on(engine(f));
    assert_int_equal(number_from(f, engine(f)->c,
                                 "SELECT (SELECT count(*) FROM pg_settings WHERE source = 'session')"
                                 " + (SELECT count(*) FROM pg_prepared_statements)"
                                 " + (SELECT count(*) FROM pg_listening_channels())"
                                 " + (SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema())"
                                 " + (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = "
                                 "'advisory')"),
                     0);
}

static int64_t servers_clock(fixture *f)
{
    return number_of(f, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
}

/* All who write agree on the time: it is the server's, taken when the lock was got. */
static void the_lock_tells_the_time(void **state)
{
    fixture *f = begin(state, "");
    cv_scope_position at;
    for (int i = 0; i < 3; i++) {
        int64_t before = servers_clock(f);
        assert_ok(f->record->calls->lock(f->record, &f->arena, BOARD("x"), CV_STR(""), &at, &f->err), &f->err);
        assert_in_range(at.clock_ms, before, servers_clock(f));
        f->record->calls->end(f->record);
    }
}

/* The same row as a find returns, with all that it has and has not. */
static void the_lock_brings_a_commit_as_it_is(void **state)
{
    fixture *f = begin(state, "");
    cv_writing w;
    cv_written done;
    cv_commit_row found, brought;
    bool is;
    const cv_request request = {CV_STR("o"), CV_STR("digest"), CV_STR("board write")};
    lock_x(f, &w, "o");
    assert_ok(cv_writing_commit(&w, &request, (cv_str){NULL, 0}, &done, &f->err), &f->err);
    assert_ok(cv_record_op(f->record, &f->arena, BOARD("x"), request.op_id, &found, &is, &f->err) && is, &f->err);
    lock_x(f, &w, "o");
    uint64_t before = trips(f);
    assert_ok(cv_record_op(f->record, &f->arena, BOARD("x"), request.op_id, &brought, &is, &f->err) && is, &f->err);
    assert_int_equal(trips(f), before);
    cv_writing_end(&w);
    assert_null(found.result.p);
    for (size_t i = 0; i < cv_commit_row_type.field_count; i++)
        assert_int_equal(cv_row_compare_field(&cv_commit_row_type.fields[i], &found, &brought), 0);
    assert_null(brought.result.p);
    assert_int_equal(brought.rev, found.rev);
}

/* The place of the newest commit of the scope. */
static int64_t newest_era(fixture *f)
{
    return number_of(f, "SELECT era FROM $schema.commits ORDER BY rev DESC LIMIT 1");
}

static int64_t newest_xid(fixture *f)
{
    return number_of(f, "SELECT xid::text::bigint FROM $schema.commits ORDER BY rev DESC LIMIT 1");
}

/* A commit never comes before the one that it follows; in a new era the numbers of the old one say nothing. */
static void a_commit_follows_in_the_feed(fixture *f, bool locked)
{
    static const int64_t high = 4000000000000;
    assert_int_equal(write_now(f, "first", locked), CV_WRITE_DONE);
    assert_true(newest_xid(f) < high);
    does(f, "ALTER TABLE $schema.commits DISABLE TRIGGER USER");
    does(f, "UPDATE $schema.commits SET xid = '4000000000000'");
    assert_int_equal(write_now(f, "second", locked), CV_WRITE_DONE);
    assert_int_equal(newest_xid(f), high);
    assert_int_equal(newest_era(f), 1);
    does(f, "INSERT INTO $schema.eras (era) VALUES (2)");
    assert_int_equal(write_now(f, "third", locked), CV_WRITE_DONE);
    assert_int_equal(newest_era(f), 2);
    assert_true(newest_xid(f) < high);
}

static void a_commit_of_a_locked_write_follows(void **state)
{
    a_commit_follows_in_the_feed(begin(state, ""), true);
}

static void a_commit_of_a_write_at_once_follows(void **state)
{
    a_commit_follows_in_the_feed(begin(state, ""), false);
}

/* Nothing was seen: the server looks for the commit before. */
static void a_commit_behind_an_unseen_one_follows(void **state)
{
    fixture *f = *state;
    f->seen = NULL;
    a_commit_follows_in_the_feed(begin(state, ""), true);
}

/* Somebody has emptied the eras: no write is acknowledged whose commit is not there. */
static void without_an_era_nothing_is_written(void **state)
{
    fixture *f = begin(state, "");
    assert_int_equal(write_now(f, "first", true), CV_WRITE_DONE);
    does(f, "DELETE FROM $schema.eras");
    assert_int_not_equal(write_now(f, "second", true), CV_WRITE_DONE);
    does(f, "INSERT INTO $schema.eras (era) VALUES (1)");
    assert_int_equal(write_now(f, "third", true), CV_WRITE_DONE);
}

static bool take_rank(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)err;
    *(int64_t *)ctx = ((const card *)row)->rank;
    return true;
}

/* As from SQLite: somebody has changed the record by hand, and it must not look as if nothing were there. */
static void a_number_that_none_is_does_not_pass_for_absent(void **state)
{
    fixture *f = begin(state, "");
    const cv_find find = {.type = &card_type, .scope = BOARD("x")};
    int64_t rank = 0;
    assert_int_equal(board_write(f->record, &f->arena, BOARD("x"), "first", &f->err), CV_WRITE_DONE);
    assert_ok(f->record->calls->find(f->record, &find, take_rank, &rank, &f->err), &f->err);
    assert_true(rank == CV_ABSENT);
    does(f, "UPDATE $schema.cards SET rank = -9223372036854775807 - 1");
    assert_ok(f->record->calls->find(f->record, &find, take_rank, &rank, &f->err), &f->err);
    assert_true(rank == CV_ABSENT + 1);
}

/* ---- one moment ---------------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *address, *seen;
    atomic_bool stop;
    int64_t writes;
} alternating;

/* One write to "a", one to "b", one to "a" … each acknowledged before the next. */
static void *write_in_turn(void *ctx)
{
    alternating *w = ctx;
    cv_arena a = {0}, turn = {0};
    cv_err err = {.arena = &a};
    cv_record *record = board_postgres(&a, w->address, w->seen, &err);
    while (!atomic_load(&w->stop)) {
        const char *op = cv_arena_printf(&turn, "alternating-%lld", (long long)w->writes).p;
        const cv_scope_id scope = w->writes++ % 2 ? BOARD("b") : BOARD("a");
        assert_int_equal(board_write(record, &turn, scope, op, &err), CV_WRITE_DONE);
        cv_arena_reset(&turn);
    }
    cv_record_close(record);
    cv_arena_release(&turn);
    cv_arena_release(&a);
    return NULL;
}

static int64_t rev_in(fixture *f, cv_record *record, cv_scope_id scope)
{
    cv_scope_position at;
    assert_ok(record->calls->begin(record, &f->arena, scope, &at, &f->err), &f->err);
    record->calls->end(record);
    return at.rev;
}

/* The record was only ever in states in which "a" was as far as "b", or one further. Who writes meanwhile notes what the
 * project has seen. */
static void a_backup_is_of_one_moment(void **state)
{
    fixture *f = begin(state, "");
    static cv_types types;
    alternating w = {.address = f->address, .seen = f->seen};
    pthread_t thread;
    int64_t last = 0;
    types = *f->record->types;
    types.sqlite = board_schema_of(&f->arena, BOARD_SQL);
    f->record->types = &types;
    assert_int_equal(pthread_create(&thread, NULL, write_in_turn, &w), 0);
    while (rev_in(f, f->record, BOARD("b")) == 0)
        usleep(1000);
    for (int i = 0; i < (cv_test_soak() ? 200 : 12); i++) {
        const char *path = cv_arena_printf(&f->arena, "%s/backup-%d.db", f->folder, i).p;
        cv_record *copy;
        assert_ok(f->record->calls->backup(f->record, path, &f->err), &f->err);
        assert_ok(cv_record_open(&f->arena, path, CV_RECORD_COPY, &types, types.sqlite, &copy, &f->err), &f->err);
        int64_t x = rev_in(f, copy, BOARD("a")), y = rev_in(f, copy, BOARD("b"));
        assert_in_range(x - y, 0, 1);
        assert_true(x > 0 && x >= last);
        last = x;
        cv_record_close(copy);
    }
    atomic_store(&w.stop, true);
    pthread_join(thread, NULL);
    assert_false(cv_postgres_in_transaction(((cv_postgres_record *)f->record)->c));
    assert_int_equal(board_write(f->record, &f->arena, BOARD("a"), "behind", &f->err), CV_WRITE_DONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_trips_are_few),
        TEST(round_trips_are_few_in_parts),
        TEST(events_of_a_rev_are_found),
        TEST(a_write_at_once_is_refused),
        TEST(a_write_at_once_is_refused_in_parts),
        TEST(a_write_at_once_is_refused_without_pipeline),
        TEST(a_write_makes_its_scope_and_its_volatile_rows),
        TEST(the_server_takes_the_statements_of_every_type),
        TEST(many_rows_are_put_and_replaced),
        TEST(many_rows_are_put_and_replaced_in_parts),
        TEST(many_rows_are_put_and_replaced_without_pipeline),
        TEST(a_session_that_ended_under_the_lock_is_made_again),
        TEST(a_session_that_stood_still_is_made_again),
        TEST(who_was_overtaken_is_told),
        TEST(who_was_overtaken_by_the_same_request_is_told),
        TEST(what_was_kept_under_the_lock_is_not_forgotten),
        TEST(a_reading_that_lost_its_session_says_so),
        TEST(an_error_leaves_no_transaction_open),
        TEST(an_error_leaves_no_transaction_open_without_pipeline),
        TEST(who_waits_in_vain_is_told),
        TEST(who_waits_in_vain_for_volatile_rows_is_told),
        TEST(a_loss_behind_a_standing_connection_is_found),
        TEST(the_highest_rev_was_seen),
        TEST(nothing_is_forgotten_when_the_file_is_written_anew),
        TEST(a_full_disk_leaves_no_part_of_a_line),
        TEST(the_rest_of_a_line_is_cut_off),
        TEST(nobody_takes_a_line_from_another),
        TEST(the_latest_are_compared),
        TEST(a_number_that_none_is_does_not_pass_for_absent),
        TEST(the_lock_brings_a_commit_as_it_is),
        TEST(a_commit_of_a_locked_write_follows),
        TEST(a_commit_of_a_write_at_once_follows),
        TEST(a_commit_behind_an_unseen_one_follows),
        TEST(without_an_era_nothing_is_written),
        TEST(nothing_stays_in_a_session),
        TEST(the_lock_tells_the_time),
        TEST(a_lease_is_judged_by_the_servers_clock),
        TEST(a_backup_is_of_one_moment),
    };
    return cmocka_run_group_tests_name("postgres_engine", tests, NULL, NULL);
}
