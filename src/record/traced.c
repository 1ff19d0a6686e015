/* traced.c - a record that passes every call on and reports it; for tests, it can also fail at a chosen one.
 *
 * A call that fails on purpose never reaches the record behind, so it is certainly not written. `end` always goes
 * through: a caller that was refused gives its transaction up.
 */
#include "record/record.h"

typedef struct {
    cv_record base;
    cv_record *inner;
    cv_record_tracing *tracing;
    cv_scope_id scope; /* of the transaction */
} traced;

static bool fails_now(traced *t, const char *call, cv_err *err)
{
    if (++t->tracing->calls != t->tracing->fail_at)
        return false;
    cv_err_set(err, CV_ERR_STORE, "call %zu (%s) failed on purpose", t->tracing->calls, call);
    return true;
}

static void tell(traced *t, const char *call, cv_scope_id scope, size_t rows, cv_write_result result)
{
    if (t->tracing->trace)
        t->tracing->trace(t->tracing->ctx, call, scope, rows, result);
}

/* Tells the outcome of a call that is not a write, and hands it on. */
static bool told(traced *t, const char *call, cv_scope_id scope, size_t rows, bool ok)
{
    tell(t, call, scope, rows, ok ? CV_WRITE_DONE : CV_WRITE_FAILED);
    return ok;
}

static const cv_scope_id nowhere;

#define BEHIND(t, call) (t)->inner->calls->call

static void trace_close(cv_record *record)
{
    traced *t = (traced *)record;
    tell(t, "close", nowhere, 0, CV_WRITE_DONE);
    cv_record_close(t->inner);
}

static bool trace_is_current(const cv_record *record)
{
    const traced *t = (const traced *)record;
    return BEHIND(t, is_current)(t->inner);
}

static bool trace_begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    traced *t = (traced *)record;
    t->scope = (cv_scope_id){cv_arena_copy(a, scope.room), cv_arena_copy(a, scope.name)};
    bool ok = !fails_now(t, "begin", err) && BEHIND(t, begin)(t->inner, a, scope, ret_at, err);
    return told(t, "begin", scope, 0, ok);
}

static bool trace_lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                       cv_err *err)
{
    traced *t = (traced *)record;
    t->scope = (cv_scope_id){cv_arena_copy(a, scope.room), cv_arena_copy(a, scope.name)};
    bool ok = !fails_now(t, "lock", err) && BEHIND(t, lock)(t->inner, a, scope, op_id, ret_at, err);
    return told(t, "lock", scope, 0, ok);
}

static void trace_end(cv_record *record)
{
    traced *t = (traced *)record;
    BEHIND(t, end)(t->inner);
    tell(t, "end", t->scope, 0, CV_WRITE_DONE);
}

static cv_write_result trace_commit(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err)
{
    traced *t = (traced *)record;
    size_t rows = 0;
    for (size_t i = 0; write && i < write->count; i++)
        rows += write->rows[i].count;
    cv_write_result result = CV_WRITE_FAILED;
    if (!fails_now(t, "commit", err))
        result = BEHIND(t, commit)(t->inner, a, write, err);
    else
        BEHIND(t, end)(t->inner);
    tell(t, "commit", t->scope, rows, result);
    return result;
}

typedef struct {
    cv_row_visit visit;
    void *ctx;
    size_t rows;
} counting;

static bool count_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    counting *c = ctx;
    c->rows++;
    return c->visit(c->ctx, scope, row, err);
}

static bool trace_find(cv_record *record, const cv_find *find, cv_row_visit visit, void *ctx, cv_err *err)
{
    traced *t = (traced *)record;
    counting c = {visit, ctx, 0};
    bool ok = !fails_now(t, "find", err) && BEHIND(t, find)(t->inner, find, count_row, &c, err);
    return told(t, "find", find->scope, c.rows, ok);
}

static bool trace_keep(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "keep", err) && BEHIND(t, keep)(t->inner, scope, rows, err);
    return told(t, "keep", scope, rows->count, ok);
}

static bool trace_drop(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "drop", err) && BEHIND(t, drop)(t->inner, scope, rows, err);
    return told(t, "drop", scope, rows->count, ok);
}

static bool trace_scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                         cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "scopes", err) && BEHIND(t, scopes)(t->inner, room, after, limit, visit, ctx, err);
    return told(t, "scopes", (cv_scope_id){.room = room}, 0, ok);
}

static bool trace_feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "feed", err) && BEHIND(t, feed)(t->inner, after, limit, visit, ctx, err);
    return told(t, "feed", nowhere, 0, ok);
}

static bool trace_newest(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "newest", err) && BEHIND(t, newest)(t->inner, a, back, ret_position, err);
    return told(t, "newest", nowhere, 0, ok);
}

static bool trace_changed(cv_record *record, uint64_t *seen)
{
    traced *t = (traced *)record;
    return BEHIND(t, changed)(t->inner, seen);
}

static bool trace_reader_at(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "reader_at", err) && BEHIND(t, reader_at)(t->inner, a, reader, ret_position, err);
    return told(t, "reader_at", nowhere, 0, ok);
}

static bool trace_reader_move(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "reader_move", err) && BEHIND(t, reader_move)(t->inner, reader, from, to, ret_moved, err);
    return told(t, "reader_move", nowhere, 0, ok);
}

static bool trace_search(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                         size_t *ret_behind, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "search", err) && BEHIND(t, search)(t->inner, a, query, visit, ctx, ret_behind, err);
    return told(t, "search", (cv_scope_id){query->room, query->scope}, 0, ok);
}

static bool trace_scrub(cv_record *record, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "scrub", err) && BEHIND(t, scrub)(t->inner, a, err);
    return told(t, "scrub", nowhere, 0, ok);
}

static bool trace_search_rebuild(cv_record *record, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "search_rebuild", err) && BEHIND(t, search_rebuild)(t->inner, a, err);
    return told(t, "search_rebuild", nowhere, 0, ok);
}

static bool trace_search_check(cv_record *record, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "search_check", err) && BEHIND(t, search_check)(t->inner, a, err);
    return told(t, "search_check", nowhere, 0, ok);
}

static bool trace_last_commit(cv_record *record, cv_commit *ret_commit, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "last_commit", err) && BEHIND(t, last_commit)(t->inner, ret_commit, err);
    return told(t, "last_commit", nowhere, 0, ok);
}

static bool trace_acknowledged(cv_record *record, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "acknowledged", err) && BEHIND(t, acknowledged)(t->inner, a, ret_state, err);
    return told(t, "acknowledged", nowhere, 0, ok);
}

static bool trace_accept(cv_record *record, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "accept", err) && BEHIND(t, accept)(t->inner, a, ret_commit, err);
    return told(t, "accept", nowhere, 0, ok);
}

static void trace_about(cv_record *record, cv_arena *a, cv_record_about *ret_about)
{
    traced *t = (traced *)record;
    BEHIND(t, about)(t->inner, a, ret_about);
}

static bool trace_hold(cv_record *record, cv_err *err)
{
    traced *t = (traced *)record;
    return told(t, "hold", nowhere, 0, !fails_now(t, "hold", err) && BEHIND(t, hold)(t->inner, err));
}

static bool trace_release(cv_record *record, bool keep, cv_err *err)
{
    traced *t = (traced *)record;
    bool fails = keep && fails_now(t, "release", err);
    return told(t, "release", nowhere, 0, BEHIND(t, release)(t->inner, keep && !fails, err) && !fails);
}

static bool trace_check(cv_record *record, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)record;
    return told(t, "check", nowhere, 0, !fails_now(t, "check", err) && BEHIND(t, check)(t->inner, a, err));
}

static void trace_examine(cv_record *record, cv_arena *a, cv_examined_visit visit, void *ctx)
{
    traced *t = (traced *)record;
    if (BEHIND(t, examine))
        BEHIND(t, examine)(t->inner, a, visit, ctx);
}

static bool trace_backup(cv_record *record, const char *path, cv_err *err)
{
    traced *t = (traced *)record;
    return told(t, "backup", nowhere, 0, !fails_now(t, "backup", err) && BEHIND(t, backup)(t->inner, path, err));
}

static bool trace_scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err)
{
    traced *t = (traced *)record;
    bool ok = !fails_now(t, "scratch", err) && BEHIND(t, scratch)(t->inner, a, empty, ret_record, err);
    return told(t, "scratch", nowhere, 0, ok);
}

static const cv_record_calls calls = {
    .name = CV_STR_INIT("traced"),
    .close = trace_close,
    .is_current = trace_is_current,
    .begin = trace_begin,
    .lock = trace_lock,
    .commit = trace_commit,
    .end = trace_end,
    .find = trace_find,
    .find_all = cv_record_find_each,
    .keep = trace_keep,
    .drop = trace_drop,
    .scopes = trace_scopes,
    .feed = trace_feed,
    .newest = trace_newest,
    .changed = trace_changed,
    .reader_at = trace_reader_at,
    .reader_move = trace_reader_move,
    .hold = trace_hold,
    .release = trace_release,
    .search = trace_search,
    .scrub = trace_scrub,
    .search_rebuild = trace_search_rebuild,
    .search_check = trace_search_check,
    .last_commit = trace_last_commit,
    .acknowledged = trace_acknowledged,
    .accept = trace_accept,
    .about = trace_about,
    .check = trace_check,
    .examine = trace_examine,
    .backup = trace_backup,
    .scratch = trace_scratch,
};

cv_record *cv_record_traced(cv_arena *a, cv_record *inner, cv_record_tracing *tracing)
{
    traced *t = CV_NEW(a, traced);
    *t = (traced){.base = {.calls = &calls, .types = inner->types}, .inner = inner, .tracing = tracing};
    return &t->base;
}
