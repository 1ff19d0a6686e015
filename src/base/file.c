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
 * The folder is opened first so that after the rename only the sync itself can fail. A new file that need not be on
 * disk (cv_file_unsynced) has no temporary where the system can do without: it gets its name when it is whole.
 */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_digest.h"
#include "base/limits.h"
#include "base/move.h"
#include "base/os.h"
#include "base/utf8.h"

/* ---- errors ---------------------------------------------------------------------------------- */

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

/* Waits also when the process that gave us standard input left it non-blocking. */
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
            return cv_system_fail(err, path, "read the file", errno);
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

/* A regular file below the ceiling that is open. */
static bool read_open(cv_arena *a, int fd, const char *path, size_t ceiling, cv_str *ret_bytes, cv_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return cv_system_fail(err, path, "look at the file", errno);
    if (!S_ISREG(st.st_mode))
        return fail_not_a_file(err, path, st.st_mode);
    if ((uintmax_t)st.st_size > ceiling)
        return fail_too_large(err, path, "", (size_t)st.st_size, ceiling);
    return read_all(a, fd, path, (size_t)st.st_size, ceiling, ret_bytes, err);
}

bool cv_file_read_at(cv_arena *a, cv_where where, size_t ceiling, cv_str *ret_bytes, cv_err *err)
{
    if (!where.root && strcmp(where.path, "-") == 0)
        return read_all(a, STDIN_FILENO, where.path, PIPE_GUESS, ceiling, ret_bytes, err);
    int fd = cv_where_open(where, O_RDONLY, "open the file", err);
    if (fd < 0)
        return false;
    bool ok = read_open(a, fd, cv_where_path(err->arena, where), ceiling, ret_bytes, err);
    close(fd);
    return ok;
}

bool cv_file_read_text_at(cv_arena *a, cv_where where, cv_str *ret_text, cv_err *err)
{
    cv_str text = {NULL, 0};
    if (!cv_file_read_at(a, where, CV_MAX_FILE_BYTES, &text, err))
        return false;
    if (!cv_text_check(text, err)) {
        cv_err_file(err, cv_str_of(cv_where_path(err->arena, where)));
        return false;
    }
    *ret_text = text;
    return true;
}

bool cv_file_read(cv_arena *a, const char *path, size_t ceiling, cv_str *ret_bytes, cv_err *err)
{
    return cv_file_read_at(a, cv_where_named(path), ceiling, ret_bytes, err);
}

bool cv_file_read_text(cv_arena *a, const char *path, cv_str *ret_text, cv_err *err)
{
    return cv_file_read_text_at(a, cv_where_named(path), ret_text, err);
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
    assert(text.p && valid < text.n);
    place(text, valid, &line, &column);
    cv_err_at(err, CV_ERR_NOT_UTF8, line, column, "byte 0x%02x is not valid UTF-8", (unsigned char)text.p[valid]);
    bool utf16 = cv_str_starts(text, CV_STR("\xff\xfe")) || cv_str_starts(text, CV_STR("\xfe\xff"));
    cv_err_suggest(err,
                   utf16 ? CV_STR("it looks like UTF-16: save the file as UTF-8") : CV_STR("save the file as UTF-8"));
    return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

enum { MAX_LINKS = 40, MAX_TEMPORARIES = 100, MAX_KEPT = 1000 };

/* One write on its way. All names are names in one open folder, so nothing that happens to the way there matters. */
typedef struct cv_file_job {
    const cv_file_calls *calls;
    cv_err *err;
    const char *path; /* as the caller named it: for messages */
    cv_where place;
    cv_file_rules *rules;  /* NULL: what is there is replaced */
    const char *name;      /* what the path leads to, in `folder` */
    cv_where holder;       /* … and the path of that folder, for messages */
    const char *temporary; /* NULL: not there */
    struct stat st;
    const struct stat *old; /* NULL: the target is new */
    int folder, fd;         /* -1: not open */
    int trouble;            /* errno of the first write that failed */
    off_t sent, waiting;    /* bytes on their way to the disk, and behind them */
    cv_file_digest digest;  /* of what was written */
    bool marked;            /* the file carries its digest */
    bool is_private;        /* a new file is its owner's alone, whatever the umask */
} job;

static bool fail_job(const job *j, const char *what, int number)
{
    return cv_system_fail(j->err, j->path, what, number);
}

/* ---- finding the folder and the name ---- */

/* What the symbolic link `name` in `folder` points to; NULL with errno. */
static const char *link_target(cv_arena *a, int folder, const char *name)
{
    char to[PATH_MAX];
    ssize_t n = readlinkat(folder, name, to, sizeof to);
    if (n == (ssize_t)sizeof to) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return n < 0 ? NULL : cv_arena_copy_z(a, (cv_str){to, (size_t)n});
}

/* Opens the folder part of `path`, seen from the folder that is open so far. */
static bool open_folder(job *j, const char *path)
{
    cv_arena *a = j->err->arena;
    cv_where part = cv_where_folder(a, cv_where_named(path));
    int from = j->folder >= 0 ? j->folder : AT_FDCWD;
    j->folder = j->calls->open(from, part.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    int number = errno;
    j->holder = from == AT_FDCWD || *path == '/' ? part : cv_where_in(a, j->holder, part.path);
    if (from != AT_FDCWD)
        j->calls->close(from);
    j->name = cv_where_name(cv_where_named(path));
    return j->folder >= 0 || fail_job(j, "open its folder", number);
}

/* Looks at the target. A link is only told: *ret_link. */
static bool look(job *j, bool *ret_link)
{
    *ret_link = false;
    if (!*j->name)
        return fail_job(j, "write the file", *j->path ? EISDIR : ENOENT);
    if (fstatat(j->folder, j->name, &j->st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || fail_job(j, "write the file", errno);
    *ret_link = S_ISLNK(j->st.st_mode);
    if (!*ret_link && !S_ISREG(j->st.st_mode))
        return fail_not_a_file(j->err, j->path, j->st.st_mode);
    j->old = *ret_link ? NULL : &j->st;
    return true;
}

/* Follows links to the file that is to be written, which need not exist. */
static bool find_named(job *j)
{
    const char *path = j->path;
    for (int links = 0; links <= MAX_LINKS; links++) {
        bool link;
        if (!open_folder(j, path) || !look(j, &link))
            return false;
        if (!link)
            return true;
        path = link_target(j->err->arena, j->folder, j->name);
        if (!path)
            return fail_job(j, "follow the link", errno);
    }
    return fail_job(j, "follow the link", ELOOP);
}

static bool find_below(job *j)
{
    bool link;
    cv_arena *a = j->err->arena;
    j->folder = cv_where_open_folder(cv_where_folder(a, j->place), O_RDONLY, false, "open its folder", j->err);
    j->holder = cv_where_folder(a, cv_where_named(j->path));
    j->name = cv_where_name(j->place);
    return j->folder >= 0 && look(j, &link) && (!link || cv_where_check(j->place, j->err));
}

/* ---- the temporary file ---- */

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

static const cv_str temporary_begin = CV_STR_INIT(".conclave-"), temporary_end = CV_STR_INIT(".tmp");

/* A database that is made under a temporary name has files of SQLite and of the record beside it. */
static cv_str without_companion(cv_str name)
{
    static const cv_str ends[] = {CV_STR_INIT("-wal"), CV_STR_INIT("-shm"), CV_STR_INIT("-turn"),
                                  CV_STR_INIT("-watermark"), CV_STR_INIT("-journal")};
    for (size_t i = 0; i < CV_COUNT(ends); i++)
        if (cv_str_ends(name, ends[i]))
            return cv_str_head(name, name.n - ends[i].n);
    return name;
}

bool cv_file_is_temporary(const char *name)
{
    cv_str s = cv_str_of(name);
    return cv_str_starts(s, temporary_begin) && cv_str_ends(s, temporary_end);
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

/* Random, and where the system has no randomness to give: counted and timed. */
const char *cv_file_unique(cv_arena *a)
{
    static _Atomic uint32_t count;
    uint64_t random;
    struct timespec now;
    uint32_t number = atomic_fetch_add(&count, 1);
    if (!cv_os_random(&random, sizeof random)) {
        clock_gettime(CLOCK_REALTIME, &now);
        random = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
    }
    return cv_arena_printf(a, "%ld-%x-%016llx", (long)getpid(), number, (unsigned long long)random).p;
}

/* A file of our own next to the target. */
static int open_temporary(job *j)
{
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        const char *name = cv_arena_printf(j->err->arena, "%.*s%s%.*s", CV_FMT(temporary_begin),
                                           cv_file_unique(j->err->arena), CV_FMT(temporary_end))
                               .p;
        int fd = j->calls->open(j->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                j->old || j->is_private ? 0600 : 0666);
        if (fd >= 0)
            j->temporary = name;
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* An empty temporary file, open for writing. */
static bool make_temporary(job *j)
{
    assert(!j->temporary && "one temporary file at a time");
    j->fd = open_temporary(j);
    if (j->fd < 0)
        return fail_job(j, "make a temporary file next to it", errno);
    return set_permissions(j, j->fd) || fail_job(j, "set permissions", errno);
}

/* A large file is on its way to the disk while the rest of it is made: the sync in the end waits for the last part
 * only. Where this cannot be asked for, it waits for all. */
static void send_ahead(job *j, size_t written)
{
    enum { PART = 8 << 20 };
    j->waiting += (off_t)written;
    if (j->waiting < PART)
        return;
    cv_os_begin_sync(j->fd, j->sent, j->waiting);
    j->sent += j->waiting;
    j->waiting = 0;
}

static bool write_temporary(job *j, cv_str bytes)
{
    if (j->trouble == 0 && !write_all(j->calls, j->fd, bytes))
        j->trouble = errno ? errno : EIO;
    if (j->trouble == 0)
        send_ahead(j, bytes.n);
    if (j->rules)
        cv_file_digest_add(&j->digest, bytes);
    return j->trouble == 0;
}

/* The digest is beside the content, in an attribute of the file: editors lose it or leave it as it is, and either
 * way it does not fit what they wrote. Not every file system has attributes. */
static const char digest_name[] = "user.conclave.digest";

static void set_digest(job *j)
{
    char digest[CV_FILE_DIGEST_LEN + 1];
    cv_file_digest_print(&j->digest, digest);
    j->marked = j->rules && cv_os_set_mark(j->fd, digest_name, digest, CV_FILE_DIGEST_LEN);
}

static void set_time(const job *j)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                      j->rules && j->rules->time ? *j->rules->time : (struct timespec){0}};
    if (j->rules && j->rules->time)
        (void)futimens(j->fd, times); /* then it shows its own time */
}

/* All of it written, on disk and closed. */
static bool finish_temporary(job *j)
{
    set_digest(j);
    set_time(j);
    bool ok = (j->trouble == 0 || fail_job(j, "write the file", j->trouble)) &&
              (sync_fd(j->calls, j->fd) || fail_job(j, "bring the file to disk", errno));
    if (j->calls->close(j->fd) != 0 && errno != EINTR && ok)
        ok = fail_job(j, "finish the file", errno);
    j->fd = -1;
    return ok;
}

/* ---- in the place of another file ---- */

static bool replace(job *j)
{
    assert(j->temporary && j->fd < 0 && "the new file is whole and closed");
    if (j->calls->rename(j->folder, j->temporary, j->name, 0) != 0)
        return fail_job(j, "put the new file in place", errno);
    j->temporary = NULL;
    return true;
}

static bool sync_folder(job *j)
{
    /* Some file systems cannot sync a folder and say so with EINVAL: they promise nothing that we could wait for. */
    if (sync_fd(j->calls, j->folder) || errno == EINVAL || errno == ENOTSUP)
        return true;
    fail_job(j, "bring the folder to disk", errno);
    cv_err_suggest(j->err, CV_STR("the new content is in place but may not survive a power cut: write it again"));
    return false;
}

/* ---- beside another file: nothing is lost ----
 *
 *     temporary -> NAME                          when nothing is there: done
 *     temporary -> NAME.before-1                 a name that nobody has
 *     NAME.before-1 <-> NAME                     exchanged in one step: now .before-1 is the file that was there
 *     .before-1 is ours, and nobody writes it    then it goes
 *
 * At no moment does a rename fall on a file that was not looked at. A process that dies in between leaves .before-1: a
 * file too many, never one too few. Where the file system cannot exchange, the old file is moved to a name of its own
 * first; where it cannot rename without overwriting, a second link does it.
 */

static bool cannot(int number)
{
    return number == EINVAL || number == ENOSYS || number == ENOTSUP || number == EPERM;
}

/* Renames the temporary unless something has the new name: then EEXIST. */
static bool move_temporary(job *j, const char *to)
{
    if (j->calls->rename(j->folder, j->temporary, to, CV_OS_NOREPLACE) != 0) {
        if (!cannot(errno) || linkat(j->folder, j->temporary, j->folder, to, 0) != 0)
            return false;
        unlinkat(j->folder, j->temporary, 0);
    }
    j->temporary = cv_arena_copy_z(j->err->arena, cv_str_of(to));
    return true;
}

static bool move_aside(job *j)
{
    for (int i = 1; i <= MAX_KEPT; i++) {
        if (move_temporary(j, cv_arena_printf(j->err->arena, "%s.before-%d", j->name, i).p))
            return true;
        if (errno != EEXIST)
            return fail_job(j, "keep the existing file under another name", errno);
    }
    cv_err_set(j->err, CV_ERR_IO, "%s.before-%d is the last possible name: remove some of these files", j->path,
               (int)MAX_KEPT);
    return false;
}

/* Exchanges the temporary and what is at the name. *ret_displaced: where that is now; NULL: it has gone meanwhile.
 */
static bool exchange(job *j, const char **ret_displaced)
{
    *ret_displaced = NULL;
    if (j->calls->rename(j->folder, j->temporary, j->name, CV_OS_EXCHANGE) == 0) {
        *ret_displaced = j->temporary;
        j->temporary = NULL;
        return true;
    }
    if (errno == ENOENT)
        return true;
    if (!cannot(errno))
        return fail_job(j, "put the new file in place", errno);
    const char *own = cv_arena_printf(j->err->arena, "%s.before-%s", j->name, cv_file_unique(j->err->arena)).p;
    if (j->calls->rename(j->folder, j->name, own, 0) != 0)
        return errno == ENOENT || fail_job(j, "keep the existing file under another name", errno);
    *ret_displaced = own;
    return true;
}

bool cv_file_is_being_written(cv_where where)
{
    cv_arena a = {0};
    cv_err ignored = {.arena = &a};
    int fd = cv_where_open(where, O_RDONLY, "look at it", &ignored);
    bool is = fd >= 0 && cv_os_is_written(fd);
    if (fd >= 0)
        close(fd);
    cv_arena_release(&a);
    return is;
}

/* Reads it page by page: exports are large. */
static bool is_as_written(int fd)
{
    char found[CV_FILE_DIGEST_LEN], wanted[CV_FILE_DIGEST_LEN + 1], page[128 << 10];
    cv_file_digest digest = {0};
    ssize_t n;
    if (!cv_os_get_mark(fd, digest_name, found, sizeof found))
        return false;
    for (off_t at = 0; (n = pread(fd, page, sizeof page, at)) > 0; at += n)
        cv_file_digest_add(&digest, (cv_str){page, (size_t)n});
    return n == 0 && cv_str_eq((cv_str){found, CV_FILE_DIGEST_LEN}, cv_file_digest_print(&digest, wanted));
}

/* Is it known by its content? Only what is read whole can be. */
static bool is_known(job *j, int fd, const char *name)
{
    cv_arena a = {0};
    cv_err ignored = {.arena = &a};
    cv_str bytes = {0};
    bool known = read_open(&a, fd, name, CV_MAX_FILE_BYTES, &bytes, &ignored) &&
                 (bytes.n == 0 || (j->rules->is_ours && j->rules->is_ours(j->rules->ctx, bytes, !j->marked)));
    cv_arena_release(&a);
    return known;
}

static bool may_go(job *j, const char *name)
{
    int fd = openat(j->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    /* Nobody finds it by its new name: who does not write to it now never will. So this is asked before it is read. */
    bool may = !cv_os_is_written(fd) && (is_as_written(fd) || is_known(j, fd, name));
    close(fd);
    return may;
}

static void settle(job *j, const char *displaced)
{
    cv_arena *a = j->rules->arena;
    if (may_go(j, displaced) && unlinkat(j->folder, displaced, 0) == 0)
        return;
    *CV_PUSH(a, &j->rules->kept) = cv_where_in(a, j->holder, displaced).path;
}

/* The displaced file goes back to its name. The file there meanwhile was our new file, and is kept only if somebody
 * has changed it in that moment; where two files cannot be exchanged, a file that came there meanwhile stays, and the
 * displaced one is kept. Always false. */
static bool give_way(job *j, const char *displaced)
{
    const char *made = j->temporary;
    bool exchanged = !made, moved; /* the new file has the name */
    if (exchanged) {
        moved = j->calls->rename(j->folder, displaced, j->name, CV_OS_EXCHANGE) == 0;
    } else {
        j->temporary = displaced;
        moved = move_temporary(j, j->name);
        j->temporary = made;
    }
    if (!moved)
        *CV_PUSH(j->rules->arena, &j->rules->kept) = cv_where_in(j->rules->arena, j->holder, displaced).path;
    else if (exchanged)
        settle(j, displaced);
    if (!sync_folder(j))
        return false;
    cv_err_set(j->err, CV_ERR_FILE_CHANGED, "somebody else has changed the file: it was left as it is");
    cv_err_file(j->err, cv_str_of(j->path));
    return false;
}

static bool publish(job *j)
{
    for (int tries = 0; tries < MAX_TEMPORARIES; tries++) {
        const char *displaced;
        bool link;
        if (move_temporary(j, j->name)) {
            j->temporary = NULL;
            return sync_folder(j);
        }
        if (errno != EEXIST)
            return fail_job(j, "put the new file in place", errno);
        if (!look(j, &link) || (link && !cv_where_check(j->place, j->err)) || !move_aside(j) ||
            !exchange(j, &displaced))
            return false;
        bool done = !j->temporary;
        if (displaced && j->rules->gives_way && !may_go(j, displaced))
            return give_way(j, displaced);
        if (done && !sync_folder(j))
            return false;
        if (displaced)
            settle(j, displaced);
        if (done)
            return true;
    }
    return fail_job(j, "put the new file in place: others write there at the same time", EBUSY);
}

/* ---- the whole ---- */

/* rename() would replace a file that its owner made read-only; writing into it would not. */
static bool may_replace(job *j)
{
    return !j->old || faccessat(j->folder, j->name, W_OK, AT_EACCESS) == 0 || fail_job(j, "write the file", errno);
}

static job new_job(const cv_file_calls *calls, cv_where where, cv_file_rules *rules, cv_err *err)
{
    return (job){.calls = calls,
                 .err = err,
                 .path = cv_where_path(err->arena, where),
                 .place = where,
                 .rules = rules,
                 .folder = -1,
                 .fd = -1};
}

static bool find(job *j)
{
    return (j->place.root ? find_below(j) : find_named(j)) && may_replace(j);
}

static bool begin_job(job *j)
{
    return find(j) && make_temporary(j);
}

static bool commit_job(job *j)
{
    if (!finish_temporary(j))
        return false;
    return j->rules ? publish(j) : replace(j) && sync_folder(j);
}

/* Whatever is still there of it goes. */
static void end_job(job *j)
{
    if (j->fd >= 0)
        j->calls->close(j->fd);
    if (j->temporary)
        unlinkat(j->folder, j->temporary, 0);
    if (j->folder >= 0)
        j->calls->close(j->folder); /* read only: nothing of ours can be lost here */
}

static int no_sync(int fd)
{
    (void)fd;
    return 0;
}

/* A new file that need not be on disk before it is seen is written without a name, and gets its name when it is whole:
 * the folder changes once, not three times. False: somebody else has the name by now, or it cannot be done here, and
 * nothing is left of it. */
static bool write_unnamed(job *j, cv_str bytes)
{
    bool wanted = j->calls->sync == no_sync && j->rules && !j->old && !j->is_private, done = false;
    const job begun = *j;
    j->fd = wanted ? cv_os_open_unnamed_in(j->folder, 0666) : -1;
    if (j->fd >= 0) {
        done = write_temporary(j, bytes);
        if (!j->rules->once)
            set_digest(j);
        set_time(j);
        done = done && cv_os_give_name(j->fd, j->folder, j->name) == 0;
        j->calls->close(j->fd);
    }
    *j = begun;
    return done;
}

static bool write_whole(job j, cv_str bytes)
{
    bool ok = find(&j);
    if (ok && !write_unnamed(&j, bytes)) {
        ok = make_temporary(&j);
        if (ok)
            write_temporary(&j, bytes);
        ok = ok && commit_job(&j);
    }
    end_job(&j);
    return ok;
}

static int system_open(int folder, const char *path, int flags, unsigned mode)
{
    return openat(folder, path, flags, (mode_t)mode);
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

static int system_rename(int folder, const char *from, const char *to, unsigned flags)
{
    return cv_os_rename(folder, from, folder, to, flags);
}

static const cv_file_calls system_calls = {system_open, system_write, system_sync, close, system_rename};
const cv_file_calls cv_file_unsynced = {system_open, system_write, no_sync, close, system_rename};

bool cv_file_write_with(const cv_file_calls *calls, cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err)
{
    return write_whole(new_job(calls ? calls : &system_calls, where, rules, err), bytes);
}

bool cv_file_write(const char *path, cv_str bytes, cv_err *err)
{
    return cv_file_write_with(NULL, cv_where_named(path), bytes, NULL, err);
}

bool cv_file_write_at(cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err)
{
    return cv_file_write_with(NULL, where, bytes, rules, err);
}

bool cv_file_write_private(cv_where where, cv_str bytes, cv_err *err)
{
    job j = new_job(&system_calls, where, NULL, err);
    j.is_private = true;
    return write_whole(j, bytes);
}

bool cv_file_temporary(cv_arena *a, const char *target, const char **ret_path, cv_err *err)
{
    job j = new_job(&system_calls, cv_where_named(target), NULL, err);
    j.is_private = true;
    bool ok = open_folder(&j, target) && make_temporary(&j);
    if (ok)
        *ret_path = cv_where_in(a, j.holder, j.temporary).path;
    if (ok)
        j.temporary = NULL; /* it is the caller's */
    end_job(&j);
    return ok;
}

bool cv_file_place(const char *from, cv_where to, bool over, cv_err *err)
{
    job j = new_job(&system_calls, to, NULL, err);
    j.folder = cv_where_open_folder(cv_where_folder(err->arena, to), O_RDONLY, false, "open its folder", err);
    if (j.folder < 0)
        return false;
    bool moved = over ? renameat(AT_FDCWD, from, j.folder, cv_where_name(to)) == 0
                      : cv_move_new(AT_FDCWD, from, j.folder, cv_where_name(to));
    bool ok = (moved || fail_job(&j, "put the new file in place", errno)) && sync_folder(&j);
    end_job(&j);
    return ok;
}

bool cv_file_move(cv_where from, cv_where to, cv_err *err)
{
    job j = new_job(&system_calls, to, NULL, err);
    cv_where holder = cv_where_folder(err->arena, from);
    int left = cv_where_open_folder(holder, O_RDONLY, false, "open the folder that holds it", err);
    if (left < 0)
        return false;
    j.folder = cv_where_open_folder(cv_where_folder(err->arena, to), O_RDONLY, false, "open its folder", err);
    bool ok = j.folder >= 0 &&
              (cv_move_new(left, cv_where_name(from), j.folder, cv_where_name(to)) ||
               cv_system_fail(err, cv_where_path(err->arena, from), "move it", errno)) &&
              sync_folder(&j) && (cv_where_sync(left) || fail_job(&j, "sync the folder that it left", errno));
    close(left);
    end_job(&j);
    return ok;
}

static bool to_temporary(void *to, cv_str bytes)
{
    return write_temporary(to, bytes);
}

bool cv_file_begin(cv_file_writer *w, const cv_file_calls *calls, cv_where where, cv_file_rules *rules, cv_err *err)
{
    job *j = CV_NEW(err->arena, job);
    *j = new_job(calls ? calls : &system_calls, where, rules, err);
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
