/* sqlite.c - the SQLite engine: opening and closing, statements, waiting for others, errors.
 *
 * The file is in WAL mode with synchronous=FULL: readers never wait, one process writes at a time, and a commit is on
 * the disk when it returns. Writers take their turn with BEGIN IMMEDIATE, so a transaction that has begun never loses
 * against another. Waiting is ours: short pauses that grow, spread by the process id so that many writers do not wake
 * in step, with an end after which the answer is BUSY.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "record/sqlite_engine.h"

enum { HEADER_BYTES = 100 }; /* of a database: https://sqlite.org/fileformat2.html, section 1.3 */

/* ---- statements ------------------------------------------------------------------------------- */

static size_t statement_index(cv_sqlite *s, const char *name)
{
    uint16_t *recent = &s->recent[(uintptr_t)name % CV_COUNT(s->recent)];
    size_t i = 0;
    if (strcmp(cv_sql_statements[*recent].name, name) == 0)
        return *recent;
    while (i < cv_sql_statement_count && strcmp(cv_sql_statements[i].name, name) != 0)
        i++;
    assert(i < cv_sql_statement_count);
    return *recent = (uint16_t)i;
}

sqlite3_stmt *cv_sqlite_use(cv_sqlite *s, const char *name)
{
    size_t i = statement_index(s, name);
    if (!s->cached[i])
        sqlite3_prepare_v3(s->db, cv_sql_statements[i].text, -1, SQLITE_PREPARE_PERSISTENT, &s->cached[i], NULL);
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

cv_str cv_sqlite_value_str(sqlite3_value *value)
{
    const char *p = (const char *)sqlite3_value_text(value);
    return (cv_str){p, p ? (size_t)sqlite3_value_bytes(value) : 0};
}

cv_str cv_sqlite_column_str(sqlite3_stmt *st, int column)
{
    return cv_sqlite_value_str(sqlite3_column_value(st, column));
}

int cv_sqlite_step(sqlite3_stmt *st)
{
    int rc = sqlite3_step(st);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : -1;
}

bool cv_sqlite_begin_write(cv_sqlite *s)
{
    int moved = 0;
    s->has_moved = false;
    if (cv_sqlite_run(s, "begin_write") != SQLITE_OK)
        return false;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    s->has_moved = moved;
    if (moved)
        cv_sqlite_rollback(s);
    return !moved;
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

/* What to make of SQLite's result codes. The first row that fits counts: narrow codes stand before wide ones. */
static const struct {
    int code;
    cv_err_code means;
    const char *what, *suggestion;
} troubles[] = {
    {SQLITE_BUSY, CV_ERR_BUSY, "another process has kept the database locked", "try again; nothing was written"},
    {SQLITE_LOCKED, CV_ERR_BUSY, "the database is locked by this process itself", "try again; nothing was written"},
    {SQLITE_PROTOCOL, CV_ERR_BUSY, "too many processes open the database at once", "try again; nothing was written"},
    {SQLITE_NOTADB, CV_ERR_CORRUPT, "this is not a database", CV_SQLITE_DAMAGE_ADVICE},
    {SQLITE_CORRUPT_VTAB, CV_ERR_CORRUPT, "the search index is damaged", "search again: it is made anew"},
    {SQLITE_CORRUPT, CV_ERR_CORRUPT, "the database is damaged", CV_SQLITE_DAMAGE_ADVICE},
    {SQLITE_READONLY, CV_ERR_STORE, "the record can only be read",
     "give yourself write permission for the folder and the files in it, or use a copy"},
    {SQLITE_PERM, CV_ERR_STORE, "permission denied", "give yourself permission for the file and its folder"},
    {SQLITE_AUTH, CV_ERR_STORE, "permission denied", "give yourself permission for the file and its folder"},
    {SQLITE_CANTOPEN, CV_ERR_STORE, "the database cannot be opened",
     "check that the folder exists and that you may read and write it"},
    {SQLITE_FULL, CV_ERR_STORE, "the disk is full", "make room and try again; nothing was written"},
    {SQLITE_IOERR, CV_ERR_STORE, "the disk failed", "check the disk and the system's log, then try again"},
    {SQLITE_TOOBIG, CV_ERR_TOO_LARGE, "a text is larger than the database can hold", "split it"},
    {SQLITE_CONSTRAINT, CV_ERR_STORE, "the database refused a row", NULL},
    {0, CV_ERR_STORE, "the database answered with an error", NULL},
};

bool cv_sqlite_fail(cv_sqlite *s, const char *doing, cv_err *err)
{
    int code = sqlite3_extended_errcode(s->db);
    size_t i = 0;
    if ((code & 0xff) == SQLITE_IOERR && sqlite3_system_errno(s->db) == ENOSPC)
        code = SQLITE_FULL;
    if (s->has_moved) {
        s->has_moved = false;
        cv_err_set(err, CV_ERR_BUSY, "cannot %s: another file was put in the place of the record", doing);
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
        cv_err_set(err, troubles[i].means, "cannot %s: %s (%s)", doing, troubles[i].what, sqlite3_errmsg(s->db));
    cv_err_file(err, cv_str_of(s->path));
    if (troubles[i].suggestion)
        cv_err_suggest(err, cv_str_of(troubles[i].suggestion));
    return false;
}

cv_store_result cv_sqlite_refuse(cv_sqlite *s, const char *doing, cv_err *err)
{
    cv_sqlite_fail(s, doing, err);
    return err->code == CV_ERR_BUSY ? CV_STORE_BUSY : CV_STORE_FAILED;
}

/* When the disk fails while the last page is written or synced, that page may be there all the same, and the next
 * process to read the log would find a whole transaction: only then the outcome is unknown. A full disk has not taken
 * the last page. */
cv_store_result cv_sqlite_commit(cv_sqlite *s, cv_err *err)
{
    int rc = cv_sqlite_run(s, "commit") & 0xff;
    if (rc == SQLITE_OK)
        return CV_STORE_DONE;
    cv_store_result result = cv_sqlite_refuse(s, "commit", err);
    cv_sqlite_rollback(s);
    bool certain = rc == SQLITE_BUSY || rc == SQLITE_FULL || rc == SQLITE_READONLY || rc == SQLITE_CONSTRAINT;
    if (certain)
        return result;
    cv_err_suggest(err,
                   CV_STR("it may or may not be written: send the same operation again, which writes it at most once"));
    return CV_STORE_UNKNOWN;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static bool place_error(const char *path, cv_err_code code, const char *what, const char *suggestion, cv_err *err)
{
    cv_err_set(err, code, "cannot open the database: %s", what);
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

cv_str cv_sqlite_missing_advice(cv_arena *a, const char *path)
{
    return cv_sqlite_is_log(cv_sqlite_log_of(a, path))
               ? CV_STR("put a backup back with 'conclave restore FILE', which keeps the log; do not remove the log")
               : CV_STR("put a backup back with 'conclave restore FILE'; 'conclave init' makes an empty record");
}

/* The first bytes of the file, through SQLite: a descriptor of our own would, when it is closed, take away the locks
 * that other handles of this process have on the same file. */
static bool read_header(cv_arena *a, const char *path, unsigned char header[HEADER_BYTES])
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    sqlite3_file *file = cv_arena_alloc(a, (size_t)vfs->szOsFile);
    const char *name = cv_arena_printf(a, "%s%c%c%c", path, 0, 0, 0).p; /* with an empty list of options behind it */
    if (vfs->xOpen(vfs, name, file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return false;
    bool ok = file->pMethods->xRead(file, header, HEADER_BYTES, 0) == SQLITE_OK;
    file->pMethods->xClose(file);
    return ok;
}

/* Can the file of so many bytes be a database? A log is only made beside one that has a whole page at least. SQLite
 * takes a file of one byte for an empty one, and would write over it. */
static bool may_be_database(cv_arena *a, const char *path, off_t bytes, bool log)
{
    unsigned char header[HEADER_BYTES];
    if (bytes < HEADER_BYTES)
        return false;
    if (!log || !read_header(a, path, header))
        return true; /* SQLite finds out */
    unsigned page = (unsigned)header[16] << 8 | header[17];
    return memcmp(header, "SQLite format 3", 16) == 0 && bytes >= (page == 1 ? 65536 : (off_t)page);
}

/* Says before SQLite does, and better, what is wrong with the path. A log without its database never reaches SQLite,
 * which would remove or change it. The log is looked at first: whoever makes a database writes its file before its log.
 */
static bool check_place(const char *path, bool create, cv_err *err)
{
    cv_arena *a = err->arena;
    struct stat st = {0};
    const char *log = cv_sqlite_log_of(a, path), *what = "it does not exist";
    cv_str and_log = cv_sqlite_is_log(log) ? cv_arena_printf(a, ", but a log of it is there (%s)", log) : CV_STR("");
    bool there = stat(path, &st) == 0;
    if (!there && errno != ENOENT && errno != ENOTDIR)
        return place_error(path, CV_ERR_IO, strerror(errno), "check the path and its permissions", err);
    if (there && !S_ISREG(st.st_mode))
        return place_error(path, CV_ERR_NOT_A_FILE, "this is not a regular file",
                           "name the file, like .conclave/conclave.db", err);
    if (st.st_size > 0) {
        if (may_be_database(a, path, st.st_size, and_log.n > 0))
            return true;
        what = cv_arena_printf(a, "this is not a database%.*s", CV_FMT(and_log)).p;
        return place_error(path, CV_ERR_CORRUPT, what, CV_SQLITE_DAMAGE_ADVICE, err);
    }
    if (and_log.n == 0 && (there || create))
        return true; /* an empty file becomes a database, or SQLite finds no tables in it */
    what = cv_arena_printf(a, "%s%.*s", there ? "it is empty" : what, CV_FMT(and_log)).p;
    return place_error(path, CV_ERR_NOT_FOUND, what, cv_sqlite_missing_advice(a, path).p, err);
}

/* SQLite gives its own files the permissions of the database: so they all are the owner's alone, whatever the umask. */
static void make_private(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return; /* it is there, or SQLite says why it cannot be made */
    fchmod(fd, 0600);
    close(fd);
}

/* SQLite syncs the folder for its log, but not for the database file itself. It is done before the tables are made: who
 * finds them there can rely on it. */
static bool sync_folder(cv_arena *a, const char *path, cv_err *err)
{
    return cv_where_sync(AT_FDCWD, cv_folder_of(a, path)) ||
           place_error(path, CV_ERR_IO, strerror(errno), "check the folder and its permissions", err);
}

/* Distrusts whatever stands in the file's schema; foreign keys and triggers are in force, REPLACE counts as DELETE. */
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
            cv_sqlite_run(s, "synchronous") == SQLITE_OK) ||
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
    return true;
}

static void close_store(cv_store *store)
{
    cv_sqlite *s = (cv_sqlite *)store;
    for (size_t i = 0; i < cv_sql_statement_count; i++)
        sqlite3_finalize(s->cached[i]);
    cv_sqlite_tokenizer_close(&s->tokenizer);
    sqlite3_close_v2(s->db);
    s->db = NULL;
}

/* Makes a store with the same calls. */
static bool open_scratch(cv_store *store, cv_arena *a, bool empty, cv_store **ret_store, cv_err *err);

static const cv_store_calls calls = {
    .name = CV_STR_INIT("sqlite"),
    .close = close_store,
    .position = cv_sqlite_position,
    .snapshot = cv_sqlite_snapshot,
    .commit = cv_sqlite_write,
    .op_result = cv_sqlite_op_result,
    .op_at = cv_sqlite_op_at,
    .hold = cv_sqlite_hold,
    .let_go = cv_sqlite_let_go,
    .list = cv_sqlite_list,
    .tally = cv_sqlite_tally,
    .ops = cv_sqlite_ops,
    .last_commit = cv_sqlite_last_commit,
    .acknowledged = cv_sqlite_acknowledged,
    .accept = cv_sqlite_accept,
    .search = cv_sqlite_search,
    .search_rebuild = cv_sqlite_search_rebuild,
    .stream_append = cv_sqlite_stream_append,
    .stream_read = cv_sqlite_stream_read,
    .cursor_get = cv_sqlite_cursor_get,
    .cursor_advance = cv_sqlite_cursor_advance,
    .about = cv_sqlite_about,
    .stamp = cv_sqlite_stamp,
    .check = cv_sqlite_check,
    .search_check = cv_sqlite_search_check,
    .backup = cv_sqlite_backup,
    .scratch = open_scratch,
};

/* Nobody asks SQLite how much memory it uses; counting takes a lock that all workers share, at every allocation. */
static void set_up(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static cv_sqlite *make_store(cv_arena *a, const char *path, const cv_sql_migrations *schema)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    cv_sqlite *s = CV_NEW(a, cv_sqlite);
    s->base.calls = &calls;
    s->path = cv_arena_copy_z(a, cv_str_of(path));
    s->schema = schema;
    s->cached = CV_NEW_ARRAY(a, cv_sql_statement_count, sqlite3_stmt *);
    s->wait_us = (int64_t)CV_SQLITE_WAIT_MS * 1000;
    s->jitter = (uint64_t)getpid() << 32;
    return s;
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

static bool open_file(cv_sqlite *s, cv_arena *a, cv_sqlite_mode mode, cv_err *err)
{
    static const int flags[] = {[CV_SQLITE_EXISTING] = SQLITE_OPEN_READWRITE,
                                [CV_SQLITE_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                [CV_SQLITE_IMMUTABLE] = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI};
    const char *name = mode == CV_SQLITE_IMMUTABLE ? immutable_uri(a, s->path) : s->path;
    if (mode == CV_SQLITE_CREATE)
        make_private(s->path);
    return (sqlite3_open_v2(name, &s->db, flags[mode] | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK ||
            cv_sqlite_fail(s, "open the database", err)) &&
           configure(s, err);
}

bool cv_sqlite_open_as(cv_arena *a, const char *path, cv_sqlite_mode mode, const cv_sql_migrations *schema,
                       cv_store **ret_store, cv_err *err)
{
    size_t applied;
    bool create = mode == CV_SQLITE_CREATE, frozen = mode == CV_SQLITE_IMMUTABLE;
    if (!check_place(path, create, err))
        return false;
    cv_sqlite *s = make_store(a, path, schema);
    bool ok = open_file(s, a, mode, err)                                          /* handled as we want  */
              && cv_sqlite_inspect(s, create, &applied, err)                      /* … ours, or empty    */
              && (frozen || use_wal(s, err))                                      /* … with a log        */
              && (applied > 0 || sync_folder(a, s->path, err))                    /* … and there to stay */
              && (applied == schema->count || cv_sqlite_migrate(s, create, err)); /* … with our tables   */
    if (!ok) {
        close_store(&s->base);
        return false;
    }
    if (sqlite3_db_readonly(s->db, "main") == 0)
        cv_sqlite_find_log_index(s);
    *ret_store = &s->base;
    return true;
}

bool cv_sqlite_open_copy(cv_arena *a, const char *path, cv_store **ret_store, cv_err *err)
{
    return cv_sqlite_open_as(a, path, CV_SQLITE_IMMUTABLE, &cv_sql_schema, ret_store, err);
}

bool cv_sqlite_open_with(cv_arena *a, const char *path, bool create, const cv_sql_migrations *schema,
                         cv_store **ret_store, cv_err *err)
{
    return cv_sqlite_open_as(a, path, create ? CV_SQLITE_CREATE : CV_SQLITE_EXISTING, schema, ret_store, err);
}

/* Everything that `from` holds; a database in memory has no log. */
static bool copy_all(cv_sqlite *from, cv_sqlite *to, cv_err *err)
{
    sqlite3_backup *copy = sqlite3_backup_init(to->db, "main", from->db, "main");
    if (copy)
        sqlite3_backup_step(copy, -1);
    return (copy && sqlite3_backup_finish(copy) == SQLITE_OK) || cv_sqlite_fail(to, "copy the database", err);
}

static bool open_scratch(cv_store *store, cv_arena *a, bool empty, cv_store **ret_store, cv_err *err)
{
    cv_sqlite *from = (cv_sqlite *)store, *s = make_store(a, ":memory:", from->schema);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY;
    bool ok =
        (sqlite3_open_v2(s->path, &s->db, flags, NULL) == SQLITE_OK || cv_sqlite_fail(s, "open a database", err)) &&
        configure(s, err) && (empty ? cv_sqlite_migrate(s, true, err) : copy_all(from, s, err));
    if (!ok) {
        close_store(&s->base);
        return false;
    }
    *ret_store = &s->base;
    return true;
}

/* Where nothing can be written, SQLite's own files would be in the way of whoever may write later. With a log there is
 * no choice. */
static bool open_either(cv_arena *a, const char *path, const char *watermark, bool create, cv_store **ret_store,
                        cv_err *err)
{
    bool frozen = !create && cv_sqlite_is_frozen(a, path);
    if (!check_place(path, create, err))
        return false;
    if ((!frozen || cv_sqlite_is_log(cv_sqlite_log_of(a, path))) &&
        cv_sqlite_open_with(a, path, create, &cv_sql_schema, ret_store, err)) {
        ((cv_sqlite *)*ret_store)->watermark = watermark;
        return true;
    }
    return frozen && cv_sqlite_open_frozen(a, path, watermark, ret_store, err);
}

bool cv_sqlite_open(cv_arena *a, const char *path, bool create, cv_store **ret_store, cv_err *err)
{
    return open_either(a, path, NULL, create, ret_store, err);
}

bool cv_sqlite_open_marked(cv_arena *a, const char *path, bool create, cv_store **ret_store, cv_err *err)
{
    const char *watermark = cv_watermark_path(a, path);
    cv_commit last;
    if (!open_either(a, path, watermark, create, ret_store, err))
        return false;
    if (!create || access(watermark, F_OK) == 0 || (*ret_store)->calls->accept(*ret_store, a, &last, err))
        return true;
    cv_store_close(*ret_store);
    return false;
}
