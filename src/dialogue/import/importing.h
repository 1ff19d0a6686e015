/* importing.h - an import under way: what import_script.c, import_round.c and import_verdict.c share. */
#ifndef CV_DIALOGUE_IMPORT_IMPORTING_H
#define CV_DIALOGUE_IMPORT_IMPORTING_H

#include "dialogue/import/import_script.h"
#include "dialogue/intake/extract.h"
#include "kit/invoke.h"

typedef struct {
    cv_extract extract;
    size_t which; /* of its verdicts */
} cv_late_verdict;

typedef struct {
    const cv_call *call;
    cv_record *record;
    cv_script *s;
    cv_imported *imported;
    cv_str identity;                         /* a hash of what the dialogue is called */
    bool failed;                             /* something was refused that is not a conflict */
    CV_STATE_LIST(cv_late_verdict) verdicts; /* dissents and minorities: they may follow all rounds */
    cv_map verdict_ids;
} cv_importing;

/* A request with its op_id and dialogue: members follow, send ends and sends it. */
cv_json_writer cv_importing_begin(cv_importing *p, cv_buf *text, const char *step);
cv_json_writer cv_importing_begin_bare(cv_importing *p, cv_buf *text, const char *step); /* with the op_id alone */
bool cv_importing_send(cv_importing *p, cv_json_writer *w, const char *step, cv_handler run, cv_reply *ret_reply);

/* Sends `create`: its members are in `w`. True when the dialogue is there, made now or by an earlier import. */
bool cv_importing_create(cv_importing *p, cv_json_writer *w);

/* What the dialogue is called, and so its op_ids, from the script's key and title. */
void cv_importing_identify(cv_importing *p);

/* The dialogue as it was before the round. */
bool cv_importing_load(cv_importing *p, int round, cv_state *ret_state);

void cv_importing_round(cv_importing *p, int round);
void cv_importing_verdict(cv_importing *p, const cv_late_verdict *verdict);

/* Verdicts (import_verdict.c): those that the judge's texts have are found before the dialogue is made; the final one
 * and those in sections of their own are registered when all rounds are there. */
void cv_script_find_verdicts(cv_script *s);
void cv_importing_endings(cv_importing *p);

/* The pool of the script, as `create` wants it; nothing when there is none. */
void cv_importing_pool(const cv_script *s, cv_json_writer *w);

#endif
