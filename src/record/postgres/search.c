/* search.c - finding words by the server's full text: what PostgreSQL does for the index of record/search_index.h.
 *
 *     search_texts   what is in the index, by scope, kind and thing, and its words (words.h)
 *
 * A process that indexes holds the lock of the reader's row, so one does it at a time. A process that redacts holds it
 * as well, so that no text comes back that was read before. A page of hits is brought in the order of their scores;
 * those that the server cannot decide are looked into, and where they are not hits, more are brought.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/monotonic.h"
#include "record/postgres/engine.h"
#include "record/postgres/words.h"
#include "record/search_index.h"
#include "record/sqlite/connection.h"

typedef struct {
    cv_search_index base;
    cv_postgres_record *r;
    int64_t deadline; /* for what is committed and not in the feed yet */
    bool has_taken;   /* of the feed */

    /* A question: */
    const cv_word_query *query;
    cv_search_words words;
    cv_postgres_question question;
    cv_sqlite_patterns patterns;
    cv_arena scratch; /* for one hit */
    cv_word_visit visit;
    void *ctx;
    size_t passed, shown; /* hits before the offset, and behind it */
} searching;

static searching search_of(cv_postgres_record *r);

/* ---- the tokenizer ------------------------------------------------------------------------------------------------
 */

/* A database in memory has it; nothing is ever stored there. */
static bool ready_words(cv_postgres_record *r, cv_err *err)
{
    const cv_sqlite_statements statements = {cv_sql_sqlite_statements, cv_sql_sqlite_statement_count};
    if (!r->words)
        r->words = cv_sqlite_connect(&r->arena, "", CV_SQLITE_EMPTY, statements, NULL, err);
    return r->words && cv_sqlite_tokenizer_ready(r->words, err);
}

void cv_postgres_search_close(cv_postgres_record *r)
{
    if (r->words)
        cv_sqlite_disconnect(r->words);
    r->words = NULL;
}

/* ---- transactions -------------------------------------------------------------------------------------------------
 */

/* Waits until nobody else indexes, or redacts. */
static void add_turn(cv_postgres_record *r, cv_postgres_batch *batch)
{
    cv_postgres_text(cv_postgres_ask(r, batch, "update the search index", "reader_there"), CV_SEARCH_READER);
    cv_postgres_text(cv_postgres_ask(r, batch, "update the search index", "reader_lock"), CV_SEARCH_READER);
}

static bool begin(cv_search_index *base, cv_err *err)
{
    searching *x = (searching *)base;
    cv_postgres_record *r = x->r;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    int64_t wait = base->soon && r->wait_ms > CV_SEARCH_WAIT_MS ? CV_SEARCH_WAIT_MS : r->wait_ms;
    bool ok = ready_words(r, err);
    if (ok) {
        cv_postgres_begin_write(r, &batch, wait);
        cv_postgres_ask(r, &batch, "begin to write", "may_be_lost"); /* then it is made again */
        add_turn(r, &batch);
        ok = cv_postgres_run_again(r->c, &batch, err) == CV_POSTGRES_OK;
        r->open = ok;
        if (!ok)
            cv_postgres_rollback(r->c);
    }
    cv_arena_release(&scratch);
    return ok;
}

static bool end(cv_search_index *base, bool ok, cv_err *err)
{
    cv_postgres_record *r = ((searching *)base)->r;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    cv_postgres_ask(r, &batch, "update the search index", "commit");
    ok = ok && cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
    r->open = false;
    cv_postgres_rollback(r->c);
    cv_arena_release(&scratch);
    return ok;
}

/* ---- texts and their words ----------------------------------------------------------------------------------------
 */

/* One thing, as columns of arrays. */
typedef struct {
    cv_str scope, kind, id;
    cv_str ids, more_ids, status, people, title, body, words;
} line;

static void add_columns(cv_postgres_statement *st, const line *lines, size_t count, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        cv_postgres_texts(st, lines, count, sizeof *lines, i * sizeof(cv_str));
}

static line *lines_of(cv_arena *a, const cv_search_thing *things, size_t count)
{
    line *lines = CV_NEW_ARRAY(a, count, line);
    for (size_t i = 0; i < count; i++) {
        const cv_postgres_scope key = cv_postgres_scope_key(things[i].scope);
        lines[i] = (line){.scope = cv_arena_copy(a, (cv_str){key.digits, CV_KNOWN_REV_KEY_DIGITS}),
                          .kind = things[i].kind,
                          .id = things[i].id};
    }
    return lines;
}

typedef struct {
    cv_arena *arena;
    cv_search_thing *things;
} reading_things;

static bool see_thing(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const reading_things *r = ctx;
    cv_search_thing *t = &r->things[cv_postgres_column_int(row, 0) - 1];
    cv_search_entry *e = &t->old;
    cv_str *const to[] = {&e->ids, &e->more_ids, &e->title, &e->body, &e->status, &e->people};
    (void)err;
    t->number = 1;
    for (size_t i = 0; i < CV_COUNT(to); i++)
        *to[i] = cv_search_copy(r->arena, cv_postgres_column(row, (int)i + 1));
    return true;
}

static bool read_things(cv_search_index *base, cv_arena *a, cv_search_thing *things, size_t count, cv_err *err)
{
    cv_postgres_record *r = ((searching *)base)->r;
    cv_postgres_batch batch = {.arena = a};
    reading_things reading = {a, things};
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "read the search index", "search_known");
    add_columns(st, lines_of(a, things, count), count, 3);
    cv_postgres_rows(st, see_thing, &reading);
    return cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
}

static bool write_things(cv_search_index *base, cv_arena *a, const cv_search_thing *things, size_t count, cv_err *err)
{
    cv_postgres_record *r = ((searching *)base)->r;
    cv_postgres_batch batch = {.arena = a};
    line *lines = lines_of(a, things, count);
    for (size_t i = 0; i < count; i++) {
        const cv_search_entry *e = &things[i].now;
        lines[i].ids = cv_search_text_or_empty(e->ids);
        lines[i].more_ids = cv_search_text_or_empty(e->more_ids);
        lines[i].status = e->status;
        lines[i].people = e->people;
        lines[i].title = cv_search_text_or_empty(e->title);
        lines[i].body = cv_search_text_or_empty(e->body);
        lines[i].words = cv_postgres_words(&r->words->tokenizer, a, e);
    }
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "update the search index", "search_put");
    add_columns(st, lines, count, sizeof(line) / sizeof(cv_str));
    return cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
}

static bool clear(cv_search_index *base, cv_err *err)
{
    cv_postgres_record *r = ((searching *)base)->r;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    cv_postgres_ask(r, &batch, "make the search index again", "search_clear_texts");
    cv_postgres_text(cv_postgres_ask(r, &batch, "make the search index again", "search_clear_reader"),
                     CV_SEARCH_READER);
    bool ok = cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_search_rebuild(cv_record *record, cv_arena *a, cv_err *err)
{
    searching x = search_of((cv_postgres_record *)record);
    return cv_search_make_again(&x.base, a, err);
}

/* ---- a redacted row -----------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    const cv_type *type;
    void *row;
} taking;

static bool take_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    taking *t = ctx;
    (void)scope, (void)err;
    t->row = cv_row_copy(t->arena, t->type, row);
    return true;
}

/* The row keeps its rev, so the feed does not lead the index to it: that is done here. */
bool cv_postgres_search_forget(cv_postgres_record *r, cv_arena *a, const cv_redaction *redaction, cv_err *err)
{
    searching x = search_of(r);
    cv_postgres_batch batch = {.arena = a};
    taking t = {a, redaction->type, NULL};
    const cv_find find = {
        .type = t.type, .scope = r->scope, .like = redaction->row, .equal = t.type->key_count, .limit = 1};
    add_turn(r, &batch);
    return ready_words(r, err) && cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK &&
           cv_postgres_find(&r->base, &find, take_row, &t, err) &&
           (!t.row || cv_search_take_row(&x.base, r->scope, t.type, t.row, err));
}

/* ---- how far it is ------------------------------------------------------------------------------------------------
 */

typedef struct {
    bool is_sound;   /* the position is one of the feed */
    bool is_behind;  /* there is more in the feed */
    int64_t commits; /* that are behind the position, in the feed or not yet */
} progress;

static bool see_progress(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(progress *)ctx = (progress){cv_postgres_column_int(row, 0) == 1, cv_postgres_column_int(row, 1) == 1,
                                  cv_postgres_column_int(row, 2)};
    return true;
}

static void add_progress(cv_postgres_record *r, cv_postgres_batch *batch, progress *ret)
{
    cv_postgres_statement *st = cv_postgres_ask(r, batch, "read the search index", "search_progress");
    cv_postgres_text(st, CV_SEARCH_READER);
    cv_postgres_rows(st, see_progress, ret);
}

/* A commit is in the feed when the transactions before it have ended, which takes a moment: it is waited for, so that a
 * search finds what was written before it. */
static bool is_behind(cv_search_index *base)
{
    searching *x = (searching *)base;
    bool first = !x->has_taken;
    x->has_taken = true;
    for (int ms = 1;; ms = ms < 32 ? ms * 2 : ms) {
        cv_arena scratch = {0};
        cv_err err = {.arena = &scratch};
        cv_postgres_batch batch = {.arena = &scratch};
        progress p = {0};
        add_progress(x->r, &batch, &p);
        bool ok = cv_postgres_read(x->r, &batch, &err);
        cv_arena_release(&scratch);
        if (!ok || !p.is_sound)
            return first; /* reading the feed says why */
        bool late = cv_monotonic_ms() >= x->deadline;
        if (p.is_behind)
            return first || !late;
        if (p.commits == 0 || late)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
    }
}

/* ---- asking -------------------------------------------------------------------------------------------------------
 */

static bool see_hit(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    searching *x = ctx;
    cv_sqlite_tokenizer *t = &x->r->words->tokenizer;
    const cv_search_entry entry = {.title = cv_postgres_column(row, 5),
                                   .body = cv_postgres_column(row, 6),
                                   .ids = cv_postgres_column(row, 9),
                                   .more_ids = cv_postgres_column(row, 10)};
    bool marked = cv_postgres_column_int(row, 11) == 1;
    if (x->shown == x->query->limit ||
        ((marked || x->question.is_inexact) && !cv_postgres_meets(t, &x->question, &entry)))
        return true;
    if (x->passed < x->query->offset) {
        x->passed++;
        return true;
    }
    cv_word_hit hit = {.scope = {cv_postgres_column(row, 0), cv_postgres_column(row, 1)},
                       .kind = cv_postgres_column(row, 2),
                       .id = cv_postgres_column(row, 3),
                       .score = strtod(cv_postgres_column(row, 4).p, NULL),
                       .title = entry.title,
                       .body = entry.body,
                       .status = cv_postgres_column(row, 7),
                       .people = cv_postgres_column(row, 8)};
    cv_sqlite_marks(t, &x->scratch, &x->patterns, hit.title, &hit.in_title);
    cv_sqlite_marks(t, &x->scratch, &x->patterns, hit.body, &hit.in_body);
    x->base.visited = true;
    x->shown++;
    bool ok = x->visit(x->ctx, &hit, err);
    cv_arena_reset(&x->scratch);
    return ok;
}

static cv_str or_null(cv_str s)
{
    return s.n ? s : (cv_str){NULL, 0};
}

static cv_postgres_statement *add_question(searching *x, cv_postgres_batch *batch, size_t limit, size_t offset)
{
    const cv_word_query *q = x->query;
    const cv_postgres_question *question = &x->question;
    const cv_str person =
        q->person.n ? cv_arena_printf(batch->arena, "\"%.*s\"", CV_FMT(q->person)) : (cv_str){NULL, 0};
    const cv_str texts[] = {question->query,   question->ids,        cv_postgres_marked,
                            or_null(q->room),  or_null(q->scope),    or_null(q->without),
                            or_null(q->kinds), or_null(q->statuses), person};
    cv_postgres_statement *st = cv_postgres_ask(x->r, batch, "search", "search");
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        cv_postgres_text(st, texts[i]);
    cv_postgres_texts(st, question->ranked, question->ranked_count, sizeof(cv_str), 0);
    cv_postgres_int(st, (int64_t)limit);
    cv_postgres_int(st, (int64_t)offset);
    cv_postgres_rows(st, see_hit, x);
    return st;
}

/* Pages of one moment, each larger than the one before, until enough are shown. The first one is nearly always all. */
static bool show_hits(searching *x, progress *ret, cv_err *err)
{
    cv_postgres_record *r = x->r;
    bool ok = true, more = true, is_asked = x->question.query.n > 0 && x->query->limit > 0;
    size_t page = x->query->limit + x->query->offset;
    for (size_t from = 0; ok && more;) {
        cv_arena scratch = {0};
        cv_postgres_batch batch = {.arena = &scratch};
        cv_postgres_statement *st = NULL;
        if (!r->open) {
            cv_postgres_ask(r, &batch, "begin to read", "begin_read");
            add_progress(r, &batch, ret);
        }
        if (is_asked)
            st = add_question(x, &batch, page, from);
        ok = cv_postgres_read(r, &batch, err);
        r->open = true;
        more = st && st->rows == page && x->shown < x->query->limit;
        from += page;
        page = page < 4096 ? page * 4 : page;
        cv_arena_release(&scratch);
    }
    return ok;
}

static bool ask(cv_search_index *base, cv_arena *a, size_t *ret_behind, cv_err *err)
{
    searching *x = (searching *)base;
    progress p = {0};
    (void)a;
    bool ok = show_hits(x, &p, err);
    base->record->calls->end(base->record);
    if (ok)
        *ret_behind = (size_t)p.commits;
    return ok;
}

bool cv_postgres_search(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                        size_t *ret_behind, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    searching x = search_of(r);
    if (!ready_words(r, err))
        return false;
    x.query = query;
    x.words = (cv_search_words){.terms = query->terms, .count = query->count, .any = query->any};
    x.visit = visit;
    x.ctx = ctx;
    cv_postgres_question_of(&r->words->tokenizer, a, &x.words, &x.question);
    cv_sqlite_patterns_of(&r->words->tokenizer, a, &x.words, &x.patterns);
    bool ok = cv_search_run(&x.base, a, ret_behind, err);
    cv_arena_release(&x.scratch);
    return ok;
}

/* ---- the check ----------------------------------------------------------------------------------------------------
 */

static bool see_rev(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    (void)err;
    *(int64_t *)ctx = cv_postgres_column_int(row, 0);
    return true;
}

static bool seen_rev(cv_search_index *base, cv_scope_id scope, cv_str position, int64_t *ret_rev, cv_err *err)
{
    cv_postgres_record *r = ((searching *)base)->r;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "check the search index", "search_seen_rev");
    *ret_rev = 0;
    cv_postgres_uuid(st, cv_postgres_scope_key(scope).bytes);
    cv_postgres_text(st, position.n ? position : CV_STR("0.0.0-"));
    cv_postgres_rows(st, see_rev, ret_rev);
    bool ok = cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
    cv_arena_release(&scratch);
    return ok;
}

typedef struct {
    cv_search_visit visit;
    void *ctx;
} showing;

static bool see_text(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const showing *s = ctx;
    const cv_search_entry entry = {.ids = cv_postgres_column(row, 2),
                                   .more_ids = cv_postgres_column(row, 3),
                                   .title = cv_postgres_column(row, 4),
                                   .body = cv_postgres_column(row, 5),
                                   .status = cv_postgres_column(row, 6),
                                   .people = cv_postgres_column(row, 7)};
    return s->visit(s->ctx, cv_postgres_column(row, 0), cv_postgres_column(row, 1), &entry, err);
}

static bool texts_of(cv_search_index *base, cv_scope_id scope, cv_search_visit visit, void *ctx, cv_err *err)
{
    cv_postgres_record *r = ((searching *)base)->r;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    showing s = {visit, ctx};
    cv_postgres_statement *st = cv_postgres_ask(r, &batch, "check the search index", "search_texts_of");
    cv_postgres_uuid(st, cv_postgres_scope_key(scope).bytes);
    cv_postgres_stream(st, see_text, &s);
    bool ok = cv_postgres_run(r->c, &batch, err) == CV_POSTGRES_OK;
    cv_arena_release(&scratch);
    return ok;
}

enum { CHECKED_TEXTS = 100 }; /* at a time */

typedef struct {
    cv_sqlite_tokenizer *tokenizer;
    cv_arena *arena;
    line lines[CHECKED_TEXTS]; /* the key, and the words that are expected */
    size_t count;
} expecting;

static bool expect_words(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    expecting *x = ctx;
    const cv_search_entry entry = {.ids = cv_postgres_column(row, 3),
                                   .more_ids = cv_postgres_column(row, 4),
                                   .title = cv_postgres_column(row, 5),
                                   .body = cv_postgres_column(row, 6)};
    (void)err;
    x->lines[x->count++] = (line){.scope = cv_arena_copy(x->arena, cv_postgres_column(row, 0)),
                                  .kind = cv_search_copy(x->arena, cv_postgres_column(row, 1)),
                                  .id = cv_search_copy(x->arena, cv_postgres_column(row, 2)),
                                  .ids = cv_postgres_words(x->tokenizer, x->arena, &entry)};
    return true;
}

static bool see_wrong(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    cv_str kind = cv_postgres_column(row, 0), id = cv_postgres_column(row, 1), what = cv_postgres_column(row, 2);
    return cv_search_disagrees(
        ctx, cv_arena_printf(err->arena, "search_texts has %.*s %.*s '%.*s'", CV_FMT(what), CV_FMT(kind), CV_FMT(id)),
        err);
}

/* The next texts behind `after`, then their words. */
static bool check_some(searching *x, cv_arena *a, const line *after, expecting *e, cv_err *err)
{
    cv_postgres_batch texts = {.arena = a}, words = {.arena = a};
    *e = (expecting){.tokenizer = &x->r->words->tokenizer, .arena = a};
    cv_postgres_statement *st = cv_postgres_ask(x->r, &texts, "check the search index", "search_texts_behind");
    cv_postgres_text(st, after->scope);
    cv_postgres_text(st, after->kind);
    cv_postgres_text(st, after->id);
    cv_postgres_int(st, CHECKED_TEXTS);
    cv_postgres_rows(st, expect_words, e);
    if (cv_postgres_run(x->r->c, &texts, err) != CV_POSTGRES_OK)
        return false;
    st = cv_postgres_ask(x->r, &words, "check the search index", "search_other_words");
    add_columns(st, e->lines, e->count, 4);
    cv_postgres_rows(st, see_wrong, &x->base);
    return cv_postgres_run(x->r->c, &words, err) == CV_POSTGRES_OK;
}

static bool check_words(cv_search_index *base, cv_arena *a, cv_err *err)
{
    searching *x = (searching *)base;
    cv_postgres_batch batch = {.arena = a};
    cv_arena arenas[2] = {{0}, {0}}; /* the last text of a page is needed for the next one */
    line after = {.scope = CV_STR("00000000-0000-0000-0000-000000000000"), .kind = CV_STR(""), .id = CV_STR("")};
    expecting *e = CV_NEW(a, expecting);
    cv_postgres_rows(cv_postgres_ask(x->r, &batch, "check the search index", "search_strays"), see_wrong, base);
    bool ok = cv_postgres_run(x->r->c, &batch, err) == CV_POSTGRES_OK, more = true;
    for (int turn = 0; ok && more; turn = !turn) {
        cv_arena_reset(&arenas[turn]);
        ok = check_some(x, &arenas[turn], &after, e, err);
        more = e->count == CHECKED_TEXTS;
        after = e->count ? e->lines[e->count - 1] : after;
    }
    cv_arena_release(&arenas[0]);
    cv_arena_release(&arenas[1]);
    return ok;
}

bool cv_postgres_search_check(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    searching x = search_of(r);
    cv_postgres_batch batch = {.arena = a};
    cv_postgres_ask(r, &batch, "begin to read", "begin_read");
    if (!ready_words(r, err) || cv_postgres_run_again(r->c, &batch, err) != CV_POSTGRES_OK)
        return false;
    r->open = true;
    bool ok = cv_search_check(&x.base, a, err);
    record->calls->end(record);
    return ok;
}

static searching search_of(cv_postgres_record *r)
{
    static const cv_search_calls calls = {
        .begin = begin,
        .end = end,
        .read = read_things,
        .write = write_things,
        .clear = clear,
        .is_behind = is_behind,
        .ask = ask,
        .seen_rev = seen_rev,
        .texts_of = texts_of,
        .check_words = check_words,
    };
    return (searching){.base = {.record = &r->base, .calls = &calls, .place = r->c->address.text},
                       .r = r,
                       .deadline = cv_monotonic_ms() + CV_SEARCH_WAIT_MS};
}
