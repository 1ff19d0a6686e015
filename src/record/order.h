/* order.h - the order in which a find returns rows, and the fields that it returns: the same for every engine.
 *
 * The order is that of the index: its fields, then the key; across scopes: fields, scope, key. Which of two scopes
 * comes first is the engine's own, but stays.
 */
#ifndef CV_RECORD_ORDER_H
#define CV_RECORD_ORDER_H

#include "record/record.h"

/* A field, the rev (field NULL) or the scope. */
typedef struct {
    const cv_type_field *field;
    bool is_scope;
} cv_order_column;

typedef struct {
    cv_order_column items[CV_MAX_INDEX_FIELDS + CV_MAX_KEY_FIELDS + 1];
    size_t count;
} cv_order;

/* All columns of the order, the first `equal` ones included. */
cv_order cv_find_order(const cv_find *find);

/* Is there nothing to find? Nothing comes behind the only row. */
static inline bool cv_find_ends(const cv_find *find, const cv_order *order)
{
    return find->after && find->equal == order->count;
}

/* A bit for each field that is wanted. Fields of the index are part of every outline: the reader of the next page needs
 * them. */
uint64_t cv_find_fields(const cv_find *find);

/* … as the columns of a SELECT from `t`: the rev, which volatile rows do not have, and these fields. */
cv_str cv_find_columns(cv_arena *a, const cv_find *find);

#endif
