/* all_scopes.c - what holds across scopes, which the history of one scope cannot show.
 *
 *     commits    numbered without gaps, for rows are never deleted; those of a scope in the order of their revs
 *     scopes     each belongs to a room of this program: what verifies a room sees all of its scopes
 *     rows       each belongs to a scope of the room that has its type: what verifies a scope sees all of its rows
 */
#include "record/sqlite/engine.h"

static bool disagree(cv_sqlite *s, cv_str place, cv_str what, cv_err *err)
{
    cv_err_set(err, CV_ERR_VERIFY, "%.*s: %.*s", CV_FMT(place), CV_FMT(what));
    cv_err_value(err, place);
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("keep this copy, restore the last backup that verifies, and compare the two"));
    return false;
}

/* The statement finds the number of a commit that is not right. */
static bool check_commits(cv_sqlite *s, const char *statement, const char *expected, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int got = st ? cv_sqlite_step(st) : -1;
    long long number = got > 0 ? (long long)sqlite3_column_int64(st, 0) : 0;
    if (st)
        sqlite3_reset(st);
    if (got < 0)
        return cv_sqlite_fail(s, "read the commits", err);
    return got == 0 || disagree(s, cv_arena_printf(err->arena, "commit/%lld", number), cv_str_of(expected), err);
}

static bool check_rooms(cv_sqlite_record *r, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(r->s, "scope_rooms");
    int got = -1;
    bool ok = st != NULL;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        cv_str room = cv_sqlite_column_str(st, 0), name = cv_sqlite_column_str(st, 1);
        ok = cv_types_of(r->base.types, room) ||
             disagree(r->s, cv_arena_printf(err->arena, "scope %.*s '%.*s'", CV_FMT(room), CV_FMT(name)),
                      CV_STR("expected a room of this program, found another word"), err);
    }
    if (st)
        sqlite3_reset(st);
    return ok && (got == 0 || cv_sqlite_fail(r->s, "read the scopes", err));
}

static bool check_type(cv_sqlite_record *r, cv_str room, const cv_type *type, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_strays(r, type);
    int got = st && sqlite3_bind_text64(st, 1, room.p, room.n, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK
                  ? cv_sqlite_step(st)
                  : -1;
    bool ok = got == 0;
    if (got > 0)
        disagree(r->s,
                 cv_arena_printf(err->arena, "%.*s '%.*s'", CV_FMT(cv_sqlite_column_str(st, 0)),
                                 CV_FMT(cv_sqlite_column_str(st, 1))),
                 cv_arena_printf(err->arena,
                                 "expected no rows of the type '%.*s', which the room '%.*s' has, found some",
                                 CV_FMT(type->name), CV_FMT(room)),
                 err);
    else if (got < 0)
        cv_sqlite_fail(r->s, "read the scopes", err);
    sqlite3_finalize(st);
    return ok;
}

bool cv_sqlite_check_across(cv_sqlite_record *r, cv_err *err)
{
    const cv_types *types = r->base.types;
    bool ok =
        check_commits(r->s, "commit_gap", "expected commits numbered without gaps, found none with this number", err) &&
        check_commits(r->s, "commit_order",
                      "expected the commits of a scope in the order of their revs, found the next one before it",
                      err) &&
        check_rooms(r, err);
    for (size_t i = 0; ok && i < types->count; i++)
        for (size_t k = 0; ok && k < types->rooms[i]->count; k++)
            ok = check_type(r, types->rooms[i]->room, types->rooms[i]->types[k], err);
    return ok;
}
