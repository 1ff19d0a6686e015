/* sqlite_commit.c - one write: all of it, or nothing and a reason.
 *
 *     BEGIN IMMEDIATE                         unless the turn was taken before (cv_sqlite_hold)
 *       was this op_id committed before?      -> REPLAYED, with what was answered then
 *       did it make another dialogue?         -> FAILED: op_id_conflict
 *       is the dialogue at expect_rev?        -> CONFLICT
 *       the rows, each with the new rev       -> FAILED when one is refused
 *       the op, the position
 *       is the watermark below this commit?        -> FAILED: store_regressed (watermark.h)
 *     COMMIT                                  -> DONE only when this has returned
 *     the watermark is raised
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "record/sqlite_engine.h"
#include "vocab/errors.h"

static cv_str copy_column(cv_arena *a, sqlite3_stmt *st, int column)
{
    cv_str text = cv_sqlite_column_str(st, column);
    return text.p ? cv_arena_copy(a, text) : text;
}

/* Copies the op's row if there is one: the one with this op_id, or without one that of *ret_rev. */
static bool find_op(cv_sqlite *s, cv_arena *a, cv_str dialogue_id, cv_str *ret_op_id, int64_t *ret_rev,
                    cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err)
{
    bool named = ret_op_id->p;
    sqlite3_stmt *st = cv_sqlite_use(s, named ? "op" : "op_at");
    int got = -1;
    if (st && cv_sqlite_bind_str(st, ":dialogue_id", dialogue_id) && cv_sqlite_bind_str(st, ":op_id", *ret_op_id) &&
        cv_sqlite_bind_int(st, ":rev", *ret_rev))
        got = cv_sqlite_step(st);
    if (got > 0) {
        *ret_op_id = copy_column(a, st, 0);
        *ret_rev = sqlite3_column_int64(st, 1);
        *ret_digest = copy_column(a, st, 2);
        *ret_result = copy_column(a, st, 3);
    }
    if (got < 0)
        cv_sqlite_fail(s, "read the operation", err);
    else
        *ret_found = got > 0;
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

bool cv_sqlite_op_result(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_str op_id, int64_t *ret_rev,
                         cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err)
{
    int64_t rev = 0;
    bool ok = find_op((cv_sqlite *)store, a, dialogue_id, &op_id, &rev, ret_digest, ret_result, ret_found, err);
    if (ok && *ret_found)
        *ret_rev = rev;
    return ok;
}

bool cv_sqlite_op_at(cv_store *store, cv_arena *a, cv_str dialogue_id, int64_t rev, cv_str *ret_op_id,
                     cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err)
{
    cv_str op_id = {NULL, 0};
    bool ok = find_op((cv_sqlite *)store, a, dialogue_id, &op_id, &rev, ret_digest, ret_result, ret_found, err);
    if (ok && *ret_found)
        *ret_op_id = op_id;
    return ok;
}

/* What a write makes of an error while it reads. */
static cv_store_result not_read(const cv_err *err)
{
    return err->code == CV_ERR_BUSY ? CV_STORE_BUSY : CV_STORE_FAILED;
}

static cv_store_result op_conflict(const cv_op *op, cv_str where, cv_err *err)
{
    cv_err_set(err, CV_ERR_OP_CONFLICT, "the op_id was used before, %.*s, for another request", CV_FMT(where));
    cv_err_field(err, CV_STR("op_id"));
    cv_err_value(err, op->op_id);
    cv_err_suggest(err, CV_STR("give every request its own op_id, and repeat one only for the same request"));
    return CV_STORE_FAILED;
}

/* A dialogue to be made has no history of its own to ask: did the same op_id make another one, from another request? */
static cv_store_result check_first_op(cv_sqlite *s, cv_arena *a, const cv_op *op, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "op_first");
    int got = -1;
    cv_store_result result = CV_STORE_DONE;
    if (st && cv_sqlite_bind_str(st, ":op_id", op->op_id) && cv_sqlite_bind_str(st, ":digest", op->op_digest))
        got = cv_sqlite_step(st);
    if (got > 0)
        result = op_conflict(op, cv_arena_printf(a, "to make '%.*s'", CV_FMT(cv_sqlite_column_str(st, 0))), err);
    else if (got < 0)
        result = cv_sqlite_refuse(s, "read the operations", err);
    if (st)
        sqlite3_reset(st);
    return result;
}

/* Was it done before? DONE here means: no, go on. */
static cv_store_result check_op(cv_sqlite *s, cv_arena *a, const cv_op *op, int64_t *ret_rev, cv_str *ret_result,
                                cv_err *err)
{
    int64_t rev = 0;
    cv_str op_id = op->op_id, digest, result;
    bool found;
    if (!find_op(s, a, op->dialogue_id, &op_id, &rev, &digest, &result, &found, err))
        return not_read(err);
    if (!found)
        return op->expect_rev == 0 ? check_first_op(s, a, op, err) : CV_STORE_DONE;
    if (!cv_str_eq(digest, op->op_digest))
        return op_conflict(op, cv_arena_printf(a, "at rev %lld", (long long)rev), err);
    *ret_rev = rev;
    *ret_result = result;
    return CV_STORE_REPLAYED;
}

/* Is the dialogue where the caller saw it? DONE here means: yes, go on. */
static cv_store_result check_rev(cv_sqlite *s, cv_arena *a, const cv_op *op, cv_err *err)
{
    cv_position at = {0};
    bool found;
    if (!cv_sqlite_position(&s->base, a, op->dialogue_id, &at, &found, err))
        return not_read(err);
    bool same_head = op->expect_head.n == 0 || op->expect_rev == 0 || cv_str_eq(at.head, op->expect_head);
    if (at.rev == op->expect_rev && same_head)
        return CV_STORE_DONE;
    if (!found)
        cv_err_set(err, CV_ERR_REV_CONFLICT, "there is no such dialogue, rev %lld was expected",
                   (long long)op->expect_rev);
    else if (op->expect_rev == 0)
        cv_err_set(err, CV_ERR_REV_CONFLICT, "the id is taken by another dialogue");
    else if (at.rev == op->expect_rev)
        cv_err_set(err, CV_ERR_REV_CONFLICT, "the dialogue has another history: a backup was restored");
    else
        cv_err_set(err, CV_ERR_REV_CONFLICT, "the dialogue is at rev %lld, not %lld", (long long)at.rev,
                   (long long)op->expect_rev);
    cv_err_field(err, CV_STR("expect_rev"));
    cv_err_suggest(err, CV_STR("read the dialogue again and repeat the operation"));
    return CV_STORE_CONFLICT;
}

/* Every row's struct begins with its rev. */
static bool put_row(cv_sqlite *s, const cv_op *op, int64_t rev, cv_rec_kind kind, const void *row)
{
    if (op->restored_rev)
        memcpy(&rev, row, sizeof rev);
    const cv_sqlite_table *table = cv_sqlite_table_of(kind, row);
    sqlite3_stmt *st = table ? cv_sqlite_use(s, table->put) : NULL;
    return st && cv_sqlite_bind_row(st, table, op->dialogue_id, rev, row) && sqlite3_step(st) == SQLITE_DONE;
}

/* Names the row that was refused: "entity[17]". */
static cv_store_result refuse_row(cv_sqlite *s, cv_rec_kind kind, size_t i, const void *row, cv_err *err)
{
    cv_store_result result = CV_STORE_FAILED;
    if (cv_sqlite_table_of(kind, row))
        result = cv_sqlite_refuse(s, "write the row", err);
    else
        cv_err_set(err, CV_ERR_ENTITY_TYPE, "the kind of an entity is one of P, R, T, E, C");
    cv_err_field(err, cv_arena_printf(err->arena, "%.*s[%zu]", CV_FMT(cv_rec_types[kind].name), i));
    return result;
}

static cv_store_result put_rows(cv_sqlite *s, const cv_op *op, int64_t rev, const cv_changes *changes, cv_err *err)
{
    for (cv_rec_kind kind = 0; kind < CV_REC_COUNT; kind++) {
        const char *row = changes->items[kind];
        for (size_t i = 0; i < changes->counts[kind]; i++, row += cv_rec_types[kind].size)
            if (!put_row(s, op, rev, kind, row))
                return refuse_row(s, kind, i, row, err);
    }
    return CV_STORE_DONE;
}

static cv_store_result put_op(cv_sqlite *s, const cv_op *op, int64_t rev, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "op_put");
    bool ok = st && cv_sqlite_bind_str(st, ":dialogue_id", op->dialogue_id) &&
              cv_sqlite_bind_str(st, ":op_id", op->op_id) && cv_sqlite_bind_int(st, ":rev", rev) &&
              cv_sqlite_bind_str(st, ":digest", op->op_digest) && cv_sqlite_bind_str(st, ":now", op->now) &&
              cv_sqlite_bind_str(st, ":result", op->result) && cv_sqlite_step(st) == 0;
    return ok ? CV_STORE_DONE : cv_sqlite_refuse(s, "write the operation", err);
}

static cv_store_result put_position(cv_sqlite *s, const cv_op *op, int64_t rev, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "position_set");
    bool ok = st && cv_sqlite_bind_str(st, ":dialogue_id", op->dialogue_id) && cv_sqlite_bind_int(st, ":rev", rev) &&
              cv_sqlite_bind_str(st, ":head", op->head) && cv_sqlite_bind_int(st, ":event_count", op->event_count) &&
              cv_sqlite_step(st) == 0;
    return ok ? CV_STORE_DONE : cv_sqlite_refuse(s, "write the dialogue's position", err);
}

/* What the caller must have done right: its own mistakes are told before anything is tried. */
static bool check_request(const cv_op *op, const cv_changes *changes, cv_err *err)
{
    size_t rows = changes->counts[CV_REC_DIALOGUE];
    if (rows > 1 || (rows == 0 && op->expect_rev == 0))
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "a write has one dialogue row at most, a new dialogue needs it");
    if (op->restored_rev < 0 || (op->restored_rev > 0 && op->expect_rev != 0))
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "only a dialogue that does not exist yet can be restored");
    if (op->restored_rev > op->event_count)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "a dialogue has an event for each of its writes, at least");
    if (op->op_id.n == 0)
        return cv_err_set(err, CV_ERR_MISSING_FIELD, "a write needs an op_id");
    return true;
}

static int64_t rev_after(const cv_op *op)
{
    return op->restored_rev ? op->restored_rev : op->expect_rev + 1;
}

static cv_store_result write_all(cv_sqlite *s, cv_arena *a, const cv_op *op, const cv_changes *changes,
                                 int64_t *ret_rev, cv_str *ret_result, cv_err *err)
{
    int64_t rev = rev_after(op);
    cv_store_result result = check_op(s, a, op, ret_rev, ret_result, err);
    if (result == CV_STORE_DONE)
        result = check_rev(s, a, op, err);
    if (result == CV_STORE_DONE)
        result = put_rows(s, op, rev, changes, err);
    if (result == CV_STORE_DONE)
        result = put_op(s, op, rev, err);
    /* A position rises by one at a time, also that of a dialogue which is restored. */
    for (int64_t step = op->restored_rev ? 1 : rev; result == CV_STORE_DONE && step <= rev; step++)
        result = put_position(s, op, step, err);
    return result;
}

/* The commit gets the number of its op. Whoever has the write lock knows that every commit that was acknowledged has
 * a smaller one. */
static bool lock_mark(cv_sqlite *s, const cv_op *op, cv_commit *ret_commit, cv_watermark *ret_mark, cv_err *err)
{
    ret_commit->number = sqlite3_last_insert_rowid(s->db);
    assert(op->head.n == CV_HASH_LEN);
    memcpy(ret_commit->head, op->head.p, CV_HASH_LEN);
    if (!cv_watermark_begin(s->watermark, ret_mark, err))
        return false;
    if (ret_mark->commit.number < ret_commit->number)
        return true;
    cv_sqlite_regressed(s, &ret_mark->commit, ret_commit->number - 1, err);
    cv_watermark_end(ret_mark, NULL);
    return false;
}

/* What is committed stays so, whether the watermark can be raised or not: one that is behind says nothing wrong. */
static cv_store_result commit_and_mark(cv_sqlite *s, const cv_op *op, cv_err *err)
{
    cv_commit commit;
    cv_watermark watermark;
    if (!s->watermark)
        return cv_sqlite_commit(s, err);
    if (!lock_mark(s, op, &commit, &watermark, err)) {
        cv_sqlite_rollback(s);
        return err->code == CV_ERR_BUSY ? CV_STORE_BUSY : CV_STORE_FAILED;
    }
    cv_store_result result = cv_sqlite_commit(s, err);
    if (!cv_watermark_end(&watermark, result == CV_STORE_DONE ? &commit : NULL))
        cv_log_line("%s: the write is kept, but the watermark could not be raised to commit %lld: %s", s->watermark,
                    (long long)commit.number, strerror(errno));
    return result;
}

/* A turn is an open transaction; every other call that opens one closes it, too. */
cv_store_result cv_sqlite_hold(cv_store *store, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    if (sqlite3_get_autocommit(s->db) && !cv_sqlite_begin_write(s))
        return cv_sqlite_refuse(s, "begin to write", err);
    return CV_STORE_DONE;
}

void cv_sqlite_let_go(cv_store *store)
{
    cv_sqlite_rollback((cv_sqlite *)store);
}

/* The turn ends with the write, whatever becomes of it. */
cv_store_result cv_sqlite_write(cv_store *store, cv_arena *a, const cv_op *op, const cv_changes *changes,
                                int64_t *ret_rev, cv_str *ret_result, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    if (!check_request(op, changes, err)) {
        cv_sqlite_let_go(store);
        return CV_STORE_FAILED;
    }
    cv_store_result result = cv_sqlite_hold(store, err);
    if (result != CV_STORE_DONE)
        return result;
    result = write_all(s, a, op, changes, ret_rev, ret_result, err);
    if (result != CV_STORE_DONE) {
        cv_sqlite_let_go(store);
        return result;
    }
    result = commit_and_mark(s, op, err);
    if (result == CV_STORE_DONE) {
        *ret_rev = rev_after(op);
        *ret_result = op->result;
    }
    return result;
}
