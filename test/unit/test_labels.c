/* test_labels.c - what people put on a dialogue to find it again: archived, titles, tags; compared with a plain
 * list. */
#include "world.h"

#include "dialogue/labels.h"
#include "dialogue/words/limits.h"

static const char *const bakers[] = {"muffin", "scone", NULL};

static cv_json ask(cv_world *w, const char *verb, const char *request)
{
    cv_json answer;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, cv_world_do(w, verb, request)), &answer, &err), &err);
    return answer;
}

static const cv_json *member(const cv_json *object, const char *key)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    assert_non_null(value);
    return value;
}

/* "a b c ": the ids of a list, read page by page. */
static cv_str ids(cv_world *w, const char *filter, int limit)
{
    cv_buf out = {0};
    cv_str after = CV_STR("");
    do {
        cv_str from = after.n ? cv_arena_printf(&w->a, ", 'after': '%.*s'", CV_FMT(after)) : CV_STR("");
        cv_json page = ask(w, "list", cv_arena_printf(&w->a, "{'limit': %d%s%.*s}", limit, filter, CV_FMT(from)).p);
        const cv_json *rows = member(&page, "dialogues");
        assert_true(rows->count <= (uint32_t)limit);
        for (uint32_t i = 0; i < rows->count; i++)
            cv_buf_printf(&out, "%.*s ", CV_FMT(member(&rows->items[i], "dialogue_id")->text));
        after = cv_json_get_text(&page, "next");
        assert_true(after.n == 0 || rows->count == (uint32_t)limit);
    } while (after.n > 0);
    return cv_buf_take(&out, &w->a);
}

/* ---- against a plain list ---------------------------------------------------------------------------------------- */

enum { COUNT = 12, TAGS = 3 };
static const char *const tags[TAGS] = {"rye", "oats", "été"};

typedef struct {
    char id[8];
    bool archived, abandoned;
    bool tagged[TAGS];
} plain;

static cv_str expected(cv_world *w, const plain *all, int archived, int tag, bool open)
{
    cv_buf out = {0};
    for (size_t i = 0; i < COUNT; i++)
        if ((archived < 0 || all[i].archived == archived) && (tag < 0 || all[i].tagged[tag]) &&
            (!open || !all[i].abandoned))
            cv_buf_printf(&out, "%s ", all[i].id);
    return cv_buf_take(&out, &w->a);
}

static void assert_lists(cv_world *w, const plain *all, cv_test_random *r)
{
    static const char *const shelves[] = {", 'all': true", "", ", 'archived': true"};
    for (int archived = -1; archived <= 1; archived++) {
        int tag = (int)cv_test_below(r, TAGS + 1) - 1, limit = 1 + (int)cv_test_below(r, COUNT + 2);
        bool open = cv_test_below(r, 2);
        cv_str of_tag = tag < 0 ? CV_STR("") : cv_arena_printf(&w->a, ", 'tag': ['%s']", tags[tag]);
        const char *filter =
            cv_arena_printf(&w->a, "%s%.*s%s", shelves[archived + 1], CV_FMT(of_tag), open ? ", 'status': 'open'" : "")
                .p;
        cv_str found = ids(w, filter, limit), wanted = expected(w, all, archived, tag, open);
        if (!cv_str_eq(found, wanted))
            print_error("limit %d%s: %.*s, not %.*s\n", limit, filter, CV_FMT(found), CV_FMT(wanted));
        assert_true(cv_str_eq(found, wanted));
    }
}

static void change_one(cv_world *w, plain *p, cv_test_random *r)
{
    size_t tag = cv_test_below(r, TAGS);
    static const char *const verbs[] = {"archive", "unarchive", "tag", "tag", "abandon"};
    size_t what = cv_test_below(r, CV_COUNT(verbs));
    bool add = what == 2;
    cv_str more = what == 2 || what == 3 ? cv_arena_printf(&w->a, ", '%s': ['#%s']", add ? "add" : "remove", tags[tag])
                  : what == 4            ? CV_STR(", 'reason': 'r'")
                                         : CV_STR("");
    const char *request = cv_arena_printf(&w->a, "{'dialogue_id': '%s'%.*s}", p->id, CV_FMT(more)).p;
    if (what == 4 && (p->abandoned || cv_test_below(r, 3)))
        return;
    cv_world_do(w, verbs[what], request);
    if (what < 2)
        p->archived = what == 0;
    else if (what < 4)
        p->tagged[tag] = add;
    else
        p->abandoned = true;
}

static void lists_agree_with_a_plain_one(void **state)
{
    cv_world *w = *state;
    cv_test_random r = {cv_test_seed()};
    plain all[COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(all[i].id, sizeof all[i].id, "d%02zu", i);
        cv_world_dialogue(w, all[i].id, bakers, false);
    }
    for (int i = 0; i < (cv_test_soak() ? 2000 : 60); i++) {
        change_one(w, &all[cv_test_below(&r, COUNT)], &r);
        assert_lists(w, all, &r);
    }
}

/* ---- one by one -------------------------------------------------------------------------------------------------- */

static int64_t rev_of(const cv_json *answer)
{
    int64_t rev;
    assert_true(cv_json_to_int(member(answer, "rev"), &rev));
    return rev;
}

static void what_stands_is_not_written_again(void **state)
{
    static const char *const twice[][2] = {
        {"archive", "{'dialogue_id': 'bread', 'reason': 'old'}"},
        {"unarchive", "{'dialogue_id': 'bread'}"},
        {"rename", "{'dialogue_id': 'bread', 'title': ' Rye  '}"},
        {"tag", "{'dialogue_id': 'bread', 'add': ['A', '#a', 'b']}"},
        {"tag", "{'dialogue_id': 'bread', 'remove': ['b', 'never']}"},
    };
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", bakers, false);
    for (size_t i = 0; i < CV_COUNT(twice); i++) {
        cv_json first = ask(w, twice[i][0], twice[i][1]);
        assert_null(cv_json_get(&first, CV_STR("replayed")));
        cv_json again = ask(w, twice[i][0], twice[i][1]);
        assert_int_equal(rev_of(&again), rev_of(&first));
        assert_true(cv_json_get_true(&again, "replayed"));
    }
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(s.dialogue.title, "Rye");
    assert_str_eq(s.dialogue.tags, "[\"a\"]");
    assert_str_eq(s.id, "bread");
}

static void the_history_keeps_the_old_values(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", bakers, false);
    cv_world_do(w, "rename", "{'dialogue_id': 'bread', 'title': 'Rye'}");
    cv_world_do(w, "tag", "{'dialogue_id': 'bread', 'add': ['a']}");
    cv_world_do(w, "tag", "{'dialogue_id': 'bread', 'remove': ['a']}");
    cv_world_do(w, "archive", "{'dialogue_id': 'bread', 'reason': 'decided last year'}");
    w->for_people = true;
    cv_json history = ask(w, "history", "{'dialogue_id': 'bread', 'id': 'dialogue'}");
    cv_str text = member(&history, "text")->text;
    assert_str_has(text, "old title: bread");
    assert_str_has(text, "old tags: [\"a\"]");
    assert_str_has(text, "decided last year");
}

/* A decided dialogue and one that was given up get labels, too: they are what people put away. */
static void labels_change_when_it_is_over(void **state)
{
    static const char *const ends[][2] = {
        {"verdict-register", "{'dialogue_id': 'bread', 'verdict_id': 'v', 'verdict_type': 'final', 'recommendation': "
                             "'r', 'description': 'd', 'force': true, 'warning': 'w'}"},
        {"abandon", "{'dialogue_id': 'cake', 'reason': 'r'}"},
    };
    static const char *const names[] = {"bread", "cake"};
    cv_world *w = *state;
    for (size_t i = 0; i < CV_COUNT(ends); i++) {
        cv_world_dialogue(w, names[i], bakers, false);
        cv_world_do(w, ends[i][0], ends[i][1]);
        cv_world_do(w, "rename", cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'title': 'T'}", names[i]).p);
        cv_world_do(w, "tag", cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'add': ['t']}", names[i]).p);
        cv_world_do(w, "archive", cv_arena_printf(&w->a, "{'dialogue_id': '%s'}", names[i]).p);
    }
    assert_str_eq(ids(w, "", 10), "");
    assert_str_eq(ids(w, ", 'archived': true", 10), "bread cake ");
}

static void every_fault_is_told(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", bakers, false);
    assert_false(cv_world_call(w, "tag",
                               "{'dialogue_id': 'bread', 'add': ['a b', ' ', 'x,y', 'fine', 'q'],"
                               "'remove': ['Q', 'tab\\there']}"));
    assert_int_equal(w->errs.count, 5);
    assert_str_eq(w->errs.items[0].field, "add[0]");
    assert_str_eq(w->errs.items[4].message, "'q' is both added and removed");
    assert_false(cv_world_call(w, "tag", "{'dialogue_id': 'bread'}"));
    assert_str_eq(w->errs.items[0].message, "no tag is given");
    assert_false(cv_world_call(w, "rename", "{'dialogue_id': 'bread', 'title': 'two\\nlines'}"));
    assert_false(cv_world_call(w, "rename", "{'dialogue_id': 'bread', 'title': '  '}"));
    assert_false(cv_world_call(w, "archive", "{'dialogue_id': 'brea'}"));
    assert_true(w->errs.items[0].suggestion.n > 0);
    cv_state s = cv_world_state(w, "bread");
    assert_int_equal(s.position.rev, 1);
}

static void there_is_an_end_of_tags(void **state)
{
    cv_world *w = *state;
    cv_buf b = {0};
    cv_world_dialogue(w, "bread", bakers, false);
    cv_buf_add_z(&b, "{'dialogue_id': 'bread', 'add': ['x0'");
    for (int i = 1; i < CV_MAX_TAGS; i++)
        cv_buf_printf(&b, ", 'x%d'", i);
    cv_buf_add_z(&b, "]}");
    cv_world_do(w, "tag", cv_arena_copy_z(&w->a, cv_buf_str(&b)));
    cv_buf_release(&b);
    assert_false(cv_world_call(w, "tag", "{'dialogue_id': 'bread', 'add': ['more']}"));
    assert_str_has(w->errs.items[0].message, "at most 30");
    cv_world_do(w, "tag", "{'dialogue_id': 'bread', 'add': ['more'], 'remove': ['x0']}");
}

/* Search and similar leave archived ones out, unless they are asked; who names one is heard. */
static void searches_leave_out_what_is_archived(void **state)
{
    static const struct {
        const char *verb, *request;
        uint32_t before, after;
    } asked[] = {
        {"search", "{'query': 'sourdough'}", 2, 1},
        {"search", "{'query': 'sourdough', 'archived': true}", 2, 2},
        {"search", "{'query': 'sourdough', 'dialogue_id': 'loaf'}", 1, 1},
        {"similar", "{'question': 'sourdough rising'}", 2, 1},
        {"similar", "{'question': 'sourdough rising', 'archived': true}", 2, 2},
        {"similar", "{'question': 'sourdough rising', 'exclude': ['crust']}", 1, 0},
    };
    cv_world *w = *state;
    cv_world_do(w, "create", "{'title': 'Loaf', 'question': 'How long is the sourdough rising?'}");
    cv_world_do(w, "create", "{'title': 'Crust', 'question': 'Is the sourdough rising in the oven?'}");
    for (int archived = 0; archived < 2; archived++) {
        for (size_t i = 0; i < CV_COUNT(asked); i++) {
            cv_json answer = ask(w, asked[i].verb, asked[i].request);
            const char *list = strcmp(asked[i].verb, "search") == 0 ? "results" : "dialogues";
            assert_int_equal(member(&answer, list)->count, archived ? asked[i].after : asked[i].before);
        }
        cv_world_do(w, "archive", "{'dialogue_id': 'loaf'}");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_agree_with_a_plain_one),
        TEST(what_stands_is_not_written_again),
        TEST(the_history_keeps_the_old_values),
        TEST(labels_change_when_it_is_over),
        TEST(every_fault_is_told),
        TEST(there_is_an_end_of_tags),
        TEST(searches_leave_out_what_is_archived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
