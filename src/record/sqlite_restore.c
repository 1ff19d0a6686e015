/* sqlite_restore.c - putting a backup in the place of a record; see restore.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "record/restore.h"
#include "record/sqlite_engine.h"

enum { COPY_BYTES = 1 << 16, COPY_PAGES = 32 };

/* SQLite's files beside a database. */
static const char *const companions[] = {"-wal", "-journal", "-shm"};

/* The database of the record as the target of SQLite's own copy, which holds the write lock from its first step on. */
struct cv_restore_lock {
    cv_store *target, *source;
    sqlite3_backup *pages; /* NULL: not begun, or done */
};

static void step(const cv_restore *r)
{
    if (r->step)
        r->step(r->ctx);
}

static bool fail_errno(const char *path, const char *doing, int number, cv_err *err)
{
    cv_err_set(err, number == ENOENT ? CV_ERR_NOT_FOUND : CV_ERR_IO, "cannot %s: %s", doing, strerror(number));
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, CV_STR("check the path, its permissions and the free space; nothing was changed"));
    return false;
}

static const char *beside(cv_arena *a, const char *path, const char *companion)
{
    return cv_arena_printf(a, "%s%s", path, companion).p;
}

/* What was acknowledged to the present record is not expected of the one that comes. */
static void forget_watermark(const cv_restore *r)
{
    step(r);
    unlink(cv_watermark_path(r->arena, r->path));
}

/* … but what is there now. Nobody commits while it is set. Without one the next write makes it, so that a failure here
 * loses nothing. */
static void renew_watermark(const cv_restore *r)
{
    cv_err ignored = {.arena = r->arena};
    cv_commit last;
    cv_store *store;
    if (!cv_sqlite_open_marked(r->arena, r->path, false, &store, &ignored))
        return;
    if (cv_sqlite_begin_write((cv_sqlite *)store))
        store->calls->accept(store, r->arena, &last, &ignored);
    cv_sqlite_rollback((cv_sqlite *)store);
    cv_store_close(store);
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to)
{
    char bytes[COPY_BYTES];
    for (;;) {
        ssize_t got = read(from, bytes, sizeof bytes);
        if (got == 0)
            return fsync(to) == 0;
        for (ssize_t done = 0, n; done < got; done += n)
            if ((n = write(to, bytes + done, (size_t)(got - done))) <= 0)
                return false;
        if (got < 0 && errno != EINTR)
            return false;
    }
}

static bool copy_file(const char *from, const char *to, cv_err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool ok = in >= 0 && out >= 0 && copy_bytes(in, out);
    int number = errno;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok || fail_errno(from, "copy the backup", number, err);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A backup that somebody works on is not one: its bytes are looked at before and after. */
bool cv_restore_copy(cv_restore *r, const char *backup, cv_err *err)
{
    cv_arena *a = r->arena;
    const char *log = cv_sqlite_log_of(a, backup);
    struct stat before[2] = {0}, after[2] = {0};
    if (stat(backup, &before[0]) != 0)
        return fail_errno(backup, "read the backup", errno, err);
    bool logged = stat(log, &before[1]) == 0 && before[1].st_size > 0;
    cv_folder_sweep(a, cv_folder_of(a, r->path));
    if (!cv_file_temporary(a, r->path, &r->copy, err) || !copy_file(backup, r->copy, err) ||
        (logged && !copy_file(log, cv_sqlite_log_of(a, r->copy), err)))
        return false;
    stat(backup, &after[0]);
    stat(log, &after[1]);
    if (same_file(&before[0], &after[0]) && (!logged || same_file(&before[1], &after[1])))
        return true;
    cv_err_set(err, CV_ERR_BUSY, "cannot read the backup: it was changed meanwhile");
    cv_err_file(err, cv_str_of(backup));
    cv_err_suggest(err, CV_STR("make a copy of it with 'conclave backup' and restore that"));
    return false;
}

/* ---- the present record ------------------------------------------------------------------------------------------ */

/* What stands there is not a whole record of ours: its files are kept as they are. */
static bool is_no_record(const cv_err *err)
{
    return err->code == CV_ERR_CORRUPT || err->code == CV_ERR_NOT_FOUND || err->code == CV_ERR_SCHEMA;
}

static bool open_present(cv_restore *r, cv_err *err)
{
    struct cv_restore_lock *lock = r->lock;
    if (cv_sqlite_open_as(r->arena, r->path, CV_SQLITE_EXISTING, &cv_sql_schema, &lock->target, &r->trouble) &&
        cv_sqlite_open_as(r->arena, r->path, CV_SQLITE_EXISTING, &cv_sql_schema, &r->present, &r->trouble))
        return true;
    if (!is_no_record(&r->trouble))
        cv_err_copy(err, &r->trouble);
    return is_no_record(&r->trouble);
}

/* The first step of SQLite's copy takes the write lock of the target and copies nothing. Pages of another size cannot
 * be written over the present ones: then it says READONLY, and has the lock. */
static bool take_lock(cv_restore *r, cv_err *err)
{
    struct cv_restore_lock *lock = r->lock;
    cv_sqlite *target = (cv_sqlite *)lock->target, *source;
    int moved = 0;
    if (!cv_sqlite_open_copy(r->arena, r->copy, &lock->source, err))
        return false;
    source = (cv_sqlite *)lock->source;
    lock->pages = sqlite3_backup_init(target->db, "main", source->db, "main");
    int rc = lock->pages ? sqlite3_backup_step(lock->pages, 0) & 0xff : SQLITE_ERROR;
    sqlite3_file_control(target->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    target->has_moved = moved;
    r->as_files = rc == SQLITE_READONLY && sqlite3_db_readonly(target->db, "main") == 0;
    if ((rc == SQLITE_OK || rc == SQLITE_DONE || r->as_files) && !moved)
        return true;
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
        cv_err_set(err, CV_ERR_BUSY, "cannot restore: another process has kept the record locked");
        cv_err_file(err, cv_str_of(r->path));
        cv_err_suggest(err, CV_STR("try again; nothing was changed"));
        return false;
    }
    return cv_sqlite_fail(target, "restore the record", err);
}

bool cv_restore_begin(cv_restore *r, cv_err *err)
{
    r->lock = CV_NEW(r->arena, struct cv_restore_lock);
    r->trouble.arena = r->arena;
    if (cv_sqlite_is_frozen(r->arena, r->path)) {
        cv_err_set(err, CV_ERR_STORE, "cannot restore: the record can only be read; %.*s",
                   CV_FMT(cv_sqlite_hindrance(r->arena, r->path)));
        cv_err_file(err, cv_str_of(r->path));
        cv_err_suggest(err, CV_STR("give yourself write permission for the folder and the files in it"));
        return false;
    }
    if (!open_present(r, err))
        return false;
    if (r->trouble.code != CV_ERR_NONE) {
        cv_store_close(r->present);
        cv_store_close(r->lock->target);
        r->present = r->lock->target = NULL;
        return r->as_files = true;
    }
    if (!take_lock(r, err))
        return false;
    if (!r->present->calls->check(r->present, r->arena, &r->trouble))
        r->as_files = true;
    return true;
}

/* ---- kept as one database, and written over ---------------------------------------------------------------------- */

static bool keep_database(cv_restore *r, const char *kept, cv_err *err)
{
    const char *part;
    step(r);
    if (!cv_file_temporary(r->arena, kept, &part, err))
        return false;
    if (r->present->calls->backup(r->present, part, err)) {
        step(r);
        if (cv_file_place(part, cv_where_named(kept), false, err))
            return true;
    }
    unlink(part);
    return false;
}

static bool write_over(cv_restore *r, cv_err *err)
{
    struct cv_restore_lock *lock = r->lock;
    int rc;
    forget_watermark(r);
    do {
        step(r);
        rc = sqlite3_backup_step(lock->pages, COPY_PAGES);
    } while (rc == SQLITE_OK);
    int end = sqlite3_backup_finish(lock->pages);
    lock->pages = NULL;
    step(r);
    return (rc == SQLITE_DONE && end == SQLITE_OK) ||
           cv_sqlite_fail((cv_sqlite *)lock->target, "write the backup over the record", err);
}

/* ---- kept as the files that it was, and replaced ----------------------------------------------------------------- */

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* The database gets a second name, so that the first always leads to something; where a file system has no second
 * names, another name. */
static bool keep_main_file(cv_restore *r, const char *kept, cv_err *err)
{
    step(r);
    return !exists(r->path) || link(r->path, kept) == 0 || (errno != EEXIST && rename(r->path, kept) == 0) ||
           fail_errno(kept, "keep the present record", errno, err);
}

/* No log of the old database may ever stand beside the new one: they are away, on disk, before it comes. */
static bool replace_files(cv_restore *r, const char *kept, bool *ret_kept, cv_err *err)
{
    cv_arena *a = r->arena;
    *ret_kept = exists(r->path);
    if (!keep_main_file(r, kept, err))
        return false;
    for (size_t i = 0; i < CV_COUNT(companions); i++) {
        const char *from = beside(a, r->path, companions[i]), *to = beside(a, kept, companions[i]);
        step(r);
        if (!exists(from))
            continue;
        if (!cv_file_place(from, cv_where_named(to), false, err))
            return false;
        *ret_kept = true;
    }
    forget_watermark(r);
    step(r);
    bool ok = cv_file_place(r->copy, cv_where_named(r->path), true, err);
    step(r);
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool cv_restore_commit(cv_restore *r, const char *kept, bool *ret_kept, cv_err *err)
{
    *ret_kept = true;
    bool done = r->as_files ? replace_files(r, kept, ret_kept, err) : keep_database(r, kept, err) && write_over(r, err);
    if (done)
        renew_watermark(r);
    return done;
}

void cv_restore_end(cv_restore *r)
{
    struct cv_restore_lock *lock = r->lock;
    if (lock) {
        sqlite3_backup_finish(lock->pages);
        cv_store_close(lock->source);
        cv_store_close(r->present);
        cv_store_close(lock->target);
    }
    if (!r->copy)
        return;
    unlink(r->copy);
    for (size_t i = 0; i < CV_COUNT(companions); i++)
        unlink(beside(r->arena, r->copy, companions[i]));
}
