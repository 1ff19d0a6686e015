/* sqlite_tally.c - counts across dialogues.
 *
 * One read transaction, one grouping statement per table: rows are counted where they lie, their long texts are not
 * touched.
 */
#include "record/sqlite_engine.h"

/* In the order in which they are told. */
static const struct {
    cv_rec_kind kind;
    char letter;
    const char *statement;
} parts[] = {
    {CV_REC_DIALOGUE, 0, "tally_dialogue"}, {CV_REC_ENTITY, 'P', "tally_P"},  {CV_REC_ENTITY, 'R', "tally_R"},
    {CV_REC_ENTITY, 'T', "tally_T"},        {CV_REC_ENTITY, 'E', "tally_E"},  {CV_REC_ENTITY, 'C', "tally_C"},
    {CV_REC_VERDICT, 0, "tally_verdict"},   {CV_REC_SCORE, 0, "tally_score"},
};

static bool count_part(cv_sqlite *s, size_t part, const cv_tally_query *query, cv_tally_visit visit, void *ctx,
                       cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, parts[part].statement);
    cv_str none = CV_STR("");
    if (!st || !cv_sqlite_bind_str(st, ":status", query->status.n ? query->status : none) ||
        !cv_sqlite_bind_str(st, ":since", query->since.n ? query->since : none) ||
        !cv_sqlite_bind_int(st, ":limit", query->experts ? (int64_t)query->experts : -1))
        return cv_sqlite_fail(s, "count", err);
    bool ok = true;
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        cv_tallied tally = {.kind = parts[part].kind,
                            .letter = parts[part].letter,
                            .word = cv_sqlite_column_str(st, 0),
                            .detail = cv_sqlite_column_str(st, 1),
                            .count = sqlite3_column_int64(st, 2),
                            .begun = sqlite3_column_int64(st, 3),
                            .rounds = sqlite3_column_int64(st, 4),
                            .score = sqlite3_column_int64(st, 5)};
        ok = visit(ctx, &tally, err);
    }
    if (got < 0)
        ok = cv_sqlite_fail(s, "count", err);
    sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_tally(cv_store *store, cv_arena *a, const cv_tally_query *query, cv_tally_visit visit, void *ctx,
                     cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    if (cv_sqlite_run(s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(s, "begin to read", err);
    bool ok = true;
    for (size_t i = 0; ok && i < CV_COUNT(parts); i++)
        ok = count_part(s, i, query, visit, ctx, err);
    cv_sqlite_rollback(s);
    return ok;
}
