/* connect.c - making a connection without ever waiting longer than was said.
 *
 *     given      the address              -> libpq joins it with service file and PG* variables -> in force
 *     in force   hosts, ports, timeout    -> what nobody has set gets our defaults
 *     one host after the other            -> a connection, or what each of them said
 *
 * libpq's own function for all of that blocks; the one that does not knows neither connect_timeout nor how to leave a
 * host that is silent for the next one. So hosts are tried here, each with its time.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/monotonic.h"
#include "record/postgres/connect.h"

enum { ASK_MS = 100, CONNECT_S = 10, MAX_SETTINGS = 16, MAX_HOSTS = 32 };

/* ---- waiting ------------------------------------------------------------------------------------------------------
 */

cv_postgres_wait cv_postgres_await(const cv_postgres *c, PGconn *conn, short events, int64_t deadline_ms,
                                   short *ret_events)
{
    struct pollfd fd = {.fd = PQsocket(conn), .events = events};
    for (;;) {
        if (c->cancelled && c->cancelled(c->cancelled_ctx))
            return CV_POSTGRES_CANCELLED;
        int64_t left = deadline_ms < 0 ? INT64_MAX : deadline_ms - cv_monotonic_ms();
        if (left < 0)
            return CV_POSTGRES_LATE;
        int64_t most = c->cancelled ? ASK_MS : INT64_MAX, ms = left < most ? left : most;
        int got = poll(&fd, 1, ms > INT32_MAX ? -1 : (int)ms);
        if (got > 0 || (got < 0 && errno != EINTR)) { /* what is wrong with the socket, libpq says */
            if (ret_events)
                *ret_events = got > 0 ? fd.revents : events;
            return CV_POSTGRES_READY;
        }
    }
}

cv_postgres_result cv_postgres_cancelled(const char *doing, cv_err *err)
{
    cv_err_set(err, CV_ERR_CANCELLED, "cannot %s: cancelled while waiting for the database", doing);
    return CV_POSTGRES_LOST;
}

/* ---- what is in force ---------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *keys[MAX_SETTINGS + 1], *values[MAX_SETTINGS + 1];
    size_t count;
} settings;

static void add(settings *p, const char *key, const char *value)
{
    assert(p->count < MAX_SETTINGS);
    p->keys[p->count] = key;
    p->values[p->count++] = value;
}

/* Set if nobody else has: not the address, not a service file, not a variable. An answer that does not come from a host
 * that is gone ends after half a minute. */
static const struct {
    const char *key, *value, *variable;
    bool for_writing;
} defaults[] = {
    {"target_session_attrs", "read-write", "PGTARGETSESSIONATTRS", true}, /* libpq's own default is "any" */
    {"tcp_user_timeout", "30000", NULL, false},
    {"keepalives_idle", "15", NULL, false},
    {"keepalives_interval", "5", NULL, false},
    {"keepalives_count", "3", NULL, false},
};

typedef struct {
    cv_str host, address, port;
} host;

typedef struct {
    settings given; /* the address and defaults */
    host hosts[MAX_HOSTS];
    size_t count;    /* 0: libpq goes along them itself */
    size_t named;    /* how many there are */
    int64_t wait_ms; /* for each; below 0: for ever */
    cv_str wrong;    /* a setting that libpq does not look at */
} plan;

static cv_str option(const PQconninfoOption *options, const char *key)
{
    for (; options && options->keyword; options++)
        if (strcmp(options->keyword, key) == 0)
            return cv_str_of(options->val);
    return (cv_str){NULL, 0};
}

/* libpq joins all sources when a connection is begun; with a word that no sslmode is it ends there. With a password it
 * does not look for one, which would make it warn of a file that others can read once more. */
static PQconninfoOption *in_force(const cv_postgres *c)
{
    const char *keys[] = {"dbname", "sslmode", "password", NULL};
    const char *values[] = {c->address.libpq, "none of them", "none", NULL};
    PGconn *conn = PQconnectStartParams(keys, values, 1);
    PQconninfoOption *options = conn ? PQconninfo(conn) : NULL;
    PQfinish(conn);
    return options;
}

static bool in_address(const cv_postgres *c, const char *key)
{
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(c->address.libpq, &message);
    bool is = option(options, key).n > 0;
    PQconninfoFree(options);
    PQfreemem(message);
    return is;
}

static cv_str piece(cv_str list, size_t i)
{
    cv_str one = {NULL, 0};
    for (size_t k = 0; k <= i; k++)
        if (!cv_str_split(&list, ',', &one))
            return (cv_str){NULL, 0};
    return one;
}

static size_t pieces(cv_str list)
{
    cv_str one;
    size_t n = 0;
    while (cv_str_split(&list, ',', &one))
        n++;
    return n;
}

/* Several hosts are tried by us, if each has a name: an empty one could not be given to libpq by itself. Which of two
 * passes a standby is preferred in is left to libpq. */
static void read_hosts(plan *p, cv_arena *a, const PQconninfoOption *options)
{
    cv_str names = option(options, "host"), addresses = option(options, "hostaddr"), ports = option(options, "port");
    names = cv_arena_copy(a, names), addresses = cv_arena_copy(a, addresses), ports = cv_arena_copy(a, ports);
    size_t count = pieces(addresses.n ? addresses : names);
    p->named = count ? count : 1;
    if (count < 2 || count > MAX_HOSTS || cv_str_eq(option(options, "target_session_attrs"), CV_STR("prefer-standby")))
        return;
    for (size_t i = 0; i < count; i++) {
        p->hosts[i] = (host){piece(names, i), piece(addresses, i), piece(ports, pieces(ports) > 1 ? i : 0)};
        if (p->hosts[i].host.n == 0 && p->hosts[i].address.n == 0)
            return;
    }
    p->count = count;
}

/* As libpq reads it when it waits itself. False: it is not a number. */
static bool wait_of(cv_str seconds, int64_t *ret_ms)
{
    bool minus = cv_str_starts(seconds, CV_STR("-"));
    int number = CONNECT_S;
    if (seconds.n > 0 && !cv_str_to_int(cv_str_from(seconds, minus), &number))
        return false;
    number = minus ? -number : number;
    *ret_ms = number <= 0 ? -1 : (int64_t)(number < 2 ? 2 : number) * 1000;
    return true;
}

static void make_plan(cv_postgres *c, cv_arena *a, plan *p)
{
    PQconninfoOption *options = in_force(c);
    *p = (plan){0};
    if (!wait_of(option(options, "connect_timeout"), &p->wait_ms))
        p->wrong = cv_arena_printf(a, "invalid connect_timeout value: \"%.*s\"; it is a number of seconds",
                                   CV_FMT(option(options, "connect_timeout")));
    add(&p->given, "fallback_application_name", "conclave");
    add(&p->given, "dbname", c->address.libpq);
    add(&p->given, "client_encoding", "UTF8");
    for (size_t i = 0; i < CV_COUNT(defaults); i++) {
        const char *variable = defaults[i].variable ? getenv(defaults[i].variable) : NULL;
        bool set = defaults[i].for_writing ? in_address(c, defaults[i].key) || (variable && *variable) ||
                                                 !cv_str_eq(option(options, defaults[i].key), CV_STR("any"))
                                           : option(options, defaults[i].key).n > 0;
        if (!set)
            add(&p->given, defaults[i].key, defaults[i].value);
    }
    read_hosts(p, a, options);
    PQconninfoFree(options);
}

/* ---- one host -----------------------------------------------------------------------------------------------------
 */

/* What the server says beside its answers is for nobody, but that it has warned (take_end in connection.c). */
static void hear(void *ctx, const PGresult *notice)
{
    cv_postgres *c = ctx;
    const char *state = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
    c->warned = c->warned || (state && (strncmp(state, "01", 2) == 0 || strncmp(state, "57P", 3) == 0));
}

/* libpq tells the SQLSTATE of a failed connection only inside of a verbose message: "FATAL:  57P03: the database …",
 * with a line about the server's source behind it. */
static cv_str split_message(cv_arena *a, cv_str message, char ret_state[6])
{
    cv_buf out = {0};
    cv_str line;
    ret_state[0] = '\0';
    while (cv_str_split(&message, '\n', &line)) {
        if (cv_str_starts(line, CV_STR("LOCATION: ")))
            continue;
        size_t at = cv_str_find(line, CV_STR(":  "));
        cv_str code = cv_str_head(cv_str_from(line, at == SIZE_MAX ? line.n : at + 3), 7);
        bool is_code = code.n == 7 && code.p[5] == ':' && code.p[6] == ' ';
        for (size_t i = 0; i < 5 && is_code; i++)
            is_code = cv_is_digit(code.p[i]) || cv_is_upper(code.p[i]);
        if (is_code) {
            memcpy(ret_state, code.p, 5);
            ret_state[5] = '\0';
            cv_buf_add(&out, cv_str_head(line, at + 2));
            cv_buf_add(&out, cv_str_from(line, at + 9));
        } else
            cv_buf_add(&out, line);
        cv_buf_add_char(&out, '\n');
    }
    return cv_buf_take(&out, a);
}

/* What one host said: classified, and added to what the others said. */
static cv_postgres_result told(cv_arena *a, PGconn *conn, char state[6], cv_buf *said)
{
    cv_str message = split_message(a, cv_str_of(PQerrorMessage(conn)), state);
    cv_buf_add(said, message);
    return PQconnectionNeedsPassword(conn) ? CV_POSTGRES_DENIED : cv_postgres_classify(state);
}

static cv_postgres_result finish_connecting(cv_postgres *c, PGconn *conn, int64_t wait_ms, cv_arena *a, char state[6],
                                            cv_buf *said, cv_err *err)
{
    PostgresPollingStatusType polling = PGRES_POLLING_WRITING;
    int64_t deadline = wait_ms < 0 ? -1 : cv_monotonic_ms() + wait_ms;
    while (PQstatus(conn) != CONNECTION_BAD && polling != PGRES_POLLING_OK && polling != PGRES_POLLING_FAILED) {
        switch (cv_postgres_await(c, conn, polling == PGRES_POLLING_WRITING ? POLLOUT : POLLIN, deadline, NULL)) {
        case CV_POSTGRES_READY:
            polling = PQconnectPoll(conn);
            continue;
        case CV_POSTGRES_CANCELLED:
            return cv_postgres_cancelled("connect to the database", err);
        case CV_POSTGRES_LATE:
            break;
        }
        cv_buf_printf(said, "no answer from \"%s\", port %s, within %lld seconds\n", PQhost(conn), PQport(conn),
                      (long long)(wait_ms / 1000));
        return CV_POSTGRES_LOST;
    }
    return polling == PGRES_POLLING_OK ? CV_POSTGRES_OK : told(a, conn, state, said);
}

/* Everything of libpq's that is wanted of it from now on. */
static bool set_up(cv_postgres *c, PGconn *conn)
{
    PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
    return PQsetnonblocking(conn, 1) == 0 && (!c->pipeline || PQenterPipelineMode(conn) == 1);
}

/* Others cannot hold every text, or do not know what one is. */
static bool is_unicode(PGconn *conn, cv_buf *said)
{
    const char *encoding = PQparameterStatus(conn, "server_encoding");
    if (!encoding || strcmp(encoding, "UTF8") == 0)
        return true;
    cv_buf_printf(
        said,
        "the database has the encoding %s, a record needs UTF8: make another one with 'createdb --encoding=UTF8 "
        "--template=template0 NAME'\n",
        encoding);
    return false;
}

static cv_postgres_result try_host(cv_postgres *c, cv_arena *a, const plan *p, const host *h, char state[6],
                                   cv_buf *said, cv_err *err)
{
    settings all = p->given;
    int64_t wait_ms = h || p->wait_ms < 0 ? p->wait_ms : p->wait_ms * (int64_t)p->named;
    if (h) {
        add(&all, "host", cv_arena_copy_z(a, h->host));
        add(&all, "hostaddr", cv_arena_copy_z(a, h->address));
        add(&all, "port", cv_arena_copy_z(a, h->port));
    }
    all.keys[all.count] = all.values[all.count] = NULL;
    PGconn *conn = PQconnectStartParams(all.keys, all.values, 1);
    if (!conn)
        cv_out_of_memory(sizeof all);
    PQsetNoticeReceiver(conn, hear, c);
    PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
    cv_postgres_result result = finish_connecting(c, conn, wait_ms, a, state, said, err);
    if (result == CV_POSTGRES_OK && !set_up(c, conn))
        result = told(a, conn, state, said);
    if (result == CV_POSTGRES_OK && !is_unicode(conn, said))
        result = CV_POSTGRES_OTHER;
    if (result == CV_POSTGRES_OK)
        c->conn = conn;
    else
        PQfinish(conn);
    return result;
}

cv_postgres_result cv_postgres_connect(cv_postgres *c, char ret_state[6], cv_err *err)
{
    cv_arena scratch = {0};
    cv_buf said = {0};
    plan p;
    make_plan(c, &scratch, &p);
    if (p.wrong.n) {
        cv_postgres_trouble(c, CV_POSTGRES_OTHER, "connect to the database", p.wrong, err);
        cv_arena_release(&scratch);
        return CV_POSTGRES_OTHER;
    }
    cv_postgres_result result = CV_POSTGRES_LOST;
    size_t tries = p.count ? p.count : 1;
    bool cancelled = false, lost = false;
    for (size_t i = 0; i < tries && result != CV_POSTGRES_OK && !cancelled; i++) {
        err->code = CV_ERR_NONE;
        result = try_host(c, &scratch, &p, p.count ? &p.hosts[i] : NULL, ret_state, &said, err);
        cancelled = err->code == CV_ERR_CANCELLED;
        lost = lost || result == CV_POSTGRES_LOST;
    }
    if (result == CV_POSTGRES_OK)
        c->costs.connects++;
    else if (!cancelled) /* a host that may come back counts more than one that never will do */
        result =
            cv_postgres_trouble(c, lost ? CV_POSTGRES_LOST : result, "connect to the database", cv_buf_str(&said), err);
    cv_buf_release(&said);
    cv_arena_release(&scratch);
    return result;
}
