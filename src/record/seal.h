/* seal.h - one line that stands for everything committed so far, in all rooms.
 *
 *     conclave-seal-1 42 8ea128ec235c9346 5f0c…                    commit, where the record began, hash
 *
 * The hash is folded over all commits up to that number, in the order of the feed: number, room, scope, rev and head.
 * The head stands for all events of its scope up to then, they for the rows and for the commit itself (hash.h). So
 * anyone who has the line, kept where the record's owner cannot change it, can prove later that nothing before it was
 * changed, cut off or removed, however much was written since. Where the record began, the first digits of the seal of
 * commit 1, tells a seal of another project from a record that was changed.
 */
#ifndef CV_RECORD_SEAL_H
#define CV_RECORD_SEAL_H

#include "record/record.h"

enum { CV_SEAL_ORIGIN = 16 };

typedef struct {
    int64_t number;
    char origin[CV_SEAL_ORIGIN], hash[CV_HASH_DIGITS];
} cv_seal;

/* The only seal in a text; words around it do no harm. */
bool cv_seal_read(cv_str text, cv_seal *ret_seal, cv_err *err);
cv_str cv_seal_print(cv_arena *a, const cv_seal *seal);

/* Walks along all commits: the seal of the last one (number 0: there is none), and of `until` when it is not NULL: the
 * record must have that one. */
bool cv_seal_record(cv_record *record, const cv_seal *until, cv_seal *ret_last, cv_err *err);

#endif
