/* swap.c - putting a backup in the place of a record in a file; see record/swap.h.
 *
 * A present record that is whole is kept as one database, and the copy's pages are written over it in one transaction:
 * a process that has the record open sees one more commit.
 *
 * A present record that is not whole (missing, damaged, not ours) is kept as the files that it was: the database under
 * a second name, its log under the same name with "-wal" behind it; then the copy is renamed into its place. A process
 * that still has the old file open cannot write to it: every write asks first whether its file is still the one at its
 * path.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "record/place.h"
#include "record/sqlite/engine.h"
#include "record/swap.h"

enum { COPY_PAGES = 32, MOST_NAMES = 100 };

/* SQLite's files beside a database. */
static const char *const companions[] = {"-wal", "-journal", "-shm"};

/* The database of the record as the target of SQLite's own copy, which holds the write lock from its first step on. */
typedef struct {
    cv_sqlite *target;
    cv_sqlite_record *source;
    sqlite3_backup *pages; /* NULL: not begun, or done */
    bool as_files;         /* the present record is kept as the files that it was */
} swap_lock;

static swap_lock *lock_of(const cv_swap *s)
{
    return s->engine;
}

static const char *beside(cv_arena *a, const char *path, const char *companion)
{
    return cv_arena_printf(a, "%s%s", path, companion).p;
}

/* What was acknowledged to the present record is not expected of the one that comes. */
static void forget_watermark(const cv_swap *s)
{
    cv_swap_step(s);
    unlink(cv_watermark_path(s->arena, s->store.path));
}

/* … but what is there now. Nobody commits while it is set. Without one the next write makes it: the restore is done all
 * the same, and `no_watermark` says why. */
static void renew_watermark(cv_swap *s)
{
    cv_commit last;
    cv_record *record;
    if (!cv_record_open(s->arena, s->store.path, CV_RECORD_EXISTING, s->types, s->types->sqlite, &record,
                        &s->no_watermark))
        return;
    record->calls->accept(record, s->arena, &last, &s->no_watermark);
    cv_record_close(record);
}

/* ---- the present record ------------------------------------------------------------------------------------------ */

/* What is there is not a whole record of ours: its files are kept as they are. */
static bool is_no_record(const cv_err *err)
{
    return err->code == CV_ERR_CORRUPT || err->code == CV_ERR_NOT_FOUND || err->code == CV_ERR_SCHEMA;
}

static void close_present(cv_swap *s)
{
    cv_record_close(s->present);
    if (lock_of(s)->target)
        cv_sqlite_disconnect(lock_of(s)->target);
    s->present = NULL;
    lock_of(s)->target = NULL;
}

/* A second connection, because a database that is being written over cannot be read through the same one. */
static bool open_present(cv_swap *s, cv_err *err)
{
    cv_sqlite_mode mode = CV_SQLITE_EXISTING;
    cv_sqlite_record *r = cv_sqlite_record_open(s->arena, s->store.path, mode, s->types, s->types->sqlite, &s->trouble);
    s->present = r ? &r->base : NULL;
    if (r)
        lock_of(s)->target =
            cv_sqlite_connect(s->arena, s->store.path, mode, r->s->statements, s->types->sqlite, &s->trouble);
    if (lock_of(s)->target)
        return true;
    if (!is_no_record(&s->trouble))
        cv_err_copy(err, &s->trouble);
    return is_no_record(&s->trouble);
}

/* The first step of SQLite's copy takes the write lock of the target and copies nothing. Pages of another size cannot
 * be written over the present ones: then it says READONLY, and has the lock. */
static bool take_lock(cv_swap *s, cv_err *err)
{
    swap_lock *lock = lock_of(s);
    cv_sqlite *target = lock->target;
    int moved = 0;
    lock->source = cv_sqlite_record_open(s->arena, s->copy, CV_SQLITE_IMMUTABLE, s->types, s->types->sqlite, err);
    if (!lock->source)
        return false;
    s->backup = &lock->source->base;
    lock->pages = sqlite3_backup_init(target->db, "main", lock->source->s->db, "main");
    int rc = lock->pages ? sqlite3_backup_step(lock->pages, 0) & 0xff : SQLITE_ERROR;
    sqlite3_file_control(target->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    target->has_moved = moved;
    lock_of(s)->as_files = rc == SQLITE_READONLY && sqlite3_db_readonly(target->db, "main") == 0;
    if ((rc == SQLITE_OK || rc == SQLITE_DONE || lock_of(s)->as_files) && !moved)
        return true;
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
        cv_err_set(err, CV_ERR_BUSY, "cannot restore: another process has kept the record locked");
        cv_err_file(err, cv_str_of(s->store.path));
        cv_err_suggest(err, CV_STR("try again; nothing was changed"));
        return false;
    }
    return cv_sqlite_fail(target, "restore the record", err);
}

static bool begin(cv_swap *s, cv_err *err)
{
    s->engine = CV_NEW(s->arena, swap_lock);
    if (cv_record_is_frozen(s->arena, s->store.path)) {
        cv_err_set(err, CV_ERR_STORE, "cannot restore: the record is read-only; %.*s",
                   CV_FMT(cv_sqlite_hindrance(s->arena, s->store.path)));
        cv_err_file(err, cv_str_of(s->store.path));
        cv_err_suggest(err, CV_STR("give yourself write permission for the folder and the files in it"));
        return false;
    }
    if (!open_present(s, err))
        return false;
    if (s->trouble.code != CV_ERR_NONE) {
        close_present(s);
        return lock_of(s)->as_files = true;
    }
    assert(s->present && lock_of(s)->target && "opened without trouble");
    if (!take_lock(s, err))
        return false;
    if (!s->present->calls->check(s->present, s->arena, &s->trouble))
        lock_of(s)->as_files = true;
    return true;
}

/* ---- kept as one database, and written over ---------------------------------------------------------------------- */

static bool keep_database(cv_swap *s, const char *kept, cv_err *err)
{
    const char *part;
    cv_swap_step(s);
    if (!cv_file_temporary(s->arena, kept, &part, err))
        return false;
    if (s->present->calls->backup(s->present, part, err)) {
        cv_swap_step(s);
        if (cv_file_place(part, cv_where_named(kept), false, err))
            return true;
    }
    unlink(part);
    return false;
}

static bool write_over(cv_swap *s, bool *ret_lacks_room, cv_err *err)
{
    swap_lock *lock = lock_of(s);
    int rc;
    forget_watermark(s);
    do {
        cv_swap_step(s);
        rc = sqlite3_backup_step(lock->pages, COPY_PAGES);
    } while (rc == SQLITE_OK);
    int end = sqlite3_backup_finish(lock->pages);
    lock->pages = NULL;
    cv_swap_step(s);
    if (rc == SQLITE_DONE && end == SQLITE_OK)
        return true;
    cv_sqlite_fail(lock->target, "write the backup over the record", err);
    *ret_lacks_room = cv_sqlite_lacks_room(lock->target);
    return false;
}

/* Without room nothing of the transaction is there: the record is as it was, so a second one beside it only takes more
 * room. */
static bool keep_and_write_over(cv_swap *s, const char *kept, cv_err *err)
{
    bool lacks_room = false;
    if (!keep_database(s, kept, err))
        return false;
    if (write_over(s, &lacks_room, err))
        return true;
    if (lacks_room)
        unlink(kept);
    renew_watermark(s);
    return false;
}

/* ---- kept as the files that it was, and replaced ----------------------------------------------------------------- */

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* The database gets a second name, so that the first always leads to something; where a file system has no second
 * names, another name. */
static bool keep_main_file(cv_swap *s, const char *kept, cv_err *err)
{
    cv_swap_step(s);
    return !exists(s->store.path) || link(s->store.path, kept) == 0 ||
           (errno != EEXIST && rename(s->store.path, kept) == 0) ||
           cv_system_fail_unchanged(err, kept, "keep the present record", errno);
}

/* No log of the old database may ever be beside the new one: they are away, on disk, before it comes. */
static bool replace_files(cv_swap *s, const char *kept, bool *ret_kept, cv_err *err)
{
    cv_arena *a = s->arena;
    *ret_kept = exists(s->store.path);
    if (!keep_main_file(s, kept, err))
        return false;
    for (size_t i = 0; i < CV_COUNT(companions); i++) {
        const char *from = beside(a, s->store.path, companions[i]), *to = beside(a, kept, companions[i]);
        cv_swap_step(s);
        if (!exists(from))
            continue;
        if (!cv_file_place(from, cv_where_named(to), false, err))
            return false;
        *ret_kept = true;
    }
    forget_watermark(s);
    cv_swap_step(s);
    bool ok = cv_file_place(s->copy, cv_where_named(s->store.path), true, err);
    cv_swap_step(s);
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* "conclave.db.before-restore-20260214T093000Z", or with "-2" behind it. */
static const char *kept_name(const cv_swap *s, const char *stamp)
{
    const char *name = NULL;
    for (int i = 1; i <= MOST_NAMES; i++) {
        cv_str number = i > 1 ? cv_arena_printf(s->arena, "-%d", i) : CV_STR("");
        name = cv_arena_printf(s->arena, "%s.before-restore-%s%.*s", s->store.path, stamp, CV_FMT(number)).p;
        if (!exists(name) && !exists(cv_sqlite_log_of(s->arena, name)))
            break;
    }
    return name;
}

static bool commit(cv_swap *s, const char *stamp, cv_err *err)
{
    const char *kept = kept_name(s, stamp);
    bool is_kept = true;
    bool done = lock_of(s)->as_files ? replace_files(s, kept, &is_kept, err) : keep_and_write_over(s, kept, err);
    if (!done)
        return false;
    renew_watermark(s);
    if (is_kept)
        s->kept =
            cv_str_of(exists(kept) ? kept : cv_sqlite_log_of(s->arena, kept)); /* only a log may have been there */
    return true;
}

static void end(cv_swap *s)
{
    swap_lock *lock = lock_of(s);
    if (!lock)
        return;
    sqlite3_backup_finish(lock->pages);
    if (lock->source)
        cv_record_close(&lock->source->base);
    close_present(s);
}

const cv_swap_calls cv_sqlite_swap = {begin, commit, end};
