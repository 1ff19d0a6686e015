/* gather.c - the pages of one COMMIT are handed to the system in one write.
 *
 * SQLite writes each page of its log in two pieces, a header and the page. While COMMIT runs, they are put together
 * here, and handed over when the last page is complete: its header alone has the size that the database has then.
 * SQLite hears of an error there, before it syncs. Pages that a large transaction moves out of memory before COMMIT are
 * not kept back: nothing of a transaction that is taken back may be written later.
 */
#include <assert.h>

#include "record/sqlite/connection.h"

enum {
    HEADER_BYTES = 24,
    COMMITTED_AT = 4, /* in the header: the pages of the database after the COMMIT, or 0: it goes on */
    COMMITTED_BYTES = 4,
    MOST_BYTES = 124 * 1024 /* at once: SQLite cannot write 128 KiB or more in one call */
};

struct cv_sqlite_gathered {
    sqlite3_file *log;
    sqlite3_io_methods methods;
    const sqlite3_io_methods *real;
    sqlite3_int64 at; /* where in the log */
    int count;        /* bytes that are kept back */
    bool is_last;     /* the page that comes next completes it */
    char bytes[MOST_BYTES];
};

/* SQLite gives its methods the file alone. One thread runs one COMMIT at a time. */
static _Thread_local cv_sqlite_gathered *current;

static int hand_over(void)
{
    int count = current->count;
    current->count = 0;
    return count ? current->real->xWrite(current->log, current->bytes, count, current->at) : SQLITE_OK;
}

static int keep_back(sqlite3_file *log, const void *bytes, int count, sqlite3_int64 at)
{
    static const char goes_on[COMMITTED_BYTES];
    cv_sqlite_gathered *g = current;
    bool is_header = count == HEADER_BYTES, completes = g->is_last && !is_header;
    bool continues = at == g->at + g->count && count <= MOST_BYTES - g->count;
    int rc = continues ? SQLITE_OK : hand_over();
    if (rc != SQLITE_OK)
        return rc;
    assert(g->log == log && count <= MOST_BYTES);
    if (g->count == 0)
        g->at = at;
    memcpy(g->bytes + g->count, bytes, (size_t)count);
    g->count += count;
    g->is_last = is_header && memcmp((const char *)bytes + COMMITTED_AT, goes_on, COMMITTED_BYTES) != 0;
    if (!completes)
        return SQLITE_OK;
    log->pMethods = g->real;
    return hand_over();
}

/* FTS5 writes within COMMIT, and may need a page again that SQLite has moved out of memory meanwhile. */
static int read_behind(sqlite3_file *log, void *ret_bytes, int count, sqlite3_int64 at)
{
    int rc = hand_over();
    return rc == SQLITE_OK ? current->real->xRead(log, ret_bytes, count, at) : rc;
}

/* Before the first page of a log its own header is synced. */
static int sync_all(sqlite3_file *log, int flags)
{
    int rc = hand_over();
    return rc == SQLITE_OK ? current->real->xSync(log, flags) : rc;
}

void cv_sqlite_gather_begin(cv_sqlite *s)
{
    sqlite3_file *log = NULL;
    if (!s->has_log || sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK ||
        !log->pMethods)
        return;
    /* Where a torn write can harm what is beside it, SQLite fills up the sector behind the last page. */
    if (!(log->pMethods->xDeviceCharacteristics(log) & SQLITE_IOCAP_POWERSAFE_OVERWRITE))
        return;
    if (!s->gathered)
        s->gathered = sqlite3_malloc(sizeof *s->gathered);
    if (!s->gathered)
        return; /* without memory for it, each piece is a write */
    cv_sqlite_gathered *g = current = s->gathered;
    g->log = log;
    g->real = log->pMethods;
    g->methods = *g->real;
    g->methods.xRead = read_behind;
    g->methods.xWrite = keep_back;
    g->methods.xSync = sync_all;
    g->count = 0;
    g->is_last = false;
    log->pMethods = &g->methods;
}

/* A COMMIT that failed may have left pages here: until it is rolled back, its transaction reads them. A write that
 * fails is not reported, because COMMIT has failed already. */
void cv_sqlite_gather_end(void)
{
    if (current) {
        (void)hand_over();
        current->log->pMethods = current->real;
    }
    current = NULL;
}
