/* schemas.h - the files of schemas/, as they are inside the program.
 *
 * tools/embed-schemas makes build/gen/schemas.c from them; the rows are sorted by name.
 */
#ifndef CV_OPS_SCHEMAS_H
#define CV_OPS_SCHEMAS_H

#include "base/str.h"

typedef struct {
    const char *name; /* "dialogue_create" */
    cv_str text;
} cv_schema_file;

extern const cv_schema_file cv_schema_files[];
extern const size_t cv_schema_file_count;

#endif
