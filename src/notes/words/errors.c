/* errors.c - what only the notes room refuses; see errors.h. */
#include "notes/words/errors.h"

#define CV_ERR_ROWS "notes/words/err.def"
#define CV_ERR_LIST cv_notes_codes
#include "base/err_table.def"
