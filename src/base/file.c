/* file.c - reading files whole, writing them durably; see file.h.
 *
 * A write in order, in one go or in pieces, and what a failure leaves:
 *
 *     open folder                  nothing
 *     open temporary, exclusively  nothing
 *     write, fdatasync, close      the temporary, which is removed
 *     rename over the target       the temporary, which is removed
 *     fsync folder                 the new file, whole; the error says that it may not survive a power cut
 *
 * The folder is opened first so that after the rename only the sync itself can fail.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"

/* ---- errors ---------------------------------------------------------------------------------- */

/* What to do about an errno, for a person. */
static const char *advice(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return "check the path";
    case EACCES:
    case EPERM:
        return "check the permissions of the file and its folders";
    case EROFS:
        return "choose a place on a writable file system";
    case ENOSPC:
    case EDQUOT:
        return "make room on the disk and try again";
    case EMFILE:
    case ENFILE:
        return "close other files or raise the limit (ulimit -n)";
    case ELOOP:
        return "the symbolic links lead in a circle: remove one";
    case ENAMETOOLONG:
        return "choose a shorter name";
    default:
        return "check the disk and try again";
    }
}

/* "cannot <what>: <errno text>" about `path`. */
static bool fail_errno(cv_err *err, const char *path, const char *what, int number)
{
    cv_err_code code = number == ENOENT || number == ENOTDIR ? CV_ERR_NOT_FOUND
                       : number == EISDIR                    ? CV_ERR_NOT_A_FILE
                                                             : CV_ERR_IO;
    cv_err_set(err, code, "cannot %s: %s", what, strerror(number));
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, number == EISDIR ? CV_STR("name a file, not a folder") : cv_str_of(advice(number)));
    return false;
}

static bool fail_not_a_file(cv_err *err, const char *path, mode_t mode)
{
    const char *kind = S_ISDIR(mode)    ? "a folder"
                       : S_ISFIFO(mode) ? "a named pipe"
                       : S_ISSOCK(mode) ? "a socket"
                                        : "a device";
    cv_err_set(err, CV_ERR_NOT_A_FILE, "this is %s, not a file", kind);
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, S_ISDIR(mode)    ? CV_STR("name a file in it")
                        : S_ISFIFO(mode) ? CV_STR("pipe it into standard input and name the file -")
                                         : CV_STR("name a regular file"));
    return false;
}

static bool fail_too_large(cv_err *err, const char *path, const char *more, size_t size, size_t ceiling)
{
    cv_err_set(err, CV_ERR_TOO_LARGE, "%s%zu bytes (%.1f MB), above the limit of %.1f MB (%zu bytes)", more, size,
               (double)size / (1 << 20), (double)ceiling / (1 << 20), ceiling);
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, CV_STR("split the file"));
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Waits also when whoever gave us standard input left it non-blocking. */
static ssize_t read_some(int fd, char *to, size_t n)
{
    for (;;) {
        ssize_t got = read(fd, to, n);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
    }
}

/* Everything up to the end, also when that is later than `guess` said: files grow, pipes do not say. One byte
 * beyond the ceiling is enough to know that there is too much. */
static bool read_all(cv_arena *a, int fd, const char *path, size_t guess, size_t ceiling, cv_str *ret_bytes,
                     cv_err *err)
{
    size_t most = ceiling < SIZE_MAX ? ceiling + 1 : ceiling;
    size_t capacity = guess < most ? guess + 1 : most;
    char *bytes = cv_arena_alloc(a, capacity);
    size_t n = 0;
    for (;;) {
        ssize_t got = read_some(fd, bytes + n, capacity - n);
        if (got < 0)
            return fail_errno(err, path, "read the file", errno);
        n += (size_t)got;
        if (n > ceiling)
            return fail_too_large(err, path, "at least ", n, ceiling);
        if (got == 0)
            break;
        if (n == capacity) {
            size_t wanted = capacity < most / 2 ? capacity * 2 : most;
            char *grown = cv_arena_alloc(a, wanted);
            memcpy(grown, bytes, n);
            bytes = grown;
            capacity = wanted;
        }
    }
    *ret_bytes = (cv_str){bytes, n};
    return true;
}

enum { PIPE_GUESS = 64 << 10 };

bool cv_file_read(cv_arena *a, const char *path, size_t ceiling, cv_str *ret_bytes, cv_err *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(a, STDIN_FILENO, path, PIPE_GUESS, ceiling, ret_bytes, err);
    /* Not blocking: opening a named pipe would otherwise wait for a writer before we can refuse it. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return fail_errno(err, path, "open the file", errno);
    struct stat st;
    bool ok;
    if (fstat(fd, &st) != 0)
        ok = fail_errno(err, path, "look at the file", errno);
    else if (!S_ISREG(st.st_mode))
        ok = fail_not_a_file(err, path, st.st_mode);
    else if ((uintmax_t)st.st_size > ceiling)
        ok = fail_too_large(err, path, "", (size_t)st.st_size, ceiling);
    else
        ok = read_all(a, fd, path, (size_t)st.st_size, ceiling, ret_bytes, err);
    close(fd);
    return ok;
}

bool cv_file_read_text(cv_arena *a, const char *path, cv_str *ret_text, cv_err *err)
{
    cv_str text;
    if (!cv_file_read(a, path, CV_MAX_FILE_BYTES, &text, err))
        return false;
    if (!cv_text_check(text, err)) {
        cv_err_file(err, cv_str_of(path));
        return false;
    }
    *ret_text = text;
    return true;
}

/* Line and column, both 1-based, of byte `at`; everything before it is valid. */
static void place(cv_str text, size_t at, size_t *ret_line, size_t *ret_column)
{
    cv_str line = cv_str_head(text, at);
    size_t count = 1;
    for (size_t end; (end = cv_str_find_char(line, '\n')) != SIZE_MAX; count++)
        line = cv_str_from(line, end + 1);
    *ret_line = count;
    *ret_column = cv_utf8_count(line) + 1;
}

bool cv_text_check(cv_str text, cv_err *err)
{
    size_t line, column, valid = cv_utf8_valid(text);
    size_t nul = cv_str_find_char(cv_str_head(text, valid), '\0');
    if (nul != SIZE_MAX) {
        place(text, nul, &line, &column);
        cv_err_at(err, CV_ERR_NOT_TEXT, line, column, "a NUL byte: this is not text");
        cv_err_suggest(err, CV_STR("name a text file in UTF-8"));
        return false;
    }
    if (valid == text.n)
        return true;
    place(text, valid, &line, &column);
    cv_err_at(err, CV_ERR_NOT_UTF8, line, column, "byte 0x%02x is not valid UTF-8", (unsigned char)text.p[valid]);
    bool utf16 = cv_str_starts(text, CV_STR("\xff\xfe")) || cv_str_starts(text, CV_STR("\xfe\xff"));
    cv_err_suggest(err,
                   utf16 ? CV_STR("it looks like UTF-16: save the file as UTF-8") : CV_STR("save the file as UTF-8"));
    return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

enum { MAX_LINKS = 40, MAX_TEMPORARIES = 100 };

/* One write on its way. */
typedef struct cv_file_job {
    const cv_file_calls *calls;
    cv_err *err;
    const char *path;      /* as the caller named it: for messages */
    const char *target;    /* what `path` leads to when links are followed */
    const char *temporary; /* in the same folder; NULL: not there */
    struct stat st;
    const struct stat *old; /* NULL: the target is new */
    int folder, fd;         /* -1: not open */
    bool is_private;        /* a new file is its owner's alone, whatever the umask */
    int trouble;            /* errno of the first write that failed */
} job;

/* The folder part of `path`, ready to have a name appended: "" or ending in a slash. */
static cv_str folder_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? cv_str_range(path, slash + 1) : CV_STR("");
}

/* What the symbolic link `path` points to, as a path of its own; NULL with errno. */
static const char *link_target(cv_arena *a, const char *path)
{
    char to[PATH_MAX];
    ssize_t n = readlink(path, to, sizeof to);
    if (n < 0)
        return NULL;
    if ((size_t)n == sizeof to) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    cv_str target = {to, (size_t)n};
    cv_str joined = to[0] == '/' ? target : cv_arena_join(a, folder_part(path), target);
    return cv_arena_copy_z(a, joined);
}

/* Follows links to the file that is to be written, which need not exist, and looks at it. */
static bool resolve(job *j)
{
    struct stat *st = &j->st;
    j->target = j->path;
    for (int links = 0; links <= MAX_LINKS; links++) {
        if (lstat(j->target, st) != 0)
            return errno == ENOENT ? true : fail_errno(j->err, j->path, "write the file", errno);
        if (S_ISREG(st->st_mode)) {
            j->old = st;
            return true;
        }
        if (!S_ISLNK(st->st_mode))
            return fail_not_a_file(j->err, j->path, st->st_mode);
        j->target = link_target(j->err->arena, j->target);
        if (!j->target)
            return fail_errno(j->err, j->path, "follow the link", errno);
    }
    return fail_errno(j->err, j->path, "follow the link", ELOOP);
}

static bool write_all(const cv_file_calls *calls, int fd, cv_str bytes)
{
    while (bytes.n > 0) {
        long n = calls->write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0) {
            errno = EIO;
            return false;
        }
        bytes = cv_str_from(bytes, (size_t)n);
    }
    return true;
}

static bool sync_fd(const cv_file_calls *calls, int fd)
{
    int result;
    do
        result = calls->sync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* A file that is replaced hands on its permissions and, as far as we may give it away, its owner. A new file got its
 * permissions when it was opened: the kernel applies the umask there, which we could only read by changing it. */
static bool set_permissions(const job *j, int fd)
{
    struct stat st;
    if (!j->old)
        return !j->is_private || fchmod(fd, 0600) == 0;
    if (fstat(fd, &st) != 0)
        return false;
    bool same_owner = st.st_uid == j->old->st_uid && st.st_gid == j->old->st_gid;
    bool given = same_owner || fchown(fd, j->old->st_uid, j->old->st_gid) == 0;
    (void)given; /* the content matters more than the owner */
    return fchmod(fd, j->old->st_mode & 0777) == 0;
}

/* ---- names of temporary files: ".conclave-4711-0.tmp", by process and a count of its own */

static const cv_str temporary_begin = CV_STR_INIT(".conclave-"), temporary_end = CV_STR_INIT(".tmp");

/* SQLite keeps files of its own beside a database that is made under a temporary name. */
static cv_str without_companion(cv_str name)
{
    static const cv_str ends[] = {CV_STR_INIT("-wal"), CV_STR_INIT("-shm"), CV_STR_INIT("-journal")};
    for (size_t i = 0; i < CV_COUNT(ends); i++)
        if (cv_str_ends(name, ends[i]))
            return cv_str_head(name, name.n - ends[i].n);
    return name;
}

bool cv_file_is_leftover(const char *name)
{
    cv_str s = without_companion(cv_str_of(name));
    int process;
    if (!cv_str_starts(s, temporary_begin) || !cv_str_ends(s, temporary_end))
        return false;
    s = cv_str_from(s, temporary_begin.n);
    s = cv_str_head(s, cv_str_find_char(s, '-'));
    return cv_str_to_int(s, &process) && process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

/* Makes a new file next to `target`. The count tells the threads of this process apart; names that another process with
 * our number has left are stepped over. -1 with errno. */
static int open_temporary(cv_arena *a, const cv_file_calls *calls, const char *target, unsigned mode,
                          const char **ret_name)
{
    static atomic_uint serial;
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        const char *name =
            cv_arena_printf(a, "%.*s%.*s%ld-%u%.*s", CV_FMT(folder_part(target)), CV_FMT(temporary_begin),
                            (long)getpid(), atomic_fetch_add(&serial, 1), CV_FMT(temporary_end))
                .p;
        int fd = calls->open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0)
            *ret_name = name;
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* An empty temporary file, open for writing. */
static bool make_temporary(job *j)
{
    unsigned mode = j->old || j->is_private ? 0600 : 0666;
    j->fd = open_temporary(j->err->arena, j->calls, j->target, mode, &j->temporary);
    if (j->fd < 0)
        return fail_errno(j->err, j->path, "make a temporary file next to it", errno);
    return set_permissions(j, j->fd) || fail_errno(j->err, j->path, "set permissions", errno);
}

static bool write_temporary(job *j, cv_str bytes)
{
    if (j->trouble == 0 && !write_all(j->calls, j->fd, bytes))
        j->trouble = errno ? errno : EIO;
    return j->trouble == 0;
}

/* All of it written, on disk and closed. */
static bool finish_temporary(job *j)
{
    bool ok = (j->trouble == 0 || fail_errno(j->err, j->path, "write the file", j->trouble)) &&
              (sync_fd(j->calls, j->fd) || fail_errno(j->err, j->path, "bring the file to disk", errno));
    if (j->calls->close(j->fd) != 0 && errno != EINTR && ok)
        ok = fail_errno(j->err, j->path, "finish the file", errno);
    j->fd = -1;
    return ok;
}

static bool rename_temporary(job *j)
{
    if (j->calls->rename(j->temporary, j->target) != 0)
        return fail_errno(j->err, j->path, "put the new file in place", errno);
    j->temporary = NULL;
    return true;
}

static bool sync_folder(job *j)
{
    /* Some file systems cannot sync a folder and say so with EINVAL: they promise nothing that we could wait for. */
    if (sync_fd(j->calls, j->folder) || errno == EINVAL || errno == ENOTSUP)
        return true;
    fail_errno(j->err, j->path, "bring the folder to disk", errno);
    cv_err_suggest(j->err, CV_STR("the new content is in place but may not survive a power cut: write it again"));
    return false;
}

static bool open_folder(job *j)
{
    cv_str part = folder_part(j->target);
    const char *path = part.n ? cv_arena_copy_z(j->err->arena, part) : ".";
    j->folder = j->calls->open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    return j->folder >= 0 || fail_errno(j->err, j->path, "open its folder", errno);
}

/* rename() would replace a file that its owner made read-only; writing into it would not. */
static bool may_replace(job *j)
{
    return !j->old || faccessat(AT_FDCWD, j->target, W_OK, AT_EACCESS) == 0 ||
           fail_errno(j->err, j->path, "write the file", errno);
}

static bool begin_job(job *j)
{
    return resolve(j) && may_replace(j) && open_folder(j) && make_temporary(j);
}

static bool commit_job(job *j)
{
    return finish_temporary(j) && rename_temporary(j) && sync_folder(j);
}

/* Whatever is still there of it goes. */
static void end_job(job *j)
{
    if (j->fd >= 0)
        j->calls->close(j->fd);
    if (j->temporary)
        unlink(j->temporary);
    if (j->folder >= 0)
        j->calls->close(j->folder); /* read only: nothing of ours can be lost here */
}

static bool write_file(const cv_file_calls *calls, const char *path, bool is_private, cv_str bytes, cv_err *err)
{
    job j = {.calls = calls, .err = err, .path = path, .is_private = is_private, .folder = -1, .fd = -1};
    bool ok = begin_job(&j);
    if (ok) {
        write_temporary(&j, bytes);
        ok = commit_job(&j);
    }
    end_job(&j);
    return ok;
}

bool cv_file_write_with(const cv_file_calls *calls, const char *path, cv_str bytes, cv_err *err)
{
    return write_file(calls, path, false, bytes, err);
}

static int system_open(const char *path, int flags, unsigned mode)
{
    return open(path, flags, (mode_t)mode);
}

static long system_write(int fd, const void *bytes, size_t n)
{
    return write(fd, bytes, n);
}

/* fdatasync brings a file's content and size; what a folder holds counts as its content too, but only fsync promises
 * it on every file system. */
static int system_sync(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? fsync(fd) : fdatasync(fd);
}

static const cv_file_calls system_calls = {system_open, system_write, system_sync, close, rename};

bool cv_file_write(const char *path, cv_str bytes, cv_err *err)
{
    return cv_file_write_with(&system_calls, path, bytes, err);
}

bool cv_file_write_private(const char *path, cv_str bytes, cv_err *err)
{
    return write_file(&system_calls, path, true, bytes, err);
}

bool cv_file_temporary(cv_arena *a, const char *target, const char **ret_path, cv_err *err)
{
    int fd = open_temporary(a, &system_calls, target, 0600, ret_path);
    if (fd < 0)
        return fail_errno(err, target, "make a temporary file next to it", errno);
    bool ok = fchmod(fd, 0600) == 0 || fail_errno(err, target, "set permissions", errno);
    close(fd);
    if (!ok)
        unlink(*ret_path);
    return ok;
}

/* rename() without replacing: by the system where the file system can, else by a second name. */
static int move_to_free_name(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

bool cv_file_place(const char *from, const char *to, bool replace, cv_err *err)
{
    job j = {.calls = &system_calls, .err = err, .path = to, .target = to, .folder = -1, .fd = -1};
    bool ok = open_folder(&j) &&
              ((replace ? rename(from, to) : move_to_free_name(from, to)) == 0 ||
               fail_errno(err, to, "put the new file in place", errno)) &&
              sync_folder(&j);
    end_job(&j);
    return ok;
}

static bool to_temporary(void *to, cv_str bytes)
{
    return write_temporary(to, bytes);
}

bool cv_file_begin(cv_file_writer *w, const cv_file_calls *calls, const char *path, cv_err *err)
{
    job *j = CV_NEW(err->arena, job);
    *j = (job){.calls = calls ? calls : &system_calls, .err = err, .path = path, .folder = -1, .fd = -1};
    *w = (cv_file_writer){.out = {.sink = to_temporary, .sink_to = j}, .job = j};
    if (begin_job(j))
        return true;
    cv_file_rollback(w);
    return false;
}

bool cv_file_commit(cv_file_writer *w, cv_err *err)
{
    w->job->err = err;
    cv_buf_flush(&w->out);
    bool ok = commit_job(w->job);
    cv_file_rollback(w);
    return ok;
}

void cv_file_rollback(cv_file_writer *w)
{
    end_job(w->job);
    cv_buf_release(&w->out);
}
