/* engine.c - the record on PostgreSQL: transactions, what the lock brings along, what was seen; opening.
 *
 *     lock     the row of the scope, FOR UPDATE: writers of one scope take turns, those of others do not meet. A scope
 *              that is not there yet gets a row with rev 0, which nobody sees, in a transaction of its own: so there is
 *              always something to lock, and a transaction has its number only after the turn of its scope has come:
 *              the feed is in the order of these numbers
 *     begin    one snapshot (REPEATABLE READ) for all that is read until end
 *
 * A lock that two transactions fight for (40001, 40P01) is asked for again: nothing was written. A connection that was
 * lost is made anew when nothing of the transaction has been seen.
 */
#include <assert.h>
#include <stdio.h>

#include "record/postgres/engine.h"

enum {
    TRIES = 5,           /* of a lock that others are in the way of */
    WAIT_MS = 10000,     /* for a lock */
    IDLE_MS = 5 * 60000, /* a writer that has stopped is taken back by the server then */
};

cv_postgres_statement *cv_postgres_ask(cv_postgres_record *r, cv_postgres_batch *batch, const char *doing,
                                       const char *name)
{
    return cv_postgres_add(batch, doing, cv_postgres_text_of(r, name));
}

bool cv_postgres_read(cv_postgres_record *r, cv_postgres_batch *batch, cv_err *err)
{
    return (r->open ? cv_postgres_run(r->c, batch, err) : cv_postgres_run_again(r->c, batch, err)) == CV_POSTGRES_OK;
}

cv_write_result cv_postgres_refused(cv_postgres_result result, const cv_err *err)
{
    (void)result;
    return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
}

/* ---- what was seen -------------------------------------------------------------------------------------------------
 */

static bool regressed(const cv_postgres_record *r, const cv_seen_mark *seen, int64_t rev, cv_err *err)
{
    cv_scope_id s = r->scope;
    if (rev < seen->rev)
        cv_err_set(err, CV_ERR_REGRESSED,
                   "the record has lost writes: the %.*s '%.*s' was at rev %lld, now it is at %lld", CV_FMT(s.room),
                   CV_FMT(s.name), (long long)seen->rev, (long long)rev);
    else
        cv_err_set(err, CV_ERR_REGRESSED,
                   "the record has lost writes: rev %lld of the %.*s '%.*s' is not the one that was seen",
                   (long long)seen->rev, CV_FMT(s.room), CV_FMT(s.name));
    cv_err_suggest(err, cv_postgres_regressed_advice);
    return false;
}

/* What begin and lock want to know of a scope. */
typedef struct {
    cv_postgres_record *r;
    bool found;         /* a row, even one with rev 0 */
    cv_str head_before; /* at the rev that was seen last; absent: there is no such commit */
} entering;

static bool see_scope(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    entering *e = ctx;
    cv_postgres_record *r = e->r;
    (void)err;
    e->found = true;
    r->at = (cv_scope_position){.rev = cv_postgres_column_int(row, 0), .clock_ms = cv_postgres_column_int(row, 3)};
    if (r->at.rev > 0) {
        r->at.head = cv_arena_copy(&r->turn, cv_postgres_column(row, 1));
        r->at.event_count = cv_postgres_column_int(row, 2);
    }
    return true;
}

static bool see_head(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    entering *e = ctx;
    (void)err;
    e->head_before = cv_arena_copy(&e->r->turn, cv_postgres_column(row, 0));
    return true;
}

static void ask_head(cv_postgres_record *r, cv_postgres_batch *batch, entering *e)
{
    const cv_seen_mark *seen = cv_seen_get(&r->seen, r->key.digits);
    if (!seen)
        return;
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "read the commits", "commit_head");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_int(st, seen->rev);
    cv_postgres_rows(st, see_head, e);
}

/* Is everything there that was seen? Then what is there now is seen. */
static bool compare_seen(cv_postgres_record *r, const entering *e, cv_err *err)
{
    const cv_seen_mark *seen = cv_seen_get(&r->seen, r->key.digits);
    if (seen && (r->at.rev < seen->rev || !cv_str_eq(e->head_before, (cv_str){seen->head, CV_HASH_DIGITS})))
        return regressed(r, seen, r->at.rev, err);
    if (r->at.rev > 0)
        cv_seen_raise(&r->seen, r->key.digits, r->at.rev, r->at.head);
    return true;
}

/* ---- transactions -------------------------------------------------------------------------------------------------
 */

static void end(cv_record *record)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    assert(r->open || !r->writing);
    if (r->open)
        cv_postgres_rollback(r->c);
    r->open = r->writing = false;
    r->brought.is_known = false;
    cv_arena_reset(&r->turn);
}

static bool enter(cv_postgres_record *r, cv_scope_id scope, cv_err *err)
{
    assert(!r->open); /* one transaction at a time */
    cv_arena_reset(&r->turn);
    r->scope = (cv_scope_id){cv_arena_copy(&r->turn, scope.room), cv_arena_copy(&r->turn, scope.name)};
    r->key = cv_postgres_scope_key(scope);
    r->at = (cv_scope_position){0};
    r->brought = (cv_postgres_brought){0};
    return cv_seen_refresh(&r->seen, err);
}

static void answer_position(const cv_postgres_record *r, cv_arena *a, cv_scope_position *ret_at)
{
    *ret_at = r->at;
    ret_at->head = cv_arena_copy(a, r->at.head);
}

static bool begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    if (!enter(r, scope, err))
        return false;
    entering e = {.r = r};
    cv_postgres_batch batch = {.arena = &r->turn};
    cv_postgres_ask(r, &batch, "begin to read", "begin_read");
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "read the scope's position", "scope");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_rows(st, see_scope, &e);
    ask_head(r, &batch, &e);
    if (cv_postgres_run_again(r->c, &batch, err) != CV_POSTGRES_OK)
        return false;
    r->open = true;
    if (!compare_seen(r, &e, err)) {
        end(record);
        return false;
    }
    answer_position(r, a, ret_at);
    return true;
}

/* ---- the lock -----------------------------------------------------------------------------------------------------
 */

static void take_commit(cv_postgres_record *r, const cv_postgres_row *row, cv_commit_row *ret)
{
    *ret = (cv_commit_row){.rev = cv_postgres_column_int(row, 0),
                           .op_id = r->brought.op_id,
                           .operation = cv_arena_copy(&r->turn, cv_postgres_column(row, 1)),
                           .digest = cv_arena_copy(&r->turn, cv_postgres_column(row, 2)),
                           .created_at = cv_arena_copy(&r->turn, cv_postgres_column(row, 3)),
                           .result = cv_arena_copy(&r->turn, cv_postgres_column(row, 4)),
                           .head = cv_arena_copy(&r->turn, cv_postgres_column(row, 5))};
}

static bool see_op(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    cv_postgres_record *r = ctx;
    (void)err;
    r->brought.in_scope = true;
    take_commit(r, row, &r->brought.row);
    return true;
}

static bool see_first(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    cv_postgres_record *r = ctx;
    (void)err;
    if (r->brought.is_first)
        return true;
    r->brought.is_first = true;
    take_commit(r, row, &r->brought.first);
    r->brought.first_scope = cv_arena_copy(&r->turn, cv_postgres_column(row, 6));
    return true;
}

/* A row that can be locked; it is committed by itself, so that the lock comes before the number of a transaction. */
static void add_lock_row(cv_postgres_record *r, cv_postgres_batch *batch)
{
    cv_postgres_ask(r, batch, "begin to write", "begin_write");
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "make the scope", "scope_add");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_text(st, r->scope.room);
    cv_postgres_text(st, r->scope.name);
    cv_postgres_ask(r, batch, "make the scope", "commit");
}

static void add_lock(cv_postgres_record *r, cv_postgres_batch *batch, entering *e)
{
    char wait[24], idle[24];
    snprintf(wait, sizeof wait, "%lldms", (long long)r->wait_ms);
    snprintf(idle, sizeof idle, "%dms", IDLE_MS);
    cv_postgres_ask(r, batch, "begin to write", "begin_write");
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "begin to write", "limits");
    cv_postgres_text(st, cv_arena_copy(batch->arena, cv_str_of(wait)));
    cv_postgres_text(st, cv_arena_copy(batch->arena, cv_str_of(idle)));
    st = cv_postgres_ask(r, batch, "lock the scope", "scope_lock");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_rows(st, see_scope, e);
}

static void add_brought(cv_postgres_record *r, cv_postgres_batch *batch, bool may_be_new)
{
    cv_postgres_brought *b = &r->brought;
    b->is_known = b->op_id.n > 0;
    if (!b->is_known)
        return;
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "read the commits", "commit_by_op");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_text(st, b->op_id);
    cv_postgres_rows(st, see_op, r);
    if (!may_be_new)
        return;
    st = cv_postgres_ask(r, batch, "read the commits", "commit_first_by_op");
    cv_postgres_text(st, r->scope.room);
    cv_postgres_text(st, b->op_id);
    cv_postgres_rows(st, see_first, r);
}

/* One try: one round trip, whether the scope is there or not. */
static cv_postgres_result try_lock(cv_postgres_record *r, cv_str op_id, cv_err *err)
{
    bool may_be_new = !cv_seen_get(&r->seen, r->key.digits);
    entering e = {.r = r};
    cv_postgres_batch batch = {.arena = &r->turn};
    r->at = (cv_scope_position){0};
    r->brought = (cv_postgres_brought){.op_id = cv_arena_copy(&r->turn, op_id)};
    if (may_be_new)
        add_lock_row(r, &batch);
    add_lock(r, &batch, &e);
    add_brought(r, &batch, may_be_new);
    ask_head(r, &batch, &e);
    cv_postgres_result result = cv_postgres_run_again(r->c, &batch, err);
    if (result != CV_POSTGRES_OK)
        return result;
    r->open = r->writing = true;
    if (!compare_seen(r, &e, err))
        return CV_POSTGRES_STOPPED;
    /* A backup may have taken the place of the record between the two transactions. */
    return e.found ? CV_POSTGRES_OK : cv_postgres_trouble(r->c, CV_POSTGRES_RETRY, "lock the scope", CV_STR(""), err);
}

static bool take_lock(cv_postgres_record *r, cv_str op_id, cv_err *err)
{
    cv_postgres_result result = CV_POSTGRES_RETRY;
    for (int tries = 0; tries < TRIES && result == CV_POSTGRES_RETRY; tries++) {
        if (tries)
            cv_postgres_rollback(r->c);
        *err = (cv_err){.arena = err->arena};
        result = try_lock(r, op_id, err);
    }
    if (result == CV_POSTGRES_OK)
        return true;
    r->open = true; /* whatever was begun is taken back */
    end(&r->base);
    return false;
}

static bool lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                 cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    if (!enter(r, scope, err) || !take_lock(r, op_id, err))
        return false;
    answer_position(r, a, ret_at);
    return true;
}

bool cv_postgres_lock_again(cv_postgres_record *r, cv_scope_position *ret_at, cv_err *err)
{
    cv_str op_id = r->brought.op_id;
    r->open = r->writing = false;
    if (!take_lock(r, op_id, err))
        return false;
    *ret_at = r->at;
    return true;
}

/* ---- the whole store ----------------------------------------------------------------------------------------------
 */

/* Nobody can say without asking the server. */
static bool changed(cv_record *record, uint64_t *seen)
{
    (void)record;
    *seen = 0;
    return true;
}

static void about(cv_record *record, cv_arena *a, cv_record_about *ret_about)
{
    const cv_postgres_record *r = (const cv_postgres_record *)record;
    int version = cv_postgres_server_version(r->c);
    *ret_about = (cv_record_about){
        cv_arena_printf(a, "PostgreSQL %d.%d", version / 10000, version % 10000), r->version,
        CV_STR("the logs of the server (WAL, messages), standbys and backups of the server may keep it "
               "until they are overwritten or removed")};
}

static bool is_current(const cv_record *record)
{
    (void)record;
    return true;
}

static void close_record(cv_record *record)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    assert(!r->open && "every begin has its end");
    cv_postgres_close(r->c);
    cv_seen_close(&r->seen);
    cv_arena_release(&r->turn);
    cv_arena_release(&r->arena);
}

static const cv_record_calls calls = {
    .name = CV_STR_INIT("postgresql"),
    .close = close_record,
    .is_current = is_current,
    .begin = begin,
    .lock = lock,
    .commit = cv_postgres_commit,
    .end = end,
    .find = cv_postgres_find,
    .find_all = cv_postgres_find_all,
    .keep = cv_postgres_keep,
    .drop = cv_postgres_drop_rows,
    .scopes = cv_postgres_scopes,
    .feed = cv_postgres_feed,
    .newest = cv_postgres_newest,
    .changed = changed,
    .reader_at = cv_postgres_reader_at,
    .reader_move = cv_postgres_reader_move,
    .search = cv_postgres_search,
    .search_rebuild = cv_postgres_search_rebuild,
    .search_check = cv_postgres_search_check,
    .last_commit = cv_postgres_last_commit,
    .acknowledged = cv_postgres_acknowledged,
    .accept = cv_postgres_accept,
    .about = about,
    .check = cv_postgres_check,
    .examine = cv_postgres_examine,
    .backup = cv_postgres_backup,
    .scrub = cv_postgres_scrub,
    .scratch = cv_postgres_scratch,
};

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

static cv_postgres_record *new_record(cv_arena *a, const cv_postgres_address *address, const char *seen,
                                      const cv_types *types)
{
    cv_postgres_record *r = CV_NEW(a, cv_postgres_record);
    cv_types_check(types);
    r->base = (cv_record){&calls, types};
    r->c = cv_postgres_new(a, address, true);
    r->wait_ms = WAIT_MS;
    cv_seen_open(&r->seen, seen);
    r->types = CV_NEW_ARRAY(a, CV_MAX_TYPES, cv_postgres_type);
    r->types[r->type_count++].type = &cv_event_row_type;
    r->types[r->type_count++].type = &cv_commit_row_type;
    for (size_t i = 0; i < types->count; i++)
        for (size_t k = 0; k < types->rooms[i]->count; k++)
            r->types[r->type_count++].type = types->rooms[i]->types[k];
    return r;
}

bool cv_postgres_open(cv_arena *a, cv_str address, const char *seen, cv_record_mode mode, const cv_types *types,
                      const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err)
{
    cv_postgres_address parsed;
    return cv_postgres_address_parse(a, address, &parsed, err) &&
           cv_postgres_open_at(a, &parsed, seen, mode, types, schema, ret_record, err);
}

bool cv_postgres_open_at(cv_arena *a, const cv_postgres_address *address, const char *seen, cv_record_mode mode,
                         const cv_types *types, const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err)
{
    cv_postgres_record *r = new_record(a, address, seen ? cv_arena_copy_z(a, cv_str_of(seen)) : NULL, types);
    if (cv_postgres_ready(r->c, err) == CV_POSTGRES_OK &&
        cv_postgres_migrate(r->c, schema, mode == CV_RECORD_CREATE, &r->version, err)) {
        *ret_record = &r->base;
        return true;
    }
    cv_record_close(&r->base);
    return false;
}
