/* migrate.c - is the schema ours, is it current, and if it is older: make it current.
 *
 * Migrations are numbered 1, 2, 3 … and each leaves a row with its checksum. A schema is accepted when its rows are the
 * beginning of our list, byte for byte. What is missing is applied one by one, each in a transaction of its own; its
 * row is part of it, and the key of that row lets one program through when several come at once: the others find it
 * done. More rows than we know: a newer program made it, and we keep our hands off.
 *
 *     look  ->  all there: done
 *           ->  no schema: make it     ->  look again
 *           ->  next migration         ->  look again
 *
 * Who may not change the schema needs only to read the table of migrations, as long as nothing is missing.
 */
#include <assert.h>

#include "base/buf.h"
#include "record/postgres/connection.h"

typedef struct {
    int64_t version;
    cv_str name, checksum, program;
} applied;

/* What there is. */
typedef struct {
    cv_postgres *c;
    cv_arena *a;
    const cv_sql_migrations *schema;
    bool is_there, is_ours;
    int64_t things, partitions;
    cv_str quoted_schema, quoted_user; /* for statements */
    struct {
        applied *items;
        size_t count, capacity;
    } rows;
} site;

static const char *text_of(site *s, const char *name)
{
    return cv_postgres_statement_in(s->a, s->c->address.schema, name);
}

static bool refuse(site *s, cv_err *err, cv_str suggestion)
{
    cv_err_file(err, s->c->address.text);
    cv_err_suggest(err, suggestion);
    return false;
}

/* ---- looking ------------------------------------------------------------------------------------------------------
 */

static bool see_site(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    site *s = ctx;
    (void)err;
    s->is_there = cv_postgres_column_int(row, 0) == 1;
    s->is_ours = cv_postgres_column_int(row, 1) == 1;
    s->things = cv_postgres_column_int(row, 2);
    s->partitions = cv_postgres_column_int(row, 4);
    s->quoted_schema = cv_arena_copy(s->a, cv_postgres_column(row, 5));
    s->quoted_user = cv_arena_copy(s->a, cv_postgres_column(row, 6));
    return true;
}

static bool see_row(void *ctx, const cv_postgres_row *row, cv_err *err)
{
    site *s = ctx;
    (void)err;
    *CV_PUSH(s->a, &s->rows) = (applied){.version = cv_postgres_column_int(row, 0),
                                         .name = cv_arena_copy(s->a, cv_postgres_column(row, 1)),
                                         .checksum = cv_arena_copy(s->a, cv_postgres_column(row, 2)),
                                         .program = cv_arena_copy(s->a, cv_postgres_column(row, 3))};
    return true;
}

static bool newer_error(site *s, cv_err *err)
{
    const applied *last = &s->rows.items[s->rows.count - 1];
    cv_err_set(
        err, CV_ERR_SCHEMA,
        "cannot open the database: made by a newer conclave (schema %lld by version %.*s; this is version " CV_VERSION
        ", which knows schema %zu)",
        (long long)last->version, CV_FMT(last->program), s->schema->count);
    return refuse(s, err, cv_arena_printf(s->a, "use conclave %.*s or later", CV_FMT(last->program)));
}

/* The rows are the beginning of our list. */
static bool compare(site *s, cv_err *err)
{
    size_t both = s->rows.count < s->schema->count ? s->rows.count : s->schema->count;
    for (size_t i = 0; i < both; i++) {
        const applied *theirs = &s->rows.items[i];
        const cv_sql_migration *ours = &s->schema->items[i];
        if (theirs->version == ours->number && cv_str_eq(theirs->checksum, cv_str_of(ours->checksum)))
            continue;
        cv_err_set(err, CV_ERR_SCHEMA,
                   "cannot open the database: its migration %.*s is not the %s of this program (checksums %.12s and "
                   "%.12s)",
                   CV_FMT(theirs->name), ours->name, cv_arena_copy_z(s->a, theirs->checksum), ours->checksum);
        return refuse(s, err,
                      CV_STR("use the version of conclave that made the database: a released migration never changes"));
    }
    return s->rows.count <= s->schema->count || newer_error(s, err);
}

static bool check_partitions(site *s, cv_err *err)
{
    int64_t wanted = s->c->address.partitions;
    if (wanted == 0 || s->rows.count == 0 || wanted == s->partitions)
        return true;
    cv_err_set(err, CV_ERR_SCHEMA,
               "cannot open the database: the address says partitions=%lld, but the tables of the schema %s have %lld",
               (long long)wanted, s->c->address.schema, (long long)s->partitions);
    return refuse(s, err, CV_STR("leave partitions= out: it counts only when the schema is made"));
}

static bool no_access(site *s, cv_err *err)
{
    cv_err_set(err, CV_ERR_STORE, "cannot open the database: its user may not read the tables of the schema %s",
               s->c->address.schema);
    return refuse(s, err,
                  cv_arena_printf(s->a,
                                  "ask its owner to run: GRANT USAGE ON SCHEMA %.*s TO %.*s; GRANT SELECT, INSERT, "
                                  "UPDATE ON ALL TABLES IN SCHEMA %.*s TO %.*s; then 'conclave doctor' names what else "
                                  "is missing",
                                  CV_FMT(s->quoted_schema), CV_FMT(s->quoted_user), CV_FMT(s->quoted_schema),
                                  CV_FMT(s->quoted_user)));
}

/* One round trip; a table that is not there is an answer like another. */
static bool look(site *s, cv_err *err)
{
    cv_postgres_batch batch = {.arena = s->a};
    s->rows.count = 0;
    cv_postgres_statement *there = cv_postgres_add(&batch, "read the database", text_of(s, "schema_there"));
    cv_postgres_text(there, cv_str_of(s->c->address.schema));
    cv_postgres_rows(there, see_site, s);
    cv_postgres_statement *rows = cv_postgres_add(&batch, "read the database", text_of(s, "migrations"));
    cv_postgres_rows(rows, see_row, s);
    cv_err trouble = {.arena = err->arena};
    cv_postgres_result result = cv_postgres_run_again(s->c, &batch, &trouble);
    if (result == CV_POSTGRES_OK)
        return compare(s, err) && check_partitions(s, err);
    if (result == CV_POSTGRES_DENIED && batch.failed == rows)
        return no_access(s, err);
    if (result != CV_POSTGRES_NO_SCHEMA || batch.failed != rows) {
        cv_err_copy(err, &trouble);
        return false;
    }
    if (!s->is_there || s->things == 0)
        return true;
    cv_err_set(err, CV_ERR_SCHEMA, "cannot open the database: the schema %s belongs to another program",
               s->c->address.schema);
    return refuse(s, err, CV_STR("name another one in the address: schema=NAME"));
}

/* ---- the statements of a migration --------------------------------------------------------------------------------
 */

/* Behind the next occurrence of `end`. */
static size_t behind(cv_str text, size_t from, cv_str end)
{
    size_t at = cv_str_find(cv_str_from(text, from), end);
    return at == SIZE_MAX ? text.n : from + at + end.n;
}

/* The bytes of a comment, a string or a function's body that begins here; 0: none does. */
static size_t whole(cv_str text, size_t i)
{
    static const struct {
        cv_str begin, end;
    } pairs[] = {{CV_STR_INIT("--"), CV_STR_INIT("\n")},
                 {CV_STR_INIT("/*"), CV_STR_INIT("*/")},
                 {CV_STR_INIT("'"), CV_STR_INIT("'")},
                 {CV_STR_INIT("\""), CV_STR_INIT("\"")},
                 {CV_STR_INIT("$$"), CV_STR_INIT("$$")}};
    for (size_t k = 0; k < CV_COUNT(pairs); k++)
        if (cv_str_starts(cv_str_from(text, i), pairs[k].begin))
            return behind(text, i + pairs[k].begin.n, pairs[k].end) - i;
    return 0;
}

/* Up to the next ';', without the comments before it. False: there is nothing more. */
static bool next_statement(cv_str *rest, cv_str *ret_statement)
{
    cv_str text = cv_str_trim_left(*rest);
    while (cv_str_starts(text, CV_STR("--")))
        text = cv_str_trim_left(cv_str_from(text, behind(text, 0, CV_STR("\n"))));
    size_t i = 0;
    while (i < text.n && text.p[i] != ';') {
        size_t n = whole(text, i);
        i += n ? n : 1;
    }
    *ret_statement = cv_str_head(text, i);
    *rest = cv_str_from(text, i + 1);
    return text.n > 0;
}

/* The parts of a table that was made in parts. */
static void add_partitions(site *s, cv_postgres_batch *batch, const char *doing, cv_str made, int64_t count)
{
    cv_str rest = cv_str_from(made, strlen("CREATE TABLE ")), table = cv_str_head(rest, cv_str_find_char(rest, ' '));
    cv_str total = cv_arena_printf(s->a, "%lld", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        cv_str number = cv_arena_printf(s->a, "%lld", (long long)i);
        const cv_postgres_word words[] = {
            {"$table", table},
            {"$part", cv_arena_printf(s->a, "%.*s_%.*s", CV_FMT(table), CV_FMT(number))},
            {"$count", total},
            {"$number", number},
        };
        cv_postgres_add(batch, doing,
                        cv_postgres_fill(s->a, cv_postgres_statement_text("partition"), words, CV_COUNT(words)));
    }
}

static void add_statements(site *s, cv_postgres_batch *batch, const char *doing, const cv_sql_migration *m)
{
    static const cv_str mark = CV_STR_INIT("/*partitioned*/");
    const cv_postgres_word words[] = {{"$schema", cv_postgres_quoted(s->a, s->c->address.schema)}};
    cv_str one, rest = cv_str_of(cv_postgres_fill(s->a, m->text, words, CV_COUNT(words)));
    int64_t partitions = s->rows.count ? s->partitions : s->c->address.partitions;
    while (next_statement(&rest, &one)) {
        bool parted = partitions > 0 && cv_str_ends(one, mark);
        if (parted)
            one = cv_arena_join(s->a, cv_str_head(one, one.n - mark.n),
                                cv_str_of(cv_postgres_statement_text("partitioned")));
        cv_postgres_add(batch, doing, cv_arena_copy_z(s->a, one));
        if (parted)
            add_partitions(s, batch, doing, one, partitions);
    }
}

static void add_row(site *s, cv_postgres_batch *batch, const char *doing, const cv_sql_migration *m)
{
    cv_postgres_statement *put = cv_postgres_add(batch, doing, text_of(s, "migration_put"));
    cv_postgres_int(put, m->number);
    cv_postgres_text(put, cv_str_of(m->name));
    cv_postgres_text(put, cv_str_of(m->checksum));
    cv_postgres_text(put, CV_STR(CV_VERSION));
}

/* ---- making it current --------------------------------------------------------------------------------------------
 */

/* The table of migrations is made by the first one: a second client waits for it, and finds it there. */
static cv_postgres_result apply(site *s, const cv_sql_migration *m, cv_err *err)
{
    cv_postgres_batch batch = {.arena = s->a};
    bool first = s->rows.count == 0;
    const char *doing = cv_arena_printf(s->a, "migrate the schema %s (%s)", s->c->address.schema, m->name).p;
    cv_postgres_add(&batch, doing, text_of(s, "begin_migration"));
    cv_postgres_add(&batch, doing, text_of(s, "migration_wait"));
    if (!first) {
        cv_postgres_add(&batch, doing, text_of(s, "migrations_lock"));
        add_row(s, &batch, doing, m);
    }
    add_statements(s, &batch, doing, m);
    if (first)
        add_row(s, &batch, doing, m);
    cv_postgres_add(&batch, doing, text_of(s, "commit"));
    cv_postgres_result result = cv_postgres_run(s->c, &batch, err);
    if (result != CV_POSTGRES_OK)
        cv_postgres_rollback(s->c);
    return result;
}

static cv_postgres_result make_schema(site *s, cv_err *err)
{
    cv_postgres_batch batch = {.arena = s->a};
    const char *doing = cv_arena_printf(s->a, "make the schema %s", s->c->address.schema).p;
    cv_postgres_add(&batch, doing, text_of(s, "schema_make"));
    return cv_postgres_run(s->c, &batch, err);
}

static bool missing(site *s, cv_err *err)
{
    cv_err_set(err, CV_ERR_NOT_FOUND, "cannot open the database: it has no record in the schema %s",
               s->c->address.schema);
    return refuse(s, err, CV_STR("check the address and its schema=; 'conclave init' makes a new record"));
}

static bool step(site *s, cv_err *err)
{
    cv_postgres_result result = s->is_there ? apply(s, &s->schema->items[s->rows.count], err) : make_schema(s, err);
    if (result == CV_POSTGRES_DENIED)
        cv_err_suggest(err, cv_arena_printf(s->a,
                                            "open the record once with this version as the owner of the schema %s, who "
                                            "may change it; afterwards other users need no such right",
                                            s->c->address.schema));
    /* Somebody else was quicker: the next look shows how far they are. */
    return result == CV_POSTGRES_OK || result == CV_POSTGRES_DUPLICATE || result == CV_POSTGRES_RETRY;
}

bool cv_postgres_migrate(cv_postgres *c, const cv_sql_migrations *schema, bool create, int64_t *ret_version,
                         cv_err *err)
{
    cv_arena scratch = {0};
    site s = {.c = c, .a = &scratch, .schema = schema};
    /* Each of the others who come at the same time can be in the way of each migration once. */
    size_t most = 4 * (schema->count + 1);
    cv_err met = {.arena = err->arena};
    bool ok = look(&s, err);
    for (size_t tries = 0; ok && s.rows.count < schema->count; tries++) {
        if (s.rows.count == 0 && !create)
            ok = missing(&s, err);
        else if (tries == most || !step(&s, &met)) {
            cv_err_copy(err, &met);
            ok = false;
        } else
            ok = look(&s, err);
    }
    if (ok)
        *ret_version = schema->items[schema->count - 1].number;
    cv_arena_release(&scratch);
    return ok;
}
