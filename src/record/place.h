/* place.h - the file of a record, before it is opened. */
#ifndef CV_RECORD_PLACE_H
#define CV_RECORD_PLACE_H

#include "base/arena.h"

/* What the names of the files of a record end with, behind that of the database: first "", the database itself. */
extern const cv_words cv_record_files;

/* Can it be read, but not written, or its folder not? */
bool cv_record_is_frozen(cv_arena *a, const char *path);

/* What to do where a record is expected and its file is not there, or empty; every caller that finds it says the
 * same. */
cv_str cv_record_missing_advice(cv_arena *a, const char *path);

#endif
