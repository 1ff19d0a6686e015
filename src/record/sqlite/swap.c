/* swap.c - putting a backup in the place of a record; see swap.h. */
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

enum { COPY_BYTES = 1 << 16, COPY_PAGES = 32 };

/* SQLite's files beside a database. */
static const char *const companions[] = {"-wal", "-journal", "-shm"};

/* The database of the record as the target of SQLite's own copy, which holds the write lock from its first step on. */
struct cv_swap_lock {
    cv_sqlite *target;
    cv_sqlite_record *source;
    sqlite3_backup *pages; /* NULL: not begun, or done */
};

static void step(const cv_swap *s)
{
    if (s->step)
        s->step(s->ctx);
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
static void forget_watermark(const cv_swap *s)
{
    step(s);
    unlink(cv_watermark_path(s->arena, s->path));
}

/* … but what is there now. Nobody commits while it is set. Without one the next write makes it, so that a failure here
 * loses nothing. */
static void renew_watermark(const cv_swap *s)
{
    cv_err ignored = {.arena = s->arena};
    cv_commit last;
    cv_record *record;
    if (!cv_record_open(s->arena, s->path, CV_RECORD_EXISTING, s->types, s->schema, &record, &ignored))
        return;
    record->calls->accept(record, s->arena, &last, &ignored);
    cv_record_close(record);
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
bool cv_swap_copy(cv_swap *s, const char *backup, cv_err *err)
{
    cv_arena *a = s->arena;
    const char *log = cv_sqlite_log_of(a, backup);
    struct stat before[2] = {0}, after[2] = {0};
    if (stat(backup, &before[0]) != 0)
        return fail_errno(backup, "read the backup", errno, err);
    bool logged = stat(log, &before[1]) == 0 && before[1].st_size > 0;
    cv_folder_sweep(a, cv_folder_of(a, s->path));
    if (!cv_file_temporary(a, s->path, &s->copy, err) || !copy_file(backup, s->copy, err) ||
        (logged && !copy_file(log, cv_sqlite_log_of(a, s->copy), err)))
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

static void close_present(cv_swap *s)
{
    cv_record_close(s->present);
    if (s->lock->target)
        cv_sqlite_disconnect(s->lock->target);
    s->present = NULL;
    s->lock->target = NULL;
}

/* A second connection, because a database that is being written over cannot be read through the same one. */
static bool open_present(cv_swap *s, cv_err *err)
{
    cv_sqlite_mode mode = CV_SQLITE_EXISTING;
    cv_sqlite_record *r = cv_sqlite_record_open(s->arena, s->path, mode, s->types, s->schema, &s->trouble);
    s->present = r ? &r->base : NULL;
    if (r)
        s->lock->target = cv_sqlite_connect(s->arena, s->path, mode, r->s->statements, s->schema, &s->trouble);
    if (s->lock->target)
        return true;
    if (!is_no_record(&s->trouble))
        cv_err_copy(err, &s->trouble);
    return is_no_record(&s->trouble);
}

/* The first step of SQLite's copy takes the write lock of the target and copies nothing. Pages of another size cannot
 * be written over the present ones: then it says READONLY, and has the lock. */
static bool take_lock(cv_swap *s, cv_err *err)
{
    struct cv_swap_lock *lock = s->lock;
    cv_sqlite *target = lock->target;
    int moved = 0;
    lock->source = cv_sqlite_record_open(s->arena, s->copy, CV_SQLITE_IMMUTABLE, s->types, s->schema, err);
    if (!lock->source)
        return false;
    lock->pages = sqlite3_backup_init(target->db, "main", lock->source->s->db, "main");
    int rc = lock->pages ? sqlite3_backup_step(lock->pages, 0) & 0xff : SQLITE_ERROR;
    sqlite3_file_control(target->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    target->has_moved = moved;
    s->as_files = rc == SQLITE_READONLY && sqlite3_db_readonly(target->db, "main") == 0;
    if ((rc == SQLITE_OK || rc == SQLITE_DONE || s->as_files) && !moved)
        return true;
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
        cv_err_set(err, CV_ERR_BUSY, "cannot restore: another process has kept the record locked");
        cv_err_file(err, cv_str_of(s->path));
        cv_err_suggest(err, CV_STR("try again; nothing was changed"));
        return false;
    }
    return cv_sqlite_fail(target, "restore the record", err);
}

bool cv_swap_begin(cv_swap *s, cv_err *err)
{
    s->lock = CV_NEW(s->arena, struct cv_swap_lock);
    s->trouble.arena = s->arena;
    if (cv_record_is_frozen(s->arena, s->path)) {
        cv_err_set(err, CV_ERR_STORE, "cannot restore: the record can only be read; %.*s",
                   CV_FMT(cv_sqlite_hindrance(s->arena, s->path)));
        cv_err_file(err, cv_str_of(s->path));
        cv_err_suggest(err, CV_STR("give yourself write permission for the folder and the files in it"));
        return false;
    }
    if (!open_present(s, err))
        return false;
    if (s->trouble.code != CV_ERR_NONE) {
        close_present(s);
        return s->as_files = true;
    }
    if (!take_lock(s, err))
        return false;
    if (!s->present->calls->check(s->present, s->arena, &s->trouble))
        s->as_files = true;
    return true;
}

/* ---- what the present record has beyond the backup --------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    struct {
        cv_scope_id scope;
        cv_scope_position at;
    } * items;
    size_t count, capacity;
} scope_list;

static bool add_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    scope_list *list = ctx;
    cv_arena *a = list->arena;
    (void)err;
    CV_PUSH(a, list)->scope = (cv_scope_id){cv_arena_copy(a, scope.room), cv_arena_copy(a, scope.name)};
    list->items[list->count - 1].at =
        (cv_scope_position){.rev = at->rev, .head = cv_arena_copy(a, at->head), .event_count = at->event_count};
    return true;
}

typedef struct {
    cv_str head;
    bool same;
} comparing;

static bool compare_head(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    comparing *c = ctx;
    (void)scope, (void)err;
    c->same = cv_str_eq(((const cv_commit_row *)row)->head, c->head);
    return true;
}

/* Is this moment of the scope a part of the backup's history? */
static bool is_in_backup(cv_record *backup, cv_arena *a, cv_scope_id scope, const cv_scope_position *now,
                         int64_t *ret_rev, bool *ret_is, cv_err *err)
{
    cv_scope_position at;
    comparing c = {.head = now->head};
    const cv_commit_row like = {.rev = now->rev};
    const cv_find commit = {
        .type = &cv_commit_row_type, .index = cv_commits_by_rev, .scope = scope, .like = &like, .equal = 1, .limit = 1};
    bool ok =
        backup->calls->begin(backup, a, scope, &at, err) && backup->calls->find(backup, &commit, compare_head, &c, err);
    backup->calls->end(backup);
    *ret_rev = ok ? at.rev : 0;
    *ret_is = c.same;
    return ok;
}

bool cv_swap_lost(cv_swap *s, cv_swap_visit visit, void *ctx, cv_err *err)
{
    scope_list list = {.arena = s->arena};
    cv_record *backup = s->lock && s->lock->source ? &s->lock->source->base : NULL;
    bool ok = s->present && backup;
    if (!ok)
        cv_err_copy(err, &s->trouble);
    for (size_t i = 0; ok && i < s->types->count; i++)
        ok = s->present->calls->scopes(s->present, s->types->rooms[i]->room, CV_STR(""), 0, add_scope, &list, err);
    for (size_t i = 0; ok && i < list.count; i++) {
        cv_swap_loss loss = {.scope = list.items[i].scope, .rev = list.items[i].at.rev};
        bool is_there = false;
        ok = is_in_backup(backup, s->arena, loss.scope, &list.items[i].at, &loss.restored_rev, &is_there, err) &&
             (is_there || visit(ctx, &loss, err));
    }
    return ok;
}

/* ---- kept as one database, and written over ---------------------------------------------------------------------- */

static bool keep_database(cv_swap *s, const char *kept, cv_err *err)
{
    const char *part;
    step(s);
    if (!cv_file_temporary(s->arena, kept, &part, err))
        return false;
    if (s->present->calls->backup(s->present, part, err)) {
        step(s);
        if (cv_file_place(part, cv_where_named(kept), false, err))
            return true;
    }
    unlink(part);
    return false;
}

static bool write_over(cv_swap *s, cv_err *err)
{
    struct cv_swap_lock *lock = s->lock;
    int rc;
    forget_watermark(s);
    do {
        step(s);
        rc = sqlite3_backup_step(lock->pages, COPY_PAGES);
    } while (rc == SQLITE_OK);
    int end = sqlite3_backup_finish(lock->pages);
    lock->pages = NULL;
    step(s);
    return (rc == SQLITE_DONE && end == SQLITE_OK) ||
           cv_sqlite_fail(lock->target, "write the backup over the record", err);
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
    step(s);
    return !exists(s->path) || link(s->path, kept) == 0 || (errno != EEXIST && rename(s->path, kept) == 0) ||
           fail_errno(kept, "keep the present record", errno, err);
}

/* No log of the old database may ever stand beside the new one: they are away, on disk, before it comes. */
static bool replace_files(cv_swap *s, const char *kept, bool *ret_kept, cv_err *err)
{
    cv_arena *a = s->arena;
    *ret_kept = exists(s->path);
    if (!keep_main_file(s, kept, err))
        return false;
    for (size_t i = 0; i < CV_COUNT(companions); i++) {
        const char *from = beside(a, s->path, companions[i]), *to = beside(a, kept, companions[i]);
        step(s);
        if (!exists(from))
            continue;
        if (!cv_file_place(from, cv_where_named(to), false, err))
            return false;
        *ret_kept = true;
    }
    forget_watermark(s);
    step(s);
    bool ok = cv_file_place(s->copy, cv_where_named(s->path), true, err);
    step(s);
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool cv_swap_commit(cv_swap *s, const char *kept, bool *ret_kept, cv_err *err)
{
    *ret_kept = true;
    bool done = s->as_files ? replace_files(s, kept, ret_kept, err) : keep_database(s, kept, err) && write_over(s, err);
    if (done)
        renew_watermark(s);
    return done;
}

void cv_swap_end(cv_swap *s)
{
    struct cv_swap_lock *lock = s->lock;
    if (lock) {
        sqlite3_backup_finish(lock->pages);
        if (lock->source)
            cv_record_close(&lock->source->base);
        close_present(s);
    }
    if (!s->copy)
        return;
    unlink(s->copy);
    for (size_t i = 0; i < CV_COUNT(companions); i++)
        unlink(beside(s->arena, s->copy, companions[i]));
    unlink(beside(s->arena, s->copy, "-turn"));
}
