/* record_model.h - the interface of record.h once more, with plain lists: what engines are compared with.
 *
 * Everything is looked for from the beginning and sorted by comparing; nothing is shared with an engine but the
 * interface. A write is made on the lists and taken back by their lengths when it fails.
 */
#ifndef CV_TEST_RECORD_MODEL_H
#define CV_TEST_RECORD_MODEL_H

#include "testing.h"

#include "record/record.h"

typedef struct {
    int64_t scope;
    const cv_type *type;
    char *row;
} model_row;

typedef struct {
    cv_record base;
    cv_arena *a;
    struct {
        struct {
            cv_scope_id id;
            cv_scope_position at;
        } * items;
        size_t count, capacity;
    } scopes;
    struct {
        model_row *items;
        size_t count, capacity;
    } rows; /* commits among them: their order is the feed */
    struct {
        struct {
            cv_str name, position;
        } * items;
        size_t count, capacity;
    } readers;
    bool open, writing;
    cv_scope_id scope;
    uint64_t commits;
} model;

static int64_t model_scope(model *m, cv_scope_id id)
{
    for (size_t i = 0; i < m->scopes.count; i++)
        if (cv_str_eq(m->scopes.items[i].id.room, id.room) && cv_str_eq(m->scopes.items[i].id.name, id.name))
            return (int64_t)i + 1;
    return 0;
}

static void model_close(cv_record *record)
{
    (void)record;
}

static bool model_begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    model *m = (model *)record;
    (void)a, (void)err;
    assert_false(m->open);
    int64_t number = model_scope(m, scope);
    m->open = true;
    m->scope = (cv_scope_id){cv_arena_copy(m->a, scope.room), cv_arena_copy(m->a, scope.name)};
    *ret_at = number ? m->scopes.items[number - 1].at : (cv_scope_position){0};
    return true;
}

static bool model_lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                       cv_err *err)
{
    (void)op_id;
    return ((model *)record)->writing = model_begin(record, a, scope, ret_at, err);
}

static void model_end(cv_record *record)
{
    model *m = (model *)record;
    m->open = m->writing = false;
}

static model_row *model_get(model *m, int64_t scope, const cv_type *type, const void *key)
{
    for (size_t i = 0; i < m->rows.count; i++)
        if (m->rows.items[i].scope == scope && m->rows.items[i].type == type &&
            cv_row_order(type, m->rows.items[i].row, key) == 0)
            return &m->rows.items[i];
    return NULL;
}

static bool model_put(model *m, int64_t scope, const cv_type *type, const void *row, int64_t rev)
{
    model_row *known = model_get(m, scope, type, row);
    char *copy = cv_row_copy(m->a, type, row);
    if (rev)
        memcpy(copy, &rev, sizeof rev);
    if (type->life == CV_VOLATILE)
        memset(copy, 0, sizeof rev);
    if (known && type->life == CV_ADDED)
        return false;
    if (known)
        known->row = copy;
    else
        *CV_PUSH(m->a, &m->rows) = (model_row){scope, type, copy};
    return true;
}

static bool model_write(model *m, int64_t scope, const cv_write *w)
{
    int64_t rev = w->restored ? 0 : w->at.rev;
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < w->rows[i].count; k++)
            if (!model_put(m, scope, w->rows[i].type, (const char *)w->rows[i].rows + k * w->rows[i].type->size, rev))
                return false;
    for (size_t i = 0; i < w->redaction_count; i++) {
        const cv_redaction *x = &w->redactions[i];
        model_row *known = model_get(m, scope, x->type, x->row);
        cv_str text = cv_arena_copy(m->a, x->text);
        if (!known)
            return false;
        known->row = cv_arena_dup(m->a, known->row, x->type->size);
        memcpy(known->row + x->field->offset, &text, sizeof text);
    }
    return w->restored || model_put(m, scope, &cv_commit_row_type, &w->commit, rev);
}

static cv_write_result model_commit(cv_record *record, cv_arena *a, const cv_write *w, cv_err *err)
{
    model *m = (model *)record, before = *m;
    if (!w) {
        assert_true(m->open && m->writing);
        model_end(record);
        return CV_WRITE_DONE;
    }
    model_row *saved = cv_arena_dup(m->a, m->rows.items, m->rows.count * sizeof *saved);
    int64_t number = model_scope(m, m->scope);
    (void)a;
    assert_true(m->open && m->writing);
    assert_int_equal(w->restored ? 0 : w->at.rev - 1, number ? m->scopes.items[number - 1].at.rev : 0);
    if (!number) {
        CV_PUSH(m->a, &m->scopes)->id = m->scope;
        number = (int64_t)m->scopes.count;
    }
    bool ok = model_write(m, number, w);
    if (ok) {
        m->scopes.items[number - 1].at = (cv_scope_position){
            .rev = w->at.rev, .head = cv_arena_copy(m->a, w->at.head), .event_count = w->at.event_count};
        m->commits++;
    } else {
        m->scopes.count = before.scopes.count;
        m->rows.count = before.rows.count;
        memcpy(m->rows.items, saved, before.rows.count * sizeof *saved);
        cv_err_set(err, CV_ERR_STORE, "the model refused a row");
    }
    model_end(record);
    return ok ? CV_WRITE_DONE : CV_WRITE_FAILED;
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static int model_compare_at(const cv_type *type, size_t offset, const void *x, const void *y)
{
    return offset == 0 ? CV_ORDER(cv_row_rev(x), cv_row_rev(y)) : cv_row_compare_field(cv_type_at(type, offset), x, y);
}

static int model_compare(const void *x, const void *y, void *ctx)
{
    const cv_find *f = ctx;
    const model_row *m = x, *n = y;
    int order = 0;
    for (size_t i = 0; f->index && order == 0 && i < f->index->count; i++)
        order = model_compare_at(f->type, f->index->at[i], m->row, n->row);
    if (order == 0 && f->index && f->index->across)
        order = CV_ORDER(m->scope, n->scope);
    order = order ? order : cv_row_order(f->type, m->row, n->row);
    return f->descending ? -order : order;
}

static bool model_fits(model *m, const cv_find *f, int64_t scope, const model_row *row)
{
    bool across = f->index && f->index->across;
    if (row->type != f->type || (!across && row->scope != scope) ||
        (across && !cv_str_eq(m->scopes.items[row->scope - 1].id.room, f->scope.room)) ||
        (f->since_rev > 0 && cv_row_rev(row->row) <= f->since_rev))
        return false;
    for (size_t i = 0; f->index && i < f->index->count; i++)
        if (f->index->at[i] && !cv_row_has(cv_type_at(f->type, f->index->at[i]), row->row))
            return false;
    for (size_t i = 0; i < f->equal; i++)
        if (model_compare_at(f->type, f->index ? f->index->at[i] : f->type->fields[i].offset, f->like, row->row) != 0)
            return false;
    if (!f->after)
        return true;
    cv_scope_id id = {f->scope.room, across ? f->after_scope : f->scope.name};
    const model_row after = {model_scope(m, id), f->type, (char *)f->after};
    return model_compare(row, &after, (void *)f) > 0;
}

static bool model_find(cv_record *record, const cv_find *f, cv_row_visit visit, void *ctx, cv_err *err)
{
    model *m = (model *)record;
    struct {
        model_row *items;
        size_t count, capacity;
    } found = {0};
    cv_arena scratch = {0};
    int64_t scope = model_scope(m, f->scope);
    for (size_t i = 0; i < m->rows.count; i++)
        if (model_fits(m, f, scope, &m->rows.items[i]))
            *CV_PUSH(&scratch, &found) = m->rows.items[i];
    if (found.count)
        qsort_r(found.items, found.count, sizeof *found.items, model_compare, (void *)f);
    bool ok = true;
    for (size_t i = 0; ok && i < found.count && (f->limit == 0 || i < f->limit); i++) {
        char *row = cv_arena_dup(&scratch, found.items[i].row, f->type->size), *all = found.items[i].row;
        if (f->outline) {
            cv_row_clear(f->type, row);
            memcpy(row, all, sizeof(int64_t));
            for (size_t k = 0; k < f->type->field_count; k++) {
                const cv_type_field *field = &f->type->fields[k];
                bool ordered = false;
                for (size_t n = 0; f->index && n < f->index->count; n++)
                    ordered = ordered || f->index->at[n] == field->offset;
                if (ordered || field->role == CV_KEY || field->role == CV_OUTLINE)
                    memcpy(row + field->offset, all + field->offset,
                           cv_field_is_int(field) ? sizeof(int64_t) : sizeof(cv_str));
            }
        }
        ok = visit(ctx, m->scopes.items[found.items[i].scope - 1].id, row, err);
    }
    cv_arena_release(&scratch);
    return ok;
}

/* ---- the rest -----------------------------------------------------------------------------------------------------
 */

static bool model_keep(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    model *m = (model *)record;
    int64_t number = model_scope(m, scope);
    if (!number)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "no such scope");
    for (size_t i = 0; i < rows->count; i++)
        model_put(m, number, rows->type, (const char *)rows->rows + i * rows->type->size, 0);
    return true;
}

static bool model_drop(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    model *m = (model *)record;
    int64_t number = model_scope(m, scope);
    if (!number)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "no such scope");
    for (size_t i = 0; i < rows->count; i++) {
        model_row *known = model_get(m, number, rows->type, (const char *)rows->rows + i * rows->type->size);
        if (known) {
            model_row *end = m->rows.items + m->rows.count--;
            memmove(known, known + 1, (size_t)(end - known - 1) * sizeof *known);
        }
    }
    return true;
}

static bool model_scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                         cv_err *err)
{
    model *m = (model *)record;
    size_t given = 0;
    for (cv_str last = after;; given++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < m->scopes.count; i++)
            if (cv_str_eq(m->scopes.items[i].id.room, room) && cv_str_order(m->scopes.items[i].id.name, last) > 0 &&
                (best == SIZE_MAX || cv_str_order(m->scopes.items[i].id.name, m->scopes.items[best].id.name) < 0))
                best = i;
        if (best == SIZE_MAX || (limit && given == limit))
            return true;
        last = m->scopes.items[best].id.name;
        if (!visit(ctx, m->scopes.items[best].id, &m->scopes.items[best].at, err))
            return false;
    }
}

/* Positions are the numbers of commits, in words of one letter. */
static cv_str model_position(model *m, size_t n)
{
    char *text = cv_arena_alloc(m->a, n + 1);
    memset(text, 'i', n);
    return (cv_str){text, n};
}

static bool model_feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err)
{
    model *m = (model *)record;
    size_t number = 0, given = 0;
    for (size_t i = 0; i < m->rows.count && (!limit || given < limit); i++) {
        if (m->rows.items[i].type != &cv_commit_row_type || ++number <= after.n)
            continue;
        const cv_commit_row *c = (const void *)m->rows.items[i].row;
        const cv_feed_entry entry = {model_position(m, number),
                                     m->scopes.items[m->rows.items[i].scope - 1].id,
                                     c->rev,
                                     c->op_id,
                                     c->operation,
                                     c->created_at,
                                     c->head};
        given++;
        if (!visit(ctx, &entry, err))
            return false;
    }
    return true;
}

static bool model_newest(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err)
{
    model *m = (model *)record;
    size_t number = 0;
    (void)a, (void)err;
    for (size_t i = 0; i < m->rows.count; i++)
        number += m->rows.items[i].type == &cv_commit_row_type;
    *ret_position = model_position(m, number > back ? number - back : 0);
    return true;
}

static bool model_changed(cv_record *record, uint64_t *seen)
{
    model *m = (model *)record;
    bool other = *seen != m->commits + 1;
    *seen = m->commits + 1;
    return other;
}

static bool model_reader_at(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err)
{
    model *m = (model *)record;
    (void)a, (void)err;
    *ret_position = CV_STR("");
    for (size_t i = 0; i < m->readers.count; i++)
        if (cv_str_eq(m->readers.items[i].name, reader))
            *ret_position = m->readers.items[i].position;
    return true;
}

static bool model_reader_move(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err)
{
    model *m = (model *)record;
    size_t i = 0;
    (void)err;
    while (i < m->readers.count && !cv_str_eq(m->readers.items[i].name, reader))
        i++;
    *ret_moved = cv_str_eq(from, i < m->readers.count ? m->readers.items[i].position : CV_STR(""));
    if (*ret_moved && i == m->readers.count)
        CV_PUSH(m->a, &m->readers)->name = cv_arena_copy(m->a, reader);
    if (*ret_moved)
        m->readers.items[i].position = cv_arena_copy(m->a, to);
    return true;
}

static const cv_record_calls model_calls = {
    .name = CV_STR_INIT("model"),
    .close = model_close,
    .begin = model_begin,
    .lock = model_lock,
    .commit = model_commit,
    .end = model_end,
    .find = model_find,
    .find_all = cv_record_find_each,
    .keep = model_keep,
    .drop = model_drop,
    .scopes = model_scopes,
    .feed = model_feed,
    .newest = model_newest,
    .changed = model_changed,
    .reader_at = model_reader_at,
    .reader_move = model_reader_move,
};

static inline cv_record *model_open(cv_arena *a, const cv_types *types)
{
    model *m = CV_NEW(a, model);
    m->base = (cv_record){.calls = &model_calls, .types = types};
    m->a = a;
    return &m->base;
}

#endif
