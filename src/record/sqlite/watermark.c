/* watermark.c - commits by their numbers, and whether the last one that was acknowledged is among them.
 *
 *     the rows of a write                   the last one inserted is the commit: its rowid is the number
 *     is the watermark below this commit?   -> FAILED: store_regressed (watermark.h)
 *     COMMIT                                -> DONE only when this has returned
 *     the watermark is raised
 */
#include <assert.h>
#include <errno.h>

#include "base/log.h"
#include "base/system.h"
#include "record/sqlite/connection.h"

static bool fail_reading(cv_sqlite *s, cv_err *err)
{
    return cv_sqlite_fail(s, "read the commits", err);
}

/* A commit whose events have no head of ours is found with a head of zeros. 1: found; 0: not; -1: trouble. */
static int find_commit(cv_sqlite *s, const char *statement, int64_t number, cv_commit *ret_commit)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int got = st && cv_sqlite_bind_int(st, ":number", number) ? cv_sqlite_step(st) : -1;
    *ret_commit = (cv_commit){0};
    memset(ret_commit->head, '0', CV_HASH_DIGITS);
    if (got > 0) {
        cv_str head = cv_sqlite_column_str(st, 1);
        ret_commit->number = sqlite3_column_int64(st, 0);
        if (head.n == CV_HASH_DIGITS)
            memcpy(ret_commit->head, head.p, CV_HASH_DIGITS);
    }
    if (st)
        sqlite3_reset(st);
    return got;
}

bool cv_sqlite_last(cv_sqlite *s, cv_commit *ret_commit, cv_err *err)
{
    return find_commit(s, "commit_last", 0, ret_commit) >= 0 || fail_reading(s, err);
}

static bool regressed(cv_sqlite *s, const cv_commit *watermark, int64_t last, cv_err *err)
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
                                        "%lld' to continue with what is left",
                                        (long long)last));
    return false;
}

/* The watermark is damaged: how far the record was is known to its owner, if to anybody. Always false. */
static bool advise_accepting(cv_sqlite *s, cv_err *err)
{
    cv_commit last;
    cv_err ignored = {.arena = err->arena}; /* without it, the error has no advice */
    if (cv_sqlite_last(s, &last, &ignored))
        cv_err_suggest(err, cv_arena_printf(err->arena,
                                            "the record ends at commit %lld: compare that with your last seal or "
                                            "backup, then run 'conclave accept --commit %lld'",
                                            (long long)last.number, (long long)last.number));
    return false;
}

bool cv_sqlite_has_acknowledged(cv_sqlite *s, cv_watermark_state *ret_state, cv_err *err)
{
    cv_commit watermark, found, last;
    *ret_state = s->watermark ? cv_watermark_read(s->watermark, &watermark, err) : CV_WATERMARK_MISSING;
    if (*ret_state == CV_WATERMARK_UNREADABLE && err->suggestion.n == 0)
        return advise_accepting(s, err);
    if (*ret_state != CV_WATERMARK_THERE)
        return *ret_state == CV_WATERMARK_MISSING;
    int got = watermark.number > 0 ? find_commit(s, "commit_at", watermark.number, &found) : 1;
    if (got < 0)
        return fail_reading(s, err);
    if (watermark.number == 0 || (got > 0 && memcmp(found.head, watermark.head, CV_HASH_DIGITS) == 0))
        return true;
    return cv_sqlite_last(s, &last, err) && regressed(s, &watermark, last.number, err);
}

bool cv_sqlite_accept_last(cv_sqlite *s, cv_commit *ret_commit, cv_err *err)
{
    return cv_sqlite_last(s, ret_commit, err) && (!s->watermark || cv_watermark_set(s->watermark, ret_commit, err));
}

/* The process with the write lock knows that every commit that was acknowledged has a smaller number. */
static bool lock_mark(cv_sqlite *s, const cv_commit *commit, cv_watermark *ret_mark, cv_err *err)
{
    if (!cv_watermark_begin(s->watermark, ret_mark, err))
        return false;
    if (ret_mark->commit.number < commit->number)
        return true;
    regressed(s, &ret_mark->commit, commit->number - 1, err);
    cv_watermark_end(ret_mark, NULL);
    return false;
}

/* What is committed stays so, whether the watermark can be raised or not: one that is behind says nothing wrong. */
cv_sqlite_outcome cv_sqlite_commit_marked(cv_sqlite *s, cv_str head, cv_err *err)
{
    cv_commit commit = {.number = sqlite3_last_insert_rowid(s->db)};
    cv_watermark watermark;
    if (!s->watermark)
        return cv_sqlite_commit(s, err);
    assert(head.n == CV_HASH_DIGITS);
    memcpy(commit.head, head.p, CV_HASH_DIGITS);
    if (!lock_mark(s, &commit, &watermark, err)) {
        cv_sqlite_rollback(s);
        return err->code == CV_ERR_BUSY ? CV_SQLITE_BUSY : CV_SQLITE_FAILED;
    }
    cv_sqlite_outcome outcome = cv_sqlite_commit(s, err);
    if (!cv_watermark_end(&watermark, outcome == CV_SQLITE_DONE ? &commit : NULL))
        cv_log_line("%s: the write is kept, but the watermark could not be raised to commit %lld: %s", s->watermark,
                    (long long)commit.number, cv_system_reason(errno));
    return outcome;
}
