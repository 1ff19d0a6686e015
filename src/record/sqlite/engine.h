/* engine.h - the inside of the record in SQLite, shared by its files and its tests.
 *
 *     engine.c      opening and closing, transactions and waiting, scopes, feed
 *     turns.c       who waits to write, in the order in which they asked
 *     statements.c  statements by name, and those that are made from a type's table; rows <-> parameters and columns
 *     find.c        rows in the order of an index
 *     commit.c      one write; volatile rows
 *     search.c      finding words
 *     schema.c      the live schema against the tables of types
 *
 * The connection itself (opening, configuration, migrations, errors, integrity, backup) is that of sqlite_engine.h.
 */
#ifndef CV_RECORD_SQLITE_ENGINE_H_
#define CV_RECORD_SQLITE_ENGINE_H_

#include "record/record.h"
#include "record/sqlite_engine.h"

/* A prepared find, by its shape. */
typedef struct {
    uint32_t shape;
    sqlite3_stmt *st;
} cv_sqlite_finding;

/* What is prepared for one type, on first use. */
typedef struct {
    const cv_type *type;
    sqlite3_stmt *put, *remove;
    struct {
        cv_sqlite_finding *items;
        size_t count, capacity;
    } finds;
} cv_sqlite_type;

typedef struct {
    cv_record base;
    cv_sqlite *s;    /* the connection */
    cv_store *store; /* the same, as it was opened; NULL: a database in memory */
    cv_arena *arena; /* lives as long as the handle */
    sqlite3_stmt **fixed;
    cv_sqlite_type *types;
    size_t type_count;

    /* The transaction, when one is open. */
    bool open, writing;
    cv_scope_id scope;
    int64_t number; /* of the scope; 0: it does not exist yet */
    cv_scope_position at;

    uint64_t own_commits;

    /* Waiting (engine.c, turns.c). */
    int turns;              /* the file with the tickets; below 0: none */
    bool locking;           /* a write is about to begin */
    bool impatient;         /* … and does not wait */
    bool hurried;           /* others who get through do not make the wait longer */
    uint64_t last_progress; /* the last commit that was seen while waiting */
    int64_t waited_us;      /* all in all */
} cv_sqlite_record;

/* Opens the file; `create` makes it when it is missing. `schema`: the migrations of the program, the first of which is
 * 001_record.sql. The types live as long as the handle. */
bool cv_sqlite_record_open(cv_arena *a, const char *path, bool create, const cv_types *types,
                           const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err);

/* The same in memory, empty: to try things on. */
bool cv_sqlite_record_memory(cv_arena *a, const cv_types *types, const cv_sql_migrations *schema,
                             cv_record **ret_record, cv_err *err);

/* ---- statements ---------------------------------------------------------------------------------------------------
 */

/* The statement with this name, ready for binding; NULL when it cannot be prepared: ask cv_sqlite_fail(). */
sqlite3_stmt *cv_sqlite_named(cv_sqlite_record *r, const char *name);
int cv_sqlite_run_named(cv_sqlite_record *r, const char *name);
const char *cv_sqlite_template(const char *name); /* its text */

/* Words in the place of $names. */
typedef struct {
    const char *name;
    cv_str text;
} cv_sqlite_word;
const char *cv_sqlite_fill(cv_arena *a, const char *text, const cv_sqlite_word *words, size_t count);

cv_sqlite_type *cv_sqlite_type_of(cv_sqlite_record *r, const cv_type *type);

/* INSERT of a row; DELETE by key; UPDATE of one field by key (made for one use). */
sqlite3_stmt *cv_sqlite_put(cv_sqlite_record *r, cv_sqlite_type *t);
sqlite3_stmt *cv_sqlite_remove(cv_sqlite_record *r, cv_sqlite_type *t);
sqlite3_stmt *cv_sqlite_redact(cv_sqlite_record *r, cv_sqlite_type *t, const cv_type_field *field);

bool cv_sqlite_bind_field(sqlite3_stmt *st, int parameter, const cv_type_field *field, const void *row);
bool cv_sqlite_bind_key(sqlite3_stmt *st, int first, const cv_type *type, const void *row);

/* Number and position of a scope; *ret_number 0: there is none. */
bool cv_sqlite_scope(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, int64_t *ret_number,
                     cv_scope_position *ret_at, cv_err *err);

/* Takes the lock; the outcome of COMMIT. */
bool cv_sqlite_lock(cv_sqlite_record *r, cv_err *err);
cv_write_result cv_sqlite_finish(cv_sqlite_record *r, cv_err *err);
cv_write_result cv_sqlite_refused(cv_sqlite_record *r, const char *doing, cv_err *err);

/* Tickets: the file with them; does anybody wait who asked before this time? One's own, 0: there are none; back. */
void cv_sqlite_turns_open(cv_sqlite_record *r);
void cv_sqlite_turns_close(cv_sqlite_record *r);
bool cv_sqlite_turns_waiting(const cv_sqlite_record *r, int64_t before);
int64_t cv_sqlite_turns_draw(cv_sqlite_record *r);
void cv_sqlite_turns_give(cv_sqlite_record *r, int64_t ticket);

/* ---- the parts of the interface ------------------------------------------------------------------------------------
 */

bool cv_sqlite_find(cv_record *record, const cv_find *find, cv_row_visit visit, void *ctx, cv_err *err);
cv_write_result cv_sqlite_commit_write(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err);
bool cv_sqlite_keep(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err);
bool cv_sqlite_drop(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err);
bool cv_sqlite_search_words(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                            size_t *ret_behind, cv_err *err);
bool cv_sqlite_search_again(cv_record *record, cv_arena *a, cv_err *err);
/* The row as the index is to see it now, in the transaction that is open. */
bool cv_sqlite_index_row(cv_sqlite_record *r, int64_t scope, const cv_type *type, const void *row);
bool cv_sqlite_check_schema(cv_sqlite_record *r, cv_arena *a, cv_err *err);

#endif
