/* order.c - the order of a find and its fields; see order.h. */
#include "record/order.h"

#include <assert.h>

static bool has(const cv_order *order, const cv_type_field *field)
{
    for (size_t i = 0; i < order->count; i++)
        if (!order->items[i].is_scope && order->items[i].field == field)
            return true;
    return false;
}

cv_order cv_find_order(const cv_find *f)
{
    cv_order order = {0};
    for (size_t i = 0; f->index && i < f->index->count; i++)
        order.items[order.count++] = (cv_order_column){cv_type_at(f->type, f->index->at[i]), false};
    if (f->index && f->index->across)
        order.items[order.count++] = (cv_order_column){NULL, true};
    for (size_t i = 0; i < f->type->key_count; i++)
        if (!has(&order, &f->type->fields[i]))
            order.items[order.count++] = (cv_order_column){&f->type->fields[i], false};
    assert(order.count <= CV_COUNT(order.items) && order.count >= f->type->key_count);
    return order;
}

static bool is_wanted(const cv_find *f, const cv_type_field *field)
{
    assert(field >= f->type->fields && field < f->type->fields + f->type->field_count);
    bool left_out = f->without >> (field - f->type->fields) & 1;
    if (field->role == CV_KEY || (!left_out && (!f->outline || field->role == CV_OUTLINE)))
        return true;
    for (size_t i = 0; f->index && i < f->index->count; i++)
        if (f->index->at[i] == field->offset)
            return true;
    return false;
}

uint64_t cv_find_fields(const cv_find *f)
{
    uint64_t wanted = 0;
    assert(f->type->field_count <= 64 && "one bit for each");
    for (size_t i = 0; i < f->type->field_count; i++)
        wanted |= (uint64_t)is_wanted(f, &f->type->fields[i]) << i;
    return wanted;
}

cv_str cv_find_columns(cv_arena *a, const cv_find *f)
{
    cv_buf out = {0};
    const uint64_t wanted = cv_find_fields(f);
    cv_buf_add_z(&out, f->type->life == CV_VOLATILE ? "0" : "t.rev");
    for (size_t i = 0; i < f->type->field_count; i++)
        if (wanted >> i & 1)
            cv_buf_printf(&out, ", t.\"%.*s\"", CV_FMT(f->type->fields[i].name));
    return cv_buf_take(&out, a);
}
