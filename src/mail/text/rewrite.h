/* rewrite.h - the pass of repair.h over the value: its two halves meet here. */
#ifndef CV_MAIL_TEXT_REWRITE_H
#define CV_MAIL_TEXT_REWRITE_H

#include "mail/text/repair.h"

/* Writes the value in `s`, a part of `whole`, as strict JSON into ret->text, and notes what it repaired. False:
 * ret->state and err say why not. */
bool cv_mtext_rewrite(cv_arena *a, cv_str whole, cv_str s, cv_mtext *ret, cv_err *err);

/* The length of the placeholder that `s` begins with, or 0. */
size_t cv_mtext_placeholder_at(cv_str s);

/* The same of a call that nobody made: uuid4(), datetime.now().isoformat(), new Date(). It is on one line. */
size_t cv_mtext_call_at(cv_str s);

#endif
