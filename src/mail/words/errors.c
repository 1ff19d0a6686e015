/* errors.c - what only the mail room refuses; see errors.h. */
#include "mail/words/errors.h"

#define ERR(id, word, exit, meaning)                                                                                   \
    const cv_err_kind CV_ERR_##id[1] = {{CV_STR_INIT(word), exit, CV_STR_INIT(meaning)}};
#include "mail/words/err.def"
#undef ERR

const cv_err_code cv_mail_codes[] = {
#define ERR(id, word, exit, meaning) CV_ERR_##id,
#include "mail/words/err.def"
#undef ERR
    CV_ERR_NONE,
};
