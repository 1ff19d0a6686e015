/* copy.c - one record into another; see copy.h. */
#include "record/copy.h"

#include <assert.h>

#include "base/map.h"
#include "record/hash.h"
#include "record/scope.h"

/* What became of a scope. */
typedef enum { COPY_SAME, COPY_ADDED, COPY_CAUGHT_UP } copy_result;

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

/* Every text that is here by its hash alone, of rows that the other record has. */
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

static bool has_redaction(const cv_rows *events)
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
    for (size_t i = 0; has_redaction(&rows[count - 1]) && i < all->count; i++)
        add_redacted(a, &all->items[i], at->rev, &redacted);
    cv_write write = {.commit = *commit,
                      .at = *ret_at,
                      .rows = rows,
                      .count = count,
                      .redactions = redacted.items,
                      .redaction_count = redacted.count,
                      .copied = true};
    return cv_record_write(to, a, all->scope, at, &write, &stored, err);
}

static bool diverged(cv_scope_id scope, int64_t rev, int64_t theirs, cv_err *err)
{
    cv_err_set(err, CV_ERR_REV_CONFLICT,
               "the %.*s '%.*s' has another history in the other record (here at rev %lld, there at rev %lld)",
               CV_FMT(scope.room), CV_FMT(scope.name), (long long)rev, (long long)theirs);
    cv_err_suggest(err, CV_STR("copy to an empty record, or find out which of the two is right"));
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

/* One scope. *ret_at: its position, in both. */
static bool copy_scope(cv_record *from, cv_record *to, cv_arena *a, cv_scope_id scope, copy_result *ret_result,
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
    *ret_result = theirs.rev == 0 ? COPY_ADDED : COPY_CAUGHT_UP;
    if (theirs.rev == ret_at->rev && cv_str_eq(theirs.head, ret_at->head)) {
        *ret_result = COPY_SAME;
        return true;
    }
    if (!cv_scope_load(from, a, scope, &all, err))
        return false;
    *ret_at = all.at;
    if (theirs.rev > 0)
        return catch_up(to, a, &all, &theirs, err);
    return write_failed(cv_scope_restore(to, a, &all, true, err), scope, all.at.rev, 0, err);
}

/* ---- all of them --------------------------------------------------------------------------------------------------
 */

static cv_str key_of(cv_arena *a, cv_scope_id scope)
{
    return cv_arena_printf(a, "%.*s/%.*s", CV_FMT(scope.room), CV_FMT(scope.name));
}

/* Leaves those scopes in the list that the other record does not have as they are here. */
static bool list_others(cv_record *to, cv_arena *a, cv_scope_list *list, cv_copying *c, cv_err *err)
{
    cv_scope_list theirs;
    cv_map places = {0};
    size_t kept = 0;
    if (!cv_record_scopes(to, a, CV_STR(""), &theirs, err))
        return false;
    for (size_t i = 0; i < theirs.count; i++)
        *cv_map_put(&places, a, key_of(a, theirs.items[i].scope), NULL) = (uintptr_t)&theirs.items[i];
    for (size_t i = 0; i < list->count; i++) {
        const cv_scope_place *ours = &list->items[i];
        const uintptr_t *place = cv_map_get(&places, key_of(a, ours->scope));
        const cv_scope_place *other = place ? (const cv_scope_place *)*place : NULL;
        if (other && other->at.rev == ours->at.rev && cv_str_eq(other->at.head, ours->at.head))
            c->commits += ours->at.rev;
        else
            list->items[kept++] = *ours;
    }
    list->count = kept;
    return true;
}

/* Has the other record this scope with another history? Before anything is written. */
static bool check_history(cv_record *from, cv_record *to, cv_arena *a, const cv_scope_place *ours, cv_err *err)
{
    cv_scope_position theirs;
    cv_commit_row row;
    bool found = false;
    if (!to->calls->begin(to, a, ours->scope, &theirs, err))
        return false;
    to->calls->end(to);
    if (theirs.rev == 0)
        return true;
    if (!cv_record_commit_at(from, a, ours->scope, theirs.rev, &row, &found, err))
        return false;
    return (found && cv_str_eq(row.head, theirs.head)) || diverged(ours->scope, ours->at.rev, theirs.rev, err);
}

static bool copy_one(cv_record *from, cv_record *to, cv_arena *a, cv_scope_id scope, cv_copying *c, cv_err *err)
{
    copy_result result = COPY_SAME;
    cv_scope_position at = {0};
    if (!copy_scope(from, to, a, scope, &result, &at, err))
        return false;
    c->added += result == COPY_ADDED;
    c->caught_up += result == COPY_CAUGHT_UP;
    c->commits += at.rev;
    return result == COPY_SAME || !c->copied || c->copied(c->ctx, scope, err);
}

bool cv_record_copy(cv_record *from, cv_record *to, cv_copying *c, cv_err *err)
{
    cv_arena names = {0}, one = {0};
    cv_scope_list list;
    bool ok = cv_record_scopes(from, &names, CV_STR(""), &list, err);
    c->total = list.count;
    ok = ok && list_others(to, &names, &list, c, err);
    for (size_t i = 0; ok && i < list.count; i++) {
        ok = check_history(from, to, &one, &list.items[i], err);
        cv_arena_reset(&one);
    }
    for (size_t i = 0; ok && i < list.count; i++) {
        ok = (!c->tell || c->tell(c->ctx, i, list.count, list.items[i].scope, err)) &&
             copy_one(from, to, &one, list.items[i].scope, c, err);
        cv_arena_reset(&one);
    }
    cv_arena_release(&one);
    cv_arena_release(&names);
    return ok;
}
