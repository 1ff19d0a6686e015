/* engine.c - the record on PostgreSQL: transactions, what the lock brings along, what was seen; opening.
 *
 *     lock     the row of the scope, FOR UPDATE: writers of one scope take turns, those of others do not meet. A scope
 *              that is not there yet gets a row with rev 0, which nobody sees, in a transaction of its own: so there is
 *              always something to lock
 *     begin    one snapshot (REPEATABLE READ) for all that is read until end
 *
 * A lock that two transactions fight for (40001, 40P01) is asked for again: nothing was written. A connection that was
 * lost is made again when nothing of the transaction has been seen.
 *
 * On every new connection the lock looks who answers, before anything is written: a server that has less than was seen
 * is refused, whatever is to be written; and if the tables have come to another server meanwhile an era of the feed is
 * over, and a new one begins.
 */
#include <assert.h>

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
    bool is_within = r->open || r->still;
    return (is_within ? cv_postgres_run(r->c, batch, err) : cv_postgres_run_again(r->c, batch, err)) == CV_POSTGRES_OK;
}

cv_write_result cv_postgres_refused(const cv_err *err)
{
    return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
}

/* ---- what was seen -------------------------------------------------------------------------------------------------
 */

static bool regressed(const cv_postgres_record *r, const cv_known_rev *seen, int64_t rev, cv_err *err)
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
    return false;
}

/* What begin and lock want to know of a scope. */
typedef struct {
    cv_postgres_record *r;
    bool found;               /* a row, even one with rev 0 */
    const cv_known_rev *seen; /* of this scope; else the newest of all; NULL: nothing was seen */
    cv_str head_before;       /* at the rev that was seen; absent: there is no such commit */
} entering;

/* Rev, head and number of events stand side by side, from this column on. */
static void take_position(entering *e, const cv_postgres_row *row, int column)
{
    cv_postgres_record *r = e->r;
    e->found = true;
    r->at = (cv_scope_position){.rev = cv_postgres_column_int(row, column)};
    if (r->at.rev > 0) {
        r->at.head = cv_arena_copy(&r->turn, cv_postgres_column(row, column + 1));
        r->at.event_count = cv_postgres_column_int(row, column + 2);
    }
}

static bool see_scope(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    take_position(ctx, row, 0);
    return true;
}

static bool is_of_scope(const cv_postgres_record *r, const cv_known_rev *seen)
{
    return seen && memcmp(seen->key, r->key.digits, CV_KNOWN_REV_KEY_DIGITS) == 0;
}

static bool see_head(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    entering *e = ctx;
    (void)err;
    e->head_before = cv_arena_copy(&e->r->turn, cv_postgres_column(row, 0));
    return true;
}

/* What was noted last is what a server that has less is most likely not to have: of a scope that was not seen it is
 * asked for that, for a pooler may lead to another server at any time. */
static const cv_known_rev *seen_of(const cv_postgres_record *r)
{
    const cv_known_rev *seen = cv_known_revs_get(&r->seen, r->key.digits);
    return seen ? seen : r->seen.newest;
}

static void add_seen(cv_postgres_statement *st, const cv_known_rev *seen)
{
    uint8_t key[CV_POSTGRES_UUID_BYTES] = {0};
    if (seen)
        cv_postgres_key_bytes(seen->key, key);
    cv_postgres_uuid(st, key);
    cv_postgres_int(st, seen ? seen->rev : CV_ABSENT);
}

static bool is_missing(const entering *e)
{
    return e->seen && !cv_str_eq(e->head_before, (cv_str){e->seen->head, CV_HASH_DIGITS});
}

static bool has_seen(const cv_postgres_record *r, const entering *e)
{
    return !is_missing(e) && !(is_of_scope(r, e->seen) && r->at.rev < e->seen->rev);
}

/* Is everything there that was seen? Then what is there now is seen. */
static bool compare_seen(cv_postgres_record *r, const entering *e, cv_err *err)
{
    if (is_of_scope(r, e->seen) && !has_seen(r, e))
        return regressed(r, e->seen, r->at.rev, err);
    if (is_missing(e)) { /* of another scope: those around it are looked at */
        r->compared = 0;
        if (!cv_postgres_compare_latest(r, err))
            return false;
    }
    if (r->at.rev > 0 && !r->still)
        cv_known_revs_raise(&r->seen, r->key.digits, r->at.rev, r->at.head);
    return true;
}

/* ---- transactions -------------------------------------------------------------------------------------------------
 */

static void take_back(cv_postgres_record *r)
{
    assert(r->open || !r->writing);
    if (r->open && !r->still)
        cv_postgres_rollback(r->c);
    r->open = r->writing = false;
    r->brought.is_known = false;
}

static void end(cv_record *record)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    take_back(r);
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
    r->changed = false;
    return r->still || cv_known_revs_refresh(&r->seen, err);
}

static void answer_position(const cv_postgres_record *r, cv_arena *a, cv_scope_position *ret_at)
{
    *ret_at = r->at;
    ret_at->head = cv_arena_copy(a, r->at.head);
    ret_at->moved_to = cv_arena_copy(a, r->at.moved_to);
}

/* The statements that begin a reading; the connection must not be lost between them and what follows. */
static void add_begin(cv_postgres_record *r, cv_postgres_batch *batch, entering *e)
{
    if (!r->still)
        cv_postgres_ask(r, batch, "begin to read", "begin_read");
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "read the scope's position", "scope");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_rows(st, see_scope, e);
    e->seen = seen_of(r);
    if (!e->seen)
        return;
    st = cv_postgres_ask(r, batch, "read the commits", "commit_head");
    add_seen(st, e->seen);
    cv_postgres_rows(st, see_head, e);
}

/* That the record has less than was seen is reported once for each connection: a caller that continues wants to see
 * what is left. */
static bool is_told(const cv_postgres_record *r)
{
    return r->told == r->c->costs.connects;
}

/* They have run: is what was seen there? */
static bool begun(cv_postgres_record *r, const entering *e, bool ok, cv_err *err)
{
    bool is_known = is_told(r);
    r->open = true;
    if (ok && (is_known || compare_seen(r, e, err)))
        return true;
    end(&r->base);
    if (err->code == CV_ERR_REGRESSED)
        cv_postgres_advise_regressed(r, err);
    return false;
}

static bool begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    if (!enter(r, scope, err))
        return false;
    entering e = {.r = r};
    cv_postgres_batch batch = {.arena = &r->turn};
    add_begin(r, &batch, &e);
    if (!begun(r, &e, cv_postgres_read(r, &batch, err), err))
        return false;
    answer_position(r, a, ret_at);
    return true;
}

/* A lookup whose rows come before it could be asked whether everything is there that was seen. */
typedef struct {
    const cv_lookup *lookup;
    const entering *e;
    cv_kept_scope *kept; /* gets the rows, too; NULL: nothing is kept */
    bool *passed_over;
} early;

/* What comes from a server that seems to have less is not shown: that is looked into first. */
static bool see_early(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const early *x = ctx;
    if (x->kept)
        cv_kept_scope_see(x->kept, &x->lookup->find, row);
    if (has_seen(x->e->r, x->e) || is_told(x->e->r))
        return x->lookup->visit(x->lookup->ctx, scope, row, err);
    *x->passed_over = true;
    return true;
}

/* Begin, all of it, and the end. */
static bool look_late(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_lookup *lookups, size_t count,
                      cv_scope_position *ret_at, cv_err *err)
{
    if (!begin(record, a, scope, ret_at, err))
        return false;
    bool ok = cv_postgres_find_all(record, lookups, count, err);
    end(record);
    return ok;
}

/* All that was read to write is kept for the next write, at its position. NULL: what was shown is of another moment. */
static void keep_reading(cv_postgres_record *r, cv_kept_scope *kept, const cv_lookup *lookups, size_t count,
                         const cv_scope_position *at)
{
    cv_reading_to_write *to_write = r->base.to_write;
    if (to_write->was_kept && !(at && cv_kept_scopes_has(&r->kept, r->key.digits, at)))
        to_write->is_mixed = true;
    cv_kept_scopes_add(&r->kept, kept, lookups, count, at);
}

/* The same in one round trip: what ends the reading goes along, for what is sent next would have to wait for its
 * answer. Without a pipeline that has come by then. */
static bool look_now(cv_postgres_record *r, cv_arena *a, cv_scope_id scope, const cv_lookup *lookups, size_t count,
                     cv_scope_position *ret_at, cv_err *err)
{
    cv_record *record = &r->base;
    bool passed_over = false;
    entering e = {.r = r};
    cv_postgres_batch batch = {.arena = &r->turn};
    cv_lookup *early_ones = CV_NEW_ARRAY(&r->turn, count, cv_lookup);
    cv_kept_scope *kept = record->to_write ? cv_kept_scope_begin(r->key.digits) : NULL;
    add_begin(r, &batch, &e);
    for (size_t i = 0; i < count; i++) {
        early *x = CV_NEW(&r->turn, early);
        *x = (early){&lookups[i], &e, kept, &passed_over};
        early_ones[i] = (cv_lookup){lookups[i].find, see_early, x};
        cv_postgres_add_find(r, &batch, &early_ones[i]);
    }
    if (r->c->pipeline && !r->still)
        cv_postgres_ask(r, &batch, "end the reading", "rollback");
    bool ok = begun(r, &e, cv_postgres_read(r, &batch, err), err);
    if (ok) {
        answer_position(r, a, ret_at);
        end(record);
    }
    if (kept)
        keep_reading(r, kept, lookups, count, ok && !passed_over ? ret_at : NULL);
    return ok && (!passed_over || look_late(record, a, scope, lookups, count, ret_at, err));
}

/* The scope, if its rows need not be asked for. */
static const cv_kept_scope *had_to_write(cv_postgres_record *r, const cv_lookup *lookups, size_t count)
{
    const char *key = r->key.digits;
    return r->base.to_write && r->base.to_write->may_be_kept
               ? cv_kept_scopes_get(&r->kept, key, cv_known_revs_get(&r->seen, key), lookups, count)
               : NULL;
}

static bool look(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_lookup *lookups, size_t count,
                 cv_scope_position *ret_at, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    if (!enter(r, scope, err))
        return false;
    const cv_kept_scope *had = had_to_write(r, lookups, count);
    if (!had)
        return look_now(r, a, scope, lookups, count, ret_at, err);
    r->at = *cv_kept_scope_at(had);
    answer_position(r, a, ret_at);
    record->to_write->was_kept = true;
    end(record);
    return cv_kept_scope_show(had, lookups, count, err);
}

/* One snapshot for all that is read until it ends, whatever scope it is of. Nothing is made again in it: it is over
 * when the connection is lost. It may last, so the server is not to end it because nobody asks for a while. What others
 * of the project see while it lasts is not in it, so it is compared with what was seen before. */
bool cv_postgres_stand_still(cv_postgres_record *r, cv_err *err)
{
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    assert(!r->open && !r->still);
    cv_postgres_ask(r, &batch, "begin to read", "begin_read");
    cv_postgres_limits(&batch, "begin to read", r->wait_ms, 0);
    r->still = cv_known_revs_refresh(&r->seen, err) && cv_postgres_run_again(r->c, &batch, err) == CV_POSTGRES_OK;
    if (!r->still)
        cv_postgres_rollback(r->c);
    cv_arena_release(&scratch);
    return r->still;
}

void cv_postgres_go_on(cv_postgres_record *r)
{
    assert(!r->open);
    if (r->still)
        cv_postgres_rollback(r->c);
    r->still = false;
}

/* ---- who answers --------------------------------------------------------------------------------------------------
 */

static cv_postgres_result ask_era(cv_postgres_record *r, const char *name, size_t *ret_rows, cv_err *err)
{
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    const cv_postgres_statement *st = cv_postgres_ask(r, &batch, "begin an era of the feed", name);
    cv_postgres_result result = r->open ? cv_postgres_run(r->c, &batch, err) : cv_postgres_run_again(r->c, &batch, err);
    *ret_rows = st->rows;
    cv_arena_release(&scratch);
    return result;
}

/* Can this server have made the commits that are there? Else an era is over. RETRY: what was open has been taken back
 * for that. */
static cv_postgres_result look_at_era(cv_postgres_record *r, cv_err *err)
{
    size_t over;
    uint64_t connection = r->c->costs.connects;
    bool was_open = r->open;
    cv_postgres_result result = ask_era(r, "era_is_over", &over, err);
    if (result == CV_POSTGRES_OK && over) {
        take_back(r);
        result = ask_era(r, "era_add", &over, err);
        if (result == CV_POSTGRES_OK && was_open)
            result = cv_postgres_trouble(r->c, CV_POSTGRES_RETRY, "write", CV_STR("an era of the feed has ended"), err);
    }
    if (result == CV_POSTGRES_OK || result == CV_POSTGRES_RETRY)
        r->era_of = connection;
    return result;
}

static cv_postgres_result meet_server(cv_postgres_record *r, cv_err *err)
{
    cv_postgres_result result = CV_POSTGRES_OK;
    if (r->era_of != r->c->costs.connects)
        result = look_at_era(r, err);
    if (result == CV_POSTGRES_OK && !cv_postgres_compare_latest(r, err))
        result = CV_POSTGRES_STOPPED;
    return result;
}

/* ---- the lock -----------------------------------------------------------------------------------------------------
 */

/* A commit with the op_id that was asked for: rev, operation, digest, time, result, head, from this column on. */
static void take_commit(cv_postgres_record *r, const cv_postgres_row *row, int column, cv_commit_row *ret)
{
    const cv_commit_row shown = {.rev = cv_postgres_column_int(row, column),
                                 .op_id = r->brought.op_id,
                                 .operation = cv_postgres_column(row, column + 1),
                                 .digest = cv_postgres_column(row, column + 2),
                                 .created_at = cv_postgres_column(row, column + 3),
                                 .result = cv_postgres_column(row, column + 4),
                                 .head = cv_postgres_column(row, column + 5)};
    memcpy(ret, cv_row_copy(&r->turn, &cv_commit_row_type, &shown), sizeof *ret);
}

/* All that the lock brings along (lock_scope() in sql/postgres/). */
static bool see_lock(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    enum { IS_THERE, POSITION, CLOCK = 4, MOVED_TO, DONE, SEEN_HEAD = 12 };
    entering *e = ctx;
    cv_postgres_record *r = e->r;
    (void)err;
    if (cv_postgres_column_int(row, IS_THERE) == 1)
        take_position(e, row, POSITION);
    r->at.clock_ms = cv_postgres_column_int(row, CLOCK);
    r->at.moved_to = cv_arena_copy(&r->turn, cv_postgres_column(row, MOVED_TO));
    r->brought.in_scope = cv_postgres_column(row, DONE).p;
    if (r->brought.in_scope)
        take_commit(r, row, DONE, &r->brought.row);
    e->head_before = cv_arena_copy(&r->turn, cv_postgres_column(row, SEEN_HEAD));
    return true;
}

static bool see_first(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    cv_postgres_record *r = ctx;
    (void)err;
    if (r->brought.is_first)
        return true;
    r->brought.is_first = true;
    take_commit(r, row, 0, &r->brought.first);
    r->brought.first_scope = cv_arena_copy(&r->turn, cv_postgres_column(row, 6));
    return true;
}

void cv_postgres_begin_write(cv_postgres_record *r, cv_postgres_batch *batch, int64_t wait_ms)
{
    cv_postgres_ask(r, batch, "begin to write", "begin_write");
    cv_postgres_ask(r, batch, "begin to write", "search_path");
    cv_postgres_limits(batch, "begin to write", wait_ms, r->idle_ms);
}

/* A row that can be locked; it is committed by itself, so that others find it and wait for their turn, too. */
static void add_lock_row(cv_postgres_record *r, cv_postgres_batch *batch)
{
    cv_postgres_begin_write(r, batch, r->wait_ms);
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "make the scope", "scope_add");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_text(st, r->scope.room);
    cv_postgres_text(st, r->scope.name);
    cv_postgres_ask(r, batch, "make the scope", "commit");
}

static void add_lock(cv_postgres_record *r, cv_postgres_batch *batch, entering *e)
{
    const cv_str absent = {NULL, 0};
    r->brought.is_known = r->brought.op_id.n > 0;
    e->seen = seen_of(r);
    cv_postgres_begin_write(r, batch, r->wait_ms);
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "lock the scope", "scope_lock");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_text(st, r->brought.is_known ? r->brought.op_id : absent);
    add_seen(st, e->seen);
    cv_postgres_rows(st, see_lock, e);
}

/* A scope that may be new: was another one of the room made by the same op_id? */
static void add_first(cv_postgres_record *r, cv_postgres_batch *batch, bool may_be_new)
{
    if (!r->brought.is_known || !may_be_new)
        return;
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "read the commits", "commit_first_by_op");
    cv_postgres_text(st, r->scope.room);
    cv_postgres_text(st, r->brought.op_id);
    cv_postgres_rows(st, see_first, r);
}

/* One try: one round trip, whether the scope is there or not. `again`: the lock is held; COMMIT gives it back first. */
static cv_postgres_result try_lock(cv_postgres_record *r, cv_str op_id, bool again, cv_err *err)
{
    bool may_be_new = !cv_known_revs_get(&r->seen, r->key.digits);
    entering e = {.r = r};
    cv_postgres_batch batch = {.arena = &r->turn};
    r->at = (cv_scope_position){0};
    r->brought = (cv_postgres_brought){.op_id = cv_arena_copy(&r->turn, op_id)};
    if (again)
        cv_postgres_ask(r, &batch, "wait for what was committed before", "commit");
    if (may_be_new)
        add_lock_row(r, &batch);
    add_lock(r, &batch, &e);
    add_first(r, &batch, may_be_new);
    cv_postgres_result result = again ? cv_postgres_run(r->c, &batch, err) : cv_postgres_run_again(r->c, &batch, err);
    r->open = r->writing = result == CV_POSTGRES_OK;
    if (result != CV_POSTGRES_OK)
        return result;
    if (!compare_seen(r, &e, err))
        return CV_POSTGRES_STOPPED;
    /* A backup may have taken the place of the record between the two transactions. */
    return e.found ? CV_POSTGRES_OK : cv_postgres_trouble(r->c, CV_POSTGRES_RETRY, "lock the scope", CV_STR(""), err);
}

/* The write with this op_id is about to be reported as done. It may be committed on this server alone: a caller that
 * waited for its standby was ended meanwhile. A COMMIT behind it waits for both, so the lock is given back with one and
 * taken again. */
static bool take_lock(cv_postgres_record *r, cv_str op_id, bool looked_for, cv_err *err)
{
    bool again = false;
    cv_err trouble = {.arena = err->arena};
    for (int tries = 0; tries < TRIES;) {
        cv_err_clear(&trouble);
        cv_postgres_result result = again ? CV_POSTGRES_OK : cv_postgres_ready(r->c, &trouble);
        if (result == CV_POSTGRES_OK && !again)
            result = meet_server(r, &trouble);
        if (result == CV_POSTGRES_OK)
            result = try_lock(r, op_id, again, &trouble);
        if (result == CV_POSTGRES_OK)
            result = meet_server(r, &trouble); /* if the connection was made again meanwhile */
        if (result == CV_POSTGRES_OK && (again || !(looked_for || r->brought.in_scope)))
            return true;
        bool is_lost = again && result == CV_POSTGRES_LOST && trouble.code != CV_ERR_CANCELLED; /* with the lock */
        again = result == CV_POSTGRES_OK;
        if (again)
            continue;
        tries = is_lost || result == CV_POSTGRES_RETRY ? tries + 1 : TRIES;
        r->open = true; /* whatever was begun is taken back */
        take_back(r);
    }
    if (trouble.code == CV_ERR_REGRESSED)
        cv_postgres_advise_regressed(r, &trouble);
    cv_err_copy(err, &trouble);
    cv_arena_reset(&r->turn);
    return false;
}

static bool lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                 cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    if (!enter(r, scope, err) || !take_lock(r, op_id, false, err))
        return false;
    answer_position(r, a, ret_at);
    return true;
}

bool cv_postgres_lock_again(cv_postgres_record *r, cv_scope_position *ret_at, cv_err *err)
{
    cv_str op_id = r->brought.op_id;
    r->open = r->writing = false;
    if (!take_lock(r, op_id, true, err))
        return false;
    *ret_at = r->at;
    return true;
}

/* What was seen of the scope last is that position: a server that has it has all of the scope that was seen. */
bool cv_postgres_is_at(cv_postgres_record *r, cv_scope_id scope, const cv_scope_position *expect, cv_err *err)
{
    if (expect->rev == 0 || !enter(r, scope, err))
        return false;
    const cv_known_rev *seen = cv_known_revs_get(&r->seen, r->key.digits);
    bool is_seen = seen ? seen->rev == expect->rev && cv_str_eq(expect->head, (cv_str){seen->head, CV_HASH_DIGITS})
                        : expect->head.n > 0 && !r->seen.newest;
    r->at = (cv_scope_position){.rev = expect->rev, .head = cv_arena_copy(&r->turn, expect->head)};
    return is_seen && cv_postgres_ready(r->c, err) == CV_POSTGRES_OK && meet_server(r, err) == CV_POSTGRES_OK;
}

/* ---- all scopes at once -------------------------------------------------------------------------------------------
 */

/* Writers lock a row of the table, or add one: both wait for the lock of the table itself. */
static bool hold(cv_record *record, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_postgres_batch batch = {.arena = &r->turn};
    assert(!r->open);
    cv_postgres_begin_write(r, &batch, r->wait_ms);
    cv_postgres_ask(r, &batch, "lock the record", "hold");
    r->open = r->writing = true; /* whatever was begun is taken back */
    if (cv_postgres_run_again(r->c, &batch, err) == CV_POSTGRES_OK)
        return true;
    end(record);
    return false;
}

static bool release(cv_record *record, bool keep, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_postgres_batch batch = {.arena = &r->turn};
    cv_postgres_ask(r, &batch, "commit", "commit");
    bool ok = !keep || cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
    r->open = r->open && !(keep && ok); /* the server has ended it */
    r->writing = r->open;
    end(record);
    return ok;
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

typedef struct {
    cv_arena *arena;
    const char *schema;
    cv_str text;
} naming;

static bool see_identity(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    naming *id = ctx;
    (void)err;
    id->text = cv_arena_printf(id->arena, "%.*s %s", CV_FMT(cv_postgres_column(row, 0)), id->schema);
    return true;
}

/* A server that does not answer cannot be named. */
static cv_str identity(cv_postgres_record *r, cv_arena *a)
{
    cv_err ignored = {.arena = a};
    naming id = {.arena = a, .schema = r->c->address.schema, .text = CV_STR("")};
    cv_postgres_batch batch = {.arena = a};
    cv_postgres_rows(cv_postgres_ask(r, &batch, "read the name of the server", "identity"), see_identity, &id);
    cv_postgres_read(r, &batch, &ignored);
    return id.text;
}

static void about(cv_record *record, cv_arena *a, cv_record_about *ret_about)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    int version = cv_postgres_server_version(r->c);
    *ret_about = (cv_record_about){
        cv_arena_printf(a, "PostgreSQL %d.%d", version / 10000, version % 10000), r->version,
        CV_STR("the logs of the server (WAL, messages), standbys and backups of the server may keep it "
               "until they are overwritten or removed"),
        identity(r, a)};
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
    cv_postgres_search_close(r);
    cv_postgres_close(r->c);
    cv_known_revs_close(&r->seen);
    cv_kept_scopes_close(&r->kept);
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
    .write = cv_postgres_write,
    .end = end,
    .find = cv_postgres_find,
    .find_all = cv_postgres_find_all,
    .look = look,
    .keep = cv_postgres_keep,
    .drop = cv_postgres_drop_rows,
    .scopes = cv_postgres_scopes,
    .feed = cv_postgres_feed,
    .newest = cv_postgres_newest,
    .changed = changed,
    .reader_at = cv_postgres_reader_at,
    .reader_move = cv_postgres_reader_move,
    .hold = hold,
    .release = release,
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
    r->base = (cv_record){.calls = &calls, .types = types};
    r->c = cv_postgres_new(a, address);
    r->wait_ms = WAIT_MS;
    r->idle_ms = IDLE_MS;
    cv_known_revs_open(&r->seen, seen);
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
        cv_err nobody = {.arena = err->arena};
        look_at_era(r, &nobody); /* who may not begin one can read; a write looks again, and is refused */
        *ret_record = &r->base;
        return true;
    }
    cv_record_close(&r->base);
    return false;
}
