/* fuzz_doc.c - any text: parse, render and JSON agree, and what was written once is written the same way again.
 *
 *     text -> doc -> markdown -> doc'       doc == doc', as JSON without places
 *                 -> JSON -> doc''          accepted, and rendered to the same bytes
 *
 * Bytes that are no text (not UTF-8, or with NUL) only must not break anything.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "text/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds, const char *what, cv_str x, cv_str y)
{
    if (holds)
        return;
    fprintf(stderr, "== %s\n-- one (%zu bytes)\n%.*s\n-- other (%zu bytes)\n%.*s\n==\n", what, x.n, CV_FMT(x), y.n,
            CV_FMT(y));
    abort();
}

static cv_str kept(cv_arena *a, cv_buf *b)
{
    cv_str s = cv_arena_copy(a, cv_buf_str(b));
    cv_buf_release(b);
    return s;
}

static cv_str rendered(cv_arena *a, const cv_doc *doc)
{
    cv_buf b = {0};
    cv_doc_render(a, doc, &b);
    return kept(a, &b);
}

static cv_str as_json(cv_arena *a, const cv_doc *doc, bool places)
{
    cv_buf b = {0};
    cv_json_writer w = {.out = &b, .indent = 1};
    cv_json_begin_object(&w);
    cv_doc_print_json(doc, places, &w);
    cv_json_end_object(&w);
    return kept(a, &b);
}

static void check_json(cv_arena *a, const cv_doc *doc, cv_str markdown)
{
    cv_str json = as_json(a, doc, true);
    cv_err err = {.arena = a};
    cv_json tree;
    cv_doc back;
    cv_errs errs = {0};
    need(cv_json_parse(a, json, &tree, &err), "JSON that is printed parses", json, err.message);
    bool ok = cv_doc_read_json(a, json, &tree, &back, &errs);
    need(ok, "JSON that is printed is a document", json, ok ? json : cv_err_text(&errs.items[0]));
    cv_str again = rendered(a, &back);
    need(cv_str_eq(markdown, again), "through JSON the same bytes", markdown, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size};
    cv_doc doc, again;
    cv_findings findings = {0};
    cv_doc_parse(&a, text, &doc, &findings);
    cv_str markdown = rendered(&a, &doc), json = as_json(&a, &doc, false);
    if (cv_text_check(text, &err)) {
        cv_doc_parse(&a, markdown, &again, NULL);
        cv_str json2 = as_json(&a, &again, false), markdown2 = rendered(&a, &again);
        need(cv_str_eq(json, json2), "parse(render(d)) == d", json, json2);
        need(cv_str_eq(markdown, markdown2), "rendering is stable", markdown, markdown2);
        check_json(&a, &doc, markdown);
    }
    cv_arena_release(&a);
    return 0;
}
