/* state.h - states under names: general ones in temp/, those of agents in runtime/AGENT/, the supervisor's. */
#ifndef CV_MAIL_STATE_H
#define CV_MAIL_STATE_H

#include "kit/call.h"

/* The JSON of a state; absent: there is none. `owner` is the key of an agent, or "-". */
bool cv_mail_state_text(cv_call *call, cv_str owner, cv_str name, cv_str *ret_json, cv_err *err);

/* Is it a name that a state may have? Is it the same value, however it is written? */
bool cv_mail_state_is_name(cv_str name);
bool cv_mail_state_equal(cv_arena *a, cv_str one, cv_str other);

/* Writes the file of a state, if the record has one; `agent_id` is absent for a general one. */
bool cv_mail_state_show(cv_call *call, cv_str owner, cv_str agent_id, cv_str name, cv_err *err);

#endif
