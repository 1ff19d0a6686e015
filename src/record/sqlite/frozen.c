/* frozen.c - a record in a folder that cannot be written: read as it is, without locks.
 *
 * Reading a database in WAL mode takes a lock file beside it. Where that cannot be made, SQLite reads only what nobody
 * changes (immutable). Nobody may promise that: the owner of the folder can write at any time. So it is watched here:
 *
 *     before a call    has the file changed since it was opened, or is there a log?    -> open it again
 *     after it         has the file changed meanwhile?                                 -> what was read is worth
 *                                                                                         nothing
 *
 * Writers change the file only by way of the log, whose changes reach the file later and give it a new time. A log that
 * is there before we come holds what the file lacks: with its lock file SQLite can read both, without it nobody can.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/place.h"
#include "record/sqlite/engine.h"

/* Which bytes a file has, as far as can be told without reading them. */
typedef struct {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} stamp;

typedef struct {
    cv_record base;
    const cv_sql_migrations *schema;
    cv_record *inner; /* NULL: could not be opened again */
    cv_record *copy;  /* … in memory, with a search index that is up to date; NULL: not needed yet */
    cv_arena arena;   /* what both live in */
    const char *path, *log;
    bool is_frozen; /* not, when a log has come: SQLite takes care then */
    bool open;      /* between begin and end: one moment, which is not opened again */
    stamp seen;
} frozen;

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

static bool refuse(const frozen *f, const char *doing, cv_err *err)
{
    cv_str why = cv_sqlite_hindrance(err->arena, f->path);
    cv_err_set(err, CV_ERR_STORE, "cannot %s: the record is read-only; %.*s", doing, CV_FMT(why));
    cv_err_file(err, cv_str_of(f->path));
    cv_err_suggest(err, CV_STR("give yourself write permission for the folder and the files in it, or use a copy"));
    return false;
}

static bool has_moved(const frozen *f, cv_err *err)
{
    cv_err_set(err, CV_ERR_BUSY,
               "cannot read the record: it was changed meanwhile, and it cannot be locked against that");
    cv_err_file(err, cv_str_of(f->path));
    cv_err_suggest(err, CV_STR("try again"));
    return false;
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

static stamp stamp_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (stamp){0};
    return (stamp){st.st_dev, st.st_ino, st.st_size, st.st_mtim};
}

static bool same(const stamp *a, const stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Two writes within one tick of the system's clock leave the same time: a file that has just been written is looked at
 * a moment later, so that the next write shows. */
static stamp settled_stamp(const char *path)
{
    static const struct timespec tick = {.tv_nsec = 20000000};
    struct timespec now;
    stamp seen = stamp_of(path);
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec - seen.changed.tv_sec > 1)
        return seen;
    nanosleep(&tick, NULL);
    return stamp_of(path);
}

static bool log_error(const frozen *f, cv_err *err)
{
    cv_str why = cv_sqlite_hindrance(err->arena, f->path);
    cv_err_set(err, CV_ERR_STORE,
               "cannot read the record: the log beside it has changes that can only be read where they can be "
               "written; %.*s",
               CV_FMT(why));
    cv_err_file(err, cv_str_of(f->log));
    cv_err_suggest(err,
                   CV_STR("ask the folder's owner to run 'conclave verify' once, or give yourself write permission for "
                          "the folder and the files in it"));
    return false;
}

/* A log that has come since is SQLite's business, if it can read it. */
static bool open_inner(frozen *f, cv_err *err)
{
    assert(!f->open && !f->inner && "a snapshot is not opened again");
    f->seen = settled_stamp(f->path);
    f->is_frozen = !cv_sqlite_is_log(f->log);
    cv_sqlite_mode mode = f->is_frozen ? CV_SQLITE_IMMUTABLE : CV_SQLITE_EXISTING;
    cv_sqlite_record *r = cv_sqlite_record_open(&f->arena, f->path, mode, f->base.types, f->schema, err);
    if (!r)
        return !f->is_frozen && log_error(f, err);
    r->s->watermark = cv_watermark_path(&f->arena, f->path);
    f->inner = &r->base;
    return true;
}

static bool is_same(const frozen *f)
{
    stamp now = stamp_of(f->path);
    return !f->is_frozen || same(&now, &f->seen);
}

static void close_inner(frozen *f)
{
    cv_record_close(f->copy);
    cv_record_close(f->inner);
    f->inner = f->copy = NULL;
    cv_arena_reset(&f->arena);
}

/* Before a call. Within a transaction nothing is opened again: its moment is gone then. */
static bool ready(frozen *f, cv_err *err)
{
    if (f->inner && is_same(f) && !(f->is_frozen && cv_sqlite_is_log(f->log)))
        return true;
    if (f->open)
        return has_moved(f, err);
    close_inner(f);
    return open_inner(f, err);
}

/* After it. */
static bool still(const frozen *f, bool ok, cv_err *err)
{
    return is_same(f) ? ok : has_moved(f, err);
}

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

#define INNER(f, call) (f)->inner->calls->call

static void close_frozen(cv_record *record)
{
    frozen *f = (frozen *)record;
    close_inner(f);
    cv_arena_release(&f->arena);
}

/* What has changed since is opened again by itself; but nothing is written here. */
static bool is_current(const cv_record *record)
{
    cv_arena a = {0};
    bool is_frozen = cv_record_is_frozen(&a, ((const frozen *)record)->path);
    cv_arena_release(&a);
    return is_frozen;
}

static bool begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    frozen *f = (frozen *)record;
    f->open = ready(f, err) && INNER(f, begin)(f->inner, a, scope, ret_at, err);
    return f->open && still(f, true, err);
}

static void end(cv_record *record)
{
    frozen *f = (frozen *)record;
    if (f->inner)
        INNER(f, end)(f->inner);
    f->open = false;
}

static bool find(cv_record *record, const cv_find *what, cv_row_visit visit, void *ctx, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, find)(f->inner, what, visit, ctx, err), err);
}

static bool scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                   cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, scopes)(f->inner, room, after, limit, visit, ctx, err), err);
}

static bool feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, feed)(f->inner, after, limit, visit, ctx, err), err);
}

static bool newest(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, newest)(f->inner, a, back, ret_position, err), err);
}

/* Another thread may ask while this one opens the file again. */
static bool changed(cv_record *record, uint64_t *seen)
{
    (void)record;
    *seen = 0;
    return true;
}

static bool reader_at(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, reader_at)(f->inner, a, reader, ret_position, err), err);
}

/* The index cannot be brought up to date here, but in a copy. */
static bool find_index(frozen *f, cv_arena *a, cv_word_visit visit, void *ctx, cv_record **ret_record, cv_err *err)
{
    static const cv_word_query nothing = {0};
    size_t behind = 0;
    if (f->is_frozen && !f->copy &&
        (!INNER(f, search)(f->inner, a, &nothing, visit, ctx, &behind, err) ||
         (behind > 0 && !INNER(f, scratch)(f->inner, &f->arena, false, &f->copy, err))))
        return false;
    *ret_record = f->copy ? f->copy : f->inner;
    return true;
}

static bool search(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                   size_t *ret_behind, cv_err *err)
{
    frozen *f = (frozen *)record;
    cv_record *indexed;
    return ready(f, err) && find_index(f, a, visit, ctx, &indexed, err) &&
           still(f, indexed->calls->search(indexed, a, query, visit, ctx, ret_behind, err), err);
}

static bool search_check(cv_record *record, cv_arena *a, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, search_check)(f->inner, a, err), err);
}

static bool last_commit(cv_record *record, cv_commit *ret_commit, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, last_commit)(f->inner, ret_commit, err), err);
}

static bool acknowledged(cv_record *record, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, acknowledged)(f->inner, a, ret_state, err), err);
}

static void about(cv_record *record, cv_arena *a, cv_record_about *ret_about)
{
    cv_sqlite_about_schema(((frozen *)record)->schema, a, ret_about);
}

static bool check(cv_record *record, cv_arena *a, cv_err *err)
{
    frozen *f = (frozen *)record;
    return ready(f, err) && still(f, INNER(f, check)(f->inner, a, err), err);
}

static bool backup(cv_record *record, const char *path, cv_err *err)
{
    frozen *f = (frozen *)record;
    if (!ready(f, err) || !INNER(f, backup)(f->inner, path, err))
        return false;
    if (still(f, true, err))
        return true;
    unlink(path);
    return false;
}

static bool scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err)
{
    frozen *f = (frozen *)record;
    if (!ready(f, err) || !INNER(f, scratch)(f->inner, a, empty, ret_record, err))
        return false;
    if (still(f, true, err))
        return true;
    cv_record_close(*ret_record);
    return false;
}

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

static bool lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                 cv_err *err)
{
    (void)a, (void)scope, (void)op_id, (void)ret_at;
    return refuse((frozen *)record, "write", err);
}

static cv_write_result commit(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err)
{
    (void)a, (void)write;
    refuse((frozen *)record, "write", err);
    return CV_WRITE_FAILED;
}

static bool change(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    (void)scope, (void)rows;
    return refuse((frozen *)record, "write", err);
}

static bool reader_move(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err)
{
    (void)reader, (void)from, (void)to, (void)ret_moved;
    return refuse((frozen *)record, "store the position of the feed", err);
}

static bool hold(cv_record *record, cv_err *err)
{
    return refuse((frozen *)record, "move the record", err);
}

static bool release(cv_record *record, bool keep, cv_err *err)
{
    (void)record, (void)keep, (void)err;
    return true;
}

static bool search_rebuild(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)a;
    return refuse((frozen *)record, "make the search index again", err);
}

static bool accept_last(cv_record *record, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    (void)a, (void)ret_commit;
    return refuse((frozen *)record, "set the watermark", err);
}

static bool scrub(cv_record *record, cv_arena *a, cv_err *err)
{
    (void)a;
    return refuse((frozen *)record, "rewrite the database", err);
}

static const cv_record_calls calls = {
    .name = CV_STR_INIT("sqlite, read-only"),
    .close = close_frozen,
    .is_current = is_current,
    .begin = begin,
    .lock = lock,
    .commit = commit,
    .end = end,
    .find = find,
    .find_all = cv_record_find_each,
    .keep = change,
    .drop = change,
    .scopes = scopes,
    .feed = feed,
    .newest = newest,
    .changed = changed,
    .reader_at = reader_at,
    .reader_move = reader_move,
    .hold = hold,
    .release = release,
    .search = search,
    .search_rebuild = search_rebuild,
    .search_check = search_check,
    .last_commit = last_commit,
    .acknowledged = acknowledged,
    .accept = accept_last,
    .about = about,
    .check = check,
    .backup = backup,
    .scrub = scrub,
    .scratch = scratch,
};

bool cv_sqlite_open_frozen_record(cv_arena *a, const char *path, const cv_types *types, const cv_sql_migrations *schema,
                                  cv_record **ret_record, cv_err *err)
{
    frozen *f = CV_NEW(a, frozen);
    f->base = (cv_record){.calls = &calls, .types = types};
    f->schema = schema;
    f->path = cv_arena_copy_z(a, cv_str_of(path));
    f->log = cv_sqlite_log_of(a, path);
    if (!open_inner(f, err)) {
        close_frozen(&f->base);
        return false;
    }
    *ret_record = &f->base;
    return true;
}
