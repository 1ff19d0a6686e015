/* fuzz_query.c - any bytes: terms within the ceiling that survive being printed, an expression that FTS5 accepts and
 * that is met by the same texts as the program's own reading of it, and marks inside of the text. The bytes are the
 * query, and a text that is searched for it. */
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/words/id.h"
#include "kit/query.h"
#include "kit/snippet.h"
#include "record/postgres/words.h"
#include "record/sqlite/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* A tiny index, as sql/sqlite/001_record.sql makes it. */
typedef struct {
    sqlite3 *db;
    sqlite3_stmt *ask;
    cv_sqlite_tokenizer tokenizer;
} index_;

static const index_ *open_index(void)
{
    static index_ x;
    if (x.db)
        return &x;
    fts5_api *api = NULL;
    sqlite3_stmt *st;
    need(sqlite3_open(":memory:", &x.db) == SQLITE_OK && cv_sqlite_words_define(x.db));
    need(sqlite3_exec(x.db,
                      "CREATE VIRTUAL TABLE search_index USING fts5 (ids, title, body, content = '',"
                      " tokenize = 'porter unicode61 remove_diacritics 2');"
                      "INSERT INTO search_index (rowid, ids, title, body) VALUES (1, 'P0001 muffinp0001', 'a title',"
                      " 'one or two and three not near x')",
                      NULL, NULL, NULL) == SQLITE_OK);
    need(sqlite3_prepare_v2(x.db, "SELECT rowid, bm25(search_index) FROM search_index WHERE search_index MATCH ?1", -1,
                            &x.ask, NULL) == SQLITE_OK);
    need(sqlite3_prepare_v2(x.db, "SELECT fts5(?1)", -1, &st, NULL) == SQLITE_OK);
    sqlite3_bind_pointer(st, 1, &api, "fts5_api_ptr", NULL);
    sqlite3_step(st);
    sqlite3_finalize(st);
    need(cv_sqlite_tokenizer_open(api, &x.tokenizer));
    return &x;
}

static void check_terms(cv_arena *a, const cv_query *q)
{
    size_t wanted = 0;
    need(q->words <= CV_MAX_QUERY_WORDS && q->count <= q->words);
    for (size_t i = 0; i < q->count; i++) {
        need(q->items[i].text.n > 0 && cv_str_find_char(q->items[i].text, '"') == SIZE_MAX);
        need(!(q->items[i].either && (q->items[i].exclude || wanted == 0)));
        wanted += !q->items[i].exclude;
    }
    need(wanted == q->wanted);
    cv_query again;
    cv_str printed = cv_query_print(a, q);
    cv_query_parse(a, printed, cv_id_local_of, &again);
    need(again.count == q->count && again.wanted == q->wanted && cv_str_eq(cv_query_print(a, &again), printed));
}

/* Prepared and stepped: no input is a syntax error. */
static void check_expression(cv_arena *a, const index_ *x, const cv_search_words *query)
{
    cv_str expression = cv_sqlite_expression(a, query);
    size_t wanted = 0;
    for (size_t i = 0; i < query->count; i++)
        wanted += !query->terms[i].exclude;
    need((wanted > 0) == (expression.n > 0));
    if (expression.n == 0)
        return;
    sqlite3_bind_text64(x->ask, 1, expression.p, expression.n, SQLITE_STATIC, SQLITE_UTF8);
    int rc = sqlite3_step(x->ask);
    need(rc == SQLITE_ROW || rc == SQLITE_DONE);
    sqlite3_reset(x->ask);
    const cv_search_entry entry = {.ids = CV_STR("P0001"),
                                   .more_ids = CV_STR("muffinp0001"),
                                   .title = CV_STR("a title"),
                                   .body = CV_STR("one or two and three not near x")};
    cv_sqlite_tokenizer tokenizer = x->tokenizer;
    cv_postgres_question question;
    bool met =
        cv_postgres_question_of(&tokenizer, a, query, &question) && cv_postgres_meets(&tokenizer, &question, &entry);
    need(met == (rc == SQLITE_ROW));
}

static void check_marks(cv_arena *a, const index_ *x, const cv_search_words *query, cv_str text)
{
    cv_sqlite_tokenizer tokenizer = x->tokenizer;
    cv_sqlite_patterns patterns;
    cv_search_marks marks;
    cv_sqlite_patterns_of(&tokenizer, a, query, &patterns);
    cv_sqlite_marks(&tokenizer, a, &patterns, text, &marks);
    need(marks.count <= CV_MAX_MARKS);
    for (size_t i = 0; i < marks.count; i++) {
        need(marks.items[i].start < marks.items[i].end && marks.items[i].end <= text.n);
        need(marks.items[i].term < query->count && !query->terms[marks.items[i].term].exclude);
        need(i == 0 || marks.items[i].end >= marks.items[i - 1].end);
    }
    cv_str snippet = cv_snippet(a, text, &marks);
    if (cv_utf8_valid(text) == text.n)
        need(cv_utf8_valid(snippet) == snippet.n);
}

static void check(cv_arena *a, const cv_query *q, cv_str text)
{
    const index_ *x = open_index();
    for (int any = 0; any < 2; any++) {
        cv_search_words query = {.terms = q->items, .count = q->count, .any = any};
        check_expression(a, x, &query);
        check_marks(a, x, &query, text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_str text = {(const char *)data, size};
    cv_query q;
    cv_query_parse(&a, text, cv_id_local_of, &q);
    check_terms(&a, &q);
    check(&a, &q, text);
    cv_query_of_question(&a, text, &q);
    need(q.words <= CV_MAX_QUERY_WORDS && q.wanted == q.count);
    check(&a, &q, text);
    cv_arena_release(&a);
    return 0;
}
