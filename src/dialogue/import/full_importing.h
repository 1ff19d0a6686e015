/* full_importing.h - a full dialogue on its way into the record: what full_import.c, full_people.c and full_status.c
 * share. */
#ifndef CV_DIALOGUE_IMPORT_FULL_IMPORTING_H
#define CV_DIALOGUE_IMPORT_FULL_IMPORTING_H

#include "dialogue/import/full_dialogue.h"
#include "dialogue/transcript/transcript.h"

typedef struct {
    cv_importing p;
    cv_full_dialogue *t;
    cv_state state; /* before the round */
    int round;
} cv_full_importing;

/* What the record tells up to a round; CV_ABSENT: all of it. */
bool cv_full_load(cv_full_importing *p, int64_t round, cv_transcript *ret);

/* Numbers the items as the record will; an id that comes out otherwise is reported. */
void cv_full_settle(cv_full_dialogue *t, cv_imported *imported);

/* People (full_people.c): the dialogue with its pool; experts without a seat; the panel of the round. */
bool cv_full_create(cv_full_importing *p);
void cv_full_create_unseated(cv_full_importing *p);
void cv_full_evolve(cv_full_importing *p);

/* Statuses (full_status.c): what is given with the round, behind it, and before a verdict. */
void cv_full_write_updates(cv_full_importing *p, cv_json_writer *w);
void cv_full_mend(cv_full_importing *p);
void cv_full_prepare(cv_full_importing *p, const cv_full_verdict *v);

#endif
