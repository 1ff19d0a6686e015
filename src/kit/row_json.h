/* row_json.h - a row as an answer: one member for each field that it has, by the names of its type's table.
 *
 *     {"jar_id": "plums", "count": 3, "note": "sweet"}
 *
 * A field that is added to a type is in the answer without another line of code. JSON fields stand as they are.
 */
#ifndef CV_KIT_ROW_JSON_H
#define CV_KIT_ROW_JSON_H

#include "base/json.h"
#include "record/type.h"

/* All fields that are there, in the order of the table; `key` is the name of the first one, NULL: its own. */
cv_str cv_row_json(cv_arena *a, const char *key, const cv_type *type, const void *row);

/* The same members into an object that is open. */
void cv_row_json_fields(cv_json_writer *w, const char *key, const cv_type *type, const void *row);

#endif
