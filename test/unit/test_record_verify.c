/* test_record_verify.c - what verification of a scope finds, and what it must not mind.
 *
 * Every value that is changed behind the record's back, every row that is removed or added, is found. A type that gets
 * a new field verifies the rows from before. A redacted text verifies; one that was replaced without an event does not.
 */
#include "board.h"
#include "record/sql.h"

typedef struct {
    cv_arena arena;
    cv_err err;
    cv_record *record;
    size_t writes;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.record = board_memory(&f.arena, &f.err);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_record_close(f->record);
    cv_arena_release(&f->arena);
    return 0;
}

static sqlite3 *raw(fixture *f)
{
    return ((cv_sqlite_record *)f->record)->s->db;
}

static void run(fixture *f, const char *sql)
{
    if (sqlite3_exec(raw(f), sql, NULL, NULL, NULL) != SQLITE_OK) {
        print_error("%s\n%s\n", sql, sqlite3_errmsg(raw(f)));
        fail();
    }
}

static cv_event_row *begin(fixture *f, cv_writing *w, const char *event)
{
    assert_ok(cv_writing_begin(w, f->record, &f->arena, BOARD("x"), CV_STR(""), NOW, &f->err), &f->err);
    w->agent = CV_STR("ann");
    w->standing = CV_STR("claimed");
    cv_event_row *e = cv_writing_event(w, CV_STR("card"), CV_STR("1"), cv_str_of(event));
    e->reason = CV_STR("a reason");
    e->data = CV_STR("{\"old\":\"secret words\"}");
    e->actors = CV_STR("[\"ann\"]");
    e->step = 3;
    e->result_id = CV_STR("r");
    e->reference = CV_STR("s");
    return e;
}

static void commit(fixture *f, cv_writing *w)
{
    cv_written done;
    const cv_request request = {cv_arena_printf(&f->arena, "op-%zu", f->writes++), CV_STR("digest"),
                                CV_STR("board change")};
    assert_ok(cv_writing_commit(w, &request, CV_STR("{\"answer\":\"secret words\"}"), &done, &f->err), &f->err);
    assert_int_equal(done.how, CV_WRITE_DONE);
}

static card some_card(int64_t number)
{
    return (card){.number = number,
                  .title = CV_STR("a title"),
                  .status = CV_STR("open"),
                  .owner = CV_STR("ann"),
                  .rank = number,
                  .labels = CV_STR("[1]"),
                  .body = CV_STR("secret words")};
}

static line some_line(const char *thread, int64_t seq)
{
    return (line){.thread = cv_str_of(thread), .seq = seq, .author = CV_STR("bob"), .text = CV_STR("secret words")};
}

/* Three writes: rows of every kind, some of them changed later. */
static void write_all(fixture *f)
{
    cv_writing w;
    for (int i = 0; i < 3; i++) {
        begin(f, &w, i ? "changed" : "made");
        cv_writing_put(&w, &card_type, &(card){.number = 1, .title = CV_STR("t"), .rank = CV_ABSENT});
        for (int k = 0; k < 3 - i; k++) {
            card c = some_card(10 * i + k);
            line l = some_line(k ? "a/b" : "K001", 10 * i + k);
            cv_writing_put(&w, &card_type, &c);
            cv_writing_put(&w, &line_type, &l);
        }
        commit(f, &w);
    }
}

static bool verifies(fixture *f)
{
    cv_scope_position at;
    return cv_scope_verify(f->record, &f->arena, BOARD("x"), NULL, &at, &f->err);
}

static void assert_found(fixture *f, const char *part)
{
    assert_fails(verifies(f), &f->err, CV_ERR_VERIFY);
    assert_str_has(f->err.message, part);
}

/* ---- behind the record's back
 * ------------------------------------------------------------------------------------------ */

static void drop_triggers(fixture *f)
{
    sqlite3_stmt *st;
    cv_buf sql = {0};
    assert_int_equal(sqlite3_prepare_v2(raw(f), "SELECT name FROM sqlite_schema WHERE type = 'trigger'", -1, &st, NULL),
                     SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        cv_buf_printf(&sql, "DROP TRIGGER %s;", sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    run(f, cv_arena_copy_z(&f->arena, cv_buf_take(&sql, &f->arena)));
    run(f, "PRAGMA foreign_keys = OFF");
}

/* Does it; whatever was changed must be found; puts everything back. */
static void try_change(fixture *f, const char *table, const char *sql)
{
    run(f, cv_arena_printf(&f->arena, "CREATE TEMP TABLE kept AS SELECT * FROM %s", table).p);
    run(f, sql);
    if (sqlite3_changes(raw(f)) > 0 && verifies(f)) {
        print_error("not found: %s\n", sql);
        fail();
    }
    run(f,
        cv_arena_printf(&f->arena, "DELETE FROM %s; INSERT INTO %s SELECT * FROM kept; DROP TABLE kept", table, table)
            .p);
}

static void every_change_is_found(void **state)
{
    fixture *f = *state;
    static const char *const tables[] = {"cards", "lines", "events", "commits", "scopes"};
    size_t tried = 0;
    write_all(f);
    drop_triggers(f);
    for (size_t t = 0; t < CV_COUNT(tables); t++) {
        sqlite3_stmt *st;
        struct {
            cv_str names[32];
            bool text[32];
            size_t count;
        } columns = {.count = 0};
        const char *ask = cv_arena_printf(&f->arena, "SELECT name, type FROM pragma_table_info('%s')", tables[t]).p;
        assert_int_equal(sqlite3_prepare_v2(raw(f), ask, -1, &st, NULL), SQLITE_OK);
        while (sqlite3_step(st) == SQLITE_ROW) {
            columns.text[columns.count] = strcmp((const char *)sqlite3_column_text(st, 1), "TEXT") == 0;
            columns.names[columns.count++] = cv_arena_copy(&f->arena, cv_sqlite_column_str(st, 0));
        }
        sqlite3_finalize(st);
        for (size_t i = 0; i < columns.count; i++) {
            cv_str column = columns.names[i];
            if (cv_str_eq(column, CV_STR("number")) && strcmp(tables[t], "cards") != 0)
                continue; /* the engine's own */
            cv_str value = cv_str_eq(column, CV_STR("standing")) ? CV_STR("'verified'")
                           : columns.text[i]
                               ? cv_arena_printf(&f->arena, "coalesce(\"%.*s\", '') || 'x'", CV_FMT(column))
                               : cv_arena_printf(&f->arena, "coalesce(\"%.*s\", 7) + 1000", CV_FMT(column));
            for (int rev = 1; rev <= 3; rev++, tried++)
                try_change(f, tables[t],
                           cv_arena_printf(&f->arena, "UPDATE %s SET \"%.*s\" = %.*s WHERE rev = %d", tables[t],
                                           CV_FMT(column), CV_FMT(value), rev)
                               .p);
        }
        for (int rev = 1; rev <= 3; rev++, tried++)
            try_change(f, tables[t], cv_arena_printf(&f->arena, "DELETE FROM %s WHERE rev = %d", tables[t], rev).p);
    }
    try_change(f, "cards", "INSERT INTO cards (scope, number, rev) VALUES (1, 99, 1)");
    try_change(f, "lines", "INSERT INTO lines (scope, thread, seq, rev, author) VALUES (1, 'x', 99, 1, 'ann')");
    try_change(f, "lines", "INSERT INTO lines (scope, thread, seq, rev, author) VALUES (1, 'x', 99, 4, 'ann')");
    try_change(f, "commits", "INSERT INTO commits (scope, rev, op_id, created_at, head) VALUES (1, 4, 'x', 'y', 'z')");
    assert_true(tried > 100);
    assert_ok(verifies(f), &f->err);
}

/* ---- a type that grows
 * ------------------------------------------------------------------------------------------------- */

#define LEAF1_FIELDS(F) F(INT, KEY, number) F(TEXT, OUTLINE, title) F(TEXT, LONG, body)
#define LEAF2_FIELDS(F)                                                                                                \
    F(INT, KEY, number) F(TEXT, PLAIN, color) F(TEXT, OUTLINE, title) F(INT, PLAIN, weight) F(TEXT, LONG, body)
#define SEED1_FIELDS(F) F(INT, KEY, number) F(TEXT, OUTLINE, title)
#define SEED2_FIELDS(F) F(INT, KEY, number) F(TEXT, OUTLINE, title) F(JSON, LONG, more)
CV_TYPE_STRUCT(leaf1, LEAF1_FIELDS)
CV_TYPE_STRUCT(leaf2, LEAF2_FIELDS)
CV_TYPE_STRUCT(seed1, SEED1_FIELDS)
CV_TYPE_STRUCT(seed2, SEED2_FIELDS)
#define CV_THIS_TYPE leaf1
CV_TYPE_TABLE(leaf1, "leaf", "leaves", LEAF1_FIELDS, REPLACED, NULL, );
#undef CV_THIS_TYPE
#define CV_THIS_TYPE leaf2
CV_TYPE_TABLE(leaf2, "leaf", "leaves", LEAF2_FIELDS, REPLACED, NULL, );
#undef CV_THIS_TYPE
#define CV_THIS_TYPE seed1
CV_TYPE_TABLE(seed1, "seed", "seeds", SEED1_FIELDS, ADDED, NULL, );
#undef CV_THIS_TYPE
#define CV_THIS_TYPE seed2
CV_TYPE_TABLE(seed2, "seed", "seeds", SEED2_FIELDS, ADDED, NULL, );
#undef CV_THIS_TYPE
static const cv_type *const tree1[] = {&leaf1_type, &seed1_type}, *const tree2[] = {&leaf2_type, &seed2_type};
static const cv_room_types trees[] = {{CV_STR_INIT("tree"), tree1, 2}, {CV_STR_INIT("tree"), tree2, 2}};
static const cv_room_types *const old_rooms[] = {&trees[0]}, *const new_rooms[] = {&trees[1]};
static const cv_types types1 = {.rooms = old_rooms, .count = 1}, types2 = {.rooms = new_rooms, .count = 1};
static const char tree_sql[] =
    "CREATE TABLE leaves (scope INT NOT NULL REFERENCES scopes (number), number INT NOT NULL, rev INT NOT NULL,"
    " title TEXT, body TEXT, PRIMARY KEY (scope, number)) STRICT;"
    "CREATE TABLE seeds (scope INT NOT NULL REFERENCES scopes (number), number INT NOT NULL, rev INT NOT NULL,"
    " title TEXT, PRIMARY KEY (scope, number)) STRICT;";
static const char grow_sql[] = "ALTER TABLE leaves ADD COLUMN color TEXT; ALTER TABLE leaves ADD COLUMN weight INT;"
                               "ALTER TABLE seeds ADD COLUMN more TEXT;";

static void write_tree(fixture *f, cv_record *record, const cv_type *leaf, const void *row, const cv_type *seed,
                       const void *other)
{
    cv_writing w;
    cv_written done;
    const cv_request request = {cv_arena_printf(&f->arena, "t-%zu", f->writes++), CV_STR("d"), CV_STR("tree grow")};
    assert_ok(
        cv_writing_begin(&w, record, &f->arena, (cv_scope_id){CV_STR("tree"), CV_STR("t")}, CV_STR(""), NOW, &f->err),
        &f->err);
    cv_writing_event(&w, CV_STR("leaf"), CV_STR("1"), CV_STR("grown"));
    cv_writing_put(&w, leaf, row);
    cv_writing_put(&w, seed, other);
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
}

static void a_new_field_leaves_old_hashes_alone(void **state)
{
    fixture *f = *state;
    const cv_scope_id tree = {CV_STR("tree"), CV_STR("t")};
    const char *folder = board_folder(&f->arena), *path = cv_arena_printf(&f->arena, "%s/t.db", folder).p;
    cv_sql_migration items[3] = {
        cv_sql_sqlite_schema.items[0], {2, "002_tree", tree_sql, "tree"}, {3, "003_grow", grow_sql, "grow"}};
    const cv_sql_migrations before = {items, 2}, after = {items, 3};
    cv_record *record;
    cv_scope_position at;
    assert_ok(cv_record_open(&f->arena, path, CV_RECORD_CREATE, &types1, &before, &record, &f->err), &f->err);
    write_tree(f, record, &leaf1_type, &(leaf1){.number = 1, .title = CV_STR("a"), .body = CV_STR("long")}, &seed1_type,
               &(seed1){.number = 1, .title = CV_STR("s")});
    assert_ok(record->calls->check(record, &f->arena, &f->err), &f->err);
    assert_ok(cv_scope_verify(record, &f->arena, tree, NULL, &at, &f->err), &f->err);
    cv_str exported = board_print(record, &f->arena, tree, &f->err);
    cv_record_close(record);

    assert_ok(cv_record_open(&f->arena, path, CV_RECORD_CREATE, &types2, &after, &record, &f->err), &f->err);
    assert_ok(record->calls->check(record, &f->arena, &f->err), &f->err);
    assert_ok(cv_scope_verify(record, &f->arena, tree, NULL, &at, &f->err), &f->err);
    write_tree(f, record, &leaf2_type, &(leaf2){.number = 2, .color = CV_STR("red"), .weight = 7}, &seed2_type,
               &(seed2){.number = 2, .more = CV_STR("[1]")});
    assert_ok(cv_scope_verify(record, &f->arena, tree, NULL, &at, &f->err), &f->err);
    assert_int_equal(at.rev, 2);
    /* The new field is covered like the others. */
    assert_int_equal(
        sqlite3_exec(((cv_sqlite_record *)record)->s->db, "UPDATE leaves SET color = 'blue'", NULL, NULL, NULL),
        SQLITE_OK);
    assert_fails(cv_scope_verify(record, &f->arena, tree, NULL, &at, &f->err), &f->err, CV_ERR_VERIFY);
    cv_record_close(record);

    /* An export from before is read as if the fields were absent; one from later is refused, not cut. */
    cv_json document;
    cv_scope_rows rows;
    cv_errs errs = {0};
    assert_ok(cv_json_parse(&f->arena, exported, &document, &f->err), &f->err);
    assert_true(cv_scope_parse(&types2, &f->arena, &document, &rows, &errs));
    assert_ok(cv_record_open_memory(&f->arena, &types2, &after, &record, &f->err), &f->err);
    assert_int_equal(cv_scope_restore(record, &f->arena, &rows, false, &f->err), CV_WRITE_DONE);
    assert_ok(cv_scope_verify(record, &f->arena, tree, NULL, &at, &f->err), &f->err);
    exported = board_print(record, &f->arena, tree, &f->err);
    cv_record_close(record);
    assert_ok(cv_json_parse(&f->arena, exported, &document, &f->err), &f->err);
    assert_false(cv_scope_parse(&types1, &f->arena, &document, &rows, &errs));
    assert_str_eq(errs.items[0].field, "types.leaf.fields");
    cv_test_remove(folder);
}

/* The bytes that hashes cover are a promise: these must never change. */
static void hashes_stay_as_they_are(void **state)
{
    fixture *f = *state;
    card c = some_card(1);
    cv_str first = cv_hash_one(&f->arena, &card_type, &c);
    assert_str_eq(first, "78e15f7fd97699ef6e0a4248ed35959e6c0dcc67d3003a5bd14bb3ca30f9bc0f");
    c.body = cv_redacted(&f->arena, c.body);
    assert_view_eq(cv_hash_one(&f->arena, &card_type, &c), first);
    assert_str_eq(cv_hash_scope(&f->arena, CV_STR("board"), CV_STR("x")),
                  "9b9d56a47449284bb1599d1d3d6bbc32b983ea1066607231d1e2f6e2ffb74a3c");
    cv_event_row e;
    cv_row_clear(&cv_event_row_type, &e);
    e.seq = 1;
    e.subject_id = CV_STR("a");
    e.data = CV_STR("{}");
    assert_str_eq(cv_hash_event(&f->arena, CV_STR("before"), &e),
                  "8f99f5f30e9e3863792d71884e8d7d9302eb9bb684573c6f66de175902b1bbd2");
    /* Nothing can be moved from one field into the next, or from one row to the next. */
    assert_false(cv_str_eq(cv_hash_one(&f->arena, &line_type, &(line){.thread = CV_STR("ab"), .author = CV_STR("c")}),
                           cv_hash_one(&f->arena, &line_type, &(line){.thread = CV_STR("a"), .author = CV_STR("bc")})));
    assert_view_eq(cv_row_name(&f->arena, &line_type, &(line){.thread = CV_STR("a/b%"), .seq = -3}),
                   CV_STR("line/a%2Fb%25/-3"));
}

static void add_plainly(struct sha256_ctx *sha, cv_str text, bool counted)
{
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)text.n >> (56 - 8 * i));
    if (counted)
        sha256_update(sha, sizeof length, length);
    sha256_update(sha, text.n, (const uint8_t *)text.p);
}

/* However long its texts are, a row's digest is that of its canonical bytes, piece by piece. */
static void digests_do_not_depend_on_the_pieces(void **state)
{
    fixture *f = *state;
    char *letters = cv_arena_alloc(&f->arena, 2000);
    memset(letters, 'x', 2000);
    for (size_t n = 0; n < 2000; n += n < 600 ? 1 : 97) {
        struct sha256_ctx sha;
        uint8_t raw_digest[SHA256_DIGEST_SIZE];
        char hex[2 * SHA256_DIGEST_SIZE + 1];
        const cv_str values[] = {{letters, n}, {letters, 2000 - n}};
        const line row = {.thread = values[0], .seq = INT64_MIN, .author = values[1]};
        sha256_init(&sha);
        add_plainly(&sha, CV_STR("line"), true);
        for (size_t i = 0; i < 2; i++) {
            add_plainly(&sha, i ? CV_STR("author") : CV_STR("thread"), true);
            add_plainly(&sha, CV_STR("t"), true);
            add_plainly(&sha, values[i], true);
        }
        add_plainly(&sha, CV_STR(""), true);
        sha256_digest(&sha, sizeof raw_digest, raw_digest);
        for (size_t i = 0; i < sizeof raw_digest; i++)
            snprintf(hex + 2 * i, 3, "%02x", raw_digest[i]);
        assert_str_eq(cv_hash_one(&f->arena, &line_type, &row), hex);
        cv_hash whole;
        cv_hash_begin(&whole);
        for (size_t at = 0; at < 2000; at += n + 1)
            cv_hash_add(&whole, cv_str_head(cv_str_from((cv_str){letters, 2000}, at), n + 1));
        assert_view_eq(cv_hash_end(&whole, &f->arena), cv_hash_text(&f->arena, (cv_str){letters, 2000}));
    }
}

static bool take_line(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_buf *seen = ctx;
    const line *l = row;
    (void)scope, (void)err;
    cv_buf_printf(seen, "%.*s/%lld %.*s;", CV_FMT(l->thread), (long long)l->seq, CV_FMT(l->text));
    return true;
}

/* Rows are put in any order and again: the last of each key is written, once, and covered. */
static void the_last_row_of_a_key_counts(void **state)
{
    fixture *f = *state;
    cv_writing w;
    cv_buf seen = {0};
    begin(f, &w, "made");
    for (int i = 0; i < 40; i++) {
        line l = some_line("t", i * 7 % 5);
        card c = some_card(i % 3);
        l.text = c.title = cv_arena_printf(&f->arena, "%d", i);
        cv_writing_put(&w, &line_type, &l);
        cv_writing_put(&w, &card_type, &c);
    }
    commit(f, &w);
    const cv_find find = {.type = &line_type, .scope = BOARD("x")};
    assert_ok(f->record->calls->find(f->record, &find, take_line, &seen, &f->err), &f->err);
    assert_str_eq(cv_buf_str(&seen), "t/0 35;t/1 38;t/2 36;t/3 39;t/4 37;");
    cv_buf_release(&seen);
    assert_ok(verifies(f), &f->err);
}

static bool take_card(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)err;
    *(card *)ctx = *(const card *)row;
    ((card *)ctx)->title.p = ((const card *)row)->title.p ? "" : NULL; /* they live until this returns */
    ((card *)ctx)->body.p = ((const card *)row)->body.p ? "" : NULL;
    return true;
}

/* What is not wanted is absent; keys and the fields of the index come anyway. Each choice is a reading of its
 * own. */
static void fields_can_be_left_out(void **state)
{
    fixture *f = *state;
    cv_writing w;
    card c = some_card(4), seen;
    const uint64_t body = cv_type_bit(&card_type, offsetof(card, body)),
                   rank = cv_type_bit(&card_type, offsetof(card, rank)),
                   number = cv_type_bit(&card_type, offsetof(card, number));
    const cv_index *indexes[] = {NULL, cv_type_index(&card_type, "status")};
    const uint64_t choices[] = {0, body, rank, body | rank | number, 0, body};
    begin(f, &w, "made");
    cv_writing_put(&w, &card_type, &c);
    commit(f, &w);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < CV_COUNT(choices); k++) {
            const cv_find find = {.type = &card_type, .scope = BOARD("x"), .index = indexes[i], .without = choices[k]};
            assert_ok(f->record->calls->find(f->record, &find, take_card, &seen, &f->err), &f->err);
            assert_int_equal(seen.number, 4);
            assert_non_null(seen.title.p);
            assert_int_equal(seen.body.p != NULL, !(choices[k] & body));
            assert_int_equal(seen.rank, choices[k] & rank && i == 0 ? CV_ABSENT : 4);
        }
}

/* ---- redaction
 * --------------------------------------------------------------------------------------------------------- */

static int64_t count_of(fixture *f, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(raw(f), sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

typedef struct {
    fixture *f;
    cv_writing *w;
    cv_event_row *event;
    const cv_type *type;
    const char *fields[2];
} redacting;

static bool redact_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    redacting *r = ctx;
    (void)scope, (void)err;
    for (size_t i = 0; i < 2 && r->fields[i]; i++)
        cv_writing_redact(r->w, r->event, r->type, row, cv_str_of(r->fields[i]));
    return true;
}

/* Every long text that says "secret words", of rows, events and answers. */
static void redact_all(fixture *f)
{
    static const struct {
        const cv_type *type;
        const char *fields[2];
    } texts[] = {{&card_type, {"body"}},
                 {&line_type, {"text"}},
                 {&cv_event_row_type, {"data", "reason"}},
                 {&cv_commit_row_type, {"result"}}};
    cv_writing w;
    cv_written done;
    assert_ok(cv_writing_begin(&w, f->record, &f->arena, BOARD("x"), CV_STR(""), NOW, &f->err), &f->err);
    cv_event_row *event = cv_writing_event(&w, CV_STR("scope"), CV_STR("x"), CV_STR("redacted"));
    for (size_t i = 0; i < CV_COUNT(texts); i++) {
        redacting r = {f, &w, event, texts[i].type, {texts[i].fields[0], texts[i].fields[1]}};
        const cv_find find = {.type = texts[i].type, .scope = BOARD("x")};
        assert_ok(f->record->calls->find(f->record, &find, redact_row, &r, &f->err), &f->err);
    }
    const cv_request request = {CV_STR("redact"), CV_STR("digest"), CV_STR("project redact")};
    assert_ok(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err);
}

static size_t hits_of(fixture *f, const char *word);

static void a_redacted_text_verifies(void **state)
{
    fixture *f = *state;
    cv_json document;
    cv_errs errs = {0};
    cv_scope_rows rows;
    cv_scope_position at;
    write_all(f);
    assert_true(hits_of(f, "secret") > 0);
    redact_all(f);
    assert_int_equal(count_of(f, "SELECT (SELECT count(*) FROM cards WHERE body LIKE '%secret%')"
                                 " + (SELECT count(*) FROM lines WHERE text LIKE '%secret%')"
                                 " + (SELECT count(*) FROM events WHERE data LIKE '%secret%')"
                                 " + (SELECT count(*) FROM commits WHERE result LIKE '%secret%')"
                                 " + (SELECT count(*) FROM search_texts WHERE body LIKE '%secret%')"),
                     0);
    assert_ok(verifies(f), &f->err);
    assert_int_equal(hits_of(f, "secret"), 0);
    assert_int_equal(hits_of(f, "redacted_sha256"), 0);
    assert_true(hits_of(f, "title") > 0);
    /* A row that may change is written again, and a copy is as good. */
    cv_writing w;
    card c = some_card(1);
    begin(f, &w, "changed");
    cv_writing_put(&w, &card_type, &c);
    commit(f, &w);
    assert_ok(verifies(f), &f->err);
    cv_str text = board_print(f->record, &f->arena, BOARD("x"), &f->err);
    assert_ok(cv_json_parse(&f->arena, text, &document, &f->err), &f->err);
    assert_true(cv_scope_parse(&all_types, &f->arena, &document, &rows, &errs));
    cv_record *copy = board_memory(&f->arena, &f->err);
    assert_int_equal(cv_scope_restore(copy, &f->arena, &rows, false, &f->err), CV_WRITE_DONE);
    assert_ok(cv_scope_verify(copy, &f->arena, BOARD("x"), NULL, &at, &f->err), &f->err);
    cv_record_close(copy);
}

static void a_text_that_vanished_does_not(void **state)
{
    fixture *f = *state;
    const char *marker = cv_redacted(&f->arena, CV_STR("secret words")).p;
    static const char *const places[] = {
        "cards SET body = '%s' WHERE number = 10", "lines SET text = '%s' WHERE thread = 'a/b' AND seq = 1",
        "events SET data = '%s' WHERE seq = 2", "commits SET result = '%s' WHERE rev = 1"};
    static const char *const texts[] = {"secret words", "secret words", "{\"old\":\"secret words\"}",
                                        "{\"answer\":\"secret words\"}"};
    write_all(f);
    drop_triggers(f);
    for (size_t i = 0; i < CV_COUNT(places); i++) {
        const char *right = cv_redacted(&f->arena, cv_str_of(texts[i])).p;
        char sql[300], update[400];
        snprintf(sql, sizeof sql, places[i], right);
        snprintf(update, sizeof update, "UPDATE %s", sql);
        run(f, update); /* the right hash, but no event */
        assert_found(f, "the text is redacted: expected an event that says so");
        snprintf(sql, sizeof sql, places[i], i < 2 ? cv_redacted(&f->arena, CV_STR("other")).p : marker);
        snprintf(update, sizeof update, "UPDATE %s", sql);
        run(f, update); /* another hash */
        assert_fails(verifies(f), &f->err, CV_ERR_VERIFY);
        snprintf(sql, sizeof sql, places[i], texts[i]);
        snprintf(update, sizeof update, "UPDATE %s", sql);
        run(f, update);
        assert_ok(verifies(f), &f->err);
    }
    redact_all(f);
    assert_ok(verifies(f), &f->err);
    run(f, "UPDATE lines SET text = 'secret words' WHERE thread = 'a/b' AND seq = 1");
    assert_found(f, "the text was redacted, but it is there again");
}

/* Nobody can write what stands for a redacted text, and only texts are redacted. */
static void a_redaction_cannot_be_written(void **state)
{
    fixture *f = *state;
    cv_writing w;
    cv_written done;
    const cv_request request = {CV_STR("op"), CV_STR("d"), CV_STR("board x")};
    card c = some_card(1);
    cv_str marker = cv_redacted(&f->arena, CV_STR("x"));
    write_all(f);
    for (int i = 0; i < 4; i++) {
        cv_event_row *event = begin(f, &w, "changed");
        c.body = i == 0 ? marker : CV_STR("fine");
        c.title = i == 1 ? (cv_str){"a\0b", 3} : CV_STR("fine");
        c.rank = i == 2 ? (INT64_C(1) << 53) + 1 : 1;
        event->reason = i == 3 ? marker : CV_STR("fine");
        cv_writing_put(&w, &card_type, &c);
        assert_fails(cv_writing_commit(&w, &request, CV_STR("{}"), &done, &f->err), &f->err, CV_ERR_INVALID_VALUE);
        assert_int_equal(done.how, CV_WRITE_FAILED);
    }
    assert_str_eq(f->err.field, "reason");
    assert_ok(verifies(f), &f->err);
    assert_int_equal(sqlite3_exec(raw(f), "UPDATE events SET reason = 'other' WHERE seq = 1", NULL, NULL, NULL),
                     SQLITE_CONSTRAINT_TRIGGER);
    assert_int_equal(sqlite3_exec(raw(f), "DELETE FROM commits", NULL, NULL, NULL), SQLITE_CONSTRAINT_TRIGGER);
}

static bool count_hit(void *ctx, const cv_word_hit *hit, cv_err *err)
{
    (void)hit, (void)err;
    ++*(size_t *)ctx;
    return true;
}

static size_t hits_of(fixture *f, const char *word)
{
    size_t count = 0, behind;
    const cv_search_term term = {.text = cv_str_of(word)};
    const cv_word_query query = {.terms = &term, .count = 1, .limit = 100};
    assert_ok(f->record->calls->search(f->record, &f->arena, &query, count_hit, &count, &behind, &f->err), &f->err);
    assert_int_equal(behind, 0);
    return count;
}

/* ---- what a room adds
 * -------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t events, rows, ends;
} seen;

static bool room_event(void *ctx, const cv_scope_verifier *v, const cv_event_row *event, cv_err *err)
{
    (void)v, (void)event, (void)err;
    ((seen *)ctx)->events++;
    return true;
}

static bool room_row(void *ctx, const cv_scope_verifier *v, const cv_type *type, const void *row, cv_err *err)
{
    (void)v, (void)type, (void)row, (void)err;
    ((seen *)ctx)->rows++;
    return true;
}

static bool room_end(void *ctx, const cv_scope_verifier *v, cv_err *err)
{
    ((seen *)ctx)->ends++;
    return cv_verify_disagree(v, CV_STR("card/1"), err, "expected %d, found %d", 1, 2);
}

static void a_room_adds_its_own(void **state)
{
    fixture *f = *state;
    seen s = {0};
    cv_scope_position at;
    const cv_room_verify room = {room_event, room_row, room_end, &s};
    write_all(f);
    assert_fails(cv_scope_verify(f->record, &f->arena, BOARD("x"), &room, &at, &f->err), &f->err, CV_ERR_VERIFY);
    assert_str_eq(f->err.message, "board 'x': card/1: expected 1, found 2");
    assert_int_equal(s.events, 3);
    assert_int_equal(s.rows, (size_t)count_of(f, "SELECT (SELECT count(*) FROM cards) + (SELECT count(*) FROM lines)"));
    assert_int_equal(s.ends, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(digests_do_not_depend_on_the_pieces),
        TEST(the_last_row_of_a_key_counts),
        TEST(fields_can_be_left_out),
        TEST(every_change_is_found),
        TEST(a_new_field_leaves_old_hashes_alone),
        TEST(hashes_stay_as_they_are),
        TEST(a_redacted_text_verifies),
        TEST(a_text_that_vanished_does_not),
        TEST(a_redaction_cannot_be_written),
        TEST(a_room_adds_its_own),
    };
    return cmocka_run_group_tests_name("record_verify", tests, NULL, NULL);
}
