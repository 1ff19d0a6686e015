/* rows.h - the rows of a dialogue as JSON, and back.
 *
 *     "rows": {
 *       "expert": {"fields": ["rev", "expert_slug", "position", …], "rows": [
 *         [1, "muffin", 1, …],
 *         …
 *
 * An export carries its record in this form, so that `conclave import` can put it into another project as it was: the
 * same times, events, commits and hashes. A value is as its column keeps it: text, number, JSON, or null when it is
 * absent. The long texts, which are elsewhere in an export, are left out here and put back by the reader
 * (put_export.h).
 */
#ifndef CV_DIALOGUE_IMPORT_ROWS_H
#define CV_DIALOGUE_IMPORT_ROWS_H

#include "base/json.h"
#include "dialogue/types.h"

/* All kinds of rows, events included, and behind them the commits. */
enum { CV_ROWS_COMMIT = CV_REC_COUNT, CV_ROWS_COUNT };

typedef struct {
    void *items[CV_ROWS_COUNT]; /* arrays of the structs */
    size_t counts[CV_ROWS_COUNT];
} cv_import_changes;

const cv_type *cv_rows_type(int kind);

/* Into a list that is open: the names of a kind's fields, `rev` first, or the values of one row. */
void cv_rows_print_fields(cv_json_writer *w, const cv_type *type);
void cv_rows_print(cv_json_writer *w, const cv_type *type, const void *row);

/* All kinds back into arrays of their structs. Every fault is added to `errs`; true when there is none. */
bool cv_rows_read(cv_arena *a, const cv_json *rows, cv_import_changes *ret_rows, cv_errs *errs);

#endif
