/* search.c - finding words in the record of any room, with FTS5.
 *
 *     what was committed since the last search is indexed   the feed, in batches: rows -> texts -> postings
 *     the question is asked                                 one read transaction: hits, their texts, the lag
 *
 * So a search pays for the index, and a write does not. What stands in the index is kept in search_texts, so a text
 * that changes is taken back and entered again. Several processes may do this at once: the position in the feed moves
 * in the transaction that indexes. Where the store cannot be written, the search runs on what is indexed and tells how
 * many commits are behind. The index is made from the record alone; one that is damaged is made again from nothing.
 */
#include <stdlib.h>

#include "record/feed.h"
#include "record/hash.h"
#include "record/sqlite/engine.h"
#include "record/stored.h"

enum {
    /* How long a search waits for writers before it answers with what is indexed. */
    INDEX_WAIT_MS = 500,
    /* Commits after which a transaction ends, so that writers get their turn. */
    INDEX_COMMITS = 200
};

#define READER CV_STR("search")

/* ---- one row ------------------------------------------------------------------------------------------------------
 */

static bool done(sqlite3_stmt *st)
{
    bool ok = st && cv_sqlite_step(st) == 0;
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* What the index has, or is to have, of one thing. */
typedef struct {
    int64_t id; /* 0: nothing */
    cv_str ids, more_ids, title, body, status, people;
} entry;

/* Letters, digits and spaces: how ids are compared. */
cv_str cv_sqlite_compact_ids(cv_arena *a, cv_str ids)
{
    cv_buf out = {0};
    for (size_t i = 0; i < ids.n; i++)
        if (cv_is_alnum(ids.p[i]) || ids.p[i] == ' ')
            cv_buf_add_char(&out, ids.p[i]);
    return cv_buf_take(&out, a);
}

static cv_str or_empty(cv_str text)
{
    return text.p ? text : CV_STR("");
}

static bool known(cv_sqlite_record *r, cv_arena *a, int64_t scope, const cv_search_text *text, entry *ret)
{
    sqlite3_stmt *st = cv_sqlite_use(r->s, "search_text");
    int got = st && cv_sqlite_bind_int(st, ":scope", scope) && cv_sqlite_bind_str(st, ":kind", text->kind) &&
                      cv_sqlite_bind_str(st, ":thing", text->id)
                  ? cv_sqlite_step(st)
                  : -1;
    *ret = (entry){0};
    if (got > 0) {
        cv_str *const to[] = {&ret->ids, &ret->more_ids, &ret->title, &ret->body, &ret->status, &ret->people};
        ret->id = sqlite3_column_int64(st, 0);
        for (size_t i = 0; i < CV_COUNT(to); i++) {
            cv_str value = cv_sqlite_column_str(st, (int)i + 1);
            *to[i] = value.p ? or_empty(cv_arena_copy(a, value)) : value;
        }
    }
    if (st)
        sqlite3_reset(st);
    return got >= 0;
}

static bool has_word(cv_str words, cv_str word)
{
    cv_str piece;
    while (cv_str_split(&words, ' ', &piece))
        if (cv_str_eq(piece, word))
            return true;
    return false;
}

/* What becomes of `old` by this text: a description of the thing, or only further ids. */
static entry joined(cv_arena *a, const entry *old, const cv_search_text *text)
{
    cv_str ids = cv_sqlite_compact_ids(a, text->ids), word;
    entry now = *old;
    if (text->title.p || text->body.p) {
        now = (entry){old->id,
                      ids,
                      old->more_ids,
                      text->title,
                      text->body,
                      text->status,
                      text->people.p ? text->people : CV_STR("[]")};
    } else {
        while (cv_str_split(&ids, ' ', &word))
            if (word.n && !has_word(or_empty(now.more_ids), word))
                now.more_ids =
                    cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(now.more_ids), now.more_ids.n ? " " : "", CV_FMT(word));
        now.people = now.people.p ? now.people : CV_STR("[]");
    }
    return now;
}

static bool same_words(const entry *x, const entry *y)
{
    return cv_str_eq(x->ids, y->ids) && cv_str_eq(x->more_ids, y->more_ids) && cv_str_eq(x->title, y->title) &&
           cv_str_eq(x->body, y->body);
}

static bool store(cv_sqlite_record *r, int64_t scope, const cv_search_text *text, const entry *e)
{
    sqlite3_stmt *st = cv_sqlite_use(r->s, e->id ? "search_text_change" : "search_text_add");
    return st && cv_sqlite_bind_int(st, ":id", e->id) && cv_sqlite_bind_int(st, ":scope", scope) &&
           cv_sqlite_bind_str(st, ":kind", text->kind) && cv_sqlite_bind_str(st, ":thing", text->id) &&
           cv_sqlite_bind_str(st, ":ids", or_empty(e->ids)) &&
           cv_sqlite_bind_str(st, ":more_ids", or_empty(e->more_ids)) && cv_sqlite_bind_str(st, ":status", e->status) &&
           cv_sqlite_bind_str(st, ":people", e->people) && cv_sqlite_bind_str(st, ":title", or_empty(e->title)) &&
           cv_sqlite_bind_str(st, ":body", or_empty(e->body)) && done(st);
}

/* Enters the words of a text into the index, or takes them back. */
static bool post(cv_sqlite_record *r, const char *statement, int64_t id, const entry *e)
{
    sqlite3_stmt *st = cv_sqlite_use(r->s, statement);
    return st && cv_sqlite_bind_int(st, ":id", id) && cv_sqlite_bind_str(st, ":ids", or_empty(e->ids)) &&
           cv_sqlite_bind_str(st, ":more_ids", or_empty(e->more_ids)) &&
           cv_sqlite_bind_str(st, ":title", or_empty(e->title)) && cv_sqlite_bind_str(st, ":body", or_empty(e->body)) &&
           done(st);
}

static bool enter(cv_sqlite_record *r, cv_arena *a, int64_t scope, const cv_search_text *text)
{
    entry old;
    if (!known(r, a, scope, text, &old))
        return false;
    entry now = joined(a, &old, text);
    bool same = old.id && same_words(&old, &now);
    if (same && cv_str_eq(old.status, now.status) && cv_str_eq(old.people, now.people))
        return true;
    if (old.id && !same && !post(r, "search_take_back", old.id, &old))
        return false;
    if (!store(r, scope, text, &now))
        return false;
    return same || post(r, "search_enter", old.id ? old.id : sqlite3_last_insert_rowid(r->s->db), &now);
}

/* There is nothing to be found in it any more. */
static bool empty_out(cv_sqlite_record *r, cv_arena *a, int64_t scope, const cv_search_text *text)
{
    entry old;
    const cv_search_text nothing = {.kind = text->kind, .id = text->id, .title = CV_STR(""), .body = CV_STR("")};
    return known(r, a, scope, text, &old) && (!old.id || enter(r, a, scope, &nothing));
}

/* Nobody finds a redacted text by what stands in its place. */
void cv_sqlite_leave_redacted(const cv_type *type, void *of)
{
    char *row = of;
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if (field->role == CV_LONG && cv_is_redacted(cv_row_text(row, field->offset), NULL))
            memcpy(row + field->offset, &(cv_str){"", 0}, sizeof(cv_str));
    }
}

bool cv_sqlite_index_row(cv_sqlite_record *r, int64_t scope, const cv_type *type, const void *row)
{
    cv_arena scratch = {0};
    cv_search_text text = {0};
    char *mine = cv_arena_dup(&scratch, row, type->size);
    cv_sqlite_leave_redacted(type, mine);
    bool ok = true;
    if (type->search(&scratch, mine, &text))
        ok = enter(r, &scratch, scope, &text);
    else if (text.kind.n)
        ok = empty_out(r, &scratch, scope, &text);
    cv_arena_release(&scratch);
    return ok;
}

/* ---- commits of the feed ------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_sqlite_record *r;
    int64_t scope, upto; /* rows behind this rev belong to commits that come later */
    const cv_type *type;
    bool past, damaged;
} indexing;

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    indexing *x = ctx;
    (void)scope;
    x->past = cv_row_rev(row) > x->upto;
    if (x->past)
        return false;
    if (cv_sqlite_index_row(x->r, x->scope, x->type, row))
        return true;
    x->damaged = sqlite3_extended_errcode(x->r->s->db) == SQLITE_CORRUPT_VTAB;
    return cv_sqlite_fail(x->r->s, "bring the search index up to date", err);
}

static const cv_index *rev_index(const cv_type *type)
{
    const cv_index *index = type->indexes;
    while (index->across || index->at[0] != 0)
        index++;
    return index;
}

/* The rows of a scope that the commits behind `since` up to `upto` have written. */
static bool index_scope(indexing *x, cv_scope_id scope, int64_t since, int64_t upto, cv_err *err)
{
    const cv_room_types *room = cv_types_of(x->r->base.types, scope.room);
    x->upto = upto;
    if (!cv_sqlite_scope(x->r, NULL, scope, &x->scope, NULL, err))
        return false;
    for (size_t i = 0; room && i < room->count; i++) {
        x->type = room->types[i];
        x->past = false;
        if (!x->type->search)
            continue;
        const cv_find find = {.type = x->type, .index = rev_index(x->type), .scope = scope, .since_rev = since};
        if (!cv_sqlite_find(&x->r->base, &find, see_row, x, err) && !x->past)
            return false;
    }
    return true;
}

static bool same_scope(cv_scope_id x, cv_scope_id y)
{
    return cv_str_eq(x.name, y.name) && cv_str_eq(x.room, y.room);
}

static int by_scope(const void *x, const void *y)
{
    const cv_feed_entry *m = x, *n = y;
    int order = cv_str_order(m->scope.room, n->scope.room);
    order = order ? order : cv_str_order(m->scope.name, n->scope.name);
    return order ? order : CV_ORDER(m->rev, n->rev);
}

/* The commits of a scope in a batch follow each other without gaps. */
static bool take(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    cv_arena scratch = {0};
    cv_feed_entry *list = cv_arena_dup(&scratch, entries, count * sizeof *entries);
    qsort(list, count, sizeof *list, by_scope);
    bool ok = true;
    for (size_t i = 0, next; ok && i < count; i = next) {
        for (next = i + 1; next < count && same_scope(list[next].scope, list[i].scope); next++)
            ;
        if (list[i].rev < 1)
            ok = cv_stored_corrupt(err, "a commit of the %.*s '%.*s' with rev %lld: the first one has 1",
                                   CV_FMT(list[i].scope.room), CV_FMT(list[i].scope.name), (long long)list[i].rev);
        else
            ok = index_scope(ctx, list[i].scope, list[i].rev - 1, list[next - 1].rev, err);
    }
    cv_arena_release(&scratch);
    return ok;
}

/* An index that a power failure sets back is brought up to date again: it needs no sync. */
static bool begin(void *ctx, cv_err *err)
{
    indexing *x = ctx;
    cv_sqlite_run(x->r->s, "synchronous_normal");
    if (cv_sqlite_lock(x->r, err))
        return true;
    cv_sqlite_run(x->r->s, "synchronous");
    return false;
}

static bool end(void *ctx, bool ok, cv_err *err)
{
    indexing *x = ctx;
    ok = ok && cv_sqlite_finish(x->r, cv_sqlite_commit(x->r->s, err)) == CV_WRITE_DONE;
    cv_sqlite_rollback(x->r->s);
    cv_sqlite_run(x->r->s, "synchronous");
    return ok;
}

/* False: the store cannot be written now, or the index is damaged. */
static bool catch_up(cv_sqlite_record *r, cv_arena *a, bool *ret_damaged, cv_err *err)
{
    indexing x = {.r = r};
    const cv_feed_reader reader = {READER, INDEX_COMMITS, begin, take, end, &x};
    bool ok = cv_feed_catch_up(&r->base, a, &reader, err);
    /* A position of another record: the index was made elsewhere. */
    *ret_damaged = !ok && (x.damaged || err->code == CV_ERR_INVALID_VALUE);
    return ok;
}

static bool catch_up_soon(cv_sqlite_record *r, cv_arena *a, bool *ret_damaged, cv_err *err)
{
    int64_t wait = r->s->wait_us;
    r->s->wait_us = wait < INDEX_WAIT_MS * 1000 ? wait : INDEX_WAIT_MS * 1000;
    r->hurried = true;
    bool ok = catch_up(r, a, ret_damaged, err);
    r->hurried = false;
    r->s->wait_us = wait;
    return ok;
}

/* ---- from nothing again -------------------------------------------------------------------------------------------
 */

static bool clear(cv_sqlite_record *r)
{
    sqlite3_stmt *st;
    return cv_sqlite_run(r->s, "search_clear_index") == SQLITE_OK &&
           cv_sqlite_run(r->s, "search_clear_texts") == SQLITE_OK &&
           (st = cv_sqlite_use(r->s, "search_clear_reader")) != NULL && cv_sqlite_bind_str(st, ":reader", READER) &&
           done(st);
}

bool cv_sqlite_search_again(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    bool damaged;
    if (!cv_sqlite_lock(r, err))
        return false;
    bool ok = clear(r) || cv_sqlite_fail(r->s, "make the search index again", err);
    ok = ok && cv_sqlite_finish(r, cv_sqlite_commit(r->s, err)) == CV_WRITE_DONE;
    cv_sqlite_rollback(r->s);
    if (!ok && err->code == CV_ERR_CORRUPT) {
        cv_err_operation(err, CV_STR("verify"));
        cv_err_suggest(err, CV_STR("says whether the record is whole; if it is not, restore it from a backup"));
    }
    return ok && catch_up(r, a, &damaged, err);
}

/* ---- asking -------------------------------------------------------------------------------------------------------
 */

/* What a search needs besides the store. */
typedef struct {
    const cv_word_query *query;
    cv_search_words words; /* the terms alone, for the tokenizer */
    cv_sqlite_patterns patterns;
    cv_arena scratch; /* for one hit */
    cv_word_visit visit;
    void *ctx;
    size_t visited;
    bool stopped; /* the visitor's error is the answer */
    bool damaged;
} asking;

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

/* The texts behind the hit that `st` stands on, and the visit. */
static bool visit_hit(cv_sqlite_record *r, asking *ask, sqlite3_stmt *st, cv_err *err)
{
    sqlite3_stmt *texts = cv_sqlite_use(r->s, "search_hit");
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
    cv_sqlite_marks(&r->s->tokenizer, &ask->scratch, &ask->patterns, hit.title, &hit.in_title);
    cv_sqlite_marks(&r->s->tokenizer, &ask->scratch, &ask->patterns, hit.body, &hit.in_body);
    ask->visited++;
    ask->stopped = !ask->visit(ask->ctx, &hit, err);
    cv_arena_reset(&ask->scratch);
    sqlite3_reset(texts);
    return !ask->stopped;
}

static bool visit_hits(cv_sqlite_record *r, cv_arena *a, asking *ask, cv_err *err)
{
    cv_str expression = cv_sqlite_expression(a, &ask->words);
    if (expression.n == 0)
        return true;
    sqlite3_stmt *st = cv_sqlite_use(r->s, "search");
    bool ok = st && bind_query(st, ask->query, expression, a);
    int got = 0;
    while (ok && (got = cv_sqlite_step(st)) > 0)
        ok = visit_hit(r, ask, st, err);
    ok = ok && got == 0;
    if (!ok && !ask->stopped) {
        ask->damaged = sqlite3_extended_errcode(r->s->db) == SQLITE_CORRUPT_VTAB;
        cv_sqlite_fail(r->s, "search", err);
    }
    if (st)
        sqlite3_reset(st);
    return ok;
}

/* Commits are numbered without gaps, and a position begins with the number. */
static size_t commits_between(cv_str from, cv_str to)
{
    long long first = from.n ? strtoll(from.p, NULL, 10) : 0, last = to.n ? strtoll(to.p, NULL, 10) : 0;
    return last > first ? (size_t)(last - first) : 0;
}

/* Hits and lag of one moment. */
static bool ask_all(cv_sqlite_record *r, cv_arena *a, asking *ask, size_t *ret_behind, cv_err *err)
{
    cv_str at, last;
    if (cv_sqlite_run(r->s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(r->s, "read the search index", err);
    bool ok = r->base.calls->reader_at(&r->base, a, READER, &at, err) &&
              r->base.calls->newest(&r->base, a, &last, err) && visit_hits(r, a, ask, err);
    cv_sqlite_rollback(r->s);
    if (ok)
        *ret_behind = commits_between(at, last);
    return ok;
}

static bool search_once(cv_sqlite_record *r, cv_arena *a, asking *ask, size_t *ret_behind, cv_err *err)
{
    cv_err late = {.arena = err->arena}; /* told by *ret_behind */
    ask->damaged = false;
    if (!catch_up_soon(r, a, &ask->damaged, &late) && ask->damaged) {
        cv_err_copy(err, &late);
        return false;
    }
    return ask_all(r, a, ask, ret_behind, err);
}

bool cv_sqlite_search_words(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                            size_t *ret_behind, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    asking ask = {.query = query,
                  .words = {.terms = query->terms, .count = query->count, .any = query->any},
                  .visit = visit,
                  .ctx = ctx};
    if (!cv_sqlite_tokenizer_ready(r->s, err))
        return false;
    cv_sqlite_patterns_of(&r->s->tokenizer, a, &ask.words, &ask.patterns);
    bool ok = search_once(r, a, &ask, ret_behind, err);
    if (!ok && ask.damaged && ask.visited == 0)
        ok = cv_sqlite_search_again(record, a, err) && search_once(r, a, &ask, ret_behind, err);
    cv_arena_release(&ask.scratch);
    return ok;
}
