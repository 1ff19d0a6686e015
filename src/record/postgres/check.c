/* check.c - the live schema against the tables of types.
 *
 * CREATE TABLE is written by hand, everything else comes from the types: here both are compared. A table has the
 * columns of its type and no others, with their types and the order of bytes for texts; scope and key are its primary
 * key; it has the indexes that the type declares: these and no others. No trigger is switched off, and the functions
 * are those of the migrations.
 */
#include <assert.h>

#include "record/postgres/connection.h"

typedef struct {
    cv_str table, name, type, collation;
    bool not_null;
} column;

typedef struct {
    cv_str table, name, columns; /* "scope,rev,id" */
    bool is_unique, is_primary, is_valid;
    cv_str condition; /* of a partial one: "(agent IS NOT NULL)" */
} live_index;

typedef struct {
    cv_str name, body;
} function;

typedef struct {
    cv_postgres *c;
    cv_arena *a;
    const cv_type *type;
    struct {
        function *items;
        size_t count, capacity;
    } functions;
    struct {
        column *items;
        size_t count, capacity;
    } columns;
    struct {
        live_index *items;
        size_t count, capacity;
    } indexes;
    cv_err *err;
} checking;

static bool wrong(checking *k, cv_str what)
{
    cv_err_set(k->err, CV_ERR_SCHEMA, "the table %s is not what the type '%.*s' says: %.*s", k->type->table,
               CV_FMT(k->type->name), CV_FMT(what));
    cv_err_file(k->err, k->c->address.text);
    cv_err_suggest(k->err, CV_STR("change the migration or the type's table of fields, so that both agree; where "
                                  "somebody changed the table by hand, undo that"));
    return false;
}

/* ---- what there is ------------------------------------------------------------------------------------------------
 */

static bool see_column(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    checking *k = ctx;
    (void)err;
    *CV_PUSH(k->a, &k->columns) = (column){.table = cv_arena_copy(k->a, cv_postgres_column(row, 0)),
                                           .name = cv_arena_copy(k->a, cv_postgres_column(row, 1)),
                                           .type = cv_arena_copy(k->a, cv_postgres_column(row, 2)),
                                           .not_null = cv_postgres_column_int(row, 3) == 1,
                                           .collation = cv_arena_copy(k->a, cv_postgres_column(row, 4))};
    return true;
}

static bool see_index(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    checking *k = ctx;
    (void)err;
    *CV_PUSH(k->a, &k->indexes) = (live_index){.table = cv_arena_copy(k->a, cv_postgres_column(row, 0)),
                                               .name = cv_arena_copy(k->a, cv_postgres_column(row, 1)),
                                               .is_unique = cv_postgres_column_int(row, 2) == 1,
                                               .is_primary = cv_postgres_column_int(row, 3) == 1,
                                               .is_valid = cv_postgres_column_int(row, 4) == 1,
                                               .condition = cv_arena_copy(k->a, cv_postgres_column(row, 5)),
                                               .columns = cv_arena_copy(k->a, cv_postgres_column(row, 6))};
    return true;
}

static bool see_trigger(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    const checking *k = ctx;
    cv_err_set(err, CV_ERR_SCHEMA,
               "the trigger %.*s of the table %.*s is switched off: what is written could be changed",
               CV_FMT(cv_postgres_column(row, 1)), CV_FMT(cv_postgres_column(row, 0)));
    cv_err_file(err, k->c->address.text);
    cv_err_suggest(err, CV_STR("switch it on again: ALTER TABLE … ENABLE TRIGGER …; then run 'conclave verify'"));
    return false;
}

/* ---- functions ----------------------------------------------------------------------------------------------------
 */

static bool see_function(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    checking *k = ctx;
    (void)err;
    *CV_PUSH(k->a, &k->functions) =
        (function){cv_arena_copy(k->a, cv_postgres_column(row, 0)), cv_arena_copy(k->a, cv_postgres_column(row, 1))};
    return true;
}

static bool check_function(checking *k, cv_str name, cv_str body)
{
    const char *fault = "is missing";
    for (size_t i = 0; i < k->functions.count; i++)
        if (cv_str_eq(k->functions.items[i].name, name))
            fault = cv_str_eq(k->functions.items[i].body, body) ? NULL : "is not the one that the migrations make";
    if (!fault)
        return true;
    cv_err_set(k->err, CV_ERR_SCHEMA, "the function %.*s of the schema %s %s", CV_FMT(name), k->c->address.schema,
               fault);
    cv_err_file(k->err, k->c->address.text);
    cv_err_suggest(k->err, CV_STR("ask the owner of the schema to make it as sql/postgres/ has it: CREATE OR REPLACE "
                                  "FUNCTION …; then run 'conclave verify'"));
    return false;
}

/* CREATE FUNCTION $schema.NAME(…) … AS $$BODY$$ */
static bool check_functions(checking *k)
{
    static const cv_str begin = CV_STR_INIT("CREATE FUNCTION $schema."), quote = CV_STR_INIT("$$");
    bool ok = true;
    for (size_t i = 0; ok && i < cv_sql_postgres_schema.count; i++) {
        cv_str rest = cv_str_of(cv_sql_postgres_schema.items[i].text);
        for (size_t at; ok && (at = cv_str_find(rest, begin)) != SIZE_MAX;) {
            rest = cv_str_from(rest, at + begin.n);
            cv_str name = cv_str_head(rest, cv_str_find_char(rest, '('));
            rest = cv_str_from(rest, cv_str_find(rest, quote) + quote.n);
            size_t end = cv_str_find(rest, quote);
            ok = check_function(k, name, cv_str_head(rest, end));
            rest = cv_str_from(rest, end + quote.n);
        }
    }
    return ok;
}

static bool read_schema(checking *k)
{
    static const struct {
        const char *name;
        cv_postgres_visit visit;
    } asked[] = {{"schema_columns", see_column},
                 {"schema_indexes", see_index},
                 {"schema_functions", see_function},
                 {"schema_triggers_off", see_trigger}};
    cv_postgres_batch batch = {.arena = k->a};
    for (size_t i = 0; i < CV_COUNT(asked); i++) {
        cv_postgres_statement *st =
            cv_postgres_add(&batch, "read the schema", cv_postgres_statement_text(asked[i].name));
        cv_postgres_text(st, cv_str_of(k->c->address.schema));
        cv_postgres_rows(st, asked[i].visit, k);
    }
    return cv_postgres_run_again(k->c, &batch, k->err) == CV_POSTGRES_OK;
}

/* ---- columns ------------------------------------------------------------------------------------------------------
 */

static const column *find_column(const checking *k, cv_str name)
{
    for (size_t i = 0; i < k->columns.count; i++)
        if (cv_str_eq(k->columns.items[i].table, cv_str_of(k->type->table)) &&
            cv_str_eq(k->columns.items[i].name, name))
            return &k->columns.items[i];
    return NULL;
}

static bool check_column(checking *k, cv_str name, cv_str type, bool required)
{
    const column *live = find_column(k, name);
    bool is_text = cv_str_eq(type, CV_STR("text"));
    const char *fault = !live                          ? "is missing"
                        : !cv_str_eq(live->type, type) ? "has another type"
                        : required && !live->not_null  ? "may be NULL"
                        : is_text && !cv_str_eq(live->collation, CV_STR("C"))
                            ? "is not ordered by bytes (COLLATE \"C\")"
                            : NULL;
    return !fault || wrong(k, cv_arena_printf(k->a, "the column %.*s (%.*s) %s", CV_FMT(name), CV_FMT(type), fault));
}

/* The feed's order is the engine's own. */
static bool is_known(const checking *k, cv_str name)
{
    return cv_str_eq(name, CV_STR("scope")) || (k->type->life != CV_VOLATILE && cv_str_eq(name, CV_STR("rev"))) ||
           cv_type_field_named(k->type, name) ||
           (k->type == &cv_commit_row_type && (cv_str_eq(name, CV_STR("era")) || cv_str_eq(name, CV_STR("xid"))));
}

static bool check_columns(checking *k)
{
    if (!find_column(k, CV_STR("scope")))
        return wrong(k, CV_STR("it is missing, or has no column scope"));
    bool ok = check_column(k, CV_STR("scope"), CV_STR("uuid"), true) &&
              (k->type->life == CV_VOLATILE || check_column(k, CV_STR("rev"), CV_STR("bigint"), true));
    for (size_t i = 0; ok && i < k->type->field_count; i++) {
        const cv_type_field *field = &k->type->fields[i];
        ok = check_column(k, field->name, cv_field_is_int(field) ? CV_STR("bigint") : CV_STR("text"),
                          field->role == CV_KEY);
    }
    for (size_t i = 0; ok && i < k->columns.count; i++) {
        const column *live = &k->columns.items[i];
        if (cv_str_eq(live->table, cv_str_of(k->type->table)) && !is_known(k, live->name))
            ok = wrong(k, cv_arena_printf(k->a, "it has a column %.*s", CV_FMT(live->name)));
    }
    return ok;
}

/* ---- indexes ------------------------------------------------------------------------------------------------------
 */

static void add_name(checking *k, cv_texts *to, cv_str name)
{
    for (size_t i = 0; i < to->count; i++)
        if (cv_str_eq(to->items[i], name))
            return;
    *CV_PUSH(k->a, to) = name;
}

static void add_key(checking *k, cv_texts *to)
{
    add_name(k, to, CV_STR("scope"));
    for (size_t i = 0; i < k->type->key_count; i++)
        add_name(k, to, k->type->fields[i].name);
}

static cv_texts index_columns(checking *k, const cv_index *index)
{
    cv_texts columns = {0};
    if (!index->across)
        add_name(k, &columns, CV_STR("scope"));
    for (size_t i = 0; i < index->count; i++)
        add_name(k, &columns, index->at[i] ? cv_type_at(k->type, index->at[i])->name : CV_STR("rev"));
    add_key(k, &columns);
    return columns;
}

/* `columns` are the wanted ones; a unique index may end before the rest of the key. */
static bool fits(const live_index *live, const cv_texts *columns, size_t least)
{
    cv_str rest = live->columns, one;
    size_t i = 0;
    for (; cv_str_split(&rest, ',', &one); i++)
        if (i == columns->count || !cv_str_eq(one, columns->items[i]))
            return false;
    return i >= (live->is_unique ? least : columns->count);
}

/* A field that may be NULL is in the condition of its index, and there is no other condition. */
static bool check_condition(checking *k, const live_index *live, const cv_texts *columns)
{
    cv_texts optional = {0};
    for (size_t i = 0; i < columns->count; i++)
        if (!find_column(k, columns->items[i])->not_null)
            add_name(k, &optional, columns->items[i]);
    if (optional.count == 0 && live->condition.n == 0)
        return true;
    for (size_t i = 0; i < optional.count; i++)
        if (cv_str_find(live->condition, cv_arena_printf(k->a, "(%.*s IS NOT NULL)", CV_FMT(optional.items[i]))) ==
            SIZE_MAX)
            return wrong(k, cv_arena_printf(k->a, "the index %.*s needs WHERE %.*s IS NOT NULL", CV_FMT(live->name),
                                            CV_FMT(optional.items[i])));
    return optional.count > 0 || wrong(k, cv_arena_printf(k->a, "the index %.*s has a condition: %.*s",
                                                          CV_FMT(live->name), CV_FMT(live->condition)));
}

/* Rows that are mostly read together, and events, which every write adds, have the index of their key alone. The rev of
 * rows that nobody searches has none. Commits have one each. */
static bool is_made(const cv_type *type, const cv_index *index)
{
    if (index->across || type == &cv_commit_row_type)
        return true;
    return !type->whole && type != &cv_event_row_type && (index->at[0] != 0 || type->search);
}

static bool check_index(checking *k, const cv_index *index)
{
    cv_str name = cv_arena_printf(k->a, "%s_%s", k->type->table, index->name);
    cv_texts columns = index_columns(k, index);
    const live_index *live = NULL;
    for (size_t i = 0; i < k->indexes.count; i++)
        if (cv_str_eq(k->indexes.items[i].name, name))
            live = &k->indexes.items[i];
    cv_str wanted = cv_arena_list(k->a, columns.items, columns.count);
    if (!live)
        return wrong(k, cv_arena_printf(k->a, "the index %.*s (%.*s) is missing", CV_FMT(name), CV_FMT(wanted)));
    if (!live->is_valid)
        return wrong(k, cv_arena_printf(k->a, "the index %.*s is not valid: REINDEX INDEX rebuilds it", CV_FMT(name)));
    if (!fits(live, &columns, index->count + !index->across))
        return wrong(k, cv_arena_printf(k->a, "the index %.*s (%.*s) is on %.*s", CV_FMT(name), CV_FMT(wanted),
                                        CV_FMT(live->columns)));
    return check_condition(k, live, &columns);
}

/* That of the feed is the engine's own. */
static bool is_declared(const checking *k, cv_str name)
{
    size_t prefix = strlen(k->type->table) + 1;
    return cv_type_index(k->type, cv_arena_copy_z(k->a, cv_str_from(name, prefix))) ||
           (k->type == &cv_commit_row_type && cv_str_eq(name, CV_STR("commits_feed")));
}

static bool check_indexes(checking *k)
{
    cv_texts key = {0};
    bool keyed = false;
    add_key(k, &key);
    for (size_t i = 0; i < k->indexes.count; i++) {
        const live_index *live = &k->indexes.items[i];
        if (!cv_str_eq(live->table, cv_str_of(k->type->table)))
            continue;
        keyed = keyed || (live->is_primary && live->is_valid && fits(live, &key, key.count));
        if (!live->is_primary && !is_declared(k, live->name))
            return wrong(k, cv_arena_printf(k->a, "no type declares the index %.*s", CV_FMT(live->name)));
    }
    if (!keyed)
        return wrong(k,
                     cv_arena_printf(k->a, "its key is not (%.*s)", CV_FMT(cv_arena_list(k->a, key.items, key.count))));
    for (size_t i = 0; i < k->type->index_count; i++)
        if (is_made(k->type, &k->type->indexes[i]) && !check_index(k, &k->type->indexes[i]))
            return false;
    return true;
}

bool cv_postgres_check_schema(cv_postgres *c, cv_arena *a, const cv_type *const *types, size_t count, cv_err *err)
{
    checking k = {.c = c, .a = a, .err = err};
    bool ok = read_schema(&k) && check_functions(&k);
    for (size_t i = 0; ok && i < count; i++) {
        k.type = types[i];
        ok = check_columns(&k) && check_indexes(&k);
    }
    return ok;
}
