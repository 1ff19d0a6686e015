/* test_search.c - the search: its snippets, its index against one made from nothing, and a world that is in the way. */
#include "rounds.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "kit/room.h"
#include "kit/snippet.h"
#include "record/postgres/engine.h"
#include "record/sql.h"
#include "record/sqlite/engine.h"
#include "testing_postgres.h"

/* ---- snippets --------------------------------------------------------------------------------- */

/* Words of the query are given with their term: "supply=0 chain=1"; where they stand is looked up. */
static cv_search_marks marks_in(cv_arena *a, cv_str text, const char *words)
{
    cv_search_marks marks = {0};
    for (size_t at = 0; at < text.n; at++) {
        cv_str rest = cv_str_of(words), word;
        while (cv_str_split(&rest, ' ', &word)) {
            size_t equals = cv_str_find_char(word, '=');
            cv_str needle = cv_str_head(word, equals);
            if (needle.n > 0 && needle.n <= at + 1 && cv_str_ends(cv_str_head(text, at + 1), needle))
                *CV_PUSH(a, &marks) = (cv_search_mark){at + 1 - needle.n, at + 1, (size_t)(word.p[equals + 1] - '0')};
        }
    }
    return marks;
}

#define LINE "Nothing of interest stands in this sentence, which is only here to be long. "

static const struct {
    const char *text, *words, *snippet;
} snippets[] = {
    {"", "", ""},
    {"short", "", "short"},
    {"most of the supply comes late", "supply=0", "most of the ⟦supply⟧ comes late"},
    {"supply", "supply=0", "⟦supply⟧"},
    {"  a\n\n\tb\r\nsupply\x01 \x7f c  ", "supply=0", "a b ⟦supply⟧ c"},
    {"signs ⟦ and ⟧ of the text", "signs=0", "⟦signs⟧ [ and ] of the text"},
    {"ab", "ab=0 b=1", "⟦ab⟧"},    /* one inside the other */
    {"abc", "ab=0 bc=1", "⟦abc⟧"}, /* overlapping */
    {"a b a", "a=0 b=1", "⟦a⟧ ⟦b⟧ ⟦a⟧"},
    {"漢字漢", "漢=0", "⟦漢⟧字⟦漢⟧"},
    {LINE LINE LINE LINE "Here is the supply. " LINE LINE LINE LINE, "supply=0",
     "… interest stands in this sentence, which is only here to be long. Here is the ⟦supply⟧. Nothing of interest "
     "stands "
     "in this sentence, which is only here to be long. Nothing of interest stands in this sentence, which is only here "
     "to "
     "be long. …"},
    /* two terms together are better than three times the same one */
    {"supply supply supply " LINE LINE LINE LINE "the chain of supply", "supply=0 chain=1",
     "… of interest stands in this sentence, which is only here to be long. Nothing of interest stands in this "
     "sentence, "
     "which is only here to be long. Nothing of interest stands in this sentence, which is only here to be long. the "
     "⟦chain⟧ of ⟦supply⟧"},
};

static void snippets_show_the_best_place(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(snippets); i++) {
        cv_str text = cv_str_of(snippets[i].text);
        cv_search_marks marks = marks_in(&a, text, snippets[i].words);
        assert_str_eq(cv_snippet(&a, text, &marks), snippets[i].snippet);
    }
    cv_arena_release(&a);
}

/* Any characters, any marks: valid text, of a bounded length, with signs in pairs. */
static void snippets_are_cut_between_characters(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a", " ", "é", "漢", "🧁", "\n", "⟦", "⟧", "longer"};
    cv_test_random r = {11};
    cv_arena a = {0};
    for (int i = 0; i < 2000; i++) {
        cv_buf text = {0};
        cv_search_marks marks = {0};
        size_t count = cv_test_below(&r, 400), end = 0;
        for (size_t k = 0; k < count; k++) {
            size_t start = text.n;
            cv_buf_add_z(&text, pieces[cv_test_below(&r, CV_COUNT(pieces))]);
            if (cv_test_below(&r, 20) == 0 && marks.count < CV_MAX_MARKS)
                *CV_PUSH(&a, &marks) =
                    (cv_search_mark){cv_test_below(&r, 2) ? start : end, text.n, cv_test_below(&r, 64)};
            end = start;
        }
        cv_str snippet = cv_snippet(&a, cv_buf_str(&text), &marks), rest = snippet;
        assert_int_equal(cv_utf8_valid(snippet), snippet.n);
        assert_true(snippet.n <= CV_SNIPPET * 8);
        size_t from;
        while ((from = cv_str_find(rest, CV_STR("⟦"))) != SIZE_MAX) {
            size_t to = cv_str_find(rest, CV_STR("⟧"));
            assert_true(to != SIZE_MAX && to > from);
            rest = cv_str_from(rest, to + strlen("⟧"));
        }
        assert_int_equal(cv_str_find(rest, CV_STR("⟧")), SIZE_MAX);
        cv_buf_release(&text);
        cv_arena_reset(&a);
    }
    cv_arena_release(&a);
}

/* ---- the index -------------------------------------------------------------------------------- */

static sqlite3 *raw_of(cv_world *w)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, &db), SQLITE_OK);
    return db;
}

/* One number of the record. */
static int64_t number_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return number;
}

/* Every text that is indexed and every word of the index: where they stand, by keys instead of numbers. */
static cv_str postings(cv_world *w)
{
    static const char sql[] =
        "WITH texts (id, thing, text) AS (SELECT t.id, s.room || ' ' || s.name || ' ' || t.kind || ' ' || t.thing,"
        " json_array(t.ids, t.more_ids, t.status, t.people, t.title, t.body)"
        " FROM search_texts t JOIN scopes s ON s.number = t.scope)"
        " SELECT coalesce(group_concat(line, x'0a'), '') FROM (SELECT thing || ' ' || text AS line FROM texts UNION ALL"
        " SELECT t.thing || ' ' || v.col || ' ' || v.term || ' ' || v.offset FROM search_words v"
        " JOIN texts t ON t.id = v.doc ORDER BY line)";
    sqlite3 *db = raw_of(w);
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    cv_str text = cv_arena_copy(&w->a, cv_str_of((const char *)sqlite3_column_text(st, 0)));
    sqlite3_finalize(st);
    /* No word and no length without a text, no text without a scope. */
    assert_int_equal(number_of(db, "SELECT count(*) FROM search_words WHERE doc NOT IN (SELECT id FROM search_texts)"),
                     0);
    assert_int_equal(number_of(db, "SELECT count(*) FROM search_index_docsize"),
                     number_of(db, "SELECT count(*) FROM search_texts"));
    assert_int_equal(number_of(db, "SELECT count(*) FROM search_texts WHERE scope NOT IN (SELECT number FROM scopes)"),
                     0);
    sqlite3_close(db);
    return text;
}

static cv_str answer(cv_world *w, const char *query)
{
    cv_str request = cv_arena_printf(&w->a, "{'query': '%s', 'limit': 200}", query);
    return cv_arena_copy(&w->a, cv_world_do(w, "search", request.p));
}

static int64_t count_of(cv_world *w, const char *query)
{
    cv_json reply;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_json_parse(&w->a, answer(w, query), &reply, &err), &err);
    return cv_json_get_int(&reply, "count", -1);
}

static void rebuild(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    assert_ok(w->record->calls->search_rebuild(w->record, &w->a, &err), &err);
}

static const char *const probes[] = {
    "flour OR rye OR 麦粉", "flour", "-rye flour", "oven*", "P0001", "summary", "judge"};

/* On a server that others use, too, the last commits may not be in the feed yet. */
static cv_str answer_of_now(cv_world *w, const char *query)
{
    cv_str text = answer(w, query);
    for (int tries = 0; tries < 100 && cv_str_find(text, CV_STR("index_behind")) != SIZE_MAX; tries++)
        text = answer(w, query);
    return text;
}

static void assert_like_new(cv_world *w)
{
    cv_str before[CV_COUNT(probes)];
    for (size_t i = 0; i < CV_COUNT(probes); i++)
        before[i] = answer(w, probes[i]);
    cv_str words = postings(w);
    rebuild(w);
    assert_view_eq(postings(w), words);
    for (size_t i = 0; i < CV_COUNT(probes); i++)
        assert_view_eq(answer(w, probes[i]), before[i]);
}

static const char *some_words(cv_test_random *r, cv_arena *a)
{
    static const char *const words[] = {"flour",   "rye",  "ovens", "麦粉と水", "Größe",
                                        "summary", "🧁", "a b c", "kneading"};
    cv_buf out = {0};
    for (size_t n = 1 + cv_test_below(r, 5); n > 0; n--)
        cv_buf_printf(&out, "%s ", words[cv_test_below(r, CV_COUNT(words))]);
    return cv_arena_copy_z(a, cv_buf_take(&out, a));
}

static void register_round(cv_world *w, cv_test_random *r, const char *id, int round)
{
    const char *one = some_words(r, &w->a), *two = some_words(r, &w->a);
    cv_str request = cv_arena_printf(
        &w->a,
        "{'dialogue_id': '%s', 'round': %d, 'score': 1, 'summary': '%s', 'responses': {'muffin': '%s'}, "
        "'perspectives': "
        "[{'local_id': 'MUFFIN-P%02d01', 'label': '%s', 'content': '%s', 'contributors': ['muffin']}], 'tensions': "
        "[{'local_id': 'SCONE-T%02d01', 'label': 'T %s', 'content': '%s', 'contributors': ['scone']}]}",
        id, round, one, two, round, two, one, round, one, two);
    cv_world_do(w, "round-register", request.p);
}

/* A correction of a label, of a content, of a status only, or of a round. */
static void correct(cv_world *w, cv_test_random *r, const char *id, int rounds)
{
    int round = (int)cv_test_below(r, (size_t)rounds);
    const char *words = some_words(r, &w->a);
    static const char *const forms[] = {
        "'updates': [{'id': 'P%02d01', 'label': '%s', 'reason': 'better'}]",
        "'updates': [{'id': 'T%02d01', 'content': '%s', 'reason': 'better'}]",
        "'updates': [{'id': 'T%02d01', 'status': 'accepted', 'reason': '%s'}]",
        "'rounds': [{'round': %d, 'summary': '%s', 'reason': 'better'}]",
    };
    const char *form = forms[cv_test_below(r, CV_COUNT(forms))];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    cv_str change = cv_arena_printf(&w->a, form, round, words);
#pragma GCC diagnostic pop
    cv_world_do(w, "update", cv_arena_printf(&w->a, "{'dialogue_id': '%s', %.*s}", id, CV_FMT(change)).p);
}

static void the_index_is_as_if_made_anew(void **state)
{
    (void)state;
    static const char *const ids[] = {"bread", "rolls", "cake"};
    cv_test_random r = {3};
    cv_world w;
    int rounds[CV_COUNT(ids)] = {0};
    cv_world_open(&w);
    for (size_t i = 0; i < CV_COUNT(ids); i++)
        cv_world_dialogue(&w, ids[i], cv_rounds_bakers, false);
    for (int step = 0; step < (cv_test_soak() ? 2000 : 150); step++) {
        size_t i = cv_test_below(&r, CV_COUNT(ids));
        if (rounds[i] == 0 || (rounds[i] < 90 && cv_test_below(&r, 3) == 0))
            register_round(&w, &r, ids[i], rounds[i]++);
        else
            correct(&w, &r, ids[i], rounds[i]);
        if (cv_test_below(&r, 4) == 0)
            answer(&w, "flour");
        if (step % 25 == 24)
            assert_like_new(&w);
    }
    assert_true(count_of(&w, "flour") > 10);
    cv_world_close(&w);
}

/* The same on PostgreSQL: answers, and the check of the index. */
static void the_index_is_as_if_made_anew_on_postgres(void **state)
{
    (void)state;
    cv_test_random r = {6};
    cv_world w;
    cv_err err = {.arena = &w.a};
    int rounds = 0;
    cv_world_open(&w);
    cv_record_close(w.record);
    assert_ok(cv_postgres_open(&w.a, cv_str_of(cv_test_postgres(&w.a)), NULL, CV_RECORD_CREATE, &cv_program_types,
                               &cv_sql_postgres_schema, &w.record, &err),
              &err);
    cv_world_dialogue(&w, "bread", cv_rounds_bakers, false);
    for (int step = 0; step < (cv_test_soak() ? 500 : 40); step++) {
        if (rounds == 0 || (rounds < 90 && cv_test_below(&r, 3) == 0))
            register_round(&w, &r, "bread", rounds++);
        else
            correct(&w, &r, "bread", rounds);
        if (step % 20 != 19)
            continue;
        cv_str before[CV_COUNT(probes)];
        for (size_t i = 0; i < CV_COUNT(probes); i++)
            before[i] = answer_of_now(&w, probes[i]);
        rebuild(&w);
        for (size_t i = 0; i < CV_COUNT(probes); i++)
            assert_view_eq(answer_of_now(&w, probes[i]), before[i]);
        assert_ok(w.record->calls->search_check(w.record, &w.a, &err), &err);
    }
    assert_true(count_of(&w, "flour") > 10);
    assert_int_equal(count_of(&w, "MUFFIN-P0001"), 1);
    cv_world_close(&w);
}

/* Writing leaves the index alone; a search takes all of it in. */
static void searching_indexes_and_writing_does_not(void **state)
{
    (void)state;
    cv_world w;
    cv_test_random r = {4};
    cv_world_open(&w);
    cv_world_dialogue(&w, "bread", cv_rounds_bakers, false);
    register_round(&w, &r, "bread", 0);
    assert_int_equal(postings(&w).n, 0);
    assert_int_equal(count_of(&w, "MUFFIN-P0001"), 1);
    assert_true(postings(&w).n > 0);
    cv_world_close(&w);
}

/* ---- in the way ------------------------------------------------------------------------------- */

static void set_up_bread(cv_world *w)
{
    cv_world_open(w);
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", 0, "alpha", ""));
    assert_int_equal(count_of(w, "alpha"), CV_ROUND_ITEMS + 1);
    cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", 1, "beta", ""));
}

static void assert_lags(cv_world *w)
{
    assert_str_has(answer(w, "alpha"), "\"type\":\"index_behind\"");
    assert_int_equal(count_of(w, "alpha"), CV_ROUND_ITEMS + 1);
    assert_int_equal(count_of(w, "beta"), 0);
}

static void a_busy_store_is_searched_as_it_is(void **state)
{
    (void)state;
    cv_world w;
    set_up_bread(&w);
    ((cv_sqlite_record *)w.record)->s->wait_us = 20000;
    sqlite3 *rival = raw_of(&w);
    assert_int_equal(sqlite3_exec(rival, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_lags(&w);
    sqlite3_close(rival);
    assert_int_equal(((cv_sqlite_record *)w.record)->s->wait_us, 20000); /* other waits are as long as before */
    assert_int_equal(count_of(&w, "beta"), CV_ROUND_ITEMS + 1);
    cv_world_close(&w);
}

static void a_store_that_cannot_be_written_is_searched_as_it_is(void **state)
{
    (void)state;
    cv_world w;
    set_up_bread(&w);
    sqlite3 *db = ((cv_sqlite_record *)w.record)->s->db;
    assert_int_equal(sqlite3_exec(db, "PRAGMA query_only = 1", NULL, NULL, NULL), SQLITE_OK);
    assert_lags(&w);
    cv_err err = {.arena = &w.a};
    assert_fails(w.record->calls->search_rebuild(w.record, &w.a, &err), &err, CV_ERR_STORE);
    assert_int_equal(sqlite3_exec(db, "PRAGMA query_only = 0", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(count_of(&w, "beta"), CV_ROUND_ITEMS + 1);
    cv_world_close(&w);
}

/* Damage of the index does not damage the record: the next search makes it again. */
static void a_damaged_index_is_made_anew(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE search_index_data SET block = x'ff00ff00ff' WHERE id > 10",
        "DELETE FROM search_index_data WHERE id > 10",
        "DELETE FROM search_index_docsize",
    };
    for (size_t i = 0; i < CV_COUNT(damages); i++) {
        cv_world w;
        set_up_bread(&w);
        cv_record_close(w.record); /* what it has read before would hide the damage */
        sqlite3 *db = raw_of(&w);
        assert_int_equal(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        cv_err err = {.arena = &w.a};
        assert_ok(cv_record_open(&w.a, cv_arena_printf(&w.a, "%s/conclave.db", w.folder).p, CV_RECORD_EXISTING,
                                 &cv_program_types, &cv_sql_sqlite_schema, &w.record, &err),
                  &err);
        assert_int_equal(count_of(&w, "alpha"), CV_ROUND_ITEMS + 1);
        assert_int_equal(count_of(&w, "beta"), CV_ROUND_ITEMS + 1);
        assert_like_new(&w);
        cv_rounds_verify(&w, NULL);
        cv_world_close(&w);
    }
}

static void run(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* An index that has seen nothing, or a part, or what is not of this record, is brought up to date by a search of
 * another process; several batches of commits are behind. */
static void an_index_that_lags_is_searched_rightly(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        bool wrong; /* the check of the index says so before it is searched */
    } lags[] = {
        {"", false}, /* some commits are behind */
        {"DELETE FROM readers; DELETE FROM search_texts; INSERT INTO search_index (search_index) VALUES ('delete-all')",
         false},                                                         /* nobody has searched yet */
        {"DELETE FROM readers", false},                                  /* what is indexed comes again */
        {"UPDATE readers SET position = '3-0123456789abcdef'", true},    /* of another record */
        {"UPDATE readers SET position = '9999-0123456789abcdef'", true}, /* … that has more commits */
        {"UPDATE readers SET position = 'x'", true},
    };
    enum { INDEXED = 40, BEHIND = 450 };
    cv_test_random r = {5};
    cv_world w;
    cv_world_open(&w);
    cv_world_dialogue(&w, "bread", cv_rounds_bakers, false);
    for (int i = 0; i < 10; i++)
        register_round(&w, &r, "bread", i);
    for (int i = 0; i < INDEXED; i++)
        correct(&w, &r, "bread", 10);
    assert_true(count_of(&w, "flour") > 0);
    for (int i = 0; i < BEHIND; i++)
        correct(&w, &r, "bread", 10);
    cv_world_leave(&w);
    cv_str before = cv_test_read(&w.a, cv_arena_printf(&w.a, "%s/conclave.db", w.folder).p);
    for (size_t i = 0; i < CV_COUNT(lags); i++) {
        cv_err err = {.arena = &w.a};
        assert_ok(cv_file_write(cv_arena_printf(&w.a, "%s/conclave.db", w.folder).p, before, &err), &err);
        sqlite3 *db = raw_of(&w);
        run(db, lags[i].sql);
        sqlite3_close(db);
        cv_world_return(&w);
        bool sound = w.record->calls->search_check(w.record, &w.a, &err);
        if (sound == lags[i].wrong)
            fail_msg("%s: %.*s", lags[i].sql, CV_FMT(err.message));
        if (!sound) {
            assert_int_equal(err.code, CV_ERR_VERIFY);
            assert_str_has(err.message, "is not one of this record's feed");
        }
        assert_true(cv_str_find(answer(&w, "flour"), CV_STR("index_behind")) == SIZE_MAX);
        assert_ok(w.record->calls->search_check(w.record, &w.a, &err), &err);
        assert_like_new(&w);
        cv_rounds_verify(&w, NULL);
        cv_world_leave(&w);
    }
    cv_world_return(&w);
    cv_world_close(&w);
}

static void note_call(void *ctx, const char *call, cv_scope_id scope, size_t rows, cv_write_result result)
{
    (void)scope, (void)rows, (void)result;
    cv_buf_printf(ctx, "%s%s", ((cv_buf *)ctx)->n ? ", " : "", call);
}

static void failing_calls_are_told(void **state)
{
    (void)state;
    cv_world w;
    set_up_bread(&w);
    cv_record *real = w.record;
    static const struct {
        const char *verb, *request;
        const char *calls; /* that it makes: for the dialogue, its experts and whether it was imported, or for those
                              that are archived; hits, their title, verdicts, corrections */
    } cases[] = {
        {"search", "{'query': 'alpha', 'dialogue_id': 'bread'}",
         "acknowledged, begin, find, find, find, end, search, find, find, find, find, find, find, find, find, find, "
         "find"},
        {"search", "{'query': 'zebra alpha'}",
         "acknowledged, find, search, search, find, find, find, find, find, find, find, find, find, find"},
        {"search", "{'query': 'zebra alpha', 'after': 5}",
         "acknowledged, find, search, search, search, find, find, find, find, find"},
        {"similar", "{'question': 'bread of the scone'}",
         "acknowledged, find, search, find, begin, find, find, find, end"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_buf calls = {0};
        cv_record_tracing all = {.trace = note_call, .ctx = &calls};
        w.record = cv_record_traced(&w.a, real, &all);
        cv_world_do(&w, cases[i].verb, cases[i].request);
        assert_str_eq(cv_buf_str(&calls), cases[i].calls);
        cv_buf_release(&calls);
        for (size_t n = 1; n <= all.calls + 1; n++) {
            cv_record_tracing tracing = {.fail_at = n};
            w.record = cv_record_traced(&w.a, real, &tracing);
            bool done = cv_world_call(&w, cases[i].verb, cases[i].request);
            assert_int_equal(done, n > all.calls);
            if (!done)
                assert_int_equal(w.errs.items[0].code, CV_ERR_STORE);
        }
    }
    w.record = real;
    cv_world_close(&w);
}

/* ---- with others ------------------------------------------------------------------------------ */

enum { SEARCHERS = 2, WRITTEN = 12 };

static _Noreturn void write_rounds(const char *folder)
{
    cv_world w;
    cv_rounds_open(&w, folder);
    for (int i = 0; i < WRITTEN; i++)
        if (!cv_world_call_text(&w, "round-register", cv_rounds_request(&w.a, "bread", i, "writer", "")))
            cv_rounds_die("a round was refused", &w.errs);
    cv_rounds_close(&w);
    _exit(0);
}

/* Until all is there: hits only grow, rounds are there whole or not at all. */
static _Noreturn void search_along(const char *folder)
{
    cv_world w;
    int64_t last = 0, now = 0;
    cv_rounds_open(&w, folder);
    while (now < WRITTEN * CV_ROUND_T) {
        if (!cv_world_call(&w, "search", "{'query': 'writer', 'kinds': ['tension'], 'limit': 200}"))
            cv_rounds_die("a search failed", &w.errs);
        cv_json reply;
        cv_err err = {.arena = &w.turn};
        if (!cv_json_parse(&w.turn, cv_buf_str(&w.out), &reply, &err))
            cv_rounds_die("the answer is no JSON", NULL);
        now = cv_json_get_int(&reply, "count", -1);
        if (now < last || now % CV_ROUND_T != 0)
            cv_rounds_die("a round was found in parts", NULL);
        last = now;
    }
    cv_rounds_close(&w);
    _exit(0);
}

static void searchers_and_writers_do_not_mind(void **state)
{
    (void)state;
    cv_world w;
    cv_world_open(&w);
    cv_world_dialogue(&w, "bread", cv_rounds_bakers, false);
    cv_record_close(w.record);
    w.record = NULL;
    pid_t children[SEARCHERS + 1];
    for (int i = 0; i <= SEARCHERS; i++)
        if ((children[i] = fork()) == 0) {
            if (i < SEARCHERS)
                search_along(w.folder);
            write_rounds(w.folder);
        }
    for (int i = 0; i <= SEARCHERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    cv_err err = {.arena = &w.a};
    assert_ok(cv_record_open(&w.a, cv_arena_printf(&w.a, "%s/conclave.db", w.folder).p, CV_RECORD_EXISTING,
                             &cv_program_types, &cv_sql_sqlite_schema, &w.record, &err),
              &err);
    assert_like_new(&w);
    cv_rounds_verify(&w, NULL);
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snippets_show_the_best_place),
        cmocka_unit_test(snippets_are_cut_between_characters),
        cmocka_unit_test(the_index_is_as_if_made_anew),
        cmocka_unit_test(the_index_is_as_if_made_anew_on_postgres),
        cmocka_unit_test(searching_indexes_and_writing_does_not),
        cmocka_unit_test(a_busy_store_is_searched_as_it_is),
        cmocka_unit_test(a_store_that_cannot_be_written_is_searched_as_it_is),
        cmocka_unit_test(a_damaged_index_is_made_anew),
        cmocka_unit_test(an_index_that_lags_is_searched_rightly),
        cmocka_unit_test(failing_calls_are_told),
        cmocka_unit_test(searchers_and_writers_do_not_mind),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
