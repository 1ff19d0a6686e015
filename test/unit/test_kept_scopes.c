/* test_kept_scopes.c - requests that write from rows which the handle has kept do what they would do from a reading.
 *
 * Three handles of one record on PostgreSQL, two of which share what their project has seen; one thread, so a model knows
 * what every request must answer: what is written depends on all rows. Requests are drawn: new ones, refused ones, ones
 * that change nothing, ones with an op_id, and the same again. Between them others write under the lock. How often rows
 * were kept is seen by the round trips.
 */
#include "board.h"
#include "testing_postgres.h"

#include "kit/fault.h"
#include "kit/request.h"

enum { HANDLES = 3, SCOPES = 3, CARDS = 400, STEPS = 600 };

typedef struct {
    int64_t ranks[CARDS];
    size_t count;
    int64_t rev;
} model;

typedef struct {
    cv_str op_id, input, answer;
    size_t scope;
} asked;

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder;
    cv_record *records[HANDLES];
    model scopes[SCOPES];
    cv_test_random random;
    struct {
        asked *items;
        size_t count, capacity;
    } before;       /* requests with an op_id that were done */
    cv_str refusal; /* of the last request */
    size_t kept, overtaken, refused, replayed;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}, .random = {cv_test_seed()}};
    f.folder = board_folder(&f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < HANDLES; i++)
        cv_record_close(f->records[i]);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static void open_all(fixture *f, const char *more)
{
    const char *address = cv_arena_printf(&f->arena, "%s%s", cv_test_postgres(&f->arena), more).p;
    for (int i = 0; i < HANDLES; i++) {
        const char *seen = cv_arena_printf(&f->arena, "%s/seen-%d", f->folder, i / 2).p;
        f->records[i] = board_postgres(&f->arena, address, seen, &f->err);
    }
}

static uint64_t trips(const cv_record *record)
{
    return ((const cv_postgres_record *)record)->c->costs.trips;
}

static size_t draw(fixture *f, size_t below)
{
    return cv_test_below(&f->random, below);
}

static const char *const names[SCOPES] = {"x", "y", "z"};

static cv_scope_id scope_at(size_t i)
{
    return (cv_scope_id){CV_STR("board"), cv_str_of(names[i])};
}

/* ---- the operation -------------------------------------------------------------------------------------------------
 *
 *     add      a card whose rank is one more than the sum of all
 *     raise    a card by the number of cards; refused when it is not there
 *     look     changes nothing, and answers the sum
 */

static size_t scope_now; /* a work has no context of its own */

static int64_t sum_of(const cv_row_list *cards)
{
    int64_t sum = 0;
    for (size_t i = 0; i < cards->count; i++)
        sum += ((const card *)cards->items[i])->rank;
    return sum % 1000003;
}

static cv_str answer_of(cv_arena *a, int64_t number, int64_t rank)
{
    return cv_arena_printf(a, "{\"number\":%lld,\"rank\":%lld}", (long long)number, (long long)rank);
}

static void put_card(cv_writing *w, int64_t number, int64_t rank, bool is_new)
{
    card c;
    cv_row_clear(&card_type, &c);
    c.number = number;
    c.rank = rank;
    c.title = CV_STR("a card");
    if (is_new)
        cv_writing_add(w, &card_type, &c);
    else
        cv_writing_put(w, &card_type, &c);
    cv_writing_event(w, CV_STR("card"), CV_STR("c"), CV_STR("put"));
}

static bool work(cv_call *call, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    cv_scope_position at;
    cv_writing w;
    int64_t n = 0;
    cv_str verb = cv_json_get_text(call->input, "verb");
    cv_row_list cards = {.arena = call->arena, .type = &card_type}, lines = {.arena = call->arena, .type = &line_type},
                first = {.arena = call->arena, .type = &card_type};
    const cv_scope_id scope = scope_at(scope_now);
    const cv_lookup lookups[] = {{{.type = &card_type, .scope = scope, .limit = 1}, cv_row_list_add, &first},
                                 {{.type = &card_type, .scope = scope}, cv_row_list_add, &cards},
                                 {{.type = &line_type, .scope = scope, .limit = 1}, cv_row_list_add, &lines}};
    cv_json_to_int(cv_json_get(call->input, CV_STR("n")), &n);
    if (!cv_record_look(call->record, call->arena, scope, lookups, CV_COUNT(lookups), &at, &err))
        return cv_call_fail(call, &err);
    assert_int_equal(first.count, cards.count > 0);
    assert_int_equal(lines.count, 0);
    cv_writing_from(&w, call->record, call->arena, scope, &at, NOW);
    int64_t number = (int64_t)cards.count, rank = sum_of(&cards) + 1;
    if (cv_str_eq(verb, CV_STR("raise"))) {
        if (n >= (int64_t)cards.count) {
            cv_refuse(call, CV_ERR_NOT_FOUND, CV_STR(""), "n", CV_STR(""), "there are %zu cards", cards.count);
            return false;
        }
        const card *c = cards.items[n];
        assert_int_equal(c->number, n);
        number = n;
        rank = c->rank + (int64_t)cards.count;
    }
    if (!cv_str_eq(verb, CV_STR("look")))
        put_card(&w, number, rank, number == (int64_t)cards.count);
    return cv_request_commit(call, &w, answer_of(call->arena, number, rank), outcome);
}

/* ---- the model ---------------------------------------------------------------------------------------------------- */

/* What the request must answer; absent: it is refused. */
static cv_str expect(fixture *f, size_t scope, const char *verb, int64_t n)
{
    model *m = &f->scopes[scope];
    int64_t number = (int64_t)m->count, rank = 1;
    for (size_t i = 0; i < m->count; i++)
        rank += m->ranks[i];
    rank = (rank - 1) % 1000003 + 1;
    if (strcmp(verb, "raise") == 0) {
        if (n >= (int64_t)m->count)
            return (cv_str){NULL, 0};
        number = n;
        rank = m->ranks[n] + (int64_t)m->count;
    }
    if (strcmp(verb, "look") != 0) {
        m->ranks[number] = rank;
        m->count += number == (int64_t)m->count;
        m->rev++;
    }
    cv_str text = answer_of(&f->arena, number, rank);
    return cv_arena_printf(&f->arena, "%.*s,\"rev\":%lld", (int)text.n - 1, text.p, (long long)m->rev);
}

/* ---- requests ------------------------------------------------------------------------------------------------------ */

/* The answer without its closing brace; absent: it was refused. */
static cv_str request_by(fixture *f, cv_record *record, size_t scope, cv_str input, cv_work by)
{
    cv_arena a = {0};
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_err err = {.arena = &a};
    cv_json read;
    cv_call call = {.arena = &a,
                    .record = record,
                    .clock = cv_clock_system(),
                    .input = &read,
                    .input_text = input,
                    .out = &out,
                    .errs = &errs};
    assert_ok(cv_json_parse(&a, input, &read, &err), &err);
    scope_now = scope;
    bool ok = cv_request_run(&call, CV_STR("board try"), scope_at(scope), by);
    assert_int_equal(ok, errs.count == 0);
    f->refusal = ok ? (cv_str){NULL, 0} : cv_arena_copy(&f->arena, errs.items[0].message);
    assert_null(record->to_write);
    cv_str answer = ok ? cv_arena_copy(&f->arena, cv_str_head(cv_buf_str(&out), out.n - 1)) : (cv_str){NULL, 0};
    cv_buf_release(&out);
    cv_arena_release(&a);
    return answer;
}

static cv_str request(fixture *f, cv_record *record, size_t scope, cv_str input)
{
    return request_by(f, record, scope, input, work);
}

static void ask_again(fixture *f, cv_record *record)
{
    const asked *b = &f->before.items[draw(f, f->before.count)];
    cv_str answer = request(f, record, b->scope, b->input);
    assert_str_eq(answer, cv_arena_printf(&f->arena, "%.*s,\"replayed\":true", CV_FMT(b->answer)).p);
    f->replayed++;
}

/* Another request under the same op_id: refused in the words of a store that is near. */
static void ask_other(fixture *f, cv_record *record, int step)
{
    const asked *b = &f->before.items[draw(f, f->before.count)];
    cv_str input =
        cv_arena_printf(&f->arena, "{\"verb\":\"add\",\"n\":%d,\"op_id\":\"%.*s\"}", 1000 + step, CV_FMT(b->op_id));
    assert_null(request(f, record, b->scope, input).p);
    assert_view_eq(f->refusal,
                   cv_arena_printf(&f->arena, "the op_id '%.*s' was used for another request", CV_FMT(b->op_id)));
}

static void ask(fixture *f, cv_record *record, size_t scope, int step)
{
    static const char *const verbs[] = {"add", "add", "raise", "raise", "raise", "look"};
    const char *verb = verbs[draw(f, CV_COUNT(verbs))];
    size_t count = f->scopes[scope].count;
    int64_t n = (int64_t)draw(f, count + count / 8 + 2);
    bool is_named = draw(f, 3) == 0, writes = strcmp(verb, "look") != 0;
    cv_str op = cv_arena_printf(&f->arena, "op-%d", step);
    cv_str named = cv_arena_printf(&f->arena, ",\"op_id\":\"%.*s\"", CV_FMT(op));
    cv_str input =
        cv_arena_printf(&f->arena, "{\"verb\":\"%s\",\"n\":%lld%s}", verb, (long long)n, is_named ? named.p : "");
    uint64_t before = trips(record);
    cv_str expected = expect(f, scope, verb, n), answer = request(f, record, scope, input);
    uint64_t cost = trips(record) - before;
    f->refused += !expected.p;
    f->kept += writes && expected.p && cost == 1;
    f->overtaken += writes && expected.p && cost > 2;
    if (!expected.p) {
        assert_null(answer.p);
        assert_str_has(f->refusal, "there are ");
        return;
    }
    assert_str_eq(answer, cv_arena_printf(&f->arena, "%.*s%s", CV_FMT(expected), writes ? "" : ",\"replayed\":true").p);
    if (is_named && writes)
        *CV_PUSH(&f->arena, &f->before) = (asked){op, input, answer, scope};
}

/* Somebody writes under the lock, not by a request. */
static void write_locked(fixture *f, cv_record *record, size_t scope, int step)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_writing w;
    cv_written done;
    model *m = &f->scopes[scope];
    const cv_request r = {cv_arena_printf(&a, "locked-%d", step), CV_STR("digest"), CV_STR("board lock")};
    assert_ok(cv_writing_begin(&w, record, &a, scope_at(scope), r.op_id, NOW, &err), &err);
    assert_int_equal(w.at.rev, m->rev);
    put_card(&w, (int64_t)m->count, step, true);
    assert_ok(cv_writing_commit(&w, &r, CV_STR("{}"), &done, &err), &err);
    m->ranks[m->count++] = step;
    m->rev++;
    cv_arena_release(&a);
}

static void agree(fixture *f, const char *more, bool pipelined)
{
    open_all(f, more);
    for (int i = 0; i < STEPS; i++) {
        /* A handle goes on for a while, as a server does. */
        static size_t handle, scope;
        handle = draw(f, 4) == 0 ? draw(f, HANDLES) : handle;
        scope = draw(f, 3) == 0 ? draw(f, SCOPES) : scope;
        assert_true(f->scopes[scope].count < CARDS);
        if (draw(f, 12) == 0)
            write_locked(f, f->records[handle], scope, i);
        else if (f->before.count > 0 && draw(f, 8) == 0)
            ask_again(f, f->records[handle]);
        else if (f->before.count > 0 && draw(f, 20) == 0)
            ask_other(f, f->records[handle], i);
        else
            ask(f, f->records[handle], scope, i);
    }
    print_message("# kept %zu, overtaken %zu, refused %zu, replayed %zu\n", f->kept, f->overtaken, f->refused,
                  f->replayed);
    assert_true(f->refused > 10 && f->replayed > 10);
    if (pipelined)
        assert_true(f->kept > STEPS / 6 && f->overtaken > 5);
    for (size_t i = 0; i < SCOPES; i++) {
        cv_row_list cards;
        const cv_find find = {.type = &card_type, .scope = scope_at(i)};
        assert_ok(cv_record_rows(f->records[0], &f->arena, &find, &cards, &f->err), &f->err);
        assert_int_equal(cards.count, f->scopes[i].count);
        for (size_t k = 0; k < cards.count; k++)
            assert_int_equal(((const card *)cards.items[k])->rank, f->scopes[i].ranks[k]);
    }
}

static void requests_from_kept_rows_do_the_same(void **state)
{
    agree(*state, "", true);
}

static void requests_do_the_same_without_pipeline(void **state)
{
    agree(*state, "&pipeline=off", false);
}

/* ---- what is kept -------------------------------------------------------------------------------------------------- */

static cv_kept_scopes *kept(const fixture *f)
{
    return &((cv_postgres_record *)f->records[0])->kept;
}

/* A scope with so many cards, each with a text of so many bytes. */
static void make_scope(fixture *f, const char *name, int cards, size_t bytes)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_writing w;
    cv_written done;
    char *text = cv_arena_alloc(&a, bytes + 1);
    memset(text, 'x', bytes);
    const cv_request r = {CV_STR("made"), CV_STR("digest"), CV_STR("board make")};
    const cv_scope_id scope = {CV_STR("board"), cv_str_of(name)};
    assert_ok(cv_writing_begin(&w, f->records[0], &a, scope, r.op_id, NOW, &err), &err);
    for (int i = 0; i < cards; i++) {
        card c;
        cv_row_clear(&card_type, &c);
        c.number = i;
        c.rank = 0;
        c.body = (cv_str){text, bytes};
        cv_writing_add(&w, &card_type, &c);
    }
    cv_writing_event(&w, CV_STR("card"), CV_STR("c"), CV_STR("put"));
    assert_ok(cv_writing_commit(&w, &r, CV_STR("{}"), &done, &err), &err);
    cv_arena_release(&a);
}

static void memory_has_a_ceiling(void **state)
{
    fixture *f = *state;
    open_all(f, "");
    make_scope(f, "huge", 50, CV_KEPT_SCOPE_BYTES / 40);
    assert_int_equal(kept(f)->count, 0);
    for (int i = 0; i < 6; i++)
        make_scope(f, cv_arena_printf(&f->arena, "large-%d", i).p, 20, CV_KEPT_SCOPE_BYTES / 40);
    assert_in_range(kept(f)->count, 2, 4);
    for (int i = 0; i < CV_KEPT_SCOPES + 10; i++)
        make_scope(f, cv_arena_printf(&f->arena, "small-%d", i).p, 1, 10);
    assert_int_equal(kept(f)->count, CV_KEPT_SCOPES);
}

/* A text that was redacted is not kept. */
static void redacted_rows_are_forgotten(void **state)
{
    fixture *f = *state;
    cv_writing w;
    cv_written done;
    card c;
    const cv_request r = {CV_STR("redacted"), CV_STR("digest"), CV_STR("board redact")};
    open_all(f, "");
    make_scope(f, "x", 1, 10);
    assert_int_equal(kept(f)->count, 1);
    cv_row_clear(&card_type, &c);
    bool found;
    assert_ok(cv_record_get(f->records[0], &f->arena, scope_at(0), &card_type, (c.number = 0, &c), &found, &f->err) &&
                  found,
              &f->err);
    assert_ok(cv_writing_begin(&w, f->records[0], &f->arena, scope_at(0), r.op_id, NOW, &f->err), &f->err);
    cv_event_row *event = cv_writing_event(&w, CV_STR("card"), CV_STR("c"), CV_STR("redacted"));
    cv_writing_redact(&w, event, &card_type, &c, CV_STR("body"));
    assert_ok(cv_writing_commit(&w, &r, CV_STR("{}"), &done, &f->err), &f->err);
    assert_int_equal(kept(f)->count, 0);
}

/* A statement of the test's own, with $schema in it. */
static void does(fixture *f, const char *text)
{
    cv_postgres *c = ((cv_postgres_record *)f->records[0])->c;
    const cv_postgres_word schema = {"$schema", cv_str_of(c->address.schema)};
    cv_postgres_batch batch = {.arena = &f->arena};
    cv_postgres_add(&batch, "test", cv_postgres_fill(&f->arena, text, &schema, 1));
    assert_ok(cv_postgres_run(c, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
}

static void look_to_write(fixture *f, cv_record *record, size_t scope, cv_scope_position *ret_at)
{
    cv_reading_to_write to_write = {0};
    cv_row_list cards = {.arena = &f->arena, .type = &card_type};
    const cv_lookup lookup = {{.type = &card_type, .scope = scope_at(scope)}, cv_row_list_add, &cards};
    record->to_write = &to_write;
    assert_ok(cv_record_look(record, &f->arena, scope_at(scope), &lookup, 1, ret_at, &f->err), &f->err);
    record->to_write = NULL;
    assert_int_equal(cards.count, 1);
}

/* A server that seems to have less than was seen is asked again: the rows of the first reading may be older than the
 * position of the second one. */
static void a_reading_that_is_not_shown_is_not_kept(void **state)
{
    fixture *f = *state;
    cv_scope_position at;
    open_all(f, "");
    cv_postgres_record *other = (cv_postgres_record *)f->records[2];
    const cv_postgres_scope key = cv_postgres_scope_key(scope_at(0));
    make_scope(f, "x", 1, 10);
    write_locked(f, f->records[2], 1, 0);
    does(f, "ALTER TABLE $schema.commits RENAME TO all_commits");
    /* Each session sees the commits from the second time on that it looks. */
    does(f, "CREATE VIEW $schema.commits AS SELECT * FROM $schema.all_commits WHERE EXISTS (SELECT 1 FROM pg_locks "
            "WHERE locktype = 'advisory' AND pid = pg_backend_pid()) OR NOT pg_try_advisory_lock(7)");
    look_to_write(f, f->records[2], 0, &at);
    assert_int_equal(at.rev, 1);
    assert_false(cv_kept_scopes_has(&other->kept, key.digits, &at));
    look_to_write(f, f->records[2], 0, &at);
    assert_true(cv_kept_scopes_has(&other->kept, key.digits, &at));
}

/* ---- what is shown ------------------------------------------------------------------------------------------------- */

/* Rows of the scope "x", read to write, from another handle. */
static cv_row_list look_for(fixture *f, const cv_find *find, bool may_be_kept)
{
    cv_record *record = f->records[2];
    cv_reading_to_write to_write = {.may_be_kept = may_be_kept};
    cv_row_list rows = {.arena = &f->arena, .type = &card_type};
    const cv_lookup lookup = {*find, cv_row_list_add, &rows};
    cv_scope_position at;
    record->to_write = &to_write;
    assert_ok(cv_record_look(record, &f->arena, find->scope, &lookup, 1, &at, &f->err), &f->err);
    record->to_write = NULL;
    return rows;
}

static void assert_same(fixture *f, const cv_row_list *x, const cv_row_list *y, bool whole)
{
    assert_int_equal(x->count, y->count);
    for (size_t i = 0; i < x->count; i++) {
        assert_int_equal(cv_row_order(&card_type, x->items[i], y->items[i]), 0);
        assert_int_equal(cv_row_rev(x->items[i]), cv_row_rev(y->items[i]));
        if (whole)
            assert_view_eq(cv_hash_one(&f->arena, &card_type, x->items[i]),
                           cv_hash_one(&f->arena, &card_type, y->items[i]));
    }
}

static const card *card_numbered(fixture *f, int64_t number)
{
    card *c = CV_NEW(&f->arena, card);
    cv_row_clear(&card_type, c);
    c->number = number;
    return c;
}

/* A find that shows less than all rows of a type is not kept as all of them; one that kept rows cannot answer as the
 * record would goes to the server. */
static void kept_rows_are_shown_as_the_record_does(void **state)
{
    fixture *f = *state;
    const cv_find all = {.type = &card_type, .scope = scope_at(0)};
    open_all(f, "");
    make_scope(f, "x", 5, 10);
    assert_true(request(f, f->records[0], 0, CV_STR("{\"verb\":\"raise\",\"n\":1}")).p);
    assert_true(request(f, f->records[0], 0, CV_STR("{\"verb\":\"raise\",\"n\":3}")).p);
    cv_find finds[] = {all, all, all, all, all, all, all, all, all, all};
    finds[1].limit = 2;
    finds[2].limit = 5;
    finds[3].outline = true;
    finds[4].without = cv_type_bit(&card_type, offsetof(card, body));
    finds[5].since_rev = 1;
    finds[6].like = card_numbered(f, 2), finds[6].equal = 1;
    finds[7].descending = true;
    finds[8].after = card_numbered(f, 1);
    finds[9].index = cv_type_index(&card_type, "status");
    cv_row_list whole;
    assert_ok(cv_record_rows(f->records[2], &f->arena, &all, &whole, &f->err), &f->err);
    assert_int_equal(whole.count, 5);
    for (size_t i = 0; i < CV_COUNT(finds); i++) {
        cv_row_list there;
        assert_ok(cv_record_rows(f->records[2], &f->arena, &finds[i], &there, &f->err), &f->err);
        for (int turn = 0; turn < 2; turn++) {
            const cv_find *first = turn ? &all : &finds[i], *second = turn ? &finds[i] : &all;
            cv_kept_scopes_close(&((cv_postgres_record *)f->records[2])->kept);
            look_for(f, first, false);
            cv_row_list shown = look_for(f, second, true);
            assert_same(f, &shown, turn ? &there : &whole, turn == 0);
        }
    }
}

/* A work that reads twice: what is kept first, and then what is not. */
static bool work_twice(cv_call *call, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    cv_scope_position at;
    cv_writing w;
    const cv_scope_id scope = scope_at(0);
    cv_row_list cards = {.arena = call->arena, .type = &card_type}, last = cards;
    const cv_lookup all = {{.type = &card_type, .scope = scope}, cv_row_list_add, &cards},
                    newest = {
                        {.type = &card_type, .scope = scope, .descending = true, .limit = 1}, cv_row_list_add, &last};
    if (!cv_record_look(call->record, call->arena, scope, &all, 1, &at, &err) ||
        !cv_record_look(call->record, call->arena, scope, &newest, 1, &at, &err))
        return cv_call_fail(call, &err);
    cv_writing_from(&w, call->record, call->arena, scope, &at, NOW);
    put_card(&w, (int64_t)cards.count, sum_of(&cards) + 1, true);
    return cv_request_commit(call, &w, answer_of(call->arena, (int64_t)cards.count, (int64_t)last.count), outcome);
}

/* Others write between what was kept and what is read now: rows of two moments are never the base of a write. */
static void rows_of_two_moments_are_not_mixed(void **state)
{
    fixture *f = *state;
    open_all(f, "");
    make_scope(f, "x", 2, 10);
    f->scopes[0] = (model){.count = 2, .rev = 1};
    for (int i = 0; i < 3; i++) {
        cv_str expected = cv_arena_printf(&f->arena, "{\"number\":%zu,\"rank\":1,\"rev\":%lld", f->scopes[0].count + 1,
                                          (long long)f->scopes[0].rev + 2);
        write_locked(f, f->records[2], 0, i);
        assert_str_eq(request_by(f, f->records[0], 0, CV_STR("{}"), work_twice), expected.p);
        f->scopes[0].count++;
        f->scopes[0].rev++;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_from_kept_rows_do_the_same),
        TEST(requests_do_the_same_without_pipeline),
        TEST(memory_has_a_ceiling),
        TEST(redacted_rows_are_forgotten),
        TEST(a_reading_that_is_not_shown_is_not_kept),
        TEST(kept_rows_are_shown_as_the_record_does),
        TEST(rows_of_two_moments_are_not_mixed),
    };
    return cmocka_run_group_tests_name("kept_scopes", tests, NULL, NULL);
}
