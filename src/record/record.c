/* record.c - what every engine does in the same way: single rows, replays, the optimistic write; see record.h. */
#include "record/record.h"

#include <assert.h>

#include "record/stored.h"

/* ---- handles ----------------------------------------------------------------------------------------------------- */

void cv_record_join(cv_record *record, cv_record_companion *c)
{
    c->next = record->companions;
    record->companions = c;
}

cv_record_companion *cv_record_companion_of(const cv_record *record, void (*close)(cv_record_companion *c))
{
    cv_record_companion *c = record->companions;
    while (c && c->close != close)
        c = c->next;
    return c;
}

void cv_record_close(cv_record *record)
{
    if (!record)
        return;
    for (cv_record_companion *c = record->companions, *next; c; c = next) {
        next = c->next;
        c->close(c);
    }
    record->calls->close(record);
}

/* ---- for engines ------------------------------------------------------------------------------------------------- */

static bool has_moved(cv_str to, cv_err *err)
{
    cv_err_set(err, CV_ERR_MOVED, "the record was moved to %.*s: nothing was written here", CV_FMT(to));
    cv_err_suggest(err, CV_STR("give the command again: the project may know the new place by now; else switch this "
                               "folder with 'conclave copy --to ADDRESS --switch'"));
    return false;
}

bool cv_record_check_write(const cv_scope_position *at, const cv_write *write, cv_err *err)
{
    if (at->moved_to.n > 0 && !write->copied)
        return has_moved(at->moved_to, err);
    if (write->restored ? at->rev != 0 || write->at.rev < 1 : write->at.rev != at->rev + 1)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "the scope is at rev %lld, which is not before rev %lld",
                          (long long)at->rev, (long long)write->at.rev);
    if (!write->restored && write->commit.op_id.n == 0)
        return cv_err_set(err, CV_ERR_MISSING_FIELD, "a write needs an op_id");
    assert(!write->finish);
    if (write->at.event_count < write->at.rev || !write->at.head.p)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "a write has an event at least, and a head");
    return true;
}

bool cv_record_no_scope(cv_scope_id scope, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "there is no %.*s '%.*s' yet", CV_FMT(scope.room), CV_FMT(scope.name));
    cv_err_suggest(err, CV_STR("make it first, then try again; check its name"));
    return false;
}

bool cv_record_find_each(cv_record *record, const cv_lookup *lookups, size_t count, cv_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = record->calls->find(record, &lookups[i].find, lookups[i].visit, lookups[i].ctx, err);
    return ok;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool list_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    cv_scope_list *list = ctx;
    cv_arena *a = list->arena;
    (void)err;
    *CV_PUSH(a, list) = (cv_scope_place){
        {cv_arena_copy(a, scope.room), cv_arena_copy(a, scope.name)},
        {.rev = at->rev, .head = cv_arena_copy(a, at->head), .event_count = at->event_count},
    };
    return true;
}

bool cv_record_scopes(cv_record *record, cv_arena *a, cv_str room, cv_scope_list *ret_list, cv_err *err)
{
    const cv_types *types = record->types;
    bool ok = true;
    *ret_list = (cv_scope_list){.arena = a};
    for (size_t i = 0; ok && i < types->count; i++)
        if (room.n == 0 || cv_str_eq(room, types->rooms[i]->room))
            ok = record->calls->scopes(record, types->rooms[i]->room, CV_STR(""), 0, list_scope, ret_list, err);
    return ok;
}

bool cv_record_look(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_lookup *lookups, size_t count,
                    cv_scope_position *ret_at, cv_err *err)
{
    const cv_record_calls *calls = record->calls;
    if (calls->look)
        return calls->look(record, a, scope, lookups, count, ret_at, err);
    if (!calls->begin(record, a, scope, ret_at, err))
        return false;
    bool ok = ret_at->rev == 0 || calls->find_all(record, lookups, count, err);
    calls->end(record);
    return ok;
}

typedef struct {
    cv_arena *arena;
    const cv_type *type;
    void *row;
    int64_t rev; /* only a row of this rev; 0: any */
    cv_str scope;
    bool found;
} taking;

/* Rooms trust the rows that they get: what other programs, or a failing disk, have put there is found here. */
static bool is_possible(const cv_type *type, const void *row, cv_err *err)
{
    for (size_t i = 0; i < type->field_count; i++) {
        int64_t number;
        if (!cv_field_is_int(&type->fields[i]))
            continue;
        memcpy(&number, (const char *)row + type->fields[i].offset, sizeof number);
        if (number != CV_ABSENT && (number > CV_ROW_MOST || number < -CV_ROW_MOST))
            return cv_stored_corrupt(err, "a %.*s with a number that cannot be: its %.*s is %lld", CV_FMT(type->name),
                                     CV_FMT(type->fields[i].name), (long long)number);
    }
    const char *fault = type->fault ? type->fault(row) : NULL;
    return !fault || cv_stored_corrupt(err, "a %.*s %s", CV_FMT(type->name), fault);
}

static bool take_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    taking *t = ctx;
    if (t->found || (t->rev && cv_row_rev(row) != t->rev))
        return true;
    if (!is_possible(t->type, row, err))
        return false;
    memcpy(t->row, cv_row_copy(t->arena, t->type, row), t->type->size);
    t->scope = cv_arena_copy(t->arena, scope.name);
    t->found = true;
    return true;
}

static bool find_one(cv_record *record, const cv_find *find, taking *t, bool *ret_found, cv_err *err)
{
    bool ok = record->calls->find(record, find, take_row, t, err);
    *ret_found = ok && t->found;
    return ok;
}

bool cv_row_list_add(void *list, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_row_list *all = list;
    assert(all->arena && all->type);
    (void)scope;
    if (!is_possible(all->type, row, err))
        return false;
    *CV_PUSH(all->arena, all) = cv_row_copy(all->arena, all->type, row);
    return true;
}

bool cv_record_rows(cv_record *record, cv_arena *a, const cv_find *find, cv_row_list *ret, cv_err *err)
{
    *ret = (cv_row_list){.arena = a, .type = find->type};
    return record->calls->find(record, find, cv_row_list_add, ret, err);
}

bool cv_record_first(cv_record *record, cv_arena *a, const cv_find *find, void *ret_row, bool *ret_found, cv_err *err)
{
    assert(find->limit == 1);
    taking t = {.arena = a, .type = find->type, .row = ret_row};
    return find_one(record, find, &t, ret_found, err);
}

bool cv_record_get(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type, void *row, bool *ret_found,
                   cv_err *err)
{
    assert(type->key_count > 0);
    void *key = cv_row_copy(a, type, row);
    const cv_find find = {.type = type, .scope = scope, .like = key, .equal = type->key_count, .limit = 1};
    return cv_record_first(record, a, &find, row, ret_found, err);
}

bool cv_record_op(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_commit_row *ret_row,
                  bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_commit_row_type, ret_row);
    ret_row->op_id = op_id;
    return cv_record_get(record, a, scope, &cv_commit_row_type, ret_row, ret_found, err);
}

bool cv_record_commit_at(cv_record *record, cv_arena *a, cv_scope_id scope, int64_t rev, cv_commit_row *ret_row,
                         bool *ret_found, cv_err *err)
{
    assert(rev > 0);
    const cv_commit_row like = {.rev = rev};
    const cv_find find = {
        .type = &cv_commit_row_type, .index = cv_commits_by_rev, .scope = scope, .like = &like, .equal = 1, .limit = 1};
    return cv_record_first(record, a, &find, ret_row, ret_found, err);
}

bool cv_record_op_first(cv_record *record, cv_arena *a, cv_str room, cv_str op_id, cv_str *ret_scope,
                        cv_commit_row *ret_row, bool *ret_found, cv_err *err)
{
    const cv_commit_row like = {.op_id = op_id};
    taking t = {.arena = a, .type = &cv_commit_row_type, .row = ret_row, .rev = 1};
    const cv_find find = {
        .type = &cv_commit_row_type, .index = cv_commits_by_op, .scope = {.room = room}, .like = &like, .equal = 1};
    if (!find_one(record, &find, &t, ret_found, err))
        return false;
    *ret_scope = t.scope;
    return true;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Stands among the readers of the feed: every engine keeps those, and no copy takes them along. */
static const cv_str moved = CV_STR_INIT("moved to");

bool cv_record_moved_to(cv_record *record, cv_arena *a, cv_str *ret_to, cv_err *err)
{
    return record->calls->reader_at(record, a, moved, ret_to, err);
}

bool cv_record_note_moved(cv_record *held, cv_arena *a, cv_str to, cv_err *err)
{
    cv_str before;
    bool done = false;
    return cv_record_moved_to(held, a, &before, err) &&
           (cv_str_eq(before, to) ||
            (held->calls->reader_move(held, moved, before, to.p ? to : CV_STR(""), &done, err) &&
             (done || cv_err_set(err, CV_ERR_BUSY, "another process moves the record"))));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* What becomes of a write that could not read: busy is not failed, it may come back. */
static cv_write_result unread(const cv_err *err)
{
    return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
}

static cv_write_result op_conflict(cv_str op_id, cv_str where, cv_err *err)
{
    cv_err_set(err, CV_ERR_OP_CONFLICT, "the op_id was used before, %.*s, for another request", CV_FMT(where));
    cv_err_field(err, CV_STR("op_id"));
    cv_err_value(err, op_id);
    cv_err_suggest(err, CV_STR("give every request its own op_id, and repeat one only for the same request"));
    return CV_WRITE_FAILED;
}

cv_write_result cv_record_replayed(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_scope_position *at,
                                   cv_str op_id, cv_str digest, cv_commit_row *ret_row, cv_err *err)
{
    bool found;
    cv_str first;
    if (at->rev == 0) {
        if (!cv_record_op_first(record, a, scope.room, op_id, &first, ret_row, &found, err))
            return unread(err);
        if (found && !cv_str_eq(ret_row->digest, digest))
            return op_conflict(op_id, cv_arena_printf(a, "to make '%.*s'", CV_FMT(first)), err);
        return CV_WRITE_DONE;
    }
    if (!cv_record_op(record, a, scope, op_id, ret_row, &found, err))
        return unread(err);
    if (found && !cv_str_eq(ret_row->digest, digest))
        return op_conflict(op_id, cv_arena_printf(a, "at rev %lld", (long long)ret_row->rev), err);
    return found ? CV_WRITE_REPLAYED : CV_WRITE_DONE;
}

static bool is_expected(const cv_scope_position *at, const cv_scope_position *expect)
{
    return at->rev == expect->rev && (at->rev == 0 || expect->head.n == 0 || cv_str_eq(at->head, expect->head));
}

static cv_write_result rev_conflict(cv_scope_id scope, int64_t rev, int64_t expected, cv_err *err)
{
    if (rev == expected)
        cv_err_set(err, CV_ERR_REV_CONFLICT, "'%.*s' has another history: a backup was restored", CV_FMT(scope.name));
    else if (rev == 0)
        cv_err_set(err, CV_ERR_REV_CONFLICT, "there is no '%.*s' yet, rev %lld was expected", CV_FMT(scope.name),
                   (long long)expected);
    else if (expected == 0)
        cv_err_set(err, CV_ERR_REV_CONFLICT, "the name '%.*s' is taken", CV_FMT(scope.name));
    else
        cv_err_set(err, CV_ERR_REV_CONFLICT, "'%.*s' is at rev %lld, not %lld", CV_FMT(scope.name), (long long)rev,
                   (long long)expected);
    cv_err_field(err, CV_STR("expect_rev"));
    cv_err_suggest(err, CV_STR("read it again and repeat the operation"));
    return CV_WRITE_CONFLICT;
}

static void take_written(const cv_write *write, cv_commit_row *ret_row)
{
    *ret_row = write->commit;
    ret_row->rev = write->at.rev;
}

cv_write_result cv_record_write(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_scope_position *expect,
                                cv_write *write, cv_commit_row *ret_row, cv_err *err)
{
    cv_scope_position at;
    cv_write_result result;
    if (record->calls->write && record->calls->write(record, scope, expect, write, &result, err)) {
        take_written(write, ret_row);
        return result;
    }
    cv_write_finish(write);
    if (!record->calls->lock(record, a, scope, write->commit.op_id, &at, err))
        return unread(err);
    result = write->restored
                 ? CV_WRITE_DONE
                 : cv_record_replayed(record, a, scope, &at, write->commit.op_id, write->commit.digest, ret_row, err);
    if (result == CV_WRITE_DONE && !is_expected(&at, expect))
        result = rev_conflict(scope, at.rev, expect->rev, err);
    if (result == CV_WRITE_DONE) {
        result = record->calls->commit(record, a, write, err);
        take_written(write, ret_row);
    }
    record->calls->end(record);
    assert(result != CV_WRITE_REPLAYED || ret_row->rev > 0);
    return result;
}
