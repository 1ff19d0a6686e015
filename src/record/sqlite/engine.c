/* engine.c - the record in SQLite: transactions and waiting, scopes, the feed, the whole store.
 *
 * One process writes at a time; the numbers of commits are made under its lock, so they follow the order of commits
 * and a reader of the feed misses none. Writers take turns in the order in which they asked (turns.c).
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/monotonic.h"
#include "base/os.h"
#include "record/place.h"
#include "record/sqlite/engine.h"

/* ---- waiting ------------------------------------------------------------------------------------------------------
 */

enum {
    ASK_US = 100,    /* between two questions of the one whose turn it is */
    LOOK_US = 500,   /* … of those who wait behind it */
    TOLD = 10,       /* times as long for those who are told what happens: they look in case that somebody was killed */
    MOST_WAITS = 12, /* of the longest wait, however many others get through */
    LOOKS = 16       /* for others who get through, in the longest wait */
};

/* A process that sees others get through knows that its own turn comes. */
static void look_for_progress(cv_sqlite_record *r)
{
    uint64_t now = cv_sqlite_watch_now(&r->watch, r->s);
    r->is_still = r->waited_us > 0 && now == r->last_progress;
    if (!now)
        return;
    r->s->waited_us = now == r->last_progress ? r->s->waited_us : 0;
    r->last_progress = now;
}

/* One pause, between `us` and twice that: no two processes wake in step. Who has a ticket is woken when its turn comes.
 * False: it was long enough. */
static bool pause_about(cv_sqlite_record *r, int64_t us)
{
    cv_sqlite *s = r->s;
    int64_t look = s->wait_us / LOOKS;
    bool is_time = r->waited_us == 0 || (look > 0 && r->waited_us / look != r->looked_us / look);
    r->is_still = false;
    if (!r->hurried && is_time) {
        r->looked_us = r->waited_us;
        look_for_progress(r);
    }
    if (s->waited_us >= s->wait_us || r->waited_us >= MOST_WAITS * s->wait_us)
        return false;
    s->jitter += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (s->jitter ^ (s->jitter >> 31)) * 0xbf58476d1ce4e5b9u;
    us += (int64_t)((mixed >> 33) % (uint64_t)us);
    int64_t began = cv_monotonic_us();
    if (!cv_sqlite_turns_wait(r, us * TOLD))
        nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
    int64_t waited = cv_monotonic_us() - began;
    s->waited_us += waited;
    r->waited_us += waited;
    return true;
}

static int busy(void *ctx, int tries)
{
    cv_sqlite_record *r = ctx;
    if (tries == 0 && !r->locking)
        r->s->waited_us = r->waited_us = 0;
    return !r->impatient && pause_about(r, ASK_US);
}

static bool is_busy(int rc)
{
    return (rc & 0xff) == SQLITE_BUSY;
}

/* Once, without waiting. */
static int try_to_begin(cv_sqlite_record *r)
{
    r->impatient = true;
    int rc = cv_sqlite_run(r->s, "begin_write");
    r->impatient = false;
    return rc;
}

/* A process that is not alone waits until those who asked before have had their turn. If nobody gets through although
 * the lock is free, the first of them was stopped: it is skipped. */
static int begin_in_turn(cv_sqlite_record *r)
{
    int rc = SQLITE_BUSY;
    bool may_wait = true;
    cv_sqlite_turns_draw(r);
    while (is_busy(rc) && may_wait && cv_sqlite_turns_waiting(r, r->ticket)) {
        may_wait = pause_about(r, LOOK_US);
        if (r->is_still || !may_wait)
            rc = try_to_begin(r);
        if (r->is_still && rc == SQLITE_OK)
            cv_sqlite_turns_skip(r);
    }
    if (is_busy(rc) && may_wait)
        rc = cv_sqlite_run(r->s, "begin_write");
    cv_sqlite_turns_give(r);
    return rc;
}

bool cv_sqlite_lock(cv_sqlite_record *r, cv_err *err)
{
    assert(!r->open && !r->locking);
    r->s->waited_us = r->waited_us = 0;
    r->locking = true;
    int rc = cv_sqlite_turns_waiting(r, INT64_MAX) ? SQLITE_BUSY : try_to_begin(r);
    if (is_busy(rc))
        rc = begin_in_turn(r);
    r->locking = false;
    r->s->has_moved = false;
    if (rc == SQLITE_OK && cv_sqlite_is_in_place(r->s))
        return true;
    cv_sqlite_turns_freed(r); /* who waits behind is to try */
    return cv_sqlite_fail(r->s, "begin to write", err);
}

cv_write_result cv_sqlite_finish(cv_sqlite_record *r, cv_sqlite_outcome outcome)
{
    static const cv_write_result results[] = {[CV_SQLITE_DONE] = CV_WRITE_DONE,
                                              [CV_SQLITE_BUSY] = CV_WRITE_BUSY,
                                              [CV_SQLITE_FAILED] = CV_WRITE_FAILED,
                                              [CV_SQLITE_UNKNOWN] = CV_WRITE_UNKNOWN};
    _Static_assert(CV_COUNT(results) == CV_SQLITE_UNKNOWN + 1, "a result per outcome");
    assert((size_t)outcome < CV_COUNT(results));
    if (outcome == CV_SQLITE_DONE || outcome == CV_SQLITE_UNKNOWN)
        atomic_fetch_add(&r->own_commits, 1);
    cv_sqlite_turns_freed(r);
    return results[outcome];
}

/* ---- transactions -------------------------------------------------------------------------------------------------
 */

bool cv_sqlite_scope_begin(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, int64_t *ret_number,
                           cv_scope_position *ret_at, cv_err *err)
{
    if (!ret_at && r->open && r->number && cv_str_eq(scope.name, r->scope.name) &&
        cv_str_eq(scope.room, r->scope.room)) {
        *ret_number = r->number;
        return true;
    }
    sqlite3_stmt *st = cv_sqlite_use(r->s, "scope");
    cv_str name = scope.name.p ? scope.name : CV_STR("");
    int got = st && cv_sqlite_bind_str(st, ":room", scope.room) && cv_sqlite_bind_str(st, ":name", name)
                  ? cv_sqlite_step(st)
                  : -1;
    *ret_number = got > 0 ? sqlite3_column_int64(st, 0) : 0;
    if (ret_at)
        *ret_at = (cv_scope_position){0};
    if (got > 0 && ret_at)
        *ret_at = (cv_scope_position){.rev = sqlite3_column_int64(st, 1),
                                      .head = cv_arena_copy(a, cv_sqlite_column_str(st, 2)),
                                      .event_count = sqlite3_column_int64(st, 3)};
    if (got < 0)
        cv_sqlite_fail(r->s, "read the scope's position", err);
    return got >= 0;
}

void cv_sqlite_scope_end(cv_sqlite_record *r)
{
    (void)cv_sqlite_use(r->s, "scope"); /* resets it */
}

bool cv_sqlite_scope(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, int64_t *ret_number,
                     cv_scope_position *ret_at, cv_err *err)
{
    bool ok = cv_sqlite_scope_begin(r, a, scope, ret_number, ret_at, err);
    cv_sqlite_scope_end(r);
    return ok;
}

static void end(cv_record *record)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    assert(r->open || !r->writing);
    bool gives_up = r->writing && !sqlite3_get_autocommit(r->s->db);
    cv_sqlite_rollback(r->s);
    if (gives_up)
        cv_sqlite_turns_freed(r);
    r->open = r->writing = false;
    r->number = 0;
}

/* Where is the scope? The transaction has begun. */
static bool enter(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    r->scope = (cv_scope_id){cv_arena_copy(a, scope.room), cv_arena_copy(a, scope.name)};
    if (!cv_sqlite_scope(r, a, scope, &r->number, &r->at, err)) {
        end(&r->base);
        return false;
    }
    r->open = true;
    *ret_at = r->at;
    return true;
}

static bool begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    assert(!r->open); /* one transaction at a time */
    if (cv_sqlite_run(r->s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(r->s, "begin to read", err);
    return enter(r, a, scope, ret_at, err);
}

/* All in one moment, and with one lock of the file. */
static bool find_all(cv_record *record, const cv_lookup *lookups, size_t count, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool alone = sqlite3_get_autocommit(r->s->db) != 0;
    if (alone && cv_sqlite_run(r->s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(r->s, "begin to read", err);
    bool ok = cv_record_find_each(record, lookups, count, err);
    if (alone)
        cv_sqlite_rollback(r->s);
    return ok;
}

/* The first column of the first row; empty: there is none. */
static bool read_text(cv_sqlite_record *r, cv_arena *a, sqlite3_stmt *st, const char *doing, cv_str *ret, cv_err *err)
{
    int got = st ? cv_sqlite_step(st) : -1;
    *ret = got > 0 ? cv_arena_copy(a, cv_sqlite_column_str(st, 0)) : CV_STR("");
    if (got < 0)
        cv_sqlite_fail(r->s, doing, err);
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static bool lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                 cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    (void)op_id;
    assert(!r->open);
    if (!cv_sqlite_lock(r, err) || !enter(r, a, scope, ret_at, err))
        return false;
    r->writing = true;
    if (!read_text(r, a, cv_sqlite_use(r->s, "moved_to"), "read where the record is", &r->at.moved_to, err)) {
        end(record);
        return false;
    }
    *ret_at = r->at;
    ret_at->clock_ms = cv_clock_system().now_ms(NULL);
    return true;
}

static bool hold(cv_record *record, cv_err *err)
{
    return cv_sqlite_lock((cv_sqlite_record *)record, err);
}

static bool release(cv_record *record, bool keep, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool ok = !keep || cv_sqlite_finish(r, cv_sqlite_commit(r->s, err)) == CV_WRITE_DONE;
    cv_sqlite_rollback(r->s);
    return ok;
}

/* ---- scopes and feed ----------------------------------------------------------------------------------------------
 */

static bool scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                   cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    sqlite3_stmt *st = cv_sqlite_use(r->s, "scopes");
    bool ok = st && cv_sqlite_bind_str(st, ":room", room) &&
              cv_sqlite_bind_str(st, ":after", after.p ? after : CV_STR("")) &&
              cv_sqlite_bind_int(st, ":limit", limit == 0 || limit > INT64_MAX ? -1 : (int64_t)limit);
    int got = ok ? 0 : -1;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        const cv_scope_position at = {.rev = sqlite3_column_int64(st, 1),
                                      .head = cv_sqlite_column_str(st, 2),
                                      .event_count = sqlite3_column_int64(st, 3)};
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

/* The number that a position begins with; 0: none. */
static int64_t position_number(cv_str position)
{
    int64_t number = 0;
    for (size_t i = 0; i < position.n && cv_is_digit(position.p[i]) && number < INT64_MAX / 10 - 1; i++)
        number = number * 10 + (position.p[i] - '0');
    return number;
}

/* The commit that the position names is read as well: it must be one of this store. */
static bool feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool found = after.n == 0;
    int64_t most = limit == 0 || limit >= INT64_MAX ? -1 : (int64_t)limit + !found;
    sqlite3_stmt *st = cv_sqlite_use(r->s, "feed");
    bool ok = st && cv_sqlite_bind_int(st, ":from", position_number(after)) && cv_sqlite_bind_int(st, ":limit", most);
    int got = ok ? 0 : -1;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        char position[POSITION_BYTES];
        const cv_feed_entry entry = {
            .position = print_position(position, sqlite3_column_int64(st, 0), cv_sqlite_column_str(st, 1)),
            .scope = {cv_sqlite_column_str(st, 2), cv_sqlite_column_str(st, 3)},
            .rev = sqlite3_column_int64(st, 4),
            .op_id = cv_sqlite_column_str(st, 5),
            .operation = cv_sqlite_column_str(st, 6),
            .created_at = cv_sqlite_column_str(st, 7),
            .head = cv_sqlite_column_str(st, 1)};
        ok = found ? visit(ctx, &entry, err) : cv_str_eq(entry.position, after);
        if (!ok && !found)
            break;
        found = true;
    }
    if (got < 0)
        ok = cv_sqlite_fail(r->s, "read the feed", err);
    else if (!found)
        ok = bad_position(after, "is not one of this record's feed", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool newest(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    sqlite3_stmt *st = cv_sqlite_use(r->s, "commit_back");
    char position[POSITION_BYTES];
    int got =
        st && cv_sqlite_bind_int(st, ":back", back > INT64_MAX ? INT64_MAX : (int64_t)back) ? cv_sqlite_step(st) : -1;
    *ret_position =
        got > 0 ? cv_arena_copy(a, print_position(position, sqlite3_column_int64(st, 0), cv_sqlite_column_str(st, 1)))
                : CV_STR("");
    if (got < 0)
        cv_sqlite_fail(r->s, "read the feed", err);
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static bool changed(cv_record *record, uint64_t *seen)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool own = strcmp(r->s->path, ":memory:") == 0;
    uint64_t now = own             ? atomic_load(&r->own_commits) + 1
                   : r->was_frozen ? 0 /* one that is opened now may do more */
                                   : cv_sqlite_watch_now(&r->watch, r->s);
    bool other = now == 0 || now != *seen;
    *seen = now;
    return other;
}

static bool reader_at(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    sqlite3_stmt *st = cv_sqlite_use(r->s, "reader");
    bool bound = st && cv_sqlite_bind_str(st, ":reader", reader);
    return read_text(r, a, bound ? st : NULL, "read the position of the feed", ret_position, err);
}

static bool reader_move(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool own = sqlite3_get_autocommit(r->s->db) != 0;
    if (own && !cv_sqlite_lock(r, err))
        return false;
    sqlite3_stmt *st = cv_sqlite_use(r->s, from.n ? "reader_move" : "reader_add");
    bool ok = st && cv_sqlite_bind_str(st, ":reader", reader) && cv_sqlite_bind_str(st, ":from", from) &&
              cv_sqlite_bind_str(st, ":to", to) && cv_sqlite_step(st) == 0;
    *ret_moved = ok && sqlite3_changes(r->s->db) == 1;
    if (!ok)
        cv_sqlite_fail(r->s, "store the position of the feed", err);
    if (st)
        sqlite3_reset(st);
    if (own && ok)
        ok = cv_sqlite_finish(r, cv_sqlite_commit(r->s, err)) == CV_WRITE_DONE;
    if (own)
        cv_sqlite_rollback(r->s);
    return ok;
}

/* ---- the whole store ----------------------------------------------------------------------------------------------
 */

void cv_sqlite_about_schema(const cv_sql_migrations *schema, cv_arena *a, cv_record_about *ret_about)
{
    *ret_about = (cv_record_about){cv_arena_printf(a, "SQLite %s", sqlite3_libversion()),
                                   schema->count ? schema->items[schema->count - 1].number : 0, CV_STR(""), CV_STR("")};
}

static void about(cv_record *record, cv_arena *a, cv_record_about *ret_about)
{
    cv_sqlite_about_schema(((cv_sqlite_record *)record)->s->schema, a, ret_about);
}

static bool check(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    return cv_sqlite_check_pages(r->s, err) && cv_sqlite_check_made(r->s, a, err) &&
           cv_sqlite_check_schema(r, a, err) && cv_sqlite_check_references(r->s, err) && cv_sqlite_check_across(r, err);
}

static bool last_commit(cv_record *record, cv_commit *ret_commit, cv_err *err)
{
    return cv_sqlite_last(((cv_sqlite_record *)record)->s, ret_commit, err);
}

static bool acknowledged(cv_record *record, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    (void)a;
    return cv_sqlite_has_acknowledged(((cv_sqlite_record *)record)->s, ret_state, err);
}

/* Nobody commits meanwhile, or the watermark would be lowered below what they have acknowledged. */
static bool accept_last(cv_record *record, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    (void)a;
    if (!cv_sqlite_lock(r, err))
        return false;
    bool ok = cv_sqlite_accept_last(r->s, ret_commit, err);
    cv_sqlite_rollback(r->s);
    return ok;
}

static bool backup(cv_record *record, const char *path, cv_err *err)
{
    return cv_sqlite_write_copy(((cv_sqlite_record *)record)->s, path, err);
}

static bool scrub(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)a;
    return cv_sqlite_write_anew(((cv_sqlite_record *)record)->s, err);
}

static bool is_current(const cv_record *record)
{
    const cv_sqlite_record *r = (const cv_sqlite_record *)record;
    cv_arena a = {0};
    bool is_there = r->watch.inode == 0 || cv_sqlite_watch_is_there(&r->watch, r->s->path);
    bool may_write_now = r->was_frozen && !cv_record_is_frozen(&a, r->s->path);
    cv_arena_release(&a);
    return is_there && !may_write_now;
}

static void close_record(cv_record *record)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    assert(!r->open && !r->locking && "every begin has its end");
    for (size_t i = 0; i < r->type_count; i++) {
        sqlite3_finalize(r->types[i].put);
        sqlite3_finalize(r->types[i].put_many);
        sqlite3_finalize(r->types[i].remove);
        for (size_t k = 0; k < r->types[i].finds.count; k++)
            sqlite3_finalize(r->types[i].finds.items[k].st);
    }
    cv_sqlite_turns_close(r);
    cv_sqlite_watch_close(&r->watch);
    cv_sqlite_disconnect(r->s);
    cv_arena_release(&r->arena);
}

static const cv_record_calls calls = {
    .name = CV_STR_INIT("sqlite"),
    .close = close_record,
    .is_current = is_current,
    .begin = begin,
    .lock = lock,
    .commit = cv_sqlite_commit_write,
    .end = end,
    .find = cv_sqlite_find,
    .find_all = find_all,
    .keep = cv_sqlite_keep,
    .drop = cv_sqlite_drop,
    .scopes = scopes,
    .feed = feed,
    .newest = newest,
    .changed = changed,
    .reader_at = reader_at,
    .reader_move = reader_move,
    .hold = hold,
    .release = release,
    .search = cv_sqlite_search_words,
    .search_rebuild = cv_sqlite_search_again,
    .search_check = cv_sqlite_search_check_rows,
    .last_commit = last_commit,
    .acknowledged = acknowledged,
    .accept = accept_last,
    .about = about,
    .check = check,
    .backup = backup,
    .scrub = scrub,
    .scratch = cv_sqlite_scratch,
};

cv_sqlite_record *cv_sqlite_record_on(cv_arena *a, const cv_types *types, cv_sqlite *s)
{
    cv_sqlite_record *r = CV_NEW(a, cv_sqlite_record);
    cv_types_check(types);
    r->base = (cv_record){.calls = &calls, .types = types};
    r->s = s;
    r->turns = -1;
    pthread_mutex_init(&r->watch.lock, NULL);
    r->types = CV_NEW_ARRAY(a, CV_MAX_TYPES, cv_sqlite_type);
    r->types[r->type_count++].type = &cv_event_row_type;
    r->types[r->type_count++].type = &cv_commit_row_type;
    for (size_t i = 0; i < types->count; i++)
        for (size_t k = 0; k < types->rooms[i]->count; k++)
            r->types[r->type_count++].type = types->rooms[i]->types[k];
    assert(r->type_count <= CV_MAX_TYPES);
    sqlite3_busy_handler(s->db, busy, r);
    return r;
}
