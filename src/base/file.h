/* file.h - reading files whole, writing them durably, walking folders.
 *
 * Reading checks before it believes: a regular file (or standard input, "-"), below the ceiling, valid UTF-8
 * without NUL bytes. Nothing is cut, nothing is guessed.
 *
 * Writing is all or nothing: a temporary file in the same folder, fdatasync, rename, sync of the folder, and only then
 * success. After a failure the old file is untouched and no half file is left; only when the last step fails,
 * the sync of the folder, the new file is there already, whole, and the error says so. It is the only code in the
 * program that writes files. An existing file keeps its permissions. Folders, pipes, devices and files without write
 * permission are refused.
 *
 * A file is found by a path that the user named, where links are followed and a link stays a link, or by a cv_where
 * (base/where.h), which may lie below a root: then a link is an error.
 */
#ifndef CV_BASE_FILE_H
#define CV_BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/where.h"

/* The bytes of `path` ("-": standard input) in the arena. */
bool cv_file_read_at(cv_arena *a, cv_where where, size_t ceiling, cv_str *ret_bytes, cv_err *err);
bool cv_file_read(cv_arena *a, const char *path, size_t ceiling, cv_str *ret_bytes, cv_err *err);

/* The same, and it must be text: err says file, line and column of the first bad byte. */
bool cv_file_read_text_at(cv_arena *a, cv_where where, cv_str *ret_text, cv_err *err);
bool cv_file_read_text(cv_arena *a, const char *path, cv_str *ret_text, cv_err *err);

/* Valid UTF-8 without NUL, or an error with line and column. */
bool cv_text_check(cv_str text, cv_err *err);

/* Replaces or makes `path`, durably and whole. */
bool cv_file_write(const char *path, cv_str bytes, cv_err *err);

/* For files that somebody else may write or edit as well: what is there goes only if it is known, even when it came
 * there a moment ago; else it is kept beside the new one as NAME.before-1, -2 … Known is what this writer wrote by
 * these rules and nobody has edited since (the file carries a digest as an extended attribute), an empty file, and
 * whatever `is_ours` says. What another process has open for writing is kept in any case. */
typedef struct {
    cv_arena *arena;
    /* `unmarked`: this file system has no attributes, so that nothing is known from them. NULL: nothing else is ours.
     */
    bool (*is_ours)(void *ctx, cv_str bytes, bool unmarked);
    void *ctx;
    bool gives_way;              /* what is not known stays where it is, and the new file goes: file_changed */
    bool once;                   /* a new file is never written again: it need not carry a digest */
    const struct timespec *time; /* of the last change that the new file shows, from the first moment on; NULL: now */
    struct {
        const char **items;
        size_t count, capacity;
    } kept; /* the paths of what was kept */
} cv_file_rules;

bool cv_file_write_at(cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err); /* rules NULL: replaces */

/* The same for what is its owner's alone: a new file has the permissions 0600, whatever the umask. */
bool cv_file_write_private(cv_where where, cv_str bytes, cv_err *err);

/* An empty file of our own next to `target`, with the permissions 0600 and a name that nobody else uses at the same
 * time, be it another process or another thread. */
bool cv_file_temporary(cv_arena *a, const char *target, const char **ret_path, cv_err *err);

/* Moves the file `from`, which is on disk already, to `to` on the same file system, durably. A file of that name is
 * replaced, or with `over` false an error. */
bool cv_file_place(const char *from, cv_where to, bool over, cv_err *err);

/* Gives the file another name on the same file system, durably, and never over another file: of several who do so at
 * the same time one succeeds. A link is moved as itself. */
bool cv_file_move(cv_where from, cv_where to, cv_err *err);

/* Does a process, perhaps this one, have the file open for writing? A file that cannot be looked at is not. */
bool cv_file_is_being_written(cv_where where);

/* Calls `visit` for every regular file below `top` whose name ends in `suffix`, in byte order of the paths; a file
 * given as `top` itself is visited whatever its name. Hidden folders, node_modules and symbolic links to folders are
 * skipped; a folder that cannot be read ends the walk with an error. `visit` gets the path of the file, below the root
 * that `top` has; returning false ends the walk, which then returns false with visit's error. Below a root links are
 * not followed: one that is named like a file is visited, and opening it gives the error. */
bool cv_file_walk_at(cv_arena *a, cv_where top, cv_str suffix, bool (*visit)(void *ctx, const char *file, cv_err *err),
                     void *ctx, cv_err *err);
bool cv_file_walk(cv_arena *a, const char *path, cv_str suffix, bool (*visit)(void *ctx, const char *file, cv_err *err),
                  void *ctx, cv_err *err);

/* The same for all files, but what cannot be read is handed to `trouble` and skipped; only `visit` ends the walk.
 */
bool cv_file_walk_on(cv_arena *a, cv_where top, bool (*visit)(void *ctx, const char *file, cv_err *err),
                     void (*trouble)(void *ctx, const cv_err *err), void *ctx, cv_err *err);

bool cv_file_is_folder(const char *path);

/* Something is there (or it is "-", standard input), or an error with the path. */
bool cv_file_is_there(cv_where where, cv_err *err);

/* A part of a name that is given out once: by its process, a count and a random number. */
const char *cv_file_unique(cv_arena *a);

/* Is this the name of a file that is being written, by any process? */
bool cv_file_is_temporary(const char *name);

/* Is this the name of a temporary file (or of SQLite's files beside one) whose process has ended? */
bool cv_file_is_leftover(const char *name);

/* What the durable writer asks of the system, in order; a test replaces it to make the n-th call fail. Names are names
 * in the open folder. */
typedef struct {
    int (*open)(int folder, const char *path, int flags, unsigned mode);
    long (*write)(int fd, const void *bytes, size_t n);
    int (*sync)(int fd);
    int (*close)(int fd);
    int (*rename)(int folder, const char *from, const char *to, unsigned flags); /* of cv_os_rename() */
} cv_file_calls;
bool cv_file_write_with(const cv_file_calls *calls, cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err);

/* The system's, except the sync: for what can be written again. Readers still see a file whole or not at all. */
extern const cv_file_calls cv_file_unsynced;

/* ---- writing in pieces -------------------------------------------------------------------------------------------
 *
 *     cv_file_writer w;
 *     if (!cv_file_begin(&w, NULL, where, NULL, err))
 *         return false;
 *     cv_buf_add(&w.out, …);                    any number of times; full pages go to the temporary file
 *     return cv_file_commit(&w, err);           or cv_file_rollback(&w): as if nothing had been
 *
 * The same steps and promises as cv_file_write, with one page of memory however much is written. Every begin is ended
 * by one commit or rollback. The error's arena of begin must live until then. */
typedef struct {
    cv_buf out;
    struct cv_file_job *job;
} cv_file_writer;

/* calls NULL: the system's; rules NULL: replaces */
bool cv_file_begin(cv_file_writer *w, const cv_file_calls *calls, cv_where where, cv_file_rules *rules, cv_err *err);
bool cv_file_commit(cv_file_writer *w, cv_err *err);
void cv_file_rollback(cv_file_writer *w);

#endif
