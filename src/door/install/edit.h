/* edit.h - what the editors of configurations share: texts that are cut and mended, in whatever line ends they have.
 */
#ifndef CV_DOOR_INSTALL_EDIT_H
#define CV_DOOR_INSTALL_EDIT_H

#include "base/err.h"

/* Where a value is in a text: its bytes from `start` to `end`. */
typedef struct {
    size_t start, end;
} cv_edit_range;

/* A member of our entry, as far as it is there. */
typedef struct {
    bool has_entry, has_member;
    cv_edit_range value; /* of the member, as it is written */
} cv_edit_found;

/* Where the text begins: behind its byte order mark. */
size_t cv_edit_begin(cv_str text);

/* How long the line break at `at` is; 0: there is none. */
size_t cv_edit_break(cv_str text, size_t at);

/* What ends the lines of the text: that of the first one. */
cv_str cv_edit_line_break(cv_str text);

/* The text with other bytes from `from` to `to`. */
cv_str cv_edit_replace(cv_arena *a, cv_str text, size_t from, size_t to, cv_str with);

/* A byte of the text is not as JSON has it. Always false. */
bool cv_edit_fail(cv_err *err, cv_str text, size_t at, const char *what);

#endif
