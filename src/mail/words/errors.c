/* errors.c - what only the mail room refuses; see errors.h. */
#include "mail/words/errors.h"

#define CV_ERR_ROWS "mail/words/err.def"
#define CV_ERR_LIST cv_mail_codes
#include "base/err_table.def"
