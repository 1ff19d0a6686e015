/* sqlite_read.c - positions, snapshots and lists.
 *
 * A snapshot is one read transaction: the position and all rows are of the same moment, whatever others write
 * meanwhile. Rows are handed out one at a time as SQLite steps over them; their texts are SQLite's own and nothing is
 * copied.
 */
#include "base/json.h"
#include "record/sqlite_engine.h"

bool cv_sqlite_position(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                        cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    sqlite3_stmt *st = cv_sqlite_use(s, "position");
    int got = st && cv_sqlite_bind_str(st, ":dialogue_id", dialogue_id) ? cv_sqlite_step(st) : -1;
    if (got > 0) {
        cv_str head = cv_sqlite_column_str(st, 1);
        ret_position->rev = sqlite3_column_int64(st, 0);
        ret_position->head = head.p ? cv_arena_copy(a, head) : head;
        ret_position->event_count = sqlite3_column_int64(st, 2);
        ret_position->restored = sqlite3_column_int(st, 3) == 1;
    }
    if (got < 0)
        cv_sqlite_fail(s, "read the dialogue's position", err);
    else
        *ret_found = got > 0;
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

/* ---- snapshot --------------------------------------------------------------------------------- */

typedef struct {
    cv_str dialogue_id;
    const cv_wanted *wanted;
    cv_str about; /* as a JSON list; empty: everything */
    cv_visit visit;
    void *ctx;
} reading;

static cv_str about_json(cv_arena *a, const cv_wanted *wanted)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    if (wanted->about_count == 0)
        return CV_STR("");
    cv_json_strs(&w, wanted->about, wanted->about_count);
    return cv_buf_take(&text, a);
}

static bool is_wanted(const cv_sqlite_table *table, const cv_wanted *wanted)
{
    return (wanted->kinds == 0 || wanted->kinds & (1u << table->kind)) &&
           (table->letter == 0 || !wanted->letters || strchr(wanted->letters, table->letter));
}

/* An outline asks for nothing but the dialogue. */
static bool bind(sqlite3_stmt *st, const reading *r, bool outline)
{
    return st && cv_sqlite_bind_str(st, ":dialogue_id", r->dialogue_id) &&
           (outline ||
            (cv_sqlite_bind_str(st, ":about", r->about) && cv_sqlite_bind_int(st, ":since", r->wanted->since_rev) &&
             cv_sqlite_bind_int(st, ":lean", r->wanted->no_content)));
}

static bool visit_table(cv_sqlite *s, const cv_sqlite_table *table, const reading *r, cv_err *err)
{
    const cv_wanted *wanted = r->wanted;
    bool some = r->about.n > 0 && table->about, by_rev = wanted->since_rev > 0;
    bool outline = table->outline && wanted->outline & (1u << table->kind) && !some && !by_rev;
    sqlite3_stmt *st = cv_sqlite_use(s, some                     ? table->about
                                        : by_rev && table->since ? table->since
                                        : outline                ? table->outline
                                                                 : table->all);
    if (!bind(st, r, outline))
        return cv_sqlite_fail(s, "read the dialogue", err);
    cv_sqlite_row row;
    if (outline)
        cv_sqlite_clear_row(table->kind, &row);
    bool ok = true;
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        cv_sqlite_read_row(st, table->kind, outline, &row);
        ok = r->visit(r->ctx, table->kind, &row, err);
    }
    if (got < 0)
        ok = cv_sqlite_fail(s, "read the dialogue", err);
    sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_snapshot(cv_store *store, cv_arena *a, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit,
                        void *ctx, cv_position *ret_position, bool *ret_found, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    cv_position position = {0};
    bool found = false;
    const reading r = {dialogue_id, wanted, about_json(a, wanted), visit, ctx};
    bool own = sqlite3_get_autocommit(s->db); /* else it is read within the turn that was taken */
    if (own && cv_sqlite_run(s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(s, "begin to read", err);
    bool ok = cv_sqlite_position(store, a, dialogue_id, &position, &found, err);
    for (size_t i = 0; ok && found && i < CV_SQLITE_TABLES; i++)
        if (is_wanted(&cv_sqlite_tables[i], wanted))
            ok = visit_table(s, &cv_sqlite_tables[i], &r, err);
    if (own)
        cv_sqlite_rollback(s);
    if (ok) {
        *ret_position = position;
        *ret_found = found;
    }
    return ok;
}

/* ---- list ------------------------------------------------------------------------------------- */

bool cv_sqlite_list(cv_store *store, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx,
                    cv_err *err)
{
    (void)a;
    cv_sqlite *s = (cv_sqlite *)store;
    const char *statement = query->newest ? "list_newest" : query->status.n > 0 ? "list_status" : "list";
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int64_t limit = query->limit == 0 || query->limit > INT64_MAX ? -1 : (int64_t)query->limit;
    cv_str none = CV_STR(""), after = query->after.p ? query->after : none;
    if (!st || !cv_sqlite_bind_str(st, ":after", after) ||
        !cv_sqlite_bind_str(st, ":status", query->status.n ? query->status : none) ||
        !cv_sqlite_bind_str(st, ":since", query->since.n ? query->since : none) ||
        !cv_sqlite_bind_int(st, ":limit", limit))
        return cv_sqlite_fail(s, "list the dialogues", err);
    int behind = (int)cv_rec_types[CV_REC_DIALOGUE].outline_count + 1; /* the columns behind the row's own */
    cv_sqlite_row row;
    cv_sqlite_clear_row(CV_REC_DIALOGUE, &row);
    bool ok = true;
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        cv_sqlite_read_row(st, CV_REC_DIALOGUE, true, &row);
        ok = visit(ctx, cv_sqlite_column_str(st, behind), &row.dialogue, sqlite3_column_int64(st, behind + 1), err);
    }
    if (got < 0)
        ok = cv_sqlite_fail(s, "list the dialogues", err);
    sqlite3_reset(st);
    return ok;
}
