/* values.c - statements, and their parameters in PostgreSQL's binary form.
 *
 *     text      its bytes              bigint    8 bytes, the highest first              uuid    16 bytes
 *
 *     array     dimensions (1 or 0), has NULLs, type of the elements, count, first index (1): 4 bytes each;
 *               for each element its length in 4 bytes (-1: NULL) and its bytes
 *
 * An array of no elements has 0 dimensions and ends there.
 */
#include <assert.h>

#include "record/postgres/values.h"

enum { TYPE_INT = 20, TYPE_TEXT = 25, TYPE_TEXTS = 1009, TYPE_INTS = 1016, TYPE_UUID = 2950 }; /* pg_type.oid */
enum { ARRAY_HEAD = 12, ARRAY_DIMENSION = 8 };

static const unsigned types[] = {[CV_POSTGRES_TEXT] = TYPE_TEXT,
                                 [CV_POSTGRES_INT] = TYPE_INT,
                                 [CV_POSTGRES_UUID] = TYPE_UUID,
                                 [CV_POSTGRES_TEXTS] = TYPE_TEXTS,
                                 [CV_POSTGRES_INTS] = TYPE_INTS};

/* ---- statements ---------------------------------------------------------------------------------------------------
 */

cv_postgres_statement *cv_postgres_add(cv_postgres_batch *batch, const char *doing, const char *text)
{
    cv_postgres_statement *st = CV_NEW(batch->arena, cv_postgres_statement);
    *st =
        (cv_postgres_statement){.doing = doing, .text = text, .arena = batch->arena, .result = CV_POSTGRES_UNANSWERED};
    if (batch->last)
        batch->last->next = st;
    else
        batch->first = st;
    batch->last = st;
    batch->count++;
    return st;
}

static void add_value(cv_postgres_statement *st, cv_postgres_value value)
{
    *CV_PUSH(st->arena, &st->values) = value;
}

void cv_postgres_text(cv_postgres_statement *st, cv_str text)
{
    add_value(st, (cv_postgres_value){.kind = CV_POSTGRES_TEXT, .text = text});
}

void cv_postgres_int(cv_postgres_statement *st, int64_t number)
{
    add_value(st, (cv_postgres_value){.kind = CV_POSTGRES_INT, .number = number});
}

void cv_postgres_limit(cv_postgres_statement *st, size_t most)
{
    cv_postgres_int(st, most == 0 || most > INT64_MAX ? CV_ABSENT : (int64_t)most);
}

void cv_postgres_uuid(cv_postgres_statement *st, const uint8_t uuid[CV_POSTGRES_UUID_BYTES])
{
    const char *kept = cv_arena_dup(st->arena, uuid, CV_POSTGRES_UUID_BYTES);
    add_value(st, (cv_postgres_value){.kind = CV_POSTGRES_UUID, .text = {kept, CV_POSTGRES_UUID_BYTES}});
}

void cv_postgres_texts(cv_postgres_statement *st, const void *rows, size_t count, size_t stride, size_t offset)
{
    add_value(st, (cv_postgres_value){
                      .kind = CV_POSTGRES_TEXTS, .rows = rows, .count = count, .stride = stride, .offset = offset});
}

void cv_postgres_ints(cv_postgres_statement *st, const void *rows, size_t count, size_t stride, size_t offset)
{
    add_value(st, (cv_postgres_value){
                      .kind = CV_POSTGRES_INTS, .rows = rows, .count = count, .stride = stride, .offset = offset});
}

void cv_postgres_field(cv_postgres_statement *st, const cv_type *type, const cv_type_field *field, const void *rows,
                       size_t count)
{
    (cv_field_is_int(field) ? cv_postgres_ints : cv_postgres_texts)(st, rows, count, type->size, field->offset);
}

void cv_postgres_rows(cv_postgres_statement *st, cv_postgres_visit visit, void *ctx)
{
    st->visit = visit;
    st->ctx = ctx;
}

void cv_postgres_stream(cv_postgres_statement *st, cv_postgres_visit visit, void *ctx)
{
    cv_postgres_rows(st, visit, ctx);
    st->stream = true;
}

/* ---- binary form --------------------------------------------------------------------------------------------------
 */

static char *put_int32(char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(value >> (24 - 8 * i));
    return to + 4;
}

static char *put_int64(char *to, int64_t value)
{
    to = put_int32(to, (uint32_t)((uint64_t)value >> 32));
    return put_int32(to, (uint32_t)value);
}

static const void *row_of(const cv_postgres_value *v, size_t i)
{
    return (const char *)v->rows + i * v->stride;
}

static size_t measure_value(const cv_postgres_value *v)
{
    if (v->kind == CV_POSTGRES_TEXT || v->kind == CV_POSTGRES_UUID)
        return v->text.n;
    if (v->kind == CV_POSTGRES_INT)
        return 8;
    size_t bytes = ARRAY_HEAD + (v->count ? (size_t)ARRAY_DIMENSION : 0) + 4 * v->count;
    for (size_t i = 0; i < v->count; i++)
        if (v->kind == CV_POSTGRES_TEXTS)
            bytes += cv_row_text(row_of(v, i), v->offset).n;
        else
            bytes += cv_row_int(row_of(v, i), v->offset) == CV_ABSENT ? 0 : 8;
    return bytes;
}

size_t cv_postgres_measure(const cv_postgres_statement *st)
{
    size_t bytes = strlen(st->text);
    for (size_t i = 0; i < st->values.count; i++)
        bytes += measure_value(&st->values.items[i]);
    return bytes;
}

static char *put_element(char *to, const cv_postgres_value *v, size_t i)
{
    if (v->kind == CV_POSTGRES_INTS) {
        int64_t number = cv_row_int(row_of(v, i), v->offset);
        return number == CV_ABSENT ? put_int32(to, UINT32_MAX) : put_int64(put_int32(to, 8), number);
    }
    cv_str text = cv_row_text(row_of(v, i), v->offset);
    if (!text.p)
        return put_int32(to, UINT32_MAX);
    to = put_int32(to, (uint32_t)text.n);
    if (text.n > 0)
        memcpy(to, text.p, text.n);
    return to + text.n;
}

static cv_str encode_array(cv_arena *a, const cv_postgres_value *v)
{
    size_t bytes = measure_value(v);
    char *begin = cv_arena_alloc(a, bytes), *to = begin;
    to = put_int32(to, v->count > 0);
    to = put_int32(to, 1);
    to = put_int32(to, v->kind == CV_POSTGRES_INTS ? TYPE_INT : TYPE_TEXT);
    if (v->count > 0)
        to = put_int32(put_int32(to, (uint32_t)v->count), 1);
    for (size_t i = 0; i < v->count; i++)
        to = put_element(to, v, i);
    assert(to == begin + bytes);
    return (cv_str){begin, bytes};
}

/* A NULL view is NULL. */
static cv_str encode_value(cv_arena *a, const cv_postgres_value *v)
{
    switch (v->kind) {
    case CV_POSTGRES_TEXT:
    case CV_POSTGRES_UUID:
        return v->text;
    case CV_POSTGRES_INT:
        if (v->number == CV_ABSENT)
            return (cv_str){NULL, 0};
        char *bytes = cv_arena_alloc(a, 8);
        put_int64(bytes, v->number);
        return (cv_str){bytes, 8};
    case CV_POSTGRES_TEXTS:
    case CV_POSTGRES_INTS:
        break;
    }
    return encode_array(a, v);
}

void cv_postgres_encode(cv_arena *a, const cv_postgres_statement *st, cv_postgres_encoded *ret)
{
    size_t count = st->values.count;
    *ret = (cv_postgres_encoded){.values = CV_NEW_ARRAY(a, count, const char *),
                                 .lengths = CV_NEW_ARRAY(a, count, int),
                                 .formats = CV_NEW_ARRAY(a, count, int),
                                 .types = CV_NEW_ARRAY(a, count, unsigned)};
    for (size_t i = 0; i < count; i++) {
        cv_str bytes = encode_value(a, &st->values.items[i]);
        assert(bytes.n <= CV_POSTGRES_MAX_BYTES);
        ret->values[i] = bytes.p;
        ret->lengths[i] = (int)bytes.n;
        ret->formats[i] = 1;
        ret->types[i] = types[st->values.items[i].kind];
    }
}
