/* engine.h - the inside of the record in SQLite, shared by its files and its tests.
 *
 *     engine.c         transactions and waiting, scopes, feed, the whole store
 *     open.c           opening: a file, a copy, a database in memory
 *     frozen.c         reading where nothing can be written
 *     watch.c          has anybody committed?
 *     turns.c          who waits to write, in the order in which they asked
 *     statements.c     statements by name, and those that are made from a type's table; rows <-> parameters and columns
 *     find.c           rows in the order of an index
 *     commit.c         one write; volatile rows
 *     search.c         finding words
 *     search_check.c   the words of the search index against its texts
 *     schema.c         the live schema against the tables of types
 *     swap.c           putting a backup in the place of a record
 *
 * The connection itself (opening, configuration, migrations, errors, integrity, backup) is in connection.h.
 */
#ifndef CV_RECORD_SQLITE_ENGINE_H_
#define CV_RECORD_SQLITE_ENGINE_H_

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "record/record.h"
#include "record/sqlite/connection.h"

/* A prepared find, by its shape and the fields that it leaves out. */
typedef struct {
    uint32_t shape;
    uint64_t without;
    sqlite3_stmt *st;
} cv_sqlite_finding;

/* What is prepared for one type, on first use. */
typedef struct {
    const cv_type *type;
    sqlite3_stmt *put, *put_many, *remove;
    struct {
        cv_sqlite_finding *items;
        size_t count, capacity;
    } finds;
} cv_sqlite_type;

/* A second connection to the same file, which sees all commits of others, those of the first one included. */
typedef struct {
    pthread_mutex_t lock;
    sqlite3 *db; /* opened when somebody asks; NULL: not yet */
    sqlite3_stmt *version;
    bool useless; /* it cannot be opened */
    dev_t device; /* the file that the first one has open */
    ino_t inode;  /* 0: there is none */
} cv_sqlite_watch;

typedef struct {
    cv_record base;
    cv_sqlite *s;   /* the connection */
    cv_arena arena; /* of the handle itself: the caller may rewind the one it was opened with */
    cv_sqlite_type *types;
    size_t type_count;

    /* The transaction, when one is open. */
    bool open, writing;
    cv_scope_id scope;
    int64_t number; /* of the scope; 0: it does not exist yet */
    cv_scope_position at;

    bool was_frozen; /* when it was opened it could only be read */
    cv_sqlite_watch watch;
    atomic_uint_fast64_t own_commits; /* in memory nobody else commits */

    /* Waiting (engine.c, turns.c). */
    int turns;              /* the file with the tickets; below 0: none */
    _Atomic uint32_t *told; /* where its numbers are in memory, for the system alone; NULL: nobody was met, or none */
    int64_t ticket;         /* 0: none */
    int64_t skipped;        /* the last ticket of a process that was stopped: up to here they do not count; 0: none */
    uint32_t seen;          /* its number, as it was before it was asked whose turn it is */
    bool locking;           /* a write is about to begin */
    bool impatient;         /* … and does not wait */
    bool hurried;           /* others who get through do not make the wait longer */
    uint64_t last_progress; /* the last commit that was seen while waiting */
    int64_t waited_us;      /* all in all */
    int64_t looked_us;      /* … when it was looked for others who get through */
    bool is_still;          /* it was looked before the last pause, and nobody had got through since the look before */
} cv_sqlite_record;

/* A record on a connection, which it closes; a file without a watermark, for tests. */
cv_sqlite_record *cv_sqlite_record_on(cv_arena *a, const cv_types *types, cv_sqlite *s);
cv_sqlite_record *cv_sqlite_record_open(cv_arena *a, const char *path, cv_sqlite_mode mode, const cv_types *types,
                                        const cv_sql_migrations *schema, cv_err *err);
bool cv_sqlite_scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err);

/* A record that can only be read, without any file of SQLite's own. */
bool cv_sqlite_open_frozen_record(cv_arena *a, const char *path, const cv_types *types, const cv_sql_migrations *schema,
                                  cv_record **ret_record, cv_err *err);

/* Which file is it? Then: a number that changes with each commit of anybody; 0: it cannot be known. */
void cv_sqlite_watch_file(cv_sqlite_watch *w, const char *path);
bool cv_sqlite_watch_is_there(const cv_sqlite_watch *w, const char *path); /* is it still the one at its path? */
uint64_t cv_sqlite_watch_now(cv_sqlite_watch *w, cv_sqlite *s);
void cv_sqlite_watch_close(cv_sqlite_watch *w);

/* ---- statements ---------------------------------------------------------------------------------------------------
 */

/* Words in the place of $names. */
typedef struct {
    const char *name;
    cv_str text;
} cv_sqlite_word;
const char *cv_sqlite_fill(cv_arena *a, const char *text, const cv_sqlite_word *words, size_t count);

cv_sqlite_type *cv_sqlite_type_of(cv_sqlite_record *r, const cv_type *type);

/* INSERT of a row, or of CV_SQLITE_MANY: a statement for each row takes longer to begin and to end than to run. */
enum { CV_SQLITE_MANY = 64 };
sqlite3_stmt *cv_sqlite_put(cv_sqlite_record *r, cv_sqlite_type *t, bool many);
/* DELETE by key; UPDATE of one field by key (made for one use). */
sqlite3_stmt *cv_sqlite_remove(cv_sqlite_record *r, cv_sqlite_type *t);
sqlite3_stmt *cv_sqlite_redact(cv_sqlite_record *r, cv_sqlite_type *t, const cv_type_field *field);
/* Scopes of other rooms that have rows of this type; made for one use. */
sqlite3_stmt *cv_sqlite_strays(cv_sqlite_record *r, const cv_type *type);

bool cv_sqlite_bind_field(sqlite3_stmt *st, int parameter, const cv_type_field *field, const void *row);
bool cv_sqlite_bind_key(sqlite3_stmt *st, int first, const cv_type *type, const void *row);

/* Number and position of a scope; *ret_number 0: there is none. */
bool cv_sqlite_scope(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, int64_t *ret_number,
                     cv_scope_position *ret_at, cv_err *err);
/* The same, and what is read until the end is of the same moment: SQLite locks the file once for both. */
bool cv_sqlite_scope_begin(cv_sqlite_record *r, cv_arena *a, cv_scope_id scope, int64_t *ret_number,
                           cv_scope_position *ret_at, cv_err *err);
void cv_sqlite_scope_end(cv_sqlite_record *r);

/* Takes the lock; the outcome of COMMIT. */
bool cv_sqlite_lock(cv_sqlite_record *r, cv_err *err);
cv_write_result cv_sqlite_finish(cv_sqlite_record *r, cv_sqlite_outcome outcome);

/* Tickets: the file with them; one of its own, and back. Does anybody wait who asked before this time? */
void cv_sqlite_turns_open(cv_sqlite_record *r);
void cv_sqlite_turns_close(cv_sqlite_record *r);
void cv_sqlite_turns_draw(cv_sqlite_record *r);
void cv_sqlite_turns_give(cv_sqlite_record *r);
bool cv_sqlite_turns_waiting(const cv_sqlite_record *r, int64_t before);
bool cv_sqlite_turns_wait(cv_sqlite_record *r, int64_t us); /* until it may be its turn; false: it has no ticket */
void cv_sqlite_turns_skip(cv_sqlite_record *r);             /* the one whose turn it is does not take it */
void cv_sqlite_turns_freed(cv_sqlite_record *r);            /* the lock is free: wakes the one whose turn it is */

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
bool cv_sqlite_index_row(cv_sqlite_record *r, const cv_type *type, const void *row, cv_err *err);
void cv_sqlite_about_schema(const cv_sql_migrations *schema, cv_arena *a, cv_record_about *ret_about);
bool cv_sqlite_search_check_rows(cv_record *record, cv_arena *a, cv_err *err);
bool cv_sqlite_check_schema(cv_sqlite_record *r, cv_arena *a, cv_err *err);
bool cv_sqlite_check_across(cv_sqlite_record *r, cv_err *err);

#endif
