/* errors.h - what only the chat room refuses: CV_ERR_CHAT_CLOSED and others; see base/err.h. */
#ifndef CV_CHAT_WORDS_ERRORS_H
#define CV_CHAT_WORDS_ERRORS_H

#include "base/err.h"

#define ERR(id, word, exit, meaning) extern const cv_err_kind CV_ERR_##id[1];
#include "chat/words/err.def"
#undef ERR

/* All of them; after the last there is CV_ERR_NONE. */
extern const cv_err_code cv_chat_codes[];

#endif
