/* swap.c - putting a backup in the place of a record on a server; see record/swap.h.
 *
 *     NAME_restoring                        a new schema, filled from the backup and verified, while others go on
 *     NAME                                  locked: writers wait, what they have written can be read
 *     one transaction                       NAME becomes NAME_before_restore_20260214t093000z, with all rights as they
 *                                           are; NAME_restoring gets them, too, and becomes NAME
 *
 * Writers lock the table of scopes by its name, and so they wait for the lock of that table here, and find the new one
 * under the name when it is given free. For the last step readers wait, too: none of them sees a part of each.
 *
 * A restore that was killed leaves NAME_restoring, which the next one removes. Whether a schema of that name is such a
 * one, and not somebody's record, is known by its comment; whether it is in use, by a lock on one of its tables.
 */
#include <assert.h>

#include "record/copy.h"
#include "record/postgres/engine.h"
#include "record/swap.h"
#include "record/verify.h"

#define RESTORING "_restoring"
enum { FOR_WRITERS_MS = 10000, FOR_ANOTHER_RESTORE_MS = 1000 }; /* what is waited */
enum { MOST_NAMES = 100 };

typedef struct {
    cv_postgres_address address, restoring; /* of the record, and of the schema that is filled */
    cv_postgres *c;                         /* has the transaction that locks and renames */
    cv_record *target;                      /* what is filled */
    const char *kept;
    bool is_made; /* the schema that is filled is there, and ours */

    bool is_there, has_scopes, may_replace, may_create, in_the_way, is_leftover;
    int64_t ours, things, partitions;
    cv_str user, owner, database;
    cv_str grant; /* the statement that gives the right to make schemas */
    struct {
        const char **items;
        size_t count, capacity;
    } rights; /* statements */
    cv_arena *arena;
} server;

static server *server_of(const cv_swap *s)
{
    return s->engine;
}

static const char *text_of(const cv_swap *s, const char *name)
{
    const server *v = server_of(s);
    const cv_postgres_word words[] = {{"$restoring", cv_postgres_quoted(s->arena, v->restoring.schema)},
                                      {"$kept", cv_postgres_quoted(s->arena, v->kept ? v->kept : "")}};
    const char *text = cv_postgres_statement_in(s->arena, v->address.schema, name);
    return cv_postgres_fill(s->arena, text, words, CV_COUNT(words));
}

static cv_postgres_statement *add(const cv_swap *s, cv_postgres_batch *batch, const char *doing, const char *name)
{
    return cv_postgres_add(batch, doing, text_of(s, name));
}

/* A transaction that waits for locks no longer than others do, and may stand still while the schema is filled. */
static void add_begin(const cv_swap *s, cv_postgres_batch *batch, int64_t wait_ms)
{
    add(s, batch, "begin the restore", "begin_write");
    cv_postgres_limits(batch, "begin the restore", wait_ms, 0);
}

static bool refuse(const cv_swap *s, cv_err *err, cv_err_code code, cv_str message, cv_str suggestion)
{
    cv_err_set(err, code, "cannot restore: %.*s", CV_FMT(message));
    cv_err_file(err, s->store.address);
    cv_err_suggest(err, suggestion);
    return false;
}

/* ---- what there is, and what we may --------------------------------------------------------------------------------
 */

static bool see_look(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    server *v = ctx;
    (void)err;
    v->is_there = cv_postgres_column_int(row, 0) == 1;
    v->ours = cv_postgres_column_int(row, 1);
    v->has_scopes = cv_postgres_column_int(row, 2) > 0;
    v->things = cv_postgres_column_int(row, 3);
    v->partitions = cv_postgres_column_int(row, 4);
    v->user = cv_arena_copy(v->arena, cv_postgres_column(row, 5));
    v->owner = cv_arena_copy(v->arena, cv_postgres_column(row, 6));
    v->may_replace = cv_postgres_column_int(row, 7) == 1;
    v->may_create = cv_postgres_column_int(row, 8) == 1;
    v->database = cv_arena_copy(v->arena, cv_postgres_column(row, 9));
    v->in_the_way = cv_postgres_column_int(row, 10) == 1;
    v->is_leftover = cv_postgres_column_int(row, 11) == 1;
    v->grant = cv_arena_copy(v->arena, cv_postgres_column(row, 12));
    return true;
}

static bool look(const cv_swap *s, const char *schema, const char *other, cv_err *err)
{
    server *v = server_of(s);
    cv_postgres_batch batch = {.arena = s->arena};
    cv_postgres_statement *st = add(s, &batch, "look at the database", "swap_look");
    cv_postgres_text(st, cv_str_of(schema));
    cv_postgres_text(st, cv_str_of(other));
    cv_postgres_rows(st, see_look, v);
    return (cv_postgres_in_transaction(v->c) ? cv_postgres_run(v->c, &batch, err)
                                             : cv_postgres_run_again(v->c, &batch, err)) == CV_POSTGRES_OK;
}

static bool check_rights(const cv_swap *s, cv_err *err)
{
    const server *v = server_of(s);
    cv_arena *a = s->arena;
    const char *schema = v->address.schema;
    if (v->is_there && v->ours == 0 && v->things > 0)
        return refuse(s, err, CV_ERR_SCHEMA, cv_arena_printf(a, "the schema %s belongs to another program", schema),
                      CV_STR("name another one in the address: schema=NAME"));
    if (!v->may_replace)
        return refuse(s, err, CV_ERR_STORE,
                      cv_arena_printf(a,
                                      "the schema %s belongs to %.*s, and only its owner can replace it (this is %.*s)",
                                      schema, CV_FMT(v->owner), CV_FMT(v->user)),
                      cv_arena_printf(a,
                                      "restore as %.*s: name the user in the address of a project in another folder; "
                                      "nothing was changed",
                                      CV_FMT(v->owner)));
    if (!v->may_create)
        return refuse(
            s, err, CV_ERR_STORE,
            cv_arena_printf(a, "the user %.*s may not make schemas in the database %.*s", CV_FMT(v->user),
                            CV_FMT(v->database)),
            cv_arena_printf(a, "ask the owner of the database to run: %.*s; nothing was changed", CV_FMT(v->grant)));
    if (v->in_the_way && !v->is_leftover)
        return refuse(
            s, err, CV_ERR_STORE,
            cv_arena_printf(a, "the schema %s is in the way, and no restore has made it", v->restoring.schema),
            cv_arena_printf(a, "give it another name: ALTER SCHEMA %s RENAME TO …; nothing was changed",
                            v->restoring.schema));
    return true;
}

/* ---- the schema that is filled -------------------------------------------------------------------------------------
 */

static bool under_way(const cv_swap *s, cv_postgres_result result, cv_err *err)
{
    if (result == CV_POSTGRES_BUSY || result == CV_POSTGRES_DUPLICATE || result == CV_POSTGRES_NO_SCHEMA)
        refuse(s, err, CV_ERR_BUSY, CV_STR("another restore of this record is under way"),
               CV_STR("wait until it ends and look at its result; nothing was changed here"));
    return false;
}

/* A new one with its mark, in the place of one that was left. */
static bool make_schema(const cv_swap *s, cv_err *err)
{
    server *v = server_of(s);
    cv_postgres_batch batch = {.arena = s->arena};
    const char *doing = "make the schema for the backup";
    cv_swap_step(s);
    add_begin(s, &batch, FOR_ANOTHER_RESTORE_MS);
    if (v->in_the_way)
        add(s, &batch, doing, "swap_drop");
    add(s, &batch, doing, "swap_make");
    add(s, &batch, doing, "swap_mark");
    add(s, &batch, doing, "commit");
    cv_postgres_result result = cv_postgres_run(v->c, &batch, err);
    if (result != CV_POSTGRES_OK) {
        cv_postgres_rollback(v->c);
        return under_way(s, result, err);
    }
    cv_swap_step(s);
    return cv_postgres_open_at(s->arena, &v->restoring, NULL, CV_RECORD_CREATE, s->types, s->types->postgres,
                               &v->target, err);
}

/* From here on it is ours: others who want to remove or fill it wait. */
static bool hold_schema(const cv_swap *s, cv_err *err)
{
    server *v = server_of(s);
    cv_postgres_batch batch = {.arena = s->arena};
    add_begin(s, &batch, FOR_WRITERS_MS);
    add(s, &batch, "hold the schema for the backup", "swap_hold");
    cv_postgres_result result = cv_postgres_run(v->c, &batch, err);
    v->is_made = result == CV_POSTGRES_OK;
    return v->is_made || under_way(s, result, err);
}

/* Every scope agrees with its history, and ends where the backup's does. */
static bool verify_scope(const cv_swap *s, const cv_scope_place *there, cv_err *err)
{
    cv_arena one = {0};
    cv_scope_position here;
    bool ok = cv_scope_verify(server_of(s)->target, &one, there->scope, NULL, &here, err);
    if (ok && (here.rev != there->at.rev || !cv_str_eq(here.head, there->at.head)))
        ok = refuse(s, err, CV_ERR_VERIFY,
                    cv_arena_printf(s->arena, "the %.*s '%.*s' did not arrive as it is in the backup",
                                    CV_FMT(there->scope.room), CV_FMT(there->scope.name)),
                    CV_STR("try again; nothing was changed"));
    cv_arena_release(&one);
    return ok;
}

static bool fill_schema(const cv_swap *s, cv_err *err)
{
    cv_record *target = server_of(s)->target;
    cv_copying copying = {0};
    cv_scope_list list = {0};
    cv_swap_step(s);
    bool ok = cv_record_copy(s->backup, target, &copying, err) && target->calls->check(target, s->arena, err) &&
              cv_record_scopes(s->backup, s->arena, CV_STR(""), &list, err);
    for (size_t i = 0; ok && i < list.count; i++)
        ok = verify_scope(s, &list.items[i], err);
    return ok;
}

/* ---- the present record --------------------------------------------------------------------------------------------
 */

static bool open_present(cv_swap *s, cv_err *err)
{
    const server *v = server_of(s);
    if (cv_postgres_open_at(s->arena, &v->address, NULL, CV_RECORD_EXISTING, s->types, s->types->postgres, &s->present,
                            &s->trouble))
        return true;
    s->present = NULL;
    bool is_no_record = s->trouble.code == CV_ERR_NOT_FOUND || s->trouble.code == CV_ERR_SCHEMA;
    if (!is_no_record)
        cv_err_copy(err, &s->trouble);
    return is_no_record;
}

static bool lock_present(const cv_swap *s, const char *lock, cv_err *err)
{
    const server *v = server_of(s);
    cv_postgres_batch batch = {.arena = s->arena};
    if (!v->has_scopes)
        return true;
    add(s, &batch, "lock the record", lock);
    return cv_postgres_run(v->c, &batch, err) == CV_POSTGRES_OK;
}

static const char *joined(cv_arena *a, const char *name, const char *end)
{
    size_t room = CV_POSTGRES_MAX_NAME - strlen(end), n = strlen(name);
    return cv_arena_printf(a, "%.*s%s", (int)(n < room ? n : room), name, end).p;
}

static bool begin(cv_swap *s, cv_err *err)
{
    server *v = s->engine = CV_NEW(s->arena, server);
    v->arena = s->arena;
    if (!cv_postgres_address_parse(s->arena, s->store.address, &v->address, err))
        return false;
    v->restoring = v->address;
    v->restoring.schema = joined(s->arena, v->address.schema, RESTORING);
    v->c = cv_postgres_new(s->arena, &v->address);
    if (cv_postgres_ready(v->c, err) != CV_POSTGRES_OK || !look(s, v->address.schema, v->restoring.schema, err) ||
        !check_rights(s, err))
        return false;
    if (v->partitions > 0)
        v->restoring.partitions = (int)v->partitions;
    return cv_record_open(s->arena, s->copy, CV_RECORD_COPY, s->types, s->types->sqlite, &s->backup, err) &&
           make_schema(s, err) && hold_schema(s, err) && fill_schema(s, err) && open_present(s, err) &&
           lock_present(s, "hold", err);
}

/* ---- the change ----------------------------------------------------------------------------------------------------
 */

/* "team_before_restore_20260214t093000z", or with "_2" behind it. */
static bool choose_name(const cv_swap *s, const char *stamp, cv_err *err)
{
    server *v = server_of(s), found = *v;
    char *lower = cv_arena_copy_z(s->arena, cv_str_of(stamp));
    for (char *p = lower; *p; p++)
        *p = *p == '-' ? '_' : cv_lower(*p);
    for (int i = 1; i <= MOST_NAMES; i++) {
        cv_str number = i > 1 ? cv_arena_printf(s->arena, "_%d", i) : CV_STR("");
        cv_str end = cv_arena_printf(s->arena, CV_POSTGRES_KEPT "%s%.*s", lower, CV_FMT(number));
        v->kept = joined(s->arena, v->address.schema, end.p);
        const char *kept = v->kept;
        bool ok = look(s, v->address.schema, kept, err), is_free = !v->in_the_way;
        *v = found;
        v->kept = kept;
        if (!ok || is_free)
            return ok;
    }
    return refuse(s, err, CV_ERR_STORE, CV_STR("too many schemas are kept already"), CV_STR("remove some of them"));
}

static bool see_right(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    server *v = ctx;
    (void)err;
    *CV_PUSH(v->arena, &v->rights) = cv_arena_copy_z(v->arena, cv_postgres_column(row, 0));
    return true;
}

/* Every role that could read or write the record can do so afterwards. */
static bool give_rights(const cv_swap *s, cv_err *err)
{
    server *v = server_of(s);
    cv_postgres_batch ask = {.arena = s->arena}, give = {.arena = s->arena};
    cv_postgres_statement *st = add(s, &ask, "read the rights", "swap_rights");
    cv_postgres_text(st, cv_str_of(v->address.schema));
    cv_postgres_text(st, cv_str_of(v->restoring.schema));
    cv_postgres_rows(st, see_right, v);
    if (cv_postgres_run(v->c, &ask, err) != CV_POSTGRES_OK)
        return false;
    for (size_t i = 0; i < v->rights.count; i++)
        cv_postgres_add(&give, "give the rights of the present record", v->rights.items[i]);
    return v->rights.count == 0 || cv_postgres_run(v->c, &give, err) == CV_POSTGRES_OK;
}

static bool rename_schemas(const cv_swap *s, cv_err *err)
{
    server *v = server_of(s);
    cv_postgres_batch batch = {.arena = s->arena};
    if (v->is_there)
        add(s, &batch, "keep the present record", "swap_keep");
    add(s, &batch, "put the backup into its place", "swap_unmark");
    add(s, &batch, "put the backup into its place", "swap_place");
    add(s, &batch, "put the backup into its place", "commit");
    cv_postgres_result result = cv_postgres_run(v->c, &batch, err);
    if (result != CV_POSTGRES_LOST)
        return result == CV_POSTGRES_OK;
    /* What was asked for last may have been done. */
    cv_err lost = {.arena = s->arena};
    const bool was_there = v->is_there;
    if (cv_postgres_ready(v->c, &lost) != CV_POSTGRES_OK || !look(s, v->address.schema, v->kept, &lost))
        return refuse(
            s, err, CV_ERR_STORE,
            CV_STR("the connection was lost at the last step, so it is not known whether the backup is in place"),
            cv_arena_printf(s->arena, "connect again and look: it was done if there is a schema %s", v->kept));
    bool done = was_there ? v->in_the_way : v->is_there;
    v->is_there = was_there;
    return done;
}

static bool note_seen(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    cv_postgres_record *r = ctx;
    (void)err;
    cv_known_revs_raise(&r->seen, cv_postgres_scope_key(scope).digits, at->rev, at->head);
    return true;
}

/* What was seen of the record that went is not expected of the one that came, but what that one has. A failure here
 * loses nothing: the next command says store_regressed, and what to do. */
static void renew_seen(cv_swap *s)
{
    const server *v = server_of(s);
    cv_err ignored = {.arena = s->arena}, less = {.arena = s->arena};
    cv_record *record;
    cv_watermark_state state;
    cv_commit last;
    if (!cv_postgres_open_at(s->arena, &v->address, s->store.seen, CV_RECORD_EXISTING, s->types, s->types->postgres,
                             &record, &ignored))
        return;
    if (!record->calls->acknowledged(record, s->arena, &state, &less) && less.code == CV_ERR_REGRESSED)
        s->missing = less.message;
    if (record->calls->accept(record, s->arena, &last, &ignored))
        for (size_t i = 0; i < s->types->count; i++)
            record->calls->scopes(record, s->types->rooms[i]->room, CV_STR(""), 0, note_seen, record, &ignored);
    cv_record_close(record);
}

static bool commit(cv_swap *s, const char *stamp, cv_err *err)
{
    server *v = server_of(s);
    if (!choose_name(s, stamp, err) || !give_rights(s, err))
        return false;
    cv_swap_step(s);
    if (!lock_present(s, "swap_lock_all", err) || !rename_schemas(s, err))
        return false;
    v->is_made = false;
    cv_swap_step(s);
    if (v->is_there) {
        s->kept = cv_str_of(v->kept);
        s->kept_address = cv_postgres_address_of_schema(s->arena, &v->address, v->kept);
    }
    renew_seen(s);
    cv_swap_step(s);
    return true;
}

/* What was filled for nothing goes again; if that fails, the next restore removes it. */
static void end(cv_swap *s)
{
    server *v = server_of(s);
    if (!v)
        return;
    cv_record_close(s->present);
    cv_record_close(s->backup);
    cv_record_close(v->target);
    if (v->c && v->c->conn)
        cv_postgres_rollback(v->c);
    if (v->is_made) {
        cv_err ignored = {.arena = s->arena};
        cv_postgres_batch batch = {.arena = s->arena};
        add(s, &batch, "remove what was filled", "swap_drop");
        cv_postgres_run(v->c, &batch, &ignored);
    }
    cv_postgres_close(v->c);
}

const cv_swap_calls cv_postgres_swap = {begin, commit, end};
