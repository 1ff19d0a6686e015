/* place.c - the file of a record and what is beside it.
 *
 *     conclave.db            the database, 0600 whatever the umask
 *     conclave.db-wal, -shm  SQLite's log and its index; a log without its database is never touched
 *     conclave.db-watermark  what was acknowledged (watermark.h)
 *     conclave.db-turn       who waits to write (turns.c)
 *     conclave.db-journal    a log of SQLite's older kind, which only another program leaves
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/system.h"
#include "record/place.h"
#include "record/sqlite/connection.h"

enum { HEADER_BYTES = 100 }; /* of a database: https://sqlite.org/fileformat2.html, section 1.3 */

static const cv_str files[] = {CV_STR_INIT(""),           CV_STR_INIT("-wal"),  CV_STR_INIT("-shm"),
                               CV_STR_INIT("-watermark"), CV_STR_INIT("-turn"), CV_STR_INIT("-journal")};
const cv_words cv_record_files = {files, CV_COUNT(files)};

/* ---- what can be written ------------------------------------------------------------------------------------------
 */

static bool may(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

const char *cv_sqlite_log_of(cv_arena *a, const char *path)
{
    return cv_arena_printf(a, "%s-wal", path).p;
}

cv_str cv_sqlite_hindrance(cv_arena *a, const char *path)
{
    const char *places[] = {cv_folder_of(a, path), path, cv_sqlite_log_of(a, path),
                            cv_arena_printf(a, "%s-shm", path).p};
    for (size_t i = 0; i < CV_COUNT(places); i++)
        if (!may(places[i], W_OK) && errno != ENOENT)
            return cv_arena_printf(a, "user %ld cannot write %s '%s': %s", (long)geteuid(),
                                   i == 0 ? "the folder" : "the file", places[i], cv_system_reason(errno));
    return cv_arena_printf(a, "'%s' could not be written when it was opened", places[0]);
}

bool cv_record_is_frozen(cv_arena *a, const char *path)
{
    return may(path, R_OK) && !(may(path, W_OK) && may(cv_folder_of(a, path), W_OK));
}

bool cv_sqlite_is_log(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size > 0;
}

/* ---- is it there? -------------------------------------------------------------------------------------------------
 */

static bool place_error(const char *path, cv_err_code code, const char *what, const char *suggestion, cv_err *err)
{
    cv_err_set(err, code, "cannot open the database: %s", what);
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

cv_str cv_record_missing_advice(cv_arena *a, const char *path)
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
 * which would remove or change it. The log is looked at first: a process that makes a database writes its file before
 * its log. */
bool cv_sqlite_check_place(const char *path, bool create, cv_err *err)
{
    cv_arena *a = err->arena;
    struct stat st = {0};
    const char *log = cv_sqlite_log_of(a, path), *what = "it does not exist";
    cv_str and_log = cv_sqlite_is_log(log) ? cv_arena_printf(a, ", but a log of it is there (%s)", log) : CV_STR("");
    bool there = stat(path, &st) == 0;
    if (!there && errno != ENOENT && errno != ENOTDIR)
        return cv_system_fail(err, path, "open the database", errno);
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
    return place_error(path, CV_ERR_NOT_FOUND, what, cv_record_missing_advice(a, path).p, err);
}

/* SQLite gives its own files the permissions of the database: so they all are the owner's alone, whatever the umask. */
void cv_sqlite_make_private(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return; /* it is there, or SQLite says why it cannot be made */
    fchmod(fd, 0600);
    close(fd);
}

/* SQLite syncs the folder for its log, but not for the database file itself. It is done before the tables are made: who
 * finds them there can rely on it. */
bool cv_sqlite_sync_folder(cv_arena *a, const char *path, cv_err *err)
{
    int fd = open(cv_folder_of(a, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    int number = errno;
    if (fd >= 0)
        close(fd);
    return ok || cv_system_fail(err, path, "open the database", number);
}
