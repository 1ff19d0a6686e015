/* watch.c - has anybody committed? Asked by any thread, answered by a connection of its own.
 *
 * PRAGMA data_version changes with every commit of another connection, so a second connection to the same file sees all
 * of them, those of the first one included. The file must still be the one at its path: what is there instead
 * nobody has read yet, and then the answer is that it cannot be known.
 */
#include <sys/stat.h>

#include "record/sqlite/engine.h"

bool cv_sqlite_watch_is_there(const cv_sqlite_watch *w, const char *path)
{
    struct stat st;
    return w->inode != 0 && stat(path, &st) == 0 && st.st_ino == w->inode && st.st_dev == w->device;
}

void cv_sqlite_watch_file(cv_sqlite_watch *w, const char *path)
{
    struct stat st;
    if (w->inode != 0 || stat(path, &st) != 0)
        return;
    w->device = st.st_dev;
    w->inode = st.st_ino;
}

static bool open_second(cv_sqlite_watch *w, const char *path, const char *ask)
{
    w->useless = sqlite3_open_v2(path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
                 sqlite3_prepare_v3(w->db, ask, -1, SQLITE_PREPARE_PERSISTENT, &w->version, NULL) != SQLITE_OK;
    return !w->useless;
}

/* The file is looked at last: one that was put there before is noticed. */
uint64_t cv_sqlite_watch_now(cv_sqlite_watch *w, cv_sqlite *s)
{
    uint64_t now = 0;
    pthread_mutex_lock(&w->lock);
    if (w->inode != 0 && !w->useless && (w->db || open_second(w, s->path, cv_sqlite_text(s, "data_version")))) {
        if (sqlite3_step(w->version) == SQLITE_ROW)
            now = (uint64_t)sqlite3_column_int64(w->version, 0) + 1;
        sqlite3_reset(w->version);
    }
    if (now && !cv_sqlite_watch_is_there(w, s->path))
        now = 0;
    pthread_mutex_unlock(&w->lock);
    return now;
}

void cv_sqlite_watch_close(cv_sqlite_watch *w)
{
    sqlite3_finalize(w->version);
    sqlite3_close_v2(w->db);
    pthread_mutex_destroy(&w->lock);
}
