/* lint.h - what is wrong in a dialogue or in an expert's response.
 *
 *     text -> cv_lint_text()   -> findings of the default profile: rules.def, one page each in docs/rules
 *          -> cv_lint_fix()    -> the same text with every safe fix applied, nothing else touched
 *          -> cv_compat_check() -> upstream's twelve checks with their ids, weights and score
 *
 * A dialogue is judged by all rules; a response, which is a fragment, by those about the file and its marks. All
 * findings are reported at once. Where a real file can be read in two ways the linter keeps silent.
 */
#ifndef CV_DIALOGUE_LINT_LINT_H
#define CV_DIALOGUE_LINT_LINT_H

#include "dialogue/text/doc.h"

typedef enum {
    CV_LINT_AUTO,     /* as a wish: find out */
    CV_LINT_DIALOGUE, /* a whole document */
    CV_LINT_RESPONSE, /* marks without the structure around them */
    CV_LINT_NEITHER,  /* as an answer: nothing of ours */
    CV_LINT_KIND_COUNT
} cv_lint_kind;
extern const cv_words cv_lint_kinds; /* "auto", "dialogue", "response", "neither" */

typedef struct {
    cv_lint_kind kind;
    cv_findings findings; /* in the order of the text, with lines and columns */
} cv_lint;

/* Parses the text and judges its marks, each by itself: what every reader of a text reports, whatever kind of
 * text it is. Views and places as cv_doc_parse has them. */
void cv_lint_parse(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings);
void cv_lint_parse_apart(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings); /* doc.h */

/* `name` is the file's, because it may show the kind; it may be empty. A text that is NEITHER has one finding
 * that says so; a caller that did not ask for this file may pass over it. */
void cv_lint_text(cv_arena *a, cv_str text, cv_str name, cv_lint_kind as, cv_lint *ret_lint);

/* Applies the fixes that findings carry and ends lines with LF, again and again until nothing changes. Of two fixes
 * that overlap the first wins. Returns how many were made; 0 leaves *ret_text the text itself. */
size_t cv_lint_fix(cv_arena *a, cv_str text, cv_str name, cv_lint_kind as, cv_str *ret_text);

/* Is this all that a scaffold left behind ("[Awaiting response]", "TBD")? */
bool cv_is_placeholder(cv_str text);

/* ---- profile compat ----------------------------------------------------------------------------------------- */

typedef enum { CV_COMPAT_MINOR = 1, CV_COMPAT_MAJOR = 2, CV_COMPAT_CRITICAL = 3 } cv_compat_weight;

enum { CV_COMPAT_CHECKS = 12 };

typedef struct {
    cv_str name;
    cv_compat_weight weight;
    bool pass;
    cv_str message;
    cv_str hint; /* empty when it passes */
} cv_compat_check_result;

typedef struct {
    cv_compat_check_result checks[CV_COMPAT_CHECKS];
    int earned, total; /* weights; the score is earned / total */
    int passed, failed, critical;
    cv_str message;
} cv_compat;

void cv_compat_check(cv_arena *a, cv_str text, cv_compat *ret_compat);

/* At least 0.9 and nothing critical. */
bool cv_compat_passes(const cv_compat *compat);

/* Upstream's answer: status, message, score, checks_passed, checks_failed, details, critical_failures, as members of
 * the open object. */
void cv_compat_print_json(const cv_compat *compat, cv_json_writer *w);
cv_str cv_compat_severity(cv_compat_weight weight); /* "critical" */

#endif
