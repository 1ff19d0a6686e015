/* lint_print.h - findings for people and for programs; conclave lint uses it.
 *
 *     decision.dialogue.md:12:1: warning: 'TENSON' is nearly a marker [marker-spelling]
 *       12 | [TENSON T01: flour or rye]
 *          |  ^~~~~~
 *       hint: write 'TENSION', or put it in backticks if it is meant as text
 *
 * Text from files is shown as plain.h does it, so that no file can steer a terminal.
 */
#ifndef CV_DOOR_LINT_PRINT_H
#define CV_DOOR_LINT_PRINT_H

#include "dialogue/lint/lint.h"

/* One finding, like a compiler. */
void cv_print_finding(cv_buf *out, bool colour, const char *file, cv_str text, const cv_finding *f);

/* The line with the place, cut around it when it is long, and the carets below. */
void cv_print_place(cv_buf *out, bool colour, cv_str text, const cv_finding *f);

/* "2 errors", "1 error". */
void cv_print_count(cv_buf *out, size_t count, const char *noun);

/* One finding as a JSON object. */
void cv_print_finding_json(cv_str text, const cv_finding *f, cv_json_writer *w);

/* Code points that the finding covers on its first line. */
size_t cv_finding_width(cv_str text, const cv_finding *f);

/* What changes between two texts: "--- file", "+++ file", hunks with three lines around them. */
void cv_print_diff(cv_buf *out, cv_arena *a, bool colour, const char *file, cv_str before, cv_str after);

/* SARIF 2.1.0: begin once, then the results of each file, then end. `ok`: everything could be read. */
void cv_sarif_begin(cv_json_writer *w, const char *version);
void cv_sarif_file(cv_json_writer *w, cv_arena *a, const char *file, cv_str text, const cv_findings *findings);
void cv_sarif_end(cv_json_writer *w, const cv_err *errs, size_t err_count);

#endif
