/* import_script.h - a script becomes part of the record, by the requests that a judge would have made.
 *
 *     create -> evolve-panel, round-register for every round -> verdict-register
 *
 * All of it bears the dialogue's own date. Every request has an op_id made from the dialogue's name, its title and the
 * step: so the same files again change nothing, an import that was cut short goes on where it stopped, files with more
 * rounds than last time add these, and what has changed since is a conflict that is reported and changes nothing.
 */
#ifndef CV_DIALOGUE_IMPORT_IMPORT_SCRIPT_H
#define CV_DIALOGUE_IMPORT_IMPORT_SCRIPT_H

#include "dialogue/import/script.h"
#include "dialogue/import/threads.h"

typedef struct {
    cv_str written, id;
} cv_meant;

typedef struct {
    cv_str dialogue_id;
    int64_t rev;
    size_t written, replayed; /* requests */
    cv_remarks conflicts;     /* what the record has otherwise; sheet: CV_NO_SHEET */
    cv_remarks failures;
    CV_STATE_LIST(cv_meant) meanings; /* the tracker's ids */
    cv_threads threads;
    cv_import_tally tally; /* what the record has, when `counted` */
    bool counted;
} cv_imported;

/* False when nothing of it could be recorded; ret->failures says why. */
bool cv_script_import(const cv_call *call, cv_record *record, cv_script *s, cv_imported *ret_imported);

/* What the files state against what the record derives, and what the record has of each file (compare.c). */
bool cv_script_compare(const cv_call *call, cv_record *record, cv_script *s, cv_imported *imported);

/* What the record has of the dialogue: for the report, which counts nothing else. */
bool cv_script_count(const cv_call *call, cv_record *record, cv_script *s, cv_imported *imported, cv_state *ret_state);
bool cv_script_statements(const cv_call *call, cv_record *record, cv_script *s, cv_imported *imported,
                          cv_state *ret_state);

#endif
