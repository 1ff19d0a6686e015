/* scope.c - a whole scope: as JSON and back, and from one store to another; see scope.h. */
#include "record/scope.h"

#include <assert.h>

#include "base/limits.h"

/* ---- which types, in which order ----------------------------------------------------------------------------------
 */

typedef struct {
    const cv_type *items[CV_MAX_TYPES];
    size_t count;
} type_list;

static void types_of(const cv_types *types, cv_str room, type_list *ret)
{
    const cv_room_types *own = cv_types_of(types, room);
    ret->count = 0;
    for (size_t i = 0; own && i < own->count; i++)
        if (own->types[i]->life != CV_VOLATILE)
            ret->items[ret->count++] = own->types[i];
    ret->items[ret->count++] = &cv_event_row_type;
    ret->items[ret->count++] = &cv_commit_row_type;
    assert(ret->count <= CV_MAX_TYPES && "cv_types_check has counted them");
}

/* Commits go by their revs, so that a copy has them in the same order. */
static bool each_row(cv_record *record, cv_scope_id scope, const cv_type *type, cv_row_visit visit, void *ctx,
                     cv_err *err)
{
    const cv_find find = {
        .type = type, .index = type == &cv_commit_row_type ? cv_commits_by_rev : NULL, .scope = scope, .flat = true};
    return record->calls->find(record, &find, visit, ctx, err);
}

static bool missing(cv_scope_id scope, cv_err *err)
{
    return cv_err_set(err, CV_ERR_INVALID_VALUE, "there is no '%.*s' in the room %.*s", CV_FMT(scope.name),
                      CV_FMT(scope.room));
}

/* ---- loading and restoring ----------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    const cv_type *type;
    char *items;
    size_t count, capacity;
} loading;

static bool load_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    loading *l = ctx;
    (void)scope, (void)err;
    if (l->count == l->capacity)
        l->items = cv_arena_grow(l->arena, l->items, l->count, &l->capacity, l->type->size);
    assert(l->count < l->capacity);
    memcpy(l->items + l->count++ * l->type->size, cv_row_copy(l->arena, l->type, row), l->type->size);
    return true;
}

bool cv_scope_load(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_rows *ret, cv_err *err)
{
    type_list types;
    *ret = (cv_scope_rows){.scope = scope};
    types_of(record->types, scope.room, &types);
    ret->items = CV_NEW_ARRAY(a, types.count, cv_rows);
    if (!record->calls->begin(record, a, scope, &ret->at, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < types.count; i++) {
        loading l = {.arena = a, .type = types.items[i]};
        ok = each_row(record, scope, l.type, load_row, &l, err);
        ret->items[ret->count++] = (cv_rows){l.type, l.items, l.count};
    }
    record->calls->end(record);
    assert(!ok || ret->count == types.count);
    return ok;
}

cv_write_result cv_scope_restore(cv_record *record, cv_arena *a, const cv_scope_rows *rows, bool copied, cv_err *err)
{
    cv_write write = {.at = rows->at, .rows = rows->items, .count = rows->count, .restored = true, .copied = copied};
    cv_commit_row ignored;
    return cv_record_write(record, a, rows->scope, &(cv_scope_position){0}, &write, &ignored, err);
}

/* ---- printing -----------------------------------------------------------------------------------------------------
 */

static void print_int(cv_json_writer *w, int64_t value)
{
    if (value == CV_ABSENT)
        cv_json_null(w);
    else
        cv_json_int(w, value);
}

typedef struct {
    cv_json_writer *w;
    const cv_type *type;
} printing;

bool cv_scope_printable(cv_scope_id scope, const cv_type *type, const void *row, cv_err *err)
{
    cv_arena scratch = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        cv_json ignored;
        cv_err why = {.arena = &scratch};
        if (field->type != CV_JSON || !cv_row_has(field, row) ||
            cv_json_parse(&scratch, cv_row_text(row, field->offset), &ignored, &why))
            continue;
        cv_str place = cv_row_name(&scratch, type, row);
        ok = cv_err_set(err, CV_ERR_CORRUPT, "%.*s '%.*s': %.*s: %.*s: expected JSON, found other text",
                        CV_FMT(scope.room), CV_FMT(scope.name), CV_FMT(place), CV_FMT(field->name));
        cv_err_value(err, place);
        cv_err_suggest(err, CV_STR("the record was changed: keep this copy and restore the last backup that verifies"));
    }
    cv_arena_release(&scratch);
    return ok;
}

static bool print_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const printing *p = ctx;
    if (!cv_scope_printable(scope, p->type, row, err))
        return false;
    cv_json_begin_array(p->w);
    print_int(p->w, cv_row_rev(row));
    for (size_t i = 0; i < p->type->field_count; i++) {
        const cv_type_field *field = &p->type->fields[i];
        if (cv_field_is_int(field))
            print_int(p->w, cv_row_int(row, field->offset));
        else if (!cv_row_has(field, row))
            cv_json_null(p->w);
        else if (field->type == CV_JSON)
            cv_json_raw(p->w, cv_row_text(row, field->offset));
        else
            cv_json_str(p->w, cv_row_text(row, field->offset));
    }
    cv_json_end_array(p->w);
    return cv_buf_ok(p->w->out) || cv_err_set(err, CV_ERR_IO, "cannot write the rows");
}

static bool print_type(cv_record *record, cv_scope_id scope, const cv_type *type, cv_json_writer *w, cv_err *err)
{
    printing p = {w, type};
    cv_json_key(w, type->name);
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("fields"));
    cv_json_begin_array(w);
    cv_json_str(w, CV_STR("rev"));
    for (size_t i = 0; i < type->field_count; i++)
        cv_json_str(w, type->fields[i].name);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("rows"));
    cv_json_begin_array(w);
    bool ok = each_row(record, scope, type, print_row, &p, err);
    cv_json_end_array(w);
    cv_json_end_object(w);
    return ok;
}

bool cv_scope_print(cv_record *record, cv_arena *a, cv_scope_id scope, cv_json_writer *w, cv_err *err)
{
    type_list types;
    cv_scope_position at;
    types_of(record->types, scope.room, &types);
    if (!record->calls->begin(record, a, scope, &at, err))
        return false;
    bool ok = at.rev > 0 || missing(scope, err);
    if (ok) {
        cv_json_begin_object(w);
        cv_json_key_str(w, "room", scope.room);
        cv_json_key_str(w, "name", scope.name);
        cv_json_key_int(w, "rev", at.rev);
        cv_json_key_int(w, "events", at.event_count);
        cv_json_key_str(w, "head", at.head);
        cv_json_key(w, CV_STR("types"));
        cv_json_begin_object(w);
        for (size_t i = 0; ok && i < types.count; i++)
            ok = print_type(record, scope, types.items[i], w, err);
        cv_json_end_object(w);
        cv_json_end_object(w);
    }
    record->calls->end(record);
    return ok;
}

/* ---- parsing ------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena *arena;
    cv_errs *errs;
    const cv_type *type;
    size_t row;
    const cv_type_field **columns; /* the field of each column; NULL: the rev */
    size_t column_count;
} parsing;

static void refuse(const parsing *p, cv_str field, const char *what)
{
    if (p->errs->count >= CV_MAX_FAULTS)
        return;
    cv_err *err = cv_errs_add(p->errs, p->arena, CV_ERR_INVALID_VALUE, "%s", what);
    cv_err_field(err, cv_arena_printf(p->arena, "types.%.*s.rows[%zu]%s%.*s", CV_FMT(p->type->name), p->row,
                                      field.n ? "." : "", CV_FMT(field)));
}

static int64_t parse_int(const parsing *p, cv_str field, const cv_json *value)
{
    int64_t parsed = CV_ABSENT;
    if (value->type != CV_JSON_NULL && !cv_json_to_int(value, &parsed))
        refuse(p, field, "must be a whole number or null");
    return parsed;
}

static cv_str parse_text(const parsing *p, const cv_type_field *field, const cv_json *value)
{
    if (value->type == CV_JSON_NULL)
        return (cv_str){NULL, 0};
    if (field->type == CV_JSON) {
        cv_buf printed = {0};
        cv_json_value(&(cv_json_writer){.out = &printed}, value);
        return cv_buf_take(&printed, p->arena);
    }
    if (value->type != CV_JSON_STRING)
        refuse(p, field->name, "must be text or null");
    else if (value->text.n && memchr(value->text.p, '\0', value->text.n))
        refuse(p, field->name, "must be text without NUL");
    return value->type == CV_JSON_STRING && value->text.p ? value->text : CV_STR("");
}

static void parse_row(const parsing *p, const cv_json *values, char *to)
{
    cv_row_clear(p->type, to);
    if (values->type != CV_JSON_ARRAY || values->count != p->column_count) {
        refuse(p, (cv_str){NULL, 0}, "must be a list with one value for each field");
        return;
    }
    assert(p->columns && p->column_count <= CV_MAX_TYPE_FIELDS + 1);
    for (size_t i = 0; i < p->column_count; i++) {
        const cv_type_field *field = p->columns[i];
        if (!field || cv_field_is_int(field)) {
            int64_t value = parse_int(p, field ? field->name : CV_STR("rev"), &values->items[i]);
            memcpy(to + (field ? field->offset : 0), &value, sizeof value);
        } else {
            cv_str text = parse_text(p, field, &values->items[i]);
            memcpy(to + field->offset, &text, sizeof text);
        }
    }
    if (cv_row_rev(to) < 1)
        refuse(p, CV_STR("rev"), "must be 1 or more");
    if (p->type == &cv_commit_row_type && cv_row_rev(to) != (int64_t)p->row + 1)
        refuse(p, CV_STR("rev"), "must rise by one: there is a commit for every rev, in order");
    for (size_t i = 0; i < p->type->key_count; i++)
        if (!cv_row_has(&p->type->fields[i], to))
            refuse(p, p->type->fields[i].name, "is part of the key and must be there");
}

static bool parse_columns(parsing *p, const cv_json *names)
{
    if (!names || names->type != CV_JSON_ARRAY || names->count > CV_MAX_TYPE_FIELDS + 1)
        return false;
    p->columns = CV_NEW_ARRAY(p->arena, names->count, const cv_type_field *);
    p->column_count = names->count;
    bool has_rev = false;
    for (size_t i = 0; i < names->count; i++) {
        cv_str name = names->items[i].type == CV_JSON_STRING ? names->items[i].text : (cv_str){NULL, 0};
        bool is_rev = cv_str_eq(name, CV_STR("rev"));
        p->columns[i] = is_rev ? NULL : cv_type_field_named(p->type, name);
        if (!is_rev && !p->columns[i])
            return false;
        has_rev = has_rev || is_rev;
    }
    return has_rev;
}

static void parse_type(parsing *p, const cv_json *types, cv_rows *ret)
{
    const cv_json *it = cv_json_get(types, p->type->name);
    *ret = (cv_rows){.type = p->type};
    if (!it) /* a type that did not exist then; but history always did */
        return;
    const cv_json *list = cv_json_get(it, CV_STR("rows"));
    if (!list || list->type != CV_JSON_ARRAY || !parse_columns(p, cv_json_get(it, CV_STR("fields")))) {
        cv_err *err = cv_errs_add(p->errs, p->arena, CV_ERR_INVALID_VALUE, "the fields are not those of this version");
        cv_err_field(err, cv_arena_printf(p->arena, "types.%.*s.fields", CV_FMT(p->type->name)));
        cv_err_suggest(err, CV_STR("import it with the version of conclave that exported it, or a later one"));
        return;
    }
    char *rows = cv_arena_array(p->arena, list->count, p->type->size);
    for (p->row = 0; p->row < list->count; p->row++)
        parse_row(p, &list->items[p->row], rows + p->row * p->type->size);
    ret->rows = rows;
    ret->count = list->count;
}

/* A type that this program does not know would be lost. */
static void refuse_unknown(const type_list *known, const cv_json *types, cv_arena *a, cv_errs *errs)
{
    for (uint32_t i = 0; i < types->count; i++) {
        size_t k = 0;
        while (k < known->count && !cv_str_eq(known->items[k]->name, types->members[i].key))
            k++;
        if (k == known->count && errs->count < CV_MAX_FAULTS)
            cv_err_field(cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "this version does not know rows of this type"),
                         cv_arena_printf(a, "types.%.*s", CV_FMT(types->members[i].key)));
    }
}

bool cv_scope_parse(const cv_types *types, cv_arena *a, const cv_json *document, cv_scope_rows *ret, cv_errs *errs)
{
    size_t before = errs->count;
    type_list known;
    const cv_json *rows = cv_json_get(document, CV_STR("types"));
    *ret = (cv_scope_rows){.scope = {cv_json_get_text(document, "room"), cv_json_get_text(document, "name")},
                           .at = {.rev = cv_json_get_int(document, "rev", 0),
                                  .head = cv_json_get_text(document, "head"),
                                  .event_count = cv_json_get_int(document, "events", 0)}};
    if (!cv_types_of(types, ret->scope.room))
        cv_err_field(cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "there is no such room"), CV_STR("room"));
    if (!ret->scope.name.n)
        cv_err_field(cv_errs_add(errs, a, CV_ERR_MISSING_FIELD, "must be text"), CV_STR("name"));
    if (ret->at.rev < 1 || ret->at.event_count < ret->at.rev || !ret->at.head.n)
        cv_err_field(cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "rev, events and head are missing or wrong"),
                     CV_STR("rev"));
    if (!rows || rows->type != CV_JSON_OBJECT) {
        cv_err_field(cv_errs_add(errs, a, CV_ERR_MISSING_FIELD, "must be an object with the rows of each type"),
                     CV_STR("types"));
        return false;
    }
    types_of(types, ret->scope.room, &known);
    refuse_unknown(&known, rows, a, errs);
    ret->items = CV_NEW_ARRAY(a, known.count, cv_rows);
    for (size_t i = 0; i < known.count; i++) {
        parsing p = {.arena = a, .errs = errs, .type = known.items[i]};
        parse_type(&p, rows, &ret->items[ret->count++]);
    }
    return errs->count == before;
}
