/* sqlite_stamp.c - which commit is the last, seen in memory that all processes share.
 *
 * In WAL mode the index of the log is such memory. It begins with its header, twice; whoever commits writes the second
 * copy, then the first, each of which tells the number of frames, the checksum of the last one and a count of commits:
 *
 *     0   48 bytes   the header      version, count of commits, frames, pages, checksums, salts
 *     48  48 bytes   the same again
 *
 * (https://sqlite.org/walformat.html, section 2.3). Readers of SQLite do what is done here: copies that differ are
 * being written at this moment. SQLite itself hands out the memory, through the same call that its pager uses.
 */
#include <stdatomic.h>

#include "record/sqlite_engine.h"

enum {
    REGION_BYTES = 1 << 15, /* SQLite maps the index in regions of this size */
    INITIALISED = 12,       /* where the header says that it is one */
};

void cv_sqlite_find_log_index(cv_sqlite *s)
{
    sqlite3_file *file = NULL;
    volatile void *region = NULL;
    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file && file->pMethods &&
        file->pMethods->iVersion >= 2 && file->pMethods->xShmMap &&
        file->pMethods->xShmMap(file, 0, REGION_BYTES, 0, &region) == SQLITE_OK)
        s->log_index = region;
}

/* Races with whoever commits, on purpose: that is what the second copy is for. */
__attribute__((no_sanitize("thread"))) static void copy(cv_stamp *to, const volatile uint64_t *from)
{
    for (size_t i = 0; i < CV_COUNT(to->words); i++)
        to->words[i] = from[i];
}

bool cv_sqlite_stamp(const cv_store *store, cv_stamp *ret_stamp)
{
    const cv_sqlite *s = (const cv_sqlite *)store;
    cv_stamp second;
    if (!s->log_index)
        return false;
    second.opened = ret_stamp->opened = 0;
    copy(ret_stamp, s->log_index);
    atomic_thread_fence(memory_order_acquire);
    copy(&second, s->log_index + CV_COUNT(second.words));
    return ((const unsigned char *)ret_stamp)[INITIALISED] == 1 && cv_stamp_eq(ret_stamp, &second);
}
