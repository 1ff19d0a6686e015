/* search.c - finding words with FTS5: what SQLite does for the index of record/search_index.h.
 *
 *     search_texts   what is in the index, by scope, kind and thing
 *     search_index   its words; a text is taken back by its old words and entered with its new ones
 */
#include <assert.h>
#include <stdlib.h>

#include "record/sqlite/engine.h"
#include "record/sqlite/search.h"

/* ---- texts and their words ----------------------------------------------------------------------------------------
 */

static bool done(sqlite3_stmt *st)
{
    bool ok = st && cv_sqlite_step(st) == 0;
    if (st)
        sqlite3_reset(st);
    return ok;
}

static bool failed(cv_sqlite_search *x, cv_err *err)
{
    x->base.damaged = sqlite3_extended_errcode(x->r->s->db) == SQLITE_CORRUPT_VTAB;
    return cv_sqlite_fail(x->r->s, "bring the search index up to date", err);
}

/* Things of one scope are behind each other: while a list of them is walked along, the last number is kept. */
static bool scope_number(cv_sqlite_search *x, cv_scope_id scope, cv_err *err)
{
    if (x->number && scope.name.p == x->scope.name.p && scope.room.p == x->scope.room.p)
        return true;
    x->scope = scope;
    return cv_sqlite_scope(x->r, NULL, scope, &x->number, NULL, err);
}

static bool read_thing(cv_sqlite_search *x, cv_arena *a, cv_search_thing *t)
{
    cv_search_entry *e = &t->old;
    sqlite3_stmt *st = cv_sqlite_use(x->r->s, "search_text");
    int got = st && cv_sqlite_bind_int(st, ":scope", x->number) && cv_sqlite_bind_str(st, ":kind", t->kind) &&
                      cv_sqlite_bind_str(st, ":thing", t->id)
                  ? cv_sqlite_step(st)
                  : -1;
    if (got > 0) {
        cv_str *const to[] = {&e->ids, &e->more_ids, &e->title, &e->body, &e->status, &e->people};
        t->number = sqlite3_column_int64(st, 0);
        for (size_t i = 0; i < CV_COUNT(to); i++)
            *to[i] = cv_search_copy(a, cv_sqlite_column_str(st, (int)i + 1));
    }
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static bool read_things(cv_search_index *base, cv_arena *a, cv_search_thing *things, size_t count, cv_err *err)
{
    cv_sqlite_search *x = (cv_sqlite_search *)base;
    x->number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!scope_number(x, things[i].scope, err))
            return false;
        if (!read_thing(x, a, &things[i]))
            return failed(x, err);
    }
    return true;
}

static bool store(cv_sqlite_search *x, const cv_search_thing *t)
{
    assert(x->number > 0 && t->now.people.p && "a thing of a scope that is there");
    const cv_search_entry *e = &t->now;
    sqlite3_stmt *st = cv_sqlite_use(x->r->s, t->number ? "search_text_change" : "search_text_add");
    return st && cv_sqlite_bind_int(st, ":id", t->number) && cv_sqlite_bind_int(st, ":scope", x->number) &&
           cv_sqlite_bind_str(st, ":kind", t->kind) && cv_sqlite_bind_str(st, ":thing", t->id) &&
           cv_sqlite_bind_str(st, ":ids", cv_search_text_or_empty(e->ids)) &&
           cv_sqlite_bind_str(st, ":more_ids", cv_search_text_or_empty(e->more_ids)) &&
           cv_sqlite_bind_str(st, ":status", e->status) && cv_sqlite_bind_str(st, ":people", e->people) &&
           cv_sqlite_bind_str(st, ":title", cv_search_text_or_empty(e->title)) &&
           cv_sqlite_bind_str(st, ":body", cv_search_text_or_empty(e->body)) && done(st);
}

/* Enters the words of a text into the index, or takes them back. */
static bool post(cv_sqlite_search *x, const char *statement, int64_t id, const cv_search_entry *e)
{
    sqlite3_stmt *st = cv_sqlite_use(x->r->s, statement);
    return st && cv_sqlite_bind_int(st, ":id", id) && cv_sqlite_bind_str(st, ":ids", cv_search_text_or_empty(e->ids)) &&
           cv_sqlite_bind_str(st, ":more_ids", cv_search_text_or_empty(e->more_ids)) &&
           cv_sqlite_bind_str(st, ":title", cv_search_text_or_empty(e->title)) &&
           cv_sqlite_bind_str(st, ":body", cv_search_text_or_empty(e->body)) && done(st);
}

static bool write_thing(cv_sqlite_search *x, const cv_search_thing *t)
{
    bool same = t->number && cv_search_same_words(&t->old, &t->now);
    if (t->number && !same && !post(x, "search_take_back", t->number, &t->old))
        return false;
    return store(x, t) &&
           (same || post(x, "search_enter", t->number ? t->number : sqlite3_last_insert_rowid(x->r->s->db), &t->now));
}

static bool write_things(cv_search_index *base, cv_arena *a, const cv_search_thing *things, size_t count, cv_err *err)
{
    cv_sqlite_search *x = (cv_sqlite_search *)base;
    (void)a;
    x->number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!scope_number(x, things[i].scope, err))
            return false;
        if (!write_thing(x, &things[i]))
            return failed(x, err);
    }
    return true;
}

bool cv_sqlite_index_row(cv_sqlite_record *r, const cv_type *type, const void *row, cv_err *err)
{
    cv_sqlite_search x = cv_sqlite_search_of(r);
    return cv_search_take_row(&x.base, r->scope, type, row, err);
}

/* ---- transactions -------------------------------------------------------------------------------------------------
 */

/* A search waits a little for writers only. */
static bool lock(cv_sqlite_search *x, cv_err *err)
{
    cv_sqlite_record *r = x->r;
    assert(!r->hurried && "one search of a handle at a time");
    int64_t wait = r->s->wait_us;
    if (x->base.soon && wait > CV_SEARCH_WAIT_MS * 1000)
        r->s->wait_us = CV_SEARCH_WAIT_MS * 1000;
    r->hurried = x->base.soon;
    bool ok = cv_sqlite_lock(r, err);
    r->hurried = false;
    r->s->wait_us = wait;
    return ok;
}

/* An index that a power failure sets back is brought up to date again: it needs no sync. */
static bool begin(cv_search_index *base, cv_err *err)
{
    cv_sqlite_search *x = (cv_sqlite_search *)base;
    cv_sqlite_run(x->r->s, "synchronous_normal");
    if (lock(x, err))
        return true;
    cv_sqlite_run(x->r->s, "synchronous");
    return false;
}

static bool end(cv_search_index *base, bool ok, cv_err *err)
{
    cv_sqlite_record *r = ((cv_sqlite_search *)base)->r;
    ok = ok && cv_sqlite_finish(r, cv_sqlite_commit(r->s, err)) == CV_WRITE_DONE;
    cv_sqlite_rollback(r->s);
    cv_sqlite_run(r->s, "synchronous");
    return ok;
}

static bool clear(cv_search_index *base, cv_err *err)
{
    cv_sqlite_record *r = ((cv_sqlite_search *)base)->r;
    sqlite3_stmt *st;
    bool ok = cv_sqlite_run(r->s, "search_clear_index") == SQLITE_OK &&
              cv_sqlite_run(r->s, "search_clear_texts") == SQLITE_OK &&
              (st = cv_sqlite_use(r->s, "search_clear_reader")) != NULL &&
              cv_sqlite_bind_str(st, ":reader", CV_SEARCH_READER) && done(st);
    return ok || cv_sqlite_fail(r->s, "make the search index again", err);
}

bool cv_sqlite_search_again(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_sqlite_search x = cv_sqlite_search_of((cv_sqlite_record *)record);
    bool ok = cv_search_make_again(&x.base, a, err);
    if (!ok && err->code == CV_ERR_CORRUPT) {
        cv_err_operation(err, CV_STR("verify"));
        cv_err_suggest(err, CV_STR("says whether the record is whole; if it is not, restore it from a backup"));
    }
    return ok;
}

/* ---- asking -------------------------------------------------------------------------------------------------------
 */

static cv_str or_null(cv_str s)
{
    return s.n ? s : (cv_str){NULL, 0};
}

static bool bind_query(sqlite3_stmt *st, const cv_word_query *q, cv_str expression, cv_arena *a)
{
    cv_str person = q->person.n ? cv_arena_printf(a, "\"%.*s\"", CV_FMT(q->person)) : q->person;
    return cv_sqlite_bind_str(st, ":expression", expression) && cv_sqlite_bind_str(st, ":room", or_null(q->room)) &&
           cv_sqlite_bind_str(st, ":scope", or_null(q->scope)) &&
           cv_sqlite_bind_str(st, ":without", or_null(q->without)) &&
           cv_sqlite_bind_str(st, ":kinds", or_null(q->kinds)) &&
           cv_sqlite_bind_str(st, ":statuses", or_null(q->statuses)) &&
           cv_sqlite_bind_str(st, ":person", or_null(person)) && cv_sqlite_bind_int(st, ":limit", (int64_t)q->limit) &&
           cv_sqlite_bind_int(st, ":offset", (int64_t)q->offset);
}

/* The texts behind the hit that `st` is on, and the visit. */
static bool visit_hit(cv_sqlite_search *x, sqlite3_stmt *st, cv_err *err)
{
    cv_sqlite *s = x->r->s;
    sqlite3_stmt *texts = cv_sqlite_use(s, "search_hit");
    if (!texts || !cv_sqlite_bind_int(texts, ":id", sqlite3_column_int64(st, 0)) || cv_sqlite_step(texts) <= 0)
        return false;
    cv_word_hit hit = {.scope = {cv_sqlite_column_str(st, 1), cv_sqlite_column_str(st, 2)},
                       .kind = cv_sqlite_column_str(st, 3),
                       .id = cv_sqlite_column_str(st, 4),
                       .score = -sqlite3_column_double(st, 5),
                       .title = cv_sqlite_column_str(texts, 0),
                       .body = cv_sqlite_column_str(texts, 1),
                       .status = cv_sqlite_column_str(texts, 2),
                       .people = cv_sqlite_column_str(texts, 3)};
    cv_sqlite_marks(&s->tokenizer, &x->scratch, &x->patterns, hit.title, &hit.in_title);
    cv_sqlite_marks(&s->tokenizer, &x->scratch, &x->patterns, hit.body, &hit.in_body);
    x->base.visited = true;
    x->stopped = !x->visit(x->ctx, &hit, err);
    cv_arena_reset(&x->scratch);
    sqlite3_reset(texts);
    return !x->stopped;
}

static bool visit_hits(cv_sqlite_search *x, cv_arena *a, cv_err *err)
{
    cv_sqlite *s = x->r->s;
    cv_str expression = cv_sqlite_expression(a, &x->words);
    if (expression.n == 0)
        return true;
    sqlite3_stmt *st = cv_sqlite_use(s, "search");
    bool ok = st && bind_query(st, x->query, expression, a);
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0)
        ok = visit_hit(x, st, err);
    ok = ok && got == 0;
    if (!ok && !x->stopped) {
        x->base.damaged = sqlite3_extended_errcode(s->db) == SQLITE_CORRUPT_VTAB;
        cv_sqlite_fail(s, "search", err);
    }
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* Commits are numbered without gaps, and a position begins with the number. */
static int64_t commit_number(cv_str position)
{
    return position.n ? strtoll(position.p, NULL, 10) : 0;
}

static bool ask(cv_search_index *base, cv_arena *a, size_t *ret_behind, cv_err *err)
{
    cv_sqlite_search *x = (cv_sqlite_search *)base;
    cv_record *record = base->record;
    cv_str at, last;
    if (cv_sqlite_run(x->r->s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(x->r->s, "read the search index", err);
    bool ok = record->calls->reader_at(record, a, CV_SEARCH_READER, &at, err) &&
              record->calls->newest(record, a, 0, &last, err) && visit_hits(x, a, err);
    cv_sqlite_rollback(x->r->s);
    if (ok)
        *ret_behind = commit_number(last) > commit_number(at) ? (size_t)(commit_number(last) - commit_number(at)) : 0;
    return ok;
}

bool cv_sqlite_search_words(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                            size_t *ret_behind, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    cv_sqlite_search x = cv_sqlite_search_of(r);
    x.query = query;
    x.words = (cv_search_words){.terms = query->terms, .count = query->count, .any = query->any};
    x.visit = visit;
    x.ctx = ctx;
    if (!cv_sqlite_tokenizer_ready(r->s, err))
        return false;
    cv_sqlite_patterns_of(&r->s->tokenizer, a, &x.words, &x.patterns);
    bool ok = cv_search_run(&x.base, a, ret_behind, err);
    cv_arena_release(&x.scratch);
    return ok;
}

/* ---- the check ----------------------------------------------------------------------------------------------------
 */

static bool seen_rev(cv_search_index *base, cv_scope_id scope, cv_str position, int64_t *ret_rev, cv_err *err)
{
    cv_sqlite_search *x = (cv_sqlite_search *)base;
    x->number = 0;
    if (!scope_number(x, scope, err))
        return false;
    sqlite3_stmt *st = cv_sqlite_use(x->r->s, "search_seen_rev");
    bool ok = st && cv_sqlite_bind_int(st, ":scope", x->number) &&
              cv_sqlite_bind_int(st, ":number", commit_number(position)) && cv_sqlite_step(st) > 0;
    *ret_rev = ok ? sqlite3_column_int64(st, 0) : 0;
    if (st)
        sqlite3_reset(st);
    return ok || cv_sqlite_fail(x->r->s, "check the search index", err);
}

static bool texts_of(cv_search_index *base, cv_scope_id scope, cv_search_visit visit, void *ctx, cv_err *err)
{
    cv_sqlite_search *x = (cv_sqlite_search *)base;
    x->number = 0;
    if (!scope_number(x, scope, err))
        return false;
    sqlite3_stmt *st = cv_sqlite_use(x->r->s, "search_texts_of");
    bool ok = st && cv_sqlite_bind_int(st, ":scope", x->number), stopped = false;
    int got = -1;
    while (ok && !stopped && (got = cv_sqlite_step(st)) > 0) {
        const cv_search_entry entry = {.ids = cv_sqlite_column_str(st, 2),
                                       .more_ids = cv_sqlite_column_str(st, 3),
                                       .title = cv_sqlite_column_str(st, 4),
                                       .body = cv_sqlite_column_str(st, 5),
                                       .status = cv_sqlite_column_str(st, 6),
                                       .people = cv_sqlite_column_str(st, 7)};
        stopped = !visit(ctx, cv_sqlite_column_str(st, 0), cv_sqlite_column_str(st, 1), &entry, err);
    }
    if (!stopped && got < 0)
        cv_sqlite_fail(x->r->s, "check the search index", err);
    if (st)
        sqlite3_reset(st);
    return !stopped && got == 0;
}

bool cv_sqlite_search_check_rows(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    cv_sqlite_search x = cv_sqlite_search_of(r);
    if (cv_sqlite_run(r->s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(r->s, "check the search index", err);
    bool ok = cv_search_check(&x.base, a, err);
    cv_sqlite_rollback(r->s);
    return ok;
}

static const cv_search_calls calls = {
    .begin = begin,
    .end = end,
    .read = read_things,
    .write = write_things,
    .clear = clear,
    .ask = ask,
    .seen_rev = seen_rev,
    .texts_of = texts_of,
    .check_words = cv_sqlite_check_words,
};

cv_sqlite_search cv_sqlite_search_of(cv_sqlite_record *r)
{
    return (cv_sqlite_search){.base = {.record = &r->base, .calls = &calls, .place = cv_str_of(r->s->path)}, .r = r};
}
