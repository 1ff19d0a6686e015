/* document.h - a document in the two forms that can be compared: canonical markdown and JSON. */
#ifndef CV_TEST_DOCUMENT_H
#define CV_TEST_DOCUMENT_H

#include "dialogue/text/doc.h"

static inline cv_str cv_document_rendered(cv_arena *a, const cv_doc *doc)
{
    cv_buf b = {0};
    cv_doc_render(a, doc, &b);
    return cv_buf_take(&b, a);
}

/* Without `places`, two documents with the same content are the same. */
static inline cv_str cv_document_json(cv_arena *a, const cv_doc *doc, bool places)
{
    cv_buf b = {0};
    cv_json_writer w = {.out = &b, .indent = 1};
    cv_json_begin_object(&w);
    cv_doc_print_json(doc, places, &w);
    cv_json_end_object(&w);
    return cv_buf_take(&b, a);
}

#endif
