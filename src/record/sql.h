/* sql.h - the SQL that tools/embed puts into the program: migrations and named statements from sql/. */
#ifndef CV_RECORD_SQL_H
#define CV_RECORD_SQL_H

#include <stddef.h>

typedef struct {
    const char *name;
    const char *text;
} cv_sql_statement;

typedef struct {
    int number; /* 1, 2, 3 … */
    const char *name;
    const char *text;
    const char *checksum; /* SHA-256 of the text */
} cv_sql_migration;

typedef struct cv_sql_migrations {
    const cv_sql_migration *items;
    size_t count;
} cv_sql_migrations;

/* Those of sql/sqlite/. */
extern const cv_sql_statement cv_sql_sqlite_statements[];
extern const size_t cv_sql_sqlite_statement_count;
extern const cv_sql_migrations cv_sql_sqlite_schema;

/* Those of sql/postgres/. */
extern const cv_sql_statement cv_sql_postgres_statements[];
extern const size_t cv_sql_postgres_statement_count;
extern const cv_sql_migrations cv_sql_postgres_schema;

#endif
