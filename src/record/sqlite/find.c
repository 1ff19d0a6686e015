/* find.c - rows in the order of an index, from any place on, for what is found and not for what is there.
 *
 *     WHERE (scope, "status") = (?, ?) AND ("rank", "number") > (?, ?) ORDER BY "rank", "number" LIMIT ?
 *           |      equal                   |  after
 *
 * A statement is made for each shape that is asked for and kept. Rows that lack a field of the index are not in it.
 */
#include <assert.h>

#include "record/order.h"
#include "record/sqlite/engine.h"

/* ---- the text of a statement ---------------------------------------------------------------------------------------
 */

static void add_column(cv_buf *out, cv_order_column c)
{
    if (c.is_scope || !c.field)
        cv_buf_add_z(out, c.is_scope ? "t.scope" : "t.rev");
    else
        cv_buf_printf(out, "t.\"%.*s\"", CV_FMT(c.field->name));
}

static void add_marks(cv_buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cv_buf_add_z(out, i ? ", ?" : "?");
}

/* Within a scope the equal columns are in the template; across scopes they are here. Of two bounds on the rev the
 * place behind which to begin is the narrower one: the other must not hide it from the planner. */
static cv_str conditions(cv_arena *a, const cv_find *f, const cv_order *order, bool across)
{
    cv_buf out = {0};
    for (size_t i = 0; across && i < f->equal; i++) {
        cv_buf_add_z(&out, " AND ");
        add_column(&out, order->items[i]);
        cv_buf_add_z(&out, " = ?");
    }
    if (f->after && f->equal < order->count) {
        for (size_t i = f->equal; i < order->count; i++) {
            cv_buf_add_z(&out, i == f->equal ? " AND (" : ", ");
            add_column(&out, order->items[i]);
        }
        cv_buf_add_z(&out, f->descending ? ") < (" : ") > (");
        add_marks(&out, order->count - f->equal);
        cv_buf_add_char(&out, ')');
    }
    bool by_rev = order->count > f->equal && !order->items[f->equal].is_scope && !order->items[f->equal].field;
    if (f->since_rev > 0)
        cv_buf_add_z(&out, by_rev && !(f->after && !f->descending) ? " AND t.rev > ?" : " AND +t.rev > ?");
    for (size_t i = f->equal; f->index && i < f->index->count; i++)
        if (order->items[i].field && order->items[i].field->role != CV_KEY) {
            cv_buf_add_z(&out, " AND ");
            add_column(&out, order->items[i]);
            cv_buf_add_z(&out, " IS NOT NULL");
        }
    return cv_buf_take(&out, a);
}

static const char *text_of(cv_sqlite_record *r, cv_arena *a, const cv_find *f, const cv_order *order, bool across)
{
    cv_buf by = {0}, equal = {0}, values = {0};
    for (size_t i = f->equal; i < order->count; i++) {
        cv_buf_add_z(&by, i == f->equal ? "" : ", ");
        add_column(&by, order->items[i]);
        cv_buf_add_z(&by, f->descending ? " DESC" : "");
    }
    if (f->equal == order->count)
        cv_buf_add_z(&by, "1");
    cv_buf_add_z(&equal, "t.scope");
    for (size_t i = 0; i < f->equal; i++) {
        cv_buf_add_z(&equal, ", ");
        add_column(&equal, order->items[i]);
    }
    add_marks(&values, f->equal + 1);
    const cv_sqlite_word words[] = {
        {"$columns", cv_find_columns(a, f)},
        {"$table", cv_str_of(f->type->table)},
        {"$indexed", f->index ? cv_arena_printf(a, "INDEXED BY %s_%s", f->type->table, f->index->name) : CV_STR("")},
        {"$equal", cv_buf_take(&equal, a)},
        {"$equal_values", cv_buf_take(&values, a)},
        {"$conditions", conditions(a, f, order, across)},
        {"$order", cv_buf_take(&by, a)},
    };
    return cv_sqlite_fill(a, cv_sqlite_text(r->s, across ? "find_across" : "find"), words, CV_COUNT(words));
}

static sqlite3_stmt *statement(cv_sqlite_record *r, const cv_find *f, const cv_order *order, bool across)
{
    cv_sqlite_type *t = cv_sqlite_type_of(r, f->type);
    uint32_t index = f->index ? (uint32_t)(f->index - f->type->indexes) + 1 : 0;
    uint32_t shape = index << 8 | (uint32_t)f->equal << 4 | (uint32_t)(f->after != NULL) << 3 |
                     (uint32_t)(f->since_rev > 0) << 2 | (uint32_t)f->descending << 1 | f->outline;
    for (size_t i = 0; i < t->finds.count; i++)
        if (t->finds.items[i].shape == shape && t->finds.items[i].without == f->without) {
            sqlite3_reset(t->finds.items[i].st);
            return t->finds.items[i].st;
        }
    cv_arena scratch = {0};
    sqlite3_stmt *st = NULL;
    sqlite3_prepare_v3(r->s->db, text_of(r, &scratch, f, order, across), -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);
    if (st)
        *CV_PUSH(&r->arena, &t->finds) = (cv_sqlite_finding){shape, f->without, st};
    cv_arena_release(&scratch);
    return st;
}

/* ---- running it
 * ------------------------------------------------------------------------------------------------------ */

static bool bind_column(sqlite3_stmt *st, int parameter, cv_order_column c, const void *row)
{
    return c.field ? cv_sqlite_bind_field(st, parameter, c.field, row)
                   : sqlite3_bind_int64(st, parameter, cv_row_rev(row)) == SQLITE_OK;
}

static bool bind(cv_sqlite_record *r, sqlite3_stmt *st, const cv_find *f, const cv_order *order, bool across,
                 int64_t scope, cv_err *err)
{
    int next = 1;
    int64_t limit = f->limit == 0 || f->limit > INT64_MAX ? -1 : (int64_t)f->limit;
    bool ok = across ? sqlite3_bind_text64(st, next++, f->scope.room.p, f->scope.room.n, SQLITE_STATIC, SQLITE_UTF8) ==
                           SQLITE_OK
                     : sqlite3_bind_int64(st, next++, scope) == SQLITE_OK;
    for (size_t i = 0; ok && i < f->equal; i++)
        ok = bind_column(st, next++, order->items[i], f->like);
    for (size_t i = f->equal; ok && f->after && i < order->count; i++) {
        int64_t behind = 0;
        assert(!order->items[i].field || cv_row_has(order->items[i].field, f->after));
        if (!order->items[i].is_scope)
            ok = bind_column(st, next++, order->items[i], f->after);
        else
            ok = cv_sqlite_scope(r, NULL, (cv_scope_id){f->scope.room, f->after_scope}, &behind, NULL, err) &&
                 sqlite3_bind_int64(st, next++, behind) == SQLITE_OK;
    }
    if (f->since_rev > 0)
        ok = ok && sqlite3_bind_int64(st, next++, f->since_rev) == SQLITE_OK;
    return ok && sqlite3_bind_int64(st, next, limit) == SQLITE_OK;
}

/* No program writes the number that stands for an absent one. Who finds it in a damaged record gets its neighbour,
 * which no row may have either (cv_row_valid): it must not pass for what is absent. */
static int64_t read_number(sqlite3_stmt *st, int at)
{
    int64_t number = sqlite3_column_int64(st, at);
    if (number == 0 && sqlite3_column_type(st, at) == SQLITE_NULL)
        return CV_ABSENT;
    return number == CV_ABSENT ? CV_ABSENT + 1 : number;
}

static void read_row(sqlite3_stmt *st, const cv_find *f, uint64_t wanted, char *row)
{
    int next = 0;
    memcpy(row, &(int64_t){sqlite3_column_int64(st, next++)}, sizeof(int64_t));
    for (size_t i = 0; i < f->type->field_count; i++) {
        const cv_type_field *field = &f->type->fields[i];
        if (!(wanted >> i & 1))
            continue;
        if (cv_field_is_int(field)) {
            memcpy(row + field->offset, &(int64_t){read_number(st, next)}, sizeof(int64_t));
        } else {
            cv_str text = cv_sqlite_column_str(st, next);
            memcpy(row + field->offset, &text, sizeof text);
        }
        next++;
    }
}

static bool visit_all(cv_sqlite_record *r, sqlite3_stmt *st, const cv_find *f, bool across, cv_row_visit visit,
                      void *ctx, cv_err *err)
{
    _Alignas(max_align_t) char row[sizeof(int64_t) + CV_MAX_TYPE_FIELDS * sizeof(cv_str)];
    const uint64_t wanted = cv_find_fields(f);
    int got = 0;
    bool ok = true;
    assert(f->type->size <= sizeof row);
    cv_row_clear(f->type, row);
    while (ok && (got = cv_sqlite_step(st)) > 0) {
        read_row(st, f, wanted, row);
        cv_str name = across ? cv_sqlite_column_str(st, sqlite3_column_count(st) - 1) : f->scope.name;
        ok = visit(ctx, (cv_scope_id){f->scope.room, name}, row, err);
    }
    return got >= 0 ? ok : cv_sqlite_fail(r->s, "read the record", err);
}

static bool find_in(cv_sqlite_record *r, const cv_find *find, bool across, int64_t scope, cv_row_visit visit, void *ctx,
                    cv_err *err)
{
    cv_order order = cv_find_order(find);
    if (cv_find_ends(find, &order))
        return true;
    sqlite3_stmt *st = statement(r, find, &order, across);
    cv_err_code before = err->code;
    if (!st || !bind(r, st, find, &order, across, scope, err))
        return err->code != before ? false : cv_sqlite_fail(r->s, "read the record", err);
    bool ok = visit_all(r, st, find, across, visit, ctx, err);
    sqlite3_reset(st);
    return ok;
}

bool cv_sqlite_find(cv_record *record, const cv_find *find, cv_row_visit visit, void *ctx, cv_err *err)
{
    cv_sqlite_record *r = (cv_sqlite_record *)record;
    int64_t scope = 0;
    assert(find->equal <= (find->index ? find->index->count : find->type->key_count) && (!find->equal || find->like));
    if (find->index && find->index->across)
        return find_in(r, find, true, 0, visit, ctx, err);
    bool ok = cv_sqlite_scope_begin(r, NULL, find->scope, &scope, NULL, err) &&
              (scope == 0 || find_in(r, find, false, scope, visit, ctx, err));
    cv_sqlite_scope_end(r);
    return ok;
}
