/* bench_record.c - the record of any room against bare SQLite: one write of 500 rows with texts and 1,500 small ones, a
 * scope read whole, a page of a list, and asking whether anything has changed.
 */
#include "bench_record.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "benching.h"
#include "kit/writing.h"
#include "record/sql.h"
#include "record/sqlite/engine.h"

#define NOTE_FIELDS(F)                                                                                                 \
    F(INT, KEY, page)                                                                                                  \
    F(INT, KEY, seq)                                                                                                   \
    F(TEXT, OUTLINE, label)                                                                                            \
    F(JSON, OUTLINE, people)                                                                                           \
    F(TEXT, OUTLINE, status)                                                                                           \
    F(TEXT, PLAIN, created_at)                                                                                         \
    F(TEXT, LONG, content)
#define LINK_FIELDS(F)                                                                                                 \
    F(TEXT, KEY, source)                                                                                               \
    F(TEXT, KEY, kind)                                                                                                 \
    F(TEXT, KEY, target)                                                                                               \
    F(INT, PLAIN, page)                                                                                                \
    F(INT, PLAIN, place)                                                                                               \
    F(TEXT, PLAIN, created_at)
CV_TYPE_STRUCT(bench_note, NOTE_FIELDS)
CV_TYPE_STRUCT(bench_link, LINK_FIELDS)
static const cv_index note_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(bench_note, rev))};
static const cv_index link_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(bench_link, rev))};
#define CV_THIS_TYPE bench_note
CV_TYPE_TABLE(bench_note, "note", "notes", NOTE_FIELDS, REPLACED, NULL, CV_INDEXES(note_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE bench_link
CV_TYPE_TABLE(bench_link, "link", "links", LINK_FIELDS, ADDED, NULL, CV_INDEXES(link_indexes));
#undef CV_THIS_TYPE

static const cv_type *const bench_types[] = {&bench_note_type, &bench_link_type};
static const cv_room_types bench_records = {CV_STR_INIT("bench"), bench_types, CV_COUNT(bench_types)};
static const cv_room_types *const bench_rooms[] = {&bench_records};
static const cv_types types = {.rooms = bench_rooms, .count = 1};
static const cv_scope_id scope = {CV_STR_INIT("bench"), CV_STR_INIT("book")};

static const char schema_sql[] =
    "CREATE TABLE notes (scope INT NOT NULL REFERENCES scopes (number), page INT NOT NULL, seq INT NOT NULL,"
    " rev INT NOT NULL, label TEXT, people TEXT, status TEXT, created_at TEXT, content TEXT,"
    " PRIMARY KEY (scope, page, seq)) STRICT;"
    "CREATE INDEX notes_rev ON notes (scope, rev, page, seq);"
    "CREATE TABLE links (scope INT NOT NULL REFERENCES scopes (number), source TEXT NOT NULL, kind TEXT NOT NULL,"
    " target TEXT NOT NULL, rev INT NOT NULL, page INT, place INT, created_at TEXT,"
    " PRIMARY KEY (scope, source, kind, target)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX links_rev ON links (scope, rev, source, kind, target);";

enum { NOTES = 500, LINKS = 750, EVENTS = 750, PAGES = 40, READS = 15, ASKS = 200000 };
#define NOW "2026-02-03T04:05:06.789Z"
#define HASH "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static struct {
    bench_note notes[NOTES];
    bench_link links[LINKS];
    cv_event_row events[EVENTS];
    char content[600];
    char ids[LINKS][16];
} rows;

static void make_page(int page)
{
    for (int i = 0; i < NOTES; i++)
        rows.notes[i] = (bench_note){.page = page,
                                     .seq = i,
                                     .label = CV_STR("Income mandate mismatch"),
                                     .people = CV_STR("[\"muffin\",\"scone\"]"),
                                     .status = CV_STR("open"),
                                     .created_at = CV_STR(NOW),
                                     .content = {rows.content, sizeof rows.content}};
    for (int i = 0; i < LINKS; i++) {
        int n = snprintf(rows.ids[i], sizeof rows.ids[i], "N%02d%04d", page, i);
        rows.links[i] = (bench_link){.source = {rows.ids[i], (size_t)n},
                                     .kind = CV_STR("support"),
                                     .target = {rows.ids[(i * 7) % (i + 1)], (size_t)n},
                                     .page = page,
                                     .place = i,
                                     .created_at = CV_STR(NOW)};
    }
    for (int i = 0; i < EVENTS; i++) {
        cv_row_clear(&cv_event_row_type, &rows.events[i]);
        rows.events[i].seq = (int64_t)page * EVENTS + i + 1;
        rows.events[i].subject_type = CV_STR("note");
        rows.events[i].subject_id = rows.links[i].source;
        rows.events[i].event_type = CV_STR("created");
        rows.events[i].step = page;
        rows.events[i].actors = CV_STR("[\"muffin\"]");
        rows.events[i].covers = CV_STR("{\"note/1/3\":\"" HASH "\"}");
        rows.events[i].created_at = CV_STR(NOW);
        rows.events[i].hash = CV_STR(HASH);
    }
}

static _Noreturn void fail(const cv_err *err)
{
    cv_str text = cv_err_text(err);
    fprintf(stderr, "bench: record: %.*s\n", CV_FMT(text));
    exit(1);
}

/* ---- through the record ------------------------------------------------------------------------- */

static double commit_page(cv_record *record, cv_arena *a, int page, cv_err *err)
{
    double begin = cv_bench_seconds();
    const cv_rows lists[] = {{&bench_note_type, rows.notes, NOTES},
                             {&bench_link_type, rows.links, LINKS},
                             {&cv_event_row_type, rows.events, EVENTS}};
    cv_write write = {.commit = {.op_id = cv_arena_printf(a, "op-%d", page),
                                 .operation = CV_STR("bench write"),
                                 .digest = CV_STR(HASH),
                                 .created_at = CV_STR(NOW),
                                 .result = CV_STR("{}"),
                                 .head = CV_STR(HASH)},
                      .at = {.rev = page + 1, .head = CV_STR(HASH), .event_count = (int64_t)(page + 1) * EVENTS},
                      .rows = lists,
                      .count = CV_COUNT(lists)};
    cv_commit_row stored;
    if (cv_record_write(record, a, scope, &(cv_scope_position){.rev = page}, &write, &stored, err) != CV_WRITE_DONE)
        fail(err);
    return cv_bench_seconds() - begin;
}

/* The same rows as a room writes them: events, digests and the chain are made on the way. */
static double write_page(cv_record *record, int page, cv_err *err)
{
    double begin = cv_bench_seconds();
    cv_arena a = {0};
    cv_writing w;
    cv_written done;
    const cv_request request = {cv_arena_printf(&a, "op-%d", page), CV_STR(HASH), CV_STR("bench write")};
    if (!cv_writing_begin(&w, record, &a, scope, CV_STR(""), CV_STR(NOW), err))
        fail(err);
    for (int i = 0; i < NOTES; i++) {
        cv_writing_put(&w, &bench_note_type, &rows.notes[i]);
        cv_event_row *event = cv_writing_event(&w, CV_STR("note"), rows.links[i].source, CV_STR("created"));
        event->actors = CV_STR("[\"muffin\"]");
        cv_writing_covers(&w, event, &bench_note_type, &rows.notes[i]);
    }
    for (int i = 0; i < LINKS; i++)
        cv_writing_put(&w, &bench_link_type, &rows.links[i]);
    for (int i = NOTES; i < EVENTS; i++)
        cv_writing_event(&w, CV_STR("note"), rows.links[i].source, CV_STR("changed"));
    if (!cv_writing_commit(&w, &request, CV_STR("{}"), &done, err))
        fail(err);
    cv_arena_release(&a);
    return cv_bench_seconds() - begin;
}

typedef struct {
    size_t count, bytes;
} tally;

static bool count_note(void *ctx, cv_scope_id where, const void *row, cv_err *err)
{
    tally *t = ctx;
    const bench_note *n = row;
    (void)where, (void)err;
    t->count++;
    t->bytes += n->label.n + n->people.n + n->status.n + n->created_at.n + n->content.n;
    return true;
}

static double read_scope(cv_record *record, tally *t, cv_err *err)
{
    double begin = cv_bench_seconds();
    const cv_find find = {.type = &bench_note_type, .scope = scope};
    *t = (tally){0};
    if (!record->calls->find(record, &find, count_note, t, err))
        fail(err);
    return cv_bench_seconds() - begin;
}

/* ---- bare SQLite --------------------------------------------------------------------------------- */

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *note, *link, *event, *commit, *read, *page;
} bare;

static void run(bare *b, const char *sql)
{
    if (sqlite3_exec(b->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fprintf(stderr, "bench: bare: %s\n", sqlite3_errmsg(b->db));
}

static sqlite3_stmt *prepare(bare *b, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(b->db, sql, -1, &st, NULL) != SQLITE_OK)
        fprintf(stderr, "bench: bare: %s\n", sqlite3_errmsg(b->db));
    return st;
}

static void open_bare(bare *b, const char *path)
{
    sqlite3_open(path, &b->db);
    run(b, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    run(b, cv_sql_sqlite_schema.items[0].text);
    run(b, schema_sql);
    run(b, "INSERT INTO scopes (room, name, rev, head, event_count) VALUES ('bench', 'book', 1, 'h', 1)");
    b->note = prepare(b, "INSERT INTO notes (scope, rev, page, seq, label, people, status, created_at, content)"
                         " VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)");
    b->link = prepare(b, "INSERT INTO links (scope, rev, source, kind, target, page, place, created_at)"
                         " VALUES (1, ?, ?, ?, ?, ?, ?, ?)");
    b->event = prepare(b, "INSERT INTO events (scope, rev, seq, subject_type, subject_id, event_type, step, actors,"
                          " covers, created_at, hash) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    b->commit = prepare(b, "INSERT INTO commits (scope, rev, op_id, operation, digest, created_at, result, head)"
                           " VALUES (1, ?, ?, 'bench write', '" HASH "', '" NOW "', '{}', '" HASH "')");
    b->read = prepare(b, "SELECT rev, page, seq, label, people, status, created_at, content FROM notes WHERE scope = 1"
                         " ORDER BY page, seq");
    b->page = prepare(b, "SELECT rev, page, seq, label, people, status, created_at, content FROM notes WHERE scope = 1"
                         " AND (page, seq) > (?, ?) ORDER BY page, seq LIMIT 20");
}

static void close_bare(bare *b)
{
    sqlite3_stmt *const all[] = {b->note, b->link, b->event, b->commit, b->read, b->page};
    for (size_t i = 0; i < CV_COUNT(all); i++)
        sqlite3_finalize(all[i]);
    sqlite3_close(b->db);
}

static void text(sqlite3_stmt *st, int i, cv_str s)
{
    sqlite3_bind_text(st, i, s.p, (int)s.n, SQLITE_STATIC);
}

static void step(bare *b, sqlite3_stmt *st)
{
    if (sqlite3_step(st) != SQLITE_DONE)
        fprintf(stderr, "bench: bare: %s\n", sqlite3_errmsg(b->db));
    sqlite3_reset(st);
}

static void insert_note(bare *b, const bench_note *n, int page)
{
    sqlite3_bind_int64(b->note, 1, page + 1);
    sqlite3_bind_int64(b->note, 2, n->page);
    sqlite3_bind_int64(b->note, 3, n->seq);
    text(b->note, 4, n->label);
    text(b->note, 5, n->people);
    text(b->note, 6, n->status);
    text(b->note, 7, n->created_at);
    text(b->note, 8, n->content);
    step(b, b->note);
}

static void insert_link(bare *b, const bench_link *l, int page)
{
    sqlite3_bind_int64(b->link, 1, page + 1);
    text(b->link, 2, l->source);
    text(b->link, 3, l->kind);
    text(b->link, 4, l->target);
    sqlite3_bind_int64(b->link, 5, l->page);
    sqlite3_bind_int64(b->link, 6, l->place);
    text(b->link, 7, l->created_at);
    step(b, b->link);
}

static void insert_event(bare *b, const cv_event_row *e, int page)
{
    sqlite3_bind_int64(b->event, 1, page + 1);
    sqlite3_bind_int64(b->event, 2, e->seq);
    text(b->event, 3, e->subject_type);
    text(b->event, 4, e->subject_id);
    text(b->event, 5, e->event_type);
    sqlite3_bind_int64(b->event, 6, e->step);
    text(b->event, 7, e->actors);
    text(b->event, 8, e->covers);
    text(b->event, 9, e->created_at);
    text(b->event, 10, e->hash);
    step(b, b->event);
}

static double insert_page(bare *b, int page)
{
    char op[16];
    double begin = cv_bench_seconds();
    run(b, "BEGIN IMMEDIATE");
    for (int i = 0; i < NOTES; i++)
        insert_note(b, &rows.notes[i], page);
    for (int i = 0; i < LINKS; i++)
        insert_link(b, &rows.links[i], page);
    for (int i = 0; i < EVENTS; i++)
        insert_event(b, &rows.events[i], page);
    snprintf(op, sizeof op, "op-%d", page);
    sqlite3_bind_int64(b->commit, 1, page + 1);
    sqlite3_bind_text(b->commit, 2, op, -1, SQLITE_TRANSIENT);
    step(b, b->commit);
    run(b, "COMMIT");
    return cv_bench_seconds() - begin;
}

static double read_bare(sqlite3_stmt *st, tally *t)
{
    double begin = cv_bench_seconds();
    *t = (tally){0};
    while (sqlite3_step(st) == SQLITE_ROW) {
        t->count++;
        for (int column = 0; column < 3; column++)
            (void)sqlite3_column_int64(st, column);
        for (int column = 3; column < 8; column++)
            if (sqlite3_column_text(st, column))
                t->bytes += (size_t)sqlite3_column_bytes(st, column);
    }
    sqlite3_reset(st);
    return cv_bench_seconds() - begin;
}

/* ---- both ------------------------------------------------------------------------------------------ */

static int by_time(const void *x, const void *y)
{
    return CV_ORDER(*(const double *)x, *(const double *)y);
}

static double median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, by_time);
    return times[count / 2] * 1e3;
}

static void compare_writing(cv_record *record, cv_record *second, bare *b, cv_arena *a, cv_err *err)
{
    static double through[PAGES], whole[PAGES], alone[PAGES];
    for (int page = 0; page < PAGES; page++) {
        make_page(page);
        if (page % 2)
            alone[page] = insert_page(b, page);
        through[page] = commit_page(record, a, page, err);
        whole[page] = write_page(second, page, err);
        if (page % 2 == 0)
            alone[page] = insert_page(b, page);
    }
    double x = median(through, PAGES), y = median(alone, PAGES), z = median(whole, PAGES);
    printf("record: commit of %d rows     %7.2f ms   bare SQLite %7.2f ms   ratio %.2f\n", NOTES + LINKS + EVENTS, x, y,
           x / y);
    printf("record: the same with hashes    %7.2f ms   bare SQLite %7.2f ms   ratio %.2f\n", z, y, z / y);
}

static void compare_reading(cv_record *record, bare *b, cv_err *err)
{
    double x = 1e9, y = 1e9;
    tally s, t;
    for (int i = 0; i < READS; i++) {
        double took = read_scope(record, &s, err), rival = read_bare(b->read, &t);
        x = took < x ? took : x;
        y = rival < y ? rival : y;
    }
    if (s.count != t.count || s.bytes != t.bytes)
        printf("  the record and bare SQLite read different rows\n");
    printf("record: %zu rows read        %7.2f ms   bare SQLite %7.2f ms   ratio %.2f\n", s.count, x * 1e3, y * 1e3,
           x / y);
}

static void compare_pages(cv_record *record, bare *b, cv_err *err)
{
    enum { TIMES = 20000 };
    const bench_note after = {.page = PAGES / 2, .seq = 7};
    const cv_find find = {.type = &bench_note_type, .scope = scope, .after = &after, .limit = 20};
    tally s = {0}, t;
    double begin = cv_bench_seconds();
    for (int i = 0; i < TIMES; i++)
        record->calls->find(record, &find, count_note, &s, err);
    double x = cv_bench_seconds() - begin;
    begin = cv_bench_seconds();
    for (int i = 0; i < TIMES; i++) {
        sqlite3_bind_int64(b->page, 1, after.page);
        sqlite3_bind_int64(b->page, 2, after.seq);
        read_bare(b->page, &t);
    }
    double y = cv_bench_seconds() - begin;
    uint64_t seen = 0;
    begin = cv_bench_seconds();
    for (int i = 0; i < ASKS; i++)
        record->calls->changed(record, &seen);
    double ask = cv_bench_seconds() - begin;
    printf("record: a page of 20            %7.2f us   bare SQLite %7.2f us   ratio %.2f\n", x / TIMES * 1e6,
           y / TIMES * 1e6, x / y);
    printf("record: has anything changed?   %7.2f us\n", ask / ASKS * 1e6);
}

void bench_record(void)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    char folder[] = "/tmp/conclave-bench-XXXXXX";
    cv_sql_migration items[] = {cv_sql_sqlite_schema.items[0], {2, "002_bench", schema_sql, "bench"}};
    const cv_sql_migrations schema = {items, 2};
    if (!mkdtemp(folder))
        return;
    memset(rows.content, 'x', sizeof rows.content);
    const char *paths[3];
    for (int i = 0; i < 3; i++)
        paths[i] = cv_arena_printf(&a, "%s/%d.db", folder, i).p;
    cv_record *record = NULL, *second = NULL;
    bare b = {0};
    if (!cv_record_open(&a, paths[0], CV_RECORD_CREATE, &types, &schema, &record, &err) ||
        !cv_record_open(&a, paths[1], CV_RECORD_CREATE, &types, &schema, &second, &err))
        fail(&err);
    open_bare(&b, paths[2]);
    compare_writing(record, second, &b, &a, &err);
    compare_reading(record, &b, &err);
    compare_pages(record, &b, &err);
    close_bare(&b);
    cv_record_close(record);
    cv_record_close(second);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
    rmdir(folder);
    cv_arena_release(&a);
}
