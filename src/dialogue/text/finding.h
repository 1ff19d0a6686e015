/* finding.h - what was found wrong in a text, and where.
 *
 * The parser and the linter add findings by byte offset while they read; cv_findings_place() sorts them and gives
 * them lines and columns in one walk over the text. A finding may carry a fix: the bytes from `start` to `end`
 * replaced by `fix`.
 */
#ifndef CV_DIALOGUE_TEXT_FINDING_H
#define CV_DIALOGUE_TEXT_FINDING_H

#include "base/arena.h"

typedef enum { CV_NOTE, CV_WARNING, CV_ERROR } cv_severity;

typedef enum {
#define RULE(id, word, severity, fixable, summary) CV_RULE_##id,
#include "dialogue/text/rules.def"
#undef RULE
    CV_RULE_COUNT
} cv_rule;

typedef struct {
    cv_str word;
    cv_severity severity;
    bool fixable;
    cv_str summary;
} cv_rule_row;

extern const cv_rule_row cv_rules[CV_RULE_COUNT];
extern const cv_str cv_severity_words[3]; /* note, warning, error */

typedef struct {
    cv_rule rule;
    size_t start, end;   /* bytes in the text */
    size_t line, column; /* 1-based, column in code points; set by cv_findings_place */
    cv_str message;
    cv_str hint; /* what to do */
    bool has_fix;
    cv_str fix; /* replaces start..end */
} cv_finding;

typedef struct {
    cv_finding *items;
    size_t count, capacity;
    size_t ceiling; /* 0: CV_MAX_FINDINGS */
    size_t dropped; /* beyond it: counted, not kept */
} cv_findings;

/* Adds a finding about `where`, which must be a view into `text`, and returns it for hint and fix.
 * Beyond the ceiling the finding is only counted and the returned one is forgotten. `list` may be NULL. */
cv_finding *cv_finding_add(cv_findings *list, cv_arena *a, cv_str text, cv_str where, cv_rule rule, const char *format,
                           ...) __attribute__((format(printf, 6, 7)));

/* Sorts by place and fills in lines and columns. */
void cv_findings_place(cv_findings *list, cv_str text);

#endif
