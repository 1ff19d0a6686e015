/* sqlite_engine.h - the inside of the SQLite engine, shared by its files and its tests.
 *
 *     sqlite.c          opening and closing, statements, waiting, errors
 *     sqlite_migrate.c  is it ours, is it current, make it current
 *     sqlite_rows.c     records.h <-> parameters and columns; which kind lives in which table
 *     sqlite_commit.c   one write
 *     sqlite_ops.c      all writes, and the watermark of the last one
 *     sqlite_read.c     positions, snapshots, lists
 *     sqlite_tally.c    counts
 *     sqlite_search.c   finding words; sqlite_words.c  words as the index sees them
 *     sqlite_stream.c   streams and cursors
 *     sqlite_care.c     integrity check and backup; sqlite_audit.c  the search index against the rows
 *     sqlite_restore.c  putting a backup back
 *     sqlite_stamp.c    has anybody committed?
 *     sqlite_frozen.c   reading where nothing can be written
 *
 * All SQL stands in sql/; here statements are called by their names, prepared on first use and kept. A handle is for
 * one thread at a time; other processes (and other handles) may use the same file meanwhile.
 */
#ifndef CV_RECORD_SQLITE_ENGINE_H
#define CV_RECORD_SQLITE_ENGINE_H

#include <sqlite3.h>

#include "record/sql.h"
#include "record/sqlite_words.h"
#include "record/store.h"

enum {
    /* How long a write waits for other processes, all in all, before it answers BUSY. Sixteen writers that commit
     * without a pause wait less than a second. */
    CV_SQLITE_WAIT_MS = 10000,
    /* PRAGMA application_id of our files: "CONC". */
    CV_SQLITE_APPLICATION = 0x434F4E43
};

typedef struct {
    cv_store base;
    sqlite3 *db;
    sqlite3_stmt **cached; /* by index in cv_sql_statements; NULL: not used yet */
    uint16_t recent[1024]; /* where a name was found, by its address: a guess, that seldom fails */
    const char *path;
    const char *watermark; /* its path; NULL: there is none */
    const cv_sql_migrations *schema;
    int64_t wait_us; /* the longest wait */
    int64_t waited_us;
    uint64_t jitter;
    cv_sqlite_tokenizer tokenizer;      /* made by the first search */
    const volatile uint64_t *log_index; /* memory shared by all who use the file (sqlite_stamp.c); NULL: none */
    bool has_moved;                     /* the last write did not begin: the path leads to another file now */
    bool index_damaged;                 /* the last trouble of a search came from its index alone */
} cv_sqlite;

/* The same as cv_sqlite_open() with other migrations: for tests of upgrades. */
bool cv_sqlite_open_with(cv_arena *a, const char *path, bool create, const cv_sql_migrations *schema,
                         cv_store **ret_store, cv_err *err);

typedef enum {
    CV_SQLITE_EXISTING,
    CV_SQLITE_CREATE,
    CV_SQLITE_IMMUTABLE /* without locks: as long as nobody changes it */
} cv_sqlite_mode;
bool cv_sqlite_open_as(cv_arena *a, const char *path, cv_sqlite_mode mode, const cv_sql_migrations *schema,
                       cv_store **ret_store, cv_err *err);

/* Where the log of a database stands; is there one, with something in it? */
const char *cv_sqlite_log_of(cv_arena *a, const char *path);
bool cv_sqlite_is_log(const char *path);

/* A store that can only be read, without any file of SQLite's own. */
bool cv_sqlite_open_frozen(cv_arena *a, const char *path, const char *watermark, cv_store **ret_store, cv_err *err);

/* "user 65534 cannot write the folder '/project/.conclave': Permission denied" */
cv_str cv_sqlite_hindrance(cv_arena *a, const char *path);

/* ---- statements ------------------------------------------------------------------------------- */

/* The statement with this name, ready for binding; NULL when it cannot be prepared: ask cv_sqlite_fail(). */
sqlite3_stmt *cv_sqlite_use(cv_sqlite *s, const char *name);

/* Runs a statement that returns no rows of interest. An SQLite result code. */
int cv_sqlite_run(cv_sqlite *s, const char *name);

/* Parameters by name; one that the statement lacks is passed over. What is bound lives until the statement is done. */
bool cv_sqlite_bind_str(sqlite3_stmt *st, const char *parameter, cv_str value);
bool cv_sqlite_bind_int(sqlite3_stmt *st, const char *parameter, int64_t value);

/* Texts live until the next step or reset. Whoever wants more than one thing of a column asks for its value once: other
 * than the functions of columns, those of values take no locks, which is safe for one thread at a time. */
cv_str cv_sqlite_value_str(sqlite3_value *value);
cv_str cv_sqlite_column_str(sqlite3_stmt *st, int column);

/* Steps to a row: 1; to the end: 0; trouble: -1. */
int cv_sqlite_step(sqlite3_stmt *st);

/* BEGIN IMMEDIATE, unless the file is not the one any more that its path leads to: what is written there nobody would
 * find. False: ask cv_sqlite_fail(). */
bool cv_sqlite_begin_write(cv_sqlite *s);

/* Ends a transaction whose outcome is decided: whatever it did is taken back. */
void cv_sqlite_rollback(cv_sqlite *s);

/* What to do about a database that is damaged, or not one. */
#define CV_SQLITE_DAMAGE_ADVICE                                                                                        \
    "put a backup back with 'conclave restore FILE', which keeps the damaged record and its log; without a backup, "   \
    "sqlite3's .recover saves what is left"

/* ---- errors ----------------------------------------------------------------------------------- */

/* Turns SQLite's last error into ours: what was being done, what is wrong, what to do. Always false. */
bool cv_sqlite_fail(cv_sqlite *s, const char *doing, cv_err *err);

/* The same for a write: BUSY or FAILED. */
cv_store_result cv_sqlite_refuse(cv_sqlite *s, const char *doing, cv_err *err);

/* COMMIT, and what its outcome means: DONE, BUSY, FAILED or UNKNOWN. */
cv_store_result cv_sqlite_commit(cv_sqlite *s, cv_err *err);

/* ---- rows ------------------------------------------------------------------------------------- */

/* Where rows live, in the order of snapshots. Entities have a table for each letter. */
typedef struct {
    cv_rec_kind kind;
    char letter; /* 0: not an entity */
    const char *put, *all, *outline, *since,
        *about; /* outline NULL: it is all; since, about NULL: there are few rows */
} cv_sqlite_table;

enum { CV_SQLITE_TABLES = 16 };
extern const cv_sqlite_table cv_sqlite_tables[CV_SQLITE_TABLES];

/* The table of a row, or NULL when an entity's kind is no letter of ours. */
const cv_sqlite_table *cv_sqlite_table_of(cv_rec_kind kind, const void *row);

/* A place for any one row. */
typedef union {
#define X(id, name, fields) cv_rec_##name name;
    CV_RECORDS(X)
#undef X
} cv_sqlite_row;

bool cv_sqlite_bind_row(sqlite3_stmt *st, const cv_sqlite_table *table, cv_str dialogue_id, int64_t rev,
                        const void *row);

/* Reads the row that the statement stands on: its rev, then all fields or those of the outline. Others are left as they
 * are: cv_sqlite_clear_row() makes them absent, once for all rows of a statement. */
void cv_sqlite_clear_row(cv_rec_kind kind, cv_sqlite_row *ret_row);
void cv_sqlite_read_row(sqlite3_stmt *st, cv_rec_kind kind, bool outline, cv_sqlite_row *ret_row);

/* ---- the parts of the interface ----------------------------------------------------------------- */

/* Is it ours and not newer than this program? *ret_applied: how many of our migrations it has. */
bool cv_sqlite_inspect(cv_sqlite *s, bool create, size_t *ret_applied, cv_err *err);
/* Applies what is missing, all of it or nothing. */
bool cv_sqlite_migrate(cv_sqlite *s, bool create, cv_err *err);

bool cv_sqlite_position(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_position *ret_position, bool *ret_found,
                        cv_err *err);
bool cv_sqlite_snapshot(cv_store *store, cv_arena *a, cv_str dialogue_id, const cv_wanted *wanted, cv_visit visit,
                        void *ctx, cv_position *ret_position, bool *ret_found, cv_err *err);
cv_store_result cv_sqlite_write(cv_store *store, cv_arena *a, const cv_op *op, const cv_changes *changes,
                                int64_t *ret_rev, cv_str *ret_result, cv_err *err);
bool cv_sqlite_op_result(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_str op_id, int64_t *ret_rev,
                         cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err);
bool cv_sqlite_ops(cv_store *store, cv_arena *a, cv_str dialogue_id, cv_op_visit visit, void *ctx, cv_err *err);
bool cv_sqlite_last_commit(cv_store *store, cv_commit *ret_commit, cv_err *err);
bool cv_sqlite_acknowledged(cv_store *store, cv_arena *a, cv_watermark_state *ret_state, cv_err *err);
bool cv_sqlite_accept(cv_store *store, cv_arena *a, cv_commit *ret_commit, cv_err *err);
bool cv_sqlite_regressed(cv_sqlite *s, const cv_commit *watermark, int64_t last, cv_err *err); /* always false */
bool cv_sqlite_op_at(cv_store *store, cv_arena *a, cv_str dialogue_id, int64_t rev, cv_str *ret_op_id,
                     cv_str *ret_digest, cv_str *ret_result, bool *ret_found, cv_err *err);
cv_store_result cv_sqlite_hold(cv_store *store, cv_err *err);
void cv_sqlite_let_go(cv_store *store);
bool cv_sqlite_list(cv_store *store, cv_arena *a, const cv_list_query *query, cv_list_visit visit, void *ctx,
                    cv_err *err);
bool cv_sqlite_tally(cv_store *store, cv_arena *a, const cv_tally_query *query, cv_tally_visit visit, void *ctx,
                     cv_err *err);
bool cv_sqlite_search(cv_store *store, cv_arena *a, const cv_search_query *query, cv_search_visit visit, void *ctx,
                      size_t *ret_behind, cv_err *err);
bool cv_sqlite_search_rebuild(cv_store *store, cv_arena *a, cv_err *err);
cv_store_result cv_sqlite_stream_append(cv_store *store, cv_arena *a, cv_str stream, cv_str op_id,
                                        const cv_str *messages, size_t count, cv_str now, int64_t *ret_first_seq,
                                        cv_err *err);
bool cv_sqlite_stream_read(cv_store *store, cv_arena *a, cv_str stream, int64_t after, size_t limit,
                           bool (*visit)(void *ctx, int64_t seq, cv_str message, cv_str created_at, cv_err *err),
                           void *ctx, cv_err *err);
bool cv_sqlite_cursor_get(cv_store *store, cv_str stream, cv_str reader, int64_t *ret_seq, cv_err *err);
bool cv_sqlite_cursor_advance(cv_store *store, cv_str stream, cv_str reader, int64_t seq, cv_str now, cv_err *err);
void cv_sqlite_about(cv_store *store, cv_arena *a, cv_store_about *ret_about);
bool cv_sqlite_stamp(const cv_store *store, cv_stamp *ret_stamp);
void cv_sqlite_find_log_index(cv_sqlite *s); /* once the file has been read in WAL mode */

bool cv_sqlite_search_check(cv_store *store, cv_arena *a, cv_err *err);
bool cv_sqlite_tokenizer_ready(cv_sqlite *s, cv_err *err);
bool cv_sqlite_check(cv_store *store, cv_arena *a, cv_err *err);
bool cv_sqlite_backup(cv_store *store, const char *path, cv_err *err);

#endif
