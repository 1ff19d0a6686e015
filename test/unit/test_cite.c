/* test_cite.c - ids of all forms, what they stand for, and what happened to them. */
#include "interpose.h"
#include "rounds.h"

#include "dialogue/view/address.h"

/* ---- ids ---------------------------------------------------------------------------------------- */

static void ids_have_one_meaning_and_one_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *text, *id, *kind, *subject;
    } rows[] = {
        {"P0101", "P0101", "perspective", "P0101"},
        {" t9999 ", "T9999", "tension", "T9999"},
        {"muffin-c0101", "MUFFIN-C0101", "claim", "MUFFIN-C0101"},
        {"eclair-2-R0001", "ECLAIR-2-R0001", "recommendation", "ECLAIR-2-R0001"},
        {"@Muffin", "@muffin", "expert", "muffin"},
        {"round-0", "round-0", "round", "0"},
        {"Round-99", "round-99", "round", "99"},
        {"panel-2", "panel-2", "panel", "2"},
        {"response-1-Eclair-2", "response-1-eclair-2", "response", "1/eclair-2"},
        {"dialogue", "dialogue", "dialogue", ""},
        {"final", "verdict-final", "verdict", "final"},
        {"V01", "verdict-V01", "verdict", "V01"},
        {"round-100", "verdict-round-100", "verdict", "round-100"},
        {"round-01", "verdict-round-01", "verdict", "round-01"},
        {"response-1", "verdict-response-1", "verdict", "response-1"},
    };
    static const char *const none[] = {"", " ", "@", "@-a", "P 0101", "a/b", "P0101\n\nx", "\"", "ä", "R1!", "round 1"};
    cv_arena a = {0};
    cv_address at;
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        assert_true(cv_address_parse(&a, cv_str_of(rows[i].text), &at));
        assert_str_eq(at.id, rows[i].id);
        assert_str_eq(cv_address_kind(&at), rows[i].kind);
        assert_str_eq(at.subject_id, rows[i].subject);
    }
    for (size_t i = 0; i < CV_COUNT(none); i++)
        assert_false(cv_address_parse(&a, cv_str_of(none[i]), &at));
    char *huge = cv_arena_alloc(&a, 100000);
    memset(huge, 'a', 100000);
    assert_false(cv_address_parse(&a, (cv_str){huge, 100000}, &at));
    cv_arena_release(&a);
}

/* ---- a world ------------------------------------------------------------------------------------ */

static int open_world(void **state)
{
    cv_world_set_up(state);
    cv_world_dialogue(*state, "bread", cv_rounds_bakers, false);
    return 0;
}

static void register_rounds(cv_world *w, int count)
{
    for (int round = 0; round < count; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "us", "")));
}

static cv_json asked(cv_world *w, const char *verb, const char *request)
{
    cv_str reply = cv_arena_copy(&w->a, cv_world_do(w, verb, request));
    cv_json tree;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_json_parse(&w->a, reply, &tree, &err), &err);
    return tree;
}

static cv_json expanded(cv_world *w, const char *ids)
{
    return asked(w, "expand", cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'ids': [%s]}", ids).p);
}

/* A value by keys and numbers: "items/0/label". */
static const cv_json *at(const cv_json *from, const char *path)
{
    cv_str rest = cv_str_of(path), key;
    int number;
    while (from && cv_str_split(&rest, '/', &key)) {
        if (from->type == CV_JSON_ARRAY)
            from = cv_str_to_int(key, &number) && (uint32_t)number < from->count ? &from->items[number] : NULL;
        else
            from = cv_json_get(from, key);
    }
    return from;
}

static void assert_at(const cv_json *tree, const char *path, const char *text)
{
    const cv_json *found = at(tree, path);
    if (!found)
        fail_msg("nothing at %s", path);
    else
        assert_str_eq(found->text, text);
}

/* ---- expand ------------------------------------------------------------------------------------- */

static void every_thing_has_its_context(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 2);
    cv_json r = expanded(w, "'P0001', 'muffin-p0101', 'T0001', '@muffin', 'round-1'");
    assert_int_equal(at(&r, "items")->count, 5);
    assert_int_equal(at(&r, "errors")->count, 0);
    assert_at(&r, "items/0/status", "refined");
    assert_at(&r, "items/0/content", "What muffin has to say.");
    assert_at(&r, "items/0/local_ids/0/local_id", "MUFFIN-P0001");
    assert_at(&r, "items/0/local_ids/0/receipt/start", "0");
    assert_int_equal(at(&r, "items/0/references_in")->count, 4);
    assert_at(&r, "items/0/references_in/3/type", "refine");
    assert_at(&r, "items/0/references_in/3/source", "P0101");
    assert_at(&r, "items/0/references_in/3/by/0", "muffin");
    assert_at(&r, "items/0/last_event/to", "refined");
    assert_at(&r, "items/1/id", "P0101");
    assert_at(&r, "items/1/asked/0", "muffin-p0101");
    assert_at(&r, "items/1/references_out/0/label", "us: P1 of round 0");
    assert_at(&r, "items/2/status", "resolved");
    assert_at(&r, "items/2/last_event/via", "T0101");
    assert_int_equal(at(&r, "items/3/raised")->count, 2 * CV_ROUND_P);
    assert_int_equal(at(&r, "items/3/moves")->count, 2);
    assert_int_equal(at(&r, "items/3/scores")->count, 2);
    assert_int_equal(at(&r, "items/4/raised")->count, CV_ROUND_ITEMS);
    assert_at(&r, "items/4/panel/0", "muffin");
}

static void the_same_thing_is_shown_once(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 1);
    cv_json r = expanded(w, "'P0002', 'P0001', 'MUFFIN-P0001', 'p0001', 'P0002', 'X', 'X'");
    assert_int_equal(at(&r, "items")->count, 2);
    assert_at(&r, "items/0/id", "P0002");
    assert_int_equal(at(&r, "items/0/asked")->count, 2);
    assert_int_equal(at(&r, "items/1/asked")->count, 3);
    assert_int_equal(at(&r, "errors")->count, 2);
}

static void what_is_not_there_is_told_one_by_one(void **state)
{
    static const struct {
        const char *id, *code, *says;
    } rows[] = {
        {"P0009", "target_not_found", "the last perspective of round 0 is 'P0004'"},
        {"P0301", "target_not_found", "did you mean 'P0001'?"},
        {"E4242", "target_not_found", "that round has no evidence"},
        {"P0100", "target_not_found", "begin with 01"},
        {"SCONE-P0001", "target_not_found", "@expert"},
        {"@mufin", "unknown_expert", "did you mean '@muffin'?"},
        {"muffin", "invalid_value", "did you mean '@muffin'?"},
        {"round-7", "target_not_found", "the last one is round-0"},
        {"panel-0", "invalid_value", "history"},
        {"final", "invalid_value", "write P0101"},
        {"P1", "invalid_value", "write P0101"},
        {"a b\\n]", "invalid_value", "write P0101"},
    };
    cv_world *w = *state;
    register_rounds(w, 1);
    cv_str ids = CV_STR("'P0001'");
    for (size_t i = 0; i < CV_COUNT(rows); i++)
        ids = cv_arena_printf(&w->a, "%.*s, '%s'", CV_FMT(ids), rows[i].id);
    cv_json r = expanded(w, ids.p);
    assert_int_equal(at(&r, "items")->count, 1);
    assert_int_equal(at(&r, "errors")->count, CV_COUNT(rows));
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        const cv_json *err = &at(&r, "errors")->items[i];
        assert_str_eq(cv_json_get_text(err, "error_code"), rows[i].code);
        assert_str_has(cv_json_get_text(err, "suggestion"), rows[i].says);
    }
}

static void an_empty_dialogue_has_its_people(void **state)
{
    cv_world *w = *state;
    cv_json r = expanded(w, "'@muffin', 'P0001', 'round-0'");
    assert_int_equal(at(&r, "items")->count, 1);
    assert_int_equal(at(&r, "items/0/raised")->count, 0);
    assert_at(&r, "errors/1/suggestion", "no round is registered yet");
    assert_false(cv_world_call(w, "expand", "{'dialogue_id': 'bred', 'ids': ['P0001']}"));
    assert_str_has(w->errs.items[0].suggestion, "'bread'");
    assert_false(cv_world_call(w, "expand", "{'dialogue_id': 'bread', 'ids': []}"));
    assert_false(cv_world_call(w, "expand", "{'dialogue_id': 'bread', 'ids': 'P0001'}"));
    assert_false(cv_world_call(w, "expand", "{'dialogue_id': 'bread'}"));
}

/* A verdict may be called anything that is a short name. */
static void verdicts_are_found_whatever_they_are_called(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 1);
    static const char *const names[] = {"round-0", "V01", "verdict-x", "p0001", "dialogue"};
    for (size_t i = 0; i < CV_COUNT(names); i++)
        cv_world_do(w, "verdict-register",
                    cv_arena_printf(&w->a,
                                    "{'dialogue_id': 'bread', 'verdict_id': '%s', 'verdict_type': 'interim', "
                                    "'recommendation': 'r', 'description': 'd', 'recommendations_adopted': ['R0001']}",
                                    names[i])
                        .p);
    cv_json r = expanded(w, "'verdict-round-0', 'v01', 'verdict-x', 'verdict-verdict-x', 'verdict-p0001', "
                            "'verdict-dialogue', 'round-0', 'p0001', 'R0001'");
    assert_int_equal(at(&r, "errors")->count, 0);
    assert_at(&r, "items/0/verdict_id", "round-0");
    assert_at(&r, "items/1/verdict_id", "V01");
    assert_at(&r, "items/2/verdict_id", "verdict-x");
    assert_int_equal(at(&r, "items/2/asked")->count, 2);
    assert_at(&r, "items/3/verdict_id", "p0001");
    assert_at(&r, "items/4/verdict_id", "dialogue");
    assert_at(&r, "items/4/names/0/id", "R0001");
    assert_at(&r, "items/4/names/0/list", "recommendations_adopted");
    assert_at(&r, "items/5/kind", "round");
    assert_at(&r, "items/6/kind", "perspective");
    assert_int_equal(at(&r, "items/7/verdicts")->count, CV_COUNT(names));
}

/* ---- what it costs ------------------------------------------------------------------------------ */

static void count_rows(void *ctx, const char *call, cv_scope_id id, size_t rows, cv_write_result result)
{
    (void)call, (void)id, (void)result;
    *(size_t *)ctx += rows;
}

static size_t rows_read(cv_world *w, const char *ids)
{
    size_t rows = 0;
    cv_record_tracing tracing = {.trace = count_rows, .ctx = &rows};
    cv_record *real = w->record;
    w->record = cv_record_traced(&w->a, real, &tracing);
    expanded(w, ids);
    w->record = real;
    return rows;
}

static void one_entity_costs_one_entity(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 3);
    size_t few = rows_read(w, "'R0001'"), few_local = rows_read(w, "'CUPCAKE-R0001'");
    for (int round = 3; round < 12; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "us", "")));
    assert_int_equal(rows_read(w, "'R0001'"), few + 2 * 9); /* the rounds themselves, and a move of each */
    assert_int_equal(rows_read(w, "'CUPCAKE-R0001'"), few_local + 2 * 9);
}

/* ---- others write meanwhile --------------------------------------------------------------------- */

typedef struct {
    cv_world *w;
    int moves, written;
    bool read; /* something was read before: then there is something to be overtaken */
} busy;

/* Between two readings somebody writes. */
static void move(void *ctx, bool to_write)
{
    busy *b = ctx;
    (void)to_write;
    bool between = b->read;
    b->read = true;
    if (!between || b->moves == 0)
        return;
    b->moves--;
    cv_world other = *b->w;
    other.a = other.turn = (cv_arena){0};
    other.out = (cv_buf){0};
    cv_world_do(&other, "update",
                cv_arena_printf(&other.a,
                                "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'label': 'Label %d', "
                                "'reason': 'r'}]}",
                                ++b->written)
                    .p);
    b->w->now = other.now;
    cv_buf_release(&other.out);
    cv_arena_release(&other.turn);
    cv_arena_release(&other.a);
}

static void an_answer_is_of_one_moment(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 2);
    busy b = {.w = w};
    cv_interposed x;
    for (int moves = 1; moves < 4; moves++) {
        b.moves = moves;
        b.read = false;
        cv_interpose(&x, w->record, move, &b);
        cv_json r = expanded(w, "'P0001'");
        cv_interpose_end(&x);
        assert_int_equal(b.moves, 0);
        assert_at(&r, "items/0/label", cv_arena_printf(&w->a, "Label %d", b.written).p);
        assert_int_equal(cv_json_get_int(&r, "rev", 0), cv_world_position(w, "bread").rev);
    }
    b.moves = 1000;
    cv_interpose(&x, w->record, move, &b);
    bool ok = cv_world_call(w, "expand", "{'dialogue_id': 'bread', 'ids': ['P0001']}");
    cv_interpose_end(&x);
    assert_false(ok);
    assert_int_equal(w->errs.items[0].code, CV_ERR_REV_CONFLICT);
}

static void a_failing_store_is_told(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 1);
    static const struct {
        const char *verb, *request;
        bool done;
        size_t calls; /* that can fail */
    } requests[] = {
        {"expand", "{'dialogue_id': 'bread', 'ids': ['P0001', 'P0077', '@muffin']}", true, 50},
        {"history", "{'dialogue_id': 'bread', 'id': 'P0077'}", false, 17},
        {"history", "{'dialogue_id': 'bread'}", true, 10},
        {"graph", "{'dialogue_id': 'bread'}", true, 12},
    };
    cv_record *real = w->record;
    for (size_t i = 0; i < CV_COUNT(requests); i++)
        for (size_t n = 1;; n++) {
            cv_record_tracing tracing = {.fail_at = n};
            w->record = cv_record_traced(&w->a, real, &tracing);
            bool ok = cv_world_call(w, requests[i].verb, requests[i].request);
            w->record = real;
            if (tracing.calls < n) {
                assert_int_equal(ok, requests[i].done);
                assert_int_equal(tracing.calls, requests[i].calls);
                break;
            }
            assert_false(ok);
            assert_int_equal(w->errs.items[0].code, CV_ERR_STORE);
        }
}

/* ---- history ------------------------------------------------------------------------------------ */

static void a_history_tells_what_changed(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 2);
    cv_world_do(
        w, "update",
        "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'label': 'New', 'content': 'Now', 'reason': 'so'}]}");
    cv_json r = asked(w, "history", "{'dialogue_id': 'bread', 'id': 'scone-t0001'}");
    assert_at(&r, "subject/id", "T0001");
    assert_at(&r, "subject/label", "New");
    assert_at(&r, "subject/status", "resolved");
    assert_int_equal(at(&r, "events")->count, 3);
    assert_at(&r, "events/0/type", "created");
    assert_at(&r, "events/0/to", "open");
    assert_null(at(&r, "events/0/from"));
    assert_at(&r, "events/1/from", "open");
    assert_at(&r, "events/1/to", "resolved");
    assert_at(&r, "events/1/via", "T0101");
    assert_at(&r, "events/2/old/label", "us: T1 of round 0");
    assert_at(&r, "events/2/old/content", "What scone has to say.");
    assert_at(&r, "events/2/reason", "so");
    assert_null(at(&r, "events/2/to"));
    assert_int_equal(at(&r, "events/2/hash")->text.n, 64);
}

static void pages_are_the_whole(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 3);
    cv_json whole = asked(w, "history", "{'dialogue_id': 'bread', 'limit': 1000}");
    uint32_t total = at(&whole, "events")->count, seen = 0;
    assert_int_equal(total, cv_world_position(w, "bread").event_count);
    assert_null(at(&whole, "next"));
    int64_t after = 0;
    while (after >= 0) {
        cv_json page =
            asked(w, "history",
                  cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'limit': 7, 'after': %lld}", (long long)after).p);
        for (uint32_t i = 0; i < at(&page, "events")->count; i++, seen++) {
            cv_buf one = {0}, other = {0};
            cv_json_value(&(cv_json_writer){.out = &one}, &at(&page, "events")->items[i]);
            cv_json_value(&(cv_json_writer){.out = &other}, &at(&whole, "events")->items[seen]);
            assert_view_eq(cv_buf_str(&one), cv_buf_str(&other));
            cv_buf_release(&one);
            cv_buf_release(&other);
        }
        after = cv_json_get_int(&page, "next", -1);
    }
    assert_int_equal(seen, total);
    cv_json none = asked(w, "history", "{'dialogue_id': 'bread', 'after': 100000}");
    assert_int_equal(at(&none, "events")->count, 0);
}

static void histories_of_other_things(void **state)
{
    cv_world *w = *state;
    register_rounds(w, 1);
    cv_world_do(w, "update",
                "{'dialogue_id': 'bread', 'scores': [{'round': 0, 'expert': 'muffin', 'score': 9, "
                "'reason': 'sum'}]}");
    cv_json r = asked(w, "history", "{'dialogue_id': 'bread', 'id': 'round-0'}");
    assert_int_equal(at(&r, "events")->count, 2);
    assert_at(&r, "events/1/expert", "muffin");
    assert_at(&r, "events/1/old/score", "2");
    r = asked(w, "history", "{'dialogue_id': 'bread', 'id': 'dialogue'}");
    assert_at(&r, "events/0/id", "dialogue");
    assert_at(&r, "subject/status", "open");
    r = asked(w, "history", "{'dialogue_id': 'bread', 'id': 'response-0-muffin'}");
    assert_int_equal(at(&r, "events")->count, 0);
    static const char *const wrong[] = {"P0044", "@nobody",     "round-8", "panel-5", "response-0-nobody",
                                        "(",     "MUFFIN-P0044"};
    for (size_t i = 0; i < CV_COUNT(wrong); i++) {
        assert_false(
            cv_world_call(w, "history", cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'id': '%s'}", wrong[i]).p));
        assert_str_eq(w->errs.items[0].field, "id");
        assert_true(w->errs.items[0].suggestion.n > 0 || i == 1 || i == 4);
    }
}

#define IN_WORLD(name) cmocka_unit_test_setup_teardown(name, open_world, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_have_one_meaning_and_one_spelling),
        IN_WORLD(every_thing_has_its_context),
        IN_WORLD(the_same_thing_is_shown_once),
        IN_WORLD(what_is_not_there_is_told_one_by_one),
        IN_WORLD(an_empty_dialogue_has_its_people),
        IN_WORLD(verdicts_are_found_whatever_they_are_called),
        IN_WORLD(one_entity_costs_one_entity),
        IN_WORLD(an_answer_is_of_one_moment),
        IN_WORLD(a_failing_store_is_told),
        IN_WORLD(a_history_tells_what_changed),
        IN_WORLD(pages_are_the_whole),
        IN_WORLD(histories_of_other_things),
    };
    return cmocka_run_group_tests_name("cite", tests, NULL, NULL);
}
