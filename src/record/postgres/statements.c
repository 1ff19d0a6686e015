/* statements.c - statements by name, and those that are made from a type's table.
 *
 *     $fields    "number", "title", "body"          $arrays   $3::bigint[], $4::text[], $5::text[]
 *     $keys      "number"                           $columns  unnest($3), unnest($4), $5
 *     $updates   , "title" = excluded."title", …    $values   $2
 *     $changes   , "title" = given."title", …       $same     t."number" = given."number"
 *     $named     t."number"
 *
 * A column that is the same in all rows is sent once, as a value ($5 above): the server takes it as it is, where it
 * would have to take every element of an array apart. So one row is only values. What no row has is not sent at all
 * when rows are added: the column is NULL then.
 *
 * All names are quoted: a field may be called like a word of SQL.
 */
#include <assert.h>

#include "record/postgres/engine.h"

enum { MANY = 16 }; /* rows */

static const cv_postgres_shape all_fields = {0};

void cv_postgres_key_bytes(const char digits[CV_KNOWN_REV_KEY_DIGITS], uint8_t ret_bytes[CV_POSTGRES_UUID_BYTES])
{
    for (size_t i = 0; i < CV_POSTGRES_UUID_BYTES; i++) {
        const char *p = &digits[i * 2];
        ret_bytes[i] =
            (uint8_t)((p[0] <= '9' ? p[0] - '0' : p[0] - 'a' + 10) << 4 | (p[1] <= '9' ? p[1] - '0' : p[1] - 'a' + 10));
    }
}

cv_postgres_scope cv_postgres_scope_key(cv_scope_id scope)
{
    cv_arena a = {0};
    cv_postgres_scope key;
    cv_str hash = cv_hash_scope(&a, scope.room, scope.name);
    memcpy(key.digits, hash.p, CV_KNOWN_REV_KEY_DIGITS);
    cv_postgres_key_bytes(key.digits, key.bytes);
    cv_arena_release(&a);
    return key;
}

const char *cv_postgres_text_of(cv_postgres_record *r, const char *name)
{
    size_t i = 0;
    while (i < cv_sql_postgres_statement_count && strcmp(cv_sql_postgres_statements[i].name, name) != 0)
        i++;
    assert(i < cv_sql_postgres_statement_count);
    if (!r->texts)
        r->texts = CV_NEW_ARRAY(&r->arena, cv_sql_postgres_statement_count, const char *);
    if (!r->texts[i])
        r->texts[i] = cv_postgres_statement_in(&r->arena, r->c->address.schema, name);
    return r->texts[i];
}

cv_postgres_type *cv_postgres_type_of(cv_postgres_record *r, const cv_type *type)
{
    size_t i = 0;
    while (i < r->type_count && r->types[i].type != type)
        i++;
    assert(i < r->type_count); /* every type is registered */
    return &r->types[i];
}

/* One piece of text for each of the fields from `from` to `to`: '@' is its name, '#' a number that rises from `first`,
 * '%' the type of an array of it. */
static cv_str list(cv_arena *a, const cv_type *type, size_t from, size_t to, const char *each, const char *between,
                   size_t first)
{
    cv_buf out = {0};
    for (size_t i = from; i < to; i++) {
        cv_buf_add_z(&out, i > from ? between : "");
        for (const char *p = each; *p; p++) {
            if (*p == '@')
                cv_buf_add(&out, type->fields[i].name);
            else if (*p == '#')
                cv_buf_printf(&out, "%zu", first + i - from);
            else if (*p == '%')
                cv_buf_add_z(&out, cv_field_is_int(&type->fields[i]) ? "bigint[]" : "text[]");
            else
                cv_buf_add_char(&out, *p);
        }
    }
    return cv_buf_take(&out, a);
}

/* One piece of text for each of the fields that are sent: those of which all rows have the same are sent once. */
static cv_str sent(cv_arena *a, const cv_type *type, cv_postgres_shape shape, const char *once, const char *many,
                   size_t first)
{
    cv_buf out = {0};
    for (size_t i = 0; i < type->field_count; i++) {
        if (shape.absent >> i & 1)
            continue;
        cv_str one = list(a, type, i, i + 1, shape.same >> i & 1 ? once : many, "", first++);
        cv_buf_printf(&out, "%s%.*s", out.n ? ", " : "", CV_FMT(one));
    }
    return cv_buf_take(&out, a);
}

/* `first`: the number of the first parameter for fields. */
static const char *make(cv_postgres_record *r, cv_arena *a, const cv_type *type, const char *name, size_t first,
                        cv_postgres_shape shape, const cv_type_field *field)
{
    cv_arena scratch = {0};
    size_t keys = type->key_count, all = type->field_count;
    const cv_postgres_word words[] = {
        {"$table", cv_str_of(type->table)},
        {"$fields", sent(&scratch, type, shape, "\"@\"", "\"@\"", 0)},
        {"$arrays", list(&scratch, type, 0, all, "$#::%", ", ", first)},
        {"$columns", sent(&scratch, type, shape, "$#", "unnest($#)", first)},
        {"$values", list(&scratch, type, 0, keys, "$#", ", ", first)},
        {"$keys", list(&scratch, type, 0, keys, "\"@\"", ", ", 0)},
        {"$updates", list(&scratch, type, keys, all, ", \"@\" = excluded.\"@\"", "", 0)},
        {"$changes", list(&scratch, type, keys, all, ", \"@\" = given.\"@\"", "", 0)},
        {"$same", list(&scratch, type, 0, keys, "t.\"@\" = given.\"@\"", " AND ", 0)},
        {"$named", list(&scratch, type, 0, keys, "t.\"@\"", ", ", 0)},
        {"$field", field ? cv_arena_printf(&scratch, "\"%.*s\"", CV_FMT(field->name)) : CV_STR("")},
    };
    const char *text = cv_postgres_fill(a, cv_postgres_text_of(r, name), words, CV_COUNT(words));
    cv_arena_release(&scratch);
    return text;
}

static bool is_added(const cv_rows *rows, bool fresh)
{
    return rows->type->life == CV_ADDED || fresh;
}

static bool is_same(const cv_rows *rows, const cv_type_field *field)
{
    const char *first = rows->rows;
    size_t i = 1;
    while (i < rows->count && cv_row_compare_field(field, first, first + i * rows->type->size) == 0)
        i++;
    return i >= rows->count;
}

cv_postgres_shape cv_postgres_shape_of(const cv_rows *rows, bool fresh)
{
    cv_postgres_shape shape = {0};
    for (size_t i = 0; i < rows->type->field_count; i++) {
        const cv_type_field *field = &rows->type->fields[i];
        bool same = is_same(rows, field);
        shape.same |= (uint64_t)same << i;
        shape.absent |= (uint64_t)(same && is_added(rows, fresh) && !cv_row_has(field, rows->rows)) << i;
    }
    return shape;
}

const char *cv_postgres_put(cv_postgres_record *r, cv_arena *a, const cv_rows *rows, bool fresh,
                            cv_postgres_shape shape)
{
    const char *name = is_added(rows, fresh) ? "put_added" : rows->count > MANY ? "put_many_replaced" : "put_replaced";
    assert(rows->type->life != CV_VOLATILE && rows->type != &cv_event_row_type && rows->type != &cv_commit_row_type);
    return make(r, a, rows->type, name, 3, shape, NULL);
}

const char *cv_postgres_put_restored(cv_postgres_record *r, cv_postgres_type *t)
{
    bool is_commit = t->type == &cv_commit_row_type;
    assert(t->type->life != CV_VOLATILE);
    if (!t->put_restored)
        t->put_restored =
            make(r, &r->arena, t->type, is_commit ? "put_restored_commit" : "put_restored", 3, all_fields, NULL);
    return t->put_restored;
}

const char *cv_postgres_put_volatile(cv_postgres_record *r, cv_postgres_type *t)
{
    assert(t->type->life == CV_VOLATILE);
    if (!t->put_volatile)
        t->put_volatile = make(r, &r->arena, t->type, "put_volatile", 2, all_fields, NULL);
    return t->put_volatile;
}

const char *cv_postgres_remove(cv_postgres_record *r, cv_postgres_type *t)
{
    if (!t->remove)
        t->remove = make(r, &r->arena, t->type, "remove", 2, all_fields, NULL);
    return t->remove;
}

const char *cv_postgres_redact(cv_postgres_record *r, cv_arena *a, const cv_type *type, const cv_type_field *field)
{
    return make(r, a, type, "redact", 3, all_fields, field);
}

const char *cv_postgres_strays(cv_postgres_record *r, cv_arena *a, const cv_type *type)
{
    return make(r, a, type, "strays", 2, all_fields, NULL);
}

void cv_postgres_value_of(cv_postgres_statement *st, const cv_type_field *field, const void *row)
{
    if (cv_field_is_int(field))
        cv_postgres_int(st, cv_row_int(row, field->offset));
    else
        cv_postgres_text(st, cv_row_text(row, field->offset));
}
