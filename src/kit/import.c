/* import.c - the words of an import; see import.h. */
#include "kit/import.h"

#define X(id, word) CV_STR_INIT(word),
static const cv_str outcome_words[] = {CV_OUTCOMES(X)};
#undef X
const cv_words cv_import_outcomes = {outcome_words, CV_OUTCOME_COUNT};
