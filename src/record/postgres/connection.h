/* connection.h - one connection to a PostgreSQL server, and statements that travel together.
 *
 *     cv_postgres_batch batch = {.arena = &scratch};
 *     cv_postgres_add(&batch, "begin", "BEGIN …");
 *     cv_postgres_statement *lock = cv_postgres_add(&batch, "lock the scope", "SELECT … WHERE scope = $1 FOR UPDATE");
 *     cv_postgres_uuid(lock, key);
 *     cv_postgres_rows(lock, see_lock, &state);
 *     if (cv_postgres_run(c, &batch, err) != CV_POSTGRES_OK) …
 *
 * A batch is one round trip, whatever it holds: its statements are sent behind each other (libpq's pipeline) while the
 * answers to the first ones are read. The first one that fails ends it: the server skips the rest. With
 * pipeline=off the same batch is sent one statement after the other, and stops at the first error. What must be done
 * together has its own BEGIN and COMMIT in the batch: nothing else makes a transaction of it.
 *
 * Nothing is kept in the session: no names, no settings, no locks. So poolers that give every transaction another
 * session work, and a new connection is as good as the old one.
 *
 *     address.c     the address: our own parameters, passwords, for people
 *     library.c     libpq, loaded when the first connection is made
 *     connect.c     making a connection
 *     connection.c  the handle, batches, rows
 *     values.c      parameters: numbers, texts, columns of rows as arrays
 *     errors.c      what went wrong, by SQLSTATE
 *     texts.c       statements by name
 *     migrate.c     is the schema ours, is it current, make it current
 *     check.c       the live schema against the tables of types
 *
 * A handle is for one thread at a time.
 */
#ifndef CV_RECORD_POSTGRES_CONNECTION_H
#define CV_RECORD_POSTGRES_CONNECTION_H

#include "record/postgres/address.h"
#include "record/sql.h"
#include "record/type.h"

/* What became of a statement, and of a batch: that of its first statement that was not OK. */
typedef enum {
    CV_POSTGRES_OK,
    CV_POSTGRES_BUSY,      /* a lock or a free connection did not come in time */
    CV_POSTGRES_RETRY,     /* two transactions were in each other's way: once more from the beginning */
    CV_POSTGRES_DUPLICATE, /* there is a row with this key, or such a table */
    CV_POSTGRES_REFUSED,   /* a value or a rule of the schema is broken */
    CV_POSTGRES_LOST,      /* the connection is gone, or the server takes no writes (any more) */
    CV_POSTGRES_DENIED,    /* who we are, or may do */
    CV_POSTGRES_NO_SCHEMA, /* a schema or a table is missing */
    CV_POSTGRES_FULL,      /* disk or memory of the server */
    CV_POSTGRES_STOPPED,   /* a visitor of rows returned false: err is its own */
    CV_POSTGRES_OTHER,
    CV_POSTGRES_UNANSWERED /* of a statement only: it was skipped, or no answer came */
} cv_postgres_result;

struct pg_conn;
struct pg_result;

/* ---- parameters and rows ------------------------------------------------------------------------------------------
 */

enum { CV_POSTGRES_UUID_BYTES = 16 };

/* One parameter. Views and rows live until the batch has run. */
typedef struct {
    enum { CV_POSTGRES_TEXT, CV_POSTGRES_INT, CV_POSTGRES_UUID, CV_POSTGRES_TEXTS, CV_POSTGRES_INTS } kind;
    cv_str text;      /* TEXT: a NULL view is NULL; UUID: 16 bytes */
    int64_t number;   /* INT: CV_ABSENT is NULL */
    const void *rows; /* TEXTS, INTS: a member of each of `count` structs, `stride` bytes apart */
    size_t count, stride, offset;
} cv_postgres_value;

/* A row of an answer; valid while its visitor runs. */
typedef struct {
    const struct pg_result *result;
    int number;
} cv_postgres_row;

cv_str cv_postgres_column(const cv_postgres_row *row, int column);      /* NULL: a NULL view */
int64_t cv_postgres_column_int(const cv_postgres_row *row, int column); /* NULL: CV_ABSENT; booleans are 0 and 1 */

/* False ends the visits with its error; the rest of the rows are read and forgotten. It must not use the connection. */
typedef bool (*cv_postgres_visit)(void *ctx, const cv_postgres_row *row, cv_err *err);

/* ---- batches ------------------------------------------------------------------------------------------------------
 */

typedef struct cv_postgres_statement cv_postgres_statement;
struct cv_postgres_statement {
    const char *doing; /* what it is for, behind "cannot": "lock the scope" */
    const char *text;  /* one statement with $1, $2 …; lives until the batch has run */
    struct {
        cv_postgres_value *items;
        size_t count, capacity;
    } values;
    cv_postgres_visit visit; /* NULL: rows are not looked at */
    void *ctx;
    bool stream; /* rows are passed as they come: memory stays flat, however many there are */
    /* After the batch: */
    cv_postgres_result result;
    size_t rows;     /* how many it returned */
    int64_t changed; /* how many it inserted, updated, deleted */

    cv_arena *arena;
    cv_postgres_statement *next;
};

/* A zeroed one with an arena is empty. */
typedef struct cv_postgres_batch cv_postgres_batch;
struct cv_postgres_batch {
    cv_arena *arena;
    cv_postgres_statement *first, *last;
    size_t count;
    /* Adds the rest of its statements when those before are on their way: the server works while they are made. Called
     * once; NULL: there is no rest. */
    void (*rest)(void *ctx, cv_postgres_batch *batch);
    void *rest_ctx;
    /* Something else to do when all of it is on its way, before the answers are waited for. Called once; without a
     * pipeline never. */
    void (*meanwhile)(void *ctx);
    void *meanwhile_ctx;
    cv_postgres_statement *failed; /* the one that ended it; NULL: none, or the connection was lost */
    bool sent;                     /* something of it may have come to the server */
};

/* One more statement, at the end. */
cv_postgres_statement *cv_postgres_add(cv_postgres_batch *batch, const char *doing, const char *text);

/* Its parameters, in their order. Types are text, bigint, uuid, text[] and bigint[]; others are made by casts. */
void cv_postgres_text(cv_postgres_statement *st, cv_str text);                                /* a NULL view is NULL */
void cv_postgres_int(cv_postgres_statement *st, int64_t number);                              /* CV_ABSENT is NULL */
void cv_postgres_limit(cv_postgres_statement *st, size_t most);                               /* 0: all of them */
void cv_postgres_uuid(cv_postgres_statement *st, const uint8_t uuid[CV_POSTGRES_UUID_BYTES]); /* is copied */
/* One array of a member of all rows: a cv_str, an int64_t. What is absent is NULL. */
void cv_postgres_texts(cv_postgres_statement *st, const void *rows, size_t count, size_t stride, size_t offset);
void cv_postgres_ints(cv_postgres_statement *st, const void *rows, size_t count, size_t stride, size_t offset);
void cv_postgres_field(cv_postgres_statement *st, const cv_type *type, const cv_type_field *field, const void *rows,
                       size_t count); /* … by a field of the rows' type */

/* Who sees its rows. */
void cv_postgres_rows(cv_postgres_statement *st, cv_postgres_visit visit, void *ctx);
void cv_postgres_stream(cv_postgres_statement *st, cv_postgres_visit visit, void *ctx);

/* ---- the connection ------------------------------------------------------------------------------------------------
 */

/* What a handle has cost so far. */
typedef struct {
    uint64_t trips;      /* times that an answer was waited for */
    uint64_t statements; /* sent */
    uint64_t bytes;      /* of their texts and parameters */
    uint64_t connects;   /* connections that were made */
} cv_postgres_costs;

typedef struct {
    cv_postgres_address address;
    struct pg_conn *conn; /* NULL: there is none (any more) */
    bool pipeline;
    bool warned;     /* the server has, while it answered the statement */
    size_t pending;  /* statements that were sent and whose answers nobody has read */
    cv_arena arena;  /* of the handle */
    cv_arena values; /* parameters of one statement */
    cv_postgres_costs costs;
    /* Asked about ten times a second while something is waited for; true: the wait ends, the connection is given up
     * (CV_ERR_CANCELLED). NULL: nobody asks. */
    bool (*cancelled)(void *ctx);
    void *cancelled_ctx;
} cv_postgres;

/* A handle without a connection yet; it lives in the arena until it is closed. */
cv_postgres *cv_postgres_new(cv_arena *a, const cv_postgres_address *address);
void cv_postgres_close(cv_postgres *c); /* NULL is fine */

/* Is there a connection, as far as can be known without asking the server? Else one is made. The first time an address
 * that nobody listens at is an error at once; later the server may be starting again, or another one be taking over:
 * then it is tried for CV_POSTGRES_RECONNECT_MS. What is not written by then never was: nothing is sent again. */
enum { CV_POSTGRES_RECONNECT_MS = 15000 };
cv_postgres_result cv_postgres_ready(cv_postgres *c, cv_err *err);

/* Sends the batch and reads all answers. It never connects: without a connection it is LOST and nothing was sent. After
 * LOST there is no connection any more. */
cv_postgres_result cv_postgres_run(cv_postgres *c, cv_postgres_batch *batch, cv_err *err);

/* The same for a batch that may be sent again: nothing in it stays when the connection is lost. It connects when there
 * is not a connection, and when it is lost before the first row was seen it is sent once more. */
cv_postgres_result cv_postgres_run_again(cv_postgres *c, cv_postgres_batch *batch, cv_err *err);

/* Ends a transaction, if one is open, without waiting: the next batch waits for the answer, if it has not come. */
void cv_postgres_rollback(cv_postgres *c);

/* Is a transaction open (a failed one included), as the last answer said? */
bool cv_postgres_in_transaction(const cv_postgres *c);

int cv_postgres_backend(const cv_postgres *c);        /* its process on the server; through a pooler it says nothing */
int cv_postgres_server_version(const cv_postgres *c); /* 150004; 0: no connection */

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

/* What an SQLSTATE means ("40001"; NULL or empty: the connection is gone). */
cv_postgres_result cv_postgres_classify(const char *sqlstate);

/* Fills the error as the rest of the record does: what was being done, what is wrong in the server's words, what to do.
 * `message` may have several lines; all of them are one in the end. Returns `result`. */
cv_postgres_result cv_postgres_trouble(const cv_postgres *c, cv_postgres_result result, const char *doing,
                                       cv_str message, cv_err *err);

/* ---- the schema ----------------------------------------------------------------------------------------------------
 */

/* Words in the place of $names in a text; those that are not in the list (as $1) stay. */
typedef struct {
    const char *name; /* "$table" */
    cv_str text;
} cv_postgres_word;
const char *cv_postgres_fill(cv_arena *a, const char *text, const cv_postgres_word *words, size_t count);

/* The text of a named statement of sql/postgres/statements.sql, as it is there, and with $schema filled. */
const char *cv_postgres_statement_text(const char *name);
cv_str cv_postgres_quoted(cv_arena *a, const char *name); /* of a schema: it may be a word of SQL */
const char *cv_postgres_statement_in(cv_arena *a, const char *schema, const char *name);

/* How long the transaction waits for a lock, and how long it may stand still; 0: without an end. */
void cv_postgres_limits(cv_postgres_batch *batch, const char *doing, int64_t wait_ms, int64_t idle_ms);

/* Makes the schema current: 1, 2, 3 … a transaction for each migration. `create`: a schema that is not there is made;
 * else it is an error that says what to do. A newer or a foreign one is refused. *ret_version: the last migration. */
bool cv_postgres_migrate(cv_postgres *c, const cv_sql_migrations *schema, bool create, int64_t *ret_version,
                         cv_err *err);

/* Have the tables the columns, keys and indexes that the types say? */
bool cv_postgres_check_schema(cv_postgres *c, cv_arena *a, const cv_type *const *types, size_t count, cv_err *err);

#endif
