/* render.h - prompts and reports from templates in .conclave/mail/templates. */
#ifndef CV_MAIL_RENDER_H
#define CV_MAIL_RENDER_H

#include "kit/call.h"

/* The text that an input means: `text` as it is, or `template` rendered with `context`; a fault when it has both or
 * neither. *ret_template: the name of the template; absent: none. Templates also see supervisor_state, unless the
 * context has another one. Faults go to call->errs: with `strict` every missing name. */
bool cv_mail_text_of(cv_call *call, cv_str *ret_text, cv_str *ret_template);

#endif
