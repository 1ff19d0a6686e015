/* walk.c - the files below a folder, in byte order of their paths; see file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"

typedef struct {
    cv_arena *arena;
    const char *root; /* NULL: paths are as the user named them, links to files are followed */
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

/* A link counts as what it leads to when that is a file; links to folders would lead in circles. Below a root it counts
 * as a file, whatever it leads to. */
static bool gather_one(walker *w, int folder, const char *path, const char *name, names *found)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ||
               cv_system_fail(w->err, path, "look into the folder", errno); /* gone since: no file of ours */
    bool is_link = S_ISLNK(st.st_mode);
    if (is_link && w->root) {
        add_file(w, found, name);
        return true;
    }
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
    cv_str words = cv_str_of(path);
    bool slash = w->root && cv_str_ends(words, CV_STR("/"));
    cv_where where = {w->root, slash ? cv_arena_copy_z(w->arena, cv_str_head(words, words.n - 1)) : path};
    DIR *dir = cv_folder_open(where, "open the folder", w->err);
    if (!dir)
        return false;
    bool ok = true;
    struct dirent *entry;
    while (ok && (errno = 0, entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            ok = gather_one(w, dirfd(dir), path, entry->d_name, found);
    if (ok && errno != 0)
        ok = cv_system_fail(w->err, path, "read the folder", errno);
    closedir(dir);
    return ok;
}

static int by_bytes(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* What could not be read is reported, and the walk goes on without it. */
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

bool cv_file_is_there(cv_where where, cv_err *err)
{
    struct stat st;
    if ((!where.root && strcmp(where.path, "-") == 0) || cv_where_look(where, &st))
        return true;
    int number = errno;
    return cv_where_check(where, err) &&
           cv_system_fail(err, cv_where_path(err->arena, where), "find the file or folder", number);
}

static bool walk_from(walker *w, const char *path)
{
    cv_where where = {w->root, path};
    cv_str top = cv_str_of(path);
    struct stat st;
    if (!cv_file_is_there(where, w->err))
        return passes_over(w);
    if ((!w->root && strcmp(path, "-") == 0) || !cv_where_look(where, &st) || !S_ISDIR(st.st_mode))
        return w->visit(w->ctx, path, w->err);
    bool slash = top.n && !cv_str_ends(top, CV_STR("/"));
    return walk(w, slash ? cv_arena_join(w->arena, top, CV_STR("/")).p : path, 0);
}

bool cv_file_walk_at(cv_arena *a, cv_where top, cv_str suffix, bool (*visit)(void *ctx, const char *file, cv_err *err),
                     void *ctx, cv_err *err)
{
    walker w = {.arena = a, .root = top.root, .suffix = suffix, .visit = visit, .ctx = ctx, .err = err};
    return walk_from(&w, top.path);
}

bool cv_file_walk(cv_arena *a, const char *path, cv_str suffix, bool (*visit)(void *ctx, const char *file, cv_err *err),
                  void *ctx, cv_err *err)
{
    return cv_file_walk_at(a, cv_where_named(path), suffix, visit, ctx, err);
}

bool cv_file_walk_on(cv_arena *a, cv_where top, bool (*visit)(void *ctx, const char *file, cv_err *err),
                     void (*trouble)(void *ctx, const cv_err *err), void *ctx, cv_err *err)
{
    walker w = {.arena = a, .root = top.root, .visit = visit, .trouble = trouble, .ctx = ctx, .err = err};
    return walk_from(&w, top.path);
}

bool cv_file_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
