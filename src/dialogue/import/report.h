/* report.h - what an import reports about each dialogue: for programs as JSON, for people as text.
 *
 *     {"dialogue_id", "outcome", "files": [...], "not_understood": [...], "differences": [...], …}
 *
 * Both are written dialogue by dialogue, so that the memory of one is free before the next begins.
 */
#ifndef CV_DIALOGUE_IMPORT_REPORT_H
#define CV_DIALOGUE_IMPORT_REPORT_H

#include "dialogue/import/import_script.h"
#include "kit/import.h"

typedef struct {
    cv_import *import; /* its list of dialogues is open */
    cv_import_tally total;
} cv_report;

/* One dialogue. */
void cv_report_dialogue(cv_report *r, const cv_script *s, const cv_imported *imported, cv_import_outcome outcome,
                        cv_str why);

/* Their forms: a dialogue, and what was counted. */
extern const cv_shape cv_import_dialogue_shape[], cv_tally_shape[];

/* What was counted in all of them. */
void cv_report_end(cv_report *r);

#endif
