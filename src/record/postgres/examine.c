/* examine.c - the server, as far as somebody who keeps a record on it should know it.
 *
 *     rights      what the user may not do and a write needs; who the owner is
 *     sslmode     whether the server's name is proved, where it is another machine
 *     durable     settings with which something that was acknowledged can be lost
 *     standbys    who has a copy, and how far it is behind
 *     feed        transactions that others have left open: commits behind them are not in the feed yet
 *
 * Every question is asked by itself: one that the server does not answer, to this user or at all, becomes a note, and
 * the others are asked anyway.
 */
#include <assert.h>

#include "record/postgres/connect.h"
#include "record/postgres/engine.h"

enum {
    LONG_MS = 60 * 1000, /* a transaction is in the way */
    ORDINARY_MS = 1000,  /* … is nothing to tell */
    MOST_NAMED = 6,      /* tables */
};

typedef struct {
    cv_postgres_record *r;
    cv_arena *a;
    cv_examined_visit visit;
    void *ctx;

    cv_str user, owner, synchronous_commit, fsync, full_page_writes, synchronous_names;
    cv_str quoted_user, quoted_schema; /* for statements */
    bool is_owner, is_standby;
    cv_buf missing; /* rights: "commits (INSERT, UPDATE), …" */
    cv_buf deleted; /* tables of which rows go: "conclave.imports, …" */
    size_t lacking; /* tables and functions with missing rights */
    bool lacks_function;
    size_t standbys, synchronous, blind; /* how many; of them; those of which we see nothing */
    size_t open;
    int64_t delayed;
} exam;

static void say(exam *e, const char *check, cv_examined_level level, cv_str message, cv_str remedy)
{
    const cv_examined finding = {check, level, message, remedy};
    e->visit(e->ctx, &finding);
}

/* One question; `parameter` empty: it has none. False: it was not answered, and a note says so. */
static bool ask(exam *e, const char *check, const char *name, cv_str parameter, cv_postgres_visit see)
{
    cv_err err = {.arena = e->a};
    cv_postgres_batch batch = {.arena = e->a};
    cv_postgres_statement *st = cv_postgres_ask(e->r, &batch, "look at it", name);
    if (parameter.n)
        cv_postgres_text(st, parameter);
    cv_postgres_rows(st, see, e);
    if (cv_postgres_run_again(e->r->c, &batch, &err) == CV_POSTGRES_OK)
        return true;
    say(e, check, CV_EXAMINED_NOTE, err.message, err.suggestion);
    return false;
}

/* ---- rights --------------------------------------------------------------------------------------------------------
 */

static bool see_server(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    exam *e = ctx;
    cv_str *const texts[] = {&e->user,
                             &e->owner,
                             NULL,
                             NULL,
                             &e->synchronous_commit,
                             &e->fsync,
                             &e->full_page_writes,
                             &e->synchronous_names,
                             &e->quoted_user,
                             &e->quoted_schema};
    (void)err;
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        if (texts[i])
            *texts[i] = cv_arena_copy(e->a, cv_postgres_column(row, (int)i));
    e->is_owner = cv_postgres_column_int(row, 2) == 1;
    e->is_standby = cv_postgres_column_int(row, 3) == 1;
    return true;
}

/* Only what is volatile or found by words goes again. */
static bool needs_delete(const exam *e, cv_str table)
{
    for (size_t i = 0; i < e->r->type_count; i++)
        if (cv_str_eq(table, cv_str_of(e->r->types[i].type->table)))
            return e->r->types[i].type->life == CV_VOLATILE;
    return cv_str_starts(table, CV_STR("search_"));
}

/* Of a table, or of a function: "lock_scope()". */
static bool see_rights(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    static const char *const words[] = {"SELECT", "INSERT", "UPDATE", "DELETE"};
    exam *e = ctx;
    cv_str table = cv_postgres_column(row, 0);
    bool is_function = cv_str_ends(table, CV_STR("()"));
    bool is_read = is_function || cv_str_eq(table, CV_STR("schema_migrations")), lacks = false;
    (void)err;
    if (needs_delete(e, table))
        cv_buf_printf(&e->deleted, "%s%.*s.%.*s", e->deleted.n ? ", " : "", CV_FMT(e->quoted_schema), CV_FMT(table));
    for (int i = 0; i < (int)CV_COUNT(words) && e->lacking < MOST_NAMED; i++) {
        bool needed = i == 0 || (!is_read && (i < 3 || needs_delete(e, table)));
        if (!needed || cv_postgres_column_int(row, i + 1) == 1)
            continue;
        e->lacks_function = e->lacks_function || is_function;
        if (!lacks)
            cv_buf_printf(&e->missing, "%s%.*s (%s", e->lacking ? ", " : "", CV_FMT(table),
                          is_function ? "EXECUTE" : words[i]);
        else
            cv_buf_printf(&e->missing, ", %s", words[i]);
        lacks = true;
    }
    if (lacks)
        cv_buf_add_z(&e->missing, ++e->lacking == MOST_NAMED ? ") …" : ")");
    return true;
}

static void examine_rights(exam *e)
{
    const char *schema = e->r->c->address.schema;
    if (!ask(e, "rights", "exam_rights", cv_str_of(schema), see_rights))
        return;
    cv_str missing = cv_buf_take(&e->missing, e->a), deleted = cv_buf_take(&e->deleted, e->a);
    cv_str functions = CV_STR("");
    if (e->lacks_function)
        functions = cv_arena_printf(e->a, "; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %.*s TO %.*s",
                                    CV_FMT(e->quoted_schema), CV_FMT(e->quoted_user));
    if (missing.n)
        say(e, "rights", CV_EXAMINED_ERROR,
            cv_arena_printf(e->a, "the user %.*s lacks rights that writes need: %.*s", CV_FMT(e->user),
                            CV_FMT(missing)),
            cv_arena_printf(e->a,
                            "ask the owner, %.*s, to run: GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA %.*s TO "
                            "%.*s; GRANT DELETE ON %.*s TO %.*s%.*s",
                            CV_FMT(e->owner), CV_FMT(e->quoted_schema), CV_FMT(e->quoted_user), CV_FMT(deleted),
                            CV_FMT(e->quoted_user), CV_FMT(functions)));
    else
        say(e, "rights", CV_EXAMINED_OK, cv_arena_printf(e->a, "the user %.*s can read and write", CV_FMT(e->user)),
            CV_STR(""));
    if (!e->is_owner)
        say(e, "rights", CV_EXAMINED_NOTE,
            cv_arena_printf(e->a, "the schema %s belongs to %.*s, not to %.*s", schema, CV_FMT(e->owner),
                            CV_FMT(e->user)),
            CV_STR("nothing: only a newer conclave's first start, 'conclave restore' and the last step of 'conclave "
                   "redact' need the owner"));
}

/* ---- the way to it -------------------------------------------------------------------------------------------------
 */

static bool is_local(cv_str host)
{
    return host.n == 0 || host.p[0] == '/' || host.p[0] == '@' || cv_str_eq(host, CV_STR("localhost")) ||
           cv_str_starts(host, CV_STR("127.")) || cv_str_eq(host, CV_STR("::1"));
}

static void examine_way(exam *e)
{
    cv_str mode = {NULL, 0};
    PGconn *conn = e->r->c->conn;
    cv_str host = cv_str_of(conn ? PQhost(conn) : "");
    PQconninfoOption *options = conn ? PQconninfo(conn) : NULL;
    for (const PQconninfoOption *o = options; o && o->keyword; o++)
        if (strcmp(o->keyword, "sslmode") == 0 && o->val)
            mode = cv_arena_copy(e->a, cv_str_of(o->val));
    PQconninfoFree(options);
    if (conn && !is_local(host) && !cv_str_eq(mode, CV_STR("verify-full")))
        say(e, "sslmode", CV_EXAMINED_NOTE,
            cv_arena_printf(e->a,
                            "%.*s is another machine, and sslmode=%.*s does not check that it is the right server",
                            CV_FMT(host), CV_FMT(mode)),
            CV_STR(
                "add sslmode=verify-full to the address; sslrootcert=FILE names who signs the server's certificate"));
}

/* ---- what can be lost ----------------------------------------------------------------------------------------------
 */

static void examine_settings(exam *e)
{
    static const cv_str off = CV_STR_INIT("off");
    bool sound = true;
    const struct {
        bool is_so;
        cv_examined_level level;
        const char *message, *remedy;
    } all[] = {
        {cv_str_eq(e->fsync, off), CV_EXAMINED_ERROR,
         "fsync=off: when the server's machine stops, the whole database can be damaged",
         "ask the server's administrator to set fsync=on"},
        {cv_str_eq(e->full_page_writes, off), CV_EXAMINED_ERROR,
         "full_page_writes=off: when the server's machine stops, pages can be damaged",
         "ask the server's administrator to set full_page_writes=on"},
        {cv_str_eq(e->synchronous_commit, off), CV_EXAMINED_ERROR,
         "synchronous_commit=off: when the server stops, writes that were acknowledged can be lost",
         "ask the server's administrator to set synchronous_commit=on, for the server, this database or this user"},
        {cv_str_eq(e->synchronous_commit, CV_STR("local")) && e->synchronous_names.n > 0, CV_EXAMINED_WARNING,
         "synchronous_commit=local: writes do not wait for a standby, and one that takes over can lack writes that "
         "were "
         "acknowledged",
         "ask the server's administrator to set synchronous_commit=on, for the server, this database or this user"},
    };
    for (size_t i = 0; i < CV_COUNT(all); i++)
        if (all[i].is_so) {
            say(e, "durable", all[i].level, cv_str_of(all[i].message), cv_str_of(all[i].remedy));
            sound = false;
        }
    if (sound)
        say(e, "durable", CV_EXAMINED_OK, CV_STR("acknowledged writes are on the server's disk"), CV_STR(""));
}

/* ---- standbys ------------------------------------------------------------------------------------------------------
 */

static bool see_standby(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    exam *e = ctx;
    cv_str name = cv_postgres_column(row, 0), address = cv_postgres_column(row, 1), state = cv_postgres_column(row, 2),
           sync = cv_postgres_column(row, 3);
    int64_t bytes = cv_postgres_column_int(row, 4), ms = cv_postgres_column_int(row, 5);
    (void)err;
    e->standbys++;
    if (!state.p) {
        e->blind++;
        return true;
    }
    bool waited_for = cv_str_eq(sync, CV_STR("sync")) || cv_str_eq(sync, CV_STR("quorum"));
    e->synchronous += waited_for;
    cv_buf text = {0};
    cv_buf_printf(&text, "%.*s%s%.*s: %.*s, %.*s", CV_FMT(name), address.n ? " at " : "", CV_FMT(address),
                  CV_FMT(state), CV_FMT(sync));
    if (bytes != CV_ABSENT)
        cv_buf_printf(&text, ", %lld bytes behind", (long long)bytes);
    if (ms != CV_ABSENT)
        cv_buf_printf(&text, " (%.1f s)", (double)ms / 1000);
    bool flows = cv_str_eq(state, CV_STR("streaming"));
    say(e, "standbys", flows ? CV_EXAMINED_OK : CV_EXAMINED_WARNING, cv_buf_take(&text, e->a),
        flows ? CV_STR("") : CV_STR("it has not caught up: look at its log; until then it must not take over"));
    return true;
}

static void examine_standbys(exam *e)
{
    if (e->is_standby) {
        say(e, "standbys", CV_EXAMINED_ERROR,
            CV_STR("the server is a standby itself: it takes no writes, and shows what it has received so far"),
            CV_STR("name the primary in the address, or all servers with target_session_attrs=read-write"));
        return;
    }
    if (!ask(e, "standbys", "exam_standbys", CV_STR(""), see_standby))
        return;
    if (e->standbys == 0)
        say(e, "standbys", CV_EXAMINED_NOTE,
            CV_STR("the server has no standby now: its data is on one machine, and in your backups"),
            CV_STR("nothing, if you want it so; else attach a standby and name it in synchronous_standby_names"));
    if (e->blind > 0)
        say(e, "standbys", CV_EXAMINED_NOTE,
            cv_arena_printf(e->a, "there are %zu, but the user %.*s may not see how far they are", e->blind,
                            CV_FMT(e->user)),
            cv_arena_printf(e->a, "ask the server's administrator to run: GRANT pg_monitor TO %.*s",
                            CV_FMT(e->quoted_user)));
    else if (e->standbys > 0 && e->synchronous == 0)
        say(e, "standbys", CV_EXAMINED_WARNING,
            CV_STR("writes wait for none of them: one that takes over can lack acknowledged writes"),
            CV_STR("ask the server's administrator to name one in synchronous_standby_names"));
    if (e->standbys == 0 && e->synchronous_names.n > 0)
        say(e, "standbys", CV_EXAMINED_WARNING,
            cv_arena_printf(e->a, "writes wait for '%.*s', which is not connected", CV_FMT(e->synchronous_names)),
            CV_STR("start that standby, or ask the server's administrator to change synchronous_standby_names"));
}

/* ---- who delays the feed -------------------------------------------------------------------------------------------
 */

static bool see_delayed(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    exam *e = ctx;
    (void)err;
    e->delayed = cv_postgres_column_int(row, 0);
    return true;
}

/* "process 4711 (psql of ann, database work, idle in transaction)", "the prepared transaction 'x' of ann" */
static cv_str name_transaction(exam *e, const cv_postgres_row *row)
{
    int64_t pid = cv_postgres_column_int(row, 0);
    cv_str who = cv_postgres_column(row, 1), program = cv_postgres_column(row, 2), state = cv_postgres_column(row, 4);
    cv_str database = cv_postgres_column(row, 3);
    if (pid == CV_ABSENT)
        return cv_arena_printf(e->a, "the prepared transaction '%.*s' of %.*s in %.*s", CV_FMT(program), CV_FMT(who),
                               CV_FMT(database));
    return cv_arena_printf(e->a, "process %lld (%.*s%s%.*s in %.*s%s%.*s)", (long long)pid, CV_FMT(program),
                           program.n ? " of " : "", CV_FMT(who), CV_FMT(database), state.n ? ", " : "", CV_FMT(state));
}

static bool see_open(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    exam *e = ctx;
    int64_t ms = cv_postgres_column_int(row, 5), pid = cv_postgres_column_int(row, 0);
    cv_str name = name_transaction(e, row);
    (void)err;
    if (ms != CV_ABSENT && ms < ORDINARY_MS)
        return true;
    e->open++;
    if (cv_str_eq(cv_postgres_column(row, 6), CV_STR("SyncRep"))) {
        say(e, "standbys", CV_EXAMINED_WARNING,
            cv_arena_printf(e->a, "%.*s has waited for a standby for %lld s: writes are blocked until it answers",
                            CV_FMT(name), (long long)(ms / 1000)),
            CV_STR("start the standby again; if it is gone for good, ask the administrator to remove it from "
                   "synchronous_standby_names"));
        return true;
    }
    cv_str age = ms == CV_ABSENT ? CV_STR("") : cv_arena_printf(e->a, " for %lld s", (long long)(ms / 1000));
    cv_str remedy = pid == CV_ABSENT
                        ? CV_STR("end it: COMMIT PREPARED or ROLLBACK PREPARED, in its database")
                        : cv_arena_printf(e->a, "wait until it ends; SELECT pg_terminate_backend(%lld) rolls it back",
                                          (long long)pid);
    say(e, "feed", ms >= LONG_MS ? CV_EXAMINED_WARNING : CV_EXAMINED_NOTE,
        cv_arena_printf(e->a, "%.*s has a transaction open%.*s: commits behind it are not in the feed yet (%lld now)",
                        CV_FMT(name), CV_FMT(age), (long long)e->delayed),
        remedy);
    return true;
}

static void examine_feed(exam *e)
{
    if (ask(e, "feed", "exam_delayed", CV_STR(""), see_delayed) && ask(e, "feed", "exam_open", CV_STR(""), see_open) &&
        e->open == 0)
        say(e, "feed", CV_EXAMINED_OK, CV_STR("no open transaction delays it"), CV_STR(""));
}

void cv_postgres_examine(cv_record *record, cv_arena *a, cv_examined_visit visit, void *ctx)
{
    exam e = {.r = (cv_postgres_record *)record, .a = a, .visit = visit, .ctx = ctx};
    assert(!e.r->open);
    if (ask(&e, "rights", "exam_server", cv_str_of(e.r->c->address.schema), see_server)) {
        examine_rights(&e);
        examine_way(&e);
        examine_settings(&e);
        examine_standbys(&e);
    }
    examine_feed(&e);
}
