/* seal.h - one line that stands for everything committed so far.
 *
 *     conclave-seal-1 42 8ea128ec235c9346 5f0c…                    commit, where the record began, hash
 *
 * The hash is folded over all commits up to that number, in order: number, dialogue, rev, head and the digest of the
 * row in ops (record/chain.h). The head stands for all events of its dialogue up to then, and they for the rows. So who
 * has the line, kept where the record's owner cannot change it, can prove later that nothing before it was changed, cut
 * off or removed, however much was written since. Where the record began, the first digits of the seal of commit 1,
 * tells a seal of another project from a record that was changed.
 */
#ifndef CV_DIALOGUE_VERIFY_SEAL_H
#define CV_DIALOGUE_VERIFY_SEAL_H

#include "record/call.h"

enum { CV_SEAL_ORIGIN = 16 };

typedef struct {
    int64_t number;
    char origin[CV_SEAL_ORIGIN], hash[CV_HASH_LEN];
} cv_seal;

/* The only seal in a text; words around it do no harm. */
bool cv_seal_read(cv_str text, cv_seal *ret_seal, cv_err *err);
cv_str cv_seal_print(cv_arena *a, const cv_seal *seal);

/* Walks along all commits: they are numbered without gaps, and each has its events. The seal of the last one, and of
 * `until` when it is not NULL: the record must have that one. */
bool cv_seal_commits(cv_call *call, const cv_seal *until, cv_seal *ret_last, cv_err *err);

#endif
