/* diff.h - what changes between two texts, as a unified diff: "--- file", "+++ file", hunks with three lines around
 * them.
 *
 * Fixes never add or remove lines, so line n before is line n after and no search for common lines is needed. If the
 * numbers differ anyway, everything behind the common beginning is one change.
 */
#ifndef CV_KIT_DIFF_H
#define CV_KIT_DIFF_H

#include "base/arena.h"
#include "base/buf.h"

void cv_diff_print(cv_buf *out, cv_arena *a, bool colour, const char *file, cv_str before, cv_str after);

#endif
