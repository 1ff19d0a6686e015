/* trace.c - a store that passes every call on and tells about it; for tests, it can also fail at a chosen one.
 *
 * A call that fails on purpose never reaches the store behind, so it is certainly not written.
 */
#include "record/store.h"

typedef struct {
    cv_store base;
    cv_store *inner;
    cv_tracing *tracing;
} traced;

static bool fails_now(traced *t, const char *call, cv_err *err)
{
    if (++t->tracing->calls != t->tracing->fail_at)
        return false;
    cv_err_set(err, CV_ERR_STORE, "call %zu (%s) failed on purpose", t->tracing->calls, call);
    return true;
}

static void tell(traced *t, const char *call, cv_str dialogue_id, size_t rows, cv_store_result result)
{
    if (t->tracing->trace)
        t->tracing->trace(t->tracing->ctx, call, dialogue_id, rows, result);
}

/* Tells the outcome of a call that is not a write, and hands it on. */
static bool told(traced *t, const char *call, cv_str dialogue_id, size_t rows, bool ok)
{
    tell(t, call, dialogue_id, rows, ok ? CV_STORE_DONE : CV_STORE_FAILED);
    return ok;
}

static void trace_close(cv_store *store)
{
    traced *t = (traced *)store;
    tell(t, "close", CV_STR(""), 0, CV_STORE_DONE);
    cv_store_close(t->inner);
}

static bool trace_position(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                           cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "position", err) &&
              t->inner->calls->position(t->inner, a, dialogue_id, ret_position, ret_found, err);
    return told(t, "position", dialogue_id, 0, ok);
}

typedef struct {
    cv_visit visit;
    void *ctx;
    size_t rows;
} counting;

static bool count_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    counting *c = ctx;
    c->rows++;
    return c->visit(c->ctx, kind, row, err);
}

static bool trace_snapshot(cv_store *store, cv_arena *a, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit,
                           void *ctx, cv_position *ret_position, bool *ret_found, cv_err *err)
{
    traced *t = (traced *)store;
    counting c = {visit, ctx, 0};
    bool ok = !fails_now(t, "snapshot", err) &&
              t->inner->calls->snapshot(t->inner, a, dialogue_id, wanted, count_row, &c, ret_position, ret_found, err);
    return told(t, "snapshot", dialogue_id, c.rows, ok);
}

static cv_store_result trace_commit(cv_store *store, cv_arena *a, const cv_op *op, const cv_changes *changes,
                                    int64_t *ret_rev, cv_str *ret_result, cv_err *err)
{
    traced *t = (traced *)store;
    size_t rows = 0;
    for (size_t i = 0; i < CV_REC_COUNT; i++)
        rows += changes->counts[i];
    cv_store_result result = CV_STORE_FAILED;
    if (!fails_now(t, "commit", err))
        result = t->inner->calls->commit(t->inner, a, op, changes, ret_rev, ret_result, err);
    tell(t, "commit", op->dialogue_id, rows, result);
    return result;
}

static bool trace_op_result(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_str op_id, int64_t *ret_rev,
                            cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "op_result", err) && t->inner->calls->op_result(t->inner, a, dialogue_id, op_id, ret_rev,
                                                                            ret_digest, ret_result, ret_found, err);
    return told(t, "op_result", dialogue_id, 0, ok);
}

static bool trace_op_at(cv_store *store, cv_arena *a, cv_str dialogue_id, int64_t rev, cv_str *ret_op_id,
                        cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "op_at", err) &&
              t->inner->calls->op_at(t->inner, a, dialogue_id, rev, ret_op_id, ret_digest, ret_result, ret_found, err);
    return told(t, "op_at", dialogue_id, 0, ok);
}

static cv_store_result trace_hold(cv_store *store, cv_err *err)
{
    traced *t = (traced *)store;
    cv_store_result result = fails_now(t, "hold", err) ? CV_STORE_FAILED : t->inner->calls->hold(t->inner, err);
    tell(t, "hold", CV_STR(""), 0, result);
    return result;
}

static void trace_let_go(cv_store *store)
{
    traced *t = (traced *)store;
    t->inner->calls->let_go(t->inner);
}

static bool trace_list(cv_store *store, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx,
                       cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "list", err) && t->inner->calls->list(t->inner, a, query, visit, ctx, err);
    return told(t, "list", CV_STR(""), 0, ok);
}

static bool trace_tally(cv_store *store, cv_arena *a, const cv_tally_query *query, cv_tally_visit visit, void *ctx,
                        cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "tally", err) && t->inner->calls->tally(t->inner, a, query, visit, ctx, err);
    return told(t, "tally", CV_STR(""), 0, ok);
}

typedef struct {
    cv_search_visit visit;
    void *ctx;
    size_t hits;
} counting_hits;

static bool count_hit(void *ctx, const cv_search_hit *hit, cv_err *err)
{
    counting_hits *c = ctx;
    c->hits++;
    return c->visit(c->ctx, hit, err);
}

static bool trace_search(cv_store *store, cv_arena *a, const cv_search_query *query, cv_search_visit visit, void *ctx,
                         size_t *ret_behind, cv_err *err)
{
    traced *t = (traced *)store;
    counting_hits c = {visit, ctx, 0};
    bool ok =
        !fails_now(t, "search", err) && t->inner->calls->search(t->inner, a, query, count_hit, &c, ret_behind, err);
    return told(t, "search", query->dialogue_id, c.hits, ok);
}

static bool trace_search_rebuild(cv_store *store, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "search_rebuild", err) && t->inner->calls->search_rebuild(t->inner, a, err);
    return told(t, "search_rebuild", CV_STR(""), 0, ok);
}

static cv_store_result trace_stream_append(cv_store *store, cv_arena *a, cv_str stream, cv_str op_id,
                                           const cv_str *messages, size_t count, cv_str now, int64_t *ret_first_seq,
                                           cv_err *err)
{
    traced *t = (traced *)store;
    cv_store_result result = CV_STORE_FAILED;
    if (!fails_now(t, "stream_append", err))
        result = t->inner->calls->stream_append(t->inner, a, stream, op_id, messages, count, now, ret_first_seq, err);
    tell(t, "stream_append", stream, count, result);
    return result;
}

static bool trace_ops(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_op_visit visit, void *ctx, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "ops", err) && t->inner->calls->ops(t->inner, a, dialogue_id, visit, ctx, err);
    return told(t, "ops", dialogue_id, 0, ok);
}

static bool trace_last_commit(cv_store *store, cv_commit *ret_commit, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "last_commit", err) && t->inner->calls->last_commit(t->inner, ret_commit, err);
    return told(t, "last_commit", CV_STR(""), 0, ok);
}

/* Asked before every operation: like a stamp, it is not told. */
static bool trace_acknowledged(cv_store *store, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    traced *t = (traced *)store;
    return t->inner->calls->acknowledged(t->inner, a, ret_state, err);
}

static bool trace_accept(cv_store *store, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "accept", err) && t->inner->calls->accept(t->inner, a, ret_commit, err);
    return told(t, "accept", CV_STR(""), 0, ok);
}

static bool trace_stream_read(cv_store *store, cv_arena *a, cv_str stream, int64_t after, size_t limit,
                              bool (*visit)(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err),
                              void *ctx, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "stream_read", err) &&
              t->inner->calls->stream_read(t->inner, a, stream, after, limit, visit, ctx, err);
    return told(t, "stream_read", stream, 0, ok);
}

static bool trace_cursor_get(cv_store *store, cv_str stream, cv_str reader, int64_t *ret_seq, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "cursor_get", err) && t->inner->calls->cursor_get(t->inner, stream, reader, ret_seq, err);
    return told(t, "cursor_get", stream, 0, ok);
}

static bool trace_cursor_advance(cv_store *store, cv_str stream, cv_str reader, int64_t seq, cv_str now, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "cursor_advance", err) &&
              t->inner->calls->cursor_advance(t->inner, stream, reader, seq, now, err);
    return told(t, "cursor_advance", stream, 0, ok);
}

static void trace_about(cv_store *store, cv_arena *a, cv_store_about *ret_about)
{
    traced *t = (traced *)store;
    t->inner->calls->about(t->inner, a, ret_about);
}

static bool trace_stamp(const cv_store *store, cv_stamp *ret_stamp)
{
    const traced *t = (const traced *)store;
    return t->inner->calls->stamp(t->inner, ret_stamp);
}

static bool trace_check(cv_store *store, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "check", err) && t->inner->calls->check(t->inner, a, err);
    return told(t, "check", CV_STR(""), 0, ok);
}

static bool trace_search_check(cv_store *store, cv_arena *a, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "search_check", err) && t->inner->calls->search_check(t->inner, a, err);
    return told(t, "search_check", CV_STR(""), 0, ok);
}

static bool trace_backup(cv_store *store, const char *path, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "backup", err) && t->inner->calls->backup(t->inner, path, err);
    return told(t, "backup", CV_STR(""), 0, ok);
}

static bool trace_scratch(cv_store *store, cv_arena *a, bool empty, cv_store **ret_store, cv_err *err)
{
    traced *t = (traced *)store;
    bool ok = !fails_now(t, "scratch", err) && t->inner->calls->scratch(t->inner, a, empty, ret_store, err);
    return told(t, "scratch", CV_STR(""), 0, ok);
}

static const cv_store_calls trace_calls = {
    .name = CV_STR_INIT("traced"),
    .close = trace_close,
    .position = trace_position,
    .snapshot = trace_snapshot,
    .commit = trace_commit,
    .op_result = trace_op_result,
    .op_at = trace_op_at,
    .hold = trace_hold,
    .let_go = trace_let_go,
    .list = trace_list,
    .tally = trace_tally,
    .ops = trace_ops,
    .last_commit = trace_last_commit,
    .acknowledged = trace_acknowledged,
    .accept = trace_accept,
    .search = trace_search,
    .search_rebuild = trace_search_rebuild,
    .stream_append = trace_stream_append,
    .stream_read = trace_stream_read,
    .cursor_get = trace_cursor_get,
    .cursor_advance = trace_cursor_advance,
    .about = trace_about,
    .stamp = trace_stamp,
    .check = trace_check,
    .search_check = trace_search_check,
    .backup = trace_backup,
    .scratch = trace_scratch,
};

cv_store *cv_store_traced(cv_arena *a, cv_store *inner, cv_tracing *tracing)
{
    traced *t = CV_NEW(a, traced);
    *t = (traced){{&trace_calls}, inner, tracing};
    return &t->base;
}
