/* errors.c - what only the chat room refuses; see errors.h. */
#include "chat/words/errors.h"

#define ERR(id, word, exit, meaning)                                                                                   \
    const cv_err_kind CV_ERR_##id[1] = {{CV_STR_INIT(word), exit, CV_STR_INIT(meaning)}};
#include "chat/words/err.def"
#undef ERR

const cv_err_code cv_chat_codes[] = {
#define ERR(id, word, exit, meaning) CV_ERR_##id,
#include "chat/words/err.def"
#undef ERR
    CV_ERR_NONE,
};
