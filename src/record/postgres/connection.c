/* connection.c - batches: statements go out, answers come in; see connection.h.
 *
 *     receive   <- the answer to what is pending, if it has not come yet
 *     send      statement, statement, … sync ->          while the socket is full, answers are taken in: a server
 *     receive   <- rows, end, rows, end, … sync           that cannot get rid of them would stop reading
 *
 * Nothing is sent behind a sync that was not answered. A pooler in transaction mode takes the session back when the
 * answer says that no transaction is open, also when the beginning of the next one has come for it meanwhile (pgbouncer
 * 1.18). That transaction would then stay open in a session that the next client gets, and its rest would go to another
 * session, which does not know of it.
 *
 * Without a pipeline there is a wait behind every statement instead.
 */
#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "base/monotonic.h"
#include "record/postgres/connect.h"
#include "record/postgres/values.h"

enum {
    SEND_BYTES = 16 * 1024,    /* that are offered to the socket: the server works while the rest is made */
    FLUSH_BYTES = 1024 * 1024, /* that may wait in memory before they are sent */
    SILENT_MS = 5000           /* without an answer, before somebody is told what is waited for */
};

/* ---- the handle ---------------------------------------------------------------------------------------------------
 */

cv_postgres *cv_postgres_new(cv_arena *a, const cv_postgres_address *address)
{
    cv_postgres *c = CV_NEW(a, cv_postgres);
    c->address = *address;
    c->address.text = cv_arena_copy(&c->arena, address->text);
    c->address.libpq = cv_arena_copy_z(&c->arena, cv_str_of(address->libpq));
    c->address.schema = cv_arena_copy_z(&c->arena, cv_str_of(address->schema));
    c->pipeline = address->pipeline;
    return c;
}

/* Gives the connection up; what is open on it is taken back by the server. */
static void drop_connection(cv_postgres *c)
{
    if (c->conn)
        PQfinish(c->conn);
    c->conn = NULL;
    c->pending = 0;
}

void cv_postgres_close(cv_postgres *c)
{
    if (!c)
        return;
    drop_connection(c);
    cv_arena_release(&c->values);
    cv_arena_release(&c->arena);
}

/* Has the server closed it? Answers that are pending, and what it says by itself (that a setting has changed), are
 * taken in; behind them stands the end, if there is one. */
static bool is_alive(cv_postgres *c)
{
    for (int i = 0; i < 3; i++) {
        struct pollfd fd = {.fd = PQsocket(c->conn), .events = POLLIN};
        if (PQstatus(c->conn) != CONNECTION_OK)
            return false;
        if (poll(&fd, 1, 0) <= 0)
            return true;
        if (!PQconsumeInput(c->conn))
            return false;
    }
    return true;
}

/* A pause before the next try; false: it is cancelled, or too late. */
static bool pause_before(cv_postgres *c, int tries, int64_t deadline)
{
    int64_t ms = tries < 5 ? 20 << tries : 500;
    if (cv_monotonic_ms() + ms > deadline || (c->cancelled && c->cancelled(c->cancelled_ctx)))
        return false;
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000}, NULL);
    return true;
}

/* May another try help? At the first connection only what says so itself: that the server is starting, or full. */
static bool may_come(const cv_postgres *c, cv_postgres_result result, const char *state, const cv_err *err)
{
    if (err->code == CV_ERR_CANCELLED)
        return false;
    return result == CV_POSTGRES_BUSY || strcmp(state, "57P03") == 0 ||
           (result == CV_POSTGRES_LOST && c->costs.connects > 0);
}

cv_postgres_result cv_postgres_ready(cv_postgres *c, cv_err *err)
{
    int64_t deadline = cv_monotonic_ms() + CV_POSTGRES_RECONNECT_MS;
    char state[6] = "";
    if (c->conn && is_alive(c))
        return CV_POSTGRES_OK;
    drop_connection(c);
    if (!cv_postgres_library_load(err))
        return CV_POSTGRES_OTHER;
    cv_err trouble = {.arena = err->arena};
    cv_postgres_result result = cv_postgres_connect(c, state, &trouble);
    for (int tries = 0; result != CV_POSTGRES_OK && may_come(c, result, state, &trouble); tries++) {
        if (!pause_before(c, tries, deadline))
            break;
        result = cv_postgres_connect(c, state, &trouble);
    }
    if (result != CV_POSTGRES_OK)
        cv_err_copy(err, &trouble);
    return result;
}

bool cv_postgres_in_transaction(const cv_postgres *c)
{
    PGTransactionStatusType status = c->conn && c->pending == 0 ? PQtransactionStatus(c->conn) : PQTRANS_IDLE;
    return status != PQTRANS_IDLE && status != PQTRANS_UNKNOWN; /* unknown: the connection is lost, and all with it */
}

int cv_postgres_backend(const cv_postgres *c)
{
    return c->conn ? PQbackendPID(c->conn) : 0;
}

int cv_postgres_server_version(const cv_postgres *c)
{
    return c->conn ? PQserverVersion(c->conn) : 0;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

cv_str cv_postgres_column(const cv_postgres_row *row, int column)
{
    assert(column < PQnfields(row->result));
    if (PQgetisnull(row->result, row->number, column))
        return (cv_str){NULL, 0};
    return (cv_str){PQgetvalue(row->result, row->number, column),
                    (size_t)PQgetlength(row->result, row->number, column)};
}

int64_t cv_postgres_column_int(const cv_postgres_row *row, int column)
{
    cv_str text = cv_postgres_column(row, column);
    if (!text.p)
        return CV_ABSENT;
    if (text.n == 1 && cv_is_alpha(text.p[0]))
        return text.p[0] == 't';
    return strtoll(text.p, NULL, 10);
}

/* ---- sending ------------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_postgres *c;
    cv_postgres_batch *batch;
    cv_err *err;
    cv_postgres_result result; /* of the batch so far */
    const char *doing;         /* of the statement that is under way */
    bool told;                 /* that an answer does not come */
} run;

/* The first trouble is the one that is reported. */
static void fail(run *r, cv_postgres_statement *st, cv_postgres_result result, cv_str message)
{
    if (st)
        st->result = result;
    if (r->result != CV_POSTGRES_OK)
        return;
    r->result = result;
    r->batch->failed = st;
    cv_postgres_trouble(r->c, result, r->doing, message, r->err);
}

static bool is_commit(const cv_postgres_statement *st)
{
    return strncmp(st->text, "COMMIT", 6) == 0;
}

/* There is no end to waiting for an answer: only the server knows whether a write that it has begun to commit is done.
 * A person is told once. */
static void tell_silence(run *r)
{
    bool commits = false;
    for (const cv_postgres_statement *st = r->batch->first; st; st = st->next)
        commits = commits || is_commit(st);
    r->told = true;
    cv_log_line("the database has not answered for %d seconds%s", SILENT_MS / 1000,
                commits ? ": other transactions hold the rows, or a synchronous standby does not answer; 'conclave "
                          "doctor' names them. The write waits for it"
                        : "; waiting");
}

static bool await(run *r, short events, short *ret_events)
{
    int64_t deadline = r->told ? -1 : cv_monotonic_ms() + SILENT_MS;
    cv_postgres_wait got = cv_postgres_await(r->c, r->c->conn, events, deadline, ret_events);
    if (got == CV_POSTGRES_LATE) {
        tell_silence(r);
        got = cv_postgres_await(r->c, r->c->conn, events, -1, ret_events);
    }
    if (got == CV_POSTGRES_READY)
        return true;
    if (r->result == CV_POSTGRES_OK)
        r->result = cv_postgres_cancelled(r->doing, r->err);
    r->result = CV_POSTGRES_LOST;
    return false;
}

/* Everything goes out. False: the connection is lost. */
static bool flush(run *r)
{
    PGconn *conn = r->c->conn;
    int got;
    while ((got = PQflush(conn)) > 0) {
        short events;
        if (!await(r, POLLIN | POLLOUT, &events))
            return false;
        if ((events & ~POLLOUT) && !PQconsumeInput(conn))
            return false;
    }
    return got == 0;
}

static bool send_statement(run *r, const cv_postgres_statement *st)
{
    cv_postgres *c = r->c;
    cv_postgres_encoded e;
    r->doing = st->doing;
    if (cv_postgres_measure(st) > CV_POSTGRES_MAX_BYTES)
        return false; /* of the rest: begin() has seen the others */
    r->batch->sent = true;
    cv_postgres_encode(&c->values, st, &e);
    int sent = PQsendQueryParams(c->conn, st->text, (int)st->values.count, e.types, e.values, e.lengths, e.formats, 0);
    cv_arena_reset(&c->values);
    c->costs.statements++;
    return sent == 1;
}

/* What was sent in vain: the server may have said why before it left. */
static void tell_loss(run *r)
{
    PGconn *conn = r->c->conn;
    PGresult *result;
    if (r->result != CV_POSTGRES_OK)
        return;
    PQconsumeInput(conn);
    while (r->result == CV_POSTGRES_OK && !PQisBusy(conn) && (result = PQgetResult(conn))) {
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        if (state)
            fail(r, NULL, CV_POSTGRES_LOST, cv_str_of(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)));
        PQclear(result);
    }
    fail(r, NULL, CV_POSTGRES_LOST, cv_str_of(PQerrorMessage(conn)));
}

/* ---- receiving ----------------------------------------------------------------------------------------------------
 */

/* The next answer; NULL: there is none, for this statement. *ret_ok false: nobody waits any more. */
static PGresult *next_result(run *r, bool *ret_ok)
{
    PGconn *conn = r->c->conn;
    *ret_ok = true;
    while (PQisBusy(conn)) {
        if (!await(r, POLLIN, NULL)) {
            *ret_ok = false;
            return NULL;
        }
        if (!PQconsumeInput(conn))
            break; /* libpq has an answer that says so */
    }
    return PQgetResult(conn);
}

static void visit_rows(run *r, cv_postgres_statement *st, const PGresult *result)
{
    cv_postgres_row row = {result, 0};
    int count = PQntuples(result);
    st->rows += (size_t)count;
    for (; row.number < count && st->visit && r->result == CV_POSTGRES_OK; row.number++)
        if (!st->visit(st->ctx, &row, r->err))
            r->result = st->result = CV_POSTGRES_STOPPED, r->batch->failed = st;
}

/* Primary message and detail; of a lost connection what libpq says. */
static void fail_by(run *r, cv_postgres_statement *st, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
    cv_str message = cv_str_of(primary ? primary : PQresultErrorMessage(result));
    if (primary && detail)
        message = cv_arena_printf(r->err->arena, "%s\n%s", primary, detail);
    /* Without a state it is libpq's own: the connection, if it is gone. */
    bool lost = PQstatus(r->c->conn) == CONNECTION_BAD;
    fail(r, st, state ? cv_postgres_classify(state) : lost ? CV_POSTGRES_LOST : CV_POSTGRES_OTHER, message);
}

static void take_end(run *r, cv_postgres_statement *st, PGresult *result)
{
    const char *changed = PQcmdTuples(result);
    st->changed = *changed ? strtoll(changed, NULL, 10) : 0;
    if (st->result == CV_POSTGRES_STOPPED)
        return;
    bool commits = is_commit(st);
    /* COMMIT of a transaction that has failed before. */
    if (commits && strcmp(PQcmdStatus(result), "COMMIT") != 0)
        fail(r, st, CV_POSTGRES_OTHER, CV_STR("the transaction had failed before and was taken back"));
    /* Somebody has cancelled the wait for a synchronous standby. The server has it, but nobody can say whether it
     * stays: as if there were no answer. */
    else if (commits && r->c->warned)
        fail(r, st, CV_POSTGRES_LOST, CV_STR("somebody ended the wait for a standby"));
    else
        st->result = CV_POSTGRES_OK;
}

static void take(run *r, cv_postgres_statement *st, PGresult *result)
{
    switch (PQresultStatus(result)) {
    case PGRES_SINGLE_TUPLE:
        visit_rows(r, st, result);
        break;
    case PGRES_TUPLES_OK:
        visit_rows(r, st, result);
        take_end(r, st, result);
        break;
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
        take_end(r, st, result);
        break;
    case PGRES_PIPELINE_ABORTED:
        break;
    default:
        fail_by(r, st, result);
    }
}

/* All answers to one statement. False: the connection is lost. */
static bool receive(run *r, cv_postgres_statement *st)
{
    PGconn *conn = r->c->conn;
    PGresult *result;
    bool ok;
    r->doing = st->doing;
    r->c->warned = false;
    if (st->stream)
        PQsetSingleRowMode(conn);
    while ((result = next_result(r, &ok))) {
        take(r, st, result);
        PQclear(result);
        if (PQstatus(conn) == CONNECTION_BAD)
            return false;
    }
    return ok;
}

/* Answers that nobody waits for, up to the end of the batch that they belong to. */
static bool receive_sync(run *r)
{
    bool ok = true, synced = false;
    for (int ends = 0; ok && !synced && ends < 2 && PQstatus(r->c->conn) == CONNECTION_OK;) {
        PGresult *result = next_result(r, &ok);
        synced = result && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        ends = result ? 0 : ends + 1; /* two of them: nothing is under way */
        PQclear(result);
    }
    return ok && synced;
}

static bool receive_pending(run *r)
{
    bool ok = true;
    for (; ok && r->c->pending > 0; r->c->pending--) {
        if (r->c->pipeline)
            ok = receive_sync(r);
        else
            for (PGresult *result; (result = next_result(r, &ok));)
                PQclear(result);
    }
    return ok && PQstatus(r->c->conn) == CONNECTION_OK;
}

/* ---- a batch ------------------------------------------------------------------------------------------------------
 */

/* The statement behind this one. Before the rest is made all that can go is sent. */
static cv_postgres_statement *next_of(run *r, const cv_postgres_statement *st)
{
    cv_postgres_batch *batch = r->batch;
    if (!st->next && batch->rest) {
        PQflush(r->c->conn); /* what is wrong is found when more is sent */
        batch->rest(batch->rest_ctx, batch);
        batch->rest = NULL;
    }
    return st->next;
}

static bool run_pipelined(run *r)
{
    size_t bytes = 0;
    if (!receive_pending(r))
        return false;
    for (cv_postgres_statement *st = r->batch->first; st; st = next_of(r, st)) {
        if (!send_statement(r, st))
            return false;
        bytes += cv_postgres_measure(st);
        if (bytes > SEND_BYTES && !(bytes > FLUSH_BYTES ? flush(r) : PQflush(r->c->conn) >= 0))
            return false;
        bytes = bytes > FLUSH_BYTES ? 0 : bytes;
    }
    if (!PQpipelineSync(r->c->conn) || !flush(r))
        return false;
    r->c->costs.trips++;
    if (r->batch->meanwhile)
        r->batch->meanwhile(r->batch->meanwhile_ctx);
    r->batch->meanwhile = NULL;
    for (cv_postgres_statement *st = r->batch->first; st; st = st->next)
        if (!receive(r, st))
            return false;
    return receive_sync(r);
}

static bool run_one_by_one(run *r)
{
    if (!receive_pending(r))
        return false;
    for (cv_postgres_statement *st = r->batch->first; st && r->result == CV_POSTGRES_OK; st = next_of(r, st)) {
        if (!send_statement(r, st) || !flush(r))
            return false;
        r->c->costs.trips++;
        if (!receive(r, st))
            return false;
    }
    return true;
}

/* Before anything is sent: is there a connection, and will the server take it? */
static bool begin(run *r)
{
    cv_postgres_batch *batch = r->batch;
    batch->failed = NULL;
    batch->sent = false;
    for (cv_postgres_statement *st = batch->first; st; st = st->next) {
        size_t bytes = cv_postgres_measure(st);
        st->result = CV_POSTGRES_UNANSWERED;
        st->rows = 0;
        st->changed = 0;
        r->c->costs.bytes += bytes;
        if (bytes > CV_POSTGRES_MAX_BYTES) {
            cv_err_set(r->err, CV_ERR_TOO_LARGE, "cannot %s: %zu bytes at once are more than the database takes (%d)",
                       st->doing, bytes, CV_POSTGRES_MAX_BYTES);
            cv_err_suggest(r->err, CV_STR("split it"));
            r->result = st->result = CV_POSTGRES_REFUSED;
            batch->failed = st;
            return false;
        }
    }
    if (!r->c->conn)
        fail(r, NULL, CV_POSTGRES_LOST, CV_STR("the connection was lost before"));
    return r->c->conn != NULL;
}

cv_postgres_result cv_postgres_run(cv_postgres *c, cv_postgres_batch *batch, cv_err *err)
{
    assert(batch->first);
    run r = {.c = c, .batch = batch, .err = err, .doing = batch->first->doing};
    if (!begin(&r))
        return r.result;
    if (!(c->pipeline ? run_pipelined : run_one_by_one)(&r)) {
        tell_loss(&r);
        r.result = CV_POSTGRES_LOST;
    }
    if (r.result == CV_POSTGRES_LOST)
        drop_connection(c);
    return r.result;
}

cv_postgres_result cv_postgres_run_again(cv_postgres *c, cv_postgres_batch *batch, cv_err *err)
{
    assert(!cv_postgres_in_transaction(c));
    cv_postgres_result result = CV_POSTGRES_LOST;
    cv_err trouble = {.arena = err->arena};
    bool seen = false;
    for (int tries = 0; tries < 2 && result == CV_POSTGRES_LOST && !seen; tries++) {
        cv_err_clear(&trouble);
        result = cv_postgres_ready(c, &trouble);
        bool connected = result == CV_POSTGRES_OK;
        if (connected)
            result = cv_postgres_run(c, batch, &trouble);
        if (!connected || trouble.code == CV_ERR_CANCELLED)
            break;
        for (const cv_postgres_statement *st = batch->first; st; st = st->next)
            seen = seen || (st->visit && st->rows > 0);
    }
    if (result != CV_POSTGRES_OK)
        cv_err_copy(err, &trouble);
    return result;
}

void cv_postgres_rollback(cv_postgres *c)
{
    if (!c->conn || !cv_postgres_in_transaction(c))
        return;
    bool ok = PQsendQueryParams(c->conn, cv_postgres_statement_text("rollback"), 0, NULL, NULL, NULL, NULL, 0) == 1 &&
              (!c->pipeline || PQpipelineSync(c->conn) == 1) && PQflush(c->conn) >= 0;
    c->costs.statements++;
    if (ok)
        c->pending++;
    else
        drop_connection(c);
}
