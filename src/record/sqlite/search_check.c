/* search_check.c - does the search index have what the rows say?
 *
 *     for each scope    its rows, as a search would see them  <->  search_texts, both in the order of kind and thing
 *     for the whole     the words of search_index             <->  those of search_texts
 *
 * The index is made from the feed, so it may be behind: a thing that a row behind its position describes is passed
 * over. Texts are compared by their hashes, so one scope at a time costs little memory.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "record/hash.h"
#include "record/sqlite/connection.h"
#include "record/sqlite/engine.h"

/* ---- the words of the index -------------------------------------------------------------------------------------- */

/*     search_seen_texts   the texts, as they were indexed, and how many words the index counts in each
 *     search_all_words    the words of the index, each at its place
 *     search_averages     how many there are
 *
 * The words are compared by sums: every (word, row, column, place) of the index is hashed and added up, and so is every
 * word that the tokenizer finds in the texts. The index is read, never written, so that nobody waits and a record that
 * can only be read is checked as well. */

enum { COLUMNS = 3 }; /* ids, title, body */

static bool audit_failed(cv_sqlite *s, cv_str what, cv_err *err)
{
    cv_err_set(err, CV_ERR_VERIFY, "the search index does not agree with the record: %.*s", CV_FMT(what));
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("'conclave doctor --repair' makes the index anew; the record itself is not concerned"));
    return false;
}

/* A row of the statement is what is wrong. */
static bool audit_statement(cv_sqlite *s, const char *statement, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int got = st ? cv_sqlite_step(st) : -1;
    if (got > 0)
        audit_failed(s, cv_sqlite_column_str(st, 0), err);
    else if (got < 0)
        cv_sqlite_fail(s, "check the search index", err);
    if (st)
        sqlite3_reset(st);
    return got == 0;
}

typedef struct {
    uint64_t sum, count;
} words;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void add_word(words *w, cv_str stem, int64_t row, uint64_t column, uint64_t place)
{
    w->sum += mix(mix(mix(cv_str_hash(stem)) ^ (uint64_t)row) ^ (place * COLUMNS + column));
    w->count++;
}

typedef struct {
    words *words;
    int64_t row;
    uint64_t column, place;
} reading;

static void see_word(void *ctx, cv_str stem)
{
    reading *r = ctx;
    add_word(r->words, stem, r->row, r->column, r->place++);
}

/* A number as FTS5 keeps it: seven bits to a byte, the first ones first. Texts have less than 2^35 words. */
static void add_varint(cv_buf *out, uint64_t n)
{
    int bytes = 1;
    while (bytes < 5 && n >> (7 * bytes))
        bytes++;
    while (bytes-- > 0)
        cv_buf_add_char(out, (char)(((n >> (7 * bytes)) & 0x7f) | (bytes ? 0x80 : 0)));
}

/* The words of one row; false: the index counts others. */
static bool read_row(cv_sqlite *s, sqlite3_stmt *st, words *w, uint64_t totals[COLUMNS])
{
    reading r = {.words = w, .row = sqlite3_column_int64(st, 0)};
    cv_buf sizes = {0};
    for (r.column = 0; r.column < COLUMNS; r.column++) {
        r.place = 0;
        cv_sqlite_words_of(&s->tokenizer, cv_sqlite_column_str(st, (int)r.column + 1), see_word, &r);
        totals[r.column] += r.place;
        add_varint(&sizes, r.place);
    }
    bool same = cv_str_eq(cv_sqlite_column_str(st, COLUMNS + 1), cv_buf_str(&sizes));
    cv_buf_release(&sizes);
    return same;
}

static bool read_texts(cv_sqlite *s, words *ret_words, cv_buf *averages, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "search_seen_texts");
    uint64_t totals[COLUMNS] = {0}, rows = 0;
    bool ok = st != NULL;
    int got = -1;
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        rows++;
        ok = read_row(s, st, ret_words, totals) ||
             audit_failed(
                 s, cv_arena_printf(err->arena, "row %lld has another length", (long long)sqlite3_column_int64(st, 0)),
                 err);
    }
    if (ok && got < 0)
        ok = cv_sqlite_fail(s, "check the search index", err);
    add_varint(averages, rows);
    for (int i = 0; i < COLUMNS; i++)
        add_varint(averages, totals[i]);
    if (st)
        sqlite3_reset(st);
    return ok && st;
}

static bool read_index(cv_sqlite *s, words *ret_words, cv_err *err)
{
    static const char *const names[] = {"ids", "title", "body"};
    _Static_assert(CV_COUNT(names) == COLUMNS, "a name per column");
    sqlite3_stmt *st = cv_sqlite_use(s, "search_all_words");
    int got = -1;
    while (st && (got = cv_sqlite_step(st)) > 0) {
        cv_str column = cv_sqlite_column_str(st, 2);
        uint64_t i = 0;
        while (i < COLUMNS && !cv_str_eq(column, cv_str_of(names[i])))
            i++;
        add_word(ret_words, cv_sqlite_column_str(st, 0), sqlite3_column_int64(st, 1), i,
                 (uint64_t)sqlite3_column_int64(st, 3));
    }
    if (got < 0 && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CORRUPT)
        audit_failed(s, CV_STR("its words cannot be read"), err);
    else if (got < 0)
        cv_sqlite_fail(s, "check the search index", err);
    if (st)
        sqlite3_reset(st);
    return got == 0;
}

/* The index keeps how many rows it has, and how many words in each column. An index without rows keeps nothing. */
static bool check_averages(cv_sqlite *s, cv_str expected, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(s, "search_averages");
    int got = st ? cv_sqlite_step(st) : -1;
    if (got < 0)
        return cv_sqlite_fail(s, "check the search index", err);
    cv_str found = got > 0 ? cv_sqlite_column_str(st, 0) : (cv_str){"", 0};
    bool same = cv_str_eq(found, expected) || (found.n == 0 && expected.n > 0 && expected.p[0] == 0);
    sqlite3_reset(st);
    return same || audit_failed(s, CV_STR("search_index has other totals"), err);
}

static bool audit_words(cv_sqlite *s, cv_err *err)
{
    words in_texts = {0}, in_index = {0};
    cv_buf averages = {0};
    bool ok = cv_sqlite_tokenizer_ready(s, err) && read_texts(s, &in_texts, &averages, err) &&
              read_index(s, &in_index, err) && check_averages(s, cv_buf_str(&averages), err);
    cv_buf_release(&averages);
    if (!ok || (in_texts.sum == in_index.sum && in_texts.count == in_index.count))
        return ok;
    return audit_failed(s,
                        cv_arena_printf(err->arena, "its %llu words are not the %llu of the texts",
                                        (unsigned long long)in_index.count, (unsigned long long)in_texts.count),
                        err);
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

/* What the index has, or is to have, of one thing. */
typedef struct {
    cv_str kind, thing;
    cv_str text;     /* hash of ids, title, body, status and people; absent: no row describes it */
    cv_str more_ids; /* one word at most; those of several rows stand behind each other */
    bool late;       /* the index need not have it yet */
} thing;

typedef struct {
    cv_arena *arena;
    const cv_type *type;
    int64_t seen; /* the rev up to which the index has come */
    struct {
        thing *items;
        size_t count, capacity;
    } things;
} looking;

static cv_str text_hash(cv_arena *a, cv_str ids, cv_str title, cv_str body, cv_str status, cv_str people)
{
    const cv_str all[] = {ids, title, body, status.p ? status : CV_STR("\n"), people};
    cv_buf out = {0};
    for (size_t i = 0; i < CV_COUNT(all); i++) {
        cv_buf_printf(&out, "%zu ", all[i].n);
        cv_buf_add(&out, all[i]);
    }
    cv_str hash = cv_hash_text(a, cv_buf_str(&out));
    cv_buf_release(&out);
    return hash;
}

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    looking *l = ctx;
    cv_arena scratch = {0};
    cv_search_text text = {0};
    void *mine = cv_arena_dup(&scratch, row, l->type->size);
    (void)scope, (void)err;
    cv_sqlite_leave_redacted(l->type, mine);
    bool found = l->type->search(&scratch, mine, &text);
    if (found || (text.kind.n && cv_row_rev(row) > l->seen)) {
        thing *t = CV_PUSH(l->arena, &l->things);
        cv_str ids = cv_sqlite_compact_ids(&scratch, text.ids);
        *t = (thing){.kind = cv_arena_copy(l->arena, text.kind),
                     .thing = cv_arena_copy(l->arena, text.id),
                     .late = cv_row_rev(row) > l->seen};
        if (text.title.p || text.body.p)
            t->text = text_hash(l->arena, ids, text.title, text.body, text.status,
                                text.people.p ? text.people : CV_STR("[]"));
        else
            t->more_ids = cv_arena_copy(l->arena, ids);
    }
    cv_arena_release(&scratch);
    return true;
}

static int by_name(const void *x, const void *y)
{
    const thing *m = x, *n = y;
    int order = cv_str_order(m->kind, n->kind);
    return order ? order : cv_str_order(m->thing, n->thing);
}

static bool wrong(cv_sqlite_record *r, cv_scope_id scope, const char *what, cv_str kind, cv_str name, cv_err *err)
{
    return audit_failed(r->s,
                        cv_arena_printf(err->arena, "search_texts %s %.*s '%.*s' of %.*s '%.*s'", what, CV_FMT(kind),
                                        CV_FMT(name), CV_FMT(scope.room), CV_FMT(scope.name)),
                        err);
}

static size_t count_words(cv_str ids)
{
    cv_str word;
    size_t n = 0;
    while (cv_str_split(&ids, ' ', &word))
        n += word.n > 0;
    return n;
}

static bool has_word(cv_str list, cv_str word)
{
    cv_str piece;
    while (cv_str_split(&list, ' ', &piece))
        if (cv_str_eq(piece, word))
            return true;
    return false;
}

/* All further ids of the rows, each once, and no others. */
static bool same_ids(const thing *t, size_t count, cv_str found)
{
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        cv_str ids = t[i].more_ids, word;
        while (cv_str_split(&ids, ' ', &word)) {
            bool again = false;
            for (size_t k = 0; k < i; k++)
                again = again || has_word(t[k].more_ids, word);
            wanted += word.n > 0 && !again;
            if (word.n > 0 && !has_word(found, word))
                return false;
        }
    }
    return count_words(found) == wanted;
}

/* The rows t[0] to t[count - 1] against the row that `st` stands on. */
static bool fits(cv_arena *a, const thing *t, size_t count, sqlite3_stmt *st)
{
    cv_str described = {NULL, 0};
    for (size_t i = 0; i < count; i++)
        described = t[i].text.p ? t[i].text : described;
    cv_str found = text_hash(a, cv_sqlite_column_str(st, 2), cv_sqlite_column_str(st, 4), cv_sqlite_column_str(st, 5),
                             cv_sqlite_column_str(st, 6), cv_sqlite_column_str(st, 7));
    cv_str nothing = text_hash(a, CV_STR(""), CV_STR(""), CV_STR(""), (cv_str){NULL, 0}, CV_STR("[]"));
    return cv_str_eq(found, described.p ? described : nothing) && same_ids(t, count, cv_sqlite_column_str(st, 3));
}

/* Both sides in order: the first difference is a thing that only one of them has, or that differs. What no row
 * describes any more stands there without texts. */
static bool compare_things(cv_sqlite_record *r, cv_scope_id scope, looking *l, sqlite3_stmt *st, cv_err *err)
{
    size_t i = 0, next;
    int got = cv_sqlite_step(st);
    while (got > 0 || (got == 0 && i < l->things.count)) {
        const thing *t = i < l->things.count ? &l->things.items[i] : NULL;
        const thing here = {.kind = got > 0 ? cv_sqlite_column_str(st, 0) : CV_STR(""),
                            .thing = got > 0 ? cv_sqlite_column_str(st, 1) : CV_STR("")};
        int order = !t ? 1 : got == 0 ? -1 : by_name(t, &here);
        bool late = false;
        for (next = i; t && next < l->things.count && by_name(&l->things.items[next], t) == 0; next++)
            late = late || l->things.items[next].late;
        if (order < 0 && !late)
            return wrong(r, scope, "lacks", t->kind, t->thing, err);
        if (order > 0 && !fits(l->arena, NULL, 0, st))
            return wrong(r, scope, "has what the record has not:", here.kind, here.thing, err);
        if (order == 0 && !late && !fits(l->arena, t, next - i, st))
            return wrong(r, scope, "has another text of", here.kind, here.thing, err);
        i = order <= 0 ? next : i;
        got = order >= 0 ? cv_sqlite_step(st) : got;
    }
    return got >= 0 || cv_sqlite_fail(r->s, "check the search index", err);
}

/* ---- one scope, all scopes ----------------------------------------------------------------------------------------
 */

typedef struct {
    cv_sqlite_record *r;
    int64_t position; /* number of the last commit that the index has seen */
} checking;

static bool seen_rev(cv_sqlite_record *r, int64_t scope, int64_t position, int64_t *ret_rev, cv_err *err)
{
    sqlite3_stmt *st = cv_sqlite_use(r->s, "search_seen_rev");
    bool ok = st && cv_sqlite_bind_int(st, ":scope", scope) && cv_sqlite_bind_int(st, ":number", position) &&
              cv_sqlite_step(st) > 0;
    *ret_rev = ok ? sqlite3_column_int64(st, 0) : 0;
    if (st)
        sqlite3_reset(st);
    return ok || cv_sqlite_fail(r->s, "check the search index", err);
}

static bool check_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    checking *c = ctx;
    cv_arena arena = {0};
    looking l = {.arena = &arena};
    int64_t number = 0;
    const cv_room_types *room = cv_types_of(c->r->base.types, scope.room);
    (void)at;
    bool ok =
        cv_sqlite_scope(c->r, NULL, scope, &number, NULL, err) && seen_rev(c->r, number, c->position, &l.seen, err);
    for (size_t i = 0; ok && room && i < room->count; i++) {
        const cv_find find = {.type = room->types[i], .scope = scope};
        l.type = room->types[i];
        ok = !l.type->search || cv_sqlite_find(&c->r->base, &find, see_row, &l, err);
    }
    if (l.things.count)
        qsort(l.things.items, l.things.count, sizeof *l.things.items, by_name);
    sqlite3_stmt *st = ok ? cv_sqlite_use(c->r->s, "search_texts_of") : NULL;
    ok = ok && ((st && cv_sqlite_bind_int(st, ":scope", number)) || cv_sqlite_fail(c->r->s, "check", err)) &&
         compare_things(c->r, scope, &l, st, err);
    if (st)
        sqlite3_reset(st);
    cv_arena_release(&arena);
    return ok;
}

static bool see_commit(void *ctx, const cv_feed_entry *entry, cv_err *err)
{
    (void)ctx, (void)entry, (void)err;
    return true;
}

/* A position is one of the record's feed, and begins with the number of its commit. */
static bool check_rows(cv_sqlite_record *r, cv_arena *a, cv_err *err)
{
    cv_record *record = &r->base;
    checking c = {.r = r};
    cv_str position;
    if (!record->calls->reader_at(record, a, CV_STR("search"), &position, err))
        return false;
    if (!record->calls->feed(record, position, 1, see_commit, NULL, err))
        return err->code == CV_ERR_INVALID_VALUE ? audit_failed(r->s, err->message, err) : false;
    c.position = position.n ? strtoll(position.p, NULL, 10) : 0;
    bool ok = true;
    for (size_t i = 0; ok && i < record->types->count; i++)
        ok = record->calls->scopes(record, record->types->rooms[i]->room, CV_STR(""), 0, check_scope, &c, err);
    return ok;
}

bool cv_sqlite_search_check_rows(cv_record *record, cv_arena *a, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    if (cv_sqlite_run(r->s, "begin_read") != SQLITE_OK)
        return cv_sqlite_fail(r->s, "check the search index", err);
    bool ok = check_rows(r, a, err) && audit_statement(r->s, "search_check_sizes", err) && audit_words(r->s, err);
    cv_sqlite_rollback(r->s);
    return ok;
}
