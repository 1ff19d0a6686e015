/* scope_input.h - what operations over all rooms take alike: a room, a scope of it, and who wrote.
 *
 *     --room R             one of the rooms that keep something: an unknown one is refused, with the list
 *     --scope S            a scope by its name; it needs a room, because names are a room's own
 */
#ifndef CV_PROJECT_SCOPE_INPUT_H
#define CV_PROJECT_SCOPE_INPUT_H

#include "kit/call.h"

/* input.room and input.scope; both may be absent. False: call->errs says why. */
bool cv_scopes_given(cv_call *call, cv_scope_id *ret_scope);

/* There is no scope of this name: the error says so, with the names that are near or the first ones. Always false. */
bool cv_scopes_missing(cv_call *call, cv_scope_id scope);

/* Who made the commit of this rev: the agent of its events, else their actors; each once. JSON list. */
bool cv_scopes_who(cv_call *call, cv_scope_id scope, int64_t rev, cv_str *ret_list, cv_err *err);

#endif
