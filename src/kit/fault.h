/* fault.h - what is wrong with a request, in the words of the specification.
 *
 * Each function adds one error to the call, with its code, message, constraint, options and suggestion. The place says
 * which item and which field it is about; nothing is printed before something is wrong. Values come from outside and
 * may be of any length: a fault shows the beginning of a long one. A message shows such a value with cv_excerpt.
 */
#ifndef CV_KIT_FAULT_H
#define CV_KIT_FAULT_H

#include "base/utf8.h"
#include "kit/call.h"

typedef struct {
    cv_call *call;
    cv_str item_type; /* "perspective", "reference", "move" */
    cv_str item_key;  /* what its id is called in the request, when it has one … */
    cv_str item_id;   /* … and the id */
    cv_str field;     /* perspectives[0].references[1].target */
} cv_spot;

/* The same place, one member or one item deeper: "[1]", ".target". */
cv_spot cv_spot_in(const cv_spot *at, cv_str member);
cv_spot cv_spot_at(const cv_spot *at, size_t index);

cv_err *cv_fault(const cv_spot *at, cv_err_code code, cv_str constraint, cv_str value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The short form, for what is not an item of a batch: `field` of the thing at `at` ("panel[2]"; empty: the request). */
cv_err *cv_refuse(cv_call *call, cv_err_code code, cv_str at, const char *field, cv_str value, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Offers `words`, and the nearest of them to the fault's value. */
void cv_refuse_words(cv_err *fault, const cv_str *words, size_t count);

void cv_fault_missing(const cv_spot *at);

/* Labels and titles are in headings, brackets and cells: on one line of at most so many characters. Anything else is
 * a fault. */
void cv_fault_unless_line(const cv_spot *at, cv_str text, size_t most);
void cv_fault_word(const cv_spot *at, cv_err_code code, cv_str constraint, cv_str name, cv_str value, cv_words words);

#endif
