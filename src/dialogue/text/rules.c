/* rules.c - the rules for dialogue files; see rules.h. */
#include "dialogue/text/rules.h"

const cv_rule_row cv_rules[] = {
#define RULE(id, word, severity, fixable, summary) {CV_STR_INIT(word), CV_##severity, fixable, CV_STR_INIT(summary)},
#include "dialogue/text/rules.def"
#undef RULE
};
_Static_assert(CV_COUNT(cv_rules) == CV_RULE_COUNT, "a row per rule");
