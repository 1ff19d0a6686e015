/* find.c - rows in the order of an index, from any place on; several finds in one round trip.
 *
 *     WHERE t.scope = $1 AND t."status" = $2 AND (t."rank", t."number") > ($3, $4) ORDER BY … LIMIT $5
 *                        |  equal              |  after
 *
 * A text is made for each shape that is asked for and kept. Rows that lack a field of the index are not in it.
 */
#include <assert.h>

#include "record/order.h"
#include "record/postgres/engine.h"

/* ---- the text of a statement --------------------------------------------------------------------------------------
 */

typedef struct {
    cv_buf out;
    size_t values; /* $1, $2 … so far */
} writing;

static void add_column(writing *w, cv_order_column c)
{
    if (c.is_scope || !c.field)
        cv_buf_add_z(&w->out, c.is_scope ? "t.scope" : "t.rev");
    else
        cv_buf_printf(&w->out, "t.\"%.*s\"", CV_FMT(c.field->name));
}

static void add_mark(writing *w, const char *before)
{
    cv_buf_printf(&w->out, "%s$%zu", before, ++w->values);
}

static void add_after(writing *w, const cv_find *f, const cv_order *order)
{
    for (size_t i = f->equal; i < order->count; i++) {
        cv_buf_add_z(&w->out, i == f->equal ? " AND (" : ", ");
        add_column(w, order->items[i]);
    }
    cv_buf_add_z(&w->out, f->descending ? ") < " : ") > ");
    for (size_t i = f->equal; i < order->count; i++)
        add_mark(w, i == f->equal ? "(" : ", ");
    cv_buf_add_char(&w->out, ')');
}

static void add_conditions(writing *w, const cv_find *f, const cv_order *order)
{
    for (size_t i = 0; i < f->equal; i++) {
        cv_buf_add_z(&w->out, " AND ");
        add_column(w, order->items[i]);
        add_mark(w, " = ");
    }
    if (f->after)
        add_after(w, f, order);
    if (f->since_rev > 0)
        add_mark(w, " AND t.rev > ");
    for (size_t i = f->equal; f->index && i < f->index->count; i++)
        if (order->items[i].field && order->items[i].field->role != CV_KEY) {
            cv_buf_add_z(&w->out, " AND ");
            add_column(w, order->items[i]);
            cv_buf_add_z(&w->out, " IS NOT NULL");
        }
}

static cv_str order_of(cv_arena *a, const cv_find *f, const cv_order *order)
{
    writing w = {0};
    for (size_t i = f->equal; i < order->count; i++) {
        cv_buf_add_z(&w.out, i == f->equal ? "" : ", ");
        add_column(&w, order->items[i]);
        cv_buf_add_z(&w.out, f->descending ? " DESC" : "");
    }
    return w.out.n ? cv_buf_take(&w.out, a) : CV_STR("1"); /* there is one row at most */
}

/* $1 is the scope or, across scopes, the room. */
static const char *text_of(cv_postgres_record *r, const cv_find *f, const cv_order *order, bool across)
{
    cv_arena scratch = {0};
    writing w = {.values = 1};
    add_conditions(&w, f, order);
    if (f->index == cv_events_by_rev && f->equal > 0)
        cv_buf_add_z(&w.out, cv_postgres_text_of(r, "find_in_rev"));
    const cv_postgres_word words[] = {
        {"$columns", cv_find_columns(&scratch, f)},
        {"$table", cv_str_of(f->type->table)},
        {"$conditions", cv_buf_take(&w.out, &scratch)},
        {"$order", order_of(&scratch, f, order)},
        {"$limit", cv_arena_printf(&scratch, "$%zu", w.values + 1)},
    };
    const char *template = cv_postgres_text_of(r, across ? "find_across" : "find");
    const char *made = cv_postgres_fill(&r->arena, template, words, CV_COUNT(words));
    cv_arena_release(&scratch);
    return made;
}

static const char *text(cv_postgres_record *r, const cv_find *f, const cv_order *order, bool across)
{
    cv_postgres_type *t = cv_postgres_type_of(r, f->type);
    uint32_t index = f->index ? (uint32_t)(f->index - f->type->indexes) + 1 : 0;
    uint32_t shape = index << 8 | (uint32_t)f->equal << 4 | (uint32_t)(f->after != NULL) << 3 |
                     (uint32_t)(f->since_rev > 0) << 2 | (uint32_t)f->descending << 1 | f->outline;
    for (size_t i = 0; i < t->finds.count; i++)
        if (t->finds.items[i].shape == shape && t->finds.items[i].without == f->without)
            return t->finds.items[i].text;
    const char *made = text_of(r, f, order, across);
    *CV_PUSH(&r->arena, &t->finds) = (cv_postgres_finding){shape, f->without, made};
    return made;
}

/* ---- running it -------------------------------------------------------------------------------------------------- */

/* One find of a batch. */
typedef struct {
    const cv_lookup *lookup;
    uint64_t wanted;
    bool across;
    char *row;
} looking;

/* No program writes the number that stands for an absent one: see read_number() of SQLite's find.c. */
static int64_t read_number(const cv_postgres_row *from, int column)
{
    int64_t number = cv_postgres_column_int(from, column);
    return number == CV_ABSENT && cv_postgres_column(from, column).p ? CV_ABSENT + 1 : number;
}

static bool see_row(void *ctx, const cv_postgres_row *from, cv_err *err)
{
    const looking *l = ctx;
    const cv_find *f = &l->lookup->find;
    int next = 0;
    memcpy(l->row, &(int64_t){cv_postgres_column_int(from, next++)}, sizeof(int64_t));
    for (size_t i = 0; i < f->type->field_count; i++) {
        const cv_type_field *field = &f->type->fields[i];
        if (!(l->wanted >> i & 1))
            continue;
        if (cv_field_is_int(field)) {
            memcpy(l->row + field->offset, &(int64_t){read_number(from, next)}, sizeof(int64_t));
        } else {
            cv_str value = cv_postgres_column(from, next);
            memcpy(l->row + field->offset, &value, sizeof value);
        }
        next++;
    }
    cv_str name = l->across ? cv_postgres_column(from, next) : f->scope.name;
    return l->lookup->visit(l->lookup->ctx, (cv_scope_id){f->scope.room, name}, l->row, err);
}

static void add_value(cv_postgres_statement *st, cv_order_column c, const cv_find *f)
{
    if (c.is_scope)
        cv_postgres_uuid(st, cv_postgres_scope_key((cv_scope_id){f->scope.room, f->after_scope}).bytes);
    else if (!c.field)
        cv_postgres_int(st, cv_row_rev(f->after));
    else
        cv_postgres_value_of(st, c.field, f->after);
}

void cv_postgres_add_find(cv_postgres_record *r, cv_postgres_batch *batch, const cv_lookup *lookup)
{
    const cv_find *f = &lookup->find;
    const cv_order order = cv_find_order(f);
    bool across = f->index && f->index->across;
    assert(f->equal <= (f->index ? f->index->count : f->type->key_count) && (!f->equal || f->like));
    if (cv_find_ends(f, &order))
        return;
    cv_postgres_statement *st = cv_postgres_add(batch, "read the record", text(r, f, &order, across));
    if (across)
        cv_postgres_text(st, f->scope.room);
    else
        cv_postgres_uuid(st, cv_postgres_scope_key(f->scope).bytes);
    for (size_t i = 0; i < f->equal; i++) {
        if (order.items[i].field)
            cv_postgres_value_of(st, order.items[i].field, f->like);
        else
            cv_postgres_int(st, cv_row_rev(f->like));
    }
    for (size_t i = f->equal; f->after && i < order.count; i++)
        add_value(st, order.items[i], f);
    if (f->since_rev > 0)
        cv_postgres_int(st, f->since_rev);
    cv_postgres_limit(st, f->limit);
    looking *l = CV_NEW(batch->arena, looking);
    *l = (looking){lookup, cv_find_fields(f), across, cv_arena_alloc(batch->arena, f->type->size)};
    cv_row_clear(f->type, l->row);
    if (f->flat)
        cv_postgres_stream(st, see_row, l);
    else
        cv_postgres_rows(st, see_row, l);
}

/* Is it the question whether the write was done before? The lock has brought the answer. */
static bool is_brought(const cv_postgres_record *r, const cv_find *f)
{
    const cv_postgres_brought *b = &r->brought;
    if (!r->writing || !b->is_known || f->type != &cv_commit_row_type || f->after || f->since_rev || f->equal != 1 ||
        !cv_str_eq(((const cv_commit_row *)f->like)->op_id, b->op_id) || !cv_str_eq(f->scope.room, r->scope.room))
        return false;
    return f->index == cv_commits_by_op ? r->at.rev == 0 : !f->index && cv_str_eq(f->scope.name, r->scope.name);
}

static bool show_brought(const cv_postgres_record *r, const cv_find *f, cv_row_visit visit, void *ctx, cv_err *err)
{
    const cv_postgres_brought *b = &r->brought;
    if (f->index)
        return !b->is_first || visit(ctx, (cv_scope_id){r->scope.room, b->first_scope}, &b->first, err);
    return !b->in_scope || visit(ctx, r->scope, &b->row, err);
}

bool cv_postgres_find_all(cv_record *record, const cv_lookup *lookups, size_t count, cv_err *err)
{
    cv_postgres_record *r = (cv_postgres_record *)record;
    cv_arena scratch = {0};
    cv_postgres_batch batch = {.arena = &scratch};
    for (size_t i = 0; i < count; i++)
        cv_postgres_add_find(r, &batch, &lookups[i]);
    bool ok = batch.count == 0 || cv_postgres_read(r, &batch, err);
    cv_arena_release(&scratch);
    return ok;
}

bool cv_postgres_find(cv_record *record, const cv_find *find, cv_row_visit visit, void *ctx, cv_err *err)
{
    const cv_postgres_record *r = (const cv_postgres_record *)record;
    if (is_brought(r, find))
        return show_brought(r, find, visit, ctx, err);
    return cv_postgres_find_all(record, &(cv_lookup){*find, visit, ctx}, 1, err);
}
