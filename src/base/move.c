/* move.c - moving and copying files in open folders; see move.h. */
#include "base/move.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/os.h"

static bool cannot(int number)
{
    return number == EINVAL || number == ENOSYS || number == ENOTSUP;
}

bool cv_move_new(int folder, const char *from, int to_folder, const char *to)
{
    if (cv_os_rename(folder, from, to_folder, to, CV_OS_NOREPLACE) == 0)
        return true;
    if (!cannot(errno) || linkat(folder, from, to_folder, to, 0) != 0)
        return false;
    return unlinkat(folder, from, 0) == 0;
}

bool cv_move_exchange(int folder, const char *one, int other_folder, const char *other)
{
    return cv_os_rename(folder, one, other_folder, other, CV_OS_EXCHANGE) == 0;
}

bool cv_write_bytes(int fd, cv_str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : EIO;
            return false;
        }
        bytes = cv_str_from(bytes, (size_t)n);
    }
    return true;
}

ssize_t cv_read_bytes(int fd, off_t at, char *to, size_t n)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(fd, to + done, n - done, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* Where the kernel cannot copy between these files. */
static bool copy_by_hand(int from, off_t at, size_t n, int to)
{
    char page[64 << 10];
    while (n) {
        ssize_t got = cv_read_bytes(from, at, page, n < sizeof page ? n : sizeof page);
        if (got <= 0) {
            errno = got ? errno : ENODATA;
            return false;
        }
        if (!cv_write_bytes(to, (cv_str){page, (size_t)got}))
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

bool cv_copy_bytes(int from, off_t at, size_t n, int to)
{
    while (n) {
        ssize_t got = cv_os_copy(from, at, to, n);
        if (got <= 0)
            return copy_by_hand(from, at, n, to);
        at += got;
        n -= (size_t)got;
    }
    return true;
}
