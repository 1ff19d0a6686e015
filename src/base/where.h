/* where.h - where a file is, and how it may be reached.
 *
 *     {NULL, "../notes/muffin.md"}              a path that the user named: links in it are followed
 *     {"/project", "round-1/prompt-muffin.md"}  a path below a root: no component of it may be a symbolic link
 *
 * What the program derives itself, and what callers of a server name, lies below a root. Such a path is opened relative
 * to a handle of the root, and checked and used in one step: openat2() where the kernel has it, else one component
 * after the other. So nobody who swaps a folder for a link meanwhile leads the program elsewhere. A link is an error
 * that names it. The root itself is a folder that the user named; links above it are the user's own.
 *
 * Reading and writing such files is in file.h, listing and making folders in folder.h: each takes a cv_where, and most
 * have a short form for paths that the user named.
 */
#ifndef CV_BASE_WHERE_H
#define CV_BASE_WHERE_H

#include <sys/stat.h>

#include "base/system.h"

typedef struct {
    const char *root; /* NULL: `path` is as the user named it */
    const char *path; /* below a root: names with one slash between them, none of them "." or ".."; "": the root */
} cv_where;

static inline cv_where cv_where_named(const char *path)
{
    return (cv_where){NULL, path};
}

/* `path` below `root`: relative to it, or absolute and in it, whichever name of the root it uses. Refused when it is
 * empty or leads out by its own words; links are found when it is opened. */
bool cv_where_below(cv_arena *a, const char *root, cv_str path, cv_where *ret_where, cv_err *err);

/* A name in the folder, or several with slashes between them: the program's own, without "..". */
cv_where cv_where_in(cv_arena *a, cv_where folder, const char *name);
cv_where cv_where_printf(cv_arena *a, cv_where folder, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The folder that holds it. */
cv_where cv_where_folder(cv_arena *a, cv_where where);

/* The whole path, for answers and messages. */
const char *cv_where_path(cv_arena *a, cv_where where);

/* What is there; a link below a root counts as itself. False with errno: nothing, or it cannot be reached. */
bool cv_where_look(cv_where where, struct stat *ret_st);
bool cv_where_is_regular(cv_where where);

/* No component that exists is a link, or an error that names the first one. For an early answer: those who open the
 * path check it again. Always true for paths that the user named. */
bool cv_where_check(cv_where where, cv_err *err);

/* Opens what is there, to be read (O_RDONLY, O_DIRECTORY …); -1 with an error that says it could not `what`. */
int cv_where_open(cv_where where, int flags, const char *what, cv_err *err);

/* Opens the folder `where`; missing ones are made, durably, when `make` says so: the parent of each new folder is
 * synced. CV_OS_HANDLE may be among the flags. */
int cv_where_open_folder(cv_where where, int flags, bool make, const char *what, cv_err *err);

/* Brings what the open folder holds to disk; false with errno. Some file systems cannot sync a
 * folder and say so: they promise nothing that we could wait for. */
bool cv_where_sync(int folder);

/* Until it is released, this thread opens the root once, and not for each path below it: for those who have to do with
 * many files of one root. A folder that takes the root's name meanwhile does not count. */
void cv_where_hold(const char *root);
void cv_where_release(void);

/* The last name of the path. */
const char *cv_where_name(cv_where where);

bool cv_where_unlink(cv_where where);

#endif
