/* sqlite_search.c - finding words in the record, with FTS5.
 *
 *     what was written since the last search is indexed     short write transactions, some dialogues each
 *     the question is asked                                 one read transaction: hits, their texts, the lag
 *
 * So a search pays for the index, and a write does not. Several processes may do this at once: inside the write
 * transaction everything is looked at again, and who comes second finds nothing to do. Where the store cannot be
 * written, the search runs on what is indexed and tells how many dialogues are behind.
 *
 * The index is made from the record alone. One that is damaged is made again from nothing, without a word.
 */
#include "record/sqlite_engine.h"

enum {
    /* How long a search waits for writers before it answers with what is indexed. */
    INDEX_WAIT_MS = 500,
    /* New rows after which a transaction ends, so that writers get their turn. */
    INDEX_ROWS = 2000
};

typedef struct {
    cv_str *items;
    size_t count, capacity;
} ids;

/* ---- bringing the index up to date ---------------------------------------------------------------- */

static bool list_behind(cv_sqlite *s, cv_arena *a, ids *ret_ids, int64_t *ret_last_op)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "search_last_op");
    int got = st ? cv_sqlite_step(st) : -1;
    *ret_last_op = got > 0 ? sqlite3_column_int64(st, 0) : 0;
    if (st)
        sqlite3_reset(st);
    st = got > 0 ? cv_sqlite_use(s, "search_behind") : NULL;
    while (st && (got = cv_sqlite_step(st)) > 0)
        *CV_PUSH(a, ret_ids) = cv_arena_copy(a, cv_sqlite_column_str(st, 0));
    if (st)
        sqlite3_reset(st);
    return st && got == 0;
}

/* One dialogue on its way into the index. */
typedef struct {
    cv_str id;
    int64_t number, since, rev, last_row;
} entering;

static bool run_for(cv_sqlite *s, const char *statement, const entering *e)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    bool ok = st && cv_sqlite_bind_str(st, ":dialogue_id", e->id) && cv_sqlite_bind_int(st, ":number", e->number) &&
              cv_sqlite_bind_int(st, ":since", e->since) && cv_sqlite_bind_int(st, ":rev", e->rev) &&
              cv_sqlite_bind_int(st, ":last", e->last_row) && cv_sqlite_step(st) == 0;
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool find_entering(cv_sqlite *s, entering *e)
{
    sqlite3_stmt *st = run_for(s, "search_enter", e) ? cv_sqlite_use(s, "search_position") : NULL;
    bool ok = st && cv_sqlite_bind_str(st, ":dialogue_id", e->id) && cv_sqlite_step(st) > 0;
    if (ok) {
        e->number = sqlite3_column_int64(st, 0);
        e->since = sqlite3_column_int64(st, 1);
        e->rev = sqlite3_column_int64(st, 2);
        e->last_row = sqlite3_column_int64(st, 3);
    }
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool index_dialogue(cv_sqlite *s, cv_str id, int64_t *ret_last_row)
{
    static const char *const steps[] = {
        "search_take_back", "search_read_again", "search_forget_old", "search_add_D",   "search_add_O",
        "search_add_S",     "search_add_V",      "search_add_P",      "search_add_R",   "search_add_T",
        "search_add_E",     "search_add_C",      "search_read_new",   "search_reached",
    };
    entering e = {.id = id};
    if (!find_entering(s, &e))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && e.since < e.rev && i < CV_COUNT(steps); i++)
        ok = run_for(s, steps[i], &e);
    *ret_last_row = e.last_row;
    return ok;
}

/* Dialogues from `*from` on, until enough rows are new. */
static bool index_some(cv_sqlite *s, const ids *behind, size_t *from)
{
    int64_t first_row = -1, last_row = 0;
    bool ok = true;
    while (ok && *from < behind->count && (first_row < 0 || last_row - first_row < INDEX_ROWS)) {
        ok = index_dialogue(s, behind->items[(*from)++], &last_row);
        first_row = first_row < 0 ? last_row : first_row;
    }
    return ok;
}

static bool note_seen(cv_sqlite *s, int64_t op)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "search_seen");
    bool ok = st && cv_sqlite_bind_int(st, ":op", op) && cv_sqlite_step(st) == 0;
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* Turns SQLite's last error into ours, and notes whether it is the index that is damaged and not the record. */
static bool index_fail(cv_sqlite *s, const char *doing, cv_err *err)
{
    s->index_damaged = sqlite3_extended_errcode(s->db) == SQLITE_CORRUPT_VTAB;
    return cv_sqlite_fail(s, doing, err);
}

/* False: the store cannot be written now, or the index is damaged; err tells. */
static bool index_all(cv_sqlite *s, const ids *behind, int64_t last_op, cv_err *err)
{
    for (size_t i = 0; i < behind->count;) {
        bool ok = cv_sqlite_begin_write(s) && index_some(s, behind, &i) && (i < behind->count || note_seen(s, last_op));
        if (!ok) {
            index_fail(s, "bring the search index up to date", err);
            cv_sqlite_rollback(s);
            return false;
        }
        if (cv_sqlite_commit(s, err) != CV_STORE_DONE)
            return false;
    }
    return true;
}

static bool catch_up(cv_sqlite *s, cv_arena *a, cv_err *err)
{
    ids behind = {0};
    int64_t last_op, wait = s->wait_us;
    if (!list_behind(s, a, &behind, &last_op))
        return index_fail(s, "read the search index", err);
    s->wait_us = wait < INDEX_WAIT_MS * 1000 ? wait : INDEX_WAIT_MS * 1000;
    bool ok = index_all(s, &behind, last_op, err);
    s->wait_us = wait;
    return ok;
}

/* ---- from nothing again ---------------------------------------------------------------------------- */

static bool clear(cv_sqlite *s)
{
    static const char *const steps[] = {"search_clear_index", "search_clear_rows", "search_clear_old",
                                        "search_clear_state", "search_clear_progress"};
    bool ok = true;
    for (size_t i = 0; ok && i < CV_COUNT(steps); i++)
        ok = cv_sqlite_run(s, steps[i]) == SQLITE_OK;
    return ok;
}

bool cv_sqlite_search_rebuild(cv_store *store, cv_arena *a, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    if (!cv_sqlite_begin_write(s) || !clear(s)) {
        cv_sqlite_fail(s, "make the search index again", err);
        if (err->code == CV_ERR_CORRUPT) {
            cv_err_operation(err, CV_STR("verify"));
            cv_err_suggest(err, CV_STR("says whether the record is whole; if it is not, restore it from a backup"));
        }
        cv_sqlite_rollback(s);
        return false;
    }
    ids behind = {0};
    int64_t last_op;
    return cv_sqlite_commit(s, err) == CV_STORE_DONE &&
           (list_behind(s, a, &behind, &last_op) || cv_sqlite_fail(s, "read the search index", err)) &&
           index_all(s, &behind, last_op, err);
}

/* ---- asking ----------------------------------------------------------------------------------------- */

/* What a search needs besides the store. */
typedef struct {
    const cv_search_query *query;
    cv_sqlite_patterns patterns;
    cv_arena scratch; /* for one hit */
    cv_search_visit visit;
    void *ctx;
    size_t visited;
    bool stopped; /* the visitor's error is the answer */
} asking;

static cv_str or_null(cv_str s)
{
    return s.n ? s : (cv_str){NULL, 0};
}

static bool bind_query(sqlite3_stmt *st, const cv_search_query *q, cv_str expression, cv_arena *a)
{
    cv_str expert = q->expert.n ? cv_arena_printf(a, "\"%.*s\"", CV_FMT(q->expert)) : q->expert;
    return cv_sqlite_bind_str(st, ":expression", expression) && cv_sqlite_bind_str(st, ":kinds", or_null(q->kinds)) &&
           cv_sqlite_bind_str(st, ":dialogue_id", or_null(q->dialogue_id)) &&
           cv_sqlite_bind_str(st, ":without", or_null(q->without)) &&
           cv_sqlite_bind_str(st, ":statuses", or_null(q->statuses)) &&
           cv_sqlite_bind_str(st, ":expert", or_null(expert)) && cv_sqlite_bind_int(st, ":limit", (int64_t)q->limit) &&
           cv_sqlite_bind_int(st, ":offset", (int64_t)q->offset);
}

/* The texts behind the hit that `st` stands on, and the visit. */
static bool visit_hit(cv_sqlite *s, asking *ask, sqlite3_stmt *st, cv_err *err)
{
    sqlite3_stmt *texts = cv_sqlite_use(s, "search_hit");
    if (!texts || !cv_sqlite_bind_int(texts, ":id", sqlite3_column_int64(st, 0)) || cv_sqlite_step(texts) <= 0)
        return false;
    cv_search_hit hit = {.dialogue_id = cv_sqlite_column_str(st, 1),
                         .kind = cv_sqlite_column_str(st, 2).p[0],
                         .round = sqlite3_column_int64(st, 3),
                         .seq = sqlite3_column_int64(st, 4),
                         .name = cv_sqlite_column_str(st, 5),
                         .score = -sqlite3_column_double(st, 6),
                         .title = cv_sqlite_column_str(texts, 0),
                         .body = cv_sqlite_column_str(texts, 1),
                         .status = cv_sqlite_column_str(texts, 2),
                         .people = cv_sqlite_column_str(texts, 3),
                         .dialogue_title = cv_sqlite_column_str(texts, 4)};
    cv_sqlite_marks(&s->tokenizer, &ask->scratch, &ask->patterns, hit.title, &hit.in_title);
    cv_sqlite_marks(&s->tokenizer, &ask->scratch, &ask->patterns, hit.body, &hit.in_body);
    ask->visited++;
    ask->stopped = !ask->visit(ask->ctx, &hit, err);
    cv_arena_reset(&ask->scratch);
    sqlite3_reset(texts);
    return !ask->stopped;
}

static bool visit_hits(cv_sqlite *s, cv_arena *a, asking *ask, cv_err *err)
{
    cv_str expression = cv_sqlite_expression(a, ask->query);
    if (expression.n == 0)
        return true;
    sqlite3_stmt *st = cv_sqlite_use(s, "search");
    bool ok = st && bind_query(st, ask->query, expression, a);
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0)
        ok = visit_hit(s, ask, st, err);
    ok = ok && got == 0;
    if (!ok && !ask->stopped)
        index_fail(s, "search", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* Hits and lag of one moment. */
static bool ask_all(cv_sqlite *s, cv_arena *a, asking *ask, size_t *ret_behind, cv_err *err)
{
    ids behind = {0};
    int64_t last_op;
    if (cv_sqlite_run(s, "begin_read") != SQLITE_OK || !list_behind(s, a, &behind, &last_op)) {
        cv_sqlite_fail(s, "read the search index", err);
        cv_sqlite_rollback(s);
        return false;
    }
    bool ok = visit_hits(s, a, ask, err);
    cv_sqlite_rollback(s);
    *ret_behind = behind.count;
    return ok;
}

bool cv_sqlite_tokenizer_ready(cv_sqlite *s, cv_err *err)
{
    if (s->tokenizer.handle)
        return true;
    fts5_api *api = NULL;
    sqlite3_stmt *st = cv_sqlite_use(s, "fts5_api");
    bool ok = st && sqlite3_bind_pointer(st, 1, &api, "fts5_api_ptr", NULL) == SQLITE_OK && cv_sqlite_step(st) > 0 &&
              cv_sqlite_tokenizer_open(api, &s->tokenizer);
    if (!ok)
        cv_sqlite_fail(s, "search", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool search_once(cv_sqlite *s, cv_arena *a, asking *ask, size_t *ret_behind, cv_err *err)
{
    cv_err late = {.arena = err->arena}; /* told by *ret_behind */
    s->index_damaged = false;
    if (!catch_up(s, a, &late) && s->index_damaged) {
        cv_err_copy(err, &late);
        return false;
    }
    return ask_all(s, a, ask, ret_behind, err);
}

bool cv_sqlite_search(cv_store *store, cv_arena *a, const cv_search_query *query, cv_search_visit visit, void *ctx,
                      size_t *ret_behind, cv_err *err)
{
    cv_sqlite *s = (cv_sqlite *)store;
    asking ask = {.query = query, .visit = visit, .ctx = ctx};
    if (!cv_sqlite_tokenizer_ready(s, err))
        return false;
    cv_sqlite_patterns_of(&s->tokenizer, a, query, &ask.patterns);
    bool ok = search_once(s, a, &ask, ret_behind, err);
    if (!ok && s->index_damaged && ask.visited == 0)
        ok = cv_sqlite_search_rebuild(store, a, err) && search_once(s, a, &ask, ret_behind, err);
    cv_arena_release(&ask.scratch);
    return ok;
}
