/* engine.c - the record in SQLite: opening and closing, transactions and waiting, scopes, the feed.
 *
 * One process writes at a time; the numbers of commits are made under its lock, so they follow the order of commits
 * and a reader of the feed misses none. Writers take turns in the order in which they asked (turns.c).
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "record/sqlite/engine.h"

_Static_assert((int)CV_WRITE_DONE == (int)CV_STORE_DONE && (int)CV_WRITE_CONFLICT == (int)CV_STORE_CONFLICT &&
                   (int)CV_WRITE_BUSY == (int)CV_STORE_BUSY && (int)CV_WRITE_FAILED == (int)CV_STORE_FAILED &&
                   (int)CV_WRITE_UNKNOWN == (int)CV_STORE_UNKNOWN,
               "results of the connection are results of writes");

/* ---- waiting ------------------------------------------------------------------------------------------------------
 */

enum {
    ASK_US = 250,   /* between two questions of the one whose turn it is */
    LOOK_US = 500,  /* … of those who wait behind it */
    MOST_WAITS = 12 /* of the longest wait, however many others get through */
};

/* One pause, between `us` and twice that: no two processes wake in step. False: it was long enough. Whoever sees that
 * others get through knows that its own turn comes. */
static bool pause_about(cv_sqlite_record *r, int64_t us)
{
    cv_sqlite *s = r->s;
    cv_stamp stamp;
    if (!r->hurried && cv_sqlite_stamp(&s->base, &stamp)) {
        uint64_t now = cv_str_hash((cv_str){(const char *)&stamp, sizeof stamp});
        s->waited_us = now == r->last_progress ? s->waited_us : 0;
        r->last_progress = now;
    }
    if (s->waited_us >= s->wait_us || r->waited_us >= MOST_WAITS * s->wait_us)
        return false;
    s->jitter += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (s->jitter ^ (s->jitter >> 31)) * 0xbf58476d1ce4e5b9u;
    us += (int64_t)((mixed >> 33) % (uint64_t)us);
    s->waited_us += us;
    r->waited_us += us;
    nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
    return true;
}

static int busy(void *ctx, int tries)
{
    cv_sqlite_record *r = ctx;
    if (tries == 0 && !r->locking)
        r->s->waited_us = r->waited_us = 0;
    return !r->impatient && pause_about(r, ASK_US);
}

/* Whoever is not alone waits until those who asked before have had their turn. */
static int begin_in_turn(cv_sqlite_record *r)
{
    int64_t ticket = cv_sqlite_turns_draw(r);
    while (!r->impatient && cv_sqlite_turns_waiting(r, ticket))
        r->impatient = !pause_about(r, LOOK_US);
    int rc = cv_sqlite_run(r->s, "begin_write");
    cv_sqlite_turns_give(r, ticket);
    return rc;
}

bool cv_sqlite_lock(cv_sqlite_record *r, cv_err *err)
{
    int rc = SQLITE_BUSY;
    r->s->waited_us = r->waited_us = 0;
    r->locking = true;
    if (!cv_sqlite_turns_waiting(r, INT64_MAX)) {
        r->impatient = true;
        rc = cv_sqlite_run(r->s, "begin_write");
        r->impatient = false;
    }
    if ((rc & 0xff) == SQLITE_BUSY)
        rc = begin_in_turn(r);
    r->locking = r->impatient = false;
    return rc == SQLITE_OK || cv_sqlite_fail(r->s, "begin to write", err);
}

cv_write_result cv_sqlite_finish(cv_sqlite_record *r, cv_err *err)
{
    cv_write_result result = (cv_write_result)cv_sqlite_commit(r->s, err);
    r->own_commits += result == CV_WRITE_DONE || result == CV_WRITE_UNKNOWN;
    return result;
}

/* ---- transactions -------------------------------------------------------------------------------------------------
 */

bool cv_sqlite_scope(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, int64_t *ret_number,
                     cv_scope_position *ret_at, cv_err *err)
{
    if (!ret_at && r->open && r->number && cv_str_eq(scope.name, r->scope.name) &&
        cv_str_eq(scope.room, r->scope.room)) {
        *ret_number = r->number;
        return true;
    }
    sqlite3_stmt *st = cv_sqlite_named(r, "scope");
    cv_str name = scope.name.p ? scope.name : CV_STR("");
    int got = st && cv_sqlite_bind_str(st, ":room", scope.room) && cv_sqlite_bind_str(st, ":name", name)
                  ? cv_sqlite_step(st)
                  : -1;
    *ret_number = got > 0 ? sqlite3_column_int64(st, 0) : 0;
    if (ret_at)
        *ret_at = (cv_scope_position){0};
    if (got > 0 && ret_at)
        *ret_at = (cv_scope_position){sqlite3_column_int64(st, 1), cv_arena_copy(a, cv_sqlite_column_str(st, 2)),
                                      sqlite3_column_int64(st, 3)};
    if (got < 0)
        cv_sqlite_fail(r->s, "read the scope's position", err);
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static void end(cv_record *record)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    cv_sqlite_rollback(r->s);
    r->open = r->writing = false;
    r->number = 0;
}

static bool begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_access access, cv_scope_position *ret_at,
                  cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    assert(!r->open); /* one transaction at a time */
    bool ok = access == CV_WRITE
                  ? cv_sqlite_lock(r, err)
                  : cv_sqlite_run(r->s, "begin_read") == SQLITE_OK || cv_sqlite_fail(r->s, "begin to read", err);
    if (!ok)
        return false;
    r->scope = (cv_scope_id){cv_arena_copy(a, scope.room), cv_arena_copy(a, scope.name)};
    if (!cv_sqlite_scope(r, a, scope, &r->number, &r->at, err)) {
        end(record);
        return false;
    }
    r->open = true;
    r->writing = access == CV_WRITE;
    *ret_at = r->at;
    return true;
}

/* ---- scopes and feed ----------------------------------------------------------------------------------------------
 */

static bool scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                   cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    sqlite3_stmt *st = cv_sqlite_named(r, "scopes");
    bool ok = st && cv_sqlite_bind_str(st, ":room", room) &&
              cv_sqlite_bind_str(st, ":after", after.p ? after : CV_STR("")) &&
              cv_sqlite_bind_int(st, ":limit", limit == 0 || limit > INT64_MAX ? -1 : (int64_t)limit);
    int got = ok ? 0 : -1;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        const cv_scope_position at = {sqlite3_column_int64(st, 1), cv_sqlite_column_str(st, 2),
                                      sqlite3_column_int64(st, 3)};
        ok = visit(ctx, (cv_scope_id){room, cv_sqlite_column_str(st, 0)}, &at, err);
    }
    if (got < 0)
        ok = cv_sqlite_fail(r->s, "list the scopes", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* "17-9f86d081884c": the number of a commit and the beginning of its head, by which another store's is known. */
enum { HEAD_DIGITS = 12, POSITION_BYTES = 20 + 1 + HEAD_DIGITS + 1 };

static cv_str print_position(char to[POSITION_BYTES], int64_t number, cv_str head)
{
    head = cv_str_head(head, HEAD_DIGITS);
    return (cv_str){to, (size_t)snprintf(to, POSITION_BYTES, "%lld-%.*s", (long long)number, CV_FMT(head))};
}

static bool bad_position(cv_str position, const char *what, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the position '%.*s' %s", CV_FMT(cv_str_head(position, 60)), what);
    cv_err_field(err, CV_STR("after"));
    cv_err_suggest(err, CV_STR("read the feed again from its beginning"));
    return false;
}

/* The number of the commit that a position names; 0: the beginning. It must be a commit of this store. */
static bool position_number(cv_sqlite_record *r, cv_str position, int64_t *ret_number, cv_err *err)
{
    char expected[POSITION_BYTES];
    int64_t number = 0;
    *ret_number = 0;
    if (position.n == 0)
        return true;
    for (size_t i = 0; i < position.n && cv_is_digit(position.p[i]) && number < INT64_MAX / 10 - 1; i++)
        number = number * 10 + (position.p[i] - '0');
    sqlite3_stmt *st = cv_sqlite_named(r, "feed_at");
    int got = st && cv_sqlite_bind_int(st, ":number", number) ? cv_sqlite_step(st) : -1;
    bool same = got > 0 && cv_str_eq(print_position(expected, number, cv_sqlite_column_str(st, 0)), position);
    if (got < 0)
        cv_sqlite_fail(r->s, "read the feed", err);
    if (st)
        sqlite3_reset(st);
    *ret_number = number;
    return same || (got >= 0 && bad_position(position, "is not one of this record's feed", err));
}

static bool feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    int64_t number;
    if (!position_number(r, after, &number, err))
        return false;
    sqlite3_stmt *st = cv_sqlite_named(r, "feed");
    bool ok = st && cv_sqlite_bind_int(st, ":after", number) &&
              cv_sqlite_bind_int(st, ":limit", limit == 0 || limit > INT64_MAX ? -1 : (int64_t)limit);
    int got = ok ? 0 : -1;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        char position[POSITION_BYTES];
        const cv_feed_entry entry = {
            .position = print_position(position, sqlite3_column_int64(st, 0), cv_sqlite_column_str(st, 1)),
            .scope = {cv_sqlite_column_str(st, 2), cv_sqlite_column_str(st, 3)},
            .rev = sqlite3_column_int64(st, 4),
            .op_id = cv_sqlite_column_str(st, 5),
            .operation = cv_sqlite_column_str(st, 6),
            .created_at = cv_sqlite_column_str(st, 7)};
        ok = visit(ctx, &entry, err);
    }
    if (got < 0)
        ok = cv_sqlite_fail(r->s, "read the feed", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool newest(cv_record *record, cv_arena *a, cv_str *ret_position, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    sqlite3_stmt *st = cv_sqlite_named(r, "feed_last");
    char position[POSITION_BYTES];
    int got = st ? cv_sqlite_step(st) : -1;
    *ret_position =
        got > 0 ? cv_arena_copy(a, print_position(position, sqlite3_column_int64(st, 0), cv_sqlite_column_str(st, 1)))
                : CV_STR("");
    if (got < 0)
        cv_sqlite_fail(r->s, "read the feed", err);
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

/* Where the log's index is mapped, it tells the last commit of anybody without a call of the system (sqlite_stamp.c).
 * Elsewhere the data version changes with others' commits, and our own are counted. */
static uint64_t last_commit(cv_sqlite_record *r)
{
    cv_stamp stamp;
    if (cv_sqlite_stamp(&r->s->base, &stamp))
        return cv_str_hash((cv_str){(const char *)&stamp, sizeof stamp});
    sqlite3_stmt *st = cv_sqlite_named(r, "data_version");
    bool ok = st && cv_sqlite_step(st) > 0;
    uint64_t version = ok ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
    if (st)
        sqlite3_reset(st);
    return ok ? (version << 32 | (r->own_commits & UINT32_MAX)) + 1 : 0;
}

static bool changed(cv_record *record, uint64_t *seen)
{
    uint64_t now = last_commit((cv_sqlite_record *)record);
    bool other = now == 0 || now != *seen;
    *seen = now;
    return other;
}

static bool reader_at(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    sqlite3_stmt *st = cv_sqlite_named(r, "reader");
    int got = st && cv_sqlite_bind_str(st, ":reader", reader) ? cv_sqlite_step(st) : -1;
    *ret_position = got > 0 ? cv_arena_copy(a, cv_sqlite_column_str(st, 0)) : CV_STR("");
    if (got < 0)
        cv_sqlite_fail(r->s, "read how far the feed was read", err);
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static bool reader_move(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool own = sqlite3_get_autocommit(r->s->db) != 0;
    if (own && !cv_sqlite_lock(r, err))
        return false;
    sqlite3_stmt *st = cv_sqlite_named(r, from.n ? "reader_move" : "reader_add");
    bool ok = st && cv_sqlite_bind_str(st, ":reader", reader) && cv_sqlite_bind_str(st, ":from", from) &&
              cv_sqlite_bind_str(st, ":to", to) && cv_sqlite_step(st) == 0;
    *ret_moved = ok && sqlite3_changes(r->s->db) == 1;
    if (!ok)
        cv_sqlite_fail(r->s, "note how far the feed was read", err);
    if (st)
        sqlite3_reset(st);
    if (own && ok)
        ok = cv_sqlite_finish(r, err) == CV_WRITE_DONE;
    if (own)
        cv_sqlite_rollback(r->s);
    return ok;
}

/* ---- the whole store ----------------------------------------------------------------------------------------------
 */

static void about(cv_record *record, cv_arena *a, cv_record_about *ret_about)
{
    cv_store_about it;
    cv_sqlite_about(&((cv_sqlite_record *)record)->s->base, a, &it);
    *ret_about = (cv_record_about){it.engine, it.schema};
}

static bool damaged(cv_sqlite *s, cv_str what, cv_err *err)
{
    cv_err_set(err, CV_ERR_CORRUPT, "the database is damaged: %.*s", CV_FMT(what));
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("restore it from a backup, or save what is left with sqlite3's .recover"));
    return false;
}

/* Pages and foreign keys, as sqlite_care.c checks them. */
static bool check_pages(cv_sqlite *s, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "integrity");
    if (!st || cv_sqlite_step(st) <= 0)
        return cv_sqlite_fail(s, "check the database", err);
    cv_str answer = cv_sqlite_column_str(st, 0);
    bool ok = cv_str_eq(answer, CV_STR("ok")) || damaged(s, answer, err);
    sqlite3_reset(st);
    return ok;
}

static bool check_references(cv_sqlite *s, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "foreign_keys");
    int got = st ? cv_sqlite_step(st) : -1;
    if (got < 0)
        return cv_sqlite_fail(s, "check the database", err);
    if (got > 0) {
        cv_str table = cv_sqlite_column_str(st, 0), parent = cv_sqlite_column_str(st, 2);
        damaged(s,
                cv_arena_printf(err->arena, "a row of %.*s has no counterpart in %.*s", CV_FMT(table), CV_FMT(parent)),
                err);
    }
    sqlite3_reset(st);
    return got == 0;
}

static bool check(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    return check_pages(r->s, err) && check_references(r->s, err) && cv_sqlite_check_schema(r, a, err);
}

static bool backup(cv_record *record, const char *path, cv_err *err)
{
    return cv_sqlite_backup(&((cv_sqlite_record *)record)->s->base, path, err);
}

static void close_record(cv_record *record)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    for (size_t i = 0; i < cv_sql_sqlite_statement_count; i++)
        sqlite3_finalize(r->fixed[i]);
    for (size_t i = 0; i < r->type_count; i++) {
        sqlite3_finalize(r->types[i].put);
        sqlite3_finalize(r->types[i].remove);
        for (size_t k = 0; k < r->types[i].finds.count; k++)
            sqlite3_finalize(r->types[i].finds.items[k].st);
    }
    cv_sqlite_turns_close(r);
    if (r->store) {
        cv_store_close(r->store);
        return;
    }
    for (size_t i = 0; i < cv_sql_statement_count; i++)
        sqlite3_finalize(r->s->cached[i]);
    cv_sqlite_tokenizer_close(&r->s->tokenizer);
    sqlite3_close_v2(r->s->db);
}

static bool scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err);

static const cv_record_calls calls = {
    .name = CV_STR_INIT("sqlite"),
    .close = close_record,
    .begin = begin,
    .commit = cv_sqlite_commit_write,
    .end = end,
    .find = cv_sqlite_find,
    .keep = cv_sqlite_keep,
    .drop = cv_sqlite_drop,
    .scopes = scopes,
    .feed = feed,
    .newest = newest,
    .changed = changed,
    .reader_at = reader_at,
    .reader_move = reader_move,
    .search = cv_sqlite_search_words,
    .search_rebuild = cv_sqlite_search_again,
    .about = about,
    .check = check,
    .backup = backup,
    .scratch = scratch,
};

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

static cv_sqlite_record *make(cv_arena *a, const cv_types *types, cv_sqlite *s)
{
    cv_sqlite_record *r = CV_NEW(a, cv_sqlite_record);
    cv_types_check(types);
    r->base = (cv_record){&calls, types};
    r->s = s;
    r->arena = a;
    r->turns = -1;
    r->fixed = CV_NEW_ARRAY(a, cv_sql_sqlite_statement_count, sqlite3_stmt *);
    r->types = CV_NEW_ARRAY(a, CV_MAX_TYPES, cv_sqlite_type);
    r->types[r->type_count++].type = &cv_event_row_type;
    r->types[r->type_count++].type = &cv_commit_row_type;
    for (size_t i = 0; i < types->count; i++)
        for (size_t k = 0; k < types->rooms[i].count; k++)
            r->types[r->type_count++].type = types->rooms[i].types[k];
    sqlite3_busy_handler(s->db, busy, r);
    return r;
}

bool cv_sqlite_record_open(cv_arena *a, const char *path, bool create, const cv_types *types,
                           const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err)
{
    cv_store *store;
    if (!cv_sqlite_open_with(a, path, create, schema, &store, err))
        return false;
    cv_sqlite_record *r = make(a, types, (cv_sqlite *)store);
    r->store = store;
    cv_sqlite_turns_open(r);
    *ret_record = &r->base;
    return true;
}

/* As sqlite.c configures a file. */
static bool configure(cv_sqlite *s)
{
    static const struct {
        int option, value;
    } options[] = {
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1}, {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < CV_COUNT(options); i++)
        sqlite3_db_config(s->db, options[i].option, options[i].value, (int *)NULL);
    sqlite3_extended_result_codes(s->db, 1);
    return cv_sqlite_words_define(s->db) && cv_sqlite_run(s, "recursive_triggers") == SQLITE_OK;
}

/* A database in memory, without tables. */
static cv_sqlite_record *open_memory(cv_arena *a, const cv_types *types, const cv_sql_migrations *schema, cv_err *err)
{
    cv_sqlite *s = CV_NEW(a, cv_sqlite);
    s->path = ":memory:";
    s->schema = schema;
    s->cached = CV_NEW_ARRAY(a, cv_sql_statement_count, sqlite3_stmt *);
    s->wait_us = (int64_t)CV_SQLITE_WAIT_MS * 1000;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY;
    bool ok = (sqlite3_open_v2(s->path, &s->db, flags, NULL) == SQLITE_OK && configure(s)) ||
              cv_sqlite_fail(s, "open a database in memory", err);
    cv_sqlite_record *r = make(a, types, s);
    if (!ok)
        close_record(&r->base);
    return ok ? r : NULL;
}

bool cv_sqlite_record_memory(cv_arena *a, const cv_types *types, const cv_sql_migrations *schema,
                             cv_record **ret_record, cv_err *err)
{
    cv_sqlite_record *r = open_memory(a, types, schema, err);
    bool ok = r && cv_sqlite_migrate(r->s, true, err);
    if (r && !ok)
        close_record(&r->base);
    if (ok)
        *ret_record = &r->base;
    return ok;
}

static bool scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err)
{
    cv_sqlite_record *from = (cv_sqlite_record *)record;
    if (empty)
        return cv_sqlite_record_memory(a, record->types, from->s->schema, ret_record, err);
    cv_sqlite_record *r = open_memory(a, record->types, from->s->schema, err);
    if (!r)
        return false;
    sqlite3_backup *copy = sqlite3_backup_init(r->s->db, "main", from->s->db, "main");
    if (copy)
        sqlite3_backup_step(copy, -1);
    if (!copy || sqlite3_backup_finish(copy) != SQLITE_OK) {
        cv_sqlite_fail(r->s, "copy the database", err);
        close_record(&r->base);
        return false;
    }
    *ret_record = &r->base;
    return true;
}
