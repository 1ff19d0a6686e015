/* board.h - a toy room for the tests of the record: a board with cards that change, lines that are only added, and
 * cursors that are volatile; and a second room beside it.
 */
#ifndef CV_TEST_BOARD_H
#define CV_TEST_BOARD_H

#include "testing.h"

#include "kit/writing.h"
#include "record/feed.h"
#include "record/hash.h"
#include "record/postgres/engine.h"
#include "record/scope.h"
#include "record/sql.h"
#include "record/sqlite/engine.h"
#include "record/verify.h"

#define CARD_FIELDS(F)                                                                                                 \
    F(INT, KEY, number)                                                                                                \
    F(TEXT, OUTLINE, title)                                                                                            \
    F(TEXT, OUTLINE, status)                                                                                           \
    F(TEXT, PLAIN, owner)                                                                                              \
    F(INT, PLAIN, rank)                                                                                                \
    F(JSON, PLAIN, labels)                                                                                             \
    F(TEXT, LONG, body)
#define LINE_FIELDS(F)                                                                                                 \
    F(TEXT, KEY, thread)                                                                                               \
    F(INT, KEY, seq)                                                                                                   \
    F(TEXT, OUTLINE, author)                                                                                           \
    F(TEXT, LONG, text)
#define CURSOR_FIELDS(F)                                                                                               \
    F(TEXT, KEY, reader)                                                                                               \
    F(INT, OUTLINE, seen)                                                                                              \
    F(TEXT, PLAIN, note)
#define PAPER_FIELDS(F)                                                                                                \
    F(TEXT, KEY, name)                                                                                                 \
    F(TEXT, OUTLINE, title)                                                                                            \
    F(TEXT, LONG, text)

CV_TYPE_STRUCT(card, CARD_FIELDS)
CV_TYPE_STRUCT(line, LINE_FIELDS)
CV_TYPE_STRUCT(cursor, CURSOR_FIELDS)
CV_TYPE_STRUCT(paper, PAPER_FIELDS)

static bool card_search(cv_arena *a, const void *row, cv_search_text *ret)
{
    const card *c = row;
    *ret = (cv_search_text){.kind = CV_STR("card"),
                            .id = cv_arena_printf(a, "K%03lld", (long long)c->number),
                            .ids = cv_arena_printf(a, "K%03lld", (long long)c->number),
                            .title = c->title.p ? c->title : CV_STR(""),
                            .body = c->body,
                            .status = c->status,
                            .people = c->owner.p ? cv_arena_printf(a, "[\"%.*s\"]", CV_FMT(c->owner)) : CV_STR("[]")};
    return true;
}

/* A line whose thread is called like a card gives the card another id: "alias-7". Others are found by their texts. */
static bool line_search(cv_arena *a, const void *row, cv_search_text *ret)
{
    const line *l = row;
    if (cv_str_starts(l->thread, CV_STR("K"))) {
        *ret = (cv_search_text){
            .kind = CV_STR("card"), .id = l->thread, .ids = cv_arena_printf(a, "alias-%lld", (long long)l->seq)};
        return true;
    }
    *ret = (cv_search_text){.kind = CV_STR("line"),
                            .id = cv_arena_printf(a, "%.*s-%lld", CV_FMT(l->thread), (long long)l->seq),
                            .body = l->text,
                            .people = cv_arena_printf(a, "[\"%.*s\"]", CV_FMT(l->author))};
    return l->text.n > 0;
}

static bool paper_search(cv_arena *a, const void *row, cv_search_text *ret)
{
    const paper *p = row;
    (void)a;
    *ret = (cv_search_text){.kind = CV_STR("paper"), .id = p->name, .title = p->title, .body = p->text};
    return true;
}

static const cv_index card_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(card, rev)),
    CV_INDEX("status", SCOPE, CV_AT(card, status), CV_AT(card, rank)),
    CV_INDEX("owner", ACROSS, CV_AT(card, owner)),
};
static const cv_index line_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(line, rev)),
    CV_INDEX("author", SCOPE, CV_AT(line, author)),
    CV_INDEX("seq", ACROSS, CV_AT(line, seq), CV_AT(line, author)),
};
static const cv_index cursor_indexes[] = {CV_INDEX("seen", SCOPE, CV_AT(cursor, seen))};
static const cv_index paper_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(paper, rev))};

#define CV_THIS_TYPE card
CV_TYPE_TABLE(card, "card", "cards", CARD_FIELDS, REPLACED, card_search, CV_INDEXES(card_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE line
CV_TYPE_TABLE(line, "line", "lines", LINE_FIELDS, ADDED, line_search, CV_INDEXES(line_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cursor
CV_TYPE_TABLE(cursor, "cursor", "cursors", CURSOR_FIELDS, VOLATILE, NULL, CV_INDEXES(cursor_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE paper
CV_TYPE_TABLE(paper, "paper", "papers", PAPER_FIELDS, ADDED, paper_search, CV_INDEXES(paper_indexes));
#undef CV_THIS_TYPE

static const cv_type *const board_types[] = {&card_type, &line_type, &cursor_type};
static const cv_type *const desk_types[] = {&paper_type};
static const cv_room_types board_records = {CV_STR_INIT("board"), board_types, CV_COUNT(board_types)},
                           desk_records = {CV_STR_INIT("desk"), desk_types, CV_COUNT(desk_types)};
static const cv_room_types *const board_rooms[] = {&board_records, &desk_records};
static const cv_types all_types = {.rooms = board_rooms, .count = CV_COUNT(board_rooms)};

#define BOARD_SQL                                                                                                      \
    "CREATE TABLE cards (scope INT NOT NULL REFERENCES scopes (number), number INT NOT NULL, rev INT NOT NULL,"        \
    " title TEXT, status TEXT, owner TEXT, rank INT, labels TEXT, body TEXT, PRIMARY KEY (scope, number)) STRICT;"     \
    "CREATE INDEX cards_rev ON cards (scope, rev, number);"                                                            \
    "CREATE INDEX cards_status ON cards (scope, status, rank, number)"                                                 \
    " WHERE status IS NOT NULL AND rank IS NOT NULL;"                                                                  \
    "CREATE INDEX cards_owner ON cards (owner, scope, number) WHERE owner IS NOT NULL;"                                \
    "CREATE TABLE lines (scope INT NOT NULL REFERENCES scopes (number), thread TEXT NOT NULL, seq INT NOT NULL,"       \
    " rev INT NOT NULL, author TEXT NOT NULL, text TEXT, PRIMARY KEY (scope, thread, seq)) STRICT, WITHOUT ROWID;"     \
    "CREATE INDEX lines_rev ON lines (scope, rev, thread, seq);"                                                       \
    "CREATE INDEX lines_author ON lines (scope, author, thread, seq);"                                                 \
    "CREATE INDEX lines_seq ON lines (seq, author, scope, thread);"                                                    \
    "CREATE TABLE cursors (scope INT NOT NULL REFERENCES scopes (number), reader TEXT NOT NULL, seen INT, note TEXT,"  \
    " PRIMARY KEY (scope, reader)) STRICT, WITHOUT ROWID;"                                                             \
    "CREATE INDEX cursors_seen ON cursors (scope, seen, reader) WHERE seen IS NOT NULL;"                               \
    "CREATE TABLE papers (scope INT NOT NULL REFERENCES scopes (number), name TEXT NOT NULL, rev INT NOT NULL,"        \
    " title TEXT, text TEXT, PRIMARY KEY (scope, name)) STRICT;"                                                       \
    "CREATE INDEX papers_rev ON papers (scope, rev, name);"

#define BOARD_POSTGRES                                                                                                 \
    "CREATE TABLE $schema.cards (scope uuid NOT NULL, number bigint NOT NULL, rev bigint NOT NULL,"                    \
    " title text COLLATE \"C\", status text COLLATE \"C\", owner text COLLATE \"C\", rank bigint,"                     \
    " labels text COLLATE \"C\", body text COLLATE \"C\", PRIMARY KEY (scope, number)) /*partitioned*/;"               \
    "CREATE INDEX cards_rev ON $schema.cards (scope, rev, number);"                                                    \
    "CREATE INDEX cards_status ON $schema.cards (scope, status, rank, number)"                                         \
    " WHERE status IS NOT NULL AND rank IS NOT NULL;"                                                                  \
    "CREATE INDEX cards_owner ON $schema.cards (owner, scope, number) WHERE owner IS NOT NULL;"                        \
    "CREATE TABLE $schema.lines (scope uuid NOT NULL, thread text COLLATE \"C\" NOT NULL, seq bigint NOT NULL,"        \
    " rev bigint NOT NULL, author text COLLATE \"C\" NOT NULL, text text COLLATE \"C\","                               \
    " PRIMARY KEY (scope, thread, seq)) /*partitioned*/;"                                                              \
    "CREATE INDEX lines_rev ON $schema.lines (scope, rev, thread, seq);"                                               \
    "CREATE INDEX lines_author ON $schema.lines (scope, author, thread, seq);"                                         \
    "CREATE INDEX lines_seq ON $schema.lines (seq, author, scope, thread);"                                            \
    "CREATE TABLE $schema.cursors (scope uuid NOT NULL, reader text COLLATE \"C\" NOT NULL, seen bigint,"              \
    " note text COLLATE \"C\", PRIMARY KEY (scope, reader)) /*partitioned*/;"                                          \
    "CREATE INDEX cursors_seen ON $schema.cursors (scope, seen, reader) WHERE seen IS NOT NULL;"                       \
    "CREATE TABLE $schema.papers (scope uuid NOT NULL, name text COLLATE \"C\" NOT NULL, rev bigint NOT NULL,"         \
    " title text COLLATE \"C\", text text COLLATE \"C\", PRIMARY KEY (scope, name)) /*partitioned*/;"                  \
    "CREATE INDEX papers_rev ON $schema.papers (scope, rev, name);"

/* The migrations of a program with these rooms. */
static inline const cv_sql_migrations *board_schema_of(cv_arena *a, const char *sql)
{
    cv_sql_migration *items = CV_NEW_ARRAY(a, 2, cv_sql_migration);
    items[0] = cv_sql_sqlite_schema.items[0];
    items[1] = (cv_sql_migration){2, "002_board", sql, "of the tests"};
    cv_sql_migrations *schema = CV_NEW(a, cv_sql_migrations);
    *schema = (cv_sql_migrations){items, 2};
    return schema;
}

static inline cv_record *board_open(cv_arena *a, const char *path, cv_err *err)
{
    cv_record *record = NULL;
    const cv_sql_migrations *schema = board_schema_of(a, BOARD_SQL);
    assert_ok(cv_record_open(a, path, CV_RECORD_CREATE, &all_types, schema, &record, err), err);
    return record;
}

/* The migrations of the board on PostgreSQL. */
static inline const cv_sql_migrations *board_postgres_schema(void)
{
    static cv_sql_migration items[3];
    static const cv_sql_migrations schema = {items, CV_COUNT(items)};
    const cv_sql_migration *functions = cv_sql_postgres_schema.items;
    while (strcmp(functions->name, "015_functions") != 0)
        functions++;
    items[0] = cv_sql_postgres_schema.items[0];
    items[1] = (cv_sql_migration){2, "002_board", BOARD_POSTGRES, "of the tests"};
    items[2] = *functions;
    items[2].number = 3;
    return &schema;
}

/* On PostgreSQL. `seen`: the file that says what was seen; NULL: none. */
static inline cv_record *board_postgres(cv_arena *a, const char *address, const char *seen, cv_err *err)
{
    cv_record *record = NULL;
    assert_ok(cv_postgres_open(a, cv_str_of(address), seen, CV_RECORD_CREATE, &all_types, board_postgres_schema(),
                               &record, err),
              err);
    return record;
}

static inline cv_record *board_memory(cv_arena *a, cv_err *err)
{
    cv_record *record = NULL;
    assert_ok(cv_record_open_memory(a, &all_types, board_schema_of(a, BOARD_SQL), &record, err), err);
    return record;
}

/* Where nothing waits for a disk, if there is such a place. */
static inline const char *board_folder(cv_arena *a)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return cv_test_folder(a);
}

#define NOW CV_STR("2026-01-02T03:04:05.678Z")
#define BOARD(word) ((cv_scope_id){CV_STR("board"), CV_STR(word)})

/* One write to a scope: a card that changes and a line that is added, both with this text. */
static inline cv_write_result board_write(cv_record *record, cv_arena *a, cv_scope_id scope, const char *op_id,
                                          cv_err *err)
{
    cv_writing w;
    cv_written done = {.how = CV_WRITE_FAILED};
    const cv_request request = {cv_str_of(op_id), CV_STR("digest"), CV_STR("board write")};
    if (!cv_writing_begin(&w, record, a, scope, CV_STR(""), NOW, err))
        return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
    card c;
    cv_row_clear(&card_type, &c);
    c.number = 1;
    c.title = c.body = request.op_id;
    cv_writing_put(&w, &card_type, &c);
    cv_writing_put(&w, &line_type, &(line){.thread = request.op_id, .seq = w.at.rev, .author = CV_STR("ann")});
    cv_writing_event(&w, CV_STR("card"), CV_STR("1"), CV_STR("written"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &done, err);
    return done.how;
}

/* The document of a scope. */
static inline cv_str board_print(cv_record *record, cv_arena *a, cv_scope_id scope, cv_err *err)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    assert_ok(cv_scope_print(record, a, scope, &w, err), err);
    return cv_buf_take(&text, a);
}

#endif
