/* lint.c - the default profile: what kind of text it is, the rules for that kind, and their fixes applied; see lint.h.
 */
#include <assert.h>

#include "base/limits.h"
#include "dialogue/lint/linter.h"

static const cv_str kind_words[] = {CV_STR_INIT("auto"), CV_STR_INIT("dialogue"), CV_STR_INIT("response"),
                                    CV_STR_INIT("neither")};
const cv_words cv_lint_kinds = {kind_words, CV_LINT_KIND_COUNT};
_Static_assert(CV_COUNT(kind_words) == CV_LINT_KIND_COUNT, "a word per kind");

/* ---- kind ------------------------------------------------------------------------------------------------------- */

static bool is_blank(cv_str text)
{
    if (cv_str_starts(text, CV_STR("\xEF\xBB\xBF")))
        text = cv_str_from(text, 3);
    return cv_str_trim(text).n == 0;
}

static bool is_dialogue(const cv_doc *doc, cv_str name)
{
    if (cv_doc_meta(doc, CV_STR("Part of")).n > 0) /* a scoreboard of its own, a summary */
        return false;
    if (cv_str_find(name, CV_STR(".dialogue.")) != SIZE_MAX || cv_doc_meta(doc, CV_STR("Participants")).n > 0 ||
        cv_doc_meta(doc, CV_STR("Draft")).n > 0)
        return true;
    for (size_t i = 0; i < doc->sections.count; i++)
        if (doc->sections.items[i].kind <= CV_SECTION_ROUND)
            return true;
    return false;
}

/* Marks, or what was meant as such: a response whose only markers are misspelt must not be skipped. */
static bool has_marks(const cv_doc *doc, const cv_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].rule == CV_RULE_MARKER_SPELLING)
            return true;
    return doc->mark_count > 0;
}

static cv_lint_kind find_kind(const cv_doc *doc, const cv_findings *findings, cv_str name, cv_lint_kind as)
{
    if (as == CV_LINT_DIALOGUE || (as == CV_LINT_AUTO && is_dialogue(doc, name)))
        return CV_LINT_DIALOGUE;
    return has_marks(doc, findings) ? CV_LINT_RESPONSE : CV_LINT_NEITHER;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* A mark without an id in the middle of a sentence is a quotation: "use [PERSPECTIVE Pnn: label]". */
static void drop_quotations(cv_linter *l)
{
    cv_findings *all = l->findings;
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < all->count; i++) {
        const cv_finding *f = &all->items[i];
        while (next < l->marks.count && l->marks.items[next].mark->start < f->start)
            next++;
        bool quoted = f->rule == CV_RULE_MARKER_NO_ID && next < l->marks.count &&
                      l->marks.items[next].mark->start == f->start && !l->marks.items[next].leads;
        if (!quoted)
            all->items[kept++] = *f;
    }
    all->count = kept;
}

/* Of a fragment only the file and the marks are judged. */
static bool is_for_response(unsigned rule)
{
    return rule <= CV_RULE_VERDICT_TYPE || rule == CV_RULE_ID_DUPLICATE;
}

static void keep_for_response(cv_findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (is_for_response(findings->items[i].rule))
            findings->items[kept++] = findings->items[i];
    findings->count = kept;
}

static void lint_kind(cv_linter *l, cv_lint_kind kind)
{
    cv_str text = l->doc->text;
    switch (kind) {
    case CV_LINT_DIALOGUE:
        l->tables = cv_lint_read_tables(l->a, l->doc);
        l->marks = cv_lint_read_marks(l->a, l->doc);
        drop_quotations(l);
        cv_lint_structure(l);
        cv_lint_placeholders(l);
        cv_lint_ids(l);
        cv_lint_boards(l);
        cv_lint_records(l);
        break;
    case CV_LINT_RESPONSE:
        keep_for_response(l->findings);
        l->marks = cv_lint_read_marks(l->a, l->doc);
        drop_quotations(l);
        cv_lint_ids(l);
        break;
    case CV_LINT_NEITHER:
    case CV_LINT_AUTO:
    case CV_LINT_KIND_COUNT:
        l->findings->count = 0;
        CV_LINT(l, cv_str_head(text, 0), CV_RULE_NOT_A_DIALOGUE, "no rounds, no known sections, no markers")->hint =
            CV_STR("'conclave spec' prints the format; --as dialogue lints it anyway");
        break;
    }
}

/* ret_lint->findings.ceiling is the caller's. */
static void lint(cv_arena *a, cv_str text, cv_str name, cv_lint_kind as, cv_lint *ret_lint)
{
    cv_doc doc;
    if (!text.p)
        text = CV_STR("");
    cv_lint_parse(a, text, &doc, &ret_lint->findings);
    cv_linter l = {.a = a, .doc = &doc, .findings = &ret_lint->findings};
    ret_lint->kind = find_kind(&doc, &ret_lint->findings, name, as);
    if (is_blank(text)) {
        ret_lint->findings.count = 0;
        CV_LINT(&l, cv_str_head(text, 0), CV_RULE_EMPTY_FILE, "the file has no text")->hint =
            CV_STR("'conclave spec' prints the format of a dialogue");
    } else {
        lint_kind(&l, ret_lint->kind);
    }
    cv_findings_place(&ret_lint->findings, text);
}

void cv_lint_text(cv_arena *a, cv_str text, cv_str name, cv_lint_kind as, cv_lint *ret_lint)
{
    *ret_lint = (cv_lint){0};
    lint(a, text, name, as, ret_lint);
}

/* ---- fixes ------------------------------------------------------------------------------------------------------- */

/* One pass lints the text, takes the fixes in the order of the text and leaves out those that begin before the last one
 * ended. A fix may uncover another one, so passes repeat until none is left. Every byte outside of a fix stays. */

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
        assert(at <= f->start && f->end <= text->n);
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
    assert(n + text->n - at <= room);
    *text = (cv_str){to, n + text->n - at};
    return made;
}

/* One pass in an arena of its own; the new text goes to `a`. */
static size_t fix_once(cv_arena *a, cv_str *text, cv_str name, cv_lint_kind as)
{
    cv_arena pass = {0};
    cv_lint found = {.findings.ceiling = CV_MAX_FIXES};
    size_t made = 0;
    lint(&pass, *text, name, as, &found);
    if (found.kind != CV_LINT_NEITHER)
        made = apply(a, text, &found.findings) + end_lines(a, text);
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
