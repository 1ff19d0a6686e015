/* errors.c - what went wrong: SQLSTATEs as the few kinds that the record knows, and errors for people. */
#include <assert.h>

#include "base/buf.h"
#include "record/postgres/connection.h"

/* The first row that fits counts: narrow codes are before their classes. */
static const struct {
    const char *state;
    cv_postgres_result means;
} states[] = {
    {"55P03", CV_POSTGRES_BUSY},      /* lock_not_available */
    {"53300", CV_POSTGRES_BUSY},      /* too_many_connections */
    {"57014", CV_POSTGRES_BUSY},      /* query_canceled: a statement_timeout of the server */
    {"40001", CV_POSTGRES_RETRY},     /* serialization_failure */
    {"40P01", CV_POSTGRES_RETRY},     /* deadlock_detected */
    {"40003", CV_POSTGRES_LOST},      /* statement_completion_unknown: nobody can say, as if there were no answer */
    {"23505", CV_POSTGRES_DUPLICATE}, /* unique_violation */
    {"42P06", CV_POSTGRES_DUPLICATE}, /* duplicate_schema */
    {"42P07", CV_POSTGRES_DUPLICATE}, /* duplicate_table */
    {"42710", CV_POSTGRES_DUPLICATE}, /* duplicate_object */
    {"42723", CV_POSTGRES_DUPLICATE}, /* duplicate_function */
    {"57P", CV_POSTGRES_LOST},        /* the server ends, ended, or is starting */
    {"08", CV_POSTGRES_LOST},         /* connection exceptions */
    {"25006", CV_POSTGRES_LOST},      /* read_only_sql_transaction: it is a standby now */
    {"25P03", CV_POSTGRES_LOST},      /* idle_in_transaction_session_timeout */
    {"42501", CV_POSTGRES_DENIED},    /* insufficient_privilege */
    {"28", CV_POSTGRES_DENIED},       /* who are you? */
    {"3F000", CV_POSTGRES_NO_SCHEMA}, /* invalid_schema_name */
    {"42P01", CV_POSTGRES_NO_SCHEMA}, /* undefined_table */
    {"42883", CV_POSTGRES_NO_SCHEMA}, /* undefined_function */
    {"53100", CV_POSTGRES_FULL},      /* disk_full */
    {"53200", CV_POSTGRES_FULL},      /* out_of_memory */
    {"22", CV_POSTGRES_REFUSED},      /* data exceptions */
    {"23", CV_POSTGRES_REFUSED},      /* constraints */
    {"54", CV_POSTGRES_REFUSED},      /* too large, too many */
    {"P0001", CV_POSTGRES_REFUSED},   /* our triggers */
};

cv_postgres_result cv_postgres_classify(const char *sqlstate)
{
    if (!sqlstate || !*sqlstate)
        return CV_POSTGRES_LOST;
    for (size_t i = 0; i < CV_COUNT(states); i++)
        if (strncmp(sqlstate, states[i].state, strlen(states[i].state)) == 0)
            return states[i].means;
    return CV_POSTGRES_OTHER;
}

typedef struct {
    cv_err_code means;
    const char *what, *suggestion;
} trouble;

/* A code is the address of its row, so the table cannot be a static one. */
static trouble trouble_of(cv_postgres_result result)
{
    const trouble all[] = {
        [CV_POSTGRES_BUSY] = {CV_ERR_BUSY, "other transactions keep the database busy",
                              "try again; nothing was written"},
        [CV_POSTGRES_RETRY] = {CV_ERR_BUSY, "another transaction was in the way", "try again; nothing was written"},
        [CV_POSTGRES_DUPLICATE] = {CV_ERR_STORE, "the database has it already", NULL},
        [CV_POSTGRES_REFUSED] = {CV_ERR_STORE, "the database refused a row", NULL},
        [CV_POSTGRES_LOST] = {CV_ERR_STORE, "there is no connection to a server that can be used",
                              "check that the server runs, takes writes and can be reached; then try again"},
        [CV_POSTGRES_DENIED] = {CV_ERR_STORE, "permission denied",
                                "check user and password (~/.pgpass, PGPASSWORD, a service file), and ask the owner of "
                                "the schema to grant what is missing"},
        [CV_POSTGRES_NO_SCHEMA] = {CV_ERR_NOT_FOUND, "the database has no such tables or functions",
                                   "check the address and its schema=; 'conclave verify' names what a record lacks, "
                                   "'conclave init' makes a new one"},
        [CV_POSTGRES_FULL] = {CV_ERR_STORE, "the server has no room left", "make room on the server and try again"},
        [CV_POSTGRES_OTHER] = {CV_ERR_STORE, "the database answered with an error", NULL},
    };
    assert(result < CV_COUNT(all) && all[result].means);
    return all[result];
}

/* What libpq and the server say in words only. */
static const struct {
    const char *word, *also;
    const char *suggestion;
} hints[] = {
    {"no password supplied", "",
     "the server wants a password, and libpq found none for this host, database and user: put it into ~/.pgpass "
     "(HOST:PORT:DATABASE:USER:PASSWORD, readable by you alone), a service file, or the variable PGPASSWORD"},
    {"password authentication failed", "",
     "check the user in the address, and the password in ~/.pgpass, a service file, or PGPASSWORD"},
    {"definition of service", "not found",
     "check service= in the address (or PGSERVICE), and that ~/.pg_service.conf, or the file that PGSERVICEFILE names, "
     "has a section [NAME]"},
    {"service file", "", "check the service file: ~/.pg_service.conf, or the file that PGSERVICEFILE names"},
    {"read-only", "refused",
     "one server is a standby, and another one does not answer: start the primary, or promote the standby"},
    {"read-only", "no answer",
     "one server is a standby, and another one does not answer: start the primary, or promote the standby"},
    {"read-only", "",
     "this server takes no writes, it may be a standby: name the primary in the address, or all of them "
     "(postgresql://HOST1,HOST2/DATABASE)"},
    {"database \"", "does not exist", "create the database ('createdb NAME'), or name another one in the address"},
    {"translate host name", "", "check the name of the host in the address"},
    {"pg_hba.conf", "", "ask the server's administrator to admit this user from here (pg_hba.conf)"},
    {"certificate", "", "check sslmode= and sslrootcert= in the address, and the certificate of the server"},
    {"SSL", "", "check sslmode= in the address, and whether the server supports TLS"},
    {"invalid ", "", "correct the address: beside schema=, pipeline= and partitions= its settings are those of libpq"},
};

static const char *hint_of(cv_str message)
{
    for (size_t i = 0; i < CV_COUNT(hints); i++)
        if (cv_str_find(message, cv_str_of(hints[i].word)) != SIZE_MAX &&
            cv_str_find(message, cv_str_of(hints[i].also)) != SIZE_MAX)
            return hints[i].suggestion;
    return NULL;
}

/* The lines of a message as one. */
static cv_str one_line(cv_arena *a, cv_str message)
{
    cv_buf out = {0};
    cv_str line, rest = cv_str_trim(message);
    while (cv_str_split(&rest, '\n', &line)) {
        line = cv_str_trim(line);
        if (line.n == 0)
            continue;
        if (out.n > 0)
            cv_buf_add_z(&out, "; ");
        cv_buf_add(&out, line);
    }
    return cv_buf_take(&out, a);
}

cv_postgres_result cv_postgres_trouble(const cv_postgres *c, cv_postgres_result result, const char *doing,
                                       cv_str message, cv_err *err)
{
    trouble it = trouble_of(result);
    cv_str words = one_line(err->arena, message);
    const char *hint = c->conn ? NULL : hint_of(words); /* while connecting */
    if (c->conn && cv_str_find(words, CV_STR("during recovery")) != SIZE_MAX)
        hint = "this server is a standby: name the primary in the address, or all servers with "
               "target_session_attrs=read-write";
    if (c->conn && result == CV_POSTGRES_DENIED)
        hint = "have the owner of the schema to grant what is missing; 'conclave doctor' names it";
    cv_err_set(err, it.means, "cannot %s: %s%s%.*s%s", doing, it.what, words.n ? " (" : "", CV_FMT(words),
               words.n ? ")" : "");
    cv_err_file(err, c->address.text);
    if (hint || it.suggestion)
        cv_err_suggest(err, cv_str_of(hint ? hint : it.suggestion));
    return result;
}
