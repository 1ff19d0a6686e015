/* sqlite_stream.c - append-only streams with numbers that have no gaps, and the readers' cursors.
 *
 * The number is taken inside the write transaction, so numbers follow the order of commits: a reader who has seen n
 * will never miss something smaller that was committed late.
 */
#include "record/sqlite_engine.h"

/* Compares what was appended under this op_id with what is asked for now. *ret_first 0: nothing was. */
static cv_store_result check_replay(cv_sqlite *s, cv_str stream, cv_str op_id, const cv_str *messages, size_t count,
                                    int64_t *ret_first, cv_err *err)
{
    *ret_first = 0;
    if (op_id.n == 0)
        return CV_STORE_DONE;
    sqlite3_stmt *st = cv_sqlite_use(s, "stream_op");
    if (!st || !cv_sqlite_bind_str(st, ":stream", stream) || !cv_sqlite_bind_str(st, ":op_id", op_id))
        return cv_sqlite_refuse(s, "read the stream", err);
    size_t found = 0;
    bool same = true;
    int got;
    for (; (got = cv_sqlite_step(st)) > 0; found++) {
        if (found == 0)
            *ret_first = sqlite3_column_int64(st, 0);
        same = same && found < count && cv_str_eq(cv_sqlite_column_str(st, 1), messages[found]);
    }
    if (got < 0)
        return cv_sqlite_refuse(s, "read the stream", err);
    if (found == 0 || (same && found == count))
        return found ? CV_STORE_REPLAYED : CV_STORE_DONE;
    cv_err_set(err, CV_ERR_OP_CONFLICT, "the op_id was used before for other messages");
    cv_err_field(err, CV_STR("op_id"));
    cv_err_value(err, op_id);
    cv_err_suggest(err, CV_STR("give every request its own op_id, and repeat one only for the same request"));
    return CV_STORE_FAILED;
}

static bool last_seq(cv_sqlite *s, cv_str stream, int64_t *ret_seq)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "stream_last");
    int got = st && cv_sqlite_bind_str(st, ":stream", stream) ? cv_sqlite_step(st) : -1;
    *ret_seq = got > 0 ? sqlite3_column_int64(st, 0) : 0;
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static bool advance_stream(cv_sqlite *s, cv_str stream, int64_t seq)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "stream_advance");
    bool ok = st && cv_sqlite_bind_str(st, ":stream", stream) && cv_sqlite_bind_int(st, ":last_seq", seq) &&
              cv_sqlite_step(st) == 0;
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool put_message(cv_sqlite *s, cv_str stream, int64_t seq, cv_str op_id, cv_str now, cv_str message)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "stream_put");
    bool ok = st && cv_sqlite_bind_str(st, ":stream", stream) && cv_sqlite_bind_int(st, ":seq", seq) &&
              cv_sqlite_bind_str(st, ":op_id", op_id.n ? op_id : (cv_str){NULL, 0}) &&
              cv_sqlite_bind_str(st, ":now", now) && cv_sqlite_bind_str(st, ":message", message) &&
              cv_sqlite_step(st) == 0;
    if (st)
        sqlite3_reset(st);
    return ok;
}

static cv_store_result append(cv_sqlite *s, cv_str stream, cv_str op_id, const cv_str *messages, size_t count,
                              cv_str now, int64_t *ret_first, cv_err *err)
{
    int64_t last, first;
    cv_store_result result = check_replay(s, stream, op_id, messages, count, &first, err);
    if (result == CV_STORE_REPLAYED)
        *ret_first = first;
    if (result != CV_STORE_DONE)
        return result;
    bool ok = last_seq(s, stream, &last) && advance_stream(s, stream, last + (int64_t)count);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_message(s, stream, last + 1 + (int64_t)i, op_id, now, messages[i]);
    if (!ok)
        return cv_sqlite_refuse(s, "append to the stream", err);
    *ret_first = last + 1;
    return CV_STORE_DONE;
}

cv_store_result cv_sqlite_stream_append(cv_store *store, cv_arena *a, cv_str stream, cv_str op_id,
                                        const cv_str *messages, size_t count, cv_str now, int64_t *ret_first_seq,
                                        cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    int64_t first = 0;
    if (count == 0) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "nothing to append to the stream");
        return CV_STORE_FAILED;
    }
    if (!cv_sqlite_begin_write(s))
        return cv_sqlite_refuse(s, "begin to write", err);
    cv_store_result result = append(s, stream, op_id, messages, count, now, &first, err);
    if (result == CV_STORE_DONE)
        result = cv_sqlite_commit(s, err);
    cv_sqlite_rollback(s);
    if (result == CV_STORE_DONE || result == CV_STORE_REPLAYED)
        *ret_first_seq = first;
    return result;
}

bool cv_sqlite_stream_read(cv_store *store, cv_arena *a, cv_str stream, int64_t after, size_t limit,
                           bool (*visit)(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err),
                           void *ctx, cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    sqlite3_stmt *st = cv_sqlite_use(s, "stream_read");
    int64_t most = limit == 0 || limit > INT64_MAX ? -1 : (int64_t)limit;
    if (!st || !cv_sqlite_bind_str(st, ":stream", stream) || !cv_sqlite_bind_int(st, ":after", after) ||
        !cv_sqlite_bind_int(st, ":limit", most))
        return cv_sqlite_fail(s, "read the stream", err);
    bool ok = true;
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0)
        ok = visit(ctx, sqlite3_column_int64(st, 0), cv_sqlite_column_str(st, 1), cv_sqlite_column_str(st, 2), err);
    if (got < 0)
        ok = cv_sqlite_fail(s, "read the stream", err);
    sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_cursor_get(cv_store *store, cv_str stream, cv_str reader, int64_t *ret_seq, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    sqlite3_stmt *st = cv_sqlite_use(s, "cursor_get");
    int got = -1;
    if (st && cv_sqlite_bind_str(st, ":stream", stream) && cv_sqlite_bind_str(st, ":reader", reader))
        got = cv_sqlite_step(st);
    if (got < 0)
        return cv_sqlite_fail(s, "read the cursor", err);
    *ret_seq = got > 0 ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return true;
}

bool cv_sqlite_cursor_advance(cv_store *store, cv_str stream, cv_str reader, int64_t seq, cv_str now, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    if (!cv_sqlite_begin_write(s))
        return cv_sqlite_fail(s, "begin to write", err);
    sqlite3_stmt *st = cv_sqlite_use(s, "cursor_advance");
    bool ok = st && cv_sqlite_bind_str(st, ":stream", stream) && cv_sqlite_bind_str(st, ":reader", reader) &&
              cv_sqlite_bind_int(st, ":seq", seq) && cv_sqlite_bind_str(st, ":now", now) && cv_sqlite_step(st) == 0;
    if (!ok)
        cv_sqlite_fail(s, "move the cursor", err);
    if (st)
        sqlite3_reset(st);
    ok = ok && cv_sqlite_commit(s, err) == CV_STORE_DONE;
    cv_sqlite_rollback(s);
    return ok;
}
