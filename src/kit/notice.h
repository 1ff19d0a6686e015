/* notice.h - what was done, but should be known: the warnings of an answer.
 *
 *     "warnings": [{"type": "unsourced", "expert": "donut", "ids": ["DONUT-P0001"], "message": "…"}]
 *
 * Every operation warns in this form and no other. The types are listed in docs/errors.md. Above a ceiling warnings are
 * only counted; then the answer also has "warnings_left_out".
 */
#ifndef CV_KIT_NOTICE_H
#define CV_KIT_NOTICE_H

#include "kit/shape.h"

typedef struct {
    cv_str type; /* "unsourced" */
    cv_str message;
    cv_str id, field; /* may be empty */
    cv_str ids;       /* a JSON list, or empty */
    /* Whom and which step it is about, under the names that the room has for them; NULL: about none. */
    struct {
        const char *key;
        cv_str text;
    } who;
    struct {
        const char *key;
        int64_t number; /* CV_ABSENT: none */
    } step;
} cv_notice;

typedef struct {
    cv_notice *items;
    size_t count, capacity;
    size_t left_out; /* above CV_MAX_WARNINGS */
    cv_notice aside; /* where those go: written, never read */
} cv_notices;

/* A warning, to be filled in further; its views must live as long as the answer. */
cv_notice *cv_notice_add(cv_notices *warnings, cv_arena *a, cv_str type, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The members of an answer with the warnings, kept as cv_notices in `member`; each has the shape `one`. */
#define CV_WARNINGS_AS(when_, member, one, about)                                                                      \
    CV_LIST_WHEN(when_, "warnings", member.items, member.count, one, about),                                           \
        CV_NUMBER(IF_ANY, "warnings_left_out", member.left_out, 1, CV_NO_LIMIT, "warnings beyond the first 1000")

/* Those that name nobody and no step. */
extern const cv_shape cv_plain_notice_shape[];
#define CV_PLAIN_WARNINGS(when_, member, about) CV_WARNINGS_AS(CV_##when_, member, cv_plain_notice_shape, about)

/* The members "warnings" (a list, perhaps empty) and, when there were too many, "warnings_left_out" (how many). */
void cv_notices_answer(const cv_notices *warnings, cv_json_writer *w);

#endif
