/* commit.c - one write: all of it, or nothing and a reason; and volatile rows.
 *
 *     the scope, or its new position     -> FAILED when its rev is not the next one
 *     the rows, each with the new rev    -> FAILED when one is refused
 *     texts that are redacted
 *     the commit, which is the feed
 *     COMMIT, and the watermark          -> DONE only when this has returned (watermark.c)
 *
 * The lock was taken by begin; replays and revs have been decided by the caller, inside of it.
 */
#include <assert.h>

#include "record/sqlite/engine.h"

static cv_write_result refused_write(cv_sqlite_record *r, const char *doing, cv_err *err)
{
    cv_sqlite_fail(r->s, doing, err);
    return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
}

/* ---- the scope ------------------------------------------------------------------------------------------------------
 */

static cv_write_result put_scope(cv_sqlite_record *r, const cv_write *write, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(r->s, r->number ? "scope_move" : "scope_add");
    bool ok = st && cv_sqlite_bind_int(st, ":scope", r->number) && cv_sqlite_bind_str(st, ":room", r->scope.room) &&
              cv_sqlite_bind_str(st, ":name", r->scope.name) && cv_sqlite_bind_int(st, ":rev", write->at.rev) &&
              cv_sqlite_bind_str(st, ":head", write->at.head) &&
              cv_sqlite_bind_int(st, ":event_count", write->at.event_count) && cv_sqlite_step(st) == 0;
    if (!ok)
        return refused_write(r, "write the scope's position", err);
    if (!r->number)
        r->number = sqlite3_last_insert_rowid(r->s->db);
    return CV_WRITE_DONE;
}

/* ---- rows -----------------------------------------------------------------------------------------------------------
 */

/* Binds one row from parameter `*next` on. `rev` 0: the row's own. */
static bool bind_row(sqlite3_stmt *st, int *next, const cv_type *type, int64_t scope, int64_t rev, const void *row)
{
    bool ok = sqlite3_bind_int64(st, (*next)++, scope) == SQLITE_OK;
    if (type->life != CV_VOLATILE)
        ok = ok && sqlite3_bind_int64(st, (*next)++, rev ? rev : cv_row_rev(row)) == SQLITE_OK;
    for (size_t i = 0; ok && i < type->field_count; i++)
        ok = cv_sqlite_bind_field(st, (*next)++, &type->fields[i], row);
    return ok;
}

/* Binds and runs one INSERT of as many rows as it has place for. */
static bool put(cv_sqlite_record *r, sqlite3_stmt *st, const cv_type *type, int64_t rev, const char *row, size_t count)
{
    int next = 1;
    bool ok = st != NULL;
    for (size_t i = 0; ok && i < count; i++, row += type->size)
        ok = bind_row(st, &next, type, r->number, rev, row);
    ok = ok && sqlite3_step(st) == SQLITE_DONE;
    return sqlite3_reset(st) == SQLITE_OK && ok;
}

/* Many at once where there are many. Those that are refused together are put one by one: the error names the row. A
 * failure that has ended the transaction does not belong to one row, and nothing may be put after it. */
static cv_write_result put_rows(cv_sqlite_record *r, const cv_rows *rows, int64_t rev, cv_err *err)
{
    cv_sqlite_type *t = cv_sqlite_type_of(r, rows->type);
    const char *row = rows->rows;
    size_t step, singles = 0; /* left of those that were refused together */
    for (size_t i = 0; i < rows->count; i += step, row += step * rows->type->size) {
        bool many = singles == 0 && rows->count - i >= CV_SQLITE_MANY;
        step = many ? CV_SQLITE_MANY : 1;
        singles -= singles > 0;
        if (put(r, cv_sqlite_put(r, t, many), rows->type, rev, row, step))
            continue;
        if (many && !sqlite3_get_autocommit(r->s->db)) {
            singles = step;
            step = 0;
            continue;
        }
        cv_write_result result = refused_write(r, "write the row", err);
        if (!many)
            cv_err_field(err, cv_row_name(err->arena, rows->type, row));
        return result;
    }
    return CV_WRITE_DONE;
}

typedef struct {
    cv_sqlite_record *r;
    const cv_type *type;
} forgetting;

/* The row keeps its rev, so the feed does not lead the search index to it: that is done here. */
static bool index_redacted(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const forgetting *it = ctx;
    (void)scope;
    return cv_sqlite_index_row(it->r, it->type, row, err);
}

static bool forget_text(cv_sqlite_record *r, const cv_redaction *x, cv_err *err)
{
    forgetting it = {r, x->type};
    const cv_find find = {.type = x->type, .scope = r->scope, .like = x->row, .equal = x->type->key_count, .limit = 1};
    return !x->type->search || cv_sqlite_find(&r->base, &find, index_redacted, &it, err);
}

static cv_write_result redact(cv_sqlite_record *r, const cv_redaction *x, cv_err *err)
{
    assert(r->writing && r->number > 0 && x->field->role == CV_LONG);
    sqlite3_stmt *st = cv_sqlite_redact(r, cv_sqlite_type_of(r, x->type), x->field);
    bool ok = st && sqlite3_bind_text64(st, 1, x->text.p, x->text.n, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK &&
              sqlite3_bind_int64(st, 2, r->number) == SQLITE_OK && cv_sqlite_bind_key(st, 3, x->type, x->row) &&
              sqlite3_step(st) == SQLITE_DONE;
    cv_write_result result = CV_WRITE_DONE;
    if (!ok) {
        result = refused_write(r, "redact the text", err);
    } else if (sqlite3_changes(r->s->db) != 1) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "there is no %.*s to redact",
                   CV_FMT(cv_row_name(err->arena, x->type, x->row)));
        result = CV_WRITE_FAILED;
    } else if (!forget_text(r, x, err)) {
        result = CV_WRITE_FAILED;
    }
    sqlite3_finalize(st);
    return result;
}

/* ---- one write ------------------------------------------------------------------------------------------------------
 */

/* Commits come last: the number of the last one is the one that is acknowledged. */
static cv_write_result write_all(cv_sqlite_record *r, const cv_write *write, cv_err *err)
{
    const cv_rows commit = {&cv_commit_row_type, &write->commit, 1};
    assert(write->restored || write->at.rev == r->at.rev + 1);
    int64_t rev = write->restored ? 0 : write->at.rev;
    cv_write_result result = put_scope(r, write, err);
    for (size_t i = 0; result == CV_WRITE_DONE && i < write->count; i++)
        if (write->rows[i].type != &cv_commit_row_type)
            result = put_rows(r, &write->rows[i], rev, err);
    for (size_t i = 0; result == CV_WRITE_DONE && i < write->redaction_count; i++)
        result = redact(r, &write->redactions[i], err);
    if (result == CV_WRITE_DONE && !write->restored)
        return put_rows(r, &commit, rev, err);
    for (size_t i = 0; result == CV_WRITE_DONE && i < write->count; i++)
        if (write->rows[i].type == &cv_commit_row_type)
            result = put_rows(r, &write->rows[i], rev, err);
    return result;
}

cv_write_result cv_sqlite_commit_write(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    (void)a;
    assert(r->open && r->writing);
    cv_write_result result = CV_WRITE_FAILED;
    if (!write)
        result = cv_sqlite_finish(r, cv_sqlite_commit(r->s, err));
    else if (cv_record_check_write(&r->at, write, err))
        result = write_all(r, write, err);
    if (write && result == CV_WRITE_DONE)
        result = cv_sqlite_finish(r, cv_sqlite_commit_marked(r->s, write->at.head, err));
    record->calls->end(record);
    return result;
}

/* ---- volatile rows --------------------------------------------------------------------------------------------------
 */

static bool remove_rows(cv_sqlite_record *r, int64_t scope, const cv_rows *rows, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_remove(r, cv_sqlite_type_of(r, rows->type));
    const char *row = rows->rows;
    bool ok = st != NULL;
    for (size_t i = 0; ok && i < rows->count; i++, row += rows->type->size) {
        sqlite3_reset(st);
        ok = sqlite3_bind_int64(st, 1, scope) == SQLITE_OK && cv_sqlite_bind_key(st, 2, rows->type, row) &&
             sqlite3_step(st) == SQLITE_DONE;
    }
    if (!ok)
        cv_sqlite_fail(r->s, "remove the row", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool change_rows(cv_sqlite_record *r, cv_scope_id scope, const cv_rows *rows, bool removed, cv_err *err)
{
    int64_t number = 0, before = r->number;
    if (!cv_sqlite_scope(r, NULL, scope, &number, NULL, err))
        return false;
    if (number == 0)
        return cv_record_no_scope(scope, err);
    if (removed)
        return remove_rows(r, number, rows, err);
    r->number = number;
    bool ok = put_rows(r, rows, 0, err) == CV_WRITE_DONE;
    r->number = before;
    return ok;
}

/* Rows that may be lost need no sync of their own: the next commit's takes them along. */
static bool change_volatile(cv_sqlite_record *r, cv_scope_id scope, const cv_rows *rows, bool removed, cv_err *err)
{
    assert(rows->type->life == CV_VOLATILE && (!r->open || r->writing));
    if (r->open)
        return change_rows(r, scope, rows, removed, err);
    cv_sqlite_run(r->s, "synchronous_normal");
    bool ok = cv_sqlite_lock(r, err);
    ok = ok && change_rows(r, scope, rows, removed, err) &&
         cv_sqlite_finish(r, cv_sqlite_commit(r->s, err)) == CV_WRITE_DONE;
    cv_sqlite_rollback(r->s);
    cv_sqlite_run(r->s, "synchronous");
    return ok;
}

bool cv_sqlite_keep(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    return change_volatile((cv_sqlite_record *)record, scope, rows, false, err);
}

bool cv_sqlite_drop(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    return change_volatile((cv_sqlite_record *)record, scope, rows, true, err);
}
