/* copy.c - the record in another store: a mirror of it, or the place where the project goes on.
 *
 *     conclave copy --to postgresql://…            every scope, or what the other lacks of it (record/copy.h)
 *                                                  … each verified there, at the same position as here
 *     conclave copy --to postgresql://… --switch   then the project keeps its record there
 *     conclave copy --to sqlite --switch           … in its own file again
 *
 * It can be run again at any time, and after an interruption goes on. Others may write meanwhile: what they write is
 * copied by the next run. With --switch the last of it is copied while the old store is held, so that nobody can write:
 *
 *     hold the old store     what was written since is copied and verified
 *     note in it             where the record went: a writer that has waited is refused (record_moved), and so is
 *                            everybody else who still knows the old address
 *     config                 names the new store
 *
 * Killed at any moment, the project has one store that takes writes, or none: then it is run again.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "kit/destination.h"
#include "kit/notice.h"
#include "kit/scopes.h"
#include "project/config.h"
#include "project/operations.h"
#include "project/project.h"
#include "record/copy.h"

enum { MOST_TRIES = 10 };

typedef struct {
    cv_call *call;
    cv_store from, to;
    cv_record *target;
    cv_copying done;
    cv_str from_name, to_name;
    int64_t scopes, added, caught_up, commits;
    bool switched;
    bool same; /* the target is this record, under another address */
    cv_notices warnings;
} copying;

#define CV_THIS_TYPE copying
const cv_shape cv_copy_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "from", from_name, "the store that the record was read from"),
    CV_FIELD_AS(ALWAYS, "to", to_name, "the store that has it now"),
    CV_NUMBER(ALWAYS, "scopes", scopes, 0, CV_NO_LIMIT, "in the record, of all rooms; every one verifies there"),
    CV_NUMBER(ALWAYS, "added", added, 0, CV_NO_LIMIT, "of them, that were not there before"),
    CV_NUMBER(ALWAYS, "caught_up", caught_up, 0, CV_NO_LIMIT, "of them, that were there, but not all of it"),
    CV_NUMBER(ALWAYS, "commits", commits, 0, CV_NO_LIMIT, "sum of their revs"),
    CV_FIELD(ALWAYS, switched, "the project keeps its record there from now on"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings: the operation was done"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- from where to where ------------------------------------------------------------------------------------------
 */

static cv_str name_of(const cv_store *store)
{
    return store->address.n ? store->address : cv_str_of(store->path);
}

static bool bad_target(cv_str to, const char *what, const char *remedy, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "%s", what);
    cv_err_field(err, CV_STR("to"));
    cv_err_value(err, cv_excerpt(err->arena, cv_store_masked(err->arena, to)));
    cv_err_suggest(err, cv_str_of(remedy));
    return false;
}

static bool find_target(copying *c, cv_err *err)
{
    cv_str to = cv_json_get_text(c->call->input, "to");
    bool is_file = cv_str_eq(to, CV_STR("sqlite"));
    if (!cv_project_store(c->call->arena, c->call->root, &c->from, err))
        return false;
    if (!is_file && !cv_store_is_address(to))
        return bad_target(to, "this is not the address of a server, or the word sqlite",
                          "write postgresql://HOST/DATABASE, or sqlite for the project's own file; 'conclave backup "
                          "FILE' makes a copy in a file",
                          err);
    c->to = c->from;
    c->to.address = is_file ? CV_STR("") : to;
    c->to.seen = NULL; /* what was seen there is not known here */
    c->from_name = name_of(&c->from);
    c->to_name = name_of(&c->to);
    return !cv_str_eq(c->from.address, c->to.address) ||
           bad_target(to, "the project keeps its record there", "name another store", err);
}

/* ---- copying ------------------------------------------------------------------------------------------------------
 */

static bool tell(void *ctx, size_t done, size_t total, cv_scope_id scope, cv_err *err)
{
    const copying *c = ctx;
    cv_str what = cv_arena_printf(c->call->arena, "%.*s", CV_FMT(scope.name));
    return cv_call_tell(c->call, done, total, what, err);
}

/* Until nothing is left that was written meanwhile. */
static bool copy_all(copying *c, bool (*copied)(void *ctx, cv_scope_id scope, cv_err *err), cv_err *err)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        c->done = (cv_copying){.tell = tell, .copied = copied, .ctx = c};
        if (!cv_record_copy(c->call->record, c->target, &c->done, err))
            return false;
        c->added += (int64_t)c->done.added;
        c->caught_up += (int64_t)c->done.caught_up;
        if (c->done.added + c->done.caught_up == 0)
            break;
    }
    c->scopes = (int64_t)c->done.total;
    c->commits = c->done.commits;
    return true;
}

static bool verify_one(void *ctx, cv_scope_id scope, cv_err *err)
{
    const copying *c = ctx;
    cv_scope_position position;
    return cv_scopes_verify(c->target, c->call->arena, scope, &position, err);
}

static bool verify_all(copying *c, cv_err *err)
{
    cv_call there = *c->call;
    there.record = c->target;
    return c->target->calls->check(c->target, c->call->arena, err) &&
           cv_scopes_each(&there, CV_STR(""), verify_one, c, err);
}

/* The same record under another address: there is nothing to copy. */
static bool is_same(const copying *c)
{
    cv_record_about here, there;
    c->call->record->calls->about(c->call->record, c->call->arena, &here);
    c->target->calls->about(c->target, c->call->arena, &there);
    return here.store.n > 0 && cv_str_eq(here.store, there.store);
}

/* ---- switching ----------------------------------------------------------------------------------------------------
 */

/* A store that the record has left takes no writes, until it comes back from where it went. */
static bool check_target(copying *c, cv_err *err)
{
    cv_str left_for;
    if (!cv_record_moved_to(c->target, c->call->arena, &left_for, err))
        return false;
    return left_for.n == 0 || cv_str_eq(left_for, c->from_name) ||
           bad_target(
               cv_json_get_text(c->call->input, "to"),
               cv_arena_printf(c->call->arena, "the record was moved from this store to %.*s", CV_FMT(left_for)).p,
               "name that one; or continue with this one: 'conclave accept --commit N' in a folder that uses it", err);
}

/* Notes in a store where the record is: elsewhere, or (empty) there. `held`: it is held already. When the answer to the
 * last step was lost, the store is asked. */
static bool note(cv_record *record, bool held, cv_arena *a, cv_str to, cv_err *err)
{
    cv_str noted;
    cv_err unheard = {.arena = a};
    if (!held && !record->calls->hold(record, err))
        return false;
    if (!cv_record_note_moved(record, a, to, err)) {
        record->calls->release(record, false, err);
        return false;
    }
    return record->calls->release(record, true, err) ||
           (cv_record_moved_to(record, a, &noted, &unheard) && cv_str_eq(noted, to));
}

static bool write_config(const copying *c, cv_err *err)
{
    return cv_config_write_store(c->call->arena, c->call->root, c->to.address, err);
}

/* The new store takes writes from now on, and the project names it. */
static bool take_target(copying *c, cv_err *err)
{
    cv_arena *a = c->call->arena;
    cv_str left_for;
    cv_err ignored = {.arena = a};
    if (!cv_record_moved_to(c->target, a, &left_for, err) ||
        (left_for.n > 0 && !note(c->target, false, a, CV_STR(""), err)))
        return false;
    c->switched = write_config(c, err);
    if (c->switched && !c->same)
        unlink(c->from.seen); /* it spoke of the old one */
    else if (!c->switched && left_for.n > 0)
        note(c->target, false, a, left_for, &ignored);
    return c->switched;
}

/* A handle of its own holds the old store: the call's one reads it. */
static bool switch_to(copying *c, cv_err *err)
{
    cv_arena *a = c->call->arena;
    cv_record *held = NULL;
    const cv_store from = {.address = c->from.address, .path = c->from.path};
    if (!cv_store_open(a, &from, CV_RECORD_EXISTING, c->call->record->types, &held, err))
        return false;
    cv_err ignored = {.arena = a};
    bool is_held = held->calls->hold(held, err), copied = is_held && copy_all(c, verify_one, err);
    if (is_held && !copied)
        held->calls->release(held, false, &ignored);
    /* The note first: no moment has two stores that take writes. */
    bool noted = copied && note(held, true, a, c->to_name, err);
    if (noted && !take_target(c, err))
        note(held, false, a, CV_STR(""), &ignored); /* it stays where it is; who is killed here runs it again */
    cv_record_close(held);
    if (c->switched)
        cv_notice_add(&c->warnings, a, CV_STR("old_store_kept"),
                      "the record as it was is still in the old store, %.*s, which takes no writes any more: remove it "
                      "when you are sure",
                      CV_FMT(c->from_name));
    return c->switched;
}

/* Was the record moved already, by another folder or by a run that was killed, and has the target all that the old
 * store has? Then there is nothing to copy, however far it has gone on there. */
static bool has_arrived(copying *c, bool *ret_has, cv_err *err)
{
    cv_arena *a = c->call->arena;
    cv_str moved;
    cv_scope_list list;
    *ret_has = false;
    if (!cv_record_moved_to(c->call->record, a, &moved, err))
        return false;
    if (moved.n == 0)
        return true;
    if (!cv_record_scopes(c->call->record, a, CV_STR(""), &list, err))
        return false;
    *ret_has = true;
    for (size_t i = 0; *ret_has && i < list.count; i++) {
        const cv_scope_place *ours = &list.items[i];
        cv_commit_row row;
        bool found;
        if (!cv_record_commit_at(c->target, a, ours->scope, ours->at.rev, &row, &found, err))
            return false;
        *ret_has = found && cv_str_eq(row.head, ours->at.head);
        c->commits += ours->at.rev;
    }
    c->scopes = (int64_t)list.count;
    return true;
}

static bool copy(copying *c, cv_err *err)
{
    cv_arena *a = c->call->arena;
    if (!find_target(c, err) || !cv_store_open(a, &c->to, CV_RECORD_CREATE, c->call->record->types, &c->target, err))
        return false;
    bool switched = cv_json_get_true(c->call->input, "switch"), arrived = false;
    assert(c->target && c->target != c->call->record);
    c->same = is_same(c);
    if (c->same && !switched)
        return bad_target(cv_json_get_text(c->call->input, "to"), "this is the record itself, under another address",
                          "name another store; with --switch the project uses this address", err);
    if (switched && (!check_target(c, err) || (!c->same && !has_arrived(c, &arrived, err))))
        return false;
    if ((!arrived && !copy_all(c, NULL, err)) || !verify_all(c, err))
        return false;
    if (c->same || arrived)
        return take_target(c, err);
    return !switched || switch_to(c, err);
}

bool cv_record_copy_to(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    copying c = {.call = call};
    if (!cv_project_is_local(call, "the record is copied to another store"))
        return false;
    bool ok = copy(&c, &err);
    cv_record_close(c.target);
    if (!ok)
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_copy_shape, &c);
    return true;
}
