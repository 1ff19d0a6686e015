/* statements.c - statements that are made from a type's table; rows as parameters and columns.
 *
 *     $fields    "number", "title", "body"          $rows     (?, ?, ?, ?, ?), (?, ?, ?, ?, ?), …
 *     $keys      "number"                           $values   ?
 *     $updates   , "title" = excluded."title", …
 *
 * All names are quoted: a field may be called like a word of SQL. Parameters follow each other in the order of the
 * text.
 */
#include <assert.h>

#include "record/sqlite/engine.h"

/* ---- texts ------------------------------------------------------------------------------------------------------
 */

static sqlite3_stmt *prepare(cv_sqlite_record *r, const char *text)
{
    sqlite3_stmt *st = NULL;
    sqlite3_prepare_v3(r->s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);
    return st;
}

const char *cv_sqlite_fill(cv_arena *a, const char *text, const cv_sqlite_word *words, size_t count)
{
    cv_buf out = {0};
    while (*text) {
        size_t length = 0, i = 0;
        if (*text == '$')
            for (length = 1; cv_is_lower(text[length]) || text[length] == '_'; length++)
                ;
        while (length && i < count && (strlen(words[i].name) != length || memcmp(words[i].name, text, length) != 0))
            i++;
        assert(!length || i < count);
        if (length)
            cv_buf_add(&out, words[i].text);
        else
            cv_buf_add_char(&out, *text);
        text += length ? length : 1;
    }
    return cv_arena_copy_z(a, cv_buf_take(&out, a));
}

/* ---- made from a type ----------------------------------------------------------------------------------------------
 */

cv_sqlite_type *cv_sqlite_type_of(cv_sqlite_record *r, const cv_type *type)
{
    size_t i = 0;
    while (i < r->type_count && r->types[i].type != type)
        i++;
    assert(i < r->type_count); /* every type is registered */
    return &r->types[i];
}

/* One piece of text for each of the fields from `from` to `to`, with the field's name twice at most. */
static cv_str list(cv_arena *a, const cv_type *type, size_t from, size_t to, const char *each, const char *between)
{
    cv_buf out = {0};
    for (size_t i = from; i < to; i++) {
        cv_buf_add_z(&out, i > from ? between : "");
        for (const char *p = each; *p; p++) {
            if (*p == '@')
                cv_buf_add(&out, type->fields[i].name);
            else
                cv_buf_add_char(&out, *p);
        }
    }
    return cv_buf_take(&out, a);
}

/* The parameters of as many rows: scope, rev unless they are volatile, and the fields. */
static cv_str list_rows(cv_arena *a, const cv_type *type, size_t rows)
{
    cv_buf out = {0};
    cv_str fields = list(a, type, 0, type->field_count, "?", ", ");
    for (size_t i = 0; i < rows; i++) {
        cv_buf_add_z(&out, i > 0 ? ", " : "");
        cv_buf_add_z(&out, type->life == CV_VOLATILE ? "(?, " : "(?, ?, ");
        cv_buf_add(&out, fields);
        cv_buf_add_char(&out, ')');
    }
    return cv_buf_take(&out, a);
}

/* `rows`: that it puts; `field`: that it redacts. */
static sqlite3_stmt *make(cv_sqlite_record *r, const cv_type *type, const char *name, size_t rows,
                          const cv_type_field *field)
{
    cv_arena scratch = {0};
    size_t keys = type->key_count, all = type->field_count;
    const cv_sqlite_word words[] = {
        {"$table", cv_str_of(type->table)},
        {"$fields", list(&scratch, type, 0, all, "\"@\"", ", ")},
        {"$rows", list_rows(&scratch, type, rows)},
        {"$values", list(&scratch, type, 0, keys, "?", ", ")},
        {"$keys", list(&scratch, type, 0, keys, "\"@\"", ", ")},
        {"$updates", list(&scratch, type, keys, all, ", \"@\" = excluded.\"@\"", "")},
        {"$field", field ? cv_arena_printf(&scratch, "\"%.*s\"", CV_FMT(field->name)) : CV_STR("")},
    };
    sqlite3_stmt *st = prepare(r, cv_sqlite_fill(&scratch, cv_sqlite_text(r->s, name), words, CV_COUNT(words)));
    cv_arena_release(&scratch);
    return st;
}

sqlite3_stmt *cv_sqlite_put(cv_sqlite_record *r, cv_sqlite_type *t, bool many)
{
    static const char *const names[] = {[CV_ADDED] = "put_added",
                                        [CV_REPLACED] = "put_replaced",
                                        [CV_GROUPED] = "put_replaced",
                                        [CV_VOLATILE] = "put_volatile"};
    _Static_assert(CV_COUNT(names) == CV_VOLATILE + 1, "a statement for every life of a row");
    sqlite3_stmt **st = many ? &t->put_many : &t->put;
    if (!*st)
        *st = make(r, t->type, names[t->type->life], many ? CV_SQLITE_MANY : 1, NULL);
    return *st;
}

sqlite3_stmt *cv_sqlite_remove(cv_sqlite_record *r, cv_sqlite_type *t)
{
    if (!t->remove)
        t->remove = make(r, t->type, "remove", 0, NULL);
    return t->remove;
}

sqlite3_stmt *cv_sqlite_redact(cv_sqlite_record *r, cv_sqlite_type *t, const cv_type_field *field)
{
    return make(r, t->type, "redact", 0, field);
}

sqlite3_stmt *cv_sqlite_strays(cv_sqlite_record *r, const cv_type *type)
{
    return make(r, type, "strays", 0, NULL);
}

/* ---- rows
 * ------------------------------------------------------------------------------------------------------------ */

bool cv_sqlite_bind_field(sqlite3_stmt *st, int parameter, const cv_type_field *field, const void *row)
{
    if (cv_field_is_int(field)) {
        int64_t number = cv_row_int(row, field->offset);
        return (number == CV_ABSENT ? sqlite3_bind_null(st, parameter) : sqlite3_bind_int64(st, parameter, number)) ==
               SQLITE_OK;
    }
    cv_str text = cv_row_text(row, field->offset);
    return sqlite3_bind_text64(st, parameter, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
}

bool cv_sqlite_bind_key(sqlite3_stmt *st, int first, const cv_type *type, const void *row)
{
    bool ok = true;
    for (size_t i = 0; ok && i < type->key_count; i++)
        ok = cv_sqlite_bind_field(st, first + (int)i, &type->fields[i], row);
    return ok;
}
