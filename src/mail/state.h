/* state.h - states under names: general ones in temp/, those of agents in runtime/AGENT/, the supervisor's. */
#ifndef CV_MAIL_STATE_H
#define CV_MAIL_STATE_H

#include "kit/call.h"

/* The JSON of a state; absent: there is none. `owner` is the key of an agent, or "-". */
bool cv_mail_state_text(cv_call *call, cv_str owner, cv_str name, cv_str *ret_json, cv_err *err);

#endif
