/* sqlite_ops.c - all writes by their numbers, and whether the last one that was acknowledged is among them. */
#include "record/sqlite_engine.h"

static bool fail_reading(cv_sqlite *s, cv_err *err)
{
    return cv_sqlite_fail(s, "read the operations", err);
}

bool cv_sqlite_ops(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_op_visit visit, void *ctx, cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    sqlite3_stmt *st = cv_sqlite_use(s, dialogue_id.n ? "ops_of" : "ops");
    if (!st || !cv_sqlite_bind_str(st, ":dialogue_id", dialogue_id))
        return fail_reading(s, err);
    bool ok = true;
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        cv_op_row op = {.number = sqlite3_column_int64(st, 0),
                        .dialogue_id = cv_sqlite_column_str(st, 1),
                        .op_id = cv_sqlite_column_str(st, 2),
                        .rev = sqlite3_column_int64(st, 3),
                        .digest = cv_sqlite_column_str(st, 4),
                        .created_at = cv_sqlite_column_str(st, 5),
                        .result = cv_sqlite_column_str(st, 6),
                        .head = cv_sqlite_column_str(st, 7)};
        ok = visit(ctx, &op, err);
    }
    if (got < 0)
        ok = fail_reading(s, err);
    sqlite3_reset(st);
    return ok;
}

/* A commit whose events have no head of ours is found with a head of zeros. 1: found; 0: not; -1: trouble. */
static int find_commit(cv_sqlite *s, const char *statement, int64_t number, cv_commit *ret_commit)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int got = st && cv_sqlite_bind_int(st, ":number", number) ? cv_sqlite_step(st) : -1;
    *ret_commit = (cv_commit){0};
    memset(ret_commit->head, '0', CV_HASH_LEN);
    if (got > 0) {
        cv_str head = cv_sqlite_column_str(st, 1);
        ret_commit->number = sqlite3_column_int64(st, 0);
        if (head.n == CV_HASH_LEN)
            memcpy(ret_commit->head, head.p, CV_HASH_LEN);
    }
    if (st)
        sqlite3_reset(st);
    return got;
}

bool cv_sqlite_last_commit(cv_store *store, cv_commit *ret_commit, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    return find_commit(s, "commit_last", 0, ret_commit) >= 0 || fail_reading(s, err);
}

bool cv_sqlite_regressed(cv_sqlite *s, const cv_commit *watermark, int64_t last, cv_err *err)
{
    if (last < watermark->number)
        cv_err_set(err, CV_ERR_REGRESSED,
                   "the record has lost writes: commit %lld was acknowledged, the record ends at commit %lld",
                   (long long)watermark->number, (long long)last);
    else
        cv_err_set(err, CV_ERR_REGRESSED,
                   "the record has lost writes: commit %lld is not the one that was acknowledged under this number",
                   (long long)watermark->number);
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, cv_arena_printf(err->arena,
                                        "an older copy was put in its place, or its log (conclave.db-wal) was removed "
                                        "or damaged: put the newer files "
                                        "back, or 'conclave restore FILE' from a backup, or 'conclave accept --commit "
                                        "%lld' to go on with what is left",
                                        (long long)last));
    return false;
}

/* The watermark is damaged: how far the record was is known to its owner, if to anybody. Always false. */
static bool advise_accepting(cv_sqlite *s, cv_err *err)
{
    cv_commit last;
    cv_err ignored = {.arena = err->arena}; /* the error stands without the advice */
    if (cv_sqlite_last_commit(&s->base, &last, &ignored))
        cv_err_suggest(err, cv_arena_printf(err->arena,
                                            "the record ends at commit %lld: compare that with your last seal or "
                                            "backup, then run 'conclave accept --commit %lld'",
                                            (long long)last.number, (long long)last.number));
    return false;
}

bool cv_sqlite_acknowledged(cv_store *store, cv_arena *a, cv_watermark_state *ret_state, cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    cv_commit watermark, found, last;
    *ret_state = s->watermark ? cv_watermark_read(s->watermark, &watermark, err) : CV_WATERMARK_MISSING;
    if (*ret_state == CV_WATERMARK_UNREADABLE && err->suggestion.n == 0)
        return advise_accepting(s, err);
    if (*ret_state != CV_WATERMARK_THERE)
        return *ret_state == CV_WATERMARK_MISSING;
    int got = watermark.number > 0 ? find_commit(s, "commit_at", watermark.number, &found) : 1;
    if (got < 0)
        return fail_reading(s, err);
    if (watermark.number == 0 || (got > 0 && memcmp(found.head, watermark.head, CV_HASH_LEN) == 0))
        return true;
    return cv_sqlite_last_commit(store, &last, err) && cv_sqlite_regressed(s, &watermark, last.number, err);
}

bool cv_sqlite_accept(cv_store *store, cv_arena *a, cv_commit *ret_commit, cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    return cv_sqlite_last_commit(store, ret_commit, err) &&
           (!s->watermark || cv_watermark_set(s->watermark, ret_commit, err));
}
