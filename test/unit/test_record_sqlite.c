/* test_record_sqlite.c - what is SQLite's own in the record of any room: its schema, the cost of finding, search. */
#include "board.h"

#include <fcntl.h>
#include <sys/wait.h>

typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder, *path;
    cv_record *record;
    size_t writes;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = board_folder(&f.arena);
    f.path = cv_arena_printf(&f.arena, "%s/conclave.db", f.folder).p;
    f.record = board_open(&f.arena, f.path, &f.err);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static sqlite3 *raw(cv_record *record)
{
    return ((cv_sqlite_record *)record)->s->db;
}

static void run(cv_record *record, const char *sql)
{
    if (sqlite3_exec(raw(record), sql, NULL, NULL, NULL) != SQLITE_OK) {
        print_error("%s\n%s\n", sql, sqlite3_errmsg(raw(record)));
        fail();
    }
}

/* ---- the schema
 * -------------------------------------------------------------------------------------------------------- */

static void every_statement_prepares(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < cv_sql_sqlite_statement_count; i++)
        if (!strchr(cv_sql_sqlite_statements[i].text, '$') &&
            !cv_sqlite_use(((cv_sqlite_record *)f->record)->s, cv_sql_sqlite_statements[i].name)) {
            print_error("%s: %s\n", cv_sql_sqlite_statements[i].name, sqlite3_errmsg(raw(f->record)));
            fail();
        }
    assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    cv_record_about about;
    f->record->calls->about(f->record, &f->arena, &about);
    assert_int_equal(about.schema, 2);
}

/* The schema of the tests with one place changed: each is reported by name. */
static void the_schema_is_held_against_the_types(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *from, *to, *told;
    } changes[] = {
        {"title TEXT, status", "titel TEXT, status",
         "cards is not what the type 'card' says: the column title is missing"},
        {"owner TEXT, rank INT", "owner TEXT, extra INT, rank INT", "it has a column extra"},
        {"rank INT, labels", "rank TEXT, labels", "the column rank is not INT"},
        {"labels TEXT, body", "labels INT, body", "the column labels is not TEXT"},
        {"PRIMARY KEY (scope, number)", "PRIMARY KEY (number, scope)", "its key is not (scope, number)"},
        {"PRIMARY KEY (scope, thread, seq)", "PRIMARY KEY (scope, seq, thread)", "its key is not (scope, thread, seq)"},
        {"cards_rev ON cards (scope, rev, number)", "cards_rev ON cards (scope, number, rev)",
         "the index cards_rev (scope, rev, number) is on scope, number, rev"},
        {"CREATE INDEX cards_rev", "CREATE INDEX cards_ref", "no type declares the index cards_ref"},
        {"CREATE INDEX lines_author ON lines (scope, author, thread, seq);", "",
         "the index lines_author (scope, author, thread, seq) is missing"},
        {"lines_seq ON lines (seq, author, scope, thread)", "lines_seq ON lines (scope, seq, author, thread)",
         "the index lines_seq (seq, author, scope, thread) is on scope, seq, author, thread"},
        {" WHERE owner IS NOT NULL", "", "the index cards_owner needs WHERE owner IS NOT NULL"},
        {"CREATE TABLE papers", "CREATE TABLE paper", NULL},
        {"text TEXT, PRIMARY KEY (scope, name)) STRICT", "text TEXT, PRIMARY KEY (scope, name))", "it is not STRICT"},
        {"papers (scope INT NOT NULL REFERENCES scopes (number)", "papers (scope INT NOT NULL",
         "its scope does not reference scopes (number)"},
        {"reader TEXT NOT NULL, seen", "reader TEXT NOT NULL, rev INT, seen", "it has a column rev"},
    };
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        cv_str sql = CV_STR(BOARD_SQL), from = cv_str_of(changes[i].from);
        size_t at = cv_str_find(sql, from);
        cv_record *record = NULL;
        assert_true(at != SIZE_MAX);
        const char *text = cv_arena_printf(&f->arena, "%.*s%s%s", (int)at, sql.p, changes[i].to, sql.p + at + from.n).p;
        bool made = cv_record_open_memory(&f->arena, &all_types, board_schema_of(&f->arena, text), &record, &f->err);
        if (!made && !changes[i].told)
            continue; /* an index on a table that is not there */
        assert_ok(made, &f->err);
        assert_fails(record->calls->check(record, &f->arena, &f->err), &f->err, CV_ERR_SCHEMA);
        assert_str_has(f->err.message, changes[i].told);
        cv_record_close(record);
    }
}

/* ---- what finding costs
 * ------------------------------------------------------------------------------------------------- */

/* As many rows of each type as wanted in each of two scopes, by the shortest way. */
static void fill_tables(cv_record *record, cv_arena *a, long rows)
{
    run(record, "INSERT INTO scopes (room, name, rev, head, event_count) VALUES ('board', 'x', 1, 'h', 1),"
                " ('board', 'y', 1, 'h', 1)");
    static const char *const fills[] = {
        "INSERT INTO cards (scope, number, rev, title, status, owner, rank, body)"
        " SELECT s.number, i, i, 'title', iif(i %% 2, 'odd', 'even'), iif(i %% 2, 'odd', 'even'), i, 'body'",
        "INSERT INTO lines (scope, thread, seq, rev, author, text)"
        " SELECT s.number, iif(i %% 2, 'odd', 'even'), i, i, iif(i %% 2, 'odd', 'even'), 'text'",
        "INSERT INTO cursors (scope, reader, seen, note) SELECT s.number, iif(i %% 2, 'odd', 'even') || i, i, 'n'",
        "INSERT INTO events (scope, seq, rev, subject_type, subject_id, event_type, created_at, hash, covers)"
        " SELECT s.number, i, i, 't', iif(i %% 2, 'odd', 'even'), 'e', 'now', 'h', '{}'",
        "INSERT INTO commits (scope, rev, op_id, created_at, head) SELECT s.number, i, 'op' || i, 'now', 'h'",
    };
    for (size_t i = 0; i < CV_COUNT(fills); i++) {
        const char *sql = cv_arena_printf(a,
                                          "BEGIN; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                                          " WHERE i < %ld) %s FROM n, scopes AS s; COMMIT",
                                          rows, fills[i])
                              .p;
        cv_buf plain = {0}; /* %% was for printf */
        for (; *sql; sql++)
            if (sql[0] != '%' || sql[1] != '%')
                cv_buf_add_char(&plain, *sql);
        run(record, cv_arena_copy_z(a, cv_buf_take(&plain, a)));
    }
}

enum { SORTED = 100000 }; /* a sort weighs more than any number of steps */

static size_t steps_since(cv_record *record)
{
    size_t steps = 0;
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(raw(record), st));)
        steps += (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1) +
                 SORTED * (size_t)sqlite3_stmt_status(st, SQLITE_STMTSTATUS_SORT, 1);
    return steps;
}

typedef struct {
    cv_arena *arena;
    const cv_type *type;
    void *last;
    cv_str scope;
    size_t count;
} pages;

static bool keep_last(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    pages *p = ctx;
    (void)err;
    p->last = cv_row_copy(p->arena, p->type, row);
    p->scope = cv_arena_copy(p->arena, scope.name);
    p->count++;
    return true;
}

/* The steps of two pages of two rows each, in this shape. */
static size_t cost(fixture *f, cv_record *record, cv_find find)
{
    pages p = {.arena = &f->arena, .type = find.type};
    find.limit = 2;
    assert_ok(record->calls->find(record, &find, keep_last, &p, &f->err), &f->err); /* prepares it */
    find.after = p.last;
    find.after_scope = p.scope;
    if (p.last)
        assert_ok(record->calls->find(record, &find, keep_last, &p, &f->err), &f->err);
    steps_since(record);
    find.after = NULL;
    p = (pages){.arena = &f->arena, .type = find.type};
    assert_ok(record->calls->find(record, &find, keep_last, &p, &f->err), &f->err);
    find.after = p.last;
    find.after_scope = p.scope;
    if (p.last)
        assert_ok(record->calls->find(record, &find, keep_last, &p, &f->err), &f->err);
    return steps_since(record);
}

static void finding_costs_what_is_found(void **state)
{
    fixture *f = *state;
    static const cv_type *const types[] = {&card_type, &line_type, &cursor_type, &cv_event_row_type,
                                           &cv_commit_row_type};
    const card like_card = {.rev = 4, .number = 4, .status = CV_STR("even"), .owner = CV_STR("even"), .rank = 4};
    const line like_line = {.rev = 4, .thread = CV_STR("even"), .seq = 4, .author = CV_STR("even")};
    const cursor like_cursor = {.reader = CV_STR("even4"), .seen = 4};
    const cv_event_row like_event = {.rev = 4, .seq = 4, .subject_id = CV_STR("even")};
    const cv_commit_row like_commit = {.rev = 4, .op_id = CV_STR("op4")};
    const void *const likes[] = {&like_card, &like_line, &like_cursor, &like_event, &like_commit};
    long rows = cv_test_soak() ? 1000000 : 100000;
    cv_record *small = board_memory(&f->arena, &f->err), *large = board_memory(&f->arena, &f->err);
    size_t shapes = 0, most = 0;
    fill_tables(small, &f->arena, 10);
    fill_tables(large, &f->arena, rows);
    for (size_t t = 0; t < CV_COUNT(types); t++)
        for (size_t i = 0; i <= types[t]->index_count; i++) {
            const cv_index *index = i < types[t]->index_count ? &types[t]->indexes[i] : NULL;
            size_t fields = index ? index->count : types[t]->key_count;
            for (size_t shape = 0; shape < 8 * (fields + 1); shape++, shapes++) {
                cv_find find = {.type = types[t],
                                .index = index,
                                .scope = BOARD("y"),
                                .like = likes[t],
                                .equal = shape / 8,
                                .descending = shape & 1,
                                .outline = shape & 2};
                bool by_rev = index && index->at[0] == 0 && find.equal == 0;
                if (shape & 4) { /* what is new: the last three */
                    if (!by_rev)
                        continue;
                    find.since_rev = 7;
                }
                size_t few = cost(f, small, find);
                if (shape & 4)
                    find.since_rev = rows - 3;
                size_t many = cost(f, large, find);
                most = many % SORTED > most ? many % SORTED : most;
                if (many > few + few / 4 + 40) {
                    print_error("%.*s by %s, %zu equal, shape %zu: %zu steps for 10 rows, %zu for %ld\n",
                                CV_FMT(types[t]->name), index ? index->name : "key", find.equal, shape, few, many,
                                rows);
                    fail();
                }
            }
        }
    print_message("# %zu shapes, at most %zu steps for two pages among %ld rows\n", shapes, most, rows);
    /* Single rows and positions of the feed, too. */
    size_t costs[2];
    cv_record *const both[2] = {small, large};
    for (size_t i = 0; i < 2; i++) {
        card c = like_card;
        bool found;
        cv_str last;
        for (int twice = 0; twice < 2; twice++) {
            steps_since(both[i]);
            assert_ok(cv_record_get(both[i], &f->arena, BOARD("y"), &card_type, &c, &found, &f->err), &f->err);
            assert_true(found);
            assert_ok(both[i]->calls->newest(both[i], &f->arena, 0, &last, &f->err), &f->err);
        }
        costs[i] = steps_since(both[i]);
    }
    assert_true(costs[1] <= costs[0] + 20);
    cv_record_close(small);
    cv_record_close(large);
}

/* ---- memory
 * ------------------------------------------------------------------------------------------------------------ */

static bool pass_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)ctx, (void)scope, (void)row, (void)err;
    return true;
}

static bool pass_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    (void)ctx, (void)hit, (void)err;
    return true;
}

/* Every statement that a handle keeps is prepared, or used again; the caller's memory is that of `a`. */
static void use_all(cv_record *record, cv_arena *a, bool writable, int turn)
{
    cv_err err = {.arena = a};
    size_t behind;
    const cv_search_term term = {.text = CV_STR("op")};
    const cv_word_query query = {.terms = &term, .count = 1, .limit = 5};
    const cv_rows cursors = {&cursor_type, &(cursor){.reader = CV_STR("ann"), .seen = 1, .note = CV_STR("n")}, 1};
    if (writable) {
        const char *op_id = cv_arena_printf(a, "op %d", turn).p;
        assert_int_equal(board_write(record, a, BOARD("x"), op_id, &err), CV_WRITE_DONE);
        assert_ok(record->calls->keep(record, BOARD("x"), &cursors, &err), &err);
        assert_ok(record->calls->drop(record, BOARD("x"), &cursors, &err), &err);
    }
    for (size_t t = 0; t < CV_COUNT(board_types); t++)
        for (size_t i = 0; i <= board_types[t]->index_count; i++)
            for (int shape = 0; shape < 4; shape++) {
                const cv_find find = {.type = board_types[t],
                                      .index = i ? &board_types[t]->indexes[i - 1] : NULL,
                                      .scope = BOARD("x"),
                                      .descending = shape & 1,
                                      .outline = shape & 2};
                assert_ok(record->calls->find(record, &find, pass_row, NULL, &err), &err);
            }
    assert_ok(record->calls->search(record, a, &query, pass_hit, NULL, &behind, &err), &err);
    assert_ok(record->calls->check(record, a, &err), &err);
}

/* A caller that opens a record may give back all that it took since then, as a write does that is tried again: what the
 * handle has learned meanwhile is not in that memory. */
static void a_handle_lives_in_memory_of_its_own(void **state)
{
    fixture *f = *state;
    const char *copy = cv_arena_printf(&f->arena, "%s/copy.db", f->folder).p;
    const cv_sql_migrations *schema = board_schema_of(&f->arena, BOARD_SQL);
    use_all(f->record, &f->arena, true, 9);
    assert_ok(f->record->calls->backup(f->record, copy, &f->err), &f->err);
    for (int how = 0; how < 5; how++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_record *record;
        const char *own = cv_arena_printf(&a, "%s/own.db", f->folder).p;
        bool ok = how == 0   ? cv_record_open(&a, own, CV_RECORD_CREATE, &all_types, schema, &record, &err)
                  : how == 1 ? cv_record_open(&a, copy, CV_RECORD_COPY, &all_types, schema, &record, &err)
                  : how == 2 ? cv_record_open_memory(&a, &all_types, schema, &record, &err)
                             : f->record->calls->scratch(f->record, &a, how == 3, &record, &err);
        assert_ok(ok, &err);
        const cv_arena mark = a;
        for (int turn = 0; turn < 3; turn++) {
            use_all(record, &a, how != 1, turn);
            cv_arena_rewind(&a, mark);
            memset(cv_arena_alloc(&a, 30000), 0xee, 30000); /* of the same chunk or of another one */
            cv_arena_rewind(&a, mark);
        }
        cv_record_close(record);
        cv_arena_release(&a);
    }
}

/* ---- search
 * ------------------------------------------------------------------------------------------------------------- */

static void put(fixture *f, cv_record *record, cv_scope_id scope, const cv_type *type, const void *row)
{
    cv_writing w;
    cv_written done;
    const cv_request request = {cv_arena_printf(&f->arena, "op-%zu", f->writes++), CV_STR("d"), CV_STR("board put")};
    assert_ok(cv_writing_begin(&w, record, &f->arena, scope, CV_STR(""), NOW, &f->err), &f->err);
    cv_writing_put(&w, type, row);
    cv_writing_event(&w, CV_STR("x"), CV_STR("x"), CV_STR("put"));
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
}

static bool note_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    cv_buf *out = ctx;
    (void)err;
    assert_true(hit->score > 0);
    cv_buf_printf(out, "%s%.*s/%.*s/%.*s/%.*s", out->n ? " " : "", CV_FMT(hit->scope.room), CV_FMT(hit->scope.name),
                  CV_FMT(hit->kind), CV_FMT(hit->id));
    for (size_t i = 0; i < hit->in_body.count; i++)
        cv_buf_printf(out, "@%.*s", (int)(hit->in_body.items[i].end - hit->in_body.items[i].start),
                      hit->body.p + hit->in_body.items[i].start);
    return true;
}

/* The hits of some words, parted by blanks: -word excludes, word* is a beginning, #id an id. */
static cv_str ask(fixture *f, const char *words, cv_word_query query, size_t *ret_behind)
{
    cv_search_term terms[8];
    cv_str rest = cv_str_of(words), word;
    cv_buf out = {0};
    while (cv_str_split(&rest, ' ', &word)) {
        cv_search_term *term = &terms[query.count++];
        *term = (cv_search_term){.exclude = word.p[0] == '-', .prefix = cv_str_ends(word, CV_STR("*"))};
        term->text = cv_str_head(cv_str_from(word, term->exclude), word.n - term->exclude - term->prefix);
        if (word.p[0] == '#')
            term->id = term->text = cv_str_from(word, 1);
    }
    query.terms = terms;
    query.limit = query.limit ? query.limit : 20;
    assert_ok(f->record->calls->search(f->record, &f->arena, &query, note_hit, &out, ret_behind, &f->err), &f->err);
    return cv_buf_take(&out, &f->arena);
}

static cv_str asked(fixture *f, const char *words)
{
    size_t behind = 99;
    cv_str hits = ask(f, words, (cv_word_query){0}, &behind);
    assert_int_equal(behind, 0);
    return hits;
}

static void put_some(fixture *f)
{
    put(f, f->record, BOARD("x"), &card_type,
        &(card){.number = 1,
                .title = CV_STR("Hedging the income"),
                .status = CV_STR("open"),
                .owner = CV_STR("ann"),
                .rank = CV_ABSENT,
                .body = CV_STR("A collar hedges it")});
    put(f, f->record, BOARD("x"), &card_type,
        &(card){.number = 2,
                .title = CV_STR("Rates"),
                .status = CV_STR("done"),
                .owner = CV_STR("bob"),
                .rank = CV_ABSENT,
                .body = CV_STR("hedge funds know 漢字")});
    put(f, f->record, BOARD("y"), &line_type,
        &(line){.thread = CV_STR("talk"), .seq = 1, .author = CV_STR("ann"), .text = CV_STR("hedges, said ann")});
    put(f, f->record, BOARD("x"), &line_type, /* another name of card 2 */
        &(line){.thread = CV_STR("K002"), .seq = 7, .author = CV_STR("ann"), .text = CV_STR("x")});
    put(f, f->record, (cv_scope_id){CV_STR("desk"), CV_STR("x")}, &paper_type,
        &(paper){.name = CV_STR("p"), .title = CV_STR("A paper"), .text = CV_STR("no hedging here")});
}

static void search_finds_things_of_all_rooms(void **state)
{
    fixture *f = *state;
    size_t behind;
    put_some(f);
    assert_str_eq(asked(f, "hedge collar"), "board/x/card/K001@collar@hedges");
    assert_str_has(asked(f, "hedge"), "desk/x/paper/p");
    assert_str_eq(cv_str_head(asked(f, "hedge"), 17), "board/x/card/K001"); /* the title weighs more */
    assert_str_eq(asked(f, "hedge -collar -ann -paper"), "board/x/card/K002@hedge");
    assert_str_eq(asked(f, "inco*"), "board/x/card/K001");
    assert_str_eq(asked(f, "字"), "board/x/card/K002@字");
    assert_str_eq(asked(f, "K001"), "board/x/card/K001");
    assert_str_eq(asked(f, "#ALIAS-7"), "board/x/card/K002");
    assert_str_eq(asked(f, "nothing"), "");
    assert_str_eq(asked(f, "-hedge"), "");
    assert_str_eq(ask(f, "hedge", (cv_word_query){.room = CV_STR("desk")}, &behind), "desk/x/paper/p@hedging");
    assert_str_eq(ask(f, "hedge", (cv_word_query){.room = CV_STR("board"), .scope = CV_STR("y")}, &behind),
                  "board/y/line/talk-1@hedges");
    assert_str_eq(ask(f, "hedge", (cv_word_query){.without = CV_STR("[\"board/x\"]")}, &behind),
                  "board/y/line/talk-1@hedges desk/x/paper/p@hedging");
    assert_str_eq(ask(f, "hedge", (cv_word_query){.kinds = CV_STR("[\"line\",\"paper\"]"), .limit = 1}, &behind),
                  "board/y/line/talk-1@hedges");
    assert_str_eq(ask(f, "hedge", (cv_word_query){.statuses = CV_STR("[\"done\"]")}, &behind),
                  "board/x/card/K002@hedge");
    assert_str_eq(ask(f, "hedge", (cv_word_query){.person = CV_STR("bob")}, &behind), "board/x/card/K002@hedge");
    assert_str_eq(ask(f, "collar rates", (cv_word_query){.any = true}, &behind),
                  "board/x/card/K002 board/x/card/K001@collar");
}

static void search_follows_changes(void **state)
{
    fixture *f = *state;
    size_t behind;
    put_some(f);
    assert_str_eq(asked(f, "collar"), "board/x/card/K001@collar");
    card changed = {.number = 1,
                    .title = CV_STR("Hedging"),
                    .status = CV_STR("open"),
                    .rank = CV_ABSENT,
                    .body = CV_STR("A fence")};
    put(f, f->record, BOARD("x"), &card_type, &changed);
    assert_str_eq(asked(f, "collar"), "");
    assert_str_eq(asked(f, "fence"), "board/x/card/K001@fence");
    changed.status = CV_STR("closed"); /* no word has changed */
    put(f, f->record, BOARD("x"), &card_type, &changed);
    assert_str_eq(ask(f, "fence", (cv_word_query){.statuses = CV_STR("[\"open\"]")}, &behind), "");
    assert_str_eq(ask(f, "fence", (cv_word_query){.statuses = CV_STR("[\"closed\"]")}, &behind),
                  "board/x/card/K001@fence");
    card second = {.number = 2, .title = CV_STR("Other"), .rank = CV_ABSENT}; /* its other name stays */
    put(f, f->record, BOARD("x"), &card_type, &second);
    assert_str_eq(asked(f, "#alias-7"), "board/x/card/K002");
    assert_str_eq(asked(f, "rates"), "");
}

/* A caller that cannot bring the index up to date sees how far it is behind; a damaged one is made again. */
static void search_lags_and_recovers(void **state)
{
    fixture *f = *state;
    size_t behind = 0;
    put_some(f);
    asked(f, "hedge");
    cv_record *other = board_open(&f->arena, f->path, &f->err);
    cv_scope_position at;
    put(f, other, BOARD("x"), &card_type, &(card){.number = 3, .title = CV_STR("late"), .rank = CV_ABSENT});
    assert_ok(other->calls->lock(other, &f->arena, BOARD("x"), CV_STR(""), &at, &f->err), &f->err);
    ((cv_sqlite_record *)f->record)->s->wait_us = 1000;
    assert_str_eq(ask(f, "late", (cv_word_query){0}, &behind), "");
    assert_int_equal(behind, 1);
    other->calls->end(other);
    assert_str_eq(asked(f, "late"), "board/x/card/K003");
    cv_record_close(other);

    sqlite3_db_config(raw(f->record), SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)NULL);
    run(f->record, "UPDATE search_index_data SET block = x'00' WHERE id > 10");
    sqlite3_db_config(raw(f->record), SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    cv_record_close(f->record);
    f->record = board_open(&f->arena, f->path, &f->err);
    assert_str_eq(asked(f, "late"), "board/x/card/K003");
    assert_str_eq(asked(f, "#alias-7"), "board/x/card/K002");

    run(f->record, "UPDATE readers SET position = '3-of another'");
    put(f, f->record, BOARD("x"), &card_type, &(card){.number = 4, .title = CV_STR("later"), .rank = CV_ABSENT});
    assert_str_eq(asked(f, "later"), "board/x/card/K004");
    assert_ok(f->record->calls->search_rebuild(f->record, &f->arena, &f->err), &f->err);
    assert_str_eq(asked(f, "later"), "board/x/card/K004");

    run(f->record, "UPDATE readers SET position = ''"); /* nowhere: as if there were no such reader */
    assert_str_eq(asked(f, "later"), "board/x/card/K004");
    assert_ok(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err);
    run(f->record, "UPDATE readers SET position = position || 'x'");
    assert_fails(f->record->calls->search_check(f->record, &f->arena, &f->err), &f->err, CV_ERR_VERIFY);
    assert_str_has(f->err.message, "x' is not one of this record's feed");
}

/* Many commits, several batches, many processes that search while others write: nothing is missing in the end. */
static void searchers_share_the_work(void **state)
{
    fixture *f = *state;
    enum { PROCESSES = 4, EACH = 150 };
    pid_t pids[PROCESSES];
    int status;
    cv_record_close(f->record);
    for (int i = 0; i < PROCESSES; i++)
        if ((pids[i] = fork()) == 0) {
            f->record = board_open(&f->arena, f->path, &f->err);
            f->writes = (size_t)i * 1000;
            for (int k = 0; k < EACH; k++) {
                cv_scope_id scope = {CV_STR("board"), cv_arena_printf(&f->arena, "s%d", k % 3)};
                put(f, f->record, scope, &card_type,
                    &(card){.number = i * 1000 + k / 2,
                            .title = CV_STR("word"),
                            .rank = CV_ABSENT,
                            .body = cv_arena_printf(&f->arena, "text%d", k)});
                size_t behind;
                if (k % 10 == 0)
                    ask(f, "word", (cv_word_query){.limit = 1}, &behind);
            }
            cv_record_close(f->record);
            _exit(0);
        }
    for (int i = 0; i < PROCESSES; i++)
        assert_true(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
    f->record = board_open(&f->arena, f->path, &f->err);
    asked(f, "word");
    sqlite3_stmt *st;
    static const char compare[] =
        "SELECT count(*), (SELECT count(*) FROM cards), (SELECT count(*) FROM search_index WHERE search_index MATCH"
        " 'word') FROM search_texts AS t JOIN cards AS c ON c.scope = t.scope AND t.thing = printf('K%03d', c.number)"
        " AND t.body = c.body";
    assert_int_equal(sqlite3_prepare_v2(raw(f->record), compare, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(st, 0), sqlite3_column_int(st, 1));
    assert_int_equal(sqlite3_column_int(st, 0), sqlite3_column_int(st, 2));
    assert_true(sqlite3_column_int(st, 0) >= PROCESSES * EACH / 2);
    sqlite3_finalize(st);
    run(f->record, "INSERT INTO search_index (search_index) VALUES ('integrity-check')");
}

/* ---- volatile rows
 * ------------------------------------------------------------------------------------------------------ */

/* They change nothing that anybody else would have to read again. */
static void volatile_rows_leave_no_trace(void **state)
{
    fixture *f = *state;
    put_some(f);
    cv_str before, after, print = board_print(f->record, &f->arena, BOARD("x"), &f->err);
    assert_ok(f->record->calls->newest(f->record, &f->arena, 0, &before, &f->err), &f->err);
    const cursor row = {.reader = CV_STR("ann"), .seen = 7};
    const cv_rows rows = {&cursor_type, &row, 1};
    assert_ok(f->record->calls->keep(f->record, BOARD("x"), &rows, &f->err), &f->err);
    cursor got = {.reader = CV_STR("ann")};
    bool found;
    assert_ok(cv_record_get(f->record, &f->arena, BOARD("x"), &cursor_type, &got, &found, &f->err), &f->err);
    assert_true(found && got.seen == 7 && got.rev == 0);
    assert_ok(f->record->calls->newest(f->record, &f->arena, 0, &after, &f->err), &f->err);
    assert_view_eq(after, before);
    assert_view_eq(board_print(f->record, &f->arena, BOARD("x"), &f->err), print);
    assert_fails(f->record->calls->keep(f->record, BOARD("unknown"), &rows, &f->err), &f->err, CV_ERR_INVALID_VALUE);
    assert_ok(f->record->calls->drop(f->record, BOARD("x"), &rows, &f->err), &f->err);
    assert_ok(cv_record_get(f->record, &f->arena, BOARD("x"), &cursor_type, &got, &found, &f->err), &f->err);
    assert_false(found);
}

/* ---- across scopes
 * ------------------------------------------------------------------------------------------------------ */

/* The history of no scope tells these. Each is put back. */
static void what_no_scope_tells(void **state)
{
    static const struct {
        const char *sql, *back, *message;
    } cases[] = {
        {"INSERT INTO scopes VALUES (9, 'attic', 'x', 1, 'h', 1)", "DELETE FROM scopes WHERE number = 9",
         "scope attic 'x': expected a room of this program, found another word"},
        {"INSERT INTO papers (scope, rev, name, title) SELECT number, 1, 'p', 't' FROM scopes WHERE name = 'y'",
         "DELETE FROM papers WHERE scope = (SELECT number FROM scopes WHERE name = 'y')",
         "board 'y': expected no rows of the type 'paper', which the room 'desk' has, found some"},
        {"UPDATE commits SET number = 99 WHERE number = 1; UPDATE commits SET number = 1 WHERE number = 2;"
         "UPDATE commits SET number = 2 WHERE number = 99",
         "UPDATE commits SET number = 99 WHERE number = 1; UPDATE commits SET number = 1 WHERE number = 2;"
         "UPDATE commits SET number = 2 WHERE number = 99",
         "commit/2: expected the commits of a scope in the order of their revs, found the next one before it"},
        {"UPDATE commits SET number = 99 WHERE number = 2", "UPDATE commits SET number = 2 WHERE number = 99",
         "commit/2: expected commits numbered without gaps, found none with this number"},
    };
    fixture *f = *state;
    put_some(f);
    sqlite3_db_config(raw(f->record), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        run(f->record, cases[i].sql);
        assert_fails(f->record->calls->check(f->record, &f->arena, &f->err), &f->err, CV_ERR_VERIFY);
        assert_str_eq(f->err.message, cases[i].message);
        run(f->record, cases[i].back);
        assert_ok(f->record->calls->check(f->record, &f->arena, &f->err), &f->err);
    }
}

/* ---- many rows at once ------------------------------------------------------------------------------------------- */

/* Lines of one thread, from `first` on. */
static cv_write_result write_lines(fixture *f, const char *op_id, int64_t first, size_t count)
{
    cv_writing w;
    cv_written done = {.how = CV_WRITE_FAILED};
    const cv_request request = {cv_str_of(op_id), CV_STR("digest"), CV_STR("board write")};
    assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("many"), CV_STR(""), NOW, &f->err), &f->err);
    for (size_t i = 0; i < count; i++)
        cv_writing_put(&w, &line_type,
                       &(line){.thread = CV_STR("t"), .seq = first + (int64_t)i, .author = CV_STR("ann")});
    cv_writing_event(&w, CV_STR("card"), CV_STR("1"), CV_STR("written"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err);
    return done.how;
}

static bool count_line(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    size_t *count = ctx;
    (void)scope, (void)err;
    assert_int_equal(((const line *)row)->seq, (int64_t)(*count)++);
    return true;
}

static size_t count_lines(fixture *f)
{
    size_t count = 0;
    const cv_find all = {.type = &line_type, .scope = BOARD("many")};
    assert_ok(f->record->calls->find(f->record, &all, count_line, &count, &f->err), &f->err);
    return count;
}

/* Few go one by one, many together; whatever their number, all are there. */
static void many_rows_take_few_statements(void **state)
{
    fixture *f = *state;
    enum { MANY = CV_SQLITE_MANY };
    static const size_t counts[] = {1, MANY - 1, MANY, MANY + 1, 3 * MANY - 1, 3 * MANY};
    size_t all = 0, together = 0;
    for (size_t i = 0; i < CV_COUNT(counts); i++) {
        const char *op_id = cv_arena_printf(&f->arena, "op-%zu", i).p;
        assert_int_equal(write_lines(f, op_id, (int64_t)all, counts[i]), CV_WRITE_DONE);
        all += counts[i];
        together += counts[i] / MANY;
        assert_int_equal(count_lines(f), all);
    }
    sqlite3_stmt *many = cv_sqlite_type_of((cv_sqlite_record *)f->record, &line_type)->put_many;
    assert_int_equal(sqlite3_stmt_status(many, SQLITE_STMTSTATUS_RUN, 0), (int)together);
}

/* One of many is there already: the error names it, and none of the others is kept. */
static void the_refused_one_of_many_is_named(void **state)
{
    fixture *f = *state;
    enum { MANY = CV_SQLITE_MANY };
    static const int64_t places[] = {0, 1, MANY - 1, MANY, 2 * MANY - 1, 2 * MANY, 2 * MANY + 6};
    assert_int_equal(write_lines(f, "first", 0, 1), CV_WRITE_DONE);
    for (size_t i = 0; i < CV_COUNT(places); i++) {
        line refused = {.thread = CV_STR("t"), .seq = 0};
        const char *op_id = cv_arena_printf(&f->arena, "op-%zu", i).p;
        f->err = (cv_err){.arena = &f->arena};
        assert_int_equal(write_lines(f, op_id, -places[i], 2 * MANY + 7), CV_WRITE_FAILED);
        assert_int_equal(f->err.code, CV_ERR_STORE);
        assert_view_eq(f->err.field, cv_row_name(&f->arena, &line_type, &refused));
        assert_int_equal(count_lines(f), 1);
    }
    assert_int_equal(write_lines(f, "last", 1, 2 * MANY), CV_WRITE_DONE);
    assert_int_equal(count_lines(f), 1 + 2 * MANY);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_statement_prepares),         TEST(the_schema_is_held_against_the_types),
        TEST(finding_costs_what_is_found),      TEST(a_handle_lives_in_memory_of_its_own),
        TEST(search_finds_things_of_all_rooms), TEST(search_follows_changes),
        TEST(search_lags_and_recovers),         TEST(searchers_share_the_work),
        TEST(many_rows_take_few_statements),    TEST(the_refused_one_of_many_is_named),
        TEST(volatile_rows_leave_no_trace),     TEST(what_no_scope_tells),
    };
    return cmocka_run_group_tests_name("record_sqlite", tests, NULL, NULL);
}
