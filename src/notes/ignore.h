/* ignore.h - which files of a tree are nobody's notes: what .gitignore names, and folders of others.
 *
 *     .gitignore     *.log  /build/  !keep.log  docs/[a-c]*.md  a/b/   in each folder, the last match counts
 *     always         .git .hg .svn .conclave node_modules vendor …, *.min.js
 *
 * The patterns of a folder hold for what is below it; those of a deeper folder come after them.
 */
#ifndef CV_NOTES_IGNORE_H
#define CV_NOTES_IGNORE_H

#include "base/arena.h"

typedef struct cv_ignores cv_ignores;
struct cv_ignores {
    const cv_ignores *above; /* those of the folders above */
    cv_str folder;           /* "a/b"; "" at the top */
    struct cv_ignore_pattern *items;
    size_t count, capacity;
};

/* The patterns of a .gitignore in `folder`. */
void cv_ignores_parse(cv_arena *a, cv_str text, cv_str folder, const cv_ignores *above, cv_ignores *ret);

/* Is this path, in the same terms as `folder`, ignored? A folder above it is not asked about: it was not entered. */
bool cv_ignores_has(const cv_ignores *ignores, cv_str path, bool is_folder);

/* Folders and files of others, by their names. */
bool cv_ignores_vendored(cv_str name, bool is_folder);

#endif
