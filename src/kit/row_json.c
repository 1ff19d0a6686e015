/* row_json.c - a row as an answer; see row_json.h. */
#include "kit/row_json.h"

void cv_row_json_fields(cv_json_writer *w, const char *key, const cv_type *type, const void *row)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if (!cv_row_has(field, row))
            continue;
        cv_json_key(w, i == 0 && key ? cv_str_of(key) : field->name);
        if (field->type == CV_INT)
            cv_json_int(w, cv_row_int(row, field->offset));
        else if (field->type == CV_JSON)
            cv_json_raw(w, cv_row_text(row, field->offset));
        else
            cv_json_str(w, cv_row_text(row, field->offset));
    }
}

cv_str cv_row_json(cv_arena *a, const char *key, const cv_type *type, const void *row)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_row_json_fields(&w, key, type, row);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}
