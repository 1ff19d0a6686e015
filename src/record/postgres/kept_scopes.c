/* kept_scopes.c - rows of scopes that a handle has written or read; see kept_scopes.h. */
#include "record/postgres/kept_scopes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

/* All rows of one type, in the order of their keys. */
typedef struct {
    const cv_type *type;
    const void **items;
    size_t count, capacity;
    bool was_shown; /* all of them, by one of the lookups of a reading */
} kept_rows;

struct cv_kept_scope {
    char key[CV_KNOWN_REV_KEY_DIGITS];
    cv_scope_position at;
    bool whole;     /* types that are not listed have no rows; else nothing is known of them */
    bool writing;   /* `at` and the rows are those of a write that is under way */
    uint64_t used;  /* the higher, the later */
    cv_arena arena; /* its rows and lists */
    struct {
        kept_rows *items;
        size_t count, capacity;
    } types;
};

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

static cv_kept_scope *new_scope(const char key[CV_KNOWN_REV_KEY_DIGITS])
{
    cv_kept_scope *s = cv_heap_alloc(sizeof *s);
    *s = (cv_kept_scope){0};
    memcpy(s->key, key, CV_KNOWN_REV_KEY_DIGITS);
    return s;
}

static void free_scope(cv_kept_scope *s)
{
    cv_arena_release(&s->arena);
    cv_heap_free(s);
}

static size_t place_of(const cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS])
{
    size_t i = 0;
    while (i < k->count && memcmp(k->items[i]->key, key, CV_KNOWN_REV_KEY_DIGITS) != 0)
        i++;
    return i;
}

static cv_kept_scope *scope_of(const cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS])
{
    size_t i = place_of(k, key);
    return i < k->count ? k->items[i] : NULL;
}

static void drop(cv_kept_scopes *k, size_t i)
{
    assert(i < k->count);
    free_scope(k->items[i]);
    k->items[i] = k->items[--k->count];
}

static void forget(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS])
{
    size_t i = place_of(k, key);
    if (i < k->count)
        drop(k, i);
}

void cv_kept_scopes_close(cv_kept_scopes *k)
{
    while (k->count > 0)
        drop(k, 0);
}

/* The largest makes the most room; of equals the one that was not used for longest. */
static bool goes_before(const cv_kept_scope *x, const cv_kept_scope *y)
{
    return x->arena.bytes != y->arena.bytes ? x->arena.bytes > y->arena.bytes : x->used < y->used;
}

/* Room for one more, which has this size. */
static void make_room(cv_kept_scopes *k, size_t bytes)
{
    for (;;) {
        size_t first = 0, sum = bytes;
        for (size_t i = 0; i < k->count; i++) {
            sum += k->items[i]->arena.bytes;
            first = goes_before(k->items[i], k->items[first]) ? i : first;
        }
        if (k->count == 0 || (k->count < CV_KEPT_SCOPES && sum <= CV_KEPT_BYTES))
            return;
        drop(k, first);
    }
}

/* Takes it over. */
static void keep(cv_kept_scopes *k, cv_kept_scope *s)
{
    if (s->arena.bytes > CV_KEPT_SCOPE_BYTES) {
        free_scope(s);
        return;
    }
    make_room(k, s->arena.bytes);
    s->used = ++k->uses;
    k->items[k->count++] = s;
}

static bool is_at(const cv_kept_scope *s, int64_t rev, cv_str head)
{
    return s->at.rev == rev && cv_str_eq(s->at.head, head);
}

static void set_position(cv_kept_scope *s, const cv_scope_position *at)
{
    s->at =
        (cv_scope_position){.rev = at->rev, .head = cv_arena_copy(&s->arena, at->head), .event_count = at->event_count};
}

const cv_scope_position *cv_kept_scope_at(const cv_kept_scope *s)
{
    return &s->at;
}

bool cv_kept_scopes_has(const cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS], const cv_scope_position *at)
{
    const cv_kept_scope *s = scope_of(k, key);
    return s && is_at(s, at->rev, at->head);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_kept(const cv_type *type)
{
    return (type->life != CV_VOLATILE || type->lasting) && type != &cv_event_row_type && type != &cv_commit_row_type;
}

static kept_rows *list_of(const cv_kept_scope *s, const cv_type *type)
{
    for (size_t i = 0; i < s->types.count; i++)
        if (s->types.items[i].type == type)
            return &s->types.items[i];
    return NULL;
}

static kept_rows *make_list(cv_kept_scope *s, const cv_type *type)
{
    kept_rows *list = list_of(s, type);
    if (list)
        return list;
    list = CV_PUSH(&s->arena, &s->types);
    *list = (kept_rows){.type = type};
    return list;
}

static void *add_row(cv_kept_scope *s, kept_rows *list, const void *row)
{
    void *copy = cv_row_copy(&s->arena, list->type, row);
    *CV_PUSH(&s->arena, list) = copy;
    return copy;
}

/* Of several with one key the one of the latest rev counts. */
static int by_key(const void *x, const void *y, void *type)
{
    const void *const *a = x, *const *b = y;
    int order = cv_row_order(type, *a, *b);
    return order ? order : CV_ORDER(cv_row_rev(*a), cv_row_rev(*b));
}

static void sort(kept_rows *list)
{
    size_t kept = 0;
    bool is_sorted = true;
    for (size_t i = 1; i < list->count && is_sorted; i++)
        is_sorted = cv_row_order(list->type, list->items[i - 1], list->items[i]) < 0;
    if (is_sorted)
        return;
    qsort_r(list->items, list->count, sizeof *list->items, by_key, (void *)(uintptr_t)list->type);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && cv_row_order(list->type, list->items[kept - 1], list->items[i]) == 0)
            kept--;
        list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* ---- showing ----------------------------------------------------------------------------------------------------- */

/* Rows in the order of the key, from the first with these fields on. */
static bool can_show(const cv_kept_scope *s, const cv_find *f)
{
    return !f->index && !f->after && !f->descending && f->since_rev == 0 && is_kept(f->type) &&
           (s->whole || list_of(s, f->type));
}

const cv_kept_scope *cv_kept_scopes_get(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS],
                                        const cv_known_rev *seen, const cv_lookup *lookups, size_t count)
{
    cv_kept_scope *s = scope_of(k, key);
    if (!s)
        return NULL;
    assert(!s->writing && "a write ends before anything else");
    if (!seen || !is_at(s, seen->rev, (cv_str){seen->head, CV_HASH_DIGITS})) {
        forget(k, key);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (!can_show(s, &lookups[i].find))
            return NULL;
    s->used = ++k->uses;
    return s;
}

static int compare_first(const cv_find *f, const void *row)
{
    int order = 0;
    for (size_t i = 0; i < f->equal && order == 0; i++)
        order = cv_row_compare_field(&f->type->fields[i], row, f->like);
    return order;
}

static size_t first_of(const kept_rows *list, const cv_find *f)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_first(f, list->items[middle]) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool show_one(const cv_kept_scope *s, const cv_lookup *l, cv_err *err)
{
    const cv_find *f = &l->find;
    const kept_rows *list = list_of(s, f->type);
    bool ok = true;
    if (!list)
        return true;
    size_t first = first_of(list, f);
    for (size_t i = first; ok && i < list->count && (f->limit == 0 || i - first < f->limit); i++) {
        if (compare_first(f, list->items[i]) != 0)
            break;
        ok = l->visit(l->ctx, f->scope, list->items[i], err);
    }
    return ok;
}

bool cv_kept_scope_show(const cv_kept_scope *s, const cv_lookup *lookups, size_t count, cv_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = show_one(s, &lookups[i], err);
    return ok;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Does it show all rows of its type, with all fields? With a limit: if there are fewer. */
static bool shows_all(const cv_find *f)
{
    return is_kept(f->type) && !f->index && !f->after && !f->descending && f->equal == 0 && f->since_rev == 0 &&
           !f->outline && f->without == 0;
}

cv_kept_scope *cv_kept_scope_begin(const char key[CV_KNOWN_REV_KEY_DIGITS])
{
    return new_scope(key);
}

/* More than is kept is not taken along. */
void cv_kept_scope_see(cv_kept_scope *s, const cv_find *find, const void *row)
{
    if (shows_all(find) && s->arena.bytes <= CV_KEPT_SCOPE_BYTES)
        add_row(s, make_list(s, find->type), row);
}

/* Which types are known now; those of which a limit may have cut every lookup are not. */
static void close_lists(cv_kept_scope *s, const cv_lookup *lookups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cv_find *f = &lookups[i].find;
        if (!shows_all(f))
            continue;
        kept_rows *list = make_list(s, f->type);
        sort(list);
        list->was_shown = list->was_shown || f->limit == 0 || list->count < f->limit;
    }
    for (size_t i = s->types.count; i-- > 0;)
        if (!s->types.items[i].was_shown)
            s->types.items[i] = s->types.items[--s->types.count];
}

void cv_kept_scopes_add(cv_kept_scopes *k, cv_kept_scope *s, const cv_lookup *lookups, size_t count,
                        const cv_scope_position *at)
{
    const cv_kept_scope *known = scope_of(k, s->key);
    if (!at || at->rev == 0 || s->arena.bytes > CV_KEPT_SCOPE_BYTES) {
        free_scope(s);
        return;
    }
    close_lists(s, lookups, count);
    set_position(s, at);
    if (known && is_at(known, at->rev, at->head) && (known->whole || known->types.count >= s->types.count)) {
        free_scope(s);
        return;
    }
    forget(k, s->key);
    keep(k, s);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void add_rows(cv_kept_scope *s, const cv_rows *rows, int64_t rev)
{
    kept_rows *list = s->whole && is_kept(rows->type) ? make_list(s, rows->type) : list_of(s, rows->type);
    for (size_t i = 0; list && i < rows->count; i++) {
        void *row = add_row(s, list, (const char *)rows->rows + i * rows->type->size);
        memcpy(row, &rev, sizeof rev);
    }
    if (list)
        sort(list);
}

void cv_kept_scopes_write(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS], const cv_scope_position *before,
                          const cv_write *write)
{
    assert(!write->finish && "its head is known");
    cv_kept_scope *s = scope_of(k, key);
    if (s && s->writing)
        return; /* it is sent again */
    if (write->restored || write->redaction_count > 0 || (s && !is_at(s, before->rev, before->head))) {
        forget(k, key);
        return;
    }
    if (!s && before->rev > 0)
        return;
    if (!s) {
        s = new_scope(key);
        s->whole = true;
        make_room(k, 0);
        k->items[k->count++] = s;
    }
    s->writing = true;
    for (size_t i = 0; i < write->count; i++)
        add_rows(s, &write->rows[i], write->at.rev);
    set_position(s, &write->at);
}

void cv_kept_scopes_end(cv_kept_scopes *k, const char key[CV_KNOWN_REV_KEY_DIGITS], bool done)
{
    size_t i = place_of(k, key);
    if (i == k->count || !k->items[i]->writing)
        return;
    cv_kept_scope *s = k->items[i];
    s->writing = false;
    k->items[i] = k->items[--k->count];
    if (done)
        keep(k, s);
    else
        free_scope(s);
}
