/* target.h - what a request asks for, decoded.
 *
 *     "/api/mail/inbox?agent_id=a%20b&all"  ->  the path "/api/mail/inbox", and (agent_id, "a b"), (all, absent)
 *
 * Nothing is cut, mended or guessed: what does not stand for a text in UTF-8 is a fault that names the path or the
 * parameter. The library's own decoding leaves a lone % as it is and ends a text at its first NUL.
 */
#ifndef CV_DOOR_HTTP_TARGET_H
#define CV_DOOR_HTTP_TARGET_H

#include "base/arena.h"
#include "base/err.h"

/* What is before the question mark. */
bool cv_target_path(cv_arena *a, cv_str target, cv_str *ret_path, cv_err *err);

/* What is behind it, in its order; without a sign '=' a parameter has no value (a NULL view). Ends at the first fault.
 */
bool cv_target_each(cv_arena *a, cv_str target, void (*visit)(void *ctx, cv_str name, cv_str value), void *ctx,
                    cv_err *err);

/* Parameters as a reader counts that knows nothing of faults: one more than there are signs '&'. */
size_t cv_target_count(cv_str target);

#endif
