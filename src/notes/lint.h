/* lint.h - what is wrong with the header and the dialogs of a file, and what can be fixed.
 *
 *     text -> cv_notes_lint()      -> findings of a profile (words/rules.def), with lines, columns and fixes
 *          -> cv_notes_lint_fix()  -> the same text with these fixes: quotes, keys, forms of dates and moods
 *
 * What only looks like a dialog (in a fence, in a string) is not judged. A fix replaces the bytes of one value or one
 * key; afterwards the file says the same, or the text is left as it was. A header that must not be changed is not
 * fixed.
 */
#ifndef CV_NOTES_LINT_H
#define CV_NOTES_LINT_H

#include "kit/findings.h"
#include "notes/text/note.h"

typedef enum {
#define RULE(id, word, severity, profile, fixable, summary) CV_NOTES_RULE_##id,
#include "notes/words/rules.def"
#undef RULE
    CV_NOTES_RULE_COUNT
} cv_notes_rule;
extern const cv_rule_row cv_notes_rules[CV_NOTES_RULE_COUNT];

typedef enum {
    CV_NOTES_PROFILE_CORE,
    CV_NOTES_PROFILE_SPEC,
    CV_NOTES_PROFILE_STRICT,
    CV_NOTES_PROFILE_COUNT
} cv_notes_profile;
extern const cv_words cv_notes_profiles; /* "core", "spec", "strict" */

/* In the order of the text. */
void cv_notes_lint(cv_arena *a, const cv_notes_file *file, cv_notes_profile profile, cv_findings *ret);

/* Returns how many fixes were made; 0 leaves *ret_text the text itself. */
size_t cv_notes_lint_fix(cv_arena *a, cv_str text, cv_notes_language language, cv_notes_profile profile,
                         cv_str *ret_text);

#endif
