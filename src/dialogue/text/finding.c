/* finding.c - what was found wrong in a text; see finding.h. */
#include "dialogue/text/finding.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"

const cv_rule_row cv_rules[CV_RULE_COUNT] = {
#define RULE(id, word, severity, fixable, summary) {CV_STR_INIT(word), CV_##severity, fixable, CV_STR_INIT(summary)},
#include "dialogue/text/rules.def"
#undef RULE
};

const cv_str cv_severity_words[3] = {CV_STR_INIT("note"), CV_STR_INIT("warning"), CV_STR_INIT("error")};

cv_finding *cv_finding_add(cv_findings *list, cv_arena *a, cv_str text, cv_str where, cv_rule rule, const char *format,
                           ...)
{
    if (!list || list->count >= (list->ceiling ? list->ceiling : CV_MAX_FINDINGS)) {
        if (list)
            list->dropped++;
        return CV_NEW(a, cv_finding);
    }
    va_list args;
    va_start(args, format);
    cv_finding *f = CV_PUSH(a, list);
    *f = (cv_finding){.rule = rule,
                      .start = (size_t)(where.p - text.p),
                      .end = (size_t)(where.p - text.p) + where.n,
                      .message = cv_arena_vprintf(a, format, args)};
    va_end(args);
    return f;
}

static int by_place(const void *x, const void *y)
{
    const cv_finding *a = x, *b = y;
    int order = CV_ORDER(a->start, b->start);
    return order ? order : CV_ORDER(a->rule, b->rule);
}

void cv_findings_place(cv_findings *list, cv_str text)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_place);
    size_t line = 1, at = 0, column = 1;
    for (size_t i = 0; i < list->count; i++) {
        cv_finding *f = &list->items[i];
        for (const char *nl; at < f->start && (nl = memchr(text.p + at, '\n', f->start - at));) {
            line++;
            at = (size_t)(nl - text.p) + 1;
            column = 1;
        }
        column += cv_utf8_count((cv_str){text.p + at, f->start - at});
        at = f->start;
        f->line = line;
        f->column = column;
    }
}
