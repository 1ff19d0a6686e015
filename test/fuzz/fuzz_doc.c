/* fuzz_doc.c - any text: parse, render and JSON agree, and what was written once is written the same way again.
 *
 *     text -> doc -> markdown -> doc'       doc == doc', as JSON without places
 *                 -> JSON -> doc''          accepted, and rendered to the same bytes
 *
 * Bytes that are not text (not UTF-8, or with NUL) only must not break anything.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "dialogue/lint/lint.h"
#include "document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds, const char *what, cv_str x, cv_str y)
{
    if (holds)
        return;
    fprintf(stderr, "== %s\n-- one (%zu bytes)\n%.*s\n-- other (%zu bytes)\n%.*s\n==\n", what, x.n, CV_FMT(x), y.n,
            CV_FMT(y));
    abort();
}

static void check_json(cv_arena *a, const cv_doc *doc, cv_str markdown)
{
    cv_str json = cv_document_json(a, doc, true);
    cv_err err = {.arena = a};
    cv_json tree;
    cv_doc back;
    cv_errs errs = {0};
    need(cv_json_parse(a, json, &tree, &err), "JSON that is printed parses", json, err.message);
    bool ok = cv_doc_read_json(a, json, &tree, &back, &errs);
    need(ok, "JSON that is printed is a document", json, ok ? json : cv_err_text(&errs.items[0]));
    cv_str again = cv_document_rendered(a, &back);
    need(cv_str_eq(markdown, again), "through JSON the same bytes", markdown, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size};
    cv_doc doc, again;
    cv_findings findings = {0};
    cv_lint_parse(&a, text, &doc, &findings);
    cv_str markdown = cv_document_rendered(&a, &doc), json = cv_document_json(&a, &doc, false);
    if (cv_text_check(text, &err)) {
        cv_doc_parse(&a, markdown, &again, NULL);
        cv_str json2 = cv_document_json(&a, &again, false), markdown2 = cv_document_rendered(&a, &again);
        need(cv_str_eq(json, json2), "parse(render(d)) == d", json, json2);
        need(cv_str_eq(markdown, markdown2), "rendering is stable", markdown, markdown2);
        check_json(&a, &doc, markdown);
    }
    cv_arena_release(&a);
    return 0;
}
