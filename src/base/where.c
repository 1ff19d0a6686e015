/* where.c - where a file is, and how it may be reached; see where.h.
 *
 *     root/a/b/c
 *      |   | | +-- opened, looked at or made by its name in the folder before it
 *      |   +-+---- opened one after the other, each without following a link; or all at once by openat2()
 *      +---------- opened as the user named it
 */
#include "base/where.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* `at` bytes of the path lead to a link. */
static bool fail_link(cv_where where, size_t at, cv_err *err)
{
    cv_str link = cv_str_head(cv_str_of(where.path), at);
    cv_err_set(err, CV_ERR_INVALID_VALUE, "'%.*s' is a symbolic link, and conclave follows no links below '%s'",
               CV_FMT(link), where.root);
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, where)));
    cv_err_suggest(err, CV_STR("replace the link by a real file or folder"));
    return false;
}

static bool refuse(cv_err *err, cv_str path, const char *why)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the path %s", why);
    cv_err_value(err, path);
    cv_err_suggest(err, CV_STR("name a path below the project's folder"));
    return false;
}

/* ---- paths as words ---------------------------------------------------------------------------------------------- */

/* What of an absolute path lies below the root. The root may have other names than the one we know: a folder on the way
 * that is the same one counts. Whatever this says, the rest is opened below the root's own handle. */
static bool strip_root(cv_arena *a, const char *root, cv_str path, cv_str *ret_rest)
{
    struct stat own, st;
    cv_str known = cv_str_of(root);
    if (cv_str_starts(path, known) && (path.n == known.n || path.p[known.n] == '/' || root[known.n - 1] == '/')) {
        *ret_rest = cv_str_from(path, known.n);
        return true;
    }
    if (stat(root, &own) != 0)
        return false;
    for (size_t i = 1; i <= path.n; i++) {
        if (i < path.n && path.p[i] != '/')
            continue;
        if (stat(cv_arena_copy_z(a, cv_str_head(path, i)), &st) != 0)
            return false;
        if (st.st_dev == own.st_dev && st.st_ino == own.st_ino) {
            *ret_rest = cv_str_from(path, i);
            return true;
        }
    }
    return false;
}

bool cv_where_below(cv_arena *a, const char *root, cv_str path, cv_where *ret_where, cv_err *err)
{
    if (path.n == 0 || memchr(path.p, '\0', path.n))
        return refuse(err, path, "is empty or has a NUL byte");
    if (path.n >= PATH_MAX)
        return refuse(err, cv_str_head(path, CV_MAX_EXCERPT), "is longer than a path can be");
    cv_str rest = path, name;
    char *clean = cv_arena_alloc(a, path.n + 1), *end = clean;
    for (cv_str pieces = path; cv_str_split(&pieces, '/', &name);)
        if (cv_str_eq(name, CV_STR("..")))
            return refuse(err, path, "leads upwards");
    if (path.p[0] == '/' && !strip_root(a, root, path, &rest))
        return refuse(err, path, "leads out of the project");
    while (cv_str_split(&rest, '/', &name)) {
        if (name.n == 0 || cv_str_eq(name, CV_STR(".")))
            continue;
        if (end > clean)
            *end++ = '/';
        memcpy(end, name.p, name.n);
        end += name.n;
    }
    *ret_where = (cv_where){root, clean};
    return true;
}

cv_where cv_where_in(cv_arena *a, cv_where folder, const char *name)
{
    cv_str path = cv_str_of(folder.path);
    bool slash = path.n && path.p[path.n - 1] != '/';
    return (cv_where){folder.root, cv_arena_printf(a, "%s%s%s", folder.path, slash ? "/" : "", name).p};
}

cv_where cv_where_printf(cv_arena *a, cv_where folder, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str name = cv_arena_vprintf(a, format, args);
    va_end(args);
    return cv_where_in(a, folder, name.p);
}

const char *cv_where_name(cv_where where)
{
    const char *slash = strrchr(where.path, '/');
    return slash ? slash + 1 : where.path;
}

cv_where cv_where_folder(cv_arena *a, cv_where where)
{
    const char *name = cv_where_name(where);
    cv_str folder = cv_str_range(where.path, name);
    if (folder.n > 1)
        folder.n--;
    if (!where.root && folder.n == 0)
        folder = CV_STR(".");
    return (cv_where){where.root, cv_arena_copy_z(a, folder)};
}

const char *cv_where_path(cv_arena *a, cv_where where)
{
    if (!where.root)
        return where.path;
    return *where.path ? cv_where_in(a, cv_where_named(where.root), where.path).path : where.root;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int open_again(int folder, const char *name, int flags)
{
    int fd;
    do
        fd = openat(folder, name, flags | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static bool is_link(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

bool cv_where_sync(int folder)
{
    int fd = open_again(folder, ".", O_RDONLY | O_DIRECTORY);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
    int number = errno;
    if (fd >= 0)
        close(fd);
    errno = number;
    return ok;
}

/* How a path is walked, component by component. */
typedef struct {
    bool follow, make;
    size_t at; /* bytes of the path up to the component that could not be opened */
    bool link; /* … because it is a link */
} steps;

static int open_step(int folder, const char *name, int flags, steps *s)
{
    int fd = open_again(folder, name, flags | (s->follow ? 0 : O_NOFOLLOW));
    int number = errno;
    if (fd < 0 && number == ENOENT && s->make && !is_link(folder, name)) {
        bool made = mkdirat(folder, name, 0777) == 0;
        if (!made && errno != EEXIST)
            return -1;
        if (made && !cv_where_sync(folder)) /* it is there for good once the folder that holds it is on disk */
            return -1;
        fd = open_again(folder, name, flags | (s->follow ? 0 : O_NOFOLLOW));
        number = errno;
    }
    /* CV_OS_HANDLE without O_DIRECTORY opens the link itself. */
    if (!s->follow &&
        (fd < 0 ? number == ELOOP || number == ENOTDIR : (flags & CV_OS_HANDLE) && !(flags & O_DIRECTORY)))
        s->link = is_link(folder, name);
    if (fd >= 0 && s->link) {
        close(fd);
        fd = -1;
        number = ELOOP;
    }
    errno = number;
    return fd;
}

/* Opens the path from `from` on, which is closed. */
static int walk(int from, const char *path, int flags, steps *s)
{
    char name[NAME_MAX + 1];
    int folder = from;
    for (const char *p = path; folder >= 0;) {
        size_t n = strcspn(p, "/"), gap = strspn(p + n, "/");
        bool last = p[n + gap] == '\0';
        s->at = (size_t)(p - path) + n;
        int next = -1;
        if (n > NAME_MAX) {
            errno = ENAMETOOLONG;
        } else {
            memcpy(name, p, n);
            name[n] = '\0';
            next = open_step(folder, n ? name : ".", last ? flags : CV_OS_HANDLE | O_DIRECTORY, s);
        }
        int number = errno;
        close(folder);
        errno = number;
        folder = next;
        p += n + gap;
        if (last)
            break;
    }
    return folder;
}

/* A folder that the user named. */
static int open_named(const char *path, int flags, steps *s)
{
    int fd = open_again(AT_FDCWD, path, flags | O_DIRECTORY);
    if (fd >= 0 || errno != ENOENT || !s->make || !*path)
        return fd;
    int from = open_again(AT_FDCWD, path[0] == '/' ? "/" : ".", CV_OS_HANDLE | O_DIRECTORY);
    return walk(from, path + strspn(path, "/"), flags | O_DIRECTORY, s);
}

/* The root that this thread holds; its handle is the number plus one, 0: none is held. */
static _Thread_local struct {
    const char *root;
    int handle;
} held;

void cv_where_hold(const char *root)
{
    assert(!held.handle && "one root at a time");
    held.root = root;
    held.handle = open_named(root, CV_OS_HANDLE, &(steps){.follow = true}) + 1;
}

void cv_where_release(void)
{
    if (held.handle)
        close(held.handle - 1);
    held.handle = 0;
}

static bool is_held(const char *root)
{
    return held.handle && (held.root == root || strcmp(held.root, root) == 0);
}

/* A handle of the root, to be closed unless it is held. */
static int open_root(const char *root, bool make)
{
    return is_held(root) ? held.handle - 1 : open_named(root, CV_OS_HANDLE, &(steps){.follow = true, .make = make});
}

static int open_below(cv_where where, int flags, bool make, steps *s)
{
    const char *path = *where.path ? where.path : ".";
    bool is_ours = is_held(where.root);
    int root = open_root(where.root, make);
    if (root < 0)
        return -1;
    *s = (steps){.make = make};
    bool shows_links =
        (flags & CV_OS_HANDLE) && !(flags & O_DIRECTORY); /* the last component may be one: the walk sees it */
    int fd = make || shows_links ? -1 : cv_os_open_below(root, path, flags | O_NOFOLLOW);
    if (fd < 0) /* the walk succeeds where openat2() is not known, or finds the component at fault */
        return walk(is_ours ? fcntl(root, F_DUPFD_CLOEXEC, 0) : root, path, flags, s);
    if (!is_ours)
        close(root);
    return fd;
}

static int fail_open(cv_where where, const steps *s, const char *what, cv_err *err)
{
    int number = errno;
    if (s->link)
        fail_link(where, s->at, err);
    else
        cv_system_fail(err, cv_where_path(err->arena, where), what, number);
    return -1;
}

/* Opening never waits: a named pipe would otherwise wait for its other end before anybody can refuse it. */
int cv_where_open(cv_where where, int flags, const char *what, cv_err *err)
{
    steps s = {0};
    flags |= flags & CV_OS_HANDLE ? 0 : O_NONBLOCK | O_NOCTTY;
    int fd = where.root ? open_below(where, flags, false, &s) : open_again(AT_FDCWD, where.path, flags);
    return fd >= 0 ? fd : fail_open(where, &s, what, err);
}

int cv_where_open_folder(cv_where where, int flags, bool make, const char *what, cv_err *err)
{
    steps s = {.follow = true, .make = make};
    int fd = where.root ? open_below(where, flags | O_DIRECTORY, make, &s) : open_named(where.path, flags, &s);
    return fd >= 0 ? fd : fail_open(where, &s, what, err);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* The folder that holds `where`, below its root; -1 with errno. */
static int open_holder(cv_where where, cv_arena *a)
{
    steps s = {0};
    return open_below(cv_where_folder(a, where), CV_OS_HANDLE | O_DIRECTORY, false, &s);
}

/* In one step where the kernel can. What is not there needs no second look. */
static bool look_at_once(cv_where where, struct stat *ret_st)
{
    int root = open_root(where.root, false);
    int fd = root < 0 ? -1 : cv_os_open_below(root, *where.path ? where.path : ".", CV_OS_HANDLE | O_NOFOLLOW);
    bool found = fd >= 0 && fstat(fd, ret_st) == 0;
    int number = errno;
    if (fd >= 0)
        close(fd);
    if (root >= 0 && !is_held(where.root))
        close(root);
    errno = number;
    return found;
}

bool cv_where_look(cv_where where, struct stat *ret_st)
{
    cv_arena a = {0};
    if (!where.root)
        return stat(where.path, ret_st) == 0;
    if (look_at_once(where, ret_st))
        return true;
    if (errno == ENOENT)
        return false;
    int folder = open_holder(where, &a);
    bool found =
        folder >= 0 && fstatat(folder, *where.path ? cv_where_name(where) : ".", ret_st, AT_SYMLINK_NOFOLLOW) == 0;
    int number = errno;
    if (folder >= 0)
        close(folder);
    cv_arena_release(&a);
    errno = number;
    return found;
}

bool cv_where_is_regular(cv_where where)
{
    struct stat st;
    return cv_where_look(where, &st) && S_ISREG(st.st_mode);
}

bool cv_where_check(cv_where where, cv_err *err)
{
    steps s = {0};
    if (!where.root)
        return true;
    int fd = open_below(where, CV_OS_HANDLE, false, &s);
    if (fd >= 0)
        close(fd);
    return !s.link || fail_link(where, s.at, err);
}

bool cv_where_unlink(cv_where where)
{
    cv_arena a = {0};
    if (!where.root)
        return unlink(where.path) == 0;
    int folder = open_holder(where, &a);
    bool done = folder >= 0 && unlinkat(folder, cv_where_name(where), 0) == 0;
    if (folder >= 0)
        close(folder);
    cv_arena_release(&a);
    return done;
}
