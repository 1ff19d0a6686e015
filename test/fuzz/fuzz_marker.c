/* fuzz_marker.c - any bytes: every line is of one kind, and every mark lies where it says.
 *
 * Marks come in the order of the text, do not overlap, begin with a bracket on the line they name, and their bodies lie
 * behind them. Findings lie inside the text, in order. One line classified alone is what it is in a text of its own.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "dialogue/lint/lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define need(holds)                                                                                                    \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #holds);                                                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static bool inside(cv_str outer, cv_str inner)
{
    return inner.n == 0 || (inner.p >= outer.p && inner.p + inner.n <= outer.p + outer.n);
}

static void check_lines(cv_str text)
{
    cv_lines lines = {.text = text};
    cv_line line, alone;
    size_t count = 0;
    const char *last = text.p;
    while (cv_lines_next(&lines, &line)) {
        need(line.number == ++count && line.kind < CV_LINE_KIND_COUNT);
        need(inside(text, line.text) && inside(line.text, line.trimmed) && line.text.p >= last);
        bool named = line.kind >= CV_LINE_HEADING1 && line.kind <= CV_LINE_AGENT;
        bool valued = line.kind == CV_LINE_METADATA || line.kind == CV_LINE_AGENT;
        need(!named || inside(line.text, line.name));
        need(!valued || inside(line.text, line.value));
        need(line.kind != CV_LINE_AGENT || inside(line.text, line.role));
        need(line.kind != CV_LINE_MARKER || line.mark_at < line.text.n);
        need(!line.fenced || line.kind == CV_LINE_CONTENT);
        last = line.text.p + line.text.n;
        cv_line_classify(line.text, NULL, &alone);
        need(line.fenced || alone.kind == line.kind);
        need(!named || cv_str_eq(alone.name, line.name));
        need(!valued || cv_str_eq(alone.value, line.value));
        need(line.kind != CV_LINE_ROUND || alone.round == line.round);
    }
    size_t newlines = 0;
    for (size_t i = 0; i < text.n; i++)
        newlines += text.p[i] == '\n';
    need(count == newlines + (text.n > 0 && text.p[text.n - 1] != '\n'));
}

static void check_marks(cv_str text, cv_marks marks)
{
    size_t at = 0, line = 1;
    for (size_t i = 0; i < marks.count; i++) {
        const cv_mark *m = &marks.items[i];
        need(m->start >= at && m->start < m->end && m->end <= text.n);
        for (; at < m->start; at++)
            line += text.p[at] == '\n';
        need(m->line == line);
        need(text.p[m->start] == (m->style == CV_STYLE_BRACE ? '{' : '['));
        need(memchr(text.p + m->start, '\n', m->end - m->start) == NULL);
        need(m->unclosed || strchr("])}", text.p[m->end - 1]));
        need(m->body_start >= m->end && m->body_start <= m->body_end && m->body_end <= text.n);
        need(m->type < CV_MARK_COUNT && m->style < CV_STYLE_COUNT);
        at = m->end;
        cv_id id;
        size_t targets = 0;
        for (cv_str rest = m->targets; cv_target_next(&rest, &id); targets++)
            need(id.form != CV_ID_NONE);
        need((targets > 0) == (m->targets.n > 0));
    }
}

static void check_findings(cv_str text, const cv_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const cv_finding *f = &findings->items[i];
        need(f->start <= f->end && f->end <= text.n && f->line >= 1 && f->column >= 1);
        need(i == 0 || findings->items[i - 1].start <= f->start);
        need(f->message.n > 0 && f->rule < CV_RULE_COUNT);
    }
    need(findings->dropped == 0 || findings->count == CV_MAX_FINDINGS);
}

/* The parser passes over plain lines in one step: a walk line by line must come to the same structure. Only without
 * fences, which the parser also opens behind marks. */
static void check_structure(cv_str text, const cv_doc *doc, cv_marks marks)
{
    cv_lines lines = {.text = text, .at = cv_str_starts(text, CV_STR("\xEF\xBB\xBF")) ? 3 : 0};
    cv_line line;
    size_t sections = 0, next = 0, count = 0;
    if (cv_str_find(text, CV_STR("```")) != SIZE_MAX || cv_str_find(text, CV_STR("~~~")) != SIZE_MAX ||
        cv_str_find(text, CV_STR("\xEF\xBB\xBF\xEF\xBB\xBF")) == 0)
        return;
    while (cv_lines_next(&lines, &line)) {
        count++;
        sections += line.kind == CV_LINE_SECTION || line.kind == CV_LINE_ROUND;
        while (next < marks.count && marks.items[next].line < line.number)
            next++;
        if (line.kind == CV_LINE_MARKER) {
            need(next < marks.count && marks.items[next].line == line.number);
            need(marks.items[next].start == (size_t)(line.text.p - text.p) + line.mark_at);
        }
    }
    need(doc->sections.count == sections && doc->lines == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    /* An exact copy on the heap: a read past the end shows. */
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    cv_str text = {copy, size};
    cv_doc doc;
    cv_findings findings = {0};
    check_lines(text);
    cv_lint_parse(&a, text, &doc, &findings);
    cv_marks marks = cv_doc_marks(&a, &doc);
    need(marks.count == doc.mark_count);
    check_marks(text, marks);
    check_structure(text, &doc, marks);
    check_findings(text, &findings);
    cv_arena_release(&a);
    free(copy);
    return 0;
}
