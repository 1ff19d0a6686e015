/* lint_fix.c - the fixes that findings carry, applied.
 *
 * One pass lints the text, takes the fixes in the order of the text and leaves out those that begin before the last one
 * ended. A fix may uncover another one, so passes repeat until none is left. Every byte outside of a fix stays.
 */
#include "base/limits.h"
#include "dialogue/lint/linter.h"

bool cv_finding_fixable(const cv_finding *f)
{
    return f->has_fix || f->rule == CV_RULE_CARRIAGE_RETURN;
}

/* All carriage returns before a line feed go: that is one finding for the whole file. */
static size_t end_lines(cv_arena *a, cv_str *text)
{
    if (cv_str_find(*text, CV_STR("\r\n")) == SIZE_MAX)
        return 0;
    char *to = cv_arena_alloc(a, text->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++) {
        to[n++] = text->p[i];
        if (text->p[i] == '\n') {
            n--;
            while (n > 0 && to[n - 1] == '\r')
                n--;
            to[n++] = '\n';
        }
    }
    *text = (cv_str){to, n};
    return 1;
}

static bool changes(cv_str text, const cv_finding *f)
{
    return f->has_fix && !cv_str_eq(cv_str_range(text.p + f->start, text.p + f->end), f->fix);
}

static size_t apply(cv_arena *a, cv_str *text, const cv_findings *findings)
{
    size_t made = 0, at = 0, n = 0, room = text->n;
    for (size_t i = 0; i < findings->count; i++)
        room += findings->items[i].has_fix ? findings->items[i].fix.n : 0;
    char *to = cv_arena_alloc(a, room + 1);
    for (size_t i = 0; i < findings->count; i++) {
        const cv_finding *f = &findings->items[i];
        if (!changes(*text, f) || f->start < at)
            continue;
        memcpy(to + n, text->p + at, f->start - at);
        n += f->start - at;
        if (f->fix.n)
            memcpy(to + n, f->fix.p, f->fix.n);
        n += f->fix.n;
        at = f->end;
        made++;
    }
    if (made == 0)
        return 0;
    memcpy(to + n, text->p + at, text->n - at);
    *text = (cv_str){to, n + text->n - at};
    return made;
}

/* One pass in an arena of its own; the new text goes to `a`. */
static size_t fix_once(cv_arena *a, cv_str *text, cv_str name, cv_lint_kind as)
{
    cv_arena pass = {0};
    cv_lint lint = {.findings.ceiling = CV_MAX_FIXES};
    size_t made = 0;
    cv_lint_run(&pass, *text, name, as, &lint);
    if (lint.kind != CV_LINT_NEITHER)
        made = apply(a, text, &lint.findings) + end_lines(a, text);
    cv_arena_release(&pass);
    return made;
}

size_t cv_lint_fix(cv_arena *a, cv_str text, cv_str name, cv_lint_kind as, cv_str *ret_text)
{
    size_t all = 0, made = 1;
    *ret_text = text;
    for (int pass = 0; made > 0 && pass < CV_MAX_FIX_PASSES; pass++) {
        made = fix_once(a, ret_text, name, as);
        all += made;
    }
    return all;
}
