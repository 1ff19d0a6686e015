/* rows.h - the rows of a dialogue as JSON, and back.
 *
 *     "rows": {
 *       "expert": {"fields": ["rev", "expert_slug", "position", …], "rows": [
 *         [1, "muffin", 1, …],
 *         …
 *
 * An export carries its record in this form, so that `conclave import` can put it into another project as it was: the
 * same times, events and hashes. A value stands as its column keeps it: text, number, JSON, or null when it is absent.
 * The long texts, which stand elsewhere in an export, are left out here and put back by the reader (restore.h).
 */
#ifndef CV_DIALOGUE_IMPORT_ROWS_H
#define CV_DIALOGUE_IMPORT_ROWS_H

#include "base/json.h"
#include "record/store.h"

/* Into a list that is open: the names of a kind's fields, `rev` first, or the values of one row. */
void cv_rows_print_fields(cv_json_writer *w, cv_rec_kind kind);
void cv_rows_print(cv_json_writer *w, cv_rec_kind kind, const void *row);

/* All kinds back into arrays of their structs. Every fault is added to `errs`; true when there is none. */
bool cv_rows_read(cv_arena *a, const cv_json *rows, cv_changes *ret_rows, cv_errs *errs);

#endif
