/* address.h - where a record on PostgreSQL is: a URI of libpq's with three parameters of our own.
 *
 *     postgresql://conclave@db1,db2:5433/work?schema=team&pipeline=off&sslmode=verify-full
 *                  \_______ libpq's ________/ \_______ ours ________/ \____ libpq's ____/
 *
 *     schema=NAME     the schema that holds the tables; "conclave" if it is not given
 *     pipeline=off    for servers and poolers that do not know libpq's pipeline mode
 *     partitions=N    when the schema is made: each table in so many parts, by scope
 *
 * Everything else is libpq's business: service files, PG* variables, several hosts, TLS. An address is kept in a file
 * and shown to people, so it never has a password: one that has is refused, and the error does not repeat it.
 */
#ifndef CV_RECORD_POSTGRES_ADDRESS_H
#define CV_RECORD_POSTGRES_ADDRESS_H

#include "base/err.h"

/* A name of a schema leaves room for what is put behind it; a schema that `restore` has kept has that name (swap.c),
 * and is as long as the server lets it be. */
#define CV_POSTGRES_KEPT "_before_restore_"
enum {
    CV_POSTGRES_MAX_SCHEMA = 40,
    CV_POSTGRES_MAX_NAME = 63,
    CV_POSTGRES_MIN_PARTITIONS = 2,
    CV_POSTGRES_MAX_PARTITIONS = 64
};

typedef struct {
    cv_str text;        /* all of it, as it was given: for people, and to be kept */
    const char *libpq;  /* without our own parameters */
    const char *schema; /* [a-z_][a-z0-9_]* */
    bool pipeline;
    int partitions; /* 0: none */
} cv_postgres_address;

/* Is it the address of a PostgreSQL server, whatever else is wrong with it? */
bool cv_postgres_is_address(cv_str text);

/* Reads our part and looks for passwords; libpq reads the rest when it connects. */
bool cv_postgres_address_parse(cv_arena *a, cv_str text, cv_postgres_address *ret_address, cv_err *err);

/* The same address with another schema, as it is given to people. */
cv_str cv_postgres_address_of_schema(cv_arena *a, const cv_postgres_address *address, const char *schema);

/* The text with "***" in the place of whatever may be a password: for messages about any text. */
cv_str cv_postgres_address_masked(cv_arena *a, cv_str text);

#endif
