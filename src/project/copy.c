/* copy.c - the record in another store: a mirror of it, or the place where the project goes on.
 *
 *     conclave copy --to postgresql://…            every scope, or what the other lacks of it (record/copy.h)
 *                                                  … each verified there, at the same position as here
 *     conclave copy --to postgresql://… --switch   then the project keeps its record there
 *     conclave copy --to sqlite --switch           … in its own file again
 *
 * It can be run again at any time, and after an interruption goes on. Others may write meanwhile: what they write is
 * copied by the next run. With --switch what was written while it copied is copied again until there is nothing, then
 * the project's config names the other store, then once more: whoever had the old one open has written by then.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kit/notice.h"
#include "kit/outlet.h"
#include "kit/scopes.h"
#include "project/config.h"
#include "project/operations.h"
#include "record/copy.h"
#include "record/postgres/address.h"

enum { MOST_TRIES = 10 };

typedef struct {
    cv_call *call;
    cv_store from, to;
    cv_record *target;
    cv_copying done;
    cv_str from_name, to_name;
    int64_t scopes, added, caught_up, commits;
    bool switched;
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
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "what was done, but should be known"),
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
    cv_err_value(err, cv_postgres_address_masked(err->arena, to));
    cv_err_suggest(err, cv_str_of(remedy));
    return false;
}

static bool find_target(copying *c, cv_err *err)
{
    cv_str to = cv_json_get_text(c->call->input, "to");
    bool is_file = cv_str_eq(to, CV_STR("sqlite"));
    if (!cv_project_store(c->call->arena, c->call->root, &c->from, err))
        return false;
    if (!is_file && !cv_postgres_is_address(to))
        return bad_target(to, "this is neither the address of a server nor the word sqlite",
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
static bool copy_all(copying *c, cv_err *err)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        c->done = (cv_copying){.tell = tell, .ctx = c};
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

/* The config first: whoever looks from now on finds the other store. What was written in between, into the old one, is
 * copied behind it. */
static bool switch_to(copying *c, bool same, cv_err *err)
{
    cv_err late = {.arena = c->call->arena};
    if (!cv_config_write(c->call->arena, c->call->root, &(cv_config){.store = c->to.address}, err))
        return false;
    c->switched = true;
    if (same)
        return true;
    unlink(c->from.seen); /* it spoke of the old one */
    if (!copy_all(c, &late))
        cv_notice_add(&c->warnings, c->call->arena, CV_STR("written_meanwhile"),
                      "something was written to the old store at the last moment, and is not in the new one: %.*s",
                      CV_FMT(late.message));
    cv_notice_add(&c->warnings, c->call->arena, CV_STR("old_store_kept"),
                  "the record as it was is still in the old store, %.*s: remove it when you are sure",
                  CV_FMT(c->from_name));
    return true;
}

static bool copy(copying *c, cv_err *err)
{
    cv_arena *a = c->call->arena;
    if (!find_target(c, err) || !cv_store_open(a, &c->to, CV_RECORD_CREATE, c->call->record->types, &c->target, err))
        return false;
    bool switched = cv_json_get_true(c->call->input, "switch"), same = is_same(c);
    if (same && !switched)
        return bad_target(cv_json_get_text(c->call->input, "to"), "this is the record itself, under another address",
                          "name another store; with --switch the project goes on with this address", err);
    return copy_all(c, err) && verify_all(c, err) && (!switched || switch_to(c, same, err));
}

bool cv_record_copy_to(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    copying c = {.call = call};
    bool ok = copy(&c, &err);
    cv_record_close(c.target);
    if (!ok)
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_copy_shape, &c);
    return true;
}
