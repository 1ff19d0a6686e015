/* maintenance.c - what holds in the whole store; copies in SQLite; nothing left of what was removed. */
#include <poll.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "record/copy.h"
#include "record/place.h"
#include "record/postgres/engine.h"

/* ---- is everything where it belongs? ------------------------------------------------------------------------------
 */

typedef struct {
    cv_postgres_record *r;
    const char *expected;
} checking;

static bool disagree(cv_str place, const char *what, cv_err *err)
{
    cv_err_set(err, CV_ERR_VERIFY, "%.*s: %s", CV_FMT(place), what);
    cv_err_value(err, place);
    cv_err_suggest(err, CV_STR("keep the record as it is, restore the last backup that verifies, and compare the two"));
    return false;
}

/* A row that a check finds: room, name and whatever tells the place. */
static bool see_wrong(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const checking *c = ctx;
    cv_str room = cv_postgres_column(row, 0), name = cv_postgres_column(row, 1);
    cv_str place = name.p ? cv_arena_printf(err->arena, "%.*s '%.*s'", CV_FMT(room), CV_FMT(name))
                          : CV_STR("something without a scope");
    return disagree(place, c->expected, err);
}

static bool see_room(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const checking *c = ctx;
    cv_str room = cv_postgres_column(row, 0), name = cv_postgres_column(row, 1);
    return cv_types_of(c->r->base.types, room) ||
           disagree(cv_arena_printf(err->arena, "scope %.*s '%.*s'", CV_FMT(room), CV_FMT(name)),
                    "expected a room of this program, found another word", err);
}

static bool see_commit(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const checking *c = ctx;
    return disagree(cv_arena_printf(err->arena, "commit '%.*s'", CV_FMT(cv_postgres_column(row, 0))), c->expected, err);
}

static void add_strays(cv_postgres_record *r, cv_postgres_batch *batch)
{
    const cv_types *types = r->base.types;
    for (size_t i = 0; i < types->count; i++)
        for (size_t k = 0; k < types->rooms[i]->count; k++) {
            const cv_type *type = types->rooms[i]->types[k];
            cv_postgres_statement *st =
                cv_postgres_add(batch, "read the rows", cv_postgres_strays(r, batch->arena, type));
            checking *c = CV_NEW(batch->arena, checking);
            *c = (checking){
                r, cv_arena_printf(batch->arena,
                                   "expected no rows of the type '%.*s', which the room '%.*s' has, found some",
                                   CV_FMT(type->name), CV_FMT(types->rooms[i]->room))
                       .p};
            cv_postgres_text(st, types->rooms[i]->room);
            cv_postgres_rows(st, see_wrong, c);
        }
}

static bool check_across(cv_postgres_record *r, cv_arena *a, cv_err *err)
{
    cv_postgres_batch batch = {.arena = a};
    checking gap = {r, "expected a commit for every rev, found more or fewer"},
             order = {r, "expected the commits of a scope in the order of their revs, found the next one before it"},
             stray = {r, "expected a scope that it belongs to, found none"}, rooms = {r, ""};
    cv_postgres_ask(r, &batch, "begin to read", "begin_read");
    cv_postgres_rows(cv_postgres_ask(r, &batch, "read the commits", "commit_gap"), see_wrong, &gap);
    cv_postgres_rows(cv_postgres_ask(r, &batch, "read the commits", "commit_order"), see_wrong, &order);
    cv_postgres_rows(cv_postgres_ask(r, &batch, "read the commits", "commit_strays"), see_commit, &stray);
    cv_postgres_rows(cv_postgres_ask(r, &batch, "read the scopes", "scope_rooms"), see_room, &rooms);
    add_strays(r, &batch);
    bool ok = cv_postgres_run_again(r->c, &batch, err) == CV_POSTGRES_OK;
    cv_postgres_rollback(r->c);
    return ok;
}

/* All of it; other users of the record are asked about the latest only. */
static bool check_seen(cv_postgres_record *r, cv_err *err)
{
    if (!cv_known_revs_refresh(&r->seen, err))
        return false;
    bool ok = cv_postgres_compare_all(r, err);
    if (!ok && err->code == CV_ERR_REGRESSED)
        cv_postgres_advise_regressed(r, err);
    return ok;
}

bool cv_postgres_check(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    const cv_type **types = CV_NEW_ARRAY(a, r->type_count, const cv_type *);
    for (size_t i = 0; i < r->type_count; i++)
        types[i] = r->types[i].type;
    return cv_postgres_check_schema(r->c, a, types, r->type_count, err) && check_across(r, a, err) &&
           (r->told == r->c->costs.connects || check_seen(r, err));
}

/* ---- copies -------------------------------------------------------------------------------------------------------
 */

/* All scopes of one moment, whatever is written meanwhile. */
static bool copy_to(cv_record *record, cv_record *to, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_copying copying = {0};
    bool ok = cv_postgres_stand_still(r, err) && cv_record_copy(record, to, &copying, err);
    cv_postgres_go_on(r);
    return ok;
}

static void remove_record(cv_arena *a, const char *path)
{
    for (size_t i = 0; i < cv_record_files.count; i++)
        unlink(cv_arena_printf(a, "%s%.*s", path, CV_FMT(cv_record_files.items[i])).p);
}

/* A record of SQLite beside the copy, and the copy made from it: whole, on disk, with nothing beside it. */
bool cv_postgres_backup(cv_record *record, const char *path, cv_err *err)
{
    cv_arena a = {0};
    cv_record *beside = NULL;
    const char *temporary = cv_arena_printf(&a, "%s.copying-%ld", path, (long)getpid()).p;
    bool ok = cv_record_open(&a, temporary, CV_RECORD_CREATE, record->types, record->types->sqlite, &beside, err) &&
              copy_to(record, beside, err) && beside->calls->backup(beside, path, err);
    cv_record_close(beside);
    remove_record(&a, temporary);
    cv_arena_release(&a);
    return ok;
}

bool cv_postgres_scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err)
{
    if (!cv_record_open_memory(a, record->types, record->types->sqlite, ret_record, err))
        return false;
    if (empty || copy_to(record, *ret_record, err))
        return true;
    cv_record_close(*ret_record);
    return false;
}

/* ---- nothing is left ----------------------------------------------------------------------------------------------
 *
 * A table that is rewritten has nothing of what was replaced in it, unless somebody may still read it: so it is
 * done when nobody does. The server's logs, its standbys and its backups are beyond reach.
 */

enum { SCRUB_WAIT_MS = 5000, SCRUB_ASK_MS = 50 };

typedef struct {
    cv_arena *arena;
    int64_t foreign; /* tables that we may not rewrite */
    cv_str owner, user, next, reader;
} scrubbing;

static bool see_owner(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    scrubbing *s = ctx;
    (void)err;
    s->foreign = cv_postgres_column_int(row, 0);
    s->owner = cv_arena_copy(s->arena, cv_postgres_column(row, 1));
    s->next = cv_arena_copy(s->arena, cv_postgres_column(row, 2));
    s->user = cv_arena_copy(s->arena, cv_postgres_column(row, 3));
    return true;
}

static bool see_reader(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    scrubbing *s = ctx;
    (void)err;
    s->reader = cv_arena_copy(s->arena, cv_postgres_column(row, 0));
    return true;
}

/* Its tables are their owner's to rewrite; the server would only warn and do nothing. */
static bool check_owner(cv_postgres_record *r, scrubbing *s, cv_err *err)
{
    cv_postgres_batch batch = {.arena = s->arena};
    const char *schema = r->c->address.schema;
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "look at the tables", "scrub_look");
    cv_postgres_text(st, cv_str_of(schema));
    cv_postgres_rows(st, see_owner, s);
    if (cv_postgres_run_again(r->c, &batch, err) != CV_POSTGRES_OK)
        return false;
    if (s->foreign == 0)
        return true;
    cv_err_set(err, CV_ERR_STORE,
               "the text is redacted, but the server's files still have it: only the owner of the "
               "tables, %.*s, can rewrite them, not %.*s",
               CV_FMT(s->owner), CV_FMT(s->user));
    cv_err_file(err, r->c->address.text);
    cv_err_suggest(err,
                   cv_arena_printf(err->arena,
                                   "ask %.*s to give the same command again, or to run VACUUM (FULL) on every table of "
                                   "the schema %s",
                                   CV_FMT(s->owner), schema));
    return false;
}

static bool others_read(const cv_postgres_record *r, cv_str who, cv_err *err)
{
    cv_err_set(err, CV_ERR_BUSY, "others read the record (%.*s), so the server's files still have the replaced text",
               CV_FMT(who));
    cv_err_file(err, r->c->address.text);
    cv_err_suggest(err, CV_STR("the text is redacted; give the same command again when the others are done"));
    return false;
}

static bool wait_for_readers(cv_postgres_record *r, scrubbing *s, cv_err *err)
{
    int64_t deadline = cv_monotonic_ms() + SCRUB_WAIT_MS;
    for (;;) {
        cv_postgres_batch batch = {.arena = s->arena};
        cv_postgres_statement *st = cv_postgres_ask(r, &batch, "look for readers", "scrub_readers");
        cv_postgres_text(st, s->next);
        s->reader = (cv_str){NULL, 0};
        cv_postgres_rows(st, see_reader, s);
        if (cv_postgres_run_again(r->c, &batch, err) != CV_POSTGRES_OK)
            return false;
        if (s->reader.n == 0)
            return true;
        if (cv_monotonic_ms() > deadline)
            return others_read(r, s->reader, err);
        poll(NULL, 0, SCRUB_ASK_MS);
    }
}

/* It is the only one of its batch, because it cannot be part of a transaction, and nothing can be set for it: so the
 * lock that it waits for is tried before, with an end. */
static bool write_anew(cv_postgres_record *r, cv_arena *a, const char *table, cv_err *err)
{
    const cv_postgres_word word = {"$table", cv_str_of(table)};
    cv_postgres_batch try_it = {.arena = a}, batch = {.arena = a};
    cv_postgres_ask(r, &try_it, "rewrite the table", "begin_write");
    cv_postgres_limits(&try_it, "rewrite the table", SCRUB_WAIT_MS, 0);
    cv_postgres_add(&try_it, "rewrite the table", cv_postgres_fill(a, cv_postgres_text_of(r, "scrub_free"), &word, 1));
    cv_postgres_ask(r, &try_it, "rewrite the table", "rollback");
    cv_postgres_result result = cv_postgres_run_again(r->c, &try_it, err);
    if (result == CV_POSTGRES_BUSY) {
        cv_postgres_rollback(r->c);
        return others_read(r, cv_str_of(table), err);
    }
    if (result != CV_POSTGRES_OK)
        return false;
    cv_postgres_add(&batch, "rewrite the table", cv_postgres_fill(a, cv_postgres_text_of(r, "vacuum"), &word, 1));
    return cv_postgres_run_again(r->c, &batch, err) == CV_POSTGRES_OK;
}

bool cv_postgres_scrub(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    scrubbing s = {.arena = a};
    bool ok = check_owner(r, &s, err) && wait_for_readers(r, &s, err);
    for (size_t i = 0; ok && i <= r->type_count; i++)
        ok = write_anew(r, a, i < r->type_count ? r->types[i].type->table : "search_texts", err);
    return ok;
}
