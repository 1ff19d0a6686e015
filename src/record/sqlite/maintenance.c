/* maintenance.c - the integrity of a database, its schema against the migrations, writing it again, and whole copies.
 *
 * A copy is written into a file that is new or empty, and synced. A process that wants it under a name that others look
 * at writes it under a temporary one first (base/file.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/where.h"
#include "record/sqlite/connection.h"

static bool damaged(cv_sqlite *s, cv_str what, cv_err *err)
{
    cv_err_set(err, CV_ERR_CORRUPT, "the database is damaged: %.*s", CV_FMT(what));
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR(CV_SQLITE_DAMAGE_ADVICE));
    return false;
}

/* What it found first, on one line: SQLite puts a line with the name of the database before it. */
static cv_str first_finding(cv_str answer)
{
    cv_str line = answer;
    while (cv_str_split(&answer, '\n', &line) && cv_str_starts(line, CV_STR("***")))
        ;
    return line;
}

bool cv_sqlite_check_pages(cv_sqlite *s, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "integrity");
    if (!st || cv_sqlite_step(st) <= 0)
        return cv_sqlite_fail(s, "check the database", err);
    cv_str answer = cv_sqlite_column_str(st, 0);
    bool ok = cv_str_eq(answer, CV_STR("ok")) || damaged(s, first_finding(answer), err);
    sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_check_references(cv_sqlite *s, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "foreign_keys");
    int got = st ? cv_sqlite_step(st) : -1;
    if (got < 0)
        return cv_sqlite_fail(s, "check the database", err);
    if (got > 0) {
        cv_str table = cv_sqlite_column_str(st, 0), parent = cv_sqlite_column_str(st, 2);
        damaged(s,
                cv_arena_printf(err->arena, "a row of %.*s has no counterpart in %.*s", CV_FMT(table), CV_FMT(parent)),
                err);
    }
    sqlite3_reset(st);
    return got == 0;
}

/* ---- is the schema ours? ---------------------------------------------------------------------- */

static bool changed(cv_sqlite *s, cv_str message, cv_err *err)
{
    cv_err_set(err, CV_ERR_VERIFY, "the schema of the database was changed: %.*s", CV_FMT(message));
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("keep this copy, restore the last backup that verifies, and compare the two"));
    return false;
}

/* The next row: what it is called, and what it is. The end is called nothing. */
static bool next_of(cv_sqlite *s, sqlite3_stmt *st, cv_str *ret_name, cv_str *ret_text, cv_err *err)
{
    int got = cv_sqlite_step(st);
    *ret_name = got > 0 ? cv_sqlite_column_str(st, 0) : (cv_str){NULL, 0};
    *ret_text = got > 0 ? cv_sqlite_column_str(st, 1) : (cv_str){NULL, 0};
    return got >= 0 || cv_sqlite_fail(s, "read the schema", err);
}

/* Both lists are in order, so the first difference is a row that only one of them has, or that differs. */
static bool compare_lists(cv_sqlite *s, cv_sqlite *fresh, const char *statement, cv_err *err)
{
    sqlite3_stmt *ours = cv_sqlite_use(fresh, statement), *found = cv_sqlite_use(s, statement);
    cv_str name = {"", 0}, text, found_name, found_text;
    bool ok = (ours && found) || cv_sqlite_fail(ours ? s : fresh, "read the schema", err);
    while (ok && name.p) {
        ok = next_of(fresh, ours, &name, &text, err) && next_of(s, found, &found_name, &found_text, err);
        if (!ok || (cv_str_eq(name, found_name) && cv_str_eq(text, found_text)))
            continue;
        bool same = cv_str_eq(name, found_name);
        bool extra = !same && found_name.p && (!name.p || cv_str_order(found_name, name) < 0);
        ok = changed(s,
                     same    ? cv_arena_printf(err->arena, "%.*s is another one", CV_FMT(name))
                     : extra ? cv_arena_printf(err->arena, "%.*s was added", CV_FMT(found_name))
                             : cv_arena_printf(err->arena, "%.*s is missing", CV_FMT(name)),
                     err);
    }
    if (ours)
        sqlite3_reset(ours);
    if (found)
        sqlite3_reset(found);
    return ok;
}

/* Against a new database that our migrations made. A database in memory was made by this process, and nobody else sees
 * it: its schema is ours. */
bool cv_sqlite_check_made(cv_sqlite *s, cv_arena *a, cv_err *err)
{
    static const char *const lists[] = {"schema_objects", "schema_versions", "schema_settings"};
    if (strcmp(s->path, ":memory:") == 0)
        return true;
    cv_sqlite *fresh = cv_sqlite_connect(a, NULL, CV_SQLITE_MEMORY, s->statements, s->schema, err);
    bool ok = fresh != NULL;
    for (size_t i = 0; ok && i < CV_COUNT(lists); i++)
        ok = compare_lists(s, fresh, lists[i], err);
    if (fresh)
        cv_sqlite_disconnect(fresh);
    return ok;
}

/* ---- nothing is left ---------------------------------------------------------------------------- */

/* What it was done for is in the record already. */
static bool fail_rest(cv_sqlite *s, const char *doing, cv_err *err)
{
    cv_sqlite_fail(s, doing, err);
    cv_err_suggest(err,
                   CV_STR("the text is redacted, but the file may still have it where nothing is kept now; correct "
                          "what failed, or make room, and give the same command again"));
    return false;
}

/* The log is copied into the database and cut off. SQLite says in a row that readers block it. */
static bool empty_log(cv_sqlite *s, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "empty_log");
    int got = st ? cv_sqlite_step(st) : -1;
    bool busy = got > 0 && sqlite3_column_int64(st, 0) != 0;
    if (st)
        sqlite3_reset(st);
    if (got < 0)
        return fail_rest(s, "empty the log of the database", err);
    if (!busy)
        return true;
    cv_err_set(err, CV_ERR_BUSY, "others read the record, so its log still has the replaced text");
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("the text is redacted; give the same command again when the others are done"));
    return false;
}

bool cv_sqlite_write_anew(cv_sqlite *s, cv_err *err)
{
    static const char *const steps[] = {"search_optimize", "vacuum"};
    for (size_t i = 0; i < CV_COUNT(steps); i++)
        if (cv_sqlite_run(s, steps[i]) != SQLITE_OK)
            return fail_rest(s, "rewrite the database", err);
    return empty_log(s, err);
}

/* ---- backup ----------------------------------------------------------------------------------- */

static bool sync_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fsync(fd) == 0 || errno == EINVAL;
    int number = errno;
    close(fd);
    errno = number;
    return ok;
}

static bool backup_error(const char *path, int number, cv_err *err)
{
    cv_system_fail(err, path, "write the backup", number);
    if (number == EEXIST)
        cv_err_suggest(err, CV_STR("name a file that does not exist yet; none is overwritten"));
    return false;
}

static bool copy_to(cv_sqlite *s, const char *path, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "backup");
    bool ok = st && cv_sqlite_bind_str(st, ":path", cv_str_of(path)) && cv_sqlite_step(st) == 0;
    if (!ok) {
        cv_sqlite_fail(s, "write the backup", err);
        cv_err_file(err, cv_str_of(path));
    }
    if (st)
        sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_write_copy(cv_sqlite *s, const char *path, cv_err *err)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && fstat(fd, &st) == 0;
    if (!ok)
        backup_error(path, errno, err);
    else if (st.st_size > 0)
        ok = backup_error(path, EEXIST, err);
    if (fd >= 0)
        close(fd);
    if (!ok)
        return false;
    ok = copy_to(s, path, err) && (sync_path(path) || backup_error(path, errno, err));
    if (!ok)
        unlink(path);
    return ok;
}
