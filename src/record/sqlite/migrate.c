/* migrate.c - is this file ours, is its schema current, and if it is older: make it current.
 *
 * Migrations are numbered 1, 2, 3 … and each leaves a row with its checksum. A file is accepted when its rows are the
 * beginning of our list, byte for byte. What is missing is applied in one transaction, so an interrupted upgrade leaves
 * the old schema. More rows than we know: a newer program made it, and we keep our hands off.
 */
#include "record/place.h"

#include "record/sql.h"
#include "record/sqlite/connection.h"
#include <assert.h>

static bool schema_error(cv_sqlite *s, cv_err *err, const char *suggestion)
{
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

static bool foreign_error(cv_sqlite *s, cv_err *err)
{
    cv_err_set(err, CV_ERR_SCHEMA, "cannot open the database: it belongs to another program");
    return schema_error(s, err, "name another file");
}

/* One number from a statement without parameters. */
static bool number_of(cv_sqlite *s, const char *name, int64_t *ret_number, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, name);
    bool ok = st && cv_sqlite_step(st) > 0;
    if (!ok)
        return cv_sqlite_fail(s, "read the database", err);
    *ret_number = sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    return true;
}

static bool newer_error(cv_sqlite *s, int64_t version, cv_str program, cv_err *err)
{
    cv_err_set(
        err, CV_ERR_SCHEMA,
        "cannot open the database: made by a newer conclave (schema %lld by version %.*s; this is version " CV_VERSION
        ", which knows schema %zu)",
        (long long)version, CV_FMT(program), s->schema->count);
    schema_error(s, err, "");
    cv_err_suggest(err, cv_arena_printf(err->arena, "use conclave %.*s or later", CV_FMT(program)));
    return false;
}

/* No migration leads from one layout to another. */
static bool layout_error(cv_sqlite *s, cv_str theirs, const char *ours, cv_err *err)
{
    cv_err_set(
        err, CV_ERR_SCHEMA,
        "cannot open the database: it is a record of another layout (%.*s), which this version does not read (it "
        "reads %s)",
        CV_FMT(theirs), ours);
    return schema_error(s, err,
                        "use the version of conclave that made it, or move it away and begin a new record with "
                        "'conclave init'");
}

/* The row that `st` is on against migration number `i`. */
static bool same_migration(cv_sqlite *s, sqlite3_stmt *st, size_t i, cv_err *err)
{
    int64_t version = sqlite3_column_int64(st, 0);
    if (i >= s->schema->count)
        return newer_error(s, version, cv_sqlite_column_str(st, 3), err);
    const cv_sql_migration *ours = &s->schema->items[i];
    if (version == ours->number && cv_str_eq(cv_sqlite_column_str(st, 2), cv_str_of(ours->checksum)))
        return true;
    cv_str name = cv_sqlite_column_str(st, 1);
    if (i == 0 && !cv_str_eq(name, cv_str_of(ours->name)))
        return layout_error(s, name, ours->name, err);
    cv_err_set(err, CV_ERR_SCHEMA,
               "cannot open the database: its migration %.*s is not the %s of this program (checksums %.12s and %.12s)",
               CV_FMT(name), ours->name, (const char *)sqlite3_column_text(st, 2), ours->checksum);
    return schema_error(s, err,
                        "use the version of conclave that made the database: a released migration never changes");
}

static bool compare_migrations(cv_sqlite *s, size_t *ret_applied, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "migrations");
    if (!st)
        return sqlite3_errcode(s->db) == SQLITE_ERROR ? foreign_error(s, err)
                                                      : cv_sqlite_fail(s, "read the database", err);
    size_t i = 0;
    int got;
    while ((got = cv_sqlite_step(st)) > 0) {
        bool same = same_migration(s, st, i, err);
        if (!same && i < s->schema->count)
            break;
        i++; /* also behind our own: the last row names the newest program that worked on the file */
    }
    bool ok = got == 0 && i <= s->schema->count;
    if (got < 0)
        cv_sqlite_fail(s, "read the database", err);
    sqlite3_reset(st);
    *ret_applied = i;
    return ok;
}

static bool inspect(cv_sqlite *s, bool create, size_t *ret_applied, cv_err *err)
{
    int64_t tables = 0, application = 0;
    *ret_applied = 0;
    if (!number_of(s, "tables", &tables, err) || !number_of(s, "application", &application, err))
        return false;
    if (tables == 0 && create)
        return true;
    if (tables == 0) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "cannot open the database: it is empty");
        return schema_error(s, err, cv_record_missing_advice(err->arena, s->path).p);
    }
    if (application != CV_SQLITE_APPLICATION)
        return foreign_error(s, err);
    return compare_migrations(s, ret_applied, err);
}

bool cv_sqlite_inspect(cv_sqlite *s, bool create, size_t *ret_applied, cv_err *err)
{
    if (cv_sqlite_run(s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(s, "read the database", err);
    bool ok = inspect(s, create, ret_applied, err);
    cv_sqlite_rollback(s);
    return ok;
}

static bool apply(cv_sqlite *s, const cv_sql_migration *m, cv_err *err)
{
    bool ok = sqlite3_exec(s->db, m->text, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_stmt *st = ok ? cv_sqlite_use(s, "migration_put") : NULL;
    ok = st && cv_sqlite_bind_int(st, ":version", m->number) && cv_sqlite_bind_str(st, ":name", cv_str_of(m->name)) &&
         cv_sqlite_bind_str(st, ":checksum", cv_str_of(m->checksum)) &&
         cv_sqlite_bind_str(st, ":program", CV_STR(CV_VERSION)) && cv_sqlite_step(st) == 0;
    if (!ok)
        cv_sqlite_fail(s, "migrate the database", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* The process that got the lock first has done it already: inside the transaction everything is looked at again. */
bool cv_sqlite_migrate(cv_sqlite *s, bool create, cv_err *err)
{
    size_t applied;
    if (!cv_sqlite_begin_write(s))
        return cv_sqlite_fail(s, "migrate the database", err);
    bool ok = inspect(s, create, &applied, err);
    if (ok && applied == 0 && cv_sqlite_run(s, "application_set") != SQLITE_OK)
        ok = cv_sqlite_fail(s, "make the database", err);
    assert(!ok || applied <= s->schema->count);
    for (size_t i = applied; ok && i < s->schema->count; i++)
        ok = apply(s, &s->schema->items[i], err);
    if (!ok) {
        cv_sqlite_rollback(s);
        return false;
    }
    return cv_sqlite_commit(s, err) == CV_SQLITE_DONE;
}
