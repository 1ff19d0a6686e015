/* test_search_engines.c - the same words are found on every engine.
 *
 * What is written goes to SQLite in memory and to PostgreSQL. Generated queries (words, phrases, beginnings, ids,
 * alternatives, exclusions, filters) must have the same hits on both, whatever the server's limits for words are. Then
 * what is PostgreSQL's own: a user that cannot index sees less, redactions, damage.
 */
#include "board.h"
#include "testing_postgres.h"

#include <sys/wait.h>
#include <time.h>

#include "record/search_index.h"

enum { ENGINES = 2 };

typedef struct {
    cv_arena arena, turn;
    cv_err err;
    const char *address;
    cv_record *records[ENGINES]; /* SQLite, PostgreSQL */
    cv_test_random random;
    size_t writes;
} fixture;

static int set_up_way(void **state, const char *way)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}, .random = {7}};
    f.address = cv_arena_printf(&f.arena, "%s%s", cv_test_postgres(&f.arena), way).p;
    f.records[0] = board_memory(&f.arena, &f.err);
    f.records[1] = board_postgres(&f.arena, f.address, NULL, &f.err);
    *state = &f;
    return 0;
}

static int set_up(void **state)
{
    return set_up_way(state, "");
}

static int set_up_slow(void **state)
{
    return set_up_way(state, "&partitions=3&pipeline=off");
}

static int tear_down(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < ENGINES; i++)
        cv_record_close(f->records[i]);
    cv_arena_release(&f->turn);
    cv_arena_release(&f->arena);
    return 0;
}

static size_t below(fixture *f, size_t limit)
{
    return cv_test_below(&f->random, limit);
}

/* ---- writing and asking --------------------------------------------------------------------------------------------
 */

static void put_in(fixture *f, cv_record *record, cv_scope_id scope, const cv_type *type, const void *row)
{
    cv_writing w;
    cv_written done;
    const cv_request request = {cv_arena_printf(&f->turn, "op-%zu", f->writes), CV_STR("d"), CV_STR("board put")};
    assert_ok(cv_writing_begin(&w, record, &f->turn, scope, CV_STR(""), NOW, &f->err), &f->err);
    cv_writing_put(&w, type, row);
    cv_writing_event(&w, CV_STR("x"), CV_STR("x"), CV_STR("put"));
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
}

static void put(fixture *f, cv_scope_id scope, const cv_type *type, const void *row)
{
    f->writes++;
    for (size_t i = 0; i < ENGINES; i++)
        put_in(f, f->records[i], scope, type, row);
}

/* SQL of the test's own on the server. */
static void run(fixture *f, const char *sql)
{
    cv_postgres_record *r = (cv_postgres_record *)f->records[1];
    cv_arena a = {0};
    cv_postgres_batch batch = {.arena = &a};
    const cv_postgres_word schema = {"$schema", cv_str_of(r->c->address.schema)};
    cv_postgres_add(&batch, "run", cv_postgres_fill(&a, sql, &schema, 1));
    cv_postgres_result (*how)(cv_postgres *, cv_postgres_batch *, cv_err *) =
        cv_postgres_in_transaction(r->c) ? cv_postgres_run : cv_postgres_run_again;
    assert_ok(how(r->c, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
    cv_arena_release(&a);
}

static bool see_count(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(int64_t *)ctx = cv_postgres_column_int(row, 0);
    return true;
}

static int64_t count_of(fixture *f, const char *sql)
{
    cv_postgres_record *r = (cv_postgres_record *)f->records[1];
    cv_arena a = {0};
    int64_t count = -1;
    cv_postgres_batch batch = {.arena = &a};
    const cv_postgres_word schema = {"$schema", cv_str_of(r->c->address.schema)};
    cv_postgres_rows(cv_postgres_add(&batch, "count", cv_postgres_fill(&a, sql, &schema, 1)), see_count, &count);
    assert_ok(cv_postgres_run_again(r->c, &batch, &f->err) == CV_POSTGRES_OK, &f->err);
    cv_arena_release(&a);
    return count;
}

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
    double last;
    bool marks;
} hits;

static bool note_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    hits *h = ctx;
    cv_buf out = {0};
    (void)err;
    assert_true(hit->score > 0 && (h->count == 0 || hit->score <= h->last));
    h->last = hit->score;
    cv_buf_printf(&out, "%.*s/%.*s/%.*s/%.*s", CV_FMT(hit->scope.room), CV_FMT(hit->scope.name), CV_FMT(hit->kind),
                  CV_FMT(hit->id));
    for (size_t i = 0; h->marks && i < hit->in_body.count; i++)
        cv_buf_printf(&out, "@%.*s", (int)(hit->in_body.items[i].end - hit->in_body.items[i].start),
                      hit->body.p + hit->in_body.items[i].start);
    *CV_PUSH(h->arena, h) = cv_buf_take(&out, h->arena);
    return true;
}

/* On a server that others use, too, a commit is in the feed when those who began before it have ended. */
static hits search(fixture *f, cv_record *record, const cv_word_query *query)
{
    hits h = {0};
    size_t behind = 1;
    for (int tries = 0; behind > 0 && tries < 100; tries++) {
        h = (hits){.arena = &f->turn, .marks = true};
        assert_ok(record->calls->search(record, &f->turn, query, note_hit, &h, &behind, &f->err), &f->err);
    }
    assert_int_equal(behind, 0);
    return h;
}

static cv_str joined(fixture *f, const hits *h)
{
    cv_buf out = {0};
    for (size_t i = 0; i < h->count; i++)
        cv_buf_printf(&out, "%s%.*s", i ? " " : "", CV_FMT(h->items[i]));
    return cv_buf_take(&out, &f->turn);
}

static int by_text(const void *x, const void *y)
{
    return cv_str_order(*(const cv_str *)x, *(const cv_str *)y);
}

static cv_str sorted(fixture *f, hits h)
{
    if (h.count)
        qsort(h.items, h.count, sizeof *h.items, by_text);
    return joined(f, &h);
}

/* Terms as people type them: -word excludes, word* is a beginning, #id an id, |word an alternative, _ parts a phrase.
 */
static void terms_of(fixture *f, const char *words, cv_word_query *q)
{
    cv_search_term *terms = CV_NEW_ARRAY(&f->turn, 64, cv_search_term);
    cv_str rest = cv_str_of(words), word;
    q->count = 0;
    while (cv_str_split(&rest, ' ', &word)) {
        cv_search_term *t = &terms[q->count++];
        *t = (cv_search_term){.exclude = word.p[0] == '-', .either = word.p[0] == '|'};
        bool id = word.p[0] == '#';
        t->prefix = word.n > 1 && word.p[word.n - 1] == '*';
        size_t from = t->exclude || t->either || id;
        char *text = cv_arena_dup(&f->turn, word.p, word.n);
        for (size_t i = 0; i < word.n; i++)
            text[i] = text[i] == '_' ? ' ' : text[i];
        t->text = (cv_str){text + from, word.n - from - t->prefix};
        if (id)
            t->id = t->text;
    }
    q->terms = terms;
    q->limit = q->limit ? q->limit : 1000;
}

static cv_str asked_in(fixture *f, cv_record *record, const char *words, cv_word_query query)
{
    terms_of(f, words, &query);
    hits h = search(f, record, &query);
    return joined(f, &h);
}

static void assert_asked(fixture *f, const char *words, cv_word_query query, const char *expected)
{
    for (size_t i = 0; i < ENGINES; i++)
        assert_str_eq(asked_in(f, f->records[i], words, query), expected);
}

static size_t hit_count, query_count;

/* The same hits on both; and page by page all of them, in the same order as at once. */
static void assert_same(fixture *f, const char *words, cv_word_query query)
{
    terms_of(f, words, &query);
    hits here = search(f, f->records[0], &query), there = search(f, f->records[1], &query);
    cv_str all = joined(f, &there), expected = sorted(f, here), found = sorted(f, there);
    if (!cv_str_eq(expected, found)) {
        print_error("query: %s\nSQLite:     %.*s\nPostgreSQL: %.*s\n", words, CV_FMT(expected), CV_FMT(found));
        fail();
    }
    hit_count += here.count;
    query_count++;
    if (here.count < 2 || below(f, 3))
        return;
    hits pages = {.arena = &f->turn};
    query.limit = 1 + below(f, here.count);
    for (query.offset = 0; query.offset < here.count; query.offset += query.limit) {
        hits page = search(f, f->records[1], &query);
        for (size_t i = 0; i < page.count; i++)
            *CV_PUSH(&f->turn, &pages) = page.items[i];
    }
    assert_view_eq(joined(f, &pages), all);
}

static void check_index(fixture *f)
{
    assert_ok(f->records[1]->calls->search_check(f->records[1], &f->turn, &f->err), &f->err);
}

/* ---- examples ------------------------------------------------------------------------------------------------------
 */

static void put_some(fixture *f)
{
    put(f, BOARD("x"), &card_type,
        &(card){.number = 1,
                .title = CV_STR("Hedging the income"),
                .status = CV_STR("open"),
                .owner = CV_STR("ann"),
                .rank = CV_ABSENT,
                .body = CV_STR("A collar hedges it")});
    put(f, BOARD("x"), &card_type,
        &(card){.number = 2,
                .title = CV_STR("Rates"),
                .status = CV_STR("done"),
                .owner = CV_STR("bob"),
                .rank = CV_ABSENT,
                .body = CV_STR("hedge funds know 漢字")});
    put(f, BOARD("y"), &line_type,
        &(line){.thread = CV_STR("talk"), .seq = 1, .author = CV_STR("ann"), .text = CV_STR("hedges, said ann")});
    put(f, BOARD("x"), &line_type, /* another name of card 2 */
        &(line){.thread = CV_STR("K002"), .seq = 7, .author = CV_STR("ann"), .text = CV_STR("x")});
    put(f, (cv_scope_id){CV_STR("desk"), CV_STR("x")}, &paper_type,
        &(paper){.name = CV_STR("p"), .title = CV_STR("A paper"), .text = CV_STR("no hedging here")});
}

static void search_finds_things_of_all_rooms(void **state)
{
    fixture *f = *state;
    const cv_word_query all = {0};
    put_some(f);
    assert_asked(f, "hedge collar", all, "board/x/card/K001@collar@hedges");
    assert_asked(f, "hedge -collar -ann -paper", all, "board/x/card/K002@hedge");
    assert_asked(f, "inco*", all, "board/x/card/K001");
    assert_asked(f, "operating* income", all, "");
    assert_asked(f, "hedges_it", all, "board/x/card/K001@hedges it");
    assert_asked(f, "it_hedges", all, "");
    assert_asked(f, "rates_hedge", all, ""); /* no phrase goes from the title to the text */
    assert_asked(f, "hedge -hedge_funds -said |nothing", all, "board/x/card/K001@hedges desk/x/paper/p@hedging");
    assert_asked(f, "字", all, "board/x/card/K002@字");
    assert_asked(f, "漢字", all, "board/x/card/K002@漢字");
    assert_asked(f, "K001", all, "board/x/card/K001");
    assert_asked(f, "#ALIAS-7", all, "board/x/card/K002");
    assert_asked(f, "nothing", all, "");
    assert_asked(f, "-hedge", all, "");
    assert_asked(f, "... hedge", all, "");
    assert_asked(f, "it's'\\", all, "");
    assert_asked(f, "hedge", (cv_word_query){.room = CV_STR("desk")}, "desk/x/paper/p@hedging");
    assert_asked(f, "hedge", (cv_word_query){.room = CV_STR("board"), .scope = CV_STR("y")},
                 "board/y/line/talk-1@hedges");
    assert_asked(f, "hedge", (cv_word_query){.without = CV_STR("[\"board/x\"]")},
                 "board/y/line/talk-1@hedges desk/x/paper/p@hedging");
    assert_asked(f, "hedge", (cv_word_query){.kinds = CV_STR("[\"line\",\"paper\"]"), .limit = 1},
                 "board/y/line/talk-1@hedges");
    assert_asked(f, "hedge", (cv_word_query){.statuses = CV_STR("[\"done\"]")}, "board/x/card/K002@hedge");
    assert_asked(f, "hedge", (cv_word_query){.person = CV_STR("bob")}, "board/x/card/K002@hedge");
    assert_asked(f, "collar rates", (cv_word_query){.any = true}, "board/x/card/K002 board/x/card/K001@collar");
    for (size_t i = 0; i < ENGINES; i++) /* the title weighs more */
        assert_str_eq(cv_str_head(asked_in(f, f->records[i], "hedge", all), 17), "board/x/card/K001");
    check_index(f);
}

static void search_follows_changes(void **state)
{
    fixture *f = *state;
    const cv_word_query all = {0};
    put_some(f);
    assert_asked(f, "collar", all, "board/x/card/K001@collar");
    card changed = {.number = 1,
                    .title = CV_STR("Hedging"),
                    .status = CV_STR("open"),
                    .rank = CV_ABSENT,
                    .body = CV_STR("A fence")};
    put(f, BOARD("x"), &card_type, &changed);
    assert_asked(f, "collar", all, "");
    assert_asked(f, "fence", all, "board/x/card/K001@fence");
    changed.status = CV_STR("closed"); /* no word has changed */
    put(f, BOARD("x"), &card_type, &changed);
    assert_asked(f, "fence", (cv_word_query){.statuses = CV_STR("[\"open\"]")}, "");
    assert_asked(f, "fence", (cv_word_query){.statuses = CV_STR("[\"closed\"]")}, "board/x/card/K001@fence");
    const cv_str statuses[] = {{NULL, 0}, CV_STR_INIT(""), {NULL, 0}}; /* none is not an empty one */
    for (size_t i = 0; i < CV_COUNT(statuses); i++) {
        changed.status = statuses[i];
        put(f, BOARD("x"), &card_type, &changed);
        assert_asked(f, "fence", (cv_word_query){.statuses = CV_STR("[\"\"]")},
                     statuses[i].p ? "board/x/card/K001@fence" : "");
        for (size_t k = 0; k < ENGINES; k++)
            assert_ok(f->records[k]->calls->search_check(f->records[k], &f->turn, &f->err), &f->err);
    }
    card second = {.number = 2, .title = CV_STR("Other"), .rank = CV_ABSENT}; /* its other name stays */
    put(f, BOARD("x"), &card_type, &second);
    assert_asked(f, "#alias-7", all, "board/x/card/K002");
    assert_asked(f, "rates", all, "");
}

/* An id weighs more than any number of words, a title as much as four words of a text. */
static void hits_are_in_order(void **state)
{
    fixture *f = *state;
    const char *many = "K001 apple K001 apple K001 apple K001 apple K001 apple K001 apple K001 apple K001 apple";
    put(f, BOARD("x"), &card_type, &(card){.number = 1, .title = CV_STR("apple"), .rank = CV_ABSENT});
    put(f, BOARD("x"), &card_type,
        &(card){.number = 2, .title = cv_str_of(many), .body = cv_str_of(many), .rank = CV_ABSENT});
    put(f, BOARD("x"), &card_type,
        &(card){.number = 3, .title = CV_STR("pear"), .rank = CV_ABSENT, .body = CV_STR("x")});
    put(f, BOARD("x"), &card_type,
        &(card){.number = 4, .title = CV_STR("x"), .rank = CV_ABSENT, .body = CV_STR("pear")});
    put(f, BOARD("y"), &card_type,
        &(card){.number = 3, .title = CV_STR("pear"), .rank = CV_ABSENT, .body = CV_STR("x")});
    for (size_t i = 0; i < ENGINES; i++) {
        const cv_word_query any = {.any = true};
        assert_str_eq(cv_str_head(asked_in(f, f->records[i], "k001 apple", any), 17), "board/x/card/K001");
        assert_str_eq(asked_in(f, f->records[i], "pear", any),
                      "board/x/card/K003 board/y/card/K003 board/x/card/K004@pear");
    }
}

/* ---- generated texts and queries -----------------------------------------------------------------------------------
 */

static const char *const vocabulary[] = {"flour", "ryes",   "oven",   "ovens",     "kneading",  "Größe", "grosse",
                                         "麦粉",  "麦",     "と水",   "K001",      "K-012",     "alias", "12.50",
                                         "naïve", "l'état", "МОСКВА", "operating", "operation", "don't", "ไทย",
                                         "x",     "🧁",   "_",      "a\\b",      "it''s",     "the",   "\"q\""};

static cv_str some_text(fixture *f, size_t most)
{
    cv_buf out = {0};
    for (size_t n = below(f, most + 1); n > 0; n--)
        cv_buf_printf(&out, "%s%s", vocabulary[below(f, CV_COUNT(vocabulary))], below(f, 6) ? " " : "");
    return cv_search_copy(&f->turn, cv_buf_take(&out, &f->turn));
}

static cv_scope_id some_scope(fixture *f)
{
    static const cv_str names[] = {CV_STR_INIT("x"), CV_STR_INIT("y"), CV_STR_INIT("z'\"")};
    return (cv_scope_id){CV_STR("board"), names[below(f, CV_COUNT(names))]};
}

static void put_something(fixture *f)
{
    static const char *const people[] = {"ann", "bob"}, *const statuses[] = {"open", "done", ""};
    if (below(f, 4)) {
        card c = {.number = (int64_t)below(f, 15),
                  .title = some_text(f, 4),
                  .body = some_text(f, below(f, 8) ? 12 : 400),
                  .owner = cv_str_of(people[below(f, 2)]),
                  .status = cv_str_of(statuses[below(f, 3)]),
                  .rank = CV_ABSENT};
        c.status = c.status.n ? c.status : (cv_str){NULL, 0};
        put(f, some_scope(f), &card_type, &c);
    } else {
        const char *thread = below(f, 2) ? "talk" : cv_arena_printf(&f->turn, "K%03zu", below(f, 15)).p;
        put(f, some_scope(f), &line_type,
            &(line){.thread = cv_str_of(thread),
                    .seq = (int64_t)f->writes,
                    .author = cv_str_of(people[below(f, 2)]),
                    .text = some_text(f, 8)});
    }
}

static const char *some_query(fixture *f)
{
    cv_buf out = {0};
    for (size_t n = 1 + below(f, 4); n > 0; n--) {
        static const char *const manners[] = {"", "", "", "", "-", "|", "#"};
        size_t words = below(f, 3) ? 1 : 2 + below(f, 2);
        cv_buf_printf(&out, "%s%s", out.n ? " " : "", manners[below(f, CV_COUNT(manners))]);
        for (size_t i = 0; i < words; i++) {
            cv_str word = cv_str_of(vocabulary[below(f, CV_COUNT(vocabulary))]);
            size_t cut = below(f, 5) || (unsigned char)word.p[0] > 127 ? word.n : 1 + below(f, word.n);
            while (cut < word.n && ((unsigned char)word.p[cut] & 0xc0) == 0x80)
                cut++;
            cv_buf_printf(&out, "%s%.*s", i ? "_" : "", CV_FMT(cv_str_head(word, cut)));
        }
        cv_buf_add_z(&out, below(f, 4) ? "" : "*");
    }
    return cv_arena_copy_z(&f->turn, cv_buf_take(&out, &f->turn));
}

static cv_word_query some_filter(fixture *f)
{
    cv_word_query q = {.any = below(f, 3) == 0};
    switch (below(f, 10)) {
    case 0:
        q.room = CV_STR("board");
        q.scope = some_scope(f).name;
        break;
    case 1:
        q.without = CV_STR("[\"board/x\",\"desk/z'\\\"\"]");
        break;
    case 2:
        q.kinds = below(f, 2) ? CV_STR("[\"card\"]") : CV_STR("[\"line\",\"other\"]");
        break;
    case 3:
        q.statuses = CV_STR("[\"open\"]");
        break;
    case 4:
        q.person = CV_STR("bob");
        break;
    default:
        break;
    }
    return q;
}

static void generated_queries_have_the_same_hits(void **state)
{
    fixture *f = *state;
    f->random.state = cv_test_seed() + (strstr(f->address, "pipeline") != NULL);
    print_message("# seed %llu\n", (unsigned long long)f->random.state);
    hit_count = query_count = 0;
    for (int turn = 0; turn < (cv_test_soak() ? 200 : 8); turn++) {
        for (int i = 0; i < 15; i++)
            put_something(f);
        for (int i = 0; i < 40; i++) {
            const char *query = some_query(f);
            assert_same(f, query, some_filter(f));
        }
        check_index(f);
        if (turn % 4 == 3)
            assert_ok(f->records[1]->calls->search_rebuild(f->records[1], &f->turn, &f->err), &f->err);
        cv_arena_reset(&f->turn);
    }
    print_message("# %zu queries, %zu hits\n", query_count, hit_count);
    assert_true(hit_count > query_count);
}

/* ---- beyond the limits of the server -------------------------------------------------------------------------------
 */

static cv_str repeated(fixture *f, const char *word, size_t count, const char *end)
{
    cv_buf out = {0};
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&out, "%s ", word);
    cv_buf_add_z(&out, end);
    return cv_buf_take(&out, &f->turn);
}

/* `count` words of 500 letters, all different, and an end. */
static cv_str numbered(fixture *f, char letter, size_t count, cv_str end)
{
    cv_buf out = {0};
    char word[500];
    memset(word, letter, sizeof word);
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(&out, "%.*s%zu ", (int)sizeof word, word, i);
    cv_buf_add(&out, end);
    return cv_buf_take(&out, &f->turn);
}

static void put_card(fixture *f, int64_t number, cv_str body)
{
    put(f, BOARD("x"), &card_type, &(card){.number = number, .title = CV_STR("long"), .body = body, .rank = CV_ABSENT});
}

static const char *wordy(fixture *f, const char *query)
{
    cv_buf out = {0};
    for (const char *p = query; *p; p++) /* Y: a long word */
        cv_buf_add(&out, *p == 'Y' ? cv_str_head(numbered(f, 'y', 1, CV_STR("")), 500) : (cv_str){p, 1});
    return cv_arena_copy_z(&f->turn, cv_buf_take(&out, &f->turn));
}

/* 40 words, each 250 times. */
static cv_str often(fixture *f)
{
    cv_buf out = {0};
    for (size_t i = 0; i < 10000; i++)
        cv_buf_printf(&out, "a%zu ", i % 40);
    return cv_buf_take(&out, &f->turn);
}

static void long_texts_are_found_by_all_their_words(void **state)
{
    fixture *f = *state;
    char *letters = cv_arena_alloc(&f->turn, 5001);
    memset(letters, 'q', 5000);
    letters[5000] = 0;
    put_card(f, 1, repeated(f, "again", 400, "at last comes the end"));         /* a word too often */
    put_card(f, 2, repeated(f, "a b c", 6000, "comes at last the end"));        /* too many words */
    put_card(f, 3, cv_arena_printf(&f->turn, "%s1 and %s2", letters, letters)); /* words too long */
    put_card(f, 4, numbered(f, 'y', 2200, CV_STR("comes the end")));            /* too much of them */
    put_card(f, 5, CV_STR("at last the end comes"));
    put_card(f, 6, cv_arena_printf(&f->turn, "%.*s comes at last", 2000, letters));
    put_card(f, 7, numbered(f, 'y', 1950, often(f))); /* words fit, places do not */
    static const char *const queries[] = {
        "again",
        "again_again",
        "at_last",
        "last_comes",
        "comes_at_last",
        "comes -at_last",
        "comes -last_comes",
        "comes_the_end",
        "the_end -comes_at",
        "c_comes",
        "b_comes",
        "a_b_c_a_b",
        "a_c",
        "end",
        "Y2199",
        "Y2198_Y2199",
        "Y2199_Y2198",
        "Y219*",
        "Y0 -Y2199",
        "long -Y2199",
        "Y2199_comes_the",
        "long -Y2199_comes",
        "nowhere",
        "k004",
        "long",
        "Y1949",
        "Y1948_Y1949",
        "Y1949_Y1948",
        "Y1_Y2 -Y1949",
        "a1_a2_a3",
        "a2_a1",
        "Y1949_a0",
    };
    for (size_t i = 0; i < CV_COUNT(queries); i++)
        assert_same(f, wordy(f, queries[i]), (cv_word_query){0});
    static const char marked[] =
        "SELECT count(*) FROM $schema.search_texts WHERE words @@ quote_literal(chr(%d))::tsquery";
    assert_int_equal(count_of(f, cv_arena_printf(&f->turn, marked, 1).p), 4);
    assert_int_equal(count_of(f, cv_arena_printf(&f->turn, marked, 2).p), 1);
    static const char *const ends[] = {"", "1", "1*", "*"};
    static const int lengths[] = {1000, 1024, 1025, 5000};
    for (size_t i = 0; i < CV_COUNT(lengths) * CV_COUNT(ends); i++) {
        const char *end = ends[i % CV_COUNT(ends)];
        cv_str query = cv_arena_printf(&f->turn, "%.*s%s", lengths[i / CV_COUNT(ends)], letters, end);
        assert_same(f, query.p, (cv_word_query){0});
        if (cv_str_ends(query, CV_STR("*")))
            assert_same(f, cv_arena_printf(&f->turn, "comes -%.*s", CV_FMT(query)).p, (cv_word_query){0});
    }
    check_index(f);
}

/* ---- PostgreSQL's own ----------------------------------------------------------------------------------------------
 */

static cv_str seen_by(fixture *f, cv_record *record, const char *words, size_t *ret_behind)
{
    cv_word_query query = {0};
    hits h = {.arena = &f->turn};
    terms_of(f, words, &query);
    assert_ok(record->calls->search(record, &f->turn, &query, note_hit, &h, ret_behind, &f->err), &f->err);
    return joined(f, &h);
}

/* Somebody else indexes and takes long, or one may not write: the search sees less, and says so. */
static void who_cannot_index_sees_less(void **state)
{
    fixture *f = *state;
    size_t behind;
    const char *role = cv_arena_printf(&f->arena, "r_%d_%p", (int)getpid(), (void *)f).p;
    put_some(f);
    assert_asked(f, "rates", (cv_word_query){0}, "board/x/card/K002");
    put(f, BOARD("x"), &card_type, &(card){.number = 3, .title = CV_STR("late"), .rank = CV_ABSENT});
    cv_record *other = board_postgres(&f->arena, f->address, NULL, &f->err);
    run(f, "BEGIN");
    run(f, "SELECT 1 FROM $schema.readers FOR UPDATE");
    assert_str_eq(seen_by(f, other, "late", &behind), "");
    assert_int_equal(behind, 1);
    assert_str_eq(seen_by(f, other, "rates", &behind), "board/x/card/K002");
    run(f, "ROLLBACK");

    run(f, cv_arena_printf(&f->turn, "CREATE ROLE \"%s\" LOGIN", role).p);
    run(f, cv_arena_printf(&f->turn, "GRANT USAGE ON SCHEMA $schema TO \"%s\"", role).p);
    run(f, cv_arena_printf(&f->turn, "GRANT SELECT ON ALL TABLES IN SCHEMA $schema TO \"%s\"", role).p);
    cv_record_close(other);
    const char *at = strchr(f->address, '@');
    other = board_postgres(&f->arena, cv_arena_printf(&f->arena, "postgresql://%s%s", role, at).p, NULL, &f->err);
    assert_str_eq(seen_by(f, other, "late", &behind), "");
    assert_int_equal(behind, 1);
    assert_fails(other->calls->search_rebuild(other, &f->turn, &f->err), &f->err, CV_ERR_STORE);
    assert_asked(f, "late", (cv_word_query){0}, "board/x/card/K003");
    assert_str_eq(seen_by(f, other, "late", &behind), "board/x/card/K003");
    assert_int_equal(behind, 0);
    assert_ok(other->calls->search_check(other, &f->turn, &f->err), &f->err);
    cv_record_close(other);
    run(f, cv_arena_printf(&f->turn, "DROP OWNED BY \"%s\"", role).p);
    run(f, cv_arena_printf(&f->turn, "DROP ROLE \"%s\"", role).p);
}

static void redact(fixture *f, cv_record *record, int64_t number)
{
    cv_writing w;
    cv_written done;
    const cv_request request = {cv_arena_printf(&f->turn, "redact-%zu", f->writes++), CV_STR("d"), CV_STR("x redact")};
    card row = {.number = number};
    bool found;
    assert_ok(cv_record_get(record, &f->turn, BOARD("x"), &card_type, &row, &found, &f->err) && found, &f->err);
    assert_ok(cv_writing_begin(&w, record, &f->turn, BOARD("x"), CV_STR(""), NOW, &f->err), &f->err);
    cv_writing_redact(&w, cv_writing_event(&w, CV_STR("x"), CV_STR("x"), CV_STR("redacted")), &card_type, &row,
                      CV_STR("body"));
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
}

/* What is redacted is gone with the write, whether it was indexed or not. */
static void a_redacted_text_is_gone(void **state)
{
    fixture *f = *state;
    for (int searched = 0; searched < 2; searched++) {
        put_some(f);
        if (searched)
            assert_asked(f, "collar", (cv_word_query){0}, "board/x/card/K001@collar");
        for (size_t i = 0; i < ENGINES; i++)
            redact(f, f->records[i], 1);
        assert_int_equal(count_of(f, "SELECT count(*) FROM $schema.search_texts WHERE body LIKE '%collar%' OR"
                                     " words @@ 'collar'"),
                         0);
        assert_asked(f, "collar", (cv_word_query){0}, "");
        assert_asked(f, "redacted_sha256", (cv_word_query){0}, "");
        assert_asked(f, "income", (cv_word_query){0}, "board/x/card/K001");
        check_index(f);
        if (!searched) {
            tear_down(state);
            set_up(state);
        }
    }
}

/* An indexer has read the text, and a redaction does not wait for it: it must not come back. */
static void a_redacted_text_does_not_come_back(void **state)
{
    fixture *f = *state;
    enum { CARDS = 30 };
    for (int i = 0; i < CARDS; i++)
        put_in(f, f->records[1], BOARD("x"), &card_type,
               &(card){.number = i, .title = CV_STR("t"), .rank = CV_ABSENT, .body = CV_STR("secret words")}),
            f->writes++;
    cv_record_close(f->records[1]);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cv_record *record = board_postgres(&f->arena, f->address, NULL, &f->err);
        size_t behind;
        for (int i = 0; i < 20; i++) {
            seen_by(f, record, "secret", &behind);
            if (!record->calls->search_rebuild(record, &f->turn, &f->err) && f->err.code != CV_ERR_BUSY)
                _exit(1);
        }
        cv_record_close(record);
        _exit(0);
    }
    f->records[1] = board_postgres(&f->arena, f->address, NULL, &f->err);
    for (int i = 0; i < CARDS; i++)
        redact(f, f->records[1], i);
    int status;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    assert_int_equal(count_of(f, "SELECT count(*) FROM $schema.search_texts WHERE body LIKE '%secret%'"), 0);
    assert_str_eq(asked_in(f, f->records[1], "secret", (cv_word_query){0}), "");
    check_index(f);
}

static void every_part_of_the_index_is_checked(void **state)
{
    static const char *const changes[] = {
        "DELETE FROM $schema.search_texts WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET body = 'other' WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET status = 'other' WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET people = '[\"eve\"]' WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET more_ids = 'K999' WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET thing = 'K009' WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET words = '''hedg'':1' WHERE thing = 'K001'",
        "UPDATE $schema.search_texts SET words = '' WHERE thing = 'talk-1'",
        "INSERT INTO $schema.search_texts SELECT scope, kind, 'K777', ids, more_ids, status, people, title, body, words"
        " FROM $schema.search_texts WHERE thing = 'K001'",
        "INSERT INTO $schema.search_texts SELECT '00000000-0000-0000-0000-000000000001', kind, thing, ids, more_ids,"
        " status, people, title, body, words FROM $schema.search_texts WHERE thing = 'K001'",
        "UPDATE $schema.readers SET position = '1.3.3-0123456789ab'",
        "UPDATE $schema.readers SET position = '9.999.3-0123456789ab'",
        "UPDATE $schema.readers SET position = position || 'x'",
        "UPDATE $schema.readers SET position = 'x'",
    };
    fixture *f = *state;
    put_some(f);
    check_index(f); /* behind, and sound */
    cv_str before = asked_in(f, f->records[1], "hedge", (cv_word_query){0});
    check_index(f);
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        run(f, changes[i]);
        if (f->records[1]->calls->search_check(f->records[1], &f->turn, &f->err))
            fail_msg("not noticed: %s", changes[i]);
        assert_int_equal(f->err.code, CV_ERR_VERIFY);
        bool is_position = strstr(changes[i], "readers") != NULL;
        if (is_position) /* a search sees that the index is not of this record */
            assert_view_eq(asked_in(f, f->records[1], "hedge", (cv_word_query){0}), before);
        else
            assert_ok(f->records[1]->calls->search_rebuild(f->records[1], &f->turn, &f->err), &f->err);
        check_index(f);
    }
    run(f, "UPDATE $schema.readers SET position = ''"); /* as if there were no such reader: everything comes again */
    assert_view_eq(asked_in(f, f->records[1], "hedge", (cv_word_query){0}), before);
    check_index(f);
}

/* Many commits, several batches, processes that search while others write: nothing is missing in the end. */
static void searchers_share_the_work(void **state)
{
    fixture *f = *state;
    enum { PROCESSES = 3, EACH = 100 };
    pid_t pids[PROCESSES];
    int status;
    cv_record_close(f->records[1]);
    for (int i = 0; i < PROCESSES; i++)
        if ((pids[i] = fork()) == 0) {
            cv_record *record = board_postgres(&f->arena, f->address, NULL, &f->err);
            f->writes = (size_t)i * 1000;
            for (int k = 0; k < EACH; k++) {
                cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&f->arena, "s%d", k % 3)};
                size_t behind;
                put_in(f, record, scope, &card_type,
                       &(card){.number = i * 1000 + k / 2,
                               .title = CV_STR("word"),
                               .rank = CV_ABSENT,
                               .body = cv_arena_printf(&f->arena, "text%d", k)});
                f->writes++;
                if (k % 10 == 0)
                    seen_by(f, record, "word", &behind);
            }
            cv_record_close(record);
            _exit(0);
        }
    for (int i = 0; i < PROCESSES; i++)
        assert_true(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
    f->records[1] = board_postgres(&f->arena, f->address, NULL, &f->err);
    cv_word_query query = {0};
    terms_of(f, "word", &query);
    assert_int_equal(search(f, f->records[1], &query).count, count_of(f, "SELECT count(*) FROM $schema.cards"));
    check_index(f);
}

/* One round trip to see that nothing is new, and one for the hits; indexing costs the same for many rows as for one. */
static void a_search_takes_few_round_trips(void **state)
{
    fixture *f = *state;
    cv_postgres *c = ((cv_postgres_record *)f->records[1])->c;
    put_some(f);
    assert_asked(f, "hedge", (cv_word_query){0}, asked_in(f, f->records[0], "hedge", (cv_word_query){0}).p);
    uint64_t before = c->costs.trips;
    assert_str_eq(asked_in(f, f->records[1], "collar", (cv_word_query){0}), "board/x/card/K001@collar");
    assert_int_equal(c->costs.trips - before, 2);
    for (int64_t i = 10; i < 60; i++)
        put(f, BOARD("x"), &card_type, &(card){.number = i, .title = CV_STR("many"), .rank = CV_ABSENT});
    size_t behind = 1;
    before = c->costs.trips;
    seen_by(f, f->records[1], "many", &behind);
    assert_true(c->costs.trips - before < 30);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define SLOW(name)                                                                                                     \
    {                                                                                                                  \
#name "_slow", name, set_up_slow, tear_down, NULL                                                              \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(search_finds_things_of_all_rooms),
        SLOW(search_finds_things_of_all_rooms),
        TEST(search_follows_changes),
        TEST(hits_are_in_order),
        TEST(generated_queries_have_the_same_hits),
        SLOW(generated_queries_have_the_same_hits),
        TEST(long_texts_are_found_by_all_their_words),
        TEST(who_cannot_index_sees_less),
        TEST(a_redacted_text_is_gone),
        TEST(a_redacted_text_does_not_come_back),
        TEST(every_part_of_the_index_is_checked),
        TEST(searchers_share_the_work),
        TEST(a_search_takes_few_round_trips),
    };
    return cmocka_run_group_tests_name("search_engines", tests, NULL, NULL);
}
