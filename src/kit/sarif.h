/* sarif.h - findings as SARIF 2.1.0, for code scanning.
 *
 * Begin once, then the results of each file, then end. All rules are in the driver, in the order of their table, so
 * that a result's ruleIndex is its rule. Columns count code points. Fixes name bytes: they replace what the file has
 * there. The invocation names what could not be read.
 */
#ifndef CV_KIT_SARIF_H
#define CV_KIT_SARIF_H

#include "base/err.h"
#include "kit/findings.h"

/* `pages`: the page about all rules, or with "/" at its end the folder with one for each; `command` is what fixes. */
void cv_sarif_begin(cv_json_writer *w, const char *version, const cv_rule_row *rules, size_t count, const char *pages,
                    const char *command);
void cv_sarif_file(cv_json_writer *w, cv_arena *a, const cv_rule_row *rules, const char *file, cv_str text,
                   const cv_findings *findings);
void cv_sarif_end(cv_json_writer *w, const cv_err *errs, size_t err_count);

#endif
