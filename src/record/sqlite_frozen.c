/* sqlite_frozen.c - a record in a folder that cannot be written: read as it stands, without locks.
 *
 * Reading a database in WAL mode takes a lock file beside it. Where that cannot be made, SQLite reads only what nobody
 * changes (immutable). Nobody may promise that: the owner of the folder can write at any time. So it is watched here:
 *
 *     before a call    has the file changed since it was opened, or is there a log?    -> open it anew
 *     after it         has the file changed meanwhile?                                 -> what was read is worth
 * nothing
 *
 * Writers change the file only by way of the log, whose changes reach the file later and give it a new time. A log that
 * is there before we come holds what the file lacks: with its lock file SQLite can read both, without it nobody can.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "record/sqlite_engine.h"

/* Which bytes a file has, as far as can be told without reading them. */
typedef struct {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} stamp;

typedef struct {
    cv_store base;
    cv_store *inner; /* NULL: could not be opened anew */
    cv_store *copy;  /* … in memory, with a search index that is up to date; NULL: not needed yet */
    cv_arena arena;  /* what both live in */
    const char *path, *log, *watermark;
    bool is_frozen; /* not, when a log has come: SQLite takes care then */
    stamp seen;
} frozen;

/* ---- what hinders ------------------------------------------------------------------------------------------------ */

static bool may(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

const char *cv_sqlite_log_of(cv_arena *a, const char *path)
{
    return cv_arena_printf(a, "%s-wal", path).p;
}

cv_str cv_sqlite_hindrance(cv_arena *a, const char *path)
{
    const char *places[] = {cv_folder_of(a, path), path, cv_sqlite_log_of(a, path),
                            cv_arena_printf(a, "%s-shm", path).p};
    for (size_t i = 0; i < CV_COUNT(places); i++)
        if (!may(places[i], W_OK) && errno != ENOENT)
            return cv_arena_printf(a, "user %ld cannot write %s '%s': %s", (long)geteuid(),
                                   i == 0 ? "the folder" : "the file", places[i], strerror(errno));
    return cv_arena_printf(a, "'%s' could not be written when it was opened", places[0]);
}

bool cv_sqlite_is_frozen(cv_arena *a, const char *path)
{
    return may(path, R_OK) && !(may(path, W_OK) && may(cv_folder_of(a, path), W_OK));
}

bool cv_sqlite_is_log(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size > 0;
}

static bool refuse(const frozen *f, const char *doing, cv_err *err)
{
    cv_str why = cv_sqlite_hindrance(err->arena, f->path);
    cv_err_set(err, CV_ERR_STORE, "cannot %s: the record can only be read; %.*s", doing, CV_FMT(why));
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
               "cannot read the record: the log beside it holds changes that can only be read where they can be "
               "written; %.*s",
               CV_FMT(why));
    cv_err_file(err, cv_str_of(f->log));
    cv_err_suggest(err,
                   CV_STR("let the folder's owner run 'conclave verify' once, or give yourself write permission for "
                          "the folder and the files in it"));
    return false;
}

/* A log that has come since is SQLite's business, if it can read it. */
static bool open_inner(frozen *f, cv_err *err)
{
    f->seen = settled_stamp(f->path);
    f->is_frozen = !cv_sqlite_is_log(f->log);
    cv_sqlite_mode mode = f->is_frozen ? CV_SQLITE_IMMUTABLE : CV_SQLITE_EXISTING;
    if (!cv_sqlite_open_as(&f->arena, f->path, mode, &cv_sql_schema, &f->inner, err))
        return !f->is_frozen && log_error(f, err);
    ((cv_sqlite *)f->inner)->watermark = f->watermark;
    return true;
}

static bool is_current(const frozen *f)
{
    stamp now = stamp_of(f->path);
    return !f->is_frozen || same(&now, &f->seen);
}

static void close_inner(frozen *f)
{
    cv_store_close(f->copy);
    cv_store_close(f->inner);
    f->inner = f->copy = NULL;
    cv_arena_reset(&f->arena);
}

/* Before a call. */
static bool begin(frozen *f, cv_err *err)
{
    if (f->inner && is_current(f) && !(f->is_frozen && cv_sqlite_is_log(f->log)))
        return true;
    close_inner(f);
    return open_inner(f, err);
}

/* After it. */
static bool end(const frozen *f, bool ok, cv_err *err)
{
    return is_current(f) ? ok : has_moved(f, err);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static void close_frozen(cv_store *store)
{
    frozen *f = (frozen *)store;
    close_inner(f);
    cv_arena_release(&f->arena);
}

static bool position(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                     cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) &&
           end(f, f->inner->calls->position(f->inner, a, dialogue_id, ret_position, ret_found, err), err);
}

static bool snapshot(cv_store *store, cv_arena *a, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit,
                     void *ctx, cv_position *ret_position, bool *ret_found, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) &&
           end(f, f->inner->calls->snapshot(f->inner, a, dialogue_id, wanted, visit, ctx, ret_position, ret_found, err),
               err);
}

static cv_store_result commit(cv_store *store, cv_arena *a, const cv_op *op, const cv_changes *changes,
                              int64_t *ret_rev, cv_str *ret_result, cv_err *err)
{
    (void)a, (void)op, (void)changes, (void)ret_rev, (void)ret_result;
    refuse((frozen *)store, "write", err);
    return CV_STORE_FAILED;
}

static bool op_result(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_str op_id, int64_t *ret_rev,
                      cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f,
                                f->inner->calls->op_result(f->inner, a, dialogue_id, op_id, ret_rev, ret_digest,
                                                           ret_result, ret_found, err),
                                err);
}

static bool op_at(cv_store *store, cv_arena *a, cv_str dialogue_id, int64_t rev, cv_str *ret_op_id, cv_str *ret_digest,
                  cv_str *ret_result, bool *ret_found, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) &&
           end(f,
               f->inner->calls->op_at(f->inner, a, dialogue_id, rev, ret_op_id, ret_digest, ret_result, ret_found, err),
               err);
}

static cv_store_result hold(cv_store *store, cv_err *err)
{
    refuse((frozen *)store, "write", err);
    return CV_STORE_FAILED;
}

static void let_go(cv_store *store)
{
    (void)store;
}

static bool list(cv_store *store, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->list(f->inner, a, query, visit, ctx, err), err);
}

static bool tally(cv_store *store, cv_arena *a, const cv_tally_query *query, cv_tally_visit visit, void *ctx,
                  cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->tally(f->inner, a, query, visit, ctx, err), err);
}

static bool ops(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_op_visit visit, void *ctx, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->ops(f->inner, a, dialogue_id, visit, ctx, err), err);
}

static bool last_commit(cv_store *store, cv_commit *ret_commit, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->last_commit(f->inner, ret_commit, err), err);
}

static bool acknowledged(cv_store *store, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->acknowledged(f->inner, a, ret_state, err), err);
}

static bool accept_last(cv_store *store, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    (void)a, (void)ret_commit;
    return refuse((frozen *)store, "set the watermark", err);
}

/* The index cannot be brought up to date here, but in a copy. */
static bool find_index(frozen *f, cv_arena *a, cv_search_visit visit, void *ctx, cv_store **ret_store, cv_err *err)
{
    static const cv_search_query nothing = {0};
    size_t behind = 0;
    if (f->is_frozen && !f->copy &&
        (!f->inner->calls->search(f->inner, a, &nothing, visit, ctx, &behind, err) ||
         (behind > 0 && !f->inner->calls->scratch(f->inner, &f->arena, false, &f->copy, err))))
        return false;
    *ret_store = f->copy ? f->copy : f->inner;
    return true;
}

static bool search(cv_store *store, cv_arena *a, const cv_search_query *query, cv_search_visit visit, void *ctx,
                   size_t *ret_behind, cv_err *err)
{
    frozen *f = (frozen *)store;
    cv_store *indexed;
    return begin(f, err) && find_index(f, a, visit, ctx, &indexed, err) &&
           end(f, indexed->calls->search(indexed, a, query, visit, ctx, ret_behind, err), err);
}

static bool search_rebuild(cv_store *store, cv_arena *a, cv_err *err)
{
    (void)a;
    return refuse((frozen *)store, "make the search index again", err);
}

static cv_store_result stream_append(cv_store *store, cv_arena *a, cv_str stream, cv_str op_id, const cv_str *messages,
                                     size_t count, cv_str now, int64_t *ret_first_seq, cv_err *err)
{
    (void)a, (void)stream, (void)op_id, (void)messages, (void)count, (void)now, (void)ret_first_seq;
    refuse((frozen *)store, "write", err);
    return CV_STORE_FAILED;
}

static bool stream_read(cv_store *store, cv_arena *a, cv_str stream, int64_t after, size_t limit,
                        bool (*visit)(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err),
                        void *ctx, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) &&
           end(f, f->inner->calls->stream_read(f->inner, a, stream, after, limit, visit, ctx, err), err);
}

static bool cursor_get(cv_store *store, cv_str stream, cv_str reader, int64_t *ret_seq, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->cursor_get(f->inner, stream, reader, ret_seq, err), err);
}

static bool cursor_advance(cv_store *store, cv_str stream, cv_str reader, int64_t seq, cv_str now, cv_err *err)
{
    (void)stream, (void)reader, (void)seq, (void)now;
    return refuse((frozen *)store, "write", err);
}

static void about(cv_store *store, cv_arena *a, cv_store_about *ret_about)
{
    cv_sqlite engine = {.schema = &cv_sql_schema};
    (void)store;
    cv_sqlite_about(&engine.base, a, ret_about);
}

/* There is no memory that all who use the file share. */
static bool stamp_commit(const cv_store *store, cv_stamp *ret_stamp)
{
    (void)store, (void)ret_stamp;
    return false;
}

static bool check(cv_store *store, cv_arena *a, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->check(f->inner, a, err), err);
}

static bool search_check(cv_store *store, cv_arena *a, cv_err *err)
{
    frozen *f = (frozen *)store;
    return begin(f, err) && end(f, f->inner->calls->search_check(f->inner, a, err), err);
}

static bool backup(cv_store *store, const char *path, cv_err *err)
{
    frozen *f = (frozen *)store;
    if (!begin(f, err) || !f->inner->calls->backup(f->inner, path, err))
        return false;
    if (end(f, true, err))
        return true;
    unlink(path);
    return false;
}

static bool scratch(cv_store *store, cv_arena *a, bool empty, cv_store **ret_store, cv_err *err)
{
    frozen *f = (frozen *)store;
    if (!begin(f, err) || !f->inner->calls->scratch(f->inner, a, empty, ret_store, err))
        return false;
    if (end(f, true, err))
        return true;
    cv_store_close(*ret_store);
    return false;
}

static const cv_store_calls calls = {
    .name = CV_STR_INIT("sqlite, read-only"),
    .close = close_frozen,
    .position = position,
    .snapshot = snapshot,
    .commit = commit,
    .op_result = op_result,
    .op_at = op_at,
    .hold = hold,
    .let_go = let_go,
    .list = list,
    .tally = tally,
    .ops = ops,
    .last_commit = last_commit,
    .acknowledged = acknowledged,
    .accept = accept_last,
    .search = search,
    .search_rebuild = search_rebuild,
    .stream_append = stream_append,
    .stream_read = stream_read,
    .cursor_get = cursor_get,
    .cursor_advance = cursor_advance,
    .about = about,
    .stamp = stamp_commit,
    .check = check,
    .search_check = search_check,
    .backup = backup,
    .scratch = scratch,
};

bool cv_sqlite_open_frozen(cv_arena *a, const char *path, const char *watermark, cv_store **ret_store, cv_err *err)
{
    frozen *f = CV_NEW(a, frozen);
    f->base.calls = &calls;
    f->path = cv_arena_copy_z(a, cv_str_of(path));
    f->log = cv_sqlite_log_of(a, path);
    f->watermark = watermark;
    if (!open_inner(f, err)) {
        close_frozen(&f->base);
        return false;
    }
    *ret_store = &f->base;
    return true;
}
