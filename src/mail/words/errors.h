/* errors.h - what only the mail room refuses: CV_ERR_LEASE_LOST and others; see base/err.h. */
#ifndef CV_MAIL_WORDS_ERRORS_H
#define CV_MAIL_WORDS_ERRORS_H

#include "base/err.h"

#define ERR(id, word, exit, meaning) extern const cv_err_kind CV_ERR_##id[1];
#include "mail/words/err.def"
#undef ERR

/* All of them; after the last there is CV_ERR_NONE. */
extern const cv_err_code cv_mail_codes[];

#endif
