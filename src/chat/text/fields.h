/* fields.h - the fields of a consult message: lines of its body.
 *
 *     - CONSULT_REQUEST
 *       - requester_role: Implementer
 *       - risks/unknowns: possible off-targets          the same field as risks_unknowns
 *       - context summary (what we do now): …           … as context_summary
 *     OK_TO_PROCEED: yes
 *
 * What each type needs is the table chat/words/consult.def. Nothing here refuses anything.
 */
#ifndef CV_CHAT_TEXT_FIELDS_H
#define CV_CHAT_TEXT_FIELDS_H

#include "base/arena.h"

typedef enum {
#define CONSULT(id, type, from, to) CV_CONSULT_##id,
#define FIELD(of, name, need, spellings)
#include "chat/words/consult.def"
#undef CONSULT
#undef FIELD
    CV_CONSULT_COUNT
} cv_consult_kind;

typedef struct {
    cv_str type, from, to;
} cv_consult_row;
extern const cv_consult_row cv_consults[CV_CONSULT_COUNT];

typedef struct {
    cv_consult_kind of;
    cv_str name;
    bool required; /* else it should be there */
    cv_str spellings;
} cv_consult_field;
extern const cv_consult_field cv_consult_fields[];
extern const size_t cv_consult_field_count;

int cv_consult_of(cv_str type); /* -1: not a consult message */

/* The value of a line whose key is one of the spellings, with the lines that go on below it up to the next key; absent:
 * there is none. The first spelling that is there counts, and of several lines with it the first. Lines that quote
 * somebody ("> …") do not count. */
cv_str cv_field_find(cv_str body, cv_str spellings);

/* The first line of a value: what is a name has no more. */
cv_str cv_field_line(cv_str value);

/* The same by the name of a field of this kind. */
cv_str cv_consult_get(cv_consult_kind kind, cv_str body, const char *name);

/* What the message says in OK_TO_PROCEED; lines that contradict each other say nothing clear. */
typedef enum { CV_ANSWER_NONE, CV_ANSWER_YES, CV_ANSWER_NO, CV_ANSWER_UNCLEAR } cv_consult_answer;
cv_consult_answer cv_consult_answer_of(cv_str body);

/* A batch of questions (i/n): which of them are there, as bits; *ret_of is n. Beyond 64 nothing is counted. */
uint64_t cv_consult_batch(cv_str text, unsigned *ret_of);

#endif
