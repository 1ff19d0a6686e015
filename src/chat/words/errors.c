/* errors.c - what only the chat room refuses; see errors.h. */
#include "chat/words/errors.h"

#define CV_ERR_ROWS "chat/words/err.def"
#define CV_ERR_LIST cv_chat_codes
#include "base/err_table.def"
