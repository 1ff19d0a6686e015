/* errors.c - what only the dialogue room refuses; see errors.h. */
#include "dialogue/words/errors.h"

#define CV_ERR_ROWS "dialogue/words/err.def"
#define CV_ERR_LIST cv_dialogue_codes
#include "base/err_table.def"
