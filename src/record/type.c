/* type.c - record types: what a room keeps, as tables of fields; see type.h. */
#include "record/type.h"

#include <assert.h>

#include "record/hash.h"

/* ---- the common types ------------------------------------------------------------------------------------------- */

static const cv_index event_indexes[] = {
    CV_INDEX("subject", SCOPE, CV_AT(cv_event_row, subject_id)),
    CV_INDEX("rev", SCOPE, CV_AT(cv_event_row, rev)),
};
static const cv_index commit_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_commit_row, rev)),
    CV_INDEX("op", ACROSS, CV_AT(cv_commit_row, op_id)),
};

#define CV_THIS_TYPE cv_event_row
CV_TYPE_TABLE(cv_event_row, "event", "events", CV_EVENT_ROW_FIELDS, ADDED, NULL, CV_INDEXES(event_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_commit_row
CV_TYPE_TABLE(cv_commit_row, "commit", "commits", CV_COMMIT_ROW_FIELDS, ADDED, NULL, CV_INDEXES(commit_indexes));
#undef CV_THIS_TYPE

const cv_index *const cv_events_by_subject = &event_indexes[0];
const cv_index *const cv_events_by_rev = &event_indexes[1];
const cv_index *const cv_commits_by_rev = &commit_indexes[0];
const cv_index *const cv_commits_by_op = &commit_indexes[1];

/* ---- all types of a program -------------------------------------------------------------------------------------- */

const cv_room_types *cv_types_of(const cv_types *types, cv_str room)
{
    for (size_t i = 0; i < types->count; i++)
        if (cv_str_eq(types->rooms[i]->room, room))
            return types->rooms[i];
    return NULL;
}

/* The type of a room with this name, the common ones included; NULL: none. */
static const cv_type *find_type(const cv_types *types, cv_str room, cv_str name)
{
    static const cv_type *const common[] = {&cv_event_row_type, &cv_commit_row_type};
    const cv_room_types *own = cv_types_of(types, room);
    for (size_t i = 0; i < CV_COUNT(common); i++)
        if (cv_str_eq(common[i]->name, name))
            return common[i];
    for (size_t i = 0; own && i < own->count; i++)
        if (cv_str_eq(own->types[i]->name, name))
            return own->types[i];
    return NULL;
}

static bool has_rev_index(const cv_type *type)
{
    for (size_t i = 0; i < type->index_count; i++)
        if (!type->indexes[i].across && type->indexes[i].at[0] == 0)
            return true;
    return false;
}

static void check_type(const cv_type *type)
{
    assert(type->name.n > 0 && type->field_count > 0);
    for (size_t i = 0; i < type->name.n; i++) /* "added/line", "redacted/…": '/' parts the words of covers */
        assert(cv_is_lower(type->name.p[i]) || type->name.p[i] == '_');
    for (size_t i = 0; i < type->field_count; i++)
        assert((i < type->key_count) == (type->fields[i].role == CV_KEY)); /* the key comes first */
    for (size_t i = 0; i < type->index_count; i++) {
        const cv_index *index = &type->indexes[i];
        assert(index->count >= 1 && index->count <= CV_MAX_INDEX_FIELDS);
        for (size_t k = 0; k < index->count; k++) {
            const cv_type_field *field = cv_type_at(type, index->at[k]);
            assert(index->at[k] == 0 || (field && field->role != CV_LONG));
            (void)field;
        }
        for (size_t k = 0; k < i; k++)
            assert(strcmp(type->indexes[k].name, index->name) != 0);
    }
    assert(!type->search || (type->life != CV_VOLATILE && has_rev_index(type)));
    (void)has_rev_index;
}

void cv_types_check(const cv_types *types)
{
    size_t count = 2;
    check_type(&cv_event_row_type);
    check_type(&cv_commit_row_type);
    for (size_t r = 0; r < types->count; r++) {
        const cv_room_types *room = types->rooms[r];
        assert(room->room.n > 0 && cv_types_of(types, room->room) == room); /* no room twice */
        for (size_t i = 0; i < room->count; i++, count++) {
            check_type(room->types[i]);
            assert(find_type(types, room->room, room->types[i]->name) == room->types[i]); /* no name twice */
        }
    }
    assert(count <= CV_MAX_TYPES);
}

/* ---- fields of a row --------------------------------------------------------------------------------------------- */

const cv_type_field *cv_type_at(const cv_type *type, size_t offset)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].offset == offset)
            return &type->fields[i];
    return NULL;
}

uint64_t cv_type_bit(const cv_type *type, size_t offset)
{
    const cv_type_field *field = cv_type_at(type, offset);
    assert(field);
    return UINT64_C(1) << (field - type->fields);
}

const cv_type_field *cv_type_field_named(const cv_type *type, cv_str name)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (cv_str_eq(type->fields[i].name, name))
            return &type->fields[i];
    return NULL;
}

const cv_index *cv_type_index(const cv_type *type, const char *name)
{
    for (size_t i = 0; i < type->index_count; i++)
        if (strcmp(type->indexes[i].name, name) == 0)
            return &type->indexes[i];
    return NULL;
}

bool cv_row_has(const cv_type_field *field, const void *row)
{
    return cv_field_is_int(field) ? cv_row_int(row, field->offset) != CV_ABSENT
                                  : cv_row_text(row, field->offset).p != NULL;
}

void cv_row_clear(const cv_type *type, void *row)
{
    memset(row, 0, type->size);
    for (size_t i = 0; i < type->field_count; i++)
        if (cv_field_is_int(&type->fields[i]))
            memcpy((char *)row + type->fields[i].offset, &(int64_t){CV_ABSENT}, sizeof(int64_t));
}

void *cv_row_copy(cv_arena *a, const cv_type *type, const void *row)
{
    char *copy = cv_arena_dup(a, row, type->size);
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if (cv_field_is_int(field) || !cv_row_has(field, row))
            continue;
        cv_str text = cv_arena_copy(a, cv_row_text(row, field->offset));
        text.p = text.p ? text.p : "";
        memcpy(copy + field->offset, &text, sizeof text);
    }
    return copy;
}

int cv_row_compare_field(const cv_type_field *field, const void *x, const void *y)
{
    if (cv_field_is_int(field))
        return CV_ORDER(cv_row_int(x, field->offset), cv_row_int(y, field->offset));
    cv_str m = cv_row_text(x, field->offset), n = cv_row_text(y, field->offset);
    return m.p && n.p ? cv_str_order(m, n) : (m.p != NULL) - (n.p != NULL);
}

int cv_row_order(const cv_type *type, const void *x, const void *y)
{
    int order = 0;
    for (size_t i = 0; i < type->key_count && order == 0; i++)
        order = cv_row_compare_field(&type->fields[i], x, y);
    return order;
}

static bool is_escaped(char c)
{
    return c == '/' || c == '%';
}

static size_t escaped_size(cv_str text)
{
    size_t size = text.n;
    for (size_t i = 0; i < text.n; i++)
        size += is_escaped(text.p[i]) ? 2 : 0;
    return size;
}

static char *write_escaped(char *to, cv_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool escaped = is_escaped(text.p[i]);
        if (escaped)
            memcpy(to, text.p[i] == '/' ? "%2F" : "%25", 3);
        else
            *to = text.p[i];
        to += escaped ? 3 : 1;
    }
    return to;
}

cv_str cv_row_name(cv_arena *a, const cv_type *type, const void *row)
{
    char digits[CV_MAX_KEY_FIELDS][CV_INT_DIGITS];
    cv_str parts[CV_MAX_KEY_FIELDS];
    size_t size = type->name.n;
    for (size_t i = 0; i < type->key_count; i++) {
        const cv_type_field *field = &type->fields[i];
        parts[i] = cv_field_is_int(field) ? cv_str_of_int(cv_row_int(row, field->offset), digits[i])
                                          : cv_row_text(row, field->offset);
        size += 1 + escaped_size(parts[i]);
    }
    char *name = cv_arena_alloc(a, size + 1), *to = name + type->name.n;
    memcpy(name, type->name.p, type->name.n);
    for (size_t i = 0; i < type->key_count; i++) {
        *to++ = '/';
        to = write_escaped(to, parts[i]);
    }
    return (cv_str){name, size};
}

static bool refuse(const cv_type *type, const void *row, const cv_type_field *field, const char *what, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "%.*s: %.*s %s", CV_FMT(cv_row_name(err->arena, type, row)),
               CV_FMT(field->name), what);
    cv_err_field(err, field->name);
    return false;
}

bool cv_row_valid(const cv_type *type, const void *row, cv_err *err)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if (!cv_row_has(field, row)) {
            if (field->role == CV_KEY)
                return refuse(type, row, field, "is missing, and it is part of the key", err);
            continue;
        }
        if (cv_field_is_int(field)) {
            int64_t number = cv_row_int(row, field->offset);
            if (number < -CV_ROW_MOST || number > CV_ROW_MOST)
                return refuse(type, row, field, "is beyond 2^53", err);
            continue;
        }
        cv_str text = cv_row_text(row, field->offset);
        if (text.n > 0 && memchr(text.p, '\0', text.n))
            return refuse(type, row, field, "has a NUL byte", err);
        if (cv_is_redacted(text, NULL))
            return refuse(type, row, field, "has the form that stands for a redacted text", err);
    }
    return true;
}
