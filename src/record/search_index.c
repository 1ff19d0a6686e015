/* search_index.c - bringing the index up to date, and searching; see search_index.h.
 *
 *     batch     some commits of the feed, by scope: from which rev to which
 *     source    the rows of one type of a scope in a batch, by their revs; many of them are read together
 *     page      what these rows say, by the things that they are about: read, changed, written together
 */
#include "record/search_index.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "record/feed.h"
#include "record/hash.h"
#include "record/stored.h"

enum {
    BATCH_COMMITS = 200,  /* after which a transaction ends, so that others get their turn */
    PAGE_SOURCES = 64,    /* that are read together */
    PAGE_ROWS = 256,      /* of one source */
    PAGE_BYTES = 4 << 20, /* of texts; the row that goes beyond is the last one */
};

/* ---- one thing ----------------------------------------------------------------------------------------------------
 */

/* Letters, digits and spaces: how ids are compared. */
static cv_str compact_ids(cv_arena *a, cv_str ids)
{
    cv_buf out = {0};
    for (size_t i = 0; i < ids.n; i++)
        if (cv_is_alnum(ids.p[i]) || ids.p[i] == ' ')
            cv_buf_add_char(&out, ids.p[i]);
    return cv_buf_take(&out, a);
}

cv_str cv_search_copy(cv_arena *a, cv_str text)
{
    return text.p ? cv_search_text_or_empty(cv_arena_copy(a, text)) : text;
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
static cv_search_entry joined(cv_arena *a, const cv_search_entry *old, const cv_search_text *text)
{
    cv_str ids = compact_ids(a, text->ids), word, none = CV_STR("[]");
    if (text->title.p || text->body.p)
        return (cv_search_entry){ids,        old->more_ids, text->title,
                                 text->body, text->status,  text->people.p ? text->people : none};
    cv_search_entry now = *old;
    while (cv_str_split(&ids, ' ', &word))
        if (word.n && !has_word(cv_search_text_or_empty(now.more_ids), word))
            now.more_ids =
                cv_arena_printf(a, "%.*s%s%.*s", CV_FMT(now.more_ids), now.more_ids.n ? " " : "", CV_FMT(word));
    now.people = now.people.p ? now.people : none;
    return now;
}

bool cv_search_same_words(const cv_search_entry *x, const cv_search_entry *y)
{
    return cv_str_eq(x->ids, y->ids) && cv_str_eq(x->more_ids, y->more_ids) && cv_str_eq(x->title, y->title) &&
           cv_str_eq(x->body, y->body);
}

static bool same_entry(const cv_search_entry *x, const cv_search_entry *y)
{
    return cv_search_same_words(x, y) && !x->status.p == !y->status.p && cv_str_eq(x->status, y->status) &&
           cv_str_eq(x->people, y->people);
}

/* ---- a page -------------------------------------------------------------------------------------------------------
 */

/* What one row says of a thing. */
typedef struct {
    size_t thing;
    bool nothing; /* there is nothing to be found in it any more */
    cv_search_text text;
} saying;

typedef struct {
    cv_arena arena;
    cv_map by_name;
    struct {
        cv_search_thing *items;
        size_t count, capacity;
    } things;
    struct {
        saying *items;
        size_t count, capacity;
    } sayings;
    size_t bytes;
} page;

/* Nobody finds a redacted text by what is in its place. */
static void leave_redacted(const cv_type *type, char *row)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if (field->role == CV_LONG && cv_is_redacted(cv_row_text(row, field->offset), NULL))
            memcpy(row + field->offset, &(cv_str){"", 0}, sizeof(cv_str));
    }
}

/* What a search sees of a row; the text lives as long as row and arena. */
static bool text_of(cv_arena *a, const cv_type *type, const void *row, cv_search_text *ret)
{
    char *mine = cv_arena_dup(a, row, type->size);
    assert(type->search && type->life != CV_VOLATILE && "only what is kept is searched");
    *ret = (cv_search_text){0};
    leave_redacted(type, mine);
    return type->search(a, mine, ret);
}

static size_t thing_of(page *p, cv_scope_id scope, cv_str kind, cv_str id)
{
    /* Lengths before the names: no two things have the same. */
    cv_str name = cv_arena_printf(&p->arena, "%zu %zu %zu %.*s%.*s%.*s%.*s", scope.room.n, scope.name.n, kind.n,
                                  CV_FMT(scope.room), CV_FMT(scope.name), CV_FMT(kind), CV_FMT(id));
    bool is_new;
    uintptr_t *at = cv_map_put(&p->by_name, &p->arena, name, &is_new);
    if (is_new) {
        *at = p->things.count;
        *CV_PUSH(&p->arena, &p->things) = (cv_search_thing){
            .scope = scope, .kind = cv_search_copy(&p->arena, kind), .id = cv_search_copy(&p->arena, id)};
    }
    return *at;
}

/* `scope` lives as long as the page, the row does not. */
static void add_row(page *p, cv_scope_id scope, const cv_type *type, const void *row)
{
    cv_arena scratch = {0};
    cv_search_text text;
    bool found = text_of(&scratch, type, row, &text);
    if (found || text.kind.n) {
        saying *s = CV_PUSH(&p->arena, &p->sayings);
        *s = (saying){.thing = thing_of(p, scope, text.kind, text.id), .nothing = !found};
        if (found) {
            s->text = (cv_search_text){.ids = cv_search_copy(&p->arena, text.ids),
                                       .title = cv_search_copy(&p->arena, text.title),
                                       .body = cv_search_copy(&p->arena, text.body),
                                       .status = cv_search_copy(&p->arena, text.status),
                                       .people = cv_search_copy(&p->arena, text.people)};
            p->bytes += text.ids.n + text.title.n + text.body.n;
        }
    }
    cv_arena_release(&scratch);
}

/* The rows in their order, onto what the index has. */
static void apply(page *p)
{
    static const cv_search_text nothing = {.title = CV_STR_INIT(""), .body = CV_STR_INIT("")};
    for (size_t i = 0; i < p->things.count; i++)
        p->things.items[i].now = p->things.items[i].old;
    for (size_t i = 0; i < p->sayings.count; i++) {
        const saying *s = &p->sayings.items[i];
        assert(s->thing < p->things.count);
        cv_search_thing *t = &p->things.items[s->thing];
        if (s->nothing && !t->now.people.p) /* it was never there */
            continue;
        t->now = joined(&p->arena, &t->now, s->nothing ? &nothing : &s->text);
    }
}

static bool flush(cv_search_index *x, page *p, cv_err *err)
{
    size_t count = 0;
    if (p->things.count == 0)
        return true;
    if (!x->calls->read(x, &p->arena, p->things.items, p->things.count, err))
        return false;
    apply(p);
    for (size_t i = 0; i < p->things.count; i++) {
        const cv_search_thing *t = &p->things.items[i];
        if (t->now.people.p && !(t->number && same_entry(&t->old, &t->now)))
            p->things.items[count++] = *t;
    }
    assert(count <= p->things.count);
    return count == 0 || x->calls->write(x, &p->arena, p->things.items, count, err);
}

bool cv_search_take_row(cv_search_index *x, cv_scope_id scope, const cv_type *type, const void *row, cv_err *err)
{
    page p = {0};
    add_row(&p, scope, type, row);
    bool ok = flush(x, &p, err);
    cv_arena_release(&p.arena);
    return ok;
}

/* ---- the rows of some commits -------------------------------------------------------------------------------------
 */

/* Rows of one type that the commits behind `since` up to `upto` have written. Later ones belong to commits that come
 * later. */
typedef struct {
    cv_scope_id scope;
    const cv_type *type;
    int64_t since, upto;
    void *after; /* the last row that was taken; NULL: none was */
    size_t seen; /* in this page */
    bool done;
} source;

typedef struct {
    source *items;
    size_t count, capacity;
} sources;

/* One page being read. */
typedef struct {
    cv_arena *arena; /* of the batch */
    page page;
    bool full;
} reading;

typedef struct {
    reading *reading;
    source *source;
} reading_source;

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    reading *r = ((reading_source *)ctx)->reading;
    source *s = ((reading_source *)ctx)->source;
    (void)scope, (void)err;
    if (s->done || cv_row_rev(row) > s->upto) {
        s->done = true;
        return true;
    }
    add_row(&r->page, s->scope, s->type, row);
    s->seen++;
    assert(s->seen <= PAGE_ROWS);
    r->full = r->page.bytes > PAGE_BYTES;
    if (r->full || s->seen == PAGE_ROWS)
        s->after = cv_row_copy(r->arena, s->type, row);
    return !r->full;
}

static const cv_index *rev_index(const cv_type *type)
{
    const cv_index *index = type->indexes;
    while (index->across || index->at[0] != 0)
        index++;
    assert(index < type->indexes + type->index_count && "what is searched has an index by its rev");
    return index;
}

/* The next rows of some sources, in one reading: it ends early when the page is full. */
static bool take_page(cv_search_index *x, cv_arena *a, source **list, size_t count, cv_err *err)
{
    reading r = {.arena = a};
    reading_source each[PAGE_SOURCES];
    cv_lookup lookups[PAGE_SOURCES];
    assert(count > 0 && count <= PAGE_SOURCES);
    for (size_t i = 0; i < count; i++) {
        source *s = list[i];
        s->seen = 0;
        each[i] = (reading_source){&r, s};
        lookups[i] = (cv_lookup){.find = {.type = s->type,
                                          .index = rev_index(s->type),
                                          .scope = s->scope,
                                          .since_rev = s->since,
                                          .after = s->after,
                                          .limit = PAGE_ROWS},
                                 .visit = see_row,
                                 .ctx = &each[i]};
    }
    bool ok = x->record->calls->find_all(x->record, lookups, count, err) || r.full;
    /* A full page ends with the last source that has rows in it; those behind have not been read. */
    size_t read = count;
    while (r.full && read > 0 && list[read - 1]->seen == 0 && !list[read - 1]->done)
        read--;
    for (size_t i = 0; ok && i + r.full < read; i++)
        list[i]->done = list[i]->done || list[i]->seen < PAGE_ROWS;
    ok = ok && flush(x, &r.page, err);
    cv_arena_release(&r.page.arena);
    return ok;
}

static bool take_sources(cv_search_index *x, cv_arena *a, sources *all, cv_err *err)
{
    source *next[PAGE_SOURCES];
    for (size_t first = 0; first < all->count;) {
        size_t count = 0;
        for (size_t i = first; i < all->count && count < PAGE_SOURCES; i++)
            if (!all->items[i].done)
                next[count++] = &all->items[i];
        if (count > 0 && !take_page(x, a, next, count, err))
            return false;
        while (first < all->count && all->items[first].done)
            first++;
    }
    return true;
}

/* ---- commits of the feed ------------------------------------------------------------------------------------------
 */

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
    cv_search_index *x = ctx;
    cv_arena scratch = {0};
    sources all = {0};
    cv_feed_entry *list = cv_arena_dup(&scratch, entries, count * sizeof *entries);
    qsort(list, count, sizeof *list, by_scope);
    bool ok = true;
    for (size_t i = 0, next; ok && i < count; i = next) {
        for (next = i + 1; next < count && same_scope(list[next].scope, list[i].scope); next++)
            ;
        if (list[i].rev < 1)
            ok = cv_stored_corrupt(err, "a commit of the %.*s '%.*s' with rev %lld: the first one has 1",
                                   CV_FMT(list[i].scope.room), CV_FMT(list[i].scope.name), (long long)list[i].rev);
        const cv_room_types *room = ok ? cv_types_of(x->record->types, list[i].scope.room) : NULL;
        for (size_t k = 0; room && k < room->count; k++)
            if (room->types[k]->search)
                *CV_PUSH(&scratch, &all) = (source){.scope = list[i].scope,
                                                    .type = room->types[k],
                                                    .since = list[i].rev - 1,
                                                    .upto = list[next - 1].rev};
    }
    ok = ok && take_sources(x, &scratch, &all, err);
    cv_arena_release(&scratch);
    return ok;
}

static bool begin(void *ctx, cv_err *err)
{
    cv_search_index *x = ctx;
    return x->calls->begin(x, err);
}

static bool end(void *ctx, bool ok, cv_err *err)
{
    cv_search_index *x = ctx;
    return x->calls->end(x, ok, err);
}

/* False: the store cannot be written now, or the index is damaged. */
static bool catch_up(cv_search_index *x, cv_arena *a, cv_err *err)
{
    const cv_feed_reader reader = {CV_SEARCH_READER, BATCH_COMMITS, begin, take, end, x};
    bool ok = cv_feed_catch_up(x->record, a, &reader, err);
    /* A position of another record: the index was made elsewhere. */
    x->damaged = !ok && (x->damaged || err->code == CV_ERR_INVALID_VALUE);
    return ok;
}

static bool catch_up_soon(cv_search_index *x, cv_arena *a, cv_err *err)
{
    bool ok = true, again = true;
    x->soon = true;
    while (ok && again && (!x->calls->is_behind || x->calls->is_behind(x))) {
        ok = catch_up(x, a, err);
        again = x->calls->is_behind;
    }
    x->soon = false;
    return ok;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

bool cv_search_make_again(cv_search_index *x, cv_arena *a, cv_err *err)
{
    if (!x->calls->begin(x, err))
        return false;
    bool ok = x->calls->clear(x, err);
    return x->calls->end(x, ok, err) && ok && catch_up(x, a, err);
}

static bool search_once(cv_search_index *x, cv_arena *a, size_t *ret_behind, cv_err *err)
{
    cv_err late = {.arena = err->arena}; /* told by *ret_behind */
    x->damaged = false;
    if (!catch_up_soon(x, a, &late) && x->damaged) {
        cv_err_copy(err, &late);
        return false;
    }
    return x->calls->ask(x, a, ret_behind, err);
}

bool cv_search_run(cv_search_index *x, cv_arena *a, size_t *ret_behind, cv_err *err)
{
    return search_once(x, a, ret_behind, err) ||
           (x->damaged && !x->visited && cv_search_make_again(x, a, err) && search_once(x, a, ret_behind, err));
}

/* ---- the check ----------------------------------------------------------------------------------------------------
 *
 *     for each scope    its rows, as a search would see them  <->  the texts of the index, both by kind and id
 *
 * The index may be behind: a thing that a row behind its position describes is skipped. Texts are compared by their
 * hashes, so one scope at a time costs little memory. */

/* What the index is to have of one thing, by one row. */
typedef struct {
    cv_str kind, id;
    cv_str text;     /* hash of ids, title, body, status and people; absent: the row does not describe it */
    cv_str more_ids; /* those of several rows are behind each other */
    bool late;       /* the index need not have it yet */
} expected;

typedef struct {
    cv_search_index *x;
    cv_arena *arena;
    cv_scope_id scope;
    const cv_type *type;
    int64_t seen; /* the rev up to which the index has come */
    struct {
        expected *items;
        size_t count, capacity;
    } things;
    size_t next; /* of the things, while they are compared */
} checking;

bool cv_search_disagrees(const cv_search_index *x, cv_str what, cv_err *err)
{
    cv_err_set(err, CV_ERR_VERIFY, "the search index does not agree with the record: %.*s", CV_FMT(what));
    cv_err_file(err, x->place);
    cv_err_suggest(err, CV_STR("'conclave doctor --repair' rebuilds the index; the record itself is not affected"));
    return false;
}

static cv_str entry_hash(cv_arena *a, const cv_search_entry *e)
{
    const cv_str all[] = {e->ids, e->title, e->body, e->status.p ? e->status : CV_STR("\n"), e->people};
    cv_buf out = {0};
    for (size_t i = 0; i < CV_COUNT(all); i++) {
        cv_buf_printf(&out, "%zu ", all[i].n);
        cv_buf_add(&out, all[i]);
    }
    cv_str hash = cv_hash_text(a, cv_buf_str(&out));
    cv_buf_release(&out);
    return hash;
}

static bool expect_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    checking *c = ctx;
    cv_arena scratch = {0};
    cv_search_text text;
    bool late = cv_row_rev(row) > c->seen;
    (void)scope, (void)err;
    bool found = text_of(&scratch, c->type, row, &text);
    if (found || (text.kind.n && late)) {
        expected *t = CV_PUSH(c->arena, &c->things);
        *t = (expected){
            .kind = cv_arena_copy(c->arena, text.kind), .id = cv_arena_copy(c->arena, text.id), .late = late};
        if (text.title.p || text.body.p) {
            cv_search_entry now = joined(&scratch, &(cv_search_entry){0}, &text);
            t->text = entry_hash(c->arena, &now);
        } else {
            t->more_ids = compact_ids(c->arena, text.ids);
        }
    }
    cv_arena_release(&scratch);
    return true;
}

static int by_name(const void *x, const void *y)
{
    const expected *m = x, *n = y;
    int order = cv_str_order(m->kind, n->kind);
    return order ? order : cv_str_order(m->id, n->id);
}

static bool wrong(const checking *c, const char *what, cv_str kind, cv_str id, cv_err *err)
{
    return cv_search_disagrees(c->x,
                               cv_arena_printf(err->arena, "search_texts %s %.*s '%.*s' of %.*s '%.*s'", what,
                                               CV_FMT(kind), CV_FMT(id), CV_FMT(c->scope.room), CV_FMT(c->scope.name)),
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

/* All further ids of the rows, each once, and no others. */
static bool same_ids(const expected *t, size_t count, cv_str found)
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

/* The rows t[0] to t[count - 1] against what the index has. What no row describes any more is there without texts.
 */
static bool fits(cv_arena *a, const expected *t, size_t count, const cv_search_entry *entry)
{
    static const cv_search_entry nothing = {.people = CV_STR_INIT("[]")};
    cv_str described = {NULL, 0};
    for (size_t i = 0; i < count; i++)
        described = t[i].text.p ? t[i].text : described;
    return cv_str_eq(entry_hash(a, entry), described.p ? described : entry_hash(a, &nothing)) &&
           same_ids(t, count, entry->more_ids);
}

/* The rows about the next thing: how many, and whether one of them is late. */
static size_t next_rows(const checking *c, bool *ret_late)
{
    size_t end = c->next;
    *ret_late = false;
    while (end < c->things.count && by_name(&c->things.items[end], &c->things.items[c->next]) == 0)
        *ret_late = c->things.items[end++].late || *ret_late;
    return end - c->next;
}

/* Things before `stop` (NULL: all that are left) that the index lacks. */
static bool pass_missing(checking *c, const expected *stop, cv_err *err)
{
    while (c->next < c->things.count && (!stop || by_name(&c->things.items[c->next], stop) < 0)) {
        const expected *t = &c->things.items[c->next];
        bool late;
        c->next += next_rows(c, &late);
        if (!late)
            return wrong(c, "lacks", t->kind, t->id, err);
    }
    return true;
}

/* Both sides in order: the first difference is a thing that only one of them has, or that differs. */
static bool compare_text(void *ctx, cv_str kind, cv_str id, const cv_search_entry *entry, cv_err *err)
{
    checking *c = ctx;
    const expected here = {.kind = kind, .id = id};
    bool late;
    if (!pass_missing(c, &here, err))
        return false;
    const expected *t = c->things.items + c->next;
    if (c->next == c->things.count || by_name(t, &here) > 0)
        return fits(c->arena, NULL, 0, entry) || wrong(c, "has a text that the record does not have:", kind, id, err);
    size_t count = next_rows(c, &late);
    c->next += count;
    return late || fits(c->arena, t, count, entry) || wrong(c, "has another text of", kind, id, err);
}

static bool check_scope(cv_search_index *x, cv_scope_id scope, cv_str position, cv_err *err)
{
    cv_arena arena = {0};
    checking c = {.x = x, .arena = &arena, .scope = scope};
    const cv_room_types *room = cv_types_of(x->record->types, scope.room);
    bool ok = x->calls->seen_rev(x, scope, position, &c.seen, err);
    for (size_t i = 0; ok && room && i < room->count; i++) {
        const cv_find find = {.type = room->types[i], .scope = scope};
        c.type = room->types[i];
        ok = !c.type->search || x->record->calls->find(x->record, &find, expect_row, &c, err);
    }
    if (c.things.count)
        qsort(c.things.items, c.things.count, sizeof *c.things.items, by_name);
    ok = ok && x->calls->texts_of(x, scope, compare_text, &c, err) && pass_missing(&c, NULL, err);
    cv_arena_release(&arena);
    return ok;
}

enum { PAGE_SCOPES = 256 };

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} scope_names;

static bool note_scope(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    scope_names *names = ctx;
    (void)at, (void)err;
    *CV_PUSH(names->arena, names) = cv_arena_copy(names->arena, scope.name);
    return true;
}

static bool check_room(cv_search_index *x, cv_str room, cv_str position, cv_err *err)
{
    cv_arena arenas[2] = {{0}, {0}}; /* the last name of a page is needed for the next one */
    cv_str after = CV_STR("");
    bool ok = true, more = true;
    for (int turn = 0; ok && more; turn = !turn) {
        cv_arena_reset(&arenas[turn]);
        scope_names names = {.arena = &arenas[turn]};
        ok = x->record->calls->scopes(x->record, room, after, PAGE_SCOPES, note_scope, &names, err);
        for (size_t i = 0; ok && i < names.count; i++)
            ok = check_scope(x, (cv_scope_id){room, names.items[i]}, position, err);
        more = names.count == PAGE_SCOPES;
        after = names.count ? names.items[names.count - 1] : after;
    }
    cv_arena_release(&arenas[0]);
    cv_arena_release(&arenas[1]);
    return ok;
}

static bool see_commit(void *ctx, const cv_feed_entry *entry, cv_err *err)
{
    (void)ctx, (void)entry, (void)err;
    return true;
}

bool cv_search_check(cv_search_index *x, cv_arena *a, cv_err *err)
{
    cv_record *record = x->record;
    cv_str position;
    if (!record->calls->reader_at(record, a, CV_SEARCH_READER, &position, err))
        return false;
    if (!record->calls->feed(record, position, 1, see_commit, NULL, err))
        return err->code == CV_ERR_INVALID_VALUE ? cv_search_disagrees(x, err->message, err) : false;
    bool ok = true;
    for (size_t i = 0; ok && i < record->types->count; i++)
        ok = check_room(x, record->types->rooms[i]->room, position, err);
    return ok && x->calls->check_words(x, a, err);
}
