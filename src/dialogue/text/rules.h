/* rules.h - the rules for dialogue files: rules.def as numbers and as a table for the reports of kit/findings.h. */
#ifndef CV_DIALOGUE_TEXT_RULES_H
#define CV_DIALOGUE_TEXT_RULES_H

#include "kit/findings.h"

typedef enum {
#define RULE(id, word, severity, fixable, summary) CV_RULE_##id,
#include "dialogue/text/rules.def"
#undef RULE
    CV_RULE_COUNT
} cv_rule;

extern const cv_rule_row cv_rules[CV_RULE_COUNT];

#endif
