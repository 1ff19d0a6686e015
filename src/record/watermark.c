/* watermark.c - the last commit that was acknowledged; see watermark.h. */
#include "record/watermark.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/monotonic.h"
#include "base/os.h"

#define FIRST_WORD "conclave-watermark-1 "

enum {
    NUMBER_AT = sizeof FIRST_WORD - 1,
    NUMBER_DIGITS = 20,
    HEAD_AT = NUMBER_AT + NUMBER_DIGITS + 1,
    CHECK_AT = HEAD_AT + CV_HASH_DIGITS + 1,
    CHECK_DIGITS = 16,
    BYTES = CHECK_AT + CHECK_DIGITS + 1,

    WAIT_MS =
        10000, /* for the lock: who has it commits, which may bring the log into the database, and writes one line */
    MOST_REPLACED = 100, /* times that the file is replaced meanwhile */
};

_Static_assert(BYTES == sizeof FIRST_WORD - 1 + 20 + 1 + CV_HASH_DIGITS + 1 + 16 + 1, "number, head and checksum");

const char *cv_watermark_path(cv_arena *a, const char *database)
{
    return cv_arena_printf(a, "%s-watermark", database).p;
}

/* ---- the line ---------------------------------------------------------------------------------- */

static void print_line(const cv_commit *commit, char line[BYTES + 1])
{
    cv_arena a = {0};
    snprintf(line, BYTES + 1, FIRST_WORD "%020lld %.*s ", (long long)commit->number, CV_HASH_DIGITS, commit->head);
    cv_str check = cv_hash_text(&a, (cv_str){line, CHECK_AT});
    memcpy(line + CHECK_AT, check.p, CHECK_DIGITS);
    line[BYTES - 1] = '\n';
    line[BYTES] = '\0';
    cv_arena_release(&a);
}

/* What reads as a commit and prints as the same bytes is a watermark. */
static bool read_line(const char *line, size_t n, cv_commit *ret_commit)
{
    char again[BYTES + 1];
    if (n != BYTES)
        return false;
    int64_t number = 0;
    for (int i = 0; i < NUMBER_DIGITS; i++) {
        int digit = line[NUMBER_AT + i] - '0';
        if (digit < 0 || digit > 9 || number > (INT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    ret_commit->number = number;
    memcpy(ret_commit->head, line + HEAD_AT, CV_HASH_DIGITS);
    print_line(ret_commit, again);
    return memcmp(line, again, BYTES) == 0;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static bool lock(int fd, short type)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
    int64_t until = cv_monotonic_ms() + WAIT_MS;
    while (fcntl(fd, F_OFD_SETLK, &whole) != 0) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return false;
        if (cv_monotonic_ms() >= until) {
            errno = EAGAIN;
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

static bool read_open(int fd, cv_commit *ret_commit, ssize_t *ret_bytes)
{
    char bytes[BYTES + 1]; /* one more than there should be */
    cv_os_read_quietly(fd);
    *ret_bytes = pread(fd, bytes, sizeof bytes, 0);
    return *ret_bytes >= 0 && read_line(bytes, (size_t)*ret_bytes, ret_commit);
}

/* `advice` NULL: the bytes are wrong, and only who knows the record's last commit can say what to do. */
static cv_watermark_state unreadable(const char *path, const char *what, const char *advice, cv_err *err)
{
    cv_err_set(err, CV_ERR_REGRESSED,
               "cannot tell whether the record has all that was acknowledged: its watermark is unreadable (%s)", what);
    cv_err_file(err, cv_str_of(path));
    if (advice)
        cv_err_suggest(err, cv_str_of(advice));
    return CV_WATERMARK_UNREADABLE;
}

/* The file cannot be read at all. */
static cv_watermark_state inaccessible(const char *path, int number, cv_err *err)
{
    bool is_other = number == EISDIR || number == ELOOP;
    return unreadable(path, cv_system_reason(number),
                      is_other ? "move it away; the next write makes the watermark again" : cv_system_advice(number),
                      err);
}

/* A line that is being written may be seen in parts: with the lock it is whole, or it is none. */
cv_watermark_state cv_watermark_read(const char *path, cv_commit *ret_commit, cv_err *err)
{
    ssize_t bytes = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? CV_WATERMARK_MISSING : inaccessible(path, errno, err);
    bool ok = read_open(fd, ret_commit, &bytes) || (lock(fd, F_RDLCK) && read_open(fd, ret_commit, &bytes));
    int number = errno;
    close(fd);
    if (ok)
        return CV_WATERMARK_THERE;
    if (bytes < 0)
        return inaccessible(path, number, err);
    return unreadable(path,
                      bytes == 0       ? "it is empty"
                      : bytes != BYTES ? "its length is wrong"
                                       : "its checksum is wrong",
                      NULL, err);
}

bool cv_watermark_set(const char *path, const cv_commit *commit, cv_err *err)
{
    char line[BYTES + 1];
    print_line(commit, line);
    return cv_file_write_private(cv_where_named(path), (cv_str){line, BYTES}, err);
}

static bool unwritable(const char *path, int number, cv_err *err)
{
    cv_err_set(err, number == EAGAIN ? CV_ERR_BUSY : CV_ERR_STORE, "cannot write the watermark of the record: %s",
               number == EAGAIN ? "another process has kept it locked" : cv_system_reason(number));
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, number == EAGAIN
                            ? CV_STR("try again; nothing was written")
                            : cv_arena_printf(err->arena, "%s; nothing was written", cv_system_advice(number)));
    return false;
}

static bool is_same_file(int fd, const char *path)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

/* Opened and locked; -1 with errno. */
static int open_locked(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || lock(fd, F_WRLCK))
        return fd;
    int number = errno;
    close(fd);
    errno = number;
    return -1;
}

bool cv_watermark_begin(const char *path, cv_watermark *ret_mark, cv_err *err)
{
    cv_commit none = {0};
    memset(none.head, '0', sizeof none.head);
    for (int tries = 0; tries < MOST_REPLACED; tries++) {
        int fd = open_locked(path);
        if (fd < 0 && errno != ENOENT)
            return unwritable(path, errno, err);
        if (fd < 0 && !cv_watermark_set(path, &none, err))
            return false;
        if (fd < 0)
            continue;
        if (is_same_file(fd, path)) {
            ssize_t bytes;
            *ret_mark = (cv_watermark){.fd = fd};
            if (read_open(fd, &ret_mark->commit, &bytes))
                return true;
            close(fd);
            unreadable(path, "its checksum is wrong", NULL, err);
            return false;
        }
        close(fd); /* it was replaced while we waited for the lock */
    }
    return unwritable(path, EAGAIN, err);
}

bool cv_watermark_end(cv_watermark *watermark, const cv_commit *commit)
{
    assert(watermark->fd >= 0 && "every begin has one end");
    char line[BYTES + 1];
    bool ok = true;
    if (commit && commit->number > watermark->commit.number) {
        print_line(commit, line);
        ssize_t done = pwrite(watermark->fd, line, BYTES, 0);
        ok = done == BYTES;
        if (done >= 0 && !ok)
            errno = ENOSPC;
    }
    int number = errno;
    close(watermark->fd);
    watermark->fd = -1;
    errno = number;
    return ok;
}
