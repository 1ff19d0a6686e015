/* page.h - the page that a person gets for an answer: pages/NAME.page, a template, filled in with the answer.
 *
 *     pages/room_verb.page      # {{ title }}
 *                               <s>{{ status }}</>, {{ rounds }} rounds
 *                               {% for e in experts %}
 *                                 {{ e.slug }} <|> {{ e.role }}
 *                               {% endfor %}
 *
 * The language is that of kit/template.h; what it makes is laid out by layout.h. In the answer's texts line breaks and
 * control characters are made harmless before, times are shortened, so nothing that somebody said becomes a mark. A
 * page may include another one by its name. Besides the answer a template has `colour`: marks can be seen.
 */
#ifndef CV_DOOR_PAGE_H
#define CV_DOOR_PAGE_H

#include "base/json.h"
#include "kit/room.h"

/* The answer to a person, on a terminal of so many columns (0: there is none). In this order: the text that the
 * operation made itself (the member of the answer that its schema calls x-print), its page, or its members as they are.
 */
void cv_page_answer(cv_buf *out, cv_arena *a, const cv_operation *op, const cv_json *reply, size_t terminal,
                    bool colour);

const cv_json *cv_page_text(const cv_operation *op, const cv_json *reply, bool *ret_document); /* NULL: it made none */

/* The template of an operation; absent: it has none. */
cv_str cv_page_source(cv_arena *a, const cv_operation *op);

/* `strict`: what the answer lacks is an error (kit/template.h): for tests, which hold such names against the schema. */
bool cv_page_print(cv_buf *out, cv_arena *a, const cv_operation *op, const cv_json *reply, size_t width, bool colour,
                   bool strict, cv_err *err);

#endif
