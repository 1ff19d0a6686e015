/* connection.c - a database of SQLite: opening and closing, statements, waiting for others, errors.
 *
 * The file is in WAL mode with synchronous=FULL: readers never wait, one process writes at a time, and a commit is on
 * the disk when it returns. Writers take their turn with BEGIN IMMEDIATE, so a transaction that has begun never loses
 * against another. Waiting is ours: short pauses that grow, spread by the process id so that many writers do not wake
 * in step, with an end after which the answer is BUSY.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/system.h"
#include "record/sqlite/connection.h"

/* ---- statements ------------------------------------------------------------------------------- */

static size_t statement_index(cv_sqlite *s, const char *name)
{
    const cv_sql_statement *all = s->statements.items;
    uint16_t *recent = &s->recent[(uintptr_t)name % CV_COUNT(s->recent)];
    size_t i = 0;
    if (strcmp(all[*recent].name, name) == 0)
        return *recent;
    while (i < s->statements.count && strcmp(all[i].name, name) != 0)
        i++;
    assert(i < s->statements.count);
    return *recent = (uint16_t)i;
}

const char *cv_sqlite_text(cv_sqlite *s, const char *name)
{
    return s->statements.items[statement_index(s, name)].text;
}

sqlite3_stmt *cv_sqlite_use(cv_sqlite *s, const char *name)
{
    size_t i = statement_index(s, name);
    assert(s->db && "the connection is open");
    if (!s->cached[i])
        sqlite3_prepare_v3(s->db, s->statements.items[i].text, -1, SQLITE_PREPARE_PERSISTENT, &s->cached[i], NULL);
    else
        sqlite3_reset(s->cached[i]);
    return s->cached[i];
}

int cv_sqlite_run(cv_sqlite *s, const char *name)
{
    sqlite3_stmt *st = cv_sqlite_use(s, name);
    if (!st)
        return sqlite3_extended_errcode(s->db);
    while (sqlite3_step(st) == SQLITE_ROW)
        ;
    return sqlite3_reset(st);
}

bool cv_sqlite_bind_str(sqlite3_stmt *st, const char *parameter, cv_str value)
{
    int i = sqlite3_bind_parameter_index(st, parameter);
    return i == 0 || sqlite3_bind_text64(st, i, value.p, value.n, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
}

bool cv_sqlite_bind_int(sqlite3_stmt *st, const char *parameter, int64_t value)
{
    int i = sqlite3_bind_parameter_index(st, parameter);
    return i == 0 || sqlite3_bind_int64(st, i, value) == SQLITE_OK;
}

cv_str cv_sqlite_column_str(sqlite3_stmt *st, int column)
{
    const char *p = (const char *)sqlite3_column_text(st, column);
    return (cv_str){p, p ? (size_t)sqlite3_column_bytes(st, column) : 0};
}

int cv_sqlite_step(sqlite3_stmt *st)
{
    int rc = sqlite3_step(st);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : -1;
}

bool cv_sqlite_is_in_place(cv_sqlite *s)
{
    int moved = 0;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    s->has_moved = moved;
    if (moved)
        cv_sqlite_rollback(s);
    return !moved;
}

bool cv_sqlite_begin_write(cv_sqlite *s)
{
    s->has_moved = false;
    return cv_sqlite_run(s, "begin_write") == SQLITE_OK && cv_sqlite_is_in_place(s);
}

void cv_sqlite_rollback(cv_sqlite *s)
{
    if (!sqlite3_get_autocommit(s->db))
        cv_sqlite_run(s, "rollback");
}

/* ---- waiting ---------------------------------------------------------------------------------- */

/* One pause before the next try, longer each time; false when the longest wait is over. `tries` counts from 0. Who has
 * waited long asks more often than newcomers do, or it would seldom be the one who finds the lock free. */
static bool wait_again(cv_sqlite *s, int tries)
{
    assert(tries >= 0);
    if (tries == 0)
        s->waited_us = 0;
    if (s->waited_us >= s->wait_us)
        return false;
    s->jitter += 0x9e3779b97f4a7c15u; /* a sequence that no two processes share */
    uint64_t mixed = (s->jitter ^ (s->jitter >> 31)) * 0xbf58476d1ce4e5b9u;
    enum { LONG_US = 500000 };
    int doublings = s->waited_us > LONG_US ? 1 : tries < 6 ? tries : 6; /* half a millisecond up to 32, then 1 */
    int64_t step = (int64_t)500 << doublings;
    int64_t us = step + (int64_t)((mixed >> 33) % (uint64_t)step);
    s->waited_us += us;
    nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
    return true;
}

static int busy(void *ctx, int tries)
{
    return wait_again(ctx, tries);
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* The limit for the size of a file, which SQLite does not tell from a failing disk. */
#define TOO_LONG (SQLITE_FULL | (1 << 8))

/* What to make of SQLite's result codes. The first row that fits counts: narrow codes are before wide ones. */
static const struct {
    int code;
    cv_err_code means;
    const char *what, *suggestion;
} troubles[] = {
    {SQLITE_BUSY, CV_ERR_BUSY, "another process has kept the database locked", "try again; nothing was written"},
    {SQLITE_LOCKED, CV_ERR_BUSY, "the database is locked by this process itself", "try again; nothing was written"},
    {SQLITE_PROTOCOL, CV_ERR_BUSY, "too many processes open the database at once", "try again; nothing was written"},
    {SQLITE_NOTADB, CV_ERR_CORRUPT, "this is not a database", CV_SQLITE_DAMAGE_ADVICE},
    {SQLITE_CORRUPT_VTAB, CV_ERR_CORRUPT, "the search index is damaged", "search again: the index is rebuilt"},
    {SQLITE_CORRUPT, CV_ERR_CORRUPT, "the database is damaged", CV_SQLITE_DAMAGE_ADVICE},
    {SQLITE_READONLY, CV_ERR_STORE, "the record is read-only",
     "give yourself write permission for the folder and the files in it, or use a copy"},
    {SQLITE_PERM, CV_ERR_STORE, "permission denied", "give yourself permission for the file and its folder"},
    {SQLITE_AUTH, CV_ERR_STORE, "permission denied", "give yourself permission for the file and its folder"},
    {SQLITE_CANTOPEN, CV_ERR_STORE, "the file cannot be opened", "check that its folder exists"},
    {TOO_LONG, CV_ERR_STORE, "a file would be longer than this process may write",
     "raise the limit for the size of files (ulimit -f) and try again; nothing was written"},
    {SQLITE_FULL, CV_ERR_STORE, "the disk is full", "make room and try again; nothing was written"},
    {SQLITE_IOERR, CV_ERR_STORE, "the disk failed", "check the disk and the system's log, then try again"},
    {SQLITE_TOOBIG, CV_ERR_TOO_LARGE, "a text is larger than the database can hold", "split it"},
    {SQLITE_CONSTRAINT, CV_ERR_STORE, "the database refused a row", NULL},
    {0, CV_ERR_STORE, "the database answered with an error", NULL},
};

/* What the system said; a failed write to the log is known to its file alone. */
static int system_errno(cv_sqlite *s)
{
    sqlite3_file *log = NULL;
    int number = sqlite3_system_errno(s->db);
    if (number == 0 && sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log &&
        log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

static int trouble_of(cv_sqlite *s)
{
    int code = sqlite3_extended_errcode(s->db);
    if ((code & 0xff) != SQLITE_IOERR)
        return code;
    int number = system_errno(s);
    return number == ENOSPC || number == EDQUOT ? SQLITE_FULL : number == EFBIG ? TOO_LONG : code;
}

/* The library says of every file that it cannot open the same, and of every failure to read or write: the system knows
 * more. 0: it said nothing. */
static int cause_of(cv_sqlite *s, int code)
{
    int number = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_IOERR ? system_errno(s) : 0;
    return number == EIO ? 0 : number;
}

bool cv_sqlite_lacks_room(cv_sqlite *s)
{
    return (trouble_of(s) & 0xff) == SQLITE_FULL;
}

bool cv_sqlite_fail(cv_sqlite *s, const char *doing, cv_err *err)
{
    int code = trouble_of(s), cause = cause_of(s, code);
    size_t i = 0;
    if (s->has_moved) {
        s->has_moved = false;
        cv_err_set(err, CV_ERR_BUSY,
                   access(s->path, F_OK) == 0 ? "cannot %s: another file was put in the place of the record"
                                              : "cannot %s: the file of the record is not there any more",
                   doing);
        cv_err_file(err, cv_str_of(s->path));
        cv_err_suggest(err, CV_STR("try again; nothing was written"));
        return false;
    }
    while (troubles[i].code && troubles[i].code != code && troubles[i].code != (code & 0xff))
        i++;
    if (troubles[i].code == SQLITE_READONLY)
        cv_err_set(err, troubles[i].means, "cannot %s: %s; %.*s", doing, troubles[i].what,
                   CV_FMT(cv_sqlite_hindrance(err->arena, s->path)));
    else
        cv_err_set(err, troubles[i].means, "cannot %s: %s (%s)", doing, troubles[i].what,
                   code == TOO_LONG ? cv_system_reason(EFBIG)
                   : cause          ? cv_system_reason(cause)
                                    : sqlite3_errmsg(s->db));
    cv_err_file(err, cv_str_of(s->path));
    if (cause && cause != ENOENT)
        cv_err_suggest(err, cv_str_of(cv_system_advice(cause)));
    else if (troubles[i].suggestion)
        cv_err_suggest(err, cv_str_of(troubles[i].suggestion));
    return false;
}

/* When the disk fails while the last page is written or synced, that page may be there anyway, and the next process to
 * read the log would find a whole transaction: only then the outcome is unknown. A full disk, or a file that must not
 * grow, has not taken the last page. */
cv_sqlite_outcome cv_sqlite_commit(cv_sqlite *s, cv_err *err)
{
    cv_sqlite_gather_begin(s);
    int rc = cv_sqlite_run(s, "commit") & 0xff;
    cv_sqlite_gather_end();
    if (rc == SQLITE_OK)
        return CV_SQLITE_DONE;
    if (sqlite3_extended_errcode(s->db) == SQLITE_IOERR_WRITE && trouble_of(s) == TOO_LONG)
        rc = SQLITE_FULL;
    cv_sqlite_fail(s, "commit", err);
    cv_sqlite_rollback(s);
    if (rc == SQLITE_BUSY || rc == SQLITE_FULL || rc == SQLITE_READONLY || rc == SQLITE_CONSTRAINT)
        return err->code == CV_ERR_BUSY ? CV_SQLITE_BUSY : CV_SQLITE_FAILED;
    cv_err_suggest(err,
                   CV_STR("it may or may not be written: send the same operation again, which writes it at most once"));
    return CV_SQLITE_UNKNOWN;
}

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

/* Distrusts whatever is in the file's schema; foreign keys and triggers are in force, REPLACE counts as DELETE. */
static bool configure(cv_sqlite *s, cv_err *err)
{
    static const struct {
        int option, value;
    } options[] = {
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1}, {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        sqlite3_db_config(s->db, options[i].option, options[i].value, (int *)NULL);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_handler(s->db, busy, s);
    return (cv_sqlite_words_define(s->db) && cv_sqlite_run(s, "recursive_triggers") == SQLITE_OK &&
            cv_sqlite_run(s, "synchronous") == SQLITE_OK && cv_sqlite_run(s, "checkpoint_after") == SQLITE_OK) ||
           cv_sqlite_fail(s, "open the database", err);
}

/* 1: it is in WAL mode; 0: it is not; -1: trouble. */
static int asks_wal(cv_sqlite *s, const char *statement)
{
    sqlite3_stmt *st = cv_sqlite_use(s, statement);
    int got = st ? cv_sqlite_step(st) : -1;
    if (got > 0)
        got = cv_str_eq(cv_sqlite_column_str(st, 0), CV_STR("wal"));
    if (st)
        sqlite3_reset(st);
    return got;
}

/* Several processes may find a new file at once. The switch to WAL mode does not go through the busy handler when
 * others read meanwhile, so it is tried again here. */
static bool use_wal(cv_sqlite *s, cv_err *err)
{
    int is_wal = asks_wal(s, "journal_mode");
    if (is_wal == 0 && sqlite3_db_readonly(s->db, "main") == 1)
        return true;
    for (int tries = 0; is_wal <= 0; tries++) {
        is_wal = asks_wal(s, "wal");
        int rc = sqlite3_errcode(s->db) & 0xff;
        bool others = is_wal == 0 || rc == SQLITE_BUSY || rc == SQLITE_LOCKED || rc == SQLITE_PROTOCOL;
        if (is_wal <= 0 && (!others || !wait_again(s, tries)))
            return cv_sqlite_fail(s, "switch the database to its write-ahead log", err);
    }
    s->has_log = true;
    return true;
}

/* Nobody asks SQLite how much memory it uses; counting takes a lock that all workers share, at every allocation. */
static void set_up(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static cv_sqlite *make(cv_arena *a, const char *path, cv_sqlite_statements statements, const cv_sql_migrations *schema)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    cv_sqlite *s = CV_NEW(a, cv_sqlite);
    s->path = cv_arena_copy_z(a, cv_str_of(path));
    s->schema = schema;
    s->statements = statements;
    assert(statements.count > 0 && statements.count <= UINT16_MAX);
    s->cached = CV_NEW_ARRAY(a, statements.count, sqlite3_stmt *);
    s->wait_us = (int64_t)CV_SQLITE_WAIT_MS * 1000;
    s->jitter = (uint64_t)getpid() << 32;
    return s;
}

void cv_sqlite_disconnect(cv_sqlite *s)
{
    for (size_t i = 0; i < s->statements.count; i++)
        sqlite3_finalize(s->cached[i]);
    cv_sqlite_tokenizer_close(&s->tokenizer);
    sqlite3_close_v2(s->db);
    sqlite3_free(s->gathered);
    s->gathered = NULL;
    s->db = NULL;
}

/* The path as a URI that says that nobody changes the file. */
static const char *immutable_uri(cv_arena *a, const char *path)
{
    cv_buf uri = {0};
    cv_buf_add_z(&uri, path[0] == '/' ? "file://" : "file:");
    for (; *path; path++) {
        if (strchr("%?#", *path))
            cv_buf_printf(&uri, "%%%02X", (unsigned)(unsigned char)*path);
        else
            cv_buf_add_char(&uri, *path);
    }
    cv_buf_add_z(&uri, "?immutable=1");
    return cv_arena_copy_z(a, cv_buf_take(&uri, a));
}

static bool open_database(cv_sqlite *s, cv_arena *a, cv_sqlite_mode mode, cv_err *err)
{
    static const int flags[] = {[CV_SQLITE_EXISTING] = SQLITE_OPEN_READWRITE,
                                [CV_SQLITE_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                [CV_SQLITE_IMMUTABLE] = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                [CV_SQLITE_MEMORY] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY,
                                [CV_SQLITE_EMPTY] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY};
    _Static_assert(CV_COUNT(flags) == CV_SQLITE_EMPTY + 1, "flags per mode");
    const char *name = mode == CV_SQLITE_IMMUTABLE ? immutable_uri(a, s->path) : s->path;
    if (mode == CV_SQLITE_CREATE)
        cv_sqlite_make_private(s->path);
    return (sqlite3_open_v2(name, &s->db, flags[mode] | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK ||
            cv_sqlite_fail(s, "open the database", err)) &&
           configure(s, err);
}

/* A file is handled as we want, ours or empty, with a log, there to stay, and has our tables. */
static bool prepare_file(cv_sqlite *s, cv_arena *a, cv_sqlite_mode mode, cv_err *err)
{
    size_t applied;
    bool create = mode == CV_SQLITE_CREATE;
    return cv_sqlite_inspect(s, create, &applied, err) && (mode == CV_SQLITE_IMMUTABLE || use_wal(s, err)) &&
           (applied > 0 || cv_sqlite_sync_folder(a, s->path, err)) &&
           (applied == s->schema->count || cv_sqlite_migrate(s, create, err));
}

cv_sqlite *cv_sqlite_connect(cv_arena *a, const char *path, cv_sqlite_mode mode, cv_sqlite_statements statements,
                             const cv_sql_migrations *schema, cv_err *err)
{
    bool is_file = mode != CV_SQLITE_MEMORY && mode != CV_SQLITE_EMPTY;
    if (is_file && !cv_sqlite_check_place(path, mode == CV_SQLITE_CREATE, err))
        return NULL;
    cv_sqlite *s = make(a, is_file ? path : ":memory:", statements, schema);
    bool ok = open_database(s, a, mode, err) &&
              (is_file ? prepare_file(s, a, mode, err) : mode == CV_SQLITE_EMPTY || cv_sqlite_migrate(s, true, err));
    if (!ok)
        cv_sqlite_disconnect(s);
    return ok ? s : NULL;
}

bool cv_sqlite_copy(cv_sqlite *from, cv_sqlite *to, cv_err *err)
{
    sqlite3_backup *copy = sqlite3_backup_init(to->db, "main", from->db, "main");
    if (copy)
        sqlite3_backup_step(copy, -1);
    return (copy && sqlite3_backup_finish(copy) == SQLITE_OK) || cv_sqlite_fail(to, "copy the database", err);
}

bool cv_sqlite_tokenizer_ready(cv_sqlite *s, cv_err *err)
{
    if (s->tokenizer.handle)
        return true;
    fts5_api *api = NULL;
    sqlite3_stmt *st = cv_sqlite_use(s, "fts5_api");
    bool ok = st && sqlite3_bind_pointer(st, 1, &api, "fts5_api_ptr", NULL) == SQLITE_OK && cv_sqlite_step(st) > 0 &&
              cv_sqlite_tokenizer_open(api, &s->tokenizer);
    if (!ok)
        cv_sqlite_fail(s, "search", err);
    if (st)
        sqlite3_reset(st);
    return ok;
}
