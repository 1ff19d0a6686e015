/* restore.c - a backup put back in the place of the record.
 *
 *     FILE                    copied beside the record, opened, checked, every scope verified; FILE stays as it is
 *     the present record      locked, compared: the answer lists what it has beyond the backup
 *                             kept under a name of its own: conclave.db.before-restore-20260214T093000Z; on a
 *                             server a schema, NAME_before_restore_20260214t093000z
 *     the record              is the backup, from one moment to the next
 *
 * Nothing is refused because the present record has more: it is kept, and restoring the kept file undoes it.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "kit/agents.h"
#include "kit/notice.h"
#include "kit/scopes.h"
#include "project/config.h"
#include "project/operations.h"
#include "project/project.h"
#include "record/seal.h"
#include "record/sql.h"
#include "record/swap.h"
#include "record/watermark.h"

enum { MOST_TOLD = 100, MOST_NAMED = 3 };

typedef struct {
    cv_call *call;
    cv_swap engine;
    const char *backup;
    cv_scopes_tally scopes;
    int64_t commits;
    cv_seal last;         /* the backup's last commit */
    bool is_other;        /* the present record began with another commit than the backup */
    int64_t acknowledged; /* the last commit that the project's watermark knows; 0: none */
    struct {
        cv_swap_loss *items;
        size_t count, capacity;
    } lost;            /* scopes of which the present record has more than the backup */
    size_t lost_count; /* of which `lost` has the first */
    cv_notices warnings;
    cv_str record, from, report; /* of the answer */
} restoring;

#define CV_THIS_TYPE cv_swap_loss
static const cv_shape loss_shape[] = {
    CV_FIELD_AS(ALWAYS, "room", scope.room, ""),
    CV_FIELD_AS(ALWAYS, "name", scope.name, "its id in the room"),
    CV_NUMBER(ALWAYS, "rev", rev, 1, CV_NO_LIMIT, "in the kept record"),
    CV_NUMBER(ALWAYS, "restored_rev", restored_rev, 0, CV_NO_LIMIT, "0: the backup has none of this name"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE restoring
const cv_shape cv_restore_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, record, "the database, or its address"),
    CV_FIELD(ALWAYS, from, "the backup"),
    CV_FIELD_AS(
        IF_ANY, "kept", engine.kept,
        "the file, or on a server the schema, that the record which was replaced is now; absent: there was none"),
    CV_FIELD_AS(IF_ANY, "kept_address", engine.kept_address, "where it can be opened, on a server"),
    CV_FIELD_AS(ALWAYS, "scopes", scopes.total, "how many the record has now, of all rooms"),
    CV_NUMBER(ALWAYS, "commits", commits, 0, CV_NO_LIMIT, "sum of their revs"),
    CV_FIELD(ALWAYS, lost_count, ""),
    CV_LIST("lost", lost.items, lost.count, loss_shape,
            "what the kept record has and the backup does not; 100 at most"),
    CV_PLAIN_WARNINGS(ALWAYS, warnings, "warnings: the operation was done"),
    CV_PRINTED(report, "the same for people"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- the backup -------------------------------------------------------------------------------------------------- */

static bool refuse_path(cv_err_code code, cv_str given, const char *why, const char *suggestion, cv_err *err)
{
    cv_err_set(err, code, "%s", why);
    cv_err_field(err, CV_STR("path"));
    cv_err_value(err, given);
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

static bool find_backup(restoring *r, cv_err *err)
{
    cv_call *call = r->call;
    cv_str given = cv_json_get_text(call->input, "path");
    struct stat there, record;
    cv_where where;
    if (!cv_path_allowed(call->arena, call->root, call->confined, given, &where, err)) {
        cv_err_field(err, CV_STR("path"));
        return false;
    }
    r->backup = cv_where_path(call->arena, where);
    if (stat(r->backup, &there) != 0 && errno != ENOENT && errno != ENOTDIR)
        return refuse_path(cv_system_code(errno), given, cv_system_reason(errno), cv_system_advice(errno), err);
    if (stat(r->backup, &there) != 0)
        return refuse_path(CV_ERR_NOT_FOUND, given, "there is no such file",
                           "name a file that 'conclave backup' has made", err);
    if (!S_ISREG(there.st_mode))
        return refuse_path(CV_ERR_NOT_A_FILE, given, "this is not a file",
                           "name a file that 'conclave backup' has made", err);
    if (stat(r->engine.store.path, &record) == 0 && there.st_dev == record.st_dev && there.st_ino == record.st_ino)
        return refuse_path(CV_ERR_INVALID_VALUE, given, "this is the record itself", "name a backup of it", err);
    return true;
}

typedef struct {
    restoring *r;
    cv_call call; /* with the copy as its store */
} checking;

static bool check_scope(void *ctx, cv_scope_id scope, cv_err *err)
{
    checking *c = ctx;
    cv_scope_position position;
    if (!cv_scopes_verify(c->call.record, c->call.arena, scope, &position, err))
        return false;
    cv_scopes_count(&c->r->scopes, c->call.arena, scope.room);
    c->r->commits += position.rev;
    return true;
}

/* The copy opens (an older schema becomes ours), is whole, and agrees with its history. */
static bool check_copy(restoring *r, cv_err *err)
{
    cv_arena *a = r->call->arena;
    checking c = {.r = r, .call = *r->call};
    c.call.record = NULL;
    bool ok = cv_record_open(a, r->engine.copy, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema,
                             &c.call.record, err) &&
              c.call.record->calls->check(c.call.record, a, err) &&
              cv_scopes_each(&c.call, CV_STR(""), check_scope, &c, err) &&
              cv_seal_record(c.call.record, NULL, &r->last, err);
    cv_record_close(c.call.record);
    if (ok || err->code == CV_ERR_CANCELLED)
        return ok;
    cv_err_file(err, cv_str_of(r->backup));
    if (err->code != CV_ERR_SCHEMA || err->suggestion.n == 0) /* which says what version can read it */
        cv_err_suggest(err, CV_STR("name another backup; the record was not changed"));
    return false;
}

/* ---- what the present record has beyond it ----------------------------------------------------------------------- */

static bool keep_loss(void *ctx, const cv_swap_loss *loss, cv_err *err)
{
    restoring *r = ctx;
    (void)err;
    *CV_PUSH(r->call->arena, &r->lost) = (cv_swap_loss){
        {loss->scope.room, cv_arena_copy(r->call->arena, loss->scope.name)}, loss->rev, loss->restored_rev};
    return true;
}

/* Records that have nothing in common are not the same one at another time. */
static bool compare_origins(restoring *r)
{
    cv_commit present;
    cv_record *record = r->engine.present;
    if (!record->calls->last_commit(record, &present, &r->engine.trouble))
        return false;
    r->is_other = present.number > 0 && r->last.number > 0 && r->engine.common == 0;
    return true;
}

/* What was acknowledged in this project, whatever its record has of it now. */
static int64_t last_acknowledged(const restoring *r)
{
    cv_err ignored = {.arena = r->call->arena}; /* an unreadable watermark says nothing */
    cv_commit commit;
    const char *path = cv_watermark_path(r->call->arena, r->engine.store.path);
    return cv_watermark_read(path, &commit, &ignored) == CV_WATERMARK_THERE ? commit.number : 0;
}

/* ---- the swap ---------------------------------------------------------------------------------------------------- */

/* "20260214T093000Z" */
static const char *time_stamp(const restoring *r)
{
    char time[CV_TIME_LEN + 1], stamp[CV_TIME_LEN];
    size_t n = 0;
    cv_time_print(r->call->clock.now_ms(r->call->clock.ctx), time);
    for (size_t i = 0; time[i] != '.'; i++) {
        assert(time[i] && n < sizeof stamp && "a time has milliseconds");
        if (time[i] != '-' && time[i] != ':')
            stamp[n++] = time[i];
    }
    return cv_arena_printf(r->call->arena, "%.*sZ", (int)n, stamp).p;
}

static bool restore(restoring *r, bool *ret_compared, cv_err *err)
{
    cv_swap *engine = &r->engine;
    if (!find_backup(r, err) || !cv_swap_copy(engine, r->backup, err) || !check_copy(r, err) ||
        !cv_swap_begin(engine, err))
        return false;
    r->acknowledged = last_acknowledged(r);
    *ret_compared = cv_swap_lost(engine, keep_loss, r, &engine->trouble) && compare_origins(r);
    return cv_swap_commit(engine, time_stamp(r), err);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* What was taken from somebody since the backup was made, they have again. */
static void warn_of_access(const restoring *r, cv_notices *warnings)
{
    cv_scope_id registry = cv_agents_scope();
    for (size_t i = 0; i < r->lost.count; i++)
        if (cv_str_eq(r->lost.items[i].scope.room, registry.room))
            cv_notice_add(warnings, r->call->arena, CV_STR("older_registry"),
                          "agents and tokens are as they were in the backup: tokens that were revoked since, and "
                          "agents that were "
                          "removed or limited, can act as before; revoke, remove and limit them again");
}

/* A kept schema is not a file: a backup of it is. */
static cv_str way_back(const restoring *r)
{
    cv_arena *a = r->call->arena;
    if (r->engine.kept_address.n == 0)
        return cv_arena_printf(a, "'%.*s' undoes this restore",
                               CV_FMT(cv_call_name(r->call, CV_STR("restore"), r->engine.kept, NULL, 0)));
    return cv_arena_printf(a,
                           "to undo this restore, open it elsewhere ('conclave init DIR --store \"%.*s\"'), make a "
                           "backup there, and restore that here",
                           CV_FMT(r->engine.kept_address));
}

static void warn_of_losses(restoring *r)
{
    cv_notices *warnings = &r->warnings;
    cv_buf some = {0};
    cv_scopes_tally lost = {0};
    for (size_t i = 0; i < r->lost.count; i++)
        cv_scopes_count(&lost, r->call->arena, r->lost.items[i].scope.room);
    for (size_t i = 0; i < r->lost.count && i < MOST_NAMED; i++) {
        const cv_swap_loss *l = &r->lost.items[i];
        cv_buf_printf(&some, "%s%.*s (rev %lld, ", i ? ", " : "", CV_FMT(l->scope.name), (long long)l->rev);
        if (l->restored_rev)
            cv_buf_printf(&some, "now %lld)", (long long)l->restored_rev);
        else
            cv_buf_add_z(&some, "not in the backup)");
    }
    if (r->lost.count > 0)
        cv_notice_add(warnings, r->call->arena, CV_STR("newer_in_kept"),
                      "the replaced record had more of %.*s: %.*s%s; %.*s",
                      CV_FMT(cv_scopes_counted(r->call->arena, &lost)), CV_FMT(cv_buf_str(&some)),
                      r->lost.count > MOST_NAMED ? " …" : "", CV_FMT(way_back(r)));
    cv_buf_release(&some);
    warn_of_access(r, warnings);
    if (r->is_other)
        cv_notice_add(warnings, r->call->arena, CV_STR("another_record"),
                      "the backup is not one of the record that was here: they have no commit in common");
    else if (r->acknowledged > r->last.number && r->lost.count == 0)
        cv_notice_add(warnings, r->call->arena, CV_STR("acknowledged_missing"),
                      "commit %lld was acknowledged in this project, the backup ends at commit %lld: what was written "
                      "between them is missing",
                      (long long)r->acknowledged, (long long)r->last.number);
    else if (r->engine.missing.n && r->lost.count == 0)
        cv_notice_add(warnings, r->call->arena, CV_STR("acknowledged_missing"),
                      "this project has seen writes that the backup does not have: %.*s", CV_FMT(r->engine.missing));
    if (r->engine.kept_address.n && r->lost.count > 0)
        cv_notice_add(
            warnings, r->call->arena, CV_STR("seen_elsewhere"),
            "other folders that use this record report store_regressed if they have seen more: continue there "
            "with 'conclave accept --commit N', as that error says");
}

static cv_str report(const restoring *r)
{
    cv_buf out = {0};
    cv_buf_printf(&out, "The record is now that of %s: %.*s, %lld commit%s.\n", r->backup,
                  CV_FMT(cv_scopes_counted(r->call->arena, &r->scopes)), (long long)r->commits, CV_PLURAL(r->commits));
    if (r->engine.kept.n)
        cv_buf_printf(&out, "What was there before is kept: %.*s\n", CV_FMT(r->engine.kept));
    for (size_t i = 0; i < r->warnings.count; i++)
        cv_buf_printf(&out, "! %.*s\n", CV_FMT(r->warnings.items[i].message));
    return cv_buf_take(&out, r->call->arena);
}

static void answer(restoring *r, bool compared)
{
    warn_of_losses(r);
    if (!compared && r->engine.kept.n)
        cv_notice_add(&r->warnings, r->call->arena, CV_STR("not_compared"),
                      "what was there before could not be compared with the backup: %.*s",
                      CV_FMT(r->engine.trouble.message));
    if (r->engine.no_watermark.code != CV_ERR_NONE)
        cv_notice_add(&r->warnings, r->call->arena, CV_STR("no_watermark"),
                      "the record has no watermark until the next write, so that a loss before it is not noticed: %.*s",
                      CV_FMT(r->engine.no_watermark.message));
    if (r->call->for_people)
        r->report = report(r);
    r->record = r->engine.store.address.n ? r->engine.store.address : cv_str_of(r->engine.store.path);
    r->from = cv_str_of(r->backup);
    r->lost_count = r->lost.count;
    if (r->lost.count > MOST_TOLD)
        r->lost.count = MOST_TOLD;
    cv_shape_write(&(cv_json_writer){.out = r->call->out}, cv_restore_shape, r);
}

bool cv_record_restore_with(cv_call *call, void (*step)(void *ctx), void *ctx)
{
    cv_err err = {.arena = call->arena};
    bool compared = false;
    restoring r = {.call = call,
                   .engine = {.arena = call->arena, .types = &cv_program_types, .step = step, .ctx = ctx}};
    bool done = cv_project_store(call->arena, call->root, &r.engine.store, &err) && restore(&r, &compared, &err);
    cv_swap_end(&r.engine);
    if (!done)
        return cv_call_fail(call, &err);
    answer(&r, compared);
    return true;
}

bool cv_record_restore(cv_call *call)
{
    return cv_project_is_local(call, "a record is restored") && cv_record_restore_with(call, NULL, NULL);
}
