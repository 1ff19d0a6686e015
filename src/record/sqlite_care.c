/* sqlite_care.c - the engine's own integrity check, and whole copies.
 *
 * A copy is made under another name beside its place, synced, and then put there by a link that never replaces a file
 * (by renaming where there are no links): what has the wanted name is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "record/sqlite_engine.h"

void cv_sqlite_about(cv_store *store, cv_arena *a, cv_store_about *ret_about)
{
    const cv_sql_migrations *schema = ((cv_sqlite *)store)->schema;
    *ret_about = (cv_store_about){cv_arena_printf(a, "SQLite %s", sqlite3_libversion()),
                                  schema->count ? schema->items[schema->count - 1].number : 0};
}

static bool damaged(cv_sqlite *s, cv_str what, cv_err *err)
{
    cv_err_set(err, CV_ERR_CORRUPT, "the database is damaged: %.*s", CV_FMT(what));
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("restore it from a backup, or save what is left with sqlite3's .recover"));
    return false;
}

static bool check_pages(cv_sqlite *s, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "integrity");
    if (!st || cv_sqlite_step(st) <= 0)
        return cv_sqlite_fail(s, "check the database", err);
    cv_str answer = cv_sqlite_column_str(st, 0);
    bool ok = cv_str_eq(answer, CV_STR("ok")) || damaged(s, answer, err);
    sqlite3_reset(st);
    return ok;
}

static bool check_references(cv_sqlite *s, cv_err *err)
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

bool cv_sqlite_check(cv_store *store, cv_arena *a, cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    return check_pages(s, err) && check_references(s, err);
}

/* ---- backup ----------------------------------------------------------------------------------- */

static bool sync_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
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
    cv_err_set(err, number == ENOENT ? CV_ERR_NOT_FOUND : CV_ERR_IO, "cannot write the backup: %s", strerror(number));
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, number == EEXIST ? CV_STR("name a file that does not exist yet; none is overwritten")
                                         : CV_STR("check the folder, its permissions and its free space"));
    return false;
}

static bool copy_to(cv_sqlite *s, const char *part, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "backup");
    bool ok = st && cv_sqlite_bind_str(st, ":path", cv_str_of(part)) && cv_sqlite_step(st) == 0;
    if (!ok) {
        cv_sqlite_fail(s, "write the backup", err);
        cv_err_file(err, cv_str_of(part));
    }
    if (st)
        sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_backup(cv_store *store, const char *path, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    if (access(path, F_OK) == 0)
        return backup_error(path, EEXIST, err);
    cv_arena names = {0};
    const char *part = cv_arena_printf(&names, "%s.%ld.part", path, (long)getpid()).p;
    const char *folder = cv_sqlite_folder(&names, path);
    unlink(part); /* of a process that died with our number */
    bool ok = copy_to(s, part, err);
    if (!ok)
        cv_err_file(err, cv_str_of(path));
    else if (!sync_path(part, O_RDONLY) || (link(part, path) != 0 && (errno == EEXIST || rename(part, path) != 0)))
        ok = backup_error(path, errno, err);
    unlink(part);
    if (ok && !sync_path(folder, O_RDONLY | O_DIRECTORY))
        ok = backup_error(path, errno, err);
    cv_arena_release(&names);
    return ok;
}
