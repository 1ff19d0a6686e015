/* shape.c - answers and their schemas from tables; see shape.h. */
#include "kit/shape.h"

#include <assert.h>

/* ---- values ------------------------------------------------------------------------------------------------------ */

static const void *pointer_at(const void *value, uint32_t offset)
{
    const void *pointer;
    memcpy(&pointer, (const char *)value + offset, sizeof pointer);
    return pointer;
}

/* The struct that a row leads to; NULL: there is none. */
static const void *target_of(const cv_shape *m, const void *value)
{
    return m->at ? pointer_at(value, m->offset) : (const char *)value + m->offset;
}

/* The struct that has the value; NULL: there is none. */
static const void *whole_of(const cv_shape *m, const void *value)
{
    return m->behind ? pointer_at(value, m->behind - 1) : value;
}

static int64_t number_at(const cv_shape *m, const void *value)
{
    int small;
    if (m->kind != CV_M_SMALL)
        return cv_row_int(value, m->offset);
    memcpy(&small, (const char *)value + m->offset, sizeof small);
    return small;
}

static bool flag_at(const cv_shape *m, const void *value)
{
    return *(const bool *)((const char *)value + m->offset);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_text(cv_json_writer *w, const cv_shape *m, const void *value)
{
    cv_str text = cv_row_text(value, m->offset);
    if (m->when == CV_IF_ANY && text.n == 0)
        return;
    cv_json_key(w, m->name);
    if (m->when == CV_OR_NULL && !text.p)
        cv_json_null(w);
    else if (m->kind == CV_M_TEXT)
        cv_json_str(w, text);
    else
        cv_json_raw(w, m->when == CV_OR_EMPTY && text.n == 0 ? CV_STR("[]") : text);
}

static void write_number(cv_json_writer *w, const cv_shape *m, const void *value)
{
    int64_t number = number_at(m, value);
    bool none = m->kind == CV_M_COUNT ? number == 0 : number == CV_ABSENT;
    if (none && m->when == CV_IF_ANY)
        return;
    cv_json_key(w, m->name);
    if (number == CV_ABSENT && m->when == CV_OR_NULL)
        cv_json_null(w);
    else
        cv_json_int(w, number == CV_ABSENT && m->when == CV_OR_ZERO ? 0 : number);
}

/* One struct after the other, as a function has them. */
static void write_list_by(cv_json_writer *w, const cv_shape *m, const void *value)
{
    cv_json_key(w, m->name);
    cv_json_begin_array(w);
    m->write(w, value);
    cv_json_end_array(w);
}

static void write_list(cv_json_writer *w, const cv_shape *m, const void *value)
{
    const char *items = pointer_at(value, m->offset);
    size_t count;
    memcpy(&count, (const char *)value + m->count, sizeof count);
    if (count == 0 && m->when == CV_IF_ANY)
        return;
    cv_json_key(w, m->name);
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        const void *item = items + i * m->stride;
        if (m->kind == CV_M_TEXTS)
            cv_json_str(w, cv_row_text(item, 0));
        else if (m->kind == CV_M_INTS)
            cv_json_int(w, cv_row_int(item, 0));
        else
            cv_shape_write(w, m->shape, m->at ? pointer_at(item, 0) : item);
    }
    cv_json_end_array(w);
}

static void write_object(cv_json_writer *w, const cv_shape *m, const void *value)
{
    const void *target = target_of(m, value);
    assert(target || m->when == CV_IF_ANY || m->when == CV_OR_NULL);
    if (m->when == CV_IF_ANY && (m->needs ? cv_row_text(value, m->count).n == 0 : !target))
        return;
    cv_json_key(w, m->name);
    if (target)
        cv_shape_write(w, m->shape, target);
    else
        cv_json_null(w);
}

static void write_field(cv_json_writer *w, const cv_type_field *field, const void *row)
{
    cv_json_key(w, field->name);
    if (!cv_row_has(field, row))
        cv_json_null(w);
    else if (field->type == CV_FLAG)
        cv_json_bool(w, cv_row_int(row, field->offset) != 0);
    else if (field->type == CV_INT)
        cv_json_int(w, cv_row_int(row, field->offset));
    else if (field->type == CV_TEXT)
        cv_json_str(w, cv_row_text(row, field->offset));
    else
        cv_json_raw(w, cv_row_text(row, field->offset));
}

/* The field of a row that is written; NULL: it is left out. */
static const cv_type_field *field_of(const cv_shape *m, size_t i)
{
    const cv_type_field *field = &m->type->fields[i];
    bool left_out = (m->without & CV_WITHOUT_KEY && field->role == CV_KEY) ||
                    (m->without & CV_WITHOUT_JSON && field->type == CV_JSON);
    return left_out ? NULL : field;
}

static void write_row(cv_json_writer *w, const cv_shape *m, const void *row)
{
    for (size_t i = 0; i < m->type->field_count; i++)
        if (field_of(m, i))
            write_field(w, field_of(m, i), row);
}

static void write_member(cv_json_writer *w, const cv_shape *m, const void *value)
{
    switch (m->kind) {
    case CV_M_END:
        break;
    case CV_M_TEXT:
    case CV_M_ANY:
    case CV_M_NUMBER:
    case CV_M_MAP:
    case CV_M_NAMES:
        write_text(w, m, value);
        break;
    case CV_M_INT:
    case CV_M_COUNT:
    case CV_M_SMALL:
        write_number(w, m, value);
        break;
    case CV_M_BOOL:
        if (m->when == CV_ALWAYS || flag_at(m, value)) {
            cv_json_key(w, m->name);
            cv_json_bool(w, flag_at(m, value));
        }
        break;
    case CV_M_TEXTS:
    case CV_M_INTS:
    case CV_M_LIST:
        (m->write ? write_list_by : write_list)(w, m, value);
        break;
    case CV_M_OBJECT:
        write_object(w, m, value);
        break;
    case CV_M_SPREAD:
        assert(target_of(m, value));
        cv_shape_write_members(w, m->shape, target_of(m, value));
        break;
    case CV_M_ROW:
        write_row(w, m, target_of(m, value));
        break;
    case CV_M_CASE:
        if (pointer_at(value, m->offset))
            cv_shape_write_members(w, m->shape, value);
        break;
    case CV_M_FIXED:
        cv_json_key(w, m->name);
        cv_json_str(w, cv_str_of(m->text));
        break;
    case CV_M_HAND:
        cv_json_key(w, m->name);
        m->write(w, (const char *)value + m->offset);
        break;
    case CV_M_OTHERS:
        m->write(w, value);
        break;
    }
}

/* A member that the schema requires is there. */
void cv_shape_write_members(cv_json_writer *w, const cv_shape *shape, const void *value)
{
    for (const cv_shape *m = shape; m->kind != CV_M_END; m++) {
        const void *whole = whole_of(m, value);
        assert(whole || m->when == CV_IF_ANY);
        if (whole && !m->later)
            write_member(w, m, whole);
    }
}

void cv_shape_write(cv_json_writer *w, const cv_shape *shape, const void *value)
{
    cv_json_begin_object(w);
    cv_shape_write_members(w, shape, value);
    cv_json_end_object(w);
}

cv_str cv_shape_text(cv_arena *a, const cv_shape *shape, const void *value)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_shape_write(&w, shape, value);
    return cv_buf_take(&text, a);
}

/* ---- its schema -------------------------------------------------------------------------------------------------- */

/* The words of JSON Schema for a kind; lists and objects say more. */
static const char *const type_words[] = {
    [CV_M_TEXT] = "string",  [CV_M_INT] = "integer",   [CV_M_COUNT] = "integer", [CV_M_SMALL] = "integer",
    [CV_M_BOOL] = "boolean", [CV_M_NUMBER] = "number", [CV_M_MAP] = "object",    [CV_M_NAMES] = "array",
    [CV_M_TEXTS] = "array",  [CV_M_INTS] = "array",    [CV_M_OBJECT] = "object", [CV_M_LIST] = "array",
    [CV_M_FIXED] = "string", [CV_M_OTHERS] = NULL,
};
_Static_assert(CV_COUNT(type_words) == CV_M_OTHERS + 1, "every kind of row has its word");

static void schema_members(cv_json_writer *w, const cv_shape *shape);

static void schema_type(cv_json_writer *w, const cv_shape *m)
{
    cv_str words[] = {cv_str_of(type_words[m->kind]), CV_STR("null")};
    if (m->when == CV_OR_NULL)
        cv_json_key_strs(w, "type", words, 2);
    else
        cv_json_key_str(w, "type", words[0]);
}

static void schema_items(cv_json_writer *w, const cv_shape *m)
{
    cv_json_key(w, CV_STR("items"));
    if (m->kind == CV_M_LIST)
        cv_shape_schema(w, m->shape);
    else
        cv_json_raw(w, m->kind == CV_M_INTS ? CV_STR("{\"type\":\"integer\"}") : CV_STR("{\"type\":\"string\"}"));
}

/* What a member may be; `mark`: of the part in which it stands. */
static void schema_of(cv_json_writer *w, const cv_shape *m, const char *mark)
{
    const cv_str text = cv_str_of(m->text);
    cv_json_begin_object(w);
    if (type_words[m->kind])
        schema_type(w, m);
    if (m->about[0])
        cv_json_key_str(w, "description", cv_str_of(m->about));
    if (m->least != CV_NO_LIMIT)
        cv_json_key_int(w, m->kind == CV_M_TEXT ? "minLength" : "minimum", m->least);
    if (m->most != CV_NO_LIMIT)
        cv_json_key_int(w, m->kind == CV_M_TEXT ? "maxLength" : "maximum", m->most);
    if (m->kind == CV_M_FIXED)
        cv_json_key_strs(w, "enum", &text, 1);
    else if (m->words)
        cv_json_key_strs(w, "enum", m->words->items, m->words->count);
    else if (m->text)
        cv_json_key_str(w, "x-more", text);
    if (m->kind == CV_M_LIST || m->kind == CV_M_TEXTS || m->kind == CV_M_INTS || m->kind == CV_M_NAMES)
        schema_items(w, m);
    if (m->kind == CV_M_OBJECT)
        schema_members(w, m->shape);
    if (m->mark || mark)
        cv_json_key_bool(w, m->mark ? m->mark : mark, true);
    cv_json_end_object(w);
}

static bool stands_for_others(const cv_shape *m)
{
    return m->kind == CV_M_SPREAD || m->kind == CV_M_CASE;
}

/* The row with this name; NULL: none. Of several, in different cases, the first describes them all. */
static const cv_shape *find(const cv_shape *shape, cv_str name)
{
    const cv_shape *found = NULL;
    for (const cv_shape *m = shape; m->kind != CV_M_END && !found; m++) {
        if (stands_for_others(m))
            found = find(m->shape, name);
        else if (cv_str_eq(m->name, name))
            found = m;
    }
    return found;
}

/* Of a field of a row: only the key is never absent. */
static void schema_field(cv_json_writer *w, const cv_type_field *field)
{
    static const cv_shape_kind kinds[] = {[CV_TEXT] = CV_M_TEXT,
                                          [CV_DECIMAL] = CV_M_NUMBER,
                                          [CV_JSON] = CV_M_ANY,
                                          [CV_INT] = CV_M_INT,
                                          [CV_FLAG] = CV_M_BOOL};
    cv_json_key(w, field->name);
    schema_of(w,
              &(cv_shape){.kind = kinds[field->type],
                          .when = field->role == CV_KEY ? CV_ALWAYS : CV_OR_NULL,
                          .least = CV_NO_LIMIT,
                          .most = CV_NO_LIMIT,
                          .about = ""},
              NULL);
}

static void schema_properties(cv_json_writer *w, const cv_shape *whole, const cv_shape *part, const char *mark)
{
    for (const cv_shape *m = part; m->kind != CV_M_END; m++) {
        if (stands_for_others(m)) {
            schema_properties(w, whole, m->shape, m->mark);
        } else if (m->kind == CV_M_OTHERS) {
            m->schemas(w);
        } else if (m->kind == CV_M_ROW) {
            for (size_t i = 0; i < m->type->field_count; i++)
                if (field_of(m, i) && !find(whole, field_of(m, i)->name))
                    schema_field(w, field_of(m, i));
        } else if (find(whole, m->name) == m) {
            cv_json_key(w, m->name);
            if (m->kind == CV_M_HAND)
                cv_json_raw(w, cv_str_of(m->text));
            else
                schema_of(w, m, mark);
        }
    }
}

/* Has every object of this shape the member? One of the cases that stand together is always there. */
static bool requires(const cv_shape *shape, cv_str name)
{
    bool in_all_cases = true, any_case = false;
    for (const cv_shape *m = shape; m->kind != CV_M_END; m++) {
        if (m->kind == CV_M_CASE) {
            any_case = true;
            in_all_cases = in_all_cases && m->when == CV_ALWAYS && requires(m->shape, name);
        } else if (m->kind == CV_M_SPREAD ? requires(m->shape, name)
                                          : m->when != CV_IF_ANY && cv_str_eq(m->name, name)) {
            return true;
        }
    }
    return any_case && in_all_cases;
}

static void schema_required(cv_json_writer *w, const cv_shape *whole, const cv_shape *part)
{
    for (const cv_shape *m = part; m->kind != CV_M_END; m++) {
        if (stands_for_others(m))
            schema_required(w, whole, m->shape);
        else if (m->kind != CV_M_ROW && find(whole, m->name) == m && requires(whole, m->name))
            cv_json_str(w, m->name);
        for (size_t i = 0; m->kind == CV_M_ROW && i < m->type->field_count; i++)
            if (field_of(m, i) && !find(whole, field_of(m, i)->name))
                cv_json_str(w, field_of(m, i)->name);
    }
}

static void schema_members(cv_json_writer *w, const cv_shape *shape)
{
    cv_json_key(w, CV_STR("properties"));
    cv_json_begin_object(w);
    cv_shape_schema_properties(w, shape);
    cv_json_end_object(w);
    cv_buf names = {0}; /* cases that have nothing in common require nothing */
    cv_json_writer list = {.out = &names};
    cv_json_begin_array(&list);
    schema_required(&list, shape, shape);
    cv_json_end_array(&list);
    if (names.n > 2)
        cv_json_key_raw_if(w, "required", cv_buf_str(&names));
    cv_buf_release(&names);
    cv_json_key_bool(w, "additionalProperties", false);
}

void cv_shape_schema_properties(cv_json_writer *w, const cv_shape *shape)
{
    schema_properties(w, shape, shape, NULL);
}

void cv_shape_schema(cv_json_writer *w, const cv_shape *shape)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "type", CV_STR("object"));
    schema_members(w, shape);
    cv_json_end_object(w);
}
