/* known_revs.h - what this project has seen of a record that is on a server, scope by scope.
 *
 *     .conclave/seen     room/name's key, rev, head, check; one line of 124 bytes each, the highest of a scope counts
 *
 * A server can come back with less than it had: an older standby took over, a backup was put back. Only something
 * outside of it can say that it was further already. So every write that was acknowledged here, and every rev that was
 * read here, leaves a line; a process that later reads less says so (store_regressed) and writes nothing. A line is
 * appended with one write and without a sync: one that is missing says less, but nothing wrong.
 *
 * Lines that do not read as such are never taken for none: the file is refused until somebody decides
 * (`conclave accept`). The beginning of a line at the end, which a crash may leave, is cut off. When most of the lines
 * are old ones the file is written again. Who appends holds the file (flock) together with others, who cuts or writes
 * it again holds it alone.
 */
#ifndef CV_RECORD_POSTGRES_KNOWN_REVS_H
#define CV_RECORD_POSTGRES_KNOWN_REVS_H

#include "base/map.h"
#include "record/hash.h"

enum { CV_KNOWN_REV_KEY_DIGITS = 32 };

typedef struct {
    char key[CV_KNOWN_REV_KEY_DIGITS]; /* of the scope */
    int64_t rev;
    char head[CV_HASH_DIGITS];
    size_t noted; /* higher: later */
} cv_known_rev;

typedef struct {
    const char *path; /* NULL: nothing is kept */
    cv_arena arena;
    int fd;                     /* below 0: there is no file yet */
    size_t read;                /* bytes of it that are known here */
    size_t lines;               /* in them */
    size_t noted;               /* by the last mark */
    cv_map marks;               /* key -> cv_known_rev */
    const cv_known_rev *newest; /* that was noted last; NULL: none */
    bool unreadable;            /* the file has something else in it */
    bool complained;            /* that nothing can be noted */
} cv_known_revs;

void cv_known_revs_open(cv_known_revs *s, const char *path);
void cv_known_revs_close(cv_known_revs *s);

/* Reads what others have appended meanwhile. False: the file cannot be read as such. */
bool cv_known_revs_refresh(cv_known_revs *s, cv_err *err);

/* NULL: nothing of this scope was seen. */
const cv_known_rev *cv_known_revs_get(const cv_known_revs *s, const char key[CV_KNOWN_REV_KEY_DIGITS]);

/* All of them, those that were noted last first. */
const cv_known_rev **cv_known_revs_list(const cv_known_revs *s, cv_arena *a);

/* Notes a higher rev; a lower one is left alone. Trouble is logged, once for each handle: the write has been
 * done. */
void cv_known_revs_raise(cv_known_revs *s, const char key[CV_KNOWN_REV_KEY_DIGITS], int64_t rev, cv_str head);

/* Forgets everything that was seen. */
bool cv_known_revs_forget(cv_known_revs *s, cv_err *err);

#endif
