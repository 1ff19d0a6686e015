/* scope.h - a whole scope: as JSON and back, and from one store to another.
 *
 *     {"room": "board", "name": "x", "rev": 3, "events": 7, "head": "…",
 *      "types": {"card": {"fields": ["rev", "number", …], "rows": [[1, 3, …], …]}, …, "event": {…}, "commit": {…}}}
 *
 * Rows are in the order of their keys, commits in the order of their revs. A text is a string, JSON is written as it
 * is, what is absent is null. Fields are matched by their names: an export from before a field existed is read as if it
 * were absent, one with a field that this program does not know is refused. Volatile rows stay where they are.
 */
#ifndef CV_RECORD_SCOPE_H
#define CV_RECORD_SCOPE_H

#include "base/json.h"
#include "record/record.h"

typedef struct {
    cv_scope_id scope;
    cv_scope_position at; /* rev 0: there is no such scope */
    cv_rows *items;       /* one of each type of the room, then events, then commits */
    size_t count;
} cv_scope_rows;

/* All rows of one moment, in the arena. */
bool cv_scope_load(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_rows *ret, cv_err *err);

/* Puts a scope into a store where it does not exist yet, as it was. CONFLICT: it exists. `copied`: see cv_write. */
cv_write_result cv_scope_restore(cv_record *record, cv_arena *a, const cv_scope_rows *rows, bool copied, cv_err *err);

/* One object. Rows are written as they are read; a scope that does not exist is an error. */
bool cv_scope_print(cv_record *record, cv_arena *a, cv_scope_id scope, cv_json_writer *w, cv_err *err);

/* JSON goes into the document unchanged: is all of it JSON in this row? The error names scope, row and field. */
bool cv_scope_printable(cv_scope_id scope, const cv_type *type, const void *row, cv_err *err);

/* The same back; all faults at once. The texts are views into the document or in the arena. */
bool cv_scope_parse(const cv_types *types, cv_arena *a, const cv_json *document, cv_scope_rows *ret, cv_errs *errs);

#endif
