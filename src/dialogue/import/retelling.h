/* retelling.h - a retold dialogue on its way into the record: what retold_play.c, retold_people.c and retold_status.c
 * share. */
#ifndef CV_DIALOGUE_IMPORT_RETELLING_H
#define CV_DIALOGUE_IMPORT_RETELLING_H

#include "dialogue/import/retold.h"
#include "dialogue/transcript/transcript.h"

typedef struct {
    cv_importing p;
    cv_retold *t;
    cv_state state; /* before the round */
    int round;
} cv_retelling;

/* The id under which a target is known in the record; empty: it is not there, which is reported. */
cv_str cv_retold_known(cv_retelling *p, cv_str target, int round, size_t line);

/* What the record tells up to a round; CV_ABSENT: all of it. */
bool cv_retold_load(cv_retelling *p, int64_t round, cv_transcript *ret);

/* Numbers the items as the record will; an id that comes out otherwise is reported. */
void cv_retold_settle(cv_retold *t, cv_imported *imported);

/* People (retold_people.c): the dialogue with its pool; experts without a seat; the panel of the round. */
bool cv_retold_create(cv_retelling *p);
void cv_retold_create_unseated(cv_retelling *p);
void cv_retold_evolve(cv_retelling *p);

/* Statuses (retold_status.c): what is given with the round, behind it, and before a verdict. */
void cv_retold_write_updates(cv_retelling *p, cv_json_writer *w);
void cv_retold_mend(cv_retelling *p);
void cv_retold_prepare(cv_retelling *p, const cv_retold_verdict *v);

#endif
