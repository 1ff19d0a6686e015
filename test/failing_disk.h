/* failing_disk.h - a layer below SQLite whose n-th piece of a write, sync or truncation fails, or whose
 * n-th read is busy. */
#ifndef CV_TEST_FAILING_DISK_H
#define CV_TEST_FAILING_DISK_H

#include <sqlite3.h>

#include "testing.h"

static struct {
    size_t calls, fail_at;
    size_t reads, busy_at;
    bool full;  /* the disk is full from then on; otherwise it fails once */
    bool after; /* it fails after having done it */
    sqlite3_vfs vfs, *real;
} disk;

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
} disk_file;

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((disk_file *)file)->real;
}

static bool fails_now(void)
{
    disk.calls++;
    return disk.fail_at && (disk.full ? disk.calls >= disk.fail_at : disk.calls == disk.fail_at);
}

static int disk_write_piece(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    bool fails = fails_now();
    if (fails && !disk.after)
        return disk.full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    int rc = real_of(file)->pMethods->xWrite(real_of(file), bytes, n, at);
    return fails ? (disk.full ? SQLITE_FULL : SQLITE_IOERR_WRITE) : rc;
}

/* A write that fails may have been done in part. */
static int disk_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    enum { PIECE = 2048 };
    int rc = SQLITE_OK;
    for (int done = 0; rc == SQLITE_OK && done < n; done += PIECE)
        rc = disk_write_piece(file, (const char *)bytes + done, n - done < PIECE ? n - done : PIECE, at + done);
    return rc;
}

static int disk_sync(sqlite3_file *file, int flags)
{
    if (fails_now() && !disk.full)
        return SQLITE_IOERR_FSYNC;
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (fails_now() && !disk.full)
        return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int disk_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}
static int disk_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    if (++disk.reads == disk.busy_at)
        return SQLITE_BUSY;
    return real_of(file)->pMethods->xRead(real_of(file), bytes, n, at);
}
static int disk_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}
static int disk_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}
static int disk_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int disk_reserved(sqlite3_file *file, int *ret_locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_locked);
}
static int disk_control(sqlite3_file *file, int what, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, arg);
}
static int disk_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}
static int disk_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
static int disk_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret_at)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, ret_at);
}
static int disk_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}
static void disk_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}
static int disk_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods disk_methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_reserved,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_traits,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
    (void)vfs;
    disk_file *d = (disk_file *)file;
    d->real = (sqlite3_file *)(d + 1);
    int rc = disk.real->xOpen(disk.real, name, d->real, flags, ret_flags);
    d->base.pMethods = rc == SQLITE_OK ? &disk_methods : NULL;
    return rc;
}

static inline void use_failing_disk(bool on)
{
    if (!disk.real) {
        disk.real = sqlite3_vfs_find(NULL);
        disk.vfs = *disk.real;
        disk.vfs.zName = "failing";
        disk.vfs.szOsFile += (int)sizeof(disk_file);
        disk.vfs.xOpen = disk_open;
    }
    disk.fail_at = disk.busy_at = 0;
    sqlite3_vfs_register(on ? &disk.vfs : disk.real, 1);
}

#endif
