/* test_create.c - creating dialogues against a store that fails, and against rivals who are faster. */
#include "interpose.h"
#include "testing.h"

#include "dialogue/operations.h"
#include "dialogue/snapshot.h"
#include "kit/room.h"
#include "record/sql.h"

/* ---- a project without doors ------------------------------------------------------------------------------------- */

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1770120000000;
}

typedef struct {
    cv_arena a;
    const char *folder;
    cv_record *record;
    bool confined;
    cv_buf out;
    cv_errs errs;
    cv_json reply;
} room;

static int open_room(void **state)
{
    room *r = test_calloc(1, sizeof *r);
    cv_err err = {.arena = &r->a};
    r->folder = cv_test_folder(&r->a);
    cv_str path = cv_arena_printf(&r->a, "%s/conclave.db", r->folder);
    assert_ok(cv_record_open(&r->a, cv_arena_copy_z(&r->a, path), CV_RECORD_CREATE, &cv_program_types,
                             &cv_sql_sqlite_schema, &r->record, &err),
              &err);
    *state = r;
    return 0;
}

static int close_room(void **state)
{
    room *r = *state;
    cv_record_close(r->record);
    cv_test_remove(r->folder);
    cv_buf_release(&r->out);
    cv_arena_release(&r->a);
    test_free(r);
    return 0;
}

static bool ask(room *r, cv_handler handler, const char *request)
{
    cv_json input;
    cv_err err = {.arena = &r->a};
    cv_str text = cv_str_of(request);
    assert_ok(cv_json_parse(&r->a, text, &input, &err), &err);
    cv_buf_clear(&r->out);
    r->errs = (cv_errs){0};
    cv_call call = {.arena = &r->a,
                    .record = r->record,
                    .clock = {noon, NULL},
                    .root = r->folder,
                    .confined = r->confined,
                    .input = &input,
                    .input_text = text,
                    .out = &r->out,
                    .errs = &r->errs};
    bool done = handler(&call);
    assert_true(done == (r->errs.count == 0));
    if (done)
        assert_ok(cv_json_parse(&r->a, cv_arena_copy(&r->a, cv_buf_str(&r->out)), &r->reply, &err), &err);
    return done;
}

static cv_str text_of(const room *r, const char *key)
{
    const cv_json *value = cv_json_get(&r->reply, cv_str_of(key));
    return value && value->type == CV_JSON_STRING ? value->text : CV_STR("(none)");
}

static int64_t count_dialogues(room *r)
{
    int64_t count = -1;
    assert_true(ask(r, cv_dialogue_list, "{\"limit\":1000}"));
    assert_true(cv_json_to_int(cv_json_get(&r->reply, CV_STR("count")), &count));
    return count;
}

#define POOL                                                                                                           \
    "\"expert_pool\":{\"domain\":\"d\",\"experts\":[{\"role\":\"A\",\"tier\":\"Core\",\"relevance\":0.5},"             \
    "{\"role\":\"B\",\"tier\":\"Adjacent\",\"relevance\":0.5},{\"role\":\"C\",\"tier\":\"Wildcard\",\"relevance\":0."  \
    "5}]}"

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static void test_confined(void **state)
{
    static const char *const outside[] = {"..", "../x", "/tmp/x", "a/../../b", "a/.."};
    static const char *const inside[] = {"out", "out/a..b", "...", "./x"};
    room *r = *state;
    r->confined = true;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        cv_str request = cv_arena_printf(&r->a, "{\"title\":\"t\",\"output_dir\":\"%s\"}", outside[i]);
        assert_false(ask(r, cv_dialogue_create, cv_arena_copy_z(&r->a, request)));
        assert_str_eq(r->errs.items[0].field, "output_dir");
        assert_int_equal(r->errs.items[0].code, CV_ERR_INVALID_VALUE);
    }
    assert_int_equal(count_dialogues(r), 0);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        cv_str request = cv_arena_printf(&r->a, "{\"title\":\"t\",\"output_dir\":\"%s\"}", inside[i]);
        assert_true(ask(r, cv_dialogue_create, cv_arena_copy_z(&r->a, request)));
    }
    r->confined = false;
    assert_true(ask(r, cv_dialogue_create, "{\"title\":\"t\",\"output_dir\":\"/tmp/x/\"}"));
    const cv_json *dialogue = cv_json_get(&r->reply, CV_STR("dialogue"));
    assert_str_eq(cv_json_get(dialogue, CV_STR("output_dir"))->text, "/tmp/x");
}

/* ---- rivals ------------------------------------------------------------------------------------------------------ */

/* Before each of the first `rivals` writes somebody else creates a dialogue; %d in the request is its number. */
typedef struct {
    cv_interposed x;
    room *r;
    const char *request;
    int rivals;
} race;

static void create_before_a_write(void *ctx, bool to_write)
{
    race *x = ctx;
    if (!to_write || x->rivals-- <= 0)
        return;
    room rival = {.a = {0}, .record = x->r->record, .folder = x->r->folder};
    assert_true(ask(&rival, cv_dialogue_create, cv_arena_printf(&rival.a, x->request, x->rivals).p));
    cv_buf_release(&rival.out);
    cv_arena_release(&rival.a);
}

/* Asks while rivals come in between. */
static bool ask_in_race(room *r, race x, const char *request)
{
    x.r = r;
    cv_interpose(&x.x, r->record, create_before_a_write, &x);
    bool done = ask(r, cv_dialogue_create, request);
    cv_interpose_end(&x.x);
    return done;
}

static void test_same_title(void **state)
{
    room *r = *state;
    race x = {.request = "{\"title\":\"Race\",\"question\":\"Who is number %d?\"}", .rivals = 3};
    assert_true(ask_in_race(r, x, "{\"title\":\"Race\"," POOL "}"));
    assert_str_eq(text_of(r, "dialogue_id"), "race-4");
    assert_null(cv_json_get(&r->reply, CV_STR("replayed")));
    assert_int_equal(count_dialogues(r), 4);
}

/* A title just created: as long as the dialogue has no round and is open, the same request means it. */
static void test_just_created(void **state)
{
    static const char request[] = "{\"title\":\"Race\"," POOL "}";
    room *r = *state;
    race x = {.request = request, .rivals = 1}; /* by a rival, in this moment */
    assert_true(ask_in_race(r, x, request));
    assert_str_eq(text_of(r, "dialogue_id"), "race");
    assert_non_null(cv_json_get(&r->reply, CV_STR("replayed")));
    assert_true(ask(r, cv_dialogue_create, "{\"title\":\"Race\",\"question\":\"Who?\"}"));
    assert_str_eq(text_of(r, "dialogue_id"), "race-2");
    assert_true(ask(r, cv_dialogue_create, "{\"question\":\"Who?\",\"title\":\"Race\"}")); /* in another order */
    assert_str_eq(text_of(r, "dialogue_id"), "race-2");
    assert_non_null(cv_json_get(&r->reply, CV_STR("replayed")));
    assert_false(ask(r, cv_dialogue_create, "{\"title\":\"Race\",\"question\":\"Who?\",\"expect_rev\":0}"));
    assert_int_equal(r->errs.items[0].code, CV_ERR_REV_CONFLICT);
    assert_true(ask(r, cv_dialogue_expert_create,
                    "{\"dialogue_id\":\"race\",\"role\":\"Runner\",\"tier\":\"Core\",\"reason\":\"legs\"}"));
    assert_true(ask(r, cv_dialogue_create, request)); /* something was written, but no round */
    assert_str_eq(text_of(r, "dialogue_id"), "race");
    assert_non_null(cv_json_get(&r->reply, CV_STR("replayed")));
    assert_true(ask(r, cv_dialogue_abandon, "{\"dialogue_id\":\"race\",\"reason\":\"rain\"}"));
    assert_true(ask(r, cv_dialogue_create, request));
    assert_str_eq(text_of(r, "dialogue_id"), "race-3");
    assert_null(cv_json_get(&r->reply, CV_STR("replayed")));
    assert_true(ask(r, cv_dialogue_round_register, "{\"dialogue_id\":\"race-3\",\"round\":0,\"score\":0}"));
    assert_true(ask(r, cv_dialogue_create, request));
    assert_str_eq(text_of(r, "dialogue_id"), "race-4");
}

static void test_other_content(void **state)
{
    room *r = *state;
    race x = {.request = "{\"title\":\"Race\",\"question\":\"Who is number %d?\"}", .rivals = 2};
    assert_true(ask_in_race(r, x, "{\"title\":\"Race\",\"op_id\":\"mine\"}"));
    assert_str_eq(text_of(r, "dialogue_id"), "race-3");
}

static void test_same_op(void **state)
{
    static const char request[] = "{\"title\":\"Race\",\"op_id\":\"one\"}";
    room *r = *state;
    race x = {.request = request, .rivals = 1};
    assert_true(ask_in_race(r, x, request));
    assert_str_eq(text_of(r, "dialogue_id"), "race");
    assert_non_null(cv_json_get(&r->reply, CV_STR("replayed")));
    assert_int_equal(count_dialogues(r), 1);
}

/* One op_id is one request, whichever dialogue it would make. */
static void test_op_of_another(void **state)
{
    room *r = *state;
    assert_true(ask(r, cv_dialogue_create, "{\"title\":\"Race\",\"op_id\":\"one\"}"));
    static const char *const others[] = {"{\"title\":\"Race\",\"question\":\"Who?\",\"op_id\":\"one\"}",
                                         "{\"title\":\"Walk\",\"op_id\":\"one\"}"};
    for (size_t i = 0; i < CV_COUNT(others); i++) {
        assert_false(ask(r, cv_dialogue_create, others[i]));
        assert_int_equal(r->errs.count, 1);
        assert_int_equal(r->errs.items[0].code, CV_ERR_OP_CONFLICT);
        assert_str_eq(r->errs.items[0].field, "op_id");
    }
    assert_int_equal(count_dialogues(r), 1);
    assert_true(ask(r, cv_dialogue_create, "{\"title\":\"Walk\"}"));
    assert_int_equal(count_dialogues(r), 2);
}

static void test_insisting(void **state)
{
    room *r = *state;
    race x = {.request = "{\"title\":\"Race\",\"question\":\"Who?\"}", .rivals = 1};
    assert_false(ask_in_race(r, x, "{\"title\":\"Race\",\"expect_rev\":0}"));
    assert_int_equal(r->errs.items[0].code, CV_ERR_REV_CONFLICT);
    assert_int_equal(count_dialogues(r), 1);
}

/* ---- a store that fails ------------------------------------------------------------------------------------------ */

/* The n-th call fails for n = 1, 2 …: an error each time, and nothing is written; then it works, with so many `calls`.
 */
static void fail_until_done(room *r, size_t calls, cv_handler handler, const char *request)
{
    for (size_t n = 1;; n++) {
        cv_record_tracing tracing = {.fail_at = n};
        cv_record *real = r->record;
        int64_t before = count_dialogues(r);
        r->record = cv_record_traced(&r->a, real, &tracing);
        bool done = ask(r, handler, request);
        r->record = real;
        if (done && tracing.calls < n) {
            assert_int_equal(tracing.calls, calls);
            break;
        }
        assert_false(done);
        assert_true(r->errs.count > 0);
        assert_int_equal(count_dialogues(r), before);
    }
}

static void test_failures(void **state)
{
    room *r = *state;
    fail_until_done(r, 4, cv_dialogue_create, "{\"title\":\"Fails\",\"op_id\":\"c\"," POOL "}");
    fail_until_done(r, 8, cv_dialogue_expert_create,
                    "{\"dialogue_id\":\"fails\",\"role\":\"New\",\"tier\":\"core\",\"reason\":\"r\"}");
    fail_until_done(r, 6, cv_dialogue_panel_sample, "{\"dialogue_id\":\"fails\"}");
    fail_until_done(r, 15, cv_dialogue_get, "{\"dialogue_id\":\"fails\"}");
    fail_until_done(r, 3, cv_dialogue_list, "{}");
    fail_until_done(r, 6, cv_dialogue_abandon, "{\"dialogue_id\":\"fails\",\"reason\":\"r\"}");
    assert_true(ask(r, cv_dialogue_get, "{\"dialogue_id\":\"fails\"}"));
    int64_t rev;
    assert_true(cv_json_to_int(cv_json_get(&r->reply, CV_STR("rev")), &rev));
    assert_int_equal(rev, 3);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static bool note_id(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    (void)err;
    assert_true(row ? rev > 0 && cv_str_eq(row->id, id) : rev == 0);
    cv_buf_printf(ctx, "%.*s ", CV_FMT(id));
    return true;
}

/* All pages of a list, whatever their size: each dialogue once, by id. */
static void assert_pages(room *r, cv_list_query query, const char *expected)
{
    for (query.limit = 0; query.limit < 9; query.limit++)
        for (int names = 0; names < 2; names++) {
            cv_err err = {.arena = &r->a};
            cv_buf all = {0};
            cv_list_query page = query;
            page.names = names;
            for (size_t before = 1; before != all.n;) {
                before = all.n;
                assert_ok(cv_list_dialogues(r->record, &r->a, &page, note_id, &all, &err), &err);
                cv_str seen = cv_buf_str(&all), id;
                for (cv_str rest = cv_str_from(seen, before); cv_str_split(&rest, ' ', &id);)
                    page.after = id.n ? cv_arena_copy(&r->a, id) : page.after;
            }
            assert_str_eq(cv_buf_take(&all, &r->a), expected);
        }
}

static void test_pages(void **state)
{
    room *r = *state;
    static const char *const ids[] = {"b", "a-2", "a", "c-10", "c-9", "d"};
    for (size_t i = 0; i < CV_COUNT(ids); i++) {
        assert_true(ask(r, cv_dialogue_create, cv_arena_printf(&r->a, "{\"title\":\"%s\"}", ids[i]).p));
        assert_str_eq(text_of(r, "dialogue_id"), ids[i]);
        const char *end = cv_arena_printf(&r->a, "{\"dialogue_id\":\"%s\",\"reason\":\"r\"}", ids[i]).p;
        if (i % 2)
            assert_true(ask(r, cv_dialogue_abandon, end));
    }
    const cv_str open = CV_STR("open"), abandoned = CV_STR("abandoned"), long_ago = CV_STR("2000-01-01T00:00:00.000Z");
    assert_pages(r, (cv_list_query){0}, "a a-2 b c-10 c-9 d ");
    assert_pages(r, (cv_list_query){.status = open}, "a b c-9 ");
    assert_pages(r, (cv_list_query){.status = abandoned}, "a-2 c-10 d ");
    assert_pages(r, (cv_list_query){.status = abandoned, .after = CV_STR("b")}, "c-10 d "); /* of another status */
    assert_pages(r, (cv_list_query){.status = abandoned, .after = CV_STR("c")}, "c-10 d "); /* … that is not there */
    assert_pages(r, (cv_list_query){.status = abandoned, .after = CV_STR("z")}, "");
    assert_pages(r, (cv_list_query){.status = CV_STR("converged")}, "");
    assert_pages(r, (cv_list_query){.since = long_ago}, "a a-2 b c-10 c-9 d ");
    assert_pages(r, (cv_list_query){.since = long_ago, .status = open}, "a b c-9 ");
    assert_pages(r, (cv_list_query){.since = CV_STR("3000")}, "");
}

/* Time and chance come from the caller: the same calls in another project give the same bytes. */
static void test_same_bytes(void **state)
{
    static const char request[] = "{\"title\":\"Bytes\"," POOL "}";
    room *r = *state, *other;
    assert_true(ask(r, cv_dialogue_create, request));
    assert_true(ask(r, cv_dialogue_get, "{\"dialogue_id\":\"bytes\"}"));
    cv_str first = cv_arena_copy(&r->a, cv_buf_str(&r->out));
    open_room((void **)&other);
    assert_true(ask(other, cv_dialogue_create, request));
    assert_true(ask(other, cv_dialogue_get, "{\"dialogue_id\":\"bytes\"}"));
    assert_view_eq(cv_buf_str(&other->out), first);
    close_room((void **)&other);
}

#define IN_ROOM(test) cmocka_unit_test_setup_teardown(test, open_room, close_room)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(test_confined),      IN_ROOM(test_same_title), IN_ROOM(test_just_created), IN_ROOM(test_other_content),
        IN_ROOM(test_op_of_another), IN_ROOM(test_same_op),    IN_ROOM(test_insisting),    IN_ROOM(test_failures),
        IN_ROOM(test_same_bytes),    IN_ROOM(test_pages),
    };
    return cmocka_run_group_tests_name("create", tests, NULL, NULL);
}
