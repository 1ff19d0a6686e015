/* stored.h - what the record keeps is data, which may have been damaged: reading it can fail. */
#ifndef CV_RECORD_STORED_H
#define CV_RECORD_STORED_H

#include "base/err.h"
#include "base/json.h"

/* "the record has …", which cannot be (store_corrupt). Always false. */
bool cv_stored_corrupt(cv_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of a JSON text that the record keeps. One that does not parse is an error (store_corrupt) about `what`. */
bool cv_stored_json(cv_arena *a, cv_str text, const char *what, cv_json *ret_value, cv_err *err);

#endif
