/* subject.h - the entities that a write touches, stored ones and new ones alike, and what it writes about them.
 *
 *     created    a new row and its first event
 *     ruled      an explicit update: the judge's act, which wins over everything else in the same write
 *     touched    a reference, a move or a verdict points at it: cascade.h says what that does
 *
 * Every change is an event; an entity's status is what its events say, folded in order.
 */
#ifndef CV_DIALOGUE_REGISTER_SUBJECT_H
#define CV_DIALOGUE_REGISTER_SUBJECT_H

#include "dialogue/journal.h"
#include "dialogue/notices.h"
#include "dialogue/people.h"
#include "dialogue/register/cascade.h"

typedef struct {
    cv_kind kind;
    cv_str id;
    cv_status status;
    cv_status planned;   /* during validation: the status after the updates looked at so far */
    cv_rec_entity *row;  /* of the state or of the draft; once written, the journal's */
    size_t stored;       /* its place among the state's entities, plus one; 0: new */
    const cv_people *by; /* who made it: new ones only */
    bool written;        /* the row is in the journal, and an event covers it */
    bool ruled;          /* an explicit update has decided */
    cv_str ruled_via;
} cv_subject;

typedef struct {
    cv_arena *arena;
    const cv_state *state;
    cv_map at; /* display id -> cv_subject * */
    CV_STATE_LIST(cv_subject *) all;
} cv_subjects;

/* The entity with this display id, stored or new; NULL: none. */
cv_subject *cv_subjects_find(cv_subjects *subjects, cv_str id);
cv_subject *cv_subjects_add(cv_subjects *subjects, cv_kind kind, cv_rec_entity *row, const cv_people *by);

/* The state as it will be after the write, as far as its entities go. */
void cv_subjects_after(const cv_subjects *subjects, cv_state *ret_after);

/* Every status that the write changes, new entities included; in answers "status_changes". */
typedef struct {
    cv_str id, from, to;
} cv_change;
typedef CV_STATE_LIST(cv_change) cv_changes;
cv_changes cv_subjects_changes(const cv_subjects *subjects);
extern const cv_shape cv_changes_shape[];

/* One write about subjects. */
typedef struct {
    cv_journal *journal;
    cv_notices *warnings;
    int64_t round;
} cv_status_writer;

void cv_subject_create(cv_status_writer *writer, cv_subject *subject);
void cv_subject_rule(cv_status_writer *writer, cv_subject *subject, cv_status to, const cv_people *by, cv_str via,
                     cv_str reason);
cv_effect cv_subject_touch(cv_status_writer *writer, cv_cause cause, cv_subject *subject, const cv_people *by,
                           cv_str source, cv_str reason);

/* The row in the journal, to be changed; `event` covers it. */
cv_rec_entity *cv_subject_write(cv_status_writer *writer, cv_subject *subject, cv_rec_event *event);

#endif
