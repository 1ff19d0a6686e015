/* connection.h - a database of SQLite as the record uses it, whatever is kept in it.
 *
 *     connection.c  opening and closing, statements, waiting, errors
 *     gather.c      one write for all pages of a COMMIT
 *     place.c       the file and what is beside it: is it there, whose is it, can it be written
 *     migrate.c     is it ours, is it current, make it current
 *     watermark.c   commits and the watermark of the last one
 *     maintenance.c integrity, the schema against the migrations, whole copies
 *     words.c       words as the search index sees them
 *
 * All SQL is in sql/; here statements are called by their names, prepared on first use and kept. A handle is for
 * one thread at a time; other processes (and other handles) may use the same file meanwhile.
 */
#ifndef CV_RECORD_SQLITE_CONNECTION_H
#define CV_RECORD_SQLITE_CONNECTION_H

#include <sqlite3.h>

#include "record/sql.h"
#include "record/sqlite/words.h"
#include "record/watermark.h"

enum {
    /* How long a write waits for other processes, all in all, before it answers BUSY. Sixteen writers that commit
     * without a pause wait less than a second. */
    CV_SQLITE_WAIT_MS = 10000,
    /* PRAGMA application_id of our files: "CONC". */
    CV_SQLITE_APPLICATION = 0x434F4E43
};

/* The named statements that a connection may use. */
typedef struct {
    const cv_sql_statement *items;
    size_t count;
} cv_sqlite_statements;

typedef struct cv_sqlite_gathered cv_sqlite_gathered;

typedef struct {
    sqlite3 *db;
    cv_sqlite_statements statements;
    sqlite3_stmt **cached; /* by their index; NULL: not used yet */
    uint16_t recent[1024]; /* where a name was found, by its address: a guess, that seldom fails */
    const char *path;
    const char *watermark; /* its path; NULL: there is none */
    const cv_sql_migrations *schema;
    int64_t wait_us; /* the longest wait */
    int64_t waited_us;
    uint64_t jitter;
    cv_sqlite_tokenizer tokenizer; /* made by the first search */
    cv_sqlite_gathered *gathered;  /* made by the first COMMIT to a log */
    bool has_log;                  /* it is in WAL mode */
    bool has_moved;                /* the last write did not begin: the path leads to another file now */
} cv_sqlite;

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

typedef enum {
    CV_SQLITE_EXISTING,
    CV_SQLITE_CREATE,
    CV_SQLITE_IMMUTABLE, /* without locks: as long as nobody changes it */
    CV_SQLITE_MEMORY,    /* in memory, with the tables of the migrations */
    CV_SQLITE_EMPTY      /* in memory, without tables */
} cv_sqlite_mode;

/* NULL: err says why. It lives in the arena. */
cv_sqlite *cv_sqlite_connect(cv_arena *a, const char *path, cv_sqlite_mode mode, cv_sqlite_statements statements,
                             const cv_sql_migrations *schema, cv_err *err);
void cv_sqlite_disconnect(cv_sqlite *s);

/* Everything that `from` holds; `to` is in memory. */
bool cv_sqlite_copy(cv_sqlite *from, cv_sqlite *to, cv_err *err);

/* Says before SQLite does, and better, what is wrong with the path. */
bool cv_sqlite_check_place(const char *path, bool create, cv_err *err);
void cv_sqlite_make_private(const char *path);
bool cv_sqlite_sync_folder(cv_arena *a, const char *path, cv_err *err);

/* The path of the log of a database; is there one, with something in it? */
const char *cv_sqlite_log_of(cv_arena *a, const char *path);
bool cv_sqlite_is_log(const char *path);

/* "user 65534 cannot write the folder '/project/.conclave': Permission denied" */
cv_str cv_sqlite_hindrance(cv_arena *a, const char *path);

/* Is it ours and not newer than this program? *ret_applied: how many of our migrations it has. */
bool cv_sqlite_inspect(cv_sqlite *s, bool create, size_t *ret_applied, cv_err *err);
/* Applies what is missing, all of it or nothing. */
bool cv_sqlite_migrate(cv_sqlite *s, bool create, cv_err *err);

/* ---- statements ---------------------------------------------------------------------------------------------------
 */

/* The statement with this name, ready for binding; NULL when it cannot be prepared: ask cv_sqlite_fail(). */
sqlite3_stmt *cv_sqlite_use(cv_sqlite *s, const char *name);
const char *cv_sqlite_text(cv_sqlite *s, const char *name); /* its text */

/* Runs a statement that returns no rows of interest. An SQLite result code. */
int cv_sqlite_run(cv_sqlite *s, const char *name);

/* Parameters by name; one that the statement lacks is skipped. What is bound lives until the statement is done. */
bool cv_sqlite_bind_str(sqlite3_stmt *st, const char *parameter, cv_str value);
bool cv_sqlite_bind_int(sqlite3_stmt *st, const char *parameter, int64_t value);

/* Texts live until the next step or reset. A caller that needs more than one thing of a column asks for its value once:
 * other than the functions of columns, those of values take no locks, which is safe for one thread at a time. */
cv_str cv_sqlite_column_str(sqlite3_stmt *st, int column);

/* Steps to a row: 1; to the end: 0; trouble: -1. */
int cv_sqlite_step(sqlite3_stmt *st);

/* BEGIN IMMEDIATE, unless the file is not the one any more that its path leads to: what is written there nobody would
 * find. False: ask cv_sqlite_fail(). */
bool cv_sqlite_begin_write(cv_sqlite *s);
bool cv_sqlite_is_in_place(cv_sqlite *s); /* inside of a write; else it is taken back */

/* Ends a transaction whose outcome is decided: whatever it did is taken back. */
void cv_sqlite_rollback(cv_sqlite *s);

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

/* What to do about a database that is damaged, or not one. */
#define CV_SQLITE_DAMAGE_ADVICE                                                                                        \
    "put a backup back with 'conclave restore FILE', which keeps the damaged record and its log; without a backup, "   \
    "sqlite3's .recover saves what is left"

/* Turns SQLite's last error into ours: what was being done, what is wrong, what to do. Always false. */
bool cv_sqlite_fail(cv_sqlite *s, const char *doing, cv_err *err);

/* Did the last call fail because there was no room for what it had to write? */
bool cv_sqlite_lacks_room(cv_sqlite *s);

/* COMMIT: SQLITE_OK, or what it means for the write. */
typedef enum { CV_SQLITE_DONE, CV_SQLITE_BUSY, CV_SQLITE_FAILED, CV_SQLITE_UNKNOWN } cv_sqlite_outcome;
cv_sqlite_outcome cv_sqlite_commit(cv_sqlite *s, cv_err *err);

/* Around the statement COMMIT: its pages go to the log in one write. */
void cv_sqlite_gather_begin(cv_sqlite *s);
void cv_sqlite_gather_end(void);

/* ---- commits (statements commit_last, commit_at) -------------------------------------------------------------------
 */

bool cv_sqlite_last(cv_sqlite *s, cv_commit *ret_commit, cv_err *err);
bool cv_sqlite_has_acknowledged(cv_sqlite *s, cv_watermark_state *ret_state, cv_err *err);
bool cv_sqlite_accept_last(cv_sqlite *s, cv_commit *ret_commit, cv_err *err);

/* COMMIT of a write whose row is the last one inserted, and the watermark raised to it. */
cv_sqlite_outcome cv_sqlite_commit_marked(cv_sqlite *s, cv_str head, cv_err *err);

/* ---- care ---------------------------------------------------------------------------------------------------------
 */

bool cv_sqlite_check_pages(cv_sqlite *s, cv_err *err);
bool cv_sqlite_check_references(cv_sqlite *s, cv_err *err);
/* Is the schema the one that the migrations make? */
bool cv_sqlite_check_made(cv_sqlite *s, cv_arena *a, cv_err *err);
/* No page, no part of the log and no segment of the search index holds what is not a row any more. */
bool cv_sqlite_write_anew(cv_sqlite *s, cv_err *err);
/* A whole copy in a file that is new or empty. */
bool cv_sqlite_write_copy(cv_sqlite *s, const char *path, cv_err *err);

/* The index against the texts that it has seen. The first one says that something is wrong; always false. */
bool cv_sqlite_tokenizer_ready(cv_sqlite *s, cv_err *err);

#endif
