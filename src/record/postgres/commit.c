/* commit.c - one write: all of it, or nothing and a reason; and volatile rows.
 *
 *     [BEGIN, the lock]            fails when the scope is not where it was read
 *     the rows of each type        one statement each, their columns as arrays
 *     the events                   their hashes are made while the server works on the rows
 *     the scope's new position     the trigger refuses a rev that is not the next one
 *     the commit, which is the feed
 *     COMMIT                       -> DONE only when the server has said so
 *
 * All of it is one round trip. `commit` comes without the lock, which was taken before: replays and revs have been
 * decided by the caller, under it. `write` takes it in the same round trip and is DONE when all goes well; an op_id
 * that was used before is a key that is there already. Whatever the server refuses is decided the other way.
 *
 * When the connection is lost meanwhile nobody knows whether the server has committed. Then the lock is taken again, on
 * a new connection: the process that held it has ended by then, so the commit is there, and it is DONE, or it is not,
 * and then it is written again if the scope is where it was. Only when no server can be reached the answer is UNKNOWN.
 * What was kept under the lock before the commit is lost with the connection: then nothing is written again.
 */
#include <assert.h>
#include <stdlib.h>

#include "record/postgres/engine.h"

enum { TRIES = 3 };

/* ---- rows -----------------------------------------------------------------------------------------------------------
 */

/* Their columns as arrays; what is the same in all of them as one value. */
static void add_fields(cv_postgres_statement *st, const cv_rows *rows, cv_postgres_shape shape)
{
    const cv_type *type = rows->type;
    for (size_t i = 0; i < type->field_count; i++)
        if (shape.absent >> i & 1)
            continue;
        else if (shape.same >> i & 1)
            cv_postgres_value_of(st, &type->fields[i], rows->rows);
        else
            cv_postgres_field(st, type, &type->fields[i], rows->rows, rows->count);
}

static void add_rows(cv_postgres_record *r, cv_postgres_batch *batch, const cv_rows *rows, bool fresh, int64_t rev)
{
    cv_postgres_shape shape = cv_postgres_shape_of(rows, fresh);
    const char *text = cv_postgres_put(r, batch->arena, rows, fresh, shape);
    cv_postgres_statement *st = cv_postgres_add(batch, "write the rows", text);
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_int(st, rev);
    add_fields(st, rows, shape);
}

static void add_columns(cv_postgres_statement *st, const cv_rows *rows)
{
    for (size_t i = 0; i < rows->type->field_count; i++)
        cv_postgres_field(st, rows->type, &rows->type->fields[i], rows->rows, rows->count);
}

/* They bring their own revs. */
static void add_restored(cv_postgres_record *r, cv_postgres_batch *batch, const cv_rows *rows)
{
    const char *text = cv_postgres_put_restored(r, cv_postgres_type_of(r, rows->type));
    cv_postgres_statement *st = cv_postgres_add(batch, "write the rows", text);
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_ints(st, rows->rows, rows->count, rows->type->size, 0);
    add_columns(st, rows);
}

static void add_volatile(cv_postgres_record *r, cv_postgres_batch *batch, const cv_postgres_scope *key,
                         const cv_rows *rows)
{
    const char *text = cv_postgres_put_volatile(r, cv_postgres_type_of(r, rows->type));
    cv_postgres_statement *st = cv_postgres_add(batch, "write the rows", text);
    cv_postgres_uuid(st, key->bytes);
    add_columns(st, rows);
}

/* Takes the lock, if the scope is still there. */
static void add_lock(cv_postgres_record *r, cv_postgres_batch *batch)
{
    cv_postgres_begin_write(r, batch, r->wait_ms);
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "lock the scope", "scope_lock_at");
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_int(st, r->at.rev);
    cv_postgres_text(st, r->at.head);
}

static void add_position(cv_postgres_record *r, cv_postgres_statement *st, const cv_write *write)
{
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_int(st, write->at.rev);
    cv_postgres_text(st, write->at.head);
    cv_postgres_int(st, write->at.event_count);
}

static const cv_rows *events_of(const cv_write *write)
{
    static const cv_rows none = {&cv_event_row_type, NULL, 0};
    for (size_t i = 0; i < write->count; i++)
        if (write->rows[i].type == &cv_event_row_type)
            return &write->rows[i];
    return &none;
}

/* The events, the scope's new position and the commit (end_write() in sql/postgres/). */
static void add_end(cv_postgres_record *r, cv_postgres_batch *batch, const cv_write *write)
{
    const cv_commit_row *commit = &write->commit;
    const cv_rows *events = events_of(write);
    const cv_type *type = &cv_event_row_type;
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "write the commit", "write_end");
    add_position(r, st, write);
    cv_postgres_text(st, commit->op_id);
    cv_postgres_text(st, commit->operation);
    cv_postgres_text(st, commit->digest);
    cv_postgres_text(st, commit->created_at);
    cv_postgres_text(st, commit->result);
    uint64_t absent = events->count > 0 ? cv_postgres_shape_of(events, true).absent : 0; /* then the array is empty */
    for (size_t i = 0; i < type->field_count; i++)
        cv_postgres_field(st, type, &type->fields[i], events->rows, absent >> i & 1 ? 0 : events->count);
}

static void add_some(cv_postgres_record *r, cv_postgres_batch *batch, const cv_write *write, size_t number)
{
    const cv_rows *rows = &write->rows[number];
    if (rows->count == 0)
        return;
    if (rows->type->life == CV_VOLATILE)
        add_volatile(r, batch, &r->key, rows);
    else if (write->restored)
        add_restored(r, batch, rows);
    else
        add_rows(r, batch, rows, number < 64 && write->fresh >> number & 1, write->at.rev);
}

/* What needs the hashes of the events: they themselves and the commits. What needs the scope to be there: volatile
 * rows.
 */
typedef enum { FIRST, EVENTS, VOLATILE, COMMITS } part;

static part part_of(const cv_type *type)
{
    return type == &cv_event_row_type    ? EVENTS
           : type == &cv_commit_row_type ? COMMITS
           : type->life == CV_VOLATILE   ? VOLATILE
                                         : FIRST;
}

static void add_part(cv_postgres_record *r, cv_postgres_batch *batch, const cv_write *write, part which)
{
    for (size_t i = 0; i < write->count; i++)
        if (part_of(write->rows[i].type) == which)
            add_some(r, batch, write, i);
}

typedef struct {
    cv_postgres_record *r;
    const cv_write *write;
    cv_write *unfinished; /* the same; NULL: it is finished */
} adding;

/* While its answer is waited for. */
static void keep_rows(void *ctx)
{
    const adding *add = ctx;
    cv_kept_scopes_write(&add->r->kept, add->r->key.digits, &add->r->at, add->write);
}

static void add_rest(void *ctx, cv_postgres_batch *batch)
{
    const adding *add = ctx;
    const cv_write *write = add->write;
    cv_postgres_record *r = add->r;
    if (add->unfinished)
        cv_write_finish(add->unfinished);
    if (write->restored) {
        add_part(r, batch, write, EVENTS);
        add_position(r, cv_postgres_ask(r, batch, "write the scope's position", "scope_move"), write);
    } else {
        add_end(r, batch, write);
    }
    add_part(r, batch, write, VOLATILE);
    if (write->restored)
        add_part(r, batch, write, COMMITS);
    cv_postgres_ask(r, batch, "commit", "commit");
}

/* ---- redactions -----------------------------------------------------------------------------------------------------
 */

static void add_redaction(cv_postgres_record *r, cv_postgres_batch *batch, const cv_redaction *x)
{
    assert(x->field->role == CV_LONG);
    const char *text = cv_postgres_redact(r, batch->arena, x->type, x->field);
    cv_postgres_statement *st = cv_postgres_add(batch, "redact the text", text);
    cv_postgres_uuid(st, r->key.bytes);
    cv_postgres_text(st, x->text);
    for (size_t i = 0; i < x->type->key_count; i++)
        cv_postgres_value_of(st, &x->type->fields[i], x->row);
}

/* They are rare, and one that finds nothing must stop the write: a round trip of their own. */
static cv_postgres_result redact_all(cv_postgres_record *r, cv_arena *a, const cv_write *write, cv_err *err)
{
    cv_postgres_batch batch = {.arena = a};
    for (size_t i = 0; i < write->redaction_count; i++)
        add_redaction(r, &batch, &write->redactions[i]);
    cv_postgres_result result = cv_postgres_run(r->c, &batch, err);
    const cv_postgres_statement *st = batch.first;
    for (size_t i = 0; result == CV_POSTGRES_OK && i < write->redaction_count; i++, st = st->next) {
        const cv_redaction *x = &write->redactions[i];
        if (st->changed != 1) {
            cv_err_set(err, CV_ERR_INVALID_VALUE, "there is no %.*s to redact",
                       CV_FMT(cv_row_name(err->arena, x->type, x->row)));
            return CV_POSTGRES_REFUSED;
        }
        if (x->type->search && !cv_postgres_search_forget(r, a, x, err))
            return CV_POSTGRES_OTHER;
    }
    return result;
}

/* ---- one write ------------------------------------------------------------------------------------------------------
 */

static cv_postgres_result write_once(cv_postgres_record *r, const cv_write *write, cv_err *err)
{
    cv_arena scratch = {0};
    adding add = {r, write, NULL};
    cv_postgres_batch batch = {.arena = &scratch, .meanwhile = keep_rows, .meanwhile_ctx = &add};
    cv_postgres_result result = CV_POSTGRES_OK;
    if (write->redaction_count > 0)
        result = redact_all(r, &scratch, write, err);
    if (result == CV_POSTGRES_OK) {
        add_part(r, &batch, write, FIRST);
        add_rest(&add, &batch);
        result = cv_postgres_run(r->c, &batch, err);
    }
    cv_arena_release(&scratch);
    return result;
}

/* The same with the lock, in one. */
static cv_postgres_result lock_and_write(cv_postgres_record *r, cv_write *write, cv_err *err)
{
    cv_arena scratch = {0};
    adding add = {r, write, write};
    cv_postgres_batch batch = {
        .arena = &scratch, .rest = add_rest, .rest_ctx = &add, .meanwhile = keep_rows, .meanwhile_ctx = &add};
    add_lock(r, &batch);
    add_part(r, &batch, write, FIRST);
    cv_postgres_result result = cv_postgres_run(r->c, &batch, err);
    cv_arena_release(&scratch);
    return result;
}

/* Is the write there, now that its scope is locked again? */
static bool is_there(const cv_postgres_record *r, const cv_write *write)
{
    if (write->restored)
        return r->at.rev == write->at.rev && cv_str_eq(r->at.head, write->at.head);
    return r->brought.in_scope && r->brought.row.rev == write->at.rev &&
           cv_str_eq(r->brought.row.head, write->commit.head);
}

static cv_write_result not_written(const char *what, cv_err *err)
{
    cv_err_set(err, CV_ERR_BUSY, "%s", what);
    cv_err_suggest(err, CV_STR("nothing was written: repeat the request"));
    return CV_WRITE_BUSY;
}

/* After a try that the server did not answer, or that others were in the way of: DONE, or the scope is locked again:
 * at the same rev (BUSY: try again), or at another one. */
static cv_write_result look_again(cv_postgres_record *r, const cv_write *write, bool unanswered, bool *ret_again,
                                  cv_err *err)
{
    const cv_scope_position before = {.rev = r->at.rev, .head = cv_arena_copy(err->arena, r->at.head)};
    cv_scope_position now;
    cv_err again = {.arena = err->arena};
    r->brought.op_id = write->restored ? CV_STR("") : write->commit.op_id;
    if (!cv_postgres_lock_again(r, &now, &again)) {
        cv_err_copy(err, &again);
        return unanswered ? CV_WRITE_UNKNOWN : cv_postgres_refused(err);
    }
    if (is_there(r, write))
        return CV_WRITE_DONE;
    if (now.rev != before.rev || !cv_str_eq(now.head, before.head))
        return not_written("the connection was lost, and somebody else has written before it was made again", err);
    if (r->changed)
        return not_written("the connection was lost, and with it what had been written under the lock", err);
    *ret_again = true;
    return CV_WRITE_BUSY;
}

static cv_write_result write_all(cv_postgres_record *r, const cv_write *write, cv_err *err)
{
    assert(!write->finish && "its events have their hashes");
    for (int tries = 1;; tries++) {
        bool again = false;
        cv_err trouble = {.arena = err->arena};
        cv_postgres_result result = write_once(r, write, &trouble);
        cv_write_result found = CV_WRITE_DONE;
        if (result == CV_POSTGRES_OK)
            r->open = false; /* the server has ended it */
        else if (result != CV_POSTGRES_LOST && result != CV_POSTGRES_RETRY)
            found = cv_postgres_refused(&trouble);
        else {
            cv_postgres_rollback(r->c);
            found = look_again(r, write, result == CV_POSTGRES_LOST, &again, &trouble);
        }
        if (again && tries < TRIES)
            continue;
        if (again)
            found = not_written("the connection was lost again and again", &trouble);
        if (found != CV_WRITE_DONE)
            cv_err_copy(err, &trouble);
        return found;
    }
}

/* Volatile rows that were changed under the lock, and nothing else. */
static cv_write_result keep_changes(cv_postgres_record *r, cv_err *err)
{
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    cv_postgres_ask(r, &batch, "commit", "commit");
    cv_postgres_result result = cv_postgres_run(r->c, &batch, err);
    cv_arena_release(&scratch);
    r->open = result != CV_POSTGRES_OK;
    return result == CV_POSTGRES_OK     ? CV_WRITE_DONE
           : result == CV_POSTGRES_LOST ? CV_WRITE_UNKNOWN
                                        : cv_postgres_refused(err);
}

static void end_write(cv_postgres_record *r, const cv_write *write, cv_write_result result)
{
    if (write)
        cv_kept_scopes_end(&r->kept, r->key.digits, result == CV_WRITE_DONE);
    if (write && result == CV_WRITE_DONE)
        cv_known_revs_raise(&r->seen, r->key.digits, write->at.rev, write->at.head);
    r->writing = r->writing && r->open;
    r->base.calls->end(&r->base);
}

cv_write_result cv_postgres_commit(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    (void)a;
    assert(r->open && r->writing);
    cv_write_result result = !write                                      ? keep_changes(r, err)
                             : cv_record_check_write(&r->at, write, err) ? write_all(r, write, err)
                                                                         : CV_WRITE_FAILED;
    end_write(r, write, result);
    return result;
}

/* Without an answer it is found out what the server has done, as for every write. Who waits for the lock in vain does
 * not wait again. All else that goes wrong, and a write that is not there then, is certainly not written: the other way
 * finds out what it is. */
bool cv_postgres_write(cv_record *record, cv_scope_id scope, const cv_scope_position *expect, cv_write *write,
                       cv_write_result *ret_result, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_err trouble = {.arena = err->arena};
    if (write->restored || write->copied || write->redaction_count > 0 ||
        !cv_postgres_is_at(r, scope, expect, &trouble))
        return false;
    bool again = false;
    cv_postgres_result result = lock_and_write(r, write, &trouble);
    bool is_known = result == CV_POSTGRES_OK || result == CV_POSTGRES_BUSY; /* it has waited long enough */
    *ret_result = result == CV_POSTGRES_OK ? CV_WRITE_DONE : CV_WRITE_BUSY;
    if (result != CV_POSTGRES_OK)
        cv_postgres_rollback(r->c);
    if (result == CV_POSTGRES_LOST && !write->finish) { /* else it was lost before COMMIT was made */
        *ret_result = look_again(r, write, true, &again, &trouble);
        is_known = *ret_result == CV_WRITE_DONE || *ret_result == CV_WRITE_UNKNOWN;
    }
    if (is_known && *ret_result != CV_WRITE_DONE)
        cv_err_copy(err, &trouble);
    end_write(r, write, *ret_result);
    return is_known;
}

/* ---- volatile rows --------------------------------------------------------------------------------------------------
 */

static int by_key(const void *x, const void *y, void *type)
{
    return cv_row_order(type, *(const void *const *)x, *(const void *const *)y);
}

/* In the order of their keys, as rows are put: who changes the same rows waits, and nobody waits for them meanwhile. */
static void add_removals(cv_postgres_record *r, cv_postgres_batch *batch, const cv_postgres_scope *key,
                         const cv_rows *rows)
{
    const cv_type *type = rows->type;
    const char *text = cv_postgres_remove(r, cv_postgres_type_of(r, type));
    const void **sorted = CV_NEW_ARRAY(batch->arena, rows->count, const void *);
    for (size_t i = 0; i < rows->count; i++)
        sorted[i] = (const char *)rows->rows + i * type->size;
    if (rows->count > 1)
        qsort_r(sorted, rows->count, sizeof *sorted, by_key, (void *)(uintptr_t)type);
    for (size_t i = 0; i < rows->count; i++) {
        cv_postgres_statement *st = cv_postgres_add(batch, "remove the row", text);
        cv_postgres_uuid(st, key->bytes);
        for (size_t k = 0; k < type->key_count; k++)
            cv_postgres_value_of(st, &type->fields[k], sorted[i]);
    }
}

/* Writes that change several kinds of them may be in the way: nothing was written then. */
static cv_postgres_result run_alone(cv_postgres_record *r, cv_postgres_batch *batch, cv_err *err)
{
    cv_postgres_result result = CV_POSTGRES_RETRY;
    cv_err trouble = {.arena = err->arena};
    for (int tries = 0; tries < TRIES && result == CV_POSTGRES_RETRY; tries++) {
        cv_err_clear(&trouble);
        result = cv_postgres_run_again(r->c, batch, &trouble);
        if (result != CV_POSTGRES_OK)
            cv_postgres_rollback(r->c);
    }
    if (result != CV_POSTGRES_OK)
        cv_err_copy(err, &trouble);
    return result;
}

/* Rows of a scope that is not there are not written: the statement asks for it. Those that may be lost need not wait
 * for the server's disk. */
static bool change_volatile(cv_postgres_record *r, cv_scope_id scope, const cv_rows *rows, bool removed, cv_err *err)
{
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    const cv_postgres_scope key = cv_postgres_scope_key(scope);
    assert(rows->type->life == CV_VOLATILE && (!r->open || r->writing));
    if (!r->open) {
        cv_postgres_begin_write(r, &batch, r->wait_ms);
        cv_postgres_ask(r, &batch, "begin to write", "may_be_lost");
    }
    cv_postgres_statement *there = cv_postgres_ask(r, &batch, "read the scope's position", "scope_there");
    cv_postgres_uuid(there, key.bytes);
    if (removed)
        add_removals(r, &batch, &key, rows);
    else if (rows->count > 0)
        add_volatile(r, &batch, &key, rows);
    if (!r->open)
        cv_postgres_ask(r, &batch, "commit", "commit");
    bool ok = (r->open ? cv_postgres_run(r->c, &batch, err) : run_alone(r, &batch, err)) == CV_POSTGRES_OK;
    r->changed = r->changed || r->open;
    if (ok && there->rows == 0)
        ok = cv_record_no_scope(scope, err);
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_keep(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    return change_volatile((cv_postgres_record *)record, scope, rows, false, err);
}

bool cv_postgres_drop_rows(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    return change_volatile((cv_postgres_record *)record, scope, rows, true, err);
}
