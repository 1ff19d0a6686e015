/* schema.c - the live schema against the tables of types.
 *
 * CREATE TABLE is written by hand, everything else comes from the types: here both are compared. A table has the
 * columns of its type and no others, a unique index over scope and key, a foreign key to the scopes, and the indexes
 * that the type declares: these and no others.
 */
#include "record/sqlite/engine.h"

typedef struct {
    cv_str name, type;
    bool not_null;
    bool known; /* the type has it */
} live_column;

typedef struct {
    cv_sqlite_record *r;
    cv_arena *a;
    const cv_type *type;
    struct {
        live_column *items;
        size_t count, capacity;
    } columns;
    cv_texts optional; /* columns that may be NULL */
    cv_err *err;
} checking;

static bool wrong(checking *c, cv_str what)
{
    cv_err_set(c->err, CV_ERR_SCHEMA, "the table %s is not what the type '%.*s' says: %.*s", c->type->table,
               CV_FMT(c->type->name), CV_FMT(what));
    cv_err_file(c->err, cv_str_of(c->r->s->path));
    cv_err_suggest(c->err, CV_STR("change the migration or the type's table of fields, so that both agree"));
    return false;
}

static sqlite3_stmt *ask(checking *c, const char *statement, const char *parameter, cv_str value)
{
    sqlite3_stmt *st = cv_sqlite_use(c->r->s, statement);
    return st && cv_sqlite_bind_str(st, parameter, value) ? st : NULL;
}

static size_t place_of(const cv_texts *list, cv_str name)
{
    size_t i = 0;
    while (i < list->count && !cv_str_eq(list->items[i], name))
        i++;
    return i;
}

/* ---- columns ------------------------------------------------------------------------------------------------------
 */

static void read_columns(checking *c)
{
    sqlite3_stmt *st = ask(c, "schema_columns", ":table", cv_str_of(c->type->table));
    while (st && cv_sqlite_step(st) > 0)
        *CV_PUSH(c->a, &c->columns) = (live_column){.name = cv_arena_copy(c->a, cv_sqlite_column_str(st, 0)),
                                                    .type = cv_arena_copy(c->a, cv_sqlite_column_str(st, 1)),
                                                    .not_null = sqlite3_column_int(st, 2) != 0};
    if (st)
        sqlite3_reset(st);
}

static bool check_column(checking *c, cv_str name, bool is_int, bool required)
{
    live_column *found = NULL;
    for (size_t i = 0; i < c->columns.count && !found; i++)
        if (cv_str_eq(c->columns.items[i].name, name))
            found = &c->columns.items[i];
    bool fits = found && cv_str_starts(found->type, is_int ? CV_STR("INT") : CV_STR("TEXT"));
    if (!fits || (required && !found->not_null))
        return wrong(c, cv_arena_printf(c->a, "the column %.*s %s", CV_FMT(name),
                                        !found  ? "is missing"
                                        : !fits ? (is_int ? "is not INT" : "is not TEXT")
                                                : "may be NULL"));
    found->known = true;
    if (!found->not_null)
        *CV_PUSH(c->a, &c->optional) = name;
    return true;
}

static bool check_columns(checking *c)
{
    sqlite3_stmt *st = ask(c, "schema_table", ":table", cv_str_of(c->type->table));
    bool there = st && cv_sqlite_step(st) > 0, strict = there && sqlite3_column_int(st, 0) == 1;
    if (st)
        sqlite3_reset(st);
    if (!strict)
        return wrong(c, there ? CV_STR("it is not STRICT") : CV_STR("it is missing"));
    read_columns(c);
    bool ok = check_column(c, CV_STR("scope"), true, true) &&
              (c->type->life == CV_VOLATILE || check_column(c, CV_STR("rev"), true, true));
    for (size_t i = 0; ok && i < c->type->field_count; i++) {
        const cv_type_field *field = &c->type->fields[i];
        ok = check_column(c, field->name, cv_field_is_int(field), field->role == CV_KEY);
    }
    for (size_t i = 0; ok && i < c->columns.count; i++) {
        const live_column *live = &c->columns.items[i];
        /* The feed's numbers are the engine's own. */
        bool own = c->type == &cv_commit_row_type && cv_str_eq(live->name, CV_STR("number"));
        ok = live->known || own || wrong(c, cv_arena_printf(c->a, "it has a column %.*s", CV_FMT(live->name)));
    }
    return ok;
}

static bool check_parent(checking *c)
{
    sqlite3_stmt *st = ask(c, "schema_parent", ":table", cv_str_of(c->type->table));
    bool ok = st && cv_sqlite_step(st) > 0 && sqlite3_column_int(st, 0) == 1;
    if (st)
        sqlite3_reset(st);
    return ok || wrong(c, CV_STR("its scope does not reference scopes (number)"));
}

/* ---- indexes ------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_str name;
    bool is_unique, partial, declared;
    cv_texts columns;
} live_index;

typedef struct {
    live_index *items;
    size_t count, capacity;
} live_indexes;

static void read_indexes(checking *c, live_indexes *ret)
{
    sqlite3_stmt *st = ask(c, "schema_indexes", ":table", cv_str_of(c->type->table));
    while (st && cv_sqlite_step(st) > 0)
        *CV_PUSH(c->a, ret) = (live_index){.name = cv_arena_copy(c->a, cv_sqlite_column_str(st, 0)),
                                           .is_unique = sqlite3_column_int(st, 1) != 0,
                                           .partial = sqlite3_column_int(st, 2) != 0,
                                           .declared = cv_str_eq(cv_sqlite_column_str(st, 3), CV_STR("c"))};
    if (st)
        sqlite3_reset(st);
    for (size_t i = 0; i < ret->count; i++) {
        st = ask(c, "schema_index", ":index", ret->items[i].name);
        while (st && cv_sqlite_step(st) > 0)
            *CV_PUSH(c->a, &ret->items[i].columns) = cv_arena_copy(c->a, cv_sqlite_column_str(st, 0));
        if (st)
            sqlite3_reset(st);
    }
}

static void add_name(checking *c, cv_texts *to, cv_str name)
{
    if (place_of(to, name) == to->count)
        *CV_PUSH(c->a, to) = name;
}

static cv_texts key_columns(checking *c)
{
    cv_texts key = {0};
    add_name(c, &key, CV_STR("scope"));
    for (size_t i = 0; i < c->type->key_count; i++)
        add_name(c, &key, c->type->fields[i].name);
    return key;
}

static cv_texts index_columns(checking *c, const cv_index *index)
{
    cv_texts columns = {0}, key = key_columns(c);
    if (!index->across)
        add_name(c, &columns, CV_STR("scope"));
    for (size_t i = 0; i < index->count; i++)
        add_name(c, &columns, index->at[i] ? cv_type_at(c->type, index->at[i])->name : CV_STR("rev"));
    for (size_t i = 0; i < key.count; i++)
        add_name(c, &columns, key.items[i]);
    return columns;
}

/* `columns` are the wanted ones; a unique index may end before the rest of the key. */
static bool fits(const live_index *live, const cv_texts *columns, size_t least)
{
    if (live->columns.count > columns->count || live->columns.count < (live->is_unique ? least : columns->count))
        return false;
    for (size_t i = 0; i < live->columns.count; i++)
        if (!cv_str_eq(live->columns.items[i], columns->items[i]))
            return false;
    return true;
}

/* No two rows of a scope have the same key. Commits are not read in the order of their op_ids: the index that finds an
 * op_id across scopes is enough. */
static bool is_key(const checking *c, const live_index *live, const cv_texts *key)
{
    bool unique = live->is_unique && !live->partial;
    if (c->type != &cv_commit_row_type)
        return unique && fits(live, key, key->count);
    for (size_t i = 0; unique && i < key->count; i++)
        unique = place_of(&live->columns, key->items[i]) < live->columns.count;
    return unique && live->columns.count == key->count;
}

static bool check_index(checking *c, const cv_index *index, const live_indexes *live)
{
    cv_str name = cv_arena_printf(c->a, "%s_%s", c->type->table, index->name);
    cv_texts columns = index_columns(c, index);
    const live_index *found = NULL;
    for (size_t i = 0; i < live->count; i++)
        if (cv_str_eq(live->items[i].name, name))
            found = &live->items[i];
    if (!found || !fits(found, &columns, index->count + !index->across))
        return wrong(c,
                     cv_arena_printf(
                         c->a, "the index %.*s (%.*s) %s%.*s", CV_FMT(name),
                         CV_FMT(cv_arena_list(c->a, columns.items, columns.count)), found ? "is on " : "is missing",
                         CV_FMT(found ? cv_arena_list(c->a, found->columns.items, found->columns.count) : CV_STR(""))));
    for (size_t i = 0; i < columns.count; i++)
        if (!found->partial && place_of(&c->optional, columns.items[i]) < c->optional.count)
            return wrong(c, cv_arena_printf(c->a, "the index %.*s needs WHERE %.*s IS NOT NULL", CV_FMT(name),
                                            CV_FMT(columns.items[i])));
    return true;
}

static bool check_indexes(checking *c)
{
    live_indexes live = {0};
    cv_texts key = key_columns(c);
    bool keyed = false;
    read_indexes(c, &live);
    for (size_t i = 0; i < live.count; i++) {
        const live_index *it = &live.items[i];
        keyed = keyed || is_key(c, it, &key);
        size_t prefix = strlen(c->type->table) + 1;
        if (it->declared && !cv_type_index(c->type, cv_arena_copy_z(c->a, cv_str_from(it->name, prefix))))
            return wrong(c, cv_arena_printf(c->a, "no type declares the index %.*s", CV_FMT(it->name)));
    }
    if (!keyed)
        return wrong(c,
                     cv_arena_printf(c->a, "its key is not (%.*s)", CV_FMT(cv_arena_list(c->a, key.items, key.count))));
    for (size_t i = 0; i < c->type->index_count; i++)
        if (!check_index(c, &c->type->indexes[i], &live))
            return false;
    return true;
}

bool cv_sqlite_check_schema(cv_sqlite_record *r, cv_arena *a, cv_err *err)
{
    for (size_t i = 0; i < r->type_count; i++) {
        checking c = {.r = r, .a = a, .type = r->types[i].type, .err = err};
        if (!check_columns(&c) || !check_parent(&c) || !check_indexes(&c))
            return false;
    }
    return true;
}
