/* copy.h - one record into another, whatever engines they are on, scope by scope.
 *
 *     the other has no such scope     all of it is put there, as it is here
 *     … the same, at an earlier rev   the writes that it lacks are made there again, one by one, with their op_ids,
 *                                     events and hashes; texts that were redacted meanwhile are redacted there
 *     … the same                      nothing
 *     … another history               an error, before anything is written
 *
 * A copy that was interrupted goes on where it was. Volatile rows stay where they are. The order in which the scopes'
 * writes follow each other in the feed is that of the copying, so a seal of one record does not hold for the other.
 */
#ifndef CV_RECORD_COPY_H
#define CV_RECORD_COPY_H

#include "record/record.h"

/* All of them, room by room. `tell` is called before each that is not the same in both, `copied` behind each of which
 * something was written; false ends it with its error. NULL: nobody asks. */
typedef struct {
    bool (*tell)(void *ctx, size_t done, size_t total, cv_scope_id scope, cv_err *err);
    bool (*copied)(void *ctx, cv_scope_id scope, cv_err *err);
    void *ctx;
    size_t total, added, caught_up; /* scopes */
    int64_t commits;                /* of all scopes */
} cv_copying;

bool cv_record_copy(cv_record *from, cv_record *to, cv_copying *c, cv_err *err);

#endif
