/* test_project_feed.c - the feed and the search over all rooms as operations: each commit once, whatever the pages, the
 * filters and the writers; every call of the record that can fail fails once.
 */
#include "world.h"

#include <pthread.h>

#include "board.h"
#include "record/sql.h"

static bool call_project(cv_world *w, const char *verb, cv_str text)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.input_text = cv_arena_copy(&w->turn, text);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    return cv_op_call(cv_op_find(CV_STR(""), cv_str_of(verb)), &call);
}

static cv_str do_project(cv_world *w, const char *verb, cv_str text)
{
    if (!call_project(w, verb, text))
        print_error("%.*s\n", CV_FMT(cv_err_text(&w->errs.items[0])));
    assert_int_equal(w->errs.count, 0);
    return cv_buf_str(&w->out);
}

/* ---- pages against a model -----------------------------------------------------------------------------------------
 */

static const char *const names[] = {"a", "b", "c"};

typedef struct {
    size_t scope[1000];
    size_t count;
} model;

static bool only_one(void *ctx, const cv_feed_entry *entry)
{
    return cv_str_eq(entry->scope.name, cv_str_of(ctx));
}

/* Reads all in pages of random sizes, with or without a filter, and holds it against what was written. */
static void read_and_compare(cv_record *record, cv_test_random *random, const model *m, const char *filter)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_feed_entries page = {.more = true};
    cv_str at = CV_STR("");
    size_t next = 0;
    while (page.more) {
        assert_ok(cv_feed_read(record, &a, at, 1 + cv_test_below(random, 7), filter ? only_one : NULL, (void *)filter,
                               &page, &err),
                  &err);
        for (size_t i = 0; i < page.count; i++, next++) {
            while (filter && next < m->count && strcmp(names[m->scope[next]], filter) != 0)
                next++;
            assert_true(next < m->count);
            assert_str_eq(page.items[i].scope.name, names[m->scope[next]]);
            assert_int_equal(page.items[i].head.n, CV_HASH_DIGITS);
        }
        at = page.position;
    }
    while (filter && next < m->count && strcmp(names[m->scope[next]], filter) != 0)
        next++;
    assert_int_equal(next, m->count);
    cv_str newest;
    assert_ok(record->calls->newest(record, &a, 0, &newest, &err), &err);
    assert_view_eq(at, newest);
    cv_arena_release(&a);
}

static void test_pages(void **state)
{
    (void)state;
    cv_test_random random = {cv_test_seed()};
    for (int round = 0; round < (cv_test_soak() ? 200 : 10); round++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_record *record = board_memory(&a, &err);
        model m = {0};
        bool sparse = round == 0; /* filters pass over more than is read at once */
        size_t writes = sparse ? 900 : cv_test_below(&random, 40);
        read_and_compare(record, &random, &m, NULL);
        for (size_t i = 0; i < writes; i++) {
            m.scope[m.count] = sparse && i % 290 ? 0 : cv_test_below(&random, 3);
            cv_scope_id scope = {CV_STR("board"), cv_str_of(names[m.scope[m.count++]])};
            const char *op = cv_arena_printf(&a, "op-%zu", i).p;
            assert_int_equal(board_write(record, &a, scope, op, &err), CV_WRITE_DONE);
            if (cv_test_below(&random, sparse ? 200 : 8) == 0)
                read_and_compare(record, &random, &m, cv_test_below(&random, 2) ? names[1] : NULL);
        }
        read_and_compare(record, &random, &m, NULL);
        for (size_t i = 0; i < CV_COUNT(names); i++)
            read_and_compare(record, &random, &m, names[i]);
        cv_record_close(record);
        cv_arena_release(&a);
    }
}

/* An entry keeps all its texts: those of a page are read when the store has moved on. */
static bool first_head(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    cv_str *heads = ctx;
    (void)err;
    for (size_t i = 0; i < count; i++)
        heads[i] = (cv_str){strndup(entries[i].head.p, entries[i].head.n), entries[i].head.n};
    return true;
}

static void test_entries_keep_their_heads(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record = board_memory(&a, &err);
    cv_str heads[3] = {{NULL, 0}};
    for (int i = 0; i < 3; i++)
        board_write(record, &a, BOARD("x"), cv_arena_printf(&a, "op-%d", i).p, &err);
    const cv_feed_reader reader = {.name = CV_STR("r"), .batch = 8, .take = first_head, .ctx = heads};
    assert_ok(cv_feed_catch_up(record, &a, &reader, &err), &err);
    for (int i = 0; i < 3; i++) {
        cv_commit_row row;
        bool found;
        assert_ok(cv_record_commit_at(record, &a, BOARD("x"), i + 1, &row, &found, &err), &err);
        assert_view_eq(heads[i], row.head);
        free((char *)heads[i].p);
    }
    cv_record_close(record);
    cv_arena_release(&a);
}

/* ---- the operations ------------------------------------------------------------------------------------------------
 */

static void test_positions(void **state)
{
    cv_world *w = *state;
    assert_str_eq(do_project(w, "feed", CV_STR("{}")), "{\"entries\":[],\"position\":\"start\",\"more\":false}");
    cv_world_dialogue(w, "x", (const char *[]){"muffin", NULL}, false);
    cv_str reply = do_project(w, "feed", CV_STR("{\"after\":\"start\"}"));
    assert_str_has(reply, "\"who\":[\"judge\"]");
    cv_json tree;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, reply), &tree, &err), &err);
    cv_str at = cv_json_get_text(&tree, "position");
    for (size_t n = 1; n < at.n; n++) { /* every beginning of a position is none */
        cv_str cut = cv_arena_printf(&w->a, "{\"after\":\"%.*s\"}", (int)n, at.p);
        assert_false(call_project(w, "feed", cut));
        assert_str_has(w->errs.items[0].message, "is not one of this record's feed");
    }
    for (size_t i = 0; i < at.n; i++) { /* and so is one with another character */
        char *other = cv_arena_copy_z(&w->a, at);
        other[i] = other[i] == 'x' ? 'y' : 'x';
        assert_false(call_project(w, "feed", cv_arena_printf(&w->a, "{\"after\":\"%s\"}", other)));
        assert_str_eq(w->errs.items[0].field, "after");
    }
}

/* A commit that comes while somebody waits ends the wait; one of another scope does not. */
static void *write_later(void *ctx)
{
    cv_world *w = ctx;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_record *record;
    const char *path = cv_arena_printf(&a, "%s/conclave.db", w->folder).p;
    if (cv_record_open(&a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err)) {
        for (int i = 0; i < 2; i++) {
            cv_writing writing;
            cv_written done;
            cv_scope_id scope = {CV_STR("dialogue"), i ? CV_STR("y") : CV_STR("other")};
            usleep(50000);
            const cv_request request = {CV_STR("op"), cv_arena_printf(&a, "d%d", i), CV_STR("dialogue test")};
            if (cv_writing_begin(&writing, record, &a, scope, CV_STR(""), NOW, &err)) {
                cv_writing_event(&writing, CV_STR("D"), scope.name, CV_STR("created"));
                cv_writing_commit(&writing, &request, CV_STR("{}"), &done, &err);
            }
        }
        cv_record_close(record);
    }
    cv_arena_release(&a);
    return NULL;
}

static void test_waiting(void **state)
{
    cv_world *w = *state;
    pthread_t writer;
    assert_str_has(do_project(w, "feed", CV_STR("{\"wait\":1}")), "\"entries\":[]");
    assert_int_equal(pthread_create(&writer, NULL, write_later, w), 0);
    cv_str reply = do_project(w, "feed", CV_STR("{\"wait\":60,\"room\":\"dialogue\",\"scope\":\"y\"}"));
    pthread_join(writer, NULL);
    assert_str_has(reply, "\"scope\":\"y\",\"rev\":1");
    assert_int_equal(cv_str_find(reply, CV_STR("other")), SIZE_MAX);
}

/* The caller has stopped waiting. */
static bool leave(void *ctx, size_t done, size_t total, cv_str what)
{
    (void)ctx, (void)done, (void)total, (void)what;
    return false;
}

static void test_waiting_is_cancelled(void **state)
{
    cv_world *w = *state;
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json input;
    call.input_text = CV_STR("{\"wait\":3600}");
    assert_ok(cv_json_parse(&w->turn, call.input_text, &input, &err), &err);
    call.input = &input;
    call.follower = (cv_follower){.tell = leave};
    assert_false(cv_op_call(cv_op_find(CV_STR(""), CV_STR("feed")), &call));
    assert_view_eq(cv_err_word(w->errs.items[0].code), CV_STR("cancelled"));
}

static void test_failures(void **state)
{
    cv_world *w = *state;
    static const struct {
        const char *verb, *input;
    } calls[] = {{"feed", "{}"}, {"feed", "{\"limit\":0}"}, {"search", "{\"query\":\"one two\"}"}};
    cv_world_dialogue(w, "x", (const char *[]){"muffin", NULL}, false);
    cv_record *inner = w->record;
    for (size_t i = 0; i < CV_COUNT(calls); i++) {
        bool done = false;
        for (size_t n = 1; !done; n++) {
            cv_record_tracing tracing = {.fail_at = n};
            w->record = cv_record_traced(&w->a, inner, &tracing);
            done = call_project(w, calls[i].verb, cv_str_of(calls[i].input));
            assert_true(done || w->errs.items[0].code == CV_ERR_STORE);
            assert_true(done == (tracing.calls < n));
        }
    }
    w->record = inner;
}

/* ---- search --------------------------------------------------------------------------------------------------------
 */

static void test_search(void **state)
{
    cv_world *w = *state;
    static const struct {
        const char *input, *has;
    } cases[] = {
        {"{\"query\":\"oven\"}", "\"kind\":\"tension\",\"id\":\"T0001\",\"title\":\"Heat\",\"status\":\"open\""},
        {"{\"query\":\"oven\",\"kind\":\"tension\"}", "\"count\":1"},
        {"{\"query\":\"oven\",\"kind\":\"claim\"}", "\"count\":0"},
        {"{\"query\":\"oven\",\"status\":\"open\"}", "\"count\":1"},
        {"{\"query\":\"oven\",\"status\":\"resolved\"}", "\"count\":0"},
        {"{\"query\":\"oven\",\"person\":\"muffin\"}", "\"count\":1"},
        {"{\"query\":\"oven\",\"person\":\"nobody\"}", "\"count\":0"},
        {"{\"query\":\"oven\",\"room\":\"dialogue\",\"scope\":\"x\"}", "\"count\":1"},
        {"{\"query\":\"oven unheard\"}", "\"match\":\"any\""},
        {"{\"query\":\"oven unheard\",\"offset\":5}", "\"match\":\"any\""},
        {"{\"query\":\"oven hot\"}", "\"match\":\"all\""},
        {"{\"query\":\"MUFFIN-T0001\"}", "\"id\":\"T0001\""},
        {"{\"query\":\"muffin-t0001\"}", "\"id\":\"T0001\""},
        {"{\"query\":\"-oven\"}", "nothing_to_search"},
        {"{\"query\":\"muffin\",\"limit\":1}", "\"next\":1"},
    };
    cv_world_dialogue(w, "x", (const char *[]){"muffin", NULL}, false);
    cv_world_do(
        w, "round-register",
        "{'dialogue_id': 'x', 'round': 0, 'score': 0, 'tensions': ["
        "{'local_id': 'MUFFIN-T0001', 'label': 'Heat', 'content': 'The oven is hot', 'contributors': ['muffin']},"
        "{'local_id': 'MUFFIN-T0002', 'label': 'Muffin', 'content': 'A muffin.', 'contributors': ['muffin']},"
        "{'local_id': 'MUFFIN-T0003', 'label': 'More', 'content': 'A muffin.', 'contributors': ['muffin']}]}");
    for (size_t i = 0; i < CV_COUNT(cases); i++)
        assert_str_has(do_project(w, "search", cv_str_of(cases[i].input)), cases[i].has);
    assert_false(call_project(w, "search", CV_STR("{\"query\":\"oven\",\"room\":\"dialogue\",\"scope\":\"y\"}")));
    assert_str_has(cv_err_text(&w->errs.items[0]), "there is no dialogue 'y' (valid: x)");
    assert_false(call_project(w, "search", CV_STR("{\"query\":\"x\",\"room\":\"nowhere\"}")));
    assert_str_has(cv_err_text(&w->errs.items[0]), "there is no room 'nowhere' (valid: dialogue, ");
}

int main(void)
{
#define WORLD(test) cmocka_unit_test_setup_teardown(test, cv_world_set_up, cv_world_tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_entries_keep_their_heads),
        WORLD(test_positions),
        WORLD(test_waiting),
        WORLD(test_waiting_is_cancelled),
        WORLD(test_failures),
        WORLD(test_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
