/* walk.c - the files below a folder, in byte order of their paths; see file.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"

typedef struct {
    cv_arena *arena;
    cv_str suffix;
    bool (*visit)(void *ctx, const char *file, cv_err *err);
    void (*trouble)(void *ctx, const cv_err *err); /* NULL: trouble ends the walk */
    void *ctx;
    cv_err *err;
} walker;

/* Folders carry a slash at the end of their name: sorted like this, files and folders come in the order of the whole
 * paths ("a-b.md" before "a/x.md" before "a0.md"). */
typedef struct {
    const char **items;
    size_t count, capacity;
} names;

static bool fail(cv_err *err, const char *path, const char *what, int number)
{
    cv_err_set(err, number == ENOENT || number == ENOTDIR ? CV_ERR_NOT_FOUND : CV_ERR_IO, "cannot %s: %s", what,
               strerror(number));
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, number == EACCES ? CV_STR("check its permissions") : CV_STR("check the path"));
    return false;
}

static bool is_passed_over(const char *folder)
{
    return folder[0] == '.' || strcmp(folder, "node_modules") == 0;
}

static void add_folder(walker *w, names *found, const char *name)
{
    if (!is_passed_over(name))
        *CV_PUSH(w->arena, found) = cv_arena_join(w->arena, cv_str_of(name), CV_STR("/")).p;
}

static void add_file(walker *w, names *found, const char *name)
{
    if (cv_str_ends(cv_str_of(name), w->suffix))
        *CV_PUSH(w->arena, found) = cv_arena_copy_z(w->arena, cv_str_of(name));
}

/* A link counts as what it leads to when that is a file; links to folders would lead in circles. */
static bool gather_one(walker *w, int folder, const char *path, const char *name, names *found)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || fail(w->err, path, "look into the folder", errno); /* gone since: no file of ours */
    bool is_link = S_ISLNK(st.st_mode);
    if (is_link && fstatat(folder, name, &st, 0) != 0)
        return true;
    if (S_ISDIR(st.st_mode) && !is_link)
        add_folder(w, found, name);
    else if (S_ISREG(st.st_mode))
        add_file(w, found, name);
    return true;
}

static bool gather(walker *w, const char *path, names *found)
{
    DIR *dir = opendir(path);
    if (!dir)
        return fail(w->err, path, "open the folder", errno);
    bool ok = true;
    struct dirent *entry;
    while (ok && (errno = 0, entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            ok = gather_one(w, dirfd(dir), path, entry->d_name, found);
    if (ok && errno != 0)
        ok = fail(w->err, path, "read the folder", errno);
    closedir(dir);
    return ok;
}

static int by_bytes(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* What could not be read is told, and the walk goes on without it. */
static bool passes_over(walker *w)
{
    if (w->trouble)
        w->trouble(w->ctx, w->err);
    return w->trouble != NULL;
}

/* `path` ends in a slash. The folder is read and closed before we go deeper: depth costs no descriptors. */
static bool walk(walker *w, const char *path, int depth)
{
    if (depth > CV_MAX_WALK_DEPTH) {
        cv_err_set(w->err, CV_ERR_TOO_LARGE, "folders are nested deeper than %d", CV_MAX_WALK_DEPTH);
        cv_err_file(w->err, cv_str_of(path));
        cv_err_suggest(w->err, CV_STR("name a folder further down"));
        return passes_over(w);
    }
    names found = {0};
    if (!gather(w, path, &found))
        return passes_over(w);
    if (found.count)
        qsort(found.items, found.count, sizeof *found.items, by_bytes);
    for (size_t i = 0; i < found.count; i++) {
        cv_str name = cv_str_of(found.items[i]);
        const char *below = cv_arena_join(w->arena, cv_str_of(path), name).p;
        bool ok = cv_str_ends(name, CV_STR("/")) ? walk(w, below, depth + 1) : w->visit(w->ctx, below, w->err);
        if (!ok)
            return false;
    }
    return true;
}

bool cv_file_is_there(const char *path, cv_err *err)
{
    struct stat st;
    return strcmp(path, "-") == 0 || stat(path, &st) == 0 || fail(err, path, "find the file or folder", errno);
}

static bool walk_from(walker *w, const char *path)
{
    cv_str top = cv_str_of(path);
    if (!cv_file_is_there(path, w->err))
        return passes_over(w);
    if (strcmp(path, "-") == 0 || !cv_file_is_folder(path))
        return w->visit(w->ctx, path, w->err);
    return walk(w, cv_str_ends(top, CV_STR("/")) ? path : cv_arena_join(w->arena, top, CV_STR("/")).p, 0);
}

bool cv_file_walk(cv_arena *a, const char *path, cv_str suffix, bool (*visit)(void *ctx, const char *file, cv_err *err),
                  void *ctx, cv_err *err)
{
    walker w = {.arena = a, .suffix = suffix, .visit = visit, .ctx = ctx, .err = err};
    return walk_from(&w, path);
}

bool cv_file_walk_on(cv_arena *a, const char *path, bool (*visit)(void *ctx, const char *file, cv_err *err),
                     void (*trouble)(void *ctx, const cv_err *err), void *ctx, cv_err *err)
{
    walker w = {.arena = a, .visit = visit, .trouble = trouble, .ctx = ctx, .err = err};
    return walk_from(&w, path);
}

bool cv_file_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
