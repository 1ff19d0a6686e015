/* values.h - the parameters of a statement as libpq takes them: all of them in binary form.
 *
 * Texts and numbers stay where they are; a column of rows becomes one array, made straight from the rows.
 */
#ifndef CV_RECORD_POSTGRES_VALUES_H
#define CV_RECORD_POSTGRES_VALUES_H

#include "record/postgres/connection.h"

/* What a server takes in one message is a gigabyte. */
enum { CV_POSTGRES_MAX_BYTES = 1000 * 1000 * 1000 };

typedef struct {
    const char **values;
    int *lengths, *formats;
    unsigned int *types; /* Oid */
} cv_postgres_encoded;

/* The bytes of the statement and its parameters. */
size_t cv_postgres_measure(const cv_postgres_statement *st);

/* For a statement of at most CV_POSTGRES_MAX_BYTES. */
void cv_postgres_encode(cv_arena *a, const cv_postgres_statement *st, cv_postgres_encoded *ret_encoded);

#endif
