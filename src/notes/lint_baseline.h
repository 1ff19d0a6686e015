/* lint_baseline.h - findings that are known already, in a file of lines that git can compare:
 *
 *     # conclave notes lint: findings that are known
 *     message-length 3f0c8a1b9d2e 1 docs/garden.md
 *
 * A finding is known by its rule, its file and the text of its line, so it stays known when lines move, and is reported
 * again when its line changes. The number says how many such lines the file has.
 */
#ifndef CV_NOTES_LINT_BASELINE_H
#define CV_NOTES_LINT_BASELINE_H

#include "base/map.h"
#include "base/where.h"
#include "kit/findings.h"

typedef struct {
    cv_map counts; /* a line without its number -> how many are left */
    cv_buf lines;
} cv_notes_baseline;

bool cv_notes_baseline_read(cv_arena *a, cv_where where, cv_notes_baseline *ret, cv_err *err);

/* Takes the findings that are known out of the list; returns how many these were. */
size_t cv_notes_baseline_filter(cv_arena *a, cv_notes_baseline *known, const cv_rule_row *rules, cv_str path,
                                cv_str text, cv_findings *findings);

/* Adds the findings of a file, as lines. */
void cv_notes_baseline_add(cv_arena *a, cv_notes_baseline *to, const cv_rule_row *rules, cv_str path, cv_str text,
                           const cv_findings *findings);
bool cv_notes_baseline_write(cv_arena *a, cv_where where, cv_notes_baseline *all, cv_err *err);

#endif
