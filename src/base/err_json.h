/* err_json.h - errors as JSON: the one shape that every door answers with.
 *
 *     one fault    {"status": "error", "error_code": "…", "message": "…", "field": "…", "valid_options": […], …}
 *     several      {"status": "error", "error_code": "batch_validation_failed", "message": "3 items failed validation",
 *                   "errors": [{"item_type": "…", "field": "…", "error_code": "…", …}, …], "suggestion": "…"}
 *
 * A batch answers in the second shape even when only one of its items is at fault; of any other request the message is
 * "the request has 3 faults". What is empty is left out.
 */
#ifndef CV_BASE_ERR_JSON_H
#define CV_BASE_ERR_JSON_H

#include "base/err.h"
#include "base/json.h"

/* One error as an object without "status": an item of a list of errors. */
void cv_err_print_json(const cv_err *err, cv_json_writer *w);

/* The whole answer; `count` is at least 1. */
void cv_errs_print_json(const cv_err *errs, size_t count, bool batch, cv_json_writer *w);

/* The code that is on top of that answer: what the exit status is made from. */
cv_err_code cv_errs_code(const cv_err *errs, size_t count, bool batch);

#endif
