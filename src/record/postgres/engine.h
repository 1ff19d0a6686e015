/* engine.h - the inside of the record on PostgreSQL, shared by its files and its tests.
 *
 *     engine.c      transactions, replays that are brought along, what was seen; opening
 *     find.c        rows in the order of an index, several finds in one round trip
 *     commit.c      one write in one round trip; a lost connection; volatile rows
 *     all_scopes.c  scopes, the feed, readers, the last commit
 *     maintenance.c what holds in the whole store; copies
 *     examine.c     the server: rights, standbys, settings that can lose data, who delays the feed
 *     swap.c        putting a backup in the place of a record
 *     statements.c  statements by name, and those that are made from a type's table
 *     search.c      finding words; words.h: texts and queries as the server takes them
 *     known_revs.c  what this project has seen of the record
 *     kept_scopes.c rows that need not be read again to write
 *
 * A write takes two round trips, or one:
 *
 *     lock      BEGIN, the scope's row FOR UPDATE, the commit with this op_id, the one at the rev that was seen last
 *     commit    the rows of each type as arrays, the scope's new position, the commit, COMMIT
 *
 *     write     both in one, of rows that were computed from an earlier reading: the lock fails, and all behind it,
 *               when the scope is not where it was read. Then the two above decide
 *
 * A reading takes one for the position and all that is asked together with it (look), and one for whatever is asked
 * after that; one to write takes none when the rows are kept here. What ends a transaction is sent without waiting; the
 * next batch waits for its answer. Nothing is kept in the session, so a pooler may give every transaction another one.
 *
 * The connection itself (batches, parameters, errors, the schema) is in connection.h.
 */
#ifndef CV_RECORD_POSTGRES_ENGINE_H_
#define CV_RECORD_POSTGRES_ENGINE_H_

#include "record/postgres/connection.h"
#include "record/postgres/kept_scopes.h"
#include "record/record.h"
#include "record/sqlite/connection.h"

/* The key of a scope: the first half of the hash that its history begins with. */
typedef struct {
    uint8_t bytes[CV_POSTGRES_UUID_BYTES];
    char digits[CV_KNOWN_REV_KEY_DIGITS];
} cv_postgres_scope;

/* The text of a find, by its shape and the fields that it leaves out. */
typedef struct {
    uint32_t shape;
    uint64_t without;
    const char *text;
} cv_postgres_finding;

/* What was made for one type, on first use. */
typedef struct {
    const cv_type *type;
    const char *put_restored, *put_volatile, *remove;
    struct {
        cv_postgres_finding *items;
        size_t count, capacity;
    } finds;
} cv_postgres_type;

/* The commit with the op_id that was given to the lock. */
typedef struct {
    bool is_known; /* it was asked for */
    cv_str op_id;
    bool in_scope, is_first; /* there is one here; there is one that made another scope of the room */
    cv_str first_scope;
    cv_commit_row row, first;
} cv_postgres_brought;

typedef struct {
    cv_record base;
    cv_postgres *c;
    cv_arena arena;     /* of the handle itself */
    const char **texts; /* of the named statements, with the schema's name in them */
    cv_postgres_type *types;
    size_t type_count;
    cv_known_revs seen;
    cv_kept_scopes kept;
    uint64_t told;     /* the connection on which it was reported that something of it is missing; 0: none */
    uint64_t compared; /* the connection on which all that was seen has been compared; 0: none */
    uint64_t era_of;   /* … on which the commits were found to be this server's, or of eras before */
    int64_t version;   /* of the schema */
    int64_t wait_ms;   /* for a lock */
    int64_t idle_ms;   /* that a transaction which writes may stand still */
    cv_sqlite *words;  /* has the tokenizer; made by the first search */

    /* The transaction, when one is open. */
    bool open, writing;
    bool still;    /* all readings are of one moment, in a transaction around those of the scopes */
    bool changed;  /* something was written in it before the commit */
    cv_arena turn; /* lives as long as it */
    cv_scope_id scope;
    cv_postgres_scope key;
    cv_scope_position at;
    cv_postgres_brought brought;
} cv_postgres_record;

/* The record at this address, by the rules of cv_store_open(). `seen`: the file that says what was seen of it; NULL:
 * nothing is remembered. */
bool cv_postgres_open(cv_arena *a, cv_str address, const char *seen, cv_record_mode mode, const cv_types *types,
                      const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err);
bool cv_postgres_open_at(cv_arena *a, const cv_postgres_address *address, const char *seen, cv_record_mode mode,
                         const cv_types *types, const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err);

/* ---- statements ---------------------------------------------------------------------------------------------------
 */

cv_postgres_scope cv_postgres_scope_key(cv_scope_id scope);
void cv_postgres_key_bytes(const char digits[CV_KNOWN_REV_KEY_DIGITS], uint8_t ret_bytes[CV_POSTGRES_UUID_BYTES]);
const char *cv_postgres_text_of(cv_postgres_record *r, const char *name);
cv_postgres_type *cv_postgres_type_of(cv_postgres_record *r, const cv_type *type);

/* A bit for each field of some rows. `same`: all rows have the same, which is sent once. `absent`: no row has it, and
 * it is not sent. */
typedef struct {
    uint64_t same, absent;
} cv_postgres_shape;
cv_postgres_shape cv_postgres_shape_of(const cv_rows *rows, bool fresh);

/* INSERT of rows of one rev (fresh: none is stored), their columns as arrays where the shape does not say else. */
const char *cv_postgres_put(cv_postgres_record *r, cv_arena *a, const cv_rows *rows, bool fresh,
                            cv_postgres_shape shape);
/* INSERT of rows as arrays, each with its own rev; of volatile ones. DELETE by key; UPDATE of one field by key. */
const char *cv_postgres_put_restored(cv_postgres_record *r, cv_postgres_type *t);
const char *cv_postgres_put_volatile(cv_postgres_record *r, cv_postgres_type *t);
const char *cv_postgres_remove(cv_postgres_record *r, cv_postgres_type *t);
const char *cv_postgres_redact(cv_postgres_record *r, cv_arena *a, const cv_type *type, const cv_type_field *field);
/* A row of this type whose scope is not of this room, or not there. */
const char *cv_postgres_strays(cv_postgres_record *r, cv_arena *a, const cv_type *type);

/* One field of a row as a parameter. */
void cv_postgres_value_of(cv_postgres_statement *st, const cv_type_field *field, const void *row);

/* ---- transactions ---------------------------------------------------------------------------------------------------
 */

/* Adds a statement by its name. */
cv_postgres_statement *cv_postgres_ask(cv_postgres_record *r, cv_postgres_batch *batch, const char *doing,
                                       const char *name);

/* Runs a batch that reads: within the transaction that is open, or by itself. */
bool cv_postgres_read(cv_postgres_record *r, cv_postgres_batch *batch, cv_err *err);

/* All that is read between the two is of one moment. */
bool cv_postgres_stand_still(cv_postgres_record *r, cv_err *err);
void cv_postgres_go_on(cv_postgres_record *r);

/* Adds what begins a transaction that writes and waits so long for a lock. */
void cv_postgres_begin_write(cv_postgres_record *r, cv_postgres_batch *batch, int64_t wait_ms);

/* Takes the lock of r->scope again after the connection was lost: the process that held it has ended then. */
bool cv_postgres_lock_again(cv_postgres_record *r, cv_scope_position *ret_at, cv_err *err);

/* Is this scope where it was read, as far as can be told here, and the server one that may be written to? Then r->at is
 * that position, and nothing is open. */
bool cv_postgres_is_at(cv_postgres_record *r, cv_scope_id scope, const cv_scope_position *expect, cv_err *err);

/* What a write that was refused is: BUSY or FAILED. */
cv_write_result cv_postgres_refused(const cv_err *err);

/* Is everything there that was seen, of the scopes that were noted last? Asked once for each connection. Of all scopes?
 * False: store_regressed. */
bool cv_postgres_compare_latest(cv_postgres_record *r, cv_err *err);
bool cv_postgres_compare_all(cv_postgres_record *r, cv_err *err);

/* Says what to do about a record that has less than was seen; no transaction is open. */
void cv_postgres_advise_regressed(cv_postgres_record *r, cv_err *err);

/* ---- the parts of the interface ------------------------------------------------------------------------------------
 */

bool cv_postgres_find(cv_record *record, const cv_find *find, cv_row_visit visit, void *ctx, cv_err *err);
/* … as a statement of a batch; the lookup lives until it has run. */
void cv_postgres_add_find(cv_postgres_record *r, cv_postgres_batch *batch, const cv_lookup *lookup);
bool cv_postgres_find_all(cv_record *record, const cv_lookup *lookups, size_t count, cv_err *err);
cv_write_result cv_postgres_commit(cv_record *record, cv_arena *a, const cv_write *write, cv_err *err);
bool cv_postgres_write(cv_record *record, cv_scope_id scope, const cv_scope_position *expect, cv_write *write,
                       cv_write_result *ret_result, cv_err *err);
bool cv_postgres_keep(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err);
bool cv_postgres_drop_rows(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err);
bool cv_postgres_scopes(cv_record *record, cv_str room, cv_str after, size_t limit, cv_scope_visit visit, void *ctx,
                        cv_err *err);
bool cv_postgres_feed(cv_record *record, cv_str after, size_t limit, cv_feed_visit visit, void *ctx, cv_err *err);
bool cv_postgres_newest(cv_record *record, cv_arena *a, size_t back, cv_str *ret_position, cv_err *err);
bool cv_postgres_reader_at(cv_record *record, cv_arena *a, cv_str reader, cv_str *ret_position, cv_err *err);
bool cv_postgres_reader_move(cv_record *record, cv_str reader, cv_str from, cv_str to, bool *ret_moved, cv_err *err);
bool cv_postgres_last_commit(cv_record *record, cv_commit *ret_commit, cv_err *err);
bool cv_postgres_acknowledged(cv_record *record, cv_arena *a, cv_watermark_state *ret_state, cv_err *err);
bool cv_postgres_accept(cv_record *record, cv_arena *a, cv_commit *ret_commit, cv_err *err);
bool cv_postgres_check(cv_record *record, cv_arena *a, cv_err *err);
void cv_postgres_examine(cv_record *record, cv_arena *a, cv_examined_visit visit, void *ctx);
bool cv_postgres_backup(cv_record *record, const char *path, cv_err *err);
bool cv_postgres_scrub(cv_record *record, cv_arena *a, cv_err *err);
bool cv_postgres_scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err);
bool cv_postgres_search(cv_record *record, cv_arena *a, const cv_word_query *query, cv_word_visit visit, void *ctx,
                        size_t *ret_behind, cv_err *err);
/* The row of a redaction as the index is to see it now, in the transaction that is open. */
bool cv_postgres_search_forget(cv_postgres_record *r, cv_arena *a, const cv_redaction *redaction, cv_err *err);
void cv_postgres_search_close(cv_postgres_record *r);
bool cv_postgres_search_rebuild(cv_record *record, cv_arena *a, cv_err *err);
bool cv_postgres_search_check(cv_record *record, cv_arena *a, cv_err *err);

#endif
