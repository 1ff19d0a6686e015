/* rows.c - rows as JSON, and back; see rows.h. */
#include "dialogue/import/rows.h"

#include "base/limits.h"

static const cv_str rev_name = CV_STR_INIT("rev");

/* ---- writing ----------------------------------------------------------------------------------------------------- */

const cv_type *cv_rows_type(int kind)
{
    return kind == CV_ROWS_COMMIT ? &cv_commit_row_type : cv_kind_types[kind];
}

void cv_rows_print_fields(cv_json_writer *w, const cv_type *type)
{
    cv_json_str(w, rev_name);
    for (size_t i = 0; i < type->field_count; i++)
        cv_json_str(w, type->fields[i].name);
}

static void print_int(cv_json_writer *w, const char *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    if (value == CV_ABSENT)
        cv_json_null(w);
    else
        cv_json_int(w, value);
}

static void print_text(cv_json_writer *w, const char *at, bool is_json)
{
    cv_str text;
    memcpy(&text, at, sizeof text);
    if (!text.p)
        cv_json_null(w);
    else if (is_json)
        cv_json_raw(w, text);
    else
        cv_json_str(w, text);
}

void cv_rows_print(cv_json_writer *w, const cv_type *type, const void *row)
{
    print_int(w, row); /* every struct begins with its rev */
    for (size_t i = 0; i < type->field_count; i++) {
        const char *at = (const char *)row + type->fields[i].offset;
        if (cv_field_is_int(&type->fields[i]))
            print_int(w, at);
        else
            print_text(w, at, type->fields[i].type == CV_JSON);
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    cv_errs *errs;
    const cv_type *type;
    size_t row;
} reading;

static void refuse(const reading *r, cv_str field, const char *what)
{
    if (r->errs->count >= CV_MAX_FAULTS)
        return;
    cv_err *err = cv_errs_add(r->errs, r->arena, CV_ERR_INVALID_VALUE, "%s", what);
    cv_err_field(err, cv_arena_printf(r->arena, "record.rows.%.*s.rows[%zu]%s%.*s", CV_FMT(r->type->name), r->row,
                                      field.n ? "." : "", CV_FMT(field)));
}

static void read_int(const reading *r, cv_str field, const cv_json *value, char *to)
{
    int64_t number = CV_ABSENT;
    if (value->type != CV_JSON_NULL && !cv_json_to_int(value, &number))
        refuse(r, field, "must be a whole number or null");
    memcpy(to, &number, sizeof number);
}

static void read_text(const reading *r, const cv_type_field *field, const cv_json *value, char *to)
{
    cv_str text = {NULL, 0};
    if (field->type == CV_JSON && value->type != CV_JSON_NULL) {
        cv_buf printed = {0};
        cv_json_value(&(cv_json_writer){.out = &printed}, value);
        text = cv_buf_take(&printed, r->arena);
    } else if (value->type == CV_JSON_STRING) {
        text = value->text.p ? value->text : CV_STR("");
    } else if (value->type != CV_JSON_NULL) {
        refuse(r, field->name, "must be text or null");
    }
    memcpy(to, &text, sizeof text);
}

static void read_row(const reading *r, const cv_json *values, char *to)
{
    if (values->type != CV_JSON_ARRAY || values->count != r->type->field_count + 1u) {
        refuse(r, (cv_str){NULL, 0}, "must be a list with one value for each field");
        return;
    }
    read_int(r, rev_name, &values->items[0], to);
    for (size_t i = 0; i < r->type->field_count; i++) {
        const cv_type_field *field = &r->type->fields[i];
        if (cv_field_is_int(field))
            read_int(r, field->name, &values->items[i + 1], to + field->offset);
        else
            read_text(r, field, &values->items[i + 1], to + field->offset);
    }
}

static bool same_fields(const cv_type *type, const cv_json *names)
{
    if (!names || names->type != CV_JSON_ARRAY || names->count != type->field_count + 1u)
        return false;
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].type != CV_JSON_STRING ||
            !cv_str_eq(names->items[i].text, i ? type->fields[i - 1].name : rev_name))
            return false;
    return true;
}

static void refuse_kind(const reading *r, const char *what)
{
    cv_err *err = cv_errs_add(r->errs, r->arena, CV_ERR_INVALID_VALUE, "%s", what);
    cv_err_field(err, cv_arena_printf(r->arena, "record.rows.%.*s", CV_FMT(r->type->name)));
    cv_err_suggest(err, CV_STR("export the dialogue again with this version of conclave"));
}

static void read_kind(reading *r, const cv_json *kind, void **ret_rows, size_t *ret_count)
{
    const cv_json *list = kind ? cv_json_get(kind, CV_STR("rows")) : NULL;
    if (!list || list->type != CV_JSON_ARRAY || !same_fields(r->type, cv_json_get(kind, CV_STR("fields")))) {
        refuse_kind(r, kind ? "the fields are not those of this version" : "this kind of rows is missing");
        return;
    }
    char *rows = cv_arena_array(r->arena, list->count, r->type->size);
    for (r->row = 0; r->row < list->count; r->row++)
        read_row(r, &list->items[r->row], rows + r->row * r->type->size);
    *ret_rows = rows;
    *ret_count = list->count;
}

bool cv_rows_read(cv_arena *a, const cv_json *rows, cv_import_changes *ret_rows, cv_errs *errs)
{
    size_t before = errs->count;
    *ret_rows = (cv_import_changes){0};
    for (int kind = 0; kind < CV_ROWS_COUNT; kind++) {
        reading r = {a, errs, cv_rows_type(kind), 0};
        read_kind(&r, cv_json_get(rows, r.type->name), &ret_rows->items[kind], &ret_rows->counts[kind]);
    }
    if (errs->count == before && ret_rows->counts[CV_REC_DIALOGUE] != 1)
        cv_err_field(cv_errs_add(errs, a, CV_ERR_INVALID_VALUE, "a record has exactly one row of the dialogue"),
                     CV_STR("record.rows.dialogue.rows"));
    return errs->count == before;
}
