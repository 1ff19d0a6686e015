/* store.h - where a record is kept: in a file of SQLite, or on a PostgreSQL server. */
#ifndef CV_RECORD_STORE_H
#define CV_RECORD_STORE_H

#include "record/record.h"

typedef struct {
    cv_str address;   /* postgresql://…; empty: the file */
    const char *path; /* of the database */
    const char *seen; /* of the file that says what was seen of a record on a server; NULL: none */
} cv_store;

/* Does it say that it is the address of a server? The same without a password in it, for people. */
bool cv_store_is_address(cv_str text);
cv_str cv_store_masked(cv_arena *a, cv_str text);

/* Is it an address that a record can be opened at, as far as its text tells? */
bool cv_store_check(cv_arena *a, cv_str address, cv_err *err);

/* Opens the record, by the rules of cv_record_open(). On a server CREATE makes the schema if it is missing, and COPY is
 * not possible. */
bool cv_store_open(cv_arena *a, const cv_store *store, cv_record_mode mode, const cv_types *types,
                   cv_record **ret_record, cv_err *err);

#endif
