/* copy.c - one record into another; see copy.h. */
#include "record/copy.h"

#include <assert.h>

#include "record/hash.h"
#include "record/scope.h"

/* ---- the writes that a scope lacks --------------------------------------------------------------------------------
 */

/* Rows of one type that belong to a rev, side by side. */
static cv_rows rows_of(cv_arena *a, const cv_rows *all, int64_t rev)
{
    const cv_type *type = all->type;
    size_t count = 0;
    const char *row = all->rows;
    for (size_t i = 0; i < all->count; i++)
        count += cv_row_rev(row + i * type->size) == rev;
    char *to = cv_arena_array(a, count, type->size);
    cv_rows some = {type, to, count};
    for (size_t i = 0; i < all->count; i++, row += type->size)
        if (cv_row_rev(row) == rev) {
            memcpy(to, row, type->size);
            to += type->size;
        }
    return some;
}

typedef struct {
    cv_redaction *items;
    size_t count, capacity;
} redactions;

/* Every text that stands here by its hash alone, of rows that the other record has. */
static void add_redacted(cv_arena *a, const cv_rows *all, int64_t until, redactions *ret)
{
    const cv_type *type = all->type;
    const char *row = all->rows;
    for (size_t i = 0; i < all->count; i++, row += type->size)
        for (size_t k = 0; k < type->field_count && cv_row_rev(row) <= until; k++) {
            const cv_type_field *field = &type->fields[k];
            cv_str text = field->role == CV_LONG ? cv_row_text(row, field->offset) : (cv_str){NULL, 0};
            if (cv_is_redacted(text, NULL))
                *CV_PUSH(a, ret) = (cv_redaction){type, row, field, text};
        }
}

static bool vouches_for_redaction(const cv_rows *events)
{
    const cv_event_row *event = events->rows;
    for (size_t i = 0; i < events->count; i++)
        if (cv_str_find(event[i].covers, CV_STR("\"redacted/")) != SIZE_MAX)
            return true;
    return false;
}

/* One write as it was made. A row that was replaced later comes with the later one. */
static cv_write_result repeat(cv_record *to, cv_arena *a, const cv_scope_rows *all, const cv_scope_position *at,
                              const cv_commit_row *commit, cv_scope_position *ret_at, cv_err *err)
{
    cv_rows *rows = CV_NEW_ARRAY(a, all->count, cv_rows);
    redactions redacted = {0};
    cv_commit_row stored;
    size_t count = 0;
    *ret_at = (cv_scope_position){.rev = commit->rev, .head = commit->head, .event_count = at->event_count};
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].type == &cv_commit_row_type)
            continue;
        rows[count] = rows_of(a, &all->items[i], commit->rev);
        if (rows[count].type == &cv_event_row_type)
            ret_at->event_count += (int64_t)rows[count].count;
        count++;
    }
    assert(count > 0 && rows[count - 1].type == &cv_event_row_type);
    for (size_t i = 0; vouches_for_redaction(&rows[count - 1]) && i < all->count; i++)
        add_redacted(a, &all->items[i], at->rev, &redacted);
    const cv_write write = {.commit = *commit,
                            .at = *ret_at,
                            .rows = rows,
                            .count = count,
                            .redactions = redacted.items,
                            .redaction_count = redacted.count};
    return cv_record_write(to, a, all->scope, at, &write, &stored, err);
}

static bool diverged(cv_scope_id scope, int64_t rev, int64_t theirs, cv_err *err)
{
    cv_err_set(err, CV_ERR_REV_CONFLICT,
               "the %.*s '%.*s' has another history in the other record (here at rev %lld, there at rev %lld)",
               CV_FMT(scope.room), CV_FMT(scope.name), (long long)rev, (long long)theirs);
    cv_err_suggest(err, CV_STR("copy to an empty record, or find out which of the two is the right one"));
    return false;
}

static bool write_failed(cv_write_result result, cv_scope_id scope, int64_t rev, int64_t theirs, cv_err *err)
{
    return result == CV_WRITE_DONE || result == CV_WRITE_REPLAYED ||
           (result == CV_WRITE_CONFLICT && diverged(scope, rev, theirs, err));
}

/* The commits stand last and by their revs. */
static bool catch_up(cv_record *to, cv_arena *a, const cv_scope_rows *all, const cv_scope_position *theirs, cv_err *err)
{
    const cv_rows *commits = &all->items[all->count - 1];
    const cv_commit_row *commit = commits->rows;
    cv_scope_position at = *theirs, next;
    assert(commits->type == &cv_commit_row_type);
    if (theirs->rev > all->at.rev || (size_t)theirs->rev > commits->count ||
        !cv_str_eq(commit[theirs->rev - 1].head, theirs->head))
        return diverged(all->scope, all->at.rev, theirs->rev, err);
    for (size_t i = (size_t)theirs->rev; i < commits->count; i++, at = next)
        if (!write_failed(repeat(to, a, all, &at, &commit[i], &next, err), all->scope, all->at.rev, at.rev, err))
            return false;
    return true;
}

bool cv_record_copy_scope(cv_record *from, cv_record *to, cv_arena *a, cv_scope_id scope, cv_copy_result *ret_result,
                          cv_scope_position *ret_at, cv_err *err)
{
    cv_scope_rows all;
    cv_scope_position theirs;
    if (!from->calls->begin(from, a, scope, ret_at, err))
        return false;
    from->calls->end(from);
    if (!to->calls->begin(to, a, scope, &theirs, err))
        return false;
    to->calls->end(to);
    *ret_result = theirs.rev == 0 ? CV_COPY_ADDED : CV_COPY_CAUGHT_UP;
    if (theirs.rev == ret_at->rev && cv_str_eq(theirs.head, ret_at->head)) {
        *ret_result = CV_COPY_SAME;
        return true;
    }
    if (!cv_scope_load(from, a, scope, &all, err))
        return false;
    *ret_at = all.at;
    if (theirs.rev > 0)
        return catch_up(to, a, &all, &theirs, err);
    return write_failed(cv_scope_restore(to, a, &all, err), scope, all.at.rev, 0, err);
}

/* ---- all of them --------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    cv_scope_id *items;
    size_t count, capacity;
} scope_list;

static bool keep_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    scope_list *list = ctx;
    (void)at, (void)err;
    *CV_PUSH(list->arena, list) = (cv_scope_id){scope.room, cv_arena_copy(list->arena, scope.name)};
    return true;
}

/* Has the other record this scope with another history? Before anything is written. */
static bool check_history(cv_record *from, cv_record *to, cv_arena *a, cv_scope_id scope, cv_err *err)
{
    cv_scope_position ours, theirs;
    cv_commit_row row;
    bool found = false;
    if (!from->calls->begin(from, a, scope, &ours, err))
        return false;
    from->calls->end(from);
    if (!to->calls->begin(to, a, scope, &theirs, err))
        return false;
    to->calls->end(to);
    if (theirs.rev == 0 || (theirs.rev == ours.rev && cv_str_eq(theirs.head, ours.head)))
        return true;
    if (!cv_record_commit_at(from, a, scope, theirs.rev, &row, &found, err))
        return false;
    return (found && cv_str_eq(row.head, theirs.head)) || diverged(scope, ours.rev, theirs.rev, err);
}

bool cv_record_copy(cv_record *from, cv_record *to, cv_copying *c, cv_err *err)
{
    cv_arena names = {0}, one = {0};
    scope_list list = {.arena = &names};
    bool ok = true;
    for (size_t i = 0; ok && i < from->types->count; i++)
        ok = from->calls->scopes(from, from->types->rooms[i]->room, CV_STR(""), 0, keep_scope, &list, err);
    c->total = list.count;
    for (size_t i = 0; ok && i < list.count; i++) {
        ok = check_history(from, to, &one, list.items[i], err);
        cv_arena_reset(&one);
    }
    for (size_t i = 0; ok && i < list.count; i++) {
        cv_copy_result result = CV_COPY_SAME;
        cv_scope_position at = {0};
        ok = (!c->tell || c->tell(c->ctx, i, list.count, list.items[i], err)) &&
             cv_record_copy_scope(from, to, &one, list.items[i], &result, &at, err);
        c->added += result == CV_COPY_ADDED;
        c->caught_up += result == CV_COPY_CAUGHT_UP;
        c->commits += at.rev;
        cv_arena_reset(&one);
    }
    cv_arena_release(&one);
    cv_arena_release(&names);
    return ok;
}
